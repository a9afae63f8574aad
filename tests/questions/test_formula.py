"""Formulas against the numeric solver: what they tell at random parameters is what it computes there."""

import random
from pathlib import Path

import pytest

import qnet
from qnet.errors import NotComputed, UsageError
from qnet.expression import evaluate, parse
from qnet.model.settings import with_settings
from qnet.networks.wanted import Wanted
from qnet.questions.cost import cost
from qnet.questions.formula import formula
from qnet.questions.formula_metrics import METRICS, names
from qnet.questions.formula_text import latex_of, text_of
from qnet.questions.points import figures, solve_points
from qnet.questions.saturation import saturation

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
HEAD = 'qnet = 1\ntitle = "a model"\n'

SINGLE = """
[parameters]
rate = "20/s"
service = "30 ms"
variation = 2.5
[stations]
cpu = {}
[classes.job]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "service", scv = "variation" } ]
[outputs]
work = "rate * service + utilization('cpu')"
"""

SHARED = """
[parameters]
rate = "20/s"
uploads = "5/s"
hit = { value = 0.6, range = [0, 1] }
base = "4 ms"
slow = "base * (1 + hit) + 10 ms"
servers = 3
disks = 4
[stations]
cpu = { servers = "servers" }
disk = { discipline = "ps", copies = "disks" }
net = { delay = true }
[classes.page]
arrival_rate = "rate"
[[classes.page.routes]]
name = "cached"
probability = "hit"
steps = [ { station = "cpu", time = "base" }, { station = "net", time = "50 ms" } ]
[[classes.page.routes]]
name = "missed"
probability = "1 - hit"
steps = [ { station = "cpu", time = "base" }, { station = "disk", time = "slow", visits = 3 } ]
[classes.upload]
arrival_rate = "uploads"
steps = [ { station = "cpu", time = "base", visits = 2 }, { station = "disk", time = "slow" }, { delay = "7 ms" } ]
[limits.link]
load = "rate * (1 - hit)"
capacity = "90/s"
"""

NESTED = """
[parameters]
rate = "8/s"
inner = "12 ms"
outer = "20 ms"
[stations]
table = {}
lock = {}
[classes.job]
arrival_rate = "rate"
steps = [ { hold = "table", steps = [
  { time = "outer" }, { hold = "lock", steps = [ { time = "inner" } ] } ] } ]
"""

SPLIT = """
[parameters]
rate = "100/s"
volumes = 12
hot = 3
skew = 2
seek = "9 ms"
[stations]
volume = { copies = "volumes", split = { hot = "hot", share = "skew * hot / (skew * hot + volumes - hot)" } }
[classes.io]
arrival_rate = "rate"
steps = [ { station = "volume", time = "seek" } ]
"""

CLOSED = """
[parameters]
users = 20
think = "5 s"
cpu_time = "40 ms"
disk_time = "25 ms"
servers = 2
disks = 3
[stations]
cpu = { servers = "servers", discipline = "ps" }
disk = { copies = "disks" }
net = { delay = true }
[classes.user]
population = "users"
think_time = "think"
steps = [ { delay = "0.1 s" }, { station = "cpu", time = "cpu_time", visits = 4 },
  { station = "disk", time = "disk_time", visits = 9 }, { station = "net", time = "10 ms" } ]
"""

MIXED = """
[parameters]
users = 7
jobs = 3
rate = "4/s"
cpu_time = "20 ms"
[stations]
cpu = { discipline = "ps" }
disk = { discipline = "ps" }
[classes.query]
population = "users"
think_time = "2 s"
steps = [ { station = "cpu", time = "cpu_time" }, { station = "disk", time = "30 ms" } ]
[classes.batch]
population = "jobs"
steps = [ { station = "cpu", time = "0.5 s" }, { station = "disk", time = "0.2 s" } ]
[classes.web]
arrival_rate = "rate"
steps = [ { station = "cpu", time = "cpu_time" } ]
"""

