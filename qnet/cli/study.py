"""`qnet study`: a measured study on one screen."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.options import collect, output_options, stated
from qnet.cli.shared_options import budget_options, limited
from qnet.cli.validate import complete_study


@click.command("study")
@click.argument("name", required=False, callback=stated, shell_complete=complete_study)
@budget_options
@output_options
def command(name: str | None, **options: Any) -> None:
    """Summarize a measured study on one screen: question, evidence, chart.

    The question of the authors and the answer of the model; source, machine and stations; the predictions, failed
    assumptions and misses first with their reasons, each with its error (to the nearest value that rounds to the
    printed one) and the error of its null, the nearest figure that was an input of the model (qnet validate defines
    which predictions count). Then the skill, a chart with the measured points, two what-ifs, the limits of the study,
    and its terms. At most 40 lines of 100 columns; formats other than the table contain everything.

    The studies are of published measurements; JSON names the source. The laws behind the models: Denning and Buzen,
    Computing Surveys 10, 1978.

    \b
    Examples:
      qnet study
      qnet study ibm-3990-6
      qnet study ibm-3990-6 --md
    """
    from qnet.cli.output import form, ready, write
    from qnet.formats import FENCED, FORMATS
    from qnet.questions.study.report import studies_report, study_report

    limited(options)
    output = collect(options)
    ready(output)
    if name is None:
        write(studies_report(), output)
        return
    drawing = FORMATS[form(output)].drawing
    report = study_report(name, bool(drawing))
    write(report, output.replace(plot=drawing == FENCED and report.plot is not None))
