"""Networks with stations that serve one class before another, in arrays: what `priorities` solves."""

from __future__ import annotations

from typing import Any

from qnet.record import Record

SHARING, IN_ORDER, PREEMPTIVE = 0, 1, 2


class Ranked(Record):
    """A batch of P networks with K queueing stations and R classes, as arrays; times are those of one server that does
    what all of its station can do."""

    demands: Any
    """(P, K, R) seconds per passage, >= 0."""
    visits: Any
    """(P, K, R) arrivals per passage; above 0 where the demand is."""
    service: Any
    """(P, K, R) mean seconds of a visit."""
    excess: Any
    """(P, K, R) mean residual service at a random moment, less the mean service."""
    memory: Any
    """(P, K, R) seconds: the time constant of a service's past."""
    kind: Any
    """(K,) `SHARING`, `IN_ORDER` or `PREEMPTIVE`."""
    rank: Any
    """(K, R) the highest is served first; equal ones in order of arrival."""
    population: Any
    """(P, R) customers, >= 0; infinite for open classes."""
    think_time: Any
    """(P, R) seconds outside the queueing stations, >= 0."""
    arrival_rate: Any
    """(P, R) passages per second of open classes; 0 for others."""
    servers: Any
    """(K,) how many there are in place of that one, each slower by as much."""
    company: Any
    """(P,) the least chance with which customers are taken to find their own rank there, and the least ratio of waits
    at several servers to those at one (less 1 for those who interrupt all others): 0 to take both as estimated, up to
    2 where that leaves the feasible region."""

    def part(self, chosen: Any) -> Ranked:
        """Some of the batch."""
        own = {"kind": self.kind, "rank": self.rank, "servers": self.servers}
        return Ranked(*(own.get(name, value[chosen] if name not in own else None)
                        for name, value in zip(self.fields(), self, strict=True)))  # fmt: skip
