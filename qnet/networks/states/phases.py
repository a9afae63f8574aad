"""Times of a mean and a squared coefficient of variation as phases."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from qnet.networks.states.program import NotCovered

MAX_PHASES = 20
"""Of an Erlang distribution: scv down to 0.05."""
EXPONENTIAL = 1e-12
"""How far from 1 the scv of an exponential time may be."""


def phases(mean: float, scv: float, phase: Callable[[float, int], int], after: int) -> list[tuple[float, int]]:
    """The nodes where a time that is not exponential begins, each with its probability.

    mean     in seconds, above 0.
    scv      other than 1.
    phase    makes a node: of a phase of some rate, and the node after it.
    after    the node after all phases.
    Raises   `NotCovered` for more than `MAX_PHASES` phases.
    Method   Below 1 a mixture of Erlang distributions of k - 1 and k phases of one rate; above 1 two exponential phases
             with balanced means.
    Source   Tijms, A First Course in Stochastic Models, 2003, appendix B.
    """
    if scv > 1.0:
        share = 0.5 * (1.0 + ((scv - 1.0) / (scv + 1.0)) ** 0.5)
        return [(part, phase(2.0 * part / mean, after)) for part in (share, 1.0 - share)]
    if scv * MAX_PHASES < 1.0 - 1e-9:
        raise NotCovered(f"a time has scv {scv:g}")
    count = ceil(1.0 / scv - 1e-9)
    root = max(count * (1.0 + scv) - count**2 * scv, 0.0) ** 0.5
    fewer = max((count * scv - root) / (1.0 + scv), 0.0)
    nodes = [after]
    for _ in range(count):
        nodes.append(phase((count - fewer) / mean, nodes[-1]))
    return [(fewer, nodes[-2]), (1.0 - fewer, nodes[-1])]
