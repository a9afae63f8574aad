"""`qnet bottleneck`: breakdown of response time, the bottleneck, what would help."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.asking import faster_option
from qnet.cli.method_options import bounds_option, method, method_options
from qnet.cli.network_options import asked, network_options, opened
from qnet.cli.options import assert_option, collect, output_options


@click.command("bottleneck")
@network_options
@faster_option
@method_options
@bounds_option
@assert_option
@output_options
def command(asserted: tuple[str, ...], **options: Any) -> None:
    """Break down response time, find the bottleneck, rank upgrades.

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
    """
    from qnet.cli.output import ready, write
    from qnet.cli.progress import watched
    from qnet.questions.bottleneck.report import bottleneck_report

    wanted, output, network = method(options), collect(options), asked(options)
    ready(output)
    with opened(network) as model, watched(wanted) as wanted:
        report = bottleneck_report(model, **options, wanted=wanted, asserted=asserted)
    write(report, output)
