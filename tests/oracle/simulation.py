"""An event simulation of the programs of the oracle, with 99 % intervals from the means of batches."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import pairwise
from math import sqrt
from random import Random
from time import monotonic
from typing import Any

from qnet.model.model import Model

from .answer import Answer
from .machine import MOST_AT_ONCE, draws
from .phases import Unsupported, draw
from .program import DELAY, PREEMPTIVE, QUEUE, SHARED, STACK, Place, Program, compile_model

BATCHES = 20
QUANTILE = 2.861
"""Of Student's distribution with one degree of freedom less than batches, for 99 %."""
MOST_PRESENT = 200_000
"""Customers present, beyond which there is hardly a steady state."""


def simulate(model: Model, seconds: float, seed: int) -> Answer:
    """The figures of a model and the half widths of their intervals; raises `Unsupported`."""
    run = _Run(compile_model(model), Random(seed))
    return run.answer(monotonic() + seconds)


class _Token:
    __slots__ = (
        "begun",
        "begun_at",
        "fork",
        "left",
        "level",
        "line",
        "owner",
        "pc",
        "served",
        "slots",
        "thought",
        "version",
    )

    def __init__(self, pc: int, slots: list[int], owner: int, begun: float, fork: Any) -> None:
        self.pc, self.slots, self.owner, self.begun, self.fork = pc, slots, owner, begun, fork
        self.left = 0.0
        """Time that must still pass for it."""
        self.version = 0
        self.thought = 0.0
        """Of the time since the passage began."""
        self.served = False
        self.begun_at = 0.0
        """The clock of the place when it was served last."""
        self.level = 0
        self.line: Any = None
        """The place in whose order it stands, where a server may be taken away."""


class _Station:
    """One place."""

    def __init__(self, place: Place) -> None:
        self.kind, self.place = place.kind, place
        self.servers = 1 if place.rates else place.servers
        self.free_speed = place.kind in (QUEUE, DELAY) and not place.rates
        self.holders = 0
        self.waiting: list[_Token] = []
        """Of queues; of places that take servers away all who are there, in order."""
        self.clock = self.since = self.speed = 0.0
        self.timed: list[tuple[float, int, int, _Token]] = []
        self.version = 0
        self.area = self.busy = self.flushed = 0.0
        self.visits = 0

    @property
    def present(self) -> int:
        return self.holders + len(self.waiting)

    def clock_at(self, now: float) -> float:
        """How much time has passed for each who is served."""
        return self.clock + (now - self.since) * self.speed

    def flush(self, now: float) -> None:
        """Count the time that has passed."""
        passed = now - self.flushed
        if passed > 0:
            present = self.holders + len(self.waiting)
            self.area += present * passed
            self.busy += (present if self.kind == DELAY else self.place.speed(present)) * passed
        self.flushed = now


