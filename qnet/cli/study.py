"""`qnet study`: a measured study on one screen."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.options import collect, output_options, said
from qnet.cli.validate import complete_study


@click.command("study")
@click.argument("name", required=False, callback=said, shell_complete=complete_study)
@output_options
def command(name: str | None, **options: Any) -> None:
    """A measured study on one screen: question, evidence, picture.

    What the authors asked and what the model answers; the source, the machine and the stations; the predictions that
    count, failed assumptions and misses first with their reasons, each with its error (to the nearest figure that is
    printed so) and that of its null, the nearest figure that the model was given: the error of doing nothing (qnet
    validate says what counts). Then the skill, a picture with the measured points in it, two what-ifs, what the study
    cannot tell, and its terms. At most 40 lines of 100 columns; other formats than the table have all of it.

    The studies are of published measurements; JSON names the source. The laws behind the models: Denning and Buzen,
    Computing Surveys 10, 1978.

    \b
    Examples:
      qnet study
      qnet study ibm-3990-6
      qnet study ibm-3990-6 --md
    """
    from qnet.cli.output import form, ready, write
    from qnet.questions.study.report import studies_report, study_report

    output = collect(options)
    ready(output)
    if name is None:
        write(studies_report(), output)
        return
    drawn = form(output) in ("table", "md")
    report = study_report(name, drawn)
    write(report, output.replace(plot=form(output) == "md" and report.plot is not None))
