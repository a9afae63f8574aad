"""`bottleneck`: its parts add up, its ranks are those of stations alone, its changes those of changed models."""

from __future__ import annotations

import pytest

import qnet
from qnet.errors import NoAnswer, UsageError
from qnet.model.bind import depends_on_population
from qnet.questions.bottleneck.bottleneck import bottleneck
from qnet.questions.bottleneck.report import bottleneck_report, notes

FAST = (
    "call-centre", "central-server", "contention", "disk-array", "interactive-users", "multiprocessor", "one-queue",
    "paging-users", "terminals-and-web", "two-workloads", "web-shop", "web-tier",
)  # fmt: skip
SYSTEMS = ("ibm-3990-6", *(f"examples/{name}.toml" for name in FAST))

HELD = """qnet = 1
title = "a disk behind a path"
[parameters]
rate = "20/s"
move = "10 ms"
turn = "4 ms"
seek = "15 ms"
paths = 2
[stations]
host = { servers = 3, discipline = "ps" }
disk = { copies = 4 }
path = { servers = "paths" }
[classes.io]
arrival_rate = "rate"
[[classes.io.routes]]
name = "near"
probability = 0.25
steps = [ { station = "host", time = "40 ms" } ]
[[classes.io.routes]]
name = "far"
probability = 0.75
steps = [
  { delay = "1 ms" },
  { station = "host", time = "40 ms" },
  { hold = "disk", steps = [ { time = "seek" }, { hold = "path", steps = [
    { time = "move" }, { phase = 2, keeps = ["disk", "path"], time = "turn" } ] } ] },
]
"""
CLOSED = """qnet = 1
title = "two queues"
[parameters]
users = 12
cpu = "20 ms"
disk = "40 ms"
cpus = 2
[stations]
cpu = { servers = "cpus", discipline = "ps" }
disk = {}
[classes.user]
population = "users"
think_time = "1 s"
steps = [ { delay = "5 ms" }, { station = "cpu", time = "cpu", visits = 3 }, { station = "disk", time = "disk" } ]
"""


def load(tmp_path, text):
    path = tmp_path / "model.toml"
    path.write_text(text)
    return qnet.load(str(path))


def parts(found):
    return [item.part for item in found.resources if item.part] + ([found.delays] if found.delays else [])


def places(found):
    return {place.label: place for place in found.resources}


def change(found, station, faster):
    return next(item for item in found.changes if item.station == station and (item.faster is None) != faster)


# Parts


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_parts_add_up_to_the_response(system):
    found = bottleneck(qnet.load(system))
    response = float(found.solution.response)
    assert sum(part.residence for part in parts(found)) == pytest.approx(response, rel=1e-12)
    assert sum(part.share for part in parts(found)) == pytest.approx(1, rel=1e-12)
    every = [*parts(found), *(item.part for item in found.visits), *(item.part for item in found.routes)]
    for part in every:
        if part.wait is not None:
            assert part.service >= 0 and part.wait >= 0
            assert part.service + part.wait == pytest.approx(part.residence, rel=1e-12)


@pytest.mark.parametrize("system", ["ibm-3990-6", "examples/terminals-and-web.toml"])
def test_the_parts_of_a_route_add_up_to_its_response(system):
    found = bottleneck(qnet.load(system))
    for route in found.solution.routes:
        own = [item.part.residence for item in found.routes if (item.class_name, item.route) == route[:2]]
        assert not own or sum(own) == pytest.approx(float(route.response), rel=1e-12)


def test_service_is_what_is_left_without_load(tmp_path):
    found = bottleneck(load(tmp_path, HELD))
    alone = load(tmp_path, HELD).set(rate="0.000001/s")
    for station in ("host", "disk", "path"):
        assert places(found)[station].part.service == pytest.approx(
            alone.metric(f"residence('{station}')"), rel=1e-4, abs=1e-12
        )


def test_wait_is_what_the_station_tells(tmp_path):
    system = load(tmp_path, HELD)
    found = bottleneck(system)
    passages = {"host": 1.0, "disk": 0.75, "path": 0.75}
    for station, visits in passages.items():
        assert places(found)[station].part.wait == pytest.approx(visits * system.metric(f"wait('{station}')"))


