"""What is counted is an integer in every answer; everything else is a float."""

from __future__ import annotations

import pytest

from qnet.model.load import load
from qnet.model.scope import counted
from qnet.questions.presentation.columns import parameter_cells


@pytest.mark.parametrize(
    ("system", "names"),
    [
        ("interactive-users", {"users"}),
        ("web-pool", {"workers", "connections"}),
        ("finite-queue", {"room"}),
        ("llm-server", {"batch", "queue"}),
        ("one-queue", set[str]()),
    ],
)
def test_parameters_that_count_are_found(system: str, names: set[str]) -> None:
    assert names <= counted(load(system))
    assert "rate" not in counted(load(system))


def test_a_count_is_an_integer_and_none_remains_none() -> None:
    cells = parameter_cells(load("interactive-users"), "users", [1.0, None, 3.0])
    assert cells == [1, None, 3]
    assert [type(cell) for cell in cells] == [int, type(None), int]


def test_a_column_with_a_fraction_has_floats_only() -> None:
    cells = parameter_cells(load("interactive-users"), "users", [1.0, 2.5])
    assert [type(cell) for cell in cells] == [float, float]


def test_a_rate_is_a_float() -> None:
    (cell,) = parameter_cells(load("web-pool"), "rate", [400.0])
    assert type(cell) is float
