"""`qnet envelope`: how much load a system takes, or how little of something it needs, before a limit is passed."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.method_options import method, method_options
from qnet.cli.network_options import asked, network_options, opened
from qnet.cli.options import assert_option, collect, output_options, said


@click.command("envelope")
@network_options
@click.option(
    "--envelope",
    "names",
    multiple=True,
    metavar="NAME",
    callback=said,
    help="One of the envelopes that the model states, else all.",
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="CONDITION",
    callback=said,
    help="What must hold, such as 'response <= 10 ms'. May be repeated: all must hold.",
)
@click.option("--vary", metavar="PARAMETER", callback=said, help="What to look for the end of, else rate.")
@click.option("--largest", is_flag=True, help="The largest value up to which the limits hold.")
@click.option("--smallest", is_flag=True, help="The smallest value from which on they hold.")
@click.option("--crossings", is_flag=True, help="Every interval in which the limits hold, one row for each.")
@click.option(
    "--over",
    multiple=True,
    metavar="GRID",
    callback=said,
    help="Along another parameter, such as write_fraction=0:0.5:0.1. May be repeated.",
)
@click.option("--route", metavar="NAME", callback=said, help="Limit the response of this route instead of the mean.")
@click.option("--plot", is_flag=True, help="Draw the envelope as well.")
@method_options
@assert_option
@output_options
def command(names: tuple[str, ...], limits: tuple[str, ...], vary: str | None,
            largest: bool, smallest: bool, crossings: bool, over: tuple[str, ...], route: str | None,
            asserted: tuple[str, ...], **options: Any) -> None:  # fmt: skip
    """The largest load at which limits hold, or the smallest of what helps.

    For every point of the grid: the largest value of the varied parameter up to which all limits hold, the largest one
    with a steady state at all, and what binds: the limit (of several, in its words), the saturation of a named station,
    or the range of the parameter. What helps as it grows, such as servers or a hit ratio, is answered by the smallest
    value from which on the limits hold; --largest and --smallest decide it. Along two grids, tables and Markdown tell
    a matrix of the values that were found; CSV and JSON have a row with all figures for every point.

    Servers, copies and customers are whole numbers. A limit may hold again beyond the answer, as where a system
    thrashes: a note tells it, --crossings tells every interval, and the note says how finely it was looked for.
    The metric may be response, throughput, a figure of a station such as utilization('cpu'), or an output that the
    model names. In --assert the varied parameter has the value that was found.

    A station is saturated where throughput x demand is its capacity (Denning and Buzen, Computing Surveys 10, 1978);
    the figures that are limited are those of qnet solve, and the ends are roots found by bracketing.

    \b
    Grids: first:last:step, first:last, log(first, last, count), or a, b, c
    Examples:
      qnet envelope ibm-3990-6
      qnet envelope ibm-3990-6 --limit 'response <= 15 ms' --over write_fraction=0:1:0.25 --csv
      qnet envelope ibm-3990-6 --envelope ten_ms --over skew=1,2,4 --plot
      qnet envelope examples/interactive-users.toml --limit 'response <= 2 s' --limit "utilization('cpu') <= 0.9"
      qnet envelope examples/multiprocessor.toml --vary processors --limit 'response <= 1 s' --over users=200:600:200
      qnet envelope examples/web-tier.toml --limit 'response <= 1 s' --assert 'rate >= 5/s'
      qnet envelope --station cpu=120ms --station disk=50ms --arrival-rate 3/s --limit 'response <= 1 s'
    """
    from qnet.cli.output import ready, write
    from qnet.cli.progress import watched
    from qnet.questions.envelope.envelope import envelope
    from qnet.questions.envelope.question import questions
    from qnet.questions.envelope.report import envelope_report

    wanted, output, network = method(options), collect(options), asked(options)
    ready(output)
    ends = {"largest": largest, "smallest": smallest, "crossings": crossings}
    chosen = [name for name, here in ends.items() if here]
    if len(chosen) > 1:
        found = " and ".join(f"--{name}" for name in chosen)
        raise click.UsageError(f"found {found}, expected one of them: --crossings tells both ends of every interval")
    find = chosen[0] if chosen and not crossings else ""
    with opened(network) as model, watched(wanted) as wanted:
        asking = questions(model, names, vary or "", limits, over, route or "", find, wanted)
        report = envelope_report(model, [envelope(question) for question in asking], asserted, crossings)
    write(report, output)
