"""Laws that every answer keeps: Little, flow, population, arrivals, units, order, and classes that differ in name only.

`QNET_FULL=1` runs 20,000 networks instead of a slice of them.
"""

from __future__ import annotations

import importlib
import random
from typing import Any

import pytest
from full import FULL
from many import many
from product_networks import SORTS, Case, capacity, lasting, peak, random_case

import qnet
from qnet.networks.product.figures import figures

pytestmark = pytest.mark.sliced

np: Any = importlib.import_module("numpy")

BLOCK = 50
BLOCKS = range(0, 20_000 if FULL else 700, BLOCK)


def drawn(seed: int) -> Case:
    """The network of a seed: from small ones of any kind to single servers with many customers."""
    rng = random.Random(f"laws {seed}")
    sort = SORTS[seed % 3]
    if seed % 5 == 0:
        return random_case(rng, sort, stations=6, classes=1 if sort == "closed" else 2, customers=80, spread=3.0)
    return random_case(rng, sort, spread=rng.choice([0.5, 1.0, 2.0]), single=rng.random() < 0.3)


def near(found: Any, wanted: Any, law: str, tolerance: float) -> None:
    """As `np.testing.assert_allclose`, which takes ten times as long, of what is finite."""
    assert np.shape(found) == np.shape(wanted), law
    assert (np.abs(found - wanted) <= 1e-300 + tolerance * np.abs(wanted)).all(), (law, found, wanted)


def certify(case: Case, found: Any, tolerance: float = 1e-9) -> None:
    """The laws of one answer, each from the arguments alone."""
    demands = np.array(case["demands"])
    figures = (found.throughput, found.response, found.residence, found.queue_length, found.utilization)
    for figure in (*figures, found.busy_servers):
        assert np.isfinite(figure).all() and (figure >= 0).all()
    assert found.exact and not found.reasons
    near(found.queue_length, found.throughput * found.residence, "Little", tolerance)
    near(found.response, found.residence.sum(axis=0), "response", tolerance)
    near(found.busy_servers, found.throughput * demands, "utilization law", tolerance)
    for kind, count in enumerate(case["population"]):
        rate = found.throughput[kind]
        if count is None:
            assert rate == case["arrival_rate"][kind]
        else:
            present = found.queue_length[:, kind].sum() + rate * case["think_time"][kind]
            near(present, count, "population", tolerance)
            assert (rate > 0) == (count > 0)
    for place, kind in enumerate(case["kinds"]):
        here = demands[place]
        if kind == "delay":
            near(found.residence[place], here, "delay", tolerance)
            assert not found.utilization[place].any()
            continue
        used = found.throughput * demands[place] / peak(case, place)
        near(found.utilization[place], used, "utilization", tolerance)
        assert found.utilization[place].sum() <= 1 + 1e-12
        least = min((count + 1) / capacity(case, place, count + 1) for count in range(8))
        assert (found.residence[place] >= here * least * (1 - tolerance)).all()
        if peak(case, place) == 1 and lasting(case, place) == 1 and not case["rates"][place]:
            # Poisson arrivals see the time average.
            met = 1 + found.queue_length[place].sum()
            opened = np.array([count is None for count in case["population"]])
            expected = demands[place] * met
            near(found.residence[place][opened], expected[opened], "arrivals", tolerance)


@many("start", BLOCKS)
def test_laws_of_every_answer(start: int):
    for seed in range(start, start + BLOCK):
        case = drawn(seed)
        try:
            certify(case, qnet.Network(**case).solve())
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {case}") from error


def totals(found: Any) -> Any:
    """What does not depend on how the customers are named."""
    return np.concatenate([found.queue_length.sum(axis=1), found.utilization.sum(axis=1), [found.throughput.sum()]])


@many("seed", range(1000 if FULL else 60))
def test_a_closed_customer_that_arrives_sees_the_network_without_itself(seed: int):
    case = random_case(random.Random(f"arrival {seed}"), SORTS[1 + seed % 2], single=True)
    found = qnet.Network(**case).solve()
    for kind, count in enumerate(case["population"]):
        if count:
            population = [
                number - (place == kind) if number else number for place, number in enumerate(case["population"])
            ]
            met = qnet.Network(**{**case, "population": population}).solve().queue_length.sum(axis=1)
            delay = np.array(case["kinds"]) == "delay"
            demands = np.array(case["demands"])[:, kind]
            expected = np.where(delay, demands, demands * (1 + met))
            np.testing.assert_allclose(found.residence[:, kind], expected, rtol=1e-9)


@pytest.mark.parametrize("factor", [1e6, 1e-6])
@many("seed", range(500 if FULL else 30))
def test_another_unit_of_time_changes_the_units_only(seed: int, factor: float):
    case = random_case(random.Random(f"unit {seed}"), SORTS[seed % 3])
    other = {
        **case,
        "demands": (np.array(case["demands"]) * factor).tolist(),
        "think_time": [value * factor for value in case["think_time"]],
        "arrival_rate": [None if rate is None else rate / factor for rate in case["arrival_rate"]],
    }
    one, two = qnet.Network(**case).solve(), qnet.Network(**other).solve()
    np.testing.assert_allclose(two.throughput * factor, one.throughput, rtol=1e-10)
    np.testing.assert_allclose(two.residence / factor, one.residence, rtol=1e-10)
    np.testing.assert_allclose(two.queue_length, one.queue_length, rtol=1e-10)
    np.testing.assert_allclose(two.utilization, one.utilization, rtol=1e-10)


