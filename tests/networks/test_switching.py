"""`Network.from_routing`: service times and routing matrices, classes that change included."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
from routing_oracles import Network, balanced, floats, random_routing

import qnet
from qnet.errors import InvalidInput


def by_station(routing: list[list[Fraction]], stations: int, classes: int) -> list[Any]:
    """A routing between states as (K, R, K, R)."""
    table = floats(routing)
    return [
        [
            [[table[k * classes + r][j * classes + s] for s in range(classes)] for j in range(stations)]
            for r in range(classes)
        ]
        for k in range(stations)
    ]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("servers", [1, 2])
def test_changing_classes_are_as_the_balance_of_all_states_says(seed: int, servers: int):
    source = random.Random(seed)
    service = [[Fraction(source.randint(1, 20), source.randint(1, 9)) for _ in range(2)] for _ in range(2)]
    routing = random_routing(seed, 4)
    exact = balanced(Network(routing, service, [[1], [1, 2][:servers]], [(3, [0, 1])]))
    asked = qnet.Network.from_routing(
        floats(service), by_station(routing, 2, 2), population=[2, 1], servers=[1, servers]
    )
    found = asked.solve()
    assert asked.chain_of == (0, 0) and found.exact
    for have, wanted in ((found.queue_length, exact.queue_length), (found.station_throughput, exact.throughput)):
        for row, expected in zip(have, wanted, strict=True):
            assert list(row) == pytest.approx([float(value) for value in expected], rel=1e-12)


def test_an_open_network_of_jackson():
    """Half of what leaves the first queue passes the second, four in ten of that come back: 1 / (1 - 0.2) visits."""
    found = qnet.Network.from_routing([[0.1], [0.2]], [[0, 0.5], [0.4, 0]], arrivals=[[2.0], [0.0]])
    assert found.visits == ((pytest.approx(1.25),), (pytest.approx(0.625),))
    solution = found.solve()
    assert solution.throughput == (2.0,)
    assert solution.response[0] == pytest.approx(0.125 / 0.75 + 0.125 / 0.75)


def test_one_matrix_per_class_is_no_switching():
    there_and_back = [[0, 1], [1, 0]]
    found = qnet.Network.from_routing([[1, 2], [3, 1]], [there_and_back, there_and_back], population=[2, 3])
    alone = qnet.Network([[1, 2], [3, 1]], population=[2, 3]).solve()
    assert found.chain_of == (0, 1)
    assert found.solve().throughput == pytest.approx(alone.figures.throughput)


def test_an_open_and_a_closed_chain_side_by_side():
    closed, passing = [[0, 1], [1, 0]], [[0, 1], [0, 0]]
    found = qnet.Network.from_routing(
        [[1, 0.2], [3, 0.1]], [closed, passing], population=[2, None], arrivals=[[0, 0.5], [0, 0]]
    )
    mixed = qnet.Network([[1, 0.2], [3, 0.1]], population=[2, None], arrival_rate=[None, 0.5]).solve()
    assert found.solve().response == pytest.approx(mixed.figures.response)


def test_passages_are_counted_at_the_reference():
    routing = [[0, 1], [0.5, 0.5]]
    at_first = qnet.Network.from_routing([[1], [1]], routing, population=[3]).solve()
    at_second = qnet.Network.from_routing([[1], [1]], routing, population=[3], reference=1).solve()
    assert at_second.throughput[0] == pytest.approx(2 * at_first.throughput[0])
    assert at_second.queue_length[0] == pytest.approx(at_first.queue_length[0])


def test_times_that_differ_between_classes_are_no_product_form_at_first_come_first_served():
    routing = [[0, 1], [1, 0]]
    asked = qnet.Network.from_routing([[1, 2], [3, 1]], [routing] * 2, population=[2, 3], disciplines=["fcfs", "ps"])
    found = asked.solve()
    assert not found.exact
    assert found.reasons == ("station 0: first come first served, with service times that differ between classes",)


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"routing": [[0, 0.5], [0.4, 0.7]]}, 'the routing from "station 1 class 0" sums to 1.1'),
        ({"reference": 2}, "the reference is station 2; expected a number from 0 to 1"),
        ({"routing": [[0, 1, 0], [1, 0, 0]]}, "routing is no table of probabilities between the stations"),
        ({"service_times": [[1], ["a"]]}, "service_times is no table of numbers"),
        ({"service_times": [[1], [-1]]}, "service_times has negative or infinite numbers"),
        ({"arrivals": [[1]]}, "arrivals has another shape than service_times"),
        ({"arrivals": [[1], [0]]}, "have a population and arrivals; expected one of the two"),
        ({"population": [1, 2]}, "population has 2 entries; expected one per class: 1"),
        ({"population": [None], "arrivals": [[1], [0]]}, "never leave"),
    ],
)
def test_what_is_no_network_is_told(changes: dict[str, Any], words: str):
    asked: dict[str, Any] = {"service_times": [[1], [1]], "routing": [[0, 1], [1, 0]], "population": [3]} | changes
    with pytest.raises(InvalidInput) as refused:
        qnet.Network.from_routing(**asked)
    assert words in str(refused.value)


def test_a_chain_has_one_kind_of_customers():
    routing = [[[[0, 0], [1, 0]], [[0, 0], [0, 1]]], [[[0, 1], [0, 0]], [[1, 0], [0, 0]]]]
    with pytest.raises(InvalidInput, match="customers change between a closed and an open class"):
        qnet.Network.from_routing([[1, 1], [1, 1]], routing, population=[3, None])
