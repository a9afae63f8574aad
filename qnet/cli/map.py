"""`qnet map`: a filter that solves the model for each row of parameters."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from typing import Any, BinaryIO, TextIO

import click

from qnet.cli.method_options import method, method_options
from qnet.cli.network_options import INLINE, asked, inline_options, opened
from qnet.cli.options import assert_option, metric_option, optional_system_argument, parameter_option, said
from qnet.errors import Problem, UsageError


@click.command("map")
@optional_system_argument
@click.argument("source", metavar="[FILE]", required=False, callback=said)
@parameter_option
@inline_options
@metric_option
@click.option("--prefix", default="", metavar="TEXT", help="Prefix of the result columns, such as new_.")
@click.option(
    "--chunk",
    type=click.IntRange(1, 65536),
    default=1024,
    metavar="ROWS",
    help="Rows solved together at most; 1 answers each row at once (default: 1024).",
)
@click.option("--jsonl", is_flag=True, help="Read and write JSON objects, one per line, instead of CSV.")
@click.option("-o", "--output", "path", default="-", metavar="FILE", callback=said, help="Output file.")
@method_options
@assert_option
def command(source: str | None, metrics: tuple[str, ...], prefix: str, chunk: int, jsonl: bool,
            path: str, asserted: tuple[str, ...], **options: Any) -> None:  # fmt: skip
    """Solve the model for each row of a CSV or JSONL stream.

    A filter for CSV, from FILE or standard input. A column named like a parameter of the system sets its value in every
    row, as a number in base units (seconds, bytes, 1/s), as a quantity with its unit, or as a word of a choice. With a
    unit suffix, such as db_call_ms, rate_per_min or size_KiB, its numbers are in that unit. Other columns are passed
    through and listed on standard error; a column whose name is nearly that of a parameter is refused, as probably
    misspelt. The metrics of qnet solve (Little 1961; Denning and Buzen 1978), method, exactness and status are
    appended.

    A row that cannot be read or has no answer states the reason in its status, and processing continues. Rows are
    answered while input is read and memory does not grow with their number, so rows can be split and distributed over
    machines. The exit code is 0 if any row has an answer, or there is no row.

    \b
    Examples:
      qnet map ibm-3990-6 rows.csv --metric response > answers.csv
      qnet sweep ibm-3990-6 --vary rate=100/s:900/s:1/s --csv | cut -d, -f1 | qnet map ibm-3990-6 -p write_fraction=0.2
      parallel --pipe --header : qnet map ibm-3990-6 < rows.csv
      tail -f rows.jsonl | qnet map ibm-3990-6 --jsonl --chunk 1
      qnet map --station cpu=120ms --arrival-rate 3/s rows.csv --metric response > answers.csv
    """
    import itertools

    from qnet.cli.options import Output
    from qnet.cli.output import ready, tell_notes
    from qnet.cli.progress import progress
    from qnet.questions.map.map import Lines, Mapper, map_csv, map_jsonl

    if any(options[key] for key in INLINE) and source is None:
        # Without a SYSTEM the only argument is the FILE.
        options["system"], source = None, options["system"]
    network, source = asked(options), source or "-"
    if network.system == source == "-":
        raise click.UsageError("- is given for the model and the rows; name a FILE for one of them")
    _refuse_overwriting(source, path)
    wanted = method(options)
    ready(Output("jsonl" if jsonl else "csv", path, "never", False))
    with opened(network) as model:
        mapper = Mapper(model, metrics, wanted, asserted, prefix)
    answer = map_jsonl if jsonl else map_csv
    # Rows printed to a terminal show progress already.
    visible = path == "-" and sys.stdout.isatty()
    with _rows(source) as stream, nullcontext() if visible else progress("rows") as report_progress:
        texts = answer(mapper, Lines(stream), chunk)
        first = next(texts, "")
        with _sink(path) as sink:
            for text in itertools.chain([first], texts):
                sink.write(text.encode("utf-8", "surrogateescape"))
                sink.flush()
                if report_progress:
                    report_progress(mapper.rows, 0)
    tell_notes(mapper.notes())
    mapper.finish()


@contextmanager
def _rows(source: str) -> Generator[TextIO]:
    """The text of a file or of standard input, whatever its bytes, with its line ends; without a byte order mark."""
    from io import TextIOWrapper

    if source == "-":
        from qnet.cli.system import announce_input

        announce_input("rows")
        stream: Any = sys.stdin.buffer
    else:
        try:
            stream = open(source, "rb")  # noqa: SIM115
        except (OSError, ValueError) as error:
            found = f"cannot be read: {getattr(error, 'strerror', None) or error}"
            raise UsageError(Problem("QN002", found, "rows of parameters", file=source)) from None
    with TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="") as text:
        yield text


@contextmanager
def _sink(path: str) -> Generator[BinaryIO]:
    """Where answers go."""
    if path == "-":
        sys.stdout.flush()
        yield sys.stdout.buffer
        return
    with open(path, "wb") as stream:
        yield stream


def _refuse_overwriting(source: str, path: str) -> None:
    """Refuse to write over the rows that are still to be read."""
    from pathlib import Path

    if "-" not in (source, path) and os.path.exists(source) and os.path.exists(path) and Path(source).samefile(path):
        raise UsageError(Problem("QN005", "the results would overwrite the rows", "another file"))
