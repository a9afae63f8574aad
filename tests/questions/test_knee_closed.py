"""Knees of one closed class against closed forms, and against every population solved one after the other."""

import importlib
import math
from typing import Any

import pytest
from knees import CLOSED, CURVE, ONE, SERVICE, THINK, TWO, by_definition, every_response, repairman, visit

import qnet
from qnet.model.metrics import metric
from qnet.questions.knee import closed as closed_knees
from qnet.questions.knee.curve import Curve
from qnet.questions.knee.knee import around, knee
from qnet.questions.knee.report import COLUMNS, knee_report
from qnet.questions.points.answers import solve_table

np: Any = importlib.import_module("numpy")


# N*


@pytest.mark.parametrize(
    ("cpu", "disk", "think", "expected"),
    [
        (0.12, 0.05, 5.0, (0.17 + 5.0) / 0.12),
        (0.05, 0.12, 0.0, 0.17 / 0.12),
        (0.25, 0.25, 0.0, 2.0),
        (0.25, 0.25, 3.0, 14.0),
    ],
)
def test_n_star_of_two_stations_is_where_the_asymptotes_meet(closed, cpu, disk, think, expected):
    loaded = closed(TWO, f"{visit('cpu', f'{cpu} s')}, {visit('disk', f'{disk} s')}", f"{think} s")
    found = by_definition(knee(loaded))["n_star"]
    assert found.real == pytest.approx(expected, rel=1e-13)
    assert found.value == math.floor(expected + 1e-9)


@pytest.mark.parametrize(
    ("stations", "expected"),
    [
        ("cpu = { servers = 4 }", 4 * (0.2 + 3) / 0.2),
        ("cpu = { copies = 4 }", 4 * (0.2 + 3) / 0.2),
        ("cpu = { copies = 4, split = { hot = 1, share = 0.4 } }", (0.2 + 3) / (0.4 * 0.2)),
        ("cpu = { rates = [1, 1.6, 1.8] }", 1.8 * (0.2 + 3) / 0.2),
        ("cpu = { rates = [1, 1.6, 0.9] }", 1.6 * (0.2 + 3) / 0.2),
    ],
)
def test_n_star_counts_the_whole_capacity_of_a_station(closed, stations, expected):
    found = by_definition(knee(closed(stations, visit("cpu", "0.2 s"), "3 s")))
    assert found["n_star"].real == pytest.approx(expected, rel=1e-13)


def test_delays_are_part_of_the_demand(closed):
    loaded = closed(
        "cpu = {}\nline = { delay = true }", f'{{ delay = "1 s" }}, {visit("line", "2 s")}, {visit("cpu", "0.1 s")}'
    )
    found = knee(loaded)
    assert by_definition(found)["n_star"].real == pytest.approx(3.1 / 0.1, rel=1e-13)
    assert found[0].floor == pytest.approx(3.1, rel=1e-13)


def test_n_star_is_refused_beyond_the_range(closed):
    found = by_definition(knee(closed(ONE, visit("cpu", "0.1 s"), "10 s", last=50)))["n_star"]
    assert found.status == "not reached up to 50, where the range ends"
    assert found.value is None


def test_what_saturates_is_named(closed):
    loaded = closed(TWO, f"{visit('cpu', '0.12 s')}, {visit('disk', '0.05 s')}", "5 s")
    assert knee(loaded)[0].saturating == "cpu"


# The machine repairman, whose closed form owes nothing to the solvers of networks


@pytest.mark.parametrize("limit", [0.25, 0.4, 1.0, 3.3, 15.0])
def test_the_service_level_of_the_repairman_is_the_last_population_that_keeps_it(machines, limit):
    expected = max(count for count, (_, response) in enumerate(CURVE, 1) if response <= limit)
    found = by_definition(knee(machines, limits=[f"response <= {limit} s"]))["service_level"]
    assert found.value == expected
    inside, outside = CURVE[expected - 1][1], CURVE[expected][1]
    assert found.real == pytest.approx(expected + (limit - inside) / (outside - inside), rel=1e-3)


