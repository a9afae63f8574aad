"""The features of networks, and the reasons of methods that lack some."""

from __future__ import annotations

from qnet.errors import NotComputed, of_method
from qnet.networks.reasons import SENTENCES, Reason, together
from qnet.networks.routed import Fork, Hold, RoutedNetwork, Step, Time
from qnet.networks.wanted import Wanted


class Final(NotComputed):
    """A method applies but has no answer, and no other is to be tried."""


def of_routes(network: RoutedNetwork, wanted: Wanted) -> frozenset[str]:
    """The features that a network of routes and the wanted figures require, as far as its parts show them."""
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
    """Add the features of a step and of those inside it."""
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


def unsupported(features: frozenset[str], supports: frozenset[str]) -> Reason | None:
    """The reason for the first feature that is not supported; None where all are.

    features  of the network.
    supports  of the method.

    >>> str(unsupported(frozenset({"closed", "rates"}), frozenset({"closed"})))
    'a station has rates that depend on the number present'
    """
    missing = features - supports
    return next((Reason(name) for name in (*SENTENCES, *missing) if name in missing), None)


def absent(features: frozenset[str]) -> Reason | None:
    """The reason against a network with none of the features that a method is for."""
    return together(f"no {name}" for name in (*SENTENCES, *(features - set(SENTENCES))) if name in features)


def does_not_apply(name: str, reason: Reason, way_out: str) -> NotComputed:
    """The refusal of a method that was requested by name, with the way out.

    name     of the method.
    reason   why it does not take the network.
    way_out  another method or change that does.
    """
    return NotComputed(of_method("QN513", name, f"does not apply: {reason}", way_out))
