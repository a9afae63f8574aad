"""The number of customers from outside that the chain of an open network needs, estimated from smaller chains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import Any

import numpy as np

from qnet.networks.routed import Hold, OpenClass, RoutedNetwork
from qnet.networks.states.chain import Walk
from qnet.networks.states.coded import CodedStates
from qnet.networks.states.machine import Machine
from qnet.networks.states.program import TooLarge

_HOPEFUL = 6.0
"""The largest multiple of the allowed states that may be expected for one more chain to be tried."""


def customers_needed(edges: Mapping[int, tuple[float, int]], most: int, *wanted: float) -> int:
    """The number of customers from outside to include next.

    edges    by the number included, the probability that it is reached, and the states of the chain.
    most     states that are allowed.
    wanted   probabilities that are small enough, the smallest first; the first that can be reached is the goal.
    Raises   `TooLarge` where too many states are expected for all of them.
    Method   Tails are extrapolated as geometric, and states as a power of the number.
    """
    (sooner, (_, fewer)), (later, (edge, states)) = ([(0, (1.0, 1)), *edges.items()])[-2:]
    before = edges.get(sooner, (1.0, 1))[0]
    if len(edges) == 1:
        return 2 * later
    falls = log(before / edge) / (later - sooner) if before > edge else 0.0
    if falls <= 0:
        raise TooLarge
    growth = log(states / fewer) / log(later / sooner)
    for aim in wanted:
        needed = later + max(int(1.1 * log(max(edge / aim, 1.0)) / falls) + 1, 2)
        guess = states * (needed / later) ** growth
        if guess <= 1.5 * most:
            return needed
        # With bounded numbers the states grow more slowly than at first.
        if guess <= _HOPEFUL * most and states * 2.0**growth <= most:
            return 2 * later
    raise TooLarge


def most_present(network: RoutedNetwork) -> int | None:
    """The most customers from outside that can be present: the sum of the capacities of the stations that they visit.

    network  one point.
    Returns  None where their number is unlimited: at a station without a capacity, in a delay, in parallel or
             second-phase work.
    """
    capacities = {item.name: item.capacity for item in network.stations if not item.delay}
    limited: dict[str, int] = {}
    for item in network.classes:
        for step in (step for route in item.routes for step in route.steps if isinstance(item, OpenClass)):
            capacity = capacities.get(step.station) if isinstance(step, Hold) and step.phase == 1 else None
            if capacity is None or not isinstance(step, Hold):
                return None
            limited[step.station] = capacity
    copies = {item.name: item.copies for item in network.stations}
    return sum(capacity * copies[name] for name, capacity in limited.items())


def states_expected(machine: Machine, walked: Walk, more: int) -> int:
    """A lower estimate of the number of states with `more` customers from outside.

    machine  of the largest chain so far.
    walked   its walk.
    more     customers from outside beyond those of that chain.
    Returns  the states so far, plus `more` times those with one customer less than the most: each has a counterpart
             with another customer at the end of a line. The states with the most customers are not typical, since
             further arrivals are not admitted. Not valid where customers are lost, who have no state.
    """
    return len(walked.states) + more * int((outside(machine, walked) == machine.edge - 1).sum())


def outside(machine: Machine, walked: Walk) -> Any:
    """The number of customers from outside by state, an array that the chains of a pattern share.

    machine, walked   of one program.
    """
    key = outside, machine.size, machine.closed
    if key not in walked.shape.made:
        walked.shape.made[key] = _outside(machine, walked.states)
    return walked.shape.made[key]


def _outside(machine: Machine, states: Sequence[Any]) -> Any:
    """As `outside`, from the states."""
    if isinstance(states, CodedStates):
        return states.counts.sum(1) + states.in_line().sum(1) - machine.closed
    return np.array([machine.outside(state) for state in states])


def least_beyond(machine: Machine, walked: Walk) -> float:
    """A lower bound of the probability that customers from outside reach the most included, before the chain is solved.

    machine, walked   of one program.
    Method    Flows from at most n customers to more equal those back. With u the smallest rate to more in a state of n,
              d the greatest rate to at most n in a state of more, and r = u / d, the probability of more than n is at
              least that of n or more times r / (1 + r).
    """
    present = outside(machine, walked)
    sources, targets = walked.shape.structure.arrays
    before, after, rates = present[sources], present[targets], np.asarray(walked.rates, dtype=float)
    least = 1.0
    for number in range(max(machine.edge, 0)):
        up, down = (before <= number) & (after > number), (before > number) & (after <= number)
        if not up.any():
            return 0.0
        slowest = float(np.bincount(sources[up], rates[up], len(present))[present == number].min(initial=np.inf))
        fastest = float(np.bincount(sources[down], rates[down], len(present)).max()) if down.any() else 0.0
        if not 0 < slowest < np.inf:
            return 0.0
        least *= slowest / (slowest + fastest)
    return least
