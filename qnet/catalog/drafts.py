"""Read part files as far as they are valid, and evaluate their values in order of dependency.

Faults become problems instead of errors, so that all of them can be reported at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from qnet.documents import Document
from qnet.errors import Problem, suggest
from qnet.expression import Expression, ExpressionError, check, evaluate, expression_problem, parse
from qnet.expression.nodes import Name, walk
from qnet.lazy import lazy
from qnet.record import Record
from qnet.units import NUMBER, Dimension

if TYPE_CHECKING:
    import graphlib
else:
    graphlib = lazy("graphlib")


class Derivation(Record):
    """The evaluated values of a part, in order of dependency, without faulty ones and those that depend on them."""

    dimensions: dict[str, Dimension]
    """Name of a value -> its dimension."""
    amounts: dict[str, float]
    """Name of a value -> the value in base units, such as seconds and bytes."""
    problems: list[Problem]


def derive(expressions: Mapping[str, Expression | None]) -> Derivation:
    """Evaluate the values of a part, each an expression over the others.

    expressions  name -> expression; None for one that could not be read.
    Returns      the values, and the problems of faulty ones. A value that depends on a faulty one is left out without a
                 further problem, so that each mistake is reported once.
    """
    order, problems = _order(expressions)
    derivation = Derivation({}, {}, problems)
    for name in order:
        expression = expressions[name]
        if expression is None:
            continue
        unknown = _unknown_names(expression, list(expressions))
        if not unknown and any(operand not in derivation.amounts for operand in expression.names):
            continue
        try:
            if not unknown:
                derivation.dimensions[name], derivation.amounts[name] = amount(
                    expression, derivation.dimensions, derivation.amounts
                )
        except ExpressionError as error:
            unknown = [error]
        problems += [expression_problem(error, expression.source, ("parameters", name, "value")) for error in unknown]
    return derivation


def amount(
    expression: Expression, dimensions: Mapping[str, Dimension], amounts: Mapping[str, float]
) -> tuple[Dimension, float]:
    """The dimension of an expression, and its value in base units.

    expression  over the names of `dimensions` and `amounts`.
    dimensions  name -> dimension.
    amounts     name -> value in base units.
    Raises      `ExpressionError` for an unknown name, inconsistent dimensions, or a value that is not finite.
    """
    dimension = check(expression.root, dimensions, {}) or NUMBER
    value = float(evaluate(expression.root, amounts))
    if not math.isfinite(value):
        raise ExpressionError("the value is not a finite number", code="QN130")
    return dimension, value


def _unknown_names(expression: Expression, known: list[str]) -> list[ExpressionError]:
    """An error for each use of a name in an expression that is not known."""
    return [
        ExpressionError(f'unknown name "{node.name}"', node.column, suggest(node.name, known), "QN112")
        for node in walk(expression.root)
        if isinstance(node, Name) and node.name not in known
    ]


def _order(expressions: Mapping[str, Expression | None]) -> tuple[list[str], list[Problem]]:
    """The names in order of dependency, and a problem for each cycle, whose names are left out."""
    uses = {
        name: [used for used in expression.names if used in expressions] if expression else []
        for name, expression in expressions.items()
    }
    problems: list[Problem] = []
    while True:
        try:
            return [name for name in graphlib.TopologicalSorter(uses).static_order() if name in uses], problems
        except graphlib.CycleError as error:
            cycle: list[str] = list(reversed(error.args[1]))
            text = f"the value depends on itself: {' uses '.join(cycle)}"
            path = ("parameters", cycle[0], "value")
            problems.append(
                Problem(code="QN308", found=text, expected="an expression over independent values", path=path)
            )
            for name in cycle[1:]:
                uses.pop(name)


SCHEMA = 1

_PART_KEYS = ("schema", "id", "title", "description", "parameters")
_PARAMETER_KEYS = ("value", "grade", "source", "place", "note", "low", "high", "fitted_on")

Path = tuple[str | int, ...]


class DraftParameter(Record):
    """A parameter of a part file as it is written.

    Texts and lists are empty if their key is absent, and None if they could not be read; expressions are None in both
    cases.
    """

    value: Expression | None
    grade: str | None
    sources: tuple[str, ...] | None
    place: str | None
    note: str | None
    low: Expression | None
    high: Expression | None
    fitted_on: tuple[str, ...] | None


class Draft(Record):
    """A part file: its contents, and the problems of what could not be read."""

    path_id: str
    """The id that the path of the file implies."""
    document: Document
    id: str | None
    """The id that the file states; None if it could not be read, likewise the title and the description."""
    title: str | None
    description: str | None
    parameters: dict[str, DraftParameter]
    derivation: Derivation
    problems: list[Problem]


def draft(path_id: str, document: Document) -> Draft:
    """Read a part file as far as it is valid; faults become problems and raise nothing.

    path_id   the id that the path of the file implies.
    document  the parsed file.
    """
    reader = _Reader()
    data = document.data
    reader.known_keys(data, _PART_KEYS, ())
    schema: object = data.get("schema")
    if isinstance(schema, bool) or schema != SCHEMA:
        text = "there is no schema" if schema is None else f"the schema is {shown(schema)}"
        reader.problem(text, f"schema = {SCHEMA}", ("schema",))
    title = reader.text(data, "title", ())
    if title == "":
        reader.problem("the part has no title", 'title = "..."', ("title",))
    parameters = _parameters(reader, data)
    expressions = {name: parameter.value for name, parameter in parameters.items()}
    return Draft(
        path_id=path_id,
        document=document,
        id=reader.text(data, "id", ()),
        title=title,
        description=reader.text(data, "description", (), lines=True),
        parameters=parameters,
        derivation=derive(expressions),
        problems=reader.problems,
    )


def shown(value: object) -> str:
    """A value of a TOML file in a message: at most 60 characters, in ASCII without control characters."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _parameters(reader: _Reader, data: Mapping[str, Any]) -> dict[str, DraftParameter]:
    """The parameters of a part file by name; their faults become problems of the reader."""
    tables = data.get("parameters")
    if not isinstance(tables, dict) or not tables:
        reader.problem("the part has no parameters", "a table [parameters.NAME] for each value", ("parameters",))
        return {}
    parameters: dict[str, DraftParameter] = {}
    for name, table in cast("dict[str, Any]", tables).items():
        path = ("parameters", name)
        if isinstance(table, dict):
            parameters[name] = reader.parameter(cast("dict[str, Any]", table), path)
        else:
            text = f"the value {shown(table)} has no grade and no source"
            reader.problem(text, "a table with value, grade and source", path)
            parameters[name] = DraftParameter(
                value=None, grade=None, sources=None, place=None, note=None, low=None, high=None, fitted_on=None
            )
    return parameters


