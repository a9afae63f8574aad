"""`qnet methods`: the solution methods and their errors."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.options import collect, output_options


@click.command("methods")
@click.option("--error", is_flag=True, help="Measured errors of the approximations, and where they apply.")
@output_options
def command(error: bool, **options: Any) -> None:
    """List the solution methods: accuracy, applicability, cost, source.

    Exact methods are used where the network has product form and the budget allows; approximations are labelled, and
    come with bounds where theory provides them. The methods of single stations are those of qnet queue.

    --error: the relative error against the exact answers of at least 200 random systems for each feature (Markov
    chains of small ones; beyond them simulations, and convolution for product form), the region these systems were
    drawn from, and the code of the warning outside it.

    \b
    Examples:
      qnet methods
      qnet methods --error
    """
    from qnet.cli.output import ready, write
    from qnet.questions.tables.methods_report import errors_report, methods_report

    output = collect(options)
    ready(output)
    write(errors_report() if error else methods_report(), output)
