"""Bounds of a `Network`: intervals that enclose the exact throughput and response of every class.

Closed classes have the bounds of `qnet.networks.closed.bounds` on the capacity that open ones leave. The throughput of
an open class is its arrival rate; its response lies between bounds on the ratios of residence time to demand.
"""

from __future__ import annotations

from typing import Any

from qnet.errors import InvalidInput, NotComputed, Problem
from qnet.networks.closed import bounds as closed_bounds
from qnet.networks.closed.bounds import Bounds
from qnet.networks.product.closed_classes import closed_part, most_present
from qnet.networks.product.demands import Demands
from qnet.networks.product.figures import alone
from qnet.networks.product.open_classes import capacities_left, loads, refuse_overload
from qnet.networks.reasons import Reason
from qnet.queues.changing_rates import stretch


def bounds(network: Demands, kind: str = "balanced") -> Bounds:
    """Intervals that enclose the exact throughputs and responses of a product-form network.

    Applies   by kind, see `closed.bounds.KINDS`; open classes: "asymptotic" and "balanced"; mixed networks: the kinds
              of the closed classes, with asymptotic ones for the open classes.
    kind      "asymptotic", "balanced", "composite", "proportional" or "geometric".
    Returns   `Bounds`. The throughput of an open class is its arrival rate.
    Raises    `NotComputed` QN513 where the kind does not apply, with the reason; `InvalidInput` QN514 for an unknown
              kind; `NoAnswer` QN401 where open load reaches a capacity, QN403 for a class that spends no time
              anywhere.
    Source    @lazowska1984, chapter 5, and those of `solvers.bounds.BOUNDS`; open classes at several servers: this
              tool, since Erlang's C is at most the utilization.
    """
    if kind not in closed_bounds.KINDS:
        raise InvalidInput(Problem("QN514", f'no bound "{kind}"', " or ".join(closed_bounds.KINDS)))
    refuse_overload(network)
    if network.size is not None:
        points = [_point(network.point(index), kind) for index in range(network.size)]
        rows = [tuple(point[position] for point in points) for position in range(4)]
        return Bounds((rows[0], rows[1], rows[2], rows[3]), kind)
    return Bounds(_point(network, kind), kind)


def tightest(network: Demands) -> Bounds | None:
    """The tightest kind that applies to all classes of a network, or None."""
    several = len(network.closed) > 1
    for kind in ("composite",) * several + ("balanced", "asymptotic"):
        try:
            return bounds(network, kind)
        except (NotComputed, InvalidInput):
            continue
    return None


def _point(network: Demands, kind: str) -> tuple[Any, Any, Any, Any]:
    """The four rows of `Bounds`, for one point."""
    classes = network.shape[1]
    rows = [[0.0] * classes for _ in range(4)]
    loaded = loads(network)
    if network.closed:
        result = closed_bounds.bounds(closed_part(network, loaded), kind)
        for row, values in zip(rows, result.rows, strict=True):
            for index, each in enumerate(network.closed):
                row[each] = values[index]
        for each in network.closed:
            if network.population[each] == 0:
                rows[2][each] = rows[3][each] = sum(
                    alone(network, station, each) for station in range(network.shape[0])
                )
    elif kind not in ("asymptotic", "balanced"):
        reason = f"the {kind} bound: {Reason('closed only')}"
        raise NotComputed(Problem("QN513", reason, help="the asymptotic and balanced bounds apply"))
    for each in network.open:
        rows[0][each] = rows[1][each] = network.arrival_rate[each]
        rows[2][each], rows[3][each] = _open_response(network, each, loaded, kind)
    return tuple(rows[0]), tuple(rows[1]), tuple(rows[2]), tuple(rows[3])


def _open_response(network: Demands, class_index: int, loaded: list[Any], name: str) -> tuple[float, float]:
    """Bounds of the response of an open class, by those of the ratio of residence time to demand.

    Asymptotic: no waits; every station has the largest ratio. Balanced: equal loads of all single servers; for other
    stations, separate bounds at each.
    """
    stations = range(network.shape[0])
    delay = sum(network.demand(station, class_index) for station in stations if network.delay[station])
    used = [index for index in stations if not network.delay[index] and network.demand(index, class_index) > 0]
    demands = [network.demand(index, class_index) for index in used]
    limits = [_stretches(network, index, loaded[index]) for index in used]
    overall, slowest = sum(demands), max((most for _, most in limits), default=1.0)
    if name != "balanced" or network.closed:
        quickest = sum(demand * _quickest(network, index) for demand, index in zip(demands, used, strict=True))
        return delay + quickest, delay + overall * slowest
    if _plain(network) and used:
        average = sum(loaded[index] for index in used) / len(used)
        return delay + overall / (1.0 - average), delay + overall * slowest
    pairs = list(zip(demands, limits, strict=True))
    return delay + sum(demand * row[0] for demand, row in pairs), delay + sum(demand * row[1] for demand, row in pairs)


def _quickest(network: Demands, station: int) -> float:
    """The least of n / capacity(n): the smallest ratio of residence time to demand."""
    if network.rates[station] is None:
        return 1.0
    capacities = network.capacities(station)
    return min((count + 1) / capacity for count, capacity in enumerate(capacities))


def _plain(network: Demands) -> bool:
    """Whether there is one class, at single servers and delays."""
    stations = range(network.shape[0])
    return network.shape[1] == 1 and all(
        network.servers[station] == 1 and network.rates[station] is None for station in stations
    )


def _stretches(network: Demands, station: int, load: float) -> tuple[float, float]:
    """Bounds of the ratio of residence time to demand of an open customer at a station."""
    capacities = network.capacities(station)
    if network.closed:
        left = capacities_left(load, capacities, most_present(network) + 1)
        present = sum(
            int(network.population[class_index])
            for class_index in network.closed
            if network.demand(station, class_index) > 0
        )
        stretches = [(count + 1) / left[min(count, len(left) - 1)] for count in range(min(present, len(left)) + 1)]
        stretches.append((present + 1) / left[min(present, len(left) - 1)])
        return min(stretches), max(stretches)
    if network.rates[station] is not None:
        exact = stretch(load, capacities)
        return exact, exact
    servers = network.servers[station]
    busy = load / servers
    return max(1.0, 1.0 / (servers * (1.0 - busy))), 1.0 + busy / (servers * (1.0 - busy))
