"""Whether what somebody changes or asks about has any effect on what is told."""

from __future__ import annotations

from collections.abc import Iterable

from qnet.expression import Expression
from qnet.model.model import Model
from qnet.reports.report import Note

CODE = "QN701"


def without_effect(model: Model, names: Iterable[str], shown: Iterable[Expression] = ()) -> list[str]:
    """The parameters, of some, that neither the network nor anything that is shown rests on.

    names   parameters that were set, varied or asked about.
    shown   expressions over parameters, outputs and figures that the answer tells.
    """
    asked = [name for name in dict.fromkeys(names) if name in model.parameters]
    if not asked:
        return []
    from qnet.model.bind import expressions
    from qnet.questions.points.inputs import closure

    rests = closure(model, [*expressions(model), *shown])
    return [name for name in asked if name not in rests]


def effect_notes(model: Model, names: Iterable[str], shown: Iterable[Expression] = ()) -> list[Note]:
    """A warning of the parameters without effect, as `without_effect` finds them; nothing where there are none."""
    idle = without_effect(model, names, shown)
    if not idle:
        return []
    told = ", ".join(f'"{name}"' for name in idle)
    return [Note(CODE, f"nothing that is told rests on {told}: no effect", "warning")]
