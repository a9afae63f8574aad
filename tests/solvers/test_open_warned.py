"""Open networks that were answered far off without a word: each is warned of now, or near the exact answer."""

from __future__ import annotations

from math import exp

import pytest
from building import network, station, visit

from qnet.networks.exactness import Beyond
from qnet.networks.routed import Hold, OpenClass, Route, RoutedNetwork, Step, Time
from qnet.networks.solve import solve
from qnet.networks.wanted import AUTO


def customers(name: str, rate: float, *steps: Step, scv: float = 1.0) -> OpenClass:
    return OpenClass(name, rate, (Route("way", 1.0, steps),), arrival_scv=scv)


def codes(model: RoutedNetwork) -> set[str]:
    return {reason.code for reason in solve(model).reasons if isinstance(reason, Beyond)}


CONSTANT = (visit("a", 0.8, 0.0), visit("b", 0.9, 0.0))
STATIONS = (station("a"), station("b"))
RANKED = tuple(station(name, discipline="priority") for name in "ab")


@pytest.mark.parametrize(
    ("model", "code"),
    [
        (network(STATIONS, customers("all", 1.0, *CONSTANT)), "QN654"),
        (network(STATIONS, customers("all", 1.0, *CONSTANT, scv=0.0)), "QN654"),
        (
            network(
                RANKED,
                customers("first", 0.5, visit("a", 0.8, 0.0, priority=1), visit("b", 0.9, 0.0, priority=1)),
                customers("last", 0.5, *CONSTANT),
            ),
            "QN654",
        ),
        (
            network(
                [station("memory", 4), station("cpu"), station("disk")],
                *(
                    customers(name, 0.9, Hold("memory", (visit("cpu", time), visit("disk", 0.4))))
                    for name, time in (("small", 0.1), ("large", 0.7))
                ),
            ),
            "QN645",
        ),
        (
            # Who passes the held station meets no holder at the other: 5.34 s by a simulation, in place of 5.77.
            network(
                STATIONS,
                customers("holder", 0.006, Hold("a", (Time(11.5), visit("b", 8.0)))),
                customers("passing", 0.15, visit("a", 1.4), visit("b", 1.0)),
            ),
            "QN716",
        ),
        (network([station("a").replace(rates=(1.0, 1.5))], customers("all", 1.0, visit("a", 0.5, 4.0))), "QN717"),
        (
            network(
                [station("a").replace(rates=(1.0, 1.5)), station("b"), station("c")],
                customers("all", 1.0, visit("a", 0.5), visit("b", 0.5, 3.0), visit("c", 0.1, phase=2)),
            ),
            "QN717",
        ),
        (
            network(STATIONS, customers("all", 0.1, Hold("a", (Time(1.9, 4.0), visit("b", 0.5))))),
            "QN716",
        ),
        (
            network(STATIONS, customers("all", 0.1, Hold("a", (Time(1.9), visit("b", 0.5)), scv=0.5))),
            "QN716",
        ),
        (
            network(STATIONS, customers("all", 0.1, Hold("a", (Time(1.9), visit("b", 0.9, 4.0))))),
            "QN716",
        ),
        (
            network(STATIONS, customers("all", 0.1, Hold("a", (Time(1.9), Hold("b", (Time(0.9),), scv=1.5))))),
            "QN716",
        ),
        (
            network(
                [station("a", discipline="ps"), station("b")],
                customers("all", 0.2, Hold("a", (Time(1.0), visit("b", 0.1)))),
            ),
            "QN716",
        ),
        (
            network(
                [station("a", discipline="ps")],
                customers("all", 0.5, Hold("a", (Time(0.5), Time(0.5, phase=2)))),
            ),
            "QN716",
        ),
        (
            network(
                STATIONS,
                customers("all", 0.5, Hold("a", (Time(0.5), Time(0.5, phase=2))), visit("b", 1.0, 4.0)),
            ),
            "QN716",
        ),
    ],
    ids=[
        "constant times in a row",
        "even arrivals",
        "priorities in a row",
        "memory of two classes",
        "customers who pass a held station",
        "rates",
        "beside a station with rates",
        "uneven times around a hold",
        "given variability of a hold around another station",
        "uneven times inside a hold",
        "given variability of an inner station",
        "a shared station held",
        "a shared station kept after the response",
        "uneven times beside work left behind",
    ],
)
def test_what_is_far_off_is_warned_of(model: RoutedNetwork, code: str):
    assert code in codes(model)


@pytest.mark.parametrize("scv", [0.0, 0.25, 0.9, 1.0])
def test_times_more_even_than_exponential_are_trusted_in_holds(scv: float):
    steps = Time(1.0, scv), Hold("b", (Time(0.3, scv), Time(0.1, scv, phase=2)))
    assert not codes(network(STATIONS, customers("all", 0.1, Hold("a", steps))))


def test_a_given_variability_of_the_innermost_hold_is_trusted():
    inner = Hold("b", (Time(0.3, 0.0),), scv=1.0)
    assert not codes(network(STATIONS, customers("all", 0.1, Hold("a", (Time(1.0, 0.0), inner)))))


