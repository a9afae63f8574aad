"""Random open networks with holds whose times are more even than exponential, and their exact responses by class.

They take minutes and are kept in a file; `python tests/errors/even_hold_systems.py` writes it again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from hold_systems import Copies, Held, Shared, by_open, copies, held, shared, station
from level_chain import solve
from nested_chain import stationary

from qnet.networks.routed import Group, Hold, OpenClass, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.solution import RoutedSolution

EXACT = Path(__file__).with_name("even_holds_exact.json")
STAGES = (1, 2, 3, 4)
"""Of Erlang times: the scv is 1 / stages."""
_LARGEST = 20_000
"""Of the sizes of systems: larger ones take minutes each."""


class Span(NamedTuple):
    """An Erlang time."""

    mean: float
    stages: int

    @property
    def rate(self) -> float:
        """Of each stage."""
        return self.stages / self.mean

    def time(self, phase: int = 1, keeps: tuple[str, ...] | None = None) -> Time:
        return Time(self.mean, 1 / self.stages, phase=phase, keeps=keeps)


class EvenHeld(NamedTuple):
    """As `hold_systems.Held`, with Erlang times; the inner line keeps its order, so that waits differ by class."""

    rates: tuple[float, ...]
    outer: int
    inner: int
    apart: tuple[Span, ...]
    first: Span
    second: Span | None

    def network(self) -> RoutedNetwork:
        late = (self.second.time(2),) if self.second else ()
        classes = tuple(
            OpenClass(f"{kind}", rate, (Route("way", 1.0, (
                Hold("outer", (apart.time(), Hold("inner", (self.first.time(), *late)))),
            )),))
            for kind, (rate, apart) in enumerate(zip(self.rates, self.apart, strict=True))
        )  # fmt: skip
        return RoutedNetwork((station("outer", self.outer), station("inner", self.inner)), classes)

    @property
    def size(self) -> int:
        """About how much work the chain is."""
        late = self.second.stages if self.second else 0
        return (sum(item.stages for item in self.apart) + self.first.stages + late) ** self.outer

    def exact(self) -> list[float]:
        """Responses by class. A phase is who is away, who waits for the inner station in order, and who is served.

        The one who comes next from the outer line is of either class by chance: arrivals are Poisson.
        """
        whole = sum(self.rates)
        first, second = self.first, self.second

        def begun(away: Any) -> Iterator[tuple[float, Any]]:
            for kind, rate in enumerate(self.rates):
                yield rate / whole, _with(away, (kind, self.apart[kind].stages))

        def served(away: Any, line: Any, busy: Any) -> tuple[Any, Any, Any]:
            if line and len(busy) < self.inner:
                return away, line[1:], _with(busy, (1, first.stages))
            return away, line, busy

        def left(level: int, away: Any, line: Any, busy: Any) -> Iterator[tuple[float, int, Any]]:
            if level - 1 < self.outer:
                yield 1.0, level - 1, served(away, line, busy)
            else:
                yield from ((chance, level - 1, served(other, line, busy)) for chance, other in begun(away))

        def moves(level: int, phase: Any) -> Iterator[tuple[float, int, Any]]:
            away, line, busy = phase
            if level < self.outer:
                yield from ((whole * chance, level + 1, (other, line, busy)) for chance, other in begun(away))
            else:
                yield whole, level + 1, phase
            for place, (kind, stages) in enumerate(away):
                rest = away[:place] + away[place + 1 :]
                after = (_with(rest, (kind, stages - 1)), line, busy) if stages > 1 else served(
                    rest, (*line, kind), busy
                )  # fmt: skip
                yield self.apart[kind].rate, level, after
            for place, (part, stages) in enumerate(busy):
                rest = busy[:place] + busy[place + 1 :]
                rate = first.rate if part == 1 or second is None else second.rate
                if stages > 1:
                    yield rate, level, (away, line, _with(rest, (part, stages - 1)))
                elif part == 1 and second is not None:
                    yield rate, level, (away, line, _with(rest, (2, second.stages)))
                else:
                    yield from ((chance * rate, to, after) for chance, to, after in left(level, away, line, rest))

        found = solve(moves, ((), (), ()), self.outer)
        outside = found.level - found.mean(lambda phase: sum(map(len, phase)))
        return [
            outside / whole + apart.mean + found.mean(lambda phase, kind=kind: phase[1].count(kind)) / rate + first.mean
            for kind, (rate, apart) in enumerate(zip(self.rates, self.apart, strict=True))
        ]


class EvenCopies(NamedTuple):
    """As `hold_systems.Copies`, with Erlang times: each of some copies has a server and a line of its own."""

    copies: int
    inner: int
    room: int
    rate: float
    apart: Span
    first: Span
    second: Span | None

    def network(self) -> RoutedNetwork:
        late = (self.second.time(2, ("inner",)),) if self.second else ()
        steps: tuple[Step, ...] = (self.apart.time(), Hold("inner", (self.first.time(), *late)))
        customers = OpenClass("all", self.copies * self.rate, (Route("way", 1.0, (Hold("outer", steps),)),))
        outer = Station("outer", False, 1, "fcfs", (Group("outer", self.copies, 1 / self.copies),))
        return RoutedNetwork((outer, station("inner", self.inner)), (customers,))

    @property
    def size(self) -> int:
        late = self.second.stages if self.second else 1
        return late * (self.room * (self.apart.stages + self.first.stages + 1)) ** self.copies // 20

    def exact(self) -> list[float]:
        """The response, by Little's law. A state: customers at copies that are away, that wait, and that are served."""
        start: Any = ((), (), (), ())
        numbers, states = {start: 0}, [start]
        rows: list[tuple[int, int, float]] = []
        for state in states:
            for rate, after in self._moves(*state):
                if after not in numbers:
                    numbers[after] = len(states)
                    states.append(after)
                rows.append((numbers[state], numbers[after], rate))
        source, target, rate = (np.array(column) for column in zip(*rows, strict=True))
        shares = stationary(source, target, rate, len(states))
        present = np.array([[count for count, _ in away + busy] + list(line) for away, line, busy, _ in states], object)
        customers = shares @ np.array([sum(item) for item in present], dtype=float)
        lost = shares @ np.array([item.count(self.room) for item in present], dtype=float)
        return [float(customers / (self.rate * (self.copies - lost)))]

    def _moves(self, away: Any, line: Any, busy: Any, late: Any) -> Iterator[tuple[float, Any]]:
        idle = self.copies - len(away) - len(line) - len(busy)
        begin = self.apart.stages
        if idle:
            yield idle * self.rate, (_with(away, (1, begin)), line, busy, late)
        for place, (count, stages) in enumerate(away):
            rest = away[:place] + away[place + 1 :]
            if count < self.room:
                yield self.rate, (_with(rest, (count + 1, stages)), line, busy, late)
            if stages > 1:
                yield self.apart.rate, (_with(rest, (count, stages - 1)), line, busy, late)
            else:
                yield self.apart.rate, self._served(rest, (*line, count), busy, late)
        for place, count in enumerate(line):
            if count < self.room:
                yield self.rate, (away, (*line[:place], count + 1, *line[place + 1 :]), busy, late)
        for place, (count, stages) in enumerate(busy):
            rest = busy[:place] + busy[place + 1 :]
            if count < self.room:
                yield self.rate, (away, line, _with(rest, (count + 1, stages)), late)
            if stages > 1:
                yield self.first.rate, (away, line, _with(rest, (count, stages - 1)), late)
                continue
            back = _with(away, (count - 1, begin)) if count > 1 else away
            after = _with(late, self.second.stages) if self.second else late
            yield self.first.rate, self._served(back, line, rest, after)
        for place, stages in enumerate(late):
            rest = late[:place] + late[place + 1 :]
            after = (away, line, busy, _with(rest, stages - 1)) if stages > 1 else self._served(away, line, busy, rest)
            yield self.second.rate if self.second else 0.0, after

    def _served(self, away: Any, line: Any, busy: Any, late: Any) -> Any:
        """The state after somebody came to the inner station, or one of its servers became free."""
        if line and len(busy) + len(late) < self.inner:
            return away, line[1:], _with(busy, (line[0], self.first.stages)), late
        return away, line, busy, late


