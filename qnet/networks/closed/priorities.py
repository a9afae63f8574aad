"""Closed and mixed networks with priorities, with and without preemption.

Approximate mean value analysis: the wait is the work of each rank ahead, and the work of higher classes on arrival is
neither that at a random time nor that of an infinite source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from qnet import budget
from qnet.lazy import Array, Flags, lazy
from qnet.networks.closed.approximate_mva import FixedPoints, ShareChanges, Substitution, unproven
from qnet.queues.arithmetic import distinct
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks.closed import approximate_servers
else:
    approximate_servers = lazy("qnet.networks.closed.approximate_servers")

SHARING, IN_ORDER, PREEMPTIVE = 0, 1, 2

_ABSENCE = 3.0
"""As in `first_come`: the time constants of a service after which it is observed at a random time."""
_STAGES = ((0.5, 0.0), (0.0, 0.0), (0.0, 0.3), (0.0, 0.6), (0.0, 1.0), (0.0, 2.0))
"""Where an answer leaves the feasible region: the share of the estimated changes that is kept, and a relaxation: the
least probability with which customers find their rank present, and the least ratio of waits at several servers to
those at one (less 1 for classes that preempt all others)."""
_LEAST = 1e-9
"""The least share of a server that others are taken to leave."""
_A_RANK = 10 * budget.CALL
"""Operations of a round for each rank, besides those of any round."""


class Ranked(Record):
    """A batch of P networks with K queueing stations and R classes, as arrays; times are those of one server with the
    capacity of the entire station."""

    demands: Any
    """(P, K, R) seconds per passage, >= 0."""
    visits: Any
    """(P, K, R) arrivals per passage; above 0 where the demand is."""
    service: Any
    """(P, K, R) mean seconds of a visit."""
    excess: Any
    """(P, K, R) mean residual service at a random time, less the mean service."""
    memory: Any
    """(P, K, R) seconds: the time constant of a service's past."""
    discipline: Any
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
    """(K,) the number of servers that the one stands in for, each slower by that factor."""

    @cached_property
    def fixed(self) -> _Fixed:
        """The constants of all rounds."""
        opened = np.isinf(self.population)[:, None, None, :]
        people = np.where(opened, 1.0, self.population[:, None, None, :])
        visits = np.where(self.visits > 0, self.visits, 1.0)
        return _Fixed(
            opened=opened,
            people=np.where(opened, np.inf, people),
            others=np.where(opened, 1.0, np.maximum(people - np.eye(people.shape[-1]), 0.0)),
            present=np.where(people > 0, people, 1.0),
            visits=visits,
            slower=self.demands * (self.servers[:, None] - 1.0),
            known=_ABSENCE * self.memory[:, :, None, :],
            regular=(self.excess < 0)[:, :, None, :] & ~opened.swapaxes(2, 3),
            there=self.population[:, None, :] > 0,
            closed=np.isfinite(self.population) & (self.population > 0),
            several=self.servers > 1,
            outside=self.think_time[:, None, :]
            + (self.demands * (self.discipline == SHARING)[:, None]).sum(1, keepdims=True),
            any_several=bool((self.servers > 1).any()),
            any_open=bool(opened.any()),
            any_shared=bool((self.discipline == SHARING).any()),
            any_interrupted=bool((self.discipline == PREEMPTIVE).any()),
            ranks=int(distinct(self.rank).size),
            served=tuple(self._ranks()),
        )

    def _ranks(self) -> Iterator[_Rank]:
        """The ranks of the stations without sharing, the highest first."""
        preemptive = (self.discipline == PREEMPTIVE)[:, None]
        for rank in sorted(set(self.rank.flat), reverse=True):
            members = (self.rank == rank) & (self.discipline != SHARING)[:, None]
            if members.any():
                lower = (self.rank < (np.where(members, self.rank, -np.inf).max(-1))[:, None]) & ~preemptive
                first = ~members & (self.rank > np.where(members, self.rank, np.inf).min(-1)[:, None])
                yield _Rank(members=members, lower=lower[:, None, :], first=first[:, None, :], preemptive=preemptive)

    @property
    def patience(self) -> int:
        """Rounds without progress until a point is given up: where a class starves, some points converge only with
        relaxation.
        """
        return 40

    def part(self, chosen: Any) -> Ranked:
        """Some of the batch."""
        common = "discipline", "rank", "servers"
        result = Ranked(*(value if name in common else value[chosen]
                          for name, value in zip(self.fields(), self, strict=True)))  # fmt: skip
        if "fixed" in vars(self):
            # Points are left out in every round: their constants are not computed again.
            vars(result)["fixed"] = self.fixed.part(chosen)
        return result

    def to_iterate(self, values: Array) -> Array:
        """The logarithms of residences over demands, so that a class that starves does not outweigh the others."""
        stations = self.demands.shape[1]
        longer = values[:, :stations] / np.where(self.demands > 0, self.demands, 1.0)
        return np.concatenate([np.where(longer > 1, np.log(longer), 0.0), values[:, stations:]], axis=1)

    def from_iterate(self, values: Array) -> Array:
        """The inverse."""
        stations = self.demands.shape[1]
        return np.concatenate([self.demands * np.exp(values[:, :stations]), values[:, stations:]], axis=1)

    def image(self, changes: ShareChanges, values: Array) -> tuple[Array, Array]:
        """Residences (see `_at_servers`) after a round, and (P,) the largest change, in cycle times of the class."""
        return _image(self, changes, values)

    def shares(self, values: Array) -> tuple[Array, Array]:
        """(P, K, R) queue length and utilization per customer of the class; of open classes in total."""
        closed = np.isfinite(self.population) & (self.population > 0)
        rate = (_throughput(self, values) / np.where(closed, self.population, 1.0))[:, None, :]
        return rate * values[:, : self.demands.shape[1]], rate * self.demands

    def feasible(self, values: Array) -> Flags:
        """(P,) whether no station exceeds its capacity."""
        return ~_full(self, _throughput(self, values))

    def overloaded(self, changes: ShareChanges, values: Array) -> Flags:
        """(P,) whether higher classes leave too little capacity to an open class, even without any changes."""
        unchanged = ~(changes.queue.any((1, 2, 3)) | changes.busy.any((1, 2, 3)))
        return unchanged & ~self.feasible(values) & np.isinf(self.population).any(-1)