def test_one_queue_is_exact_beside_a_station_that_nobody_visits():
    found = solve(network(STATIONS, customers("all", 0.5, visit("a", 1.0, 4.0))))
    assert found.exact
    assert found.response == pytest.approx(1.0 + 0.5 * 5.0 / 2 / 0.5)


def test_holders_and_others_wait_for_each_other_as_the_work_there_is_conserved():
    """One server, one exponential time: by Little's law, the work found is what waits and what is served."""
    held = customers("held", 0.5, Hold("a", (Time(0.5), visit("b", 0.6))))
    found = solve(network(STATIONS, held, customers("outside", 0.4, visit("b", 0.6))))
    visits = {(item.class_name, item.name): item for item in found.visits}
    inside, outside = visits["held", "b"], visits["outside", "b"]
    number = 0.5 * inside.residence + 0.4 * outside.residence
    assert outside.residence == pytest.approx(0.6 * (1 + number))


def left_at_one_queue(time: float, left: float, load: float) -> tuple[RoutedNetwork, float]:
    """Poisson arrivals at one queue, where each leaves work behind when it is served; and the exact response.

    By linear equations: an arrival waits for all that is there, and what it leaves for all that came since, and for
    what those leave who were there.
    """
    rate = load / (time + left)
    own, later = rate * time, rate * left
    wait = (later * load * time + own * time + later * left) / (1.0 - own - later * load)
    steps = Hold("a", (Time(time),)), Hold("a", (Time(left),), phase=2)
    return network([station("a")], customers("all", rate, *steps)), wait + time


@pytest.mark.parametrize("load", [0.3, 0.7, 0.9])
def test_work_left_where_it_was_served_is_exact_with_one_time_for_all(load: float):
    model, response = left_at_one_queue(1.0, 1.0, load)
    assert solve(model, AUTO.replace(chain=0)).response == pytest.approx(response)
    assert not codes(model)


@pytest.mark.parametrize("load", [0.3, 0.7, 0.9])
def test_long_work_left_where_it_was_served_is_warned_of(load: float):
    model, response = left_at_one_queue(1.0, 20.0, load)
    found = solve(model, AUTO.replace(chain=0))
    assert found.response > 1.2 * response
    assert codes(model) == {"QN654"}


def test_work_left_at_another_queue_is_warned_of_where_that_is_fed_unevenly():
    long = customers("long", 0.006, visit("a", 20.0), visit("b", 10.0))
    left = customers("left", 0.1, visit("a", 1.0), visit("b", 0.4, phase=2))
    assert codes(network(STATIONS, long, left)) == {"QN654"}
    even = customers("even", 0.1, visit("a", 1.0), visit("b", 1.0, phase=2))
    assert not codes(network(STATIONS, even))


def test_even_arrivals_that_part_and_meet_again_are_warned_of():
    """Two ways to one queue, of which the longer is short: they come there nearly as evenly as from outside.

    Exactly 1/2 / (1 - x), x = exp(2 (x - 1)), would be there of constant gaps, and 1 of Poisson arrivals.
    """
    ways = Route("by a", 0.7, (visit("a", 0.01), visit("b", 0.5))), Route("past a", 0.3, (visit("b", 0.5),))
    parted = OpenClass("all", 1.0, ways, arrival_scv=0.0)
    assert codes(network(STATIONS, parted)) == {"QN654"}
    (number,) = [item.residence for item in solve(network(STATIONS, parted)).visits if item.name == "b"]
    x = 0.2
    for _ in range(60):
        x = exp(2.0 * (x - 1.0))
    assert number > 1.2 * 0.5 / (1.0 - x)
    straight = customers("all", 1.0, visit("a", 0.01), visit("b", 0.5), scv=0.0)
    assert not codes(network(STATIONS, straight))


def warned(model: RoutedNetwork, method: str) -> set[str]:
    """What a method by name warns of."""
    found = solve(model, AUTO.replace(method=method, chain=0))
    return {reason.warning for reason in found.reasons if isinstance(reason, Beyond)}


def test_the_method_open_by_name_warns_where_arrivals_are_not_poisson():
    """Nobody waits at b behind equal constant times at a, and Poisson arrivals would."""
    model = network([station("a"), station("b")], customers("c", 2.0, visit("a", 0.4, 0.0), visit("b", 0.4, 0.0)))
    assert "arrivals at b are taken as Poisson, where qna follows their variability" in warned(model, "open")
    assert "arrivals at a are taken as Poisson, where qna follows their variability" not in warned(model, "open")


def test_the_method_open_by_name_warns_where_customers_return():
    model = network([station("b")], customers("c", 1.0, visit("b", 0.1), visit("b", 0.6, 4.0)))
    assert warned(model, "open") > warned(model, "qna") > set()


@pytest.mark.parametrize("scv", [2.0, 9.0])
def test_the_method_open_by_name_warns_as_qna_where_the_answers_are_equal(scv: float):
    model = network([station("a", 2)], customers("c", 1.5, visit("a", 1.0, scv)))
    assert warned(model, "open") == warned(model, "qna")
    assert bool(warned(model, "open")) == (scv > 4)
