"""`qnet why`: an explanation of response time, in words."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.asking import faster_option, options_of
from qnet.cli.method_options import bounds_option, method, method_options
from qnet.cli.network_options import asked, network_options, opened
from qnet.cli.options import assert_option, collect, output_options


@click.command("why")
@network_options
@faster_option
@options_of("why")("brief", help="Print six lines and the command.")
@method_options
@bounds_option
@assert_option
@output_options
def command(asserted: tuple[str, ...], **options: Any) -> None:
    """Explain a system's response time in words fit for a ticket.

    Question, answer, breakdown of response time, the stations that saturate first and second, the most effective
    upgrades, the laws with their numbers, the method and its accuracy, the assumptions, source and grade of every
    number, and the command that reproduces the report. Where steps label kinds of work, the bottleneck is split by
    them; where they state causes too, the largest is named first. The figures are those of qnet bottleneck, which
    defines them. Of a saturated system: demand against capacity of every station, and the smallest change of each type
    that cures it: fewer arrivals, faster stations, more servers or copies, shorter demands. In CSV and JSON every
    sentence comes with its number. The laws are Little's (1961), the utilization law and the bottleneck analysis of
    Denning and Buzen (Computing Surveys 10, 1978).

    \b
    Examples:
      qnet why ibm-3990-6 -p rate=900/s -p write_fraction=0.3
      qnet why ibm-3990-6 -p rate=1500/s --brief
      qnet why ibm-3990-6 --md
      qnet why ibm-3990-6 -o report.html
      qnet why interactive-users -p users=100 --faster 1.5
    """
    from qnet.cli.output import ready, write
    from qnet.cli.progress import watched
    from qnet.questions.why.why import why_report

    wanted, output, network = method(options), collect(options), asked(options)
    ready(output)
    with opened(network) as model, watched(wanted) as wanted:
        report = why_report(model, **options, wanted=wanted, asserted=asserted, network=network.words())
    write(report, output)
