"""The door of networks of demands: open classes in closed form, closed ones by the best method within a budget.

Mixed networks are exact too: closed classes see what open ones leave of every station, and an open customer that
arrives sees the closed ones as they are (see `open_classes`).
"""

from __future__ import annotations

from typing import Any

from qnet.budget import OverBudget
from qnet.errors import InvalidInput, MethodProblem, NoAnswer, NotComputed, Problem, suggest
from qnet.lazy import np
from qnet.networks.product.closed_exact import ClosedMethods
from qnet.networks.product.demands import Demands
from qnet.networks.product.loads import ranked, refuse_overload
from qnet.networks.product.mixed import states_needed
from qnet.networks.product.solution import Solution, stacked
from qnet.networks.reasons import Reason
from qnet.networks.solvers import table
from qnet.networks.solvers.chooser import Choice, Named, TableMethod, by_name, choose, nothing, refuse_unknown
from qnet.networks.solvers.features import Final, does_not_apply
from qnet.networks.wanted import AUTO, CORRECTIONS, Divided, Wanted

_EVERY_POINT = "mixed batch"
_FEW = 4
"""Points that take no longer one by one."""
_MORE = frozenset({"priorities", "parallel", "fractional populations"})
"""What other methods are for than the exact ones of closed classes."""


def solve(network: Demands, wanted: Wanted = AUTO) -> Solution:
    """The steady state of a network, or of every variant of a batch.

    Applies  every `Network`; the method by `solvers.table`.
    wanted   `method` "auto": the cheapest exact method within the budget, else the best approximation; or a name.
             "mva" and "convolution" stand for their forms over several classes too.
    Returns  `Solution`, with the method, why it was taken, and why the answer is not exact if it is not.
    Raises   `NoAnswer` QN401 where open load reaches a capacity, QN403 for a closed class without any time to spend;
             `NotComputed` QN511, QN513, QN515; `InvalidInput` QN514 for an unknown method.
    """
    refuse_unknown(wanted.method)
    _check(wanted)
    refuse_overload(network)
    features = of_demands(network, wanted)
    named = [row for row in table.TABLE if wanted.method in ("auto", row.name)]
    choices: list[Choice] = []
    for row in named:
        if row.takes == "demands":
            choices.append(TableMethod(row, network, wanted, features, solve))
        elif row.takes == "closed" and not any(isinstance(item, ClosedMethods) for item in choices):
            if _EVERY_POINT in features:
                choices.append(_Points(network, wanted, features))
            choices.append(ClosedMethods(network, wanted, features, row.name))
    if wanted.method == "auto":
        return _best(choices, wanted, features)
    if not choices:
        raise does_not_apply(wanted.method, Reason("no routes"), "auto")
    if _EVERY_POINT in features and _EVERY_POINT not in named[-1].supports:
        return _Points(network, wanted, features).solve()
    return by_name(choices, lambda: _others(network, wanted, features))


def of_demands(network: Demands, wanted: Wanted) -> frozenset[str]:
    """The features of a network of demands, and of what is wanted of it."""
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
    """The methods that may be named for a network: of those of closed classes alone, as far as its features decide."""
    return [
        (TableMethod if row.takes == "demands" else Named)(
            row, network, wanted.replace(method=row.name), features, solve
        )
        for row in table.TABLE
        if row.takes != "routes"
    ]


class _Points:
    """A batch in which open classes share stations of several servers with closed ones: what is left of them, and the
    states that the open ones see, differ from point to point."""

    name = ""

    def __init__(self, network: Demands, wanted: Wanted, features: frozenset[str]) -> None:
        self.network, self.wanted, self.features = network, wanted, features

    def refusal(self) -> None:
        """None: points can always be solved one by one."""

    def solve(self) -> Solution:
        """The solutions as one; raises `Divided` where some are exact and each is to be as it would be alone."""
        result = self._at_once()
        if result is not None:
            return result
        points = [solve(self.network.point(index), self.wanted) for index in range(self.network.size or 0)]
        if self.wanted.each and len({point.exact for point in points}) > 1:
            raise Divided(np.array([point.exact for point in points]))
        return stacked(self.network, points)

    def _at_once(self) -> Solution | None:
        """The points of one closed class together, by the method of each of them; None where they may differ in it."""
        one = self.wanted.method == "auto" and len(self.network.closed) == 1
        if not one or (self.network.size or 0) <= _FEW or self.features & _MORE:
            return None
        try:
            return ClosedMethods(self.network, self.wanted, self.features, "").solve()
        except OverBudget:
            raise
        except (NotComputed, NoAnswer, Divided):
            return None


def _best(choices: list[Choice], wanted: Wanted, features: frozenset[str]) -> Solution:
    """The solution by the first method that has one, with why those before it have none."""
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
        help = "approximations take servers and no other rates; allow more with --operations and --memory"
        raise NotComputed(problem.replace(help=help))
    raise (failed or outcome.failed)[0][1] if outcome.failed else nothing(features)


def _about(name: str, problem: Problem) -> str:
    """What a problem says of a method that is named before it; all where it is about another."""
    return problem.what if isinstance(problem, MethodProblem) and problem.method == name else problem.found


def _integer_populations(network: Demands) -> bool:
    """Whether all populations are integers."""
    counts: list[Any] = [network.population[kind] for kind in network.closed]
    if network.size is None:
        return all(count == int(count) for count in counts)
    return all(bool((count == count.round()).all()) for count in counts)


def _check(wanted: Wanted) -> None:
    """Refuse a budget or a variant of approximations that means nothing."""
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
