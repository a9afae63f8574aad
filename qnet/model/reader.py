"""Reading the tables of a model by the field table, collecting every problem on the way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from qnet.documents import Document, Path
from qnet.errors import InvalidInput, Names, Problem, short, suggest
from qnet.expression import Choices, Expression, ExpressionError, check, expression_problem, parse
from qnet.expression.nodes import Name
from qnet.lazy import lazy
from qnet.model.fields import TABLES, Field
from qnet.model.keys import Keys
from qnet.record import Record
from qnet.units import DATA, DATA_RATE, NUMBER, RATE, TIME, Dimension, base_unit

if TYPE_CHECKING:
    from qnet.model import other_words
else:
    other_words = lazy("qnet.model.other_words")

MAX_PROBLEMS = 100
"""Most problems that are reported; a choice: people do not read more."""
MAX_TEXT = 400
"""Most characters of a title or a description; a choice."""
MAX_NAME = 100
"""Most characters of a name; a choice."""
_MAX_SHOWN = 20
"""Most parameters that a message lists; a choice."""

Table = dict[str, Any]

_Stated = TypeVar("_Stated", bound=Record)

_TOGETHER = {"class": "QN214", "chain": "QN214", "step": "QN209"}
"""The code for a key that needs or excludes another one, by table; QN213 for all other tables."""
_EXAMPLE_UNITS = {TIME: " ms", RATE: "/s", DATA: " KiB", DATA_RATE: " MB/s"}


class Reader:
    """Reads the values of one document and keeps a list of what is wrong with it."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Problem] = []
        self.broken: set[str] = set()
        """Names whose definition could not be read: expressions that use them are not checked."""
        self.keys = Keys()

    def fail(self, code: str, path: Path, result: str, expected: str = "", help: str = "") -> None:
        """Note a problem and go on; raises `InvalidInput` with all problems where there are too many."""
        self.note(Problem(code=code, found=result, expected=expected, path=path, help=help))

    def note(self, problem: Problem) -> None:
        """Note a problem, as `fail` does."""
        self.problems.append(problem)
        if len(self.problems) >= MAX_PROBLEMS:
            self.finish(Problem("QN206", f"there are {MAX_PROBLEMS} problems or more; the rest is not shown"))

    def finish(self, *last: Problem) -> None:
        """Raise `InvalidInput` with all problems, in the order of the file, if there are any."""
        if self.problems:
            placed = [self.document.located(problem) for problem in dict.fromkeys(self.problems)]
            placed.sort(key=lambda problem: (problem.file != self.document.name, problem.line))
            raise InvalidInput(*placed, *(self.document.located(problem) for problem in last))

    def blamed(self, path: Path, below: int = MAX_TEXT) -> bool:
        """Whether there is a problem at a path, or at most `below` keys below it."""
        length = len(path)
        problems = (problem.path for problem in self.problems)
        return any(item[:length] == path and len(item) <= length + below for item in problems)

    def misspelt(self, path: Path) -> bool:
        """Whether the table at a path has an unknown key, which may be a misspelt one."""
        return any(item.code == "QN202" and item.path[:-1] == path for item in self.problems)

    def stated(self, path: Path) -> bool:
        """Whether the document has a value at a path."""
        value: Any = self.document.data
        for part in path:
            inside = (isinstance(value, dict) and part in value) or (
                isinstance(value, list) and isinstance(part, int) and part < len(cast("list[Any]", value))
            )
            if not inside:
                return False
            value = cast("Any", value)[part]
        return True

    # Values

    def table(self, raw: Any, kind: str, path: Path) -> Table:
        """The values of a table by key: expressions parsed, defaults filled in, fields of kind `other` unchanged.

        A key whose value could not be read is left out; unknown and missing keys are noted.
        """
        fields = TABLES[kind]
        if not isinstance(raw, dict):
            self.fail("QN201", path, f"found {describe(raw)}", "a table with " + ", ".join(fields))
            return {}
        given = cast("dict[str, Any]", raw)
        values: Table = {}
        for key, value in given.items():
            if key not in fields:
                help = other_words.WHAT_TO_WRITE.get(kind, {}).get(key.lower()) or suggest(key, list(fields))
                self.fail("QN202", (*path, key), f'unknown key "{short(key)}"', help=help)
                continue
            result = self.value(value, fields[key], (*path, key))
            if result is not None:
                values[key] = result
        for key, field, default in self.keys.unstated(kind):
            if key in given:
                continue
            if field.required:
                self.fail("QN203", path, f'"{key}" is missing', field.help)
            else:
                values[key] = default
        # A step is checked by its form, in `RouteReader.form`.
        if kind != "step":
            self.together(given, values, kind, path)
        return values

    def record(self, made: type[_Stated], kind: str, values: Table, /, **stated: Any) -> _Stated:
        """The record of a table from its values, as `table` returns them.

        made     its class.
        kind     the table of the language.
        stated   attributes that are no key, or that a key alone does not determine.
        """
        return self.keys.filled(made, kind, values, **stated)

    def together(self, given: Table, values: Table, kind: str, path: Path) -> None:
        """Note the keys of a table that need another one which is not stated, or exclude one that is.

        given   the table as stated.
        values  its values that could be read; another key excludes nothing, as it is a problem already.
        kind    the table of the language.
        path    the path of the table.
        """
        for key, field in self.keys.bound(kind):
            if key not in given:
                continue
            if field.needs and given.keys().isdisjoint(field.needs):
                either = " or ".join(field.needs)
                text = f"{key} is used in a {kind} without {either}"
                self.fail(_TOGETHER.get(kind, "QN213"), (*path, key), text, f"{key} with {either}")
            for other, reason in field.excludes:
                if other in given and (value := values.get(other)):
                    shown = f"{other} = true" if value is True else other
                    why = reason.format(value) or " and ".join(sorted((key, other))) + " exclude each other"
                    text = f"{key} is used with {shown}"
                    self.fail(_TOGETHER.get(kind, "QN213"), (*path, key), text, f"no {key}: {why}")

    def value(self, raw: Any, field: Field, path: Path) -> Any:
        """One value by its field; None where it cannot be read."""
        match field.kind:
            case "expression":
                return self.expression(raw, path)
            case "text":
                return self.text(raw, path, field.help)
            case "word":
                return self.word(raw, field.options, path)
            case "names":
                return self.names(raw, path, field.help)
            case "integer":
                return self.integer(raw, field, path)
            case "flag":
                if isinstance(raw, bool):
                    return raw
                self.fail("QN204", path, f"found {describe(raw)}", "true or false")
                return None
            case _:
                return raw

    def word(self, raw: Any, options: tuple[str, ...], path: Path) -> str | None:
        """One of the words of `options`; None, with a problem noted, for anything else."""
        if isinstance(raw, str) and raw in options:
            return raw
        help = ""
        if isinstance(raw, str):
            known = other_words.WORDS_TO_WRITE.get(str(path[-1]), {}).get(raw.lower()) or suggest(raw, options)
            # The options follow already.
            help = "" if isinstance(known, Names) else known
        self.fail("QN204", path, f"found {describe(raw)}", "one of " + ", ".join(options), help)
        return None

    def text(self, raw: Any, path: Path, expected: str) -> str | None:
        """A text without control characters."""
        if isinstance(raw, str) and raw.strip() and raw.isprintable() and len(raw) <= MAX_TEXT:
            return raw
        self.fail("QN204", path, f"found {describe(raw)}", f"a line of text: {expected}")
        return None

    def names(self, raw: Any, path: Path, expected: str) -> tuple[str, ...] | None:
        """A text or a list of different texts."""
        items = cast("list[Any]", raw) if isinstance(raw, list) else [raw]
        for item in items:
            if not (isinstance(item, str) and item.strip() and item.isprintable()):
                self.fail("QN204", path, f"found {describe(item)}", f"a text or a list of texts: {expected}")
                return None
        if len(set(items)) < len(items):
            self.fail("QN204", path, "a text is repeated", f"distinct texts: {expected}")
            return None
        return tuple(items)

    def integer(self, raw: Any, field: Field, path: Path) -> int | None:
        """A literal integer in the domain of its field."""
        low, high = field.low or 0, field.high or 0
        if isinstance(raw, int) and not isinstance(raw, bool) and low <= raw <= high:
            return raw
        self.fail("QN204", path, f"found {describe(raw)}", f"an integer from {low:g} to {high:g}")
        return None

    def label(self, name: str, path: Path) -> None:
        """Note a name that cannot be shown in a report."""
        if not (name.strip() and name.isprintable() and len(name) <= MAX_NAME):
            self.fail("QN207", path, f"{describe(name)} cannot be a name", f"at most {MAX_NAME} printable characters")

    # Expressions

    def expression(self, raw: Any, path: Path) -> Expression | None:
        """A number or the text of an expression, parsed."""
        if isinstance(raw, bool) or not isinstance(raw, (int, float, str)):
            self.fail("QN204", path, f"found {describe(raw)}", "a number or an expression in quotes")
            return None
        if not isinstance(raw, str) and not abs(raw) < 1e300:
            self.fail("QN204", path, f"found {describe(raw)}", "a finite number")
            return None
        try:
            return parse(raw)
        except ExpressionError as error:
            self.note(expression_problem(error, str(raw), path))
            return None

    def dimension(
        self,
        expression: Expression,
        wanted: Dimension | None,
        path: Path,
        names: Mapping[str, Dimension],
        choices: Choices,
    ) -> Dimension | None:
        """Check the names and the dimension of an expression; None where it has a problem."""
        try:
            result = check(expression.root, names, choices)
        except ExpressionError as error:
            if isinstance(expression.root, Name) and isinstance(error.help, Names):
                error.help = self._number_help(wanted, path, names) or error.help
            self.note(expression_problem(error, expression.source, path))
            return None
        if result is None:
            return wanted or NUMBER
        if wanted is not None and result != wanted:
            help = _unit_help(result, wanted, expression)
            self.fail("QN122", path, f'"{short(expression.source)}" is {result.describe()}', wanted.describe(), help)
            return None
        return result

    def _number_help(self, wanted: Dimension | None, path: Path, names: Mapping[str, Dimension]) -> str:
        """What to write instead of a word that is no name, such as `two`: a number, or the name of a parameter.

        Empty where there is no more to say than which names there are.
        """
        number = f"write a number, such as {_example(wanted)}"
        if wanted is None:
            stated = f"{number}, or an expression over other parameters"
            choice = f'{stated}; of a choice of words, state options = ["...", "..."]'
            return Names(choice) if path[0] == "parameters" else ""
        broken = self.broken
        known = sorted(
            name for name, dimension in names.items()
            if dimension == wanted and name not in broken and not name.endswith("')")
        )  # fmt: skip
        shown = ", ".join(known[:_MAX_SHOWN]) + (", ..." if len(known) > _MAX_SHOWN else "")
        return Names(f"{number}, or the name of a parameter: {shown}" if known else number)


def _example(wanted: Dimension | None) -> str:
    """A number of a dimension, as a file states it."""
    if wanted in (None, NUMBER):
        return "2"
    unit = _EXAMPLE_UNITS.get(wanted) or " " + base_unit(wanted)
    return f'"5{unit}"'


def describe(raw: Any) -> str:
    """A description of a value of TOML, for messages."""
    if isinstance(raw, str):
        return repr(raw if len(raw) <= 40 else raw[:37] + "...")
    if isinstance(raw, bool):
        return str(raw).lower()
    if isinstance(raw, dict):
        return "a table"
    if isinstance(raw, list):
        return "a list"
    return str(raw) if len(str(raw)) <= 40 else str(raw)[:37] + "..."


def _unit_help(result: Dimension, wanted: Dimension, expression: Expression) -> str:
    if result != NUMBER or (expression.names and not isinstance(expression.root, Name)):
        return ""
    unit = _EXAMPLE_UNITS.get(wanted) or " " + base_unit(wanted)
    if expression.names:
        return f'add the unit to the value of "{expression.source}", such as "5{unit}"' if unit.strip() else ""
    return f'add the unit, such as "{expression.source}{unit}"' if unit.strip() else ""
