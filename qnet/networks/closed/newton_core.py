"""Core solutions of product-form networks by Newton's method: the fast strategy of `approximate_mva`.

Each method estimates the queue that a customer of class r observes on arrival at station k as

    queue on arrival(k, r) = weight x Q(k) - one_of_all(r) x Q(k, r) + shift(k, r)

Given throughputs, total queue lengths Q(k) and, for Rolia and Sevcik, the probability that all servers are busy, the
queue lengths by class follow in closed form. Newton works on the logarithms of throughputs and probabilities and on the
total queues, as if they were independent: in this form, that of interior points, saturation is no obstacle, and some
ten steps suffice at any population. Queues and probabilities are eliminated, which leaves as many unknowns as classes.
Every solution is proven by its residual.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from qnet import budget
from qnet.lazy import Array, Flags, Indices
from qnet.networks.closed.approximate_mva import TOLERANCE, FixedPoints
from qnet.networks.closed.approximate_servers import CorrectionSlopes, saturated
from qnet.queues.arithmetic import largest, summed
from qnet.record import Record

_STEPS = 250
"""Newton steps; any number above what converges: steps end earlier when the error stops falling."""
_ROUNDS = 300
"""Rounds of substitution after Newton's steps; any number above what converges."""
_ROUNDING = 1e-13
"""A relative imbalance of a queue that rounding explains: some hundred units in the last place."""
_ROUND, _CELL, _CUBE = 20 * budget.CALL, 2.5 * budget.STEP, 0.7
"""Operations of a Newton step: fixed; per class and station; per entry of a product of matrices."""
_LEAST_LEFT, _HALVINGS = 8.0, 12
"""For `_filling`: the least idle share of the first station to saturate, as a logarithm below that of one customer of
all; and how often its interval is halved."""
_UTILIZATION = 2e-15
"""How far rounding may put a utilization above 1."""
_WHAT = "the rounds of an approximation"


class Core(Record):
    """A batch of P fixed points with K queueing stations and R classes; zero demands and populations are allowed."""

    demands: Array
    """(P, K, R) seconds, >= 0."""
    population: Array
    """(P, R) customers, >= 0, not necessarily integers."""
    think_time: Array
    """(P, R) seconds outside the queueing stations, >= 0."""
    open_load: Array
    """(P, K) offered load of open classes, in erlangs, in [0, servers)."""
    weight: Array
    """(P,) in [0, 1]."""
    one_of_all: Array
    """(P, R) in [0, 1]."""
    absent: Array
    """(P, R) in [0, 1]: share of the load of its class that a customer does not observe on arrival."""
    shift: Array
    """(P, K, R) customers."""
    servers: Array
    """(K,) numbers of servers."""
    copies: Array
    """(K,) the number of identical stations that each represents."""
    correction: Callable[[Any, Any, Any, Any, Any, Any], CorrectionSlopes]
    """The effect of several servers: one of `approximate_servers`."""
    bends: bool
    """Whether the correction depends on the probability that all servers are busy."""

    def part(self, chosen: Any) -> Core:
        """Some of the fixed points."""
        names = ("demands", "population", "think_time", "open_load", "weight", "one_of_all", "absent", "shift")
        return self.replace(**{name: getattr(self, name)[chosen] for name in names})

    def summed(self, values: Array) -> Array:
        """(P, R) the sum of values (P, K, R) over all stations, counting identical ones."""
        return summed(self.copies[:, None] * values, 1)


class State(Record):
    """The unknowns."""

    level: Array
    """(P, R) logarithms of throughputs; 0 for classes without customers."""
    queue: Array
    """(P, K) total queue lengths."""
    busy: Array
    """(P, K) logarithms of the probabilities that all servers are busy."""

    def part(self, chosen: Any) -> State:
        """The unknowns of some points."""
        return State(self.level[chosen], self.queue[chosen], self.busy[chosen])


class NewtonPoint(Record):
    """The values that follow from the unknowns."""

    error: Array
    """(P,) largest imbalance, relative to the population or queue."""
    placed: Array
    """(P, R) customers in the network by Little's law."""
    queues: Array
    """(P, K, R)"""
    work: Array
    """(P, K): the part of each queue that does not depend on its length."""
    gap: Array
    """(P, K): queues of all classes less the total queue."""
    rise: Array
    """(P, K): the missing change of the logarithm of the probability that all servers are busy."""
    growth: Array
    """(P, K): its derivative by the load."""
    offered: Array
    share: Array
    """(P, K, R): derivative of the throughput through the station by its queue."""
    slopes: CorrectionSlopes

    def part(self, chosen: Any) -> NewtonPoint:
        """The values of some points."""
        slopes = CorrectionSlopes(*(value[chosen] for value in self.slopes))
        return NewtonPoint(*(value[chosen] for value in self[:-1]), slopes=slopes)  # pyright: ignore[reportCallIssue]


