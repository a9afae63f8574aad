"""Layers with more customers than they can serve: what they do then is known from the servers that are never idle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from chain import stationary

from qnet.networks.exactness import AGGREGATED, LAYERS
from qnet.networks.layers.solve import solve as solve_layers
from qnet.networks.reduction import Reduction
from qnet.networks.routed import ClosedClass, Group, Hold, Route, RoutedNetwork, Station, Time
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve
from qnet.networks.wanted import AUTO, Wanted

_OWN, _CONNECTED, _DISK = 0.020, 0.010, 0.015
_AGENTS, _CONNECTIONS = 4, 2
_State = tuple[int, int, int]


def _network(population: Any) -> RoutedNetwork:
    """Agents of an application, who hold one of two connections around a disk."""
    inner = Hold("db", (Time(_CONNECTED), Hold("disk", (Time(_DISK),))))
    servers = {"app": _AGENTS, "db": _CONNECTIONS, "disk": 1}
    customers = ClosedClass("c", population, 1.0, (Route("r", 1.0, (Hold("app", (Time(_OWN), inner)),)),))
    stations = tuple(Station(name, False, count, "fcfs", (Group(name, 1, 1.0),)) for name, count in servers.items())
    return RoutedNetwork(stations, (customers,), (), len(population))


def _never_idle(state: _State) -> list[tuple[float, _State]]:
    """What agents do who are never idle: so many by themselves, so many with connections, so many at the disk."""
    alone, connected, disk = state
    waiting = _AGENTS - sum(state)
    free = connected + disk < _CONNECTIONS
    moves = [
        (alone / _OWN, (alone - 1, connected + free, disk)),
        (connected / _CONNECTED, (alone, connected - 1, disk + 1)),
    ]
    if disk:
        moves.append((1 / _DISK, (alone + 1, connected + (waiting > 0), disk - 1)))
    return moves


def _by_layers(network: RoutedNetwork, wanted: Wanted) -> RoutedSolution:
    return solve_layers(network, Reduction(network).unit, wanted)


@pytest.mark.parametrize(("solve", "method", "near"), [(_by_layers, LAYERS, 0.02), (solve, AGGREGATED, 0.005)])
def test_throughput_stays_at_the_plateau(solve: Any, method: str, near: float):
    chain = stationary((_AGENTS, 0, 0), _never_idle)
    plateau = sum(share for (_, _, disk), share in chain.items() if disk) / _DISK
    found = solve(_network(np.array([80.0, 100.0, 400.0, 4000.0])), AUTO)
    assert found.method == method
    assert found.throughput == pytest.approx(np.full(4, plateau), rel=near)
