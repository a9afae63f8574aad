"""Formulas of bounds and of N* against the numeric solver."""

import pytest
from formulas import BOUNDS, CLOSED, EXAMPLES, MIXED, combined, formulas, model, some_numbers, used
from many import many

import qnet
from qnet.errors import NotComputed
from qnet.networks.wanted import Wanted
from qnet.questions.points.points import solve_points


@many("seed", range(5))
@pytest.mark.parametrize("text", [CLOSED, MIXED], ids=["closed", "mixed"])
def test_asymptotic_bounds_are_those_of_the_solver(text, seed):
    system = model(text)
    numbers = some_numbers(system, seed)
    answer = formulas(system, BOUNDS)
    solved = solve_points(system, numbers, asked=Wanted(bounds="asymptotic")).parts[0].solution
    for item in solved.classes:
        if item.population is not None:
            name = item.name if len(solved.classes) > 1 else ""
            found = [combined(answer, metric, name, numbers) for metric in BOUNDS]
            assert found == pytest.approx(list(item.enclosed), rel=1e-12)


@many("seed", range(5))
def test_balanced_bounds_are_those_of_the_solver(seed):
    system = model(CLOSED)
    numbers = some_numbers(system, seed)
    asked = tuple(f"balanced_{metric}" for metric in BOUNDS)
    answer = formulas(system, asked)
    enclosed = solve_points(system, numbers, asked=Wanted(bounds="balanced")).parts[0].solution.classes[0].enclosed
    found = [combined(answer, metric, "", numbers) for metric in asked]
    assert found == pytest.approx(list(enclosed), rel=1e-12)


@many("seed", range(4))
def test_n_star_is_where_the_two_lines_of_the_bound_meet(seed):
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


@pytest.mark.parametrize("buy", [0.02, 0.3, 0.9])
def test_a_chain_has_the_bounds_of_the_solver(buy):
    system = qnet.load(str(EXAMPLES / "web-shop.toml"))
    answer = formulas(system, BOUNDS)
    solved = solve_points(system, {"buy": buy}, asked=Wanted(bounds="asymptotic")).parts[0].solution
    found = [combined(answer, metric, "", {"buy": buy}) for metric in BOUNDS]
    assert found == pytest.approx(list(solved.classes[0].enclosed), rel=1e-12)


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


def test_bounds_leave_work_out_that_is_done_after_the_response():
    system = model(LEAVING)
    answer = formulas(system, ("throughput_upper", "response_lower"))
    by_place = {(item.metric, item.about): answer.at(item, {"jobs": 8}) for item in answer.formulas}
    assert by_place["response_lower", "no queueing"] == pytest.approx(0.001)
    assert by_place["throughput_upper", "no queueing"] == pytest.approx(8 / 0.021)
    assert by_place["throughput_upper", "disk"] == pytest.approx(200)
    with pytest.raises(NotComputed):
        formulas(system, ("throughput_lower",))
