"""Closed and mixed networks with class-dependent or variable service at first-come-first-served stations.

An arriving customer waits for the rest of the service in progress and for the services of all customers before it, each
with the mean time of its class: approximate mean value analysis with a correction for residual service. Queues and
utilizations on arrival are those of the network with one customer less, estimated as Linearizer does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from qnet.lazy import Array, Flags
from qnet.networks.closed.approximate_mva import FixedPoints, ShareChanges, Substitution, unproven
from qnet.networks.closed.second_phase import Left, waits_with_second_phases
from qnet.record import Record

_ABSENCE = 3.0
"""The time constants of a service after which it is observed at a random time. Theory alone gives 1; on 340 small
systems, other than those of the tests, 2 to 4 had about the same smaller error; 3 is their middle."""
_PASSES, _FILLED, _FULL = 3, 30, 0.01
"""For the start: how often parallel steps are evaluated, how often waits are raised after each, and the excess load
that is tolerated."""
_STAGES = ((0.9, 0.0), (0.5, 0.0), (0.0, 0.0), (0.5, 0.5), (0.0, 0.5), (0.0, 1.0))
"""Where an answer leaves the feasible region: the share of the estimated changes that is kept, and the relaxation of
the difference between customers that return soon and those that arrive at a random time."""


class _Fixed(Record):
    """The constants of all rounds."""

    others: Any
    """(P, 1, R, R) customers of a class (last axis) besides an arriving one of a class."""
    present: Any
    """(P, 1, 1, R) customers of a class, 1 where there are none."""
    visits: Any
    """(P, K, R) visits per passage, 1 where there are none."""
    weight: Any
    """(P, K, 1, R) `FirstComeBatch.weight` of a class that is present."""
    excess: Any
    """(P, K, 1, R) its `FirstComeBatch.excess`."""
    early: Any
    """(P, K, 1, R) whether the excess is below 0; None where none is."""
    known: Any
    """(P, K, 1, R) seconds of absence after which a service is observed at a random time."""
    longer: Any
    """(P, K, R, R) the weight of an arriving class less that of a present one; None where all weights are equal."""
    open_least: Any
    """(P, K, R) work of open classes ahead of a customer that returns at once."""
    open_change: Any
    """(P, K, R) the additional work at a random time; None where it is 0."""


class FirstComeBatch(Record):
    """A batch of P networks with K queueing stations of one server each and R closed classes, as arrays."""

    demands: Any
    """(P, K, R) seconds per passage, >= 0."""
    visits: Any
    """(P, K, R) arrivals per passage; above 0 where the demand is."""
    weight: Any
    """(P, K, R) the work that a customer adds to the queue: its mean service time; 1 at processor sharing."""
    stretch: Any
    """(P, K, R) the number of waits for the work ahead per passage: the visits; the demand at processor sharing."""
    excess: Any
    """(P, K, R) mean residual service at a random time, less the mean service; 0 at processor sharing."""
    memory: Any
    """(P, K, R) seconds: the time constant of a service's past."""
    open_load: Any
    """(P, K) in [0, 1): the utilization by open classes."""
    open_rest: Any
    """(P, K) the sum over open classes of utilization x mean residual service; their load at processor sharing."""
    population: Any
    """(P, R) customers, >= 0."""
    think_time: Any
    """(P, R) seconds outside the queueing stations, >= 0; with some demand or think time for every customer."""
    left: Left | None = None
    """Second-phase work of closed classes at first-come-first-served stations to which they return."""
    joins: Any = None
    """For parallel steps: a function from (P, K, R) residences to the (P, R) seconds that a passage takes beyond their
    sum, mostly below 0, which can be indexed by points like an array; None without any."""

    @cached_property
    def fixed(self) -> _Fixed:
        """The constants of all rounds."""
        longer = self.weight[..., None] - self.weight[:, :, None, :]
        early = self.excess < 0
        least = self.open_load[..., None] * self.weight
        change = self.open_rest[..., None] - least
        return _Fixed(
            others=np.maximum(self.population[:, None, :] - np.eye(self.population.shape[-1]), 0.0)[:, None],
            present=np.where(self.population > 0, self.population, 1.0)[:, None, None, :],
            visits=np.where(self.visits > 0, self.visits, 1.0),
            weight=self.weight[:, :, None, :],
            excess=self.excess[:, :, None, :],
            early=early[:, :, None, :] if early.any() else None,
            known=_ABSENCE * self.memory[:, :, None, :],
            longer=longer if (longer != 0).any() else None,
            open_least=least,
            open_change=change if (change != 0).any() else None,
        )

    @property
    def patience(self) -> int:
        """Rounds without progress until a point is given up; with parallel steps a round takes much longer."""
        return 300 if self.joins is None else 60

    def part(self, chosen: Any) -> FirstComeBatch:
        """Some of the batch."""
        return FirstComeBatch(*(_part(value, chosen) for value in self))

    def joined(self, other: FirstComeBatch) -> FirstComeBatch:
        """The batch followed by another one, both without second-phase work and parallel steps."""
        assert self.left is other.left is self.joins is other.joins is None
        values: list[Any] = [
            None if one is None else np.concatenate([one, two]) for one, two in zip(self, other, strict=True)
        ]
        return FirstComeBatch(*values)

    def to_iterate(self, values: Array) -> Array:
        """The residences, which are iterated unchanged."""
        return values

    from_iterate = to_iterate

    def image(self, changes: ShareChanges, values: Array) -> tuple[Array, Array]:
        """(P, K, R) residences after a round, and (P,) the largest change, in cycle times of the class."""
        return _image(self, changes, values)

    def shares(self, values: Array) -> tuple[Array, Array]:
        """(P, K, R) queue length and utilization per customer of the class."""
        people = np.where(self.population > 0, self.population, 1.0)[:, None, :]
        rate = _throughput(self, _cycle(self, values))[:, None, :] / people
        return rate * values, rate * self.demands

    def feasible(self, values: Array) -> Flags:
        """(P,) whether no station exceeds its capacity."""
        throughput = _throughput(self, _cycle(self, values))
        busy = (throughput[:, None, :] * _busy_times(self)).sum(-1) + self.open_load
        return np.asarray((busy <= 1.0 + 1e-11).all(-1), bool)

    def overloaded(self, changes: ShareChanges, values: Array) -> Flags:
        """(P,) False: open loads are below the capacities, and no class has priority."""
        return np.zeros(len(values), bool)


