"""What a study was free in, as a report: its fits, how well each is determined, its choices, and what they move."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from qnet.questions.study.influences import Begun, Influences, influences
from qnet.questions.study.load import load_studies
from qnet.questions.study.refit import ParameterUncertainty, Refit, doubts, refits
from qnet.questions.study.study import Study
from qnet.questions.study.tally import counted
from qnet.questions.study.validate import Validation, validate, value_of
from qnet.questions.study.validate_points import Computer
from qnet.record import Record
from qnet.reports.content import Cell, Column, Note, row_maker
from qnet.reports.report import Report
from qnet.units import base_unit, in_unit

COLUMNS = (
    Column("section", "section"),
    Column("study", "study"),
    Column("parameter", "parameter"),
    Column("choice", "choice"),
    Column("kind", "kind"),
    Column("claim", "claim"),
    Column("stated", "stated"),
    Column("value", "value"),
    Column("unit", "unit"),
    Column("digits_low", "printed digits from"),
    Column("digits_high", "to"),
    Column("choices_low", "free choices from"),
    Column("choices_high", "to"),
    Column("implied_low", "other rows imply from"),
    Column("implied_high", "to"),
    Column("contradicted_by", "contradicted by"),
    Column("chosen", "chosen"),
    Column("alternatives", "could be"),
    Column("why", "why it is free"),
)
"""A row is a fitted parameter, a free choice, or a prediction with what the free choices make of it; values are in the
`unit` of the row."""

FITS, CHOICES, PREDICTIONS = "fits", "free choices", "predictions over the free choices"
_MOST = 3
"""The most contradicting claims that are named."""
_row = row_maker(COLUMNS)


class Freedom(Record):
    """What a study was free in."""

    validation: Validation
    doubts: tuple[ParameterUncertainty, ...]
    refits: tuple[Refit, ...]
    influences: Influences

    def interval(self, claim: str) -> tuple[float, float] | None:
        """What the free choices make of a prediction, in base units; None where none of them is varied."""
        item = self.influences.claims.get(claim)
        result = [one.figures[claim] for one in self.refits if one.converged and claim in one.figures]
        if not result or item is None:
            return None
        return min(item.value, *result), max(item.value, *result)


def freedom(study: Study, judged: Validation | None = None) -> Freedom:
    """Fit a study again with every free choice made otherwise, and look how well its fits are determined."""
    judged = judged or validate(study)
    result = judged.influences
    if result is None:
        computer = Computer(study)
        computer.enter_claims()
        begun = Begun(computer)
        result = influences(begun, computer.figures(), value_of)
    selected = [item for item in judged.judged if item.separate]
    again = refits(study, result, [item.claim for item in selected if item.claim.id in result.claims])
    errors = {item.claim.id: item.error for item in selected}
    return Freedom(judged, tuple(doubts(study, result, again, errors)), tuple(again), result)


def fits_report(study: str = "", progress: Callable[[int, int], None] | None = None) -> Report:
    """The fits and the free choices of a study of the catalog, or of all of them for no name.

    progress  called with the number of studies done, and the total.
    Returns   a row for every fitted parameter (its value, and the intervals that the printed digits of all fitted
              claims, the free choices, and single predictions leave), for every free choice, and for every prediction
              with what the free choices make of it.
    Raises    `UsageError` for a study that is not there, `InvalidInput` for what is wrong with one.
    """
    studies = load_studies(study)
    result: list[tuple[Study, Freedom]] = []
    for item in studies:
        result.append((item, freedom(item)))
        if progress:
            progress(len(result), len(studies))
    rows: list[tuple[Cell, ...]] = []
    for section in (_fits, _choices, _predictions):
        rows += [row for item, free in result for row in section(item, free)]
    fits = counted(sum(len(free.doubts) for _, free in result), "fitted parameter")
    choices = counted(sum(len(item.choices) for item, _ in result), "free choice")
    particular = counted(sum(item.counted for _, free in result for item in free.validation.judged), "prediction")
    lost = [f"{one.choice} = {one.alternative}" for _, free in result for one in free.refits if not one.converged]
    varied = sum(choice.varied for item, _ in result for choice in item.choices)
    rest = f"{varied} of them varied: intervals rest on these alone" if varied else "none of them varied"
    notes = [Note("QN603", f"{particular}, {fits}, {choices}, {rest}")]
    if lost:
        notes.append(Note("QN746", f"not fitted again: {', '.join(lost)}", "warning"))
    title = studies[0].title if study else f"{len(studies)} studies of the catalog"
    meta = {"studies": [{"study": item.id, "source": item.source} for item in studies]}
    return Report(
        schema="qnet/fits/1", title=title, columns=COLUMNS, rows=rows, notes=tuple(notes), meta=meta, group="section"
    )


def _fits(study: Study, free: Freedom) -> Iterator[tuple[Cell, ...]]:
    for item in free.doubts:
        given = free.influences.inputs.get((item.parameter, item.value))
        ends = {"digits": item.digits, "choices": item.choices, "implied": item.implied}
        yield _row(
            section=FITS,
            study=study.id,
            parameter=item.parameter,
            claim=item.claim.id,
            stated=_stated(item),
            value=item.value,
            unit=(base_unit(given.dimension) if given else "") or None,
            contradicted_by=_named(item.contradicted),
            **{f"{name}_low": pair[0] for name, pair in ends.items() if pair},
            **{f"{name}_high": pair[1] for name, pair in ends.items() if pair},
        )
    words = [claim for claim in study.claims if claim.role == "fitted" and claim.sets]
    known = {item.parameter for item in free.doubts}
    for claim in words:
        if claim.sets not in known:
            reported = claim.stated or claim.at_most or claim.at_least
            yield _row(
                section=FITS, study=study.id, parameter=claim.sets, claim=claim.id, stated=reported, value="a word"
            )


def _stated(item: ParameterUncertainty) -> str:
    claim = item.claim
    return claim.stated or (f"at most {claim.at_most}" if claim.at_most else f"at least {claim.at_least}")


def _named(claims: Sequence[str]) -> str | None:
    if not claims:
        return None
    more = f" and {len(claims) - _MOST} more" if len(claims) > _MOST else ""
    return ", ".join(claims[:_MOST]) + more


def _choices(study: Study, free: Freedom) -> Iterator[tuple[Cell, ...]]:
    for item in study.choices:
        yield _row(
            section=CHOICES,
            study=study.id,
            choice=item.id,
            kind=item.kind,
            parameter=item.parameter or None,
            claim=item.claim or None,
            chosen=item.chosen,
            alternatives="; ".join(item.alternatives),
            why=item.why,
        )


def _predictions(study: Study, free: Freedom) -> Iterator[tuple[Cell, ...]]:
    for item in free.validation.judged:
        ends = free.interval(item.claim.id) if item.separate else None
        if ends is None:
            continue
        yield _row(
            section=PREDICTIONS,
            study=study.id,
            claim=item.claim.id,
            stated=item.stated,
            value=item.modelled,
            unit=item.unit or None,
            choices_low=in_unit(ends[0], item.unit),
            choices_high=in_unit(ends[1], item.unit),
        )
