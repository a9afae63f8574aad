"""The figures of a network from its solved chains of all states."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

from qnet.errors import NotComputed
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks import closed_networks
from qnet.networks.capacity.flows import Losses, with_offered
from qnet.networks.capacity_left import beside, marked
from qnet.networks.duration import NOTHING, Wait
from qnet.networks.exactness import STATES, ranked
from qnet.networks.figures import Steady, figures
from qnet.networks.reasons import Beyond, Inexact, Reason
from qnet.networks.routed import ClosedClass, Hold, OpenClass, RoutedNetwork, holds_of
from qnet.networks.solution import BufferFigures, ClassFigures, Limiting, Passages, RoutedSolution, StationFigures
from qnet.networks.states.figures import SolvedChain, Where, averaged, buffers, responses, spread, with_branches
from qnet.networks.states.losses import carried, completing, copies, kept_shares, lost
from qnet.networks.states.program import EVEN, NEGLIGIBLE, Program
from qnet.networks.streams import Key, Streams, streams
from qnet.networks.wanted import Wanted
from qnet.queues.arithmetic import ratio, total

_MOST_PASS = 0.9
"""The share of completed passages above which the others hardly change the response."""
_FULLEST = 1.0 - 1e-15
"""The largest load of work after the response, since closed customers that wait for it keep the station stable."""

_Index = TypeVar("_Index")


def of_chains(network: RoutedNetwork, result: Sequence[SolvedChain], wanted: Wanted) -> RoutedSolution:
    """All figures of a network whose chains are solved.

    network  one point, or a batch.
    result   the chain of each of its points.
    wanted   whether the limit of the throughput is wanted.
    Returns  figures by class, route and station; exact unless there are reasons against it.
    """
    chains = _Chains(network, result)
    made, passing, throughputs = chains.made, chains.passing, chains.throughputs()
    if network.profiles:
        network = averaged(network, made, passing, lambda nodes: chains.figure(lambda point: point.served_at(nodes)))
    present = chains.each(lambda point: point.present)
    compiled = streams(network, chains.operations, throughputs)
    ending, kept = network, dict[Key, Value]()
    if chains.loses:
        compiled = carried(network, compiled, {stream: passing(mark) for stream, mark in made.passing.items()})
        kept = kept_shares(network, made, compiled, passing)
        begun = chains.offered()
        ending = completing(network, made, compiled, kept, begun, throughputs, passing, chains.operations)
        compiled = compiled.replace(routes=streams(ending, chains.operations, throughputs).routes)
    waits = _waits(network, compiled, present, chains.operations)
    loads = _loads(network, compiled, chains.operations)
    ranked = [item.name for item in network.stations if item.discipline in ("priority", "preemptive")]
    crowded = beside(network, compiled, ranked, chains.operations) if ranked and network.closed else {}
    loads |= {key: crowded[key].load for key in loads.keys() & crowded.keys()}
    steady = Steady(
        ending, throughputs, compiled=compiled, members=compiled.members(), waits=waits, rho=loads,
        operations=chains.operations,
    )  # fmt: skip
    late = any(_late(network, point) for point in result)
    solution = _with_responses(figures(steady, STATES, 1), steady, chains, late)
    if any(isinstance(step, Hold) for hold in holds_of(network) for step in hold.steps):
        means = chains.each(lambda point: point.rates)
        numbers = {key: total(present.get(index, 0.0) for index in each) + 0.0 for key, each in steady.members.items()}
        solution = _with_means(solution, network, means, numbers)
    if chains.loses:
        solution = with_offered(solution, network, chains.offered(), Losses(kept, {}, {}))
    reasons = tuple(_reasons(result, late))
    size = max(len(point.states) for point in result)
    full = buffers(network, compiled, waits, result, chains.column, chains.operations) if made.stores else ()
    limited = chains.loses or network.profiles or not wanted.asks_ceiling(network.size)
    return solution.replace(
        exact=not reasons,
        reasons=reasons,
        classes=tuple(_with_population(*pair) for pair in zip(solution.classes, network.classes, strict=True)),
        why=f"the Markov chain of all states of the network has {size} of them",
        ceiling=None if limited else ceiling(network),
        network=network if network.profiles else None,
        buffers=full,
        loads=(*marked(solution.loads, steady.labels, crowded, not reasons), *_of_drains(network, full)),
        passages=_passages(solution, network, compiled, made, wanted),
    )


def exact_points(network: RoutedNetwork, result: Sequence[SolvedChain]) -> list[bool]:
    """Which points of a batch have an exact answer by their chains, as each would have it alone.

    network, result   as of `of_chains`.
    """
    return [not any(True for _ in _reasons([point], _late(network, point))) for point in result]


def _late(network: RoutedNetwork, point: SolvedChain) -> bool:
    """Whether customers are lost at a point that have spent time."""
    made = point.program
    return not made.early and any(point.often.get(mark, 0.0) for mark in lost(network, made))


class _Chains:
    """The solved chains of a network, with their figures as values of the network."""

    def __init__(self, network: RoutedNetwork, result: Sequence[SolvedChain]) -> None:
        self.network, self.result = network, result
        self.made = result[0].program
        self.loses = bool(self.made.begun)
        """Whether customers may be lost."""
        self.operations: Operations = FLOATS if network.size is None else arrays()

    def column(self, values: Sequence[float]) -> Value:
        """A value from the numbers of all chains."""
        return values[0] if self.network.size is None else np.array(values)

    def figure(self, of: Callable[[SolvedChain], float]) -> Value:
        """A figure of all chains."""
        return self.column([of(point) for point in self.result])

    def passing(self, mark: int) -> Value:
        """Customers per second that pass a mark."""
        return self.figure(lambda point: point.often.get(mark, 0.0))

    def each(self, figures: Callable[[SolvedChain], Mapping[_Index, float]]) -> dict[_Index, Value]:
        """Figures by index; 0 where a chain has none."""
        every = [figures(point) for point in self.result]
        names = dict.fromkeys(name for numbers in every for name in numbers)
        return {name: self.column([numbers.get(name, 0.0) for numbers in every]) for name in names}

    def throughputs(self) -> list[Value]:
        """Passages per second of every class."""
        return [
            item.arrival_rate if isinstance(item, OpenClass) and not self.loses else self.passing(class_index)
            for class_index, item in enumerate(self.network.classes)
        ]

    def offered(self) -> list[Value]:
        """Passages per second that every class begins."""
        return [
            item.arrival_rate if isinstance(item, OpenClass) else self.passing(mark)
            for item, mark in zip(self.network.classes, self.made.begun, strict=True)
        ]


def _with_responses(solution: RoutedSolution, steady: Steady, chains: _Chains, late: bool) -> RoutedSolution:
    """The solution with the times that passages take, and those of parallel steps.

    late  whether customers are lost that have spent time.
    """
    network, throughputs = steady.network, steady.throughputs
    ended = {key: chains.passing(mark) for key, mark in chains.made.routes.items()}
    spent: dict[Where, Value] = dict(sorted(chains.each(lambda point: point.spent).items()))
    if chains.made.forks:
        extra = spread(steady, chains.result, throughputs, chains.column)
        solution = with_branches(solution, steady, chains.result, extra, chains.column)
        for where, number in extra.spent.items():
            spent[where] = spent.get(where, 0.0) + number
    waited = any(not buffer.loses for buffer in network.buffers)
    if late and not waited:
        return solution
    if late:
        # Waits at stations are means over all visits; waits for places are known only from the states.
        chained = {class_index for class_index, item in enumerate(network.classes) if item.chain}
        known = {at: spent[at] for at in spent if not at[2] or at[0] in chained}
        spent = {**_at_stations(network, solution, throughputs, ended), **known}
    return responses(solution, network, throughputs, ended, spent)


def _of_drains(network: RoutedNetwork, full: Sequence[BufferFigures]) -> Iterator[Limiting]:
    """The loads of buffers that open customers wait for, and that several copies drain, some of which may be idle."""
    copied = {station.name for station in network.stations if station.copies > 1}
    labels = {group.label for item in network.stations if item.name in copied for group in item.groups}
    for buffer, item in zip(network.buffers, full, strict=True):
        if item.drained_by in labels and not buffer.loses and not network.closed:
            yield Limiting(item.name, ratio(item.offered, item.drain_rate), certain=False)


def _with_population(figures: ClassFigures, item: OpenClass | ClosedClass) -> ClassFigures:
    """The figures of a class, with the population and think time of a closed one."""
    if isinstance(item, ClosedClass):
        return figures.replace(population=item.population, think_time=item.think_time)
    return figures


def _passages(
    solution: RoutedSolution, network: RoutedNetwork, compiled: Streams, made: Program, wanted: Wanted
) -> Passages | None:
    """The passages for percentiles of response; None where the second moments of waits are not known."""
    lacking = network.profiles or network.buffers or (made.begun and network.closed) or _held(network, compiled)
    if lacking or (made.forks and network.closed) or solution.passages is None:
        return None
    other = wanted.replace(announce=None, chain=0, method="auto", bounds="", states=False)
    return solution.passages.replace(wanted=other if network.closed else None)


def _with_means(
    solution: RoutedSolution,
    network: RoutedNetwork,
    means: Mapping[Key, Value],
    numbers: Mapping[Key, Value],
) -> RoutedSolution:
    """The solution with the utilizations of stations and the numbers there from the states.

    means    by station and group of copies: the mean rate of all copies together, counting customers that hold a server
             while they are elsewhere; a class has a share in proportion to the time that its customers hold servers.
    numbers  the mean number waiting and in service.
    """
    peaks = {station.name: station.peak for station in network.stations}
    groups = dict.fromkeys(peaks, 0)
    stations: list[StationFigures] = []
    busier: dict[str, Value] = {}
    longer: dict[str, Value] = {}
    for item in solution.stations:
        key = (item.name, groups[item.name])
        groups[item.name] += 1
        if key in means and item.utilization is not None:
            longer[item.label] = ratio(numbers[key], item.queue_length)
            item = item.replace(queue_length=numbers[key])
            busy = means[key] / item.copies
            busier[item.label] = ratio(busy / peaks[item.name], item.utilization)
            item = item.replace(utilization=busy / peaks[item.name], busy_servers=means[key])
        stations.append(item)
    visits = tuple(
        item.replace(
            queue_length=item.queue_length * longer.get(item.label, 1.0),
            utilization=None if item.utilization is None else item.utilization * busier.get(item.label, 1.0),
        )
        for item in solution.visits
    )
    return solution.replace(stations=tuple(stations), visits=visits)


def _reasons(result: Sequence[SolvedChain], late: bool) -> Iterator[Inexact]:
    """Why the answer is not exact.

    late  whether customers are lost that have spent time.
    """
    for name in dict.fromkeys(name for point in result for name in point.program.phased):
        yield Inexact(Reason("phases", station=name))
    if late:
        reason = Reason("lost later")
        few = all(
            point.often.get(class_index, 0.0) >= _MOST_PASS * point.often.get(mark, 0.0)
            for point in result
            for class_index, mark in enumerate(result[0].program.begun)
        )
        yield Inexact(reason) if few else Beyond(reason, "QN657", f"{reason}, and more than 10 % are lost")
    beyond = max(point.beyond for point in result)
    if beyond > NEGLIGIBLE:
        text = f"states with more customers from outside, with a probability of about {beyond:.1g}, are left out"
        yield Beyond(Reason("states left out"), "QN704", text)
    for name in dict.fromkeys(name for point in result for name in point.program.evened):
        text = f"{name} are modelled with an scv of {EVEN:g}, since a Markov chain has no constant times"
        yield Beyond(Reason("constant as phases"), "QN730", text)
    if any(point.program.at_once for point in result):
        text = "several steps take no time at all: their order is a matter of definition"
        yield Beyond(Reason("no time"), "QN703", text)


def _held(network: RoutedNetwork, compiled: Streams) -> bool:
    """Whether there are waits whose second moments are not known: while servers are held, and by priority."""
    behind = any(item.around or item.second is not NOTHING for item in compiled.streams)
    return behind or any(ranked(station, compiled.streams) for station in network.stations)


def _at_stations(
    network: RoutedNetwork,
    solution: RoutedSolution,
    throughputs: Sequence[Value],
    ended: Mapping[tuple[int, int], Value],
) -> dict[Where, Value]:
    """The mean number of customers before their response, for classes that are no chains, from the waits of visits."""
    keys = [(station.name, index) for station in network.stations for index in range(len(station.groups))]
    labels = [group.label for station in network.stations for group in station.groups]
    chosen = [(class_index, item) for class_index, item in enumerate(network.classes) if not item.chain]
    indices = [(class_index, number) for class_index, item in chosen for number in range(len(item.routes))]
    return {
        (*index, *key): ended.get(index, throughputs[index[0]]) * item.spent.get(label, 0.0)
        for index, item in zip(indices, solution.routes, strict=True)
        for key, label in zip(keys, labels, strict=True)
    }


def _waits(
    network: RoutedNetwork, compiled: Streams, present: Mapping[int, Value], operations: Operations
) -> list[Wait]:
    """The wait of every stream: the time of its requests at the station (Little) less their service."""
    number_of = copies(network)
    changing = {station.name for station in network.stations if station.rates is not None}
    waits: list[Wait] = []
    for number, stream in enumerate(compiled.streams):
        holding = stream.holding.mean_with(waits)
        rate = stream.rate * number_of[stream.station, stream.group]
        idle = rate == 0
        wait = present[number] / (rate + idle) - holding if number in present else 0.0 * rate
        if stream.station not in changing:
            wait = operations.maximum([wait, 0.0 * wait])
        wait = operations.where(idle, 0.0 * wait, wait)
        waits.append(Wait(wait, wait * (wait + 2.0 * stream.holding.mean)))
    return waits


def _loads(network: RoutedNetwork, compiled: Streams, operations: Operations) -> dict[Key, Value]:
    """The load per server by open classes, and by work after the response."""
    opened = {class_index for class_index, item in enumerate(network.classes) if isinstance(item, OpenClass)}
    loads: dict[Key, Value] = {}
    for station in network.stations:
        for index in range(len(station.groups)):
            loads_there = [
                item.rate * item.holding.mean
                for item in compiled.streams
                if (item.station, item.group) == (station.name, index) and (item.left or item.class_index in opened)
            ]
            if loads_there and not station.delay and station.capacity is None:
                load = total(loads_there) / station.peak
                loads[station.name, index] = operations.minimum([load, _FULLEST + 0.0 * load])
    return loads


def ceiling(network: RoutedNetwork) -> tuple[Value, str] | None:
    """The limit of the throughput of a single closed class, and the station that limits it; None where the methods by
    demands do not know it.

    network   any.
    """
    if len(network.classes) != 1 or network.size is not None or not network.closed:
        return None
    try:
        return closed_networks.ceiling(network)
    except NotComputed:
        return None
