"""Stations that serve one class before another: laws, limits and exact cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from full import long_but

import qnet
from qnet.errors import InvalidInput, NoAnswer, NotComputed
from qnet.model.load import load
from qnet.networks.routed import ClosedClass, Hold, OpenClass, Route, RoutedNetwork, Station, Time
from qnet.networks.routed import Group as _Group
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve as solve_best
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.points.points import solve_points


def solve(network: RoutedNetwork, wanted: Wanted = AUTO) -> RoutedSolution:
    """The answer of the methods that are to be tested, which `states` would otherwise take the place of."""
    return solve_best(network, wanted.replace(chain=0))


BOTH = ("priority", "preemptive")


def station(name: str, discipline: str = "ps", servers: int = 1) -> Station:
    return Station(name, False, servers, discipline, (_Group(name, 1, 1.0),))


def visit(name: str, time: Any, priority: int = 0, scv: float = 1.0) -> Hold:
    return Hold(name, (Time(time, scv),), priority=priority)


def arriving(name: str, rate: Any, *steps: Hold) -> OpenClass:
    return OpenClass(name, rate, (Route(name, 1.0, steps),))


def closed(name: str, population: Any, think_time: Any, *steps: Hold) -> ClosedClass:
    return ClosedClass(name, population, think_time, (Route(name, 1.0, steps),))


def responses(found: RoutedSolution) -> list[float]:
    return [float(item.response) for item in found.classes]


@pytest.mark.parametrize("discipline, kind", [("priority", "M/G/1-priority"), ("preemptive", "M/G/1-preemptive")])
def test_one_open_station_is_exact(discipline: str, kind: str):
    rates, times, scvs = [0.5, 0.8, 0.2], [0.3, 0.4, 1.0], [2.0, 0.5, 0.0]
    classes = [
        arriving(str(place), rate, visit("cpu", time, -place, scv))
        for place, (rate, time, scv) in enumerate(zip(rates, times, scvs, strict=True))
    ]
    found = solve(RoutedNetwork((station("cpu", discipline),), tuple(classes)))
    single = qnet.queue(kind, arrival_rate=rates, service_time=times, scv_service=scvs)
    assert found.exact
    assert responses(found) == pytest.approx([item.response for item in single.classes], rel=1e-12)


@pytest.mark.parametrize("discipline", BOTH)
def test_one_open_station_of_several_servers_and_one_time_is_exact(discipline: str):
    """Who is served first changes nothing for all together; who interrupts sees nobody else."""
    classes = [arriving(name, rate, visit("cpu", 1.0, rank)) for name, rate, rank in (("a", 0.8, 1), ("b", 1.3, 0))]
    found = solve(RoutedNetwork((station("cpu", discipline, 3),), tuple(classes)))
    whole = qnet.queue("M/M/c", arrival_rate=2.1, service_time=1.0, servers=3)
    assert found.exact
    assert found.stations[0].queue_length == pytest.approx(whole.queue_length, rel=1e-12)
    if discipline == "preemptive":
        alone = qnet.queue("M/M/c", arrival_rate=0.8, service_time=1.0, servers=3)
        assert found.classes[0].response == pytest.approx(alone.response, rel=1e-12)


def test_the_front_door_of_open_classes():
    network = qnet.Network([[0.3, 0.4]], arrival_rate=[1, 1], disciplines=["preemptive"], priority=[1, 0])
    single = qnet.queue("M/G/1-preemptive", arrival_rate=[1, 1], service_time=[0.3, 0.4], scv_service=1)
    assert network.solve().response == pytest.approx([item.response for item in single.classes], rel=1e-12)


@pytest.mark.parametrize("discipline", BOTH)
def test_equal_priorities_are_none(discipline: str):
    """First come first served within a rank: with one time for all that is product form."""
    found = qnet.Network(
        [[0.3, 0.3], [0.2, 0.5]], population=[3, 2], think_time=[1, 2], disciplines=[discipline, "ps"], priority=[1, 1]
    ).solve()
    plain = qnet.Network([[0.3, 0.3], [0.2, 0.5]], population=[3, 2], think_time=[1, 2], disciplines="ps").solve()
    assert found.exact and found.throughput == pytest.approx(plain.throughput, rel=1e-12)


def ranked(discipline: str, demands: Any, population: Any, think_time: Any, **options: Any) -> Any:
    disciplines = [discipline] + ["ps"] * (len(demands) - 1)
    priority = list(range(len(demands[0]), 0, -1))
    return qnet.Network(
        demands, population=population, think_time=think_time, disciplines=disciplines, priority=priority, **options
    ).solve()


def test_who_interrupts_sees_only_itself():
    """At a station that all share, and others of their own."""
    beside = ranked("preemptive", [[0.3, 0.4], [0.2, 0.0]], [4, 5], [3, 2])
    alone = ranked("preemptive", [[0.3, 0.4], [0.2, 0.0]], [4, 1e-12], [3, 2])
    assert not beside.exact
    assert beside.throughput[0] == pytest.approx(alone.throughput[0], rel=1e-9)


@pytest.mark.parametrize("discipline", BOTH)
def test_two_customers_who_share_one_server(discipline: str):
    """One customer of each class: the equations are exact, by the chain of their states, written out.

    Without interruption Linearizer's estimate of the network without a customer is not quite settled.
    """
    (think_a, think_b), (a, b) = (1.0, 0.5), (0.4, 0.9)
    # Both away; a there; b there; both, a served; both, b served (without interruption).
    rates = np.zeros((5, 5))
    rates[0, 1], rates[0, 2], rates[1, 0], rates[2, 0] = 1 / think_a, 1 / think_b, 1 / a, 1 / b
    rates[1, 3], rates[3, 2] = 1 / think_b, 1 / a
    rates[2, 3 if discipline == "preemptive" else 4], rates[4, 1] = 1 / think_a, 1 / b
    balance = (rates - np.diag(rates.sum(1))).T
    balance[0] = 1.0
    shares = np.linalg.solve(balance, np.eye(5)[0])
    exact = [(shares[0] + shares[2]) / think_a, (shares[0] + shares[1]) / think_b]
    found = ranked(discipline, [[a, b]], [1, 1], [think_a, think_b])
    assert found.throughput == pytest.approx(exact, rel=1e-9 if discipline == "preemptive" else 1e-4)


@pytest.mark.parametrize("count", [2, 4, 8])
def test_between_long_interruptions_others_are_served_as_if_alone(count: int):
    """Services and absences of the first class that last a thousand passages of the others, which are all preempted
    together: their throughput is that of a network without it, while the server is theirs (nearly decomposable).
    """
    found = ranked("preemptive", [[1000.0, 1.0]], [1, count], [2000.0, 4.0])
    alone = qnet.Network([[1.0]], population=[count], think_time=[4.0]).solve()
    assert found.throughput[1] == pytest.approx(alone.throughput[0] * 2 / 3, rel=0.02)


@pytest.mark.parametrize("discipline", BOTH)
@pytest.mark.parametrize("servers", [1, 2])
def test_laws_of_closed_classes(discipline: str, servers: int):
    population, think_time = [5, 3, 4], [1.0, 0.5, 3.0]
    found = ranked(discipline, [[0.1, 0.2, 0.3], [0.2, 0.1, 0.4]], population, think_time, servers=[servers, 1])
    assert found.method == "priority-mva" and not found.exact
    assert found.throughput * (found.response + think_time) == pytest.approx(population, rel=1e-9)
    assert (found.utilization.sum(1) <= 1).all()
    assert found.residence.sum(0) == pytest.approx(found.response)
    assert found.queue_length == pytest.approx(found.residence * found.throughput)


@pytest.mark.parametrize("discipline", BOTH)
@pytest.mark.parametrize("servers", [1, 2])
def test_no_work_is_lost(discipline: str, servers: int):
    """With one time for all the order changes nothing for all together, which is product form; nearly, here."""
    demands, options = [[0.3 * servers] * 2, [0.2, 0.2]], {"think_time": [2.0, 2.0], "servers": [servers, 1]}
    found = ranked(discipline, demands, [3, 3], **options)
    plain = qnet.Network(demands, population=[3, 3], disciplines="ps", **options).solve()
    assert found.throughput.sum() == pytest.approx(plain.throughput.sum(), rel=0.01)
    assert found.queue_length[0].sum() == pytest.approx(plain.queue_length[0].sum(), rel=0.03)
    assert found.throughput[0] > plain.throughput[0] > found.throughput[1]


@pytest.mark.parametrize("discipline", BOTH)
@pytest.mark.parametrize("servers", long_but([1, 2, 4], 1))
def test_nobody_is_faster_beside_others_than_alone(discipline: str, servers: int):
    demands, people = [[0.3 * servers] * 2, [0.2, 0.2]], [3, 8]
    found = ranked(discipline, demands, [people] * 2, [2.0, 2.0], servers=[servers, 1])
    alone = qnet.Network([row[:1] for row in demands], population=[people], think_time=[2.0], servers=[servers, 1])
    assert found.throughput.shape == (2, 2)
    assert (found.throughput < alone.solve().throughput).all()


@pytest.mark.parametrize("discipline", BOTH)
def test_a_batch_is_its_points(discipline: str):
    people = [1, 3, 10, 25]
    whole = ranked(discipline, [[0.1, 0.2], [0.1, 0.1]], [people, 3], [5.0, 0.0])
    for place, count in enumerate(people):
        point = ranked(discipline, [[0.1, 0.2], [0.1, 0.1]], [count, 3], [5.0, 0.0])
        assert whole.throughput[place] == pytest.approx(point.throughput, rel=1e-8)


@pytest.mark.parametrize("discipline", BOTH)
def test_the_last_starve_where_the_first_fill_the_server(discipline: str):
    """What is left to them is the difference of two near numbers: it is refused, and said what leaves it."""
    with pytest.raises(NotComputed, match="served before class 1 keep station 0 100 % busy") as refused:
        ranked(discipline, [[0.1, 0.1]], [200, 3], [1.0, 1.0])
    assert refused.value.problems[0].code == "QN589"
    assert "leave class 1 out" in refused.value.problems[0].help


@pytest.mark.parametrize("discipline", BOTH)
def test_an_open_class_may_be_left_nothing(discipline: str):
    """The server is 70 % busy with closed customers; arrivals that need 40 % of it are too many."""
    options: Any = {"disciplines": [discipline], "priority": [1, 0], "think_time": [1.0, 0.0]}
    served = qnet.Network([[0.1, 0.1]], population=[7, None], arrival_rate=[None, 2.0], **options).solve()
    assert served.throughput[1] == 2.0 and served.utilization.sum() < 1
    with pytest.raises(NoAnswer, match="classes served before open class 1 leave it too little"):
        qnet.Network([[0.1, 0.1]], population=[20, None], arrival_rate=[None, 2.0], **options).solve()


@pytest.mark.long
def test_points_where_an_open_class_is_left_nothing_are_marked():
    people = np.array([2.0, 20.0, 3.0])
    classes = (
        closed("users", people, 1.0 + 0 * people, visit("cpu", 0.1 + 0 * people, 1)),
        arriving("batch", 2.0 + 0 * people, visit("cpu", 0.1 + 0 * people, 0)),
    )
    found = solve(RoutedNetwork((station("cpu", "preemptive"),), classes, size=3))
    assert found.stable.tolist() == [True, False, True]


def test_several_priorities_of_a_closed_class_at_one_station_are_refused():
    classes = (closed("a", 3, 1.0, visit("cpu", 0.1, 1), visit("cpu", 0.2, 0)),)
    with pytest.raises(NotComputed, match='class "a" has several priorities at cpu') as refused:
        solve(RoutedNetwork((station("cpu", "priority"),), classes))
    assert refused.value.problems[0].code == "QN546"


def test_a_server_that_is_held_elsewhere_is_not_interrupted():
    inside = Hold("path", (Time(0.1), visit("disk", 0.1)))
    classes = (arriving("a", 1.0, inside), arriving("b", 1.0, inside.replace(priority=1)))
    with pytest.raises(NotComputed, match='"path" is preemptive') as refused:
        solve(RoutedNetwork((station("path", "preemptive"), station("disk")), classes))
    assert refused.value.problems[0].code == "QN547"


@pytest.mark.parametrize(
    "priority, words",
    [
        ([1], "priority has 1 entries"),
        ([1, 0.5], "integers from -99 to 99"),
        ([1, 1e300], "integers from -99 to 99"),
        ([1, float("nan")], "integers from -99 to 99"),
        ("12", "one integer per class: 2"),
        ([[1, 0], [0, 1]], "one integer per class: 2, or a row of them per station"),
    ],
)
def test_priorities_that_mean_nothing_are_refused(priority: Any, words: str):
    with pytest.raises(InvalidInput, match=words):
        qnet.Network([[0.1, 0.1]], population=[1, 1], disciplines=["priority"], priority=priority)


def test_priorities_that_no_station_heeds_are_refused():
    with pytest.raises(InvalidInput, match="no station has priorities"):
        qnet.Network([[0.1, 0.1]], population=[1, 1], priority=[1, 0], disciplines="ps")


MODEL = """
qnet = 1
title = "Two classes"
[stations]
cpu = {{ discipline = "{discipline}" }}
[classes.a]
population = 3
think_time = "1 s"
{of_class}
steps = [{{ station = "cpu", time = "100 ms"{of_step} }}]
[classes.b]
population = 3
think_time = "1 s"
steps = [{{ station = "cpu", time = "200 ms" }}]
"""


def test_a_step_has_the_priority_of_its_class_where_stations_heed_it(tmp_path: Path):
    def response(discipline: str, of_class: str = "", of_step: str = "") -> float:
        path = tmp_path / "model.toml"
        path.write_text(MODEL.format(discipline=discipline, of_class=of_class, of_step=of_step))
        return float(solve_points(load(str(path))).parts[0].solution.classes[0].response)

    first = response("priority", "priority = 2")
    assert first == response("priority", of_step=", priority = 1") == response("fcfs", of_step=", priority = 9")
    assert response("priority", "priority = 2", ", priority = 0") == response("fcfs")
    assert response("preemptive", "priority = 2") < first < response("fcfs")
