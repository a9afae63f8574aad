"""The report of `qnet study`: question, answer, predictions with their nulls, a picture, what-ifs, and limits."""

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
from qnet.questions.study.picture import Picture, command_of, located_error, measured_points, picture, system_of
from qnet.questions.study.screen import ClaimLine, Screen
from qnet.questions.study.story import FIGURE, OVER_CHOICES, Story, StoryQuestion
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
    Column("null", "null"),
    Column("null_error", "null error", "%"),
    Column("verdict", "verdict"),
    Column("remark", "remark"),
    Column("command", "command", footed=True),
)
"""The columns before those of the picture. A row is a sentence (`text`), a claim with its modelled figure and its null,
or a row of the picture."""

LISTED = (
    Column("study", "study"),
    Column("claims", "claims"),
    Column("question", "question"),
    Column("title", "title", footed=True),
    Column("system", "system", footed=True),
)
"""The columns of the list of studies."""

QUESTION, ANSWER, SOURCE, STATIONS, PREDICTIONS, SKILL, PICTURE, WHAT_IF, CANNOT, TERMS = (
    "question", "answer", "source", "stations", "predictions", "skill", "picture", "what if",
    "what this study cannot show", "terms",
)  # fmt: skip
_CURVES = ("envelope", "sweep")
"""Pictures whose rows are the points of their curves."""


