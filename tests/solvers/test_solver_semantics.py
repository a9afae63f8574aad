"""What the language means: pairs of networks that say the same thing in two ways, and limits of what can be said."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from building import at_station, close, customers, delay, network, scaled, split, station, visit
from random_networks import numbers

from qnet.expression import FLOATS
from qnet.networks.open.solve import solve
from qnet.networks.routed import Hold, Limit, OpenClass, Route, RoutedNetwork, Step, Time
from qnet.networks.solution import RoutedSolution
from qnet.networks.streams import streams
from qnet.queues.finite_source import MAX_SOURCES


def same(left: RoutedSolution, right: RoutedSolution) -> bool:
    """Whether two answers to networks of one structure agree."""
    wanted = numbers(right)
    return all(np.allclose(value, wanted[name], rtol=1e-12, atol=1e-300) for name, value in numbers(left).items())


def path(priority: int = 0, exempt: Any = 0.0, second: float = 0.3) -> RoutedNetwork:
    """Volumes that hold a path, beside a stream of background work at the paths."""
    inner = Hold("path", (Time(0.2), Time(second, phase=2, keeps=("path",))))
    background = visit("path", 0.4, phase=2, priority=priority, exempt=exempt)
    steps = (Hold("volume", (Time(0.5), inner)), background)
    return network([station("volume", copies=4), station("path", 2)], customers(2.0, *steps))


# Priorities


def test_an_exempt_share_of_none_is_the_plain_priority() -> None:
    plain = path(-1)
    assert same(solve(path(-1, 0.0)), solve(plain))
    batch = solve(path(-1, np.array([0.0, 0.0])).replace(size=2))
    assert np.allclose(batch.response, solve(plain).response, rtol=1e-12)
    waits = at_station(batch, "path").wait
    assert np.allclose(waits, at_station(solve(plain), "path").wait, rtol=1e-12)


def test_an_exempt_share_of_all_is_no_priority() -> None:
    assert same(solve(path(-1, 1.0)), solve(path(0)))
    batch = solve(path(-1, np.array([1.0, 1.0])).replace(size=2))
    assert np.allclose(batch.response, solve(path(0)).response, rtol=1e-12)


def test_an_exempt_share_lies_between() -> None:
    responses = [solve(path(-1, share)).response for share in (0.0, 0.3, 0.7, 1.0)]
    assert responses == sorted(responses) and responses[0] < responses[-1]


# Copies and splits


def outer_split(groups: list[tuple[int, float]]) -> RoutedNetwork:
    """Volumes of several loads that hold one of two paths, and a drive of their own."""
    steps = (Time(0.4), Hold("drive", (Time(0.2), visit("path", 0.1), Time(0.3, phase=2, keeps=("drive",)))))
    stations = [split("volume", groups), split("drive", groups, follows="volume"), station("path", 2)]
    return network(stations, customers(2.0, Hold("volume", steps)))


def test_a_hot_split_is_the_listed_split() -> None:
    hot = solve(outer_split([(2, 0.7), (3, 0.3)]))
    listed = solve(outer_split([(1, 0.35), (1, 0.35), (1, 0.1), (1, 0.1), (1, 0.1)]))
    assert close(hot.response, listed.response)
    for name in ("volume", "drive"):
        for number, twin in enumerate((0, 0, 1, 1, 1)):
            one, group = at_station(listed, f"{name}{number}"), at_station(hot, f"{name}{twin}")
            assert close(one.utilization, group.utilization) and close(one.wait, group.wait)
            assert close(one.queue_length, group.queue_length / group.copies)
            assert close(one.throughput, group.throughput / group.copies)
    assert close(at_station(hot, "path").wait, at_station(listed, "path").wait)


def test_even_copies_of_an_inner_station_may_be_grouped_in_any_way() -> None:
    def inner(groups: list[tuple[int, float]]) -> RoutedSolution:
        steps = (Time(0.4), visit("path", 0.5))
        return solve(
            network([station("volume", copies=3), split("path", groups)], customers(2.5, Hold("volume", steps)))
        )

    one, several = inner([(4, 1.0)]), inner([(1, 0.25), (2, 0.5), (1, 0.25)])
    assert close(one.response, several.response)
    assert close(at_station(one, "path0").wait, at_station(several, "path1").wait)


@pytest.mark.parametrize("copies", [2, 7, 64])
def test_even_copies_are_one_station_with_its_share_of_the_work(copies: int) -> None:
    many = solve(network([station("s", 2, copies=copies)], customers(3.0 * copies, visit("s", 0.5, 2.0))))
    one = solve(network([station("s", 2)], customers(3.0, visit("s", 0.5, 2.0))))
    for figure in ("wait", "holding", "utilization"):
        assert close(getattr(many.stations[0], figure), getattr(one.stations[0], figure))
    for figure in ("throughput", "queue_length", "busy_servers"):
        assert close(getattr(many.stations[0], figure), copies * getattr(one.stations[0], figure))
    assert close(many.response, one.response)


def test_a_step_may_choose_its_copy() -> None:
    steps = (visit("s", 0.2, copy=2), visit("s", 0.1))
    solution = solve(network([split("s", [(1, 1 / 3), (1, 1 / 3), (1, 1 / 3)])], customers(1.0, *steps)))
    assert [item.utilization for item in solution.stations] == pytest.approx([0.1 / 3, 0.2 + 0.1 / 3, 0.1 / 3])
    with pytest.raises(ValueError, match="no copy 4"):
        solve(network([split("s", [(3, 1.0)])], customers(1.0, visit("s", 0.2, copy=4))))


def test_followers_use_the_copy_of_their_leader() -> None:
    """One requester for each drive: nothing to wait for, and the drives are as unevenly loaded as the volumes."""
    groups = [(1, 0.9), (3, 0.1)]
    stations = [split("volume", groups), split("drive", groups, follows="volume")]
    held = customers(1.0, Hold("volume", (Time(0.1), visit("drive", 0.5))))
    solution = solve(network(stations, held))
    assert [item.throughput for item in solution.stations] == pytest.approx([0.9, 0.1, 0.9, 0.1])
    assert at_station(solution, "drive0").wait == 0 and at_station(solution, "volume0").utilization == pytest.approx(
        0.54
    )
    alone = solve(network([stations[0], split("drive", groups)], held))
    assert at_station(alone, "drive0").wait > 0.01
    beside = network(stations, held.replace(name="a"), customers(0.5, visit("drive", 0.1), name="b"))
    assert [item.throughput for item in solve(beside).stations] == pytest.approx([0.9, 0.1, 1.35, 0.15])
    assert at_station(solve(beside), "drive0").wait > 0


# Visits and times


@pytest.mark.parametrize("around", [(), ("volume",)])
def test_two_visits_are_two_steps(around: tuple[str, ...]) -> None:
    def model(*steps: Step) -> RoutedNetwork:
        held = tuple(Hold(name, (Time(0.1), *steps)) for name in around) or steps
        return network([station("volume", copies=3), station("s", 2)], customers(1.5, *held))

    twice = solve(model(visit("s", 0.4, 0.5, visits=2.0), Time(0.1, visits=2.0)))
    listed = solve(model(visit("s", 0.4, 0.5), visit("s", 0.4, 0.5), Time(0.1), Time(0.1)))
    assert close(twice.response, listed.response)
    assert close(at_station(twice, "s").wait, at_station(listed, "s").wait)
    assert close(at_station(twice, "volume").wait, at_station(listed, "volume").wait)


def test_a_visit_in_part_of_the_cases_is_a_route() -> None:
    part = solve(network([station("s"), station("t")], customers(1.0, visit("s", 0.4), visit("t", 0.6, visits=0.3))))
    routes = (Route("with", 0.3, (visit("s", 0.4), visit("t", 0.6))), Route("without", 0.7, (visit("s", 0.4),)))
    whole = solve(network([station("s"), station("t")], OpenClass("c", 1.0, routes)))
    assert close(part.response, whole.response)


def test_a_time_of_parts_is_their_sum() -> None:
    parts = solve(network([station("s")], customers(1.0, Hold("s", (Time(0.3), Time(0.2, 0.0))))))
    one = solve(network([station("s")], customers(1.0, visit("s", 0.5, 0.09 / 0.25))))
    stated = solve(network([station("s")], customers(1.0, Hold("s", (Time(0.3, 7.0), Time(0.2, 9.0)), scv=0.36))))
    assert same(parts, one) and same(stated, one)


# Work after the response


def test_work_left_behind_is_another_class_that_nobody_waits_for() -> None:
    behind = visit("s", 0.3, 2.0, phase=2, visits=0.5, priority=-1)
    left = solve(network([station("s")], customers(1.0, visit("s", 0.4), behind)))
    apart = solve(
        network(
            [station("s")],
            customers(1.0, visit("s", 0.4)),
            customers(1.0, behind.replace(phase=1), name="left"),
        )
    )
    assert close(left.response, apart.classes[0].response)
    assert close(left.stations[0].utilization, apart.stations[0].utilization)
    assert close(left.stations[0].wait, apart.stations[0].wait)
    assert "second-phase work is treated" in left.reasons[0]
    assert left.response == left.stations[0].residence


def test_a_second_phase_keeps_the_server_and_not_the_customer() -> None:
    """Waits are those of the whole holding time; the response ends with the first phase."""
    solution = solve(network([station("s")], customers(0.5, Hold("s", (Time(0.6), Time(0.8, 0.0, phase=2))))))
    wait = 0.5 * (1.4**2 + 0.36) / 2 / (1 - 0.7)
    assert close(solution.response, wait + 0.6)
    assert close(solution.stations[0].utilization, 0.7)
    assert close(solution.stations[0].queue_length, 0.5 * (wait + 1.4))


@pytest.mark.parametrize(
    ("keeps", "outer", "inner"),
    [(None, 0.8, 0.6), (("outer",), 0.8, 0.2), (("inner",), 0.4, 0.6), ((), 0.4, 0.2)],
)
def test_what_a_second_phase_keeps(keeps: tuple[str, ...] | None, outer: float, inner: float) -> None:
    hold = Hold("outer", (Time(0.2), Hold("inner", (Time(0.2), Time(0.4, phase=2, keeps=keeps)))))
    solution = solve(network([station("outer", 3), station("inner", 3)], customers(0.5, hold)))
    assert at_station(solution, "inner").holding == pytest.approx(inner)
    waits = at_station(solution, "inner").wait
    assert at_station(solution, "outer").holding == pytest.approx(outer + waits)
    assert close(solution.response, at_station(solution, "outer").wait + 0.4 + waits)


def test_a_hold_in_the_second_phase_keeps_what_it_says() -> None:
    """The outer station is kept, and one holder alone asks for the inner one; or it is free, and they queue there."""
    late = Hold("inner", (Time(0.4),), phase=2)
    for keeps, wait, holding in ((None, 0.0, 0.6), ((), 0.8 * 0.32 / 2 / 0.68, 0.2)):
        hold = Hold("outer", (Time(0.2), late.replace(keeps=keeps)))
        solution = solve(network([station("outer"), station("inner")], customers(0.8, hold)))
        assert at_station(solution, "inner").wait == pytest.approx(wait)
        assert at_station(solution, "outer").holding == pytest.approx(holding)


def test_what_was_released_bounds_nobody() -> None:
    """A hold that goes on after the response without the outer station is a hold of its own."""
    late = Hold("drive", (Time(0.2), visit("path", 0.3)), phase=2)
    stations = [station("door"), station("drive", copies=8), station("path")]
    inside = solve(network(stations, customers(1.0, Hold("door", (Time(0.1), late.replace(keeps=()))))))
    after = solve(network(stations, customers(1.0, visit("door", 0.1), late)))
    assert same(inside, after)
    assert at_station(inside, "path").wait > 0.02


# Holders


def holders(model: RoutedNetwork, name: str) -> set[int]:
    """How many holders bound the streams of a station."""
    return {stream.holders for stream in streams(model, FLOATS).streams if stream.station == name}


def test_the_narrowest_hold_bounds_the_requests() -> None:
    stations = [
        station("a", 4),
        station("b", copies=64),
        station("c", 2),
        delay("d"),
        station("e", copies=MAX_SOURCES + 1),
    ]

    def nested(*names: str) -> set[int]:
        step: Step = visit("c", 0.1)
        for name in reversed(names):
            step = Hold(name, (Time(0.1), step))
        return holders(network(stations, customers(1.0, step)), "c")

    assert nested("a", "b") == nested("b", "a") == nested("a") == {4}
    assert nested("b") == nested("d", "b") == nested("b", "d") == nested("e", "b") == {64}
    assert nested("d") == nested("e") == nested() == {0}


def test_as_many_servers_as_holders_never_wait() -> None:
    for copies, servers in ((1, 1), (3, 3), (3, 8)):
        model = network(
            [station("outer", copies=copies), station("inner", servers)],
            customers(1.0, Hold("outer", (Time(0.2), visit("inner", 0.5)))),
        )
        assert at_station(solve(scaled(model, copies * 0.9)), "inner").wait == 0


def test_holders_wait_less_than_an_open_stream_and_as_long_where_they_are_many() -> None:
    def wait(copies: int) -> float:
        hold = Hold("outer", (Time(0.2), visit("inner", 0.5)))
        return at_station(
            solve(network([station("outer", copies=copies), station("inner", 2)], customers(3.2, hold))), "inner"
        ).wait

    found = [wait(copies) for copies in (3, 4, 8, 64, MAX_SOURCES)]
    limit = wait(MAX_SOURCES + 1)
    assert found == sorted(found) and found[-1] < limit < 1.01 * found[-1]
    alone = solve(network([station("inner", 2)], customers(3.2, visit("inner", 0.5))))
    assert close(limit, at_station(alone, "inner").wait)


# Points without a steady state, without load, and limits


def test_unstable_points_leave_the_others_alone() -> None:
    model = scaled(path(-1, 0.3), np.array([0.2, 50.0, 0.9, 1.05, 4.0])).replace(size=5)
    solution = solve(model)
    assert solution.stable.tolist() == [True, False, True, True, False]
    for point, factor in ((0, 0.2), (2, 0.9), (3, 1.05)):
        alone = solve(scaled(path(-1, 0.3), factor))
        assert alone.stable is True and close(solution.response[point], alone.response, 1e-11)
    paths = next(item for item in solution.loads if item.name == "path")
    assert paths.certain and paths.load == pytest.approx(np.array([0.2, 50.0, 0.9, 1.05, 4.0]) * 2.0 * 0.9 / 2)
    assert not next(item for item in solution.loads if item.name == "volume").certain


def test_a_station_at_exactly_its_capacity_has_no_steady_state() -> None:
    assert solve(network([station("s")], customers(2.0, visit("s", 0.5)))).stable is False
    assert solve(network([station("s")], customers(2.0 - 1e-12, visit("s", 0.5)))).stable is True


def test_without_arrivals_the_response_is_that_of_an_empty_system() -> None:
    classes = (customers(0.0, visit("s", 1.0), name="a"), customers(0.0, Time(0.5), visit("s", 3.0), name="b"))
    solution = solve(network([station("s")], *classes))
    assert solution.stable is True and solution.throughput == 0
    assert [item.response for item in solution.classes] == [1.0, 3.5] and solution.response == 2.25
    assert at_station(solution, "s").residence == 2.0 and at_station(solution, "s").utilization == 0
    batch = solve(scaled(network([station("s")], *classes), np.array([1.0, 2.0])).replace(size=2))
    assert np.allclose(batch.response, 2.25)
    assert solve(network([], customers(1.0, Time(0.5)))).response == 0.5


def test_limits_are_loads_like_any_other() -> None:
    model = network([station("s")], customers(1.0, visit("s", 0.5))).replace(limits=(Limit("store", 3.0, 4.0),))
    solution = solve(model)
    assert solution.stable is True
    assert [(item.name, item.load, item.certain) for item in solution.loads] == [
        ("s", 0.5, True),
        ("store", 0.75, True),
    ]
    assert solve(model.replace(limits=(Limit("store", 4.0, 4.0),))).stable is False


def test_a_batch_without_queues_is_stable_at_every_point() -> None:
    solution = solve(network([delay("d")], customers(1.0, visit("d", 0.5)), size=3))
    assert solution.stable.tolist() == [True, True, True]


def test_the_share_of_the_holding_time_spent_waiting() -> None:
    solution = solve(path())
    waits = at_station(solution, "path")
    assert set(solution.held_by) == {"volume"} and set(solution.held_by["volume"]) == {"path"}
    held = next(stream for stream in streams(path(), FLOATS).streams if stream.station == "volume")
    wait = at_station(solution, "volume").holding - held.first.mean
    assert 0 < wait < waits.wait * 2
    assert close(solution.held_by["volume"]["path"], wait / at_station(solution, "volume").holding)


def test_a_long_chain_of_stations_that_hold_one_another_is_put_in_order() -> None:
    """Each of 1,900 routes holds one station around the next: the order needs no recursion."""
    names = [f"s{index}" for index in range(1900)]
    holds = [Hold(outer, (Time(1e-6), visit(inner, 1e-6))) for outer, inner in pairwise(names)]
    routes = tuple(Route(f"r{hold.station}", 1 / 1899, (hold,)) for hold in holds)
    model = network([station(name) for name in names], OpenClass("c", 1.0, routes))
    assert [name for name, _ in streams(model, FLOATS).order] == names[::-1]
