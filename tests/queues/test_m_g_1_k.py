"""Queues with finite room and general times, against closed forms and the queue without a limit."""

from __future__ import annotations

import pytest

from qnet.queues.m_g_1_k import ServiceTime, m_g_1_k, m_g_1_outside

ROOM = 80
"""Places of which at a load of a half next to none are ever taken."""


def one(mean: float, scv: float) -> tuple[ServiceTime, ...]:
    return (ServiceTime(share=1.0, mean=mean, scv=scv),)


@pytest.mark.parametrize("scv", [0.0, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0, 1.5, 4.0])
def test_with_much_room_the_number_is_that_of_pollaczek_and_khinchine(scv: float):
    found = m_g_1_k(5.0, one(0.1, scv), 400 if scv > 1 else ROOM)
    assert found.blocked < 1e-12
    assert found.number == pytest.approx(0.5 + 0.25 * (1 + scv) / (2 * 0.5), rel=1e-9)


def test_sorts_of_times_count_by_their_shares():
    sorts = (ServiceTime(share=0.3, mean=0.05, scv=0.4), ServiceTime(share=0.7, mean=0.1, scv=2.5))
    load = 5.0 * (0.3 * 0.05 + 0.7 * 0.1)
    square = 0.3 * 0.05**2 * 1.4 + 0.7 * 0.1**2 * 3.5
    found = m_g_1_k(5.0, sorts, 300)
    assert found.number == pytest.approx(load + 25.0 * square / (2 * (1 - load)), rel=1e-9)


@pytest.mark.parametrize("scv", [0.0, 0.4, 1.0, 3.0])
@pytest.mark.parametrize("places", [1, 2, 5])
def test_two_equal_sorts_are_one(scv: float, places: int):
    halves = (ServiceTime(share=0.4, mean=0.3, scv=scv), ServiceTime(share=0.6, mean=0.3, scv=scv))
    assert m_g_1_k(4.0, halves, places) == pytest.approx(m_g_1_k(4.0, one(0.3, scv), places), rel=1e-12)


@pytest.mark.parametrize("load", [0.5, 1.0, 1.7])
@pytest.mark.parametrize("places", [1, 2, 3, 8])
def test_exponential_times_have_the_geometric_states_of_m_m_1_k(load: float, places: int):
    weights = [load**number for number in range(places + 1)]
    found = m_g_1_k(load / 0.2, one(0.2, 1.0), places)
    assert found.blocked == pytest.approx(weights[-1] / sum(weights), rel=1e-12)
    mean = sum(number * weight for number, weight in enumerate(weights)) / sum(weights)
    assert found.number == pytest.approx(mean, rel=1e-12)


@pytest.mark.parametrize("scv", [0.0, 0.5, 1.0, 2.0])
def test_one_place_loses_by_erlang_whatever_the_times(scv: float):
    assert m_g_1_k(6.0, one(0.25, scv), 1).blocked == pytest.approx(1.5 / 2.5, rel=1e-12)


def test_two_places_and_constant_times_are_known_in_closed_form():
    # x(0) = e^-rho of the departures leave nobody: B = 1 - 1 / (x(0) + rho).
    from math import exp

    assert m_g_1_k(3.0, one(0.2, 0.0), 2).blocked == pytest.approx(1 - 1 / (exp(-0.6) + 0.6), rel=1e-12)


def test_without_arrivals_nobody_is_there():
    assert m_g_1_k(0.0, one(0.2, 0.5), 3).number == 0.0


@pytest.mark.parametrize("places", [1, 2, 4])
def test_those_outside_of_exponential_times_are_the_states_above_the_places(places: int):
    found = m_g_1_outside(4.0, one(0.2, 1.0), places)
    load = 0.8
    assert found.full == pytest.approx(load**places, rel=1e-12)
    assert found.number == pytest.approx(sum(load**number for number in range(1, places + 1)), rel=1e-12)
    # Outside are those above the places, by Little's law.
    assert found.late == pytest.approx(load ** (places + 1) / (1 - load) / (4.0 * load**places), rel=1e-9)


@pytest.mark.parametrize("places", [1, 2, 5])
def test_a_server_that_is_never_idle_loses_the_rest(places: int):
    """Of 150 arrivals in every service one is admitted, as soon as there is a place."""
    found = m_g_1_k(600.0, one(0.25, 0.0), places)
    assert (found.blocked, found.kept) == pytest.approx((1 - 1 / 150, 1 / 150), rel=1e-12)
    assert found.number == pytest.approx(places - 1 / 150, rel=1e-12)


@pytest.mark.parametrize("load", [1.0, 3.0])
def test_a_load_of_one_or_more_is_that_just_below(load: float):
    found = m_g_1_outside(load / 0.2, one(0.2, 0.5), 4)
    assert (found.full, found.number) == pytest.approx((1.0, 4.0), rel=1e-6)
