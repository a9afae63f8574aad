"""The table of output formats, which determines options, help, completion and suffixes. It loads no renderer.

To add a format: a module in `reports/` with `render(report, style) -> str`, and a row here.
"""

from __future__ import annotations

from qnet.record import Record

TERMINAL, PEOPLE, MACHINES = "terminal", "people", "machines"
"""The readers of a format: people at a terminal, to whose width it is fitted, people elsewhere, or programs."""
BELOW, FENCED, INSIDE = "below", "fenced", "inside"
"""How a format shows a chart: below the text, as on a terminal; below it in ASCII, by `fenced(drawing)` of its module;
or always, by its renderer."""


class OutputFormat(Record):
    """A format of answers; its module, which is loaded when it is used, renders them."""

    module: str
    """The module with its `render`."""
    title: str
    """The name of the format in notes."""
    suffixes: tuple[str, ...]
    """The suffixes of files that imply it; messages show the first."""
    words: str
    """Its description, for `qnet help formats`."""
    use: str = ""
    """Its purpose, for the help of its short option."""
    read_by: str = MACHINES
    """One of `TERMINAL`, `PEOPLE` and `MACHINES`."""
    drawing: str = ""
    """How it shows charts: `BELOW`, `FENCED` or `INSIDE`; empty: not at all."""
    notes: bool = False
    """Whether it contains the notes; otherwise they are printed to standard error."""
    command: bool = False
    """Whether it contains the command that reproduces the answer."""
    spreadsheet: bool = False
    """Whether spreadsheets may evaluate its texts as formulas, so that `--safe-csv` applies."""


FORMATS: dict[str, OutputFormat] = {
    "table": OutputFormat(
        module="qnet.reports.text_table",
        title="tables",
        suffixes=(".txt",),
        words="for people (default); units are chosen for every column",
        read_by=TERMINAL,
        drawing=BELOW,
        notes=True,
    ),
    "csv": OutputFormat(
        module="qnet.reports.csv_",
        title="CSV",
        suffixes=(".csv",),
        words="one header, one row per line, base units, the unit in the column name",
        spreadsheet=True,
    ),
    "json": OutputFormat(
        module="qnet.reports.json_",
        title="JSON",
        suffixes=(".json",),
        words="one object with columns, rows, notes, model, method",
        notes=True,
    ),
    "jsonl": OutputFormat(
        module="qnet.reports.jsonl",
        title="JSON Lines",
        suffixes=(".jsonl",),
        words="one object per row",
    ),
    "md": OutputFormat(
        module="qnet.reports.markdown",
        title="Markdown",
        suffixes=(".md",),
        words="Markdown, to paste into a ticket",
        use="to paste into a ticket",
        read_by=PEOPLE,
        drawing=FENCED,
        notes=True,
        command=True,
    ),
    "html": OutputFormat(
        module="qnet.reports.html_",
        title="HTML",
        suffixes=(".html", ".htm"),
        words="one page to send: question, answer, figure, tables, model, command",
        use="one file to send",
        read_by=PEOPLE,
        drawing=INSIDE,
        notes=True,
        command=True,
    ),
}
"""Name -> format. Each format but `DEFAULT` has a short option of its name."""

DEFAULT = "table"


def format_of_path(path: str) -> str | None:
    """The name of the format that the suffix of a path implies, case-insensitively; None if it implies none.

    >>> format_of_path("answers/WEB.HTM")
    'html'
    """
    _, dot, suffix = path.lower().rpartition(".")
    return next((name for name, row in FORMATS.items() if dot + suffix in row.suffixes), None)


def short_options() -> tuple[str, ...]:
    """The names of the formats with a short option, such as `--csv`.

    >>> short_options()[:2]
    ('csv', 'json')
    """
    return tuple(name for name in FORMATS if name != DEFAULT)


def suffixes() -> list[str]:
    """The first suffix of each format, that of the default last.

    >>> suffixes()[-2:]
    ['.html', '.txt']
    """
    return [suffix for name in (*short_options(), DEFAULT) for suffix in FORMATS[name].suffixes[:1]]
