"""What holds exactly, or nearly so, where closed classes wait in line beside open ones and others of other times."""

from __future__ import annotations

from typing import Any

import pytest

import qnet
from qnet.errors import NotComputed
from qnet.networks.exactness import Beyond
from qnet.networks.routed import ClosedClass, Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve
from qnet.networks.wanted import AUTO


def line(demands: Any, population: list[Any], think: list[float], **options: Any) -> Any:
    """The answer for stations first come first served, by the method that corrects the order of arrival."""
    kinds = len(population)
    options.setdefault("disciplines", ["fcfs"] * len(demands))
    options.setdefault("visits", [[1.0] * kinds] * len(demands))
    return qnet.Network(demands, population=population, think_time=think, **options).solve("residual-service")


@pytest.mark.parametrize("scv", [0.0, 1.0, 10.0])
@pytest.mark.parametrize("rate, service", [(0.4, 2.0), (2.0, 0.1), (0.09, 10.0)])
@pytest.mark.parametrize("count", [1, 4])
def test_customers_who_never_leave_a_station_take_what_open_classes_leave(
    scv: float, rate: float, service: float, count: int
):
    """Work conservation: the server is never idle."""
    found = line([[service, 1.0]], [None, count], [0.0, 0.0], arrival_rate=[rate, None], scv=[[scv, 1.0]])
    assert found.throughput[1] == pytest.approx(1.0 - rate * service, rel=1e-9)


def test_a_rare_customer_finds_what_any_open_one_does():
    """The wait of M/G/1, by Pollaczek and Khinchine."""
    found = line([[2.0, 0.1]], [None, 1], [0.0, 1e9], arrival_rate=[0.4, None], scv=[[4.0, 1.0]])
    wait = 0.4 * 2.0**2 * (1 + 4.0) / 2 / (1 - 0.8)
    assert found.response == pytest.approx([2.0 + wait, 0.1 + wait], rel=1e-6)


def test_open_customers_find_the_mean_work():
    """Poisson arrivals see time averages: by Little's law for the work of all who wait and are served."""
    rate, times, scv = 0.2, (1.5, 0.5, 2.0), (3.0, 0.5, 0.25)
    found = line([list(times)], [None, 3, 2], [0.0, 2.0, 9.0], arrival_rate=[rate, None, None], scv=[list(scv)])
    wait = found.response[0] - times[0]
    work = sum(
        found.throughput[kind] * (times[kind] * (found.response[kind] - times[kind])
                                  + (1 + scv[kind]) * times[kind] ** 2 / 2)
        for kind in range(3)
    )  # fmt: skip
    assert wait == pytest.approx(work, rel=1e-9)


@pytest.mark.parametrize("servers", [1, 3])
@pytest.mark.parametrize("think", [0.0, 1.0, 20.0])
@pytest.mark.parametrize("opened", [False, True])
def test_the_answer_becomes_that_of_product_form_where_times_become_equal(servers: int, think: float, opened: bool):
    """Exact at equality, and beside it as near as the times are."""

    def answer(factor: float, method: str) -> Any:
        demands = [[1.0 * servers, 1.0 * servers * factor, 1.0 * servers], [0.3, 0.9, 0.5]]
        return qnet.Network(
            demands, disciplines=["fcfs", "ps"], servers=[servers, 1], think_time=[think, 2 * think, 0.0],
            population=[3, 4, None if opened else 2], arrival_rate=[None, None, 0.3 if opened else None],
        ).solve(method)  # fmt: skip

    exact = answer(1.0, "auto")
    assert exact.exact
    for step in (0.0, 1e-6, -1e-6):
        beside = answer(1.0 + step, "residual-service")
        assert beside.throughput == pytest.approx(exact.throughput, rel=1e-8 + 3 * abs(step))
        assert beside.response == pytest.approx(exact.response, rel=1e-8 + 30 * abs(step))


@pytest.mark.parametrize("servers", [1, 2])
def test_a_class_of_zero_time_waits_in_line(servers: int):
    """Who asks next to nothing of the station waits as long as who asks nothing."""
    answers = [
        line([[2.0, time], [0.0, 1.0]], [4, 3], [5.0, 2.0], servers=[servers, 1], disciplines=["fcfs", "ps"],
             visits=[[1.0, 1.0], [0.0, 1.0]])
        for time in (0.0, 1e-7)
    ]  # fmt: skip
    assert answers[0].residence[0, 1] > 0.3
    assert answers[0].throughput == pytest.approx(answers[1].throughput, rel=1e-5)
    automatic = qnet.Network([[2.0, 0.0]], visits=[[1, 1]], disciplines=["fcfs"], population=[4, 3], think_time=[5, 2])
    assert not automatic.solve().exact


