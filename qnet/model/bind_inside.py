"""Networks whose numbers depend on how many customers hold a station: they are bound for every number of holders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil

from qnet.errors import NotComputed, Problem
from qnet.expression import Value, solution_name
from qnet.expression.names import INSIDE
from qnet.lazy import np
from qnet.model.fields import TABLES
from qnet.model.values import Values
from qnet.networks.routed import Profile, RoutedNetwork

_MOST = 2_000_000
"""Most numbers of holders, summed over all points."""
_FEW = 1000
"""Servers up to which a single point is bound for every number of holders, even those above the population."""


def bind_inside(values: Values, counted: Sequence[str], bind: Callable[[Values], RoutedNetwork]) -> RoutedNetwork:
    """The network with as many holders as there are servers, and its profiles over all numbers of holders.

    values    values of the parameters, without numbers of holders.
    counted   the stations whose holders are counted.
    bind      makes the network from values with numbers of holders.
    Raises    `NotComputed` QN543 where there are too many numbers of holders, and what `bind` raises.
    """
    model = values.model
    stations = {station.name: station for station in model.stations}
    field = TABLES["station"]["servers"]
    servers = {
        name: values.integer(stations[name].servers, field, (*stations[name].path, "servers")) for name in counted
    }
    full = {solution_name(INSIDE, name): float(count) for name, count in servers.items()}
    network = bind(_with(values, full, 1))
    populations = [float(np.max(item.population)) for item in network.closed if np.size(item.population)]
    points = 1 if values.size is None else values.size
    profiles: list[Profile] = []
    for name in counted:
        every = not populations or (values.size is None and servers[name] <= _FEW)
        levels = servers[name] if every else max(1, min(servers[name], ceil(sum(populations))))
        if points * levels > _MOST:
            text = f'{points} points with up to {levels} customers at "{name}"'
            raise NotComputed(Problem("QN543", text, f"at most {_MOST} numbers inside over all points"))
        numbers = np.tile(np.arange(1.0, levels + 1), points)
        by_holders = _with(values, {**full, solution_name(INSIDE, name): numbers}, levels)
        profiles.append(Profile(name, levels, bind(by_holders)))
    return network.replace(profiles=tuple(profiles))


def _with(values: Values, inside: dict[str, Value], levels: int) -> Values:
    """The values with numbers of holders; where these are arrays, every point is repeated `levels` times."""
    single = all(isinstance(value, float) for value in inside.values())
    size = values.size if single else (values.size or 1) * levels

    def spread(value: Value) -> Value:
        if single or isinstance(value, (int, float)) or not value.ndim:
            return value
        return np.repeat(value, levels)

    parameters = {name: value for name, value in values.known.items() if name in values.model.parameters}
    figures = {name: spread(value) for name, value in values.known.items() if name not in parameters}
    varied = {name: spread(value) for name, value in parameters.items()}
    return Values(values.model, varied, size, {**figures, **inside})
