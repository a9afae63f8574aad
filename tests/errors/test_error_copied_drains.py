"""How far buffers are from exact that several copies of a station drain, against chains of all states."""

from __future__ import annotations

import numpy as np
import pytest
from copied_drain_systems import Drained, drawn
from kept_chains import kept
from measuring import FEWEST, assert_told

import qnet
from qnet.networks.exactness import Beyond
from qnet.networks.solve import solve
from qnet.networks.wanted import AUTO

pytestmark = pytest.mark.sliced

ROW = "buffer: wait, drained by copies"
APPROXIMATE = AUTO.replace(chain=0)


def errors(seed: int, others: bool) -> list[float]:
    """Of the response of the class where it is worst."""
    draw = np.random.default_rng([658, seed])
    found: list[float] = []
    for _ in range(FEWEST):
        system = drawn(draw, others)
        exact = kept("buffers drained by copies", system, system.exact)
        answer = solve(system.network(), APPROXIMATE)
        assert not any(isinstance(reason, Beyond) for reason in answer.reasons)
        found.append(max(abs(item.response / value - 1) for item, value in zip(answer.classes, exact, strict=True)))
    return found


@pytest.mark.long
def test_the_errors_are_those_that_are_told():
    assert_told(ROW, errors(3, False))


@pytest.mark.long
def test_the_errors_with_other_work_are_those_that_are_told():
    assert_told(f"{ROW} with other work", errors(4, True))


@pytest.mark.parametrize(("places", "copies", "other"), [(1, 2, 0.0), (4, 3, 0.0), (7, 4, 0.1), (3000, 5, 0.0)])
def test_the_drain_rate_is_that_of_the_places_as_customers(places: int, copies: int, other: float):
    system = Drained(0.5, places, copies, 0.1, other)
    answer = solve(system.network(), APPROXIMATE)
    assert answer.buffers[0].drain_rate == pytest.approx(system.capacity(), rel=1e-9)


@pytest.mark.parametrize("load", [0.5, 0.9])
def test_lost_requests_are_those_of_product_form(load: float):
    """Nobody waits outside: the places and the copies are a network whose arrivals stop at its capacity."""
    system = Drained(0.9 * load * 2.0, 3, 2, 0.1)
    network = system.network()
    losing = network.replace(buffers=(network.buffers[0].replace(loses=True),))
    found, exact = (solve(losing, AUTO.replace(method=method, chain=0)) for method in ("open", "states"))
    assert found.buffers[0].found_full == pytest.approx(exact.buffers[0].found_full, rel=1e-9)
    assert found.buffers[0].occupancy == pytest.approx(exact.buffers[0].occupancy, rel=1e-9)


MODEL = """
qnet = 1
title = "Writes that three disks destage"
[parameters]
rate = "80/s"
[stations]
cache = {}
disk = { copies = 3 }
[buffers.nvs]
places = 6
[classes.write]
arrival_rate = "rate"
steps = [ { fill = "nvs" }, { station = "cache", time = "2 ms" },
  { phase = 2, drains = "nvs", station = "disk", time = "20 ms" } ]
[classes.read]
per_copy_of = "disk"
arrival_rate = "5/s"
steps = [ { station = "disk", time = "20 ms" } ]
"""


@pytest.mark.parametrize(
    ("rate", "write", "read"), [(40.0, 0.00244, 0.0316), (80.0, 0.0303, 0.0504), (90.0, 0.0886, 0.0571)]
)
def test_responses_are_those_of_simulations(rate: float, write: float, read: float):
    """Of some 300,000 writes, written apart from qnet: known to 2 % up to 80/s, to 10 % beyond."""
    answer = solve_model(rate)
    assert answer["write"] == pytest.approx(write, rel=0.05 if rate <= 80 else 0.15)
    assert answer["read"] == pytest.approx(read, rel=0.02)


def solve_model(rate: float) -> dict[str, float]:
    """Responses by class."""
    report = qnet.loads(MODEL).set(rate=rate).solve(method="open")
    return {row[1]: row[7] for row in report.rows if row[0] == "class"}


def test_the_largest_rate_is_known_to_all_methods():
    """Reads stay as they are: the writes that end the steady state are those of six customers in a closed network."""
    model = qnet.loads(MODEL)
    numbers, rate = [0.0, 0.0], 0.0
    for customers in range(1, 7):
        times = [0.02 / 3 / 0.9 * (1 + numbers[0]), 0.002 * (1 + numbers[1])]
        rate = customers / (3 * times[0] + times[1])
        numbers = [rate * time for time in times]
    assert rate == pytest.approx(99.96, abs=0.01)
    found = model.envelope(limit=["response <= 100 s"], vary="rate").rows[0]
    assert found[4] == pytest.approx(rate, rel=0.003)
