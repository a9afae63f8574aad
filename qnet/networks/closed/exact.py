"""Closed networks exactly: the method that costs least among those that apply and fit a budget."""

from __future__ import annotations

from types import ModuleType

from qnet.errors import NotComputed, Problem
from qnet.networks.closed.problem import ClosedFigures, ClosedNetwork, Work
from qnet.networks.closed.reduction import reduced, stacked

NAMES = ("mva", "convolution", "lattice-mva", "lattice-convolution", "station-states")
"""The exact methods, the simplest first."""

WITH_STATES = frozenset(("convolution", "lattice-convolution", "station-states"))
"""Those that give state probabilities."""


_SMALL = 100_000
"""Steps of the recursion that are not worth the loading of another method."""


def module(name: str) -> ModuleType:
    """The module of a method: `refusal`, `work`, `solve`."""
    import importlib

    return importlib.import_module("qnet.networks.closed." + name.replace("-", "_"))


def choices(network: ClosedNetwork, marginals: bool = False) -> list[tuple[str, Work]]:
    """The methods that apply to a point, the cheapest first, with what they need."""
    found: list[tuple[str, Work]] = []
    for name in _candidates(network, marginals):
        method = module(name)
        if not method.refusal(network, marginals):
            found.append((name, method.work(network, marginals) if name in WITH_STATES else method.work(network)))
    return sorted(found, key=lambda item: item[1].operations)


def _candidates(network: ClosedNetwork, marginals: bool) -> tuple[str, ...]:
    """One class has its own methods: the others would only load more modules."""
    core = reduced(network, marginals)
    if len(core.population) > 1:
        return ("lattice-convolution", "station-states") if marginals else NAMES[2:]
    fixed = not marginals and all(group.rates is None for group in core.groups)
    if not fixed:
        return ("convolution",)
    small = core.total * (len(core.groups) + 4) < _SMALL
    return ("mva",) if small else ("mva", "convolution")


def solve(
    network: ClosedNetwork,
    marginals: bool = False,
    operations: float = 1e10,
    memory: float = 2e9,
) -> ClosedFigures:
    """The steady state of a point or a batch by the exact method that costs least.

    marginals   whether to give the state probabilities of the stations
    operations  the budget of elementary operations per point, about 1e9 per second
    memory      the budget of bytes
    Raises      `NotComputed` where no method fits the budget, `NoAnswer` for a class without demand and think time
    """
    if network.size is not None:
        if network.classes == 1:
            name = "mva" if not module("mva").refusal(network, marginals) else "convolution"
            return module(name).solve(network, marginals) if name in WITH_STATES else module(name).solve(network)
        if network.size and not module("lattice-mva").refusal(network, marginals):
            found = choices(network.point(int(network.population.sum(1).argmax())))
            if found and found[0][0] in ("mva", "lattice-mva"):
                return module("lattice-mva").solve(network)
        points = [solve(network.point(index), marginals, operations, memory) for index in range(network.size)]
        return stacked(points, network)
    found = choices(network, marginals)
    fitting = [name for name, need in found if need.operations <= operations and need.bytes <= memory]
    failure: NotComputed | None = None
    for name in fitting:
        try:
            return module(name).solve(network, marginals) if name in WITH_STATES else module(name).solve(network)
        except NotComputed as error:
            failure = error
    if failure:
        raise failure
    least = ", ".join(f"{name}: {need.operations:.1e} operations, {need.bytes:.1e} bytes" for name, need in found)
    expected = f"at most {operations:.1e} operations and {memory:.1e} bytes"
    raise NotComputed(Problem("QN515", f"too large for an exact answer ({least})", expected))
