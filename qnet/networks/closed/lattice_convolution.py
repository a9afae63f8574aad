r"""Convolution over the lattice of populations: several classes and any stations, to full precision.

With :math:`L_k = \sum_r p_{kr} z_r` (a customer at station k is of class r with probability :math:`p_{kr}`), the factor
of a station is a series in :math:`L_k` alone, :math:`\sum_j w_k(j) L_k^j`, in the open network of `weights`; and

.. math:: X_r = s_r\,G(N - e_r) / G(N), \qquad
          R_{kr} = p_{kr} \sum_j (j + 1)\,w_k(j + 1)\,[L_k^j\,G_{-k}](N - e_r) \,/\, (s_r\,G(N - e_r))

Applies   any number of classes, every kind of station, several load-dependent ones at once; state probabilities
Fails     stations that slow down so much with their load that the scaled constant is tiny: raises `NotComputed`
Method    The head of m - 1 terms of the series by Horner's rule, each step a few shifts of the entire lattice; the
          geometric rest by one sweep over the total population, all populations of a total at once. All terms are
          positive and scaled to probabilities; the constants without one station are convolved again, never divided.
Source    @reiser1975
Cost      product of (N_r + 1) x classes x (sum of servers + stations) x log2(number of load-dependent stations)
"""

from __future__ import annotations

from math import log, prod, sqrt
from typing import TYPE_CHECKING, Any

from qnet.errors import NotComputed, Problem
from qnet.lazy import Array, np
from qnet.networks.closed import weights
from qnet.networks.closed.problem import ClosedFigures, ClosedNetwork
from qnet.networks.closed.reduction import Reduced, StationGroup, expanded, nothing, reduced, stacked
from qnet.networks.wanted import AUTO, Wanted, Work

if TYPE_CHECKING:
    from qnet.networks.reasons import Reason
    from qnet.networks.solvers.protocol import SolvePart

NAME = "lattice-convolution"
CLASSES = "closed"
APPLIES = "several classes; any stations; state probabilities"
COST = "product of (population + 1) x classes x servers"
SOURCE = "@buzen1973; @reiser1975"


def applies(network: ClosedNetwork, wanted: Wanted = AUTO) -> Reason | None:
    """None: it applies to all networks with the features of its row."""
    return None


def work(network: ClosedNetwork, wanted: Wanted = AUTO) -> Work:
    """The work of the convolution for a point."""
    core = reduced(network, wanted.states)
    if not core.total:
        return Work(1.0, 1.0)
    classes = len(core.population)
    states = prod(count + 2.0 for count in core.population)
    changing = [group for group in core.groups if group.rates is not None or wanted.states]
    depth = len(changing).bit_length()
    shifts = sum(len(group.rates or ()) * (group.size * depth + 1) for group in changing)
    shifts += core.total * len(changing) if wanted.states else 0
    sweeps = sum(group.size + 1 for group in core.groups) + 2 * depth * len(changing)
    steps = core.total * sweeps * (classes + 1) * 3e3
    return Work(states * (classes + 2) * (1.5 * shifts + 6.0 * sweeps) + steps, 8 * states * (8 + depth))


def solve(network: ClosedNetwork, wanted: Wanted = AUTO, solve_part: SolvePart | None = None) -> ClosedFigures:
    """The steady state of a point, or of the points of a batch one by one.

    network    any closed network whose lattice fits the memory, see `work`
    wanted     `states`: whether to compute the state probabilities of the stations
    Raises     `NoAnswer` for a class without demand and think time; `NotComputed` where digits would be lost

    >>> from qnet.networks.closed.problem import closed_network
    >>> [round(rate, 9) for rate in solve(closed_network([[1.0, 1.0]], [1, 1])).throughput]
    [0.5, 0.5]
    """
    if network.size is not None:
        return stacked([solve(network.point(index), wanted) for index in range(network.size)], network)
    core = reduced(network, wanted.states)
    if not core.total:
        return nothing(network, NAME, wanted.states)
    return _Lattice(core, wanted.states).solve(network)


