r"""Exact mean value analysis of several classes, over arrays.

.. math:: R_{kr}(n) = D_{kr}\,(1 + Q_k(n - e_r)), \quad X_r(n) = \frac{n_r}{Z_r + \sum_k R_{kr}(n)}, \quad
          Q_k(n) = \sum_r X_r(n)\,R_{kr}(n)

Applies   any number of classes; single servers of fixed rate and delays; no state probabilities
Fails     never loses digits: every term is positive
Method    One step per total population t. A step holds all populations of the classes but the largest, whose number is
          what is missing to t: the predecessors of a whole step are then shifted slices of the step before. Populations
          that do not exist get weight 0 from their own n_r = 0.
Source    Reiser, Lavenberg, J. ACM 27 (1980) 313-322
Cost      time: stations x classes x total population x product of (N_r + 1) over all but the largest;
          memory: stations x that product
"""

from __future__ import annotations

from math import prod
from typing import Any

from qnet.errors import NoAnswer, Problem
from qnet.networks.closed.problem import ClosedFigures, ClosedNetwork, Work
from qnet.networks.closed.reduction import Reduced, batch_figures, expanded, nothing, reduced

NAME = "lattice-mva"

_CELLS = 2_000_000
"""Numbers of one array that variants may fill together."""


def refusal(network: ClosedNetwork, marginals: bool = False) -> str:
    """Why the method does not apply; empty where it does."""
    if marginals:
        return "it gives no state probabilities"
    if network.size is not None:
        # Not by a variant: several servers that nobody waits for in one are waited for in another.
        fixed = all(rates is None or len(set(rates)) == 1 for rates in network.rates)
    else:
        fixed = all(group.rates is None for group in reduced(network).groups)
    return "" if fixed else "it is for stations of fixed rate"


def work(network: ClosedNetwork) -> Work:
    """What the recursion needs for a point."""
    core = reduced(network)
    if not core.total:
        return Work(1.0, 1.0)
    box = prod(count + 1 for count in core.population) / (max(core.population) + 1)
    step = box * (len(core.groups) + 2) * len(core.population)
    return Work(core.total * (2.5 * step + 2e4), 8.0 * box * (4 * len(core.groups) + 3 * len(core.population)))


def solve(network: ClosedNetwork) -> ClosedFigures:
    """The steady state of a point, or of a batch: all variants of one population at once.

    network  what `refusal` is empty for
    Returns  figures without marginals
    Raises   `NoAnswer` for a class without demand and think time
    """
    if network.size is not None:
        return _batch(network)
    core = reduced(network)
    if not core.total:
        return nothing(network, NAME, False)
    throughput, residence, log_constant = _recursion(core)
    return expanded(network, core, throughput, residence, log_constant, NAME)


