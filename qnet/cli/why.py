"""`qnet why`: why a system responds as it does, in words."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.method_options import bounds_option, method, method_options
from qnet.cli.network_options import asked, network_options, opened
from qnet.cli.options import assert_option, collect, faster_option, output_options


@click.command("why")
@network_options
@faster_option
@method_options
@bounds_option
@assert_option
@output_options
def command(faster: float, asserted: tuple[str, ...], **options: Any) -> None:
    """Why a system responds as it does, in words fit for a ticket.

    The question, the answer, where the time goes, what is full first and second, what would help most, the laws with
    the numbers put in, the method and how far it can be trusted, the assumptions, the source and grade of every
    number, and the command that gives it all again. Where steps state kinds of work, what is full first is split by
    them; where they state causes too, the largest is what to fix first. The figures are those of qnet bottleneck,
    whose help defines them. In CSV and JSON every sentence has its number beside it. The laws are Little's (1961), the
    utilization law and the bottleneck analysis of Denning and Buzen (Computing Surveys 10, 1978).

    \b
    Examples:
      qnet why ibm-3990-6 -p rate=900/s -p write_fraction=0.3
      qnet why ibm-3990-6 --md
      qnet why examples/interactive-users.toml -p users=100 --faster 1.5
    """
    from qnet.cli.output import ready, write
    from qnet.cli.progress import watched
    from qnet.questions.why.why import why_report

    wanted, output, found = method(options), collect(options), asked(options)
    ready(output)
    with opened(found) as model, watched(wanted) as wanted:
        report = why_report(model, faster, wanted, asserted, found.words())
    write(report, output)
