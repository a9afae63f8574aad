"""A checked model as a program: places where customers are served, and instructions for those who come by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from qnet.expression import Expression, solution_name
from qnet.expression.names import INSIDE
from qnet.model.fields import BY_PRIORITY, TABLES
from qnet.model.model import ChainModel, ClassModel, Model, StationModel, StepModel
from qnet.model.scope import inside_stations
from qnet.model.values import Values

from .phases import Unsupported

QUEUE, SHARED, DELAY, STACK, PREEMPTIVE = range(5)
"""How a place serves: in order, all at once, without a queue, last come first, the highest priority at once."""
_DISCIPLINES = {"fcfs": QUEUE, "priority": QUEUE, "ps": SHARED, "lcfs-pr": STACK, "preemptive": PREEMPTIVE}


@dataclass
class Place:
    """One copy of a station."""

    station: str
    label: str
    kind: int
    servers: int
    rates: tuple[float, ...] = ()
    capacity: int = 0
    """0: as many as come."""

    def speed(self, present: int) -> float:
        """What all servers do together with so many present."""
        if self.rates:
            return self.rates[min(present, len(self.rates)) - 1] if present else 0.0
        return float(min(present, self.servers))

    @property
    def peak(self) -> float:
        """The most that they can do."""
        return max(self.rates) if self.rates else float(self.servers)


@dataclass
class Number:
    """A number, or one for every number of those who hold some stations together with the customer."""

    value: float = 0.0
    slots: tuple[int, ...] = ()
    """Of the customer's, each telling which copy he holds."""
    of: Any = None
    """The number for the numbers of holders, in the order of the slots."""

    @property
    def zero(self) -> bool:
        """Whether it is 0 whatever happens."""
        return not self.slots and self.value == 0.0


@dataclass
class Store:
    """A buffer."""

    name: str
    places: int
    lost: bool


@dataclass
class Customers:
    """A class or chain: where its customers begin, and how many there are."""

    name: str
    open: bool
    rate: float
    population: int
    first: int = 0
    """The first of the instructions that are for them alone; they end where those of the next begin."""
    start: int = 0
    """The instruction of a customer who comes in (open), or with whom the chain begins (closed)."""
    source: int = -1
    """The instruction of what makes the arrivals."""
    thinking: frozenset[int] = frozenset()
    """The instructions of a closed class during which the customer is on no passage."""


Op = tuple[Any, ...]


@dataclass
class Program:
    """All instructions. A customer is at one of them, with numbers of his own in `slots`:

    time        mean (Number), scv, slot of the station that serves him meanwhile (-1: none)
    seize       choices: (probability, place), ...; slot; priorities: (probability, priority), ...; slot that remembers
                the copy (-1); slot that says it (-1); first place of the station; instruction of those turned away
    release     slot
    lose        class (-1: work left behind), slots to release, (buffer, slot) to give back, next instruction (-1:
                none), whether no time has passed
    loop        slot, visits (Number, or the slot of what was filled), instruction behind;  next: slot, instruction
    spawn       instruction, slots that go with it, those of them that the customer loses, those of them that are holds
    fork        branches: (instruction, count, slot of the copy, places), how many to wait for, instruction behind
    endbranch   (nothing)
    fill        buffer, visits, slot, instruction of those turned away;  drain: buffer, slot
    choose      (probability, instruction), ...;  goto: instruction;  count: event;  die;  arrive: class;  end: class
    """

    ops: list[Op] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    stores: list[Store] = field(default_factory=list)
    customers: list[Customers] = field(default_factory=list)
    slots: int = 0
    """Numbers of a customer: the last but one marks him, the last is his priority at a preemptive station."""
    spawns: bool = False
    forks: bool = False
    labels: list[str] = field(default_factory=list)
    """Of all groups of copies."""

    def add(self, *op: Any) -> int:
        """Append an instruction; its number."""
        self.ops.append(op)
        return len(self.ops) - 1


