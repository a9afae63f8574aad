"""Several classes at one limited subnetwork: exact where they are indistinguishable, and within what it can serve."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from full import long_but

import qnet
from qnet.networks.exactness import Beyond
from qnet.networks.identical_classes import identical_classes
from qnet.networks.routed import ClosedClass, Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time
from qnet.networks.solve import solve
from qnet.networks.wanted import AUTO, Wanted

CPU, DISK = Fraction(12, 100), Fraction(125, 1000)
"""Demands inside, in seconds."""
SWEPT = """
qnet = 1
title = "Two classes in one pool"
[parameters]
time = "200 ms"
[stations]
pool = { servers = 2 }
cpu = {}
[classes.a]
arrival_rate = "3/s"
steps = [ { hold = "pool", steps = [ { time = "200 ms" }, { station = "cpu", time = "20 ms" } ] } ]
[classes.b]
arrival_rate = "2/s"
steps = [ { hold = "pool", steps = [ { time = "time" }, { station = "cpu", time = "20 ms" } ] } ]
"""


def station(name: str, servers: int = 1) -> Station:
    return Station(name, False, servers, "fcfs", (Group(name, 1, 1.0),))


def visit(name: str, time: float, visits: float = 1.0) -> Hold:
    return Hold(name, (Time(time),), visits)


def limited(places: int, *classes: OpenClass | ClosedClass, size: int | None = None) -> RoutedNetwork:
    return RoutedNetwork((station("memory", places), station("cpu"), station("disk")), classes, size=size)


def users(name: str, people: float, think_time: float, *inside: Hold | Time) -> ClosedClass:
    return ClosedClass(name, people, think_time, (Route(name, 1.0, (Hold("memory", inside),)),))


def arriving(name: str, rate: float, *inside: Hold | Time, holds: str = "memory") -> OpenClass:
    return OpenClass(name, rate, (Route(name, 1.0, (Hold(holds, inside),)),))


def same(times: int = 1) -> tuple[Hold, ...]:
    """The demands above, in some visits."""
    return visit("cpu", float(CPU) / times, float(times)), visit("disk", float(DISK) / times, float(times))


def full(places: int, cpu: Fraction, disk: Fraction) -> Fraction:
    """The throughput with all places taken: product form, by Buzen's sums."""
    sums = [sum((cpu**number * disk ** (count - number) for number in range(count + 1)), Fraction(0)) for count in
            (places - 1, places)]  # fmt: skip
    return sums[0] / sums[1]


@pytest.mark.parametrize("places", [2, 3, 5])
def test_identical_closed_classes_have_the_exact_answer_of_one(places: int) -> None:
    """By the chain of all states of one class."""
    one = solve(limited(places, users("all", 30.0, 4.0, *same())), Wanted(method="states"))
    apart = solve(limited(places, users("a", 10.0, 4.0, *same()), users("b", 20.0, 4.0, *same())))
    assert one.exact
    assert apart.exact
    assert [item.response for item in apart.classes] == pytest.approx([one.response] * 2, rel=1e-12)
    assert [item.throughput for item in apart.classes] == pytest.approx(
        [one.throughput / 3, 2 * one.throughput / 3], rel=1e-12
    )
    assert sum(item.queue_length for item in apart.visits) == pytest.approx(
        sum(item.queue_length for item in one.stations), rel=1e-9
    )


@pytest.mark.parametrize("times", [1, 6])
@pytest.mark.parametrize("places", long_but([3, 5], 3))
def test_no_more_is_served_than_with_all_places_taken(places: int, times: int) -> None:
    """Layers alone served 6.15 per second with three places, and 6.12 is the most."""
    most = float(full(places, CPU, DISK))
    for other in (4.0, 4.001, 1.0):
        network = limited(places, users("a", 40.0, 4.0, *same(times)), users("b", 40.0, other, *same(times)))
        solution = solve(network, AUTO.replace(chain=0))
        assert solution.throughput <= most * (1 + 1e-9)
        assert solution.throughput > 0.9 * most


def test_two_kinds_of_users_at_three_places() -> None:
    """Simulated: 1.005 s and 1.283 s, with 40 million events; layers alone have 0.860 and 1.129."""
    browse = users("browse", 20.0, 3.0, visit("cpu", 0.02, 5.0), visit("disk", 0.025, 4.0))
    buy = users("buy", 10.0, 6.0, visit("cpu", 0.02, 8.0), visit("disk", 0.025, 7.0))
    solution = solve(limited(3, browse, buy))
    assert [item.response for item in solution.classes] == pytest.approx([1.005, 1.283], rel=0.04)
    for item, stated in zip(solution.classes, (browse, buy), strict=True):
        assert item.throughput * (stated.think_time + item.response) == pytest.approx(stated.population, rel=1e-9)


