"""The solution of networks of routes, by the best method of the table of solvers, or by a named one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qnet import budget
from qnet.errors import InvalidInput, NotComputed, Problem
from qnet.lazy import lazy
from qnet.networks import laws
from qnet.networks.reasons import Reason
from qnet.networks.routed import RoutedNetwork, nested, without_idle_forks
from qnet.networks.solution import RoutedSolution
from qnet.networks.solvers import table
from qnet.networks.solvers.chooser import Choice, Named, TableMethod, by_name, choose, nothing, offered, refuse_unknown
from qnet.networks.solvers.features import of_routes, unsupported
from qnet.networks.wanted import AUTO, Wanted

if TYPE_CHECKING:
    from qnet.networks import (
        closed_networks,
        copy_classes,
        degenerate_classes,
        exactness,
        identical_classes,
        identical_routes,
    )
    from qnet.networks.memory import regions as memory
    from qnet.networks.parallel import bounds as parallel_bounds
    from qnet.networks.product import solve as product
    from qnet.networks.states import solve as chain
else:
    closed_networks = lazy("qnet.networks.closed_networks")
    degenerate_classes = lazy("qnet.networks.degenerate_classes")
    exactness = lazy("qnet.networks.exactness")
    identical_classes = lazy("qnet.networks.identical_classes")
    identical_routes = lazy("qnet.networks.identical_routes")
    memory = lazy("qnet.networks.memory.regions")
    copy_classes = lazy("qnet.networks.copy_classes")
    parallel_bounds = lazy("qnet.networks.parallel.bounds")
    product = lazy("qnet.networks.product.solve")
    chain = lazy("qnet.networks.states.solve")

_PLAIN, _BATCH, _POINT = 7e4, 3e5, 500.0
"""Operations per station and step that any method takes: of a point; of a batch, and of each of its points."""
_A_CELL = 2e4
"""Operations of the figures of a class at a group of copies."""
_OPEN = "open"
"""The method that can leave out unwanted figures."""
_NOT_IN_DEMANDS = frozenset({"memory", "capacity", "buffers"})
"""The features that a network of demands cannot have."""


def solve(network: RoutedNetwork, wanted: Wanted = AUTO) -> RoutedSolution:
    """The steady state of a network, or of every point of a batch.

    network   any network of routes.
    wanted    the figures, the method and the budget.
    Returns   `RoutedSolution`; points without a steady state are marked in it. Bounds are added to its classes where
              they are wanted. Closed classes without customers at any point change nothing for the others, and their
              residence times are their demands.
    Raises    `Divided` where every point of a batch is to be solved as it would be alone, and they need different
              methods; `NotComputed` where no method, or not the named one, applies, or where it does not converge.
    """
    _charge(network)
    if network.closed and any(station.discipline == "lcfs-pr" for station in network.stations):
        degenerate_classes.refuse_monopoly(network)
    try:
        return laws.checked(_solved(network, wanted), network.size is not None, wanted.rough)
    except InvalidInput as error:
        first = error.problems[0]
        if first.code != "QN230":
            raise
        # The numbers of the model are in their domains; one computed from them is not.
        help = "check the units of the smallest and the largest numbers"
        raise NotComputed(first.replace(code="QN502", help=help)) from None


def _solved(network: RoutedNetwork, wanted: Wanted) -> RoutedSolution:
    """The solution, with classes that have no customers or no arrivals."""
    several = len(network.classes) > 1
    if wanted.each and wanted.method == "auto" and network.size is not None and (several or network.closed):
        # A method by name is that of all points: a curve of one method has no steps where a class has no customers.
        degenerate_classes.divide(network)
    if network.closed and several:
        empty = degenerate_classes.empty_classes(network)
        if empty:
            return empty.added(solve(empty.others(), wanted.replace(responses=False)))
    arriving = len(network.classes) - len(network.closed)
    idle = degenerate_classes.idle_classes(network) if arriving and several and wanted.method == "auto" else None
    if idle is None or _identical(network, wanted):
        return _any_answer(network, wanted)
    wanted = wanted.replace(responses=False)
    # A chain of states has no state of a customer that never comes.
    try:
        rare = _occupied(network, wanted.replace(chain=0))
    except NotComputed:
        rare = None
    return rare if rare and rare.exact else idle.added(solve(idle.others(), wanted), rare)


def _any_answer(network: RoutedNetwork, wanted: Wanted) -> RoutedSolution:
    """The solution of all classes; where no method has one, that with identical routes and classes as one, or without
    classes that hardly ever arrive."""
    try:
        return _occupied(network, wanted)
    except NotComputed:
        if wanted.method != "auto":
            raise
        inner = wanted.replace(responses=False)
        if equal := identical_routes.identical_routes(network):
            return equal.apart(solve(equal.joined(), inner))
        if identical := identical_classes.any_identical(network):
            return identical.apart(solve(identical.joined(), inner))
        if rare := degenerate_classes.rare_classes(network):
            return rare.added(solve(rare.others(), inner))
        raise


def _identical(network: RoutedNetwork, wanted: Wanted) -> identical_classes.IdenticalClasses | None:
    """The groups of identical classes, where these are solved as one; None where there are none."""
    if len(network.classes) < 2 or not nested(network):
        return None
    return identical_classes.identical_classes(network, wanted.each)


def _occupied(network: RoutedNetwork, wanted: Wanted) -> RoutedSolution:
    """The solution of all classes together: those per copy or identical ones reduced first, with bounds where
    wanted."""
    if any(item.per_copy_of for item in network.classes) and (apart := copy_classes.apart(network)):
        inner = wanted.replace(responses=False)
        return apart.together(solve(apart.network, inner), wanted.asks_ceiling(network.size))
    if identical := _identical(network, wanted):
        return identical.apart(solve(identical.joined(), wanted.replace(responses=False)))
    features = of_routes(network, wanted)
    if "parallel" in features:
        if (fewer := without_idle_forks(network)) is not network:
            return _occupied(fewer, wanted)
        wanted = wanted.replace(responses=False)
        inner = wanted.replace(bounds="") if wanted.bounds == parallel_bounds.KIND else wanted
        return parallel_bounds.with_bounds(network, _chosen(network, inner, features), wanted)
    return _chosen(network, wanted, features)


def _charge(network: RoutedNetwork) -> None:
    """Charge the operations that every solution of a network of this size takes."""
    parts = len(network.stations) + sum(len(route.steps) for item in network.classes for route in item.routes)
    each = _PLAIN if network.size is None else _BATCH + _POINT * network.size
    cells = len(network.classes) * sum(len(station.groups) for station in network.stations)
    budget.spend(each * parts + _A_CELL * cells, "the solutions of the network")


def solve_part(network: Any, wanted: Wanted) -> Any:
    """The solution of a part of a network, given by its routes or by its demands."""
    return solve(network, wanted) if isinstance(network, RoutedNetwork) else product.solve(network, wanted)


class _Demands:
    """One choice for all methods that take demands, applied to the demands of a network of routes."""

    def __init__(self, network: RoutedNetwork, wanted: Wanted, features: frozenset[str]) -> None:
        self.network, self.wanted, self.features = network, wanted, features
        self.name = wanted.method

    def refusal(self) -> Reason | None:
        """Why a network cannot be, or need not be, reduced to demands; None where it is. Raises `NotComputed` QN548."""
        missing = unsupported(self.features & _NOT_IN_DEMANDS, frozenset())
        if missing:
            return missing
        if not self.network.closed and "rates" not in self.features:
            return Reason("no closed classes")
        if "holds" in self.features and (limited := memory.applies(self.network)):
            return memory.held(limited)
        exactness.refuse_uneven(self.network, Reason("closed" if self.network.closed else "rates"))
        return None

    def solve(self) -> RoutedSolution:
        """The solution by the best method for the demands."""
        return closed_networks.solve(self.network, self.wanted, solve_part)


def _chosen(network: RoutedNetwork, wanted: Wanted, features: frozenset[str]) -> RoutedSolution:
    """The solution by the method named, or by the best one."""
    refuse_unknown(wanted.method)
    named = [row for row in table.TABLE if wanted.method in ("auto", row.name)]
    entire = wanted.replace(responses=False)

    def method(row: table.MethodRow) -> Choice:
        return TableMethod(row, network, wanted if row.name == _OPEN else entire, features, solve_part)

    choices = offered(named, "routes", method, lambda: [_Demands(network, entire, features)])
    if wanted.method != "auto":
        return by_name(choices, lambda: _others(network, wanted, features))
    if wanted.only_chain and network.closed and not (network.limited or network.profiles):
        # For such networks the chain is tried before all others, and never after one that has an answer.
        outcome = choose([choice for choice in choices if isinstance(choice, TableMethod) and choice.row.patient])
        if outcome.solution is None:
            raise outcome.failed[0][1] if outcome.failed else nothing(features)
        return outcome.solution
    outcome = choose(choices)
    solution: RoutedSolution | None = outcome.solution
    for choice in choices:
        if isinstance(choice, TableMethod) and choice.row.patient and not (solution and solution.exact):
            solution = choice.at_last(solution) or solution
    if solution is None:
        raise _refusal(network, wanted, outcome.failed[0][1]) if outcome.failed else nothing(features)
    return solution


def _refusal(network: RoutedNetwork, wanted: Wanted, first: NotComputed) -> NotComputed:
    """The refusal of a network without an answer: that of the first method, or that no operations were left for the
    chain of all states, which would have one."""
    if not wanted.chain or budget.trial_left() or not chain.covers(network):
        return first
    problem = first.problems[0]
    text = f"no operations are left for the chain of all states, the only method here: {problem.found}"
    help = "allow more with --operations, or solve fewer points"
    help += f"; or {problem.help}" if problem.help else ""
    return NotComputed(Problem("QN515", text, problem.expected, help=help))


def _others(network: RoutedNetwork, wanted: Wanted, features: frozenset[str]) -> list[TableMethod]:
    """The methods that may be named for a network; those that take demands are judged by its features alone."""
    by_routes = [row for row in table.TABLE if row.takes == "routes"]
    result = [TableMethod(row, network, wanted.replace(method=row.name), features, solve_part) for row in by_routes]
    try:
        reduced = not _Demands(network, wanted, features).refusal()
    except NotComputed:
        reduced = False
    rest = [row for row in table.TABLE if reduced and row.takes != "routes"]
    return [*result, *(Named(row, network, wanted, features, solve_part) for row in rest)]
