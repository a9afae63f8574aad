"""Where holders are full, or the station that they hold: nobody waits longer than the others are served."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from building import at_station, close, customers, network, station, visit
from many import many

import qnet
from qnet.errors import NoAnswer
from qnet.networks.open.solve import solve
from qnet.networks.routed import Hold, RoutedNetwork, Time

ALMOST = 1 - np.concatenate([np.linspace(0.95, 0.05, 19), np.geomspace(0.04, 1e-6, 12)])


def around(copies: int, servers: int, elsewhere: float, second: float, scv: float, load: Any) -> RoutedNetwork:
    """Outer stations that hold one inner one; `elsewhere` in shares of the time that one turn of all holders takes."""
    turn = copies * (1 + second) / servers
    late = (Time(second, scv, phase=2, keeps=("inner",)),) if second else ()
    hold = Hold("outer", (Time(elsewhere * turn), Hold("inner", (Time(1.0, scv), *late))))
    rate = load * servers / (1 + second)
    return network([station("outer", copies=copies), station("inner", servers)], customers(rate, hold), size=len(load))


KINDS = [(2, 1), (3, 1), (3, 2), (8, 1), (8, 4), (64, 4), (500, 16)]


@pytest.mark.parametrize(("copies", "servers"), KINDS)
@many("scv", [0.0, 0.3, 1.0, 4.0])
@many("second", [0.0, 0.5, 3.0])
@many("elsewhere", [0.001, 0.1, 0.4])
def test_waits_stay_within_one_turn_up_to_saturation(
    copies: int, servers: int, second: float, scv: float, elsewhere: float
) -> None:
    """Holders are busy longer the more load there is: up to some load there is a steady state, and beyond it none."""
    solution = solve(around(copies, servers, elsewhere, second, scv, ALMOST))
    inner, outer = at_station(solution, "inner"), at_station(solution, "outer")
    stable = solution.stable
    assert stable[0] and np.all(np.diff(stable.astype(int)) <= 0)
    assert np.all(outer.utilization[stable] < 1)
    assert inner.utilization == pytest.approx(ALMOST)
    turn = copies * (1 + second) / servers
    assert np.all(inner.wait[stable] < turn)
    assert np.all(inner.wait >= 0)


def throughput(copies: int, servers: int, elsewhere: float) -> float:
    """Services per second of M/M/c//N with a mean service time of one second, by its birth-death chain."""
    weights = [1.0]
    for present in range(copies):
        weights.append(weights[-1] * (copies - present) / elsewhere / min(present + 1, servers))
        if weights[-1] > 1e100:
            weights = [weight / weights[-1] for weight in weights]
    return sum(min(present, servers) * weight for present, weight in enumerate(weights)) / sum(weights)


FULL = [
    (copies, servers, elsewhere)
    for copies, servers in KINDS
    for elsewhere in (0.01, 0.1, 0.4, 1.0, 2.0)
    if throughput(copies, servers, elsewhere * copies / servers) < 0.999 * servers
]
"""Those whose outer stations are full while the inner one is not."""


@pytest.mark.parametrize(("copies", "servers", "elsewhere"), FULL)
def test_exponential_holders_are_full_at_the_throughput_of_their_closed_network(
    copies: int, servers: int, elsewhere: float
) -> None:
    """An outer station that always has customers is one of a fixed number of holders, as in M/M/c//N."""
    turn = copies / servers
    most = throughput(copies, servers, elsewhere * turn)
    solution = solve(around(copies, servers, elsewhere, 0.0, 1.0, most / servers * (1 + np.array([-1e-5, 1e-5]))))
    assert solution.stable.tolist() == [True, False]
    assert at_station(solution, "outer").utilization[0] == pytest.approx(1, abs=2e-3)
    assert at_station(solution, "inner").wait[0] == pytest.approx(copies / most - elsewhere * turn - 1, abs=2e-3 * turn)


@pytest.mark.parametrize("copies", [1, 2, 5])
@pytest.mark.parametrize("more", [0, 3])
def test_as_many_servers_as_holders_never_wait(copies: int, more: int) -> None:
    hold = Hold("outer", (Time(0.2), visit("inner", 0.5, 3.0)))
    model = network([station("outer", copies=copies), station("inner", copies + more)], customers(1.4 * copies, hold))
    solution = solve(model)
    assert at_station(solution, "inner").wait == 0
    assert close(at_station(solution, "outer").holding, 0.7)


