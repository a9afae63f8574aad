"""The fixed point of holds near saturation: random networks, 2,000 with `QNET_FULL=1`, and what the answer is worth."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from building import customers, network, scaled, station, visit
from full import FULL
from hold_networks import hold_network
from random_networks import numbers

import qnet
import qnet.networks.fixed_point as fixed_point
import qnet.networks.open.solve as solver
from qnet.errors import NotComputed
from qnet.networks.duration import Wait
from qnet.networks.open.solve import OpenSolver, solve
from qnet.networks.routed import Hold, RoutedNetwork, Time
from qnet.networks.solution import RoutedSolution

pytestmark = pytest.mark.sliced

COUNT = 2000 if FULL else 240
SAMPLE = slice(None, None, 10 if FULL else 4)


@cache
def models() -> list[RoutedNetwork]:
    """Networks whose inner stations have loads between 0.9 and 0.999."""
    found = [hold_network(seed) for seed in range(COUNT)]
    return [model for model in found if model is not None]


@cache
def solved() -> list[RoutedSolution]:
    """Their answers."""
    return [solve(model) for model in models()]


def test_every_network_near_saturation_converges() -> None:
    """Measured over 2,500 seeds: most networks take 2 rounds, 1 in 100 takes 10 or more, the worst 23."""
    answers = solved()
    assert len(answers) >= 0.95 * COUNT
    stable = [answer for answer in answers if answer.stable]
    assert len(stable) >= 0.4 * COUNT
    assert max(answer.rounds for answer in answers) <= 30
    assert sum(answer.rounds > 5 for answer in answers) <= 0.05 * COUNT
    for answer in stable:
        assert all(np.isfinite(value) and value >= 0 for value in numbers(answer).values())


def test_one_more_round_moves_nothing() -> None:
    """But for waits too steep for floats: there the last digit of the busy holders moves them."""
    for model in models()[SAMPLE]:
        inside = solver.OpenSolver(model)
        if inside.iterate() > solver._ACCELERATED:
            continue
        before = [inside.waits[index].mean for index in inside.in_holds]
        assert inside.round(before) <= 2e-12


@pytest.mark.parametrize("start", [1e-3, 1e3])
def test_the_answer_does_not_depend_on_the_start(start: float) -> None:
    for model, answer in zip(models()[SAMPLE], solved()[SAMPLE], strict=True):
        inside = solver.OpenSolver(model)
        inside.waits = [Wait(start, start**2)] * len(inside.all)
        again, wanted = numbers(inside.solve()), numbers(answer)
        for name, value in wanted.items():
            assert again[name] == pytest.approx(value, rel=1e-6, abs=1e-9), name


@pytest.mark.parametrize("seed", [1996, 2147, 2702] if FULL else [1996])
def test_waits_that_jump_are_enclosed(seed: int) -> None:
    """Networks whose waits swing between two values in plain rounds, at some rates on the way to their load."""
    model = hold_network(seed)
    assert model is not None
    for share in np.linspace(0.99, 1.01, 21):
        near = scaled(model, float(share))
        inside = solver.OpenSolver(near)
        inside.waits = [Wait(10.0, 100.0)] * len(inside.all)
        again, wanted = inside.solve(), solve(near)
        assert again.stable == wanted.stable
        assert again.response == pytest.approx(wanted.response, rel=1e-7)


def test_enclosed_rounds_come_to_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left where acceleration does not settle, for every network of the sample."""
    wanted = solved()[SAMPLE]
    monkeypatch.setattr(solver, "_ACCELERATED", 0)
    for model, answer in zip(models()[SAMPLE], wanted, strict=True):
        again = solve(model)
        assert again.stable == answer.stable
        assert again.response == pytest.approx(answer.response, rel=1e-8) or not answer.stable


def test_a_batch_is_its_points_where_they_are_enclosed() -> None:
    """Shares of a batch are streams even where they are zero at some of its points."""
    model = hold_network(1996)
    assert model is not None
    factors = np.linspace(0.98, 1.0, 9)
    batch = solve(scaled(model, factors).replace(size=len(factors)))
    for point, factor in enumerate(factors.tolist()):
        single = solve(scaled(model, factor))
        assert bool(batch.stable[point]) == single.stable
        assert batch.response[point] == pytest.approx(single.response, rel=1e-9)


def test_what_does_not_converge_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    late, _ = max(zip(models(), solved(), strict=True), key=lambda pair: pair[1].rounds)
    monkeypatch.setattr(fixed_point, "_MAX_ROUNDS", 2)
    with pytest.raises(NotComputed, match=r"did not converge: residual \d"):
        solve(late)
    monkeypatch.setattr(solver, "_MORE", 0)
    batch = scaled(late, np.array([1.0, 1.0])).replace(size=2)
    with pytest.raises(NotComputed, match=r"did not converge: residual \d"):
        solve(batch)


def test_points_of_a_batch_that_converge_late_go_on_together(monkeypatch: pytest.MonkeyPatch) -> None:
    late = next(model for model, answer in zip(models(), solved(), strict=True) if answer.rounds > 10 and answer.stable)
    factors = np.linspace(0.999, 1.0, 20)
    single = [solve(scaled(late, factor)) for factor in factors.tolist()]

    def iterate_point(_: Any, point: int) -> Any:
        pytest.fail(f"point {point} was solved by itself")

    monkeypatch.setattr(solver.OpenSolver, "iterate_point", iterate_point)
    batch = solve(scaled(late, factors).replace(size=len(factors)))
    for point, answer in enumerate(single):
        assert batch.response[point] == pytest.approx(answer.response, rel=1e-9)


def test_a_batch_waits_for_its_slowest_point_and_not_for_unstable_ones() -> None:
    inner = Hold("a", (Time(0.1), Hold("b", (Time(0.2), Time(0.3, phase=2, keeps=("b",))))))
    model = network(
        [station("outer", copies=4), station("a", 2), station("b", 1)],
        customers(1.0, Hold("outer", (Time(0.1), inner, visit("b", 0.1)))),
    )
    rates: Any = np.concatenate([np.linspace(0.1, 1.6, 40), [5.0, 50.0]])
    solution = solve(scaled(model, rates).replace(size=len(rates)))
    assert solution.rounds <= 25
    assert solution.stable[0] and not solution.stable[-1]
    response = solution.response[solution.stable]
    assert np.all(np.diff(response) > 0)


@pytest.mark.long
def test_rounds_near_saturation_do_not_swing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What bounds the wait of a holder rests on no wait that rests on it in turn: 16,000 visits otherwise."""
    visits: list[int] = []
    visit = OpenSolver.visit
    monkeypatch.setattr(OpenSolver, "visit", lambda *given: visits.append(1) or visit(*given))
    system = qnet.load("ibm-3990-6-burn-through")
    for question in (system.knee, system.why):
        visits.clear()
        question()
        assert len(visits) <= 1500


def test_slopes_at_values_that_are_no_numbers_are_those_of_rounds() -> None:
    def maps(chosen: Any) -> Any:
        return lambda values: (np.full(values.shape, np.nan), np.full(len(chosen), np.nan))

    values = np.array([[np.nan, 1.0], [1.0, 2.0]])
    inverse, flat = fixed_point._inverse_slopes(maps, np.arange(2), values, np.zeros((2, 2)), (2,))
    assert (inverse == np.eye(2)).all()
    assert not flat.any()
