"""Chains: customers who change their class, as a program."""

from __future__ import annotations

from typing import Any

from qnet.model.fields import ONWARD
from qnet.model.model import HOME, THINK, ChainModel

from .phases import Unsupported
from .program import Customers, Number, Program, Reader, Stations, own_priority


def chain_program(
    reader: Reader, program: Program, stations: Stations, chain: ChainModel, number: int, customers: Customers
) -> None:
    """Append the instructions of a chain.

    A passage of a closed chain begins and ends at its reference, one of an open chain leads from outside to outside.
    """
    opened = customers.open
    slot = program.slots
    program.slots = max(program.slots, slot + 1)
    onward: dict[Any, list[tuple[float, Any]]] = {}
    for item in chain.onward:
        share = float(reader.values.field(item.probability, ONWARD, item.path))
        if share > 0:
            onward.setdefault(item.origin, []).append((share, item.target))
    services = {item.state: item for item in chain.services}
    references = set(chain.references)
    thinking: set[int] = set()
    begins: dict[Any, int] = {}
    patches: list[tuple[int, list[tuple[float, Any]]]] = []

    def think(expression: Any, table: str, key: str, scv: float) -> None:
        thinking.add(program.add("time", Number(reader.number(table, key, expression, 0.0)), scv, -1))

    for state in chain.states:
        begins[state] = len(program.ops)
        if state in references and not opened:
            program.add("count", ("respond", number))
        if state == HOME and opened:
            program.add("end", number)
            customers.start = len(program.ops)
        elif state == HOME:
            think(chain.think_time, "chain", "think_time", 1.0)
        else:
            item = services[state]
            scv = 1.0 if item.scv is None else reader.number("service", "scv", item.scv, 1.0)
            if state[1] == THINK and not opened:
                think(item.time, "service", "time", scv)
            else:
                name = state[1]
                priority = own_priority(stations.by_name[name], None, chain.priority)
                program.add("seize", stations.choices(name), slot, ((1.0, priority),), -1, -1, 0, None)
                time = Number(reader.number("service", "time", item.time, 0.0))
                program.add("time", time, scv, slot)
                program.add("release", slot)
        patches.append((program.add("choose"), onward[state]))
    for at, targets in patches:
        program.ops[at] = ("choose", tuple((share, begins[target]) for share, target in targets))
    lossy = any(place.capacity for place in program.places)
    if lossy:
        if HOME not in begins:
            raise Unsupported("a chain that loses customers has nowhere to put them")
        back = program.add("lose", number, (), (), -1 if opened else begins[HOME], False)
        for at, op in enumerate(program.ops):
            if op[0] == "seize" and op[7] is None and at >= min(begins.values()):
                program.ops[at] = (*op[:7], back)
    if not opened:
        states = list(chain.states)
        first = HOME if HOME in begins else next((item for item in states if item in references), states[0])
        customers.start = begins[first]
    customers.thinking = frozenset(thinking)
