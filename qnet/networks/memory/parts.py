"""Limited subnetworks at every number of customers inside, and the figures of the network put together from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import Array, np
from qnet.networks.duration import Wait
from qnet.networks.exactness import AGGREGATED, Beyond
from qnet.networks.figures import Steady, figures, not_above_one
from qnet.networks.memory.averages import averaged
from qnet.networks.memory.levels import Levels, repeated, solved
from qnet.networks.memory.regions import Region, entries, holds, inside
from qnet.networks.memory.states import two_modes
from qnet.networks.passage_times import Passages
from qnet.networks.routed import Hold, OpenClass, RoutedNetwork, Time
from qnet.networks.solution import RoutedSolution
from qnet.networks.streams import Key, streams
from qnet.networks.wanted import Wanted
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart

_BUSY = 0.7
"""The load of arrivals up to which errors were measured."""


class Part(Record):
    """A region, or what is around them, at every number of customers there."""

    levels: Levels
    logs: Any
    """Logarithms of the products of 1 / throughput of passages of the class, (points, most + 1)."""
    places: Any
    """Which column of the levels holds at each number of customers, (most + 1,)."""

    def means(self, shares: Array) -> list[Any]:
        """The mean wait of every stream over all its visits, by the shares of time with 0, 1, ... customers."""
        found: list[Any] = []
        for rate, wait in zip(self.levels.rates, self.levels.waits, strict=True):
            often = shares * rate[:, self.places]
            idle = often.sum(axis=1, keepdims=True) <= 0
            weights = np.where(idle, shares, often)
            found.append((weights * wait[:, self.places]).sum(axis=1) / weights.sum(axis=1))
        return found

    def leaving(self, shares: Any, levels: int) -> Any:
        """How often customers leave a region with 1, 2, ... inside, (points, levels)."""
        flow = shares * self.levels.throughput[:, self.places]
        found = np.zeros((len(flow), levels))
        for number, place in enumerate(self.places.tolist()):
            if place:
                found[:, place - 1] += flow[:, number]
        return found


class Outside(Record):
    """What is around the regions, as it is on average."""

    waits: Sequence[Any]
    """By stream, (points,)."""
    loads: Mapping[str, Any]
    """By label of a station group, (points,)."""
    reasons: tuple[str, ...]


class Inside(Record):
    """A region, as it is on average."""

    part: Part
    shares: Any
    """The shares of time with 0, 1, ... customers there, those who wait for a place included, (points, most + 1); of
    arrivals that never end the last is of all greater numbers."""
    each: Any
    """The same without the greater numbers."""
    wait: Any
    """Mean wait for a place inside, (points,)."""
    exact: bool
    """Whether nothing is lost by taking it as one station."""
    load: Any
    """Of arrivals that never end: the share of what it lets through when full, (points,)."""

    @property
    def crowded(self) -> bool:
        """Whether arrivals that never end are more than measured, at a point that has a steady state."""
        return bool(((self.load > _BUSY) & (self.load < 1)).any())


class Aggregation:
    """A network with limited subnetworks: what is the same for closed and open classes."""

    def __init__(
        self, network: RoutedNetwork, found: tuple[Region, ...], wanted: Wanted, solve_part: SolvePart
    ) -> None:
        self.network = network
        self.found = found
        self.wanted = wanted
        self.solve_part = solve_part
        self.operations: Operations = FLOATS if network.size is None else arrays()
        self.points = 1 if network.size is None else network.size
        self.profiles = {item.station: item for item in network.profiles}

    def column(self, value: Value) -> Any:
        """A value as an array of points."""
        return np.broadcast_to(np.asarray(value, float), (self.points,))

    def value(self, column: Any) -> Value:
        """An array of points as a value of the network."""
        return float(column[0]) if self.network.size is None else column

    def region(self, region: Region, most: int) -> Part:
        """A region with up to so many customers there; only as many are inside as may be."""
        profile = self.profiles.get(region.station)
        count = profile.levels if profile else max(1, min(region.limit, most))
        batch = profile.network if profile else repeated(self.network, count)
        population = np.tile(np.arange(1.0, count + 1), self.points)
        levels = solved(inside(batch, region, population), 0, self.points, self.wanted, self.solve_part)
        often = self.column(entries(self.network, region))[:, None]
        places = np.minimum(np.arange(most + 1), count)
        never = (often <= 0) | levels.instant[:, None]
        through = np.where(never, 1.0, levels.throughput[:, places[1:]])
        steps = np.zeros((self.points, most + 1))
        steps[:, 1:] = np.where(never, -np.inf, np.log(np.where(never, 1.0, often)) - np.log(through))
        return Part(levels, np.cumsum(steps, axis=1), places)

    def one_visit(self, region: Region) -> bool:
        """Whether customers inside make one visit to one station, all alike: then it is a station by itself."""
        own = [hold for _, hold in holds(self.network, region)]
        stations = {station.name: station for station in self.network.stations}
        for hold in own:
            only = hold.steps[0] if len(hold.steps) == 1 else None
            if not isinstance(only, Hold) or len(only.steps) != 1:
                return False
            if stations[only.station].copies > 1 or not _is_one(only.visits) or only.scv is not None:
                return False
            time = only.steps[0]
            if not (isinstance(time, Time) and _is_one(time.visits) and _is_one(time.scv)):
                return False
        return len(own) == 1

    def together(self, throughputs: list[Value], regions: Sequence[Inside], outside: Outside) -> RoutedSolution:
        """The figures of the network, from what its parts are on average.

        throughputs  passages per second of every class.
        """
        network = self.network
        waits = {name: iter(outside.waits) for name in ("",)}
        of_station: dict[str, str] = {}
        memory: dict[str, Any] = {}
        for region, found in zip(self.found, regions, strict=True):
            memory[region.station] = found.wait
            of_station |= dict.fromkeys(region.inner, region.station)
            waits[region.station] = iter(found.part.means(found.shares))
            profile = self.profiles.get(region.station)
            if profile:
                weights = found.part.leaving(found.shares, profile.levels)
                network = averaged(network, profile.network, region, weights)
        compiled = streams(network, self.operations, throughputs)
        told: list[Wait] = []
        for stream in compiled.streams:
            own = memory.get(stream.station)
            mean = next(waits[of_station.get(stream.station, "")]) if own is None else own
            told.append(Wait(self.value(mean), 0.0))
        keys: dict[str, Key] = {
            group.label: (station.name, index)
            for station in network.stations
            for index, group in enumerate(station.groups)
        }
        rho = {keys[label]: self.value(load) for label, load in outside.loads.items()}
        steady = Steady(network, throughputs, compiled, compiled.members(), told, rho, self.operations)
        solution = figures(steady, AGGREGATED, 1)
        reasons = tuple(dict.fromkeys([*outside.reasons, *self.reasons(regions)]))
        return solution.replace(
            exact=not reasons,
            reasons=reasons,
            stations=tuple(not_above_one(item, self.operations) for item in solution.stations),
            passages=Passages(network, compiled, tuple(throughputs), tuple(told)),
            network=network if self.profiles else None,
        )

    def opened(self, region: Region) -> bool:
        """Whether those who come to a region arrive from outside."""
        return isinstance(self.network.classes[region.class_index], OpenClass)

    def reasons(self, regions: Sequence[Inside]) -> Iterable[str]:
        """Why regions are approximate."""
        for region, own in zip(self.found, regions, strict=True):
            yield from own.part.levels.solution.reasons
            reason = ""
            if region.station in self.profiles:
                reason = f"{region.station}: what changes with the number inside is taken as if that had stood for long"
            elif not own.exact:
                reason = f"{region.station}: the stations behind it are taken as one with their throughput"
            if reason and (own.part.levels.longest > 1 + 1e-9).any():
                text = f"some visits behind {region.station} are longer than most passages of it"
                yield Beyond(reason, "QN644", f"{text}: beyond where errors were measured as small")
            elif reason and own.crowded:
                text = f"{region.station} has more than {_BUSY:.0%} of the load that it can take"
                yield Beyond(reason, "QN645", f"{text}: beyond where errors were measured as small")
            elif reason and own.part.levels.solution.reasons and self.opened(region):
                text = f"{region.station} lets arrivals in to another place of the same kind"
                yield Beyond(reason, "QN645", f"{text}: beyond where errors were measured as small")
            elif reason:
                yield reason
            modes = next((found for row in own.each if (found := two_modes(row))), None)
            if modes:
                told = "" if self.network.size is not None else f", around {modes[0]} and {modes[1]}"
                text = f"{region.station}: two numbers of customers are likely there{told}"
                yield Beyond(text, "QN643", f"{text}; it stays near each of them for long, and no mean tells of either")


def _is_one(value: Value | None) -> bool:
    return isinstance(value, float) and value == 1.0
