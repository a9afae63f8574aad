"""`qnet bottleneck`: where the time goes, what is full first, what would help."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.method_options import bounds_option, method, method_options
from qnet.cli.network_options import asked, network_options, opened
from qnet.cli.options import assert_option, collect, faster_option, output_options


@click.command("bottleneck")
@network_options
@faster_option
@method_options
@bounds_option
@assert_option
@output_options
def command(faster: float, asserted: tuple[str, ...], **options: Any) -> None:
    """Where the time goes, what is full first, what would help.

    For every station: its part of the response, split into service and wait; how busy it is; the throughput of the
    system at which its own work alone fills it (capacity / demand, the mix of classes as it is), and the headroom up
    to there. The rank says what is full first and second. Of a single closed class the population is told at which
    the asymptotes N / (D + Z) and capacity / demand meet; the smallest is N*. Several classes and routes are told
    apart.

    Then what comes of each station being faster, and of one server more at each copy of it. Faster means that times
    directly under a hold of the station are divided, in both phases: not those of stations held inside, nor waits.
    Laws: Denning, Buzen, ACM Computing Surveys 10 (1978) 225-261.

    \b
    Examples:
      qnet bottleneck ibm-3990-6 -p rate=900/s
      qnet bottleneck examples/terminals-and-web.toml --faster 1.5 --csv
      qnet bottleneck examples/interactive-users.toml --assert 'response < 1 s'
    """
    from qnet.cli.output import ready, write
    from qnet.cli.progress import watched
    from qnet.questions.bottleneck.report import bottleneck_report

    wanted, output, found = method(options), collect(options), asked(options)
    ready(output)
    with opened(found) as model, watched(wanted) as wanted:
        report = bottleneck_report(model, faster, wanted, asserted)
    write(report, output)
