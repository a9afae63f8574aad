"""Envelopes of models that only single points answer, by the Markov chain of all states: bursts into finite capacities.

The exact values are those of the oracle, which reads the same model by itself.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import qnet
from qnet.errors import NoAnswer, NotComputed

sys.path.append(str(Path(__file__).parents[1]))

from oracle import load, solve

BURSTS = """qnet = 1
title = "bursts into a buffer"
[parameters]
rate = "{rate}/s"
servers = "{servers}"
[stations]
consumer = {{ capacity = 20, servers = "servers" }}
[classes.message]
arrival_rate = "rate"
arrival_scv = 6
steps = [{{ station = "consumer", time = "20 ms" }}]
"""
STATED = {"rate": 80.0, "servers": 2}


def bursts(**values: float) -> str:
    return BURSTS.format(**{**STATED, **values})


def lost(**values: float) -> float:
    """The share of messages that are lost by the oracle."""
    answer = solve(load(bursts(**values)))
    return 1 - answer.throughput["message"] / answer.offered["message"]


@pytest.mark.parametrize("rate", [5.0, 80.0, 800.0])
def test_the_largest_rate_meets_its_limit_from_any_stated_one(rate: float) -> None:
    (row,) = qnet.loads(bursts(rate=rate)).envelope(limit="loss <= 1%").records()
    assert (row["binds"], row["method"], row["status"]) == ("limit", "states", "ok")
    end = row["rate_per_s"]
    assert lost(rate=end) == pytest.approx(0.01, rel=1e-7)
    assert lost(rate=1.001 * end) > 0.01 > lost(rate=0.999 * end)


def test_the_limit_that_binds_is_named_of_several() -> None:
    limits = ["loss <= 50%", "response <= 60 ms"]
    (row,) = qnet.loads(bursts()).envelope(limit=limits).records()
    assert row["binds"] == "response <= 60 ms"
    assert solve(load(bursts(rate=row["rate_per_s"]))).response["message"] == pytest.approx(0.06, rel=1e-7)


def test_the_smallest_number_of_servers_meets_its_limit() -> None:
    (row,) = qnet.loads(bursts()).envelope(vary="servers", limit="loss <= 1e-4").records()
    enough = int(row["servers"])
    assert lost(servers=enough) <= 1e-4 < lost(servers=enough - 1)


def test_every_point_of_a_grid_is_searched() -> None:
    rows = qnet.loads(bursts()).envelope(limit="loss <= 1%", over="servers=1,2,3").records()
    assert [row["status"] for row in rows] == ["ok"] * 3
    for row in rows:
        assert lost(rate=row["rate_per_s"], servers=row["servers"]) == pytest.approx(0.01, rel=1e-7)


def test_all_intervals_are_listed() -> None:
    limits = ["response <= 100 ms", "throughput >= 30/s"]
    (row,) = qnet.loads(bursts()).envelope(limit=limits, crossings=True).records()
    ends = [solve(load(bursts(rate=row[key]))) for key in ("least_rate_per_s", "rate_per_s")]
    assert ends[0].throughput["message"] == pytest.approx(30.0, rel=1e-7)
    assert ends[1].response["message"] == pytest.approx(0.1, rel=1e-7)


def test_a_limit_that_holds_everywhere_has_no_largest_rate() -> None:
    with pytest.raises(NoAnswer, match=r"every value of \"rate\" that was tried"):
        qnet.loads(bursts()).envelope(limit="response <= 10 s")


def test_the_end_of_values_that_have_an_answer_is_named() -> None:
    behind = bursts().replace("[stations]", "[stations]\nfront = {}").replace("steps = [", FRONT)
    with pytest.raises(NoAnswer, match="that has an answer, up to") as error:
        qnet.loads(behind).envelope(limit="loss <= 90%")
    assert error.value.problems[0].help.startswith("farther out, ")


FRONT = 'steps = [{ station = "front", time = "10 ms" }, '


def test_a_knee_of_customers_that_are_lost_is_refused_with_and_without_bursts() -> None:
    texts = [bursts(), bursts().replace("arrival_scv = 6", "")]
    for text in texts:
        with pytest.raises(NoAnswer, match="QN404"):
            qnet.loads(text).knee()


def test_a_knee_that_only_single_points_would_answer_names_the_envelope() -> None:
    behind = bursts().replace("[stations]", "[stations]\nfront = {}").replace("steps = [", FRONT)
    with pytest.raises(NotComputed, match="QN548") as error:
        qnet.loads(behind).knee()
    assert "qnet envelope" in error.value.problems[0].help
