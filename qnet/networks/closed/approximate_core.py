"""The fixed point that all approximations of closed networks share, solved by Newton's method in the throughputs.

Each method estimates the queue that a customer of class r finds on arrival at station k as

    seen(k, r) = weight x Q(k) - own(r) x Q(k, r) + shift(k, r)

Given throughputs X, the queue lengths follow in closed form, so that only R unknowns are left, whatever the number of
stations, and the populations are R equations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qnet.networks.closed.approximate_servers import Slopes, rolia_sevcik
from qnet.record import Record

_ROUNDS = 250
_POLISH = 300
_SUBSTITUTIONS = 3000
_DAMPING = 0.1
_ROUNDING = 1e-13
_TOLERANCE = 1e-10
"""Largest change of a queue length by one further round, in units of the population of its class."""


class Core(Record):
    """A batch of P fixed points with K queueing stations and R classes; zero demands and populations are allowed."""

    demands: Any
    """(P, K, R) seconds, >= 0."""
    population: Any
    """(P, R) customers, >= 0, not necessarily integers."""
    think_time: Any
    """(P, R) seconds outside the queueing stations, >= 0."""
    weight: Any
    """(P,) in [0, 1]."""
    own: Any
    """(P, R) in [0, 1]."""
    absent: Any
    """(P, R) in [0, 1]: share of the own load that a customer does not find on arrival."""
    shift: Any
    """(P, K, R) customers."""
    servers: Any
    """(K,) numbers of servers."""
    correction: Callable[[Any, Any, Any], Any]
    """The effect of several servers: one of `approximate_servers`."""

    def part(self, chosen: Any) -> Core:
        """The fixed points at some places of the batch."""
        return self.replace(
            demands=self.demands[chosen],
            population=self.population[chosen],
            think_time=self.think_time[chosen],
            weight=self.weight[chosen],
            own=self.own[chosen],
            absent=self.absent[chosen],
            shift=self.shift[chosen],
        )


class CoreAnswer(Record):
    """The fixed points: every queue length is throughput x residence, and every population is met."""

    throughput: Any
    """(P, R) customers per second."""
    residence: Any
    """(P, K, R) seconds."""
    queue_length: Any
    """(P, K, R) customers."""
    residual: Any
    """(P,) largest change by one further round, in units of the population of its class; infinite where it failed."""
    feasible: Any
    """(P,) whether every residence is at least the demand and every utilization at most 1."""

    @property
    def converged(self) -> Any:
        """(P,) whether the residual is below 1e-10."""
        return self.residual <= _TOLERANCE


class _Point(Record):
    """What follows from given throughputs and total queue lengths, which are two views of one thing at the solution."""

    error: Any
    """(P, R) population over customers placed, less 1."""
    miss: Any
    """(P, K) what the queues of all classes exceed the total queue by, relative to it."""
    offered: Any
    queue: Any
    """(P, K)"""
    queues: Any
    """(P, K, R)"""
    placed: Any
    """(P, R) customers that the throughputs keep in the network."""
    share: Any
    """(P, K, R): derivative of the throughput through the station by its own queue."""
    free: Any
    """(P, K) distance from saturation, positive inside the domain."""
    slopes: Any


def solve_core(core: Core, start: CoreAnswer | None = None) -> CoreAnswer:
    """The fixed points of a batch.

    Applies   every `Core`; classes with customers have some demand or think time.
    core      the batch.
    start     the answer of a batch nearly like it, to begin with; None: customers in proportion to their demands.
    Returns   `CoreAnswer`; where it did not converge, the residual says so.
    Method    Newton for the logarithms of throughputs and the total queue lengths, the latter eliminated, in a form
              that has no walls at saturation: about ten steps at any population. Then successive substitution, which
              keeps full precision. The residual is the larger of its last change and the imbalance of a station.
    Fails     never raises; the caller looks at `converged` and `feasible`.
    Source    Schweitzer, in Proc. Int. Conf. Stochastic Control and Optimization, Amsterdam, 1979, for the fixed point;
              its reduction and solution: this tool.
    """
    import numpy

    np: Any = numpy

    with np.errstate(all="ignore"):
        if start is None:
            return _from_afar(core)
        active = (core.population > 0) & (start.throughput > 0)
        level = np.log(np.where(active, start.throughput, 1.0))
        queue = start.queue_length.sum(-1)
        ready = (active == (core.population > 0)).all(-1) & (_free(core, active, level) > 0).all(-1)
        found = _polished(core, active, *_newton(core, active, level, queue))
        again = ~(ready & found.converged)
        if again.any():
            repeated = _from_afar(core.part(again))
            for value, other in zip(found, repeated, strict=True):
                value[again] = other
        return found


def _from_afar(core: Core) -> CoreAnswer:
    """The fixed points of a batch, from customers spread in proportion to their demands."""
    import numpy

    np: Any = numpy

    active = core.population > 0
    used = (core.demands > 0) & active[:, None, :]
    fast = np.where(used, core.demands / core.servers[:, None], 0.0)
    spread = fast / np.maximum(fast.sum(1, keepdims=True), 1e-300)
    queue = (spread * core.population[:, None, :]).sum(-1)
    waited = (fast * queue[..., None]).sum(1)
    walled = core.correction is rolia_sevcik
    if walled:
        waited = np.maximum(core.population.sum(-1, keepdims=True) - 1.0, 0.0) * fast.max(1, initial=0.0)
    whole = core.think_time + core.demands.sum(1) + waited
    level = np.log(np.where(active, core.population / np.where(active, whole, 1.0), 1.0))
    if walled:
        queue = _point(core, active, level, None).queue
    found = _polished(core, active, *_newton(core, active, level, queue))
    missing = np.flatnonzero(~found.converged & (core.shift == 0.0).all((1, 2)))
    if missing.size:
        slowly = _substituted(core.part(missing), active[missing], np.exp(level[missing]))
        for value, other in zip(found, slowly, strict=True):
            value[missing] = other
    return found


def _substituted(core: Core, active: Any, throughput: Any) -> CoreAnswer:
    """Damped successive substitution in place of Newton: slow, and at home where slopes bend sharply."""
    import numpy

    np: Any = numpy

    throughput = np.where(active, throughput, 0.0)
    queues = core.demands * throughput[:, None, :]
    for _ in range(_SUBSTITUTIONS):
        better, residence = _round(core, active, throughput, queues)
        throughput = throughput + _DAMPING * (better - throughput)
        queues = queues + _DAMPING * (residence * better[:, None, :] - queues)
    return _polished(core, active, throughput, queues.sum(-1), queues)


def _newton(core: Core, active: Any, level: Any, queue: Any) -> tuple[Any, Any]:
    """Throughputs and total queue lengths that place each population and fit each other."""
    import numpy

    np: Any = numpy

    level, queue = level.copy(), queue.copy()
    walled = core.correction is rolia_sevcik
    live = np.arange(level.shape[0])
    best = np.full(level.shape[0], np.inf)
    stuck = np.zeros(level.shape[0], dtype=int)
    for _ in range(_ROUNDS):
        here, some = core.part(live), active[live]
        if walled:
            point = _point(here, some, level[live], queue[live])
        else:
            level[live], point = _placing(here, some, level[live], queue[live])
        error = np.maximum(np.abs(point.error).max(-1, initial=0.0), np.abs(point.miss).max(-1, initial=0.0))
        stuck[live] = np.where(error < 0.5 * best[live], 0, stuck[live] + 1)
        best[live] = np.fmin(best[live], error)
        going = (error > 1e-14) & (stuck[live] < 4 + 30 * (error > 1e-6)) & np.isfinite(error)
        if not going.any():
            break
        if not going.all():
            live, here, some, point = live[going], here.part(going), some[going], _part(point, going)
        step, change = _step(here, some, point, walled)
        size = np.minimum(1.0, 3.0 / np.maximum(np.abs(step).max(-1), 1e-300))
        fall = np.where(change < 0, 0.9 * queue[live] / np.maximum(-change, 1e-300), np.inf)
        rise = np.where(change > 0, 9.0 * (queue[live] + 1.0) / np.maximum(change, 1e-300), np.inf)
        size = np.minimum(size, np.minimum(fall, rise).min(-1, initial=1.0))
        if walled:
            size = _before_walls(here, some, level[live], step, size, point.free)
        level[live] += size[:, None] * step
        queue[live] += size[:, None] * change
    return np.where(active, np.exp(level), 0.0), queue


def _before_walls(core: Core, active: Any, level: Any, step: Any, size: Any, free: Any) -> Any:
    """Steps shortened where slopes that bend sharply would be left behind: saturation is a wall for them."""
    import numpy

    np: Any = numpy

    size = size.copy()
    wrong = np.arange(level.shape[0])
    for _ in range(60):
        trial = _free(core.part(wrong), active[wrong], level[wrong] + size[wrong, None] * step[wrong])
        wrong = wrong[~(trial > 0.05 * free[wrong]).all(-1)]
        if not wrong.size:
            break
        size[wrong] *= 0.7
    return size


def _placing(core: Core, active: Any, level: Any, queue: Any) -> tuple[Any, _Point]:
    """Throughputs that place the populations at given total queue lengths, nearly, and what follows from them."""
    import numpy

    np: Any = numpy

    point = _point(core, active, level, queue)
    for _ in range(2):
        off = np.where(np.isfinite(point.error) & (point.error > -1.0), point.error, 0.0)
        if np.abs(off).max(initial=0.0) < 1e-3:
            break
        level = level + np.log1p(off)
        point = _point(core, active, level, queue)
    return level, point


def _part(point: _Point, chosen: Any) -> _Point:
    return _Point(*(value[chosen] for value in point[:-1]), slopes=Slopes(*(value[chosen] for value in point.slopes)))  # pyright: ignore[reportCallIssue]


def _free(core: Core, active: Any, level: Any) -> Any:
    """(P, K): how far each station is from saturation."""
    import numpy

    np: Any = numpy

    offered = core.demands * np.where(active, np.exp(level), 0.0)[:, None, :]
    slope = core.correction(core.servers, offered, core.absent).slope
    share = offered / (1.0 + slope[..., None] * core.own[:, None, :] * offered)
    return 1.0 - core.weight[:, None] * slope * share.sum(-1)


def _point(core: Core, active: Any, level: Any, queue: Any) -> _Point:
    """What follows from logarithms of throughputs and total queue lengths; the queues that fit where None are given."""
    import numpy

    np: Any = numpy

    throughput = np.where(active, np.exp(level), 0.0)
    offered = core.demands * throughput[:, None, :]
    slopes = core.correction(core.servers, offered, core.absent)
    slope = slopes.slope[..., None]
    share = offered / (1.0 + slope * core.own[:, None, :] * offered)
    weighted = core.weight[:, None] * slopes.slope
    free = 1.0 - weighted * share.sum(-1)
    alone = slopes.extra + slope * core.shift
    if queue is None:
        queue = (share * alone).sum(-1) / free
    queues = share * (alone + (weighted * queue)[..., None])
    placed = throughput * core.think_time + queues.sum(1)
    error = np.where(active, core.population / np.where(active, placed, 1.0) - 1.0, 0.0)
    miss = np.where(queue > 0, (queues.sum(-1) - queue) / np.maximum(queue, 1e-300), 0.0)
    return _Point(error, miss, offered, queue, queues, placed, share, free, slopes)


def _work(core: Core, point: _Point) -> Any:
    """(P, K): the part of each queue that its own length does not add to."""
    slopes = point.slopes
    return (point.share * (slopes.extra + slopes.slope[..., None] * core.shift)).sum(-1)


def _step(core: Core, active: Any, point: _Point, walled: bool) -> tuple[Any, Any]:
    """Newton's step of the logarithms of throughputs and of the total queue lengths."""
    import numpy

    np: Any = numpy

    slopes, share, offered = point.slopes, point.share, point.offered
    slope, bend = slopes.slope[..., None], slopes.slope_change[..., None]
    own, weight = core.own[:, None, :], core.weight[:, None]
    # At the solution queue x free = work. With work / queue in place of free this is Newton for 1 - load = work / queue:
    # where no own share is deducted, the maximum of a concave function of the queues, which has no walls to run into.
    work = _work(core, point)
    free = np.where(
        (work > 0) & (point.queue > 0), work / np.maximum(point.queue, 1e-300), np.maximum(point.free, 1e-12)
    )
    found = core.shift + (weight * point.queue)[..., None]
    seen = slopes.extra + slope * found
    direct = (
        share / (1.0 + slope * own * offered) * seen - share * slopes.extra_change * core.absent[:, None, :] * offered
    )
    common = share * (slopes.extra_change + bend * (found - share * own * seen))
    inner = direct + common.sum(-1)[..., None] * offered
    outer = np.swapaxes(share * (slope * weight[..., None]), 1, 2)
    gap = point.queues.sum(-1) - point.queue
    matrix = np.swapaxes(common, 1, 2) @ offered + outer @ (inner / free[..., None])
    classes = np.arange(matrix.shape[-1])
    matrix[:, classes, classes] += point.placed - point.queues.sum(1) + direct.sum(1)
    wanted = core.population - point.placed - (outer @ (gap / free)[..., None])[..., 0]
    count = np.where(active, core.population, 1.0)
    matrix = np.where(active[:, :, None] & active[:, None, :], matrix / count[..., None], 0.0)
    matrix[:, classes, classes] = np.where(active, matrix[:, classes, classes], 1.0)
    matrix = np.where(np.isfinite(matrix).all((1, 2), keepdims=True), matrix, np.eye(len(classes)))
    wanted = np.where(active & np.isfinite(wanted), wanted / count, 0.0)
    try:
        step: Any = np.linalg.solve(matrix, wanted[..., None])[..., 0]
    except np.linalg.LinAlgError:
        step = wanted * np.minimum(1.0, free.min(-1))[:, None]
    step = np.where(np.isfinite(step), step, 0.0)
    change = (gap + (inner @ step[..., None])[..., 0]) / free
    return step, np.where(np.isfinite(change), change, 0.0)


