"""What every stream of a network of layers waits, by mean values: the fixed point, and the proof of it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from qnet.lazy import Array, Indices
from qnet.networks.closed.approximate_mva import core_solutions
from qnet.networks.fixed_point import BatchMap, BatchMaps, fixed_points, near_points
from qnet.networks.layers.round import LayerWaits, fixed_of, image_of, leave_out, load_of
from qnet.networks.layers.table import Numbers, Shape
from qnet.queues.finite_source import Chains
from qnet.record import Record

_CERTAIN, _REGULAR = 6, 12
"""Rounds without memory that lead from any start to where memory helps, the first ones not damped: half of the way to
where an overload has gone leaves waits inside holds that are far too long, and those of others none."""
PATIENCE, _HASTE = 300, 30
"""Rounds that bring nothing after which a point is given up."""
_NEAR = 1e-3
"""Residuals at which it does."""
_EXACT = 3e-15
"""Residuals with which Newton's steps end: shares of a cycle, which may be a million waits long."""
_ENDED = 1e-10
"""Residuals above which a search begins again."""
_CROWD = 10.0
"""How many times the customers that fill a station at least are beyond which rounds that begin without waits fail."""
_FEWER = (1.0, 1.5, 3.0)
"""How many times them are solved before."""


def solve(
    shape: Shape, numbers: Numbers, rough: bool = False, patience: int | Array = PATIENCE, near: Array | None = None
) -> tuple[Any, LayerWaits]:
    """What every stream waits, (P, S) in seconds, and what that implies; the caller proves the residual.

    rough     whether points that do not converge soon are accepted as they are.
    patience  the rounds without progress after which a point is given up; (P,) where points differ.
    near      `LayerWaits.ended` of points that are nearly the same.
    Applies   nested holds and second phases in closed and open classes; single and several servers.
    Method    Mean value analysis. An arrival at a station finds there the customers of the network with one customer
              of its class less and without the servers it holds itself, estimated as Linearizer does: by the shares
              of the same network so reduced. Inside holds the others are fewer still: of m servers of an outer station
              that are busy in the mean b on arrival, and all with probability C, a holder meets the others
              in the ratio 1 - C / b, that is, all of them where servers are plenty, (m - 1)/m where all are busy, and
              none of one; of c copies of the station, in the ratio 1 - C / (b c). C follows from a finite-source chain
              at the same load, with second phases; it is b of one server. The wait is that for the rest of the service
              in progress, as far as it is observed at a random time, and for all in line. Second-phase work, and open
              classes, are observed on arrival as by Poisson arrivals.
    Exact     for one customer without second phases, and one class at a station of several servers with a delay.
    Fails     where service times of visits first come first served differ much: an arrival finds long ones less often
              than an observer does.
    Source    @rolia1995 for waits inside holding times; @chandy1982 for the queue on arrival; the ratio of others: this
              tool.
    """
    size, streams = numbers.visits.shape
    method = _Method(shape, numbers, rough, patience, near)
    answer = core_solutions(method, np.zeros((3, size, streams, streams)), None)
    return answer.waits, answer.state.replace(before=method.worst, ended=np.concatenate(method.ended, axis=1))


