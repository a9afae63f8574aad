"""Approximations obey the laws everywhere, are exact where theory says so, and are as good as they claim to be."""

from __future__ import annotations

import os
from typing import Any

import pytest
from closed_oracle import exact, random_network

from qnet.errors import InvalidInput, NotComputed
from qnet.networks.closed.approximate import CORRECTIONS, aql, bard_schweitzer, linearizer
from qnet.networks.closed.approximate_servers import _erlang_c
from qnet.networks.closed.bounds import bounds
from qnet.networks.closed.problem import ClosedFigures, ClosedNetwork, closed_network
from qnet.queues.erlang import erlang_c

FULL = bool(os.environ.get("QNET_FULL"))
METHODS = {"bard-schweitzer": bard_schweitzer, "linearizer": linearizer, "aql": aql}

np: Any = pytest.importorskip("numpy")


def certify(network: ClosedNetwork, found: ClosedFigures) -> None:
    """Little's law, the population of each class, the utilization law, and the feasible region; points and batches."""
    demands, population = np.array(network.demands), np.array(network.population, dtype=float)
    throughput, residence = np.array(found.throughput), np.array(found.residence)
    queues, utilization = np.array(found.queue_length), np.array(found.utilization)
    for values in (throughput, residence, queues, utilization):
        assert np.isfinite(values).all()
        assert (values >= 0).all()
    passing = throughput[..., None, :]
    assert np.allclose(queues, passing * residence, rtol=1e-12, atol=0)
    placed = queues.sum(-2) + throughput * np.array(network.think_time)
    assert np.allclose(placed, population, rtol=1e-9, atol=1e-12)
    share = np.array([[0.0 if network.delay[k] else 1.0 / network.peak(k)] for k in range(network.stations)])
    assert np.allclose(utilization, passing * demands * share, rtol=1e-12, atol=0)
    assert (utilization.sum(-1) <= 1.0 + 1e-8).all()
    assert (residence >= np.where(population > 0, 1.0 - 1e-8, 0.0)[..., None, :] * demands).all()
    assert np.allclose(np.array(found.busy_servers), passing * demands, rtol=1e-12, atol=0)


