"""What one round of the residence equations computes, counted."""

import importlib
from typing import Any

import pytest

import qnet
from qnet.networks.closed import approximate, first_come, newton_core, priorities
from qnet.networks.closed.approximate_mva import ShareChanges
from qnet.networks.closed.problem import closed_network

np: Any = importlib.import_module("numpy")

_DEMANDS: Any = np.array([[[0.05, 0.02, 0.01], [0.03, 0.04, 0.02]]])
_NONE = ShareChanges(np.zeros((1, 2, 3, 3)), np.zeros((1, 2, 3, 3)), np.zeros(1))


def test_a_round_asks_once_what_parallel_steps_take() -> None:
    asked: list[int] = []

    def joins(residence: Any) -> Any:
        asked.append(len(residence))
        return np.zeros(residence.shape[::2])

    nothing = np.zeros(_DEMANDS.shape)
    lines = first_come.FirstComeBatch(
        demands=_DEMANDS, visits=np.ones(_DEMANDS.shape), weight=_DEMANDS, stretch=np.ones(_DEMANDS.shape),
        excess=nothing, memory=nothing, open_load=np.zeros((1, 2)), open_rest=np.zeros((1, 2)),
        population=np.full((1, 3), 5.0), think_time=np.ones((1, 3)), joins=joins,
    )  # fmt: skip
    lines.image(_NONE, _DEMANDS)
    assert asked == [1]


@pytest.mark.parametrize("ranks", [(0, 0, 0), (0, 1, 1), (0, 1, 2)])
def test_a_round_counts_the_work_of_every_rank_once(ranks: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranks of stations that share their server count nothing."""
    counted: list[Any] = []
    arrivals: Any = getattr(priorities, "_Arrivals")  # noqa: B009
    work = arrivals.work

    def once(self: Any, before: Any, here: Any) -> Any:
        counted.append(here)
        return work(self, before, here)

    monkeypatch.setattr(arrivals, "work", once)
    nothing = np.zeros(_DEMANDS.shape)
    ranked = priorities.Ranked(
        demands=_DEMANDS, visits=np.ones(_DEMANDS.shape), service=_DEMANDS, excess=nothing, memory=_DEMANDS,
        discipline=np.array([priorities.IN_ORDER, priorities.SHARING]), rank=np.array([ranks, (7, 8, 9)]),
        population=np.full((1, 3), 5.0), think_time=np.ones((1, 3)), arrival_rate=np.zeros((1, 3)),
        servers=np.ones(2),
    )  # fmt: skip
    ranked.image(_NONE, _DEMANDS)
    assert len(counted) == len(set(ranks))


def test_what_no_round_of_priorities_changes_is_made_once_however_many_points_are_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And a round adds the times at the servers up once."""
    made: list[int] = []
    summed: list[int] = []
    rounds: list[int] = []
    fixed, at_servers, image = (getattr(priorities, name) for name in ("_Fixed", "_at_servers", "_image"))

    def making(**named: Any) -> Any:
        made.append(1)
        return fixed(**named)

    def summing(*arguments: Any) -> Any:
        summed.append(1)
        return at_servers(*arguments)

    def imaged(*arguments: Any) -> Any:
        rounds.append(1)
        before = len(summed)
        result = image(*arguments)
        assert len(summed) == before + 1
        return result

    monkeypatch.setattr(priorities, "_Fixed", making)
    monkeypatch.setattr(priorities, "_at_servers", summing)
    monkeypatch.setattr(priorities, "_image", imaged)
    assert qnet.load("priority-batch").sweep("users=40:120:10", method="priority-mva").records()
    assert len(rounds) > 15 * len(made)


def test_the_error_of_chances_is_the_largest_change_of_any_and_none_where_nothing_changes() -> None:
    error: Any = getattr(newton_core, "_chance_error")  # noqa: B009
    busy = np.log(np.array([[0.5, 0.25], [0.2, 0.8]]))
    wanted = np.log(np.array([[0.4, 0.75], [0.2, 0.8]]))
    assert error(wanted - busy, busy) == pytest.approx([0.5, 0.0], rel=1e-12)
    assert error(np.zeros((3, 0)), np.zeros((3, 0))) == pytest.approx([0.0] * 3)


@pytest.mark.parametrize(("users", "most"), [(10, 3), (1e3, 3), (1e5, 4), (1e7, 4)])
def test_a_beginning_near_the_answer_takes_few_steps_of_newton(
    users: float, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From customers in proportion to their demands it was up to 17."""
    taken: list[int] = []
    step: Any = getattr(newton_core, "_step")  # noqa: B009

    def once(*state: Any) -> Any:
        taken.append(1)
        return step(*state)

    monkeypatch.setattr(newton_core, "_step", once)
    counts = np.array([[users, 0.05 * users]])
    many = (*range(1, 801),)
    demands = [[0.012, 0.02], [0.0004, 0.0], [0.002, 0.004]]
    network = closed_network(demands, counts, [60.0, 120.0], None, [many, None, None], fractional=True)
    answer = approximate.solve(network, "bard-schweitzer")
    assert np.isfinite(answer.throughput).all()
    assert len(taken) <= most
