"""`qnet sweep`: metrics of a system over grids of its parameters."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.asking import options_of
from qnet.cli.method_options import method, method_options
from qnet.cli.network_options import asked, network_options, opened
from qnet.cli.options import (
    Drawing,
    Renamed,
    assert_option,
    collect,
    completed,
    metric_option,
    output_options,
    percentile_option,
    plot_options,
)


@click.command("sweep", cls=Drawing)
@network_options
@options_of("sweep")(
    "over", "--over", "--vary", cls=Renamed, required=True, metavar="GRID", shell_complete=completed("setting"),
    help="Grid of a parameter, such as users=1:300. Repeated: every combination, the first varies slowest.",
)  # fmt: skip
@metric_option
@percentile_option
@plot_options
@method_options
@assert_option
@output_options
def command(over: tuple[str, ...], metric: tuple[str, ...], percentile: tuple[float, ...],
            asserted: tuple[str, ...], **options: Any) -> None:  # fmt: skip
    """Compute metrics over a grid of parameter values.

    One row for every point: the parameters, the metrics as qnet solve defines them, method, exactness and status.
    Without --metric: throughput and response time, also by class if there are several, utilization and queue length of
    every station, and the outputs of the model. A point without an answer states the reason in its status; the exit
    code is 0 if any point has an answer. Ctrl-C leaves the rows that are finished, with -o in FILE.*.partial. Any
    parameter can be varied, including numbers of servers and the words of a choice. One metric over two grids is a
    matrix in tables and Markdown; CSV and JSON have a row for every point. Each point is solved independently, by the
    laws of Little (1961) and of Denning and Buzen (1978), as in qnet solve.

    \b
    Grids: first:last:step, first:last, log(first, last, count), or a, b, c
    Paired grids: --over 'users=100,200 & memory=64 MiB,128 MiB' varies both together

    \b
    Examples:
      qnet sweep interactive-users --over users=1:300 --csv
      qnet sweep ibm-3990-6 --over rate=100/s:1100/s:100/s --over write_fraction=0,0.3 --metric response --plot
      qnet sweep multiprocessor --over processors=1:16 --assert 'response < 90 s'
      qnet sweep --station cpu=120ms --station disk=50ms --population 1 --think-time 5s --over population=1:40
    """
    from qnet.cli.interrupts import finishing
    from qnet.cli.output import ready, write, write_incomplete
    from qnet.cli.progress import progress
    from qnet.questions.presentation.assertions import conditions
    from qnet.questions.solve.selected import with_percentiles
    from qnet.questions.sweep.sweep import sweep, sweep_report

    wanted, output, network = method(options), collect(options), asked(options)
    ready(output)
    with opened(network) as model, progress("points") as report_progress:
        conditions(asserted, model)
        metrics = with_percentiles([model], metric, percentile)
        result = sweep(model, over, metrics, wanted, report_progress, keep=True)
    with finishing():
        report = sweep_report(result, asserted, chosen=bool(metrics))
        if result.interrupted:
            write_incomplete(report, output)
            raise KeyboardInterrupt
        write(report, output)
