"""The exact answer of a model: the stationary distribution of all of its states, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from time import thread_time
from typing import Any

import numpy as np

from qnet.model.model import Model

from .answer import Answer
from .machine import Machine
from .moments import FORK
from .passages import completing
from .phases import Unsupported
from .program import DELAY, QUEUE, SHARED, Program, compile_model
from .sparse import TooLarge, stationary

CUT = 1e-12
"""The share of arrivals that may be lost because no more customers are told apart."""
ROUGH = 1e-5
"""The same, where more states than asked for would be needed: what they miss is then part of the half widths."""


def exact(model: Model, max_states: int = 60_000, seconds: float = 60.0) -> Answer:
    """The exact answer; raises `Unsupported` where no chain describes the model, `TooLarge` beyond the limits.

    Left out are responses of classes that lose customers on the way, where that would take too many states.
    """
    program = compile_model(model)
    until = thread_time() + seconds
    if program.spawns or _quorum(program) or any(item.open and item.rate > 0 for item in program.customers):
        return _unbounded(program, max_states, until)
    return _answer(program, 1 << 60, max_states, until)[2]()


def _quorum(program: Program) -> bool:
    return any(op[0] == "fork" and op[2] < sum(branch[1] for branch in op[1]) for op in program.ops)


def _unbounded(program: Program, max_states: int, until: float) -> Answer:
    """The answer of a model with customers without end, with as many of them as matter."""
    limit, last, best = 8, None, None
    cuts: list[tuple[int, float]] = []
    sizes: list[tuple[int, int]] = []
    while True:
        try:
            answer, cut, finish = _answer(program, limit, max_states, until)
        except TooLarge:
            if best is None or best[1] > ROUGH:
                raise
            break
        except Unsupported:
            # With few customers told apart, all of them may wait for work that would be one too many.
            if limit > 32 or not program.spawns:
                raise
            limit *= 2
            continue
        last, best = best, (answer, cut, finish)
        if cut <= CUT:
            break
        cuts.append((limit, cut))
        sizes.append((limit, answer.states))
        following = limit * 2
        if len(cuts) > 1:
            (low, first), (high, second) = cuts[-2:]
            decay = (second / first) ** (1 / (high - low)) if first > second else 1.0
            if decay >= 0.9999:
                raise TooLarge("no steady state, or nearly none")
            wanted = limit + int(np.log(CUT / 3 / cut) / np.log(decay)) + 2
            power = np.log(sizes[-1][1] / sizes[-2][1]) / np.log(sizes[-1][0] / sizes[-2][0])
            largest = int(limit * (max_states / sizes[-1][1]) ** (1 / max(power, 0.5)) * 0.95)
            following = min(max(wanted, limit + 4), limit * 8)
            if following > largest:
                rough = cut * decay ** (largest - limit)
                if rough > ROUGH or largest <= limit:
                    if cut <= ROUGH:
                        break
                    raise TooLarge(f"about {wanted} customers have to be told apart")
                following = largest
        limit = following
    cut, answer = best[1], best[2]()
    if cut > CUT:
        for scope in ("throughput", "response", "station_throughput", "utilization", "queue_length", "wait"):
            for name, value in getattr(answer, scope).items():
                before = getattr(last[0], scope).get(name, value) if last else value
                answer.half_width[scope, name] = abs(value) * cut * limit * 100 + abs(value - before) * min(
                    cut * 1e3, 1.0
                )
    return answer


def _answer(program: Program, limit: int, max_states: int, until: float) -> tuple[Answer, float, Callable[[], Answer]]:
    """The answer with so many customers at most, the share that is lost by that, and what completes the answer."""
    machine = Machine(program, limit)
    states, sources, targets, rates, events = walk(machine, max_states, until)
    size = len(states)
    try:
        found = stationary(size, sources, targets, rates, until)
    except (ArithmeticError, np.linalg.LinAlgError) as error:
        raise TooLarge(str(error)) from None
    happens = {key: float(found[where] @ rate) for key, (where, rate) in events.items()}
    arrivals = sum(item.rate for item in program.customers)
    cut = happens.get("cut", 0.0) / (arrivals or sum(happens.values()) or 1.0)
    answer = _figures(program, machine, states, found, happens)

    def finish() -> Answer:
        for number, customers in enumerate(program.customers):
            done = answer.throughput[customers.name]
            if done > 0 and customers.name not in answer.response:
                with suppress(TooLarge, Unsupported):
                    inside = completing(machine, number, states, found, max_states, until)
                    answer.response[customers.name] = inside / done
        return answer

    return answer, cut, finish


def walk(machine: Machine, max_states: int, until: float) -> tuple[Any, ...]:
    """All states from the first on, their transitions as arrays, and the events by what they are."""
    first = machine.first()
    index = {first: 0}
    states = [first]
    sources: list[int] = []
    targets: list[int] = []
    rates: list[float] = []
    events: dict[Any, tuple[list[int], list[float]]] = {}
    at = 0
    while at < len(states):
        for target, rate in machine.transitions(states[at]).items():
            number = index.get(target)
            if number is None:
                number = index[target] = len(states)
                states.append(target)
            sources.append(at)
            targets.append(number)
            rates.append(rate)
        for event, rate in machine.events.items():
            where, much = events.setdefault(event, ([], []))
            where.append(at)
            much.append(rate)
        at += 1
        if len(states) > max_states or (not at % 256 and thread_time() > until):
            raise TooLarge(f"more than {len(states) - 1} states")
    arrays = {key: (np.array(where), np.array(much)) for key, (where, much) in events.items()}
    return states, np.array(sources, dtype=int), np.array(targets, dtype=int), np.array(rates), arrays


def _figures(program: Program, machine: Machine, states: Any, found: Any, happens: dict[Any, float]) -> Answer:
    answer = Answer("chain", len(states))
    columns = list(zip(*states, strict=True))
    for number, customers in enumerate(program.customers):
        name = customers.name
        done, lost = happens.get(("respond", number), 0.0), happens.get(("lost", number), 0.0)
        if customers.open:
            inside = float(found @ np.array(columns[machine.counters + number], dtype=float))
            answer.offered[name] = customers.rate
        else:
            inside = customers.population - _thinking(machine, columns[0], found, customers.thinking)
            answer.offered[name] = done + lost
        answer.throughput[name] = done
        if done > 0 and not happens.get(("lost late", number), 0.0):
            answer.response[name] = max(inside, 0.0) / done
    parts: dict[str, list[float]] = {}
    for number, place in enumerate(program.places):
        column = columns[number + 1]
        if place.kind in (SHARED, DELAY):
            present = np.array(column, dtype=float)
        elif place.kind == QUEUE:
            present = np.array([entry[0] + len(entry[1]) for entry in column], dtype=float)
        else:
            present = np.array([len(entry) for entry in column], dtype=float)
        length = float(found @ present)
        if place.kind == DELAY:
            busy = length
        else:
            most = int(present.max())
            speeds = np.array([place.speed(count) for count in range(most + 1)])
            busy = float(found @ speeds[present.astype(int)])
        part = parts.setdefault(place.label, [0.0, 0.0, 0.0, 0.0])
        part[0] += happens.get(("visit", number), 0.0)
        part[1] += length
        part[2] += busy
        part[3] += place.peak
    for place in program.places:
        visits, length, busy, peak = parts[place.label]
        answer.station_throughput[place.label] = visits
        answer.queue_length[place.label] = length
        if place.kind != DELAY:
            answer.utilization[place.label] = busy / peak
        if visits > 0 and not place.rates:
            answer.wait[place.label] = max(length - busy, 0.0) / visits
    for number, store in enumerate(program.stores):
        free = np.array([entry[0] for entry in columns[machine.buffers + number]], dtype=float)
        answer.occupancy[store.name] = store.places - float(found @ free)
    return answer


def _thinking(machine: Machine, active: Any, found: Any, thinking: frozenset[int]) -> float:
    """The mean number of those who think."""
    own = {number for number, key in enumerate(machine.keys) if key[0] in thinking}
    counts: dict[Any, int] = {}
    total = np.empty(len(active))
    for number, tokens in enumerate(active):
        count = counts.get(tokens)
        if count is None:
            count = counts[tokens] = sum(token % FORK in own for token in tokens)
        total[number] = count
    return float(found @ total)


__all__ = ["TooLarge", "Unsupported", "exact"]
