"""What the reader should know of figures that are less sure than the answer they stand in."""

from __future__ import annotations

from collections.abc import Iterable

from qnet.expression import Expression
from qnet.expression.functions import percentile_share
from qnet.model.model import Model
from qnet.reports.report import Note


def region_notes(reasons: Iterable[str]) -> list[Note]:
    """That an approximation is used beyond where it is trusted, by the stations concerned."""
    from qnet.networks.exactness import BEYOND

    names = [reason.partition(": ")[0] for reason in reasons if BEYOND in reason]
    if not names:
        return []
    text = f"the order of arrival at {', '.join(names)} is corrected {BEYOND}: ten per cent and more are possible"
    return [Note("QN638", text, "warning")]


def percentile_notes(model: Model, asked: Iterable[Expression]) -> list[Note]:
    """That percentiles are approximate, where an expression or an output that it names asks for one."""
    waiting = list(asked)
    for expression in waiting:
        waiting += [model.outputs[name].expression for name in expression.names if name in model.outputs]
        if any(percentile_share(name) for name in expression.names):
            from qnet.networks.percentiles import REASON

            return [Note("QN609", REASON)]
    return []
