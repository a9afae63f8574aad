"""The closed classes that limit the saturation throughput of open ones, and those that give way to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qnet.expression import Value, parse
from qnet.model.model import ChainModel, ClassModel, Model, StepModel, fact
from qnet.networks.wanted import Wanted
from qnet.questions.points.points import Solved, needs_solution, solve_points
from qnet.record import Record


class _Requests(Record):
    """The queueing stations that customers request."""

    outer: frozenset[str]
    """Those requested outside of all holds."""
    holding: frozenset[str]
    """Those of `outer` that are held while others are requested."""
    inner: frozenset[str]
    """Those requested inside holds."""


@fact
def at_saturation(model: Model) -> Model:
    """The model with the closed classes that remain at the load at which the steady state of the open ones ends.

    Closed customers who wait at the station that saturates spend all of their time there in the limit, so that their
    throughput, and the load that they cause elsewhere, is 0: they give way. Customers that visit an inner station of a
    hold without that hold remain, since their waits are bounded by the servers of the hold.

    Returns   the model itself where a time depends on the solution, or no class gives way.
    """
    none = parse(0)
    closed = [item for item in model.customers if item.population not in (None, none)]
    if not closed or all(item.population is not None for item in model.customers) or needs_solution(model):
        return model
    delays = frozenset(item.name for item in model.stations if item.delay)
    opened = [_requests(item, delays) for item in model.customers if item.population is None]
    holds = frozenset[str]().union(*(item.holding for item in opened))
    inside = frozenset[str]().union(*(item.inner for item in opened))
    requests = {item.name: _requests(item, delays) for item in closed}
    yielding = {name for name, item in requests.items() if holds <= item.outer}
    apart = {name for name, item in requests.items() if not (item.outer | item.inner) & (holds | inside)}
    gone = set(requests) if yielding | apart == set(requests) else yielding
    if not gone:
        return model
    return model.with_customers(
        item.replace(population=none) if item.name in gone else item for item in model.customers
    )


def limited(model: Model, solved: Solved, varied: Mapping[str, Value] | None, wanted: Wanted) -> Solved | None:
    """A model solved without the closed classes that give way at saturation; None where none does.

    solved, varied, wanted   as for `saturation.saturation`.
    """
    rest = at_saturation(model)
    if rest is model:
        return None
    return solve_points(rest, varied, solved.size, patient=False, asked=wanted.replace(warned=False, near=None))


def _requests(customers: ClassModel | ChainModel, delays: frozenset[str]) -> _Requests:
    if isinstance(customers, ChainModel):
        visited = frozenset(station for item in customers.services for _, station in [item.state])
        return _Requests(visited - delays, frozenset(), frozenset())
    outer, holding, inner = set[str](), set[str](), set[str]()

    def walk(steps: Sequence[StepModel], around: str) -> None:
        for step in steps:
            for branch in step.branches:
                walk(branch.steps, around)
            here = step.station if step.station not in delays else ""
            if here and around:
                inner.add(here)
                holding.add(around)
            elif here:
                outer.add(here)
            walk(step.steps, around or here)

    for route in customers.routes:
        walk(route.steps, "")
    return _Requests(frozenset(outer), frozenset(holding), frozenset(inner))
