"""Rows that only test a fit: a number of them, or a condition with `and`, `or`, `not` over parameters and columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

from qnet.errors import Problem, UsageError, short
from qnet.expression import ExpressionError, arrays, check, evaluate, expression_problem, parse
from qnet.expression.nodes import Call, Comparison, Number
from qnet.lazy import Flags, np
from qnet.model.model import Model
from qnet.model.scope import refuse_inside
from qnet.questions.map.parameter_cells import Fault, with_units
from qnet.questions.map.tables import DataTable, number
from qnet.record import Record
from qnet.units import NUMBER, Dimension

_CODE = "QN029"
_EXPECTED = "a number of rows, or a condition such as rate > 900/s and run == 'night'"
_TOKEN = re.compile(r"'[^']*+'|\"[^\"]*+\"|[A-Za-z_][A-Za-z0-9_.]*+|[<>]=?|[=!]=|.", re.DOTALL)
_ORDER = ("<", "<=", ">", ">=", "==", "!=")
_MOST = 2000
"""Most characters of a condition."""


class Scope(Record):
    """The names that a condition may use, with their values by row."""

    dimensions: Mapping[str, Dimension]
    choices: Mapping[str, tuple[str, ...]]
    known: Mapping[str, Any]
    model: Model | None = None
    plain: Mapping[str, Any] = {}
    """Columns with a unit in their title, as plain numbers."""

    def with_plain(self, table: DataTable, columns: Sequence[str]) -> Scope:
        """The scope, with titles that have a unit, such as `rate_per_s`, comparable with plain numbers."""
        plain: dict[str, Any] = {}
        for column in columns:
            title = column.strip()
            if title.isidentifier() and self.dimensions.get(title, NUMBER) != NUMBER and with_units(title):
                with suppress(Fault):
                    plain[title] = _numbers(table, column)
        return self.replace(plain=plain)

    def with_columns(self, table: DataTable, columns: Sequence[str]) -> Scope:
        """The scope with some columns of a table: numbers, or texts as choices; names that it has are kept."""
        dimensions, choices, known = dict(self.dimensions), dict(self.choices), dict(self.known)
        for column in columns:
            title = column.strip()
            if not title.isidentifier() or title in dimensions or title in choices:
                continue
            try:
                known[title], dimensions[title] = _numbers(table, column), NUMBER
            except Fault:
                words = [str(cell).strip() for cell in _cells(table, column)]
                choices[title] = tuple(dict.fromkeys(words))
                known[title] = np.array([float(choices[title].index(word)) for word in words])
        return Scope(dimensions, choices, known, self.model)


def _cells(table: DataTable, column: str) -> list[object]:
    index = table.header.index(column)
    return [row[index] for row in table.rows]


def _numbers(table: DataTable, column: str) -> Any:
    """The cells of a column as numbers; raises `Fault` where one is not a number."""
    values = [number(cell) for cell in _cells(table, column)]
    return np.array([np.nan if value is None else value for value in values])


def held_out(text: str, size: int, scope: Scope) -> Flags:
    """Whether each of `size` rows is held out by a text: a number of rows at the end, or a condition.

    A condition consists of comparisons, also in chains (`5/s < rate <= 9/s`), joined by `and`, `or` and `not`, in
    parentheses where needed; `and` binds more tightly than `or`.

    scope    the names that a condition may use.
    Raises   `UsageError` QN029 where the text is neither.
    """
    if text.strip().isdigit():
        count = int(text)
        if not 0 < count < size:
            raise UsageError(Problem(_CODE, f"--hold-out {count} of {size} rows", "fewer rows than there are, or 1"))
        return np.arange(size) >= size - count
    if len(text) > _MOST:
        raise UsageError(Problem(_CODE, f"the condition has {len(text)} characters", f"at most {_MOST}"))
    return _Condition(text, size, scope).value(_TOKEN.findall(text), 0)


class _Condition:
    """A condition over rows."""

    def __init__(self, text: str, size: int, scope: Scope) -> None:
        self.text = text
        self.size = size
        self.scope = scope

    def refusal(self, found: str) -> UsageError:
        """The error for a fault of the text."""
        return UsageError(Problem(_CODE, f'in --hold-out "{short(self.text)}": {found}', _EXPECTED))

    def value(self, tokens: Sequence[str], depth: int) -> Any:
        """Whether a part of the condition holds, by row."""
        if depth > 50:
            raise self.refusal("parentheses nest too deeply")
        for word in ("or", "and"):
            parts = list(self.parts(tokens, (word,)))
            if len(parts) > 1:
                result = [self.value(part, depth + 1) for part, _ in parts]
                return np.any(result, axis=0) if word == "or" else np.all(result, axis=0)
        tokens = _stripped(tokens)
        if tokens and tokens[0] == "not":
            return ~self.value(tokens[1:], depth + 1)
        inner = tokens[1:-1]
        logical = any(token in ("and", "or", "not", *_ORDER) for token in inner)
        if logical and tokens[0] == "(" and tokens[-1] == ")" and self.encloses(tokens):
            return self.value(inner, depth + 1)
        return self.chain(tokens)

    def chain(self, tokens: Sequence[str]) -> Any:
        """Whether all comparisons of a chain hold, by row: `a < b <= c` is `a < b` and `b <= c`."""
        sides = list(self.parts(tokens, _ORDER))
        if len(sides) < 2 or any(not _stripped(side) for side, _ in sides):
            what = "".join(tokens).strip()
            raise self.refusal(f'"{short(what)}" is not a comparison' if what else "a comparison is missing")
        pairs = pairwise(sides)
        holds = [self.comparison("".join(left) + sign + "".join(right)) for (left, sign), (right, _) in pairs]
        return np.all(holds, axis=0)

    def parts(self, tokens: Sequence[str], words: Sequence[str]) -> Iterator[tuple[list[str], str]]:
        """The parts between some words outside parentheses, each with the word after it."""
        level, part = 0, list[str]()
        for token in tokens:
            level += (token == "(") - (token == ")")
            if level < 0:
                break
            if not level and token in words:
                yield part, token
                part = []
            else:
                part.append(token)
        if level:
            raise self.refusal("the parentheses are not balanced")
        yield part, ""

    def encloses(self, tokens: Sequence[str]) -> bool:
        """Whether the first parenthesis is closed by the last one."""
        level = 0
        for index, token in enumerate(tokens):
            level += (token == "(") - (token == ")")
            if not level:
                return index == len(tokens) - 1
        return False

    def comparison(self, text: str) -> Any:
        """Whether one comparison holds, by row."""
        scope, text = self.scope, text.strip()
        try:
            parsed = parse(text)
            root = parsed.root
            if scope.model is not None:
                refuse_inside(scope.model, parsed)
            if not isinstance(root, Comparison):
                raise ExpressionError("this is not a comparison", 0)
            scope = _read_as(scope, root, parsed.names)
        except ExpressionError as error:
            raise UsageError(expression_problem(error, text, before=f'in the condition "{short(text)}": ')) from None
        missing = next((name for name in parsed.names if name not in scope.known), None)
        if missing is not None:
            words = f'"{short(text)}" uses {missing}, which is neither measured nor known'
            raise UsageError(Problem(_CODE, words, "a condition over parameters and measured figures"))
        with np.errstate(all="ignore"):
            holds = evaluate(root, scope.known, arrays(), scope.choices)
        return np.zeros(self.size, dtype=bool) | np.asarray(holds, dtype=bool)


def _read_as(scope: Scope, root: Comparison, names: Sequence[str]) -> Scope:
    """The scope in which both sides of a comparison have one dimension, with columns as plain numbers if need be.

    Raises `ExpressionError` where there is none.
    """
    one = Number(1.0, NUMBER)
    asked = Call("where", (root, one, one), root.column)
    try:
        check(asked, scope.dimensions, scope.choices)
        return scope
    except ExpressionError as error:
        plain = {**scope.dimensions, **dict.fromkeys(scope.plain, NUMBER)}
        units = {scope.dimensions[name] for name in names if name in scope.plain}
        with suppress(ExpressionError):
            check(asked, plain, scope.choices)
            if len(units) == 1:
                return scope.replace(known={**scope.known, **scope.plain})
        raise error from None


def _stripped(tokens: Sequence[str]) -> list[str]:
    """Tokens without white space at both ends."""
    first = next((index for index, token in enumerate(tokens) if token.strip()), len(tokens))
    last = next((index for index in range(len(tokens), first, -1) if tokens[index - 1].strip()), first)
    return list(tokens[first:last])
