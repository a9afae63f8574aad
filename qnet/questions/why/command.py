"""The command `qnet why`: its help, and what `qnet.signatures` does not say of its options."""

from __future__ import annotations

from qnet.question import Command, Option
from qnet.questions.bottleneck.command import FASTER

COMMAND = Command(
    options=(FASTER, Option("brief", help="Print six lines and the command.")),
    given=("network",),
    text="""\
Question, answer, breakdown of response time, the stations that saturate first and second, the most effective
upgrades, the laws with their numbers, the method and its accuracy, the assumptions, source and grade of every
number, and the command that reproduces the report. Where steps label kinds of work, the bottleneck is split by
them; where they state causes too, the largest is named first. The figures are those of qnet bottleneck, which
defines them. Of a saturated system: demand against capacity of every station, and the smallest change of each type
that cures it: fewer arrivals, faster stations, more servers or copies, shorter demands. In CSV and JSON every
sentence comes with its number. The laws are Little's (1961), the utilization law and the bottleneck analysis of
Denning and Buzen (Computing Surveys 10, 1978).

\b
Examples:
  qnet why ibm-3990-6 -p rate=900/s -p write_fraction=0.3
  qnet why ibm-3990-6 -p rate=1500/s --brief
  qnet why ibm-3990-6 --md
  qnet why ibm-3990-6 -o report.html
  qnet why interactive-users -p users=100 --faster 1.5
""",
)
