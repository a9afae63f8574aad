"""Variants that differ in the population alone share one recursion: each gets what it would get alone."""

import importlib
from typing import Any

import pytest

from qnet.networks.closed import convolution, lattice_mva, mva
from qnet.networks.closed.problem import closed_network

np: Any = importlib.import_module("numpy")

FIGURES = ("throughput", "residence", "log_constant")
SERVERS = (1.0, 2.0, 3.0)


def compare(method: Any, network: Any, tolerance: float = 1e-11) -> None:
    together = method.solve(network)
    for index in range(network.size):
        alone = method.solve(network.point(index))
        for name in FIGURES:
            one, other = getattr(together, name)[index], np.asarray(getattr(alone, name))
            np.testing.assert_allclose(one, other, rtol=tolerance, atol=1e-13, err_msg=f"{name} of variant {index}")


def families(seed: int, kinds: int, size: int, stations: int, classes: int, most: int) -> tuple[Any, Any, Any]:
    """Demands, populations and think times of variants of which several have the same demands."""
    random = np.random.default_rng(seed)
    place = random.integers(0, kinds, size)
    demands, think = random.random((kinds, stations, classes)), random.random((kinds, classes)) * 5
    population = random.integers(0, most, (size, classes))
    population[0] = 0
    return demands[place], population, think[place]


@pytest.mark.parametrize("kinds", [1, 3, 20])
def test_one_class(kinds):
    demands, population, think = families(kinds, kinds, 30, 3, 1, 40)
    compare(mva, closed_network(demands, population, think, [False, True, False]))


@pytest.mark.parametrize("kinds", [1, 2, 12])
@pytest.mark.parametrize("classes", [2, 3])
def test_several_classes(kinds, classes):
    compare(lattice_mva, closed_network(*families(kinds, kinds, 12, 2, classes, 5)))


def test_populations_far_apart_are_not_joined_to_one_lattice():
    population = [[400, 1], [1, 400], [2, 3]]
    compare(lattice_mva, closed_network([[0.2, 0.1], [0.1, 0.3]], population, [1.0, 2.0]))


@pytest.mark.parametrize("kinds", [1, 3, 12])
def test_several_servers(kinds):
    demands, population, think = families(kinds, kinds, 12, 3, 1, 60)
    compare(convolution, closed_network(demands, population, think, [False, False, True], [SERVERS, None, None]))


def test_populations_whose_constants_underflow_beside_the_largest():
    population = [[1], [20], [400], [3000]]
    compare(convolution, closed_network([[0.01], [0.02]], population, [60.0], None, [SERVERS, None]), 1e-10)


def test_a_station_that_slows_down():
    population = [[count] for count in range(40)]
    compare(convolution, closed_network([[0.5], [0.1]], population, [3.0], None, [(1.0, 1.5, 0.4), None]))
