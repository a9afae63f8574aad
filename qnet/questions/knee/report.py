"""The report on knees: one row per knee and definition, with the figures there and one step beyond, and intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from qnet.errors import NoAnswer, Problem, QnetError
from qnet.expression import Expression
from qnet.expression.nodes import Name
from qnet.lazy import lazy, np
from qnet.model.column_names import column_key
from qnet.model.conditions import Condition, condition
from qnet.model.model import Model
from qnet.networks.reasons import approximate_notes
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.knee.curve import CurvePoint, everything, grown, integer_points
from qnet.questions.knee.knee import answered_knees, around, knee
from qnet.questions.knee.knees import DEFINITIONS, Knee, Knees
from qnet.questions.knee.mix import MixAnswers, rate_and_time
from qnet.questions.points.answers import Answers
from qnet.questions.points.points import Part
from qnet.questions.presentation.assertions import conditions, failing, failure
from qnet.questions.presentation.columns import effect_notes
from qnet.questions.presentation.labels import all_exact, label, means_exact, method_list, percentile_notes
from qnet.questions.presentation.marks import limit_marks
from qnet.questions.presentation.provenance import Basis
from qnet.reports.content import Cell, Column, Mark, Note, Plot
from qnet.reports.report import Report
from qnet.units import base_unit, format_quantity

if TYPE_CHECKING:
    from qnet.questions import uncertainty
    from qnet.questions.presentation import summaries
else:
    summaries = lazy("qnet.questions.presentation.summaries")
    uncertainty = lazy("qnet.questions.uncertainty")


def _intervals(
    model: Model, result: Sequence[Knees], again: Callable[[Model], list[Knees]]
) -> tuple[list[tuple[Cell, ...]], list[Note]]:
    """The intervals of the position of every knee, and of throughput and response at its stated load.

    again    computes the knees of a model with another value of a parameter.
    Returns  the cells of `DOUBT` for every knee of every axis, and notes on them.
    """
    known: dict[tuple[str, float], dict[str, Knees]] = {}

    def with_value(name: str, value: float) -> dict[str, Knees]:
        if (name, value) not in known:
            try:
                known[name, value] = {
                    item.axis.name: item for item in again(uncertainty.moved_model(model, name, value))
                }
            except QnetError:
                known[name, value] = {}
        return known[name, value]

    rows: list[tuple[Cell, ...]] = []
    notes: dict[Note, None] = {}
    for item in result:
        doubts = uncertainty.Doubts(model, [name for name, _ in item.axis.shown])
        ends, lame = _ends(item, doubts, with_value)
        rows += ends
        notes.update(dict.fromkeys(doubts.notes(lame)))
    return rows, list(notes)


def _ends(
    knees: Knees, doubts: uncertainty.Doubts, with_value: Callable[[str, float], dict[str, Knees]]
) -> tuple[list[tuple[Cell, ...]], bool]:
    """The cells of an axis, and whether some step had no answer."""

    def moved(steps: list[tuple[int, float]]) -> Any:
        names = [(doubts.names[index], value) for index, value in steps]
        return np.array([_figures_of(knees, with_value(*one).get(knees.axis.name)) for one in names])

    carried = doubts.carried(np.array(_figures_of(knees, knees)), moved)
    ends = np.stack([carried.low, carried.high], axis=1)
    rows: list[tuple[Cell, ...]] = []
    for index in range(len(knees.knees)):
        where, *others = [[_cell(value) for value in pair] for pair in ends[:, :, index]]
        empty: list[Cell] = [None, None]
        both = [*where, *empty] if knees.axis.closed else [*empty, *where]
        rows.append((*both, *(cell for pair in others for cell in pair)))
    return rows, carried.lame


def _figures_of(stated: Knees, result: Knees | None) -> list[list[float]]:
    """For each knee of the stated model, its position in another one, and throughput and response of that one at the
    stated load; NaN without an answer."""
    nothing = float("nan")
    figures = [[nothing] * len(stated.knees) for _ in range(3)]
    if result is None:
        return figures
    others = {(item.definition, item.about): item for item in result.knees}
    for index, item in enumerate(stated.knees):
        other = others.get((item.definition, item.about))
        figures[0][index] = nothing if other is None or item.status != "ok" else _position(other)
    answered = answered_knees(stated)
    if answered:
        there = result.curve.answers(np.array([item.value for item in answered], dtype=float))
        rates, times = rate_and_time(there, lambda part: part.solution.throughput, lambda part: part.solution.response)
        for number, item in enumerate(answered):
            if there.answered[number]:
                index = next(index for index, one in enumerate(stated.knees) if one is item)
                figures[1][index], figures[2][index] = float(rates[number]), float(times[number])
    return figures


def _position(item: Knee) -> float:
    """The number of customers, not rounded, or the rate of a knee; NaN where there is none."""
    position = item.real if item.axis.closed else item.value
    if item.status != "ok" or position is None:
        return float("nan")
    return float(item.axis.customers(np.array([position])).sum()) if item.axis.closed else position


def _cell(value: Any) -> Cell:
    return float(value) if abs(value) < float("inf") else None


COLUMNS = (
    Column("along", "along"),
    Column("definition", "definition"),
    Column("about", "about"),
    Column("population_real", "population, real"),
    Column("population", "population"),
    Column("rate", "rate", "/s"),
    Column("setting", "setting"),
    Column("throughput", "throughput", "/s"),
    Column("response", "response", "s"),
    Column("response_beyond", "response beyond", "s"),
    Column("slope", "slope", "s"),
    Column("growing", "growing"),
    Column("growing_throughput", "growing throughput", "/s"),
    Column("growing_response", "growing response", "s"),
    Column("growing_response_beyond", "growing response beyond", "s"),
    Column("growing_slope", "growing slope", "s"),
    Column("busiest_station", "busiest station"),
    Column("utilization", "utilization"),
    Column("saturates", "saturates first"),
    Column("source", "source"),
    Column("status", "status"),
    Column("method", "method", footed=True),
    Column("exactness", "exactness", footed=True),
)
"""`definition` is a name of `DEFINITIONS`, or `n_star_unloaded`.

