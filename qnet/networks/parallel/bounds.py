"""Bounds of networks with parallel steps, which enclose the exact throughput and response where theory has them.

For closed networks these are asymptotic bounds. In open networks theory has bounds where the branches of a step share
no station, with each other or with the steps before: then the mean time of each branch is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS
from qnet.lazy import lazy
from qnet.networks.duration import Duration
from qnet.networks.exactness import reasons_for
from qnet.networks.parallel.branches import BranchTime, Parallel
from qnet.networks.routed import (
    Branch,
    ClosedClass,
    Fork,
    Hold,
    OpenClass,
    Route,
    RoutedNetwork,
    Station,
    Step,
    Time,
)
from qnet.networks.solution import BranchFigures, RoutedSolution
from qnet.networks.streams import streams
from qnet.networks.wanted import Wanted

if TYPE_CHECKING:
    from qnet.queues import joins
else:
    joins = lazy("qnet.queues.joins")

KIND = "asymptotic"
"""The name of the bounds that parallel steps have."""
Row = tuple[float, float, float, float]
"""Throughput lower and upper, response lower and upper, as `ClassFigures.enclosed`."""


def with_bounds(network: RoutedNetwork, solution: RoutedSolution, wanted: Wanted) -> RoutedSolution:
    """The approximate solution of a network with parallel steps, with bounds at its classes where theory has any.

    network    a point or a batch; batches get no bounds.
    solution   its approximate solution.
    wanted     `enclosed`, or bounds named "asymptotic", request them.
    Raises     `NotComputed` QN563 where bounds are requested by name and not known, with the reason.
    """
    if network.size is not None or not solution.stable or not (wanted.bounds == KIND or wanted.enclosed):
        return solution
    reason = "capacities and limits inside" if network.limited or network.profiles else ""
    rows: dict[int, Row] = {}
    if not reason and (solution.reasons or wanted.bounds == KIND):
        reason, rows = _closed(network) if network.closed else _open(network, solution)
    if reason and wanted.bounds == KIND:
        problem = Problem("QN563", f"no bounds are known of parallel steps where {reason}", "a solution without bounds")
        raise NotComputed(problem)
    classes = tuple(
        item.replace(enclosed=rows[index]) if index in rows else item for index, item in enumerate(solution.classes)
    )
    return solution.replace(classes=classes)


def _open(network: RoutedNetwork, solution: RoutedSolution) -> tuple[str, dict[int, Row]]:
    """Why there are no bounds, or those of the open classes that take parallel steps, by index."""
    reason = not_separate(network)
    if reason:
        return reason, {}
    branches: dict[str, list[BranchFigures]] = {}
    rows: dict[int, Row] = {}
    for item in solution.branches:
        branches.setdefault(f"{item.class_name}\n{item.step}", []).append(item)
    for index, (customers, figures) in enumerate(zip(network.classes, solution.classes, strict=True)):
        least = most = float(figures.response)
        number = 0
        for route in customers.routes:
            fork = next((step for step in route.steps if isinstance(step, Fork)), None)
            if fork is not None:
                number += 1
                step = branches[f"{customers.name}\n{number}"]
                low, high = open_step(step, fork.needed, exponential_servers(network, fork))
                least += float(route.probability) * (low - float(step[0].total))
                most += float(route.probability) * (high - float(step[0].total))
        if number and isinstance(customers, OpenClass):
            rate = float(customers.arrival_rate)
            rows[index] = (rate, rate, least, most)
    return "", rows


def open_step(branches: Sequence[BranchFigures], needed: int, servers: bool) -> tuple[float, float]:
    """Bounds of the mean time until enough branches of a step have finished, given their exact mean times.

    Applies   open classes, separate branches (`not_separate` has no reason).
    branches  their means in seconds, with copies.
    needed    k, how many of the n branches must have finished.
    servers   whether `exponential_servers` holds.
    Returns   a lower and an upper bound in seconds.
    Method    The k-th of n times is at least the smallest of any n - k + 1 of them, and at most the largest of any k.
              For k = n the mean is at least that of the slowest branch (Jensen); of any m branches, m - k + 1 take at
              least as long, so that it is at most the sum of the m smallest means over m - k + 1. Times at servers are
              associated: the largest of some is at most, the smallest at least, that of independent ones; exponential
              times with the same means make the largest longer still, and the smallest shorter.
    Source    Association: @nelson1988; @baccelli1989 for several queues in a row; @baccelli1989a for one each.
              Exponential times instead, and k of n: this tool.
    """
    means = sorted(float(item.time) for item in branches for _ in range(item.copies))
    rest = means[needed - 1 :]
    sums = list(accumulate(means))
    serial = min(sum_ / (count - needed + 1) for count, sum_ in enumerate(sums, start=1) if count >= needed)
    if not servers:
        return (rest[-1] if len(rest) == 1 else 0.0), serial
    fastest = means[:needed]
    exponential = [joins.BranchTimes(mean, mean * mean, fastest.count(mean)) for mean in dict.fromkeys(fastest)]
    largest = float(joins.joined(exponential, needed)[0]) if needed > 1 else fastest[0]
    least = 1 / sum(1 / mean for mean in rest) if rest[0] > 0 else 0.0
    return least, min(serial, largest)


def _closed(network: RoutedNetwork) -> tuple[str, dict[int, Row]]:
    """Why there are no bounds, or those of the only class, by index."""
    (first, *others) = network.classes
    if others or not isinstance(first, ClosedClass) or first.chain:
        return "there are several classes, or customers change class", {}
    if any(station.rates is not None for station in network.stations) or _nested(network):
        return "a station has rates, or is held during a visit to another one", {}
    return "", {0: closed_bounds(network)}


def closed_bounds(network: RoutedNetwork) -> Row:
    """Asymptotic bounds of one closed class with parallel steps.

    Applies   any service times and work-conserving disciplines, second phases included.
    network   a point, with one closed class, whose steps hold one station at a time.
    Returns   passages per second, and seconds.
    Method    Upper: the utilization of every station is at most 1, and throughput at most N / (Z + R), R the response
              without waiting; a parallel step counts in R with its longest branch, or with 0 where not all branches are
              waited for, since only the means of their times are known. Lower: while a customer is not thinking, some
              station is busy, so that X D >= 1 - X Z / N, D the service demand of a passage over all branches:
              N / (Z + N D).
    Source    @lazowska1984, chapter 5, for sequential steps; parallel ones: this tool.
    """
    (customers,) = network.closed
    count, think = float(customers.population), float(customers.think_time)
    compiled = streams(network, FLOATS, [1.0])
    sizes = {(station.name, index): group.copies for station in network.stations for index, group in
             enumerate(station.groups)}  # fmt: skip
    stations = {station.name: station for station in network.stations}
    busy: dict[tuple[str, int], float] = {}
    for item in compiled.streams:
        key = (item.station, item.group)
        busy[key] = busy.get(key, 0.0) + float(item.rate * item.holding.mean)
    demand = sum(load * sizes[key] for key, load in busy.items())
    quickest = 0.0
    for route in compiled.routes:
        share = float(route.probability)
        services = sum(float(part.mean) for part in route.parts.values())
        quickest += share * (services + sum(float(fork.count) * _quickest(fork) for fork in route.forks))
        demand += share * (_pure(route.parts) + sum(_delays(fork) for fork in route.forks))
    if count <= 0:
        return 0.0, 0.0, quickest, quickest
    limits = [stations[key[0]].servers / load for key, load in busy.items()
              if load > 0 and not stations[key[0]].delay]  # fmt: skip
    longest = count * demand
    quick = max([quickest, *(count / limit - think for limit in limits)])
    return count / (think + longest), min([*limits, count / (think + quickest)]), quick, longest


def _quickest(fork: Parallel) -> float:
    """A lower bound of the mean time of a step: its longest branch without waits, or 0 if not all are waited for."""
    return max(_alone(branch) for branch in fork.branches) if fork.needed == fork.width else 0.0


def _alone(branch: BranchTime) -> float:
    return float(branch.first.mean) + sum(float(inner.count) * _quickest(inner) for inner in branch.forks)


def _delays(fork: Parallel) -> float:
    """The delays outside of stations in all branches of a step, over all its executions."""
    delays = sum(branch.copies * (_pure(branch.spent) + sum(map(_delays, branch.forks))) for branch in fork.branches)
    return float(fork.count) * delays


def _pure(parts: Mapping[tuple[str, int], Duration]) -> float:
    """The part of a time that is spent outside of stations."""
    return sum(float(part.mean) for key, part in parts.items() if not key[0])


def _nested(network: RoutedNetwork) -> bool:
    """Whether any hold has other steps than times inside."""

    def simple(steps: Iterable[Step]) -> bool:
        return all(
            simple(step.inner)
            if isinstance(step, Fork)
            else not isinstance(step, Hold) or all(isinstance(inner, Time) for inner in step.steps)
            for step in steps
        )

    return not all(simple(route.steps) for customers in network.classes for route in customers.routes)


def not_separate(network: RoutedNetwork) -> str:
    """Why the mean times of the branches of an open network are not known exactly; empty where they are.

    network   a point, of open classes.
    Returns   a reason. Where there is none, each branch alone is part of a network with product form, which shares no
              station with the other branches of its step, nor with the steps before it; and no customers queue after
              the step, where arrivals are no longer Poisson.
    """
    for customers in network.classes:
        if not isinstance(customers, OpenClass) or customers.chain:
            return "some classes are closed or change on their routes"
    delays = {station.name for station in network.stations if station.delay}
    several = {station.name for station in network.stations if len(station.groups) > 1}
    parts = _ConnectedStations()
    for route in (route for customers in network.classes for route in customers.routes):
        before, fork, after = _around(route)
        if fork is None:
            parts.join(_stations(before, delays))
            continue
        if _stations(after, delays) or any(isinstance(step, Fork) for step in (*after, *fork.inner)):
            return "customers queue again after a parallel step, or take another one"
        if fork.visits != 1.0 or any(_stations(branch.steps, delays) & several for branch in fork.branches):
            return "a parallel step is not on every passage, or its branches choose between copies with different loads"
        parts.join(_stations(before, delays))
        for branch in fork.branches:
            parts.join(_stations(branch.steps, delays))
    for route in (route for customers in network.classes for route in customers.routes):
        before, fork, _ = _around(route)
        if fork is not None:
            branches = [parts.roots(_stations(branch.steps, delays)) for branch in fork.branches]
            branches.append(parts.roots(_stations(before, delays)))
            if len({name for part in branches for name in part}) < sum(map(len, branches)):
                return "branches of a parallel step share a station, or use one that is before it"
    separated = _with_branches_as_classes(network)
    reasons = reasons_for(separated, streams(separated, FLOATS), FLOATS)
    return reasons[0] if reasons else ""


def exponential_servers(network: RoutedNetwork, fork: Fork) -> bool:
    """Whether all branches of a step are single exponential servers, first come first served, and then delays.

    Other customers may use the first of several servers before they have queued elsewhere, and no other. Then the
    times of the branches are associated, and each is a sum of independent exponential and constant times, whose mean
    excess over any time is at most that of an exponential one.
    """
    stations = {station.name: station for station in network.stations}
    delays = {station.name for station in network.stations if station.delay}
    paths = list(_paths(network, delays))
    return all(_servers_in_row(branch, stations, paths) for branch in fork.branches)


def _servers_in_row(branch: Branch, stations: dict[str, Station], paths: Sequence[Sequence[Hold]]) -> bool:
    queues: list[Station] = []
    delayed = False
    for step in branch.steps:
        inner = step
        if isinstance(step, Hold):
            if len(step.steps) != 1 or step.visits != 1.0:
                return False
            (inner,) = step.steps
            if not stations[step.station].delay:
                if delayed:
                    return False
                queues.append(stations[step.station])
        if not isinstance(inner, Time) or inner.visits != 1.0 or inner.scv > 1.0:
            return False
        delayed = delayed or not isinstance(step, Hold) or stations[step.station].delay
    plain = all(
        station.discipline == "fcfs" and station.servers == 1 and branch.copies in (1, station.copies)
        for station in queues
    )
    if len(queues) > 1:
        plain = plain and all(station.copies == 1 for station in queues)
        plain = plain and all(_steps_at(paths, station.name) == 1 for station in queues[1:])
    plain = plain and all(_exponential(paths, station.name) for station in queues)
    return plain and (not queues or _first(paths, queues[0].name))


def _paths(network: RoutedNetwork, delays: set[str]) -> Iterator[Sequence[Hold]]:
    """The queueing visits of every route without its parallel steps, and of every branch, in order."""
    for route in (route for customers in network.classes for route in customers.routes):
        before, fork, after = _around(route)
        for steps in ((*before, *after), *(branch.steps for branch in (fork.branches if fork else ()))):
            yield [step for step in _all(steps) if isinstance(step, Hold) and step.station not in delays]


def _exponential(paths: Sequence[Sequence[Hold]], name: str) -> bool:
    """Whether a station serves all customers with one exponential time."""
    visits = [hold for path in paths for hold in path if hold.station == name]
    times = [step for hold in visits for step in hold.steps if isinstance(step, Time)]
    same = all(step.scv == 1.0 and abs(step.mean - times[0].mean) <= 1e-12 * step.mean for step in times)
    return same and len(times) == len(visits) and all(hold.scv in (None, 1.0) for hold in visits)


def _steps_at(paths: Sequence[Sequence[Hold]], name: str) -> int:
    """The number of visits in the paths to a station."""
    return sum(hold.station == name for path in paths for hold in path)


def _first(paths: Sequence[Sequence[Hold]], name: str) -> bool:
    """Whether all paths through a station visit it once, and before any other station."""
    through = [path for path in paths if any(hold.station == name for hold in path)]
    once = _steps_at(paths, name) == len(through)
    return once and all(path[0].station == name and path[0].visits == 1.0 for path in through)


def _all(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps and all inside them."""
    for step in steps:
        yield step
        if not isinstance(step, Time):
            yield from _all(step.inner if isinstance(step, Fork) else step.steps)