def test_rates_that_depend_on_the_number_tell_no_wait_from_service():
    found = bottleneck(qnet.load("examples/contention.toml"))
    assert any(part.wait is None and part.residence > 0 for part in parts(found))


# What is full first


def test_a_place_is_full_where_it_is_if_all_others_never_are(tmp_path):
    found = bottleneck(load(tmp_path, HELD))
    for name, place in places(found).items():
        others = [other for other in places(found) if other != name]
        text = HELD
        for other in others:
            line = next(line for line in HELD.splitlines() if line.startswith(f"{other} = {{"))
            text = text.replace(line, f"{other} = {{ delay = true }}")
        alone = load(tmp_path, text)
        full, below = place.full_at, place.full_at * (1 - 1e-9)
        assert alone.set(rate=f"{below!r}/s").metric("response") > 0
        with pytest.raises(NoAnswer):
            alone.set(rate=f"{full * (1 + 1e-9)!r}/s").metric("response")


def test_ranks_are_in_the_order_of_the_throughputs_at_which_places_are_full(tmp_path):
    found = bottleneck(load(tmp_path, HELD))
    assert [place.label for place in found.ranked] == ["host", "disk", "path"]
    full = [3 / 0.04, 4 / (0.75 * 0.029), 2 / (0.75 * 0.014)]
    assert [place.full_at for place in found.ranked] == pytest.approx(full)
    assert [place.headroom for place in found.ranked] == pytest.approx([rate / 20 - 1 for rate in full])


def test_the_largest_throughput_is_that_of_solve():
    system = qnet.load("ibm-3990-6").set(write_fraction=0.3)
    (row,) = [row for row in system.solve().records() if row["scope"] == "system"]
    found = bottleneck(system)
    assert (found.maximum, found.limited_by) == (row["maximum_throughput_per_s"], row["limited_by"])
    assert found.ranked[0].label == row["limited_by"]


def test_a_closed_class_approaches_the_first_place_and_its_asymptotes_meet_there(tmp_path):
    system = load(tmp_path, CLOSED)
    found = bottleneck(system)
    first, second = found.ranked
    assert (first.label, second.label) == ("disk", "cpu")
    assert system.set(users=2000).metric("throughput") == pytest.approx(first.full_at, rel=1e-9)
    assert first.full_population == pytest.approx((0.005 + 0.06 + 0.04 + 1) / 0.04)
    assert second.full_at == pytest.approx(2 / 0.06)


def test_the_bottleneck_of_each_class_is_told():
    found = bottleneck(qnet.load("examples/terminals-and-web.toml"))
    full = {(visit.class_name, visit.part.label): visit.full_at for visit in found.visits}
    assert full == pytest.approx(
        {
            ("terminal", "cpu"): 4 / 0.11,
            ("terminal", "disk"): 6 / 0.048,
            ("web", "cpu"): 4 / 0.094,
            ("web", "disk"): 6 / (0.9 * 0.016 + 0.1 * 0.16),
        }
    )


def test_a_named_limit_has_a_rank(tmp_path):
    found = bottleneck(load(tmp_path, HELD + '[limits]\nbus = { load = "rate", capacity = "60/s" }\n'))
    assert found.ranked[0].label == found.limited_by == "bus"
    assert found.ranked[0].full_at == pytest.approx(60)


def test_demands_that_follow_the_population_are_noticed(tmp_path):
    assert depends_on_population(qnet.load("examples/paging-users.toml"))
    assert not depends_on_population(load(tmp_path, CLOSED))
    assert not depends_on_population(load(tmp_path, HELD))


# Changes


@pytest.mark.parametrize(
    ("text", "station", "faster", "settings"),
    [
        (CLOSED, "cpu", True, {"cpu": "20 ms / 3"}),
        (CLOSED, "disk", True, {"disk": "40 ms / 3"}),
        (CLOSED, "cpu", False, {"cpus": "3"}),
        (HELD, "disk", True, {"seek": "5 ms"}),
        (HELD, "path", True, {"move": "10 ms / 3", "turn": "4 ms / 3"}),
        (HELD, "path", False, {"paths": "3"}),
    ],
)
def test_a_change_is_what_the_changed_model_answers(tmp_path, text, station, faster, settings):
    system = load(tmp_path, text)
    found = change(bottleneck(system, faster=3), station, faster)
    changed = system.set(settings)
    (row,) = [row for row in changed.solve().records() if row["scope"] == "system"]
    assert found.response == pytest.approx(row["response_s"], rel=1e-9)
    assert found.throughput == pytest.approx(row["throughput_per_s"], rel=1e-9)
    assert found.maximum == pytest.approx(row["maximum_throughput_per_s"], rel=1e-9)
    assert found.limited_by == row["limited_by"]


