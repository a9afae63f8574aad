"""What responses are made of: the ways through a network and the waits on them, kept for further questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from qnet.expression import Value
from qnet.networks.duration import Wait
from qnet.networks.routed import RoutedNetwork
from qnet.networks.streams import Streams
from qnet.networks.wanted import Wanted
from qnet.record import Record


class _Aside:
    """What a solution has that changes no answer: all of a kind are equal."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return 0


class Start(_Aside):
    """A solution of demands from which that of a network that is nearly the same begins."""

    def __init__(self, demands: Any) -> None:
        self.demands = demands


class Variances(_Aside):
    """Waits with their variances, computed for the first percentile that needs them, and kept for all others."""

    def __init__(self) -> None:
        self.of: tuple[Any, ...] = ()
        self.waits: Sequence[Wait] = ()

    def known(self, passages: Passages, compute: Callable[[], Sequence[Wait]]) -> Sequence[Wait]:
        """Those of passages, computed where they are not of these very waits."""
        of = passages.compiled, passages.throughputs, passages.waits, passages.wanted
        if len(self.of) != len(of) or any(one is not other for one, other in zip(self.of, of, strict=True)):
            self.waits = compute()
            self.of = of
        return self.waits


class Passages(Record):
    """A solved network as percentiles need it. Only they do: nothing is computed to make it."""

    network: RoutedNetwork
    compiled: Streams
    throughputs: tuple[Value, ...]
    """Passages per second of every class."""
    waits: tuple[Wait, ...]
    """By stream."""
    identical: tuple[Value, ...] = ()
    """By stream, of parallel steps: the share of customers there on arrival that started together with other
    branches."""
    wanted: Wanted | None = None
    """Where the waits have no variances yet: the method and the budget to find them with."""
    demands: Any = None
    """Of a batch, the solution of its demands, a start for those of a network that is nearly the same."""
    start: Start | None = None
    """The same of a point."""
    variances: Variances | None = None
    """Where the waits have none yet: those that are computed."""
    copies: tuple[int, ...] = ()
    """By class: how many classes like it there are in the network of which this is a part; empty: one of each."""
