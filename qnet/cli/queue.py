"""`qnet queue`: metrics of a single station by name, and inverse questions about it."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.options import (
    RareParameter,
    assert_option,
    collect,
    output_options,
    percentile_option,
    require_one,
    stated,
    value_options,
)
from qnet.cli.shared_options import budget_options, limited
from qnet.questions.tables.queue_report import CONVERTED, NAMES, PARAMETERS

_EPILOG = "\b\nStations:\n" + "\n".join(f"  {name:<17} {words}" for name, words in NAMES.items())
_METAVARS = {"/s": "RATE", "s": "TIME"}
_RARE = ("skewness_", "vacation_time", "scv_vacation", "scv_batch")
"""Beginnings of the parameters that only the complete help lists."""


def _complete_station(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    begun = incomplete.lower()
    return [CompletionItem(name, help=words) for name, words in NAMES.items() if name.lower().startswith(begun)]


def _complete_figure(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    from qnet.queues.stations.limits import FIGURES, LEVEL

    return [
        CompletionItem(name) for name in (*FIGURES, "wait_p95", "response_p95", LEVEL) if name.startswith(incomplete)
    ]


class _Station(click.Argument):
    """The name of the station; where it is missing, the message lists all."""

    choices = tuple(NAMES)


class _Offered(click.Option):
    """The option `--offered` with the second name `--erlangs`, which help does not list."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Add both names."""
        super().add_to_parser(parser, ctx)
        parser.add_option(self, ["--erlangs"], dest=self.name, action="store", nargs=1)


def _parameter_options(command: Any) -> Any:
    """An option for every parameter that a station may have."""
    for name, (unit, domain, meaning) in reversed({**PARAMETERS, **CONVERTED}.items()):
        metavar = "NAME" if name == "approximation" else _METAVARS.get(unit, "NUMBER")
        words = f"{meaning[0].upper()}{meaning[1:]}; {domain}."
        kind = RareParameter if name.startswith(_RARE) else _Offered if name == "offered" else click.Option
        option = click.option(
            f"--{name.replace('_', '-')}", name, cls=kind, metavar=metavar, callback=stated, help=words
        )
        command = option(command)
    return command


@click.command("queue", epilog=_EPILOG)
@click.argument("name", cls=_Station, callback=stated, shell_complete=_complete_station)
@_parameter_options
@percentile_option
@click.option("--service", metavar="TEXT", callback=stated, help="'p50 = 12 ms, p99 = 80 ms': fits a lognormal.")
@click.option("--within", metavar="TIME", callback=stated, help="Also the service level P(wait <= TIME).")
@click.option(
    "--states",
    type=click.IntRange(0, 100_000),
    metavar="NUMBER",
    help="Also the probabilities of 0, 1, ... NUMBER.",
)
@click.option(
    "--solve-for",
    metavar="PARAMETER",
    callback=stated,
    help="Parameter to solve for, such as servers.",
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="CONDITION",
    callback=stated,
    shell_complete=_complete_figure,
    help="Limit, such as 'wait <= 200 ms'. May be repeated.",
)
@click.option(
    "--over",
    multiple=True,
    metavar="GRID",
    callback=stated,
    help="Grid, such as servers=1:20. May be repeated.",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    callback=stated,
    shell_complete=_complete_figure,
    help="Metric to report, such as wait_p95 (default: all). May be repeated.",
)
@value_options
@budget_options
@assert_option
@output_options
def command(name: str, percentile: tuple[float, ...], states: int | None, solve_for: str | None,
            limits: tuple[str, ...], within: str | None, over: tuple[str, ...], metrics: tuple[str, ...],
            value: bool, unit: str, asserted: tuple[str, ...], **options: Any) -> None:  # fmt: skip
    """Compute the metrics of a single station, such as M/M/c, in closed form.

    Quote a NAME that contains brackets. Values have units: 80/s, 20ms. A grid such as 1:20 gives a row for each value;
    --over 'servers=1,2 & offered=0.5,1' varies both together.
    Values separated by commas are a grid too, or those of the classes of a priority station, highest first.

    With --solve-for and --limit one parameter is computed instead of given: as a real number, and as an integer where
    it counts something; the metrics are those at the integer. Of several limits all must hold, and the binding one is
    named: the result is the fewest servers, the least capacity, or the highest rate. Stations with classes take the
    given values of the parameter as proportions, and return the total rate or the mean time.

    Standard deviations of waiting time, response time and number in system are given wherever theory provides them;
    M/G/1 and its variants need the skewness, M/G/1-PS the scv. These have no closed form of percentiles; GI/G/1 and
    GI/G/c have means only.

    JSON names the sources. For most: Kleinrock, Queueing Systems 1, 1975; Bolch, Greiner, de Meer and Trivedi, Queueing
    Networks and Markov Chains, 2006, chapter 6. Numbers and times are related by Little's law (Little 1961).

    Without --solve-for a limit is asserted. It may be a service level: 'P(wait <= 20 s) >= 80 %', or with --within 20s
    'service_level >= 80 %'.

    \b
    Examples:
      qnet queue M/M/c --arrival-rate 80/s --service-time 20ms --servers 2 --percentile 95
      qnet queue M/M/1 --offered 0.5 --service-time 1s --metric wait_p95 --value
      qnet queue M/M/c --offered 9 --service-time 3min --servers 10:15 --within 20s
      qnet queue M/M/c --arrival-rate 80/s --service-time 20ms --solve-for servers --limit 'wait <= 5 ms'
      qnet queue M/G/1-priority --arrival-rate 10/s,30/s --service-time 5ms,20ms --scv-service 1
    """
    from qnet.cli.output import ready, write
    from qnet.questions.tables.queue_report import queue_report

    limited(options)
    if value:
        require_one(metrics, percentile, options)
    output = collect(options)
    ready(output)
    texts = {key: value for key, value in options.items() if value is not None}
    parameter = (solve_for or "").strip().replace("-", "_")
    last = -1 if states is None else states
    asked = (percentile, last, parameter, limits, asserted, within or "", over, metrics, unit, value)
    write(queue_report(name, texts, *asked), output, value=value)
