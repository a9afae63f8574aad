"""The waits of all streams of a network of layers, by mean value analysis: the fixed point and its residual."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from qnet.lazy import Array, Flags, Indices
from qnet.networks.closed.approximate_mva import core_solutions
from qnet.networks.fixed_point import BatchMap, BatchMaps, fixed_points, near_points
from qnet.networks.layers.round import LayerWaits, fixed_of, image_of, leave_out, load_of
from qnet.networks.layers.table import Numbers, Shape
from qnet.queues.finite_source import Chains
from qnet.record import Record

_CERTAIN, _REGULAR = 6, 12
"""Rounds without memory before those with memory, the first ones undamped: damping after an overload leaves waits
inside holds far too long, and other waits 0."""
PATIENCE, _HASTE = 300, 30
"""Rounds without progress after which a point is given up: usually, and for rough answers."""
_NEAR = 1e-3
"""The residual at which rounds without memory end."""
_EXACT = 3e-15
"""The residual at which Newton's steps end: shares of a cycle, which may be a million waits long."""
LOST = 1e-3
"""The residual of a core solution above which changes estimated from it mean nothing."""
CAPPED = 1e-7
"""The distance of an open load with waits from 1 that shows the cap of loads in `round`, not a queue."""
_ENDED = 1e-10
"""The residual above which a search begins again."""
_CROWD = 10.0
"""The multiple of the customers that saturate a station above which rounds that begin without waits fail."""
_FEWER = (1.0, 1.5, 3.0)
"""The multiples of them that are solved first."""


def solve(
    shape: Shape, numbers: Numbers, rough: bool = False, patience: int | Array = PATIENCE, near: Array | None = None
) -> tuple[Any, LayerWaits]:
    """The waits of all streams, (P, S) in seconds, and all that they imply; the caller checks the residual.

    rough     whether points that do not converge soon are accepted unconverged.
    patience  the rounds without progress after which a point is given up; (P,) where points differ.
    near      `LayerWaits.ended` of nearby points; None: unknown.
    Applies   nested holds and second phases in closed and open classes; single and several servers.
    Method    Mean value analysis. An arrival at a station observes the network with one customer of its class less and
              without the servers that it holds itself, estimated as in Linearizer, by the shares of the reduced
              network. Inside holds the others are fewer still: of m servers of an outer station
              that are busy in the mean b on arrival, and all with probability C, a holder observes the others
              in the ratio 1 - C / b, that is, all of them where servers are plenty, (m - 1)/m where all are busy, and
              none with one server; with c copies of the station, in the ratio 1 - C / (b c). C follows from a
              finite-source chain at the same load, with second phases; it is b for one server. The wait is that for the
              rest of the service in progress, as far as it is observed at a random time, and for all in the queue.
              Second-phase work, and open classes, are observed on arrival as by Poisson arrivals.
    Exact     for one customer without second phases, and one class at a station of several servers with a delay.
    Fails     where service times of first-come-first-served visits differ much: arrivals observe long ones less often
              than an outside observer does.
    Source    @rolia1995 for waits inside holding times; @chandy1982 for the queue on arrival; the ratio of others: this
              tool.
    """
    size, streams = numbers.visits.shape
    method = _Method(shape, numbers, rough, patience, near)
    answer = core_solutions(method, np.zeros((3, size, streams, streams)), None)
    return answer.waits, answer.state.replace(before=method.worst, ended=np.concatenate(method.ended, axis=1))


def _start(shape: Shape, numbers: Numbers, waits: Any) -> Any:
    """(P, S) waits with which rounds begin: `waits`, except for a single class with far more customers than saturate a
    station.

    There, rounds that begin without waits diverge. The waits of fewer customers are solved first; all others wait
    outside of all holds, at the station of the largest load.
    """
    if shape.closed.tolist() != [True] or not shape.levels:
        return waits
    load = load_of(shape, numbers, numbers.visits * (numbers.first + numbers.second)).max(1)
    filling = (numbers.think_time + numbers.response)[:, 0] / np.maximum(load, 1e-300)
    many = np.flatnonzero((filling > 0) & (numbers.population[:, 0] > _CROWD * filling))
    if not many.size:
        return waits
    part, start = numbers.part(many), np.zeros((len(many), waits.shape[1]))
    none = np.zeros((3, *start.shape, start.shape[1]))
    requests = np.zeros(start.shape)
    requests[:, shape.levels[0]] = part.response_waits[:, 0][:, shape.levels[0]]
    people = [*(share * filling[many] for share in _FEWER), part.population[:, 0]]
    for number, (some, more) in enumerate(pairwise(people)):
        core = _Core(shape, part.replace(population=some[:, None]), none, {})
        start, state = core.solve(start, True, _HASTE, number > 0, _NEAR)
        load = load_of(shape, part, state.throughput * part.visits * state.holding)
        fullest = np.where(requests > 0, load, -1.0).argmax(1)
        counted = requests * (shape.centre == shape.centre[fullest][:, None])
        rate = state.throughput[:, 0] * counted.sum(1)
        start = start + (counted > 0) * ((more - some) / np.maximum(rate, 1e-300))[:, None]
    result = waits.copy()
    result[many] = start
    return result


