"""`Network.from_routing`: service times and routing matrices, classes that change included."""

from __future__ import annotations

import importlib
import random
from fractions import Fraction
from typing import Any

import pytest
from many import many
from routing_oracles import Network, balanced, floats, random_routing

import qnet
from qnet.errors import InvalidInput

np: Any = importlib.import_module("numpy")


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


@many("seed", range(4))
@pytest.mark.parametrize("servers", [1, 2])
def test_changing_classes_are_as_the_balance_of_all_states_says(seed: int, servers: int):
    source = random.Random(seed)
    service = [[Fraction(source.randint(1, 20), source.randint(1, 9)) for _ in range(2)] for _ in range(2)]
    routing = random_routing(seed, 4)
    exact = balanced(Network(routing, service, [[1], [1, 2][:servers]], [(3, [0, 1])]))
    asked = qnet.Network.from_routing(
        floats(service), by_station(routing, 2, 2), population=[2, 1], servers=[1, servers], disciplines="ps"
    )
    found = asked.solve()
    assert asked.chain_of == (0, 0) and found.exact
    for have, wanted in ((found.queue_length, exact.queue_length), (found.station_throughput, exact.throughput)):
        for row, expected in zip(have, wanted, strict=True):
            assert list(row) == pytest.approx([float(value) for value in expected], rel=1e-12)


def test_an_open_network_of_jackson():
    """Half of what leaves the first queue passes the second, four in ten of that come back: 1 / (1 - 0.2) visits."""
    found = qnet.Network.from_routing([[0.1], [0.2]], [[0, 0.5], [0.4, 0]], arrivals=[[2.0], [0.0]])
    assert found.switching.visits == ((pytest.approx(1.25),), (pytest.approx(0.625),))
    solution = found.solve()
    assert solution.throughput.tolist() == [2.0]
    assert solution.response[0] == pytest.approx(0.125 / 0.75 + 0.125 / 0.75)


def test_one_matrix_per_class_is_no_switching():
    there_and_back = [[0, 1], [1, 0]]
    found = qnet.Network.from_routing(
        [[1, 2], [3, 1]], [there_and_back, there_and_back], population=[2, 3], disciplines="ps"
    )
    alone = qnet.Network([[1, 2], [3, 1]], population=[2, 3], disciplines="ps").solve()
    assert found.chain_of == (0, 1)
    assert found.solve().throughput == pytest.approx(alone.figures.throughput)


def test_an_open_and_a_closed_chain_side_by_side():
    closed, passing = [[0, 1], [1, 0]], [[0, 1], [0, 0]]
    found = qnet.Network.from_routing(
        [[1, 0.2], [3, 0.1]], [closed, passing], population=[2, None], arrivals=[[0, 0.5], [0, 0]], disciplines="ps"
    )
    mixed = qnet.Network([[1, 0.2], [3, 0.1]], population=[2, None], arrival_rate=[None, 0.5], disciplines="ps").solve()
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
    found = asked.solve("residual-service")
    assert not found.exact
    assert "station 0: first come first served, with service times that differ between classes" in found.reasons


SWITCHES: dict[str, Any] = {
    "service_times": [[0.3, 0.2], [0.4, 0.1]],
    "routing": [[[[0, 0], [0.7, 0.3]], [[0, 0], [0, 1]]], [[[0.5, 0.5], [0, 0]], [[1, 0], [0, 0]]]],
    "population": [3, 1],
}
"""One chain of two classes at two stations."""


@pytest.mark.parametrize("times", [[[1.0, 2.0], [1.0, 1.0]], np.array([[[1.0, 2.0], [1.0, 1.0]]] * 2)])
def test_times_that_together_are_as_variable_as_an_exponential_one_are_none(times: Any):
    """Half the visits take 1 s, half 2 s, of scv 0.8: the mean square is twice the square of the mean."""
    routing = np.zeros((2, 2, 2, 2))
    for kind in range(2):
        routing[0, kind, 1, 1 - kind] = routing[1, kind, 0, kind] = 1.0
    asked = {"population": [2, 1], "scv": [[0.8, 0.8], [1.0, 1.0]]}
    ordered = qnet.Network.from_routing(times, routing, disciplines=["fcfs", "ps"], **asked)
    assert not ordered.solve().exact
    assert qnet.Network.from_routing(times, routing, disciplines="ps", **asked).solve().exact


def test_chains_have_the_bounds_states_and_laws_of_every_network():
    network = qnet.Network.from_routing(**SWITCHES, disciplines="ps")
    found, bounds = network.solve(state_probabilities=True), network.bounds()
    assert isinstance(network, qnet.Network) and found.exact
    assert bounds.throughput_lower[0] <= found.throughput[0] <= bounds.throughput_upper[0]
    assert found.queue_length.sum() == pytest.approx(4)
    for row, queue in zip(found.state_probabilities, found.queue_length.sum(1), strict=True):
        assert sum(row) == pytest.approx(1)
        assert sum(number * chance for number, chance in enumerate(row)) == pytest.approx(queue)
    np.testing.assert_allclose(found.queue_length, found.station_throughput * found.response_per_visit)
    np.testing.assert_allclose(found.busy_servers, found.station_throughput * SWITCHES["service_times"])


