"""Inverse questions: what is found keeps the limit, and nothing better does."""

from __future__ import annotations

import pytest

from qnet.errors import NoAnswer, NotComputed, UsageError
from qnet.queues.stations.inverse import solve_for
from qnet.queues.stations.limits import figure, read_limit
from qnet.queues.stations.queue import queue

TIMES = {"service_time": 0.02}


@pytest.mark.parametrize("station", ["M/M/c", "M/D/c", "GI/G/c", "M/M/c/c", "Erlang B"])
@pytest.mark.parametrize("rate", [3.0, 80.0, 2000.0])
@pytest.mark.parametrize("bound", [1e-4, 0.3])
def test_servers(station: str, rate: float, bound: float):
    lossy = station in ("M/M/c/c", "Erlang B")
    more = {"scv_arrival": 0.5, "scv_service": 2.0} if station == "GI/G/c" else {}
    metric, limit = ("blocking", f"blocking <= {bound}") if lossy else ("wait", f"wait <= {bound * 0.02} s")
    most = bound if lossy else bound * 0.02
    found = solve_for("servers", limit, station, arrival_rate=rate, **TIMES, **more)
    assert figure(found.answer, metric) <= most
    assert found.real is None or found.integer - 1 <= found.real <= found.integer
    if found.integer > max(1, int(rate * 0.02) + 1):
        fewer = queue(station, arrival_rate=rate, servers=found.integer - 1, **TIMES, **more)
        assert figure(fewer, metric) > most


def test_real_servers_are_on_erlangs_curve():
    integer = queue("M/M/c", arrival_rate=80.0, servers=3, **TIMES)
    found = solve_for("servers", f"wait <= {integer.wait!r} s", "M/M/c", arrival_rate=80.0, **TIMES)
    assert found.real == pytest.approx(3, rel=1e-9)
    between = [
        solve_for("servers", f"wait <= {wait} s", "M/M/c", arrival_rate=80.0, **TIMES).real
        for wait in (0.03, 0.02, 0.01, 0.005, 0.004)
    ]
    assert between == sorted(between)
    assert 2 < between[0] < between[-1] < 3
    loss = queue("Erlang B", arrival_rate=500.0, servers=12, **TIMES).blocking
    assert solve_for("servers", f"blocking <= {loss!r}", "Erlang B", arrival_rate=500.0, **TIMES).real == pytest.approx(
        12
    )


