"""Visits of a passage to one station that depend on each other: against Markov chains, and in their limits."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import qnet
from qnet.networks.percentiles.returns import dependence
from qnet.networks.routed import Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time
from qnet.networks.solve import solve

LOAD = 0.3


def added(load: float, between: float | None, discipline: str = "fcfs") -> float:
    """To the variance of the response, for two visits of 1 s each and a delay in between."""
    visit = Hold("a", (Time(1.0, 1.0),))
    steps = (visit, visit) if between is None else (visit, Time(between, 1.0), visit)
    network = RoutedNetwork(
        (Station("a", False, 1, discipline, (Group("a", 1, 1.0),)),),
        (OpenClass("all", load / 2, (Route("all", 1.0, steps),)),),
    )
    passages = solve(network).passages
    assert passages
    compiled = passages.compiled
    return dependence(network, compiled, passages.waits, compiled.routes[0], steps)["a", 0]


@pytest.mark.parametrize("visits", [(1, 1, 1, 1, 1), (2, 3), (3, 2), (4, 1)], ids=str)
def test_visits_in_a_row_are_the_same_in_several_steps(visits: tuple[int, ...]) -> None:
    """All pairs of visits of two steps counted as following each other at once: 2 % too long."""

    def p95(*numbers: int) -> float:
        steps = ", ".join(f'{{ station = "a", time = "2 ms", visits = {number} }}' for number in numbers)
        head = 'qnet = 1\ntitle = "t"\n[stations]\na = {}\n[classes.io]\narrival_rate = "80/s"\n'
        return qnet.loads(f"{head}steps = [{steps}]\n").metric("response_p95")

    assert p95(*visits) == pytest.approx(p95(5), rel=1e-9)


def test_an_immediate_return_to_a_first_come_first_served_queue() -> None:
    """The covariance of both times, by the number before a customer and the number behind, is exact."""
    most_before, most_behind = 20, 24
    index = {state: number for number, state in enumerate(product(range(most_before), range(most_behind)))}
    rates = np.zeros((len(index), len(index)))
    ends = np.zeros(len(index))
    for (before, behind), number in index.items():
        if behind + 1 < most_behind:
            rates[number, index[before, behind + 1]] += LOAD / 2
        if not before:
            ends[number] = 1.0
            continue
        # In product form each visit is the first or the second one, independently.
        for returns in (0, 1):
            rates[number, index[before - 1, min(behind + returns, most_behind - 1)]] += 0.5
    generator = rates - np.diag(rates.sum(1) + ends)
    second = np.array([1.0 + behind for _, behind in index])
    start = np.array([(1 - LOAD) * LOAD**before * (behind == 0) for before, behind in index])
    assert added(LOAD, None) == pytest.approx(2 * _covariance(generator, ends * second, start), rel=1e-5)


def test_a_return_after_a_long_time() -> None:
    """The covariance fades with the integral of the autocorrelation of the number, by the chain of M/M/1."""
    number = np.arange(60)
    generator = np.diag(np.full(59, LOAD), 1) + np.diag(np.ones(59), -1)
    generator -= np.diag(generator.sum(1))
    shares = (1 - LOAD) * LOAD**number
    deviations = number - shares @ number
    integrals = np.linalg.solve(np.outer(np.ones(60), shares) - generator, deviations)
    integral = (shares * deviations) @ integrals / (shares @ deviations**2)
    assert 1e6 * added(LOAD, 1e6) == pytest.approx(added(LOAD, None) * integral, rel=1e-4)


@pytest.mark.parametrize("load", [0.001, 0.01])
def test_visits_to_shared_service_depend_less_on_each_other_at_low_loads(load: float) -> None:
    """The limit of their covariance is 3/8 of what is taken: the end of the docstring."""
    most = 6
    states = [(second, one, two) for second in (0, 1) for one in range(most) for two in range(most - one)]
    index = {state: number for number, state in enumerate(states)}
    rates = np.zeros((len(states), len(states)))
    ends = np.zeros(len(states))
    for (second, one, two), number in index.items():
        pace = 1 / (one + two + 1)
        after = [((second, one + 1, two), load / 2), ((second, one - 1, two + 1), one * pace)]
        after.append(((second, one, two - 1), two * pace))
        for state, rate in after:
            if state in index:
                rates[number, index[state]] += rate
        if second:
            ends[number] = pace
        else:
            rates[number, index[1, one, two]] += pace
    generator = rates - np.diag(rates.sum(1) + ends)
    # The first visits end in states of second ones.
    later = np.array([bool(second) for second, _, _ in states])
    times = np.linalg.solve(-generator[later][:, later], np.ones(later.sum()))
    both = np.zeros(len(states))
    both[~later] = rates[~later][:, later] @ times
    start = np.array([(1 - load) if not one + two else (1 - load) * load / 2 if one + two == 1 else 0.0
                      for second, one, two in states if not second])  # fmt: skip
    covariance = _covariance(generator[~later][:, ~later], both[~later], start)
    assert covariance == pytest.approx(3 / 8 * added(load, None, "ps") / 2, rel=5 * load)


def _covariance(generator: Any, after: Any, start: Any) -> float:
    """Of the time until a chain ends and of a time that follows.

    generator   without the transitions that end it.
    after       by state: the rate of these, each weighted with the mean time that follows it.
    start       probabilities.
    """
    start = start / start.sum()
    first = np.linalg.solve(-generator, np.ones(len(start)))
    second = np.linalg.solve(-generator, after)
    both = np.linalg.solve(-generator, second)
    return float(start @ both - (start @ first) * (start @ second))
