"""Closed networks with limited subnetworks: who is where, by the throughput of every part at each number of customers.

Each subnetwork by itself, with 1, 2, ... customers inside, gives its throughput at that number; with more customers
than may enter, it stays what it is with as many as may. The rest of the network, with the subnetworks passed in no
time, gives its throughput in the same way. All these are stations whose rates depend on the number present.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qnet.errors import NoAnswer, Problem
from qnet.expression import Value
from qnet.lazy import np
from qnet.networks.exactness import between_whole
from qnet.networks.memory.levels import repeated, solved
from qnet.networks.memory.parts import Aggregation, Inside, Outside, Part
from qnet.networks.memory.regions import UNLIMITED, Region, around, entries, inside
from qnet.networks.memory.states import spread
from qnet.networks.routed import ClosedClass, Hold, OpenClass, RoutedNetwork, Time
from qnet.networks.solution import RoutedSolution
from qnet.networks.wanted import Wanted

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart


def solve_closed(
    network: RoutedNetwork, found: tuple[Region, ...], wanted: Wanted, solve_part: SolvePart
) -> RoutedSolution:
    """The steady state of a network of one closed class with limited subnetworks; as `memory.solve`."""
    return _Closed(network, found, wanted, solve_part).solve()


_EXTRA = 100_000
"""Customers, over all points, with which a region is solved again only to know what it lets through at most."""


class _Closed(Aggregation):
    def __init__(
        self, network: RoutedNetwork, found: tuple[Region, ...], wanted: Wanted, solve_part: SolvePart
    ) -> None:
        super().__init__(network, found, wanted, solve_part)
        self.kind = found[0].class_index
        own = network.classes[self.kind]
        assert isinstance(own, ClosedClass)
        self.own = own
        self.population = self.column(own.population)
        self.most = int(np.ceil(self.population.max())) if self.points else 0

    def solve(self) -> RoutedSolution:
        """Take apart, solve the parts at every number of customers, and put them together."""
        outer = self.outside()
        parts = [self.region(region, self.most) for region in self.found]
        self.refuse_idle([outer, *parts])
        first, *shares = spread([outer.logs, *(part.logs for part in parts)], self.population)
        throughput = self.throughput([outer, *parts], [first, *shares])
        regions: list[Inside] = []
        for region, part, own in zip(self.found, parts, shares, strict=True):
            often = self.column(entries(self.network, region)) * throughput
            queue = (own * np.maximum(np.arange(self.most + 1) - region.limit, 0)).sum(axis=1)
            wait = np.where(often > 0, queue / np.where(often > 0, often, 1.0), 0.0)
            exact = self.most <= region.limit or self.one_visit(region)
            regions.append(Inside(part, own, own, wait, exact, np.zeros(1)))
        loads = {item.name: self.first(item.load, outer) for item in outer.levels.solution.loads}
        reasons = (*outer.levels.solution.reasons, *between_whole(self.network, self.operations))
        around_them = Outside(outer.means(first), loads, reasons)
        rates = [
            item.arrival_rate if isinstance(item, OpenClass) else self.value(throughput)
            for item in self.network.classes
        ]
        solution = self.together(rates, regions, around_them)
        classes = list(solution.classes)
        own = self.own
        classes[self.kind] = classes[self.kind].replace(population=own.population, think_time=own.think_time)
        alone = self.network.size is None
        full = self.full(parts)
        return solution.replace(
            classes=tuple(classes),
            full_at=full,
            ceiling=self.ceiling(outer, full) if alone and len(classes) == 1 else None,
            states=self.states(shares) if alone and self.wanted.states else None,
        )

    def outside(self) -> Part:
        """What is around the regions, with 0, 1, ... customers there."""
        outer = around(self.network, self.found)
        count = 1 if self.no_queue(outer) else max(1, self.most)
        people = np.tile(np.arange(count + 1.0), self.points)
        batch = repeated(outer, count + 1)
        classes = list(batch.classes)
        classes[self.kind] = batch.classes[self.kind].replace(population=people)
        levels = solved(
            batch.replace(classes=tuple(classes)), self.kind, self.points, self.wanted, self.solve_part, without=True
        )
        numbers = np.arange(self.most + 1)
        places = np.minimum(numbers, count)
        if count >= self.most:
            return Part(levels, levels.logs[:, : self.most + 1], places)
        # Customers who never meet pass through at n / time.
        factorials = np.concatenate([[0.0], np.cumsum(np.log(numbers[1:]))])
        logs = np.where(numbers > 0, levels.logs[:, 1:2] * np.maximum(numbers, 1) - factorials, 0.0)
        return Part(levels, logs, places)

    def no_queue(self, outer: RoutedNetwork) -> bool:
        """Whether customers of the class never wait for anybody outside of the regions, and nobody waits for them."""
        delays = {station.name for station in outer.stations if station.delay}
        steps = (step for route in outer.classes[self.kind].routes for step in route.steps)
        return all((isinstance(step, Hold) and step.station in delays) or isinstance(step, Time) for step in steps)

    def refuse_idle(self, parts: list[Part]) -> None:
        """Raise where customers spend no time anywhere."""
        idle = np.isinf(np.stack([part.logs[:, -1] for part in parts])).all(axis=0)
        if self.most and (idle & (self.population > 0)).any():
            found = f'class "{self.own.name}" has customers and neither demand nor think time'
            raise NoAnswer(Problem("QN403", f"{found}: its throughput has no limit", "some time to spend"))

    def throughput(self, parts: list[Part], shares: list[Any]) -> Any:
        """Passages of the class per second, from the first part in which they spend any time."""
        found = np.zeros(self.points)
        for part, own in zip(parts[::-1], shares[::-1], strict=True):
            spends = np.isfinite(part.logs).all(axis=1)
            logs = np.where(spends[:, None], part.logs, 0.0)
            rate = np.exp(logs[:, :-1] - logs[:, 1:])
            found = np.where(spends, (own[:, 1:] * rate).sum(axis=1), found)
        return found

    def first(self, value: Value, part: Part) -> Any:
        """Of a value of points and numbers of customers the one of each point."""
        shape = part.levels.throughput.shape
        return np.broadcast_to(np.asarray(value, float), (shape[0] * shape[1],)).reshape(shape)[:, 0]

    def states(self, shares: list[Any]) -> dict[str, tuple[float, ...]]:
        """How many customers are at each region, those who wait for a place included."""
        return {region.station: tuple(own[0].tolist()) for region, own in zip(self.found, shares, strict=True)}

    def full(self, parts: list[Part]) -> dict[str, Value]:
        """The passages per second that each region lets through at most; of many points where all numbers are known."""
        found: dict[str, Value] = {}
        for region, part in zip(self.found, parts, strict=True):
            often = self.column(entries(self.network, region))
            if region.limit < part.levels.throughput.shape[1]:
                most = part.levels.throughput[:, : region.limit + 1].max(axis=1)
            elif (
                self.points * region.limit <= _EXTRA
                and region.station not in self.profiles
                and not part.levels.instant.any()
            ):
                crowd = inside(self.network, region, float(region.limit))
                most = self.column(self.solve_part(crowd, Wanted(enclosed=False)).throughput)
            else:
                continue
            endless = (often <= 0) | part.levels.instant
            found[region.station] = self.value(np.where(endless, np.inf, most / np.where(endless, 1.0, often)))
        return found

    def ceiling(self, outer: Part, full: dict[str, Value]) -> tuple[Value, str] | None:
        """What the throughput cannot exceed, however many customers there are, and the station that limits it."""
        if any(region.station not in full and region.limit < UNLIMITED for region in self.found):
            return None
        found = [(rate, label) for label, rate in full.items() if rate < float("inf")]
        if not outer.levels.instant[0]:
            limit = self.solve_part(around(self.network, self.found), Wanted(enclosed=False)).ceiling
            found += [limit] if limit else []
        return min(found, default=None)
