"""The states of a program, and how they follow each other.

A state is three tuples: how many customers are at each node of time that needs no order; the line of each centre; and
how many servers of each centre are kept. Customers at the same node are interchangeable. First come first served, the
line holds those who wait; where service may be interrupted, all who are present; at shared service nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from qnet.networks.states.program import CHOICE, COUNT, QUEUE, RELEASE, REST, SPLIT, TIME, NotCovered, Program

State = tuple[tuple[int, ...], tuple[tuple[int, ...], ...], tuple[int, ...]]
Move = tuple[float, State, tuple[int, ...]]
"""Rate per second, the state after it, and the marks that were passed, each as often as it was."""
_Value = TypeVar("_Value")
_MOST_STEPS = 2000
_LINE = -2
"""This less the number of a centre stands for its line, of which somebody is to begin or to go on."""


class Machine:
    """The states of a program.

    program   nodes and centres.
    most      how many customers that come from outside, or do work after a response, there may be: those who would
              be one more are lost, so that the number of states is finite.
    """

    def __init__(self, program: Program, most: int) -> None:
        self.nodes = program.nodes
        self.centres = program.centres
        self.homes = program.homes
        self.arrivals = program.arrivals
        self.most = most
        self.closed = sum(count for count, _ in program.homes)
        self.timed = [
            number
            for number, node in enumerate(program.nodes)
            if node.kind == TIME and not (node.centre >= 0 and program.centres[node.centre].ordered)
        ]
        """The nodes of time that need no order."""
        self.slot = {number: slot for slot, number in enumerate(self.timed)}
        self.own: list[list[int]] = [[] for _ in program.centres]
        """The slots of every centre."""
        for number, slot in self.slot.items():
            centre = program.nodes[number].centre
            if centre >= 0:
                self.own[centre].append(slot)

    def start(self) -> State:
        """A state that can occur: everybody begins, one after the other."""
        empty: State = ((0,) * len(self.timed), ((),) * len(self.centres), (0,) * len(self.centres))
        state = empty
        for count, home in self.homes:
            for _ in range(count):
                state = next(iter(self.settled(state, home, 1.0)))[1]
        return state

    def moves(self, state: State) -> list[Move]:
        """All that may happen next."""
        counts, lines, busy = state
        nodes, found = self.nodes, list[Move]()
        for slot, count in enumerate(counts):
            if not count:
                continue
            node = nodes[self.timed[slot]]
            rate = count * node.rate * (self.speed(state, node.centre) if node.centre >= 0 else 1.0)
            if node.speeds:
                rate *= _level(node.speeds, busy[node.inside])
            less = (*counts[:slot], count - 1, *counts[slot + 1 :])
            found += self.settled((less, lines, busy), node.after, rate)
        for centre, place, speed in self.lines_served(state):
            line = lines[centre]
            node = nodes[line[place]]
            if node.speeds:
                speed *= _level(node.speeds, busy[node.inside])
            after = (*line[:place], node.after, *line[place + 1 :])
            changed = (*lines[:centre], after, *lines[centre + 1 :])
            found += self.settled((counts, changed, busy), _LINE - centre, speed * node.rate)
        for rate, home in self.arrivals:
            if rate > 0 and self.outside(state) < self.most:
                found += self.settled(state, home, rate)
        return found

    def lines_served(self, state: State) -> Iterator[tuple[int, int, float]]:
        """Who is served where service may be interrupted: centre, place in its line, speed."""
        for centre, item in enumerate(self.centres):
            line = state[1][centre]
            if item.ordered and line:
                serving = min(item.servers, len(line)) if item.rates is None else 1
                speed = 1.0 if item.rates is None else item.rates[min(len(line), len(item.rates)) - 1]
                for place in range(serving):
                    yield centre, place, speed

    def serving(self, state: State) -> Iterator[tuple[int, float]]:
        """The servers, or parts of them, that serve at each node of time; without queueing one for everybody."""
        for slot, count in enumerate(state[0]):
            if count:
                number = self.timed[slot]
                centre = self.nodes[number].centre
                yield number, count * (self.speed(state, centre) if centre >= 0 else 1.0)
        for centre, place, speed in self.lines_served(state):
            yield state[1][centre][place], speed

    def speed(self, state: State, centre: int) -> float:
        """How fast one of those in service is served."""
        item = self.centres[centre]
        counts, lines, busy = state
        if item.shared:
            present = sum(counts[slot] for slot in self.own[centre])
            most = min(item.servers, present) if item.rates is None else item.rates[min(present, len(item.rates)) - 1]
            return most / present
        if item.rates is None:
            return 1.0
        return item.rates[min(busy[centre] + len(lines[centre]), len(item.rates)) - 1]

    def outside(self, state: State) -> int:
        """How many customers there are beside the closed ones."""
        counts, lines, _ = state
        return sum(counts) + sum(map(len, lines)) - self.closed

    def settled(self, state: State, node: int, rate: float) -> list[Move]:
        """Where one customer goes from a node, and everybody who goes on because of that."""
        counts, lines, busy = state
        found: list[Move] = []
        self.follow(list(counts), list(lines), list(busy), [node], rate, (), found, 0)
        return found

    def follow(
        self,
        counts: list[int],
        lines: list[tuple[int, ...]],
        busy: list[int],
        pending: list[int],
        rate: float,
        ended: tuple[int, ...],
        found: list[Move],
        steps: int,
    ) -> None:
        """Move the pending customers, the last first, until each of them spends time or waits."""
        nodes = self.nodes
        while pending:
            steps += 1
            if steps > _MOST_STEPS:
                raise NotCovered("customers may pass without spending any time")
            number = pending.pop()
            if number <= _LINE:
                centre = _LINE - number
                chance, passed = self.begun(lines, busy, pending, centre)
                ended = (*ended, *passed)
                if chance is None:
                    continue
                place, choices = chance
                for share, after in choices:
                    line, here = lines[centre], list(lines)
                    here[centre] = (*line[:place], after, *line[place + 1 :])
                    more = [*pending, number]
                    self.follow(list(counts), here, list(busy), more, rate * share, ended, found, steps)
                return
            if number < 0:
                continue
            node = nodes[number]
            kind = node.kind
            if kind == TIME:
                counts[self.slot[number]] += 1
            elif kind == CHOICE:
                choices = _level(node.levels, busy[node.inside]) if node.levels else node.choices
                for share, after in choices[1:]:
                    self.follow(
                        list(counts), list(lines), list(busy), [*pending, after], rate * share, ended, found, steps
                    )
                share, after = choices[0]
                rate *= share
                pending.append(after)
            elif kind == QUEUE and self.full(counts, lines, busy, node.centre):
                ended = (*ended, node.mark)
                pending.append(node.lost)
            elif kind == QUEUE:
                self.join(lines, busy, pending, number)
            elif kind == RELEASE:
                # The customer goes on before those who get the server.
                self.release(lines, busy, pending, node.centre)
                pending.append(node.after)
            elif kind == REST:
                pending.insert(0, node.after)
            elif kind == SPLIT:
                pending.append(node.after)
                if node.centre >= 0 or sum(counts) + sum(map(len, lines)) - self.closed < self.most:
                    pending.append(node.choices[0][1])
            else:
                if kind == COUNT:
                    ended = (*ended, node.mark)
                pending.append(node.after)
        found.append((rate, (tuple(counts), tuple(lines), tuple(busy)), ended))

    def full(self, counts: list[int], lines: list[tuple[int, ...]], busy: list[int], centre: int) -> bool:
        """Whether all places of a centre are taken."""
        most = self.centres[centre].capacity
        if most is None:
            return False
        own = sum(counts[slot] for slot in self.own[centre]) if self.centres[centre].shared else busy[centre]
        return own + len(lines[centre]) >= most

    def join(self, lines: list[tuple[int, ...]], busy: list[int], pending: list[int], number: int) -> None:
        """A customer asks for a server."""
        node = self.nodes[number]
        centre = node.centre
        item, line = self.centres[centre], lines[centre]
        if item.shared:
            pending.append(node.after)
        elif item.discipline == "lcfs-pr":
            lines[centre] = (number, *line)
            pending.append(_LINE - centre)
        elif not item.ordered and not line and busy[centre] < (item.servers if item.rates is None else 1):
            busy[centre] += 1
            pending.append(node.after)
        else:
            place = len(line)
            while place and self.nodes[line[place - 1]].priority < node.priority:
                place -= 1
            lines[centre] = (*line[:place], number, *line[place:])
            if item.ordered:
                pending.append(_LINE - centre)

    def release(self, lines: list[tuple[int, ...]], busy: list[int], pending: list[int], centre: int) -> None:
        """A server is released: the first who waits gets it."""
        if self.centres[centre].shared:
            return
        line = lines[centre]
        if line:
            lines[centre] = line[1:]
            pending.append(self.nodes[line[0]].after)
        else:
            busy[centre] -= 1

    def begun(
        self,
        lines: list[tuple[int, ...]],
        busy: list[int],
        pending: list[int],
        centre: int,
    ) -> tuple[tuple[int, tuple[tuple[float, int], ...]] | None, list[int]]:
        """Let those in service of a line go on until they spend time; where that is by chance, the place and how.

        Returns that, and the marks that were passed.
        """
        item = self.centres[centre]
        marks: list[int] = []
        place = 0
        while place < min(item.servers if item.rates is None else 1, len(lines[centre])):
            line = lines[centre]
            node = self.nodes[line[place]]
            if node.kind == TIME:
                place += 1
            elif node.kind == RELEASE:
                lines[centre] = (*line[:place], *line[place + 1 :])
                pending.append(node.after)
                place = 0
            elif node.kind == CHOICE:
                return (place, _level(node.levels, busy[node.inside]) if node.levels else node.choices), marks
            else:
                if node.kind == COUNT:
                    marks.append(node.mark)
                lines[centre] = (*line[:place], node.after, *line[place + 1 :])
        return None, marks


def _level(values: tuple[_Value, ...], number: int) -> _Value:
    """What it is with so many customers inside; the last repeats."""
    return values[min(max(number, 1), len(values)) - 1]