class _Solved(Record):
    """Core solutions, and the changes at which they were solved."""

    waits: Any
    """(P, S)"""
    state: LayerWaits
    changes: Any
    """(3, P, S, S)"""

    def part(self, chosen: Any) -> _Solved:
        """The core solutions of some points."""
        return _Solved(self.waits[chosen], self.state.part(chosen), self.changes[:, chosen])


class _Method:
    """Layers, as a method of the driver of approximate mean value analysis."""

    def __init__(self, shape: Shape, numbers: Numbers, rough: bool, patience: int | Array, near: Array | None) -> None:
        self.shape, self.numbers, self.rough = shape, numbers, rough
        self.near, self.ended = near, list[Array]()
        self.chains: Chains = {}
        self.patience = np.broadcast_to(_HASTE if rough else patience, (len(numbers.population),))
        self.worst = np.zeros(len(numbers.population))
        self.last: _Core | None = None
        self.less: _Core | None = None
        """The networks with one customer less, by tag one after the other."""

    def core(self, changes: Any, start: _Solved | None) -> _Solved:
        """The core solutions at given changes."""
        known = self.known(1)
        near = start is not None or known is not None
        if known is not None:
            waits = known[:, 0]
        else:
            waits = start.waits if start else _start(self.shape, self.numbers, np.zeros(self.numbers.visits.shape))
        self.last = _Core(self.shape, self.numbers, changes, self.chains, self.last)
        waits, state = self.last.solve(waits, self.rough, self.patient(), near)
        self.worst = np.maximum(self.worst, state.residual)
        self.ended.append(waits[:, None])
        return _Solved(waits, state, changes)

    def patient(self) -> Array:
        """(P,) the rounds without progress after which a point is given up: at once where open classes left no fixed
        point of a network with one customer less, as nothing that follows is trusted."""
        lost = (self.worst > LOST) & (not self.shape.closed.all())
        patience: Array = np.where(lost, 1, self.patience)
        return patience

    def known(self, count: int) -> Array | None:
        """(P, n, S) where the next core solutions begin; None where that is unknown."""
        done = sum(item.shape[1] for item in self.ended)
        return None if self.near is None else self.near[:, done : done + count]

    def estimate(self, answer: _Solved, turn: int) -> Any:
        """The changes, from core solutions with one customer less of each class."""
        count = len(self.shape.tags)
        known = self.ended[-2] if turn > 1 and self.near is None and _single(self.shape) else self.known(count)
        begin = np.tile(answer.waits, (count, 1)) if known is None else np.concatenate(np.moveaxis(known, 1, 0))
        waits, state = self.with_less(np.tile(answer.changes, (1, count, 1, 1)), begin)
        residual = state.residual.reshape(count, -1)
        if self.less and not self.shape.closed.all():
            lacking = np.array([bool(held) for _, held in self.shape.tags])[:, None]
            capped = _capped(self.shape, self.less.numbers, state).reshape(count, -1)
            residual = np.where(lacking & capped, np.inf, residual)
        self.worst = np.maximum(self.worst, residual.max(0))
        self.ended.append(np.moveaxis(waits.reshape(count, *answer.waits.shape), 0, 1))
        return _changes(self.shape, answer, state)

    def with_less(self, changes: Any, begin: Any) -> tuple[Any, LayerWaits]:
        """(n P, S) the waits in the networks with one customer less, and all that they imply; `begin` may be near
        them."""
        count = len(self.shape.tags)
        if self.less is None:
            fewer = [self.numbers.without(tag) for tag in self.shape.tags]
            numbers = Numbers(*(np.concatenate(parts) for parts in zip(*fewer, strict=True)))
        else:
            numbers = self.less.numbers
        self.less = _Core(self.shape, numbers, changes, self.chains, self.less)
        patience = np.tile(self.patient(), count)
        waits, state = self.less.solve(begin, self.rough, patience, True)
        failed: Any = state.residual > _ENDED
        if failed.any():
            again: Any = waits.copy()
            again[failed] = _start(self.shape, numbers, waits)[failed]
            if (again != waits).any():
                return self.less.solve(again, self.rough, patience, False)
        return waits, state


