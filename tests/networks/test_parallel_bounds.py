"""Bounds of parallel steps: known values, and the reasons where there are none.

That they enclose the exact answers of 400 random systems is part of `tests/errors/test_error_fork_join.py`.
"""

from __future__ import annotations

from math import inf

import pytest

from qnet.errors import NotComputed
from qnet.networks.parallel.bounds import closed_bounds, not_separate
from qnet.networks.routed import (
    Branch,
    ClosedClass,
    Fork,
    Group,
    Hold,
    OpenClass,
    Route,
    RoutedNetwork,
    Station,
    Step,
    Time,
)
from qnet.networks.solve import solve
from qnet.networks.wanted import Wanted

ASKED = Wanted(bounds="asymptotic")


def queue(name: str, copies: int = 1, discipline: str = "fcfs", servers: int = 1) -> Station:
    return Station(name, False, servers, discipline, (Group(name, copies, 1 / copies),))


def visit(name: str, time: float = 0.5, scv: float = 1.0, **options: float) -> Hold:
    return Hold(name, (Time(time, scv),), **options)


def fork(*branches: tuple[Step, ...], needed: int | None = None, copies: int = 1) -> Fork:
    named = tuple(Branch(f"branch {place}", steps, copies) for place, steps in enumerate(branches, start=1))
    return Fork(named, needed or copies * len(branches))


def arriving(*steps: Step, rate: float = 1.0) -> OpenClass:
    return OpenClass("io", rate, (Route("io", 1.0, steps),))


def thinking(count: float, *steps: Step) -> ClosedClass:
    return ClosedClass("job", count, 2.0, (Route("job", 1.0, steps),))


A, B, C = queue("a"), queue("b"), queue("c")
PAIR = fork((visit("a"),), (visit("b"),))


def bounds(stations: tuple[Station, ...], *classes: OpenClass | ClosedClass) -> tuple[float, ...]:
    """Of the response of the first class."""
    found = solve(RoutedNetwork(stations, classes), ASKED).classes[0]
    assert found.enclosed is not None and found.enclosed[2] <= found.response <= found.enclosed[3]
    return found.enclosed[2:]


@pytest.mark.parametrize(
    "needed, lower, upper",
    [(4, 1, 25 / 12), (3, 1 / 2, 11 / 6), (2, 1 / 3, 4 / 3), (1, 1 / 4, 1)],
)
def test_like_lines(needed: int, lower: float, upper: float):
    """Of k of n: the first of n - k + 1, and the last of k, of independent times of 1 s; or of all n / (n - k + 1)."""
    disks = fork((visit("disk"),), needed=needed, copies=4)
    assert bounds((queue("disk", 4),), arriving(disks)) == pytest.approx((lower, upper), rel=1e-9)


def test_two_like_lines_enclose_flatto_and_hahn():
    lower, upper = bounds((A, B, C), arriving(visit("c"), PAIR, Time(0.1)), arriving(visit("a"), rate=0.5))
    slow, fast = 1 / (2 - 1.5), 1.0
    before = 1.0 + 0.1
    assert lower == pytest.approx(before + slow, rel=1e-9)
    assert upper == pytest.approx(before + slow + fast - 1 / (1 / slow + 1 / fast), rel=1e-9)


def test_a_line_of_two_queues_counts_as_one_exponential_time():
    lower, upper = bounds((A, B, C), arriving(fork((visit("a"), visit("b")), (visit("c"),))))
    assert (lower, upper) == pytest.approx((2, 2 + 1 - 1 / (1 / 2 + 1)), rel=1e-9)


@pytest.mark.parametrize(
    "stations, branch",
    [
        ((queue("a", discipline="ps"), B), (visit("a"),)),
        ((queue("a", servers=2), B), (visit("a", 1.0),)),
        ((A, B), (Time(0.2), visit("a"))),
        ((A, B), (visit("a", 0.25, visits=2.0),)),
    ],
    ids=["shared", "two servers", "late", "twice"],
)
def test_others_take_no_longer_than_one_after_the_other(stations: tuple[Station, ...], branch: tuple[Step, ...]):
    alone = solve(RoutedNetwork(stations, (arriving(*branch),))).response
    lower, upper = bounds(stations, arriving(fork(branch, (visit("b"),))))
    assert (lower, upper) == pytest.approx((max(alone, 1), alone + 1), rel=1e-9)
    first = bounds(stations, arriving(fork(branch, (visit("b"),), needed=1)))
    assert first == pytest.approx((0, min(alone, 1, (alone + 1) / 2)), rel=1e-9)


