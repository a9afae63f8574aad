"""How much passages vary because customers come back by chance: against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from qnet.networks.percentiles.responses import routing_variance


def test_a_number_of_visits_by_chance() -> None:
    """Geometric, of mean v: variance v (v - 1), here of times of 0.5 s; two points at once."""
    visits = np.array([1.0, 4.0])
    found = routing_variance((("", "a", 1.0), ("a", "a", visits - 1)), {"a": 0.5 * visits})
    assert found == pytest.approx(0.25 * visits * (visits - 1))


def test_a_station_that_some_go_to() -> None:
    """Once or never: a variance of p (1 - p)."""
    assert routing_variance((("", "a", 1.0), ("a", "b", 0.25)), {"a": 3.0, "b": 0.25}) == pytest.approx(0.1875)


def test_one_after_the_other_does_not_vary() -> None:
    assert routing_variance((("", "a", 1.0), ("a", "b", 1.0)), {"a": 3.0, "b": 2.0}) == 0.0


def test_visits_of_a_round_go_together() -> None:
    """Each round is one visit to both: the variance of the number of rounds, times the square of both times."""
    ways = ("", "a", 1.0), ("a", "b", 3.0), ("b", "a", 2.0)
    assert routing_variance(ways, {"a": 3.0, "b": 6.0}) == pytest.approx(9.0 * 3 * 2)
