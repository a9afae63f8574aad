"""The reports of `qnet validate`: every claim of a study with its verdict, or the summary of all studies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from qnet.errors import Problem
from qnet.questions.presentation.assertions import conditions
from qnet.questions.presentation.named_values import NamedValues, false_of
from qnet.questions.presentation.provenance import Basis
from qnet.questions.study.load import each_of, load_studies
from qnet.questions.study.study import Study
from qnet.questions.study.tally import Tally, summary, tally
from qnet.questions.study.validate import Judged, Validation, validate
from qnet.reports.content import Cell, Column, Note, row_maker
from qnet.reports.report import Report
from qnet.units import NUMBER

COLUMNS = (
    Column("study", "study"),
    Column("claim", "claim"),
    Column("metric", "metric"),
    Column("role", "role"),
    Column("stated", "stated"),
    Column("modelled", "modelled"),
    Column("unit", "unit"),
    Column("error", "error", "%"),
    Column("plain_error", "without rounding", "%", footed=True),
    Column("null", "null"),
    Column("null_error", "null error", "%"),
    Column("tolerance", "tolerance", "%"),
    Column("verdict", "verdict"),
    Column("remark", "remark"),
)
"""The columns of claims, one per row; `stated`, `modelled` and `null` are in its `unit`, as the source prints it."""

ACCOUNT = (
    Column("section", "section"),
    Column("study", "study"),
    Column("claims", "claims"),
    Column("given", "given"),
    Column("fitted", "fitted"),
    Column("predicted", "predicted"),
    Column("repeated", "repeated"),
    Column("in_view", "form in view"),
    Column("path_length", "on a path length alone"),
    Column("failed", "failed assumptions"),
    Column("met", "met"),
    Column("parameters", "fitted parameters"),
    Column("choices", "free choices"),
    Column("errors", "with a figure"),
    Column("median_error", "median error", "%"),
    Column("p90_error", "p90 error", "%"),
    Column("within_20", "within 20 %", "%"),
    Column("largest_error", "largest", "%"),
    Column("compared", "with a null"),
    Column("nearer", "nearer than the null"),
    Column("nearer_share", "share", "%"),
    Column("compared_median", "median error", "%"),
    Column("null_median", "null median error", "%"),
    Column("null_p90", "null p90 error", "%"),
    Column("median_ratio", "ratio of medians"),
    Column("carried", "carried"),
    Column("demoted", "stated as predictions"),
    Column("carried_met", "met"),
    Column("carried_median", "median error", "%"),
    Column("in_view_median", "median error", "%"),
    Column("identities", "identities"),
    Column("source_identities", "of the source alone"),
    Column("identities_exact", "exact"),
    Column("identities_within", "within rounding"),
    Column("trends", "trends"),
    Column("trends_shown", "reproduced"),
    Column("trends_by_construction", "by construction"),
    Column("disputed", "disputed"),
    Column("outside", "outside"),
    Column("missed", "missed"),
    Column("unexplained", "without reason"),
    Column("claim", "claim"),
    Column("role", "role"),
    Column("stated", "stated"),
    Column("modelled", "modelled"),
    Column("unit", "unit"),
    Column("error", "error", "%"),
    Column("reason", "reason"),
)
"""The columns of the summary. A row has the numbers of one section for a study or for `all`, or a missed claim."""

ROLES_OF, PREDICTIONS, SKILL, OTHERS, MISSES, FAILED = (
    "claims by role", "predictions", "skill: model against nulls", "form in view, carried, identities, trends",
    "missed", "failed assumptions",
)  # fmt: skip
_REPORTED: dict[str, tuple[str, ...]] = {
    ROLES_OF: (
        "claims", "given", "fitted", "predicted", "repeated", "in_view", "failed", "carried", "demoted", "identities",
        "trends", "disputed", "outside",
    ),
    PREDICTIONS: (
        "predicted", "path_length", "met", "errors", "median_error", "p90_error", "within_20", "largest_error",
        "parameters", "choices",
    ),
    SKILL: ("compared", "nearer", "nearer_share", "compared_median", "null_median", "null_p90", "median_ratio"),
    OTHERS: (
        "in_view", "in_view_median", "carried", "carried_met", "carried_median", "identities", "source_identities",
        "identities_exact", "identities_within", "trends",
        "trends_shown", "trends_by_construction", "missed", "unexplained",
    ),
}  # fmt: skip
"""The columns that each section of the summary has."""
_ALL = "all"
_row = row_maker(ACCOUNT)


def validate_report(
    study: str = "",
    asserted: Sequence[str] = (),
    claims: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Compare the published figures of a study of the catalog, or of all of them, with their models.

    study     its name; empty for every study of the catalog.
    asserted  conditions on the numbers of `Tally`, of the study or of all studies together, such as
              "median_error < 3 %".
    claims    list every claim of all studies instead of the summary.
    progress  called before each study with the number of studies done, and the total.
    Returns   for one study, and with `claims`, a row for every claim; otherwise the summary of all studies: claims by
              role, errors of predictions compared with their nulls, results of carried values, identities and trends,
              and missed claims. `broken` has the claims that are missed without a reason, and the conditions that are
              false.
    Raises    `UsageError` for a study that does not exist or an invalid condition, `InvalidInput` for an invalid study.
    """
    conditions(asserted, None, dict.fromkeys(Tally.fields(), NUMBER))
    studies = load_studies(study)

    def judged(item: tuple[int, Study]) -> Validation:
        if progress:
            progress(item[0], len(studies))
        return validate(item[1])

    result = each_of(enumerate(studies), judged)
    several = len(result) > 1
    every = [item for one in result for item in one.judged]
    choices = sum(len(item.study.choices) for item in result)
    broken = (*(problem for item in result for problem in _broken(item, several)), *_false(every, choices, asserted))
    bases = [_basis(item) for item in result]
    title = f"{len(result)} studies of the catalog" if several else result[0].study.title
    meta = {"studies": [dict(item) for item in bases]} if not study else bases[0]
    if study or claims:
        notes = tuple(
            Note("QN603", _before(item, several) + summary(item.judged, len(item.study.choices))) for item in result
        )
        rows = [row for item in result for row in _rows(item)]
        return Report(
            schema="qnet/validation/1",
            title=title,
            columns=COLUMNS,
            rows=rows,
            notes=notes,
            meta=meta,
            group="study",
            broken=broken,
        )
    counts = [(item.study.id, tally(item.judged, len(item.study.choices))) for item in result]
    counts += [(_ALL, tally(every, choices))] if several else []
    rows = [row for item in result for row in _missed(item, FAILED)]
    rows += [row for section in _REPORTED for row in _account(section, counts)]
    rows += [row for item in result for row in _missed(item, MISSES)]
    notes = (Note("QN603", summary(every, choices)),)
    return Report(
        schema="qnet/account/1",
        title=title,
        columns=ACCOUNT,
        rows=rows,
        notes=notes,
        meta=meta,
        group="section",
        broken=broken,
    )


