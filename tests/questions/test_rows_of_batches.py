"""Rows of a grid that are solved together: each has the answer that it has alone, also where others have none."""

import pytest

import qnet
from qnet.errors import NotComputed

BRANCHES = """
qnet = 1
title = "branches"
[parameters]
left = 1
right = 1
[stations]
a = {}
b = {}
[classes.x]
ARRIVE
steps = [ { parallel = [
  { steps = [ { station = "a", time = "100 ms", visits = "left" } ] },
  { steps = [ { station = "b", time = "80 ms", visits = "right" } ] },
] } ]
"""
OPEN, CLOSED = 'arrival_rate = "2/s"', 'population = 2\nthink_time = "1 s"'

LOSSES = """
qnet = 1
title = "losses"
[parameters]
servers = 2
[stations]
a = { servers = "servers", capacity = 5 }
pool = { servers = 3 }
[classes.web]
arrival_rate = "3/s"
steps = [
  { station = "a", time = "100 ms" },
  { hold = "pool", steps = [ { time = "50 ms" }, { phase = 2, time = "100 ms" } ] },
]
[classes.user]
population = 3
think_time = "1 s"
steps = [ { station = "a", time = "100 ms", visits = 1.5 } ]
"""
"""No method but the chain of all states has an answer."""


@pytest.mark.parametrize("arrive", [OPEN, CLOSED])
@pytest.mark.parametrize("name", ["left", "right"])
def test_visits_of_branches_vary_over_a_grid(arrive, name):
    system = qnet.loads(BRANCHES.replace("ARRIVE", arrive))
    numbers = [0.5, 1.0, 1.5]
    rows = system.sweep(f"{name}=0.5,1,1.5", metric="response").records()
    alone = [system.set({name: number}) for number in numbers]
    assert [row["response_s"] for row in rows] == pytest.approx([item.metric("response") for item in alone], rel=1e-9)
    labels = [item.solve(metric="response").records()[0]["exactness"] for item in alone]
    assert [row["exactness"] for row in rows] == labels


def test_sensitivity_to_visits_of_branches_is_the_difference_quotient():
    system = qnet.loads(BRANCHES.replace("ARRIVE", OPEN)).set(left=1.3)
    (row,) = [row for row in system.sensitivity(metric="response").records() if row["parameter"] == "left"]
    low, high = (system.set(left=1.3 + step).metric("response") for step in (-1e-4, 1e-4))
    assert row["derivative"] == pytest.approx((high - low) / 2e-4, rel=1e-4)


def test_rows_that_took_all_operations_keep_their_answers():
    system = qnet.loads(LOSSES)
    first, *others = system.sweep("servers=1,2,3,4", metric="response", operations=1e9).records()
    assert first["response_s"] == pytest.approx(system.set(servers=1).metric("response"), rel=1e-9)
    spent = [row["status"] for row in others if row["status"] != "ok"]
    assert spent
    assert all(status.startswith("no operations are left for the chain of all states") for status in spent)


def test_refused_sensitivities_state_the_operations_that_there_were():
    with pytest.raises(NotComputed) as refusal:
        qnet.loads(LOSSES).sensitivity(metric="response", by="servers", operations=1.2e9)
    (problem,) = refusal.value.problems
    assert problem.code == "QN515"
    assert problem.expected.startswith("at most ")
    assert " 0.0e+00" not in problem.expected
