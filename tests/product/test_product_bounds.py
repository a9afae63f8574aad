"""Bounds of open, closed and mixed networks enclose the exact answer, and refuse what they are not known for."""

from __future__ import annotations

import importlib
import random
from itertools import pairwise
from typing import Any

import pytest
from full import FULL
from many import many
from product_networks import SORTS, Case, random_case

import qnet
from qnet.errors import InvalidInput, NoAnswer, NotComputed

pytestmark = pytest.mark.sliced

np: Any = importlib.import_module("numpy")

BLOCK = 25
ROUNDING = 1e-10
KINDS = ("asymptotic", "balanced", "composite", "proportional", "geometric")


def applies(case: Case, kind: str) -> bool:
    """What the table of the bounds promises."""
    queues = [place for place, word in enumerate(case["kinds"]) if word == "queue"]
    rates = [case["rates"][place] or [1.0] for place in queues]
    rising = all(rate <= later for row in rates for rate, later in pairwise(row))
    plain = all(case["servers"][place] == 1 and case["rates"][place] is None for place in queues)
    closed = [count for count in case["population"] if count is not None]
    if kind == "asymptotic":
        return True
    if kind == "balanced":
        return rising or not closed
    if kind == "composite":
        return rising and bool(closed)
    return plain and len(closed) == 1


def enclosed(case: Case, kind: str) -> None:
    network = qnet.Network(**case)
    exact, found = network.solve(), network.bounds(kind)
    low, high = found.throughput_lower, found.throughput_upper
    assert (low <= exact.throughput * (1 + ROUNDING)).all() and (exact.throughput <= high * (1 + ROUNDING)).all()
    slack = ROUNDING * (exact.response + np.array(case["think_time"]))
    assert (found.response_lower <= exact.response + slack).all()
    assert (exact.response <= found.response_upper + slack).all()
    for figure in (low, high, found.response_lower, found.response_upper):
        assert np.isfinite(figure).all() and (figure >= 0).all()


@many("start", range(0, 6000 if FULL else 400, BLOCK))
@many("kind", KINDS)
def test_bounds_enclose_the_exact_answer(kind: str, start: int):
    for seed in range(start, start + BLOCK):
        rng = random.Random(f"bounds {seed}")
        case = random_case(rng, SORTS[seed % 3], classes=rng.choice([1, 3]), customers=8, single=rng.random() < 0.5)
        if applies(case, kind):
            try:
                enclosed(case, kind)
            except AssertionError as error:
                raise AssertionError(f"{kind}, seed {seed}: {case}") from error


@many("kind", KINDS)
def test_bounds_apply_where_they_are_promised_and_refuse_the_rest(kind: str):
    told = {True: 0, False: 0}
    for seed in range(300):
        rng = random.Random(f"promise {seed}")
        case = random_case(rng, SORTS[seed % 3], classes=rng.choice([1, 2]), single=seed % 2 == 0)
        wanted = applies(case, kind)
        told[wanted] += 1
        if wanted:
            qnet.Network(**case).bounds(kind)
        else:
            with pytest.raises(NotComputed) as failure:
                qnet.Network(**case).bounds(kind)
            assert failure.value.problems[0].code == "QN513"
    assert told[True] > 20


@pytest.mark.parametrize(
    ("case", "kind", "words"),
    [
        ({"demands": [[1.0, 2.0]], "population": [2, 1]}, "geometric", "one class only"),
        ({"demands": [[1.0, 2.0]], "population": [2, 1]}, "proportional", "one class only"),
        ({"demands": [[1.0]], "servers": [2], "population": [2]}, "geometric", "one server only"),
        ({"demands": [[1.0]], "servers": [2], "population": [2]}, "proportional", "one server only"),
        ({"demands": [[1.0]], "rates": [[2.0, 1.0]], "population": [2]}, "balanced", "do not fall"),
        ({"demands": [[1.0]], "rates": [[2.0, 1.0]], "population": [2]}, "composite", "do not fall"),
        ({"demands": [[1.0]], "arrival_rate": [0.5]}, "geometric", "closed classes only"),
        ({"demands": [[1.0]], "arrival_rate": [0.5]}, "composite", "closed classes only"),
    ],
)
def test_a_refused_bound_says_why(case: Case, kind: str, words: str):
    with pytest.raises(NotComputed, match=words) as failure:
        qnet.Network(**case).bounds(kind)
    assert failure.value.problems[0].code == "QN513"


