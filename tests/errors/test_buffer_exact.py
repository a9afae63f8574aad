"""Buffers that lose who finds them full: exact where their server does nothing else, and answered everywhere."""

from __future__ import annotations

import numpy as np
import pytest
from full_chain import Visitor, figures

from qnet.networks.routed import Buffer, Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve
from qnet.networks.wanted import AUTO, Wanted


def drained(
    drains: list[Visitor], places: int, loses: bool = True, servers: int = 1, others: tuple[Visitor, ...] = (),
    discipline: str = "fcfs", wanted: Wanted = AUTO,
) -> RoutedSolution:  # fmt: skip
    """Classes that fill a buffer, each with the drain of its places; others use the station that drains."""
    station = Station("disk", False, servers, discipline, (Group("disk", 1, 1.0),))
    classes = [
        OpenClass(
            f"fill {kind}",
            item.rate,
            (Route("", 1.0, (
                Time(0.0, fills="nvs"),
                Hold("disk", (Time(item.mean, item.scv),), phase=2, drains="nvs"),
            )),),
        )
        for kind, item in enumerate(drains)
    ]  # fmt: skip
    for kind, item in enumerate(others):
        steps = (Hold("disk", (Time(item.mean, item.scv),), priority=item.priority),)
        classes.append(OpenClass(f"other {kind}", item.rate, (Route("", 1.0, steps),)))
    return solve(RoutedNetwork((station,), tuple(classes), buffers=(Buffer("nvs", float(places), loses),)), wanted)


@pytest.mark.parametrize("places", [1, 2, 5])
@pytest.mark.parametrize("scv", [0.2, 0.5, 1.0, 5.0, 1000.0])
def test_the_drain_of_one_server_is_exact_whatever_its_times(places: int, scv: float):
    drains = [Visitor(0.7, 1.0, scv), Visitor(0.2, 0.5)]
    found = drained(drains, places)
    exact = figures(tuple(drains), "fcfs", 1, places)
    assert found.exact
    assert found.buffers[0].found_full == pytest.approx(exact.lost, rel=1e-9)
    assert found.buffers[0].occupancy == pytest.approx(sum(exact.numbers), rel=1e-9)


def test_who_waits_for_a_place_waits_as_in_one_line():
    """Inside and outside together are an M/G/1 (Pollaczek, Khinchine): the number is that of both."""
    rate, mean, scv = 0.6, 1.0, 4.0
    found = drained([Visitor(rate, mean, scv)], 3, loses=False)
    load = rate * mean
    number = load + load**2 * (1 + scv) / 2 / (1 - load)
    assert found.exact
    assert found.buffers[0].occupancy + rate * found.response == pytest.approx(number, rel=1e-9)


@pytest.mark.parametrize(("places", "servers"), [(1, 1), (2, 1), (5, 1), (2, 2), (5, 2), (3, 3)])
def test_who_waits_for_a_place_is_not_yet_at_the_station_that_drains(places: int, servers: int):
    """M/M/c: of those who are there, as many are inside as there are places."""
    load = 0.7 * servers
    found = drained([Visitor(load, 1.0)], places, loses=False, servers=servers)
    weights = [1.0]
    for number in range(1, 200):
        weights.append(weights[-1] * load / min(number, servers))
    inside = sum(weight * min(number, places) for number, weight in enumerate(weights)) / sum(weights)
    assert found.exact
    assert found.stations[0].queue_length == pytest.approx(inside, rel=1e-9)
    assert found.stations[0].queue_length == pytest.approx(found.buffers[0].occupancy, rel=1e-9)


def test_constant_times_with_room_for_one_are_the_loss_system():
    """Erlang's formula holds for every distribution."""
    assert drained([Visitor(0.8, 1.5, 0.0)], 1).buffers[0].found_full == pytest.approx(1.2 / 2.2, rel=1e-9)


@pytest.mark.parametrize("places", [1, 2])
def test_fewer_places_than_servers_are_a_loss_system_of_the_places(places: int):
    drain = Visitor(0.8, 1.5)
    found = drained([drain], places, servers=3)
    exact = figures((drain,), "fcfs", places, places)
    assert found.buffers[0].found_full == pytest.approx(exact.lost, rel=1e-9)
    assert found.buffers[0].occupancy == pytest.approx(exact.numbers[0], rel=1e-9)


def test_no_model_with_a_drain_below_other_work_breaks():
    random = np.random.default_rng(3)
    for _ in range(60):
        servers = int(random.integers(1, 3))
        loads = random.uniform(0.05, 0.45, 2) * servers
        means = 10 ** random.uniform(-1, 1, 3)
        scvs = random.choice([0.0, 0.3, 1.0, 10.0], 3)
        others = tuple(
            Visitor(float(load / mean), float(mean), float(scv), kind + 1)
            for kind, (load, mean, scv) in enumerate(zip(loads, means, scvs, strict=False))
        )
        drain = Visitor(float(10 ** random.uniform(-1, 2)), float(means[2]), float(scvs[2]))
        discipline = str(random.choice(["priority", "preemptive"]))
        places = int(random.integers(1, 9))
        # Without the chain of all states, which answers most of these and is slow.
        found = drained([drain], places, True, servers, others, discipline, AUTO.replace(chain=0)).buffers[0]
        left = servers * (1 - loads.sum() / servers) / drain.mean
        assert 0 <= found.found_full <= 1
        assert 0 <= found.occupancy <= found.places
        assert found.throughput <= min(left, drain.rate) * (1 + 1e-9)
