"""The answer to a question: its content, which shows itself in every format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qnet.lazy import lazy
from qnet.reports.content import Cell, Content, Style

if TYPE_CHECKING:
    from qnet.reports import records
    from qnet.reports import render as rendering
else:
    records = lazy("qnet.reports.records")
    rendering = lazy("qnet.reports.render")


class Report(Content):
    """One answer: text by `str`, a table in notebooks, rows by `records`."""

    __slots__ = ()

    def records(self) -> list[dict[str, Cell]]:
        """The rows by the names of the columns that CSV has, such as `response_s`; base units."""
        names = records.column_names(self.columns)
        return [dict(zip(names, row, strict=True)) for row in records.checked_rows(self)]

    def text(self, format: str = "table") -> str:
        """The report as `table`, `csv`, `json`, `jsonl` or `md`."""
        return rendering.render(self, format, Style())

    def __str__(self) -> str:
        return self.text()

    def _repr_markdown_(self) -> str:
        """What notebooks show."""
        return self.text("md")
