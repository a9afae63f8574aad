"""The axes of knees: a parameter that sets a population or an arrival rate, or the mix of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.errors import Problem, UsageError, suggest
from qnet.expression import FLOATS, Expression, evaluate, parse
from qnet.expression.nodes import Binary, Name, Number
from qnet.lazy import np
from qnet.model.grids import varied
from qnet.model.model import ChainModel, ClassModel, Model, Parameter
from qnet.model.scope import closure
from qnet.model.values import Values
from qnet.questions.points.domain import stated_value
from qnet.record import Record
from qnet.units import NUMBER, RATE, format_number

_USUAL = {True: ("users", "customers", "population"), False: ("rate", "arrival_rate")}
"""The names that decide between several parameters, for closed classes (True) and open ones (False)."""
_TOTAL = "total rate"
"""An added parameter; no model can have one of this name."""


class GrowthAxis(Record):
    """An axis along which load grows, with its parameters and classes."""

    name: str
    model: Model
    """The model, with the parameters that the axis needs."""
    parameters: tuple[str, ...]
    weights: tuple[float, ...]
    """The value of each parameter per unit along the axis."""
    classes: tuple[int, ...]
    """The indices of the growing classes and chains, among the customers of the model."""
    closed: bool
    """Whether it counts customers of closed classes; otherwise it is an arrival rate."""
    least: float
    last: float
    """The largest value that the range of the parameters allows."""
    shown: tuple[tuple[str, float], ...]
    """The settings per unit along the axis: each parameter by its name in the model, with its weight."""

    @property
    def mix(self) -> bool:
        """Whether it counts customers of several parameters, which grow in proportion."""
        return self.closed and len(self.parameters) > 1

    @property
    def growing(self) -> tuple[str, ...]:
        """The names of the classes that grow, where others are constant; empty where all grow."""
        names = [item.name for item in self.model.customers]
        return tuple(names[index] for index in self.classes) if len(self.classes) < len(names) else ()

    def real(self, values: Any) -> dict[str, Any]:
        """The columns of parameters at values along the axis; fractions are kept."""
        return {name: values * weight for name, weight in zip(self.parameters, self.weights, strict=True)}

    def customers(self, values: Any) -> Any:
        """The customers, or arrival rates, of each growing class at values along the axis: (classes, values)."""
        known = Values(self.model, self.real(values), len(values))
        loads = [known.evaluate(load_of(self.model.customers[index]), ()) for index in self.classes]
        return np.stack([np.broadcast_to(load, (len(values),)) for load in loads]).astype(float)

    def setting(self, value: float) -> str:
        """The settings for a value, such as `users=196` or `rate=812/s`."""
        parts = [value * weight for _, weight in self.shown]
        if self.mix:
            parts = [float(part) for part in apportioned(int(value), self.weights)]
        unit = "" if self.closed else "/s"
        names = [name for name, _ in self.shown]
        return ", ".join(f"{name}={format_number(part, 9)}{unit}" for name, part in zip(names, parts, strict=True))


def apportioned(total: int, weights: Sequence[float]) -> list[int]:
    """An integer split in given proportions, so that no part falls as the number grows.

    weights   shares that sum to 1.
    Method    Webster's divisors: the next customer goes to the class with the largest weight / (its number + 1/2).
    Source    @balinski1982, on why remainders are not monotone and divisors are.
    """
    # From safely below the shares, so that ties are always broken in the same order.
    parts = [max(0, int(total * weight) - len(weights)) for weight in weights]
    while sum(parts) < total:
        parts[max(range(len(parts)), key=lambda index: weights[index] / (parts[index] + 0.5))] += 1
    return parts


def axes(model: Model, vary: str = "") -> list[GrowthAxis]:
    """The axes of growth of a model, or the one of the parameter `vary`.

    For closed classes and chains, the parameters that set their populations: where there are several, all of them in
    their stated mix, and each alone with the others unchanged. For open ones, likewise those of the arrival rates.

    Raises   `UsageError` QN017 where it is not clear which parameter sets the load, or `vary` sets none; QN004 where
             `vary` is unknown.
    """
    if vary:
        return [_named(model, vary)]
    result: list[GrowthAxis] = []
    for closed in (True, False):
        result += _of_dimension(model, closed)
    return result


def load_of(customers: ClassModel | ChainModel) -> Expression:
    """The population or the arrival rate of a class or chain."""
    load = customers.population if customers.population is not None else customers.arrival_rate
    assert load is not None
    return load


def _named(model: Model, vary: str) -> GrowthAxis:
    """The axis of the parameter `vary`."""
    varied(model, vary)
    for closed in (True, False):
        classes = [
            index
            for index, item in enumerate(model.customers)
            if (item.population is not None) == closed and vary in closure(model, load_of(item).names)
        ]
        if classes:
            return _axis(model, vary, [(vary, 1.0)], classes, closed)
    drivers = [name for item in model.customers for name in closure(model, load_of(item).names)]
    options = sorted({name for name in drivers if name in model.parameters})
    text = f'"{vary}" sets no load: no population and no arrival rate depends on it'
    raise UsageError(Problem("QN017", text, "a parameter that does", help=suggest(vary, options)))


def _of_dimension(model: Model, closed: bool) -> list[GrowthAxis]:
    """The axes of the closed classes, or of the open ones."""
    drivers: dict[str, list[int]] = {}
    for index, item in enumerate(model.customers):
        if (item.population is not None) == closed:
            name, model = _driver(model, index, closed)
            drivers.setdefault(name, []).append(index)
    stated = {name: stated_value(model, name) for name in drivers}
    result: list[GrowthAxis] = []
    mixed = {name: value for name, value in stated.items() if value > 0}
    if len(mixed) > 1:
        total = sum(mixed.values())
        shares = [(name, value / total) for name, value in mixed.items()]
        indices = sorted(index for name in mixed for index in drivers[name])
        result.append(_axis(model, "mix", shares, indices, closed))
    result += [_axis(model, name, [(name, 1.0)], indices, closed) for name, indices in drivers.items()]
    return result


def _driver(model: Model, index: int, closed: bool) -> tuple[str, Model]:
    """The parameter that sets the load of a class, and the model, with a parameter added where there is none."""
    item = model.customers[index]
    load = load_of(item)
    names = [name for name in load.names if name in model.parameters]
    if not names:
        name = f"{'population' if closed else 'arrival rate'} of {item.name}"
        added = Parameter(name, load, dimension=NUMBER if closed else RATE)
        changed = _loaded(item, Expression(name, Name(name), (name,)))
        model = model.with_customers(
            changed if number == index else other for number, other in enumerate(model.customers)
        )
        return name, model.replace(parameters={**model.parameters, name: added})
    while len(names) == 1:
        inner = [name for name in model.parameters[names[0]].expression.names if name in model.parameters]
        if len(inner) != 1:
            return names[0], model
        names = inner
    usual = [name for name in names if name in _USUAL[closed]]
    if usual:
        return usual[0], model
    what = "population" if closed else "arrival rate"
    text = f'it is not clear which parameter sets the load: the {what} of "{item.name}" is "{load.source}"'
    raise UsageError(Problem("QN017", text, "--vary " + " or --vary ".join(names)))


def _loaded(item: ClassModel | ChainModel, load: Expression) -> ClassModel | ChainModel:
    return item.replace(population=load) if item.population is not None else item.replace(arrival_rate=load)


def _axis(
    model: Model, name: str, shares: Sequence[tuple[str, float]], classes: Sequence[int], closed: bool
) -> GrowthAxis:
    """An axis over parameters and their shares."""
    names = tuple(parameter for parameter, _ in shares)
    weights = tuple(share for _, share in shares)
    lows = [_end(model.parameters[parameter].low, 0.0) / share for parameter, share in shares]
    highs = [_end(model.parameters[parameter].high, float("inf")) / share for parameter, share in shares]
    return GrowthAxis(
        name=name if len(shares) == 1 else f"mix of {', '.join(names)}",
        model=model,
        parameters=names,
        weights=weights,
        classes=tuple(classes),
        closed=closed,
        least=max(lows),
        last=min(highs),
        shown=tuple(shares),
    )


def one_parameter(axis: GrowthAxis) -> GrowthAxis:
    """The axis over one added parameter, the total, from which the parameters of a mix follow; else unchanged."""
    if len(axis.parameters) == 1:
        return axis
    model = axis.model
    total = sum(stated_value(model, name) for name in axis.parameters)
    parameters = {_TOTAL: Parameter(_TOTAL, parse(total), dimension=RATE), **model.parameters}
    for name, weight in zip(axis.parameters, axis.weights, strict=True):
        share = Binary("*", Number(weight, NUMBER), Name(_TOTAL))
        parameters[name] = model.parameters[name].replace(expression=Expression(f"{weight!r} of all", share, (_TOTAL,)))
    return axis.replace(model=model.replace(parameters=parameters), parameters=(_TOTAL,), weights=(1.0,))


def _end(bound: Expression | None, otherwise: float) -> float:
    """The value of an end of a range, if it is constant; otherwise the default."""
    if bound is None or bound.names:
        return otherwise
    return float(evaluate(bound.root, {}, FLOATS))
