"""What leaves the door of networks obeys the laws: no method can give a figure that cannot be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from building import at_station, customers, network, station, visit

from qnet.errors import NotComputed
from qnet.networks.laws import checked
from qnet.networks.routed import ClosedClass, Route
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve

ALONE = network([station("s")], customers(0.5, visit("s", 1.0)))
BATCH = network([station("s")], customers(np.array([0.5, 0.25, 2.0]), visit("s", 1.0)), size=3)


def with_station(solution: RoutedSolution, **figures: Any) -> RoutedSolution:
    return solution.replace(stations=tuple(item.replace(**figures) for item in solution.stations))


def code(solution: RoutedSolution, batch: bool = False) -> str:
    with pytest.raises(NotComputed) as refusal:
        checked(solution, batch)
    return refusal.value.problems[0].code


def test_a_sound_solution_is_returned_as_it_is() -> None:
    solution = solve(ALONE)
    assert checked(solution, False) is solution


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1e-3])
@pytest.mark.parametrize("figure", ["throughput", "wait", "holding", "residence", "queue_length", "utilization"])
def test_no_figure_of_a_station_is_negative_or_not_finite(figure: str, value: float) -> None:
    assert code(with_station(solve(ALONE), **{figure: value})) == "QN502"


@pytest.mark.parametrize("figure", ["throughput", "response"])
def test_no_figure_of_a_class_or_a_route_is_negative_or_not_finite(figure: str) -> None:
    solution = solve(ALONE)
    for name in ("classes", "routes"):
        parts = tuple(item.replace(**{figure: float("nan")}) for item in getattr(solution, name))
        assert code(solution.replace(**{name: parts})) == "QN502"


def test_a_wait_that_is_negative_by_rounding_is_none() -> None:
    solution = checked(with_station(solve(ALONE), wait=-1e-35), False)
    assert at_station(solution, "s").wait == 0.0
    assert code(with_station(solve(ALONE), wait=-1e-6)) == "QN502"


def test_a_utilization_above_one_by_rounding_is_one() -> None:
    solution = checked(with_station(solve(ALONE), utilization=1.0 + 4e-16), False)
    assert at_station(solution, "s").utilization == 1.0


def test_a_utilization_above_one_by_more_is_refused_by_the_name_of_the_station() -> None:
    with pytest.raises(NotComputed, match="the utilization of s comes out above 1"):
        checked(with_station(solve(ALONE), utilization=1.001), False)


def test_points_of_a_batch_without_a_steady_state_are_not_looked_at() -> None:
    solution = solve(BATCH)
    assert solution.stable.tolist() == [True, True, False]
    unlimited = with_station(solution, queue_length=np.array([1.0, 0.5, np.nan]), utilization=np.array([0.5, 0.2, 2]))
    assert np.array_equal(at_station(checked(unlimited, True), "s").queue_length, [1.0, 0.5, np.nan], equal_nan=True)


def test_one_point_of_a_batch_is_enough_to_refuse() -> None:
    solution = solve(BATCH)
    assert code(with_station(solution, wait=np.array([1.0, np.nan, 1.0])), batch=True) == "QN502"
    assert code(with_station(solution, utilization=np.array([0.5, 1.01, 2.0])), batch=True) == "QN511"


@pytest.mark.parametrize("count", [2.9, 3.1])
def test_customers_are_as_many_as_there_are(count: float) -> None:
    """Little's law: throughput x (response + think time) = population."""
    users = ClosedClass("users", 3.0, 1.0, (Route("way", 1.0, (visit("s", 0.5),)),))
    solution = solve(network([station("s")], users))
    assert checked(solution, False) == solution
    more = tuple(item.replace(population=count) for item in solution.classes)
    with pytest.raises(NotComputed, match='throughput and times of class "users" do not agree with its population'):
        checked(solution.replace(classes=more), False)
    assert checked(solution.replace(classes=more), False, rough=True).classes == more
