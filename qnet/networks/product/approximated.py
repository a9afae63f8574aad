"""Approximate mean value analysis of the closed classes of a network, with open ones beside them."""

from __future__ import annotations

from typing import Any

from qnet.networks.closed import approximate
from qnet.networks.product.closed_classes import Answer, closed_part
from qnet.networks.product.demands import Demands
from qnet.networks.product.loads import loads
from qnet.networks.product.mixed import with_open
from qnet.networks.product.solution import Solution
from qnet.networks.wanted import Wanted, Work


def solved(network: Demands, wanted: Wanted, name: str) -> Solution:
    """The steady state by a method of `closed.approximate`.

    Raises   `NotComputed` QN511 where it does not converge within its own laws, QN513 for rates other than servers.
    """
    loaded = loads(network)
    closed = closed_part(network, loaded, left=False)
    open_load: Any = None
    if any(rates is not None and _any(load) for rates, load in zip(closed.rates, loaded, strict=True)):
        open_load = tuple(0.0 if rates is None else load for rates, load in zip(closed.rates, loaded, strict=True))
    correction = wanted.correction or approximate.DEFAULT_CORRECTION
    figures = approximate.solve(closed, name, correction, wanted.core_solutions, open_load)
    answer = Answer(figures, name, (f"{name} is an approximation",), "asked for")
    return with_open(network, loaded, answer, wanted)


def work(network: Demands) -> Work:
    """That of some hundred rounds, whatever the populations."""
    stations, classes = network.shape
    cells = float(stations * classes**2 * (network.size or 1))
    return Work(1e3 * cells, 50.0 * cells)


def _any(load: Any) -> bool:
    return bool(load.any()) if hasattr(load, "any") else load != 0
