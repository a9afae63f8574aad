"""Reading the characters of an expression: limits first, then units folded into the numbers they follow."""

from __future__ import annotations

import re
from typing import NamedTuple

from qnet.expression.nodes import ExpressionError
from qnet.units import NUMBER_PATTERN, Unit, UnitError, scale, unit

MAX_LENGTH = 4000
MAX_TOKENS = 600
MAX_DEPTH = 60

_SPACE = re.compile(r"\s*")
_NUMBER = re.compile(NUMBER_PATTERN)
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*(?:\.[A-Za-z_][A-Za-z_0-9]*)*")
_OPERATOR = re.compile(r"\*\*|//|<=|>=|==|!=|[-+*/(),<>]")
_STRING = re.compile(r"'[^'\\\n]*'|\"[^\"\\\n]*\"")
_ATOM = re.compile(r"[A-Za-zµμ]+|%")
_SLASH_ATOM = re.compile(r"\s*/\s*([A-Za-zµμ]+)(?![\w.])(?!\s*\()")


class Folded(NamedTuple):
    """Text of the same length with every unit blanked out, and what the literal at each column is worth."""

    text: str
    literals: dict[int, tuple[float, Unit]]


def fold(text: str) -> Folded:
    """Check the size and the characters of an expression and fold units into numbers, keeping every column.

    Raises `ExpressionError` for a text that is too long or too deeply nested, an unknown character or an unknown unit.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"the expression has {len(text)} characters", 0, f"at most {MAX_LENGTH} are read; split it into parameters", "QN111")
    characters = list(text)
    literals: dict[int, tuple[float, Unit]] = {}
    position, count, depth = 0, 0, 0
    while (position := _end(_SPACE, text, position)) < len(text):
        count += 1
        if count > MAX_TOKENS:
            raise ExpressionError(f"the expression has more than {MAX_TOKENS} parts", position, "split it into parameters", "QN111")
        if number := _NUMBER.match(text, position):
            end, found = _unit_after(text, number.end())
            literals[position] = (scale(float(number[0].replace("_", "")), found.factor), found)
            characters[number.end() : end] = " " * (end - number.end())
            position = end
        elif match := _NAME.match(text, position) or _STRING.match(text, position):
            position = match.end()
        elif match := _OPERATOR.match(text, position):
            depth += {"(": 1, ")": -1}.get(match[0], 0)
            if depth > MAX_DEPTH:
                raise ExpressionError(f"parentheses nest more than {MAX_DEPTH} deep", position, "split the expression into parameters", "QN111")
            position = match.end()
        else:
            raise ExpressionError(f"unexpected character {text[position]!r}", position, _help_for(text[position]))
    if not count:
        raise ExpressionError("the expression is empty", 0, "write a number, a quantity or an expression")
    return Folded("".join(characters), literals)


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


def _unit_after(text: str, position: int) -> tuple[int, Unit]:
    """Where the unit that starts at `position` (after optional space) ends, and the unit; plain numbers have none."""
    start = _end(_SPACE, text, position)
    atom = _ATOM.match(text, start)
    end = atom.end() if atom else position
    while (slash := _SLASH_ATOM.match(text, end)) and _known(slash[1]):
        end = slash.end()
    if end == position:
        return position, Unit(1, unit("").dimension)
    try:
        return end, unit(text[position:end].strip())
    except UnitError as error:
        raise ExpressionError(str(error), start, error.help, "QN101") from None


def _known(atom: str) -> bool:
    try:
        unit(atom)
    except UnitError:
        return False
    return True


def _help_for(character: str) -> str:
    hints = {"^": "powers are written **", "[": "lists are not part of an expression", "=": "compare with =="}
    return hints.get(character, "expressions have numbers with units, names, + - * / // **, comparisons and functions")
