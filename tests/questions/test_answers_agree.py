"""Questions give what `solve` gives at a point, where that takes the Markov chain of all states.

The exact values are those of the oracle, which reads the same model by itself.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import qnet

sys.path.append(str(Path(__file__).parents[1]))

from oracle import load, solve

HELD = """qnet = 1
title = "two pools of one, each held around one processor"
[parameters]
rate = "{rate}/s"
fast = "{fast}"
[stations]
s1 = {{ copies = 2 }}
s2 = {{}}
[classes.a]
arrival_rate = "rate"
steps = [{{ hold = "s1", steps = [{{ time = "0.369 s / fast" }}, {{ station = "s2", time = "{time} s" }}] }}]
"""
STATED = {"rate": 1.53, "fast": 1.0, "time": 0.336}


def held(**values: float) -> str:
    return HELD.format(**{**STATED, **values})


def exact(**values: float) -> float:
    """The response by the oracle."""
    return solve(load(held(**values))).response["a"]


@pytest.mark.parametrize("name", ["rate", "fast"])
def test_a_sensitivity_is_that_of_the_chain(name: str) -> None:
    report = qnet.loads(held()).sensitivity(metric="response", by=name)
    (row,) = report.records()
    assert (row["method"], row["exactness"]) == ("states", "exact")
    at, step = STATED[name], 1e-3 * STATED[name]
    slope = (exact(**{name: at + step}) - exact(**{name: at - step})) / (2 * step)
    assert row["stated"] == pytest.approx(exact(), rel=1e-6)
    assert row["derivative"] == pytest.approx(slope, rel=1e-4)


def test_a_change_that_an_approximation_is_trusted_with_is_compared_by_the_chain() -> None:
    rows = qnet.loads(held()).bottleneck().records()
    changes = {(row["name"], row["change"]): row for row in rows if row["scope"] == "what if"}
    faster = changes["s2", "2 times as fast"]
    assert (faster["status"], faster["exactness"]) == ("ok", "exact")
    assert faster["response_s"] == pytest.approx(exact(time=0.168), rel=1e-6)


def test_a_knee_is_that_of_the_chain_where_rates_below_it_are_trusted() -> None:
    """The largest power is searched first, at rates some of which `solve` answers by a method that it trusts."""
    row = next(item for item in qnet.loads(held()).knee().records() if item["definition"] == "multiple")
    assert (row["method"], row["exactness"]) == ("states", "exact")
    assert exact(rate=row["rate_per_s"]) == pytest.approx(2 * (0.369 + 0.336), rel=1e-6)


POOL = """qnet = 1
title = "terminals of which each holds one of the sessions"
[parameters]
users = {users}
[stations]
s1 = {{}}
s2 = {{}}
s3 = {{}}
h = {{}}
[classes.a]
population = "users"
steps = [
  {{ station = "s1", time = "9.67 s" }},
  {{ station = "s2", time = "12 s", scv = 0.5 }},
  {{ hold = "h", steps = [{{ station = "s3", time = "11.3 s" }}] }},
]
"""


def test_knees_of_customers_are_those_of_the_chain() -> None:
    responses = [solve(load(POOL.format(users=users))).response["a"] for users in range(1, 8)]
    limit = (responses[3] + responses[4]) / 2
    report = qnet.loads(POOL.format(users=3)).knee(limit=f"response <= {limit!r} s")
    knees = {row["definition"]: row for row in report.records()}
    level, power = knees["service_level"], knees["power"]
    assert level["population"] == 4
    assert level["method"] == "states"
    assert level["response_s"] == pytest.approx(responses[3], rel=1e-7)
    assert level["response_beyond_s"] == pytest.approx(responses[4], rel=1e-7)
    best = max(range(1, 8), key=lambda users: users / responses[users - 1] ** 2)
    assert power["population"] == best
    assert power["response_s"] == pytest.approx(responses[best - 1], rel=1e-7)


SESSIONS = """qnet = 1
title = "sessions around a processor, enough for all at two"
[parameters]
sessions = {sessions}
[stations]
cpu = {{ servers = 4 }}
disk = {{}}
pool = {{ servers = "sessions" }}
[classes.a]
population = 2
think_time = "82.4 ms"
steps = [
  {{ hold = "pool", steps = [{{ station = "cpu", time = "8.34 ms" }}, {{ station = "disk", time = "8.23 ms" }}] }},
]
"""


def test_the_integer_beyond_an_exact_end_is_that_of_the_chain() -> None:
    """An approximation has one session exceed the limit, which it meets."""
    alone = solve(load(SESSIONS.format(sessions=1))).response["a"]
    limit = f"response <= {1.005 * alone!r} s"
    system = qnet.loads(SESSIONS.format(sessions=2))
    approximate = system.set(sessions=1).solve(method="flow-equivalent").records()[0]["response_s"]
    assert approximate > 1.005 * alone
    (row,) = system.envelope(vary="sessions", limit=[limit, "throughput >= 1/s"], find="smallest").records()
    assert (row["sessions"], row["binds"]) == (1, "range of sessions")
