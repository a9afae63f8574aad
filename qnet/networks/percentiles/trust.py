"""Where percentiles of response are exact, and where they are beyond what was measured."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import pairwise

from qnet.expression import Operations, Value
from qnet.networks.exactness import in_order
from qnet.networks.percentiles.holds_of_one import holders
from qnet.networks.percentiles.visits import divided, integer_visits
from qnet.networks.reasons import Reason
from qnet.networks.routed import ClosedClass, Fork, Hold, OpenClass, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.solution import Passages
from qnet.networks.streams import streams

_MOST = 2.0
"""The largest scv of a service time for which percentiles were measured."""
_FACTOR = 3.0
"""The largest ratio of mean service times at a queue in order of arrival."""
_AGAIN, _AGAIN_CLOSED = 4.0, 2.0
"""The most visits in a row of customers of open classes, which includes those inside a limited subnetwork, and of
closed classes."""
_NEARLY, _FEW = 0.75, 4.0
"""The load, relative to the largest, from which a second station counts as nearly saturated; and the largest population
for which that was measured to be harmless."""

_LOWEST, _HIGHEST = 0.5, 0.999
"""The shares of the percentiles that were measured: lower ones depend on whether customers wait at all, which two
moments do not say, higher ones on the tails of times."""

_Reasons = Iterator[tuple[Reason, Value]]


def beyond(
    network: RoutedNetwork, operations: Operations, shares: Iterable[float] = (), admitting: Container[str] = ()
) -> dict[Reason, Value]:
    """Why percentiles of the response of a network are beyond what was measured; empty where they are not.

    network     stations, classes and routes, of one point or a batch; arrival rates do not matter.
    operations  of its numbers.
    shares      of the percentiles, in (0, 1).
    admitting   the stations held around limited subnetworks that were measured, of `admitting`.
    Returns     by cause, the points where it applies: a truth value, or an array of them. The measured errors are those
                of `percentiles: ...` in the table of errors.
    """
    result: dict[Reason, Value] = {}
    for reason, where in _reasons(network, operations, admitting):
        if not operations.all(where == False):  # noqa: E712
            result[reason] = result.get(reason, False) | where
    if not all(_LOWEST <= round(share, 9) <= _HIGHEST for share in shares):
        guessed = exact(network, operations) == False  # noqa: E712
        result[Reason("far percentiles", numbers=(100 * _LOWEST, 100 * _HIGHEST))] = guessed
    return result


def admitting(passages: Passages) -> frozenset[str]:
    """The stations held around limited subnetworks through which percentiles were measured: those that are of product
    form inside, and where nothing depends on the number inside; and inside these, those held around one visit.

    passages  of a solution.
    """
    measured = [not (inside.reasons or passages.network.profiles) for inside in passages.limited]
    names = {
        stream.station
        for stream, part in zip(passages.compiled.streams, passages.part_of, strict=bool(passages.part_of))
        if part and part[1] < 0 and measured[part[0]]
    }
    for inside in (inside for inside, known in zip(passages.limited, measured, strict=True) if known):
        inner = inside.part.figures.solution.passages
        names |= holders(inner.network) if inner is not None else frozenset()
    return frozenset(names)


def exact(network: RoutedNetwork, operations: Operations) -> Value:
    """Where percentiles of response are exact: a truth value, or an array of one for each point.

    network     as of `beyond`; with a steady state.
    operations  of floats or of arrays.
    Theorem     In an open network of exponential single servers, first come first served, where every class arrives in
                a Poisson stream and no customer can be overtaken, the times that a customer spends at the stations on
                its route are independent and exponential (tandem queues: @reich1957; networks: @walrand1980). A delay
                before the first of them or after the last is independent of them as well. The first and the last
                station may have several servers (Burke, The output process of a stationary M/M/s queueing system, Ann.
                Math. Stat. 39 (1968) 1144-1152), those between them not (Burke, The dependence of sojourn times in
                tandem M/M/s queues, Oper. Res. 17 (1969) 754-755).
    """
    paths = _paths(network)
    if network.closed or network.limited or network.profiles or paths is None or not _without_overtaking(paths):
        return False
    if any(isinstance(customers, OpenClass) and customers.chain for customers in network.classes):
        return False
    delays = {station.name for station in network.stations if station.delay}
    between = {name for path in paths for name in path[1:-1]}
    for station in network.stations:
        if station.delay:
            continue
        if (station.discipline, station.copies, station.rates) != ("fcfs", 1, None):
            return False
        if station.servers > 1 and station.name in between:
            return False
    sure: Value = True
    means: dict[str, Value] = {}
    for customers in network.classes:
        if isinstance(customers, OpenClass):
            sure = sure & _same(customers.arrival_scv, 1.0, operations)
        for route in customers.routes:
            for hold, time in _services(route, delays):
                sure = sure & _same(hold.visits * time.visits, 1.0, operations)
                sure = sure & _same(time.scv if hold.scv is None else hold.scv, 1.0, operations)
                sure = sure & _same(time.scv, 1.0, operations)
                sure = sure & _same(time.mean, means.setdefault(hold.station, time.mean), operations)
            sure = sure & _known_delays(route, delays, operations)
    return sure


def _services(route: Route, delays: set[str]) -> Iterator[tuple[Hold, Time]]:
    """The visits of queueing stations, each of one service; `_paths` has refused all others."""
    for step in route.steps:
        if isinstance(step, Hold) and step.station not in delays:
            for inner in step.steps:
                if isinstance(inner, Time):
                    yield step, inner


def _known_delays(route: Route, delays: set[str], operations: Operations) -> Value:
    """Where all times without queueing are exponential or constant, since only their distributions are known."""
    known: Value = True
    for step in route.steps:
        if isinstance(step, Hold) and step.station in delays:
            known = known & _same(step.visits, 1.0, operations)
        elif not isinstance(step, Time):
            continue
        for time in step.steps if isinstance(step, Hold) else (step,):
            if isinstance(time, Time):
                plain = _same(time.scv, 1.0, operations) | _same(time.scv, 0.0, operations)
                known = known & (_same(time.visits, 1.0, operations) & plain | _same(time.mean, 0.0, operations))
    return known


def _same(value: Value, other: float, operations: Operations) -> Value:
    """Where two values are the same, rounding apart."""
    return operations.compare("<=", operations.absolute(value - other), 1e-12 * abs(other))


def _reasons(network: RoutedNetwork, operations: Operations, admitting: Container[str]) -> _Reasons:
    """Every cause, with the points where it applies."""
    stations = {station.name: station for station in network.stations}
    for customers in network.classes:
        if isinstance(customers, OpenClass):
            yield from _returns(customers, operations)
            uneven = _same(customers.arrival_scv, 1.0, operations) == False  # noqa: E712
            yield Reason("not Poisson", class_name=customers.name), uneven
        elif customers.chain and not customers.onward:
            yield Reason("back by chance", class_name=customers.name), True
        for route in customers.routes:
            ways = divided(customers, route, operations)
            last = ""
            row: Value = 0.0
            for index, step in enumerate(route.steps):
                yield from _step(step, stations, operations, admitting)
                if not customers.chain:
                    yield from _passed_by(step.replace(visits=1.0) if index in ways else step, operations)
                name = step.station if isinstance(step, Hold) else ""
                row = step.visits + (row if name == last else 0.0)
                last = name
                if name and not stations[name].delay and not customers.chain:
                    most = _AGAIN_CLOSED if isinstance(customers, ClosedClass) else _AGAIN
                    yield Reason("several in a row", station=name), operations.compare(">", row, most + 1e-9)
    yield from ((reason, True) for reason in _unmeasured(network))
    if network.closed:
        yield Reason("nearly all at two"), _crowded(network, operations)
        yield from ((reason, True) for reason in _uneven(network, operations))
    else:
        yield from _mixtures(network, operations, admitting)


def _uneven(network: RoutedNetwork, operations: Operations) -> Iterator[Reason]:
    """Stations that were not measured with closed classes, alone or together with open ones."""
    uneven = in_order(network, streams(network, operations, [1.0] * len(network.classes)), operations)
    mixed = len(network.closed) < len(network.classes)
    for station in network.stations:
        if station.delay:
            continue
        if mixed and (station.servers > 1 or station.discipline != "fcfs" or station.name in uneven):
            yield Reason("mixed not exponential", station=station.name)
        elif station.name in uneven:
            yield Reason("closed not exponential", station=station.name)


def _mixtures(network: RoutedNetwork, operations: Operations, admitting: Container[str]) -> _Reasons:
    """Where the service times of all open classes together, for which each of them waits, are far from exponential.

    Not at limits: there, times inside were measured that differ by class.
    """
    compiled = streams(network, operations)
    for station in network.stations:
        if not station.in_line or station.name in admitting:
            continue
        for group, _ in enumerate(station.groups):
            visits = [item for item in compiled.streams if (item.station, item.group) == (station.name, group)]
            rate: Value = 0.0
            busy: Value = 0.0
            squares: Value = 0.0
            moments: list[tuple[Value, Value]] = []
            for item in visits:
                mean = item.first.mean + item.second.mean
                variance = item.scv * mean**2 if item.scv is not None else item.first.variance + item.second.variance
                moments.append((mean, variance))
                rate, busy = rate + item.rate, busy + item.rate * mean
                squares = squares + item.rate * (variance + mean**2)
            wild = operations.compare(">", rate * squares, (1.0 + _MOST + 1e-9) * busy**2)
            yield Reason("scv at a station", station=station.name, numbers=(_MOST,)), wild
            yield Reason("times apart", station=station.name, numbers=(_FACTOR,)), _differ(moments, operations)


def _differ(moments: Sequence[tuple[Value, Value]], operations: Operations) -> Value:
    """Where service times of different distributions share a queue, so that waits are not gamma times.

    moments  means and variances of the visits.
    """
    result: Value = False
    for mean, variance in moments:
        for other, spread in moments:
            both = (mean > 0) & (other > 0)
            apart = operations.compare(">", mean, _FACTOR * other * (1 + 1e-9))
            near = 1e-9 * (variance * other**2 + spread * mean**2)
            unlike = operations.compare(">", operations.absolute(variance * other**2 - spread * mean**2), near)
            result = result | (both & (apart | unlike))
    return result


def _crowded(network: RoutedNetwork, operations: Operations) -> Value:
    """Where closed classes exceed the saturation point of the bottleneck, and another station is nearly saturated.

    The loads are those of customers that never wait. Up to `_FEW` customers, percentiles were measured as accurate.
    """
    compiled = streams(network, operations, [1.0] * len(network.classes))
    spent: list[Value] = [0.0 for _ in network.classes]
    delays = {station.name: station for station in network.stations if station.delay}
    for route in compiled.routes:
        for part in route.parts.values():
            spent[route.class_index] = spent[route.class_index] + route.probability * part.mean
    population: Value = 0.0
    loads: dict[str, Value] = {}
    servers = {station.name: station.servers for station in network.stations}
    for class_index, customers in enumerate(network.classes):
        if not isinstance(customers, ClosedClass):
            continue
        population = population + customers.population
        cycle = customers.think_time + spent[class_index]
        passing = customers.population / operations.maximum([cycle, 1e-300 + 0.0 * cycle])
        for stream in compiled.streams:
            if stream.class_index == class_index and stream.station not in delays:
                load = passing * stream.rate * stream.holding.mean / servers[stream.station]
                loads[stream.station] = loads.get(stream.station, 0.0) + load
    if len(loads) < 2:
        return False
    largest = operations.maximum(list(loads.values()))
    near: Value = 0.0
    for load in loads.values():
        near = near + operations.where(operations.compare(">=", load, _NEARLY * largest), 1.0 + 0.0 * load, 0.0 * load)
    full = operations.compare(">=", largest, 1.0) & operations.compare(">", population, _FEW)
    return full & operations.compare(">=", near, 2.0)


def _returns(customers: OpenClass, operations: Operations) -> _Reasons:
    """The stations that customers of an open chain may visit more than once."""
    visits: dict[str, Value] = {}
    for route in customers.routes if customers.chain else ():
        for step in route.steps:
            if isinstance(step, Hold):
                visits[step.station] = visits.get(step.station, 0.0) + step.visits
    for name, number in visits.items():
        reason = Reason("back to one by chance", station=name, class_name=customers.name)
        yield reason, operations.compare(">", number, 1 + 1e-9)


def _passed_by(step: Step, operations: Operations) -> _Reasons:
    """The steps that some passages leave out, whose time is no gamma time: zero, or much longer than its mean.

    Those that make separate routes are given with one visit.
    """
    if not isinstance(step, Fork):
        name = step.station if isinstance(step, Hold) else "a delay"
        yield Reason("passed by", station=name), integer_visits(step.visits, operations) == False  # noqa: E712
        for inner in step.steps if isinstance(step, Hold) else ():
            yield from _passed_by(inner, operations)


def _step(step: Step, stations: dict[str, Station], operations: Operations, admitting: Container[str] = ()) -> _Reasons:
    """The features of a step that were not measured, or not as accurate."""
    if isinstance(step, Fork):
        yield Reason("parallel steps"), True
        return
    if isinstance(step, Time):
        return
    station = stations[step.station]
    if not station.delay and station.discipline == "lcfs-pr":
        yield Reason("last first", station=station.name), True
    if station.discipline == "ps" and station.servers > 1:
        yield Reason("shared servers", station=station.name), True
    if step.phase == 2:
        yield Reason("second phases", station=station.name), True
    for inner in step.steps:
        if not isinstance(inner, Time):
            if station.name not in admitting:
                yield Reason("held", station=station.name), True
            elif isinstance(inner, Hold):
                several = operations.compare(">", inner.visits, _AGAIN + 1e-9)
                yield Reason("several in a row", station=inner.station), several
            yield from _step(inner, stations, operations, admitting)
        elif not station.delay:
            wild = operations.compare(">", inner.scv, _MOST)
            yield Reason("scv at a station", station=station.name, numbers=(_MOST,)), wild
            if station.discipline == "ps":
                uneven = (wild == False) & (_same(inner.scv, 1.0, operations) == False)  # noqa: E712
                yield Reason("shared not exponential", station=station.name), uneven


def _unmeasured(network: RoutedNetwork) -> Iterator[Reason]:
    """Stations and buffers that were not measured."""
    for station in network.stations:
        if station.discipline in ("priority", "preemptive"):
            yield Reason("some first", station=station.name)
        if station.capacity is not None:
            yield Reason("may be full", station=station.name)
        if station.rates is not None:
            yield Reason("rates of a station", station=station.name)
    for buffer in network.buffers:
        yield Reason("may be full", station=buffer.name)


def _paths(network: RoutedNetwork) -> list[list[str]] | None:
    """The queueing stations of every route, in order.

    None where they are not visited one after the other without delays between them: with parallel steps, simultaneous
    resource possession, or second phases.
    """
    delays = {station.name for station in network.stations if station.delay}
    paths: list[list[str]] = []
    for customers in network.classes:
        for route in customers.routes:
            path = _path(route, delays)
            if path is None:
                return None
            paths.append(path)
    return paths


def _without_overtaking(paths: Sequence[Sequence[str]]) -> bool:
    """Whether there is at most one path between any two stations, over all routes together.

    Then no customer can overtake another, if all stations are first come first served with single servers.
    """
    onward: dict[str, set[str]] = {}
    for path in paths:
        for here, there in pairwise(path):
            onward.setdefault(here, set()).add(there)
    return all(_single_paths(start, onward) for start in onward)


def _path(route: Route, delays: set[str]) -> list[str] | None:
    """The queueing stations of a route, in order; None where they are not one after the other without delays."""
    path: list[str] = []
    late = False
    for step in route.steps:
        if step.phase == 2 or (isinstance(step, Time) and step.fills):
            return None
        if isinstance(step, Time) or (isinstance(step, Hold) and step.station in delays):
            late = bool(path)
            continue
        if late or not isinstance(step, Hold) or len(step.steps) != 1:
            return None
        inner = step.steps[0]
        if not isinstance(inner, Time) or inner.phase == 2 or inner.fills:
            return None
        path.append(step.station)
    return path


def _single_paths(start: str, onward: dict[str, set[str]]) -> bool:
    """Whether at most one path leads from a station to each other, and none back to itself."""
    reached = {start}
    waiting = [start]
    while waiting:
        for there in onward.get(waiting.pop(), ()):
            if there in reached:
                return False
            reached.add(there)
            waiting.append(there)
    return True