`throughput` and `response` are those of all classes together, as in limits and assertions. Where some classes are
constant, `growing` names the others, and the columns after it are theirs: the curve on which n_star, power, curvature
and multiple are knees.
"""

DOUBT = (
    Column("population_real_low", "population low"),
    Column("population_real_high", "population high"),
    Column("rate_low", "rate low", "/s"),
    Column("rate_high", "rate high", "/s"),
    Column("throughput_low", "throughput low", "/s"),
    Column("throughput_high", "throughput high", "/s"),
    Column("response_low", "response low", "s"),
    Column("response_high", "response high", "s"),
)
"""The intervals from the uncertainty of calibrated parameters, where a model states it: of the position of the knee,
and of throughput and response there."""

_NOTHING: tuple[Cell, ...] = (None,) * 11
_DRAWN = 41
"""Points of a plotted curve."""


def knee_report(
    model: Model,
    vary: str = "",
    limit: Sequence[str] = (),
    multiple: float | None = None,
    definition: Sequence[str] = (),
    wanted: Wanted = AUTO,
    asserted: Sequence[str] = (),
    curve: bool = False,
) -> Report:
    """Find the knees of a model and report them; the arguments are those of `knee.knee`.

    vary, limit  default: those that the model states.
    asserted     conditions that must hold at every knee; those that are false stand in `broken` of the report.
    curve        whether rows along the curve are added, to plot it.
    Raises       what `knee.knee` raises; `NoAnswer` where no definition has a knee.
    """
    vary, limits = vary or model.knee_question.vary, tuple(limit) or model.knee_question.limits
    claimed = conditions(asserted, model)
    timed = _on_times(model, limits)
    result = knee(model, vary, limits, multiple, definition, wanted)
    _refuse_all_missing(model, result)
    rows: list[tuple[Cell, ...]] = []
    drawn: list[tuple[Cell, ...]] = []
    answers: list[Answers | MixAnswers] = []
    problems: list[Problem] = []
    for item, (answered, there, beyond) in zip(result, around(result), strict=True):
        rows += _reported(item, answered, there, beyond)
        drawn += _curve(item, timed) if curve else []
        answers.append(there)
        problems += [problem for claim in claimed for problem in _false(claim, answered, there)] if answered else []
        missing = [one.definition for one in item.knees if one.status != "ok"]
        if missing:
            problems += [_unanswered(claim.source, item, missing) for claim in claimed]
    methods = tuple(dict.fromkeys(name for one in answers for name in one.methods))
    judged, parts = _judged(model, limits, claimed), [part for one in answers for part in one.parts]
    notes = [*percentile_notes(model, judged, parts), *effect_notes(model, model.settings, judged)]
    exact = all_exact(model, judged, parts)
    trust = (method_list(methods), label(exact))
    labels = {text: label(all_exact(model, [condition(text, model).metric], parts)) for text in limits}
    means = label(all_exact(model, (), parts))
    if multiple is not None:
        rows = [_with_source(row, "multiple", "stated multiple") for row in rows]
    about = [column.key for column in COLUMNS].index("about")
    listed, columns = [(*row, trust[0], labels.get(str(row[about]), means)) for row in rows], COLUMNS
    if model.calibration is not None:
        ends, more = _intervals(model, result, lambda other: knee(other, vary, limits, multiple, definition, wanted))
        notes += more
        columns = (*COLUMNS, *DOUBT)
        listed = [(*row, *interval) for row, interval in zip(listed, ends, strict=True)]
    return Report(
        schema="qnet/knee/1",
        title=f"{model.title}: knees",
        columns=columns,
        rows=listed,
        readable=[_rounded(row) for row in listed],
        notes=(*_notes(result, answers), *notes),
        meta=Basis(model, trust[0], exact, means=means_exact(model, judged, parts)),
        group="along",
        plot=_plot(model, result, drawn, (*trust, *[None] * (len(columns) - len(COLUMNS))), timed) if curve else None,
        broken=tuple(problems),
        summary=lambda report: summaries.of_knees(report),
    )


def _judged(model: Model, limits: Sequence[str], claimed: Sequence[Condition]) -> list[Expression]:
    """The metrics of service levels and assertions."""
    return [item.metric for item in (*(condition(text, model) for text in limits), *claimed)]


def _refuse_all_missing(model: Model, result: Sequence[Knees]) -> None:
    """Raise `NoAnswer` where no definition has a knee, with the status of each."""
    knees = [one for item in result for one in item.knees]
    if not any(one.status == "ok" for one in knees):
        by_status = {one.status: [item.name for item in knees if item.status == one.status] for one in knees}
        why = "; ".join(f"{', '.join(names)}: {status}" for status, names in by_status.items())
        raise NoAnswer(
            Problem("QN404", f"no knee: {why}", "another definition, another limit or a wider range", file=model.name)
        )


def _false(claim: Condition, answered: Sequence[Knee], there: Answers | MixAnswers) -> list[Problem]:
    """The problem of a false assertion, with the first knee at which it is false, and the names of the others."""
    fails, metric = failing(there, claim)
    indices = [index for index in range(there.size) if fails[index]]
    if not indices:
        return []
    first = indices[0]
    at = f" at {answered[first].name}"
    if len(indices) > 1:
        at += f", and false at {', '.join(answered[index].name for index in indices[1:])}"
    return [failure(claim, float(metric[first]) if there.answered[first] else None, at)]


def _reported(
    knees: Knees, answered: Sequence[Knee], there: Answers | MixAnswers, beyond: Sequence[CurvePoint]
) -> list[tuple[Cell, ...]]:
    """The rows of one axis."""
    figures = dict(zip(map(id, answered), _figures(knees, there, beyond), strict=True))
    return [_row(knees, item, figures.get(id(item), _NOTHING)) for item in knees.knees]


def _figures(knees: Knees, there: Answers | MixAnswers, beyond: Sequence[CurvePoint]) -> list[tuple[Cell, ...]]:
    """The cells from throughput to utilization, per knee."""
    closed, growing = knees.axis.closed, ", ".join(knees.axis.growing)
    overall = _changes(everything(there), [point.overall[1] for point in beyond], closed)
    further = [point.response for point in beyond]
    of_growing = _changes(grown(knees.axis, there), further, closed) if growing else [(None,) * 4] * there.size
    names, used = _busiest(there)
    rows: list[tuple[Cell, ...]] = []
    for index in range(there.size):
        if not there.answered[index]:
            rows.append(_NOTHING)
            continue
        station = str(names[index]) or None
        rows.append((*overall[index], growing or None, *of_growing[index], station, float(used[index])))
    return rows


def _changes(here: tuple[Any, Any], beyond: Sequence[float], closed: bool) -> list[tuple[Cell, ...]]:
    """Throughput, response, response one step beyond and slope, per knee; nothing beyond where there is no answer."""
    rows: list[tuple[Cell, ...]] = []
    for throughput, response, further in zip(*here, beyond, strict=True):
        after = None if math.isnan(further) else float(further)
        slope = after - float(response) if after is not None and closed else None
        rows.append((float(throughput), float(response), after, slope))
    return rows


def _busiest(there: Answers | MixAnswers) -> tuple[list[str], list[float]]:
    """The label of the most used queueing station and its utilization, per point; empty and 0 where there is none."""
    labels = dict.fromkeys(
        item.label for part in there.parts for item in part.solution.stations if item.utilization is not None
    )

    def used(part: Part, label: str) -> Any:
        result = (item.utilization for item in part.solution.stations if item.label == label)
        return next((value for value in result if value is not None), 0.0)

    columns = [there.gather(lambda part, label=label: used(part, label)).tolist() for label in labels]
    rows = [max(zip(row, labels, strict=True), key=lambda pair: pair[0]) for row in zip(*columns, strict=True)]
    rows = rows or [(0.0, "")] * there.size
    return [name for _, name in rows], [value for value, _ in rows]


def _row(knees: Knees, item: Knee, figures: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """The cells of a knee without method and exactness."""
    axis = knees.axis
    real, integer, rate = (None, None, item.value) if not axis.closed else (*_populations(item), None)
    setting = axis.setting(item.value) if item.value is not None else None
    source = DEFINITIONS.get(item.definition.removesuffix("_unloaded"))
    return (
        axis.name, item.definition, item.about or None, real, integer, rate, setting, *figures,
        knees.saturating or None, source, item.status,
    )  # fmt: skip


def _with_source(row: tuple[Cell, ...], definition: str, source: str) -> tuple[Cell, ...]:
    """The row with another source, if it is of the given definition."""
    keys = [column.key for column in COLUMNS]
    at = keys.index("source")
    return (*row[:at], source, *row[at + 1 :]) if row[keys.index("definition")] == definition else row


def _rounded(row: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """The row with its setting rounded for reading."""
    at = [column.key for column in COLUMNS].index("setting")
    return (*row[:at], summaries.rounded(str(row[at])) if row[at] else row[at], *row[at + 1 :])


def _on_times(model: Model, limits: Sequence[str]) -> list[Condition]:
    """The limits on times, such as `response_p95 <= 80 ms`, whose curves are plotted."""
    asked = (condition(text, model) for text in limits)
    return [item for item in asked if base_unit(item.dimension) == "s" and _figure(item)]


def _figure(limit: Condition) -> str:
    """The figure of a limit; empty for an expression."""
    root = limit.metric.root
    return root.name if isinstance(root, Name) else ""


def _populations(item: Knee) -> tuple[float | None, float | None]:
    """The number of customers at a knee: not rounded, and as an integer."""
    if item.real is None or item.value is None:
        return None, None
    real, integer = item.axis.customers(np.array([item.real, item.value])).sum(0)
    return float(real), int(integer) if integer == int(integer) else float(integer)


def _curve(knees: Knees, timed: Sequence[Condition]) -> list[tuple[Cell, ...]]:
    """Rows along the curves of the mean response and of other limited times, to a little beyond the last knee; along a
    rate, up to the last knee."""
    values = [item.value for item in knees.knees if item.value is not None]
    if not values:
        return []
    end = max(values)
    if knees.axis.closed:
        loads = integer_points(1.0, min(1.2 * end, knees.axis.last), _DRAWN)
    else:
        loads = np.linspace(0.0, end, _DRAWN + 1)[1:-1]
    if knees.curve.confirmed:
        knees.curve.confirmed |= set(loads.tolist())
    answers = knees.curve.answers(loads)
    throughput, response = everything(answers)
    curves: dict[str, Any] = {"": response}
    curves |= {_figure(item): answers.of(item.metric) for item in timed if _figure(item) != "response"}
    return [
        _row(
            knees,
            Knee(axis=knees.axis, definition="curve", about=name, status="ok", real=float(value), value=float(value)),
            (float(throughput[index]), float(times[index]), *(None,) * (len(_NOTHING) - 2)),
        )
        for name, times in curves.items()
        for index, value in enumerate(loads)
        if answers.answered[index] and math.isfinite(times[index])
    ]


def _plot(
    model: Model, result: Sequence[Knees], drawn: Sequence[tuple[Cell, ...]], trust: tuple[Cell, ...],
    timed: Sequence[Condition],
) -> Plot:  # fmt: skip
    """The curves with the knees as vertical lines and the service levels as horizontal ones."""
    closed = any(item.axis.closed for item in result)
    along = "population" if closed else "rate"
    names = [name for item in result for name, _ in item.axis.shown]
    figures = [Column(column_key(_figure(item)), "", "s") for item in timed]
    levels = [mark.replace(column="response") for mark in limit_marks(model, timed, figures, names)]
    return Plot(
        x=along,
        y=("response",),
        by=("along", "about") if len(result) > 1 else ("about",),
        rows=[(*row, *trust) for row in drawn],
        title="response time and knees",
        marks=(*levels, *_knee_marks(result, along, closed)),
        curves=True,
    )


def _knee_marks(result: Sequence[Knees], along: str, closed: bool) -> Iterator[Mark]:
    for item in result:
        for one in item.knees:
            value = _position(one)
            if item.axis.closed != closed or math.isnan(value):
                continue
            name = f"{item.axis.name}: {one.definition}" if len(result) > 1 else one.definition
            yield Mark(along, value, f"{name} {format_quantity(value, '' if closed else '/s')}")


def _unanswered(source: str, knees: Knees, missing: Sequence[str]) -> Problem:
    names = ", ".join(dict.fromkeys(missing))
    return Problem("QN608", f"asserted {source}, but there is no answer for {names} along {knees.axis.name}")


def _notes(result: Sequence[Knees], answers: Sequence[Answers | MixAnswers]) -> tuple[Note, ...]:
    reasons = dict.fromkeys(reason for one in answers for reason in one.reasons)
    notes = approximate_notes(reasons, [method for one in answers for method in one.methods])
    for item in result:
        name = item.axis.name
        if item.curve.why:
            notes.append(Note("QN607", f"along {name}: {item.curve.why}"))
        growing = f" of {', '.join(item.axis.growing)}" if item.axis.growing else ""
        floor = f"{name}: response time of one customer{growing} is {format_quantity(item.floor, 's', 6)}"
        if growing:
            mean = item.curve.points([item.first])[0].overall[1]
            floor += f", the mean of all classes {format_quantity(mean, 's', 6)}"
        if item.span > 1:
            floor += f"; curvature is measured over {item.span:g} customers to each side"
        notes.append(Note("QN616", floor))
        if item.axis.mix:
            text = (
                f"along {name}: figures are those of the mix in exact proportions, interpolated between integer "
                "populations; the setting is the nearest integer population"
            )
            notes.append(Note("QN648", text))
        if item.dependent:
            text = f"demands depend on {name}: n_star uses those at that number, n_star_unloaded those of one customer"
            notes.append(Note("QN617", text))
        for one in item.knees:
            if one.also:
                crossings = ", ".join(format_quantity(index, "" if item.axis.closed else "/s", 6) for index in one.also)
                text = f"along {name}: {one.about} changes again at {crossings}; the first crossing is the knee"
                notes.append(Note("QN615", text, "warning"))
    missing = sum(one.status != "ok" for item in result for one in item.knees)
    if missing:
        count = sum(len(item.knees) for item in result)
        notes.append(Note("QN618", f"{missing} of {count} knees do not exist; their status says why"))
    return tuple(notes)
