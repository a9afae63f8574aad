"""Limits as lines of a plot: conditions on a figure that is drawn, at their bound."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from qnet.errors import QnetError
from qnet.expression.nodes import Name
from qnet.model.column_names import column_key
from qnet.model.conditions import Condition
from qnet.model.model import Model
from qnet.model.scope import rests_on
from qnet.model.values import Values
from qnet.reports.content import Column, Mark
from qnet.units import in_unit


def limit_marks(
    model: Model, limits: Iterable[Condition], columns: Sequence[Column], varied: Iterable[str] = ()
) -> tuple[Mark, ...]:
    """A mark for every condition on one of some columns that has a constant bound.

    model     the model, for the values of its parameters in the bounds.
    limits    conditions; those on an expression or on another column have no mark.
    columns   the columns that are drawn, with their units.
    varied    parameters that change along the plot: a bound that depends on them is not constant.
    """
    result: dict[Mark, None] = {}
    moving = set(varied)
    for item in limits:
        root = item.metric.root
        key = column_key(root.name) if isinstance(root, Name) else ""
        column = next((column for column in columns if column.key == key), None)
        if column is None or rests_on(model, [item.bound]).keys() & moving:
            continue
        try:
            bound = float(Values(model, {}, None).evaluate(item.bound, ()))
        except QnetError:
            continue
        result[Mark(key, in_unit(bound, column.unit), item.source)] = None
    return tuple(result)
