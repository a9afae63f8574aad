"""States of a chain as arrays, without branches or parallel steps under way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from qnet.networks.states.machine import State


class CodedStates(Sequence[State]):
    """The states of a walk, converted to tuples on demand.

    counts  (S, T) the customers at the nodes of time that need no order.
    busy    (S, C) the busy servers, by centre.
    lines   (S, C) the number of the line of each centre.
    known   by centre, its lines by number.
    """

    def __init__(self, counts: Any, busy: Any, lines: Any, known: Sequence[Sequence[tuple[int, ...]]]) -> None:
        self.counts, self.busy, self.lines, self.known = counts, busy, lines, known

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return CodedStates(self.counts[index], self.busy[index], self.lines[index], self.known)
        numbers: list[int] = self.lines[index].tolist()
        lines = tuple([known[line] for known, line in zip(self.known, numbers, strict=True)])
        return tuple(self.counts[index].tolist()), lines, tuple(self.busy[index].tolist()), (), ()

    def __iter__(self) -> Iterator[State]:
        numbers: list[list[int]] = self.lines.tolist()
        for counts, busy, lines in zip(self.counts.tolist(), self.busy.tolist(), numbers, strict=True):
            waiting = tuple([known[line] for known, line in zip(self.known, lines, strict=True)])
            yield tuple(counts), waiting, tuple(busy), (), ()

    def same(self, other: CodedStates) -> bool:
        """Whether these are the same states in the same order."""
        numbers = ((self.counts, other.counts), (self.busy, other.busy), (self.in_line(), other.in_line()))
        if not all(np.array_equal(one, two) for one, two in numbers):
            return False
        return list(self.known) == list(other.known) and np.array_equal(self.lines, other.lines)

    def in_line(self) -> Any:
        """(S, C) the customers in line."""
        lengths = [np.array([len(line) for line in known]) for known in self.known]
        every = [lengths[centre][self.lines[:, centre]] for centre in range(len(lengths))]
        return np.stack(every, axis=1) if every else np.zeros(self.busy.shape, dtype=np.int64)

    def at_nodes(self, nodes: int) -> Any:
        """(S, N) the customers in lines at each of `nodes` nodes."""
        result = np.zeros((len(self), nodes))
        for centre, known in enumerate(self.known):
            table = np.zeros((len(known), nodes))
            for number, line in enumerate(known):
                for customer in line:
                    table[number, customer] += 1.0
            result += table[self.lines[:, centre]]
        return result
