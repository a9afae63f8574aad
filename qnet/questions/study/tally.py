"""The summary of the verdicts on claims: numbers by role, errors of predictions, identities, trends and misses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from qnet.questions.study.study import ROLES
from qnet.questions.study.validate import EXACT, MET, MISSED, WITHIN, Judged
from qnet.record import Record

NEAR = 0.2
"""The largest error of `Tally.within_20_percent`."""


class Tally(Record):
    """Numbers of claims and statistics of errors, which `qnet validate --assert` can test.

    Errors are absolute values of relative errors, as fractions. Statistics are None if no claim has an error, and if
    the statistic is that of a prediction without an answer, whose error counts as infinite.
    """

    claims: int
    given: int
    fitted: int
    predicted: int
    """Predictions that count: without repeated ones, those with the form in view, and those counted as carried."""
    path_length: int
    """Of `predicted`, those that rest on a path length alone."""
    repeated: int
    """Predictions that only repeat another one in another unit or ratio."""
    in_view: int
    """Predictions with which in view the form of the model was chosen."""
    in_view_median: float | None
    """The median error of `in_view`."""
    failed: int
    """Consequences of false assumptions."""
    carried: int
    """Carried values, with `demoted`."""
    demoted: int
    """Claims with the role `predicted` that restate inputs or follow from them."""
    identities: int
    source_identities: int
    """Identities that name figures of the source only: they check its arithmetic, and no model."""
    trends: int
    disputed: int
    outside: int
    met: int
    """Of `predicted`, those that the model reproduces."""
    errors: int
    """Of `predicted`, those that state a figure, not bounds, and have an error or are missed."""
    median_error: float | None
    """The median of `errors`."""
    p90_error: float | None
    """The 90th percentile of `errors`."""
    largest_error: float | None
    within_20_percent: float | None
    """The fraction of `errors` that are at most 20 %."""
    compared: int
    """Of `predicted`, those that state a figure and have a null with an error."""
    compared_median: float | None
    """The median error of the model over `compared`."""
    null_median: float | None
    """The median error of the nulls over `compared`."""
    null_p90: float | None
    """The 90th percentile of the errors of the nulls over `compared`."""
    nearer: int
    """Of `compared`, those whose error is less than that of their null."""
    nearer_share: float | None
    """`nearer` as a fraction of `compared`."""
    median_ratio: float | None
    """`compared_median` over `null_median`."""
    carried_met: int
    """Of `carried`, those that the model reproduces."""
    carried_median: float | None
    """The median error of `carried`."""
    parameters: int
    """Parameters that fitted claims set."""
    choices: int
    """Free choices of forms, readings and values."""
    identities_exact: int
    """Of `identities`, those that round to the printed digits."""
    identities_within: int
    """Of `identities`, those that do so once the figures involved move by their rounding."""
    trends_shown: int
    """Of `trends`, those that the model reproduces."""
    trends_by_construction: int
    """Of `trends_shown`, those that the model cannot but show."""
    missed: int
    """Missed claims of all roles."""
    unexplained: int
    """Of `missed`, those without a reason."""


def tally(judged: Sequence[Judged], choices: int = 0) -> Tally:
    """Count the verdicts on the claims of one or several studies, which have a number of free choices."""
    by_role: dict[str, list[Judged]] = {role: [] for role in ROLES}
    for item in judged:
        by_role[item.role].append(item)
    predicted = [item for item in by_role["predicted"] if item.counted]
    in_view = [item for item in by_role["predicted"] if item.claim.in_view]
    carried, identities, trends = by_role["carried"], by_role["identity"], by_role["trend"]
    errors = _errors(predicted)
    compared = _compared(judged)
    model, null = _errors(compared), sorted(abs(item.null_error or 0.0) for item in compared)
    nearer = sum(item.error is not None and abs(item.error) < abs(item.null_error or 0.0) for item in compared)
    shown = [item for item in trends if item.verdict == MET]
    return Tally(
        claims=len(judged),
        given=len(by_role["given"]),
        fitted=len(by_role["fitted"]),
        predicted=len(predicted),
        path_length=sum(item.path_length for item in predicted),
        repeated=len(by_role["predicted"]) - len(predicted) - len(in_view),
        in_view=len(in_view),
        in_view_median=_finite(median(_errors(in_view))) if _errors(in_view) else None,
        failed=len(by_role["failed assumption"]),
        carried=len(carried),
        demoted=sum(bool(item.carried) for item in carried),
        identities=len(identities),
        source_identities=sum(item.of_source for item in identities),
        trends=len(trends),
        disputed=len(by_role["disputed"]),
        outside=len(by_role["outside"]),
        met=_number(predicted, MET),
        errors=len(errors),
        median_error=_finite(median(errors)) if errors else None,
        p90_error=_finite(errors[math.ceil(0.9 * len(errors)) - 1]) if errors else None,
        largest_error=_finite(errors[-1]) if errors else None,
        within_20_percent=sum(error <= NEAR * (1 + 1e-9) for error in errors) / len(errors) if errors else None,
        compared=len(compared),
        compared_median=_finite(median(model)) if model else None,
        null_median=median(null) if null else None,
        null_p90=null[math.ceil(0.9 * len(null)) - 1] if null else None,
        nearer=nearer,
        nearer_share=nearer / len(compared) if compared else None,
        median_ratio=_finite(median(model) / median(null)) if null and median(null) else None,
        carried_met=_number(carried, MET),
        carried_median=_finite(median(_errors(carried))) if _errors(carried) else None,
        choices=choices,
        parameters=len({item.claim.sets for item in by_role["fitted"]}),
        identities_exact=_number(identities, EXACT),
        identities_within=_number(identities, WITHIN),
        trends_shown=len(shown),
        trends_by_construction=sum(item.claim.by_construction for item in shown),
        missed=_number(judged, MISSED),
        unexplained=sum(item.broken for item in judged),
    )


def _compared(judged: Sequence[Judged]) -> list[Judged]:
    """The predictions that count, state a figure, and have a null with an error."""
    return [item for item in judged if item.counted and item.null_error is not None and item.claim.stated]


def _number(judged: Sequence[Judged], verdict: str) -> int:
    """The number of claims with a verdict."""
    return sum(item.verdict == verdict for item in judged)


def _errors(judged: Sequence[Judged]) -> list[float]:
    """The absolute errors of claims that state a figure, in ascending order; infinite for a missed claim without an
    error."""
    stated = [item for item in judged if item.claim.stated and (item.error is not None or item.verdict == MISSED)]
    return sorted(float("inf") if item.error is None else abs(item.error) for item in stated)


def _finite(value: float) -> float | None:
    """A finite value; None for an infinite one."""
    return value if math.isfinite(value) else None


def summary(judged: Sequence[Judged], choices: int = 0) -> str:
    """The tally in a few sentences: claims by role, errors of predictions, and other results.

    choices   the number of free choices.
    """
    totals = tally(judged, choices)
    counts = {
        "given": totals.given, "fitted": totals.fitted, "predicted": totals.predicted,
        "repeating a prediction": totals.repeated, "with the form in view": totals.in_view,
        "failed assumptions": totals.failed, "carried": totals.carried,
        "identities": totals.identities, "trends": totals.trends,
        "disputed": totals.disputed, "outside": totals.outside,
    }  # fmt: skip
    parts = [f"{totals.claims} claims: " + ", ".join(f"{number} {word}" for word, number in counts.items() if number)]
    if totals.predicted:
        parameters = counted(totals.parameters, "fitted parameter")
        words = f"{totals.met} of {totals.predicted} predictions reproduced, with {parameters}"
        words += f" and {counted(choices, 'free choice')}" if choices else ""
        if totals.path_length:
            rest = totals.predicted - totals.path_length
            words += f"; {totals.path_length} of them rest on a path length alone, {rest} without these"
        if totals.errors:
            words += f"; of {totals.errors} with a figure, median error {percent(totals.median_error)}, "
            words += f"90th percentile {percent(totals.p90_error)}, {percent(totals.within_20_percent)} within 20 %, "
            words += f"largest {percent(totals.largest_error)}"
        if totals.compared:
            words += f"; of {totals.compared} with a null, {totals.nearer} are nearer than it, median error "
            words += f"{percent(totals.compared_median)} against {percent(totals.null_median)} of the nulls"
        parts.append(words)
    if totals.carried:
        median = percent(totals.carried_median)
        words = f"{totals.carried_met} of {totals.carried} carried values reproduced, median {median}"
        if totals.demoted:
            words += f", {totals.demoted} of them stated as predictions but restating inputs or following from them"
        parts.append(words)
    if totals.identities:
        within = f", {totals.identities_within} more within rounding" if totals.identities_within else ""
        arithmetic = f" ({totals.source_identities} of arithmetic in the source)" if totals.source_identities else ""
        identities = counted(totals.identities, "identity", "identities")
        words = f"{totals.identities_exact} of {identities} exact{within}{arithmetic}"
        parts.append(words)
    if totals.trends:
        arithmetic = f" ({totals.trends_by_construction} by construction)" if totals.trends_by_construction else ""
        parts.append(f"{totals.trends_shown} of {counted(totals.trends, 'trend')} reproduced{arithmetic}")
    if totals.missed:
        parts.append(f"{totals.missed} missed, {totals.missed - totals.unexplained} of them with a reason")
    return "; ".join(parts)


def percent(share: float | None) -> str:
    """A fraction in per cent with one decimal; "no answer" for None."""
    return "no answer" if share is None else f"{100 * share:.1f} %"


def counted(number: int, word: str, several: str = "") -> str:
    """A number with its noun in singular or plural: `1 trend`, `2 trends`.

    several   the plural; default: the noun with an s.
    """
    return f"{number} {word if number == 1 else several or f'{word}s'}"