def test_changes_tell_every_class():
    found = bottleneck(qnet.load("examples/terminals-and-web.toml"))
    web = next(item for item in change(found, "cpu", True).classes if item.name == "web")
    assert web.maximum == pytest.approx(2 * 4 / 0.094)


def test_a_station_of_a_chain_gets_faster_as_well(tmp_path):
    system = qnet.load("examples/web-shop.toml")
    faster = change(bottleneck(system), "web", True)
    text = system.document.text.replace('web = "20 ms"', 'web = "10 ms"').replace('web = "50 ms"', 'web = "25 ms"')
    assert faster.response == pytest.approx(load(tmp_path, text).metric("response"), rel=1e-9)


def test_before_is_the_answer_itself():
    found = bottleneck(qnet.load("ibm-3990-6"))
    assert found.before.response == pytest.approx(float(found.solution.response), rel=1e-9)
    assert found.before.maximum == pytest.approx(found.maximum, rel=1e-9)


def test_a_station_whose_rates_change_gets_no_server(tmp_path):
    text = CLOSED.replace("disk = {}", "disk = { rates = [1, 1.5] }")
    found = bottleneck(load(tmp_path, text))
    assert {item.station for item in found.changes if item.faster is None} == {"cpu"}


# No steady state


def test_the_ways_out_of_overload_are_told(tmp_path):
    system = load(tmp_path, HELD).set(rate="80/s")
    with pytest.raises(NoAnswer) as caught:
        bottleneck(system)
    (problem,) = caught.value.problems
    assert '"host" would be 106.7 % utilized, at 80/s' in problem.found
    ways = "with host 2 times as fast it is 150/s; with one server more at host it is 100/s"
    assert problem.help == f"the saturation throughput is 75/s; {ways}"


@pytest.mark.parametrize("faster", [1.0, 0.5, 0.0, -2.0, float("nan"), float("inf")])
def test_slower_is_not_faster(faster, tmp_path):
    with pytest.raises(UsageError, match="QN022"):
        bottleneck(load(tmp_path, CLOSED), faster)


@pytest.mark.parametrize(("text", "setting"), [(HELD, {"rate": "0/s"}), (CLOSED, {"users": "0"})])
def test_nobody_there_is_no_failure(tmp_path, text, setting):
    system = load(tmp_path, text).set(setting)
    stations = [row for row in bottleneck_report(system).records() if row["scope"] == "station"]
    assert len(stations) > 1
    assert all(row["utilization"] == 0 and row["demand_s"] > 0 for row in stations)
    assert not any(row["throughput_per_s"] for row in system.why().records())


DELAYS = """qnet = 1
title = "a delay that users and requests share"
[stations]
far = { delay = true }
[classes.web]
arrival_rate = "1/s"
steps = [ { station = "far", time = "5 ms" } ]
[classes.user]
population = 2
think_time = "10 s"
steps = [ { station = "far", time = "5 ms" } ]
"""


def test_arrivals_that_nothing_limits_have_no_largest_rate(tmp_path):
    rows = bottleneck_report(load(tmp_path, DELAYS)).records()
    faster = [row for row in rows if row["scope"] == "what if" and row["class"]]
    assert [(row["class"], row["maximum_throughput_per_s"]) for row in faster] == [("web", None), ("user", None)]
    assert [row["response_s"] for row in faster] == [0.0025, 0.0025]


def test_an_assertion_is_judged(tmp_path):
    system = load(tmp_path, CLOSED)
    assert bottleneck_report(system, asserted=["response < 1 ms"]).broken
    assert not bottleneck_report(system, asserted=["response > 1 ms"]).broken


def test_the_population_where_asymptotes_meet_is_that_of_the_knee(tmp_path):
    system = load(tmp_path, CLOSED)
    knees = system.knee(definition="n_star").records()
    assert bottleneck(system).ranked[0].full_population == pytest.approx(knees[0]["population_real"], rel=1e-12)


