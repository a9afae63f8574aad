"""`qnet sensitivity`: elasticities against closed forms, a theorem of product form, and dimensional analysis."""

import pytest

import qnet
from qnet.documents import parse as read
from qnet.errors import NoAnswer, NotComputed, UsageError
from qnet.model.load import build
from qnet.model.settings import with_settings
from qnet.questions.points.answers import OK
from qnet.questions.points.points import solve_points
from qnet.questions.sensitivity.sensitivity import (
    ABOVE,
    BELOW,
    CENTRAL,
    NEXT,
    PREVIOUS,
    sensitivity,
    sensitivity_report,
)
from qnet.units import Dimension

OPEN = """\
qnet = 1
title = "one queue"
[parameters]
rate = "8/s"
service = "100 ms"
double = "2 * service"
servers = { value = 1, range = [1, 3] }
spare = 5
share = { value = 0, range = [0, 1] }
[stations]
cpu = { servers = "servers" }
[classes.job]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "double / 2 * (1 + share)" } ]
"""

CLOSED = """\
qnet = 1
title = "two classes at two stations"
[parameters]
users = 6
jobs = 3
think = "2 s"
user_cpu = "200 ms"
user_disk = "300 ms"
job_cpu = "700 ms"
job_disk = "400 ms"
[stations]
cpu = { discipline = "ps" }
disk = { discipline = "ps" }
[classes.user]
population = "users"
think_time = "think"
steps = [ { station = "cpu", time = "user_cpu" }, { station = "disk", time = "user_disk" } ]
[classes.job]
population = "jobs"
steps = [ { station = "cpu", time = "job_cpu" }, { station = "disk", time = "job_disk" } ]
"""


def model_of(text):
    return build(read(text.encode(), "model.toml"), "model.toml")


def effects(model, *of, by=()):
    return {(item.metric.source, item.input.name, item.by): item for item in sensitivity(model, of, by).effects}


def elasticities(model, metric, by=()):
    return {name: item.elasticity for (_, name, _), item in effects(model, metric, by=by).items()}


@pytest.mark.parametrize("rate", ["1/s", "8/s", "9.9/s", "9.99/s"])
def test_the_response_of_one_queue(rate):
    model = with_settings(model_of(OPEN), {"rate": rate})
    rho = float(rate[:-2]) * 0.1
    found = elasticities(model, "response", by=["service", "rate"])
    assert found["service"] == pytest.approx(1 / (1 - rho), rel=1e-6)
    assert found["rate"] == pytest.approx(rho / (1 - rho), rel=1e-6)


def test_the_strongest_stand_first_and_those_without_elasticity_last():
    found = sensitivity(model_of(OPEN), ["response"]).effects
    assert [item.input.name for item in found] == ["service", "rate", "servers", "share"]


@pytest.mark.parametrize("rate", ["1/s", "3/s", "6/s", "8/s", "9/s"])
def test_parameters_of_which_only_the_ratio_counts_stand_in_the_order_of_the_model(rate):
    """Their elasticities differ by rounding errors, in the one direction or the other."""
    text = OPEN.replace('service = "100 ms"', 'work = 1e6\nspeed = "1e7/s"\nservice = "work / speed"')
    found = sensitivity(with_settings(model_of(text), {"rate": rate}), ["response"], ["work", "speed"]).effects
    assert [item.input.name for item in found] == ["work", "speed"]
    assert found[0].elasticity == pytest.approx(-found[1].elasticity, rel=1e-8)


def test_what_does_not_count_is_left_out_unless_it_is_asked_for():
    assert "spare" not in elasticities(model_of(OPEN), "response")
    assert elasticities(model_of(OPEN), "response", by=["spare"]) == {"spare": 0.0}


def test_a_parameter_of_the_metric_alone_counts():
    assert elasticities(model_of(OPEN), "spare * utilization('cpu')")["spare"] == pytest.approx(1, rel=1e-9)


def test_a_derived_parameter_is_moved_by_itself():
    found = elasticities(model_of(OPEN), "response", by=["double", "service"])
    assert found["double"] == pytest.approx(5, rel=1e-6)
    assert found["service"] == pytest.approx(5, rel=1e-6)


def test_at_zero_there_is_a_derivative_only_and_at_the_end_of_a_range_one_side():
    # dR/dshare = s / (1 - rho)^2 at share = 0.
    item = effects(model_of(OPEN), "response")["response", "share", ABOVE]
    assert item.elasticity is None
    assert item.derivative == pytest.approx(0.1 / 0.2**2, rel=1e-6)


def test_servers_have_the_difference_to_the_next_number():
    model = model_of(OPEN)
    one, two = (solve_points(with_settings(model, {"servers": n})).parts[0].solution.response for n in ("1", "2"))
    item = effects(model, "response")["response", "servers", NEXT]
    assert item.derivative == pytest.approx(two - one, rel=1e-12)
    last = effects(with_settings(model, {"servers": "3"}), "response")["response", "servers", PREVIOUS]
    assert last.derivative < 0


