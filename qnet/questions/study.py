"""Reading a study: a system and the published figures that its model is held against."""

from __future__ import annotations

from typing import Any, cast

from qnet.documents import Document, read
from qnet.errors import InvalidInput, Problem, UsageError, suggest
from qnet.record import Record

ROLES = {
    "given": "an input of the model",
    "fitted": "sets the parameter it names",
    "predicted": "not computable by arithmetic from given and fitted claims: evidence for or against the model",
    "derived": "the same datum as another claim, in another unit",
    "trend": "a direction that the model must show",
    "disputed": "in conflict with another figure of the same source: reported, not required",
}

_CLAIM_KEYS = {
    "id": str,
    "role": str,
    "case": str,
    "sets": str,
    "stated": str,
    "at_least": str,
    "at_most": str,
    "tolerance": (int, float, str),
    "largest": str,
    "limit": str,
    "figure": str,
    "over": str,
    "take": str,
    "set": dict,
    "remark": str,
}
_TAKES = ("", "mean", "largest", "trend")
_TRENDS = ("rises", "falls", "unchanged")


class Claim(Record):
    """One published figure and how to compute it with the model."""

    id: str
    role: str
    settings: dict[str, str]
    """Parameters of the system, those of the case included."""
    stated: str
    at_least: str
    at_most: str
    tolerance: float | str | None
    """Relative, or an absolute quantity as text; None where only the rounding of the figure is asked for."""
    largest: str
    """The parameter whose largest value is asked for; empty to ask for a figure at one point."""
    limit: str
    figure: str
    """What to read there; empty for the largest value itself."""
    over: str
    take: str
    """What to make of several points: their mean, the largest, or the trend."""
    sets: str
    remark: str
    place: int
    """Where it stands in the file, from 0."""


class Study(Record):
    """A study: title, system, and claims."""

    id: str
    title: str
    system: str
    source: str
    claims: tuple[Claim, ...]
    document: Document


def load_studies(name: str = "") -> list[Study]:
    """A study of the catalog, or all of them for no name; raises as `load_study`, QN301 where the catalog has none."""
    from qnet.catalog.find import entries

    if name:
        return [load_study(name)]
    names = [entry.id for entry in entries() if entry.kind == "study"]
    if not names:
        raise UsageError(Problem("QN301", "the catalog has no studies", "a study, as studies/NAME.toml"))
    return [load_study(each) for each in names]


def load_study(name: str) -> Study:
    """Read a study of the catalog.

    Raises `UsageError` for an unknown name, `InvalidInput` with every problem of the file.
    """
    from qnet.catalog.find import study_path

    document = read(study_path(name))
    data = document.data
    problems: list[Problem] = []
    for key in ("id", "title", "system", "source"):
        if not isinstance(data.get(key), str):
            problems.append(Problem("QN320", f'"{key}" is missing or not a text', "a text", (key,)))
    cases: dict[str, Any] = data.get("cases", {})
    claims = tuple(_claim(raw, index, cases, problems) for index, raw in enumerate(data.get("claims", [])))
    seen: set[str] = set()
    for claim in claims:
        if claim.id in seen:
            problems.append(
                Problem("QN321", f'there are two claims "{claim.id}"', "each claim once", ("claims", claim.place, "id"))
            )
        seen.add(claim.id)
    if problems:
        raise InvalidInput(*(document.place(problem) for problem in problems))
    return Study(data["id"], data["title"], data["system"], data["source"], claims, document)


def _claim(raw: Any, index: int, cases: dict[str, Any], problems: list[Problem]) -> Claim:
    path = ("claims", index)
    given = cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}

    def fail(key: str, found: str, expected: str, help: str = "") -> None:
        problems.append(Problem("QN320", found, expected, (*path, key), help))

    for key, value in given.items():
        if key not in _CLAIM_KEYS:
            fail(key, f'unknown key "{key}"', "a key of a claim", suggest(key, list(_CLAIM_KEYS)))
        elif isinstance(value, bool) or not isinstance(value, _CLAIM_KEYS[key]):  # type: ignore[arg-type]
            fail(key, f"found {value!r}", "a value of another kind")
    role, case, take = given.get("role", ""), given.get("case", ""), given.get("take", "")
    if role not in ROLES:
        fail("role", f'found "{role}"', "one of " + ", ".join(ROLES))
    if case and case not in cases:
        fail("case", f'unknown case "{case}"', "a case of this study", suggest(case, list(cases)))
    if take not in _TAKES or bool(take) != ("over" in given):
        fail("take", f'found "{take}"', "mean, largest or trend beside over")
    if not {"stated", "at_least", "at_most"} & set(given):
        fail("stated", "the claim states nothing", "stated, at_least or at_most")
    if take == "trend" and given.get("stated") not in _TRENDS:
        fail("stated", f'found "{given.get("stated")}"', "one of " + ", ".join(_TRENDS))
    if not {"largest", "figure"} & set(given):
        fail("largest", "the claim asks for nothing", "largest, figure or both")
    if role == "fitted" and not given.get("sets"):
        fail("sets", "a fitted claim sets no parameter", "the name of the parameter")
    if role == "predicted" and "tolerance" not in given and "stated" in given:
        fail("tolerance", "a predicted claim has no tolerance", "a fraction, or a quantity")
    settings: dict[str, Any] = {**cases.get(case, {}), **(given.get("set") or {})}
    texts = {
        name: str(given.get(name, ""))
        for name in ("stated", "at_least", "at_most", "largest", "limit", "figure", "over", "sets", "remark")
    }
    tolerance = given.get("tolerance")
    return Claim(
        id=str(given.get("id", "")),
        role=role,
        settings={name: str(value) for name, value in settings.items()},
        take=take,
        place=index,
        tolerance=float(tolerance) if isinstance(tolerance, (int, float)) else tolerance,
        **texts,
    )
