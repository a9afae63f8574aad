"""Where percentiles of response are exact: the theorem against chains that follow one customer, and its limits."""

from __future__ import annotations

from collections.abc import Iterable
from math import factorial
from typing import Any

import numpy as np
import pytest
from passage import DONE, percentiles
from passage_systems import Move, overtaking, queue, several_servers, visit

from qnet.expression import FLOATS, arrays
from qnet.networks.percentiles.responses import response_percentile
from qnet.networks.percentiles.trust import beyond, exact
from qnet.networks.routed import Group, OpenClass, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.solve import solve
from qnet.queues.stations.queue import queue as station_formula

SHARES = (0.5, 0.9, 0.95, 0.99)
MOST = 40
"""Customers in all stations together, beyond which the probabilities are below 1e-13."""
ROUTES = {"tandem": (("long", 1.0, "ab"),), "tree": (("long", 0.4, "ab"), ("short", 0.6, "ac"))}


def network(routes: Iterable[tuple[str, Any, str]], times: dict[str, Any], size: int | None = None) -> RoutedNetwork:
    """One arrival per second, parted over routes through single servers, one letter each."""
    parted = [Route(name, share, tuple(visit(place, times[place]) for place in way)) for name, share, way in routes]
    return RoutedNetwork(tuple(map(queue, times)), (OpenClass("all", 1.0, tuple(parted)),), size=size)


def followed(loads: Any, share: float, rates: list[Any]) -> Any:
    """The percentiles of a customer who goes from `a` to `b`, with a share of those before him: by a chain.

    Those behind him never matter: the chain has the numbers before him at `a`, and at `b`.
    """

    def moves(state: Any) -> Iterable[Move]:
        place, ahead, there = state
        if place == "b":
            yield rates[1], ("b", ahead - 1, 0) if ahead else DONE
            return
        if ahead:
            yield rates[0] * share, ("a", ahead - 1, there + 1)
            yield rates[0] * (1 - share), ("a", ahead - 1, there)
        else:
            yield rates[0], ("b", there, 0)
        if there:
            yield rates[1], ("a", ahead, there - 1)

    first: dict[Any, Any] = {
        ("a", here, there): (1 - loads[0]) * loads[0] ** here * (1 - loads[1]) * loads[1] ** there
        for here in range(MOST + 1)
        for there in range(MOST + 1 - here)
    }
    return percentiles(first, moves, SHARES)


@pytest.mark.parametrize("shape", ROUTES)
def test_percentiles_without_overtaking_are_those_of_a_chain(shape: str):
    loads = np.random.default_rng(1957).uniform(0.05, 0.4, (2, 20))
    share = ROUTES[shape][0][1]
    rates = [1 / loads[0], share / loads[1]]
    times = {"a": 1 / rates[0], "b": 1 / rates[1]} | ({"c": 0.3 + 0 * loads[0]} if shape == "tree" else {})
    solution = solve(network(ROUTES[shape], times, 20))
    found = np.array([response_percentile(solution, part, "long") for part in SHARES])
    assert solution.passages is not None
    assert np.all(exact(solution.passages.network, arrays()))
    assert found == pytest.approx(followed(loads, share, rates), rel=1e-6)


def followed_past_servers(loads: Any, servers: tuple[int, int], most: int = 15) -> tuple[RoutedNetwork, Any]:
    """Two queues with several servers, and the percentiles of a customer who may overtake others: by a chain.

    At the first, those behind him matter as well: they may be at the second before him.
    """
    rates = [1 / (load * number) for load, number in zip(loads, servers, strict=True)]

    def moves(state: Any) -> Iterable[Move]:
        """By his queue, the numbers there before him, of all others at `a`, and at `b` while he is at `a`."""
        station, ahead, others, there = state
        if station == "b":
            yield (rates[1], DONE) if ahead < servers[1] else (rates[1] * servers[1], ("b", ahead - 1, 0, 0))
            return
        served = ahead < servers[0]
        if others + there < most:
            yield 1.0, ("a", ahead, others + 1, there)
        if served:
            yield rates[0], ("b", there, 0, 0)
            if others:
                yield rates[0] * min(others, servers[0] - 1), ("a", 0, others - 1, there + 1)
        else:
            yield rates[0] * servers[0], ("a", ahead - 1, others - 1, there + 1)
        if there:
            yield rates[1] * min(there, servers[1]), ("a", ahead, others, there - 1)

    def present(load: Any, number: int, count: int) -> Any:
        offered = load * number
        weights = [offered**n / factorial(min(n, number)) / number ** max(0, n - number) for n in range(200)]
        return weights[count] / sum(weights)

    first: dict[Any, Any] = {
        ("a", here if here >= servers[0] else 0, here, there): present(loads[0], servers[0], here)
        * present(loads[1], servers[1], there)
        for here in range(most)
        for there in range(most - here)
    }
    asked = network((("all", 1.0, "ab"),), {"a": 1 / rates[0], "b": 1 / rates[1]}, len(loads[0]))
    stations = tuple(queue(name, number) for name, number in zip("ab", servers, strict=True))
    return asked.replace(stations=stations), percentiles(first, moves, SHARES)


