"""Subnetworks that customers enter one by one, a limited number at a time.

Their stations are not used outside, but by visits of open classes: the guests. `shared` makes one class of several that
enter the same subnetworks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import lazy, np
from qnet.networks.exactness import ranked
from qnet.networks.reasons import Reason
from qnet.networks.routed import ClosedClass, Fork, Hold, OpenClass, Route, RoutedNetwork, Station, Step, Time, nested
from qnet.networks.streams import streams
from qnet.networks.wanted import Wanted
from qnet.queues.arithmetic import total
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks import reduction
else:
    reduction = lazy("qnet.networks.reduction")


UNLIMITED = 10**9
"""The limit of a delay, which is held without waiting."""


_FEWEST = 3
"""The least limit at which closed classes are solved as one; at a limit of one or two, layers are more accurate."""
_MOST = 2000
"""The largest population of closed classes that are solved as one."""
_NAME = "all classes"


class Region(Record):
    """A subnetwork and the station that is held while customers are inside it."""

    station: str
    """The station that is held: the memory."""
    limit: int
    """The largest number of customers inside."""
    inner: tuple[str, ...]
    """The stations inside, in the order of the network."""
    class_index: int
    """The class of its customers."""
    guests: tuple[int, ...] = ()
    """The open classes that visit its inner stations from outside."""


def regions(network: RoutedNetwork) -> tuple[Region, ...]:
    """The limited subnetworks of a network, where they can be separated from each other and from the rest.

    network   any.
    Returns   one region for each station that is held during visits to others, or whose number inside changes times; ()
              where there is none, or any such hold is not separable. Not separable are: holds of several classes, or of
              any but the only closed class; inner stations that are used outside, unless it is by visits of open
              classes, without a second phase, and no times depend on a number inside; held stations with copies, rates,
              priorities or a discipline other than first come first served; parallel steps inside, around holds, or
              with closed classes; second phases that go on after a hold, and any with closed classes. The same
              applies to holds inside.
    """
    by_name = {station.name: station for station in network.stations}
    held = [step.station for step in _outer_holds(network) if any(isinstance(inner, Hold) for inner in step.steps)]
    held += [profile.station for profile in network.profiles]
    inner: dict[str, set[str]] = {name: set() for name in held}
    if not inner or not all(_may_limit(by_name[name]) for name in inner):
        return ()
    operations: Operations = FLOATS if network.size is None else arrays()
    requests = streams(network, operations, [1.0] * len(network.classes)).streams
    with_priorities = {station.name for station in network.stations if ranked(station, requests)}
    others: set[str] = set()
    visitors: dict[str, set[int]] = {}
    users: dict[str, int] = {}
    for index, customers in enumerate(network.classes):
        for route in customers.routes:
            for step in route.steps:
                if isinstance(step, Fork):
                    if network.closed or not _of_visits(step):
                        return ()
                    others |= _stations_of(step)
                    continue
                if network.closed and _after_response(step):
                    return ()
                if isinstance(step, Time):
                    continue
                if step.station not in inner:
                    if isinstance(customers, OpenClass) and _chooses_freely(customers) and _is_visit(step):
                        visitors.setdefault(step.station, set()).add(index)
                    else:
                        others.add(step.station)
                    continue
                used = _inside(step, with_priorities)
                if step.phase == 2 or used is None or users.setdefault(step.station, index) != index:
                    return ()
                inner[step.station] |= used
    if users.keys() != inner.keys():
        return ()
    within = set[str]().union(*inner.values())
    others |= visitors.keys() - within
    if network.profiles and visitors.keys() & within:
        return ()
    parts = [*({*names, name} for name, names in inner.items()), others]
    if len(set[str]().union(*parts)) < sum(map(len, parts)):
        return ()
    if any(_leader(by_name[name], by_name) not in part for part in parts for name in part):
        return ()
    closed = [index for index, item in enumerate(network.classes) if isinstance(item, ClosedClass)]
    if closed and {*closed, *users.values()} != {closed[0]}:
        return ()
    order = list(by_name)
    result = tuple(
        Region(
            name,
            UNLIMITED if by_name[name].delay else by_name[name].servers,
            tuple(sorted(names, key=order.index)),
            users[name],
            tuple(sorted(set[int]().union(*(visitors.get(item, ()) for item in names)))),
        )
        for name, names in inner.items()
    )
    return result if all(_separable(inside(network, region, 1.0)) for region in result) else ()


def applies(network: RoutedNetwork) -> tuple[Region, ...]:
    """The limited subnetworks of a network that is best solved by aggregation; () where it is not.

    An open network in which only one customer may be inside is a queue whose service has a known variance, and is
    solved by the formulas of queues.
    """
    limited = regions(network)
    several = all(1 < region.limit < UNLIMITED for region in limited)
    return limited if network.closed or network.profiles or several else ()


def refusal(network: RoutedNetwork) -> NotComputed:
    """The refusal of a network whose times depend on the number inside a subnetwork that is not separable: QN544."""
    names = " and ".join(f'"{item.station}"' for item in network.profiles)
    text = f"times depend on the number inside {names}, which cannot be separated from the rest of the network"
    expected = "one class that holds it first come first served, around stations that are not used outside"
    help = "make the number inside a parameter, and vary that"
    return NotComputed(Problem("QN544", text, expected, help=help))


def held(limited: tuple[Region, ...]) -> Reason:
    """Why methods that know no limited subnetworks do not apply.

    limited  the limited subnetworks, at least one; the first is named.
    """
    return Reason("region", station=limited[0].station)


def _separable(network: RoutedNetwork) -> bool:
    """Whether a region has no limits inside, or only such as are separable too."""
    limited = any(isinstance(inner, Hold) for step in _outer_holds(network) for inner in step.steps)
    return not limited or bool(regions(network))


def _outer_holds(network: RoutedNetwork) -> Iterator[Hold]:
    """The outermost holds of all routes."""
    for customers in network.classes:
        for route in customers.routes:
            for step in route.steps:
                if isinstance(step, Hold):
                    yield step


def _may_limit(station: Station) -> bool:
    plain = station.rates is None and not station.follows and station.copies == 1
    return plain and (station.delay or station.discipline == "fcfs")


def _leader(station: Station, by_name: dict[str, Station]) -> str:
    """The station that chooses the copy for this one."""
    return by_name[station.follows or station.name].name


def has_second_phase(network: RoutedNetwork) -> bool:
    """Whether any hold is kept after the response."""
    return any(_after_response(step) for step in _outer_holds(network))


def _after_response(step: Step) -> bool:
    """Whether a step, or any inside it, is made after the response."""
    return step.phase == 2 or (isinstance(step, Hold) and any(_after_response(item) for item in step.steps))


def _inside(hold: Hold, with_priorities: set[str], around: frozenset[str] = frozenset()) -> set[str] | None:
    """The stations that are used inside a hold; None where it is not of the form of a region.

    around   the stations that are held around it.
    """
    if hold.station in with_priorities or hold.scv is not None:
        return None
    used: set[str] = set()
    held = around | {hold.station}
    for step in hold.steps:
        if isinstance(step, Fork) or not _lasts(step, held):
            return None
        if isinstance(step, Hold):
            visit = all(isinstance(item, Time) and _lasts(item, held | {step.station}) for item in step.steps)
            plain = visit and step.station not in with_priorities
            within = set[str]() if plain else _inside(step, with_priorities, held)
            if within is None:
                return None
            used |= {step.station} | within
    return used


def _of_visits(fork: Fork) -> bool:
    """Whether all branches of a parallel step are times and visits to stations, and other such steps."""
    return all(
        isinstance(step, Time) or (_of_visits(step) if isinstance(step, Fork) else not _holds_others(step))
        for step in fork.inner
    )


def _holds_others(hold: Hold) -> bool:
    """Whether stations are visited during a hold."""
    return not all(isinstance(step, Time) for step in hold.steps)


def _stations_of(fork: Fork) -> set[str]:
    """The stations that the branches of a parallel step visit."""
    names = {step.station for step in fork.inner if isinstance(step, Hold)}
    return names.union(*(_stations_of(step) for step in fork.inner if isinstance(step, Fork)))


def _chooses_freely(customers: OpenClass) -> bool:
    """Whether all customers of a class choose among its routes, and among all copies."""
    return not customers.chain and not customers.per_copy_of


def _is_visit(hold: Hold) -> bool:
    """Whether a hold is a visit to its station alone, without a second phase."""
    return hold.scv is None and not _after_response(hold) and all(isinstance(item, Time) for item in hold.steps)


def _lasts(step: Step, held: frozenset[str]) -> bool:
    """Whether all stations that are held around a step are kept until it is done, also after the response."""
    return step.phase == 1 or step.keeps is None or held <= set(step.keeps)


def _in_one_phase(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Steps inside a region without phases: a customer is inside until all of them are done."""
    return tuple(
        step.replace(phase=1, keeps=None, steps=_in_one_phase(step.steps))
        if isinstance(step, Hold)
        else step.replace(phase=1, keeps=None)
        for step in steps
    )


