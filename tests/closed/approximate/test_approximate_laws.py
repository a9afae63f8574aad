"""Approximations obey the laws wherever they answer, at any population, and reach the limits that theory knows."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

import pytest
from approximate_cases import METHODS, certify, random_network, servers
from closed_figures import queue_length, utilization
from full import long_but
from many import many

from qnet.networks.closed import approximate_servers
from qnet.networks.closed.approximate import CORRECTIONS, solve
from qnet.networks.closed.approximate_servers import erlang_c
from qnet.networks.closed.problem import ClosedNetwork, closed_network
from qnet.queues.erlang import erlang_c as erlang_c_of_one

np: Any = importlib.import_module("numpy")

KNOWN = tuple(CORRECTIONS)


@many("seed", range(12))
@pytest.mark.parametrize("method", long_but(METHODS, "bard-schweitzer", "linearizer"))
def test_batches_of_random_networks_obey_the_laws(method: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    base, size = random_network(seed, seed % 3 > 0, cells=10**6), 20
    shape = (size, base.stations, base.classes)
    demands = np.array(base.demands) * np.exp(rng.normal(0.0, 2.0 if seed % 2 else 0.1, shape))
    population = np.floor(np.exp(rng.uniform(0.0, 8.0 if seed % 4 else 2.0, (size, base.classes)))) - (seed % 5 == 0)
    think = np.array(base.think_time) * rng.exponential(1.0, (size, base.classes)) + 1e-6
    network = closed_network(demands, population, think, base.delay, base.rates)
    share = rng.choice([0.0, 0.0, 0.5, 0.95, 0.999], (size, base.stations))
    load = share * np.array([1.0 if away else base.peak(place) for place, away in enumerate(base.delay)])
    opened = load if seed % 2 else None
    certify(network, solve(network, method, KNOWN[seed % len(KNOWN)], open_load=opened), opened)


@many("seed", range(36))
@pytest.mark.parametrize("method", long_but(METHODS, "bard-schweitzer", "linearizer"))
def test_random_points_obey_the_laws(method: str, seed: int) -> None:
    network = random_network(seed, seed % 2 == 1)
    certify(network, solve(network, method, KNOWN[seed % len(KNOWN)]))


@pytest.mark.long
@many("seed", range(20))
def test_linearizer_until_convergence_obeys_the_laws(seed: int) -> None:
    network = random_network(seed, seed % 2 == 1)
    certify(network, solve(network, "linearizer", KNOWN[seed % len(KNOWN)], None))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("spread", [0.0, 0.001, 1.0, 3.0])
def test_many_classes_of_very_unlike_populations(method: str, spread: float) -> None:
    """Stations alike and unlike, populations from 1 to 10^9: where plain substitution or Newton alone gives up."""
    rng = np.random.default_rng(int(1000 * spread))
    demands = np.exp(rng.normal(0.0, spread, (3, 15, 10)))
    network = closed_network(demands, np.floor(10.0 ** rng.uniform(0, 9, (3, 10))), 10.0 ** rng.uniform(-3, 3, (3, 10)))
    certify(network, solve(network, method))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1e5, 1e7, 1e9])
def test_huge_populations_saturate_the_network(method: str, scale: float) -> None:
    rng = np.random.default_rng(1)
    demands, shares = rng.exponential(1.0, (4, 6, 3)), rng.uniform(0.2, 1.0, (4, 3))
    network = closed_network(demands, np.floor(scale * shares), rng.exponential(10.0, (4, 3)))
    found = solve(network, method)
    certify(network, found)
    assert (utilization(network, found).sum(-1).max(-1) > 1.0 - 200.0 / scale).all()
    larger = solve(network.replace(population=4 * network.population), method)
    assert np.allclose(larger.throughput, found.throughput, rtol=100.0 / scale)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("count", [10**3, 10**6, 10**9])
def test_one_class_comes_within_reach_of_its_bottleneck(method: str, count: int) -> None:
    network = closed_network([[0.2], [0.5], [0.1]], [count], [2.0])
    found = solve(network, method)
    certify(network, found)
    assert 2.0 * (1.0 - 2.0 / count) < found.throughput[0] <= 2.0 * (1.0 + 2e-15)
    others = 0.2 / 0.3 + 0.1 / 0.4
    assert queue_length(found)[1][0] == pytest.approx(count - others - 2.0 * 2.0, rel=5.0 / count)


@cache
def at_many_servers(count: int, load: float) -> ClosedNetwork:
    """Ten customers for each of the servers, a share of whose time they ask for."""
    demands = [[0.01], [0.08 * count * load], [0.08]]
    return closed_network(demands, [10 * count], [10.0], None, [None, servers(count), None])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("correction", CORRECTIONS)
def test_many_servers(method: str, correction: str) -> None:
    for count, load in [(512, 0.5), (512, 0.99), (512, 1.5), (100_000, 0.9)]:
        network = at_many_servers(count, load)
        found = solve(network, method, correction)
        certify(network, found)
        assert found.throughput[0] == pytest.approx(min(12.5, 12.5 / load), rel=5e-3)


@pytest.mark.parametrize("method", METHODS)
def test_very_unlike_demands(method: str) -> None:
    rng = np.random.default_rng(2)
    demands, population = 10.0 ** rng.uniform(-6, 3, (30, 5, 3)), np.floor(10.0 ** rng.uniform(0, 7, (30, 3)))
    network = closed_network(demands, population, 10.0 ** rng.uniform(-3, 3, (30, 3)))
    certify(network, solve(network, method))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("correction", CORRECTIONS)
def test_open_classes_near_saturation(method: str, correction: str) -> None:
    # Of two stations that are full alike, rounding decides who waits where, and "rolia-sevcik" makes it larger.
    many = 10**5 if correction == "rolia-sevcik" else 10**6
    network = closed_network([[0.2, 0.1], [0.6, 0.3]], [20, many], [1.0, 5.0], None, [None, servers(3)])
    for share in (0.5, 0.99) if correction == "rolia-sevcik" else (0.5, 0.99, 1.0 - 1e-6):
        load = [share, 3.0 * share]
        found = solve(network, method, correction, open_load=load)
        certify(network, found, load)
        assert utilization(network, found)[1].sum() + share == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("count", [2, 150, 151, 1000, 100_000])
def test_the_chance_of_waiting_in_arrays_is_that_of_numbers(count: int) -> None:
    loads = np.array([0.001, 0.3, 0.8, 0.95, 0.99, 0.999, 1.0]) * count
    wait, growth = erlang_c(count, loads)
    for load, found, slope in zip(loads.tolist(), wait.tolist(), growth.tolist(), strict=True):
        expected = erlang_c_of_one(count, load) if load < count else 1.0
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-200)
        step = 1e-4 * load**0.5
        if load + step < count:
            risen = (erlang_c_of_one(count, load + step) - erlang_c_of_one(count, load - step)) / (2 * step)
            assert slope == pytest.approx(risen, rel=1e-3, abs=1e-9)


def test_waits_that_change_no_digit_are_not_computed(monkeypatch):
    """Of a thousand servers, nearly all loads find some idle."""
    computed = []
    all_busy = approximate_servers.all_busy

    def counted(servers, load, closed, total):
        computed.append(load.size)
        return all_busy(servers, load, closed, total)

    monkeypatch.setattr(approximate_servers, "all_busy", counted)
    loads = np.linspace(0.0, 1200.0, 1201)[:, None, None]
    servers, total, alone = np.array([1000.0]), np.full(1201, 5000.0), np.zeros((1201, 1))
    found = approximate_servers.conway(servers, np.zeros((1201, 1)), total, loads, alone, None)
    assert 0 < sum(computed) < 500
    wait, _ = all_busy(1000, loads[:1000, 0], loads[:1000, 0], total[:1000, None])
    idle = 999.0 - loads[:1000, 0] + wait
    assert found.extra[:1000, 0] == pytest.approx((1.0 + idle) / 1000.0, rel=1e-14)
