"""Exact percentiles of response at several servers in order of arrival with hyperexponential times: M/H2/c."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

_LEFT = 1e-6
"""The probability of a response that is longer than the times followed."""


def several_percentiles(load: float, servers: int, scv: float, shares: Sequence[float]) -> list[float]:
    """Times within which shares are answered, in mean service times.

    load     of each server.
    servers  2 or more; with one as well.
    scv      above 1, of a time of two phases with balanced means.
    """
    fast = (1 + math.sqrt((scv - 1) / (scv + 1))) / 2
    rates = (2 * fast, 2 * (1 - fast))
    present = _present(load * servers, servers, fast, rates, servers + int(40 * scv / (1 - load)) + 30)
    step, later = _followed(present, servers, fast, rates)
    numbers = np.arange(len(later))
    logarithms = np.concatenate(([0.0], np.cumsum(np.log(numbers[1:]))))

    def longer(time: float) -> float:
        return float(np.exp(numbers * math.log(step * time) - step * time - logarithms) @ later)

    return [_inverse(longer, 1 - share) for share in shares]


def _moves(number: int, servers: int, fast: float, rates: tuple[float, float]) -> Any:
    """The rates of departures with a number present, by the servers in the fast phase before and after."""
    busy, waiting = min(number, servers), number > servers
    down = np.zeros((busy + 1, busy + waiting))
    for quick in range(busy + 1):
        for left, rate in ((quick - 1, quick * rates[0]), (quick, (busy - quick) * rates[1])):
            if rate and waiting:
                down[quick, left + 1] += rate * fast
                down[quick, left] += rate * (1 - fast)
            elif rate:
                down[quick, left] += rate
    return down


def _present(rate: float, servers: int, fast: float, rates: tuple[float, float], most: int) -> list[Any]:
    """The probabilities of 0, 1, ... present, each by the servers in the fast phase: blocks from the last one on."""
    forward: list[Any] = []
    up: Any = 0.0
    for number in range(most, 0, -1):
        down = _moves(number, servers, fast, rates)
        out = rate * (number < most) + down.sum(1)
        arrive = np.eye(len(down)) if number > servers else np.zeros((number, number + 1))
        for quick in range(number if number <= servers else 0):
            arrive[quick, quick : quick + 2] = 1 - fast, fast
        forward.append(rate * arrive @ np.linalg.inv(np.diag(out) - up))
        up = forward[-1] @ down
    present = [np.ones(1)]
    for matrix in reversed(forward):
        present.append(present[-1] @ matrix)
    whole = sum(block.sum() for block in present)
    return [block / whole for block in present]


def _followed(present: Sequence[Any], servers: int, fast: float, rates: tuple[float, float]) -> tuple[float, Any]:
    """The rate of steps, and the probabilities that a customer is still there after 0, 1, ... of them."""
    waiting = np.array(present[servers:])
    served = (1 - waiting.sum()) * np.array([fast, 1 - fast])
    moves = _moves(servers + 1, servers, fast, rates)
    step = 1.001 * max(moves.sum(1).max(), *rates)
    later: list[float] = []
    while not later or later[-1] > _LEFT:
        later.append(waiting.sum() + served.sum())
        moved = waiting @ moves / step
        begun = float((waiting[0] @ moves).sum()) / step * np.array([fast, 1 - fast])
        waiting = waiting * (1 - moves.sum(1) / step)
        waiting[:-1] += moved[1:]
        served = served * (1 - np.array(rates) / step) + begun
    return step, np.array(later)


def _inverse(longer: Any, tail: float) -> float:
    """The time beyond which this much is left."""
    low, high = 0.0, 1.0
    while longer(high) > tail:
        low, high = high, 2 * high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if longer(middle) > tail else (low, middle)
    return high
