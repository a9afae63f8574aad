"""`qnet cost`: server time per page, command or megabyte."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.asking import options_of
from qnet.cli.method_options import affordable, budget_options
from qnet.cli.network_options import asked, inline_options, opened
from qnet.cli.options import (
    assert_option,
    collect,
    completed,
    optional_system_argument,
    output_options,
    parameter_option,
    stated,
)

_option = options_of("cost")


@click.command("cost")
@optional_system_argument
@click.argument("names", nargs=-1, callback=stated)
@parameter_option
@inline_options
@_option("of", metavar="STATION", help="Station to account for, or all.")
@_option("per", default=None, metavar="EXPRESSION", help="Units per passage, such as faults (default: 1).")
@_option("work", metavar="KIND", help="With --of: only this kind of work.")
@_option("class_name", "--class", metavar="NAME", help="With --of: only this class.")
@_option("route", metavar="NAME", help="With --of: only this route.")
@_option("unit", metavar="UNIT", help="With --of: unit of the result, such as us.")
@_option("over", metavar="GRID", shell_complete=completed("setting"), help="Grid of a parameter: device=scsi,eckd.")
@_option("against", metavar="SYSTEM", help="Model to compare with.")
@click.option("--against-parameter", "others", multiple=True, metavar="NAME=VALUE", help="Set its parameters.")
@budget_options
@assert_option
@output_options
def command(names: tuple[str, ...], of: tuple[str, ...], against: str | None, others: tuple[str, ...],
            asserted: tuple[str, ...], **options: Any) -> None:  # fmt: skip
    """Compute server time per unit of work, such as CPU time per page moved.

    A cost is a demand divided by units per passage. The demand is the busy server time of one passage at the stations:
    all visits and second-phase work included, waiting excluded. A station held while others are used counts its full
    holding time; the others count theirs as well. Several classes and routes are weighted by throughput. For a chain,
    --class names the chain and --route some of its classes: the time that one passage of the chain spends as those
    classes. --work selects steps that the model labels, such as work = "paging". By the utilization law (Denning and
    Buzen, Computing Surveys 10, 1978) a cost is also busy servers divided by units per second: what measurements of a
    running system show.

    NAMES are costs defined in the model under [costs] (default: all). Every cost is split by station, class and route;
    the parts add up to the total. --against computes the same cost for another model, or the same one with other
    settings; the ratio is first over second. --assert is evaluated on the costs of the first, by name or as cost with
    --of, and on its parameters and metrics, at every point of --over.

    \b
    Examples:
      qnet cost paging-users
      qnet cost paging-users cpu_per_page --over users=200:300:50
      qnet cost paging-users --assert 'cpu_per_page < 1 ms'
      qnet cost ibm-3990-6 --of all --per block --unit ms/MB
      qnet cost ibm-3990-6 --of drive -p staging=record --against ibm-3990-6
      qnet cost --station cpu=120ms --station disk=50ms --arrival-rate 3/s --of cpu
    """
    from qnet.cli.output import ready, write
    from qnet.cli.system import open_system
    from qnet.questions.cost.report import ask_cost

    wanted, output, network = affordable(options), collect(options), asked(options)
    if of and names:
        raise click.UsageError("names of costs cannot be combined with --of")
    counted = {name: given for name in ("per", "work", "class_name", "route", "unit") if (given := options.pop(name))}
    if counted and not of:
        raise click.UsageError("--per, --work, --class, --route and --unit need --of")
    if others and not against:
        raise click.UsageError("--against-parameter needs --against")
    ready(output)
    other = open_system(against, others) if against else None
    with opened(network) as model:
        report = ask_cost(
            model, names=names, of=of, **counted, **options, against=other, wanted=wanted, asserted=asserted
        )
    write(report, output)