def _stations(steps: Iterable[Step], delays: set[str]) -> frozenset[str]:
    """The queueing stations that steps use."""
    return frozenset(step.station for step in _all(steps) if isinstance(step, Hold) and step.station not in delays)


def _around(route: Route) -> tuple[Sequence[Step], Fork | None, Sequence[Step]]:
    """The steps before the first parallel step of a route, that step, and the steps after it."""
    for index, step in enumerate(route.steps):
        if isinstance(step, Fork):
            return route.steps[:index], step, route.steps[index + 1 :]
    return route.steps, None, ()


def _with_branches_as_classes(network: RoutedNetwork) -> RoutedNetwork:
    """The network with every branch as a separate class."""
    classes: list[OpenClass] = []
    for customers in network.classes:
        if isinstance(customers, OpenClass):
            rest: list[Route] = []
            for route in customers.routes:
                before, fork, after = _around(route)
                rest.append(route.replace(steps=(*before, *after)))
                for branch in fork.branches if fork else ():
                    rate = customers.arrival_rate * route.probability * branch.copies
                    classes.append(OpenClass(branch.name, rate, routes=(Route(branch.name, 1.0, branch.steps),)))
            classes.append(customers.replace(routes=tuple(rest)))
    return network.replace(classes=tuple(classes))


class _ConnectedStations:
    """Disjoint sets of stations that are connected by routes."""

    def __init__(self) -> None:
        self.root: dict[str, str] = {}

    def find(self, name: str) -> str:
        """The name that represents the set of a station."""
        while self.root.setdefault(name, name) != name:
            name = self.root[name]
        return name

    def join(self, names: Iterable[str]) -> None:
        """Connect these stations."""
        roots = [self.find(name) for name in names]
        for root in roots[1:]:
            self.root[self.find(root)] = self.find(roots[0])

    def roots(self, names: Iterable[str]) -> frozenset[str]:
        """The names that represent the sets of stations."""
        return frozenset(self.find(name) for name in names)