def test_users_have_the_difference_to_the_next_number():
    model = model_of(CLOSED)
    few, more = (solve_points(with_settings(model, {"users": n})).parts[0].solution.throughput for n in ("6", "7"))
    assert effects(model, "throughput")["throughput", "users", NEXT].derivative == pytest.approx(more - few, rel=1e-12)


def test_a_population_that_would_be_a_fraction_is_not_moved():
    text = CLOSED.replace('population = "jobs"', 'population = "users * part"').replace("jobs = 3", "part = 0.5")
    found = [item for item in sensitivity(model_of(text), ["response"]).effects if item.input.name == "part"]
    assert [item.status for item in found] == ["a population would be a fraction"]


@pytest.mark.parametrize("name", ["user", "job"])
@pytest.mark.parametrize(("of", "station"), [("user", "cpu"), ("user", "disk"), ("job", "cpu"), ("job", "disk")])
def test_throughputs_of_product_form_answer_to_demands_by_queue_lengths(name, of, station):
    # de Souza e Silva and Muntz 1988: (D_kr / X_s) dX_s / dD_kr = -(Q_kr(N) - Q_kr(N - 1_s)).
    model = model_of(CLOSED)
    less = with_settings(model, {"users": "5"} if name == "user" else {"jobs": "2"})
    queues = []
    for each in (model, less):
        visits = solve_points(each).parts[0].solution.visits
        (queue,) = [item.queue_length for item in visits if (item.class_name, item.name) == (of, station)]
        queues.append(queue)
    found = elasticities(model, f"throughput('{name}')", by=[f"{of}_{station}"])
    assert found[f"{of}_{station}"] == pytest.approx(-(queues[0] - queues[1]), rel=1e-7)


def test_thinking_answers_as_any_other_station():
    # The mean number that think is X Z.
    model = model_of(CLOSED)
    less = with_settings(model, {"users": "5"})
    more, fewer = (solve_points(each).parts[0].solution.classes[0].throughput * 2 for each in (model, less))
    assert elasticities(model, "throughput('user')", by=["think"])["think"] == pytest.approx(fewer - more, rel=1e-7)


@pytest.mark.parametrize(
    ("name", "settings", "metric", "dimension"),
    [
        ("ibm-3990-6", {}, "response", Dimension(time=1)),
        ("ibm-3990-6", {"write_fraction": "0.3", "skew": "2"}, "response", Dimension(time=1)),
        ("ibm-3990-6", {"write_fraction": "0.2"}, "utilization('back_end')", Dimension()),
        ("ibm-3990-6", {}, "data_rate", Dimension(time=-1, data=1)),
    ],
)
def test_elasticities_add_up_to_the_dimensions(name, settings, metric, dimension):
    # Euler: a figure of dimension s^a B^b is homogeneous of degree a in seconds and b in bytes of all parameters.
    model = with_settings(qnet.load(name), settings)
    found = elasticities(model, metric)
    dimensions = {key: model.parameters[key].dimension for key in found if found[key] is not None}
    assert sum(dimensions[key].time * found[key] for key in dimensions) == pytest.approx(dimension.time, abs=1e-6)
    assert sum(dimensions[key].data * found[key] for key in dimensions) == pytest.approx(dimension.data, abs=1e-6)


def test_a_figure_of_a_closed_network_is_homogeneous_in_its_times():
    found = elasticities(model_of(CLOSED), "response('user')")
    times = sum(value for name, value in found.items() if name not in ("users", "jobs"))
    assert times == pytest.approx(1, rel=1e-7)


def test_at_the_edge_of_a_max_each_side_is_told():
    text = OPEN.replace("* (1 + share)", "* max(1, 1 + (rate - 8/s) * 1 s)").replace("share =", "unused =")
    found = effects(model_of(text), "response")
    below, above = found["response", "rate", BELOW], found["response", "rate", ABOVE]
    assert below.elasticity == pytest.approx(0.8 / 0.2, rel=1e-6)
    # The service time grows by a whole share of itself per request a second.
    assert above.derivative == pytest.approx(below.derivative + 0.1 / 0.2**2, rel=1e-6)
    assert sensitivity_report(sensitivity(model_of(text), ["response"])).notes[0].code == "QN629"


def test_a_jump_at_the_stated_value_is_refused_on_its_side():
    text = OPEN.replace("* (1 + share)", "* (1 + 0.01 * floor(spare))")
    found = effects(model_of(text), "response")
    assert found["response", "spare", ABOVE].derivative == 0
    assert found["response", "spare", BELOW].status != OK
    assert found["response", "spare", BELOW].derivative is None


