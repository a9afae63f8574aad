"""How many customers from outside the chain of an open network is to know: what the states so far say of more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import Any

import numpy as np

from qnet.networks.states.chain import Walk
from qnet.networks.states.coded import CodedStates
from qnet.networks.states.machine import Machine
from qnet.networks.states.program import TooLarge

_HOPEFUL = 6.0
"""How many times as many states as allowed may be expected where one more step is tried."""


def customers_needed(edges: Mapping[int, tuple[float, int]], most: int, *wanted: float) -> int:
    """How many customers from outside to look at next, given the probability of as many as were, and the states.

    edges    by the number of customers, the probability that they are as many, and the states.
    most     states that are allowed.
    wanted   the probabilities that are small enough, the best first; the first that will do is aimed at.
    Raises   `TooLarge` where there will be too many states for any.
    Method   Tails are geometric, and states grow like a power of the number.
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
        # Where something is bounded the states grow more slowly than at first.
        if guess <= _HOPEFUL * most and states * 2.0**growth <= most:
            return 2 * later
    raise TooLarge


def states_expected(machine: Machine, walked: Walk, more: int) -> int:
    """How many states there are at least with `more` customers from outside.

    machine, walked   with the most so far.
    Returns   the states so far, and those that follow from the ones with one customer less than the most: each is also
              one with another customer, which waits after all others, and so on. The last number has special states, of
              arrivals that are not let in: the one before is typical. Where customers are lost, those that find no
              place have no state.
    """
    return len(walked.states) + more * int((outside(machine, walked) == machine.edge - 1).sum())


def outside(machine: Machine, walked: Walk) -> Any:
    """By state how many customers from outside there are, an array that chains of one shape share.

    machine, walked   of one program.
    """
    key = outside, machine.size, machine.closed
    if key not in walked.shape.made:
        walked.shape.made[key] = _outside(machine, walked.states)
    return walked.shape.made[key]


def _outside(machine: Machine, states: Sequence[Any]) -> Any:
    """The same, of states."""
    if isinstance(states, CodedStates):
        return states.counts.sum(1) + states.in_line().sum(1) - machine.closed
    return np.array([machine.outside(state) for state in states])


def least_beyond(machine: Machine, walked: Walk) -> float:
    """The least probability that customers from outside are as many as the chain knows, before it is solved.

    machine, walked   of one program.
    Method    As many transitions lead from at most n of them to more as back. With u the smallest rate to more in a
              state of n, d the largest sum of rates to at most n in a state of more, and r = u / d, the probability of
              more than n is at least that of n or more times r / (1 + r).
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
