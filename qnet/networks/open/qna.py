"""The variability of arrivals in open networks, and its effect on waits: Whitt's Queueing Network Analyzer.

Each station has one stream, described by its rate and the squared coefficient of variation (scv) of its interarrival
times. Streams from outside, and those that leave other stations, are split and merged: the scvs solve linear
equations. Each station is then a GI/G/m queue of two moments.

Applies   open networks of stations that are visited one after the other, of any number of classes.
Exact     where all streams are Poisson: networks of product form, and a single M/G/1 station.
Source    @whitt1983
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence, Set

from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks.duration import Wait
from qnet.networks.exactness import ranked, station_reason, uneven_classes
from qnet.networks.open.centres import Centre
from qnet.networks.open.transitions import Transitions, solved, transitions
from qnet.networks.reasons import Beyond, Reason
from qnet.networks.routed import Hold, OpenClass, RoutedNetwork, Time
from qnet.networks.streams import Key, Stream, Streams, by_station
from qnet.queues.arithmetic import ratio, total
from qnet.record import Record

NAME = "qna"
_LEAST = 0.2
"""The least scv of service that is used for departures."""
_MOST = 4.0
"""The largest scv for which errors were measured."""
_ROUNDING = 1e-9
"""The rounding error that a computed scv may add to that."""
_MOST_ON = 2.0
"""The largest scv of arrivals from outside for which errors were measured, if customers go on to another queue."""
_CHANGED, _CHANGED_BACK = 0.1, 0.02
"""The share of the time at a queue that may depend on how earlier queues change arrivals: without feedback, and with
it."""
_HIGHER = 0.4
"""The load by customers of higher priority up to which errors were measured as small behind a station that serves them
before others: these leave it in bursts, whenever the others have gone."""
_TINY = 1e-300
"""Keeps quotients of zeros finite: any number near the smallest float works."""
_NONE = 1e-9
"""The correction of a wait, relative, that counts as none."""


class Uneven(Record):
    """The effect of variable arrivals on the wait at a station."""

    factor: Value
    """Mean wait over that of Poisson arrivals."""
    waiting: Value | None
    """Probability of a wait at one server first come first served; None to scale the variance with the squared mean."""

    def changed(self, wait: Wait) -> Wait:
        """The wait of these arrivals, from that of Poisson ones; at one server it is zero or exponential."""
        mean = wait.mean * self.factor
        if self.waiting is None:
            return Wait(mean, wait.variance * self.factor**2)
        return Wait(mean, mean**2 * (2.0 / (self.waiting + (self.waiting == 0)) - 1.0))


class _Node(Record):
    """One copy of a station group."""

    copies: int
    rate: Value
    """Arrivals per second."""
    load: Value
    """Per server, at most 1; 0 at a delay."""
    service: Value
    """scv of the service of all arrivals, less 1; 0 unless `ordered`."""
    servers: int
    ordered: bool
    """Whether it is a queue that serves in line, at a constant rate."""
    again: Value
    """Probability of an immediate return to the same copy."""

    @property
    def fresh(self) -> Value:
        """Arrivals per second other than immediate returns."""
        return self.rate * (1.0 - self.again)


def refusal(network: RoutedNetwork, compiled: Streams) -> Reason | None:
    """Why the variability of arrivals is not followed through a network; None where it is.

    network   of any classes.
    compiled  its streams.
    """
    if network.closed:
        return Reason("closed")
    changing = any(station.rates is not None for station in network.stations)
    if changing and uneven_classes(network, FLOATS if network.size is None else arrays()):
        return Reason("rates")
    if any(stream.holder or stream.holding.waits for stream in compiled.streams):
        return Reason("holds")
    if compiled.deferred:
        return Reason("second phase")
    if any(route.forks for route in compiled.routes):
        return Reason("parallel")
    return None


def unmeasured_left(
    network: RoutedNetwork, compiled: Streams, centres: Sequence[Centre], operations: Operations
) -> tuple[Beyond, ...]:
    """Why a network with second-phase work is beyond where errors were measured as small.

    Second-phase work is not independent of the customers that it belongs to: it is judged as if they returned for it,
    by the reasons of `uneven`, though waits are computed for independent Poisson streams. It matters where services are
    far from exponential. Nothing is reported for one exponential time of all, which has product form, or with
    simultaneous resource possession.

    network     open classes.
    compiled    its streams.
    centres     its queueing station groups.
    operations  of its numbers.
    """
    steps = (step for item in network.classes for route in item.routes for step in route.steps)
    around = any(not isinstance(inner, Time) for step in steps if isinstance(step, Hold) for inner in step.steps)
    if around or refusal(network, compiled.replace(deferred=False)):
        return ()
    _, reasons, even = uneven(network, compiled, centres, operations)
    return () if operations.all(even) else reasons


def ignored(
    network: RoutedNetwork, compiled: Streams, centres: Sequence[Centre], operations: Operations
) -> tuple[Beyond, ...]:
    """Why an answer that takes all arrivals as Poisson is beyond where errors were measured as small.

    It errs where this method does, and where this method corrects a wait.

    network     as for `uneven`.
    compiled    its streams.
    centres     its queueing station groups.
    operations  of its numbers.
    """
    followed, reasons, _ = uneven(network, compiled, centres, operations)
    corrected = [
        Beyond(Reason("as Poisson", station=centre.station.name), "QN654")
        for centre in centres
        if not operations.all(operations.compare("<=", operations.absolute(followed[centre.key].factor - 1.0), _NONE))
    ]
    return (*reasons, *corrected)


def uneven(
    network: RoutedNetwork, compiled: Streams, centres: Sequence[Centre], operations: Operations
) -> tuple[dict[Key, Uneven], tuple[Beyond, ...], Value]:
    """The effect of the variability of arrivals on the wait at every queueing station group.

    network     open classes; `refusal` returns None for it.
    compiled    its streams.
    centres     its queueing station groups.
    operations  of its numbers.
    Returns     factors by which to multiply the waits of Poisson arrivals, 1 where all streams are Poisson; why the
                network is beyond what was measured; and where it has product form, so that there is nothing to follow.
    Method      In terms of c = scv - 1, with load r and m servers: departures have (1 - r^2) c of arrivals +
                r^2 (max(scv of service, 0.2) - 1) / sqrt(m); a share q of a stream has q c; a merged stream has w times
                the mean c of its parts, weighted by rates, w = 1 / (1 + 4 (1 - r)^2 (v - 1)), v = 1 / sum of their
                squared shares; classes from outside are merged first. Customers that return to a station, at once or
                after others, are served without interruption: their services are added, and only first visits are
                arrivals. Wait: (scv of arrivals + scv of service) / 2 times that of M/M/m, at one server with the
                factor of Kraemer and Langenbach-Belz. Sharing and preemptive stations count as exponential. There is no
                wait where all customers arrive directly from a station that releases them no faster than they are
                served.
    Known error `qnet methods --error`.
    Source      @whitt1983, equations (24) to (29), (36), (44), (71), section III on immediate feedback; feedback by way
                of other stations: @whitt2022, for stations of lower load only; for all stations, this tool's choice.
                Tandem queues: @friedman1965.
    """
    flows = transitions(network, operations)
    nodes = _nodes(network, compiled, centres, flows, operations)
    streams = _Arrivals(network, nodes, flows, operations)
    result: dict[Key, Uneven] = {}
    unmeasured: dict[Reason, None] = {}
    returned = False
    even: Value = True
    for node in nodes.values():
        even = even & (node.service == 0)
    planned = not all(customers.chain for customers in network.classes)
    spaced = _spaced(network, compiled, operations)
    for centre in centres:
        node, name = nodes[centre.key], centre.station.name
        outside, again = streams.first_time(centre.key)
        result[centre.key] = _uneven(node, outside, again, operations)
        regular = operations.all(operations.absolute(outside) <= 1e-12)
        back = not operations.all(operations.compare("<=", again, 0.0))
        returned = returned or back
        unmeasured |= dict.fromkeys(
            _unmeasured_at(centre, node, compiled, len(centres) == 1, regular, back, planned, operations)
        )
        if back or len(centres) > 1:
            most = _CHANGED_BACK if back and planned else _CHANGED
            other = _uneven(node, streams.in_the_long_run(centre.key, compiled), again, operations)
            changed = _changed(node, result[centre.key], other, operations)
            if centre.key in spaced:
                result[centre.key] = _without_wait(result[centre.key], spaced[centre.key], operations)
                changed = operations.where(spaced[centre.key], 0.0 * changed, changed)
            if not operations.all(operations.compare("<=", changed, most)):
                unmeasured[Reason("from other queues", station=name, numbers=(100 * most,))] = None
    unmeasured |= dict.fromkeys(_on_after_others(network, compiled, centres, operations))
    if uneven_classes(network, operations):
        scvs = [item.arrival_scv for item in network.classes if isinstance(item, OpenClass)]
        for scv in scvs:
            even = even & (scv == 1)
        unmeasured |= dict.fromkeys(_unmeasured_arrivals(scvs, len(centres) == 1, returned, operations))
    reasons = tuple(Beyond(reason, "QN654", after=": outside the measured region") for reason in unmeasured)
    return result, reasons, even


def _unmeasured_at(
    centre: Centre,
    node: _Node,
    compiled: Streams,
    alone: bool,
    regular: bool,
    back: bool,
    planned: bool,
    operations: Operations,
) -> Iterator[Reason]:
    """Why a station group is beyond those for which errors were measured.

    alone    whether it is the only one.
    regular  whether its arrivals are Poisson, apart from customers that return.
    back     whether customers return to it.
    planned  whether their number of visits is then fixed.
    """
    name = centre.station.name
    if not operations.all(operations.compare("<=", node.service, _MOST - 1.0 + _ROUNDING)):
        yield Reason("scv of services", station=name, numbers=(_MOST,))
    plain = compiled.deferred and regular and operations.all(node.service == 0)
    if node.servers > 1 and not alone and not plain:
        yield Reason("servers in a network", station=name)
    if not node.ordered and not regular:
        code = "not Poisson out of order" if centre.station.rates is None else "not Poisson with rates"
        yield Reason(code, station=name)
    if not back:
        return
    if ranked(centre.station, compiled.streams):
        yield Reason("back before others", station=name)
        return
    least = _CHANGED if compiled.deferred else 0.0
    uneven_service = not operations.all(operations.compare("<=", _by_service(node, operations), least))
    if not compiled.deferred:
        # Different service times may have the variance of one exponential time together.
        visits = [compiled.streams[index] for index in centre.indices]
        uneven_service = uneven_service or bool(station_reason(centre.station, visits, False, operations))
    if planned and uneven_service:
        yield Reason("back by plan", station=name)


def _on_after_others(
    network: RoutedNetwork, compiled: Streams, centres: Sequence[Centre], operations: Operations
) -> Iterator[Reason]:
    """The stations with priorities where customers that wait for many others go on to another queue."""
    queues = {centre.station.name for centre in centres}
    for centre in centres:
        name, visits = centre.station.name, [compiled.streams[index] for index in centre.indices]
        for stream in visits if ranked(centre.station, visits) else ():
            higher = total(item.rate * item.holding.mean for item in visits if item.priority > stream.priority)
            few = operations.compare("<=", higher, _HIGHER * centre.station.servers)
            if not operations.all(few) and _goes_on(network, stream, queues - {name}):
                yield Reason("on after others", station=name, numbers=(100 * _HIGHER,))


def _goes_on(network: RoutedNetwork, stream: Stream, others: Set[str]) -> bool:
    """Whether those of a stream visit some of the other stations after that of the stream."""
    customers = network.classes[stream.class_index]
    for route in customers.routes:
        names = [step.station for step in route.steps if isinstance(step, Hold)]
        if not customers.chain:
            here = route.name == stream.route and stream.station in names
            names = names[names.index(stream.station) :] if here else []
        if not others.isdisjoint(names):
            return True
    return False


def _unmeasured_arrivals(
    scvs: Sequence[Value], alone: bool, returned: bool, operations: Operations
) -> Iterator[Reason]:
    """Why arrivals from outside are beyond those for which errors were measured, where they are not Poisson.

    scvs      of the arrivals of every class.
    alone     whether there is only one station group.
    returned  whether customers return to any.
    """
    if returned:
        yield Reason("back and not Poisson")
    if len(scvs) > 1:
        yield Reason("classes and not Poisson")
    most = _MOST if alone else _MOST_ON
    if not all(operations.all(operations.compare("<=", scv, most)) for scv in scvs):
        yield Reason("scv of arrivals", numbers=(most,))


def _spaced(network: RoutedNetwork, compiled: Streams, operations: Operations) -> dict[Key, Value]:
    """Where single servers have no wait, since customers arrive at least a service time apart.

    A server with the same constant service time for all customers releases them at least that time apart, and so does
    each one after it that takes no longer, if all its customers come straight from the one before.

    Returns   by station group, the points without a wait.
    """
    before = _straight_before(network, operations)
    constant: dict[str, Value] = {}
    """By station: the time that all services take; 0 where they differ."""
    at = by_station(compiled.streams)
    for station in network.stations:
        visits = at.get(station.name, [])
        one = station.copies == 1 and station.servers == 1 and station.rates is None
        one = one and station.discipline in ("fcfs", "priority")
        if one and visits and not station.delay:
            constant[station.name] = _constant(visits, operations)
    apart: dict[str, Value] = {}
    """By station: the least time between two departures."""
    result: dict[Key, Value] = {}
    for name in constant:
        line = [name]
        while line[-1] not in apart:
            origins = before.get(line[-1], {""})
            origin = next(iter(origins))
            if len(origins) > 1 or origin not in constant or origin in line:
                apart[line[-1]] = constant[line[-1]]
            else:
                line.append(origin)
        for origin, target in itertools.pairwise(reversed(line)):
            time = constant[target]
            free = (time > 0) & operations.compare("<=", time, apart[origin])
            apart[target] = operations.where(free, apart[origin], time)
            result[target, 0] = free
    return result


def _constant(visits: Sequence[Stream], operations: Operations) -> Value:
    """The time of all services of a station; 0 where it is not always the same."""
    time = visits[0].holding.mean
    even: Value = True
    for stream in visits:
        scv = 0.0 if stream.scv is None else stream.scv
        even = even & (stream.holding.variance <= 0.0 * time) & (scv <= 0.0 * time)
        even = even & (operations.absolute(stream.holding.mean - time) <= 1e-12 * time)
    return operations.where(even, time, 0.0 * time)


def _without_wait(uneven: Uneven, free: Value, operations: Operations) -> Uneven:
    """The effect `uneven`, without any wait where `free` is true."""
    assert uneven.waiting is not None
    nothing = 0.0 * uneven.factor
    return Uneven(
        operations.where(free, nothing, uneven.factor), operations.where(free, nothing, uneven.waiting + nothing)
    )


def _straight_before(network: RoutedNetwork, operations: Operations) -> dict[str, set[str]]:
    """By station: the stations from which customers come straight to it; "" for outside, or after some delay."""
    result: dict[str, set[str]] = {}
    for customers in network.classes:
        for route in customers.routes:
            last = ""
            for step in route.steps:
                if isinstance(step, Hold):
                    once = operations.all(step.visits == 1) and not customers.chain
                    result.setdefault(step.station, set()).add(last if once else "")
                    last = step.station if once else ""
                elif not (isinstance(step, Time) and operations.all(step.mean == 0)):
                    last = ""
    return result


def _nodes(
    network: RoutedNetwork, compiled: Streams, centres: Sequence[Centre], flows: Transitions, operations: Operations
) -> dict[Key, _Node]:
    """Every station group with visits."""
    result: dict[Key, _Node] = {}
    queues = {centre.key for centre in centres}
    members = compiled.members()
    for station in network.stations:
        for index, group in enumerate(station.groups):
            key = (station.name, index)
            visits = [compiled.streams[item] for item in members[key]]
            if not visits:
                continue
            rate = total(stream.rate for stream in visits)
            again = ratio(flows.between.get((key, key), 0.0) / group.copies**2, rate)
            load: Value = 0.0 * rate
            if key in queues:
                busy = total(stream.rate * stream.holding.mean for stream in visits)
                load = operations.minimum([busy / station.peak, 1.0 + load])
            ordered = station.in_line and station.rates is None and key in queues
            service = _variability(visits, rate, operations) if ordered else 0.0 * rate
            result[key] = _Node(
                copies=group.copies,
                rate=rate,
                load=load,
                service=service,
                servers=station.servers,
                ordered=ordered,
                again=again,
            )
    return result


def _variability(streams: Sequence[Stream], rate: Value, operations: Operations) -> Value:
    """The scv of the service of all arrivals, less 1."""

    def square(stream: Stream) -> Value:
        mean = stream.holding.mean**2
        return mean + (stream.holding.variance if stream.scv is None else stream.scv * mean)

    mean = ratio(total(stream.rate * stream.holding.mean for stream in streams), rate)
    excess = ratio(total(stream.rate * square(stream) for stream in streams), rate)
    excess = excess / (mean**2 + (mean == 0)) - 2.0
    nothing = 0.0 * excess
    # Rounding must not make the arrivals of a product-form network look variable.
    flat = (operations.absolute(excess) <= 1e-12) | (mean == 0)
    return operations.where(flat, nothing, operations.maximum([excess, nothing - 1.0]))


class _Arrivals:
    """The streams that arrive at station groups."""

    def __init__(
        self,
        network: RoutedNetwork,
        nodes: Mapping[Key, _Node],
        flows: Transitions,
        operations: Operations,
    ) -> None:
        self.network = network
        self.nodes = nodes
        self.flows = flows
        self.operations = operations
        self.into: dict[Key, list[tuple[Key, Value]]] = {key: [] for key in nodes}
        """By station group: the groups from which customers come, with the rate from one copy to one copy."""
        for (before, after), flow in flows.between.items():
            self.into[after].append((before, flow / (nodes[before].copies * nodes[after].copies)))
        self.outside = {key: self.entering(key) for key in nodes}
        self.passages = _passages(nodes, flows)
        self.overall = self.all_arrivals()

    def entering(self, key: Key) -> tuple[Value, Value]:
        """Rate, and scv less 1, of all arrivals at a copy from outside."""
        node = self.nodes[key]
        parts: list[tuple[Value, Value]] = []
        for number, flow in self.flows.entering.get(key, {}).items():
            customers = self.network.classes[number]
            assert isinstance(customers, OpenClass)
            part = flow / node.copies
            parts.append((part, ratio(part, customers.arrival_rate) * (customers.arrival_scv - 1.0)))
        rate = total(part for part, _ in parts)
        squares = total(ratio(part, rate) ** 2 for part, _ in parts)
        return rate, self.merging(squares, node) * total(ratio(part, rate) * excess for part, excess in parts)

    def merging(self, squares: Value, node: _Node) -> Value:
        """The factor of the mean scv - 1 of the parts of a merged stream, from the sum of their squared shares."""
        nothing = 0.0 * squares
        parts = 1.0 / self.operations.maximum([squares, nothing + 1e-12])
        return 1.0 / (1.0 + 4.0 * (1.0 - node.load) ** 2 * self.operations.maximum([parts - 1.0, nothing]))

    def kept(self, node: _Node) -> Value:
        """The factor of the scv of arrivals at a station, less 1, in that of its departures."""
        return 1.0 - node.load**2

    def departing(self, node: _Node) -> Value:
        """The part that the services of a station add to the scv of its departures."""
        service = (1.0 - node.again) * node.service
        return node.load**2 * self.operations.maximum([service, 0.0 * service + _LEAST - 1.0]) / node.servers**0.5

    def all_arrivals(self) -> dict[Key, Value]:
        """The scv, less 1, of all arrivals at a copy except immediate returns."""
        index = {key: number for number, key in enumerate(self.nodes)}
        rows: list[dict[int, Value]] = []
        right: list[dict[int, Value]] = []
        for key, node in self.nodes.items():
            rate, outside = self.outside[key]
            share = ratio(rate, node.fresh)
            squares, constant = share**2, share * outside
            row: dict[int, Value] = {}
            for before, flow in self.into[key]:
                origin, number = self.nodes[before], index[before]
                count = origin.copies - (before == key)
                share = ratio(flow, node.fresh)
                weight = count * share * ratio(flow, origin.fresh)
                squares, constant = squares + count * share**2, constant + weight * self.departing(origin)
                row[number] = row.get(number, 0.0) + weight * self.kept(origin)
            factor = self.merging(squares, node)
            row = {number: -factor * value for number, value in row.items()}
            row[index[key]] = row.get(index[key], 0.0) + 1.0
            rows.append(row)
            right.append({0: factor * constant})
        return {key: row.get(0, 0.0) for key, row in zip(self.nodes, solved(rows, right), strict=True)}

    def first_time(self, key: Key) -> tuple[Value, Value]:
        """The scv, less 1, of first visits to a copy, and the share of visits that are not first ones."""
        node = self.nodes[key]
        visits = 1.0 + (self.passages[key].get(key, 1.0) - 1.0) / node.copies
        fresh = node.rate / visits
        rate, outside = self.outside[key]
        share = ratio(rate, fresh)
        squares, constant = share**2, share * outside
        for before, flow in self.into[key]:
            origin = self.nodes[before]
            count = origin.copies - (before == key)
            past = self.passages[key].get(before, 0.0) - (before == key)
            back = ratio(node.rate * past / origin.copies, visits * origin.rate)
            flow = flow * self.operations.maximum([1.0 - back, 0.0 * flow])
            share = ratio(flow, fresh)
            departing = self.kept(origin) * self.overall[before] + self.departing(origin)
            squares = squares + count * share**2
            constant = constant + count * share * ratio(flow, origin.fresh) * departing
        return self.merging(squares, node) * constant, 1.0 - 1.0 / visits

    def in_the_long_run(self, key: Key, compiled: Streams) -> Value:
        """The scv, less 1, of the counts of first visits to a copy over a long time.

        In the long run queues change the times of arrivals but not their number, and paths that split at random and
        merge again restore the stream.
        """
        node = self.nodes[key]
        visits = 1.0 + (self.passages[key].get(key, 1.0) - 1.0) / node.copies
        result: Value = 0.0 * node.rate
        for number, customers in enumerate(self.network.classes):
            assert isinstance(customers, OpenClass)
            if self.operations.all(customers.arrival_scv == 1.0):
                continue
            rate = total(
                stream.rate
                for stream in compiled.streams
                if (stream.station, stream.group) == key and stream.class_index == number
            )
            share = ratio(rate / visits, customers.arrival_rate)
            result = result + ratio(rate, node.rate) * share * (customers.arrival_scv - 1.0)
        return result


def _passages(nodes: Mapping[Key, _Node], flows: Transitions) -> dict[Key, dict[Key, Value]]:
    """From each station group: the mean remaining visits to every group, including the present one."""
    keys = list(nodes)
    index = {key: number for number, key in enumerate(keys)}
    rows: list[dict[int, Value]] = [{number: 1.0} for number in range(len(keys))]
    for (before, after), flow in flows.between.items():
        node, row = nodes[before], rows[index[before]]
        row[index[after]] = row.get(index[after], 0.0) - ratio(flow, node.copies * node.rate)
    result = solved(rows, [{number: 1.0} for number in range(len(keys))])
    return {key: {keys[number]: value for number, value in row.items()} for key, row in zip(keys, result, strict=True)}


def _by_service(node: _Node, operations: Operations) -> Value:
    """The share of the time at a queue with Poisson arrivals that is due to services not being exponential."""
    crowd = node.load / (operations.maximum([1.0 - node.load, _TINY + 0.0 * node.load]) * node.servers)
    return operations.absolute(node.service) / 2.0 * crowd / (1.0 + crowd * (1.0 + node.service / 2.0))


def _changed(node: _Node, uneven: Uneven, passed: Uneven, operations: Operations) -> Value:
    """Roughly the share of the time at a queue that depends on how earlier queues change the variability of arrivals.

    passed  the effect of arrivals if those queues left their variability unchanged, as they do in the long run.
    """
    idle = operations.maximum([1.0 - node.load, _TINY + 0.0 * node.load])
    wait = node.load * (1.0 + node.service / 2.0) / (idle * node.servers)
    return operations.absolute(uneven.factor - passed.factor) * wait / (1.0 + wait * passed.factor)


def _uneven(node: _Node, excess: Value, again: Value, operations: Operations) -> Uneven:
    """The factor of the wait, and the probability of a wait.

    excess  the scv of arrivals, less 1.
    again   the share of visits that are returns.
    Source  @whitt1983, equations (44) to (49); @kraemer1976
    """
    arrivals = operations.maximum([1.0 + excess, 0.0 * excess])
    service = 1.0 + (1.0 - again) * node.service
    both = arrivals + service
    factor = both / (2.0 + node.service)
    if node.servers > 1:
        return Uneven(factor, None)
    tiny = 0.0 * both + _TINY
    load = operations.maximum([node.load + 0.0 * both, tiny])
    idle = 1.0 - load
    smooth = operations.minimum([arrivals, 1.0 + 0.0 * arrivals])
    exponent = -2.0 * idle * (1.0 - smooth) ** 2 / operations.maximum([3.0 * load * both, tiny])
    exponent = exponent - idle * (arrivals - smooth) / operations.maximum([arrivals + 4.0 * service, tiny])
    factor = factor * operations.exp(exponent)
    if not node.ordered:
        return Uneven(factor, None)
    square = load**2 * (4.0 * arrivals + service)
    below = (1.0 + arrivals + load * service) / operations.maximum([1.0 + load * (service - 1.0) + square, tiny])
    above = 4.0 * load / operations.maximum([arrivals + square, tiny])
    steep = operations.where(operations.compare("<=", arrivals, 1.0), below, above)
    waiting = load + (arrivals - 1.0) * load * idle * steep
    return Uneven(factor, operations.minimum([operations.maximum([waiting, tiny]), 1.0 + 0.0 * waiting]))
