"""`qnet check`: validate a model, listing every problem."""

from __future__ import annotations

import click

from qnet.cli.options import parameter_option, system_argument


@click.command("check")
@system_argument
@parameter_option
@click.option("-q", "--quiet", is_flag=True, help="Print nothing if the model is valid.")
def command(system: str, settings: tuple[str, ...], quiet: bool) -> None:
    """Validate a model without solving it.

    Reads the file and its parts and evaluates its numbers: unknown keys and names, units, dimensions, circular
    parameters, probabilities that do not sum to one, values outside their ranges. Exit code 0 if the model is valid, 3
    otherwise, with every problem of the file by line.
    """
    from qnet.cli.output import say
    from qnet.cli.system import open_system
    from qnet.errors import printable
    from qnet.model.bind import bind
    from qnet.model.scope import station_figures
    from qnet.model.values import Values

    model = open_system(system, settings)
    idle = dict.fromkeys(station_figures(model), 0.0)
    network = bind(model, Values(model, {}, None, idle))
    if quiet:
        return
    counts = (
        _count(sum(station.copies for station in network.stations), "service centre"),
        _count(len(model.classes) + sum(len(chain.classes) for chain in model.chains), "class", "classes"),
        *([_count(sum(len(item.routes) for item in model.classes), "route")] if model.classes else []),
        *([_count(len(model.chains), "chain")] if model.chains else []),
        _count(len(model.parameters), "parameter"),
    )
    name = "<stdin>" if system == "-" else printable(system)
    say(f"{name}: sound; {', '.join(counts)}; digest {model.digest}")


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
