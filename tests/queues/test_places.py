"""Lines with a limited number of places, without other work: those of an M/M/c/K queue."""

from __future__ import annotations

from math import factorial

import pytest

from qnet.expression import FLOATS
from qnet.queues.erlang import erlang_c
from qnet.queues.places import Servers, with_loss, with_wait


@pytest.mark.parametrize("servers", [1, 3])
@pytest.mark.parametrize("load", [0.3, 0.999, 1.0, 1.01, 2.5])
@pytest.mark.parametrize("room", [0, 1, 7])
def test_a_line_with_loss_is_that_of_its_states(servers: int, load: float, room: int) -> None:
    offered, places = servers * load, servers + room
    weights = [offered**n / factorial(n) for n in range(servers)]
    weights += [offered**servers / factorial(servers) * load**more for more in range(room + 1)]
    line = with_loss(Servers(servers, load), places, FLOATS)
    assert line.full == pytest.approx(weights[-1] / sum(weights), rel=1e-12)
    assert line.free == pytest.approx(sum(weights[:-1]) / sum(weights), rel=1e-12)
    waiting = sum(more * weight for more, weight in enumerate(weights[servers:])) / sum(weights)
    assert line.waiting == pytest.approx(waiting, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("servers", [1, 3])
@pytest.mark.parametrize("other", [0.0, 0.3])
@pytest.mark.parametrize("spread", [1.0, 1.5, 4.0])
def test_a_line_that_is_never_full_is_as_much_longer_as_its_services_spread_more(
    servers: int, other: float, spread: float
) -> None:
    line = with_loss(Servers(servers, 0.5, other, spread), 4000, FLOATS)
    exponential = erlang_c(servers, servers * (other + (1 - other) * 0.5)) * 0.5 / (1 - 0.5)
    assert line.waiting == pytest.approx(spread * exponential, rel=1e-12)
    assert line.full < 1e-12


@pytest.mark.parametrize("room", [0, 1, 5, 50])
@pytest.mark.parametrize("load", [0.8, 1.0, 1.6])
def test_an_arrival_finds_a_place_or_none(load: float, room: int) -> None:
    line = with_loss(Servers(2, load, 0.2, 3.0), 2 + room, FLOATS)
    assert 0 < line.full < 1 and line.full + line.free == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("servers", [1, 3])
@pytest.mark.parametrize("load", [0.3, 0.9])
@pytest.mark.parametrize("room", [0, 1, 7])
def test_a_line_with_wait_is_the_queue_of_all_of_whom_some_are_inside(servers: int, load: float, room: int) -> None:
    """M/M/c: an arrival finds a place where fewer than all are taken, and of those in line the first have one."""
    offered, places = servers * load, servers + room
    weights = [offered**n / factorial(n) for n in range(servers)]
    weights += [offered**servers / factorial(servers) * load**more for more in range(800)]
    line = with_wait(Servers(servers, load), places, FLOATS)
    assert line.full == pytest.approx(sum(weights[places:]) / sum(weights), rel=1e-9)
    assert line.free == pytest.approx(sum(weights[:places]) / sum(weights), rel=1e-9)
    waiting = sum(min(more, room) * weight for more, weight in enumerate(weights[servers:])) / sum(weights)
    assert line.waiting == pytest.approx(waiting, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("servers", [1, 3])
@pytest.mark.parametrize("other", [0.0, 0.3])
@pytest.mark.parametrize("spread", [1.0, 4.0])
def test_where_all_have_a_place_it_does_not_matter_what_the_others_do(
    servers: int, other: float, spread: float
) -> None:
    waits, loses = (way(Servers(servers, 0.5, other, spread), 4000, FLOATS) for way in (with_wait, with_loss))
    assert waits.waiting == pytest.approx(loses.waiting, rel=1e-9)
    assert waits.full < 1e-12
