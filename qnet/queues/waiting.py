"""The wait at one station: general service, several servers, priorities, and a limited number of holders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from qnet.expression import Operations, Value
from qnet.lazy import lazy, np
from qnet.queues.arithmetic import ratio, total
from qnet.queues.erlang import erlang_c
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.queues import finite_source, finite_source_alone, single_holder
else:
    single_holder = lazy("qnet.queues.single_holder")
    finite_source = lazy("qnet.queues.finite_source")
    finite_source_alone = lazy("qnet.queues.finite_source_alone")

_NEGLIGIBLE = 1e-250
"""Erlangs below which holders never find each other, and logarithms of loads would lose their digits."""
_MAX_CELLS = 1_000_000
"""Points times states of the finite-source chain that are held in memory at once."""


class Load(Record):
    """The load of one stream on one copy of a station."""

    rate: Value
    """Requests per second."""
    first: Value
    """Mean holding time up to the response, in seconds."""
    second: Value
    """Mean holding time after it, in seconds."""
    square: Value
    """Second moment of the entire holding time, in square seconds."""
    second_square: Value
    """Second moment of the part after the response, in square seconds."""
    priority: int
    """The highest is served first."""
    holders: int
    """How many holders can make its requests at once; 0 where the stream is open."""


class Level(Record):
    """Load per server that is served before an arrival of one priority, or in order of arrival with it."""

    above: Value
    """Of higher priorities."""
    open: Value
    """Of the open streams of this priority and higher ones."""
    held: Value
    """Of the holders' streams of this priority and higher ones."""


class Queue(Record):
    """The queue that arrivals find at a station."""

    servers: int
    offered: Value
    """Erlangs of all streams."""
    residual: Value
    """Mean residual service time that an open arrival finds, E[S^2] / 2E[S], in seconds."""
    busy: Value
    """Probability that an open arrival finds all servers busy, if all streams were Poisson."""
    open_busy: Value
    """The same with holders, whose number is limited."""
    holder_residual: Value
    """Mean residual service time that a holder finds, which never finds the first phase of its last request."""
    holder_busy: Value
    """Probability that a holder finds all servers busy."""
    services_ahead: Value
    """Mean number of services that end before that of a request of a holder begins, with requests at random times."""
    holder_share: Value
    """The share of other holders in the load that a holder finds."""
    holder_alone: Value
    """The wait C r / c of a holder if only the open streams were there."""
    holder_service: Value
    """Mean service time of the requests of holders, both phases; 0 without any."""
    open_service: Value
    """The same of the open streams."""
    kept_after: Value
    """Erlangs of the second phases of holders."""
    holders: int
    """How many holders can make requests at once, over all streams; 0 for none."""
    levels: Mapping[int, Level]
    """By priority."""


