"""Networks with closed classes and with rates: routes reduced to demands, and their figures told by route again."""

from __future__ import annotations

import pytest
from building import at_station, delay, network, station, visit

import qnet
from qnet.errors import NotComputed
from qnet.networks.exactness import Beyond
from qnet.networks.routed import ClosedClass, Hold, OpenClass, Route, RoutedNetwork, Time
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve as solve_best
from qnet.networks.wanted import AUTO, Wanted


def solve(network: RoutedNetwork, wanted: Wanted = AUTO) -> RoutedSolution:
    """The answer of the methods that are to be tested, which `states` would otherwise take the place of."""
    return solve_best(network, wanted.replace(chain=0))


def closed(population: object, think_time: object, *steps: object, name: str = "users") -> ClosedClass:
    return ClosedClass(name, population, think_time, (Route(name, 1.0, tuple(steps)),))  # type: ignore[arg-type]


def arriving(rate: object, *steps: object, name: str = "web") -> OpenClass:
    return OpenClass(name, rate, (Route(name, 1.0, tuple(steps)),))  # type: ignore[arg-type]


def routed(stations: list[object], *classes: object, size: int | None = None) -> RoutedNetwork:
    return RoutedNetwork(tuple(stations), tuple(classes), (), size)  # type: ignore[arg-type]


USERS = closed(20, 5.0, visit("cpu", 0.12), visit("disk", 0.05))


def test_one_closed_class_is_the_network_of_its_demands():
    found = solve(routed([station("cpu"), station("disk")], USERS))
    wanted = qnet.Network([[0.12], [0.05]], population=[20], think_time=[5.0]).solve()
    assert found.exact and found.method == "mva"
    assert found.throughput == pytest.approx(wanted.figures.throughput[0])
    assert found.response == pytest.approx(wanted.figures.response[0])
    assert at_station(found, "cpu").queue_length == pytest.approx(wanted.figures.queue_length[0][0])
    assert (found.classes[0].population, found.classes[0].think_time) == (20, 5.0)


def test_copies_are_stations_of_their_own():
    found = solve(routed([station("cpu"), station("disk", copies=4)], USERS))
    wanted = qnet.Network([[0.12], *([0.0125],) * 4], population=[20], think_time=[5.0]).solve()
    disk = at_station(found, "disk")
    assert found.throughput == pytest.approx(wanted.figures.throughput[0])
    assert disk.utilization == pytest.approx(wanted.figures.utilization[1][0])
    assert disk.queue_length == pytest.approx(4 * wanted.figures.queue_length[1][0])
    assert disk.holding == pytest.approx(0.05)


def test_pure_delays_are_part_of_the_response_and_not_of_the_think_time():
    found = solve(routed([station("cpu")], closed(5, 1.0, Time(0.3), visit("cpu", 0.2))))
    wanted = qnet.Network([[0.2], [0.3]], kinds=["queue", "delay"], population=[5], think_time=[1.0]).solve()
    assert found.response == pytest.approx(wanted.figures.response[0])
    assert found.throughput * (found.response + 1.0) == pytest.approx(5)


def test_routes_of_a_class_share_what_its_stations_make_it_wait():
    """Processor sharing: every visit is stretched alike, so that responses are as demands."""
    routes = (Route("short", 0.75, (visit("cpu", 0.1),)), Route("long", 0.25, (visit("cpu", 0.5),)))
    found = solve(routed([station("cpu", discipline="ps")], ClosedClass("users", 8, 2.0, routes)))
    alone = qnet.Network([[0.2]], population=[8], think_time=[2.0]).solve()
    short, long = found.routes
    assert long.response == pytest.approx(5 * short.response)
    assert found.response == pytest.approx(alone.figures.response[0])


