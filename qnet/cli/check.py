"""`qnet check`: validate a model, listing every problem."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from qnet.cli.options import is_quiet, parameter_option, system_argument

if TYPE_CHECKING:
    from qnet.model.model import Model
    from qnet.networks.routed import RoutedNetwork


@click.command("check")
@system_argument
@parameter_option
@click.option(
    "--format", "rewrite", is_flag=True, help="Rewrite the file with tidy spacing; comments and order remain."
)
@click.option("--diff", is_flag=True, help="With --format: print what would change, and leave the file as it is.")
def command(system: str, settings: tuple[str, ...], rewrite: bool, diff: bool) -> None:
    """Validate a model without solving it.

    Reads the file and its parts and evaluates its numbers: unknown keys and names, units, dimensions, circular
    parameters, probabilities that do not sum to one, values outside their ranges. Exit code 0 if the model is valid, 3
    otherwise, with every problem of the file by line. A valid model with a combination of features that no method
    solves gets a warning.

    --format changes spaces and blank lines only: one space around signs, two for each open bracket, a blank line before
    each table. A model on standard input is printed tidily; one of the catalog or an example needs --diff. With --diff
    the exit code is 6 if the file is not tidy.

    \b
    Examples:
      qnet check web-tier
      qnet new web | qnet check -
    """
    from qnet.cli.files import say
    from qnet.cli.screen import columns_of, folded
    from qnet.cli.system import open_system
    from qnet.errors import printable

    model = open_system(system, settings)
    if diff and not rewrite:
        raise click.UsageError("--diff needs --format")
    network = checked(model)
    if rewrite:
        _format(system, model, diff)
        return
    if is_quiet():
        return
    counts = (
        _count(sum(station.copies for station in network.stations), "service centre"),
        _count(len(model.classes) + sum(len(chain.classes) for chain in model.chains), "class", "classes"),
        *([_count(sum(len(item.routes) for item in model.classes), "route")] if model.classes else []),
        *([_count(len(model.chains), "chain")] if model.chains else []),
        _count(len(model.parameters), "parameter"),
    )
    name = "<stdin>" if system == "-" else printable(system)
    say(folded(f"{name}: valid; {', '.join(counts)}; digest {model.digest}", columns_of(sys.stdout)))
    _warn(network)


def _warn(network: RoutedNetwork) -> None:
    """Warn of a valid model that no method solves, as far as its features show that."""
    from qnet.cli.output import write_notes
    from qnet.networks.not_covered import not_covered
    from qnet.reports.content import Note

    if problem := not_covered(network):
        text = f"no method solves this model: {problem.found}; expected {problem.expected}"
        write_notes([Note(problem.code, text, "warning", problem.help)])


def checked(model: Model) -> RoutedNetwork:
    """The network of a model without load.

    Raises `InvalidInput` or `UsageError` with every number outside its domain.
    """
    from qnet.errors import QnetError
    from qnet.model.bind import bind
    from qnet.model.check import stated, together
    from qnet.model.scope import station_figures
    from qnet.model.values import Values

    idle = dict.fromkeys(station_figures(model), 0.0)
    try:
        return bind(model, Values(model, {}, None, idle))
    except QnetError as error:
        raise together(stated(model), error, idle) from None


def _format(system: str, model: Model, diff: bool) -> None:
    """Rewrite the file of a model, print what would change, or print the tidy text of standard input."""
    from qnet.cli.files import replace, say
    from qnet.cli.system import FOREIGN
    from qnet.errors import AssertionFailed, Problem, printable
    from qnet.model.tidy import tidy

    text = model.document.text
    tidied = tidy(text, model.document.name)
    if diff:
        if tidied == text:
            return
        say(_difference(text, tidied, "<stdin>" if system == "-" else printable(system)))
        raise AssertionFailed(Problem("QN757", "the file is not tidy", help="qnet check FILE --format rewrites it"))
    if system == "-":
        say(tidied.rstrip("\n"))
        return
    if system.lower().endswith(FOREIGN) or not ("/" in system or system.endswith(".toml")):
        raise click.UsageError(f"{printable(system)} is no file that can be rewritten; add --diff")
    if tidied != text:
        replace(system, tidied.encode(), rewrite=True)
    if not is_quiet():
        say(f"{printable(system)}: {'rewritten' if tidied != text else 'already formatted'}")


def _difference(text: str, tidied: str, name: str) -> str:
    """A unified diff."""
    from difflib import unified_diff

    lines = unified_diff(text.splitlines(), tidied.splitlines(), name, f"{name} (tidy)", lineterm="")
    return "\n".join(lines)


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
