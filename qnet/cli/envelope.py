"""`qnet envelope`: the largest load, or the smallest capacity, that meets a limit."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.asking import options_of
from qnet.cli.method_options import method, method_options
from qnet.cli.network_options import asked, network_options, opened
from qnet.cli.options import Drawing, assert_option, collect, completed, output_options, plot_options

_option = options_of("envelope")


@click.command("envelope", cls=Drawing)
@network_options
@_option("names", "--envelope", metavar="NAME", shell_complete=completed("envelope"),
         help="Envelope defined in the model (default: all).")  # fmt: skip
@_option("limit", metavar="CONDITION", shell_complete=completed("metric"),
         help="Limit, such as 'response <= 10 ms'. May be repeated: all must hold.")  # fmt: skip
@_option("vary", metavar="PARAMETER", shell_complete=completed("parameter"),
         help="Parameter to maximize or minimize (default: rate).")  # fmt: skip
@click.option("--largest", is_flag=True, help="Find the largest value up to which the limits hold.")
@click.option("--smallest", is_flag=True, help="Find the smallest value from which on the limits hold.")
@_option("crossings", help="List every interval in which the limits hold.")
@_option("over", metavar="GRID", shell_complete=completed("setting"),
         help="Grid of another parameter, such as write_fraction=0:0.5:0.1. May be repeated.")  # fmt: skip
@_option("rows", metavar="FILE",
         help="Answer every row of a CSV file (- is standard input): its columns set parameters.")  # fmt: skip
@_option("route", metavar="NAME", help="Limit the response time of this route, not the mean.")
@plot_options
@method_options
@assert_option
@output_options
def command(largest: bool, smallest: bool, asserted: tuple[str, ...], **options: Any) -> None:
    """Find the largest load (or the smallest capacity) that meets a limit.

    For every point of the grid: the largest value of the varied parameter at which all limits hold, the largest value
    with a steady state, and the binding constraint: a limit, the saturation of a station, or the range of the
    parameter. For parameters that help as they grow, such as servers or a hit ratio, the answer is the smallest value
    at which the limits hold; --largest and --smallest select it explicitly. Over two grids, tables and Markdown show a
    matrix; CSV and JSON have a row with all figures for every point.

    --rows answers every row of a CSV file, read as by qnet map, and writes CSV: the columns of the row, then the
    answer at its parameters; a row without an answer has the reason as its status.

    Servers, copies and customers are integers. A limit may hold again beyond the answer, for example where a system
    thrashes: a note reports it and the resolution of the search, and --crossings lists every interval. The metric may
    be response, throughput, a station metric such as utilization('cpu'), or an output of the model. --assert is
    evaluated at the answer.

    A station saturates where throughput x demand reaches its capacity (Denning and Buzen, Computing Surveys 10, 1978);
    metrics are those of qnet solve, and the answer is a root located by bracketing.

    \b
    Grids: first:last:step, first:last, log(first, last, count), or a, b, c
    Examples:
      qnet envelope ibm-3990-6
      qnet envelope ibm-3990-6 --envelope ten_ms --over skew=1,2,4 --plot
      qnet envelope ibm-3990-6 --limit 'response <= 15 ms' --over write_fraction=0:1:0.25 --csv
      qnet envelope interactive-users --limit 'response <= 2 s' --limit "utilization('cpu') <= 0.9"
      qnet envelope multiprocessor --vary processors --limit 'response <= 1 s' --over users=200:600:200
      qnet envelope web-tier --limit 'response <= 1 s' --assert 'rate >= 5/s'
      printf 'skew,site\\n1,A\\n4,B\\n' | qnet envelope ibm-3990-6 --envelope ten_ms --rows -
      qnet envelope --station cpu=120ms --station disk=50ms --arrival-rate 3/s --limit 'response <= 1 s'
    """
    from qnet.cli.output import ready, write
    from qnet.cli.progress import watched
    from qnet.questions.envelope.ask import ask_envelope, refuse_with_rows

    wanted, output, network = method(options), collect(options), asked(options)
    rows, crossings = options["rows"], options["crossings"]
    if rows is not None:
        refuse_with_rows(options["over"], crossings)
        if network.system == rows == "-":
            raise click.UsageError("- is given for the model and the rows; name a FILE for one of them")
        output = output.replace(format=output.format or ("csv" if output.path == "-" else ""))
    ready(output)
    ends = {"largest": largest, "smallest": smallest, "crossings": crossings}
    chosen = [name for name, here in ends.items() if here]
    if len(chosen) > 1:
        given = " and ".join(f"--{name}" for name in chosen)
        raise click.UsageError(f"{given} exclude each other; --crossings lists both ends of every interval")
    find = chosen[0] if chosen and not crossings else ""
    with opened(network) as model, watched(wanted) as wanted:
        report = ask_envelope(model, **options, find=find, wanted=wanted, asserted=asserted)
    write(report, output)
