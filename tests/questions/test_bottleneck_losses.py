"""`bottleneck` where customers may be lost: its times and demands are those of the passages that are completed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import qnet
from qnet.questions.bottleneck.bottleneck import ResponsePart, bottleneck
from qnet.questions.why.findings import made_of

ROUTES = """
qnet = 1
title = "a loss on one of two routes"
[stations]
before = { delay = true }
full = { capacity = 1 }
other = { delay = true }
[classes.user]
population = 4
think_time = "0.3 s"
[[classes.user.routes]]
name = "lossy"
probability = 0.5
steps = [ { station = "before", time = "0.2 s" }, { station = "full", time = "0.5 s" } ]
[[classes.user.routes]]
name = "sure"
probability = 0.5
steps = [ { station = "other", time = "0.1 s" } ]
"""
SOMETIMES = """
qnet = 1
title = "a visit that not all make"
[stations]
full = { capacity = 2 }
other = { delay = true }
[classes.user]
population = 4
think_time = "0.3 s"
steps = [ { station = "full", time = "0.5 s", visits = 0.5 }, { station = "other", time = "0.1 s" } ]
"""


def stationary(states: list[Any], moves: Callable[..., list[tuple[float, Any]]]) -> dict[Any, float]:
    """The probabilities of the states of a Markov chain."""
    index = {state: number for number, state in enumerate(states)}
    balance = np.zeros((len(states), len(states)))
    for state in states:
        for rate, after in moves(*state):
            balance[index[after], index[state]] += rate
            balance[index[state], index[state]] -= rate
    balance[-1] = 1.0
    linalg: Any = np.linalg
    shares: list[float] = linalg.solve(balance, np.eye(len(states))[-1]).tolist()
    return dict(zip(states, shares, strict=True))


def lossy_routes() -> tuple[float, float]:
    """Passages per second of both routes of ROUTES, from the chain of the numbers at its stations."""

    def moves(before: int, full: int, other: int) -> list[tuple[float, Any]]:
        thinking = 4 - before - full - other
        result = [(thinking / 0.3 / 2, (before + 1, full, other)), (thinking / 0.3 / 2, (before, full, other + 1))]
        result += [(before / 0.2, (before - 1, 1, other)), (full / 0.5, (before, 0, other))]
        result += [(other / 0.1, (before, full, other - 1))]
        return [(rate, after) for rate, after in result if rate > 0]

    states = [item for item in itertools.product(range(5), range(2), range(5)) if sum(item) <= 4]
    shares = stationary(states, moves)
    return (
        sum(share * full / 0.5 for (_, full, _), share in shares.items()),
        sum(share * other / 0.1 for (_, _, other), share in shares.items()),
    )


@pytest.mark.parametrize("method", ["auto", "states", "flow-equivalent"])
def test_routes_have_the_passages_that_are_completed_on_each(model: Callable[[str], Any], method: str) -> None:
    lossy, sure = lossy_routes()
    rows = {
        row["name"]: row for row in model(ROUTES).solve(method=method).records() if row["scope"] in ("route", "class")
    }
    close: Any = {"rel": 1e-9}
    assert rows["lossy"]["throughput_per_s"] == pytest.approx(lossy, **close)
    assert rows["sure"]["throughput_per_s"] == pytest.approx(sure, **close)
    assert rows["lossy"]["loss"] == pytest.approx(1 - lossy / sure, **close)
    assert rows["sure"]["loss"] == pytest.approx(0, abs=1e-12)
    response = (lossy * 0.7 + sure * 0.1) / (lossy + sure)
    assert rows["user"]["response_s"] == pytest.approx(response, **close)


@pytest.mark.parametrize("method", ["auto", "flow-equivalent"])
def test_service_is_that_of_the_routes_completed(model: Callable[[str], Any], method: str) -> None:
    lossy, sure = lossy_routes()
    rows = {row["name"]: row for row in model(ROUTES).bottleneck(method=method).records() if row["scope"] == "station"}
    for name, passages, time in (("before", lossy, 0.2), ("full", lossy, 0.5), ("other", sure, 0.1)):
        assert rows[name]["residence_s"] == pytest.approx(passages * time / (lossy + sure), rel=1e-9)
        assert rows[name]["service_s"] == pytest.approx(rows[name]["residence_s"], rel=1e-9)
        assert rows[name]["wait_s"] == 0
    assert rows["full"]["full_at_per_s"] == pytest.approx((lossy + sure) / (lossy * 0.5), rel=1e-9)
    assert rows["full"]["headroom"] == pytest.approx(1 / (lossy * 0.5) - 1, rel=1e-9)


@pytest.mark.parametrize("method", ["auto", "states"])
def test_waits_of_a_visit_that_not_all_make(model: Callable[[str], Any], method: str) -> None:
    def moves(full: int, other: int) -> list[tuple[float, Any]]:
        thinking = 4 - full - other
        result = [(thinking / 0.3 / 2, (full, other + 1)), (other / 0.1, (full, other - 1))]
        result += [(2.0 * (full > 0), (full - 1, other + 1))]
        result += [(thinking / 0.3 / 2 * (full < 2), (full + 1, other))]
        return [(rate, after) for rate, after in result if rate > 0]

    states = [item for item in itertools.product(range(3), range(5)) if sum(item) <= 4]
    shares = stationary(states, moves)
    completed = sum(share * other / 0.1 for (_, other), share in shares.items())
    present = sum(share * full for (full, _), share in shares.items())
    busy = sum(share * (full > 0) for (full, _), share in shares.items())
    row = next(row for row in model(SOMETIMES).bottleneck(method=method).records() if row["name"] == "full")
    assert row["residence_s"] == pytest.approx(present / completed, rel=1e-9)
    assert row["service_s"] == pytest.approx(busy / completed, rel=1e-9)
    assert row["wait_s"] == pytest.approx((present - busy) / completed, rel=1e-9)
    assert row["demand_s"] == pytest.approx(busy / completed, rel=1e-9)


def drawn(seed: int) -> dict[str, Any]:
    """A random model with losses."""
    rng = random.Random(seed)

    def time() -> str:
        return f"{rng.uniform(0.05, 1.5):.4f} s"

    stations: dict[str, dict[str, Any]] = {
        "a": {"discipline": rng.choice(["fcfs", "ps", "lcfs-pr", "priority"]), "capacity": rng.choice([1, 2, 3])},
        "b": {"servers": 2, "capacity": rng.choice([2, 4])},
        "c": {"discipline": rng.choice(["fcfs", "ps"])},
    }
    closed = rng.random() < 0.6
    classes: dict[str, Any] = {}
    for name in ("u", "v")[: rng.choice([1, 1, 2])]:
        routes: list[dict[str, Any]] = []
        for number, share in enumerate([0.3, 0.7]):
            steps = [
                {"station": rng.choice("abc"), "time": time(), "visits": rng.choice([0.5, 1, 1, 1.5])}
                for _ in range(rng.choice([1, 2]))
            ]
            routes.append({"name": f"r{number}", "probability": share, "steps": steps})
        load = {"population": rng.choice([1, 2, 3]), "think_time": time()} if closed else {"arrival_rate": "1/s"}
        classes[name] = {**load, "routes": routes}
    if rng.random() < 0.3:
        stations["a"]["copies"] = 2
    used = {step["station"] for item in classes.values() for route in item["routes"] for step in route["steps"]}
    return {
        "title": "random",
        "stations": {key: item for key, item in stations.items() if key in used},
        "classes": classes,
    }


OVERLOADED = (2, 3, 25)
"""The random models whose stations without a capacity are saturated."""


@pytest.mark.parametrize("seed", OVERLOADED)
def test_overloaded_models_are_refused(seed: int) -> None:
    with pytest.raises(qnet.QnetError, match="no steady state"):
        bottleneck(qnet.loads(drawn(seed)))


@pytest.mark.parametrize("seed", [seed for seed in range(40) if seed not in OVERLOADED])
def test_no_wait_is_negative(seed: int) -> None:
    found = bottleneck(qnet.loads(drawn(seed)))
    every = [item.part for item in found.resources if item.part]
    assert sum(part.residence for part in every) == pytest.approx(float(found.solution.response), rel=1e-9)
    for part in (*every, *(item.part for item in found.visits), *(item.part for item in found.routes)):
        assert part.wait is not None and part.service is not None and not part.contradicted
        assert part.wait >= 0 and part.service >= 0
    for item in found.resources:
        assert item.headroom is None or item.headroom >= -1e-12


def test_demands_obey_the_utilization_law(model: Callable[[str], Any]) -> None:
    found = bottleneck(model(SOMETIMES))
    item = next(item for item in found.resources if item.label == "full")
    assert item.demand is not None
    assert item.demand * float(found.solution.throughput) == pytest.approx(item.utilization, rel=1e-12)


def test_demands_without_losses_are_those_stated(model: Callable[[str], Any]) -> None:
    found = bottleneck(model(SOMETIMES.replace("full = { capacity = 2 }", "full = {}")))
    assert next(item for item in found.resources if item.label == "full").demand == 0.25


def test_a_split_that_an_approximation_contradicts_is_left_out() -> None:
    part = ResponsePart("a", 1.0, None, None, 0.5, contradicted=True)
    assert "shorter than the service" in made_of(part)