def _recursion(core: Reduced) -> tuple[list[float], list[list[float]], float]:
    import numpy

    np: Any = numpy
    order = sorted(range(len(core.population)), key=lambda place: -core.population[place])
    population = [core.population[place] for place in order]
    think = [core.think_time[place] for place in order]
    demands = np.array([[group.demands[place] for place in order] for group in core.groups]).reshape(-1, len(order))
    counted = demands * np.array([[group.size] for group in core.groups]).reshape(-1, 1)
    shape = tuple(count + 1 for count in population[1:])
    size = prod(shape)
    strides = [prod(shape[place + 1 :]) for place in range(len(shape))]
    numbers = [np.arange(size) // stride % length for stride, length in zip(strides, shape, strict=True)]
    rest = sum(numbers) if numbers else np.zeros(1, int)
    # `present` is 1 + the mean number at a station, for all populations of the step before.
    present, following = np.ones((len(demands), size)), np.empty((len(demands), size))
    temporary = np.empty((len(demands), size))
    path, log_constant = 0, 0.0
    throughput: list[Any] = [np.zeros(size) for _ in order]
    total = sum(population)
    for customers in range(1, total + 1):
        times = counted.T @ present
        np.divide(np.maximum(customers - rest, 0), think[0] + times[0], out=throughput[0])
        for place, stride in enumerate(strides, 1):
            here = throughput[place][stride:]
            np.divide(numbers[place - 1][stride:], think[place] + times[place][:-stride], out=here)
        if customers == total:
            break
        np.multiply(present, throughput[0], out=following)
        following *= demands[:, :1]
        following += 1.0
        for place, stride in enumerate(strides, 1):
            part = temporary[:, : size - stride]
            np.multiply(present[:, :-stride], throughput[place][stride:], out=part)
            part *= demands[:, place : place + 1]
            following[:, stride:] += part
        kind, path = _grow(path, strides, shape)
        log_constant -= float(np.log(throughput[kind][path]))
        present, following = following, present
    kind, path = _grow(path, strides, shape)
    log_constant -= float(np.log(throughput[kind][path]))
    rates = [float(values[-1]) for values in throughput]
    before = [size - 1] + [size - 1 - stride for stride in strides]
    residence = [(demands[:, place] * present[:, index]).tolist() for place, index in enumerate(before)]
    back = sorted(range(len(order)), key=lambda place: order[place])
    return (
        [rates[place] for place in back],
        [[residence[place][station] for place in back] for station in range(len(demands))],
        log_constant,
    )


def _batch(network: ClosedNetwork) -> ClosedFigures:
    """The figures of a batch, the variants that share a population together."""
    import numpy

    np: Any = numpy
    assert network.size is not None
    demands, think = network.demands.copy(), network.think_time.copy()
    for station in range(network.stations):
        if network.delay[station]:
            think += demands[:, station]
            demands[:, station] = 0.0
        else:
            demands[:, station] /= network.peak(station)
    idle = (network.population > 0) & (think + demands.sum(1) <= 0)
    if idle.any():
        variant, kind = (int(place[0]) for place in np.nonzero(idle))
        found = f"class {kind} has customers and neither demand nor think time in variant {variant}"
        raise NoAnswer(Problem("QN403", f"{found}: its throughput has no limit"))
    rates, times = np.zeros(network.population.shape), np.zeros(demands.shape)
    constants = np.zeros(network.size)
    kinds, place = np.unique(network.population, axis=0, return_inverse=True)
    for number, population in enumerate(kinds.tolist()):
        members = np.flatnonzero(place.reshape(-1) == number)
        box = prod(count + 1 for count in population) // (max(population) + 1)
        at_once = max(1, _CELLS // (box * max(1, network.stations)))
        for first in range(0, len(members), at_once):
            part = members[first : first + at_once]
            rates[part], times[part], constants[part] = _variants(demands[part], think[part], population)
    for station in range(network.stations):
        if network.delay[station]:
            times[:, station] = network.demands[:, station]
    times *= (network.population > 0)[:, None, :]
    return batch_figures(network, rates, times, constants, NAME)


def _variants(demands: Any, think: Any, counts: list[int]) -> tuple[Any, Any, Any]:
    """Throughput (B, R), residence (B, K, R) and log G(N) (B,) of variants with one population, at queues alone.

    The recursion of a point with one axis more; stations are added up one by one, and none are grouped.
    """
    import numpy

    np: Any = numpy
    order = sorted(range(len(counts)), key=lambda place: -counts[place])
    population = [counts[place] for place in order]
    asked = np.ascontiguousarray(demands[:, :, order].transpose(1, 2, 0))
    away = np.ascontiguousarray(think[:, order].T)
    stations, _, variants = asked.shape
    shape = tuple(count + 1 for count in population[1:])
    size = prod(shape)
    strides = [prod(shape[place + 1 :]) for place in range(len(shape))]
    numbers = [np.arange(size) // stride % length for stride, length in zip(strides, shape, strict=True)]
    rest = sum(numbers) if numbers else np.zeros(1, int)
    present: Any = np.ones((stations, size, variants))
    before: Any = present
    throughput: list[Any] = [np.zeros((size, variants)) for _ in order]
    path, logs, total = 0, np.zeros(variants), sum(population)
    for customers in range(1, total + 1):
        before = present
        for place in range(len(order)):
            times = away[place] + np.einsum("kb,ksb->sb", asked[:, place], before)
            if place == 0:
                with np.errstate(divide="ignore", invalid="ignore"):
                    rate = np.maximum(customers - rest, 0)[:, None] / times
                throughput[0] = np.where(times > 0, rate, 0.0)
            else:
                stride = strides[place - 1]
                with np.errstate(divide="ignore", invalid="ignore"):
                    rate = numbers[place - 1][stride:, None] / times[:-stride]
                throughput[place][stride:] = np.where(times[:-stride] > 0, rate, 0.0)
        kind, path = _grow(path, strides, shape)
        logs -= np.log(throughput[kind][path])
        if customers == total:
            break
        present = 1.0 + asked[:, 0, None] * before * throughput[0]
        for place, stride in enumerate(strides, 1):
            present[:, stride:] += asked[:, place, None] * before[:, :-stride] * throughput[place][stride:]
    rates, times = np.zeros(think.shape), np.zeros(demands.shape)
    if total:
        for place, kind in enumerate(order):
            stride = 0 if place == 0 else strides[place - 1]
            rates[:, kind] = throughput[place][-1]
            times[:, :, kind] = (asked[:, place] * before[:, size - 1 - stride]).T
    return rates, times, logs


def _grow(path: int, strides: list[int], shape: tuple[int, ...]) -> tuple[int, int]:
    """One customer more on the way to the full population, the largest class last: the class, and the new place."""
    for place, (stride, length) in enumerate(zip(strides, shape, strict=True), 1):
        if path // stride % length < length - 1:
            return place, path + stride
    return 0, path
