"""`qnet solve`: the figures of a system, from a file, the catalog or the command line itself."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.method_options import method, method_options, states_option
from qnet.cli.options import assert_option, collect, optional_system_argument, output_options, parameter_option, said


@click.command("solve")
@optional_system_argument
@parameter_option
@click.option("--station", "stations", multiple=True, metavar="NAME=TIME", help="Without a file: a queue, its demand.")
@click.option("--delay", "delays", multiple=True, metavar="NAME=TIME", help="Without a file: a delay.")
@click.option("--servers", multiple=True, metavar="NAME=NUMBER", help="Without a file: servers of a queue, else 1.")
@click.option("--arrival-rate", metavar="RATE", callback=said, help="Without a file: arrivals, such as 3/s.")
@click.option("--population", metavar="NUMBER", callback=said, help="Without a file: customers of a closed class.")
@click.option("--think-time", metavar="TIME", callback=said, help="Without a file: between answer and next request.")
@method_options
@states_option
@assert_option
@output_options
def command(system: str | None, settings: tuple[str, ...], stations: tuple[str, ...], delays: tuple[str, ...],
            servers: tuple[str, ...], arrival_rate: str | None, population: str | None, think_time: str | None,
            asserted: tuple[str, ...], **options: Any) -> None:  # fmt: skip
    """Throughput, response and utilization of a system.

    Response is the mean time from arrival to answer, think time excluded. Residence is the part of it spent at a
    station, all visits and waits included; time inside a station that is held together with another counts at the
    inner one. Utilization is the share of the servers that are busy. The maximum throughput is where the steady state
    ends, or what a closed class tends to with ever more customers, and what limits it is named.

    Closed classes are solved exactly where that fits --operations and --memory, otherwise by the best approximation,
    with bounds that enclose the exact answer. qnet methods lists what --method may name.

    \b
    Examples:
      qnet solve ibm-3990-6 -p rate=900/s -p write_fraction=0.3
      qnet solve ibm-3990-6 -p rate=900/s --assert 'response < 20 ms'
      qnet solve examples/web-tier.toml --csv
      qnet solve --station cpu=120ms --station disk=50ms --arrival-rate 3/s
      qnet solve --station cpu=120ms --station disk=50ms --population 20 --think-time 5s
    """
    from qnet.cli.output import ready, write
    from qnet.questions.solve import solve_report

    wanted, output = method(options), collect(options)
    given = stations or delays or servers or arrival_rate or population or think_time
    if system is not None and given:
        raise click.UsageError(
            "found a SYSTEM and options of a network without a file, expected one of the two; -p sets a parameter"
        )
    if system is None and not given:
        raise click.UsageError(
            "there is nothing to solve, expected a SYSTEM, or --station and --arrival-rate or --population"
        )
    ready(output)
    if system is not None:
        from qnet.cli.system import open_system

        write(solve_report(open_system(system, settings), wanted, asserted), output)
        return
    from qnet.cli.inline import inline
    from qnet.errors import InvalidInput

    network = inline(stations, delays, servers, arrival_rate or "", population or "", think_time or "")
    try:
        model = network.model()
        if settings:
            from qnet.model.settings import parse_settings, with_settings

            model = with_settings(model, parse_settings(settings))
        report = solve_report(model, wanted, asserted)
    except InvalidInput as error:
        raise network.blame(error) from None
    write(report, output)
