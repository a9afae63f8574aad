"""`qnet validate`: models held against the figures of studies."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.options import assert_option, collect, output_options, said


def complete_study(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """The studies of the catalog that begin so."""
    from click.shell_completion import CompletionItem

    from qnet.catalog.find import entries

    return [CompletionItem(item.id) for item in entries() if item.kind == "study" and item.id.startswith(incomplete)]


@click.command("validate")
@click.argument("study", required=False, callback=said, shell_complete=complete_study)
@click.option("--claims", is_flag=True, help="Without STUDY: every claim of every study, and not the account of them.")
@assert_option
@output_options
def command(study: str | None, claims: bool, asserted: tuple[str, ...], **options: Any) -> None:
    """Hold the published figures of studies against their models.

    With STUDY, for every claim: what the source states, what the model gives, the error, which is modelled / stated -
    1, the tolerance, and the role. Without STUDY, the account of all studies of the catalog: the claims by role, how
    predictions, carried values, identities and trends fare, and every claim that is missed, with its reason.

    \b
    given      an input; the model has it to the printed digit where both name it
    fitted     sets a parameter of the model, which its row names
    predicted  not computable by arithmetic from given, fitted and identity
               claims: the evidence. What only repeats another prediction in
               another unit or ratio is judged and not counted
    carried    a value that the model says does not change: counted apart
    identity   follows from other claims by an operational law: exact where it
               rounds to the printed digit, within rounding where it does once
               each figure it is made of may move by half of its last digit
    trend      a direction, or an insensitivity, that the model must show; by
               construction where it cannot but show it
    disputed   contradicts another figure of its source: reported only
    outside    nothing that a queueing model touches: kept, with the reason

    A claim that is missed stays missed, whatever the reason; no tolerance of a prediction is above 25 %. Exit code 6
    only where a claim is missed and the study gives no reason.

    Errors of predictions are told by their median, by what nine in ten are within, by the share within 20 %, and by the
    largest, of those that state a figure and no bound. JSON names the source of the figures of every study. --assert is
    judged on the numbers of the study, or of all of them together: claims, given, fitted, predicted, repeated, carried,
    identities, trends, disputed, outside, met, errors, median_error, p90_error, largest_error, within_20_percent,
    carried_met, carried_median, parameters, identities_exact, identities_within, trends_shown, trends_by_construction,
    missed and unexplained. On the validation of models: Lazowska, Zahorjan, Graham and Sevcik, Quantitative System
    Performance, 1984, chapter 2.

    \b
    Examples:
      qnet validate
      qnet validate ibm-3990-6 --assert 'median_error < 3 %'
      qnet validate --claims --csv
      qnet validate --assert 'predicted >= 110' --assert 'within_20_percent >= 90 %'
    """
    from qnet.cli.output import ready, write
    from qnet.cli.progress import progress
    from qnet.questions.validate_report import validate_report

    output = collect(options)
    if study and claims:
        raise click.UsageError("found --claims beside STUDY, expected one of the two: every claim of STUDY is told")
    ready(output)
    with progress("studies") as told:
        report = validate_report(study or "", asserted, claims, told)
    write(report, output)
