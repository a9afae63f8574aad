"""`qnet solve`: the figures of a system, from a file, the catalog or the command line itself."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.method_options import bounds_option, method, method_options, states_option
from qnet.cli.network_options import asked, network_options, opened
from qnet.cli.options import assert_option, collect, output_options


@click.command("solve")
@network_options
@method_options
@bounds_option
@states_option
@assert_option
@output_options
def command(asserted: tuple[str, ...], **options: Any) -> None:
    """Throughput, response and utilization of a system.

    Response is the mean time from arrival to answer, think time excluded. Residence is the part of it spent at a
    station, all visits and waits included; time inside a station that is held together with another counts at the
    inner one. Utilization is the share of the servers that are busy. The maximum throughput is where the steady state
    ends, or what a closed class tends to with ever more customers, and what limits it is named.

    Customers who change between classes are told as a chain: a class, whose passages lead from one visit to its
    reference to the next, or from arrival to departure; and the residence of a passage as each of its classes.

    Closed classes are solved exactly where that fits --operations and --memory, otherwise by the best approximation,
    with bounds that enclose the exact answer. qnet methods lists what --method may name.

    Numbers and times are tied by Little's law (Little 1961), utilization and throughput by the utilization law
    (Denning and Buzen, Computing Surveys 10, 1978); on the models and their solution: Bolch, Greiner, de Meer and
    Trivedi, Queueing Networks and Markov Chains, 2006. Every method has its source in the list of qnet methods.

    \b
    Examples:
      qnet solve ibm-3990-6 -p rate=900/s -p write_fraction=0.3
      qnet solve ibm-3990-6 -p rate=900/s --assert 'response < 20 ms'
      qnet solve examples/web-tier.toml --csv
      qnet solve --station cpu=120ms --station disk=50ms --arrival-rate 3/s
      qnet solve --station cpu=120ms --station disk=50ms --population 20 --think-time 5s -p demand_cpu=60ms
    """
    from qnet.cli.output import ready, write
    from qnet.questions.solve.solve import solve_report

    wanted, output, found = method(options), collect(options), asked(options)
    ready(output)
    with opened(found) as model:
        report = solve_report(model, wanted, asserted)
    write(report, output)
