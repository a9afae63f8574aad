"""The bibliographic records that values cite by key, from `sources.toml`."""

from __future__ import annotations

import os
from typing import Any, cast

from qnet.catalog.drafts import shown
from qnet.catalog.find import root
from qnet.documents import Document, read
from qnet.errors import InvalidInput, Problem, suggest
from qnet.record import Record

FILE = "sources.toml"

ASSUMPTION = "assumption"
"""The record of values that the model assumes: it is not a publication and need not be used."""


class Source(Record):
    """A publication or other source of values; unknown details are empty."""

    key: str
    title: str
    author: str = ""
    publisher: str = ""
    date: str = ""
    where: str = ""
    """An address or a document number."""


def sources() -> dict[str, Source]:
    """All records by key.

    Raises `InvalidInput` with every malformed record, or where the catalog or its list of sources is missing.
    """
    document = source_document(root())
    result, problems = records(document)
    if problems:
        raise InvalidInput(*problems)
    return result


def describe(source: Source) -> str:
    """`source` on one line: author, title, publisher, date, where; unknown details are left out."""
    details = (source.author, f'"{source.title}"', source.publisher, source.date, source.where)
    return ", ".join(detail for detail in details if detail)


def source_document(folder: str) -> Document:
    """The list of sources of the catalog at `folder`; raises `InvalidInput` where it is missing or not TOML."""
    path = os.path.join(folder, FILE)
    if not os.path.isfile(path):
        raise InvalidInput(Problem("QN300", "the catalog has no list of sources", f"the file {FILE}", file=path))
    return read(path)


def records(document: Document) -> tuple[dict[str, Source], list[Problem]]:
    """The records of a list of sources, and the problems of those that are malformed."""
    result: dict[str, Source] = {}
    problems: list[Problem] = []
    for key, table in document.data.items():
        if not isinstance(table, dict):
            problems.append(
                Problem(code="QN311", found=f"found {shown(table)}", expected="a table for each source", path=(key,))
            )
            continue
        fields = cast("dict[str, Any]", table)
        before = len(problems)
        for field, value in fields.items():
            if field not in Source.fields()[1:]:
                problems.append(
                    Problem(
                        code="QN311",
                        found="unknown key",
                        expected="",
                        path=(key, field),
                        help=suggest(field, Source.fields()[1:]),
                    )
                )
            elif not isinstance(value, str) or not value.strip():
                problems.append(
                    Problem(
                        code="QN311",
                        found=f"found {shown(value)}",
                        expected="a text that is not empty",
                        path=(key, field),
                    )
                )
        if "title" not in fields:
            problems.append(
                Problem(code="QN311", found="the source has no title", expected='title = "..."', path=(key,))
            )
        if len(problems) == before:
            result[key] = Source(key, **fields)
    return result, [document.located(problem) for problem in problems]
