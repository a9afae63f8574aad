"""Bounds of closed networks: intervals that enclose the exact throughput and response, in plain arithmetic.

Each kind states the networks to which it applies. All kinds rest on the exact residence of product-form networks, which
holds for rates that depend on the number at the station:

    residence(k, r | N) = demand(k, r) x sum over j of (j + 1) / capacity(j + 1) x p(k, j | N less one customer of r)

so that straight lines above and below (j + 1) / capacity(j + 1) bound the residence by mean queue lengths.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import expm1, inf, log, sqrt
from typing import TYPE_CHECKING, Any

from qnet.errors import InvalidInput, NotComputed, Problem
from qnet.lazy import lazy, np
from qnet.networks.closed.problem import ClosedNetwork
from qnet.networks.reasons import Reason
from qnet.networks.solvers.bounds import BOUNDS
from qnet.record import Record

if TYPE_CHECKING:
    from qnet import references
else:
    references = lazy("qnet.references")


class Bounds(Record):
    """Intervals that enclose the exact answer: (R,) arrays on access, (B, R) for a batch."""

    rows: tuple[Any, Any, Any, Any]
    """Throughput lower and upper, response lower and upper, as tuples of R floats; for a batch, of B such tuples."""
    kind: str

    @property
    def source(self) -> str:
        """The publication of the bound."""
        return references.cited(BOUNDS[self.kind].source)

    @property
    def throughput_lower(self) -> Any:
        """Passages per second."""
        return np.asarray(self.rows[0], dtype=float)

    @property
    def throughput_upper(self) -> Any:
        """Passages per second."""
        return np.asarray(self.rows[1], dtype=float)

    @property
    def response_lower(self) -> Any:
        """Seconds per passage, think time excluded; 0 for a class without customers."""
        return np.asarray(self.rows[2], dtype=float)

    @property
    def response_upper(self) -> Any:
        """Seconds per passage, think time excluded; 0 for a class without customers."""
        return np.asarray(self.rows[3], dtype=float)


class BoundKind(Record):
    """A kind of bounds, and the networks to which it applies."""

    compute: Callable[[Any], Any]
    several_classes: bool
    several_servers: str
    """"" where refused, otherwise "servers" or "any rates"."""
    think_time: bool


class _Queue(Record):
    """One queueing station with visits."""

    demands: tuple[float, ...]
    """Seconds per passage at rate 1, by class."""
    peak: float
    least: float
    """Smallest (j + 1) / capacity(j + 1)."""
    start: float
    """(j + 1) / capacity(j + 1) is at most start + slope x j ..."""
    slope: float


class _Input(Record):
    """One network, as queueing stations and delays."""

    queues: tuple[_Queue, ...]
    population: tuple[int, ...]
    think_time: tuple[float, ...]
    delayed: tuple[float, ...]
    """Demands at delay stations, by class."""
    delays: tuple[float, ...]
    """Think time and demands at delay stations, by class."""

    def total(self, class_index: int) -> float:
        """The demand of a class at queueing stations."""
        return sum(queue.demands[class_index] for queue in self.queues)


class _Enclosed:
    """Limits of throughput and response by class, narrowed as bounds become known.

    Both are kept, since a response computed as N / X - Z loses digits where the think time is long.
    """

    def __init__(self, task: _Input) -> None:
        classes = len(task.population)
        self.task = task
        self.lower, self.upper = [0.0] * classes, [inf] * classes
        self.quick, self.slow = [0.0] * classes, [inf] * classes

    def at_least(self, class_index: int, queueing: float) -> None:
        """Narrow the limits of a class whose passage takes at least this time at queueing stations."""
        cycle = self.task.delays[class_index] + queueing
        if cycle > 0:
            self.upper[class_index] = min(self.upper[class_index], self.task.population[class_index] / cycle)
        self.quick[class_index] = max(self.quick[class_index], self.task.delayed[class_index] + queueing)

    def at_most(self, class_index: int, queueing: float) -> None:
        """Narrow the limits of a class whose passage takes at most this time at queueing stations."""
        self.lower[class_index] = max(
            self.lower[class_index], self.task.population[class_index] / (self.task.delays[class_index] + queueing)
        )
        self.slow[class_index] = min(self.slow[class_index], self.task.delayed[class_index] + queueing)

    def no_faster(self, class_index: int, throughput: float) -> None:
        """Narrow the limits of a class with at most this throughput."""
        self.upper[class_index] = min(self.upper[class_index], throughput)
        self.quick[class_index] = max(
            self.quick[class_index], self.task.population[class_index] / throughput - self.task.think_time[class_index]
        )


def bounds(network: ClosedNetwork, kind: str = "balanced") -> Bounds:
    """Intervals that enclose the exact throughputs and responses of a closed product-form network.

    Applies   by kind: "asymptotic", "balanced", "composite" (several classes), "proportional", "geometric" (one class,
              one server each). Delays and think times everywhere; `KINDS` has the table.
    network   a point or a batch, integer populations.
    kind      one of `KINDS`.
    Returns   `Bounds`.
    Method    by kind, see the functions of this file.
    Fails     `NotComputed` QN513 where the kind does not apply, with the reason, as for a fractional population;
              `InvalidInput` QN514 for an unknown kind.
    Source    by kind: `solvers.bounds.BOUNDS`.
    """
    if kind not in KINDS:
        raise InvalidInput(Problem("QN514", f'no bound "{kind}"', " or ".join(KINDS)))
    reasons = refusals(network, kind)
    if reasons:
        raise NotComputed(Problem("QN513", f"the {kind} bound: {reasons[0]}", help="the asymptotic bound applies"))
    chosen = KINDS[kind]
    if network.size is None:
        lower, upper, quick, slow = _one(network, chosen)
    else:
        points = [_one(network.point(index), chosen) for index in range(network.size)]
        lower, upper, quick, slow = (tuple(point[position] for point in points) for position in range(4))
    return Bounds((lower, upper, quick, slow), kind)


def refusals(network: ClosedNetwork, kind: str) -> tuple[Reason, ...]:
    """Why a bound does not apply to a network; empty where it does.

    Applies   every network.
    network   a point or a batch.
    kind      one of `KINDS`.
    Returns   all reasons, by the table `KINDS`.
    """
    chosen = KINDS[kind]
    reasons: list[Reason] = []
    if network.classes > 1 and not chosen.several_classes:
        reasons.append(Reason("one class only"))
    rates = [row for row in network.rates if row is not None and any(rate != 1.0 for rate in row)]
    if rates and not chosen.several_servers:
        reasons.append(Reason("one server only"))
    falling = any(later < rate for row in rates for rate, later in pairwise(row))
    if falling and chosen.several_servers == "servers":
        reasons.append(Reason("falling rates"))
    return tuple(reasons)


def _one(network: ClosedNetwork, kind: BoundKind) -> tuple[Any, ...]:
    """The four rows of one network, classes without customers left out of the calculation."""
    counts = tuple(network.population)
    if any(count != int(count) for count in counts):
        raise NotComputed(Problem("QN513", "there are no bounds for fractional populations", "integers"))
    chosen = [class_index for class_index, count in enumerate(counts) if count > 0]
    if not chosen:
        nothing = (0.0,) * len(counts)
        return nothing, nothing, nothing, nothing
    task = _input(network, chosen)
    if any(delays + task.total(index) <= 0 for index, delays in enumerate(task.delays)):
        text = "a class has customers and neither a demand nor a think time"
        raise InvalidInput(Problem("QN514", text, "a demand or a think time above 0"))
    enclosed = kind.compute(task)
    rows = [[0.0] * len(counts) for _ in range(4)]
    for row, values in zip(rows, (enclosed.lower, enclosed.upper, enclosed.quick, enclosed.slow), strict=True):
        for index, original in enumerate(chosen):
            row[original] = values[index]
    return tuple(tuple(row) for row in rows)


def _input(network: ClosedNetwork, chosen: list[int]) -> _Input:
    think = tuple(float(network.think_time[class_index]) for class_index in chosen)
    delayed = [0.0] * len(chosen)
    queues: list[_Queue] = []
    for station, row in enumerate(network.demands):
        demands = tuple(float(row[class_index]) for class_index in chosen)
        if network.delay[station]:
            delayed = [time + demand for time, demand in zip(delayed, demands, strict=True)]
        elif any(demands):
            queues.append(_queue(demands, network.rates[station] or (1.0,)))
    delays = tuple(time + more for time, more in zip(think, delayed, strict=True))
    return _Input(
        tuple(queues),
        tuple(int(network.population[class_index]) for class_index in chosen),
        think,
        tuple(delayed),
        delays,
    )


def _queue(demands: tuple[float, ...], rates: tuple[float, ...]) -> _Queue:
    """A station with straight lines around (j + 1) / capacity(j + 1); the last capacity repeats indefinitely."""
    ratios = [(index + 1) / rate for index, rate in enumerate(rates)] + [(len(rates) + 1) / rates[-1]]
    slope = max([(ratio - ratios[0]) / index for index, ratio in enumerate(ratios) if index] + [1.0 / rates[-1]])
    return _Queue(demands, max(rates), min(ratios), ratios[0], slope)


def _asymptotic(task: _Input) -> _Enclosed:
    """No customer ever waits; or every customer waits for all others at every station.

    Upper: N / (Z + D) and the capacity of each station. Lower: at most all others are at each station on arrival.
    """
    others = sum(task.population) - 1
    result = _Enclosed(task)
    for class_index in range(len(task.population)):
        result.at_most(
            class_index, sum(queue.demands[class_index] * (queue.start + queue.slope * others) for queue in task.queues)
        )
        result.at_least(class_index, sum(queue.demands[class_index] * queue.least for queue in task.queues))
        for queue in task.queues:
            if queue.demands[class_index] > 0:
                result.no_faster(class_index, queue.peak / queue.demands[class_index])
    return result


def _balanced(task: _Input) -> _Enclosed:
    """The others all queue at the slowest station; or they are spread evenly over all.

    One class, of total demand D, with think time Z: N / (Z + D + (N - 1) Dmax / (1 + Z / (N D))) and
    N / (Z + D + (N - 1) Davg / (1 + Z / D)). Several servers: residence is at most D + D / m x queue on arrival, and at
    least D / m x (1 + queue on arrival). Several classes: (N - 1) Dmax below, and above (N - 1 - those at delays) Dmin.
    """
    result = _asymptotic(task)
    if len(task.population) == 1 and task.queues:
        _balance_one(result)
        return result
    others = sum(task.population) - 1
    for class_index in range(len(task.population)):
        alone = sum(queue.demands[class_index] * queue.start for queue in task.queues)
        slowest = max((queue.demands[class_index] * queue.slope for queue in task.queues), default=0.0)
        result.at_most(class_index, alone + others * slowest)
        least = [queue.demands[class_index] / queue.peak for queue in task.queues]
        queueing = max(0.0, others - _think_at_most(task, class_index))
        result.at_least(class_index, sum(least) + queueing * min(least, default=0.0))
    return result


def _balance_one(result: _Enclosed) -> None:
    task = result.task
    count, delays = task.population[0], task.delays[0]
    alone = sum(queue.demands[0] * queue.start for queue in task.queues)
    slopes = [queue.demands[0] * queue.slope for queue in task.queues]
    longest = alone + (count - 1) * sum(slopes)
    result.at_most(0, alone + (count - 1) * max(slopes) / (1.0 + delays / longest))
    fast = [queue.demands[0] / queue.peak for queue in task.queues]
    demand = sum(fast)
    result.at_least(0, demand + (count - 1) * (demand / len(fast)) / (1.0 + delays / demand))


def _think_at_most(task: _Input, class_index: int) -> float:
    """A bound on the mean number of customers at delays and thinking that an arriving customer of a class observes."""
    population = tuple(count - (index == class_index) for index, count in enumerate(task.population))
    upper = _asymptotic(task.replace(population=population)).upper
    return sum(limit * delays for limit, delays in zip(upper, task.delays, strict=True))


def _composite(task: _Input) -> _Enclosed:
    """Each class has at most the capacity that the lower bounds of the others leave.

    Upper: the smallest (capacity - sum over the others of lower x demand) / demand; lower: balanced.
    """
    result = _balanced(task)
    classes = range(len(task.population))
    for queue in task.queues:
        taken = [low * demand for low, demand in zip(result.lower, queue.demands, strict=True)]
        for class_index in classes:
            if queue.demands[class_index] > 0:
                others = sum(taken[other] for other in classes if other != class_index)
                # Rounding must not put the upper bound below the lower one.
                result.no_faster(
                    class_index, max((queue.peak - others) / queue.demands[class_index], result.lower[class_index])
                )
    return result


def _proportional(task: _Input) -> _Enclosed:
    """The others are shared among the stations as D(k)^(N - 1) below and as D(k) above.

    N / (Z + D + (N - 1 - Z X) sum D^N / sum D^(N - 1)) and N / (Z + D + (N - 1 - Z X) sum D^2 / sum D), X an asymptotic
    bound of the throughput with one customer less.
    """
    result = _asymptotic(task)
    count, delays, demand = task.population[0], task.delays[0], task.total(0)
    if not task.queues or count == 1:
        return result
    less = _asymptotic(task.replace(population=(count - 1,)))
    slowest = max(queue.demands[0] for queue in task.queues)
    shares = [queue.demands[0] / slowest for queue in task.queues]
    powers = [share ** (count - 1) for share in shares]
    steep = slowest * sum(power * share for power, share in zip(powers, shares, strict=True)) / sum(powers)
    flat = slowest * sum(share * share for share in shares) / sum(shares)
    result.at_most(0, demand + (count - 1 - delays * less.lower[0]) * steep)
    result.at_least(0, demand + max(0.0, count - 1 - delays * less.upper[0]) * flat)
    return result


def _geometric(task: _Input) -> _Enclosed:
    """The queues of all stations but the slowest are bounded by geometric sums.

    With L(k) the demands, Lmax the largest, and b = Z + L + Lmax (N - 1) less the sum of (Lmax - L(k)) Q(k | N - 1):
    2 N / (b + sqrt(b^2 - 4 Z Lmax (N - 1))) below and 2 N / (b + sqrt(b^2 - 4 Z Lmax N)) above, which are N / b without
    think time; Q(k | n) from y + ... + y^n with y = n L(k) / (Z + L + n Lmax) below and y = L(k) x the proportional
    upper bound of the throughput with n customers above.
    """
    result = _asymptotic(task)
    count, delays, overall = task.population[0], task.delays[0], task.total(0)
    if not task.queues or count == 1:
        return result
    slowest = max(queue.demands[0] for queue in task.queues)
    others = [queue.demands[0] for queue in task.queues if queue.demands[0] < slowest]
    rest = count - 1
    fastest = _proportional(task.replace(population=(rest,))).upper[0]
    most = [_geometric_sum(demand * fastest, rest) for demand in others]
    least = [_geometric_sum(demand * rest / (delays + overall + slowest * rest), rest) for demand in others]
    result.at_most(0, _geometric_time(task, slowest, others, least, 0))
    result.at_least(0, _geometric_time(task, slowest, others, most, 1))
    return result


def _geometric_time(task: _Input, slowest: float, others: list[float], queues: list[float], more: int) -> float:
    """(b + sqrt(b^2 - 4 Z Lmax (N - 1 + more))) / 2 - Z, without the difference of numbers near Z."""
    count, delays = task.population[0], task.delays[0]
    gained = sum((slowest - demand) * queue for demand, queue in zip(others, queues, strict=True))
    spare = task.total(0) - gained - slowest * more
    time = task.total(0) + slowest * (count - 1) - gained
    square = (delays - time) ** 2 + 4.0 * delays * spare
    if time >= delays or square <= 0:
        return (time - delays + sqrt(max(0.0, square))) / 2.0
    return 2.0 * delays * spare / (delays - time + sqrt(square))


def _geometric_sum(ratio: float, count: int) -> float:
    """ratio + ratio^2 + ... + ratio^count."""
    if ratio >= 1.0:
        return float(count)
    if ratio <= 0.0:
        return 0.0
    return ratio * -expm1(count * log(ratio)) / (1.0 - ratio)


KINDS: dict[str, BoundKind] = {
    "asymptotic": BoundKind(_asymptotic, True, "any rates", True),
    "balanced": BoundKind(_balanced, True, "servers", True),
    "proportional": BoundKind(_proportional, False, "", True),
    "geometric": BoundKind(_geometric, False, "", True),
    "composite": BoundKind(_composite, True, "servers", True),
}
"""The bounds by name."""
