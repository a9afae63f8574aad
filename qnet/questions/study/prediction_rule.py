"""The rule for a prediction: a figure that the model was given, or that follows from one alone, predicts nothing.

A claim that is called predicted is counted as carried where its figure

- is within 3 % of a number that it was given and rests on, or of its null: it restates that number;
- is proportional to one number that it was given, and rests on nothing else;
- is at its point another figure, fitted or predicted, times or over what was given, or that figure plus or minus
  given numbers, or follows from it by Little's law; or moves with given numbers as another prediction does, so
  that only fitted values stand between the two;
- is a bound that another prediction implies;
- is a product of powers of given numbers, none of which is a path length that another workload was measured to have.

Two figures are at one point where all settings that either rests on are the same. How a figure moves with a word is not
known: two words count as the same where the figures themselves and all their elasticities agree.

A mechanism is queueing, contention, a cache, or a path length moved to another condition. The last of these is the
weakest: how much longer a path is under LPAR is measured on one workload (the empty system call), and another one is
predicted to grow by the same factor. Such a figure is a number given for its workload times the ratio of two
others, all of one dimension. It can be false, so that it counts; but nothing of a network stands in it, and
`path_length` marks these figures, so that they can be left out of the count.

All of it is computed by moving each number by one part in a hundred, without judgement on single claims.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isclose, isfinite
from typing import Any

from qnet.questions.study.influences import INFLUENCE, STEP, Influence, Influences, Key
from qnet.questions.study.printed import printed
from qnet.questions.study.study import Claim, Study

NEAR = 0.03
"""How far a prediction must be from every number that it was given."""
_EVERY = 0.05
"""How near an elasticity is to an integer, or to that of another figure, to count as it."""
_TENTH = 0.1
"""The elasticity from which on a figure may restate a number: those that hardly move it are near it by chance. How near
to integers the elasticities of a product are; what is left is a small additional term."""
_SINGLE = 0.03
"""The elasticity from which on a figure is not proportional to another number alone."""
_SAME = 1e-6
"""How closely two figures agree that are the same one computed twice, and the elasticities of a product with integers:
those of other figures are near to integers by chance."""


def carried(study: Study, result: Influences, nulls: dict[str, float]) -> dict[str, str]:
    """Why claims that are called predictions are none, by id.

    nulls   the values of nulls, by the id of the claim.
    """
    asked = [claim for claim in study.claims if claim.counted and claim.id in result.claims]
    others = list(result.claims.values())
    rules: tuple[Callable[[Influence], str], ...] = (
        lambda item: _restated(item, result, nulls.get(item.claim.id), study),
        lambda item: _proportional(item, result),
        lambda item: _repeated(item, others, result),
        lambda item: _implied(item.claim, asked, result),
        lambda item: _multiplied(item, result),
    )
    reasons: dict[str, str] = {}
    for claim in asked:
        reason = next((reported for rule in rules if (reported := rule(result.claims[claim.id]))), "")
        if reason:
            reasons[claim.id] = reason
    return reasons


def _restated(item: Influence, result: Influences, null: float | None, study: Study) -> str:
    """A figure within 3 % of its null, or of a number of its dimension that it rests on."""
    figure = study.printed.get(item.claim.id)
    if null is not None and figure and _near(item.value, null):
        return f"within 3 % of {item.claim.null}"
    if figure is None:
        texts = [text for text in (item.claim.at_least, item.claim.at_most) if text]
        figure = printed(texts[0]) if texts else None
    for key in item.by_input:
        given = result.inputs.get(key)
        if (
            given
            and figure
            and given.dimension == figure.dimension
            and item.rests_on(key, _TENTH)
            and _near(item.value, key[1])
        ):
            return f"within 3 % of {key[0]}, which it is given"
    return ""


def _near(value: float, given: float) -> bool:
    return bool(given) and abs(value / given - 1) < NEAR


def _proportional(item: Influence, result: Influences) -> str:
    """A figure that is a constant, or proportional to one number that was given and to nothing else."""
    rests = [key for key, slope in item.by_input.items() if not isfinite(slope) or abs(slope) >= _SINGLE]
    if not rests:
        return "a constant: it rests on nothing that was given"
    if len(rests) == 1 and abs(abs(item.by_input[rests[0]]) - 1) <= _SINGLE:
        return f"proportional to {rests[0][0]} and to nothing else"
    return ""


def _multiplied(item: Influence, result: Influences) -> str:
    """A figure that is a product of given numbers, without a path length that was measured on another workload."""
    product = any(item.rests_on(key) for key in item.by_input) and _product(item.by_input, _SAME)
    return "a product of given numbers alone" if product and not path_length(item, result) else ""


def path_length(item: Influence, result: Influences) -> bool:
    """Whether a figure is a number given for it, times the ratio of two others, all of its dimension."""
    if item.dimension is None or not _product(item.by_input, _SAME):
        return False
    rests = {key: round(slope) for key, slope in item.by_input.items() if item.rests_on(key)}
    same = all((given := result.inputs.get(key)) and given.dimension == item.dimension for key in rests)
    return same and sorted(rests.values()) == [-1, 1, 1]


def _repeated(item: Influence, others: Sequence[Influence], result: Influences) -> str:
    """A figure that follows from another one at its point."""
    for other in others:
        if item.claim.id in (other.claim.id, other.claim.counts_with) or not _same_point(item, other):
            continue
        fitted = other.claim.role == "fitted"
        first = fitted or other.claim.position < item.claim.position
        if first and _power_product(item, other):
            return f"{other.claim.id} times or over what was given"
        if fitted and _follows(item, other):
            return f"in proportion to {other.claim.id}, which is fitted"
        if first and _little(item, other):
            return f"{other.claim.id} by Little's law"
        if other.claim.counts_with:
            continue
        if _sum(item, other, result):
            return f"{other.claim.id} and what was given"
        if first and not fitted and _parallel(item, other, others):
            return f"{other.claim.id} and fitted values alone"
    return ""


def _same_point(item: Influence, other: Influence) -> bool:
    """Whether two figures are of one system, with the same settings but for those that neither rests on."""
    if item.claim.at.system != other.claim.at.system or item.claim.base or other.claim.base:
        return False
    names = {*item.claim.at.settings, *other.claim.at.settings}
    return all(_identical(item, other, name) for name in names)


def _identical(item: Influence, other: Influence, name: str) -> bool:
    key = f"{item.claim.at.system}:{name}"
    if key in item.here and item.here[key] == other.here.get(key):
        return True
    slopes = [_slope(each, name) for each in (item, other) if name != each.claim.vary]
    return all(slope < INFLUENCE for slope in slopes) or (not all(map(isfinite, slopes)) and _same_figure(item, other))


def _same_figure(item: Influence, other: Influence) -> bool:
    """Whether two figures are the same, and have the same elasticities by all that was given."""
    same = item.dimension == other.dimension and isclose(item.value, other.value, rel_tol=_SAME)
    return same and all(abs(slope) < INFLUENCE for slope in _difference(item.by_input, other.by_input, 1, 1).values())


def _slope(item: Influence, name: str) -> float:
    """How much a figure rests on a parameter; infinitely, where that is not known."""
    result = [abs(slope) for (each, _), slope in item.by_parameter.items() if each == name]
    return result[0] if result and isfinite(result[0]) else float("inf")


def _power_product(item: Influence, other: Influence) -> bool:
    """Whether a figure over another one, or times it, is a product of given numbers, and of fewer than by itself."""
    most = sum(not abs(slope) <= _EVERY for slope in item.by_input.values())
    if not _product(item.by_input):
        most = 1_000_000
    for sign in (1, -1):
        rests = _difference(item.by_input, other.by_input, 1.0, float(sign))
        if _product(rests) and sum(abs(slope) > _EVERY for slope in rests.values()) < most:
            return True
    return False


def _product(slopes: dict[Key, float], within: float = _TENTH) -> bool:
    """Whether something is a product of powers of what it rests on, with integer exponents."""
    return all(isfinite(slope) and abs(slope - round(slope)) <= within for slope in slopes.values())


def _follows(item: Influence, other: Influence) -> bool:
    """Whether a fitted parameter moves a figure as it moves the one that it was fitted on."""
    slopes = [
        next((slope for (name, _), slope in each.by_parameter.items() if name == other.claim.sets), 0.0)
        for each in (item, other)
    ]
    return abs(slopes[1]) >= _SINGLE and abs(abs(slopes[0]) - abs(slopes[1])) <= _EVERY * abs(slopes[1])


def _sum(item: Influence, other: Influence, result: Influences) -> bool:
    """Whether a figure is another one plus or minus given numbers."""
    rest = item.value - other.value
    if item.dimension != other.dimension or not 0 < rest < item.value:
        return False
    terms: dict[Key, float] = {}
    for key in {**item.by_input, **other.by_input}:
        given = result.inputs.get(key)
        step = given.step if given else STEP
        moved = (each.value * step ** each.by_input.get(key, 0.0) for each in (item, other))
        term = (next(moved) - next(moved) - rest) / (step - 1)
        if abs(term) <= _EVERY * rest:
            continue
        if not given or given.dimension != item.dimension or abs(abs(term) - abs(key[1])) > _EVERY * abs(key[1]):
            return False
        terms[key] = term
    return bool(terms) and abs(sum(terms.values()) - rest) <= _EVERY * rest


def _little(item: Influence, other: Influence) -> bool:
    """Whether a figure is a constant number of customers over another one, less a time that was given.

    With N of them, a pause Z and a rate X, the time W is N / X - Z. So W and X move against each other in proportion to
    W + Z and W, but with Z itself, and N is the value of a parameter.
    """
    for key, given in item.by_parameter.items():
        cycle = item.value + key[1]
        if not isfinite(given) or abs(given) < INFLUENCE:
            continue
        terms = _difference(item.by_parameter, other.by_parameter, item.value / cycle, -1.0)
        follows = abs(terms.pop(key) + key[1] / cycle) < INFLUENCE
        if follows and all(abs(term) < INFLUENCE for term in terms.values()):
            return any(isclose(cycle * other.value, number, rel_tol=_SAME) for number in item.here.values())
    return False


def _parallel(item: Influence, other: Influence, others: Sequence[Influence]) -> bool:
    """Whether two figures move in the same proportion with all that was given."""
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


def _difference(first: dict[Key, float], second: dict[Key, float], by: float, times: float) -> dict[Key, float]:
    """`by` times the first less `times` the second; what is not finite is left infinite."""
    result: dict[Key, float] = {}
    for key in {**first, **second}:
        slope = by * first.get(key, 0.0) - times * second.get(key, 0.0)
        result[key] = slope if isfinite(slope) else float("inf")
    return result


def _implied(claim: Claim, asked: Sequence[Claim], result: Influences) -> str:
    """A bound at a value of a parameter that is beyond the largest one at which another prediction has the limit, or a
    steady state."""
    if claim.stated or not claim.figure:
        return ""
    for other in asked:
        if not other.vary or other.smallest or other.figure or other.vary not in claim.at.settings:
            continue
        metric, _, limit = other.limit.partition("<=")
        same: Any = {name: text for name, text in claim.at.settings.items() if name != other.vary}
        if same != other.at.settings or claim.at.system != other.at.system:
            continue
        beyond = (
            result.claims[claim.id].here.get(f"{claim.at.system}:{other.vary}", 0.0) > result.claims[other.id].value
        )
        limited = claim.at_least and limit and metric.strip() == claim.figure.strip()
        if beyond and (limited or not other.limit):
            return f"implied by {other.id}"
    return ""
