"""Stations and product-form networks against formulas evaluated here, in exact arithmetic where it can be had."""

from __future__ import annotations

import time
from fractions import Fraction
from math import factorial
from random import Random
from typing import Any

import numpy as np
import pytest
from building import at_station, close, customers, delay, network, station, visit
from many import many
from nested_chain import stationary

from qnet.networks.open.solve import solve
from qnet.networks.routed import Hold, OpenClass, Route, Station, Time
from qnet.queues.erlang import erlang_b, erlang_c

LOADS = [0.001, 0.1, 0.5, 0.9, 0.999, 1 - 1e-9]


# Erlang's formulas


def exact_b(servers: int, offered: Fraction) -> Fraction:
    """a^c / c! over the sum of a^k / k!."""
    terms = [offered**busy / factorial(busy) for busy in range(servers + 1)]
    return terms[-1] / sum(terms)


def exact_c(servers: int, offered: Fraction) -> Fraction:
    """a^c / c! x c / (c - a), over itself and the terms below."""
    last = offered**servers / factorial(servers) * servers / (servers - offered)
    return last / (last + sum(offered**busy / factorial(busy) for busy in range(servers)))


@many("servers", [1, 2, 3, 4, 7, 16, 40, 150])
@many("load", LOADS)
def test_erlang_in_exact_arithmetic(servers: int, load: float) -> None:
    offered = Fraction(load) * servers
    assert erlang_b(servers, offered) == exact_b(servers, offered)
    assert erlang_c(servers, offered) == exact_c(servers, offered)
    assert close(erlang_b(servers, float(offered)), float(exact_b(servers, Fraction(float(offered)))))
    assert close(erlang_c(servers, float(offered)), float(exact_c(servers, Fraction(float(offered)))))


@pytest.mark.parametrize("servers", [300, 301, 500])
@pytest.mark.parametrize("offered", [150.0, 299.5, 480.0])
def test_erlang_among_many_servers_in_exact_arithmetic(servers: int, offered: float) -> None:
    assert close(erlang_b(servers, offered), float(exact_b(servers, Fraction(offered))))


def test_erlang_b_without_load_and_without_servers() -> None:
    assert erlang_b(0, 3.0) == 1.0
    assert erlang_b(5, 0.0) == 0.0
    assert erlang_b(1_000_000, 0.0) == 0.0
    assert erlang_b(1, 1e300) == 1.0


@pytest.mark.parametrize("offered", [1.0, 1e3, 9e5, 999_000.0, 1e6, 1.1e6])
def test_a_million_servers_like_the_whole_recursion_and_at_once(offered: float) -> None:
    servers = 1_000_000
    inverse = 1.0
    for busy in range(1, servers + 1):
        inverse = 1 + busy / offered * inverse
        if inverse > 1e307:
            inverse = 1e307
    started = time.perf_counter()
    found = erlang_b(servers, offered)
    assert time.perf_counter() - started < 0.5
    assert close(found, 1 / inverse, 1e-11) or (found < 1e-300 and inverse > 1e300)
    several = erlang_b(servers, np.array([offered, offered / 2]))
    assert several[0] == found
    if offered < servers:
        assert 0 <= erlang_c(servers, offered) < 1


@pytest.mark.parametrize("servers", [1, 3, 400])
def test_erlang_of_arrays_is_elementwise(servers: int) -> None:
    offered = servers * np.array([0.0, 0.3, 0.7, 0.99])
    for formula in (erlang_b, erlang_c):
        assert formula(servers, offered).tolist() == pytest.approx([formula(servers, float(a)) for a in offered], 1e-14)


def test_erlang_of_symbols() -> None:
    import sympy

    a = sympy.Symbol("a", positive=True)
    wanted = (a**3 / 6) / (1 + a + a**2 / 2 + a**3 / 6)
    assert sympy.simplify(erlang_b(3, a) - wanted) == 0
    assert sympy.simplify(erlang_c(2, a) - a**2 / (2 + a)) == 0
    assert not erlang_c(4, a).atoms(sympy.Float)


# Single stations


