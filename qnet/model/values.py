"""Numbers for the parameters of a model, at one point or at a batch of points, each checked against its range."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qnet.documents import Path
from qnet.errors import InvalidInput, Problem
from qnet.expression import FLOATS, Expression, ExpressionError, Operations, Value, arrays, evaluate
from qnet.model.fields import Field
from qnet.model.model import Model, Parameter
from qnet.model.reader import caret
from qnet.units import base_unit, format_quantity

_SLACK = 1e-9


class Values:
    """The values of all parameters at a point (floats) or at `size` points (arrays), and expressions over them.

    `varied` replaces parameters by numbers; `figures` are figures of the solution, by name, where they are known.
    """

    def __init__(
        self, model: Model, varied: Mapping[str, Value], size: int | None, figures: Mapping[str, Value] | None = None
    ) -> None:
        self.model = model
        self.size = size
        self.operations: Operations = FLOATS if size is None else arrays()
        self.choices = model.choices
        self.known: dict[str, Value] = dict(figures or {})
        for name, parameter in model.parameters.items():
            if name in varied:
                value = varied[name]
            elif all(used in self.known for used in parameter.expression.names):
                value = self.evaluate(parameter.expression, parameter.path)
            else:
                continue
            self.known[name] = value
            self._check_range(parameter, value)

    def evaluate(self, expression: Expression, path: Path) -> Value:
        """The value of an expression; raises `InvalidInput` with its place where it has none."""
        try:
            if self.size is None:
                value = evaluate(expression.root, self.known, self.operations, self.choices)
                if abs(value) <= 1e300:
                    return float(value)
                raise ExpressionError("the value is too large or not a number", 0, code="QN130")
            import numpy as np

            with np.errstate(all="ignore"):
                value = evaluate(expression.root, self.known, self.operations, self.choices)
            if np.all(np.isfinite(value)):
                return value
            raise ExpressionError("the value is not finite at some of the points", 0, code="QN130")
        except ExpressionError as error:
            names = self._names(expression)
            problem = Problem(error.code, str(error) + names, path=path, help=error.help, excerpt=caret(expression.source, error.column))
            raise InvalidInput(self.model.document.place(problem)) from None

    def field(self, expression: Expression, field: Field, path: Path) -> Value:
        """The value of an expression in the domain of its field."""
        value = self.evaluate(expression, path)
        if field.low is not None and self._any(value < field.low - _SLACK):
            self._refuse(expression, path, value, f"at least {field.low:g}", value < field.low - _SLACK)
        if field.high is not None and self._any(value > field.high + _SLACK):
            self._refuse(expression, path, value, f"at most {field.high:g}", value > field.high + _SLACK)
        if field.whole and self._any(abs(value - self.operations.floor(value + 0.5)) > _SLACK):
            self._refuse(expression, path, value, "a whole number", abs(value - self.operations.floor(value + 0.5)) > _SLACK)
        return value

    def _check_range(self, parameter: Parameter, value: Value) -> None:
        if parameter.part or parameter.options:
            return
        for bound, word in ((parameter.low, "at least"), (parameter.high, "at most")):
            if bound is None or any(name not in self.known for name in bound.names):
                continue
            edge = evaluate(bound.root, self.known, self.operations, self.choices)
            slack = _SLACK * abs(edge)
            wrong = value < edge - slack if word == "at least" else value > edge + slack
            if self._any(wrong):
                shown = format_quantity(self._first(edge, wrong), base_unit(parameter.dimension), 6)
                self._refuse(parameter.expression, parameter.path, value, f"{word} {shown} (the range of the parameter)", wrong, parameter.name)

    def _refuse(self, expression: Expression, path: Path, value: Value, expected: str, wrong: Any, name: str = "") -> None:
        found = f"{self._first(value, wrong):.6g}"
        subject = f"{name} is" if name else "the value is"
        source = f' ("{expression.source}")' if expression.names else ""
        problem = Problem("QN211", f"{subject} {found}{source}{self._names(expression, wrong)}", expected, path)
        raise InvalidInput(self.model.document.place(problem))

    def _names(self, expression: Expression, wrong: Any = None) -> str:
        """The values of the names of an expression, for a message."""
        parts = []
        for name in expression.names[:6]:
            if name in self.known and name not in self.choices:
                parts.append(f"{name} = {self._first(self.known[name], wrong):.6g}")
        return f" where {', '.join(parts)} in base units" if parts else ""

    def _any(self, condition: Any) -> bool:
        return bool(condition) if isinstance(condition, bool) else bool(condition.any())

    def _first(self, value: Value, wrong: Any) -> float:
        """The first element of a value for which a condition holds."""
        if isinstance(value, (int, float)):
            return float(value)
        if wrong is None or isinstance(wrong, bool):
            return float(value.flat[0])
        return float(value[wrong.argmax()]) if value.ndim and wrong.ndim else float(value.flat[0])
