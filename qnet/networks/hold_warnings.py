"""How far the answer for an open network rests on waits inside holds, which are the least certain part of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from qnet.expression import Operations, Value
from qnet.networks.duration import Wait
from qnet.networks.exactness import Beyond, station_reason
from qnet.networks.routed import Fork, Hold, RoutedNetwork, Step, Time
from qnet.queues.arithmetic import total

if TYPE_CHECKING:
    from qnet.networks.open import OpenSolver

CODE = "QN716"
LARGEST = 0.2
"""The largest elasticity of a response in the waits inside holds at which errors were measured as small."""
_STEP = 0.1


def beyond(solver: OpenSolver, stable: Value) -> tuple[Beyond, ...]:
    """That responses rest on the waits inside holds more than errors were measured for; () where they do not.

    solver  one whose waits have been found.
    stable  where there is a steady state; nothing is said of other points.
    """
    found = _unmeasured(solver)
    if not solver.felt:
        return found
    operations = solver.operations
    elastic = elasticity(solver)
    calm = operations.compare("<=", elastic, LARGEST)
    outside = operations.all(calm | _not(stable))
    if outside:
        return found
    names = " and ".join(dict.fromkeys(f'"{solver.all[index].station}"' for index in solver.felt))
    text = f"the response rests on the wait for {names} inside holds"
    worst = operations.where(stable, elastic, 0.0 * elastic)
    percent = 10.0 * float(_largest(worst))
    return (*found, Beyond(text, CODE, f"{text}: waits there 10 % longer make it {percent:.2g} % longer"))


def _unmeasured(solver: OpenSolver) -> tuple[Beyond, ...]:
    """What there is at stations that are held, or asked for inside holds, and in no system that was measured."""
    network, operations = solver.network, solver.operations
    found: dict[str, None] = {}
    uneven: list[str] = []
    streams = [stream for stream in solver.all if not operations.all(stream.rate == 0)]
    holds = {stream.station for stream in streams if stream.holding.waits}
    kept = {stream.station for stream in streams if not operations.all(stream.second.mean == 0)}
    inner = {solver.all[index].station for index in solver.felt}
    for station in network.stations:
        if station.name in holds | kept and not station.delay and not station.in_line:
            how = "held while others are waited for" if station.name in holds else "kept after the response"
            found[f"{station.name} is {how}, and not first come first served"] = None
        if solver.felt and station.name in holds | inner:
            if _given(network, station.name):
                given = f"the scv of the whole hold of {station.name} is given, and it is held around other stations"
                found[given] = None
            if _uneven_times(network, station.name, operations):
                uneven.append(station.name)
        elif not solver.felt and kept and station.in_line and len({stream.station for stream in streams}) > 1:
            own = [stream for stream in streams if stream.station == station.name]
            if station.name not in kept and station_reason(station, own, False, operations):
                found[
                    f"times at {station.name} are not one exponential time, and others work on after the response"
                ] = None
    for held, asked in _in_step(network):
        found[f"customers come to {asked} from {held}, which others hold while they ask for {asked}"] = None
    for name in _back_at_once(network):
        if name in kept:
            found[f"customers come back at once to {name}, which is still kept after their visit before"] = None
    if uneven:
        found[f"times at {' and '.join(uneven)}, in or around holds, vary more than exponential ones"] = None
    return tuple(Beyond(f"{text}, which was not measured", CODE, text) for text in found)


def _in_step(network: RoutedNetwork) -> Iterator[tuple[str, str]]:
    """Stations that customers pass on the way to another which is asked for while the first is held.

    They come when the holder is gone, and so meet him less than on average.
    """
    routes = [route for customers in network.classes for route in customers.routes]
    around: dict[str, set[str]] = {}
    for route in routes:
        for step in route.steps:
            _note(step, (), around)
    for route in routes:
        passed: list[str] = []
        for step in route.steps:
            if isinstance(step, Hold) and step.phase == 1:
                inside = around.get(step.station, set[str]())
                yield from ((held, step.station) for held in passed if held in inside)
                passed.append(step.station)


def _back_at_once(network: RoutedNetwork) -> Iterator[str]:
    """Stations to which customers come straight after a visit there, and so always meet what that has left."""
    for route in (route for customers in network.classes for route in customers.routes):
        holds = [step if isinstance(step, Hold) and step.phase == 1 else None for step in route.steps]
        for step, following in zip(holds, [*holds[1:], None], strict=True):
            again = isinstance(step, Hold) and following is not None and following.station == step.station
            if isinstance(step, Hold) and (again or not _once(step.visits)):
                yield step.station


def _once(visits: Value) -> bool:
    """Whether a visit is made once at most, at all points."""
    return visits <= 1 if isinstance(visits, (int, float)) else bool((visits <= 1).all())


def _note(step: Step, held: tuple[str, ...], around: dict[str, set[str]]) -> None:
    """Note by station which others are held around it."""
    if isinstance(step, Time):
        return
    inside = held
    if isinstance(step, Hold):
        around.setdefault(step.station, set()).update(held)
        inside = (*held, step.station)
    for inner in step.inner if isinstance(step, Fork) else step.steps:
        _note(inner, inside, around)


def _uneven_times(network: RoutedNetwork, name: str, operations: Operations) -> bool:
    """Whether some time for which a server of a station is kept varies more than an exponential one."""
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
    """Whether the variability of a whole holding time with other stations inside is given, not found from them."""
    holds = [step for step, _ in _kept_by(network, name) if isinstance(step, Hold) and step.station == name]
    return any(step.scv is not None and not all(isinstance(item, Time) for item in step.steps) for step in holds)


def _kept_by(network: RoutedNetwork, name: str) -> Iterator[tuple[Step, bool]]:
    """Every step of every route, and whether a server of a station is kept meanwhile."""
    waiting: list[tuple[Step, bool]] = [
        (step, False) for item in network.classes for route in item.routes for step in route.steps
    ]
    while waiting:
        step, inside = waiting.pop()
        yield step, inside
        if isinstance(step, Fork):
            waiting += [(item, inside) for item in step.inner]
        elif isinstance(step, Hold):
            waiting += [(item, inside or step.station == name) for item in step.steps]


def elasticity(solver: OpenSolver) -> Value:
    """Relative growth of the response of the class where it is largest, over that of all waits inside holds.

    Method  All waits inside holds are made 10 % longer, and the stations outside solved again. The waits of the solver
            are left as they were.
    """
    kept = list(solver.waits)
    before = _responses(solver)
    for index in solver.felt:
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


def _responses(solver: OpenSolver) -> list[Value]:
    """Mean response by class."""
    found: list[Value] = []
    for number in range(len(solver.network.classes)):
        own = [route for route in solver.compiled.routes if route.class_index == number]
        found.append(
            total(route.probability * part.mean_with(solver.waits) for route in own for part in route.parts.values())
        )
    return found


def _not(value: Value) -> Any:
    return value == False  # noqa: E712


def _largest(value: Value) -> Any:
    return value.max() if hasattr(value, "max") else value
