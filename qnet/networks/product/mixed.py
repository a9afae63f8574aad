"""Open classes in closed form, alone and with closed ones; and closed classes by approximate mean value analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import lazy
from qnet.networks.product.closed_classes import closed_part
from qnet.networks.product.demands import Demands
from qnet.networks.product.figures import figures
from qnet.networks.product.open_classes import all_left, loads, residence_beside, shared, visited_open
from qnet.networks.product.solution import Solution
from qnet.networks.reasons import REQUESTED, approximation
from qnet.networks.wanted import Wanted, Work
from qnet.queues.arithmetic import total
from qnet.queues.changing_rates import stretch

if TYPE_CHECKING:
    from qnet.networks.closed import approximate
    from qnet.networks.closed.problem import ClosedFigures
    from qnet.networks.product import priorities
    from qnet.queues import erlang
else:
    approximate = lazy("qnet.networks.closed.approximate")
    priorities = lazy("qnet.networks.product.priorities")
    erlang = lazy("qnet.queues.erlang")


def solve_open(network: Demands) -> Solution:
    """The steady state of open classes with a load below every capacity.

    network  open classes alone: demands in seconds, arrival rates per second.
    Returns  `Solution`; product form solves each station by itself.
    """
    residence = [_open_residence(network, station, load) for station, load in enumerate(loads(network))]
    throughput = list(network.arrival_rate)
    result = figures(network, throughput, residence)
    return Solution(network, result, method="open", method_reasons=(), why="open classes alone have a closed form")


def _open_residence(network: Demands, station: int, load: Value) -> list[Value]:
    """The row of residences at a station that only open customers use."""
    if len(set(network.ranks(station))) > 1:
        return priorities.open_row(network, station)
    longer = 1.0 if network.delay[station] else stretch(load, network.capacities(station))
    return [network.demand(station, class_index) * longer for class_index in range(network.shape[1])]


def solve_approximately(network: Demands, wanted: Wanted, name: str) -> Solution:
    """The steady state by a method of `closed.approximate`.

    Raises   `NotComputed` QN511 where it does not converge within its laws, QN513 for rates other than servers.
    """
    loaded = loads(network)
    closed = closed_part(network, loaded, left=False)
    open_load: Any = None
    if any(rates is not None and _any(load) for rates, load in zip(closed.rates, loaded, strict=True)):
        open_load = tuple(0.0 if rates is None else load for rates, load in zip(closed.rates, loaded, strict=True))
    correction = wanted.correction or approximate.DEFAULT_CORRECTION
    answer = approximate.solve(closed, name, correction, wanted.core_solutions, open_load)
    variant = "" if correction == approximate.DEFAULT_CORRECTION else f"{name}, {correction}"
    reasons = (approximation(name, variant),)
    return with_open(network, loaded, answer.replace(reasons=reasons, why=REQUESTED), wanted)


def approximate_work(network: Demands, cores: int = 1) -> Work:
    """The work of the rounds that most networks need, whatever the populations.

    cores   core solutions of every point: with all customers, and with one less of a class.
    """
    stations, classes = network.shape[0], len(network.closed)
    return approximate.work(stations, classes, cores, network.size or 1)


def states_needed(network: Demands) -> bool:
    """Whether open classes need the state probabilities of closed ones, at stations of several servers or rates."""
    return bool(network.open) and any(visited_open(network, station) for station in shared(network))


def with_open(network: Demands, loaded: list[Value], closed: ClosedFigures, wanted: Wanted) -> Solution:
    """The solution of a network from that of its closed classes, with the residences of open ones.

    loaded   open load of every station, in erlangs at rate 1.
    closed   the figures of the closed classes.
    """
    stations, classes = network.shape
    throughput: list[Value] = list(network.arrival_rate)
    for index, class_index in enumerate(network.closed):
        throughput[class_index] = closed.throughput[index] if network.size is None else closed.throughput[:, index]
    residence: list[list[Value]] = []
    for station in range(stations):
        row: list[Value] = [0.0] * classes
        for index, class_index in enumerate(network.closed):
            row[class_index] = (
                closed.residence[station][index] if network.size is None else closed.residence[:, station, index]
            )
        if network.open:
            states: Any = None
            if closed.marginals is not None:
                states = closed.marginals[station] if network.size is None else closed.marginals[:, station]
            _fill_open(network, station, loaded[station], throughput, row, states)
        residence.append(row)
    made = figures(network, throughput, residence, closed.log_constant, closed.marginals if wanted.states else None)
    return Solution(network, made, method=closed.method, method_reasons=closed.reasons, why=closed.why)


def _fill_open(
    network: Demands, station: int, load: Value, throughput: list[Value], row: list[Value], states: Any
) -> None:
    """Fill in the residences of open classes at a station with closed ones."""
    if network.delay[station]:
        longer: Value = 1.0
    elif station not in shared(network):
        queue = total(throughput[class_index] * row[class_index] for class_index in network.closed)
        longer = (1.0 + queue) / (1.0 - load)
    elif states is not None:
        most = len(states) if network.size is None else states.shape[1]
        longer = residence_beside(1.0, all_left(load, network.capacities(station), most), states)
    else:
        longer = _approximate_stretch(network, station, load, throughput, row)
    for class_index in network.open:
        row[class_index] = network.demand(station, class_index) * longer


def _approximate_stretch(
    network: Demands, station: int, load: Value, throughput: list[Value], row: list[Value]
) -> Value:
    """The ratio of residence time to demand of open customers at several servers with closed ones of unknown states.

    (1 + queue of the closed classes + idle servers beyond one) / (servers - open load): the form of the Conway
    correction, with the idle servers of M/M/c at the load of all classes.
    """
    servers = network.servers[station]
    busy = load + total(
        throughput[class_index] * network.demand(station, class_index) for class_index in network.closed
    )
    queue = total(throughput[class_index] * row[class_index] for class_index in network.closed)
    operations: Operations = FLOATS if network.size is None else arrays()
    busy = operations.minimum([busy, servers + 0.0 * busy])
    idle = servers - 1 - busy + erlang.erlang_c(servers, busy)
    return (1.0 + queue + operations.maximum([idle, 0.0 * idle])) / (servers - load)


def _any(load: Any) -> bool:
    return bool(load.any()) if hasattr(load, "any") else load != 0