def _polished(core: Core, active: Any, throughput: Any, queue: Any, given: Any = None) -> CoreAnswer:
    """Successive substitution from given throughputs and total queues until a further round changes next to nothing."""
    import numpy

    np: Any = numpy

    point = _point(core, active, np.log(np.where(active, throughput, 1.0)), queue)
    guess = np.where(np.isfinite(point.queues) & (point.queues >= 0), point.queues, 0.0)
    count = np.where(active, core.population, 1.0)
    total = np.where(active, point.placed, 1.0)
    queues = guess * np.where(np.isfinite(total) & (total > 0), count / np.maximum(total, 1e-300), 1.0)[:, None, :]
    if given is not None:
        queues = given.copy()
    residence = np.zeros(queues.shape)
    residual = np.full(queues.shape[0], np.inf)
    live = np.arange(queues.shape[0])
    throughput = throughput.copy()
    for turn in range(_POLISH):
        here, some = core.part(live), active[live]
        new_throughput, new_residence = _round(here, some, throughput[live], queues[live])
        new = new_residence * new_throughput[:, None, :]
        change = (np.abs(new - queues[live]) / count[live][:, None, :]).max((1, 2), initial=0.0)
        moved = np.abs(new_throughput / np.where(some, throughput[live], 1.0) - 1.0) * some
        change = np.maximum(change, moved.max(-1, initial=0.0))
        throughput[live], residence[live], queues[live] = new_throughput, new_residence, new
        residual[live] = np.where(np.isfinite(change), change, np.inf)
        enough = _TOLERANCE if turn >= 10 else 0.01 * _TOLERANCE
        live = live[(change > enough) & np.isfinite(change)]
        if not live.size:
            break
    residual = np.maximum(residual, _imbalance(core, active, throughput, queues.sum(-1)))
    quickest = np.where((core.demands > 0) & active[:, None, :], core.demands, 0.0)
    load = (core.demands * throughput[:, None, :]).sum(-1) / core.servers
    sound = (residence >= quickest * (1.0 - 1e-9)).all((1, 2)) & (load <= 1.0 + 1e-9).all(-1)
    sound &= np.isfinite(throughput).all(-1) & (throughput >= 0).all(-1) & np.isfinite(residence).all((1, 2))
    return CoreAnswer(throughput, residence, queues, residual, sound)


