"""Wrong questions, and the words they are answered with."""

from __future__ import annotations

from typing import Any

import pytest

from qnet.errors import NoAnswer, NotComputed, UsageError
from qnet.queues.stations.front import station_name
from qnet.queues.stations.queue import queue

TWO = {"scv_arrival": 1, "scv_service": 1}
GOOD = {"arrival_rate": 80.0, "service_time": 0.02}


@pytest.mark.parametrize(
    ("station", "point", "words"),
    [
        ("M/M/x", GOOD, 'unknown station "M/M/x"'),
        ("M/M/c", GOOD, "M/M/c lacks servers"),
        ("M/M/1", {**GOOD, "servers": 2}, 'M/M/1 has no parameter "servers"'),
        ("M/M/1", {**GOOD, "arival_rate": 2}, 'did you mean "arrival_rate"'),
        ("M/M/1", {**GOOD, "arrival_rate": -1}, "arrival_rate is -1; expected at least 0"),
        ("M/M/1", {**GOOD, "arrival_rate": float("nan")}, "arrival_rate is nan"),
        ("M/M/1", {**GOOD, "arrival_rate": float("inf")}, "arrival_rate is inf"),
        ("M/M/1", {**GOOD, "arrival_rate": "80/s"}, "is the text"),
        ("M/M/1", {**GOOD, "arrival_rate": True}, "arrival_rate is True"),
        ("M/M/1", {**GOOD, "arrival_rate": b"80"}, "arrival_rate is b'80'"),
        ("M/M/1", {**GOOD, "service_time": 0}, "service_time is 0; expected above 0"),
        ("M/M/c", {**GOOD, "servers": 1.5}, "servers is 1.5; expected an integer, at least 1"),
        ("M/M/c", {**GOOD, "servers": 0}, "servers is 0; expected an integer"),
        ("M/M/c", {**GOOD, "servers": [2, 0]}, "servers is 0"),
        ("M/M/c/K", {**GOOD, "servers": 3, "capacity": 2}, "capacity 2 is below the 3 servers"),
        ("M/H2/1", {**GOOD, "service_time": 0.01, "scv_service": 0.5}, "no scv of 0.5"),
        ("M/G/1", {**GOOD, "service_time": 0.01, "scv_service": 1, "skewness_service": -3}, "no service time above 0"),
        ("M[X]/M/1", {**GOOD, "service_time": 0.01, "batch_size": 2.5, "scv_batch": 0}, "no integer distribution has"),
        ("GI/G/1", {**GOOD, **TWO, "service_time": 0.01, "approximation": "klb"}, "unknown approximation"),
        ("GI/G/1", {**GOOD, **TWO, "arrival_rate": 0}, "arrival_rate is 0; expected above 0"),
        ("Engset", {"service_time": 1, "servers": 1, "sources": 2}, "the rate of the sources is missing"),
        ("M/G/1-priority", {"arrival_rate": [1, 2], "service_time": [1, 1, 1], "scv_service": 1}, "2, 3, 1 values"),
    ],
)  # fmt: skip
def test_wrong_input(station: str, point: dict[str, Any], words: str):
    with pytest.raises(UsageError) as caught:
        queue(station, **point)
    assert words in str(caught.value)
    assert caught.value.problems[0].code == "QN050"


@pytest.mark.parametrize("name", ["m/m/c", "MMc", "M-M-C", " M / M / c ", "mmc"])
def test_names_are_read_kindly(name: str):
    assert station_name(name) == "M/M/c"


def test_other_names():
    assert station_name("Erlang-B") == "Erlang B"
    assert station_name("M/M/c/c/N") == "Engset"
    assert station_name("MX/G/1") == "M[X]/G/1"
    assert station_name("M/G/1 PS") == "M/G/1-PS"


@pytest.mark.parametrize("station", ["M/M/1", "M/D/1", "M/G/1-PS"])
def test_no_steady_state_names_the_way_out(station: str):
    with pytest.raises(NoAnswer) as caught:
        queue(station, **GOOD)
    text = str(caught.value)
    assert "160 % utilized with one server" in text
    assert "at least 2 servers, or an arrival rate below 50/s" in text
    assert "QN401" in text


def test_the_edge_of_the_steady_state():
    with pytest.raises(NoAnswer, match="100 % utilized with 2 servers"):
        queue("M/M/c", arrival_rate=100.0, service_time=0.02, servers=2)
    with pytest.raises(NoAnswer, match="at least 3 servers"):
        queue("M/D/c", arrival_rate=100.0, service_time=0.02, servers=2)
    with pytest.raises(NoAnswer, match="120 % utilized"):
        queue("M/M/1", arrival_rate=[10.0, 60.0], service_time=0.02)
    with pytest.raises(NoAnswer):
        queue("M/G/1-priority", arrival_rate=[10.0, 60.0], service_time=[0.02, 0.02], scv_service=1)
    queue("M/M/1/K", arrival_rate=100.0, service_time=0.02, capacity=1)


def test_more_requests_than_the_sources_can_make():
    with pytest.raises(NoAnswer, match="10 sources cannot make"):
        queue("M/M/c/K/N", arrival_rate=200.0, service_time=0.02, servers=2, sources=10)


def test_numbers_that_leave_the_range():
    with pytest.raises(NotComputed, match="QN502"):
        queue("M/M/1", arrival_rate=1e-200, service_time=1e199)


def test_percentiles_out_of_range():
    found = queue("M/M/1", arrival_rate=10.0, service_time=0.02)
    for share in (1.0, -0.1, 1.5):
        with pytest.raises(NotComputed, match="percentile"):
            found.wait_percentile(share)
        with pytest.raises(NotComputed, match="percentile"):
            found.response_percentile(share)


def test_nobody_comes():
    for station, point in (
        ("M/M/1", {}),
        ("M/D/1", {}),
        ("M/M/c/K", {"servers": 2, "capacity": 3}),
        ("M/D/c", {"servers": 2}),
    ):
        found = queue(station, arrival_rate=0.0, service_time=0.02, **point)
        assert (found.wait, found.response, found.queue_length) == (0, 0.02, 0)
        assert found.wait_percentile(0.9) == 0
        assert found.state_probability(0) == 1


def test_too_much_work_is_refused():
    found = queue("M/Ek/1", arrival_rate=0.5, service_time=1.0, phases=100_000)
    with pytest.raises(NotComputed, match="takes too much work"):
        found.wait_percentile(0.9)
