"""The states of a program and the transitions between them, for customers who cannot be told apart.

A state is a tuple: those to whom time passes, sorted; what is at every place; at every buffer; how many are there of
each open class, and of all that may grow without end; the parallel steps that are under way; and whether one customer
is marked until his passage ends.
"""

from __future__ import annotations

from typing import Any

from .moments import FORK, Moments, State, inserted
from .phases import Unsupported
from .program import DELAY, QUEUE, SHARED


class Machine(Moments):
    """Transitions of a program in which at most `limit` open customers and pieces of work left behind are there."""

    def first(self) -> State:
        """A state to begin with."""
        program = self.program
        state: list[Any] = [()]
        for place in program.places:
            state.append((0, ()) if place.kind == QUEUE else 0 if place.kind in (SHARED, DELAY) else ())
        state += [(store.places, ()) for store in program.stores]
        state += [0] * len(program.customers) + [0, (), 0]
        begins: list[int] = []
        for customers in program.customers:
            begins += [customers.source] if customers.source >= 0 else []
            begins += [customers.start] * customers.population
        for start in begins:
            out: dict[State, float] = {}
            self.settle(state, [(start, self.empty, 0, None)], 1.0, out)
            if not out:
                raise Unsupported("more at the beginning than are told apart")
            state = list(next(iter(out)))
        self.events.clear()
        return tuple(state)

    def speed(self, state: Any, number: int) -> float:
        """How fast time passes for one of a kind."""
        speed = 1.0
        at = self.where[number]
        if at >= 0:
            place = self.program.places[at]
            present = self.present(state, at)
            if place.kind == SHARED:
                speed = place.speed(present) / present
            elif place.rates:
                speed = place.speed(present)
        if self.inside[number] is not None:
            of, places = self.inside[number]
            mean = of(tuple(self.holders(state, place - 1) for place in places))
            if mean <= 0:
                raise Unsupported("a time that becomes 0 while it passes")
            speed /= mean
        return speed

    def transitions(self, state: State) -> dict[State, float]:
        """The rates to other states; `events` has the rates of what is counted."""
        out: dict[State, float] = {}
        self.events.clear()
        active = state[0]
        at, size = 0, len(active)
        simple = self.where, self.inside, self.rate, self.after, self.keys
        where, inside, rates, after, keys = simple
        while at < size:
            token = active[at]
            end = at + 1
            while end < size and active[end] == token:
                end += 1
            number = token & (FORK - 1)
            rate = rates[number] * (end - at)
            if where[number] >= 0 or inside[number] is not None:
                rate *= self.speed(state, number)
            changed = list(state)
            rest = active[:at] + active[at + 1 :]
            if after[number] >= 0:
                changed[0] = inserted(rest, token - number + after[number])
                self.found(changed, rate, out)
            else:
                changed[0] = rest
                pc, _, slots = keys[number]
                self.settle(changed, [(pc + 1, slots, token // FORK, None)], rate, out)
            at = end
        for place in self.ordered:
            entry = state[place + 1]
            servers = 1 if self.program.places[place].rates else self.program.places[place].servers
            for position, token in enumerate(entry[:servers]):
                number = token & (FORK - 1)
                rate = rates[number] * self.speed(state, number)
                changed = list(state)
                if after[number] >= 0:
                    token += after[number] - number
                    changed[place + 1] = (*entry[:position], token, *entry[position + 1 :])
                    self.found(changed, rate, out)
                else:
                    pc, _, slots = keys[number]
                    self.settle(changed, [(pc + 1, slots, token // FORK, (place, position))], rate, out)
        return out

    def found(self, state: list[Any], rate: float, out: dict[State, float]) -> None:
        """Note a state that is reached."""
        target = tuple(self.renumbered(state) if self.program.forks else state)
        out[target] = out.get(target, 0.0) + rate

    def renumbered(self, state: list[Any]) -> list[Any]:
        """The state with its parallel steps numbered by what is in them; those whose step is over are on their own."""
        records = {record[0]: record for record in state[self.forks]}
        signs: dict[int, list[Any]] = {number: [] for number in records}

        def sign(token: int, place: Any) -> None:
            if token >= FORK and token // FORK in signs:
                signs[token // FORK].append((place, token % FORK))

        for token in state[0]:
            sign(token, (0, 0))
        for number in range(1, self.counters):
            entry = state[number]
            if type(entry) is tuple:
                waiting = entry if number - 1 in self.ordered else entry[1]
                for position, token in enumerate(waiting):
                    sign(token, (number, position))
        for record in records.values():
            if record[3] in signs:
                signs[record[3]].append(((-1, 0), record[1:3]))
        order = sorted(records, key=lambda number: (sorted(map(repr, signs[number])), repr(records[number][1:])))
        new = {number: position for position, number in enumerate(order, start=1)}

        def named(token: int) -> int:
            return token % FORK + new.get(token // FORK, 0) * FORK

        changed = list(state)
        changed[0] = tuple(sorted(map(named, state[0])))
        for number in range(1, self.counters):
            entry = state[number]
            if type(entry) is tuple:
                if number - 1 in self.ordered:
                    changed[number] = tuple(map(named, entry))
                else:
                    changed[number] = (entry[0], tuple(map(named, entry[1])))
        changed[self.forks] = tuple(
            (new[number], *records[number][1:3], new.get(records[number][3], 0), *records[number][4:])
            for number in order
        )
        return changed
