"""The chains of a model: class switching and routing probabilities, read, checked, and bound as classes of a network.

The check finds unknown names and states that cannot be reached or left. Binding turns the probabilities into mean
numbers of visits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from qnet.documents import Path
from qnet.errors import Problem, suggest
from qnet.expression import Expression, Value
from qnet.model.fields import BY_PRIORITY, ONWARD, TABLES, Field
from qnet.model.model import HOME, OUTSIDE, THINK, ChainModel, Model, OnwardModel, ServiceModel, State
from qnet.model.reader import Reader, describe
from qnet.model.values import Values
from qnet.networks.routed import ClosedClass, Hold, OpenClass, Route, Time, Turn
from qnet.networks.state_reduction import StrandedCustomers, reached, turned, visits_per_passage

MAX_STATES = 300
"""Most states of a chain; a choice that bounds time, because solving for the visits is cubic in it."""


CheckNumber = Callable[[Expression | None, Field, Path], object]
"""Checks the names and the dimension of a number at a path, and notes problems."""
_NAMED = 5
"""Most states that a message names."""


def read_chain(reader: Reader, name: str, raw: Any) -> ChainModel:
    """Read the chain `name`, as far as possible; problems are noted in the reader."""
    return _ChainReader(reader, name).chain(raw)


class _ChainReader:
    def __init__(self, reader: Reader, name: str) -> None:
        self.reader = reader
        self.name = name
        self.path: Path = ("chains", name)
        self.homes: tuple[str, ...] = ()
        self.classes: tuple[str, ...] = ()

    def chain(self, raw: Any) -> ChainModel:
        """The chain with all its classes."""
        reader = self.reader
        reader.label(self.name, self.path)
        values = reader.table(raw, "chain", self.path)
        given = cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}
        is_open, is_closed = ("arrival_rate" in given), ("population" in given)
        self.homes = (THINK, OUTSIDE) if is_open == is_closed else (OUTSIDE if is_open else THINK,)
        before = len(reader.problems)
        services = self.services(values.get("classes"))
        onward = self.routing(values.get("routing"))
        complete = len(reader.problems) == before and "classes" in values and "routing" in values
        reference: str = values.get("reference", "")
        return reader.record(
            ChainModel,
            "chain",
            values,
            name=self.name,
            reference="" if reference in self.homes else reference,
            classes=self.classes,
            services=services,
            onward=onward,
            home=self.homes[0],
            complete=complete,
            path=self.path,
        )

    # Classes

    def services(self, raw: Any) -> tuple[ServiceModel, ...]:
        """The service times of all classes."""
        path = (*self.path, "classes")
        result: list[ServiceModel] = []
        for name, value in self.entries(raw, path, "a table [chains.NAME.classes]", "classes"):
            where = (*path, name)
            self.reader.label(name, where)
            if name in (THINK, OUTSIDE):
                self.reader.fail("QN207", where, f'"{name}" is a reserved word of routings', "another name")
                continue
            self.classes = (*self.classes, name)
            values = self.reader.table(value, "chain class", where)
            stations = self.entries(values.get("service"), (*where, "service"), "service times by station", "services")
            result += [self.service(name, station, item) for station, item in stations]
        if len(result) > MAX_STATES:
            text = f"the chain has {len(result)} service times"
            self.reader.fail("QN206", path, text, f"at most {MAX_STATES}")
            self.reader.finish()
        return tuple(result)

    def service(self, name: str, station: str, raw: Any) -> ServiceModel:
        """The service time of a class at a station, alone or in a table with its scv; 0 where it cannot be read."""
        path = (*self.path, "classes", name, "service", station)
        if isinstance(raw, dict):
            values = self.reader.table(cast("Any", raw), "service", path)
            scv = values.get("scv") if "scv" in raw else None
            path = (*path, "time")
        else:
            time, scv = self.reader.value(raw, TABLES["service"]["time"], path), None
            values = {} if time is None else {"time": time}
        return self.reader.record(ServiceModel, "service", values, state=(name, station), scv=scv, path=path)

    # Routing

    def routing(self, raw: Any) -> tuple[OnwardModel, ...]:
        """The transitions, row by row."""
        path = (*self.path, "routing")
        result: list[OnwardModel] = []
        for origin, row, row_path in self.states(raw, path, "a table [chains.NAME.routing]"):
            for target, probability, item_path in self.states(row, row_path, "probabilities of the next state"):
                value = self.reader.value(probability, ONWARD, item_path)
                if value is not None:
                    result.append(OnwardModel(origin, target, value, item_path))
        return tuple(result)

    def states(self, raw: Any, path: Path, expected: str) -> list[tuple[State, Any, Path]]:
        """The entries of a table whose keys are states: `class.station`, or the name of `HOME`."""
        result: list[tuple[State, Any, Path]] = []
        for key, value in self.entries(raw, path, expected, "entries"):
            at = (*path, key)
            if key in self.homes:
                result.append((HOME, value, at))
            elif key in self.classes:
                inner = self.entries(value, at, f"{key}.STATION", "stations")
                result += [((key, station), item, (*at, station)) for station, item in inner]
            elif key in (THINK, OUTSIDE):
                kind = "an open" if key == THINK else "a closed"
                self.reader.fail("QN233", at, f'found "{key}" in {kind} chain', f'"{self.homes[0]}"')
            elif self.classes:
                known = [*self.classes, *self.homes]
                self.reader.fail(
                    "QN233", at, f'the chain has no class "{key}"', f"one of {', '.join(known)}", suggest(key, known)
                )
        return result

    def entries(self, raw: Any, path: Path, expected: str, what: str) -> list[tuple[str, Any]]:
        """The entries of a table; an empty one is a problem, and a missing one is reported elsewhere."""
        if raw is None:
            return []
        if not isinstance(raw, dict):
            self.reader.fail("QN201", path, f"found {describe(raw)}", expected)
            return []
        entries = list(cast("dict[str, Any]", raw).items())
        if not entries:
            self.reader.fail("QN203", path, f"there are no {what}", "at least one")
        return entries


def check_chains(model: Model, reader: Reader, number: CheckNumber) -> None:
    """Check all chains of a model; problems are noted in the reader."""
    _check_names(model, reader)
    stations = [station.name for station in model.stations]
    for chain in model.chains:
        before = len(reader.problems)
        for service in chain.services:
            path = service.path
            for key, expression in reader.keys.numbers("service", service):
                number(expression, key.field, path if key.key == "time" else (*path[:-1], key.key))
            _check_station(chain, service.state[1], path[: len(chain.path) + 4], stations, reader)
        for item in chain.onward:
            number(item.probability, ONWARD, item.path)
        if chain.complete:
            _check_reference(chain, reader)
            _check_served(chain, reader)
        if chain.complete and len(reader.problems) == before:
            _check_reachable(chain, reader)


def _check_station(chain: ChainModel, name: str, path: Path, stations: Sequence[str], reader: Reader) -> None:
    """Check that a service time belongs to a station of the model, or to thinking in a closed chain."""
    if name == THINK and chain.home == THINK:
        if name in stations:
            text = f'"{name}" means thinking in a closed chain, and is also a station'
            reader.fail("QN207", path, text, "another name of the station")
    elif name == THINK and name not in stations:
        reader.fail("QN233", path, f'found "{name}" in an open chain', "a station with delay = true")
    elif name not in stations and stations:
        reader.fail("QN212", path, f'unknown station "{name}"', help=suggest(name, stations))


def _check_names(model: Model, reader: Reader) -> None:
    """Check that every name denotes one class or chain, because results are reported by name."""
    used: dict[str, str] = {}
    for customers in model.classes:
        used[customers.name] = f'"{customers.name}" is a class with routes already'
    for chain in model.chains:
        names: list[tuple[str, Path, str]] = [(chain.name, chain.path, "is a chain already")]
        names += [
            (name, (*chain.path, "classes", name), f'is a class of chain "{chain.name}" already')
            for name in chain.classes
        ]
        for name, path, words in names:
            if name in used:
                reader.fail("QN232", path, used[name], "a distinct name: a class belongs to one chain, or has routes")
            used.setdefault(name, f'"{name}" {words}')


def _check_reference(chain: ChainModel, reader: Reader) -> None:
    """Check the reference of a chain, whose visits count as passages, and that its think time is used."""
    path = (*chain.path, "reference")
    if chain.home == OUTSIDE:
        if reader.stated(path):
            text = "reference is given in an open chain"
            reader.fail("QN235", path, text, "none: its passages are its arrivals")
        return
    if chain.reference and not chain.references:
        known = list(dict.fromkeys([*(item.state[1] for item in chain.services), THINK]))
        text = f'no class of the chain has a service time at "{chain.reference}"'
        reader.fail("QN235", path, text, "one of " + ", ".join(known), suggest(chain.reference, known))
    elif not chain.references:
        text = "the reference is missing: customers do not think"
        at = path if reader.stated(path) else chain.path
        reader.fail("QN235", at, text, "a reference station, or think in the routing")
    if reader.stated((*chain.path, "think_time")) and HOME not in chain.states:
        text = "the think time is unused: no route leads to think"
        reader.fail("QN235", (*chain.path, "think_time"), text, "think in the routing")


def _check_served(chain: ChainModel, reader: Reader) -> None:
    """Check that every state of the routing has a service time."""
    known = set(chain.states) | {HOME}
    stated: dict[State, Path] = {}
    for item in chain.onward:
        stated.setdefault(item.origin, chain.row(item.origin))
    targets = [*stated.items(), *((item.target, item.path) for item in chain.onward)]
    for state, path in targets:
        if state not in known:
            known_stations = [item.state[1] for item in chain.services if item.state[0] == state[0]]
            text = f'class "{state[0]}" has no service time at "{state[1]}"'
            expected = "one of its stations: " + ", ".join(known_stations)
            reader.fail("QN233", path, text, expected, suggest(state[1], known_stations))


def _check_reachable(chain: ChainModel, reader: Reader) -> None:
    """Check that every state can be left and reached, and that customers come back to the reference."""
    states = chain.states
    index = {state: number for number, state in enumerate(states)}
    rows: list[list[int]] = [[] for _ in states]
    for item in chain.onward:
        rows[index[item.origin]].append(index[item.target])
    for state, row in zip(states, rows, strict=True):
        if not row:
            text = f"there is no row for customers leaving {chain.label(state)}"
            reader.fail("QN234", (*chain.path, "routing"), text, f"a row {chain.label(state)} = {{ ... }}")
    if chain.home == OUTSIDE and HOME not in index:
        text = "there is no row outside: arrivals are undefined"
        reader.fail("QN234", (*chain.path, "routing"), text, "a row outside = { ... }")
    if not all(rows) or not chain.references:
        return
    references = [index[state] for state in chain.references]
    reachable = reached(rows, references)
    for number, state in enumerate(states):
        if number not in reachable:
            text = f"no route leads to {chain.label(state)}"
            reader.fail("QN234", chain.row(state), text, "a route to it with a positive probability")
    first = references[0]
    ahead, back = reached(rows, [first]), reached(turned(rows), [first])
    trapped, missed = (ahead - back, {first}) if ahead - back else (ahead, reachable - ahead)
    if missed:
        trap, others = ([states[number] for number in sorted(part)] for part in (trapped, missed))
        reader.fail("QN231", chain.row(trap[0]), *stranded(chain, trap, others))


def stranded(chain: ChainModel, states: Iterable[State], missed: Iterable[State]) -> tuple[str, str]:
    """The problem, and what is expected, where customers in `states` of a chain never reach the `missed` ones."""
    where = _listed(chain, states)
    if chain.home == OUTSIDE:
        return f"customers in {where} never leave", "a route outside with a positive probability"
    return f"customers in {where} never come back to {_listed(chain, missed)}", "a route with a positive probability"


def _listed(chain: ChainModel, states: Iterable[State]) -> str:
    names = [chain.label(state) for state in states]
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


def bind_chain(model: Model, values: Values, chain: ChainModel) -> OpenClass | ClosedClass:
    """A chain as one class of the network, with a route for each class of the chain that holds its visits per passage.

    values      the values of the parameters at all points.
    Raises      `InvalidInput` QN211 for numbers outside their domain, QN221 for probabilities that do not sum to one,
                QN231 where customers never come back; `UsageError` where an option set a parameter they depend on.
    """
    visits = _visits(model, values, chain)
    services = TABLES["service"]
    stations = {station.name: station for station in model.stations}
    thinking: Value = 0.0
    think_times: dict[State, tuple[Value, Value]] = {}
    step_indices: dict[State, int] = {}
    steps: dict[str, list[Hold]] = {name: [] for name in chain.classes}
    for item in chain.services:
        mean = values.field(item.time, services["time"], item.path)
        time = values.record(Time, "service", item, item.path[:-1], mean=mean)
        if item.state[1] == THINK and chain.home == THINK:
            thinking = thinking + mean * visits[item.state]
            think_times[item.state] = (mean, time.scv)
            continue
        by_priority = stations[item.state[1]].discipline in BY_PRIORITY
        hold = Hold(item.state[1], (time,), visits=visits[item.state], priority=chain.priority if by_priority else 0)
        step_indices[item.state] = len(steps[item.state[0]])
        steps[item.state[0]].append(hold)
    routes = tuple(Route(name, 1.0, tuple(each)) for name, each in steps.items())
    onward = _onward(values, chain, visits)
    if chain.think_time is not None:
        field = TABLES["chain"]["think_time"]
        think_times[HOME] = (values.field(chain.think_time, field, (*chain.path, "think_time")), 1.0)
        thinking = thinking + think_times[HOME][0] * visits.get(HOME, 0.0)
    turns = _turns(values, chain, step_indices, think_times)
    given: dict[str, Any] = {"name": chain.name, "routes": routes, "chain": True, "onward": onward, "turns": turns}
    if chain.arrival_rate is not None:
        return values.record(OpenClass, "chain", chain, chain.path, **given)
    return values.record(ClosedClass, "chain", chain, chain.path, **given, think_time=thinking)


def _turns(
    values: Values,
    chain: ChainModel,
    step_indices: Mapping[State, int],
    think_times: Mapping[State, tuple[Value, Value]],
) -> tuple[Turn, ...]:
    """The states of a chain as turns.

    step_indices  of each state at a station, the index of its step on the route of its class.
    think_times   mean and scv of the time in each other state.
    """
    numbers = {state: number for number, state in enumerate(chain.states)}
    classes = {name: number for number, name in enumerate(chain.classes)}
    transitions: dict[State, list[tuple[int, Value]]] = {state: [] for state in numbers}
    for item in chain.onward:
        probability = values.field(item.probability, ONWARD, item.path)
        transitions[item.origin].append((numbers[item.target], probability))
    return tuple(
        Turn(
            classes[state[0]] if state in step_indices else -1,
            step_indices.get(state, -1),
            tuple(transitions[state]),
            state in chain.references,
            *think_times.get(state, (0.0, 1.0)),
        )
        for state in numbers
    )


def _onward(values: Values, chain: ChainModel, visits: Mapping[State, Value]) -> tuple[tuple[str, str, Value], ...]:
    """The mean number of transitions from station to station per passage; "" is the origin of a passage.

    Departures are left out. Empty where passages are visits to a reference station, which begin and end there.
    """
    result: dict[tuple[str, str], Value] = {}
    outside = ("", THINK) if chain.home == THINK else ("",)
    for item in () if chain.reference else chain.onward:
        origin, target = (state[1] if state[1] not in outside else "" for state in (item.origin, item.target))
        if target:
            count = visits[item.origin] * values.field(item.probability, ONWARD, item.path)
            result[origin, target] = result.get((origin, target), 0.0) + count
    return tuple((origin, target, count) for (origin, target), count in result.items())


def _visits(model: Model, values: Values, chain: ChainModel) -> dict[State, Value]:
    """The mean number of visits to every state per passage."""
    states = chain.states
    index = {state: number for number, state in enumerate(states)}
    rows: list[dict[int, Value]] = [{} for _ in states]
    terms: list[dict[str, Expression]] = [{} for _ in states]
    for item in chain.onward:
        origin = index[item.origin]
        rows[origin][index[item.target]] = values.field(item.probability, ONWARD, item.path)
        terms[origin][chain.label(item.target)] = item.probability
    for state, row, each in zip(states, rows, terms, strict=True):
        values.check_sum(sum(row.values()), f"the probabilities from {chain.label(state)}", chain.row(state), each)
    try:
        result = visits_per_passage(rows, [index[state] for state in chain.references], values.size)
    except StrandedCustomers as error:
        names = dict.fromkeys(name for item in chain.onward for name in item.probability.names)
        stuck = [states[number] for number in error.states]
        text, expected = stranded(chain, stuck, [states[number] for number in error.beside] or chain.references)
        problem = Problem(
            code="QN231", found=text + values.at(names, error.point), expected=expected, path=chain.row(stuck[0])
        )
        raise model.refusal(problem, names) from None
    return dict(zip(states, result, strict=True))