def _part(value: Any, chosen: Any) -> Any:
    if value is None:
        return None
    return value.part(chosen) if isinstance(value, Left) else value[chosen]


class LineAnswer(FixedPoints):
    """Fixed points, with the waits of open customers and of second-phase work."""

    at_arrival: Any
    """(P, K) the work ahead of an open customer: wait per visit, or at processor sharing residence / demand - 1."""
    after: Any
    """(P, K, R) the wait of second-phase work per visit; 0 where there is none."""
    starts: tuple[Any, ...] = ()
    """The residences of all core solutions, from which those of a nearby batch converge sooner."""

    def part(self, chosen: slice) -> LineAnswer:
        """The answer for some points, without `starts`."""
        return LineAnswer(self.throughput[chosen], self.residence[chosen], self.at_arrival[chosen], self.after[chosen])


def solve(lines: FirstComeBatch, starts: Sequence[Any] | None = None) -> LineAnswer:
    """The steady state, approximately, at a cost that does not depend on the populations.

    lines     the batch: demands, visits and times in seconds, as the fields of `FirstComeBatch` have them.
    Applies   single servers, first come first served or processor sharing; any populations, fractions too.
    starts    those of the answer of a nearby batch; not-a-number for points without.
    Returns   `LineAnswer`: Little's law, population constraint and utilization law hold to rounding.
    Raises    `NotComputed` QN511 where a fixed point is not proven by its residual of 1e-10.
    Method    Residence = visits x (service + sum over classes of (service x queue found + U found x excess)), where
              excess = service x (scv - 1) / 2 makes the rest of a service in progress a residual one. Services that are
              not exponential depend on when they began, and none in progress on arrival began before the customer last
              left the station; so the excess is multiplied by A / (A + 3 T), with A the mean absence and
              T = S (1 + scv) / 2 for scv > 1 and S scv / 2 below: from the renewal function of hyperexponential and of
              two-stage Erlang services. An excess below 0 is multiplied by the idle share of what open classes leave,
              too: without that the utilization could exceed 1. The queue on arrival is estimated by Linearizer with 3
              core solutions.
              Customers present soon after one has left arrived during its last visit. So the U on arrival of another
              class counts S' - S more (S' and R' of the arriving class), times the probability that its customer,
              elsewhere for B and there for R, has not moved since: B R / (B R + A (B + R)), and was elsewhere before:
              B / (B + (R' + S') / 2). Of open classes with load u and mean residual e, the work on arrival is
              u S' / (1 - u) at once, u e / (1 - u) at random, and between the two as after an exponential absence from
              M/M/1: from its transform at a random time of rate 1 / A (Takacs, Introduction to the Theory of Queues,
              1962).
    Exact     (before the estimates of Linearizer) an open class and a closed one of equal exponential times; a closed
              class without think time with open ones at a single station.
    Fails     Errors by class reach tens of per cent where service times of classes differ by a factor of 5 or more
              and few customers are there; see `qnet methods --error`.
    Source    @reiser1979; @bolch2006, section 10.1; @chandy1982 for the queue on arrival; @eager2000 for the problem of
              scv above 1; the factor of absence: this tool.
    """
    with np.errstate(all="ignore"):
        if not lines.demands.shape[1]:
            return _no_queues(lines)
        begin = _start(lines) if starts is None or np.isnan(starts[0]).any() else starts[0]
        (residence, changes), rest, starts = Substitution(lines, _STAGES, starts).solve(begin)
        if rest.size:
            help = "--method linearizer solves such stations like processor sharing"
            raise unproven("residual-service", rest, len(residence), help)
        throughput = _throughput(lines, _cycle(lines, residence))
        queue = throughput[:, None, :] * residence
        busy = throughput[:, None, :] * lines.demands
        # Poisson arrivals find the mean work: by Little's law what waits, and the rest of what is served.
        work = (lines.weight * queue + lines.excess * busy).sum(-1)
        at_arrival = (work + lines.open_rest) / (1.0 - lines.open_load)
        after = np.zeros(residence.shape)
        if lines.left is not None:
            left = _ahead(lines, changes, residence, _cycle(lines, residence))[1]
            after, at_arrival = left.work, at_arrival + left.others
    return LineAnswer(throughput, residence, at_arrival, after, starts)


