"""The time of closed customers from leaving second-phase work at a station until their next visit there.

A customer that returns after A seconds waits for the rest of that work, E[(L - A)+] of a piece of L seconds. For an
exponential L that is L times the Laplace transform of A at 1 / L, a product over the parts of A: think time, delays,
and visits to other stations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from qnet.expression import Operations, Value, arrays
from qnet.lazy import Array
from qnet.networks.routed import ClosedClass, Hold, Route, RoutedNetwork, Station, Step, Time
from qnet.queues.balanced_means import shares
from qnet.record import Record

_STAGES = 60
"""The most stages of a piece of work of low variability."""
_LEAST = 1e-300
"""Keeps logarithms of zero finite: any number near the smallest float works."""


class Absence(Record):
    """The times from leaving work at a station to the return, of P networks with K stations and R classes: arrays
    (P, K, R)."""

    mean: Any
    """Mean seconds D of think times and delays."""
    variance: Any
    """Variance of D."""
    decay: Any
    """-log E[e^(-D / L)]; not-a-number where it is not known."""
    passed: Any
    """(P, K, K, R) visits meanwhile, by the station of the work and the visited station."""

    def part(self, chosen: Any) -> Absence:
        """Some of the networks."""
        return Absence(*(value[chosen] for value in self))


class Between(Record):
    """The steps of a class from leaving work at a station until its return."""

    delays: tuple[tuple[Value, Value, Value], ...]
    """The mean number, the mean and the scv of each time without queueing."""
    visits: tuple[tuple[Hold, Value], ...]
    """The holds, with their mean numbers."""


def between(item: ClosedClass, station: str, operations: Operations) -> Between | None:
    """The steps of a class from leaving work at a station until its return; None where it never leaves work, or
    returns.

    item        the class; times in seconds.
    station     the station of the work.
    operations  of floats or of arrays.
    """
    result: list[tuple[Value, list[tuple[Step, Value]]]] = []
    first = [(route, _until(route.steps, station, operations)) for route in item.routes]
    coming = sum((route.probability for route, steps in first if steps is not None), 0.0)
    for route in item.routes:
        for index, step in enumerate(route.steps):
            if not (isinstance(step, Hold) and step.phase == 2 and step.station == station):
                continue
            rest = route.steps[index + 1 :]
            inside = _until(rest, station, operations)
            if inside is not None:
                result.append((route.probability, [(step, 1.0) for step in inside]))
                continue
            parts: list[tuple[Step, Value]] = [(step, 1.0) for step in rest]
            parts.append((Time(item.think_time), 1.0))
            sure = coming + (coming == 0)
            for other, steps in first:
                share = other.probability / sure
                parts += [(step, share) for step in (other.steps if steps is None else steps)]
                if steps is None:
                    parts.append((Time(item.think_time), share))
            result.append((route.probability, parts))
    total = sum((weight for weight, _ in result), 0.0)
    if not result or not operations.all(total > 0):
        return None
    delays: list[tuple[Value, Value, Value]] = []
    visits: list[tuple[Hold, Value]] = []
    for weight, parts in result:
        for step, share in parts:
            if step.phase == 2:
                continue
            often = weight / total * share * step.visits
            if isinstance(step, Time):
                delays.append((often, step.mean, step.scv))
            elif isinstance(step, Hold):
                visits.append((step, often))
    return Between(tuple(delays), tuple(visits))


def _until(steps: Sequence[Step], station: str, operations: Operations) -> list[Step] | None:
    """The steps before the first visit to a station; None without a visit."""
    for index, step in enumerate(steps):
        if isinstance(step, Hold) and step.phase == 1 and step.station == station:
            return list(steps[:index]) if not operations.all(step.visits == 0) else None
    return None


def plain(routes: Sequence[Route]) -> bool:
    """Whether the steps of all routes are at one station at a time."""
    return all(
        isinstance(step, Time) or (isinstance(step, Hold) and all(isinstance(inner, Time) for inner in step.steps))
        for route in routes
        for step in route.steps
    )


def absences(
    network: RoutedNetwork,
    rows: Sequence[tuple[Station, int]],
    left: Sequence[tuple[int, Any]],
) -> Absence | None:
    """The absences of all closed classes at all stations; None unless all routes are `plain`.

    rows   by station of the reduced network: the station of which it is a copy, and the index of its group.
    left   by closed class: its index, and (P, K) the mean seconds of a piece of its work at a station, 0 for none.
    """
    if not all(plain(network.classes[class_index].routes) for class_index, _ in left):
        return None
    size = network.size or 1
    shape = size, len(rows), len(left)
    mean, variance, decay = (np.zeros(shape) for _ in range(3))
    passed = np.zeros((size, len(rows), len(rows), len(left)))
    for column, (class_index, pieces) in enumerate(left):
        item = network.classes[class_index]
        assert isinstance(item, ClosedClass)
        for name in {station.name for station, _ in rows}:
            selected = [row for row, (station, _) in enumerate(rows) if station.name == name]
            if not (pieces[:, selected] > 0).any():
                continue
            result = between(item, name, arrays())
            if result is None:
                continue
            for hold, often in result.visits:
                for row, station, share in _copies(rows, hold):
                    if station.delay:
                        continue
                    for index in selected:
                        passed[:, index, row, column] += often * share
            outside = [
                (often * share, inner.mean * inner.visits, inner.scv)
                for hold, often in result.visits
                for _, station, share in _copies(rows, hold)
                if station.delay
                for inner in hold.steps
                if isinstance(inner, Time)
            ]
            for often, time, scv in (*result.delays, *outside):
                often, time, scv = (np.broadcast_to(np.asarray(value, float), (size,)) for value in (often, time, scv))
                for index in selected:
                    mean[:, index, column] += often * time
                    variance[:, index, column] += often * scv * time**2
                    piece = np.where(pieces[:, index] > 0, pieces[:, index], 1.0)
                    decay[:, index, column] += often * _decay(time / piece, scv)
    return Absence(mean, variance, decay, passed)


def _copies(rows: Sequence[tuple[Station, int]], hold: Hold) -> Iterator[tuple[int, Station, Value]]:
    """The stations of the reduced network that a hold may use, with the share of its visits to each."""
    for row, (station, group) in enumerate(rows):
        if station.name == hold.station:
            yield row, station, station.groups[group].share


def _decay(time: Array, scv: Array) -> Array:
    """-log E[e^-T] of a time T with a gamma distribution up to an scv of 1 (exact for Erlang times), two exponentials
    above.
    """
    low_scv = np.where((scv > 0) & (scv <= 1), scv, 1.0)
    below = np.where(scv > 1e-12, np.log1p(time * low_scv) / low_scv, time)
    above = sum(share / (1.0 + time / (2.0 * share)) for share in shares(np.maximum(scv, 1.0), arrays()))
    return np.where(scv > 1, -np.log(np.maximum(above, _LEAST)), below)


def still_there(absence: Absence, piece: Array, scv: Array, residence: Array, visits: Array, times: Array) -> Array:
    """(P, K, R) E[(L - A)+] / L, the rest of a piece of second-phase work when its customer returns; not-a-number where
    absences are not known.

    piece      (P, K, R) mean seconds of a piece of work, with `scv`.
    residence  (P, K, R) seconds per passage at each station, in `visits`.
    times      (P, K, R) the variance of the service time of a visit.
    """
    each = np.where(visits > 0, residence / np.where(visits > 0, visits, 1.0), 0.0)
    spread = times + np.maximum(each - np.sqrt(np.maximum(times, 0.0)), 0.0) ** 2
    spread = np.where(each > 0, np.minimum(spread / np.where(each > 0, each, 1.0) ** 2, 1.0), 1.0)
    size = np.where(piece > 0, piece, 1.0)
    # (P, left at, visited, R)
    per = each[:, None] / size[:, :, None, :]
    decay = absence.decay + (absence.passed * _decay(per, np.broadcast_to(spread[:, None], per.shape))).sum(2)
    result: Array = np.exp(-decay)
    odd = (np.abs(scv - 1.0) > 1e-9) & (piece > 0) & ~np.isnan(absence.decay)
    if not odd.any():
        return result
    mean = (absence.mean + (absence.passed * each[:, None]).sum(2)) / size
    variance = (absence.variance + (absence.passed * (spread * each**2)[:, None]).sum(2)) / size**2
    result[odd] = _general(mean[odd], variance[odd], np.broadcast_to(scv, odd.shape)[odd])
    return result


def _general(mean: Array, variance: Array, scv: Array) -> Array:
    """(M,) E[(L - A)+] for gamma times A and pieces L of mean 1: mixed Erlang, or two exponentials."""
    shape = np.where(variance > 0, mean**2 / np.where(variance > 0, variance, 1.0), np.inf)
    shape = np.clip(shape, 1e-9, 1e6)
    scale = mean / shape
    above = sum(
        np.exp(-shape * np.log1p(2.0 * share * scale)) / 2.0 for share in shares(np.maximum(scv, 1.0), arrays())
    )
    stages = np.clip(1.0 / np.maximum(scv, 1.0 / _STAGES), 1.0, _STAGES)
    low = np.floor(stages + 1e-9)
    part = np.where(stages > low, (1.0 / low - 1.0 / stages) / (1.0 / low - 1.0 / (low + 1.0)), 0.0)
    below = (1.0 - part) * _erlang(low, shape, scale) + part * _erlang(low + 1.0, shape, scale)
    return np.where(scv > 1, above, np.minimum(below, 1.0))


def _erlang(count: Array, shape: Array, scale: Array) -> Array:
    """(M,) E[(L - A)+] for gamma times A and Erlang pieces L of mean 1 with `count` stages.

    The number of stages that end within A is negative binomial; the rest is that of the other stages.
    """
    number: Array = np.arange(float(count.max()))
    shape, scale = shape[:, None], scale[:, None]
    more = count[:, None] * scale / (1.0 + count[:, None] * scale)
    logs = np.log(np.maximum(more * (shape + number) / (number + 1.0), _LEAST))
    logs = np.cumsum(np.concatenate([-shape * np.log1p(count[:, None] * scale), logs[:, :-1]], axis=1), axis=1)
    return (np.exp(logs) * np.maximum(1.0 - number / count[:, None], 0.0)).sum(1)
