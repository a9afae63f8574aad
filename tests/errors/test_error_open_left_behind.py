"""How far open customers who leave work behind at one queue are from the exact answer, which is linear equations."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from measuring import assert_told

from qnet.networks.exactness import Beyond
from qnet.networks.routed import Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve
from qnet.networks.wanted import AUTO


class Leaving(NamedTuple):
    """By class: arrivals per second, and the exponential times of its service and of what it leaves at the end."""

    rates: list[float]
    served: list[float]
    left: list[float]


def drawn(random: Random) -> Leaving:
    """One to three classes, times up to 20 apart, loads up to 0.95."""
    count = random.choice([1, 2, 3])
    rates = [random.uniform(0.1, 1.0) for _ in range(count)]
    served, left = ([20.0 ** random.random() for _ in range(count)] for _ in range(2))
    some = [random.choice([0.0, 1.0, 1.0]) for _ in range(count)]
    left = [time * one if any(some) else time for time, one in zip(left, some, strict=True)]
    load = random.uniform(0.1, 0.95)
    busy = sum(rate * (time + later) for rate, time, later in zip(rates, served, left, strict=True))
    return Leaving([rate * load / busy for rate in rates], served, left)


def alone() -> list[Leaving]:
    """One class of every ratio of its times and many loads: the worst is where the ratio is nearly too large."""
    ratios, loads = np.geomspace(0.05, 20.0, 120), (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
    return [Leaving([load / (1.0 + ratio)], [1.0], [ratio]) for ratio in ratios.tolist() for load in loads]


def responses(system: Leaving) -> list[float]:
    """Exact mean responses.

    An arrival waits for all that is there: W. What it leaves waits for those who came in the W + S seconds since, and
    for what those leave whom it met, rate x (W + S) of every class; all that had been left before is done. By Little's
    law that gives what waits, and by the memoryless property what is left of what is in service.
    """
    classes = list(zip(*system, strict=True))
    first, second = (sum(rate * times[place] for rate, *times in classes) for place in (0, 1))
    behind = sum(rate * time * later for rate, time, later in classes)
    constant = sum(rate * (time**2 + later**2 + later * (first * time + behind)) for rate, time, later in classes)
    wait = constant / (1.0 - first - second * (first + second))
    return [wait + time for time in system.served]


def answer(system: Leaving) -> RoutedSolution:
    """The same by qnet, without a Markov chain."""
    queue = Station("queue", False, 1, "fcfs", (Group("queue", 1, 1.0),))
    classes = [
        OpenClass(f"{number}", rate, (Route("all", 1.0, (_visit(time), *([_visit(later, 2)] if later else []))),))
        for number, (rate, time, later) in enumerate(zip(*system, strict=True))
    ]
    return solve(RoutedNetwork((queue,), tuple(classes)), AUTO.replace(chain=0))


def _visit(time: float, phase: int = 1) -> Hold:
    return Hold("queue", (Time(time),), phase=phase)


def errors(found: RoutedSolution, system: Leaving) -> float:
    """The largest relative error of a response."""
    told = [item.response for item in found.classes]
    return max(abs(one / other - 1.0) for one, other in zip(told, responses(system), strict=True))


@pytest.mark.long
def test_the_errors_are_those_that_are_told():
    random = Random(654)
    systems = [drawn(random) for _ in range(600)] + alone()
    found = [(answer(system), system) for system in systems]
    inside = [errors(*item) for item in found if not any(isinstance(reason, Beyond) for reason in item[0].reasons)]
    assert max(errors(*item) for item in found) > 0.4
    assert_told("second phases: open, left at one queue", inside)


def test_the_equations_are_those_of_a_queue_where_all_times_are_alike():
    assert responses(Leaving([0.2, 0.1], [1.0, 1.0], [1.0, 2.0 - 1.0])) == pytest.approx([2.5, 2.5])
    assert responses(Leaving([0.3, 0.1], [1.0, 2.0], [0.0, 0.0])) == pytest.approx([1.0 + 0.7 / 0.5, 2.0 + 0.7 / 0.5])


def test_the_equations_are_those_of_a_markov_chain():
    """Of one class with a light load: who is in line, and what has been left, in their order; nine at most."""
    rate, served, left = 0.03, 1.0, 4.0
    lines = [line for length in range(10) for line in product((served, left), repeat=length)]
    place = {line: number for number, line in enumerate(lines)}
    flows = np.zeros((len(lines), len(lines)))
    for line, number in place.items():
        ways = [(1.0 / line[0], (*line[1:], left) if line[0] == served else line[1:])] if line else []
        for often, after in [*ways, (rate, (*line, served))]:
            if after in place:
                flows[place[after], number] += often
                flows[number, number] -= often
    flows[0] = 1.0
    shares = np.linalg.solve(flows, np.eye(len(lines))[0])
    present = sum(share * line.count(served) for share, line in zip(shares, lines, strict=True))
    assert present / rate == pytest.approx(responses(Leaving([rate], [served], [left]))[0], rel=1e-5)