# Notes


BESIDE = """qnet = 1
title = "a channel beside the disk"
[stations]
cpu = {}
disk = {}
[limits.channel]
load = "utilization('disk')"
capacity = "0.7"
[classes.user]
population = 3
steps = [ { station = "cpu", time = "10 ms" }, { station = "disk", time = "5 ms" } ]
"""


def told(system, code):
    """The texts of a note, of both reports: they say the same."""
    once, again = ([note.text for note in report.notes if note.code == code] for report in reports(system))
    assert once == again
    return once


def reports(system):
    return bottleneck_report(system), system.why()


def row_of(stations):
    """A closed model of some stations in a row, each a little slower than the one before."""
    names = [f"s{number}" for number in range(1, stations + 1)]
    steps = ", ".join(f'{{ station = "{name}", time = "{10 + place} ms" }}' for place, name in enumerate(names))
    tables = "".join(f"[stations.{name}]\n" for name in names)
    return f'qnet = 1\ntitle = "a row"\n{tables}[classes.user]\npopulation = 4\nsteps = [ {steps} ]\n'


@pytest.mark.long
def test_waits_inside_holds_end_the_steady_state_first():
    """QN623 says why there is none below the rate that the work of the first station alone allows."""
    system = qnet.load("ibm-3990-6").set(skew=2)
    found = bottleneck(system)
    between = (found.maximum + found.ranked[0].full_at) / 2
    why = [note.text for note in notes(found) if note.code == "QN623"]
    assert why == ["waiting inside holds ends the steady state before the service times alone saturate back_end"]
    with pytest.raises(NoAnswer):
        system.set(rate=f"{between!r}/s").metric("response")


def test_where_work_alone_is_the_limit_no_waits_are_blamed(tmp_path):
    assert told(load(tmp_path, HELD), "QN623") == []


def test_a_change_without_an_answer_says_so(tmp_path):
    """Three users keep the disk half as busy as the cpu; with a cpu as fast as the disk both are busy for 3/4."""
    system = load(tmp_path, BESIDE)
    assert told(system, "QN625") == ["2 of 4 changes have no answer; their status says why"]
    assert change(bottleneck(system), "cpu", True).status == "no steady state: channel"
    assert change(bottleneck(system), "disk", True).status == "ok"


def test_where_every_change_has_an_answer_nothing_is_missed(tmp_path):
    assert told(load(tmp_path, CLOSED), "QN625") == []


def test_of_many_stations_those_that_matter_least_are_left_out(tmp_path):
    system = load(tmp_path, row_of(11))
    assert bottleneck(system).left_out == ("s1", "s2", "s3")
    assert told(system, "QN626") == ["changes were tried at the stations that matter most; 3 stations are left out"]


def test_of_few_stations_all_are_changed(tmp_path):
    assert told(load(tmp_path, row_of(8)), "QN626") == []


BY_STATES = """
qnet = 1
title = "priority on two disks, and work after the response"
[parameters]
speed = 1
[stations]
disk = { discipline = "priority", copies = 2 }
[classes.job]
population = 2
think_time = "200 ms"
steps = [
  { station = "disk", time = "80 ms / speed", visits = 0.5, phase = 2 },
  { station = "disk", time = "150 ms / speed", visits = 0.5 },
]
"""


def test_changes_of_a_cheap_chain_of_many_states_are_chains_too():
    # The chain has more states than those of changes may have in general.
    system = qnet.loads(BY_STATES)
    (row,) = [row for row in system.bottleneck().records() if row["change"] == "2 times as fast"]
    alone = system.set(speed=2).solve().records()[0]
    assert (alone["method"], alone["exactness"], row["exactness"]) == ("states", "exact", "exact")
    assert row["response_s"] == pytest.approx(alone["response_s"], rel=1e-9)
    assert row["response_ratio"] == pytest.approx(alone["response_s"] / system.metric("response"), rel=1e-9)


def test_changes_are_compared_by_one_method():
    # With little budget the chain of the system is affordable, and not those of all changes.
    system = qnet.loads(BY_STATES)
    rows = [row for row in system.bottleneck(operations=1e9).records() if row["change"]]
    labels = {row["exactness"] for row in rows}
    assert labels == {"approximate"}