@many("kind", KINDS)
def test_a_bound_of_a_class_without_any_time_has_no_limit(kind: str):
    with pytest.raises(NoAnswer) as failure:
        qnet.Network([[0.0]], population=[3]).bounds(kind)
    assert failure.value.problems[0].code == "QN403"


@pytest.mark.parametrize("kind", ["asymptotic", "balanced"])
def test_bounds_of_an_overload_have_no_steady_state(kind: str):
    with pytest.raises(NoAnswer) as failure:
        qnet.Network([[1.0]], arrival_rate=[1.5]).bounds(kind)
    assert failure.value.problems[0].code == "QN401"


def test_an_unknown_bound_is_refused_with_those_that_there_are():
    with pytest.raises(InvalidInput, match="jackson") as failure:
        qnet.Network([[1.0]], population=[1]).bounds("jackson")
    assert failure.value.problems[0].code == "QN514"
    assert all(kind in failure.value.problems[0].expected for kind in KINDS)


def test_the_throughput_of_an_open_class_is_its_arrival_rate():
    found = qnet.Network([[0.2, 1.0]], population=[None, 3], arrival_rate=[2.0, None], disciplines="ps").bounds()
    assert found.throughput_lower[0] == found.throughput_upper[0] == 2.0


def test_an_answer_knows_bounds_that_enclose_it():
    found = qnet.Network([[0.2, 1.0], [0.4, 0.3]], population=[4, 3], disciplines="ps").solve()
    assert found.bounds is not None
    assert (found.bounds.throughput_lower <= found.throughput).all()
    assert (found.throughput <= found.bounds.throughput_upper).all()


def test_an_answer_without_product_form_knows_no_bounds():
    network = qnet.Network([[0.2, 1.0]], visits=[[1, 1]], disciplines=["fcfs"], population=[4, 3])
    assert network.solve(method="mva").bounds is None


@pytest.mark.parametrize(
    "case",
    [
        {"demands": [[0.01, 10.0]], "population": [1, 1], "think_time": [1, 1]},
        {"demands": [[0.5, 0.5]], "population": [1, 1], "disciplines": "preemptive", "priority": [0, 1]},
        {"demands": [[0.5], [0.5]], "population": [4], "scv": [[4.0], [1.0]]},
        {"demands": [[1.0], [0.2]], "arrival_rate": [0.8], "scv": [[9.0], [1.0]]},
        {"demands": [[[0.5, 0.5]], [[0.5, 0.2]]], "population": [1, 1]},
    ],
)
def test_bounds_are_refused_without_product_form(case: Case):
    """Waits for others of a longer time, or served before, are beyond those that the bounds assume."""
    shared = {key: value for key, value in case.items() if key not in ("disciplines", "priority")}
    assert (qnet.Network(**shared, disciplines="ps").bounds().throughput_lower > 0).all()
    with pytest.raises(NotComputed, match="product-form networks only: station 0") as failure:
        qnet.Network(**case).bounds()
    assert failure.value.problems[0].code == "QN513"


@pytest.mark.parametrize("kind", ["asymptotic", "balanced", "composite", "proportional", "geometric"])
def test_bounds_of_a_batch_are_those_of_its_points(kind: str):
    rng = np.random.default_rng(3)
    demands, population = rng.uniform(0.1, 1.0, (7, 3, 1)), rng.integers(0, 9, 7)
    whole = qnet.Network(demands, population=[population], think_time=[2.0], disciplines="ps").bounds(kind)
    for index in range(7):
        point = qnet.Network(demands[index], population=[population[index]], think_time=[2.0], disciplines="ps").bounds(
            kind
        )
        for name in ("throughput_lower", "throughput_upper", "response_lower", "response_upper"):
            np.testing.assert_array_equal(getattr(whole, name)[index], getattr(point, name))
