"""Limits that hold, fail and hold again: every crossing is found, against values known beforehand."""

from __future__ import annotations

import math
from itertools import accumulate

import pytest
from envelopes import answer, points

from qnet.questions.envelope.envelope import crossings

# The response is exactly `shape`, whatever the rate: the service time is that of an M/M/1 queue with this response.
SHAPED = """[parameters]
rate = { value = "1/s", range = ["0/s", "20/s"] }
shape = "SHAPE"
[stations]
server = { discipline = "ps" }
[classes.x]
arrival_rate = "rate"
steps = [ { station = "server", time = "shape / (1 + rate * shape)" } ]
"""

# The response is exactly the delay, whatever the population.
DELAYED = """[parameters]
users = { value = 10, range = [0, 200] }
[stations]
unused = {}
[classes.x]
population = "users"
think_time = "1 s"
steps = [ { delay = "DELAY" } ]
"""

# Processors that thrash: capacity falls when more than three are at work.
RATES = [1.0, 1.8, 2.4, 1.5, 0.8, 0.4]
THRASHING = f"""[parameters]
users = {{ value = 5, range = [1, 60] }}
[stations.machine]
discipline = "ps"
rates = {RATES}
[classes.x]
population = "users"
think_time = "2 s"
steps = [ {{ station = "machine", time = "500 ms" }} ]
"""


def cubic(*roots: float) -> str:
    """One second, and more or less on either side of three rates."""
    factors = " * ".join(f"(rate * 1 s - {root})" for root in roots)
    return f"1 s + 0.5 s * {factors} / {max(roots) ** 3}"


def throughput(users: int) -> float:
    """The throughput of THRASHING by the probabilities of 0, 1, ... at work: a birth and death process."""
    capacity = [RATES[min(present, len(RATES)) - 1] / 0.5 for present in range(1, users + 1)]
    steps = [(users - present) / 2.0 / capacity[present] for present in range(users)]
    weights = list(accumulate([1.0, *steps], lambda one, other: one * other))
    return sum((users - present) * weight for present, weight in enumerate(weights)) / 2.0 / sum(weights)


@pytest.mark.parametrize("roots", [(3.0, 5.0, 8.0), (3.0, 3.3, 8.0), (0.5, 4.0, 4.1)])
def test_three_crossings_of_an_open_response(roots: tuple[float, float, float]):
    (point,) = points(SHAPED.replace("SHAPE", cubic(*roots)), "rate", "response <= 1 s")
    first, second, third = roots
    assert point.value == pytest.approx(first, rel=1e-9)
    assert len(point.intervals) == 2
    assert point.intervals[0][1] == pytest.approx(first, rel=1e-9)
    assert point.intervals[1] == pytest.approx((second, third), rel=1e-9)


def test_crossings_far_closer_than_the_values_that_are_looked_at_first():
    (point,) = points(SHAPED.replace("SHAPE", cubic(5.0, 5.001, 9.0)), "rate", "response <= 1 s")
    assert point.intervals[1] == pytest.approx((5.001, 9.0), rel=1e-9)


def test_the_smallest_value_is_the_low_end_of_the_highest_interval():
    (point,) = points(SHAPED.replace("SHAPE", cubic(3, 5, 8)), "rate", "response >= 1 s", find="smallest")
    assert point.value == pytest.approx(8, rel=1e-9)
    assert point.intervals[0] == pytest.approx((3, 5), rel=1e-9)


def test_whole_numbers_of_users_on_both_sides_of_every_crossing():
    # Below 1 s up to 19.5, above from there to 59.5, below to 99.5, above beyond.
    delay = "1 s + 1 s * (users - 19.5) * (users - 59.5) * (users - 99.5) / 1e6"
    (point,) = points(DELAYED.replace("DELAY", delay), "users", "response <= 1 s")
    assert point.intervals == ((0, 19), (60, 99))
    assert (point.value, point.binds) == (19, "limit")


def test_every_interval_is_told_with_what_ends_it():
    delay = "1 s + 1 s * (users - 19.5) * (users - 59.5) * (users - 99.5) / 1e6"
    first, second = crossings(answer(DELAYED.replace("DELAY", delay), "users", "response >= 1 s"))
    assert (first.number, first.least, first.binds, first.upper.value, first.upper.binds) == (
        1,
        20,
        "limit",
        59,
        "limit",
    )
    assert (second.number, second.least, second.binds, second.upper.value) == (2, 100, "limit", 200)
    assert second.upper.binds == "range of users"


@pytest.mark.parametrize("bound", [0.9, 1.2, 1.5, 2.0, 2.2])
def test_thrashing_stations_hold_a_throughput_between_two_populations(bound: float):
    (point,) = points(THRASHING, "users", f"throughput >= {bound}/s")
    expected = [users for users in range(1, 61) if throughput(users) >= bound]
    assert expected == list(range(expected[0], expected[-1] + 1))
    assert point.intervals == ((expected[0], expected[-1]),)
    assert point.value == expected[-1]


def test_the_smallest_population_of_a_thrashing_station():
    (point,) = points(THRASHING, "users", "throughput >= 2/s", find="smallest")
    assert point.value == min(users for users in range(1, 61) if throughput(users) >= 2)


def test_paging_users_on_both_sides_of_the_knee():
    # Demand grows with users: with think time Z and one queue, throughput is at most 1 / demand and at most N / Z.
    text = """[parameters]
users = { value = 50, range = [1, 2000] }
[stations]
cpu = { discipline = "ps" }
[classes.x]
population = "users"
think_time = "10 s"
steps = [ { station = "cpu", time = "50 ms * max(1, users / 100)" } ]
"""
    (point,) = points(text, "users", "throughput >= 4/s")
    ((low, high),) = point.intervals
    # Far beyond the knee the queue is never empty: the throughput is 1 / demand = 4/s at 500 users.
    assert high == 500 - 1 or high == 500
    assert 40 <= low <= 60
    assert math.isclose(point.metrics[0] or 0, 4, rel_tol=3e-3)
