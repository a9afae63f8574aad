"""Percentiles where the mean number of visits is no integer: mixtures over the visits that passages make."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import pytest

import qnet


def later(rates: Sequence[float], time: float) -> float:
    """The probability that a sum of exponential times of different rates is longer than a time."""
    result = 0.0
    for number, rate in enumerate(rates):
        others = [other for index, other in enumerate(rates) if index != number]
        result += math.exp(-rate * time) * math.prod(other / (other - rate) for other in others)
    return result if rates else 0.0


def percentile(steps: Sequence[tuple[float, float]], share: float) -> float:
    """The time within which a share of passages is answered, by bisection.

    steps   the probability that each is made, and the rate of its exponential time, which differ.
    """

    def beyond(time: float) -> float:
        result = 0.0
        for made in itertools.product((False, True), repeat=len(steps)):
            weight = math.prod(visits if each else 1 - visits for each, (visits, _) in zip(made, steps, strict=True))
            result += weight * later([rate for each, (_, rate) in zip(made, steps, strict=True) if each], time)
        return result

    low, high = 0.0, 1e4
    if beyond(0.0) <= 1 - share:
        return 0.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(middle) > 1 - share else (low, middle)
    return low


def asked(steps: list[dict[str, Any]], share: float, **load: Any) -> tuple[float, list[str]]:
    """The percentile of qnet, and its warnings."""
    stations: dict[str, Any] = {step["station"]: {"delay": step["station"] == "d"} for step in steps}
    model: Any = {"title": "visits", "stations": stations, "classes": {"io": {**load, "steps": steps}}}
    system = qnet.loads(model)
    metric = f"response_p{100 * share:g}"
    return system.metric(metric), [note.code for note in system.solve(metric=[metric]).warnings]


@pytest.mark.parametrize("share", [0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("visits", [0.1, 0.3, 0.7, 0.9])
def test_one_station_that_some_leave_out(visits: float, share: float) -> None:
    value, warned = asked([{"station": "a", "time": "1 s", "visits": visits}], share, arrival_rate="0.2/s")
    # M/M/1: the time of a visit is exponential.
    assert value == pytest.approx(percentile([(visits, 1 - 0.2 * visits)], share), rel=1e-6, abs=1e-6)
    assert "QN663" not in warned


@pytest.mark.parametrize("share", [0.9, 0.99])
@pytest.mark.parametrize("visits", [(0.5, 0.3), (0.8, 1.0), (1.0, 0.25)])
def test_stations_in_a_row_that_some_leave_out(visits: tuple[float, float], share: float) -> None:
    steps: list[dict[str, Any]] = [
        {"station": "a", "time": "1 s", "visits": visits[0]}, {"station": "b", "time": "0.4 s", "visits": visits[1]}
    ]  # fmt: skip
    value, warned = asked(steps, share, arrival_rate="0.6/s")
    # Without overtaking, the times at the stations of a path are independent.
    exact = percentile([(visits[0], 1 - 0.6 * visits[0]), (visits[1], 2.5 - 0.6 * visits[1])], share)
    assert value == pytest.approx(exact, rel=1e-6, abs=1e-9)
    assert "QN663" not in warned


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_a_delay_made_twice_or_three_times(share: float) -> None:
    value, warned = asked([{"station": "d", "time": "2 s", "visits": 2.4}], share, arrival_rate="1/s")

    def within(time: float) -> float:
        terms = [math.exp(-time / 2) * (time / 2) ** number / math.factorial(number) for number in range(3)]
        return 0.6 * (1 - sum(terms[:2])) + 0.4 * (1 - sum(terms))

    assert within(value) == pytest.approx(share, abs=1e-7)
    assert "QN663" not in warned


@pytest.mark.parametrize("load", [{"arrival_rate": "0.5/s"}, {"population": 3, "think_time": "4 s"}])
def test_visits_are_routes(load: dict[str, Any]) -> None:
    """A visit with probability 0.4 and a route with probability 0.4 are the same."""
    before: dict[str, Any] = {"station": "a", "time": "0.7 s"}
    more: dict[str, Any] = {"station": "b", "time": "0.9 s"}
    value, _ = asked([before, {**more, "visits": 0.4}], 0.9, **load)
    routes = [
        {"name": "both", "probability": 0.4, "steps": [before, more]},
        {"name": "one", "probability": 0.6, "steps": [before]},
    ]
    model: Any = {"title": "routes", "stations": {"a": {}, "b": {}}, "classes": {"io": {**load, "routes": routes}}}
    assert value == pytest.approx(qnet.loads(model).metric("response_p90"), rel=1e-9)


def swept(system: Any) -> dict[float, float]:
    """The 90th percentiles, by visits."""
    rows = system.sweep(over=["v=0.25,1,0.75"], metric=["response_p90"]).records()
    return {float(row["v"]): float(row["response_p90_s"]) for row in rows}


def test_a_sweep_over_visits_has_the_values_of_its_points() -> None:
    model: Any = {
        "title": "sweep", "parameters": {"v": 0.5}, "stations": {"a": {}},
        "classes": {"io": {"arrival_rate": "0.3/s", "steps": [{"station": "a", "time": "1 s", "visits": "v"}]}},
    }  # fmt: skip
    system = qnet.loads(model)
    values = swept(system)
    assert len(values) == 3
    for visits, value in values.items():
        assert value == pytest.approx(system.set(v=visits).metric("response_p90"), rel=1e-9)


def test_visits_inside_a_hold_are_still_warned_of() -> None:
    steps: list[dict[str, Any]] = [{"hold": "a", "steps": [{"delay": "1 s", "visits": 0.5}]}]
    model: Any = {"title": "x", "stations": {"a": {}}, "classes": {"io": {"arrival_rate": "0.2/s", "steps": steps}}}
    assert "QN663" in [note.code for note in qnet.loads(model).solve(metric=["response_p90"]).warnings]
