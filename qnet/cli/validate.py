"""`qnet validate`: a model held against the figures of a study."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.options import collect, output_options


@click.command("validate")
@click.argument("study")
@output_options
def command(study: str, **options: Any) -> None:
    """Hold a study's published figures against its model.

    For every claim: what the source states, what the model gives, the error, the tolerance, and its role. Fitted
    claims set a parameter; predicted ones are the evidence; disputed ones contradict another figure of their source
    and are reported only. Exit code 6 where a prediction misses its tolerance or a trend is not shown.

    \b
    Example:
      qnet validate ibm-3990-6
    """
    from qnet.cli.output import ready, write
    from qnet.questions.study import load_study
    from qnet.questions.validate import validate, validate_report

    output = collect(options)
    ready(output)
    found = load_study(study)
    judged = validate(found)
    write(validate_report(found, judged), output)
