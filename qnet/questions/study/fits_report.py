"""The report of `qnet validate --fits`: fitted parameters, free choices, and the intervals of predictions over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isfinite

from qnet.questions.study.influences import Influences, InputMoves, influences
from qnet.questions.study.load import load_studies
from qnet.questions.study.refit import ParameterUncertainty, Refit, parameter_uncertainties, refits
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
"""A row is a fitted parameter with its intervals, a free choice, or a prediction with its interval over the free
choices; values are in the `unit` of the row."""

FITS, CHOICES, PREDICTIONS = "fits", "free choices", "predictions over the free choices"
_MOST = 3
"""The largest number of contradicting claims that are named."""
_row = row_maker(COLUMNS)


class Freedom(Record):
    """The fitted parameters and free choices of a study, and the fits with other choices."""

    validation: Validation
    uncertainties: tuple[ParameterUncertainty, ...]
    """One for each fitted parameter on which the figure of its claim depends."""
    refits: tuple[Refit, ...]
    influences: Influences

    def interval(self, claim: str) -> tuple[float, float] | None:
        """The interval of a prediction over the free choices, in base units.

        None if no fit with another choice converged and computed it, and if it has no answer with the choices made.
        """
        item = self.influences.claims.get(claim)
        result = [one.figures[claim] for one in self.refits if one.converged and claim in one.figures]
        if not result or item is None or not isfinite(item.value):
            return None
        return min(item.value, *result), max(item.value, *result)


def freedom(study: Study, judged: Validation | None = None) -> Freedom:
    """Fit a study again with every alternative of its free choices, and compute the uncertainties of its fits.

    judged   the validation of the study, if it is known already.
    """
    judged = judged or validate(study)
    result = judged.influences
    if result is None:
        computer = Computer(study)
        computer.enter_claims()
        input_moves = InputMoves(computer)
        result = influences(input_moves, computer.figures(), value_of)
    selected = [item for item in judged.judged if item.separate]
    again = refits(study, result, [item.claim for item in selected if item.claim.id in result.claims])
    errors = {item.claim.id: item.error for item in selected}
    return Freedom(judged, tuple(parameter_uncertainties(study, result, again, errors)), tuple(again), result)


def fits_report(study: str = "", progress: Callable[[int, int], None] | None = None) -> Report:
    """The fits and the free choices of a study of the catalog, or of all studies.

    study     its name; empty for all of them.
    progress  called after each study with the number of studies done, and the total.
    Returns   a row for every fitted parameter (its value, and its intervals by the printed digits of all fitted claims,
              by the free choices, and by single predictions), for every free choice, and for every prediction that is
              computed with other choices, with its interval.
    Raises    `UsageError` for a study that does not exist, `InvalidInput` for an invalid study.
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
    fits = counted(sum(len(free.uncertainties) for _, free in result), "fitted parameter")
    choices = counted(sum(len(item.choices) for item, _ in result), "free choice")
    predictions = counted(sum(item.counted for _, free in result for item in free.validation.judged), "prediction")
    failed = [f"{one.choice} = {one.alternative}" for _, free in result for one in free.refits if not one.converged]
    number = sum(choice.varied for item, _ in result for choice in item.choices)
    varied = f"{number} of them varied: intervals are over these alone" if number else "none of them varied"
    notes = [Note("QN603", f"{predictions}, {fits}, {choices}, {varied}")]
    if failed:
        notes.append(Note("QN746", f"the fit does not converge with: {', '.join(failed)}", "warning"))
    title = studies[0].title if study else f"{len(studies)} studies of the catalog"
    meta = {"studies": [{"study": item.id, "source": item.source} for item in studies]}
    return Report(
        schema="qnet/fits/1", title=title, columns=COLUMNS, rows=rows, notes=tuple(notes), meta=meta, group="section"
    )


def _fits(study: Study, free: Freedom) -> Iterator[tuple[Cell, ...]]:
    """The rows of fitted parameters: those with a number, then choices of a word."""
    for item in free.uncertainties:
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
    numbers = {item.parameter for item in free.uncertainties}
    for claim in study.claims:
        if claim.role == "fitted" and claim.sets and claim.sets not in numbers:
            stated = claim.stated or claim.at_most or claim.at_least
            yield _row(
                section=FITS, study=study.id, parameter=claim.sets, claim=claim.id, stated=stated, value="a word"
            )


def _stated(item: ParameterUncertainty) -> str:
    """The figure or bound that a parameter was fitted on, as printed."""
    claim = item.claim
    return claim.stated or (f"at most {claim.at_most}" if claim.at_most else f"at least {claim.at_least}")


def _named(claims: Sequence[str]) -> str | None:
    """The first claims of a list by id, and the number of the others; None for an empty list."""
    if not claims:
        return None
    more = f" and {len(claims) - _MOST} more" if len(claims) > _MOST else ""
    return ", ".join(claims[:_MOST]) + more


def _choices(study: Study, free: Freedom) -> Iterator[tuple[Cell, ...]]:
    """The rows of free choices."""
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
    """The rows of predictions with an interval over the free choices."""
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
