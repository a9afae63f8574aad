"""What happens at one moment: customers go on from instruction to instruction until time must pass for each."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import combinations, product
from typing import Any

from .phases import EXPONENTIAL, Unsupported, phases
from .program import DELAY, PREEMPTIVE, QUEUE, SHARED, STACK, Number, Program

FORK = 1 << 32
"""Tokens are kinds; those in a parallel step have its number times this added."""
MOST_AT_ONCE = 10_000
"""Instructions at one moment."""
MOST_OUTCOMES = 5_000

State = tuple[Any, ...]
Thread = tuple[int, tuple[int, ...], int, "tuple[int, int] | None"]


class Moments:
    """The instructions of a program, done at states in the form of `machine`, with at most `limit` customers beside the
    closed ones; what is found is left to the class that builds on this.
    """

    def __init__(self, program: Program, limit: int = 1 << 60) -> None:
        self.program, self.limit = program, limit
        self.ops = program.ops
        self.buffers = len(program.places) + 1
        self.counters = self.buffers + len(program.stores)
        self.total = self.counters + len(program.customers)
        self.forks = self.total + 1
        self.mark = self.forks + 1
        self.empty = (0,) * program.slots
        self.kinds: dict[tuple[int, Any, tuple[int, ...]], int] = {}
        self.keys: list[tuple[int, Any, tuple[int, ...]]] = []
        self.rate: list[float] = []
        self.where: list[int] = []
        self.inside: list[Any] = []
        self.after: list[int] = []
        self.times: dict[int, Any] = {}
        self.ways: dict[tuple[int, tuple[int, ...]], list[tuple[float, Any]]] = {}
        self.events: dict[Any, float] = {}
        self.serial = 0
        self.ordered = [number for number, place in enumerate(program.places) if place.kind in (STACK, PREEMPTIVE)]

    # Kinds

    def kind(self, pc: int, phase: Any, slots: tuple[int, ...]) -> int:
        """The number of those at an instruction, in a phase, with some numbers of their own."""
        key = (pc, phase, slots)
        found = self.kinds.get(key)
        if found is not None:
            return found
        number = self.kinds[key] = len(self.keys)
        self.keys.append(key)
        self.rate.append(0.0)
        self.where.append(-1)
        self.inside.append(None)
        self.after.append(-1)
        op = self.ops[pc]
        if op[0] == "time":
            mean: Number = op[1]
            time = self.time(pc)
            self.rate[number] = time.rates[phase] if mean.slots else time.rates[phase] / mean.value
            if mean.slots:
                self.inside[number] = (mean.of, tuple(slots[slot] for slot in mean.slots))
            if op[3] >= 0 and slots[op[3]]:
                place = self.program.places[slots[op[3]] - 1]
                if place.kind == SHARED or place.rates or place.kind in (STACK, PREEMPTIVE):
                    self.where[number] = slots[op[3]] - 1
            if time.after[phase] >= 0:
                self.after[number] = self.kind(pc, time.after[phase], slots)
        return number

    def time(self, pc: int) -> Any:
        """The phases of a time."""
        if pc not in self.times:
            scv = self.ops[pc][2]
            self.times[pc] = EXPONENTIAL if scv == 1.0 else phases(scv)
        return self.times[pc]

    def found(self, state: list[Any], rate: float, out: dict[State, float]) -> None:
        """Note a state that is reached."""
        raise NotImplementedError

    def present(self, state: Any, place: int) -> int:
        """How many are at a place."""
        entry = state[place + 1]
        kind = self.program.places[place].kind
        if kind == QUEUE:
            return entry[0] + len(entry[1])
        return entry if kind in (SHARED, DELAY) else len(entry)

    def holders(self, state: Any, place: int) -> int:
        """How many of them have a server."""
        entry = state[place + 1]
        kind = self.program.places[place].kind
        if kind == QUEUE:
            return entry[0]
        present = entry if kind in (SHARED, DELAY) else len(entry)
        return min(present, self.program.places[place].servers) if kind == PREEMPTIVE else present

    # Instructions

    def settle(self, state: list[Any], agenda: list[Thread], rate: float, out: dict[State, float]) -> None:
        """Let all of the agenda go on until time must pass, in all ways it may come; their rates are added to `out`."""
        ways: list[tuple[float, list[Any], list[Thread]]] = [(rate, state, agenda)]
        outcomes = 0
        while ways:
            rate, state, agenda = ways.pop()
            outcomes += 1
            if outcomes > MOST_OUTCOMES:
                raise Unsupported("too much may happen at one moment")
            steps = 0
            try:
                while agenda:
                    thread: Any = agenda.pop()
                    while thread is not None:
                        steps += 1
                        if steps > MOST_AT_ONCE:
                            raise Unsupported("customers go round in no time")
                        thread = self.step(thread, rate, state, agenda)
                        if type(thread) is list:
                            for share, other in thread[1:]:
                                ways.append((rate * share, list(state), [*agenda, other]))
                            rate *= thread[0][0]
                            thread = thread[0][1]
            except Cut:
                continue
            self.found(state, rate, out)

    def step(self, thread: Any, rate: float, state: list[Any], agenda: list[Thread]) -> Any:
        """As far as nothing depends on the state, and what then does: the thread afterwards, or None where it waits.

        A list of threads with probabilities where something is drawn.
        """
        if type(thread[0]) is str:
            return self.drawn(thread, rate, state, agenda)
        pc, slots, fork, where = thread
        ways = self.ways.get((pc, slots))
        if ways is None:
            ways = self.ways[pc, slots] = self.expand(pc, slots)
        if len(ways) == 1:
            return self.act(ways[0][1], fork, where, rate, state, agenda)
        return [(share, ("act", action, fork, where)) for share, action in ways]

    def expand(self, pc: int, slots: tuple[int, ...]) -> list[tuple[float, Any]]:
        """Where a customer comes from an instruction, whatever the state: events on the way, and what he does there."""
        found: list[tuple[float, Any]] = []
        waiting: list[tuple[float, int, tuple[int, ...], tuple[Any, ...]]] = [(1.0, pc, slots, ())]
        steps = 0
        while waiting:
            share, pc, slots, events = waiting.pop()
            steps += 1
            if steps > MOST_AT_ONCE:
                raise Unsupported("customers go round in no time")
            op = self.ops[pc]
            name = op[0]
            if name == "goto":
                waiting.append((share, op[1], slots, events))
            elif name == "choose":
                waiting += [(share * part, target, slots, events) for part, target in op[1]]
            elif name == "next":
                left = slots[op[1]] - 1
                waiting.append((share, op[2] if left else pc + 1, _set(slots, op[1], left), events))
            elif name == "count" and not slots[-2]:
                waiting.append((share, pc + 1, slots, (*events, op[1])))
            elif name == "time" and not op[1].slots:
                if op[1].value <= 0:
                    found.append((share, (events, "rest", pc + 1, slots)))
                else:
                    for part, phase in self.time(pc).start:
                        found.append((share * part, (events, "put", self.kind(pc, phase, slots))))
            elif name == "loop" and (isinstance(op[2], int) or not op[2].slots):
                for part, count in draws(op[2].value) if isinstance(op[2], Number) else [(1.0, slots[op[2]])]:
                    waiting.append((share * part, pc + 1 if count else op[3], _set(slots, op[1], count), events))
            elif name == "seize":
                choices = op[1]
                if op[5] >= 0 and slots[op[5]]:
                    choices = ((1.0, op[6] + slots[op[5]] - 1),)
                for part, place in choices:
                    for other, level in op[3]:
                        found.append((share * part * other, (events, "come", pc, slots, place, level)))
            else:
                found.append((share, (events, "do", pc, slots)))
        return found

    def act(self, action: Any, fork: int, where: Any, rate: float, state: list[Any], agenda: list[Thread]) -> Any:
        """What depends on the state: the thread afterwards, or None."""
        for event in action[0]:
            self.count(event, rate)
        what = action[1]
        if what == "put":
            self.put(action[2] + fork * FORK, where, state)
            return None
        _, _, pc, slots, *rest = action
        if what == "rest":
            # No time is a short time: what takes none at all is done before.
            if where is None:
                agenda.insert(0, (pc, slots, fork, None))
                return None
            return (pc, slots, fork, where)
        op = self.ops[pc]
        if what == "come":
            return self.come((pc, slots, fork, where), op, *rest, state)
        name = op[0]
        if name == "release":
            place = slots[op[1]] - 1
            if place < 0:
                return (pc + 1, slots, fork, where)
            self.count(("visit", place), rate)
            self.release(place, where, state, agenda)
            slots = _set(slots, op[1], 0)
            if where is not None and where[0] == place:
                where, slots = None, _set(slots, len(slots) - 1, 0)
            return (pc + 1, slots, fork, where)
        thread = (pc, slots, fork, where)
        if name == "time":
            return self.begin(thread, op, state)
        if name == "loop":
            return self.loop(thread, op, state)
        if name == "count":
            self.count(op[1], rate)
            return (pc + 1, self.unmark("done", slots, rate, state), fork, where)
        return self.rare(thread, op, rate, state, agenda)

    def drawn(self, thread: Any, rate: float, state: list[Any], agenda: list[Thread]) -> Any:
        """What was drawn is done."""
        what, *rest = thread
        if what == "act":
            return self.act(*rest, rate, state, agenda)
        if what == "take":
            return self.take(*rest, state)
        if what == "grant":
            return self.grant(*rest, state, agenda)
        agenda += rest[0]
        return None

    def count(self, event: Any, rate: float) -> None:
        """Count an event; those on ways that are not taken yet are counted when they are."""
        self.events[event] = self.events.get(event, 0.0) + rate

    def unmark(self, event: str, slots: tuple[int, ...], rate: float, state: list[Any]) -> tuple[int, ...]:
        """The numbers of a customer whose passage ends; counted where he is the one who is marked."""
        if not slots[-2]:
            return slots
        self.count(("marked", event), rate)
        state[self.mark] = 0
        return _set(slots, len(slots) - 2, 0)

    def marked(self, token: int) -> int:
        """The same token, marked."""
        pc, phase, slots = self.keys[token & (FORK - 1)]
        return self.kind(pc, phase, _set(slots, len(slots) - 2, 1))

    def begin(self, thread: Thread, op: Any, state: list[Any]) -> Any:
        """A time begins to pass that depends on how many hold some stations."""
        pc, slots, fork, where = thread
        if op[1].of(tuple(self.holders(state, slots[slot] - 1) for slot in op[1].slots)) <= 0:
            return (pc + 1, slots, fork, where)
        found = [
            (share, ("act", ((), "put", self.kind(pc, phase, slots)), fork, where))
            for share, phase in self.time(pc).start
        ]
        return found if len(found) > 1 else found[0][1]

    def put(self, token: int, where: Any, state: list[Any]) -> None:
        """A token to which time passes."""
        if where is None:
            state[0] = inserted(state[0], token)
        else:
            place, position = where
            entry = state[place + 1]
            state[place + 1] = (*entry[:position], token, *entry[position + 1 :])

    def loop(self, thread: Thread, op: Any, state: list[Any]) -> Any:
        """Visits are drawn whose number depends on how many hold some stations."""
        pc, slots, fork, where = thread
        value = op[2].of(tuple(self.holders(state, slots[slot] - 1) for slot in op[2].slots))
        found = [
            (share, (pc + 1, _set(slots, op[1], count), fork, where) if count else (op[3], slots, fork, where))
            for share, count in draws(value)
        ]
        return found if len(found) > 1 else found[0][1]

    def come(self, thread: Thread, op: Any, place: int, level: int, state: list[Any]) -> Any:
        """A customer comes to a place."""
        pc, slots, fork, where = thread
        station = self.program.places[place]
        if station.capacity and self.present(state, place) >= station.capacity:
            return (op[7], slots, fork, where)
        if op[4] >= 0:
            slots = _set(slots, op[4], place - op[6] + 1)
        entry = state[place + 1]
        held = _set(slots, op[2], place + 1)
        if station.kind in (SHARED, DELAY):
            state[place + 1] = entry + 1
            return (pc + 1, held, fork, where)
        if station.kind == QUEUE:
            servers = 1 if station.rates else station.servers
            if entry[0] < servers:
                state[place + 1] = (entry[0] + 1, ())
                return (pc + 1, held, fork, where)
            token = self.kind(pc, ("waits", level, place), slots) + fork * FORK
            waiting = entry[1]
            position = len(waiting)
            while position and self.level(waiting[position - 1]) < level:
                position -= 1
            state[place + 1] = (entry[0], (*waiting[:position], token, *waiting[position:]))
            return None
        position = 0
        if station.kind == PREEMPTIVE:
            position = len(entry)
            while position and self.level(entry[position - 1]) < level:
                position -= 1
            held = _set(held, len(held) - 1, level)
        token = self.kind(pc, ("waits", level, place), held) + fork * FORK
        state[place + 1] = (*entry[:position], token, *entry[position:])
        servers = 1 if station.rates else station.servers
        if station.kind == PREEMPTIVE and position >= servers:
            return None
        return (pc + 1, held, fork, (place, position))

    def level(self, token: int) -> int:
        """The priority of one who waits, or is at a preemptive place."""
        phase, slots = self.keys[token & (FORK - 1)][1:]
        return phase[1] if type(phase) is tuple else slots[-1]

    def release(self, place: int, where: Any, state: list[Any], agenda: list[Any]) -> None:
        """A server is given back, and taken by the first who waits."""
        station = self.program.places[place]
        entry = state[place + 1]
        if station.kind in (SHARED, DELAY):
            state[place + 1] = entry - 1
            return
        if station.kind == QUEUE:
            busy, waiting = entry
            if not waiting:
                state[place + 1] = (busy - 1, ())
                return
            state[place + 1] = (busy, waiting[1:])
            pc, _, slots = self.keys[waiting[0] & (FORK - 1)]
            agenda.append((pc + 1, _set(slots, self.ops[pc][2], place + 1), waiting[0] // FORK, None))
            return
        position = where[1]
        state[place + 1] = (*entry[:position], *entry[position + 1 :])
        if station.kind == PREEMPTIVE:
            agenda.append(("grant", place))

    def grant(self, place: int, state: list[Any], agenda: list[Thread]) -> Any:
        """The first who has not begun yet at a place where servers are taken away, if a server is his."""
        station = self.program.places[place]
        for position, token in enumerate(state[place + 1][: 1 if station.rates else station.servers]):
            pc, phase, slots = self.keys[token & (FORK - 1)]
            if type(phase) is tuple:
                agenda.append(("grant", place))
                return (pc + 1, slots, token // FORK, (place, position))
        return None

    def rare(self, thread: Thread, op: Any, rate: float, state: list[Any], agenda: list[Thread]) -> Any:
        """The instructions that few models have."""
        pc, slots, fork, where = thread
        name = op[0]
        if name == "arrive":
            if state[self.total] >= self.limit:
                self.count("cut", rate)
            else:
                state[self.total] += 1
                state[self.counters + op[1]] += 1
                agenda.append((self.program.customers[op[1]].start, self.empty, 0, None))
            return (pc + 1, slots, fork, where)
        if name == "end":
            self.count(("respond", op[1]), rate)
            self.unmark("done", slots, rate, state)
            state[self.total] -= 1
            state[self.counters + op[1]] -= 1
            return None
        if name == "die":
            state[self.total] -= 1
            return None
        if name == "lose":
            return self.lose(thread, op, rate, state, agenda)
        if name == "spawn":
            return self.spawn(thread, op, rate, state, agenda)
        if name == "fill":
            return self.fill(thread, op, state)
        if name == "drain":
            self.drain(op[1], slots[op[2]], state, agenda)
            return (pc + 1, _set(slots, op[2], 0), fork, where)
        if name == "fork":
            return self.fork(thread, op, rate, state, agenda)
        if name == "endbranch":
            return self.end(thread, state)
        raise AssertionError(name)

    def lose(self, thread: Thread, op: Any, rate: float, state: list[Any], agenda: list[Thread]) -> Any:
        """A customer is turned away: he gives back what he holds."""
        _, slots, fork, _ = thread
        self.count(("lost", op[1]), rate)
        self.unmark("lost", slots, rate, state)
        if not op[5]:
            self.count(("lost late", op[1]), rate)
        for slot in reversed(op[2]):
            if slots[slot]:
                self.release(slots[slot] - 1, None, state, agenda)
        for store, slot in op[3]:
            if slots[slot]:
                self.drain(store, slots[slot], state, agenda)
        if op[4] < 0:
            state[self.total] -= 1
            if op[1] >= 0:
                state[self.counters + op[1]] -= 1
            return None
        return (op[4], self.empty, fork, None)

    def spawn(self, thread: Thread, op: Any, rate: float, state: list[Any], agenda: list[Thread]) -> Any:
        """Work is left behind, with some of what the customer holds."""
        pc, slots, fork, where = thread
        kept, passed = list(self.empty), list(slots)
        for slot in op[2]:
            kept[slot] = slots[slot]
        for slot in op[3]:
            passed[slot] = 0
        keeps = where is not None and any(slots[slot] == where[0] + 1 for slot in op[4])
        if keeps:
            kept[-1], passed[-1] = slots[-1], 0
        customer = (pc + 1, tuple(passed), fork, None if keeps else where)
        if state[self.total] >= self.limit:
            self.count("cut", rate)
            raise Cut
        state[self.total] += 1
        agenda.append(customer)
        return (op[1], tuple(kept), 0, where if keeps else None)

    def fill(self, thread: Thread, op: Any, state: list[Any]) -> Any:
        """Indices of a buffer are asked for."""
        drawn = draws(op[2])
        if len(drawn) > 1:
            return [(share, ("take", thread, op, count)) for share, count in drawn]
        return self.take(thread, op, drawn[0][1], state)

    def take(self, thread: Thread, op: Any, count: int, state: list[Any]) -> Any:
        """So many places are asked for, all at once."""
        pc, slots, fork, where = thread
        free, waiting = state[self.buffers + op[1]]
        if count and (waiting or free < count):
            if self.program.stores[op[1]].lost:
                return (op[4], slots, fork, where)
            token = self.kind(pc, ("waits", count, -1), slots) + fork * FORK
            state[self.buffers + op[1]] = (free, (*waiting, token))
            return None
        state[self.buffers + op[1]] = (free - count, waiting)
        return (pc + 1, _set(slots, op[3], count), fork, where)

    def drain(self, store: int, count: int, state: list[Any], agenda: list[Thread]) -> None:
        """Indices are free again."""
        free, waiting = state[self.buffers + store]
        free += count
        while waiting:
            pc, phase, slots = self.keys[waiting[0] & (FORK - 1)]
            if phase[1] > free:
                break
            free -= phase[1]
            agenda.append((pc + 1, _set(slots, self.ops[pc][3], phase[1]), waiting[0] // FORK, None))
            waiting = waiting[1:]
        state[self.buffers + store] = (free, waiting)

    def fork(self, thread: Thread, op: Any, rate: float, state: list[Any], agenda: list[Thread]) -> Any:
        """Branches begin; whoever starts them goes on when enough have finished."""
        _, slots, fork, _ = thread
        width = sum(branch[1] for branch in op[1])
        if width > op[2]:
            if state[self.total] + width - op[2] > self.limit:
                self.count("cut", rate)
                raise Cut
            state[self.total] += width - op[2]
        self.serial += 1
        number = self.serial
        state[self.forks] = (*state[self.forks], (number, op[3], slots, fork, op[2], width))
        plain: list[Thread] = []
        drawn: list[tuple[int, int, int]] = []
        for start, count, slot, copies in op[1]:
            if slot < 0:
                plain += [(start, slots, number, None)] * count
            else:
                drawn += [(start, slot, copies)] * count
        agenda += plain
        if not drawn:
            return None
        groups = Counter(drawn)
        ways = [list(combinations(range(1, key[2] + 1), count)) for key, count in groups.items()]
        found: list[Any] = []
        every = list(product(*ways))
        for way in every:
            threads = [
                (key[0], _set(slots, key[1], copy), number, None)
                for key, copies in zip(groups, way, strict=True)
                for copy in copies
            ]
            found.append((1 / len(every), ("start", threads)))
        return found

    def end(self, thread: Thread, state: list[Any]) -> Any:
        """A branch has finished."""
        fork = thread[2]
        records = state[self.forks]
        record = next((item for item in records if item[0] == fork), None)
        if record is None:
            state[self.total] -= 1
            return None
        number, pc, slots, parent, needed, width = record
        rest = tuple(item for item in records if item is not record)
        if needed > 1:
            state[self.forks] = (*rest, (number, pc, slots, parent, needed - 1, width))
            return None
        state[self.forks] = rest
        return (pc, slots, parent, None)


class Cut(Exception):
    """No more may be there."""


def draws(mean: float) -> list[tuple[float, int]]:
    """Whole numbers with a mean: the one below it, or the one above."""
    whole = int(mean + 1e-12)
    part = mean - whole
    return [(1.0, whole)] if part < 1e-12 else [(1 - part, whole), (part, whole + 1)]


def inserted(tokens: tuple[int, ...], token: int) -> tuple[int, ...]:
    at = bisect_left(tokens, token)
    return (*tokens[:at], token, *tokens[at:])


def _set(slots: tuple[int, ...], slot: int, value: int) -> tuple[int, ...]:
    return (*slots[:slot], value, *slots[slot + 1 :])