@many("seed", range(500 if FULL else 30))
def test_the_order_of_the_stations_does_not_matter(seed: int):
    rng = random.Random(f"stations {seed}")
    case = random_case(rng, SORTS[seed % 3])
    order = list(range(len(case["kinds"])))
    rng.shuffle(order)
    moved = {name: [case[name][place] for place in order] for name in ("demands", "kinds", "servers", "rates")}
    one, two = qnet.Network(**case).solve(), qnet.Network(**{**case, **moved}).solve()
    np.testing.assert_allclose(two.throughput, one.throughput, rtol=1e-10)
    np.testing.assert_allclose(two.residence, one.residence[order], rtol=1e-10)


@many("seed", range(500 if FULL else 30))
def test_the_order_of_the_classes_does_not_matter(seed: int):
    rng = random.Random(f"classes {seed}")
    case = random_case(rng, SORTS[seed % 3])
    order = list(range(len(case["population"])))
    rng.shuffle(order)
    moved: Case = {name: [case[name][kind] for kind in order] for name in ("population", "think_time", "arrival_rate")}
    moved["demands"] = [[row[kind] for kind in order] for row in case["demands"]]
    one, two = qnet.Network(**case).solve(), qnet.Network(**{**case, **moved}).solve()
    np.testing.assert_allclose(two.throughput, one.throughput[order], rtol=1e-10)
    np.testing.assert_allclose(two.residence, one.residence[:, order], rtol=1e-10)


def split(case: Case, kind: int, rng: random.Random) -> Case:
    """The network in which some customers of a class have another name."""
    population, rate = case["population"][kind], case["arrival_rate"][kind]
    some = None if population is None else rng.randint(0, population)
    share = None if rate is None else rate * rng.random()

    def parts(values: list[Any], first: Any) -> list[Any]:
        rest = None if values[kind] is None else values[kind] - first
        return [*values[:kind], first, *values[kind + 1 :], rest]

    return {
        **case,
        "demands": [[*row, row[kind]] for row in case["demands"]],
        "population": parts(case["population"], some),
        "arrival_rate": parts(case["arrival_rate"], share),
        "think_time": [*case["think_time"], case["think_time"][kind]],
    }


@many("seed", range(500 if FULL else 40))
def test_customers_that_differ_in_name_only_are_one_class(seed: int):
    rng = random.Random(f"split {seed}")
    case = random_case(rng, SORTS[seed % 3], classes=2)
    kind = rng.randrange(len(case["population"]))
    one, two = qnet.Network(**case).solve(), qnet.Network(**split(case, kind, rng)).solve()
    np.testing.assert_allclose(totals(two), totals(one), rtol=1e-10, atol=1e-300)
    joined = two.queue_length[:, kind] + two.queue_length[:, -1]
    np.testing.assert_allclose(joined, one.queue_length[:, kind], rtol=1e-10, atol=1e-300)


@many("seed", range(300 if FULL else 20))
def test_time_at_a_delay_is_think_time(seed: int):
    rng = random.Random(f"delay {seed}")
    case = random_case(rng, "closed")
    away = [rng.uniform(0, 2) for _ in case["population"]]
    inside: Case = {
        **case,
        "demands": [*case["demands"], away],
        "kinds": [*case["kinds"], "delay"],
        "servers": [*case["servers"], 1],
        "rates": [*case["rates"], None],
    }
    outside = {**case, "think_time": [think + time for think, time in zip(case["think_time"], away, strict=True)]}
    one, two = qnet.Network(**inside).solve(), qnet.Network(**outside).solve()
    np.testing.assert_allclose(one.throughput, two.throughput, rtol=1e-10)
    np.testing.assert_allclose(one.residence[:-1], two.residence, rtol=1e-10)


@many("seed", range(300 if FULL else 20))
def test_a_class_that_never_comes_changes_nothing_for_the_others(seed: int):
    rng = random.Random(f"absent {seed}")
    case = random_case(rng, SORTS[seed % 3], classes=2)
    opened = rng.random() < 0.5
    more: Case = {
        **case,
        "demands": [[*row, rng.uniform(0.1, 2)] for row in case["demands"]],
        "population": [*case["population"], None if opened else 0],
        "arrival_rate": [*case["arrival_rate"], 0.0 if opened else None],
        "think_time": [*case["think_time"], 0.0],
    }
    one, two = qnet.Network(**case).solve(), qnet.Network(**more).solve()
    np.testing.assert_allclose(two.throughput[:-1], one.throughput, rtol=1e-11)
    np.testing.assert_allclose(two.residence[:, :-1], one.residence, rtol=1e-11)
    assert two.throughput[-1] == 0 and not two.queue_length[:, -1].any()


def test_a_throughput_above_the_capacity_by_a_rounding_is_set_below_it_and_no_other_one_is_touched():
    network = qnet.Network([[0.1, 0.0], [0.0, 0.2]], population=[5, 5], think_time=[0.0, 1.0])
    found = figures(network, [10.0 * (1 + 1e-12), 3.0], [[0.5, 0.0], [0.0, 0.3]])
    assert 10.0 * (1 - 1e-15) < found.throughput[0] <= 10.0 and found.utilization[0][0] <= 1.0
    assert found.throughput[1] == 3.0
