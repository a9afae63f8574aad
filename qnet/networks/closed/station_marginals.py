r"""The distributions of `station_states`, restricted to the stations that later customers visit.

Adding a customer that visits few of the stations changes only the numbers at these, and its factors depend on no
others:

.. math:: g_{t+1}(v) \propto Z_r\,g_t(v) + \sum_k D_{kr}\,\frac{v_k}{\alpha_k(v_k)}\,g_t(v - e_k)

may be summed over the number at a station as soon as all classes that visit it are added. Classes that visit the same
stations are added together; the figures of a class are those of an order in which they are the last.

Source    The sum over the stations that no later class visits: @lam1983, for convolutions; the distributions: see
          `station_states`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, lgamma, log, prod
from typing import Any

from qnet.lazy import np
from qnet.networks.closed.reduction import Reduced

_A_CUSTOMER = 3e4
"""Operations of each customer, besides those of its states."""
_A_STATE = 6.0
"""Operations per state and station."""
_BYTES = 16.0
"""Bytes per state of a distribution: two floats, or an extended one."""
_MOST_GROUPS = 12
"""The most groups of classes with the same stations for which orders are searched."""

Together = tuple[frozenset[int], tuple[int, ...]]
"""Stations, and the classes that visit these and no others."""


class Marginals:
    """The orders in which the classes of a network are added, and their cost.

    core   the network; delays are in its think times.
    """

    def __init__(self, core: Reduced) -> None:
        self.core = core
        visited: dict[frozenset[int], list[int]] = {}
        for index in range(len(core.population)):
            stations = frozenset(number for number, group in enumerate(core.groups) if group.demands[index] > 0)
            visited.setdefault(stations, []).append(index)
        self.together: list[Together] = [(stations, tuple(classes)) for stations, classes in visited.items()]
        self.most = 1.0
        """The most states of a distribution."""
        few = len(self.together) <= _MOST_GROUPS
        self.orders = [self._order(last) for last in self.together] if few else []
        self.operations = sum(operations for _, operations in self.orders) if few else inf
        """Operations of all figures."""

    @property
    def bytes(self) -> float:
        """The memory of the distributions."""
        return _BYTES * self.most * (2 + len(self.core.population).bit_length())

    def _order(self, last: Together) -> tuple[list[Together], float]:
        """The order with some classes last, and its operations; next are those that give the fewest states."""
        rest = [item for item in self.together if item is not last]
        order: list[Together] = []
        present: dict[int, int] = {}
        operations = 0.0
        while rest or not order or order[-1] is not last:
            choices = rest or [last]
            item = min(choices, key=lambda each: _states(self._with(present, each)))
            rest = [other for other in rest if other is not item]
            order.append(item)
            present = self._with(present, item)
            # The distributions without one customer of each class are computed by halves.
            turns = self._people(item) + (len(item[1]) * len(item[1]).bit_length() if item is last else 0)
            self.most = max(self.most, _states(present))
            operations += turns * (_A_CUSTOMER + _A_STATE * _states(present) * (len(item[0]) + 1))
            kept = last[0].union(*(stations for stations, _ in rest))
            present = {station: count for station, count in present.items() if station in kept}
        return order, operations

    def _people(self, item: Together) -> int:
        return sum(self.core.population[index] for index in item[1])

    def _with(self, present: dict[int, int], item: Together) -> dict[int, int]:
        """The most customers at each station, with the classes of `item` added."""
        more = self._people(item)
        return {**present, **{station: present.get(station, 0) + more for station in item[0]}}

    def solve(self, dtype: Any, tables: Sequence[Any]) -> tuple[list[float], list[list[float]], float]:
        """The throughput by class, the residence by station and class, and the logarithm of the constant.

        dtype   of the floats.
        tables  by station: j / capacity with j present, for j = 0 ... N + 1.
        """
        core = self.core
        throughput = [0.0] * len(core.population)
        residence = [[0.0] * len(throughput) for _ in core.groups]
        constant = 0.0
        for order, _ in self.orders:
            numbers = _Numbers(core, tables, np.ones((), dtype), (), 0.0)
            for position, (_, classes) in enumerate(order[:-1]):
                for index in classes:
                    numbers = numbers.with_more(index, core.population[index])
                numbers = numbers.of_stations({station for later, _ in order[position + 1 :] for station in later})
            for index in order[-1][1]:
                numbers = numbers.with_more(index, core.population[index] - 1)
            for index, without in _each_left_out(numbers, order[-1][1]):
                times = without.residence(index)
                for station, time in times.items():
                    residence[station][index] = time
                overall = sum(times.values()) + core.think_time[index]
                throughput[index] = core.population[index] / overall
                constant = without.logs + log(overall) - sum(lgamma(count + 1) for count in core.population)
        return throughput, residence, constant


def _states(present: dict[int, int]) -> float:
    """The number of combinations of numbers, given the most at each station."""
    return float(prod(count + 1 for count in present.values()))


class _Numbers:
    """The distribution of the numbers at some stations.

    shares    one axis for each of `stations`.
    stations  the indices of the stations.
    logs      the logarithm of the weight of all states.
    """

    def __init__(
        self, core: Reduced, tables: Sequence[Any], shares: Any, stations: tuple[int, ...], logs: float
    ) -> None:
        self.core, self.tables, self.shares, self.stations, self.logs = core, tables, shares, stations, logs

    def with_more(self, index: int, count: int) -> _Numbers:
        """The distribution with `count` more customers of a class."""
        demands = {number: group.demands[index] for number, group in enumerate(self.core.groups)}
        visited = [number for number, demand in demands.items() if demand > 0]
        stations = (*self.stations, *(number for number in visited if number not in self.stations))
        axes = [stations.index(number) for number in visited]
        shares = self.shares.reshape(self.shares.shape + (1,) * (len(stations) - self.shares.ndim))
        logs = self.logs
        for _ in range(count):
            size = shares.shape
            result: Any = np.zeros([length + (axis in axes) for axis, length in enumerate(size)], shares.dtype)
            lower = [slice(length) for length in size]
            if self.core.think_time[index] > 0:
                result[tuple(lower)] = self.core.think_time[index] * shares
            for number, axis in zip(visited, axes, strict=True):
                factors = demands[number] * self.tables[number][1 : size[axis] + 1]
                shape = [-1 if other == axis else 1 for other in range(len(size))]
                more = [slice(1, size[axis] + 1) if other == axis else lower[other] for other in range(len(size))]
                result[tuple(more)] += shares * factors.reshape(shape)
            overall = result.sum()
            shares, logs = result / overall, logs + float(np.log(overall))
        return _Numbers(self.core, self.tables, shares, stations, logs)

    def of_stations(self, kept: set[int]) -> _Numbers:
        """The distribution at some of the stations only."""
        gone = tuple(axis for axis, number in enumerate(self.stations) if number not in kept)
        stations = tuple(number for number in self.stations if number in kept)
        return _Numbers(self.core, self.tables, self.shares.sum(gone), stations, self.logs)

    def residence(self, index: int) -> dict[int, float]:
        """The residence of a customer of a class at each station that it visits."""
        times: dict[int, float] = {}
        for number, group in enumerate(self.core.groups):
            if group.demands[index] > 0:
                axis = self.stations.index(number) if number in self.stations else -1
                shares = self.shares.sum(tuple(other for other in range(self.shares.ndim) if other != axis))
                shares = shares if axis >= 0 else shares.reshape(1)
                times[number] = group.demands[index] * float(self.tables[number][1 : len(shares) + 1] @ shares)
        return times


def _each_left_out(numbers: _Numbers, classes: tuple[int, ...]) -> Iterator[tuple[int, _Numbers]]:
    """For each class, the distribution with the last customers of all the others."""
    if len(classes) == 1:
        yield classes[0], numbers
        return
    half = len(classes) // 2
    for kept, added in ((classes[:half], classes[half:]), (classes[half:], classes[:half])):
        more = numbers
        for index in added:
            more = more.with_more(index, 1)
        yield from _each_left_out(more, kept)
