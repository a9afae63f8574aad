"""A comparison as people read it: one table with a column for every side, and the change from the first."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.record import Record
from qnet.reports.cells import common_scale
from qnet.reports.content import Cell, Column, Content

_GROUP, _TEXT = Column("group", "group"), Column("text", "text")


class MetricLine(Record):
    """One metric: its values by side, in its unit."""

    metric: str
    unit: str
    values: tuple[float | None, ...]
    changes: tuple[float | None, ...]
    """By side after the first: in per cent of the first."""
    ends: tuple[tuple[Cell, ...], ...] = ()
    """By side after the first, of calibrated models: low and high of the first, of the side, of the difference."""


def side_by_side(labels: Sequence[str], lines: Sequence[MetricLine]) -> Content:
    """The table of a comparison: metric, unit, a column for every side, the changes, and intervals where known.

    labels   `A: interactive-users`, `B: ...` of every side.
    lines    the metrics; each is shown in the unit that suits its largest value.
    """
    letters = [label.partition(":")[0] for label in labels]
    columns = [_GROUP, _TEXT, Column("metric", "metric"), Column("unit", "unit")]
    columns += [Column(letter, letter) for letter in letters]
    changed = ["change (%)"] if len(letters) == 2 else [f"change {letter} (%)" for letter in letters[1:]]
    columns += [Column(f"change_{title}", title) for title in changed]
    known = any(line.ends for line in lines)
    if known:
        titles = [f"{letter} {end}" for letter in letters for end in ("low", "high")]
        titles += [f"{letter} - {letters[0]} {end}" for letter in letters[1:] for end in ("low", "high")]
        columns += [Column(title, title) for title in titles]
    blank = (None,) * (len(columns) - 2)
    rows: list[tuple[Cell, ...]] = [("", label, *blank) for label in labels]
    rows += [("", None, *_cells(line, known)) for line in lines]
    return Content(schema="", title="", columns=tuple(columns), rows=rows, group="group", prose="text")


def _cells(line: MetricLine, known: bool) -> tuple[Cell, ...]:
    scale = common_scale(line.values, line.unit)

    def shown(cells: Sequence[Cell]) -> tuple[Cell, ...]:
        return tuple(scale.value(cell) if isinstance(cell, float) else cell for cell in cells)

    result: tuple[Cell, ...] = (line.metric, scale.unit or None, *shown(line.values), *line.changes)
    if known:
        sides = [line.ends[0][:2], *(ends[2:4] for ends in line.ends)]
        result += tuple(cell for pair in (*sides, *(ends[4:] for ends in line.ends)) for cell in shown(pair))
    return result
