"""Priorities with a finite number of places: the station that all levels make together, and the states it has."""

from __future__ import annotations

from itertools import product

import pytest

from qnet.errors import NotComputed
from qnet.queues.places import priority_loss
from qnet.queues.stations.m_m_c_k import m_m_c_k


@pytest.mark.parametrize("interrupting", [False, True])
@pytest.mark.parametrize(
    ("servers", "places", "load"), [(1, 1, 0.5), (1, 4, 0.9), (2, 5, 1.7), (2, 3, 9.0), (1, 2, 1e6)]
)
def test_levels_of_one_time_are_a_station_together(servers: int, places: int, load: float, interrupting: bool) -> None:
    """M/M/c/K, whoever is served first; at high loads c / a of the arrivals is admitted, to the last digits."""
    time = 0.25
    together = m_m_c_k(load / time, time, servers, places)
    found = priority_loss((0.7 * load / time, 0.3 * load / time), (time, time), servers, places, interrupting)
    assert found.kept == pytest.approx(together.throughput * time / load, rel=1e-11)
    assert sum(found.numbers) == pytest.approx(together.queue_length, rel=1e-11)


@pytest.mark.parametrize(("servers", "places", "levels"), [(1, 39, 2), (2, 36, 2), (3, 14, 3)])
def test_what_has_too_many_states_is_refused_with_their_number(servers: int, places: int, levels: int) -> None:
    """A customer waits only where all servers are busy: counted one by one."""
    served = [sum(each) for each in product(range(servers + 1), repeat=levels) if sum(each) <= servers]
    room = places - servers
    waiting = sum(sum(each) <= room for each in product(range(room + 1), repeat=levels))
    states = sum(waiting if busy == servers else 1 for busy in served)
    with pytest.raises(NotComputed, match=f"{places} places and {levels} priorities has {states} states"):
        priority_loss((1.0,) * levels, (1.0,) * levels, servers, places, False)


def test_what_interrupts_has_a_state_for_the_numbers_of_each_level() -> None:
    places = 60
    states = sum(sum(each) <= places for each in product(range(places + 1), repeat=2))
    with pytest.raises(NotComputed, match=f"has {states} states"):
        priority_loss((1.0, 1.0), (1.0, 1.0), 3, places, True)
