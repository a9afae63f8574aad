"""Load-dependent rates as a formula of the number present, such as `n / (1 + sigma * (n - 1))`."""

from __future__ import annotations

from math import ceil

from qnet.expression import Expression
from qnet.expression.nodes import Name, Number, rename
from qnet.model.model import Model, StationModel
from qnet.model.values import Values
from qnet.units import NUMBER

PRESENT = "n"
"""The name of the number present in a formula of rates."""
MAX_TERMS = 1000
"""Most rates that are made from a formula; with more customers than that, the last one repeats."""


def at(formula: Expression, number: int) -> Expression:
    """The formula with a number of customers present, as an expression over the parameters."""

    def new(name: Name) -> Name | Number:
        return Number(float(number), NUMBER, name.column) if name.name == PRESENT else name

    names = tuple(name for name in formula.names if name != PRESENT)
    return Expression(formula.source, rename(formula.root, new), names)


def terms(model: Model, station: StationModel, values: Values, places: int | None = None) -> tuple[Expression, ...]:
    """The rates of a station by its formula with 1, 2, ... customers present, at most `MAX_TERMS` of them.

    values  the values of the parameters, for the populations that bound the number present.
    places  the capacity of the station; None: unlimited.
    """
    formula = station.rate_formula
    assert formula is not None
    most = 0
    for customers in model.customers:
        if customers.population is None:
            most = MAX_TERMS
            break
        population = values.evaluate(customers.population, (*customers.path, "population"))
        most += ceil(population if isinstance(population, (int, float)) else population.max())
    return tuple(at(formula, number + 1) for number in range(min(max(most, 1), MAX_TERMS, places or MAX_TERMS)))


def parameters_of(station: StationModel) -> list[Expression]:
    """The parameters that the formula of a station uses, each as an expression; none without a formula."""
    formula = station.rate_formula
    names = [] if formula is None else [name for name in formula.names if name != PRESENT]
    return [Expression(name, Name(name), (name,)) for name in names]