@pytest.mark.parametrize("rates", [(2.0, 2.0), (3.5, 0.5), (4.0, 0.0)])
def test_identical_arrivals_have_the_exact_answer_of_one_class(rates: tuple[float, float]) -> None:
    """By the chain of all states of one class; a class without arrivals is a rare one."""
    one = solve(limited(2, arriving("all", 4.0, *same())), Wanted(method="states"))
    better = solve(
        limited(2, *(arriving(f"{rate}{n}", rate, *same()) for n, rate in enumerate(rates))), Wanted(better=True)
    )
    assert better.exact
    assert [item.response for item in better.classes] == pytest.approx([one.response] * 2, rel=1e-9)
    assert better.full_at == {} or float(better.full_at["memory"]) == pytest.approx(float(full(2, CPU, DISK)))


def test_the_largest_rate_of_a_shared_pool_is_that_with_all_places_taken() -> None:
    """Of a delay and two servers inside; the mix of classes is that of the arrivals."""
    pool = (station("pool", 5), station("db", 2))
    first = arriving("a", 30.0, Time(0.03), visit("db", 0.02), holds="pool")
    second = arriving("b", 4.0, Time(0.03), visit("db", 0.02, 6.0), holds="pool")
    solution = solve(RoutedNetwork(pool, (first, second)))
    demand = Fraction(2, 100) * Fraction(30 + 24, 34)

    def weight(count: int) -> Fraction:
        result, factorial = Fraction(0), 1
        for away in range(count + 1):
            factorial *= max(away, 1)
            busy = count - away
            result += Fraction(3, 100) ** away / factorial * demand**busy / (1 if busy < 2 else 2 ** (busy - 1))
        return result

    assert float(solution.full_at["pool"]) == pytest.approx(float(weight(4) / weight(5)), rel=1e-9)
    # Simulated: 62.8 ms and 192.8 ms.
    assert [item.response for item in solution.classes] == pytest.approx([0.0628, 0.1928], rel=0.05)


@pytest.mark.parametrize("inside", [(visit("disk", 0.3),), (visit("cpu", 0.1), visit("disk", 0.3))])
def test_a_class_without_arrivals_changes_nothing_for_others(inside: tuple[Hold, ...]) -> None:
    first = arriving("a", 2.0, *same())
    alone = solve(limited(3, first))
    steps = (inside[0] if len(inside) == 1 else Hold("memory", inside),)
    beside = solve(limited(3, first, OpenClass("b", 0.0, (Route("b", 1.0, steps),))))
    assert beside.classes[0].response == pytest.approx(alone.classes[0].response, rel=1e-12)
    assert beside.throughput == pytest.approx(alone.throughput, rel=1e-12)
    assert beside.response == pytest.approx(alone.response, rel=1e-12)
    assert [item.queue_length for item in beside.stations] == pytest.approx(
        [item.queue_length for item in alone.stations], rel=1e-12
    )
    assert beside.classes[1].response > sum(hold.steps[0].mean for hold in inside)  # type: ignore[union-attr]


def test_a_class_without_arrivals_waits_as_a_rare_one() -> None:
    none, rare = (
        solve(limited(2, arriving("a", 4.0, *same()), arriving("b", rate, visit("cpu", 0.5)))) for rate in (0.0, 1e-9)
    )
    assert none.classes[1].response == pytest.approx(rare.classes[1].response, rel=1e-7)


def test_an_answer_with_an_approximate_class_without_arrivals_is_not_called_exact() -> None:
    first = ClosedClass("a", 40.0, 5.0, (Route("a", 1.0, (visit("cpu", 0.12), visit("disk", 0.1))),))
    alone, found = (solve(limited(3, first, *others)) for others in ((), (arriving("b", 0.0, *same()),)))
    assert alone.exact
    assert found.classes[1].response > 0.5  # of which 0.245 are in service
    assert found.classes[0].response == alone.classes[0].response
    assert not found.exact
    assert found.reasons


