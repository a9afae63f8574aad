"""`qnet convert`: models from and to the formats of other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from qnet.cli.options import complete_system, is_quiet, parameter_option, stated

if TYPE_CHECKING:
    from qnet.exchange.imported import Converted


@click.command("convert")
@click.argument("source", metavar="SYSTEM | FILE", callback=stated, shell_complete=complete_system)
@parameter_option
@click.option("-o", "--output", "path", metavar="FILE", default="-", callback=stated,
              help="Write to a file, whose suffix states the format (default: standard output).")  # fmt: skip
@click.option("--from", "source_format", metavar="FORMAT", help="Format of the file (default: by its suffix).")
@click.option("--to", "target", metavar="FORMAT",
              help="Format to write: jmva, csv or toml (default: by the suffix of -o, or toml).")  # fmt: skip
@click.option("--over", "grids", multiple=True, metavar="NAME=VALUES", callback=stated,
              help="Write values of a parameter as the what-if analysis of a JMVA file.")  # fmt: skip
@click.option("--lossy", is_flag=True, help="Convert even where the solution changes; warnings list how.")
@click.option("--time-unit", metavar="UNIT", type=click.Choice(["s", "ms", "us", "min", "h"]), default="s",
              help="Unit of times in JMVA and LQN files, which state none (default: s).")  # fmt: skip
@click.option("--population", "populations", multiple=True, metavar="[CLASS=]NUMBER", callback=stated,
              help="Population of a class of a CSV table.")  # fmt: skip
@click.option("--think-time", "think_times", multiple=True, metavar="[CLASS=]TIME", callback=stated,
              help="Think time of a class of a CSV table.")  # fmt: skip
@click.option("--arrival-rate", "arrival_rates", multiple=True, metavar="[CLASS=]RATE", callback=stated,
              help="Arrival rate of a class of a CSV table.")  # fmt: skip
def command(source: str, settings: tuple[str, ...], path: str, lossy: bool, **options: Any) -> None:
    """Convert models from and to the formats of other tools.

    Reads JMVA (.jmva), layered queueing networks (.lqn, .lqnx) and tables of demands (.csv); writes JMVA and tables of
    demands. A SYSTEM is written with the values of its parameters; -p sets them.

    Everything that the target format cannot express is listed on standard error with its line or key. If the solution
    would change without it, nothing is written and the exit code is 5; --lossy writes it anyway. qnet help exchange
    describes the formats and what each can express.

    \b
    Examples:
      qnet convert interactive-users --to jmva
      qnet convert central-server -o model.jmva
      qnet convert interactive-users --to jmva --over users=10,20,40
      qnet convert two-workloads --to csv | qnet convert - --from csv | qnet solve -
      printf 'station,demand\\ncpu,0.12\\ndisk,0.3\\n' | qnet convert - --from csv --population 20 --think-time 5s
    """
    from qnet.cli.files import put_out, refuse_same, refuse_unwritable, replace
    from qnet.cli.output import write_notes
    from qnet.exchange.formats import TOML, format_of, refused
    from qnet.exchange.imported import notes_of

    refuse_same([path], [source])
    if path != "-":
        refuse_unwritable(path)
    read_as = options["source_format"] or format_of(source) or TOML
    target = options["target"] or format_of(path) or ("" if read_as == TOML else TOML)
    if not target:
        raise click.UsageError("the format to write is missing; give --to jmva, --to csv, or -o FILE with a suffix")
    if target == read_as:
        raise click.UsageError(f"source and target are both {target}; convert writes another format")
    converted = _converted(source, settings, read_as, target, options)
    failure = refused(converted, target, source if source != "-" else "<stdin>")
    if failure is not None and not lossy:
        raise failure
    data = converted.text.encode()
    if path == "-":
        put_out(data)
    else:
        replace(path, data)
    if not is_quiet():
        write_notes(notes_of(converted.items))


def _converted(source: str, settings: tuple[str, ...], read_as: str, target: str, options: dict[str, Any]) -> Converted:
    """The text in the target format, with all items; other formats are converted through the model language."""
    from qnet.cli.system import open_system
    from qnet.exchange.formats import TOML, write_format

    if read_as == TOML:
        for name in ("populations", "think_times", "arrival_rates"):
            if options[name]:
                raise click.UsageError("loads are set by -p; --population and its like are for CSV tables")
        return write_format(target, open_system(source, settings), options["grids"])
    imported = _imported(source, read_as, options)
    from qnet.documents import GivenText, parse
    from qnet.model.load import build
    from qnet.model.settings import parse_settings, with_settings

    model = build(GivenText(*parse(imported.text.encode(), "<converted>")), source)
    if options["grids"]:
        raise click.UsageError("--over needs a SYSTEM, whose parameter it varies")
    if target == TOML:
        if settings:
            with_settings(model, parse_settings(settings))
            raise click.UsageError("-p sets parameters of a SYSTEM; set them when the converted model is used")
        return imported
    written = write_format(target, with_settings(model, parse_settings(settings)))
    return written.replace(items=(*imported.items, *written.items))


def _imported(source: str, read_as: str, options: dict[str, Any]) -> Converted:
    """The model of a file of another tool."""
    from qnet.cli.system import announce_input
    from qnet.exchange.formats import read_format
    from qnet.exchange.imported import Reading, read_bytes

    if source == "-":
        announce_input("a model")
    reading = Reading(
        name="<stdin>" if source == "-" else source,
        time_unit=options["time_unit"],
        populations=_by_class(options["populations"]),
        arrival_rates=_by_class(options["arrival_rates"]),
        think_times=_by_class(options["think_times"]),
    )
    return read_format(read_as, read_bytes(source), reading)


def _by_class(texts: tuple[str, ...]) -> dict[str, str]:
    """The values of `CLASS=VALUE` texts by class; the key "" is for all classes."""
    result: dict[str, str] = {}
    for text in texts:
        name, _, value = text.rpartition("=")
        if name.strip() in result:
            raise click.UsageError(f"{text} is given twice for one class")
        result[name.strip()] = value.strip()
    return result