class CoreAnswer(FixedPoints):
    """The fixed points: every queue length is throughput x residence, and populations are kept."""

    queue_length: Array
    """(P, K, R) customers."""
    residual: Array
    """(P,) largest change by one further round, in units of the population of its class; infinite where it failed."""
    feasible: Flags
    """(P,) whether every residence is at least the demand and every utilization at most 1."""

    def part(self, chosen: Any) -> CoreAnswer:
        """The answer for some points."""
        return CoreAnswer(*(value[chosen] for value in self))

    @property
    def converged(self) -> Flags:
        """(P,) whether the residual is below 1e-10."""
        return self.residual <= TOLERANCE


def solve_core(core: Core, start: CoreAnswer | None = None) -> CoreAnswer:
    """The fixed points of a batch.

    Applies   every `Core`; classes with customers have some demand or think time.
    core      the batch.
    start     the answer of a nearby batch, to begin with; None: stations that fill evenly.
    Returns   `CoreAnswer`; the residual shows where it did not converge.
    Method    Newton for the logarithms of throughputs and the total queue lengths, the latter eliminated. Then
              successive substitution, which keeps full precision. The residual is the larger of its last change and the
              imbalance of a station.
    Fails     never raises; the caller checks `converged` and `feasible`.
    Source    @schweitzer1979 for the fixed point; its reduction and solution: this tool.
    """
    with np.errstate(all="ignore"):
        attempts = [*([_near(start)] if start is not None else []), _filling, _proportional, _grown]
        active = core.population > 0
        answer = _polished(core, active, _newton(core, active, attempts[0](core, active)))
        for begin in attempts[1:]:
            again = np.flatnonzero(~answer.converged)
            if not again.size:
                break
            part, some = core.part(again), active[again]
            repeated = _polished(part, some, _newton(part, some, begin(part, some)))
            for value, other in zip(answer, repeated, strict=True):
                value[again] = other
        return answer


def cost(stations: int, classes: int) -> float:
    """Operations of a step of Newton for one core."""
    return _CELL * stations * classes + _CUBE * float(classes) ** 2 * (stations + classes)


def _near(start: CoreAnswer) -> Callable[[Core, Flags], State]:
    """A start: the answer of a nearby batch."""

    def begin(core: Core, active: Flags) -> State:
        offered = core.demands * np.where(active, start.throughput, 0.0)[:, None, :]
        level = np.log(np.where(active, np.maximum(start.throughput, 1e-300), 1.0))
        return State(level, summed(start.queue_length), saturated(core.servers, core.open_load, offered)[0])

    return begin


def _grown(core: Core, active: Flags) -> State:
    """A start: the answer for one customer in all, then for eight times as many, and so on.

    In units of the population this follows the central path of interior points. It costs ten times as much as the other
    starts, and converges where they do not: with many classes whose populations differ by orders of magnitude.
    """
    total = np.maximum(summed(core.population), 1e-300)
    share = np.minimum(1.0 / total, 1.0)
    small = core.replace(population=core.population * share[:, None], shift=core.shift * share[:, None, None])
    state = _newton(small, active, _proportional(small, active))
    while (share < 1.0).any():
        share = np.minimum(8.0 * share, 1.0)
        small = core.replace(population=core.population * share[:, None], shift=core.shift * share[:, None, None])
        state = _newton(small, active, state)
    return state


