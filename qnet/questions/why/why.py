"""Why a system responds as it does, in words: one finding after the other, each with its number beside it.

Findings on who waits for whom, where some are served before others.

Findings on parallel steps: how long they last, and which of their branches they wait for.

Why a system responds as it does, as a report: sentences with their numbers, and tables below them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qnet.model.model import Model
from qnet.networks.duration import Wait
from qnet.networks.exactness import ranked
from qnet.networks.solution import BranchFigures
from qnet.networks.streams import Stream
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.bottleneck.bottleneck import Bottleneck, Part, bottleneck
from qnet.questions.bottleneck.report import answer_exact, asked_notes, notes
from qnet.questions.presentation.provenance import Basis, command_line, used
from qnet.questions.solve.solve import claims, false_claims
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
from qnet.questions.why.limits import full, helps, ordered, software
from qnet.questions.why.time import answer, question, routes, time
from qnet.questions.why.trust import assumed, laws, sources, trust
from qnet.questions.why.work import works
from qnet.record import Record
from qnet.reports.content import Cell, Column, row_maker
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
    Column("full_at", "full at", "/s"),
    Column("headroom", "headroom"),
    Column("full_population", "population then"),
    Column("residence", "residence", "s"),
    Column("service", "service", "s"),
    Column("wait", "wait", "s"),
    Column("response", "response", "s"),
    Column("share", "share"),
    Column("response_ratio", "to before"),
    Column("throughput", "throughput", "/s"),
    Column("maximum_throughput", "maximum throughput", "/s"),
    Column("limited_by", "limited by"),
    Column("stated", "stated"),
    Column("grade", "grade"),
    Column("source", "source"),
    Column("method", "method", footed=True),
    Column("exactness", "exactness", footed=True),
)
"""A row is a sentence (`text`, with the number it is about under `quantity`, `value` in base units, and `unit`), or a
line of the table of its section."""

_row = row_maker(COLUMNS)


def why_report(
    model: Model, faster: float = 2.0, wanted: Wanted = AUTO, asserted: Sequence[str] = (), network: Sequence[str] = ()
) -> Report:
    """Tell why a model responds as it does, ready to be pasted into a ticket; see `why`.

    asserted  conditions that the answer must meet; those that are false stand in `broken` of the report.
    network   the options of a network without a file, for the command that gives the answer again.
    """
    claimed = claims(asserted, model)
    answer = why(model, faster, wanted)
    found, solution = answer.figures, answer.figures.solution
    exact = answer_exact(found, claimed)
    tables = {ANSWER: _classes, TIME: _parts, ROUTES: _routes, FULL: _full, HELP: _help, SOURCES: _sources}
    rows: list[tuple[Cell, ...]] = []
    for section in SECTIONS:
        rows += [_told(item) for item in answer.findings if item.section == section]
        if section == TRUST and solution.exact and not exact:
            rows.append(_told(Finding(TRUST, "", "The percentiles that are asserted are approximate.")))
        if section in tables:
            rows += [_row(section=section, **cells) for cells in tables[section](found)]
    options = [] if faster == 2.0 else ["--faster", repr(faster)]
    return Report(
        schema="qnet/why/1",
        title=f"{model.title}: why it responds as it does",
        columns=COLUMNS,
        rows=rows,
        notes=(*notes(found), *asked_notes(found, claimed)),
        meta=Basis(
            model,
            solution.method,
            exact,
            command=command_line("why", model, wanted, asserted, options, network),
        ),
        group="section",
        prose="text",
        broken=false_claims(found.solved, claimed),
    )


_Cells = dict[str, Cell]


def _told(item: Finding) -> tuple[Cell, ...]:
    return _row(
        section=item.section,
        text=item.text,
        name=item.subject or None,
        quantity=item.quantity or None,
        value=item.value,
        unit=item.unit or None,
    )


def _part(part: Part) -> _Cells:
    return {"residence": part.residence, "service": part.service, "wait": part.wait, "share": part.share}


def _classes(found: Bottleneck) -> Iterator[_Cells]:
    """Of several classes."""
    for item in found.solution.classes if len(found.solution.classes) > 1 else ():
        yield {"name": item.name, "response": float(item.response), "throughput": float(item.throughput)}


def _parts(found: Bottleneck) -> Iterator[_Cells]:
    for place in found.places:
        if place.part and place.part.residence > 0:
            yield {"name": place.label, **_part(place.part)}
    if found.delays:
        yield {"name": found.told(found.delays), **_part(found.delays)}


def _routes(found: Bottleneck) -> Iterator[_Cells]:
    several = {item.class_name for item in found.routes}
    for customers in found.solution.classes:
        for item in found.solution.routes:
            if item.class_name == customers.name and customers.name in several:
                response, probability = float(item.response), float(item.probability)
                whole = float(customers.response)
                share = probability * response / whole if whole else None
                told: _Cells = {"class": customers.name, "name": item.name, "probability": probability}
                yield {**told, "response": response, "share": share}


def _full(found: Bottleneck) -> Iterator[_Cells]:
    for place in found.ranked:
        yield {
            "name": place.label,
            "utilization": place.utilization,
            "full_at": place.full_at,
            "headroom": place.headroom,
            "full_population": place.full_population,
        }


def _help(found: Bottleneck) -> Iterator[_Cells]:
    before = found.before.response
    for change in ordered(found.changes):
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


def _sources(found: Bottleneck) -> Iterator[_Cells]:
    """Every number that the answer rests on, the arithmetic on others left out."""
    for item in used(found.model):
        if not item.grade and item.expression.names and item.name not in found.model.settings:
            continue
        source = ", ".join(item.sources)
        if item.fitted_on:
            source += f" (fitted on {', '.join(item.fitted_on)})"
        if item.name in found.model.settings:
            source = "set for this answer"
        stated = item.options[int(item.expression.source)] if item.options else item.expression.source
        yield {"name": item.name, "stated": stated, "grade": item.grade or None, "source": source or None}


def parallel(found: Bottleneck) -> Iterator[Finding]:
    """Of every parallel step: its time, the time of its branches, and what they wait for each other."""
    steps: dict[tuple[str, int], list[BranchFigures]] = {}
    for item in found.solution.branches:
        steps.setdefault((item.class_name, item.step), []).append(item)
    for (name, number), own in steps.items():
        if own[0].width > 1:
            yield _step(name, number, own, sum(kind == name for kind, _ in steps) > 1)


def _step(name: str, number: int, own: list[BranchFigures], several: bool) -> Finding:
    whole, width, needed = float(own[0].whole), own[0].width, own[0].needed
    which = f"Parallel step {number} of {name}" if several else f"The parallel step of {name}"
    until = f"all {width} branches have" if needed == width else f"{needed} of {width} branches have"
    text = f"{which} lasts {time_of(whole)}, until {until} finished. "
    if needed == 1:
        text = f"{which} lasts {time_of(whole)}, until the first of {width} branches has finished. "
    text += f"{'; '.join(_branch(item, len(own) > 1) for item in own)}."
    if needed == width:
        early = sum(item.copies * float(item.time) for item in own) / width
        text += f" On average a branch waits {time_of(max(whole - early, 0.0))} of it for the last one."
    return Finding(TIME, name, text, "residence", whole, "s")


def _branch(item: BranchFigures, several: bool) -> str:
    if not several:
        return f"A branch, {item.name}, takes {time_of(float(item.time))}"
    names = f"{item.copies} x {item.name}" if item.copies > 1 else item.name
    last = "the last" if item.needed == item.width else "waited for to the last"
    return f"{names} takes {time_of(float(item.time))} and is {last} in {percent(float(item.awaited))} of the cases"


def order(found: Bottleneck) -> Iterator[Finding]:
    """At every station that serves some before others, who waits for whom, and what is left to the last."""
    passages = found.solution.passages
    if passages is None:
        return
    streams, waits = passages.compiled.streams, passages.waits
    for station in passages.network.stations:
        if not ranked(station, streams):
            continue
        own = [stream for stream in streams if stream.station == station.name]
        levels = sorted({stream.priority for stream in own}, reverse=True)
        names = [_names(found, [stream for stream in own if stream.priority == level]) for level in levels]
        if len(_all(names)) < sum(map(len, names)):
            continue  # Parts of one class go before others of it: its routes tell more.
        for place, name in enumerate(names[1:], 1):
            first = [stream for stream in own if stream.priority > levels[place]]
            busy = _busy(first, waits, station.copies * station.servers, station.name, found)
            how = "interrupt" if station.discipline == "preemptive" else "are served before"
            text = f"At {station.name} {listed(_all(names[:place]))} {how} {listed(name)}: "
            text += f"they keep it {percent(busy)} busy, which leaves {percent(1.0 - busy)}."
            yield Finding(TIME, station.name, text, "utilization", busy)
        if station.discipline != "preemptive":
            text = f"At {station.name} service is not interrupted: {listed(names[0])} wait for the end of a service of "
            text += f"{listed(_all(names[1:]))}."
            yield Finding(TIME, station.name, text)


def _names(found: Bottleneck, streams: list[Stream]) -> list[str]:
    """The classes of streams."""
    classes = found.solution.classes
    return list(dict.fromkeys(classes[stream.class_index].name for stream in streams))


def _all(names: list[list[str]]) -> list[str]:
    """Each name of some lists once."""
    return list(dict.fromkeys(name for some in names for name in some))


def _busy(streams: list[Stream], waits: tuple[Wait, ...], servers: int, name: str, found: Bottleneck) -> float:
    """The share of a station's servers that streams keep busy."""
    copies = {item.label: item.copies for item in found.solution.stations if item.name == name}
    groups = list(copies.values())
    return sum(float(item.rate * item.holding.mean_with(waits)) * groups[item.group] for item in streams) / servers


_TOLD = (question, answer, time, order, parallel, routes, full, software, works, helps, laws, trust, assumed, sources)
"""What there is to say, in this order within each section."""


class Why(Record):
    """The answer in figures and in words."""

    figures: Bottleneck
    findings: tuple[Finding, ...]


def why(model: Model, faster: float = 2.0, wanted: Wanted = AUTO) -> Why:
    """Say why a model responds as it does at its stated point; arguments and failures are those of `bottleneck`.

    Returns   the figures, and findings in the order of the sections: what is asked, the answer, where the time goes,
              what is full first and second, what would help most, the laws with the numbers put in, how far the
              answer can be trusted, what is assumed, and where the numbers come from.
    """
    found = bottleneck(model, faster, wanted)
    return Why(found, tuple(finding for section in _TOLD for finding in section(found)))
