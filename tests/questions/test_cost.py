"""`qnet cost`: demands per unit of something else, held against arithmetic by hand and against the utilization law."""

from pathlib import Path

import pytest

import qnet
from qnet.documents import parse as read
from qnet.errors import InvalidInput, NotComputed, UsageError
from qnet.expression import symbols
from qnet.model.bind import bind
from qnet.model.load import build
from qnet.model.settings import with_settings
from qnet.model.values import Values
from qnet.networks.work import route_demands
from qnet.questions.cost.cost import OK, cost
from qnet.questions.cost.report import cost_report
from qnet.questions.points.points import solve_points

HOLDING = """\
qnet = 1
title = "an outer station that is held, and work after the response"
[parameters]
rate = "2/s"
size = "4 MB"
pages = 5
[stations]
outer = {}
inner = { servers = 2 }
line = { delay = true }
[classes.job]
arrival_rate = "rate"
[[classes.job.routes]]
name = "short"
probability = 0.75
steps = [ { station = "inner", time = "10 ms", visits = 3 }, { station = "line", time = "1 s" } ]
[[classes.job.routes]]
name = "long"
probability = 0.25
steps = [
  { hold = "outer", work = "move", steps = [
    { time = "20 ms", work = "think" },
    { hold = "inner", steps = [ { time = "40 ms" }, { phase = 2, time = "8 ms", keeps = ["inner"] } ] },
  ] },
  { phase = 2, station = "outer", time = "100 ms" },
]
[costs.per_page]
of = "outer"
per = "pages"
unit = "ms"
[costs.per_byte]
of = ["outer", "inner"]
per = "size"
unit = "ms/MB"
"""


def model_of(text=HOLDING):
    return build(read(text.encode(), "model.toml"), "model.toml")


def value(model, *of, **asked):
    (found,) = cost(model, of=of, **asked).points
    return found.value


def test_a_cost_is_the_demand_over_the_units():
    # outer: a quarter of the passages hold it for 20 + 40 ms, and for 100 ms after their response.
    assert value(model_of(), "outer", per="pages") == pytest.approx(0.25 * 0.160 / 5, rel=1e-14)


def test_work_after_the_response_counts():
    assert value(model_of(), "inner") == pytest.approx(0.75 * 0.030 + 0.25 * 0.048, rel=1e-14)


def test_several_stations_each_count_their_own_time():
    expected = 0.25 * 0.160 + 0.75 * 0.030 + 0.25 * 0.048
    assert value(model_of(), "outer", "inner") == pytest.approx(expected, rel=1e-14)
    assert value(model_of(), "all") == pytest.approx(expected, rel=1e-14)


def test_a_delay_counts_where_it_is_named():
    assert value(model_of(), "line") == pytest.approx(0.75, rel=1e-14)


def test_a_cost_of_one_route_is_per_passage_of_that_route():
    assert value(model_of(), "outer", route=["long"]) == pytest.approx(0.160, rel=1e-14)
    assert value(model_of(), "outer", route=["short"]) == 0


@pytest.mark.parametrize(("kind", "expected"), [("move", 0.040), ("think", 0.020)])
def test_a_kind_of_work_is_that_of_the_innermost_step_that_states_one(kind, expected):
    assert value(model_of(), "outer", work=[kind]) == pytest.approx(0.25 * expected, rel=1e-14)


def test_waits_are_no_cost():
    light, heavy = (with_settings(model_of(), {"rate": rate}) for rate in ("0.1/s", "12/s"))
    assert value(light, "outer") == value(heavy, "outer")


def test_a_stated_cost_is_told_in_its_unit():
    rows = cost_report(cost(model_of())).rows
    told = {(row[0], row[1]): (row[7], row[9]) for row in rows}
    assert told["per_page", "total"] == (pytest.approx(0.25 * 160 / 5, rel=1e-14), "ms")
    assert told["per_byte", "total"][0] == pytest.approx((0.25 * 160 + 0.75 * 30 + 0.25 * 48) / 4, rel=1e-14)


