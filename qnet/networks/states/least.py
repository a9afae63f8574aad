"""A lower bound of the number of states of a network, computed before any of them is generated."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, comb, inf, isfinite, prod

from qnet.lazy import Array, np
from qnet.networks.routed import ClosedClass, Fork, Hold, Route, RoutedNetwork, Station, Step, Time

_MOST_CUSTOMERS = 300
"""The most customers whose arrangements are counted; more have more of them."""
_MOST_VISITS = 60
"""The most visits to one step that are counted, likewise."""
_MOST_MIXES = 400
"""The most combinations of numbers of customers of all classes for which the orders in lines are counted."""


def least_states(network: RoutedNetwork) -> float:
    """A lower bound of the number of states of the Markov chain of a network.

    The customers of each closed class are distributed independently over think time and the stations of its routes,
    over the copies of a station and the visits to a station with processor sharing. Those of a single class are also
    distributed inside holds, as many as there are servers, and in parallel steps over the stations of every branch.
    Lines in order of arrival have customers of several classes and visits in any order.

    network  one point.
    """
    count = 1
    for item in network.classes:
        if isinstance(item, ClosedClass):
            stations = {getattr(step, "station", "") for route in item.routes for step in route.steps}
            stations |= {"think"} if item.think_time > 0 else set()
            free = max(len(stations) - 1, 0)
            count *= comb(int(item.population) + free, free)
    if count >= 1e300:
        return float("inf")
    return max(float(count), _inside_too(network), _over_visits(network), _in_lines(network))


def _over_visits(network: RoutedNetwork) -> float:
    """The arrangements over think time, the copies of the stations of all routes, and visits with processor sharing.

    They are all possible if each class has two spots, so that the others can be elsewhere.
    """
    if _bounded(network) or any(station.discipline == "lcfs-pr" for station in network.stations):
        return 1.0
    stations = {station.name: station for station in network.stations}
    count = 1
    for item in network.classes:
        if not isinstance(item, ClosedClass) or item.chain or not item.population > 0:
            continue
        visits = _visits(item.routes, stations)
        spots = sum(visits.values()) + (item.think_time > 0)
        if spots < 2:
            return 1.0
        count *= comb(int(item.population) + spots - 1, spots - 1)
    return float(count) if count < 1e300 else float("inf")


def _visits(routes: Sequence[Route], stations: dict[str, Station]) -> dict[str, int]:
    """The number of spots for customers by station: its copies, each visit with processor sharing; "" for delays."""
    spots: dict[str, int] = {}
    for route in routes:
        for step in route.steps:
            if not route.probability > 0 or step.phase != 1 or not step.visits > 0 or isinstance(step, Fork):
                continue
            if isinstance(step, Time):
                spots |= {"": 1} if step.mean > 0 else {}
                continue
            if not _timed(step):
                continue
            station = stations[step.station]
            if station.delay:
                spots[""] = 1
                continue
            fixed = station.follows or step.copy is not None
            copies = 1 if fixed else sum(group.copies for group in station.groups if group.share > 0)
            if station.discipline == "ps" and _only_times(step):
                spots[step.station] = spots.get(step.station, 0) + copies * min(ceil(step.visits), _MOST_VISITS)
            else:
                spots[step.station] = max(spots.get(step.station, 0), copies)
    return spots


def _bounded(network: RoutedNetwork) -> bool:
    """Whether customers may be lost, or wait for places that others have, so that not all arrangements occur."""
    if network.loses:
        return True
    population = sum(float(item.population) for item in network.closed)
    fills = [step for item in network.closed for route in item.routes for step in route.steps if isinstance(step, Time)]
    requested = population * max((ceil(step.visits) for step in fills if step.fills), default=0)
    return any(float(item.places) < requested for item in network.buffers)


def _timed(hold: Hold) -> bool:
    """Whether a hold takes time before its second phase."""
    return any(isinstance(step, Time) and step.phase == 1 and step.mean > 0 for step in hold.steps)


def _only_times(hold: Hold) -> bool:
    """Whether nothing else is visited during a hold, and no second-phase work begins."""
    return all(isinstance(step, Time) and step.phase == 1 and step.mean > 0 for step in hold.steps)


def _in_lines(network: RoutedNetwork) -> float:
    """The arrangements of classes that think, counting the orders in lines of single servers.

    All routes visit the stations in one order, each once, so that lines can be filled from the last station to the
    first. A line may have any order of any visits: its last customer was at its head one visit before, or has arrived.
    """
    classes = [item for item in network.classes if isinstance(item, ClosedClass) and item.population > 0]
    if network.limited or network.profiles or not _forward(network):
        return 1.0
    if not classes or any(item.chain or not item.think_time > 0 for item in classes):
        return 1.0
    customers = _few([int(item.population) for item in classes])
    stations = {station.name: station for station in network.stations}
    shape = tuple(number + 1 for number in customers)
    ways: Array | None = None
    for station in network.stations:
        steps = [[step for step in _holds(item) if step.station == station.name] for item in classes]
        if station.delay or not any(steps):
            continue
        if station.discipline == "fcfs" and station.servers == 1 and station.rates is None and station.copies == 1:
            visits = [sum(min(ceil(step.visits), _MOST_VISITS) for step in each) for each in steps]
            ways_there = _orders(shape, visits)
        else:
            spots = [_visits(item.routes, stations).get(station.name, 0) for item in classes]
            ways_there = _mixes(shape, spots)
        with np.errstate(invalid="ignore"):
            ways = ways_there if ways is None else _joined(ways, ways_there)
    # All terms are positive: an overflow, also one multiplied by 0, makes the sum infinite or NaN.
    count = 1.0 if ways is None else float(ways.sum())
    return count if isfinite(count) else inf


def _joined(one: Array, other: Array) -> Array:
    """The numbers of arrangements at two sets of stations together, by the numbers of customers of each class in both.

    Rows are padded so that no sum of two indices runs into the next: arrays are then polynomials of one variable.
    """
    first, *others = one.shape
    spread = (first, *(2 * size - 1 for size in others))
    wide = np.zeros((2, *spread))
    wide[(slice(None), *map(slice, one.shape))] = one, other
    left, right = wide.reshape(2, -1)
    product: Array = np.convolve(left, right)[: len(left)]
    return product.reshape(spread)[tuple(map(slice, one.shape))]


def _few(customers: Sequence[int]) -> list[int]:
    """The customers of each class, reduced from the largest classes on if there are too many combinations."""
    most = 0
    while most < _MOST_MIXES and prod(min(number, most) + 1 for number in customers) <= _MOST_MIXES:
        most += 1
    few = [min(number, most) for number in customers]
    while prod(number + 1 for number in few) > _MOST_MIXES:
        few[few.index(max(few))] -= 1
    return few


def _orders(shape: tuple[int, ...], visits: Sequence[int]) -> Array:
    """The number of lines of given numbers of customers of each class, each at any of its visits."""
    choices = _choices(sum(shape) - len(shape))
    result, present = np.ones(shape), np.zeros(shape, dtype=int)
    for numbers, each in zip(np.indices(shape), visits, strict=True):
        present = present + numbers
        with np.errstate(over="ignore", invalid="ignore"):
            result = result * choices[present, numbers] * float(each) ** numbers
    return result


def _choices(most: int) -> Array:
    """The binomial coefficients: Pascal's triangle, a row for each number of things up to `most`."""
    result = np.zeros((most + 1, most + 1))
    result[:, 0] = 1.0
    for row, before in zip(result[1:], result, strict=False):
        row[1:] = before[1:] + before[:-1]
    return result


