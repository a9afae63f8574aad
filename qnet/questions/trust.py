"""What the reader should know of figures that are less sure than the answer they stand in."""

from __future__ import annotations

from collections.abc import Iterable

from qnet.expression import Expression
from qnet.expression.functions import percentile_share
from qnet.model.model import Model
from qnet.reports.report import Note


def percentile_notes(model: Model, asked: Iterable[Expression]) -> list[Note]:
    """That percentiles are approximate, where an expression or an output that it names asks for one."""
    waiting = list(asked)
    for expression in waiting:
        waiting += [model.outputs[name].expression for name in expression.names if name in model.outputs]
        if any(percentile_share(name) for name in expression.names):
            from qnet.networks.percentiles import REASON

            return [Note("QN609", REASON)]
    return []