class EvenShared(NamedTuple):
    """As `hold_systems.Shared`, with Erlang times: others come to the inner station, of one server, from outside."""

    rates: tuple[float, float]
    outer: int
    room: int
    apart: Span
    inside: Span
    outside: Span

    def network(self) -> RoutedNetwork:
        held = Hold("outer", (self.apart.time(), Hold("inner", (self.inside.time(),))))
        classes = (
            OpenClass("held", self.rates[0], (Route("way", 1.0, (held,)),)),
            OpenClass("outside", self.rates[1], (Route("way", 1.0, (Hold("inner", (self.outside.time(),)),)),)),
        )
        return RoutedNetwork((station("outer", self.outer), station("inner", 1)), classes)

    @property
    def size(self) -> int:
        stages = self.apart.stages**self.outer * max(self.inside.stages, self.outside.stages)
        return stages * (self.room + 1) ** self.outer * 40

    def exact(self) -> list[float]:
        """Responses by class. A phase: stages left of those away, who is at the inner station, in order, stages."""

        def begun(line: Any) -> int:
            return (self.inside if line[0] else self.outside).stages if line else 0

        def moves(level: int, phase: Any) -> Iterator[tuple[float, int, Any]]:
            away, line, left = phase
            more = _with(away, self.apart.stages)
            yield self.rates[0], level + 1, (more if level < self.outer else away, line, left)
            if line.count(0) < self.room:
                yield self.rates[1], level, (away, (*line, 0), left or self.outside.stages)
            for place, stages in enumerate(away):
                rest = away[:place] + away[place + 1 :]
                if stages > 1:
                    yield self.apart.rate, level, (_with(rest, stages - 1), line, left)
                else:
                    yield self.apart.rate, level, (rest, (*line, 1), left or self.inside.stages)
            if not line:
                return
            rate = (self.inside if line[0] else self.outside).rate
            if left > 1:
                yield rate, level, (away, line, left - 1)
            elif line[0]:
                yield rate, level - 1, (more if level > self.outer else away, line[1:], begun(line[1:]))
            else:
                yield rate, level, (away, line[1:], begun(line[1:]))

        found = solve(moves, ((), (), 0), self.outer)
        return [found.level / self.rates[0], found.mean(lambda phase: phase[1].count(0)) / self.rates[1]]


