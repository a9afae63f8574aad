"""The features of networks, and the sentence for each: why a method that does not support it does not apply."""

from __future__ import annotations

from qnet.errors import NotComputed, Problem
from qnet.networks.routed import Fork, Hold, RoutedNetwork, Step, Time
from qnet.networks.wanted import Wanted


class Final(NotComputed):
    """A method applies but has no answer, and no other is to be tried."""


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
    "second phase": "there is second-phase work",
    "memory": "service times depend on the number inside a station",
    "capacity": "a station or a buffer has a finite capacity",
    "buffers": "a station or a buffer has a finite capacity",
    "parallel": "branches run in parallel",
    "priorities": "a station has priorities",
    "order of arrival": "it ignores the order of arrival",
    "delayed by second phases": "second-phase work delays the customers that cause it",
    "fractional populations": "a population is fractional",
    "state probabilities": "it gives no state probabilities",
    "mixed batch": "open and closed classes share stations at every point",
}
"""By feature, in the order in which the first that is missing is reported."""


_ABSENT = {
    "holds": "no station is held while another is waited for",
    "second phase": "there is no second-phase work",
    "memory": "no service times depend on the number inside a station",
    "capacity": "no station or buffer has a finite capacity",
    "buffers": "no station or buffer has a finite capacity",
    "parallel": "no branches run in parallel",
    "priorities": "no station has priorities",
}
"""By feature, the sentence for a network without it: for methods that are for nothing else."""


def of_routes(network: RoutedNetwork, wanted: Wanted) -> frozenset[str]:
    """The features of a network of routes, and of the figures that are wanted, as far as its parts alone show them."""
    closed = network.closed
    features = {"closed" if closed else "no closed classes"}
    if any(item.servers > 1 for item in network.stations):
        features.add("servers")
    if any(item.rates is not None for item in network.stations):
        features.add("rates")
    if any(item.capacity is not None for item in network.stations):
        features.add("capacity")
    if network.buffers:
        features.add("buffers")
    if network.profiles:
        features.add("memory")
    if wanted.states:
        features.add("state probabilities")
    for customers in network.classes:
        for route in customers.routes:
            for step in route.steps:
                _add(step, features)
    return frozenset(features)


def _add(step: Step, features: set[str]) -> None:
    """The features of a step."""
    if isinstance(step, Time):
        if step.phase == 2:
            features.add("second phase")
    elif isinstance(step, Fork):
        features.add("parallel")
        for inner in step.inner:
            _add(inner, features)
    else:
        if step.phase == 2:
            features.add("second phase")
        for inner in step.steps:
            if isinstance(inner, Hold):
                features.add("holds")
            _add(inner, features)


def unsupported(features: frozenset[str], supports: frozenset[str]) -> str:
    """The sentence for the first feature that is not supported; empty where all are.

    >>> unsupported(frozenset({"closed", "rates"}), frozenset({"closed"}))
    'a station has rates that depend on the number present'
    """
    missing = features - supports
    return next((SENTENCES.get(name, name) for name in (*SENTENCES, *missing) if name in missing), "")


def absent(wanted: frozenset[str]) -> str:
    """The sentence for a network with none of the features that a method is for."""
    sentences = [_ABSENT.get(name, f"{name}: none") for name in (*_ABSENT, *(wanted - set(_ABSENT))) if name in wanted]
    *most, last = dict.fromkeys(sentences)
    return f"{', '.join(most)} and {last}" if most else last


def does_not_apply(name: str, reason: str, way_out: str) -> NotComputed:
    """The refusal of a method that was requested by name, with the way out."""
    return NotComputed(Problem("QN513", f"{name} does not apply: {reason}", way_out))
