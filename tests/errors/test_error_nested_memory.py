"""The error of flow-equivalent aggregation of holds in holds, each around stations of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from layered_chain import throughputs
from measuring import assert_told

from qnet.networks.exactness import AGGREGATED
from qnet.networks.routed import ClosedClass, Group, Hold, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.solve import solve

_POINTS = 20
"""Systems of one shape, drawn at once."""
_SEEDS = range(10)


def _network(seed: int) -> RoutedNetwork:
    """Agents around a pool of connections, which are held around a disk; and a processor before or behind."""
    random = np.random.default_rng(seed)

    def time(low: float = 0.1, high: float = 2.0) -> Any:
        return np.exp(random.uniform(np.log(low), np.log(high), _POINTS))

    def use(name: str) -> Hold:
        return Hold(name, (Time(time()),))

    inner: tuple[Step, ...] = (Time(time()), use("disk")) if random.random() < 0.7 else (use("disk"), use("channel"))
    connected = Hold("pool", inner)
    steps: tuple[Step, ...] = (use("cpu"), connected) if random.random() < 0.5 else (connected, use("cpu"))
    servers = {"agent": int(random.integers(2, 4)), "pool": 2, "cpu": 1, "disk": 1, "channel": 1}
    stations = tuple(Station(name, False, count, "fcfs", (Group(name, 1, 1.0),)) for name, count in servers.items())
    only = ClosedClass("c", float(random.integers(3, 5)), 3 * time(), (Route("r", 1.0, (Hold("agent", steps),)),))
    return RoutedNetwork(stations, (only,), (), _POINTS)


def test_the_table_tells_the_measured_errors():
    errors: list[float] = []
    for seed in _SEEDS:
        network = _network(seed)
        found = solve(network)
        assert found.method == AGGREGATED
        population, think_time = network.classes[0].population, network.classes[0].think_time
        exact = population / throughputs(network)[:, 0] - think_time
        errors += (found.response / exact - 1).tolist()
    assert_told("memory: holds in holds", errors)
