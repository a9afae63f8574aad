"""Layers beside closed classes: limits in which they are known, laws, and what is refused or marked."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from building import at_station, delay, station, visit

import qnet
from qnet.errors import NoAnswer, NotComputed
from qnet.networks.closed_networks import solve as solve_by_demands
from qnet.networks.exactness import Beyond
from qnet.networks.layers.solve import solve as solve_layers
from qnet.networks.reduction import Reduction
from qnet.networks.routed import ClosedClass, Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve as solve_best
from qnet.networks.solve import solve_part
from qnet.networks.wanted import AUTO, Wanted


def solve(network: RoutedNetwork, wanted: Wanted = AUTO) -> RoutedSolution:
    """By layers, or by demands where nobody ever waits inside, also where a limit on one class is known better."""
    reduction = Reduction(network)
    if reduction.by_layers(wanted):
        return solve_layers(network, reduction.unit, wanted)
    return solve_by_demands(network, wanted, solve_part)


def terminals(count: Any, think_time: Any, *steps: Any, name: str = "c") -> ClosedClass:
    return ClosedClass(name, count, think_time, (Route("r", 1.0, steps),))


def system(stations: list[Station], *classes: Any, size: int | None = None) -> RoutedNetwork:
    return RoutedNetwork(tuple(stations), classes, (), size)


def agents(count: Any, servers: int, *steps: Any, think_time: Any = 2.0, size: int | None = None) -> RoutedNetwork:
    """Terminals, and agents that are held while steps use a processor and a disk."""
    inner = steps or (visit("cpu", 1.0), visit("disk", 0.7))
    places = [station("agent", servers), station("cpu"), station("disk")]
    return system(places, terminals(count, think_time, Hold("agent", inner)), size=size)


def test_one_customer_never_waits():
    assert solve(agents(1.0, 2)).throughput == pytest.approx(1 / 3.7, rel=1e-12)


@pytest.mark.parametrize("servers", [6, 9])
def test_agents_for_everybody_are_free(servers: int):
    """They change nothing, and the rest has product form."""
    plain = system([station("cpu"), station("disk")], terminals(6.0, 2.0, visit("cpu", 1.0), visit("disk", 0.7)))
    found, wanted = solve(agents(6.0, servers)), solve(plain)
    assert not found.exact
    assert found.throughput == pytest.approx(wanted.throughput, rel=1e-9)
    assert at_station(found, "disk").residence == pytest.approx(at_station(wanted, "disk").residence, rel=1e-9)
    assert at_station(found, "agent").utilization == pytest.approx(
        wanted.throughput * wanted.response / servers, rel=1e-9
    )


def test_one_agent_serialises_everything():
    """Nobody waits inside, and the agent can do one request after the other."""
    found = solve(agents(30.0, 1))
    assert [at_station(found, name).wait for name in ("cpu", "disk")] == pytest.approx([0, 0], abs=1e-12)
    assert at_station(found, "agent").holding == pytest.approx(1.7, rel=1e-12)
    assert found.throughput == pytest.approx(1 / 1.7, rel=1e-6)


def test_nothing_to_do_inside_is_product_form():
    plain = solve(system([station("agent", 2)], terminals(5.0, 2.0, visit("agent", 1.7))))
    nearly = solve(agents(5.0, 2, Time(1.7), visit("cpu", 1e-9)))
    assert nearly.throughput == pytest.approx(plain.throughput, rel=1e-2)
    held = solve(agents(5.0, 2, Time(1.7), visit("cpu", 0.0)))
    assert held.throughput == pytest.approx(plain.throughput, rel=1e-9)


def test_copies_that_follow_are_never_waited_for():
    """A channel to every disk: whoever holds the disk has it."""
    places = [station("disk", copies=3), station("channel", copies=3, follows="disk")]
    found = solve(system(places, terminals(6.0, 1.0, Hold("disk", (Time(0.3), visit("channel", 0.2))))))
    assert at_station(found, "channel").wait == 0


@pytest.mark.parametrize("later", [0.0, 0.1], ids=["before-the-answer", "after-it"])
@pytest.mark.parametrize("count", [2.0, 7.0])
def test_copies_that_are_held_are_as_so_many_stations(count: float, later: float):
    """Three disks that wait for one channel: nobody meets others there who hold the same disk."""
    inside = (Time(0.2), visit("channel", 0.2)) + (Time(later, phase=2),) * (later > 0)
    names = ["one", "two", "three"]
    others = OpenClass("web", 1.0, (Route("r", 1.0, (visit("channel", 0.1),)),))
    shared = [station("disk", copies=3), station("channel")]
    apart = [*map(station, names), station("channel")]
    copies = solve(system(shared, terminals(count, 1.0, Hold("disk", inside, visits=3.0)), others))
    written = solve(system(apart, terminals(count, 1.0, *(Hold(name, inside) for name in names)), others))
    assert copies.throughput == pytest.approx(written.throughput, rel=1e-9)
    assert at_station(copies, "channel").wait == pytest.approx(at_station(written, "channel").wait, rel=1e-9)


def mixed() -> RoutedNetwork:
    """Closed classes through agents, with work left behind inside and outside, beside arrivals."""
    steps = (visit("cpu", 0.3), Hold("disk", (Time(0.2), visit("channel", 0.1), Time(0.1, phase=2))), delay_of(0.1))
    places = [station("agent", 3), station("cpu"), station("disk", copies=2), station("channel"), delay("away")]
    return system(
        places,
        terminals(6.0, 2.0, Hold("agent", steps), visit("cpu", 0.2, phase=2)),
        OpenClass("web", 0.4, (Route("r", 1.0, (visit("cpu", 0.3), Hold("disk", (visit("channel", 0.1),)))),)),
    )


def test_customers_who_spend_no_time_anywhere_are_refused():
    """All that this class does is done after its response: its throughput has no limit."""
    endless = terminals(2.0, 0.0, visit("cpu", 1e-5, phase=2), name="endless")
    others = terminals(30.0, 1.0, Hold("disk", (Time(0.001), visit("cpu", 0.001))))
    with pytest.raises(NoAnswer, match='"endless" has customers and neither demand nor think time'):
        solve_best(system([station("cpu"), station("disk")], endless, others))


def delay_of(time: float) -> Hold:
    return Hold("away", (Time(time),))


def test_the_laws_hold():
    found = solve(mixed())
    users, web = found.classes
    assert found.method == "layers" and not found.exact and found.stable
    assert users.throughput * (users.response + 2.0) == pytest.approx(6.0, rel=1e-9)
    assert web.throughput == 0.4
    for item in found.stations:
        visits = 2 if item.name == "cpu" else 1
        through = visits * users.throughput if item.name != "agent" else users.throughput
        assert item.throughput == pytest.approx(
            through + (0.4 if item.name not in ("agent", "away") else 0.0), rel=1e-9
        )
        assert item.busy_servers == pytest.approx(item.throughput * item.holding, rel=1e-9)
        assert item.queue_length == pytest.approx(item.throughput * (item.wait + item.holding), rel=1e-9)
        assert item.utilization is None or 0 < item.utilization < 1


def test_inner_waits_are_part_of_the_time_that_agents_are_held():
    found = solve(agents(6.0, 3))
    inner = [at_station(found, name) for name in ("cpu", "disk")]
    assert at_station(found, "agent").holding == pytest.approx(
        sum(item.wait + item.holding for item in inner), rel=1e-9
    )
    assert all(item.wait > 0 for item in inner)


@pytest.mark.long
def test_a_batch_is_as_its_points():
    think, count = np.array([0.5, 2.0, 20.0]), np.array([3.0, 8.0, 40.0])
    found = solve(agents(count, 2, think_time=think, size=3))
    alone = [solve(agents(float(n), 2, think_time=float(z))).throughput for n, z in zip(count, think, strict=True)]
    assert found.throughput == pytest.approx(alone, rel=1e-8)


def test_points_where_agents_are_free_are_divided_where_each_gets_its_own():
    from qnet.networks.wanted import Divided

    with pytest.raises(Divided) as divided:
        solve(agents(np.array([2.0, 3.0]), 2, size=2), AUTO.replace(each=True))
    assert divided.value.first.tolist() == [False, True]


@pytest.mark.long
def test_more_customers_fill_the_agents():
    """An estimate of waits at few customers may be a little short of that at many."""
    found = [solve(agents(count, 2)) for count in (2.0, 5.0, 10.0, 40.0, 1000.0)]
    rates = [item.throughput for item in found]
    assert all(more >= 0.99 * less for less, more in pairwise(rates))
    assert found[-1].ceiling is not None and found[-1].ceiling[1] == "agent"
    assert rates[-1] == pytest.approx(found[-1].ceiling[0], rel=1e-3)
    assert all(item.ceiling is not None and item.ceiling[0] >= item.throughput for item in found)
    assert at_station(found[-1], "agent").utilization <= 1


def test_more_work_than_a_station_can_do_has_no_steady_state():
    web = OpenClass("web", 1.2, (Route("r", 1.0, (visit("cpu", 1.0),)),))
    network = agents(3.0, 2)
    assert not solve(network.replace(classes=(*network.classes, web))).stable


def test_times_that_differ_much_warn():
    other = terminals(2.0, 1.0, visit("cpu", 0.1), name="short")
    network = agents(3.0, 2)
    reasons = solve(network.replace(classes=(*network.classes, other))).reasons
    assert [reason.code for reason in reasons if isinstance(reason, Beyond)] == ["QN640"]


@pytest.mark.parametrize("scv, warned", [(0.0, True), (0.4, True), (0.5, False), (1.0, False)])
def test_times_that_hardly_vary_warn(scv: float, warned: bool):
    """With constant times customers come in step: queues beside the bottleneck were twice too long."""
    reasons = solve(agents(3.0, 2, visit("cpu", 0.5, scv))).reasons
    assert [reason.code for reason in reasons if isinstance(reason, Beyond)] == ["QN640"] * warned


@pytest.mark.parametrize("asked", [AUTO.replace(method="mva"), AUTO.replace(method="layers", states=True)])
def test_what_layers_do_not_give_is_refused(asked: Any):
    with pytest.raises(NotComputed) as refused:
        solve_best(agents(5.0, 2), asked)
    assert refused.value.problems[0].code == "QN513"


@pytest.mark.long
def test_a_batch_says_what_its_throughput_tends_to_as_its_points_do():
    """Faster servers at one of two stations, of which the outer one is held during the inner one."""
    times = np.array([0.05, 0.1, 0.3])
    inner = Hold("b", (Time(times),))
    network = RoutedNetwork(
        tuple(Station(name, False, 2, "fcfs", (Group(name, 1, 1.0),)) for name in "ab"),
        (ClosedClass("all", 6.0 + 0 * times, 1.0, (Route("all", 1.0, (Hold("a", (Time(0.1), inner)),)),)),),
        size=3,
    )
    told = solve(network, Wanted(ceilings=True)).ceiling
    assert told is not None
    alone = [solve(network.point(place)).ceiling for place in range(3)]
    assert told[0] == pytest.approx([item[0] for item in alone if item], rel=1e-8)
    assert list(told[1]) == [item[1] for item in alone if item]


@pytest.mark.long
def test_where_a_station_is_full_figures_are_smooth() -> None:
    """Many waits of two classes at a full station are fixed points: steps that went to any of them moved figures by
    1e-4 of themselves and more, up and down."""
    text = """qnet = 1
title = "full"
[parameters]
think = "47.5 ms"
[stations]
s1 = {}
s2 = { servers = 2 }
[classes.a]
population = 10
think_time = "think"
steps = [
  { hold = "s1", steps = [ { time = "8.26 ms" }, { phase = 2, time = "2.48 ms" } ] },
  { station = "s2", time = "10.6 ms" },
]
[classes.b]
population = 2
think_time = "10 ms"
steps = [
  { hold = "s1", steps = [ { time = "8.26 ms" }, { phase = 2, time = "8.26 ms" } ] },
  { station = "s2", time = "10.6 ms" },
]
"""
    full = qnet.loads(text)
    times = [0.0474 + 0.00005 * step for step in range(7)]
    rates = [full.set(think=time).solve(method="layers").records()[0]["throughput_per_s"] for time in times]
    falls = [one - other for one, other in pairwise(rates)]
    assert min(falls) > 0
    assert max(falls) < 1.01 * min(falls)
