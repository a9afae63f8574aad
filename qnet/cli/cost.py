"""`qnet cost`: what a page, a command or a megabyte costs in server time."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.network_options import asked, inline_options, opened
from qnet.cli.options import assert_option, collect, optional_system_argument, output_options, parameter_option, said


@click.command("cost")
@optional_system_argument
@click.argument("names", nargs=-1, callback=said)
@parameter_option
@inline_options
@click.option("--of", multiple=True, metavar="STATION", callback=said, help="Whose server time; all for every queue.")
@click.option("--per", metavar="EXPRESSION", callback=said, help="Units per passage, such as faults; else passages.")
@click.option("--work", multiple=True, metavar="KIND", callback=said, help="Beside --of: this kind of work only.")
@click.option("--class", "class_name", metavar="NAME", callback=said, help="Beside --of: passages of this class only.")
@click.option("--route", "routes", multiple=True, metavar="NAME", callback=said, help="Beside --of: of this route.")
@click.option("--unit", metavar="UNIT", callback=said, help="Beside --of: the unit to tell it in, such as us.")
@click.option("--over", multiple=True, metavar="GRID", callback=said, help="Along a parameter, as device=scsi,eckd.")
@click.option("--against", metavar="SYSTEM", callback=said, help="The model to compare with.")
@click.option("--against-parameter", "others", multiple=True, metavar="NAME=VALUE", help="Set a parameter of that one.")
@assert_option
@output_options
def command(names: tuple[str, ...], of: tuple[str, ...], per: str | None,
            work: tuple[str, ...], class_name: str | None, routes: tuple[str, ...], unit: str | None,
            over: tuple[str, ...], against: str | None, others: tuple[str, ...], asserted: tuple[str, ...],
            **options: Any) -> None:  # fmt: skip
    """Server time per unit, such as CPU time per page moved.

    A cost is a demand divided by units per passage. The demand is the busy server time that one passage takes at
    the stations, all visits and work after the response included, waits left out; a station that is held while
    others are used counts all of that time, and they count their own. Of several classes and routes, passages are
    weighted by their throughput. Of a chain --class names the chain and --route some of its classes: what one
    passage of the whole chain takes as those, because its customers come by as all of them. --work picks steps that
    the model labels, such as work = "paging". By the utilization law (Denning and Buzen, Computing Surveys 10,
    1978) a cost is also busy servers divided by units per second: what measurements of a running system show.

    NAMES are costs that the model states under [costs], all of them for none. Every cost is split by station, class
    and route; the values of the parts add up to the total. --against tells the same cost of another model or of the
    same one with other settings: ratio is the first over the second. --assert is judged on the costs of the first, by
    their names or as cost with --of, and on its parameters and figures, at every point of --over.

    \b
    Examples:
      qnet cost examples/paging-users.toml
      qnet cost examples/paging-users.toml cpu_per_page --over users=200:300:50
      qnet cost examples/paging-users.toml --assert 'cpu_per_page < 1 ms'
      qnet cost ibm-3990-6 --of all --per block --unit ms/MB
      qnet cost ibm-3990-6 --of drive -p staging=record --against ibm-3990-6
      qnet cost --station cpu=120ms --station disk=50ms --arrival-rate 3/s --of cpu
    """
    from qnet.cli.output import ready, write
    from qnet.cli.system import open_system
    from qnet.questions.cost.cost import cost
    from qnet.questions.cost.report import cost_report

    output, network = collect(options), asked(options)
    if of and names:
        raise click.UsageError("found names of costs and --of, expected one of the two")
    if (per or work or class_name or routes or unit) and not of:
        raise click.UsageError("found --per, --work, --class, --route or --unit, expected --of as well")
    if others and not against:
        raise click.UsageError("found --against-parameter without --against, expected the model as well")
    ready(output)
    question = (names, of, per or "1", class_name or "", routes, unit or "", over, work)
    with opened(network) as model:
        found = cost(model, *question)
    other = cost(open_system(against, others), *question) if against else None
    write(cost_report(found, other, asserted), output)
