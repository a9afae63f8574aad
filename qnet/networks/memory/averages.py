"""Limited subnetworks at every number of customers inside, and the network put together from their means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from qnet.errors import NotComputed, Problem
from qnet.expression import Value, arrays
from qnet.lazy import Array, Flags
from qnet.networks.aggregation import (
    MOST,
    Aggregation,
    LevelGrid,
    PartFigures,
    every_number,
    log_weights,
    mean,
    passage_time,
    repeated,
    solve_levels,
    table,
    two_modes,
)
from qnet.networks.duration import Wait
from qnet.networks.memory.regions import Region, entries, holds, inside
from qnet.networks.memory.regions import regions as limits
from qnet.networks.near import Nearby
from qnet.networks.reasons import Beyond, Inexact, Reason
from qnet.networks.routed import ClosedClass, Hold, RoutedNetwork, Step, Time
from qnet.networks.solution import Passages, RoutedSolution
from qnet.networks.streams import Streams, start_together, streams
from qnet.networks.wanted import Wanted
from qnet.queues.arithmetic import total
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart

Ended = dict[str, Nearby | None]
"""By station that is held: where the fixed points inside ended, from which those of a similar network start."""
_LONGER, _CROWDED = "QN644", "QN645"
"""The codes of visits longer than most passages, and of arrivals to regions that are crowded or approximate."""
_BUSY = 0.7
"""The load by open classes up to which errors were measured."""
_VARIES = 0.45, 2.0
"""The least and the largest scv of times inside at which errors were measured: of a passage through a region of one
customer; of several, the largest of services in order of arrival that take up the passage."""
_ALMOST_ALL = 0.999
"""The load of guests in place of one without a steady state; any number below 1 works."""


class SolvedPart(Record):
    """A region, or the network around the regions, at every number of customers in it."""

    figures: PartFigures
    """The figures by level; the first level has no customers."""
    throughput: Any
    """(points, levels) passages per second of the class that is counted; 0 without customers."""
    instant: Any
    """(points,) whether a passage takes no time: then no customer is ever in the part."""
    longest_visit: Any
    """(points, numbers of customers that were solved) the mean time of the longest visit over that of a passage without
    waits."""
    grid: LevelGrid
    """The levels of all numbers of customers up to the population."""
    log_weights: Any
    """(points, numbers) as `aggregation.log_weights`, for one passage per second."""

    def mean_waits(self, shares: Array) -> list[Any]:
        """The mean wait of every stream over its visits, given the probabilities of 0, 1, ... customers."""
        at_all = self.grid.at_all
        known = zip(self.figures.rates, self.figures.waits, strict=True)
        return [mean(shares, at_all(wait), at_all(rate)) for rate, wait in known]

    def sides(self) -> tuple[list[int], list[int]]:
        """Of a region, the numbers of the streams inside, and of those of its guests."""
        passages = self.figures.solution.passages
        assert passages is not None
        sides: tuple[list[int], list[int]] = [], []
        for number, stream in enumerate(passages.compiled.streams):
            sides[stream.class_index > 0].append(number)
        return sides

    def used_when_full(self) -> dict[str, dict[str, Any]]:
        """By label of a station with a limit, "" for the region, and of a station inside: (points,) the utilization
        with the largest number of customers at which the part is solved."""
        points, levels = self.longest_visit.shape

        def at_last(value: Value) -> Any:
            return table(value, points, levels)[:, -1]

        solution = self.figures.solution
        nested = {label: {name: at_last(value) for name, value in inside.items()}
                  for label, inside in solution.used_when_full.items()}  # fmt: skip
        used = {item.label: at_last(item.utilization) for item in solution.stations if item.utilization is not None}
        return {"": used, **nested}

    def leaving(self, shares: Any, levels: int) -> Any:
        """(points, levels) departures from a region per second with 1, 2, ... customers inside."""
        flow = shares * self.grid.at_all(self.throughput)
        by_level = np.zeros((len(flow), levels))
        for number, level in enumerate(self.grid.below[0].tolist()):
            if level:
                by_level[:, level - 1] += flow[:, number]
        return by_level


def solve_part_levels(
    batch: RoutedNetwork,
    class_index: int,
    points: int,
    wanted: Wanted,
    solve_part: SolvePart,
    with_none: bool = False,
    near: Nearby | None = None,
) -> SolvedPart:
    """The figures of a part at 0, 1, 2, ... customers of one closed class, on a grid of these numbers alone.

    batch        points x levels, the levels innermost.
    class_index  the closed class that is counted.
    points       of the network.
    wanted       the budget.
    solve_part   the chooser.
    with_none    whether the batch begins with the level of no customers; else it has no other classes, and that level
                 is added with the waits of one customer.
    near         where the fixed point of a nearly identical batch ended.
    Raises       as `solve_part`, and `NotComputed` QN543 where there are too many numbers.
    """
    size = batch.size or 0
    cells = size * max(1, len(batch.stations))
    levels = size // max(1, points)
    if cells > MOST or float(size) * levels * max(1, len(batch.stations)) > wanted.operations:
        text = f"{points} points with up to {levels} customers each are too many to be solved at every number of them"
        raise NotComputed(Problem("QN543", text, "fewer points, or fewer customers"))
    customers = batch.classes[class_index]
    assert isinstance(customers, ClosedClass)
    compiled = streams(batch, arrays(), [1.0] * len(batch.classes))
    spent = passage_time(compiled, customers, class_index)
    instant = np.broadcast_to(np.asarray(spent <= 0), (size,))
    # A customer that spends no time anywhere has no throughput: one second of thinking makes the part solvable.
    solvable = customers.replace(think_time=np.where(instant, 1.0, customers.think_time))
    classes = tuple(solvable if index == class_index else item for index, item in enumerate(batch.classes))
    budget = Wanted(operations=float("inf"), memory=wanted.memory, enclosed=False, near=near)
    figures = solve_levels(batch.replace(classes=classes), points, budget, solve_part, customers.name)
    throughput = figures.throughputs[class_index]
    if not with_none:
        figures = figures.replace(
            rates=tuple(_with_none(rate, 0.0) for rate in figures.rates),
            waits=tuple(_with_none(wait, wait[:, :1]) for wait in figures.waits),
        )
        throughput = _with_none(throughput, 0.0)
    never = instant.reshape(points, levels)[:, 0]
    deaths = np.where(never[:, None], np.inf, throughput)
    longest = _longest_visit(compiled, spent, class_index)
    return SolvedPart(
        figures,
        throughput,
        never,
        table(longest, points, levels),
        every_number(throughput.shape[1] - 1, throughput.shape[1] - 1),
        log_weights(np.ones_like(deaths), deaths),
    )


def _with_none(figures: Array, value: Any) -> Array:
    """A table with a first level for no customers."""
    return np.concatenate([np.broadcast_to(value, (len(figures), 1)), figures], axis=1)


def _longest_visit(compiled: Streams, spent: Value, class_index: int) -> Value:
    """The mean time of the longest visit over that of a passage, without waits."""
    operations = arrays()
    nothing = spent <= 0
    times = [
        operations.where(stream.rate > 0, stream.holding.mean, 0.0 * stream.rate)
        for stream in compiled.streams
        if stream.class_index == class_index
    ]
    return operations.where(nothing, 0.0, operations.maximum([*times, 0.0 * spent, 0.0 * spent]) / (spent + nothing))


class MeansOutside(Record):
    """The means of the network around the regions."""

    waits: Sequence[Any]
    """By stream, (points,)."""
    variances: Sequence[Any]
    """By stream, (points,); 0 where they are not known."""
    loads: Mapping[str, Any]
    """By label of a station group, (points,)."""
    reasons: tuple[str, ...]


class Inside(Record):
    """The means of a region."""

    part: SolvedPart
    shares: Any
    """(points, numbers) probabilities of 0, 1, ... customers, those that wait for admission included; with an unlimited
    queue the last includes all greater numbers."""
    shares_each: Any
    """The same, but the last is of its number alone."""
    wait: Any
    """(points,) mean wait for admission."""
    exact: bool
    """Whether the region is equivalent to one station, or its limit is never reached."""
    load: Any
    """(points,) the arrival rate of open classes over the throughput of the full region; 0 for closed classes."""
    untrusted: Any
    """(points,) whether open classes enter a region whose inside is approximate itself, so that errors may be large."""
    scv: Any = 1.0
    """(points,) the squared coefficient of variation of the times for which open customers keep a place, as they make
    admissions vary."""

    @property
    def longer(self) -> Flags:
        """(points,) whether some visits are longer than most passages."""
        return (self.part.longest_visit > 1 + 1e-9).any(axis=1)

    @property
    def crowded(self) -> Flags:
        """(points,) whether there is a steady state at a higher load by open classes than was measured."""
        return (self.load > _BUSY) & (self.load < 1)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the figures inside the region are approximate themselves."""
        return self.part.figures.solution.reasons


