"""Where the rate of a service depends on the number present, no part of the time there is a wait."""

from __future__ import annotations

import pytest

import qnet
from qnet.errors import InvalidInput, UsageError

MODEL = """
qnet = 1
title = "A processor that is slower alone"

[stations]
cpu = { rates = [1, 1.5, 1.8] }
disk = {}

[classes.user]
population = 6
think_time = "1 s"
steps = [ { station = "cpu", time = "0.3 s" }, { station = "disk", time = "0.1 s" } ]
"""


@pytest.fixture
def system(tmp_path) -> qnet.System:
    file = tmp_path / "m.toml"
    file.write_text(MODEL)
    return qnet.load(str(file))


def test_a_table_leaves_the_wait_empty(system):
    rows = {row["name"]: row for row in system.solve().records() if row["scope"] == "station"}
    assert rows["cpu"]["wait_s"] is None and rows["cpu"]["queue_length"] > 1
    assert rows["disk"]["wait_s"] > 0


@pytest.mark.parametrize("question", ["solve", "bottleneck", "why"])
def test_every_question_gives_the_same_residence_and_no_wait(system, question):
    (row, *_) = [
        row for row in getattr(system, question)().records() if row["name"] == "cpu" and row.get("residence_s")
    ]
    assert row["residence_s"] == pytest.approx(system.metric("residence('cpu')"), rel=1e-12)
    assert row["wait_s"] is None and row.get("service_s") is None


def test_the_knee_is_where_the_asymptotes_meet(system):
    """The largest rate is 1.8 / 0.3 s: N* = 6/s x 1.4 s."""
    (row,) = system.knee(definition="n_star").records()
    assert row["population_real"] == pytest.approx(8.4, rel=1e-12)


def test_an_expression_has_no_such_wait(system, tmp_path):
    with pytest.raises(UsageError, match=r"wait\('cpu'\)"):
        system.metric("wait('cpu')")
    assert system.metric("residence('cpu')") > 0
    file = tmp_path / "asking.toml"
    file.write_text(f"{MODEL}\n[outputs]\nw = \"wait('cpu')\"\n")
    with pytest.raises(InvalidInput, match=r"unknown name \"wait\('cpu'\)\""):
        qnet.load(str(file))