@pytest.mark.parametrize(
    "path",
    ["examples/web-tier.toml", "examples/two-workloads.toml", "examples/terminals-and-web.toml",
     "examples/paging-users.toml", "examples/multiprocessor.toml"],
)  # fmt: skip
def test_by_the_utilization_law_cost_is_busy_servers_over_throughput(path):
    model = qnet.load(path)
    solution = solve_points(model).parts[0].solution
    busy = {}
    for item in solution.stations:
        if item.utilization is not None:
            busy[item.name] = busy.get(item.name, 0.0) + item.busy_servers
    for name, servers in busy.items():
        assert value(model, name) == pytest.approx(servers / solution.throughput, rel=1e-10)


CHAINED = [path for path in sorted(map(str, Path("examples").glob("*.toml"))) if "[chains." in Path(path).read_text()]
"""Every example whose customers change between classes."""

BESIDE = {
    "alone": "",
    "beside an open class": """[classes.report]
arrival_rate = "0.3/s"
steps = [ { station = "STATION", time = "70 ms" } ]
""",
    "beside a closed class": """[classes.report]
population = 3
think_time = "2 s"
[[classes.report.routes]]
name = "short"
probability = 0.4
steps = [ { station = "STATION", time = "70 ms" } ]
[[classes.report.routes]]
name = "long"
probability = 0.6
steps = [ { station = "STATION", time = "200 ms", visits = 2 } ]
""",
}


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("path", CHAINED)
def test_by_the_utilization_law_cost_of_a_chain_is_busy_servers_over_throughput(path, beside):
    text = Path(path).read_text()
    station = qnet.load(path).stations[0].name
    model = model_of(f"{text}\n{BESIDE[beside].replace('STATION', station)}")
    solution = solve_points(model).parts[0].solution
    for item in solution.stations:
        if item.utilization is not None:
            assert value(model, item.name) == pytest.approx(item.busy_servers / solution.throughput, rel=1e-10)


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("path", CHAINED)
def test_a_cost_of_one_chain_is_its_share_of_the_utilization(path, beside):
    text = Path(path).read_text()
    loaded = qnet.load(path)
    model = model_of(f"{text}\n{BESIDE[beside].replace('STATION', loaded.stations[0].name)}")
    solution = solve_points(model).parts[0].solution
    servers = {item.name: item.busy_servers / item.utilization for item in solution.stations if item.utilization}
    for chain in loaded.chains:
        (rate,) = [item.throughput for item in solution.classes if item.name == chain.name]
        for station, count in servers.items():
            own = [item for item in solution.visits if item.chain == chain.name and item.name == station]
            busy = {item.class_name: item.utilization * count for item in own}
            expected = pytest.approx(sum(busy.values()) / rate, rel=1e-10)
            assert value(model, station, class_name=chain.name) == expected
            for name, servers_of_class in busy.items():
                expected = pytest.approx(servers_of_class / rate, rel=1e-10)
                assert value(model, station, class_name=chain.name, route=[name]) == expected


def test_what_a_chain_does_not_have_is_the_askers_fault():
    model = qnet.load("examples/web-shop.toml")
    for asked in ({"class_name": "sesion"}, {"route": ["looking", "buying"]}, {"class_name": "looking"}):
        with pytest.raises(UsageError):
            cost(model, of=["web"], **asked)


def test_a_cost_of_one_class_is_its_share_of_the_utilization():
    model = qnet.load("examples/terminals-and-web.toml")
    solution = solve_points(model).parts[0].solution
    for item in solution.visits:
        if item.name == "cpu":
            (rate,) = [row.throughput for row in solution.classes if row.name == item.class_name]
            expected = item.utilization * 4 / rate
            assert value(model, "cpu", class_name=item.class_name) == pytest.approx(expected, rel=1e-10)


def test_a_destage_of_the_3990_costs_what_its_steps_say():
    model = qnet.load("ibm-3990-6")
    known = Values(model, {}, None).known
    names = ("destages_per_write", "destage", "cu.miss_remainder", "disk.latency")
    share, destage, remainder, latency = (known[name] for name in names)
    assert value(model, "back_end", route=["write"]) == pytest.approx(share * destage, rel=1e-14)
    assert value(model, "drive", route=["write"]) == pytest.approx(share * (remainder + latency + destage), rel=1e-14)