def queue(servers: int, loads: Sequence[Load], holders: int, operations: Operations, heavier: Value = 1.0) -> Queue:
    """The queue that arrivals find at one copy of a first-come-first-served station.

    Applies     Poisson streams and finite-source streams (`holders` above 0) of any service time distribution;
                non-preemptive priorities, which change the order but not the work on arrival.
    servers     c >= 1.
    loads       one for each stream; the caller ensures that their total offered load is below `servers`.
    holders     how many can make requests at once, over all finite-source streams; 0 where there is none.
    operations  of the numbers in `loads`.
    heavier     the second-phase work of the waiting holder, relative to the average of all holders.
    Returns     all-busy probabilities, residual times and loads by priority.
    Raises      NotComputed as `waiting_probability` does.
    Method      All-busy probability: Erlang's C for open arrivals; for holders the finite-source chain. Residual
                time: E[S^2] / 2E[S] of the mixture (Pollaczek-Khinchine; over several servers the Allen-Cunneen
                factor). A holder never finds the first phase of its last request; its second phase, a share 1/N of
                those of all holders, counts as an independent open stream.
    Exact       M/M/c, and M/G/1 open arrivals.
    Source      Pollaczek-Khinchine: @kleinrock1975, section 5.6. Allen-Cunneen: @allen1990, section 5.3.
    """
    held = [load for load in loads if load.holders]
    others = [load for load in loads if not load.holders]
    levels, held_offered, open_offered = _levels(servers, loads)
    offered = held_offered + open_offered
    held_squares = total(load.rate * load.square for load in held)
    open_squares = total(load.rate * load.square for load in others)
    residual = ratio(held_squares + open_squares, 2 * offered)
    busy = erlang_c(servers, offered)
    if not holders:
        return Queue(
            servers=servers,
            offered=offered,
            residual=residual,
            busy=busy,
            open_busy=busy,
            holder_residual=residual,
            holder_busy=busy,
            services_ahead=0.0,
            holder_share=0.0,
            holder_alone=0.0,
            holder_service=0.0,
            open_service=0.0,
            kept_after=0.0,
            holders=0,
            levels=levels,
        )
    single, all_second = heavier / holders, total(load.rate * load.second for load in held)
    offered_by_one = single * all_second
    chains = [(held_offered, 0.0, open_offered + offered_by_one)]
    if holders > 1:
        all_first = total(load.rate * load.first for load in held)
        closed = held_offered - all_second / holders
        chains = [(closed, ratio(all_first, closed), open_offered + offered_by_one)]
        if servers > 1 and others:
            chains.append((held_offered, ratio(all_first, held_offered), open_offered))
    (holder_busy, _, services_ahead), *observed = _finite(holders, servers, chains)
    others_held = (1 - 1 / holders) * held_offered
    squares = (1 - 1 / holders) * held_squares + single * total(load.rate * load.second_square for load in held)
    alone = erlang_c(servers, open_offered) * ratio(open_squares, 2 * open_offered) / servers if others else 0.0
    return Queue(
        servers=servers,
        offered=offered,
        residual=residual,
        busy=busy,
        open_busy=operations.minimum([observed[0][1], busy]) if observed else busy,
        holder_residual=ratio(squares + open_squares, 2 * (others_held + offered_by_one + open_offered)),
        holder_busy=holder_busy,
        services_ahead=services_ahead,
        holder_share=ratio(others_held, others_held + open_offered),
        holder_alone=alone,
        holder_service=ratio(held_offered, total(load.rate for load in held)),
        open_service=ratio(open_offered, total(load.rate for load in others)) if others else 0.0,
        kept_after=all_second,
        holders=holders,
        levels=levels,
    )


def open_wait(queue: Queue, priority: int) -> tuple[Value, Value]:
    """Mean and variance of the wait of an open arrival, in seconds and square seconds.

    Applies   non-preemptive priorities, the highest first; first come first served within each.
    queue     the result of `queue`.
    priority  one of those of its loads.
    Method    W = C r / (c (1 - s1)(1 - s2)): C the all-busy probability, r the residual time, s1 the load per server
              of higher priorities, s2 of those and of the same priority. The wait, if any, is assumed exponential.
    Exact     mean: M/M/c with one priority; M/G/1 with any number; M/M/c with equal means. Approximate otherwise.
    Fails     where s2 >= 1: the caller must have refused it, or scaled the loads down.
    Source    @cobham1954; @kleinrock1976, section 3.6.
    """
    level = queue.levels[priority]
    idle = (1 - level.above) * (1 - (level.open + level.held))
    return _with_variance(queue.busy, queue.busy * queue.residual / queue.servers / idle)


def waits_with_holders(queue: Queue, held: Mapping[int, Value]) -> dict[int, tuple[Value, Value]]:
    """Mean and variance of the wait of open arrivals among holders, by priority, in seconds and square seconds.

    Applies   non-preemptive priorities, the highest first; first come first served within each.
    queue     the result of `queue`, with `holders` above 0.
    held      mean waits of the holders, by priority; 0 for priorities that they do not have.
    Method    Poisson arrivals see time averages, so that an arrival waits for a residual service and for the customers
              that wait before it, whose number is by Little's law rate x wait: for priority k
                  W (1 - s1 - so) = C r / c + sum over higher priorities of (so W + sh V) + sh V,
              so and sh the load per server of open streams and of holders of one priority, V the wait of holders, s1
              all load of higher priorities, C the all-busy probability, r the residual time.
    Exact     one server: given the waits of holders. Many holders: `open_wait`.
    Source    @kleinrock1976, section 3.6, with the customers before in two parts.
    """
    ahead = queue.open_busy * queue.residual / queue.servers
    result: dict[int, tuple[Value, Value]] = {}
    opened: Value = 0.0
    kept: Value = 0.0
    for priority in sorted(queue.levels, reverse=True):
        level = queue.levels[priority]
        load = level.open - opened
        ahead = ahead + (level.held - kept) * held.get(priority, 0.0)
        wait = ahead / (1 - level.above - load)
        result[priority] = _with_variance(queue.open_busy, wait)
        ahead = ahead + load * wait
        opened, kept = level.open, level.held
    return result


