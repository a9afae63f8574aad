r"""Second-phase work of closed customers at first-come-first-served stations, which they find there on their return.

Each customer has at most one piece of such work there at a time, since its next visit is served after it: so it is no
Poisson stream, and never more than there are customers. With N of a class, the work of L seconds that each leaves,
and R seconds from then until it is done, an arriving customer waits for

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
"""The load below which no station is full."""


class Served(Protocol):
    """What is needed of the stations and classes; `first_come.FirstComeBatch` has it."""

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
        """(P, K, R) how often the work ahead is waited for in a passage."""
        ...

    @property
    def excess(self) -> Any:
        """(P, K, R) mean residual service at a random moment, less the mean service."""
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
    """Its mean residual service at a random moment, less the mean service."""
    absence: Absence | None = None
    """From leaving it to the next visit; None for the time outside of the station."""

    def part(self, chosen: Any) -> Left:
        """Some of the networks."""
        absence = None if self.absence is None else self.absence.part(chosen)
        return Left(self.demands[chosen], self.weight[chosen], self.excess[chosen], absence)


class Waits(Record):
    """Waits per visit with second-phase work."""

    customers: Any
    """(P, K, R) by closed customers."""
    work: Any
    """(P, K, R) by what they left."""
    others: Any
    """(P, K) by open customers, beyond what they wait for customers."""


def waits_with_second_phases(
    lines: Served, left: Left, residence: Array, throughput: Array, absent: Array, at_arrival: Array
) -> Waits:
    """The waits of customers and of second-phase work.

    lines       the stations and classes, and `left` of them.
    residence   (P, K, R) seconds per passage.
    throughput  (P, R) passages per second.
    absent      (P, K, R) seconds from leaving a station to coming to it again.
    at_arrival  (P, K, R) what customers wait for customers and open classes.
    Method      As above. The work of a class waits for what its next customer waits for, except that customer; the
                waits of all second-phase work together obey one linear equation. Where a station would exceed its
                capacity, all waits there grow equally until it is just saturated by customers and second phases
                together.
    """
    people = np.maximum(np.where(lines.population > 0, lines.population, 1.0), 1.0)[:, None, :]
    rate = throughput[:, None, :]
    busy, behind = rate * lines.demands, rate * left.demands
    load = (busy + behind).sum(-1) + lines.open_load
    behind = behind / np.maximum(load, 1.0)[..., None]
    room = (1.0 - lines.open_load)[..., None]
    particular = 1.0 / (1.0 + behind / people / room)
    most = 1.0 - (behind * particular / room).sum(-1)
    overall = (behind * particular * (left.weight + at_arrival)).sum(-1) / np.maximum(most, _LEAST)
    time = particular * (left.weight + at_arrival + overall[..., None] / room)
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
        particular = return_times.still_there(left.absence, left.weight, scv, residence, lines.visits, times)
        still = np.where(np.isnan(particular), still, particular)
    again = np.minimum(often / visits, 1.0) * still * left.weight
    customers = (
        at_arrival + (overall[..., None] + tail[..., None] - (behind * time + each_tail) / people + again) / room
    )
    customers = np.maximum(customers, 0.0)
    # No station exceeds its capacity.
    here = (lines.stretch > 0) & (lines.population > 0)[:, None, :] & (left.demands.sum(-1) > 0)[..., None]
    stretch = np.where(here, lines.stretch, 1.0)
    beyond = np.where(here, (residence - lines.demands) / stretch - customers, np.inf).min(-1)
    cycle = np.where(throughput > 0, lines.population / np.where(throughput > 0, throughput, 1.0), np.inf)[:, None, :]
    relief = np.where(here, (busy + behind) * lines.stretch / cycle, 0.0).sum(-1)
    full = (load > _BUSY) & (relief > 0) & np.isfinite(beyond)
    more = np.where(full, beyond + (load - 1.0) / np.where(relief > 0, relief, 1.0), 0.0)
    more = np.maximum(more, 0.0)
    return Waits(
        customers + np.where(here, more[..., None], 0.0),
        np.where(left.demands > 0, time - left.weight + more[..., None], 0.0),
        (overall + tail) / room[..., 0] + more,
    )
