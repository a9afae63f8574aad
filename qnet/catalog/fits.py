"""Fitted values and the claims they were fitted on: whether parts, systems and studies say the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from qnet.catalog.drafts import Draft, shown
from qnet.documents import Document, Path
from qnet.errors import Problem, suggest
from qnet.record import Record

_PREDICTED = ("predicted", "failed assumption", "carried")
"""Roles that no claim has on which a value was fitted."""


class Claims(Record):
    """The claims of all studies, as plain data."""

    by_id: dict[str, tuple[Document, Path, dict[str, Any]]]
    """Where each stands, and its keys."""

    @property
    def subjects(self) -> set[str]:
        """What stands before the first `/` of the ids."""
        return {_subject(id) for id in self.by_id}


def claims(documents: Sequence[Document]) -> Claims:
    """The claims of the documents that have some."""
    result: dict[str, tuple[Document, Path, dict[str, Any]]] = {}
    for document in documents:
        listed: Any = document.data.get("claims", [])
        for index, claim in enumerate(cast("list[Any]", listed) if isinstance(listed, list) else []):
            if isinstance(claim, dict):
                table = cast("dict[str, Any]", claim)
                result[str(table.get("id", ""))] = (document, ("claims", index), table)
    return Claims(result)


def fitted_on(parts: Sequence[Draft], documents: Sequence[Document]) -> Iterator[tuple[Document, Path, str]]:
    """Every claim that a value of a part or a system was fitted on, with its place."""
    for part in parts:
        for name, parameter in part.parameters.items():
            for claim in parameter.fitted_on or ():
                yield part.document, ("parameters", name, "fitted_on"), claim
    for document in documents:
        parameters: Any = document.data.get("parameters", {})
        for name, table in cast("dict[str, Any]", parameters).items() if isinstance(parameters, dict) else ():
            listed: Any = cast("dict[str, Any]", table).get("fitted_on", []) if isinstance(table, dict) else []
            for claim in cast("list[Any]", listed) if isinstance(listed, list) else [listed]:
                yield document, ("parameters", name, "fitted_on"), str(claim)


def unknown(parts: Sequence[Draft], documents: Sequence[Document]) -> list[Problem]:
    """Values fitted on claims that no study has, though it has others of the same subject."""
    known = claims(documents)
    ids = sorted(known.by_id)
    return [
        document.located(
            Problem(
                code="QN310",
                found=f"unknown claim {shown(id)}",
                expected="the id of a claim of a study",
                path=path,
                help=suggest(id, ids),
            )
        )
        for document, path, id in fitted_on(parts, documents)
        if id not in known.by_id and _subject(id) in known.subjects
    ]


def disagreeing(parts: Sequence[Draft], documents: Sequence[Document]) -> list[Problem]:
    """Values fitted on what a study counts as predicted, and fitted claims that no value was fitted on."""
    known = claims(documents)
    problems: list[Problem] = []
    used: set[str] = set()
    for document, path, id in fitted_on(parts, documents):
        used.add(id)
        role = known.by_id[id][2].get("role") if id in known.by_id else None
        if role in _PREDICTED:
            text = f"{shown(id)} is {role} in its study, and the value was fitted on it"
            problems.append(
                document.located(Problem(code="QN310", found=text, expected='role = "fitted" for the claim', path=path))
            )
    for id, (document, path, table) in known.by_id.items():
        if table.get("role") == "fitted" and id not in used:
            text = f"{shown(id)} is fitted, and no value names it"
            expected = "fitted_on with its id at the parameter that it sets"
            problems.append(
                document.located(Problem(code="QN310", found=text, expected=expected, path=(*path, "sets")))
            )
    return problems


def _subject(claim: str) -> str:
    return claim.partition("/")[0]
