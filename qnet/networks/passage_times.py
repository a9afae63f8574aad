"""What responses are made of: the ways through a network and the waits on them, kept for further questions."""

from __future__ import annotations

from typing import Any

from qnet.expression import Value
from qnet.networks.duration import Wait
from qnet.networks.routed import RoutedNetwork
from qnet.networks.streams import Streams
from qnet.networks.wanted import Wanted
from qnet.record import Record


class Start:
    """A solution of demands from which that of a network that is nearly the same begins: it changes no answer, so that
    all of them are equal."""

    def __init__(self, demands: Any) -> None:
        self.demands = demands

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Start)

    def __hash__(self) -> int:
        return 0


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
    copies: tuple[int, ...] = ()
    """By class: how many classes like it there are in the network of which this is a part; empty: one of each."""
