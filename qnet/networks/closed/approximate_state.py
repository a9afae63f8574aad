"""The fixed point that all approximations of closed networks share: its equations, unknowns, and what they miss.

Each method estimates the queue that a customer of class r finds on arrival at station k as

    seen(k, r) = weight x Q(k) - own(r) x Q(k, r) + shift(k, r)

Given throughputs, total queue lengths Q(k) and, for Rolia and Sevcik, the chance that all servers are busy, the queue
lengths by class follow in closed form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qnet.lazy import Array, Flags, np
from qnet.networks.closed.approximate_servers import Slopes, saturated
from qnet.record import Record


class Core(Record):
    """A batch of P fixed points with K queueing stations and R classes; zero demands and populations are allowed."""

    demands: Array
    """(P, K, R) seconds, >= 0."""
    population: Array
    """(P, R) customers, >= 0, not necessarily integers."""
    think_time: Array
    """(P, R) seconds outside the queueing stations, >= 0."""
    open_load: Array
    """(P, K) offered load of open classes, in erlangs, in [0, servers)."""
    weight: Array
    """(P,) in [0, 1]."""
    own: Array
    """(P, R) in [0, 1]."""
    absent: Array
    """(P, R) in [0, 1]: share of the own load that a customer does not find on arrival."""
    shift: Array
    """(P, K, R) customers."""
    servers: Array
    """(K,) numbers of servers."""
    correction: Callable[[Any, Any, Any, Any, Any, Any], Slopes]
    """The effect of several servers: one of `approximate_servers`."""
    bends: bool
    """Whether the correction depends on the chance that all servers are busy."""

    def part(self, chosen: Any) -> Core:
        """The fixed points at some places of the batch."""
        names = ("demands", "population", "think_time", "open_load", "weight", "own", "absent", "shift")
        return self.replace(**{name: getattr(self, name)[chosen] for name in names})


class State(Record):
    """The unknowns."""

    level: Array
    """(P, R) logarithms of throughputs; 0 for classes without customers."""
    queue: Array
    """(P, K) total queue lengths."""
    busy: Array
    """(P, K) logarithms of the chances that all servers are busy."""

    def part(self, chosen: Any) -> State:
        """Those at some places of the batch."""
        return State(self.level[chosen], self.queue[chosen], self.busy[chosen])


class Point(Record):
    """What follows from the unknowns."""

    error: Array
    """(P,) largest of what the unknowns miss, relative to the population or queue."""
    placed: Array
    """(P, R) customers that the throughputs keep in the network."""
    queues: Array
    """(P, K, R)"""
    work: Array
    """(P, K): the part of each queue that its own length does not add to."""
    gap: Array
    """(P, K): queues of all classes less the total queue."""
    rise: Array
    """(P, K): what the logarithm of the chance that all servers are busy must change by."""
    growth: Array
    """(P, K): its derivative by the load."""
    offered: Array
    share: Array
    """(P, K, R): derivative of the throughput through the station by its own queue."""
    slopes: Slopes

    def part(self, chosen: Any) -> Point:
        """Those at some places of the batch."""
        slopes = Slopes(*(value[chosen] for value in self.slopes))
        return Point(*(value[chosen] for value in self[:-1]), slopes=slopes)  # pyright: ignore[reportCallIssue]


def point_at(core: Core, active: Flags, state: State) -> Point:
    """What follows from the unknowns."""
    throughput = np.where(active, np.exp(state.level), 0.0)
    offered = core.demands * throughput[:, None, :]
    slopes = core.correction(core.servers, core.open_load, core.population.sum(-1), offered, core.absent, state.busy)
    slope = slopes.slope[..., None]
    share = offered / (1.0 + slope * core.own[:, None, :] * offered)
    alone = share * (slopes.extra + slope * core.shift)
    queues = alone + share * slope * (core.weight[:, None] * state.queue)[..., None]
    placed = throughput * core.think_time + queues.sum(1)
    gap = queues.sum(-1) - state.queue
    rise = growth = np.zeros(gap.shape)
    if core.bends:
        wanted, growth = saturated(core.servers, core.open_load, offered)
        rise = wanted - state.busy
    missing = np.abs(np.where(active, core.population / np.where(active, placed, 1.0) - 1.0, 0.0)).max(-1, initial=0.0)
    missing = np.maximum(missing, (np.abs(gap) / np.where(gap == 0, 1.0, state.queue)).max(-1, initial=0.0))
    missing = np.maximum(missing, _missed(rise, state.busy))
    return Point(
        error=missing,
        placed=placed,
        queues=queues,
        work=alone.sum(-1),
        gap=gap,
        rise=rise,
        growth=growth,
        offered=offered,
        share=share,
        slopes=slopes,
    )


def _missed(rise: Array, busy: Array) -> Array:
    """(P,) the largest error of a chance that all servers are busy."""
    return np.abs(np.exp(np.minimum(busy + rise, 1.0)) - np.exp(busy)).max(-1, initial=0.0)
