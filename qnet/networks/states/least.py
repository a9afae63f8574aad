"""A lower bound of the number of states of a network, found before any of them is generated."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, comb

from qnet.lazy import Array, np
from qnet.networks.routed import ClosedClass, Fork, Hold, RoutedNetwork, Station, Step, Time

_MOST_CUSTOMERS = 300
"""Of which arrangements are counted: more have more of them."""
_MOST_VISITS = 60
"""To one step, likewise."""


def least_states(network: RoutedNetwork) -> float:
    """At least how many states the Markov chain of a network of one point has.

    The customers of a closed class are spread over think time and at least one station of its routes, all classes
    independently of each other. Those of a class that is alone are spread inside of holds as well, as many as there
    are servers, over the visits to a shared station, and in parallel steps over the stations of every branch.
    """
    count = 1
    for item in network.classes:
        if isinstance(item, ClosedClass):
            stations = {getattr(step, "station", "") for route in item.routes for step in route.steps}
            stations |= {"think"} if item.think_time > 0 else set()
            free = max(len(stations) - 1, 0)
            count *= comb(int(item.population) + free, free)
    return max(float(count), _inside_too(network)) if count < 1e300 else float("inf")


def _inside_too(network: RoutedNetwork) -> float:
    """The arrangements of a closed class that is alone, where nothing but servers limits how many are anywhere."""
    first = network.classes[0]
    limits = network.limited or network.profiles
    if limits or len(network.classes) > 1 or not isinstance(first, ClosedClass):
        return 1.0
    people = min(int(first.population), _MOST_CUSTOMERS)
    stations = {station.name: station for station in network.stations}
    steps = [step for route in first.routes if route.probability > 0 for step in route.steps]
    ways = _ways(steps, stations, people, set())
    if ways is None:
        return 1.0
    return float(ways.sum() if first.think_time > 0 else ways[-1])


def _binomials(people: int, stations: int) -> Array:
    """How many ways there are to spread 0, 1, ... customers over some stations."""
    return np.array([float(comb(number + stations - 1, stations - 1)) for number in range(people + 1)])


def _parallel(fork: Fork, stations: dict[str, Station], people: int, counted: set[str]) -> Array:
    """The arrangements of 0, 1, ... customers in a parallel step that waits for all branches.

    While one branch of every customer is under way, those of the other branches may be anywhere, or have ended.
    """
    every = [_ways(branch.steps, stations, people, counted) for branch in fork.branches]
    timed = [ways for ways in every if ways is not None]
    if fork.needed < sum(branch.copies for branch in fork.branches) or not timed:
        return np.ones(people + 1)
    first, *others = timed
    return np.prod([first, *(np.cumsum(ways) for ways in others)], axis=0)


def _ways(steps: Sequence[Step], stations: dict[str, Station], people: int, counted: set[str]) -> Array | None:
    """How many arrangements of 0, 1, ... customers there are in the course of some steps; None where they take no time.

    counted   the stations that are counted already: customers that come for different reasons share its servers.
    """
    result: Array | None = None
    timed = False
    for step in steps:
        if step.phase != 1 or not step.visits > 0:
            continue
        ways: Array | None = None
        if isinstance(step, Hold) and step.station not in counted:
            counted.add(step.station)
            station = stations[step.station]
            inside = _ways(step.steps, stations, people, counted)
            # Customers that are not served wait in line, for instance all at the same copy.
            ways = None if inside is None else inside[np.minimum(np.arange(people + 1), station.servers)]
            if ways is not None and station.discipline == "ps" and (ways == 1).all():
                # Customers at their first, second, ... visit overtake each other there.
                ways = _binomials(people, min(ceil(step.visits), _MOST_VISITS))
        elif isinstance(step, Fork):
            ways = _parallel(step, stations, people, counted)
        elif isinstance(step, Time) and step.mean > 0 and not timed:
            timed, ways = True, np.ones(people + 1)
        if ways is not None:
            result = ways if result is None else np.convolve(result, ways)[: people + 1]
    return result
