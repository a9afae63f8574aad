"""Layers of similar networks that are asked for one after the other, solved as one batch.

Networks that differ in numbers of servers are of separate structure to all other methods, and each is a question by
itself. To layers these are numbers like others, and a round over many points takes hardly longer than over one.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast

from qnet.lazy import Array, np
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

    def key(self) -> bytes:
        """All of it, as bytes that are the same where it is."""
        return _bytes(tuple(self))


class _Batch:
    """Questions of one shape, which are answered as one batch when the first of them is asked."""

    def __init__(self) -> None:
        self.questions: dict[bytes, Asked] = {}
        self.answers: dict[bytes, tuple[Any, LayerWaits]] = {}

    def answer(self, key: bytes) -> tuple[Any, LayerWaits]:
        """As `core.solve`, of one of the questions."""
        if not self.answers:
            asked = list(self.questions.values())
            shape, _, rough, _ = asked[0]
            numbers = Numbers(*(np.concatenate(parts) for parts in zip(*(item.numbers for item in asked), strict=True)))
            waits, state = solve(shape, numbers, rough, np.concatenate([item.patience for item in asked]))
            begin = 0
            for name, item in self.questions.items():
                part = slice(begin, begin + len(item.patience))
                self.answers[name], begin = (waits[part], state.part(part)), part.stop
        return self.answers[key]


_batches: ContextVar[dict[bytes, _Batch] | None] = ContextVar("layers", default=None)
"""By what was asked, where several questions were announced."""


def solved(asked: Asked) -> tuple[Any, LayerWaits]:
    """What `core.solve` answers; where the question was announced, with all those that were announced with it."""
    batches = _batches.get()
    if batches:
        key = asked.key()
        if key in batches:
            return batches[key].answer(key)
    return solve(*asked)


@contextmanager
def together(questions: Iterable[Asked]) -> Generator[None]:
    """Announce questions that may be asked inside, so that those of one shape and patience are answered together."""
    shapes: dict[bytes, _Batch] = {}
    batches: dict[bytes, _Batch] = {}
    for item in questions:
        batch = shapes.setdefault(_bytes((tuple(item.shape), item.rough, item.patience)), _Batch())
        key = item.key()
        batch.questions[key] = item
        batches[key] = batch
    token = _batches.set(batches)
    try:
        yield
    finally:
        _batches.reset(token)


def _bytes(value: Any) -> bytes:
    """Values of tuples and arrays, whatever objects hold them."""
    if hasattr(value, "tobytes"):
        return repr((value.shape, value.dtype.str)).encode() + value.tobytes()
    if isinstance(value, tuple):
        return b"(" + b",".join(map(_bytes, cast("tuple[Any, ...]", value))) + b")"
    return repr(value).encode()
