"""The command `qnet envelope`: its help, and its options beyond what `qnet.signatures` states."""

from __future__ import annotations

from qnet.question import Command, Option

COMMAND = Command(
    options=(
        Option("names", "NAME", words=("--envelope",), completes="envelope",
               help="Envelope defined in the model (default: all)."),
        Option("limit", "CONDITION", completes="metric",
               help="Limit, such as 'response <= 10 ms'. May be repeated: all must hold."),
        Option("vary", "PARAMETER", "Parameter to maximize or minimize (default: rate).", completes="parameter"),
        Option("largest", help="Find the largest value up to which the limits hold.", flag=True),
        Option("smallest", help="Find the smallest value from which on the limits hold.", flag=True),
        Option("crossings", help="List every interval in which the limits hold."),
        Option("over", "GRID", completes="setting",
               help="Grid of another parameter, such as write_fraction=0:0.5:0.1. May be repeated."),
        Option("rows", "FILE", "Answer every row of a CSV file (- is standard input): its columns set parameters."),
        Option("route", "NAME", "Limit the response time of this route, not the mean."),
    ),
    derived=("find",),
    plot=True,
    text="""\
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
""",
)  # fmt: skip