def test_rates_that_are_those_of_servers_are_servers():
    steps = (visit("cpu", 0.4), visit("disk", 0.1))
    servers = solve(routed([station("cpu", servers=3), station("disk")], closed(9, 1.0, *steps)))
    rates = solve(routed([station("cpu").replace(rates=(1.0, 2.0, 3.0)), station("disk")], closed(9, 1.0, *steps)))
    assert rates.throughput == pytest.approx(servers.throughput, rel=1e-13)
    assert at_station(rates, "cpu").utilization == pytest.approx(at_station(servers, "cpu").utilization)
    assert at_station(rates, "cpu").residence == pytest.approx(at_station(servers, "cpu").residence)


def test_rates_of_open_classes_alone():
    fast = solve(routed([station("cpu").replace(rates=(2.0,))], arriving(3.0, visit("cpu", 0.4))))
    assert fast.exact
    assert fast.response == pytest.approx(0.2 / (1 - 0.6))


def test_open_classes_see_closed_ones_and_the_other_way_round():
    users = closed(20, 5.0, visit("cpu", 0.12))
    shared = station("cpu", servers=2, discipline="ps")
    found = solve(routed([shared], users, arriving(3.0, visit("cpu", 0.3))))
    wanted = qnet.Network(
        [[0.12, 0.3]],
        servers=[2],
        population=[20, None],
        think_time=[5.0, 0.0],
        arrival_rate=[None, 3.0],
        disciplines="ps",
    ).solve()
    assert found.exact and wanted.exact
    assert [item.response for item in found.classes] == pytest.approx(list(wanted.figures.response))


def test_too_much_open_load_is_marked_and_not_raised():
    users = closed(20, 5.0, visit("cpu", 0.12))
    found = solve(routed([station("cpu", discipline="ps")], users, arriving(4.0, visit("cpu", 0.3))))
    assert found.stable is False
    assert found.loads[0].load == pytest.approx(1.2)


def test_nobody_has_the_response_of_the_demands_alone():
    found = solve(routed([station("cpu"), station("disk")], USERS.replace(population=0)))
    assert found.throughput == 0.0
    assert found.response == pytest.approx(0.17)


def test_a_batch_is_each_of_its_points():
    import numpy as np

    users = np.array([0.0, 1.0, 20.0, 200.0])
    rate = np.array([0.0, 1.0, 2.0, 5.0])
    shared = [station("cpu", servers=2, discipline="ps"), station("disk")]

    def asked(population: object, arrivals: object, size: int | None) -> RoutedNetwork:
        web = arriving(arrivals, visit("cpu", 0.3))
        return routed(shared, USERS.replace(population=population), web, size=size)

    whole = solve(asked(users, rate, 4))
    for place in range(4):
        one = solve(asked(float(users[place]), float(rate[place]), None))
        assert whole.throughput[place] == pytest.approx(one.throughput)
        assert whole.response[place] == pytest.approx(one.response)
        assert at_station(whole, "cpu").queue_length[place] == pytest.approx(at_station(one, "cpu").queue_length)


def test_points_of_a_batch_beyond_saturation_do_not_disturb_the_others():
    import numpy as np

    asked = routed([station("cpu", discipline="ps"), station("disk")], USERS,
                   arriving(np.array([1.0, 9.0]), visit("cpu", 0.3)), size=2)  # fmt: skip
    found = solve(asked)
    alone = solve(routed([station("cpu", discipline="ps"), station("disk")], USERS, arriving(1.0, visit("cpu", 0.3))))
    assert found.stable.tolist() == [True, False]
    assert found.response[0] == pytest.approx(alone.response)


def test_what_a_single_closed_class_tends_to():
    found = solve(routed([station("cpu", servers=2), station("disk"), delay("net")], USERS))
    assert found.ceiling == (pytest.approx(2 / 0.12), "cpu")


def test_state_probabilities_by_station():
    found = solve(routed([station("cpu"), station("disk")], USERS.replace(population=2)), AUTO.replace(states=True))
    assert found.states is not None and set(found.states) == {"cpu", "disk"}
    assert sum(found.states["cpu"]) == pytest.approx(1)
    mean = sum(count * share for count, share in enumerate(found.states["cpu"]))
    assert mean == pytest.approx(at_station(found, "cpu").queue_length)


