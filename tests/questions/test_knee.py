"""Knees against closed forms, against every population solved one after the other, and against each other."""

import importlib
import math
from typing import Any

import pytest

import qnet
from qnet.errors import NoAnswer, NotComputed, UsageError
from qnet.model.metrics import metric
from qnet.networks.wanted import AUTO
from qnet.questions.answers import solve_table
from qnet.questions.knee import around, knee
from qnet.questions.knee_axes import apportioned
from qnet.questions.knee_report import COLUMNS, knee_report
from qnet.units import format_quantity

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
    assert found.status.startswith("largest at the least number looked at")


def test_power_that_falls_from_the_beginning_of_the_range_has_no_knee(model):
    text = CLOSED.format(stations=ONE, steps=visit("cpu", "0.2 s"), think="7 s", last=100, parameters="")
    loaded = model(text.replace("value = 10, range = [0, ", "value = 95, range = [90, "))
    found = by_definition(knee(loaded, limits=["response <= 12.1 s"]))
    assert found["n_star"].status == "at 36, beyond the range"
    assert found["service_level"].value == max(count for count in range(90, 101) if CURVE[count - 1][1] <= 12.1)
    assert found["power"].status == "largest at the least number looked at, 90"


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


def mixed(loaded, *limits, definitions=("service_level",)):
    """What is found along the mix of all closed classes."""
    found = knee(loaded, limits=limits, definitions=definitions)
    return next(item for item in found if item.axis.mix)


WORKLOADS = "examples/two-workloads.toml"


def test_along_a_mix_all_classes_grow_in_proportion(model):
    """Every fourth customer is a job: where the numbers are whole, the curve is the solution there."""
    loaded = model(MIXED)
    totals = np.arange(4.0, 61.0, 4.0)
    answers = solve_table(loaded, {"queries": 0.75 * totals, "jobs": 0.25 * totals}, len(totals))
    here = mixed(loaded, "response('query') <= 2 s").curve.answers(totals)
    for figure in ("response('query')", "throughput('job')", "utilization('cpu')", "queue_length('disk')", "response"):
        expression = metric(figure, loaded).expression
        assert here.of(expression) == pytest.approx(answers.of(expression), rel=1e-12), figure


def test_a_service_level_of_a_mix_is_between_the_whole_populations_that_keep_and_break_it(model):
    loaded = model(MIXED)
    item = mixed(loaded, "response('query') <= 2 s")
    (found,) = item.knees
    totals = np.array([4 * math.floor(found.real / 4), 4 * math.ceil(found.real / 4)])
    answers = solve_table(loaded, {"queries": 0.75 * totals, "jobs": 0.25 * totals}, 2)
    low, high = answers.of(metric("response('query')", loaded).expression)
    assert low <= 2 < high
    queries, jobs = apportioned(int(found.value), (0.75, 0.25))
    assert item.axis.setting(found.value) == f"queries={queries}, jobs={jobs}"


def test_littles_law_holds_between_the_whole_populations_of_a_mix(model):
    """N = X (R + Z) of each class at every number of customers, with the exact share of the class as N."""
    loaded = model(MIXED)
    totals = np.arange(1.0, 40.0)
    here = mixed(loaded, "response <= 2 s").curve.answers(totals)
    for name, share, think in (("query", 0.75, 6.0), ("job", 0.25, 1.0)):
        rate, time = (here.of(metric(f"{of}('{name}')", loaded).expression) for of in ("throughput", "response"))
        assert rate * (time + think) == pytest.approx(share * totals, rel=1e-11)


@pytest.mark.parametrize(("path", "limit"), [(WORKLOADS, "response <= 3 s"), (None, "response('query') <= 2 s")])
def test_a_mix_of_growing_numbers_takes_longer_and_longer(model, path, limit):
    """Rounded to whole customers of each class, the mean response falls wherever a quick one comes in."""
    loaded = qnet.load(path) if path else model(MIXED)
    asked = ("service_level", "power")
    item = mixed(loaded, limit, definitions=asked)
    response = item.curve.read(np.arange(1.0, 60.0), lambda place: place.response)
    assert (np.diff(response) > 0).all()
    assert all(not one.also for one in item.knees)
    answered, there, beyond = around(item)
    assert {one.definition for one in answered} == set(asked)
    expression = metric("response", loaded).expression
    assert (beyond.of(expression) > there.of(expression)).all()


def test_the_slopes_of_a_mix_are_told_with_how_it_is_read(model):
    definitions = ["n_star", "service_level", "power"]
    report = knee_report(qnet.load(WORKLOADS), limits=["response <= 3 s"], definitions=definitions)
    keys = [column.key for column in COLUMNS]
    slopes = [row[keys.index("slope")] for row in report.rows if row[0] == "mix of users, jobs"]
    assert len(slopes) == 3
    assert min(slopes) > 0
    assert "QN648" in [note.code for note in report.notes]