def _mixes(shape: tuple[int, ...], spots: Sequence[int]) -> Array:
    """The number of ways to distribute given numbers of customers of each class over its spots."""
    result = np.ones(shape)
    for axis, (size, count) in enumerate(zip(shape, spots, strict=True)):
        each = _binomials(size - 1, count) if count else np.eye(1, size)[0]
        result = result * each.reshape([-1 if other == axis else 1 for other in range(len(shape))])
    return result


def _holds(item: ClosedClass) -> list[Hold]:
    """The visits of all routes that customers of a class take."""
    steps = [step for route in item.routes if route.probability > 0 for step in route.steps]
    return [step for step in steps if isinstance(step, Hold) and step.visits > 0]


def _forward(network: RoutedNetwork) -> bool:
    """Whether all steps of closed classes are times and visits that take time, and all routes visit the stations in a
    common order, each in one step."""
    after: dict[str, set[str]] = {}
    for item in network.classes:
        if not isinstance(item, ClosedClass):
            continue
        for route in item.routes:
            holds = [step for step in route.steps if isinstance(step, Hold)]
            if any(isinstance(step, Fork) or step.phase != 1 for step in route.steps):
                return False
            if not all(_only_times(step) for step in holds):
                return False
            names = [step.station for step in holds]
            if len(set(names)) < len(names):
                return False
            for before, then in pairwise(names):
                after.setdefault(before, set()).add(then)
    while after:
        last = [name for name, others in after.items() if not others & after.keys()]
        if not last:
            return False
        for name in last:
            del after[name]
    return True


