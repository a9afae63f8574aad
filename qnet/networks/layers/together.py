"""Layers of similar networks that are requested one after the other, solved as one batch.

For other methods, networks with different numbers of servers differ in structure. For layers these are numbers like
others, and a round over many points takes hardly longer than over one.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast

import numpy as np

from qnet.lazy import Array
from qnet.networks.layers.core import LayerWaits, solve
from qnet.networks.layers.table import Numbers, Shape
from qnet.record import Record


class LayerProblem(Record):
    """A problem of layers: the arguments of `core.solve`."""

    shape: Shape
    numbers: Numbers
    rough: bool
    patience: Array
    """(P,) rounds without progress."""
    near: Array | None = None
    """(P, n, S) where core solutions begin; None where that is unknown."""

    def points(self) -> list[bytes]:
        """Each of its points as bytes, equal for equal points."""
        common = _bytes((tuple(self.shape), self.rough))
        return [
            common + _bytes((*self.numbers.part([index]), self.patience[index : index + 1]))
            for index in range(len(self.patience))
        ]


class _Family:
    """The announced problems of one shape and patience."""

    def __init__(self) -> None:
        self.problems: list[LayerProblem] = []
        """The problems that are not solved yet."""


class _Announced:
    """Problems that may be requested, and the points that are solved."""

    def __init__(self) -> None:
        self.families: dict[bytes, _Family] = {}
        self.points: dict[bytes, list[_Family]] = {}
        """By point, as bytes: the families with this point."""
        self.answers: dict[bytes, tuple[Any, LayerWaits]] = {}
        """By point: its waits and state, as a batch of one point."""

    def add(self, problem: LayerProblem) -> None:
        """Announce a problem."""
        key = _bytes((tuple(problem.shape), problem.rough, problem.patience))
        family = self.families.setdefault(key, _Family())
        points = problem.points()
        if not all(point in self.answers for point in points):
            family.problems.append(problem)
        for point in points:
            if family not in self.points.setdefault(point, []):
                self.points[point].append(family)

    def answer(self, problem: LayerProblem) -> tuple[Any, LayerWaits] | None:
        """As `core.solve`, for announced points; None where some are not."""
        points = problem.points()
        while missing := [point for point in points if point not in self.answers]:
            pending = [family for family in self.points.get(missing[0], []) if family.problems]
            if not pending:
                return None
            self._solve(pending[0])
        every = [self.answers[point] for point in points]
        return np.concatenate([waits for waits, _ in every]), LayerWaits.joined([state for _, state in every])

    def _solve(self, family: _Family) -> None:
        """Solve all problems of a family, each point once."""
        new: dict[bytes, tuple[Numbers, Array]] = {}
        for item in family.problems:
            for index, point in enumerate(item.points()):
                if point not in self.answers:
                    new[point] = item.numbers.part([index]), item.patience[index : index + 1]
        shape, rough = family.problems[0].shape, family.problems[0].rough
        family.problems = []
        numbers = Numbers(*(np.concatenate(parts) for parts in zip(*(item for item, _ in new.values()), strict=True)))
        waits, state = solve(shape, numbers, rough, np.concatenate([patience for _, patience in new.values()]))
        for index, point in enumerate(new):
            self.answers[point] = waits[index : index + 1], state.part([index])


_announced: ContextVar[_Announced | None] = ContextVar("layers", default=None)


def solved(problem: LayerProblem) -> tuple[Any, LayerWaits]:
    """The result of `core.solve`; announced points are solved with all others of their shape and patience."""
    announced = _announced.get()
    return (announced and announced.answer(problem)) or solve(*problem)


def announcing() -> bool:
    """Whether this is inside of `together`."""
    return _announced.get() is not None


@contextmanager
def together(problems: Iterable[LayerProblem]) -> Generator[None]:
    """Announce problems that may be requested inside, alone or as batches.

    At the first request, all points of one shape and patience are solved at once. Nested announcements are joined.

    problems  as `solved` takes them.
    """
    outer = _announced.get()
    announced = outer or _Announced()
    for item in problems:
        announced.add(item)
    token = _announced.set(announced)
    try:
        yield
    finally:
        _announced.reset(token)


def _bytes(value: Any) -> bytes:
    """Values of tuples and arrays, whatever objects hold them."""
    if hasattr(value, "tobytes"):
        return repr((value.shape, value.dtype.str)).encode() + value.tobytes()
    if isinstance(value, tuple):
        return b"(" + b",".join(map(_bytes, cast("tuple[Any, ...]", value))) + b")"
    return repr(value).encode()
