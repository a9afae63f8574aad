"""The solver of a network: open ones in closed form, others by their demands."""

from __future__ import annotations

from qnet.errors import NotComputed
from qnet.networks.routed import Fork, Hold, RoutedNetwork
from qnet.networks.solution import RoutedSolution
from qnet.networks.wanted import AUTO, NO_STATES, Wanted

_PATIENT = 4
"""How many times as many states may be looked at where no other method has an answer."""


def solve(network: RoutedNetwork, wanted: Wanted = AUTO) -> RoutedSolution:
    """The steady state of a network, or of every point of a batch.

    network   open classes with holds, phases and priorities; or open and closed classes without.
    wanted    the method and its budget, where there is a choice.
    Returns   `RoutedSolution`; points without a steady state are marked in it.
              Bounds are added at its classes where they are wanted. Closed classes without customers at any point
              change nothing for the others, and spend their demands alone.
    Raises    `NotComputed` where the network has what its classes cannot have yet, or a method does not apply or
              does not converge.
    """
    if network.closed and any(station.discipline == "lcfs-pr" for station in network.stations):
        from qnet.networks.monopoly import refuse_monopoly

        refuse_monopoly(network)
    if network.closed:
        from qnet.networks.nobody import nobody

        empty = nobody(network)
        if empty:
            return empty.told(solve(empty.others(), wanted))
    if forked(network):
        from qnet.networks.parallel_bounds import KIND, with_bounds

        inner = wanted.replace(bounds="") if wanted.bounds == KIND else wanted
        return with_bounds(network, _solve(network, inner), wanted)
    return _solve(network, wanted)


def _solve(network: RoutedNetwork, wanted: Wanted) -> RoutedSolution:
    if wanted.method == "states":
        from qnet.networks.states.solve import solve as solve_states

        return solve_states(network, wanted)
    first = _by_states(network, wanted)
    found: RoutedSolution | None = None
    refused: NotComputed | None = None
    if network.buffers and network.closed and _may_have_states(network, wanted):
        from qnet.networks.states.solve import tried as tried_states

        # Buffers beside closed classes take a fixed point around the whole network, and seconds.
        small = tried_states(network, wanted)
        if small is not None:
            return small
    if not first:
        try:
            found = _by_theory(network, wanted)
        except NotComputed as error:
            refused = error
        enough = found is not None and (found.exact or not (network.limited or network.profiles))
        if enough or not _may_have_states(network, wanted):
            return _answered(found, refused)
    from qnet.networks.states.solve import EVEN, LITTLE, tried

    if refused is not None:
        # Better a few seconds than no answer.
        return tried(network, wanted.replace(chain=_PATIENT * wanted.chain), LITTLE, EVEN) or _answered(found, refused)
    return tried(network, wanted) or (_by_theory(network, wanted) if first else _answered(found, refused))


def _answered(found: RoutedSolution | None, refused: NotComputed | None) -> RoutedSolution:
    """What was found; raises what was refused."""
    if found is None:
        assert refused is not None
        raise refused
    return found


def _by_theory(network: RoutedNetwork, wanted: Wanted) -> RoutedSolution:
    """The answer of the methods that need no states of the whole network."""
    if network.limited:
        from qnet.networks.capacity.solve import solve as solve_limited

        return solve_limited(network, wanted)
    if network.profiles or nested(network):
        from qnet.networks.memory.solve import applies
        from qnet.networks.memory.solve import solve as solve_limited

        limited = applies(network)
        if limited:
            _refuse_uneven(network, "a station limits how many may be inside")
            return solve_limited(network, limited, wanted)
        if network.profiles:
            from qnet.networks.memory.solve import refusal

            raise refusal(network)
    if network.closed or any(station.rates is not None for station in network.stations):
        why = "there are closed classes" if network.closed else "a station has rates that depend on the number present"
        _refuse_uneven(network, why)
        from qnet.networks.by_demands import solve as solve_by_demands

        return solve_by_demands(network, wanted)
    if wanted.method not in ("auto", "open", "qna"):
        from qnet.errors import Problem

        found = f"{wanted.method} does not apply: there are no closed classes"
        raise NotComputed(Problem("QN513", found, "auto, open or qna"))
    if wanted.states:
        from qnet.errors import Problem

        raise NotComputed(Problem("QN513", NO_STATES, "a closed class, or qnet queue with --states"))
    from qnet.networks.open import solve as solve_open

    solution = solve_open(network, wanted.method, wanted.each)
    if wanted.bounds:
        from qnet.networks.by_demands import enclosed

        return enclosed(network, solution, wanted.bounds)
    return solution


def _may_have_states(network: RoutedNetwork, wanted: Wanted) -> bool:
    """Whether the chain of all states may be looked at: searches look at too many networks for it, and where bounds or
    state probabilities are asked for it has none."""
    if wanted.method != "auto" or not wanted.chain:
        return False
    if wanted.rough or wanted.bounds or wanted.states or not wanted.enclosed:
        return False
    return network.size is None or wanted.each


def _by_states(network: RoutedNetwork, wanted: Wanted) -> bool:
    """Whether the chain of all states may be the best method: closed classes without product form."""
    if not network.closed or network.limited or network.profiles or not _may_have_states(network, wanted):
        return False
    from qnet.expression import FLOATS, arrays
    from qnet.networks.exactness import reasons_for
    from qnet.networks.streams import streams

    operations = FLOATS if network.size is None else arrays()
    return bool(reasons_for(network, streams(network, operations, [1.0] * len(network.classes)), operations))


def forked(network: RoutedNetwork) -> bool:
    """Whether any route has a parallel step."""
    return any(isinstance(step, Fork) for item in network.classes for route in item.routes for step in route.steps)


def nested(network: RoutedNetwork) -> bool:
    """Whether any station is held while another is waited for."""
    return any(
        isinstance(inner, Hold)
        for customers in network.classes
        for route in customers.routes
        for step in route.steps
        if isinstance(step, Hold)
        for inner in step.steps
    )


def _refuse_uneven(network: RoutedNetwork, why: str) -> None:
    """Raise for arrivals whose variability is not followed: beside closed classes, to rates, and to limits."""
    from qnet.errors import Problem
    from qnet.expression import FLOATS, arrays
    from qnet.networks.exactness import not_followed, uneven_classes

    names = uneven_classes(network, FLOATS if network.size is None else arrays())
    if names:
        raise NotComputed(Problem("QN548", not_followed(names[0], why), "arrival_scv = 1"))
