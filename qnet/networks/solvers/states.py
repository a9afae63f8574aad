"""Small networks of any kind, by the Markov chain of all their states: exact for exponential times."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from qnet import budget
from qnet.errors import NotComputed
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import lazy, np
from qnet.networks.exactness import AGGREGATED, STATES, reasons_for
from qnet.networks.reasons import Beyond, Reason
from qnet.networks.routed import RoutedNetwork, Step
from qnet.networks.solution import RoutedSolution
from qnet.networks.solvers.features import Final, of_routes
from qnet.networks.streams import streams
from qnet.networks.wanted import FEW_REQUESTS, Divided, Wanted, Work

if TYPE_CHECKING:
    from qnet.networks.memory import regions
    from qnet.networks.solvers.protocol import SolvePart
    from qnet.networks.states import program
    from qnet.networks.states import solution as chain_solution
    from qnet.networks.states import solve as chain
else:
    regions = lazy("qnet.networks.memory.regions")
    chain = lazy("qnet.networks.states.solve")
    program = lazy("qnet.networks.states.program")
    chain_solution = lazy("qnet.networks.states.solution")

_PATIENT, _PATIENT_WITH_BRANCHES = 4.0, 0.25
"""Factors of the limit of states where no other method has an answer; a state with parallel steps takes ten times as
long as others."""

_NOTHING_LEFT = Beyond(
    Reason("chains spent"),
    "QN768",
    "the chain of all states was not tried: chains have spent their three quarters of the operations; allow more with "
    "--operations, or solve fewer points",
)

_CHEAP, _CHEAP_WITH_BRANCHES = 5e8, 2.5e7
"""For open networks whose answer is warned of: the operations that their chain may take, about half a second. A
transition of parallel steps is charged like any other, and takes twenty times as long."""
_DEAR = 6e9
"""Operations of a chain of closed classes for which no other method has an answer."""

CLASSES = "open, closed"
APPLIES = (
    "any discipline, priorities, holds, second phases, rates, losses, buffers, parallel steps, chains; "
    "exponential times (others as phases: approximate)"
)
COST = "states, up to 50000"
SOURCE = "@stewart1994"


def applies(network: RoutedNetwork, wanted: Wanted) -> Reason | None:
    """Why `auto` does not begin with this method; None where it does, or where it was requested by name."""
    if wanted.method != "auto":
        return None
    if not _permitted(network, wanted):
        return Reason("questions")
    if network.closed and (network.buffers or _lacks_product_form(network)):
        return None
    return Reason("last")


def work(network: RoutedNetwork, wanted: Wanted) -> Work:
    """That for the largest permitted number of states: the actual one is not known in advance."""
    states = float(wanted.chain if wanted.method == "auto" else chain.MOST)
    return Work(min(1e5 * states, wanted.operations), min(1e4 * states, wanted.memory))


def solve(network: RoutedNetwork, wanted: Wanted, solve_part: SolvePart) -> RoutedSolution | None:
    """The steady state; for `auto` None where the chain has too many states, or a step that it does not support, and
    `Final` where it shows that some closed class is never served."""
    most, wanted = wanted.only_chain or inf, wanted.replace(only_chain=0.0)
    limits = _limiting(network, wanted)
    # Aggregation gives the limit of the throughput at less cost than layers.
    limited = wanted.replace(ceilings=False) if limits else wanted
    if wanted.method != "auto":
        result = chain.solve(network, limited)
        return _with_limits(network, result, solve_part) if limits else result
    try:
        result = chain.tried(network, limited, operations=most)
        return _with_limits(network, result, solve_part) if result and limits else result
    except NotComputed as error:
        if any(item.code == chain.STARVED for item in error.problems):
            raise Final(*error.problems) from None
        raise


def _limiting(network: RoutedNetwork, wanted: Wanted) -> bool:
    """Whether the limit of the throughput is wanted, of a single closed class at one point, with stations that are held
    around others."""
    single = len(network.classes) == len(network.closed) == 1 and network.size is None
    finite = network.buffers or network.profiles or any(station.capacity is not None for station in network.stations)
    return single and not finite and wanted.asks_ceiling(None) and bool(regions.applies(network))


def _with_limits(network: RoutedNetwork, solution: RoutedSolution, solve_part: SolvePart) -> RoutedSolution:
    """The solution of a closed class with the limit of its throughput, set by stations that are held around others.

    Aggregation gives this limit for any population, so it is asked for that of a single customer.
    """
    one_customer = network.replace(classes=tuple(item.replace(population=1.0) for item in network.closed))
    try:
        limited = solve_part(one_customer, Wanted(method=AGGREGATED, chain=0))
    except NotComputed:
        return solution.replace(ceiling=chain_solution.ceiling(network))
    most = limited.ceiling or chain_solution.ceiling(network)
    if not most:
        return solution
    return solution.replace(ceiling=most, full_at=limited.full_at, used_when_full=limited.used_when_full)


def at_last(network: RoutedNetwork, wanted: Wanted, solution: RoutedSolution | None) -> RoutedSolution | None:
    """The steady state where no other method has one, with another limit of states; where a network with finite
    capacities or times that depend on the number inside has no exact one; and where that of open classes is warned of.
    """
    if not _permitted(network, wanted):
        batch = network.size is not None and wanted.method == "auto" and wanted.warned
        if not batch or solution is None or network.closed or network.limited or network.profiles:
            return None
        return _better(network, wanted, solution)
    if solution is None:
        begun_with = network.closed and _lacks_product_form(network)
        factor = _PATIENT_WITH_BRANCHES if "parallel" in of_routes(network, wanted) else _PATIENT
        patient = wanted.replace(chain=int(factor * wanted.chain))
        if begun_with:
            # It was tried with fewer states, and given up, before the other methods.
            return chain.tried(network, patient, operations=_DEAR)
        return chain.tried(network, patient, chain.LITTLE, program.EVEN)
    if network.limited or network.profiles:
        return chain.tried(network, wanted)
    if not network.closed:
        return _better(network, wanted, solution)
    if not budget.trial_left() and _lacks_product_form(network):
        return solution.replace(reasons=(*solution.reasons, _NOTHING_LEFT))
    return None


def _better(network: RoutedNetwork, wanted: Wanted, solution: RoutedSolution) -> RoutedSolution | None:
    """The answer of the chain to an open network, where it is wanted and cheap: if the given answer is warned of, or
    calls the network saturated by an approximation alone. Else the given answer, its warning naming the chain if that
    applies; None for no change. Raises `Divided` where only some points of a batch may have such an answer."""
    first = next((reason for reason in solution.reasons if isinstance(reason, Beyond)), None)
    operations = FLOATS if network.size is None else arrays()
    doubtful = not operations.all(solution.stable)
    if (first is None and not doubtful) or _requests(network) > FEW_REQUESTS:
        return None
    text = f"qnet solve tries the chain of all states (--method {STATES}) at a single point"
    if wanted.better and (network.size is None or wanted.each):
        hopeful = _may_be_stable(solution, operations)
        if operations.all(operations.where(hopeful, False, True)):
            return None
        if not operations.all(hopeful):
            raise Divided(hopeful)
        try:
            branches = "parallel" in of_routes(network, wanted)
            most = _CHEAP_WITH_BRANCHES if branches else _CHEAP
            result = chain.within(network, wanted, most, _lightest_first(network, solution))
        except budget.OverBudget:
            text = f"--method {STATES} may solve it exactly, if its chain is not too large"
        else:
            beyond = result is None or any(isinstance(reason, Beyond) for reason in result.reasons)
            return None if beyond else result
    elif first is not None and not chain.covers(network):
        return None
    if first is None:
        return None
    named = first.warned(f"{first.warning}; {text}", by_states=True)
    return solution.replace(reasons=tuple(named if reason is first else reason for reason in solution.reasons))


def _may_be_stable(solution: RoutedSolution, operations: Operations) -> Value:
    """Whether there may be a steady state, per point: not where a load without waits is beyond its capacity."""
    result: Value = True
    for item in solution.loads:
        if item.certain and not item.estimated:
            result = operations.where(item.load < 1, result, False)
    return operations.where(solution.stable, True, result)


def _lightest_first(network: RoutedNetwork, solution: RoutedSolution) -> list[int]:
    """The points of a batch by their largest load: the chain of a smaller one has fewer customers."""
    loads = [item.load for item in solution.loads]
    if network.size is None or not loads:
        return list(range(network.size or 1))
    return np.argsort(arrays().maximum(loads), kind="stable").tolist()


def _requests(network: RoutedNetwork) -> int:
    """How many times and copies of stations the steps of all routes request."""
    copies = {station.name: station.copies for station in network.stations}
    count = 0
    pending: list[Step] = [step for item in network.classes for route in item.routes for step in route.steps]
    while pending:
        step = pending.pop()
        count += copies.get(getattr(step, "station", ""), 1)
        pending += getattr(step, "steps", getattr(step, "inner", ()))
    return count


def _permitted(network: RoutedNetwork, wanted: Wanted) -> bool:
    """Whether `auto` may use the chain: not for searches, which solve too many networks, nor for bounds or state
    probabilities."""
    if wanted.method != "auto" or not wanted.chain:
        return False
    if wanted.rough or wanted.bounds or wanted.states or not wanted.enclosed:
        return False
    return network.size is None or wanted.each


def _lacks_product_form(network: RoutedNetwork) -> bool:
    """Whether a network lacks product form; false with finite capacities, or times that depend on the number inside."""
    if network.limited or network.profiles:
        return False
    operations = FLOATS if network.size is None else arrays()
    return bool(reasons_for(network, streams(network, operations, [1.0] * len(network.classes)), operations))