def _imbalance(core: Core, active: Any, throughput: Any, queue: Any) -> Any:
    """(P,) the largest relative error of queue = work + load x queue, in hundredths, beyond what rounding explains.

    Where substitution contracts slowly, near saturation with large populations, a small change proves little; the
    balance of each station, relative to its small terms, does.
    """
    import numpy

    np: Any = numpy

    point = _point(core, active, np.log(np.where(active, throughput, 1.0)), queue)
    work = _work(core, point)
    gap = np.abs(point.queues.sum(-1) - queue) - _ROUNDING * queue
    size = np.where(work > 0, work, np.maximum(queue, 1e-300))
    worst = np.where(queue > 0, 0.01 * gap / size, 0.0).max(-1, initial=0.0)
    return np.where(np.isfinite(worst), worst, np.inf)


def _round(core: Core, active: Any, throughput: Any, queues: Any) -> tuple[Any, Any]:
    """Throughputs and residences from given queue lengths: one round of successive substitution."""
    import numpy

    np: Any = numpy

    slopes = core.correction(core.servers, core.demands * throughput[:, None, :], core.absent)
    total = core.weight[:, None] * queues.sum(-1)
    seen = total[..., None] - core.own[:, None, :] * queues + core.shift
    residence = core.demands * (slopes.extra + slopes.slope[..., None] * seen)
    whole = core.think_time + residence.sum(1)
    return np.where(active, core.population / np.where(active, whole, 1.0), 0.0), residence
