"""The chain of all states, against product form, closed forms, and chains that were built for other tests."""

from __future__ import annotations

import random
import sys
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from building import at_station, close, customers, delay, network, station, visit
from many import many

from qnet.errors import NotComputed
from qnet.networks.exactness import Beyond
from qnet.networks.routed import ClosedClass, Hold, Profile, Route, RoutedNetwork, Time
from qnet.networks.solve import solve
from qnet.networks.states.chain import stationary, walk
from qnet.networks.states.solve import solve as solve_states
from qnet.networks.states.solve import tried
from qnet.networks.wanted import AUTO, Wanted

sys.path.append(str(Path(__file__).parents[1] / "errors"))
from layered_chain import throughputs as layered
from left_chain import throughputs as left
from priority_chain import System
from priority_chain import exact as ranked
from test_error_layers import _FEATURES, _Draw
from test_error_left_behind import drawn
from test_error_left_behind import network as leaving

STATES = Wanted(method="states")


def closed(name: str, population: float, think: float, *steps: Any) -> ClosedClass:
    """A class with one route."""
    return ClosedClass(name, population, think, (Route("r", 1.0, steps),))


def spread(dice: random.Random, least: float, most: float) -> float:
    """A number whose logarithm is uniform."""
    return exp(dice.uniform(log(least), log(most)))


@pytest.mark.long
@many("seed", range(40))
def test_product_form_is_answered_alike(seed: int) -> None:
    dice = random.Random(seed)
    common = spread(dice, 0.05, 1.0)
    stations = (
        station("fcfs", dice.choice([1, 2])),
        station("ps", dice.choice([1, 2, 3]), "ps", copies=dice.choice([1, 2])),
        station("lifo", 1, "lcfs-pr"),
        delay("delay"),
    )

    def steps() -> list[Hold]:
        found = [
            visit("fcfs", common),
            visit("ps", spread(dice, 0.05, 1.0), visits=dice.choice([1.0, 1.5, 0.4])),
            visit("lifo", spread(dice, 0.05, 1.0)),
            visit("delay", spread(dice, 0.05, 1.0)),
        ]
        return dice.sample(found, dice.randint(2, 4))

    classes = [closed(name, dice.randint(1, 3), dice.choice([0.0, spread(dice, 0.1, 5.0)]), *steps()) for name in "ab"]
    if dice.random() < 0.3:
        classes = [classes[0].replace(population=1), customers(0.1, *steps()[:2], name="o")]
    model = network(stations, *classes)
    expected, found = solve(model, AUTO.replace(chain=0)), solve_states(model, STATES)
    assert expected.exact
    assert found.exact
    for one, other in zip(expected.classes, found.classes, strict=True):
        assert close(one.throughput, other.throughput, 1e-9)
        assert close(one.response, other.response, 1e-9)
    for one, other in zip(expected.stations, found.stations, strict=True):
        assert close(one.queue_length, other.queue_length, 1e-9)
        assert close(one.residence, other.residence, 1e-9)
        assert abs(one.wait - other.wait) <= 1e-9 * (one.wait + one.holding)
        assert close(one.busy_servers, other.busy_servers, 1e-9)


@pytest.mark.parametrize("discipline", ["priority", "preemptive"])
@pytest.mark.parametrize("servers", [1, 2])
def test_priorities_are_those_of_another_chain(discipline: str, servers: int) -> None:
    dice = random.Random(servers)
    for _ in range(8):
        system = System(
            tuple(tuple(spread(dice, 0.1, 2.0) for _ in range(2)) for _ in range(2)),
            (discipline, "ps"), (servers, 1), (dice.randint(1, 4), dice.randint(1, 3)),
            (spread(dice, 0.2, 5.0), spread(dice, 0.2, 5.0)), (False, False),
        )  # fmt: skip
        classes = [
            closed(str(kind), system.population[kind], system.away[kind], *(
                visit(str(place), row[kind], priority=1 - kind) for place, row in enumerate(system.demands)
            ))
            for kind in range(2)
        ]  # fmt: skip
        places = [station("0", servers, discipline), station("1", 1, "ps")]
        found = solve_states(network(places, *classes), STATES)
        for item, rate, time in zip(found.classes, *ranked(system), strict=True):
            assert close(item.throughput, rate, 1e-9)
            assert close(item.response, time, 1e-9)


@pytest.mark.long
@pytest.mark.parametrize("feature", _FEATURES)
def test_holds_in_holds_are_those_of_another_chain(feature: str) -> None:
    for seed in (3, 4, 5):
        batch = _FEATURES[feature](_Draw(seed))
        exact = layered(batch)
        for point in range(4):
            found = solve_states(batch.point(point), STATES)
            assert [item.throughput for item in found.classes] == pytest.approx(exact[point].tolist(), rel=1e-9)