def _filling(core: Core, active: Flags) -> State:
    """A start: the throughputs without waits, all scaled down by one share.

    Open stations with these loads hold all customers that do not think, by Sakasegawa's formula. The share is searched
    by the logarithm of the idle share of the first station to saturate, for full precision with many customers.
    """
    total = summed(core.population)
    cycle = core.think_time + core.summed(core.demands)
    quick = np.where(active, core.population / np.where(cycle > 0, cycle, 1.0), 0.0)
    offered = summed(core.demands * quick[:, None, :])
    load = offered / (core.servers - core.open_load)
    most = np.maximum(largest(load), 1.0)
    thinking = summed(quick * core.think_time)
    power = np.sqrt(2.0 * (core.servers + 1.0))
    spare = 1.0 - load / most[:, None]

    def filled(left: Array) -> tuple[Array, Array]:
        """The share of the throughputs, and the queues, at a logarithm of the idle share, below 0."""
        share = -np.expm1(left) / most
        used = share[:, None] * load
        idle = spare + load / most[:, None] * np.exp(left)[:, None]
        return share, share[:, None] * offered + used**power / np.maximum(idle, 1e-300)

    low: Array = -np.log(np.maximum(total, 1.0)) - _LEAST_LEFT
    high = np.zeros(total.shape)
    for _ in range(_HALVINGS):
        middle: Array = (low + high) / 2.0
        share, queue = filled(middle)
        over = share * thinking + summed(core.copies * queue) > total
        low, high = np.where(over, middle, low), np.where(over, high, middle)
    share, queue = filled(high)
    level = np.log(np.where(active, np.maximum(share[:, None] * quick, 1e-300), 1.0))
    busy = saturated(core.servers, core.open_load, core.demands * (share[:, None] * quick)[:, None, :])[0]
    return State(level, np.where(total[:, None] > 0, queue, 0.0), np.minimum(busy, 0.0))


def _proportional(core: Core, active: Flags) -> State:
    """A start: customers spread in proportion to their demands."""
    used = (core.demands > 0) & active[:, None, :]
    fast = np.where(used, core.demands / (core.servers - core.open_load)[..., None], 0.0)
    spread = fast / np.maximum(core.summed(fast)[:, None], 1e-300)
    queue = summed(spread * core.population[:, None, :])
    cycle = core.think_time + core.summed(core.demands) + core.summed(fast * queue[..., None])
    level = np.log(np.where(active, core.population / np.where(active, cycle, 1.0), 1.0))
    offered = core.demands * np.where(active, np.exp(level), 0.0)[:, None, :]
    busy = np.minimum(saturated(core.servers, core.open_load, offered)[0], 0.0)
    return State(level, queue, busy)


def _newton(core: Core, active: Flags, state: State) -> State:
    """Throughputs, total queue lengths and probabilities that keep the populations and are consistent."""
    level, queue, busy = state.level.copy(), state.queue.copy(), state.busy.copy()
    best = np.full(level.shape[0], np.inf)
    stuck = np.zeros(level.shape[0], dtype=int)
    live: Indices = np.arange(len(level))
    each = cost(*core.demands.shape[1:])
    for _ in range(_STEPS):
        budget.spend(_ROUND + each * len(live), _WHAT)
        part, some = core.part(live), active[live]
        level[live], point = _placing(part, some, State(level[live], queue[live], busy[live]))
        error = point.error
        stuck[live] = np.where(error < 0.5 * best[live], 0, stuck[live] + 1)
        best[live] = np.fmin(best[live], error)
        going = (error > 1e-14) & (stuck[live] < 4 + 30 * (error > 1e-6)) & np.isfinite(error)
        if not going.any():
            break
        if not going.all():
            live, part, some, point = live[going], part.part(going), some[going], point.part(going)
        step, change, rise = _step(part, some, point, queue[live])
        size = np.minimum(1.0, 3.0 / np.maximum(largest(np.abs(step)), 1e-300))
        fall = np.where(change < 0, 0.9 * queue[live] / np.maximum(-change, 1e-300), np.inf)
        soar = np.where(change > 0, 9.0 * (queue[live] + 1.0) / np.maximum(change, 1e-300), np.inf)
        size = np.minimum(size, np.minimum(fall, soar).min(-1, initial=1.0))[:, None]
        level[live] += size * step
        queue[live] += size * change
        if core.bends:
            busy[live] = np.minimum(busy[live] + size * rise, 0.0)
    return State(level, queue, busy)


def _placing(core: Core, active: Flags, state: State) -> tuple[Array, NewtonPoint]:
    """Throughputs that nearly keep the populations at given total queue lengths, and the values that follow."""
    point = point_at(core, active, state)
    for _ in range(2):
        ratio = np.where(active, core.population / np.where(active, point.placed, 1.0), 1.0)
        ratio = np.where(np.isfinite(ratio) & (ratio > 0), ratio, 1.0)
        if np.abs(ratio - 1.0).max(initial=0.0) < 1e-3:
            break
        state = state.replace(level=state.level + np.log(ratio))
        point = point_at(core, active, state)
    return state.level, point


