"""How far responses by states are from exact ones where passages may be lost after they have waited."""

from __future__ import annotations

import random
import sys
from math import exp, log
from pathlib import Path

from measuring import assert_told

from qnet.model.bind import bind
from qnet.model.values import Values
from qnet.networks.solve import solve
from qnet.networks.wanted import Wanted

sys.path.append(str(Path(__file__).parents[1]))
from oracle import exact, load


def model(dice: random.Random) -> str:
    """Two stations in a row, of which the second loses who finds it full; one open class, or one or two closed."""
    room = dice.randint(1, 3)
    lines = ["[stations]", "one = {}", f"two = {{ capacity = {room} }}"]
    names = "ab"[: dice.randint(1, 2)]
    for name in names:
        times = [exp(dice.uniform(log(0.2), log(2.0))) for _ in range(2)]
        if names == "a" and dice.random() < 0.4:
            lines += [f"[classes.{name}]", f'arrival_rate = "{0.5 / max(times):.4f}/s"']
        else:
            lines += [f"[classes.{name}]", f"population = {dice.randint(1, 4)}"]
            lines += [f'think_time = "{exp(dice.uniform(log(0.2), log(10.0))):.4f} s"']
        steps = ", ".join(
            f'{{ station = "{place}", time = "{time:.4f} s" }}'
            for place, time in zip(("one", "two"), times, strict=True)
        )
        lines += [f"steps = [ {steps} ]"]
    return "\n".join(["qnet = 1", 'title = "loss behind a queue"', *lines])


def test_the_table_tells_the_measured_errors() -> None:
    dice = random.Random(563)
    errors: list[float] = []
    while len(errors) < 200:
        asked = load(model(dice))
        found = solve(bind(asked, Values(asked, {}, None)), Wanted(method="states"))
        answer = exact(asked)
        errors.append(max(abs(item.response / answer.response[item.name] - 1) for item in found.classes))
        assert all(abs(item.throughput / answer.throughput[item.name] - 1) < 1e-6 for item in found.classes)
    assert_told("capacity: passages that may be lost after their first visit", errors)
