"""The story of a study as a report: what was asked, what was measured and modelled, what limits it, and a picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from qnet.documents import read
from qnet.errors import Problem, UsageError
from qnet.questions.findings import ANSWER, FULL, HELP, Finding
from qnet.questions.provenance import Basis
from qnet.questions.story import Ask, Story
from qnet.questions.study import Study, load_study
from qnet.questions.study_picture import Picture, opened, picture, placed
from qnet.questions.validate import Judged, validate
from qnet.questions.validate_report import percent_of
from qnet.questions.why import why
from qnet.reports.report import Cell, Column, Plot, Report, row_maker

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
    Column("verdict", "verdict"),
    Column("quantity", "quantity"),
    Column("value", "value"),
)
"""A row is a sentence (`text`, with the number it is about under `quantity`, `value` in base units and `unit`), a claim
beside what the model gives, or a row of the picture under columns of its own."""

LISTED = (
    Column("study", "study"),
    Column("claims", "claims"),
    Column("question", "question"),
    Column("title", "title", footed=True),
    Column("system", "system", footed=True),
)

QUESTION, ANSWERS, LIMITS, PICTURE = (
    "what the authors asked", "measured and modelled", "what limits it", "the picture",
)  # fmt: skip
_CURVES = ("envelope", "sweep")
"""Pictures whose rows are the points of the curves that are drawn."""


def study_report(name: str, drawn: bool = False) -> Report:
    """Tell the story of a study of the catalog: its question, the answer of the model beside the measurement, what
    limits the system, and a picture.

    drawn   leave out points of curves that are drawn anyway.
    Raises  `UsageError` for a study that is not there or has no story, `InvalidInput` for what is wrong with one, and
            `NoAnswer` or `NotComputed` where a question of the story has no answer.
    """
    study = load_study(name)
    story = study.story
    if story is None:
        help = f"qnet validate {name} tells its claims"
        raise UsageError(Problem("QN325", f'the study "{name}" tells no story', "[story] in its file", help=help))
    row = row_maker(COLUMNS)
    rows = [row(section=QUESTION, text=story.question)]
    judged = _answers(study, story)
    rows += [row(section=ANSWERS, **_claim(item)) for item in judged]
    limits = story.limits or Ask("why", study.system, {}, {}, "", {}, ("story",))
    rows += [row(section=LIMITS, **cells) for cells in _limits(study, limits)]
    shown = picture(study, story.picture) if story.picture else None
    meta = Basis(opened(study, limits), study=study.id, source=study.source)
    columns, plot = COLUMNS, None
    if shown and story.picture:
        columns, places = _columns(shown)
        rows = [(*cells, *(None,) * (len(columns) - len(COLUMNS))) for cells in rows]
        told = (PICTURE, shown.command, *(None,) * (len(columns) - 2))
        rows.append(told)
        curve = drawn and story.picture.command in _CURVES
        rows += [] if curve else _placed(shown.rows, places, len(columns))
        points = (*shown.drawn, *(shown.rows if curve else ()))
        plot = _plot(shown, columns, places, _placed(points, places, len(columns)))
    notes = shown.notes if shown else ()
    return Report(
        "qnet/study/1", study.title, columns, rows, notes, meta, group="section", prose="text", plot=plot,
    )  # fmt: skip


def _answers(study: Study, story: Story) -> tuple[Judged, ...]:
    """The claims that answer the question, in the order of the story."""
    if not story.answers:
        return ()
    asked = [claim for id in story.answers for claim in study.claims if claim.id == id]
    return validate(study.replace(claims=tuple(asked))).judged


def _claim(item: Judged) -> dict[str, Cell]:
    return {
        "claim": item.claim.id,
        "metric": item.claim.metric or item.claim.id,
        "role": item.claim.role,
        "stated": item.stated,
        "modelled": item.modelled,
        "unit": item.unit or None,
        "error": percent_of(item.error),
        "verdict": item.verdict if item.verdict != item.claim.role else None,
    }


def _limits(study: Study, ask: Ask) -> Iterator[dict[str, Cell]]:
    """The sentences of `qnet why` on the response, on what is full first, and on what would help."""
    try:
        found = why(opened(study, ask)).findings
    except UsageError as error:
        raise placed(study, ask, error) from None
    by_section: dict[str, list[Finding]] = {section: [] for section in (ANSWER, FULL, HELP)}
    for item in found:
        if item.section in by_section:
            by_section[item.section].append(item)
    full = [item for item in by_section[FULL] if item.quantity in ("full_at", "full_population")]
    helps = by_section[HELP]
    answer = [item for item in by_section[ANSWER] if item.quantity != "full_at"]
    for item in (*answer, *full[:2], *helps[:1], *helps[1:][-1:]):
        told: dict[str, Cell] = {"text": item.text, "quantity": item.quantity or None, "value": item.value}
        yield {**told, "unit": item.unit or None}


def _columns(shown: Picture) -> tuple[tuple[Column, ...], list[int]]:
    """The columns of a report with a picture, and where those of the picture are among them."""
    taken = {column.key for column in COLUMNS}
    own = [column.replace(key=f"picture_{column.key}") if column.key in taken else column for column in shown.columns]
    return (*COLUMNS, *own), list(range(len(COLUMNS), len(COLUMNS) + len(own)))


def _placed(rows: tuple[tuple[Cell, ...], ...], places: list[int], width: int) -> list[tuple[Cell, ...]]:
    """Rows of the picture as rows of the report."""
    found: list[tuple[Cell, ...]] = []
    for row in rows:
        cells: list[Cell] = [None] * width
        cells[0] = PICTURE
        for place, cell in zip(places, row, strict=True):
            cells[place] = cell
        found.append(tuple(cells))
    return found


def _plot(
    shown: Picture, columns: tuple[Column, ...], places: list[int], points: list[tuple[Cell, ...]]
) -> Plot | None:
    """How the picture is drawn, by the columns of the report."""
    if shown.plot is None:
        return None
    keys = {column.key: columns[place].key for column, place in zip(shown.columns, places, strict=True)}
    drawn = shown.plot
    return Plot(keys[drawn.x], tuple(keys[y] for y in drawn.y), tuple(keys[key] for key in drawn.by), points)


def studies_report() -> Report:
    """The studies of the catalog, each with the question that its authors asked; nothing of them is computed."""
    from qnet.catalog.find import entries

    rows: list[tuple[Cell, ...]] = []
    for entry in entries():
        if entry.kind == "study":
            data = read(entry.path).data
            story: Any = data.get("story")
            question = cast("dict[str, Any]", story).get("question") if isinstance(story, dict) else None
            claims: Any = data.get("claims")
            told = [str(data.get(key) or "") or None for key in ("title", "system")]
            count = len(cast("list[Any]", claims)) if isinstance(claims, list) else None
            rows.append((entry.id, count, str(question) if question else None, *told))
    return Report("qnet/studies/1", "the studies of the catalog", LISTED, rows)
