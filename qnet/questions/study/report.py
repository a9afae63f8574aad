"""A study as a report: question, answer, predictions next to their nulls, a picture, and its limits."""

from __future__ import annotations

from typing import Any, cast

from qnet.catalog.find import entries
from qnet.catalog.sources import sources
from qnet.documents import read
from qnet.errors import InvalidInput, Problem, UsageError
from qnet.model.model import Model
from qnet.model.values import Values
from qnet.questions.compare.compare import compare
from qnet.questions.presentation.provenance import Basis
from qnet.questions.study.fits_report import freedom
from qnet.questions.study.load import load_study
from qnet.questions.study.picture import Picture, command_of, measured_points, opened, picture, placed
from qnet.questions.study.screen import ClaimLine, Screen
from qnet.questions.study.story import FIGURE, OVER_CHOICES, Ask, Story
from qnet.questions.study.study import Study
from qnet.questions.study.tally import Tally, counted, percent, tally
from qnet.questions.study.validate import MISSED, Judged, Validation, validate
from qnet.questions.study.validate_report import percent_of
from qnet.reports.content import Cell, Column, Plot, row_maker
from qnet.reports.report import Report
from qnet.units import format_number, format_quantity, in_unit

COLUMNS = (
    Column("section", "section"),
    Column("text", "text"),
    Column("claim", "claim", footed=True),
    Column("metric", "metric"),
    Column("role", "role"),
    Column("stated", "measured"),
    Column("modelled", "model"),
    Column("unit", "unit"),
    Column("error", "error", "%"),
    Column("null", "doing nothing"),
    Column("null_error", "its error", "%"),
    Column("verdict", "verdict"),
    Column("remark", "remark"),
    Column("command", "command", footed=True),
)
"""A row is a sentence (`text`), a claim with the figures of the model and of doing nothing, or a row of the
picture under separate columns."""

LISTED = (
    Column("study", "study"),
    Column("claims", "claims"),
    Column("question", "question"),
    Column("title", "title", footed=True),
    Column("system", "system", footed=True),
)

QUESTION, ANSWER, SOURCE, STATIONS, PREDICTIONS, SKILL, PICTURE, WHAT_IF, CANNOT, TERMS = (
    "question", "answer", "source", "stations", "predictions", "skill", "picture", "what if",
    "what this study cannot show", "terms",
)  # fmt: skip
_CURVES = ("envelope", "sweep")
"""Pictures whose rows are the points of the curves that are drawn."""


def study_report(name: str, drawn: bool = False) -> Report:
    """The report of a study of the catalog: question, answer, source, predictions with their errors, and limits.

    First question, answer, source and stations; then the predictions, failed assumptions and misses, each next to the
    error of doing nothing; a picture with the measured points in it; what-ifs; the limits of the study, and its terms.

    name    of the study, as `qnet study` lists it.
    drawn   leave out points of curves that are drawn anyway.
    Raises  `UsageError` for a study that is not there or has no story, `InvalidInput` for what is wrong with one, and
            `NoAnswer` or `NotComputed` where a question of the story has no answer.
    """
    study = load_study(name)
    story = study.story
    if story is None:
        help = f"qnet validate {name} lists its claims"
        raise UsageError(Problem("QN325", f'the study "{name}" has no story', "[story] in its file", help=help))
    judged = validate(study)
    numbers = tally(judged.judged, len(study.choices))
    shown = picture(study, story.picture) if story.picture else None
    points = measured_points(study, story.picture, shown) if shown and story.picture else ()
    claims = evidence(judged.judged)
    skill, header = _skill(numbers), _counted(numbers)
    asks = [_what_if(study, ask) for ask in story.what_ifs]
    texts = (
        (QUESTION, story.question),
        (ANSWER, _answer(study, story, judged)),
        (SOURCE, _source(study, story)),
        (STATIONS, stations_of(judged.models[0])),
    )
    row = row_maker(COLUMNS)
    rows = [row(section=section, text=text) for section, text in texts if text]
    rows += [row(section=PREDICTIONS, **_claim(item)) for item in claims]
    rows.append(row(section=SKILL, text=f"{header}; {skill}"))
    listed = [*((WHAT_IF, *ask) for ask in asks), (CANNOT, story.cannot_tell, "")]
    after = [row(section=section, text=text, command=line or None) for section, text, line in listed if text]
    after += [row(section=TERMS, text=f"{term}: {text}") for term, text in story.glossary.items()]
    columns, plot = COLUMNS, None
    if shown and story.picture:
        columns, between, plot = _pictured(shown, points, drawn and story.picture.command in _CURVES)
        filler = (None,) * (len(columns) - len(COLUMNS))
        rows, after = ([(*cells, *filler) for cells in part] for part in (rows, after))
        rows += between
    screen = Screen(
        title=study.title,
        texts=tuple((section, text) for section, text in texts if text),
        counted=header,
        claims=tuple(_line(item) for item in claims),
        skill=skill,
        picture=shown,
        points=points,
        what_ifs=tuple(text for text, _ in asks),
        cannot_tell=story.cannot_tell,
        glossary=story.glossary,
        study=study.id,
    )
    notes = shown.notes if shown else ()
    meta = Basis(judged.models[0], study=study.id, source=study.source)
    return Report(
        schema="qnet/study/1",
        title=study.title,
        columns=columns,
        rows=[*rows, *after],
        notes=notes,
        meta=meta,
        group="section",
        prose="text",
        plot=plot,
        screen=lambda style, notes: screen.text(style),
    )


