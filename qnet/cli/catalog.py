"""`qnet catalog`: what comes with qnet, with the source and the grade of every number."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.group import Group
from qnet.cli.options import collect, output_options, said


@click.group("catalog", cls=Group)
def command() -> None:
    """Parts, systems and studies that come with qnet."""


@command.command("list")
@click.option("--kind", type=click.Choice(["part", "system", "study"]), help="Only these.")
@output_options
def list_entries(kind: str | None, **options: Any) -> None:
    """Everything in the catalog, by kind.

    Parts are there to build with, systems are complete models, and studies hold systems against published figures.
    """
    from qnet.cli.output import ready, write
    from qnet.questions.tables.catalog_report import list_report

    output = collect(options)
    ready(output)
    write(list_report(kind or ""), output)


@command.command("show")
@click.argument("name", callback=said)
@click.option("--why", is_flag=True, help="Also the source, the place in it and the note of every value.")
@output_options
def show(name: str, why: bool, **options: Any) -> None:
    """The parameters of a part or a system.

    Each with its value, its range, and its grade: measured, datasheet, derived, textbook, fitted or assumed, from best
    to worst.

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

    Exit code 3 where a rule is broken, with every place.
    """
    from qnet.catalog.lint import RULES
    from qnet.catalog.lint import lint as run
    from qnet.cli.output import say
    from qnet.errors import InvalidInput

    problems = run()
    if problems:
        raise InvalidInput(*problems)
    say(f"the catalog keeps all {len(RULES)} rules")