def preemptive_waits(servers: int, loads: Sequence[Load]) -> list[tuple[Value, Value]]:
    """Mean and variance of the wait of open arrivals of each load, interruptions included, in (square) seconds.

    Applies   Poisson streams; a higher priority takes a server from a lower one at once, which resumes later; first
              come first served within each priority.
    servers   c >= 1.
    loads     one for each stream; the caller ensures that their total offered load is below `servers`.
    Method    One server: R = S / (1 - s1) + W, W = (sum of rate E[S^2] / 2) / ((1 - s1) (1 - s2)), the sum over the
              same priority and higher ones, s1 the load of higher priorities, s2 with the same. Several: the number
              waiting, of each priority and all higher ones together, is that of one server c times as fast, times
              C(c, a) / (a / c) at their load a; the differences are the numbers of each.
    Exact     mean: M/G/1; M/M/c with equal means. Approximate otherwise.
    Source    @kleinrock1976, chapter 3, for one server; several: this tool, in the manner of @bondi1984.
    """
    above: Value = 0.0
    squares: Value = 0.0
    waiting: Value = 0.0
    counted: Value = 0.0
    result: dict[int, tuple[Value, Value]] = {}
    for priority in sorted({load.priority for load in loads}, reverse=True):
        at_priority = [(index, load) for index, load in enumerate(loads) if load.priority == priority]
        upto = above + total(load.rate * (load.first + load.second) for _, load in at_priority) / servers
        squares = squares + total(load.rate * load.square for _, load in at_priority) / (2 * servers * servers)
        waits = {
            index: ((load.first + load.second) / servers * above + squares / (1 - upto)) / (1 - above)
            for index, load in at_priority
        }
        number = total(load.rate * waits[index] for index, load in at_priority)
        waiting = waiting + number
        busy = erlang_c(servers, upto * servers)
        at_several = waiting * ratio(busy, upto)
        factor = 1.0 if servers == 1 else ratio(at_several - counted, number)
        for index, _ in at_priority:
            result[index] = _with_variance(busy, waits[index] * factor)
        counted, above = at_several, upto
    return [result[index] for index in range(len(loads))]


def holder_wait(
    queue: Queue, priority: int, busy_holders: Value, spare: Value, operations: Operations, in_line: bool = True
) -> tuple[Value, Value]:
    """Mean and variance of the wait of a holder, one of `queue.holders` that can make requests at once, in (square)
    seconds.

    Applies       servers of one pool with a common queue, with open streams; non-preemptive priorities. Holders with
                  separate queues: `holder_line`.
    queue         the result of `queue`, with `holders` above 0.
    priority      one of those of its loads.
    busy_holders  utilization of the holders apart from this wait, at least 0; above 1 it counts as 1.
    spare         the longest mean wait due to other holders, for which a holder has time.
    operations    of the numbers.
    in_line       whether that is the wait itself. Where service is shared, the wait is this one times the service of
                  the customer over the residual time: then `spare` is compared with the mean of that.
    Method        A mean value equation. A request finds all servers busy with probability C and then waits for the
                  requests of others in the queue:
                      W (1 - s) = (C r / c) (1 - g C u),
                  s the load per server of others, r the residual time, u = `busy_holders`, g the share of other
                  holders in the load on arrival; g C u corrects for the requests of the holder itself. W is at most
                  `spare` plus the wait with the open streams alone.
    Limits        N = 1: only the open stream counts. N large: Erlang's C. Saturation, r = S (exponential times):
                  N requests share c servers, so W = N S / c less the time a holder spends elsewhere: the wait remains
                  finite, and the station's capacity limits the system. For any r it is at most that, and more
                  only with open streams.
    Known error   Too short where the pool has idle servers, as arrivals then come at random and not from holders: by
                  7 to 58 % in 38 of 40 random pools of two to six servers, around a station with one server or two;
                  in two near saturation it is too long, by up to 46 %. Such pools are solved by their states or as
                  flow-equivalent servers where possible; otherwise responses that depend on the wait have a warning
                  (QN716).
    Source        Arrival theorem: @reiser1980; the weight g C u: this tool.
    """
    level = queue.levels[priority]
    if not in_line:
        spare = spare * ratio(queue.holder_residual, queue.holder_service)
    longest = spare + queue.holder_alone / ((1 - level.above) * (1 - level.open))
    alone, itself = _by_arrival(queue, priority)
    wait = operations.minimum([alone * (1 - itself * operations.minimum([busy_holders, 1.0])), longest])
    if queue.holders == 1 and queue.servers == 1 and in_line and len(queue.levels) == 1:
        wait = wait * _lengthening(queue, level, operations)
    return _with_variance(queue.holder_busy, wait)


