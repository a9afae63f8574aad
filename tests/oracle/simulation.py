"""An event simulation of the programs of the oracle, with 99 % intervals from the means of batches."""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf
from random import Random
from time import thread_time
from typing import Any

from qnet.model.model import Model

from .answer import Answer
from .batches import BATCHES, figures
from .moments import MOST_AT_ONCE, draws
from .phases import Unsupported, draw
from .program import DELAY, PREEMPTIVE, QUEUE, SHARED, STACK, Program, compile_model
from .servers import Station, Token

WARM = 5
"""One in so many of the snapshots at the beginning is left out."""
SLOW = -1
"""The version of an event of those whose time passes at a rate that depends on how many hold some station."""
MOST_PRESENT = 200_000
"""Customers present, beyond which there is hardly a steady state."""


def simulate(model: Model, seconds: float, seed: int, most: int = 1 << 60) -> Answer:
    """The figures of a model and the half widths of their intervals, after `most` events at most.

    Raises   `Unsupported`.
    """
    run = _Run(compile_model(model), Random(seed))
    return run.answer(thread_time() + seconds, most)


class _Run:
    def __init__(self, program: Program, random: Random) -> None:
        self.program, self.random = program, random
        self.now = 0.0
        self.events: list[tuple[float, int, Any, int]] = []
        self.number = self.done = 0
        self.stations = [Station(place) for place in program.places]
        self.free = [store.places for store in program.stores]
        self.queues: list[list[tuple[Token, int]]] = [[] for _ in program.stores]
        self.taken = [0.0] * len(program.stores)
        self.taken_since = 0.0
        count = len(program.customers)
        self.finished, self.times, self.lost, self.inside = [0] * count, [0.0] * count, [0] * count, 0
        self.slow: list[Token] = []
        """Those whose time passes at a rate that depends on how many hold some station."""
        self.slow_since = 0.0
        self.thought = [0.0] * count
        self.thinking = {pc for item in program.customers for pc in item.thinking}

    # The run

    def answer(self, until: float, most: int) -> Answer:
        """Run until a moment of the clock on the wall, or so many events, and take the figures."""
        program = self.program
        for number, item in enumerate(program.customers):
            starts = [item.source] if item.source >= 0 else []
            starts += [item.start] * item.population
            for start in starts:
                self.go(Token(start, [0] * program.slots, number, 0.0, None))
        snapshots: list[list[float]] = []
        length, following = 0.0, 0.0
        while self.events or self.slow:
            moment, _, what, version = self.following() if self.slow else heappop(self.events)
            if length and moment > following:
                self.now = following
                snapshots.append(self.totals())
                following += length
                if self.done >= most or thread_time() > until:
                    break
                if version != SLOW:
                    heappush(self.events, (moment, self.number, what, version))
                    self.number += 1
                if len(snapshots) >= 4000:
                    snapshots = snapshots[1::2]
                    following += length
                    length *= 2
                continue
            if self.slow:
                self.pass_time(moment)
            self.now = moment
            if version == SLOW:
                self.slow.remove(what)
                what.left = 0.0
                what.pc += 1
                self.go(what)
            elif isinstance(what, Token):
                if version != what.version:
                    continue
                what.pc += 1
                self.go(what)
            else:
                station: Station = what
                if version != station.version:
                    continue
                self.finish(station)
            self.done += 1
            if self.done == 500:
                length = max(self.now / 10, 1e-300)
                following = self.now + length
            if not self.done % 4096 and (self.inside > MOST_PRESENT or thread_time() > until + 1):
                if self.inside > MOST_PRESENT:
                    raise Unsupported("no steady state, or nearly none")
                break
        if not program.customers or all(item.source < 0 and not item.population for item in program.customers):
            return figures(self.program, self.done, [[0.0] * len(self.totals())] * (BATCHES + 1))
        presents = [row[-1] for row in snapshots[len(snapshots) // 2 :]]
        grown = presents[-1] - presents[0] if presents else 0
        if grown > max(0.005 * self.done, 200) and min(presents[-9:]) > presents[0]:
            raise Unsupported("no steady state, or nearly none")
        if len(snapshots) < 4 * BATCHES:
            raise Unsupported("nothing happens, or nearly nothing")
        snapshots = snapshots[len(snapshots) // WARM :]
        step = (len(snapshots) - 1) // BATCHES
        snapshots = snapshots[(len(snapshots) - 1) - step * BATCHES :: step]
        return figures(self.program, self.done, snapshots)

    def totals(self) -> list[float]:
        """All that is counted so far."""
        found = [self.now]
        for place in self.stations:
            place.flush(self.now)
            found += [place.visits, place.area, place.busy]
        self.flush_stores()
        return [*found, *self.taken, *self.finished, *self.times, *self.lost, *self.thought, self.inside]

    def flush_stores(self) -> None:
        """Count the time that places of buffers were taken."""
        passed = self.now - self.taken_since
        self.taken_since = self.now
        for number, store in enumerate(self.program.stores):
            self.taken[number] += (store.places - self.free[number]) * passed

    # Time

    def begin(self, token: Token, op: Any) -> bool:
        """Time begins to pass for a token; False where none does."""
        mean = self.value(op[1], token)
        if mean <= 0:
            return False
        if op[1].slots:
            if not self.slow:
                self.slow_since = self.now
            token.left, token.served, token.speed = draw(op[2], self.random), False, 0.0
            self.slow.append(token)
            return True
        left = mean * (draw(op[2], self.random) if op[2] != 1.0 else self.random.expovariate(1.0))
        if token.pc in self.thinking:
            token.thought += left
            self.thought[token.owner] += left
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

    def following(self) -> Any:
        """The next that happens, where some times depend on the numbers inside."""
        best, first = inf, None
        for token in self.slow:
            token.speed = self.speed(token)
            if token.speed > 0 and token.left / token.speed < best:
                best, first = token.left / token.speed, token
        moment = self.slow_since + best
        if first is not None and (not self.events or moment <= self.events[0][0]):
            return moment, 0, first, SLOW
        return heappop(self.events)

    def pass_time(self, moment: float) -> None:
        """Time passes for those whose times depend on the numbers inside, at the speeds of `following`."""
        for token in self.slow:
            token.left = max(token.left - (moment - self.slow_since) * token.speed, 1e-300)
        self.slow_since = moment

    def speed(self, token: Token) -> float:
        """How fast time passes for one of them."""
        op = self.program.ops[token.pc]
        mean = self.value(op[1], token)
        if mean <= 0:
            raise Unsupported("a time that becomes 0 while it passes")
        station = self.stations[token.slots[op[3]] - 1] if op[3] >= 0 else None
        if station is None or station.free_speed:
            return 1 / mean
        if station.kind == SHARED:
            return station.place.speed(station.holders) / station.holders / mean
        rate = station.place.speed(station.present) if station.place.rates else 1.0
        if station.kind in (STACK, PREEMPTIVE) and station.waiting.index(token) >= station.servers:
            return 0.0
        return rate / mean

    def value(self, number: Any, token: Token) -> float:
        """A number that may depend on how many hold a server."""
        if not number.slots:
            return number.value
        counts: list[int] = []
        for slot in number.slots:
            station = self.stations[token.slots[slot] - 1]
            line = len(station.waiting)
            held = {STACK: line, PREEMPTIVE: min(line, station.servers)}.get(station.kind, station.holders)
            counts.append(held)
        return number.of(tuple(counts))

    def changed(self, station: Station) -> None:
        """Those who are at a place have changed: how fast time passes there, and for whom."""
        if station.free_speed:
            return
        now = self.now
        clock = station.clock_at(now)
        station.clock, station.since = clock, now
        place = station.place
        if station.kind in (STACK, PREEMPTIVE):
            for position, token in enumerate(station.waiting):
                if position < station.servers and not token.served and token.left > 0 and token not in self.slow:
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

    def finish(self, station: Station) -> None:
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

    def go(self, first: Token) -> None:
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

    def step(self, token: Token, agenda: list[Token]) -> Any:
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
            visits = token.slots[op[2]] if isinstance(op[2], int) else self.drawn(self.value(op[2], token))
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

    def respond(self, token: Token, number: int) -> None:
        """A passage of a closed class ends here, and the next begins."""
        self.finished[number] += 1
        self.times[number] += self.now - token.begun - token.thought
        token.begun, token.thought = self.now, 0.0

    def seize(self, token: Token, op: Any) -> Any:
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

    def give(self, token: Token, op: Any, agenda: list[Token]) -> Any:
        """Give a server back."""
        place = token.slots[op[1]] - 1
        token.pc += 1
        if place >= 0:
            token.slots[op[1]] = 0
            self.stations[place].visits += 1
            self.release(self.stations[place], token, place, agenda)
        return token

    def release(self, station: Station, token: Token, place: int, agenda: list[Token]) -> None:
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

    def rare(self, token: Token, op: Any, agenda: list[Token]) -> Any:
        """The instructions that few models have."""
        name = op[0]
        if name == "arrive":
            self.inside += 1
            start = self.program.customers[op[1]].start
            agenda.append(Token(start, [0] * self.program.slots, op[1], self.now, None))
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

    def lose(self, token: Token, op: Any, agenda: list[Token]) -> Any:
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

    def spawn(self, token: Token, op: Any, agenda: list[Token]) -> Token:
        """Leave work behind."""
        self.inside += 1
        kept = [0] * self.program.slots
        for slot in op[2]:
            kept[slot] = token.slots[slot]
        work = Token(op[1], kept, -1, self.now, None)
        for slot in op[3]:
            token.slots[slot] = 0
        station = token.line
        if station is not None and any(kept[slot] and self.stations[kept[slot] - 1] is station for slot in op[4]):
            station.waiting[station.waiting.index(token)] = work
            work.line, work.level, token.line = station, token.level, None
        token.pc += 1
        agenda.append(token)
        return work

    def fill(self, token: Token, op: Any) -> Any:
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

    def drain(self, store: int, count: int, agenda: list[Token]) -> None:
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

    def fork(self, token: Token, op: Any, agenda: list[Token]) -> None:
        """Start branches."""
        width = sum(branch[1] for branch in op[1])
        record = [op[2], token, op[3]]
        self.inside += width - op[2]
        for start, count, slot, copies in op[1]:
            chosen = self.random.sample(range(1, copies + 1), count) if slot >= 0 else [0] * count
            for copy in chosen:
                branch = Token(start, list(token.slots), token.owner, token.begun, record)
                if slot >= 0:
                    branch.slots[slot] = copy
                agenda.append(branch)

    def join(self, token: Token) -> Any:
        """A branch has finished."""
        record = token.fork
        record[0] -= 1
        if record[0] < 0:
            self.inside -= 1
            return None
        if record[0]:
            return None
        parent: Token = record[1]
        parent.pc = record[2]
        return parent