@pytest.mark.parametrize("load", LOADS)
def test_mm1(load: float) -> None:
    solution = solve(network([station("s")], customers(load / 0.02, visit("s", 0.02))))
    found = at_station(solution, "s")
    assert solution.exact and solution.stable and solution.rounds == 1
    assert close(solution.response, 0.02 / (1 - load), 1e-7)
    assert close(found.queue_length, load / (1 - load), 1e-7)
    assert close(found.utilization, load)


@many("discipline", ["fcfs", "ps"])
@many("servers", [1, 2, 5, 64])
@many("load", LOADS)
def test_mmc_against_exact_rational_arithmetic(servers: int, load: float, discipline: str) -> None:
    rate = load * servers / 0.25
    offered = Fraction(rate * 0.25)
    wait = exact_c(servers, offered) / (servers - offered) / 4
    solution = solve(network([station("s", servers, discipline)], customers(rate, visit("s", 0.25))))
    assert solution.exact
    assert close(at_station(solution, "s").wait, float(wait), 1e-6 if load > 0.9999 else 1e-10)


@pytest.mark.parametrize("scv", [0.0, 0.25, 1.0, 4.0])
@pytest.mark.parametrize("load", LOADS)
def test_mg1_is_pollaczek_khinchine(load: float, scv: float) -> None:
    solution = solve(network([station("s")], customers(load / 2.0, visit("s", 2.0, scv))))
    assert solution.exact
    assert close(at_station(solution, "s").wait, load * 2.0 * (1 + scv) / 2 / (1 - load), 1e-7)


def test_mg1_of_a_mixture_has_the_moments_of_the_mixture() -> None:
    """Times 1 and 3 in the shares 3 to 1, two classes: E[S] = 1.5, E[S^2] = 3."""
    routes = (Route("short", 0.75, (visit("s", 1.0, 0.0),)), Route("long", 0.25, (visit("s", 3.0, 0.0),)))
    one = solve(network([station("s")], OpenClass("c", 0.4, routes)))
    two = solve(
        network(
            [station("s")],
            customers(0.3, visit("s", 1.0, 0.0), name="a"),
            customers(0.1, visit("s", 3.0, 0.0), name="b"),
        )
    )
    wait = 0.4 * 3 / (2 * (1 - 0.4 * 1.5))
    for solution in (one, two):
        assert solution.exact
        assert close(at_station(solution, "s").wait, wait)
        assert close(solution.response, wait + 1.5)


def test_a_service_of_parts_has_the_moments_of_the_sum() -> None:
    """An exponential second, a fixed one and one that comes in half of the cases: E = 2.5, Var = 1 + 0.25."""
    hold = Hold("s", (Time(1.0), Time(1.0, 0.0), Time(1.0, 0.0, visits=0.5)))
    solution = solve(network([station("s")], customers(0.3, hold)))
    assert close(at_station(solution, "s").wait, 0.3 * (2.5**2 + 1.25) / 2 / (1 - 0.75))


@pytest.mark.parametrize("visits", [1.0, 2.0, 2.5])
def test_visits_to_one_mg1_station_are_exact_only_where_nobody_comes_back(visits: float) -> None:
    again = solve(network([station("s")], customers(0.1, visit("s", 1.0, 0.0, visits=visits))))
    assert again.exact == (visits <= 1)
    assert solve(network([station("s")], customers(0.1, visit("s", 1.0, 1.0, visits=visits)))).exact
    twice = solve(network([station("s")], customers(0.1, visit("s", 1.0, 0.0), visit("s", 1.0, 0.0))))
    assert not twice.exact and "not exponential" in twice.reasons[0]


# Priorities


def cobham(rates: list[float], means: list[float], squares: list[float]) -> list[float]:
    """Waits of M/G/1 with non-preemptive priorities, the highest first."""
    residual = sum(rate * square for rate, square in zip(rates, squares, strict=True)) / 2
    waits: list[float] = []
    above = 0.0
    for rate, mean in zip(rates, means, strict=True):
        through = above + rate * mean
        waits.append(residual / (1 - above) / (1 - through))
        above = through
    return waits


