"""How far responses by states are from exact ones where passages may be lost after they have waited.

Exact responses are those of tests/oracle and kept in a file, with the models that they are of; some are found again,
with `QNET_FULL=1` all. `python tests/errors/test_error_states.py` writes the file again.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from math import exp, log
from pathlib import Path
from typing import Any

import pytest
from measuring import FEWEST, assert_told

from qnet.model.bind import bind
from qnet.model.values import Values
from qnet.networks.solve import solve
from qnet.networks.wanted import Wanted

sys.path.append(str(Path(__file__).parents[1]))
from full import FULL
from oracle import exact, load

pytestmark = pytest.mark.sliced

EXACT = Path(__file__).with_name("states_exact.json")
KEPT: list[Any] = json.loads(EXACT.read_text()) if EXACT.exists() else []
"""By model: its digest, and exact responses and throughputs of its classes."""


def digest(text: str) -> str:
    """What tells a model from others."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


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


def drawn() -> list[str]:
    """The models."""
    dice = random.Random(563)
    return [model(dice) for _ in range(FEWEST)]


def exactly(text: str) -> tuple[dict[str, float], dict[str, float]]:
    """Responses and throughputs of the classes, by the chain of tests/oracle."""
    answer = exact(load(text))
    return {name: float(value) for name, value in answer.response.items()}, dict(answer.throughput)


@pytest.mark.long
def test_the_table_tells_the_measured_errors() -> None:
    errors: list[float] = []
    for text, (kept, response, throughput) in zip(drawn(), KEPT, strict=True):
        assert kept == digest(text)
        asked = load(text)
        found = solve(bind(asked, Values(asked, {}, None)), Wanted(method="states"))
        errors.append(max(abs(item.response / response[item.name] - 1) for item in found.classes))
        assert all(abs(item.throughput / throughput[item.name] - 1) < 1e-6 for item in found.classes)
    assert_told("capacity: passages that may be lost after their first visit", errors)


@pytest.mark.long
def test_what_is_kept_is_what_the_chain_says() -> None:
    every = 1 if FULL else 8
    for text, (_, response, throughput) in list(zip(drawn(), KEPT, strict=True))[::every]:
        found = exactly(text)
        assert found[0] == pytest.approx(response, rel=1e-9)
        assert found[1] == pytest.approx(throughput, rel=1e-9)


if __name__ == "__main__":
    rows = [json.dumps([digest(text), *exactly(text)]) for text in drawn()]
    EXACT.write_text("[\n" + ",\n".join(rows) + "\n]\n")