def test_approximate_answers_are_enclosed():
    found = solve(routed([station("cpu"), station("disk")], USERS), AUTO.replace(method="bard-schweitzer"))
    exact = solve(routed([station("cpu"), station("disk")], USERS))
    assert found.classes[0].enclosed is not None
    lower, upper, quick, slow = found.classes[0].enclosed
    assert not found.exact and lower <= exact.throughput <= upper and quick <= exact.response <= slow


@pytest.mark.parametrize(
    "steps, words",
    [
        ((Hold("cpu", (visit("disk", 0.1),)), visit("disk", 0.1, priority=1)), "a station is held while another is"),
        ((Hold("cpu", (Time(0.1), Time(0.1, phase=2)), priority=1), visit("cpu", 0.1)), "a server is kept after the"),
    ],
)
def test_what_demands_cannot_say_is_refused(steps: tuple[object, ...], words: str):
    with pytest.raises(NotComputed, match=words) as refused:
        solve(routed([station("cpu"), station("disk")], closed(3, 1.0, *steps)))
    assert refused.value.problems[0].code == "QN501"


def test_a_method_for_closed_classes_is_refused_where_there_are_none():
    with pytest.raises(NotComputed, match="mva does not apply: there are no closed classes"):
        solve(network([station("cpu")], arriving(1.0, visit("cpu", 0.1))), AUTO.replace(method="mva"))


def test_what_a_closed_class_makes_of_unequal_times_is_labelled():
    """First come first served with two service times is no product form; a method of product form says what it does."""
    asked = routed([station("cpu")], closed(6, 0.0, visit("cpu", 0.1)), closed(3, 0.0, visit("cpu", 0.2), name="batch"))
    found = solve(asked)
    assert not found.exact and found.method == "residual-service"
    assert "waits are estimated" in found.reasons[1]
    shared = solve(asked, AUTO.replace(method="lattice-mva"))
    assert not shared.exact and "exact" not in shared.why.replace("exact for product form", "")
    assert "solved like processor sharing, which may be wrong by tens of per cent" in shared.reasons[0]


def test_all_visits_of_a_class_wait_alike_where_the_order_of_arrival_counts():
    routes = (Route("short", 0.75, (visit("cpu", 0.1),)), Route("long", 0.25, (visit("cpu", 0.5),)))
    found = solve(routed([station("cpu"), station("disk")], ClosedClass("users", 8, 2.0, routes)))
    short, long = found.routes
    assert found.method == "residual-service"
    assert long.response - short.response == pytest.approx(0.4)
    assert found.response == pytest.approx(0.75 * short.response + 0.25 * long.response)
    assert found.throughput * (found.response + 2.0) == pytest.approx(8)


def test_a_full_station_is_not_above_one_by_rounding():
    found = solve(routed([station("cpu"), station("disk")], closed(300, 0.0, visit("cpu", 0.12), visit("disk", 0.05))))
    assert found.ceiling is not None
    assert at_station(found, "cpu").utilization <= 1.0 and found.throughput <= found.ceiling[0]


@pytest.mark.parametrize("time, scv, servers, trusted", [(0.3, 1.0, 1, True), (0.9, 1.0, 1, False),
                                                       (0.3, 9.0, 1, False), (0.3, 1.0, 2, True)])  # fmt: skip
def test_what_is_beyond_the_measured_region_says_so(time: float, scv: float, servers: int, trusted: bool):
    other = closed(3, 1.0, visit("cpu", time, scv), name="batch")
    found = solve(routed([station("cpu", servers=servers)], closed(6, 1.0, visit("cpu", 0.15)), other))
    assert found.method == "residual-service"
    assert any(isinstance(reason, Beyond) for reason in found.reasons) != trusted
