"""`qnet map`: a filter that solves the model for each row of parameters."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from typing import Any, TextIO

import click

from qnet.cli.options import (
    RareOption,
    assert_option,
    is_quiet,
    metric_option,
    optional_system_argument,
    parameter_option,
    safe_csv_option,
    stated,
)
from qnet.cli.question import options_of
from qnet.cli.shared_options import INLINE, asked, inline_options, method, method_options, opened
from qnet.errors import Problem, UsageError, printable
from qnet.opened import note_read, standard_input

_option = options_of("map_rows")


@click.command("map")
@optional_system_argument
@click.argument("source", metavar="[FILE]", required=False, callback=stated)
@parameter_option
@inline_options
@metric_option
@_option("prefix", "TEXT", "Prefix of the result columns, such as new_.")
@_option("chunk", "ROWS", range=(1, 65536),
         help="Most rows solved together; 1 answers each row immediately (default: 2048).")  # fmt: skip
@click.option("--csv/--jsonl", "as_csv", default=True,
              help="Read and write CSV (default), or JSON objects, one per line.")  # fmt: skip
@click.option(
    "--strict",
    is_flag=True,
    help="Exit with code 3 for a column that is no parameter, and at the first row without an answer.",
)
@click.option("-o", "--output", "path", default="-", metavar="FILE", callback=stated, help="Output file.")
@safe_csv_option
@click.option("--no-header", cls=RareOption, is_flag=True, help="Leave out the header of the answers.")
@method_options
@assert_option
def command(source: str | None, metric: tuple[str, ...], prefix: str, chunk: int, as_csv: bool, strict: bool,
            path: str, safe_csv: bool, no_header: bool, asserted: tuple[str, ...], **options: Any) -> None:  # fmt: skip
    """Solve the model for each row of a CSV or JSONL stream.

    A filter for CSV, from FILE or standard input. A column named like a parameter of the system sets its value in every
    row, as a number in base units (seconds, bytes, 1/s), as a quantity with its unit, or as a word of a choice. With a
    unit suffix, such as db_call_ms, rate_per_min or size_KiB, its numbers are in that unit. Other columns are passed
    through and listed on standard error; a column whose name is nearly that of a parameter is refused, as probably
    misspelt. The metrics of qnet solve (Little 1961; Denning and Buzen 1978), method, exactness and status are
    appended.

    A row that cannot be read or has no answer states the reason in its status, and processing continues. Rows are
    answered while input is read and memory does not grow with their number, so rows can be split and distributed
    over processors and machines (qnet help pipelines). --operations limits the first 100 rows together, and each
    further row adds a hundredth of it; a row that takes more than is left is not solved, and the exit code is 5.
    --memory limits each chunk. The last line on standard error counts the rows with and without an answer, unless
    --quiet is given. The exit code is 0 if any row has an answer, or there is no row; with --strict it is 3 for a
    column that is no parameter, and at the first row without an answer. A malformed row keeps its text: extra cells in
    the last column, a line that cannot be read in the first (JSON: under "line").

    With -o, FILE is replaced when the last row is answered; until then, and if the run is interrupted, the answers are
    in FILE.*.partial.

    \b
    Examples:
      qnet sweep one-queue --over rate=10/s:90/s:5/s --csv | cut -d, -f1 | qnet map one-queue --metric response
      echo '{"rate": "900/s"}' | qnet map ibm-3990-6 --jsonl --chunk 1
      qnet example measured-3990-6 | cut -d, -f1,2 > rows.csv; qnet map ibm-3990-6 rows.csv > answers.csv
      printf 'arrival_rate\\n1/s\\n2/s\\n' | qnet map --station cpu=120ms --arrival-rate 3/s --metric response
    """
    import itertools

    from qnet.cli.failures import reporting_last
    from qnet.cli.files import streaming
    from qnet.cli.options import OutputOptions
    from qnet.cli.output import on_screen, ready, write_notes
    from qnet.cli.progress import progress
    from qnet.questions.map.map import Lines, Mapper, map_csv, map_jsonl

    jsonl = not as_csv
    if any(options[key] for key in INLINE) and source is None:
        # Without a SYSTEM the only argument is the FILE.
        options["system"], source = None, options["system"]
    network, source = asked(options), source or "-"
    if network.system == source == "-":
        raise click.UsageError("- is given for the model and the rows; name a FILE for one of them")
    for name, given in (("--safe-csv", safe_csv), ("--no-header", no_header)):
        if jsonl and given:
            raise click.UsageError(f"{name} applies to CSV; omit it with --jsonl")
    wanted = method(options)
    ready(OutputOptions(format="jsonl" if jsonl else "csv", path=path, color="never", ascii=False))
    with opened(network) as model:
        mapper = Mapper(model, metric, wanted, asserted, prefix, strict)
    # Rows printed to a terminal show progress already.
    visible = path == "-" and sys.stdout.isatty()
    with _rows(source) as stream, nullcontext() if visible else progress("rows") as report_progress:
        lines = Lines(stream)
        texts = map_jsonl(mapper, lines, chunk) if jsonl else map_csv(mapper, lines, chunk, safe_csv, not no_header)
        first = next(texts, "")
        with nullcontext() if is_quiet() else reporting_last(mapper.count):
            with streaming(path, _kept) as write:
                for text in itertools.chain([first], texts):
                    text = on_screen(text) if visible else text
                    write(text.encode("utf-8", "surrogateescape"))
                    if report_progress:
                        report_progress(mapper.rows, 0)
            write_notes(mapper.notes())
            mapper.finish()


@contextmanager
def _rows(source: str) -> Generator[TextIO]:
    """The text of a file or of standard input, with its line ends and any bytes, without a byte order mark."""
    from io import TextIOWrapper

    if source == "-":
        from qnet.cli.system import announce_input

        announce_input("rows")
        stream: Any = standard_input()
    else:
        try:
            stream = open(source, "rb")  # noqa: SIM115
            note_read(stream, source)
        except (OSError, ValueError) as error:
            sentence = f"cannot be read: {getattr(error, 'strerror', None) or error}"
            raise UsageError(Problem("QN002", sentence, "rows of parameters", file=source)) from None
    with TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="") as text:
        yield text


def _kept(path: str) -> None:
    from qnet.cli.failures import write_line

    write_line(f"qnet: note: not complete; the rows answered so far are in {printable(path)} [QN732]")
