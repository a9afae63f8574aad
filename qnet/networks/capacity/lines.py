"""The waits of an open network with stations that may be full."""

from __future__ import annotations

from collections.abc import Mapping

from qnet.expression import Operations, Value
from qnet.networks.capacity.forms import form_of
from qnet.networks.capacity.places import Visit, solved
from qnet.networks.capacity.thinned import Losses
from qnet.networks.centres import Centre
from qnet.networks.duration import Wait
from qnet.networks.open import OpenSolver
from qnet.networks.routed import RoutedNetwork
from qnet.networks.streams import Key, Streams
from qnet.queues.arithmetic import total

_JUST_BELOW = 1 - 1e-12
LEAST = 1e-200
"""The smallest share that is let in."""


class Lines(OpenSolver):
    """As an open network, but stations with a capacity lose who finds them full."""

    def __init__(
        self,
        network: RoutedNetwork,
        compiled: Streams,
        operations: Operations,
        losses: Losses,
        full: frozenset[Key],
        bounded: Mapping[int, Wait],
        entries: Mapping[str, Value],
    ) -> None:
        self.losses = losses
        self.entries = entries
        """By station with a capacity and one copy: how many a second are let in, for one visit or several."""
        self.full = full
        """Where work waits that is never more than the places of a buffer, and so never too much."""
        self.bounded = bounded
        """What streams of such work wait, as found last."""
        self.kept: dict[Key, Value] = {}
        """The share of those who come to a copy that is let in, as found last."""
        super().__init__(network, compiled, operations)

    def visit(self, centre: Centre, apart: Value = None) -> None:
        """Find what the streams of one station group wait."""
        if centre.station.capacity is None:
            super().visit(centre, apart)
            for index in centre.indices:
                if index in self.bounded:
                    self.waits[index] = self.bounded[index]
            return
        station = centre.station
        streams = [self.all[index] for index in centre.indices]
        visits = [Visit(item.rate, self.holding(index), self.scv(index), item.priority)
                  for index, item in zip(centre.indices, streams, strict=True)]  # fmt: skip
        entries = self.entries.get(station.name)
        if entries is None:
            entries = total(item.rate for item in visits)
        form = form_of(station, streams, self.operations)
        found = solved(station, form, visits, entries, self.losses.stations[centre.key], self.operations)
        self.kept[centre.key] = self.operations.maximum([found.kept, LEAST + 0.0 * found.kept])
        for index, wait in zip(centre.indices, found.waits, strict=True):
            self.waits[index] = wait

    def scv(self, index: int) -> Value:
        """The squared coefficient of variation of what a stream holds its server."""
        stream = self.all[index]
        if stream.scv is not None:
            return stream.scv
        mean = self.holding(index)
        return stream.holding.variance_with(self.waits) / (mean**2 + (mean == 0))

    def rho(self, centre: Centre) -> Value:
        """Load per server; always below 1 where what comes is limited."""
        load = super().rho(centre)
        if centre.station.capacity is None and centre.key not in self.full:
            return load
        limited = self.operations.minimum([load, _JUST_BELOW + 0.0 * load])
        other = self.other(centre)
        return self.operations.where(other >= 1, other, limited)

    def other(self, centre: Centre) -> Value:
        """Load per server that nothing limits, at a station that also frees places of a buffer that loses."""
        if centre.key not in self.full:
            return 0.0
        own = (index for index in centre.indices if not self.all[index].drains)
        return total(self.all[index].rate * self.holding(index) for index in own) / centre.station.servers
