"""When the answer for an open network is exact, and the reasons when it is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import lazy
from qnet.networks.reasons import Beyond, close, exponential
from qnet.networks.routed import ClosedClass, Fork, Hold, OpenClass, RoutedNetwork, Station, Step, Time
from qnet.networks.solvers.table import knows_no_order
from qnet.networks.streams import Stream, Streams
from qnet.networks.streams import streams as streams_of
from qnet.queues.arithmetic import total

if TYPE_CHECKING:
    from qnet.networks import parallel_exactness
else:
    parallel_exactness = lazy("qnet.networks.parallel_exactness")

RESIDUAL = "residual-service"
"""The method that corrects closed classes for what they wait first come first served."""
PRIORITY = "priority-mva"
"""The method that solves closed and mixed classes where some are served before others."""
LAYERS = "layers"
STATES = "states"
AGGREGATED = "flow-equivalent"
"""The method that knows what is waited for while servers are held."""
_CORRECTED = "; what is waited for is estimated, which may be wrong by a few per cent, in small networks by ten or more"
_ESTIMATED = "; what they leave is estimated, which is wrong by 1 % in the median, and by up to 17 %"
HIGHER = 0.6
"""How busy those may keep a server who are served before others, where the estimate is trusted."""
AWAY = 0.5
"""The least share of their time without waits that they spend away from queues, where they are closed classes."""
_FACTOR, _LEAST, _MOST = 3.0, 0.5, 4.0
"""How far service times of visits may differ, and how small and large their scv may be, where the estimate is
trusted: services alike follow each other in step, which what is waited for on average does not tell."""
_RANKED_FACTOR = 10.0
"""As `_FACTOR`, of exponential times where some are served before others."""
_SHARED = "; solved like processor sharing, which may be wrong by tens of per cent"


def reasons_for(network: RoutedNetwork, compiled: Streams, operations: Operations, method: str = "") -> tuple[str, ...]:
    """Why the closed-form answer is an approximation; empty where theory makes it exact.

    Exact are product-form networks: every queueing station is processor sharing, last come first served preemptive
    resume with one server, or first come first served or last come first served with several servers and one
    exponential service time for all its visits; and a single M/G/1 station, with or without priorities, that no
    customer visits more than once.

    network     its stations and routes.
    compiled    its streams.
    operations  those of its numbers.
    method      the one that gave the answer.
    Returns     one reason for each cause, in words for people.
    Source      Baskett, Chandy, Muntz, Palacios, J. ACM 22 (1975) 248-260; several servers in any order: Kelly,
                Reversibility and Stochastic Networks, 1979, section 3.1.
    """
    streams = [stream for stream in compiled.streams if not operations.all(stream.rate == 0)]
    queues = [station for station in network.stations if not station.delay]
    visited = {stream.station for stream in streams}
    queues = [station for station in queues if station.name in visited]
    alone = len(queues) == 1 and queues[0].servers == 1 and queues[0].rates is None and not network.closed
    alone = alone and _visited_once(network, queues[0].name, operations)
    reasons = [f"arrivals of {name} are not Poisson" for name in uneven_classes(network, operations)]
    if any(stream.holder for stream in streams):
        reasons.append("a station is held while another is waited for")
    if compiled.deferred:
        reasons.append(_left_behind(network, streams, operations))
    if not network.closed and not alone and any(ranked(station, streams) for station in queues):
        once = len(queues) == 1 and queues[0].rates is None and _visited_once(network, queues[0].name, operations)
        if not once or station_reason(queues[0], streams, False, operations):
            reasons.append("priorities")
    rated = any(station.rates is not None for station in network.stations)
    stacked = _stacked(network, queues, streams)
    for station in queues:
        own = [stream for stream in streams if stream.station == station.name]
        if network.closed and ranked(station, streams):
            reasons.append(_ranks_reason(network, station, own, operations))
            continue
        reason = station_reason(station, own, alone, operations)
        if reason and station.discipline == "lcfs-pr" and method != "states":
            text = f"{station.name} serves the last first by several servers, with times that are not one exponential "
            text += "time, and is solved like processor sharing"
            reasons.append(Beyond(f"{station.name}: {reason}{_SHARED}", "QN728", text))
            continue
        if reason and network.closed:
            ordered = method in (RESIDUAL, PRIORITY, LAYERS) and station.in_line
            reason += _CORRECTED if ordered else _SHARED
            plain = not compiled.deferred and not any(route.forks for route in compiled.routes)
            if ordered and method in (RESIDUAL, PRIORITY) and not _trusted(station, own, plain, operations):
                text = f"the order of arrival at {station.name} is corrected beyond where errors were measured as small"
                reasons.append(Beyond(f"{station.name}: {reason}", "QN638", text))
                continue
            if ordered and stacked:
                text = f"the order of arrival at {station.name} is corrected next to {stacked}, which serves the last "
                text += "first, where it decides which class comes round: errors were not measured"
                reasons.append(Beyond(f"{station.name}: {reason}", "QN638", text))
                continue
        if reason and station.rates is not None and not network.closed:
            text = f"{station.name} has rates and no product form: it is solved like processor sharing"
            reasons.append(Beyond(f"{station.name}: {reason}{_SHARED}", "QN717", text))
            continue
        if reason and rated and not network.closed and method != "states":
            text = (
                f"{station.name} has no product form, and is solved like processor sharing next to a station with rates"
            )
            reasons.append(Beyond(f"{station.name}: {reason}{_SHARED}", "QN717", text))
            continue
        if reason and network.closed and station.in_line and any(knows_no_order(name) for name in method.split(", ")):
            text = f"the order of arrival at {station.name} is not known to the method: service there is shared"
            reasons.append(Beyond(f"{station.name}: {reason}", "QN727", text))
            continue
        if reason:
            reasons.append(f"{station.name}: {reason}")
    if any(stream.started is not None for stream in streams) or any(route.forks for route in compiled.routes):
        reasons += parallel_exactness.parallel_reasons(network, compiled, operations)
    return tuple(dict.fromkeys(reasons))


def _stacked(network: RoutedNetwork, queues: Sequence[Station], streams: Sequence[Stream]) -> str:
    """A station that serves customers of several closed classes last come first served; empty where there is none."""
    for station in queues:
        classes = {stream.class_index for stream in streams if stream.station == station.name}
        if station.discipline == "lcfs-pr" and sum(isinstance(network.classes[k], ClosedClass) for k in classes) > 1:
            return station.name
    return ""


def uneven_classes(network: RoutedNetwork, operations: Operations) -> list[str]:
    """The names of the open classes that do not arrive in a Poisson stream."""
    return [
        customers.name
        for customers in network.classes
        if isinstance(customers, OpenClass) and not close(customers.arrival_scv, 1.0, operations)
    ]


def refuse_uneven(network: RoutedNetwork, why: str) -> None:
    """Raise `NotComputed` QN548 for arrivals whose variability is not followed, and why it is not."""
    names = uneven_classes(network, FLOATS if network.size is None else arrays())
    if names:
        raise NotComputed(Problem("QN548", not_followed(names[0], why), "arrival_scv = 1"))


def between_whole(network: RoutedNetwork, operations: Operations) -> tuple[str, ...]:
    """That figures are told of a population that is no whole number; nothing where all are whole."""
    counts = [item.population for item in network.classes if isinstance(item, ClosedClass)]
    if all(operations.all(count == operations.floor(count)) for count in counts):
        return ()
    return ("results for a fractional population lie between those of the two nearest integers",)


def not_followed(name: str, why: str) -> str:
    """That the variability of the arrivals of a class is not known on its way, and why."""
    return f'arrivals of "{name}" are not Poisson, and their variability is not followed where {why}'


def ranked(station: Station, streams: Sequence[Stream]) -> bool:
    """Whether a station serves some of the streams before others."""
    return station.in_line and len({stream.priority for stream in streams if stream.station == station.name}) > 1


def _ranks_reason(network: RoutedNetwork, station: Station, own: list[Stream], operations: Operations) -> str:
    """That some are served before others beside closed classes; beyond what was measured where it is."""
    how = "interrupt others" if station.discipline == "preemptive" else "are served before others"
    reason = f"{station.name}: some {how}{_ESTIMATED}"
    lowest = min(stream.priority for stream in own)
    groups = {stream.group for stream in own}
    crowded = not all(
        operations.all(operations.compare("<=", total(
            stream.rate * (stream.first.mean + stream.second.mean)
            for stream in own if stream.group == group and stream.priority > lowest
        ), HIGHER * station.servers))
        for group in groups
    )  # fmt: skip
    found: list[str] = []
    if crowded:
        text = f"customers served before others keep {station.name} more than {100 * HIGHER:.0f} % busy: what they "
        found.append(text + "leave to the others may be wrong by tens of per cent, near nothing by a factor")
    if not _away(network, {stream.class_index for stream in own if stream.priority > lowest}, operations):
        text = f"customers served before others at {station.name} spend little time in delays: where they return "
        found.append(text + "at once, what is left to others may be wrong by tens of per cent")
    if any(_in_a_row(network, station.name, lowest, operations)):
        text = f"customers served before others visit {station.name} several times in a row, each time before all "
        found.append(text + "others again: what is left to others may be wrong by tens of per cent")
    exponential_times = all(exponential(stream, operations) for stream in own)
    if not _trusted(station, own, True, operations, _RANKED_FACTOR if exponential_times else _FACTOR):
        text = f"service times at {station.name} differ by more than a factor of {_RANKED_FACTOR:.0f}, or of "
        text += f"{_FACTOR:.0f} where they are not exponential, or have an scv below {_LEAST:g} or above {_MOST:.0f}"
        found.append(text)
    return Beyond(reason, "QN646", "; ".join(found)) if found else reason


def _in_a_row(network: RoutedNetwork, name: str, lowest: int, operations: Operations) -> Iterator[bool]:
    """Of every step at a station with a priority above the lowest: whether it may be made more than once in a row."""
    for customers in network.classes:
        for route in customers.routes:
            for step in route.steps:
                if isinstance(step, Hold) and step.station == name and step.priority > lowest:
                    yield not operations.all(operations.compare("<=", step.visits, 1.0))


def _away(network: RoutedNetwork, classes: set[int], operations: Operations) -> bool:
    """Whether those of some classes that are closed spend enough of their time without waits away from queues."""
    delays = {"", *(station.name for station in network.stations if station.delay)}
    away: dict[int, Value] = {}
    whole: dict[int, Value] = {}
    for place, customers in enumerate(network.classes):
        if place in classes and isinstance(customers, ClosedClass):
            away[place] = whole[place] = customers.think_time
    for route in streams_of(network, operations, [1.0] * len(network.classes)).routes if away else ():
        kind = route.class_index
        for key, part in route.parts.items() if kind in away else ():
            whole[kind] = whole[kind] + route.probability * part.mean
            if key[0] in delays:
                away[kind] = away[kind] + route.probability * part.mean
    return all(operations.all(operations.compare("<=", AWAY * whole[kind], away[kind])) for kind in away)


def _left_behind(network: RoutedNetwork, streams: list[Stream], operations: Operations) -> str:
    """Why an answer with work left after the response is approximate."""
    reason = "second-phase work is treated as an independent stream"
    found: list[str] = []
    for number, customers in enumerate(network.classes):
        met = met_again(network, streams, number)
        for station in network.stations:
            users = {item.class_index for item in streams if item.station == station.name and not item.left}
            others = {kind for kind in users if isinstance(network.classes[kind], ClosedClass)} - {number}
            others |= users - {number} if isinstance(customers, ClosedClass) else set()
            if station.name in met and station.in_line and station.servers > 1:
                found.append(f"{customers.name} meets what it leaves at several servers of {station.name}")
            elif station.name in met and station.rates is not None:
                found.append(f"{customers.name} meets what it leaves at {station.name}, which has rates")
            elif station.name in met and others and not station.in_line:
                found.append(f"several classes share {station.name} with what {customers.name} leaves there")
            elif station.name in met and station.discipline == "lcfs-pr":
                found.append(f"{customers.name} is served at {station.name} before what it has left there")
    kept = any(not operations.all(item.second.mean == 0) for item in streams)
    if network.closed and kept and any(item.left for item in streams):
        found.append("servers are kept after the response, and there is second-phase work")
    return Beyond(reason, "QN662", "; ".join(dict.fromkeys(found))) if found else reason


def in_order(network: RoutedNetwork, compiled: Streams, operations: Operations) -> frozenset[str]:
    """The stations first come first served that have no product form, beside closed classes."""
    again = frozenset[str]().union(
        *(met_again(network, compiled.streams, kind) for kind in range(len(network.classes)))
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


def met_again(network: RoutedNetwork, streams: Sequence[Stream], kind: int) -> frozenset[str]:
    """The stations at which customers of a closed class leave work behind, and to which they come again."""
    if not isinstance(network.classes[kind], ClosedClass):
        return frozenset()
    own = [stream for stream in streams if stream.class_index == kind]
    left = frozenset(stream.station for stream in own if stream.left)
    return left & frozenset(stream.station for stream in own if not stream.left)


def _trusted(station: Station, own: list[Stream], plain: bool, operations: Operations, factor: float = _FACTOR) -> bool:
    """Whether the order of arrival at a station without product form is corrected within what was measured.

    plain    without parallel steps or work left behind, beside which several servers are known less.
    factor   how far service times may differ.
    """
    means = [stream.first.mean + stream.second.mean for stream in own]
    alike = all(operations.all(operations.compare("<=", mean, factor * other)) for mean in means for other in means)
    calm = all(_varies(stream, operations) for stream in own)
    return (station.servers == 1 or plain) and alike and calm


def _varies(stream: Stream, operations: Operations) -> bool:
    """Whether the variability of a service is in the region that was measured; a service of no time is."""
    mean = stream.first.mean + stream.second.mean
    square = mean**2
    variance = stream.holding.variance if stream.scv is None else stream.scv * square
    few = operations.compare("<=", _LEAST * square, variance * (1 + 1e-9))
    return operations.all(few) and operations.all(operations.compare("<=", variance, _MOST * square * (1 + 1e-9)))


def _visited_once(network: RoutedNetwork, name: str, operations: Operations) -> bool:
    """Whether no route visits a station more than once; a visit that happens in part of the cases is at most one.

    Not of chains: their visits are means, of customers who may come back by chance.
    """

    def most(steps: tuple[Step, ...]) -> Value:
        found: Value = 0.0
        for step in steps:
            inside: Value = 0.0
            if isinstance(step, Fork):
                inside = total(branch.copies * most(branch.steps) for branch in step.branches)
            elif not isinstance(step, Time):
                inside = (step.station == name) + most(step.steps)
            found = found + operations.ceil(step.visits) * inside
        return found

    return all(
        not customers.chain and operations.all(operations.compare("<=", most(route.steps), 1.0))
        for customers in network.classes
        for route in customers.routes
    )


def station_reason(station: Station, own: list[Stream], alone: bool, operations: Operations) -> str:
    """Why a station with these streams has no product form, or, `alone`, is no M/G/1; empty where it has."""
    if station.discipline == "ps" or not own:
        return ""
    stacked = station.discipline == "lcfs-pr"
    if (stacked and station.servers == 1) or (alone and not stacked):
        return ""
    means = [stream.first.mean + stream.second.mean for stream in own]
    found = ""
    if not all(close(mean, means[0], operations) for mean in means):
        found = "service times differ between its visits"
    elif not all(exponential(stream, operations) for stream in own):
        found = "service times are not exponential"
    return "last come first served with several servers" if found and stacked else found
