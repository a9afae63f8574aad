"""JSON: one object of model, method and other provenance, columns, rows and notes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from qnet.lazy import lazy
from qnet.reports.columns import checked_rows, column_names
from qnet.reports.content import Content, Style
from qnet.version import __version__

if TYPE_CHECKING:
    import json
else:
    json = lazy("json")

_UNPRINTABLE = re.compile(r"[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def render(report: Content, style: Style) -> str:
    """The object, indented. Raises `ValueError` for NaN, infinity, and a key of `meta` that clashes with its keys."""
    return dumps(_envelope(report), indent=2) + "\n"


def dumps(value: object, indent: int | None = None) -> str:
    """JSON as text in Unicode; control characters and those that UTF-8 cannot hold are escaped.

    value    made of dicts, lists, texts, numbers, truth values and None.
    indent   spaces of each level; None: all on one line without spaces.
    Raises   `ValueError` for a number that is infinite or not a number, which JSON does not have.
    """
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _envelope(report: Content) -> dict[str, Any]:
    names = column_names(report.columns)
    head = {"schema": report.schema, "qnet": __version__}
    body = {
        "columns": [
            {"key": name, "unit": column.unit, "title": column.title}
            for name, column in zip(names, report.columns, strict=True)
        ],
        "rows": [dict(zip(names, row, strict=True)) for row in checked_rows(report)],
        "notes": [
            {"code": note.code, "severity": note.severity, "text": note.text, "next": note.next}
            for note in report.notes
        ],
    }
    taken = report.meta.keys() & (head.keys() | body.keys())
    if taken:
        raise ValueError(f"meta of {report.schema} uses a key of the envelope: {', '.join(sorted(taken))}")
    return {**head, **report.meta, **body}
