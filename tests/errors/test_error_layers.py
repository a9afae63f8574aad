"""How far the method of layers is from the exact answer: responses of small random networks of holds in holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest
from layered_chain import throughputs
from measuring import assert_told

from qnet.expression import arrays
from qnet.networks.closed.approximate_mva import TOLERANCE
from qnet.networks.layers.core import PATIENCE, solve
from qnet.networks.layers.solve import untrusted
from qnet.networks.layers.table import tables
from qnet.networks.layers.together import LayerProblem, solved, together
from qnet.networks.routed import ClosedClass, Group, Hold, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.streams import streams

_POINTS = 30
"""Systems of one shape, drawn at once; those beyond the trusted region are left out."""
_SEEDS = 1, 101, 301
"""Errors depend on the shape, of which each seed draws few."""
_WANTED = 200
"""Systems of each seed."""


class _Draw:
    """Times of a batch, from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def time(self, low: float = 0.1, high: float = 2.0) -> Any:
        return np.exp(self.random.uniform(np.log(low), np.log(high), _POINTS))

    def use(self, name: str, low: float = 0.1, high: float = 2.0) -> Hold:
        return Hold(name, (Time(self.time(low, high)),))

    def one(self, *choices: Any) -> Any:
        return choices[self.random.integers(len(choices))]


def _network(servers: dict[str, int], *classes: tuple[int, Any, tuple[Step, ...]]) -> RoutedNetwork:
    stations = [Station(name, False, count, "fcfs", (Group(name, 1, 1.0),)) for name, count in servers.items()]
    return RoutedNetwork(
        tuple(stations),
        tuple(
            ClosedClass(f"c{number}", float(count), think, (Route("r", 1.0, steps),))
            for number, (count, think, steps) in enumerate(classes)
        ),
        (),
        _POINTS,
    )


def _two_deep(draw: _Draw) -> RoutedNetwork:
    """Agents around one or two stations, one class; or a second class there as well, with agents of its own or none."""
    inner = (draw.use("cpu"), draw.use("disk"))
    agents, think = draw.one(1, 2, 2, 3), 3 * draw.time()
    servers = {"agent": agents, "cpu": draw.one(1, 1, 2), "disk": 1}
    if draw.one(True, False):
        own = (Time(draw.time()),) if draw.one(True, False) else ()
        return _network(servers, (draw.one(2, 3, 4, 5), think, (Hold("agent", (*own, *inner)),)))
    other: tuple[Step, ...] = draw.one((draw.use("cpu"),), (Hold("other", (Time(draw.time()), draw.use("cpu"))),))
    first = (draw.one(2, 3), think, (Hold("agent", inner),))
    return _network(servers | {"other": 1}, first, (draw.one(1, 2), 3 * draw.time(), other))


def _three_deep(draw: _Draw) -> RoutedNetwork:
    """Agents around a disk that is held together with a channel, and around a processor."""
    disk = Hold("disk", (Time(draw.time()), draw.use("channel")))
    servers = {"agent": draw.one(2, 3), "cpu": 1, "disk": draw.one(1, 2), "channel": 1}
    steps: tuple[Step, ...] = (draw.use("cpu"), disk) if draw.one(True, False) else (disk,)
    first = (draw.one(2, 3, 4), 3 * draw.time(), (Hold("agent", steps),))
    if draw.one(True, False):
        return _network(servers, first)
    return _network(servers, (2, *first[1:]), (draw.one(1, 2), 3 * draw.time(), (draw.use("channel"),)))


def _second_phases(draw: _Draw) -> RoutedNetwork:
    """Agents or disks that go on after the response."""
    servers = {"agent": draw.one(1, 2, 2, 3), "cpu": 1, "disk": 1}
    later = Time(draw.time(), phase=2)
    if draw.one(True, False):
        steps: tuple[Step, ...] = (Hold("agent", (draw.use("cpu"), draw.use("disk"), later)),)
    else:
        disk = Hold("disk", (Time(draw.time()), later.replace(keeps=("disk",))))
        steps = (Hold("agent", (draw.use("cpu"), disk)),)
    first = (draw.one(1, 2, 3), 3 * draw.time(), steps)
    if draw.one(True, True, False):
        return _network(servers, first)
    return _network(servers, (draw.one(1, 2), *first[1:]), (1, 3 * draw.time(), (draw.use("cpu"),)))