class LimitedSubnetworks(Aggregation):
    """A network with limited subnetworks: the part of the solution that closed and open classes share."""

    def __init__(
        self,
        network: RoutedNetwork,
        limited: tuple[Region, ...],
        wanted: Wanted,
        solve_part: SolvePart,
        near: Ended | None = None,
    ) -> None:
        super().__init__(network, wanted, solve_part)
        self.limited = limited
        self.near: Ended = {} if near is None else near
        self.profiles = {item.station: item for item in network.profiles}

    def region(self, region: Region, most: int) -> SolvedPart:
        """A region with up to `most` customers, of which no more than its limit are inside."""
        profile = self.profiles.get(region.station)
        count = profile.levels if profile else max(1, min(region.limit, most))
        # Without customers inside, guests still wait.
        least = 0 if region.guests else 1
        batch = profile.network if profile else repeated(self.within_capacities(region), count + 1 - least)
        population = np.tile(np.arange(float(least), count + 1), self.points)
        alone, near = inside(batch, region, population), self.near.get(region.station)
        part = solve_part_levels(alone, 0, self.points, self.wanted, self.solve_part, not least, near)
        self.near[region.station] = part.figures.solution.near
        grid = every_number(count, most)
        births = np.broadcast_to(self.column(entries(self.network, region))[:, None], (self.points, most + 1))
        never = (births <= 0) | part.instant[:, None]
        deaths = np.where(never, np.inf, grid.at_all(part.throughput))
        return part.replace(grid=grid, log_weights=log_weights(births, deaths))

    def within_capacities(self, region: Region) -> RoutedNetwork:
        """The network with guests that leave the stations of a region a little of their capacity.

        Where they do not, there is no steady state, and the figures have no meaning.
        """
        loads = self.loads_inside(region, region.guests)
        most = np.maximum.reduce([*loads.values(), np.zeros(self.points)])
        if (most < 1.0).all():
            return self.network
        return self.network.loaded(self.value(np.where(most < 1.0, 1.0, _ALMOST_ALL / np.maximum(most, 1.0))))

    def loads_inside(self, region: Region, classes: Sequence[int]) -> dict[str, Any]:
        """By label of a station group inside a region: (points,) the load of some open classes, without any waits."""
        if not classes:
            return {}
        stations = {station.name: station for station in self.network.stations if station.name in region.inner}
        rates = [self.arrivals(index) if index in classes else 0.0 for index in range(len(self.network.classes))]
        result: dict[str, Any] = {}
        for stream in streams(self.network, self.operations, rates).streams:
            station = stations.get(stream.station)
            if station is None or station.delay or stream.class_index not in classes:
                continue
            label = station.groups[stream.group].label
            capacity = station.servers if station.rates is None else station.rates[-1]
            result[label] = result.get(label, 0.0) + self.column(stream.rate * stream.holding.mean / capacity)
        return result

    def used_when_full(self, region: Region, part: SolvedPart) -> dict[str, dict[str, Value]]:
        """The utilizations at the largest number of customers in a region, as `RoutedSolution.used_when_full`; none
        where times depend on that number, so that another limit changes what the stations inside can do."""
        if region.station in self.profiles:
            return {}
        return {
            label or region.station: {name: self.value(column) for name, column in inside.items()}
            for label, inside in part.used_when_full().items()
        }

    def one_visit(self, region: Region) -> bool:
        """Whether every entry is one exponential visit to one station, so that the region is that station."""
        if region.guests:
            return False
        entered = [hold for _, hold in holds(self.network, region)]
        stations = {station.name: station for station in self.network.stations}
        for hold in entered:
            only = hold.steps[0] if len(hold.steps) == 1 else None
            if not isinstance(only, Hold) or len(only.steps) != 1:
                return False
            if stations[only.station].copies > 1 or not _is_one(only.visits) or only.scv is not None:
                return False
            time = only.steps[0]
            if not (isinstance(time, Time) and _is_one(time.visits) and _is_one(time.scv)):
                return False
        return len(entered) == 1

    def together(self, throughputs: list[Value], regions: Sequence[Inside], outside: MeansOutside) -> RoutedSolution:
        """The figures of the network, from the means of its parts.

        throughputs  passages per second of every class.
        """
        network = self.network
        outer = iter(zip(outside.waits, outside.variances, strict=True))
        admission = {region.station: number for number, region in enumerate(self.limited)}
        region_of: dict[str, int] = {}
        inner: list[Sequence[Any]] = []
        sides: dict[tuple[int, bool], Iterator[int]] = {}
        for number, (region, known) in enumerate(zip(self.limited, regions, strict=True)):
            region_of |= dict.fromkeys(region.inner, number)
            inner.append(known.part.mean_waits(known.shares))
            for guest, side in enumerate(known.part.sides()):
                sides[number, bool(guest)] = iter(side)
            profile = self.profiles.get(region.station)
            if profile:
                weights = known.part.leaving(known.shares, profile.levels)
                network = averaged(network, profile.network, region, weights)
        compiled = streams(network, self.operations, throughputs)
        waits: list[Wait] = []
        part_of: list[tuple[int, int] | None] = []
        for stream in compiled.streams:
            part, variance, held = None, 0.0, region_of.get(stream.station)
            if stream.station in admission:
                part = admission[stream.station], -1
                mean_wait = regions[part[0]].wait
            elif held is not None:
                guest = self.limited[held].station not in dict(stream.around)
                part = held, next(sides[held, guest])
                mean_wait = inner[held][part[1]]
            else:
                mean_wait, variance = next(outer)
            part_of.append(part)
            waits.append(Wait(self.value(mean_wait), variance))
        solution = self.disaggregated(network, compiled, throughputs, waits, outside.loads)
        reasons = tuple(dict.fromkeys([*outside.reasons, *self.reasons(regions)]))
        branched = any(route.forks for route in compiled.routes)
        return solution.replace(
            exact=not reasons,
            reasons=reasons,
            warned=self.warned(reasons, regions, outside.reasons),
            passages=Passages(
                network=network,
                compiled=compiled,
                throughputs=tuple(throughputs),
                waits=tuple(waits),
                identical=start_together(network, compiled, self.operations) if branched else (),
                limited=() if network.closed else tuple(regions),
                part_of=tuple(part_of),
            ),
            network=network if self.profiles else None,
        )

    def warned(self, reasons: Sequence[str], regions: Sequence[Inside], outside: Sequence[str]) -> Flags | None:
        """(points,) which points have warnings; None where not only the regions cause them.

        reasons  of the solution.
        outside  the reasons of the network around the regions.
        """
        codes = {reason.code for reason in reasons if isinstance(reason, Beyond)}
        parts = (*outside, *(reason for known in regions for reason in known.reasons))
        if codes - {_LONGER, _CROWDED} or any(isinstance(reason, Beyond) for reason in parts):
            return None
        result = np.zeros(self.points, bool)
        for region, known in zip(self.limited, regions, strict=True):
            if self.why(region, known):
                result = result | known.longer | known.crowded | known.untrusted | self.varies(region)
        return result

    def varies(self, region: Region) -> Flags:
        """(points,) whether times inside a region have another scv than was measured.

        A region that admits one customer at a time is a single server with such services, which the flow-equivalent
        server takes as exponential. So is one of several customers that are served in order of arrival.
        """
        alone = inside(self.network, region, 1.0)
        compiled = streams(alone, self.operations, [1.0, *(0.0 for _ in region.guests)])
        mean: Value = 0.0
        square: Value = 0.0
        for route in (route for route in compiled.routes if route.class_index == 0):
            passage = total(part.mean for part in route.parts.values())
            spread = total(part.variance for part in route.parts.values())
            mean, square = mean + route.probability * passage, square + route.probability * (spread + passage**2)
        once = self.column(mean) ** 2
        least, most = _VARIES
        if region.limit == 1:
            excess = self.column(square) - once
            return (excess < least * (1 - 1e-9) * once) | (excess > most * (1 + 1e-9) * once)
        in_line = {station.name for station in alone.stations if station.in_line and not station.delay}
        at_lines = [item for item in compiled.streams if item.station in in_line and item.class_index == 0]
        excess = self.column(total(item.rate * (item.holding.variance - item.holding.mean**2) for item in at_lines))
        return excess > (most - 1) * (1 + 1e-9) * once

    def why(self, region: Region, known: Inside) -> Reason | None:
        """Why a region is approximate; None where it is exact."""
        if region.station in self.profiles:
            return Reason("constant inside", station=region.station)
        return None if known.exact else Reason("behind as one", station=region.station)

    def reasons(self, regions: Sequence[Inside]) -> Iterable[str]:
        """Why regions are approximate."""
        for region, known in zip(self.limited, regions, strict=True):
            name = region.station
            yield from known.reasons
            reason = self.why(region, known)
            if reason and known.longer.any():
                text = f"some visits behind {name} are longer than most passages of it"
                yield Beyond(reason, _LONGER, f"{text}: beyond where errors were measured as small")
            elif reason and self.varies(region).any():
                least, most = _VARIES
                text = f"{name} admits one customer at a time, for times of an scv below {least:g} or above {most:g}"
                if region.limit > 1:
                    text = f"customers behind {name} are served in order of arrival, for times of an scv above {most:g}"
                yield Beyond(reason, _LONGER, f"{text}: beyond where errors were measured as small")
            elif reason and known.crowded.any():
                text = f"{name} has a load of more than {_BUSY:.0%}"
                yield Beyond(reason, _CROWDED, f"{text}: beyond where errors were measured as small")
            elif reason and known.untrusted.any():
                nested = bool(limits(inside(self.network, region, 1.0)))
                what = "another limit on the number inside" if nested else "stations that are approximate themselves"
                text = f"{name} admits open arrivals to {what}"
                yield Beyond(reason, _CROWDED, f"{text}: beyond where errors were measured as small")
            elif reason:
                yield Inexact(reason)
            modes = next((pair for row in known.shares_each if (pair := two_modes(row))), None)
            if modes:
                code, numbers = ("two modes around", modes) if self.network.size is None else ("two modes", ())
                reason = Reason(code, station=name, numbers=numbers)
                yield Beyond(reason, "QN643", f"{reason}; it remains near each for long, and means describe neither")


