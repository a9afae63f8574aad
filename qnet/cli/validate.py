"""`qnet validate`: models held against the figures of studies."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.options import assert_option, collect, output_options, said


def _complete_study(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """The studies of the catalog that begin so."""
    from click.shell_completion import CompletionItem

    from qnet.catalog.find import entries

    return [CompletionItem(item.id) for item in entries() if item.kind == "study" and item.id.startswith(incomplete)]


@click.command("validate")
@click.argument("study", required=False, callback=said, shell_complete=_complete_study)
@assert_option
@output_options
def command(study: str | None, asserted: tuple[str, ...], **options: Any) -> None:
    """Hold a study's published figures against its model.

    For every claim: what the source states, what the model gives, the error, the tolerance, and its role. Fitted
    claims set a parameter; predicted ones are the evidence, because no arithmetic over given and fitted claims gives
    them; disputed ones contradict another figure of their source and are reported only. Without STUDY all studies of
    the catalog are told, one after the other. Exit code 6 where a prediction misses its tolerance or a trend is not
    shown in any of them.

    An error is modelled / stated - 1. On the validation of models: Lazowska, Zahorjan, Graham and Sevcik, Quantitative
    System Performance, 1984, chapter 2. JSON names the source of the figures of every study. --assert is judged for
    each study, on the numbers of its summary: claims, predicted, met, missed, median_error, largest_error, trends and
    trends_shown.

    \b
    Examples:
      qnet validate
      qnet validate ibm-3990-6 --assert 'median_error < 3 %'
    """
    from qnet.cli.output import ready, write
    from qnet.questions.validate_report import validate_report

    output = collect(options)
    ready(output)
    write(validate_report(study or "", asserted), output)
