r"""Second-phase work of closed customers at first-come-first-served stations to which they return.

Each customer has at most one piece of such work there at a time, since its next visit is served after it: the work is
no Poisson stream, and there are at most as many pieces as customers. With N customers of a class, pieces of L seconds,
and R seconds from leaving a piece until it is done, an arriving customer waits for

.. math:: \frac{N - 1}{N} \lambda L R + \frac{L}{L + A} L

the work of the others by Little's law, and the rest of its last piece where that lasts longer than its absence A.

Source    @heidelberger1982 for the problem; the terms: this tool
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from qnet.lazy import Array, lazy
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks.closed import return_times
    from qnet.networks.closed.return_times import Absence
else:
    return_times = lazy("qnet.networks.closed.return_times")

_LEAST = 1e-9
"""Keeps quotients of zeros finite: any small number works."""
_BUSY = 0.5
"""The load below which no station is saturated."""


class Served(Protocol):
    """The needed part of the stations and classes, a `first_come.FirstComeBatch`."""

    @property
    def demands(self) -> Any:
        """(P, K, R) seconds per passage."""
        ...

    @property
    def visits(self) -> Any:
        """(P, K, R) arrivals per passage."""
        ...

    @property
    def stretch(self) -> Any:
        """(P, K, R) the number of waits for the work ahead per passage."""
        ...

    @property
    def excess(self) -> Any:
        """(P, K, R) mean residual service at a random time, less the mean service."""
        ...

    @property
    def open_load(self) -> Any:
        """(P, K) the utilization by open classes."""
        ...

    @property
    def population(self) -> Any:
        """(P, R) customers."""
        ...


class Left(Record):
    """The work of P networks with K stations and R closed classes, as arrays (P, K, R)."""

    demands: Any
    """Seconds of second-phase work per passage; 0 where there is none, or where its customer does not return to it."""
    weight: Any
    """Mean seconds of one piece."""
    excess: Any
    """Mean residual service of a piece at a random time, less the mean service."""
    absence: Absence | None = None
    """Times from leaving it to the next visit; None: exponential, of the mean absence from the station."""

    def part(self, chosen: Any) -> Left:
        """Some of the networks."""
        absence = None if self.absence is None else self.absence.part(chosen)
        return Left(self.demands[chosen], self.weight[chosen], self.excess[chosen], absence)


class Waits(Record):
    """Waits per visit with second-phase work."""

    customers: Any
    """(P, K, R) the waits of closed customers."""
    work: Any
    """(P, K, R) the waits of their second-phase work."""
    others: Any
    """(P, K) the additional waits of open customers for second-phase work."""


def waits_with_second_phases(
    lines: Served, left: Left, residence: Array, throughput: Array, absent: Array, at_arrival: Array
) -> Waits:
    """The waits of customers and of second-phase work.

    lines       the stations and classes.
    left        their second-phase work.
    residence   (P, K, R) seconds per passage.
    throughput  (P, R) passages per second.
    absent      (P, K, R) seconds from leaving a station to the return.
    at_arrival  (P, K, R) the waits of customers for customers and open classes.
    Method      As above. The work of a class waits like its next customer, except for itself; the waits of all
                second-phase work together obey one linear equation. Where a station would exceed its
                capacity, all waits there grow equally until it is just saturated by customers and second phases
                together.
    """
    people = np.maximum(np.where(lines.population > 0, lines.population, 1.0), 1.0)[:, None, :]
    rate = throughput[:, None, :]
    busy, behind = rate * lines.demands, rate * left.demands
    load = (busy + behind).sum(-1) + lines.open_load
    behind = behind / np.maximum(load, 1.0)[..., None]
    room = (1.0 - lines.open_load)[..., None]
    besides_itself = 1.0 / (1.0 + behind / people / room)
    most = 1.0 - (behind * besides_itself / room).sum(-1)
    overall = (behind * besides_itself * (left.weight + at_arrival)).sum(-1) / np.maximum(most, _LEAST)
    time = besides_itself * (left.weight + at_arrival + overall[..., None] / room)
    idle = np.maximum(1.0 - load, 0.0)[..., None]
    each_tail = behind * np.where(left.excess < 0, idle, 1.0) * left.excess
    tail = each_tail.sum(-1)
    often = np.where(left.weight > 0, left.demands / np.where(left.weight > 0, left.weight, 1.0), 0.0)
    visits = np.where(lines.visits > 0, lines.visits, 1.0)
    still = left.weight / np.maximum(left.weight + absent, _LEAST * (left.weight + 1e-300))
    if left.absence is not None:
        each = np.where(lines.visits > 0, lines.demands / visits, 0.0)
        times = each * (each + 2.0 * lines.excess)
        scv = 1.0 + 2.0 * left.excess / np.where(left.weight > 0, left.weight, 1.0)
        followed = return_times.still_there(left.absence, left.weight, scv, residence, lines.visits, times)
        still = np.where(np.isnan(followed), still, followed)
    again = np.minimum(often / visits, 1.0) * still * left.weight
    customers = (
        at_arrival + (overall[..., None] + tail[..., None] - (behind * time + each_tail) / people + again) / room
    )
    customers = np.maximum(customers, 0.0)
    # No station exceeds its capacity.
    joint = (lines.stretch > 0) & (lines.population > 0)[:, None, :] & (left.demands.sum(-1) > 0)[..., None]
    stretch = np.where(joint, lines.stretch, 1.0)
    beyond = np.where(joint, (residence - lines.demands) / stretch - customers, np.inf).min(-1)
    cycle = np.where(throughput > 0, lines.population / np.where(throughput > 0, throughput, 1.0), np.inf)[:, None, :]
    relief = np.where(joint, (busy + behind) * lines.stretch / cycle, 0.0).sum(-1)
    full = (load > _BUSY) & (relief > 0) & np.isfinite(beyond)
    more = np.where(full, beyond + (load - 1.0) / np.where(relief > 0, relief, 1.0), 0.0)
    more = np.maximum(more, 0.0)
    return Waits(
        customers + np.where(joint, more[..., None], 0.0),
        np.where(left.demands > 0, time - left.weight + more[..., None], 0.0),
        (overall + tail) / room[..., 0] + more,
    )
