"""Percentiles of response: the times at the stations of a route as independent ones, mixed over routes."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Value, arrays
from qnet.lazy import Array, Flags, lazy
from qnet.networks.duration import Duration, Wait
from qnet.networks.exactness import AGGREGATED, LAYERS, PRIORITY
from qnet.networks.parallel.branches import join_time
from qnet.networks.percentiles import limited
from qnet.networks.percentiles.limited import stations_inside
from qnet.networks.percentiles.returns import dependence
from qnet.networks.percentiles.visits import routes_as_made
from qnet.networks.percentiles.wait_variances import shared_variance, with_variances
from qnet.networks.routed import ClosedClass, OpenClass, Step
from qnet.networks.solution import Passages, RoutedSolution
from qnet.networks.streams import RouteTime
from qnet.networks.wanted import Wanted
from qnet.queues.arithmetic import total
from qnet.queues.balanced_means import shares
from qnet.queues.roots import root
from qnet.record import Record

if TYPE_CHECKING:
    import statistics
else:
    statistics = lazy("statistics")

REASON = "percentiles of response assume independent times at the stations of a route, each with its mean and variance"
_TERMS, _AVERAGED, _SPREAD = 60, 12, 18.4
"""For EULER (@abate1995): terms, averaged partial sums, and A, for a discretization error of e^-18.4 = 1e-8."""
_AROUND = (0.25, 0.5, 0.75, 0.9, 0.97, 1.03, 1.1, 1.3, 2.0)
"""Times around an estimate of the percentile that are evaluated first."""
_SHORTEST = 1e-15
"""The least time that is evaluated, as a share of the mean: shorter times count as 0."""
_SMOOTH = 0.02
"""Squared coefficient of variation of a stage below which the distribution may be too steep to be inverted without
oscillation."""
_ROUNDS, _APART, _NOTHING = 4, 1e-3, 1e-7
"""Newton steps; and, relative to the time, the distance of the points of a slope, and the step that ends them."""
_FEW = 2000.0
"""One over the scv of a response above which it is approximated by the cube of a normal variable."""


class Stage(Record):
    """One of the independent times that make a response.

    It is a gamma time, a hyperexponential one, or the sum of independent waits, each of which is zero with some
    probability, else exponential or gamma.
    """

    mean: Any
    """Seconds."""
    variance: Any
    """Square seconds."""
    waits: Any = 0.0
    """The number of waits; 0 for a gamma time."""
    scv: Any = 1.0
    """Of a wait that is not zero: 1 for exponential, less for gamma."""
    least: Any = 0.0
    """The least number of seconds: a constant service time, whatever the wait."""
    mixed: Any = False
    """Whether it is hyperexponential, of two phases with balanced means, in place of gamma; with an scv above 1."""


class MixtureRoute(Record):
    """One route of a mixture: its weight, and the times on it."""

    weight: Any
    stages: tuple[Stage, ...]


def response_percentile(solution: RoutedSolution, share: float, about: str = "") -> Value:
    """The time within which a share of all passages is answered, per point.

    solution  with the mean and the variance of the time at every station, in seconds.
    share     in (0, 1).
    about     a class or a route; empty for the system.
    Returns   seconds; meaningless where there is no steady state.
    Raises    `NotComputed` QN516 where the method gives no second moments.
    Method    Times at the stations of a route are independent, each a gamma time with the mean and variance that the
              solver computes. In open networks an exponential service and the wait for it are separate times, the wait
              being zero or exponential: exact where no customer is overtaken (tandem queues: @reich1957; Burke, Oper.
              Res. 12 (1964) 620-622; Ann. Math. Stat. 39 (1968) 1144-1152). So are a hyperexponential service at
              several servers, which few wait for, and the wait for it. A customer of a closed class finds what
              outside observers see with one customer less (@lavenberg1980; @sevcik1981). The transform of the mixture
              over routes is inverted by the algorithm EULER (@abate1995); a step that is made n times or once more
              makes two routes; passages that wait for admission to a subnetwork with a limit are taken apart from those
              that do not (`limited`). Random routing of a chain adds to the variance of its passages.
              Visits of an open class to one station depend on each other (`returns`). A delay whose scv is above 1 is
              hyperexponential, as in all models.
    Limits    Random feedback and overtaking make the times dependent, and a customer of a closed class at one station
              is at no other. `trust` decides where it is exact, and where it is beyond what was measured.
    """
    passages = solution.passages
    means_only = (LAYERS, PRIORITY) if passages and passages.limited else (LAYERS, PRIORITY, AGGREGATED)
    if passages is None or solution.method in means_only:
        result = f"percentiles need the variances of waits, and {solution.method} gives only their means"
        raise NotComputed(Problem("QN516", result, "means, such as response"))
    wanted = list(_ways(passages, about))
    idle = sum(rate for rate, _, _ in wanted) == 0
    # Without any passages, routes count by their probabilities.
    parts = [MixtureRoute(np.atleast_1d(rate + idle * probability), stages) for rate, probability, stages in wanted]
    result = mixture_percentile(parts, share)
    return float(result[0]) if isinstance(solution.throughput, float) and result.size == 1 else result


def _ways(passages: Passages, about: str) -> Iterator[tuple[Value, Value, tuple[Stage, ...]]]:
    """Passages per second, probability and stages of each route with the name `about`, or of a class with it.

    The routes of a chain are parts of one passage. An empty name selects all routes.
    """
    if passages.wanted is not None and (refusal := _unknown_variance(passages)):
        raise NotComputed(Problem("QN553", f"percentiles where {refusal}", "means, or open classes"))
    waits = _with_variances(passages, passages.wanted) if passages.wanted is not None else _shared(passages)
    admitted = limited.Admitted(passages, waits) if passages.limited else None
    made = routes_as_made(passages)
    for number, customers in enumerate(passages.network.classes):
        routes = [(route, steps) for route, steps in made if route.class_index == number]
        rate = passages.throughputs[number] * (passages.copies[number] if passages.copies else 1)
        if customers.chain:
            if about in ("", customers.name):
                mixed = admitted.waits if admitted else waits
                yield rate, 1.0, _of_chain(customers, [route for route, _ in routes], mixed, passages)
            continue
        for route, steps in routes:
            if about not in ("", customers.name, route.route):
                continue
            ways = admitted.ways(route) if admitted else [(1.0, waits, frozenset[int]())]
            for share, way, never_zero in ways:
                probability = route.probability * share
                yield rate * probability, probability, tuple(_stages(route, way, passages, steps, never_zero))


def _with_variances(passages: Passages, wanted: Wanted) -> Sequence[Wait]:
    """The waits of a network with closed classes, with their variances."""

    def compute() -> Sequence[Wait]:
        return with_variances(passages.network, passages.compiled, passages.waits, passages.throughputs, wanted)

    return passages.variances.known(passages, compute) if passages.variances else compute()


def _shared(passages: Passages) -> list[Wait]:
    """The waits of an open network, with the variances of processor sharing where service is shared."""
    sharing = {station.name for station in passages.network.stations if station.discipline == "ps"}
    result: list[Wait] = []
    for stream, wait in zip(passages.compiled.streams, passages.waits, strict=True):
        if stream.station in sharing:
            service = stream.holding.mean_with(passages.waits)
            overall = wait.mean + service
            load = wait.mean / (overall + (overall == 0))
            wait = wait.replace(variance=shared_variance(wait.mean, service, np.maximum(load, 0.0)))
        result.append(wait)
    return result


def _of_chain(
    customers: OpenClass | ClosedClass, routes: Sequence[RouteTime], waits: Sequence[Wait], passages: Passages
) -> tuple[Stage, ...]:
    """The stages of a chain, with the variance that random routing adds, where the routing is known."""
    if not customers.onward:
        return tuple(stage for route in routes for stage in _stages(route, waits, passages))
    parts = [(key[0], part.replace(fractions=())) for route in routes for key, part in route.parts.items()]
    spent: dict[str, Value] = {}
    for name, part in parts:
        spent[name] = spent.get(name, 0.0) + part.mean_with(waits)
    stages = [(part.mean_with(waits), part.variance_with(waits)) for _, part in parts]
    alone = total(variance for _, variance in stages)
    more = 1 + routing_variance(customers.onward, spent) / (alone + (alone == 0))
    return tuple(Stage(mean, variance * more) for mean, variance in stages)


def _unknown_variance(passages: Passages) -> str:
    """Why second moments are not known with closed classes; empty where they are."""
    if any(route.forks for route in passages.compiled.routes):
        return "closed classes and parallel steps are together"
    left = any(stream.left for stream in passages.compiled.streams)
    return "there are closed classes and second phases" if left else ""


def _stages(
    route: RouteTime,
    waits: Sequence[Wait],
    passages: Passages,
    steps: Sequence[Step] = (),
    never_zero: Container[int] = (),
) -> Iterator[Stage]:
    """The times on a route; in open networks exponential services and the waits for them are separate stages.

    steps       those of the route; without any, times of several visits to a station are independent.
    never_zero  the streams whose waits are, if they vary more than exponential times, hyperexponential.
    """
    network = passages.network
    delays = {"", *(station.name for station in network.stations if station.delay)}
    again = {} if network.closed else dependence(network, passages.compiled, waits, route, steps)
    lines = {station.name for station in network.stations if station.in_line and not network.closed}
    lines -= stations_inside(passages)
    rates = {station.name for station in network.stations if station.rates is not None}
    many = {station.name for station in network.stations if station.servers > 1 and station.discipline == "fcfs"}
    for (station, group), part in route.parts.items():
        mean = part.mean_with(waits)
        variance: Any = part.variance_with(waits)
        fixed = not (station in rates or network.profiles or part.fractions)
        least = np.where(part.variance <= 1e-12 * part.mean**2, part.mean, 0.0) if fixed else 0.0
        if station in delays:
            # The wait for places of a buffer is no time that varies, but one that few passages have.
            varies = variance > (1 + 1e-9) * mean**2
            yield Stage(mean, variance, least=least, mixed=False if network.buffers else varies)
            continue
        more: Any = again.get((station, group), 0.0)
        variance = variance + more
        apart: Any = abs(part.variance - part.mean**2) <= 1e-12 * part.mean**2
        if station in rates:
            variance = _of_rates(part, mean, variance, apart)
            apart = apart & (mean >= part.mean)
        if station not in lines or part.fractions:
            yield Stage(mean, variance, least=least)
            continue
        # A wait in few passages does not blur the shape of a service that varies much.
        once: Any = total(part.waits.values()) == 1
        mixed: Any = once & (part.variance > (1 + 1e-9) * part.mean**2) & (station in many and station not in rates)
        # Visits to one station that depend on each other make one time.
        apart, mixed = (apart | (least > 0) | mixed) & (more == 0), mixed & (more == 0)
        yield Stage(
            np.where(apart, part.mean, mean), np.where(apart, part.variance, variance), least=least, mixed=mixed
        )
        for stream, count in part.waits.items():
            if stream in never_zero:
                wait = waits[stream]
                yield Stage(apart * wait.mean, apart * wait.variance, mixed=wait.variance > (1 + 1e-9) * wait.mean**2)
                continue
            scv: Any = np.where(least > 0, _scv_of_waits(passages, stream), 1.0)
            yield Stage(apart * count * waits[stream].mean, apart * count * waits[stream].variance, count, scv)
    operations = FLOATS if passages.network.size is None else arrays()
    for fork in route.forks:
        overall = join_time(fork, waits, passages.identical, operations)
        yield Stage(fork.count * overall.mean, fork.count * overall.variance)


def _scv_of_waits(passages: Passages, stream: int) -> Value:
    """The scv of the wait for a constant service, of those that wait.

    stream   the request.
    Method   That of M/D/1, (1 + 2 load) / 3: uniform at low loads, exponential at high ones. Of c servers the first of
             c uniform times, whose scv is c / (c + 2), in place of one.
    """
    here = passages.compiled.streams[stream]
    (station,) = (item for item in passages.network.stations if item.name == here.station)
    if station.discipline != "fcfs":
        return 1.0
    same = (item for item in passages.compiled.streams if (item.station, item.group) == (here.station, here.group))
    load = total(item.rate * (item.first.mean + item.second.mean) for item in same) / station.servers
    return (station.servers + 2 * np.minimum(load, 1.0)) / (station.servers + 2)


def _of_rates(part: Duration, mean: Value, variance: Any, exponential: Any) -> Any:
    """The variance of a time at changing rates, which takes less than the service where the rate is above 1.

    The wait is negative then, and its variance what exponential services vary less for it: others vary as they do.
    """
    ratio: Any = mean / np.where(part.mean > 0, part.mean, 1.0)
    shorter: Any = np.logical_not(exponential) & (ratio < 1)
    return np.maximum(variance, ratio**2 * part.variance * shorter)


def mixture_percentile(parts: Sequence[MixtureRoute], share: float) -> Any:
    """The percentile of a mixture of sums of independent stages in seconds, elementwise over points.

    parts  the routes of the mixture.
    share  in (0, 1).
    """
    shape = np.broadcast_shapes(
        *(np.shape(part.weight) for part in parts),
        *(np.shape(item) for part in parts for stage in part.stages for item in stage),
    )
    weights = np.array([np.broadcast_to(part.weight, shape) for part in parts], dtype=float)
    weights = weights / np.where(weights.sum(axis=0) > 0, weights.sum(axis=0), 1.0)
    kept = [[Stage(*(np.broadcast_to(item, shape) for item in stage)) for stage in part.stages] for part in parts]
    distribution = _Distribution(weights, kept)
    # The least constant time of all routes is added again at the end: the rest may be much shorter.
    sooner = np.where(weights > 0, distribution.certain, np.inf).min(axis=0)
    sooner = np.where(np.isfinite(sooner), sooner, 0.0)
    distribution.certain = distribution.certain - sooner
    means = np.array([sum((stage.mean for stage in stages), np.zeros(shape)) for stages in kept]) - sooner
    variances = np.array([sum((stage.variance for stage in stages), np.zeros(shape)) for stages in kept])
    mean = (weights * means).sum(axis=0)
    square = (weights * (variances + (means - mean) ** 2)).sum(axis=0)
    known = np.isfinite(mean) & np.isfinite(square)
    steady = known & (mean > 1e-12 * sooner)
    mean, square = np.where(steady, mean, 1.0), np.where(steady, square, 1.0)
    constant = square <= mean**2 / _FEW
    top = mean + np.sqrt(square * share / (1 - share))  # Cantelli's inequality
    low, high = np.full(shape, 0.0) + mean * _SHORTEST, top * (1 + 1e-9)

    def below(time: Any) -> Any:
        """The probability of an answer within a time, less the share."""
        with np.errstate(all="ignore"):
            value = distribution(time) - share
        return np.where(steady & ~constant, value, -1.0)

    # With little variation the cube root of a gamma time is nearly normal (@wilson1931).
    ratio = square / (9 * mean**2)
    about = mean * (1 - ratio + _normal(share) * np.sqrt(ratio)) ** 3
    result = low
    if not constant.all():
        # Other percentiles are mostly near that estimate, so that a few times around it leave a narrow bracket.
        around = np.clip(np.multiply.outer(_AROUND if distribution.smooth else (), about), low, high)
        times: Array = np.concatenate((low[None], around, high[None]))
        values: Array = np.concatenate((below(times[:-1]), np.ones((1, *shape))))
        first = np.maximum((values >= 0).argmax(axis=0), 1)[None]
        ends = [np.take_along_axis(table, at, 0)[0] for table in (times, values) for at in (first - 1, first)]
        result = root(below, ends[0], ends[1], np.minimum(ends[2], -1e-300), ends[3], arrays())
        if distribution.smooth:
            result = _sharpened(distribution, share, result)
        result = np.where(values[0] >= 0, 0.0, result)
    result = np.where(constant, about, result)
    least = np.array([sum((stage.least for stage in stages), np.zeros(shape)) for stages in kept])
    return np.maximum(np.where(known & ~steady, sooner, sooner + result), _least(weights, least, share))


def _least(weights: Array, least: Array, share: float) -> Any:
    """The percentile of the least times of some routes, which gamma times can fall below: by route and point."""
    if not least.any():
        return 0.0
    order = least.argsort(axis=0)
    times, sums = np.take_along_axis(least, order, 0), np.take_along_axis(weights, order, 0).cumsum(axis=0)
    first = (sums >= share - 1e-12).argmax(axis=0)[None]
    return np.take_along_axis(times, first, 0)[0]


def _sharpened(distribution: _Distribution, share: float, times: Any) -> Any:
    """Percentiles without the error of discretization, by Newton steps.

    distribution  as EULER inverts it.
    share         in (0, 1).
    times         the percentiles of that.
    """
    moved: Any = np.ones(np.shape(times))
    off: Any = 0.0
    with np.errstate(all="ignore"):
        for _ in range(_ROUNDS):
            slope = (distribution((1 + _APART) * times) - distribution((1 - _APART) * times)) / (2 * _APART)
            step = (off + distribution.excess(times)) / slope
            moved = np.where((abs(moved) > _NOTHING) & (abs(step) < 0.9), step, 0.0)
            if not moved.any():
                break
            times = times * (1 - moved)
            off = distribution(times) - share
    return times


def _normal(share: float) -> float:
    return statistics.NormalDist().inv_cdf(share)


class _Distribution:
    """The probability of an answer within a time, by the transform of each route of the mixture.

    The complementary distribution is inverted, which falls smoothly to 0. Constant times are no part of a transform:
    they shift the sum of the others.
    """

    def __init__(self, weights: Array, routes: Sequence[Sequence[Stage]]) -> None:
        self.weights = weights
        every = [[_Transform(stage) for stage in stages] for stages in routes]
        self.certain: Array = np.array(
            [sum((np.where(stage.certain, stage.mean, 0.0) for stage in stages), 0 * weights[0]) for stages in every]
        )
        """By route, the sum of its constant times."""
        self.routes = [[stage for stage in stages if not stage.certain.all()] for stages in every]
        self.smooth = all(
            (stage.certain | (stage.spread >= _SMOOTH * stage.mean)).all() for stages in self.routes for stage in stages
        )
        order = np.arange(_TERMS + _AVERAGED + 1)
        more = [comb(_AVERAGED, number) / 2.0**_AVERAGED for number in range(_AVERAGED + 1)]
        # Each of the last terms counts with the weight of the partial sums that contain it.
        counted = np.concatenate((np.ones(_TERMS), np.cumsum(more[::-1])[::-1]))
        self.signs = np.where(order % 2 == 0, 1.0, -1.0) * counted
        self.signs[0] /= 2
        self.order = _SPREAD + 2j * np.pi * order

    def __call__(self, time: Any) -> Any:
        """The probabilities of times, elementwise over points."""
        return 1 - self._later(time, 1.0, 1.0)

    def excess(self, time: Any) -> Any:
        """The error of the probabilities, which are too small: e^-A times those of 3 times as long (@abate1995)."""
        return np.exp(-_SPREAD) * self._later(time, 3.0, 0.0)

    def _later(self, time: Any, times: float, unbegun: float) -> Any:
        """The probability of an answer after a time.

        times    a factor of the time that is left after constant times.
        unbegun  the probability for a route whose constant times take longer.
        """
        later: Any = 0.0
        for weight, stages, certain in zip(self.weights, self.routes, self.certain, strict=True):
            rest = time - certain
            slower = self._slower(stages, times * np.where(rest > 0, rest, 1.0)) if stages else 0.0
            later = later + weight * np.where(rest > 0, slower, unbegun)
        return later

    def _slower(self, stages: Sequence[_Transform], time: Any) -> Any:
        """The probability that the stages of a route take longer than a time above 0."""
        index: Any = np.multiply.outer(self.order, 1 / (2 * time))
        logarithm: Any = 0.0
        product: Any = 1.0
        for stage in stages:
            if stage.simple:
                product = product * stage.factor(index)
            else:
                logarithm = logarithm + stage.logarithm(index)
        values = np.real((1 - product * np.exp(logarithm)) / index)
        return np.exp(_SPREAD / 2) / time * np.tensordot(self.signs, values, 1)


class _Transform:
    """The transform of a stage.

    For a wait that is zero or exponential it is (1 + b s) / (1 + a s), with mean a - b and variance a^2 - b^2. No such
    wait is less variable than exponential: those that are count as gamma times. A wait that is zero or gamma is zero
    with the same probability, and has the same mean where it is not.
    """

    def __init__(self, stage: Stage) -> None:
        mean: Array = stage.mean
        waits: Array = stage.waits
        spread: Array = stage.variance / np.where(mean > 0, mean, 1.0)
        each: Array = mean / np.where(waits > 0, waits, 1.0)
        self.mean, self.waits, self.spread = mean, waits, spread
        self.known: Array = np.where(spread > 0, spread, 1.0)
        self.shape: Array = np.where(mean > 0, mean, 0.0) / self.known
        self.certain: Flags = ~(spread > 1e-9 * mean)
        self.apart: Flags = (waits > 0) & (mean > 0) & (spread >= each)
        self.low: Array = np.where(self.apart, spread - each, 0.0) / 2
        self.high: Array = (spread + each) / 2
        self.scv: Array = np.where(self.apart, stage.scv, 1.0)
        self.mixed: Flags = np.asarray(stage.mixed, dtype=bool) & ~self.certain
        self.exponential = not self.apart.any() and bool((~self.certain & (self.shape == 1)).all())
        self.simple = self.exponential or bool((self.apart & (waits == 1) & (self.scv == 1)).all())
        """Whether it is a rational function at all points, computed without logarithms."""

    def factor(self, index: Any) -> Any:
        """The transform if it is `simple`."""
        return 1 / (1 + index * self.known) if self.exponential else (1 + index * self.low) / (1 + index * self.high)

    def logarithm(self, index: Any) -> Any:
        """The logarithm of the transform."""
        if self.apart.all():
            return self.of_waits(index)
        result: Array = -self.shape * np.log1p(index * self.known)
        if self.mixed.any():
            result = np.where(self.mixed, self.of_phases(index), result)
        if self.certain.any():
            result = np.where(self.certain, 0.0, result)
        return np.where(self.apart, self.of_waits(index), result) if self.apart.any() else result

    def of_phases(self, index: Any) -> Any:
        """The logarithm of the transform of a time that is mixed of two exponential ones, of equal means together."""
        scv = np.where(self.mixed, 1 / np.where(self.shape > 0, self.shape, 1.0), 1.0)
        phases = (share / (1 + index * self.mean / (2 * share)) for share in shares(scv, arrays()))
        return np.log(sum(phases))

    def of_waits(self, index: Any) -> Any:
        """The logarithm of the transform of waits that are zero, or else exponential or gamma."""
        result: Array = np.log1p(index * self.low) - np.log1p(index * self.high)
        if (self.scv != 1).any():
            # With the mean a - b and the probability p = 1 - b / a of a wait, the wait of those that wait is a.
            some = 1 - self.low / np.where(self.high > 0, self.high, 1.0)
            waited = np.expm1(-np.log1p(index * self.high * self.scv) / self.scv)
            result = np.where(self.scv == 1, result, np.log1p(some * waited))
        return self.waits * result


def routing_variance(onward: Sequence[tuple[str, str, Value]], spent: Mapping[str, Value]) -> Value:
    """The variance of a passage that is due to its random number of visits, if each takes its mean time.

    onward    from a station to a station ("" for outside), transitions per passage; the rest leaves.
    spent     mean seconds at each station in a passage, all visits together.
    Returns   square seconds, by point where the arguments are arrays.
    Method    With m the time of a visit, v the visits, P the routing probabilities and E = m + P E the time from a
              visit on, the mean square of a passage is the sum of v m (m + 2 P E) over stations (Kemeny and Snell,
              Finite Markov Chains, 1960, of absorbing chains).
    Limits    Routing is assumed to depend on the station that customers leave, not on their class there.
    """
    names = list(dict.fromkeys(target for _, target, _ in onward))
    row = {name: number for number, name in enumerate(names)}
    shape = np.broadcast_shapes(*(np.shape(count) for _, _, count in onward), *map(np.shape, spent.values()))
    flows = np.zeros((*shape, len(names), len(names)))
    visits = np.zeros((*shape, len(names)))
    for origin, target, count in onward:
        visits[..., row[target]] += count
        if origin:
            flows[..., row[origin], row[target]] += count
    times = np.zeros_like(visits)
    for name, time in spent.items():
        if name in row:
            times[..., row[name]] = time
    some = np.where(visits > 0, visits, 1.0)
    each = times / some
    further = np.linalg.solve(np.eye(len(names)) - flows / some[..., None], each[..., None])
    later = (flows @ further)[..., 0]
    variance = (each * (times + 2 * later)).sum(-1) - times.sum(-1) ** 2
    return np.maximum(variance, 0.0)
