"""The command `qnet bottleneck`: its help, and what `qnet.signatures` does not say of its options."""

from __future__ import annotations

from qnet.question import Command, Option

FASTER = Option("faster", "NUMBER", "Speed-up factor of a station (default: 2).")

COMMAND = Command(
    options=(FASTER,),
    text="""\
For every station: its residence time, split into service and waiting; its utilization; the system throughput at
which it saturates (capacity / demand, for the present mix of classes), and the headroom up to that. Stations are
ranked by the order in which they saturate: the first is the bottleneck. For a single closed class also the
population at which the asymptotes N / (D + Z) and capacity / demand meet; the smallest is N*. Several classes and
routes are listed separately.

Then the effect of making each station faster, and of adding one server to each of its copies. A faster station
divides the times directly under a hold of that station, in both phases, but not the times of stations visited
during the hold, nor waiting times. Laws: Denning, Buzen, ACM Computing Surveys 10 (1978) 225-261.

\b
Examples:
  qnet bottleneck ibm-3990-6 -p rate=900/s
  qnet bottleneck terminals-and-web --faster 1.5 --csv
  qnet bottleneck interactive-users --assert 'response < 1 s'
""",
)
