"""The error of missed revolutions: disks of a closed class that share paths they cannot wait for."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from chain import mean, stationary
from measuring import assert_told

import qnet
from qnet.networks.wanted import AUTO
from qnet.questions.points.answers import solve_table

IDLE, POSITION, ORBIT, TRANSFER = range(4)
_Disk = tuple[int, int]
"""Requests at a disk, and what it does."""
_State = tuple[_Disk, ...]
"""Disks alike, sorted."""
_SYSTEMS = 200
_MODEL = """
qnet = 1
title = "disks"
[parameters]
users = 2
think_time = "1 s"
position = "1 s"
rotation = "1 s"
transfer = "1 s"
missed = "missed_revolutions(busy_servers('path'), PATHS, DISKS)"
[stations]
disk = { copies = DISKS }
path = { delay = true }
[classes.io]
population = "users"
think_time = "think_time"
steps = [ { hold = "disk", steps = [
  { time = "position" },
  { time = "missed * rotation", scv = "1 + 2 / max(missed, 1e-9)" },
  { station = "path", time = "transfer" } ] } ]
"""


class _System:
    """Times, and the chain of all states."""

    def __init__(self, rng: random.Random, disks: int, paths: int) -> None:
        self.disks, self.paths = disks, paths
        self.users = rng.randint(2, 3 if disks == 4 else 5)
        self.position = rng.uniform(0.3, 2)
        self.rotation = rng.uniform(0.5, 1.5)
        self.transfer = self.rotation * rng.uniform(0.1, 0.6)
        self.think_time = rng.uniform(0.2, 3)

    def throughput(self) -> float:
        chain = stationary(((0, IDLE),) * self.disks, self.moves)
        return mean(chain, lambda state: sum(phase == TRANSFER for _, phase in state)) / self.transfer

    def moves(self, state: _State) -> Iterator[tuple[float, _State]]:
        thinking = self.users - sum(count for count, _ in state)
        full = sum(phase == TRANSFER for _, phase in state) >= self.paths
        for place, (count, phase) in enumerate(state):

            def after(count: int, phase: int, place: int = place) -> _State:
                return tuple(sorted((*state[:place], (count, phase), *state[place + 1 :])))

            yield thinking / self.think_time / self.disks, after(count + 1, phase or POSITION)
            if phase == POSITION:
                yield 1 / self.position, after(count, ORBIT if full else TRANSFER)
            elif phase == ORBIT and not full:
                yield 1 / self.rotation, after(count, TRANSFER)
            elif phase == TRANSFER:
                yield 1 / self.transfer, after(count - 1, POSITION if count > 1 else IDLE)


@pytest.fixture
def errors(tmp_path: Path) -> list[float]:
    """Relative errors of the response, of systems of several shapes."""
    rng = random.Random(7)
    found: list[float] = []
    shapes = [(4, 1), (3, 2)]
    for disks, paths in shapes:
        systems = [_System(rng, disks, paths) for _ in range(_SYSTEMS // len(shapes))]
        path = tmp_path / f"{disks}-{paths}.toml"
        path.write_text(_MODEL.replace("PATHS", str(paths)).replace("DISKS", str(disks)))
        names = ("users", "think_time", "position", "rotation", "transfer")
        columns = {name: np.array([float(getattr(item, name)) for item in systems]) for name in names}
        answers = solve_table(qnet.load(str(path)), columns, len(systems), AUTO.replace(chain=0))
        told = answers.gather(lambda part: part.solution.response)
        exact = [item.users / item.throughput() - item.think_time for item in systems]
        found += (told / np.array(exact) - 1).tolist()
    return found


@pytest.mark.long
def test_the_table_tells_the_measured_errors(errors: list[float]):
    assert_told("missed revolutions", errors)