def _lengthening(queue: Queue, level: Level, operations: Operations) -> Value:
    """How much longer a single holder waits because it finds arrivals during its last service.

    With second phases, which a holder may find itself, no more is known than for requests at random times.
    """
    known = operations.compare("<", 0.0, queue.open_service * level.held * level.open)
    known = operations.where(known, queue.kept_after == 0, False)
    if operations.all(operations.where(known, queue.holder_service == queue.open_service, True)):
        return 1.0
    service, others, load = (
        operations.where(known, value, plain)
        for value, plain in ((queue.holder_service, 1.0), (queue.open_service, 1.0), (level.open, 0.5))
    )
    rate = operations.where(known, level.held, 0.5) / service
    return operations.where(known, single_holder.lengthening(rate, service, others, load, operations), 1.0)


class HolderLine(Record):
    """The wait of a holder with a separate queue for a station, as a function of its utilization elsewhere."""

    busy: Value
    """Probability that it finds all servers busy."""
    alone: Value
    """Its mean wait in seconds if it were idle between its requests."""
    itself: Value
    """The share of that which is due to its earlier requests, if it were always busy."""
    least: Value
    """Lower bound of its mean wait in seconds, with requests at random times."""
    most: Value
    """Upper bound in seconds."""

    def wait(self, busy_holders: Value, operations: Operations) -> tuple[Value, Value]:
        """Mean and variance of its wait, from the utilization of the holders apart from that wait."""
        wait = self.alone * (1 - self.itself * operations.minimum([busy_holders, 1.0]))
        wait = operations.maximum([operations.minimum([wait, self.most]), self.least])
        return _with_variance(self.busy, wait)


def holder_line(queue: Queue, least: Value, streaks: tuple[Value, Value], operations: Operations) -> HolderLine:
    """The wait of a holder with a separate queue.

    Applies       two or more copies with one server each, which make requests repeatedly, with open streams; one
                  priority.
    queue, operations  as of `holder_wait`.
    least         V' of `least_holder_wait`.
    streaks       the largest increase of the number of other holders found, compared with requests at random times: as
                  a share, and in seconds.
    Method        The mean value equation of `holder_wait`, between two bounds: V', the wait with requests at random
                  times, and V' + min(g k V', t), g the share of other holders in the load, k and t `streaks`.
    Limits        N large: M/M/c. All holders busy, exponential times: the wait is that of a closed network, so that
                  the holders limit the throughput before the station is saturated.
    Exact         M/M/c//N with a Poisson stream of the same times, `streaks` being 0.
    Source        the arrival theorem: @reiser1980; the bounds: this tool.
    """
    (priority,) = queue.levels
    alone, itself = _by_arrival(queue, priority)
    most = least + operations.minimum([queue.holder_share * streaks[0] * least, streaks[1]])
    return HolderLine(queue.holder_busy, alone, itself, least, most)


def least_holder_wait(queue: Queue, loads: Sequence[Load], operations: Operations) -> Value:
    """V', the mean wait of a holder with requests at random times, in seconds.

    queue, operations  as of `holder_wait`.
    loads   of the queue.
    Method  The finite-source chain of the given throughput gives the wait V for equal exponential times. With
            f = r / S, r the residual time, S the mean service time, g the share of other holders in the load, and T the
            time between two services of a holder, which no wait exceeds,
                V' = f V / (1 + (f - 1) g V / T).
    Source  V: @baskett1975; the rest: this tool.
    """
    held = [load for load in loads if load.holders]
    asked = total(load.rate for load in held)
    every = asked if len(held) == len(loads) else total(load.rate for load in loads)
    services = queue.services_ahead / queue.servers
    mean = ratio(queue.offered, every)
    between = (queue.holders - total(load.rate * load.first for load in held)) / (asked + 1e-300)
    stretch = ratio(queue.holder_residual, mean)
    full = operations.maximum([operations.minimum([ratio(services * mean, between), 1.0]), 0.0])
    return services * mean * stretch / (1 + (stretch - 1) * queue.holder_share * full)


