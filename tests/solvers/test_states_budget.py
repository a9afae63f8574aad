"""How many states the chains of networks with customers from outside look at before they give up."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from math import comb, inf
from typing import Any

import pytest
from building import customers, network, station, visit

from qnet.networks.routed import Branch, Buffer, ClosedClass, Fork, Hold, Route, RoutedNetwork, Time
from qnet.networks.states import chain, crowds, figures, shared
from qnet.networks.states import solve as states
from qnet.networks.states.chain import TooLarge, Walk, walk
from qnet.networks.states.compiler import program
from qnet.networks.states.least import least_states
from qnet.networks.states.machine import Machine
from qnet.networks.wanted import Wanted

np: Any = importlib.import_module("numpy")


def tandem(discipline: str) -> RoutedNetwork:
    """Two classes at two stations, of unequal times."""
    stations = station("s1", 1, discipline), station("s2", 2, discipline)
    steps = [visit("s1", 0.3), visit("s2", 0.6)], [visit("s1", 0.2), visit("s2", 0.9)]
    return network(stations, customers(1.0, *steps[0], name="a"), customers(0.5, *steps[1], name="b"))


def walked(asked: RoutedNetwork, crowd: int) -> tuple[Machine, Walk]:
    """The states with at most so many customers."""
    machine = Machine(program(asked), crowd)
    return machine, walk(machine.start(), machine.moves, 100_000)


@pytest.mark.parametrize("discipline", ["fcfs", "ps", "lcfs-pr"])
def test_there_are_at_least_as_many_states_as_expected(discipline: str) -> None:
    few, many = walked(tandem(discipline), 3), walked(tandem(discipline), 5)
    assert len(few[1].states) < crowds.states_expected(*few, 2) <= len(many[1].states)


@pytest.mark.parametrize("rate", [0.05, 0.5, 1.0])
@pytest.mark.parametrize("discipline", ["fcfs", "ps"])
def test_a_probability_beyond_the_edge_is_bounded_before_it_is_known(rate: float, discipline: str) -> None:
    asked = network((station("a", 1, discipline), station("b", 2)), customers(rate, visit("a", 0.5), visit("b", 0.9)))
    machine, found = walked(asked, 6)
    shares = chain.stationary(found, 1e9)
    beyond = sum(shares[crowds.outside(machine, found) >= machine.edge])
    assert beyond / 1e4 < crowds.least_beyond(machine, found) <= beyond


def test_probabilities_are_not_computed_where_the_states_with_more_customers_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(states.chain, "stationary", lambda *_: pytest.fail("probabilities are computed"))
    monkeypatch.setattr(states, "_FIRST", states._FIRST // 2)
    few, more = (len(walked(tandem("fcfs"), crowd)[1].states) for crowd in (states._FIRST, 2 * states._FIRST))
    with pytest.raises(TooLarge):
        states.solved(tandem("fcfs"), (few + 4 * more) // 5, 1e10)


def test_a_chain_that_will_be_too_large_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def counted(*arguments: object) -> Walk:
        sizes.append(0)
        found = walk(*arguments)  # type: ignore[arg-type]
        sizes[-1] = len(found.states)
        return found

    monkeypatch.setattr(shared.chain, "walk", counted)
    first = walked(tandem("ps"), states._FIRST)
    most = crowds.states_expected(*first, states._FIRST) - 1
    with pytest.raises(TooLarge):
        states.solved(tandem("ps"), most, 1e10)
    assert sizes == [len(first[1].states)]


def agents(people: int, servers: int, inside: int, think_time: float) -> RoutedNetwork:
    """Customers who hold an agent during a delay and visits to disks."""
    disks = [f"disk{number}" for number in range(inside)]
    held = Hold("agent", (Time(0.2), *(visit(disk, 0.1) for disk in disks)))
    customers = ClosedClass("c", float(people), think_time, (Route("r", 1.0, (Time(0.3), held)),))
    return RoutedNetwork((station("agent", servers), *map(station, disks)), (customers,))


@pytest.mark.parametrize(("people", "servers", "inside"), [(6, 2, 1), (5, 3, 2), (3, 7, 2), (4, 1, 3)])
@pytest.mark.parametrize("think_time", [0.0, 1.0])
def test_the_fewest_states_there_can_be_are_known(people: int, servers: int, inside: int, think_time: float) -> None:
    asked = agents(people, servers, inside, think_time)
    machine = Machine(program(asked), 0)
    states = len(walk(machine.start(), machine.moves, 100_000).states)
    assert states / 8 < least_states(asked) <= states


def alone(people: int, *steps: Hold | Fork, discipline: str = "fcfs") -> RoutedNetwork:
    """Customers who think, and do some steps."""
    customers = ClosedClass("c", float(people), 1.0, (Route("r", 1.0, steps),))
    return RoutedNetwork((station("a", 1, discipline), station("b"), station("d")), (customers,))


def fan_out(people: int, needed: int, copies: int = 1) -> RoutedNetwork:
    """Customers who wait for some of several branches."""
    branches = tuple(Branch(name, (Time(0.1), visit(name, 0.2)), copies) for name in ("b", "d"))
    return alone(people, visit("a", 0.1), Fork(branches, needed))


def states_of(asked: RoutedNetwork) -> int:
    machine = Machine(program(asked), 0)
    return len(walk(machine.start(), machine.moves, 100_000).states)


@pytest.mark.parametrize(
    ("people", "needed", "copies"),
    [(1, 2, 1), (3, 2, 1), pytest.param(5, 2, 1, marks=pytest.mark.long), (3, 1, 1), (2, 4, 2)],
)
def test_the_fewest_states_of_parallel_steps_are_known(people: int, needed: int, copies: int) -> None:
    asked = fan_out(people, needed, copies)
    least, states = least_states(asked), states_of(asked)
    assert 1 < least <= states
    if needed == 2:
        assert states / 20 < least


@pytest.mark.parametrize("people", [2, 3])
def test_customers_alike_in_steps_within_steps_are_not_told_apart(people: int) -> None:
    """Nobody waits for another one: there are as many states as ways to put so many alike into those of one."""
    inner = Fork((Branch("x", (Time(0.1),), 2),), 2)
    outer = Fork((Branch("in", (inner, Time(0.3)), 1),), 1)
    assert states_of(alone(people, outer)) == comb(states_of(alone(1, outer)) + people - 1, people)


@pytest.mark.parametrize("discipline", ["ps", "fcfs"])
@pytest.mark.parametrize(("people", "visits"), [(1, 4.0), (3, 4.0), (4, 2.5), (3, 0.3)])
def test_the_fewest_states_of_repeated_visits_are_known(people: int, visits: float, discipline: str) -> None:
    asked = alone(people, visit("a", 0.1, visits=visits), visit("b", 0.2), discipline=discipline)
    assert 1 < least_states(asked) <= states_of(asked)
    if discipline == "ps":
        assert states_of(asked) / 4 < least_states(asked)


@pytest.mark.parametrize("asked", [fan_out(60, 2), alone(12, visit("a", 0.1, visits=10.0), discipline="ps")])
def test_a_closed_chain_of_branches_or_visits_that_is_too_large_is_not_begun(
    asked: RoutedNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared.chain, "walk", lambda *_: pytest.fail("a walk is begun"))
    with pytest.raises(TooLarge):
        states.solved(asked, 10_000, 1e10)


def two_classes(people: tuple[int, int], discipline: str, visits: tuple[float, float], think: float) -> RoutedNetwork:
    """Two classes that think, and visit two stations in one order."""
    steps = [(visit("a", 0.1), visit("b", 0.2, visits=number)) for number in visits]
    classes = (
        ClosedClass(name, float(count), think, (Route("r", 1.0, each),))
        for name, count, each in zip("cd", people, steps, strict=True)
    )
    return RoutedNetwork((station("a", 1, discipline), station("b", 1, discipline)), tuple(classes))


@pytest.mark.parametrize("think", [0.0, 1.0])
@pytest.mark.parametrize("discipline", ["fcfs", "ps", "preemptive", "priority"])
@pytest.mark.parametrize(("people", "visits"), [((2, 1), (1.0, 1.0)), ((3, 2), (2.0, 1.0)), ((2, 2), (2.5, 3.0))])
def test_the_fewest_states_of_two_classes_are_known(
    people: tuple[int, int], visits: tuple[float, float], discipline: str, think: float
) -> None:
    asked = two_classes(people, discipline, visits, think)
    assert 1 < least_states(asked) <= states_of(asked)
    if discipline == "ps" or (discipline == "fcfs" and think):
        assert states_of(asked) == least_states(asked)


@pytest.mark.parametrize("people", [(390, 0), (190, 1)])
def test_more_orders_than_a_float_can_count_are_too_many(people: tuple[int, int]) -> None:
    """The other class visits no line but the first: numbers that are 0 there are multiplied by what is infinite."""
    assert least_states(two_classes(people, "fcfs", (50.0, 0.0), 1.0)) == inf


def test_the_fewest_states_of_copies_and_of_work_behind_places_are_known() -> None:
    work = visit("d", 0.2, phase=2, drains="store")
    steps = visit("a", 0.1), visit("b", 0.1), Time(0.0, fills="store"), Time(0.3), work
    stations = station("a"), station("b", copies=3), station("d")
    for places in (2, 3):
        customers = ClosedClass("c", 3.0, 1.0, (Route("r", 1.0, steps),))
        asked = RoutedNetwork(stations, (customers,)).replace(buffers=(Buffer("store", float(places), loses=False),))
        # Think time, the first station, three copies of the second and the delay; with fewer places not all are there.
        assert (least_states(asked) == 56) == (places == 3)
        assert least_states(asked) <= states_of(asked)


def writes(places: int, rate: float = 0.5) -> RoutedNetwork:
    """Customers who take a place that work left behind frees."""
    work = visit("d", 0.2, phase=2, drains="store")
    steps = Time(0.0, fills="store"), visit("b", 0.3), work
    return network((station("b"), station("d")), customers(rate, *steps)).replace(
        buffers=(Buffer("store", float(places), loses=False),)
    )


def test_places_that_are_never_all_taken_do_not_part_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    def counted(*arguments: object) -> Walk:
        made.append(arguments)
        return walk(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(shared.chain, "walk", counted)
    programs = [program(writes(places, rate)) for places, rate in [(4000, 0.5), (4096, 0.6), (600, 0.7), (3, 0.5)]]
    walks = shared.Walks(programs)
    together = [walks.of(number, 6, 10_000) for number in range(4)]
    assert len(made) == 2
    for (machine, found), item in zip(together, programs, strict=True):
        (_, single) = shared.Walks([item]).of(0, 6, 10_000)
        assert found.states == single.states
        assert machine.centres[-1].servers == item.centres[-1].servers
        np.testing.assert_array_equal(found.rates, single.rates)


def test_places_that_may_all_be_taken_part_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "_MANY", 5)
    programs = [program(writes(places)) for places in (6, 8)]
    walks = shared.Walks(programs)
    few, more = (len(walks.of(number, 9, 10_000)[1].states) for number in range(2))
    assert [few, more] == [len(shared.Walks([item]).of(0, 9, 10_000)[1].states) for item in programs]
    assert few != more


def test_a_closed_chain_that_is_too_large_inside_of_a_hold_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared.chain, "walk", lambda *_: pytest.fail("a walk is begun"))
    with pytest.raises(TooLarge):
        states.solved(agents(40, 30, 3, 1.0), 10_000, 1e10)


def test_the_chains_of_a_batch_are_eliminated_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first and the second alone: as many at once as were asked for before."""
    together: list[int] = []
    eliminated = chain._eliminated

    def counted(core: Any, rates: Any) -> Any:
        together.append(rates.shape[1])
        return eliminated(core, rates)

    monkeypatch.setattr(chain, "_eliminated", counted)
    times = np.linspace(0.1, 0.9, 20)
    stations = station("s1", 1), station("s2", 2)
    asked = network(stations, ClosedClass("c", 3.0, 1.0, (Route("r", 1.0, (visit("s1", times), visit("s2", 0.6))),)))
    found = states.solve(asked.replace(size=20), Wanted())
    assert together.count(1) <= 3 and sum(together) == 20
    for place in (0, 5, 19):
        time = float(times[place])
        one = network(stations, ClosedClass("c", 3.0, 1.0, (Route("r", 1.0, (visit("s1", time), visit("s2", 0.6))),)))
        alone = states.solve(one, Wanted()).classes[0]
        assert found.classes[0].throughput[place] == pytest.approx(alone.throughput, rel=1e-13)
        assert found.classes[0].response[place] == pytest.approx(alone.response, rel=1e-12)


def test_the_order_of_elimination_is_found_once_for_all_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points that differ in rates only have the same states, levels and customers present."""
    sought: list[int] = []
    looked: list[int] = []
    levels, present = chain._Graph.levels, figures._present

    def counted(graph: chain._Graph, root: int) -> object:
        sought.append(root)
        return levels(graph, root)

    def listed(found: Sequence[object], size: int) -> object:
        looked.append(size)
        return present(found, size)

    monkeypatch.setattr(chain._Graph, "levels", counted)
    monkeypatch.setattr(figures, "_present", listed)
    times = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    stations = station("s1", 1), station("s2", 2)
    asked = network(stations, ClosedClass("c", 3.0, 1.0, (Route("r", 1.0, (visit("s1", times), visit("s2", 0.6))),)))
    found = states.solve(asked.replace(size=5), Wanted())
    # Forward and backward from a root, then twice or three times for the levels.
    assert len(sought) <= 5
    assert len(looked) == 1
    one = network(stations, ClosedClass("c", 3.0, 1.0, (Route("r", 1.0, (visit("s1", 0.4), visit("s2", 0.6))),)))
    assert found.classes[0].throughput[3] == pytest.approx(states.solve(one, Wanted()).classes[0].throughput, rel=1e-12)
