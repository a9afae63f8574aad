"""Steps whose times and visits depend on the number inside, as they are on average."""

from __future__ import annotations

from typing import Any

from qnet.expression import Value
from qnet.lazy import Array, np
from qnet.networks.memory.regions import Region
from qnet.networks.routed import Hold, RoutedNetwork, Step, Time


def averaged(network: RoutedNetwork, levels: RoutedNetwork, region: Region, weights: Any) -> RoutedNetwork:
    """A network with the steps inside a region as they are over all who pass through it.

    levels   the same network with 1, 2, ... customers inside, as a batch.
    weights  (points, numbers from 1): how often customers leave with so many inside.
    Returns  visits and times weighted by how often they happen.
    """
    mean = _Mean(weights, network.size)
    classes = list(network.classes)
    item = classes[region.class_index]
    routes = tuple(
        route.replace(
            steps=tuple(
                step.replace(steps=mean.steps(step.steps, other.steps, weights))
                if isinstance(step, Hold) and isinstance(other, Hold) and step.station == region.station
                else step
                for step, other in zip(route.steps, own.steps, strict=True)
            )
        )
        for route, own in zip(item.routes, levels.classes[region.class_index].routes, strict=True)
    )
    classes[region.class_index] = item.replace(routes=routes)
    return network.replace(classes=tuple(classes))


class _Mean:
    def __init__(self, weights: Any, size: int | None) -> None:
        self.shape = weights.shape
        self.size = size

    def table(self, value: Value) -> Any:
        count = self.shape[0] * self.shape[1]
        return np.broadcast_to(np.asarray(value, float), (count,)).reshape(self.shape)

    def of(self, values: Array, weights: Array) -> Value:
        """The weighted mean; where nothing has weight, what it is with one customer."""
        whole = weights.sum(axis=1)
        idle = whole <= 0
        found = np.where(idle, values[:, 0], (weights * values).sum(axis=1) / np.where(idle, 1.0, whole))
        return float(found[0]) if self.size is None else found

    def steps(self, steps: tuple[Step, ...], levels: tuple[Step, ...], weights: Any) -> tuple[Step, ...]:
        found: list[Step] = []
        for step, own in zip(steps, levels, strict=True):
            visits = self.table(own.visits)
            often = weights * visits
            made = self.of(visits, weights)
            if isinstance(step, Time) and isinstance(own, Time):
                found.append(step.replace(mean=self.of(self.table(own.mean), often), visits=made))
            elif isinstance(step, Hold) and isinstance(own, Hold):
                found.append(step.replace(steps=self.steps(step.steps, own.steps, often), visits=made))
        return tuple(found)
