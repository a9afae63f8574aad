"""The uncertainty of metrics from the ranges of parameters: one at a time, at all corners, and sampled.

The report is a tornado with a row per parameter, or a distribution with a row per metric.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from qnet.errors import NotComputed, Problem, UsageError
from qnet.expression import Expression
from qnet.lazy import Array, lazy, np
from qnet.model.metrics import Metric
from qnet.model.model import Model
from qnet.networks.reasons import approximate_notes
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.points.answers import OK, Answers, solve_table
from qnet.questions.points.domain import columns
from qnet.questions.points.points import Part, Solved
from qnet.questions.presentation.assertions import broken, conditions
from qnet.questions.presentation.labels import all_exact, label, means_beside, method_list, percentile_notes
from qnet.questions.presentation.provenance import Basis
from qnet.questions.sensitivity.ranges import SPREAD, Range, ranges
from qnet.questions.sensitivity.sensitivity import ask_sensitivity, at_stated_point, chosen_metrics, values_here
from qnet.record import Record
from qnet.reports.content import Bars, Cell, Column, Note
from qnet.reports.report import Report
from qnet.units import base_unit, format_quantity, in_unit

if TYPE_CHECKING:
    import statistics
else:
    statistics = lazy("statistics")

MAX_CORNERS = 12
"""Most parameters whose ends are all combined: 4096 points."""
MAX_SAMPLES = 1_000_000
"""Most samples; a choice that bounds memory."""


class Reach(Record):
    """A metric at both ends of the range of one parameter, all others as stated; base units."""

    metric: Metric
    range: Range
    stated: float
    at_low: float | None
    at_high: float | None
    status: str
    """`ok`, or why there is no answer at an end."""

    @property
    def width(self) -> float | None:
        """The difference of the metric between the two ends."""
        if self.at_low is None or self.at_high is None:
            return None
        return abs(self.at_high - self.at_low)


class MetricDistribution(Record):
    """The distribution of a metric over many points; base units, None where no point has an answer."""

    metric: Metric
    stated: float
    answered: int
    mean: float | None
    deviation: float | None
    least: float | None
    percentiles: tuple[float | None, float | None, float | None]
    """The 5th, the 50th and the 95th percentile."""
    most: float | None
    at_least: str = ""
    """For corners, the ends that give the least value."""
    at_most: str = ""
    """For corners, the ends that give the greatest value."""
    mixed: tuple[str, ...] = ()
    """For corners, the parameters whose effect on the metric changes its sign."""


class Uncertainty(Record):
    """The effect of uncertain parameters on metrics."""

    model: Model
    stated: Solved
    ranges: tuple[Range, ...]
    reaches: tuple[Reach, ...]
    """Those of a tornado, by metric, the widest first."""
    figures: tuple[MetricDistribution, ...]
    """Those of samples and corners."""
    points: int
    status: tuple[str, ...]
    """The reasons why points have no answer, each once."""
    methods: tuple[str, ...]
    exact: bool
    reasons: tuple[str, ...]
    parts: tuple[Part, ...]
    """The parts of all solutions, the stated point first."""


def tornado(
    model: Model,
    of: Sequence[str] = (),
    by: Sequence[str] = (),
    stated: Sequence[str] = (),
    within: str = "",
    asked: Wanted = AUTO,
) -> Uncertainty:
    """Metrics at the low and the high end of every parameter's range, the others as stated, ranked by the width.

    Arguments as for `sensitivity` and `ranges`. Only the ends are evaluated, so that extremes between them are missed.
    Raises   `UsageError` for unknown names, `NoAnswer` without a steady state at the stated point.
    """
    wanted, result, point = _ready(model, of, by, stated, within, (), asked)
    reaches: list[Reach] = []
    answers: list[Answers] = []
    for group in _together(result):
        rows = [(item.input.name, end) for item in group for end in (item.low, item.high)]
        answer = solve_table(model, columns([item.input for item in group], rows), len(rows), asked)
        answers.append(answer)
        for metric, here in zip(wanted, values_here(point, wanted), strict=True):
            values = answer.of(metric.expression)
            for index, item in enumerate(group):
                low, high = 2 * index, 2 * index + 1
                status = next((answer.status[row] for row in (low, high) if answer.status[row] != OK), OK)
                reaches.append(Reach(metric, item, here, _number(values[low]), _number(values[high]), status))
    order = {metric.source: index for index, metric in enumerate(wanted)}
    # Widths that differ by rounding errors alone are equal.
    reaches.sort(key=lambda item: (order[item.metric.source], item.width is None, -float(f"{item.width or 0.0:.7g}")))
    return _uncertainty(model, point, result, answers, tuple(reaches), ())


def sampled(
    model: Model,
    count: int,
    seed: int,
    of: Sequence[str] = (),
    by: Sequence[str] = (),
    stated: Sequence[str] = (),
    within: str = "",
    spread: Sequence[str] = (),
    shape: str = "uniform",
    asked: Wanted = AUTO,
) -> Uncertainty:
    """Mean, standard deviation and percentiles of metrics where parameters are independent random values.

    count         the number of points.
    seed          the seed of the random numbers: the same seed gives the same points.
    shape         the distribution in ranges: `uniform`, or `triangular` with the stated value as its mode; counts take
                  each integer with equal probability, or are rounded. Spreads are lognormal with the stated value as
                  mean.
    others        as for `tornado`.
    Method   Latin hypercube (M. D. McKay, R. J. Beckman, W. J. Conover, Technometrics 21 (1979) 239-245) from PCG64;
             all points are one batch. Figures are those of the points that have an answer.
    Raises   as `tornado`; `NotComputed` or `NoAnswer` where no point has an answer.
    """
    for name, number, least, most in (("sample", count, 1, MAX_SAMPLES), ("seed", seed, 0, 2**63 - 1)):
        if not least <= number <= most:
            raise UsageError(Problem("QN025", f"{name} is {number:.6g}", f"an integer from {least} to {most}"))
    wanted, result, point = _ready(model, of, by, stated, within, spread, asked)
    random = np.random.Generator(np.random.PCG64(seed))
    table: dict[str, Any] = {}
    for item in result:
        probabilities = (random.permutation(count) + random.random(count)) / count
        table[item.input.name] = _drawn(item, probabilities, shape)
    answers = solve_table(model, table, count, asked)
    answers.refuse_all_failed()
    here = values_here(point, wanted)
    figures = tuple(_distribution(metric, value, answers) for metric, value in zip(wanted, here, strict=True))
    return _uncertainty(model, point, result, [answers], (), figures)


def corners(
    model: Model,
    of: Sequence[str] = (),
    by: Sequence[str] = (),
    stated: Sequence[str] = (),
    within: str = "",
    asked: Wanted = AUTO,
) -> Uncertainty:
    """The least and the greatest values of metrics over all combinations of the ends of all ranges.

    They enclose a metric that is monotone in every parameter. Parameters whose effect has different signs at different
    combinations are named: in these it is not monotone.
    Raises   as `tornado`; `NotComputed` QN531 for more than `MAX_CORNERS` parameters.
    """
    wanted, result, point = _ready(model, of, by, stated, within, (), asked)
    if len(result) > MAX_CORNERS:
        help = "choose with --by, or take --sample"
        text = f"{len(result)} parameters have {2 ** len(result)} combinations of ends"
        raise NotComputed(Problem("QN531", text, f"at most {MAX_CORNERS} parameters", help=help))
    ends: Any = np.array(list(product(*((item.low, item.high) for item in result))), dtype=float)
    table = {item.input.name: ends[:, index] for index, item in enumerate(result)}
    answers = solve_table(model, table, len(ends), asked)
    answers.refuse_all_failed()
    figures: list[MetricDistribution] = []
    for metric, here in zip(wanted, values_here(point, wanted), strict=True):
        values = answers.of(metric.expression)
        cube = values.reshape((2,) * len(result))
        mixed = tuple(item.input.name for index, item in enumerate(result) if _changes_sign(np.diff(cube, axis=index)))
        reported = _distribution(metric, here, answers)
        if reported.least is not None:
            moved = [index for index in range(len(result)) if _moves(np.diff(cube, axis=index))]
            least, most = (_ends(result, moved, ends[int(pick(values))]) for pick in (np.nanargmin, np.nanargmax))
            reported = reported.replace(at_least=least, at_most=most)
        figures.append(reported.replace(mixed=mixed))
    return _uncertainty(model, point, result, [answers], (), tuple(figures))


def _ready(
    model: Model,
    of: Sequence[str],
    by: Sequence[str],
    stated: Sequence[str],
    within: str,
    spread: Sequence[str],
    asked: Wanted,
) -> tuple[tuple[Metric, ...], tuple[Range, ...], Solved]:
    wanted = chosen_metrics(model, of)
    return wanted, ranges(model, wanted, by, stated, within, spread), at_stated_point(model, asked)


def _together(result: Sequence[Range]) -> list[list[Range]]:
    """Ranges that can share a table: those of all stated numbers; each derived one alone, as it follows the others."""
    free = [item for item in result if item.input.free]
    return [*([free] if free else []), *([item] for item in result if not item.input.free)]


def _uncertainty(
    model: Model,
    point: Solved,
    result: tuple[Range, ...],
    answers: Sequence[Answers],
    reaches: tuple[Reach, ...],
    figures: tuple[MetricDistribution, ...],
) -> Uncertainty:
    solution = point.parts[0].solution
    methods = dict.fromkeys([solution.method, *(name for answer in answers for name in answer.methods)])
    reasons = dict.fromkeys([*solution.reasons, *(reason for answer in answers for reason in answer.reasons)])
    return Uncertainty(
        model=model,
        stated=point,
        ranges=result,
        reaches=reaches,
        figures=figures,
        points=sum(answer.size for answer in answers),
        status=tuple(dict.fromkeys(text for answer in answers for text in answer.status if text != OK)),
        methods=tuple(methods),
        exact=solution.exact and all(answer.exact for answer in answers),
        reasons=tuple(reasons),
        parts=(*point.parts, *(part for answer in answers for part in answer.parts)),
    )


def _drawn(item: Range, probabilities: Array, shape: str) -> Any:
    """The values of a parameter at some probabilities: the inverse of its distribution function."""
    low, high, value = item.low, item.high, item.input.value
    if item.origin == SPREAD:
        deviation = float(np.sqrt(np.log1p(item.variation**2)))
        normal = np.array(
            [statistics.NormalDist().inv_cdf(index) for index in np.clip(probabilities, 1e-16, 1 - 1e-16).tolist()]
        )
        result = value * np.exp(deviation * normal - deviation**2 / 2)
    elif shape == "triangular":
        rising = low + np.sqrt(probabilities * (high - low) * (value - low))
        falling = high - np.sqrt((1 - probabilities) * (high - low) * (high - value))
        result = np.where(probabilities < (value - low) / (high - low), rising, falling)
    elif item.input.integer:
        return np.minimum(np.floor(low + probabilities * (high - low + 1)), high)
    else:
        result = low + probabilities * (high - low)
    return np.round(result) if item.input.integer else result


def _distribution(metric: Metric, here: float, answers: Answers) -> MetricDistribution:
    values = answers.of(metric.expression)
    values = values[np.isfinite(values)]
    if not len(values):
        return MetricDistribution(
            metric=metric,
            stated=here,
            answered=0,
            mean=None,
            deviation=None,
            least=None,
            percentiles=(None, None, None),
            most=None,
        )
    low, middle, high = (float(value) for value in np.percentile(values, [5, 50, 95]))
    deviation = float(values.std(ddof=1)) if len(values) > 1 else None
    least, most = float(values.min()), float(values.max())
    return MetricDistribution(
        metric=metric,
        stated=here,
        answered=len(values),
        mean=float(values.mean()),
        deviation=deviation,
        least=least,
        percentiles=(low, middle, high),
        most=most,
    )


def _changes_sign(changes: Any) -> bool:
    """Whether some changes are positive and others negative, by more than rounding."""
    changes = changes[np.isfinite(changes)]
    if not changes.size:
        return False
    slack = 1e-9 * float(np.abs(changes).max())
    return bool((changes > slack).any() and (changes < -slack).any())


def _moves(changes: Any) -> bool:
    """Whether any change is not 0."""
    return bool((changes[np.isfinite(changes)] != 0).any())


def _ends(result: Sequence[Range], moved: Sequence[int], point: Any) -> str:
    """The ends that make a corner, of the parameters that move the metric: `low a, b; high c`."""
    low = [result[index].input.name for index in moved if point[index] == result[index].low]
    high = [result[index].input.name for index in moved if point[index] != result[index].low]
    return "; ".join(f"{word} {', '.join(names)}" for word, names in (("low", low), ("high", high)) if names)


def _number(value: Any) -> float | None:
    number = float(value)
    return number if abs(number) < float("inf") else None


_TRUST = (
    Column("status", "status"),
    Column("method", "method", footed=True),
    Column("exactness", "exactness", footed=True),
)
TORNADO = (
    Column("metric", "metric"),
    Column("parameter", "parameter"),
    Column("low", "low", unit_in="unit"),
    Column("high", "high", unit_in="unit"),
    Column("unit", "unit"),
    Column("range", "range"),
    Column("at_low", "metric at low", unit_in="metric_unit"),
    Column("stated", "as stated", unit_in="metric_unit"),
    Column("at_high", "metric at high", unit_in="metric_unit"),
    Column("width", "width", unit_in="metric_unit"),
    Column("width_percent", "width (%)"),
    Column("metric_unit", "metric in"),
    *_TRUST,
)
"""`low` and `high` of the parameter are in base units; `range` is their origin."""

UNCERTAINTY = (
    Column("metric", "metric"),
    Column("unit", "unit"),
    Column("stated", "as stated", unit_in="unit"),
    Column("mean", "mean", unit_in="unit"),
    Column("standard_deviation", "standard deviation", unit_in="unit"),
    Column("least", "least", unit_in="unit"),
    Column("percentile_5", "5th percentile", unit_in="unit"),
    Column("percentile_50", "median", unit_in="unit"),
    Column("percentile_95", "95th percentile", unit_in="unit"),
    Column("most", "most", unit_in="unit"),
    Column("at_least", "least at"),
    Column("at_most", "most at"),
    Column("answered", "answered"),
    Column("points", "points"),
    *_TRUST,
)
"""Percentiles are interpolated; figures are those of the `answered` ones of all `points`."""


def ask_tornado(
    model: Model, metric: Sequence[str], by: Sequence[str], range: Sequence[str], within: str, wanted: Wanted = AUTO,
    asserted: Sequence[str] = (),
) -> Report:  # fmt: skip
    """The report of every parameter at both ends of its range; arguments as of `System.tornado`."""
    conditions(asserted, model)
    return tornado_report(tornado(model, metric, by, range, within, wanted), asserted)


def ask_corners(
    model: Model, metric: Sequence[str], by: Sequence[str], range: Sequence[str], within: str, wanted: Wanted = AUTO,
    asserted: Sequence[str] = (),
) -> Report:  # fmt: skip
    """The report of all combinations of the ends of ranges; arguments as of `System.corners`."""
    conditions(asserted, model)
    return uncertainty_report(corners(model, metric, by, range, within, wanted), asserted)


def ask_uncertainty(
    model: Model, sample: int, seed: int, metric: Sequence[str], by: Sequence[str], range: Sequence[str], within: str,
    spread: Sequence[str], shape: str, wanted: Wanted = AUTO, asserted: Sequence[str] = (),
) -> Report:  # fmt: skip
    """The report of random values of all parameters; arguments as of `System.uncertainty`."""
    conditions(asserted, model)
    result = sampled(model, sample, seed, metric, by, range, within, spread, shape, wanted)
    return uncertainty_report(result, asserted, seed=seed, shape=shape)


def tornado_report(result: Uncertainty, asserted: Sequence[str] = ()) -> Report:
    """The report of the effect of the range of each parameter alone on every metric, the widest first.

    asserted  conditions that the stated point must meet; those that are false stand in `broken` of the report.
    """
    rows = [(*_reach(result, item), *_trust(result, item.metric)) for item in result.reaches]
    missing = sum(item.width is None for item in result.reaches)
    notes = [*_approximate(result, asserted)]
    if missing:
        notes.append(
            Note("QN602", f"{missing} of {len(rows)} rows have no answer at an end; their status says why", "warning")
        )
    plot = Bars("parameter", ("at_low", "at_high"), by="metric", base="stated", unit="metric_unit")
    return _report(result, "qnet/tornado/1", "effect of each range alone", TORNADO, rows, notes, plot, asserted)


def uncertainty_report(result: Uncertainty, asserted: Sequence[str] = (), **how: Any) -> Report:
    """The report of the effect of all ranges together on every metric.

    asserted  as for `tornado_report`.
    how       seed and shape of the samples, for the meta data.
    """
    rows: list[tuple[Cell, ...]] = []
    for item in result.figures:
        missing = result.points - item.answered
        cause = f": {result.status[0]}" if result.status else ""
        status = f"{missing} of {result.points} points have no answer{cause}" if missing else "ok"
        rows.append((*_cells(item, result.points), status, *_trust(result, item.metric)))
    notes = [
        *_approximate(result, asserted),
        Note("QN631", "uncertain: " + "; ".join(_reported(result, item) for item in result.ranges)),
    ]
    missing = max(result.points - item.answered for item in result.figures)
    if missing:
        text = f"{missing} of {result.points} points have no answer and are not in the figures"
        notes.append(Note("QN602", text, "warning"))
    for item in result.figures:
        if item.mixed:
            names = ", ".join(item.mixed)
            text = f"{item.metric.source} is not monotone in {names}: it may go beyond its corners"
            notes.append(Note("QN630", text, "warning"))
    return _report(
        result, "qnet/uncertainty/1", "effect of all ranges together", UNCERTAINTY, rows, notes, None, asserted, **how
    )


def _report(
    result: Uncertainty,
    schema: str,
    title: str,
    columns: tuple[Column, ...],
    rows: list[tuple[Cell, ...]],
    notes: list[Note],
    plot: Bars | None,
    asserted: Sequence[str],
    **how: Any,
) -> Report:
    model = result.model
    ranges = [
        {"parameter": item.input.name, "low": item.low, "high": item.high, "range": item.origin}
        for item in result.ranges
    ]
    asked = _asked(result, asserted)
    meta = Basis(
        model, method_list(result.methods), all_exact(model, asked, result.parts),
        means=means_beside(model, asked, result.parts), ranges=ranges, **how,
    )  # fmt: skip
    text = f"{model.title}: {title}"
    false = tuple(broken(result.stated, conditions(asserted, model)))
    return Report(
        schema=schema,
        title=text,
        columns=columns,
        rows=rows,
        notes=tuple(notes),
        meta=meta,
        group="metric",
        plot=plot,
        broken=false,
    )


def _approximate(result: Uncertainty, asserted: Sequence[str]) -> list[Note]:
    notes = approximate_notes(result.reasons, result.methods)
    return [*notes, *percentile_notes(result.model, _asked(result, asserted), result.parts)]


def _asked(result: Uncertainty, asserted: Sequence[str]) -> list[Expression]:
    """The metrics that are reported and asserted."""
    claims = (item.metric for item in conditions(asserted, result.model))
    return [*(item.metric.expression for item in (*result.reaches, *result.figures)), *claims]


def _trust(result: Uncertainty, metric: Metric) -> tuple[Cell, Cell]:
    return method_list(result.methods), label(all_exact(result.model, [metric.expression], result.parts))


def _reach(result: Uncertainty, item: Reach) -> tuple[Cell, ...]:
    metric, range, here = item.metric, item.range, item.stated
    unit = base_unit(result.model.parameters[range.input.name].dimension)
    width = item.width
    percent = 100 * width / abs(here) if width is not None and here else None
    return (
        metric.source, range.input.name, range.low, range.high, unit or None, range.origin, _shown(metric, item.at_low),
        _shown(metric, here), _shown(metric, item.at_high), _shown(metric, width), percent, metric.unit or None,
        item.status,
    )  # fmt: skip


def _cells(item: MetricDistribution, points: int) -> tuple[Cell, ...]:
    metric = item.metric
    numbers = (item.stated, item.mean, item.deviation, item.least, *item.percentiles, item.most)
    shown = [_shown(metric, number) for number in numbers]
    if item.at_least:  # corners are no sample
        shown[1:3] = [None, None]
        shown[4:7] = [None, None, None]
    return (
        metric.source, metric.unit or None, *shown, item.at_least or None, item.at_most or None, item.answered, points
    )  # fmt: skip


def _shown(metric: Metric, value: float | None) -> float | None:
    return None if value is None else in_unit(value, metric.unit)


def _reported(result: Uncertainty, item: Range) -> str:
    unit = base_unit(result.model.parameters[item.input.name].dimension)
    if item.origin == SPREAD:
        return f"{item.input.name} {format_quantity(item.input.value, unit)} with a spread of {item.variation:.4g}"
    low, high = format_quantity(item.low, unit), format_quantity(item.high, unit)
    return f"{item.input.name} {low} to {high} ({item.origin})"


def ask(
    model: Model, tornado: bool, corners: bool, sample: int | None, seed: int, metric: Sequence[str], by: Sequence[str],
    range: Sequence[str], within: str, spread: Sequence[str], shape: str, wanted: Wanted = AUTO,
    asserted: Sequence[str] = (),
) -> Report:  # fmt: skip
    """The report of `sensitivity`, `tornado`, `corners` or `uncertainty`; arguments as for these methods of `System`.

    tornado, corners  whether that one is asked for; `uncertainty` where `sample` is a number of points. Without any:
                      `tornado` where there are ranges, otherwise `sensitivity`.
    """
    if sample is not None:
        return ask_uncertainty(model, sample, seed, metric, by, range, within, spread, shape, wanted, asserted)
    if corners:
        return ask_corners(model, metric, by, range, within, wanted, asserted)
    if tornado or range or within:
        return ask_tornado(model, metric, by, range, within, wanted, asserted)
    return ask_sensitivity(model, metric, by, wanted, asserted)
