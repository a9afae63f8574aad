"""`qnet study`: a measured study as a story."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.options import collect, output_options, said
from qnet.cli.validate import complete_study


@click.command("study")
@click.argument("name", required=False, callback=said, shell_complete=complete_study)
@output_options
def command(name: str | None, **options: Any) -> None:
    """A measured study as a story: question, answer, limits, picture.

    What the authors asked; the figures they measured beside what the model of the catalog gives, with the error, which
    is model / measured - 1, and the role of each claim (qnet validate says what roles are); what limits the system, in
    the sentences of qnet why; and a picture, which is what another command answers: an envelope, a knee or a sweep as
    a curve, a cost or a comparison as a table. The command that gives all of it stands beside it. Without NAME the
    studies of the catalog are listed.

    The studies are of published measurements; JSON names the source. The laws behind the models: Denning and Buzen,
    Computing Surveys 10, 1978.

    \b
    Examples:
      qnet study
      qnet study ibm-3990-6
      qnet study ibm-3990-6 --md
    """
    from qnet.cli.output import form, ready, write
    from qnet.questions.study_report import studies_report, study_report

    output = collect(options)
    ready(output)
    if name is None:
        write(studies_report(), output)
        return
    drawn = form(output) in ("table", "md")
    report = study_report(name, drawn)
    write(report, output.replace(plot=form(output) == "md" and report.plot is not None))
