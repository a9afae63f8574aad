"""Percentiles through subnetworks with a limited number of customers: some passages wait for admission, others do not.

A passage that waits for admission enters a full subnetwork, where waits are the longest: its times are not independent
of that wait. The passages of a route are therefore mixed of those that waited and those that did not, and the waits in
each are taken as independent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from qnet.errors import NotComputed, Problem
from qnet.expression import Value
from qnet.lazy import Array
from qnet.networks.aggregation import table
from qnet.networks.duration import Wait
from qnet.networks.percentiles.holds_of_one import without_holds
from qnet.networks.percentiles.wait_variances import with_variances
from qnet.networks.routed import at_points, mapped
from qnet.networks.solution import Passages
from qnet.networks.streams import RouteTime
from qnet.networks.wanted import Wanted
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks.memory.averages import Inside

_MOST = 4
"""The most limited subnetworks of a route whose passages are divided: into 16 ways."""
_DIGITS = 12
"""Digits up to which the numbers of two points are compared, relative to the largest of all points."""


class _Divided(Record):
    """The waits in a limited subnetwork of passages that waited for admission, and of those that did not."""

    held: Any
    """(points,) the probability to wait for admission."""
    admission: Any
    """(points,) the mean wait for admission of those that wait."""
    scv: Any
    """(points,) its squared coefficient of variation."""
    full: Sequence[tuple[Array, Array]]
    """By stream inside, (points,) mean and variance of the wait of those that waited for admission."""
    free: Sequence[tuple[Array, Array]]
    """The same of those that did not."""

    def mixed(self, number: int) -> tuple[Array, Array]:
        """(points,) mean and variance of the wait of a stream inside, -1 for that for admission, over all passages."""
        if number < 0:
            mean = self.held * self.admission
            return mean, (1 + self.scv) * self.held * self.admission**2 - mean**2
        (one, spread), (other, apart) = self.full[number], self.free[number]
        mean = self.held * one + (1 - self.held) * other
        square = self.held * (spread + one**2) + (1 - self.held) * (apart + other**2)
        return mean, np.maximum(square - mean**2, 0.0)

    def of(self, number: int, waited: bool) -> tuple[Array, Array]:
        """As `mixed`, of those that waited for admission, or of those that did not."""
        if number < 0:
            return (self.admission, self.scv * self.admission**2) if waited else (0.0 * self.held, 0.0 * self.held)
        return self.full[number] if waited else self.free[number]


class Admitted:
    """The waits of the passages of an open network with limited subnetworks.

    passages  with the means of all waits.
    outside   by stream: the waits with their variances, where the stream is in no limited subnetwork.
    Method    An arrival finds n customers with the probability that n are there (Poisson arrivals: Wolff, Oper. Res. 30
              (1982) 223-231), enters as the (n + 1)st, and waits inside as in the closed network of n + 1 customers. At
              the limit customers leave at a constant rate on average, so that the wait for admission, if any, is nearly
              an exponential time, as at several servers (Kleinrock, Queueing Systems I, 1975, section 3.5). Its scv is
              that of M/G/1, load + (1 - load) r: a geometric number of residual service times, each of an scv r
              (@feller1971, section XIV.2), here that of the residual of a gamma time.
    Raises    `NotComputed` QN516 where the waits inside have no variances, and where others visit the stations inside.
    """

    def __init__(self, passages: Passages, outside: Sequence[Wait]) -> None:
        self.passages = passages
        self.points = passages.network.size or 1
        self.parts = [self.divided(inside) for inside in passages.limited]
        self.waits = [
            wait if part is None else self.wait(*self.parts[part[0]].mixed(part[1]))
            for part, wait in zip(passages.part_of, outside, strict=True)
        ]
        """By stream, over all passages."""

    def wait(self, mean: Array, variance: Array) -> Wait:
        """A wait in the shape of the network's values."""
        if self.passages.network.size is None:
            return Wait(float(mean[0]), float(variance[0]))
        return Wait(mean, variance)

    def divided(self, inside: Inside) -> _Divided:
        """The waits in a limited subnetwork."""
        inner = inside.part.figures.solution.passages
        simpler = without_holds(inner) if inner is not None and inner.wanted is None else None
        inner, numbers = simpler or (inner, ())
        if inner is None or inner.wanted is None or inside.part.sides()[1]:
            # Where others visit the stations inside, waits for admission come in bursts: 99th percentiles by this
            # method were 16 % too short as a median, and 33 % at worst.
            problem = "percentiles need the variances of waits, and those in a subnetwork with a limit are not known"
            raise NotComputed(Problem("QN516", problem, "means, such as response"))
        waits = _waits_inside(inner, inner.wanted, self.points)
        if numbers:
            # The wait for a hold is part of that for the visit in it.
            none = Wait(0.0 * waits[0].mean, 0.0 * waits[0].mean)
            waits = [none if number < 0 else waits[number] for number in numbers]
        levels = (inner.network.size or 1) // self.points
        limit: int = inside.shares.shape[1] - 1
        columns: Any = np.minimum(np.arange(limit), levels - 1)
        below: Any = inside.shares[:, :-1]
        some: Any = below.sum(axis=1, keepdims=True)
        at_entry: Any = np.where(some > 0, below / np.where(some > 0, some, 1.0), np.eye(1, limit))
        full: list[tuple[Array, Array]] = []
        free: list[tuple[Array, Array]] = []
        for wait in waits:
            means, variances = table(wait.mean, self.points, levels), table(wait.variance, self.points, levels)
            mean: Any = (at_entry * means[:, columns]).sum(axis=1)
            square: Any = (at_entry * (variances + means**2)[:, columns]).sum(axis=1)
            free.append((mean, np.maximum(square - mean**2, 0.0)))
            full.append((means[:, -1], variances[:, -1]))
        held = inside.shares[:, -1]
        admission = np.where(held > 0, inside.wait / np.where(held > 0, held, 1.0), 0.0)
        load = np.clip(inside.load, 0.0, 1.0)
        scv = load + (1 - load) * (1 + 5 * inside.scv) / (3 * (1 + inside.scv))
        return _Divided(held=held, admission=admission, scv=scv, full=full, free=free)

    def ways(self, route: RouteTime) -> Iterator[tuple[Value, Sequence[Wait], frozenset[int]]]:
        """The passages of a route that waited for admission and those that did not, at every limited subnetwork that
        they enter once: the probability and the waits of each, and the streams whose waits are never zero."""
        entered = {
            part[0]: count
            for duration in route.parts.values()
            for stream, count in duration.waits.items()
            if (part := self.passages.part_of[stream]) and part[1] < 0
        }
        once = [number for number, count in entered.items() if np.all(count == 1.0)][:_MOST]
        for choice in product((True, False), repeat=len(once)):
            waited = dict(zip(once, choice, strict=True))
            probability: Any = 1.0
            for number, here in waited.items():
                held = self.parts[number].held
                probability = probability * (held if here else 1 - held)
            waits = [
                self.wait(*self.parts[part[0]].of(part[1], waited[part[0]])) if part and part[0] in waited else wait
                for part, wait in zip(self.passages.part_of, self.waits, strict=True)
            ]
            never_zero = frozenset(
                stream
                for stream, part in enumerate(self.passages.part_of)
                if part and part[1] < 0 and waited.get(part[0])
            )
            single = self.passages.network.size is None and once
            yield (float(probability[0]) if single else probability), waits, never_zero