class _Rank(Record):
    """A rank, at the stations without processor sharing."""

    members: Any
    """(K, R) the classes of that rank."""
    lower: Any
    """(K, 1, R) the classes of lower rank whose service it does not preempt."""
    first: Any
    """(K, 1, R) the classes of higher ranks."""
    preemptive: Any
    """(K, 1) the stations with preemption."""


class _Fixed(Record):
    """The constants of all rounds, by arriving and present class (P, K, R, R) where no other shape is stated."""

    opened: Any
    """(P, 1, 1, R) whether a class is open."""
    people: Any
    """(P, 1, 1, R) infinite for open classes."""
    others: Any
    """Customers of a class besides an arriving one; 1 for open classes."""
    present: Any
    """(P, 1, 1, R) at least 1."""
    visits: Any
    """(P, K, R) 1 where there are none."""
    slower: Any
    """(P, K, R) seconds of service at several servers beyond that at the one server."""
    known: Any
    """Seconds of absence after which a service is observed at a random time."""
    regular: Any
    """Where the rest of a service may be less than its mean."""
    there: Any
    """(P, 1, R) classes with customers, open ones included."""
    closed: Any
    """(P, R) classes with customers."""
    outside: Any
    """(P, 1, R) seconds per passage at delays and, without waits, at stations with processor sharing."""
    several: Any
    """(K,) stations of several servers; `any_several`: whether there are any."""
    any_several: bool
    any_open: bool
    any_shared: bool
    any_interrupted: bool
    """Whether there are open classes, stations with processor sharing, and stations with preemption."""
    ranks: int
    """The number of ranks."""
    served: tuple[_Rank, ...]
    """The ranks at stations without sharing, the highest first."""

    def part(self, chosen: Any) -> _Fixed:
        """The constants of some of the points."""
        return self.replace(
            **{name: value[chosen] for name, value in self.as_dict().items() if name in _OF_POINTS},
        )


