"""The waits of an open network with stations that may be full."""

from __future__ import annotations

from collections.abc import Mapping

from qnet.expression import Operations, Value
from qnet.networks.capacity.thinned import Losses
from qnet.networks.centres import Centre
from qnet.networks.duration import Wait
from qnet.networks.open import OpenSolver
from qnet.networks.routed import RoutedNetwork
from qnet.networks.streams import Key, Streams
from qnet.queues.arithmetic import ratio, total
from qnet.queues.stations.m_m_c_k import m_m_c_k

_JUST_BELOW = 1 - 1e-12
LEAST = 1e-200
"""The smallest share that is let in."""


class Lines(OpenSolver):
    """As an open network, but stations with a capacity are M/M/c/K."""

    def __init__(
        self,
        network: RoutedNetwork,
        compiled: Streams,
        operations: Operations,
        losses: Losses,
        full: frozenset[Key],
        bounded: Mapping[int, Wait],
    ) -> None:
        self.losses = losses
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
        own = [(index, self.all[index].rate, self.holding(index)) for index in centre.indices]
        carried = total(rate for _, rate, _ in own)
        nobody = carried == 0
        mean = ratio(total((rate + nobody) * holding for _, rate, holding in own), carried + nobody * len(own))
        idle = mean == 0
        offered = self.operations.where(idle, 0.0 * mean, carried / self.losses.stations[centre.key])
        station = centre.station
        found = m_m_c_k(offered, mean + idle, station.servers, station.capacity or station.servers)
        kept = ratio(found.throughput, offered) + (offered == 0)
        kept = self.operations.minimum([kept, 1.0 + 0.0 * kept])
        self.kept[centre.key] = self.operations.maximum([kept, LEAST + 0.0 * kept])
        for index, _, holding in own:
            # First come first served all wait alike; else in proportion to the own service.
            stretch: Value = 1.0 if station.discipline == "fcfs" else ratio(holding, mean)
            self.waits[index] = Wait(found.wait * stretch, found.variance_of_wait * stretch**2)

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
