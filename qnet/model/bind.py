"""From a model to a network: every expression becomes a number, or an array of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from qnet.documents import Path
from qnet.errors import Problem
from qnet.expression import Expression, Value
from qnet.lazy import lazy, np
from qnet.model.fields import BY_PRIORITY, RATES, SHARE, TABLES
from qnet.model.keys import all_steps, keys_of, stated
from qnet.model.model import ClassModel, Model, RouteModel, StationModel, StepModel, fact, fact_of_tables
from qnet.model.scope import inside_stations
from qnet.model.values import LEAST, MOST, Values
from qnet.networks.routed import (
    Branch,
    Buffer,
    ClosedClass,
    Fork,
    Group,
    Hold,
    Limit,
    OpenClass,
    Route,
    RoutedNetwork,
    Station,
    Step,
    Time,
)
from qnet.units import format_quantity

if TYPE_CHECKING:
    from qnet.model import bind_inside, chains, rate_formula
else:
    bind_inside = lazy("qnet.model.bind_inside")
    chains = lazy("qnet.model.chains")
    rate_formula = lazy("qnet.model.rate_formula")

MAX_BRANCHES = 1000
"""Of one parallel step; a choice that bounds time and memory."""


def with_copies(steps: tuple[Step, ...], follows: Mapping[str, str]) -> tuple[Step, ...]:
    """The steps of a route, of which those at a station that follows another one have the copy that was named there.

    follows   by station that follows another one: that one.
    Limits    Where a copy was drawn before, or named by a step that is not always made, the one that follows is drawn
              by the same shares: the same means, and not the same copies. Inside of a hold it is the copy held.
    """
    return _walk(steps, follows, {}, frozenset()) if follows else steps


def _walk(
    steps: tuple[Step, ...], follows: Mapping[str, str], last: dict[str, int], held: frozenset[str]
) -> tuple[Step, ...]:
    """The same, given the copies named before, which are brought up to date, and the stations held."""
    result: list[Step] = []
    for step in steps:
        if isinstance(step, Time):
            result.append(step)
            continue
        if isinstance(step, Fork):
            branches: list[Any] = []
            for branch in step.branches:
                particular = dict(last)
                branches.append(branch.replace(steps=_walk(branch.steps, follows, particular, held)))
            for name in _leaders(step.inner, follows):
                last.pop(name, None)
            result.append(step.replace(branches=tuple(branches)))
            continue
        leader = follows.get(step.station, step.station)
        copy = step.copy
        if copy is None and step.station in follows and leader not in held:
            copy = last.get(leader)
        if copy is not None and isinstance(step.visits, float) and step.visits >= 1.0:
            last[leader] = copy
        elif step.station not in follows or step.copy is not None:
            last.pop(leader, None)
        result.append(step.replace(copy=copy, steps=_walk(step.steps, follows, last, held | {leader})))
    return tuple(result)


def _leaders(steps: tuple[Step, ...], follows: Mapping[str, str]) -> set[str]:
    """The stations whose copies are chosen by some steps."""
    result: set[str] = set()
    for step in steps:
        if isinstance(step, Time):
            continue
        if not isinstance(step, Fork):
            result.add(follows.get(step.station, step.station))
        result |= _leaders(step.inner if isinstance(step, Fork) else step.steps, follows)
    return result


def bind(model: Model, values: Values) -> RoutedNetwork:
    """The network of a model at the points of `values`.

    The structural numbers (servers, rates, copies, hot copies) must be the same at all points; see `structures`.

    Raises `InvalidInput` with file, line and key for a number outside its domain or probabilities that do not sum to
    one, `UsageError` where an option set what they rest on.
    """
    stations = counted(model)
    if stations:
        return bind_inside.bind_inside(values, stations, lambda numbers: _Binder(model, numbers).network())
    return _Binder(model, values).network()


@fact
def counted(model: Model) -> tuple[str, ...]:
    """The stations of `model` whose number of holders, `inside('STATION')`, some number of the network depends on."""
    return inside_stations(model, [name for expression in expressions(model) for name in expression.names])


def structures(model: Model, values: Values) -> list[Any]:
    """Group the points of a batch by network structure: the same servers, copies, capacities, joins and rates.

    model    whose expressions determine the structure.
    values   the parameters of `model` at the points of the batch.
    Returns  arrays of indices of points, one array per structure; none for a single point without a batch.
    """
    if values.size is None:
        return []

    result = [np.asarray(values.evaluate(expression, path), dtype=float) for expression, path in structural(model)]
    result = [np.floor(column + 0.5) for column in result]
    result += [np.asarray(values.evaluate(expression, path), dtype=float) for expression, path in _rates(model)]
    if not result:
        return [np.arange(values.size)]
    table = np.stack([np.broadcast_to(column, (values.size,)) for column in result], axis=1)
    if (table == table[:1]).all():
        return [np.arange(values.size)]
    _, inverse = np.unique(table, axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    return [np.flatnonzero(inverse == number) for number in range(int(inverse.max()) + 1)]


@fact_of_tables
def structural(model: Model) -> list[tuple[Expression, Path]]:
    """The expressions of `model` over parameters that set the structure of its network, such as servers and copies.

    Returns  each with its key path in the file; constants are left out.
    """
    keys = keys_of(model)
    return [
        (expression, (*path, key.key))
        for kind, item, path in stated(model)
        for key, expression in keys.numbers(kind, item)
        if key.field.integer and expression.names
    ]


@fact_of_tables
def _rates(model: Model) -> list[tuple[Expression, Path]]:
    """The expressions over parameters that are capacities of a station, each with its path."""
    return [
        (rate, (*station.path, "rates", index))
        for station in model.stations
        for index, rate in enumerate(rate_formula.parameters_of(station) if station.rate_formula else station.rates)
        if rate.names
    ]


@fact_of_tables
def expressions(model: Model) -> list[Expression]:
    """Every expression of `model` that becomes a number of its network; parameters and outputs are not among them."""
    keys = keys_of(model)
    result = [expression for kind, item, _ in stated(model) for _, expression in keys.numbers(kind, item)]
    # What no row of the field table names alone.
    for station in model.stations:
        result += [*station.split.shares, *station.rates]
    result += [item.probability for chain in model.chains for item in chain.onward]
    result += [step.time for step in all_steps(model) if step.time is not None]
    return result


def depends_on_population(model: Model) -> bool:
    """Whether a number of `model`, such as a demand, depends on a parameter that sets a population.

    Directly or through other parameters; the population itself does not count.
    """
    driving = {name for item in model.customers if item.population is not None for name in item.population.names}
    affected = set(driving)
    for name, item in model.parameters.items():
        if not affected.isdisjoint(item.expression.names):
            affected.add(name)
    populations = [item.population for item in model.customers]
    return any(
        not affected.isdisjoint(expression.names) for expression in expressions(model) if expression not in populations
    )


@fact_of_tables
def _named_steps(model: Model) -> dict[str, list[StepModel]]:
    """The steps that name a copy, by the station whose copies they name."""
    stations = {station.name: station for station in model.stations}
    result: dict[str, list[StepModel]] = {}
    for step in all_steps(model):
        if step.copy is not None:
            station = stations[step.station]
            result.setdefault(station.follows or station.name, []).append(step)
    return result


class _Binder:
    def __init__(self, model: Model, values: Values) -> None:
        self.model = model
        self.values = values
        self.by_name = {station.name: station for station in model.stations}
        self.follows = {station.name: station.follows for station in model.stations if station.follows}
        self.named = _named_steps(model)

    def network(self) -> RoutedNetwork:
        """The network."""
        stations = tuple(
            self.values.kept((station,), lambda station=station: self.station(station))
            for station in self.model.stations
        )
        classes = [self.customers(customers) for customers in self.model.classes]
        if self.model.chains:
            classes += [chains.bind_chain(self.model, self.values, chain) for chain in self.model.chains]
        record = self.values.record
        limits = tuple(record(Limit, "limit", limit, limit.path, name=limit.name) for limit in self.model.limits)
        buffers = tuple(
            record(Buffer, "buffer", buffer, buffer.path, name=buffer.name, loses=buffer.full == "lost")
            for buffer in self.model.buffers
        )
        network = RoutedNetwork(stations, tuple(classes), limits, self.values.size, buffers=buffers)
        if self.values.extreme:
            self.check_products(network)
        return network

    # Numbers

    def number(self, kind: str, key: str, expression: Expression, path: Path) -> Value:
        """The value of an expression in the domain of its row of the field table."""
        return self.values.field(expression, TABLES[kind][key], (*path, key))

    def integer(self, kind: str, key: str, expression: Expression, path: Path) -> int:
        """An integer, the same at all points."""
        return self.values.integer(expression, TABLES[kind][key], (*path, key))

    # Stations

    def station(self, station: StationModel) -> Station:
        """A station with its groups of copies."""
        leader = self.by_name[station.follows] if station.follows else station
        copies = self.integer("station", "copies", leader.copies, leader.path)
        groups = self.groups(station.name, leader, copies)
        servers = self.integer("station", "servers", station.servers, station.path)
        capacity = None
        if station.capacity is not None:
            capacity = self.integer("station", "capacity", station.capacity, station.path)
            if capacity < servers:
                result, on = f"the capacity is {capacity}", (station.capacity, station.servers)
                expected = f"room for the {servers} that are served, at least"
                self.refuse("QN211", (*station.path, "capacity"), result, expected, on)
        if station.rate_formula is None:
            rates = tuple(self.rate(rate, (*station.path, "rates", index)) for index, rate in enumerate(station.rates))
        else:
            listed = rate_formula.terms(self.model, station, self.values, capacity)
            rates = tuple(self.rate(rate, (*station.path, "rates"), index + 1) for index, rate in enumerate(listed))
        return self.values.record(
            Station,
            "station",
            station,
            station.path,
            name=station.name,
            servers=servers,
            groups=groups,
            rates=rates or None,
            capacity=capacity,
        )

    def rate(self, expression: Expression, path: Path, present: int = 0) -> float:
        """A relative capacity, above 0 and the same at all points; of a formula that with `present` customers."""
        value = self.values.field(expression, RATES, path)
        result = float(value if isinstance(value, (int, float)) else value.flat[0])
        if result <= 0:
            there = f" with {present} present" if present else ""
            self.refuse("QN211", path, f"the value is {result:g}{there}", "a capacity above 0", (expression,))
        return result

    def groups(self, name: str, leader: StationModel, copies: int) -> tuple[Group, ...]:
        """Groups of copies that carry the same load: by the split, with every copy that a step names as a separate
        group."""
        single = self.named_copies(leader, copies)
        edges = {0, copies} | {copy - 1 for copy in single} | set(single)
        edges |= self.split_edges(leader, copies)
        bounds = sorted(edges)
        shares = [(first, last, self.share(leader, first, copies)) for first, last in pairwise(bounds)]
        self.check_shares(leader, shares)
        merged: list[tuple[int, int, Value]] = []
        for first, last, share in shares:
            alone = first + 1 in single or (merged and merged[-1][1] in single)
            if merged and not alone and self.same(merged[-1][2], share):
                merged[-1] = (merged[-1][0], last, share)
            else:
                merged.append((first, last, share))
        return tuple(Group(_label(name, first, last, copies), last - first, share) for first, last, share in merged)

    def named_copies(self, leader: StationModel, copies: int) -> set[int]:
        """The copies that steps name, from 1."""
        result: set[int] = set()
        for step in self.named.get(leader.name, ()):
            if step.copy is not None:
                copy = self.integer("step", "copy", step.copy, step.path)
                if copy > copies:
                    text = f'"{leader.name}" has no copy {copy}'
                    on = (step.copy, leader.copies)
                    self.refuse("QN220", (*step.path, "copy"), text, f"a number from 1 to {copies}", on)
                result.add(copy)
        return result

    def split_edges(self, leader: StationModel, copies: int) -> set[int]:
        """Where the share of a copy may differ from that of the one before it."""
        split, path = leader.split, (*leader.path, "split")
        if split.kind == "hot" and split.hot is not None:
            hot = self.integer("split", "hot", split.hot, path)
            if hot > copies:
                on = (split.hot, leader.copies)
                self.refuse("QN220", (*path, "hot"), f"{hot} hot copies of {copies}", f"at most {copies}", on)
            return {hot}
        if split.kind == "listed":
            if len(split.shares) != copies:
                text = f"{len(split.shares)} shares for {copies} copies"
                self.refuse("QN220", path, text, "one share for each copy", (leader.copies,))
            return set(range(copies))
        return set()

    def share(self, leader: StationModel, first: int, copies: int) -> Value:
        """Share of the visits that goes to the copy after `first`."""
        split, path = leader.split, (*leader.path, "split")
        if split.kind == "listed":
            return self.values.field(split.shares[first], SHARE, (*path, first))
        if split.kind == "hot" and split.hot is not None and split.share is not None:
            hot = self.integer("split", "hot", split.hot, path)
            share = self.number("split", "share", split.share, path)
            if hot == copies:
                return 1 / copies
            return share / hot if first < hot else (1 - share) / (copies - hot)
        return 1 / copies

    def check_shares(self, leader: StationModel, shares: list[tuple[int, int, Value]]) -> None:
        """Refuse listed shares that do not sum to one."""
        if leader.split.kind == "listed":
            total: Value = sum((last - first) * share for first, last, share in shares)
            terms = {f"[{index}]": share for index, share in enumerate(leader.split.shares)}
            self.values.check_sum(total, "the shares", (*leader.path, "split"), terms)

    # Classes

    def customers(self, customers: ClassModel) -> OpenClass | ClosedClass:
        """A class with its routes."""
        path = customers.path
        routes = tuple(
            self.values.record(
                Route,
                "route",
                route,
                route.path,
                name=route.name,
                steps=self.values.kept((customers, route), lambda route=route: self.route_steps(route, customers)),
            )
            for route in customers.routes
        )
        total: Value = sum(route.probability for route in routes)
        terms = {f'"{route.name}"': route.probability for route in customers.routes}
        self.values.check_sum(total, "the probabilities of the routes", (*path, "routes"), terms)
        owner = self.by_name.get(customers.per_copy_of)
        copies = 1 if owner is None else self.integer("station", "copies", owner.copies, owner.path)
        if customers.arrival_rate is not None:
            rate = copies * self.number("class", "arrival_rate", customers.arrival_rate, path)
            return self.values.record(
                OpenClass, "class", customers, path, name=customers.name, arrival_rate=rate, routes=routes
            )
        assert customers.population is not None
        population = copies * self.number("class", "population", customers.population, path)
        think_time: Value = 0.0
        if customers.think_time is not None:
            think_time = self.number("class", "think_time", customers.think_time, path)
        return self.values.record(
            ClosedClass,
            "class",
            customers,
            path,
            name=customers.name,
            population=population,
            think_time=think_time,
            routes=routes,
        )

    def route_steps(self, route: RouteModel, customers: ClassModel) -> tuple[Step, ...]:
        """The steps of a route of a class."""
        return with_copies(self.steps(route.steps, customers.priority or 0), self.follows)

    def check_products(self, network: RoutedNetwork) -> None:
        """Refuse demands and numbers of visits, which are products, beyond the range of numbers."""
        paths = {item.name: item.path for item in self.model.customers}
        for customers in network.classes:
            for what, value, unit in _products(network, customers):
                wrong = (value > MOST) | ((value < LEAST) & (value > 0))
                if self.values.operations.all(wrong == False):  # noqa: E712
                    continue
                shown = value if isinstance(value, (int, float)) else value.flat[wrong.argmax()]
                text = f"{what} are {format_quantity(shown, unit)}{self.values.at(self.model.parameters, wrong)}"
                expected = f"0, or from {format_quantity(LEAST, unit)} to {format_quantity(MOST, unit)}"
                self.refuse("QN211", paths[customers.name], text, expected, expressions(self.model))

    def steps(self, steps: Sequence[StepModel], priority: int) -> tuple[Step, ...]:
        """Steps in order, of a class with a priority."""
        return tuple(self.step(step, priority) for step in steps)

    def step(self, step: StepModel, priority: int) -> Step:
        """A time, or a hold with its inner steps."""
        record = self.values.record
        if step.fills:
            return Time(0.0, visits=self.number("step", "visits", step.visits, step.path), fills=step.fills)
        if step.branches:
            return self.fork(step, priority)
        if not step.station:
            assert step.time is not None
            mean = self.number("step", step.time_key, step.time, step.path)
            return record(Time, "step", step, step.path, mean=mean)
        particular = step.priority
        if particular is None:
            particular = priority if self.by_name[step.station].discipline in BY_PRIORITY else 0
        inner = self.steps(step.steps, priority)
        return record(Hold, "step", step, step.path, steps=inner, priority=particular)

    def fork(self, step: StepModel, priority: int) -> Fork:
        """A parallel step with its branches."""
        counts = [self.integer("branch", "copies", branch.copies, branch.path) for branch in step.branches]
        width = sum(counts)
        if width > MAX_BRANCHES:
            on = [branch.copies for branch in step.branches]
            path = (*step.path, "parallel")
            self.refuse("QN220", path, f"{width} branches", f"at most {MAX_BRANCHES} in one step", on)
        needed = width if step.join is None else self.integer("step", "join", step.join, step.path)
        if step.join is not None and needed > width:
            on = [step.join, *(branch.copies for branch in step.branches)]
            self.refuse("QN220", (*step.path, "join"), f"{needed} of {width} branches", f"at most {width}", on)
        branches = tuple(
            self.values.record(
                Branch,
                "branch",
                branch,
                branch.path,
                name=branch.name or f"branch {index}",
                steps=self.steps(branch.steps, priority),
                copies=copies,
            )
            for index, (branch, copies) in enumerate(zip(step.branches, counts, strict=True), start=1)
        )
        return self.values.record(Fork, "step", step, step.path, branches=branches, needed=needed)

    # Checks

    def refuse(
        self, code: str, path: Path, result: str, expected: str, on: Iterable[Expression], help: str = ""
    ) -> None:
        """Raise `InvalidInput` with the place of a key, or `UsageError` where an option set what it rests on."""
        names = [name for expression in on for name in expression.names]
        raise self.model.refusal(Problem(code=code, found=result, expected=expected, path=path, help=help), names)

    def same(self, left: Value, right: Value) -> bool:
        """Whether two shares are the same at every point."""
        operations = self.values.operations
        return operations.all(operations.compare("<=", abs(left - right), 1e-15))


def _label(name: str, first: int, last: int, copies: int) -> str:
    if last - first == copies:
        return name
    return f"{name}[{last}]" if last - first == 1 else f"{name}[{first + 1}-{last}]"


_Product = tuple[str, Value, str]
"""What it is, its value, and its unit."""


def _products(network: RoutedNetwork, customers: OpenClass | ClosedClass) -> Iterator[_Product]:
    """The visits and the demands of every step of a class, per passage, at the copies with the smallest share."""
    shares = {station.name: [group.share for group in station.groups] for station in network.stations}
    for route in customers.routes:
        yield from _step_products(route.steps, 1.0 if customers.chain else route.probability, shares, "", 1.0)


def _step_products(
    steps: Sequence[Step], passages: Value, shares: dict[str, list[Value]], station: str, share: Value
) -> Iterator[_Product]:
    for step in steps:
        visits = passages * step.visits
        match step:
            case Time():
                where = f" at {station}" if station else ""
                yield f"seconds{where} per passage", visits * step.mean * share, "s"
            case Hold():
                for particular in shares[step.station]:
                    yield f"visits of {step.station} per passage", visits * particular, ""
                    yield from _step_products(step.steps, visits, shares, step.station, particular)
            case Fork():
                for branch in step.branches:
                    yield from _step_products(branch.steps, visits * branch.copies, shares, station, share)
