"""Subnetworks in which only so many customers may be: where theory knows the answer, and the laws everywhere."""

from __future__ import annotations

import random
from itertools import pairwise, product
from math import exp

import numpy as np
import pytest
from many import many

import qnet
from qnet.errors import NoAnswer, NotComputed
from qnet.networks.aggregation import numbers_in_parts, two_modes
from qnet.networks.memory.regions import regions
from qnet.networks.routed import (
    ClosedClass,
    Group,
    Hold,
    OpenClass,
    Profile,
    Route,
    RoutedNetwork,
    Station,
    Step,
    Time,
)
from qnet.networks.solution import RoutedSolution, StationFigures
from qnet.networks.solve import solve as solve_best
from qnet.networks.wanted import AUTO, Wanted


def solve(network: RoutedNetwork, wanted: Wanted = AUTO) -> RoutedSolution:
    """The answer of the methods that are to be tested, which `states` would otherwise take the place of."""
    return solve_best(network, wanted.replace(chain=0))


def station(name: str, servers: int = 1, discipline: str = "ps", copies: int = 1, delay: bool = False) -> Station:
    return Station(name, delay, servers, discipline, (Group(name, copies, 1 / copies),))


def visit(name: str, time: object, visits: object = 1.0) -> Hold:
    return Hold(name, (Time(time),), visits)  # type: ignore[arg-type]


def closed(population: object, think_time: object, *steps: Step) -> ClosedClass:
    return ClosedClass("jobs", population, think_time, (Route("", 1.0, steps),))  # type: ignore[arg-type]


def arriving(rate: object, *steps: Step, name: str = "jobs") -> OpenClass:
    return OpenClass(name, rate, (Route("", 1.0, steps),))  # type: ignore[arg-type]


def memory(limit: int, copies: int = 2) -> tuple[Station, ...]:
    return (station("memory", limit, "fcfs"), station("cpu"), station("disk", 1, "ps", copies))


INSIDE = (visit("cpu", 0.02, 11.0), visit("disk", 0.05, 10.0))


def at(found: RoutedSolution, name: str) -> StationFigures:
    return next(item for item in found.stations if item.name == name)


@many("seed", range(8))
def test_a_limit_that_is_never_reached_changes_nothing(seed: int):
    rng = random.Random(seed)
    people = float(rng.randint(1, 9))
    before = visit("desk", rng.uniform(0, 1), rng.uniform(0.5, 3))
    inner = tuple(visit(name, rng.uniform(0.01, 0.5), rng.uniform(0.2, 5)) for name in ("cpu", "disk"))
    held = Hold("memory", (Time(rng.uniform(0, 1)), *inner), rng.choice([1.0, 2.5]))
    stations = (station("desk", rng.randint(1, 3)), station("memory", 9, "fcfs"), station("cpu", 2), station("disk"))
    limited = RoutedNetwork(stations, (closed(people, rng.uniform(0, 2), before, held),))
    free = limited.replace(
        stations=(stations[0], *stations[2:]),
        classes=(limited.classes[0].replace(routes=(Route("", 1.0, (before, *in_the_open(held))),)),),
    )
    everybody = limited.replace(stations=(stations[0], station("memory", 1, "fcfs", 1, True), *stations[2:]))
    found, wanted = solve(limited), solve(free)
    assert found.exact and wanted.exact
    assert solve(everybody).throughput == found.throughput
    assert found.throughput == pytest.approx(wanted.throughput, rel=1e-9)
    assert found.response == pytest.approx(wanted.response, rel=1e-9)
    for name in ("desk", "cpu", "disk"):
        assert at(found, name).queue_length == pytest.approx(at(wanted, name).queue_length, rel=1e-9)
        assert at(found, name).wait == pytest.approx(at(wanted, name).wait, rel=1e-9, abs=1e-12)
    assert at(found, "memory").wait == 0


def in_the_open(held: Hold) -> tuple[Step, ...]:
    """The steps of a hold, held by nobody."""
    return tuple(step.replace(visits=step.visits * held.visits) for step in held.steps)


@pytest.mark.parametrize("limit, servers", [(1, 1), (2, 1), (3, 2), (2, 4), (4, 4)])
def test_one_visit_inside_is_a_station_by_itself(limit: int, servers: int):
    """Nobody is held up by a limit above the servers; below it the places are the servers."""
    people = closed(7.0, 3.0, Hold("memory", (visit("cpu", 0.8),)))
    found = solve(RoutedNetwork((station("memory", limit, "fcfs"), station("cpu", servers)), (people,)))
    plain = RoutedNetwork((station("cpu", min(limit, servers)),), (closed(7.0, 3.0, visit("cpu", 0.8)),))
    wanted = solve(plain)
    assert found.exact
    assert found.throughput == pytest.approx(wanted.throughput, rel=1e-9)
    assert at(found, "memory").queue_length == pytest.approx(at(wanted, "cpu").queue_length, rel=1e-9)


