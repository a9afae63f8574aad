"""The rule for a prediction: a figure that was an input of the model, or follows from inputs alone, predicts nothing.

A claim with the role `predicted` is counted as carried if its figure

- is within 3 % of its null, or of an input of its dimension that it depends on: it restates that number;
- is constant, or proportional to one input and independent of all others;
- is, at the same point, another fitted or predicted figure times or over inputs, or plus or minus inputs, or follows
  from it by Little's law; or is in proportion to a fitted figure; or depends on inputs as another prediction does, so
  that the two differ by fitted values alone;
- is a bound that another prediction implies;
- is a product of integer powers of inputs, unless it rests on a path length as below.

Two figures are at the same point if all settings that either depends on are equal. The dependence on a choice of words
is not known: two words count as equal if the figures and all their elasticities agree.

A prediction needs a mechanism between inputs and figure: queueing, contention, a cache, or a path length applied to
another workload. The last is the weakest: how much longer a path is under LPAR is measured on one workload (the empty
system call), and another workload is predicted to grow by the same factor. Such a figure is an input for its workload
times the ratio of two others, all of one dimension. It can be false, and therefore counts; but no network is involved,
and `path_length` identifies such figures, so that they can be left out of the count.

The rule uses the elasticities of `influences` only, without judgement on single claims.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isclose, isfinite

from qnet.questions.study.influences import INFLUENCE, STEP, Influence, Influences, InputKey
from qnet.questions.study.printed import printed
from qnet.questions.study.study import Claim, Study

NEAR = 0.03
"""The least relative difference of a prediction from its null and from every input that it depends on."""
_EVERY = 0.05
"""The largest difference of an elasticity from an integer, or from that of another figure, at which they count as
equal."""
_TENTH = 0.1
"""The least elasticity by which a figure may restate an input: one that hardly depends on it is near it by chance. Also
the largest difference from integers of the elasticities of a product, which leaves room for a small additional term."""
_SINGLE = 0.03
"""The least elasticity by which a figure is not proportional to another number alone."""
_SAME = 1e-6
"""The relative difference up to which two figures are the same one computed twice; also the largest difference from
integers of the elasticities of a product without additional terms."""


def carried(study: Study, result: Influences, nulls: dict[str, float]) -> dict[str, str]:
    """The reasons why claims with the role `predicted` are counted as carried, by claim id.

    nulls    the values of the nulls in base units, by claim id.
    Returns  nothing for claims that count as predictions.
    """
    predicted = [claim for claim in study.claims if claim.counted and claim.id in result.claims]
    others = list(result.claims.values())
    rules: tuple[Callable[[Influence], str], ...] = (
        lambda item: _restated(item, result, nulls.get(item.claim.id), study),
        lambda item: _proportional(item),
        lambda item: _repeated(item, others, result),
        lambda item: _implied(item.claim, predicted, result),
        lambda item: _multiplied(item, result),
    )
    reasons: dict[str, str] = {}
    for claim in predicted:
        reason = next((text for rule in rules if (text := rule(result.claims[claim.id]))), "")
        if reason:
            reasons[claim.id] = reason
    return reasons


def _restated(item: Influence, result: Influences, null: float | None, study: Study) -> str:
    """The reason if a figure is within 3 % of its null, or of an input of its dimension that it depends on."""
    figure = study.printed.get(item.claim.id)
    if null is not None and figure and _near(item.value, null):
        return f"within 3 % of {item.claim.null}"
    if figure is None:
        texts = [text for text in (item.claim.at_least, item.claim.at_most) if text]
        figure = printed(texts[0]) if texts else None
    for key in item.by_input:
        model_input = result.inputs.get(key)
        if (
            model_input
            and figure
            and model_input.dimension == figure.dimension
            and item.rests_on(key, _TENTH)
            and _near(item.value, key[1])
        ):
            return f"within 3 % of {key[0]}, which is an input"
    return ""


def _near(value: float, given: float) -> bool:
    """Whether a value is within 3 % of another one."""
    return bool(given) and abs(value / given - 1) < NEAR


def _proportional(item: Influence) -> str:
    """The reason if a figure is constant, or proportional to one input or its inverse and independent of all others."""
    rests = [key for key, slope in item.by_input.items() if not isfinite(slope) or abs(slope) >= _SINGLE]
    if not rests:
        return "constant: it depends on no input"
    if len(rests) == 1 and abs(abs(item.by_input[rests[0]]) - 1) <= _SINGLE:
        return f"proportional to {rests[0][0]} and to nothing else"
    return ""


def _multiplied(item: Influence, result: Influences) -> str:
    """The reason if a figure is a product of powers of inputs and rests on no path length."""
    product = any(item.rests_on(key) for key in item.by_input) and _product(item.by_input, _SAME)
    return "a product of inputs alone" if product and not path_length(item, result) else ""


def path_length(item: Influence, result: Influences) -> bool:
    """Whether a figure rests on a path length alone: an input times the ratio of two others, all of its dimension."""
    if item.dimension is None or not _product(item.by_input, _SAME):
        return False
    rests = {key: round(slope) for key, slope in item.by_input.items() if item.rests_on(key)}
    same = all((model_input := result.inputs.get(key)) and model_input.dimension == item.dimension for key in rests)
    return same and sorted(rests.values()) == [-1, 1, 1]


def _repeated(item: Influence, others: Sequence[Influence], result: Influences) -> str:
    """The reason if a figure follows from another one at the same point.

    Of two predictions that follow from each other, the first in the file counts.
    """
    for other in others:
        if item.claim.id in (other.claim.id, other.claim.counts_with) or not _same_point(item, other):
            continue
        fitted = other.claim.role == "fitted"
        first = fitted or other.claim.position < item.claim.position
        if first and _power_product(item, other):
            return f"{other.claim.id} times or over inputs"
        if fitted and _follows(item, other):
            return f"in proportion to {other.claim.id}, which is fitted"
        if first and _little(item, other):
            return f"follows from {other.claim.id} by Little's law"
        if other.claim.counts_with:
            continue
        if _sum(item, other, result):
            return f"{other.claim.id} plus or minus inputs"
        if first and not fitted and _parallel(item, other, others):
            return f"follows from {other.claim.id} by fitted values alone"
    return ""


def _same_point(item: Influence, other: Influence) -> bool:
    """Whether two figures without a base are of one system, with equal settings for all that either depends on."""
    if item.claim.at.system != other.claim.at.system or item.claim.base or other.claim.base:
        return False
    names = {*item.claim.at.settings, *other.claim.at.settings}
    return all(_identical(item, other, name) for name in names)


def _identical(item: Influence, other: Influence, name: str) -> bool:
    """Whether a parameter has the same value for two figures, or neither depends on it."""
    key = f"{item.claim.at.system}:{name}"
    if key in item.parameter_values and item.parameter_values[key] == other.parameter_values.get(key):
        return True
    slopes = [_slope(each, name) for each in (item, other) if name != each.claim.vary]
    return all(slope < INFLUENCE for slope in slopes) or (not all(map(isfinite, slopes)) and _same_figure(item, other))


def _same_figure(item: Influence, other: Influence) -> bool:
    """Whether two figures are equal, and have equal elasticities by all inputs."""
    same = item.dimension == other.dimension and isclose(item.value, other.value, rel_tol=_SAME)
    return same and all(abs(slope) < INFLUENCE for slope in _difference(item.by_input, other.by_input, 1, 1).values())


def _slope(item: Influence, name: str) -> float:
    """The absolute elasticity of a figure by a parameter; infinite if it is not known."""
    result = [abs(slope) for (each, _), slope in item.by_parameter.items() if each == name]
    return result[0] if result and isfinite(result[0]) else float("inf")


def _power_product(item: Influence, other: Influence) -> bool:
    """Whether a figure over another one, or times it, is a product of powers of fewer inputs than the figure itself."""
    most = sum(not abs(slope) <= _EVERY for slope in item.by_input.values())
    if not _product(item.by_input):
        most = 1_000_000
    for sign in (1, -1):
        rests = _difference(item.by_input, other.by_input, 1.0, float(sign))
        if _product(rests) and sum(abs(slope) > _EVERY for slope in rests.values()) < most:
            return True
    return False


def _product(slopes: dict[InputKey, float], within: float = _TENTH) -> bool:
    """Whether elasticities are those of a product of integer powers: each within `within` of an integer."""
    return all(isfinite(slope) and abs(slope - round(slope)) <= within for slope in slopes.values())


def _follows(item: Influence, other: Influence) -> bool:
    """Whether a figure is in proportion, direct or inverse, to a fitted figure as the fitted parameter moves."""
    slopes = [
        next((slope for (name, _), slope in each.by_parameter.items() if name == other.claim.sets), 0.0)
        for each in (item, other)
    ]
    return abs(slopes[1]) >= _SINGLE and abs(abs(slopes[0]) - abs(slopes[1])) <= _EVERY * abs(slopes[1])


def _sum(item: Influence, other: Influence, result: Influences) -> bool:
    """Whether a figure exceeds another one by inputs of its dimension, added or subtracted."""
    rest = item.value - other.value
    if item.dimension != other.dimension or not 0 < rest < item.value:
        return False
    terms: dict[InputKey, float] = {}
    for key in {**item.by_input, **other.by_input}:
        model_input = result.inputs.get(key)
        step = model_input.step if model_input else STEP
        moved = (each.value * step ** each.by_input.get(key, 0.0) for each in (item, other))
        term = (next(moved) - next(moved) - rest) / (step - 1)
        if abs(term) <= _EVERY * rest:
            continue
        if (
            not model_input
            or model_input.dimension != item.dimension
            or abs(abs(term) - abs(key[1])) > _EVERY * abs(key[1])
        ):
            return False
        terms[key] = term
    return bool(terms) and abs(sum(terms.values()) - rest) <= _EVERY * rest


def _little(item: Influence, other: Influence) -> bool:
    """Whether a figure is a fixed number of customers over another one, less a time that is an input (Little's law).

    With N customers, think time Z and throughput X, the response time is W = N / X - Z. So for every input but Z the
    elasticities of W times W / (W + Z), and of X, add up to zero, for Z to -Z / (W + Z); and N is the value of a
    parameter.
    """
    for key, slope in item.by_parameter.items():
        cycle = item.value + key[1]
        if not isfinite(slope) or abs(slope) < INFLUENCE:
            continue
        terms = _difference(item.by_parameter, other.by_parameter, item.value / cycle, -1.0)
        follows = abs(terms.pop(key) + key[1] / cycle) < INFLUENCE
        if follows and all(abs(term) < INFLUENCE for term in terms.values()):
            return any(isclose(cycle * other.value, number, rel_tol=_SAME) for number in item.parameter_values.values())
    return False


def _parallel(item: Influence, other: Influence, others: Sequence[Influence]) -> bool:
    """Whether the elasticities of two figures by all parameters but the fitted ones are proportional to each other.

    Both must search the same parameter for the same limit, or none; the other figure must depend on two parameters.
    """
    if (item.claim.vary, item.claim.limit) != (other.claim.vary, other.claim.limit):
        return False
    fitted = {each.claim.sets for each in others}
    first, second = (
        {key: slope for key, slope in each.by_parameter.items() if key[0] not in fitted} for each in (item, other)
    )
    most = max(second, key=lambda key: abs(second[key]), default=None)
    if most is None or sum(abs(slope) >= _SINGLE for slope in second.values()) < 2 or not first.get(most):
        return False
    factor = first[most] / second[most]
    rests = _difference(first, second, 1.0, factor)
    return all(abs(slope) <= _EVERY * max(1.0, abs(first.get(key, 0.0))) for key, slope in rests.items())


def _difference(
    first: dict[InputKey, float], second: dict[InputKey, float], by: float, times: float
) -> dict[InputKey, float]:
    """`by` times the first elasticities less `times` the second, by input; infinite if either is not finite."""
    result: dict[InputKey, float] = {}
    for key in {**first, **second}:
        slope = by * first.get(key, 0.0) - times * second.get(key, 0.0)
        result[key] = slope if isfinite(slope) else float("inf")
    return result


def _implied(claim: Claim, predicted: Sequence[Claim], result: Influences) -> str:
    """The reason if a claim states bounds for a parameter value beyond the largest one that another prediction finds.

    That value is the largest at which a limit on the same figure holds, so that the figure exceeds the limit beyond it,
    or the largest with a steady state.
    """
    if claim.stated or not claim.figure:
        return ""
    for other in predicted:
        if not other.vary or other.smallest or other.figure or other.vary not in claim.at.settings:
            continue
        metric, _, limit = other.limit.partition("<=")
        rest = {name: text for name, text in claim.at.settings.items() if name != other.vary}
        if rest != other.at.settings or claim.at.system != other.at.system:
            continue
        value = result.claims[claim.id].parameter_values.get(f"{claim.at.system}:{other.vary}", 0.0)
        beyond = value > result.claims[other.id].value
        limited = claim.at_least and limit and metric.strip() == claim.figure.strip()
        if beyond and (limited or not other.limit):
            return f"implied by {other.id}"
    return ""
