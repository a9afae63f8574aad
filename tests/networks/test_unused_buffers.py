"""Buffers and stations with a capacity that only a class without customers uses: nothing is lost there."""

from __future__ import annotations

from typing import Any

import pytest

import qnet

OTHER = {"population": 3, "think_time": "64 ms", "steps": [{"station": "disk", "time": "143 ms"}]}
WORK = {"phase": 2, "station": "disk", "time": "105 ms", "drains": "store"}


def filled(full: str, customers: int) -> qnet.System:
    """A class that fills a buffer, beside another one."""
    writer = {"population": customers, "think_time": "0.7 s", "steps": [{"fill": "store"}, WORK]}
    model: Any = {
        "title": "a store", "stations": {"disk": {}}, "buffers": {"store": {"places": 2, "full": full}},
        "classes": {"writer": writer, "reader": OTHER},
    }  # fmt: skip
    return qnet.loads(model)


def test_a_buffer_that_loses_without_customers() -> None:
    system = filled("lost", 0)
    alone: Any = {"title": "alone", "stations": {"disk": {}}, "classes": {"reader": OTHER}}
    throughput = qnet.loads(alone).metric("throughput")
    assert system.metric("offered") == pytest.approx(throughput, rel=1e-12)
    assert system.metric("throughput") == pytest.approx(throughput, rel=1e-12)
    for name in ("loss", "loss('writer')", "loss('reader')", "offered('writer')", "found_full('store')"):
        assert system.metric(name) == 0


@pytest.mark.parametrize("full", ["lost", "wait"])
def test_an_unused_buffer_is_empty(full: str) -> None:
    system = filled(full, 0)
    assert system.metric("occupancy('store')") == 0
    rows = {row["scope"]: row for row in system.solve().records()}
    assert rows["buffer"]["occupancy"] == 0 and rows["buffer"]["found_full"] == 0


def test_both_are_compared_with_the_same_system_in_use() -> None:
    rows: Any = filled("lost", 2).compare(filled("lost", 0)).records()
    assert {row["value"] for row in rows if row["metric"] in ("loss", "occupancy('store')")} == {0}
    assert all(row["base"] > 0 for row in rows if row["metric"] in ("loss", "occupancy('store')"))


def test_a_station_with_a_capacity_that_is_never_visited() -> None:
    steps = [{"station": "left", "time": "0.3 s"}]
    model: Any = {
        "title": "one of two", "stations": {"left": {"capacity": 1}, "right": {"capacity": 1}},
        "classes": {
            "one": {"population": 0, "think_time": "1 s", "steps": [{"station": "right", "time": "1 s"}, *steps]},
            "two": {"population": 2, "think_time": "1 s", "steps": steps},
        },
    }  # fmt: skip
    # One of two customers is served, or none: the chain of two states.
    busy = 2 * 0.3 / (1 + 2 * 0.3)
    assert qnet.loads(model).metric("loss('two')") == pytest.approx(busy / (busy + 2 * (1 - busy)), rel=1e-9)
