r"""The joint distribution of the numbers at the stations, one customer after the other: for many classes, few stations.

With the first t customers, :math:`g_t(v)` is the probability that the stations hold :math:`v_1, \dots, v_K` customers
of all classes together, and one more customer of class r gives

.. math:: g_{t+1}(v) \propto Z_r\,g_t(v) + \sum_k D_{kr}\,\frac{v_k}{\alpha_k(v_k)}\,g_t(v - e_k), \qquad
          R_{kr}(N) = D_{kr} \sum_v g_{N - e_r}(v)\,\frac{v_k + 1}{\alpha_k(v_k + 1)}

Applies   any number of classes, every kind of station; state probabilities
Fails     populations so large that terms lost to underflow could matter: refused by the rigorous bound of `_growth`
Method    All terms are positive and every g_t is a distribution. The delays (without any, the last station) hold the
          rest of t, so they are no dimension. States are numbered by their total first, so that the states of a
          step are a prefix. Many customers need the range of extended floats, where the machine has them. The
          distributions without one customer of each class are computed by halving the set of the
          last customers. Classes take turns, so that every g_t resembles the last one.
Source    @desouza1989 (DAC); it replaces RECAL (@conway1986), which it beats in work and which has fixed rates only
Cost      stations x (number of states summed over t), states = binomial(t + stations, stations)
"""

from __future__ import annotations

from itertools import pairwise
from math import comb, lgamma, log10
from typing import TYPE_CHECKING, Any

from qnet.errors import NotComputed, of_method
from qnet.lazy import lazy, np
from qnet.networks.closed.problem import ClosedFigures, ClosedNetwork
from qnet.networks.closed.reduction import Reduced, expanded, nothing, reduced, stacked
from qnet.networks.closed.station_marginals import Marginals
from qnet.networks.reasons import Reason
from qnet.networks.wanted import AUTO, Wanted, Work

if TYPE_CHECKING:
    import decimal
    from decimal import Decimal

    from qnet.networks.solvers.protocol import SolvePart
else:
    decimal = lazy("decimal")

NAME = "station-states"
CLASSES = "closed"
APPLIES = "many classes at few stations; any stations; state probabilities"
COST = "distributions of all customers over the stations x customers"
SOURCE = "@desouza1989"

_RANGE = 280.0
"""The powers of ten between 1 and the smallest floats, without their digits."""
_EXTENDED = 4.0
"""The time of extended floats over that of floats."""
_MOST_STATES = 2**31 - 1
"""The largest index of 32 bits."""
_BLOCK = 1 << 14
"""States that are processed at a time, so that they remain in the cache."""


def applies(network: ClosedNetwork, wanted: Wanted = AUTO) -> Reason | None:
    """Why the method does not apply; None where it does."""
    for index in range(network.size or 1):
        core = reduced(network.point(index), wanted.states)
        growth = _growth(core)
        if growth > _RANGE and growth > _extended_range():
            return Reason("underflow")
        if core.total and comb(core.total + _dimensions(core), _dimensions(core)) > _MOST_STATES:
            return Reason("combinations")
    return None


def work(network: ClosedNetwork, wanted: Wanted = AUTO) -> Work:
    """The work of the recursion for a point."""
    core = reduced(network, wanted.states)
    if not core.total:
        return Work(1.0, 1.0)
    marginals = None if wanted.states else _marginals(core)
    if marginals:
        return Work(marginals.operations, marginals.bytes)
    dimensions, classes = _dimensions(core), len(core.population)
    states = comb(core.total + dimensions, dimensions)
    wider = 2.0 if _growth(core) > _RANGE else 1.0
    return Work(_operations(core), states * (16.0 * dimensions + wider * 8.0 * (4 + classes.bit_length())))


