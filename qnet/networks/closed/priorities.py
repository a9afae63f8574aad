"""Closed and mixed networks with stations that serve one class before another, interrupting it or not.

Approximate mean value analysis: what a customer waits for is told apart by who it is served after, and what it finds
of higher classes is neither what they leave to a random moment nor what an endless population would go on sending.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qnet.errors import NotComputed, Problem
from qnet.lazy import lazy, np
from qnet.networks.closed.accelerated import Image, settled
from qnet.networks.closed.ranked import PREEMPTIVE, SHARING, Ranked
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks.closed import approximate_servers
else:
    approximate_servers = lazy("qnet.networks.closed.approximate_servers")

TOLERANCE = 1e-10
"""Largest residual of an answer: change of a residence by one further round, in cycle times of its class."""
_ABSENCE = 3.0
"""As in `first_come`: how many time constants of a service an absence must last until it is seen at random."""
_CALMER = ((1.0, 0.0), (0.5, 0.0), (0.0, 0.0), (0.0, 0.3), (0.0, 0.6), (0.0, 1.0), (0.0, 2.0))
"""What is kept of the estimated changes, and the least `company`, where an answer leaves the feasible region."""
_PATIENCE = 40
"""Rounds without progress: where a class starves, some points never settle, and are estimated with more care."""
_LEAST = 1e-9
"""The least share of a server that is taken to be left."""


class Found(Record):
    """Proven fixed points."""

    throughput: Any
    """(P, R) passages per second."""
    residence: Any
    """(P, K, R) seconds, at the servers that there are."""
    overloaded: Any
    """(P,) whether an open class has no steady state beside closed ones that are served before it."""


class _Changes(Record):
    """By class removed, how the shares of the other classes change: (P, K, R, R), (P, K, R, R)."""

    queue: Any
    busy: Any


def solve(ranked: Ranked) -> Found:
    """The steady state, approximately, at a cost that does not depend on the populations.

    Applies   single and several servers: processor sharing, and order by rank with or without preemption (resumed
              later), first come first served within a rank; any populations, fractions too; open classes beside closed
              ones.
    ranked    the batch.
    Returns   `Found`: Little's law, population constraint and utilization law hold to rounding.
    Raises    `NotComputed` QN511 where a fixed point is not proven by its residual of 1e-10.
    Method    A visit of class r waits for
                  V    until no higher class is there any more, had they been alone with the server,
                  W/b  the services W of its own rank that it finds, and at stations without preemption the rest of
                       a service of a lower class, stretched by what is left to them: b = 1 - U of higher classes,
                  S    its own service, S/b where higher classes interrupt it.
              V of a rank beside higher ones: the work found, stretched by their b, and by the arrivals of its own rank
              meanwhile, which only those can send who are not there: the share g of the population that is away while
              the rank is served. The mean stretch lies between 1 / (1 - g u) and 1 / (1 - U(n - 1)), with
              U(n - 1) = g u / (1 - u + g u); it is taken at u / 2 of the way.
              A customer that left did so when no higher class was there (at stations without preemption: when none was
              at the start of its service); after an absence A it finds
                  V (A + d t) / (A + V t), t = (1 - U) / U, d = S U / (1 - U) without preemption, 0 with it:
              higher classes begin to come at the rate that makes them use U. Where it finds its own rank, at least d.
              Without preemption an arriving class r finds a service of a lower class f going on with probability
              u_f (A + R) / (A + S_f): all of r that are there while it goes on came during it and stay to its end.
              What is found at random is estimated by Linearizer with 3 core solutions.
              Several servers: the wait at one server of their speed times the chance to find all of them busy over
              the load found (where some are interrupted, so of each rank and all higher ones together); to be exact
              for M/M/c of one time.
    Exact     (before the estimates of Linearizer) a single higher customer and a single lower one, with exponential
              times; open classes alone: M/G/1 without preemption, M/M/1 with it.
    Source    The form of the equations: Bryant, Krzesinski, Lakshmi, Chandy, ACM Trans. Computer Systems 2 (1984)
              335-359, who take V with U at a smaller population and no account of the absence; Linearizer: Chandy,
              Neuse, Comm. ACM 25 (1982) 126-134. V, the absence, and the chance of a lower service: this tool.
    Fails     Relative errors of a class grow without bound as classes served before it leave it next to nothing.
    """
    with np.errstate(all="ignore"):
        shape = (*ranked.demands.shape, ranked.demands.shape[-1])
        changes = _Changes(np.zeros(shape), np.zeros(shape))
        residence = np.concatenate([ranked.demands, np.ones_like(ranked.demands[:, ranked.servers > 1])], axis=1)
        for _ in range(2):
            residence = _core(ranked, changes, residence)
            changes = _changes(ranked, changes, residence)
        throughput = np.zeros(ranked.population.shape)
        overloaded = np.zeros(len(throughput), bool)
        waiting = np.arange(len(throughput))
        for share, company in _CALMER:
            here = ranked.part(waiting)
            here = here.replace(company=here.company + company)
            calm = _Changes(*(share * value[waiting] for value in changes))
            found = _core(here, calm, residence[waiting])
            residence[waiting] = found
            throughput[waiting] = rates = _throughput(here, found)
            full = _full(here, rates)
            wrong = (_image(here, calm, found)[1] > TOLERANCE) | full
            overloaded[waiting] = full & np.isinf(here.population).any(-1)
            # What no estimated change explains is no matter of estimates.
            waiting = waiting[wrong & ~(overloaded[waiting] & (share == 0))]
            if not waiting.size:
                break
        if waiting.size:
            where = f" at point {int(waiting[0]) + 1} of the batch" if len(throughput) > 1 else ""
            raise NotComputed(Problem("QN511", f"priority-mva did not converge{where}", "a residual of 1e-10"))
        residence = _whole(ranked, residence)
    return Found(throughput, residence, overloaded)


def _whole(ranked: Ranked, state: Any) -> Any:
    """(P, K, R) residences at the servers that there are, from those at one of their speed and how waits differ.

    state  (P, K + M, R): residences at one server, and for the M stations of several the ratios of the waits.
    """
    several = ranked.servers > 1
    if not several.any():
        return state
    residence = state[:, : len(several)].copy()
    own = ranked.demands[:, several]
    waits = np.maximum(residence[:, several] - own, 0.0) * state[:, len(several) :]
    residence[:, several] = own * ranked.servers[several][:, None] + waits
    return residence


def _throughput(ranked: Ranked, residence: Any) -> Any:
    """(P, R) by Little's law; of open classes what arrives."""
    cycle = ranked.think_time + _whole(ranked, residence).sum(1)
    closed = np.isfinite(ranked.population) & (ranked.population > 0)
    people = np.where(closed, ranked.population, 0.0)
    return np.where(closed, people / np.where(closed & (cycle > 0), cycle, 1.0), ranked.arrival_rate)


