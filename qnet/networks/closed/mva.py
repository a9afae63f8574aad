r"""Exact mean value analysis of one class: all populations in one recursion.

.. math:: R_k(n) = D_k\,(1 + Q_k(n-1)), \quad X(n) = \frac{n}{Z + \sum_k R_k(n)}, \quad Q_k(n) = X(n)\,R_k(n)

Applies   one class with customers; single servers of fixed rate and delays; no state probabilities
Fails     never loses digits: every term is positive
Method    A kernel in plain Python for a point, four customers at a time, and a batched one over arrays, in which each
          variant is read at its population. Identical stations are one term with a count.
Source    @reiser1980
Cost      population x distinct stations
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import log
from operator import mul
from typing import TYPE_CHECKING, Any

from qnet.errors import NoAnswer, Problem
from qnet.lazy import np
from qnet.networks.closed.problem import ClosedFigures, ClosedNetwork
from qnet.networks.closed.reduction import expanded, nothing, reduced
from qnet.networks.wanted import AUTO, Wanted, Work

if TYPE_CHECKING:
    from qnet.networks.reasons import Reason
    from qnet.networks.solvers.protocol import SolvePart

NAME = "mva"
CLASSES = "closed"
APPLIES = "one class; single servers and delays"
COST = "population x different stations"
SOURCE = "@reiser1980"

_ARRAYS_PAY = 100
"""The number of groups of stations above which arrays are faster than plain Python."""
_FEW_FAMILIES = 8
"""The number of sets of demands up to which a recursion for each is faster than one over arrays."""
_LOADING = 5e7
"""The import of numpy, in operations."""


def applies(network: ClosedNetwork, wanted: Wanted = AUTO) -> Reason | None:
    """None: it applies to all networks with the features of its row."""
    return None


def work(network: ClosedNetwork, wanted: Wanted = AUTO) -> Work:
    """The operations and memory of the recursion for a point, or for an entire batch."""
    if network.size is None:
        core = reduced(network)
        groups = len(core.groups)
        if groups > _ARRAYS_PAY:
            return Work(_LOADING + core.total * (7.5e3 + 40.0 * groups), 1e5)
        return Work(core.total * (500.0 + 110.0 * groups), 1e5)
    largest = int(network.population.max(initial=0))
    size = network.size * (network.stations + 4)
    return Work(largest * (5e3 + 4.0 * size), 64.0 * size)


def solve(network: ClosedNetwork, wanted: Wanted = AUTO, solve_part: SolvePart | None = None) -> ClosedFigures:
    """The steady state of a point or a batch.

    network  one class, at stations of fixed rate
    Returns  figures without marginals
    Raises   `NoAnswer` for customers without demand and think time

    >>> from qnet.networks.closed.problem import closed_network
    >>> solve(closed_network([[0.5]], [3])).throughput
    (2.0,)
    """
    if network.size is not None:
        return _batch(network)
    core = reduced(network)
    if not core.total:
        return nothing(network, NAME, False)
    demands = [group.demands[0] for group in core.groups]
    counts = [group.size for group in core.groups]
    think, population = core.think_time[0], core.total
    if len(demands) > _ARRAYS_PAY:
        rates, times, logs = arrays(np.array([demands]).T, counts, np.array([think]), np.array([population]))
        rate, residence, log_constant = float(rates[0]), times[:, 0].tolist(), float(logs[0])
    else:
        rate, residence, log_constant = plain(demands, counts, think, population)
    return expanded(network, core, (rate,), [(time,) for time in residence], log_constant, NAME)


def plain(
    demands: Sequence[float], counts: Sequence[int], think: float, population: int
) -> tuple[float, list[float], float]:
    """Throughput, residence at one station of each group and log G(N), in plain Python."""
    return next(along(demands, counts, think, (population,)))


def along(
    demands: Sequence[float], counts: Sequence[int], think: float, populations: Iterable[int]
) -> Iterator[tuple[float, list[float], float]]:
    """As `plain`, for several populations, in ascending order and above 0, in one recursion.

    Method   With a(n) = 1 + Q(n) at each station, G(n) = n-th constant, and c its count:
                 n G(n) = Z G(n - 1) + sum c D a(n - 1) G(n - 1),   a(n) G(n) = G(n) + D a(n - 1) G(n - 1),
             the equations of the recursion times G. So the next four constants follow from one sum over the groups
             each, and the queues are brought forward once for all four. Times are in units of Z + sum c D, where
             G(n) / G(n - 1) is at least about 1 / max(n, stations): nothing leaves the range of numbers.
    """
    scale = think + sum(demand * count for demand, count in zip(demands, counts, strict=True))
    z, loads = think / scale, [demand / scale for demand in demands]
    tables = [[count * load**power for load, count in zip(loads, counts, strict=True)] for power in (1, 2, 3, 4)]
    one, two, three, four = tables
    p1, p2, p3 = z + sum(one), sum(two), sum(three)
    ahead: list[float] = [1.0] * len(loads)
    logs, n = 0.0, 1
    for population in populations:
        while n + 4 <= population:
            # The constants G(n) .. G(n + 3) over G(n - 1).
            g0 = (z + sum(map(mul, one, ahead))) / n
            g1 = (sum(map(mul, two, ahead)) + p1 * g0) / (n + 1)
            g2 = (sum(map(mul, three, ahead)) + p2 * g0 + p1 * g1) / (n + 2)
            g3 = (sum(map(mul, four, ahead)) + p3 * g0 + p2 * g1 + p1 * g2) / (n + 3)
            h3 = 1 / g3
            h0, h1, h2 = g0 * h3, g1 * h3, g2 * h3
            ahead = [
                1.0 + load * (h2 + load * (h1 + load * (h0 + load * h3 * value)))
                for load, value in zip(loads, ahead, strict=True)
            ]
            logs += log(g3)
            n += 4
        while n < population:
            rate = n / (z + sum(map(mul, one, ahead)))
            ahead = [1.0 + rate * (load * value) for load, value in zip(loads, ahead, strict=True)]
            logs -= log(rate)
            n += 1
        total = z + sum(map(mul, one, ahead))
        residence = [demand * value for demand, value in zip(demands, ahead, strict=True)]
        yield population / (total * scale), residence, logs + log(total / population) + population * log(scale)


def arrays(demands: Any, counts: Sequence[int], think: Any, population: Any) -> tuple[Any, Any, Any]:
    """As `plain`, for B variants at once.

    demands     (groups, B)
    think       (B,)
    population  (B,)
    Returns     throughput (B,), residence (groups, B), log G(N) (B,)
    """
    demands = np.ascontiguousarray(demands)
    weights = np.array(counts, float)
    largest = int(population.max(initial=0))
    residence, queues = np.zeros(demands.shape), np.zeros(demands.shape)
    rate, logs, product = np.zeros(len(think)), np.zeros(len(think)), np.ones(len(think))
    rates, times, constants = np.zeros(len(think)), np.zeros(demands.shape), np.zeros(len(think))
    stops = set(population.ravel().tolist())
    block = _block(demands, weights, think)
    for customers in range(1, largest + 1):
        np.multiply(demands, queues, out=residence)
        np.add(residence, demands, out=residence)
        np.add(np.dot(weights, residence), think, out=rate)
        np.divide(customers, rate, out=rate)
        np.multiply(residence, rate, out=queues)
        product *= rate
        stop = customers in stops
        if stop or customers % block == 0:
            logs -= np.log(product)
            product[:] = 1.0
        if stop:
            done = population == customers
            rates[done], constants[done] = rate[done], logs[done]
            times[:, done] = residence[:, done]
    return rates, times, constants


def _block(demands: Any, weights: Any, think: Any) -> int:
    """The number of throughputs whose product remains in the range of floats.

    The throughput lies between that of one customer and the capacity, or a multiple of 1 / Z by the population.
    """
    total = think + weights @ demands
    slowest = float(1 / total.max(initial=1e-300))
    fastest = float((1 / total.min(initial=1e300)) * 1e12)
    span = max(abs(log(slowest)), abs(log(fastest)), 1.0)
    return max(1, int(650 / span))


def _batch(network: ClosedNetwork) -> ClosedFigures:
    population, think = network.population[:, 0], network.think_time[:, 0].copy()
    groups: dict[bytes, tuple[int, int]] = {}
    members: list[bytes | None] = []
    for station in range(network.stations):
        column = network.demands[:, station, 0]
        if network.delay[station]:
            think += column
            members.append(None)
            continue
        key = (column / network.peak(station)).tobytes()
        index, count = groups.get(key, (len(groups), 0))
        groups[key] = (index, count + 1)
        members.append(key)
    demands = np.array([np.frombuffer(key) for key in groups]).reshape(len(groups), len(think))
    counts = [count for _, count in groups.values()]
    _refuse_idle(demands, think, population)
    rates, times, logs = _families(demands, counts, think, population)
    residence = np.empty((len(think), network.stations, 1))
    for station, key in enumerate(members):
        served = population > 0
        values = network.demands[:, station, 0] * served if key is None else times[groups[key][0]]
        residence[:, station, 0] = values
    return ClosedFigures(throughput=rates[:, None], residence=residence, log_constant=logs, method=NAME)


def _families(demands: Any, counts: Sequence[int], think: Any, population: Any) -> tuple[Any, Any, Any]:
    """As `arrays`; variants that differ only in population share one recursion."""
    kinds, family = np.unique(np.vstack((demands, think)), axis=1, return_inverse=True)
    family = family.reshape(-1)
    if kinds.shape[1] > _FEW_FAMILIES:
        with np.errstate(divide="ignore", invalid="ignore"):
            return arrays(demands, counts, think, population)
    rates, times, logs = np.zeros(len(think)), np.zeros(demands.shape), np.zeros(len(think))
    for number in range(kinds.shape[1]):
        members = np.flatnonzero((family == number) & (population > 0))
        stops, index = np.unique(population[members], return_inverse=True)
        if not len(stops):
            continue
        *loads, delay = kinds[:, number].tolist()
        result = list(along(loads, counts, delay, stops.tolist()))
        rates[members] = np.array([rate for rate, _, _ in result])[index]
        times[:, members] = np.array([row for _, row, _ in result]).reshape(len(stops), len(loads)).T[:, index]
        logs[members] = np.array([log_constant for _, _, log_constant in result])[index]
    return rates, times, logs


def _refuse_idle(demands: Any, think: Any, population: Any) -> None:
    if ((population > 0) & (think <= 0) & (demands.max(axis=0, initial=0.0) <= 0)).any():
        text = "class 0 has customers and neither demand nor think time: its throughput has no limit"
        raise NoAnswer(Problem("QN403", text))
