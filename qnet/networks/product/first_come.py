"""Networks with closed classes whose first-come-first-served stations have no product form: waits are corrected.

The correction alone also approximates waits that product form gives exactly. So it is computed twice, with and without
the order of arrival, and the waits of product form are multiplied by the ratio of the two results.
Where times become equal and exponential the ratio becomes 1 and the answer exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from qnet.errors import NotComputed
from qnet.lazy import Array, lazy
from qnet.networks.exactness import RESIDUAL
from qnet.networks.near import Nearby
from qnet.networks.product.arrays import NetworkArrays
from qnet.networks.product.closed_classes import refuse_without_time
from qnet.networks.product.demands import Demands
from qnet.networks.product.figures import figures
from qnet.networks.product.solution import Solution
from qnet.networks.reasons import approximation
from qnet.networks.wanted import Divided, Wanted
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks.closed import first_come
    from qnet.networks.closed.first_come import LineAnswer
    from qnet.networks.solvers.protocol import SolvePart
else:
    first_come = lazy("qnet.networks.closed.first_come")

_CELLS = 2_000_000
"""The most numbers of one array in a part of a large batch."""
_SMALL = 200_000
"""Points x stations x cubes of classes up to which two networks are corrected as one batch."""
_OPERATIONS = 3e7
"""Operations that the exact product-form answer of a point may take: some hundredths of a second."""
_LEAST = 1e-9
"""The share of a demand below which a wait counts as none, and that is the demand of a class without service time."""
_HALVINGS = 40
"""Halvings of the interval from 0 to 1: to 1e-12, which is below the residual of convergence."""
_ROUNDING = 1e-11
"""How far rounding may put the utilization of a station above 1."""


def solve(network: Demands, wanted: Wanted, solve_part: SolvePart) -> Solution:
    """The steady state of a network with closed classes, with the waits at first-come-first-served stations corrected.

    Applies   single and several servers, delays; first come first served with times that differ between classes or
              are not exponential, and processor sharing; open classes with the closed ones.
    network   a point or a batch, with open loads below every capacity.
    wanted    the budget, and in `near` the fixed points of a nearby network.
    solve_part   the chooser, for the same network with processor sharing at all stations.
    Returns   `Solution`, never exact.
    Raises    `NotComputed` QN511 where a fixed point is not proven; as `closed_classes.closed_part`.
    Method    `closed.first_come`; several servers as a fast one and a delay (@seidmann1987).
              Without parallel steps and second-phase work, the waits are those of
              product form times the ratio of the corrected ones with and without the order of arrival (`weighted`):
              exact where times are equal and exponential.
    """
    refuse_without_time(network)
    table = NetworkArrays(network)
    near = wanted.near
    known = near is not None and near.method == RESIDUAL and near.like(network.size, network.shape)
    near = near if known else None
    shared_residence, sharing = None, network
    if network.joins is None and not network.left:
        sharing = shared(network)
        shared_residence = product_form_residence(sharing, wanted, solve_part)
    if shared_residence is None or not len(shared_residence):
        result = _corrected(table, near)
        return _solution(table, result.residence, result)
    like = NetworkArrays(sharing)
    result, other = _both_corrected(table, like, near)
    weight = weights(like.demands, shared_residence, other.residence)
    return _solution(table, _weighted(table, result, weight), result)


class _Corrected(Record):
    """The result of the correction."""

    residence: Any
    """(B, K, R) seconds."""
    throughput: Any
    """(B, C) passages per second of the closed classes."""
    starts: tuple[Array, ...] | None
    """The values of `Nearby`."""


def _corrected(table: NetworkArrays, near: Nearby | None = None) -> _Corrected:
    """The network of a table, corrected for the order of arrival; `near` has the fixed points of a nearby network."""
    network, indices = table.network, table.queues
    count = 1 if network.size is None else network.size
    at_once = max(1, _CELLS // max(1, len(indices) * len(network.closed) ** 2))
    pieces = [range(first, min(first + at_once, count)) for first in range(0, count, at_once)]
    starts = [near and (near if len(pieces) == 1 else near.rows(piece)).values for piece in pieces]
    parts = [
        first_come.solve(table.lines(indices).part(slice(piece.start, piece.stop)), start)
        for piece, start in zip(pieces, starts, strict=True)
    ]
    ended = [Nearby(RESIDUAL, len(piece), network.shape, None, part.starts)
             for piece, part in zip(pieces, parts, strict=True)]  # fmt: skip
    return _from_lines(table, _one_after_the_other(parts, table), Nearby.joined(ended).values if ended else None)


def _both_corrected(
    table: NetworkArrays, like: NetworkArrays, near: Nearby | None = None
) -> tuple[_Corrected, _Corrected]:
    """Two tables of the same stations and customers, the first started from `near`; small ones are solved as one
    batch."""
    network, indices = table.network, table.queues
    count = 1 if network.size is None else network.size
    if 2 * count * len(indices) * len(network.closed) ** 3 <= _SMALL:
        starts = None
        if near is not None and near.values:
            unknown = tuple(np.full(value.shape, np.nan) for value in near.values)
            starts = Nearby.joined([near, near.replace(values=unknown)]).values
        try:
            answer = first_come.solve(table.lines(indices).joined(like.lines(indices)), starts)
        except NotComputed:
            pass  # Solved one by one, the tables report which points are not proven.
        else:
            ended = Nearby(RESIDUAL, 2 * count, network.shape, None, answer.starts).rows(range(count))
            first, second = answer.part(slice(count)), answer.part(slice(count, None))
            return _from_lines(table, first, ended.values), _from_lines(like, second, None)
    return _corrected(table, near), _corrected(like)


def _one_after_the_other(parts: Sequence[LineAnswer], table: NetworkArrays) -> LineAnswer:
    """The result for all points of a table, from those of its parts."""
    if len(parts) == 1:
        return parts[0]
    stations, classes = len(table.queues), len(table.network.closed)
    shapes = (classes,), (stations, classes), (stations,), (stations, classes)
    columns: list[Any] = [
        np.concatenate([np.zeros((0, *shape)), *(part[index] for part in parts)]) for index, shape in enumerate(shapes)
    ]
    return first_come.LineAnswer(*columns)


def _from_lines(table: NetworkArrays, answer: LineAnswer, starts: tuple[Array, ...] | None) -> _Corrected:
    """The corrected network, from the result for its queueing stations."""
    network, indices = table.network, table.queues
    closed = list(network.closed)
    residence: Array = np.where(np.array(network.delay)[None, :, None], table.demands, table.rest)
    opened = table.fast[:, indices, :] + table.stretch[:, indices, :] * answer.at_arrival[..., None]
    residence[:, indices, :] += np.where(table.closed, 0.0, opened)
    if network.left:
        for column, class_index in network.left.items():
            behind = table.behind[:, indices, column]
            # In addition to the part of several servers that is a delay.
            result = (
                table.fast[:, indices, column]
                + table.visits[:, indices, column] * answer.after[..., closed.index(class_index)]
            )
            result = result + table.rest[:, indices, column]
            residence[:, indices, column] = np.where(behind, result, residence[:, indices, column])
    for index, class_index in enumerate(closed):
        # Rounding must not leave a wait at a station that a class never visits.
        residence[:, indices, class_index] += np.where(
            table.visits[:, indices, class_index] > 0, answer.residence[..., index], 0.0
        )
    return _Corrected(residence, answer.throughput, starts)


def _weighted(table: NetworkArrays, result: _Corrected, weight: Array) -> Array:
    """(B, K, R) the corrected residences, with their waits times `weight`, the result of `weights`."""
    network = table.network
    delay, servers = np.array(network.delay), np.array(network.servers, float)
    closed, opened = list(network.closed), list(network.open)
    weight = np.where(delay[:, None], 1.0, weight)
    waits = np.where(delay[:, None], 0.0, np.maximum(result.residence - table.demands, 0.0))
    spare = np.where(delay, np.inf, servers * (1.0 - table.load.sum(-1)))
    outside = table.given_think_time
    residence = table.demands + waits * weight
    residence[:, :, closed] = weighted(
        table.demands[:, :, closed],
        waits[:, :, closed],
        weight[:, :, closed],
        spare,
        table.population,
        outside,
    )
    if opened:
        cycle = outside + residence[:, :, closed].sum(1)
        rate = np.where(table.population > 0, table.population / np.where(cycle > 0, cycle, 1.0), 0.0)[:, None]
        work = (table.weight * residence + table.excess * table.demands)[:, :, closed]
        rest = (table.load * (table.weight + table.excess)[:, :, opened]).sum(-1)
        # The work that Poisson arrivals observe at single servers follows from the waits of the others.
        at_arrival = ((rate * work).sum(-1) + rest) / (1.0 - table.load.sum(-1))
        single = (~delay & (servers == 1))[:, None]
        residence[:, :, opened] = np.where(
            single, (table.demands + table.stretch * at_arrival[..., None])[:, :, opened], residence[:, :, opened]
        )
    return residence


def _solution(table: NetworkArrays, residence: Any, result: _Corrected) -> Solution:
    """The solution from residences (B, K, R)."""
    network = table.network
    closed = list(network.closed)
    throughput = result.throughput
    if residence is not result.residence:
        cycle = table.given_think_time + residence[:, :, closed].sum(1)
        throughput = np.where(table.population > 0, table.population / np.where(cycle > 0, cycle, 1.0), 0.0)
    for index, class_index in enumerate(closed):
        residence[:, :, class_index] *= (table.population[:, index] > 0)[:, None]
    rates: list[Any] = list(network.arrival_rate)
    for index, class_index in enumerate(closed):
        rates[class_index] = throughput[:, index] if network.size is not None else float(throughput[0, index])
    stations, classes = range(network.shape[0]), range(network.shape[1])
    rows = [
        [residence[:, station, class_index] if network.size is not None else float(residence[0, station, class_index])
         for class_index in classes]
        for station in stations
    ]  # fmt: skip
    solved = figures(network, rates, rows)
    return Solution(
        network, solved, method=RESIDUAL, method_reasons=(approximation(RESIDUAL),), why="", starts=result.starts
    )


def shared(network: Demands) -> Demands:
    """The network with processor sharing at all stations, which has product form, and the same demands.

    A class that visits a station without service time gets a very small demand, so that its wait is computed.
    """
    result: Demands = object.__new__(Demands)
    for name in Demands.__slots__:
        setattr(result, name, getattr(network, name))
    result.disciplines = ("ps",) * len(network.disciplines)
    result.scv = result.priority = None
    result.demands = _with_least(network)
    return result


def _with_least(network: Demands) -> Any:
    if network.visits is None:
        return network.demands
    if network.size is None:
        rows: list[tuple[float, ...]] = []
        for station, row in enumerate(network.demands):
            least = 0.0 if network.delay[station] else _LEAST * max(row)
            visited = [network.visits[station][class_index] > 0 for class_index in range(len(row))]
            rows.append(tuple(max(each, least) if visits else each for each, visits in zip(row, visited, strict=True)))
        return tuple(rows)

    least = np.where(np.array(network.delay)[:, None], 0.0, _LEAST * network.demands.max(-1, keepdims=True))
    return np.where(network.visits > 0, np.maximum(network.demands, least), network.demands)


def product_form_residence(network: Demands, wanted: Wanted, solve_part: SolvePart) -> Any:
    """(B, K, R) residence times in seconds by product form, of each point as it would be alone.

    Returns  None where no method computes them within the budget.
    """
    budget = Wanted(operations=min(wanted.operations, _OPERATIONS), memory=wanted.memory, each=True)
    try:
        solution = solve_part(network, budget).figures.residence
    except NotComputed:
        return None
    except Divided as divided:
        table = np.zeros(network.demands.shape)
        for part in (divided.first, ~divided.first):
            residence = product_form_residence(_part(network, part), wanted, solve_part)
            if residence is None:
                return None
            table[part] = residence
        return table
    table = np.asarray(solution, float)
    return table[None] if network.size is None else table


def _part(network: Demands, chosen: Any) -> Demands:
    """Some variants of a batch."""
    result: Demands = object.__new__(Demands)
    for name in Demands.__slots__:
        setattr(result, name, getattr(network, name))
    for name in ("demands", "visits"):
        value = getattr(network, name)
        setattr(result, name, None if value is None else value[chosen])
    for name in ("population", "think_time", "arrival_rate"):
        values = tuple(None if value is None else value[chosen] for value in getattr(network, name))
        setattr(result, name, values)
    result.size = int(chosen.sum())
    return result


def weights(demands: Any, known: Any, corrected: Any) -> Any:
    """(B, K, R) factors of waits: those of product form over those of the correction, both with processor sharing.

    demands     (B, K, R) seconds of service, positive where a class visits.
    known       (B, K, R) residences of product form.
    corrected   (B, K, R) residences by the correction.
    """
    least = _LEAST * demands
    with np.errstate(over="ignore"):  # A wait that rounds to 0 has no weight.
        ratio = np.maximum(known - demands + least, least) / np.maximum(corrected - demands + least, 1e-300)
    return np.where((demands > 0) & np.isfinite(ratio), ratio, 1.0)


def weighted(demands: Any, waits: Any, weight: Any, spare: Any, population: Any, think_time: Any) -> Any:
    """(B, K, C) residences of closed classes with their waits weighted, as far as no utilization exceeds 1.

    demands      (B, K, C) seconds of service per passage.
    waits        (B, K, C) seconds of waiting per passage, with which no utilization exceeds 1.
    weight       (B, K, C) factors of the waits.
    spare        (B, K) servers that open classes leave; infinite at delays.
    population   (B, C) customers; think_time  (B, C) seconds.
    """

    def residence(share: Any) -> Any:
        return demands + waits * weight ** share[:, None, None]

    def feasible(share: Any) -> Any:
        cycle = think_time + residence(share).sum(1)
        rate = np.where(population > 0, population / np.where(cycle > 0, cycle, 1.0), 0.0)
        return ((rate[:, None] * demands).sum(-1) <= spare * (1.0 + _ROUNDING)).all(-1)

    most = np.ones(len(demands))
    over = ~feasible(most)
    if over.any():
        low, high = np.zeros(len(demands)), most.copy()
        for _ in range(_HALVINGS):
            middle = (low + high) / 2.0
            fits = feasible(middle)
            low, high = np.where(fits, middle, low), np.where(fits, high, middle)
        most = np.where(over, low, most)
    return residence(most)