def _full(ranked: Ranked, throughput: Any) -> Any:
    """(P,) whether a station does more than it can."""
    return ((throughput[:, None, :] * ranked.demands).sum(-1) > 1.0 + 1e-11).any(-1)


def _core(ranked: Ranked, changes: _Changes, start: Any) -> Any:
    """Residences (see `_whole`) at the fixed point.

    It is looked for in their logarithms over the demands, so that a class that starves does not outweigh the others.
    """
    stations = ranked.demands.shape[1]

    def longer(state: Any, demands: Any) -> Any:
        part = state[:, :stations] / np.where(demands > 0, demands, 1.0)
        return np.concatenate([np.where(part > 1, np.log(part), 0.0), state[:, stations:]], axis=1)

    def long(values: Any, demands: Any) -> Any:
        return np.concatenate([demands * np.exp(values[:, :stations]), values[:, stations:]], axis=1)

    def images(chosen: Any) -> Image:
        here, calm = ranked.part(chosen), _Changes(*(value[chosen] for value in changes))

        def image(values: Any) -> tuple[Any, Any]:
            state, change = _image(here, calm, long(values, here.demands))
            return longer(state, here.demands), change

        return image

    return long(settled(images, longer(start, ranked.demands), _PATIENCE), ranked.demands)


def _image(ranked: Ranked, changes: _Changes, residence: Any) -> tuple[Any, Any]:
    """Residences (see `_whole`) after a round, and (P,) the largest change, in cycle times of the class."""
    seen = _Seen(ranked, changes, residence)
    stations = ranked.demands.shape[1]
    image = np.where((ranked.kind == SHARING)[:, None], ranked.demands * (1.0 + seen.queues.sum(-1)), 0.0)
    before = _Before(np.zeros(seen.queues.shape[:3]), np.zeros(seen.queues.shape[:3]), np.zeros(seen.queues.shape[:2]))
    for rank in sorted(set(ranked.rank.flat), reverse=True):
        here = (ranked.rank == rank) & (ranked.kind != SHARING)[:, None]
        image = np.where(here, ranked.visits * seen.stay(before, here), image)
        before = seen.after(before, here)
    image = np.where(ranked.population[:, None, :] > 0, image, ranked.demands)
    cycle = (ranked.think_time + _whole(ranked, residence).sum(1))[:, None, :]
    change = np.abs(image - residence[:, :stations]) / np.where(cycle > 0, cycle, 1.0)
    if (ranked.servers > 1).any():
        ratios = seen.ratios(np.maximum(image - ranked.demands, 0.0))
        image = np.concatenate([image, ratios], axis=1)
        change = np.concatenate([change, np.abs(ratios - residence[:, stations:])], axis=1)
    return image, np.where(np.isfinite(change), change, np.inf).max((1, 2), initial=0.0)


