"""`qnet solve`: the figures of a system, from a file, the catalog or the command line itself."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.options import collect, optional_system_argument, output_options, parameter_option


@click.command("solve")
@optional_system_argument
@parameter_option
@click.option("--station", "stations", multiple=True, metavar="NAME=TIME", help="Without a file: a queue and the service demand on it.")
@click.option("--delay", "delays", multiple=True, metavar="NAME=TIME", help="Without a file: a delay.")
@click.option("--servers", multiple=True, metavar="NAME=NUMBER", help="Without a file: servers of a queue, 1 if left out.")
@click.option("--arrival-rate", metavar="RATE", help="Without a file: arrivals, such as 3/s.")
@output_options
def command(system: str | None, settings: tuple[str, ...], stations: tuple[str, ...], delays: tuple[str, ...],
            servers: tuple[str, ...], arrival_rate: str | None, **options: Any) -> None:  # fmt: skip
    """Throughput, response and utilization of a system.

    Response is the mean time from arrival to answer, think time excluded. Residence is the part of it spent at a
    station, all visits and waits included; time inside a station that is held together with another counts at the
    inner one. Utilization is the share of the servers that are busy. The maximum throughput is where the steady state
    ends, and what limits it is named.

    \b
    Examples:
      qnet solve ibm-3990-6 -p rate=900/s -p write_fraction=0.3
      qnet solve examples/web-tier.toml --csv
      qnet solve --station cpu=120ms --station disk=50ms --arrival-rate 3/s
    """
    from qnet.cli.inline import inline_model
    from qnet.cli.output import ready, write
    from qnet.model.load import load
    from qnet.model.settings import parse_settings, with_settings
    from qnet.questions.solve import solve_report

    output = collect(options)
    ready(output)
    given = stations or delays or servers or arrival_rate
    if system is not None and given:
        raise click.UsageError("give either a SYSTEM or stations on the command line, not both")
    if system is None and not given:
        raise click.UsageError("give a SYSTEM, or --station NAME=TIME and --arrival-rate RATE")
    model = load(system) if system is not None else inline_model(stations, delays, servers, arrival_rate or "")
    write(solve_report(with_settings(model, parse_settings(settings))), output)