@pytest.mark.long
@pytest.mark.parametrize("servers", [(2, 1), (1, 2), (3, 2)])
def test_percentiles_past_several_servers_at_the_ends_are_those_of_a_chain(servers: tuple[int, int]):
    loads = np.random.default_rng(1968).uniform(0.05, 0.3, (2, 12))
    asked, true = followed_past_servers(loads, servers)
    found = np.array([response_percentile(solve(asked), part) for part in SHARES])
    assert np.all(exact(asked, arrays()))
    assert found == pytest.approx(true, rel=3e-6)


@pytest.mark.parametrize("servers", [2, 3, 4])
def test_percentiles_of_one_queue_are_those_of_a_chain(servers: int):
    asked, true = several_servers(np.random.default_rng(1968).uniform(0.2, 0.9, 50), servers, SHARES)
    found = np.array([response_percentile(solve(asked), part) for part in SHARES])
    assert np.all(exact(asked, arrays()))
    assert found == pytest.approx(true, rel=1e-5)


@pytest.mark.parametrize("servers", [1, 2, 4, 32])
def test_percentiles_of_one_queue_are_those_of_its_formula(servers: int):
    asked = plain((visit("a", 0.02),), queue("a", servers))
    asked = asked.replace(classes=(asked.classes[0].replace(arrival_rate=40.0 * servers),))
    formula = station_formula("M/M/c", arrival_rate=40.0 * servers, service_time=0.02, servers=servers)
    assert formula.response_percentile is not None
    for share in SHARES:
        assert response_percentile(solve(asked), share) == pytest.approx(formula.response_percentile(share), rel=1e-7)


def test_the_theorem_is_not_claimed_where_customers_overtake():
    """The first and the last time depend on each other there, and the percentile is not exact."""
    asked, true = overtaking(np.full((3, 1), 0.3), np.array([0.5]), SHARES)
    found = np.array([response_percentile(solve(asked), part) for part in SHARES])
    assert not np.any(exact(asked, arrays()))
    assert abs(found / true - 1).max() > 1e-3


TWO = {"a": 0.1, "b": 0.2}
THREE = TWO | {"c": 0.1}


def plain(way: tuple[Step, ...], *stations: Station, **named: Any) -> RoutedNetwork:
    """One route through stations."""
    return RoutedNetwork(stations, (OpenClass("all", 1.0, (Route("all", 1.0, way),), **named),))


@pytest.mark.parametrize(
    ("asked", "sure"),
    [
        (plain((visit("a", 0.1),), queue("a")), True),
        (network((("all", 1.0, "ab"),), TWO), True),
        (network((("one", 0.5, "ac"), ("other", 0.5, "bc")), THREE), True),
        (network((("one", 0.5, "abc"), ("other", 0.5, "ac")), THREE), False),
        (network((("one", 0.5, "ab"), ("other", 0.5, "ba")), TWO), False),
        (network((("all", 1.0, "aba"),), TWO), False),
        (plain((Time(1.0), visit("a", 0.1), Time(1.0, 0.0)), queue("a")), True),
        (plain((visit("a", 0.1), Time(1.0, 0.5)), queue("a")), False),
        (plain((visit("a", 0.1), Time(1.0, 0.0), visit("b", 0.1)), queue("a"), queue("b")), False),
        (plain((visit("a", 0.1), visit("b", 0.1)), queue("a", 2), queue("b")), True),
        (plain((visit("a", 0.1), visit("b", 0.1)), queue("a"), queue("b", 2)), True),
        (plain((visit("a", 0.1), visit("b", 0.1), visit("c", 0.1)), *map(queue, "abc", (1, 2, 1))), False),
        (plain((visit("a", 0.1), visit("b", 0.1)), queue("a", 1, "ps"), queue("b")), False),
        (plain((visit("a", 0.1, 2.0), visit("b", 0.1)), queue("a"), queue("b")), False),
        (plain((visit("a", 0.1, 1.0, 0.5), visit("b", 0.1)), queue("a"), queue("b")), False),
        (plain((visit("a", 0.1),), queue("a"), arrival_scv=2.0), False),
        (plain((visit("a", 0.1),), Station("a", False, 1, "fcfs", (Group("a", 2, 0.5),))), False),
    ],
    ids=[
        "one", "tandem", "join", "overtaking", "crossing", "return", "delays around", "a delay of unknown kind",
        "a delay between", "servers first", "servers last", "servers between", "sharing", "visits",
        "variability", "bursts", "copies",
    ],
)  # fmt: skip
def test_where_the_theorem_holds(asked: RoutedNetwork, sure: bool):
    assert exact(asked, FLOATS) == sure


def test_every_point_of_a_batch_is_judged_for_itself():
    scv = np.array([0.5, 1.0, 2.0, 2.1, 8.0])
    asked = plain((visit("a", 0.1, 1.0, scv),), queue("a")).replace(size=5)
    assert exact(asked, arrays()).tolist() == [False, True, False, False, False]
    (reason,) = beyond(asked, arrays()).items()
    assert str(reason[0]) == "service times at a have an scv above 2"
    assert reason[1].tolist() == [False, False, False, True, True]
