"""`qnet methods`: how a network can be solved."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.options import collect, output_options


@click.command("methods")
@click.option(
    "--error", is_flag=True, help="What was measured of approximations beyond product form, and where to trust them."
)
@output_options
def command(error: bool, **options: Any) -> None:
    """The methods for networks: trust, applicability, cost, source.

    Exact methods are taken where the network has product form and the budget allows; approximations say that they are
    ones, and come with bounds where theory has them. The methods of single stations are those of qnet queue.

    --error: the relative error against the Markov chain of all states, over at least 200 small random systems for
    each feature; the region that these systems were taken from, and the code of the warning outside it.
    """
    from qnet.cli.output import ready, write
    from qnet.questions.tables.methods_report import errors_report, methods_report

    output = collect(options)
    ready(output)
    write(errors_report() if error else methods_report(), output)
