"""Reading the characters of an expression: limits first, then units folded into the numbers they follow."""

from __future__ import annotations

import math
import re
from functools import lru_cache

from qnet.expression.nodes import ExpressionError
from qnet.record import Record
from qnet.units import ATOM_PATTERN, NUMBER, NUMBER_PATTERN, Unit, UnitError, scale, unit

MAX_LENGTH = 4000
"""Characters of an expression; a choice far above what is written by hand, like the two limits below."""
MAX_TOKENS = 600
"""Names, numbers and signs of an expression."""
MAX_DEPTH = 60
"""Parentheses inside parentheses: the parser calls itself for each, far below Python's limit of recursion."""

_NAME = r"[A-Za-z_][A-Za-z_0-9]*(?:\.[A-Za-z_][A-Za-z_0-9]*)*"
_OPERATOR = r"\*\*|//|<=|>=|==|!=|[-+*/(),<>]"
_STRING = r"'[^'\\\n]*'|\"[^\"\\\n]*\""
_PLAIN = Unit(1, NUMBER)


class Folded(Record):
    """Text of the same length with every unit blanked out, and what the literal at each column is worth."""

    text: str
    literals: dict[int, tuple[float, Unit]]


def fold(text: str) -> Folded:
    """Check the size and the characters of an expression and fold units into numbers, keeping every column.

    Raises `ExpressionError` for a text that is too long or too deeply nested, an unknown character or an unknown unit.
    """
    if len(text) > MAX_LENGTH:
        help = f"at most {MAX_LENGTH} are read; split it into parameters"
        raise ExpressionError(f"the expression has {len(text)} characters", 0, help, "QN111")
    characters = [" " if character.isspace() else character for character in text]
    literals: dict[int, tuple[float, Unit]] = {}
    position, count, depth = 0, 0, 0
    while (position := _after_space(text, position)) < len(text):
        count += 1
        if count > MAX_TOKENS:
            help = "split it into parameters"
            raise ExpressionError(f"the expression has more than {MAX_TOKENS} parts", position, help, "QN111")
        if number := _match(NUMBER_PATTERN, text, position):
            end, result = _unit_after(text, number.end())
            literals[position] = (_literal(number[0], result, position), result)
            characters[number.end() : end] = " " * (end - number.end())
            position = end
            _alone(text, position, "_.'\"")
        elif match := _match(_NAME, text, position):
            position = match.end()
            _alone(text, position, "'\"")
        elif match := _match(_STRING, text, position):
            position = match.end()
        elif match := _match(_OPERATOR, text, position):
            depth += {"(": 1, ")": -1}.get(match[0], 0)
            if depth > MAX_DEPTH:
                help = "split the expression into parameters"
                raise ExpressionError(f"parentheses nest more than {MAX_DEPTH} deep", position, help, "QN111")
            position = match.end()
        else:
            raise _unexpected(text, position)
    if not count:
        raise ExpressionError("the expression is empty", 0, "write a number, a quantity or an expression")
    return Folded("".join(characters), literals)


@lru_cache(maxsize=8)
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern, compiled where it is first needed: most expressions are one quantity."""
    return re.compile(pattern)


def _match(pattern: str, text: str, position: int) -> re.Match[str] | None:
    return _compiled(pattern).match(text, position)


def _after_space(text: str, position: int) -> int:
    while text[position : position + 1].isspace():
        position += 1
    return position


def _literal(digits: str, result: Unit, position: int) -> float:
    value = scale(float(digits.replace("_", "")), result.factor)
    if not math.isfinite(value):
        raise ExpressionError("the number is too large", position, "write a number below 1e300", "QN110")
    return value


def _alone(text: str, position: int, others: str) -> None:
    """Refuse what Python reads as one token with what stands before it: `1_`, `1.5.2`, `f'...'`."""
    if text[position : position + 1] and text[position] in others:
        raise _unexpected(text, position)


def _unit_after(text: str, position: int) -> tuple[int, Unit]:
    """Where the unit that starts at `position` (after optional space) ends, and the unit; plain numbers have none."""
    start = _after_space(text, position)
    atom = _match(ATOM_PATTERN, text, start)
    end = atom.end() if atom else position
    while (joint := _after_space(text, end)) < len(text) and text[joint] in ("/", "*" if end > position else "/"):
        further = _match(ATOM_PATTERN, text, _after_space(text, joint + 1))
        if further is None or not _is_unit(text, further):
            break
        end = further.end()
    if end == position:
        return position, _PLAIN
    try:
        return end, unit(text[position:end].strip())
    except UnitError as error:
        raise ExpressionError(str(error), start, error.help, "QN101") from None


def _is_unit(text: str, atom: re.Match[str]) -> bool:
    """Whether a word after `/` or `*` is a unit, and neither the start of a longer name nor a function."""
    after = text[atom.end() : atom.end() + 1]
    if after.isalnum() or after in ("_", ".") or text.startswith("(", _after_space(text, atom.end())):
        return False
    try:
        unit(atom[0])
    except UnitError:
        return False
    return True


def _unexpected(text: str, position: int) -> ExpressionError:
    hints = {
        "^": "powers are written **",
        "[": "lists are not part of an expression",
        "=": "compare with ==",
        "%": "% follows a number, such as 70 %",
    }
    all = "expressions have numbers with units, names, + - * / // **, comparisons and functions"
    return ExpressionError(f"unexpected character {text[position]!r}", position, hints.get(text[position], all))