def study_report(name: str, drawn: bool = False) -> Report:
    """The report of a study of the catalog: question, answer, source, predictions with their errors, and limits.

    Question, answer, source and stations come first; then failed assumptions, missed predictions and the other ones,
    each with its null; their summary; a picture with the measured points; what-ifs; the limits and terms of the study.

    name    the name of the study, as `qnet study` lists it.
    drawn   leave out the rows of a picture that the output draws as curves.
    Raises  `UsageError` for a study that does not exist or has no story, `InvalidInput` for an invalid one, and
            `NoAnswer` or `NotComputed` if the picture or a what-if has no answer.
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
    what_ifs = [_what_if(study, question) for question in story.what_ifs]
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
    listed = [*((WHAT_IF, *what_if) for what_if in what_ifs), (CANNOT, story.cannot_tell, "")]
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
        what_ifs=tuple(text for text, _ in what_ifs),
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
    """Failed assumptions, then missed predictions, then the other predictions that count, each by falling error.

    Missed claims without an error come first, other claims without one last.
    """

    def size(item: Judged) -> float:
        return -abs(item.error) if item.error is not None else -1e300 if item.verdict == MISSED else 1.0

    failed = sorted((item for item in judged if item.role == "failed assumption"), key=size)
    predictions = sorted((item for item in judged if item.counted), key=size)
    missed = [item for item in predictions if item.verdict == MISSED]
    return [*failed, *missed, *(item for item in predictions if item.verdict != MISSED)]


def _claim(item: Judged) -> dict[str, Cell]:
    """The cells of the row of a claim, by column."""
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
    """The absolute error in per cent, without decimals from 100 % on."""
    size = abs(error)
    return percent(size) if size < 1 else f"{100 * size:.0f} %"


def _shown(value: Cell, unit: str) -> str:
    """A figure with its unit, such as `360/s` or `8.5 ms`; a text with `>=` and `<=` for bounds."""
    if isinstance(value, (int, float)):
        return f"{format_number(float(value), 4)}{_after(unit)}"
    return str(value or "").replace("at least ", ">= ").replace("at most ", "<= ").replace(" and ", ", ")


def _after(unit: str) -> str:
    """A unit as it follows its number."""
    return "" if not unit else unit if unit.startswith("/") else f" {unit}"


def _counted(result: Tally) -> str:
    """The numbers of predictions, failed assumptions, fitted parameters and free choices, as a sentence."""
    parts = [f"{counted(result.predicted, 'prediction')} of {result.claims} claims"]
    parts += [f"{result.path_length} of them by path length alone"] if result.path_length else []
    parts += [counted(result.failed, "failed assumption")] if result.failed else []
    parts += [f"{result.in_view} more not counted (form in view)"] if result.in_view else []
    free = f"{counted(result.parameters, 'figure')} fitted, {counted(result.choices, 'free choice')}"
    return f"{', '.join(parts)}; {free}"


def _skill(result: Tally) -> str:
    """The errors of the predictions compared with those of their nulls, as a sentence."""
    words: list[str] = []
    if result.errors:
        words.append(f"median error {percent(result.median_error)}, 90th percentile {percent(result.p90_error)}")
    if result.compared:
        nearer = f"{result.nearer} of {result.compared} nearer than their nulls"
        same = result.compared_median == result.median_error
        median = "" if same else f"{percent(result.compared_median)} against "
        words.append(f"{nearer} ({median}{percent(result.null_median)})")
    return "; ".join(words) or "no prediction states a figure"


def _answer(study: Study, story: Story, judged: Validation) -> str:
    """The answer with modelled figures and their intervals over the free choices filled in."""
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
    """Author, date and title of the source, and the machine that was measured."""
    source = sources().get(study.source)
    if source is None:
        return story.machine
    author = ", ".join(part for part in (source.author, source.date) if part)
    text = f"{author}: {source.title}" if author else source.title
    return f"{text}. {story.machine}" if story.machine else text


def stations_of(model: Model) -> str:
    """The stations and the classes of a system in one line.

    A number of copies or servers that is not known before solving is left out.
    """
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
    classes = [f"{item.name} ({'closed' if item.population is not None else 'open'})" for item in model.customers]
    return f"{', '.join(parts)}; {'class' if len(classes) == 1 else 'classes'} {', '.join(classes)}"


def _what_if(study: Study, question: StoryQuestion) -> tuple[str, str]:
    """A sentence with the metrics before and after a change, and the command that computes them."""
    model, other = system_of(study, question), system_of(study, question, other=True)
    try:
        result = compare([model, other], question.options.get("metric", ()))
    except UsageError as error:
        raise located_error(study, question, error) from None
    parts: list[str] = []
    for item in result.figures:
        before, after = item.values
        shown = [
            "no steady state" if value is None else format_quantity(value, item.metric.unit)
            for value in (before, after)
        ]
        change = f" ({100 * (after / before - 1):+.0f} %)" if before and after is not None else ""
        parts.append(f"{item.metric.source} from {shown[0]} to {shown[1]}{change}")
    return f"{question.text}: {', '.join(parts)}" if question.text else ", ".join(parts), command_of(model, question)


def _pictured(
    shown: Picture, points: tuple[tuple[float, float], ...], curve: bool
) -> tuple[tuple[Column, ...], list[tuple[Cell, ...]], Plot | None]:
    """The columns of a report with a picture, the rows of the picture, and its plot.

    points  the measured points, in the units of the axes.
    curve   whether the rows are drawn as curves, and left out of the report.
    """
    columns, indices = _columns(shown)
    width = len(columns)
    rows: list[tuple[Cell, ...]] = [(PICTURE, shown.command, *(None,) * (width - 2))]
    rows += [] if curve else _placed(shown.rows, indices, width)
    plot = _plot(shown, columns, indices, _placed((*shown.drawn, *(shown.rows if curve else ())), indices, width))
    return columns, rows, plot.replace(points=points) if plot else None


def _columns(shown: Picture) -> tuple[tuple[Column, ...], list[int]]:
    """The columns of a report with a picture, and the indices of those of the picture among them."""
    taken = {column.key for column in COLUMNS}
    selected = [
        column.replace(key=f"picture_{column.key}") if column.key in taken else column for column in shown.columns
    ]
    return (*COLUMNS, *selected), list(range(len(COLUMNS), len(COLUMNS) + len(selected)))


def _placed(rows: tuple[tuple[Cell, ...], ...], indices: list[int], width: int) -> list[tuple[Cell, ...]]:
    """The rows of a picture as rows of the report, which has `width` columns.

    indices   those of the columns of the picture in the report.
    """
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
    """The plot of a picture, with the keys of its columns in the report; None for a picture without a plot."""
    plot = shown.plot
    if plot is None:
        return None
    keys = {column.key: columns[index].key for column, index in zip(shown.columns, indices, strict=True)}
    return plot.replace(
        x=keys[plot.x],
        y=tuple(keys[y] for y in plot.y),
        by=tuple(keys[key] for key in plot.by),
        rows=points,
        marks=tuple(mark.replace(column=keys[mark.column]) for mark in plot.marks if mark.column in keys),
    )


def studies_report() -> Report:
    """The list of the studies of the catalog, with the question of their authors; nothing is computed."""
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
