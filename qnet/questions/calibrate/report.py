"""The report of a calibration: the parameters, their correlations, the summary of the fit, and every row.

Its notes name what the measurements do not determine: parameters that cannot be distinguished, have no effect, or are
at an end of their range.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from qnet.lazy import np
from qnet.model.model import Model
from qnet.model.rewrite import FitUncertainty
from qnet.networks.reasons import approximate_notes
from qnet.questions.calibrate.calibrate import PROFILE, Calibration, FittedParameter, calibrate, fitted_point
from qnet.questions.calibrate.errors import NORMAL, PRINTED, SCATTER, SHARE, STATED, UNKNOWN
from qnet.questions.calibrate.measured import described
from qnet.questions.calibrate.shape import read_shaped
from qnet.questions.map.tables import Rows
from qnet.questions.points.answers import OK
from qnet.questions.points.points import solve_points
from qnet.questions.presentation.assertions import broken, conditions
from qnet.questions.presentation.columns import declared_unit
from qnet.questions.presentation.labels import all_exact, label, method_list, percentile_notes
from qnet.questions.presentation.provenance import Basis
from qnet.reports.content import Cell, Column, Note
from qnet.reports.report import Report
from qnet.units import format_number, format_quantity, in_unit

COLUMNS = (
    Column("scope", "scope"),
    Column("name", "name"),
    Column("row", "row"),
    Column("at", "at"),
    Column("use", "use"),
    Column("stated", "stated", unit_in="unit"),
    Column("value", "value", unit_in="unit"),
    Column("standard_error", "standard error", unit_in="unit"),
    Column("low", "low", unit_in="unit"),
    Column("high", "high", unit_in="unit"),
    Column("measured", "measured", unit_in="unit"),
    Column("modelled", "modelled", unit_in="unit"),
    Column("residual", "residual", unit_in="unit"),
    Column("relative", "relative"),
    Column("unit", "unit"),
    Column("interval", "interval"),
    Column("status", "status"),
    Column("method", "method", footed=True),
    Column("exactness", "exactness", footed=True),
)
"""`scope` is `parameter`, `correlation`, `summary` or `row`, and `row` the number of a row of data. `stated` is the
value in the model; `low` and `high` are the ends of the 95 % interval, empty where it is open, and `interval` is
`linear` or `profile`; for a held-out row they are the ends of its prediction interval. A row that cannot be read has
its text at `at`, and the reason at `status`. `residual` is modelled less measured, `relative` that over measured.
Parameters are in base units, metrics in their display units."""

FITTED, HELD_OUT, NOT_READ = "fitted", "held out", "not read"
_MOST_NAMED = 4
"""Most further minima that a note names; a choice of wording."""


def ask_calibrate(
    model: Model, measured: Rows, column: Sequence[str], melt: Sequence[str], **asked: Any
) -> Report:  # fmt: skip
    """The report of a fit to measurements; arguments as of `System.calibrate`.

    asked  the arguments of `calibrate`.
    """
    return calibration_report(calibrate(model, read_shaped(measured, column, melt, model), **asked))


def calibration_report(calibration: Calibration, asserted: Sequence[str] = (), more: Sequence[Note] = ()) -> Report:
    """The report of a calibration.

    asserted  conditions that the model must meet with the fitted values, everything else as stated; those that are
              false stand in `broken` of the report.
    more      further notes.
    """
    model, answers = calibration.model, calibration.answers
    claimed = conditions(asserted, model)
    point = fitted_point(calibration)
    exact = all_exact(model, [item.expression for item in calibration.measured.metrics], answers.parts)
    trust = (method_list(answers.methods), label(exact))
    stopped = calibration.stopped
    status = stopped.status if stopped else ""
    parameters = [_parameter(item, status or standing(item, calibration.tested)) for item in calibration.parameters]
    rows = [
        *parameters,
        *(_correlations(calibration) if not stopped else ()),
        *_summary(calibration),
        *_rows(calibration),
        *_unread(calibration),
    ]
    failing = tuple(broken(solve_points(model, point), claimed)) if claimed else ()
    return Report(
        schema="qnet/calibration/1",
        title=f"{model.title}: {', '.join(point)} from {calibration.measured.table.name}",
        columns=COLUMNS,
        rows=[(*row, *trust) for row in rows],
        readable=[(*_declared(model, row), *trust) for row in rows],
        notes=(*_notes(calibration), *more),
        meta=Basis(model, trust[0], exact, measured=_data(calibration), fitted=point),
        group="scope",
        broken=failing,
    )


def _data(calibration: Calibration) -> dict[str, Any]:
    """The record of the measurements, for the meta data."""
    table = calibration.measured.table
    return {"name": table.name, "digest": table.digest or None, "rows": len(table.rows)}


def fitted_on(calibration: Calibration) -> str:
    """The measurements of a calibration in one line: file, columns, number of rows, and digest."""
    table = calibration.measured.table
    used = int(calibration.used.any(axis=1).sum())
    name = table.name.rpartition("/")[2]
    metrics = ", ".join(item.source for item in calibration.measured.metrics)
    text = f"{name}: {metrics} in {used} of {len(table.rows)} rows"
    return f"{text}, sha256 {table.digest}" if table.digest else text


def doubt_of(calibration: Calibration) -> FitUncertainty:
    """The uncertainty of the fitted parameters of a calibration, for the model that is written with them.

    Returns   standard errors in base units and correlations, for the parameters that have them; the errors are those
              for which a normal or Student's interval has the computed width.
    """
    errors: dict[str, float] = {}
    indices: dict[str, int] = {}
    for index, item in enumerate(calibration.parameters):
        error = _known_error(calibration, item)
        if error is not None:
            errors[item.unknown.name], indices[item.unknown.name] = error, index
    names = list(errors)
    matrix = calibration.spread.correlation
    pairs = {
        (one, other): value
        for number, one in enumerate(names)
        for other in names[number + 1 :]
        if (value := float(matrix[indices[one], indices[other]])) == value
    }
    lost = tuple(item.unknown.name for item in calibration.parameters if item.unknown.name not in errors)
    return FitUncertainty(
        errors, pairs, None if calibration.scatter.times == NORMAL else calibration.scatter.freedom, lost
    )


def _known_error(calibration: Calibration, item: FittedParameter) -> float | None:
    """The standard error that gives the width of an interval; None where it is not known, or open above."""
    if not calibration.scatter.known or item.tied:
        return None
    if item.interval != PROFILE:
        return item.error
    if item.undetermined:
        return None
    low = item.value if item.side < 0 else item.low
    high = item.value if item.side > 0 else item.high
    low = item.unknown.low if low is None else low
    if high is None:
        return None
    return (high - low) / ((1 if item.side else 2) * calibration.scatter.times)


def fitted_with(calibration: Calibration) -> str:
    """The fitted values in one line."""
    return _minimum(calibration, [item.value for item in calibration.parameters])


def _parameter(item: FittedParameter, status: str) -> tuple[Cell, ...]:
    unknown = item.unknown
    return (
        "parameter", unknown.name, None, None, None, unknown.start, item.value, item.error, item.low, item.high,
        None, None, None, None, unknown.unit or None, item.interval or None, status,
    )  # fmt: skip


_UNIT = next(index for index, column in enumerate(COLUMNS) if column.key == "unit")
_FIGURES = range(5, _UNIT)


def _declared(model: Model, row: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """The row of a parameter in the unit in which the model states it; any other row unchanged."""
    if row[0] != "parameter":
        return row
    shown = declared_unit(model, str(row[1]))
    cells = list(row)
    for index in _FIGURES:
        value = cells[index]
        cells[index] = in_unit(value, shown) if isinstance(value, float) else value
    cells[_UNIT] = shown or None
    return tuple(cells)


def standing(item: FittedParameter, tested: bool) -> str:
    """The status of a fitted parameter: `ok`, or the reason why it is not known.

    tested   whether there are more measurements than parameters.
    """
    if item.side:
        return "at its lower end" if item.side < 0 else "at its upper end"
    if item.idle and (item.undetermined or not item.interval):
        return "no effect"
    if item.undetermined:
        return "not determined by these rows"
    if item.tied:
        return "cannot be distinguished"
    if item.elsewhere:
        return "another minimum agrees as well"
    if not item.interval:
        return "no standard error" if tested else "no degrees of freedom"
    if item.low is None or item.high is None:
        return "no lower end" if item.low is None else "no upper end"
    return "ok" if tested else "no degrees of freedom"


def _plain(scope: str, name: str, use: str | None, value: float | None, at: str | None = None) -> tuple[Cell, ...]:
    reported = value if value is not None and abs(value) < float("inf") else None
    return (
        scope,
        name,
        None,
        at,
        use,
        None,
        reported,
        *(None,) * 8,
        None,
        "ok" if reported is not None else "no value",
    )


def _correlations(calibration: Calibration) -> Iterator[tuple[Cell, ...]]:
    names = [item.unknown.name for item in calibration.parameters]
    for one, first in enumerate(names):
        for other in range(one + 1, len(names)):
            yield _plain(
                "correlation", f"{first}, {names[other]}", None, float(calibration.spread.correlation[one, other])
            )


def _summary(calibration: Calibration) -> Iterator[tuple[Cell, ...]]:
    """The overall error of the model, on the fitted rows and on those held out."""
    kind = "of the mean" if calibration.absolute else "relative"
    measured = np.isfinite(calibration.measured.values)
    for use, chosen in ((FITTED, calibration.used), (HELD_OUT, measured & calibration.measured.held_out[:, None])):
        count = int(chosen.sum())
        if not count:
            continue
        known = chosen & np.isfinite(calibration.residuals)
        complete = count == int(known.sum())
        yield _plain("summary", "measurements", use, count)
        squares = float((calibration.residuals[known] ** 2).sum())
        error = (squares / count) ** 0.5 if complete else None
        yield _plain("summary", "root mean square error", use, error, kind)
        spread = _total(calibration, chosen)
        yield _plain("summary", "R squared", use, 1 - squares / spread if spread > 0 and complete else None)
        if use == HELD_OUT and calibration.scatter.known:
            yield _plain("summary", "within prediction interval", use, int(_inside(calibration)[chosen].sum()))
    if calibration.scatter.ratio is not None:
        at = "over stated errors" if calibration.scatter.kind == STATED else "over half of the last printed digit"
        yield _plain("summary", "scatter", FITTED, calibration.scatter.ratio, at)
    if calibration.stopped:
        return
    yield _plain("summary", "degrees of freedom", FITTED, calibration.spread.freedom)
    yield _plain("summary", "condition number", FITTED, calibration.spread.condition)


def _total(calibration: Calibration, chosen: Any) -> float:
    """The sum of squares around the mean of every metric, scaled and weighted as the residuals are."""
    total = 0.0
    for index, values in enumerate(calibration.measured.values.T):
        mask = chosen[:, index]
        if not mask.any():
            continue
        size = np.abs(values[np.isfinite(values)]).mean() or 1.0
        scaled = values[mask] / size if calibration.absolute else np.log(values[mask])
        weights = calibration.measured.weights[mask]
        total += float((weights * (scaled - np.average(scaled, weights=weights)) ** 2).sum())
    return total


def _inside(calibration: Calibration) -> Any:
    """Whether each measurement (rows, metrics) is inside its prediction interval."""
    low, high = calibration.predicted
    return (low <= calibration.measured.values) & (calibration.measured.values <= high)


def _rows(calibration: Calibration) -> Iterator[tuple[Cell, ...]]:
    measured, model = calibration.measured, calibration.model
    inside = _inside(calibration)
    for row, number in enumerate(measured.table.numbers):
        at = described(model, measured, row)
        use = HELD_OUT if measured.held_out[row] else FITTED
        for index, item in enumerate(measured.metrics):
            stated = float(measured.values[row, index])
            if not np.isfinite(stated):
                continue
            modelled = float(calibration.modelled[row, index])
            value = modelled if np.isfinite(modelled) else None
            difference = None if value is None else in_unit(value - stated, item.unit)
            relative = None if value is None or not stated else value / stated - 1
            ends = [_end(side[row, index], item.unit) for side in calibration.predicted]
            status = calibration.answers.status[row]
            if status == OK and ends[0] is not None and not inside[row, index]:
                status = "outside its prediction interval"
            yield (
                "row", item.source, number, at or None, use, None, None, None, *ends, in_unit(stated, item.unit),
                None if value is None else in_unit(value, item.unit), difference, relative, item.unit or None, None,
                status,
            )  # fmt: skip


def _unread(calibration: Calibration) -> Iterator[tuple[Cell, ...]]:
    """The rows that cannot be read, with their text in the file."""
    for item in calibration.measured.table.unread:
        yield ("row", None, item.number, item.text, NOT_READ, *(None,) * 11, item.problem.found)


def _end(value: float, unit: str) -> float | None:
    return in_unit(float(value), unit) if abs(value) < float("inf") else None


def _notes(calibration: Calibration) -> Iterator[Note]:
    answers, table = calibration.answers, calibration.measured.table
    yield from _ended(calibration)
    yield from approximate_notes(answers.reasons, answers.methods)
    yield from percentile_notes(
        calibration.model, [item.expression for item in calibration.measured.metrics], answers.parts
    )
    if calibration.stopped is None:
        yield from _errors(calibration)
        yield from doubts(calibration)
        yield from _intervals(calibration)
    if calibration.others:
        shown = "; ".join(_minimum(calibration, values) for values in calibration.others[:_MOST_NAMED])
        text = f"other minima that agree with the measurements nearly as well: {shown}"
        yield Note("QN636", text, "warning", "narrow the ranges with --between")
    yield from table.notes()
    missing = int((~answers.answered).sum())
    if missing:
        yield Note("QN602", f"{missing} of {len(table.rows)} rows have no answer; their status says why", "warning")
    if calibration.measured.ignored:
        names = ", ".join(name.strip() for name in calibration.measured.ignored)
        yield Note("QN637", f"columns that were not used: {names}")


def _ended(calibration: Calibration) -> Iterator[Note]:
    """That the fit ended early, and that it is by approximations where an exact method applies."""
    if calibration.stopped:
        text = "these are the best values so far, and no minimum"
        if calibration.stopped.proven:
            text = "the values are those of the minimum, and their errors are not computed"
        yield Note("QN736", f"{calibration.stopped.reason}: {text}", "warning")
    if calibration.left:
        text = f"fitted by {', '.join(calibration.answers.methods)}, not by the Markov chain: {calibration.left}"
        yield Note("QN740", text, next="allow more with --operations")


def _errors(calibration: Calibration) -> Iterator[Note]:
    """What errors are taken to be, and whether the residuals agree."""
    scatter = calibration.scatter
    measure = "the same at every row, of a metric" if calibration.absolute else "proportional to the measurement"
    taken = {
        STATED: "as stated",
        PRINTED: "as half of the last printed digit",
        SCATTER: f"{measure}, {100 * scatter.common:.3g} %"
        + (" and half of the last printed digit" if scatter.digits else ""),
        UNKNOWN: measure,
    }[scatter.kind]
    freedom = f"{scatter.freedom} degree{'s' if scatter.freedom != 1 else ''} of freedom"
    share = f"intervals hold {100 * SHARE:g} %"
    of = "of a normal distribution" if scatter.times == NORMAL else "of Student's t"
    text = f"errors are taken {taken if scatter.kind in (STATED, PRINTED) else 'as ' + taken}"
    if scatter.kind == UNKNOWN:
        text = "as many measurements as parameters, and no errors are stated: no residuals are left to estimate them"
        yield Note("QN633", text, "warning", "measure more rows, or state errors, such as --error 2%")
    else:
        yield Note("QN633", f"{text}; {share} {of}, {freedom}")
    if not calibration.tested and scatter.kind != UNKNOWN:
        count, size = calibration.target.count, len(calibration.parameters)
        text = f"{count} measurements and {size} parameters: any model fits so few, and intervals depend on "
        text += "the stated errors alone" if scatter.kind == STATED else "the printed digits alone"
        yield Note("QN690", text, "warning", "measure more rows, or fit fewer parameters")
    if (factor := _factor(calibration)) > _FAR_OFF:
        text = f"the model does not fit: it differs from the measurements by a factor of {factor:.3g} on average"
        yield Note("QN691", text, "warning", "check the units: a column without one is in base units, such as s")
    elif scatter.exceeds:
        text = f"the model does not fit within the stated errors: residuals scatter {scatter.ratio:.3g} times as much"
        yield Note("QN691", f"{text}, and intervals are widened by that", "warning", "check the model and the errors")


def _factor(calibration: Calibration) -> float:
    """The factor by which model and fitted measurements differ, as the root mean square of its logarithm; 1 for errors
    that are not proportional."""
    known = calibration.used & np.isfinite(calibration.residuals)
    if calibration.absolute or not known.any():
        return 1.0
    return math.exp(min((calibration.residuals[known] ** 2).mean() ** 0.5, _MOST_LOGARITHM))


def _intervals(calibration: Calibration) -> Iterator[Note]:
    """Notes on profiles and on rows that are held out."""
    named = [item.unknown.name for item in calibration.parameters if item.interval == PROFILE]
    if named:
        yield Note("QN692", f"intervals by profile, with the other parameters refitted: {', '.join(named)}")
    items = [
        item for item in calibration.parameters if item.interval == PROFILE and not (item.idle and item.undetermined)
    ]
    for item in items:
        if item.side or (item.low is not None and item.high is not None):
            continue
        name = f'"{item.unknown.name}"'
        if item.undetermined:
            text = f"{name} is not determined by these rows: no value in its range fits much worse"
        elif item.low is None:
            most = format_quantity(item.high or 0.0, item.unknown.unit)
            text = f"{name} is at most {most}: no lower value fits much worse"
        else:
            least = format_quantity(item.low, item.unknown.unit)
            text = f"{name} is at least {least}: no higher value fits much worse"
        yield Note("QN693", text, "warning", "measure where it has more effect, or set it with -p")
    if not calibration.minimum.converged:
        text = f"the minimum is the lowest point computed, and not proven: {calibration.minimum.reason}"
        yield Note("QN694", text, "warning")
    reported = np.isfinite(calibration.predicted[0]) & np.isfinite(calibration.measured.values)
    count, missed = int(reported.sum()), int((reported & ~_inside(calibration)).sum())
    if missed > max(1, round(2 * (1 - SHARE) * count)) or missed == count == 1:
        text = f"{missed} of {count} held-out measurements lie outside their {100 * SHARE:g} % prediction intervals"
        next = "check the model where they were measured, or fit on rows like them"
        yield Note("QN695", f"{text}: the model errs by more than the fitted rows show", "warning", next)


def _minimum(calibration: Calibration, values: Sequence[float]) -> str:
    pairs = zip(calibration.parameters, values, strict=True)
    return ", ".join(f"{item.unknown.name} = {format_quantity(value, item.unknown.unit)}" for item, value in pairs)


_FAR_OFF = 2.0
"""The factor between model and measurements from which units are doubted; a choice."""
_MOST_LOGARITHM = 600.0
"""The largest logarithm of a number that is printed."""
APART = 0.99
"""The correlation above which two parameters count as hardly distinguishable."""
INFLATED = 1 / (1 - APART**2)
"""The variance inflation of two parameters with that correlation."""
_NEAR = 0.05
"""The distance from 1 up to which a ratio is written as 1; a choice of wording."""


def doubts(calibration: Calibration) -> Iterator[Note]:
    """The warnings on the fitted values of `calibration`."""
    known = calibration.spread
    items = calibration.parameters
    idle = [item.unknown.name for item in items if item.idle and (item.undetermined or not item.interval)]
    if idle:
        yield Note("QN635", f"no effect on what was measured: {', '.join(idle)}", "warning", "leave it out of --fit")
    for item in items:
        if item.side:
            end = "lower" if item.side < 0 else "upper"
            at = format_quantity(item.value, item.unknown.unit, 6)
            text = f'"{item.unknown.name}" is at the {end} end of its range, {at}, and has no standard error'
            yield Note("QN635", text, "warning", "widen its range with --between, or check the model")
    for direction in known.tied.tolist():
        moved = [index for index, share in enumerate(direction) if abs(share) > 1e-3]
        names = [items[index].unknown.name for index in moved]
        text = f"cannot be distinguished: {', '.join(names)}"
        if len(moved) == 2:
            one, other = moved
            ratio = -_in_coordinates(calibration, direction, one) / _in_coordinates(calibration, direction, other)
            text += f"; only {combination(items[one], items[other], ratio)} is determined"
        yield _apart(text)
    paired: set[int] = set()
    for one in range(len(items)):
        for other in range(one + 1, len(items)):
            correlation = float(known.correlation[one, other])
            if abs(correlation) > APART:
                paired |= {one, other}
                yield _apart(_pair(calibration, one, other, correlation))
    inflated = entangled(known.inflation, known.correlation)
    if set(inflated) - paired:
        names = ", ".join(items[index].unknown.name for index in inflated)
        yield _apart(f"can hardly be distinguished: {names}; the condition number is {known.condition:.3g}")


def entangled(inflation: Any, correlation: Any) -> list[int]:
    """The indices of estimates whose variance others inflate, and of the one that is most correlated with each."""
    inflated = [index for index, value in enumerate(inflation.tolist()) if INFLATED < value < math.inf]
    partners = np.abs(np.nan_to_num(correlation))
    np.fill_diagonal(partners, 0.0)
    return sorted({*inflated, *(int(partners[index].argmax()) for index in inflated)})


def _apart(text: str) -> Note:
    return Note("QN634", text, "warning", "measure at other conditions, or set one of them with -p")


def _in_coordinates(calibration: Calibration, direction: list[float], index: int) -> float:
    """One component of a direction, converted from coordinates scaled by their effects to plain ones."""
    norm = float(np.linalg.norm(calibration.minimum.jacobian[:, index]))
    return direction[index] / norm


def _pair(calibration: Calibration, one: int, other: int, correlation: float) -> str:
    items, known = calibration.parameters, calibration.spread
    names = f'"{items[one].unknown.name}" and "{items[other].unknown.name}"'
    first = f"{names} can hardly be distinguished (correlation {correlation:.4f})"
    variances = float(known.covariance[one, one]), float(known.covariance[other, other])
    if not all(value > 0 for value in variances):
        return first
    ratio = -math.copysign(math.sqrt(variances[0] / variances[1]), correlation)
    return f"{first}; only {combination(items[one], items[other], ratio)} is well determined"


def combination(one: FittedParameter, other: FittedParameter, ratio: float) -> str:
    """The combination of two parameters that measurements determine: a sum, difference, product or quotient.

    ratio   the change of the combination with the coordinate of the second, over that of the first.
    """
    a, b = one.unknown, other.unknown
    linear = ratio * a.slope(one.value) / b.slope(other.value)
    if a.unit == b.unit and a.unit and abs(abs(linear) - 1) < _NEAR:
        return f"{a.name} {'+' if linear > 0 else '-'} {b.name}"
    if one.value > 0 and other.value > 0:
        power = linear * other.value / one.value
        raised = "" if abs(abs(power) - 1) < _NEAR else f"^{format_number(abs(power), 3)}"
        return f"{a.name} {'*' if power > 0 else '/'} {b.name}{raised}"
    return f"{a.name} {'+' if linear > 0 else '-'} {format_number(abs(linear), 3)} * {b.name}"
