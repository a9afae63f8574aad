"""The oracle of the tables of errors, against closed forms."""

from __future__ import annotations

import pytest
from chain import mean, stationary


def test_a_queue_with_room_for_few() -> None:
    """M/M/1/K: the shares are powers of the load."""
    shares = stationary(0, lambda n: [(0.5 * (n < 6), n + 1), (1.0 * (n > 0), n - 1)])
    total = sum(0.5**n for n in range(7))
    assert [shares[n] for n in range(7)] == pytest.approx([0.5**n / total for n in range(7)])
    assert mean(shares, float) == pytest.approx(sum(n * 0.5**n for n in range(7)) / total)


def test_machines_and_a_repairman() -> None:
    """M/M/1//N: every state by its birth and death rates."""
    shares = stationary(0, lambda n: [((3 - n) * 0.7, n + 1), (1.0 * (n > 0), n - 1)])
    weights = [1, 3 * 0.7, 6 * 0.7**2, 6 * 0.7**3]
    assert [shares[n] for n in range(4)] == pytest.approx([weight / sum(weights) for weight in weights])


def test_too_many_states_are_refused() -> None:
    with pytest.raises(ValueError, match="more than 1500 states"):
        stationary(0, lambda n: [(1.0, n + 1), (2.0 * (n > 0), n - 1)])
