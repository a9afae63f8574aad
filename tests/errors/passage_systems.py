"""Small networks of exponential servers through which one customer is followed: as chains, and as qnet sees them.

All systems of one structure are solved together: loads, times and chances are arrays of one element per system.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import wraps
from itertools import pairwise, product
from math import comb, factorial, prod
from typing import Any, NamedTuple

import numpy as np
from kept_chains import kept
from open_chain import phases
from passage import DONE, OVER, long_run, percentiles

from qnet.networks.routed import ClosedClass, Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time

Move = tuple[Any, Hashable]


def exactly(build: Callable[..., tuple[RoutedNetwork, Callable[[], Any]]]) -> Callable[..., tuple[RoutedNetwork, Any]]:
    """The network, and the exact percentiles (shares, P), which are kept by the arguments."""

    @wraps(build)
    def built(*arguments: Any, **more: Any) -> tuple[RoutedNetwork, Any]:
        network, exact = build(*arguments, **more)
        figures = kept(f"percentiles: {build.__name__}", [arguments, more], lambda: np.ravel(exact()).tolist())
        return network, np.reshape(figures, (-1, network.size or 1))

    return built


def queue(name: str, servers: int = 1, discipline: str = "fcfs") -> Station:
    return Station(name, False, servers, discipline, (Group(name, 1, 1.0),))


def visit(name: str, time: Any, visits: Any = 1.0, scv: Any = 1.0) -> Hold:
    return Hold(name, (Time(time, scv),), visits)


@exactly
def several_servers(load: Any, servers: int, shares: Sequence[float]) -> tuple[RoutedNetwork, Callable[[], Any]]:
    """A queue with several servers: the network, and the exact percentiles. One arrival per second, as in all."""
    rate = 1 / (servers * load)
    asked = OpenClass("all", 1.0 + 0 * load, (Route("all", 1.0, (visit("a", 1 / rate),)),))
    empty = sum((servers * load) ** n / factorial(n) for n in range(servers))
    full = (servers * load) ** servers / factorial(servers) / (1 - load)
    first: dict[Hashable, Any] = {"served": empty / (empty + full)}
    first |= {n: full / (empty + full) * (1 - load) * load**n for n in range(200)}

    def moves(state: Any) -> Iterable[Move]:
        """By the number ahead in line, before all that are served."""
        if state == "served":
            yield rate, DONE
        else:
            yield servers * rate, state - 1 if state else "served"

    return RoutedNetwork((queue("a", servers),), (asked,), size=len(load)), lambda: percentiles(
        first, moves, shares, 1e-3
    )


@exactly
def back_to_one(
    load: Any, again: Any, shares: Sequence[float], most: int = 48
) -> tuple[RoutedNetwork, Callable[[], Any]]:
    """One queue, to whose end customers come back by chance."""
    visits = 1 / (1 - again)
    rate = visits / load
    onward = ("", "a", 1.0), ("a", "a", again * visits)
    asked = OpenClass(
        "all", 1.0 + 0 * load, (Route("all", 1.0, (visit("a", load / visits, visits),)),), True, 1.0, onward
    )

    def moves(state: Any) -> Iterable[Move]:
        """By the numbers ahead and behind."""
        ahead, behind = state
        yield 1.0, (ahead, behind + 1) if ahead + behind < most else OVER
        if ahead:
            yield rate * again, (ahead - 1, behind + 1)
            yield rate * (1 - again), (ahead - 1, behind)
        else:
            yield rate * again, (behind, 0)
            yield rate * (1 - again), DONE

    first = {(n, 0): (1 - load) * load**n for n in range(most + 1)}
    return RoutedNetwork((queue("a"),), (asked,), size=len(load)), lambda: percentiles(first, moves, shares, 0.01)


@exactly
def back_by_another(
    loads: Any, again: Any, shares: Sequence[float], most: int = 13
) -> tuple[RoutedNetwork, Callable[[], Any]]:
    """Two queues: from the first some go to the second, and come back."""
    visits = 1 / (1 - again), again / (1 - again)
    rates = [number / load for number, load in zip(visits, loads, strict=True)]
    onward = ("", "a", 1.0), ("a", "b", visits[1]), ("b", "a", visits[1])
    steps = tuple(visit(name, 1 / rate, number) for name, rate, number in zip("ab", rates, visits, strict=True))
    asked = OpenClass("all", 1.0 + 0 * again, (Route("all", 1.0, steps),), True, 1.0, onward)

    def moves(state: Any) -> Iterable[Move]:
        """By the queue of the customer, the numbers ahead and behind in it, and in the other."""
        place, ahead, behind, other = state
        full = ahead + behind + other >= most
        if place == "a":
            yield 1.0, OVER if full else ("a", ahead, behind + 1, other)
            if ahead:
                yield rates[0] * again, ("a", ahead - 1, behind, other + 1)
                yield rates[0] * (1 - again), ("a", ahead - 1, behind, other)
            else:
                yield rates[0] * again, ("b", other, 0, behind)
                yield rates[0] * (1 - again), DONE
            if other:
                yield rates[1], ("a", ahead, behind + 1, other - 1)
        else:
            yield 1.0, OVER if full else ("b", ahead, behind, other + 1)
            yield rates[1], ("b", ahead - 1, behind, other + 1) if ahead else ("a", other, 0, behind)
            if other:
                yield rates[0] * again, ("b", ahead, behind + 1, other - 1)
                yield rates[0] * (1 - again), ("b", ahead, behind, other - 1)

    first = {
        ("a", here, 0, there): prod((1 - load) * load**n for load, n in zip(loads, (here, there), strict=True))
        for here in range(most + 1)
        for there in range(most + 1 - here)
    }
    return RoutedNetwork((queue("a"), queue("b")), (asked,), size=len(again)), lambda: percentiles(
        first, moves, shares, 0.02
    )


@exactly
def overtaking(
    loads: Any, share: Any, shares: Sequence[float], most: int = 10
) -> tuple[RoutedNetwork, Callable[[], Any]]:
    """Three queues: all go from the first to the last, some by way of the second, where others overtake them.

    Simon and Foley, Management Science 25 (1979) 1027-1034, show that the times depend on each other.
    """
    rates = 1 / loads[0], share / loads[1], 1 / loads[2]
    steps = [visit(name, 1 / rate) for name, rate in zip("abc", rates, strict=True)]
    routes = Route("long", share, tuple(steps)), Route("short", 1 - share, (steps[0], steps[2]))
    asked = OpenClass("all", 1.0 + 0 * share, routes)

    def moves(state: Any) -> Iterable[Move]:
        """By the queue of the customer, the numbers ahead in it, behind at the first, at the second, at the last."""
        place, ahead, behind, second, last = state
        if place == "c":
            yield rates[2], ("c", ahead - 1, 0, 0, 0) if ahead else DONE
            return
        if place == "b":
            yield 1.0, OVER if ahead + behind + last >= most else ("b", ahead, behind + 1, 0, last)
            # Those who come to the second queue later stay behind.
            if behind:
                yield rates[0] * share, ("b", ahead, behind - 1, 0, last)
                yield rates[0] * (1 - share), ("b", ahead, behind - 1, 0, last + 1)
            yield rates[1], ("b", ahead - 1, behind, 0, last + 1) if ahead else ("c", last, 0, 0, 0)
            if last:
                yield rates[2], ("b", ahead, behind, 0, last - 1)
            return
        yield 1.0, OVER if ahead + behind + second + last >= most else ("a", ahead, behind + 1, second, last)
        if ahead:
            yield rates[0] * share, ("a", ahead - 1, behind, second + 1, last)
            yield rates[0] * (1 - share), ("a", ahead - 1, behind, second, last + 1)
        else:
            yield rates[0] * share, ("b", second, behind, 0, last)
            yield rates[0] * (1 - share), ("c", last, 0, 0, 0)
        if second:
            yield rates[1], ("a", ahead, behind, second - 1, last + 1)
        if last:
            yield rates[2], ("a", ahead, behind, second, last - 1)

    first = {
        ("a", here, 0, second, last): prod(
            (1 - load) * load**n for load, n in zip(loads, (here, second, last), strict=True)
        )
        for here, second, last in product(range(most + 1), repeat=3)
        if here + second + last <= most
    }
    network = RoutedNetwork(tuple(map(queue, "abc")), (asked,), size=len(share))
    return network, lambda: percentiles(first, moves, shares, 0.03)


class Closed(NamedTuple):
    """Closed classes at exponential single servers; each class thinks and then visits stations."""

    population: tuple[int, ...]
    think: Sequence[Any]
    times: Mapping[str, Any]
    """Mean service times, by station: (P,)."""
    ways: tuple[str, ...]
    """By class, the stations in order, one letter each."""
    again: Any = None
    """The chance to begin with the first station again after the last one; None: never."""
    sharing: str = ""
    """The stations that are processor sharing; others are first come first served."""
    servers: int = 1
    """Of the first station."""
    longer: Sequence[Any] | None = None
    """(P,) by class, how much longer than those told its times are at all stations, which share their service then."""


Customer = tuple[int, int, bool]
"""Class, step of its way, and whether it is the one who is followed."""
_State = tuple[tuple[Customer, ...], ...]


@exactly
def closed(case: Closed, number: int, shares: Sequence[float]) -> tuple[RoutedNetwork, Callable[[], Any]]:
    """The network, and the exact percentiles of one of its classes.

    A customer who begins finds what is there in the long run with one customer less of the class (Lavenberg, Reiser,
    J. Appl. Prob. 17 (1980) 1048-1061; Sevcik, Mitrani, J. ACM 28 (1981) 358-371), in product form.
    """
    names = list(case.times)
    again = 0.0 if case.again is None else case.again

    def time(kind: int, name: str) -> Any:
        return case.times[name] * (1.0 if case.longer is None else case.longer[kind])

    def joined(queues: _State, place: str, customer: Customer) -> _State:
        index = names.index(place)
        there = (*queues[index], customer)
        return (*queues[:index], tuple(sorted(there)) if place in case.sharing else there, *queues[index + 1 :])

    def away(queues: _State, kind: int) -> int:
        return case.population[kind] - sum(customer[0] == kind for there in queues for customer in there)

    def steps(queues: _State, thinking: Sequence[int]) -> Iterable[Move]:
        for kind, count in enumerate(thinking):
            if count:
                yield count / case.think[kind], joined(queues, case.ways[kind][0], (kind, 0, False))
        for index, there in enumerate(queues):
            shared = names[index] in case.sharing
            for place, customer in enumerate(there if shared else there[: 1 if index else case.servers]):
                kind, step, followed = customer
                rate = 1 / time(kind, names[index]) / (len(there) if shared else 1)
                left = (*queues[:index], there[:place] + there[place + 1 :], *queues[index + 1 :])
                way = case.ways[kind]
                if step + 1 < len(way):
                    yield rate, joined(left, way[step + 1], (kind, step + 1, followed))
                    continue
                yield rate * (1 - again), DONE if followed else left
                if case.again is not None:
                    yield rate * again, joined(left, way[0], (kind, 0, followed))

    def exact() -> Any:
        others = [count - (kind == number) for kind, count in enumerate(case.population)]
        start: _State = ((),) * len(names)
        found: dict[Hashable, Any] = {start: None}
        waiting: list[Any] = [start]
        while waiting:
            queues = waiting.pop()
            thinking = [away(queues, kind) - (kind == number) for kind in range(len(others))]
            weight = prod(think**n / factorial(n) for think, n in zip(case.think, thinking, strict=True))
            for name, there in zip(names, queues, strict=True):
                orders = factorial(len(there)) / prod(map(factorial, Counter(there).values()))
                weight = (
                    weight
                    * prod(time(kind, name) / (1 - again) for kind, _, _ in there)
                    * (orders if name in case.sharing else 1)
                )
                for position in range(len(there)):
                    weight = weight / min(position + 1, case.servers if name == names[0] else 1)
            found[queues] = weight
            for _, after in steps(queues, thinking):
                if after not in found:
                    found[after] = None
                    waiting.append(after)
        whole = sum(found.values())
        first = {
            joined(queues, case.ways[number][0], (number, 0, True)): weight / whole for queues, weight in found.items()
        }

        def moves(state: Any) -> Iterable[Move]:
            yield from steps(state, [away(state, kind) for kind in range(len(others))])

        return percentiles(first, moves, shares)

    points = len(case.think[0])
    classes = tuple(
        ClosedClass(
            f"{kind}",
            float(count) + 0 * case.think[kind],
            case.think[kind],
            (Route(f"{kind}", 1.0, tuple(visit(name, time(kind, name), 1 / (1 - again)) for name in way)),),
            case.again is not None,
            _circle(way, again),
        )
        for kind, (count, way) in enumerate(zip(case.population, case.ways, strict=True))
    )
    stations = tuple(
        queue(name, 1 if place else case.servers, "ps" if name in case.sharing else "fcfs")
        for place, name in enumerate(names)
    )
    return RoutedNetwork(stations, classes, size=points), exact


def _circle(way: str, again: Any) -> tuple[tuple[str, str, Any], ...]:
    """From a station to a station, how often per passage: only where customers come back by chance."""
    pairs = pairwise(way)
    back = ("", way[0], 1.0), *((a, b, 1 / (1 - again)) for a, b in pairs), (way[-1], way[0], again / (1 - again))
    return back if isinstance(again, np.ndarray) else ()


@exactly
def general(
    loads: Sequence[Any], scvs: Sequence[float], shares: Sequence[float], room: Sequence[int]
) -> tuple[RoutedNetwork, Callable[[], Any]]:
    """One queue, or two one after the other, with times made of phases; one arrival per second.

    room   places of each queue in the chain: more hardly ever come, which is asserted.
    """
    services = [phases(1.0, scv) for scv in scvs]
    idle = (0, 0)
    points = len(loads[0])
    one = np.ones(points)

    def into(queues: Any, place: int) -> Iterable[Move]:
        """One customer more at a queue, by the phase in which its service begins there."""
        number, phase = queues[place]
        if number:
            yield one, _put(queues, place, (number + 1, phase))
            return
        for kind, chance in enumerate(services[place].begin):
            if chance:
                yield chance * one, _put(queues, place, (1, kind))

    def served(queues: Any) -> Iterable[tuple[Any, Any, int]]:
        """What the servers do: rate, what is after it, and the queue where a service ended, -1 for none."""
        for place, (number, phase) in enumerate(queues):
            if not number:
                continue
            service, load = services[place], loads[place]
            for kind, rate in enumerate(service.moves[phase]):
                if kind != phase and rate > 0:
                    yield rate / load, _put(queues, place, (number, kind)), -1
            end = service.ends[phase]
            if end <= 0:
                continue
            for kind, chance in enumerate(service.begin if number > 1 else [1.0]):
                if chance:
                    after = (number - 1, kind) if number > 1 else idle
                    yield end * chance / load, _put(queues, place, after), place

    def moves(queues: Any) -> Iterable[Move]:
        if queues[0][0] < room[0]:
            yield from into(queues, 0)
        for rate, after, ended in served(queues):
            if 0 <= ended < len(loads) - 1:
                if after[ended + 1][0] < room[ended + 1]:
                    yield from ((rate * chance, found) for chance, found in into(after, ended + 1))
            else:
                yield rate, after

    def exact() -> Any:
        known: Mapping[Any, Any] = long_run((idle,) * len(loads), moves, points)
        full = sum(
            share
            for queues, share in known.items()
            if any(n == most for (n, _), most in zip(queues, room, strict=True))
        )
        assert full.max() < 1e-3, full.max()
        first: dict[Hashable, Any] = {}
        for queues, share in known.items():
            for chance, after in into(queues, 0):
                first[0, after] = first.get((0, after), 0.0) + share * chance

        def followed(state: Any) -> Iterable[Move]:
            """The queue of the customer, who is the last in it; queues before it do not matter."""
            place, queues = state
            for rate, after, ended in served(queues):
                gone = ended == place and queues[place][0] == 1
                if 0 <= ended < len(loads) - 1:
                    for chance, found in into(after, ended + 1):
                        yield rate * chance, (ended + 1, _put(found, ended, idle)) if gone else (place, found)
                else:
                    yield rate, DONE if gone else (place, after)

        return percentiles(first, followed, shares)

    steps = tuple(visit(name, load, 1.0, scv) for name, load, scv in zip("ab", loads, scvs, strict=False))
    asked = OpenClass("all", one, (Route("all", 1.0, steps),))
    network = RoutedNetwork(tuple(queue(step.station) for step in steps), (asked,), size=points)
    return network, exact


def _put(queues: Any, place: int, item: Any) -> Any:
    return (*queues[:place], item, *queues[place + 1 :])


@exactly
def shared(load: Any, shares: Sequence[float], most: int = 40) -> tuple[RoutedNetwork, Callable[[], Any]]:
    """One processor-sharing queue; one arrival per second."""
    asked = OpenClass("all", 1.0 + 0 * load, (Route("all", 1.0, (visit("a", load),)),))

    def moves(others: Any) -> Iterable[Move]:
        yield 1.0, others + 1 if others < most else OVER
        yield 1 / load / (others + 1), DONE
        if others:
            yield 1 / load * others / (others + 1), others - 1

    first = {n: (1 - load) * load**n for n in range(most + 1)}
    network = RoutedNetwork((queue("a", 1, "ps"),), (asked,), size=len(load))
    return network, lambda: percentiles(first, moves, shares, 0.02)


@exactly
def mixed(
    loads: Any, people: int, think: Any, followed: str, shares: Sequence[float], most: int
) -> tuple[RoutedNetwork, Callable[[], Any]]:
    """Queues one after the other for one arrival per second and for closed customers: one of either is followed.

    Nobody overtakes, so that a passage lasts for the services of all who are found ahead. They are found as they are in
    the long run with all closed customers but the one who is followed, by product form.
    """
    steps = tuple(visit(name, load) for name, load in zip("abc", loads, strict=False))
    open_class = OpenClass("open", 1.0 + 0 * think, (Route("open", 1.0, steps),))
    closed_class = ClosedClass("closed", float(people), think, (Route("closed", 1.0, steps),))
    places, others = len(steps), people - (followed == "closed")

    def exact() -> Any:
        found: dict[Hashable, Any] = {}
        for counts in product(range(others + 1), repeat=places):
            away = others - sum(counts)
            if away >= 0:
                for numbers in product(range(most + 1), repeat=places):
                    ways = prod(comb(opened + count, count) for opened, count in zip(numbers, counts, strict=True))
                    totals = tuple(opened + count for opened, count in zip(numbers, counts, strict=True))
                    weight = ways * prod(load**total for load, total in zip(loads, totals, strict=True))
                    found[totals] = found.get(totals, 0.0) + weight * think**away / factorial(away)
        whole = sum(found.values())

        def moves(state: Any) -> Iterable[Move]:
            """By the numbers ahead, at the queue of the customer and at those after it."""
            place = places - len(state)
            for step, count in enumerate(state):
                if step == 0 and not count:
                    yield 1 / loads[place], state[1:] if len(state) > 1 else DONE
                elif count:
                    later = [*state]
                    later[step] -= 1
                    if step + 1 < len(state):
                        later[step + 1] += 1
                    yield 1 / loads[place + step], tuple(later)

        first = {state: weight / whole for state, weight in found.items()}
        return percentiles(first, moves, shares)

    network = RoutedNetwork(tuple(queue(step.station) for step in steps), (open_class, closed_class), size=len(think))
    return network, exact