@pytest.mark.parametrize(
    ("station", "more"),
    [
        ("M/M/1", {}), ("M/M/c", {"servers": 4}), ("M/G/1", {"scv_service": 3.0}), ("M/D/1", {}),
        ("M/D/c", {"servers": 3}), ("M/Ek/1", {"phases": 3}), ("M/H2/1", {"scv_service": 3.0}),
        ("GI/M/1", {"scv_arrival": 0.3}), ("M/G/1-PS", {}), ("M[X]/M/1", {"batch_size": 2}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("parameter", ["arrival_rate", "service_time"])
def test_round_trip(station: str, more: dict[str, float], parameter: str):
    fixed = {"service_time": 0.02} if parameter == "arrival_rate" else {"arrival_rate": 10.0}
    top = more.get("servers", 1) * (50.0 if parameter == "arrival_rate" else 0.1)
    for load in (0.05, 0.6, 0.9):
        wanted = queue(station, **fixed, **{parameter: load * top}, **more).response
        if parameter == "arrival_rate" and wanted - 0.02 < 1e-9:
            continue
        found = solve_for(parameter, f"response <= {wanted!r} s", station, **fixed, **more)
        assert found.real == pytest.approx(load * top, rel=1e-6)
        assert found.integer is None
        assert found.answer.response <= wanted


def test_capacity_for_blocking_and_for_wait():
    point = {"arrival_rate": 240.0, "servers": 5, **TIMES}
    found = solve_for("capacity", "blocking <= 1 %", "M/M/c/K", **point)
    assert found.answer.blocking <= 0.01 < queue("M/M/c/K", capacity=found.integer - 1, **point).blocking
    assert found.integer - 1 < found.real <= found.integer
    found = solve_for("capacity", "wait <= 10 ms", "M/M/c/K", **point)
    assert found.answer.wait <= 0.01 < queue("M/M/c/K", capacity=found.integer + 1, **point).wait
    assert found.integer <= found.real < found.integer + 1


def test_percentiles_and_limits_from_below():
    found = solve_for("servers", "response_p95 <= 80 ms", "M/M/c", arrival_rate=80.0, **TIMES)
    assert found.answer.response_percentile(0.95) <= 0.08
    assert queue("M/M/c", arrival_rate=80.0, servers=found.integer - 1, **TIMES).response_percentile(0.95) > 0.08
    found = solve_for("arrival_rate", "wait_p99_9 <= 300 ms", "M/M/c", servers=2, **TIMES)
    assert found.answer.wait_percentile(0.999) == pytest.approx(0.3, rel=1e-9)
    found = solve_for("servers", "utilization >= 60 %", "M/M/c", arrival_rate=400.0, **TIMES)
    assert found.integer == 13
    found = solve_for("arrival_rate", "utilization >= 50 %", "M/M/c", servers=2, **TIMES)
    assert found.real == pytest.approx(50, rel=1e-9)
    assert found.answer.utilization >= 0.5


def test_the_steady_state_may_end_first():
    found = solve_for("arrival_rate", "utilization <= 1", "M/M/c", servers=2, **TIMES)
    assert (found.real, found.binds) == (100.0, "steady state")


def test_finite_sources():
    found = solve_for("source_rate", "response <= 30 ms", "M/M/c/K/N", servers=2, sources=10, **TIMES)
    assert found.answer.response == pytest.approx(0.03, rel=1e-9)
    found = solve_for("servers", "blocking <= 1 %", "Engset", source_rate=20.0, sources=30, **TIMES)
    assert found.answer.blocking <= 0.01
    assert queue("Engset", source_rate=20.0, sources=30, servers=found.integer - 1, **TIMES).blocking > 0.01


def test_what_cannot_be_had_says_what_can():
    with pytest.raises(NoAnswer, match=r"no arrival_rate of M/M/c meets response <= 10 ms.*QN402[\s\S]*response 20 ms"):
        solve_for("arrival_rate", "response <= 10 ms", "M/M/c", servers=2, **TIMES)
    with pytest.raises(NoAnswer, match="no number of servers of M/M/c meets response <= 10 ms"):
        solve_for("servers", "response <= 10 ms", "M/M/c", arrival_rate=80.0, **TIMES)
    with pytest.raises(NoAnswer, match="every arrival_rate"):
        solve_for("arrival_rate", "wait <= 1 h", "M/M/c/K", servers=2, capacity=4, **TIMES)


@pytest.mark.parametrize(
    ("parameter", "limit", "station", "words"),
    [
        ("servers", "wat <= 1 ms", "M/M/c", 'did you mean "wait"'),
        ("servers", "wait <= 1", "M/M/c", "is compared with a plain number"),
        ("servers", "wait", "M/M/c", "not a limit"),
        ("servers", "wait <= 1 ms", "M/M/1", 'no parameter "servers"'),
        ("phases", "wait <= 1 ms", "M/Ek/1", "cannot be solved for"),
        ("arrival_rate", "wait <= 1 ms", "M/G/1-priority", "lacks scv_service"),
        ("servers", "wait <= 1 ms", "M/G/1-priority", "cannot be solved for"),
    ],
)
def test_questions_that_are_none(parameter: str, limit: str, station: str, words: str):
    with pytest.raises(UsageError, match=words):
        solve_for(parameter, limit, station, arrival_rate=80.0, **TIMES)


def test_figures_that_are_not_known():
    with pytest.raises(NotComputed, match="wait_p95 of M/G/1 does not exist or is not known"):
        solve_for("arrival_rate", "wait_p95 <= 1 s", "M/G/1", service_time=0.02, scv_service=2.0)


@pytest.mark.parametrize("limit", ["wait <= 0 s", "probability_of_waiting < 0", "number_waiting <= 0"])
def test_no_number_of_servers_ends_all_waiting(limit: str):
    """Erlang's C falls below the smallest float, and not to zero."""
    with pytest.raises(NoAnswer, match="a limit above 0, which more servers approach and never reach"):
        solve_for("servers", limit, "M/M/c", arrival_rate=80.0, service_time=0.02)


@pytest.mark.parametrize("station", ["M/G/1-priority", "M/G/1-preemptive"])
@pytest.mark.parametrize("parameter", ["arrival_rate", "service_time"])
def test_classes_keep_their_proportions(station: str, parameter: str):
    given = {"arrival_rate": [10.0, 30.0], "service_time": [0.005, 0.01], "scv_service": 1.0}
    found = solve_for(parameter, "wait <= 20 ms", station, **given)
    assert found.real is not None
    mean = (10 * 0.005 + 30 * 0.01) / 40
    factor = found.real / (40.0 if parameter == "arrival_rate" else mean)
    there = queue(station, **{**given, parameter: [factor * value for value in given[parameter]]})
    assert there.wait == pytest.approx(0.02, rel=1e-9)
    assert found.answer.classes[0].wait == pytest.approx(there.classes[0].wait)


def test_what_is_given_is_not_asked_for():
    with pytest.raises(UsageError, match="arrival_rate is given and solved for; expected one of the two"):
        solve_for("arrival_rate", "wait <= 1 ms", "M/M/1", arrival_rate=3.0, service_time=0.02)


@pytest.mark.parametrize(
    ("parameter", "limits", "given"),
    [
        ("servers", ["wait <= 5 ms", "utilization <= 30 %"], {"arrival_rate": 80.0}),
        ("servers", ["utilization <= 90 %", "response_p95 <= 61 ms"], {"arrival_rate": 80.0}),
        ("servers", ["wait <= 5 ms", "utilization >= 20 %"], {"arrival_rate": 80.0}),
        ("arrival_rate", ["wait <= 5 ms", "utilization <= 40 %", "number_waiting <= 1"], {"servers": 3}),
        ("arrival_rate", ["wait <= 5 ms", "utilization >= 10 %"], {"servers": 3}),
    ],
)
def test_several_limits_all_hold_and_nothing_better_keeps_them_all(parameter: str, limits: list[str], given):
    """Whatever their order; the one that binds is told, and beyond the answer it is the one that is broken."""
    found = solve_for(parameter, limits, "M/M/c", **given, **TIMES)
    for asked in (limits, limits[::-1]):
        again = solve_for(parameter, asked, "M/M/c", **given, **TIMES)
        assert (again.real, again.integer, again.binds) == (found.real, found.integer, found.binds)
    assert found.binds in limits
    alone = {limit: solve_for(parameter, limit, "M/M/c", **given, **TIMES) for limit in limits}
    assert found.integer == alone[found.binds].integer and found.real == alone[found.binds].real
    value = found.integer if parameter == "servers" else found.real
    there = queue("M/M/c", **{parameter: value}, **given, **TIMES)
    beyond = queue("M/M/c", **{parameter: value - 1 if parameter == "servers" else value * 1.001}, **given, **TIMES)
    slacks = {limit: (read_limit(limit).slack(there), read_limit(limit).slack(beyond)) for limit in limits}
    assert all(slack > -1e-12 for slack, _ in slacks.values())
    assert slacks[found.binds][1] < 0


def test_limits_that_exclude_each_other_are_named():
    with pytest.raises(NoAnswer, match="wait <= 1 ms needs at least 4, utilization >= 60 % allows at most 2"):
        solve_for("servers", ["wait <= 1 ms", "utilization >= 60 %"], "M/M/c", arrival_rate=80.0, **TIMES)


def test_a_limit_that_every_value_keeps_leaves_the_others():
    found = solve_for("arrival_rate", ["wait <= 1 h", "blocking <= 1 %"], "M/M/c/K", servers=2, capacity=4, **TIMES)
    assert found.binds == "blocking <= 1 %"
    assert found.answer.blocking == pytest.approx(0.01)
