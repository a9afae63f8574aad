"""The command `qnet compare`: its help, and what `qnet.signatures` does not say of its options."""

from __future__ import annotations

from qnet.question import Command, Option

COMMAND = Command(
    options=(
        Option("changes", "SETTINGS", words=("--with",), completes="settings", repeated=True, single=True,
               help="Add a side: SYSTEM with these settings, such as 'users=250 & memory=128 MiB'; lists of values add "
               "a side for each. May be repeated."),
    ),
    text="""\
One table: metric, A, B, C, ... and the change from A, the baseline. CSV and JSON have a row per metric and side:
difference is B - A, ratio B / A, percent 100 (B - A) / A. Sides are the SYSTEMs given, or one system unchanged and
once for every --with; the same for a network without a file, given by --station and --arrival-rate or --population.
-p sets a parameter on all sides, --with on one. Metrics are matched by name, including those of stations, classes
and outputs; a metric that one side lacks is left empty there. Every side must satisfy --assert. 'a=1,2 & b=3,4'
adds two sides, which pair the values. Metrics are those of qnet solve (Little 1961; Denning and Buzen 1978); on
what-if questions by two models: Lazowska, Zahorjan, Graham and Sevcik, Quantitative System Performance, 1984.

\b
Examples:
  qnet compare interactive-users paging-users central-server
  qnet compare paging-users --with 'memory=128 MiB' --with 'memory=128 MiB & users=250'
  qnet compare ibm-3990-6 -p rate=600/s --with write_fraction=0.3 --metric response
  qnet compare interactive-users paging-users -p users=100
  qnet compare --station cpu=120ms --station disk=50ms --population 20 --think-time 5s --with demand_cpu=60ms
""",
)  # fmt: skip