def _no_queues(lines: FirstComeBatch) -> LineAnswer:
    """The answer without a queueing station: nothing is waited for, and no fixed point is needed."""
    residence = lines.demands + 0.0
    throughput = _throughput(lines, _cycle(lines, residence))
    return LineAnswer(throughput, residence, np.zeros(residence.shape[:2]), np.zeros(residence.shape), ())


def _start(lines: FirstComeBatch) -> Any:
    """(P, K, R) residences with utilizations of about 1 at most, from which rounds converge sooner."""
    residence = lines.demands + 0.0
    points = np.arange(len(residence))
    for _ in range(_PASSES):
        longer = 0.0 if lines.joins is None else lines.joins(residence)
        for _ in range(_FILLED):
            cycle = lines.think_time + residence.sum(1) + longer
            used = _throughput(lines, cycle)[:, None, :] * _busy_times(lines)
            load = used.sum(-1) + lines.open_load
            full = load.argmax(1)
            over = np.maximum(load[points, full] - 1.0, 0.0)
            if not (over > _FULL).any():
                break
            # The decrease of the load per second of waiting, to first order.
            relief = (used[points, full] * lines.stretch[points, full] / np.where(cycle > 0, cycle, 1.0)).sum(-1)
            wait = np.where(relief > 0, over / np.where(relief > 0, relief, 1.0), 0.0)
            residence[points, full] += lines.stretch[points, full] * wait[:, None]
    return residence


def _idle(lines: FirstComeBatch, busy: Any) -> Any:
    """(P, K) the idle share of the capacity that open classes leave."""
    return np.maximum(1.0 - busy.sum(-1) / (1.0 - lines.open_load), 0.0)


def _throughput(lines: FirstComeBatch, cycle: Any) -> Any:
    """(P, R) throughputs by Little's law."""
    return np.where(lines.population > 0, lines.population / np.where(cycle > 0, cycle, 1.0), 0.0)


def _cycle(lines: FirstComeBatch, residence: Any) -> Any:
    """(P, R) seconds from one passage to the next."""
    cycle = lines.think_time + residence.sum(1)
    return cycle if lines.joins is None else cycle + lines.joins(residence)


def _busy_times(lines: FirstComeBatch) -> Any:
    """(P, K, R) seconds of a server per passage, second phases included."""
    return lines.demands if lines.left is None else lines.demands + lines.left.demands


