"""Chains with fewer customers from outside than were looked at before, as where there are too many states."""

from __future__ import annotations

import pytest

import qnet
from qnet.model.bind import bind
from qnet.model.values import Values
from qnet.networks.states.compiler import program
from qnet.networks.states.program import TooLarge
from qnet.networks.states.shared import Walks

BOTH = """qnet = 1
title = "open customers beside closed ones who hold a server"
[parameters]
time = "0.2 s"
[stations]
desk = {}
store = {}
[classes.guest]
arrival_rate = "0.7/s"
steps = [ { station = "desk", time = "0 s" }, { station = "store", time = "0.3 s" } ]
[classes.clerk]
population = 2
think_time = "4 s"
steps = [ { hold = "store", steps = [ { station = "desk", time = "0.3 s" } ] }, { station = "desk", time = "time" } ]
"""


def test_fewer_customers_have_the_states_that_they_have_at_first():
    """The moves known of more let in customers that the fewer do not have: there were too many states then."""
    system = qnet.loads(BOTH)
    programs = [program(bind(each, Values(each, {}, None))) for each in (system, system.set(time="0.4 s"))]
    first = len(Walks(programs).of(0, 21, 10_000)[1].states)
    assert first < 10_000
    walks = Walks(programs)
    for crowd in (6, 14):
        walks.of(0, crowd, 10_000)
    with pytest.raises(TooLarge):
        walks.of(0, 24, 10_000)
    assert len(walks.of(0, 21, 10_000)[1].states) == first
