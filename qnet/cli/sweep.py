"""`qnet sweep`: a system along grids of its parameters."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.method_options import method, method_options
from qnet.cli.network_options import asked, network_options, opened
from qnet.cli.options import assert_option, collect, metric_option, output_options, said


@click.command("sweep")
@network_options
@click.option(
    "--vary",
    multiple=True,
    required=True,
    metavar="GRID",
    callback=said,
    help="Values of a parameter, such as users=1:300. Repeated: every combination, the first slowest.",
)
@metric_option
@click.option("--plot", is_flag=True, help="Draw it as well: the metrics chosen, else throughput and response.")
@method_options
@assert_option
@output_options
def command(vary: tuple[str, ...], metrics: tuple[str, ...], asserted: tuple[str, ...], **options: Any) -> None:
    """Every metric along grids of parameters.

    One row for every point: the parameters, the metrics as qnet solve defines them, method, exactness and status.
    Without --metric: throughput and response, also by class where there are several, utilization and queue length of
    every station, and the outputs that the model names. A point without an answer says why in its status; the exit
    code is 0 where any point has one. Any parameter may be varied: numbers of servers and the words of a choice too.
    One metric along two grids is a matrix in tables and Markdown; CSV and JSON have a row for every point. Each point
    is solved for itself, by the laws of Little (1961) and of Denning and Buzen (1978), as qnet solve tells.

    \b
    Grids: first:last:step, first:last, log(first, last, count), or a, b, c
    In step: --vary 'users=100,200 & memory=64 MiB,128 MiB' pairs the first with the first

    \b
    Examples:
      qnet sweep examples/interactive-users.toml --vary users=1:300 --csv
      qnet sweep ibm-3990-6 --vary rate=100/s:1100/s:100/s --vary write_fraction=0,0.3 --metric response --plot
      qnet sweep examples/multiprocessor.toml --vary processors=1:16 --assert 'response < 90 s'
      qnet sweep --station cpu=120ms --station disk=50ms --population 1 --think-time 5s --vary population=1:40
    """
    from qnet.cli.output import ready, write
    from qnet.cli.progress import progress
    from qnet.questions.presentation.assertions import conditions
    from qnet.questions.sweep.sweep import sweep, sweep_report

    wanted, output, network = method(options), collect(options), asked(options)
    ready(output)
    with opened(network) as model, progress("points") as told:
        conditions(asserted, model)
        found = sweep(model, vary, metrics, wanted, told)
    write(sweep_report(found, asserted, chosen=bool(metrics)), output)
