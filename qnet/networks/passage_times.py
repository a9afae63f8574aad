"""What responses are made of: mean and variance of the time that each way through a network spends at each station."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qnet.expression import Value
from qnet.networks.duration import Wait
from qnet.networks.routed import RoutedNetwork
from qnet.networks.solution import PassageTime
from qnet.networks.streams import RouteTime, Streams
from qnet.networks.wanted import Wanted
from qnet.record import Record


class PassageTimes(Record):
    """The passage times of a solved network, found when it is called: only percentiles ask for them.

    A record and no closure, so that solutions compare and pickle.
    """

    network: RoutedNetwork
    compiled: Streams
    throughputs: tuple[Value, ...]
    """Passages per second of every class."""
    waits: tuple[Wait, ...]
    """By stream."""
    wanted: Wanted | None = None
    """Where the waits have no variances yet: the method and the budget to find them with."""

    def __call__(self) -> tuple[PassageTime, ...]:
        """Mean and variance of the time that every route, or a chain as a whole, spends at each station."""
        waits = self._known()
        found: list[PassageTime] = []
        for number, customers in enumerate(self.network.classes):
            own = [route for route in self.compiled.routes if route.class_index == number]
            rate = self.throughputs[number]
            if customers.chain:
                together = tuple(stage for route in own for stage in _stages(route, waits))
                found.append(PassageTime(customers.name, "", 1.0, rate, together))
                continue
            for route in own:
                taken, stages = rate * route.probability, tuple(_stages(route, waits))
                found.append(PassageTime(customers.name, route.route, route.probability, taken, stages))
        return tuple(found)

    def _known(self) -> Sequence[Wait]:
        """The waits with their variances."""
        if self.wanted is None:
            return self.waits
        from qnet.networks.found_waiting import with_variances

        return with_variances(self.network, self.compiled, self.waits, self.throughputs, self.wanted)


def _stages(route: RouteTime, waits: Sequence[Wait]) -> Iterator[tuple[Value, Value]]:
    for part in route.parts.values():
        yield part.mean_with(waits), part.variance_with(waits)