def solve(network: ClosedNetwork, wanted: Wanted = AUTO, solve_part: SolvePart | None = None) -> ClosedFigures:
    """The steady state of a point, or of the points of a batch one by one.

    network    any that `applies` does not refuse
    wanted     `states`: whether to compute the state probabilities of the stations
    Raises     `NoAnswer` for a class without demand and think time; `NotComputed` where the method is refused

    >>> from qnet.networks.closed.problem import closed_network
    >>> [round(rate, 9) for rate in solve(closed_network([[1.0, 1.0]], [1, 1])).throughput]
    [0.5, 0.5]
    """
    reason = applies(network, wanted)
    if reason:
        raise NotComputed(of_method("QN513", NAME, f"does not apply: {reason}"))
    if network.size is not None:
        return stacked([solve(network.point(index), wanted) for index in range(network.size)], network)
    core = reduced(network, wanted.states)
    if not core.total:
        return nothing(network, NAME, wanted.states)
    marginals = None if wanted.states else _marginals(core)
    if marginals:
        tables = [np.array(row, _float_type(core)) for row in _tables(core)[: len(core.groups)]]
        throughput, residence, log_constant = marginals.solve(_float_type(core), tables)
        return expanded(network, core, throughput, _singly(core, residence), log_constant, NAME, None)
    return _Customers(core, wanted.states).solve(network)


def _marginals(core: Reduced) -> Marginals | None:
    """The method of fewer stations; None where it does not take less work."""
    if len(core.population) < 2 or all(min(group.demands) > 0 for group in core.groups):
        return None
    result = Marginals(core)
    return result if result.operations < _operations(core) else None


def _float_type(core: Reduced) -> Any:
    """The type of floats that is needed."""
    return np.longdouble if _growth(core) > _RANGE else np.float64


def _operations(core: Reduced) -> float:
    """Operations of the distributions over all stations."""
    dimensions, classes = _dimensions(core), len(core.population)
    states = comb(core.total + dimensions, dimensions)
    steps = comb(core.total + dimensions + 1, dimensions + 1) + states * classes * max(1, classes.bit_length())
    return (_EXTENDED if _growth(core) > _RANGE else 1.0) * 6.0 * steps * (dimensions + 1) + 3e4 * core.total


def _singly(core: Reduced, residence: list[list[float]]) -> list[list[float]]:
    """The residences at one station of each group."""
    rows = zip(residence[: len(core.groups)], core.groups, strict=True)
    return [[time / group.size for time in row] for row, group in rows]


def _tables(core: Reduced) -> list[list[float]]:
    """For each group (and the delay, where there is one) j / capacity with j present, for j = 0 ... N + 1."""
    rows: list[list[float]] = []
    for group in core.groups:
        rates = group.rates or (1.0,)
        row = [0.0] + [count / rates[min(count, len(rates)) - 1] for count in range(1, core.total + 2)]
        if group.size > 1 and group.rates is None:
            row = [0.0] + [float(index + group.size - 1) for index in range(1, core.total + 2)]
        elif group.size > 1:
            row = _together(row, group.size)
        rows.append(row)
    if any(core.think_time) or not rows:
        rows.append([0.0] + [1.0] * (core.total + 1))
    return rows


def _together(row: list[float], count: int) -> list[float]:
    """The table of several identical stations as one: their factors convolved (positive terms), then quotients.

    A factor has the quotients f(j) / f(j - 1) = row(j) / j. Decimals, for their unlimited range; powers by squaring.
    """
    with decimal.localcontext(decimal.Context(prec=30)):
        factor = [decimal.Decimal(1)]
        for index in range(1, len(row)):
            factor.append(factor[-1] * decimal.Decimal(row[index]) / index)

        def convolved(one: list[Decimal], other: list[Decimal]) -> list[Decimal]:
            zero = decimal.Decimal(0)
            return [sum((one[i] * other[top - i] for i in range(top + 1)), zero) for top in range(len(one))]

        overall: list[Decimal] | None = None
        while True:
            if count % 2:
                overall = factor if overall is None else convolved(overall, factor)
            count //= 2
            if not count:
                break
            factor = convolved(factor, factor)
        assert overall is not None
        return [0.0] + [float(top * overall[top] / overall[top - 1]) for top in range(1, len(overall))]


def _dimensions(core: Reduced) -> int:
    return max(len(core.groups) - (0 if any(core.think_time) else 1), 0)


def _extended_range() -> float:
    """The powers of ten between 1 and the smallest extended floats; where there are none, those of floats."""
    return -float(np.log10(np.finfo(np.longdouble).tiny)) - 30.0