RANGES = {
    "rate": (1, 12), "uploads": (1, 9), "service": (0.001, 0.05), "variation": (0, 5), "hit": (0.05, 0.95),
    "base": (0.001, 0.01), "inner": (0.001, 0.02), "outer": (0.001, 0.03), "skew": (0.3, 6), "seek": (0.001, 0.02),
    "think": (0, 20), "cpu_time": (0.001, 0.05), "disk_time": (0.001, 0.05),
}  # fmt: skip
COUNTS = {"servers": (1, 6), "disks": (1, 6), "volumes": (5, 12), "hot": (1, 4), "users": (1, 60), "jobs": (1, 9)}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A model of a text."""
    made = {}

    def of(text):
        if text not in made:
            path = tmp_path_factory.mktemp("formula") / "model.toml"
            path.write_text(HEAD + text)
            made[text] = qnet.load(str(path))
        return made[text]

    return of


ANSWERS = {}


def formulas(system, metric):
    """The formulas of a metric, or several, found once for all tests."""
    key = (system.document.text, metric)
    if key not in ANSWERS:
        ANSWERS[key] = formula(system, metric)
    return ANSWERS[key]


def some_numbers(model, seed):
    chance = random.Random(seed)
    found = {name: chance.uniform(*RANGES[name]) for name in model.parameters if name in RANGES}
    found |= {name: float(chance.randint(*COUNTS[name])) for name in model.parameters if name in COUNTS}
    return found


def used(answer, numbers):
    return {name: value for name, value in numbers.items() if name in answer.definitions}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("text", [SINGLE, SHARED, SPLIT], ids=["single", "shared", "split"])
def test_open_figures_are_those_of_the_solver(model, text, seed):
    system = model(text)
    numbers = some_numbers(system, seed)
    solved = figures(solve_points(system, numbers).parts[0].solution)
    answer = formulas(system, tuple(solved))
    for item in answer.formulas:
        if item.class_name or item.about:
            continue
        assert answer.at(item, used(answer, numbers)) == pytest.approx(solved[item.metric], rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("text", [SINGLE, SHARED, SPLIT, NESTED], ids=["single", "shared", "split", "nested"])
def test_utilization_by_station_group_is_that_of_the_solver(model, text, seed):
    system = model(text)
    numbers = some_numbers(system, seed)
    stations = {item.label: item for item in solve_points(system, numbers).parts[0].solution.stations}
    answer = formulas(system, "utilization")
    assert answer.formulas
    for item in answer.formulas:
        if item.about in stations:
            expected = stations[item.about].utilization
            assert answer.at(item, used(answer, numbers)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_a_wait_inside_a_hold_of_one_server_is_a_formula(model, seed):
    system = model(NESTED)
    numbers = some_numbers(system, seed)
    solved = solve_points(system, numbers).parts[0].solution
    answer = formulas(system, "response")
    assert answer.at(answer.of("response"), used(answer, numbers)) == pytest.approx(solved.response, rel=1e-12)
    assert answer.reasons


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("text", [SINGLE, SHARED, SPLIT, MIXED], ids=["single", "shared", "split", "mixed"])
def test_the_largest_rate_is_where_the_steady_state_ends(model, text, seed):
    system = model(text)
    numbers = {**some_numbers(system, seed), "users": 0.0, "jobs": 0.0}
    numbers = {name: value for name, value in numbers.items() if name in system.parameters}
    answer = formulas(system, "max_rate")
    largest = min(answer.at(item, used(answer, numbers)) for item in answer.formulas)
    assert solve_points(system, {**numbers, "rate": largest * (1 - 1e-9)}).stable
    assert not solve_points(system, {**numbers, "rate": largest * (1 + 1e-9)}).stable


@pytest.mark.parametrize("text", [SINGLE, SPLIT], ids=["single", "split"])
def test_the_largest_rate_is_that_of_saturation(model, text):
    system = model(text)
    numbers = some_numbers(system, 5)
    answer = formulas(system, "max_rate")
    factor = saturation(system, solve_points(system, numbers), numbers).factor
    largest = min(answer.at(item, used(answer, numbers)) for item in answer.formulas)
    assert largest == pytest.approx(numbers["rate"] * factor, rel=1e-12)


BOUNDS = ("throughput_lower", "throughput_upper", "response_lower", "response_upper")


def combined(answer, metric, class_name, numbers):
    values = [
        answer.at(item, used(answer, numbers))
        for item in answer.formulas
        if item.metric == metric and item.class_name == class_name
    ]
    largest = metric.endswith("response_lower")
    return max(values) if largest else min(values)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("text", [CLOSED, MIXED], ids=["closed", "mixed"])
def test_asymptotic_bounds_are_those_of_the_solver(model, text, seed):
    system = model(text)
    numbers = some_numbers(system, seed)
    answer = formulas(system, BOUNDS)
    solved = solve_points(system, numbers, asked=Wanted(bounds="asymptotic")).parts[0].solution
    for item in solved.classes:
        if item.population is not None:
            name = item.name if len(solved.classes) > 1 else ""
            found = [combined(answer, metric, name, numbers) for metric in BOUNDS]
            assert found == pytest.approx(list(item.enclosed), rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_balanced_bounds_are_those_of_the_solver(model, seed):
    system = model(CLOSED)
    numbers = some_numbers(system, seed)
    asked = tuple(f"balanced_{metric}" for metric in BOUNDS)
    answer = formulas(system, asked)
    enclosed = solve_points(system, numbers, asked=Wanted(bounds="balanced")).parts[0].solution.classes[0].enclosed
    found = [combined(answer, metric, "", numbers) for metric in asked]
    assert found == pytest.approx(list(enclosed), rel=1e-12)


LEAVING = """
[parameters]
jobs = 8

