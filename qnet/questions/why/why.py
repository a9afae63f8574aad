"""The response time of a system explained: findings, each a sentence with its number, and the report with its tables.

The findings on priorities and on parallel steps are made here, all others in the modules next to this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qnet.errors import NoAnswer
from qnet.model.conditions import Condition
from qnet.model.model import Model
from qnet.networks.duration import Wait
from qnet.networks.exactness import ranked
from qnet.networks.solution import BranchFigures, RoutedSolution
from qnet.networks.streams import Stream
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.bottleneck.bottleneck import Bottleneck, ResponsePart, bottleneck
from qnet.questions.bottleneck.report import answer_exact, asked_notes, notes
from qnet.questions.presentation.labels import trust_notes
from qnet.questions.presentation.provenance import Basis, command_line, used
from qnet.questions.solve.solve import claims, false_claims
from qnet.questions.why.brief import brief as in_brief
from qnet.questions.why.brief import sentences
from qnet.questions.why.findings import (
    ANSWER,
    FULL,
    HELP,
    ROUTES,
    SECTIONS,
    SOURCES,
    TIME,
    TRUST,
    Finding,
    listed,
    percent,
    time_of,
)
from qnet.questions.why.limits import best, full, helps, ordered, software
from qnet.questions.why.overload import OPTIONAL, Overload, broken, overload, short, table_of
from qnet.questions.why.overload import findings as of_overload
from qnet.questions.why.time import answer, question, routes, time
from qnet.questions.why.trust import assumed, laws, sources, trust
from qnet.questions.why.work import works
from qnet.record import Record
from qnet.reports.content import Bars, Cell, Column, Mark, Note, row_maker
from qnet.reports.report import Report

COLUMNS = (
    Column("section", "section"),
    Column("text", "text"),
    Column("name", "name"),
    Column("class", "class"),
    Column("change", "change"),
    Column("quantity", "quantity"),
    Column("value", "value"),
    Column("unit", "unit"),
    Column("probability", "probability"),
    Column("utilization", "utilization"),
    Column("full_at", "saturates at", "/s"),
    Column("headroom", "headroom"),
    Column("full_population", "population at saturation"),
    Column("residence", "residence", "s"),
    Column("service", "service", "s"),
    Column("wait", "wait", "s"),
    Column("response", "response", "s"),
    Column("share", "share"),
    Column("response_ratio", "ratio"),
    Column("throughput", "throughput", "/s"),
    Column("maximum_throughput", "maximum throughput", "/s"),
    Column("limited_by", "limited by"),
    Column("stated", "stated"),
    Column("grade", "grade"),
    Column("source", "source"),
    Column("method", "method", footed=True),
    Column("exactness", "exactness", footed=True),
)
"""A row is a sentence in `text`, with its number in `quantity`, `value` (base units) and `unit`; or a line of the table
of its section."""

_row = row_maker(COLUMNS)


def why_report(
    model: Model,
    faster: float = 2.0,
    wanted: Wanted = AUTO,
    asserted: Sequence[str] = (),
    network: Sequence[str] = (),
    brief: bool = False,
) -> Report:
    """The report that explains the response time of a model; see `why`.

    For a model that its arrivals saturate, the report explains why it has no steady state, and what would give it one.

    faster    the factor on the speed of a station in the changes that are tried; above 1.
    wanted    the method and its budget.
    asserted  conditions that the answer must meet; those that are false stand in `broken` of the report.
    network   the options of a network without a file, for the command that reproduces the answer.
    brief     whether to report six sentences and the command only.
    """
    claimed = claims(asserted, model)
    options = [] if faster == 2.0 else ["--faster", repr(faster)]
    options += ["--brief"] if brief else []
    command = command_line("why", model, wanted, asserted, options, network)
    try:
        answer = why(model, faster, wanted)
    except NoAnswer as error:
        return _saturated(overload(model, error, wanted), claimed, command, brief)
    result, solution = answer.figures, answer.figures.solution
    exact = answer_exact(result, claimed)
    tables = {ANSWER: _classes, TIME: _parts, ROUTES: _routes, FULL: _full, HELP: _help, SOURCES: _of_sources}
    rows: list[tuple[Cell, ...]] = []
    for section in SECTIONS:
        rows += [_reported(item) for item in answer.findings if item.section == section]
        if section == TRUST and solution.exact and not exact:
            rows.append(_reported(Finding(TRUST, "", "The percentiles that are asserted are approximate.")))
        if section in tables:
            rows += [_row(section=section, **cells) for cells in tables[section](result)]
    report = Report(
        schema="qnet/why/1",
        title=f"{model.title}: response time explained",
        columns=COLUMNS,
        rows=rows,
        notes=(*_warnings(solution), *notes(result), *asked_notes(result, claimed)),
        meta=Basis(
            model,
            solution.method,
            exact,
            means=solution.exact and not exact,
            command=command,
        ),
        group="section",
        prose="text",
        plot=Bars(
            "name", ("service", "residence"), by="section", only=(TIME,), names=("service", "waiting"), stacked=True
        ),
        broken=false_claims(result.solved, claimed),
    )
    if not brief:
        return report
    shown = sentences(answer.findings)
    return in_brief(report, [_reported(item) for item in shown], [item.text for item in shown])


def _warnings(solution: RoutedSolution) -> list[Note]:
    """The warnings of a solution; the findings state its reasons and measured errors."""
    return [note for note in trust_notes(solution) if note.severity == "warning"]


_saturated_row = row_maker((*COLUMNS, *OPTIONAL))


def _saturated(item: Overload, claimed: Sequence[Condition], command: str, brief: bool) -> Report:
    """The report of a model whose arrivals saturate it."""
    rows: list[tuple[Cell, ...]] = []
    every = list(of_overload(item))
    for section in SECTIONS:
        rows += [_wider(finding) for finding in every if finding.section == section]
        rows += [_saturated_row(section=section, **cells) for cells in table_of(item, section)]
        if section == SOURCES:
            rows += [_saturated_row(section=section, **cells) for cells in _sources(item.model)]
    report = Report(
        schema="qnet/why/1",
        title=f"{item.model.title}: why it has no steady state",
        columns=(*COLUMNS, *OPTIONAL),
        rows=rows,
        notes=(Note("QN751", "there is no steady state: the answer covers demand and capacity only", "warning"),),
        meta=Basis(item.model, item.solved.parts[0].solution.method, command=command),
        group="section",
        prose="text",
        plot=Bars(
            "name",
            ("load",),
            by="section",
            only=(FULL,),
            names=("demand as a share of capacity",),
            mark=Mark("load", 1.0, "capacity"),
        ),
        broken=broken(claimed),
    )
    if not brief:
        return report
    lines = short(item)
    return in_brief(report, [_wider(Finding(ANSWER, "", line)) for line in lines], lines)


def _wider(item: Finding) -> tuple[Cell, ...]:
    return (*_reported(item), *(None for _ in OPTIONAL))


_Cells = dict[str, Cell]


def _reported(item: Finding) -> tuple[Cell, ...]:
    return _row(
        section=item.section,
        text=item.text,
        name=item.subject or None,
        quantity=item.quantity or None,
        value=item.value,
        unit=item.unit or None,
    )


def _part(part: ResponsePart) -> _Cells:
    return {"residence": part.residence, "service": part.service, "wait": part.wait, "share": part.share}


def _classes(result: Bottleneck) -> Iterator[_Cells]:
    """The classes, where there are several."""
    for item in result.solution.classes if len(result.solution.classes) > 1 else ():
        yield {"name": item.name, "response": float(item.response), "throughput": float(item.throughput)}


def _parts(result: Bottleneck) -> Iterator[_Cells]:
    for resource in result.resources:
        if resource.part and resource.part.residence > 0:
            yield {"name": resource.label, **_part(resource.part)}
    if result.delays:
        yield {"name": result.in_words(result.delays), **_part(result.delays)}


def _routes(result: Bottleneck) -> Iterator[_Cells]:
    several = {item.class_name for item in result.routes}
    for customers in result.solution.classes:
        for item in result.solution.routes:
            if item.class_name == customers.name and customers.name in several:
                response, probability = float(item.response), float(item.probability)
                overall = float(customers.response)
                share = probability * response / overall if overall else None
                details: _Cells = {"class": customers.name, "name": item.name, "probability": probability}
                yield {**details, "response": response, "share": share}


def _full(result: Bottleneck) -> Iterator[_Cells]:
    for resource in result.ranked:
        yield {
            "name": resource.label,
            "utilization": resource.utilization,
            "full_at": resource.full_at,
            "headroom": resource.headroom,
            "full_population": resource.full_population,
        }


def _help(result: Bottleneck) -> Iterator[_Cells]:
    before = result.before.response
    for change in ordered(result.changes):
        ratio = change.response / before if change.response is not None and before else None
        yield {
            "name": change.station,
            "change": change.what,
            "response": change.response,
            "response_ratio": ratio,
            "throughput": change.throughput,
            "maximum_throughput": change.maximum,
            "limited_by": change.limited_by,
        }


def _of_sources(result: Bottleneck) -> Iterator[_Cells]:
    return _sources(result.model)


def _sources(model: Model) -> Iterator[_Cells]:
    """Every parameter on which the answer depends, except for ungraded expressions over others."""
    for item in used(model):
        if not item.grade and item.expression.names and item.name not in model.settings:
            continue
        source = ", ".join(item.sources)
        if item.fitted_on:
            source += f" (fitted on {', '.join(item.fitted_on)})"
        if item.name in model.settings:
            source = "set for this answer"
        stated = item.options[int(item.expression.source)] if item.options else item.expression.source
        yield {"name": item.name, "stated": stated, "grade": item.grade or None, "source": source or None}


def parallel(result: Bottleneck) -> Iterator[Finding]:
    """For every parallel step: its time, the times of its branches, and their waits for each other."""
    steps: dict[tuple[str, int], list[BranchFigures]] = {}
    for item in result.solution.branches:
        steps.setdefault((item.class_name, item.step), []).append(item)
    for (name, number), each in steps.items():
        if each[0].width > 1:
            yield _step(name, number, each, sum(class_name == name for class_name, _ in steps) > 1)


def _step(name: str, number: int, branches: list[BranchFigures], several: bool) -> Finding:
    """The finding on one parallel step of a class; `several` where the class has others."""
    total, width, needed = float(branches[0].total), branches[0].width, branches[0].needed
    which = f"Parallel step {number} of {name}" if several else f"The parallel step of {name}"
    until = f"all {width} branches have" if needed == width else f"{needed} of {width} branches have"
    text = f"{which} lasts {time_of(total)}, until {until} finished. "
    if needed == 1:
        text = f"{which} lasts {time_of(total)}, until the first of {width} branches has finished. "
    text += f"{'; '.join(_branch(item, len(branches) > 1) for item in branches)}."
    if needed == width:
        mean = sum(item.copies * float(item.time) for item in branches) / width
        text += f" On average a branch waits {time_of(max(total - mean, 0.0))} of it for the last one."
    return Finding(TIME, name, text, "residence", total, "s")


def _branch(item: BranchFigures, several: bool) -> str:
    if not several:
        return f"A branch, {item.name}, takes {time_of(float(item.time))}"
    names = f"{item.copies} x {item.name}" if item.copies > 1 else item.name
    last = "the last" if item.needed == item.width else "waited for to the last"
    return f"{names} takes {time_of(float(item.time))} and is {last} in {percent(float(item.awaited))} of the cases"


def order(result: Bottleneck) -> Iterator[Finding]:
    """For every station with priorities: which classes are served before which, and the utilization left for these."""
    passages = result.solution.passages
    if passages is None:
        return
    streams, waits = passages.compiled.streams, passages.waits
    for station in passages.network.stations:
        if not ranked(station, streams):
            continue
        at_station = [stream for stream in streams if stream.station == station.name]
        levels = sorted({stream.priority for stream in at_station}, reverse=True)
        names = [_names(result, [stream for stream in at_station if stream.priority == level]) for level in levels]
        if len(_all(names)) < sum(map(len, names)):
            continue  # A class has several priorities here: the figures of its routes show more.
        for index, name in enumerate(names[1:], 1):
            first = [stream for stream in at_station if stream.priority > levels[index]]
            busy = _busy(first, waits, station.copies * station.servers, station.name, result)
            how = "interrupt" if station.discipline == "preemptive" else "are served before"
            text = f"At {station.name} {listed(_all(names[:index]))} {how} {listed(name)}: "
            text += f"they keep it {percent(busy)} busy, which leaves {percent(1.0 - busy)}."
            yield Finding(TIME, station.name, text, "utilization", busy)
        if station.discipline != "preemptive":
            text = f"At {station.name} service is not interrupted: {listed(names[0])} wait until a service of "
            text += f"{listed(_all(names[1:]), 'or')} ends."
            yield Finding(TIME, station.name, text)


def _names(result: Bottleneck, streams: list[Stream]) -> list[str]:
    """The classes of streams."""
    classes = result.solution.classes
    return list(dict.fromkeys(classes[stream.class_index].name for stream in streams))


def _all(names: list[list[str]]) -> list[str]:
    """The names of all levels, each once."""
    return list(dict.fromkeys(name for level in names for name in level))


def _busy(streams: list[Stream], waits: tuple[Wait, ...], servers: int, name: str, result: Bottleneck) -> float:
    """The share of a station's servers that streams keep busy."""
    copies = {item.label: item.copies for item in result.solution.stations if item.name == name}
    groups = list(copies.values())
    return sum(float(item.rate * item.holding.mean_with(waits)) * groups[item.group] for item in streams) / servers


_FINDINGS = (
    question,
    answer,
    best,
    time,
    order,
    parallel,
    routes,
    full,
    software,
    works,
    helps,
    laws,
    trust,
    assumed,
    sources,
)
"""The functions that make findings, in the order of the findings within each section."""


class Why(Record):
    """The answer in figures and in words."""

    figures: Bottleneck
    findings: tuple[Finding, ...]


def why(model: Model, faster: float = 2.0, wanted: Wanted = AUTO) -> Why:
    """Explain the response time of a model at its stated point; arguments and failures are those of `bottleneck`.

    Returns   the figures, and findings on the question, the answer, the breakdown of response time, the stations that
              saturate first and second, the most effective changes, the laws with the numbers inserted, the accuracy of
              the method, the assumptions, and the provenance of the numbers.
    """
    result = bottleneck(model, faster, wanted)
    return Why(result, tuple(finding for findings in _FINDINGS for finding in findings(result)))
