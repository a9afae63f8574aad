"""A comparison as a report: one row per metric and side, each side held against the first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qnet.errors import Problem
from qnet.expression import Expression
from qnet.model.conditions import Condition
from qnet.questions.compare.compare import Comparison, Figure, Side
from qnet.questions.presentation.assertions import broken, conditions
from qnet.questions.presentation.labels import all_exact, label
from qnet.questions.presentation.provenance import Basis
from qnet.questions.presentation.trust import percentile_notes
from qnet.questions.solve.solve import in_unit
from qnet.reports.report import Cell, Column, Note, Report

_ROUNDING = 1e-12
"""Relative differences up to here are those of sums in another order, and told as none."""

COLUMNS = (
    Column("side", "side"),
    Column("metric", "metric"),
    Column("unit", "unit"),
    Column("base", "A"),
    Column("value", "value"),
    Column("difference", "difference"),
    Column("ratio", "ratio"),
    Column("percent", "percent"),
    Column("base_exactness", "exactness of A", footed=True),
    Column("exactness", "exactness", footed=True),
)
"""`base` is the value of the first system, `value` that of the side; both are in the unit of the row."""

DOUBT = (
    Column("base_low", "A low"),
    Column("base_high", "A high"),
    Column("value_low", "value low"),
    Column("value_high", "value high"),
    Column("difference_low", "difference low"),
    Column("difference_high", "difference high"),
)
"""The intervals that the doubt of calibrated parameters leaves, where any side states it. What both sides share moves
them together, so that the difference is often known better than either."""


def compare_report(found: Comparison, asserted: Sequence[str] = ()) -> Report:
    """Tell a comparison.

    asserted  conditions that every side must meet; those that are false stand in `broken` of the report.
    """
    first = found.sides[0]
    claimed = [conditions(asserted, side.model) for side in found.sides]
    asked = [figure.metric.expression for figure in found.figures]
    asked += [item.metric for own in claimed for item in own]
    told = [
        (place, number)
        for place in range(1, len(found.sides))
        for number, figure in enumerate(found.figures)
        if figure.values[0] is not None or figure.values[place] is not None
    ]
    rows = [_row(first, found.sides[place], place, found.figures[number]) for place, number in told]
    columns, doubts = COLUMNS, list[Note]()
    if any(side.model.calibration is not None for side in found.sides):
        from qnet.questions.compare.doubt import doubted

        ends, doubts = doubted(found)
        columns = (*COLUMNS, *DOUBT)
        rows = [(*row, *ends[key]) for key, row in zip(told, rows, strict=True)]
    parts = [part for side in found.sides if side.solved for part in side.solved.parts]
    solutions = [side.solved.parts[0].solution for side in found.sides if side.solved]
    methods = ", ".join(dict.fromkeys(item.method for item in solutions))
    exact = all(_exact(side, asked) for side in found.sides)
    return Report(
        "qnet/comparison/1",
        f"A: {first.label}",
        columns,
        rows,
        (*_notes(found.sides), *percentile_notes(first.model, asked, parts), *_idle(found), *doubts),
        Basis(first.model, methods, exact, sides=[_told(side, asked) for side in found.sides]),
        group="side",
        broken=tuple(_broken(found.sides, claimed)),
    )


def _row(first: Side, side: Side, place: int, figure: Figure) -> tuple[Cell, ...]:
    """A metric of a side: the ratio and the percentage are to the first, where that is not 0."""
    shown = figure.metric.unit
    base, value = (None if item is None else in_unit(item, shown) for item in (figure.values[0], figure.values[place]))
    difference = ratio = percent = None
    if base is not None and value is not None:
        difference = 0.0 if _alike(value, base) else value - base
        ratio, percent = _share(base + difference, base), _share(100 * difference, base)
    trust = (_exactness(first, figure), _exactness(side, figure))
    told = (f"{side.letter}: {side.label}", figure.metric.source, shown or None)
    return (*told, base, value, difference, ratio, percent, *trust)


def _alike(one: float, other: float) -> bool:
    """Whether two numbers differ by rounding alone."""
    return abs(one - other) <= _ROUNDING * max(abs(one), abs(other))


def _share(part: float, whole: float) -> float | None:
    found = part / whole if whole else float("inf")
    return found if abs(found) < float("inf") else None


def _exactness(side: Side, figure: Figure) -> str | None:
    return None if side.solved is None else label(_exact(side, [figure.metric.expression]))


def _exact(side: Side, asked: Sequence[Expression]) -> bool:
    """Whether some figures of a side are exact; so are those of none."""
    return side.solved is None or all_exact(side.model, asked, side.solved.parts)


def _notes(sides: Sequence[Side]) -> Iterator[Note]:
    for side in sides:
        if side.problem:
            yield Note("QN613", f"{side.letter} has no answer: {side.problem.found}", "warning")
        elif side.solved and (reasons := side.solved.parts[0].solution.reasons):
            yield Note("QN612", f"{side.letter} is approximate: {'; '.join(reasons)}")


def _idle(found: Comparison) -> Iterator[Note]:
    """Which sides have the figures of the first one."""
    for place, side in enumerate(found.sides[1:], start=1):
        pairs = [(figure.values[0], figure.values[place]) for figure in found.figures]
        if (
            side.solved
            and pairs
            and all(one is not None and other is not None and _alike(one, other) for one, other in pairs)
        ):
            yield Note("QN701", f"{side.letter} has no other figures than A: {side.label}", "warning")


def _told(side: Side, asked: Sequence[Expression]) -> dict[str, object]:
    """What a side is, for machines."""
    told: dict[str, object] = {"side": side.letter, "label": side.label, "digest": side.model.digest}
    if side.solved:
        told["method"] = side.solved.parts[0].solution.method
        told["exactness"] = label(_exact(side, asked))
    return told


def _broken(sides: Sequence[Side], asserted: Sequence[Sequence[Condition]]) -> Iterator[Problem]:
    """What is false of any side; a side without an answer meets nothing."""
    for side, claimed in zip(sides, asserted, strict=True):
        if side.solved is None:
            found = [Problem("QN608", f"asserted {item.source}, there is no answer") for item in claimed]
        else:
            found = broken(side.solved, claimed)
        for problem in found:
            yield problem.replace(found=f"{side.letter}: {problem.found}")
