"""Stations with a capacity that lose most of their arrivals, by the Markov chain of all states."""

from __future__ import annotations

import numpy as np
import pytest

import qnet

SERVERS, TIME, PLACES, SCV = 2, 0.02, 50, 6.0
TEXT = f"""
qnet = 1
title = "bursts into a limited buffer"
[parameters]
rate = "80/s"
[stations]
consumer = {{ capacity = {PLACES}, servers = {SERVERS} }}
[classes.message]
arrival_rate = "rate"
arrival_scv = {SCV}
steps = [{{ station = "consumer", time = "{TIME} s" }}]
"""


def loss(rate: float) -> float:
    """The share of arrivals that are lost at an H2/M/c/K station, the phases with balanced means, by its generator."""
    share = (1 + ((SCV - 1) / (SCV + 1)) ** 0.5) / 2
    shares, rates = (share, 1 - share), (2 * share * rate, 2 * (1 - share) * rate)
    size = 2 * (PLACES + 1)
    generator = np.zeros((size, size))
    for number in range(PLACES + 1):
        for phase in (0, 1):
            for after in (0, 1):
                generator[2 * number + phase, 2 * min(number + 1, PLACES) + after] += rates[phase] * shares[after]
            if number:
                generator[2 * number + phase, 2 * (number - 1) + phase] += min(number, SERVERS) / TIME
    generator -= np.diag(generator.sum(1))
    system = np.vstack([generator.T, np.ones(size)])
    probabilities = np.linalg.lstsq(system, np.append(np.zeros(size), 1.0), rcond=None)[0]
    arrivals = probabilities * np.tile(rates, PLACES + 1)
    return float(arrivals[-2:].sum() / arrivals.sum())


@pytest.mark.parametrize("rate", [80.0, 150.0, 800.0, 8e5])
def test_the_loss_is_that_of_the_generator(rate: float) -> None:
    """Above the capacity the chain was refused as too large, since more customers were ever more probable."""
    found = qnet.loads(TEXT).set(rate=f"{rate}/s").metric("loss")
    assert found == pytest.approx(loss(rate), rel=1e-6)


def test_a_grid_up_to_overload_has_an_answer_at_every_point() -> None:
    rows = qnet.loads(TEXT).sweep("rate=50/s,100/s,500/s", metric="loss").records()
    assert [row["loss"] for row in rows] == pytest.approx([loss(rate) for rate in (50.0, 100.0, 500.0)], rel=1e-6)