class _Before(Record):
    """What is served before a rank."""

    clear: Any
    """(P, K, R) seconds until none of it is there, as an arriving class finds it at random."""
    found: Any
    """(P, K, R) its utilization as an arriving class finds it."""
    busy: Any
    """(P, K) its utilization."""


class _Seen:
    """What arriving customers find, by class that arrives and class that is found: (P, K, R, R)."""

    def __init__(self, ranked: Ranked, changes: _Changes, residence: Any) -> None:
        self.ranked = ranked
        self.throughput = throughput = _throughput(ranked, residence)[:, None, :]
        at_servers = _whole(ranked, residence)
        residence = residence[:, : ranked.demands.shape[1]]
        opened = np.isinf(ranked.population)[:, None, None, :]
        people = np.where(opened, 1.0, ranked.population[:, None, None, :])
        one = np.eye(people.shape[-1])
        left = np.where(opened, 1.0, np.maximum(people - one, 0.0))
        whole = np.where(people > 0, people, 1.0)
        self.busy = np.minimum(throughput * ranked.demands, 1.0)
        self.queues = np.maximum(left * ((throughput * residence)[:, :, None, :] / whole + changes.queue), 0.0)
        self.served = np.clip(left * (self.busy[:, :, None, :] / whole + changes.busy), 0.0, self.queues)
        self.people = np.where(opened, np.inf, people)
        visits = np.where(ranked.visits > 0, ranked.visits, 1.0)
        self.each = residence / visits
        slower = ranked.demands * (ranked.servers[:, None] - 1.0)
        away = (ranked.think_time + at_servers.sum(1))[:, None, :] - at_servers + slower
        away = np.maximum(away, 0.0) / visits
        self.away = np.where(opened[:, 0], 1e300, np.maximum(away, 1e-300))
        known = _ABSENCE * ranked.memory[:, :, None, :]
        self.random = random = self.away[..., None] / (self.away[..., None] + known)
        open_busy = np.where(opened[:, 0], self.busy, 0.0).sum(-1)
        idle = np.maximum(1.0 - (self.busy.sum(-1) - open_busy) / np.maximum(1.0 - open_busy, _LEAST), 0.0)
        # Open classes find what is there at random, whatever that is; of closed ones that could be too little.
        kept = np.where((ranked.excess < 0)[:, :, None, :] & ~opened.swapaxes(2, 3), idle[..., None, None], 1.0)
        self.excess = ranked.excess[:, :, None, :] * kept * random

    def work(self, before: _Before, here: Any) -> Any:
        """(P, K, R, R) seconds of service found of classes of one rank, by what is served before it.

        Where higher classes interrupt it, a service that has begun stays in progress while they are served.
        """
        ranked = self.ranked
        longer = np.where(
            (ranked.kind == PREEMPTIVE)[:, None], 1.0 / np.maximum(1.0 - before.busy, _LEAST)[..., None], 1.0
        )
        begun = np.minimum(self.served * longer[..., None], self.queues)
        return (ranked.service[:, :, None, :] * self.queues + self.excess * begun) * here[:, None, :]

    def stay(self, before: _Before, here: Any) -> Any:
        """(P, K, R) seconds of a visit of classes of one rank, given what is served before it."""
        ranked = self.ranked
        slow = (1.0 / np.maximum(1.0 - before.busy, _LEAST))[..., None]
        preemptive = (ranked.kind == PREEMPTIVE)[:, None]
        own = self.work(before, here).sum(-1)
        lower = (ranked.rank < (np.where(here, ranked.rank, -np.inf).max(-1))[:, None]) & ~preemptive
        rest = ranked.service[:, :, None, :] + ranked.excess[:, :, None, :] * self.random
        lasting = (self.away + self.each)[..., None] / (self.away[..., None] + rest)
        chance = np.minimum(self.busy[:, :, None, :] * lasting, 1.0)
        own = own + (chance * rest * lower[:, None, :]).sum(-1)
        leaving = np.where(preemptive, 0.0, ranked.service * before.busy[..., None] * slow)
        first = ~here & (ranked.rank > np.where(here, ranked.rank, np.inf).min(-1)[:, None])
        coming = self.away[:, :, None, :] / (self.away[:, :, None, :] + ranked.service[..., None])
        came = (self.served * first[:, None, :] * coming).sum(-1) / np.maximum(1.0 - before.found, _LEAST)
        came = np.where(preemptive, 0.0, ranked.service * came)
        idle = np.where(before.found > 0, (1.0 - before.found) / np.where(before.found > 0, before.found, 1.0), 0.0)
        clear = np.where(before.clear > 0, before.clear, 1.0)
        # Both sides divided by the absence, which is endless for open classes.
        higher = (1.0 + came * idle / self.away) / (1.0 / clear + idle / self.away)
        higher = np.where(before.clear > 0, higher, 0.0)
        present = np.minimum((self.served * here[:, None, :]).sum(-1) * slow, 1.0)
        present = np.maximum(present, np.minimum(ranked.company, 1.0)[:, None, None])
        present = np.where(np.isinf(ranked.population)[:, None, :], 0.0, present)
        # Who comes again and finds its own rank in service finds what has come since that service began, or more.
        higher = higher + present * np.maximum(leaving - higher, 0.0)
        return higher + own * slow + ranked.service * np.where(preemptive, slow, 1.0)

    def ratios(self, waits: Any) -> Any:
        """(P, M, R) the waits at several servers over those at one of their speed, which are given: (P, K, R)."""
        ranked = self.ranked
        people = np.where(np.isfinite(self.people), self.people, 0.0)[:, 0]
        found: list[Any] = []
        for place in np.flatnonzero(ranked.servers > 1).tolist():
            count, own, served = int(ranked.servers[place]), ranked.rank[place], self.served[:, place]
            waiting = (self.throughput * waits)[:, place]
            row = np.zeros(waiting.shape)

            def ratio(members: Any, served: Any = served, count: int = count) -> Any:
                load = np.minimum((served * members).sum(-1), 1.0)
                closed = (served * members * np.isfinite(self.people[:, 0])).sum(-1)
                total = (people * members).sum(-1)
                chance = approximate_servers.all_busy(count, load * count, np.minimum(closed, load) * count, total)[0]
                return np.where(load > 0, chance / np.where(load > 0, load, 1.0), 0.0)

            for rank in sorted(set(own)):
                here, higher = own == rank, own > rank
                if ranked.kind[place] == PREEMPTIVE and higher.any():
                    above, mine = (waiting * higher).sum(-1)[:, None], (waiting * here).sum(-1)[:, None]
                    together = ratio(own >= rank) * (above + mine) - ratio(higher) * above
                    each = np.where(mine > 0, together / np.where(mine > 0, mine, 1.0), 0.0)
                else:
                    each = ratio(own >= rank if ranked.kind[place] == PREEMPTIVE else own == own)
                first = ranked.kind[place] == PREEMPTIVE and not higher.any()
                least = np.clip(ranked.company - first, 0.0, 1.0)[:, None]
                row = np.where(here, np.clip(each, least, 1.0), row)
            found.append(row)
        return np.stack(found, axis=1)

    def after(self, before: _Before, here: Any) -> _Before:
        """What is served before the next rank."""
        served, queues = self.served * here[:, None, :], self.queues * here[:, None, :]
        slow = 1.0 / np.maximum(1.0 - before.found, _LEAST)
        used = np.minimum(served.sum(-1) * slow, 1.0 - _LEAST)
        while_served = np.minimum(used, queues.sum(-1))[..., None]
        there = queues / np.where(while_served > 0, while_served, 1.0)
        away = np.maximum(1.0 - there / np.maximum(self.people, 1e-300), 0.0)
        fewer = np.minimum((away * served).sum(-1) * slow, used)
        random = np.minimum(fewer / (1.0 - used + fewer), 1.0 - _LEAST)
        stretch = (1.0 - used / 2.0) / (1.0 - fewer) + used / 2.0 / (1.0 - random)
        clear = (before.clear + self.work(before, here).sum(-1) * slow) * stretch
        found = np.minimum(before.found + served.sum(-1), 1.0 - _LEAST)
        return _Before(clear, found, np.minimum(before.busy + (self.busy * here).sum(-1), 1.0 - _LEAST))


