"""Every row of the table of solvers keeps the contract of `solvers.protocol`."""

from __future__ import annotations

import inspect

import pytest

from qnet.networks.reasons import SENTENCES
from qnet.networks.solvers.loader import solver
from qnet.networks.solvers.table import TABLE, MethodRow, row_of

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
