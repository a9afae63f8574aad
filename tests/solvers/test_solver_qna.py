"""The variability of arrivals followed through open networks: exact where it must be, and told in several ways."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
from building import at_station, customers, delay, network, split, station, visit

import qnet
from qnet.errors import NotComputed
from qnet.networks.exactness import Beyond
from qnet.networks.routed import ClosedClass, Hold, OpenClass, Route, RoutedNetwork, Station, Time
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve as solve_best
from qnet.networks.wanted import AUTO, Wanted


def solve(network: RoutedNetwork, wanted: Wanted = AUTO) -> RoutedSolution:
    """The answer of the methods that are to be tested, which `states` would otherwise take the place of."""
    return solve_best(network, wanted.replace(chain=0))


def bursts(rate: Any, scv: Any, *steps: Any, name: str = "c") -> OpenClass:
    return customers(rate, *steps, name=name).replace(arrival_scv=scv)


def chain(rate: float, scv: float, visits: dict[str, Hold], *onward: tuple[str, str, float]) -> OpenClass:
    return OpenClass("c", rate, (Route("c", 1.0, tuple(visits.values())),), True, scv, onward)


def waits(found: RoutedSolution) -> list[float]:
    return [item.wait for item in found.stations]


def code(model: RoutedNetwork, wanted: Wanted = AUTO) -> str:
    with pytest.raises(NotComputed) as refused:
        solve(model, wanted)
    return refused.value.problems[0].code


TANDEM = (visit("a", 0.3, 0.25), visit("b", 0.4, 2.0))
STATIONS = (station("a"), station("b"))


def test_networks_of_product_form_keep_their_exact_answer():
    model = network(
        [station("a", 2), split("b", [(1, 0.7), (3, 0.3)]), delay("c"), station("d", discipline="ps")],
        customers(2.0, visit("a", 0.2), visit("b", 0.3, visits=1.4), visit("c", 5.0), visit("a", 0.2), visit("d", 0.1)),
        customers(1.0, visit("d", 0.5, 3.0), visit("b", 0.3), Time(1.0), visit("a", 0.2), name="other"),
    )
    exact, followed = solve(model), solve(model, Wanted("qna"))
    assert (exact.method, exact.exact, followed.method, followed.exact) == ("open", True, "qna", True)
    assert waits(followed) == pytest.approx(waits(exact), rel=1e-12)


def test_one_queue_with_poisson_arrivals_is_exact():
    found = solve(network([station("a")], customers(1.5, visit("a", 0.4, 3.0))), Wanted("qna"))
    assert found.exact
    assert found.response == pytest.approx(0.4 + 1.5 * 0.4**2 * (1 + 3.0) / 2 / (1 - 0.6))


@pytest.mark.parametrize("gaps", [0.0, 0.25, 3.0])
@pytest.mark.parametrize("scv", [0.0, 1.0, 2.5])
def test_one_queue_is_that_of_kraemer_and_langenbach_belz(gaps: float, scv: float):
    found = solve(network([station("a")], bursts(1.5, gaps, visit("a", 0.4, scv))))
    alone = qnet.queue("GI/G/1", arrival_rate=1.5, service_time=0.4, scv_arrival=gaps, scv_service=scv)
    assert not found.exact
    assert found.response == pytest.approx(alone.response)


def test_several_servers_have_the_wait_of_poisson_arrivals_times_the_mean_of_both_scvs():
    found = solve(network([station("a", 3)], bursts(6.0, 2.5, visit("a", 0.4, 0.5))))
    markov = qnet.queue("M/M/c", arrival_rate=6.0, service_time=0.4, servers=3)
    assert at_station(found, "a").wait == pytest.approx(markov.wait * (2.5 + 0.5) / 2)


def test_departures_are_between_the_arrivals_and_the_services():
    """Of a tandem: (1 - r^2) x arrivals + r^2 x services, here 1 + 0.36 x (0.25 - 1) = 0.73."""
    found = solve(network(STATIONS, customers(2.0, *TANDEM)))
    alone = qnet.queue("GI/G/1", arrival_rate=2.0, service_time=0.4, scv_arrival=0.73, scv_service=2.0)
    assert found.method == "qna" and not found.exact
    assert at_station(found, "b").wait == pytest.approx(alone.wait)


def test_a_share_of_a_stream_is_nearer_to_poisson():
    """Of one in four, 0.25 x 0.73 + 0.75."""
    found = solve(network(STATIONS, customers(2.0, TANDEM[0], TANDEM[1].replace(visits=0.25))))
    alone = qnet.queue("GI/G/1", arrival_rate=0.5, service_time=0.4, scv_arrival=0.9325, scv_service=2.0)
    assert at_station(found, "b").wait == pytest.approx(alone.wait)


def test_streams_from_outside_are_merged():
    """Two of equal rates, load 0.6: w = 1 / (1 + 4 x 0.16 x (2 - 1)), scv = 1 + w x (mean - 1)."""
    classes = [bursts(1.0, 3.0, visit("a", 0.3)), bursts(1.0, 2.0, visit("a", 0.3), name="other")]
    found = solve(network([station("a")], *classes))
    merged = 1 + (2.5 - 1) / 1.64
    alone = qnet.queue("GI/G/1", arrival_rate=2.0, service_time=0.3, scv_arrival=merged, scv_service=1.0)
    assert found.response == pytest.approx(alone.response)


def test_customers_who_come_straight_back_are_served_on():
    """With probability 1/2, so that services together have an scv of 0.5 + 0.5 x 3, and the mean is twice as long."""
    ways = (("", "a", 1.0), ("a", "a", 1.0))
    found = solve(network([station("a")], chain(1.0, 2.0, {"a": visit("a", 0.3, 3.0, visits=2.0)}, *ways)))
    alone = qnet.queue("GI/G/1", arrival_rate=1.0, service_time=0.6, scv_arrival=2.0, scv_service=2.0)
    assert found.response == pytest.approx(alone.response)


def test_who_returns_by_another_station_is_no_new_arrival_either():
    """All come back from b with probability 1/3; arrivals at a are those from outside, Poisson; services as above."""
    ways = (("", "a", 1.0), ("a", "b", 1.5), ("b", "a", 0.5))
    steps = {"a": visit("a", 0.4, 3.0, visits=1.5), "b": visit("b", 1e-9, visits=1.5)}
    found = solve(network(STATIONS, chain(1.0, 1.0, steps, *ways)))
    scv = 1 / 3 + 2 / 3 * 3.0
    alone = qnet.queue("M/G/1", arrival_rate=1.0, service_time=0.6, scv_service=scv)
    assert found.response == pytest.approx(alone.response, rel=1e-6)


def test_a_route_and_the_same_ways_as_probabilities_are_one():
    steps = {"a": TANDEM[0], "b": TANDEM[1].replace(visits=0.6)}
    ways = (("", "a", 1.0), ("a", "b", 0.6))
    told = solve(network(STATIONS, chain(1.5, 3.0, steps, *ways)))
    assert waits(told) == pytest.approx(waits(solve(network(STATIONS, bursts(1.5, 3.0, *steps.values())))))


def test_copies_are_stations_of_their_own():
    """Three copies as one group, and as groups whose shares differ by next to nothing."""
    apart = Station("b", False, 1, "fcfs", split("b", [(1, 1 / 3), (1, 1 / 3), (1, 1 / 3)]).groups)
    together = station("b", copies=3)
    steps = (visit("a", 0.1, 0.25), visit("b", 0.9, 2.0, visits=1.7), visit("a", 0.1, 3.0))
    found = [solve(network([station("a"), item], bursts(1.5, 3.0, *steps))) for item in (apart, together)]
    assert waits(found[0]) == pytest.approx([waits(found[1])[place] for place in (0, 1, 1, 1)])


def test_delays_change_no_stream():
    found = solve(network([*STATIONS, delay("d")], bursts(1.5, 3.0, TANDEM[0], visit("d", 2.0), Time(1.0), TANDEM[1])))
    assert waits(found)[:2] == pytest.approx(waits(solve(network(STATIONS, bursts(1.5, 3.0, *TANDEM)))))


def test_a_batch_is_each_of_its_points():
    rates, scvs, visits = [0.0, 1.0, 2.4, 9.0], [0.0, 1.0, 3.0, 2.0], [0.3, 1.0, 2.6, 1.0]

    def model(rate: Any, scv: Any, count: Any, size: int | None = None) -> RoutedNetwork:
        steps = (TANDEM[0], TANDEM[1].replace(visits=count), visit("a", 0.05))
        return network(STATIONS, bursts(rate, scv, *steps), size=size)

    whole = solve(model(np.array(rates), np.array(scvs), np.array(visits), 4))
    assert list(whole.stable) == [True, True, False, False]
    for place, point in enumerate(zip(rates, scvs, visits, strict=True)):
        one = solve(model(*point))
        assert whole.response[place] == pytest.approx(one.response, rel=1e-12)
        assert np.isfinite(whole.response[place]) and whole.response[place] >= 0


def test_the_wait_has_the_variance_of_none_or_an_exponential_one():
    """At one queue with Poisson arrivals P(wait) is the load; the percentile is of service and that."""
    found = solve(network([station("a")], bursts(1.0, 1.0, visit("a", 0.6))), Wanted("qna"))
    assert found.passages is not None
    mean, variance = found.passages.waits[0]
    assert variance == pytest.approx(mean**2 * (2 / 0.6 - 1))


HELD = Hold("a", (Time(0.1), visit("b", 0.1)))


@pytest.mark.parametrize(
    "model",
    [
        network(STATIONS, bursts(1.0, 2.0, HELD)),
        network(STATIONS, bursts(1.0, 2.0, visit("a", 0.1), visit("b", 0.1, phase=2))),
        RoutedNetwork(STATIONS, (bursts(1.0, 2.0, *TANDEM), ClosedClass("users", 3, 1.0, (Route("u", 1.0, TANDEM),)))),
        network([STATIONS[0].replace(rates=(1.0, 1.5)), STATIONS[1]], bursts(1.0, 2.0, *TANDEM)),
    ],
    ids=["holds", "work left", "closed classes", "rates"],
)
def test_arrivals_that_are_not_poisson_are_refused_where_they_are_not_followed(model: RoutedNetwork):
    assert code(model) == "QN548"


@pytest.mark.parametrize("discipline", ["priority", "preemptive"])
def test_priorities_share_the_variability_of_all_who_come(discipline: str):
    """As Poisson arrivals, times the factor that the station has first come first served."""
    stations = [station("a", discipline=discipline)]
    ranks = [visit("a", 0.3, priority=1), visit("a", 0.3)]
    even, burst, plain = (
        solve(network(rooms, customers(1.0, first), bursts(1.0, scv, second, name="other")))
        for rooms, first, second, scv in (
            (stations, *ranks, 1.0), (stations, *ranks, 2.0), ([station("a")], ranks[1], ranks[1], 2.0),
        )
    )  # fmt: skip
    factor = (plain.response - 0.3) / (0.6 * 0.3 / (1 - 0.6))
    waits = [[item.response - 0.3 for item in found.classes] for found in (even, burst)]
    assert waits[1] == pytest.approx([factor * wait for wait in waits[0]])


def test_the_method_open_takes_all_arrivals_as_poisson():
    found = solve(network(STATIONS, customers(2.0, *TANDEM)), Wanted("open"))
    assert found.method == "open" and not found.exact
    assert at_station(found, "b").wait == pytest.approx(2.0 * 0.4**2 * 3.0 / 2 / 0.2)
    assert code(network(STATIONS, bursts(1.0, 2.0, *TANDEM)), Wanted("open")) == "QN548"


def test_the_method_by_name_is_refused_where_it_does_not_apply():
    assert code(network(STATIONS, customers(1.0, HELD)), Wanted("qna")) == "QN513"
    rates = qnet.Network([[1.0], [0.5]], arrival_rate=[0.5], rates=[[1.0, 2.0], None])
    with pytest.raises(NotComputed, match="layers does not apply: there are no closed classes"):
        rates.solve(method="layers")
    changing = network([STATIONS[0].replace(rates=(1.0, 1.5)), STATIONS[1]], customers(1.0, HELD))
    assert code(changing, Wanted("qna")) == "QN513"


def test_product_form_with_rates_is_that_of_demands():
    given = {"demands": [[1.0, 0.3], [0.5, 0.2]], "visits": [[2, 1], [1, 1]], "arrival_rate": [0.4, 0.9]}
    rates = qnet.Network(**given, rates=[[1.0, 2.0, 1.5], None], disciplines="ps")
    assert rates.solve(method="qna").residence == pytest.approx(rates.solve(method="open").residence, rel=1e-12)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (network(STATIONS, customers(1.0, *TANDEM)), ""),
        (network([station("a", 2)], bursts(1.0, 2.0, TANDEM[0])), ""),
        (network([station("a", 2), STATIONS[1]], customers(1.0, *TANDEM)), "a has several servers"),
        (network(STATIONS, bursts(1.0, 5.0, *TANDEM)), "the scv of arrivals"),
        (network(STATIONS, bursts(1.0, 2.0, *TANDEM, TANDEM[0])), "customers return"),
        (network(STATIONS, customers(1.0, visit("a", 0.1, 9.0), TANDEM[1])), "the scv of services at a"),
        (network([STATIONS[0], station("b", discipline="ps")], customers(1.0, *TANDEM)), "arrivals at b"),
    ],
    ids=["inside", "one queue", "several servers", "bursts", "returns", "services", "sharing"],
)
def test_what_was_not_measured_is_warned_of(model: RoutedNetwork, words: str):
    told = [reason.warning for reason in solve(model).reasons if isinstance(reason, Beyond)]
    assert any(reason.startswith(words) for reason in told) if words else not told


def test_sharing_stations_see_bursts_as_queues_of_exponential_services_do():
    shared, ordered = (
        solve(network([station("a", discipline=kind)], bursts(1.0, 3.0, visit("a", 0.5)))) for kind in ("ps", "fcfs")
    )
    assert shared.response == pytest.approx(ordered.response)


def test_departures_of_several_servers_vary_less():
    """r^2 (scv - 1) / sqrt(m): with two servers, load 0.3."""
    found = solve(network([station("a", 2), station("b")], customers(2.0, visit("a", 0.3, 3.0), visit("b", 0.4))))
    gaps = 1 + 0.3**2 * 2.0 / sqrt(2)
    alone = qnet.queue("GI/G/1", arrival_rate=2.0, service_time=0.4, scv_arrival=gaps, scv_service=1.0)
    assert at_station(found, "b").wait == pytest.approx(alone.wait)


def test_nobody_waits_behind_a_server_that_lets_nobody_go_faster():
    """Constant times that never grow: the wait of M/D/1, at the first station alone (Friedman 1965)."""
    times = {"a": 0.4, "b": 0.4, "c": 0.1, "d": 0.3}
    model = network([station(name) for name in times], customers(2.0, *(visit(name, times[name], 0) for name in times)))
    found = solve(model)
    assert found.response == pytest.approx(sum(times.values()) + 0.8 * 0.4 / (2 * 0.2), rel=1e-12)
    assert waits(found)[1:] == [0.0, 0.0, 0.0]
    assert not any(isinstance(reason, Beyond) for reason in found.reasons)


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param((visit("a", 0.4, 0), visit("b", 0.41, 0)), id="slower"),
        pytest.param((visit("a", 0.4, 0), Time(0.2), visit("b", 0.3, 0)), id="after some other time"),
        pytest.param((visit("a", 0.4, 0.5), visit("b", 0.3, 0)), id="behind times that vary"),
        pytest.param((visit("a", 0.4, 0), visit("b", 0.3, 0.5)), id="times that vary"),
        pytest.param((visit("a", 0.2, 0, visits=2.0), visit("b", 0.2, 0)), id="a visit again"),
    ],
)
def test_behind_any_other_server_customers_wait(steps: tuple[Any, ...]):
    found = solve(network(STATIONS, customers(2.0, *steps)), Wanted("qna"))
    assert at_station(found, "b").wait > 0


def test_no_wait_is_found_point_by_point():
    times = np.array([0.3, 0.4, 0.2])
    whole = solve(network(STATIONS, customers(2.0 + 0 * times, visit("a", 0.3, 0), visit("b", times, 0)), size=3))
    for place, time in enumerate(times):
        alone = solve(network(STATIONS, customers(2.0, visit("a", 0.3, 0), visit("b", float(time), 0))))
        assert at_station(whole, "b").wait[place] == pytest.approx(at_station(alone, "b").wait, rel=1e-12, abs=0)
    assert at_station(whole, "b").wait.tolist()[::2] == [0.0, 0.0]
