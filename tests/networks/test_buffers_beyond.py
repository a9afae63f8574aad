"""Buffers of closed classes beyond where errors were measured: told for the approximation, and far off it is."""

from __future__ import annotations

from typing import Any

import pytest

import qnet

THINK = "0.4 s"


def system(population: int, places: int, *drains: str, between: str = "", after: str = "") -> qnet.System:
    """Customers who take a place each, for a time each to free it; `between` and `after` the drain begins, a delay."""
    classes: dict[str, Any] = {}
    for number, drain in enumerate(drains):
        steps: list[dict[str, Any]] = [{"fill": "store"}]
        steps += [{"delay": between}] if between else []
        steps.append({"phase": 2, "station": "disk", "time": drain, "drains": "store"})
        steps += [{"delay": after}] if after else []
        classes[f"c{number}"] = {"population": population, "think_time": THINK, "steps": steps}
    buffers = {"store": {"places": places}}
    return qnet.loads({"title": "beyond", "stations": {"disk": {}}, "classes": classes, "buffers": buffers})


def warned(asked: qnet.System) -> str:
    """What the approximation warns of."""
    notes = asked.solve(method="flow-equivalent").notes
    return "; ".join(note.text for note in notes if note.severity == "warning" and note.code == "QN670")


def test_a_delay_with_a_place_is_told_and_far_off() -> None:
    """One place, kept for a delay and a drain one after the other: the throughput is below 1 / (delay + drain)."""
    asked = system(2, 1, "0.25 s", between="0.65 s")
    assert "delayed before it can be freed" in warned(asked)
    limit, exact = 1 / (0.65 + 0.25), asked.metric("throughput")
    found: Any = asked.solve(method="flow-equivalent").throughput
    assert exact < limit < found


def test_times_to_free_a_place_that_differ_are_told() -> None:
    assert "times to free a place differ" in warned(system(2, 2, "0.2 s", "0.4 s"))


@pytest.mark.parametrize(("between", "after"), [("", ""), ("", "0.3 s"), ("0.02 s", "")])
def test_what_was_measured_is_not_told(between: str, after: str) -> None:
    asked = system(3, 2, "0.2 s", "0.2 s", between=between, after=after)
    assert not warned(asked)
    found: Any = asked.solve(method="flow-equivalent").throughput
    assert found == pytest.approx(asked.metric("throughput"), rel=0.096)