def test_a_side_without_a_steady_state_is_left_out():
    # At 9.9999/s there is no room above at the first steps; shorter ones fit.
    model = with_settings(model_of(OPEN), {"rate": "9.9999/s"})
    found = effects(model, "response", by=["rate"])
    assert found["response", "rate", CENTRAL].elasticity == pytest.approx(0.99999 / 1e-5, rel=1e-3)


def test_without_a_steady_state_there_is_nothing_to_derive():
    with pytest.raises(NoAnswer, match='"cpu" is saturated'):
        sensitivity(with_settings(model_of(OPEN), {"rate": "11/s"}))


def test_a_metric_without_a_value_is_refused():
    with pytest.raises(NotComputed, match="division by zero where response"):
        sensitivity(model_of(OPEN), ["response / (spare - 5)"])


@pytest.mark.parametrize("asked", [{"of": ["respons"]}, {"by": ["rat"]}, {"by": ["rate", "spar"]}])
def test_unknown_names_are_the_askers_fault(asked):
    with pytest.raises(UsageError):
        sensitivity(model_of(OPEN), **asked)


def test_a_choice_is_no_number():
    with pytest.raises(UsageError, match="choice"):
        sensitivity(qnet.load("ibm-3990-6"), by=["staging"])


def test_a_model_without_numbers_has_nothing_to_move():
    text = 'qnet = 1\ntitle = "x"\n[stations]\ncpu = {}\n[classes.job]\narrival_rate = "1/s"\n'
    with pytest.raises(UsageError, match="no number of the model is a parameter"):
        sensitivity(model_of(text + 'steps = [ { station = "cpu", time = "1 ms" } ]\n'))


def test_a_point_is_solved_in_few_batches(monkeypatch):
    import qnet.questions.sensitivity.sensitivity as module

    sizes = []
    solve = module.solve_table
    monkeypatch.setattr(module, "solve_table", lambda model, table, size, asked: (
        sizes.append(size), solve(model, table, size, asked))[1])  # fmt: skip
    sensitivity(model_of(CLOSED))
    assert sizes == [5 * 8 + 2]


def test_the_integer_before_is_solved_only_where_the_next_one_has_no_answer(monkeypatch):
    import qnet.questions.sensitivity.sensitivity as module

    solved = []
    solve = module.solve_table
    monkeypatch.setattr(module, "solve_table", lambda model, table, size, asked: (
        solved.append(table["servers"].tolist()), solve(model, table, size, asked))[1])  # fmt: skip
    text = (
        'qnet = 1\ntitle = "x"\n[parameters]\nservers = { value = 2, range = [1, 9] }\n'
        'load = { value = "1/s * (4 - servers) / 2", range = ["0.5/s", "9/s"] }\n'
        '[stations]\ncpu = { servers = "servers" }\n[classes.job]\narrival_rate = "load"\n'
        'steps = [ { station = "cpu", time = "100 ms" } ]\n'
    )
    (item,) = sensitivity(model_of(text), ["response"], ["servers"]).effects
    assert (item.by, solved) == (NEXT, [[3.0]])
    solved.clear()
    (item,) = sensitivity(model_of(text.replace("0.5/s", "0.8/s")), ["response"], ["servers"]).effects
    assert (item.by, solved) == (PREVIOUS, [[3.0], [1.0]])


CHAIN = """\
qnet = 1
title = "a class, or a chain of one class"
[parameters]
users = 6
half = "users / 2"
cpu = "200 ms"
[stations]
cpu = { discipline = "ps" }
"""
AS_CLASS = """[classes.user]
population = "half"
think_time = "2 s"
steps = [ { station = "cpu", time = "cpu" } ]
"""
AS_CHAIN = """[chains.user]
population = "half"
think_time = "2 s"
[chains.user.classes]
one = { service = { cpu = "cpu" } }
[chains.user.routing]
think = { one.cpu = 1 }
one.cpu = { think = 1 }
"""


def test_a_chain_is_as_sensitive_as_a_class_with_its_demands():
    """Both metrics are told, a number of customers is whole, and half a customer is refused."""
    as_class, as_chain = (sensitivity(model_of(CHAIN + text)).effects for text in (AS_CLASS, AS_CHAIN))
    told = [(item.metric.source, item.input.name, item.by, item.status) for item in as_class]
    assert [(item.metric.source, item.input.name, item.by, item.status) for item in as_chain] == told
    assert {name for name, *_ in told} == {"response", "throughput"}
    assert ("response", "users", "", "a population would be a fraction") in told
    for one, other in zip(as_class, as_chain, strict=True):
        assert (one.input.integer, one.input.fixed) == (other.input.integer, other.input.fixed)
        assert one.derivative == (None if other.derivative is None else pytest.approx(other.derivative, rel=1e-7))


