"""Limited subnetworks that several classes of a network share, and these classes as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import lazy
from qnet.networks.memory.regions import Region, regions
from qnet.networks.memory.regions import applies as limited_by
from qnet.networks.routed import ClosedClass, Hold, OpenClass, Route, RoutedNetwork, Time, nested
from qnet.networks.wanted import Wanted
from qnet.queues.arithmetic import total
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks import reduction
else:
    reduction = lazy("qnet.networks.reduction")

_FEWEST = 3
"""The least limit with which closed classes are taken as one: of one or two places layers are closer."""
_MOST = 2000
"""The greatest number of customers of closed classes that are taken as one."""
_NAME = "all classes"


class SharedLimits(Record):
    """A network of which several classes enter the same limited subnetworks."""

    network: RoutedNetwork
    limited: tuple[Region, ...]
    """The subnetworks, of the network with one class."""
    joined: tuple[int, ...]
    """The indices of the classes that are taken as one: all open ones, or all closed ones."""

    @property
    def closed(self) -> bool:
        """Whether it is the closed classes that are taken as one."""
        return isinstance(self.network.classes[self.joined[0]], ClosedClass)

    def as_one(self, shares: Sequence[Value], amount: Value) -> RoutedNetwork:
        """The network with one class in place of those joined, the first of its classes.

        shares  of its passages, by class joined.
        amount  its arrival rate, or its population.
        Returns a network whose routes begin with the think time of their class, where these are closed.
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
    """The route of one class that is a route of a class joined.

    index, name   of that class, and of its route.
    """
    return f"{index}/{name}"


def shared(network: RoutedNetwork, wanted: Wanted) -> SharedLimits | None:
    """The limited subnetworks that several classes of a network share; None where it is not best solved by them.

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
    limited = limited_by(result.as_one([1.0 / len(joined)] * len(joined), 1.0))
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
    """Whether closed classes are closer as one: not of few places, or of very many customers."""
    people = total(item.population for item in network.closed)
    most = float(people if isinstance(people, (int, float)) else people.max())
    return most <= _MOST and all(region.limit >= _FEWEST for region in limited)
