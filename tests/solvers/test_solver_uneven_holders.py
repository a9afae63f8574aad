"""Copies that are used unequally and held around one station, against the Markov chain of two of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from building import customers, network
from nested_chain import stationary

from qnet.networks.open.solve import solve
from qnet.networks.routed import Group, Hold, RoutedNetwork, Station, Time

sys.path.append(str(Path(__file__).parents[1] / "errors"))
from kept_chains import kept

pytestmark = pytest.mark.sliced

_MOST = 45
"""Customers at each copy, of which there are never so many."""
_State = tuple[tuple[int, int], tuple[int, ...]]
"""Customers at both copies; and the copies whose first customer is at the inner station, in order of arrival."""


def uneven(share: float, rate: float, elsewhere: float) -> RoutedNetwork:
    """Two copies, the first with `share` of the customers, around an inner station with a mean time of 1 s."""
    outer = Station("outer", False, 1, "fcfs", (Group("hot", 1, share), Group("cold", 1, 1 - share)))
    inner = Station("inner", False, 1, "fcfs", (Group("inner", 1, 1.0),))
    hold = Hold("outer", (Time(elsewhere), Hold("inner", (Time(1.0),))))
    return network([outer, inner], customers(rate, hold))


def exact(share: float, rate: float, elsewhere: float) -> float:
    """The mean response."""
    rates = (rate * share, rate * (1 - share))

    def moves(state: _State) -> Iterator[tuple[float, _State]]:
        counts, inside = state
        for copy in (0, 1):
            more = (counts[0] + (copy == 0), counts[1] + (copy == 1))
            if counts[copy] < _MOST:
                yield rates[copy], (more, inside)
            if counts[copy] and copy not in inside:
                yield 1 / elsewhere, (counts, (*inside, copy))
        if inside:
            yield 1.0, ((counts[0] - (inside[0] == 0), counts[1] - (inside[0] == 1)), inside[1:])

    states: list[_State] = [((0, 0), ())]
    numbers = {states[0]: 0}
    rows: list[tuple[int, int, float]] = []
    for state in states:
        for speed, after in moves(state):
            if after not in numbers:
                numbers[after] = len(states)
                states.append(after)
            rows.append((numbers[state], numbers[after], speed))
    source, target, speeds = (np.array(column) for column in zip(*rows, strict=True))
    shares = stationary(source, target, speeds, len(states))
    return float(shares @ np.array([sum(counts) for counts, _ in states])) / rate


@pytest.mark.parametrize(
    ("share", "rate", "elsewhere"),
    [(0.9, 0.3, 1.0), (0.9, 0.45, 1.0), (0.75, 0.5, 1.0), (0.6, 0.6, 0.5), (0.9, 0.25, 3.0), (0.5, 0.6, 0.5)],
)
def test_a_holder_meets_the_others_only(share: float, rate: float, elsewhere: float) -> None:
    """One that asks for most requests waits for few of others; all are as full as they are without its waits."""
    solution = solve(uneven(share, rate, elsewhere))
    assert solution.stable
    (response,) = kept("uneven holders", (elsewhere, share, rate), lambda: [exact(share, rate, elsewhere)])
    assert solution.response == pytest.approx(response, rel=0.03)


def test_the_only_copy_that_is_used_never_waits_inside() -> None:
    for share in (1.0, 1 - 1e-12):
        solution = solve(uneven(share, 0.3, 1.0))
        (wait,) = (item.wait for item in solution.stations if item.name == "inner")
        assert float(wait) == pytest.approx(0.0, abs=1e-8)
