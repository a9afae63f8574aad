"""`qnet methods`: how a network can be solved."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.options import collect, output_options


@click.command("methods")
@output_options
def command(**options: Any) -> None:
    """The methods for networks: trust, applicability, cost, source.

    Exact methods are taken where the network has product form and the budget allows; approximations say that they are
    ones, and come with bounds where theory has them. The methods of single stations are those of qnet queue.
    """
    from qnet.cli.output import ready, write
    from qnet.questions.methods_report import methods_report

    output = collect(options)
    ready(output)
    write(methods_report(), output)