@pytest.mark.long
def test_points_of_a_batch_are_answered_as_alone() -> None:
    counts, thinks = np.array([4.0, 9.0, 20.0]), np.array([3.0, 2.0, 5.0])
    other = visit("cpu", 0.3), visit("disk", 0.1)

    def network(people: object, think: object, size: int | None) -> RoutedNetwork:
        return limited(3, users("a", people, think, *same()), users("b", 6.0, 2.0, *other), size=size)  # type: ignore[arg-type]

    batch = solve(network(counts, thinks, 3), AUTO.replace(chain=0))
    for number in range(3):
        alone = solve(network(float(counts[number]), float(thinks[number]), None), AUTO.replace(chain=0))
        for item, single in zip(batch.classes, alone.classes, strict=True):
            assert np.broadcast_to(item.response, 3)[number] == pytest.approx(single.response, rel=1e-9)


def test_classes_that_differ_are_not_identical() -> None:
    first, second = users("a", 10.0, 4.0, *same()), users("b", 10.0, 4.0, *same(2))
    assert identical_classes(limited(3, first, second)) is None
    assert identical_classes(limited(3, first, first.replace(name="b", think_time=4.5))) is None
    assert identical_classes(limited(3, first, first.replace(name="b"))) is not None


def test_a_sweep_through_identical_classes_has_the_answers_of_its_points() -> None:
    """At one point the classes are one, and at the others they share the places."""
    system = qnet.loads(SWEPT)
    rows = system.sweep(over="time = 100 ms, 200 ms, 300 ms", metric="response('a')").records()
    for row in rows:
        assert row["response_a_s"] == system.set(time=row["time_s"]).metric("response('a')")


def test_a_class_without_steps_outside_of_the_pool_beside_second_phases_there():
    # That work, at a station of its own, delays nobody: the answer is near the exact one without it.
    text = (
        'qnet = 1\ntitle = "two classes"\n[stations]\ncpu = {}\ndisk = { rates = [1, 1.5, 1.8] }\n'
        "pool = { servers = 2 }\n"
        '[classes.long]\narrival_rate = "0.8/s"\nsteps = [ WORK'
        ' { hold = "pool", steps = [ { station = "disk", time = "100 ms" } ] } ]\n'
        '[classes.short]\narrival_rate = "0.5/s"\n'
        'steps = [ { hold = "pool", steps = [ { time = "35 ms" }, { station = "disk", time = "35 ms" } ] } ]\n'
    )
    work = '{ phase = 2, station = "cpu", time = "20 ms" },'
    without = qnet.loads(text.replace("WORK", "").replace("cpu = {}\n", "")).metric("response")
    assert qnet.loads(text.replace("WORK", work)).metric("response") == pytest.approx(without, rel=0.02)


@pytest.mark.parametrize(
    "thinks, first, second, longer, code",
    [
        pytest.param((0.0, 6.0), "cpu disk", "cpu disk", 1.8, "", id="the same stations, one returns at once"),
        pytest.param((0.2, 0.0), "disk", "cpu", 1.0, "QN644", id="different stations, one returns at once"),
        pytest.param((2.0, 6.0), "cpu disk", "cpu", 1.0, "", id="one passes a station by, and both estimates agree"),
    ],
)
def test_closed_classes_are_warned_of_where_they_differ_inside(
    thinks: tuple[float, float], first: str, second: str, longer: float, code: str
) -> None:
    """Against the chain: up to 22 % where they visit different stations, and little where one only returns soon."""
    times = {"cpu": 0.35, "disk": 0.37}
    a = users("a", 4.0, thinks[0], *(visit(name, longer * times[name]) for name in first.split()))
    b = users("b", 3.0, thinks[1], *(visit(name, times[name]) for name in second.split()))
    network = limited(4, a, b)
    found, exact = solve(network, AUTO.replace(chain=0)), solve(network, Wanted(method="states"))
    assert found.method == "flow-equivalent"
    assert {reason.code for reason in found.reasons if isinstance(reason, Beyond)} == ({code} if code else set())
    errors = [abs(one.response / other.response - 1) for one, other in zip(found.classes, exact.classes, strict=True)]
    assert (max(errors) > 0.094) == bool(code)


def test_points_of_a_batch_are_warned_of_by_themselves() -> None:
    """Only classes that return soon to the same place differ enough."""
    thinks = np.array([0.0, 100.0])
    a, b = users("a", 4.0, 0.39, Time(0.11), visit("disk", 0.37)), users("b", 3.0, 0.0, visit("cpu", 0.35))  # type: ignore
    network = limited(4, a.replace(think_time=0.39 + thinks), b.replace(think_time=thinks), size=2)
    found = solve(network, AUTO.replace(chain=0))
    assert found.warned is not None and found.warned.tolist() == [True, False]
    for point in range(2):
        alone = solve(network.point(point), AUTO.replace(chain=0))
        assert any(isinstance(reason, Beyond) for reason in alone.reasons) == found.warned[point]
