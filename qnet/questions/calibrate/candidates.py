"""Several models of one system, ranked by what each says of rows that it was not fitted on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.errors import InvalidInput, NoAnswer, NotComputed, Problem, QnetError, UsageError, suggest
from qnet.lazy import np
from qnet.model.metrics import column_key
from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.calibrate.calibrate import SEARCHES, Calibration, calibrate
from qnet.questions.calibrate.measured import measured
from qnet.questions.calibrate.predict import leave_one_out
from qnet.questions.calibrate.report import fitted_with
from qnet.questions.map.tables import Rows, read_table
from qnet.questions.presentation.labels import all_exact, label
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
"""Errors are root mean squares of ln(modelled / measured), or of differences as shares of the mean of their metric:
of the rows that are fitted on, of each of them by a fit without it, and of rows that are held out. `worst_row` is the
row with the largest error when it is left out; `scatter` that of the residuals over stated errors."""

OK = "ok"
_ALIKE = 1.1
"""The ratio of errors up to which two models are said to be as good."""


class Candidate(Record):
    """One of several models, fitted."""

    model: Model
    found: Calibration | None
    """None where it has no fit."""
    left_out: Any
    """Residuals (rows, metrics) of rows left out; None where there are too few, or no fit."""
    status: str

    @property
    def error(self) -> float:
        """The leave-one-out error; infinite where there is none."""
        if self.found is None or self.left_out is None:
            return float("inf")
        return root_mean_square(self.left_out[self.found.used])


def root_mean_square(values: Any) -> float:
    """Of some residuals; infinite where any of them is not known, not-a-number of none."""
    if not len(values):
        return float("nan")
    return float(np.sqrt((values**2).mean())) if np.isfinite(values).all() else float("inf")


def candidates(
    models: Sequence[Model],
    source: Rows,
    fit: Sequence[str],
    metrics: Sequence[str] = (),
    between: Sequence[str] = (),
    hold_out: str = "",
    absolute: bool = False,
    searches: int = SEARCHES,
    wanted: Wanted = AUTO,
    error: Sequence[str] = (),
) -> tuple[Candidate, ...]:
    """Several models fitted to the same measurements, the one first that errs least at rows left out in turn.

    fit, between   of each model those that it has; every name must be a parameter of one of them.
    metrics        what to fit on; none: every column that all models have a figure for.
    others         as `calibrate`.
    Returns        models without an answer last, with what stands against them.
    Raises         `UsageError` for names that no model has; what the last model says where none has a fit.
    Method         `calibrate_predict.leave_one_out`. Source: M. Stone, Cross-validatory choice and assessment of
                   statistical predictions, J. Roy. Statist. Soc. B 36 (1974) 111-147.
    """
    table = read_table(source)
    rows = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    problems: list[Problem] = []
    for name in dict.fromkeys(fit):
        if not any(name in model.parameters for model in models):
            known = sorted({item for model in models for item, each in model.parameters.items() if not each.part})
            help = suggest(name, known)
            problems.append(Problem("QN004", f'no candidate has a parameter "{name}"', help=help))
    for model in models if not problems else ():
        if not any(name in model.parameters for name in fit):
            found = f"{model.name} has none of the parameters that are to be fitted"
            problems.append(Problem("QN027", found, "one of them at least", help="take it out of the candidates"))
    if problems:
        raise UsageError(*problems)
    common = list(metrics) or _common(models, table, fit)
    ranked: list[Candidate] = []
    failures: list[QnetError] = []
    for model in models:
        names = [name for name in fit if name in model.parameters]
        own = [text for text in between if text.partition("=")[0].strip() in names]
        asked = (common, own, hold_out, absolute, searches, wanted, error)
        try:
            fitted = calibrate(model, source if isinstance(source, str) and source != "-" else rows, names, *asked)
        except (NotComputed, NoAnswer, InvalidInput) as failure:
            failures.append(failure)
            problem = failure.problems[0]
            ranked.append(Candidate(model, None, None, f"{problem.found} [{problem.code}]"))
            continue
        left_out = leave_one_out(fitted.target, fitted.minimum)
        ranked.append(Candidate(model, fitted, left_out, _status(fitted, left_out)))
    if failures and len(failures) == len(models):
        raise failures[-1]
    return tuple(sorted(ranked, key=lambda item: (item.found is None, item.error)))


def _common(models: Sequence[Model], table: Any, fit: Sequence[str]) -> list[str]:
    """The metrics that every candidate has a column for; all where they have the same ones."""
    found: list[dict[str, str]] = []
    for model in models:
        names = [name for name in fit if name in model.parameters]
        found.append({item.key: item.source for item in measured(model, table, names, (), "").metrics})
    common = [source for key, source in found[0].items() if all(key in other for other in found)]
    if not common:
        raise InvalidInput(Problem("QN250", "no column is a figure of all candidates", "one", file=table.name))
    return common


def _status(found: Calibration, left_out: Any) -> str:
    if left_out is None:
        return "too few rows to leave one out"
    if root_mean_square(left_out[found.used]) == float("inf"):
        row = int(np.argwhere(found.used & ~np.isfinite(left_out))[0][0])
        return f"no answer at row {row + 1}, when it is left out"
    return OK if found.tested else "no degrees of freedom"


def candidates_report(found: Sequence[Candidate], more: Sequence[Note] = ()) -> Report:
    """Tell candidates, the best first."""
    rows = [_row(place, item) for place, item in enumerate(found)]
    best = [item for item in found if item.error < float("inf")]
    name = found[0].found.measured.table.name if found[0].found else ""
    data = {"candidates": [{"name": item.model.name, "digest": item.model.digest} for item in found]}
    return Report(
        schema="qnet/candidates/1",
        title=f"{len(found)} models of {name}, by their error at rows left out in turn",
        columns=COLUMNS,
        rows=rows,
        notes=(*_notes(found, best), *more),
        meta=data,
    )


def _row(place: int, item: Candidate) -> tuple[Cell, ...]:
    found = item.found
    if found is None:
        return (None, item.model.name, *(None,) * 8, item.status, None, None)
    worst = None
    if item.left_out is not None and item.error < float("inf"):
        worst = int(np.nanargmax(np.nan_to_num(item.left_out**2).sum(axis=1))) + 1
    held = np.isfinite(found.measured.values) & found.measured.held_out[:, None]
    answers = found.answers
    return (
        place + 1 if item.error < float("inf") else None,
        item.model.name,
        fitted_with(found),
        len(found.parameters),
        found.target.count,
        _number(root_mean_square(found.residuals[found.used])),
        _number(item.error),
        worst,
        _number(root_mean_square(found.residuals[held])),
        found.scatter.ratio if found.target.stated else None,
        item.status,
        ", ".join(answers.methods),
        label(all_exact(found.model, [metric.expression for metric in found.measured.metrics], answers.parts)),
    )


def _number(value: float) -> float | None:
    return value if abs(value) < float("inf") else None


def _notes(found: Sequence[Candidate], best: Sequence[Candidate]) -> list[Note]:
    first = next((item.found for item in found if item.found is not None), None)
    notes: list[Note] = []
    if first is not None:
        names = ", ".join(column_key(item.source) for item in first.measured.metrics)
        text = f"ranked by the error of {names} at each row by a fit without it; all are fitted on the same cells"
        notes.append(Note("QN698", text))
    if len(best) > 1 and best[1].error <= _ALIKE * best[0].error:
        near = [item.model.name for item in best[1:] if item.error <= _ALIKE * best[0].error]
        text = f"these rows hardly distinguish {best[0].model.name} from {', '.join(near)}"
        notes.append(Note("QN698", text, "warning", "measure where they differ"))
    smallest = min(best, key=lambda item: _fitted(item), default=None)
    if smallest is not None and smallest is not best[0] and _fitted(smallest) < _fitted(best[0]):
        text = f"{smallest.model.name} has the smallest residuals, and not the smallest error at rows left out"
        notes.append(Note("QN698", text))
    missing = len(found) - len(best)
    if missing:
        notes.append(
            Note("QN602", f"{missing} of {len(found)} candidates have no rank; their status says why", "warning")
        )
    return notes


def _fitted(item: Candidate) -> float:
    return root_mean_square(item.found.residuals[item.found.used]) if item.found else float("inf")
