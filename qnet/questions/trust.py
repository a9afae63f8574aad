"""What the reader should know of figures that are less sure than the answer they stand in."""

from __future__ import annotations

from collections.abc import Iterable

from qnet.errors import QnetError
from qnet.expression import FLOATS, Expression
from qnet.expression.functions import percentile_share
from qnet.model.model import Model
from qnet.networks.exactness import Beyond
from qnet.networks.solution import RoutedSolution
from qnet.reports.report import Note
from qnet.units import format_quantity


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
    if solution.why and solution.reasons and solution.why != "asked for":
        notes.append(Note("QN607", f"method {solution.method}: {solution.why}"))
    return notes


def percentile_notes(model: Model, asked: Iterable[Expression]) -> list[Note]:
    """That percentiles are approximate, where an expression or an output that it names asks for one.

    With a warning where the network of the model, at its own numbers, is beyond what was measured as good.
    """
    waiting = list(asked)
    for expression in waiting:
        waiting += [model.outputs[name].expression for name in expression.names if name in model.outputs]
        if any(percentile_share(name) for name in expression.names):
            from qnet.networks.percentiles import REASON

            return [Note("QN609", REASON), *_beyond(model)]
    return []


def _beyond(model: Model) -> list[Note]:
    """A warning that percentiles are asked where they are not trusted."""
    from qnet.networks.percentile_trust import beyond
    from qnet.questions.points import unloaded

    try:
        network = unloaded(model)
    except QnetError:
        # Its own numbers are no network; others, which the question sets, are.
        return []
    found = beyond(network, FLOATS)
    return [Note("QN663", f"percentiles are not trusted where {'; '.join(found)}", "warning")] if found else []