def test_cobham_for_general_service() -> None:
    rates, means, scvs = [0.2, 0.1, 0.05], [1.0, 2.0, 4.0], [0.0, 1.0, 2.0]
    squares = [(1 + scv) * mean**2 for mean, scv in zip(means, scvs, strict=True)]
    classes = [
        customers(rate, visit("s", mean, scv, priority=5 - index), name=f"c{index}")
        for index, (rate, mean, scv) in enumerate(zip(rates, means, scvs, strict=True))
    ]
    solution = solve(network([station("s")], *classes))
    wanted = cobham(rates, means, squares)
    assert solution.exact
    for found, mean, wait in zip(solution.classes, means, wanted, strict=True):
        assert close(found.response, wait + mean)


@many("seed", range(20))
def test_priorities_conserve_the_work_that_waits(seed: int) -> None:
    """Order changes nothing in the sum of load x wait at a single server, whatever the priorities are."""
    rng = Random(seed)
    rates = [rng.uniform(0.05, 0.2) for _ in range(4)]
    scvs = [rng.uniform(0, 3) for _ in range(4)]
    sums: list[float] = []
    for priorities in ([0, 0, 0, 0], [rng.randint(-2, 2) for _ in range(4)], [3, 1, 2, 0]):
        classes = [
            customers(rate, visit("s", 1 + index / 4, scv, priority=priority), name=f"c{index}")
            for index, (rate, scv, priority) in enumerate(zip(rates, scvs, priorities, strict=True))
        ]
        solution = solve(network([station("s")], *classes))
        waits = [item.response - (1 + index / 4) for index, item in enumerate(solution.classes)]
        sums.append(sum(rate * (1 + index / 4) * waits[index] for index, rate in enumerate(rates)))
    assert sums == pytest.approx([sums[0]] * 3, 1e-12)


@pytest.mark.parametrize("servers", [1, 3])
def test_cobham_for_several_servers_with_equal_means(servers: int) -> None:
    rates = [0.3 * servers, 0.2 * servers, 0.4 * servers]
    classes = [
        customers(rate, visit("s", 1.0, priority=9 - index), name=f"c{index}") for index, rate in enumerate(rates)
    ]
    solution = solve(network([station("s", servers)], *classes))
    chance = float(exact_c(servers, Fraction(sum(rates)))) / servers
    for item, above, through in zip(solution.classes, [0, 0.3, 0.5], [0.3, 0.5, 0.9], strict=True):
        assert close(item.response - 1, chance / (1 - above) / (1 - through), 1e-10)


# Insensitive stations


@pytest.mark.parametrize("scv", [0.0, 0.5, 1.0, 7.0])
@pytest.mark.parametrize("discipline", ["ps", "lcfs-pr"])
def test_sharing_and_preemption_are_insensitive(discipline: str, scv: float) -> None:
    classes = [
        customers(0.2, visit("s", 1.0, scv), name="a"),
        customers(0.1, visit("s", 3.0, scv / 2), name="b"),
    ]
    solution = solve(network([station("s", discipline=discipline)], *classes))
    assert solution.exact
    assert [item.response for item in solution.classes] == pytest.approx([1 / 0.5, 3 / 0.5], 1e-12)


@pytest.mark.parametrize("scv", [0.0, 3.0])
def test_a_delay_holds_nobody_up(scv: float) -> None:
    solution = solve(network([delay("d")], customers(5.0, visit("d", 2.0, scv), Time(1.0, scv))))
    found = at_station(solution, "d")
    assert solution.exact and solution.response == 3.0
    assert (found.wait, found.busy_servers, found.queue_length, found.utilization) == (0.0, 10.0, 10.0, None)


# Product-form networks


