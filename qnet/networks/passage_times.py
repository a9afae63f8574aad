"""What responses are made of: the ways through a network and the waits on them, kept for those who ask for more."""

from __future__ import annotations

from qnet.expression import Value
from qnet.networks.duration import Wait
from qnet.networks.routed import RoutedNetwork
from qnet.networks.streams import Streams
from qnet.networks.wanted import Wanted
from qnet.record import Record


class Passages(Record):
    """A solved network as percentiles need it. Only they do: nothing is computed to make it."""

    network: RoutedNetwork
    compiled: Streams
    throughputs: tuple[Value, ...]
    """Passages per second of every class."""
    waits: tuple[Wait, ...]
    """By stream."""
    alike: tuple[Value, ...] = ()
    """By stream, of parallel steps: the share of what is met that started together with other branches."""
    wanted: Wanted | None = None
    """Where the waits have no variances yet: the method and the budget to find them with."""
