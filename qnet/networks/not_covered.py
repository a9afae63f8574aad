"""Combinations of features that no method covers, whatever the numbers are: `qnet check` states them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qnet.errors import NotComputed, Problem
from qnet.networks.parallel.branches import refuse_held
from qnet.networks.routed import ClosedClass, Fork, Hold, RoutedNetwork, Step
from qnet.networks.states import solve as chain


def not_covered(network: RoutedNetwork) -> Problem | None:
    """Why no method solves a network; None where its features do not show that.

    network   one point. It is not solved: whether it has a steady state, or is too large, remains unknown.
    Returns   QN552 for parallel steps inside holds, QN551 for a station with a capacity that branches visit.
    """
    limited = {station.name for station in network.stations if station.capacity is not None}
    for customers in network.classes:
        if not (customers.population if isinstance(customers, ClosedClass) else customers.arrival_rate) > 0:
            continue  # Such a class does not affect the others.
        for route in (route for route in customers.routes if route.probability > 0):
            problem = next(_problems(route.steps, limited, (), False), None)
            if problem and not chain.covers(network):
                return problem
    return None


def _problems(steps: Sequence[Step], limited: set[str], around: tuple[str, ...], parallel: bool) -> Iterator[Problem]:
    """The problems of some steps.

    limited    the stations with a capacity.
    around     the stations held around the steps, the innermost last.
    parallel   whether the steps are in a branch.
    """
    for step in (step for step in steps if step.visits > 0):
        if isinstance(step, Fork):
            try:
                refuse_held(around)
            except NotComputed as error:
                yield error.problems[0]
            yield from _problems(step.inner, limited, around, True)
        elif isinstance(step, Hold):
            if parallel and step.station in limited:
                text = f'"{step.station}" has a capacity and is visited in parallel'
                help = "leave the capacity out, or make the parallel steps sequential"
                yield Problem("QN551", text, "one or the other", help=help)
            yield from _problems(step.steps, limited, (*around, step.station), parallel)
