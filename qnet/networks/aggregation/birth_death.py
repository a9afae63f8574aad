"""Probabilities of the number of customers in each part of a network, and means over them.

A part is known by its throughput at each number of customers. With n customers in it the probability is in proportion
to the product of arrival rate over throughput at 1, ..., n: all is computed in logarithms of these products.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from qnet.lazy import Array, Indices, np

_VALLEY, _SHARE = 0.9, 0.01
"""Two likely numbers are separated by a valley this much lower than the lower of them, each with this probability."""


def log_weights(births: Any, deaths: Any) -> Array:
    """Logarithms of p(n) / p(0) of a birth-death chain, (points, numbers from 0).

    births  (points, numbers) rate from n to n + 1; that at the last number is not used.
    deaths  (points, numbers) rate from n to n - 1, infinite where a customer leaves at once; that at 0 is not used.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.log(births[:, :-1]) - np.log(deaths[:, 1:])
    return np.concatenate([np.zeros((len(steps), 1)), np.cumsum(steps, axis=1)], axis=1)


def probabilities(logs: Array) -> Array:
    """The probabilities of numbers with given log weights, each row of sum 1.

    logs     (points, numbers) logarithms of weights; -inf for a number that does not occur.
    Returns  (points, numbers) probabilities; the largest weight is scaled to 1, so that none overflows.
    """
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def with_queue(logs: Array, ratio: Array) -> tuple[Array, Array]:
    """The numbers up to a limit with an unlimited queue in front.

    logs     (points, limit + 1) log weights.
    ratio    (points,) p(n + 1) / p(n) from the limit on, below 1.
    Returns  probabilities, the last one of the limit or more, and the mean number in the queue.
    """
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    last = weights[:, -1] / (1 - ratio)
    weights[:, -1] = last
    normalization = weights.sum(axis=1)
    return weights / normalization[:, None], last * ratio / (1 - ratio) / normalization


def numbers_in_parts(parts: Sequence[Array], population: Array) -> list[Array]:
    """The probabilities of the numbers of customers in every part of a closed network.

    parts       by part, log weights at 0, 1, ... customers, (points, most + 1).
    population  (points,) customers in all parts together; a fraction mixes the answers for the integers around it.
    Returns     by part (points, most + 1), each row of sum 1.
    Method      The parts are stations whose rates depend on the number present: product form (@chandy1975).
                For two parts it is a birth-death chain.
    """
    low = np.floor(population)
    fraction = (population - low)[:, None]
    result = _of_integers(parts, low.astype(int))
    if not fraction.any():
        return result
    more = _of_integers(parts, np.ceil(population).astype(int))
    return [(1 - fraction) * few + fraction * many for few, many in zip(result, more, strict=True)]


def _of_integers(parts: Sequence[Array], population: Indices) -> list[Array]:
    points: int
    length: int
    points, length = parts[0].shape
    numbers: Indices = np.arange(length)
    elsewhere = population[:, None] - numbers[None, :]
    rows: Indices = np.arange(points)[:, None]
    result: list[Array] = []
    for index, part in enumerate(parts):
        others = _convolved([other for number, other in enumerate(parts) if number != index], points, length)
        result.append(probabilities(part + np.where(elsewhere >= 0, others[rows, np.maximum(elsewhere, 0)], -np.inf)))
    return result


def _convolved(parts: Sequence[Array], points: int, length: int) -> Array:
    """The log weights of several parts taken as one."""
    result = np.full((points, length), -np.inf)
    result[:, 0] = 0.0
    for number, part in enumerate(parts):
        if not number:
            result = part
            continue
        terms = [part[:, : count + 1] + result[:, count::-1] for count in range(length)]
        result = np.stack([np.logaddexp.reduce(term, axis=1) for term in terms], axis=1)
    return result


def mean(shares: Array, values: Array, rates: Array | None = None) -> Array:
    """(points,) the mean of a figure of all numbers over time, or over events that happen at given rates.

    values  (points, numbers) the figure at each number.
    shares  (points, numbers) of time.
    rates   events per second at each number, infinite ones as 1. Without any event the mean is that over time.
    """
    weights = shares
    if rates is not None:
        events = shares * np.where(np.isfinite(rates), rates, 1.0)
        weights = np.where(events.sum(axis=1, keepdims=True) > 0, events, shares)
    return (weights * values).sum(axis=1) / weights.sum(axis=1)


def two_modes(shares: Any) -> tuple[int, int] | None:
    """Two numbers that are both likely with an unlikely one between; None where there are none.

    shares   of time with 0, 1, ... customers; those of greater numbers are left out where they only decrease.
    """
    row = np.asarray(shares)
    before = np.concatenate([[-1.0], row[:-1]])
    after = np.concatenate([row[1:], [-1.0]])
    peaks = [number for number in np.flatnonzero((row > before) & (row >= after)).tolist() if row[number] > 0]
    best: tuple[int, int] | None = None
    for first, second in pairwise(peaks):
        valley = first + int(row[first : second + 1].argmin())
        deep = row[valley] < _VALLEY * min(row[first], row[second])
        if deep and _SHARE <= row[:valley].sum() <= 1 - _SHARE:
            best = (first, second) if best is None else (best[0], second)
    return best
