"""Random networks whose classes share one station that is held around others, and their exact responses by class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from level_chain import solve as levels

from qnet.expression import arrays
from qnet.networks.layers.solve import point_problems
from qnet.networks.layers.together import LayerProblem
from qnet.networks.layers.together import together as layers_together
from qnet.networks.routed import ClosedClass, Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve
from qnet.networks.streams import streams
from qnet.networks.wanted import AUTO, Wanted

PLACES = ("", "cpu", "disk")
Inside = tuple[tuple[int, ...], ...]
CHAIN = Wanted(method="states")
"""The chain of all states, with which nothing of the methods that are measured is shared."""
APPROXIMATE = AUTO.replace(chain=0)


class System(NamedTuple):
    """Classes of customers who hold one of some places, and meanwhile visit one station or two in turn."""

    places: int
    servers: int
    """Of the first station inside; the second has one."""
    amounts: tuple[float, ...]
    """Customers, or arrivals per second, by class."""
    thinks: tuple[float, ...]
    """By class; none for open ones."""
    visits: tuple[tuple[tuple[str, float], ...], ...]
    """By class: stations and mean times there, in turn; "" for time that the place alone is held."""

    @property
    def order(self) -> list[int]:
        """The classes by the stations that they visit, in which those of systems of one structure correspond."""
        return sorted(range(len(self.visits)), key=self.stations)

    @property
    def structure(self) -> tuple[Any, ...]:
        """What is the same for all systems of a batch; of times, which are the same for several classes."""
        visits = [dict(self.visits[kind]) for kind in self.order]
        even = [len({each[name] for each in visits if name in each}) < 2 for name in PLACES[1:]]
        identical = [visits.index(each) for each in visits]
        return self.places, self.servers, [self.stations(kind) for kind in self.order], even, identical

    def stations(self, kind: int) -> list[str]:
        """Those inside that a class visits, in turn."""
        return [name for name, _ in self.visits[kind] if name]

    def network(self) -> RoutedNetwork:
        used = {name for visits in self.visits for name, _ in visits}
        stations = [_station("memory", self.places)]
        stations += [
            _station(name, count) for name, count in (("cpu", self.servers), ("disk", 1)) if name in used
        ]  # fmt: skip
        return RoutedNetwork(tuple(stations), tuple(self._class(number) for number in range(len(self.visits))))

    def _class(self, number: int) -> OpenClass | ClosedClass:
        inside = tuple(Hold(name, (Time(time),)) if name else Time(time) for name, time in self.visits[number])
        routes = (Route("way", 1.0, (Hold("memory", inside),)),)
        if self.thinks:
            return ClosedClass(f"{number}", self.amounts[number], self.thinks[number], routes)
        return OpenClass(f"{number}", self.amounts[number], routes)

    def exact(self) -> list[float]:
        """Responses by class."""
        if not self.thinks:
            return self.exact_open()
        solution = solve(self.network(), CHAIN)
        assert solution.exact
        return [float(item.response) for item in solution.classes]

    def exact_open(self) -> list[float]:
        """Responses of arrivals by class. Who comes next from the line is chance; inside, the order is kept.

        A phase has who is inside, by class: those who hold a place alone, and those at each station in order.
        """
        whole = sum(self.amounts)

        def moved(phase: Inside, kind: int, after: str | None) -> Inside | None:
            """The phase after somebody of a class is done with something, or has come in; None where it leaves."""
            names = [name for name, _ in self.visits[kind]]
            number = 0 if after is None else names.index(after) + 1
            if number == len(names):
                return None
            place = PLACES.index(names[number])
            line = (*phase[place], kind)
            return (*phase[:place], line if place else tuple(sorted(line)), *phase[place + 1 :])

        def entered(phase: Inside) -> Iterator[tuple[float, Inside]]:
            for kind, rate in enumerate(self.amounts):
                after = moved(phase, kind, None)
                assert after is not None
                yield rate / whole, after

        def moves(level: int, phase: Any) -> Iterator[tuple[float, int, Any]]:
            if level < self.places:
                yield from ((whole * share, level + 1, after) for share, after in entered(phase))
            else:
                yield whole, level + 1, phase
            for place, name in enumerate(PLACES):
                line = phase[place]
                for number in range(min(len(line), (len(line), self.servers, 1)[place])):
                    kind = line[number]
                    rate = 1.0 / dict(self.visits[kind])[name]
                    rest = (*phase[:place], (*line[:number], *line[number + 1 :]), *phase[place + 1 :])
                    after = moved(rest, kind, name)
                    if after is not None:
                        yield rate, level, after
                    elif level > self.places:
                        yield from ((rate * share, level - 1, other) for share, other in entered(rest))
                    else:
                        yield rate, level - 1, rest

        found = levels(moves, ((), (), ()), self.places)
        inside = [found.mean(lambda phase, kind=kind: sum(line.count(kind) for line in phase)) for kind in (0, 1)]
        line = (found.level - sum(inside)) / whole
        return [line + number / rate for number, rate in zip(inside, self.amounts, strict=True)]


def together(systems: Sequence[System]) -> RoutedNetwork:
    """Systems of one structure as a batch, the classes of each in its order."""
    first = systems[0]
    classes: list[OpenClass | ClosedClass] = []
    for place, example in enumerate(first.order):
        chosen = [(system, system.order[place]) for system in systems]
        visits = [dict(system.visits[kind]) for system, kind in chosen]
        inside = [Time(np.array([each.get("", 0.0) for each in visits]))]
        inside += [Hold(name, (Time(np.array([each[name] for each in visits])),)) for name in first.stations(example)]
        routes = (Route("way", 1.0, (Hold("memory", tuple(inside)),)),)
        amount = np.array([system.amounts[kind] for system, kind in chosen])
        if first.thinks:
            think = np.array([system.thinks[kind] for system, kind in chosen])
            classes.append(ClosedClass(f"{place}", amount, think, routes))
        else:
            classes.append(OpenClass(f"{place}", amount, routes))
    return first.network().replace(classes=tuple(classes), size=len(systems))


def answered(systems: Sequence[System]) -> Iterator[tuple[list[int], RoutedSolution]]:
    """The indices of the systems of each structure, and their answers as a batch."""
    structures: dict[str, list[int]] = {}
    for number, system in enumerate(systems):
        structures.setdefault(repr(system.structure), []).append(number)
    with layers_together(layered(systems)):
        for numbers in structures.values():
            yield numbers, solve(together([systems[number] for number in numbers]), APPROXIMATE)


def layered(systems: Sequence[System]) -> Iterator[LayerProblem]:
    """What layers are asked of closed systems: to them structures that differ in servers alone are one batch."""
    for system in systems:
        if system.thinks:
            network = together([system])
            yield from point_problems(network, streams(network, arrays(), [1.0] * len(network.classes)))


def _station(name: str, servers: int) -> Station:
    return Station(name, False, servers, "fcfs", (Group(name, 1, 1.0),))


def _log(draw: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(draw.uniform(np.log(low), np.log(high))))


def _visits(draw: np.random.Generator, kinds: int, both: float) -> tuple[tuple[tuple[str, float], ...], ...]:
    """Times at a station are the same for all classes, or up to a factor of 3 apart; so often a class visits both."""
    times = {name: _log(draw, 0.2, 1.0) for name in ("cpu", "disk")}
    even = draw.random() < 0.5
    result: list[Any] = []
    for _ in range(kinds):
        names = ["cpu", "disk"] if draw.random() < both else [str(draw.choice(["cpu", "disk"]))]
        inside = [(name, times[name] * (1.0 if even else _log(draw, 3**-0.5, 3**0.5))) for name in names]
        own = [("", _log(draw, 0.1, 1.0))] if draw.random() < 0.3 else []
        result.append((*own, *inside))
    return tuple(result)


def closed(draw: np.random.Generator) -> System:
    """Two or three classes of up to nine customers together, three or four places; some return after a moment, or at
    once."""
    places, kinds = int(draw.choice([3, 3, 4])), int(draw.choice([2, 2, 2, 3]))
    counts = np.ones(kinds, int)
    most = 9 if kinds == 2 else 8  # The chains of three classes with more have too many states.
    for _ in range(int(draw.integers(places + 2, most + 1)) - kinds):
        counts[draw.integers(kinds)] += 1
    servers, visits = int(draw.choice([1, 1, 2])), _visits(draw, kinds, 0.5)
    mean = sum(time for each in visits for _, time in each) / kinds
    thinks = tuple(0.0 if draw.random() < 0.3 else mean * _log(draw, 0.03, 6.0) for _ in range(kinds))
    return System(places, servers, tuple(map(float, counts)), thinks, visits)


def arriving(draw: np.random.Generator) -> tuple[System, float]:
    """Two classes of rare arrivals, two or three places; and up to 70 %, the share of the largest rate that arrives."""
    places, servers, visits = int(draw.choice([2, 2, 3])), int(draw.choice([1, 1, 2])), _visits(draw, 2, 0.75)
    rates = 1e-6 * draw.dirichlet([2.0, 2.0])
    return System(places, servers, tuple(map(float, rates)), (), visits), draw.uniform(0.2, 0.7)


def loaded(drawn: Sequence[tuple[System, float]]) -> list[System]:
    """The systems with these shares of their largest rates."""
    result = [system for system, _ in drawn]
    for numbers, solution in answered(result):
        for number, most in zip(numbers, solution.full_at["memory"].tolist(), strict=True):
            system, share = drawn[number]
            result[number] = system._replace(amounts=tuple(1e6 * rate * (most * share) for rate in system.amounts))
    return result
