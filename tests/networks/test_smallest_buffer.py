"""The smallest room: a buffer of one place, a fraction of two, and the parts of a response nobody waits in."""

from __future__ import annotations

import pytest

import qnet
from qnet.networks.capacity.buffers import m_g_1_places
from qnet.questions.points.points import solve_points

OFFERED, TIME = 6.0, 0.25
LOAD = OFFERED * TIME


@pytest.mark.parametrize("scv", [0.0, 1.0, 2.0])
def test_one_place_loses_what_finds_it_taken(scv: float):
    line, late = m_g_1_places(OFFERED, [(1.0, TIME, scv)], 1.0, True, 0.0)
    assert line.full == pytest.approx(LOAD / (1 + LOAD), rel=1e-12)
    assert line.free == pytest.approx(1 / (1 + LOAD), rel=1e-12)
    assert late == 0.0


def test_a_fraction_of_a_place_is_between_its_neighbours():
    one, _ = m_g_1_places(OFFERED, [(1.0, TIME, 1.0)], 1.0, True, 0.0)
    some, _ = m_g_1_places(OFFERED, [(1.0, TIME, 1.0)], 1.25, True, 0.0)
    two, _ = m_g_1_places(OFFERED, [(1.0, TIME, 1.0)], 2.0, True, 0.0)
    assert two.full == pytest.approx(LOAD**2 / (1 + LOAD + LOAD**2), rel=1e-12)
    assert some.full == pytest.approx(0.75 * one.full + 0.25 * two.full, rel=1e-12)


def test_without_load_what_is_spent_in_parallel_steps_is_service():
    text = """qnet = 1
title = "branches"
[stations]
a = {}
b = {}
[classes.x]
arrival_rate = "1e-9/s"
steps = [ { parallel = [
  { steps = [ { station = "a", time = "50 ms" } ] }, { steps = [ { station = "b", time = "35 ms" } ] } ] } ]
"""
    (route,) = solve_points(qnet.loads(text)).parts[0].solution.routes
    assert route.served is not None
    assert route.served == pytest.approx(route.spent, rel=1e-6)
    assert sum(route.served.values()) == pytest.approx(0.085 - 1 / (1 / 0.05 + 1 / 0.035), rel=1e-6)
