"""Envelopes and sweeps of open networks whose approximation warns: answers by the chain of states, as `solve` has them.

The exact values are those of the oracle, which reads the same model by itself.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import qnet
from qnet.reports.report import Report

sys.path.append(str(Path(__file__).parents[1]))

from oracle import load, solve

HELD = """qnet = 1
title = "a pool around a station that others visit as well"
[parameters]
r = "{r}/s"
faster = "{faster}"
n = "{n}"
[stations]
o = {{ servers = "n" }}
i = {{ servers = "n", discipline = "ps" }}
[classes.a]
arrival_rate = "r"
steps = [{{ hold = "o", steps = [{{ time = "0.5 s" }}, {{ station = "i", time = "0.8 s / faster" }}] }}]
[classes.b]
arrival_rate = "0.35/s"
steps = [{{ station = "i", time = "0.8 s / faster" }}]
"""
STATED = {"r": 0.25, "faster": 1.0, "n": 1}


def held(**values: float) -> str:
    return HELD.format(**{**STATED, **values})


def exact(name: str, **values: float) -> float:
    """The response of a class by the oracle."""
    return solve(load(held(**values))).response[name]


def warned(report: Report) -> set[str]:
    return {note.code for note in report.notes if note.severity == "warning"}


def test_the_largest_rate_within_a_limit_is_that_of_the_chain() -> None:
    system, limit = qnet.loads(held()), 2.5
    report = system.envelope(vary="r", limit=f"response('a') <= {limit} s")
    (row,) = report.records()
    assert (row["binds"], row["method"], warned(report)) == ("limit", "states", set())
    assert exact("a", r=row["r_per_s"]) == pytest.approx(limit, rel=1e-7)
    searched = system.envelope(vary="r", limit=f"response('a') <= {limit} s", method="open").records()[0]
    assert abs(searched["r_per_s"] / row["r_per_s"] - 1) > 0.02


def test_the_smallest_speed_within_a_limit_is_that_of_the_chain() -> None:
    limit = 3.0
    (row,) = qnet.loads(held()).envelope(vary="faster", limit=f"response('a') <= {limit} s").records()
    assert row["method"] == "states"
    assert exact("a", faster=row["faster"]) == pytest.approx(limit, rel=1e-7)


VARYING = """qnet = 1
title = "service times that vary"
[parameters]
n = "{n}"
[stations]
disk = {{ servers = "n" }}
[classes.a]
arrival_rate = "8/s"
steps = [{{ station = "disk", time = "0.4 s", scv = 6 }}]
"""


def test_the_smallest_number_of_servers_within_a_limit_is_that_of_the_chain() -> None:
    (row,) = qnet.loads(VARYING.format(n=4)).envelope(vary="n", limit="response <= 0.45 s").records()
    enough = int(row["n"])
    assert row["method"] == "states"
    at_end, before = (solve(load(VARYING.format(n=servers))).response["a"] for servers in (enough, enough - 1))
    assert at_end <= 0.45 < before


def test_points_of_a_grid_are_confirmed_where_their_chains_are_small() -> None:
    rows = qnet.loads(held()).envelope(vary="r", limit="response('a') <= 2.5 s", over="faster=1,1.5,4").records()
    assert [row["method"] for row in rows] == ["states", "states", "open"]
    for row in rows[:2]:
        assert exact("a", r=row["r_per_s"], faster=row["faster"]) == pytest.approx(2.5, rel=1e-7)
    assert rows[2]["response_a_s"] == pytest.approx(2.5, rel=1e-9)


def test_the_limit_that_binds_is_the_one_that_is_reached() -> None:
    limits = ["response('a') <= 2.5 s", "response('b') <= 3 s"]
    (row,) = qnet.loads(held()).envelope(vary="r", limit=limits).records()
    reached = {name: exact(name, r=row["r_per_s"]) for name in "ab"}
    name, limit = ("a", 2.5) if "'a'" in row["binds"] else ("b", 3.0)
    assert reached[name] == pytest.approx(limit, rel=1e-7)
    assert reached["a"] <= 2.5 * (1 + 1e-7)
    assert reached["b"] <= 3.0 * (1 + 1e-7)


def test_a_chain_that_takes_too_long_leaves_the_answer_with_its_warning() -> None:
    text = (
        held(n=1)
        .replace(
            "[classes.a]",
            '[classes.c]\narrival_rate = "0.01/s"\nsteps = [\n'
            + "".join(f'  {{ station = "s{number}", time = "0.2 s" }},\n' for number in range(9))
            + "]\n[classes.a]",
        )
        .replace("[stations]", "[stations]\n" + "\n".join(f"s{number} = {{}}" for number in range(9)))
    )
    system = qnet.loads(text)
    report = system.envelope(vary="r", limit="response('a') <= 2.5 s")
    assert report.records()[0]["method"] == "open"
    assert "QN716" in warned(report)
    assert report.records() == system.envelope(vary="r", limit="response('a') <= 2.5 s", method="open").records()


def test_rows_of_a_sweep_are_those_of_solve() -> None:
    rates = (0.05, 0.2, 0.4, 0.6, 2.0)
    system = qnet.loads(held())
    rows = system.sweep("r=" + ",".join(f"{rate}/s" for rate in rates), metric="response('a')").records()
    assert [row["method"] for row in rows[:3]] == ["states"] * 3
    for rate, row in zip(rates[:4], rows, strict=False):
        alone = system.set(r=f"{rate}/s").solve()
        (value,) = (item["response_s"] for item in alone.records() if (item["scope"], item["name"]) == ("class", "a"))
        assert row["response_a_s"] == pytest.approx(value, rel=1e-9)
        assert row["method"] == alone.records()[0]["method"]
    assert rows[4]["status"].startswith("no steady state")


def test_a_sweep_of_many_points_is_by_one_method() -> None:
    rows = qnet.loads(held()).sweep("r=0.01/s:0.4/s:0.001/s", metric="response('a')").records()
    assert {row["method"] for row in rows} == {"open"}


def test_knees_along_a_rate_are_those_of_the_chain() -> None:
    report = qnet.loads(held()).knee(vary="r", limit="response('a') <= 2.5 s")
    knees = {row["definition"]: row for row in report.records()}
    (envelope,) = qnet.loads(held()).envelope(vary="r", limit="response('a') <= 2.5 s").records()
    assert warned(report) == set()
    assert knees["service_level"]["rate_per_s"] == pytest.approx(envelope["r_per_s"], rel=1e-9)
    twice, power = (knees[name]["rate_per_s"] for name in ("multiple", "power"))
    assert exact("a", r=twice) == pytest.approx(2 * exact("a", r=1e-6), rel=1e-5)
    best, less, more = (power * share / exact("a", r=power * share) for share in (1.0, 0.98, 1.02))
    assert best > max(less, more)


@pytest.mark.long
def test_growth_beyond_a_knee_is_that_of_the_chain() -> None:
    (row,) = (
        row
        for row in qnet.loads(held()).knee(vary="r", limit="response('a') <= 2.5 s").records()
        if row["definition"] == "service_level"
    )
    rate = row["rate_per_s"]
    assert row["growing_response_beyond_s"] == pytest.approx(exact("a", r=1.01 * rate), rel=1e-7)