def test_a_closed_class_is_limited_by_its_longest_branch_or_its_busiest_station():
    steps = (visit("c", 0.1), fork((visit("a", 0.5), Time(0.2)), (visit("b", 0.6),)))
    whole = 0.1 + 0.5 + 0.2 + 0.6
    for count in (1.0, 3.0, 50.0):
        lower, upper = bounds((A, B, C), thinking(count, *steps))
        assert lower == pytest.approx(max(0.1 + 0.7, count * 0.6 - 2.0), rel=1e-9)
        assert upper == pytest.approx(count * whole, rel=1e-9)


@pytest.mark.parametrize("count", [1.0, 2.0])
def test_customers_who_go_on_after_the_first_branch_are_enclosed(count: float):
    """The first of two exponential times is sooner, in the mean, than the mean of either."""
    steps = (fork((visit("a", 0.5),), (visit("b", 0.6),), needed=1), visit("c", 0.1))
    network = RoutedNetwork((A, B, C), (thinking(count, *steps),))
    exact = solve(network, Wanted(method="states"))
    lower, upper, least, most = closed_bounds(network)
    assert lower <= exact.throughput <= upper
    assert least <= exact.response <= most
    assert least >= 0.1


@pytest.mark.long
def test_work_left_behind_is_work():
    steps = (PAIR, visit("c", 0.3).replace(phase=2))
    assert bounds((A, B, C), thinking(10.0, *steps)) == pytest.approx((10 * 0.5 - 2, 10 * 1.3), rel=1e-9)


@pytest.mark.parametrize(
    "classes, reason",
    [
        (
            (
                arriving(
                    fork((visit("a", 0.2),), (visit("a", 0.2), visit("b"))),
                ),
            ),
            "share a station",
        ),
        ((arriving(visit("a", 0.2), fork((visit("a", 0.2),), (visit("b"),))),), "one that is before"),
        ((arriving(PAIR), OpenClass("other", 0.1, (Route("r", 1.0, (visit("a"), visit("b"))),))), "share a station"),
        ((arriving(PAIR, visit("c")),), "queue again"),
        ((arriving(PAIR, fork((visit("c"),), (Time(0.1),))),), "another one"),
        ((arriving(fork((visit("a", 0.5, 2.0),), (visit("b"),))),), "a: service times are not exponential"),
        ((thinking(2.0, PAIR), arriving(visit("c"))), "several classes"),
    ],
    ids=["inside", "before", "by others", "after", "two", "scv", "mixed"],
)
def test_where_there_are_none_the_reason_is_told(classes: tuple[OpenClass | ClosedClass, ...], reason: str):
    network = RoutedNetwork((A, B, C), classes)
    assert all(item.enclosed is None for item in solve(network).classes)
    with pytest.raises(NotComputed, match=reason) as refused:
        solve(network, ASKED)
    assert refused.value.problems[0].code == "QN563"


def test_other_kinds_of_bounds_are_for_product_form():
    with pytest.raises(NotComputed, match="branches run in parallel") as refused:
        solve(RoutedNetwork((A, B), (arriving(PAIR),)), Wanted(bounds="balanced"))
    assert refused.value.problems[0].code == "QN513"


def test_searches_and_overloads_have_none():
    assert solve(RoutedNetwork((A, B), (arriving(PAIR),)), Wanted(enclosed=False)).classes[0].enclosed is None
    full = solve(RoutedNetwork((A, B), (arriving(PAIR, rate=2.0),)))
    assert not full.stable and full.classes[0].enclosed is None
    assert inf not in (solve(RoutedNetwork((A, B), (thinking(0.0, PAIR),))).classes[0].enclosed or ())


def test_branches_are_connected_by_customers_that_go_from_one_to_the_other_before_a_step_of_their_own():
    """What the step sends to both meets those who come from the first to the second: their times are not those of
    Poisson arrivals. Those who visit one of them only connect nothing."""
    both, others = arriving(PAIR, rate=0.2), fork((visit("c"),), (visit("d"),))
    stations = (A, B, C, queue("d"))
    connected = RoutedNetwork(stations, (both, arriving(visit("a"), visit("b"), others, rate=0.2)))
    assert "share a station" in not_separate(connected)
    apart = RoutedNetwork(stations, (both, arriving(visit("a"), others, rate=0.2)))
    assert not_separate(apart) == ""