def _growth(core: Reduced) -> float:
    """A bound, in powers of ten, on the final weight of a state over its probability in between.

    One more customer of class r multiplies weights by a factor between the smallest and the largest of Z_r + sum D_kr
    (j + 1) / capacity(j + 1).
    """
    if not core.total:
        return 0.0
    ranges = [_extremes(group.rates, group.size, core.total) for group in core.groups]
    bound = 0.0
    for index, (count, think) in enumerate(zip(core.population, core.think_time, strict=True)):
        least = think + sum(group.demands[index] * low for group, (low, _) in zip(core.groups, ranges, strict=True))
        most = think + sum(group.demands[index] * high for group, (_, high) in zip(core.groups, ranges, strict=True))
        bound += count * log10(most / least)
    return bound


def _extremes(rates: tuple[float, ...] | None, count: int, total: int) -> tuple[float, float]:
    table = [index / rate for index, rate in enumerate(rates or (1.0,), 1)]
    last = (rates or (1.0,))[-1]
    # Several stations as one are at least as fast as one of them, and at most as fast as all with all customers.
    return min(min(table), (len(table) + 1) / last), count * max(*table, (total + 1) / last)


class _Customers:
    """The recursion over customers, with distributions over all stations."""

    def __init__(self, core: Reduced, marginals: bool) -> None:
        self.core = core
        self.marginals = marginals
        self.float_type: Any = _float_type(core)
        self.tables = [np.array(row, self.float_type) for row in _tables(core)]
        self.rows = [group.demands for group in core.groups]
        if len(self.tables) > len(self.rows):
            self.rows.append(core.think_time)
        self.dimensions = len(self.tables) - 1
        self.numbers, self.before, self.totals = _states(core.total, self.dimensions)
        self.factors = [table[numbers] for table, numbers in zip(self.tables[:-1], self.numbers, strict=True)]
        self.constant = bool(any(core.think_time) or not core.groups)
        self.temporary = np.empty(min(len(self.totals), _BLOCK), self.float_type)
        self.logs = 0.0

    def solve(self, network: ClosedNetwork) -> ClosedFigures:
        """The figures, from the distributions without one customer of each class."""
        core = self.core
        start = np.ones(1, self.float_type)
        turns = sorted(
            ((turn + 0.5) / (count - 1), index)
            for index, count in enumerate(core.population)
            for turn in range(count - 1)
        )
        distribution, logs = start, 0.0
        # New memory costs as much as the writing into it: two buffers alternate.
        room: Any = np.empty((2, len(self.totals)), self.float_type)
        for step, (_, index) in enumerate(turns):
            distribution, grown = self.with_one(distribution, step, index, room[step % 2])
            logs += grown
        classes = list(range(len(core.population)))
        throughput, residence = [0.0] * len(classes), [[0.0] * len(classes) for _ in self.rows]
        log_constant, states = 0.0, None
        for index, without, logs_without in self.each_left_out(distribution, logs, len(turns), classes):
            times = self.residence(without, index)
            for station, time in enumerate(times):
                residence[station][index] = time
            overall = sum(times)
            throughput[index] = core.population[index] / overall
            if index == classes[-1]:
                log_constant = logs_without + float(np.log(overall)) - sum(lgamma(n + 1) for n in core.population)
                if self.marginals:
                    full, _ = self.with_one(without, core.total - 1, index)
                    states = [self.marginal(full, station, core.total).tolist() for station in range(len(core.groups))]
        return expanded(network, core, throughput, _singly(core, residence), log_constant, NAME, states)

    def each_left_out(self, distribution: Any, logs: float, present: int, classes: list[int]) -> Any:
        """For each class, the distribution with the last customers of all the others, and its logarithm."""
        if len(classes) == 1:
            yield classes[0], distribution, logs
            return
        half = len(classes) // 2

        room: Any = np.empty((2, len(self.totals)), self.float_type)
        for kept, added in ((classes[:half], classes[half:]), (classes[half:], classes[:half])):
            more, grown, count = distribution, logs, present
            for index in added:
                more, factor = self.with_one(more, count, index, room[count % 2])
                grown, count = grown + factor, count + 1
            yield from self.each_left_out(more, grown, count, kept)

    def with_one(self, distribution: Any, present: int, index: int, into: Any = None) -> tuple[Any, float]:
        """The distribution with one more customer of a class, and the logarithm of its weight.

        into   a buffer for it with the length of all states, which does not hold `distribution`; None: a new one.
        """
        size, length = len(distribution), comb(present + 1 + self.dimensions, self.dimensions)
        result = np.empty(length, self.float_type) if into is None else into[:length]
        demand = self.rows[-1][index]
        result[size if demand > 0 else 0 :] = 0.0
        if demand > 0:
            np.multiply(distribution, demand, out=result[:size])
            if not self.constant:
                result[:size] *= self.tables[-1][present + 1 - self.totals[:size]]
        used = [station for station in range(self.dimensions) if self.rows[station][index] > 0]
        for first in range(0, length, _BLOCK):
            block = slice(first, min(first + _BLOCK, length))
            target, part = result[block], self.temporary[: block.stop - first]
            for station in used:
                # With no customer to remove, the index is meaningless and the factor 0.
                np.take(distribution, self.before[station][block], out=part, mode="clip")
                part *= self.factors[station][block]
                part *= self.rows[station][index]
                target += part
        overall = result.sum()
        result /= overall
        return result, float(np.log(overall))

    def marginal(self, distribution: Any, station: int, present: int) -> Any:
        """The probabilities of 0 .. `present` customers at a station."""
        size = len(distribution)
        last = station == self.dimensions
        numbers = present - self.totals[:size] if last else self.numbers[station][:size]
        return np.bincount(numbers, distribution.astype(float), present + 1)

    def residence(self, without: Any, index: int) -> list[float]:
        """The residence of a customer of a class at each station, followed by the think time where there is any."""
        present = self.core.total - 1
        times: list[float] = []
        for station, row in enumerate(self.rows):
            if row[index] <= 0:
                times.append(0.0)
            elif station == self.dimensions and self.constant:
                times.append(row[index])
            else:
                times.append(row[index] * self.work_at_arrival(without, station, present))
        return times

    def work_at_arrival(self, distribution: Any, station: int, present: int) -> float:
        """The mean residence of an arriving customer at a station, in units of its demand."""
        table, last, mean = self.tables[station][1 : present + 2], station == self.dimensions, 0.0
        part = self.temporary
        for first in range(0, len(distribution), _BLOCK):
            block = slice(first, min(first + _BLOCK, len(distribution)))
            numbers = present - self.totals[block] if last else self.numbers[station][block]
            factors = np.take(table, numbers, out=part[: len(numbers)], mode="clip")
            mean += float(factors @ distribution[block])
        return mean


