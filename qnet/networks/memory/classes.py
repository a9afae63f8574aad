"""Several classes at the same limited subnetworks: solved as one class, with figures by class.

Customers are admitted in order of arrival, whatever their class, and delay each other inside, as those of one class
with the routes of all classes do. With open classes and Poisson arrivals that is the same network; with closed classes
the shares of the routes depend on the populations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from qnet.expression import Value
from qnet.lazy import Array, Flags, Indices
from qnet.networks.aggregation import Aggregation, repeated
from qnet.networks.duration import Wait
from qnet.networks.exactness import Beyond, between_integers
from qnet.networks.fixed_point import BatchMap, early_point, fixed_points, not_converged
from qnet.networks.layers.solve import SOON_BACK
from qnet.networks.memory.averages import Ended
from qnet.networks.memory.regions import Region, SharedLimits, route_of
from qnet.networks.memory.solve import solve as solve_one
from qnet.networks.reasons import Reason
from qnet.networks.routed import OpenClass, RoutedNetwork, at_points
from qnet.networks.solution import RoutedSolution
from qnet.networks.streams import Stream, Streams, streams
from qnet.networks.wanted import Wanted
from qnet.queues.arithmetic import total

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart

LAYERS = "layers"
_DIFFER = 0.05
"""The difference between the two estimates of a response, as a share of their mean, from which on the mean of both is
not trusted where classes visit different stations inside."""
_UNEVEN = 3.0
"""How far the times may differ for which they hold places there."""
_ENOUGH = 1e-10
"""The largest residual of the shares of closed classes; its effect on any figure is smaller."""
_EARLY_ROUNDS, _EARLY = 8, 1e-11
"""Rounds without damping, and the residual at which they are enough."""
_PATIENCE = 60
"""Rounds without progress after which a point is given up; a choice between time and slow convergence."""
_HALVES = 50
"""Halvings of an interval until it is as narrow as rounding allows."""
_RAREST = 1e-12
"""The least share of a class in all passages, too small to show in the figures of the others."""


def solve(limits: SharedLimits, wanted: Wanted, solve_part: SolvePart) -> RoutedSolution:
    """The steady state of a network whose classes share limited subnetworks, or of every point of a batch.

    Applies     open classes with Poisson arrivals; or closed classes, with open ones outside the subnetworks.
    limits      of `regions.shared`.
    wanted      the budget.
    solve_part  the chooser, which solves the networks inside and around the subnetworks, and layers.
    Returns   figures as of `solve.solve`, by class.
    Raises    as `solve.solve`, and `NotComputed` QN511 where the shares of closed classes do not converge.
    Method    Open: the arrivals of each class are a share of one Poisson stream, which leaves the network unchanged.
              Closed: a customer of a class finds the network with one customer of its class less; all customers there
              are one class, whose routes have the shares of their throughputs: a fixed point for each class. Waits are
              the means of these and those of layers, whose errors have the opposite sign: the flow-equivalent server
              makes the times between departures exponential, layers make the times inside independent of each other.
    """
    return (_Closed if limits.closed else _Open)(limits, wanted, solve_part).solve()


def _at_least_rare(shares: Sequence[Value]) -> list[Value]:
    """The shares of passages, at least `_RAREST`, so that a class without passages has the waits of a rare one."""
    return [max(share, _RAREST) if isinstance(share, float) else np.maximum(share, _RAREST) for share in shares]


class _Classes(Aggregation):
    """The part of the solution that open and closed classes share."""

    def __init__(self, limits: SharedLimits, wanted: Wanted, solve_part: SolvePart) -> None:
        super().__init__(limits.network, wanted, solve_part)
        self.limits = limits

    def joined_streams(self, compiled: Sequence[Stream], stated: Sequence[Stream]) -> list[int]:
        """For each stream of the network as stated, the index of the same stream in the network with one class."""
        joined, others = set(self.limits.joined), [-1]
        others += [index for index in range(len(self.network.classes)) if index not in joined]
        known: dict[tuple[int, str], Iterator[int]] = {}
        numbers: dict[tuple[int, str], list[int]] = {}
        for number, stream in enumerate(compiled):
            numbers.setdefault((others[stream.class_index], stream.route), []).append(number)
        for key, each in numbers.items():
            known[key] = iter(each)
        result: list[int] = []
        for stream in stated:
            index, route = stream.class_index, stream.route
            key = (-1, route_of(index, route)) if index in joined else (index, route)
            result.append(next(known[key]))
            one = compiled[result[-1]]
            assert (one.station, one.group, one.around) == (stream.station, stream.group, stream.around)
        return result


class _Open(_Classes):
    """Open classes: the same network with one class."""

    def solve(self) -> RoutedSolution:
        """Solve the network with one class, whose waits are those of each class."""
        network = self.network
        rates = [self.arrivals(index) for index in range(len(network.classes))]
        overall = total(rates)
        idle = overall == 0
        shares = [(rate + idle / len(rates)) / (overall + idle) for rate in rates]
        one = self.limits.as_one(_at_least_rare(shares), overall)
        solution = solve_one(one, self.limits.limited, self.wanted, self.solve_part)
        assert solution.passages is not None
        compiled = streams(network, self.operations, rates)
        numbers = self.joined_streams(solution.passages.compiled.streams, compiled.streams)
        waits = [solution.passages.waits[number] for number in numbers]
        loads = {item.name: self.column(item.load) for item in solution.loads}
        result = self.disaggregated(network, compiled, rates, waits, loads)
        one_class = solution.passages
        return result.replace(
            passages=result.passages
            and result.passages.replace(
                limited=one_class.limited, part_of=tuple(one_class.part_of[number] for number in numbers)
            ),
            exact=solution.exact,
            reasons=solution.reasons,
            warned=solution.warned,
            loads=solution.loads,
            full_at=solution.full_at,
            used_when_full=solution.used_when_full,
        )


class _Closed(_Classes):
    """Closed classes: the network with one class, as a customer of each class finds it."""

    def __init__(self, limits: SharedLimits, wanted: Wanted, solve_part: SolvePart) -> None:
        super().__init__(limits, wanted, solve_part)
        network, self.count = self.network, len(limits.joined)
        customers = [network.classes[index] for index in limits.joined]
        self.populations = np.stack([self.column(item.population) for item in network.closed])
        """(classes, points)"""
        self.figures_only: Wanted = wanted.replace(enclosed=False, near=None, ceilings=False)
        self.on_arrival = limits.replace(network=repeated(network, self.count))
        """The network as a customer of each class finds it: points x classes, the classes innermost."""
        others = self.populations[:, :, None] - np.eye(len(customers))[:, None]
        self.others = np.maximum(others, 0.0).reshape(self.count, -1)
        """(classes, points x classes) the other customers of each class that such a customer finds."""
        self.overall = np.repeat(self.populations.sum(0), self.count)
        """(points x classes,) all customers."""
        self.near: Ended = {}
        """Where the fixed points inside ended, in the network as customers find it."""

    def solve(self) -> RoutedSolution:
        """The solution with the means of the waits of one class and of layers."""
        shares = self.shares()
        solution = self.at(self.on_arrival, list(shares), self.overall, self.near)
        layered = self.solve_part(self.network, self.wanted.replace(method=LAYERS))
        assert layered.passages is not None and solution.passages is not None
        passages = layered.passages
        numbers = self.joined_streams(solution.passages.compiled.streams, passages.compiled.streams)
        waits: list[Wait] = []
        columns = {index: number for number, index in enumerate(self.limits.joined)}
        for number, stream, wait in zip(numbers, passages.compiled.streams, passages.waits, strict=True):
            as_one = self.table(solution.passages.waits[number].mean)[:, columns.get(stream.class_index, 0)]
            waits.append(_between(self.value(as_one), wait))
        waits = self.within_capacities(waits, passages.network)
        rates = self.throughputs(waits, passages.compiled)
        compiled = streams(self.network, self.operations, rates)
        loads = {item.name: self.column(item.load) for item in layered.loads}
        result = self.disaggregated(self.network, compiled, rates, waits, loads)
        apart = self.apart(result, layered)
        of_layers = [reason for reason in layered.reasons if not self.corrected(reason)]
        reasons = (*solution.reasons, *of_layers, *apart, *between_integers(self.network, self.operations))
        return result.replace(
            exact=False,
            reasons=tuple(dict.fromkeys(reasons)),
            warned=self.warned(solution, layered, apart),
            near=layered.near,
            stable=layered.stable,
        )

    def corrected(self, reason: str) -> bool:
        """Whether a reason of layers alone does not make the mean of both unreliable: that one of the classes soon
        returns to the place that it has left."""
        stations = {region.station for region in self.limits.limited}
        return isinstance(reason, Beyond) and reason.reason.code == SOON_BACK and reason.reason.station in stations

    def apart(self, result: RoutedSolution, layered: RoutedSolution) -> dict[str, Flags]:
        """The reason for each region at whose stations the classes differ, where the two estimates of a response do as
        well, or the times for which they hold a place; and (points,) where that is so.

        The classes inside then decide what the region can do, and not their number: the flow-equivalent server, which
        depends on the number alone, makes the response of a class too long.
        """
        far: Flags = np.zeros(self.points, bool)
        for index in self.limits.joined:
            mean, alone = (self.column(item.classes[index].response) for item in (result, layered))
            far |= 2.0 * np.abs(mean - alone) > _DIFFER * mean
        known: dict[str, Flags] = {}
        for region in self.limits.limited:
            different, uneven = self.different(region)
            why = {
                f"two estimates of a response differ by more than {_DIFFER:.0%}": different & far,
                f"hold a place for times more than a factor of {_UNEVEN:g} apart": different & uneven,
            }
            if causes := [cause for cause, flags in why.items() if flags.any()]:
                reason = Reason("different inside", station=region.station)
                text = f"{reason}, and {' or '.join(causes)}: beyond where errors were measured as small"
                known[Beyond(reason, "QN644", text)] = different & (far | uneven)
        return known

    def different(self, region: Region) -> tuple[Flags, Flags]:
        """(points,) whether some class in a region never visits a station there that another visits; and whether the
        classes are in it for times too far apart if they never waited."""
        unit = streams(self.network, self.operations, [1.0] * len(self.network.classes)).streams
        names = (region.station, *region.inner)
        visits = {(index, name): np.zeros(self.points, bool) for index in self.limits.joined for name in names}
        longest, shortest = np.zeros(self.points), np.full(self.points, np.inf)
        for stream in unit:
            if (key := (stream.class_index, stream.station)) not in visits:
                continue
            used = self.column(stream.rate) > 0
            visits[key] |= used
            if stream.station == region.station:
                kept = self.column(stream.holding.mean)
                longest = np.maximum(longest, np.where(used, kept, 0.0))
                shortest = np.minimum(shortest, np.where(used, kept, np.inf))
        inside = np.array([[visits[index, name] for name in names] for index in self.limits.joined])
        different = (inside[:, :1] & (inside != inside.any(0))).any((0, 1))
        return different, longest > _UNEVEN * (1 + 1e-9) * shortest

    def warned(self, on_arrival: RoutedSolution, layered: RoutedSolution, apart: Mapping[str, Flags]) -> Flags | None:
        """(points,) which points have warnings; None where either solution does not know."""
        if on_arrival.warned is None or layered.warned_by is None:
            return None
        of_layers = (flags for reason, flags in layered.warned_by.items() if not self.corrected(reason))
        return np.logical_or.reduce([on_arrival.warned.reshape(-1, self.count).any(1), *of_layers, *apart.values()])

    def throughputs(self, waits: Sequence[Wait], compiled: Streams) -> list[Value]:
        """Passages per second of every class with these waits, by stream of the network as stated."""
        result: list[Value] = []
        for index, item in enumerate(self.network.classes):
            if isinstance(item, OpenClass):
                result.append(item.arrival_rate)
                continue
            cycle = item.think_time + total(
                route.probability * part.mean_with(waits)
                for route in compiled.routes
                if route.class_index == index
                for part in route.parts.values()
            )
            result.append(item.population / (cycle + (cycle == 0)))
        return result

    def within_capacities(self, waits: Sequence[Wait], network: RoutedNetwork) -> list[Wait]:
        """The waits, longer for admission to subnetworks that would exceed their saturation throughput, equally for all
        classes."""
        unit = streams(network, self.operations, [1.0] * len(network.classes))
        result = list(waits)
        rates = self.throughputs(result, unit)
        of_joined = [rates[index] for index in self.limits.joined]
        overall = total(of_joined)
        idle = overall == 0
        shares = [(rate + idle) / (overall + idle * len(of_joined)) for rate in of_joined]
        population = self.populations.sum(0) if network.size else float(self.populations.sum())
        full = self.at(self.limits, shares, population).full_at
        for region in self.limits.limited:
            result = self.waiting_longer(result, unit, region, full.get(region.station, float("inf")))
        return result

    def waiting_longer(self, waits: list[Wait], unit: Streams, region: Region, most: Value) -> list[Wait]:
        """The waits, longer for admission to a region until it no longer exceeds its saturation throughput.

        unit  the streams for one passage per second of every class.
        most  the saturation throughput in passages per second of all classes together.
        """

        def above(longer: Array) -> Flags:
            """Whether the region or a station inside is more than saturated with admissions delayed by so much."""
            rates = self.throughputs(_longer(waits, unit, region.station, self.value(longer)), unit)
            used = total(rates[index] for index in self.limits.joined) / most
            return np.max([self.column(used), *self.busy(unit, region, rates, waits)], axis=0) > 1.0

        low: Array = np.zeros(self.points)
        needed = above(low)
        if not needed.any():
            return waits
        high: Array = low + 1e-9
        while (short := above(high)).any():
            high = np.where(short, 2.0 * high, high)
        for _ in range(_HALVES):
            middle: Array = (low + high) / 2
            short = above(middle)
            low, high = np.where(short, middle, low), np.where(short, high, middle)
        return _longer(waits, unit, region.station, self.value(np.where(needed, high, 0.0)))

    def busy(self, unit: Streams, region: Region, rates: Sequence[Value], waits: Sequence[Wait]) -> Iterator[Array]:
        """The utilizations of the station that is held and of those inside.

        rates  passages per second, by class.
        """
        stations = {station.name: station for station in self.network.stations}
        for key, members in unit.members().items():
            station = stations[key[0]]
            if key[0] in {region.station, *region.inner} and not station.delay and station.rates is None:
                streams_there = [unit.streams[number] for number in members]
                yield self.column(
                    total(rates[each.class_index] * each.rate * each.holding.mean_with(waits) for each in streams_there)
                    / station.servers
                )

    def at(
        self, limits: SharedLimits, shares: Sequence[Value], population: Value, near: Ended | None = None
    ) -> RoutedSolution:
        """The solution of the network with one class; `near` as of `solve.solve`.

        shares  of the passages, by class joined.
        """
        one = limits.as_one(_at_least_rare(shares), population)
        return solve_one(one, limits.limited, self.figures_only, self.solve_part, near)

    def shares(self) -> Array:
        """(classes, points x classes) the shares of passages by others, as a customer of each class finds them."""

        def map_at(chosen: Indices) -> BatchMap:
            network = at_points(self.on_arrival.network, chosen).replace(size=len(chosen))
            limits, others = self.on_arrival.replace(network=network), self.others[:, chosen]
            population = np.maximum(self.overall[chosen] - 1.0, 0.0)
            near = self.near if len(chosen) == len(self.overall) else {}

            def image(shares: Array) -> tuple[Array, Array]:
                kept = np.maximum(shares.T, 1e-12)
                solution = self.at(limits, list(kept / kept.sum(0)), population, near)
                result = self.shares_of(limits, solution, others).T
                return result, np.abs(result - shares).max(1)

            return image

        start = self.normalized(self.others).T
        every: Indices = np.arange(len(start))
        shares, done = early_point(map_at(every), start, _EARLY_ROUNDS, _EARLY)
        if done:
            return shares.T
        shares = fixed_points(map_at, start, _PATIENCE)
        residual = map_at(every)(shares)[1]
        if residual.max(initial=0.0) > _ENOUGH:
            worst = int(residual.argmax()) // self.count
            point = None if self.network.size is None else worst
            raise not_converged("the shares of classes at a limit", f"a residual of {_ENOUGH:.0e}", point=point)
        return shares.T

    def shares_of(self, limits: SharedLimits, solution: RoutedSolution, customers: Array) -> Array:
        """The shares of the classes in the passages of some customers, from the mean time of a passage of each class.

        customers  (classes, points x classes).
        """
        routes = iter(solution.routes)
        cycles = np.zeros(customers.shape)
        for number, index in enumerate(limits.joined):
            for route in limits.network.classes[index].routes:
                cycles[number] += np.asarray(route.probability * next(routes).response)
        return self.normalized(customers / np.where(cycles > 0, cycles, 1.0))

    def normalized(self, amounts: Array) -> Array:
        """Amounts as shares of their sum; equal shares where that is 0."""
        overall = amounts.sum(0)
        return np.where(overall > 0, amounts / np.where(overall > 0, overall, 1.0), 1.0 / len(amounts))

    def table(self, value: Value) -> Array:
        """(points, classes) a figure of points x classes."""
        return np.broadcast_to(np.asarray(value, float), (self.points * self.count,)).reshape(-1, self.count)


def _longer(waits: Sequence[Wait], unit: Streams, station: str, by: Value) -> list[Wait]:
    """The waits of all streams, with `by` seconds added to those at a station."""
    pairs = zip(waits, unit.streams, strict=True)
    return [wait.replace(mean=wait.mean + by) if stream.station == station else wait for wait, stream in pairs]


def _between(mean: Value, other: Wait) -> Wait:
    """The wait halfway between a mean and another wait, with the coefficient of variation of the latter."""
    between = (mean + other.mean) / 2
    factor = between / (other.mean + (other.mean == 0))
    return Wait(between, other.variance * factor * factor)
