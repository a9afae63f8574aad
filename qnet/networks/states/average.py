"""Steps whose times and visits depend on the number inside a station, as a solved chain has them on average."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qnet.expression import Value
from qnet.networks.routed import Hold, RoutedNetwork, Step, Time
from qnet.networks.states.program import HoldPath, Program
from qnet.queues.arithmetic import ratio


def averaged(
    network: RoutedNetwork,
    made: Program,
    often: Callable[[int], Value],
    served: Callable[[Sequence[int]], Value],
) -> RoutedNetwork:
    """The network with the mean visits and times of every step that depends on the number inside.

    made    the program of a point, of which the steps have marks.
    often   how often a second a mark is passed.
    served  the mean number of servers that serve at some nodes.
    Laws    Visits are the rates at which a step and the hold around it begin (forced flow), times the mean number of
            servers that serve there over that rate (utilization law).
    """
    classes = list(network.classes)
    for kind, item in enumerate(classes):
        routes = tuple(
            route.replace(steps=_Mean(made, often, served, (kind, number)).steps(route.steps, (), None))
            for number, route in enumerate(item.routes)
        )
        classes[kind] = item.replace(routes=routes)
    return network.replace(classes=tuple(classes))


class _Mean:
    def __init__(
        self,
        made: Program,
        often: Callable[[int], Value],
        served: Callable[[Sequence[int]], Value],
        here: tuple[int, int],
    ) -> None:
        self.made, self.often, self.served, self.here = made, often, served, here

    def steps(self, steps: tuple[Step, ...], path: HoldPath, around: Value | None) -> tuple[Step, ...]:
        """Steps inside a hold that begins `around` times a second; None where they were not counted."""
        result: list[Step] = []
        for index, step in enumerate(steps):
            mark, nodes = self.made.steps.get((self.here, path, index), (-1, ()))
            rate = self.often(mark) if mark >= 0 else None
            if rate is not None and around is not None:
                step = step.replace(visits=ratio(rate, around))
            if isinstance(step, Time) and rate is not None:
                step = step.replace(mean=ratio(self.served(nodes), rate))
            elif isinstance(step, Hold):
                step = step.replace(steps=self.steps(step.steps, (*path, (index, 0)), rate))
            result.append(step)
        return tuple(result)
