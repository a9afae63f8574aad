"""Percentiles of responses through pools: limits on the number of customers inside."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from qnet.errors import NotComputed
from qnet.expression import FLOATS
from qnet.networks.percentiles import limited
from qnet.networks.percentiles.holds_of_one import holders
from qnet.networks.percentiles.limited import Admitted
from qnet.networks.percentiles.responses import response_percentile
from qnet.networks.percentiles.trust import admitting, beyond
from qnet.networks.routed import Group, Hold, OpenClass, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.solve import solve
from qnet.networks.wanted import Wanted

SHARES = (0.5, 0.9, 0.95, 0.99)


def station(name: str, servers: int = 1, discipline: str = "fcfs") -> Station:
    return Station(name, False, servers, discipline, (Group(name, 1, 1.0),))


def visit(name: str, time: Any, visits: Any = 1.0) -> Hold:
    return Hold(name, (Time(time),), visits)


def network(rate: Any, limit: int, *inside: Step, stations: tuple[Station, ...], before: tuple[Step, ...] = ()) -> Any:
    """A pool around some steps, after others."""
    size = None if isinstance(rate, float) else len(rate)
    steps = (*before, Hold("pool", inside))
    asked = OpenClass("all", rate, (Route("way", 1.0, steps),))
    return RoutedNetwork((station("pool", limit), *stations), (asked,), size=size)


@pytest.mark.parametrize("limit", [2, 8, 64])
@pytest.mark.parametrize("load", [0.3, 0.8, 0.95])
def test_a_pool_around_one_queue_is_that_queue(limit: int, load: float) -> None:
    """Whoever waits for admission waits as long as in the queue: M/M/1, whose response is exponential.

    The mixture of two gamma times is not quite.
    """
    pool = network(load, limit, visit("a", 1.0), stations=(station("a"),))
    solution = solve(pool, Wanted(method="flow-equivalent"))
    for share in SHARES:
        assert response_percentile(solution, share) == pytest.approx(-math.log(1 - share) / (1 - load), rel=0.06)


def test_a_pool_that_is_never_full_changes_nothing():
    """Two queues one after the other, with and without a limit of 200 around them."""
    inside = visit("a", 0.5), visit("b", 0.3)
    stations = station("a"), station("b")
    limit = solve(network(1.2, 200, *inside, stations=stations))
    free = RoutedNetwork(stations, (OpenClass("all", 1.2, (Route("way", 1.0, inside),)),))
    assert limit.method == "flow-equivalent"
    for share in SHARES:
        expected = response_percentile(solve(free), share)
        assert response_percentile(limit, share) == pytest.approx(expected, rel=0.01)


def test_the_mean_of_the_waits_is_that_of_the_solution():
    """Of those who waited for admission and those who did not, together."""
    rates = np.array([0.2, 0.8, 1.3])
    inside = visit("a", 0.5), visit("b", 0.3, 2.0)
    pool = network(rates, 3, *inside, stations=(station("a"), station("b", 2)), before=(visit("c", 0.4),))
    pool = pool.replace(stations=(*pool.stations, station("c")))
    solution = solve(pool)
    passages = solution.passages
    assert passages is not None and len(passages.limited) == 1
    admitted = Admitted(passages, passages.waits)
    for one, other in zip(admitted.waits, passages.waits, strict=True):
        assert np.allclose(one.mean, other.mean, rtol=1e-9)
    (route,) = passages.compiled.routes
    ways = list(admitted.ways(route))
    assert sum(probability for probability, _, _ in ways) == pytest.approx(np.ones(3))
    mean = sum(
        probability * sum(part.mean_with(waits) for part in route.parts.values()) for probability, waits, _ in ways
    )
    assert np.allclose(mean, solution.response, rtol=1e-9)


def test_a_point_and_a_batch_agree():
    """The percentiles of a batch are those of its points."""
    inside = visit("a", 0.5), visit("b", 0.9)
    stations = station("a", 1, "ps"), station("b", 2)
    rates = np.array([0.1, 0.9, 1.6])
    batch = response_percentile(solve(network(rates, 4, *inside, stations=stations)), 0.95)
    for rate, time in zip(rates.tolist(), np.asarray(batch).tolist(), strict=True):
        point = response_percentile(solve(network(rate, 4, *inside, stations=stations)), 0.95)
        assert point == pytest.approx(time, rel=1e-9)


def test_points_with_the_same_inside_are_solved_once(monkeypatch: pytest.MonkeyPatch):
    """An envelope over the arrival rate changes nothing inside: it took seven times as long."""
    sizes: list[int | None] = []
    compute = limited.with_variances

    def counted(network: RoutedNetwork, *arguments: Any) -> Any:
        sizes.append(network.size)
        return compute(network, *arguments)

    monkeypatch.setattr(limited, "with_variances", counted)
    inside = visit("a", 0.5), visit("b", 0.9)
    solution = solve(network(np.linspace(0.1, 1.5, 40), 4, *inside, stations=(station("a"), station("b", 2))))
    assert response_percentile(solution, 0.9) is not None
    assert response_percentile(solution, 0.95) is not None
    assert sizes == [4]


def test_without_arrivals_nobody_waits_for_admission():
    """The response of a lonely customer: two exponential times."""
    inside = visit("a", 0.5), visit("b", 0.25)
    solution = solve(network(0.0, 3, *inside, stations=(station("a"), station("b"))))
    time = response_percentile(solution, 0.9)
    assert isinstance(time, float)
    assert 1 - 2 * math.exp(-time / 0.5) + math.exp(-time / 0.25) == pytest.approx(0.9, abs=1e-6)


@pytest.mark.parametrize(
    ("inside", "trusted"),
    [((visit("a", 0.5), visit("b", 0.3, 4.0)), True), ((visit("a", 0.5), visit("b", 0.3, 5.0)), False),
     ((visit("a", 0.5), Hold("b", (Time(0.3, 4.0),))), False), ((visit("a", 0.5, 0.5), visit("b", 0.3)), False)],
    ids=["four visits", "five visits", "variable times", "passed by"],
)  # fmt: skip
def test_percentiles_of_pools_are_trusted_where_they_were_measured(inside: tuple[Step, ...], trusted: bool) -> None:
    pool = network(0.2, 3, *inside, stations=(station("a"), station("b")))
    passages = solve(pool).passages
    assert passages is not None
    assert (not beyond(pool, FLOATS, (0.95,), admitting(passages))) == trusted


CONNECTED = (
    (station("worker", 32), station("app", 4), station("connection", 20), station("db", 8)),
    (visit("app", 0.008), Hold("connection", (visit("db", 0.015),)), Time(0.001)),
    (visit("app", 0.008), visit("db", 0.015), Time(0.001)),
)
"""Stations and the steps of a worker, with a connection that is held for one visit and without connections."""


def working(rate: float, steps: tuple[Step, ...], connections: int = 20) -> RoutedNetwork:
    """An open network with these steps."""
    stations = tuple(item.replace(servers=connections) if item.name == "connection" else item for item in CONNECTED[0])
    return RoutedNetwork(stations, (OpenClass("all", rate, (Route("way", 1.0, steps),)),))


@pytest.mark.parametrize("rate", [300.0, 460.0])
def test_a_connection_that_is_held_for_one_visit_changes_no_percentile(rate: float) -> None:
    """Those that wait for a connection and for the database are one queue. They were refused: QN516."""
    held, plain = (solve(working(rate, (Hold("worker", steps),))) for steps in CONNECTED[1:])
    for share in SHARES:
        # Estimates of the mean wait for a worker differ by as much.
        assert response_percentile(held, share) == pytest.approx(response_percentile(plain, share), rel=2e-3)
    passages = held.passages
    assert passages is not None
    assert admitting(passages) == {"worker", "connection"}
    assert not beyond(passages.network, FLOATS, SHARES, admitting(passages))


@pytest.mark.parametrize(
    ("steps", "connections"),
    [
        pytest.param(CONNECTED[1], 4, id="fewer connections than servers"),
        pytest.param((Hold("connection", (visit("db", 0.015), Time(0.001))),), 20, id="more than a visit"),
        pytest.param((*CONNECTED[1], visit("db", 0.001)), 20, id="visits without a connection"),
        pytest.param((Hold("connection", (visit("db", 0.01, 2.0),)),), 20, id="several visits"),
    ],
)
def test_connections_that_change_waits_are_not_left_out(steps: tuple[Step, ...], connections: int) -> None:
    assert holders(working(200.0, steps, connections)) == frozenset()
    assert holders(working(200.0, CONNECTED[1])) == {"connection"}


def test_percentiles_of_a_pool_in_a_pool_are_refused() -> None:
    solution = solve(working(200.0, (Hold("worker", CONNECTED[1]),), 4))
    with pytest.raises(NotComputed, match="QN516"):
        response_percentile(solution, 0.95)
