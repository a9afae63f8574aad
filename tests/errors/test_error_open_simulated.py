"""Percentiles and means of open networks against simulations of systems that fill the regions of their rows."""

from __future__ import annotations

import json

import pytest
from measuring import assert_told
from open_simulated_systems import ROWS, SIMULATED, Kept, System, Visit, direct, means, measured
from simulating import needs_compiler

from qnet.networks.solve import solve

pytestmark = pytest.mark.sliced

KEPT: Kept = json.loads(SIMULATED.read_text())


@pytest.mark.long
@pytest.mark.parametrize("name", ROWS)
def test_the_errors_are_those_that_are_told(name: str) -> None:
    assert_told(name, [ROWS[name].error(answer, KEPT[name][system.key]) for system, answer in measured(name)])


@needs_compiler
@pytest.mark.parametrize("name", ROWS)
def test_what_is_kept_is_what_the_simulation_says(name: str) -> None:
    """With other random numbers."""
    system = next(system for system, _ in measured(name) if system.load() < 0.5)
    for now, before in zip(system.simulated(seed=1), KEPT[name][system.key], strict=True):
        assert now == pytest.approx(before, rel=0.06)


def test_customers_that_go_on_after_others_are_warned_of() -> None:
    """They come in bursts, when those before them have gone: who waits with them at the next queue, 1.95 s by
    simulation, was said to take 1.47 s."""
    before = direct(1.173, [Visit(0, 0.389, 2.0)])
    beside = direct(0.765, [Visit(1, 0.343, 0.5)])
    onward = direct(0.913, [Visit(0, 0.31, 2.0), Visit(1, 0.503, 1.0)])
    system = System((("preemptive", 1), ("fcfs", 1)), (before, beside, onward))
    solution = solve(system.network())
    assert "go on to another queue from 0" in "".join(str(reason) for reason in solution.reasons)
    assert solution.classes[1].response < 0.8 * 1.95
    rarer = before._replace(rate=1.0)
    for classes in ((rarer, beside, onward), (onward, beside, before)):
        assert means(system._replace(classes=classes)) is not None


@needs_compiler
def test_simulated_figures_are_those_of_closed_forms() -> None:
    """M/G/1 with priorities, M/M/1 and its percentiles, and processor sharing beside a constant delay."""
    behind = System((("priority", 1),), (direct(0.2, [Visit(0, 1.0, 0.0)]), direct(0.25, [Visit(0, 2.0, 4.0)])))
    first, second = behind.simulated()
    assert [first[0], second[0]] == pytest.approx([1 + 2.6 / 0.8, 2 + 2.6 / 0.8 / 0.3], rel=0.04)
    (queue,) = System((("fcfs", 1),), (direct(0.5, [Visit(0, 1.0, 1.0)]),)).simulated()
    assert queue == pytest.approx([2.0, 4.605, 5.991, 9.210], rel=0.04)
    steps = [Visit(0, 1.0, 4.0), Visit(1, 3.0, 0.0)]
    (shared,) = System((("ps", 1), ("delay", 1)), (direct(0.5, steps),)).simulated()
    assert shared[0] == pytest.approx(5.0, rel=0.04)
    ahead = System((("preemptive", 1),), (direct(0.3, [Visit(0, 1.0, 1.0)]),) * 2).simulated()
    assert [figures[0] for figures in ahead] == pytest.approx([1 / 0.7, 1 / 0.4 * 1 / 0.7], rel=0.04)