def test_the_power_of_the_repairman_is_highest_where_its_closed_form_is(machines):
    expected = max(range(1, 140), key=lambda count: CURVE[count - 1][0] / CURVE[count - 1][1])
    found = by_definition(knee(machines))["power"]
    assert found.value == expected
    assert abs(found.real - expected) <= 0.5


def test_curvature_is_largest_where_the_closed_form_bends_most(closed):
    """Machines that are fetched before they wait for the repairman: the fetching is part of the response."""
    fetch = 2.0
    star, floor = (SERVICE + fetch + THINK) / SERVICE, SERVICE + fetch
    response = [fetch + repairman(count, SERVICE, THINK + fetch)[1] for count in range(1, 140)]

    def bend(count):
        before, here, after = (response[place - 1] / floor for place in (count - 1, count, count + 1))
        slope = (after - before) / 2 * star
        return abs(after - 2 * here + before) * star**2 / (1 + slope**2) ** 1.5

    loaded = closed(ONE, f'{{ delay = "{fetch} s" }}, {visit("cpu", f"{SERVICE} s")}', f"{THINK} s")
    expected = max(range(2, 139), key=bend)
    assert expected > 10
    assert by_definition(knee(loaded))["curvature"].value == expected


@pytest.mark.parametrize(("service", "think"), [("1 s", "9 s"), ("1 ms", "100 s"), ("10 ms", "10 s")])
def test_a_curve_that_bends_most_without_load_has_no_knee_of_curvature(closed, service, think):
    """Of one station R / R0 tends to 1 / (1 - N / N*) as think times grow: a hyperbola, whose vertex is at N = 0."""
    found = by_definition(knee(closed(ONE, visit("cpu", service), think, last=1e6), definitions=["curvature"]))[
        "curvature"
    ]
    assert found.value is None
    assert found.status.startswith("largest at the least number evaluated")


def test_power_that_falls_from_the_beginning_of_the_range_has_no_knee(model):
    text = CLOSED.format(stations=ONE, steps=visit("cpu", "0.2 s"), think="7 s", last=100, parameters="")
    loaded = model(text.replace("value = 10, range = [0, ", "value = 95, range = [90, "))
    found = by_definition(knee(loaded, limits=["response <= 12.1 s"]))
    assert found["n_star"].status == "at 36, beyond the range"
    assert found["service_level"].value == max(count for count in range(90, 101) if CURVE[count - 1][1] <= 12.1)
    assert found["power"].status == "largest at the least number evaluated, 90"


def test_one_step_beyond_is_one_customer_more(machines):
    (found,) = knee(machines, limits=["response <= 1 s"], definitions=["service_level"])
    answered, there, beyond = around([found])[0]
    count = int(answered[0].value)
    response = metric("response", machines).expression
    assert there.of(response)[0] == pytest.approx(CURVE[count - 1][1], rel=1e-10)
    assert beyond[0].overall[1] == pytest.approx(CURVE[count][1], rel=1e-10)


def test_the_slope_tends_to_the_largest_demand(machines):
    report = knee_report(machines, limit=["response <= 15 s"], definition=["service_level"])
    (row,) = report.rows
    assert row[[column.key for column in COLUMNS].index("slope")] == pytest.approx(SERVICE, rel=1e-9)


def test_a_balanced_network_has_a_straight_curve(closed):
    """Of two equal stations without think time R = (N + 1) D: no bend, the best power of one customer alone."""
    loaded = closed(TWO, f"{visit('cpu', '0.25 s')}, {visit('disk', '0.25 s')}")
    found = by_definition(knee(loaded, limits=["response <= 2.5 s", "response < 2.5 s"]))
    assert found["curvature"].status == "the curve is straight"
    assert found["power"].value == 1
    values = [item.value for item in knee(loaded, limits=["response <= 2.5 s", "response < 2.5 s"])[0].knees]
    assert values[1:3] == [9, 8]