def test_a_limit_that_the_first_customer_of_a_mix_breaks_has_no_knee():
    """The first customer is a job in 4 of 29 cases, and all jobs take seconds."""
    item = mixed(qnet.load(WORKLOADS), "response <= 1 s")
    assert item.floor > 1
    assert [one.status for one in item.knees] == ["exceeded by the first customer"]


def test_the_proportions_of_a_mix_do_not_depend_on_its_size(model):
    """A mix of 12 and 4 is one of 3 and 1."""
    smaller = MIXED.replace("value = 12,", "value = 3,").replace("value = 4,", "value = 1,")
    limits = ("throughput('query') <= 2/s", "utilization('cpu') <= 0.8")
    found, same = (mixed(model(text), *limits, definitions=("service_level", "n_star")) for text in (MIXED, smaller))
    assert [one.real for one in found.knees] == pytest.approx([one.real for one in same.knees], rel=1e-9)


def test_a_mix_begins_where_what_is_shared_among_customers_has_a_meaning(model):
    """Of 3 queries to a job the first three customers would be parted into less than one job."""
    loaded = model(MIXED.replace('think_time = "1 s"', 'think_time = "4 s / jobs"'))
    (found,) = mixed(loaded, "response <= 3 s").knees
    assert found.status == "ok"
    assert found.value >= 4


ALIKE = """
qnet = 1
title = "two names for one"
[parameters]
some = { value = 2, range = [0, 500] }
others = { value = 1, range = [0, 500] }
[stations]
cpu = { discipline = "ps" }
[classes.some]
population = "some"
think_time = "7 s"
steps = [ { station = "cpu", time = "0.2 s" } ]
[classes.others]
population = "others"
think_time = "7 s"
steps = [ { station = "cpu", time = "0.2 s" } ]
"""


def test_a_mix_of_classes_that_are_alike_is_one_class(model):
    item = mixed(model(ALIKE), "response <= 1 s", definitions=("service_level", "n_star"))
    knees = {one.definition: one for one in item.knees}
    assert knees["n_star"].real == pytest.approx((SERVICE + THINK) / SERVICE, rel=1e-12)
    totals = np.array([3.0, 15.0, 36.0, 45.0])
    response = item.curve.read(totals, lambda place: place.response)
    assert response == pytest.approx([CURVE[int(total) - 1][1] for total in totals], rel=1e-9)
    assert knees["service_level"].value == max(count for count, (_, time) in enumerate(CURVE, 1) if time <= 1.0)


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


# Chains, whose customers change between classes on their way

CHAIN = """
qnet = 1
title = "a chain of two classes"
[parameters]
users = { value = 20, range = [0, 500] }
[stations]
cpu = { discipline = "ps", servers = 2 }
disk = { discipline = "ps" }
[chains.user]
population = "users"
[chains.user.classes]
asking = { service = { think = "4 s", cpu = "0.1 s", disk = "0.05 s" } }
paging = { service = { cpu = "0.2 s", disk = "0.1 s" } }
[chains.user.routing]
asking.think = { asking.cpu = 1 }
asking.cpu = { asking.disk = 0.5, paging.cpu = 0.25, asking.think = 0.25 }
asking.disk = { asking.think = 1 }
paging.cpu = { paging.disk = 1 }
paging.disk = { asking.think = 1 }
"""

MERGED = """
qnet = 1
title = "the same demands without classes"
[parameters]
users = { value = 20, range = [0, 500] }
[stations]
cpu = { discipline = "ps", servers = 2 }
disk = { discipline = "ps" }
[classes.user]
population = "users"
think_time = "4 s"
steps = [
  { station = "cpu", time = "0.1 s + 0.25 * 0.2 s" },
  { station = "disk", time = "0.5 * 0.05 s + 0.25 * 0.1 s" },
]
"""

WEB = """
[classes.web]
arrival_rate = "1.5/s"
steps = [ { station = "cpu", time = "0.2 s" }, { station = "disk", time = "0.05 s" } ]
[classes.job]
population = 3
think_time = "1 s"
steps = [ { station = "cpu", time = "0.3 s" }, { station = "disk", time = "0.2 s" } ]
"""


