"""How studies fare, in numbers: claims by role, predictions with their errors, laws, trends and misses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from qnet.questions.study.study import ROLES
from qnet.questions.study.validate import EXACT, MET, MISSED, WITHIN, Judged
from qnet.record import Record

NEAR = 0.2
"""How far off a prediction may be to count as near."""


class Tally(Record):
    """How a study, or several, fare, in numbers that can be asserted. Errors are relative and without sign."""

    claims: int
    given: int
    fitted: int
    predicted: int
    """Predictions that count: those that only repeat another one are left out."""
    path_length: int
    """Of these, those that rest on nothing but the length of a path, moved from one workload to another."""
    repeated: int
    """Predictions that count with another claim."""
    in_view: int
    """Predictions that the form of the model was chosen for: counted apart."""
    in_view_median: float | None
    """Their median error."""
    failed: int
    """Consequences of assumptions that are false."""
    carried: int
    """With those that are called predictions and are none."""
    demoted: int
    """Those of them that are called predictions: they restate, or follow from, what the model was given."""
    identities: int
    source_identities: int
    """Those that name figures of the source only: they check its arithmetic, and no model."""
    trends: int
    disputed: int
    outside: int
    met: int
    """Of the predictions that count."""
    errors: int
    """The predictions that count and state a figure and no bound: those that have an error."""
    median_error: float | None
    """Of these; a prediction without an answer is farther off than any with one, and its error is None."""
    p90_error: float | None
    """Nine in ten of them are not farther off."""
    largest_error: float | None
    within_20_percent: float | None
    """The share of them that is off by at most 20 %."""
    compared: int
    """The predictions with an error and a null."""
    compared_median: float | None
    """The median error of the model, of these."""
    null_median: float | None
    """That of doing nothing."""
    null_p90: float | None
    nearer: int
    """Of these, the predictions that are nearer than their null."""
    nearer_share: float | None
    median_ratio: float | None
    """Of these, the median error of the model over that of doing nothing."""
    carried_met: int
    carried_median: float | None
    parameters: int
    """Fitted ones."""
    choices: int
    """Free choices, of forms, readings and values."""
    identities_exact: int
    identities_within: int
    trends_shown: int
    trends_by_construction: int
    """Of the trends that are shown."""
    missed: int
    unexplained: int
    """Of the claims that are missed, those without a reason."""


def tally(judged: Sequence[Judged], choices: int = 0) -> Tally:
    """Count the verdicts on some claims; `choices` were free."""
    by_role: dict[str, list[Judged]] = {role: [] for role in ROLES}
    for item in judged:
        by_role[item.role].append(item)
    selected = [item for item in by_role["predicted"] if item.counted]
    in_view = [item for item in by_role["predicted"] if item.claim.in_view]
    carried, identities, trends = by_role["carried"], by_role["identity"], by_role["trend"]
    errors = _errors(selected)
    compared = _compared(judged)
    model, null = _errors(compared), sorted(abs(item.null_error or 0.0) for item in compared)
    nearer = sum(item.error is not None and abs(item.error) < abs(item.null_error or 0.0) for item in compared)
    shown = [item for item in trends if item.verdict == MET]
    return Tally(
        claims=len(judged),
        given=len(by_role["given"]),
        fitted=len(by_role["fitted"]),
        predicted=len(selected),
        path_length=sum(item.path_length for item in selected),
        repeated=len(by_role["predicted"]) - len(selected) - len(in_view),
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
        met=_with(selected, MET),
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
        carried_met=_with(carried, MET),
        carried_median=_finite(median(_errors(carried))) if _errors(carried) else None,
        choices=choices,
        parameters=len({item.claim.sets for item in by_role["fitted"]}),
        identities_exact=_with(identities, EXACT),
        identities_within=_with(identities, WITHIN),
        trends_shown=len(shown),
        trends_by_construction=sum(item.claim.by_construction for item in shown),
        missed=_with(judged, MISSED),
        unexplained=sum(item.broken for item in judged),
    )


def _compared(judged: Sequence[Judged]) -> list[Judged]:
    """The predictions that have an error and a null."""
    return [item for item in judged if item.counted and item.null_error is not None and item.claim.stated]


def _with(judged: Sequence[Judged], verdict: str) -> int:
    return sum(item.verdict == verdict for item in judged)


def _errors(judged: Sequence[Judged]) -> list[float]:
    """How far figures are off, the least first; infinite where there is no answer. A claim reproduced by a bound has
    none."""
    stated = [item for item in judged if item.claim.stated and (item.error is not None or item.verdict == MISSED)]
    return sorted(float("inf") if item.error is None else abs(item.error) for item in stated)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def summary(judged: Sequence[Judged], choices: int = 0) -> str:
    """A few sentences: the claims by role, how the predictions fare, and what else is shown or missed."""
    totals = tally(judged, choices)
    counts = {
        "given": totals.given, "fitted": totals.fitted, "predicted": totals.predicted,
        "repeating a prediction": totals.repeated, "of a form chosen for them": totals.in_view,
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
            words += (
                f"nine in ten within {percent(totals.p90_error)}, {percent(totals.within_20_percent)} within 20 %, "
            )
            words += f"largest {percent(totals.largest_error)}"
        if totals.compared:
            words += f"; of {totals.compared} with a null, {totals.nearer} are nearer than it, median error "
            words += f"{percent(totals.compared_median)} against {percent(totals.null_median)} of doing nothing"
        parts.append(words)
    if totals.carried:
        median = percent(totals.carried_median)
        words = f"{totals.carried_met} of {totals.carried} carried values reproduced, median {median}"
        if totals.demoted:
            words += f", {totals.demoted} of them called predictions that restate what the model was given"
        parts.append(words)
    if totals.identities:
        within = f", {totals.identities_within} more within rounding" if totals.identities_within else ""
        arithmetic = f" ({totals.source_identities} of arithmetic in the source)" if totals.source_identities else ""
        identities = counted(totals.identities, "identity", "identities")
        words = f"{totals.identities_exact} of {identities} exact{within}{arithmetic}"
        parts.append(words)
    if totals.trends:
        arithmetic = f" ({totals.trends_by_construction} by construction)" if totals.trends_by_construction else ""
        parts.append(f"{totals.trends_shown} of {counted(totals.trends, 'trend')} shown{arithmetic}")
    if totals.missed:
        parts.append(f"{totals.missed} missed, {totals.missed - totals.unexplained} of them with a reason")
    return "; ".join(parts)


def percent(share: float | None) -> str:
    """A share with one decimal; that of a claim without an answer has none."""
    return "no answer" if share is None else f"{100 * share:.1f} %"


def counted(number: int, word: str, several: str = "") -> str:
    """A number with its word: `1 trend`, `2 trends`."""
    return f"{number} {word if number == 1 else several or f'{word}s'}"
