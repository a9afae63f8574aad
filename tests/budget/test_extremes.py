"""Very many stations, classes, servers and customers, very small and large times: answered soon, or refused by name."""

from __future__ import annotations

from typing import Any

import pytest
from full import long_but

import qnet
from qnet import budget
from qnet.budget import Account
from qnet.lazy import np

MANY = 10_000


def test_ten_thousand_stations_are_answered():
    with budget.opened(Account()) as account:
        found = qnet.Network([[1e-4]] * MANY, arrival_rate=[10.0]).solve()
    assert account.spent < 2e9
    # M/M/1 at each: s / (1 - rate s).
    assert found.response == pytest.approx([MANY * 1e-4 / (1 - 1e-3)], rel=1e-9)


def test_closed_customers_of_ten_thousand_stations_are_answered():
    with budget.opened(Account()) as account:
        found = qnet.Network([[1e-3]] * MANY, population=[10]).solve()
    assert found.exact and account.spent < 5e9
    # Balanced: X = N / (D (1 + (N - 1) / K)).
    assert found.throughput == pytest.approx([10 / (MANY * 1e-3 * (1 + 9 / MANY))], rel=1e-9)


def test_a_thousand_classes_are_answered():
    demands = np.random.default_rng(4).random((3, 1000)).tolist()
    with budget.opened(Account()) as account:
        found = qnet.Network(demands, population=[2] * 1000, think_time=[1.0] * 1000).solve()
    assert account.spent < 9e9
    assert (np.array(demands) @ np.array(found.throughput) <= 1 + 1e-9).all()


@pytest.mark.parametrize("population", long_but([1, 1000, 10**6, 10**9], 1, 1000, 10**9))
def test_customers_do_not_wait_for_a_billion_servers(population: int):
    found = qnet.Network([[0.1], [0.2]], servers=[10**9] * 2, population=[population]).solve()
    assert found.throughput == pytest.approx([population / 0.3], rel=1e-9)


@pytest.mark.parametrize("load", [0.5, 0.999, 1 - 1e-7])
def test_two_million_servers_have_their_waiting_probability(load: float):
    servers = 2_000_000
    found = qnet.queue("M/M/c", arrival_rate=load * servers, service_time=1.0, servers=servers)
    assert 1.0 <= found.response < 1.0 + 1.0 / (servers * (1 - load))
    # Halfin and Whitt (1981): few wait where beta = (1 - load) sqrt(servers) is large, nearly all where it is small.
    beta = (1 - load) * servers**0.5
    waits = (found.response - 1.0) * servers * (1 - load)
    assert waits < 1e-9 if beta > 7 else 0.0 < waits <= 1.0


def test_composite_bounds_of_a_think_time_of_a_century_do_not_cross():
    found = qnet.Network([[0.1], [0.2]], population=[1], think_time=[3e9]).bounds("composite")
    assert found.response_lower[0] <= 0.3 * (1 + 1e-6)
    assert found.response_upper[0] >= 0.3 * (1 - 1e-6)
    assert found.response_lower[0] <= found.response_upper[0]


@pytest.mark.parametrize("time", [1e-300, 1e-90, 1e90, 1e300])
def test_a_demand_is_answered_or_refused_by_name(time: float):
    def asked() -> Any:
        return qnet.Network([[time], [time]], population=[3]).solve()

    try:
        found = asked()
    except qnet.InvalidInput as error:
        assert "demands" in str(error)
    else:
        assert found.response == pytest.approx([time * 4], rel=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("discipline", ["priority", "preemptive"])
def test_a_million_customers_served_last_get_what_a_million_before_them_leave(discipline: str):
    """Of a server that is full and nothing else, as fluid."""
    customers, first, last = 10**6, 0.6, 1.1
    think_time = [customers / first, customers / last]
    found = qnet.Network(
        [[1.0, 1.0]], population=[customers] * 2, think_time=think_time, disciplines=[discipline], priority=[1, 0]
    ).solve()
    assert found.throughput == pytest.approx([first, 1 - first], rel=1e-4)
    assert found.utilization.sum() <= 1
    assert found.response[1] == pytest.approx(customers / (1 - first) - think_time[1], rel=1e-4)
