"""The command `qnet sweep`: its help, and what `qnet.signatures` does not say of its options."""

from __future__ import annotations

from qnet.question import Command, Option

COMMAND = Command(
    options=(
        Option("over", "GRID", words=("--over", "--vary"), completes="setting", required=True,
               help="Grid of a parameter, such as users=1:300. Repeated: every combination, the first varies slowest."),
    ),
    plot=True,
    text="""\
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
""",
)  # fmt: skip
