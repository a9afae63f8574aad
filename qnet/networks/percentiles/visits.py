"""Routes by the visits that their passages make, where the mean number of visits of a step is no integer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks.duration import Duration
from qnet.networks.routed import ClosedClass, Fork, OpenClass, Route, Step
from qnet.networks.solution import Passages
from qnet.networks.streams import RouteTime, streams

_MOST = 6
"""The most steps of a route that are divided: into 64 routes."""
_ROUNDING = 1e-9
"""The distance from an integer up to which visits count as one."""


def integer_visits(visits: Value, operations: Operations) -> Value:
    """Where a mean number of visits is an integer, so that every passage makes as many.

    visits       of a step.
    operations   of floats, or of arrays of one value per point.
    """
    return operations.compare("<=", operations.absolute(visits - operations.floor(visits + 0.5)), _ROUNDING)


def divided(customers: OpenClass | ClosedClass, route: Route, operations: Operations) -> tuple[int, ...]:
    """The indices of the steps of a route that its passages make once more or not; empty where it is not divided.

    customers    the class of the route.
    route        any.
    operations   of floats, or of arrays of one value per point.
    """
    if customers.chain or any(isinstance(step, Fork) for step in route.steps):
        return ()
    indices = tuple(
        index
        for index, step in enumerate(route.steps)
        if step.phase == 1 and not operations.all(integer_visits(step.visits, operations))
    )
    return indices if len(indices) <= _MOST else ()


def routes_as_made(passages: Passages) -> Sequence[tuple[RouteTime, Sequence[Step]]]:
    """The routes, each step with visits of n + f divided into n visits and, with probability f, n + 1.

    passages   with any routes.
    Returns  one route for each way, with its probability and its steps; those of chains and with parallel steps as they
             are.
    """
    network = passages.network
    operations: Operations = FLOATS if network.size is None else arrays()
    known = iter(passages.compiled.routes)
    result: list[tuple[RouteTime, Sequence[Step]]] = []
    for class_index, customers in enumerate(network.classes):
        for route in customers.routes:
            before = next(known)
            indices = divided(customers, route, operations)
            if not indices:
                result.append((before, route.steps))
                continue
            numbers = [
                number
                for number, stream in enumerate(passages.compiled.streams)
                if (stream.class_index, stream.route) == (class_index, route.name)
            ]
            for more in product((0.0, 1.0), repeat=len(indices)):
                steps: list[Step] = list(route.steps)
                probability = before.probability
                for index, once_more in zip(indices, more, strict=True):
                    step = steps[index]
                    least = operations.floor(step.visits + _ROUNDING)
                    share = operations.maximum([step.visits - least, 0.0 * least])
                    steps[index] = step.replace(visits=least + once_more)
                    probability = probability * (share if once_more else 1 - share)
                alone = customers.replace(routes=(route.replace(steps=tuple(steps)),))
                made = streams(network.replace(classes=(alone,)), operations, [1.0])
                names = dict(zip(range(len(made.streams)), numbers, strict=True))
                parts = {key: _renamed(part, names) for key, part in made.routes[0].parts.items()}
                result.append((before.replace(probability=probability, parts=parts), steps))
    return result


def _renamed(duration: Duration, names: dict[int, int]) -> Duration:
    """A duration with the numbers that its streams have in the entire network."""
    return duration.replace(
        waits={names[number]: count for number, count in duration.waits.items()},
        fractions=tuple(
            item.replace(waits={names[number]: count for number, count in item.waits.items()})
            for item in duration.fractions
        ),
    )
