"""One round over the waits of layers: what every stream waits, given what all wait."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qnet import budget
from qnet.lazy import Array
from qnet.networks.layers.table import Numbers, Shape
from qnet.queues.finite_source import Chains, full_probabilities
from qnet.record import Record

_ABSENCE = 3.0
"""How many time constants of a service an absence must last until the service is observed at random, as measured."""
_JUST_BELOW = 1 - 1e-9
"""A load with which queues are finite; any number just below 1 works, as such loads are refused."""
_IMAGE, _CELL, _SOURCE = 50 * budget.CALL, budget.STEP, 2 * budget.STEP
"""Operations of a round, of each pair of streams of a point in it, and of each number present of a finite source."""
_WHAT = "the waits of layers"


class LayerWaits(Record):
    """All that waits imply. Queues and busy servers are per customer of a closed class, but totals for open ones."""

    waits: Any
    """(P, S) the image: seconds per visit."""
    residual: Any
    """(P,)"""
    throughput: Any
    """(P, C) passages per second."""
    numbers: Any
    """(3, P, S): waiting, in the first and in the second phase of service, per copy."""
    scale: Any
    """(3, P, S, S) how much of the others' number remains to be met, since they share a limited number of outer servers
    of which the requesting customer holds one."""
    full: Any
    """(P, S) the probability that an arrival finds all servers busy, over the mean number of busy servers found."""
    variance: Any
    """(P, S) of the waits."""
    holding: Any
    """(P, S) seconds per visit."""
    scv: Any
    """(P, S) of the holding times."""
    before: Any
    """(P,) the largest residual of all core solutions on the way, of which the changes are estimated."""
    ended: Any
    """(P, n, S) the waits at which each of the n core solutions of a point ended."""

    @staticmethod
    def joined(parts: Sequence[LayerWaits]) -> LayerWaits:
        """Those of several batches, one after the other."""
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
    """Scale the number of others that a stream meets down to those that can hold a server of the holds around it.

    scale    (3, P, S, S)
    second   (P, S), positive where there are second phases.
    lacking  whether holds count whose server is taken from the network without the customer.
    """
    taken = shape.tags[int(shape.tag[row])][1]
    around: tuple[tuple[int, Any], ...] = shape.outer[row]
    for outer, others in around:
        if not lacking and shape.centre[outer] in taken:
            continue
        rest = 1.0 - others * full[:, outer, None]
        scale[:2, :, row] *= rest
        # A second phase that has given the outer server back delays the next customer that holds it.
        scale[2, :, row] *= np.where(second[:, outer, None] > 0, rest, 1.0)


def image_of(shape: Shape, numbers: Numbers, changes: Any, waits: Any, guess: Any, chains: Chains) -> LayerWaits:
    """What the waits imply, and the waits after one more round; `guess` (P, S, 4) and `chains` are used and kept up to
    date."""

    budget.spend(_IMAGE + _CELL * changes.size, _WHAT)
    # What a round makes of an extreme guess is no answer: the residual of the last one decides.
    with np.errstate(all="ignore"):
        return _image_of(shape, numbers, changes, waits, guess, chains)


class _Level(Record):
    """The streams inside a number of holds, and what no round changes of what they meet."""

    rows: Any
    """(s,)"""
    again: Any
    """(s, S) the earlier visits of the same customers that they may meet."""
    free: Any
    """(s, S) the streams of any number that they meet."""
    like: Any
    """(s, 1) whether others there delay them by the service of the stream itself."""
    left: Any
    """(P, s, S) the others of limited number."""
    servers: Any
    """(P, s)"""
    sources: Any
    """(P, s) how many other customers can be met."""

    def part(self, chosen: Any) -> _Level:
        """That of some of the points."""
        return self.replace(left=self.left[chosen], servers=self.servers[chosen], sources=self.sources[chosen])


class _Fixed(Record):
    """What no round changes, of some points."""

    people: Any
    """(P, C) customers; 1 of open classes."""
    many: Any
    """(P, S) those of the class of each stream."""
    servers: Any
    """(P, S)"""
    recurring: Any
    """(P, S) visits of the same customers to the same station, above 0."""
    second: bool
    """Whether there is work after responses."""
    free: bool
    """Whether any streams are of any number."""
    levels: tuple[_Level, ...]

    def part(self, chosen: Any) -> _Fixed:
        """That of some of the points."""
        return self.replace(
            people=self.people[chosen],
            many=self.many[chosen],
            servers=self.servers[chosen],
            recurring=self.recurring[chosen],
            levels=tuple(level.part(chosen) for level in self.levels),
        )


def fixed_of(shape: Shape, numbers: Numbers) -> _Fixed:
    """What no round changes, made once for the numbers, and for those of parts of the batch that are made later."""
    if numbers.fixed:
        return numbers.fixed[0]
    people = np.where(shape.closed, numbers.population, 1.0)
    many, servers, levels = people[:, shape.kind], numbers.servers[:, shape.centre], list[_Level]()
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
    """As `image_of`, whatever becomes of the numbers."""
    fixed, visits = fixed_of(shape, numbers), numbers.visits
    first = numbers.first + _times(numbers.first_waits, waits)
    second = numbers.second + _times(numbers.second_waits, waits) if fixed.second else numbers.second
    holding = first + second
    cycle = numbers.think_time + numbers.response + _times(numbers.response_waits, waits)
    each = np.where(shape.closed, 1.0 / np.where(cycle > 0, cycle, 1.0), numbers.arrival_rate)
    many, per_class = fixed.many, cycle[:, shape.kind]
    shares = (each[:, shape.kind] * visits) * np.stack([waits, first, second])
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
        if fixed.free:
            of_free = level.free * (many * (shares[1] + shares[2]))[:, None]
            any_number, rest = of_free, of_free * (holding * (1 + scv) / 2)[:, None]
            open_load = np.minimum(of_free.sum(-1) / count, _JUST_BELOW)
        if fixed.second:
            again = _same_class_second(level.again, visits, second, absence[:, rows], per_class[:, rows], count)
            again = again * scale[2][:, rows]
            taken = np.minimum(again.sum(-1) / count, 1.0)
            busy = near[1] + near[2] * (1.0 - taken)[..., None]
            any_number, rest = any_number + again, rest + again * _at_shared(level, holding, second)
        line = (near[0] * ahead).sum(-1)
        rest = (busy * in_service + rest).sum(-1)
        others = np.sum(any_number, axis=-1) + np.zeros(count.shape)
        first_guess = guess[:, rows]
        at_arrival = at_once, busy.sum(-1) - at_once, others
        full[:, rows] = _full(level, at_arrival, first_guess, chains)
        guess[:, rows] = first_guess
        result[:, rows] = (line + full[:, rows] * rest) / count / (1.0 - open_load)
    rate = many * each[:, shape.kind] * visits
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
    """The waits, longer where a station would do more than it can: they grow until it does not.

    load    of every stream's station, per server, with the `waits` before.
    rate    requests per second, by stream.
    """
    noticed: Array = np.einsum("pcs,cs->ps", numbers.response_waits, np.eye(len(shape.closed))[:, shape.kind])
    noticed = _same_class(shape, noticed)
    noticed = np.where(shape.counted & (noticed > 0), cycle[:, shape.kind] / np.maximum(noticed, 1e-300), 0.0)
    # Requests from inside holds recur when the servers held are free, which may be long before the customers return.
    rate = _present(shape, rate)
    pool: Array = (numbers.servers @ shape.pools.T)[:, shape.centre]
    noticed = np.where((pool > 0) & (rate > 0), np.minimum(noticed, pool / np.maximum(rate, 1e-300)), noticed)
    longer: Array = np.maximum(result, waits + (load - 1.0) * noticed)
    return np.where((load > 0.5) & (noticed > 0), longer, result)


def _times(counts: Any, waits: Any) -> Any:
    return np.einsum("prs,ps->pr", counts, waits)


def _present(shape: Shape, values: Any) -> Any:
    """(P, S) sums over the streams at the same station."""
    return values @ shape.present


def _same_class(shape: Shape, values: Any) -> Any:
    """(P, S) sums over the streams of the same customers at the same station."""
    return values @ (shape.present * shape.same_class)


def _of_waits(waits: Any, load: Any, servers: Any) -> Any:
    """Variances of waits, which are 0 but for a share of about that of all servers busy, and else exponential."""
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
    """(P, s, S) earlier visits of the same customer that are in their second phase, exponential: the last, and more at
    several servers."""
    share = same_class * visits[:, None]
    overall = share.sum(-1, keepdims=True)
    overall = np.where(overall > 0, overall, 1.0)
    last = second[:, None] / np.maximum(absence[..., None] + second[:, None], 1e-300)
    older = second[:, None] / np.maximum(cycle[..., None] / overall + second[:, None], 1e-300)
    older = np.minimum(older, _JUST_BELOW)
    return last * (1.0 - older ** servers[..., None]) / (1.0 - older) * share / overall


def _work(shape: Shape, level: _Level, holding: Array, scv: Array, absence: Array) -> Any:
    """Two of (P, s, S): seconds that one adds to a wait in line, and in service."""
    memory = _ABSENCE * holding * np.where(scv > 1, 1.0 + scv, scv) / 2.0
    gone = np.where(shape.counted[level.rows][:, None], absence[..., None], np.inf)
    known = np.where(memory[:, None] > 0, 1.0 / (1.0 + memory[:, None] / np.maximum(gone, 1e-300)), 1.0)
    excess = holding * (scv - 1.0) / 2.0
    return _at_shared(level, holding, holding), _at_shared(level, holding, holding[:, None] + excess[:, None] * known)


def _at_shared(level: _Level, holding: Array, others: Array) -> Any:
    """(P, s, S) the times of others, or where servers are shared those of the streams themselves."""
    others = others if others.ndim > 2 else others[:, None]
    return np.where(level.like, holding[:, level.rows, None], others) if level.like.any() else others


def _full(level: _Level, busy: tuple[Any, Any, Any], guess: Array, chains: Chains) -> Any:
    """(P, s) the probability that an arrival finds all servers busy, over the mean number of busy servers found.

    busy   (P, s) each: servers busy with requests of limited number in their first and second phase, and with others.
    guess  (P, s, 4) where the search begins; it is kept up to date, as `chains` of finite sources are.
    """
    first, second, others = busy
    bound, count, sources = first + second, level.servers, level.sources
    result = np.where(count == 1, 1.0, 0.0)
    if (count == 1).all():
        return result
    waits = (count > 1) & (bound + others > 1e-250) & ((sources >= count) | (others > 0) | (second > 0))
    for several in sorted(set(count[waits].tolist())):
        here = np.nonzero(waits & (count == several))
        opened = np.minimum(others[here], _JUST_BELOW * several)
        few = np.maximum(sources[here], 1e-9)
        share = np.where(bound[here] > 0, first[here] / np.maximum(bound[here], 1e-300), 1.0)
        most: Array = np.minimum(bound[here], (several - opened) * _JUST_BELOW)
        most = np.maximum(np.where(share == 1, np.minimum(most, few * _JUST_BELOW), most), 1e-200)
        budget.spend(_SOURCE * few.size * (few.max() + several), _WHAT)
        _, chance, logs, _ = full_probabilities(few, int(several), most, share, opened, guess[here].T, chains)
        guess[here] = logs.T
        result[here] = np.minimum(chance / np.maximum(bound + others, 1e-300)[here], 1.0 / several)
    return result


def load_of(shape: Shape, numbers: Numbers, busy: Any) -> Any:
    """(P, S) of busy servers, the share at the station of each stream."""
    return _present(shape, busy) / numbers.servers[:, shape.centre]
