"""`qnet envelope`: how much load a system takes before a limit is passed."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.options import collect, output_options, parameter_option, said, system_argument


@click.command("envelope")
@system_argument
@parameter_option
@click.option(
    "--envelope",
    "names",
    multiple=True,
    metavar="NAME",
    callback=said,
    help="One of the envelopes that the model states, else all.",
)
@click.option("--limit", metavar="CONDITION", callback=said, help="What must hold, such as 'response <= 10 ms'.")
@click.option("--vary", metavar="PARAMETER", callback=said, help="What to look for the largest value of, else rate.")
@click.option(
    "--over",
    multiple=True,
    metavar="GRID",
    callback=said,
    help="Along another parameter, such as write_fraction=0:0.5:0.1. May be repeated.",
)
@click.option("--route", metavar="NAME", callback=said, help="Limit the response of this route instead of the mean.")
@click.option("--plot", is_flag=True, help="Draw the envelope as well.")
@output_options
def command(system: str, settings: tuple[str, ...], names: tuple[str, ...], limit: str | None, vary: str | None,
            over: tuple[str, ...], route: str | None, **options: Any) -> None:  # fmt: skip
    """The largest load at which a limit holds, along a grid.

    For every point of the grid: the largest value of the varied parameter at which the limit holds, the largest one
    with a steady state at all, and what binds: the limit, or the saturation of a named station. The metric may be
    response, throughput, a figure of a station such as utilization('cpu'), or an output that the model names.

    \b
    Grids: first:last:step, first:last, log(first, last, count), or a, b, c
    Examples:
      qnet envelope ibm-3990-6
      qnet envelope ibm-3990-6 --limit 'response <= 15 ms' --over write_fraction=0:1:0.25 --csv
      qnet envelope ibm-3990-6 --envelope ten_ms --over skew=1,2,4 --plot
    """
    from qnet.cli.output import ready, write
    from qnet.cli.system import open_system
    from qnet.questions.envelope import envelope, questions
    from qnet.questions.envelope_report import envelope_report

    output = collect(options)
    ready(output)
    model = open_system(system, settings)
    asked = questions(model, names, vary or "", limit or "", over, route or "")
    write(envelope_report(model, [envelope(question) for question in asked]), output)
