"""The table `[calibration]`, the uncertainty of fitted parameters as a model states it: read and checked."""

from __future__ import annotations

from typing import Any, cast

from qnet.documents import Path
from qnet.errors import suggest
from qnet.expression import FLOATS, Expression, evaluate
from qnet.model.fields import TABLES
from qnet.model.model import CalibrationModel, Model
from qnet.model.reader import Reader, describe

PATH: Path = ("calibration",)
_ROUNDING = 1e-6
"""How far below 0 a pivot may be, because correlations are rounded when they are written."""
_SHARED = 0.01
"""How far from 0 the other entries of a column with pivot 0 may be, for the same reason."""


def read_calibration(reader: Reader, raw: Any) -> CalibrationModel:
    """The table as stated; what cannot be read is noted."""
    values = reader.table(raw, "calibration", PATH)
    names: tuple[str, ...] = values.get("parameters", ())
    errors: list[Expression] = []
    for index, item in enumerate(_listed(reader, values.get("standard_errors"), "standard_errors")):
        error = reader.expression(item, (*PATH, "standard_errors", index))
        if error is not None:
            errors.append(error)
    correlations: list[float] = []
    for index, item in enumerate(_listed(reader, values.get("correlations"), "correlations")):
        if isinstance(item, int | float) and not isinstance(item, bool) and -1 <= item <= 1:
            correlations.append(float(item))
        else:
            reader.fail("QN204", (*PATH, "correlations", index), f"found {describe(item)}", "a number from -1 to 1")
    if "standard_errors" in values and isinstance(values["standard_errors"], list) and len(errors) != len(names):
        text = f"{len(errors)} standard errors of {len(names)} parameters"
        reader.fail("QN204", (*PATH, "standard_errors"), text, "one for each parameter")
    pairs = len(names) * (len(names) - 1) // 2
    if correlations and len(correlations) != pairs:
        text = f"{len(correlations)} correlations of {len(names)} parameters"
        expected = f"{pairs}: the first with the second, the first with the third, and so on"
        reader.fail("QN204", (*PATH, "correlations"), text, expected)
    return CalibrationModel(
        names,
        tuple(errors),
        tuple(correlations) or (0.0,) * pairs,
        values.get("degrees_of_freedom"),
        values.get("not_determined", ()),
    )


def _listed(reader: Reader, raw: Any, key: str) -> list[Any]:
    if raw is None:
        return []
    if not isinstance(raw, list):
        reader.fail("QN204", (*PATH, key), f"found {describe(raw)}", f"a list: {TABLES['calibration'][key].help}")
        return []
    return cast("list[Any]", raw)


def check_calibration(model: Model, reader: Reader, stated: CalibrationModel) -> None:
    """Note names that are no parameters, errors of a wrong dimension, and correlations that are inconsistent."""
    for key, names in (("parameters", stated.parameters), ("not_determined", stated.undetermined)):
        for name in names:
            known = model.parameters.get(name)
            if known is None:
                help = suggest(name, [item for item, each in model.parameters.items() if not each.part])
                reader.fail("QN004", (*PATH, key), f'unknown parameter "{name}"', help=help)
            elif known.options:
                reader.fail("QN204", (*PATH, key), f'"{name}" is a choice of words', "a parameter that is a number")
    twice = set(stated.parameters) & set(stated.undetermined)
    for name in sorted(twice):
        reader.fail("QN204", (*PATH, "not_determined"), f'"{name}" has a standard error', "one of both")
    for index, (name, error) in enumerate(zip(stated.parameters, stated.errors, strict=False)):
        path = (*PATH, "standard_errors", index)
        known = model.parameters.get(name)
        wanted = None if known is None or known.options or name in reader.broken else known.dimension
        if reader.dimension(error, wanted, path, {}, {}) is not None and _value(error) < 0:
            reader.fail("QN211", path, f"the standard error of {name} is below 0", "0 or more")
    complete = len(stated.errors) == len(stated.parameters)
    if complete and len(stated.correlations) == len(stated.parameters) * (len(stated.parameters) - 1) // 2:
        _check_semidefinite(reader, stated)


def _value(error: Expression) -> float:
    return float(evaluate(error.root, {}, FLOATS))


def _check_semidefinite(reader: Reader, stated: CalibrationModel) -> None:
    """Note correlations that are not positive semidefinite, by Cholesky's decomposition."""
    matrix = correlation_matrix(stated)
    for index in range(len(matrix)):
        pivot, others = matrix[index][index], range(index + 1, len(matrix))
        # A variable without variance has no covariance with others.
        shared = pivot <= _ROUNDING and any(abs(matrix[row][index]) > _SHARED for row in others)
        if pivot < -_ROUNDING or shared:
            text = "the correlations are inconsistent"
            reader.fail("QN204", (*PATH, "correlations"), text, "a matrix that is positive semidefinite")
            return
        for row in others:
            factor = matrix[row][index] / pivot if pivot > _ROUNDING else 0.0
            for column in others:
                matrix[row][column] -= factor * matrix[index][column]


def correlation_matrix(stated: CalibrationModel) -> list[list[float]]:
    """The correlations of `[calibration]` as a symmetric matrix (parameters, parameters) with a diagonal of ones.

    stated   with all pairs of parameters in `correlations`, the upper triangle row by row.
    """
    size = len(stated.parameters)
    matrix = [[float(row == column) for column in range(size)] for row in range(size)]
    pairs = iter(stated.correlations)
    for row in range(size):
        for column in range(row + 1, size):
            matrix[row][column] = matrix[column][row] = next(pairs)
    return matrix


def standard_errors(stated: CalibrationModel) -> tuple[float, ...]:
    """The standard errors of the parameters of `[calibration]`, `stated`, in their order and in base units."""
    return tuple(_value(error) for error in stated.errors)
