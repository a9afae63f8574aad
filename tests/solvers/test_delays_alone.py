"""Closed networks without a queueing station: nobody waits, whatever the method."""

from __future__ import annotations

from typing import Any

import pytest

import qnet


def model(**more: Any) -> qnet.System:
    """Two closed classes at two delays; `more` replaces the steps of the second."""
    steps = [{"station": "near", "time": "0.6 s", "visits": 1.5}]
    first = [
        {"station": "far", "time": "0.35 s"},
        {"station": "near", "time": "0.5 s", "visits": 2},
        {"station": "near", "time": "0.2 s"},
    ]
    classes = {
        "first": {"population": 2, "think_time": "0.5 s", "steps": first},
        "second": {"population": 3, "think_time": "0.2 s", "steps": steps} | more,
    }
    delays = {"near": {"delay": True}, "far": {"delay": True}}
    return qnet.loads({"title": "delays alone", "stations": delays, "classes": classes})


def figures(system: qnet.System, method: str) -> dict[Any, tuple[Any, Any]]:
    """The throughput and the response time of each class."""
    rows = system.solve(method=method).records()
    return {row["name"]: (row["throughput_per_s"], row["response_s"]) for row in rows if row["scope"] == "class"}


@pytest.mark.parametrize("method", ["auto", "states", "residual-service", "linearizer", "lattice-mva"])
def test_a_cycle_takes_the_sum_of_its_times(method: str) -> None:
    classes = figures(model(), method)
    assert classes["first"] == pytest.approx((2 / 2.05, 1.55), rel=1e-12)
    assert classes["second"] == pytest.approx((3 / 1.1, 0.9), rel=1e-12)


def test_many_points_take_the_sum_of_their_times() -> None:
    text = """
qnet = 1
title = "delays alone"
[parameters]
users = 3
[stations]
near = { delay = true }
[classes.user]
population = "users"
think_time = "1 s"
steps = [{ station = "near", time = "0.5 s" }]
"""
    swept = qnet.loads(text).sweep("users=1:6:1", metric=["throughput"], method="residual-service")
    assert list(swept.columns["throughput_per_s"]) == pytest.approx([users / 1.5 for users in range(1, 7)], rel=1e-12)


@pytest.mark.parametrize("method", ["auto", "residual-service"])
def test_branches_at_delays_take_as_long_as_the_longer(method: str) -> None:
    """The mean of the longer of two exponential times: a + b - 1 / (1 / a + 1 / b)."""
    branches = [{"steps": [{"station": name, "time": time}]} for name, time in (("near", "0.2 s"), ("far", "0.3 s"))]
    system = model(steps=[{"parallel": branches}])
    response = 0.2 + 0.3 - 1 / (1 / 0.2 + 1 / 0.3)
    assert figures(system, method)["second"] == pytest.approx((3 / (0.2 + response), response), rel=1e-9)
