"""Warnings about holds in open networks: responses that depend much on waits inside holds, and holds not measured.

These waits are the least accurate part of the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Protocol

from qnet.expression import Operations, Value
from qnet.networks.duration import Wait
from qnet.networks.exactness import station_reason
from qnet.networks.open.centres import Centre
from qnet.networks.reasons import Beyond, Reason
from qnet.networks.routed import Fork, Hold, RoutedNetwork, Step, Time
from qnet.networks.streams import Stream, Streams
from qnet.queues.arithmetic import total

CODE = "QN716"
LARGEST = 0.2
"""The largest elasticity of a response with respect to waits inside holds at which errors were measured as small."""
_STEP = 0.1
"""The relative change of waits for an elasticity: about as large as their errors, so that it shows their effect."""
_MOST = 100.0
"""Percent up to which a message states a figure; near saturation it grows without limit."""


class OpenWaits(Protocol):
    """The attributes needed of a solved open network; `solve.OpenSolver` has them."""

    waits: list[Wait]
    """By stream."""

    @property
    def network(self) -> RoutedNetwork:
        """The network."""
        ...

    @property
    def operations(self) -> Operations:
        """Operations on the numbers of the network."""
        ...

    @property
    def compiled(self) -> Streams:
        """Its streams."""
        ...

    @property
    def all(self) -> tuple[Stream, ...]:
        """The streams of `compiled`."""
        ...

    @property
    def in_holds(self) -> list[int]:
        """The indices of the streams that wait inside holds."""
        ...

    @property
    def outer(self) -> list[Centre]:
        """The stations at which no stream waits inside a hold."""
        ...

    def visit(self, centre: Centre) -> Any:
        """Compute the waits at a station."""
        ...


def beyond(solver: OpenWaits, stable: Value) -> tuple[Beyond, ...]:
    """Reasons why responses may depend more on the waits inside holds than was measured; () where they do not.

    solver  with its waits.
    stable  where there is a steady state; other points have no reasons.
    """
    reasons = _unmeasured(solver)
    if not solver.in_holds:
        return reasons
    operations = solver.operations
    elastic = elasticity(solver)
    small = operations.compare("<=", elastic, LARGEST)
    if operations.all(small | _not(stable)):
        return reasons
    names = " and ".join(dict.fromkeys(f'"{solver.all[index].station}"' for index in solver.in_holds))
    reason = Reason("waits inside holds", station=names)
    worst = operations.where(stable, elastic, 0.0 * elastic)
    percent = 10.0 * float(_largest(worst))
    longer = f"{percent:.2g} % longer" if percent < _MOST else "more than twice as long"
    return (*reasons, Beyond(reason, CODE, f"waits for {names} inside holds, 10 % longer, make the response {longer}"))


def _unmeasured(solver: OpenWaits) -> tuple[Beyond, ...]:
    """The uses of stations, held or inside holds, for which errors were not measured."""
    network, operations = solver.network, solver.operations
    causes: dict[Reason, None] = {}
    variable: list[str] = []
    streams = [stream for stream in solver.all if not operations.all(stream.rate == 0)]
    holds = {stream.station for stream in streams if stream.holding.waits}
    kept = {stream.station for stream in streams if not operations.all(stream.second.mean == 0)}
    inner = {solver.all[index].station for index in solver.in_holds}
    for station in network.stations:
        if station.name in holds | kept and not station.delay and not station.in_line:
            code = "held out of order" if station.name in holds else "kept out of order"
            causes[Reason(code, station=station.name)] = None
        if solver.in_holds and station.name in holds | inner:
            if _given(network, station.name):
                causes[Reason("given scv", station=station.name)] = None
            if _variable_times(network, station.name, operations):
                variable.append(station.name)
        elif not solver.in_holds and kept and station.in_line and len({stream.station for stream in streams}) > 1:
            visits = [stream for stream in streams if stream.station == station.name]
            if station.name not in kept and station_reason(station, visits, False, operations):
                causes[Reason("kept by others", station=station.name)] = None
    for before, after, inner in _in_step(network):
        outer = before if inner == after else after
        causes[Reason("holds in step", station=after, others=(before, inner, outer))] = None
    for name in _back_at_once(network):
        if name in kept:
            causes[Reason("back while kept", station=name)] = None
    for names in _three_deep(network):
        causes[Reason("three holds", station=names[0], others=(names[1], names[2]))] = None
    if variable:
        causes[Reason("variable holds", station=" and ".join(variable))] = None
    return tuple(Beyond(reason, CODE, after=", which was not measured") for reason in causes)


def _in_step(network: RoutedNetwork) -> Iterator[tuple[str, str, str]]:
    """Pairs of stations that a customer visits in turn, one of which is used while the other is held.

    It arrives when a holder, or another customer of the inner station, has just left, and so finds fewer customers than
    an outside observer does.

    Returns   the first of a pair, the second, and which of them is used inside.
    """
    routes = [route for customers in network.classes for route in customers.routes]
    around: dict[str, set[str]] = {}
    for route in routes:
        for step in route.steps:
            _add_held(step, (), around)
    for route in routes:
        passed: list[str] = []
        for step in route.steps:
            if isinstance(step, Hold) and step.phase == 1:
                inside = around.get(step.station, set[str]())
                for earlier in passed:
                    if earlier in inside:
                        yield earlier, step.station, step.station
                    elif step.station in around.get(earlier, ()):
                        yield earlier, step.station, earlier
                passed.append(step.station)


def _back_at_once(network: RoutedNetwork) -> Iterator[str]:
    """Stations that customers visit twice in a row, so that they always find the second phase of the first visit."""
    for route in (route for customers in network.classes for route in customers.routes):
        holds = [step if isinstance(step, Hold) and step.phase == 1 else None for step in route.steps]
        for step, following in pairwise([*holds, None]):
            again = isinstance(step, Hold) and following is not None and following.station == step.station
            if isinstance(step, Hold) and (again or not _once(step.visits)):
                yield step.station


def _once(visits: Value) -> bool:
    """Whether there is at most one visit, at all points."""
    return visits <= 1 if isinstance(visits, (int, float)) else bool((visits <= 1).all())


def _three_deep(network: RoutedNetwork) -> Iterator[tuple[str, ...]]:
    """Three stations with queues, each of which is held around the next, the first by several customers at once."""
    queues = {station.name for station in network.stations if not station.delay}
    several = {station.name for station in network.stations if station.servers > 1}
    unread: list[tuple[Step, tuple[str, ...]]] = [
        (step, ()) for item in network.classes for route in item.routes for step in route.steps
    ]
    while unread:
        step, around = unread.pop()
        if isinstance(step, Fork):
            unread += [(item, around) for item in step.inner]
        elif isinstance(step, Hold):
            around = (*around, step.station) if step.station in queues else around
            if len(around) == 3 and around[0] in several:
                yield around
            unread += [(item, around) for item in step.steps]


def _add_held(step: Step, held: tuple[str, ...], around: dict[str, set[str]]) -> None:
    """Add to `around`, by station, the stations that are held around it."""
    if isinstance(step, Time):
        return
    inside = held
    if isinstance(step, Hold):
        around.setdefault(step.station, set()).update(held)
        inside = (*held, step.station)
    for inner in step.inner if isinstance(step, Fork) else step.steps:
        _add_held(inner, inside, around)


def _variable_times(network: RoutedNetwork, name: str, operations: Operations) -> bool:
    """Whether any time for which a server of a station is kept is more variable than an exponential one."""
    for step, inside in _kept_by(network, name):
        if isinstance(step, Time):
            if inside and not operations.all((step.scv <= 1) | (step.mean == 0)):
                return True
            continue
        scv = step.scv if isinstance(step, Hold) and step.station == name else None
        if scv is not None and not operations.all(scv <= 1):
            return True
    return False


def _given(network: RoutedNetwork, name: str) -> bool:
    """Whether the scv of a holding time with other stations inside is stated instead of computed."""
    holds = [step for step, _ in _kept_by(network, name) if isinstance(step, Hold) and step.station == name]
    return any(step.scv is not None and not all(isinstance(item, Time) for item in step.steps) for step in holds)


def _kept_by(network: RoutedNetwork, name: str) -> Iterator[tuple[Step, bool]]:
    """Every step of every route, and whether a server of the station is kept meanwhile."""
    unread: list[tuple[Step, bool]] = [
        (step, False) for item in network.classes for route in item.routes for step in route.steps
    ]
    while unread:
        step, inside = unread.pop()
        yield step, inside
        if isinstance(step, Fork):
            unread += [(item, inside) for item in step.inner]
        elif isinstance(step, Hold):
            unread += [(item, inside or step.station == name) for item in step.steps]


def elasticity(solver: OpenWaits) -> Value:
    """The elasticity of the mean response with respect to all waits inside holds, for the class where it is largest.

    solver  with its waits, which are restored.
    Method  All waits inside holds are made 10 % longer, and the stations outside holds are solved again.
    """
    kept = list(solver.waits)
    before = _responses(solver)
    for index in solver.in_holds:
        wait = kept[index]
        solver.waits[index] = Wait(wait.mean * (1 + _STEP), wait.variance * (1 + _STEP) ** 2)
    for centre in solver.outer:
        solver.visit(centre)
    after = _responses(solver)
    solver.waits[:] = kept
    growth = [
        solver.operations.absolute(new - old) / (_STEP * (old + (old == 0)))
        for old, new in zip(before, after, strict=True)
    ]
    return solver.operations.maximum(growth)


def _responses(solver: OpenWaits) -> list[Value]:
    """Mean response by class."""
    responses: list[Value] = []
    for number in range(len(solver.network.classes)):
        routes = [route for route in solver.compiled.routes if route.class_index == number]
        responses.append(
            total(route.probability * part.mean_with(solver.waits) for route in routes for part in route.parts.values())
        )
    return responses


def _not(value: Value) -> Any:
    return value == False  # noqa: E712


def _largest(value: Value) -> Any:
    return value.max() if hasattr(value, "max") else value