@pytest.mark.parametrize("servers", [1, 2])
def test_work_after_the_response_is_that_of_another_chain(servers: int) -> None:
    draw = np.random.default_rng(5)
    for shape in (((2,), ((0, 0),)), ((2,), ((0, 1, 0),)), ((1, 1), ((0, 0), (0, 0)))):
        system = drawn(draw, 3, shape, 3.0, servers)
        exact, _ = left(system)
        for point in range(3):
            found = solve_states(leaving(system).point(point), STATES)
            assert [item.throughput for item in found.classes] == pytest.approx(exact[:, point].tolist(), rel=1e-9)


def test_one_customer_always_meets_the_work_that_it_left() -> None:
    """The issue's case: what it leaves is done before what it asks for next, so that a cycle takes all three times."""
    steps = (visit("c", 11e-6), Time(165e-6), visit("c", 25e-6, phase=2))
    found = solve_states(network([station("c")], closed("u", 1, 0.0, *steps)), STATES)
    assert close(found.throughput, 1 / 201e-6, 1e-12)


def test_states_that_are_left_for_good_have_no_share() -> None:
    """Two states on the way to three in a row, of which the last goes back to the first."""
    rates = {0: [(1.0, 1)], 1: [(3.0, 0), (2.0, 2)], 2: [(1.0, 3)], 3: [(2.0, 4)], 4: [(4.0, 2)]}
    found = stationary(walk(0, lambda state: [(rate, after, ()) for rate, after in rates[state]], 9), 1e9)
    assert found.tolist() == pytest.approx([0.0, 0.0, 4 / 7, 2 / 7, 1 / 7], abs=1e-15)


def test_a_state_that_is_never_left_has_all_of_it() -> None:
    found = stationary(walk(0, lambda state: [(1.0, state + 1, ())] if state < 4 else [], 9), 1e9)
    assert found.tolist() == [0.0] * 4 + [1.0]


def test_two_sets_of_states_that_are_never_left_are_refused() -> None:
    rates = {0: [(1.0, 1), (1.0, 2)], 1: [(1.0, 3)], 3: [(1.0, 1)], 2: []}
    with pytest.raises(ArithmeticError, match="never left"):
        stationary(walk(0, lambda state: [(rate, after, ()) for rate, after in rates[state]], 9), 1e9)


def test_open_and_closed_first_come_first_served_share_one_server() -> None:
    """Work conservation: what the open class leaves, the closed customer who never goes takes."""
    found = solve_states(
        network([station("c")], customers(0.4, visit("c", 2.0), name="o"), closed("u", 1, 0.0, visit("c", 1.0))), STATES
    )
    assert close(found.classes[1].throughput, 0.2, 1e-9)
    assert close(at_station(found, "c").utilization, 1.0, 1e-9)


@pytest.mark.parametrize("scv", [0.3, 0.5, 2.0, 6.0])
def test_variable_service_of_an_open_queue_is_pollaczek_khinchine(scv: float) -> None:
    found = solve_states(network([station("c")], customers(0.5, visit("c", 1.0, scv))), STATES)
    assert close(at_station(found, "c").wait, 0.5 * (1 + scv) / 2 / 0.5, 1e-9)
    assert not found.exact


@pytest.mark.parametrize("stages", [2, 4])
def test_even_arrivals_are_those_of_a_closed_form(stages: int) -> None:
    """E_k/M/1: waits follow from the root of the transform of interarrival times, Kleinrock 1975, section 6.4."""
    rate, mean = 0.6, 1.0
    root = 0.5
    for _ in range(400):
        root = (stages * rate / (stages * rate + (1.0 - root) / mean)) ** stages
    item = customers(rate, visit("c", mean)).replace(arrival_scv=1.0 / stages)
    found = solve_states(network([station("c")], item), STATES)
    assert close(at_station(found, "c").wait, root * mean / (1.0 - root), 1e-9)


def test_machine_repair_with_rates() -> None:
    """A birth and death chain written down: 6 machines, a repair that is faster with more of them broken."""
    rates, population, think, service = (1.0, 1.5, 1.8), 6, 4.0, 1.0
    model = network([station("r").replace(rates=rates)], closed("m", population, think, visit("r", service)))
    weights = [1.0]
    for number in range(population):
        weights.append(weights[-1] * (population - number) / think * service / rates[min(number, 2)])
    passing = sum(weight * (population - number) / think for number, weight in enumerate(weights)) / sum(weights)
    found = solve_states(model, STATES)
    assert close(found.throughput, passing, 1e-12)