def product_form(seed: int) -> tuple[list[Station], list[OpenClass], list[float], list[list[float]]]:
    """Stations, classes with random routing, the responses and the numbers present that product form gives.

    Routing is a random matrix of each class that lets some customers leave at every station; visits solve its traffic
    equations.
    """
    rng = np.random.default_rng(seed)
    count, kinds = int(rng.integers(2, 7)), ["fcfs", "ps", "lcfs-pr", "delay"]
    stations: list[Station] = []
    for index in range(count):
        kind = kinds[rng.integers(4)]
        servers = 1 if kind in ("lcfs-pr", "delay") else int(rng.integers(1, 5))
        stations.append(delay(f"s{index}") if kind == "delay" else station(f"s{index}", servers, kind))
    populations = int(rng.integers(1, 4))
    same = rng.uniform(0.1, 1, count)
    times = rng.uniform(0.1, 1, (populations, count))
    visits = np.zeros((populations, count))
    for index in range(populations):
        routing = rng.random((count, count))
        routing *= rng.uniform(0.2, 0.9, count)[:, None] / routing.sum(axis=1, keepdims=True)
        entry = rng.random(count)
        visits[index] = np.linalg.solve(np.eye(count) - routing.T, entry / entry.sum())
    rates = rng.uniform(0.2, 1, populations)
    for index, item in enumerate(stations):
        if item.discipline == "fcfs" and not item.delay:
            times[:, index] = same[index]
    loads = rates @ (visits * times) / [1e9 if item.delay else item.servers for item in stations]
    rates *= rng.uniform(0.3, 0.98) / loads.max()
    loads = rates @ (visits * times)
    stretch = np.ones(count)
    for index, item in enumerate(stations):
        if not item.delay:
            chance = exact_c(item.servers, Fraction(float(loads[index])))
            stretch[index] += float(chance / (item.servers - Fraction(float(loads[index]))))
    present = rates[:, None] * visits * times * stretch
    classes = [
        customers(
            float(rates[number]),
            *(
                visit(
                    f"s{index}",
                    float(times[number, index]),
                    1.0 if item.discipline == "fcfs" and not item.delay else float(rng.uniform(0, 3)),
                    visits=float(visits[number, index]),
                )
                for index, item in enumerate(stations)
            ),
            name=f"c{number}",
        )
        for number in range(populations)
    ]
    return stations, classes, list(present.sum(axis=1) / rates), present.tolist()


@many("seed", range(100))
def test_product_form_networks_with_random_routing(seed: int) -> None:
    stations, classes, responses, present = product_form(seed)
    solution = solve(network(stations, *classes))
    assert solution.exact, solution.reasons
    assert [item.response for item in solution.classes] == pytest.approx(responses, 1e-10)
    for item in solution.visits:
        row, column = int(item.class_name[1:]), int(item.name[1:])
        assert close(item.queue_length, present[row][column], 1e-10)
    for column, item in enumerate(solution.stations):
        assert close(item.queue_length, sum(row[column] for row in present), 1e-10)


def test_a_jackson_network_against_its_markov_chain() -> None:
    """Two stations, the first with two servers, and a customer who comes back in three of ten cases."""
    rate, times, again, places = 0.5, (0.8, 0.7), 0.3, 60
    rows: list[tuple[int, int, float]] = []
    for first in range(places):
        for second in range(places):
            here = first * places + second
            if first + 1 < places:
                rows.append((here, here + places, rate))
            if first and second + 1 < places:
                rows.append((here, here - places + 1, min(first, 2) / times[0]))
            if second:
                rows.append((here, here - 1, (1 - again) / times[1]))
                if first + 1 < places:
                    rows.append((here, here - 1 + places, again / times[1]))
    source, target, weights = (np.array(column) for column in zip(*rows, strict=True))
    shares = stationary(source.astype(int), target.astype(int), weights, places**2).reshape(places, places)
    numbers = np.arange(places)
    visits = 1 / (1 - again)
    model = network(
        [station("a", 2), station("b")], customers(rate, visit("a", 0.8, visits=visits), visit("b", 0.7, visits=visits))
    )
    solution = solve(model)
    assert solution.exact
    assert close(at_station(solution, "a").queue_length, shares.sum(axis=1) @ numbers, 1e-6)
    assert close(at_station(solution, "b").queue_length, shares.sum(axis=0) @ numbers, 1e-6)


# Printed examples, as the tests of the Octave package `queueing` quote them (inst/qnos.m, inst/qnom.m)


