"""Approximate answers of `qnet.Network`: lawful, near the exact ones, enclosed, chosen for reasons that are told."""

from __future__ import annotations

import importlib
import random
from typing import Any

import pytest
from full import FULL, long_but
from many import many
from product_networks import Case, random_case

import qnet
from qnet.errors import NotComputed

pytestmark = pytest.mark.sliced

np: Any = importlib.import_module("numpy")

SEEDS = 60 if FULL else 24
METHODS = ("linearizer", "aql", "bard-schweitzer")


def drawn(seed: int, sort: str) -> Case:
    """A network of servers, without rates that only exact methods take."""
    rng = random.Random(f"approximations {seed}")
    while True:
        case = random_case(rng, sort, spread=0.7, busiest=0.8, customers=9)
        if not any(case["rates"]):
            return case


@many("method", METHODS)
@pytest.mark.parametrize("sort", long_but(["closed", "mixed"], "mixed"))
def test_answers_keep_the_laws_and_are_near_the_exact_ones(sort: str, method: str):
    errors: list[float] = []
    for seed in range(SEEDS):
        case = drawn(seed, sort)
        network = qnet.Network(**case)
        exact, found = network.solve(), network.solve(method)
        assert found.method == method and not found.exact and found.reasons[0] == f"{method} is an approximation"
        np.testing.assert_allclose(found.queue_length, found.throughput * found.residence, rtol=1e-9)
        assert (found.utilization.sum(axis=1) <= 1 + 1e-12).all()
        for kind, count in enumerate(case["population"]):
            if count is not None:
                present = found.queue_length[:, kind].sum() + found.throughput[kind] * case["think_time"][kind]
                assert present == pytest.approx(count, rel=1e-8)
        busy = exact.throughput > 0
        errors.append(float(np.abs(found.throughput[busy] / exact.throughput[busy] - 1).max(initial=0.0)))
    # Published bands: Linearizer and AQL within a few per cent, Bard-Schweitzer within some ten.
    assert np.median(errors) < (0.05 if method == "bard-schweitzer" else 0.01)
    assert max(errors) < 0.25


@pytest.mark.parametrize("sort", ["closed", "mixed"])
def test_bounds_beside_an_approximation_enclose_the_exact_answer(sort: str):
    for seed in range(SEEDS):
        network = qnet.Network(**drawn(seed, sort))
        exact, bounds = network.solve(), network.solve("bard-schweitzer").bounds
        assert bounds is not None
        assert (bounds.throughput_lower <= exact.throughput * (1 + 1e-9)).all()
        assert (bounds.throughput_upper >= exact.throughput * (1 - 1e-9)).all()


def test_open_classes_beside_one_server_are_exact_where_the_closed_queue_is():
    """One customer in all: every approximation of the closed class is exact, and so is what the open one meets."""
    network = qnet.Network(
        [[0.2, 0.3]], population=[1, None], think_time=[1.0, 0.0], arrival_rate=[None, 2.0], disciplines="ps"
    )
    exact = network.solve()
    for method in METHODS:
        assert network.solve(method).response == pytest.approx(exact.response, rel=1e-9)


def test_a_budget_too_small_for_exactness_is_told():
    network = qnet.Network([[0.1, 0.2], [0.3, 0.1]], population=[5, 5], think_time=[1.0, 1.0], disciplines="ps")
    found = network.solve(operations=10)
    assert found.method == "linearizer" and not found.exact
    assert found.why.startswith("too large for an exact answer (")


def test_fractional_populations_lie_between_whole_ones():
    def throughput(population: float) -> tuple[float, str]:
        found = qnet.Network([[0.1], [0.3]], population=[population], think_time=[1.0]).solve()
        return float(found.throughput[0]), found.why

    below, between, above = throughput(3), throughput(3.5), throughput(4)
    assert below[0] < between[0] < above[0]
    assert between[1] == "a population is fractional, and exact methods need integers"


def test_rates_that_approximations_do_not_take_are_refused_with_the_size_of_the_exact_answer():
    network = qnet.Network(
        [[1.0 + k + r for r in range(6)] for k in range(6)], rates=[[1, 1.5]] * 6, population=[40] * 6, disciplines="ps"
    )
    with pytest.raises(NotComputed, match="too large for an exact answer") as refused:
        network.solve()
    assert refused.value.problems[0].code == "QN515"
    with pytest.raises(NotComputed, match="rates") as refused:
        network.solve("linearizer")
    assert refused.value.problems[0].code == "QN513"


def test_approximations_have_no_state_probabilities():
    network = qnet.Network([[0.1], [0.3]], population=[3])
    with pytest.raises(NotComputed, match="linearizer does not apply: it gives no state probabilities"):
        network.solve("linearizer", state_probabilities=True)


@many("method", METHODS)
def test_a_batch_is_each_of_its_points(method: str):
    demands = [[[0.1 * (1 + b), 0.2], [0.3, 0.1 + 0.05 * b]] for b in range(4)]
    whole = qnet.Network(demands, servers=[2, 1], population=[6, 3], think_time=[1.0, 2.0], disciplines="ps").solve(
        method
    )
    for place in range(4):
        one = qnet.Network(
            demands[place], servers=[2, 1], population=[6, 3], think_time=[1.0, 2.0], disciplines="ps"
        ).solve(method)
        assert whole.throughput[place] == pytest.approx(one.throughput, rel=1e-8)
        assert whole.residence[place] == pytest.approx(one.residence, rel=1e-7)
