"""Knees against closed forms, against every population solved one after the other, and against each other."""

import importlib
import math
from typing import Any

import pytest

import qnet
from qnet.errors import NoAnswer, UsageError
from qnet.model.metrics import metric
from qnet.networks.wanted import AUTO
from qnet.questions.answers import solve_table
from qnet.questions.knee import around, knee
from qnet.questions.knee_axes import apportioned
from qnet.questions.knee_report import COLUMNS, knee_report

np: Any = importlib.import_module("numpy")

CLOSED = """
qnet = 1
title = "closed"
[parameters]
users = {{ value = 10, range = [0, {last}] }}
{parameters}
[stations]
{stations}
[classes.user]
population = "users"
think_time = "{think}"
steps = [ {steps} ]
"""


@pytest.fixture
def model(tmp_path):
    """A function that loads a model from its text."""

    def made(text):
        path = tmp_path / "model.toml"
        path.write_text(text)
        return qnet.load(str(path))

    return made


@pytest.fixture
def closed(model):
    """A function that makes a closed class of its stations (name: table), steps and think time."""

    def made(stations, steps, think="0 s", last=100000, parameters=""):
        return model(CLOSED.format(stations=stations, steps=steps, think=think, last=last, parameters=parameters))

    return made


def visit(station, time):
    return f'{{ station = "{station}", time = "{time}" }}'


TWO = "cpu = {}\ndisk = {}"
ONE = "cpu = {}"


def by_definition(found):
    (item,) = found
    return {one.definition: one for one in item.knees}


def every_response(loaded, name, last, **columns):
    """Throughput and response at every population from 1 to the last, each a network of its own."""
    numbers = np.arange(1.0, last + 1)
    answers = solve_table(loaded, {name: numbers, **columns}, len(numbers))
    assert answers.answered.all()
    return tuple(answers.of(metric(text, loaded).expression) for text in ("throughput", "response"))


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


def repairman(count, service, think):
    """Throughput and response of `count` machines and one repairman: Kleinrock, Queueing Systems I (1975), 3.8."""
    weights = [1.0]
    for present in range(count):
        weights.append(weights[-1] * (count - present) * service / think)
    rate = (1 - weights[0] / sum(weights)) / service
    return rate, count / rate - think


SERVICE, THINK = 0.2, 7.0
CURVE = [repairman(count, SERVICE, THINK) for count in range(1, 140)]


@pytest.fixture
def machines(closed):
    return closed(ONE, visit("cpu", f"{SERVICE} s"), f"{THINK} s")


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


def test_the_curvature_of_the_repairman_is_largest_where_its_closed_form_bends_most(machines):
    star = (SERVICE + THINK) / SERVICE

    def bend(count):
        before, here, after = (CURVE[place - 1][1] / SERVICE for place in (count - 1, count, count + 1))
        slope = (after - before) / 2 * star
        return abs(after - 2 * here + before) * star**2 / (1 + slope**2) ** 1.5

    assert by_definition(knee(machines))["curvature"].value == max(range(2, 139), key=bend)


def test_one_step_beyond_is_one_customer_more(machines):
    (found,) = knee(machines, limits=["response <= 1 s"], definitions=["service_level"])
    answered, there, beyond = around(found)
    count = int(answered[0].value)
    response = metric("response", machines).expression
    assert there.of(response)[0] == pytest.approx(CURVE[count - 1][1], rel=1e-10)
    assert beyond.of(response)[0] == pytest.approx(CURVE[count][1], rel=1e-10)


def test_the_slope_tends_to_the_largest_demand(machines):
    report = knee_report(machines, limits=["response <= 15 s"], definitions=["service_level"])
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
    assert "QN615" in [note.code for note in knee_report(loaded, limits=["throughput >= 5/s"]).notes]


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
    report = knee_report(loaded, limits=["response <= 1 s"], definitions=["service_level"], asserted=["users >= 190"])
    found = by_definition(knee(loaded, limits=["response <= 1 s"], definitions=["service_level"]))["service_level"]
    assert 190 <= found.value <= 200
    assert not report.broken
    _, response = every_response(loaded, "users", 220)
    assert response[219] > 2


# Several classes


