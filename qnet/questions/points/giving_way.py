"""The closed classes that limit the saturation throughput of open ones, and those that give way to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from qnet.expression import Operations, Value, parse
from qnet.model.model import ChainModel, ClassModel, Model, StepModel, fact
from qnet.networks.wanted import Wanted
from qnet.questions.points.points import Solved, needs_solution, solve_points
from qnet.record import Record

_NEARLY, _ROUNDS, _NEARNESS = 0.99, 20, 1e-5
"""Of `approached`: the share of a factor at which there is a steady state that is computed soon, and the largest number
of rounds, which are mostly four, to a step far below the error of the method."""


class _Requests(Record):
    """The queueing stations that customers request."""

    outer: frozenset[str]
    """Those requested outside of all holds."""
    holding: frozenset[str]
    """Those of `outer` that are held while others are requested."""
    inner: frozenset[str]
    """Those requested inside holds."""
    behind: frozenset[str] = frozenset()
    """Those of second-phase work that keeps no station: the customer does not wait for it."""

    @property
    def waits_for_all(self) -> bool:
        """Whether the customer waits at every station of that work too, and so starts none while one is saturated."""
        return self.behind <= self.outer


@fact
def at_saturation(model: Model) -> Model:
    """The model with the closed classes that remain at the load at which the steady state of the open ones ends.

    Closed customers who wait at the station that saturates spend all of their time there in the limit, so that their
    throughput, and the load that they cause elsewhere, is 0: they give way. Customers that visit an inner station of a
    hold without that hold remain, since their waits are bounded by the servers of the hold; so do all where some leave
    second-phase work at a station at which they do not wait.

    Returns   the model itself where a time depends on the solution, or no class gives way.
    """
    none = parse(0)
    closed = [item for item in model.customers if item.population not in (None, none)]
    if not closed or all(item.population is not None for item in model.customers) or needs_solution(model):
        return model
    if _ranked(model):
        return model  # customers that are served before the open ones never give way
    delays = frozenset(item.name for item in model.stations if item.delay)
    opened = [_requests(item, delays) for item in model.customers if item.population is None]
    holds = frozenset[str]().union(*(item.holding for item in opened))
    inside = frozenset[str]().union(*(item.inner for item in opened))
    requests = {item.name: _requests(item, delays) for item in closed}
    if not all(item.waits_for_all for item in requests.values()):
        return model
    yielding = {name for name, item in requests.items() if holds <= item.outer}
    apart = {name for name, item in requests.items() if not (item.outer | item.inner) & (holds | inside)}
    gone = set(requests) if yielding | apart == set(requests) else yielding
    if not gone:
        return model
    return model.with_customers(
        item.replace(population=none) if item.name in gone else item for item in model.customers
    )


def leaves_work(model: Model) -> bool:
    """Whether closed classes leave second-phase work at a station, besides open classes: the load by that work does not
    grow in proportion to the arrivals, since the more there are, the longer closed customers wait."""
    if all(item.population is not None for item in model.customers):
        return False
    none, delays = parse(0), frozenset(item.name for item in model.stations if item.delay)
    closed = [item for item in model.customers if item.population not in (None, none)]
    return any(_requests(item, delays).behind for item in closed)


def limited(model: Model, solved: Solved, varied: Mapping[str, Value] | None, wanted: Wanted) -> Solved | None:
    """A model solved without the closed classes that give way at saturation; None where none does.

    solved, varied, wanted   as for `saturation.saturation`.
    """
    rest = at_saturation(model)
    if rest is model:
        return None
    return solve_points(rest, varied, solved.size, patient=False, asked=wanted.replace(warned=False, near=None))


def never(model: Model, solved: Solved) -> bool:
    """Whether loads that are not certain are those of open classes that closed ones are served before.

    model    without times that depend on the solution, for True.
    solved   its solution at some points.
    """
    closed = any(item.population is not None for item in model.customers)
    holds = any(part.solution.held_by for part in solved.parts)
    return closed and _ranked(model) and not holds and not needs_solution(model)


def estimated(solved: Solved, operations: Operations) -> Value:
    """The factor on arrival rates as if loads grew in proportion to them; infinite without any load.

    solved       at a factor of 1.
    operations   of its numbers.
    """
    some = solved.load > 0
    return operations.where(some, 1 / operations.where(some, solved.load, 1.0), float("inf"))


def approached(
    solved: Solved, solve_at: Callable[[Value], Solved], idle: Value, operations: Operations
) -> tuple[Value, Solved]:
    """The factor on arrival rates at which open classes get no more of a station where others are served first.

    Those wait for services of the open classes, so that loads grow a little slower than the arrivals: a load at 99 % of
    a factor gives the next factor.

    solved     at a factor of 1.
    solve_at   solves the model with the arrival rates multiplied by a factor.
    idle       whether a point has no load.
    Returns    the factor, and the last solution; 1 at idle points.
    """
    factor, edge = operations.where(idle, 1.0, estimated(solved, operations)), solved
    for _ in range(_ROUNDS):
        edge = solve_at(_NEARLY * factor)
        before, factor = factor, operations.where(idle, 1.0, _NEARLY * factor / operations.where(idle, 1.0, edge.load))
        if operations.all(operations.absolute(factor - before) <= _NEARNESS * factor):
            break
    return factor, edge


def _ranked(model: Model) -> bool:
    return any(item.discipline in ("priority", "preemptive") for item in model.stations)


def _requests(customers: ClassModel | ChainModel, delays: frozenset[str]) -> _Requests:
    if isinstance(customers, ChainModel):
        visited = frozenset(station for item in customers.services for _, station in [item.state])
        return _Requests(visited - delays, frozenset(), frozenset())
    outer, holding, inner, behind = set[str](), set[str](), set[str](), set[str]()

    def walk(steps: Sequence[StepModel], around: str) -> None:
        for step in steps:
            for branch in step.branches:
                walk(branch.steps, around)
            here = step.station if step.station not in delays else ""
            if here and step.phase == 2 and not (around and step.keeps != ()):
                behind.add(here)
            elif here and around:
                inner.add(here)
                holding.add(around)
            elif here:
                outer.add(here)
            walk(step.steps, around or here)

    for route in customers.routes:
        walk(route.steps, "")
    return _Requests(frozenset(outer), frozenset(holding), frozenset(inner), frozenset(behind))
