"""Laws that every answer must satisfy, on random networks with everything the language can say.

`QNET_FULL=1` runs 300 networks and 100 batches instead of a slice of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest
from building import close
from full import FULL
from random_networks import at, numbers, permuted, random_network, single

from qnet.networks.open.solve import solve
from qnet.networks.routed import OpenClass, RoutedNetwork, Step, Time
from qnet.networks.solution import RoutedSolution

pytestmark = pytest.mark.sliced

COUNT = 300 if FULL else 90
BATCHES = 100 if FULL else 40
SIZE = 3


@cache
def solved() -> list[tuple[RoutedNetwork, RoutedSolution]]:
    """The networks and their answers."""
    networks = [random_network(seed) for seed in range(COUNT)]
    return [(network, solve(network)) for network in networks]


@cache
def batch(number: int) -> tuple[RoutedNetwork, RoutedSolution]:
    """A batch of networks of one structure, and its answer."""
    network = random_network(COUNT + number, SIZE)
    return network, solve(network)


def holds(steps: Sequence[Step], rate: Any, outside: tuple[Any, ...]) -> Iterator[tuple[str, tuple[Any, ...], Any]]:
    """Every hold of some steps, with the stations held around it, and how often it starts."""
    for step in steps:
        if isinstance(step, Time):
            continue
        often = rate * step.visits
        yield step.station, outside, often
        yield from holds(step.steps, often, (*outside, step.station))


def pure_delay(customers: OpenClass) -> float:
    """Mean time of a class in delays that belong to no station."""
    return sum(
        route.probability * step.visits * step.mean
        for route in customers.routes
        for step in route.steps
        if isinstance(step, Time) and step.phase == 1
    )


def test_the_networks_have_everything() -> None:
    texts = [repr(network) for network, _ in solved()]
    for wanted in (
        "phase=2",
        "keeps=('s",
        "follows='s",
        "[hot]",
        "'ps'",
        "'lcfs-pr'",
        "delay=True",
        "priority=2",
        "scv=0.0",
    ):
        assert sum(wanted in text for text in texts) >= COUNT / 10, wanted
    assert sum(bool(solution.held_by) for _, solution in solved()) >= COUNT / 2
    assert sum(len(network.classes) > 1 for network, _ in solved()) >= COUNT / 2
    assert max(solution.rounds for _, solution in solved()) >= 4


def test_every_number_is_finite_and_not_negative() -> None:
    for seed, (_, solution) in enumerate(solved()):
        assert solution.stable is True
        for name, value in numbers(solution).items():
            assert isinstance(value, float) and 0 <= value < np.inf, (seed, name, value)


def test_utilization_is_a_share() -> None:
    for seed, (network, solution) in enumerate(solved()):
        delays = {item.name for item in network.stations if item.delay}
        for item in solution.stations:
            if item.name in delays:
                assert item.utilization is None and item.wait == 0
            else:
                assert item.utilization is not None and 0 <= item.utilization < 1, (seed, item)
        assert all(item.load < 1 for item in solution.loads)


def test_little_and_the_utilization_law_at_every_station_group() -> None:
    for seed, (_, solution) in enumerate(solved()):
        for item in solution.stations:
            assert close(item.queue_length, item.throughput * (item.wait + item.holding), 1e-11), (seed, item)
            assert close(item.busy_servers, item.throughput * item.holding, 1e-11), (seed, item)
            if item.utilization is not None:
                assert close(item.utilization, item.busy_servers / item.servers / item.copies, 1e-11), (seed, item)


def test_little_in_time_spent_where_nothing_is_held_inside_and_nothing_is_left() -> None:
    """Arrivals x residence is then the number present."""
    seen = 0
    for seed, (network, solution) in enumerate(solved()):
        if "phase=2" in repr(network):
            continue
        outer = set(solution.held_by)
        around = {
            name
            for customers in network.classes
            for route in customers.routes
            for _, outside, _ in holds(route.steps, 1.0, ())
            for name in outside
        }
        for item in solution.stations:
            if item.label not in outer and item.name not in around:
                seen += 1
                assert close(item.queue_length, solution.throughput * item.residence, 1e-10), (seed, item)
    assert seen >= COUNT / 10


def test_forced_flow() -> None:
    for seed, (network, solution) in enumerate(solved()):
        flow = dict.fromkeys((item.name for item in network.stations), 0.0)
        by_class = {(item.name, customers.name): 0.0 for item in network.stations for customers in network.classes}
        for customers in network.classes:
            for route in customers.routes:
                for name, _, often in holds(route.steps, customers.arrival_rate * route.probability, ()):
                    flow[name] += often
                    by_class[name, customers.name] += often
        for name, wanted in flow.items():
            found = sum(item.throughput for item in solution.stations if item.name == name)
            assert close(found, wanted, 1e-11), (seed, name)
        for (name, kind), wanted in by_class.items():
            found = sum(item.throughput for item in solution.visits if (item.name, item.class_name) == (name, kind))
            assert close(found, wanted, 1e-11), (seed, name, kind)


def test_groups_of_copies_share_the_flow_of_their_station() -> None:
    for seed, (network, solution) in enumerate(solved()):
        shares = {group.label: group.share * group.copies for item in network.stations for group in item.groups}
        followers = {item.name for item in network.stations if item.follows}
        for item in solution.stations:
            whole = sum(other.throughput for other in solution.stations if other.name == item.name)
            if item.name not in followers or not solution.held_by:
                assert close(item.throughput, whole * shares[item.label], 1e-11), (seed, item)


def test_residences_and_pure_delays_sum_to_the_response() -> None:
    for seed, (network, solution) in enumerate(solved()):
        for customers, item in zip(network.classes, solution.classes, strict=True):
            inside = sum(visit.residence for visit in solution.visits if visit.class_name == item.name)
            assert close(inside + pure_delay(customers), item.response, 1e-11), (seed, item)
        inside = sum(item.residence for item in solution.stations)
        delays = sum(customers.arrival_rate * pure_delay(customers) for customers in network.classes)
        assert close(inside + delays / solution.throughput, solution.response, 1e-11), seed


def test_routes_make_classes_and_classes_make_the_system() -> None:
    for seed, (_, solution) in enumerate(solved()):
        for item in solution.classes:
            routes = [route for route in solution.routes if route.class_name == item.name]
            assert close(sum(route.throughput for route in routes), item.throughput, 1e-11), seed
            response = sum(route.throughput * route.response for route in routes) / item.throughput
            assert close(response, item.response, 1e-11), seed
        assert close(sum(item.throughput for item in solution.classes), solution.throughput)
        response = sum(item.throughput * item.response for item in solution.classes) / solution.throughput
        assert close(response, solution.response, 1e-11), seed


def test_the_figures_of_classes_sum_to_those_of_the_station() -> None:
    for seed, (_, solution) in enumerate(solved()):
        for item in solution.stations:
            own = [visit for visit in solution.visits if visit.label == item.label]
            assert close(sum(visit.throughput for visit in own), item.throughput, 1e-11), (seed, item)
            assert close(sum(visit.queue_length for visit in own), item.queue_length, 1e-11), (seed, item)
            if item.utilization is not None:
                assert close(sum(visit.utilization or 0 for visit in own), item.utilization, 1e-11), (seed, item)


def test_loads_are_the_utilizations() -> None:
    for seed, (_, solution) in enumerate(solved()):
        utilizations = {item.label: item.utilization for item in solution.stations if item.throughput}
        for load in solution.loads:
            assert close(load.load, utilizations.get(load.name, 0.0), 1e-11), (seed, load)


def test_waiting_inside_is_part_of_the_holding_time() -> None:
    for seed, (_, solution) in enumerate(solved()):
        for outer, shares in solution.held_by.items():
            assert 0 <= sum(shares.values()) <= 1 + 1e-12, (seed, outer)


@pytest.mark.long
def test_a_batch_is_its_points_one_by_one() -> None:
    for number, (network, solution) in enumerate(map(batch, range(BATCHES))):
        assert solution.stable.all(), number
        for point in range(SIZE):
            alone = numbers(solve(single(network, point)))
            for name, value in numbers(solution).items():
                found = float(np.broadcast_to(value, (SIZE,))[point])
                assert found == pytest.approx(alone[name], rel=1e-12, abs=1e-13), (number, point, name)


@pytest.mark.long
def test_the_order_of_points_does_not_matter() -> None:
    for number, (network, solution) in enumerate(map(batch, range(BATCHES))):
        order = list(range(SIZE))
        Random(number).shuffle(order)
        again = numbers(solve(permuted(network, order)))
        for name, value in numbers(solution).items():
            assert np.all(permuted(np.broadcast_to(value, (SIZE,)), order) == np.broadcast_to(again[name], (SIZE,))), (
                name
            )


def test_one_point_of_a_batch_is_the_same_as_a_batch_of_one() -> None:
    network, solution = batch(0)
    first = permuted(network, [1]).replace(size=1)
    for name, value in numbers(solve(first)).items():
        assert float(np.broadcast_to(value, (1,))[0]) == pytest.approx(at(numbers(solution)[name], 1), rel=1e-12), name
