"""A network of service centres with routes through it, as numbers only: the input of all solvers.

Every number is a float (one point) or a numpy array with one element per point of a batch; the structure (stations,
copies, servers, routes and their steps) is shared by all points of a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, cast

from qnet.expression import Value
from qnet.lazy import Indices
from qnet.record import Record


class Group(Record):
    """Copies of a station that carry the same load."""

    label: str
    """How the group is named in reports: `disk`, `disk[1-16]`."""
    copies: int
    share: Value
    """Share of the station's visits that goes to each copy of the group."""


class Station(Record):
    """A service centre. A delay station has as many servers as customers."""

    name: str
    delay: bool
    servers: int
    """Servers of each copy."""
    discipline: str
    """`fcfs`, `ps`, `lcfs-pr`, `priority` (highest first, none interrupted) or `preemptive` (resumed later)."""
    groups: tuple[Group, ...]
    follows: str = ""
    """The station whose chosen copy determines the copy of this one; empty where the choice is independent."""
    rates: tuple[float, ...] | None = None
    """Relative capacities of a copy with 1, 2, ... customers present, the last repeats; None: one per busy server."""
    capacity: int | None = None
    """Places of a copy, in queue and in service: arrivals at a full one are lost; None: no limit."""

    @property
    def in_line(self) -> bool:
        """Whether customers queue in order of arrival or of priority."""
        return not self.delay and self.discipline in ("fcfs", "priority", "preemptive")

    @property
    def copies(self) -> int:
        """The number of identical service centres that the station represents."""
        return sum(group.copies for group in self.groups)

    @property
    def peak(self) -> float:
        """The largest capacity of a copy of a queueing station."""
        return self.servers if self.rates is None else max(self.rates)


class Time(Record):
    """Time that passes without queueing: a delay, or service at the station that is held."""

    mean: Value
    scv: Value = 1.0
    """Squared coefficient of variation."""
    visits: Value = 1.0
    phase: int = 1
    keeps: tuple[str, ...] | None = None
    """Phase 2 only: the enclosing holds that are kept; None for all of them."""
    work: str = ""
    """The kind of work, a label that changes no figure; empty: as of the enclosing hold."""
    fills: str = ""
    """The buffer in which every visit takes a place, after pending for one if all are taken; `mean` is 0."""
    frees: str = ""
    """The buffer whose places, taken by the passage, begin to be freed here, by work outside of this network; `mean` is
    0."""


class Hold(Record):
    """Wait for a server of a station, keep it while the inner steps run, release it."""

    station: str
    steps: tuple[Step, ...]
    visits: Value = 1.0
    phase: int = 1
    keeps: tuple[str, ...] | None = None
    priority: int = 0
    """The highest is served first, and preempts others at stations `preemptive`."""
    exempt: Value = 0.0
    """Share of the visits with priority 0 instead."""
    scv: Value | None = None
    """Squared coefficient of variation of the entire holding time; None: that of the steps."""
    copy: int | None = None
    """The copy used, from 1; None: split by the shares of the groups."""
    work: str = ""
    """The kind of work of all steps inside that state none."""
    drains: str = ""
    """Phase 2: the buffer whose places, taken by the passage, this work frees at its end."""


class Branch(Record):
    """A branch of a parallel step."""

    name: str
    steps: tuple[Step, ...]
    copies: int = 1
    """How many copies of the branch are started, each at a different copy of a station with several."""


class Fork(Record):
    """Start all branches together, and continue when `needed` of them have finished."""

    branches: tuple[Branch, ...]
    needed: int
    """The number of copies of branches to wait for; the others are still completed."""
    visits: Value = 1.0
    phase: int = 1
    keeps: tuple[str, ...] | None = None
    work: str = ""
    """As in a hold."""

    @property
    def inner(self) -> tuple[Step, ...]:
        """The steps of all branches."""
        return tuple(step for branch in self.branches for step in branch.steps)


Step = Time | Hold | Fork


class Route(Record):
    """One way through the network, taken with a probability."""

    name: str
    probability: Value
    steps: tuple[Step, ...]


