"""Envelopes along numbers of customers whose classes have shares of them, so that populations are fractions."""

from __future__ import annotations

from typing import Any

import pytest

import qnet
from qnet import budget

_SHARES = """
qnet = 1
title = "Two kinds of users share threads"

[parameters]
users = 20
share = { value = 0.75, range = [0, 1] }

[stations]
threads = { servers = 4 }
cpu = {}
disk = {}

[classes.read]
population = "users * share"
think_time = "2 s"
steps = [
  { hold = "threads", steps = [ { station = "cpu", time = "10 ms" }, { station = "disk", time = "20 ms" } ] },
]

[classes.write]
population = "users * (1 - share)"
think_time = "2 s"
steps = [
  { hold = "threads", steps = [ { station = "cpu", time = "20 ms" }, { station = "disk", time = "50 ms" } ] },
]
"""


@pytest.fixture
def shares(tmp_path: Any) -> Any:
    """The system of users that share threads."""
    (tmp_path / "shares.toml").write_text(_SHARES)
    return qnet.load(str(tmp_path / "shares.toml"))


@pytest.mark.parametrize(
    ("limit", "metric", "bound"),
    [("response <= 1 s", "response", 1.0), ("throughput >= 20/s", "throughput", 20.0)],
)
def test_fractions_of_customers_are_searched_near_the_stated_number(
    shares: Any, limit: str, metric: str, bound: float
) -> None:
    """Some of the range of a number of customers goes up to 10^15, of which few are tried."""
    account = budget.Account()
    with budget.opened(account):
        answer = shares.envelope(vary="users", limit=[limit]).records()[0]["users"]
    assert account.spent < 8e9
    at, below, above = (shares.set(users=answer * share).metric(metric) for share in (1, 1 - 1e-3, 1 + 1e-3))
    assert at == pytest.approx(bound, rel=1e-6)
    assert below < bound < above