def test_several_who_wait_for_no_time_end_at_once() -> None:
    """A step of no time waits its turn: one departure may end the passages of all who wait behind."""
    steps = (visit("a", 1.0), visit("b", 0.5), visit("b", 0.0))
    found = solve_states(network([station("a"), station("b")], closed("u", 3, 0.0, *steps)), STATES)
    other = solve_states(network([station("a"), station("b")], closed("u", 3, 0.0, *steps[:2])), STATES)
    assert found.throughput * 1.5 <= 2.0
    assert close(found.throughput * (found.response + 0.0), 3.0, 1e-9)
    assert at_station(found, "b").utilization == pytest.approx(0.5 * found.throughput, rel=1e-9)
    assert found.throughput <= other.throughput
    assert [reason.code for reason in found.reasons if isinstance(reason, Beyond)] == ["QN703"]


@pytest.mark.parametrize(("servers", "capacity"), [(1, 1), (1, 4), (3, 3), (2, 6)])
def test_losses_are_those_of_a_birth_and_death_chain(servers: int, capacity: int) -> None:
    rate, mean = 1.7, 0.9
    weights = [1.0]
    for number in range(1, capacity + 1):
        weights.append(weights[-1] * rate * mean / min(number, servers))
    shares = [weight / sum(weights) for weight in weights]
    model = network([station("c", servers).replace(capacity=capacity)], customers(rate, visit("c", mean)))
    found = solve_states(model, STATES)
    assert found.exact
    assert close(found.throughput, rate * (1.0 - shares[-1]), 1e-12)
    present = sum(number * share for number, share in enumerate(shares))
    assert close(at_station(found, "c").queue_length, present, 1e-12)
    assert close(found.response, present / found.throughput, 1e-12)
    assert found.offered == rate


def test_a_second_visit_may_be_lost_as_well() -> None:
    """Two visits one after the other at a loss station: three states by hand, of who is at which visit."""
    rate, one, two = 0.8, 0.5, 0.5
    steps = (visit("c", one), visit("c", two))
    found = solve_states(network([station("c").replace(capacity=1)], customers(rate, *steps)), STATES)
    busy = rate * (one + two)
    assert close(found.throughput, rate / (1.0 + busy), 1e-12)


def test_responses_of_passages_that_are_lost_late_are_not_called_exact() -> None:
    late = network(
        [station("a"), station("b").replace(capacity=1)], closed("u", 2, 1.0, visit("a", 0.5), visit("b", 1.0))
    )
    assert not solve_states(late, STATES).exact


def test_what_a_cut_chain_leaves_out_is_a_reason() -> None:
    """Two classes with times of their own in one line have too many states for all who may come."""
    busy = network(
        [station("a")], *(customers(0.2, visit("a", time), name=name) for name, time in (("x", 1.0), ("y", 1.5)))
    )
    found = tried(busy, STATES.replace(chain=20_000), 1e-3)
    assert found is not None
    assert not found.exact
    assert "more customers from outside" in found.reasons[0]


def test_times_that_depend_on_the_number_inside() -> None:
    """Two inside at most, served one at a time in a time of their number: a birth and death chain written down."""
    population, think, times = 4, 2.0, (0.5, 0.9)
    steps = (Hold("memory", (visit("cpu", 0.9),)),)
    inner = Hold("memory", (Hold("cpu", (Time(np.array(times)),)),))
    stations = [station("memory", 2), station("cpu")]
    batch = RoutedNetwork(tuple(stations), (closed("u", population, think, inner),), (), 2)
    model = network(stations, closed("u", population, think, *steps)).replace(profiles=(Profile("memory", 2, batch),))
    weights = [1.0]
    for number in range(population):
        weights.append(weights[-1] * (population - number) / think * times[min(number, 1)])
    passing = sum(weight * (population - number) / think for number, weight in enumerate(weights)) / sum(weights)
    found = solve_states(model, STATES)
    assert close(found.throughput, passing, 1e-12)
    assert close(at_station(found, "cpu").utilization, 1.0 - 1.0 / sum(weights), 1e-12)


def test_what_is_not_covered_is_refused_with_the_reason() -> None:
    asked = customers(1.0, Hold("c", (visit("d", 0.1),)))
    with pytest.raises(NotComputed) as caught:
        solve_states(network([station("c", discipline="preemptive"), station("d")], asked), STATES)
    assert caught.value.problems[0].code == "QN513"
    with pytest.raises(NotComputed) as caught:
        solve_states(
            network(
                [station("a"), station("b")],
                *(closed(name, 30, 1.0, visit("a", 0.1 + place), visit("b", 0.2)) for place, name in enumerate("xy")),
            ),
            STATES,
        )
    assert caught.value.problems[0].code == "QN515"


def test_a_class_that_is_never_served_has_no_answer() -> None:
    served = closed("first", 2, 0.0, visit("c", 1.0, priority=1))
    starved = closed("last", 1, 0.0, visit("c", 1.0))
    with pytest.raises(NotComputed) as caught:
        solve_states(network([station("c", 1, "preemptive")], served, starved), STATES)
    assert caught.value.problems[0].code == "QN517"
