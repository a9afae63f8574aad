"""The report on the bottleneck: parts of the response, resources in the order of saturation, and changes."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.model.bind import depends_on_population
from qnet.model.conditions import Condition
from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.bottleneck.bottleneck import Bottleneck, Resource, ResponsePart, bottleneck
from qnet.questions.points.changes import Change
from qnet.questions.points.points import needs_solution
from qnet.questions.points.solution_figures import same
from qnet.questions.presentation.columns import effect_notes
from qnet.questions.presentation.labels import all_exact, label, percentile_notes
from qnet.questions.presentation.provenance import Basis
from qnet.questions.solve.solve import claims, false_claims, trust_notes
from qnet.questions.why.limits import software_words
from qnet.reports.content import Cell, Column, Note, row_maker
from qnet.reports.report import Report

COLUMNS = (
    Column("scope", "scope"),
    Column("rank", "rank"),
    Column("route", "route"),
    Column("name", "name"),
    Column("change", "change"),
    Column("class", "class"),
    Column("copies", "copies"),
    Column("servers", "servers"),
    Column("utilization", "utilization"),
    Column("demand", "demand on a copy", "s"),
    Column("full_at", "saturates at", "/s"),
    Column("headroom", "headroom"),
    Column("full_population", "population at saturation"),
    Column("residence", "residence", "s"),
    Column("service", "service", "s"),
    Column("wait", "wait", "s"),
    Column("share", "share"),
    Column("waits_inside", "waits inside"),
    Column("response", "response", "s"),
    Column("response_ratio", "ratio"),
    Column("throughput", "throughput", "/s"),
    Column("throughput_ratio", "ratio"),
    Column("maximum_throughput", "maximum throughput", "/s"),
    Column("maximum_ratio", "ratio"),
    Column("limited_by", "limited by"),
    Column("response_lower", "response at least", "s"),
    Column("response_upper", "response at most", "s"),
    Column("status", "status"),
    Column("method", "method", footed=True),
    Column("exactness", "exactness", footed=True),
)
"""`scope` is the subject of a row: system, class, station, limit, delays, class at station, route at station, or what
if. Ratios are after to before; `share` is a share of the response, `waits_inside` of the holding time."""

_row = row_maker(COLUMNS)


def bottleneck_report(model: Model, faster: float = 2.0, wanted: Wanted = AUTO, asserted: Sequence[str] = ()) -> Report:
    """The report on the breakdown of response time, the bottleneck, and the effect of changes; see `bottleneck`.

    model     at one point: its parameters as stated or set.
    faster    the factor on the speed of a station in the changes that are tried; above 1.
    wanted    the method and its budget.
    asserted  conditions that the answer must meet; those that are false stand in `broken` of the report.
    """
    claimed = claims(asserted, model)
    result = bottleneck(model, faster, wanted)
    solution, exact = result.solution, answer_exact(result, claimed)
    return Report(
        schema="qnet/bottleneck/1",
        title=f"{model.title}: breakdown of response time",
        columns=COLUMNS,
        rows=[
            *_system(result, all_exact(model, (), result.solved.parts)),
            *_resources(result),
            *_visits(result),
            *_routes(result),
            *_changes(result),
        ],
        notes=(
            *trust_notes(solution),
            *(Note("QN641", software_words(result, item)) for item in result.software),
            *notes(result),
            *asked_notes(result, claimed),
        ),
        meta=Basis(model, solution.method, exact, means=solution.exact and not exact),
        group="scope",
        broken=false_claims(result.solved, claimed),
    )


def answer_exact(result: Bottleneck, claimed: Sequence[Condition]) -> bool:
    """Whether the means of an answer on the bottleneck are exact, and so are the metrics of all assertions.

    result   the answer.
    claimed  the asserted conditions.
    """
    return all_exact(result.model, [item.metric for item in claimed], result.solved.parts)


def asked_notes(result: Bottleneck, claimed: Sequence[Condition]) -> list[Note]:
    """Notes on approximate percentiles, where an assertion names one, and on settings without effect.

    result   the answer on the bottleneck, with its model and the parameters that were set.
    claimed  the asserted conditions.
    """
    asked = [item.metric for item in claimed]
    notes = percentile_notes(result.model, asked, result.solved.parts)
    return [*notes, *effect_notes(result.model, result.model.settings, asked)]


def notes(result: Bottleneck) -> list[Note]:
    """Notes on the figures of a bottleneck.

    result   the answer. Notes are on waits inside holds that saturate a station early, on demands that depend on the
             population or on the solution, on changes without an answer or by another method, and on stations left out.
    """
    listed: list[Note] = result.edge.notes
    first = result.ranked[0] if result.ranked else None
    full = [item.full_at for item in result.ranked if item.full_at is not None]
    if first and result.maximum and not any(same(result.maximum, at) for at in full) and result.maximum < min(full):
        text = f"waiting inside holds ends the steady state before the service times alone saturate {first.label}"
        listed.append(Note("QN623", text))
    if depends_on_population(result.model):
        listed.append(Note("QN624", "demands depend on the population: saturation is computed with the present ones"))
    elif needs_solution(result.model):
        listed.append(Note("QN624", "times depend on the solution: saturation is computed with the present ones"))
    unanswered = [change for change in result.changes if change.status != "ok"]
    if unanswered:
        text = f"{len(unanswered)} of {len(result.changes)} changes have no answer; their status says why"
        listed.append(Note("QN625", text, "warning"))
    if any(change.exact != result.solution.exact for change in result.changes if change.status == "ok"):
        text = "not all changes are solved as exactly as the answer; ratios compare answers of the same method"
        listed.append(Note("QN627", text, "warning"))
    elif not result.solution.exact and result.before.method not in ("", result.solution.method):
        text = f"within the budget that the changes share, they are solved by {result.before.method}, not by "
        text += f"{result.solution.method}; ratios compare answers of the same method"
        listed.append(Note("QN627", text, "warning"))
    if any(change.cut for change in (result.before, *result.changes)):
        text = "saturation throughputs of changes are left out where the search takes more than --operations"
        listed.append(Note("QN747", text, "warning"))
    if result.left_out:
        text = f"changes were tried at the stations that matter most; {len(result.left_out)} stations are left out"
        listed.append(Note("QN626", text))
    return listed


_Rows = list[tuple[Cell, ...]]


def _system(result: Bottleneck, exact: bool) -> _Rows:
    solution = result.solution
    trust = {"method": solution.method, "exactness": label(exact)}
    rows = [
        _row(
            scope="system",
            response=float(solution.response),
            throughput=float(solution.throughput),
            maximum_throughput=result.maximum,
            limited_by=result.limited_by,
            **trust,
        )
    ]
    if len(solution.classes) == 1 and not solution.classes[0].enclosed:
        return rows
    return rows + [
        _row(
            scope="class",
            name=item.name,
            response=float(item.response),
            throughput=float(item.throughput),
            response_lower=item.enclosed[2] if item.enclosed else None,
            response_upper=item.enclosed[3] if item.enclosed else None,
        )
        for item in solution.classes
    ]


def _resources(result: Bottleneck) -> _Rows:
    stations = [_row(scope="station", **_resource(resource)) for resource in result.resources if resource.part]
    limits = [_row(scope="limit", **_resource(resource)) for resource in result.resources if not resource.part]
    return [*stations, *limits, *_outside(result)]


def _outside(result: Bottleneck) -> _Rows:
    """The part of the response outside stations, with a name where it is not only delays."""
    if result.delays is None:
        return []
    reported = result.in_words(result.delays)
    return [_row(scope="delays", name=None if reported == "delays" else reported, **_part(result.delays))]


def _resource(resource: Resource) -> dict[str, Cell]:
    details: dict[str, Cell] = {
        "rank": resource.rank,
        "name": resource.label,
        "copies": resource.copies,
        "servers": resource.servers,
        "utilization": resource.utilization,
        "demand": resource.demand,
        "full_at": resource.full_at,
        "headroom": resource.headroom,
        "full_population": resource.full_population,
        "waits_inside": resource.waits_inside,
    }
    return details | (_part(resource.part) if resource.part else {})


def _part(part: ResponsePart) -> dict[str, Cell]:
    return {"residence": part.residence, "service": part.service, "wait": part.wait, "share": part.share}


def _visits(result: Bottleneck) -> _Rows:
    return [
        _row(
            scope="class at station",
            name=item.part.label,
            class_=item.class_name,
            demand=item.demand,
            full_at=item.full_at,
            **_part(item.part),
        )
        for item in result.visits
    ]


def _routes(result: Bottleneck) -> _Rows:
    return [
        _row(
            scope="route at station",
            route=item.route,
            class_=item.class_name,
            name=result.in_words(item.part),
            **_part(item.part),
        )
        for item in result.routes
    ]


def _changes(result: Bottleneck) -> _Rows:
    rows: _Rows = []
    for change in result.changes:
        rows.append(_row(scope="what if", name=change.station, change=change.what, **_change(result, change)))
        if len(change.classes) > 1:
            before = {item.name: item for item in result.before.classes}
            rows += [
                _row(
                    scope="what if",
                    name=change.station,
                    change=change.what,
                    class_=item.name,
                    **_compared("response", item.response, before[item.name].response),
                    **_compared("throughput", item.throughput, before[item.name].throughput),
                    maximum_throughput=item.maximum,
                )
                for item in change.classes
            ]
    return rows


def _change(result: Bottleneck, change: Change) -> dict[str, Cell]:
    return {
        **_compared("response", change.response, result.before.response),
        **_compared("throughput", change.throughput, result.before.throughput),
        "maximum_throughput": change.maximum,
        "maximum_ratio": _ratio(change.maximum, result.before.maximum),
        "limited_by": change.limited_by,
        "status": change.status,
        "exactness": label(change.exact) if change.status == "ok" else None,
    }


def _compared(key: str, after: float | None, before: float | None) -> dict[str, Cell]:
    return {key: after, f"{key}_ratio": _ratio(after, before)}


def _ratio(after: float | None, before: float | None) -> float | None:
    return after / before if after is not None and before else None