def around(network: RoutedNetwork, limited: tuple[Region, ...]) -> RoutedNetwork:
    """The network outside all regions, which customers pass in no time."""
    names = {name for region in limited for name in (region.station, *region.inner)}
    stations = tuple(station for station in network.stations if station.name not in names)
    classes = tuple(
        item.replace(routes=tuple(route.replace(steps=_without(route.steps, names)) for route in item.routes))
        for item in network.classes
    )
    return RoutedNetwork(stations, classes, (), network.size)


def _without(steps: tuple[Step, ...], names: set[str]) -> tuple[Step, ...]:
    return tuple(step for step in steps if not isinstance(step, Hold) or step.station not in names)


def inside(network: RoutedNetwork, region: Region, population: Value) -> RoutedNetwork:
    """A region in isolation, whose customers enter again as soon as they leave, with its guests as open classes.

    Each hold of its station is a route; a passage of the class is one entry.
    """
    stations = tuple(station for station in network.stations if station.name in region.inner)
    entered = [(way.probability * hold.visits, hold) for way, hold in holds(network, region)]
    rate = total(share for share, _ in entered)
    idle = rate == 0
    routes = tuple(
        Route(str(number), (share + idle / len(entered)) / (rate + idle), _in_one_phase(hold.steps))
        for number, (share, hold) in enumerate(entered)
    )
    only = ClosedClass(
        name=network.classes[region.class_index].name, population=population, think_time=0.0, routes=routes
    )
    guests = (
        OpenClass(
            name=f"{item.name} outside {region.station}",
            arrival_rate=item.arrival_rate,
            arrival_scv=item.arrival_scv,
            routes=tuple(route.replace(steps=_at(route.steps, region.inner)) for route in item.routes),
        )
        for item in (network.classes[index] for index in region.guests)
        if isinstance(item, OpenClass)
    )
    return RoutedNetwork(stations, (only, *guests), (), network.size)


