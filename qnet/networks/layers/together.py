"""Layers of similar networks that are asked for one after the other, solved as one batch.

Networks that differ in numbers of servers are of separate structure to all other methods, and each is a question by
itself. To layers these are numbers like others, and a round over many points takes hardly longer than over one.
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


class Asked(Record):
    """What layers are asked for, the arguments of `core.solve`."""

    shape: Shape
    numbers: Numbers
    rough: bool
    patience: Array
    """(P,) rounds without progress."""
    near: Array | None = None
    """(P, n, S) where core solutions begin, if that is known."""

    def points(self) -> list[bytes]:
        """Each of its points, as bytes that are the same where all is."""
        common = _bytes((tuple(self.shape), self.rough))
        return [
            common + _bytes((*self.numbers.part([index]), self.patience[index : index + 1]))
            for index in range(len(self.patience))
        ]


class _Family:
    """Questions of one shape and patience, and what is known of their points and of others of the shape."""

    def __init__(self) -> None:
        self.questions: list[Asked] = []
        """Those that are not answered yet."""


class _Announced:
    """The questions of some networks, of which any number may be asked; and the points that are answered."""

    def __init__(self) -> None:
        self.families: dict[bytes, _Family] = {}
        self.points: dict[bytes, list[_Family]] = {}
        """By point, as bytes: those that it belongs to."""
        self.answers: dict[bytes, tuple[Any, LayerWaits]] = {}
        """By point: the batch that it was solved in, of one point."""

    def add(self, question: Asked) -> None:
        """Announce a question."""
        key = _bytes((tuple(question.shape), question.rough, question.patience))
        family = self.families.setdefault(key, _Family())
        points = question.points()
        if not all(point in self.answers for point in points):
            family.questions.append(question)
        for point in points:
            if family not in self.points.setdefault(point, []):
                self.points[point].append(family)

    def answer(self, asked: Asked) -> tuple[Any, LayerWaits] | None:
        """As `core.solve`, of announced points; None where some are not."""
        points = asked.points()
        while missing := [point for point in points if point not in self.answers]:
            waiting = [family for family in self.points.get(missing[0], []) if family.questions]
            if not waiting:
                return None
            self._solve(waiting[0])
        every = [self.answers[point] for point in points]
        return np.concatenate([waits for waits, _ in every]), LayerWaits.joined([state for _, state in every])

    def _solve(self, family: _Family) -> None:
        """Answer all questions of a family, each point once."""
        new: dict[bytes, tuple[Numbers, Array]] = {}
        for item in family.questions:
            for index, point in enumerate(item.points()):
                if point not in self.answers:
                    new[point] = item.numbers.part([index]), item.patience[index : index + 1]
        shape, rough = family.questions[0].shape, family.questions[0].rough
        family.questions = []
        numbers = Numbers(*(np.concatenate(parts) for parts in zip(*(item for item, _ in new.values()), strict=True)))
        waits, state = solve(shape, numbers, rough, np.concatenate([patience for _, patience in new.values()]))
        for index, point in enumerate(new):
            self.answers[point] = waits[index : index + 1], state.part([index])


_announced: ContextVar[_Announced | None] = ContextVar("layers", default=None)


def solved(asked: Asked) -> tuple[Any, LayerWaits]:
    """What `core.solve` answers; where its points were announced, with all those that were announced like them."""
    announced = _announced.get()
    return (announced and announced.answer(asked)) or solve(*asked)


def announcing() -> bool:
    """Whether some questions are announced."""
    return _announced.get() is not None


@contextmanager
def together(questions: Iterable[Asked]) -> Generator[None]:
    """Announce questions that may be asked inside, alone or as batches: when the first point is asked for, all points
    of one shape and patience are solved at once. What is announced inside of another belongs to that."""
    outer = _announced.get()
    announced = outer or _Announced()
    for item in questions:
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
