"""Whether theory makes the answer for a network exact, and the reasons where it does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import lazy
from qnet.networks.reasons import Beyond, Inexact, Reason
from qnet.networks.routed import ClosedClass, Fork, Hold, OpenClass, RoutedNetwork, Station, Step, Time, one_by_one
from qnet.networks.solvers.table import knows_no_order
from qnet.networks.streams import Stream, Streams, by_station, exponential
from qnet.networks.streams import streams as streams_of
from qnet.queues.arithmetic import close, total
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks.parallel import exactness as parallel_exactness
else:
    parallel_exactness = lazy("qnet.networks.parallel.exactness")

RESIDUAL = "residual-service"
"""The method that corrects the waits of closed classes at first-come-first-served stations."""
PRIORITY = "priority-mva"
"""The method for priorities in closed and mixed networks."""
LAYERS = "layers"
"""The method for simultaneous resource possession."""
STATES = "states"
"""The Markov chain of all states."""
AGGREGATED = "flow-equivalent"
"""Flow-equivalent aggregation."""
_CORRECTED = "waits are estimated"
_ESTIMATED = "the capacity that they leave is estimated"
HELD = Inexact(Reason("holds"))
"""The reason of an open network with servers kept while others are waited for."""
HIGHER = 0.6
"""The utilization by customers of higher priority up to which the estimate is trusted."""
LONG_ABSENCE = 0.5
"""The least share of its time without waits that a closed class of higher priority must spend at delays."""
_FACTOR, _LEAST, _MOST = 3.0, 0.5, 4.0
"""How far service times of visits may differ, and how small and large their scv may be, where the estimate is
trusted: nearly constant services keep customers in step, which mean waits do not show."""
_SHARED_MOST, _APART = 2.0, 2.0
"""The largest scv of services at a station that classes share, and how far their means may differ, where the estimate
is trusted although a closed class soon returns: it then meets the same long service again."""
ALONE = 0.8
"""The utilization by customers of higher priority, if they never waited, up to which the estimate is trusted without
preemption."""
LONGER_HIGHER, LONGER_LOWER, LONGER_BEHIND, LONGER_SEVERAL = 5.0, 10.0, 5.0, 3.0
"""As `_FACTOR`, for exponential times with priorities: how much longer a higher class may be served than a lower one,
and a lower than a higher: with preemption, without, and without it at several servers or several such stations."""
_SHARED = "solved like processor sharing, which may be wrong by tens of per cent"


def reasons_for(
    network: RoutedNetwork, compiled: Streams, operations: Operations, method: str = ""
) -> tuple[Inexact, ...]:
    """Why the closed-form answer is an approximation; empty where theory makes it exact.

    Exact are product-form networks: every queueing station is processor sharing, last come first served preemptive
    resume with one server, or first come first served or last come first served with several servers and one
    exponential service time for all its visits; and a single M/G/1 station, with or without priorities, that no
    customer visits more than once.

    network     its stations and routes.
    compiled    its streams.
    operations  those of its numbers.
    method      the method of the answer.
    Returns     one reason for each cause.
    Source      @baskett1975; several servers in any order: @kelly1979, section 3.1.
    """
    streams = [stream for stream in compiled.streams if not operations.all(stream.rate == 0)]
    at = by_station(streams)
    queues = [station for station in network.stations if not station.delay and station.name in at]
    alone = len(queues) == 1 and queues[0].servers == 1 and queues[0].rates is None and not network.closed
    alone = alone and _visited_once(network, queues[0].name, operations)
    reasons = [Inexact(Reason("not Poisson", class_name=name)) for name in uneven_classes(network, operations)]
    if any(stream.holder for stream in streams):
        reasons.append(HELD)
        if network.closed and method not in (LAYERS, STATES):
            reasons += _shared_holds(queues, streams)
    if compiled.deferred:
        reasons.append(_second_phases_reason(network, streams, operations))
    if not network.closed and not alone and any(ranked(station, at[station.name]) for station in queues):
        once = len(queues) == 1 and queues[0].rates is None and _visited_once(network, queues[0].name, operations)
        if not once or station_reason(queues[0], streams, False, operations):
            reasons.append(Inexact(Reason("priority order")))
    judged = _Judged(network, compiled, at, method, _stacked(network, queues, at), operations)
    reasons += [item for station in queues if (item := judged.reason(station, alone)) is not None]
    if any(stream.started is not None for stream in streams) or any(route.forks for route in compiled.routes):
        reasons += parallel_exactness.parallel_reasons(network, compiled, operations)
    return tuple(dict.fromkeys(reasons))


def without_product_form(network: RoutedNetwork, operations: Operations) -> tuple[Inexact, ...]:
    """Why an open network has no product form, a single station that is exact as M/G/1 included; empty where it has.

    network     of open classes.
    operations  those of its numbers.
    """
    rates = [item.arrival_rate for item in network.classes if isinstance(item, OpenClass)]
    compiled = streams_of(network, operations, rates)
    reasons = reasons_for(network, compiled, operations)
    if reasons:
        return reasons
    at = by_station([stream for stream in compiled.streams if not operations.all(stream.rate == 0)])
    queues = [station for station in network.stations if not station.delay and station.name in at]
    codes = {
        station.name: Reason("priorities") if ranked(station, at[station.name]) else
        station_reason(station, at[station.name], False, operations)
        for station in queues
    }  # fmt: skip
    return tuple(Inexact(reason.replace(station=name)) for name, reason in codes.items() if reason is not None)


def _shared_holds(queues: Sequence[Station], streams: Sequence[Stream]) -> Iterator[Inexact]:
    """The reasons of shared stations that are held: what is spent at others meanwhile is no service."""
    held = {name for stream in streams for name, _ in stream.around}
    for station in queues:
        if station.name in held and not station.in_line:
            text = f"{station.name} is shared, and kept while others are waited for, which is taken as service there"
            yield Beyond(Reason("kept as work", station=station.name), "QN640", text)


class _Judged(Record):
    """A network whose stations are judged one by one."""

    network: RoutedNetwork
    compiled: Streams
    streams: Mapping[str, list[Stream]]
    """By station: those with customers."""
    method: str
    stacked: str
    """The result of `_stacked`."""
    operations: Operations

    def reason(self, station: Station, alone: bool) -> Inexact | None:
        """Why waits at a station are approximate; None where they are exact.

        alone   whether it is the only queue, with a single server, and visited at most once.
        """
        network, operations = self.network, self.operations
        selected = self.streams[station.name]
        if network.closed and ranked(station, selected):
            in_order = sum(
                other.discipline == "priority" and ranked(other, self.streams.get(other.name, []))
                for other in network.stations
            )
            return _ranks_reason(network, station, selected, in_order > 1, self.stacked, operations)
        reason = station_reason(station, selected, alone, operations)
        if reason is None:
            return None
        reason = reason.replace(station=station.name)
        if station.discipline == "lcfs-pr" and self.method != "states":
            text = f"{station.name} is last come first served with several servers, and times that are not one "
            text += "exponential time: it is solved like processor sharing"
            return Beyond(reason.replace(cause=_SHARED), "QN728", text)
        return self._closed(station, selected, reason) if network.closed else self._open(station, reason)

    def _closed(self, station: Station, selected: list[Stream], reason: Reason) -> Inexact:
        methods = (RESIDUAL, PRIORITY)
        ordered = self.method in (*methods, LAYERS) and station.in_line
        reason = reason.replace(cause=_CORRECTED if ordered else _SHARED)
        plain = not self.compiled.deferred and not any(route.forks for route in self.compiled.routes)
        if ordered and self.method in methods and not _trusted(station, selected, plain, self.operations):
            text = f"the order of arrival at {station.name} is corrected beyond where errors were measured as small"
            return Beyond(reason, "QN638", text)
        if ordered and self.method in methods and self._meets_again(station, selected):
            text = (
                f"classes share {station.name} with services far apart or of an scv above {_SHARED_MOST:.0f}, and one "
            )
            text += "of them soon returns, or is served several times in a row: it meets the same customers again"
            return Beyond(reason, "QN638", text)
        if ordered and self.stacked:
            text = f"the order of arrival at {station.name} is corrected with {self.stacked} last come first served, "
            text += "where it decides which class returns: errors were not measured"
            return Beyond(reason, "QN638", text)
        if station.in_line and any(knows_no_order(name) for name in self.method.split(", ")):
            text = f"the method ignores the order of arrival at {station.name}, and takes it as processor sharing"
            return Beyond(reason, "QN727", text)
        return Inexact(reason)

    def _meets_again(self, station: Station, selected: list[Stream]) -> bool:
        """Whether classes share a station, their services vary widely, and a closed class meets them again.

        It does where it returns before a long service is likely to end, and where it is served several times in a row.
        """
        classes = {stream.class_index for stream in selected}
        if len(classes) < 2:
            return False
        operations, means = self.operations, [_mean(stream) for stream in selected]
        apart = not all(
            operations.all(operations.compare("<=", mean, _APART * other)) for mean in means for other in means
        )
        if not apart and all(_varies(stream, operations, _SHARED_MOST) for stream in selected):
            return False
        closed = {k for k in classes if isinstance(self.network.classes[k], ClosedClass)}
        if apart and any(_in_a_row(self.network, station.name, None, operations, closed)):
            return True
        longest = operations.maximum([_residual(stream) for stream in selected])
        back = TimesWithoutWaits(self.network, closed, operations).soon_back(station, longest)
        return not operations.all(operations.where(back, False, True))

    def _open(self, station: Station, reason: Reason) -> Inexact:
        if station.rates is not None:
            text = f"{station.name} has rates and no product form: it is solved like processor sharing"
            return Beyond(reason.replace(cause=_SHARED), "QN717", text)
        changing = self.method != "states" and any(other.rates is not None for other in self.network.stations)
        if changing and not one_by_one(self.network):
            text = f"{station.name} has no product form, and is solved like processor sharing next to a station with "
            text += "rates"
            return Beyond(reason.replace(cause=_SHARED), "QN717", text)
        return Inexact(reason)


def _stacked(network: RoutedNetwork, queues: Sequence[Station], at: Mapping[str, list[Stream]]) -> str:
    """The first station that serves several closed classes last come first served; empty where there is none."""
    for station in queues:
        classes = {stream.class_index for stream in at[station.name]}
        if station.discipline == "lcfs-pr" and sum(isinstance(network.classes[k], ClosedClass) for k in classes) > 1:
            return station.name
    return ""


def uneven_classes(network: RoutedNetwork, operations: Operations) -> list[str]:
    """The names of the open classes whose arrivals are not Poisson.

    network     with the scv of the interarrival times of every open class.
    operations  of floats or of arrays: a class counts where it is not Poisson at any point.
    """
    return [
        customers.name
        for customers in network.classes
        if isinstance(customers, OpenClass) and not close(customers.arrival_scv, 1.0, operations)
    ]


def refuse_uneven(network: RoutedNetwork, why: Reason) -> None:
    """Raise `NotComputed` QN548 where arrivals of a class are not Poisson.

    network  the network.
    why      the reason that their variability is not followed.
    """
    names = uneven_classes(network, FLOATS if network.size is None else arrays())
    if names:
        raise NotComputed(Problem("QN548", not_followed(names[0], why), "arrival_scv = 1"))


def between_integers(network: RoutedNetwork, operations: Operations) -> tuple[str, ...]:
    """The reason that a population is not an integer; empty where all are integers.

    network     with closed classes.
    operations  of floats or of arrays: one fractional point is sufficient.
    """
    counts = [item.population for item in network.classes if isinstance(item, ClosedClass)]
    if all(operations.all(count == operations.floor(count)) for count in counts):
        return ()
    return (Inexact(Reason("fractional")),)


def not_followed(name: str, why: Reason) -> str:
    """The sentence that the variability of the arrivals of a class is not followed.

    name  of the class.
    why   the reason.
    """
    return f'arrivals of "{name}" are not Poisson, and their variability is not followed where {why}'


def ranked(station: Station, streams: Sequence[Stream]) -> bool:
    """Whether a station has priorities between some of the streams."""
    return station.in_line and len({stream.priority for stream in streams if stream.station == station.name}) > 1


def _ranks_reason(
    network: RoutedNetwork,
    station: Station,
    selected: list[Stream],
    several: bool,
    stacked: str,
    operations: Operations,
) -> Inexact:
    """The reason that priorities with closed classes are approximate, with a warning beyond what was measured.

    several   whether several stations have priorities without preemption.
    stacked   the result of `_stacked`.
    """
    code = "interrupting" if station.discipline == "preemptive" else "before others"
    reason = Reason(code, _ESTIMATED, station.name)
    lowest = min(stream.priority for stream in selected)
    groups = {stream.group for stream in selected}
    crowded = not all(
        operations.all(operations.compare("<=", total(
            stream.rate * (stream.first.mean + stream.second.mean)
            for stream in selected if stream.group == group and stream.priority > lowest
        ), HIGHER * station.servers))
        for group in groups
    )  # fmt: skip
    result: list[str] = []
    if crowded:
        text = f"customers served before others keep {station.name} more than {100 * HIGHER:.0f} % busy: the capacity "
        result.append(text + "left to the others may be wrong by tens of per cent, where it is small by a factor")
    times = TimesWithoutWaits(network, {item.class_index for item in selected if item.priority > lowest}, operations)
    if station.discipline == "priority" and not crowded and not times.leave_capacity(station, lowest):
        text = f"customers served before others would keep {station.name} more than {100 * ALONE:.0f} % busy if they "
        text += "did not wait for lower ones in service: the capacity left to these may be wrong by a factor"
        result.append(text)
    if not times.absent():
        text = f"customers served before others at {station.name} spend little time in delays: where they return "
        result.append(text + "at once, the capacity left to others may be wrong by tens of per cent")
    if any(_in_a_row(network, station.name, lowest, operations)):
        text = f"customers served before others visit {station.name} several times in a row, each time before all "
        result.append(text + "others again: the capacity left to them may be wrong by tens of per cent")
    result += _unlike_times(station, selected, several, operations)
    if stacked:
        text = f"{stacked} is last come first served, where priorities at {station.name} decide which class returns: "
        result.append(text + "shares of classes may be wrong by a factor")
    return Beyond(reason, "QN646", "; ".join(result)) if result else Inexact(reason)


def _in_a_row(
    network: RoutedNetwork, name: str, lowest: int | None, operations: Operations, classes: set[int] | None = None
) -> Iterator[bool]:
    """For every step at a station: whether it may be repeated in a row.

    lowest   steps of this priority or less are left out; None: none are.
    classes  those whose steps count; None: all.
    """
    for number, customers in enumerate(network.classes):
        for route in customers.routes if classes is None or number in classes else ():
            for step in route.steps:
                if isinstance(step, Hold) and step.station == name and (lowest is None or step.priority > lowest):
                    yield not operations.all(operations.compare("<=", step.visits, 1.0))


def _unlike_times(station: Station, selected: list[Stream], several: bool, operations: Operations) -> Iterator[str]:
    """The warning of service times with priorities that differ by more than was measured; nothing where none do.

    several   whether several stations have priorities without preemption.
    """
    higher, lower = LONGER_HIGHER, LONGER_LOWER
    if station.discipline == "priority":
        lower = LONGER_SEVERAL if several or station.servers > 1 else LONGER_BEHIND
    if not all(exponential(stream, operations) for stream in selected):
        higher = lower = _FACTOR

    def similar(one: Stream, other: Stream) -> bool:
        factor = higher if one.priority > other.priority else lower if one.priority < other.priority else _FACTOR
        return operations.all(operations.compare("<=", _mean(one), factor * _mean(other)))

    if not all(similar(one, other) for one in selected for other in selected):
        text = f"service times at {station.name} differ by more than was measured: by a factor of {higher:g} where "
        text += f"higher classes are served longer, of {lower:g} where lower ones are"
        yield text + f", of {_FACTOR:g} within a priority"
    if not all(_varies(stream, operations) for stream in selected):
        yield f"service times at {station.name} have an scv below {_LEAST:g} or above {_MOST:.0f}"


class TimesWithoutWaits:
    """The passages of some closed classes, such as those of higher priority, if they never waited."""

    def __init__(self, network: RoutedNetwork, classes: set[int], operations: Operations) -> None:
        self.network, self.classes, self.operations = network, classes, operations
        delays = {"", *(station.name for station in network.stations if station.delay)}
        self.outside: dict[int, Value] = {}
        """By class, seconds at delays."""
        self.cycle: dict[int, Value] = {}
        """By class, seconds from passage to passage."""
        for index, customers in enumerate(network.classes):
            if index in classes and isinstance(customers, ClosedClass):
                self.outside[index] = self.cycle[index] = customers.think_time
        self.streams = streams_of(network, operations, [1.0] * len(network.classes)) if classes else None
        for route in self.streams.routes if self.streams else ():
            class_index = route.class_index
            for key, part in route.parts.items() if class_index in self.outside else ():
                self.cycle[class_index] = self.cycle[class_index] + route.probability * part.mean
                if key[0] in delays:
                    self.outside[class_index] = self.outside[class_index] + route.probability * part.mean

    def soon_back(self, station: Station, least: Value = 0.0) -> Value:
        """Where one of them spends less time elsewhere than it keeps servers of a station, or than some time."""
        compare, later = self.operations.compare, self.operations.compare("<=", 0.0, 1.0 + 0.0 * least)
        for index, cycle in self.cycle.items():
            first: Value = 0.0
            kept: Value = 0.0
            for stream in self.streams.streams if self.streams else ():
                if stream.station == station.name and stream.class_index == index and not stream.left:
                    visits = stream.rate * station.groups[stream.group].copies
                    first, kept = first + visits * stream.first.mean, kept + visits * _mean(stream)
            elsewhere = (cycle - first) * (1 + 1e-9)
            later = later & compare("<=", kept, elsewhere) & compare("<=", least, elsewhere)
        return self.operations.where(later, False, True)

    def absent(self) -> bool:
        """Whether they spend enough of their time without waits at delays."""
        return all(
            self.operations.all(self.operations.compare("<=", LONG_ABSENCE * self.cycle[index], self.outside[index]))
            for index in self.outside
        )

    def leave_capacity(self, station: Station, lowest: int) -> bool:
        """Whether the classes of a priority above the lowest, open ones included, would use little of every copy of a
        station."""
        busy: dict[int, Value] = {}
        for stream in self.streams.streams if self.streams else ():
            here = stream.station == station.name and stream.class_index in self.classes
            if here and stream.priority > lowest:
                customers = self.network.classes[stream.class_index]
                if isinstance(customers, ClosedClass):
                    rate = customers.population / (
                        self.cycle[stream.class_index] + (self.cycle[stream.class_index] == 0)
                    )
                else:
                    rate = customers.arrival_rate
                busy[stream.group] = busy.get(stream.group, 0.0) + rate * stream.rate * _mean(stream)
        most = ALONE * station.servers
        return all(self.operations.all(self.operations.compare("<=", value, most)) for value in busy.values())


def _mean(stream: Stream) -> Value:
    """Mean seconds for which a server is kept."""
    return stream.first.mean + stream.second.mean


def _variance(stream: Stream) -> Value:
    """Variance of the seconds for which a server is kept."""
    return stream.holding.variance if stream.scv is None else stream.scv * _mean(stream) ** 2


def _residual(stream: Stream) -> Value:
    """Mean seconds until a server becomes free that is kept at a random time; 0 for a service of no time."""
    mean = _mean(stream)
    return (mean**2 + _variance(stream)) / (2 * mean + 1e-300 + 0.0 * mean)


def _second_phases_reason(network: RoutedNetwork, streams: list[Stream], operations: Operations) -> Inexact:
    """The reason that second-phase work is approximate, with a warning beyond what was measured."""
    reason = Reason("independent second phases")
    result: list[str] = []
    for number, customers in enumerate(network.classes):
        at_arrival = work_left_at_arrival(network, streams, number)
        for station in network.stations:
            users = {item.class_index for item in streams if item.station == station.name and not item.left}
            others = {class_index for class_index in users if isinstance(network.classes[class_index], ClosedClass)} - {
                number
            }
            others |= users - {number} if isinstance(customers, ClosedClass) else set()
            if station.name in at_arrival and station.in_line and station.servers > 1:
                result.append(
                    f"{customers.name} returns to {station.name}, which does its second-phase work with several servers"
                )
            elif station.name in at_arrival and station.rates is not None:
                result.append(
                    f"{customers.name} returns to {station.name}, which does its second-phase work at changing rates"
                )
            elif station.name in at_arrival and others and not station.in_line:
                result.append(f"several classes share {station.name} with the second-phase work of {customers.name}")
            elif station.name in at_arrival and station.discipline == "lcfs-pr":
                result.append(
                    f"{customers.name} is served at {station.name} before its earlier second-phase work there"
                )
    kept = any(not operations.all(item.second.mean == 0) for item in streams)
    if network.closed and kept and any(item.left for item in streams):
        result.append("servers are kept after the response, and there is second-phase work")
    return Beyond(reason, "QN662", "; ".join(dict.fromkeys(result))) if result else Inexact(reason)


def in_order(network: RoutedNetwork, compiled: Streams, operations: Operations) -> frozenset[str]:
    """The first-come-first-served stations without product form, in networks with closed classes.

    network     with any classes; without a closed one there are none.
    compiled    its streams.
    operations  those of the numbers.
    Returns     names of stations.
    """
    again = frozenset[str]().union(
        *(work_left_at_arrival(network, compiled.streams, class_index) for class_index in range(len(network.classes)))
    )
    return frozenset(
        station.name
        for station in network.stations
        if network.closed and station.in_line and not ranked(station, compiled.streams)
        if station.name in again
        or station_reason(
            station, [item for item in compiled.streams if item.station == station.name], False, operations
        )
    )


def work_left_at_arrival(network: RoutedNetwork, streams: Sequence[Stream], class_index: int) -> frozenset[str]:
    """The stations with second-phase work of a closed class to which its customers return."""
    if not isinstance(network.classes[class_index], ClosedClass):
        return frozenset()
    selected = [stream for stream in streams if stream.class_index == class_index]
    left = frozenset(stream.station for stream in selected if stream.left)
    return left & frozenset(stream.station for stream in selected if not stream.left)


def _trusted(station: Station, selected: list[Stream], plain: bool, operations: Operations) -> bool:
    """Whether the order of arrival at a station without product form is corrected within what was measured.

    plain    without parallel steps or second-phase work, with which several servers were not measured.
    """
    means = [_mean(stream) for stream in selected]
    similar = all(operations.all(operations.compare("<=", mean, _FACTOR * other)) for mean in means for other in means)
    regular = all(_varies(stream, operations) for stream in selected)
    return (station.servers == 1 or plain) and similar and regular


def _varies(stream: Stream, operations: Operations, most: float = _MOST) -> bool:
    """Whether the scv of a service is in the region that was measured; so is a service of no time.

    most  the largest scv of the region.
    """
    square = _mean(stream) ** 2
    variance = _variance(stream)
    few = operations.compare("<=", _LEAST * square, variance * (1 + 1e-9))
    return operations.all(few) and operations.all(operations.compare("<=", variance, most * square * (1 + 1e-9)))


def _visited_once(network: RoutedNetwork, name: str, operations: Operations) -> bool:
    """Whether no route visits a station more than once; fractional visits count as one.

    False for chains, whose visits are means of customers that may return at random.
    """

    def most(steps: tuple[Step, ...]) -> Value:
        result: Value = 0.0
        for step in steps:
            inside: Value = 0.0
            if isinstance(step, Fork):
                inside = total(branch.copies * most(branch.steps) for branch in step.branches)
            elif not isinstance(step, Time):
                inside = (step.station == name) + most(step.steps)
            result = result + operations.ceil(step.visits) * inside
        return result

    return all(
        not customers.chain and operations.all(operations.compare("<=", most(route.steps), 1.0))
        for customers in network.classes
        for route in customers.routes
    )


def station_reason(station: Station, selected: list[Stream], alone: bool, operations: Operations) -> Reason | None:
    """Why a station has no product form, nor, if `alone`, is an M/G/1 queue; None where it has or is.

    selected    the streams that use the station.
    alone       whether it is the only queue, with a single server, and visited at most once.
    operations  of floats or of arrays: a reason at any point is one.
    """
    if station.discipline == "ps" or not selected:
        return None
    stacked = station.discipline == "lcfs-pr"
    if (stacked and station.servers == 1) or (alone and not stacked):
        return None
    means = [stream.first.mean + stream.second.mean for stream in selected]
    code = ""
    if not all(close(mean, means[0], operations) for mean in means):
        code = "different times"
    elif not all(exponential(stream, operations) for stream in selected):
        code = "variable times"
    if not code:
        return None
    return Reason("stack of servers" if stacked else code)
