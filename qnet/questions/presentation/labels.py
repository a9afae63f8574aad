"""Whether figures are exact or approximate: the one place that decides it, for every command.

A figure is exact where the solution that it is read from is exact and, if it rests on a percentile of response, that
percentile is exact as well; a saturation throughput, where the method of the solution computes it. A row has the label
of its figures; an answer that of the weakest figure that it shows or that is asserted of it, and says so where its
means alone are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from qnet.expression import FLOATS, Expression, Operations, Value, arrays, evaluate
from qnet.expression.names import MAX_THROUGHPUT, percentile_share
from qnet.lazy import lazy, np
from qnet.model.bind import bind
from qnet.model.model import Model, StepModel
from qnet.networks.exactness import STATES
from qnet.networks.reasons import approximate_notes, idle_notes, method_notes
from qnet.networks.routed import Hold, RoutedNetwork
from qnet.networks.solution import RoutedSolution
from qnet.questions.points.expression_values import undefined_problems
from qnet.questions.points.points import Part, Solved
from qnet.reports.content import Note
from qnet.units import format_quantity

if TYPE_CHECKING:
    from qnet.networks import exactness, streams
    from qnet.networks.percentiles import responses as percentiles
    from qnet.networks.percentiles import trust as percentile_trust
    from qnet.questions.points.answers import Answers
else:
    exactness = lazy("qnet.networks.exactness")
    streams = lazy("qnet.networks.streams")
    percentile_trust = lazy("qnet.networks.percentiles.trust")
    percentiles = lazy("qnet.networks.percentiles.responses")


EXACT, APPROXIMATE = "exact", "approximate"


def label(exact: bool) -> str:
    """The word for an exact figure, or for one that is not."""
    return EXACT if exact else APPROXIMATE


def all_exact(model: Model, figures: Iterable[Expression], parts: Iterable[Part]) -> bool:
    """Whether some figures are exact at all points that have a steady state.

    model     whose outputs the figures may name.
    figures   expressions over parameters, outputs and figures of the solution; none: the means of the solution.
    parts     what was solved.
    """
    asked = tuple(figures)
    return all(_everywhere(where_exact(model, asked, part), part) for part in parts)


def means_exact(model: Model, figures: Iterable[Expression], parts: Sequence[Part]) -> bool:
    """Whether the means of a solution are exact although one of some figures, a percentile, is not.

    Such an answer has two labels: it is as approximate as its weakest figure, but its means are not.

    model, figures, parts   as of `all_exact`.
    """
    asked = tuple(figures)
    return asks_percentile(model, asked) and all_exact(model, (), parts) and not all_exact(model, asked, parts)


def means_beside(model: Model, figures: Sequence[Expression], parts: Sequence[Part]) -> bool:
    """Whether exact means stand next to percentiles that are not exact, among some figures of a report.

    model, parts  what was asked, and the parts of its solution.
    figures       the expressions of the columns and limits of the report.
    """
    return means_exact(model, figures, parts) and not all(asks_percentile(model, [item]) for item in figures)


def where_exact(model: Model, figures: Sequence[Expression], part: Part) -> Value:
    """Where all of some figures are exact, as `all_exact`, at the points of one part of a solution.

    model    the one with the outputs that `figures`, expressions, may name.
    Returns  a truth value, or an array of one for each point.
    """
    sure = part.solution.exact or _exact_points(part)
    if part.solution.method == STATES and _asks(model, figures, lambda name: name == MAX_THROUGHPUT):
        sure = sure and not _waits_inside(bind(model, part.values))
    return sure & percentiles_exact(part) if asks_percentile(model, figures) else sure


def _waits_inside(network: RoutedNetwork) -> bool:
    """Whether some stations are held while others are waited for: the chain of states of one load does not say at which
    load they are full, which an approximation does."""
    steps = [step for item in network.classes for route in item.routes for step in route.steps]
    return any(isinstance(inner, Hold) for step in steps if isinstance(step, Hold) for inner in step.steps)


def _exact_points(part: Part) -> Value:
    """Where the means of a batch are exact that is not exact throughout: open classes at points with product form.

    A method for open classes alone gives the closed form where theory has one, also in a batch of which other points
    have none; approximations for closed classes do not.
    """
    network, _ = network_of(part)
    if network is None or network.size is None or network.closed or part.solution.method != "qna":
        return False

    points = [network.point(number) for number in range(network.size)]
    return np.array([not exactness.reasons_for(point, streams.streams(point, FLOATS), FLOATS) for point in points])


def labels(answers: Answers, figures: Sequence[Expression]) -> list[str | None]:
    """The label, exact or approximate, of some figures at every row of a table; None at rows without an answer.

    answers   the model solved at every row.
    figures   expressions; one that is approximate makes the row approximate.
    """

    def words(part: Part) -> object:
        sure = np.broadcast_to(where_exact(answers.model, figures, part), (part.values.size or 1,))
        return np.where(sure, EXACT, APPROXIMATE).astype(object)

    return answers.gather(words, nothing=None).tolist()


def asks_percentile(model: Model, asked: Iterable[Expression]) -> bool:
    """Whether an expression, or an output of the model that it names, asks for a percentile of response.

    asked   expressions over parameters, outputs and figures.
    """
    return _asks(model, asked, lambda name: percentile_share(name, "response") is not None)


def _asks(model: Model, asked: Iterable[Expression], wanted: Callable[[str], bool]) -> bool:
    """Whether an expression, or an output of the model that it names, asks for a figure with some name."""
    waiting = list(asked)
    for expression in waiting:
        waiting += [model.outputs[name].expression for name in expression.names if name in model.outputs]
    return any(wanted(name) for expression in waiting for name in expression.names)


def percentiles_exact(part: Part) -> Value:
    """Where percentiles of response are exact: a truth value, or an array of one for each point of a part."""

    network, operations = network_of(part)
    return network is not None and percentile_trust.exact(network, operations)


def network_of(part: Part) -> tuple[RoutedNetwork | None, Operations]:
    """The network of a part, None where the method knows no percentiles of it; and the operations of its numbers."""
    passages = part.solution.passages
    return (passages.network if passages else None), FLOATS if part.points is None else arrays()


def _everywhere(sure: Value, part: Part) -> bool:
    """Whether a condition holds at all points of a part that have a steady state."""
    if isinstance(sure, bool) and part.points is None:
        return sure

    return bool(np.all(sure | ~np.asarray(part.solution.stable, dtype=bool)))


def trust_notes(solution: RoutedSolution) -> list[Note]:
    """What limits the trust in a solution: why it is approximate, what encloses the exact one, and its method."""
    notes = approximate_notes(solution.reasons)
    bounded = [item for item in solution.classes if item.enclosed and solution.branches]
    for item in bounded:
        lower, upper = (format_quantity(float(value), "s") for value in (item.enclosed or ())[2:])
        text = f"the exact response of {item.name} lies between {lower} and {upper}, bounds for its parallel steps"
        notes.append(Note("QN679", text))
    idle = [item.name for item in solution.classes if item.population is not None and not item.population > 0]
    return [*notes, *idle_notes(idle), *method_notes(solution.method, solution.why, bool(solution.reasons))]


def percentile_notes(model: Model, asked: Iterable[Expression], parts: Iterable[Part]) -> list[Note]:
    """That percentiles are approximate, where an expression or an output of the model that it names asks for one.

    asked     expressions over parameters, outputs and figures.
    parts     what was solved; the networks of the points with a steady state are judged.
    Returns   nothing where no percentile is asked for, or all are exact; with a warning where the network of any point
              is beyond what was measured as good, and of how many it is.
    """
    if not asks_percentile(model, asked):
        return []

    points = sure = outside = 0
    reasons: dict[str, None] = {}
    for part in parts:
        network, operations = network_of(part)
        if network is None:
            continue
        steady = part.solution.stable
        result = {reason: where & steady for reason, where in percentile_trust.beyond(network, operations).items()}
        points += _count(steady, part)
        sure += _count(percentiles_exact(part) & steady, part)
        outside += _count(_any(result.values()), part)
        reasons |= dict.fromkeys(str(reason) for reason, where in result.items() if _count(where, part))
    if sure == points:
        return []
    notes = [Note("QN609", percentiles.REASON, brief="percentiles take the times at stations as independent")]
    if reasons:
        at = f" at {outside} of {points} points," if outside < points else ""
        text, first, more = f"percentiles are not trusted{at} where", next(iter(reasons)), len(reasons) - 1
        brief = f"{text} {first}; {more} more with --json" if more else ""
        notes.append(Note("QN663", f"{text} {'; '.join(reasons)}", "warning", brief=brief))
    return notes


def undefined_notes(every: Iterable[Solved], asked: Iterable[Expression]) -> list[Note]:
    """That figures have no value although there is a steady state, each with the expression and the values there.

    every   the model solved at points or batches.
    asked   expressions over parameters, outputs and figures.
    """
    return [Note(item.code, item.found, "warning") for item in undefined_problems(every, asked)]


def _any(results: Iterable[Value]) -> Value:
    """Where any of some causes is one."""
    result: Value = False
    for where in results:
        result = result | where
    return result


def _count(where: Value, part: Part) -> int:
    """At how many points of a part a condition holds."""
    if part.points is None:
        return int(bool(where))

    return int(np.broadcast_to(where, (len(part.points),)).sum())


def pool_notes(model: Model) -> list[Note]:
    """Which stations of a model are held around delays only, as pools of connections around calls are."""
    around: dict[str, bool] = {}
    waiting = [step for item in model.classes for route in item.routes for step in route.steps]
    while waiting:
        step = waiting.pop()
        waiting += step.inner
        if step.station:
            delays = bool(step.steps) and all(_is_delay(inner) for inner in step.steps)
            around[step.station] = around.get(step.station, True) and delays
    names = [item.name for item in model.stations if around.get(item.name)]
    if not names:
        return []
    text = "is held around delays only: it is solved as a station" if len(names) == 1 else (
        "are held around delays only: they are solved as stations"
    )  # fmt: skip
    return [Note("QN752", f"{' and '.join(names)} {text} with as many servers")]


def fitted_notes(model: Model) -> list[Note]:
    """Mean and scv of the times of a model that were fitted to percentiles, each once."""
    result: dict[str, None] = {}
    waiting = [step for item in model.classes for route in item.routes for step in route.steps]
    while waiting:
        step = waiting.pop(0)
        waiting += step.inner
        if step.fitted and step.time is not None and step.scv is not None:
            mean, scv = evaluate(step.time.root, {}), evaluate(step.scv.root, {})
            shown = f"mean {format_quantity(float(mean), 's')}, scv {float(scv):.4g}"
            result[f"the lognormal time with {step.fitted} has the {shown}"] = None
    return [Note("QN650", text) for text in result]


def _is_delay(step: StepModel) -> bool:
    return not step.station and not step.branches and step.time_key == "delay" and step.phase == 1
