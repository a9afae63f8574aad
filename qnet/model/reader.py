"""Reading the tables of a model by the field table, collecting every problem on the way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qnet.documents import Document, Path
from qnet.errors import InvalidInput, Problem, suggest
from qnet.expression import Choices, Expression, ExpressionError, check, parse
from qnet.model.fields import TABLES, Field
from qnet.units import NUMBER, Dimension

Table = dict[str, Any]


class Reader:
    """Reads the values of one document and keeps a list of what is wrong with it."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Problem] = []

    def fail(self, code: str, path: Path, found: str, expected: str = "", help: str = "", excerpt: str = "") -> None:
        """Note a problem and go on."""
        problem = Problem(code, found, expected, path, help, excerpt=excerpt)
        if len(self.problems) < 200:
            self.problems.append(problem)

    def finish(self) -> None:
        """Raise `InvalidInput` with all problems, in the order of the file, if there are any."""
        if self.problems:
            placed = [self.document.place(problem) for problem in dict.fromkeys(self.problems)]
            raise InvalidInput(*sorted(placed, key=lambda problem: problem.line))

    def table(self, raw: Any, kind: str, path: Path) -> Table:
        """The values of a table, read by its fields: expressions parsed, defaults filled in, `other` left as they are.

        A key whose value could not be read is left out; unknown and missing keys are noted.
        """
        if not isinstance(raw, dict):
            self.fail("QN201", path, f"found {describe(raw)}", f"a table: {' '.join(TABLES[kind])}")
            return {}
        fields = TABLES[kind]
        given: dict[str, Any] = raw  # pyright: ignore[reportUnknownVariableType]
        values: Table = {}
        for key, value in given.items():
            if key not in fields:
                self.fail("QN202", (*path, key), f'unknown key "{key}"', help=suggest(key, list(fields)))
                continue
            result = self.value(value, fields[key], (*path, key))
            if result is not None:
                values[key] = result
        for key, field in fields.items():
            if key in given:
                continue
            if field.required:
                self.fail("QN203", path, f'"{key}" is missing', field.help)
            elif field.default is not None:
                values[key] = parse(field.default) if field.kind == "expression" and not isinstance(field.default, str) else field.default
        return values

    def value(self, raw: Any, field: Field, path: Path) -> Any:
        """One value by its field; None where it cannot be read."""
        match field.kind:
            case "expression":
                return self.expression(raw, path)
            case "text":
                return self.text(raw, path, field.help)
            case "word":
                if raw in field.options:
                    return raw
                self.fail("QN204", path, f"found {describe(raw)}", "one of " + ", ".join(field.options), suggest(str(raw), field.options))
                return None
            case "flag":
                if isinstance(raw, bool):
                    return raw
                self.fail("QN204", path, f"found {describe(raw)}", "true or false")
                return None
            case "names":
                items: list[Any] = raw if isinstance(raw, list) else []  # pyright: ignore[reportUnknownVariableType]
                if isinstance(raw, list) and all(isinstance(item, str) for item in items):
                    return tuple(items)
                self.fail("QN204", path, f"found {describe(raw)}", "a list of texts")
                return None
            case _:
                return raw

    def text(self, raw: Any, path: Path, expected: str) -> str | None:
        """A text without control characters."""
        if isinstance(raw, str) and raw.strip() and raw.isprintable() and len(raw) <= 400:
            return raw
        self.fail("QN204", path, f"found {describe(raw)}", f"a line of text: {expected}")
        return None

    def expression(self, raw: Any, path: Path) -> Expression | None:
        """A number or the text of an expression, parsed."""
        if isinstance(raw, bool) or not isinstance(raw, (int, float, str)):
            self.fail("QN204", path, f"found {describe(raw)}", "a number or an expression in quotes")
            return None
        try:
            return parse(raw if isinstance(raw, str) else finite(raw))
        except ExpressionError as error:
            self.expression_problem(error, str(raw), path)
            return None

    def expression_problem(self, error: ExpressionError, source: str, path: Path) -> None:
        """Note what is wrong with an expression, with a caret under the place."""
        self.fail(error.code, path, str(error), help=error.help, excerpt=caret(source, error.column))

    def dimension(
        self, expression: Expression, wanted: Dimension | None, path: Path, names: Mapping[str, Dimension], choices: Choices
    ) -> Dimension | None:
        """Check the names and the dimension of an expression; None where it has a problem."""
        try:
            found = check(expression.root, names, choices)
        except ExpressionError as error:
            self.expression_problem(error, expression.source, path)
            return None
        if found is None:
            return wanted or NUMBER
        if wanted is not None and found != wanted:
            help = _unit_help(found, wanted, expression)
            self.fail("QN122", path, f'"{expression.source}" is {found.describe()}', wanted.describe(), help)
            return None
        return found


def finite(value: float) -> float:
    """The number, or `ExpressionError` for an infinite one, not-a-number or one beyond a float."""
    number = float(value) if abs(value) < 1e300 else float("inf")
    if not abs(number) < 1e300:
        raise ExpressionError(f"{value} is not a finite number", 0)
    return number


def caret(source: str, column: int) -> str:
    """The text around a place, and a caret under it."""
    start = max(0, column - 60)
    window = source[start : start + 100].replace("\n", " ")
    prefix = "... " if start else ""
    return f"{prefix}{window}\n{' ' * (column - start + len(prefix))}^"


def describe(raw: Any) -> str:
    """What a value of TOML is, for messages."""
    if isinstance(raw, str):
        return repr(raw if len(raw) <= 40 else raw[:37] + "...")
    if isinstance(raw, bool):
        return str(raw).lower()
    if isinstance(raw, dict):
        return "a table"
    if isinstance(raw, list):
        return "a list"
    return str(raw)


def _unit_help(found: Dimension, wanted: Dimension, expression: Expression) -> str:
    if found == NUMBER and not expression.names:
        unit = {"time": "ms", "rate": "/s"}.get("time" if wanted.time > 0 else "rate" if wanted.time < 0 else "", "B")
        separator = "" if unit.startswith("/") else " "
        return f'add the unit, such as "{expression.source}{separator}{unit}"'
    return ""