def test_the_load_of_the_outer_station_rises_without_a_jump_through_saturation() -> None:
    """Root searches look at loads on both sides of it."""
    load = 1 + np.array([-1e-3, -1e-6, -1e-8, -1e-13, 0.0, 1e-10, 1e-8, 1e-6, 1e-3])
    solution = solve(around(8, 2, 0.001, 0.5, 1.0, load))
    assert solution.stable.tolist() == [True] * 2 + [False] * 7
    loads = {item.name: item.load for item in solution.loads}
    assert loads["inner"] == pytest.approx(load, rel=1e-12)
    assert np.all(np.diff(loads["outer"]) > -1e-9) and np.ptp(loads["outer"][3:-1]) < 1e-4


def test_waits_rise_with_the_load() -> None:
    for copies, servers in ((3, 1), (8, 2), (64, 4)):
        solution = solve(around(copies, servers, 0.1, 0.5, 1.0, ALMOST))
        assert np.all(np.diff(at_station(solution, "inner").wait) > 0)
        assert np.all(np.diff(solution.response) > 0)


def test_a_path_that_nobody_takes_still_waits_for_the_others() -> None:
    """A stream without a rate is answered like one of a very small rate."""
    inner = Hold("outer", (Time(0.2), visit("inner", 0.5)))
    classes = (customers(np.array([0.0, 1e-9]), inner), customers(1.2, visit("inner", 0.5), name="open"))
    solution = solve(network([station("outer", copies=4), station("inner", 1)], *classes, size=2))
    assert solution.classes[0].response == pytest.approx(0.7 + 0.5 * 0.6 / 0.4, rel=1e-6)
    alone = (customers(0.0, inner), classes[1])
    scalar = solve(network([station("outer", copies=4), station("inner", 1)], *alone))
    assert close(scalar.classes[0].response, solution.classes[0].response[0])


@pytest.mark.parametrize("rate", [0.05, 0.08, 0.085, 0.095])
def test_open_streams_can_fill_a_holder(rate: float) -> None:
    """What a holder waits for others than holders leaves it no time: M/M/1 with a load of 0.9 takes 9 s, each time."""
    hold = Hold("outer", (Time(2.0), visit("inner", 1.0)))
    classes = (customers(rate, hold), customers(0.9, visit("inner", 1.0), name="open"))
    solution = solve(network([station("outer"), station("inner")], *classes))
    assert at_station(solution, "outer").holding >= 12 * (1 - 1e-12)
    assert solution.stable == (rate * 12 < 1)


@pytest.mark.parametrize("rate", [0.05, 0.1, 0.2, 0.4])
def test_a_holder_that_returns_at_once_finds_arrivals_during_its_last_service_alone(rate: float) -> None:
    """At saturation x = 0.1 / (1 - 0.9) of waiting and service, so that the inner station limits; rarely 9.1 s."""
    hold = Hold("outer", (visit("inner", 0.1),))
    classes = (customers(rate, hold), customers(0.9, visit("inner", 1.0), name="open"))
    solution = solve(network([station("outer"), station("inner")], *classes))
    assert 1.0 < at_station(solution, "outer").holding < 9.1
    assert solution.stable


def almost_saturated(halvings: int, held: bool, discipline: str = "fcfs") -> qnet.System:
    """Service times of 1 s at a load of 1 less a power of 1/2, which is exact in binary."""
    step = {"station": "cpu", "time": "1 s"}
    steps = [{"hold": "door", "steps": [step]}] if held else [step]
    classes = {"job": {"arrival_rate": f"{1 - 2.0**-halvings!r}/s", "steps": steps}}
    stations = {"cpu": {"discipline": discipline}} | ({"door": {}} if held else {})
    return qnet.loads({"title": "almost saturated", "stations": stations, "classes": classes})


@pytest.mark.parametrize("halvings", [10, 29, 31, 36, 43])
@pytest.mark.parametrize(("held", "discipline"), [(False, "fcfs"), (False, "ps"), (True, "fcfs")])
def test_just_below_saturation_the_wait_is_that_of_the_load(halvings: int, held: bool, discipline: str) -> None:
    """The response is 1 / (1 - load); it was that of a load 1e-9 below saturation at all loads above."""
    found = almost_saturated(halvings, held, discipline)
    assert found.metric("response") == pytest.approx(2.0**halvings, rel=1e-9 if halvings < 40 else 1e-3)


@pytest.mark.parametrize("held", [False, True])
def test_a_load_that_rounding_does_not_tell_from_saturation_is_refused(held: bool) -> None:
    with pytest.raises(NoAnswer, match='"cpu" is saturated'):
        almost_saturated(50, held).solve()
