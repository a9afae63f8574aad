"""Walks that the points of a batch share are kept, and no program is made that no operations are left for."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from full import long_but

import qnet
from qnet import budget
from qnet.budget import Account
from qnet.networks.states import chain, shared
from qnet.networks.states import solve as chains
from qnet.networks.states.machine import Machine, Move, State
from qnet.networks.states.shared import Walks


@pytest.mark.long
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


@pytest.mark.parametrize(
    ("name", "least"), long_but([("bursty-arrivals", 1400), ("fast-write-buffer", 500)], ("fast-write-buffer", 500))
)
def test_what_may_happen_in_a_state_is_found_once_for_all_numbers_of_customers(
    name: str, least: int, monkeypatch: pytest.MonkeyPatch
):
    """Where nobody was lost because there were the most, and no table of changes is made."""
    monkeypatch.setattr(shared.chain, "FEW", 10**9)
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
    stationary = chains.chain.stationary

    def counted(*arguments: object):
        sizes.append(1)
        return stationary(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(chains.chain, "stationary", counted)
    rows = qnet.load("examples/short-and-long-jobs.toml").sweep("jobs=1,2,3").records()
    assert "states" in {method for row in rows for method in str(row["method"]).split(", ")}
    assert len(sizes) == 1


@pytest.mark.parametrize("question", ["why", "bottleneck", "sensitivity"])
@pytest.mark.parametrize("name", ["clients-and-write-buffer", "priority-batch"])
def test_no_walk_is_begun_that_will_be_given_up(name: str, question: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shared.chain, "walk", lambda *_: pytest.fail("a walk is begun"))
    assert getattr(qnet.load(f"examples/{name}.toml"), question)().records()


def test_chains_of_narrow_levels_are_eliminated_several_at_once_from_the_first(monkeypatch: pytest.MonkeyPatch):
    """Of one chain the calls take longer than the arithmetic of eight: 23 eliminations of 123 chains before."""
    sizes: list[int] = []
    eliminated = chain._eliminated

    def counted(core: object, rates: Any) -> object:
        sizes.append(rates.shape[1])
        return eliminated(core, rates)  # type: ignore[arg-type]

    monkeypatch.setattr(chain, "_eliminated", counted)
    assert qnet.load("sfs-server").sensitivity().records()
    assert len(sizes) <= 16
    assert sum(sizes) > 100


@pytest.mark.parametrize("together", [1, 3])
def test_levels_are_filled_at_once_as_far_as_there_is_room(together: int, monkeypatch: pytest.MonkeyPatch):
    """The same to the last digit as one by one."""
    size = 60
    source = np.repeat(np.arange(size), 4)
    target = source + np.tile([1, 3, -1, -2], size)
    inside = (target >= 0) & (target < size)
    source, target = source[inside], target[inside]
    rates = np.random.default_rng(1).uniform(0.1, 2.0, (len(source), together))
    core = chain._Core(size, source, target)
    filled: list[int] = []
    count = np.bincount

    def counted(cells: Any, weights: Any, least: int) -> Any:
        filled.append(least)
        return count(cells, weights, least)

    assert len(core.widths) > 10
    assert len(core.table.begins) == len(core.widths) + 1
    monkeypatch.setattr(np, "bincount", counted)
    overall = chain._eliminated(core, rates)
    assert len(filled) == 1
    monkeypatch.setattr(chain, "_ROOM", 8.0)
    np.testing.assert_array_equal(chain._eliminated(core, rates), overall)
    assert len(filled) == len(core.widths)
