"""The points of grids: their number is the product of the counts, and has a limit."""

import pytest

from qnet.errors import UsageError
from qnet.model.grids import Grid, combinations

GRIDS = [Grid("a", (1.0, 2.0)), Grid("b", (3.0, 4.0, 5.0))]


def test_the_first_grid_is_the_slowest() -> None:
    assert combinations(GRIDS, 6) == [(1, 3), (1, 4), (1, 5), (2, 3), (2, 4), (2, 5)]


def test_one_point_too_many_is_refused() -> None:
    with pytest.raises(UsageError, match="more than 5 points"):
        combinations(GRIDS, 5)