MIXED = """
qnet = 1
title = "two closed classes and one open"
[parameters]
queries = { value = 12, range = [0, 300] }
jobs = { value = 4, range = [0, 300] }
rate = { value = "2/s", unit = "/s" }
[stations]
cpu = { discipline = "ps" }
disk = { discipline = "ps" }
[classes.query]
population = "queries"
think_time = "6 s"
steps = [ { station = "cpu", time = "0.1 s" }, { station = "disk", time = "0.2 s" } ]
[classes.job]
population = "jobs"
think_time = "1 s"
steps = [ { station = "cpu", time = "0.9 s" }, { station = "disk", time = "0.05 s" } ]
[classes.web]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "0.1 s" }, { station = "disk", time = "0.05 s" } ]
"""


def test_the_light_load_of_a_mix_is_that_of_its_classes_together(model):
    """N* of a mix: where the stations' load by customers who never wait for each other fills what web leaves."""
    found = {item.axis.name: item for item in knee(model(MIXED), definitions=["n_star"])}
    cpu, disk = 1 - 2 * 0.1, 1 - 2 * 0.05
    query, job = 0.1 / cpu + 0.2 / disk + 6, 0.9 / cpu + 0.05 / disk + 1
    by_cpu = (0.75 * 0.1 / query + 0.25 * 0.9 / job) / cpu
    by_disk = (0.75 * 0.2 / query + 0.25 * 0.05 / job) / disk
    assert found["mix of queries, jobs"].knees[0].real == pytest.approx(1 / max(by_cpu, by_disk), rel=1e-12)
    assert set(found) == {"mix of queries, jobs", "queries", "jobs", "rate"}


def test_a_class_alone_grows_beside_the_others_as_they_stand(model):
    loaded = model(MIXED)
    limit = "response('query') <= 2 s"
    (found,) = knee(loaded, vary="queries", limits=[limit], definitions=["service_level"])
    numbers = np.arange(1.0, 60)
    response = solve_table(loaded, {"queries": numbers}, len(numbers)).of(
        metric("response('query')", loaded).expression
    )
    assert found.knees[0].value == np.flatnonzero(response <= 2)[-1] + 1


def test_along_a_mix_all_classes_grow_in_proportion(model):
    loaded = model(MIXED)
    limit = "response('query') <= 2 s"
    found = {item.axis.name: item for item in knee(loaded, limits=[limit], definitions=["service_level"])}
    item = found["mix of queries, jobs"]
    populations = [apportioned(total, (0.75, 0.25)) for total in range(1, 60)]
    columns = {"queries": [float(one) for one, _ in populations], "jobs": [float(other) for _, other in populations]}
    response = solve_table(loaded, columns, len(populations)).of(metric("response('query')", loaded).expression)
    total = int(np.flatnonzero(response <= 2)[-1]) + 1
    assert item.knees[0].value == total
    queries, jobs = apportioned(total, (0.75, 0.25))
    assert item.axis.setting(total) == f"queries={queries}, jobs={jobs}"


@pytest.mark.parametrize("weights", [(0.5, 0.5), (25 / 29, 4 / 29), (0.1, 0.2, 0.7), (0.97, 0.01, 0.01, 0.01)])
def test_shares_of_whole_numbers_are_near_sum_up_and_never_fall(weights):
    before = [0] * len(weights)
    for total in range(1, 200):
        parts = apportioned(total, weights)
        assert sum(parts) == total
        assert all(part >= old for part, old in zip(parts, before, strict=True))
        assert all(abs(part - total * weight) < 1.5 for part, weight in zip(parts, weights, strict=True))
        before = parts


def test_populations_without_a_parameter_can_grow_too(model):
    loaded = model(MIXED.replace('population = "jobs"', "population = 4"))
    found = {item.axis.name: item for item in knee(loaded, definitions=["n_star"])}
    expected = {item.axis.name: item for item in knee(model(MIXED), definitions=["n_star"])}
    assert found["population of job"].knees[0].real == expected["jobs"].knees[0].real
    name = "mix of queries, population of job"
    assert found[name].knees[0].real == pytest.approx(expected["mix of queries, jobs"].knees[0].real, rel=1e-14)


# Open classes


OPEN = """
qnet = 1
title = "open"
[parameters]
rate = "1/s"
[stations]
cpu = {}
disk = {}
[classes.job]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "0.2 s" }, { station = "disk", time = "0.2 s" } ]
"""


