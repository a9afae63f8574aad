"""A buffer drained by one server that does other work first: the chain of both, level by level."""

from __future__ import annotations

from typing import Any

import numpy as np
from full_chain import Stages

State = tuple[int, str, int]
"""Indices taken, what is served ("read", "drain" or nothing), and its stage; where drains are interrupted their own."""


def lost(
    places: int, writes: float, reads: float, read: Stages, drain: Stages, interrupting: bool, most: int = 100
) -> tuple[float, float]:
    """The share of writes that is lost where the buffer is full, and the mean number of places taken.

    Reads are served first, and interrupt the drain of a place where `interrupting`: it is resumed later. Up to `most`
    reads are present.
    """
    idle: list[State] = [(0, "", 0), *((n, "drain", j) for n in range(1, places + 1) for j in range(len(drain.rates)))]
    busy: list[State]
    if interrupting:
        kept = [(0, -1), *((n, j) for n in range(1, places + 1) for j in range(len(drain.rates)))]
        busy = [(n, f"read {j}", i) for n, j in kept for i in range(len(read.rates))]
    else:
        busy = [(n, "read", i) for n in range(places + 1) for i in range(len(read.rates))] + idle[1:]
    known = {state: place for place, state in enumerate(busy)}
    first = {state: place for place, state in enumerate(idle)}

    def begins(taken: int, stages: Stages, name: str) -> list[tuple[float, State]]:
        return [(chance, (taken, name, stage)) for stage, chance in enumerate(stages.begin) if chance]

    def next_drain(taken: int) -> list[tuple[float, State]]:
        return begins(taken, drain, "drain") if taken else [(1.0, (0, "", 0))]

    def resumed(taken: int, stage: int) -> list[tuple[float, State]]:
        return [(1.0, (taken, "drain", stage))] if taken else [(1.0, (0, "", 0))]

    up0, local0 = np.zeros((len(idle), len(busy))), np.zeros((len(idle), len(idle)))
    up, local, down = (np.zeros((len(busy), len(busy))) for _ in range(3))
    down1 = np.zeros((len(busy), len(idle)))

    def add(table: Any, source: int, to: dict[State, int], rate: float, after: list[tuple[float, State]]) -> None:
        for chance, state in after:
            table[source, to[state]] += rate * chance

    for (taken, what, stage), here in first.items():
        if interrupting:
            arrives = begins(taken, read, f"read {stage if taken else -1}")
        else:
            arrives = begins(0, read, "read") if what == "" else [(1.0, (taken, what, stage))]
        add(up0, here, known, reads, arrives)
        if taken < places:
            add(
                local0,
                here,
                first,
                writes,
                begins(1, drain, "drain") if taken == 0 else [(1.0, (taken + 1, what, stage))],
            )
        if what:
            after = next_drain(taken - 1) if drain.ends[stage] else [(1.0, (taken, what, stage + 1))]
            add(local0, here, first, drain.rates[stage], after)
    for (taken, what, stage), here in known.items():
        up[here, here] += reads
        if taken < places:
            if interrupting and taken == 0:
                for number, chance in enumerate(drain.begin):
                    if chance:
                        local[here, known[1, f"read {number}", stage]] += writes * chance
            else:
                local[here, known[taken + 1, what, stage]] += writes
        if what == "drain":
            ends = begins(taken - 1, read, "read") if drain.ends[stage] else [(1.0, (taken, what, stage + 1))]
            add(local, here, known, drain.rates[stage], ends)
        elif not read.ends[stage]:
            local[here, known[taken, what, stage + 1]] += read.rates[stage]
        else:
            add(down, here, known, read.rates[stage], begins(taken, read, what))
            add(down1, here, first, read.rates[stage],
                resumed(taken, int(what.split()[1])) if interrupting else next_drain(taken))  # fmt: skip
    still = np.diag(up.sum(1) + local.sum(1) + down.sum(1))
    last = local - np.diag(local.sum(1) + down.sum(1))
    ratios = [up @ np.linalg.inv(-last)]
    for _ in range(most - 2):
        ratios.append(up @ np.linalg.inv(still - local - ratios[-1] @ down))
    ratios.append(up0 @ np.linalg.inv(still - local - ratios[-1] @ down))
    balance = (local0 - np.diag(local0.sum(1) + up0.sum(1)) + ratios[-1] @ down1).T

    # Each level is the one before times its ratio: of every figure what it is from a level on.
    def figures(states: list[State]) -> Any:
        return np.array([[1.0, float(taken == places), float(taken)] for taken, _, _ in states])

    here = figures(busy)
    more = here
    for ratio in ratios[:-1]:
        more = here + ratio @ more
    more = figures(idle) + ratios[-1] @ more
    balance[0] = more[:, 0]
    shares = np.linalg.solve(balance, np.eye(len(idle))[0])
    full, taken = (shares @ more[:, 1:]).tolist()
    return full, taken