class _Run:
    def __init__(self, program: Program, random: Random) -> None:
        self.program, self.random = program, random
        self.now = 0.0
        self.events: list[tuple[float, int, Any, int]] = []
        self.number = self.done = 0
        self.stations = [_Station(place) for place in program.places]
        self.free = [store.places for store in program.stores]
        self.queues: list[list[tuple[_Token, int]]] = [[] for _ in program.stores]
        self.taken = [0.0] * len(program.stores)
        self.taken_since = 0.0
        count = len(program.customers)
        self.finished, self.times, self.lost, self.inside = [0] * count, [0.0] * count, [0] * count, 0
        self.counted = bool(
            [
                op
                for op in program.ops
                if op[0] in ("time", "loop") and getattr(op[1 if op[0] == "time" else 2], "slots", ())
            ]
        )
        self.watched: dict[int, _Token] = {}
        self.thinking = {pc for item in program.customers for pc in item.thinking}

    # The run

    def answer(self, until: float) -> Answer:
        """Run until a moment of the clock on the wall, and take the figures."""
        program = self.program
        if self.counted:
            raise Unsupported("a simulation of times that depend on the number inside")
        for number, item in enumerate(program.customers):
            starts = [item.source] if item.source >= 0 else []
            starts += [item.start] * item.population
            for start in starts:
                self.go(_Token(start, [0] * program.slots, number, 0.0, None))
        snapshots: list[list[float]] = []
        length, following = 0.0, 0.0
        while self.events:
            moment, _, what, version = heappop(self.events)
            if length and moment > following:
                self.now = following
                snapshots.append(self.totals())
                following += length
                if monotonic() > until:
                    break
                heappush(self.events, (moment, self.number, what, version))
                self.number += 1
                if len(snapshots) >= 4000:
                    snapshots = snapshots[1::2]
                    following += length
                    length *= 2
                continue
            self.now = moment
            if isinstance(what, _Token):
                if version != what.version:
                    continue
                what.pc += 1
                self.go(what)
            else:
                station: _Station = what
                if version != station.version:
                    continue
                self.finish(station)
            self.done += 1
            if self.done == 500:
                length = max(self.now / 10, 1e-300)
                following = self.now + length
            if not self.done % 4096 and (self.inside > MOST_PRESENT or monotonic() > until + 1):
                if self.inside > MOST_PRESENT:
                    raise Unsupported("no steady state, or nearly none")
                break
        if not program.customers or all(item.source < 0 and not item.population for item in program.customers):
            return self.figures([[0.0] * len(self.totals())] * (BATCHES + 1), BATCHES)
        if len(snapshots) < 4 * BATCHES:
            raise Unsupported("nothing happens, or nearly nothing")
        snapshots = snapshots[len(snapshots) // 10 :]
        step = (len(snapshots) - 1) // BATCHES
        snapshots = snapshots[(len(snapshots) - 1) - step * BATCHES :: step]
        return self.figures(snapshots, BATCHES)

    def totals(self) -> list[float]:
        """All that is counted so far."""
        found = [self.now]
        for place in self.stations:
            place.flush(self.now)
            found += [place.visits, place.area, place.busy]
        self.flush_stores()
        return found + self.taken + self.finished + self.times + self.lost

    def flush_stores(self) -> None:
        """Count the time that places of buffers were taken."""
        passed = self.now - self.taken_since
        self.taken_since = self.now
        for number, store in enumerate(self.program.stores):
            self.taken[number] += (store.places - self.free[number]) * passed

    def figures(self, totals: list[list[float]], batches: int) -> Answer:
        """Ratios of what was counted in the batches, with half widths."""
        program = self.program
        rows = [[b - a for a, b in zip(one, two, strict=True)] for one, two in pairwise(totals)]
        answer = Answer("simulation", self.done)

        def ratio(scope: str, name: str, upper: list[float], lower: list[float], factor: float = 1.0) -> None:
            total = sum(lower)
            if not total:
                if scope in ("response", "wait"):
                    return
                lower, total = [1.0] * len(lower), float(len(lower))
            mean = sum(upper) / total
            spread = sum((one - mean * two) ** 2 for one, two in zip(upper, lower, strict=True)) / (batches - 1)
            getattr(answer, scope)[name] = mean * factor
            answer.half_width[scope, name] = factor * QUANTILE * sqrt(spread / batches) / (total / batches)

        def column(at: int) -> list[float]:
            return [row[at] for row in rows]

        def together(numbers: list[int], part: int) -> list[float]:
            return [sum(row[1 + 3 * number + part] for number in numbers) for row in rows]

        time = column(0)
        for label in dict.fromkeys(place.label for place in program.places):
            numbers = [number for number, place in enumerate(program.places) if place.label == label]
            place = program.places[numbers[0]]
            visits, area, busy = (together(numbers, part) for part in range(3))
            ratio("station_throughput", label, visits, time)
            ratio("queue_length", label, area, time)
            if place.kind != DELAY:
                ratio("utilization", label, busy, time, 1 / (place.peak * len(numbers)))
            if not place.rates:
                ratio("wait", label, [max(a - b, 0.0) for a, b in zip(area, busy, strict=True)], visits)
        base = 1 + 3 * len(program.places)
        for number, store in enumerate(program.stores):
            ratio("occupancy", store.name, column(base + number), time)
        base += len(program.stores)
        count = len(program.customers)
        for number, customers in enumerate(program.customers):
            finished = column(base + number)
            ratio("throughput", customers.name, finished, time)
            ratio("response", customers.name, column(base + count + number), finished)
            begun = [a + b for a, b in zip(finished, column(base + 2 * count + number), strict=True)]
            ratio("offered", customers.name, begun, time)
            if customers.open:
                answer.offered[customers.name] = customers.rate
                answer.half_width["offered", customers.name] = 0.0
        return answer

    # Time

    def begin(self, token: _Token, op: Any) -> bool:
        """Time begins to pass for a token; False where none does."""
        mean = op[1].value
        if mean <= 0:
            return False
        left = mean * (draw(op[2], self.random) if op[2] != 1.0 else self.random.expovariate(1.0))
        if token.pc in self.thinking:
            token.thought += left
        token.version += 1
        at = token.slots[op[3]] - 1 if op[3] >= 0 else -1
        station = self.stations[at] if at >= 0 else None
        if station is None or station.free_speed:
            heappush(self.events, (self.now + left, self.number, token, token.version))
            self.number += 1
            return True
        token.left = left
        if station.kind in (STACK, PREEMPTIVE):
            token.served = False
        else:
            heappush(station.timed, (station.clock_at(self.now) + left, self.number, token.version, token))
            self.number += 1
        self.changed(station)
        return True

    def changed(self, station: _Station) -> None:
        """Those who are at a place have changed: how fast time passes there, and for whom."""
        if station.free_speed:
            return
        now = self.now
        clock = station.clock_at(now)
        station.clock, station.since = clock, now
        place = station.place
        if station.kind in (STACK, PREEMPTIVE):
            for position, token in enumerate(station.waiting):
                if position < station.servers and not token.served and token.left > 0:
                    token.served = True
                    token.version += 1
                    heappush(station.timed, (clock + token.left, self.number, token.version, token))
                    self.number += 1
                    token.begun_at = clock
                elif position >= station.servers and token.served:
                    token.served = False
                    token.version += 1
                    token.left = max(token.left - (clock - token.begun_at), 1e-300)
            present = len(station.waiting)
            station.speed = place.speed(present) if place.rates else 1.0
        elif station.kind == SHARED:
            station.speed = place.speed(station.holders) / station.holders if station.holders else 0.0
        else:
            station.speed = place.speed(station.present)
        timed = station.timed
        while timed and timed[0][3].version != timed[0][2]:
            heappop(timed)
        station.version += 1
        if timed and station.speed > 0:
            moment = now + max(timed[0][0] - clock, 0.0) / station.speed
            heappush(self.events, (moment, self.number, station, station.version))
            self.number += 1

    def finish(self, station: _Station) -> None:
        """The time of the first is over."""
        station.clock, station.since = station.clock_at(self.now), self.now
        timed = station.timed
        while timed and timed[0][3].version != timed[0][2]:
            heappop(timed)
        finish, _, _, token = heappop(timed)
        station.clock = max(station.clock, finish)
        token.version += 1
        token.left, token.served = 0.0, False
        token.pc += 1
        self.go(token)
        self.changed(station)

    # Instructions

    def go(self, first: _Token) -> None:
        """Let a token go on, and all whom it sets free."""
        agenda = [first]
        steps = 0
        while agenda:
            token = agenda.pop()
            while token is not None:
                steps += 1
                if steps > MOST_AT_ONCE:
                    raise Unsupported("customers go round in no time")
                token = self.step(token, agenda)

    def step(self, token: _Token, agenda: list[_Token]) -> Any:
        """One instruction: the token that goes on, or None."""
        op = self.program.ops[token.pc]
        name = op[0]
        if name == "time":
            if self.begin(token, op):
                return None
            token.pc += 1
        elif name == "seize":
            return self.seize(token, op)
        elif name == "release":
            return self.give(token, op, agenda)
        elif name == "goto":
            token.pc = op[1]
        elif name == "choose":
            token.pc = self.pick(op[1])
        elif name == "count":
            self.respond(token, op[1][1])
            token.pc += 1
        elif name == "loop":
            visits = token.slots[op[2]] if isinstance(op[2], int) else self.drawn(op[2].value)
            token.slots[op[1]] = visits
            token.pc = token.pc + 1 if visits else op[3]
        elif name == "next":
            token.slots[op[1]] -= 1
            token.pc = op[2] if token.slots[op[1]] else token.pc + 1
        else:
            return self.rare(token, op, agenda)
        return token

    def pick(self, ways: Any) -> Any:
        """One of several by probability."""
        if len(ways) == 1:
            return ways[0][1]
        chance = self.random.random()
        for share, way in ways:
            chance -= share
            if chance < 0:
                return way
        return ways[-1][1]

    def drawn(self, mean: float) -> int:
        """A whole number with a mean."""
        return self.pick(draws(mean))

    def respond(self, token: _Token, number: int) -> None:
        """A passage of a closed class ends here, and the next begins."""
        self.finished[number] += 1
        self.times[number] += self.now - token.begun - token.thought
        token.begun, token.thought = self.now, 0.0

    def seize(self, token: _Token, op: Any) -> Any:
        """Ask for a server."""
        place = op[6] + token.slots[op[5]] - 1 if op[5] >= 0 and token.slots[op[5]] else self.pick(op[1])
        level = self.pick(op[3])
        station = self.stations[place]
        if station.place.capacity and station.present >= station.place.capacity:
            token.pc = op[7]
            return token
        if op[4] >= 0:
            token.slots[op[4]] = place - op[6] + 1
        station.flush(self.now)
        token.level = level
        if station.kind in (SHARED, DELAY) or (station.kind == QUEUE and station.holders < station.servers):
            station.holders += 1
            self.changed(station)
        elif station.kind == QUEUE:
            position = len(station.waiting)
            while position and station.waiting[position - 1].level < level:
                position -= 1
            station.waiting.insert(position, token)
            self.changed(station)
            return None
        else:
            position = 0
            if station.kind == PREEMPTIVE:
                position = len(station.waiting)
                while position and station.waiting[position - 1].level < level:
                    position -= 1
            station.waiting.insert(position, token)
            token.line, token.left, token.served = station, 0.0, False
            self.changed(station)
            if position >= station.servers and station.kind == PREEMPTIVE:
                token.left = -1.0
                token.slots[op[2]] = place + 1
                return None
        token.slots[op[2]] = place + 1
        token.pc += 1
        return token

    def give(self, token: _Token, op: Any, agenda: list[_Token]) -> Any:
        """Give a server back."""
        place = token.slots[op[1]] - 1
        token.pc += 1
        if place >= 0:
            token.slots[op[1]] = 0
            self.stations[place].visits += 1
            self.release(self.stations[place], token, place, agenda)
        return token

    def release(self, station: _Station, token: _Token, place: int, agenda: list[_Token]) -> None:
        """A server is taken by the first who waits."""
        station.flush(self.now)
        if station.kind in (SHARED, DELAY):
            station.holders -= 1
        elif station.kind == QUEUE:
            if station.waiting:
                first = station.waiting.pop(0)
                first.slots[self.program.ops[first.pc][2]] = place + 1
                first.pc += 1
                first.left = 0.0
                agenda.append(first)
            else:
                station.holders -= 1
        else:
            station.waiting.remove(token)
            token.line = None
            if station.kind == PREEMPTIVE and len(station.waiting) >= station.servers:
                first = station.waiting[station.servers - 1]
                if first.left < 0:
                    first.left = 0.0
                    first.pc += 1
                    agenda.append(first)
        self.changed(station)

    def rare(self, token: _Token, op: Any, agenda: list[_Token]) -> Any:
        """The instructions that few models have."""
        name = op[0]
        if name == "arrive":
            self.inside += 1
            start = self.program.customers[op[1]].start
            agenda.append(_Token(start, [0] * self.program.slots, op[1], self.now, None))
            token.pc += 1
            return token
        if name == "end":
            self.inside -= 1
            self.finished[op[1]] += 1
            self.times[op[1]] += self.now - token.begun
            return None
        if name == "die":
            self.inside -= 1
            return None
        if name == "lose":
            return self.lose(token, op, agenda)
        if name == "spawn":
            return self.spawn(token, op, agenda)
        if name == "fill":
            return self.fill(token, op)
        if name == "drain":
            self.drain(op[1], token.slots[op[2]], agenda)
            token.slots[op[2]] = 0
            token.pc += 1
            return token
        if name == "fork":
            return self.fork(token, op, agenda)
        return self.join(token)

    def lose(self, token: _Token, op: Any, agenda: list[_Token]) -> Any:
        """A customer is turned away."""
        for slot in reversed(op[2]):
            if token.slots[slot]:
                self.release(self.stations[token.slots[slot] - 1], token, token.slots[slot] - 1, agenda)
        for store, slot in op[3]:
            self.drain(store, token.slots[slot], agenda)
        if op[1] >= 0:
            self.lost[op[1]] += 1
        if op[4] < 0:
            self.inside -= 1
            return None
        token.slots = [0] * self.program.slots
        token.begun, token.thought = self.now, 0.0
        token.pc = op[4]
        return token

    def spawn(self, token: _Token, op: Any, agenda: list[_Token]) -> _Token:
        """Leave work behind."""
        self.inside += 1
        kept = [0] * self.program.slots
        for slot in op[2]:
            kept[slot] = token.slots[slot]
        work = _Token(op[1], kept, -1, self.now, None)
        for slot in op[3]:
            token.slots[slot] = 0
        station = token.line
        if station is not None and any(kept[slot] and self.stations[kept[slot] - 1] is station for slot in op[4]):
            station.waiting[station.waiting.index(token)] = work
            work.line, work.level, token.line = station, token.level, None
        token.pc += 1
        agenda.append(token)
        return work

    def fill(self, token: _Token, op: Any) -> Any:
        """Ask for places of a buffer."""
        count = self.drawn(op[2])
        if count and (self.queues[op[1]] or self.free[op[1]] < count):
            if self.program.stores[op[1]].lost:
                token.pc = op[4]
                return token
            self.queues[op[1]].append((token, count))
            return None
        self.flush_stores()
        self.free[op[1]] -= count
        token.slots[op[3]] = count
        token.pc += 1
        return token

    def drain(self, store: int, count: int, agenda: list[_Token]) -> None:
        """Free places of a buffer."""
        self.flush_stores()
        self.free[store] += count
        queue = self.queues[store]
        while queue and queue[0][1] <= self.free[store]:
            token, wanted = queue.pop(0)
            self.free[store] -= wanted
            token.slots[self.program.ops[token.pc][3]] = wanted
            token.pc += 1
            agenda.append(token)

    def fork(self, token: _Token, op: Any, agenda: list[_Token]) -> None:
        """Start branches."""
        width = sum(branch[1] for branch in op[1])
        record = [op[2], token, op[3]]
        self.inside += width - op[2]
        for start, count, slot, copies in op[1]:
            chosen = self.random.sample(range(1, copies + 1), count) if slot >= 0 else [0] * count
            for copy in chosen:
                branch = _Token(start, list(token.slots), token.owner, token.begun, record)
                if slot >= 0:
                    branch.slots[slot] = copy
                agenda.append(branch)

    def join(self, token: _Token) -> Any:
        """A branch has finished."""
        record = token.fork
        record[0] -= 1
        if record[0] < 0:
            self.inside -= 1
            return None
        if record[0]:
            return None
        parent: _Token = record[1]
        parent.pc = record[2]
        return parent
