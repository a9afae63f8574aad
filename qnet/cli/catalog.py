"""`qnet catalog`: the data that qnet ships, with source and grade of every number."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.command_group import CommandGroup
from qnet.cli.options import collect, completed, output_options, stated


@click.group("catalog", cls=CommandGroup)
def command() -> None:
    """List and show the parts, systems and studies that come with qnet."""


@command.command("list")
@click.option("--kind", type=click.Choice(["part", "system", "study"]), help="List only these.")
@output_options
def list_entries(kind: str | None, **options: Any) -> None:
    """List the catalog by kind.

    Parts are components for models, systems are complete models, and studies compare systems with published figures.
    """
    from qnet.cli.output import ready, write
    from qnet.questions.tables.catalog_report import list_report

    output = collect(options)
    ready(output)
    write(list_report(kind or ""), output)


@command.command("show")
@click.argument("name", callback=stated, shell_complete=completed("entry"))
@click.option("--why", is_flag=True, help="Also show source, page and note of every value.")
@output_options
def show(name: str, why: bool, **options: Any) -> None:
    """Show the parameters of a part, a system or an example.

    Each with its value, range and grade, from best to worst: measured, datasheet, derived, textbook, fitted, assumed.

    \b
    Example:
      qnet catalog show dasd/ibm-3390-3 --why
    """
    from qnet.cli.output import ready, write
    from qnet.questions.tables.catalog_report import show_report

    output = collect(options)
    ready(output)
    write(show_report(name, why), output)


@command.command("lint")
def lint() -> None:
    """Check the catalog against the rules of its data.

    Exit code 3 if a rule is broken; every violation is listed.
    """
    from qnet.catalog.lint import RULES
    from qnet.catalog.lint import lint as run
    from qnet.cli.output import say
    from qnet.errors import InvalidInput

    problems = run()
    if problems:
        raise InvalidInput(*problems)
    say(f"the catalog passes all {len(RULES)} rules")
