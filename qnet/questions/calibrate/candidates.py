"""Several models of one system, ranked by their errors at rows that they were not fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.errors import InvalidInput, NoAnswer, NotComputed, Problem, QnetError, UsageError, suggest
from qnet.lazy import np
from qnet.model.column_names import column_key
from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.calibrate.calibrate import SEARCHES, Calibration, calibrate
from qnet.questions.calibrate.measured import measured
from qnet.questions.calibrate.predict import leave_one_out
from qnet.questions.calibrate.report import fitted_with
from qnet.questions.map.tables import DataTable, Rows, read_table
from qnet.questions.presentation.labels import all_exact, label, method_list
from qnet.record import Record
from qnet.reports.content import Cell, Column, Note
from qnet.reports.report import Report

COLUMNS = (
    Column("rank", "rank"),
    Column("model", "model"),
    Column("fitted", "fitted"),
    Column("parameters", "parameters"),
    Column("measurements", "measurements"),
    Column("error_fitted", "error, fitted"),
    Column("error_left_out", "error, left out"),
    Column("worst_row", "worst row"),
    Column("error_held_out", "error, held out"),
    Column("scatter", "scatter"),
    Column("status", "status"),
    Column("method", "method"),
    Column("exactness", "exactness"),
)
"""Errors are root mean squares of ln(modelled / measured), or of differences relative to the mean of their metric: at
the fitted rows, at each of them by a fit without it, and at held-out rows. `worst_row` is that with the largest error
when it is left out; `scatter` is that of the residuals over stated errors."""

OK = "ok"
_CLOSE = 1.1
"""The ratio of errors up to which two models count as equally good."""


class Candidate(Record):
    """One of several models, fitted."""

    model: Model
    fit: Calibration | None
    """The fit; None where there is none."""
    left_out: Any
    """Leave-one-out residuals (rows, metrics); None where there are too few rows, or no fit."""
    status: str

    @property
    def error(self) -> float:
        """The leave-one-out error; infinite where there is none."""
        if self.fit is None or self.left_out is None:
            return float("inf")
        return root_mean_square(self.left_out[self.fit.used])


def root_mean_square(values: Any) -> float:
    """The root mean square of `values`; infinite where any is not finite, NaN for an empty array."""
    if not len(values):
        return float("nan")
    return float(np.sqrt((values**2).mean())) if np.isfinite(values).all() else float("inf")


def candidates(
    models: Sequence[Model],
    source: Rows | DataTable,
    fit: Sequence[str],
    metrics: Sequence[str] = (),
    between: Sequence[str] = (),
    hold_out: str = "",
    absolute: bool = False,
    searches: int = SEARCHES,
    wanted: Wanted = AUTO,
    error: Sequence[str] = (),
    strict: bool = False,
) -> tuple[Candidate, ...]:
    """Several models fitted to the same measurements, ranked by their error at rows left out in turn, the best first.

    models         at least one model.
    source         a CSV file, or rows, as for `calibrate`; or a table that was read.
    fit, between   parameters and ranges, of which each model uses those that it has; every name must be in a model.
    metrics        the metrics to fit; none: every column that all models have a figure for.
    searches       the number of starts of each fit, as `starts` of `calibrate`.
    hold_out, absolute, wanted, error, strict   as for `calibrate`, the same for every model.
    Returns        the candidates; models without a fit are last, with the reason as their status.
    Raises         `UsageError` for names that no model has; the error of the last model where none has a fit.
    Method         `predict.leave_one_out`. Source: M. Stone, Cross-validatory choice and assessment of
                   statistical predictions, J. Roy. Statist. Soc. B 36 (1974) 111-147.
    """
    table = source if isinstance(source, DataTable) else read_table(source)
    _refuse_unfit(models, fit)
    table = _readable(models, table, fit, metrics, error)
    if strict:
        table.refuse_unread()
    common = list(metrics) or _common(models, table, fit)
    ranked: list[Candidate] = []
    failures: list[QnetError] = []
    for model in models:
        names = [name for name in fit if name in model.parameters]
        ranges = [text for text in between if text.partition("=")[0].strip() in names]
        asked = (common, ranges, hold_out, absolute, searches, wanted, error)
        try:
            fitted = calibrate(model, table, names, *asked)
        except (NotComputed, NoAnswer, InvalidInput) as failure:
            failures.append(failure)
            problem = failure.problems[0]
            ranked.append(Candidate(model, None, None, f"{problem.found} [{problem.code}]"))
            continue
        left_out = leave_one_out(fitted.target, fitted.minimum)
        ranked.append(Candidate(model, fitted, left_out, _status(fitted, left_out)))
    if failures and len(failures) == len(models):
        raise failures[-1]
    return tuple(sorted(ranked, key=lambda item: (item.fit is None, item.error)))


def _refuse_unfit(models: Sequence[Model], fit: Sequence[str]) -> None:
    """Raise `UsageError` for parameters that no model has, and for models without any of them."""
    problems: list[Problem] = []
    for name in dict.fromkeys(fit):
        if not any(name in model.parameters for model in models):
            known = sorted({item for model in models for item, each in model.parameters.items() if not each.part})
            help = suggest(name, known)
            problems.append(Problem("QN004", f'no candidate has a parameter "{name}"', help=help))
    for model in models if not problems else ():
        if not any(name in model.parameters for name in fit):
            sentence = f"{model.name} has none of the parameters that are to be fitted"
            problems.append(Problem("QN027", sentence, "at least one of them", help="remove it from the candidates"))
    if problems:
        raise UsageError(*problems)


def _readable(
    models: Sequence[Model], table: DataTable, fit: Sequence[str], metrics: Sequence[str], error: Sequence[str]
) -> DataTable:
    """The table without the rows that some model cannot read, so that all are fitted to the same rows."""
    for model in models:
        names = [name for name in fit if name in model.parameters]
        try:
            table = measured(model, table, names, metrics, "", error).table
        except (InvalidInput, UsageError):
            continue  # Reported when this model is fitted.
    return table


def _common(models: Sequence[Model], table: Any, fit: Sequence[str]) -> list[str]:
    """The metrics for which every candidate has a column."""
    result: list[dict[str, str]] = []
    for model in models:
        names = [name for name in fit if name in model.parameters]
        result.append({item.key: item.source for item in measured(model, table, names, (), "").metrics})
    common = [source for key, source in result[0].items() if all(key in other for other in result)]
    if not common:
        raise InvalidInput(Problem("QN250", "no column is a figure of all candidates", "one", file=table.name))
    return common


def _status(calibration: Calibration, left_out: Any) -> str:
    if left_out is None:
        return "too few rows to leave one out"
    if root_mean_square(left_out[calibration.used]) == float("inf"):
        row = int(np.argwhere(calibration.used & ~np.isfinite(left_out))[0][0])
        return f"no answer at row {calibration.measured.table.numbers[row]}, when it is left out"
    return OK if calibration.tested else "no degrees of freedom"


def candidates_report(result: Sequence[Candidate], more: Sequence[Note] = ()) -> Report:
    """The report of candidate models, a row for each in the order of `result`, which is the best first.

    more   notes of the caller, after those on the ranking.
    """
    rows = [_row(index, item) for index, item in enumerate(result)]
    best = [item for item in result if item.error < float("inf")]
    name = result[0].fit.measured.table.name if result[0].fit else ""
    data = {"candidates": [{"name": item.model.name, "digest": item.model.digest} for item in result]}
    return Report(
        schema="qnet/candidates/1",
        title=f"{len(result)} models of {name}, by their error at rows left out in turn",
        columns=COLUMNS,
        rows=rows,
        notes=(*_notes(result, best), *more),
        meta=data,
    )


def _row(index: int, item: Candidate) -> tuple[Cell, ...]:
    result = item.fit
    if result is None:
        return (None, item.model.name, *(None,) * 8, item.status, None, None)
    worst = None
    if item.left_out is not None and item.error < float("inf"):
        worst = result.measured.table.numbers[int(np.nanargmax(np.nan_to_num(item.left_out**2).sum(axis=1)))]
    held = np.isfinite(result.measured.values) & result.measured.held_out[:, None]
    answers = result.answers
    return (
        index + 1 if item.error < float("inf") else None,
        item.model.name,
        fitted_with(result),
        len(result.parameters),
        result.target.count,
        _number(root_mean_square(result.residuals[result.used])),
        _number(item.error),
        worst,
        _number(root_mean_square(result.residuals[held])),
        result.scatter.ratio if result.target.stated else None,
        item.status,
        method_list(answers.methods),
        label(all_exact(result.model, [metric.expression for metric in result.measured.metrics], answers.parts)),
    )


def _number(value: float) -> float | None:
    return value if abs(value) < float("inf") else None


def _notes(result: Sequence[Candidate], best: Sequence[Candidate]) -> list[Note]:
    first = next((item.fit for item in result if item.fit is not None), None)
    notes: list[Note] = []
    if first is not None:
        names = ", ".join(column_key(item.source) for item in first.measured.metrics)
        text = f"ranked by the error of {names} at each row, by a fit without it; all are fitted to the same cells"
        notes += [Note("QN698", text), *first.measured.table.notes()]
    if len(best) > 1 and best[1].error <= _CLOSE * best[0].error:
        near = [item.model.name for item in best[1:] if item.error <= _CLOSE * best[0].error]
        text = f"these rows hardly distinguish {best[0].model.name} from {', '.join(near)}"
        notes.append(Note("QN698", text, "warning", "measure where they differ"))
    smallest = min(best, key=lambda item: _fitted(item), default=None)
    if smallest is not None and smallest is not best[0] and _fitted(smallest) < _fitted(best[0]):
        text = f"{smallest.model.name} has the smallest residuals, and not the smallest error at rows left out"
        notes.append(Note("QN698", text))
    missing = len(result) - len(best)
    if missing:
        notes.append(
            Note("QN602", f"{missing} of {len(result)} candidates have no rank; their status says why", "warning")
        )
    return notes


def _fitted(item: Candidate) -> float:
    return root_mean_square(item.fit.residuals[item.fit.used]) if item.fit else float("inf")
