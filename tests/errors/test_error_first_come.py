"""Closed classes first come first served with times that differ or are not exponential: against exact Markov chains."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from closed_phases import Small, exact_figures
from closed_systems import EXACT, REGIONS, exact, systems
from constant_chain import Constant, throughputs
from measuring import assert_told

import qnet
from qnet.networks.measured_errors import MEASURED

KEPT: dict[str, Any] = json.loads(EXACT.read_text())


def errors(name: str, discipline: str = "fcfs") -> Any:
    """The largest relative error of throughput in each system."""
    cases = systems(name)
    found = qnet.Network(
        np.array([item.demands for item in cases]),
        visits=np.array([item.visits for item in cases]),
        disciplines=[discipline] * 2,
        servers=[REGIONS[name][2], 1],
        population=np.array([item.population for item in cases]).T,
        think_time=np.array([item.think for item in cases]).T,
        scv=np.array([item.scv for item in cases]),
    ).solve()
    assert found.exact == (discipline == "ps") and (found.method == "residual-service") != found.exact
    return np.abs(found.throughput / np.array(KEPT[name]) - 1).max(-1)


@pytest.mark.long
@pytest.mark.parametrize("name", REGIONS)
def test_the_errors_are_those_that_are_told(name: str):
    assert_told(name, errors(name).tolist())


@pytest.mark.parametrize("name", ["first come first served", "first come first served: several servers"])
def test_product_form_errs_more(name: str):
    """On the same systems, which is why it is not chosen."""
    assert_told(f"{name}, by product form", errors(name, "ps").tolist())
    assert MEASURED[name].median < MEASURED[f"{name}, by product form"].median


def constant(draw: np.random.Generator, population: tuple[int, ...]) -> Constant:
    """Classes whose constant times differ by a factor of up to 3."""
    kinds, one = len(population), 10 ** draw.uniform(-0.5, 0.5)
    times = one * 3 ** draw.uniform(-0.5, 0.5, kinds)
    return Constant(population, tuple(10 ** draw.uniform(-1, 0.7, kinds)), tuple(times),
                    tuple(10 ** draw.uniform(-1, 0.5, kinds)))  # fmt: skip


def told_constant(cases: list[Constant]) -> Any:
    """Throughputs of systems of the same populations."""
    kinds = len(cases[0].population)
    return qnet.Network(
        np.array([[item.times, item.shared] for item in cases]),
        disciplines=["fcfs", "ps"],
        population=[float(count) for count in cases[0].population],
        think_time=np.array([item.think for item in cases]).T,
        scv=np.array([[[0.0] * kinds, [1.0] * kinds]] * len(cases)),
    ).solve().throughput  # fmt: skip


def test_constant_times():
    draw, found = np.random.default_rng(639), list[float]()
    for population in ((2,), (4,), (1, 1), (2, 2), (1, 3)):
        cases = [constant(draw, population) for _ in range(40)]
        exact = np.array([throughputs(item) for item in cases])
        found += np.abs(told_constant(cases) / exact - 1).max(-1).tolist()
    assert_told("first come first served: constant times", found)


def test_a_customer_alone_waits_for_nobody_before_a_constant_service():
    alone = Constant((1,), (1.0,), (0.5,), (0.25,))
    assert throughputs(alone) == pytest.approx([1 / 1.75])
    assert told_constant([alone]) == pytest.approx(np.array([[1 / 1.75]]))


@pytest.mark.parametrize("name", REGIONS)
def test_what_is_kept_is_what_the_chain_says(name: str):
    small = [place for place, item in enumerate(systems(name)) if sum(item.population) < 4][:10]
    cases = systems(name)
    assert exact([cases[place] for place in small]) == pytest.approx(np.array(KEPT[name])[small], rel=1e-7)


@pytest.mark.long
@pytest.mark.parametrize("name", REGIONS)
def test_they_are_much_smaller_than_those_of_processor_sharing(name: str):
    ours, theirs = (np.quantile(errors(name, discipline), [0.5, 0.9, 1.0]) for discipline in ("fcfs", "ps"))
    assert (ours < 0.65 * theirs).all()


def small() -> Small:
    return Small(
        times=[[0.4, 0.4], [0.7, 0.7]], scv=[[1.0, 1.0], [1.0, 1.0]], servers=[1, 1], think=[0.5, 2.0],
        population=[1, 3], first=[0.3, 0.8], onward=[[0.5, 0.2], [0.1, 0.6]],
    )  # fmt: skip


def solved(item: Small, method: str = "auto") -> Any:
    network = qnet.Network(
        item.demands, visits=item.visits, disciplines=["fcfs"] * 2, servers=item.servers, population=item.population,
        think_time=item.think, scv=item.scv,
    )  # fmt: skip
    return network.solve(method)


def test_the_chain_is_that_of_product_form_where_times_are_equal_and_exponential():
    throughput, residence = exact_figures(small())
    found = solved(small())
    assert found.exact
    assert found.throughput == pytest.approx(throughput)
    assert found.residence == pytest.approx(residence)


def test_one_customer_waits_for_nobody():
    alone = small()._replace(population=[1, 0], scv=[[0.5, 4.0], [2.0, 1.0]])
    found = solved(alone, "residual-service")
    assert found.throughput[0] == pytest.approx(1 / (alone.think[0] + alone.demands[:, 0].sum()))