def printed(found: Any, wanted: float, digits: int) -> bool:
    """Whether a number rounds to what is printed, give or take one in the last digit."""
    return abs(found - wanted) <= 10.0**-digits


def test_lazowska_quantitative_system_performance_1984_page_113() -> None:
    visits, times = [121.0, 70.0, 50.0], [0.005, 0.03, 0.027]
    names = ["cpu", "disk1", "disk2"]
    steps = [visit(name, time, visits=count) for name, time, count in zip(names, times, visits, strict=True)]
    cpu = at_station(solve(network([station(name) for name in names], customers(0.3, *steps))), "cpu")
    assert printed(cpu.throughput, 36.3, 1)
    assert printed(cpu.utilization, 0.182, 3)
    assert printed(cpu.queue_length, 0.222, 3)


def test_lazowska_quantitative_system_performance_1984_page_138() -> None:
    classes = [
        customers(3 / 19, visit("cpu", 1 / 10, visits=10.0), visit("disk", 1 / 3, visits=9.0), name="a"),
        customers(2 / 19, visit("cpu", 2 / 5, visits=5.0), visit("disk", 1.0, visits=4.0), name="b"),
    ]
    solution = solve(network([station("cpu", discipline="ps"), station("disk", discipline="ps")], *classes))
    cpu = next(item for item in solution.visits if (item.class_name, item.name) == ("a", "cpu"))
    assert solution.exact
    assert printed(cpu.throughput, 1.58, 2)
    assert printed(cpu.utilization, 0.158, 3)
    assert printed(cpu.residence, 1.58, 2)
    assert printed(cpu.queue_length, 0.25, 2)


def test_bolch_queueing_networks_and_markov_chains_1998_example_7_4_page_287() -> None:
    times, visits = [0.04, 0.03, 0.06, 0.05], [5.0, 2.5, 2.5, 1.0]
    steps = [visit(f"s{index}", time, visits=visits[index]) for index, time in enumerate(times)]
    solution = solve(network([station(f"s{index}") for index in range(4)], customers(4.0, *steps)))
    printed_values = [(20, 0.8, 0.2, 4), (10, 0.3, 0.043, 0.429), (10, 0.6, 0.15, 1.5), (4, 0.2, 0.0625, 0.25)]
    for found, (throughput, utilization, response, length) in zip(solution.stations, printed_values, strict=True):
        assert printed(found.throughput, throughput, 4)
        assert printed(found.utilization, utilization, 2)
        assert printed(found.wait + found.holding, response, 3)
        assert printed(found.queue_length, length, 3)


def test_bolch_queueing_networks_and_markov_chains_1998_example_7_7_page_304() -> None:
    """The book prints 0.5 for the last class at the second station; its own formulas give 0.451."""
    times = [[1 / 8, 1 / 12, 1 / 16], [1 / 24, 1 / 32, 1 / 36]]
    routing = np.array([[[0, 0.4, 0.3], [0.6, 0, 0.4], [0.5, 0.5, 0]], [[0, 0.3, 0.6], [0.7, 0, 0.3], [0.4, 0.6, 0]]])
    classes: list[OpenClass] = []
    for index in range(2):
        visits = np.linalg.solve(np.eye(3) - routing[index].T, [1.0, 0, 0])
        assert visits == pytest.approx([[3.333, 2.292, 1.917], [10, 8.049, 8.415]][index], abs=1e-3)
        steps = [visit(f"s{at}", times[index][at], visits=float(visits[at])) for at in range(3)]
        classes.append(customers(1.0, *steps, name=f"c{index}"))
    solution = solve(network([station(f"s{at}", discipline="ps") for at in range(3)], *classes))
    assert [item.utilization for item in solution.stations] == pytest.approx([0.833, 0.442, 0.354], abs=1e-3)
    lengths = {(item.class_name, item.name): item.queue_length for item in solution.visits}
    wanted = {"c0": [2.5, 0.342, 0.186], "c1": [2.5, 0.451, 0.362]}
    for name, row in wanted.items():
        assert [lengths[name, f"s{at}"] for at in range(3)] == pytest.approx(row, abs=1e-3)