def _inside_too(network: RoutedNetwork) -> float:
    """The arrangements of a single closed class, inside holds too, without capacities or buffers."""
    first = network.classes[0]
    limits = network.limited or network.profiles
    if limits or len(network.classes) > 1 or not isinstance(first, ClosedClass):
        return 1.0
    customers = min(int(first.population), _MOST_CUSTOMERS)
    stations = {station.name: station for station in network.stations}
    steps = [step for route in first.routes if route.probability > 0 for step in route.steps]
    ways = _ways(steps, stations, customers, set())
    if ways is None:
        return 1.0
    return float(ways.sum() if first.think_time > 0 else ways[-1])


def _binomials(customers: int, stations: int) -> Array:
    """The number of ways to distribute 0, 1, ... customers over some stations, at least one."""
    ways = [1]
    for number in range(1, customers + 1):
        ways.append(ways[-1] * (number + stations - 1) // number)
    return np.array([float(count) for count in ways])


def _parallel(fork: Fork, stations: dict[str, Station], customers: int, counted: set[str]) -> Array:
    """The numbers of arrangements of 0, 1, ... customers in a parallel step that waits for all branches.

    While one branch of every customer is under way, its other branches may be at any of their stations, or have ended.
    """
    every = [_ways(branch.steps, stations, customers, counted) for branch in fork.branches]
    timed = [ways for ways in every if ways is not None]
    if fork.needed < sum(branch.copies for branch in fork.branches) or not timed:
        return np.ones(customers + 1)
    first, *others = timed
    return np.prod([first, *(np.cumsum(ways) for ways in others)], axis=0)


def _ways(steps: Sequence[Step], stations: dict[str, Station], customers: int, counted: set[str]) -> Array | None:
    """The numbers of arrangements of 0, 1, ... customers during some steps; None where these take no time.

    counted   the stations counted so far, whose servers all steps share; added to.
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
            inside = _ways(step.steps, stations, customers, counted)
            # Customers that are not served wait in line, for instance all at the same copy.
            ways = None if inside is None else inside[np.minimum(np.arange(customers + 1), station.servers)]
            if ways is not None and station.discipline == "ps" and (ways == 1).all():
                # Customers at their first, second, ... visit overtake each other there.
                ways = _binomials(customers, min(ceil(step.visits), _MOST_VISITS))
        elif isinstance(step, Fork):
            ways = _parallel(step, stations, customers, counted)
        elif isinstance(step, Time) and step.mean > 0 and not timed:
            timed, ways = True, np.ones(customers + 1)
        if ways is not None:
            result = ways if result is None else np.convolve(result, ways)[: customers + 1]
    return result
