"""A queue behind two branches that run in parallel, which go on when the first of them is done, or both: its mean
number, by a quasi-birth-death chain.

    python tests/errors/quorum_systems.py      # writes quorum_exact.json again, in some minutes

Levels are the numbers at the queue behind, phases those at the two branches. Tasks are done in the order in which they
came in each branch, so that the first of two is done where the branch with fewer of them completes one, and both where
the other does. The matrix of the first passage down a level is found by logarithmic reduction (Latouche, Ramaswami,
J. Appl. Prob. 30 (1993) 650-674).
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

EXACT = Path(__file__).with_name("quorum_exact.json")
LEVELS = 18
"""Numbers at a branch, of which more are left out: 4e-6 of all at a load of 0.5."""


class Quorum(NamedTuple):
    """Mean times at one arrival a second, and how many branches must be done."""

    first: float
    second: float
    behind: float
    needed: int


def systems(count: int) -> list[Quorum]:
    """Branches of loads up to 0.5, a queue behind of up to 0.7."""
    draw = np.random.default_rng(20100639)
    return [
        Quorum(*draw.uniform(0.05, 0.5, 2).tolist(), float(draw.uniform(0.05, 0.7)), 1 + number % 2)
        for number in range(count)
    ]


def mean_behind(system: Quorum) -> float:
    """The mean number at the queue behind."""
    size = LEVELS * LEVELS
    first, second = (item.ravel() for item in np.meshgrid(np.arange(LEVELS), np.arange(LEVELS), indexing="ij"))
    place = first * LEVELS + second
    up, local, one = np.zeros((size, size)), np.zeros((size, size)), np.eye(size)
    room = (first < LEVELS - 1) & (second < LEVELS - 1)
    local[place[room], place[room] + LEVELS + 1] = 1.0
    for mine, other, time, step in ((first, second, system.first, LEVELS), (second, first, system.second, 1)):
        ends = (mine <= other) if system.needed == 1 else (mine > other)
        for table, chosen in ((up, (mine > 0) & ends), (local, (mine > 0) & ~ends)):
            table[place[chosen], place[chosen] - step] += 1.0 / time
    bottom = local - np.diag(up.sum(1) + local.sum(1))
    rates = bottom - one / system.behind
    inverse = np.linalg.inv(-rates)
    upward, downward = inverse @ up, inverse / system.behind
    passage, chance = downward.copy(), upward.copy()
    for _ in range(40):
        both = np.linalg.inv(one - upward @ downward - downward @ upward)
        upward, downward = both @ (upward @ upward), both @ (downward @ downward)
        more = chance @ downward
        passage, chance = passage + more, chance @ upward
        if np.abs(more).max() < 1e-13:
            break
    ratio = up @ np.linalg.inv(-(rates + up @ passage))
    levels = np.linalg.inv(one - ratio)
    balance = (bottom + ratio / system.behind).T.copy()
    balance[0] = levels.sum(1)
    empty = np.linalg.solve(balance, one[0])
    return float((empty @ ratio @ levels @ levels).sum())


if __name__ == "__main__":
    EXACT.write_text("[\n" + ",\n".join(f"{mean_behind(item):.12g}" for item in systems(200)) + "\n]\n")
