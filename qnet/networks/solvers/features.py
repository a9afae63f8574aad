"""The features of networks, and the sentence for each: why a method that does not support it does not apply."""

from __future__ import annotations

from qnet.errors import NotComputed, Problem
from qnet.networks.routed import Fork, Hold, RoutedNetwork, Step, Time
from qnet.networks.wanted import Wanted


class Final(NotComputed):
    """That a method applies and has no answer, and that no other is to be tried."""


SENTENCES = {
    "no closed classes": "there are no closed classes",
    "closed": "there are closed classes",
    "one closed class": "it is for several classes",
    "several closed classes": "it is for one class",
    "batches at once": "it takes the points of a batch one by one",
    "servers": "a station has several servers",
    "rates": "a station has rates that depend on the number present",
    "changing rates": "it is for stations of fixed rate",
    "holds": "a station is held while another is waited for",
    "second phase": "work is left after the response",
    "memory": "times depend on how many are inside a station",
    "capacity": "something may be full",
    "buffers": "something may be full",
    "parallel": "branches run in parallel",
    "priorities": "a station serves one class before another",
    "order of arrival": "it does not know the order of arrival",
    "work left behind": "customers meet the work that they leave behind",
    "fractional populations": "a population is fractional",
    "state probabilities": "it gives no state probabilities",
    "open beside closed, in a batch": "open classes share stations with closed ones at every point",
}
"""By feature, in the order in which they are told."""


_ABSENT = {
    "holds": "no station is held while another is waited for",
    "second phase": "no work is left after the response",
    "memory": "no times depend on how many are inside a station",
    "capacity": "nothing may be full",
    "buffers": "nothing may be full",
    "parallel": "no branches run in parallel",
    "priorities": "no station serves one class before another",
}
"""By feature, that a network has it not: for methods that are for nothing else."""


def of_routes(network: RoutedNetwork, wanted: Wanted) -> frozenset[str]:
    """The features of a network of routes, and of what is wanted of it, as far as a look at its parts tells them."""
    closed = network.closed
    found = {"closed" if closed else "no closed classes"}
    if any(item.servers > 1 for item in network.stations):
        found.add("servers")
    if any(item.rates is not None for item in network.stations):
        found.add("rates")
    if any(item.capacity is not None for item in network.stations):
        found.add("capacity")
    if network.buffers:
        found.add("buffers")
    if network.profiles:
        found.add("memory")
    if wanted.states:
        found.add("state probabilities")
    for customers in network.classes:
        for route in customers.routes:
            for step in route.steps:
                _add(step, found)
    return frozenset(found)


def _add(step: Step, found: set[str]) -> None:
    """The features of a step."""
    if isinstance(step, Time):
        if step.phase == 2:
            found.add("second phase")
    elif isinstance(step, Fork):
        found.add("parallel")
        for inner in step.inner:
            _add(inner, found)
    else:
        if step.phase == 2:
            found.add("second phase")
        for inner in step.steps:
            if isinstance(inner, Hold):
                found.add("holds")
            _add(inner, found)


def unsupported(features: frozenset[str], supports: frozenset[str]) -> str:
    """The sentence for the first feature that is not supported; empty where all are.

    >>> unsupported(frozenset({"closed", "rates"}), frozenset({"closed"}))
    'a station has rates that depend on the number present'
    """
    missing = features - supports
    return next((SENTENCES.get(name, name) for name in (*SENTENCES, *missing) if name in missing), "")


def absent(wanted: frozenset[str]) -> str:
    """That a network has none of the features that a method is for."""
    told = [_ABSENT.get(name, f"{name}: none") for name in (*_ABSENT, *(wanted - set(_ABSENT))) if name in wanted]
    *most, last = dict.fromkeys(told)
    return f"{', '.join(most)} and {last}" if most else last


def does_not_apply(name: str, reason: str, way_out: str) -> NotComputed:
    """That a method named by the user does not apply, with the way out."""
    return NotComputed(Problem("QN513", f"{name} does not apply: {reason}", way_out))
