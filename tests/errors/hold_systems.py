"""Random open networks of one station that is held around another, and their exact responses by class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from level_chain import solve
from lone_holder_chain import LoneHolder
from nested_chain import solve_chain

from qnet.errors import NotComputed
from qnet.networks.routed import Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve as solve_network
from qnet.networks.wanted import Wanted

Asking = tuple[int, ...]
"""The classes of those at the inner station before their response, in order of arrival."""


class Held(NamedTuple):
    """Customers hold one of some servers for a time of their class, and then while an inner server serves them."""

    rates: tuple[float, ...]
    """Arrivals per second by class."""
    outer: int
    """Servers."""
    inner: int
    apart: tuple[float, ...]
    """Mean time for which the outer server alone is held, by class."""
    first: float
    """Mean service time at the inner station up to the response."""
    second: float
    """And after it, while both servers are kept."""

    def network(self) -> RoutedNetwork:
        late = (Time(self.second, phase=2),) if self.second else ()
        classes = tuple(
            OpenClass(f"{kind}", rate, (Route("way", 1.0, (
                Hold("outer", (Time(apart), Hold("inner", (Time(self.first), *late)))),
            )),))
            for kind, (rate, apart) in enumerate(zip(self.rates, self.apart, strict=True))
        )  # fmt: skip
        return RoutedNetwork((station("outer", self.outer), station("inner", self.inner)), classes)

    def exact(self) -> list[float]:
        """Responses by class. Who comes next from the line is chance; at the inner station the order is kept."""
        whole = sum(self.rates)
        kinds = range(len(self.rates))

        def begun(away: tuple[int, ...]) -> Iterator[tuple[float, tuple[int, ...]]]:
            for kind in kinds:
                yield self.rates[kind] / whole, changed(away, kind, 1)

        def changed(away: tuple[int, ...], kind: int, by: int) -> tuple[int, ...]:
            return tuple(count + by * (place == kind) for place, count in enumerate(away))

        def left(level: int, away: tuple[int, ...], asking: Asking, late: int) -> Iterator[tuple[float, int, Any]]:
            if level - 1 < self.outer:
                yield 1.0, level - 1, (away, asking, late)
            else:
                yield from ((chance, level - 1, (other, asking, late)) for chance, other in begun(away))

        def moves(level: int, phase: Any) -> Iterator[tuple[float, int, Any]]:
            away, asking, late = phase
            if level < self.outer:
                yield from ((whole * chance, level + 1, (other, asking, late)) for chance, other in begun(away))
            else:
                yield whole, level + 1, phase
            for kind in kinds:
                yield away[kind] / self.apart[kind], level, (changed(away, kind, -1), (*asking, kind), late)
            for place in range(min(len(asking), self.inner - late)):
                rest = (*asking[:place], *asking[place + 1 :])
                if self.second:
                    yield 1 / self.first, level, (away, rest, late + 1)
                else:
                    for chance, *after in left(level, away, rest, late):
                        yield chance / self.first, *after
            if late:
                for chance, *after in left(level, away, asking, late - 1):
                    yield chance * late / self.second, *after

        found = solve(moves, ((0,) * len(self.rates), (), 0), self.outer)
        line = (found.level - found.mean(lambda phase: sum(phase[0]) + len(phase[1]) + phase[2])) / whole
        inside = [
            found.mean(lambda phase, kind=kind: phase[1][max(self.inner - phase[2], 0) :].count(kind)) / rate
            for kind, rate in enumerate(self.rates)
        ]
        return [line + wait + apart + self.first for wait, apart in zip(inside, self.apart, strict=True)]


class Shared(NamedTuple):
    """Customers as of `Held`, of one class; others come to the inner station, of one server, from outside."""

    rates: tuple[float, float]
    """Of those who hold, and of those from outside."""
    outer: int
    apart: float
    times: tuple[float, float]
    """Mean service times at the inner station, of both."""
    room: int
    """For so many of those from outside, which are as many as ever come; 0 for any number, with one holder."""

    def network(self) -> RoutedNetwork:
        held = Hold("outer", (Time(self.apart), Hold("inner", (Time(self.times[0]),))))
        classes = (
            OpenClass("held", self.rates[0], (Route("way", 1.0, (held,)),)),
            OpenClass("outside", self.rates[1], (Route("way", 1.0, (Hold("inner", (Time(self.times[1]),)),)),)),
        )
        return RoutedNetwork((station("outer", self.outer), station("inner", 1)), classes)

    def exact(self) -> list[float]:
        """Responses by class. A phase is how many from outside are before, between and behind the holders that ask."""
        if not self.room:
            return LoneHolder(self.rates, self.apart, self.times).exact()

        def moves(level: int, phase: tuple[int, ...]) -> Iterator[tuple[float, int, tuple[int, ...]]]:
            asking = len(phase) - 1
            away = min(level, self.outer) - asking
            yield self.rates[0], level + 1, phase
            if sum(phase) < self.room:
                yield self.rates[1], level, (*phase[:-1], phase[-1] + 1)
            yield away / self.apart, level, (*phase, 0)
            if phase[0]:
                yield 1 / self.times[1], level, (phase[0] - 1, *phase[1:])
            elif asking:
                yield 1 / self.times[0], level - 1, phase[1:]

        found = solve(moves, (0,), self.outer)
        outside = found.mean(sum) / self.rates[1]
        return [found.level / self.rates[0], outside]


def station(name: str, servers: int) -> Station:
    return Station(name, False, servers, "fcfs", (Group(name, 1, 1.0),))


def _spread(draw: np.random.Generator, factor: float) -> float:
    return float(factor ** draw.uniform(-0.5, 0.5))


def held(draw: np.random.Generator, late: bool = False) -> Held:
    """One class or two whose times are up to 20 apart; loads are up to 0.95."""
    kinds, outer, inner = int(draw.integers(1, 3)), int(draw.integers(1, 5)), int(draw.integers(1, 3))
    apart = tuple(_spread(draw, 20) for _ in range(kinds))
    first = float(10 ** draw.uniform(-1.5, 0.3))
    second = float(10 ** draw.uniform(-1.5, 0)) if late else 0.0
    shares = tuple(_spread(draw, 4) for _ in range(kinds))
    mean = sum(share * time for share, time in zip(shares, apart, strict=True)) / sum(shares)
    most = min(outer / (mean + first + second), inner / (first + second))
    rate = draw.uniform(0.2, 0.95) * most / sum(shares)
    return Held(tuple(rate * share for share in shares), outer, inner, apart, first, second)


def shared(draw: np.random.Generator) -> Shared:
    """One holder or two, and others from outside whose times are up to 20 apart."""
    outer = 1 if draw.random() < 0.7 else 2
    apart, first = _spread(draw, 4), float(10 ** draw.uniform(-1.5, 0.3))
    load = draw.uniform(0.05, 0.4 if outer == 1 else 0.25)
    second = first * _spread(draw, 20)
    most = min(outer / (apart + first), (1 - load) / first)
    return Shared(
        (draw.uniform(0.2, 0.95) * most, load / second), outer, apart, (first, second), 12 if outer == 1 else 7
    )


def lone_holder(draw: np.random.Generator) -> Shared:
    """One holder, and others from outside who are served up to 20 times faster or slower, with any load up to 0.8."""
    apart, first = _spread(draw, 4), float(10 ** draw.uniform(-1.5, 0.5))
    load, second = draw.uniform(0.05, 0.8), first * _spread(draw, 400)
    most = min(1 / (apart + first), (1 - load) / first)
    return Shared((draw.uniform(0.1, 0.95) * most, load / second), 1, apart, (first, second), 0)


class Copies(NamedTuple):
    """Some copies of a station with one server each, whose customers hold it around an inner station."""

    copies: int
    inner: int
    room: int
    """For so many customers at each copy, which are as many as ever come."""
    rate: float
    """Of arrivals at each copy."""
    apart: float
    first: float
    second: float

    def network(self) -> RoutedNetwork:
        late = (Time(self.second, phase=2, keeps=("inner",)),) if self.second else ()
        steps = (Time(self.apart), Hold("inner", (Time(self.first), *late)))
        customers = OpenClass("all", self.copies * self.rate, (Route("way", 1.0, (Hold("outer", steps),)),))
        outer = Station("outer", False, 1, "fcfs", (Group("outer", self.copies, 1 / self.copies),))
        return RoutedNetwork((outer, station("inner", self.inner)), (customers,))

    def exact(self) -> list[float]:
        return [float(solve_chain(*self).response)]


def copies(draw: np.random.Generator) -> Copies:
    """Two or three copies; the inner station has a load of up to 0.95, a copy without waits one of up to 0.3."""
    number, room = ((2, 10), (3, 6), (3, 6))[int(draw.integers(3))]
    inner = 1 if number == 2 else int(draw.integers(1, 3))
    first, second = float(10 ** draw.uniform(-0.7, 0.7)), float(draw.choice([0.0, 0.3]))
    most = min(0.3 / (1 + first), 0.95 * inner / (number * (first + second)))
    return Copies(number, inner, room, draw.uniform(0.2, 1.0) * most, 1.0, first, second)


def by_open(network: RoutedNetwork) -> RoutedSolution | None:
    """The answer of the method "open", also where several classes have a better one; None where it has none."""
    try:
        return solve_network(network, Wanted(method="open"))
    except NotComputed:
        return None