def _start(shape: Shape, numbers: Numbers, waits: Any) -> Any:
    """(P, S) waits with which rounds begin: those given, but where many more customers than fill a station are one
    class.

    There, rounds that begin without waits go far beyond the answer and do not return. The waits of fewer customers are
    found first; all others wait outside of all holds, at the station that is the fullest.
    """
    if shape.closed.tolist() != [True] or not shape.levels:
        return waits
    load = load_of(shape, numbers, numbers.visits * (numbers.first + numbers.second)).max(1)
    filling = (numbers.think_time + numbers.response)[:, 0] / np.maximum(load, 1e-300)
    many = np.flatnonzero((filling > 0) & (numbers.population[:, 0] > _CROWD * filling))
    if not many.size:
        return waits
    here, start = numbers.part(many), np.zeros((len(many), waits.shape[1]))
    none = np.zeros((3, *start.shape, start.shape[1]))
    asked = np.zeros(start.shape)
    asked[:, shape.levels[0]] = here.response_waits[:, 0][:, shape.levels[0]]
    people = [*(share * filling[many] for share in _FEWER), here.population[:, 0]]
    for number, (some, more) in enumerate(pairwise(people)):
        core = _Core(shape, here.replace(population=some[:, None]), none, {})
        start, state = core.solve(start, True, _HASTE, number > 0, _NEAR)
        load = load_of(shape, here, state.throughput * here.visits * state.holding)
        fullest = np.where(asked > 0, load, -1.0).argmax(1)
        counted = asked * (shape.centre == shape.centre[fullest][:, None])
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
        """Those of some points."""
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
        """The networks with a customer less, those of one class after the other."""

    def core(self, changes: Any, start: _Solved | None) -> _Solved:
        """The core solutions at given changes."""
        known = self.known(1)
        near = start is not None or known is not None
        if known is not None:
            waits = known[:, 0]
        else:
            waits = start.waits if start else _start(self.shape, self.numbers, np.zeros(self.numbers.visits.shape))
        self.last = _Core(self.shape, self.numbers, changes, self.chains, self.last)
        waits, state = self.last.solve(waits, self.rough, self.patience, near)
        self.worst = np.maximum(self.worst, state.residual)
        self.ended.append(waits[:, None])
        return _Solved(waits, state, changes)

    def known(self, count: int) -> Array | None:
        """(P, n, S) where the next core solutions begin, if that is known."""
        done = sum(item.shape[1] for item in self.ended)
        return None if self.near is None else self.near[:, done : done + count]

    def estimate(self, answer: _Solved, turn: int) -> Any:
        """The changes, from core solutions with one customer less of each class."""
        count = len(self.shape.tags)
        known = self.ended[-2] if turn > 1 and self.near is None and _single(self.shape) else self.known(count)
        begin = np.tile(answer.waits, (count, 1)) if known is None else np.concatenate(np.moveaxis(known, 1, 0))
        waits, state = self.with_less(np.tile(answer.changes, (1, count, 1, 1)), begin)
        self.worst = np.maximum(self.worst, state.residual.reshape(count, -1).max(0))
        self.ended.append(np.moveaxis(waits.reshape(count, *answer.waits.shape), 0, 1))
        return _changes(self.shape, answer, state)

    def with_less(self, changes: Any, begin: Any) -> tuple[Any, LayerWaits]:
        """(n P, S) the waits in the networks with a customer less, and what they imply; `begin` is where they may be
        near."""
        count = len(self.shape.tags)
        if self.less is None:
            fewer = [self.numbers.without(tag) for tag in self.shape.tags]
            numbers = Numbers(*(np.concatenate(parts) for parts in zip(*fewer, strict=True)))
        else:
            numbers = self.less.numbers
        self.less = _Core(self.shape, numbers, changes, self.chains, self.less)
        patience = np.tile(self.patience, count)
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

    chains   of finite sources, kept up to date.
    before   the same batch at nearly the same changes.
    """

    def __init__(
        self, shape: Shape, numbers: Numbers, changes: Any, chains: Chains, before: _Core | None = None
    ) -> None:
        self.shape, self.numbers, self.changes, self.chains = shape, numbers, changes, chains
        fixed_of(shape, numbers)
        size, streams = numbers.visits.shape
        known = before if _single(shape) else None
        self.logs = known.logs if known else np.full((size, streams, 4), np.nan)
        """Where searches in finite sources begin."""
        self.slopes = known.slopes if known else np.full((size, streams, streams), np.nan)
        """Of the waits, as of `fixed_points`."""

    def solve(
        self, start: Any, rough: bool, patience: int | Array, near: bool, enough: float = _EXACT
    ) -> tuple[Any, LayerWaits]:
        """(P, S) waits, and what they imply.

        near    whether the answers may be near the start.
        enough  the residual that is small enough.
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

        def maps(indices: Indices) -> BatchMap:
            here = chosen[indices]
            numbers, changes = self.numbers.part(here), self.changes[:, here]

            def image(waits: Any) -> tuple[Any, Any]:
                guess = self.logs[here]
                result = image_of(self.shape, numbers, changes, waits[..., 0], guess, self.chains)
                self.logs[here] = guess
                return result.waits[..., None], result.residual

            return image

        return maps

    def step(self, waits: Any, live: Indices, enough: float) -> Indices:
        """Take some points to where they end, in place; those that do not remain where they are, and are returned.

        So do all points of several classes, which may wait in many ways for stations where all are held: it is the
        rounds that choose among them.
        """
        if not live.size or not _single(self.shape):
            return live
        slopes = self.slopes[live]
        after, converged = near_points(self.maps(live), waits[live][..., None], slopes, enough)
        waits[live[converged]], self.slopes[live] = after[converged, :, 0], slopes
        return live[~converged]

    def rounds(self, waits: Any, live: Indices, numbers: range) -> None:
        """Rounds without memory of some points, in place, until they are near."""
        if not live.size:
            return
        here, kept = self.numbers.part(live), self.changes[:, live]
        for number in numbers:
            guess = self.logs[live]
            after = image_of(self.shape, here, kept, waits[live], guess, self.chains)
            self.logs[live] = guess
            # Where others of the batch need more rounds, a point goes on as it would alone.
            going = after.residual > _NEAR
            if not going.any():
                return
            if not going.all():
                live = live[going]
                here, kept = self.numbers.part(live), self.changes[:, live]
            following: Array = after.waits[going]
            waits[live] = (waits[live] + following) / 2 if number >= _CERTAIN else following


def _single(shape: Shape) -> bool:
    """Whether there is one class, with one fixed point."""
    return len(shape.closed) == 1


def _changes(shape: Shape, answer: _Solved, fewer: LayerWaits) -> Any:
    """(3, P, S, S) what is to be added to the shares of others, for what a stream finds of them.

    fewer   the networks with a customer less.
    """
    waits, state, _ = answer
    less = np.moveaxis(fewer.numbers.reshape(3, len(shape.tags), *waits.shape)[:, shape.tag], 1, 2)
    present = (state.scale > 0) & shape.closed[shape.kind]
    # The network without a customer lacks the servers it holds, but not one of several copies.
    kept = np.ones(state.scale.shape)
    for rows in shape.levels:
        for row in rows:
            leave_out(shape, int(row), kept, state.full, state.numbers[2], lacking=False)
    return np.where(present, kept * less - state.scale * state.numbers[:, :, None], 0.0)
