"""How far shadow servers are from the exact answer, beside the method that is the default: why it is.

A shadow server is a station of each class's own in place of one that serves some before others, slower by what the
higher classes leave of it (Sevcik, Priority scheduling disciplines in queueing network models of computer systems,
IFIP 1977; Lazowska, Zahorjan, Graham, Sevcik, Quantitative System Performance, 1984, chapter 11).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import median
from typing import Any

import numpy as np
import pytest
from kept_chains import kept
from measuring import assert_told
from priority_chain import System, exact
from test_error_priorities import drawn, solved

import qnet
from qnet.networks.exactness import HIGHER

pytestmark = pytest.mark.sliced

_SYSTEMS, _ROUNDS = 200, 14


def shadowed(systems: Sequence[System]) -> Any:
    """Throughputs by shadow servers, (systems, classes): rounds of product-form networks."""
    first = systems[0]
    demands = np.array([system.demands for system in systems])
    ranked = np.array([name != "ps" for name in first.disciplines])
    kinds = demands.shape[2]
    own = np.eye(kinds)
    rates: Any = np.zeros((len(systems), kinds))
    for _ in range(_ROUNDS):
        used = rates[:, None] * demands
        left = 1.0 - (np.cumsum(used, axis=2) - used)
        shadows = (demands / np.maximum(left, 1e-3))[:, ranked, None] * own
        places = [demands[:, ~ranked], shadows.reshape(len(systems), -1, kinds)]
        network = qnet.Network(
            np.concatenate(places, axis=1),
            population=[[item.population[kind] for item in systems] for kind in range(kinds)],
            think_time=[[item.away[kind] for item in systems] for kind in range(kinds)],
            disciplines="ps",
        )
        rates = (rates + network.solve().throughput) / 2
    return rates


@pytest.mark.long
def test_the_default_errs_less():
    dice = random.Random(5)
    systems = [drawn(dice, ["preemptive", "ps"], 1, [(1, 2), (1, 2)]) for _ in range(2 * _SYSTEMS)]
    used = solved(systems).utilization[:, 0, 0]
    systems = [system for system, load in zip(systems, used, strict=True) if load <= HIGHER][:_SYSTEMS]
    right = np.array([kept("priorities: throughputs", item, lambda item=item: exact(item)[0]) for item in systems])
    shadow = abs(shadowed(systems) / right - 1).max(1).tolist()
    default = abs(solved(systems).throughput / right - 1).max(1).tolist()
    assert len(right) == _SYSTEMS
    assert_told("priorities: closed, preemptive-resume, by shadow servers", shadow)
    assert median(default) < median(shadow) / 5
    assert max(default) < max(shadow) / 4