def _at(steps: tuple[Step, ...], names: tuple[str, ...]) -> tuple[Step, ...]:
    """The outermost holds of some stations among steps."""
    return tuple(step for step in steps if isinstance(step, Hold) and step.station in names)


def holds(network: RoutedNetwork, region: Region) -> Iterator[tuple[Route, Hold]]:
    """Every hold of the station of a region, with its route."""
    for route in network.classes[region.class_index].routes:
        for step in route.steps:
            if isinstance(step, Hold) and step.station == region.station:
                yield route, step


def made_once(network: RoutedNetwork, region: Region) -> bool:
    """Whether customers inside make each of their steps once, at all points."""
    return all(_once(step) for _, hold in holds(network, region) for step in hold.steps)


def _once(step: Step) -> bool:
    """Whether a step and all steps inside it are made once."""
    if isinstance(step, Fork):
        return False
    return bool(np.all(step.visits == 1)) and (isinstance(step, Time) or all(_once(item) for item in step.steps))


def entries(network: RoutedNetwork, region: Region) -> Value:
    """Entries into a region per passage of its class."""
    return total(route.probability * hold.visits for route, hold in holds(network, region))


class SharedLimits(Record):
    """A network whose classes enter the same limited subnetworks."""

    network: RoutedNetwork
    limited: tuple[Region, ...]
    """The subnetworks, in the network with one class."""
    joined: tuple[int, ...]
    """The indices of the classes that are solved as one: all open ones, or all closed ones."""

    @property
    def closed(self) -> bool:
        """Whether the classes that are solved as one are closed."""
        return isinstance(self.network.classes[self.joined[0]], ClosedClass)

    def as_one(self, shares: Sequence[Value], amount: Value) -> RoutedNetwork:
        """The network with the joined classes as one, the first of its classes.

        shares  of the joined classes in its passages.
        amount  its arrival rate, or its population.
        Returns the network; routes of closed classes begin with the think time of their class.
        """
        classes = self.network.classes
        routes = tuple(
            Route(
                route_of(index, route.name),
                share * route.probability,
                (Time(item.think_time), *route.steps) if isinstance(item, ClosedClass) else route.steps,
            )
            for index, share in zip(self.joined, shares, strict=True)
            for item in (classes[index],)
            for route in item.routes
        )
        if self.closed:
            one = ClosedClass(name=_NAME, population=amount, think_time=0.0, routes=routes)
        else:
            one = OpenClass(name=_NAME, arrival_rate=amount, routes=routes)
        others = (item for index, item in enumerate(classes) if index not in self.joined)
        return self.network.replace(classes=(one, *others))