class _Lattice:
    """Arrays over all populations, flat, with one layer of zeros below each axis so that shifts need no bounds."""

    def __init__(self, core: Reduced, marginals: bool) -> None:
        self.core = core
        self.marginals = marginals
        self.lengths = [count + 2 for count in core.population]
        self.size = prod(self.lengths)
        self.strides = [prod(self.lengths[index + 1 :]) for index in range(len(self.lengths))]
        inside = np.ones((), bool)
        totals = np.zeros((), np.int64)
        for length in self.lengths:
            inside = inside[..., None] & (np.arange(length) > 0)
            totals = totals[..., None] + np.arange(-1, length - 1)
        self.inside = inside.ravel().astype(float)
        kept = np.flatnonzero(self.inside)
        of_kept = totals.ravel()[kept]
        kept = kept[np.argsort(of_kept, kind="stable")]
        ends = np.cumsum(np.bincount(of_kept))
        self.levels = np.split(kept, ends[:-1])
        self.rates = open_rates(core)
        self.stations: list[_Station] = [_Station(group, self.rates, self) for group in core.groups]

    def solve(self, network: ClosedNetwork) -> ClosedFigures:
        """The figures: from the constants of all stations of fixed rate, then with each of the others left out in
        turn."""
        core, last = self.core, self.size - 1
        before = [last - stride for stride in self.strides]
        constants, logs = self.thinking()
        leaves = [position for position, group in enumerate(core.groups) if self.marginals or group.rates is not None]
        others = [position for position in range(len(self.stations)) if position not in leaves]
        for position in others:
            constants = self.stations[position].joined(constants, core.groups[position].size)
        residence = [[0.0] * len(core.population) for _ in self.stations]
        states: list[list[float]] = [[] for _ in self.stations]
        overall = constants
        for position, without in weights.each_left_out(constants, leaves, self.stations):
            station = self.stations[position]
            overall = station.joined(without, 1)
            self.check(overall[last])
            at_arrival = station.at_arrival(without)
            residence[position] = self.times(station, at_arrival, overall, before)
            if self.marginals:
                states[position] = station.marginal(without, float(overall[last]))
        self.check(overall[last])
        for position in others:
            station = self.stations[position]
            residence[position] = self.times(
                station, station.ratio * self.swept(overall, station.ratio, station.mix), overall, before
            )
        throughput = [
            rate * float(overall[index] / overall[last]) for rate, index in zip(self.rates, before, strict=True)
        ]
        log_constant = log(overall[last]) + logs + sum(station.log * station.size for station in self.stations)
        log_constant -= sum(count * log(rate) for count, rate in zip(core.population, self.rates, strict=True))
        return expanded(network, core, throughput, residence, log_constant, NAME, states if self.marginals else None)

    def check(self, constant: float) -> None:
        """Raise `NotComputed` QN513 where terms lost to underflow might matter."""
        if constant < weights.TINY:
            text = f"{NAME}: a station slows down so much with its load that digits would be lost"
            raise NotComputed(Problem("QN513", text))

    def times(self, station: _Station, at_arrival: Any, constants: Any, before: list[int]) -> list[float]:
        """Residence at a station, by class."""
        return [
            share * float(at_arrival[index] / constants[index]) / rate if share else 0.0
            for share, rate, index in zip(station.mix, self.rates, before, strict=True)
        ]

    def thinking(self) -> tuple[Any, float]:
        """The constants of the think times alone, and the logarithm of their divisor."""
        constants, logs = np.ones(()), 0.0
        for count, think, rate in zip(self.core.population, self.core.think_time, self.rates, strict=True):
            values, scale = weights.poisson(think * rate, count)
            constants = constants[..., None] * np.array([0.0, *values])
            logs += scale
        return constants.ravel(), logs

    def shifted(self, values: Any, mix: list[float]) -> Any:
        """The constants with one more customer, of a class drawn from the mix."""
        result = np.zeros(self.size)
        part = np.empty(self.size)
        for share, stride in zip(mix, self.strides, strict=True):
            if share:
                np.multiply(values[:-stride], share, out=part[stride:])
                result[stride:] += part[stride:]
        result *= self.inside
        return result

    def swept(self, values: Any, ratio: float, mix: list[float]) -> Any:
        """The geometric series of more such customers: y(n) = x(n) + ratio x sum of mix_r y(n - e_r)."""
        result = values.copy()
        steps = [(ratio * share, stride) for share, stride in zip(mix, self.strides, strict=True) if share]
        for level in self.levels[1:]:
            values = result[level]
            for step, stride in steps:
                values += step * result[level - stride]
            result[level] = values
        return result


