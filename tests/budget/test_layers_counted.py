"""What layers cost: rounds are few and all of them are counted, and no chain is begun that is known to be too large."""

from __future__ import annotations

import numpy as np
import pytest
from full import long_but

import qnet
from qnet import budget
from qnet.networks.layers import core, round
from qnet.networks.layers.table import Numbers, Shape
from qnet.networks.states import shared
from qnet.questions.bottleneck.bottleneck import bottleneck
from qnet.queues import finite_source
from qnet.queues.finite_source import full_probabilities


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for each round over waits."""
    result: list[int] = []
    image = core.image_of

    def counted(*arguments: object) -> core.LayerWaits:
        result.append(1)
        return image(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(core, "image_of", counted)
    return result


def test_every_round_is_counted(rounds: list[int]) -> None:
    account = budget.Account(1e11)
    with budget.opened(account):
        qnet.load("file-server-agents").solve()
    assert len(rounds) * round._IMAGE < account.spent < 3 * len(rounds) * round._IMAGE


@pytest.mark.long
def test_changes_take_few_rounds_and_all_have_an_answer(rounds: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of eleven points did not converge with unlimited customers, and took 18,000 rounds."""
    walks: list[int] = []
    walk = shared.chain.walk
    monkeypatch.setattr(shared.chain, "walk", lambda *arguments: walks.append(1) or walk(*arguments))
    found = bottleneck(qnet.load("file-server-agents").set(agents=64))
    assert len(rounds) < 1500
    assert not walks
    changed = found.changes
    assert len(changed) == 10 and all(item.maximum for item in changed)


@pytest.mark.long
def test_points_that_are_near_wait_for_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """In every round before memory helps all points were evaluated: 3,400 of them. What no round changes is found once
    for the points that are evaluated."""
    points: list[int] = []
    made: list[int] = []
    image, sources = core.image_of, Shape.sources

    def counted(shape: object, numbers: Numbers, *others: object) -> core.LayerWaits:
        points.append(len(numbers.population))
        return image(shape, numbers, *others)  # type: ignore[arg-type]

    def once(self: Shape, numbers: Numbers, rows: object) -> object:
        made.append(1)
        return sources(self, numbers, rows)

    monkeypatch.setattr(core, "image_of", counted)
    monkeypatch.setattr(Shape, "sources", once)
    qnet.load("file-server-agents").bottleneck()
    assert sum(points) <= 1900
    assert len(made) <= len(points) / 4


@pytest.mark.parametrize(
    ("system", "most"),
    long_but(
        [("file-server-agents", 85), ("index-shards", 0), ("database-locks", 0)],
        ("index-shards", 0),
        ("database-locks", 0),
    ),
)
def test_one_class_takes_newtons_steps_as_soon_as_it_is_near(system: str, most: int, rounds: list[int]) -> None:
    """142, 108 and 217 rounds, where every core solution began with rounds without memory. What is known of the slopes
    and of the waits is kept from one core solution of a network to the next. Where only delays are held, and where the
    throughput inside a limit says what the network tends to, none are asked for that."""
    qnet.load(system).bottleneck()
    assert len(rounds) <= most


def test_points_of_equal_sources_have_one_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    columns: list[int] = []
    chain = finite_source._chain

    def counted(most: int, sources: object, *others: object) -> object:
        columns.append(len(sources))  # type: ignore[arg-type]
        return chain(most, sources, *others)

    monkeypatch.setattr(finite_source, "_chain", counted)
    offered = np.linspace(0.5, 2.9, 20)
    alone = [full_probabilities(2000, 3, one, 1.0, 0.0)[0][0] for one in offered]
    columns.clear()
    found = full_probabilities(np.full(20, 2000.0), 3, offered, np.ones(20), np.zeros(20), np.log(offered / 2000))[0]
    assert set(columns) == {1}
    assert found == pytest.approx(alone, rel=1e-12)


@pytest.mark.long
def test_chains_are_made_once_for_all_core_solutions_and_slopes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The weights of a knee were 1.4 million, when every core solution and every slope had its own."""
    weights: list[int] = []
    chain = finite_source._chain

    def counted(most: int, sources: object, *others: object) -> object:
        weights.append(most * len(sources))  # type: ignore[arg-type]
        return chain(most, sources, *others)

    monkeypatch.setattr(finite_source, "_chain", counted)
    repeated = np.repeat([20.0, 30.0], 4)
    offered = np.linspace(0.5, 2.9, 8)
    found = full_probabilities(repeated, 3, offered, np.ones(8), np.zeros(8))[0]
    assert weights == [33 * 2]
    alone = [full_probabilities(*one, 1.0, 0.0)[0][0] for one in zip(repeated, [3] * 8, offered, strict=True)]
    assert found == pytest.approx(alone, rel=1e-12)
    weights.clear()
    qnet.load("file-server-agents").knee()
    assert sum(weights) < 1e6


def test_unlimited_customers_are_reached_from_fewer() -> None:
    """The throughput rises with the customers, to what it is said to tend to."""
    system = qnet.load("file-server-agents").set(agents=64)
    few, many = (system.set(terminals=count).solve().records()[0] for count in (500, 20_000))
    assert few["throughput_per_s"] == pytest.approx(many["throughput_per_s"], rel=1e-2)
    assert many["throughput_per_s"] == pytest.approx(many["maximum_throughput_per_s"], rel=1e-4)


OUTSIDE_TOO = """
qnet = 1
title = "six users"

[stations]
ps = { discipline = "ps" }
cpu = { discipline = "fcfs" }
disk = {}
agent = { servers = 2 }

[classes.users]
population = 6
think_time = "2.19 s"
steps = [
  { station = "ps", time = "0.0123 s" },
  { station = "cpu", time = "0.00831 s" },
  { hold = "agent", steps = [{ time = "0.00489 s" }, { station = "disk", time = "0.00839 s" }] },
  { station = "disk", time = "0.00839 s" },
]
"""
"""Unlimited customers fill a station that is visited inside of a hold and outside: most rounds there lead nowhere."""


def test_a_saturation_throughput_that_is_not_found_is_given_up_soon(rounds: list[int]) -> None:
    """3,362 rounds before, nearly all of them for a throughput that stayed unknown."""
    answer = qnet.loads(OUTSIDE_TOO).solve()
    assert len(rounds) < 700
    assert answer.records()[0]["throughput_per_s"] == pytest.approx(6 / (2.19 + 0.0434), rel=1e-2)