[stations]
cpu = {}
disk = {}

[classes.job]
population = "jobs"
think_time = "20 ms"
steps = [
  { station = "cpu", time = "1 ms" },
  { phase = 2, station = "disk", time = "5 ms" },
]
"""


def test_bounds_leave_work_out_that_is_done_after_the_response(model):
    system = model(LEAVING)
    answer = formulas(system, ("throughput_upper", "response_lower"))
    by_place = {(item.metric, item.about): answer.at(item, {"jobs": 8}) for item in answer.formulas}
    assert by_place["response_lower", "no queueing"] == pytest.approx(0.001)
    assert by_place["throughput_upper", "no queueing"] == pytest.approx(8 / 0.021)
    assert by_place["throughput_upper", "disk"] == pytest.approx(200)
    with pytest.raises(NotComputed):
        formulas(system, ("throughput_lower",))


@pytest.mark.parametrize("seed", range(4))
def test_n_star_is_where_the_two_lines_of_the_bound_meet(model, seed):
    system = model(CLOSED)
    numbers = some_numbers(system, seed)
    answer = formulas(system, ("n_star", "demand"))
    meeting = min(answer.at(item, used(answer, numbers)) for item in answer.formulas if item.metric == "n_star")
    delays = 0.1 + 0.01 + numbers["think"]
    cpu, disk = 4 * numbers["cpu_time"], 9 * numbers["disk_time"]
    slowest = max(cpu / numbers["servers"], disk / numbers["disks"])
    assert meeting == pytest.approx((delays + cpu + disk) / slowest, rel=1e-12)
    demands = {
        item.about: answer.at(item, used(answer, numbers)) for item in answer.formulas if item.metric == "demand"
    }
    assert demands == pytest.approx({"cpu": cpu, "disk": disk / numbers["disks"], "net": 0.01}, rel=1e-12)


@pytest.mark.parametrize("text", [SINGLE, SHARED, SPLIT, CLOSED, MIXED])
def test_printed_formulas_are_expressions_of_the_language(model, text):
    system = model(text)
    answer = formula(system)
    numbers = {name: item.value for name, item in answer.definitions.items()}
    for item in answer.formulas:
        printed = text_of(item.expression)
        if "erlang_c" not in printed and item.value is not None:
            assert evaluate(parse(printed).root, numbers) == pytest.approx(item.value, rel=1e-12)


def test_expanding_and_keeping_change_the_names_and_no_value(model):
    system = model(SHARED)
    whole, expanded = formula(system, "demand"), formula(system, "demand", expand=True)
    kept = formula(system, "demand", keep=["hit"])
    assert "slow" in whole.definitions
    assert "slow" not in expanded.definitions
    assert {name for item in kept.formulas for name in map(str, item.expression.free_symbols)} <= {
        "hit",
        "slow",
        "disks",
    }
    for other in (expanded, kept):
        assert [item.value for item in other.formulas] == pytest.approx([item.value for item in whole.formulas])


SYMPY_NAMES = ("I", "E", "N", "S", "Q", "O", "C", "beta", "gamma", "zeta", "pi", "oo", "symbols", "Symbol", "diff")


def test_names_that_mean_something_elsewhere_are_parameters(model):
    lines = "\n".join(f"{name} = {number + 2}" for number, name in enumerate(SYMPY_NAMES))
    system = model(
        f"[parameters]\n{lines}\n[stations]\ncpu = {{}}\n[classes.job]\narrival_rate = '1/s'\n"
        f"steps = [ {{ station = 'cpu', time = '0.0001 s * ({' + '.join(SYMPY_NAMES)})' }} ]\n"
    )
    answer = formula(system, "demand")
    assert {str(item) for item in answer.formulas[0].expression.free_symbols} == set(SYMPY_NAMES)
    assert answer.formulas[0].value == pytest.approx(0.0001 * sum(range(2, 2 + len(SYMPY_NAMES))))


def test_a_cost_is_the_one_that_qnet_cost_computes():
    system = qnet.load(str(EXAMPLES / "paging-users.toml"))
    for users in (200.0, 400.0):
        changed = with_settings(system, {"users": repr(users)})
        for name in system.costs:
            answer = formulas(system, name)
            expected = cost(changed, [name]).found[0].value
            if expected is not None:
                found = answer.at(answer.of("cost", name), used(answer, {"users": users}))
                assert found == pytest.approx(expected, rel=1e-12)


# Solving for a parameter


def taking(time):
    return SINGLE.replace('time = "service"', f'time = "{time}"')


@pytest.mark.parametrize(
    ("text", "metric", "name"),
    [
        (SINGLE, "response", "rate"), (SINGLE, "response", "service"), (SINGLE, "response", "variation"),
        (SINGLE, "utilization", "rate"), (SINGLE, "queue_length", "rate"),
        (SHARED, "max_rate", "hit"), (SHARED, "max_rate", "base"),
        (SPLIT, "max_rate", "skew"), (NESTED, "response", "outer"),
        (CLOSED, "n_star", "think"), (CLOSED, "throughput_upper", "think"), (CLOSED, "response_upper", "users"),
        (CLOSED, "balanced_throughput_lower", "disk_time"),
    ],
)  # fmt: skip
def test_a_solved_formula_gives_the_parameter_back(model, text, metric, name):
    system = model(text)
    straight = formulas(system, metric)
    item = straight.of(metric)
    changed = straight.definitions[name].value * 1.01
    target = straight.at(item, {name: changed})
    inverse = formula(system, metric, solve_for=name, value=repr(target) + unit_of(item))
    assert inverse.formulas[0].value == pytest.approx(changed, rel=1e-9)


def unit_of(item):
    return {(1, 0): " s", (-1, 0): "/s", (0, 0): ""}[tuple(item.dimension)]


def test_of_one_queue_the_rate_at_a_response_is_known(model):
    system = model(SINGLE.replace("variation = 2.5", "variation = 1"))
    inverse = formula(system, "response", solve_for="rate", value="60 ms", keep=["service", "rate"])
    assert text_of(inverse.formulas[0].expression) == "(response - service)/(response*service)"
    assert inverse.formulas[0].value == pytest.approx(1 / 0.03 - 1 / 0.06)


@pytest.mark.parametrize(
    ("text", "metric", "name", "reason"),
    [
        (SHARED, "response", "rate", "Erlang's C"),
        (SINGLE, "max_rate", "variation", "does not depend"),
        (SHARED, "demand", "slow", "is computed from others"),
        (taking("floor(1000 * variation) * 1 us"), "demand", "variation", "rounded"),
        (taking("exp(-variation) * 1 ms"), "demand", "variation", "transcendental"),
        (taking("(variation**3 + variation) * 1 us"), "demand", "variation", "degree"),
    ],
)  # fmt: skip
def test_what_algebra_cannot_solve_is_refused_with_the_reason(model, text, metric, name, reason):
    with pytest.raises(NotComputed, match=reason):
        formula(model(text), metric, solve_for=name)


# Refusals


def test_a_figure_of_the_solution_in_a_time_is_refused_by_name(model):
    text = SINGLE.replace('"service"', "\"service + 0.1 * wait('cpu')\"")
    with pytest.raises(NotComputed, match=r"wait\('cpu'\)"):
        formula(model(text))


@pytest.mark.parametrize(
    ("text", "metric", "reason"),
    [
        (CLOSED, "response", "is closed"),
        (SINGLE, "n_star", "no closed class"),
        (MIXED.replace('{ discipline = "ps" }\ndisk', '{ servers = 2, discipline = "ps" }\ndisk'), "n_star", "shares"),
        (CLOSED, "max_users", "no capacity"),
    ],
)
def test_what_has_no_closed_form_says_why(model, text, metric, reason):
    with pytest.raises(NotComputed, match=reason):
        formula(model(text), metric)


@pytest.mark.parametrize(
    ("metric", "nearest"),
    [("respnse", "response"), ("max_rat", "max_rate"), ("demand('cpi')", "cpu"), ("utilisation", "utilization")],
)
def test_an_unknown_metric_is_told_the_nearest(model, metric, nearest):
    with pytest.raises(UsageError, match=nearest):
        formula(model(SINGLE), metric)


def test_without_a_steady_state_demands_and_capacities_are_told(model):
    answer = formula(model(SINGLE.replace("20/s", "40/s")))
    assert answer.of("max_rate").value == pytest.approx(1 / 0.03)
    assert answer.of("utilization").value is None
    assert any("no steady state" in note for note in answer.notes)


def test_every_metric_is_known_by_name(model):
    assert {*METRICS, "max_rate", "work"} <= set(names(model(SINGLE)))


# Chains


@pytest.mark.parametrize("buy", [0.02, 0.3, 0.9])
def test_a_chain_has_the_bounds_of_the_solver(buy):
    system = qnet.load(str(EXAMPLES / "web-shop.toml"))
    answer = formulas(system, BOUNDS)
    solved = solve_points(system, {"buy": buy}, asked=Wanted(bounds="asymptotic")).parts[0].solution
    found = [combined(answer, metric, "", {"buy": buy}) for metric in BOUNDS]
    assert found == pytest.approx(list(solved.classes[0].enclosed), rel=1e-12)


def test_a_way_that_nobody_goes_is_not_dropped_in_silence():
    system = with_settings(qnet.load(str(EXAMPLES / "web-shop.toml")), {"buy": "0"})
    answer = formula(system, "demand")
    assert answer.fixed == {"buy": 0.0}
    assert "buy" not in answer.definitions


# The storage controller


def test_the_largest_rate_of_the_3990_6_is_a_formula_of_its_parts():
    system = qnet.load("ibm-3990-6")
    answer = formulas(system, "max_rate")
    names_used = set(answer.definitions)
    assert {"write_fraction", "read_hit", "block", "cu.destage_overhead", "cu.stage_overhead"} <= names_used
    assert answer.of("max_rate").about == "back_end"


@pytest.mark.parametrize("write_fraction", [0.0, 0.1, 0.2, 0.3, 0.5, 1.0])
def test_the_largest_rate_of_the_3990_6_is_the_numeric_one(write_fraction):
    system = qnet.load("ibm-3990-6")
    varied = {"write_fraction": write_fraction}
    solved = solve_points(system, varied)
    edge = saturation(system, solved, varied)
    answer = formulas(system, "max_rate")
    found = min((answer.at(item, varied), item.about) for item in answer.formulas if item.value is not None)
    assert found[0] == pytest.approx(600 * edge.factor, rel=1e-9)
    assert found[1] == edge.cause


def test_the_response_of_the_3990_6_is_refused():
    with pytest.raises(NotComputed, match="fixed point"):
        formula(qnet.load("ibm-3990-6"), "response")


def test_latex_has_matching_braces(model):
    for text in (SINGLE, SHARED, CLOSED, MIXED):
        for item in formula(model(text)).formulas:
            latex = latex_of(item.expression)
            assert latex.count("{") == latex.count("}")
            assert latex.count(r"\left") == latex.count(r"\right")
            assert r"\_" not in latex
