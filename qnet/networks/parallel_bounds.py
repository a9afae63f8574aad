"""Bounds of networks with parallel steps: what encloses the exact throughput and response where theory has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS
from qnet.lazy import lazy
from qnet.networks.duration import Duration
from qnet.networks.parallel import BranchTime, Parallel
from qnet.networks.parallel_apart import lines_of_their_own, not_apart
from qnet.networks.routed import ClosedClass, Fork, Hold, OpenClass, RoutedNetwork, Step, Time
from qnet.networks.solution import BranchFigures, RoutedSolution
from qnet.networks.streams import streams
from qnet.networks.wanted import Wanted

if TYPE_CHECKING:
    from qnet.queues import joins
else:
    joins = lazy("qnet.queues.joins")

KIND = "asymptotic"
"""The kind of bounds that parallel steps have."""
Row = tuple[float, float, float, float]
"""Throughput lower and upper, response lower and upper, as `ClassFigures.enclosed`."""


def with_bounds(network: RoutedNetwork, solution: RoutedSolution, wanted: Wanted) -> RoutedSolution:
    """The approximate solution of a network with parallel steps, with bounds at its classes where theory has any.

    network    a point or a batch; batches stay without bounds.
    solution   what was found for it.
    wanted     `enclosed`, or "asymptotic" as the kind of bounds, asks for them.
    Raises     `NotComputed` QN563 where bounds are asked for and not known, with the reason.
    """
    if network.size is not None or not solution.stable or not (wanted.bounds == KIND or wanted.enclosed):
        return solution
    found = "capacities and limits inside" if network.limited or network.profiles else ""
    rows: dict[int, Row] = {}
    if not found and (solution.reasons or wanted.bounds == KIND):
        found, rows = _closed(network) if network.closed else _open(network, solution)
    if found and wanted.bounds == KIND:
        problem = Problem("QN563", f"no bounds are known of parallel steps where {found}", "a solution without bounds")
        raise NotComputed(problem)
    classes = tuple(
        item.replace(enclosed=rows[place]) if place in rows else item for place, item in enumerate(solution.classes)
    )
    return solution.replace(classes=classes)


def _open(network: RoutedNetwork, solution: RoutedSolution) -> tuple[str, dict[int, Row]]:
    """Why there are none, or the bounds of the open classes that take parallel steps."""
    reason = not_apart(network)
    if reason:
        return reason, {}
    told: dict[str, list[BranchFigures]] = {}
    rows: dict[int, Row] = {}
    for item in solution.branches:
        told.setdefault(f"{item.class_name}\n{item.step}", []).append(item)
    for place, (customers, figures) in enumerate(zip(network.classes, solution.classes, strict=True)):
        least = most = float(figures.response)
        number = 0
        for route in customers.routes:
            fork = next((step for step in route.steps if isinstance(step, Fork)), None)
            if fork is not None:
                number += 1
                own = told[f"{customers.name}\n{number}"]
                low, high = open_step(own, fork.needed, lines_of_their_own(network, fork))
                least += float(route.probability) * (low - float(own[0].whole))
                most += float(route.probability) * (high - float(own[0].whole))
        if number and isinstance(customers, OpenClass):
            rate = float(customers.arrival_rate)
            rows[place] = (rate, rate, least, most)
    return "", rows


def open_step(branches: Sequence[BranchFigures], needed: int, lines: bool) -> tuple[float, float]:
    """Bounds of the mean time until enough branches of a step have finished, given their exact mean times.

    Applies   open classes, branches that are apart (`parallel_apart.not_apart`).
    branches  their means in seconds, with copies.
    needed    k, how many of the n branches must have finished.
    lines     whether `parallel_apart.lines_of_their_own` holds.
    Method    The k-th of n times is at least the smallest of any n - k + 1 of them, and at most the largest of any k.
              For k = n the mean is at least that of the slowest branch (Jensen); of any m branches, m - k + 1 take at
              least as long, so that it is at most the sum of the m smallest means over m - k + 1. Lines are associated:
              the largest of some is at most, the smallest at least, that of independent ones; and exponential times of
              the same means make the one longer still, the other shorter.
    Source    Association: Nelson, Tantawi, IEEE Trans. Computers 37 (1988) 739-743; Baccelli, Massey, Towsley, Acyclic
              fork-join queuing networks, J. ACM 36 (1989) 615-642, for lines of several queues; Baccelli, Makowski,
              Shwartz, Advances in Applied Probability 21 (1989) 629-660, for one each. Exponential times instead,
              and k of n: this tool.
    """
    means = sorted(float(item.time) for item in branches for _ in range(item.copies))
    rest = means[needed - 1 :]
    sums = list(accumulate(means))
    serial = min(whole / (place - needed + 1) for place, whole in enumerate(sums, start=1) if place >= needed)
    if not lines:
        return (rest[-1] if len(rest) == 1 else 0.0), serial
    fastest = means[:needed]
    alike = [joins.Branch(mean, mean * mean, fastest.count(mean)) for mean in dict.fromkeys(fastest)]
    largest = float(joins.joined(alike, needed)[0]) if needed > 1 else fastest[0]
    least = 1 / sum(1 / mean for mean in rest) if rest[0] > 0 else 0.0
    return least, min(serial, largest)


def _closed(network: RoutedNetwork) -> tuple[str, dict[int, Row]]:
    """Why there are none, or the bounds of the only class."""
    (first, *others) = network.classes
    if others or not isinstance(first, ClosedClass) or first.chain:
        return "there are several classes, or customers who change between classes", {}
    if any(station.rates is not None for station in network.stations) or _nested(network):
        return "a station has rates, or is held while another is asked for", {}
    return "", {0: closed_bounds(network)}


def closed_bounds(network: RoutedNetwork) -> Row:
    """Asymptotic bounds of one closed class with parallel steps.

    Applies   any service times and disciplines that never rest while customers wait, work left behind included.
    network   a point, with one closed class, whose steps hold one station at a time.
    Returns   passages per second, and seconds.
    Method    Upper: no station is more than busy, and N / (Z + R), R the time without waiting, of a parallel step at
              least that of its longest branch. Lower: while a customer is not thinking, something is served, so that
              X D >= 1 - X Z / N, D all that a passage asks for, its branches one after the other: N / (Z + N D).
    Source    Lazowska, Zahorjan, Graham, Sevcik, Quantitative System Performance, 1984, chapter 5, for steps one after
              the other; parallel ones: this tool.
    """
    (customers,) = network.closed
    count, think = float(customers.population), float(customers.think_time)
    compiled = streams(network, FLOATS, [1.0])
    sizes = {(station.name, place): group.copies for station in network.stations for place, group in
             enumerate(station.groups)}  # fmt: skip
    stations = {station.name: station for station in network.stations}
    busy: dict[tuple[str, int], float] = {}
    for item in compiled.streams:
        key = (item.station, item.group)
        busy[key] = busy.get(key, 0.0) + float(item.rate * item.holding.mean)
    whole = sum(load * sizes[key] for key, load in busy.items())
    quickest = 0.0
    for route in compiled.routes:
        share = float(route.probability)
        alone = sum(float(part.mean) for part in route.parts.values())
        quickest += share * (alone + sum(float(fork.count) * _longest(fork) for fork in route.forks))
        whole += share * (_pure(route.parts) + sum(_delays(fork) for fork in route.forks))
    if count <= 0:
        return 0.0, 0.0, quickest, quickest
    limits = [stations[key[0]].servers / load for key, load in busy.items()
              if load > 0 and not stations[key[0]].delay]  # fmt: skip
    upper = min([*limits, count / (think + quickest)])
    lower = count / (think + count * whole)
    return lower, upper, max(count / upper - think, quickest), count / lower - think


def _longest(fork: Parallel) -> float:
    """The longest branch of a step of which all are waited for, without any waits."""
    return max(_alone(branch) for branch in fork.branches)


def _alone(branch: BranchTime) -> float:
    return float(branch.first.mean) + sum(float(inner.count) * _longest(inner) for inner in branch.forks)


def _delays(fork: Parallel) -> float:
    """The pure delays of all branches of a step."""
    own = sum(branch.copies * (_pure(branch.spent) + sum(map(_delays, branch.forks))) for branch in fork.branches)
    return float(fork.count) * own


def _pure(parts: Mapping[tuple[str, int], Duration]) -> float:
    """The part of a time that is spent at no station."""
    return sum(float(part.mean) for key, part in parts.items() if not key[0])


def _nested(network: RoutedNetwork) -> bool:
    """Whether any hold has another step than one time inside."""

    def simple(steps: Iterable[Step]) -> bool:
        return all(
            simple(step.inner)
            if isinstance(step, Fork)
            else not isinstance(step, Hold) or all(isinstance(inner, Time) for inner in step.steps)
            for step in steps
        )

    return not all(simple(route.steps) for customers in network.classes for route in customers.routes)
