"""A search over a grid judges at every point whether its parameter counts customers, as it does at that point alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import qnet
from qnet.system import System

SHARED = """qnet = 1
title = "a share of the users"
[parameters]
users = 20
share = 1
think = "5 s"
[stations]
cpu = { discipline = "ps" }
[classes.a]
population = "users * share"
think_time = "think"
steps = [{ station = "cpu", time = "0.3 s" }]
"""
LIMIT = "response <= 1 s"


def system(path: Path) -> System:
    file = path / "m.toml"
    file.write_text(SHARED)
    return qnet.load(str(file))


def users(report: Any) -> list[float]:
    return [float(str(row["users"])) for row in report.records()]


def test_each_point_of_an_envelope_has_the_answer_that_it_has_alone(tmp_path: Path) -> None:
    model = system(tmp_path)
    together = users(model.envelope(vary="users", limit=LIMIT, over=["share=0.25,0.5,1"]))
    alone = [users(model.set(share=share).envelope(vary="users", limit=LIMIT))[0] for share in (0.25, 0.5, 1)]
    assert together == pytest.approx(alone, rel=1e-9)
    # Whole customers at a share of 1; at smaller shares the same population, and one that lies between two of them.
    assert together[2] == 16
    assert together[0] / 4 == pytest.approx(together[1] / 2, rel=1e-6)
    assert 16 < together[0] / 4 < 17


def test_points_that_differ_in_another_parameter_are_judged_once(tmp_path: Path) -> None:
    counted = users(system(tmp_path).envelope(vary="users", limit=LIMIT, over=["think=3 s,5 s,9 s"]))
    assert all(value == round(value) for value in counted) and counted == sorted(counted)


def test_intervals_of_points_searched_apart_stay_with_their_points(tmp_path: Path) -> None:
    mixed = users(system(tmp_path).envelope(vary="users", limit=LIMIT, over=["share=1,0.5,1"]))
    assert mixed[0] == mixed[2] == 16 and 32 < mixed[1] < 34
