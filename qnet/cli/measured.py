"""`qnet measured`: files of monitoring tools as a table for `qnet calibrate`."""

from __future__ import annotations

import click

from qnet.cli.options import is_quiet, stated


@click.command("measured")
@click.argument("files", metavar="FILE...", nargs=-1, callback=stated)
@click.option("-o", "--output", "path", metavar="FILE", default="-", callback=stated,
              help="Write to a file (default: standard output).")  # fmt: skip
@click.option("--first", is_flag=True, help="Keep the first report of iostat and vmstat, the mean since the start.")
def command(files: tuple[str, ...], path: str, first: bool) -> None:
    """Turn files of monitoring tools into a table of measurements.

    Reads JSON of sysstat (sadf -j, iostat -x -o JSON, mpstat -o JSON), the text of vmstat, and answers of Prometheus
    (query_range), recognized by their contents; - is standard input. Writes CSV with a row for each interval:
    utilization_cpu and utilization_DEVICE from 0 to 1, tps_DEVICE_per_s, await_DEVICE_ms and so on; a series of
    Prometheus is named by its metric and the labels in which series differ.

    Several files are joined: the intervals are those of the first; measurements of the others within an interval are
    averaged. Files without times are joined by position. Times without a zone are taken as UTC.

    The table is for qnet calibrate, whose --column gives columns other names, and for qnet map and envelope --rows.

    \b
    Examples:
      printf ' r b id wa\\n 1 0 90 0\\n 2 0 62 8\\n' | qnet measured -
      printf ' r b id wa\\n 1 0 90 0\\n 2 0 62 8\\n' > vmstat.txt && qnet measured vmstat.txt --first -o cpu.csv
    """
    from qnet.cli.files import put_out, refuse_same, refuse_unwritable, replace
    from qnet.cli.output import write_notes
    from qnet.cli.system import announce_input
    from qnet.exchange.imported import read_bytes
    from qnet.exchange.measured import measured, refuse_repeated_input

    if not files:
        raise click.UsageError("no FILE is given; expected files of monitoring tools, or - for standard input")
    refuse_repeated_input(files)
    refuse_same([path], files)
    if path != "-":
        refuse_unwritable(path)
    if "-" in files:
        announce_input("a file of a monitoring tool")
    table = measured([("<stdin>" if name == "-" else name, read_bytes(name)) for name in files], first)
    data = table.csv().encode()
    if path == "-":
        put_out(data)
    else:
        replace(path, data)
    if not is_quiet():
        write_notes(table.notes)