def route_of(index: int, name: str) -> str:
    """The name of a route of the one class.

    index  of the joined class.
    name   of its route.
    """
    return f"{index}/{name}"


def shared(network: RoutedNetwork, wanted: Wanted) -> SharedLimits | None:
    """The limited subnetworks that several classes of a network share; None where they are not best solved as one.

    network  of any classes.
    wanted   the figures that are wanted.
    """
    if wanted.bounds or wanted.states or network.limited or network.profiles or not nested(network):
        return None
    closed = tuple(index for index, item in enumerate(network.classes) if isinstance(item, ClosedClass))
    joined = closed or tuple(range(len(network.classes)))
    if len(joined) < 2 or regions(network):
        return None
    operations: Operations = FLOATS if network.size is None else arrays()
    for index in joined:
        item = network.classes[index]
        if item.chain or item.per_copy_of:
            return None
        if isinstance(item, OpenClass) and not operations.all(item.arrival_scv == 1.0):
            return None
    result = SharedLimits(network, (), joined)
    limited = applies(result.as_one([1.0 / len(joined)] * len(joined), 1.0))
    if not limited or not all(_of_several(result, region) for region in limited):
        return None
    if closed and not (_as_measured(network, limited) and reduction.Reduction(network).by_layers(wanted)):
        return None
    return result.replace(limited=limited)


def _of_several(limits: SharedLimits, region: Region) -> bool:
    """Whether several classes enter a region."""
    entering = [
        index
        for index in limits.joined
        if any(
            isinstance(step, Hold) and step.station == region.station
            for route in limits.network.classes[index].routes
            for step in route.steps
        )
    ]
    return len(entering) > 1


def _as_measured(network: RoutedNetwork, limited: tuple[Region, ...]) -> bool:
    """Whether the limits and populations are those at which solving closed classes as one was more accurate."""
    population = total(item.population for item in network.closed)
    most = float(population if isinstance(population, (int, float)) else population.max())
    return most <= _MOST and all(region.limit >= _FEWEST for region in limited)