EvenHolds = EvenHeld | EvenCopies | EvenShared


def _with(items: tuple[Any, ...], item: Any) -> tuple[Any, ...]:
    return tuple(sorted((*items, item)))


def staged(item: Held | Copies | Shared, span: Callable[[float], Span]) -> EvenHolds:
    """A system with Erlang times of the same means."""
    if isinstance(item, Shared):
        return EvenShared(item.rates, item.outer, item.room, span(item.apart), *map(span, item.times))
    if isinstance(item, Copies):
        apart, first = span(item.apart), span(item.first)
        second = span(item.second) if item.second else None
        return EvenCopies(item.copies, item.inner, item.room, item.rate, apart, first, second)
    aparts, first = tuple(span(time) for time in item.apart), span(item.first)
    second = span(item.second) if item.second else None
    return EvenHeld(item.rates, item.outer, item.inner, aparts, first, second)


def even(draw: np.random.Generator) -> EvenHolds:
    """A system of the exponential rows with Erlang times."""
    kind = draw.integers(4)
    item = shared(draw) if kind == 3 else copies(draw) if kind == 2 else held(draw, late=kind == 1)
    return staged(item, lambda mean: Span(mean, int(draw.choice(STAGES))))


@cache
def trusted(number: int) -> tuple[tuple[EvenHolds, RoutedSolution], ...]:
    """So many systems of the region in which open holds are trusted, and their answers."""
    from qnet.networks.exactness import Beyond

    draw = np.random.default_rng([716, 5])
    found: list[tuple[EvenHolds, RoutedSolution]] = []
    while len(found) < number:
        drawn = even(draw)
        if drawn.size > _LARGEST:
            continue
        solution = by_open(drawn.network())
        if solution is None or not solution.stable:
            continue
        if not any(isinstance(reason, Beyond) for reason in solution.reasons):
            found.append((drawn, solution))
    return tuple(found)


if __name__ == "__main__":
    told = [[float(f"{value:.9g}") for value in item.exact()] for item, _ in trusted(200)]
    EXACT.write_text(json.dumps(told, indent=0) + "\n")
