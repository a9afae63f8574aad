"""Where the steady state ends along axes of arrival rates: those of one model at once."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.errors import QnetError
from qnet.expression import Expression, parse
from qnet.expression.nodes import Binary, Name
from qnet.lazy import np
from qnet.model.model import Model, Parameter
from qnet.networks.wanted import AUTO
from qnet.questions.knee.axes import GrowthAxis, one_parameter
from qnet.questions.points.domain import stated_value
from qnet.questions.points.points import needs_solution
from qnet.questions.points.trial import Trial
from qnet.questions.search.search import largest
from qnet.record import Record
from qnet.units import NUMBER, RATE

_LOADS = AUTO.replace(warned=False)
_MULTIPLE = "multiple of the rates"
"""A parameter that the tool adds; no model can have one of this name."""


class Edge(Record):
    """The end of the steady state along an axis."""

    held: bool
    """Whether there is a steady state at any value."""
    value: float
    cause: int
    """What ends it: a word of `scan`."""
    station: str
    """What saturates."""


def edges(axes: Sequence[GrowthAxis]) -> list[Edge]:
    """The end of the steady state along each of some axes of open classes; closed ones are left out, as they do not
    affect it.

    Method   Axes of one model, without ranges, are searched as points of one batch: of a multiple of the stated rates,
             which only some of the parameters follow.
    """
    if len(axes) > 1 and all(_joins(axes[0], axis) for axis in axes):
        try:
            return _together(axes)
        except QnetError:
            pass  # Each axis raises what is wrong along it.
    return [_alone(one_parameter(axis)) for axis in axes]


def without_closed(model: Model) -> Model:
    """The model without customers of closed classes: they do not affect where the steady state ends."""
    if needs_solution(model):
        return model
    return model.with_customers(
        item if item.population is None else item.replace(population=parse(0)) for item in model.customers
    )


def _alone(axis: GrowthAxis) -> Edge:
    """The end along one axis, by its parameter."""
    edge = largest(
        Trial(without_closed(axis.model), axis.parameters[0], limits=(), coordinates={}, size=1, wanted=_LOADS)
    )
    return Edge(bool(edge.held[0]), float(edge.value[0]), edge.cause[0], str(edge.station[0]))


def _joins(one: GrowthAxis, axis: GrowthAxis) -> bool:
    """Whether an axis may be searched with another one."""
    if axis.model is not one.model or axis.closed:
        return False
    parameters = [axis.model.parameters[name] for name in axis.parameters]
    plain = all(item.low is None and item.high is None and not item.expression.names for item in parameters)
    return plain and all(stated_value(axis.model, name) > 0 for name in axis.parameters)


def _together(axes: Sequence[GrowthAxis]) -> list[Edge]:
    """The ends along axes of one model as one batch."""
    model = axes[0].model
    names = dict.fromkeys(name for axis in axes for name in axis.parameters)
    stated = {name: stated_value(model, name) for name in names}
    totals = [sum(stated[name] for name in axis.parameters) for axis in axes]
    added, changed = {_MULTIPLE: Parameter(_MULTIPLE, parse(1), dimension=NUMBER)}, dict[str, Parameter]()
    coordinates: dict[str, list[float]] = {}
    for name in names:
        shares = [dict(zip(axis.parameters, axis.weights, strict=True)).get(name) for axis in axes]
        grows, rest = f"{name} that grows", f"{name} besides"
        coordinates[grows] = [
            0.0 if share is None else share * total for share, total in zip(shares, totals, strict=True)
        ]
        coordinates[rest] = [stated[name] if share is None else 0.0 for share in shares]
        added |= {new: Parameter(new, parse(0), dimension=RATE) for new in (grows, rest)}
        value = Binary("+", Binary("*", Name(grows), Name(_MULTIPLE)), Name(rest))
        expression = Expression(f"a share of {name}", value, (grows, _MULTIPLE, rest))
        changed[name] = model.parameters[name].replace(expression=expression)
    points = {name: np.array(values) for name, values in coordinates.items()}
    # Parameters are computed in order.
    parameters = {**added, **model.parameters, **changed}
    trial = Trial(
        without_closed(model.replace(parameters=parameters)),
        _MULTIPLE,
        limits=(),
        coordinates=points,
        size=len(axes),
        wanted=_LOADS,
    )
    result = largest(trial)
    return [
        Edge(
            bool(result.held[index]),
            float(result.value[index]) * total,
            result.cause[index],
            str(result.station[index]),
        )
        for index, total in enumerate(totals)
    ]