EQUAL = """
qnet = 1
title = "equal times of two classes first come first served"
[parameters]
first = "100 ms"
second = "100 ms"
think = "2 s"
[stations]
cpu = {{ discipline = "{discipline}" }}
disk = {{ discipline = "ps" }}
[classes.one]
population = 24
think_time = "think"
steps = [ {{ station = "cpu", time = "first" }}, {{ station = "disk", time = "300 ms" }} ]
[classes.two]
population = 21
think_time = "1 s"
steps = [ {{ station = "cpu", time = "second" }}, {{ station = "disk", time = "50 ms" }} ]
"""


def test_where_only_equal_times_have_product_form_the_other_method_joins_without_a_jump(tmp_path):
    """Beside equal times the order of arrival matters, and another method is taken.

    Times that change together stay equal, so that their elasticities add up to those of processor sharing, exactly.
    """

    def effects(discipline):
        path = tmp_path / f"{discipline}.toml"
        path.write_text(EQUAL.format(discipline=discipline))
        rows = qnet.load(str(path)).sensitivity(metric="response").records()
        return {row["parameter"]: row for row in rows}

    ordered, shared = effects("fcfs"), effects("ps")
    assert {(row["status"], row["by"]) for row in ordered.values()} == {("ok", "central")}
    together = [sum(rows[name]["elasticity"] for name in ("first", "second")) for rows in (ordered, shared)]
    assert together[0] == pytest.approx(together[1], rel=1e-6)
    assert ordered["first"]["elasticity"] > 1.1 * shared["first"]["elasticity"]
    assert ordered["think"]["elasticity"] == pytest.approx(shared["think"]["elasticity"], rel=1e-7)
    assert {name: row["exactness"] for name, row in ordered.items()} == {
        "first": "approximate", "second": "approximate", "think": "exact"
    }  # fmt: skip
    assert {row["exactness"] for row in shared.values()} == {"exact"}


def test_a_parameter_that_follows_from_the_solution_is_refused_by_name():
    model = qnet.load("thrashing")
    for ask in (lambda: model.sensitivity(by=["faults"]), lambda: model.tornado(range=["faults=0.5:10"])):
        with pytest.raises(UsageError, match=r'"faults" follows from the solution of the model.*QN004'):
            ask()


PLACES = """
qnet = 1
title = "writes that wait for a place"
[parameters]
places = 2
[stations]
cpu = {}
disk = {}
[buffers.cache]
places = "places"
[classes.writer]
population = 3
think_time = "200 ms"
steps = [
  { fill = "cache" },
  { station = "cpu", time = "50 ms" },
  { phase = 2, drains = "cache", station = "disk", time = "80 ms" },
]
[classes.reader]
population = 1
think_time = "300 ms"
steps = [ { station = "disk", time = "40 ms" } ]
"""


@pytest.mark.parametrize(("writers", "method"), [(3, "states"), (60, "flow-equivalent")])
def test_places_of_a_buffer_are_counted(writers, method):
    # Parts of a place are of no use to these methods, so that a derivative would be 0.
    system = qnet.loads(PLACES.replace("population = 3", f"population = {writers}"))
    (row,) = system.sensitivity(metric="response", by="places").records()
    two, three = (system.set(places=number).metric("response") for number in (2, 3))
    assert row["method"] == method
    assert (row["by"], row["status"]) == ("next integer", "ok")
    assert row["derivative"] == pytest.approx(three - two, rel=1e-9)
    assert abs(row["derivative"]) > 1e-3


OF_TWO_METHODS = """
qnet = 1
title = "branches at one station"
[parameters]
users = 3
[stations]
cpu = { discipline = "preemptive" }
[classes.other]
population = 3
think_time = "200 ms"
steps = [ { station = "cpu", time = "120 ms", visits = 0.8, scv = 2 }, { delay = "80 ms" } ]
[classes.user]
population = "users"
steps = [ { delay = "120 ms" }, { parallel = [
  { steps = [ { station = "cpu", time = "50 ms", visits = 1.5 } ] },
  { steps = [ { station = "cpu", time = "80 ms", scv = 0.5 } ] } ] } ]
"""


def test_the_difference_to_the_next_integer_is_that_of_one_method():
    # The chain of one more user has too many states; the difference of two methods would contain their errors.
    system = qnet.loads(OF_TWO_METHODS)
    more = system.set(users=4)
    method = more.solve().records()[0]["method"]
    assert {system.solve().records()[0]["method"], method} == {"states", "residual-service"}
    (row,) = system.sensitivity(metric="response", by="users").records()
    three, four = (item.solve(method=method).records()[0]["response_s"] for item in (system, more))
    assert row["derivative"] == pytest.approx(four - three, rel=1e-9)
    assert (row["by"], row["exactness"]) == ("next integer", "approximate")
