"""`Report`: one answer, which prints as a table, gives its rows as records, and writes itself in every format."""

from __future__ import annotations

from qnet.reports.content import Cell, Content, Style
from qnet.reports.records import checked_rows, column_names
from qnet.reports.render import render


class Report(Content):
    """One answer of a question, ready to print, to write in a format, or to take apart as records.

    Its fields are those of `Content`.
    """

    __slots__ = ()

    def records(self) -> list[dict[str, Cell]]:
        """The rows by the names of the columns that CSV has, such as `response_s`; base units."""
        names = column_names(self.columns)
        return [dict(zip(names, row, strict=True)) for row in checked_rows(self)]

    def text(self, format: str = "table") -> str:
        """The report as `table`, `csv`, `json`, `jsonl` or `md`."""
        return render(self, format, Style())

    def __str__(self) -> str:
        return self.text()

    def _repr_markdown_(self) -> str:
        """What notebooks show."""
        return self.text("md")
