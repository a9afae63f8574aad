"""Figures of a solved chain: mean numbers and rates, from which responses, buffers, branches and steps are computed.

Responses are the numbers of customers before their response over the passages that end (Little's law); parallel steps
have their times and those of their branches; steps whose times and visits depend on the number inside a station have
the mean ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from qnet import budget
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks.capacity.flows import drain_rate
from qnet.networks.duration import Wait
from qnet.networks.figures import Steady
from qnet.networks.parallel.branches import Breakdown, breakdown
from qnet.networks.routed import Hold, RoutedNetwork, Step, Time
from qnet.networks.solution import BufferFigures, RoutedSolution, RouteFigures
from qnet.networks.states.chain import A_STATE, WHAT, Walk
from qnet.networks.states.coded import CodedStates
from qnet.networks.states.machine import Machine
from qnet.networks.states.program import HoldPath, Program
from qnet.networks.streams import Key, Streams
from qnet.queues.arithmetic import ratio, total
from qnet.record import Record

_ONCE, _EACH = 2.5 * A_STATE, 0.5 * A_STATE
"""Operations of a state: once for the chains of a pattern, to find the customers present; and for each of them."""

_CELLS = 1 << 20
"""The most cells of a table of all states and nodes."""

Where = tuple[int, int, str, int]
"""Class, route, station and group of copies; "" for delays outside of stations."""


Column = Callable[[Sequence[float]], Value]


class BufferStates(Record):
    """The figures of a buffer, from the states."""

    offered: float
    """Places requested per second."""
    refused: float
    """Places per second that are lost or waited for."""
    late: float
    """Customers per second that wait for places."""
    waiting: float
    """Mean number of customers that wait for places."""
    occupancy: float
    """Mean number of places taken."""
    filling: float
    """Places requested per second while it is empty."""


class SolvedChain(Record):
    """A solved chain."""

    program: Program
    states: Sequence[Any]
    shares: Any
    """The probability of each state."""
    often: Mapping[int, float]
    """Customers per second that pass each mark; those of the classes are the passages that end."""
    served: Mapping[int, float]
    """By node of time, if times depend on the number inside: the mean number of servers that serve there."""
    present: Mapping[int, float]
    """By stream: the mean number of its requests that wait or hold a server, over all copies."""
    spent: Mapping[Where, float]
    """The mean number of customers before their response, by `Where`; without those in parallel steps."""
    under_way: tuple[float, ...]
    """By parallel step: the mean number of customers that wait for its branches."""
    branches: Mapping[int, float]
    """By branch of a parallel step: its mean number under way."""
    full: tuple[BufferStates, ...]
    """By buffer."""
    rates: Mapping[tuple[str, int], float]
    """By station and group of copies: the mean rate of all copies, or the mean number of servers that are busy."""
    beyond: float = 0.0
    """The probability of as many customers from outside as the chain includes."""

    def served_at(self, nodes: Sequence[int]) -> float:
        """The mean number of servers that serve at some nodes."""
        return sum(self.served.get(node, 0.0) for node in nodes)


class _Present(Record):
    """The customers in the states of a chain."""

    counts: Any
    """(S, T) the customers at the nodes of time that need no order."""
    nodes: tuple[int, ...]
    """The nodes of all other customers, in lines, in branches and with branches under way."""
    who: Any
    """By other customer, the index of its node among these."""
    where: Any
    """By other customer, its state."""
    table: Any
    """(S, N) the number of other customers at these nodes in every state; None if that is too large."""

    def added(self, at: Mapping[int, float], shares: Any) -> dict[int, float]:
        """The mean numbers at all nodes.

        at      those of the customers that need no order.
        shares  the probabilities of the states.
        """
        before = [at.get(node, 0.0) for node in self.nodes]
        if self.table is not None:
            overall = np.array(before) + shares @ self.table
            return {**at, **dict(zip(self.nodes, overall.tolist(), strict=True))}
        indices = np.concatenate([np.arange(len(before)), self.who])
        overall = np.bincount(indices, np.concatenate([before, shares[self.where]]), len(before))
        return {**at, **dict(zip(self.nodes, overall.tolist(), strict=True))}


def _present(states: Sequence[Any], size: int) -> _Present:
    """The customers in the states of a machine with `size` nodes."""
    budget.spend(_ONCE * len(states), WHAT)
    if isinstance(states, CodedStates) and len(states) * size <= _CELLS:
        return _present_in_rows(states, size)
    counts = np.array([state[0] for state in states], dtype=float).reshape(len(states), -1)
    customers: list[int] = []
    ends: list[int] = []
    for _, lines, _, apart, joins in states:
        for line in lines:
            customers.extend(line)
        customers.extend(apart)
        customers.extend([customer for _, customer, _, _ in joins])
        ends.append(len(customers))
    at = np.array(customers, dtype=np.int64) % size
    where = np.repeat(np.arange(len(states)), np.diff(ends, prepend=0))
    # Nodes are numbered in order of appearance: of several customers at a node the first is written last.
    first = np.full(size, len(at))
    first[at[::-1]] = np.arange(len(at))[::-1]
    nodes = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(at))]
    number = np.zeros(size, dtype=np.int64)
    number[nodes] = np.arange(len(nodes))
    table, count = None, len(nodes)
    if 0 < len(states) * count <= _CELLS:
        table = np.bincount(where * count + number[at], minlength=len(states) * count).reshape(-1, count).astype(float)
    return _Present(counts, tuple(nodes.tolist()), number[at], where, table)


def _present_in_rows(states: CodedStates, size: int) -> _Present:
    """As `_present`, from states in arrays."""
    table = states.at_nodes(size)
    there = np.flatnonzero(table.any(0))
    first = (table[:, there] > 0).argmax(0)
    nodes = there[np.argsort(first, kind="stable")]
    return _Present(states.counts.astype(float), tuple(nodes.tolist()), None, None, table[:, nodes])


def means(made: Program, machine: Machine, result: Walk, shares: Any) -> SolvedChain:
    """The rates and the mean numbers of a chain.

    made     the program.
    machine  of its states.
    result   the walk.
    shares   the probabilities of the states.
    """
    budget.spend(_EACH * len(result.states), WHAT)
    often = {mark: item.often(shares) for mark, item in result.ended.items()}
    customers = result.shape.structure.once(_present, machine.size)
    free = {number: float(mean) for number, mean in zip(machine.timed, shares @ customers.counts, strict=True)}
    at = customers.added(free, shares)
    present: dict[int, float] = {}
    spent: dict[Where, float] = {}
    branches: dict[int, float] = {}
    for number, mean in at.items():
        node = made.nodes[number]
        if node.spent is not None:
            spent[node.spent] = spent.get(node.spent, 0.0) + mean
        if node.branch >= 0:
            branches[node.branch] = branches.get(node.branch, 0.0) + mean
        for stream in node.present:
            present[stream] = present.get(stream, 0.0) + mean
    return SolvedChain(
        program=made,
        states=result.states,
        shares=shares,
        often=often,
        served=_served(machine, result, shares) if made.steps else {},
        present=present,
        spent=spent,
        under_way=tuple(sum(at.get(node, 0.0) for node in fork.nodes) for fork in made.forks),
        branches=branches,
        full=tuple(_full(made, result, shares, often, index) for index in range(len(made.stores))),
        rates=_rates(machine, result, shares),
    )


def _rates(machine: Machine, result: Walk, shares: Any) -> dict[tuple[str, int], float]:
    """The mean rates of stations, counting customers that hold a server while they are elsewhere."""
    means: dict[tuple[str, int], float] = {}
    in_line, busy = result.shape.structure.once(_at_centres, len(machine.centres))
    for number, centre in enumerate(machine.centres):
        if centre.group < 0:
            continue
        present = busy[:, number] + in_line[:, number] if centre.ordered or centre.rates else busy[:, number]
        rates = np.array([0.0, *(centre.rates or range(1, centre.servers + 1))], dtype=float)
        mean = float(shares @ rates[np.minimum(present, len(rates) - 1)])
        key = (centre.station, centre.group)
        means[key] = means.get(key, 0.0) + mean
    return means


def _at_centres(states: Sequence[Any], size: int) -> tuple[Any, Any]:
    """(S, C) each: the customers in line and the busy servers of every state at `size` centres."""
    if isinstance(states, CodedStates):
        return states.in_line(), states.busy
    in_line = np.array([[len(line) for line in state[1]] for state in states], dtype=np.int64)
    busy = np.array([state[2] for state in states], dtype=np.int64)
    return in_line.reshape(len(states), -1), busy.reshape(len(states), -1)


def _served(machine: Machine, result: Walk, shares: Any) -> dict[int, float]:
    """The mean number of servers that serve at each node of time."""
    served: dict[int, float] = {}
    for share, state in zip(shares.tolist(), result.states, strict=True):
        for number, busy in machine.serving(state):
            served[number] = served.get(number, 0.0) + share * busy
    return served


def _full(made: Program, result: Walk, shares: Any, often: Mapping[int, float], index: int) -> BufferStates:
    """The figures of one buffer."""
    store = made.stores[index]
    in_line, busy = result.shape.structure.once(_at_centres, len(made.centres))
    taken, waiting = busy[:, store.centre], in_line[:, store.centre]
    unused = np.where(taken, 0.0, shares)
    empty = float(sum(unused.tolist()))
    filling = sum(
        amount * result.ended[mark].often(unused) for amount, mark in store.asked.items() if mark in result.ended
    )
    return BufferStates(
        offered=sum(amount * often.get(mark, 0.0) for amount, mark in store.asked.items()),
        refused=sum(amount * often.get(mark, 0.0) for amount, mark in store.refused.items()),
        late=sum(often.get(mark, 0.0) for mark in store.refused.values()),
        waiting=float(shares @ waiting),
        occupancy=float(shares @ taken),
        filling=filling / empty if empty > 0 else 0.0,
    )


def responses(
    solution: RoutedSolution,
    network: RoutedNetwork,
    throughputs: Sequence[Value],
    ended: Mapping[tuple[int, int], Value],
    spent: Mapping[Where, Value],
) -> RoutedSolution:
    """The solution with responses and residences from the states.

    solution     with its other figures; its responses are kept where there are no passages.
    network      one point, or a batch.
    throughputs  passages per second that end, by class.
    ended        the same by class and route, for classes with several routes.
    spent        the mean number of customers before their response, by `Where`.
    Law          Little's law for the customers of a route at a station. The time of customers that are lost later
                 counts too.
    """
    operations: Operations = FLOATS if network.size is None else arrays()
    labels = {
        (station.name, index): group.label for station in network.stations for index, group in enumerate(station.groups)
    }
    labels["", 0] = ""

    times = _Times(spent, operations)
    indices = [
        (class_index, number)
        for class_index, item in enumerate(network.classes)
        if not item.chain
        for number in range(len(item.routes))
    ]
    classes_and_routes: list[tuple[int, int | None]] = []
    for class_index, item in enumerate(network.classes):
        # A chain is reported by its classes.
        classes_and_routes += (
            [(class_index, number) for number in range(len(item.routes))] if item.chain else [(class_index, None)]
        )
    routes: list[RouteFigures] = []
    for (class_index, number), item in zip(indices, solution.routes, strict=True):
        rate = ended.get((class_index, number), throughputs[class_index])
        parts = {
            label: times.of(rate, item.spent.get(label, 0.0), class_index, number, *key)
            for key, label in labels.items()
            if label in item.spent or (class_index, number, *key) in spent
        }
        response = times.of(rate, item.response, class_index, number)
        routes.append(item.replace(throughput=rate, response=response, spent=parts))
    overall = total(throughputs)
    keys = [(station.name, index) for station in network.stations for index in range(len(station.groups))]
    return solution.replace(
        routes=tuple(routes),
        classes=tuple(
            item.replace(response=times.of(throughputs[class_index], item.response, class_index))
            for class_index, item in enumerate(solution.classes)
        ),
        response=times.of(overall, solution.response),
        stations=tuple(
            item.replace(residence=times.of(overall, item.residence, None, None, *key))
            for key, item in zip(keys, solution.stations, strict=True)
        ),
        visits=tuple(
            item.replace(residence=times.of(throughputs[class_index], item.residence, class_index, number, *key))
            for (key, (class_index, number)), item in zip(
                product(keys, classes_and_routes), solution.visits, strict=True
            )
        ),
    )


class _Times:
    """Times by Little's law.

    spent        the mean number of customers, by `Where`.
    operations   of the numbers.
    """

    def __init__(self, spent: Mapping[Where, Value], operations: Operations) -> None:
        self.spent, self.operations = spent, operations

    def of(self, rate: Value, before: Value, *wanted: object) -> Value:
        """The mean time of customers that leave at `rate`; `before` where that is 0.

        wanted   class, route, station and group of the customers that count; None, or omitted, for any.
        """
        number = total(number for where, number in self.spent.items() if _matches(where, wanted)) + 0.0
        idle = rate == 0
        return self.operations.where(idle, before, number / (rate + idle))


def _matches(where: Where, wanted: Sequence[object]) -> bool:
    """Whether class, route and station are those wanted; None matches any."""
    return all(item is None or item == each for each, item in zip(where, wanted, strict=False))


def buffers(
    network: RoutedNetwork,
    compiled: Streams,
    waits: Sequence[Wait],
    result: Sequence[SolvedChain],
    column: Callable[[Sequence[float]], Value],
    operations: Operations,
) -> tuple[BufferFigures, ...]:
    """The figures of all buffers.

    network     one point, or a batch.
    compiled    the streams at the rates of the visits that are made.
    waits       by stream.
    result      the solved chain of every point.
    column      makes a number, or an array, of those of the points.
    operations  of the numbers.
    Laws      The mean wait for places is the mean number of waiting customers over those per second that wait (Little).
              An empty buffer is filled at the rate of requests while it is empty.
    """
    listed: list[BufferFigures] = []
    for number, buffer in enumerate(network.buffers):
        full = [item.full[number] for item in result]
        offered = column([item.offered for item in full])
        refused = column([item.refused for item in full])
        carried = offered - refused if buffer.loses else offered
        late = 0.0 * offered
        if not buffer.loses:
            late = ratio(column([item.waiting for item in full]), column([item.late for item in full]))
        rate, label = drain_rate(buffer, network, compiled, waits, carried, operations)
        growing = column([item.filling for item in full]) - rate
        grows = (growing > 0) & (rate > 0)
        fill = operations.where(grows, buffer.places / operations.where(grows, growing, 1.0), float("inf"))
        occupancy = column([item.occupancy for item in full])
        listed.append(
            BufferFigures(
                name=buffer.name,
                places=buffer.places,
                offered=offered,
                throughput=carried,
                occupancy=occupancy,
                found_full=ratio(refused, offered),
                delay_when_full=late,
                drain_rate=rate,
                time_to_fill=fill,
                drained_by=label,
            )
        )
    return tuple(listed)


class BranchCustomers(Record):
    """The customers in parallel steps, by station."""

    spent: dict[Where, Value]
    """The mean number that counts for a station."""
    served: dict[tuple[int, int], dict[Key, tuple[Value, Value]]]
    """By class and route, and station: the service time of a passage as estimated from the waits, and by the states."""


def spread(
    steady: Steady, result: Sequence[SolvedChain], throughputs: Sequence[Value], column: Column
) -> BranchCustomers:
    """Divide the customers in parallel steps among the stations of the branches.

    steady       the network with its waits.
    result       the solved chain of every point.
    throughputs  by class.
    column       makes a number, or an array, of those of the points.
    Method   A step is divided among stations in the proportions of `branches.breakdown`.
    """
    spent: dict[Where, Value] = {}
    served: dict[tuple[int, int], dict[Key, tuple[Value, Value]]] = {}
    for (class_index, route), indices in _steps(result).items():
        for index, step in zip(indices, _figures(steady, class_index, route), strict=True):
            inside = column([point.under_way[index] for point in result])
            overall = total(step.parts.values())
            rate = throughputs[class_index]
            table = served.setdefault((class_index, route), {})
            for key, part in step.parts.items():
                where = (class_index, route, *key)
                number = inside * ratio(part, overall)
                spent[where] = spent.get(where, 0.0) + number
                share = ratio(step.served[key], part)
                before = table.get(key, (0.0, 0.0))
                # The service time of a passage may not exceed the time that it spends.
                table[key] = (before[0] + step.fork.count * step.served[key], before[1] + ratio(number * share, rate))
    return BranchCustomers(spent, served)


def with_branches(
    solution: RoutedSolution, steady: Steady, result: Sequence[SolvedChain], extra: BranchCustomers, column: Column
) -> RoutedSolution:
    """The solution with the times of branches, and the service times of routes with parallel steps.

    solution  without them.
    steady    the network with its waits.
    result    the solved chain of every point.
    extra     of `spread`.
    column    makes a number, or an array, of those of the points.
    """
    made = result[0].program
    network, operations = steady.network, steady.operations
    branches = list(solution.branches)
    position = 0
    for number, fork in enumerate(made.forks):
        begun = column([point.often.get(fork.begun, 0.0) for point in result])
        overall = ratio(column([point.under_way[number] for point in result]), begun)
        for branch, ended, awaited in fork.branches:
            item = branches[position]
            under_way = column([point.branches.get(branch, 0.0) for point in result])
            waited = column([point.often.get(awaited, 0.0) for point in result])
            branches[position] = item.replace(
                time=_over(under_way, column([point.often.get(ended, 0.0) for point in result]), item.time, operations),
                total=_over(overall * begun, begun, item.total, operations),
                awaited=_over(waited, begun, item.awaited, operations),
            )
            position += 1
    routes = list(solution.routes)
    indices = [
        (class_index, number)
        for class_index, item in enumerate(network.classes)
        if not item.chain
        for number in range(len(item.routes))
    ]
    for index, key in enumerate(indices):
        served = routes[index].served
        if served is None or key not in extra.served:
            continue
        labels = {steady.labels.get(station, ""): both for station, both in extra.served[key].items()}
        routes[index] = routes[index].replace(
            served={
                label: mean - labels[label][0] + labels[label][1] if label in labels else mean
                for label, mean in served.items()
            }
        )
    return solution.replace(branches=tuple(branches), routes=tuple(routes))


def _over(number: Value, rate: Value, before: Value, operations: Operations) -> Value:
    """A time by Little's law; `before` without arrivals."""
    idle = rate == 0
    return operations.where(idle, before, number / (rate + idle))


