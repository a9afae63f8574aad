"""Knees as a report: one row per knee and definition, with what happens there and one step beyond.

The intervals of knees by the calibration of parameters: where they are, and what happens at their stated places.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from qnet.errors import NoAnswer, Problem, QnetError
from qnet.expression import Expression
from qnet.lazy import np
from qnet.model.conditions import Condition, condition
from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.knee.curve import grown, whole_places
from qnet.questions.knee.knee import answered_knees, around, knee
from qnet.questions.knee.knees import DEFINITIONS, Knee, Knees
from qnet.questions.knee.mix import MixAnswers, rate_and_time
from qnet.questions.points.answers import Answers
from qnet.questions.points.points import Part
from qnet.questions.presentation.assertions import conditions, failing, told
from qnet.questions.presentation.columns import effect_notes
from qnet.questions.presentation.labels import all_exact, label
from qnet.questions.presentation.provenance import Basis
from qnet.questions.presentation.trust import approximate_notes, percentile_notes
from qnet.questions.uncertainty.carried import Doubts, moved_model
from qnet.reports.content import Cell, Column, Note, Plot
from qnet.reports.report import Report
from qnet.units import format_quantity


def doubted(
    model: Model, found: Sequence[Knees], again: Callable[[Model], list[Knees]]
) -> tuple[list[tuple[Cell, ...]], list[Note]]:
    """Both ends of the customers, or the rate, of every knee, and of throughput and response at its stated place.

    again    finds the knees of the model with another value of a parameter.
    Returns  for every knee of every axis the cells of `knee_report.DOUBT`, and notes on what they rest on.
    """
    known: dict[tuple[str, float], dict[str, Knees]] = {}

    def with_value(name: str, value: float) -> dict[str, Knees]:
        if (name, value) not in known:
            try:
                known[name, value] = {item.axis.name: item for item in again(moved_model(model, name, value))}
            except QnetError:
                known[name, value] = {}
        return known[name, value]

    rows: list[tuple[Cell, ...]] = []
    notes: dict[Note, None] = {}
    for item in found:
        doubts = Doubts(model, [name for name, _ in item.axis.shown])
        ends, lame = _ends(item, doubts, with_value)
        rows += ends
        notes.update(dict.fromkeys(doubts.notes(lame)))
    return rows, list(notes)


def _ends(
    found: Knees, doubts: Doubts, with_value: Callable[[str, float], dict[str, Knees]]
) -> tuple[list[tuple[Cell, ...]], bool]:
    """The cells of an axis, and whether some step had no answer."""

    def moved(steps: list[tuple[int, float]]) -> Any:
        names = [(doubts.names[place], value) for place, value in steps]
        return np.array([_figures_doubt(found, with_value(*one).get(found.axis.name)) for one in names])

    carried = doubts.carried(np.array(_figures_doubt(found, found)), moved)
    ends = np.stack([carried.low, carried.high], axis=1)
    rows: list[tuple[Cell, ...]] = []
    for place in range(len(found.knees)):
        where, *others = [[_cell(value) for value in pair] for pair in ends[:, :, place]]
        empty: list[Cell] = [None, None]
        both = [*where, *empty] if found.axis.closed else [*empty, *where]
        rows.append((*both, *(cell for pair in others for cell in pair)))
    return rows, carried.lame


def _figures_doubt(stated: Knees, found: Knees | None) -> list[list[float]]:
    """By knee of the stated model: where it is in the other, and throughput and response there at its stated place."""
    nothing = float("nan")
    figures = [[nothing] * len(stated.knees) for _ in range(3)]
    if found is None:
        return figures
    others = {(item.definition, item.about): item for item in found.knees}
    for place, item in enumerate(stated.knees):
        other = others.get((item.definition, item.about))
        figures[0][place] = nothing if other is None or item.status != "ok" else _where(other)
    answered = answered_knees(stated)
    if answered:
        there = found.curve.answers(np.array([item.value for item in answered], dtype=float))
        rates, times = rate_and_time(there, lambda part: part.solution.throughput, lambda part: part.solution.response)
        for number, item in enumerate(answered):
            if there.answered[number]:
                place = next(place for place, one in enumerate(stated.knees) if one is item)
                figures[1][place], figures[2][place] = float(rates[number]), float(times[number])
    return figures


def _where(item: Knee) -> float:
    """Customers between whole numbers, or the rate."""
    place = item.real if item.axis.closed else item.value
    if item.status != "ok" or place is None:
        return float("nan")
    return float(item.axis.customers(np.array([place])).sum()) if item.axis.closed else place


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

`throughput` and `response` are the metrics of these names, of all classes together, as limits and assertions mean them.
Where some classes stay as they are, `growing` names the others, and the columns after it are theirs: the curve on which
n_star, power, curvature and multiple are knees.
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
"""The intervals that the doubt of calibrated parameters leaves, where a model states it: of the place of the knee, and
of throughput and response at the place that is told."""

_NOTHING: tuple[Cell, ...] = (None,) * 11
_DRAWN = 41
"""Points of a curve that is drawn."""


def knee_report(
    model: Model,
    vary: str = "",
    limits: Sequence[str] = (),
    multiple: float | None = None,
    definitions: Sequence[str] = (),
    wanted: Wanted = AUTO,
    asserted: Sequence[str] = (),
    curve: bool = False,
) -> Report:
    """Find the knees of a model and tell them; the arguments are those of `knee.knee`.

    vary, limits   as the model states them where they are left out.
    asserted  conditions that must hold at every knee; those that are false stand in `broken` of the report.
    curve     also rows along the curve, to draw it.
    Raises    as `knee.knee`; `NoAnswer` where no definition has a knee.
    """
    vary, limits = vary or model.knee_question.vary, tuple(limits) or model.knee_question.limits
    claimed = conditions(asserted, model)
    found = knee(model, vary, limits, multiple, definitions, wanted)
    _refuse_all_missing(model, found)
    rows: list[tuple[Cell, ...]] = []
    drawn: list[tuple[Cell, ...]] = []
    answers: list[Answers | MixAnswers] = []
    problems: list[Problem] = []
    for item in found:
        answered, there, beyond = around(item)
        rows += _told(item, answered, there, beyond)
        drawn += _curve(item) if curve else []
        answers.append(there)
        problems += [problem for claim in claimed for problem in _false(claim, answered, there)] if answered else []
        missing = [one.definition for one in item.knees if one.status != "ok"]
        if missing:
            problems += [_unanswered(claim.source, item, missing) for claim in claimed]
    methods = tuple(dict.fromkeys(name for one in answers for name in one.methods))
    judged, parts = _judged(model, limits, claimed), [part for one in answers for part in one.parts]
    guessed = [*percentile_notes(model, judged, parts), *effect_notes(model, model.settings, judged)]
    exact = all_exact(model, judged, parts)
    trust = (", ".join(methods), label(exact))
    told, columns = [(*row, *trust) for row in rows], COLUMNS
    if model.calibration is not None:
        ends, notes = doubted(model, found, lambda other: knee(other, vary, limits, multiple, definitions, wanted))
        guessed += notes
        columns = (*COLUMNS, *DOUBT)
        told = [(*row, *more) for row, more in zip(told, ends, strict=True)]
    return Report(
        schema="qnet/knee/1",
        title=f"{model.title}: knees",
        columns=columns,
        rows=told,
        notes=(*_notes(found, answers), *guessed),
        meta=Basis(model, trust[0], exact),
        group="along",
        plot=_plot(found, drawn, (*trust, *[None] * (len(columns) - len(COLUMNS)))) if curve else None,
        broken=tuple(problems),
    )


def _judged(model: Model, limits: Sequence[str], claimed: Sequence[Condition]) -> list[Expression]:
    """What service levels and assertions are about."""
    return [item.metric for item in (*(condition(text, model) for text in limits), *claimed)]


def _refuse_all_missing(model: Model, found: Sequence[Knees]) -> None:
    """Refuse where no definition has a knee, with what every one of them says."""
    knees = [one for item in found for one in item.knees]
    if not any(one.status == "ok" for one in knees):
        alike = {one.status: [item.name for item in knees if item.status == one.status] for one in knees}
        why = "; ".join(f"{', '.join(names)}: {status}" for status, names in alike.items())
        raise NoAnswer(
            Problem("QN404", f"no knee: {why}", "another definition, another limit or a wider range", file=model.name)
        )


def _false(claim: Condition, answered: Sequence[Knee], there: Answers | MixAnswers) -> list[Problem]:
    """That an assertion is false, with the first knee at which it is, and the names of the others."""
    fails, metric = failing(there, claim)
    places = [place for place in range(there.size) if fails[place]]
    if not places:
        return []
    first = places[0]
    at = f" at {answered[first].name}"
    if len(places) > 1:
        at += f", and false at {', '.join(answered[place].name for place in places[1:])}"
    return [told(claim, float(metric[first]) if there.answered[first] else None, at)]


def _told(
    found: Knees, answered: Sequence[Knee], there: Answers | MixAnswers, beyond: Answers | MixAnswers
) -> list[tuple[Cell, ...]]:
    """The rows of one axis."""
    figures = dict(zip(map(id, answered), _figures(found, there, beyond), strict=True))
    return [_row(found, item, figures.get(id(item), _NOTHING)) for item in found.knees]


def _figures(found: Knees, there: Answers | MixAnswers, beyond: Answers | MixAnswers) -> list[tuple[Cell, ...]]:
    """From throughput to utilization, per knee."""
    closed, growing = found.axis.closed, ", ".join(found.axis.growing)
    whole = _changes(_everything(there), _everything(beyond), closed)
    own = (
        _changes(grown(found.axis, there), grown(found.axis, beyond), closed) if growing else [(None,) * 4] * there.size
    )
    names, used = _busiest(there)
    rows: list[tuple[Cell, ...]] = []
    for place in range(there.size):
        if not there.answered[place]:
            rows.append(_NOTHING)
            continue
        station = str(names[place]) or None
        rows.append((*whole[place], growing or None, *own[place], station, float(used[place])))
    return rows


def _everything(answers: Answers | MixAnswers) -> tuple[Any, Any]:
    """Throughput and mean response of all classes together, per point."""
    return rate_and_time(answers, lambda part: part.solution.throughput, lambda part: part.solution.response)


def _changes(here: tuple[Any, Any], beyond: tuple[Any, Any], closed: bool) -> list[tuple[Cell, ...]]:
    """Throughput, response, response one step beyond and slope, per knee; nothing beyond where there is no answer."""
    rows: list[tuple[Cell, ...]] = []
    for throughput, response, further in zip(*here, beyond[1], strict=True):
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
        found = (item.utilization for item in part.solution.stations if item.label == label)
        return next((value for value in found if value is not None), 0.0)

    columns = [there.gather(lambda part, label=label: used(part, label)).tolist() for label in labels]
    rows = [max(zip(row, labels, strict=True), key=lambda pair: pair[0]) for row in zip(*columns, strict=True)]
    rows = rows or [(0.0, "")] * there.size
    return [name for _, name in rows], [value for value, _ in rows]


def _row(found: Knees, item: Knee, figures: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """The cells of a knee, method and exactness apart."""
    axis = found.axis
    real, whole, rate = (None, None, item.value) if not axis.closed else (*_people(item), None)
    setting = axis.setting(item.value) if item.value is not None else None
    source = DEFINITIONS.get(item.definition.removesuffix("_unloaded"))
    return (
        axis.name, item.definition, item.about or None, real, whole, rate, setting, *figures, found.saturating or None,
        source, item.status,
    )  # fmt: skip


def _people(item: Knee) -> tuple[float | None, float | None]:
    """How many customers there are at a knee: between whole numbers, and in whole numbers."""
    if item.real is None or item.value is None:
        return None, None
    real, whole = item.axis.customers(np.array([item.real, item.value])).sum(0)
    return float(real), int(whole) if whole == int(whole) else float(whole)


def _curve(found: Knees) -> list[tuple[Cell, ...]]:
    """Rows along the curve, to a little beyond the last knee, and along a rate up to the last one."""
    values = [item.value for item in found.knees if item.value is not None]
    if not values:
        return []
    end = max(values)
    if found.axis.closed:
        places = whole_places(1.0, min(1.2 * end, found.axis.last), _DRAWN)
    else:
        places = np.linspace(0.0, end, _DRAWN + 1)[1:-1]
    answers = found.curve.answers(places)
    throughput, response = _everything(answers)
    return [
        _row(
            found,
            Knee(axis=found.axis, definition="curve", about="", status="ok", real=float(value), value=float(value)),
            (float(throughput[place]), float(response[place]), *(None,) * (len(_NOTHING) - 2)),
        )
        for place, value in enumerate(places)
        if answers.answered[place]
    ]


def _plot(found: Sequence[Knees], drawn: Sequence[tuple[Cell, ...]], trust: tuple[Cell, ...]) -> Plot:
    closed = any(item.axis.closed for item in found)
    by = ("along", "definition") if len(found) > 1 else ("definition",)
    return Plot("population" if closed else "rate", ("response",), by, [(*row, *trust) for row in drawn])


def _unanswered(source: str, found: Knees, missing: Sequence[str]) -> Problem:
    names = ", ".join(dict.fromkeys(missing))
    return Problem("QN608", f"asserted {source}, there is no answer for {names} along {found.axis.name}")


def _notes(found: Sequence[Knees], answers: Sequence[Answers | MixAnswers]) -> tuple[Note, ...]:
    reasons = dict.fromkeys(reason for one in answers for reason in one.reasons)
    notes = approximate_notes(reasons)
    for item in found:
        name = item.axis.name
        if item.curve.why:
            notes.append(Note("QN607", f"along {name}: {item.curve.why}"))
        growing = f" of {', '.join(item.axis.growing)}" if item.axis.growing else ""
        floor = f"along {name}: the first customer{growing} is answered in {format_quantity(item.floor, 's', 6)}"
        if growing:
            everybody = float(_everything(item.curve.answers(np.array([item.first])))[1][0])
            floor += f", and all classes in {format_quantity(everybody, 's', 6)} on average"
        if item.span > 1:
            floor += f"; curvature is measured over {item.span:g} customers to each side"
        notes.append(Note("QN616", floor))
        if item.axis.mix:
            text = (
                f"along {name}: figures are those of the mix in its exact proportions, between those of the "
                "integer populations around it; the setting is the nearest integer population"
            )
            notes.append(Note("QN648", text))
        if item.dependent:
            text = f"demands depend on {name}: n_star is with those at that number, n_star_unloaded with the first's"
            notes.append(Note("QN617", text))
        for one in item.knees:
            if one.also:
                places = ", ".join(format_quantity(place, "" if item.axis.closed else "/s", 6) for place in one.also)
                text = f"along {name}: {one.about} changes again at {places}; the first crossing is the knee"
                notes.append(Note("QN615", text, "warning"))
    missing = sum(one.status != "ok" for item in found for one in item.knees)
    if missing:
        count = sum(len(item.knees) for item in found)
        notes.append(Note("QN618", f"{missing} of {count} knees do not exist; their status says why"))
    return tuple(notes)
