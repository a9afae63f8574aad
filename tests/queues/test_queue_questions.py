"""Ways to ask about a station: erlangs, service levels, grids, several limits, the inverse from Python."""

from __future__ import annotations

from math import exp, factorial

import pytest

import qnet
from qnet.errors import NoAnswer, UsageError
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
    row, _ = report.records()
    # P(wait > t) = rho exp(-(1 - rho) t / S)
    assert 0.5 * exp(-0.5 * float(row["wait_p80_s"] or 0)) == pytest.approx(0.2)


def test_a_grid_is_one_table_with_the_reason_where_there_is_no_answer() -> None:
    report = queue_report("M/M/c", {"offered": "3", "service_time": "1 s", "servers": "2:5"})
    rows = report.records()
    assert [row["servers"] for row in rows] == [2, 3, 4, 5]
    assert [row["status"] == "ok" for row in rows] == [False, False, True, True]
    assert rows[2]["probability_of_waiting"] == pytest.approx(erlang_c(4, 3.0))


CALLS = {"arrival_rate": "240/min", "service_time": "3 min"}


def level(servers: int, offered: float, within: float, service_time: float) -> float:
    waiting = 1.0
    for count in range(1, servers + 1):  # Erlang B by its recursion, and from it Erlang C
        waiting = offered * waiting / (count + offered * waiting)
    waiting = servers * waiting / (servers - offered * (1 - waiting))
    return 1 - waiting * exp(-(servers - offered) * within / service_time)


@pytest.mark.parametrize(
    ("within", "limit"), [("20 s", "service_level >= 90 %"), ("", "P(wait <= 20 s) >= 0.9"), ("", "P(wait<20s) >= 90%")]
)
def test_the_fewest_servers_for_a_service_level(within: str, limit: str) -> None:
    report = queue_report("M/M/c", CALLS, solve_for="servers", limit=limit, within=within)
    fewest = next(count for count in range(721, 800) if level(count, 720, 20, 180) >= 0.9)
    answer, station = report.records()
    assert answer["integer"] == fewest
    assert station["service_level"] == pytest.approx(level(fewest, 720, 20, 180), rel=1e-9)


def test_a_service_level_bounds_a_rate_from_above() -> None:
    solved = qnet.queue(
        "M/M/c", service_time=180, servers=730, solve_for="arrival_rate", limit="P(wait <= 20 s) >= 0.8"
    )
    assert level(730, solved.arrival_rate * 180, 20, 180) == pytest.approx(0.8, rel=1e-6)


def test_no_number_of_servers_answers_all_in_time() -> None:
    with pytest.raises(NoAnswer):
        queue_report("M/M/c", CALLS, solve_for="servers", limit="P(wait <= 20 s) >= 100 %")


@pytest.mark.parametrize("limit", ["service_level >= 0.8", "P(wait <= 3) >= 0.8", "P(waiting <= 3 s) >= 0.8"])
def test_a_service_level_needs_a_time(limit: str) -> None:
    with pytest.raises(UsageError):
        queue_report("M/M/c", CALLS, solve_for="servers", limit=limit)


def test_a_limit_without_an_unknown_is_asserted_with_its_margin() -> None:
    report = queue_report("M/M/c", {**CALLS, "servers": "730"}, limit="P(wait <= 20 s) >= 80 %")
    row = report.records()[-1]
    assert (row["scope"], row["holds"], len(report.broken)) == ("assertion", False, 1)
    assert row["margin"] == pytest.approx(level(730, 720, 20, 180) - 0.8, rel=1e-6)


def test_metrics_are_reported_alone_and_in_a_unit() -> None:
    texts = {"utilization": "0.5", "service_time": "1 s"}
    metrics = ["wait_p80", "response_s", "deviation_of_wait"]
    rows = queue_report("M/M/1", texts, metrics=metrics, unit="ms").records()
    waits = 1000 * queue_report("M/M/1", texts, metrics=["wait_p80"]).records()[0]["value"]
    assert [row["scope"] for row in rows] == ["metric"] * 3
    assert [row["value"] for row in rows[:2]] == pytest.approx([waits, 2000.0])


def test_the_number_that_was_solved_for_is_a_metric() -> None:
    report = queue_report("M/M/c", CALLS, solve_for="servers", limit="wait <= 20 s", metrics=["servers"], only=True)
    (row,) = report.records()
    assert (
        row["value"]
        == qnet.queue("M/M/c", arrival_rate=4, service_time=180, solve_for="servers", limit="wait <= 20 s").servers
    )


def test_paired_grids_vary_together() -> None:
    over = ["servers = 2, 4 & offered = 1, 3"]
    rows = queue_report("M/M/c", {"service_time": "1 s"}, over=over).records()
    assert [(row["servers"], row["offered"]) for row in rows] == [(2, 1), (4, 3)]
    crossed = queue_report("M/M/c", {"service_time": "1 s"}, over=["servers = 4, 5", "offered = 1, 3"]).records()
    assert [(row["servers"], row["offered"]) for row in crossed] == [(4, 1), (4, 3), (5, 1), (5, 3)]


@pytest.mark.parametrize(
    "over", [["servers = 2, 4 & offered = 1"], ["agents = 1:2"], ["servers"], ["servers = 1:2", "servers = 3"]]
)
def test_grids_that_cannot_be_read(over: list[str]) -> None:
    with pytest.raises(UsageError):
        queue_report("M/M/c", {"service_time": "1 s"}, over=over)
