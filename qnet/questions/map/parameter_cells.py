"""Reading parameters from data: the columns that denote parameters, and the values in their cells.

Titles of columns may state a unit: `response_ms`, `rate_per_min`, `response [ms]`, `utilization_cpu %`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Any

from qnet.errors import InvalidInput, Problem, short
from qnet.model.column_names import column_key
from qnet.model.metrics import metric
from qnet.model.model import Model
from qnet.model.scope import all_figures
from qnet.questions.presentation.columns import parameter_unit
from qnet.real import real
from qnet.record import Record
from qnet.units import NUMBER, Unit, UnitError, base_unit, column_suffix, quantity, scale, unit

_LARGEST = 1e300
"""The bound on numbers, below the largest float, so that units can be converted."""
_OTHERS = frozenset({"weight", "hold_out", "method", "exactness", "status"})
"""Columns of tables of qnet that are never taken for misspelt parameters."""
_STRETCHED = 16
"""The factor, and the number of letters, by which a misspelt title may be longer than a name."""
_NEAR = ((3, 1), (6, 2))
"""Pairs of (letters, edits): from that many letters on, that many edits count as a typing error."""


class Fault(Exception):
    """The reason why a row of data cannot be used, as text for its status."""


class Written(Record):
    """A cell, and the name of its column, which may state the unit of its numbers."""

    cell: Any
    column: str


def parameter_columns(names: Sequence[str], model: Model, called: str = "column") -> dict[str, str]:
    """The columns that are named like a parameter: `rate`, or with a unit as suffix, `rate_per_min`.

    names    the titles of the columns, with the spaces around them.
    model    the model with the parameters.
    called   the word for a column, such as "key" for objects.
    Returns  the parameters by column.
    Raises   `InvalidInput` QN240 where a column appears twice, two columns are the same parameter, or a column is
             nearly named like a parameter, which would otherwise be ignored silently.
    """
    result: dict[str, str] = {}
    problems: list[Problem] = []
    visited: set[str] = set()
    for column in names:
        title = column.strip()
        name = _parameter(title, model)
        if title and title in visited:
            problems.append(Problem("QN240", f'the {called} "{short(title)}" appears twice', "distinct names"))
        elif name and name in result.values():
            problems.append(Problem("QN240", f'two {called}s are the parameter "{name}"', "one of them"))
        elif name:
            result[column] = name
        elif problem := _near_miss(title, model, called):
            problems.append(problem)
        visited.add(title)
    if problems:
        raise InvalidInput(*problems)
    return result


def _parameter(title: str, model: Model) -> str:
    """The parameter that a title denotes, with or without a unit of its dimension; empty for none."""
    if title in model.parameters:
        return title
    for name in _beginnings(title, model):
        parameter, result = model.parameters[name], unit_behind(title[len(name) :])
        if result is not None and not parameter.options and result.dimension == parameter.dimension:
            return name
    return ""


def _beginnings(title: str, model: Model) -> list[str]:
    """The parameters with whose names a title begins, before what may be a unit; the longest first."""
    longest = max(map(len, model.parameters), default=0)
    heads = dict.fromkeys(
        title[:index].rstrip() for index in range(min(len(title) - 1, longest + 1), 0, -1) if title[index] in UNIT_SIGNS
    )
    return [head for head in heads if head in model.parameters]


def _near_miss(title: str, model: Model, called: str) -> Problem | None:
    """The problem of a column that is nearly named like a parameter; None for one that is not."""
    if not title or title in _OTHERS:
        return None
    heads, near = _beginnings(title, model), [name for name in model.parameters if _slip(title, name)]
    bare = [head for head, _ in with_units(title)]
    near += [name for name in model.parameters if any(_slip(text, name) for text in bare)]
    if not (heads or near) or not _figures(model).isdisjoint((title, *bare)):
        return None
    name = (heads or near)[0]
    suffix = column_suffix(parameter_unit(model, name))
    near_units = [text for text in meant(title[len(name) :]) if _parameter(name + text, model)] if heads else []
    expected = [name + text for text in near_units] or ([name, name + suffix] if suffix else [name])
    reported = " or ".join(f'"{text}"' for text in expected)
    sentence = f'the {called} "{short(title)}" is nearly named like the parameter "{name}"'
    if heads:
        what = f"in {base_unit(model.parameters[name].dimension)}" if suffix else "a plain number"
        sentence += f', but "{short(title[len(name) :])}" after it is not a unit of a parameter that is {what}'
    help = "use that name to state the parameter, or a different name to pass the column through"
    return Problem("QN240", sentence, reported, help=help)


def _figures(model: Model) -> set[str]:
    """The names of the columns of figures and outputs."""
    result: set[str] = set()
    for name, dimension in all_figures(model).items():
        result |= {column_key(name), column_key(name) + column_suffix(base_unit(dimension))}
    for name in model.outputs:
        item = metric(name, model)
        result |= {item.key, item.key + column_suffix(item.unit)}
    return result


def _slip(title: str, name: str) -> bool:
    """Whether a title differs from a name only in case, separators, or one or two edits after the first letter."""
    if len(title) > _STRETCHED * len(name) + _STRETCHED:
        return False
    one, other = (re.sub(r"[-\s.]", "_", text.lower()) for text in (title, name))
    if one == other or one.replace("_", "") == other.replace("_", ""):
        return True
    if one[:1] != other[:1]:
        return False
    most = max((edits for letters, edits in _NEAR if min(len(one), len(other)) >= letters), default=0)
    return abs(len(one) - len(other)) <= most and _edits(one, other) <= most


def _edits(one: str, other: str) -> int:
    """The number of letters that are inserted, deleted, replaced or swapped with the next between two words."""
    rows = [list(range(len(other) + 1))]
    for index, letter in enumerate(one, 1):
        row = [index]
        for column, against in enumerate(other, 1):
            least = min(rows[-1][column] + 1, row[-1] + 1, rows[-1][column - 1] + (letter != against))
            if index > 1 < column and letter == other[column - 2] and one[index - 2] == against:
                least = min(least, rows[-2][column - 2] + 1)
            row.append(least)
        rows.append(row)
    return rows[-1][-1]


def parameter_value(model: Model, name: str, cell: object, column: str = "") -> float:
    """The value of a parameter in a cell, in base units; for a choice, the index of the word.

    model    the model with the parameter `name`.
    cell     a number in the unit of its column, a quantity as text such as "600/s" or "4 KiB", or a word of a choice.
    column   the title of its column, which may end with a unit; without one, numbers are in base units.
    Raises   `Fault` for an empty cell, another word or unit, and a number that is not finite.
    """
    parameter = model.parameters[name]
    factor = 1.0 if parameter.options else _column_factor(name, column)
    text = cell.strip() if isinstance(cell, str) else cell
    if text is None or (isinstance(text, str) and not text):
        raise Fault(f"{name} is empty")
    if parameter.options:
        if not isinstance(text, str) or text not in parameter.options:
            raise Fault(f'{name} is "{short(str(text))}"; expected {short(" or ".join(parameter.options))}')
        return float(parameter.options.index(str(text)))
    if isinstance(text, str):
        value = _quantity(model, name, text, factor)
    elif (plain := real(text)) is not None:
        value = scale(plain, factor) if abs(plain) < _LARGEST else float("inf")
    else:
        raise Fault(f"{name} is not a number")
    if not abs(value) < _LARGEST:
        raise Fault(f"{name} is too large or not a number")
    return value


_PLAIN_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def parameter_values(model: Model, name: str, cells: Sequence[object], column: str = "") -> list[float | Fault]:
    """What the cells of a column say of a parameter, as `parameter_value` has them; a fault where a cell has one.

    Plain numbers, as most cells are, are read at once in the unit of the column.
    """
    if model.parameters[name].options:
        return [_value_or_fault(model, name, cell, column) for cell in cells]
    factor = _column_factor(name, column)
    return [
        value
        if isinstance(cell, str) and _PLAIN_NUMBER.fullmatch(cell) and (value := scale(float(cell), factor)) < _LARGEST
        else _value_or_fault(model, name, cell, column)
        for cell in cells
    ]


def _value_or_fault(model: Model, name: str, cell: object, column: str) -> float | Fault:
    try:
        return parameter_value(model, name, cell, column)
    except Fault as fault:
        return fault


def _column_factor(name: str, column: str) -> float:
    """The factor of the unit at the end of a title; 1 without one."""
    suffix = column.strip().removeprefix(name)
    unit = unit_behind(suffix) if suffix else None
    return 1.0 if unit is None else unit.factor


def _quantity(model: Model, name: str, text: str, factor: float) -> float:
    """The value of a text; a number without a unit is multiplied by `factor`."""
    try:
        value, dimension = quantity(text)
    except UnitError as error:
        raise Fault(f"{name}: {short(str(error))}") from None
    wanted = model.parameters[name].dimension
    if dimension not in (NUMBER, wanted):
        raise Fault(f'{name}: "{short(text)}" is {dimension.describe()}; expected {wanted.describe()}')
    # A plain number is in the unit of the column; one with "%" has its unit.
    return scale(value, factor) if dimension == NUMBER and "%" not in text else value


UNIT_SIGNS = "_[(%"
"""The characters with which a unit at the end of a title begins."""
_LONGEST = 64
"""Most characters of a unit at the end of a title; a choice that bounds the time of a search."""
_BRACKETS = {"[": "]", "(": ")"}
_PERCENT = ("%", "percent", "pct")


def with_units(title: str) -> list[tuple[str, Unit]]:
    """The ways to split a title into a name and a unit at its end; the longest name first."""
    result: list[tuple[str, Unit]] = []
    for index in range(len(title) - 1, max(0, len(title) - _LONGEST - 1), -1):
        if title[index] not in UNIT_SIGNS:
            continue
        head, unit = title[:index].rstrip(" _"), unit_behind(title[index:])
        if head and unit is not None and (head, unit) not in result:
            result.append((head, unit))
    return result


def unit_behind(suffix: str) -> Unit | None:
    """The unit that a suffix of a title denotes, as `column_suffix` writes it or as people do; None for none.

    suffix   such as `_ms`, `_per_min`, `_MB_per_s`, `_percent`, ` [ms]`, ` (1/min)` or `%`.
    """
    return _unit_of(suffix) if len(suffix) <= _LONGEST else None


@lru_cache(maxsize=256)
def _unit_of(suffix: str) -> Unit | None:
    """As `unit_behind`."""
    text = suffix.strip()
    if text[:1] in _BRACKETS:
        if not text.endswith(_BRACKETS[text[0]]):
            return None
        text = text[1:-1].strip()
        text = text[1:].lstrip() if text.startswith("1") else text
    elif text.strip("_ ") in _PERCENT:
        text = "%"
    elif text.startswith("_"):
        text = text.replace("_per_", "/").removeprefix("_").replace("_", "*")
        text = re.sub(r"([A-Za-z])([0-9])", r"\1^\2", text)
    else:
        return None
    try:
        return unit("%" if text in _PERCENT else text) if text else None
    except UnitError:
        return None


def meant(suffix: str) -> list[str]:
    """The suffixes of units that are near a misspelt suffix: `_kB` and `_KiB` for `_KB`, `_per_min` for `_per_Min`."""
    if not suffix.startswith("_") or len(suffix) > _LONGEST:
        return []
    choices: list[list[str]] = []
    for atom in suffix[1:].removeprefix("per_").split("_per_"):
        try:
            unit(atom)
        except UnitError as error:
            # A suffix consists of letters: no fractions, and no percent sign.
            choices.append([name for name in error.meant if name.isascii() and name.isalpha()])
        else:
            choices.append([atom])
    first = "_per_" if suffix.startswith("_per_") else "_"
    return [first + "_per_".join(atoms) for atoms in product(*choices)]
