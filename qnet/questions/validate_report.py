"""The verdicts on studies as a report: one block per study, a line that counts them, and what is asserted of that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from qnet.errors import Problem
from qnet.questions.assertions import conditions
from qnet.questions.provenance import Basis
from qnet.questions.study import Claim, load_studies
from qnet.questions.told import Told, false_of
from qnet.questions.validate import Judged, Validation, validate
from qnet.record import Record
from qnet.reports.report import Cell, Column, Note, Report
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
    Column("tolerance", "tolerance", "%"),
    Column("verdict", "verdict"),
    Column("remark", "remark"),
)


class Tally(Record):
    """How a study fares, in numbers that can be asserted."""

    claims: int
    predicted: int
    met: int
    """Of the predicted claims."""
    missed: int
    """Of the predicted claims and the trends."""
    median_error: float | None
    """Of the predicted claims that state a figure, relative and without sign; None where none does."""
    largest_error: float | None
    trends: int
    trends_shown: int


def tally(judged: Sequence[Judged]) -> Tally:
    """Count the verdicts on the claims of a study."""
    predicted = [item for item in judged if item.claim.counted]
    errors = sorted(abs(item.error) for item in predicted if item.error is not None)
    trends = [item for item in judged if item.claim.role == "trend"]
    return Tally(
        claims=len(judged),
        predicted=len(predicted),
        met=sum(item.verdict == "met" for item in predicted),
        missed=sum(item.verdict == "missed" for item in judged),
        median_error=median(errors) if errors else None,
        largest_error=errors[-1] if errors else None,
        trends=len(trends),
        trends_shown=sum(item.verdict == "met" for item in trends),
    )


def validate_report(study: str = "", asserted: Sequence[str] = ()) -> Report:
    """Hold the published figures of a study of the catalog, or of all of them, against their models.

    study     its name; empty for every study of the catalog, which are told one after the other.
    asserted  conditions on the numbers of `Tally` that every study must meet, such as "median_error < 3 %".
    Returns   a row for every claim. Claims that are missed, and conditions that are not met, stand in `broken`.
    Raises    `UsageError` for a study that is not there, `InvalidInput` for what is wrong with one.
    """
    conditions(asserted, None, dict.fromkeys(Tally.fields(), NUMBER))
    found = [validate(item) for item in load_studies(study)]
    several = len(found) > 1
    notes = tuple(Note("QN603", _before(item, several) + summary(item.judged)) for item in found)
    broken = tuple(problem for item in found for problem in _broken(item, asserted, several))
    bases = [Basis(item.models[0], study=item.study.id, source=item.study.source) for item in found]
    title = f"{len(found)} studies of the catalog" if several else found[0].study.title
    meta = {"studies": [dict(item) for item in bases]} if several else bases[0]
    rows = [row for item in found for row in _rows(item)]
    return Report("qnet/validation/1", title, COLUMNS, rows, notes, meta, group="study", broken=broken)


def _rows(found: Validation) -> Iterator[tuple[Cell, ...]]:
    for item in found.judged:
        yield (
            found.study.id,
            item.claim.id,
            item.claim.metric or None,
            item.claim.role,
            item.stated,
            item.modelled,
            item.unit or None,
            None if item.error is None else 100 * item.error,
            None if item.tolerance is None else 100 * item.tolerance,
            item.verdict,
            _remark(item.claim),
        )


def _remark(claim: Claim) -> str | None:
    """What there is to say of a claim beside its figures: why it is missed, what it sets, with what it counts."""
    parts = [f"missed: {claim.miss}" if claim.miss else "", f"sets {claim.sets}" if claim.sets else ""]
    parts.append(f"counts with {claim.counts_with}" if claim.counts_with else "")
    parts += ["by construction" if claim.by_construction else "", claim.remark]
    return "; ".join(part for part in parts if part) or None


def _broken(found: Validation, asserted: Sequence[str], several: bool) -> Iterator[Problem]:
    """What is missed, and what is asserted and false."""
    before = _before(found, several)
    missed = [item.claim.id for item in found.judged if item.broken]
    if missed:
        claims = "1 claim" if len(missed) == 1 else f"{len(missed)} claims"
        yield Problem("QN604", f"{before}{claims} missed: {', '.join(missed)}")
    counted = dict(zip(Tally.fields(), tally(found.judged), strict=True))
    values = {name: [float("nan") if value is None else float(value)] for name, value in counted.items()}
    for problem in false_of(Told(values, dict.fromkeys(values, NUMBER)), asserted):
        yield problem.replace(found=before + problem.found)


def _before(found: Validation, several: bool) -> str:
    return f"{found.study.id}: " if several else ""


def summary(judged: Sequence[Judged]) -> str:
    """One line that counts the claims by role and tells how the predictions fare."""
    roles: dict[str, int] = {}
    for item in judged:
        roles[item.claim.role] = roles.get(item.claim.role, 0) + 1
    counts = ", ".join(f"{number} {role}" for role, number in roles.items())
    found = tally(judged)
    words = f"{len(judged)} claims: {counts}; {found.met} of {found.predicted} predictions met"
    if found.median_error is not None and found.largest_error is not None:
        words += f", median error {100 * found.median_error:.1f} %, largest {100 * found.largest_error:.1f} %"
    return words + (f"; {found.trends_shown} of {found.trends} trends shown" if found.trends else "")