@pytest.mark.parametrize("name", ["ibm-3990-6", "examples/terminals-and-web.toml", "examples/web-shop.toml"])
def test_the_parts_of_every_split_add_up(name):
    model = with_settings(qnet.load(name), {"write_fraction": "0.3"}) if "3990" in name else qnet.load(name)
    rows = cost_report(cost(model, of=["all"])).rows
    sums = {}
    for row in rows:
        sums[row[1]] = sums.get(row[1], 0.0) + row[7]
    assert len(sums) >= 4
    for scope, found in sums.items():
        assert found == pytest.approx(sums["total"], rel=1e-12), scope


def test_a_grid_is_solved_as_one_and_agrees_with_its_points():
    model = qnet.load("ibm-3990-6")
    found = cost(model, of=["volume"], over=["volumes=16,64", "write_fraction=0:0.4:0.2"]).points
    assert [item.coordinates for item in found] == [(v, w) for v in (16, 64) for w in (0, 0.2, 0.4)]
    for item in found:
        volumes, writes = item.coordinates
        alone = with_settings(model, {"volumes": f"{volumes:g}", "write_fraction": f"{writes:g}"})
        assert item.value == pytest.approx(value(alone, "volume"), rel=1e-13)


def test_a_point_without_units_says_so_and_leaves_the_others_their_costs():
    model = qnet.load("examples/paging-users.toml")
    none, some = cost(model, ["cpu_per_page"], over=["users=100, 300"]).points
    assert none.value is None
    assert "nothing to divide by" in none.status
    assert some.status == OK
    assert some.value == pytest.approx(0.6e-3, rel=1e-12)


def test_no_units_at_all_are_refused_with_where():
    model = with_settings(qnet.load("examples/paging-users.toml"), {"users": "100"})
    with pytest.raises(NotComputed, match=r'"faults" is 0 where touches = 80, memory = .*, users = 100'):
        cost(model, ["cpu_per_page"])


def test_negative_units_are_refused():
    with pytest.raises(InvalidInput, match="at least 0"):
        cost(model_of(HOLDING.replace("pages = 5", "pages = -5")), ["per_page"])


@pytest.mark.parametrize(
    "asked",
    [{"of": ["outr"]}, {"of": ["outer"], "per": "pags"}, {"of": ["outer"], "unit": "MB"},
     {"of": ["outer"], "unit": "KB"}, {"of": ["outer"], "route": ["longer"]}, {"of": ["outer"], "class_name": "jb"},
     {"of": ["outer"], "work": ["moved"]}, {"names": ["per_pge"]}, {"over": ["pages=1,2", "pages=3"]}],
)  # fmt: skip
def test_what_the_model_does_not_have_is_the_askers_fault(asked):
    with pytest.raises(UsageError):
        cost(model_of(), **asked)


def test_two_models_are_compared_in_the_unit_of_the_first():
    other = model_of(HOLDING.replace('unit = "ms"\n', 'unit = "s"\n').replace('"100 ms"', '"20 ms"'))
    report = cost_report(cost(model_of(), ["per_page"]), cost(other, ["per_page"]))
    (total,) = [row for row in report.rows if row[1] == "total"]
    keys = [column.key for column in report.columns]
    told = dict(zip(keys, total, strict=True))
    assert told["against"] == pytest.approx(0.25 * 80 / 5, rel=1e-14)
    assert told["ratio"] == pytest.approx(2, rel=1e-14)
    assert told["change_percent"] == pytest.approx(100, rel=1e-12)


def test_costs_of_two_dimensions_do_not_compare():
    other = model_of(HOLDING.replace('per = "pages"\nunit = "ms"', 'per = "size"'))
    with pytest.raises(UsageError, match="time per byte"):
        cost_report(cost(model_of(), ["per_page"]), cost(other, ["per_page"]))


def test_demands_are_formulas_over_symbols():
    import sympy

    size = sympy.Symbol("size", positive=True)
    model = model_of()
    network = bind(model, Values(model, {}, None))
    (customers,) = network.classes
    long = customers.routes[1]
    (service,) = long.steps[1].steps
    after = long.steps[1].replace(steps=(service.replace(mean=size / 1_000_000),))
    network = network.replace(classes=(customers.replace(routes=(long.replace(steps=(after,)),)),))
    found = {item.station: item.demand for item in route_demands(network, symbols())}
    assert sympy.simplify(found["outer"] - size / 1_000_000) == 0