def station(name: str, discipline: str = "fcfs", **options: Any) -> Station:
    return Station(name, False, options.pop("servers", 1), discipline, (Group(name, 1, 1.0),), **options)


def visit(time: float, priority: int = 0, scv: float = 1.0, name: str = "cpu") -> Hold:
    return Hold(name, (Time(time, scv),), priority=priority)


def closed(name: str, population: float, think: float, *steps: Hold) -> ClosedClass:
    return ClosedClass(name, population, think, (Route(name, 1.0, steps),))


def arriving(name: str, rate: float, *steps: Hold) -> OpenClass:
    return OpenClass(name, rate, (Route(name, 1.0, steps),))


def network(discipline: str, *classes: OpenClass | ClosedClass, **options: Any) -> RoutedNetwork:
    return RoutedNetwork((station("cpu", discipline, **options), station("disk", "ps")), classes)


def of_others(solution: RoutedSolution) -> list[Any]:
    return [(item.throughput, item.response) for item in solution.classes[:2]]


@pytest.mark.parametrize("discipline", ["fcfs", "ps", "priority", "preemptive"])
@pytest.mark.parametrize("opened", [False, True])
def test_a_class_without_customers_changes_nothing(discipline: str, opened: bool):
    """Neither figures nor method nor label, with times and a priority of its own."""
    first = arriving("first", 0.3, visit(1.0, 1, 0.5)) if opened else closed("first", 2.0, 3.0, visit(1.0, 1))
    second = arriving("second", 0.2, visit(1.0, 0, 4.0)) if opened else closed("second", 3.0, 9.0, visit(1.0))
    nobody = closed("nobody", 0.0, 1.0, visit(7.0, 2, 9.0), visit(0.5, name="disk"))
    beside, alone = solve(network(discipline, first, second, nobody)), solve(network(discipline, first, second))
    assert of_others(beside) == of_others(alone)
    assert (beside.method, beside.exact, beside.reasons) == (alone.method, alone.exact, alone.reasons)
    assert (beside.classes[2].throughput, beside.classes[2].response) == (0.0, 7.5)
    assert [item.class_name for item in beside.visits] == ["first", "second", "nobody"] * 2
    assert beside.classes[2].population == 0.0


@pytest.mark.parametrize("discipline", ["fcfs", "priority", "preemptive"])
def test_a_rare_class_changes_nearly_nothing(discipline: str):
    first, second = closed("first", 2.0, 3.0, visit(1.0, 1)), closed("second", 3.0, 9.0, visit(2.0, 0, 4.0))
    rare = arriving("rare", 1e-9, visit(3.0, 2))
    for one, other in zip(of_others(solve(network(discipline, first, second, rare))),
                          of_others(solve(network(discipline, first, second))), strict=True):  # fmt: skip
        assert one == pytest.approx(other, rel=1e-6)


@pytest.mark.parametrize("discipline", ["priority", "preemptive"])
def test_open_classes_keep_their_variability_beside_closed_ones(discipline: str):
    """Where they meet no closed class they wait as in M/G/1 with priorities."""
    opened = arriving("a", 0.3, visit(0.2, 1, 0.0)), arriving("b", 0.4, visit(1.0, 0, 4.0))
    beside = solve(network(discipline, *opened, closed("users", 3.0, 5.0, visit(1.0, name="disk"))))
    single = qnet.queue(
        "M/G/1-priority" if discipline == "priority" else "M/G/1-preemptive",
        arrival_rate=[0.3, 0.4], service_time=[0.2, 1.0], scv_service=[0.0, 4.0],
    )  # fmt: skip
    assert [item.response for item in beside.classes[:2]] == pytest.approx([item.response for item in single.classes])


def test_a_method_that_shares_service_says_so():
    """Asked for by name, or where rates of the number present leave no other."""
    classes = closed("a", 2.0, 3.0, visit(1.0)), closed("b", 3.0, 9.0, visit(2.0, 0, 4.0))
    with_rates = solve(network("fcfs", *classes, rates=(1.0, 1.5)), AUTO.replace(chain=0))
    assert not with_rates.exact
    assert "QN727" in [reason.code for reason in with_rates.reasons if isinstance(reason, Beyond)]


@pytest.mark.parametrize("discipline", ["priority", "preemptive"])
def test_who_is_left_next_to_nothing_is_refused_by_name(discipline: str):
    first, last = closed("users", 30.0, 1.0, visit(0.1, 1)), closed("batch", 2.0, 1.0, visit(0.1))
    with pytest.raises(NotComputed, match='served before "batch" keep cpu') as refused:
        solve(network(discipline, first, last), AUTO.replace(chain=0))
    assert refused.value.problems[0].code == "QN589"