def evidence(judged: tuple[Judged, ...]) -> list[Judged]:
    """Failed assumptions, predictions that are missed, and the other ones that count, each the worst first."""

    def size(item: Judged) -> float:
        return -abs(item.error) if item.error is not None else -1e300 if item.verdict == MISSED else 1.0

    failed = sorted((item for item in judged if item.role == "failed assumption"), key=size)
    particular = sorted((item for item in judged if item.counted), key=size)
    missed = [item for item in particular if item.verdict == MISSED]
    return [*failed, *missed, *(item for item in particular if item.verdict != MISSED)]


def _claim(item: Judged) -> dict[str, Cell]:
    return {
        "claim": item.claim.id,
        "metric": item.claim.metric or item.claim.id,
        "role": item.role,
        "stated": item.stated,
        "modelled": item.modelled,
        "unit": item.unit or None,
        "error": percent_of(item.error),
        "null": item.null,
        "null_error": percent_of(item.null_error),
        "verdict": item.verdict if item.verdict != item.claim.role else None,
        "remark": item.claim.miss or item.claim.remark or None,
    }


def _line(item: Judged) -> ClaimLine:
    """A claim as the screen shows it."""
    failed, missed = item.role == "failed assumption", item.verdict == MISSED
    return ClaimLine(
        mark="failed" if failed else "missed" if missed else "",
        name=item.claim.metric or item.claim.id,
        stated=_shown(item.stated, item.unit),
        modelled=_shown(item.modelled, item.unit),
        error=item.verdict if item.error is None else _short(item.error),
        null_error="" if item.null_error is None else _short(item.null_error),
        remark=item.claim.short or item.claim.miss or item.claim.remark or ("path length alone" * item.path_length),
        size=item.error,
    )


def _short(error: float) -> str:
    """The size of an error in few characters."""
    size = abs(error)
    return percent(size) if size < 1 else f"{100 * size:.0f} %"


def _shown(value: Cell, unit: str) -> str:
    """A figure with its unit: `360/s`, `8.5 ms`."""
    if isinstance(value, (int, float)):
        return f"{format_number(float(value), 4)}{_after(unit)}"
    return str(value or "").replace("at least ", ">= ").replace("at most ", "<= ").replace(" and ", ", ")


def _after(unit: str) -> str:
    return "" if not unit else unit if unit.startswith("/") else f" {unit}"


def _counted(result: Tally) -> str:
    """How many predictions there are, and what they rest on."""
    parts = [f"{counted(result.predicted, 'prediction')} of {result.claims} claims"]
    parts += [f"{result.path_length} of them by path length alone"] if result.path_length else []
    parts += [counted(result.failed, "failed assumption")] if result.failed else []
    parts += [f"{result.in_view} more set apart (form in view)"] if result.in_view else []
    free = f"{counted(result.parameters, 'figure')} fitted, {counted(result.choices, 'free choice')}"
    return f"{', '.join(parts)}; {free}"


def _skill(result: Tally) -> str:
    """The errors of the predictions next to those of doing nothing."""
    words: list[str] = []
    if result.errors:
        words.append(f"median error {percent(result.median_error)}, nine in ten within {percent(result.p90_error)}")
    if result.compared:
        of = f"{result.nearer} of {result.compared} nearer than doing nothing"
        same = result.compared_median == result.median_error
        beside = "" if same else f"{percent(result.compared_median)} against "
        words.append(f"{of} ({beside}{percent(result.null_median)})")
    return "; ".join(words) or "no prediction states a figure"


def _answer(study: Study, story: Story, judged: Validation) -> str:
    """The answer with the figures of claims, of the model and of the free choices filled in."""
    by_id = {item.claim.id: item for item in judged.judged}
    free = freedom(study, judged) if OVER_CHOICES + "}" in story.answer else None

    def figure(match: Any) -> str:
        id = match[1].removesuffix(OVER_CHOICES)
        item = by_id[id]
        if free is not None and match[1].endswith(OVER_CHOICES):
            ends = free.interval(id)
            if ends:
                low, high = (format_number(in_unit(end, item.unit), 3) for end in ends)
                return f"{low} to {high}{_after(item.unit)}"
        if isinstance(item.modelled, (int, float)):
            return f"{format_number(float(item.modelled), 3)}{_after(item.unit)}"
        return str(item.modelled)

    return FIGURE.sub(figure, story.answer)


def _source(study: Study, story: Story) -> str:
    """Author, year and title of the source, and the machine that was measured."""
    result = sources().get(study.source)
    if result is None:
        return story.machine
    named = ", ".join(part for part in (result.author, result.date) if part)
    text = f"{named}: {result.title}" if named else result.title
    return f"{text}. {story.machine}" if story.machine else text


