r"""Convolution for one class with any stations: multi-server, load-dependent, several at once, to full precision.

.. math:: G(n) = \sum_{n_1 + \dots + n_K = n} \prod_k F_k(n_k), \qquad F_k(j) = D_k^j \Big/ \prod_{i \le j} \alpha_k(i)
.. math:: X = G(N-1) / G(N), \qquad Q_k = \sum_j j\,F_k(j)\,G_{-k}(N-j) / G(N)

Applies   one class with customers; every kind of station; state probabilities
Fails     does not lose digits: all terms are positive, scaled as `weights` says; there is no subtraction
Method    A station is a head of m - 1 terms and a geometric rest: one short convolution and one first-order recursion.
          The constants without one station are convolved again, halving the set of the others (never divided out).
          Plain Python for small points, arrays with a batch axis otherwise, each variant read at its population;
          logarithms where stations slow down so much that the scaled constant is tiny.
Source    @buzen1973; @reiser1975
Cost      population x (sum of servers + stations) x log2(number of load-dependent stations)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate
from math import inf, log
from operator import mul
from typing import TYPE_CHECKING, Any

from qnet.lazy import Indices, lazy, np
from qnet.networks.closed import weights
from qnet.networks.closed.problem import ClosedFigures, ClosedNetwork, varying
from qnet.networks.closed.reduction import Reduced, StationGroup, expanded, nothing, reduced, stacked
from qnet.networks.wanted import AUTO, Wanted, Work

if TYPE_CHECKING:
    from qnet.networks.closed import convolution_arrays
    from qnet.networks.reasons import Reason
    from qnet.networks.solvers.protocol import SolvePart
else:
    convolution_arrays = lazy("qnet.networks.closed.convolution_arrays")

NAME = "convolution"
CLASSES = "closed"
APPLIES = "one class; any stations; state probabilities"
COST = "population x servers; for rates of every number population^2"
SOURCE = "@buzen1973; @reiser1975"

_ARRAYS_PAY = 300_000
"""Multiplications above which arrays are faster than plain Python, the import of numpy included."""
_A_NETWORK = 7_000
"""The constants that take as long as the overhead of one more network; timed at 3 and 10 stations."""
_CELLS = 4_000_000
"""Constants of variants that are kept at once."""
_FEW_STATES = 500
"""Customers up to which the states of a batch are computed at once; with more, each variant is computed alone."""
_LOADING = 5e7
"""The import of numpy, in operations."""


def applies(network: ClosedNetwork, wanted: Wanted = AUTO) -> Reason | None:
    """None: it applies to all networks with the features of its row."""
    return None


def work(network: ClosedNetwork, wanted: Wanted = AUTO) -> Work:
    """The operations and memory of the convolution for a point, or for an entire batch."""
    if network.size is None:
        core = reduced(network, wanted.states)
        steps = _multiplications(core)
        operations = 500.0 * steps if steps <= _ARRAYS_PAY else _LOADING + 60.0 * steps
        return Work(operations, 64.0 * (core.total + 1) * (len(core.groups) + 4))
    largest = int(network.population.max(initial=0)) + 1
    lengths = sum(min(largest, 1 if rates is None else np.shape(rates)[-1]) + 16 for rates in network.rates)
    size = float(network.size * largest)
    return Work(60.0 * size * lengths, 64 * size * (network.stations + 4))


def solve(network: ClosedNetwork, wanted: Wanted = AUTO, solve_part: SolvePart | None = None) -> ClosedFigures:
    """The steady state of a point or a batch.

    network    one class, at any stations
    wanted     `states`: whether to compute the state probabilities of the stations
    Raises     `NoAnswer` for customers without demand and think time

    >>> from qnet.networks.closed.problem import closed_network
    >>> solve(closed_network([[0.5]], [3])).throughput
    (2.0,)
    """
    if network.size is not None:
        return _batch(network, wanted)
    core = reduced(network, wanted.states)
    if not core.total:
        return nothing(network, NAME, wanted.states)
    if _multiplications(core) > _ARRAYS_PAY:
        answer = _arrays_of_point(core, wanted.states)
    else:
        answer = plain(core, wanted.states) or _logarithms(core)
    rate, residence, log_constant, states = answer
    rows = [(value,) for value in residence]
    return expanded(network, core, (rate,), rows, log_constant, NAME, states if wanted.states else None)


_Answer = tuple[float, list[float], float, list[list[float]]]


def _multiplications(core: Reduced) -> float:
    changing = [group for group in core.groups if group.rates is not None]
    depth = max(1, len(changing).bit_length())
    lengths = sum(len(group.rates or ()) * group.size * depth for group in changing)
    return float(core.total) * (lengths + sum(group.size for group in core.groups))


class _Station:
    """A group in the open network: the probabilities of 0 .. m - 1 at one station, and the ratio of the rest."""

    def __init__(self, group: StationGroup, rate: float) -> None:
        self.size = group.size
        self.head, self.ratio, self.log = weights.station(group.demands[0] * rate, group.rates or (1.0,))

    def joined(self, constants: list[float], times: int) -> list[float]:
        """The constants with `times` more such stations."""
        head, last = self.head[:-1], self.head[-1]
        if not head and times > len(constants):
            # All at once: 1 / (1 - r z)^times.
            steps = [self.ratio * (count + times) / (count + 1) for count in range(len(constants) - 1)]
            kernel = [*accumulate(steps, mul, initial=last**times)]
            return [sum(map(mul, kernel, reversed(constants[: count + 1]))) for count in range(len(constants))]
        for _ in range(times):
            rest = accumulate(constants, _step(self.ratio))
            size = len(constants)
            joined = [0.0] * min(len(head), size) + [last * value for value in rest][: max(0, size - len(head))]
            for shift, weight in enumerate(head[:size]):
                if weight:
                    joined[shift:] = [
                        have + weight * value for have, value in zip(joined[shift:], constants, strict=False)
                    ]
            constants = joined
        return constants

    def weights(self, length: int) -> list[float]:
        """The probabilities of 0 .. length - 1 customers."""
        values = self.head[:length]
        while len(values) < length:
            values.append(values[-1] * self.ratio)
        return values


def _step(ratio: float) -> Callable[[float, float], float]:
    def step(before: float, value: float) -> float:
        return before * ratio + value

    return step


def plain(core: Reduced, marginals: bool) -> _Answer | None:
    """Throughput, residence at one station of each group, log G(N) and states, in plain Python.

    Returns None where the scaled constant is so small that terms lost to underflow might matter.
    """
    population, think = core.total, core.think_time[0]
    rate = _rate(core)
    stations = [_Station(group, rate) for group in core.groups]
    constants, log_think = [1.0] + [0.0] * population, 0.0
    if think > 0:
        constants, log_think = weights.poisson(think * rate, population)
    leaves = [index for index, group in enumerate(core.groups) if marginals or group.rates is not None]
    others = [index for index in range(len(stations)) if index not in leaves]
    for index in others:
        constants = stations[index].joined(constants, stations[index].size)
    residence, states = [0.0] * len(stations), [[0.0]] * len(stations)
    overall = constants
    for index, without in weights.each_left_out(constants, leaves, stations):
        terms = [a * b for a, b in zip(stations[index].weights(population + 1), reversed(without), strict=True)]
        overall = stations[index].joined(without, 1)
        if overall[-1] < weights.TINY:
            return None
        residence[index] = sum(count * term for count, term in enumerate(terms)) / (rate * overall[-2])
        states[index] = [term / overall[-1] for term in terms]
    if overall[-1] < weights.TINY:
        return None
    for index in others:
        ratio, value = stations[index].ratio, 0.0
        for constant in overall[:-1]:
            value = value * ratio + constant
        residence[index] = core.groups[index].demands[0] * value / overall[-2]
    logs = log_think + sum(item.log * item.size for item in stations)
    return rate * overall[-2] / overall[-1], residence, log(overall[-1]) + logs - population * log(rate), states


def _rate(core: Reduced) -> float:
    """The arrival rate at which the open network holds as many customers as the closed one."""
    think, population = core.think_time[0], core.total
    pieces = [(group.demands[0], group.rates or (1.0,), group.size) for group in core.groups]
    fastest = min((rates[-1] / demand for demand, rates, _ in pieces), default=inf)
    if not pieces or think * fastest > 1e9 * population:
        fastest = min(fastest, 2 * population / think)

    def mean(rate: float) -> float:
        return think * rate + sum(count * weights.station_mean(demand * rate, rates) for demand, rates, count in pieces)

    return weights.open_rate(mean, fastest, population)


def _arrays_of_point(core: Reduced, marginals: bool) -> _Answer:
    demands = np.array([[group.demands[0]] for group in core.groups]).reshape(-1, 1)
    rates = [group.rates for group in core.groups]
    counts = [group.size for group in core.groups]
    think, population = np.array([core.think_time[0]]), np.array([core.total])
    solution = convolution_arrays.solve(demands, rates, counts, think, population, marginals)
    if not solution.sound[0]:
        return _logarithms(core)
    states: list[list[float]] = solution.states[:, 0].tolist() if marginals else []
    return float(solution.throughput[0]), solution.residence[:, 0].tolist(), float(solution.log_constant[0]), states


def _logarithms(core: Reduced) -> _Answer:
    return convolution_arrays.logarithms(
        [(group.demands[0], group.rates or (1.0,), group.size) for group in core.groups],
        core.think_time[0],
        core.total,
    )


def _batch(network: ClosedNetwork, wanted: Wanted) -> ClosedFigures:
    """The variants in families with demands at the same queues; with the states of many customers one by one."""
    size = network.size or 0
    population, think = network.population[:, 0], network.think_time[:, 0]
    most = int(population.max(initial=0))
    if wanted.states and most > _FEW_STATES:
        return stacked([solve(network.point(index), wanted) for index in range(size)], network)
    demands = np.ascontiguousarray(network.demands[:, :, 0].T)
    rates, waiting = list(network.rates), [position for position, delay in enumerate(network.delay) if not delay]
    for position, delay in enumerate(network.delay):
        if delay and wanted.states:
            rates[position] = tuple(float(count) for count in range(1, most + 1))
        elif delay:
            think = think + demands[position]
    if wanted.states:
        waiting = list(range(network.stations))
    states = _empty(size, network.stations, most) if wanted.states else None
    residence = network.demands * (population > 0)[:, None, None]
    throughput, logs, sound = np.zeros(size), np.zeros(size), population == 0
    for queues, family in _families(waiting, demands, np.flatnonzero(population > 0)):
        groups: dict[Any, list[int]] = {}
        for position in queues:
            apart = wanted.states or varying(rates[position])
            key = position if apart else (demands[position, family].tobytes(), rates[position])
            groups.setdefault(key, []).append(position)
        firsts = [indices[0] for indices in groups.values()]
        counts = [len(indices) for indices in groups.values()]
        alone = wanted.states or any(varying(rates[position]) for position in firsts)
        for members, shared in _together(demands[firsts], think, population, family, alone):
            stops, position = np.unique(population[members], return_inverse=True)
            station_rates = [rates[first][members] if varying(rates[first]) else rates[first] for first in firsts]
            station_rates = [convolution_arrays.shortened(row, int(stops[-1])) for row in station_rates]
            if shared:
                first = members[0]
                result = convolution_arrays.along(
                    demands[firsts, first], station_rates, counts, float(think[first]), stops
                )
            else:
                loads, position = demands[np.ix_(firsts, members)], np.arange(len(members))
                people = population[members]
                result = convolution_arrays.solve(loads, station_rates, counts, think[members], people, wanted.states)
            if states is not None:
                for row, first in zip(result.states, firsts, strict=True):
                    states[members, first, : row.shape[1]] = row
            throughput[members], logs[members] = result.throughput[position], result.log_constant[position]
            sound[members] = result.sound[position]
            for row, indices in zip(result.residence, groups.values(), strict=True):
                residence[np.ix_(members, indices, [0])] = row[position][:, None, None]
    for index in np.flatnonzero(~sound):
        one = solve(network.point(int(index)), wanted)
        throughput[index], logs[index] = one.throughput[0], one.log_constant
        residence[index] = one.residence
        if states is not None:
            states[index, :, : len(one.marginals[0])] = one.marginals
    return ClosedFigures(
        throughput=throughput[:, None],
        residence=residence,
        log_constant=logs,
        marginals=states,
        method=NAME,
    )


def _empty(size: int, stations: int, most: int) -> Any:
    """The states of stations without customers."""
    states = np.zeros((size, stations, most + 1))
    states[:, :, 0] = 1.0
    return states


def _families(queues: list[int], demands: Any, served: Indices) -> list[tuple[list[int], Indices]]:
    """The variants in families: the stations with demands, and the variants with demands at these only.

    queues    the stations to consider.
    demands   (K, B)
    served    the variants that have customers.
    """
    positive = demands[np.ix_(np.array(queues, np.intp), served)] > 0
    families: dict[bytes, list[int]] = {}
    for number in range(len(served)):
        families.setdefault(positive[:, number].tobytes(), []).append(number)
    return [
        ([position for position, used in zip(queues, positive[:, numbers[0]].tolist(), strict=True) if used],
         served[numbers])
        for numbers in families.values()
    ]  # fmt: skip


def _together(demands: Any, think: Any, population: Any, served: Any, alone: bool) -> Iterator[tuple[Any, bool]]:
    """Variants that are solved together: those that differ only in population, or some of similar population.

    demands   (groups, B)
    served    the variants that have customers.
    alone     whether variants never share a convolution.
    Yields    variants, and whether they are one network at several populations.
    """
    if not len(served):
        return
    kinds, family = np.unique(np.vstack((demands, think))[:, served], axis=1, return_inverse=True)
    family = family.reshape(-1)
    cells = len(served) * (float(population[served].max()) + 1)
    if not alone and 2 * kinds.shape[1] <= len(served) and cells > _A_NETWORK * kinds.shape[1]:
        for number in range(kinds.shape[1]):
            yield served[family == number], True
        return
    waiting = served[np.argsort(population[served], kind="stable")]
    while len(waiting):
        fit = max(1, _CELLS // (int(population[waiting[-1]]) + 1))
        yield waiting[-fit:], False
        waiting = waiting[:-fit]
