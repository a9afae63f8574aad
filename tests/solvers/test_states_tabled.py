"""Walks by a table of changes are those state by state: their states, transitions and charges."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from full import long_but

import qnet
from qnet import budget
from qnet.lazy import np
from qnet.networks.states import chain, crowds, figures, shared, tabled
from qnet.networks.states.chain import TooLarge, Walk
from qnet.networks.states.coded import CodedStates
from qnet.networks.states.machine import Machine, Move, State
from qnet.networks.states.program import Program

LOST = """
qnet = 1
title = "Two kinds of work, one of them first, and few places"
[stations]
front = { servers = 2, capacity = 5 }
back = {}
[classes.first]
population = 5
think_time = "1 s"
steps = [{ station = "front", time = "0.3 s", priority = 1 }, { station = "back", time = "0.1 s", visits = 1.5 }]
[classes.second]
population = 4
think_time = "2 s"
steps = [{ hold = "front", steps = [{ station = "back", time = "0.05 s" }, { phase = 2, time = "0.02 s" }] }]
"""
SHARED = """
qnet = 1
title = "Jobs that share a processor, and think"
[stations]
cpu = { servers = 2, discipline = "ps" }
disk = {}
[classes.job]
population = 8
think_time = "1 s"
steps = [{ station = "cpu", time = "0.2 s", visits = 2 }, { station = "disk", time = "0.1 s", visits = 1.3 }]
"""
GENERATED = """
qnet = 1
title = "Customers from a generator, with work after the response"
[stations]
front = {}
shared = { discipline = "ps" }
held = { servers = 3 }
[classes.a]
arrival_scv = 0.5
arrival_rate = "0.05/s"
steps = [
  { station = "front", time = "2.82 s" },
  { hold = "held", steps = [
    { time = "3.63 s" },
    { hold = "shared", steps = [{ time = "1.81 s" }, { phase = 2, time = "2.82 s", keeps = ["shared"] }] },
  ] },
]
"""
NAMES = ("bursty-arrivals", "fast-write-buffer", "finite-queue", "sfs-server", LOST, SHARED, GENERATED)
WIDE = ((1, 128), (96, 4096), (10**9, 4096))
"""States to go on from at once with which arrays are taken: always, now and then, and never; and the most in one array,
which is less than there are to go on from in the first."""
Charged = tuple[Walk | TooLarge, list[float]]
"""A walk, and what it is charged."""


@pytest.fixture
def pairs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Machine, Charged, list[Charged]]]:
    """Every walk of a question in both ways, the one by tables with narrow arrays and wide ones, with what they are
    charged."""
    result: list[tuple[Machine, Charged, list[Charged]]] = []
    walk = chain.walk

    def tried(*given: Any) -> Charged:
        spent: list[float] = []

        def charged(operations: float, _: str) -> None:
            spent.append(operations)

        with monkeypatch.context() as patch:
            patch.setattr(budget, "spend", charged)
            try:
                return walk(*given), spent
            except TooLarge as error:
                return error, spent

    def both(first: State, moves: Callable[[State], list[Move]], most: int, extent: Any, table: Any, _: int) -> Walk:
        machine: Machine = moves.__self__  # type: ignore[attr-defined]
        one = tried(first, moves, most, extent)
        others: list[Charged] = []
        for wide, together in WIDE:
            with monkeypatch.context() as patch:
                patch.setattr(tabled, "_WIDE", wide)
                patch.setattr(tabled, "_TOGETHER", together)
                others.append(tried(first, moves, most, extent, table, 3))
        result.append((machine, one, others))
        if isinstance(one[0], TooLarge):
            raise one[0]
        return one[0]

    monkeypatch.setattr(shared.chain, "walk", both)
    return result


class LookedAt(NamedTuple):
    """What walks of one chain have in common."""

    whole: list[Any]
    """States, transitions, and who is outside."""
    rates: list[Any]
    """Of all transitions, and of those with each mark and where these begin, in one form."""
    means: list[Any]
    """Of some shares of the states; none of a batch."""


def looked_at(walk: Walk, machine: Machine, program: Program) -> LookedAt:
    made = walk.rates if isinstance(walk.rates, np.ndarray) else None
    shape = np.broadcast_shapes(*{np.shape(rate) for rate in walk.rates}) if made is None else made.shape[1:]
    if made is None and shape:
        made = [np.broadcast_to(rate, shape) for rate in walk.rates]
    rates: list[Any] = [np.array(walk.rates if made is None else made, float)]
    for mark in sorted(walk.ended):
        ended = walk.ended[mark]
        rates += [
            ended.states,
            ended.rates if ended.rates.ndim > 1 or not shape else ended.rates[:, None] + np.zeros(shape),
        ]
    whole = [list(walk.states), list(walk.sources), list(walk.targets), crowds.outside(machine, walk).tolist()]
    if shape:
        return LookedAt(whole, rates, [])
    count = len(whole[0])
    found = figures.means(program, machine, walk, np.linspace(1.0, 2.0, count) / 1.5 / count)
    return LookedAt(whole, rates, [found.often, found.present, found.spent, found.rates])


@pytest.mark.parametrize(
    "name",
    long_but(NAMES, "fast-write-buffer", "finite-queue", "sfs-server", LOST),
    ids=lambda name: name.split("\n")[-1] or name[20:30],
)
def test_a_table_of_changes_gives_the_walk_state_by_state(
    name: str, pairs: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
):
    programs: dict[Machine, Program] = {}
    begin = Machine.__init__

    def known(self: Machine, program: Program, *rest: Any) -> None:
        programs[self] = program
        begin(self, program, *rest)

    monkeypatch.setattr(Machine, "__init__", known)
    if "\n" in name:
        path = tmp_path / "model.toml"
        path.write_text(name)
        name = str(path)
    assert qnet.load(name).solve(method="states" if "toml" in name else "auto").records()
    coded = 0
    for machine, (one, alone), others in pairs:
        assert all(np.allclose(alone, spent, rtol=1e-12) for _, spent in others)
        if isinstance(one, TooLarge):
            assert all(isinstance(other, TooLarge) for other, _ in others)
            continue
        mine = looked_at(one, machine, programs[machine])
        for other, _ in others:
            assert isinstance(other, Walk)
            coded += isinstance(other.states, CodedStates)
            theirs = looked_at(other, machine, programs[machine])
            assert mine.whole == theirs.whole
            assert all(np.allclose(*both, rtol=1e-14, atol=0) for both in zip(mine.rates, theirs.rates, strict=True))
            assert all(
                ours == pytest.approx(item, rel=1e-12) for ours, item in zip(mine.means, theirs.means, strict=True)
            )
    assert coded


@pytest.mark.parametrize("name", ["bursty-arrivals", "fast-write-buffer"])
def test_the_machine_is_asked_for_the_changes_of_states_that_look_alike_once(
    name: str, monkeypatch: pytest.MonkeyPatch
):
    """Of chains with more than 11,000 states and 50,000 transitions."""
    asked: list[int] = []
    advance = Machine.advance

    def counted(self: Machine, *given: Any) -> None:
        asked.append(1)
        advance(self, *given)

    monkeypatch.setattr(Machine, "advance", counted)
    qnet.load(name).solve()
    assert 0 < len(asked) < 1200


def test_what_a_walk_has_learned_serves_the_next_with_more_customers(monkeypatch: pytest.MonkeyPatch):
    made: list[int] = []
    moves = Machine.moves

    def counted(self: Machine, state: State) -> list[Move]:
        made.append(1)
        return moves(self, state)

    monkeypatch.setattr(Machine, "moves", counted)
    qnet.load("bursty-arrivals").solve()
    assert len(made) <= chain.FEW
