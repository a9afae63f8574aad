"""Open networks whose times are not exponential, or whose arrivals are not Poisson: against exact Markov chains."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest
from measuring import assert_told
from open_systems import ALL, EXACT, exact

from qnet.networks.exactness import Beyond
from qnet.networks.measured_errors import MEASURED
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve
from qnet.networks.wanted import Wanted

KEPT: dict[str, list[float]] = json.loads(EXACT.read_text())


@cache
def answers(name: str, method: str = "auto") -> list[RoutedSolution]:
    """The answers of the systems of a row."""
    return [solve(item.network, Wanted(method)) for item in ALL[name]()]


def errors(name: str, method: str = "auto") -> Any:
    """Relative errors of the mean response, where the answer is trusted unless the row is of what is not."""
    outside = not MEASURED[name].trusted
    counted = [outside or not any(isinstance(reason, Beyond) for reason in item.reasons) for item in answers(name)]
    return (np.array([item.response for item in answers(name, method)]) / KEPT[name] - 1.0)[counted]


@pytest.mark.long
@pytest.mark.parametrize("name", ALL)
def test_the_errors_are_those_that_are_told(name: str):
    assert_told(name, errors(name))


@pytest.mark.parametrize("name", ALL)
def test_what_is_kept_is_what_the_chain_says(name: str):
    """Of the smallest systems, and of ten others."""
    cases = ALL[name]()
    small = sorted(range(len(cases)), key=lambda place: np.prod(cases[place].chain.sizes))
    some = [*small[:100:10], *small[100:150:25]]
    assert exact([cases[place] for place in some]) == pytest.approx(np.array(KEPT[name])[some], rel=1e-7)


@pytest.mark.long
def test_poisson_arrivals_everywhere_are_much_worse():
    ours, theirs = (abs(errors("service times in open networks", method)) for method in ("auto", "open"))
    assert ours.mean() < theirs.mean() / 2
    assert ours.max() < theirs.max() / 2
