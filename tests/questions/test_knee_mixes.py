"""Knees of several closed classes: along their mix, in exact proportions, and along each alone."""

import importlib
import math
from typing import Any

import pytest
from knees import CURVE, MIXED, SERVICE, THINK

import qnet
from qnet.model.metrics import metric
from qnet.questions.knee.axes import apportioned
from qnet.questions.knee.knee import around, knee
from qnet.questions.knee.report import COLUMNS, knee_report
from qnet.questions.points.answers import solve_table

np: Any = importlib.import_module("numpy")


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
    answered, there, beyond = around([item])[0]
    assert {one.definition for one in answered} == set(asked)
    expression = metric("response", loaded).expression
    assert (np.array([point.overall[1] for point in beyond]) > there.of(expression)).all()


def test_the_slopes_of_a_mix_are_told_with_how_it_is_read(model):
    definitions = ["n_star", "service_level", "power"]
    report = knee_report(qnet.load(WORKLOADS), limit=["response <= 3 s"], definition=definitions)
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