def _changes(ranked: Ranked, changes: _Changes, residence: Any) -> _Changes:
    """How the shares of the classes change where a customer of a class is removed."""
    queue, busy = np.zeros(changes.queue.shape), np.zeros(changes.busy.shape)
    shares = _shares(ranked, residence)
    for kind in range(ranked.population.shape[-1]):
        if np.isinf(ranked.population[:, kind]).all():
            continue
        population = ranked.population.copy()
        population[:, kind] = np.maximum(population[:, kind] - 1.0, 0.0)
        fewer = ranked.replace(population=population)
        less = _shares(fewer, _core(fewer, changes, residence))
        present = (population > 0)[:, None, :]
        queue[:, :, kind, :] = np.where(present, less[0] - shares[0], 0.0)
        busy[:, :, kind, :] = np.where(present, less[1] - shares[1], 0.0)
    return _Changes(queue, busy)


def _shares(ranked: Ranked, residence: Any) -> tuple[Any, Any]:
    """(P, K, R) queue length and utilization per customer of the class; of open classes in all."""
    closed = np.isfinite(ranked.population) & (ranked.population > 0)
    rate = (_throughput(ranked, residence) / np.where(closed, ranked.population, 1.0))[:, None, :]
    return rate * residence[:, : ranked.demands.shape[1]], rate * ranked.demands
