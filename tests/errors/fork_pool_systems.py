"""Random open systems of a parallel step beside a limited subnetwork, and their exact responses.

Nothing of qnet is used for the exact ones. Both branches of a step serve first come first served, so that the numbers
of tasks at the two are a state: the larger is how many passages are in the step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from nested_chain import stationary

from qnet.networks.routed import Branch, Fork, Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time

TASKS, CUSTOMERS = 16, 26
"""The most at a branch, and in the subnetwork and before it, of the chain."""


class System(NamedTuple):
    """One class that passes two parallel branches and a subnetwork, one after the other."""

    places: int
    first: bool
    """Whether the branches come first."""
    queue: bool
    """Whether both stations inside have a queue; else the first time inside is that of the place alone."""
    rate: float
    times: tuple[float, float, float, float]
    """At the two branches, and at the two stations inside."""

    def network(self) -> RoutedNetwork:
        one, other, begin, then = self.times
        fork = Fork((Branch("one", (_visit("one", one),)), Branch("other", (_visit("other", other),))), 2)
        inside = (_visit("disk", begin) if self.queue else Time(begin), _visit("cpu", then))
        hold = Hold("memory", inside)
        steps = (fork, hold) if self.first else (hold, fork)
        names = ("one", "other", *(("disk",) if self.queue else ()), "cpu")
        stations = (_station("memory", self.places), *(_station(name, 1) for name in names))
        return RoutedNetwork(stations, (OpenClass("all", self.rate, (Route("way", 1.0, steps),)),))

    def most(self) -> float:
        """The passages per second of the full subnetwork: a closed network of its places."""
        begin, then = self.times[2:]
        here = np.arange(self.places + 1.0)
        starting = np.ones(self.places + 1) if self.queue else np.cumprod(np.maximum(here, 1.0))
        weights = begin**here / starting * then ** (self.places - here)
        few = np.arange(self.places)
        fewer = begin**few / starting[:-1] * then ** (self.places - 1.0 - few)
        return float(fewer.sum() / weights.sum())

    def exact(self) -> float:
        """The mean response."""
        shape = (TASKS + 1, TASKS + 1, CUSTOMERS + 1, self.places + 1)
        one, other, number, then = (part.ravel() for part in np.indices(shape))
        own = np.minimum(number, self.places) - then
        valid = own >= 0
        speeds = 1.0 / np.array(self.times)
        joins = np.where(one > other, 1, 0), np.where(other > one, 1, 0)
        moves: list[tuple[Any, Any, tuple[Any, ...]]] = []

        def move(rate: Any, one_more: Any = 0, other_more: Any = 0, more: Any = 0, later: Any = 0) -> None:
            after = one + one_more, other + other_more, number + more, then + later
            inside = [np.minimum(np.maximum(item, 0), most - 1) for item, most in zip(after, shape, strict=True)]
            inside[3] = np.minimum(inside[3], np.minimum(inside[2], self.places))
            fits = np.logical_and.reduce([item == kept for item, kept in zip(after, inside, strict=True)])
            moves.append((rate * (valid & fits), np.ravel_multi_index(inside, shape), ()))

        split = (1, 1, 0) if self.first else (0, 0, 1)
        move(self.rate, *split)
        for which, (busy, at) in enumerate(zip((one, other), joins, strict=True)):
            left = [0, 0]
            left[which] = -1
            move(speeds[which] * (busy > 0), *left, more=at * self.first)
        move(speeds[2] * (np.minimum(own, 1) if self.queue else own), later=1)
        more = 0 if self.first else 1
        move(speeds[3] * (then > 0), more, more, -1, -1)
        states = np.arange(one.size)
        rates = np.concatenate([rate * np.ones(one.size) for rate, _, _ in moves])
        sources = np.tile(states, len(moves))
        targets = np.concatenate([target for _, target, _ in moves])
        used = rates > 0
        rows = np.cumsum(valid) - 1
        shares = stationary(rows[sources[used]], rows[targets[used]], rates[used], int(valid.sum()), 1e-9)
        inside = (np.maximum(one, other) + number)[valid]
        accepted = self.rate * _accepted(shares, self.first, one[valid], other[valid], number[valid])
        return float(shares @ inside / accepted)


def _accepted(shares: Any, first: bool, one: Any, other: Any, number: Any) -> float:
    full = (one == TASKS) | (other == TASKS) if first else number == CUSTOMERS
    return 1.0 - float(shares @ full)


def _station(name: str, servers: int) -> Station:
    return Station(name, False, servers, "fcfs", (Group(name, 1, 1.0),))


def _visit(name: str, time: float) -> Hold:
    return Hold(name, (Time(time),))


def drawn(draw: np.random.Generator) -> System:
    """Two or three places at up to 70 % of their capacity, branches at up to 60 %; no visit inside is longer than a
    passage."""
    places, first, queue = int(draw.choice([2, 2, 3])), bool(draw.random() < 0.5), bool(draw.random() < 0.5)
    begin, then = np.exp(draw.uniform(np.log(0.2), np.log(1.0), 2)).tolist()
    system = System(places, first, queue, 1.0, (1.0, 1.0, begin, then))
    rate = draw.uniform(0.2, 0.7) * system.most()
    one, other = (draw.uniform(0.1, 0.6, 2) / rate).tolist()
    return system._replace(rate=float(rate), times=(one, other, begin, then))