_OF_POINTS = {
    "opened",
    "people",
    "others",
    "present",
    "visits",
    "slower",
    "known",
    "regular",
    "there",
    "closed",
    "outside",
}
"""The fields of `_Fixed` with one entry per point."""


class RankedAnswer(FixedPoints):
    """Fixed points, and the points without a steady state."""

    overloaded: Any
    """(P,) whether an open class has no steady state with closed ones that are served before it."""
    starts: tuple[Any, ...] = ()
    """The values of all core solutions, from which those of a nearby batch converge sooner."""


def solve(ranked: Ranked, starts: Sequence[Any] | None = None) -> RankedAnswer:
    """The steady state, approximately, at a cost that does not depend on the populations.

    Applies   single and several servers: processor sharing, and order by rank with or without preemption (resumed
              later), first come first served within a rank; any populations, fractions too; open classes with closed
              ones.
    ranked    the batch.
    starts    those of the answer of a nearby batch; not-a-number for points without.
    Returns   `RankedAnswer`: Little's law, population constraint and utilization law hold to rounding.
    Raises    `NotComputed` QN511 where a fixed point is not proven by its residual of 1e-10.
    Method    A visit of class r waits for
                  V    until no higher class is present any more, if they were alone with the server,
                  W/b  the services W of its rank present on arrival, and at stations without preemption the rest of
                       a service of a lower class, stretched by the capacity left to them: b = 1 - U of higher classes,
                  S    its service, S/b where higher classes preempt it.
              V of a rank with higher ones: the work on arrival, stretched by their b, and by the arrivals of its rank
              meanwhile, which only customers elsewhere can send: the share g of the population that is elsewhere while
              the rank is served. The mean stretch lies between 1 / (1 - g u) and 1 / (1 - U(n - 1)), with
              U(n - 1) = g u / (1 - u + g u); it is taken at u / 2 of the way.
              A customer that left did so when no higher class was there (at stations without preemption: when none was
              at the start of its service); after an absence A it finds
                  V (A + d t) / (A + V t), t = (1 - U) / U, d = S U / (1 - U) without preemption, 0 with it:
              higher classes begin to arrive at the rate with which their utilization is U. Where it finds customers of
              its rank, at least d. Without preemption an arriving class r finds a service of a lower class f going on
              with probability u_f (A + R) / (A + S_f): all of r that are there while it goes on arrived during it and
              remain to its end. The queue at a random time is estimated by Linearizer with 3 core solutions.
              The queue Q of its rank at a random time is a mean over times with higher classes present and without. The
              E customers elsewhere return at one rate in both, so that an arrival finds higher ones with probability
              p = U E' / E, E' those elsewhere while they are present: its mean queue is Q - E (U - p)^2 / (U (1 - U)).
              That difference is taken times the share of the absence at delays and with processor sharing, without
              preemption also times 1 - P^2, P the probability to find its rank: who leaves customers of it behind often
              leaves higher ones.
              Several servers: the wait at the one server times the probability to find all servers busy over the load
              on arrival (with preemption, for each rank and all higher ones together); exact for M/M/c with one service
              time.
    Exact     (before the estimates of Linearizer) a single higher customer and a single lower one, with exponential
              times; open classes alone: M/G/1 without preemption, M/M/1 with it.
    Source    The form of the equations: @bryant1984, where V is taken with U at a smaller population and the absence is
              ignored; Linearizer: @chandy1982. V, the absence, the queue on arrival, and the probability of a lower
              service: this tool.
    Fails     Relative errors of a class grow without bound as higher classes leave it next to no capacity.
    """
    with np.errstate(all="ignore"):
        begin = np.concatenate([ranked.demands, np.ones_like(ranked.demands[:, ranked.servers > 1])], axis=1)
        # Another number of stations with several servers has other unknowns.
        known = starts if starts and starts[0].shape[1:] == begin.shape[1:] else None
        method = Substitution(ranked, _STAGES, known)
        (values, _), rest, starts = method.solve(begin)
        # Points that need smaller changes, or another start, need them again.
        plain = (starts[len(method.solved) - 1] == method.solved[-1]).all((1, 2))
        starts = tuple(
            np.where(np.tile(plain, len(value) // len(plain))[:, None, None], value, np.nan) for value in starts
        )
        if rest.size:
            # The queues of very many customers grow too slowly from none.
            crowded = ranked.part(rest)
            (values[rest], _), again, _ = Substitution(crowded, _STAGES).solve(_saturated(crowded))
            rest = rest[again]
        if rest.size:
            raise unproven("priority-mva", rest, len(values))
        throughput = _throughput(ranked, values)
        overloaded = ~ranked.feasible(values) & np.isinf(ranked.population).any(-1)
        residence = _at_servers(ranked, values)
    return RankedAnswer(throughput, residence, overloaded, starts)


def _saturated(ranked: Ranked) -> Array:
    """Unknowns to begin with (see `_at_servers`) where a station is saturated: each class waits at the station that
    leaves it the smallest share, with the capacity of every station granted by rank."""
    plain = np.concatenate([ranked.demands, np.ones_like(ranked.demands[:, ranked.servers > 1])], axis=1)
    alone = ranked.think_time + _at_servers(ranked, plain).sum(1)
    rate = _throughput(ranked, plain)
    share, left = np.ones_like(ranked.demands), np.ones(ranked.demands.shape[:2])
    for rank in sorted(set(ranked.rank.flat), reverse=True):
        members = ranked.rank == rank
        load = (rate[:, None, :] * ranked.demands * members).sum(-1)
        granted = np.minimum(left / np.where(load > 0, load, 1.0), 1.0)
        share = np.where(members & (ranked.demands > 0), granted[..., None], share)
        left = np.maximum(left - load, _LEAST)
    rate = rate * share.min(1)
    waiting = np.where(np.isfinite(ranked.population), ranked.population - rate * alone, 0.0)
    longer = np.maximum(waiting, 0.0) / np.where(rate > 0, rate, 1.0)
    for class_index in range(plain.shape[-1]):
        plain[np.arange(len(plain)), share[..., class_index].argmin(1), class_index] += longer[:, class_index]
    return plain


def _at_servers(ranked: Ranked, state: Any) -> Any:
    """(P, K, R) residences at the actual servers, from those at the one server and the ratios of waits.

    state  (P, K + M, R): residences at the one server, and for the M stations with several servers the ratios of waits.
    """
    if not ranked.fixed.any_several:
        return state
    several = ranked.fixed.several
    residence = state[:, : len(several)].copy()
    demands = ranked.demands[:, several]
    waits = np.maximum(residence[:, several] - demands, 0.0) * state[:, len(several) :]
    residence[:, several] = demands * ranked.servers[several][:, None] + waits
    return residence


def _throughput(ranked: Ranked, residence: Any) -> Any:
    """(P, R) throughputs by Little's law; arrival rates for open classes."""
    return _passing(ranked, ranked.think_time + _at_servers(ranked, residence).sum(1))


def _passing(ranked: Ranked, cycle: Any) -> Any:
    """As `_throughput`, from cycle times (P, R)."""
    closed = ranked.fixed.closed
    people = np.where(closed, ranked.population, 0.0)
    return np.where(closed, people / np.where(closed & (cycle > 0), cycle, 1.0), ranked.arrival_rate)


def _full(ranked: Ranked, throughput: Any) -> Flags:
    """(P,) whether a station exceeds its capacity."""
    return ((throughput[:, None, :] * ranked.demands).sum(-1) > 1.0 + 1e-11).any(-1)


def _image(ranked: Ranked, changes: ShareChanges, residence: Any) -> tuple[Any, Any]:
    """Residences (see `_at_servers`) after a round, and (P,) the largest change, in cycle times of the class."""
    budget.spend(_A_RANK * ranked.fixed.ranks, "the rounds of a fixed point")
    fixed = ranked.fixed
    arrivals = _Arrivals(ranked, changes, residence)
    stations = ranked.demands.shape[1]
    image = np.zeros(ranked.demands.shape)
    if fixed.any_shared:
        image = np.where((ranked.discipline == SHARING)[:, None], ranked.demands * (1.0 + arrivals.queues.sum(-1)), 0.0)
    before: _Before | None = None
    ranks = fixed.served
    for number, rank in enumerate(ranks, 1):
        work = arrivals.work(before, rank.members)
        image = np.where(rank.members, ranked.visits * arrivals.visit_time(before, rank, work), image)
        if fixed.any_open:
            image = _settled(ranked, rank.members, before, residence, image)
        before = arrivals.after(before, rank.members, work) if number < len(ranks) else before
    image = np.where(fixed.there, image, ranked.demands)
    cycle = arrivals.cycle[:, None, :]
    change = np.abs(image - residence[:, :stations]) / np.where(cycle > 0, cycle, 1.0)
    if fixed.any_several:
        ratios = arrivals.ratios(np.maximum(image - ranked.demands, 0.0))
        image = np.concatenate([image, ratios], axis=1)
        change = np.concatenate([change, np.abs(ratios - residence[:, stations:])], axis=1)
    return image, np.where(np.isfinite(change), change, np.inf).max((1, 2), initial=0.0)


def _settled(ranked: Ranked, members: Any, before: _Before | None, residence: Any, image: Array) -> Any:
    """The residences of one rank, with those of its open classes as if their queues had already followed.

    A change of their waits by d changes their queues, and these the waits by c d, c the load of these classes over the
    capacity left to them: the rounds of plain substitution are many where c is nearly 1. The fixed point is the same.
    """
    stations = image.shape[1]
    opened: Any = members & ranked.fixed.opened[:, 0]
    left: Any = 1.0 if before is None else np.maximum(1.0 - before.busy, _LEAST)[..., None]
    loads = np.where(opened, ranked.demands * ranked.arrival_rate[:, None, :], 0.0) / left
    change = np.where(opened, (image - residence[:, :stations]) / ranked.fixed.visits, 0.0)
    overall = loads.sum(-1, keepdims=True)
    steady = overall < 1.0
    follows: Any = (loads * change).sum(-1, keepdims=True) / np.where(steady, 1.0 - overall, 1.0)
    return np.where(opened & steady, image + ranked.visits * follows, image)


class _Before(Record):
    """The classes that are served before a rank."""

    clear: Any
    """(P, K, R) seconds until none of them is present, for a class that arrives at a random time."""
    utilization: Any
    """(P, K, R) their utilization as an arriving class observes it."""
    busy: Any
    """(P, K) their utilization."""


class _Arrivals:
    """The customers present on arrival, by arriving and present class: (P, K, R, R)."""

    def __init__(self, ranked: Ranked, changes: ShareChanges, residence: Any) -> None:
        self.ranked, self.relaxation = ranked, changes.relaxation
        self.relaxed = bool(changes.relaxation.any())
        at_servers = _at_servers(ranked, residence)
        self.cycle = ranked.think_time + at_servers.sum(1)
        """(P, R) seconds."""
        self.throughput = throughput = _passing(ranked, self.cycle)[:, None, :]
        residence = residence[:, : ranked.demands.shape[1]]
        fixed = ranked.fixed
        opened, others, present = fixed.opened, fixed.others, fixed.present
        self.busy = np.minimum(throughput * ranked.demands, 1.0)
        self.queues = np.maximum(others * ((throughput * residence)[:, :, None, :] / present + changes.queue), 0.0)
        self.served = np.clip(others * (self.busy[:, :, None, :] / present + changes.busy), 0.0, self.queues)
        self.waiting = ranked.service[:, :, None, :] * self.queues
        """Mean service times of the present customers, in sum."""
        self.people = fixed.people
        each = residence / fixed.visits
        absence = self.cycle[:, None, :] - at_servers + fixed.slower
        absence = np.maximum(np.maximum(absence, 0.0) / fixed.visits, 1e-300)
        busy: Any = self.busy.sum(-1)
        if fixed.any_open:
            absence = np.where(opened[:, 0], 1e300, absence)
            open_busy = np.where(opened[:, 0], self.busy, 0.0).sum(-1)
            busy = (busy - open_busy) / np.maximum(1.0 - open_busy, _LEAST)
        self.absence = absence
        random = absence[..., None] / (absence[..., None] + fixed.known)
        idle = np.maximum(1.0 - busy, 0.0)
        # Open classes observe a random time; for closed ones the work could then be too little.
        kept = np.where(fixed.regular, idle[..., None, None], 1.0)
        self.excess = ranked.excess[:, :, None, :] * kept * random
        self.delayed = np.minimum(fixed.outside / (fixed.visits * absence), 1.0)
        """(P, K, R) the share of an absence in which the number of others does not delay a return."""
        rest = ranked.service[:, :, None, :] + ranked.excess[:, :, None, :] * random
        lasting = (self.absence + each)[..., None] / (self.absence[..., None] + rest)
        self.rest = np.minimum(self.busy[:, :, None, :] * lasting, 1.0) * rest
        """Seconds left of a service that no arrival preempts."""
        coming = self.absence[:, :, None, :] / (self.absence[:, :, None, :] + ranked.service[..., None])
        self.coming = self.served * coming
        """The served classes whose customers are elsewhere, and arrive during a service of the arriving class."""

    def work(self, before: _Before | None, members: Any) -> Any:
        """(P, K, R, R) seconds of service of the classes of one rank present at a random time, given those before it.

        Where higher classes preempt it, a service that has begun remains in progress while they are served.
        """
        ranked = self.ranked
        if before is None or not ranked.fixed.any_interrupted:
            return (self.waiting + self.excess * self.served) * members[:, None, :]
        longer = np.where(
            (ranked.discipline == PREEMPTIVE)[:, None], 1.0 / np.maximum(1.0 - before.busy, _LEAST)[..., None], 1.0
        )
        begun = np.minimum(self.served * longer[..., None], self.queues)
        return (self.waiting + self.excess * begun) * members[:, None, :]

    def queued(self, before: _Before, higher: Any, kept: Any) -> Any:
        """(P, K, R, R) the share of the queues of a random time that is present on arrival.

        before   the classes before the rank of the arriving and the queueing class.
        higher   seconds until none of them is present, for an arrival.
        kept     the share of the correction that is kept.
        """
        busy = before.utilization / np.maximum(1.0 - before.utilization, _LEAST)
        clear = np.where(before.clear > 0, before.clear, 1.0)
        rarer = np.where(before.clear > 0, np.clip(1.0 - higher / clear, 0.0, 1.0), 0.0)
        elsewhere = np.where(self.ranked.fixed.opened, 0.0, self.ranked.fixed.others - self.queues)
        fewer = np.maximum(elsewhere, 0.0) * (kept * rarer * busy)[..., None] * (rarer * self.delayed)[:, :, None, :]
        return np.maximum(1.0 - fewer / np.where(self.queues > 0, self.queues, 1.0), 0.0)

    def visit_time(self, before: _Before | None, rank: _Rank, work: Any) -> Any:
        """(P, K, R) seconds of a visit of classes of one rank, given the classes before it and their `work`."""
        ranked, members, preemptive = self.ranked, rank.members, rank.preemptive
        lower = (self.rest * rank.lower).sum(-1)
        if before is None:
            return work.sum(-1) + lower + ranked.service
        slow = (1.0 / np.maximum(1.0 - before.busy, _LEAST))[..., None]
        leaving = np.where(preemptive, 0.0, ranked.service * before.busy[..., None] * slow)
        arrived = (self.coming * rank.first).sum(-1) / np.maximum(1.0 - before.utilization, _LEAST)
        arrived = np.where(preemptive, 0.0, ranked.service * arrived)
        idle = np.where(
            before.utilization > 0,
            (1.0 - before.utilization) / np.where(before.utilization > 0, before.utilization, 1.0),
            0.0,
        )
        clear = np.where(before.clear > 0, before.clear, 1.0)
        # Numerator and denominator are divided by the absence, which is infinite for open classes.
        higher = (1.0 + arrived * idle / self.absence) / (1.0 / clear + idle / self.absence)
        higher = np.where(before.clear > 0, higher, 0.0)
        present = np.minimum((self.served * members[:, None, :]).sum(-1) * slow, 1.0)
        if self.relaxed:
            present = np.maximum(present, np.minimum(self.relaxation, 1.0)[:, None, None])
        if ranked.fixed.any_open:
            present = np.where(np.isinf(ranked.population)[:, None, :], 0.0, present)
        kept = np.where(preemptive, 1.0, 1.0 - present**2)
        if self.relaxed:
            kept = kept * np.maximum(1.0 - self.relaxation, 0.0)[:, None, None]
        ahead = lower + (work * self.queued(before, higher, kept)).sum(-1)
        # A customer that finds one of its rank in service also finds at least the arrivals since that service began.
        higher = higher + present * np.maximum(leaving - higher, 0.0)
        return higher + ahead * slow + ranked.service * np.where(preemptive, slow, 1.0)

    def ratios(self, waits: Any) -> Any:
        """(P, M, R) the waits at several servers over `waits` (P, K, R) at the one server."""
        ranked = self.ranked
        people = np.where(np.isfinite(self.people), self.people, 0.0)[:, 0]
        rows: list[Any] = []
        for station in np.flatnonzero(ranked.servers > 1).tolist():
            count, ranks, served = int(ranked.servers[station]), ranked.rank[station], self.served[:, station]
            waiting = (self.throughput * waits)[:, station]
            row = np.zeros(waiting.shape)

            def ratio(members: Any, served: Any = served, count: int = count) -> Any:
                load = np.minimum((served * members).sum(-1), 1.0)
                closed = (served * members * np.isfinite(self.people[:, 0])).sum(-1)
                total = (people * members).sum(-1)
                chance = approximate_servers.all_busy(count, load * count, np.minimum(closed, load) * count, total)[0]
                return np.where(load > 0, chance / np.where(load > 0, load, 1.0), 0.0)

            for rank in sorted(set(ranks)):
                of_rank, higher = ranks == rank, ranks > rank
                if ranked.discipline[station] == PREEMPTIVE and higher.any():
                    above, mine = (waiting * higher).sum(-1)[:, None], (waiting * of_rank).sum(-1)[:, None]
                    together = ratio(ranks >= rank) * (above + mine) - ratio(higher) * above
                    each = np.where(mine > 0, together / np.where(mine > 0, mine, 1.0), 0.0)
                else:
                    each = ratio(ranks >= rank if ranked.discipline[station] == PREEMPTIVE else ranks == ranks)
                first = ranked.discipline[station] == PREEMPTIVE and not higher.any()
                least = np.clip(self.relaxation - first, 0.0, 1.0)[:, None]
                row = np.where(of_rank, np.clip(each, least, 1.0), row)
            rows.append(row)
        return np.stack(rows, axis=1)

    def after(self, before: _Before | None, members: Any, work: Any) -> _Before:
        """The classes before the next rank, given the `work` of this one."""
        if before is None:
            nothing = np.zeros(work.shape[:-1])
            before = _Before(nothing, nothing, nothing[..., 0])
        served, queues = self.served * members[:, None, :], self.queues * members[:, None, :]
        slow = 1.0 / np.maximum(1.0 - before.utilization, _LEAST)
        used = np.minimum(served.sum(-1) * slow, 1.0 - _LEAST)
        while_served = np.minimum(used, queues.sum(-1))[..., None]
        there = queues / np.where(while_served > 0, while_served, 1.0)
        absence = np.maximum(1.0 - there / np.maximum(self.people, 1e-300), 0.0)
        fewer = np.minimum((absence * served).sum(-1) * slow, used)
        random = np.minimum(fewer / (1.0 - used + fewer), 1.0 - _LEAST)
        stretch = (1.0 - used / 2.0) / (1.0 - fewer) + used / 2.0 / (1.0 - random)
        clear = (before.clear + work.sum(-1) * slow) * stretch
        result = np.minimum(before.utilization + served.sum(-1), 1.0 - _LEAST)
        return _Before(clear, result, np.minimum(before.busy + (self.busy * members).sum(-1), 1.0 - _LEAST))