def test_a_cost_is_a_formula_as_well():
    from qnet.questions.formula.formula import formula

    model = with_settings(qnet.load("examples/paging-users.toml"), {"users": "300"})
    found = formula(model, "cost('cpu_per_command')").formulas
    faults = Values(model, {}, None).known["faults"]
    assert [item.value for item in found] == [pytest.approx(0.114 + faults * 0.0006, rel=1e-12)]
    assert {str(name) for name in found[0].expression.free_symbols} == {"faults"}


@pytest.mark.parametrize("settings", [{}, {"rate": "3/s", "pages": "7", "size": "1 MB"}])
def test_the_formulas_of_all_stated_costs_agree_with_their_values(settings):
    from qnet.questions.formula.formula import formula

    model = with_settings(model_of(), settings)
    expected = [item.value for item in cost(model).points]
    assert [item.value for item in formula(model, "cost").formulas] == pytest.approx(expected, rel=1e-12)


def test_there_is_no_formula_of_a_cost_that_weights_closed_classes():
    from qnet.questions.formula.formula import formula

    text = HOLDING + '[classes.user]\npopulation = 3\nsteps = [ { station = "inner", time = "5 ms" } ]\n'
    with pytest.raises(NotComputed, match="throughputs"):
        formula(model_of(text), "cost('per_byte')")


def test_the_servers_of_a_held_station_are_busy_for_longer_than_its_cost():
    """By the waits inside: the help said that a cost is always busy servers per passage."""
    steps = [{"hold": "desk", "steps": [{"time": "30 ms"}, {"station": "disk", "time": "50 ms"}]}]
    both = [{"station": "disk", "time": "50 ms"}]
    classes = {"a": {"arrival_rate": "4/s", "steps": steps}, "b": {"arrival_rate": "6/s", "steps": both}}
    system = qnet.loads({"title": "held", "stations": {"desk": {"servers": 2}, "disk": {}}, "classes": classes})
    for name, demand in (("desk", 0.4 * 0.08), ("disk", 0.05)):
        (row, *_) = system.cost(of=name).records()
        assert row["value"] == pytest.approx(demand)
        busy = system.metric(f"busy_servers('{name}')") / 10
        assert busy == pytest.approx(demand) if name == "disk" else busy > 1.2 * demand


LOSING = """
qnet = 1
title = "one full station beside one without limit"
[stations]
full = { capacity = 1 }
free = {}
STATED
[costs.of_all]
of = "all"
"""
OF_CLASSES = """
[classes.lost]
arrival_rate = "5/s"
steps = [ { station = "full", time = "100 ms" } ]
[classes.kept]
arrival_rate = "2/s"
steps = [ { station = "free", time = "300 ms" } ]
"""
OF_ROUTES = """
[classes.some]
arrival_rate = "7/s"
[[classes.some.routes]]
name = "lost"
probability = "5 / 7"
steps = [ { station = "full", time = "100 ms" } ]
[[classes.some.routes]]
name = "kept"
probability = "2 / 7"
steps = [ { station = "free", time = "300 ms" } ]
"""


@pytest.mark.parametrize("stated", [OF_CLASSES, OF_ROUTES])
def test_passages_that_are_lost_have_no_weight(stated):
    # Of 5/s at one place with 100 ms, Erlang's loss formula leaves 5 / 1.5 per second.
    carried = 5 / 1.5
    system = qnet.loads(LOSING.replace("STATED", stated))
    (row,) = [row for row in system.cost().records() if row["scope"] == "total"]
    assert row["value"] == pytest.approx((carried * 0.1 + 2 * 0.3) / (carried + 2), rel=1e-9)
    solved = system.solve()
    busy = sum(each["busy_servers"] for each in solved.records() if each["scope"] == "station")
    assert row["value"] == pytest.approx(busy / system.metric("throughput"), rel=1e-9)
    assert "of_all" not in {each["metric"] for each in system.formula().records()}
