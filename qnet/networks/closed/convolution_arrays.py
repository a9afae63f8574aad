"""The kernels of `convolution` over arrays: scaled probabilities for a batch, and logarithms for a point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qnet.lazy import Array
from qnet.networks.closed import weights
from qnet.networks.closed.problem import Rates, varying
from qnet.record import Record


class VariantFigures(Record):
    """The results of the batched kernel for B variants."""

    throughput: Any
    """(B,)"""
    residence: Any
    """(groups, B), at one station of each group"""
    log_constant: Any
    """(B,)"""
    sound: Any
    """(B,): whether the scaled constant is large enough; the other figures are meaningless where it is not"""
    states: Any
    """(groups, B, N + 1), or None"""


def shortened(rates: Any, largest: int) -> Any:
    """The rates that a population can reach, (m,) or (B, m); None for a single rate of 1."""
    if varying(rates):
        return rates[:, : max(largest, 1)]
    kept = None if rates is None else rates[: max(largest, 1)]
    return None if kept == (1.0,) else kept


class _Station:
    """A group in the open networks of all variants."""

    def __init__(self, load: Any, rates: Any, count: int) -> None:
        self.size = count
        self.head, self.ratio, self.log = weights.batch_station(load, np.array((1.0,) if rates is None else rates))
        used = np.flatnonzero(self.head.max(axis=0) > 0)
        self.first, self.last = int(used[0]), int(used[-1])

    def joined(self, constants: Any, times: int) -> Any:
        """The constants (B, N + 1) with `times` more such stations."""
        size = constants.shape[1]
        tail = self.head.shape[1] - 1
        if not tail and times > size:
            return self._at_once(constants, times)
        for _ in range(times):
            joined = np.zeros(constants.shape)
            if tail < size:
                joined[:, tail:] = self.head[:, tail:] * filtered(constants[:, : size - tail], self.ratio)
            stop = min(self.last + 1, tail, size)
            if self.first < stop and len(constants) == 1:
                joined[0] += np.convolve(constants[0], self.head[0, :stop])[:size]
            else:
                for shift in range(self.first, stop):
                    joined[:, shift:] += self.head[:, shift : shift + 1] * constants[:, : size - shift]
            constants = joined
        return constants

    def _at_once(self, constants: Any, times: int) -> Any:
        """As `joined`, for many single servers: 1 / (1 - r z)^times."""
        result, weight = np.zeros(constants.shape), self.head**times
        for shift in range(constants.shape[1]):
            result[:, shift:] += weight * constants[:, : constants.shape[1] - shift]
            weight = weight * self.ratio[:, None] * ((shift + times) / (shift + 1))
        return result

    def weights(self, length: int) -> Any:
        """(B, length): the probabilities of 0 .. length - 1 customers."""
        head = self.head[:, :length]
        more: int = length - head.shape[1]
        with np.errstate(under="ignore"):
            rest: Array = head[:, -1:] * self.ratio[:, None] ** np.arange(1, more + 1)
        return np.concatenate((head, rest), axis=1)


def filtered(constants: Any, ratio: Any) -> Any:
    """The recursion y(n) = x(n) + ratio y(n - 1) along the last axis, in a logarithmic number of steps.

    1 / (1 - r z) = (1 + r z) (1 + r^2 z^2) (1 + r^4 z^4) ...: positive terms only.
    """
    values = constants.copy()
    shift, size = 1, values.shape[1]
    with np.errstate(under="ignore"):
        while shift < size:
            power = ratio**shift
            if not power.any():
                break
            values[:, shift:] += power[:, None] * values[:, :-shift]
            shift *= 2
    return values


def open_rates(demands: Any, rates: Sequence[Any], counts: Sequence[int], think: Any, population: Any) -> Any:
    """(B,): the arrival rates at which the open networks hold as many customers as the closed ones."""
    fastest = np.full(len(think), np.inf)
    tables = [None if row is None else np.array(row) for row in rates]
    for demand, table in zip(demands, tables, strict=True):
        fastest = np.minimum(fastest, (1.0 if table is None else table[..., -1]) / demand)
    with np.errstate(divide="ignore"):
        fastest = np.minimum(fastest, 2 * population / think)
    low, high = np.zeros(len(think)), fastest
    rate = (low + high) / 2
    for _ in range(48):
        rate = (low + high) / 2
        mean = think * rate
        for demand, table, count in zip(demands, tables, counts, strict=True):
            load = demand * rate
            mean += count * (load / (1 - load) if table is None else weights.batch_mean(load, table))
        excess = mean - population
        done = np.abs(excess) <= 0.05 * np.sqrt(population)
        if done.all():
            break
        low, high = np.where((excess > 0) & ~done, low, rate), np.where((excess < 0) & ~done, high, rate)
    return rate


def solve(
    demands: Any, rates: Sequence[Any], counts: Sequence[int], think: Any, population: Any, marginals: bool
) -> VariantFigures:
    """The figures of B variants.

    demands     (groups, B), positive
    rates       for each group its rates (m,) or (B, m), or None
    counts      stations in each group
    think       (B,)
    population  (B,), positive
    """
    size, largest = len(think), int(population.max())
    rate = open_rates(demands, rates, counts, think, population)
    stations = [_Station(load, row, count) for load, row, count in zip(demands * rate, rates, counts, strict=True)]
    constants, logs = weights.batch_poisson(think * rate, largest)
    leaves = [index for index, row in enumerate(rates) if marginals or row is not None]
    others = [index for index in range(len(stations)) if index not in leaves]
    for index in others:
        constants = stations[index].joined(constants, stations[index].size)
    every = np.arange(size)
    residence = np.zeros(demands.shape)
    states = np.zeros((len(stations), size, largest + 1)) if marginals else None
    overall = constants
    back = population[:, None] - np.arange(largest + 1)
    with np.errstate(divide="ignore", invalid="ignore", under="ignore", over="ignore"):
        for index, without in weights.each_left_out(constants, leaves, stations):
            mirrored = np.take_along_axis(without, np.maximum(back, 0), 1) * (back >= 0)
            terms = stations[index].weights(largest + 1) * mirrored
            overall = stations[index].joined(without, 1)
            residence[index] = terms @ np.arange(largest + 1.0) / (rate * overall[every, population - 1])
            if states is not None:
                states[index] = terms / overall[every, population][:, None]
        top, below = overall[every, population], overall[every, population - 1]
        for index in others:
            residence[index] = demands[index] * filtered(overall, stations[index].ratio)[every, population - 1] / below
        logs = logs + sum(station.log * station.size for station in stations)
        log_constant = np.log(top) + logs - population * np.log(rate)
        return VariantFigures(rate * below / top, residence, log_constant, top >= weights.TINY, states)


def along(demands: Any, rates: Sequence[Rates], counts: Sequence[int], think: float, population: Any) -> VariantFigures:
    """The figures of one network at S populations, without states, from the convolution of the largest.

    Its scale suits the largest; populations whose constants are too small with it are left to another convolution.

    demands     (groups,), positive
    rates       for each group its rates, or None
    counts      stations in each group
    think       seconds
    population  (S,), positive, ascending
    """
    size = len(population)
    throughput, logs, residence = np.zeros(size), np.zeros(size), np.zeros((len(demands), size))
    sound, pending = np.zeros(size, dtype=bool), np.arange(size)
    while len(pending):
        result = _below(demands[:, None], rates, counts, np.array([think]), population[pending])
        fine = result.sound
        done = pending[fine]
        throughput[done], logs[done] = result.throughput[fine], result.log_constant[fine]
        residence[:, done], sound[done] = result.residence[:, fine], True
        # If not even the largest is sound, it is left to another method.
        fine[-1] = True
        pending = pending[~fine]
    return VariantFigures(throughput, residence, logs, sound, None)


def _below(demands: Any, rates: Sequence[Rates], counts: Sequence[int], think: Any, population: Any) -> VariantFigures:
    """The figures at several populations from the convolution that suits the last, the largest."""
    largest = int(population[-1])
    rate = open_rates(demands, rates, counts, think, population[-1:])
    stations = [_Station(load, row, count) for load, row, count in zip(demands * rate, rates, counts, strict=True)]
    constants, log_think = weights.batch_poisson(think * rate, largest)
    leaves = [index for index, row in enumerate(rates) if row is not None]
    others = [index for index in range(len(stations)) if index not in leaves]
    for index in others:
        constants = stations[index].joined(constants, stations[index].size)
    residence = np.zeros((len(demands), len(population)))
    overall = constants
    with np.errstate(divide="ignore", invalid="ignore", under="ignore", over="ignore"):
        for index, without in weights.each_left_out(constants, leaves, stations):
            counted = stations[index].weights(largest + 1)[0] * np.arange(largest + 1.0)
            overall = stations[index].joined(without, 1)
            present = np.array([counted[: number + 1] @ without[0, number::-1] for number in population])
            residence[index] = present / (rate * overall[0, population - 1])
        top, below = overall[0, population], overall[0, population - 1]
        for index in others:
            residence[index] = demands[index] * filtered(overall, stations[index].ratio)[0, population - 1] / below
        logs = log_think + sum(station.log * station.size for station in stations)
        log_constant = np.log(top) + logs - population * np.log(rate)
        sound = (top >= weights.TINY) & (below >= weights.TINY)
        return VariantFigures(rate * below / top, residence, log_constant, sound, None)


def logarithms(
    groups: Sequence[tuple[float, Sequence[float], int]], think: float, population: int
) -> tuple[float, list[float], float, list[list[float]]]:
    """Throughput, residence, log G(N) and states of a point in logarithms: slower, for any range of numbers.

    groups  demand, rates and number of stations of each group
    """
    counts = np.arange(1.0, population + 1)
    with np.errstate(divide="ignore"):
        delay = np.concatenate(([0.0], np.cumsum(np.log(think / counts))))
    factors: list[Any] = []
    for demand, rates, _ in groups:
        capacity = np.array([*rates[:population], *[rates[-1]] * max(0, population - len(rates))])
        factors.append(np.concatenate(([0.0], np.cumsum(np.log(demand / capacity)))))
    residence, states = [0.0] * len(groups), [[0.0]] * len(groups)
    overall = delay
    stations = [_Logarithmic(factor, count) for factor, (_, _, count) in zip(factors, groups, strict=True)]
    for index, without in weights.each_left_out(delay, list(range(len(groups))), stations):
        overall = stations[index].joined(without, 1)
        terms = np.exp(factors[index] + without[::-1] - overall[-1])
        residence[index] = float(terms @ np.arange(population + 1.0) * np.exp(overall[-1] - overall[-2]))
        states[index] = terms.tolist()
    return float(np.exp(overall[-2] - overall[-1])), residence, float(overall[-1]), states


class _Logarithmic:
    """A group by the logarithms of its factors."""

    def __init__(self, factor: Any, count: int) -> None:
        self.factor = factor
        self.size = count

    def joined(self, constants: Any, times: int) -> Any:
        """The logarithms of the constants with `times` more such stations."""
        for _ in range(times):
            joined = np.empty(len(constants))
            for index in range(len(constants)):
                terms = constants[: index + 1] + self.factor[index::-1]
                largest = terms.max()
                joined[index] = largest + np.log(np.exp(terms - largest).sum()) if largest > -np.inf else -np.inf
            constants = joined
        return constants