def _step(core: Core, active: Flags, point: NewtonPoint, queue: Array) -> tuple[Array, Array, Array]:
    """Newton's step of the logarithms of throughputs, of the total queue lengths, and of the logarithms of
    probabilities."""
    slopes, share, offered = point.slopes, point.share, point.offered
    slope = slopes.slope[..., None]
    one_of_all, weight = core.one_of_all[:, None, :], core.weight[:, None]
    # At the solution queue x free = work. With work / queue in place of free this is Newton for 1 - load = work /
    # queue: if customers observed themselves too, the maximum of a concave function of the queues, without barriers.
    steady = (point.work > 0) & (queue > 0)
    load = summed(share * slope) * weight
    free: Array = np.where(steady, point.work / np.maximum(queue, 1e-300), np.maximum(1.0 - load, 1e-12))
    arriving = core.shift + (weight * queue)[..., None]
    stretch = slopes.extra + slope * arriving
    direct = share / (1.0 + slope * one_of_all * offered) * stretch
    direct = direct - share * slopes.extra_change * core.absent[:, None, :] * offered
    common: Array = share * slopes.extra_change
    moved: Any = 0.0
    if core.bends:
        bend = share * (
            slopes.extra_bend[..., None] + slopes.slope_bend[..., None] * (arriving - share * one_of_all * stretch)
        )
        common, moved = common + bend * point.growth[..., None], bend * point.rise[..., None]
    inner = direct + summed(common)[..., None] * offered
    # Identical stations have the same effect on the populations.
    outer = np.swapaxes(core.copies[:, None] * (share * (slope * weight[..., None])), 1, 2)
    common = core.copies[:, None] * common
    gap = point.gap + np.sum(moved, axis=-1)
    matrix: Array = np.swapaxes(common, 1, 2) @ offered + outer @ (inner / free[..., None])
    size: int = matrix.shape[-1]
    classes: Indices = np.arange(size)
    matrix[:, classes, classes] += point.placed - core.summed(point.queues) + core.summed(direct)
    wanted: Array = core.population - point.placed - (core.summed(moved) if core.bends else 0.0)
    wanted = wanted - (outer @ (gap / free)[..., None])[..., 0]
    count = np.where(active, core.population, 1.0)
    matrix = np.where(active[:, :, None] & active[:, None, :], matrix / count[..., None], 0.0)
    matrix[:, classes, classes] = np.where(active, matrix[:, classes, classes], 1.0)
    matrix = np.where(np.isfinite(matrix).all((1, 2), keepdims=True), matrix, np.eye(size))
    wanted = np.where(active & np.isfinite(wanted), wanted / count, 0.0)
    try:
        step: Any = np.linalg.solve(matrix, wanted[..., None])[..., 0]
    except np.linalg.LinAlgError:
        step = wanted * np.minimum(1.0, free.min(-1))[:, None]
    step = np.where(np.isfinite(step), step, 0.0)
    change = (gap + (inner @ step[..., None])[..., 0]) / free
    rise = point.rise + point.growth * (offered @ step[..., None])[..., 0]
    return step, np.where(np.isfinite(change), change, 0.0), np.where(np.isfinite(rise), rise, 0.0)


def _polished(core: Core, active: Flags, state: State) -> CoreAnswer:
    """Successive substitution from Newton's solution until a further round changes almost nothing.

    The probabilities that all servers are busy are kept; the imbalance includes their error.
    """
    point = point_at(core, active, state)
    throughput = np.where(active, np.exp(state.level), 0.0)
    guess = np.where(np.isfinite(point.queues) & (point.queues >= 0), point.queues, 0.0)
    count = np.where(active, core.population, 1.0)
    total = np.where(active & np.isfinite(point.placed) & (point.placed > 0), point.placed, count)
    queues = guess * (count / total)[:, None, :]
    residence = np.zeros(queues.shape)
    residual = np.full(queues.shape[0], np.inf)
    live: Indices = np.arange(len(queues))
    for turn in range(_ROUNDS):
        budget.spend((_ROUND + _CELL * residence[0].size * len(live)) / 4, _WHAT)
        part, some = core.part(live), active[live]
        new_throughput, new_residence = _round(part, some, throughput[live], queues[live], state.busy[live])
        new = new_residence * new_throughput[:, None, :]
        change = largest(largest(np.abs(new - queues[live]) / count[live][:, None, :]))
        moved = np.abs(new_throughput / np.where(some, throughput[live], 1.0) - 1.0) * some
        change = np.maximum(change, largest(moved))
        throughput[live], residence[live], queues[live] = new_throughput, new_residence, new
        residual[live] = np.where(np.isfinite(change), change, np.inf)
        enough = TOLERANCE if turn >= 10 else 0.01 * TOLERANCE
        live = live[(change > enough) & np.isfinite(change)]
        if not live.size:
            break
    residual = np.maximum(residual, _imbalance(core, active, throughput, summed(queues), state.busy))
    quickest = np.where((core.demands > 0) & active[:, None, :], core.demands, 0.0)
    load = (core.open_load + summed(core.demands * throughput[:, None, :])) / core.servers
    sound = (residence >= quickest * (1.0 - 1e-9)).all((1, 2)) & (load <= 1.0 + _UTILIZATION).all(-1)
    sound &= np.isfinite(throughput).all(-1) & (throughput >= 0).all(-1) & np.isfinite(residence).all((1, 2))
    return CoreAnswer(throughput, residence, queues, residual, sound)


