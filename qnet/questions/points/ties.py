"""Figures that are the same but for rounding: which they are, and an order that does not depend on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

_NEAR = 1e-9
_Item = TypeVar("_Item")


def same(one: float, other: float) -> bool:
    """Whether two figures agree to 1e-9 of the larger."""
    return abs(one - other) <= _NEAR * max(abs(one), abs(other))


def rising(items: Iterable[_Item], size: Callable[[_Item], float]) -> list[_Item]:
    """Items by rising size, those that are the same in the order in which they are given."""
    given = list(items)
    found: list[_Item] = []
    alike: list[int] = []
    for place in sorted(range(len(given)), key=lambda place: size(given[place])):
        if alike and not same(size(given[alike[0]]), size(given[place])):
            found += [given[index] for index in sorted(alike)]
            alike = []
        alike.append(place)
    return found + [given[index] for index in sorted(alike)]
