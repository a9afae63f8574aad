"""Numbers for the parameters of a model, at one point or at a batch of points, each checked against its range."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from qnet.documents import Path
from qnet.errors import Problem, QnetError, short
from qnet.expression import FLOATS, Expression, ExpressionError, Operations, Value, arrays, evaluate, expression_problem
from qnet.expression.nodes import Number
from qnet.lazy import np
from qnet.model.fields import Field
from qnet.model.keys import keys_of
from qnet.model.model import Model, Parameter, fact
from qnet.record import Record
from qnet.units import NUMBER, RATE, Dimension, base_unit, format_number, format_quantity

_Bound = TypeVar("_Bound")

_ROUNDING = 1e-12
"""How far rounding may take a value beyond its domain; it is then set to the end of the domain."""
_SLACK = 1e-9
"""How far rounding may take an integer or an end; any number well above 1e-12 and below real differences works."""
_SMALLEST, _LARGEST = 1e-300, 1e300
"""Rates but 0 are between these: quotients of smaller ones have no digits."""
LEAST, MOST = 1e-90, 1e90
"""Numbers of a network but rates, and their products, are 0 or between these: others are a mistake of units, and would
overflow. The least load that is too much is searched for from any rate."""
_SHARES = ("probability", "visits", "share", "exempt")
"""The keys of shares, and of visits, which often follow from one."""
_PERCENT = 5
"""From here on a share above 1 may be meant in percent; a choice."""
_USUAL = 1e-12, 1e12
"""Products of a few numbers between these are within the limits."""


class _Still(Record):
    """What of a model does not change with some of its parameters."""

    known: dict[str, Value]
    """The values of parameters that rest on none of them."""
    moved: tuple[Parameter, ...]
    """All others."""
    numbers: dict[tuple[int, int], tuple[Expression, Field, Value]]
    """The numbers of the network that rest on none of them, by the identities of expression and field."""
    bound: dict[tuple[int, ...], Any]
    """Parts of the network whose numbers are all among these, by the identities of what they are bound from."""


@fact
def still(model: Model) -> dict[frozenset[str], _Still]:
    """By the parameters of `model` that are replaced, what does not change with them, as far as it was asked for."""
    return {}


def standing_values(model: Model, known: Mapping[str, Value], replaced: Container[str]) -> dict[str, Value]:
    """Those values of parameters that rest on parameters alone, and on none of the `replaced` ones.

    known   the values of parameters of `model`, without replacements.
    """
    result: dict[str, Value] = {}
    for name, item in model.parameters.items():
        rests_on = [used for part in (item.expression, item.low, item.high) if part for used in part.names]
        if name not in replaced and name in known and all(used in result for used in rests_on):
            result[name] = known[name]
    return result


class Values:
    """The values of all parameters at a point (floats) or at `size` points (arrays), and expressions over them.

    `varied` replaces parameters by numbers; `figures` are figures of the solution, by name, where they are known;
    `standing` are values of parameters that need not be evaluated, as from `standing_values`. Parameters that need
    figures that are not known are left out.

    Raises `InvalidInput` for a value outside its range, or an expression that has no value; `UsageError` where an
    option set what it rests on.
    """

    def __init__(
        self,
        model: Model,
        varied: Mapping[str, Value],
        size: int | None,
        figures: Mapping[str, Value] | None = None,
        standing: Mapping[str, Value] | None = None,
    ) -> None:
        self.model = model
        self.size = size
        self.operations: Operations = FLOATS if size is None else arrays()
        self.choices = model.choices
        self._keys = keys_of(model)
        self.known: dict[str, Value] = {**(standing or {}), **(figures or {})}
        self.extreme = False
        """Whether a number of the network is so small or large that products of such numbers may be out of range."""
        self.moving = 0
        """How many numbers of the network were evaluated that may change with what is replaced."""
        self.still: _Still | None = None if size is None else still(model).get(frozenset(varied))
        """What does not change with the parameters that are replaced, of a batch: it is worked out once."""
        if self.still is not None:
            self.known = {**self.still.known, **self.known}
        every = model.parameters.values() if self.still is None else self.still.moved
        if standing:
            every = [item for item in every if item.name not in standing]
        later = [item for item in every if not self._state(item, varied)]
        for parameter in later:
            self._check_range(parameter, self.known[parameter.name])
        if size is not None and self.still is None:
            self.still = still(model)[frozenset(varied)] = self._standing(varied)

    def _standing(self, varied: Mapping[str, Value]) -> _Still:
        """What rests on parameters alone, and on none of those that are replaced."""
        known = standing_values(self.model, self.known, varied)
        moved = [item for name, item in self.model.parameters.items() if name not in known]
        return _Still(known, tuple(moved), {}, {})

    def _state(self, parameter: Parameter, varied: Mapping[str, Value]) -> bool:
        """Give a parameter its value, if what it needs is known; False where an end of its range is not known yet."""
        name = parameter.name
        if name in varied:
            value = float(varied[name]) if self.size is None else varied[name]
        elif all(used in self.known for used in parameter.expression.names):
            value = self.evaluate(parameter.expression, parameter.path)
        else:
            return True
        self.known[name] = value
        bounded = (parameter.low or parameter.high) and not parameter.part
        return not bounded or self._check_range(parameter, value)

    def evaluate(self, expression: Expression, path: Path) -> Value:
        """The value of an expression; raises `InvalidInput` with its place where it has none."""
        root = expression.root
        if isinstance(root, Number) and root.value <= _LARGEST:
            return root.value
        try:
            if self.size is None:
                value = evaluate(root, self.known, self.operations, self.choices)
                if abs(value) <= _LARGEST:
                    return float(value)
                raise ExpressionError("the value is too large or not a number", 0, code="QN130")

            with np.errstate(all="ignore"):
                value = evaluate(root, self.known, self.operations, self.choices)
                small = abs(value) <= _LARGEST
            if small if isinstance(small, bool) else self.operations.all(small):
                return value
            raise ExpressionError("the value is not finite at some of the points", 0, code="QN130")
        except ExpressionError as error:
            problem = expression_problem(error, expression.source, path, after=self.at(expression.names))
            raise self.model.refusal(problem, expression.names) from None

    def field(self, expression: Expression, field: Field, path: Path) -> Value:
        """The value of an expression in the domain of its field; raises `InvalidInput` where it is outside."""
        if self.still is not None:
            known = self.still.numbers.get((id(expression), id(field)))
            if known is not None:
                return known[2]
        value = self.evaluate(expression, path)
        dimension = field.dimension or NUMBER
        if _unusual(value):
            rate = dimension == RATE
            least, most = (_SMALLEST, _LARGEST) if rate else (LEAST, MOST)
            self.extreme |= not rate
            wrong = (value > most) | ((value < least) & (value > 0))
            if _any(wrong):
                unit = base_unit(dimension)
                expected = f"0, or from {format_quantity(least, unit)} to {format_quantity(most, unit)}"
                self._refuse(expression, path, value, expected, wrong, dimension)
        if field.low is not None and _any(value < field.low):
            self._refuse(
                expression,
                path,
                value,
                f"at least {format_number(field.low)}",
                value < field.low - _ROUNDING,
                dimension,
            )
            value = self.operations.maximum([value, field.low])
        if field.high is not None and _any(value > field.high):
            self._refuse(
                expression,
                path,
                value,
                f"at most {format_number(field.high)}",
                value > field.high + _ROUNDING,
                dimension,
            )
            value = self.operations.minimum([value, field.high])
        if field.integer:
            wrong = abs(value - self.operations.floor(value + 0.5)) > _SLACK
            self._refuse(expression, path, value, "an integer", wrong, dimension)
        if self.still and all(name in self.still.known for name in expression.names) and not _unusual(value):
            self.still.numbers[id(expression), id(field)] = expression, field, value
        else:
            self.moving += 1
        return value

    def kept(self, of: tuple[object, ...], bind: Callable[[], _Bound]) -> _Bound:
        """A part of the network, bound once for all batches where none of its numbers change.

        of     the parts of the model that it is bound from; `bind` evaluates its numbers as `field` does.
        """
        if self.still is None:
            return bind()
        key = tuple(map(id, of))
        if key not in self.still.bound:
            before = self.moving
            result = bind()
            if self.moving > before:
                return result
            self.still.bound[key] = result
        return self.still.bound[key]

    def integer(self, expression: Expression, field: Field, path: Path) -> int:
        """The value of an expression that is an integer, the same at all points."""
        value = self.field(expression, field, path)
        if not isinstance(value, (int, float)):
            value = value.flat[0]
        return int(value + 0.5)

    def record(self, made: type[_Bound], kind: str, item: Record, path: Path, /, **given: Any) -> _Bound:
        """A record of the network from one of the model: every number and word that the field table has for it.

        made     its class; the values of attributes that are no key are those given, or their defaults.
        kind     the table of the language.
        item     what the model states.
        path     of the table in the file.
        given    attributes that are no key, or that a key alone does not determine.
        Raises   `InvalidInput` for a number outside its domain, `UsageError` where an option set what it rests on.
        """
        record: Any = made
        numbers, words, others, arranged = self._keys.made(record, kind, item, given)
        computed: list[Any] = []
        for name, field, key, position, default in numbers:
            value = item[position] if position >= 0 else key.of(item)
            if value is None:
                computed.append(default)
            elif field.integer:
                computed.append(self.integer(value, field, (*path, name)))
            else:
                computed.append(self.field(value, field, (*path, name)))
        for key, default in words:
            value = key.of(item)
            computed.append(default if value in (None, "") else value)
        return record(*arranged((*given.values(), *others, *item, *computed)))

    def _check_range(self, parameter: Parameter, value: Value) -> bool:
        """Refuse a value outside its range; False where an end of the range is not known yet."""
        for index, bound in enumerate((parameter.low, parameter.high)):
            if bound is None:
                continue
            if any(name not in self.known for name in bound.names):
                return False
            edge = self.evaluate(bound, (*parameter.path, "range", index))
            slack = _SLACK * abs(edge)
            wrong = value > edge + slack if index else value < edge - slack
            if _any(wrong):
                unit, most = base_unit(parameter.dimension), "most" if index else "least"

                def expected(point: Any, edge: Value = edge, unit: str = unit, most: str = most) -> str:
                    return f"at {most} {format_quantity(_first(edge, point), unit, 6)} (the range of the parameter)"

                self._refuse(
                    parameter.expression, parameter.path, value, expected, wrong, parameter.dimension, parameter.name,
                    bound.names,
                )  # fmt: skip
        return True

    def check_sum(self, total: Value, what: str, path: Path, terms: Mapping[str, Expression]) -> None:
        """Refuse numbers that do not sum to one at every point."""
        wrong = abs(total - 1.0)
        if self.operations.all(wrong <= 1e-9):
            return
        item: Any = None
        result = total
        if not isinstance(total, (int, float)):
            item = wrong == wrong.max()
            result = total.flat[item.argmax()]
        names = dict.fromkeys(name for expression in terms.values() for name in expression.names)
        text = f"{what} sum to {result:.6g}{self.at(names, item)}"
        help = "check " + " + ".join(terms)
        raise self.model.refusal(Problem("QN221", text, "a sum of 1", path=path, help=help), names)

    def _refuse(
        self,
        expression: Expression,
        path: Path,
        value: Value,
        expected: str | Callable[[Any], str],
        wrong: Any,
        dimension: Dimension,
        name: str = "",
        rests_on: Sequence[str] = (),
    ) -> None:
        """Raise the error of the first point where a value is wrong, if there is one; it knows those of the others."""
        if not _any(wrong):
            return
        unit = base_unit(dimension)
        source = f' ("{short(expression.source)}")' if expression.names else ""

        def refusal(point: Any) -> QnetError:
            result = format_quantity(_first(value, point), unit, 6)
            text = f"{name or 'the value'} is {result}{source}{self.at(expression.names, point)}"
            domain = expected if isinstance(expected, str) else expected(point)
            help = self._percentage(expression, path, point, name)
            problem = Problem(code="QN211", found=text, expected=domain, path=path, help=help)
            return self.model.refusal(problem, [name, *expression.names, *rests_on])

        error = refusal(wrong)
        if self.size is not None:
            error.at = np.broadcast_to(wrong, (self.size,))
            error.alone = lambda point: refusal(point).problems[0]
        raise error

    def _percentage(self, expression: Expression, path: Path, point: Any, name: str) -> str:
        """The advice where a share may be meant as a percentage, such as `1 - hit` with hit = 80; else empty.

        name   the parameter whose range the expression leaves; empty where it is a value of a key.
        """
        bound = self.model.parameters[name].high if name else None
        ends_at_1 = bound is not None and isinstance(bound.root, Number) and bound.root.value == 1
        if not (ends_at_1 or (path and path[-1] in _SHARES)):
            return ""
        used = [item for item in expression.names if item in self.known]
        numbers = {item: _first(self.known[item], point) for item in used}
        if isinstance(expression.root, Number):
            numbers = {name: expression.root.value}
        for item, number in numbers.items():
            if _PERCENT <= number <= 100:
                return f'a percentage is written {item} = "{number:g}%"' if item else f'a percentage is "{number:g}%"'
        return ""

    def at(self, names: Iterable[str], wrong: Any = None) -> str:
        """The values of some parameters, for a message: ` where rate = 600/s`.

        wrong   where something is wrong, elementwise, and the first such point is reported; or the number of a point
        """
        parts: list[str] = []
        for name in names:
            parameter = self.model.parameters.get(name)
            if parameter is None or name not in self.known or len(parts) == 6:
                continue
            value = _first(self.known[name], wrong)
            if parameter.options:
                parts.append(f"{name} = {parameter.options[int(value)]}")
            else:
                parts.append(f"{name} = {format_quantity(value, base_unit(parameter.dimension), 6)}")
        return f" where {', '.join(parts)}" if parts else ""


def _unusual(value: Value) -> bool:
    """Whether a value, or any of them, is so small or large that its products may be out of range."""
    least, most = _USUAL
    if isinstance(value, (int, float)):
        return value > most or (value < least and value != 0)
    return _any((value > most) | ((value < least) & (value != 0)))


def _any(condition: Any) -> bool:
    return condition if isinstance(condition, bool) else bool(np.count_nonzero(condition))


def _first(value: Value, wrong: Any) -> float:
    """The first element of a value for which a condition holds."""
    if isinstance(value, (int, float)) or not getattr(value, "ndim", 0):
        return float(value)
    if isinstance(wrong, int) and not isinstance(wrong, bool):
        return float(value[wrong])
    if wrong is None or isinstance(wrong, bool) or not wrong.ndim:
        return float(value.flat[0])
    return float(value[wrong.argmax()])
