"""Walks that the points of a batch share are kept, and no program is made that no operations are left for."""

from collections import Counter

import pytest

import qnet
from qnet import budget
from qnet.budget import Account
from qnet.networks.states import shared
from qnet.networks.states import solve as chains
from qnet.networks.states.machine import Machine, Move, State
from qnet.networks.states.shared import Walks


def test_samples_of_a_finite_queue_share_their_walks_and_are_all_exact(monkeypatch: pytest.MonkeyPatch):
    made: list[tuple[int, int]] = []
    together = Walks._together

    def counted(self: Walks, group: int, crowd: int, most: int):
        made.append((group, crowd))
        return together(self, group, crowd, most)

    monkeypatch.setattr(Walks, "_together", counted)
    with budget.opened(Account()) as account:
        (row,) = qnet.load("examples/finite-queue.toml").uncertainty(sample=60, within="10%").records()
    assert row["method"] == "states" and row["exactness"] == "exact"
    # Of one walk for each sample and number of customers there would be 180.
    assert len(made) < 60
    assert account.spent < 4e9


@pytest.mark.parametrize(("name", "least"), [("bursty-arrivals", 1400), ("fast-write-buffer", 500)])
def test_what_may_happen_in_a_state_is_found_once_for_all_numbers_of_customers(
    name: str, least: int, monkeypatch: pytest.MonkeyPatch
):
    """Where nobody was lost because there were the most."""
    found: Counter[State] = Counter()
    known: list[State] = []
    moves = Machine.moves

    def counted(self: Machine, state: State) -> list[Move]:
        again = bool(self.known) and state in self.known
        result = moves(self, state)
        if again:
            known.append(state)
        elif self.known is not None and not self.cut:
            found[state] += 1
        return result

    monkeypatch.setattr(Machine, "moves", counted)
    qnet.load(name).solve()
    assert max(found.values()) == 1
    assert len(known) >= least


def test_no_program_is_made_where_trials_have_nothing_left(monkeypatch: pytest.MonkeyPatch):
    def never(*_: object):
        raise AssertionError

    monkeypatch.setattr(chains, "program", never)
    system = qnet.load("examples/finite-queue.toml")
    with budget.opened(Account()) as account:
        account.tried = account.operations
        rows = system.sweep("rate=400/s:480/s:40/s", method="auto").records()
    assert {row["method"] for row in rows} == {"open"}


def test_a_point_of_a_divided_batch_is_not_solved_again(monkeypatch: pytest.MonkeyPatch):
    """One job less has few enough states for the chain, which the moved points have not."""
    sizes: list[int] = []
    stationary = chains.stationary

    def counted(*arguments: object):
        sizes.append(1)
        return stationary(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(chains, "stationary", counted)
    report = qnet.load("examples/short-and-long-jobs.toml").sensitivity()
    assert "states" in {method for row in report.records() for method in str(row["method"]).split(", ")}
    assert len(sizes) == 1


@pytest.mark.parametrize("question", ["why", "bottleneck", "sensitivity"])
@pytest.mark.parametrize("name", ["clients-and-write-buffer", "priority-batch"])
def test_no_walk_is_begun_that_will_be_given_up(name: str, question: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shared, "walk", lambda *_: pytest.fail("a walk is begun"))
    assert getattr(qnet.load(f"examples/{name}.toml"), question)().records()
