"""From routes to streams: the requests to each station, how often, and for how long.

Every hold becomes one stream (two where part of it is exempt from its priority) at each group of copies it may use.
A stream knows its holding time in two phases, as a `Duration` over the waits of the streams inside it, and, where it
is requested from inside another hold, the largest number of holders. `stream_wait` is the wait of one request, by the
time that its class spends there in a passage.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qnet.expression import Operations, Value
from qnet.lazy import lazy
from qnet.networks.duration import NOTHING, Duration, Wait
from qnet.networks.routed import Branch, ClosedClass, Fork, Hold, OpenClass, Route, RoutedNetwork, Station, Step, Time
from qnet.queues.arithmetic import close, ratio, total
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks.parallel import branches as parallel_branches
    from qnet.networks.parallel.branches import BranchTime, Parallel
    from qnet.queues import finite_source
else:
    parallel_branches = lazy("qnet.networks.parallel.branches")
    finite_source = lazy("qnet.queues.finite_source")


Key = tuple[str, int]
"""A station and the index of a group of its copies."""


_CLOSED = 0.5
"""The dependence of branches in closed classes over that in open ones, measured on systems of 1 to 12 customers."""
_NOTHING_LEFT: Mapping[str, Duration] = {}


LONGEST = 1e150
"""The longest wait in seconds whose square is finite; those of points without a steady state may be longer."""


class Stream(Record):
    """Requests of one class and route for one copy of a station, with one priority."""

    station: str
    group: int
    class_index: int
    route: str
    rate: Value
    """Requests per second and copy."""
    first: Duration
    """Holding time up to the response of the inner steps."""
    second: Duration
    """Holding time after it."""
    holding: Duration
    """The sum of both."""
    priority: int
    scv: Value | None
    holder: str
    """The station whose holders alone make these requests; empty for an open stream."""
    holders: int
    """The largest number of these holders; 0 for an open stream."""
    inside: tuple[str, ...]
    """All stations whose servers are kept while this one is waited for; empty for an open stream."""
    started: Value | None = None
    """In a branch of a parallel step: starts of the step per second; None outside of such steps."""
    left: bool = False
    """Whether it is second-phase work for which no server is kept."""
    drains: str = ""
    """The buffer whose places this work frees; empty for none."""
    around: tuple[Key, ...] = ()
    """The copies that are held while it is requested, the outermost first."""
    behind: bool = False
    """Whether it is requested after the response."""


class RouteTime(Record):
    """The response of one route, by station group (an empty name for delays)."""

    class_index: int
    route: str
    probability: Value
    parts: dict[Key, Duration]
    """By station group: the time outside of parallel steps."""
    forks: tuple[Parallel, ...] = ()
    after: Mapping[str, Duration] = _NOTHING_LEFT
    """By buffer: the time from the step that takes places to the work that frees them, or to the response."""
    left: Mapping[str, Duration] = _NOTHING_LEFT
    """By buffer: the time of the second-phase work that frees them, once."""


class Streams(Record):
    """All requests of a network to its stations."""

    streams: tuple[Stream, ...]
    routes: tuple[RouteTime, ...]
    order: tuple[Key, ...]
    """Station groups, the innermost first."""
    deferred: bool
    """Whether any step is in phase 2."""
    prioritized: tuple[str, ...]
    """Stations at which some step has a priority, if only at some points."""

    def members(self) -> dict[Key, list[int]]:
        """The streams of every station group."""
        result: dict[Key, list[int]] = {key: [] for key in self.order}
        for index, stream in enumerate(self.streams):
            result[stream.station, stream.group].append(index)
        return result


class _Parts(Record):
    """The contributions of a step: to the response, to the second phase of each enclosing hold, and by station
    group."""

    first: Duration
    second: dict[str, Duration]
    spent: dict[Key, Duration]
    forks: tuple[Parallel, ...] = ()

    def plus(self, other: _Parts) -> _Parts:
        if self is _NO_PARTS:
            return other
        return _Parts(
            self.first.plus(other.first),
            _merged(self.second, other.second),
            _merged(self.spent, other.spent),
            self.forks + other.forks,
        )

    def weighted(self, probability: Value) -> _Parts:
        if isinstance(probability, float) and probability == 1.0:
            return self
        return _Parts(
            self.first.weighted(probability),
            {name: duration.weighted(probability) for name, duration in self.second.items()},
            {key: duration.weighted(probability) for key, duration in self.spent.items()},
            parallel_branches.times(self.forks, probability) if self.forks else (),
        )

    def repeated(self, visits: Value, operations: Operations) -> _Parts:
        if isinstance(visits, float) and visits == 1.0:
            return self
        return _Parts(
            self.first.repeated(visits, operations),
            {name: duration.repeated(visits, operations) for name, duration in self.second.items()},
            {key: duration.repeated(visits, operations) for key, duration in self.spent.items()},
            parallel_branches.times(self.forks, visits) if self.forks else (),
        )


def _merged(left: dict[Any, Duration], right: dict[Any, Duration]) -> dict[Any, Duration]:
    """The sums of two tables of durations; neither table is changed."""
    if not left or not right:
        return left or right
    result = dict(left)
    for key, duration in right.items():
        result[key] = result.get(key, NOTHING).plus(duration)
    return result


_NO_PARTS = _Parts(NOTHING, {}, {})
_NOWHERE: Key = ("", 0)


def streams(network: RoutedNetwork, operations: Operations, rates: Sequence[Value] | None = None) -> Streams:
    """All requests of a network, by streams.

    network     its stations, classes and routes.
    operations  of floats, arrays or symbols.
    rates       passages per second of every class; None: the arrival rates, of open classes alone.
    """
    walker = _Walker(network, operations)
    if rates is None:
        rates = [customers.arrival_rate for customers in network.classes if isinstance(customers, OpenClass)]
    for index, (customers, rate) in enumerate(zip(network.classes, rates, strict=True)):
        for route in customers.routes:
            walker.route(index, rate, route)
    return Streams(
        tuple(walker.streams),
        tuple(walker.routes),
        tuple(walker.order()),
        walker.deferred,
        tuple(sorted(walker.prioritized)),
    )


class _Walker:
    """A walk over the steps of all routes, which collects streams and route times."""

    def __init__(self, network: RoutedNetwork, operations: Operations) -> None:
        self.stations = {station.name: station for station in network.stations}
        self.operations = operations
        self.streams: list[Stream] = []
        self.routes: list[RouteTime] = []
        self.inside: dict[str, set[str]] = {station.name: set() for station in network.stations}
        self.deferred = False
        self.prioritized: set[str] = set()
        self.left = False
        self.started: Value | None = None
        """Starts of the enclosing parallel step per second."""
        self.behind = 0
        """The number of enclosing holds in phase 2."""
        self.class_index = 0
        self.route_name = ""
        self.drains = ""
        self.buffers = bool(network.buffers)
        self.last = NOTHING
        """The time of one visit of the step that was measured last."""

    def route(self, class_index: int, arrival_rate: Value, route: Route) -> None:
        """Measure one route of a class, and register its streams."""
        self.class_index, self.route_name = class_index, route.name
        rate = arrival_rate * route.probability
        parts = _NO_PARTS
        after: dict[str, Duration] = {}
        left: dict[str, Duration] = {}
        until: dict[str, Duration] = {}
        for step in route.steps:
            self.drains = step.drains if isinstance(step, Hold) else ""
            measured = self.step(step, rate, (), {}, _NOWHERE)
            parts = parts.plus(measured)
            if self.buffers:
                after = {name: duration.plus(measured.first) for name, duration in after.items()}
                after |= dict.fromkeys(filled(step), NOTHING)
                freed = step.frees if isinstance(step, Time) else self.drains
                if self.drains:
                    left[self.drains] = self.last
                if freed:
                    until[freed] = after.get(freed, NOTHING)
        spent, forks = parts.spent, parts.forks
        self.routes.append(
            RouteTime(
                class_index=class_index,
                route=route.name,
                probability=route.probability,
                parts=spent,
                forks=forks,
                after=after | until,
                left=left,
            )
        )

    def step(self, step: Step, rate: Value, enclosing: tuple[str, ...], copies: dict[str, int], at: Key) -> _Parts:
        """Measure one step that starts `rate` times a second inside the `enclosing` holds, and register its streams."""
        kept = enclosing
        before = self.left
        if step.phase == 2:
            self.deferred = True
            if step.keeps is not None:
                kept = tuple(name for name in enclosing if name in step.keeps)
            self.left = before or not kept
        if isinstance(step, Time):
            duration = Duration(step.mean, step.scv * step.mean**2)
            parts = _Parts(duration, {}, {at: duration})
        elif isinstance(step, Fork):
            parts = self.fork(step, rate * step.visits, kept)
        else:
            self.behind += step.phase == 2
            parts = self.hold(step, rate * step.visits, kept, copies)
            self.behind -= step.phase == 2
        self.left = before
        self.last = parts.first
        parts = parts.repeated(step.visits, self.operations)
        if step.phase == 1:
            return parts
        return _Parts(NOTHING, _merged(parts.second, dict.fromkeys(kept, parts.first)), {})

    def fork(self, fork: Fork, rate: Value, enclosing: tuple[str, ...]) -> _Parts:
        """Measure one visit of a parallel step, its branches one by one."""
        if enclosing and self.operations.all(self.operations.compare("<=", rate, 0.0)):
            return _NO_PARTS
        parallel_branches.refuse_held(enclosing)
        before, self.started = self.started, rate
        result: list[BranchTime] = []
        for branch in fork.branches:
            parts, first = _NO_PARTS, len(self.streams)
            for step in branch.steps:
                parts = parts.plus(self.step(step, rate * branch.copies, (), {}, _NOWHERE))
            requests = tuple(range(first, len(self.streams)))
            result.append(
                parallel_branches.BranchTime(
                    name=branch.name,
                    copies=branch.copies,
                    first=parts.first,
                    spent=parts.spent,
                    forks=parts.forks,
                    asked=requests,
                    single=_single(branch, self.operations),
                )
            )
        self.started = before
        return _Parts(NOTHING, {}, {}, (parallel_branches.Parallel(tuple(result), fork.needed),))

    def hold(self, hold: Hold, rate: Value, enclosing: tuple[str, ...], copies: dict[str, int]) -> _Parts:
        """Measure one visit of a hold, over the groups of copies that it may use."""
        station = self.stations[hold.station]
        for name in enclosing:
            self.inside[name].add(hold.station)
        inside = (*enclosing, station.name)
        total = _NO_PARTS
        for group, probability in self.groups(station, hold, copies):
            chosen = {**copies, station.follows or station.name: group, station.name: group}
            share = rate * probability
            inner = _NO_PARTS
            for step in hold.steps:
                inner = inner.plus(self.step(step, share, inside, chosen, (station.name, group)))
            held = tuple((name, copies[name]) for name in enclosing)
            total = total.plus(self.register(hold, station, group, share, held, inner).weighted(probability))
        return total

    def groups(self, station: Station, hold: Hold, copies: dict[str, int]) -> list[tuple[int, Value]]:
        """The groups of copies that a hold may use, each with its probability."""
        if station.follows and station.follows in copies:
            return [(copies[station.follows], 1.0)]
        if hold.copy is not None:
            return [(group_of(station, hold.copy), 1.0)]
        return [(index, group.copies * group.share) for index, group in enumerate(station.groups)]

    def register(
        self, hold: Hold, station: Station, group: int, rate: Value, held: tuple[Key, ...], inner: _Parts
    ) -> _Parts:
        """Add the streams of one hold at one group; the result includes their wait."""
        enclosing = tuple(name for name, _ in held)
        holder, holders = self.holders(station, enclosing)
        inside = tuple(name for name in enclosing if not self.stations[name].delay) if holders else ()
        per_copy = rate / station.groups[group].copies
        second = inner.second.get(station.name, NOTHING)
        holding = inner.first.plus(second)
        shares = [(0, 1.0)]
        if hold.priority:
            shares = [(hold.priority, 1.0 - hold.exempt), (0, hold.exempt)]
            self.prioritized.add(station.name)
        wait = NOTHING
        for priority, share in shares:
            if isinstance(share, float) and share == 0.0:
                continue
            wait = wait.plus(Duration(waits={len(self.streams): 1.0}).weighted(share))
            self.streams.append(
                Stream(
                    station=station.name,
                    group=group,
                    class_index=self.class_index,
                    route=self.route_name,
                    rate=per_copy * share,
                    first=inner.first,
                    second=second,
                    holding=holding,
                    priority=priority,
                    scv=hold.scv,
                    holder=holder,
                    holders=holders,
                    inside=inside,
                    started=self.started,
                    left=self.left,
                    drains=self.drains,
                    around=held,
                    behind=self.behind > 0,
                )
            )
        outer = {name: duration for name, duration in inner.second.items() if name != station.name}
        return _Parts(inner.first.plus(wait), outer, _merged(inner.spent, {(station.name, group): wait}))

    def holders(self, station: Station, enclosing: tuple[str, ...]) -> tuple[str, int]:
        """The station that bounds the number of simultaneous requests, and the bound; ("", 0) for no bound."""
        if not enclosing:
            return "", 0
        best = ("", 0)
        for name in enclosing:
            outer = self.stations[name]
            if outer.delay:
                continue
            count = outer.servers if follows(station, outer) else outer.servers * outer.copies
            if count <= finite_source.MAX_SOURCES and (not best[1] or count < best[1]):
                best = (name, count)
        return best

    def order(self) -> list[Key]:
        """Station groups, every station before those that are held around it."""
        done: dict[str, None] = {}
        for start in self.stations:
            # A stack instead of recursion: holds may be nested very deep.
            stack = [start]
            while stack:
                name = stack[-1]
                left = [inner for inner in sorted(self.inside[name], reverse=True) if inner not in done]
                if left:
                    stack += left
                else:
                    done[name] = None
                    stack.pop()
        return [(name, group) for name in done for group in range(len(self.stations[name].groups))]


def filled(step: Step) -> tuple[str, ...]:
    """The buffers in which a step, or one inside it, takes places."""
    if isinstance(step, Time):
        return (step.fills,) if step.fills else ()
    inner = step.inner if isinstance(step, Fork) else step.steps
    return tuple(name for item in inner for name in filled(item))


def follows(inner: Station, outer: Station) -> bool:
    """Whether the copy of `outer` that is held determines the copy of `inner`."""
    return bool(inner.follows) and inner.follows in (outer.name, outer.follows)


def _single(branch: Branch, operations: Operations) -> bool:
    """Whether a branch is one step with one time, at all points of a batch."""
    steps = branch.steps
    while len(steps) == 1 and isinstance(steps[0], Hold) and _once(steps[0], operations) and steps[0].scv is None:
        steps = steps[0].steps
    return len(steps) == 1 and isinstance(steps[0], Time) and _once(steps[0], operations) and steps[0].phase == 1


def _once(step: Hold | Time, operations: Operations) -> bool:
    """Whether a step is one visit, at all points of a batch."""
    return operations.all(step.visits == 1.0)


def group_of(station: Station, copy: int) -> int:
    """The index of the group of a copy; a copy that a step names is a separate group.

    station  the station of the copy.
    copy     from 1 to the number of copies.
    Raises   `ValueError` for a copy that the station does not have.
    """
    last = 0
    for index, group in enumerate(station.groups):
        last += group.copies
        if copy <= last:
            return index
    raise ValueError(f"{station.name} has no copy {copy}")


def by_station(requests: Iterable[Stream]) -> dict[str, list[Stream]]:
    """Requests by the name of their station, in their order; stations without requests are left out.

    requests  of a network, or some of them.
    """
    result: dict[str, list[Stream]] = {}
    for stream in requests:
        result.setdefault(stream.station, []).append(stream)
    return result


def exponential(stream: Stream, operations: Operations) -> bool:
    """Whether the holding time of a stream has the variance of an exponential time.

    stream      the requests; waits inside the holding time are left out.
    operations  of floats or of arrays: true if it has at all points.
    """
    if stream.scv is not None:
        return close(stream.scv, stream.scv * 0 + 1.0, operations)
    square = (stream.first.mean + stream.second.mean) ** 2
    return close(stream.first.variance + stream.second.variance, square, operations)


def start_together(network: RoutedNetwork, compiled: Streams, operations: Operations) -> tuple[Value, ...]:
    """By stream: the share of the load at its station that started together with it, by other branches.

    That is the share of the load from parallel steps of routes whose branches use the same copies as those of its
    route, times the probability that a step uses this copy; half of it in closed classes, whose customers wait for each
    other less. A route or a class stated as two changes nothing.

    network     any network.
    compiled    its streams.
    operations  those of the numbers.
    """
    loads = [stream.rate * stream.holding.mean for stream in compiled.streams]
    result: list[Value] = [0.0] * len(loads)
    used: dict[tuple[int, str], set[Key]] = {}
    for item in compiled.streams:
        if item.started is not None:
            used.setdefault(_route(item), set()).add((item.station, item.group))
    beside = {
        route: (isinstance(network.classes[route[0]], ClosedClass), frozenset(keys)) for route, keys in used.items()
    }
    for members in compiled.members().values():
        parallel = [index for index in members if compiled.streams[index].started is not None]
        load = total(loads[index] for index in members)
        for index in parallel:
            stream = compiled.streams[index]
            group = beside[_route(stream)]
            same = total(loads[other] for other in parallel if beside[_route(compiled.streams[other])] == group)
            several = operations.minimum([ratio(stream.rate, stream.started), 1.0])
            closed = isinstance(network.classes[stream.class_index], ClosedClass)
            result[index] = several * ratio(same, load) * (_CLOSED if closed else 1.0)
    return tuple(result)


def _route(stream: Stream) -> tuple[int, str]:
    return stream.class_index, stream.route


def stream_wait(
    stream: Stream, spent: Value, demand: Value, visits: Value, ordered: bool, faster: bool, operations: Operations
) -> Wait:
    """The wait of one request.

    stream      the requests.
    spent       seconds that the class spends at the station in a passage, `demand` of them in service.
    visits      its visits there per passage.
    ordered     whether all visits of a class have the same wait, as where the order of arrival was taken into account;
                else waits are in proportion to service.
    faster      whether more customers are served faster, so that a wait may be negative.
    operations  those of the numbers.
    Returns     mean in seconds, and the variance with which, after exponential service, the time there is exponential.
    """
    idle = (spent == 0) | (demand == 0)
    mean = stream.holding.mean
    if ordered:
        wait = operations.maximum([spent - demand, 0.0 * spent]) / (visits + (visits == 0))
    else:
        longer = spent / (demand + idle) - 1.0 + idle
        if not faster:
            longer = operations.maximum([longer, 0.0 * longer])
        wait = mean * longer
    known = operations.minimum([wait, LONGEST + 0.0 * wait])
    return Wait(wait, known * (known + 2.0 * mean))
