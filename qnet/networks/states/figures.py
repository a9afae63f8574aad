"""A solved chain, as the mean numbers and the rates that figures are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qnet import budget
from qnet.lazy import np
from qnet.networks.states.chain import A_STATE, WHAT, Walk
from qnet.networks.states.coded import CodedStates
from qnet.networks.states.machine import Machine
from qnet.networks.states.program import Program
from qnet.record import Record

_ONCE, _EACH = 2.5 * A_STATE, 0.5 * A_STATE
"""Operations of a state: of finding the customers present, once for chains of a shape, and of the figures of each."""

_CELLS = 1 << 20
"""Numbers of a table of all states and nodes, at most."""

Where = tuple[int, int, str, int]
"""Class, route, station and group of copies; "" for delays outside of stations."""


class BufferStates(Record):
    """A buffer, as the states have it."""

    offered: float
    """Indices requested per second."""
    refused: float
    """Of them, those that are lost or waited for."""
    late: float
    """Customers per second that wait for places."""
    waiting: float
    """How many of them wait."""
    occupancy: float
    coming: float
    """Indices requested per second while it is empty."""


class SolvedChain(Record):
    """A solved chain."""

    program: Program
    states: Sequence[Any]
    shares: Any
    """The probability of each state."""
    often: Mapping[int, float]
    """By mark how often a second it is passed; those of the classes are the passages that end."""
    served: Mapping[int, float]
    """By node of time, where times depend on the number inside: the mean number of servers that serve there."""
    present: Mapping[int, float]
    """By stream: the mean number of its requests that wait or hold a server, of all copies."""
    spent: Mapping[Where, float]
    """The mean number of customers before their response, by where they are; those in parallel steps are left out."""
    under_way: tuple[float, ...]
    """By parallel step: the mean number of customers that wait for its branches."""
    branches: Mapping[int, float]
    """By branch of a parallel step: how many of it are under way."""
    full: tuple[BufferStates, ...]
    """By buffer."""
    rates: Mapping[tuple[str, int], float]
    """By station and group of copies: the mean rate of all copies, or the mean number of servers that are busy."""
    beyond: float = 0.0
    """The probability that customers from outside are as many as the chain knows."""

    def served_at(self, nodes: Sequence[int]) -> float:
        """The mean number of servers that serve at some nodes."""
        return sum(self.served.get(node, 0.0) for node in nodes)


class _Present(Record):
    """The customers in the states of a chain, whatever their probabilities."""

    counts: Any
    """(S, T) the customers at the nodes of time that need no order."""
    nodes: tuple[int, ...]
    """The nodes of all others, in lines, in branches and with branches under way."""
    who: Any
    """Of all others, one after the other, which of these nodes."""
    where: Any
    """In which state."""
    table: Any
    """(S, N) how many others are at these nodes in every state; None of too many."""

    def added(self, at: Mapping[int, float], shares: Any) -> dict[int, float]:
        """The mean numbers at nodes, given those of the customers that need no order."""
        before = [at.get(node, 0.0) for node in self.nodes]
        if self.table is not None:
            overall = np.array(before) + shares @ self.table
            return {**at, **dict(zip(self.nodes, overall.tolist(), strict=True))}
        indices = np.concatenate([np.arange(len(before)), self.who])
        overall = np.bincount(indices, np.concatenate([before, shares[self.where]]), len(before))
        return {**at, **dict(zip(self.nodes, overall.tolist(), strict=True))}


def _present(states: Sequence[Any], size: int) -> _Present:
    """The customers in states, of a machine with a number of nodes."""
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
    # Nodes are numbered as they come: of several customers at one of them the first is written last.
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
    """The same, of states in arrays."""
    table = states.at_nodes(size)
    there = np.flatnonzero(table.any(0))
    first = (table[:, there] > 0).argmax(0)
    nodes = there[np.argsort(first, kind="stable")]
    return _Present(states.counts.astype(float), tuple(nodes.tolist()), None, None, table[:, nodes])


def means(made: Program, machine: Machine, result: Walk, shares: Any) -> SolvedChain:
    """The rates and the mean numbers of a chain with the probabilities of its states."""
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
    """The mean rates of stations: over all customers present, including those elsewhere meanwhile."""
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
    """(S, C) each: the customers in line and the busy servers of every state at a number of centres."""
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
    coming = sum(
        amount * result.ended[mark].often(unused) for amount, mark in store.asked.items() if mark in result.ended
    )
    return BufferStates(
        offered=sum(amount * often.get(mark, 0.0) for amount, mark in store.asked.items()),
        refused=sum(amount * often.get(mark, 0.0) for amount, mark in store.refused.items()),
        late=sum(often.get(mark, 0.0) for mark in store.refused.values()),
        waiting=float(shares @ waiting),
        occupancy=float(shares @ taken),
        coming=coming / empty if empty > 0 else 0.0,
    )
