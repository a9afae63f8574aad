"""Columns for the parameters, metrics and outputs of a model, and warnings of parameters without any effect."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from qnet.expression import Expression
from qnet.lazy import lazy, np
from qnet.model.model import Model
from qnet.model.scope import counted, rests_on
from qnet.reports.content import Cell, Column, Note
from qnet.units import UnitError, base_unit, column_suffix, in_unit, unit, unit_text

if TYPE_CHECKING:
    from qnet.model import bind
    from qnet.model.metrics import Metric
else:
    bind = lazy("qnet.model.bind")

CODE = "QN701"


def without_effect(model: Model, names: Iterable[str], shown: Iterable[Expression] = ()) -> list[str]:
    """The parameters among `names` on which neither the network nor any reported figure depends.

    model   the model that has them; unknown names are ignored.
    names   parameters that were set, varied or asked about.
    shown   the expressions over parameters, outputs and figures that the answer reports.
    """
    known = [name for name in dict.fromkeys(names) if name in model.parameters]
    if not known:
        return []
    used = rests_on(model, [*bind.expressions(model), *shown])
    return [name for name in known if name not in used]


def effect_notes(model: Model, names: Iterable[str], shown: Iterable[Expression] = ()) -> list[Note]:
    """A warning of the parameters without effect; none where all have one.

    model, names, shown   as for `without_effect`.
    """
    idle = without_effect(model, names, shown)
    if not idle:
        return []
    text = ", ".join(f'"{name}"' for name in idle)
    return [Note(CODE, f"no reported figure depends on {text}: no effect", "warning")]


class ColumnMaker:
    """Makes columns whose names, with and without units, differ from each other and from the names in `taken`."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)

    def column(self, name: str, kind: str, title: str, unit: str = "") -> Column:
        """A column called `name`, or `KIND_NAME` where that is taken."""
        while self.taken & {name, name + column_suffix(unit)}:
            name = f"{kind}_{name}"
        self.taken |= {name, name + column_suffix(unit)}
        return Column(name, title, unit)

    def parameter(self, model: Model, name: str) -> Column:
        """The column of a parameter, in base units, or of the words of a choice."""
        return self.column(name, "parameter", name.replace("_", " "), parameter_unit(model, name))

    def metric(self, asked: Metric) -> Column:
        """The column of a metric, in its display unit."""
        return self.column(asked.key, "metric", asked.title, asked.unit)

    def end(self, asked: Metric, word: str) -> Column:
        """The column of the `low` or the `high` end of the interval of a metric."""
        return self.column(f"{asked.key}_{word}", "metric", f"{asked.title} {word}", asked.unit)


def parameter_unit(model: Model, name: str) -> str:
    """The base unit of the parameter `name` of a model; empty for plain numbers and choices."""
    parameter = model.parameters[name]
    return "" if parameter.options else base_unit(parameter.dimension)


def declared_unit(model: Model, name: str) -> str:
    """The unit in which a model states the parameter `name`: its `unit`, that of its value, or the base unit."""
    parameter = model.parameters[name]
    if parameter.options:
        return ""
    shown = parameter.unit or unit_text(parameter.expression.source)
    try:
        return shown if shown and unit(shown).dimension == parameter.dimension else base_unit(parameter.dimension)
    except UnitError:
        return base_unit(parameter.dimension)


def parameter_cells(model: Model, name: str, values: Iterable[float | None]) -> list[Cell]:
    """The values of a parameter as cells: numbers in base units, integers of counts, or the words of a choice.

    model, name   the model, and the name of its parameter.
    values        numbers in base units, or indices of the words of a choice; None remains None. A count is a float in
                  all cells if any of them is not an integer.
    """
    options, cells = model.parameters[name].options, list(values)
    if options:
        return [None if value is None else options[int(value)] for value in cells]
    if name in counted(model) and all(value is None or float(value).is_integer() for value in cells):
        return [None if value is None else int(value) for value in cells]
    return [None if value is None else float(value) for value in cells]


def metric_cells(asked: Metric, values: Any) -> list[Cell]:
    """The array `values` of the metric `asked`, in base units, as cells in its unit; None for values not finite."""
    with np.errstate(over="ignore"):
        shown: Any = in_unit(values, asked.unit)
    both = zip(shown.tolist(), values.tolist(), strict=True)
    return [cell if abs(value) < float("inf") else None for cell, value in both]
