"""Read the studies of the catalog from their files, and report every problem of a file at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

from qnet.catalog.find import entries, study_path
from qnet.documents import Path, read
from qnet.errors import InvalidInput, Problem, UsageError, suggest
from qnet.questions.study.claims import ClaimReader
from qnet.questions.study.story import StoryReader
from qnet.questions.study.study import KINDS, FreeChoice, Study, bounds_of
from qnet.units import UnitError, quantity

_KEYS = ("id", "kind", "chosen", "alternatives", "why", "parameter", "claim")

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


def load_studies(name: str = "") -> list[Study]:
    """Read one study of the catalog, or all of them if `name` is empty.

    Raises `UsageError` for an unknown name, or QN301 for a catalog without studies; `InvalidInput` with every problem
    of all files.
    """
    if name:
        return [load_study(name)]
    names = [entry.id for entry in entries() if entry.kind == "study"]
    if not names:
        raise UsageError(Problem("QN301", "the catalog has no studies", "a study, as studies/NAME.toml"))
    return each_of(names, load_study)


def each_of(items: Iterable[_Item], read_one: Callable[[_Item], _Made]) -> list[_Made]:
    """The results of a function for each item; raises `InvalidInput` with the problems of all items, each once."""
    made: list[_Made] = []
    problems: list[Problem] = []
    for item in items:
        try:
            made.append(read_one(item))
        except InvalidInput as error:
            problems += error.problems
    if problems:
        raise InvalidInput(*dict.fromkeys(problems))
    return made


def load_study(name: str) -> Study:
    """Read a study of the catalog by its name, such as "p390".

    Raises `UsageError` for an unknown name, `InvalidInput` with every problem of the file.
    """
    document = read(study_path(name))
    data = document.data
    reader = ClaimReader(data)
    for key in ("id", "title", "system", "source"):
        if not isinstance(data.get(key), str):
            reader.fail((key,), f'"{key}" is missing or not a text', "a text")
    claims = reader.claims()
    computed = {claim.id for claim in claims if claim.computed}
    stated = {claim.id: text for claim in claims if (text := claim.stated or bounds_of(claim))}
    story = StoryReader(reader.fail, reader.fill, computed, stated).story(data.get("story"))
    roles = {id: str(table.get("role", "")) for id, table in reader.tables.items()}
    choices = read_choices(data.get("free_choices"), reader.fail, roles)
    if reader.problems:
        raise InvalidInput(*(document.located(problem) for problem in reader.problems))
    title, system, source = (cast("str", data[key]) for key in ("title", "system", "source"))
    return Study(
        id=cast("str", data["id"]),
        title=title,
        system=system,
        source=source,
        claims=claims,
        story=story,
        choices=choices,
        printed=reader.printed,
        document=document,
    )


def read_choices(raw: Any, fail: Callable[..., None], roles: dict[str, str]) -> tuple[FreeChoice, ...]:
    """Read `[[free_choices]]`.

    raw      the value of the key, None if the file has none.
    fail     called with path, problem and expectation for everything that is wrong; reading then continues.
    roles    the role of each claim, by id.
    """
    items = cast("list[Any]", raw) if isinstance(raw, list) else []
    if raw is not None and not (isinstance(raw, list) and all(isinstance(item, dict) for item in items)):
        fail(("free_choices",), "free_choices is not an array of tables", "[[free_choices]]")
        return ()
    result = [_choice(cast("dict[str, Any]", item), ("free_choices", index), fail) for index, item in enumerate(items)]
    for index, choice in enumerate(result):
        path = ("free_choices", index)
        if choice.id in {other.id for other in result[:index]}:
            fail((*path, "id"), f'there are two choices "{choice.id}"', "each choice once", code="QN321")
        if choice.parameter and choice.claim:
            fail((*path, "claim"), "the choice names a parameter and a claim", "either parameter or claim")
        if choice.claim and roles.get(choice.claim) != "fitted":
            help = suggest(choice.claim, [id for id, role in roles.items() if role == "fitted"])
            fail((*path, "claim"), f'found "{choice.claim}"', "the id of a fitted claim", help)
        if choice.claim:
            _check_quantities(choice, path, fail)
    return tuple(result)


def _choice(table: dict[str, Any], path: Path, fail: Callable[..., None]) -> FreeChoice:
    for key in table:
        if key not in _KEYS:
            fail((*path, key), f'unknown key "{key}"', "a key of a free choice", suggest(key, list(_KEYS)))
    texts: dict[str, str] = {}
    for key in _KEYS:
        value = table.get(key, "")
        if key == "alternatives":
            continue
        if not isinstance(value, str) or (not value.strip() and key not in ("parameter", "claim")):
            fail((*path, key), f"found {value!r}" if key in table else f"the choice has no {key}", "a text")
        texts[key] = str(value).strip()
    if texts["kind"] and texts["kind"] not in KINDS:
        fail((*path, "kind"), f'found "{texts["kind"]}"', "one of " + ", ".join(KINDS))
    raw: Any = table.get("alternatives", [])
    items = cast("list[Any]", raw) if isinstance(raw, list) else []
    if not items or not all(isinstance(item, str) and item.strip() for item in items):
        fail((*path, "alternatives"), f"found {raw!r}", "a list of what could have been chosen instead, as texts")
        items = []
    return FreeChoice(alternatives=tuple(items), **texts)


def _check_quantities(choice: FreeChoice, path: Path, fail: Callable[..., None]) -> None:
    for index, text in enumerate(choice.alternatives):
        try:
            quantity(text)
        except UnitError as error:
            fail((*path, "alternatives", index), f'"{text}": {error}', "a quantity", error.help)
