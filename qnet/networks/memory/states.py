"""How customers spread over the parts of a network, each part told by its throughput at every number there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from qnet.lazy import Array, Places, np

_VALLEY, _SHARE = 0.9, 0.01
"""Two likely numbers are told apart by a valley this much lower than the lower of them, each with this share."""


def spread(parts: Sequence[Array], population: Array) -> list[Array]:
    """The probabilities of the numbers of customers at every part.

    parts       by part, logarithms of the products of 1 / throughput over 1, 2, ... customers, (points, most + 1).
    population  (points,) customers in all parts together; between whole numbers the answers for both are mixed.
    Returns     by part (points, most + 1), each row of sum 1.
    Method      The parts are stations whose rates depend on the number present: product form, in logarithms (Chandy,
                Herzog, Woo, IBM J. Res. Dev. 19 (1975) 36-42). For two parts it is a birth-death chain.
    """
    low = np.floor(population)
    share = (population - low)[:, None]
    found = _whole(parts, low.astype(int))
    if not share.any():
        return found
    more = _whole(parts, np.ceil(population).astype(int))
    return [(1 - share) * few + share * many for few, many in zip(found, more, strict=True)]


def _whole(parts: Sequence[Array], population: Places) -> list[Array]:
    points: int
    length: int
    points, length = parts[0].shape
    numbers: Places = np.arange(length)
    left = population[:, None] - numbers[None, :]
    rows: Places = np.arange(points)[:, None]
    found: list[Array] = []
    for index, own in enumerate(parts):
        rest = _together([part for place, part in enumerate(parts) if place != index], points, length)
        logs = own + np.where(left >= 0, rest[rows, np.maximum(left, 0)], -np.inf)
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        found.append(weights / weights.sum(axis=1, keepdims=True))
    return found


def _together(parts: Sequence[Array], points: int, length: int) -> Array:
    """The logarithms of several parts taken as one."""
    result = np.full((points, length), -np.inf)
    result[:, 0] = 0.0
    for number, part in enumerate(parts):
        if not number:
            result = part
            continue
        terms = [part[:, : count + 1] + result[:, count::-1] for count in range(length)]
        result = np.stack([np.logaddexp.reduce(term, axis=1) for term in terms], axis=1)
    return result


def two_modes(shares: Any) -> tuple[int, int] | None:
    """Two numbers that are both likely with an unlikely one between; None where there are none.

    shares   of time with 0, 1, ... customers there; those of more are left out where they only fall.
    """
    row = np.asarray(shares)
    behind = np.concatenate([[-1.0], row[:-1]])
    after = np.concatenate([row[1:], [-1.0]])
    peaks = [place for place in np.flatnonzero((row > behind) & (row >= after)).tolist() if row[place] > 0]
    best: tuple[int, int] | None = None
    for first, second in pairwise(peaks):
        valley = first + int(row[first : second + 1].argmin())
        deep = row[valley] < _VALLEY * min(row[first], row[second])
        if deep and _SHARE <= row[:valley].sum() <= 1 - _SHARE:
            best = (first, second) if best is None else (best[0], second)
    return best
