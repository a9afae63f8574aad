"""The error where parallel steps are beside a limited subnetwork of an open class, against its Markov chain."""

from __future__ import annotations

import numpy as np
import pytest
from fork_pool_systems import System, drawn
from kept_chains import kept
from measuring import FEWEST, assert_told

from qnet.networks.exactness import Beyond
from qnet.networks.solve import solve
from qnet.networks.wanted import AUTO

pytestmark = pytest.mark.sliced

CROWDED = System(2, True, False, 1.0, (0.3, 0.4, 0.5, 0.9))
"""A subnetwork near its capacity behind two branches with little to do."""


def told(system: System) -> tuple[float, set[str]]:
    """The response, and the codes of its warnings."""
    solution = solve(system.network(), AUTO.replace(chain=0))
    assert solution.method == "flow-equivalent"
    return float(solution.response), {item.code for item in solution.reasons if isinstance(item, Beyond)}


@pytest.mark.long
def test_parallel_steps_beside_a_subnetwork() -> None:
    """Half of them before it, half behind it."""
    draw = np.random.default_rng([660, 660])
    errors: list[float] = []
    for _ in range(FEWEST):
        system = drawn(draw)
        response, warned = told(system)
        assert not warned
        errors.append(response / kept("fork pools", system, lambda system=system: [system.exact()])[0] - 1)
    assert_told("memory: parallel steps outside", errors)


@pytest.mark.parametrize("share", [0.5, 0.95, 0.999])
def test_parallel_steps_leave_the_wait_for_admission_as_it_is(share: float) -> None:
    """The response is that of the same network without waits in the branches, and what they add; near the capacity of
    the subnetwork it is warned of."""
    system = CROWDED._replace(rate=share * CROWDED.most())
    alone = system._replace(times=(1e-9, 1e-9, *system.times[2:]))
    response, warned = told(system)
    branches, _ = told(system._replace(times=(*system.times[:2], 1e-9, 1e-9)))
    assert response == pytest.approx(told(alone)[0] + branches, rel=1e-6)
    assert warned == ({"QN645"} if share > 0.7 else set())
    assert response > 0.5 / (1 - share) / CROWDED.most()