class _Core:
    """The fixed points of a batch at given changes.

    chains   chains of finite sources that are known, updated in place.
    before   the same batch at nearby changes.
    """

    def __init__(
        self, shape: Shape, numbers: Numbers, changes: Any, chains: Chains, before: _Core | None = None
    ) -> None:
        self.shape, self.numbers, self.changes, self.chains = shape, numbers, changes, chains
        fixed_of(shape, numbers)
        size, streams = numbers.visits.shape
        known = before if _single(shape) else None
        self.logs = known.logs if known else np.full((size, streams, 4), np.nan)
        """The start of the searches in finite sources."""
        self.slopes = known.slopes if known else np.full((size, streams, streams), np.nan)
        """Inverse slopes of the waits, as for `fixed_points`."""

    def solve(
        self, start: Any, rough: bool, patience: int | Array, near: bool, enough: float = _EXACT
    ) -> tuple[Any, LayerWaits]:
        """(P, S) waits, and all that they imply.

        near    whether the solution may be near the start.
        enough  the residual at which Newton's steps end.
        Method  Newton's, at once where the start may be near, and again after some rounds; where that fails, all rounds
                and `fixed_points`.
        """
        waits = np.array(start, dtype=float)
        far: Indices = np.arange(len(waits))
        if near:
            far = self.step(waits, far, enough)
        self.rounds(waits, far, range(_CERTAIN))
        far = self.step(waits, far, enough)
        self.rounds(waits, far, range(_CERTAIN, _REGULAR))
        if far.size:
            patience = np.broadcast_to(patience, len(waits))[far]
            waits[far] = fixed_points(self.maps(far), waits[far][..., None], patience, rough)[..., 0]
        return waits, image_of(self.shape, self.numbers, self.changes, waits, self.logs, self.chains)

    def maps(self, chosen: Indices) -> BatchMaps:
        """The rounds of some points."""
        opened = not self.shape.closed.all()

        def maps(indices: Indices) -> BatchMap:
            points = chosen[indices]
            numbers, changes = self.numbers.part(points), self.changes[:, points]

            def image(waits: Any) -> tuple[Any, Any]:
                guess = self.logs[points]
                result = image_of(self.shape, numbers, changes, waits[..., 0], guess, self.chains)
                self.logs[points] = guess
                residual = result.residual
                if opened:
                    # At the cap of open loads no further digits are wanted.
                    residual = np.where((residual <= _ENDED) & _capped(self.shape, numbers, result), 0.0, residual)
                return result.waits[..., None], residual

            return image

        return maps

    def step(self, waits: Any, live: Indices, enough: float) -> Indices:
        """Newton's steps of some points, in place; returns the points that do not converge, which are left unchanged.

        So are all points with several classes, which may have several fixed points: rounds choose among them.
        """
        if not live.size or not _single(self.shape):
            return live
        slopes = self.slopes[live]
        after, converged = near_points(self.maps(live), waits[live][..., None], slopes, enough)
        waits[live[converged]], self.slopes[live] = after[converged, :, 0], slopes
        return live[~converged]

    def rounds(self, waits: Any, live: Indices, numbers: range) -> None:
        """Rounds without memory of some points, in place, until their residuals are small."""
        if not live.size:
            return
        part, kept = self.numbers.part(live), self.changes[:, live]
        for number in numbers:
            guess = self.logs[live]
            after = image_of(self.shape, part, kept, waits[live], guess, self.chains)
            self.logs[live] = guess
            # A point stops as it would alone, even if others of the batch need more rounds.
            going = after.residual > _NEAR
            if not going.any():
                return
            if not going.all():
                live = live[going]
                part, kept = self.numbers.part(live), self.changes[:, live]
            following: Array = after.waits[going]
            waits[live] = (waits[live] + following) / 2 if number >= _CERTAIN else following


def _capped(shape: Shape, numbers: Numbers, state: LayerWaits) -> Flags:
    """(P,) whether waits inside holds let open classes saturate a station: the cap of loads then ended the search."""
    rate = np.where(shape.closed, 0.0, numbers.arrival_rate)[:, shape.class_of] * numbers.visits
    waits = (numbers.first_waits + numbers.second_waits).any(2) & shape.free
    load = load_of(shape, numbers, rate * state.holding)
    capped: Flags = (waits & (load > 1.0 - CAPPED)).any(1)
    return capped


def _single(shape: Shape) -> bool:
    """Whether there is one class, with one fixed point."""
    return len(shape.closed) == 1


def _changes(shape: Shape, answer: _Solved, fewer: LayerWaits) -> Any:
    """(3, P, S, S) the corrections of the shares of others as an arriving stream observes them.

    fewer   the networks with one customer less.
    """
    waits, state, _ = answer
    less = np.moveaxis(fewer.numbers.reshape(3, len(shape.tags), *waits.shape)[:, shape.tag], 1, 2)
    present = (state.scale > 0) & shape.closed[shape.class_of]
    # The network without a customer lacks the servers that it holds, unless they are of one of several copies.
    kept = np.ones(state.scale.shape)
    for rows in shape.levels:
        for row in rows:
            leave_out(shape, int(row), kept, state.full, state.numbers[2], lacking=False)
    return np.where(present, kept * less - state.scale * state.numbers[:, :, None], 0.0)