def test_arrivals_to_one_visit_inside_are_a_station_by_itself():
    steps = Hold("memory", (visit("lines", 2.0),))
    lines = station("lines", 1, "ps", 1, True)
    found = solve(RoutedNetwork((station("memory", 3, "fcfs"), lines), (arriving(1.2, steps),)))
    wanted = qnet.queue("M/M/c", arrival_rate=1.2, service_time=2.0, servers=3)
    assert found.exact
    assert found.response == pytest.approx(wanted.response, rel=1e-9)
    assert at(found, "memory").wait == pytest.approx(wanted.wait, rel=1e-9)
    assert at(found, "memory").utilization == pytest.approx(0.8)


def test_arrivals_fill_a_limited_subnetwork_at_its_throughput_with_all_places_taken():
    few = solve(RoutedNetwork(memory(3), (closed(3.0, 0.0, *INSIDE),)))
    full = float(few.throughput)
    below, above = (
        solve(RoutedNetwork(memory(3), (arriving(full * share, Hold("memory", INSIDE)),))) for share in (0.999, 1.001)
    )
    assert below.stable and not above.stable
    assert {item.name: item.load for item in below.loads}["memory"] == pytest.approx(0.999)
    assert below.full_at["memory"] == pytest.approx(full)


@pytest.mark.parametrize("limit", [1, 3, 6])
def test_laws_hold(limit: int):
    desk = visit("desk", 0.3, 2.0)
    customers = closed(12.0, 4.0, desk, Hold("memory", INSIDE, 1.5))
    found = solve(RoutedNetwork((station("desk"), *memory(limit)), (customers,)))
    rate, response = found.throughput, found.response
    assert rate * (response + 4.0) == pytest.approx(12.0, rel=1e-12)
    assert sum(item.residence for item in found.stations) == pytest.approx(response, rel=1e-12)
    assert at(found, "cpu").utilization == pytest.approx(rate * 1.5 * 11 * 0.02)
    held = at(found, "memory")
    inside = at(found, "cpu").queue_length + at(found, "disk").queue_length
    assert held.busy_servers == pytest.approx(inside) and inside <= limit
    assert held.queue_length == pytest.approx(rate * 1.5 * (held.wait + held.holding))
    assert rate <= found.full_at["memory"]


def test_more_room_never_hurts_where_times_stay():
    rates = [solve(RoutedNetwork(memory(limit), (closed(9.0, 2.0, Hold("memory", INSIDE)),))) for limit in range(1, 12)]
    assert all(a.throughput <= b.throughput * (1 + 1e-12) for a, b in pairwise(rates))
    assert [item.exact for item in rates] == [False] * 8 + [True] * 3


def test_the_points_of_a_batch_are_solved_as_they_are_alone():
    people, times = np.array([0.0, 1.0, 5.0, 14.0]), np.array([0.02, 0.05, 0.01, 0.03])
    inside = (visit("cpu", times, 5.0), visit("disk", 0.05, 4.0))
    customers = closed(people, 2.0, visit("desk", times * 3), Hold("memory", inside))
    batch = RoutedNetwork((station("desk"), *memory(3)), (customers,), (), 4)
    together = solve(batch)
    for index in range(4):
        alone = solve(batch.point(index))
        assert together.throughput[index] == pytest.approx(alone.throughput)
        assert together.response[index] == pytest.approx(alone.response)
        for one, other in zip(together.stations, alone.stations, strict=True):
            assert one.wait[index] == pytest.approx(other.wait, abs=1e-12)
            assert one.queue_length[index] == pytest.approx(other.queue_length)


def test_two_subnetworks_and_the_rest_share_the_customers():
    """Two limits of one place around one exponential station each are two stations: product form."""
    stations = (station("a", 1, "fcfs"), station("b", 1, "fcfs"), station("one"), station("two"), station("desk"))
    steps = (visit("desk", 0.7), Hold("a", (visit("one", 1.0),)), Hold("b", (visit("two", 0.6),)))
    found = solve(RoutedNetwork(stations, (closed(5.0, 1.0, *steps),)))
    plain = (visit("desk", 0.7), visit("one", 1.0), visit("two", 0.6))
    wanted = solve(RoutedNetwork(stations[2:], (closed(5.0, 1.0, *plain),)))
    assert found.exact
    assert found.throughput == pytest.approx(wanted.throughput, rel=1e-9)
    assert at(found, "b").queue_length == pytest.approx(at(wanted, "two").queue_length, rel=1e-9)
    assert at(found, "desk").queue_length == pytest.approx(at(wanted, "desk").queue_length, rel=1e-9)