def stations_of(model: Model) -> str:
    """The stations and the classes of a system in one line."""
    values = Values(model, {}, None)

    def count(expression: Any) -> str:
        try:
            return format_number(float(values.evaluate(expression, ())), 3)
        except InvalidInput:
            return "1"

    parts: list[str] = []
    for item in model.stations:
        copies, servers = count(item.copies), count(item.servers)
        words = [
            f"{copies} of them" if copies != "1" else "",
            f"{servers} servers" if servers not in ("1", "0") else "",
        ]
        words += ["a delay" if item.delay else item.discipline if item.discipline in ("ps", "priority") else ""]
        text = ", ".join(word for word in words if word)
        parts.append(f"{item.name} ({text})" if text else item.name)
    kinds = [f"{item.name} ({'closed' if item.population is not None else 'open'})" for item in model.customers]
    return f"{', '.join(parts)}; {'class' if len(kinds) == 1 else 'classes'} {', '.join(kinds)}"


def _what_if(study: Study, ask: Ask) -> tuple[str, str]:
    """A sentence on what a change does, and the command that shows all of it."""
    model, other = opened(study, ask), opened(study, ask, beside=True)
    try:
        result = compare([model, other], ask.options.get("metric", ()))
    except UsageError as error:
        raise placed(study, ask, error) from None
    parts: list[str] = []
    for item in result.figures:
        before, after = item.values
        shown = [
            "no steady state" if value is None else format_quantity(value, item.metric.unit)
            for value in (before, after)
        ]
        change = f" ({100 * (after / before - 1):+.0f} %)" if before and after is not None else ""
        parts.append(f"{item.metric.source} from {shown[0]} to {shown[1]}{change}")
    return f"{ask.text}: {', '.join(parts)}" if ask.text else ", ".join(parts), command_of(model, ask)


def _pictured(
    shown: Picture, points: tuple[tuple[float, float], ...], curve: bool
) -> tuple[tuple[Column, ...], list[tuple[Cell, ...]], Plot | None]:
    """The columns of a report with a picture, the rows of the picture, and how it is drawn.

    points  measured ones, which are drawn with it.
    curve   whether its rows are drawn, and left out of the report.
    """
    columns, indices = _columns(shown)
    width = len(columns)
    rows: list[tuple[Cell, ...]] = [(PICTURE, shown.command, *(None,) * (width - 2))]
    rows += [] if curve else _placed(shown.rows, indices, width)
    plot = _plot(shown, columns, indices, _placed((*shown.drawn, *(shown.rows if curve else ())), indices, width))
    return columns, rows, plot.replace(points=points) if plot else None


def _columns(shown: Picture) -> tuple[tuple[Column, ...], list[int]]:
    """The columns of a report with a picture, and where those of the picture are among them."""
    taken = {column.key for column in COLUMNS}
    selected = [
        column.replace(key=f"picture_{column.key}") if column.key in taken else column for column in shown.columns
    ]
    return (*COLUMNS, *selected), list(range(len(COLUMNS), len(COLUMNS) + len(selected)))


def _placed(rows: tuple[tuple[Cell, ...], ...], indices: list[int], width: int) -> list[tuple[Cell, ...]]:
    """Rows of the picture as rows of the report."""
    result: list[tuple[Cell, ...]] = []
    for row in rows:
        cells: list[Cell] = [None] * width
        cells[0] = PICTURE
        for index, cell in zip(indices, row, strict=True):
            cells[index] = cell
        result.append(tuple(cells))
    return result


def _plot(
    shown: Picture, columns: tuple[Column, ...], indices: list[int], points: list[tuple[Cell, ...]]
) -> Plot | None:
    """How the picture is drawn, by the columns of the report."""
    if shown.plot is None:
        return None
    keys = {column.key: columns[index].key for column, index in zip(shown.columns, indices, strict=True)}
    drawn = shown.plot
    return drawn.replace(
        x=keys[drawn.x],
        y=tuple(keys[y] for y in drawn.y),
        by=tuple(keys[key] for key in drawn.by),
        rows=points,
        marks=tuple(mark.replace(column=keys[mark.column]) for mark in drawn.marks if mark.column in keys),
    )


def studies_report() -> Report:
    """The studies of the catalog, each with the question that its authors asked; nothing of them is computed."""
    rows: list[tuple[Cell, ...]] = []
    for entry in entries():
        if entry.kind == "study":
            data = read(entry.path).data
            story: Any = data.get("story")
            question = cast("dict[str, Any]", story).get("question") if isinstance(story, dict) else None
            claims: Any = data.get("claims")
            listed = [str(data.get(key) or "") or None for key in ("title", "system")]
            count = len(cast("list[Any]", claims)) if isinstance(claims, list) else None
            rows.append((entry.id, count, str(question) if question else None, *listed))
    return Report(schema="qnet/studies/1", title="the studies of the catalog", columns=LISTED, rows=rows)
