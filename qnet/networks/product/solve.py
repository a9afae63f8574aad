"""The solution of networks of demands: open classes in closed form, closed ones by the best method within a budget.

Mixed networks are exact too: closed classes have the capacity that open ones leave, and an arriving open customer
observes the closed ones as they are over time (see `open_classes`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qnet.budget import FLOOR, OverBudget
from qnet.errors import InvalidInput, MethodProblem, NoAnswer, NotComputed, Problem, suggest
from qnet.lazy import lazy, np
from qnet.networks.closed import exact
from qnet.networks.closed.problem import ClosedFigures, ClosedNetwork
from qnet.networks.product.closed_classes import closed_part
from qnet.networks.product.demands import Demands
from qnet.networks.product.mixed import states_needed, with_open
from qnet.networks.product.open_classes import loads, ranked, refuse_overload
from qnet.networks.product.solution import Solution, stacked
from qnet.networks.reasons import REQUESTED, Reason
from qnet.networks.solvers import loader, table
from qnet.networks.solvers.chooser import (
    Choice,
    Named,
    TableMethod,
    afford,
    budget,
    by_name,
    choose,
    nothing,
    offered,
    refuse_unknown,
)
from qnet.networks.solvers.features import Final, does_not_apply, unsupported
from qnet.networks.wanted import AUTO, CORRECTIONS, Divided, Wanted, Work

if TYPE_CHECKING:
    from qnet.networks.closed import approximate
else:
    approximate = lazy("qnet.networks.closed.approximate")


_BY_CLOSED_PART = frozenset({"state probabilities", "mixed batch"})
"""Features of a network of demands that exact methods judge by its closed part."""
_SLOW = 2e9
"""Operations, by an upper estimate, from which an answer takes about a second."""
_EVERY_POINT = "mixed batch"
_FEW = 4
"""The most points of a batch that take no longer one by one."""
_MORE = frozenset({"priorities", "parallel", "fractional populations"})
"""Features for which other methods than the exact ones of closed classes are needed."""


class ClosedMethods:
    """The exact methods of closed classes as one choice, or one of them by name."""

    def __init__(self, network: Demands, wanted: Wanted, features: frozenset[str]) -> None:
        self.network, self.wanted, self.features = network, wanted, features
        self.name = "" if wanted.method == "auto" else wanted.method
        self.why = ""
        """Why no exact method has the answer; empty where one has."""
        self.failure: NotComputed | None = None

    def refusal(self) -> Reason | None:
        """Why none applies; raises `Divided` where only some variants have integer populations and each is solved as
        alone."""
        auto = self.wanted.method == "auto"
        if auto and self.wanted.each and self.network.size is not None and self.network.closed:
            _divide(_with_integers(self.network))
        rows = [row for row in table.rows("closed") if auto or row.name == self.wanted.method]
        missing = unsupported(self.features, frozenset[str]().union(*(row.supports for row in rows)))
        if "fractional populations" in self.features:
            self.why = "a population is fractional, and exact methods need integers"
        return missing

    def solve(self) -> Solution:
        """The solution; raises `NotComputed` QN513, QN515, and what the methods raise."""
        loaded = loads(self.network)
        wanted = self.wanted
        states = wanted.states or states_needed(self.network)
        if wanted.method != "auto":
            return with_open(self.network, loaded, _forced(closed_part(self.network, loaded), wanted, states), wanted)
        try:
            answer = _affordable(closed_part(self.network, loaded), wanted, states, self.features - _BY_CLOSED_PART)
        except NotComputed as error:
            self.failure, self.why = error, error.problems[0].found
            raise
        return with_open(self.network, loaded, answer, wanted)


def _affordable(closed: ClosedNetwork, wanted: Wanted, states: bool, further: frozenset[str]) -> ClosedFigures:
    """The exact method that costs least, where the budget allows one."""
    if wanted.announce:
        _announce(closed, wanted, states, further)
    if closed.size is None:
        figures = exact.solve(closed, states, wanted.operations, wanted.memory, further)
    else:
        if closed.size:
            largest = closed.point(int(closed.population.sum(1).argmax()))
            result = exact.choices(largest, states, further)
            if wanted.each and not _fits(result, wanted):
                _divide(_fitting(closed, wanted, states, further))
            _afford(result, closed, wanted, states, further)
        figures = exact.solve(closed, states, wanted.operations, wanted.memory, further)
    return figures.replace(why="the cheapest exact method for product form")


def _fits(result: list[tuple[str, Work]], wanted: Wanted) -> bool:
    """Whether the cheapest method of a point is within the budget."""
    return result[0][1].operations <= wanted.operations and result[0][1].bytes <= wanted.memory


def _fitting(closed: ClosedNetwork, wanted: Wanted, states: bool, further: frozenset[str] = exact.NONE) -> Any:
    """(B,) the variants with an exact answer within the budget.

    More customers never take less work: if a population fits, so do all smaller ones; if it does not, no larger one
    does.
    """
    counts, firsts, item = np.unique(closed.population, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(counts.sum(1), kind="stable")
    fits, unknown = np.zeros(len(counts), bool), np.ones(len(counts), bool)
    while unknown.any():
        rest = order[unknown[order]]
        middle = int(rest[len(rest) // 2])
        fit = _fits(exact.choices(closed.point(int(firsts[middle])), states, further), wanted)
        same = (counts <= counts[middle] if fit else counts >= counts[middle]).all(1)
        fits[same & unknown], unknown = fit, unknown & ~same
    return fits[item.reshape(-1)]


def _divide(first: Any) -> None:
    """Raise `Divided` where `first` is true for some variants only."""
    if first.any() and not first.all():
        raise Divided(first)


def _announce(closed: ClosedNetwork, wanted: Wanted, states: bool, further: frozenset[str] = exact.NONE) -> None:
    """Announce that an exact answer takes a while, where it is affordable at all."""
    points, largest = closed.size or 1, closed
    allowed = wanted.operations * (points if wanted.each else 1)
    if closed.size:
        largest = closed.point(int(closed.population.sum(1).argmax()))
    result = exact.choices(largest, states, further)
    if result and wanted.announce and _SLOW <= result[0][1].operations * points <= allowed:
        seconds = max(1, round(result[0][1].operations * points / 2e9))
        wanted.announce(f"solving exactly by {result[0][0]}, about {seconds} s; --method linearizer answers at once")


def _afford(
    result: list[tuple[str, Work]], closed: ClosedNetwork, wanted: Wanted, states: bool, further: frozenset[str]
) -> None:
    """Refuse a batch for which even the cheapest method takes more than the budget.

    Raises   `NotComputed` QN515; `Final` where fewer points would fit and approximations take as much.
    """
    name, need = result[0]
    points = closed.size or 1
    operations = need.operations
    if not wanted.each:
        name = exact.batch_method(closed, states, further) or name
        operations = exact.of_batch(name, closed, states).operations
    if operations <= wanted.operations and need.bytes <= wanted.memory:
        return
    text = f"too large for an exact answer ({name}: {need.replace(operations=operations).amount(', ')})"
    fit = int(points * wanted.operations / operations) if need.bytes <= wanted.memory else 0
    rough = approximate.work(closed.stations, closed.classes, closed.classes + 1, points).operations
    if fit and not wanted.each and rough >= max(operations, FLOOR):
        help = f"solve at most {fit} points at once, or allow more with --operations: approximations take as much"
        raise Final(Problem("QN515", text, budget(wanted), help=help))
    raise NotComputed(Problem("QN515", text, budget(wanted)))


def _forced(closed: ClosedNetwork, wanted: Wanted, states: bool) -> ClosedFigures:
    """The answer of a named exact method; raises `NotComputed` QN513 where it does not apply."""
    points = [closed] if closed.size is None else [closed.point(index) for index in range(closed.size)]
    times = 1 if wanted.each else len(points)
    row = table.row_of(wanted.method, "closed")
    several = sum(count > 0 for count in closed.population) if closed.size is None else closed.classes
    if row is not None and row.family and several > 1:
        row = table.row_of(row.family, "closed")
    assert row is not None
    method, wanted = loader.solver(row), wanted.replace(states=states)
    for point in points:
        reason = exact.refusal(row, point, wanted) or (exact.refusal(row, closed, wanted) if closed.size else None)
        if reason:
            others = ", ".join(other for other, _ in exact.choices(point, states))
            raise does_not_apply(row.name, reason, others or "an approximation")
        need = method.work(point, wanted)
        afford(row.name, need.replace(operations=need.operations * times), wanted)
        exact.charge(need)
    return method.solve(closed, wanted, exact.no_part).replace(method=row.name, why=REQUESTED)


def _with_integers(network: Demands) -> Any:
    """(B,) the variants with integer populations."""
    counts = np.stack([network.population[class_index] for class_index in network.closed], axis=1)
    return (counts == counts.round()).all(axis=1)


def solve(network: Demands, wanted: Wanted = AUTO) -> Solution:
    """The steady state of a network, or of every variant of a batch.

    Applies  every `Network`, by the methods of `solvers.table` that take demands.
    wanted   `method` "auto": the cheapest exact method within the budget, else the best approximation; or a name.
             "mva" and "convolution" include their forms for several classes.
    Returns  `Solution`, with the method, why it was taken, and why the answer is not exact.
    Raises   `NoAnswer` QN401 where open load reaches a capacity, QN403 for a closed class that spends no time anywhere;
             `NotComputed` QN511, QN513, QN515; `InvalidInput` QN514 for an unknown method.
    """
    refuse_unknown(wanted.method)
    _check(wanted)
    refuse_overload(network)
    features = of_demands(network, wanted)
    named = [row for row in table.TABLE if wanted.method in ("auto", row.name) and row.takes != "routes"]

    def method(row: table.MethodRow) -> Choice:
        return TableMethod(row, network, wanted, features, solve)

    def closed() -> list[Choice]:
        points: list[Choice] = [_Points(network, wanted, features)] if _EVERY_POINT in features else []
        return [*points, ClosedMethods(network, wanted, features)]

    choices = offered(named, "demands", method, closed)
    if wanted.method == "auto":
        return _best(choices, wanted, features)
    if _EVERY_POINT in features and _EVERY_POINT not in named[-1].supports:
        return _Points(network, wanted, features).solve()
    return by_name(choices, lambda: _others(network, wanted, features))


def of_demands(network: Demands, wanted: Wanted) -> frozenset[str]:
    """The features that a network of demands and the wanted figures require."""
    result = {"closed" if network.closed else "no closed classes"}
    if any(count > 1 for count in network.servers):
        result.add("servers")
    if any(rates is not None for rates in network.rates):
        result.add("rates")
    if ranked(network):
        result.add("priorities")
    if network.joins is not None:
        result.add("parallel")
    if network.left:
        result.add("delayed by second phases")
    if wanted.states:
        result.add("state probabilities")
    if network.closed and not _integer_populations(network):
        result.add("fractional populations")
    if network.size is not None and network.closed and states_needed(network):
        result.add(_EVERY_POINT)
    return frozenset(result)


def _others(network: Demands, wanted: Wanted, features: frozenset[str]) -> list[TableMethod]:
    """The methods that may be named for a network; those for closed classes alone are judged by its features."""
    return [
        (TableMethod if row.takes == "demands" else Named)(
            row, network, wanted.replace(method=row.name), features, solve
        )
        for row in table.TABLE
        if row.takes != "routes"
    ]


class _Points:
    """The points of a batch one by one, where open classes share stations of several servers with closed ones:
    remaining capacities and states then differ from point to point."""

    name = ""

    def __init__(self, network: Demands, wanted: Wanted, features: frozenset[str]) -> None:
        self.network, self.wanted, self.features = network, wanted, features

    def refusal(self) -> None:
        """None: points can always be solved one by one."""

    def solve(self) -> Solution:
        """The solutions as one; raises `Divided` where each is to be solved as alone and only some are exact."""
        result = self._at_once()
        if result is not None:
            return result
        points = [solve(self.network.point(index), self.wanted) for index in range(self.network.size or 0)]
        if self.wanted.each and len({point.exact for point in points}) > 1:
            raise Divided(np.array([point.exact for point in points]))
        return stacked(self.network, points)

    def _at_once(self) -> Solution | None:
        """The points together, for one closed class; None where they may need different methods."""
        one = self.wanted.method == "auto" and len(self.network.closed) == 1
        if not one or (self.network.size or 0) <= _FEW or self.features & _MORE:
            return None
        try:
            return ClosedMethods(self.network, self.wanted, self.features).solve()
        except OverBudget:
            raise
        except (NotComputed, NoAnswer, Divided):
            return None


def _best(choices: list[Choice], wanted: Wanted, features: frozenset[str]) -> Solution:
    """The solution of the first method that has one, with the reasons why exact ones have none."""
    outcome = choose(choices)
    exact = next((item for item in choices if isinstance(item, ClosedMethods)), None)
    why = [exact.why] if exact and exact.why else []
    failed = [(name, error) for name, error in outcome.failed if name]
    if outcome.solution is not None:
        solution: Solution = outcome.solution
        if why and solution.method == outcome.name:
            listed = [f"{name}: {_about(name, error.problems[0])}" for name, error in failed[:1]]
            solution.why = "; ".join([*why, *listed])
        return solution
    if why and wanted.states:
        raise NotComputed(Problem("QN515", f"state probabilities: {why[0]}", "an exact method within the budget"))
    if exact and isinstance(exact.failure, Final):
        raise exact.failure
    if exact and exact.failure and (not failed or failed[0][1].problems[0].code == "QN513"):
        problem = exact.failure.problems[0]
        help = "approximations support servers but no rates; allow more with --operations and --memory"
        raise NotComputed(problem.replace(help=help))
    raise (failed or outcome.failed)[0][1] if outcome.failed else nothing(features)


def _about(name: str, problem: Problem) -> str:
    """The text of a problem after the name of its method; with the name where it is of another method."""
    return problem.what if isinstance(problem, MethodProblem) and problem.method == name else problem.found


def _integer_populations(network: Demands) -> bool:
    """Whether all populations are integers."""
    counts: list[Any] = [network.population[class_index] for class_index in network.closed]
    if network.size is None:
        return all(count == int(count) for count in counts)
    return all(bool((count == count.round()).all()) for count in counts)


def _check(wanted: Wanted) -> None:
    """Raise `InvalidInput` QN514 for an invalid budget or variant of an approximation."""
    wrong: list[Problem] = []
    if wanted.correction and wanted.correction not in CORRECTIONS:
        options = " or ".join(CORRECTIONS)
        help = suggest(wanted.correction, CORRECTIONS)
        wrong.append(Problem("QN514", f'no correction "{wanted.correction}"', options, help=help))
    for name, value in (("operations", wanted.operations), ("memory", wanted.memory)):
        if not value > 0:
            wrong.append(Problem("QN514", f"{name} is {value}", "a number above 0"))
    count = wanted.core_solutions
    if count is not None and (isinstance(count, bool) or count != int(count) or count < 1):
        wrong.append(Problem("QN514", f"core_solutions is {count}", "an integer of 1 or more, or None"))
    if wrong:
        raise InvalidInput(*wrong)
