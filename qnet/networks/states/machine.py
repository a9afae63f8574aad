"""The states of a program, and the transitions between them.

A state is five tuples: the number of customers at each node of time that needs no order; the line of each centre; the
number of busy servers of each centre; the customers in branches of parallel steps; and the parallel steps under way.
Customers at the same node are interchangeable. First come first served, the line holds the waiting customers; with
preemption, all customers present; with processor sharing, none.

A customer is a number: that of its node, plus the number of nodes times the number of the parallel step under way of
which it is a branch; these are numbered from 1.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Sequence
from typing import TypeVar

from qnet import budget
from qnet.networks.states.chain import WHAT
from qnet.networks.states.program import (
    CHOICE,
    COUNT,
    DONE,
    FORK,
    JOIN,
    QUEUE,
    RELEASE,
    REST,
    SPLIT,
    TIME,
    CentreCopy,
    Node,
    NotCovered,
    Program,
    TooLarge,
)

Join = tuple[int, int, int, int]
"""A parallel step under way: its number, the customer that started it, as of its node, how many branches must still end
before it goes on, and how many are under way."""
State = tuple[tuple[int, ...], tuple[tuple[int, ...], ...], tuple[int, ...], tuple[int, ...], tuple[Join, ...]]
Move = tuple[float, State, tuple[int, ...]]
"""Rate per second, the state after it, and the marks that were passed, repeated ones included."""
_Value = TypeVar("_Value")
MOST_STEPS = 2000  # of one customer at an event, beyond which they count as endless; a choice far above real routes
_ALL_STEPS, _A_STEP = 20_000, 5e3
"""The most steps of one event over all its alternatives, which multiply with visits that take no time, at copies for
instance; and the operations of a step."""
_ENDLESS = "customers may pass without spending any time"
_BRANCHING = "visits that take no time branch in too many ways"
_MOST_WORK, _A_CUSTOMER, _A_PART, _BRANCHES = 2e7, 1e3, 10.0, 20.0
"""For the first state: the most work, the work of a customer besides copying its state, the operations of a unit of
work, and the units of a customer with branches."""
_MOST_KNOWN = 20_000
"""The most states whose moves are kept for a chain with more customers from outside."""
_LINE = -2
"""This minus the number of a centre denotes its line, in which a customer is to begin or resume service."""


class Machine:
    """The states of a program.

    program   nodes and centres; its numbers may be arrays, of several programs (`shared`).
    most      the most customers from outside and pieces of work after a response: further ones are lost, so that the
              number of states is finite.
    known     moves of states, from a machine with fewer of them, in which none was lost for that; added to.
    """

    def __init__(self, program: Program, most: int, known: dict[State, list[Move]] | None = None) -> None:
        self.nodes = [FastNode(node) for node in program.nodes]
        for node in self.nodes:
            node.pass_on(self.nodes)
        self.size = len(program.nodes)
        self.centres = [_Centre(centre) for centre in program.centres]
        self.in_order = [number for number, centre in enumerate(self.centres) if centre.ordered]
        """The centres with preemption."""
        self.homes = program.homes
        self.arrivals = program.arrivals
        self.most = most
        self.numbered: dict[State, State] = {}
        """States with parallel steps, as they are generated and as they are renumbered: most are generated often."""
        self.steps = 0
        """The steps of the current event, over all its alternatives."""
        self.known = known
        self.cut = False
        """Whether a customer has been lost because of `most` in the moves of the present state."""
        self.edge = most - max(
            (len(node.choices) - node.amount for node in program.nodes if node.kind == FORK), default=0
        )
        """The number from which on customers may be lost because of that."""
        self.limited = any(centre.capacity is not None for centre in self.centres)
        self.closed = sum(count for count, _ in program.homes)
        self.timed = [
            number
            for number, node in enumerate(program.nodes)
            if node.kind == TIME and not (node.centre >= 0 and program.centres[node.centre].ordered)
        ]
        """The nodes of time that need no order."""
        for slot, number in enumerate(self.timed):
            self.nodes[number].slot = slot

    def start(self) -> State:
        """A state that can occur, from which the walk begins; raises `TooLarge` for too many customers.

        All customers begin, one after the other, those that only wait in line at once.
        """
        centres = len(self.centres)
        state: State = ((0,) * len(self.timed), ((),) * centres, (0,) * centres, (), ())
        work = 0.0
        for count, home in self.homes:
            left = count
            while left:
                work += _A_CUSTOMER + self.extent(state)
                if work > _MOST_WORK:
                    raise TooLarge
                moved: list[Move] = []
                self.advance(*state, home, 1.0, moved)
                left -= 1
                before, state = state, moved[0][1]
                if left and (longer := self.longer(before, state, left)) is not None:
                    state, left = longer, 0
        budget.spend(_A_PART * work, WHAT)
        return state

    def longer(self, before: State, state: State, more: int) -> State | None:
        """The state with more customers like the latest one, if that waits in a line and has changed nothing else; else
        None."""
        lines = state[1]
        changed = [centre for centre, line in enumerate(lines) if len(line) != len(before[1][centre])]
        if len(changed) != 1 or before != (state[0], before[1], *state[2:]) or self.limited:
            return None
        line, shorter = lines[changed[0]], before[1][changed[0]]
        index = next((index for index, customer in enumerate(shorter) if customer != line[index]), len(shorter))
        if line[:index] + line[index + 1 :] != shorter:
            return None
        if index and line[index - 1] != line[index]:  # The first customer at its node may have taken another way.
            return None
        longer = (*line[:index], *(line[index],) * more, *line[index:])
        return state[0], (*lines[: changed[0]], longer, *lines[changed[0] + 1 :]), *state[2:]

    def extent(self, state: State) -> float:
        """The size of a state, in customers that wait in line; those in branches count more."""
        _, lines, _, apart, joins = state
        waiting = sum(map(len, lines))
        return _BRANCHES * (waiting + len(apart) + len(joins)) if joins else waiting

    def moves(self, state: State) -> list[Move]:
        """All transitions from a state."""
        if self.known and (known := self.known.get(state)) is not None:
            return known
        self.cut = False
        counts, lines, busy, apart, joins = state
        nodes, timed, size, result = self.nodes, self.timed, self.size, list[Move]()
        for slot, count in enumerate(counts):
            if not count:
                continue
            node = nodes[timed[slot]]
            rate = count * node.rate * (self.speed(state, node.centre) if node.centre >= 0 else 1.0)
            if node.speeds:
                rate = rate * _level(node.speeds, busy[node.inside])
            less = list(counts)
            less[slot] = count - 1
            self.advance(less, lines, busy, apart, joins, node.after, rate, result)
        for index, customer in enumerate(apart):
            if index and apart[index - 1] == customer:
                continue
            node = nodes[customer % size]
            rate = apart.count(customer) * node.rate * (self.speed(state, node.centre) if node.centre >= 0 else 1.0)
            if node.speeds:
                rate = rate * _level(node.speeds, busy[node.inside])
            rest = (*apart[:index], *apart[index + 1 :])
            self.advance(counts, lines, busy, rest, joins, _onward(node.after, customer, size), rate, result)
        for centre, index, speed in self.lines_served(state):
            line = lines[centre]
            customer = line[index]
            node = nodes[customer % size]
            if node.speeds:
                speed = speed * _level(node.speeds, busy[node.inside])
            after = (*line[:index], _onward(node.after, customer, size), *line[index + 1 :])
            changed = (*lines[:centre], after, *lines[centre + 1 :])
            self.advance(counts, changed, busy, apart, joins, _LINE - centre, speed * node.rate, result)
        if self.arrivals and self.outside(state) < self.most:
            for rate, home in self.arrivals:
                self.advance(*state, home, rate, result)
        elif self.arrivals:
            self.cut = True
        if self.known is not None and not self.cut and len(self.known) < _MOST_KNOWN:
            self.known[state] = result
        return result

    def lines_served(self, state: State) -> Iterator[tuple[int, int, float]]:
        """The customers in service at centres with preemption: centre, index in its line, speed."""
        for centre in self.in_order:
            item, line = self.centres[centre], state[1][centre]
            if line:
                serving = min(item.most, len(line))
                speed = 1.0 if item.rates is None else item.rates[min(len(line), len(item.rates)) - 1]
                for index in range(serving):
                    yield centre, index, speed

    def serving(self, state: State) -> Iterator[tuple[int, float]]:
        """The servers, or shares of them, that serve at each node of time; without queueing one for every customer."""
        present = [(self.timed[slot], count) for slot, count in enumerate(state[0]) if count]
        present += [(customer % self.size, 1) for customer in state[3]]
        for number, count in present:
            centre = self.nodes[number].centre
            yield number, count * (self.speed(state, centre) if centre >= 0 else 1.0)
        for centre, index, speed in self.lines_served(state):
            yield state[1][centre][index] % self.size, speed

    def speed(self, state: State, centre: int) -> float:
        """The relative rate of one customer in service."""
        item = self.centres[centre]
        present = state[2][centre]
        if item.shared:
            most = min(item.servers, present) if item.rates is None else item.rates[min(present, len(item.rates)) - 1]
            return most / present
        if item.rates is None:
            return 1.0
        return item.rates[min(present + len(state[1][centre]), len(item.rates)) - 1]

    def outside(self, state: State) -> int:
        """The number of customers and pieces of work besides the closed customers."""
        counts, lines, _, apart, joins = state
        return sum(counts) + sum(map(len, lines)) + len(apart) + self.under_way(lines, apart, joins) - self.closed

    def under_way(self, lines: Sequence[tuple[int, ...]], apart: Sequence[int], joins: Sequence[Join]) -> int:
        """The number of parallel steps under way outside of others, less all branches: customers are counted once."""
        if not joins:
            return 0
        size = self.size
        branches = len(apart) + sum(customer >= size for line in lines for customer in line)
        return sum(customer < size for _, customer, _, _ in joins) - branches

    def advance(
        self, counts: Sequence[int], lines: Sequence[tuple[int, ...]], busy: Sequence[int], apart: Sequence[int],
        joins: Sequence[Join], customer: int, rate: float, result: list[Move],
    ) -> None:  # fmt: skip
        """Add the moves that follow when one customer goes on to a node, and others because of it, to `result`."""
        self.steps = 0
        try:
            self.follow(Scene(list(counts), [*lines], [*busy], [*apart], [*joins], [customer]), rate, (), result, 0)
        except RecursionError:  # each choice without time between is a call in a call
            raise NotCovered(_ENDLESS) from None
        if self.steps > MOST_STEPS:
            budget.spend(_A_STEP * self.steps, WHAT)

    def follow(self, scene: Scene, rate: float, ended: tuple[int, ...], result: list[Move], steps: int) -> None:
        """Move the pending customers, the last first, until each of them spends time or waits."""
        nodes, centres, size, pending = self.nodes, self.centres, self.size, scene.pending
        lines, busy = scene.lines, scene.busy
        while pending:
            customer = pending.pop()
            if customer <= _LINE:
                steps += 1
                self.steps += 1
                if steps > MOST_STEPS or self.steps > _ALL_STEPS:
                    raise NotCovered(_ENDLESS if steps > MOST_STEPS else _BRANCHING)
                marks = self.serve(scene, _LINE - customer, rate, ended, result, steps)
                if marks is None:
                    return
                ended = marks
                continue
            # The customer goes on until it spends time or waits; others that may go on now are pending.
            while customer >= 0:
                steps += 1
                self.steps += 1
                if steps > MOST_STEPS or self.steps > _ALL_STEPS:
                    raise NotCovered(_ENDLESS if steps > MOST_STEPS else _BRANCHING)
                node = nodes[customer if customer < size else customer % size]
                kind = node.kind
                if kind == TIME:
                    if customer < size:
                        scene.counts[node.slot] += 1
                    else:
                        insort(scene.apart, customer)
                    break
                if kind == QUEUE:
                    centre = node.centre
                    taken, item = busy[centre] + node.amount, centres[centre]
                    if lines[centre] or taken > item.room or not item.plain:
                        ended = self.join(scene, customer, ended)
                        break
                    busy[centre] = taken
                    onward = node.after
                elif kind == RELEASE:
                    if lines[node.centre]:
                        self.release(scene, node.centre, node.amount)
                    else:
                        busy[node.centre] -= node.amount
                    onward = node.after
                elif kind == CHOICE:
                    choices = _level(node.levels, busy[node.inside]) if node.levels else node.choices
                    for share, after in choices[1:]:
                        other = scene.copy()
                        other.pending.append(_onward(after, customer, size))
                        self.follow(other, rate * share, ended, result, steps)
                    rate, onward = rate * choices[0][0], choices[0][1]
                elif kind == SPLIT:
                    pending.append(_onward(node.after, customer, size))
                    if node.centre < 0 and scene.present(self) >= self.most:
                        self.cut = True
                        break
                    customer = node.choices[0][1]
                    continue
                elif kind == REST:
                    pending.insert(0, _onward(node.after, customer, size))
                    break
                elif kind in (FORK, JOIN):
                    ended = self.end(scene, customer, ended) if kind == JOIN else self.fork(scene, customer, ended)
                    break
                else:
                    ended += node.marks
                    onward = node.onward
                customer = onward if customer < size else _onward(onward, customer, size)
        result.append((rate, self.state_of(scene), ended))

    def serve(
        self, scene: Scene, centre: int, rate: float, ended: tuple[int, ...], result: list[Move], steps: int
    ) -> tuple[int, ...] | None:
        """Let the customers in service of a line go on; the marks that were passed by then.

        None if one of them went on at random: then all alternatives have been followed to the end.
        """
        chance, passed = self.begun(scene, centre)
        ended = (*ended, *passed)
        if chance is None:
            return ended
        index, choices = chance
        line = scene.lines[centre]
        for share, after in choices:
            other = scene.copy()
            other.lines[centre] = (*line[:index], _onward(after, line[index], self.size), *line[index + 1 :])
            other.pending.append(_LINE - centre)
            self.follow(other, rate * share, ended, result, steps)
        return None

    def state_of(self, scene: Scene) -> State:
        """The state without pending customers; its parallel steps are numbered by their branches."""
        state: State = (
            tuple(scene.counts), tuple(scene.lines), tuple(scene.busy), tuple(scene.apart), tuple(scene.joins),
        )  # fmt: skip
        if not scene.joins:
            return state
        known = self.numbered.get(state)
        if known is None:
            known = self.numbered[state] = self.renumbered(state)
        return known

    def join(self, scene: Scene, customer: int, ended: tuple[int, ...]) -> tuple[int, ...]:
        """A customer requests servers; the marks that were passed by then."""
        node = self.nodes[customer % self.size]
        centre = node.centre
        item, line = self.centres[centre], scene.lines[centre]
        busy = scene.busy
        if item.capacity is not None and busy[centre] + len(line) + node.amount > item.capacity:
            scene.pending.append(_onward(node.lost, customer, self.size))
            return (*ended, node.mark)
        after = _onward(node.after, customer, self.size)
        if item.shared:
            busy[centre] += 1
            scene.pending.append(after)
        elif item.preempted:
            scene.lines[centre] = (customer, *line)
            scene.pending.append(_LINE - centre)
        elif not item.ordered and not line and busy[centre] + node.amount <= item.most:
            busy[centre] += node.amount
            scene.pending.append(after)
        else:
            index = len(line)
            while index and self.nodes[line[index - 1] % self.size].priority < node.priority:
                index -= 1
            scene.lines[centre] = (*line[:index], customer, *line[index:])
            if item.ordered:
                scene.pending.append(_LINE - centre)
            elif item.group < 0:
                return (*ended, node.mark)
        return ended

    def release(self, scene: Scene, centre: int, amount: int) -> None:
        """Release servers, which the first customers in line take."""
        item, busy = self.centres[centre], scene.busy
        busy[centre] -= amount
        if item.shared:
            return
        line = scene.lines[centre]
        served = 0
        while served < len(line):
            node = self.nodes[line[served] % self.size]
            if busy[centre] + node.amount > item.most:
                break
            busy[centre] += node.amount
            scene.pending.append(_onward(node.after, line[served], self.size))
            served += 1
        if served:
            scene.lines[centre] = line[served:]

    def fork(self, scene: Scene, customer: int, ended: tuple[int, ...]) -> tuple[int, ...]:
        """Begin the branches of a parallel step in order; the marks that were passed by then."""
        node = self.nodes[customer % self.size]
        used = {item[0] for item in scene.joins}
        number = next(number for number in range(1, len(used) + 2) if number not in used)
        scene.joins.append((number, customer, node.amount, len(node.choices)))
        scene.pending += [begin + number * self.size for _, begin in reversed(node.choices)]
        return ended

    def end(self, scene: Scene, customer: int, ended: tuple[int, ...]) -> tuple[int, ...]:
        """End a branch of a parallel step; the marks that were passed by then."""
        size, joins = self.size, scene.joins
        if customer < size:
            return ended  # No parallel step waits for it any more.
        index = next(index for index, item in enumerate(joins) if item[0] == customer // size)
        number, parent, needed, left = joins.pop(index)
        left -= 1
        if needed == 1 and left:
            others = scene.copy()
            self.leave(others, number)
            if others.present(self) < self.most:
                self.leave(scene, number)
                left = 0
            else:
                self.cut = True
        if left:
            # If too many branches already go on without being waited for, these are waited for.
            joins.insert(index, (number, parent, max(needed - 1, 1), left))
            return ended
        scene.pending.append(_onward(self.nodes[parent % size].after, parent, size))
        return (*ended, self.nodes[customer % size].mark)

    def leave(self, scene: Scene, number: int) -> None:
        """Let the other branches of a parallel step, which are no longer waited for, go on independently."""
        size = self.size

        def alone(customer: int) -> int:
            return customer % size if customer >= 0 and customer // size == number else customer

        scene.lines[:] = [tuple(map(alone, line)) for line in scene.lines]
        scene.pending[:] = map(alone, scene.pending)
        scene.joins[:] = [(item[0], alone(item[1]), *item[2:]) for item in scene.joins]
        rest = [alone(customer) for customer in scene.apart]
        scene.apart[:] = [customer for customer in rest if customer >= size]
        for customer in rest:
            if customer < size:
                scene.counts[self.nodes[customer].slot] += 1

    def begun(self, scene: Scene, centre: int) -> tuple[tuple[int, tuple[tuple[float, int], ...]] | None, list[int]]:
        """Let the customers in service of a line go on until they spend time.

        Returns the index and the choices of the first that goes on at random, or None, and the marks that were passed.
        """
        item, lines, size = self.centres[centre], scene.lines, self.size
        marks: list[int] = []
        index = 0
        while index < min(item.most, len(lines[centre])):
            line = lines[centre]
            customer = line[index]
            node = self.nodes[customer % size]
            after = _onward(node.after, customer, size)
            if node.kind == TIME:
                index += 1
            elif node.kind == RELEASE:
                lines[centre] = (*line[:index], *line[index + 1 :])
                scene.pending.append(after)
                index = 0
            elif node.kind == CHOICE:
                return (index, _level(node.levels, scene.busy[node.inside]) if node.levels else node.choices), marks
            else:
                if node.kind == COUNT:
                    marks.append(node.mark)
                lines[centre] = (*line[:index], after, *line[index + 1 :])
        return None, marks

    def renumbered(self, state: State) -> State:
        """A state with its parallel steps numbered by their branches, since their order of start does not matter."""
        size = self.size
        counts, lines, busy, apart, joins = state
        order = joins if len(joins) < 2 else self.ordered(state)
        new = {item[0]: index * size for index, item in enumerate(order, start=1)}
        new[0] = 0

        def named(customer: int) -> int:
            return customer % size + new[customer // size]

        return (
            counts,
            tuple([tuple(map(named, line)) if line else line for line in lines]),
            busy,
            tuple(sorted(map(named, apart))),
            tuple([(index, named(item[1]), item[2], item[3]) for index, item in enumerate(order, start=1)]),
        )

    def ordered(self, state: State) -> list[Join]:
        """The parallel steps, sorted by their branches."""
        size = self.size
        _, lines, _, apart, joins = state
        signs: dict[int, list[tuple[int, int, int]]] = {item[0]: [] for item in joins}
        for customer in apart:
            signs[customer // size].append((-1, 0, customer % size))
        for centre, line in enumerate(lines):
            for index, customer in enumerate(line):
                if customer >= size:
                    signs[customer // size].append((centre, index, customer % size))
        for _, customer, needed, left in joins:
            if customer >= size:
                signs[customer // size].append((-2, needed * size + left, customer % size))
        return sorted(joins, key=lambda item: (item[1] % size, item[2], item[3], sorted(signs[item[0]])))


class FastNode:
    """A node of the program with fast attributes, which every step of every move reads."""

    __slots__ = (
        "after", "amount", "centre", "choices", "inside", "kind", "levels", "lost", "mark", "marks", "onward",
        "priority", "rate", "slot", "speeds",
    )  # fmt: skip

    def __init__(self, node: Node) -> None:
        self.kind: int = node.kind
        self.after: int = node.after
        self.rate: float = node.rate
        self.centre: int = node.centre
        self.priority: int = node.priority
        self.choices: tuple[tuple[float, int], ...] = node.choices
        self.mark: int = node.mark
        self.lost: int = node.lost
        self.speeds: tuple[float, ...] = node.speeds
        self.levels: tuple[tuple[tuple[float, int], ...], ...] = node.levels
        self.inside: int = node.inside
        self.amount: int = node.amount
        self.slot = -1
        """For a time without order: its index among the counts of a state."""
        self.marks: tuple[int, ...] = (self.mark,) if self.kind == COUNT else ()
        self.onward = self.after
        """For `COUNT` and `DONE`: the next node of another kind; `marks` are those up to it."""

    def pass_on(self, nodes: Sequence[FastNode]) -> None:
        """Find the next node other than `COUNT` and `DONE`."""
        for _ in nodes:
            if self.kind not in (COUNT, DONE) or self.onward < 0 or nodes[self.onward].kind not in (COUNT, DONE):
                break
            self.marks += (nodes[self.onward].mark,) if nodes[self.onward].kind == COUNT else ()
            self.onward = nodes[self.onward].after


class _Centre:
    """A centre of the program with fast attributes."""

    __slots__ = (
        "capacity", "discipline", "group", "most", "ordered", "plain", "preempted", "rates", "room",
        "servers", "shared", "station",
    )  # fmt: skip

    def __init__(self, centre: CentreCopy) -> None:
        self.station: str = centre.station
        self.group: int = centre.group
        self.discipline: str = centre.discipline
        self.servers: int = centre.servers
        self.rates: tuple[float, ...] | None = centre.rates
        self.capacity: int | None = centre.capacity
        self.most: int = centre.most
        self.shared: bool = centre.shared
        self.ordered: bool = centre.ordered
        self.preempted: bool = centre.discipline == "lcfs-pr"
        self.plain = not (self.shared or self.preempted or self.ordered)
        self.room = self.most if self.capacity is None else min(self.most, self.capacity)


class Scene:
    """A state while customers go on."""

    __slots__ = ("apart", "busy", "counts", "joins", "lines", "pending")

    def __init__(
        self, counts: list[int], lines: list[tuple[int, ...]], busy: list[int], apart: list[int], joins: list[Join],
        pending: list[int],
    ) -> None:  # fmt: skip
        self.counts, self.lines, self.busy, self.apart, self.joins = counts, lines, busy, apart, joins
        self.pending = pending

    def copy(self) -> Scene:
        """A copy, to be changed."""
        return Scene(
            self.counts.copy(), self.lines.copy(), self.busy.copy(),
            self.apart.copy(), self.joins.copy(), self.pending.copy(),
        )  # fmt: skip

    def present(self, machine: Machine) -> int:
        """The number of customers and pieces of work besides the closed customers."""
        more = machine.under_way(self.lines, self.apart, self.joins) - machine.closed
        return sum(self.counts) + sum(map(len, self.lines)) + len(self.apart) + more


def _onward(node: int, customer: int, size: int) -> int:
    """A customer at another node, in the same branch."""
    return node if customer < size or node < 0 else node + customer // size * size


def _level(values: tuple[_Value, ...], number: int) -> _Value:
    """The value with a number of customers inside; the last repeats."""
    return values[min(max(number, 1), len(values)) - 1]