def _waits_inside(inner: Passages, wanted: Wanted, points: int) -> Sequence[Wait]:
    """The waits inside a limited subnetwork at every number of customers, with their variances.

    Points between which nothing inside differs, as where only the arrival rate does, are solved once. Shares of classes
    differ by the rounding of their rates.
    """

    def compute() -> Sequence[Wait]:
        size = inner.network.size or 1
        values: list[Array] = []

        def noted(array: Array) -> Array:
            if array.ndim:
                values.append(array.reshape(points, -1))
            return array

        mapped((inner.network, inner.waits, inner.throughputs), noted)
        known = [np.round(array / (abs(array).max(initial=0.0) or 1.0), _DIGITS) for array in values]
        _, first, same = np.unique(np.concatenate(known, axis=1), axis=0, return_index=True, return_inverse=True)
        rows = np.arange(size).reshape(points, -1)
        kept = rows[first].reshape(-1)
        network, compiled, waits, throughputs = at_points(
            (inner.network, inner.compiled, inner.waits, inner.throughputs), kept
        )
        solved = with_variances(network.replace(size=len(kept)), compiled, waits, throughputs, wanted)
        every = rows[: len(first)][same.reshape(-1)].reshape(-1)
        return at_points(tuple(solved), every)

    return inner.variances.known(inner, compute) if inner.variances else compute()


def stations_inside(passages: Passages) -> set[str]:
    """The stations in limited subnetworks."""
    streams = zip(passages.compiled.streams, passages.part_of, strict=bool(passages.part_of))
    return {stream.station for stream, part in streams if part and part[1] >= 0}
