"""Systems side by side: every metric of every side, compared with the first side, and its report."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from qnet.errors import NoAnswer, NotComputed, Problem, UsageError
from qnet.expression import Expression, parse
from qnet.lazy import lazy, np
from qnet.model.conditions import Condition
from qnet.model.grids import PAIR, grid
from qnet.model.metrics import Metric, every_metric, metric
from qnet.model.model import Model, require_models
from qnet.model.settings import parse_settings, with_settings
from qnet.model.values import Values
from qnet.networks.exactness import STATES
from qnet.networks.reasons import approximate_notes
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.points.expression_values import expression_value
from qnet.questions.points.points import Solved, solve_points
from qnet.questions.points.saturation import limiting
from qnet.questions.presentation.assertions import broken, conditions
from qnet.questions.presentation.columns import CODE, parameter_cells, parameter_unit, without_effect
from qnet.questions.presentation.labels import (
    all_exact,
    asks_percentile,
    label,
    method_list,
    percentile_notes,
    undefined_notes,
)
from qnet.questions.presentation.provenance import Basis
from qnet.questions.solve.selected import with_percentiles
from qnet.questions.uncertainty import Doubts, SideSlopes, differences, slopes_of
from qnet.record import Record
from qnet.reports.cells import common_scale
from qnet.reports.content import Bars, Cell, Column, Content, Note
from qnet.reports.report import Report
from qnet.units import format_quantity, in_unit, quantity

if TYPE_CHECKING:
    from qnet.questions.presentation import summaries
else:
    summaries = lazy("qnet.questions.presentation.summaries")


_GROUP, _TEXT = Column("group", "group"), Column("text", "text")
_SEVERAL = re.compile(r"[,:]|^\s*log\s*\(")
_NESTED = re.compile(r"\([^()]*\)|'[^']*'")


def _intervals(comparison: SystemComparison) -> tuple[dict[tuple[int, int], tuple[Cell, ...]], list[Note]]:
    """The intervals by the uncertainty of calibrated parameters, and notes on them.

    Returns  by the indices of a side and of a figure: low and high of the figure of A, of the side, and of their
             difference, in the unit of the figure.
    """
    notes: dict[Note, list[str]] = {}
    """The letters of the sides by note."""
    sides = [_slopes(comparison, index, side, notes) for index, side in enumerate(comparison.sides)]
    cells: dict[tuple[int, int], tuple[Cell, ...]] = {}
    for index, side in enumerate(sides[1:], start=1):
        both = differences(sides[0], side)
        ends = (both.base.low, both.base.high, both.value.low, both.value.high, both.low, both.high)
        for number, figure in enumerate(comparison.figures):
            cells[index, number] = tuple(_cell(figure, values[number, 0]) for values in ends)
    return cells, [note.replace(text=f"{', '.join(letters)}: {note.text}") for note, letters in notes.items()]


def _slopes(comparison: SystemComparison, index: int, side: Side, notes: dict[Note, list[str]]) -> SideSlopes:
    listed = [figure.values[index] for figure in comparison.figures]
    here = np.array([[float("nan") if value is None else value] for value in listed], dtype=float)
    asked = [
        figure.metric.expression for figure, value in zip(comparison.figures, listed, strict=True) if value is not None
    ]
    if side.model.calibration is None or not asked:
        return slopes_of(None, here, lambda steps: here)
    doubts = Doubts(side.model)
    solver = doubts.solver({}, 1, asked, comparison.wanted)

    def moved(steps: list[tuple[int, float]]) -> Any:
        figures = np.full((len(steps), *here.shape), np.nan)
        figures[:, np.isfinite(here[:, 0])] = solver(steps)
        return figures

    slopes = slopes_of(doubts, here, moved)
    for note in doubts.notes(slopes.lame, asked):
        notes.setdefault(note, []).append(side.letter)
    return slopes


def _cell(figure: ComparedMetric, value: Any) -> Cell:
    return in_unit(float(value), figure.metric.unit) if abs(value) < float("inf") else None


_ROUNDING = 1e-12
"""Relative differences up to this one come from rounding, and are reported as 0."""

COLUMNS = (
    Column("side", "side"),
    Column("metric", "metric"),
    Column("unit", "unit"),
    Column("base", "A"),
    Column("value", "value"),
    Column("difference", "difference"),
    Column("ratio", "ratio"),
    Column("percent", "change (%)"),
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
"""The intervals from the uncertainty of calibrated parameters, where any side states it. Parameters that both sides
share move both, so that the difference is often known better than either."""


def _title(comparison: SystemComparison) -> str:
    titles = {side.model.title for side in comparison.sides}
    return f"{titles.pop()}: settings compared" if len(titles) == 1 else "Systems compared"


def ask_compare(
    model: Model, others: Sequence[Model], metric: Sequence[str] = (), percentile: Sequence[float] = (),
    wanted: Wanted = AUTO, asserted: Sequence[str] = (), changes: Sequence[str] = (),
) -> Report:  # fmt: skip
    """The report of a model compared with others; arguments as of `System.compare`.

    changes  texts for `variants`: each adds the model with other settings as a side, or several sides.
    """
    require_models(others)
    sides = [settings for text in changes for settings in variants(text, model)]
    others = [*others, *(with_settings(model, parse_settings(settings)) for settings in sides)]
    metrics = with_percentiles([model, *others], metric, percentile)
    for side in (model, *others):
        conditions(asserted, side)
    return compare_report(compare((model, *others), metrics, wanted), asserted)


def compare_report(comparison: SystemComparison, asserted: Sequence[str] = ()) -> Report:
    """The report of a comparison.

    asserted  conditions that every side must meet; those that are false stand in `broken` of the report.
    """
    first = comparison.sides[0]
    claimed = [conditions(asserted, side.model) for side in comparison.sides]
    asked = [figure.metric.expression for figure in comparison.figures]
    asked += [item.metric for each in claimed for item in each]
    listed = [
        (index, number)
        for index in range(1, len(comparison.sides))
        for number, figure in enumerate(comparison.figures)
        if figure.values[0] is not None or figure.values[index] is not None
    ]
    rows = [_row(first, comparison.sides[index], index, comparison.figures[number]) for index, number in listed]
    columns, interval_notes = COLUMNS, list[Note]()
    ends: dict[tuple[int, int], tuple[Cell, ...]] = {}
    if any(side.model.calibration is not None for side in comparison.sides):
        ends, interval_notes = _intervals(comparison)
        columns = (*COLUMNS, *DOUBT)
        rows = [(*row, *ends[key]) for key, row in zip(listed, rows, strict=True)]
    parts = [part for side in comparison.sides if side.solved for part in side.solved.parts]
    solutions = [side.solved.parts[0].solution for side in comparison.sides if side.solved]
    methods = method_list(item.method for item in solutions)
    exact = all(_exact(side, asked) for side in comparison.sides)
    means = [item for item in asked if not asks_percentile(first.model, [item])]
    return Report(
        schema="qnet/comparison/1",
        title=_title(comparison),
        columns=columns,
        rows=rows,
        notes=(
            *_notes(comparison.sides),
            *_undefined(comparison),
            *percentile_notes(first.model, asked, parts),
            *_without_effect(comparison, asked),
            *interval_notes,
        ),
        meta=Basis(
            first.model,
            methods,
            exact,
            means=not exact and bool(means) and all(_exact(side, means) for side in comparison.sides),
            others=[side.model for side in comparison.sides[1:]],
            sides=[_side_record(side, asked) for side in comparison.sides],
        ),
        group="side",
        wide=_wide(comparison, listed, rows, ends),
        plot=Bars("metric", ("percent",), by="side", changed=True),
        broken=tuple(_broken(comparison.sides, claimed)),
        summary=lambda report: summaries.of_comparison(report, f"A: {first.label}"),
    )


def _wide(
    comparison: SystemComparison, listed: Sequence[tuple[int, int]], rows: Sequence[tuple[Cell, ...]],
    ends: dict[tuple[int, int], tuple[Cell, ...]],
) -> Content:  # fmt: skip
    """The rows as one table with a column for every side."""
    keys = [column.key for column in COLUMNS]
    cells = {key: dict(zip(keys, row, strict=False)) for key, row in zip(listed, rows, strict=True)}
    lines: list[MetricLine] = []
    for number, figure in enumerate(comparison.figures):
        sides = [cells.get((index, number), {}) for index in range(1, len(comparison.sides))]
        if not any(sides):
            continue
        unit = figure.metric.unit
        values = tuple(None if value is None else in_unit(value, unit) for value in figure.values)
        changes = tuple(_number(side.get("percent")) for side in sides)
        intervals = tuple(ends.get((index, number), (None,) * len(DOUBT)) for index in range(1, len(comparison.sides)))
        lines.append(MetricLine(figure.metric.source, unit, values, changes, intervals if ends else ()))
    return side_by_side([f"{side.letter}: {side.label}" for side in comparison.sides], lines)


def _number(cell: Cell) -> float | None:
    return cell if isinstance(cell, float) else None


def _row(first: Side, side: Side, index: int, figure: ComparedMetric) -> tuple[Cell, ...]:
    """The row of a metric of a side; ratio and percentage are empty where the value of the first side is 0."""
    shown = figure.metric.unit
    base, value = (None if item is None else in_unit(item, shown) for item in (figure.values[0], figure.values[index]))
    difference = ratio = percent = None
    if base is not None and value is not None:
        difference = 0.0 if _identical(value, base) else value - base
        ratio, percent = _share(base + difference, base), _share(100 * difference, base)
    trust = (_exactness(first, figure), _exactness(side, figure))
    reported = (f"{side.letter}: {side.label}", figure.metric.source, shown or None)
    return (*reported, base, value, difference, ratio, percent, *trust)


def _identical(one: float, other: float) -> bool:
    """Whether two numbers differ at most by rounding."""
    return abs(one - other) <= _ROUNDING * max(abs(one), abs(other))


def _share(part: float, total: float) -> float | None:
    result = part / total if total else float("inf")
    return result if abs(result) < float("inf") else None


def _exactness(side: Side, figure: ComparedMetric) -> str | None:
    return None if side.solved is None else label(_exact(side, [figure.metric.expression]))


def _exact(side: Side, asked: Sequence[Expression]) -> bool:
    """Whether all the figures `asked` of a side are exact; true for a side without an answer."""
    return side.solved is None or all_exact(side.model, asked, side.solved.parts)


def _undefined(comparison: SystemComparison) -> Iterator[Note]:
    """Notes on outputs without a value, each with the letter of its side."""
    shown = {figure.metric.source for figure in comparison.figures}
    for side in comparison.sides:
        solved = [side.solved] if side.solved else []
        for note in undefined_notes(solved, [parse(name) for name in side.model.outputs if name in shown]):
            yield note.replace(text=f"{side.letter}: {note.text}")


def _notes(sides: Sequence[Side]) -> Iterator[Note]:
    """A note on each side without an answer, one on the sides that are approximate, and their errors or warnings."""
    approximate: dict[tuple[str, ...], list[str]] = {}
    methods: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for side in sides:
        if side.problem:
            yield Note("QN613", f"{side.letter} has no answer: {side.problem.found}", "warning")
        elif side.solved and (reasons := side.solved.parts[0].solution.reasons):
            approximate.setdefault(tuple(reasons), []).append(side.letter)
            methods.setdefault((tuple(reasons), side.solved.parts[0].solution.method), []).append(side.letter)
    if not approximate:
        return
    text = ". ".join(f"{_are(letters)} approximate: {'; '.join(reasons)}" for reasons, letters in approximate.items())
    every = list(dict.fromkeys(reason for reasons in approximate for reason in reasons))
    letters = [side.letter for side in sides if any(side.letter in each for each in approximate.values())]
    brief = f"{_are(letters)} approximate: {every[0]}"
    yield Note("QN612", text, brief=f"{brief}; {len(every) - 1} more with --json" if len(every) > 1 else brief)
    for (reasons, method), letters in methods.items():
        # Errors that were measured, or warnings.
        for note in approximate_notes(reasons, [method])[1:]:
            yield note.replace(text=f"{_listed(letters)}: {note.text}", brief="")


def _are(letters: Sequence[str]) -> str:
    """The letters with their verb: `A is`, `A and B are`."""
    return f"{_listed(letters)} {'are' if len(letters) > 1 else 'is'}"


def _listed(letters: Sequence[str]) -> str:
    """The letters: `A`, `A and B`."""
    *first, last = letters
    return f"{', '.join(first)} and {last}" if first else last


def _identical_sides(comparison: SystemComparison) -> list[Side]:
    """The sides that have the figures of the first one."""
    result: list[Side] = []
    for index, side in enumerate(comparison.sides[1:], start=1):
        pairs = [(figure.values[0], figure.values[index]) for figure in comparison.figures]
        if (
            side.solved
            and pairs
            and all(one is not None and other is not None and _identical(one, other) for one, other in pairs)
        ):
            result.append(side)
    return result


_FEW = 3
"""Most metrics that a note names."""


def _without_effect(comparison: SystemComparison, asked: Sequence[Expression]) -> Iterator[Note]:
    """Notes on settings that enter no reported metric, and on other sides with the same figures as A."""
    idle: dict[tuple[str, ...], list[str]] = {}
    for side in comparison.sides:
        names = tuple(without_effect(side.model, side.model.settings, asked))
        if names:
            idle.setdefault(names, []).append(side.letter)
    metrics = [figure.metric.source for figure in comparison.figures]
    what = " or ".join(metrics) if len(metrics) <= _FEW else "any reported metric"
    for names, letters in idle.items():
        verb = "does" if len(names) == 1 else "do"
        yield Note(CODE, f"{', '.join(letters)}: {', '.join(names)} {verb} not enter {what}", "warning")
    explained = {letter for letters in idle.values() for letter in letters}
    for side in _identical_sides(comparison):
        if side.letter not in explained:
            yield Note(CODE, f"{side.letter} has the same figures as A: {side.label}", "warning")


def _side_record(side: Side, asked: Sequence[Expression]) -> dict[str, object]:
    """The record of a side, for JSON."""
    details: dict[str, object] = {"side": side.letter, "label": side.label, "digest": side.model.digest}
    if side.solved:
        details["method"] = side.solved.parts[0].solution.method
        details["exactness"] = label(_exact(side, asked))
    return details


def _broken(sides: Sequence[Side], asserted: Sequence[Sequence[Condition]]) -> Iterator[Problem]:
    """A problem for every assertion that is false on a side, or whose side has no answer."""
    for side, claimed in zip(sides, asserted, strict=True):
        if side.solved is None:
            result = [Problem("QN608", f"asserted {item.source}, but there is no answer") for item in claimed]
        else:
            result = broken(side.solved, claimed)
        for problem in result:
            yield problem.replace(found=f"{side.letter}: {problem.found}")


MAX_SIDES = len(ascii_uppercase)


class Side(Record):
    """One of the systems, and its answer."""

    letter: str
    label: str
    """The name of the system and its settings."""
    model: Model
    solved: Solved | None
    """None where there is no answer."""
    problem: Problem | None = None
    """Why there is no answer."""


class ComparedMetric(Record):
    """One metric on all sides."""

    metric: Metric
    values: tuple[float | None, ...]
    """By side, in base units; None where the side has no answer, or no such metric."""


class SystemComparison(Record):
    """Systems side by side."""

    sides: tuple[Side, ...]
    figures: tuple[ComparedMetric, ...]
    wanted: Wanted = AUTO


_FEW_MODELS = 4
"""Most models for which chains of states are tried that take up to half a second each; a choice."""


def compare(models: Sequence[Model], metrics: Sequence[str] = (), wanted: Wanted = AUTO) -> SystemComparison:
    """Solve several models as they stand, and match their metrics by name.

    models    two or more: different systems, or one with different settings; the first is the baseline.
    metrics   texts such as `response` or `utilization('cpu')`; none: `every_metric` of any side.
    wanted    the method and its budget.
    Returns   `SystemComparison`, with None for a metric that a side does not have or has no answer for.
    Raises    `UsageError` for fewer than two or too many models, for a metric that no side has, and for one of
              different dimensions on different sides; `NoAnswer` or `NotComputed` where no side has an answer.
    """
    if not 2 <= len(models) <= MAX_SIDES:
        help = "name another SYSTEM, or change settings with --with NAME=VALUE"
        sentence = f"found {len(models)} system{'s' if len(models) != 1 else ''} to compare"
        raise UsageError(Problem("QN015", sentence, f"2 to {MAX_SIDES}", help=help))
    for model in models:
        Values(model, {}, None)  # Refuses a value outside its range before any side is solved.
    asked = _asked(models, metrics)
    reported = _matched(asked)
    results = _all_solved(models, asked, wanted)
    failures = [item for item in results if not isinstance(item, Solved)]
    sides = [
        Side(letter, described(model), model, item)
        if isinstance(item, Solved)
        else Side(letter, described(model), model, None, item.problems[0])
        for letter, model, item in zip(ascii_uppercase, models, results, strict=False)
    ]
    if len(failures) == len(sides):
        raise next((error for error in failures if isinstance(error, NoAnswer)), failures[0])
    values = [
        tuple(_value(side, each.get(item.source)) for side, each in zip(sides, asked, strict=True)) for item in reported
    ]
    return SystemComparison(
        tuple(sides), tuple(ComparedMetric(*pair) for pair in zip(reported, values, strict=True)), wanted
    )


def described(model: Model) -> str:
    """The name of a system and its settings: `ibm-3990-6, rate=600/s`."""
    return ", ".join([model.name, *(f"{name}={value}" for name, value in model.settings.items())])


def _asked(models: Sequence[Model], metrics: Sequence[str]) -> list[dict[str, Metric]]:
    """The metrics of every model, by their text; raises `UsageError` for one that none has."""
    if not metrics:
        return [{item.source: item for item in every_metric(model)} for model in models]
    result: list[dict[str, Metric]] = [{} for _ in models]
    for text in metrics:
        failures: list[UsageError] = []
        for each, model in zip(result, models, strict=True):
            try:
                item = metric(text, model)
            except UsageError as error:
                failures.append(error)
            else:
                each[item.source] = item
        if len(failures) == len(models):
            raise failures[0]
    return result


def _matched(asked: Sequence[dict[str, Metric]]) -> list[Metric]:
    """The metrics of all sides, in order of appearance; raises `UsageError` where dimensions differ."""
    details: dict[str, Metric] = {}
    for each in asked:
        for source, item in each.items():
            first = details.setdefault(source, item)
            if first.dimension != item.dimension:
                text = f'"{source}" is {first.dimension.describe()} on one side and {item.dimension.describe()}'
                raise UsageError(Problem("QN015", f"{text} on another", "the same unit on all sides"))
    return list(details.values())


def _all_solved(
    models: Sequence[Model], asked: Sequence[dict[str, Metric]], wanted: Wanted
) -> list[Solved | NoAnswer | NotComputed]:
    """The solution of every model at its point, or why it has none.

    As `qnet solve`, a few models whose approximate answer is warned of are solved by the chain of their states, unless
    a method without chains has to solve others, as the difference of two methods would contain their errors.
    """

    def by(wanted: Wanted) -> list[Solved | NoAnswer | NotComputed]:
        result: list[Solved | NoAnswer | NotComputed] = []
        for model in models:
            try:
                result.append(_solved(model, wanted))
            except (NoAnswer, NotComputed) as error:
                result.append(error)
        return result

    calibrated = any(model.calibration is not None for model in models)
    listed = [[item.expression for item in each.values()] for each in asked]
    if calibrated or len(models) > _FEW_MODELS or any(map(asks_percentile, models, listed)):
        return by(wanted)
    result = by(wanted.replace(better=True))
    methods = {item.parts[0].solution.method for item in result if isinstance(item, Solved)}
    return by(wanted) if STATES in methods and len(methods) > 1 else result


def _solved(model: Model, wanted: Wanted) -> Solved:
    """The model at its point; raises `NoAnswer` where there is no steady state."""
    solved = solve_points(model, asked=wanted)
    if solved.parts[0].solution.stable:
        return solved
    text = f'no steady state: "{limiting(solved.parts[0])}" is saturated'
    raise NoAnswer(Problem("QN401", text, "a load below every capacity", file=model.name))


def _value(side: Side, asked: Metric | None) -> float | None:
    if side.solved is None or asked is None:
        return None
    value = float(expression_value(side.solved, asked.expression))
    return value if abs(value) < float("inf") else None


class MetricLine(Record):
    """One metric: its values by side, in its unit."""

    metric: str
    unit: str
    values: tuple[float | None, ...]
    changes: tuple[float | None, ...]
    """The change of every side after the first, in percent of the first."""
    ends: tuple[tuple[Cell, ...], ...] = ()
    """For calibrated models, of every side after the first: low and high of A, of the side, and of the difference."""


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


def variants(text: str, model: Model) -> list[list[str]]:
    """The settings of the sides that a text such as `users=250 & memory=128 MiB, 256 MiB` describes.

    text     `NAME=VALUES` joined by `&`. Values are a grid, as in sweeps: `6, 8`, `6:8`. Parameters with several
             values vary together; a parameter with one value has it on every side.
    model    the model whose parameters are set.
    Returns  the settings of every side, each as `NAME=VALUE`.
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
    """A value as people write it, such as `8 ms`, if that is the same number; otherwise with all its digits."""
    if not isinstance(cell, float | int):
        return str(cell)
    full = f"{cell!r} {unit}".rstrip()
    short = format_quantity(cell, unit)
    return short if quantity(short) == quantity(full) else full