def test_a_limit_inside_a_limit_is_warned_of_where_customers_arrive():
    """What passes the inner one is let through evenly: the response was 25 % too long beside the chain."""
    inner = Hold("s", (Time(1.4), visit("t", 1.0, 3.0)))
    stations = (station("h", 2, "fcfs"), station("s", 1, "fcfs"), station("t", 1, "fcfs"))
    network = RoutedNetwork(stations, (arriving(0.14, Hold("h", (inner,))),))
    found, exact = solve(network), solve_best(network, Wanted(method="states"))
    assert "QN645" in {getattr(reason, "code", "") for reason in found.reasons}
    assert found.response == pytest.approx(exact.response, rel=0.4)


def test_arrivals_beside_slow_down_what_is_around():
    """An open class at the desk, beside one visit inside: the same as without the limit, which is exact."""
    web = arriving(0.8, visit("desk", 0.5), name="web")
    held = closed(6.0, 2.0, visit("desk", 0.5), Hold("memory", (visit("cpu", 0.4),)))
    stations = (station("desk"), station("memory", 2, "fcfs"), station("cpu"))
    found = solve(RoutedNetwork(stations, (held, web)))
    plain = closed(6.0, 2.0, visit("desk", 0.5), visit("cpu", 0.4))
    wanted = solve(RoutedNetwork((stations[0], stations[2]), (plain, web)))
    assert [item.response for item in found.classes] == pytest.approx([item.response for item in wanted.classes])
    assert {item.name: item.load for item in found.loads} == pytest.approx({"desk": 0.4})


def counted(limit: int, customers: ClosedClass | OpenClass, time: object, size: int | None) -> RoutedNetwork:
    route = Route("", 1.0, (Hold("memory", (Time(time),)),))  # type: ignore[arg-type]
    return RoutedNetwork((station("memory", limit, "fcfs"),), (customers.replace(routes=(route,)),), (), size)


def test_times_in_proportion_to_the_number_inside_are_one_server():
    """With n inside each takes n times as long: together they leave at one rate, whatever n and the limit."""
    for limit, people in ((2, 5), (4, 5), (7, 5)):
        levels = min(limit, people)
        customers = closed(float(people), 3.0)
        own = counted(limit, customers, 0.5 * np.arange(1.0, levels + 1), levels)
        network = counted(limit, customers, 0.5 * limit, None)
        found = solve(network.replace(profiles=(Profile("memory", levels, own),)))
        wanted = solve(RoutedNetwork((station("cpu"),), (closed(float(people), 3.0, visit("cpu", 0.5)),)))
        assert found.throughput == pytest.approx(wanted.throughput, rel=1e-9)
        assert found.response == pytest.approx(wanted.response, rel=1e-9)


def test_arrivals_whose_times_grow_with_the_number_inside_are_one_server():
    own = counted(3, arriving(1.2), 0.5 * np.arange(1.0, 4), 3)
    network = counted(3, arriving(1.2), 1.5, None).replace(profiles=(Profile("memory", 3, own),))
    assert solve(network).response == pytest.approx(0.5 / (1 - 0.6), rel=1e-9)


def test_customers_spread_over_parts_as_brute_force_says():
    rng = np.random.default_rng(3)
    rates = [np.concatenate([[1.0], rng.uniform(0.2, 3, 4)]) for _ in range(3)]
    parts = [-np.cumsum(np.log(rate))[None, :] for rate in rates]
    found = numbers_in_parts(parts, np.array([4.0]))
    weights = {
        counts: exp(sum(part[0, count] for part, count in zip(parts, counts, strict=True)))
        for counts in product(range(5), repeat=3)
        if sum(counts) == 4
    }
    whole = sum(weights.values())
    for place in range(3):
        shares = [sum(w for counts, w in weights.items() if counts[place] == n) / whole for n in range(5)]
        assert found[place][0].tolist() == pytest.approx(shares)


def test_a_fraction_of_a_customer_is_between():
    few, more, between = (
        solve(RoutedNetwork(memory(2), (closed(people, 1.0, Hold("memory", INSIDE)),))) for people in (4.0, 5.0, 4.25)
    )
    assert between.throughput == pytest.approx(0.75 * few.throughput + 0.25 * more.throughput)
    assert any("fractional population" in reason for reason in between.reasons)


@pytest.mark.parametrize(
    "row, wanted",
    [
        ([0.5, 0.3, 0.2], None),
        ([0.4, 0.1, 0.05, 0.15, 0.3], (0, 4)),
        ([0.1, 0.3, 0.28, 0.32], None),
        ([0.6, 0.3949, 0.0001, 0.005], None),
        ([0.2, 0.2, 0.2, 0.2, 0.2], None),
    ],
)
def test_two_modes_are_told_apart_by_a_valley(row: list[float], wanted: tuple[int, int] | None):
    assert two_modes(row) == wanted


