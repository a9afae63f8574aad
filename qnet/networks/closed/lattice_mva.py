r"""Exact mean value analysis of several classes, over arrays.

.. math:: R_{kr}(n) = D_{kr}\,(1 + Q_k(n - e_r)), \quad X_r(n) = \frac{n_r}{Z_r + \sum_k R_{kr}(n)}, \quad
          Q_k(n) = \sum_r X_r(n)\,R_{kr}(n)

Applies   any number of classes; single servers of fixed rate and delays; no state probabilities
Fails     never loses digits: every term is positive
Method    One step per total population t. A step holds all populations of the classes but the largest, which has
          the rest of t: the predecessors of an entire step are then shifted slices of the step before.
          Impossible populations get weight 0 from their n_r = 0.
Source    @reiser1980
Cost      time: stations x classes x total population x product of (N_r + 1) over all but the largest;
          memory: stations x that product
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from qnet.errors import NoAnswer, Problem
from qnet.lazy import np
from qnet.networks.closed.problem import ClosedFigures, ClosedNetwork
from qnet.networks.closed.reduction import Reduced, expanded, nothing, reduced
from qnet.networks.wanted import AUTO, Wanted, Work

if TYPE_CHECKING:
    from qnet.networks.reasons import Reason
    from qnet.networks.solvers.protocol import SolvePart

NAME = "lattice-mva"
CLASSES = "closed"
APPLIES = "several classes; single servers and delays"
COST = "product of (population + 1) x classes x different stations"
SOURCE = "@reiser1980"

_CELLS = 2_000_000
"""The most numbers of one array of several variants."""


def applies(network: ClosedNetwork, wanted: Wanted = AUTO) -> Reason | None:
    """None: it applies to all networks with the features of its row."""
    return None


def work(network: ClosedNetwork, wanted: Wanted = AUTO) -> Work:
    """The work of the recursion for a point."""
    core = reduced(network)
    if not core.total:
        return Work(1.0, 1.0)
    box = prod(count + 1.0 for count in core.population) / (max(core.population) + 1)
    step = box * (len(core.groups) + 2) * len(core.population)
    return Work(core.total * (2.5 * step + 2e4), 8.0 * box * (4 * len(core.groups) + 3 * len(core.population)))


def solve(network: ClosedNetwork, wanted: Wanted = AUTO, solve_part: SolvePart | None = None) -> ClosedFigures:
    """The steady state of a point, or of a batch: all variants of one population at once.

    network  any classes, at stations of fixed rate
    Returns  figures without marginals
    Raises   `NoAnswer` for a class without demand and think time

    >>> from qnet.networks.closed.problem import closed_network
    >>> [round(rate, 9) for rate in solve(closed_network([[1.0, 1.0]], [1, 1])).throughput]
    [0.5, 0.5]
    """
    if network.size is not None:
        return _batch(network)
    core = reduced(network)
    if not core.total:
        return nothing(network, NAME, False)
    throughput, residence, log_constant = _recursion(core)
    return expanded(network, core, throughput, residence, log_constant, NAME)


def _recursion(core: Reduced) -> tuple[list[float], list[list[float]], float]:
    order = sorted(range(len(core.population)), key=lambda position: -core.population[position])
    population = [core.population[position] for position in order]
    think = [core.think_time[position] for position in order]
    demands = np.array([[group.demands[position] for position in order] for group in core.groups]).reshape(
        -1, len(order)
    )
    counted = demands * np.array([[group.size] for group in core.groups]).reshape(-1, 1)
    shape = tuple(count + 1 for count in population[1:])
    size = prod(shape)
    strides = [prod(shape[position + 1 :]) for position in range(len(shape))]
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
        for position, stride in enumerate(strides, 1):
            part = throughput[position][stride:]
            np.divide(numbers[position - 1][stride:], think[position] + times[position][:-stride], out=part)
        if customers == total:
            break
        np.multiply(present, throughput[0], out=following)
        following *= demands[:, :1]
        following += 1.0
        for position, stride in enumerate(strides, 1):
            part = temporary[:, : size - stride]
            np.multiply(present[:, :-stride], throughput[position][stride:], out=part)
            part *= demands[:, position : position + 1]
            following[:, stride:] += part
        class_index, path = _grow(path, strides, shape, population[1:])
        log_constant -= float(np.log(throughput[class_index][path]))
        present, following = following, present
    class_index, path = _grow(path, strides, shape, population[1:])
    log_constant -= float(np.log(throughput[class_index][path]))
    rates = [float(values[-1]) for values in throughput]
    before = [size - 1] + [size - 1 - stride for stride in strides]
    residence = [(demands[:, position] * present[:, index]).tolist() for position, index in enumerate(before)]
    back = sorted(range(len(order)), key=lambda position: order[position])
    return (
        [rates[position] for position in back],
        [[residence[position][station] for position in back] for station in range(len(demands))],
        log_constant,
    )


def _batch(network: ClosedNetwork) -> ClosedFigures:
    """The figures of a batch, variants of equal population together."""
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
        variant, class_index = (int(index[0]) for index in np.nonzero(idle))
        text = f"class {class_index} has customers and neither demand nor think time in variant {variant}"
        raise NoAnswer(Problem("QN403", f"{text}: its throughput has no limit"))
    rates, times = np.zeros(network.population.shape), np.zeros(demands.shape)
    constants = np.zeros(network.size)
    for members, variants, populations, stops in _together(demands, think, network.population):
        box = _box(stops.max(0))
        at_once = max(1, _CELLS // (box * max(1, network.stations)))
        for first in range(0, len(variants), at_once):
            part = variants[first : first + at_once]
            answers = _variants(demands[part], think[part], stops)
            rows, stop_rows = members[first : first + at_once], populations[first : first + at_once]
            for number, (indices, stop) in enumerate(zip(rows, stop_rows, strict=True)):
                rates[indices], times[indices] = answers[0][stop, number], answers[1][stop, number]
                constants[indices] = answers[2][stop, number]
    for station in range(network.stations):
        if network.delay[station]:
            times[:, station] = network.demands[:, station]
    times *= (network.population > 0)[:, None, :]
    return ClosedFigures(throughput=rates, residence=times, log_constant=constants, method=NAME)


def _together(demands: Any, think: Any, population: Any) -> Iterator[tuple[list[Any], list[int], list[Any], Any]]:
    """Variants that are solved in one recursion: those of equal population, and those that differ only in population.

    A recursion passes every smaller population, which is cheaper than one recursion for each unless they are far apart.

    Yields   for each recursion: by set of demands, its variants, the first of these, and the index of the population of
             each; and the populations (S, R) to stop at.
    """
    variant = np.concatenate((demands.reshape(len(demands), -1), think), axis=1)
    _, firsts, family = np.unique(variant, axis=0, return_index=True, return_inverse=True)
    batches: dict[bytes, tuple[Any, list[Any], list[int], list[Any]]] = {}
    for number, first in enumerate(firsts.tolist()):
        members = np.flatnonzero(family.reshape(-1) == number)
        stops, item = np.unique(population[members], axis=0, return_inverse=True)
        largest, item = stops.max(0), item.reshape(-1)
        alone = float(sum(_steps(row) for row in stops))
        shared = len(stops) > 1 and _steps(largest) <= alone and _box(largest) * demands.shape[1] <= _CELLS
        for shared_stops in (np.arange(len(stops)),) if shared else np.arange(len(stops))[:, None]:
            chosen = np.isin(item, shared_stops)
            batch = batches.setdefault(stops[shared_stops].tobytes(), (stops[shared_stops], [], [], []))
            batch[1].append(members[chosen])
            batch[2].append(first)
            batch[3].append(np.searchsorted(shared_stops, item[chosen]))
    for stops, rows, variants, indices in batches.values():
        yield rows, variants, indices, stops


def _box(population: Any) -> int:
    """The number of populations in a step: those of all classes but the largest."""
    counts = population.tolist()
    return prod(count + 1 for count in counts) // (max(counts) + 1)


def _steps(population: Any) -> float:
    return float(population.sum()) * _box(population)


def _variants(demands: Any, think: Any, stops: Any) -> tuple[Any, Any, Any]:
    """Throughput (S, B, R), residence (S, B, K, R) and log G(N) (S, B) of variants at S populations, at queueing
    stations.

    The recursion of a point with one more axis, without groups of identical stations.
    """
    counts = stops.max(0).tolist()
    order = sorted(range(len(counts)), key=lambda index: -counts[index])
    population = [counts[index] for index in order]
    loads = np.ascontiguousarray(demands[:, :, order].transpose(1, 2, 0))
    delay = np.ascontiguousarray(think[:, order].T)
    stations, _, variants = loads.shape
    shape = tuple(count + 1 for count in population[1:])
    size = prod(shape)
    strides = [prod(shape[index + 1 :]) for index in range(len(shape))]
    numbers = [np.arange(size) // stride % length for stride, length in zip(strides, shape, strict=True)]
    rest = sum(numbers) if numbers else np.zeros(1, int)
    rates, times = (
        np.zeros((len(stops), variants, len(counts))),
        np.zeros((len(stops), variants, stations, len(counts))),
    )
    paths = _Paths(stops[:, order].tolist(), strides, shape, variants)
    present: Any = np.ones((stations, size, variants))
    before: Any = present
    throughput: list[Any] = [np.zeros((size, variants)) for _ in order]
    total = max(map(sum, stops.tolist()))
    for customers in range(1, total + 1):
        before = present
        for index in range(len(order)):
            spent = delay[index] + np.einsum("kb,ksb->sb", loads[:, index], before)
            if index == 0:
                with np.errstate(divide="ignore", invalid="ignore"):
                    rate = np.maximum(customers - rest, 0)[:, None] / spent
                throughput[0] = np.where(spent > 0, rate, 0.0)
            else:
                stride = strides[index - 1]
                with np.errstate(divide="ignore", invalid="ignore"):
                    rate = numbers[index - 1][stride:, None] / spent[:-stride]
                throughput[index][stride:] = np.where(spent[:-stride] > 0, rate, 0.0)
        for stop, index_in_step in paths.step(customers, throughput):
            for index, class_index in enumerate(order):
                if stops[stop, class_index]:
                    rates[stop, :, class_index] = throughput[index][index_in_step]
                    stride = 0 if index == 0 else strides[index - 1]
                    times[stop, :, :, class_index] = (loads[:, index] * before[:, index_in_step - stride]).T
        if customers == total:
            break
        present = 1.0 + loads[:, 0, None] * before * throughput[0]
        for index, stride in enumerate(strides, 1):
            present[:, stride:] += loads[:, index, None] * before[:, :-stride] * throughput[index][stride:]
    return rates, times, paths.logs


class _Paths:
    """The paths of the recursion to the populations to stop at, over which log G(N) is summed; the largest class
    last."""

    def __init__(self, stops: list[list[int]], strides: list[int], shape: tuple[int, ...], variants: int) -> None:
        self.strides, self.shape = strides, shape
        self.logs: Any = np.zeros((len(stops), variants))
        self.stops: dict[tuple[int, ...], dict[int, int]] = {}
        for number, (first, *others) in enumerate(stops):
            self.stops.setdefault(tuple(others), {})[first + sum(others)] = number
        self.walks: list[list[Any]] = [[others, 0, np.zeros(variants)] for others in self.stops]

    def step(self, customers: int, throughput: list[Any]) -> list[tuple[int, int]]:
        """Add one customer; returns the stops that are reached, each with its index in the step."""
        reached: list[tuple[int, int]] = []
        for walk in self.walks:
            others, path, logs = walk
            stops = self.stops[others]
            if customers > max(stops):
                continue
            class_index, path = _grow(path, self.strides, self.shape, others)
            walk[1:] = path, logs - np.log(throughput[class_index][path])
            if customers in stops:
                self.logs[stops[customers]] = walk[2]
                reached.append((stops[customers], path))
        return reached


def _grow(path: int, strides: list[int], shape: tuple[int, ...], most: Sequence[int]) -> tuple[int, int]:
    """The class of the next customer on the path to a population, the largest class last, and the new index.

    most   the final customers of the other classes.
    """
    for index, (stride, length, count) in enumerate(zip(strides, shape, most, strict=True), 1):
        if path // stride % length < count:
            return index, path + stride
    return 0, path
