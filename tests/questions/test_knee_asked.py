"""What is asked of knees, what is refused, and what is asserted."""

import pytest
from knees import CLOSED, MIXED, ONE, OPEN, by_definition, visit

import qnet
from qnet.errors import NoAnswer, UsageError
from qnet.model.metrics import metric
from qnet.networks.wanted import AUTO
from qnet.questions.knee.knee import around, knee
from qnet.questions.knee.report import COLUMNS, knee_report
from qnet.questions.points.answers import solve_table
from qnet.units import format_quantity

# What is asked and what is refused


def test_a_method_that_is_asked_for_is_used(machines):
    (found,) = knee(machines, limits=["response <= 1 s"], wanted=AUTO.replace(method="bard-schweitzer"))
    assert around([found])[0][1].methods == ("bard-schweitzer",)


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
    with pytest.raises(UsageError, match="does not change the number of customers") as caught:
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
    report = knee_report(loaded, definition=["n_star"])
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


@pytest.mark.long
def test_jobs_that_never_queue_leave_the_others_their_knees(model):
    """A class in delays alone has none; along the mix, and along the users beside it, there are."""
    found = knee(model(JOBS.format(discipline="ps", job='{ delay = "1 s" }')))
    known = {item.axis.name: {one.definition: one.status for one in item.knees} for item in found if item.axis.closed}
    users = known["population of user"]
    assert users["n_star"] == known["mix of population of user, population of job"]["n_star"] == "ok"
    assert all("never queue" in status for status in known["population of job"].values())


@pytest.mark.long
def test_a_class_without_think_time_that_keeps_the_only_station_busy_has_its_knees(model):
    """Alone beside arrivals it is always served or waits: no knee says that it never queues."""
    found = knee(model(JOBS.format(discipline="fcfs", job=visit("cpu", "0.5 s"))))
    known = {item.axis.name: {one.definition: one.status for one in item.knees} for item in found if item.axis.closed}
    assert known["population of job"]["n_star"] == "ok"
    assert not any("never queue" in status for own in known.values() for status in own.values())


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
    asked = {"limit": ["response <= 1 s"], "definition": ["service_level"]}
    assert bool(knee_report(machines, asserted=[text], **asked).broken) is not true


def test_a_knee_that_does_not_exist_breaks_every_assertion(machines):
    asked = {"limit": ["response <= 0.1 s"], "definition": ["service_level", "power"]}
    report = knee_report(machines, asserted=["users >= 0"], **asked)
    assert [problem.code for problem in report.broken] == ["QN608"]


def test_a_false_assertion_names_the_knees_where_it_is_false(machines):
    asked = {"limit": ["response <= 1 s"], "definition": ["service_level", "power", "n_star"]}
    (problem,) = knee_report(machines, definition=["n_star", "power"], asserted=["users >= 37"]).broken
    assert "found 36 at n_star along users, and false at power along users" in problem.found
    (problem,) = knee_report(machines, asserted=["response <= 0.9 s"], **asked).broken
    assert "service_level (response <= 1 s) along users" in problem.found


def test_where_no_definition_has_a_knee_there_is_no_answer(machines):
    with pytest.raises(NoAnswer, match="exceeded by the first customer") as caught:
        knee_report(machines, limit=["response <= 0.1 s"], definition=["service_level"])
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
    report = knee_report(qnet.load("examples/index-shards.toml"), definition=["power"])
    assert report.rows[0][-1] == "approximate"
    (why,) = [note.text for note in report.notes if note.code == "QN607"]
    assert "too large for an exact answer" in why


def test_a_loaded_system_answers_as_the_command_does(machines):
    assert (
        machines.knee(limit="response <= 1 s").records() == knee_report(machines, limit=["response <= 1 s"]).records()
    )


# What a model asks of its knee


def test_service_levels_that_a_model_states_are_asked_where_no_other_is(closed):
    stated = closed("cpu = {}", visit("cpu", "1 s"), "10 s", parameters='[knee]\nlimit = "response <= 5 s"')
    (row,) = knee_report(stated, definition=["service_level"]).records()
    asked = knee_report(stated, limit=["response <= 2 s"], definition=["service_level"]).records()
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
    """The mean over all classes, as everywhere; what only those that grow see stands under another name."""
    loaded, limit = model(MIXED), f"response <= {bound} s"
    report = knee_report(loaded, vary=vary, limit=[limit], definition=["service_level"], asserted=[limit])
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
    assert f"response time of one customer of {told['growing']} " in floor
    first = solve_table(loaded, {vary: [1.0 if vary == "queries" else 1e-9]}, 1)
    assert format_quantity(first.of(metric("response", loaded).expression)[0], "s", 6) in floor


def test_where_all_classes_grow_there_is_one_response(machines):
    (row,) = knee_report(machines, definition=["power"]).rows
    told = dict(zip([column.key for column in COLUMNS], row, strict=False))
    assert told["growing"] is None
    assert told["growing_response"] is None
