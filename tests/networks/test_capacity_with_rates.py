"""Stations with a capacity whose rates depend on the number present: against the oracle's chain, and M/M/c/K."""

from __future__ import annotations

import random
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from many import many

sys.path.append(str(Path(__file__).resolve().parents[1]))

import oracle

import qnet
from qnet.documents import parse
from qnet.errors import NotComputed
from qnet.lazy import np
from qnet.model.load import build
from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.points.points import Solved, solve_points
from qnet.queues.places import priority_loss, rated_loss
from qnet.queues.stations.m_m_c_k import m_m_c_k

OPEN = AUTO.replace(method="open")


def read(text: str) -> Model:
    return build(parse(f'qnet = 1\ntitle = "batching"\n{text}'.encode(), "model.toml"), "model.toml")


def solved(model: Model, wanted: Wanted = OPEN) -> Solved:
    return solve_points(model, asked=wanted)


def agrees(model: Model, rest: Solved) -> None:
    """All means and losses are those of the chain."""
    exact = oracle.exact(model)
    solution = rest.parts[0].solution
    assert solution.exact
    for item in solution.classes:
        assert item.throughput == pytest.approx(exact.throughput[item.name], rel=1e-9)
        assert item.response == pytest.approx(exact.response[item.name], rel=1e-9)
    for item in solution.stations:
        assert item.queue_length == pytest.approx(exact.queue_length[item.label], rel=1e-9)
        assert item.utilization == pytest.approx(exact.utilization[item.label], rel=1e-9)


SHAPES = {
    "shared": '[stations]\ns = { discipline = "ps", rates = [1, 1.7, 2.1], capacity = 5 }',
    "in order": "[stations]\ns = { rates = [1, 1.7, 2.1], capacity = 5 }",
    "last come": '[stations]\ns = { discipline = "lcfs-pr", rates = [1, 1.7, 2.1], capacity = 4 }',
    "slower": "[stations]\ns = { rates = [1, 0.9, 0.6], capacity = 4 }",
    "faster than in proportion": '[stations]\ns = { discipline = "ps", rates = [1, 3], capacity = 3 }',
    "one place": "[stations]\ns = { rates = [1.5, 9], capacity = 1 }",
    "fewer places than rates": "[stations]\ns = { rates = [1, 2, 3, 9], capacity = 2 }",
    "by a formula": '[stations]\ns = { rates = "min(n, 3) / (1 + 0.1 * (min(n, 3) - 1))", capacity = 6 }',
    "copies": "[stations]\ns = { rates = [1, 1.7], capacity = 3, copies = 2 }",
}
ONE = '[classes.a]\narrival_rate = "1.4/s"\nsteps = [ { station = "s", time = "0.9 s" } ]'


@pytest.mark.parametrize("shape", SHAPES)
def test_one_class_is_a_birth_death_process(shape: str) -> None:
    model = read(f"{SHAPES[shape]}\n{ONE}")
    agrees(model, solved(model))


@pytest.mark.parametrize("discipline", ["ps", "lcfs-pr"])
def test_classes_with_different_times_share_the_rate(discipline: str) -> None:
    model = read(
        f"""[stations]
s = {{ discipline = "{discipline}", rates = [1, 1.6], capacity = 3 }}
[classes.a]
arrival_rate = "1/s"
steps = [ {{ station = "s", time = "0.5 s" }} ]
[classes.b]
arrival_rate = "0.4/s"
steps = [ {{ station = "s", time = "1.5 s" }} ]"""
    )
    agrees(model, solved(model))


def test_downstream_of_a_queue_of_several_servers() -> None:
    """Departures of M/M/c are Poisson; the oracle's chain has no end there, so that the station is solved alone."""
    text = """[stations]
front = { servers = 2 }
s = { rates = [1, 1.7], capacity = 3 }
[classes.a]
arrival_rate = "1/s"
steps = [ { station = "front", time = "1 s" }, { station = "s", time = "1 s" } ]"""
    both = solved(read(text))
    alone = rated_loss(1.0, (1.0, 1.7), 3)
    assert both.parts[0].solution.throughput == pytest.approx(alone.kept, rel=1e-12)


