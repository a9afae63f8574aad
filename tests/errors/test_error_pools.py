"""How far pools are from exact whose servers are kept for work after the response, against chains of all states."""

from __future__ import annotations

import numpy as np
import pytest
from kept_chains import kept
from measuring import FEWEST, assert_told
from pool_systems import AWAY, Pool, capacity, drawn

import qnet
from qnet.errors import NoAnswer
from qnet.networks.solve import solve
from qnet.networks.wanted import AUTO

pytestmark = pytest.mark.sliced

ROW = "memory: second phases of an open class"
LOAD = 0.7
"""The largest that was measured, of the capacity."""
APPROXIMATE = AUTO.replace(chain=0)


def loaded(pool: Pool, share: float) -> Pool:
    """A pool at a share of the largest rate that is told."""
    return pool._replace(rate=share * solve(pool._replace(rate=1e-6).network(), APPROXIMATE).full_at["pool"])


def error(pool: Pool) -> float:
    """That of the response."""
    (exact,) = kept("pools with second phases", pool, pool.exact)
    return solve(pool.network(), APPROXIMATE).response / exact - 1


@pytest.mark.long
def test_the_errors_are_those_that_are_told():
    draw = np.random.default_rng([645, 1])
    assert_told(ROW, [error(loaded(drawn(draw), draw.uniform(0.1, LOAD))) for _ in range(FEWEST)])


def test_the_largest_rate_is_the_throughput_of_the_holders():
    draw = np.random.default_rng([645, 2])
    pools = [pool for pool in (drawn(draw) for _ in range(60)) if set(pool.servers) == {1}]
    assert len(pools) > 20
    for pool in pools:
        assert loaded(pool, 1.0).rate == pytest.approx(capacity(pool), rel=1e-9)


def test_one_exponential_visit_is_a_queue():
    """A holder of as many servers as there are is served at once: the pool is M/M/2."""
    pool = Pool(30.0, 2, (2,), ((0, 0.04),), 0)
    (exact,) = pool.exact()
    found = solve(pool.network(), APPROXIMATE)
    assert found.exact
    assert found.response == pytest.approx(exact, rel=1e-9)


MODEL = """
qnet = 1
title = "A thread that is kept after the response"
[parameters]
rate = "20/s"
[stations]
thread = { servers = 2 }
disk = {}
[classes.request]
arrival_rate = "rate"
steps = [ { hold = "thread", steps = [ { time = "20 ms" }, { station = "disk", time = "15 ms" },
  { phase = 2, time = "25 ms" }, { phase = 2, station = "disk", time = "15 ms" } ] } ]
"""
THREAD = Pool(20.0, 2, (1,), ((AWAY, 0.02), (0, 0.015), (AWAY, 0.025), (0, 0.015)), 2)
LARGEST = 2 / 0.087
"""Two holders by mean value analysis: one has a throughput of 1 / 75 ms, and another then waits for 12 ms."""


@pytest.fixture
def system() -> qnet.System:
    return qnet.loads(MODEL)


def test_all_questions_know_one_largest_rate(system: qnet.System):
    assert capacity(THREAD) == pytest.approx(LARGEST, rel=1e-12)
    answers = [
        system.solve().maximum_throughput,
        system.solve(method="states").maximum_throughput,
        system.solve(method="flow-equivalent").maximum_throughput,
        system.bottleneck().rows[0][22],
        system.envelope(limit=["response <= 2 s"], vary="rate").rows[0][4],
    ]
    assert answers == [pytest.approx(LARGEST, rel=1e-9)] * len(answers)


@pytest.mark.long
@pytest.mark.parametrize("rate", [15.0, 20.0, 22.0])
def test_answers_below_it_are_exact_where_the_chain_is_small(system: qnet.System, rate: float):
    (exact,) = THREAD._replace(rate=rate).exact()
    for method in ("states", *(["auto"] if rate > LOAD * LARGEST else [])):
        assert system.set(rate=rate).solve(method=method).response == pytest.approx(exact, rel=1e-9)
    assert system.set(rate=rate).solve(method="flow-equivalent").response == pytest.approx(exact, rel=0.02)


def test_a_rate_beyond_it_is_refused_with_what_is_possible(system: qnet.System):
    with pytest.raises(NoAnswer) as refusal:
        system.set(rate=23.0).solve()
    assert [(problem.code, problem.help) for problem in refusal.value.problems] == [
        ("QN401", "the saturation throughput is 22.9885/s")
    ]
