"""Grids joined by `&` are varied together in every command that takes a grid."""

from __future__ import annotations

import pytest

import qnet
from qnet.errors import UsageError
from qnet.model.grids import Grid, combinations

PAIRS = [(2, 0.5), (4, 0.8)]
TEXT = "workers = 2, 4 & cache_hit = 0.5, 0.8"


@pytest.fixture(scope="module")
def web() -> qnet.System:
    return qnet.load("web-tier")


def test_an_envelope_has_a_point_for_each_pair(web: qnet.System) -> None:
    rows = web.envelope(vary="rate", limit="response <= 60 ms", over=TEXT).records()
    assert [(row["workers"], row["cache_hit"]) for row in rows] == PAIRS
    alone = [
        web.set(cache_hit=hit).envelope(vary="rate", limit="response <= 60 ms", over=f"workers={count}").records()[0]
        for count, hit in PAIRS
    ]
    assert [row["rate_per_s"] for row in rows] == pytest.approx([row["rate_per_s"] for row in alone])


def test_a_sweep_has_a_point_for_each_pair(web: qnet.System) -> None:
    rows = web.sweep(TEXT, metric="response").records()
    assert [(row["workers"], row["cache_hit"]) for row in rows] == PAIRS


def test_a_cost_has_a_point_for_each_pair() -> None:
    rows = qnet.load("paging-users").cost(over="users=200,300 & memory=64 MiB,91 MiB").records()
    assert {(row["users"], row["memory_B"]) for row in rows} == {(200, 64 * 2**20), (300, 91 * 2**20)}


def test_grids_of_different_length_do_not_go_in_step(web: qnet.System) -> None:
    with pytest.raises(UsageError, match="cannot be paired"):
        web.envelope(vary="rate", limit="response <= 60 ms", over="workers=2,4,6 & cache_hit=0.5,0.8")


def test_grids_in_step_multiply_with_others() -> None:
    grids = [Grid("a", (1, 2)), Grid("b", (3, 4), in_step=True), Grid("c", (5, 6))]
    assert combinations(grids, 10) == [(1, 3, 5), (1, 3, 6), (2, 4, 5), (2, 4, 6)]


def test_a_grid_in_step_pairs_after_others() -> None:
    grids = [Grid("a", (1, 2)), Grid("b", (3, 4)), Grid("c", (5, 6), in_step=True)]
    assert combinations(grids, 10) == [(1, 3, 5), (1, 4, 6), (2, 3, 5), (2, 4, 6)]
