"""Closed classes that never let others be served: last come first served, to who returns at once and never leaves."""

from __future__ import annotations

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Value, arrays
from qnet.networks.routed import ClosedClass, Hold, RoutedNetwork, Time


def refuse_monopoly(network: RoutedNetwork) -> None:
    """Raise where a customer is served for ever, so that the others are not and the answer depends on the beginning.

    A customer of a closed class who spends all time at one station, without think time, returns to it at once. Last
    come first served, preemptive resume, he is served before all others: the chain of states has no single steady
    state, and the product form is not its answer.

    Raises   `NotComputed` QN586, where there is anybody beside that customer.
    """
    orders = {station.name: station for station in network.stations if station.discipline == "lcfs-pr"}
    operations = FLOATS if network.size is None else arrays()
    for item in network.closed:
        name = _only(item)
        if name not in orders or orders[name].copies > 1:
            continue
        always = (item.think_time == 0) & (item.population > 0)
        others = sum(_comers(other, name) for other in network.classes)
        crowded = others > orders[name].servers
        if not operations.all((always & crowded) == False):  # noqa: E712
            found = f'customers of "{item.name}" return to "{name}" at once and are served there before all others'
            help = f'give "{item.name}" a think time, or "{name}" the discipline ps'
            raise NotComputed(Problem("QN586", found, "a class that leaves the station", help=help))


def _only(item: ClosedClass) -> str:
    """The station at which a class spends all its time; empty where there are several, or delays."""
    names: set[str] = set()
    for route in item.routes:
        for step in route.steps:
            if isinstance(step, Time) and not step.fills and _nothing(step.mean):
                continue
            if not isinstance(step, Hold) or not all(isinstance(inner, Time) for inner in step.steps):
                return ""
            names.add(step.station)
    return names.pop() if len(names) == 1 else ""


def _nothing(time: Value) -> bool:
    """Whether a time is 0 at all points."""
    return time == 0 if isinstance(time, (int, float)) else bool((time == 0).all())


def _comers(item: object, name: str) -> float:
    """How many customers of a class may be at a station; open ones without an end."""
    routes = getattr(item, "routes", ())
    if not any(isinstance(step, Hold) and step.station == name for route in routes for step in route.steps):
        return 0.0
    return item.population if isinstance(item, ClosedClass) else float("inf")
