"""Reading parameters from data: which columns are which parameters, and what their cells say."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.errors import InvalidInput, Problem, short
from qnet.model.model import Model
from qnet.questions.columns import parameter_unit
from qnet.units import NUMBER, UnitError, column_suffix, quantity

_LARGEST = 1e300


class Fault(Exception):
    """Why a row of data cannot be used, in words for its status."""


def parameter_columns(names: Sequence[str], model: Model) -> dict[str, str]:
    """Column -> parameter, of the columns that are named like one: `rate`, or with its base unit `rate_per_s`.

    Raises `InvalidInput` where a column is there twice, or two columns are the same parameter.
    """
    known = {name: name for name in model.parameters}
    for name in model.parameters:
        known.setdefault(name + column_suffix(parameter_unit(model, name)), name)
    found: dict[str, str] = {}
    problems: list[Problem] = []
    seen: set[str] = set()
    for column in names:
        title = column.strip()
        if title and title in seen:
            problems.append(Problem("QN240", f'the column "{short(title)}" is there twice', "names of their own"))
        elif title in known and known[title] in found.values():
            problems.append(Problem("QN240", f'two columns are the parameter "{known[title]}"', "one of them"))
        elif title in known:
            found[column] = known[title]
        seen.add(title)
    if problems:
        raise InvalidInput(*problems)
    return found


def parameter_value(model: Model, name: str, cell: object) -> float:
    """What a cell says of a parameter, in base units; of a choice the index of the word.

    cell     a number in base units, a quantity as text such as "600/s" or "4 KiB", or a word of a choice.
    Raises   `Fault`.
    """
    parameter = model.parameters[name]
    text = cell.strip() if isinstance(cell, str) else cell
    if text is None or text == "":
        raise Fault(f"{name} is empty")
    if parameter.options:
        if text not in parameter.options:
            raise Fault(f'{name} is "{short(str(text))}"; expected {short(" or ".join(parameter.options))}')
        return float(parameter.options.index(str(text)))
    if isinstance(text, str):
        value = _quantity(model, name, text)
    elif isinstance(text, int | float) and not isinstance(text, bool):
        value = float(text) if abs(text) < _LARGEST else float("inf")
    else:
        raise Fault(f"{name} is no number")
    if not abs(value) < _LARGEST:
        raise Fault(f"{name} is too large or not a number")
    return value


def _quantity(model: Model, name: str, text: str) -> float:
    try:
        value, dimension = quantity(text)
    except UnitError as error:
        raise Fault(f"{name}: {short(str(error))}") from None
    wanted = model.parameters[name].dimension
    if dimension not in (NUMBER, wanted):
        raise Fault(f'{name}: "{short(text)}" is {dimension.describe()}; expected {wanted.describe()}')
    return value
