"""Service times that a model states by percentiles."""

from __future__ import annotations

from math import exp, log
from statistics import NormalDist

import pytest

import qnet
from qnet.errors import InvalidInput

MODEL = """qnet = 1
title = "percentiles"
[stations]
db = {{}}
pool = {{ servers = 3 }}
[classes.job]
arrival_rate = "20/s"
steps = [ {step} ]
"""


def built(step: str) -> qnet.System:
    return qnet.loads(MODEL.format(step=step))


def test_two_percentiles_are_the_mean_and_scv_of_a_lognormal_time() -> None:
    sigma = log(80 / 12) / NormalDist().inv_cdf(0.99)
    mean, scv = 0.012 * exp(sigma**2 / 2), exp(sigma**2) - 1
    solved = built('{ station = "db", percentiles = { p50 = "12 ms", p99 = "80 ms" } }').solve()
    stated = built(f'{{ station = "db", time = "{mean!r} s", scv = {scv!r} }}').solve()
    assert solved.response == pytest.approx(stated.response, rel=1e-12)
    assert solved.utilization["db"] == pytest.approx(20 * mean, rel=1e-12)
    assert any("p50 = 12 ms, p99 = 80 ms" in note.text and f"scv {scv:.4g}" in note.text for note in solved.notes)


def test_a_mean_or_an_scv_is_one_of_the_two() -> None:
    solved = built('{ station = "db", percentiles = { p50 = "10 ms", scv = 3 } }').solve()
    assert solved.utilization["db"] == pytest.approx(20 * 0.010 * 2, rel=1e-12)  # mean = median sqrt(1 + scv)


def test_a_time_inside_a_hold_has_percentiles_too() -> None:
    inner = '{ percentiles = { p50 = "12 ms", p99 = "80 ms" } }'
    assert built(f'{{ hold = "pool", steps = [ {inner} ] }}').solve().utilization["pool"] > 0


@pytest.mark.parametrize(
    ("step", "code"),
    [
        ('{ station = "db", time = "1 ms", percentiles = { p50 = "12 ms", p99 = "80 ms" } }', "QN209"),
        ('{ station = "db", scv = 1, percentiles = { p50 = "12 ms", p99 = "80 ms" } }', "QN209"),
        ('{ delay = "1 ms", percentiles = { p50 = "12 ms", p99 = "80 ms" } }', "QN209"),
        ('{ percentiles = { p50 = "12 ms", p99 = "80 ms" } }', "QN209"),
        ('{ station = "db", percentiles = "12 ms" }', "QN201"),
        ('{ station = "db", percentiles = { p50 = "12 ms" } }', "QN749"),
        ('{ station = "db", percentiles = { p50 = "80 ms", p99 = "12 ms" } }', "QN749"),
        ('{ station = "db", percentiles = { p50 = "12 ms", p99 = 3 } }', "QN749"),
        ('{ station = "db", percentiles = { q50 = "12 ms", p99 = "80 ms" } }', "QN749"),
    ],
)
def test_what_states_no_time_is_refused_at_its_line(step: str, code: str) -> None:
    with pytest.raises(InvalidInput) as error:
        built(step)
    assert code in [problem.code for problem in error.value.problems]
    assert all(problem.line == 8 for problem in error.value.problems)