class Reader:
    """The numbers of a model at its stated parameters."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.values = Values(model, {}, None)

    def number(self, table: str, key: str, expression: Expression | None, default: float, values: Any = None) -> float:
        """The value of an expression, in the domain of its field; `Unsupported` where the solution is needed."""
        if expression is None:
            return default
        field_ = TABLES[table].get(key) or TABLES["step"]["visits"]
        values = values or self.values
        waiting, seen = list(expression.names), set[str]()
        while waiting:
            name = waiting.pop()
            if name in values.known or name in seen:
                continue
            seen.add(name)
            if name not in self.model.parameters:
                raise Unsupported(f"{key} depends on the solution: {expression.source}")
            waiting += self.model.parameters[name].expression.names
        return float(values.field(expression, field_, ("oracle",)))

    def whole(self, table: str, key: str, expression: Expression | None, default: int = 1) -> int:
        """The same as a whole number."""
        return int(self.number(table, key, expression, default) + 0.5)

    def held(self, table: str, key: str, expression: Expression, holds: dict[str, int]) -> Number:
        """A number that may depend on how many hold the stations of `holds` (station: slot)."""
        names = inside_stations(self.model, expression.names)
        if not names:
            return Number(self.number(table, key, expression, 0.0))
        slots = tuple(holds[name] for name in names)
        known: dict[tuple[int, ...], float] = {}

        def of(numbers: tuple[int, ...]) -> float:
            if numbers not in known:
                figures = {solution_name(INSIDE, name): float(n) for name, n in zip(names, numbers, strict=True)}
                known[numbers] = self.number(table, key, expression, 0.0, Values(self.model, {}, None, figures))
            return known[numbers]

        return Number(0.0, slots, of)


class Stations:
    """The places of all stations, and how visits choose among them."""

    def __init__(self, reader: Reader, program: Program) -> None:
        self.reader, self.program = reader, program
        model = reader.model
        self.by_name = {station.name: station for station in model.stations}
        self.named: dict[str, set[int]] = {}
        self.followed = {station.follows for station in model.stations if station.follows}
        waiting = [step for item in model.classes for route in item.routes for step in route.steps]
        while waiting:
            step = waiting.pop()
            waiting += step.inner
            if step.copy is not None and step.station:
                station = self.by_name[step.station]
                copy = reader.whole("step", "copy", step.copy)
                self.named.setdefault(station.follows or station.name, set()).add(copy)
        self.first: dict[str, int] = {}
        self.shares: dict[str, list[float]] = {}
        for station in model.stations:
            self.station(station)

    def station(self, station: StationModel) -> None:
        """Append the places of a station."""
        reader = self.reader
        leader = self.by_name[station.follows] if station.follows else station
        copies = reader.whole("station", "copies", leader.copies)
        if copies > 2000:
            raise Unsupported("very many copies")
        shares = self.split(leader, copies)
        labels = self.group(station.name, shares, self.named.get(leader.name, set()))
        self.first[station.name] = len(self.program.places)
        self.shares[station.name] = shares
        kind = DELAY if station.delay else _DISCIPLINES[station.discipline]
        servers = reader.whole("station", "servers", station.servers)
        rates = tuple(reader.number("station", "rates", rate, 1.0) for rate in station.rates)
        capacity = reader.whole("station", "capacity", station.capacity, 0)
        if station.rate_formula is not None:
            rates = self.rates(station.rate_formula, capacity)
        for label in labels:
            self.program.places.append(Place(station.name, label, kind, servers, rates, capacity))
        self.program.labels += dict.fromkeys(labels)

    def rates(self, formula: Expression, capacity: int) -> tuple[float, ...]:
        """A formula of the number present, n, with 1, 2, ... customers."""
        reader, model = self.reader, self.reader.model
        counts = [item.population for item in model.customers]
        closed = None not in counts
        most = capacity or (sum(reader.whole("class", "population", item) for item in counts) if closed else 1000)
        present = (Values(model, {}, None, {"n": float(number + 1)}) for number in range(most))
        return tuple(reader.number("station", "rates", formula, 1.0, values) for values in present)

    def split(self, leader: StationModel, copies: int) -> list[float]:
        """The share of the visits of every copy."""
        split, reader = leader.split, self.reader
        if split.kind == "listed":
            return [reader.number("split", "share", share, 0.0) for share in split.shares]
        if split.kind == "hot":
            hot = reader.whole("split", "hot", split.hot)
            share = reader.number("split", "share", split.share, 0.0)
            if hot < copies:
                return [share / hot] * hot + [(1 - share) / (copies - hot)] * (copies - hot)
        return [1 / copies] * copies

    def group(self, name: str, shares: list[float], named: set[int]) -> list[str]:
        """The label of each copy: those side by side with one share and no name of their own are one group."""
        runs: list[tuple[int, int]] = []
        for copy, share in enumerate(shares, start=1):
            alone = copy in named or (copy - 1) in named
            if runs and not alone and abs(share - shares[runs[-1][0] - 1]) <= 1e-15:
                runs[-1] = (runs[-1][0], copy)
            else:
                runs.append((copy, copy))
        labels: list[str] = []
        for first, last in runs:
            count = last - first + 1
            text = name if count == len(shares) else f"{name}[{first}]" if count == 1 else f"{name}[{first}-{last}]"
            labels += [text] * count
        return labels

    def choices(self, name: str) -> tuple[tuple[float, int], ...]:
        """The places of a station, with probabilities."""
        first = self.first[name]
        return tuple((share, first + copy) for copy, share in enumerate(self.shares[name]) if share > 0)


def compile_model(model: Model) -> Program:
    """The program of a model; raises `Unsupported` for what the oracle does not cover."""
    from .routes import Routes
    from .switching import chain_program

    reader, program = Reader(model), Program()
    stations = Stations(reader, program)
    for buffer in model.buffers:
        places = int(reader.number("buffer", "places", buffer.places, 1) + 1e-9)
        program.stores.append(Store(buffer.name, places, buffer.full == "lost"))
    for number, item in enumerate(model.customers):
        table = "class" if isinstance(item, ClassModel) else "chain"
        first = len(program.ops)
        begun = customers(reader, program, item, table)
        begun.first = first
        program.customers.append(begun)
        if isinstance(item, ChainModel):
            chain_program(reader, program, stations, item, number, begun)
        else:
            Routes(reader, program, stations, item, number).compile(begun)
    program.slots += 2
    return program


def customers(reader: Reader, program: Program, item: ClassModel | ChainModel, table: str) -> Customers:
    """How many customers there are, and the source of those who arrive."""
    if item.arrival_rate is not None:
        rate = reader.number(table, "arrival_rate", item.arrival_rate, 0.0)
        found = Customers(item.name, True, rate, 0)
        if rate > 0:
            scv = reader.number(table, "arrival_scv", dict(item.further).get("arrival_scv"), 1.0)
            found.source = program.add("time", Number(1 / rate), scv, -1)
            program.add("arrive", len(program.customers))
            program.add("goto", found.source)
        return found
    population = reader.number(table, "population", item.population, 0.0)
    if abs(population - round(population)) > 1e-9:
        raise Unsupported("a population that is no whole number")
    if population > 100_000:
        raise Unsupported("a very large population")
    return Customers(item.name, False, 0.0, round(population))


def own_priority(station: StationModel, step: StepModel | None, priority: int) -> int:
    """Of a visit: the step's own; else that of the class, where the station heeds it."""
    if step is not None and step.priority is not None:
        return step.priority
    return priority if station.discipline in BY_PRIORITY else 0
