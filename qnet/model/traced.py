"""The parameters of a model as symbols, so that its network carries a formula for every number."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from qnet.documents import Path
from qnet.expression import Expression, Value, evaluate, symbols
from qnet.expression.traced import TRACING, Traced
from qnet.model.fields import RATES, Field
from qnet.model.model import Model, Parameter
from qnet.model.values import Values


class TracedValues(Values):
    """The parameters as symbols of their names, and expressions over them as formulas.

    A parameter that is an expression over others is a symbol too, and its formula is in `definitions`; where the
    formula is a number or another symbol, that replaces it. Choices, and the parameters of `fixed`, are plain numbers.

    model    has been bound before, so that all its numbers are in their domains.
    expand   replace every parameter by its formula, down to those that are no expression.
    keep     names of parameters that remain symbols; all others become numbers. None: all remain symbols.
    """

    def __init__(self, model: Model, expand: bool = False, keep: Collection[str] | None = None) -> None:
        super().__init__(model, {}, None)
        numbers: dict[str, Value] = self.known
        self.operations = TRACING
        self.known = {}
        self.definitions: dict[str, Traced] = {}
        self.symbols: dict[str, Any] = {}
        """The symbol of every parameter that has one."""
        self.fixed = tuple(_structure(model, numbers))
        """Parameters on which the structure of the network depends."""
        frozen = {*self.fixed, *model.choices}
        for name, parameter in model.parameters.items():
            if name not in numbers:
                continue
            if name in frozen:
                self.known[name] = numbers[name]
                continue
            traced = self._formula(parameter, keep)
            if traced is not None and (expand or not traced.formula.free_symbols or traced.formula.is_Symbol):
                self.known[name] = traced
                continue
            self.symbols[name] = _symbol(parameter, self.known)
            self.known[name] = Traced(numbers[name], self.symbols[name])
            if traced is not None:
                self.definitions[name] = traced

    def _formula(self, parameter: Parameter, keep: Collection[str] | None) -> Traced | None:
        """The formula of a parameter, or None where it remains a mere symbol."""
        symbolic = not parameter.expression.names if keep is None else parameter.name in keep
        return None if symbolic else self._traced(parameter.expression, parameter.path)

    def _traced(self, expression: Expression, path: Path) -> Traced:
        result = self.evaluate(expression, path)
        return result if isinstance(result, Traced) else TRACING.number(result)

    def evaluate(self, expression: Expression, path: Path) -> Value:
        """The formula of an expression; 0 and 1 are plain numbers, because solvers test for them."""
        if self.operations is not TRACING:
            return super().evaluate(expression, path)
        result = evaluate(expression.root, self.known, TRACING, self.choices)
        if isinstance(result, Traced):
            return float(result.value) if result in (0, 1) else result
        return result

    def field(self, expression: Expression, field: Field, path: Path) -> Value:
        """The formula of an expression; the plain number for a rate of `rates`."""
        result = self.evaluate(expression, path)
        return result.value if field is RATES and isinstance(result, Traced) else result

    def integer(self, expression: Expression, field: Field, path: Path) -> Any:
        """An integer, or its formula."""
        result = self.evaluate(expression, path)
        number = int((result.value if isinstance(result, Traced) else result) + 0.5)
        return Traced(number, result.formula) if isinstance(result, Traced) and result.formula.free_symbols else number


def _symbol(parameter: Parameter, known: dict[str, Value]) -> Any:
    """The symbol of a parameter, with the least value of its range as an assumption."""
    low = parameter.low
    certain = low is not None and not low.names
    least = float(evaluate(low.root, known)) if certain and low is not None else None
    return symbols().symbol(parameter.name, least)


def _structure(model: Model, numbers: dict[str, Value]) -> Iterable[str]:
    """The parameters on which the structure depends: copies with separate shares, rates, branches and joins, and
    probabilities of 0 in a chain."""
    stations = {station.name: station for station in model.stations}
    onward = [item.probability for chain in model.chains for item in chain.onward]
    never = [item for item in onward if item.names and evaluate(item.root, numbers, choices=model.choices) == 0]
    result: list[Expression] = [*never, *(rate for station in model.stations for rate in station.rates)]
    for station in model.stations:
        if station.rate_formula is not None and station.capacity is not None:
            result.append(station.capacity)
        hot = station.split.hot
        same = hot is not None and evaluate(hot.root, numbers) == evaluate(station.copies.root, numbers)
        if station.split.kind == "listed" or same:
            result += [item for item in (station.copies, hot) if item is not None]
    for customers in model.classes:
        for route in customers.routes:
            pending = list(route.steps)
            while pending:
                step = pending.pop()
                pending += step.inner
                result += [
                    item for item in (step.join, *(branch.copies for branch in step.branches)) if item is not None
                ]
                if step.copy is not None:
                    station = stations[step.station]
                    result += [step.copy, (stations[station.follows] if station.follows else station).copies]
    names: dict[str, None] = {}
    unresolved = [name for expression in result for name in expression.names]
    while unresolved:
        name = unresolved.pop()
        if name not in names and name in model.parameters:
            names[name] = None
            unresolved += model.parameters[name].expression.names
    return [name for name in model.parameters if name in names]