def test_a_think_time_is_a_delay_that_each_passage_visits():
    """The delay stands before the reference, and is visited as often."""
    thinking = qnet.Network.from_routing([[0.3], [0.4]], [[0.2, 0.8], [1, 0]], population=[5], think_time=[2.0])
    delayed = qnet.Network.from_routing(
        [[0.3], [0.4], [2.0]],
        [[0, 0.8, 0.2], [0, 0, 1], [1, 0, 0]],
        population=[5],
        kinds=["queue", "queue", "delay"],
    )
    np.testing.assert_allclose(thinking.solve().throughput, delayed.solve().throughput, rtol=1e-12)


def test_a_batch_of_routings_is_its_variants():
    times = np.array([[[0.3, 0.2], [0.4, 0.1]], [[0.1, 0.2], [0.3, 0.5]], [[0.2, 0.2], [0.1, 0.1]]])
    arrivals = np.array([[[1.0, 0.2], [0.0, 0.0]], [[0.5, 0.0], [0.1, 0.4]], [[0.0, 0.0], [0.0, 0.3]]])
    routing = [[[[0, 0], [0.3, 0.3]], [[0, 0], [0, 0.5]]], [[[0.1, 0.2], [0, 0]], [[0, 0], [0, 0]]]]
    whole = qnet.Network.from_routing(times, routing, arrivals=arrivals, disciplines="ps")
    for place in range(3):
        alone = qnet.Network.from_routing(times[place], routing, arrivals=arrivals[place], disciplines="ps").solve()
        for figure in ("throughput", "response", "residence", "queue_length", "utilization", "station_throughput"):
            one, other = getattr(whole.solve(), figure)[place], getattr(alone, figure)
            np.testing.assert_allclose(one, other, rtol=1e-12, err_msg=figure)
        np.testing.assert_allclose(whole.point(place).solve().residence, alone.residence, rtol=1e-12)


def test_without_switching_everything_is_as_of_demands():
    """Priorities and scv of classes that never change are those of a network by demands."""
    around = [[0, 1], [1, 0]]
    options: dict[str, Any] = {
        "population": [2, 3], "think_time": [1.0, 3.0], "scv": [[2.0, 1.0], [1.0, 0.5]], "priority": [1, 0],
        "disciplines": ["priority", "fcfs"],
    }  # fmt: skip
    routed = qnet.Network.from_routing([[0.2, 0.4], [0.3, 0.3]], [around, around], **options)
    by_demands = qnet.Network([[0.2, 0.4], [0.3, 0.3]], visits=[[1, 1], [1, 1]], **options)
    routed, by_demands = routed.solve("priority-mva"), by_demands.solve("priority-mva")
    assert (routed.method, routed.reasons) == (by_demands.method, by_demands.reasons)
    np.testing.assert_allclose(routed.residence, by_demands.residence, rtol=1e-12)
    np.testing.assert_allclose(routed.throughput, by_demands.throughput, rtol=1e-12)


def test_classes_of_a_chain_wait_alike_where_they_stand_in_line():
    """So the approximation has it; in the chain of all states they do not quite."""
    found = qnet.Network.from_routing(**SWITCHES).solve("residual-service")
    assert not found.exact
    waits = found.response_per_visit - SWITCHES["service_times"]
    np.testing.assert_allclose(waits[:, 0], waits[:, 1], rtol=1e-9)
    assert found.queue_length.sum() == pytest.approx(4, rel=1e-9)


def test_the_time_per_visit_of_a_chain_is_that_of_whichever_class_comes():
    """Two visits in three take 1 s, the third one 2 s, exponential either way."""
    found = qnet.Network.from_routing([[1.0, 2.0]], [[[[0, 0.5]], [[0, 0]]]], arrivals=[[0.2, 0.0]], scv=[[1.0, 1.0]])
    second = (1 * 2 * 1.0 + 0.5 * 2 * 4.0) / 1.5
    assert found.scv[0][0] == pytest.approx(second / (2 / 1.5) ** 2 - 1)
    constant = qnet.Network.from_routing([[0.3]], [[1]], population=[2], scv=[[0.0]])
    assert constant.scv[0][0] == pytest.approx(0, abs=1e-15)


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
        ({"population": [1, 2]}, "population has 2 entries; expected one entry per class: 1"),
        ({"population": [None], "arrivals": [[1], [0]]}, "never leave"),
        ({"think_time": [1, 2]}, "think_time has 2 entries; expected one entry per class: 1"),
        ({"scv": [[1]]}, "scv has another shape than service_times"),
        ({"priority": [[1], [1], [1]], "disciplines": "priority"}, "expected one integer per class: 1"),
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