def test_the_knees_of_equal_queues_are_those_of_the_closed_form(model):
    """Of K equal queues R = K S / (1 - rate S): twice the floor and the best power at half, a load of one each."""
    found = by_definition(knee(model(OPEN), limits=["response <= 1 s"], multiple=2))
    assert found["multiple"].value == pytest.approx(2.5, rel=1e-11)
    assert found["power"].value == pytest.approx(2.5, rel=1e-8)
    assert found["service_level"].value == pytest.approx((1 - 0.4) / 0.2, rel=1e-11)
    assert found["saturation"].value == pytest.approx(5.0, rel=1e-11)


@pytest.mark.parametrize("multiple", [1.01, 3.0, 50.0, 4000.0])
def test_the_rate_at_a_multiple_of_the_floor(model, multiple):
    found = by_definition(knee(model(OPEN), multiple=multiple))
    assert found["multiple"].value == pytest.approx(5 * (1 - 1 / multiple), rel=1e-10)


def test_general_service_has_its_best_power_with_one_customer_present(model):
    """Kleinrock (1979): of M/G/1 power is highest where the mean number present is one."""
    text = OPEN.replace('time = "0.2 s" }, { station = "disk", time = "0.2 s" }', 'time = "0.2 s", scv = 4 }')
    loaded = model(text.replace("disk = {}\n", ""))
    rate = by_definition(knee(loaded))["power"].value
    found = solve_table(loaded, {"rate": [rate]}, 1).of(metric("queue_length('cpu')", loaded).expression)
    assert found[0] == pytest.approx(1.0, rel=1e-6)


def test_open_classes_grow_in_their_mix_and_alone(model):
    text = OPEN + '[classes.other]\narrival_rate = "3/s"\nsteps = [ { station = "cpu", time = "0.05 s" } ]\n'
    found = {item.axis.name: item for item in knee(model(text), definitions=["saturation"])}
    assert found["mix of rate, arrival rate of other"].knees[0].value == pytest.approx(4 / 0.35, rel=1e-11)
    assert found["rate"].knees[0].value == pytest.approx((1 - 0.15) / 0.2, rel=1e-11)
    assert found["arrival rate of other"].knees[0].value == pytest.approx((1 - 0.2) / 0.05, rel=1e-11)


def test_open_load_beside_closed_classes_takes_its_part_beforehand(model):
    found = {item.axis.name: item for item in knee(model(MIXED), definitions=["saturation", "multiple"])}
    knees = {one.definition: one for one in found["rate"].knees}
    assert knees["saturation"].value == pytest.approx(10.0, rel=1e-11)
    web = metric("response('web')", found["rate"].axis.model).expression
    response = solve_table(found["rate"].axis.model, {"rate": [1e-9, knees["multiple"].value]}, 2).of(web)
    assert response[1] == pytest.approx(2 * response[0], rel=1e-8)


# Large populations


def test_a_million_users_are_answered_approximately_and_say_so(closed):
    """Far from saturation and far beyond it the curve is its asymptotes: R = N D - Z, and R = D."""
    loaded = closed(ONE, visit("cpu", "0.01 ms"), "10 s", last=1e8)
    (found,) = knee(loaded, limits=["response <= 1 s"], definitions=["n_star", "service_level", "power"])
    knees = {one.definition: one for one in found.knees}
    assert knees["n_star"].real == pytest.approx(1_000_001, rel=1e-12)
    assert knees["service_level"].real == pytest.approx(1_100_000, rel=1e-5)
    _, there, _ = around(found)
    assert not there.exact
    assert "QN601" in [note.code for note in knee_report(loaded, definitions=["power"]).notes]


def test_few_solves_are_needed(closed):
    loaded = closed(ONE, visit("cpu", "0.01 ms"), "10 s", last=1e8)
    (found,) = knee(loaded, limits=["response <= 1 s"])
    assert len(found.curve.known) < 1000


# What is asked and what is refused


def test_a_method_that_is_asked_for_is_used(machines):
    (found,) = knee(machines, limits=["response <= 1 s"], wanted=AUTO.replace(method="bard-schweitzer"))
    assert around(found)[1].methods == ("bard-schweitzer",)


