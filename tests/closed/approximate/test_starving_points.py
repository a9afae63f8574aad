"""Points of priorities where a class is left next to nothing: found by Newton's steps, and on one branch."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from qnet.model.load import load
from qnet.model.model import Model
from qnet.networks import fixed_point
from qnet.networks.wanted import AUTO
from qnet.questions.points.answers import solve_table

np: Any = importlib.import_module("numpy")

_SEARCHED = AUTO.replace(enclosed=False)
"""As searches ask, which go through loads that are refused where they are asked for."""


@pytest.fixture
def interactive() -> Model:
    return load("priority-batch")


@pytest.mark.parametrize("jobs", [7, 8])
def test_more_users_get_more_done_up_to_where_nothing_is_left(interactive: Model, jobs: int) -> None:
    """What does not converge is estimated by less of the changes, which was a step down of 1 % in throughput."""
    users = np.arange(100.0, 130.0)
    answers = solve_table(
        interactive, {"users": users, "jobs": np.full(len(users), float(jobs))}, len(users), _SEARCHED
    )
    rates = answers.gather(lambda part: part.solution.throughput)
    assert (np.diff(rates[answers.answered]) > 0).all()


def test_few_points_need_rounds_after_steps_of_newton(interactive: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the residual of a step had to fall, hundreds of points were left to rounds."""
    left: list[int] = []
    rounds: Any = getattr(fixed_point, "_rounds")  # noqa: B009
    first: int = getattr(fixed_point, "_FIRST")  # noqa: B009

    def counted(maps: Any, start: Any, chosen: Any, memory: int, patience: Any, most: int, enough: float) -> Any:
        left.append(len(chosen) if most > first else 0)
        return rounds(maps, start, chosen, memory, patience, most, enough)

    monkeypatch.setattr(fixed_point, "_rounds", counted)
    users = np.arange(60.0, 130.0)
    solve_table(interactive, {"users": users, "jobs": np.full(len(users), 7.0)}, len(users), _SEARCHED)
    assert sum(left) <= 10