@pytest.mark.long
@many("seed", range(40))
def test_random_stations(seed: int) -> None:
    chance = random.Random(seed)
    rates = [round(chance.uniform(0.3, 4.0), 3) for _ in range(chance.randint(1, 4))]
    discipline = chance.choice(["fcfs", "ps", "lcfs-pr"])
    model = read(
        f"""[stations]
s = {{ discipline = "{discipline}", rates = {rates}, capacity = {chance.randint(1, 7)} }}
[classes.a]
arrival_rate = "{chance.uniform(0.1, 5):.3f}/s"
steps = [ {{ delay = "0.2 s" }}, {{ station = "s", time = "0.7 s" }} ]"""
    )
    agrees(model, solved(model))


@pytest.mark.parametrize("load", [0.0, 0.2, 3.0, 40.0, 1e6])
@pytest.mark.parametrize(("servers", "places"), [(1, 1), (3, 3), (4, 30), (2, 1000)])
def test_rates_in_proportion_are_servers(load: float, servers: int, places: int) -> None:
    line = rated_loss(load, [float(number) for number in range(1, servers + 1)], places)
    expected = m_m_c_k(load, 1.0, servers, places)
    assert 1 - line.kept == pytest.approx(expected.blocking, rel=1e-9, abs=1e-12)
    assert line.number == pytest.approx(expected.queue_length, rel=1e-9)


def test_a_grid_of_loads_is_solved_at_once() -> None:
    model = read(f'[parameters]\nrate = "1/s"\n{SHAPES["shared"]}\n{ONE.replace("1.4/s", "rate")}')
    grid = solve_points(model, {"rate": np.array([0.5, 1.0, 2.0])}, size=3, asked=OPEN)
    each = [solve_points(model, {"rate": rate}, asked=OPEN).parts[0].solution.response for rate in (0.5, 1.0, 2.0)]
    assert list(grid.parts[0].solution.response) == pytest.approx(each, rel=1e-12)


def test_times_that_are_not_exponential_are_not_called_exact_in_order() -> None:
    varied = ONE.replace('0.9 s"', '0.9 s", scv = 3')
    model = read(f"{SHAPES['in order']}\n{varied}")
    assert not solved(model).parts[0].solution.exact


def test_priorities_there_are_refused_except_as_a_chain() -> None:
    model = read(
        """[stations]
s = { discipline = "priority", rates = [1, 1.6], capacity = 3 }
[classes.a]
arrival_rate = "1/s"
priority = 1
steps = [ { station = "s", time = "0.5 s" } ]
[classes.b]
arrival_rate = "0.4/s"
steps = [ { station = "s", time = "0.5 s" } ]"""
    )
    with pytest.raises(NotComputed, match="priorities"):
        solved(model)
    agrees(model, solved(model, AUTO))


def test_closed_classes_are_solved_as_a_chain() -> None:
    model = read(
        f"""{SHAPES["in order"].replace("5", "2")}
[classes.a]
population = 4
think_time = "1 s"
steps = [ {{ station = "s", time = "0.5 s" }} ]"""
    )
    agrees(model, solved(model, AUTO))


def test_the_demand_has_a_formula_where_the_capacity_is_a_parameter() -> None:
    records = qnet.load("llm-server").formula().records()
    assert [row["value"] for row in records if row["metric"] == "demand"] == [pytest.approx(128 / 75)]


@pytest.mark.parametrize("load", [1e6, 1e12, 1e200])
def test_the_least_share_that_is_admitted_has_all_its_digits(load: float) -> None:
    """Far above its capacity a station serves at its highest rate: one less the share that is lost would not say it."""
    weights = [Fraction(1)]
    for number in range(30):
        weights.append(weights[-1] * Fraction(load) / (Fraction(1.7) if number else 1))
    admitted = float(sum(weights[:-1]) / sum(weights))
    assert rated_loss(load, [1.0, 1.7], 30).kept == pytest.approx(admitted, rel=1e-14)


@pytest.mark.parametrize("load", [1e6, 1e12])
def test_what_priorities_admit_at_high_loads_is_what_they_serve(load: float) -> None:
    line = priority_loss((load, load), (1.0, 1.0), servers=2, places=4, interrupting=True)
    assert line.kept * 2 * load == pytest.approx(m_m_c_k(2 * load, 1.0, 2, 4).throughput, rel=1e-13)
