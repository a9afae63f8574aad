"""A count of customers without a limit: a station that is a delay, held around the steps that count."""

from __future__ import annotations

import pytest

import qnet
from qnet.exchange.formats import read_format, write_format
from qnet.exchange.imported import Reading

STEPS = (
    'steps = [ { delay = "1 s" }, { hold = "session", steps = [ { delay = "30 ms" }, '
    '{ station = "cpu", time = "10 ms" }, { station = "disk", time = "20 ms" } ] } ]'
)


def counted(load: str, more: str = "") -> qnet.System:
    return qnet.loads(
        'qnet = 1\ntitle = "t"\n[stations]\ncpu = {}\ndisk = {}\nsession = { delay = true }\n'
        f"[classes.web]\n{load}\n{STEPS}\n{more}"
    )


def test_the_mean_number_is_by_littles_law_of_the_times_inside() -> None:
    """Two M/M/1 queues at 40/s, and a delay: 1 / 60 s, 1 / 10 s and 30 ms."""
    system = counted('arrival_rate = "40/s"', "[outputs]\nsessions = \"inside('session')\"\n")
    expected = 40 * (1 / (100 - 40) + 1 / (50 - 40) + 0.03)
    assert system.metric("inside('session')") == pytest.approx(expected, rel=1e-12)
    assert system.metric("sessions") == pytest.approx(expected, rel=1e-12)
    assert system.solve().exactness == "exact"


def test_counting_changes_nothing_for_closed_classes() -> None:
    load = 'population = 100\nthink_time = "1 s"'
    system = counted(load)
    plain = qnet.loads(
        'qnet = 1\ntitle = "t"\n[stations]\ncpu = {}\ndisk = {}\n[classes.web]\n' + load + "\nsteps = [ "
        '{ delay = "1.03 s" }, { station = "cpu", time = "10 ms" }, { station = "disk", time = "20 ms" } ]'
    )
    assert system.metric("response") == pytest.approx(plain.metric("response"), rel=1e-10)
    inside = plain.metric("queue_length('cpu') + queue_length('disk') + throughput * 30 ms")
    assert system.metric("inside('session')") == pytest.approx(inside, rel=1e-10)
    assert system.solve().exactness == "exact"


@pytest.mark.parametrize("other", ['population = 3\nthink_time = "1 s"', 'arrival_rate = "5/s"'])
def test_other_classes_are_not_counted(other: str) -> None:
    load = 'population = 7\nthink_time = "1 s"'
    more = f'[classes.b]\n{other}\nsteps = [ {{ station = "cpu", time = "10 ms" }} ]'
    system = counted(load, more)
    residence = system.metric("throughput('web') * (response('web') - 1 s)")
    assert system.metric("inside('session')") == pytest.approx(residence, rel=1e-10)


def test_a_count_adds_nothing_to_bounds() -> None:
    """The time at the stations inside is theirs: N* is (Z + D) / Dmax, with 1.06 s of demand and delay."""
    system = counted('population = 100\nthink_time = "1 s"')
    (row,) = (row for row in system.formula("n_star").records() if row["binds"] == "yes" or row["binds"] is True)
    assert row["value"] == pytest.approx((1 + 1.06) / 0.02, rel=1e-12)


def test_a_count_is_left_out_of_other_formats() -> None:
    system = counted('arrival_rate = "40/s"')
    converted = write_format("jmva", system)
    back = qnet.loads(read_format("jmva", converted.text.encode(), Reading(name="model.jmva")).text)
    assert back.metric("response") == pytest.approx(system.metric("response"), rel=1e-10)
