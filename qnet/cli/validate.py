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
@click.option("--fits", is_flag=True, help="Fitted parameters, free choices, and what they leave of predictions.")
@assert_option
@output_options
def command(study: str | None, claims: bool, fits: bool, asserted: tuple[str, ...], **options: Any) -> None:
    """Hold the published figures of studies against their models.

    With STUDY, for every claim: what the source states, what the model gives, the error to the nearest figure that is
    printed so (0 within rounding), the null, which is the nearest figure that the model was given, with its error, the
    tolerance, and the role. Without STUDY, the account of all studies of the catalog: the claims by role, how
    predictions fare beside their nulls, how carried values, identities and trends fare, and every claim that is missed,
    with its reason; consequences of failed assumptions stand first.

    \b
    given      an input; the model has it to the printed digit where both name it
    fitted     sets a parameter of the model, which its row names
    predicted  the evidence: more than 3 % from every number that the model was
               given for it, and by a mechanism (queueing, contention, cache,
               path length) between. What only repeats another prediction in
               another unit or ratio is judged and not counted
    failed     follows from an assumption that is false: shown first
    assumption
    carried    a value that the model says does not change: counted apart. So
               is what is called a prediction and is none: every number that
               was given is moved by 1 % to find what restates or follows from
               one of them; its remark tells the reason
    identity   follows from other claims by an operational law: exact where it
               rounds to the printed digit, within rounding where it does once
               each figure it is made of may move by half of its last digit
    trend      a direction, or an insensitivity, that the model must show; by
               construction where it cannot but show it
    disputed   contradicts another figure of its source: reported only
    outside    nothing that a queueing model touches: kept, with the reason

    A claim that is missed stays missed, whatever the reason; no tolerance of a prediction is above 25 %. Exit code 6
    only where a claim is missed and the study gives no reason.

    --fits tells of every fitted parameter the claim that sets it, the intervals that printed digits, free choices and
    other rows leave, and what contradicts it; every free choice (a form, a reading or a value); and the interval of
    every prediction when the study is fitted again with each choice made otherwise.

    Errors of predictions are told by their median, by what nine in ten are within, by the share within 20 %, and by the
    largest, of those that state a figure and no bound; skill by how many are nearer than their null, and by the ratio
    of the medians. JSON names the source of the figures of every study. --assert is judged on the numbers of the study,
    or of all of them together: claims, given, fitted, predicted, repeated, failed, carried, demoted, identities,
    source_identities, trends, disputed, outside, met, errors, median_error, p90_error, largest_error,
    within_20_percent, compared, compared_median, null_median, null_p90, nearer, nearer_share, median_ratio,
    carried_met, carried_median, parameters, choices, identities_exact, identities_within, trends_shown,
    trends_by_construction, missed and unexplained. On the validation of models: Lazowska, Zahorjan, Graham and Sevcik,
    Quantitative System Performance, 1984, chapter 2.

    \b
    Examples:
      qnet validate
      qnet validate ibm-3990-6 --assert 'median_error < 3 %'
      qnet validate --claims --csv
      qnet validate p390 --fits
      qnet validate --assert 'nearer_share >= 90 %' --assert 'median_ratio < 0.5'
    """
    from qnet.cli.output import ready, write
    from qnet.cli.progress import progress
    from qnet.questions.study.validate_report import validate_report

    output = collect(options)
    if study and claims:
        raise click.UsageError("found --claims beside STUDY, expected one of the two: every claim of STUDY is told")
    if fits and (claims or asserted):
        raise click.UsageError(f"found --fits beside {'--claims' if claims else '--assert'}, expected --fits alone")
    ready(output)
    if fits:
        from qnet.questions.study.fits_report import fits_report

        write(fits_report(study or ""), output)
        return
    with progress("studies") as told:
        report = validate_report(study or "", asserted, claims, told)
    write(report, output)
