"""The error of flow-equivalent aggregation where only so many customers may be inside, against the chain of all states.

Customers who find no place wait in order of arrival. Inside they make one visit to each station in turn, or go back to
the first station after every visit to another until they leave (a central server with geometric numbers of visits).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Hashable, Iterator, Sequence
from copy import copy
from typing import NamedTuple, TypeVar

import numpy as np
import pytest
from chain import mean, stationary
from measuring import assert_told

from qnet.networks.routed import ClosedClass, Group, Hold, OpenClass, Profile, RoutedNetwork, Station, Time
from qnet.networks.routed import Route as Way
from qnet.networks.solve import solve
from qnet.networks.wanted import AUTO

SYSTEMS = 200
Drawn = TypeVar("Drawn")
State = tuple[int, int, tuple[int, ...]]
"""Customers outside (0 where arrivals never end), in the queue for a place, and at each station inside."""


def _times(demands: list[float], visits: list[float]) -> list[float]:
    """Seconds of a visit."""
    return [demand / often for demand, often in zip(demands, visits, strict=True)]


class Behind:
    """A drawn subnetwork, and how many may be inside."""

    def __init__(self, rng: random.Random, fewest: int, stations: int) -> None:
        self.limit = rng.randint(fewest, 4 if stations == 2 else 2)
        self.tandem = rng.random() < 0.4
        self.demands = [rng.uniform(0.2, 2) for _ in range(stations)]
        self.servers = [rng.choice([1, 1, 1, 2]) for _ in range(stations)]
        self.visits = [1.0] * stations
        while not self.tandem:
            others = [math.exp(rng.uniform(math.log(0.1), math.log(8))) for _ in range(stations - 1)]
            self.visits = [1 + sum(others), *others]
            if max(_times(self.demands, self.visits)) <= sum(self.demands):
                break
        self.times = _times(self.demands, self.visits)

    @property
    def structure(self) -> tuple[int, bool, tuple[int, ...]]:
        """What systems of one batch have in common."""
        return self.limit, self.tandem, tuple(self.servers)

    def onward(self, place: int) -> list[tuple[float, int | None]]:
        """Where customers go after a visit: a station, or out."""
        last = len(self.visits) - 1
        if self.tandem:
            return [(1.0, place + 1 if place < last else None)]
        if place:
            return [(1.0, 0)]
        return [(1 / self.visits[0], None), *((self.visits[j] / self.visits[0], j) for j in range(1, last + 1))]

    def moves(
        self, arriving: Callable[[State], float], closed: int
    ) -> Callable[[State], Iterator[tuple[float, State]]]:
        """The transitions of all states; `closed` is 1 where those who leave come again."""

        def moves(state: State) -> Iterator[tuple[float, State]]:
            outside, queue, inside = state
            if sum(inside) < self.limit:
                yield arriving(state), (outside - closed, queue, (inside[0] + 1, *inside[1:]))
            else:
                yield arriving(state), (outside - closed, queue + 1, inside)
            for place, count in enumerate(inside):
                for share, after in self.onward(place):
                    rate = share * min(count, self.servers[place]) / self.times[place]
                    left = list(inside)
                    left[place] -= 1
                    if after is not None:
                        left[after] += 1
                        yield rate, (outside, queue, tuple(left))
                    else:
                        left[0] += queue > 0
                        yield rate, (outside + closed, max(queue - 1, 0), tuple(left))

        return moves

    def network(
        self, customers: ClosedClass | OpenClass, outer: Station | None = None, size: int | None = None
    ) -> RoutedNetwork:
        """The same as qnet is told it."""
        stations = [_station("memory", self.limit), *([outer] if outer else [])]
        steps: list[Hold] = []
        for place, time in enumerate(self.times):
            stations.append(_station(f"station {place}", self.servers[place], "ps"))
            steps.append(Hold(f"station {place}", (Time(time),), self.visits[place]))
        before = customers.routes[0].steps
        route = Way("", 1.0, (*before, Hold("memory", tuple(steps))))
        return RoutedNetwork(tuple(stations), (customers.replace(routes=(route,)),), size=size)


def joined(systems: Sequence[Behind]) -> Behind:
    """Subnetworks of one structure as a batch."""
    batch = copy(systems[0])
    batch.times, batch.visits = (
        [np.array(values) for values in zip(*rows, strict=True)]
        for rows in ([one.times for one in systems], [one.visits for one in systems])
    )
    return batch


def grouped(systems: Sequence[Drawn], structure: Callable[[Drawn], Hashable]) -> list[list[Drawn]]:
    """The systems of each structure."""
    groups: dict[Hashable, list[Drawn]] = {}
    for system in systems:
        groups.setdefault(structure(system), []).append(system)
    return list(groups.values())


def _station(name: str, servers: int, discipline: str = "fcfs") -> Station:
    return Station(name, False, servers, discipline, (Group(name, 1, 1.0),))


NOWHERE = (Way("", 1.0, ()),)


class Closed(NamedTuple):
    """Customers who come again, after thinking for some time or being served for it one at a time."""

    behind: Behind
    people: int
    away: float
    alone: bool

    def busy(self, state: State) -> int:
        """How many outside are on their way back."""
        return min(state[0], 1) if self.alone else state[0]

    def exact(self) -> tuple[float, float]:
        """The throughput, and the time at the memory and inside."""
        first = (self.people, 0, (0,) * len(self.behind.demands))
        shares = stationary(first, self.behind.moves(lambda state: self.busy(state) / self.away, 1))
        rate = mean(shares, self.busy) / self.away
        return rate, mean(shares, lambda state: self.people - state[0]) / rate


def closed(rng: random.Random) -> Closed:
    """One system."""
    behind = Behind(rng, 1, rng.choice([2, 2, 3]))
    people = rng.randint(behind.limit + 1, behind.limit + 4)
    away = sum(behind.demands) * math.exp(rng.uniform(math.log(0.1), math.log(5)))
    return Closed(behind, people, away, rng.random() < 0.3)


def closed_errors(systems: Sequence[Closed]) -> Iterator[tuple[float, float]]:
    """Errors of the throughput, and of the time at the memory and inside, of systems of one structure."""
    alone, away = systems[0].alone, np.array([one.away for one in systems])
    before = (Way("", 1.0, (Hold("desk", (Time(away),)),)),) if alone else NOWHERE
    people = np.array([float(one.people) for one in systems])
    customers = ClosedClass("jobs", people, 0.0 * away if alone else away, before)
    network = joined([one.behind for one in systems]).network(
        customers, _station("desk", 1) if alone else None, len(systems)
    )
    found = solve(network, AUTO.replace(chain=0))
    at_desk = sum(item.queue_length for item in found.stations if item.name == "desk") / found.throughput
    exact = np.array([one.exact() for one in systems]).T
    return zip(found.throughput / exact[0] - 1, (found.response - at_desk) / exact[1] - 1, strict=True)


@pytest.mark.long
def test_error_memory_closed() -> None:
    rng = random.Random("a limit for customers who think")
    groups = grouped([closed(rng) for _ in range(SYSTEMS)], lambda one: (one.behind.structure, one.alone))
    throughputs, responses = zip(*(pair for group in groups for pair in closed_errors(group)), strict=True)
    assert_told("memory: throughput of a closed class", throughputs)
    assert_told("memory: time there of a closed class", responses)


def open_errors(systems: Sequence[tuple[Behind, float]]) -> list[float]:
    """Errors of the response of arrivals that never end, at shares of the largest rate, of systems of one structure."""
    batch, size, shares = joined([one for one, _ in systems]), len(systems), np.array([share for _, share in systems])
    few = solve(batch.network(OpenClass("jobs", np.full(size, 1e-6), NOWHERE), size=size), AUTO.replace(chain=0))
    rates = few.full_at["memory"] * shares
    told = solve(batch.network(OpenClass("jobs", rates, NOWHERE), size=size)).response
    return [
        float(value) / exact(one, rate) - 1 for value, (one, _), rate in zip(told, systems, rates.tolist(), strict=True)
    ]


def exact(behind: Behind, rate: float) -> float:
    """The response of arrivals."""
    nobody = (0,) * len(behind.demands)
    shares = stationary((0, 0, nobody), behind.moves(lambda state: rate * (state[1] < 30), 0))
    return mean(shares, lambda state: state[1] + sum(state[2])) / rate


@pytest.mark.long
def test_error_memory_open() -> None:
    rng = random.Random("a limit for arrivals")
    systems = [(Behind(rng, 2, 2), rng.uniform(0.1, 0.7)) for _ in range(SYSTEMS)]
    groups = grouped(systems, lambda pair: pair[0].structure)
    assert_told("memory: response of an open class", [error for group in groups for error in open_errors(group)])


@pytest.mark.long
def test_error_memory_open_with_one_visit_to_each_station() -> None:
    rng = random.Random("one visit to each")
    systems: list[tuple[Behind, float]] = []
    while len(systems) < SYSTEMS:
        behind = Behind(rng, 2, rng.choice([2, 3]))
        if behind.tandem:
            systems.append((behind, rng.uniform(0.1, 0.7)))
    groups = grouped(systems, lambda pair: pair[0].structure)
    assert_told(
        "memory: one visit to each station of an open class",
        [error for group in groups for error in open_errors(group)],
    )


def paging_errors(rng: random.Random) -> tuple[float, float]:
    """Errors of throughput and response where visits to a paging disk grow with the number inside."""
    limit = rng.randint(2, 7)
    people = rng.randint(limit, limit + 4)
    burst, page, first = rng.uniform(0.2, 1), rng.uniform(0.02, 0.2), rng.uniform(0, 4)
    slope, fitting = rng.uniform(1, 20), rng.uniform(1, limit)
    faults = [first + slope * max(0.0, 1 - fitting / inside) for inside in range(1, limit + 1)]
    think = rng.uniform(1, 15) * (burst + first * page)

    def moves(state: tuple[int, int, int, int]) -> Iterator[tuple[float, tuple[int, int, int, int]]]:
        thinking, queue, running, paging = state
        room = running + paging < limit
        yield thinking / think, (thinking - 1, queue + (not room), running + room, paging)
        if running:
            yield faults[running + paging - 1] / burst, (thinking, queue, running - 1, paging + 1)
            yield 1 / burst, (thinking + 1, max(queue - 1, 0), running - (queue == 0), paging)
        if paging:
            yield 1 / page, (thinking, queue, running + 1, paging - 1)

    exact = mean(stationary((people, 0, 0, 0), moves), lambda state: state[0]) / think
    found = solve(_paging(people, think, limit, burst, page, faults), AUTO.replace(chain=0))
    return found.throughput / exact - 1, found.response / (people / exact - think) - 1


@pytest.mark.long
def test_error_memory_thrashing() -> None:
    rng = random.Random("pages for everybody")
    throughputs, responses = zip(*(paging_errors(rng) for _ in range(SYSTEMS)), strict=True)
    assert_told("memory: throughput with paging", throughputs)
    assert_told("memory: response with paging", responses)


def _paging(people: int, think: float, limit: int, burst: float, page: float, faults: list[float]) -> RoutedNetwork:
    def network(more: object, size: int | None) -> RoutedNetwork:
        stations = (_station("memory", limit), _station("cpu", 1, "ps"), _station("disk", 1, "ps"))
        visits = more + 1  # type: ignore[operator]
        steps = (Hold("cpu", (Time(burst / visits),), visits), Hold("disk", (Time(page),), more))
        customers = ClosedClass("jobs", float(people), think, (Way("", 1.0, (Hold("memory", steps),)),))
        return RoutedNetwork(stations, (customers,), (), size)

    levels = min(limit, people)
    own = network(np.array(faults[:levels]), levels)
    return network(faults[-1], None).replace(profiles=(Profile("memory", levels, own),))


def test_rare_long_visits_are_beyond_the_trusted_region() -> None:
    behind = Behind(random.Random(1), 2, 2)
    behind.visits, behind.times = [1.1, 0.1], [0.5, 5.0]
    found = solve(behind.network(ClosedClass("jobs", 8.0, 1.0, NOWHERE)), AUTO.replace(chain=0))
    assert [getattr(reason, "code", "") for reason in found.reasons] == ["QN644"]


def test_arrivals_near_the_capacity_are_beyond_the_trusted_region() -> None:
    behind = Behind(random.Random(2), 2, 2)
    few = solve(behind.network(OpenClass("jobs", 1e-6, NOWHERE)), AUTO.replace(chain=0))
    codes: list[str] = []
    for share in (0.6, 0.8):
        found = solve(
            behind.network(OpenClass("jobs", float(few.full_at["memory"]) * share, NOWHERE)), AUTO.replace(chain=0)
        )
        codes += [getattr(reason, "code", "") for reason in found.reasons]
    assert codes == ["", "QN645"]


@pytest.mark.parametrize("name", ["memory: throughput of a closed class", "memory: response of an open class"])
def test_the_rows_name_the_warning(name: str) -> None:
    from qnet.networks.measured_errors import MEASURED

    assert "QN644" in MEASURED[name].code