def shared(network: RoutedNetwork) -> RoutedNetwork:
    """With a visit to an inner station from outside."""
    item = network.classes[0]
    route = item.routes[0]
    return network.replace(classes=(item.replace(routes=(route.replace(steps=(*route.steps, visit("cpu", 0.1))),)),))


def test_only_what_can_be_taken_apart_is():
    network = RoutedNetwork(memory(2), (closed(4.0, 1.0, Hold("memory", INSIDE)),))
    assert [item.inner for item in regions(network)] == [("cpu", "disk")]
    assert not regions(shared(network))
    two = network.replace(classes=(network.classes[0], closed(2.0, 1.0, Hold("memory", INSIDE))))
    assert not regions(two)
    assert not regions(network.replace(stations=(station("memory", 2, "fcfs", 2), *network.stations[1:])))
    deeper = Hold("memory", (Hold("cpu", (visit("disk", 1.0),)),))
    assert not regions(network.replace(classes=(closed(4.0, 1.0, deeper),)))


def test_what_cannot_be_answered_is_refused():
    network = RoutedNetwork(memory(2), (closed(4.0, 1.0, Hold("memory", INSIDE)),))
    for wanted in (AUTO.replace(method="mva"), AUTO.replace(bounds="balanced")):
        with pytest.raises(NotComputed, match="is held while others are waited for"):
            solve(network, wanted)
    with pytest.raises(NoAnswer, match="neither demand nor think time"):
        solve(network.replace(classes=(closed(4.0, 0.0, Hold("memory", (visit("cpu", 0.0),))),)))
    with pytest.raises(NotComputed, match="too many to be solved at every number"):
        solve(network.replace(classes=(closed(1e6, 1.0, visit("desk", 1.0), Hold("memory", INSIDE)),),
                              stations=(*network.stations, station("desk"))))  # fmt: skip
    with pytest.raises(NotComputed, match="times depend on the number inside"):
        solve(shared(network).replace(profiles=(Profile("memory", 2, shared(network)),)))


def test_states_of_the_memory_are_its_birth_and_death_chain():
    found = solve(
        RoutedNetwork(
            (station("memory", 2, "fcfs"), station("cpu")), (closed(3.0, 2.0, Hold("memory", (visit("cpu", 1.0),))),)
        ),
        AUTO.replace(states=True),
    )
    weights = [1, 3 / 2, 6 / 4, 6 / 8]
    assert found.states is not None
    assert found.states["memory"] == pytest.approx([weight / sum(weights) for weight in weights])


def test_many_terminals_around_a_limit_are_affordable():
    """Customers who only think outside are no stations to be solved: a hundred thousand of them."""
    found = solve(RoutedNetwork(memory(20), (closed(100_000.0, 3e4, Hold("memory", INSIDE)),)))
    assert found.throughput * (found.response + 3e4) == pytest.approx(100_000)


def test_one_priority_for_all_is_none():
    def found(priority: int) -> RoutedSolution:
        disk = visit("disk", 0.4).replace(priority=priority)
        users = closed(5.0, 2.0, Hold("memory", (visit("cpu", 0.3), disk)))
        return solve(RoutedNetwork((*memory(2)[:1], station("cpu"), station("disk", discipline="priority")), (users,)))

    assert found(1).method == found(0).method == "flow-equivalent"
    assert found(1).response == found(0).response


@pytest.mark.parametrize(("places", "users"), [(2, 30), (5, 30), (5, 4)])
def test_the_largest_throughput_is_that_of_as_many_customers_as_there_are_places(places: int, users: int):
    """Also where the chain of all states has the answer: mean value analysis of the stations behind, and all tables."""
    system = qnet.loads(
        f"""qnet = 1
title = "memory"
[stations]
memory = {{ servers = {places} }}
cpu = {{}}
disk = {{}}
[classes.user]
population = {users}
think_time = "4 s"
[[classes.user.steps]]
hold = "memory"
steps = [ {{ station = "cpu", time = "120 ms" }}, {{ station = "disk", time = "125 ms" }} ]
"""
    )
    numbers, rate = [0.0, 0.0], 0.0
    for customers in range(1, places + 1):
        times = [demand * (1 + number) for demand, number in zip((0.12, 0.125), numbers, strict=True)]
        rate = customers / sum(times)
        numbers = [rate * time for time in times]
    report = system.solve(method="states")
    assert report.method == "states"
    assert report.maximum_throughput == pytest.approx(rate, rel=1e-9)
    table = {row.get("name"): row for row in system.bottleneck().records() if row["scope"] == "station"}
    assert table["memory"]["full_at_per_s"] == pytest.approx(rate, rel=1e-9)
