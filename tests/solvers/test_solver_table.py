"""Every row of the table of solvers keeps the contract of `solvers.protocol`."""

from __future__ import annotations

import inspect

import pytest
from building import customers, network, station

from qnet.errors import NotComputed, Problem
from qnet.networks.reasons import SENTENCES
from qnet.networks.routed import Hold, Step, Time
from qnet.networks.solvers.chooser import choose
from qnet.networks.solvers.features import Final, of_routes
from qnet.networks.solvers.loader import solver
from qnet.networks.solvers.table import TABLE, MethodRow, row_of
from qnet.networks.wanted import Wanted

ROWS = pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.name} {row.takes}")


@ROWS
def test_a_row_is_known_to_the_choosers(row: MethodRow):
    assert row.takes in ("routes", "demands", "closed") and row.trust in ("exact", "approximate")
    assert row_of(row.name, row.takes) is row
    assert not row.family or row_of(row.family, row.takes)


@ROWS
def test_its_features_have_sentences(row: MethodRow):
    assert row.supports | row.of <= set(SENTENCES)
    assert row.of <= row.supports


@ROWS
def test_its_module_says_what_it_is_and_how_it_solves(row: MethodRow):
    module = solver(row)
    for name in ("CLASSES", "APPLIES", "COST", "SOURCE"):
        assert getattr(module, name)
    taken = {name: list(inspect.signature(getattr(module, name)).parameters) for name in ("applies", "work", "solve")}
    both = ["network", "wanted"]
    assert taken == {"applies": both, "work": both, "solve": [*both, "solve_part"]}
    assert not row.patient or hasattr(module, "at_last")
    assert getattr(module, "NAME", row.name) == row.name


@pytest.mark.parametrize(
    "left_behind", [Hold("b", (Time(0.1),), phase=2), Hold("a", (Time(0.1), Time(0.2, phase=2))), Time(0.2, phase=2)]
)
def test_second_phase_work_is_a_feature_whatever_does_it(left_behind: Step):
    steps = Hold("a", (Time(0.1),)), left_behind
    for each, expected in ((steps, {"second phase"}), (steps[:1], set[str]())):
        asked = network((station("a"), station("b")), customers(1.0, *each))
        assert of_routes(asked, Wanted()) - {"no closed classes"} == expected


class Way:
    """A way to solve that fails or answers, and whether it was asked."""

    def __init__(self, name: str, result: Exception | str) -> None:
        self.name, self.result, self.asked = name, result, False

    def refusal(self) -> None:
        """It applies."""

    def solve(self) -> str:
        self.asked = True
        if isinstance(self.result, str):
            return self.result
        raise self.result


@pytest.mark.parametrize(("kind", "goes_on"), [(NotComputed, True), (Final, False)])
def test_after_a_failure_the_next_way_is_tried_unless_it_is_final(kind: type[NotComputed], goes_on: bool):
    ways = Way("first", kind(Problem("QN515", "it takes too much"))), Way("second", "an answer")
    outcome = choose(ways)
    assert [way.asked for way in ways] == [True, goes_on]
    assert (outcome.solution, outcome.name) == (("an answer", "second") if goes_on else (None, ""))
    assert [name for name, _ in outcome.failed] == ["first"]
