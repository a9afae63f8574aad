"""Networks whose numbers depend on how many customers hold a station: bound again for every number of them."""

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
"""Numbers of holders over all points."""
_FEW = 1000
"""Numbers of holders that are bound for one point, though not all may be reached."""


def bind_inside(values: Values, counted: Sequence[str], of: Callable[[Values], RoutedNetwork]) -> RoutedNetwork:
    """The network with as many holders as there are servers, and its profile over all numbers of holders.

    values    without numbers of holders.
    counted   the stations whose holders are counted.
    of        the network for values that have them.
    Raises    `NotComputed` QN543 where there are too many numbers, and as `bind`.
    """
    model = values.model
    stations = {station.name: station for station in model.stations}
    field = TABLES["station"]["servers"]
    servers = {
        name: values.integer(stations[name].servers, field, (*stations[name].path, "servers")) for name in counted
    }
    full = {solution_name(INSIDE, name): float(count) for name, count in servers.items()}
    network = of(_with(values, full, 1))
    people = [float(np.max(item.population)) for item in network.closed if np.size(item.population)]
    points = 1 if values.size is None else values.size
    profiles: list[Profile] = []
    for name in counted:
        every = not people or (values.size is None and servers[name] <= _FEW)
        levels = servers[name] if every else max(1, min(servers[name], ceil(sum(people))))
        if points * levels > _MOST:
            text = f'{points} points with up to {levels} customers at "{name}"'
            raise NotComputed(Problem("QN543", text, f"at most {_MOST} numbers inside over all points"))
        numbers = np.tile(np.arange(1.0, levels + 1), points)
        particular = _with(values, {**full, solution_name(INSIDE, name): numbers}, levels)
        profiles.append(Profile(name, levels, of(particular)))
    return network.replace(profiles=tuple(profiles))


def _with(values: Values, inside: dict[str, Value], levels: int) -> Values:
    """Values that know numbers of holders: each point as often as it has numbers, where these are arrays."""
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