@pytest.mark.parametrize("seed", range(200 if FULL else 20))
@pytest.mark.parametrize("name", METHODS)
def test_laws_on_batches_of_random_networks(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    base, size = random_network(seed, seed % 2 == 1, classes=5, cells=10**9), 25 if name == "aql" else 100
    shape = (size, base.stations, base.classes)
    demands = np.array(base.demands) * np.exp(rng.normal(0.0, 2.0 if seed % 3 else 0.1, shape))
    population = np.floor(
        np.exp(rng.uniform(0.0, 8.0 if seed % 4 else 2.0, (size, base.classes))) - 0.5 * (seed % 5 == 0)
    )
    think = np.array(base.think_time) * rng.exponential(1.0, (size, base.classes)) + 1e-6
    network = closed_network(demands, population, think, base.delay, base.rates)
    known = list(CORRECTIONS)[: 2 if name == "aql" else 3]  # With Rolia-Sevcik AQL does not always settle, and says so.
    certify(network, METHODS[name](network, known[seed % len(known)]))


@pytest.mark.parametrize("seed", range(500 if FULL else 60))
@pytest.mark.parametrize("name", METHODS)
def test_laws_on_random_points(name: str, seed: int) -> None:
    network = random_network(seed, seed % 2 == 1)
    known = list(CORRECTIONS)[: 2 if name == "aql" else 3]  # With Rolia-Sevcik AQL does not always settle, and says so.
    certify(network, METHODS[name](network, known[seed % len(known)]))


# (several servers, method, correction): largest median and worst relative error of a throughput, over 120 networks
# (2,000 with QNET_FULL) of up to five stations and three classes, think times, delays and up to 16 servers.
ACCURACY = {
    (False, "bard-schweitzer", "conway"): (2.5e-2, 0.25),
    (False, "linearizer", "conway"): (6e-4, 0.02),
    (False, "aql", "conway"): (1e-3, 0.05),
    (True, "bard-schweitzer", "conway"): (2e-2, 0.16),
    (True, "linearizer", "conway"): (2e-3, 0.15),
    (True, "aql", "conway"): (3e-3, 0.15),
    (True, "bard-schweitzer", "seidmann"): (4e-2, 0.25),
    (True, "linearizer", "seidmann"): (1e-2, 0.20),
    (True, "bard-schweitzer", "rolia-sevcik"): (2e-2, 0.20),
    (True, "linearizer", "rolia-sevcik"): (6e-3, 0.20),
}


@pytest.mark.parametrize("servers", [False, True])
def test_errors_are_within_the_stated_bands(servers: bool) -> None:
    cases = {key: band for key, band in ACCURACY.items() if key[0] == servers}
    errors: dict[Any, list[float]] = {key: [] for key in cases}
    for seed in range(2000 if FULL else 120):
        network = random_network(seed, servers, cells=60)
        throughput, _ = exact(network)
        some = throughput > 0
        for key in cases if some.any() else ():
            found = np.array(METHODS[key[1]](network, key[2]).throughput)
            errors[key].append(float(np.abs(found[some] / throughput[some] - 1).max()))
    told = {key: f"median {np.median(values):.1e}, worst {max(values):.1e}" for key, values in errors.items()}
    for key, (median, worst) in cases.items():
        assert np.median(errors[key]) <= median, told
        assert max(errors[key]) <= worst, told


@pytest.mark.parametrize("name", METHODS)
def test_one_customer_is_exact(name: str) -> None:
    for seed in range(50):
        base = random_network(seed, True, classes=1)
        network = base.replace(population=(1,))
        throughput, queues = exact(network)
        found = METHODS[name](network)
        assert found.throughput[0] == pytest.approx(throughput[0], rel=1e-12)
        assert np.allclose(np.array(found.queue_length), queues, rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("count", [1, 2, 10, 1000, 10**9])
def test_a_balanced_network_of_one_class_is_exact(name: str, count: int) -> None:
    found = METHODS[name](closed_network([[0.2]] * 5, [count]))
    assert found.throughput[0] == pytest.approx(count / (0.2 * (count + 4)), rel=1e-11)


@pytest.mark.parametrize("name", METHODS)
def test_delays_alone_are_exact(name: str) -> None:
    found = METHODS[name](closed_network([[0.5, 1.0], [2.0, 0.0]], [7, 3], [0.0, 4.0], [True, True]))
    assert found.throughput == pytest.approx((7 / 2.5, 3 / 5.0), rel=1e-14)
    assert found.utilization == ((0.0, 0.0), (0.0, 0.0))


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("scale", [1e5, 1e6, 1e7, 1e9])
def test_huge_populations_of_several_classes(name: str, scale: float) -> None:
    rng = np.random.default_rng(1)
    for _ in range(5):
        demands, shares = rng.exponential(1.0, (6, 3)), rng.uniform(0.2, 1.0, 3)
        network = closed_network(demands, np.floor(scale * shares), rng.exponential(10.0, 3))
        found = METHODS[name](network)
        certify(network, found)
        larger = METHODS[name](network.replace(population=tuple(4 * count for count in network.population)))
        assert np.allclose(np.array(larger.throughput), np.array(found.throughput), rtol=100.0 / scale)


@pytest.mark.parametrize("name", METHODS)
def test_very_unlike_demands_and_populations(name: str) -> None:
    rng = np.random.default_rng(2)
    for _ in range(30):
        demands = 10.0 ** rng.uniform(-6, 3, (5, 3))
        network = closed_network(demands, np.floor(10.0 ** rng.uniform(0, 7, 3)), 10.0 ** rng.uniform(-3, 3, 3))
        certify(network, METHODS[name](network))


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("correction", CORRECTIONS)
def test_many_servers(name: str, correction: str) -> None:
    for servers, load in [(512, 0.5), (512, 0.99), (512, 1.5), (100_000, 0.9)]:
        rates = [None, tuple(float(n) for n in range(1, servers + 1)), None]
        demands = [[0.01], [0.08 * servers * load], [0.08]]
        network = closed_network(demands, [10 * servers], [10.0], None, rates)
        found = METHODS[name](network, correction)
        certify(network, found)
        assert found.throughput[0] == pytest.approx(min(12.5, 12.5 / load), rel=5e-3)


@pytest.mark.parametrize("name", METHODS)
def test_fractional_populations_lie_between_whole_ones(name: str) -> None:
    rates = (None, (1.0, 2.0), None)
    rows = ((0.3,), (0.9,), (0.1,))
    last = 0.0
    for count in np.arange(0.1, 6.0, 0.1).tolist():
        network = ClosedNetwork(rows, (False,) * 3, rates, (count,), (1.0,))
        found = METHODS[name](network)
        certify(network, found)
        assert found.throughput[0] > last
        last = found.throughput[0]


@pytest.mark.parametrize("name", METHODS)
def test_classes_without_customers_do_not_matter(name: str) -> None:
    with_idle = METHODS[name](closed_network([[0.2, 5.0, 0.1], [0.1, 7.0, 0.4]], [4, 0, 3], [1.0, 0.0, 0.0]))
    without = METHODS[name](closed_network([[0.2, 0.1], [0.1, 0.4]], [4, 3], [1.0, 0.0]))
    assert with_idle.throughput[0] == pytest.approx(without.throughput[0], rel=1e-9)
    assert with_idle.throughput[1] == 0.0
    assert [row[1] for row in with_idle.residence] == [0.0, 0.0]
    empty = METHODS[name](closed_network([[0.2], [0.1]], [0]))
    assert empty.throughput == (0.0,)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("correction", CORRECTIONS)
def test_a_batch_is_a_loop(name: str, correction: str) -> None:
    rng = np.random.default_rng(3)
    rates = [None, (1.0, 2.0, 3.0), None, None]
    batch = closed_network(
        rng.exponential(1.0, (40, 4, 3)),
        rng.integers(0, 30, (40, 3)),
        rng.exponential(2.0, (40, 3)),
        [False] * 3 + [True],
        rates,
    )
    whole = METHODS[name](batch, correction)
    for index in range(40):
        single = METHODS[name](batch.point(index), correction)
        assert np.allclose(whole.throughput[index], single.throughput, rtol=1e-8)
        assert np.allclose(whole.queue_length[index], single.queue_length, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("servers", [2, 150, 151, 1000, 100_000])
def test_erlang_of_arrays_is_that_of_numbers(servers: int) -> None:
    loads = np.array([0.001, 0.3, 0.8, 0.95, 0.99, 0.999, 1.0]) * servers
    wait, growth = _erlang_c(servers, loads)
    for load, found, slope in zip(loads.tolist(), wait.tolist(), growth.tolist(), strict=True):
        expected = erlang_c(servers, load) if load < servers else 1.0
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-200)
        step = 1e-4 * load**0.5
        if load + step < servers:
            risen = (erlang_c(servers, load + step) - erlang_c(servers, load - step)) / (2 * step)
            assert slope == pytest.approx(risen, rel=1e-3, abs=1e-9)


def test_solutions_of_linearizer() -> None:
    network = closed_network([[0.2, 0.3], [0.5, 0.1], [0.1, 0.4]], [12, 9], [1.0, 2.0])
    throughput, _ = exact(network)
    one, two, three, many = (np.array(linearizer(network, solutions=n).throughput) for n in (1, 2, 3, None))
    assert np.allclose(one, bard_schweitzer(network).throughput, rtol=1e-13)
    errors = [np.abs(found / throughput - 1).max() for found in (one, two, three, many)]
    assert errors[1] < errors[0] / 5
    assert errors[2] < errors[0] / 10
    assert np.allclose(three, many, rtol=1e-3)
    assert np.allclose(many, np.array(linearizer(network, solutions=60).throughput), rtol=1e-8)


def test_bard_schweitzer_is_the_fixed_point_of_its_definition() -> None:
    network = random_network(12)
    demands, population = np.array(network.demands), np.array(network.population, dtype=float)
    fixed = np.array(network.delay)[:, None]
    queues: Any = np.full(demands.shape, 1.0) * population / len(demands)
    throughput = population * 0
    for _ in range(20_000):
        seen = queues.sum(1, keepdims=True) - queues / np.maximum(population, 1)
        residence = demands * np.where(fixed, 1.0, 1.0 + seen)
        throughput = population / (np.array(network.think_time) + residence.sum(0))
        queues = throughput * residence
    assert np.allclose(bard_schweitzer(network).throughput, throughput, rtol=1e-11)


def test_approximations_are_near_their_bounds() -> None:
    for seed in range(100):
        network = random_network(seed)
        limits = bounds(network, "composite")
        for low, rate, high in zip(
            limits.throughput_lower, linearizer(network).throughput, limits.throughput_upper, strict=True
        ):
            assert low * 0.98 <= rate <= high * 1.02


def test_refusals() -> None:
    falling = closed_network([[1.0]], [3], rates=[(2.0, 1.0)])
    with pytest.raises(NotComputed, match="depend on the number there") as failure:
        linearizer(falling)
    assert failure.value.problems[0].code == "QN513"
    with pytest.raises(InvalidInput, match='no correction "x"'):
        aql(closed_network([[1.0]], [3]), "x")
    with pytest.raises(InvalidInput, match="0 core solutions"):
        linearizer(closed_network([[1.0]], [3]), solutions=0)
    with pytest.raises(InvalidInput, match="neither a demand nor a think time"):
        bard_schweitzer(closed_network([[1.0, 0.0]], [3, 1]))
