"""Parallel steps: special cases that are exact, laws, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from full import long_but

from qnet.errors import NotComputed
from qnet.networks.percentiles.responses import response_percentile
from qnet.networks.routed import Branch, ClosedClass, Fork, Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time
from qnet.networks.routed import Step as AnyStep
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve as solve_best
from qnet.networks.wanted import AUTO, Wanted


def solve(network: RoutedNetwork, wanted: Wanted = AUTO) -> RoutedSolution:
    """The answer of the methods that are to be tested, which `states` would otherwise take the place of."""
    return solve_best(network, wanted.replace(chain=0))


def queue(name: str, copies: int = 1, servers: int = 1, rates: tuple[float, ...] | None = None) -> Station:
    return Station(name, False, servers, "fcfs", (Group(name, copies, 1 / copies),), rates=rates)


def visit(name: str, time: float, scv: float = 1.0) -> Hold:
    return Hold(name, (Time(time, scv),))


def branches(*steps: tuple[AnyStep, ...]) -> tuple[Branch, ...]:
    return tuple(Branch(f"branch {place}", own) for place, own in enumerate(steps, start=1))


def arriving(rate: float, *steps: AnyStep) -> OpenClass:
    return OpenClass("io", rate, (Route("io", 1.0, steps),))


def closed(population: object, think: float, *steps: AnyStep) -> ClosedClass:
    return ClosedClass("job", population, think, (Route("job", 1.0, steps),))


CPU, A, B = queue("cpu"), queue("a"), queue("b")
PAIR = Fork(branches((visit("a", 0.2),), (visit("b", 0.1),)), 2)


# Exact cases


@pytest.mark.parametrize("asked", [arriving(1.0, visit("cpu", 0.5)), closed(5.0, 1.0, visit("cpu", 0.5))])
def test_branches_of_delays_are_one_delay(asked: OpenClass | ClosedClass):
    """Exponential 1 s and 2 s, and constant 0.5 s: product form keeps the mean only."""
    fork = Fork(branches((Time(1.0),), (Time(2.0),)), 2)
    last = 1 + 2 - 1 / (1 + 0.5)
    first, second = (
        solve(RoutedNetwork((CPU,), (asked.replace(routes=(Route("r", 1.0, (*asked.routes[0].steps, step)),)),)))
        for step in (fork, Time(last))
    )
    assert first.exact and second.exact and first.method == second.method
    assert first.response == pytest.approx(second.response, rel=1e-9)
    assert first.throughput == pytest.approx(second.throughput, rel=1e-9)


def test_one_customer_meets_nobody():
    """One customer of a closed class: the slower of two exponential times, after the processor."""
    found = solve(RoutedNetwork((CPU, A, B), (closed(1.0, 2.0, visit("cpu", 0.5), PAIR),)))
    assert found.response == pytest.approx(0.5 + 0.2 + 0.1 - 1 / (5 + 10), rel=1e-9)


@pytest.mark.parametrize("load", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("width", [2, 4, 10])
def test_like_branches_as_nelson_and_tantawi_found(width: int, load: float):
    """Their formula, 1988: exact for two, within 5 % of simulations for up to 32."""
    fork = Fork((Branch("stripe", (visit("disk", 1.0),), width),), width)
    found = solve(RoutedNetwork((queue("disk", width),), (arriving(load, fork),)))
    harmonic = sum(1 / number for number in range(1, width + 1))
    scaled = (harmonic / 1.5 + 4 / 11 * (1 - harmonic / 1.5) * load) * (12 - load) / 8
    assert found.response == pytest.approx(scaled / (1 - load), rel=1e-9 if width == 2 else 0.04)
    assert found.exact == (width == 2)


def test_a_single_branch_is_a_sequence():
    steps = (visit("a", 0.2), visit("b", 0.1))
    found = solve(RoutedNetwork((A, B), (arriving(2.0, Fork(branches(steps), 1)),)))
    assert found.response == pytest.approx(solve(RoutedNetwork((A, B), (arriving(2.0, *steps),))).response)


# Laws


@pytest.mark.parametrize("population", [3.0, 30.0, 400.0])
def test_laws_of_closed_classes(population: float):
    inner = Fork(branches((visit("b", 0.1),), (Time(0.3),)), 2)
    steps = (visit("cpu", 0.05), Fork(branches((visit("a", 0.2),), (Time(0.05), inner)), 2))
    found = solve(RoutedNetwork((CPU, A, B), (closed(population, 5.0, *steps),)))
    assert found.throughput * (found.response + 5.0) == pytest.approx(population, rel=1e-8)
    for station, time in zip(found.stations, (0.05, 0.2, 0.1), strict=True):
        assert station.throughput == pytest.approx(found.throughput)
        assert station.utilization == pytest.approx(found.throughput * time)
        assert station.queue_length == pytest.approx(station.throughput * (station.wait + station.holding))
    spent = sum(station.residence for station in found.stations) + found.routes[0].spent[""]
    assert spent == pytest.approx(found.response)
    assert sum(item.awaited for item in found.branches) == pytest.approx(1)
    assert all(item.total > item.time for item in found.branches)


def test_the_parallel_steps_of_each_class_are_numbered_from_one():
    one = arriving(0.5, PAIR, PAIR.replace(branches=PAIR.branches[:1], needed=1))
    found = solve(RoutedNetwork((A, B), (one, one.replace(name="other"))))
    assert [(item.class_name, item.step) for item in found.branches] == [
        (name, step) for name in (one.name, "other") for step in (1, 1, 2)
    ]


def test_the_sum_over_how_many_are_waited_for_is_that_of_the_branches():
    fork = Fork(branches((visit("a", 0.2),), (visit("b", 0.1),)), 2)
    alone = [solve(RoutedNetwork((A, B), (arriving(3.0, visit(*pair)),))).response for pair in (("a", 0.2), ("b", 0.1))]
    both = [solve(RoutedNetwork((A, B), (arriving(3.0, fork.replace(needed=needed)),))).response for needed in (1, 2)]
    assert sum(both) == pytest.approx(sum(alone), rel=1e-9)
    assert max(alone) < both[1] < sum(alone)


def test_points_together_are_points_alone():
    steps = (visit("cpu", 0.05), PAIR, visit("cpu", 0.02).replace(phase=2))
    populations = np.array([1.0, 8.0, 60.0])
    together = solve(RoutedNetwork((CPU, A, B), (closed(populations, 5.0, *steps),), size=3))
    for point, population in enumerate(populations.tolist()):
        alone = solve(RoutedNetwork((CPU, A, B), (closed(population, 5.0, *steps),)))
        assert together.response[point] == pytest.approx(alone.response, rel=1e-8)


# Beyond what was measured, and refused


def codes(found: object) -> set[str]:
    return {reason.code for reason in getattr(found, "reasons", ()) if hasattr(reason, "code")}


def test_branches_that_meet_are_warned_of():
    meeting = Fork((Branch("thread", (visit("cpu", 0.1),), 4),), 4)
    assert codes(solve(RoutedNetwork((queue("cpu", servers=4),), (arriving(2.0, meeting),)))) == {"QN660"}
    odd = Fork(branches((visit("a", 0.2, 0.2),), (visit("b", 0.1),)), 2)
    assert codes(solve(RoutedNetwork((A, B), (arriving(2.0, odd),)))) == {"QN660"}
    assert codes(solve(RoutedNetwork((A, B), (arriving(2.0, PAIR),)))) == set()


def test_work_left_beyond_what_was_measured_is_warned_of():
    left = closed(2.0, 1.0, visit("cpu", 0.1), visit("cpu", 0.05).replace(phase=2))
    other = closed(2.0, 1.0, visit("cpu", 0.1)).replace(name="other")
    shared, several = CPU.replace(discipline="ps"), CPU.replace(discipline="fcfs", servers=2)
    assert codes(solve(RoutedNetwork((shared,), (left,)))) == set()
    assert codes(solve(RoutedNetwork((shared,), (left, other)))) == {"QN662"}
    assert "QN662" in codes(solve(RoutedNetwork((several,), (left,))))
    arrivals = arriving(0.5, visit("cpu", 0.1))
    assert codes(solve(RoutedNetwork((shared,), (left, arrivals)))) == {"QN662"}
    faster = CPU.replace(rates=(1.0, 1.5))
    assert "QN662" in codes(solve(RoutedNetwork((faster,), (left,))))


def test_work_left_that_piles_up_has_no_steady_state():
    """Nothing slows customers down who do not use the station where they leave more work than it can do."""
    steps = (visit("cpu", 0.1), visit("a", 0.5).replace(phase=2))
    found = solve(RoutedNetwork((CPU, A), (closed(10.0, 1.0, *steps),)))
    assert not found.stable
    assert max(item.load for item in found.loads if item.name == "a") > 1


def test_branches_inside_of_a_hold_are_not_computed():
    with pytest.raises(NotComputed) as refused:
        solve(RoutedNetwork((CPU, A, B), (closed(3.0, 1.0, Hold("cpu", (PAIR,))),)))
    (problem,) = refused.value.problems
    assert problem.code == "QN552" and problem.help.startswith("put the hold inside")


NEVER = PAIR.replace(visits=0.0)
MEMORY = queue("memory", servers=2)
HELD = (Time(0.3), visit("cpu", 0.4))


@pytest.mark.parametrize("servers", [1, 2])
@pytest.mark.parametrize("method", ["auto", "states"])
@pytest.mark.parametrize("asked", [arriving(0.5), closed(4.0, 1.0)])
def test_branches_inside_of_a_hold_that_are_never_started_change_nothing(
    servers: int, method: str, asked: OpenClass | ClosedClass
):
    """Pools by aggregation and by formulas of queues, and chains."""
    stations = (queue("memory", servers=servers), CPU, A, B)
    never, without = (
        solve_best(
            RoutedNetwork(stations, (asked.replace(routes=(Route("", 1.0, (Hold("memory", steps),)),)),)),
            Wanted(method=method, chain=0),
        )
        for steps in ((*HELD, NEVER), HELD)
    )
    assert (never.method, never.exact, never.reasons) == (without.method, without.exact, without.reasons)
    assert never.response == without.response and never.throughput == without.throughput


def test_branches_that_are_never_started_in_a_hold_in_a_branch_change_nothing():
    never, without = (
        solve(pooled(Fork(branches((Hold("memory", steps),), (visit("b", 0.1),)), 2), rate=0.5))
        for steps in ((*HELD, NEVER), HELD)
    )
    assert never.response == without.response


def test_branches_that_are_started_inside_of_a_hold_at_some_points_are_refused():
    fork = PAIR.replace(visits=np.array([0.0, 0.1]))
    asked = closed(np.array([3.0, 3.0]), 1.0, Hold("cpu", (Time(0.1), fork)))
    with pytest.raises(NotComputed) as refused:
        solve(RoutedNetwork((CPU, A, B), (asked,), size=2))
    assert refused.value.problems[0].code == "QN552"


# Beside limited subnetworks


def pooled(*steps: AnyStep, rate: float = 1.0) -> RoutedNetwork:
    """A network with an open class that makes these steps, around a pool that is full at 1.9/s."""
    return RoutedNetwork((MEMORY, CPU, A, B), (arriving(rate, *steps),))


def test_branches_beside_a_pool_add_their_response_to_that_of_the_pool():
    """In a chain of the states of all of it, too; stations one by one have no limit at the capacity of the pool."""
    pool = Hold("memory", HELD)
    for steps in ((PAIR, pool), (pool, PAIR)):
        found = solve(pooled(*steps))
        assert found.method == "flow-equivalent" and not found.exact
        alone = [solve(pooled(step)) for step in (pool, PAIR)]
        assert found.response == pytest.approx(sum(item.response for item in alone), rel=1e-9)
        assert found.full_at["memory"] == pytest.approx(alone[0].full_at["memory"], rel=1e-9)
        near = solve(pooled(*steps, rate=0.999 * found.full_at["memory"]))
        assert near.stable and near.response > 200
        assert "QN645" in codes(near)
        assert not solve(pooled(*steps, rate=1.001 * found.full_at["memory"])).stable


def test_branches_beside_a_pool_are_solved_in_a_batch_as_alone():
    rates = np.array([0.3, 1.0, 1.5, 1.8])
    steps = (Hold("memory", HELD), PAIR, visit("b", 0.1))
    together = solve(pooled(*steps).replace(classes=(arriving(rates, *steps),), size=len(rates)))  # type: ignore
    assert together.method == "flow-equivalent"
    for point, rate in enumerate(rates.tolist()):
        assert together.response[point] == pytest.approx(solve(pooled(*steps, rate=rate)).response, rel=1e-9)


def test_two_like_branches_behind_a_pool_are_no_longer_exact():
    """What leaves the pool is no Poisson stream."""
    like = Fork(branches((visit("a", 0.2),), (visit("b", 0.2),)), 2)
    assert solve(RoutedNetwork((A, B), (arriving(1.0, like),))).exact
    found = solve(pooled(Hold("memory", HELD), like))
    assert any(reason.startswith("parallel branches") for reason in found.reasons)


def test_a_pool_in_a_branch_or_around_a_closed_class_with_branches_is_not_aggregated():
    in_branch = Fork(branches((Hold("memory", HELD),), (visit("b", 0.1),)), 2)
    assert solve(pooled(in_branch)).method == "open"
    assert solve(pooled(Hold("memory", HELD), visit("a", 0.1), Fork(branches((visit("cpu", 0.1),), ()), 2))).method == (
        "open"
    )
    with pytest.raises(NotComputed, match="closed classes"):
        solve(RoutedNetwork((MEMORY, CPU, A, B), (closed(4.0, 1.0, Hold("memory", HELD), PAIR),)))


def test_percentiles_of_branches_beside_a_pool_are_computed():
    """They lie above those of the parts."""
    steps = (PAIR, Hold("memory", HELD))
    found, alone = solve(pooled(*steps)), solve(pooled(steps[1]))
    both, one = (response_percentile(item, 0.9) for item in (found, alone))
    assert both > one


@pytest.mark.parametrize("population, think", long_but([(1.0, 4.0), (3.0, 6.0), (2.0, 3.0)], (1.0, 4.0), (2.0, 3.0)))
def test_closed_customers_who_go_on_before_all_branches_have_finished_are_near_the_chain(population, think):
    """Other customers, and what they have left, are met; the warning says so."""
    steps = (visit("cpu", 0.4), Fork(branches((visit("a", 0.5),), (visit("b", 0.8),)), 1))
    network = RoutedNetwork((CPU, A, B), (closed(population, think, *steps),))
    found, exact = solve(network), solve_best(network, Wanted(method="states"))
    assert "QN660" in codes(found)
    assert found.throughput == pytest.approx(exact.throughput, rel=0.05)
    assert found.response == pytest.approx(exact.response, rel=0.18)


@pytest.mark.long
def test_branches_that_nobody_waits_for_pile_up_where_they_come_too_fast():
    steps = (Fork(branches((visit("a", 0.1),), (visit("b", 3.0),)), 1),)
    network = RoutedNetwork((A, B), (closed(3.0, 1.0, *steps),))
    with pytest.raises(
        NotComputed, match="branches that their join does not wait for nearly saturate a or b"
    ) as refused:
        solve(network)
    assert "join" in refused.value.problems[0].help


def test_customers_who_come_back_to_a_station_may_fill_it_to_the_last_digit():
    """They queue behind the branches that they left, whose number is therefore limited."""
    steps = (
        visit("a", 0.00539),
        Fork(branches((visit("a", 0.00539),), (visit("b", 0.00337),)), 1),
        visit("b", 0.00395),
        Hold("a", (Time(0.00539),), phase=2, keeps=()),
    )
    found = solve_best(RoutedNetwork((A, B), (closed(8.0, 0.0985, *steps),)), Wanted())
    assert found.stable
    assert found.throughput == pytest.approx(1 / (3 * 0.00539), rel=1e-9)


def test_rates_that_depend_on_the_number_are_refused_beside_branches():
    with pytest.raises(NotComputed, match="rates") as refused:
        solve(RoutedNetwork((queue("a", rates=(1.0, 1.5)), B), (closed(3.0, 1.0, PAIR),)))
    assert refused.value.problems[0].code == "QN552"


def test_stations_that_become_faster_with_more_customers_are_joined_by_the_chain():
    """What is called waiting there is less than nothing, and has no square root."""
    faster = (1.0, 3.0, 9.0)
    network = RoutedNetwork((queue("a", rates=faster), queue("b", rates=faster)), (closed(3.0, 0.1, PAIR),))
    found = solve_best(network, Wanted(method="states"))
    assert min(item.residence - item.holding for item in found.stations) < 0
    assert found.throughput * (found.response + 0.1) == pytest.approx(3.0)


def test_percentiles():
    """Of open classes as one time more; of closed ones refused by name."""
    found = solve(RoutedNetwork((A, B), (arriving(2.0, PAIR),)))
    assert response_percentile(found, 0.5) < found.response < response_percentile(found, 0.9)
    with pytest.raises(NotComputed) as refused:
        response_percentile(solve(RoutedNetwork((A, B), (closed(3.0, 1.0, PAIR),))), 0.9)
    assert refused.value.problems[0].code == "QN553"