def test_only_the_definitions_that_are_asked_for_are_told(machines):
    assert set(by_definition(knee(machines, definitions=["power", "n_star"]))) == {"n_star", "power"}


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"vary": "nobody"}, "QN004"),
        ({"vary": "over"}, "QN017"),
        ({"definitions": ["elbow"]}, "QN018"),
        ({"multiple": 1.0}, "QN018"),
        ({"limits": ["response"]}, "QN110"),
    ],
)
def test_what_means_nothing_is_refused(closed, options, code):
    loaded = closed(ONE, visit("cpu", "over"), "1 s", parameters='over = "1 ms"')
    with pytest.raises(UsageError) as caught:
        knee(loaded, **options)
    assert caught.value.problems[0].code == code


def test_a_share_of_customers_brings_none(model):
    text = MIXED.replace('population = "jobs"', 'population = "12 - queries"')
    with pytest.raises(UsageError, match="whatever it is") as caught:
        knee(model(text.replace("range = [0, 300]", "range = [0, 12]")), vary="queries")
    assert caught.value.problems[0].code == "QN017"


def test_customers_of_several_parameters_need_a_name(model):
    text = CLOSED.format(stations=ONE, steps=visit("cpu", "0.1 s"), think="10 s", last=100, parameters="sites = 3")
    loaded = model(text.replace('population = "users"', 'population = "people * sites"').replace("users =", "people ="))
    with pytest.raises(UsageError, match="people") as caught:
        knee(loaded)
    assert caught.value.problems[0].code == "QN017"
    assert by_definition(knee(loaded, vary="people"))["n_star"].real == pytest.approx(101 / 3, rel=1e-11)


def test_a_population_behind_other_parameters_is_found(model):
    """Two customers for each of the users: the knee is told in users, and in customers where those are told."""
    text = CLOSED.format(stations=ONE, steps=visit("cpu", "0.1 s"), think="10 s", last=900, parameters="")
    text = text.replace('population = "users"', 'population = "present"')
    loaded = model(text.replace("[stations]", 'present = "2 * users"\n[stations]'))
    report = knee_report(loaded, definitions=["n_star"])
    assert by_definition(knee(loaded))["n_star"].real == pytest.approx(101 / 2, rel=1e-11)
    told = dict(zip([column.key for column in COLUMNS], report.rows[0], strict=False))
    assert told["population_real"] == pytest.approx(101, rel=1e-11)
    assert (told["population"], told["setting"]) == (100, "users=50")


def test_customers_who_never_queue_have_no_knee(closed):
    with pytest.raises(NoAnswer, match="never queue") as caught:
        knee(closed(ONE, '{ delay = "1 s" }', "1 s"))
    assert caught.value.problems[0].code == "QN404"


def test_a_range_without_a_customer_has_no_knee(model):
    text = CLOSED.format(stations=ONE, steps=visit("cpu", "1 s"), think="1 s", last=0.5, parameters="")
    with pytest.raises(NoAnswer, match="one customer") as caught:
        knee(model(text.replace("value = 10", "value = 0")))
    assert caught.value.problems[0].code == "QN404"


def test_open_customers_who_never_queue_have_no_knee(model):
    text = OPEN.replace(
        '{ station = "cpu", time = "0.2 s" }, { station = "disk", time = "0.2 s" }', '{ delay = "1 s" }'
    )
    with pytest.raises(NoAnswer) as caught:
        knee(model(text))
    assert caught.value.problems[0].code == "QN404"


# Assertions


@pytest.mark.parametrize(
    ("text", "true"),
    [("users >= 30", True), ("users >= 1000", False), ("response <= 1 s", True), ("response <= 0.5 s", False)],
)
def test_an_assertion_is_judged_where_the_knee_is(machines, text, true):
    asked = {"limits": ["response <= 1 s"], "definitions": ["service_level"]}
    assert bool(knee_report(machines, asserted=[text], **asked).broken) is not true


def test_a_knee_that_does_not_exist_breaks_every_assertion(machines):
    report = knee_report(machines, limits=["response <= 0.1 s"], definitions=["service_level"], asserted=["users >= 0"])
    assert [problem.code for problem in report.broken] == ["QN608"]


def test_a_loaded_system_answers_as_the_command_does(machines):
    assert (
        machines.knee(limits=["response <= 1 s"]).records()
        == knee_report(machines, limits=["response <= 1 s"]).records()
    )
