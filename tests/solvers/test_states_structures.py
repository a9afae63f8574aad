"""Chains that differ in rates share what follows from their states and transitions alone."""

import pytest

import qnet
from qnet import budget
from qnet.budget import Account
from qnet.networks.states import chain, shared


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often graphs are searched, walks are made and states are bounded from below."""
    result = {"searches": 0, "walks": 0, "bounds": 0}
    levels, walk, least = chain._Graph.levels, shared.chain.walk, shared.least_states

    def searched(self: chain._Graph, root: int):
        result["searches"] += 1
        return levels(self, root)

    def walked(*given: object):
        result["walks"] += 1
        return walk(*given)  # type: ignore[arg-type]

    def bounded(network: object):
        result["bounds"] += 1
        return least(network)  # type: ignore[arg-type]

    monkeypatch.setattr(chain._Graph, "levels", searched)
    monkeypatch.setattr(shared.chain, "walk", walked)
    monkeypatch.setattr(shared, "least_states", bounded)
    return result


def test_what_a_hundred_points_of_a_sensitivity_have_in_common_is_found_once(counted: dict[str, int]):
    """Of 123 chains: a walk for each table and structure, and the levels of every structure."""
    with budget.opened(Account()):
        report = qnet.load("sfs-server").sensitivity()
    assert {row["method"] for row in report.records()} == {"states"}
    assert counted["walks"] <= 7
    assert counted["bounds"] <= 7
    assert counted["searches"] <= 15


def test_a_structure_is_that_of_the_same_states_and_transitions_alone():
    with budget.opened(Account()) as account:
        first = chain.structure_of([1, 2], [0, 1], [1, 0])
        assert chain.structure_of([1, 2], [0, 1], [1, 0]) is first
        assert chain.structure_of([1, 3], [0, 1], [1, 0]) is not first
        assert chain.structure_of([1, 2], [0, 1, 1], [1, 0, 0]) is not first
        assert len(account.structures) == 3


def test_states_that_are_left_for_good_are_found_though_the_first_is_never_reached_again():
    structure = chain.Structure([0, 1, 2], [0, 1, 2], [1, 2, 1])
    assert structure.recurrent.tolist() == [False, True, True]
    assert chain.Structure([0, 1], [0, 1], [1, 0]).recurrent is None
