"""`qnet validate`: models compared with the published figures of studies."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.options import assert_option, collect, output_options, stated
from qnet.cli.shared_options import budget_options, limited


def complete_study(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """The studies of the catalog that begin with a text."""
    from click.shell_completion import CompletionItem

    from qnet.catalog.find import entries

    return [CompletionItem(item.id) for item in entries() if item.kind == "study" and item.id.startswith(incomplete)]


@click.command("validate")
@click.argument("study", required=False, callback=stated, shell_complete=complete_study)
@click.option("--claims", is_flag=True, help="Without STUDY: list every claim of every study instead of the summary.")
@click.option("--fits", is_flag=True, help="List fitted parameters, free choices and intervals of predictions.")
@budget_options
@assert_option
@output_options
def command(study: str | None, claims: bool, fits: bool, asserted: tuple[str, ...], **options: Any) -> None:
    """Compare the models of measured studies with their published figures.

    With STUDY, for every claim: the published figure, the modelled one, the error to the nearest value that rounds to
    the printed one (0 within rounding), the null (the nearest figure that was an input of the model) with its error,
    the tolerance, and the role. Without STUDY, the summary of all studies: claims by role, errors of predictions
    compared with their nulls, results of carried values, identities and trends, and every missed claim with its reason;
    consequences of failed assumptions come first.

    \b
    given      an input; the model has it to the printed digit where both name it
    fitted     determines a parameter of the model, named in its row
    predicted  evidence: differs by more than 3 % from every input number, with a
               mechanism between: queueing, contention, a cache, or a path
               length, measured on one workload and applied to another. Those
               that rest on a path length alone (an input times the ratio of
               two others) are counted, and listed separately as well. Not
               counted: a prediction restated in another unit or ratio, and
               form in view (the form of the model was chosen with the
               figure in view)
    failed     follows from a false assumption: listed first
    assumption
    carried    a value that the model leaves unchanged: counted separately,
               together with predictions that are none: every input number is
               moved by 1 % to identify figures that restate it or follow from
               it; the remark gives the reason
    identity   follows from other claims by an operational law: exact if it
               rounds to the printed digit, within rounding if it does so once
               each figure involved may move by half of its last digit
    trend      a direction, or an insensitivity, that the model must reproduce;
               by construction if it cannot fail to do so
    disputed   contradicts another figure of its source: reported only
    outside    outside the scope of a queueing model: kept, with the reason

    A missed claim remains missed, whatever the reason; no tolerance of a prediction is above 25 %. The exit code is 6
    only if a claim is missed and the study gives no reason.

    --fits lists for every fitted parameter the claim that determines it, the intervals from printed digits, free
    choices and other rows, and contradicting figures; every free choice (a form, a reading or a value); and the
    interval of every prediction when the study is fitted again with each choice made differently. Only choices that
    name a parameter or a figure are varied; the note counts them.

    Errors of predictions that state a figure (not a bound) are summarized by their median, 90th percentile, share
    within 20 %, and maximum; skill by the share nearer than their null, and by the ratio of the medians. JSON names the
    source of the figures of every study. --assert is evaluated on the numbers of the study, or of all studies: claims,
    given, fitted, predicted, path_length, repeated, in_view, in_view_median, failed, carried, demoted, identities,
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

    limited(options)
    output = collect(options)
    if study and claims:
        raise click.UsageError("--claims cannot be combined with STUDY, whose claims are all listed anyway")
    if fits and (claims or asserted):
        raise click.UsageError(f"--fits cannot be combined with {'--claims' if claims else '--assert'}")
    ready(output)
    if fits:
        from qnet.questions.study.fits_report import fits_report

        with progress("studies") as report_progress:
            report = fits_report(study or "", report_progress)
        write(report, output)
        return
    with progress("studies") as report_progress:
        report = validate_report(study or "", asserted, claims, report_progress)
    write(report, output)
