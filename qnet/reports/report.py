"""The answer to a question: a `Content` that renders itself in every format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qnet.errors import Problem, UsageError
from qnet.formats import DEFAULT, FORMATS
from qnet.lazy import lazy
from qnet.reports.content import Cell, Content, Style

if TYPE_CHECKING:
    from qnet.reports import columns, named_figures
    from qnet.reports import html_ as html
    from qnet.reports import render as rendering
else:
    html = lazy("qnet.reports.html_")
    named_figures = lazy("qnet.reports.named_figures")
    columns = lazy("qnet.reports.columns")
    rendering = lazy("qnet.reports.render")


_SOLUTION = "qnet/solution/1"
_NAMED = 6
"""Columns named by `repr`."""


class Report(Content):
    """One answer: text by `str`, a table in notebooks, rows by `records()`, columns as arrays by `columns["..."]`.

    A solution also has its figures as attributes: `throughput` and `response` of the system, figures by station such
    as `utilization["cpu"]`, and outputs.
    """

    __slots__ = ()

    @property
    def columns(self) -> columns.Columns:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The columns in order; `report.columns["response_s"]` is the array of the cells of one."""
        return columns.Columns(super().columns, self.rows)

    def records(self) -> list[dict[str, Cell]]:
        """The rows as dicts, by the column names of CSV, such as `response_s`; numbers in base units."""
        names = columns.column_names(self.columns)
        return [dict(zip(names, row, strict=True)) for row in columns.checked_rows(self)]

    def to_pandas(self) -> Any:
        """A `DataFrame` of pandas, with the column names of CSV; numbers in base units.

        Raises   `UsageError` QN764 where pandas, an optional package, is not installed.
        """
        return columns.pandas_frame(self)

    def to_polars(self) -> Any:
        """A `DataFrame` of polars, null where there is no value; otherwise like `to_pandas`."""
        return columns.polars_frame(self)

    def text(self, format: str = DEFAULT, safe_csv: bool = False) -> str:
        """The report in a format of `qnet help formats`, such as `csv` or `md`.

        safe_csv   whether CSV puts an apostrophe before texts that spreadsheets would take for formulas.
        Raises     `UsageError` QN753 for another format.
        """
        if not isinstance(format, str) or format not in FORMATS:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UsageError(Problem("QN753", "unknown output format", ", ".join(FORMATS)))
        return rendering.render(self, format, Style(safe_csv=safe_csv))

    def __repr__(self) -> str:
        """Title, size and columns in a line; `print` shows the table."""
        names = self.columns.keys()
        listed = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
        return f"Report({self.title!r}, {len(self.rows)} rows, {len(names)} columns: {listed})"

    def __str__(self) -> str:
        return self.text()

    def __getattr__(self, name: str) -> Any:
        """A figure of a solution by the key of its column: of the system, else a dict by station; or an output.

        >>> import qnet
        >>> solved = qnet.load("one-queue").solve()
        >>> float(solved.throughput), round(solved.utilization["server"], 6)
        (80.0, 0.8)
        """
        if not name.startswith("_") and self.schema == _SOLUTION:
            return named_figures.figure(self, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        """The attributes, figures of a solution included."""
        return [*super().__dir__(), *(named_figures.names(self) if self.schema == _SOLUTION else ())]

    def _repr_html_(self) -> str:
        """The report in notebooks."""
        return html.fragment(self, Style())

    def _repr_markdown_(self) -> str:
        """The report in notebooks without HTML."""
        return self.text("md")