class _Reader:
    """Reads keys of tables and collects the problems of their values."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def problem(self, text: str, expected: str, path: Path, help: str = "") -> None:
        self.problems.append(Problem(code="QN302", found=text, expected=expected, path=path, help=help))

    def known_keys(self, table: Mapping[str, Any], known: tuple[str, ...], path: Path) -> None:
        for key in table:
            if key not in known:
                self.problem("unknown key", "", (*path, key), suggest(key, known))

    def parameter(self, table: Mapping[str, Any], path: Path) -> DraftParameter:
        self.known_keys(table, _PARAMETER_KEYS, path)
        if "value" not in table:
            self.problem("the parameter has no value", 'value = "7.1 ms", a number, or an expression', path)
        return DraftParameter(
            value=self.expression(table, "value", path),
            grade=self.text(table, "grade", path),
            sources=self.texts(table, "source", path),
            place=self.text(table, "place", path),
            note=self.text(table, "note", path),
            low=self.expression(table, "low", path),
            high=self.expression(table, "high", path),
            fitted_on=self.texts(table, "fitted_on", path),
        )

    def text(self, table: Mapping[str, Any], key: str, path: Path, lines: bool = False) -> str | None:
        """A text without surrounding space; empty if the key is absent, None if its value is not a valid text.

        Control characters are refused, because terminals act on them; `lines` permits line ends.
        """
        value = table.get(key, "")
        if isinstance(value, str):
            text = value.strip()
            if (text.replace("\n", " ") if lines else text).isprintable():
                return text
        expected = "a text without control characters" if lines else "a line of text without control characters"
        self.problem(f"found {shown(value)}", expected, (*path, key))
        return None

    def texts(self, table: Mapping[str, Any], key: str, path: Path) -> tuple[str, ...] | None:
        """One text or a list of texts, each once; empty if the key is absent, None if its value is anything else."""
        value: object = table.get(key, [])
        items = cast("list[object]", value) if isinstance(value, list) else [value]
        result = [item.strip() for item in items if isinstance(item, str) and item.strip()]
        if len(result) == len(items):
            return tuple(dict.fromkeys(result))
        wrong = shown(items[0]) if len(items) == 1 else "a list that holds something else"
        self.problem(f"found {wrong}", "a text or a list of texts, none of them empty", (*path, key))
        return None

    def expression(self, table: Mapping[str, Any], key: str, path: Path) -> Expression | None:
        """A number, quantity or expression; None if the key is absent or its value invalid."""
        value = table.get(key)
        if value is None:
            return None
        if isinstance(value, str):
            try:
                return parse(value)
            except ExpressionError as error:
                self.problems.append(expression_problem(error, value, (*path, key)))
                return None
        if isinstance(value, int | float) and not isinstance(value, bool) and _is_finite(value):
            return parse(value)
        self.problem(f"found {shown(value)}", 'a finite number, or a text such as "7.1 ms"', (*path, key))
        return None


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond the range of floats
        return False
