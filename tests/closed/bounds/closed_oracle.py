"""Exact results for small closed networks, by convolution over the lattice of populations: positive terms only."""

from __future__ import annotations

import importlib
from itertools import accumulate, product
from typing import Any

from qnet.networks.closed.problem import ClosedNetwork

np: Any = importlib.import_module("numpy")


def exact(network: ClosedNetwork) -> tuple[Any, Any]:
    """Throughputs (R,) and queue lengths (K, R) of a point with integer populations, several servers and delays."""
    population = [int(count) for count in network.population]
    demands = np.array(network.demands, dtype=float)
    think = np.array(network.think_time, dtype=float)
    shares = [[0.0 if network.delay[k] else 1.0 / network.peak(k)] for k in range(len(demands))]
    scale = np.maximum((demands * np.array(shares)).max(0), (demands.sum(0) + think) / max(sum(population), 1))
    scale = np.where(scale > 0, scale, 1.0)
    stations = [_terms(demands[k] / scale, _capacity(network, k), population) for k in range(len(demands))]
    stations.append(_terms(think / scale, None, population))
    before, behind = _products(stations), _products(stations[::-1])
    whole, corner = before[-1], tuple(population)
    throughput = np.zeros(len(population))
    for r, count in enumerate(population):
        if count:
            less = tuple(n - (s == r) for s, n in enumerate(population))
            throughput[r] = whole[less] / whole[corner] / scale[r]
    queues = np.zeros(demands.shape)
    for k in range(len(demands)):
        rest = _convolve(before[k], behind[len(stations) - k - 1])
        here = stations[k] * np.flip(rest) / whole[corner]
        queues[k] = [(here * number).sum() for number in np.indices(here.shape)]
    return throughput, queues


def _products(stations: list[Any]) -> list[Any]:
    """The convolutions of no station, of the first, of the first two, and so on."""
    none = np.zeros(stations[0].shape)
    none[(0,) * none.ndim] = 1.0
    return [*accumulate(stations, _convolve, initial=none)]


def _capacity(network: ClosedNetwork, station: int) -> tuple[float, ...] | None:
    if network.delay[station]:
        return None
    return network.rates[station] or (1.0,)


def _terms(demands: Any, capacity: tuple[float, ...] | None, population: list[int]) -> Any:
    """n! / prod n_r! x prod D_r^n_r / prod of capacities: without a capacity those of a delay."""
    terms = np.zeros([n + 1 for n in population])
    for state in product(*(range(n + 1) for n in population)):
        if not any(state):
            terms[state] = 1.0
            continue
        total = sum(state)
        rate = float(total) if capacity is None else capacity[min(total, len(capacity)) - 1]
        value = 0.0
        for r, count in enumerate(state):
            if count:
                less = tuple(n - (s == r) for s, n in enumerate(state))
                value += demands[r] * terms[less]
        terms[state] = value / rate
    return terms


def _convolve(left: Any, right: Any) -> Any:
    """By one convolution of vectors: but for the first, axes have room for the sums of two numbers."""
    inside = tuple(map(slice, left.shape))
    wide = np.zeros([2, left.shape[0], *(2 * n - 1 for n in left.shape[1:])])
    wide[(0, *inside)], wide[(1, *inside)] = left, right
    result = np.convolve(wide[0].ravel(), wide[1].ravel())[: wide[0].size]
    return result.reshape(wide.shape[1:])[inside]


def random_network(seed: int, servers: bool = False, classes: int = 3, cells: int = 400) -> ClosedNetwork:
    """A network of 1 to 5 stations and up to `classes` classes that the oracle solves in milliseconds."""
    rng: Any = np.random.default_rng(seed)
    count, kinds = int(rng.integers(1, 6)), int(rng.integers(1, classes + 1))
    demands = np.exp(rng.normal(0.0, 1.0, (count, kinds))) * 10.0 ** rng.integers(-3, 2)
    demands[rng.random(demands.shape) < 0.1] = 0.0
    demands[0] = np.maximum(demands[0], max(demands.max() * 1e-3, 1e-3))
    most = max(2, int(cells ** (1.0 / kinds)))
    population = rng.integers(0 if kinds > 1 else 1, most, kinds)
    think = np.where(rng.random(kinds) < 0.5, 0.0, demands.sum(0) * 10.0 ** rng.uniform(-1, 1.5, kinds))
    delay = tuple(bool(value) for value in rng.random(count) < 0.1)
    rates: list[Any] = [None] * count
    for k in range(count):
        if servers and not delay[k] and rng.random() < 0.6:
            rates[k] = tuple(float(n) for n in range(1, int(rng.integers(2, 17)) + 1))
            demands[k] *= len(rates[k]) * rng.uniform(0.3, 1.3)
    table = tuple(tuple(float(value) for value in row) for row in demands)
    people = tuple(int(value) for value in population)
    return ClosedNetwork(table, delay, tuple(rates), people, tuple(float(value) for value in think))