def _by_arrival(queue: Queue, priority: int) -> tuple[Value, Value]:
    """The wait of an idle holder by the mean value equation of `holder_wait`, and the share of it that is g C."""
    level = queue.levels[priority]
    idle = (1 - level.above) * (1 - ((1 - 1 / queue.holders) * level.held + level.open))
    itself = queue.holder_share * queue.holder_busy
    return queue.holder_busy * queue.holder_residual / queue.servers / idle, itself


def _levels(servers: int, loads: Sequence[Load]) -> tuple[dict[int, Level], Value, Value]:
    """The loads by priority, and the erlangs of the holders and of the open streams."""
    levels: dict[int, Level] = {}
    above: Value = 0.0
    held: Value = 0.0
    opened: Value = 0.0
    for priority in sorted({load.priority for load in loads}, reverse=True):
        at_priority = [load for load in loads if load.priority == priority]
        held = held + total(load.rate * (load.first + load.second) for load in at_priority if load.holders)
        opened = opened + total(load.rate * (load.first + load.second) for load in at_priority if not load.holders)
        levels[priority] = Level(above, opened / servers, held / servers)
        above = (opened + held) / servers
    return levels, held, opened


def _with_variance(busy: Value, wait: Value) -> tuple[Value, Value]:
    """A wait that is 0 with probability 1 - busy and exponential otherwise."""
    # The mean wait of customers that wait is finite, however small their share is.
    return wait, wait * (2 * (wait / (busy + (busy == 0))) - wait)


def _finite(
    holders: int, servers: int, asked: Sequence[tuple[Value, Value, Value]]
) -> list[tuple[Value, Value, Value]]:
    """All-busy probabilities on arrival of a holder and at any time, and the services ahead of a holder's request.

    asked    chains that are solved together: the erlangs of the holders, the share of the first phase in them, and the
             erlangs of the open stream.
    """
    if servers > finite_source.MAX_SERVERS:
        return [_at_random(servers, held + open_offered) for held, _, open_offered in asked]
    if holders == 1:
        # No other holder asks: only the open stream counts.
        return [_at_random(servers, open_offered) for _, _, open_offered in asked]
    plain = all(isinstance(number, float) for chain in asked for number in chain)
    if plain and holders + servers <= finite_source_alone.MOST_REQUESTS:
        return [
            finite_source_alone.full_probabilities(holders, servers, *chain)
            if chain[0] > _NEGLIGIBLE
            else _at_random(servers, chain[2])
            for chain in asked
        ]
    chains = [np.stack(np.broadcast_arrays(*np.atleast_1d(*chain))) for chain in asked]
    given = chains[0] if len(chains) == 1 else np.concatenate(chains, axis=1)
    result = np.empty((3, given.shape[1]))
    few = given[0] <= _NEGLIGIBLE
    if few.any():
        result[:, few] = _at_random(servers, given[2, few])
    some = np.flatnonzero(~few)
    points = max(1, _MAX_CELLS // (holders + servers + 1))
    for start in range(0, len(some), points):
        here = some[start : start + points]
        busy, observed, _, ahead = finite_source.full_probabilities(holders, servers, *given[:, here])
        result[:, here] = busy, observed, ahead
    if plain:
        return [(busy, observed, ahead) for busy, observed, ahead in result.T.tolist()]
    if len(chains) == 1:
        return [(result[0], result[1], result[2])]
    ends = np.cumsum([chain.shape[1] for chain in chains])[:-1]
    return [(busy, observed, ahead) for busy, observed, ahead in np.split(result, ends, axis=1)]


def _at_random(servers: int, offered: Value) -> tuple[Value, Value, Value]:
    """As `_finite`, for a Poisson stream."""
    busy = erlang_c(servers, offered)
    return busy, busy, busy / (1 - offered / servers)
