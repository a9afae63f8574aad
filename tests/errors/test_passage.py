"""The oracle of percentiles, against closed forms."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from passage import DONE, OVER, percentiles

SHARES = (0.9, 0.99)


def test_one_exponential_time() -> None:
    rate = np.array([0.5, 2.0])
    found = percentiles({"here": np.ones(2)}, lambda _: [(rate, DONE)], SHARES)
    assert found == pytest.approx(np.array([[-log(1 - share) / each for each in rate] for share in SHARES]), rel=1e-6)


def test_two_times_one_after_the_other() -> None:
    moves = {"one": [(1.0, "two")], "two": [(3.0, DONE)]}
    times = percentiles({"one": np.ones(1)}, lambda state: moves[state], SHARES)[:, 0]
    assert [1 - 1.5 * exp(-t) + 0.5 * exp(-3 * t) for t in times] == pytest.approx(SHARES, abs=1e-6)


def test_a_queue_that_is_cut_off() -> None:
    """M/M/1: exponential, at the difference of the rates."""
    loads = np.array([0.3, 0.6])
    first = {n: (1 - loads) * loads**n for n in range(30)}
    times = percentiles(first, lambda n: [(1.0, n - 1 if n else DONE)], SHARES, 1e-3)
    assert times == pytest.approx(np.array([-log(1 - share) / (1 - loads) for share in SHARES]), rel=1e-4)


def test_a_cut_that_matters_is_refused() -> None:
    moves = {0: [(1.0, DONE), (0.02, OVER)]}
    with pytest.raises(AssertionError):
        percentiles({0: np.ones(1)}, lambda state: moves[state], (0.9,), 1e-3)