def _states(total: int, dimensions: int) -> tuple[list[Any], list[Any], Any]:
    """All vectors of `dimensions` numbers with a sum of at most `total`, by their sum first.

    Returns  their numbers; for each dimension the indices of the vectors with one less there; their sums. With the
             partial sums t_i, the index of a vector is the sum of binomial(t_i + i - 1, i): the combinatorial number
             system. Where there is nothing to remove, the index is meaningless (and the factor 0).
    """
    if not dimensions:
        return [], [], np.zeros(1, np.int32)
    sums = [np.arange(total + 1, dtype=np.int32)]
    for dimension in range(2, dimensions + 1):
        lengths = [comb(top + dimension - 1, dimension - 1) for top in range(total + 1)]
        sums = [np.concatenate([values[:length] for length in lengths]) for values in sums]
        sums.append(np.repeat(np.arange(total + 1, dtype=np.int32), lengths))
    index = np.arange(len(sums[0]), dtype=np.int32)
    numbers = [sums[0]] + [after - before for before, after in pairwise(sums)]
    before: list[Any] = []
    for dimension in range(dimensions, 0, -1):
        step = np.array([comb(top + dimension - 2, dimension - 1) if top else 0 for top in range(total + 1)], np.int32)
        index = index - step[sums[dimension - 1]]
        before.append(index)
    return numbers, before[::-1], sums[-1]
