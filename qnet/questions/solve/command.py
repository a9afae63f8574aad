"""The command `qnet solve`: its help, and what `qnet.signatures` does not say of its options."""

from __future__ import annotations

from qnet.question import Command

COMMAND = Command(
    value=True,
    given=("only",),
    text="""\
Response time is the mean time from arrival to completion, think time excluded. Residence time is the part of it
spent at a station over all visits, waiting included; time at a station visited while another is held counts at the
inner one. Utilization is the fraction of servers that are busy. The maximum throughput (saturation throughput) is
where the steady state ends, or the limit that a closed class approaches as its population grows, with the rates of
stations for at most the stated population; the limiting station is named.

Customers that change class are reported as a chain: as a class, whose passages lead from one visit to the reference
station to the next, or from arrival to departure; and by the residence time of a passage in each of its classes.

With --metric only these metrics are reported. Each assertion is reported with its margin, the distance to the
limit: positive where it holds.

Closed classes are solved exactly within --operations and --memory, otherwise by the most accurate approximation,
with bounds that enclose the exact result. qnet methods lists the names for --method.

Numbers and times are related by Little's law (Little 1961), utilization and throughput by the utilization law
(Denning and Buzen, Computing Surveys 10, 1978); on the models and their solution: Bolch, Greiner, de Meer and
Trivedi, Queueing Networks and Markov Chains, 2006. qnet methods lists the source of every method.

\b
Examples:
  qnet solve ibm-3990-6 -p rate=900/s -p write_fraction=0.3
  qnet solve ibm-3990-6 -p rate=900/s --assert 'response < 20 ms'
  qnet solve web-tier --metric response_p95 --value --unit ms
  qnet solve --station cpu=120ms --station disk=50ms --arrival-rate 3/s
  qnet solve --station cpu=120ms --station disk=50ms --population 20 --think-time 5s -p demand_cpu=60ms
""",
)
