"""The figures of a network that was solved by parts, from the means of the parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import np
from qnet.networks.duration import Wait
from qnet.networks.exactness import AGGREGATED
from qnet.networks.figures import Steady, figures
from qnet.networks.routed import ClosedClass, OpenClass, RoutedNetwork
from qnet.networks.solution import RoutedSolution
from qnet.networks.streams import Key, Streams
from qnet.networks.wanted import Wanted

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart


class Aggregation:
    """A network that is solved by parts: what all kinds of parts have in common.

    network     a point or a batch.
    wanted      the budget.
    solve_part  solves a part, by its best method.
    """

    def __init__(self, network: RoutedNetwork, wanted: Wanted, solve_part: SolvePart) -> None:
        self.network = network
        self.wanted = wanted
        self.solve_part = solve_part
        self.operations: Operations = FLOATS if network.size is None else arrays()
        self.points = 1 if network.size is None else network.size

    def column(self, value: Value) -> Any:
        """A value of the network as an array of points."""
        return np.broadcast_to(np.asarray(value, float), (self.points,))

    def value(self, column: Any) -> Value:
        """An array of points as a value of the network."""
        return float(column[0]) if self.network.size is None else column

    def arrivals(self, class_index: int) -> Value:
        """Passages per second of an open class."""
        item = self.network.classes[class_index]
        assert isinstance(item, OpenClass)
        return item.arrival_rate

    def disaggregated(
        self,
        network: RoutedNetwork,
        compiled: Streams,
        throughputs: Sequence[Value],
        waits: Sequence[Wait],
        loads: Mapping[str, Any],
        rounds: int = 1,
    ) -> RoutedSolution:
        """The figures by class, route and station, from the means over the numbers of customers in each part.

        network      with what depends on these numbers replaced by its mean.
        compiled     its streams at the throughputs.
        throughputs  passages per second of every class.
        waits        by stream, the mean wait in its part.
        loads        by label of a station group, the load of open classes, (points,).
        """
        keys: dict[str, Key] = {
            group.label: (station.name, index)
            for station in network.stations
            for index, group in enumerate(station.groups)
        }
        rho = {keys[label]: self.value(load) for label, load in loads.items() if label in keys}
        steady = Steady(
            network, throughputs, compiled=compiled, members=compiled.members(), waits=waits, rho=rho,
            operations=self.operations,
        )  # fmt: skip
        solution = figures(steady, AGGREGATED, rounds)
        self.check(solution)
        return solution.replace(
            classes=tuple(
                item.replace(population=customers.population, think_time=customers.think_time)
                if isinstance(customers, ClosedClass)
                else item
                for item, customers in zip(solution.classes, self.network.classes, strict=True)
            ),
        )

    def check(self, solution: RoutedSolution) -> None:
        """Raise `NotComputed` where the means of the parts contradict each other."""
