"""Why a system responds as it does, as a report: sentences with their numbers, and tables below them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.bottleneck.bottleneck import Bottleneck
from qnet.questions.bottleneck.parts import Part
from qnet.questions.bottleneck.report import answer_exact, asked_notes, notes
from qnet.questions.presentation.command import command_line
from qnet.questions.presentation.provenance import Basis, used
from qnet.questions.solve.solve import claims, false_claims
from qnet.questions.why.findings import ANSWER, FULL, HELP, ROUTES, SECTIONS, SOURCES, TIME, TRUST, Finding
from qnet.questions.why.limits import ordered
from qnet.questions.why.why import why
from qnet.reports.report import Cell, Column, Report, row_maker

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
        "qnet/why/1",
        f"{model.title}: why it responds as it does",
        COLUMNS,
        rows,
        (*notes(found), *asked_notes(found, claimed)),
        Basis(
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