class _Station:
    """A group of the open network: the probabilities of 0 .. m - 1 at one station, the ratio of the rest, the mix."""

    def __init__(self, group: StationGroup, rates: list[float], lattice: _Lattice) -> None:
        loads = [demand * rate for demand, rate in zip(group.demands, rates, strict=True)]
        self.lattice = lattice
        self.size = group.size
        self.head, self.ratio, self.log = weights.station(sum(loads), group.rates or (1.0,))
        self.mix = [load / sum(loads) for load in loads]

    def series(self, coefficients: list[float], rest: Any, values: Any) -> Any:
        """sum_j c_j L^j values + L^m rest, by Horner's rule; m is the number of coefficients."""
        for coefficient in reversed(coefficients):
            rest = self.lattice.shifted(rest, self.mix)
            if coefficient:
                rest += coefficient * values
        return rest

    def joined(self, constants: Any, times: int) -> Any:
        """The constants with `times` more such stations."""
        for _ in range(times):
            rest = self.head[-1] * self.lattice.swept(constants, self.ratio, self.mix)
            constants = self.series(self.head[:-1], rest, constants)
        return constants

    def at_arrival(self, without: Any) -> Any:
        """sum_j (j + 1) w(j + 1) L^j of the constants without the station: its derivative in the load."""
        last = len(self.head) - 1
        once = self.lattice.swept(without, self.ratio, self.mix)
        rest = last * once + self.lattice.swept(once, self.ratio, self.mix)
        rest *= self.head[-1] * self.ratio
        return self.series([(index + 1) * self.head[index + 1] for index in range(last)], rest, without)

    def marginal(self, without: Any, constant: float) -> list[float]:
        """The probabilities of 0 .. N customers of all classes together."""
        values, weight = without, self.head[0]
        states: list[float] = []
        for index in range(self.lattice.core.total + 1):
            states.append(weight * float(values[-1]) / constant)
            values = self.lattice.shifted(values, self.mix)
            weight = self.head[index + 1] if index + 1 < len(self.head) else weight * self.ratio
        return states


def open_rates(core: Reduced) -> list[float]:
    """Arrival rates at which the open network holds about as many customers of each class as the closed one.

    The minimum of sum log W_k + sum s_r Z_r - sum N_r log s_r over log s, which is convex, by Newton's method with
    halved steps.
    """
    demands = np.array([group.demands for group in core.groups]).reshape(-1, len(core.population))
    tables = [group.rates or (1.0,) for group in core.groups]
    counts = [group.size for group in core.groups]
    population, think = np.array(core.population, float), np.array(core.think_time)
    limits = np.array([table[-1] for table in tables])

    def evaluate(point: Array) -> tuple[float, Any, Any]:
        rates = np.exp(point)
        loads = demands @ rates
        if not (loads < limits * (1 - 1e-13)).all():
            return float("inf"), None, None
        value = float(think @ rates - population @ point)
        gradient, hessian = think * rates - population, np.diag(think * rates)
        for row, load, table, count in zip(demands, loads.tolist(), tables, counts, strict=True):
            mean, variance, scale = _moments(load, table)
            mix = row * rates / load
            value += count * scale
            gradient += count * mean * mix
            hessian += count * (mean * np.diag(mix) + (variance - mean) * np.outer(mix, mix))
        return value, gradient, hessian

    alone = think + demands.sum(axis=0)
    busiest = float((demands @ (1 / alone) / limits).max(initial=0.0))
    point: Array = np.log(0.5 / (alone * max(busiest, 1e-300))) if busiest else np.log(population / alone)
    point = np.minimum(point, np.log(population / np.where(think > 0, think, 1e-300)))
    gradient: Array
    value, gradient, hessian = evaluate(point)
    for _ in range(100):
        if (np.abs(gradient) <= 0.05 * np.sqrt(population)).all():
            break
        ridge = 1e-12 * float(np.trace(hessian))
        curved: Array = hessian + ridge * np.eye(len(point))
        move = -np.asarray(np.linalg.solve(curved, gradient), np.float64)
        move *= min(1.0, 2.0 / float(np.abs(move).max()))
        step, slope = 1.0, float(gradient @ move)
        while step > 1e-9:
            after = evaluate(point + step * move)
            if after[0] <= value + 1e-4 * step * slope:
                break
            step /= 2
        else:
            break
        point, (value, gradient, hessian) = point + step * move, after
    return np.exp(point).tolist()


def _moments(load: float, rates: tuple[float, ...]) -> tuple[float, float, float]:
    """Mean, variance and log W of the number at an open station."""
    head, ratio, scale = weights.station(load, rates)
    last, rest = len(head) - 1, ratio / (1 - ratio)
    mean = weights.station_mean(load, rates)
    square = sum(index * index * weight for index, weight in enumerate(head))
    square += head[-1] * rest * ((last + 1 + rest) ** 2 + rest * (1 + rest))
    return mean, max(square - mean * mean, 1e-12 * (1 + sqrt(square))), scale
