"""Closed classes with open ones beside them: what both spend where, once the closed ones are solved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import lazy
from qnet.networks.product.closed_classes import Answer
from qnet.networks.product.demands import Demands
from qnet.networks.product.figures import figures
from qnet.networks.product.loads import reasons, shared, visited_open
from qnet.networks.product.open_classes import capacities_left, residence_beside
from qnet.networks.product.solution import Solution
from qnet.networks.wanted import Wanted
from qnet.queues.arithmetic import total

if TYPE_CHECKING:
    from qnet.queues import erlang
else:
    erlang = lazy("qnet.queues.erlang")


def states_needed(network: Demands) -> bool:
    """Whether open classes need the state probabilities of closed ones, at stations of several servers or rates."""
    return bool(network.open) and any(visited_open(network, station) for station in shared(network))


def with_open(network: Demands, loaded: list[Value], answer: Answer, wanted: Wanted) -> Solution:
    """The solution of a network from that of its closed classes, with what open ones spend beside them.

    loaded   open load of every station, in erlangs at rate 1.
    """
    found = answer.figures
    stations, classes = network.shape
    throughput: list[Value] = list(network.arrival_rate)
    for place, kind in enumerate(network.closed):
        throughput[kind] = found.throughput[place] if network.size is None else found.throughput[:, place]
    residence: list[list[Value]] = []
    for station in range(stations):
        row: list[Value] = [0.0] * classes
        for place, kind in enumerate(network.closed):
            row[kind] = found.residence[station][place] if network.size is None else found.residence[:, station, place]
        if network.open:
            states = None if found.marginals is None or network.size is not None else found.marginals[station]
            _beside(network, station, loaded[station], throughput, row, states)
        residence.append(row)
    made = figures(network, throughput, residence, found.log_constant, found.marginals if wanted.states else None)
    return Solution(network, made, answer.method, (*answer.reasons, *reasons(network)), answer.why)


def _beside(
    network: Demands, station: int, load: Value, throughput: list[Value], row: list[Value], states: Any
) -> None:
    """Fill in what open classes spend at a station beside closed ones."""
    if network.delay[station]:
        longer: Value = 1.0
    elif station not in shared(network):
        queue = total(throughput[kind] * row[kind] for kind in network.closed)
        longer = (1.0 + queue) / (1.0 - load)
    elif states is not None:
        longer = residence_beside(1.0, capacities_left(load, network.capacities(station), len(states)), states)
    else:
        longer = _approximate_stretch(network, station, load, throughput, row)
    for kind in network.open:
        row[kind] = network.demand(station, kind) * longer


def _approximate_stretch(
    network: Demands, station: int, load: Value, throughput: list[Value], row: list[Value]
) -> Value:
    """What open customers meet at several servers beside closed ones whose states are not known.

    (1 + queue of the closed classes + idle servers beyond one) / (servers - open load): the form of the Conway
    correction, with the idle servers of M/M/c at the load of all classes.
    """
    servers = network.servers[station]
    busy = load + total(throughput[kind] * network.demand(station, kind) for kind in network.closed)
    queue = total(throughput[kind] * row[kind] for kind in network.closed)
    operations: Operations = FLOATS if network.size is None else arrays()
    busy = operations.minimum([busy, servers + 0.0 * busy])
    idle = servers - 1 - busy + erlang.erlang_c(servers, busy)
    return (1.0 + queue + operations.maximum([idle, 0.0 * idle])) / (servers - load)