def _is_one(value: Value | None) -> bool:
    return isinstance(value, float) and value == 1.0


def averaged(network: RoutedNetwork, levels: RoutedNetwork, region: Region, weights: Any) -> RoutedNetwork:
    """A network with the steps inside a region, which depend on the number inside, at their means.

    levels   the same network with 1, 2, ... customers inside, as a batch.
    region   whose station has the profile.
    weights  (points, numbers from 1) departures per second with this number inside.
    Returns  the network, with visits and times weighted by how often they occur.
    """
    means = _Means(weights, network.size)
    classes = list(network.classes)
    item = classes[region.class_index]
    routes = tuple(
        route.replace(
            steps=tuple(
                step.replace(steps=means.steps(step.steps, varied.steps, weights))
                if isinstance(step, Hold) and isinstance(varied, Hold) and step.station == region.station
                else step
                for step, varied in zip(route.steps, other.steps, strict=True)
            )
        )
        for route, other in zip(item.routes, levels.classes[region.class_index].routes, strict=True)
    )
    classes[region.class_index] = item.replace(routes=routes)
    return network.replace(classes=tuple(classes))


class _Means:
    """Means of what depends on the number inside; where nothing has weight, the value with one customer."""

    def __init__(self, weights: Any, size: int | None) -> None:
        self.points, self.levels = weights.shape
        self.size = size

    def table(self, value: Value) -> Array:
        return table(value, self.points, self.levels)

    def mean(self, values: Array, weights: Array) -> Value:
        weight = weights.sum(axis=1)
        idle = weight <= 0
        means = np.where(idle, values[:, 0], (weights * values).sum(axis=1) / np.where(idle, 1.0, weight))
        return float(means[0]) if self.size is None else means

    def steps(self, steps: tuple[Step, ...], levels: tuple[Step, ...], weights: Any) -> tuple[Step, ...]:
        result: list[Step] = []
        for step, varied in zip(steps, levels, strict=True):
            visits = self.table(varied.visits)
            executions = weights * visits
            count = self.mean(visits, weights)
            if isinstance(step, Time) and isinstance(varied, Time):
                result.append(step.replace(mean=self.mean(self.table(varied.mean), executions), visits=count))
            elif isinstance(step, Hold) and isinstance(varied, Hold):
                result.append(step.replace(steps=self.steps(step.steps, varied.steps, executions), visits=count))
        return tuple(result)
