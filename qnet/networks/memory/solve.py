"""Closed networks in which only so many customers may be inside a subnetwork: solved by flow-equivalent aggregation.

Each subnetwork by itself, with 1, 2, ... customers inside, gives its throughput at that number; with more customers
than may enter, the throughput stays what it is with as many as may. For what is around it the subnetwork is then a
station with these rates. The same with numbers of customers around it in the place of numbers inside gives the
throughput of the rest, and the number at each part follows from the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks.duration import Wait
from qnet.networks.exactness import Beyond
from qnet.networks.figures import Steady, figures, not_above_one
from qnet.networks.memory.averages import averaged
from qnet.networks.memory.levels import Levels, repeated, solved
from qnet.networks.memory.regions import Region, around, entries, inside
from qnet.networks.memory.states import spread, two_modes
from qnet.networks.routed import ClosedClass, Hold, RoutedNetwork, Time
from qnet.networks.solution import RoutedSolution
from qnet.networks.streams import Key, streams
from qnet.networks.wanted import Wanted
from qnet.record import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

METHOD = "flow-equivalent"


def solve(network: RoutedNetwork, found: tuple[Region, ...], wanted: Wanted) -> RoutedSolution:
    """The steady state of a network of one closed class with limited subnetworks, or of every point of a batch.

    Applies   what `regions` finds; open classes beside, that stay out of the subnetworks.
    network   rates per second, times in seconds, the population as a number of customers.
    found     its limited subnetworks.
    wanted    the method and its budget.
    Returns   figures by class, route and station. The wait of the held station is that for a place inside; its holding
              time is the time inside. Exact where a limit is never reached, and where what is inside is one visit to
              one station; else approximate: the time inside is taken as if customers left at a rate that depends on
              their number alone.
    Raises    `NotComputed` QN513 for a method or a figure that there is not, QN543 where there are too many numbers of
              customers; as `by_demands.solve`.
    Source    Chandy, Herzog, Woo, Parametric analysis of queuing networks, IBM J. Res. Dev. 19 (1975) 36-42; Courtois,
              Decomposability, 1977; Lazowska, Zahorjan, Graham, Sevcik, Quantitative System Performance, 1984,
              chapter 9.
    """
    if wanted.method not in ("auto", METHOD):
        text = f'{wanted.method} does not apply: "{found[0].station}" is held while others are waited for'
        raise NotComputed(Problem("QN513", text, f"auto, or {METHOD}"))
    if wanted.bounds:
        text = f'no bounds are known where "{found[0].station}" is held while others are waited for'
        raise NotComputed(Problem("QN513", text, "a network with product form"))
    return _Aggregation(network, found, wanted).solve()


class _Part(Record):
    """A region, or what is around them, at every number of customers there."""

    levels: Levels
    logs: Any
    """Logarithms of the products of 1 / throughput of passages of the class, (points, most + 1)."""
    places: Any
    """Which column of the levels holds at each number of customers, (most + 1,)."""


class _Aggregation:
    def __init__(self, network: RoutedNetwork, found: tuple[Region, ...], wanted: Wanted) -> None:
        import numpy

        self.np: Any = numpy
        self.network = network
        self.found = found
        self.wanted = wanted
        self.operations: Operations = FLOATS if network.size is None else arrays()
        self.points = 1 if network.size is None else network.size
        self.kind = found[0].class_index
        own = network.classes[self.kind]
        assert isinstance(own, ClosedClass)
        self.own = own
        self.population = self.column(own.population)
        self.most = int(self.np.ceil(self.population.max())) if self.points else 0
        self.profiles = {item.station: item for item in network.profiles}

    def column(self, value: Value) -> Any:
        """A value as an array of points."""
        return self.np.broadcast_to(self.np.asarray(value, float), (self.points,))

    def value(self, column: Any) -> Value:
        """An array of points as a value of the network."""
        return float(column[0]) if self.network.size is None else column

    def solve(self) -> RoutedSolution:
        """Take apart, solve the parts at every number of customers, and put them together."""
        np = self.np
        outer = self.outside()
        parts = [outer, *(self.region(region) for region in self.found)]
        shares = spread([part.logs for part in parts], self.population)
        throughput = self.throughput(parts, shares)
        network, waits = self.network, dict[str, list[Any]]()
        outer_waits = self.means(outer, shares[0])
        memory: dict[str, Any] = {}
        numbers = np.arange(self.most + 1)
        for region, part, own in zip(self.found, parts[1:], shares[1:], strict=True):
            waits[region.station] = self.means(part, own)
            often = self.column(entries(self.network, region)) * throughput
            queue = (own * np.maximum(numbers - region.limit, 0)).sum(axis=1)
            memory[region.station] = np.where(often > 0, queue / np.where(often > 0, often, 1.0), 0.0)
            profile = self.profiles.get(region.station)
            if profile is not None:
                network = averaged(network, profile.network, region, self.leaving(part, own, profile.levels))
        solution = self.told(network, throughput, waits, memory, outer_waits, outer.levels)
        return self.labelled(solution, parts, shares)

    # Parts

    def outside(self) -> _Part:
        """What is around the regions, with 1, 2, ... customers there."""
        np = self.np
        outer = around(self.network, self.found)
        count = 1 if self.no_queue(outer) else max(1, self.most)
        batch = repeated(outer, count + 1)
        people = np.tile(np.arange(count + 1.0), self.points)
        levels = solved(self.peopled(batch, people), self.kind, self.points, self.wanted, without=True)
        numbers = np.arange(self.most + 1)
        if count > 1 or self.most <= 1:
            return _Part(levels, levels.logs[:, : self.most + 1], np.minimum(numbers, count))
        # Customers who never meet pass through at n / time.
        factorials = np.concatenate([[0.0], np.cumsum(np.log(numbers[1:]))])
        logs = levels.logs[:, 1:2] * numbers - factorials
        logs[:, 0] = 0.0
        return _Part(levels, logs, np.minimum(numbers, 1))

    def no_queue(self, outer: RoutedNetwork) -> bool:
        """Whether customers of the class never wait for anybody outside of the regions, and nobody waits for them."""
        delays = {station.name for station in outer.stations if station.delay}
        steps = (step for route in outer.classes[self.kind].routes for step in route.steps)
        return all(isinstance(step, Time) or step.station in delays for step in steps)

    def peopled(self, batch: RoutedNetwork, population: Any) -> RoutedNetwork:
        """A batch with other numbers of customers."""
        classes = list(batch.classes)
        classes[self.kind] = self.own.replace(
            population=population,
            think_time=batch.classes[self.kind].think_time,  # type: ignore[union-attr]
            routes=batch.classes[self.kind].routes,
        )
        return batch.replace(classes=tuple(classes))

    def region(self, region: Region) -> _Part:
        """A region with 1, 2, ... customers inside."""
        np = self.np
        profile = self.profiles.get(region.station)
        count = profile.levels if profile else max(1, min(region.limit, self.most))
        batch = profile.network if profile else repeated(self.network, count)
        population = np.tile(np.arange(1.0, count + 1), self.points)
        levels = solved(inside(batch, region, population), 0, self.points, self.wanted)
        often = self.column(entries(self.network, region))[:, None]
        places = np.minimum(np.arange(self.most + 1), count)
        steps = np.zeros((self.points, self.most + 1))
        entering = np.where(often > 0, levels.throughput, 1.0)
        never = (often <= 0) | levels.instant[:, None]
        steps[:, 1:] = np.where(never, -np.inf, np.log(np.where(never, 1.0, often / entering[:, places[1:]])))
        return _Part(levels, np.cumsum(steps, axis=1), places)

    # Together

    def throughput(self, parts: list[_Part], shares: list[Any]) -> Any:
        """Passages of the class per second: what the part that decides most surely lets through."""
        np = self.np
        flows: list[Any] = []
        for number, (part, own) in enumerate(zip(parts, shares, strict=True)):
            rate = np.exp(part.logs[:, :-1] - part.logs[:, 1:])
            finite = np.isfinite(rate)
            flow = (own[:, 1:] * np.where(finite, rate, 0.0)).sum(axis=1)
            flows.append(np.where(finite.all(axis=1), flow, -1.0 - number))
        return np.max(np.stack(flows), axis=0) if self.most else np.zeros(self.points)

    def means(self, part: _Part, shares: Any) -> list[Any]:
        """The mean wait of every stream of a part over all its visits."""
        np = self.np
        found: list[Any] = []
        for rate, wait in zip(part.levels.rates, part.levels.waits, strict=True):
            often = shares * rate[:, part.places]
            idle = often.sum(axis=1, keepdims=True) <= 0
            weights = np.where(idle, shares, often)
            found.append((weights * wait[:, part.places]).sum(axis=1) / weights.sum(axis=1))
        return found

    def leaving(self, part: _Part, shares: Any, levels: int) -> Any:
        """How often customers leave a region with 1, 2, ... inside, (points, levels)."""
        np = self.np
        flow = shares * part.levels.throughput[:, part.places]
        found = np.zeros((self.points, levels))
        for number in range(1, self.most + 1):
            found[:, part.places[number] - 1] += flow[:, number]
        return found

    def told(
        self,
        network: RoutedNetwork,
        throughput: Any,
        waits: Mapping[str, list[Any]],
        memory: Mapping[str, Any],
        outer_waits: list[Any],
        outer: Levels,
    ) -> RoutedSolution:
        """The figures, from the waits of all parts."""
        of_station = {name: region.station for region in self.found for name in region.inner}
        inner = {name: iter(own) for name, own in waits.items()}
        others = iter(outer_waits)
        rates = [
            self.value(throughput) if index == self.kind else item.arrival_rate  # type: ignore[union-attr]
            for index, item in enumerate(network.classes)
        ]
        compiled = streams(network, self.operations, rates)
        found: list[Wait] = []
        for stream in compiled.streams:
            if stream.station in memory:
                mean = memory[stream.station]
            elif stream.station in of_station:
                mean = next(inner[of_station[stream.station]])
            else:
                mean = next(others)
            found.append(Wait(self.value(mean), 0.0))
        keys: dict[str, Key] = {
            group.label: (station.name, index)
            for station in network.stations
            for index, group in enumerate(station.groups)
        }
        rho: dict[Key, Value] = {}
        most = outer.throughput.shape[1]
        for item in outer.solution.loads:
            load = self.column(self.first(item.load, most))
            rho[keys[item.name]] = self.value(load)
        steady = Steady(network, rates, compiled, compiled.members(), found, rho, self.operations)
        return figures(steady, METHOD, 1)

    def first(self, value: Value, most: int) -> Any:
        """Of a value of points and numbers of customers the one of each point."""
        return self.np.broadcast_to(self.np.asarray(value, float), (self.points * most,)).reshape(-1, most)[:, 0]

    # What is said of it

    def labelled(self, solution: RoutedSolution, parts: list[_Part], shares: list[Any]) -> RoutedSolution:
        """The solution with its reasons, its ceiling, and the states of the regions."""
        reasons = self.reasons(parts, shares)
        classes = list(solution.classes)
        classes[self.kind] = classes[self.kind].replace(
            population=self.own.population, think_time=self.own.think_time
        )  # fmt: skip
        alone = self.network.size is None
        return solution.replace(
            exact=not reasons,
            reasons=reasons,
            classes=tuple(classes),
            stations=tuple(not_above_one(item, self.operations) for item in solution.stations),
            ceiling=self.ceiling(parts) if alone and len(self.network.classes) == 1 else None,
            states=self.states(shares) if alone and self.wanted.states else None,
            passages=None,
        )

    def states(self, shares: list[Any]) -> dict[str, tuple[float, ...]]:
        """How many customers are at each region, those who wait for it included."""
        return {region.station: tuple(own[0].tolist()) for region, own in zip(self.found, shares[1:], strict=True)}

    def reasons(self, parts: list[_Part], shares: list[Any]) -> tuple[str, ...]:
        """Why the answer is approximate."""
        told = [reason for part in parts for reason in part.levels.solution.reasons]
        if (self.population != self.np.floor(self.population)).any():
            told.append("figures of a population that is no whole number are between those of two that are")
        for region, own in zip(self.found, shares[1:], strict=True):
            if region.station in self.profiles:
                told.append(f"{region.station}: what changes with the number inside is taken as if it never moved")
            elif self.most > region.limit and not _one_visit(self.network, region):
                told.append(f"{region.station}: what is behind it is taken as one station with its throughput")
            modes = next((found for row in own if (found := two_modes(row))), None)
            if modes:
                low, high = modes
                text = f"{region.station}: two numbers of customers are both likely there, around {low} and {high}"
                warning = f"{text}: the system stays in one mode for long, and means are of neither"
                told.append(Beyond(text, "QN643", warning))
        return tuple(dict.fromkeys(told))

    def ceiling(self, parts: list[_Part]) -> tuple[Value, str] | None:
        """What the throughput tends to with ever more customers, and the station that limits it."""
        from qnet.networks.by_demands import solve as solve_demands

        outer = around(self.network, self.found)
        found = [solve_demands(outer, Wanted(enclosed=False)).ceiling] if not parts[0].levels.instant[0] else []
        for region in self.found:
            often = float(entries(self.network, region))
            full = inside(self.network, region, float(region.limit))
            if often > 0:
                most = solve_demands(full, Wanted(enclosed=False)).throughput / often
                found.append((most, region.station))
        return min((item for item in found if item is not None), default=None)


def _one_visit(network: RoutedNetwork, region: Region) -> bool:
    """Whether customers inside a region make one visit to one station, all alike, which order and limit do not change."""
    ways = [step for route in network.classes[region.class_index].routes for step in route.steps]
    held = [step for step in ways if isinstance(step, Hold) and step.station == region.station]
    stations = {station.name: station for station in network.stations}
    for hold in held:
        if len(hold.steps) != 1 or not isinstance(hold.steps[0], Hold):
            return False
        only = hold.steps[0]
        alike = isinstance(only.visits, float) and only.visits == 1.0
        single = len(stations[only.station].groups) == 1 and stations[only.station].copies == 1
        plain = all(isinstance(item, Time) and isinstance(item.visits, float) and item.visits == 1.0
                    and isinstance(item.scv, float) and item.scv == 1.0 for item in only.steps)  # fmt: skip
        if not (alike and single and plain and len(only.steps) == 1):
            return False
    return len({hold.steps for hold in held}) == 1 if network.size is None else len(held) == 1
