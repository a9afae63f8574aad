"""Random closed networks, their exact figures, and the laws that every answer must obey."""

from __future__ import annotations

import importlib
from functools import cache
from itertools import pairwise
from math import exp, lgamma, log
from typing import Any

from closed_figures import queue_length, shares, utilization

from qnet.networks.closed import exact
from qnet.networks.closed.problem import ClosedFigures, ClosedNetwork, closed_network

np: Any = importlib.import_module("numpy")

METHODS = ("bard-schweitzer", "linearizer", "aql")


@cache
def servers(count: int) -> tuple[float, ...]:
    """The rates of so many servers."""
    return tuple(float(present) for present in range(1, count + 1))


def random_network(seed: int, several: bool = False, cells: int = 400, stations: int = 5) -> ClosedNetwork:
    """One to five stations, some of them delays or of up to 16 servers, and one to three classes."""
    rng: Any = np.random.default_rng(seed)
    count, kinds = int(rng.integers(1, stations + 1)), int(rng.integers(1, 4))
    demands = np.exp(rng.normal(0.0, 1.0, (count, kinds))) * 10.0 ** rng.integers(-3, 2)
    demands[rng.random(demands.shape) < 0.1] = 0.0
    demands[0] = np.maximum(demands[0], max(demands.max() * 1e-3, 1e-3))
    population = rng.integers(0 if kinds > 1 else 1, max(2, int(cells ** (1.0 / kinds))), kinds)
    think = np.where(rng.random(kinds) < 0.5, 0.0, demands.sum(0) * 10.0 ** rng.uniform(-1, 1.5, kinds))
    delay = [bool(value) for value in rng.random(count) < 0.1]
    rates: list[Any] = [None] * count
    for place in range(count):
        if several and not delay[place] and rng.random() < 0.6:
            rates[place] = servers(int(rng.integers(2, 17)))
            demands[place] *= len(rates[place]) * rng.uniform(0.3, 1.3)
    return closed_network(demands.tolist(), population.tolist(), think.tolist(), delay, rates)


def beside_open(network: ClosedNetwork, load: Any) -> ClosedNetwork:
    """The closed network with the same answer as one that shares its stations with open classes, exactly.

    A product form station with n closed customers and any number of open ones has the weight
    sum over j of C(n + j, j) a^j / (capacities of 1, ..., n + j): its ratios are the rates left for closed customers.
    """
    rates: list[Any] = []
    for place, away in enumerate(network.delay):
        count, offered = int(network.peak(place)) if not away else 0, float(load[place])
        most = sum(int(value) for value in network.population)
        if away or not offered:
            rates.append(network.rates[place])
            continue
        weights = [_weight(number, offered, count) for number in range(most + 1)]
        rates.append(tuple(before / after for before, after in pairwise(weights)) or None)
    return network.replace(rates=tuple(rates))


def _weight(closed: int, offered: float, count: int) -> float:
    few = min(closed, count)
    term = exp(-lgamma(few + 1) - (closed - few) * log(count))
    total, number = term, 0
    while number <= 3 * count or term >= 1e-17 * total:
        number += 1
        present = closed + number
        term *= present / number * offered / min(present, count)
        total += term
    return total


def exact_figures(network: ClosedNetwork) -> ClosedFigures:
    """The exact figures of a point."""
    return exact.solve(network)


def error(found: ClosedFigures, right: ClosedFigures) -> float:
    """Largest relative error of a throughput."""
    pairs = zip(found.throughput, right.throughput, strict=True)
    return max((abs(rate / true - 1.0) for rate, true in pairs if true > 0), default=0.0)


def certify(network: ClosedNetwork, found: ClosedFigures, load: Any = None) -> None:
    """Little's law for each class, utilizations up to 1, and the feasible region, of points and batches."""
    demands, population = np.array(network.demands), np.array(network.population, dtype=float)
    throughput, residence = np.array(found.throughput), np.array(found.residence)
    for values in (throughput, residence):
        assert np.isfinite(values).all()
        assert (values >= 0).all()
    placed = queue_length(found).sum(-2) + throughput * np.array(network.think_time)
    assert np.allclose(placed, population, rtol=1e-14, atol=0)
    opened = 0.0 if load is None else np.array(load) * shares(network)
    assert (utilization(network, found).sum(-1) + opened <= 1.0 + 2e-15).all()
    present = (population > 0)[..., None, :]
    assert (residence >= np.where(present, demands * (1.0 - 1e-9), 0.0)).all()
    assert (np.where(present, 0.0, residence) == 0.0).all()
