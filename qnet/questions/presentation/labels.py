"""Whether figures are exact or approximate: decided here for every command.

A figure is exact where its solution is exact and, if it depends on a percentile of the response, that percentile is
exact as well; a saturation throughput is exact where the method of the solution computes it. A row has the label of its
figures, and an answer that of its weakest figure or assertion; where only its means are exact, the answer says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
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
    from qnet.networks import exact_points, exactness, measured_errors, streams
    from qnet.networks.percentiles import responses as percentiles
    from qnet.networks.percentiles import trust as percentile_trust
    from qnet.questions.points.answers import Answers
else:
    exact_points = lazy("qnet.networks.exact_points")
    exactness = lazy("qnet.networks.exactness")
    measured_errors = lazy("qnet.networks.measured_errors")
    streams = lazy("qnet.networks.streams")
    percentile_trust = lazy("qnet.networks.percentiles.trust")
    percentiles = lazy("qnet.networks.percentiles.responses")


EXACT, APPROXIMATE = "exact", "approximate"
_NOTABLE = 0.05
"""The share of the response from which an exponential delay is noted; a choice."""


def label(exact: bool) -> str:
    """The word for an exact figure, or for one that is not."""
    return EXACT if exact else APPROXIMATE


def method_list(methods: Iterable[str]) -> str:
    """The distinct names of methods, of which some are several already, as a list with commas."""
    return ", ".join(dict.fromkeys(name for method in methods for name in method.split(", ")))


def all_exact(model: Model, figures: Iterable[Expression], parts: Iterable[Part]) -> bool:
    """Whether some figures are exact at all points that have a steady state.

    model     the model whose outputs the figures may name.
    figures   expressions over parameters, outputs and figures of the solution; none: the means of the solution.
    parts     the parts of the solution.
    """
    asked = tuple(figures)
    return all(_everywhere(where_exact(model, asked, part), part) for part in parts)


def means_exact(model: Model, figures: Iterable[Expression], parts: Sequence[Part]) -> bool:
    """Whether the means of a solution are exact although one of some figures, a percentile, is not.

    Such an answer has two labels: one for its weakest figure, and one for its means.

    model, figures, parts   as for `all_exact`.
    """
    asked = tuple(figures)
    return asks_percentile(model, asked) and all_exact(model, (), parts) and not all_exact(model, asked, parts)


def means_beside(model: Model, figures: Sequence[Expression], parts: Sequence[Part]) -> bool:
    """Whether a report shows exact means next to percentiles that are not exact.

    model, parts  the model, and the parts of its solution.
    figures       the expressions of the columns and limits of the report.
    """
    return means_exact(model, figures, parts) and not all(asks_percentile(model, [item]) for item in figures)


def where_exact(model: Model, figures: Sequence[Expression], part: Part) -> Value:
    """Whether all of some figures are exact, as in `all_exact`, at each point of one part of a solution.

    model    the model whose outputs `figures`, expressions, may name.
    Returns  a truth value, or an array with one element per point.
    """
    exact = part.solution.exact or _exact_points(part)
    if part.solution.method == STATES and _asks(model, figures, lambda name: name == MAX_THROUGHPUT):
        exact = exact and not _waits_inside(bind(model, part.values))
    return exact & percentiles_exact(part) if asks_percentile(model, figures) else exact


def _waits_inside(network: RoutedNetwork) -> bool:
    """Whether stations are visited while others are held: the Markov chain at one load does not give the load at which
    these saturate, so that it is approximated."""
    steps = [step for item in network.classes for route in item.routes for step in route.steps]
    return any(isinstance(inner, Hold) for step in steps if isinstance(step, Hold) for inner in step.steps)


def _exact_points(part: Part) -> Value:
    """Whether each point of a batch that is not exact throughout is: open classes at points with product form.

    The method `qna` gives the closed form at points that have one, also in a batch with other points.
    """
    network, _ = network_of(part)
    if network is None or network.size is None or network.closed or part.solution.method not in ("qna", "open"):
        return False

    if part.solution.method == "open":
        reasons = exactness.reasons_for(network, streams.streams(network, arrays()), arrays())
        if not {*part.solution.reasons} <= {*reasons}:  # Such as losses, of which theory has no closed form anywhere.
            return False
    return exact_points.exact_points(network)


def labels(answers: Answers, figures: Sequence[Expression]) -> list[str | None]:
    """The label, exact or approximate, of some figures at every row of a table; None at rows without an answer.

    answers   the model solved at every row.
    figures   expressions; one that is approximate makes the row approximate.
    """

    def words(part: Part) -> object:
        exact = np.broadcast_to(where_exact(answers.model, figures, part), (part.values.size or 1,))
        return np.where(exact, EXACT, APPROXIMATE).astype(object)

    return answers.gather(words, nothing=None).tolist()


def asks_percentile(model: Model, asked: Iterable[Expression]) -> bool:
    """Whether an expression, or an output of the model that it names, asks for a percentile of response.

    asked   expressions over parameters, outputs and figures.
    """
    return _asks(model, asked, lambda name: percentile_share(name, "response") is not None)


def _asks(model: Model, asked: Iterable[Expression], wanted: Callable[[str], bool]) -> bool:
    """Whether an expression, or an output of the model that it names, asks for a figure with some name."""
    return any(wanted(name) for name in _names(model, asked))


def _names(model: Model, asked: Iterable[Expression]) -> Iterator[str]:
    """The names in some expressions, and in the outputs of the model that they name."""
    waiting = list(asked)
    for expression in waiting:
        waiting += [model.outputs[name].expression for name in expression.names if name in model.outputs]
        yield from expression.names


def percentiles_exact(part: Part) -> Value:
    """Whether percentiles of the response are exact: a truth value, or an array with one element per point."""
    network, operations = network_of(part)
    return network is not None and percentile_trust.exact(network, operations)


def network_of(part: Part) -> tuple[RoutedNetwork | None, Operations]:
    """The network of a part, None where its method gives no percentiles, and the operations on its numbers."""
    passages = part.solution.passages
    return (passages.network if passages else None), FLOATS if part.points is None else arrays()


def _everywhere(condition: Value, part: Part) -> bool:
    """Whether a condition holds at all points of a part that have a steady state."""
    if isinstance(condition, bool) and part.points is None:
        return condition
    return bool(np.all(condition | ~np.asarray(part.solution.stable, dtype=bool)))


def trust_notes(solution: RoutedSolution) -> list[Note]:
    """Notes on the accuracy of a solution: why it is approximate, bounds on the exact one, and its method."""
    notes = approximate_notes(solution.reasons, [solution.method])
    bounded = [item for item in solution.classes if item.enclosed and solution.branches]
    for item in bounded:
        lower, upper = (format_quantity(float(value), "s") for value in (item.enclosed or ())[2:])
        text = f"the exact response of {item.name} lies between {lower} and {upper}, bounds for its parallel steps"
        notes.append(Note("QN679", text))
    idle = [item.name for item in solution.classes if item.population is not None and not item.population > 0]
    return [*notes, *idle_notes(idle), *method_notes(solution.method, solution.why, bool(solution.reasons))]


def percentile_notes(model: Model, asked: Iterable[Expression], parts: Iterable[Part]) -> list[Note]:
    """Notes on approximate percentiles, where an expression or an output of the model that it names asks for one.

    asked     expressions over parameters, outputs and figures.
    parts     the parts of the solution, of which the points with a steady state are judged.
    Returns   nothing where no percentile is asked for or all are exact; a warning, with the number of points, where
              networks are outside the region in which errors were measured as small.
    """
    shares = {percentile_share(name, "response") for name in _names(model, asked)}
    known = [share for share in shares if share is not None]
    if not known:
        return []
    points = exact = outside = 0
    reasons: dict[str, None] = {}
    delayed: dict[str, None] = {}
    for part in parts:
        network, operations = network_of(part)
        if network is None:
            continue
        steady = part.solution.stable
        passages = part.solution.passages
        admitting = percentile_trust.admitting(passages) if passages else ()
        causes = percentile_trust.beyond(network, operations, known, admitting)
        result = {reason: where & steady for reason, where in causes.items()}
        points += _count(steady, part)
        exact += _count(percentiles_exact(part) & steady, part)
        delayed |= dict.fromkeys(_with_exponential_delay(model, part))
        outside += _count(_any(result.values()), part)
        reasons |= dict.fromkeys(str(reason) for reason, where in result.items() if _count(where, part))
    notes: list[Note] = []
    if delayed:
        text = f"percentiles take delays of {', '.join(delayed)} as exponential; state scv = 0 where they are constant"
        notes.append(Note("QN609", text))
    if exact == points:
        return notes
    notes = [*notes, Note("QN609", percentiles.REASON, brief="percentiles take the times at stations as independent")]
    if reasons:
        at = f" at {outside} of {points} points," if outside < points else ""
        text, first, more = f"percentiles are unreliable{at} where", next(iter(reasons)), len(reasons) - 1
        brief = f"{text} {first}; {more} more with --json" if more else ""
        notes.append(Note("QN663", f"{text} {'; '.join(reasons)}", "warning", brief=brief))
    else:
        notes.append(Note("QN741", f"measured errors: {measured_errors.errors_of_percentiles()}"))
    return notes


def _with_exponential_delay(model: Model, part: Part) -> list[str]:
    """The classes of which a notable share of the response is delay of steps that state no scv."""
    delays = {station.name for station in model.stations if station.delay}
    names = {**part.values.known, **part.figures}

    def value(expression: Expression) -> Value:
        if not all(name in names for name in expression.names):
            # An output of the model, which is a figure of the solution.
            return 0.0
        return evaluate(expression.root, names, part.values.operations, part.values.choices)

    def exponential(steps: Sequence[StepModel], inside: str = "") -> Iterator[Value]:
        """The mean times of such delays in phase 1."""
        for step in steps:
            if step.phase == 1 and step.time is None:
                yield from (value(step.visits) * time for time in exponential(step.inner, step.station))
            elif step.phase == 1 and step.time and not step.scv and (step.time_key == "delay" or inside in delays):
                yield value(step.visits) * value(step.time)

    notable: list[str] = []
    for item in model.classes:
        response = names.get(f"response('{item.name}')")
        if response is None or not _count(part.solution.stable, part):
            continue
        routes = [sum(exponential(route.steps)) for route in item.routes]
        if any(_count((delay > _NOTABLE * response) & part.solution.stable, part) for delay in routes):
            notable.append(item.name)
    return notable


def undefined_notes(every: Iterable[Solved], asked: Iterable[Expression]) -> list[Note]:
    """Warnings of figures without a value although there is a steady state.

    every   the model solved at points or batches.
    asked   expressions over parameters, outputs and figures.
    """
    return [Note(item.code, item.found, "warning") for item in undefined_problems(every, asked)]


def _any(results: Iterable[Value]) -> Value:
    """Whether any of some conditions holds, elementwise."""
    result: Value = False
    for where in results:
        result = result | where
    return result


def _count(where: Value, part: Part) -> int:
    """The number of points of a part at which a condition holds."""
    if part.points is None:
        return int(bool(where))
    return int(np.broadcast_to(where, (len(part.points),)).sum())


def pool_notes(model: Model) -> list[Note]:
    """A note on the stations of `model` that are held around delays only, such as pools around remote calls."""
    only_delays: dict[str, bool] = {}
    pending = [step for item in model.classes for route in item.routes for step in route.steps]
    while pending:
        step = pending.pop()
        pending += step.inner
        if step.station:
            delays = bool(step.steps) and all(_is_delay(inner) for inner in step.steps)
            only_delays[step.station] = only_delays.get(step.station, True) and delays
    names = [item.name for item in model.stations if only_delays.get(item.name)]
    if not names:
        return []
    text = "is held around delays only: it is solved as a station" if len(names) == 1 else (
        "are held around delays only: they are solved as stations"
    )  # fmt: skip
    return [Note("QN752", f"{' and '.join(names)} {text} with as many servers")]


def fitted_notes(model: Model) -> list[Note]:
    """Notes on the mean and scv of the times of a model that were fitted to percentiles, each once."""
    result: dict[str, None] = {}
    pending = [step for item in model.classes for route in item.routes for step in route.steps]
    while pending:
        step = pending.pop(0)
        pending += step.inner
        if step.fitted and step.time is not None and step.scv is not None:
            mean, scv = evaluate(step.time.root, {}), evaluate(step.scv.root, {})
            shown = f"mean {format_quantity(float(mean), 's')}, scv {float(scv):.4g}"
            result[f"the lognormal time with {step.fitted} has the {shown}"] = None
    return [Note("QN650", text) for text in result]


def _is_delay(step: StepModel) -> bool:
    return not step.station and not step.branches and step.time_key == "delay" and step.phase == 1
