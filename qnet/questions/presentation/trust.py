"""What the reader should know of figures that are less sure than the answer they stand in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from qnet.expression import Expression, Value
from qnet.lazy import lazy, np
from qnet.model.model import Model
from qnet.networks.exactness import Beyond
from qnet.networks.solution import RoutedSolution
from qnet.questions.points.points import Part
from qnet.questions.presentation.labels import asks_percentile, network_of, percentiles_exact
from qnet.reports.content import Note
from qnet.units import format_quantity

if TYPE_CHECKING:
    from qnet.networks import percentile_trust, percentiles
else:
    percentile_trust = lazy("qnet.networks.percentile_trust")
    percentiles = lazy("qnet.networks.percentiles")


def approximate_notes(reasons: Iterable[str], what: str = "the answer is") -> list[Note]:
    """Why something is approximate, with warnings of what is beyond its measured region; nothing without a reason."""
    found = list(dict.fromkeys(reasons))
    if not found:
        return []
    warned: dict[str, list[str]] = {}
    for reason in found:
        if isinstance(reason, Beyond):
            warned.setdefault(reason.code, []).append(reason.warning)
    warnings = [Note(code, "; ".join(texts), "warning") for code, texts in warned.items()]
    return [Note("QN601", f"{what} approximate: {'; '.join(found)}"), *warnings]


def trust_notes(solution: RoutedSolution) -> list[Note]:
    """What limits the trust in an answer: why it is approximate, what encloses the exact one, and its method."""
    notes = approximate_notes(solution.reasons)
    bounded = [item for item in solution.classes if item.enclosed and solution.branches]
    for item in bounded:
        lower, upper = (format_quantity(float(value), "s") for value in (item.enclosed or ())[2:])
        text = f"the exact response of {item.name} lies between {lower} and {upper}, bounds for its parallel steps"
        notes.append(Note("QN679", text))
    idle = [item.name for item in solution.classes if item.population is not None and not item.population > 0]
    if idle:
        text = f"{', '.join(idle)}: without customers, the response is that of the demands alone, without any wait"
        notes.append(Note("QN702", text))
    if solution.why and solution.reasons and solution.why != "asked for":
        notes.append(Note("QN607", f"method {solution.method}: {solution.why}"))
    return notes


def percentile_notes(model: Model, asked: Iterable[Expression], parts: Iterable[Part]) -> list[Note]:
    """That percentiles are approximate, where an expression or an output that it names asks for one.

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
        found = {reason: where & steady for reason, where in percentile_trust.beyond(network, operations).items()}
        points += _count(steady, part)
        sure += _count(percentiles_exact(part) & steady, part)
        outside += _count(_any(found.values()), part)
        reasons |= dict.fromkeys(reason for reason, where in found.items() if _count(where, part))
    if sure == points:
        return []
    notes = [Note("QN609", percentiles.REASON)]
    if reasons:
        at = f" at {outside} of {points} points," if outside < points else ""
        notes.append(Note("QN663", f"percentiles are not trusted{at} where {'; '.join(reasons)}", "warning"))
    return notes


def _any(found: Iterable[Value]) -> Value:
    """Where any of some causes is one."""
    result: Value = False
    for where in found:
        result = result | where
    return result


def _count(where: Value, part: Part) -> int:
    """At how many points of a part something is so."""
    if part.points is None:
        return int(bool(where))

    return int(np.broadcast_to(where, (len(part.points),)).sum())
