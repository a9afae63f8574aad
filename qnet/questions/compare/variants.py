"""The sides of a comparison that settings with several values state: `workers = 6, 8 & connections = 3, 4`."""

from __future__ import annotations

import re

from qnet.errors import Problem, UsageError
from qnet.model.grids import PAIR, grid
from qnet.model.model import Model
from qnet.questions.presentation.columns import parameter_cells, parameter_unit
from qnet.reports.content import Cell
from qnet.units import format_quantity, quantity

_SEVERAL = re.compile(r"[,:]|^\s*log\s*\(")
_NESTED = re.compile(r"\([^()]*\)|'[^']*'")


def variants(text: str, model: Model) -> list[list[str]]:
    """Settings such as `users=250 & memory=128 MiB`, once for each of the values of those that have several.

    text     `NAME=VALUES` joined by `&`. Values are a grid, as in sweeps: `6, 8`, `6:8`. Those of several parameters
             vary together; a parameter with one value has it on every side.
    model    the one whose parameters are set.
    Returns  for each side of the comparison its settings, `NAME=VALUE`.
    Raises   `UsageError` QN014 where the numbers of values differ, and as `grid`.
    """
    parts = [part.strip() for part in text.split(PAIR)]
    values = [_values(part, model) for part in parts]
    counts = {len(each) for each in values if len(each) > 1}
    if len(counts) > 1:
        listed = " and ".join(f'"{part.partition("=")[0].strip()}" has {len(each)}'
                              for part, each in zip(parts, values, strict=True) if len(each) > 1)  # fmt: skip
        raise UsageError(Problem("QN014", f"the values are paired: {listed}", "as many values each, or one"))
    sides = max(counts, default=1)
    return [[each[index if len(each) > 1 else 0] for each in values] for index in range(sides)]


def _values(part: str, model: Model) -> list[str]:
    """The settings of one parameter, one for each of its values."""
    name, _, value = part.partition("=")
    plain = value
    while (shorter := _NESTED.sub("", plain)) != plain and not value.strip().startswith("log"):
        plain = shorter
    if not _SEVERAL.search(plain) or name.strip() not in model.parameters:
        return [part]
    key = name.strip()
    unit = parameter_unit(model, key)
    cells = parameter_cells(model, key, grid(part, model).values)
    return [f"{key}={_text(cell, unit)}" for cell in cells]


def _text(cell: Cell, unit: str) -> str:
    """A value as people write it, such as `8 ms`, where that is the same number; else with all its digits."""
    if not isinstance(cell, float | int):
        return str(cell)
    full = f"{cell!r} {unit}".rstrip()
    short = format_quantity(cell, unit)
    return short if quantity(short) == quantity(full) else full