def _imbalance(core: Core, active: Flags, throughput: Array, queue: Array, busy: Array) -> Array:
    """(P,) the largest relative error of queue = work + load x queue, in hundredths, beyond rounding.

    Where substitution contracts slowly, near saturation with large populations, a small change proves little; the
    balance of each station, relative to its small terms, does. Probabilities that all servers are busy are those of the
    throughputs.
    """
    rounding = np.full(queue.shape, _ROUNDING)
    if core.bends:
        busy = saturated(core.servers, core.open_load, core.demands * throughput[:, None, :])[0]
        rounding = rounding + 1e-15 * core.servers
    point = point_at(core, active, State(np.log(np.where(active, throughput, 1.0)), queue, busy))
    gap = np.abs(point.gap) - rounding * queue
    size = np.where(point.work > 0, point.work, np.maximum(queue, 1e-300))
    worst = largest(np.where(queue > 0, 0.01 * gap / size, 0.0))
    return np.where(np.isfinite(worst), worst, np.inf)


def _round(core: Core, active: Flags, throughput: Array, queues: Array, busy: Array) -> tuple[Array, Array]:
    """Throughputs and residences from given queue lengths: one round of successive substitution."""
    slopes = core.correction(
        core.servers, core.open_load, summed(core.population), core.demands * throughput[:, None, :], core.absent, busy
    )
    total = core.weight[:, None] * summed(queues)
    arriving = total[..., None] - core.one_of_all[:, None, :] * queues + core.shift
    residence = core.demands * (slopes.extra + slopes.slope[..., None] * arriving)
    cycle = core.think_time + core.summed(residence)
    return np.where(active, core.population / np.where(active, cycle, 1.0), 0.0), residence


def point_at(core: Core, active: Flags, state: State) -> NewtonPoint:
    """The values that follow from the unknowns."""
    throughput = np.where(active, np.exp(state.level), 0.0)
    offered = core.demands * throughput[:, None, :]
    slopes = core.correction(core.servers, core.open_load, summed(core.population), offered, core.absent, state.busy)
    slope = slopes.slope[..., None]
    share = offered / (1.0 + slope * core.one_of_all[:, None, :] * offered)
    alone = share * (slopes.extra + slope * core.shift)
    queues = alone + share * slope * (core.weight[:, None] * state.queue)[..., None]
    placed = throughput * core.think_time + core.summed(queues)
    gap = summed(queues) - state.queue
    rise = growth = np.zeros(gap.shape)
    if core.bends:
        wanted, growth = saturated(core.servers, core.open_load, offered)
        rise = wanted - state.busy
    error = largest(np.abs(np.where(active, core.population / np.where(active, placed, 1.0) - 1.0, 0.0)))
    error = np.maximum(error, largest(np.abs(gap) / np.where(gap == 0, 1.0, state.queue)))
    error = np.maximum(error, _chance_error(rise, state.busy))
    return NewtonPoint(
        error=error,
        placed=placed,
        queues=queues,
        work=summed(alone),
        gap=gap,
        rise=rise,
        growth=growth,
        offered=offered,
        share=share,
        slopes=slopes,
    )


def _chance_error(rise: Array, busy: Array) -> Array:
    """(P,) the largest error of a probability that all servers are busy."""
    return largest(np.abs(np.exp(np.minimum(busy + rise, 1.0)) - np.exp(busy)))
