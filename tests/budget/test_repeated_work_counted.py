"""How often questions solve what they have solved before, or what they will not use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import qnet
from qnet.documents import parse
from qnet.model.bind import bind
from qnet.model.load import build
from qnet.model.values import Values
from qnet.networks import closed_networks
from qnet.networks.closed import first_come, priorities
from qnet.networks.solve import solve
from qnet.networks.states import chain, shared
from qnet.networks.wanted import AUTO
from qnet.questions.points import points

PRIORITIES = """
qnet = 1
title = "users before jobs"
[parameters]
users = 20
servers = 1
[stations]
cpu = { discipline = "preemptive", servers = "servers" }
disk = { discipline = "ps" }
[classes.user]
population = "users"
think_time = "4 s"
priority = 1
steps = [ { station = "cpu", time = "80 ms" }, { station = "disk", time = "30 ms" } ]
[classes.job]
population = 3
steps = [ { station = "cpu", time = "300 ms" }, { station = "disk", time = "90 ms" } ]
"""


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, str], list[tuple[Any, ...]]]:
    """Makes a list to which the arguments of every call of a function are added, by its module and name."""

    def counted(module: Any, name: str) -> list[tuple[Any, ...]]:
        result: list[tuple[Any, ...]] = []
        function = getattr(module, name)

        def noted(*arguments: Any, **named: Any) -> Any:
            result.append(arguments)
            return function(*arguments, **named)

        monkeypatch.setattr(module, name, noted)
        return result

    return counted


def network(users: list[float], servers: float = 1.0) -> Any:
    """The network with priorities, at a batch of points."""
    model = build(parse(PRIORITIES.encode(), "model.toml"), "model.toml")
    varied: dict[str, Any] = {"users": np.array(users), "servers": np.full(len(users), servers)}
    return bind(model, Values(model, varied, len(users)))


def test_priorities_begin_with_known_fixed_points(calls: Callable[[Any, str], list[Any]]) -> None:
    """Five core solutions and the proof: one round each, 47 without."""
    first = solve(network([5.0, 20.0, 40.0]), AUTO)
    rounds = calls(priorities, "_image")
    again = solve(network([5.0, 20.0, 40.0]), AUTO.replace(near=first.near))
    assert first.method == again.method == "priority-mva"
    assert len(rounds) <= 7
    np.testing.assert_allclose(again.response, first.response, rtol=1e-12)


def test_known_fixed_points_of_other_unknowns_are_left_out() -> None:
    """A station of several servers has the ratio of waits as a further unknown."""
    first, wider = solve(network([5.0, 20.0]), AUTO), network([5.0, 20.0], 2.0)
    expected = solve(wider, AUTO)
    result = solve(wider, AUTO.replace(near=first.near))
    np.testing.assert_allclose(result.response, expected.response, rtol=1e-12)


def test_the_slopes_of_a_core_solution_are_those_of_the_next_rates(calls: Callable[[Any, str], list[Any]]) -> None:
    """Six networks with second phases, at some three rates each: 1100 points of rounds where slopes are taken anew."""
    rounds = calls(first_come, "_image")
    assert qnet.load("examples/search-fan-out.toml").bottleneck().records()
    assert sum(len(residence) for _, _, residence in rounds) <= 850


def test_knees_with_priorities_are_read_at_known_fixed_points(calls: Callable[[Any, str], list[Any]]) -> None:
    """Three axes: 1029 rounds where the figures at each knee are solved from the beginning."""
    rounds = calls(priorities, "_image")
    assert qnet.load("examples/priority-batch.toml").knee().records()
    assert len(rounds) <= 720


def test_a_knee_is_not_solved_again_to_see_that_it_has_no_chain(calls: Callable[[Any, str], list[Any]]) -> None:
    """Three axes of product form: 27 solutions where each knee is solved by the method of a single point."""
    solved = calls(closed_networks._Answer, "solve")
    assert qnet.load("examples/million-users.toml").knee().records()
    assert len(solved) <= 21


def test_the_chain_of_a_knee_is_solved_once(calls: Callable[[Any, str], list[Any]]) -> None:
    solved = calls(chain, "stationary")
    assert qnet.load("sfs-server").knee().records()
    sizes = [len(walk.states) for walk, _ in solved]
    assert len(sizes) == len(set(sizes)) > 3


@pytest.mark.parametrize(("name", "walks"), [("examples/web-tier.toml", 1), ("examples/bursty-arrivals.toml", 2)])
def test_a_chain_that_is_too_large_at_one_knee_is_not_generated_for_another(
    name: str, walks: int, calls: Callable[[Any, str], list[Any]]
) -> None:
    """The states of two axes with one structure, and those of the largest power beyond a smaller rate: twice as many
    walks where every knee begins its own."""
    begun = calls(shared.Walks, "_walk")
    assert qnet.load(name).knee().records()
    assert len(begun) == walks


def test_the_saturation_of_losses_begins_with_a_secant(calls: Callable[[Any, str], list[Any]]) -> None:
    """Six systems, of which two saturate above the capacities: 35 solutions from the middle."""
    solved = calls(points, "solve")
    assert qnet.load("examples/finite-queue.toml").bottleneck().records()
    assert len(solved) <= 32
