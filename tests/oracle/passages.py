"""Passages that are completed, where others are lost on the way: how long they take on average."""

from __future__ import annotations

from time import thread_time
from typing import Any

import numpy as np

from .iteration import correction
from .machine import Machine
from .moments import FORK
from .phases import Unsupported
from .program import PREEMPTIVE, STACK
from .sparse import TooLarge

LIKELY = 1e-16
"""States of a smaller probability are left out."""


class _Passages:
    """z = P z of the flows out of all states with a marked customer."""

    def __init__(self, sources: Any, targets: Any, rates: Any, outflow: Any) -> None:
        self.sources, self.targets = sources, targets
        self.weights = rates / outflow[sources]
        self.size = len(outflow)

    def apply(self, flows: Any) -> Any:
        """(I - P) z."""
        return flows - np.bincount(self.targets, self.weights * flows[self.sources], self.size)

    def precondition(self, right: Any) -> Any:
        """One term more of the sum of powers of P."""
        return right + np.bincount(self.targets, self.weights * right[self.sources], self.size)


def completing(machine: Machine, number: int, states: Any, found: Any, max_states: int, until: float) -> float:
    """The mean number of customers of a class who are on passages that will be completed.

    found    the probabilities of the states.
    Raises   `TooLarge`, `Unsupported` for parallel steps.
    """
    if machine.program.forks:
        raise Unsupported("parallel steps beside losses on the way")
    owned = _owned(machine, number)
    index: dict[Any, int] = {}
    order: list[Any] = []
    weights: list[float] = []
    for state, probability in zip(states, found, strict=True):
        if probability < LIKELY:
            continue
        for marked, count in _marked(machine, state, owned):
            at = index.get(marked)
            if at is None:
                at = index[marked] = len(order)
                order.append(marked)
                weights.append(0.0)
            weights[at] += probability * count
        if len(order) > max_states:
            raise TooLarge(f"more than {max_states} states of a marked customer")
    sources: list[int] = []
    targets: list[int] = []
    rates: list[float] = []
    outflow: list[float] = []
    done: list[float] = []
    at = 0
    while at < len(order):
        total = 0.0
        for target, rate in machine.transitions(order[at]).items():
            total += rate
            if not target[machine.mark]:
                continue
            other = index.get(target)
            if other is None:
                other = index[target] = len(order)
                order.append(target)
                weights.append(0.0)
            sources.append(at)
            targets.append(other)
            rates.append(rate)
        outflow.append(total)
        done.append(machine.events.get(("marked", "done"), 0.0))
        at += 1
        if len(order) > max_states or (not at % 256 and thread_time() > until):
            raise TooLarge(f"more than {len(order) - 1} states of a marked customer")
    if not order:
        return 0.0
    away = np.array(outflow)
    passages = _Passages(np.array(sources, dtype=int), np.array(targets, dtype=int), np.array(rates), away)
    right = np.array(weights)
    flows = np.zeros(len(order))
    size = float(np.abs(right).max())
    for _ in range(60):
        wrong = right - passages.apply(flows)
        if float(np.abs(wrong).max()) < 1e-13 * size:
            return float((flows / away) @ np.array(done))
        if thread_time() > until:
            break
        flows = flows + correction(passages, wrong, until)
    raise TooLarge(f"{len(order)} states of a marked customer take too long")


def _owned(machine: Machine, number: int) -> set[int]:
    """The instructions at which a customer of a class is on a passage."""
    program = machine.program
    customers = program.customers[number]
    following = program.customers[number + 1 :]
    owned = set(range(customers.first, following[0].first if following else len(program.ops)))
    owned -= customers.thinking
    if customers.source >= 0:
        owned.discard(customers.source)
    for pc, op in enumerate(program.ops):
        if op[0] == "spawn":
            owned -= set(range(op[1], program.ops[pc + 1][1]))
    return owned


def _marked(machine: Machine, state: Any, owned: set[int]) -> list[tuple[Any, int]]:
    """The state with one customer marked, in every way, and how many ways that stands for."""
    found: list[tuple[Any, int]] = []

    def mine(token: int) -> bool:
        return machine.keys[token & (FORK - 1)][0] in owned

    active = state[0]
    for token in dict.fromkeys(active):
        if mine(token):
            rest = list(active)
            rest.remove(token)
            changed = list(state)
            changed[0] = tuple(sorted([*rest, machine.marked(token)]))
            changed[machine.mark] = 1
            found.append((tuple(changed), active.count(token)))
    for at in range(1, machine.counters):
        entry = state[at]
        if type(entry) is not tuple:
            continue
        ordered = at <= len(machine.program.places) and machine.program.places[at - 1].kind in (STACK, PREEMPTIVE)
        line = entry if ordered else entry[1]
        for position, token in enumerate(line):
            if mine(token):
                changed = list(state)
                other = (*line[:position], machine.marked(token), *line[position + 1 :])
                changed[at] = other if ordered else (entry[0], other)
                changed[machine.mark] = 1
                found.append((tuple(changed), 1))
    return found
