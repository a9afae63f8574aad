"""Approximations are exact where theory says so, and elsewhere as near to the exact answer as they claim."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from approximate_cases import METHODS, beside_open, error, exact_figures, random_network, servers
from closed_figures import queue_length

from qnet.networks.closed.approximate import CORRECTIONS, solve
from qnet.networks.closed.bounds import bounds
from qnet.networks.closed.problem import closed_network

np: Any = importlib.import_module("numpy")

CASES = 40
"""Random networks: up to five stations, three classes and sixty populations, think times and delays."""

# Largest median, ninth decile and worst of the relative errors of throughputs, the largest of each network, by core
# solutions. Those of the methods and corrections as they come are measured in tests/errors/test_error_product_form.py.
SOLUTIONS = {2: (0.0015, 0.010, 0.03), None: (0.0006, 0.004, 0.02)}


@pytest.mark.long
@pytest.mark.parametrize("solutions", SOLUTIONS)
def test_errors_of_linearizer_by_core_solutions(solutions: int | None) -> None:
    found: list[float] = []
    for seed in range(CASES):
        network = random_network(seed, cells=60)
        found.append(error(solve(network, "linearizer", solutions=solutions), exact_figures(network)))
    limits = SOLUTIONS[solutions]
    assert np.median(found) <= limits[0] and np.quantile(found, 0.9) <= limits[1] and max(found) <= limits[2]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("correction", CORRECTIONS)
def test_one_customer_is_exact(method: str, correction: str) -> None:
    for seed in range(8):
        base = random_network(seed, True)
        network = base.replace(population=(1,) + (0,) * (base.classes - 1))
        right, found = exact_figures(network), solve(network, method, correction)
        assert found.throughput[0] == pytest.approx(right.throughput[0], rel=1e-12)
        assert np.allclose(queue_length(found), queue_length(right), rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("count", [1, 2, 10, 1000, 10**9])
def test_a_balanced_network_of_one_class_is_exact(method: str, count: int) -> None:
    found = solve(closed_network([[0.2]] * 5, [count]), method)
    assert found.throughput[0] == pytest.approx(count / (0.2 * (count + 4)), rel=1e-11)
    assert [row[0] for row in queue_length(found)] == pytest.approx([count / 5] * 5, rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_delays_alone_are_exact(method: str) -> None:
    network = closed_network([[0.5, 1.0], [2.0, 0.0]], [7, 3], [0.0, 4.0], [True, True])
    found = solve(network, method)
    assert found.throughput == pytest.approx((7 / 2.5, 3 / 5.0), rel=1e-14)
    assert found.residence == ((0.5, 1.0), (2.0, 0.0))


@pytest.mark.parametrize("method", METHODS)
def test_open_classes_slow_single_servers_down(method: str) -> None:
    """With one server, open classes take their share of it and leave a closed network with longer demands."""
    rng = np.random.default_rng(4)
    demands, load = rng.exponential(1.0, (20, 4, 2)), rng.uniform(0.0, 0.99, (20, 4))
    population, think = rng.integers(1, 20, (20, 2)), rng.exponential(3.0, (20, 2))
    found = solve(closed_network(demands, population, think), method, open_load=load)
    slower = solve(closed_network(demands / (1.0 - load)[..., None], population, think), method)
    assert np.allclose(found.throughput, slower.throughput, rtol=1e-9)
    assert np.allclose(found.residence, slower.residence, rtol=1e-8)


def test_one_customer_among_open_ones_is_exact() -> None:
    for correction, within in (("conway", 1e-12), ("seidmann", 0.3), ("rolia-sevcik", 0.3)):
        network = closed_network([[3.0], [0.5]], [1], [1.0], None, [servers(4), None])
        right = exact_figures(beside_open(network, [3.0, 0.5]))
        assert error(solve(network, "linearizer", correction, open_load=[3.0, 0.5]), right) < within


def test_a_printed_example_of_two_classes() -> None:
    """Service times 1 and 2 at the first station, 3 and 4 at the second, one customer each: three printed digits.

    As the regression tests of the Octave package "queueing" have it for approximate mean value analysis.
    """
    found = solve(closed_network([[1.0, 2.0], [3.0, 4.0]], [1, 1]), "bard-schweitzer")
    assert found.throughput == pytest.approx((0.154, 0.104), abs=5e-4)
    assert queue_length(found)[0] == pytest.approx((0.192, 0.248), abs=5e-4)
    assert queue_length(found)[1] == pytest.approx((0.808, 0.752), abs=5e-4)


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
        before, queues = queues, throughput * residence
        if (queues == before).all():
            break
    assert np.allclose(solve(network, "bard-schweitzer").throughput, throughput, rtol=1e-11)


def test_linearizer_is_the_published_algorithm() -> None:
    """All populations and all terms written out, each core by plain substitution."""
    demands, think = np.array([[0.2, 0.3], [0.5, 0.1], [0.1, 0.4]]), np.array([1.0, 2.0])
    whole = np.array([12.0, 9.0])
    populations = [whole, whole - [1, 0], whole - [0, 1]]
    change = np.zeros((3, 2, 2))
    queues: list[Any] = [np.full((3, 2), 1.0 / 3.0) * population for population in populations]
    for turn in range(3):
        for place in (0, 1, 2) if turn < 2 else (0,):
            population = populations[place]
            for _ in range(2000):
                shares = queues[place] / population
                residence = demands.copy()
                for r in range(2):
                    left = population - np.eye(2)[r]
                    residence[:, r] *= 1.0 + (left * (shares + change[:, :, r])).sum(1)
                before, queues[place] = queues[place], residence * (population / (think + residence.sum(0)))
                if (queues[place] == before).all():
                    break
        shares = [queues[place] / populations[place] for place in range(3)]
        change = np.stack([shares[1] - shares[0], shares[2] - shares[0]], axis=-1) if turn < 2 else change
    found = solve(closed_network(demands.tolist(), [12, 9], think.tolist()), "linearizer")
    assert np.allclose(queue_length(found), queues[0], rtol=1e-9)


def test_aggregate_queue_lengths_are_the_published_algorithm() -> None:
    demands, think = np.array([[0.2, 0.3], [0.5, 0.1], [0.1, 0.4]]), np.array([1.0, 2.0])
    populations = [np.array(count) for count in ([12.0, 9.0], [11.0, 9.0], [12.0, 8.0])]
    change = np.zeros((3, 2))
    queues: list[Any] = [np.full((3, 2), 1.0 / 3.0) * population for population in populations]
    for _ in range(40):
        for place, population in enumerate(populations):
            whole = population.sum()
            for _ in range(300):
                total = queues[place].sum(1, keepdims=True)
                residence = demands * (1.0 + (whole - 1.0) * (total / whole - change))
                before, queues[place] = queues[place], residence * (population / (think + residence.sum(0)))
                if (queues[place] == before).all():
                    break
        shares = [queues[place].sum(1) / populations[place].sum() for place in range(3)]
        change = np.stack([shares[0] - shares[1], shares[0] - shares[2]], axis=-1)
    found = solve(closed_network(demands.tolist(), [12, 9], think.tolist()), "aql")
    assert np.allclose(queue_length(found), queues[0], rtol=1e-7)


def test_more_core_solutions_are_better() -> None:
    network = closed_network([[0.2, 0.3], [0.5, 0.1], [0.1, 0.4]], [12, 9], [1.0, 2.0])
    right = exact_figures(network)
    figures = [solve(network, "linearizer", solutions=count) for count in (1, 2, 3, None)]
    one, two, three, many = (error(found, right) for found in figures)
    assert figures[0].throughput == solve(network, "bard-schweitzer").throughput
    assert two < one / 5
    assert three < one / 10
    assert many == pytest.approx(three, rel=0.2)
    assert np.allclose(figures[3].throughput, solve(network, "linearizer", solutions=60).throughput, rtol=1e-8)


def test_linearizer_is_near_the_bounds() -> None:
    for seed in range(25):
        network = random_network(seed)
        limits = bounds(network, "composite")
        rates = solve(network).throughput
        for low, rate, high in zip(limits.throughput_lower, rates, limits.throughput_upper, strict=True):
            assert low * 0.98 <= rate <= high * 1.02