def _basis(validation: Validation) -> Basis:
    """The main system and the source of a study, with name and digest of its other systems: `meta` of a report."""
    first, *others = validation.models
    more: dict[str, Any] = {"study": validation.study.id, "source": validation.study.source}
    if others:
        more["systems"] = [{"name": item.name, "title": item.title, "digest": item.digest} for item in others]
    return Basis(first, **more)


def _rows(validation: Validation) -> Iterator[tuple[Cell, ...]]:
    """The rows of the claims of a study."""
    for item in validation.judged:
        yield (
            validation.study.id,
            item.claim.id,
            item.claim.metric or None,
            item.role,
            item.stated,
            item.modelled,
            item.unit or None,
            percent_of(item.error),
            percent_of(item.plain_error),
            item.null,
            percent_of(item.null_error),
            percent_of(item.tolerance),
            item.verdict,
            _remark(item),
        )


def _remark(item: Judged) -> str | None:
    """The remark on a claim: why it is not counted or missed, the parameter that it sets, the remark of the file."""
    claim = item.claim
    parts = [f"not counted as a prediction: {item.carried}" if item.carried else ""]
    parts += [f"missed: {claim.miss}" if claim.miss else "", f"sets {claim.sets}" if claim.sets else ""]
    parts.append("rests on a path length alone" if item.counted and item.path_length else "")
    parts.append("not counted: the form was chosen with this figure in view" if claim.in_view else "")
    parts.append(f"counts with {claim.counts_with}" if claim.counts_with else "")
    parts += ["by construction" if claim.by_construction else "", claim.remark]
    return "; ".join(part for part in parts if part) or None


_SHARES = (
    "median_error", "p90_error", "within_20", "largest_error", "carried_median", "in_view_median", "nearer_share",
    "compared_median", "null_median", "null_p90",
)  # fmt: skip
"""Columns in per cent that `Tally` has as fractions."""


def _account(section: str, accounts: Sequence[tuple[str, Tally]]) -> Iterator[tuple[Cell, ...]]:
    """The rows of a section of the summary, one for each study."""
    for name, counted in accounts:
        result = counted.as_dict()
        result["within_20"] = result["within_20_percent"]
        for key in _SHARES:
            result[key] = percent_of(result[key])
        yield _row(section=section, study=name, **{key: result[key] for key in _REPORTED[section]})


def _missed(validation: Validation, section: str) -> Iterator[tuple[Cell, ...]]:
    """The rows of missed claims: of failed assumptions for the section `FAILED`, of all other roles otherwise."""
    for item in validation.judged:
        if item.verdict == "missed" and (item.role == "failed assumption") == (section == FAILED):
            yield _row(
                section=section,
                study=validation.study.id,
                claim=item.claim.id,
                role=item.role,
                stated=item.stated,
                modelled=item.modelled,
                unit=item.unit or None,
                error=percent_of(item.error),
                reason=item.claim.miss or "no reason is given",
            )


def percent_of(share: float | None) -> float | None:
    """A fraction in per cent; None for None."""
    return None if share is None else 100 * share


def _broken(validation: Validation, several: bool) -> Iterator[Problem]:
    """The problem of a study with claims that are missed without a reason; none if it has no such claim."""
    missed = [item.claim.id for item in validation.judged if item.broken]
    if missed:
        claims = "1 claim" if len(missed) == 1 else f"{len(missed)} claims"
        text = f"{_before(validation, several)}{claims} missed: {', '.join(missed)}"
        yield Problem("QN604", text, help="a better model, or the reason as miss in the study")


def _false(judged: Sequence[Judged], choices: int, asserted: Sequence[str]) -> list[Problem]:
    """The problems of asserted conditions that are false."""
    counted = tally(judged, choices).as_dict()
    values = {name: [float("nan") if value is None else float(value)] for name, value in counted.items()}
    return false_of(NamedValues(values, dict.fromkeys(values, NUMBER)), asserted)


def _before(validation: Validation, several: bool) -> str:
    return f"{validation.study.id}: " if several else ""
