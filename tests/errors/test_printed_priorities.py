"""Printed approximations of closed networks with priorities, and ours, beside their Markov chains."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from chain import mean, stationary

from qnet.networks.exactness import Beyond
from qnet.networks.routed import ClosedClass, Group, Hold, Route, RoutedNetwork, Station, Time
from qnet.networks.solve import solve
from qnet.networks.wanted import AUTO

Times = tuple[float, float, float, float]
"""Of the two who interrupt and of the others at the processor, then at the disk."""


def exact(others: int, times: Times) -> tuple[float, float]:
    """Throughputs of two customers who interrupt others at a processor, and of these; states are lines at the disk."""

    def moves(line: str) -> Iterator[tuple[float, str]]:
        first = line.count("a") < 2
        if first or line.count("b") < others:
            yield 1 / times[not first], line + ("a" if first else "b")
        if line:
            yield 1 / times[2 + (line[0] == "b")], line[1:]

    shares = stationary("", moves)
    served = [mean(shares, lambda line, kind=kind: line[:1] == kind) for kind in ("a", "b")]
    return served[0] / times[2], served[1] / times[3]


@pytest.mark.parametrize(
    "others, times, priority_mva, shadow, error",
    [
        (6, (0.02, 0.20, 0.05, 0.05), (14.7267, 3.6158), (15.2737, 3.4716), 0.02),
        (1, (0.10, 0.10, 0.10, 0.10), (5.8278, 1.8079), (5.9175, 2.2475), 0.4),
        (3, (0.20, 0.02, 0.10, 0.10), (3.2225, 4.4555), (2.9292, 6.9352), 0.8),
    ],
)
def test_bondi_and_chuang(
    others: int, times: Times, priority_mva: tuple[float, float], shadow: tuple[float, float], error: float
):
    """Throughputs of tables 4 to 6 of A new MVA-based approximation for closed queueing networks with a preemptive
    priority server, Performance Evaluation 8 (1988) 195-221, as the tests of JMT quote them (loretor/JMTNewVersion,
    src/test/java/jmt/jmva/analytical): by priority MVA and by Sevcik's shadow server. Nobody thinks, so that those who
    interrupt meet those they have interrupted at the disk; all three methods are far off the lower class, and we warn.
    """
    stations = tuple(
        Station(name, False, 1, order, (Group(name, 1, 1.0),))
        for name, order in (("cpu", "preemptive"), ("disk", "fcfs"))
    )
    first, second = (
        (Hold("cpu", (Time(times[kind]),), priority=1 - kind), Hold("disk", (Time(times[2 + kind]),)))
        for kind in (0, 1)
    )
    classes = (
        ClosedClass("first", 2.0, 0.0, (Route("r", 1.0, first),)),
        ClosedClass("second", float(others), 0.0, (Route("r", 1.0, second),)),
    )
    known = exact(others, times)
    found = solve(RoutedNetwork(stations, classes), AUTO.replace(chain=0))

    def worst(rates: tuple[float, ...]) -> float:
        return max(abs(rate / right - 1) for rate, right in zip(rates, known, strict=True))

    own = worst(tuple(item.throughput for item in found.classes))
    assert own < error
    assert own < max(worst(priority_mva), worst(shadow))
    assert "QN646" in [reason.code for reason in found.reasons if isinstance(reason, Beyond)]


def test_with_equal_times_priorities_leave_the_sum_as_it_is():
    """The second network: 10 customers a second and server, three customers, two servers: 7.5 in all."""
    assert exact(1, (0.1, 0.1, 0.1, 0.1)) == pytest.approx((37 / 6, 4 / 3))
