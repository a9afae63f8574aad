"""What the reader should know of figures that are less sure than the answer they stand in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from qnet.expression import Expression, Value, evaluate
from qnet.lazy import lazy, np
from qnet.model.model import Model, StepModel
from qnet.networks.notes import approximate_notes, idle_notes, method_notes
from qnet.networks.solution import RoutedSolution
from qnet.questions.points.expression_values import undefined_problems
from qnet.questions.points.points import Part, Solved
from qnet.questions.presentation.labels import asks_percentile, network_of, percentiles_exact
from qnet.reports.content import Note
from qnet.units import format_quantity

if TYPE_CHECKING:
    from qnet.networks.percentiles import responses as percentiles
    from qnet.networks.percentiles import trust as percentile_trust
else:
    percentile_trust = lazy("qnet.networks.percentiles.trust")
    percentiles = lazy("qnet.networks.percentiles.responses")


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
