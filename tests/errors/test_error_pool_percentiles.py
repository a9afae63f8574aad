"""Percentiles and means through pools that several open classes enter, against simulations and exact chains."""

from __future__ import annotations

import json

import numpy as np
import pytest
from measuring import assert_told
from pool_passages import Passed
from pool_simulated_systems import ROWS, SHARES, SIMULATED, Kept, Pool, answered, error, measured, warned
from simulating import needs_compiler

from qnet.networks.percentiles.responses import response_percentile
from qnet.networks.routed import Hold, OpenClass, Route, RoutedNetwork, Time
from qnet.networks.solve import solve

pytestmark = pytest.mark.sliced

KEPT: Kept = json.loads(SIMULATED.read_text())
TRUSTED, WARNED = ROWS
CHAINS = {
    "one shared station": Passed(
        np.array([0.5, 1.0]), 3, (("ps", 1),), ((0, 0.3), (0, 1.5)), classes=((0.7, 1), (0.3, 1))
    ),
    "in order, then shared": Passed(
        np.array([0.4, 0.8]), 2, (("fcfs", 2), ("ps", 1)), ((0, 0.5), (0, 0.5), (1, 0.9)), classes=((0.6, 1), (0.4, 2))
    ),
    "a delay and a shared station": Passed(
        np.array([0.4, 0.9]), 2, (("delay", 1), ("ps", 1)), ((0, 1.0), (1, 0.6), (1, 0.2)), classes=((0.5, 2), (0.5, 1))
    ),
    "in order, once or twice": Passed(
        np.array([0.59, 0.9]), 3, (("fcfs", 2),), ((0, 1.1), (0, 1.1), (0, 1.1)), classes=((0.65, 1), (0.35, 2))
    ),
}
"""Systems whose chains are small: arrival rates up to 75 % of the capacity."""


@pytest.mark.long
@pytest.mark.parametrize("name", ROWS)
def test_the_errors_are_those_that_are_told(name: str) -> None:
    assert_told(name, [error(answer, KEPT[name][pool.key]) for pool, answer in measured(name)])


@pytest.mark.long
@pytest.mark.parametrize(("column", "most"), [(0, 0.05), (1, 0.14), (5, 0.17)], ids=["means", "50th", "99.9th"])
def test_means_and_other_percentiles_are_as_good(column: int, most: float) -> None:
    """Simulations themselves are off by some percent at the 99.9th."""
    columns = slice(column, column + 1)
    assert max(error(answer, KEPT[TRUSTED][pool.key], columns) for pool, answer in measured(TRUSTED)) < most


@needs_compiler
@pytest.mark.parametrize("name", ROWS)
def test_what_is_kept_is_what_the_simulation_says(name: str) -> None:
    """With other random numbers."""
    pool = next(pool for pool, _ in measured(name, 40) if pool.load() < 0.5)
    for now, before in zip(pool.simulated(seed=1), KEPT[name][pool.key], strict=True):
        assert now[:5] == pytest.approx(before[:5], rel=0.05)


@pytest.mark.parametrize("name", CHAINS)
def test_percentiles_are_near_those_of_chains(name: str) -> None:
    """That follow a customer of each class."""
    passed = CHAINS[name]
    solution = solve(passed.network())
    for which in range(2):
        exact = passed.percentiles(SHARES, which)
        for share, times in zip(SHARES, exact, strict=True):
            assert response_percentile(solution, share, f"{which}") == pytest.approx(times, rel=0.1)


@needs_compiler
def test_the_simulation_says_what_the_chain_says() -> None:
    passed = CHAINS["in order, then shared"]
    (rate, _), known = passed.rate.tolist(), [passed.percentiles(SHARES, which) for which in range(2)]
    classes = tuple((rate * share, passed.steps[first:last]) for share, first, last in passed.entering)
    for which, figures in enumerate(Pool(passed.limit, passed.stations, classes).simulated()):
        exact = [times[0] for times in known[which]]
        assert figures[1:] == pytest.approx(exact, rel=0.02)


@pytest.mark.parametrize(
    ("stations", "near"),
    [((("fcfs", 1), ("fcfs", 2)), 0.01), ((("delay", 1), ("fcfs", 1)), 0.01), ((("fcfs", 1), ("ps", 1)), 0.03)],
    ids=["in order", "a delay", "shared"],
)
def test_a_pool_that_is_never_full_changes_nothing(stations: tuple[tuple[str, int], ...], near: float) -> None:
    """Two classes, with 100 places and without any.

    The variance at a shared station is an estimate either way; that with places is nearer to a simulation.
    """
    longer = 0.8 if stations[1][0] == "ps" else 0.1
    classes = ((0.9, ((0, 0.4), (1, 0.1))), (0.3, ((0, 0.4), (1, longer))))
    pool = Pool(100, stations, classes).network()
    limit = solve(pool)
    direct: list[OpenClass] = []
    for number, (rate, visits) in enumerate(classes):
        steps = tuple(Hold(f"{place}", (Time(mean),)) for place, mean in visits)
        direct.append(OpenClass(f"{number}", rate, (Route(f"way {number}", 1.0, steps),)))
    free = solve(RoutedNetwork(pool.stations[1:], tuple(direct)))
    for name in ("", "0", "1"):
        for share in SHARES:
            found = response_percentile(limit, share, name)
            assert found == pytest.approx(response_percentile(free, share, name), rel=near)


def test_classes_with_the_same_visits_are_one_class() -> None:
    """However many names they have: the percentiles of one class through the pool."""
    visits = ((0, 0.5), (1, 0.3))
    stations = (("fcfs", 2), ("ps", 1))
    one = solve(Pool(3, stations, ((2.0, visits),)).network())
    two = solve(Pool(3, stations, ((1.5, visits), (0.5, visits))).network())
    for share in SHARES:
        for name in ("", "0", "1"):
            assert response_percentile(two, share, name) == pytest.approx(response_percentile(one, share), rel=1e-9)


def test_long_visits_and_full_pools_are_warned_of() -> None:
    """Short passages behind long ones that only another class makes; and a load of more than 70 %."""
    short, long = ((0, 0.2),), ((0, 0.2), (1, 5.0))
    pool = Pool(3, (("ps", 1), ("ps", 1)), ((0.5, short), (0.05, long)))
    assert warned(solve(pool.network()))
    even = Pool(3, (("ps", 1), ("fcfs", 1)), ((0.5, ((0, 0.6), (1, 0.5))), (0.5, ((0, 0.4), (1, 0.5)))))
    even = even.times(0.8 / even.load())
    assert warned(solve(even.network()))
    assert not warned(solve(even.times(0.8).network()))


def test_a_point_and_a_batch_agree() -> None:
    """On the percentiles of each class."""
    pool = Pool(4, (("fcfs", 2), ("ps", 1)), ((0.8, ((0, 0.5), (1, 0.2))), (0.3, ((0, 0.5), (1, 1.0)))))
    alone = [answered(pool.times(factor), solve(pool.times(factor).network())) for factor in (0.5, 1.0)]
    factors, network = np.array([0.5, 1.0]), pool.network()
    classes = tuple(
        item.replace(arrival_rate=factors * item.arrival_rate)
        for item in network.classes
        if isinstance(item, OpenClass)
    )
    batch = solve(network.replace(classes=classes, size=2))
    for index in range(2):
        for column, share in enumerate(SHARES, 1):
            times = np.asarray(response_percentile(batch, share, f"{index}"))
            assert times.tolist() == pytest.approx([figures[index][column] for figures in alone], rel=1e-9)