def _image(lines: FirstComeBatch, changes: ShareChanges, residence: Any) -> tuple[Any, Any]:
    """(P, K, R) residences after a round, and (P,) the largest change, in cycle times of the class."""
    cycle = _cycle(lines, residence)
    at_arrival = np.maximum(_ahead(lines, changes, residence, cycle)[0], 0.0)
    image = np.where(lines.population[:, None, :] > 0, lines.demands + lines.stretch * at_arrival, 0.0)
    change = np.abs(image - residence) / np.where(cycle > 0, cycle, 1.0)[:, None, :]
    return image, np.where(np.isfinite(change), change, np.inf).max((1, 2), initial=0.0)


def _ahead(lines: FirstComeBatch, changes: ShareChanges, residence: Any, cycle: Any) -> tuple[Any, Any]:
    """(P, K, R) the work ahead on arrival, in units of `FirstComeBatch.weight`, and the second-phase work in it, or
    None.

    cycle   the result of `_cycle`, which is expensive with parallel steps.
    """
    throughput = _throughput(lines, cycle)[:, None, :]
    fixed = lines.fixed
    absence = np.maximum(cycle[:, None, :] - residence, 0.0) / fixed.visits
    busy = throughput * lines.demands
    queues = np.maximum(fixed.others * ((throughput * residence)[:, :, None, :] / fixed.present + changes.queue), 0.0)
    served = np.clip(fixed.others * (busy[:, :, None, :] / fixed.present + changes.busy), 0.0, queues)
    excess = fixed.excess
    if fixed.early is not None:
        excess = np.where(fixed.early, _idle(lines, busy)[..., None, None], 1.0) * excess
    work = fixed.weight * queues + (served * excess) * _random(fixed, absence)
    if fixed.longer is not None:
        kept = 1.0 - changes.relaxation[:, None, None, None]
        work = work + served * kept * _behind(lines, residence, absence)
    work = work.sum(-1)
    at_arrival = (work + _from_open(lines, residence, absence, busy)) / (1.0 - lines.open_load)[..., None]
    if lines.left is None:
        return at_arrival, None
    left = waits_with_second_phases(lines, lines.left, residence, throughput[:, 0], absence, at_arrival)
    return left.customers, left


def _from_open(lines: FirstComeBatch, residence: Any, absence: Any, busy: Any) -> Any:
    """(P, K, R) the work of open classes ahead of an arriving customer.

    A customer that returns at once observes those that arrived during its last visit, after a long absence the queue at
    a random time; between the two as after an exponential absence from M/M/1 (see `solve`). Where the work decreases,
    the idle share keeps the utilization at most 1.
    """
    least, change = lines.fixed.open_least, lines.fixed.open_change
    if change is None:
        return least
    load = lines.open_load[..., None]
    rest = np.where(load > 0, lines.open_rest[..., None] / np.where(load > 0, load, 1.0), 0.0)
    late = (1.0 - load) * absence - rest
    decay = late + np.sqrt(late**2 + 4.0 * absence * rest)
    decay = np.where(decay > 0, 2.0 / np.where(decay > 0, decay, 1.0), np.inf)
    each = residence / lines.fixed.visits
    left_at_arrival = load * decay / (1.0 + decay * rest) * each
    random = 1.0 / (load + (1.0 - load + decay * rest) * (1.0 + left_at_arrival))
    random = np.where(np.isfinite(random), random, 0.0)
    return least + np.where(change < 0, _idle(lines, busy)[..., None], 1.0) * random * change


def _behind(lines: FirstComeBatch, residence: Any, absence: Any) -> Any:
    """(P, K, R, R) the additional wait of an arriving class for a service of a present class, beyond that at a random
    time.

    A customer that returns soon observes those that arrived during its last visit, which is long if its service is.
    """
    each = residence / lines.fixed.visits
    arriving, other, there = absence[..., None], absence[:, :, None, :], each[:, :, None, :]
    lasting = other * there
    total = lasting + arriving * (other + there)
    remembered = np.where(total > 0, lasting / np.where(total > 0, total, 1.0), 0.0)
    known = other + 0.5 * (each + lines.weight)[..., None]
    return lines.fixed.longer * remembered * np.where(known > 0, other / np.where(known > 0, known, 1.0), 0.0)


def _random(fixed: _Fixed, absence: Any) -> Any:
    """(P, K, R, R) the weight with which an arriving class observes a service in progress as at a random time."""
    known = fixed.known
    return np.where(known > 0, absence[..., None] / np.where(known > 0, absence[..., None] + known, 1.0), 1.0)
