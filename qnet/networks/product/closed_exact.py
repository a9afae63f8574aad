"""The closed classes of a network by the exact methods of the table: the one that costs least within the budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qnet.budget import FLOOR
from qnet.errors import NotComputed, Problem
from qnet.lazy import lazy, np
from qnet.networks.closed import exact
from qnet.networks.closed.problem import ClosedNetwork
from qnet.networks.product.closed_classes import closed_part
from qnet.networks.product.demands import Demands
from qnet.networks.product.loads import loads
from qnet.networks.product.mixed import ClosedAnswer, states_needed, with_open
from qnet.networks.product.solution import Solution
from qnet.networks.reasons import REQUESTED, Reason
from qnet.networks.solvers import loader, table
from qnet.networks.solvers.chooser import afford, budget
from qnet.networks.solvers.features import Final, does_not_apply, unsupported
from qnet.networks.wanted import Divided, Wanted, Work

if TYPE_CHECKING:
    from qnet.networks.closed import approximate
else:
    approximate = lazy("qnet.networks.closed.approximate")

_OF_ALL = frozenset({"state probabilities", "mixed batch"})
"""Features of a network of demands that its closed part states itself."""
_SLOW = 2e9
"""Operations, estimated from above, from which on an answer takes a second or so."""


class ClosedMethods:
    """The exact methods of closed classes as one choice, or one of them by name."""

    def __init__(self, network: Demands, wanted: Wanted, features: frozenset[str], name: str) -> None:
        self.network, self.wanted, self.features = network, wanted, features
        self.name = "" if wanted.method == "auto" else name
        self.why = ""
        """Why none of them has the answer."""
        self.failure: NotComputed | None = None

    def refusal(self) -> Reason | None:
        """Why none applies; raises `Divided` where some variants have integer populations and some have not."""
        auto = self.wanted.method == "auto"
        if auto and self.wanted.each and self.network.size is not None and self.network.closed:
            _divide(_integer_populations(self.network))
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
            answer = _affordable(closed_part(self.network, loaded), wanted, states, self.features - _OF_ALL)
        except NotComputed as error:
            self.failure, self.why = error, error.problems[0].found
            raise
        return with_open(self.network, loaded, answer, wanted)


def _affordable(closed: ClosedNetwork, wanted: Wanted, states: bool, further: frozenset[str]) -> ClosedAnswer:
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
    why = "the cheapest exact method for product form"
    return ClosedAnswer(figures, figures.method, (), why)


def _fits(result: list[tuple[str, Work]], wanted: Wanted) -> bool:
    """Whether the cheapest method of a point is within the budget."""
    return result[0][1].operations <= wanted.operations and result[0][1].bytes <= wanted.memory


def _fitting(closed: ClosedNetwork, wanted: Wanted, states: bool, further: frozenset[str] = exact.NONE) -> Any:
    """Which variants have an exact answer within the budget; those of one population agree.

    More customers never take less work: where a population fits, all below it do, and above one that does not none
    does.
    """
    counts, firsts, item = np.unique(closed.population, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(counts.sum(1), kind="stable")
    fits, unknown = np.zeros(len(counts), bool), np.ones(len(counts), bool)
    while unknown.any():
        rest = order[unknown[order]]
        middle = int(rest[len(rest) // 2])
        here = _fits(exact.choices(closed.point(int(firsts[middle])), states, further), wanted)
        same = (counts <= counts[middle] if here else counts >= counts[middle]).all(1)
        fits[same & unknown], unknown = here, unknown & ~same
    return fits[item.reshape(-1)]


def _divide(first: Any) -> None:
    """Raise `Divided` where some variants need one kind of method and some another."""
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
    """Refuse a batch of which even the cheapest method takes more than the budget.

    Raises   `NotComputed`; `Final` where fewer points would do, and approximations of all of them take as much.
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


def _forced(closed: ClosedNetwork, wanted: Wanted, states: bool) -> ClosedAnswer:
    """A named exact method, or why it does not apply."""
    points = [closed] if closed.size is None else [closed.point(index) for index in range(closed.size)]
    times = 1 if wanted.each else len(points)
    row = table.row_of(wanted.method, "closed")
    several = sum(count > 0 for count in closed.population) if closed.size is None else closed.classes
    if row is not None and row.family and several > 1:
        row = table.row_of(row.family, "closed")
    assert row is not None
    method, asked = loader.solver(row), wanted.replace(states=states)
    for point in points:
        reason = exact.refusal(row, point, asked) or (exact.refusal(row, closed, asked) if closed.size else None)
        if reason:
            others = ", ".join(other for other, _ in exact.choices(point, states))
            raise does_not_apply(row.name, reason, others or "an approximation")
        need = method.work(point, asked)
        afford(row.name, need.replace(operations=need.operations * times), wanted)
        exact.charge(need)
    return ClosedAnswer(method.solve(closed, asked, exact.no_part), row.name, (), REQUESTED)


def _integer_populations(network: Demands) -> Any:
    """Which variants have integer populations."""
    counts = np.stack([network.population[kind] for kind in network.closed], axis=1)
    return (counts == counts.round()).all(axis=1)
