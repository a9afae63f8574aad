"""Where fixed points ended: some points of a batch, and several batches as one."""

from __future__ import annotations

import importlib
from typing import Any

from qnet.networks.near import Nearby

np: Any = importlib.import_module("numpy")


def _batch(points: list[int]) -> Nearby:
    """Of a network each, and of two that are solved for every point, one after the other; by number of the point."""
    numbers = np.array(points, dtype=float)
    values = numbers[:, None], np.concatenate([10 * numbers, 100 * numbers])[:, None]
    return Nearby("method", len(points), (1, 2), numbers[:, None], values)


def _values(near: Nearby) -> list[list[float]]:
    return [value[:, 0].tolist() for value in near.values or ()]


def test_rows_are_those_of_every_network_of_the_points() -> None:
    some = _batch([1, 2, 3]).rows([2, 0])
    assert some.like(2, (1, 2)) and not some.like(3, (1, 2))
    assert some.rates[:, 0].tolist() == [3, 1]
    assert _values(some) == [[3, 1], [30, 10, 300, 100]]


def test_batches_are_joined_network_by_network() -> None:
    every = Nearby.joined([_batch([1, 2]), _batch([3]), _batch([4, 5]).rows([1])])
    assert every.like(4, (1, 2))
    assert every.rates[:, 0].tolist() == [1, 2, 3, 5]
    assert _values(every) == [[1, 2, 3, 5], [10, 20, 30, 50, 100, 200, 300, 500]]


def test_what_has_no_values_has_none_of_some_points() -> None:
    rates = np.array([[1.0], [2.0]])
    some = Nearby.joined([Nearby("method", 2, (1, 1), rates, None).rows([1]), Nearby("method", 2, (1, 1), rates, None)])
    assert some.values is None and some.rates[:, 0].tolist() == [2, 1, 2]
    assert Nearby("method", 1, (1, 1), None, ()).rows([0]).rates is None
    assert some.kind != Nearby("method", 1, (1, 1), None, None).kind
