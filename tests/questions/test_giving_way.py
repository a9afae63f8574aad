"""The saturation of open classes beside closed ones: those who wait in the same line give way, others do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import qnet
from qnet import budget
from qnet.errors import NotComputed
from qnet.model.load import load
from qnet.networks.layers import core
from qnet.networks.wanted import AUTO
from qnet.questions.knee.knee import knee
from qnet.questions.points.points import solve_points

_POOL = """
qnet = 1
title = "Open and closed customers share threads"

[parameters]
users = 10
rate = "6/s"

[stations]
threads = { servers = 4 }
cpu = {}
disk = {}

[classes.user]
population = "users"
think_time = "2 s"
steps = [
  { hold = "threads", steps = [ { station = "cpu", time = "40 ms" }, { station = "disk", time = "60 ms" } ] },
]

[classes.web]
arrival_rate = "rate"
steps = [
  { hold = "threads", steps = [ { station = "cpu", time = "20 ms" }, { station = "disk", time = "30 ms" } ] },
]
"""

_BESIDE = """
qnet = 1
title = "Closed customers use a disk without the thread that open ones hold"

[parameters]
rate = "2/s"

[stations]
threads = {}
disk = {}

[classes.user]
population = 10
think_time = "100 ms"
steps = [ { station = "disk", time = "30 ms" } ]

[classes.web]
arrival_rate = "rate"
steps = [ { hold = "threads", steps = [ { station = "disk", time = "30 ms" } ] } ]
"""


@pytest.fixture
def pool(tmp_path: Any) -> str:
    """The path of the model of shared threads."""
    (tmp_path / "pool.toml").write_text(_POOL)
    return str(tmp_path / "pool.toml")


def _full_pool() -> float:
    """The throughput of open customers alone who always hold all threads, by the chain of the numbers at the cpu."""
    threads, at_cpu, at_disk = 4, 1 / 0.02, 1 / 0.03
    weights = [(at_disk / at_cpu) ** number for number in range(threads + 1)]
    return at_cpu * (1 - weights[0] / sum(weights))


def _stated(model: str) -> Any:
    rows = qnet.load(model).solve().records()
    return next(row["maximum_throughput_per_s"] for row in rows if row["name"] == "web")


def _saturation(model: str) -> Any:
    return next(item.value for item in knee(load(model), "rate", definitions=["saturation"])[0].knees)


def test_closed_customers_in_the_same_line_give_way(pool: str) -> None:
    """With an endless queue for the threads, closed customers return to it ever less often."""
    stated = _stated(pool)
    assert stated == pytest.approx(_full_pool(), rel=1e-9)
    assert _saturation(pool) == pytest.approx(_full_pool(), rel=1e-9)


def test_closed_customers_of_an_inner_station_do_not_give_way(tmp_path: Any) -> None:
    """A thread that is always held has its work done among the closed customers, as one more of them."""
    path = tmp_path / "beside.toml"
    path.write_text(_BESIDE)
    network = qnet.Network([[0.03, 0.03]], population=[10, 1], think_time=[0.1, 0.0])
    exact = float(network.solve(method="mva").throughput[1])
    stated = _stated(str(path))
    assert stated == pytest.approx(exact, rel=0.1)
    assert _saturation(str(path)) == pytest.approx(exact, rel=0.1)


def test_waits_at_the_cap_of_loads_are_no_steady_state(pool: str) -> None:
    """Layers ended with waits of a billion seconds, called steady, where their equations have no solution."""
    rates = np.array([6.0, 20.0, 29.7, 30.5])
    solved = solve_points(load(pool), {"rate": rates}, len(rates), asked=AUTO.replace(chain=0))
    stable, solution = np.asarray(solved.stable), solved.parts[0].solution
    assert stable.tolist() == [True, True, False, False]
    assert (np.asarray(solution.response)[stable] < 10.0).all()


def test_a_load_that_the_layers_do_not_reach_is_refused_as_such(pool: str) -> None:
    with pytest.raises(NotComputed, match="did not converge"):
        qnet.load(pool).set(rate="30/s").solve()


def test_knees_of_open_customers_beside_closed_ones_take_few_operations(
    pool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loads are tried upwards, and none beyond those that show the knees; none of them twice."""
    tried: list[float] = []
    solve = core.solve

    def counted(shape: Any, numbers: Any, *more: Any) -> Any:
        tried.extend(numbers.arrival_rate.max(1).tolist())
        return solve(shape, numbers, *more)

    monkeypatch.setattr("qnet.networks.layers.together.solve", counted)
    account = budget.Account()
    with budget.opened(account):
        knee(load(pool), "rate", definitions=["power", "multiple", "saturation"])
    assert max(tried) < 0.8 * _full_pool()
    assert len(tried) <= len(set(tried)) + 1  # The response without load is a curve of its own.
    assert account.spent < 2e9
