"""What can be wrong with the chains of a model apart from their numbers: names, and ways that lead nowhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from qnet.documents import Path
from qnet.errors import suggest
from qnet.expression import Expression
from qnet.model.fields import ONWARD, Field
from qnet.model.model import HOME, OUTSIDE, THINK, ChainModel, Model, State
from qnet.model.reader import Reader
from qnet.networks.state_reduction import reached, turned

CheckNumber = Callable[[Expression | None, Field, Path], object]
"""Notes what is wrong with the names and the dimension of a number at a path."""

_NAMED = 5
"""States that a message names at most."""


def check_chains(model: Model, reader: Reader, number: CheckNumber) -> None:
    """Check all chains of a model; problems are noted in the reader."""
    _names(model, reader)
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
        if chain.integer:
            _reference(chain, reader)
            _served(chain, reader)
        if chain.integer and len(reader.problems) == before:
            _ways(chain, reader)


def _check_station(chain: ChainModel, name: str, path: Path, stations: Sequence[str], reader: Reader) -> None:
    """Check that there is such a station, or that customers of the chain think."""
    if name == THINK and chain.home == THINK:
        if name in stations:
            text = f'"{name}" is thinking in a chain, and a station'
            reader.fail("QN207", path, text, "another name of the station")
    elif name == THINK and name not in stations:
        reader.fail("QN233", path, f'found "{name}" in an open chain', "a station with delay = true")
    elif name not in stations and stations:
        reader.fail("QN212", path, f'unknown station "{name}"', help=suggest(name, stations))


def _names(model: Model, reader: Reader) -> None:
    """A name denotes one class or chain, because results are reported by name."""
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


def _reference(chain: ChainModel, reader: Reader) -> None:
    """Check what the passages of a chain are counted by."""
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


def _served(chain: ChainModel, reader: Reader) -> None:
    """Every state of the routing has a service time."""
    known = set(chain.states) | {HOME}
    stated: dict[State, Path] = {}
    for item in chain.onward:
        stated.setdefault(item.origin, chain.row(item.origin))
    targets = [*stated.items(), *((item.target, item.path) for item in chain.onward)]
    for state, path in targets:
        if state not in known:
            selected = [item.state[1] for item in chain.services if item.state[0] == state[0]]
            text = f'class "{state[0]}" has no service time at "{state[1]}"'
            reader.fail("QN233", path, text, "one of its stations: " + ", ".join(selected), suggest(state[1], selected))


def _ways(chain: ChainModel, reader: Reader) -> None:
    """Customers go on from wherever they come, come to wherever a service is stated, and come back."""
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
    start = [index[state] for state in chain.references]
    around = reached(rows, start)
    for number, state in enumerate(states):
        if number not in around:
            text = f"no route leads to {chain.label(state)}"
            reader.fail("QN234", chain.row(state), text, "a route to it with a positive probability")
    first = start[0]
    ahead, back = reached(rows, [first]), reached(turned(rows), [first])
    stuck, lost = (ahead - back, {first}) if ahead - back else (ahead, around - ahead)
    if lost:
        staying, others = ([states[number] for number in sorted(part)] for part in (stuck, lost))
        reader.fail("QN231", chain.row(staying[0]), *stranded(chain, staying, others))


def stranded(chain: ChainModel, states: Iterable[State], lost: Iterable[State]) -> tuple[str, str]:
    """The error, and what is expected, where customers remain in some states and no longer reach others."""
    where = _listed(chain, states)
    if chain.home == OUTSIDE:
        return f"customers in {where} never leave", "a route outside with a positive probability"
    return f"customers in {where} never come back to {_listed(chain, lost)}", "a route with a positive probability"


def _listed(chain: ChainModel, states: Iterable[State]) -> str:
    names = [chain.label(state) for state in states]
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
