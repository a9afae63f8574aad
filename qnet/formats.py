"""The table of output formats, from which options, help, completion and suffixes follow. It loads no renderer.

To add a format: a module in `reports/` with `render(report, style) -> str`, and a row here.
"""

from __future__ import annotations

from qnet.record import Record

TERMINAL, PEOPLE, MACHINES = "terminal", "people", "machines"
"""Who reads a format: people on a screen that it is fitted to, people elsewhere, or programs."""
BELOW, FENCED, INSIDE = "below", "fenced", "inside"
"""How a format shows a chart: below the text as on a screen; below it in ASCII, as `fenced(drawing)` of its module puts
it; or always, by its renderer."""


class OutputFormat(Record):
    """A format of answers, as far as it is known before its module is loaded."""

    module: str
    title: str
    """The name in notes."""
    suffixes: tuple[str, ...]
    """Of files that are written in this format where none is named; messages have the first."""
    words: str
    """What it is, on a line of `qnet help formats`."""
    use: str = ""
    """What it is good for, in the help of its short option."""
    read_by: str = MACHINES
    drawing: str = ""
    """Empty where there are no charts."""
    notes: bool = False
    """Whether it shows notes; those of others are printed on standard error."""
    command: bool = False
    """Whether it shows the command that made the answer."""
    spreadsheet: bool = False
    """Whether spreadsheets compute its texts, so that `--safe-csv` applies."""


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
"""Name -> its row. Each but the default has a short option of its name."""

DEFAULT = "table"


def format_of_path(path: str) -> str | None:
    """The format that the suffix of a path denotes, in either case of letters; None where it denotes none.

    >>> format_of_path("answers/WEB.HTM")
    'html'
    """
    _, dot, suffix = path.lower().rpartition(".")
    return next((name for name, row in FORMATS.items() if dot + suffix in row.suffixes), None)


def short_options() -> tuple[str, ...]:
    """The names of the formats that have a separate option.

    >>> short_options()[:2]
    ('csv', 'json')
    """
    return tuple(name for name in FORMATS if name != DEFAULT)


def suffixes() -> list[str]:
    """The usual suffix of each format, that of the default last.

    >>> suffixes()[-2:]
    ['.html', '.txt']
    """
    return [suffix for name in (*short_options(), DEFAULT) for suffix in FORMATS[name].suffixes[:1]]