def _steps(result: Sequence[SolvedChain]) -> dict[tuple[int, int], list[int]]:
    """By class and route the indices of its parallel steps, in their order."""
    indices: dict[tuple[int, int], list[int]] = {}
    for number, fork in enumerate(result[0].program.forks):
        indices.setdefault((fork.class_index, fork.route), []).append(number)
    return indices


def _figures(steady: Steady, class_index: int, route: int) -> list[Breakdown]:
    """The breakdown of the parallel steps of a route, from the waits at its stations."""
    selected = [item for item in steady.compiled.routes if item.class_index == class_index][route]
    return [breakdown(fork, steady.waits, steady.identical, steady.operations) for fork in selected.forks]


def averaged(
    network: RoutedNetwork,
    made: Program,
    often: Callable[[int], Value],
    served: Callable[[Sequence[int]], Value],
) -> RoutedNetwork:
    """The network with the mean visits and times of every step that depends on the number inside.

    network  one point, or a batch.
    made     the program of a point, whose steps have marks.
    often    customers per second that pass a mark.
    served   the mean number of servers that serve at some nodes.
    Laws    Visits are the rate at which a step begins over that of the hold around it (forced flow law); times are the
            mean number of servers that serve there over the rate of the step (utilization law).
    """
    classes = list(network.classes)
    for class_index, item in enumerate(classes):
        routes = tuple(
            route.replace(steps=_Mean(made, often, served, (class_index, number)).steps(route.steps, (), None))
            for number, route in enumerate(item.routes)
        )
        classes[class_index] = item.replace(routes=routes)
    return network.replace(classes=tuple(classes))


class _Mean:
    def __init__(
        self,
        made: Program,
        often: Callable[[int], Value],
        served: Callable[[Sequence[int]], Value],
        here: tuple[int, int],
    ) -> None:
        self.made, self.often, self.served, self.here = made, often, served, here

    def steps(self, steps: tuple[Step, ...], path: HoldPath, around: Value | None) -> tuple[Step, ...]:
        """Steps inside a hold that begins `around` times per second; None where it is not counted."""
        result: list[Step] = []
        for index, step in enumerate(steps):
            mark, nodes = self.made.steps.get((self.here, path, index), (-1, ()))
            rate = self.often(mark) if mark >= 0 else None
            if rate is not None and around is not None:
                step = step.replace(visits=ratio(rate, around))
            if isinstance(step, Time) and rate is not None:
                step = step.replace(mean=ratio(self.served(nodes), rate))
            elif isinstance(step, Hold):
                step = step.replace(steps=self.steps(step.steps, (*path, (index, 0)), rate))
            result.append(step)
        return tuple(result)
