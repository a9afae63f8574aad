"""What rounds over waits inside holds compute, by counts: nothing twice that stands, and nothing that no wait needs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from building import customers, network, station, visit

from qnet.lazy import np
from qnet.model.bind import bind
from qnet.model.load import load
from qnet.model.values import Values
from qnet.networks.open import hold_warnings
from qnet.networks.open.solve import OpenSolver
from qnet.networks.routed import Hold, Time
from qnet.queues import finite_source, waiting


def solver(**columns: Any) -> OpenSolver:
    """The 3990-6, at some points."""
    model, size = load("ibm-3990-6"), len(next(iter(columns.values())))
    varied = {name: np.asarray(values, dtype=float) for name, values in columns.items()}
    return OpenSolver(bind(model, Values(model, varied, size)))


def visited(inside: OpenSolver, monkeypatch: pytest.MonkeyPatch) -> tuple[int, Counter[str]]:
    """The rounds, and how often every station was visited."""
    visits: Counter[str] = Counter()
    visit = OpenSolver.visit

    def counted(self: OpenSolver, centre: Any, *more: Any) -> None:
        visits[centre.key[0]] += 1
        visit(self, centre, *more)

    monkeypatch.setattr(OpenSolver, "visit", counted)
    return inside.find_waits(), visits


def test_stations_are_visited_after_those_whose_waits_theirs_rest_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the drive, which holds the paths, came after the paths in front, there was one round more."""
    inside = solver(rate=[300.0, 400.0, 500.0], write_fraction=[0.0, 0.1, 0.2])
    assert [centre.key[0] for centre in inside.inner][-1] == "front_end"
    rounds, visits = visited(inside, monkeypatch)
    assert rounds <= 3
    assert max(visits.values()) <= rounds


def test_a_station_whose_waits_rest_on_none_unknown_is_visited_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds, visits = visited(solver(rate=[100.0, 200.0], access=[1.0, 1.0]), monkeypatch)
    assert rounds == 1 or min(visits.values()) == 1


def test_lines_of_an_even_share_share_their_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two lines of holders: a chain for each where they differ, one for both where they do not."""
    sizes: list[int] = []
    solve = finite_source.full_probabilities

    def counted(sources: Any, servers: int, offered: Any, *more: Any) -> Any:
        sizes.append(len(offered))
        return solve(sources, servers, offered, *more)

    monkeypatch.setattr(waiting.finite_source, "full_probabilities", counted)
    skew = [1.0, 1.0, 1.0, 2.0]
    inside = solver(rate=[300.0] * 4, skew=skew, write_fraction=[0.0] * 4)
    inside.find_waits()
    assert sizes == [8, 5]
    alone = solver(rate=[300.0], skew=[2.0], write_fraction=[0.0])
    alone.find_waits()
    front = [index for index in inside.in_holds if inside.all[index].station == "front_end"]
    for index in front:
        assert inside.waits[index].mean[3] == pytest.approx(alone.waits[index].mean[0], rel=1e-13)


def test_outer_stations_follow_waits_that_are_made_longer() -> None:
    """Also where all waits inside were known before the rounds."""
    outer, inner = station("outer", 1), station("inner", 1)
    held = customers(0.3, Hold("outer", (Time(0.5), visit("inner", 1.0))), name="held")
    inside = OpenSolver(network([outer, inner], held, customers(0.2, visit("inner", 1.0))))
    inside.find_waits()
    assert inside.known
    assert hold_warnings.elasticity(inside) > 0.1
