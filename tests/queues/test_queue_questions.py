"""Ways to ask about a station: erlangs, service levels, grids, several limits, the inverse from Python."""

from __future__ import annotations

from math import exp, factorial

import pytest

import qnet
from qnet.errors import UsageError
from qnet.questions.tables.queue_report import queue_report
from qnet.queues.stations.conversions import service_level


def erlang_c(servers: int, offered: float) -> float:
    top = offered**servers / factorial(servers) * servers / (servers - offered)
    return top / (sum(offered**k / factorial(k) for k in range(servers)) + top)


@pytest.mark.parametrize("time", [0.0, 0.01, 0.3, 2.0])
@pytest.mark.parametrize(("servers", "offered"), [(2, 1.6), (5, 4.9), (3, 0.2)])
def test_the_service_level_is_that_of_erlang_c(servers: int, offered: float, time: float) -> None:
    answer = qnet.queue("M/M/c", offered=offered, service_rate=10, servers=servers)
    exact = 1 - erlang_c(servers, offered) * exp(-(servers - offered) * 10 * time)
    assert service_level(answer.wait_percentile, time) == pytest.approx(exact, rel=1e-9)


def test_erlangs_and_service_rate_state_the_same_station() -> None:
    stated = qnet.queue("M/M/c", arrival_rate=80, service_time=0.02, servers=2)
    assert qnet.queue("M/M/c", offered=1.6, service_rate=50, servers=2).wait == pytest.approx(stated.wait, rel=1e-14)
    assert qnet.queue("M/M/c", utilization=0.8, service_time=0.02, servers=2).wait == pytest.approx(stated.wait)


@pytest.mark.parametrize(
    "given",
    [{"offered": 1, "arrival_rate": 1, "service_time": 1}, {"service_rate": 1, "service_time": 1, "arrival_rate": 0.5},
     {"offered": 0.5, "utilization": 0.5, "service_time": 1}, {"offered": 0.5}],
)  # fmt: skip
def test_what_is_stated_twice_or_incompletely_is_refused(given: dict[str, float]) -> None:
    with pytest.raises(UsageError) as error:
        qnet.queue("M/M/1", **given)
    assert error.value.problems[0].code == "QN749"


def test_utilization_is_refused_where_customers_are_lost() -> None:
    with pytest.raises(UsageError):
        qnet.queue("M/M/c/c", utilization=0.5, service_time=1, servers=2)


def test_the_inverse_is_reached_from_python() -> None:
    result = qnet.queue("M/M/c", offered=10, service_time=60, solve_for="servers", limit="wait <= 5 s")
    waits = {count: erlang_c(count, 10) * 60 / (count - 10) for count in range(11, 30)}
    assert result.integer == min(count for count, wait in waits.items() if wait <= 5)


def test_the_limit_of_several_that_binds_is_named() -> None:
    limits = ("wait <= 100 s and utilization <= 0.5", "utilization <= 0.9")
    result = qnet.queue("M/M/c", offered=10, service_time=60, solve_for="servers", limit=limits)
    assert (result.integer, result.binds) == (20, "utilization <= 0.5")


def test_the_percentile_of_a_limit_is_a_column() -> None:
    report = queue_report("M/M/1", {"utilization": "0.5", "service_time": "1 s"}, asserted=["wait_p80 <= 1 min"])
    (row,) = report.records()
    # P(wait > t) = rho exp(-(1 - rho) t / S)
    assert 0.5 * exp(-0.5 * float(row["wait_p80_s"] or 0)) == pytest.approx(0.2)


def test_a_grid_is_one_table_with_the_reason_where_there_is_no_answer() -> None:
    report = queue_report("M/M/c", {"offered": "3", "service_time": "1 s", "servers": "2:5"})
    rows = report.records()
    assert [row["servers"] for row in rows] == [2, 3, 4, 5]
    assert [row["status"] == "ok" for row in rows] == [False, False, True, True]
    assert rows[2]["probability_of_waiting"] == pytest.approx(erlang_c(4, 3.0))