class Turn(Record):
    """A state of a customer of a chain: a visit to a station as one of its classes, or the beginning of a passage."""

    route: int
    """The index of the route of its class; -1 where it thinks, or is outside."""
    step: int
    """The index of the visit in the route."""
    onward: tuple[tuple[int, Value], ...]
    """The next turns, as pairs of index and probability."""
    ends: bool = False
    """Whether a passage ends where the turn begins."""
    think_time: Value = 0.0
    scv: Value = 1.0
    """Squared coefficient of variation of the think time."""


class OpenClass(Record):
    """Customers that arrive, in a Poisson stream by default, and leave."""

    name: str
    arrival_rate: Value
    routes: tuple[Route, ...]
    chain: bool = False
    """Whether its customers change between classes on the way: its routes are then not alternatives, but hold the mean
    numbers of visits of one passage as each of the classes, and have probability 1."""
    arrival_scv: Value = 1.0
    """Squared coefficient of variation of the interarrival times, which are independent."""
    onward: tuple[tuple[str, str, Value], ...] = ()
    """Of a chain: triples of a station, the next station ("" for outside), and the transitions per passage."""
    turns: tuple[Turn, ...] = ()
    """Of a chain: the states of its customers; the first turn of an open chain is outside."""
    per_copy_of: str = ""
    """The station of which each copy has separate customers, who visit no other copy; the class has those of all
    copies.
    """


class ClosedClass(Record):
    """A fixed number of customers, each of which thinks, passes through the network, and thinks again."""

    name: str
    population: Value
    think_time: Value
    """Per passage."""
    routes: tuple[Route, ...]
    chain: bool = False
    """As in `OpenClass`."""
    onward: tuple[tuple[str, str, Value], ...] = ()
    """As in `OpenClass`; customers think outside."""
    turns: tuple[Turn, ...] = ()
    """As in `OpenClass`; lost customers return to the first turn."""
    per_copy_of: str = ""
    """As in `OpenClass`."""


class Buffer(Record):
    """A store of places that passages take on the way, and that second-phase work frees."""

    name: str
    places: Value
    loses: bool
    """Whether arrivals that find it full are lost; else they wait."""


NO_CAPACITY = 1e300
"""The least share of a limit whose capacity is 0."""


class Limit(Record):
    """A capacity that is not a queue: the steady state exists only while `load` is below `capacity`."""

    name: str
    load: Value
    capacity: Value

    @property
    def share(self) -> Value:
        """The load over the capacity; at least `NO_CAPACITY` where the capacity is 0."""
        none = self.capacity == 0
        return (self.load + NO_CAPACITY * none) / (self.capacity + none)


class Profile(Record):
    """A network with 1, 2, ... customers holding a station, where the times inside depend on their number."""

    station: str
    levels: int
    """The largest number of customers."""
    network: RoutedNetwork
    """A batch of all points and numbers, the numbers innermost."""


class RoutedNetwork(Record):
    """A network of queues with routes through it, or a batch of `size` variants of one."""

    stations: tuple[Station, ...]
    classes: tuple[OpenClass | ClosedClass, ...]
    limits: tuple[Limit, ...] = ()
    size: int | None = None
    """Number of points of the batch; None for a single point held in plain floats."""
    profiles: tuple[Profile, ...] = ()
    """One for each station on whose number of holders values depend; the network itself has those of the largest
    number.
    """
    buffers: tuple[Buffer, ...] = ()

    @property
    def limited(self) -> bool:
        """Whether any station or buffer has a finite capacity."""
        return bool(self.buffers) or any(station.capacity is not None for station in self.stations)

    @property
    def loses(self) -> bool:
        """Whether customers may be lost."""
        full = any(station.capacity is not None for station in self.stations)
        return full or any(buffer.loses for buffer in self.buffers)

    @cached_property
    def closed(self) -> tuple[ClosedClass, ...]:
        """The closed classes."""
        return tuple([customers for customers in self.classes if isinstance(customers, ClosedClass)])

    def loaded(self, factor: Value) -> RoutedNetwork:
        """The network with every arrival rate, and the load of every limit, multiplied by a factor."""
        classes = tuple(
            item.replace(arrival_rate=item.arrival_rate * factor) if isinstance(item, OpenClass) else item
            for item in self.classes
        )
        limits = tuple(item.replace(load=item.load * factor) for item in self.limits)
        return self.replace(classes=classes, limits=limits)

    def point(self, index: int) -> RoutedNetwork:
        """One point of a batch by itself, in plain floats."""
        profiles = tuple(item.replace(network=_slice(item, index)) for item in self.profiles)
        return at_point(self.replace(profiles=()), index).replace(size=None, profiles=profiles)


