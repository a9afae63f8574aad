"""Open networks whose approximation warns: `solve` gives the answer of the chain of states where that takes a second.

The exact values are those of the oracle, which reads the same model by itself.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import qnet
from qnet.errors import NotComputed
from qnet.system import System

sys.path.append(str(Path(__file__).parents[1]))

from oracle import load, solve

MEMORY = """qnet = 1
title = "memory"
[parameters]
r = "0.25/s"
[stations]
m = {}
cpu = { discipline = "ps" }
io = {}
[classes.a]
arrival_rate = "r"
steps = [{ hold = "m", steps = [{ station = "cpu", time = "1 s" }, { station = "io", time = "1 s" }] }]
[classes.b]
arrival_rate = "0.3/s"
steps = [{ station = "cpu", time = "1.2 s" }]
"""
HELD = """qnet = 1
title = "held"
[stations]
o = {}
i = {}
[classes.a]
arrival_rate = "0.25/s"
steps = [{ hold = "o", steps = [{ time = "0.5 s" }, { station = "i", time = "0.8 s" }] }]
[classes.b]
arrival_rate = "0.35/s"
steps = [{ station = "i", time = "0.8 s" }]
"""
TWO_CLASSES = """qnet = 1
title = "classes that wait in the order of arrival, of which states grow too fast"
[stations]
m = { servers = 2 }
cpu = { discipline = "ps" }
[classes.a]
arrival_rate = "0.5/s"
steps = [{ hold = "m", steps = [{ station = "cpu", time = "0.6666666666 s" }] }]
[classes.b]
arrival_rate = "0.3/s"
steps = [{ hold = "m", steps = [{ station = "cpu", time = "1.6666666666 s" }] }]
"""


def system(path: Path, text: str) -> System:
    file = path / "m.toml"
    file.write_text(text)
    return qnet.load(str(file))


@pytest.mark.long
def test_a_point_that_would_be_warned_of_is_exact(tmp_path: Path) -> None:
    report = system(tmp_path, MEMORY).solve()
    first = report.records()[0]
    assert (first["method"], first["exactness"]) == ("states", "exact")
    exact = solve(load(MEMORY))
    by_name = {row["name"]: row["response_s"] for row in report.records() if row["scope"] == "class"}
    assert by_name == pytest.approx({name: exact.response[name] for name in "ab"}, rel=1e-8)


def test_the_largest_load_is_that_of_the_approximation_and_not_of_the_capacities(tmp_path: Path) -> None:
    model = system(tmp_path, MEMORY)
    named = model.solve(method="open").records()[0]
    found = model.solve().records()[0]["maximum_throughput_per_s"]
    assert found == pytest.approx(named["maximum_throughput_per_s"], rel=1e-12)


def test_tables_of_many_points_name_the_method(tmp_path: Path) -> None:
    report = system(tmp_path, MEMORY).sweep("r=0.2/s:0.3/s:0.001/s", metric="response")
    assert {row["method"] for row in report.records()} == {"open"}
    (warning,) = [note for note in report.notes if note.code == "QN716"]
    assert "--method states" in warning.text


@pytest.mark.long
def test_a_chain_that_takes_longer_is_named(tmp_path: Path) -> None:
    report = system(tmp_path, HELD).solve()
    assert report.records()[0]["method"] == "open"
    assert any("--method states" in note.text for note in report.notes)
    exact = solve(load(HELD), seconds=60.0)
    named = {row["name"]: row["response_s"] for row in system(tmp_path, HELD).solve(method="states").records()[1:3]}
    assert exact.kind == "chain" and named == pytest.approx(exact.response, rel=1e-7)


def test_a_chain_with_too_many_states_is_not_named(tmp_path: Path) -> None:
    report = system(tmp_path, TWO_CLASSES).solve()
    assert report.records()[0]["method"] == "flow-equivalent"
    assert "QN644" in {note.code for note in report.notes}
    assert not any("--method states" in note.text for note in report.notes)
    with pytest.raises(NotComputed, match="QN515"):
        system(tmp_path, TWO_CLASSES).solve(method="states")


def test_percentiles_are_those_of_the_approximation(tmp_path: Path) -> None:
    model = system(tmp_path, MEMORY.replace('station = "io"', 'station = "cpu"').replace("io = {}\n", ""))
    (found,), (named,) = (model.solve(metric=["response_p95"], method=name).records() for name in ("auto", "open"))
    assert found["value"] == named["value"] is not None