@pytest.mark.parametrize(
    ("beside", "vary", "asked"),
    [("", "", []), ("", "users", []), (WEB, "users", []), (WEB, "", ["n_star", "saturation"])],
)
def test_a_chain_has_the_knees_of_one_class_with_its_demands(model, beside, vary, asked):
    """A chain of product form has the figures of one class with the same demands: Baskett and others (1975)."""
    limits = ["response('user') <= 0.4 s", "throughput('user') >= 3/s"]
    expected = knee(model(MERGED + beside), vary, limits, definitions=asked)
    found = knee(model(CHAIN + beside), vary, limits, definitions=asked)
    # Chains come after the classes, so that an axis may stand elsewhere.
    by_name = {one.axis.name.replace("users, population of job", "population of job, users"): one for one in expected}
    assert {one.axis.name for one in found} == by_name.keys()
    for item in found:
        other = by_name[item.axis.name]
        assert [one.status for one in item.knees] == [one.status for one in other.knees]
        assert item.saturating == other.saturating
        assert item.floor == pytest.approx(other.floor, rel=1e-9)
        for one, same in zip(item.knees, other.knees, strict=True):
            assert one.definition == same.definition
            assert one.value == (None if same.value is None else pytest.approx(same.value, rel=1e-6))


def test_n_star_of_an_open_load_on_a_chain_is_by_what_it_leaves(model):
    (found,) = knee(model(CHAIN + WEB.split("[classes.job]")[0]), vary="users", definitions=["n_star"])
    cpu, disk = 1 - 1.5 * 0.2 / 2, 1 - 1.5 * 0.05
    shares = 0.15 / 2 / cpu, 0.05 / disk
    assert found.knees[0].real == pytest.approx((found.floor + 4) / max(shares), rel=1e-9)


OPEN_CHAIN = """
qnet = 1
title = "an open chain"
[parameters]
rate = "1/s"
[stations]
desk = { servers = 2, discipline = "ps" }
expert = { discipline = "ps" }
[chains.ticket]
arrival_rate = "rate"
[chains.ticket.classes]
easy = { service = { desk = "0.1 s" } }
hard = { service = { expert = "0.3 s" } }
[chains.ticket.routing]
outside = { easy.desk = 1 }
easy.desk = { hard.expert = 0.25, outside = 0.75 }
hard.expert = { easy.desk = 0.2, outside = 0.8 }
"""


def test_an_open_chain_saturates_with_its_busiest_station(model):
    """A ticket is at the desk v times, and with the expert v / 4 times: v = 1 + v / 20."""
    visits = 1 / (1 - 0.25 * 0.2)
    (found,) = knee(model(OPEN_CHAIN), definitions=["saturation"])
    assert found.knees[0].value == pytest.approx(min(2 / (visits * 0.1), 4 / (visits * 0.3)), rel=1e-9)
    assert found.saturating == "expert"


@pytest.mark.parametrize("definition", ["saturation", "multiple", "service_level"])
def test_a_definition_that_no_axis_has_is_refused_and_passes_no_assertion(machines, definition):
    with pytest.raises(UsageError) as caught:
        knee_report(machines, definitions=[definition], asserted=["users >= 1"])
    assert caught.value.problems[0].code == "QN018"


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
    with pytest.raises(
        NoAnswer, match="n_star along users, power along users, curvature along users: its customers never queue"
    ) as caught:
        knee_report(closed(ONE, '{ delay = "1 s" }', "1 s"))
    assert caught.value.problems[0].code == "QN404"


JOBS = """
qnet = 1
title = "users and jobs without think time"
[stations]
cpu = {{ discipline = "{discipline}" }}
[classes.user]
population = 5
think_time = "5 s"
steps = [ {{ station = "cpu", time = "100 ms" }} ]
[classes.job]
population = 2
steps = [ {job} ]
[classes.request]
arrival_rate = "1/s"
steps = [ {{ station = "cpu", time = "50 ms" }} ]
"""


def test_jobs_that_never_queue_leave_the_others_their_knees(model):
    """A class in delays alone has none; along the mix, and along the users beside it, there are."""
    found = knee(model(JOBS.format(discipline="ps", job='{ delay = "1 s" }')))
    known = {item.axis.name: {one.definition: one.status for one in item.knees} for item in found if item.axis.closed}
    users = known["population of user"]
    assert users["n_star"] == known["mix of population of user, population of job"]["n_star"] == "ok"
    assert all("never queue" in status for status in known["population of job"].values())


def test_a_class_without_think_time_that_has_no_answer_alone_is_not_told_to_never_queue(model):
    """Alone it keeps the only station busy, beside arrivals: what that network says is the answer."""
    loaded = model(JOBS.format(discipline="fcfs", job=visit("cpu", "0.5 s")))
    with pytest.raises(NotComputed) as caught:
        knee(loaded)
    assert caught.value.problems[0].code == "QN511"


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
    asked = {"limits": ["response <= 0.1 s"], "definitions": ["service_level", "power"]}
    report = knee_report(machines, asserted=["users >= 0"], **asked)
    assert [problem.code for problem in report.broken] == ["QN608"]


