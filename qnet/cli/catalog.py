"""`qnet catalog`: what comes with qnet, with the source and the grade of every number."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.options import collect, output_options


@click.group("catalog", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Parts, systems and studies that come with qnet."""


@command.command("list")
@click.option("--kind", type=click.Choice(["part", "system", "study"]), help="Only these.")
@output_options
def list_entries(kind: str | None, **options: Any) -> None:
    """List the catalog: parts to build with, complete systems, and studies of measured ones."""
    from qnet.cli.output import ready, write
    from qnet.questions.catalog_report import list_report

    output = collect(options)
    ready(output)
    write(list_report(kind or ""), output)


@command.command("show")
@click.argument("name")
@click.option("--why", is_flag=True, help="Also the source, the place in it and the note of every value.")
@output_options
def show(name: str, why: bool, **options: Any) -> None:
    """Show the parameters of a part or a system: value, unit, range and grade.

    \b
    Grades: measured, datasheet, derived, textbook, fitted, assumed (from best to worst)
    Example: qnet catalog show dasd/ibm-3390-3 --why
    """
    from qnet.cli.output import ready, write
    from qnet.questions.catalog_report import show_report

    output = collect(options)
    ready(output)
    write(show_report(name, why), output)


@command.command("lint")
def lint() -> None:
    """Check the catalog against the rules of its data; exit code 3 where one is broken."""
    from qnet.catalog.lint import RULES
    from qnet.catalog.lint import lint as run
    from qnet.errors import InvalidInput

    problems = run()
    if problems:
        raise InvalidInput(*problems)
    click.echo(f"the catalog keeps all {len(RULES)} rules")