# Limits that are not crossed, crossed several times, or from below


def test_a_limit_that_holds_to_the_end_of_the_range_says_so(closed):
    loaded = closed(ONE, visit("cpu", "0.1 s"), "10 s", last=50)
    found = by_definition(knee(loaded, limits=["response <= 1 h"]))["service_level"]
    assert found.status == "holds up to 50, where the range ends"


def test_a_limit_below_the_floor_says_so(machines):
    found = by_definition(knee(machines, limits=["response <= 0.1 s"]))["service_level"]
    assert found.status == "exceeded by the first customer"


def test_a_limit_from_below_has_its_smallest_population(machines):
    expected = min(count for count, (rate, _) in enumerate(CURVE, 1) if rate >= 3.0)
    assert by_definition(knee(machines, limits=["throughput >= 3/s"]))["service_level"].value == expected


def test_the_first_of_several_crossings_is_the_knee_and_the_others_are_told(closed):
    """A machine that thrashes: its throughput rises, and falls again when more than four are there."""
    loaded = closed("cpu = { rates = [1, 1.8, 2.4, 2.7, 2.4, 1.8, 1.2, 0.8] }", visit("cpu", "0.2 s"), "3 s", last=400)
    rate, _ = every_response(loaded, "users", 400)
    above = rate >= 5.0
    changes = [int(count) + 1 for count in np.flatnonzero(above[:-1] != above[1:])]
    assert len(changes) == 2
    found = by_definition(knee(loaded, limits=["throughput >= 5/s"]))["service_level"]
    assert found.value == changes[0] + 1
    assert found.also == (changes[1],)
    assert "QN615" in [note.code for note in knee_report(loaded, limit=["throughput >= 5/s"]).notes]


def test_where_the_model_ends_is_no_crossing(closed):
    loaded = closed(ONE, visit("cpu", "0.1 s * sqrt(1 - users / 60)"), "10 s")
    found = by_definition(knee(loaded, limits=["response <= 1 h"]))["service_level"]
    assert found.value is None
    assert found.status.startswith("holds up to 60; beyond, ")


# Demands that depend on the population


PAGING = "examples/paging-users.toml"


def paging_demands(users):
    faults = 80 * max(0.0, 1 - 91.4 * 2**20 / (users * 480 * 2**10))
    cpu, disk = 0.114 + faults * 0.6e-3, faults * 10e-3
    return cpu, 0.3 + cpu + disk, max(cpu, disk / 2)


def test_n_star_of_a_paging_system_solves_its_own_equation():
    found = by_definition(knee(qnet.load(PAGING)))

    def short_of(users):
        _, light, largest = paging_demands(users)
        return users - (26 + light) / largest

    low, high = 1.0, 1000.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if short_of(middle) < 0 else (low, middle)
    assert found["n_star"].real == pytest.approx(low, rel=1e-11)
    assert found["n_star_unloaded"].real == pytest.approx((26 + 0.414) / 0.114, rel=1e-12)


def test_the_knees_of_a_paging_system_are_those_of_its_true_curve():
    loaded = qnet.load(PAGING)
    rate, response = every_response(loaded, "users", 400)
    found = by_definition(knee(loaded, limits=["response <= 1 s"]))
    assert found["service_level"].value == np.flatnonzero(response <= 1)[-1] + 1
    assert found["power"].value == (rate / response).argmax() + 1


def test_users_who_page_between_190_and_200_lose_their_second(closed):
    """The shape of a small mainframe: the processor and an I/O server, and both work more from 190 users on."""
    parameters = 'over = "max(0, 1 - 190 / max(users, 1))"'
    steps = f"{visit('cpu', '0.1121 s + 0.056 s * over')}, {visit('disk', '0.0936 s + 0.112 s * over')}"
    loaded = closed(TWO, steps, "26 s", parameters=parameters)
    report = knee_report(loaded, limit=["response <= 1 s"], definition=["service_level"], asserted=["users >= 190"])
    found = by_definition(knee(loaded, limits=["response <= 1 s"], definitions=["service_level"]))["service_level"]
    assert 190 <= found.value <= 200
    assert not report.broken
    _, response = every_response(loaded, "users", 220)
    assert response[219] > 2


