"""One round over the waits of layers: the waits that the equations give from those of the round before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qnet import budget
from qnet.lazy import Array
from qnet.networks.layers.table import Numbers, Shape
from qnet.queues.finite_source import Chains, full_probabilities, states
from qnet.record import Record

_ABSENCE = 3.0
"""The time constants of a service after which it is observed at a random time, as measured."""
_JUST_BELOW = 1 - 1e-9
"""A load with which queues are finite; any number just below 1 works, as such loads are refused."""
_IMAGE, _CELL, _SOURCE = 50 * budget.CALL, budget.STEP, 2 * budget.STEP
"""Operations of a round, of each pair of streams of a point in it, and of each number present of a finite source."""
_WHAT = "the waits of layers"


class LayerWaits(Record):
    """The waits and all that they imply; queues and busy servers are per customer of a closed class, in total for open
    classes."""

    waits: Any
    """(P, S) the image: seconds per visit."""
    residual: Any
    """(P,)"""
    throughput: Any
    """(P, C) passages per second."""
    numbers: Any
    """(3, P, S): numbers waiting, and in the first and the second phase of service, per copy."""
    scale: Any
    """(3, P, S, S) the share of the others that can be present, since the requesting customer holds one of the limited
    number of outer servers."""
    full: Any
    """(P, S) the probability that an arrival finds all servers busy, over the mean number that it finds busy."""
    variance: Any
    """(P, S) variances of the waits."""
    holding: Any
    """(P, S) seconds per visit."""
    scv: Any
    """(P, S) squared coefficients of variation of the holding times."""
    before: Any
    """(P,) the largest residual of all core solutions from which changes were estimated."""
    ended: Any
    """(P, n, S) the waits at which each of the n core solutions of a point ended."""

    @staticmethod
    def joined(parts: Sequence[LayerWaits]) -> LayerWaits:
        """Several batches joined one after the other."""
        names = LayerWaits.fields()
        return LayerWaits(
            *(
                np.concatenate(values, axis=1 if name in ("numbers", "scale") else 0)
                for name, values in zip(names, zip(*parts, strict=True), strict=True)
            )
        )

    def part(self, chosen: Any) -> LayerWaits:
        """Some of the points."""
        names = self.fields()
        return LayerWaits(
            *(
                value[:, chosen] if name in ("numbers", "scale") else value[chosen]
                for name, value in zip(names, self, strict=True)
            )
        )


def leave_out(shape: Shape, row: int, scale: Any, full: Any, second: Any, lacking: bool) -> None:
    """Scale the others that a stream observes down to those that can hold a server of the holds around it, in place.

    scale    (3, P, S, S), as in `LayerWaits`.
    second   (P, S), positive where there are second phases.
    lacking  whether holds count whose server is removed with the customer.
    """
    taken = shape.tags[int(shape.tag[row])][1]
    around: tuple[tuple[int, Any], ...] = shape.outer[row]
    for outer, others in around:
        if not lacking and shape.centre[outer] in taken:
            continue
        rest = 1.0 - others * full[:, outer, None]
        scale[:2, :, row] *= rest
        # A second phase that has released the outer server delays the next customer that holds it.
        scale[2, :, row] *= np.where(second[:, outer, None] > 0, rest, 1.0)


def image_of(shape: Shape, numbers: Numbers, changes: Any, waits: Any, guess: Any, chains: Chains) -> LayerWaits:
    """All that waits imply, and the waits of the next round; `guess` (P, S, 4) and `chains` are used and updated."""
    budget.spend(_IMAGE + _CELL * changes.size, _WHAT)
    # A round from an extreme guess may overflow; only the residual of the last round matters.
    with np.errstate(all="ignore"):
        return _image_of(shape, numbers, changes, waits, guess, chains)


class _Level(Record):
    """The streams inside a number of holds, with the constants of their waits."""

    rows: Any
    """(s,)"""
    again: Any
    """(s, S) 1 for streams of the same customers at the station, whose earlier visits may still be there."""
    free: Any
    """(s, S) 1 for streams at the station that any number of customers can request."""
    like: Any
    """(s, 1) whether service is shared, so that others delay a stream by its service time instead of theirs."""
    left: Any
    """(P, s, S) the numbers of other customers, of streams with a limited number."""
    servers: Any
    """(P, s)"""
    sources: Any
    """(P, s) the largest number of other customers."""

    def part(self, chosen: Any) -> _Level:
        """The level at some of the points."""
        return self.replace(left=self.left[chosen], servers=self.servers[chosen], sources=self.sources[chosen])


class _Fixed(Record):
    """The constants of all rounds of some points."""

    people: Any
    """(P, C) customers; 1 for open classes."""
    many: Any
    """(P, S) customers of the class of each stream."""
    servers: Any
    """(P, S)"""
    recurring: Any
    """(P, S) visits of the same customers to the same station, above 0."""
    second: bool
    """Whether there are second phases."""
    free: bool
    """Whether any number of customers can make the requests of some stream."""
    levels: tuple[_Level, ...]

    def part(self, chosen: Any) -> _Fixed:
        """The constants of some of the points."""
        return self.replace(
            people=self.people[chosen],
            many=self.many[chosen],
            servers=self.servers[chosen],
            recurring=self.recurring[chosen],
            levels=tuple(level.part(chosen) for level in self.levels),
        )


def fixed_of(shape: Shape, numbers: Numbers) -> _Fixed:
    """The constants of all rounds, made once for the numbers and for later parts of the batch."""
    if numbers.fixed:
        return numbers.fixed[0]
    people = np.where(shape.closed, numbers.population, 1.0)
    many, servers, levels = people[:, shape.class_of], numbers.servers[:, shape.centre], list[_Level]()
    for rows in shape.levels:
        meets, same_class = shape.present[rows], shape.same_class[rows]
        levels.append(
            _Level(
                rows=rows,
                again=same_class * meets,
                free=meets * shape.free,
                like=shape.shared[rows][:, None],
                left=np.maximum(many[:, None] - same_class, 0.0) * (meets * ~shape.free),
                servers=servers[:, rows],
                sources=shape.sources(numbers, rows),
            )
        )
    fixed = _Fixed(
        people=people,
        many=many,
        servers=servers,
        recurring=np.maximum(_same_class(shape, numbers.visits), 1e-300),
        second=bool(numbers.second.any() or numbers.second_waits.any()),
        free=bool(shape.free.any()),
        levels=tuple(levels),
    )
    numbers.fixed.append(fixed)
    return fixed


def _image_of(shape: Shape, numbers: Numbers, changes: Any, waits: Any, guess: Any, chains: Chains) -> LayerWaits:
    """As `image_of`, without care for overflow."""
    fixed, visits = fixed_of(shape, numbers), numbers.visits
    first = numbers.first + _times(numbers.first_waits, waits)
    second = numbers.second + _times(numbers.second_waits, waits) if fixed.second else numbers.second
    holding = first + second
    cycle = numbers.think_time + numbers.response + _times(numbers.response_waits, waits)
    each = np.where(shape.closed, 1.0 / np.where(cycle > 0, cycle, 1.0), numbers.arrival_rate)
    many, per_class = fixed.many, cycle[:, shape.class_of]
    shares = (each[:, shape.class_of] * visits) * np.stack([waits, first, second])
    load = load_of(shape, numbers, many * (shares[1] + shares[2]))
    variance = _of_waits(waits, np.clip(load, 1e-6, 1.0), fixed.servers)
    scv = _scv(shape, numbers, waits, variance, holding)
    result, full = np.zeros(waits.shape), np.zeros(waits.shape)
    scale = np.ones((3, *waits.shape, waits.shape[1]))
    absence = np.maximum((per_class - _same_class(shape, visits * (waits + first))) / fixed.recurring, 0.0)
    for level in fixed.levels:
        rows, count = level.rows, level.servers
        for row in rows:
            leave_out(shape, int(row), scale, full, second, lacking=True)
        near = level.left * np.maximum(scale[:, :, rows] * shares[:, :, None] + changes[:, :, rows], 0.0)
        ahead, in_service = _work(shape, level, holding, scv, absence[:, rows])
        at_once, busy = near[1].sum(-1), near[1]
        any_number: Any = 0.0
        rest: Any = 0.0
        open_load: Any = 0.0
        after: Any = 0.0
        if fixed.free:
            of_free = level.free * (many * (shares[1] + shares[2]))[:, None]
            any_number, rest = of_free, of_free * (holding * (1 + scv) / 2)[:, None]
            open_load = np.minimum(of_free.sum(-1) / count, _JUST_BELOW)
        if fixed.second:
            again = _same_class_second(level.again, visits, second, absence[:, rows], per_class[:, rows], count)
            again = again * scale[2][:, rows]
            taken = np.minimum(again.sum(-1) / count, 1.0)
            others_second = near[2] * (1.0 - taken)[..., None]
            busy, after = near[1] + others_second, others_second + again
            any_number, rest = any_number + again, rest + again * _at_shared(level, holding, second)
        line = (near[0] * ahead).sum(-1)
        rest = (busy * in_service + rest).sum(-1)
        others = np.sum(any_number, axis=-1) + np.zeros(count.shape)
        first_guess = guess[:, rows]
        at_arrival = at_once, busy.sum(-1) - at_once, others
        full[:, rows] = _full(level, at_arrival, first_guess, chains)
        guess[:, rows] = first_guess
        result[:, rows] = (line + full[:, rows] * rest) / count / (1.0 - open_load)
        if fixed.second and not fixed.free and level is fixed.levels[0] and (level.sources < count).any():
            chance = full[:, rows] * (at_once + after.sum(-1)) + near[0].sum(-1)
            result[:, rows] = _behind_second(level, result[:, rows], chance, after, second)
    rate = many * each[:, shape.class_of] * visits
    result = _within_capacities(shape, numbers, result, waits, load, cycle, rate)
    change = np.abs(result - waits) * visits / np.where(per_class > 0, per_class, 1.0)
    residual = np.where(np.isfinite(change), change, np.inf).max(1, initial=0.0)
    return LayerWaits(
        waits=result,
        residual=residual,
        throughput=fixed.people * each,
        numbers=shares,
        scale=scale,
        full=full,
        variance=variance,
        holding=holding,
        scv=scv,
        before=residual,
        ended=waits[:, None],
    )


def _within_capacities(
    shape: Shape, numbers: Numbers, result: Array, waits: Array, load: Array, cycle: Array, rate: Array
) -> Array:
    """The waits, lengthened where a station would be utilized above 1, so that they grow until it is not.

    load    utilization of the station of every stream, with the `waits` before.
    rate    requests per second, by stream.
    """
    noticed: Array = np.einsum("pcs,cs->ps", numbers.response_waits, np.eye(len(shape.closed))[:, shape.class_of])
    noticed = _same_class(shape, noticed)
    noticed = np.where(shape.counted & (noticed > 0), cycle[:, shape.class_of] / np.maximum(noticed, 1e-300), 0.0)
    # Requests from inside holds recur when the held servers are free, which may be long before the customers return.
    rate = _present(shape, rate)
    pool: Array = (numbers.servers @ shape.pools.T)[:, shape.centre]
    noticed = np.where((pool > 0) & (rate > 0), np.minimum(noticed, pool / np.maximum(rate, 1e-300)), noticed)
    longer: Array = np.maximum(result, waits + (load - 1.0) * noticed)
    return np.where((load > 0.5) & (noticed > 0), longer, result)


def _behind_second(level: _Level, waits: Array, chance: Array, after: Any, second: Array) -> Array:
    """The waits, at most those for second phases where the other customers alone never keep all servers.

    Then servers - others second phases, of the same customers or others, last while a customer waits: without them a
    server would be free. They are exponential, so that the first of them ends after their mean over that number. Not
    inside holds: a customer that waits for the held server requests the station when such phases have just begun.

    chance  (P, s) the probability that an arrival finds all servers busy, and the number waiting before it.
    after   (P, s, S) the mean number of second phases that it finds.
    second  (P, S) seconds.
    """
    number: Array = after.sum(-1)
    mean: Array = (after * second[:, None]).sum(-1) / np.where(number > 0, number, 1.0)
    spare: Array = level.servers - level.sources
    most: Array = np.minimum(waits, chance * mean / np.maximum(spare, 1.0))
    result: Array = np.where(spare >= 1.0, most, waits)
    return result


def _times(counts: Any, waits: Any) -> Any:
    return np.einsum("prs,ps->pr", counts, waits)


def _present(shape: Shape, values: Any) -> Any:
    """(P, S) sums over the streams at the same station."""
    return values @ shape.present


def _same_class(shape: Shape, values: Any) -> Any:
    """(P, S) sums over the streams of the same customers at the same station."""
    return values @ (shape.present * shape.same_class)


def _of_waits(waits: Any, load: Any, servers: Any) -> Any:
    """Variances of waits, which are exponential with about the probability that all servers are busy, and else 0."""
    chance = load ** (np.sqrt(2.0 * (servers + 1.0)) - 1.0)
    return waits**2 * np.minimum(2.0 / np.maximum(chance, 1e-6) - 1.0, 4.0)


def _scv(shape: Shape, numbers: Numbers, waits: Array, variance: Array, holding: Array) -> Array:
    """(P, S) squared coefficients of variation of holding times."""
    spread = numbers.variance + _times(numbers.first_waits + numbers.second_waits, variance)
    parts = numbers.part_weight * (numbers.part_mean + _times(numbers.part_waits, waits)) ** 2
    indices: Any = (slice(None), shape.fraction)
    np.add.at(spread, indices, parts)
    square = holding**2
    computed: Array = spread / np.where(square > 0, square, 1.0)
    return np.where(numbers.scv < 0, computed, numbers.scv)


def _same_class_second(same_class: Any, visits: Any, second: Any, absence: Any, cycle: Any, servers: Any) -> Any:
    """(P, s, S) the mean number of earlier visits of the same customer in their second phase, which is exponential: the
    last visit, and more of them at several servers."""
    share = same_class * visits[:, None]
    overall = share.sum(-1, keepdims=True)
    overall = np.where(overall > 0, overall, 1.0)
    last = second[:, None] / np.maximum(absence[..., None] + second[:, None], 1e-300)
    older = second[:, None] / np.maximum(cycle[..., None] / overall + second[:, None], 1e-300)
    older = np.minimum(older, _JUST_BELOW)
    return last * (1.0 - older ** servers[..., None]) / (1.0 - older) * share / overall


def _work(shape: Shape, level: _Level, holding: Array, scv: Array, absence: Array) -> Any:
    """Twice (P, s, S): seconds that a customer adds to a wait when it is queued, and when it is in service."""
    memory = _ABSENCE * holding * np.where(scv > 1, 1.0 + scv, scv) / 2.0
    gone = np.where(shape.counted[level.rows][:, None], absence[..., None], np.inf)
    known = np.where(memory[:, None] > 0, 1.0 / (1.0 + memory[:, None] / np.maximum(gone, 1e-300)), 1.0)
    excess = holding * (scv - 1.0) / 2.0
    return _at_shared(level, holding, holding), _at_shared(level, holding, holding[:, None] + excess[:, None] * known)


def _at_shared(level: _Level, holding: Array, others: Array) -> Any:
    """(P, s, S) the times of others, or at shared servers the times of the streams themselves."""
    others = others if others.ndim > 2 else others[:, None]
    return np.where(level.like, holding[:, level.rows, None], others) if level.like.any() else others


def _full(level: _Level, busy: tuple[Any, Any, Any], guess: Array, chains: Chains) -> Any:
    """(P, s) the probability that an arrival finds all servers busy, over the mean number that it finds busy.

    busy   (P, s) each: servers busy with requests of limited number in their first and second phase, and with others.
    guess  (P, s, 4) the start of the search, updated in place, as `chains` of finite sources are.
    """
    first, second, others = busy
    bound, count, sources = first + second, level.servers, level.sources
    result = np.where(count == 1, 1.0, 0.0)
    if (count == 1).all():
        return result
    waits = (count > 1) & (bound + others > 1e-250) & ((sources >= count) | (others > 0) | (second > 0))
    for several in sorted(set(count[waits].tolist())):
        where = np.nonzero(waits & (count == several))
        opened = np.minimum(others[where], _JUST_BELOW * several)
        few = np.maximum(sources[where], 1e-9)
        share = np.where(bound[where] > 0, first[where] / np.maximum(bound[where], 1e-300), 1.0)
        most: Array = np.minimum(bound[where], (several - opened) * _JUST_BELOW)
        most = np.maximum(np.where(share == 1, np.minimum(most, few * _JUST_BELOW), most), 1e-200)
        budget.spend(_SOURCE * states(few, int(several), most, opened), _WHAT)
        _, chance, logs, _ = full_probabilities(few, int(several), most, share, opened, guess[where].T, chains)
        guess[where] = logs.T
        result[where] = np.minimum(chance / np.maximum(bound + others, 1e-300)[where], 1.0 / several)
    return result


def load_of(shape: Shape, numbers: Numbers, busy: Any) -> Any:
    """(P, S) utilization of the station of each stream, from the busy servers by stream."""
    return _present(shape, busy) / numbers.servers[:, shape.centre]
