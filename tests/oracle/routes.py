"""Routes and their steps, as a program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qnet.model.model import ClassModel, StepModel

from .phases import Unsupported
from .program import PREEMPTIVE, STACK, Customers, Number, Program, Reader, Stations, own_priority


@dataclass
class Held:
    """A hold around what is being compiled."""

    station: str
    slot: int
    outside: bool = False
    """Whether it is around the parallel step of the branch, or the work that is left: it cannot be given away here."""
    given: bool = False
    """Whether work that is left behind keeps it."""


class Routes:
    """The routes of one class."""

    def __init__(self, reader: Reader, program: Program, stations: Stations, item: ClassModel, number: int) -> None:
        self.reader, self.program, self.stations = reader, program, stations
        self.item, self.number = item, number
        self.top = 0
        self.chosen: dict[str, int] = {}
        """Slots that remember the copy of a station that others follow, or that a branch must take."""
        self.filled: dict[str, tuple[int, float]] = {}
        self.seizes: dict[int, tuple[tuple[int, ...], int, bool]] = {}
        self.early = True
        """Whether no time of the passage has passed yet."""
        self.behind = 0
        """Inside how many pieces of work that is left behind."""
        self.branch = 0

    def slot(self) -> int:
        """A new number of the customer's own."""
        self.top += 1
        self.program.slots = max(self.program.slots, self.top)
        return self.top - 1

    def compile(self, customers: Customers) -> None:
        """Append the instructions of all routes."""
        program, reader, item = self.program, self.reader, self.item
        customers.start = len(program.ops)
        if not customers.open:
            think = Number(reader.number("class", "think_time", item.think_time, 0.0))
            customers.thinking = frozenset([program.add("time", think, 1.0, -1)])
        choose = program.add("choose")
        ways: list[tuple[float, int]] = []
        for route in item.routes:
            share = reader.number("route", "probability", route.probability, 1.0)
            if share <= 0:
                continue
            ways.append((share, len(program.ops)))
            self.top, self.chosen, self.filled, self.seizes, self.early = 0, {}, {}, {}, True
            for station in self.stations.followed:
                self.chosen[station] = self.slot()
            self.steps(route.steps, [])
            if customers.open:
                program.add("end", self.number)
            else:
                program.add("count", ("respond", self.number))
                program.add("goto", customers.start)
            self.losses(customers)
        program.ops[choose] = ("choose", tuple(ways))

    def losses(self, customers: Customers) -> None:
        """Where customers go whom a full station or buffer turns away."""
        program = self.program
        slots = tuple((self.stores(name), slot) for name, (slot, _) in self.filled.items())
        for at in self.seizes:
            held, behind, early = self.seizes[at]
            back = -1 if behind or customers.open else customers.start
            lose = program.add("lose", -1 if behind else self.number, held, slots, back, early)
            program.ops[at] = (*program.ops[at][:-1], lose)

    def losing(self, at: int, around: list[Held]) -> None:
        """Note an instruction that may turn customers away."""
        self.seizes[at] = (tuple(item.slot for item in around), self.behind, self.early)

    def stores(self, name: str) -> int:
        """The number of a buffer."""
        return [store.name for store in self.program.stores].index(name)

    # Steps

    def steps(self, steps: Sequence[StepModel], around: list[Held]) -> None:
        """Append steps in order; those of phase 2 that follow each other are one piece of work."""
        place = 0
        while place < len(steps):
            if steps[place].phase == 2 and not self.behind:
                end = place
                while end < len(steps) and steps[end].phase == 2:
                    end += 1
                self.left(steps[place:end], around)
                place = end
                continue
            self.step(steps[place], around)
            place += 1

    def left(self, steps: Sequence[StepModel], around: list[Held]) -> None:
        """Work that is left behind, with the holds it keeps."""
        program = self.program
        keeps = [[held.station for held in around] if step.keeps is None else list(step.keeps) for step in steps]
        kept = [held for held in around if any(held.station in names for names in keeps)]
        for held in kept:
            if held.outside or held.given:
                raise Unsupported("what is left behind keeps a station that others use or keep as well")
            held.given = True
        holds = tuple(held.slot for held in kept)
        moved = (*holds, *(self.filled[step.drains][0] for step in steps if step.drains))
        spawn = program.add("spawn")
        over = program.add("goto")
        program.ops[spawn] = ("spawn", len(program.ops), (*moved, *self.chosen.values()), moved, holds)
        program.spawns = True
        self.behind += 1
        inner = [Held(held.station, held.slot, True) for held in kept]
        chosen = dict(self.chosen)
        for at, step in enumerate(steps):
            now = [held for held in inner if held.station in keeps[at]]
            if any(held.station in keeps[at] and held not in inner for held in inner):
                raise Unsupported("keeps that come back")
            self.step(step, now)
            later = {name for names in keeps[at + 1 :] for name in names}
            for held in [held for held in reversed(inner) if held.station not in later]:
                program.add("release", held.slot)
                inner.remove(held)
        self.chosen = chosen
        program.add("die")
        self.behind -= 1
        program.ops[over] = ("goto", len(program.ops))

    def step(self, step: StepModel, around: list[Held]) -> None:
        """One step, as often as it is made."""
        program, reader = self.program, self.reader
        if any(held.given for held in around):
            raise Unsupported("steps inside a hold that work left behind keeps already")
        if self.behind and step.keeps is not None and step.phase == 2 and self.behind > 1:
            raise Unsupported("keeps inside of work left behind")
        if step.fills:
            self.fill(step, around)
            return
        holds = {held.station: held.slot for held in around}
        visits = reader.held("step", "visits", step.visits, holds)
        if visits.zero and not step.drains:
            return
        loop = -1
        once = not visits.slots and visits.value == 1.0
        if not once:
            slot = self.slot()
            if visits.slots or visits.value > 1:
                self.early = False
            filled = self.filled.get(step.drains)
            same = filled is not None and not visits.slots and abs(filled[1] - visits.value) < 1e-12
            loop = program.add("loop", slot, filled[0] if same and filled else visits)
            body = len(program.ops)
        if step.branches:
            self.fork(step, around)
        elif step.station:
            self.hold(step, around)
        else:
            self.time(step, around)
        if not once:
            most_once = not visits.slots and visits.value <= 1.0
            if any(held.given for held in around) and not most_once:
                raise Unsupported("work left behind by each of several visits keeps a station around them")
            program.add("next", slot, body)
            program.ops[loop] = (*program.ops[loop], len(program.ops))
        if step.drains:
            program.add("drain", self.stores(step.drains), self.filled[step.drains][0])

    def time(self, step: StepModel, around: list[Held]) -> None:
        """Time that passes, at the innermost station that is held."""
        assert step.time is not None
        holds = {held.station: held.slot for held in around}
        mean = self.reader.held("step", step.time_key, step.time, holds)
        scv = 1.0 if step.scv is None else self.reader.number("step", "scv", step.scv, 1.0)
        if not mean.zero:
            self.early = False
            self.program.add("time", mean, scv, around[-1].slot if around else -1)

    def hold(self, step: StepModel, around: list[Held]) -> None:
        """Wait for a server, keep it while the inner steps run."""
        program, reader, stations = self.program, self.reader, self.stations
        station = stations.by_name[step.station]
        if any(stations_kind(program, stations, held.station) in (STACK, PREEMPTIVE) for held in around):
            raise Unsupported("a station is waited for while one is held whose server may be taken away")
        leader = station.follows or station.name
        first = stations.first[station.name]
        choices = stations.choices(station.name)
        chosen = remember = -1
        forced = self.chosen.get("branch:" + leader, -1)
        if step.copy is not None:
            copy = reader.whole("step", "copy", step.copy)
            choices = ((1.0, first + copy - 1),)
            remember = self.chosen.get(leader, -1)
        elif forced >= 0:
            chosen = forced
        elif station.follows:
            chosen = remember = self.chosen.get(leader, -1)
        elif leader in self.chosen:
            remember = self.chosen[leader]
        exempt = reader.number("step", "exempt", dict(step.further).get("exempt"), 0.0)
        own = own_priority(station, step, self.item.priority or 0)
        levels = tuple(item for item in ((1 - exempt, own), (exempt, 0)) if item[0] > 0) if own else ((1.0, 0),)
        held = Held(station.name, self.slot())
        at = program.add("seize", choices, held.slot, levels, remember, chosen, first, None)
        if program.places[first].capacity:
            if self.branch:
                raise Unsupported("a station that may be full in a parallel branch")
            self.losing(at, around)
        self.early = False
        self.steps(step.steps, [*around, held])
        program.add("release", held.slot)

    def fill(self, step: StepModel, around: list[Held]) -> None:
        """Take places of a buffer."""
        if any(stations_kind(self.program, self.stations, held.station) in (STACK, PREEMPTIVE) for held in around):
            raise Unsupported("a place is waited for while a station is held whose server may be taken away")
        if self.branch:
            raise Unsupported("a buffer that is filled in a parallel branch")
        visits = self.reader.number("step", "visits", step.visits, 1.0)
        store = self.stores(step.fills)
        most = int(visits) + (visits > int(visits))
        if most > self.program.stores[store].places:
            raise Unsupported("more places are taken at once than a buffer has")
        slot = self.slot()
        self.filled[step.fills] = (slot, visits)
        self.losing(self.program.add("fill", store, visits, slot, None), around)
        self.early = False

    def fork(self, step: StepModel, around: list[Held]) -> None:
        """Branches that start together."""
        program, reader = self.program, self.reader
        if any(stations_kind(program, self.stations, held.station) in (STACK, PREEMPTIVE) for held in around):
            raise Unsupported("parallel steps while a station is held whose server may be taken away")
        counts = [reader.whole("branch", "copies", branch.copies) for branch in step.branches]
        width = sum(counts)
        needed = width if step.join is None else reader.whole("step", "join", step.join)
        if needed < width and around:
            raise Unsupported("branches that go on after a hold has ended")
        program.forks, self.early = True, False
        fork = program.add("fork")
        branches: list[tuple[int, int, int, int]] = []
        for branch, count in zip(step.branches, counts, strict=True):
            chosen, slot, copies = dict(self.chosen), -1, 0
            if count > 1:
                for name in sorted(self.visited(branch.steps)):
                    shares = self.stations.shares[name]
                    if len(shares) == 1:
                        continue
                    if slot >= 0 or max(shares) - min(shares) > 1e-12 or count > len(shares):
                        raise Unsupported("how branches spread over copies")
                    slot, copies = self.slot(), len(shares)
                    self.chosen["branch:" + name] = slot
            branches.append((len(program.ops), count, slot, copies))
            self.branch += 1
            self.steps(branch.steps, [Held(held.station, held.slot, True) for held in around])
            self.branch -= 1
            self.chosen = chosen
            program.add("endbranch")
        program.ops[fork] = ("fork", tuple(branches), needed, len(program.ops))

    def visited(self, steps: Sequence[StepModel]) -> set[str]:
        """The leaders of the stations that steps visit without naming a copy."""
        found: set[str] = set()
        for step in steps:
            if step.station and step.copy is None:
                station = self.stations.by_name[step.station]
                found.add(station.follows or station.name)
            found |= self.visited(step.inner)
        return found


def stations_kind(program: Program, stations: Stations, name: str) -> int:
    """How a station serves."""
    return program.places[stations.first[name]].kind