# Large populations


@pytest.fixture(scope="module")
def million(tmp_path_factory):
    """A model in which a million users saturate a station, and its knees."""
    path = tmp_path_factory.mktemp("million") / "model.toml"
    path.write_text(CLOSED.format(stations=ONE, steps=visit("cpu", "0.01 ms"), think="10 s", last=1e8, parameters=""))
    loaded = qnet.load(str(path))
    (found,) = knee(loaded, limits=["response <= 1 s"])
    return loaded, found


@pytest.mark.long
def test_a_million_users_are_answered_approximately_and_say_so(million):
    """Far from saturation and far beyond it the curve is its asymptotes: R = N D - Z, and R = D."""
    loaded, found = million
    knees = {one.definition: one for one in found.knees}
    assert knees["n_star"].real == pytest.approx(1_000_001, rel=1e-12)
    assert knees["service_level"].real == pytest.approx(1_100_000, rel=1e-5)
    _, there, _ = around([found])[0]
    assert not there.exact
    assert "QN601" in [note.code for note in knee_report(loaded, definition=["power"]).notes]


@pytest.mark.long
def test_few_solves_are_needed(million):
    assert len(million[1].curve.known) < 1000


def test_a_response_that_is_the_same_for_all_customers_is_not_followed_number_by_number(closed, monkeypatch):
    asked = []
    solve = Curve.answers

    def counted(curve, values):
        asked.extend(values.tolist())
        return solve(curve, values)

    monkeypatch.setattr(Curve, "answers", counted)
    loaded = closed(ONE, visit("cpu", "1 s / users"), last=1e9)
    found = by_definition(knee(loaded, definitions=["power"]))["power"]
    assert found.status == "still rising at 1e+09, where the range ends"
    # The recursion from the first customer is affordable up to some millions.
    assert sum(value for value in asked if value < 1e7) < 1e5


def test_the_light_load_is_solved_once(closed, monkeypatch):
    asked: list[int] = []

    def solved(model: Any, columns: Any, size: int, wanted: Any) -> Any:
        asked.append(size)
        return solve_table(model, columns, size, wanted)

    monkeypatch.setattr(closed_knees, "solve_table", solved)
    found = knee(closed(TWO, f"{visit('cpu', '0.12 s')}, {visit('disk', '0.05 s')}", "5 s"))[0]
    assert found.saturating == "cpu"
    assert asked == [1]


def test_a_response_of_zero_is_no_unit_of_curvature() -> None:
    """Customers of no demand, who leave work behind: their response is 0 until they queue for it."""
    steps = [{"station": "a", "time": "0 s"}, {"phase": 2, "station": "b", "time": "0.3 s"}]
    classes = {"user": {"population": "users", "think_time": "0.35 s", "steps": steps}}
    stations = {"a": {}, "b": {"discipline": "ps"}}
    given = {"title": "nothing", "parameters": {"users": 20}, "stations": stations, "classes": classes}
    rows = {row["definition"]: row for row in qnet.loads(given).knee().records()}
    assert rows["n_star"]["status"] == "ok"
    assert str(rows["curvature"]["status"]).startswith("the response of one customer is 0")


def test_stations_without_demand_have_no_knee() -> None:
    steps = [{"hold": "door", "steps": [{"station": "a", "time": "0 s"}]}]
    classes = {"user": {"population": "users", "think_time": "0.2 s", "steps": steps}}
    given = {"title": "nothing", "parameters": {"users": 20}, "stations": {"door": {}, "a": {}}, "classes": classes}
    with pytest.raises(qnet.NoAnswer, match="never queue"):
        qnet.loads(given).knee()
