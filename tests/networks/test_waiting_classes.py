"""The classes of the customers that wait for a place: sums over all customers, and chains that keep their order."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import qnet
from qnet.documents import parse
from qnet.model.load import build
from qnet.networks.capacity.waiting_classes import waiting_classes
from qnet.system import System

STORE = """
qnet = 1
title = "two classes that fill a store"
[stations]
disk = {{}}
[buffers]
store = {{ places = {places} }}
[classes.one]
population = {one}
think_time = "{think_one} s"
steps = [ {{ fill = "store" }}, {{ phase = 2, station = "disk", time = "1 s", drains = "store" }} ]
[classes.two]
population = {two}
think_time = "{think_two} s"
steps = [ {{ fill = "store" }}, {{ phase = 2, station = "disk", time = "1 s", drains = "store" }} ]
"""


def solved(waiting: Any, population: Any, rates: Any) -> Any:
    """The means as computed."""
    return waiting_classes(*(np.array(table, dtype=np.float64) for table in (waiting, population, rates)))


def means(waiting: int, population: tuple[int, ...], rates: tuple[float, ...]) -> list[float]:
    """The mean numbers of waiting customers, from all sets of as many customers, one by one."""
    customers = [index for index, count in enumerate(population) for _ in range(count)]
    sets = list(itertools.combinations(customers, waiting))
    weights = [math.prod(rates[index] for index in chosen) for chosen in sets]
    return [
        sum(weight * chosen.count(index) for weight, chosen in zip(weights, sets, strict=True)) / sum(weights)
        for index in range(len(population))
    ]


@pytest.mark.parametrize("population", [(1, 1), (3, 2), (1, 4, 2), (5,), (0, 3)])
@pytest.mark.parametrize("rates", [(1.0, 1.0, 1.0), (0.01, 3.0, 0.5), (1e-9, 1.0, 1e6)])
def test_means_are_those_of_all_sets_of_customers(population: tuple[int, ...], rates: tuple[float, ...]) -> None:
    numbers = np.arange(sum(population) + 1)
    here = rates[: len(population)]
    result = solved([numbers.tolist()], [population], [here])[0]
    for waiting in numbers.tolist():
        assert result[waiting].tolist() == pytest.approx(means(waiting, population, here), rel=1e-12, abs=1e-300)


def test_many_customers_are_near_the_sums() -> None:
    many = solved([[1, 42, 147, 210]], [(147, 63)], [(0.2, 1.0)])[0]
    assert many.sum(axis=1).tolist() == pytest.approx([1, 42, 147, 210], rel=1e-12)
    # The same shares of a population that is just few enough.
    few = solved([[40, 140]], [(140, 60)], [(0.2, 1.0)])[0]
    assert many[1:3].ravel().tolist() == pytest.approx((few * 1.05).ravel().tolist(), rel=0.01)


def throughputs(places: int, population: tuple[int, int], think: tuple[float, float]) -> list[float]:
    """Passages per second of both classes, from the chain of the places taken and the order of those that wait."""
    start: tuple[int, tuple[int, ...]] = (0, ())

    def moves(state: tuple[int, tuple[int, ...]]) -> list[tuple[float, Any, int]]:
        taken, line = state
        result: list[tuple[float, Any, int]] = []
        for index in (0, 1):
            rate = (population[index] - line.count(index)) / think[index]
            if rate > 0:
                result.append(
                    (rate, (taken + 1, line), index) if taken < places else (rate, (taken, (*line, index)), -1)
                )
        if taken:
            result.append((1.0, (taken, line[1:]), line[0]) if line else (1.0, (taken - 1, line), -1))
        return result

    states = [start]
    for state in states:
        for _, after, _ in moves(state):
            states += [] if after in states else [after]
    index = {state: number for number, state in enumerate(states)}
    balance = np.zeros((len(states), len(states)))
    for state in states:
        for rate, after, _ in moves(state):
            balance[index[after], index[state]] += rate
            balance[index[state], index[state]] -= rate
    balance[-1] = 1.0
    linalg: Any = np.linalg
    shares: list[float] = linalg.solve(balance, np.eye(len(states))[-1]).tolist()
    return [
        sum(share * rate for share, state in zip(shares, states, strict=True) for rate, _, done in moves(state)
            if done == number)
        for number in (0, 1)
    ]  # fmt: skip


@pytest.mark.parametrize("places", [1, 3])
@pytest.mark.parametrize("population", [(1, 1), (1, 3), (2, 2)])
@pytest.mark.parametrize("think", [(1.37, 0.06), (0.3, 8.0), (1.0, 1.0)])
def test_classes_that_only_think_have_the_throughputs_of_the_chain(
    places: int, population: tuple[int, int], think: tuple[float, float]
) -> None:
    text = STORE.format(places=places, one=population[0], two=population[1], think_one=think[0], think_two=think[1])
    rows = qnet.loads(text).solve(method="flow-equivalent").records()
    answer = [row["throughput_per_s"] for row in rows if row["scope"] == "class"]
    assert answer == pytest.approx(throughputs(places, population, think), rel=1e-9)


BEHIND = """
qnet = 1
title = "two classes that share a station before they fill a store"
[stations]
front = {{ discipline = "ps" }}
disk = {{}}
[buffers]
store = {{ places = 1 }}
[classes.one]
population = {one}
think_time = "0.2 s"
steps = [ {{ station = "front", time = "1.3 s" }}, {fills} ]
[classes.rare]
population = {rare}
think_time = "40 s"
steps = [ {{ station = "front", time = "0.1 s" }}, {fills} ]
"""
FILLS = '{ fill = "store" }, { phase = 2, station = "disk", time = "1 s", drains = "store" }'


@pytest.mark.parametrize(("one", "rare"), [(5, 1), (3, 2), (2, 1)])
def test_a_rare_class_waits_behind_a_shared_station_as_the_chain_says(one: int, rare: int) -> None:
    """It was up to 39 % off: one request rate per class, whatever the number of customers that wait."""
    text = BEHIND.format(one=one, rare=rare, fills=FILLS)
    found, exact = (responses(text, method) for method in ("flow-equivalent", "states"))
    for name, wanted in exact.items():
        assert found[name] == pytest.approx(wanted, rel=0.03)


def test_each_point_of_a_sweep_is_solved_by_its_number_of_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points with more sets than are solved one by one do not decide for the others."""
    monkeypatch.setattr("qnet.networks.capacity.closed_levels._COMPOSITIONS", 20)
    text = BEHIND.format(one='"crowd"', rare=2, fills=FILLS).replace(
        "[stations]", "[parameters]\ncrowd = 5\n[stations]"
    )
    found = system(text).sweep("crowd=4:8:2", metric=["response('rare')"], method="flow-equivalent").records()
    assert len(found) == 3
    for count, row in zip((4, 6, 8), found, strict=True):
        alone = responses(text.replace("crowd = 5", f"crowd = {count}"), "flow-equivalent")["rare"]
        assert any(value == pytest.approx(alone, rel=1e-6) for value in row.values() if isinstance(value, float))


def test_classes_with_too_many_sets_of_waiting_customers_are_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    text = BEHIND.format(one=5, rare=2, fills=FILLS)
    assert not system(text).solve(method="flow-equivalent").warnings
    monkeypatch.setattr("qnet.networks.capacity.closed_levels._COMPOSITIONS", 17)
    assert "too many for all sets" in str(system(text).solve(method="flow-equivalent").warnings)


def system(text: str) -> System:
    """The system of a model."""
    model = build(parse(text.encode(), "test"), "test")
    return System(*(getattr(model, name) for name in type(model).__annotations__))


def responses(text: str, method: str) -> dict[str, float]:
    """The responses of the classes in seconds."""
    rows = [row for row in system(text).solve(method=method).records() if row["scope"] == "class"]
    return {str(row["name"]): float(str(row["response_s"])) for row in rows}