def at_points(value: Any, points: Indices) -> Any:
    """Everything inside a value at some points of its batch; values that all points share are kept."""
    return mapped(value, lambda array: array[points] if array.ndim else array)


def _slice(profile: Profile, index: int) -> RoutedNetwork:
    """The network of a profile at one point, as a batch of the numbers of customers."""
    rows = slice(index * profile.levels, (index + 1) * profile.levels)
    return mapped(profile.network, lambda array: array[rows] if array.ndim else array).replace(size=profile.levels)


def holds_of(network: RoutedNetwork) -> Iterator[Hold]:
    """All holds of the routes, including those inside others.

    network  of any classes.
    """
    pending = [step for item in network.classes for route in item.routes for step in route.steps]
    while pending:
        step = pending.pop()
        if isinstance(step, Hold):
            yield step
            pending += step.steps


def nested(network: RoutedNetwork) -> bool:
    """Whether any station is held while another is waited for.

    network  of any classes.
    """
    return any(
        isinstance(inner, Hold)
        for customers in network.classes
        for route in customers.routes
        for step in route.steps
        if isinstance(step, Hold)
        for inner in step.steps
    )


def without_idle_forks(network: RoutedNetwork) -> RoutedNetwork:
    """The network without parallel steps inside holds that are never taken; the same object where there are none.

    network  of any classes.
    """
    changed = False

    def kept(step: Step, held: bool = False) -> Step | None:
        """A step without such steps; None where it is one."""
        nonlocal changed
        if isinstance(step, Fork) and held and not _ever(step.visits):
            changed = True
            return None
        if isinstance(step, Hold):
            return step.replace(steps=all_kept(step.steps, True))
        if isinstance(step, Fork):
            branches = (branch.replace(steps=all_kept(branch.steps, held)) for branch in step.branches)
            return step.replace(branches=tuple(branches))
        return step

    def all_kept(steps: tuple[Step, ...], held: bool = False) -> tuple[Step, ...]:
        return tuple([item for step in steps if (item := kept(step, held)) is not None])

    classes = tuple([
        item.replace(routes=tuple([route.replace(steps=all_kept(route.steps)) for route in item.routes]))
        for item in network.classes
    ])  # fmt: skip
    return network.replace(classes=classes) if changed else network


def _ever(visits: Value) -> bool:
    """Whether a number of visits is above 0 at any point."""
    return visits > 0 if isinstance(visits, (int, float)) else bool((visits > 0).any())


def one_by_one(network: RoutedNetwork) -> bool:
    """Whether customers only visit one station after the other, without nested holds, parallel steps or second phases.

    network  of any classes.
    """
    return all(
        not isinstance(step, Fork)
        and step.phase == 1
        and (isinstance(step, Time) or all(isinstance(item, Time) and item.phase == 1 for item in step.steps))
        for customers in network.classes
        for route in customers.routes
        for step in route.steps
    )


def at_point(value: Any, index: int) -> Any:
    """Everything inside a value - records, tuples, tables - at one point of its batch, in floats.

    index  of the point, from 0; values that all points share are kept.
    """
    return mapped(value, lambda array: float(array[index]) if array.ndim else float(array))


def mapped(value: Any, convert: Callable[[Any], Any]) -> Any:
    """Everything inside a value - records, tuples, tables - with `convert` applied to each of its arrays."""
    if isinstance(value, tuple):
        record = cast("Any", value)
        items = [mapped(item, convert) for item in record]
        return type(record)(*items) if hasattr(record, "_fields") else tuple(items)
    if isinstance(value, Mapping):
        return {key: mapped(item, convert) for key, item in cast("Mapping[Any, Any]", value).items()}
    if value is None or isinstance(value, (str, int, float)):
        return value
    return convert(value)
