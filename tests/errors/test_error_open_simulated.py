"""Percentiles and means of open networks against simulations of systems that fill the regions of their rows."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest
from measuring import assert_told
from open_simulated_systems import ROWS, SIMULATED, Class, System, error, means, measured

from qnet.networks.solve import solve

pytestmark = pytest.mark.sliced

KEPT: dict[str, Any] = json.loads(SIMULATED.read_text())


@pytest.mark.parametrize("name", ROWS)
def test_the_errors_are_those_that_are_told(name: str) -> None:
    assert_told(name, [error(name, answer, KEPT[name][system.key]) for system, answer in measured(name)])


@pytest.mark.skipif(shutil.which("cc") is None, reason="the simulation is written in C")
@pytest.mark.parametrize("name", ROWS)
def test_what_is_kept_is_what_the_simulation_says(name: str) -> None:
    """With other random numbers."""
    system, _ = next(item for item in measured(name) if max(item[0].loads()) < 0.5)
    for now, before in zip(system.simulated(), KEPT[name][system.key], strict=True):
        assert now == pytest.approx(before, rel=0.06)


def test_customers_that_go_on_after_others_are_warned_of() -> None:
    """They come in bursts, when those before them have gone: who waits with them at the next queue, 1.95 s by
    simulation, was said to take 1.47 s."""
    system = System(
        (("preemptive", 1), ("fcfs", 1)),
        (
            Class(1.173, ((1.0, ((0, 0.389, 2.0),)),)),
            Class(0.765, ((1.0, ((1, 0.343, 0.5),)),)),
            Class(0.913, ((1.0, ((0, 0.31, 2.0), (1, 0.503, 1.0))),)),
        ),
    )
    solution = solve(system.network())
    assert "go on to another queue from 0" in "".join(str(reason) for reason in solution.reasons)
    assert solution.classes[1].response < 0.8 * 1.95
    rarer = system._replace(classes=(system.classes[0]._replace(rate=1.0), *system.classes[1:]))
    assert means(rarer)
    first = system._replace(classes=(system.classes[2], system.classes[1], system.classes[0]))
    assert means(first)


@pytest.mark.skipif(shutil.which("cc") is None, reason="the simulation is written in C")
def test_simulated_figures_are_those_of_closed_forms() -> None:
    """M/G/1 with priorities, M/M/1 and its percentiles, and processor sharing beside a constant delay."""
    served = System(
        (("priority", 1),), (Class(0.2, ((1.0, ((0, 1.0, 0.0),)),)), Class(0.25, ((1.0, ((0, 2.0, 4.0),)),)))
    )
    first, second = served.simulated()
    assert [first[0], second[0]] == pytest.approx([1 + 2.6 / 0.8, 2 + 2.6 / 0.8 / 0.3], rel=0.04)
    (queue,) = System((("fcfs", 1),), (Class(0.5, ((1.0, ((0, 1.0, 1.0),)),)),)).simulated()
    assert queue == pytest.approx([2.0, 4.605, 5.991, 9.210], rel=0.04)
    steps = ((0, 1.0, 4.0), (1, 3.0, 0.0))
    (shared,) = System((("ps", 1), ("delay", 1)), (Class(0.5, ((1.0, steps),)),)).simulated()
    assert shared[0] == pytest.approx(5.0, rel=0.04)
    ranked = System((("preemptive", 1),), tuple(Class(0.3, ((1.0, ((0, 1.0, 1.0),)),)) for _ in range(2))).simulated()
    assert [row[0] for row in ranked] == pytest.approx([1 / 0.7, 1 / 0.4 * 1 / 0.7], rel=0.04)
