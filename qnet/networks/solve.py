"""The solver of a network: open ones in closed form, others by their demands."""

from __future__ import annotations

from qnet.networks.routed import RoutedNetwork
from qnet.networks.solution import RoutedSolution
from qnet.networks.wanted import AUTO, NO_STATES, Wanted


def solve(network: RoutedNetwork, wanted: Wanted = AUTO) -> RoutedSolution:
    """The steady state of a network, or of every point of a batch.

    network   open classes with holds, phases and priorities; or open and closed classes without.
    wanted    the method and its budget, where there is a choice.
    Returns   `RoutedSolution`; points without a steady state are marked in it.
              Bounds are added at its classes where they are wanted.
    Raises    `NotComputed` where the network has what its classes cannot have yet, or a method does not apply or
              does not converge.
    """
    if network.limited:
        from qnet.networks.capacity.solve import solve as solve_limited

        return solve_limited(network, wanted)
    if network.closed or any(station.rates is not None for station in network.stations):
        from qnet.networks.by_demands import solve as solve_by_demands

        return solve_by_demands(network, wanted)
    if wanted.method not in ("auto", "open"):
        from qnet.errors import NotComputed, Problem

        found = f"{wanted.method} does not apply: there are no closed classes"
        raise NotComputed(Problem("QN513", found, "auto, or open"))
    if wanted.states:
        from qnet.errors import NotComputed, Problem

        raise NotComputed(Problem("QN513", NO_STATES, "a closed class, or qnet queue with --states"))
    from qnet.networks.open import solve as solve_open

    solution = solve_open(network)
    if wanted.bounds:
        from qnet.networks.by_demands import enclosed

        return enclosed(network, solution, wanted.bounds)
    return solution