def _one_memory(draw: _Draw) -> RoutedNetwork:
    """Two classes that hold the same agents around stations in common, or around those and one of their own."""
    agents, think = draw.one(1, 2, 2, 3), (3 * draw.time(), 3 * draw.time())
    first, second = (draw.use("cpu"), draw.use("disk")), (draw.use("cpu"), draw.use(draw.one("disk", "tape")))
    servers = {"agent": agents, "cpu": draw.one(1, 1, 2), "disk": 1, "tape": 1}
    classes = (draw.one(1, 2), think[0], (Hold("agent", first),)), (draw.one(1, 2), think[1], (Hold("agent", second),))
    return _network(servers, *classes)


_FEATURES = {
    "layers: two deep": _two_deep,
    "layers: three deep": _three_deep,
    "layers: second phases": _second_phases,
}


def _asked(network: RoutedNetwork) -> LayerProblem:
    """What layers are asked of a batch."""
    shape, numbers = tables(network, streams(network, arrays(), [1.0] * len(network.classes)))
    return LayerProblem(shape, numbers, False, np.full(_POINTS, PATIENCE))


def _errors(build: Callable[[_Draw], RoutedNetwork], seed: int) -> Iterator[float]:
    """The errors of the response of the class that is told worst, of systems in the trusted region."""
    while True:
        network = build(_Draw(seed))
        seed += 1
        exact = throughputs(network)
        asked = _asked(network)
        numbers = asked.numbers
        _, state = solved(asked)
        assert state.residual.max() <= TOLERANCE
        beyond = np.any(untrusted(asked.shape, numbers, state), axis=(0, 2))
        told = numbers.population / state.throughput - numbers.think_time
        wanted = numbers.population / exact - numbers.think_time
        yield from abs(told / wanted - 1).max(1)[~beyond].tolist()


def _measured(build: Callable[[_Draw], RoutedNetwork], wanted: int) -> list[float]:
    """The errors of so many systems of each seed; those of one shape are solved together."""
    batches = -(-wanted // _POINTS)
    seeds = [first + number for first in _SEEDS for number in range(batches)]
    with together(_asked(build(_Draw(seed))) for seed in seeds):
        return [error for seed in _SEEDS for error in islice(_errors(build, seed), wanted)]


@pytest.mark.long
@pytest.mark.parametrize("name", _FEATURES)
def test_the_table_tells_the_measured_errors(name: str) -> None:
    assert_told(name, _measured(_FEATURES[name], _WANTED))


@pytest.mark.long
def test_two_classes_that_hold_one_memory() -> None:
    assert_told("layers: two classes in one memory", _measured(_one_memory, 67))


@pytest.mark.parametrize("servers", [1, 2])
def test_copies_that_wait_for_one_channel(servers: int) -> None:
    """Two disks of one or two servers each, kept until the channel is free: as exact as stations written apart."""
    inside = (Time(1.0), Hold("channel", (Time(0.5),)))
    names = ["one", "two"]
    places = [Station(name, False, count, "fcfs", (Group(name, 1, 1.0),)) for name, count in
              (("one", servers), ("two", servers), ("channel", 1))]  # fmt: skip
    users = ClosedClass("c", 5.0, 1.0, (Route("r", 1.0, tuple(Hold(name, inside) for name in names)),))
    exact = throughputs(RoutedNetwork(tuple(places), (users,), (), 1))
    disk = Station("disk", False, servers, "fcfs", (Group("disk", 2, 0.5),))
    held = users.replace(routes=(Route("r", 1.0, (Hold("disk", inside, visits=2.0),)),))
    network = RoutedNetwork((disk, places[-1]), (held,), (), 1)
    _, state = solve(*tables(network, streams(network, arrays(), [1.0])))
    assert state.residual.max() <= TOLERANCE
    assert state.throughput == pytest.approx(exact, rel=0.05)
