"""Answers against two independent oracles: every state in exact fractions, and Markov chains without product form."""

from __future__ import annotations

import importlib
import random
from typing import Any

import pytest
from full import FULL
from many import many
from product_networks import SORTS, Case, lasting, peak, random_case
from product_oracles import Answer, markov, summed
from product_orders import Line, queues

import qnet

pytestmark = pytest.mark.sliced

np: Any = importlib.import_module("numpy")


def agree(case: Case, truth: Answer, tolerance: float, states: bool) -> None:
    found = qnet.Network(**case).solve(state_probabilities=states)
    assert found.exact
    near = {"rtol": tolerance + truth.error, "atol": truth.error + 1e-300}
    throughput = [float(value) for value in truth.throughput]
    queues = np.array([[float(value) for value in row] for row in truth.queue_length])
    np.testing.assert_allclose(found.throughput, throughput, **near)
    np.testing.assert_allclose(found.queue_length, queues, **near)
    flowing = found.throughput > 0
    np.testing.assert_allclose(
        (found.residence * found.throughput)[:, flowing], queues[:, flowing], err_msg="residence", **near
    )
    for place, kind in enumerate(case["kinds"]):
        used = (
            np.array(throughput) * case["demands"][place] / peak(case, place)
            if kind == "queue"
            else 0 * found.throughput
        )
        np.testing.assert_allclose(found.utilization[place], used, err_msg="utilization", **near)
    for got, chances in zip(found.state_probabilities, truth.states, strict=True) if states else ():
        right = [float(chance) for chance in chances]
        padded = [*got, *[0.0] * (len(right) - len(got))]
        np.testing.assert_allclose(padded, right, rtol=tolerance + truth.error, atol=truth.error + 1e-14)


@many("seed", range(400 if FULL else 40))
@many("sort", SORTS)
def test_every_state_in_fractions(sort: str, seed: int):
    rng = random.Random(f"fractions {sort} {seed}")
    case = random_case(rng, sort, stations=3, classes=2 + (seed % 4 == 0), customers=2 if seed % 4 == 0 else 4)
    agree(case, summed(case), 1e-11, states=sort != "open")


def slowest(case: Case, kind: int) -> float:
    """The time of a passage at the smallest capacities."""
    least = [min(row or [1.0]) for row in case["rates"]]
    return sum(row[kind] / capacity for row, capacity in zip(case["demands"], least, strict=True))


@many("seed", range(100 if FULL else 12))
@pytest.mark.parametrize("sort", ["closed", "mixed"])
def test_a_markov_chain_without_product_form(sort: str, seed: int):
    rng = random.Random(f"markov {sort} {seed}")
    classes = 2 if sort == "mixed" else rng.choice([1, 2])
    case = random_case(rng, sort, stations=2, classes=classes, customers=3, spread=0.5)
    present = [(rate or 0.0) * slowest(case, kind) for kind, rate in enumerate(case["arrival_rate"])]
    case["arrival_rate"] = [rate and rate * (0.06 / max([*present, 0.06])) for rate in case["arrival_rate"]]
    agree(case, truth := markov(case, most=9), 1e-9, states=True)
    assert truth.error < 1e-6


@many("seed", range(60 if FULL else 8))
def test_a_markov_chain_of_one_busy_station(seed: int):
    rng = random.Random(f"busy {seed}")
    servers, rates = rng.choice([(1, None), (3, None), (1, [1.0, 0.5, 2.0]), (1, [2.0, 3.0, 1.5])])
    case: Case = {
        "demands": [[rng.uniform(0.2, 2.0), rng.uniform(0.2, 2.0)]],
        "kinds": ["queue"],
        "disciplines": "ps",
        "servers": [servers],
        "rates": [rates],
        "population": [rng.randint(0, 4), None],
        "think_time": [rng.uniform(0.0, 3.0), 0.0],
        "arrival_rate": [None, 0.0],
    }
    case["arrival_rate"][1] = 0.5 * lasting(case, 0) / case["demands"][0][1]
    agree(case, truth := markov(case, most=70), 1e-9, states=True)
    assert truth.error < 1e-7


def test_the_oracles_agree_with_each_other():
    case = random_case(random.Random("both"), "closed", stations=2, classes=2, customers=3)
    exact, balance = summed(case), markov(case, most=0)
    np.testing.assert_allclose([float(value) for value in exact.throughput], balance.throughput, rtol=1e-10)


FIRST = Line("fcfs", 1, [0.7, 0.7], [1.0, 2.5])
LAST = Line("lcfs-pr", 1, [0.9, 0.4], [1.5, 1.0])
SHARED_LINE = Line("fcfs", 2, [1.1, 1.1], [3.0, 1.0])
UNEQUAL = Line("fcfs", 1, [0.2, 1.4], [1.0, 1.0])


def ordered(lines: list[Line], think: list[float], population: list[int]) -> Any:
    demands = [[time * count for time, count in zip(line.times, line.visits, strict=True)] for line in lines]
    return qnet.Network(
        demands,
        visits=[line.visits for line in lines],
        disciplines=[line.discipline for line in lines],
        servers=[line.servers for line in lines],
        population=population,
        think_time=think,
    ).solve()


@pytest.mark.parametrize("lines", [[FIRST], [LAST], [SHARED_LINE], [FIRST, LAST], [SHARED_LINE, FIRST]])
def test_stations_that_serve_in_an_order(lines: list[Line]):
    found = ordered(lines, [1.0, 2.0], [2, 2])
    assert found.exact
    np.testing.assert_allclose(found.queue_length, queues(lines, [1.0, 2.0], [2, 2]), rtol=1e-9)


def test_an_order_without_product_form_is_off_and_not_called_exact():
    found, truth = ordered([UNEQUAL], [1.0, 2.0], [2, 2]), queues([UNEQUAL], [1.0, 2.0], [2, 2])
    assert not found.exact
    assert abs(found.queue_length - truth).max() > 0.01


@pytest.mark.parametrize("busy", [0.001, 0.3, 0.9, 0.999])
@pytest.mark.parametrize("servers", [3, 12, 50])
def test_many_servers_that_closed_and_open_classes_share(servers: int, busy: float):
    case: Case = {
        "demands": [[1.0, 1.0], [0.01, 0.0]],
        "kinds": ["queue", "queue"],
        "disciplines": "ps",
        "servers": [servers, 1],
        "rates": [None, None],
        "population": [20, None],
        "think_time": [1.0, 0.0],
        "arrival_rate": [None, busy * servers],
    }
    agree(case, summed(case), 1e-11, states=True)