def test_a_false_assertion_names_the_knees_where_it_is_false(machines):
    asked = {"limits": ["response <= 1 s"], "definitions": ["service_level", "power", "n_star"]}
    (problem,) = knee_report(machines, definitions=["n_star", "power"], asserted=["users >= 37"]).broken
    assert "found 36 at n_star along users, and false at power along users" in problem.found
    (problem,) = knee_report(machines, asserted=["response <= 0.9 s"], **asked).broken
    assert "service_level (response <= 1 s) along users" in problem.found


def test_where_no_definition_has_a_knee_there_is_no_answer(machines):
    with pytest.raises(NoAnswer, match="exceeded by the first customer") as caught:
        knee_report(machines, limits=["response <= 0.1 s"], definitions=["service_level"])
    assert caught.value.problems[0].code == "QN404"


@pytest.mark.parametrize(
    ("text", "definition", "possible"),
    [
        ("closed", "service_level", "--limit"),
        ("closed", "multiple", "n_star"),
        ("closed", "saturation", "n_star"),
        ("open", "n_star", "saturation"),
        ("open", "curvature", "saturation"),
    ],
)
def test_a_definition_that_nothing_here_has_is_refused(model, machines, text, definition, possible):
    with pytest.raises(UsageError) as caught:
        knee(machines if text == "closed" else model(OPEN), definitions=["power", definition])
    (problem,) = caught.value.problems
    assert problem.code == "QN018"
    assert definition in problem.found
    assert possible in (problem.expected or "")


def test_an_approximate_curve_says_why(model):
    """Each solve has its part of the budget, so that a model may be exact alone and its curve not."""
    report = knee_report(qnet.load("examples/many-tenants.toml"), definitions=["power"])
    assert report.rows[0][-1] == "approximate"
    (why,) = [note.text for note in report.notes if note.code == "QN607"]
    assert "too large for an exact answer" in why


def test_a_loaded_system_answers_as_the_command_does(machines):
    assert (
        machines.knee(limit="response <= 1 s").records() == knee_report(machines, limits=["response <= 1 s"]).records()
    )


# What a model asks of its knee


def test_service_levels_that_a_model_states_are_asked_where_no_other_is(closed):
    stated = closed("cpu = {}", visit("cpu", "1 s"), "10 s", parameters='[knee]\nlimit = "response <= 5 s"')
    (row,) = knee_report(stated, definitions=["service_level"]).records()
    asked = knee_report(stated, limits=["response <= 2 s"], definitions=["service_level"]).records()
    assert row["about"] == "response <= 5 s"
    assert [item["about"] for item in asked] == ["response <= 2 s"]


def test_a_model_states_along_what_its_knee_is(model):
    """Of two classes that could grow, and their mix, the one that is stated."""
    loaded = model(MIXED + '[knee]\nvary = "queries"\nlimit = "response <= 1.6 s"\n')
    assert {row["along"] for row in knee_report(loaded).records()} == {"queries"}
    assert {row["along"] for row in knee_report(loaded, vary="rate").records()} == {"rate"}


# What a response is the response of


@pytest.mark.parametrize(("vary", "bound"), [("queries", 1.6), ("rate", 3.0)])
def test_a_limit_of_the_response_is_of_the_response_that_is_told(model, vary, bound):
    """The mean over all classes, as everywhere; what only those that grow see stands under a name of its own."""
    loaded, limit = model(MIXED), f"response <= {bound} s"
    report = knee_report(loaded, vary=vary, limits=[limit], definitions=["service_level"], asserted=[limit])
    assert not report.broken
    told = dict(zip([column.key for column in COLUMNS], report.rows[0], strict=False))
    assert told["response"] <= bound * (1 + 1e-9) <= told["response_beyond"]
    assert told["growing_response"] != pytest.approx(told["response"], rel=0.01)
    assert told["growing"] == {"queries": "query", "rate": "web"}[vary]
    setting = {vary: [told["population"] or told["rate"]]}
    answers = solve_table(loaded, setting, 1)
    for figure in ("response", "throughput"):
        everybody, own = figure, f"{figure}('{told['growing']}')"
        assert told[figure] == pytest.approx(answers.of(metric(everybody, loaded).expression)[0], rel=1e-9)
        assert told[f"growing_{figure}"] == pytest.approx(answers.of(metric(own, loaded).expression)[0], rel=1e-9)
    (floor,) = [note.text for note in report.notes if note.code == "QN616"]
    assert f"the first customer of {told['growing']} " in floor
    first = solve_table(loaded, {vary: [1.0 if vary == "queries" else 1e-9]}, 1)
    assert format_quantity(first.of(metric("response", loaded).expression)[0], "s", 6) in floor


def test_where_all_classes_grow_there_is_one_response(machines):
    (row,) = knee_report(machines, definitions=["power"]).rows
    told = dict(zip([column.key for column in COLUMNS], row, strict=False))
    assert told["growing"] is None
    assert told["growing_response"] is None
