"""The figures of a network, from throughputs and residences by the laws."""

from __future__ import annotations

from typing import Any

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import np
from qnet.networks.product.demands import Demands
from qnet.queues.arithmetic import total
from qnet.record import Record

_ROUNDING = 1e-11


class Figures(Record):
    """The figures as computed: nested tuples for a point, arrays with the batch axis first for a batch."""

    throughput: Any
    """(R,) passages per second."""
    response: Any
    """(R,) seconds per passage, delays included, think time not; of a closed class without customers that of its
    demands alone, without any wait."""
    residence: Any
    """(K, R) seconds per passage, all visits and their waits."""
    queue_length: Any
    """(K, R) mean number, those in service included."""
    utilization: Any
    """(K, R) throughput x demand / peak capacity; 0 at delays."""
    busy_servers: Any
    """(K, R) throughput x demand: mean capacity in use, at delays the mean number present."""
    log_constant: Any = None
    """Logarithm of the normalising constant of the closed classes; None where the method has none."""
    states: Any = None
    """For each station the probabilities of 0, 1, ... customers of the closed classes together; None if not asked."""


def figures(
    network: Demands,
    throughput: list[Value],
    residence: list[list[Value]],
    log_constant: Any = None,
    states: Any = None,
) -> Figures:
    """All figures from throughputs and residences, by the laws; refused where they are not possible.

    Raises  `NotComputed` QN502 for a figure that is not finite or negative, or a utilization above 1 by more than
            rounding: a fault of a method that must never reach a caller.
    """
    stations, classes = range(network.shape[0]), range(network.shape[1])
    throughput = _below_capacity(network, throughput)
    residence = _of_nobody(network, residence)
    response = [total(residence[station][kind] for station in stations) for kind in classes]
    queue = [[throughput[kind] * residence[station][kind] for kind in classes] for station in stations]
    busy = [[throughput[kind] * network.demand(station, kind) for kind in classes] for station in stations]
    used: list[list[Value]] = []
    for station in stations:
        share = 0.0 if network.delay[station] else 1.0 / network.peak(station)
        row = [value * share for value in busy[station]]
        used.append(_not_above_one(row, station, network))
    if network.size is None:
        made = Figures(
            throughput=tuple(throughput),
            response=tuple(response),
            residence=_rows(residence),
            queue_length=_rows(queue),
            utilization=_rows(used),
            busy_servers=_rows(busy),
            log_constant=log_constant,
            states=states,
        )
        sound = all(0 <= value < float("inf") for row in (*residence, *queue, throughput) for value in row)
    else:
        size = network.size
        rates, times = _columns(throughput, size), _columns(response, size)
        remains, lengths = _table(residence, size), _table(queue, size)
        made = Figures(
            throughput=rates,
            response=times,
            residence=remains,
            queue_length=lengths,
            utilization=_table(used, size),
            busy_servers=_table(busy, size),
            log_constant=log_constant,
            states=states,
        )
        sound = all(bool(((table >= 0) & (table < float("inf"))).all()) for table in (rates, times, remains, lengths))
    if not sound:
        raise NotComputed(Problem("QN502", "a figure of the answer is negative or not finite", "smaller numbers"))
    return made


def _of_nobody(network: Demands, residence: list[list[Value]]) -> list[list[Value]]:
    """The residences, those of closed classes without customers as their demands alone: no customer waits."""
    operations: Operations = FLOATS if network.size is None else arrays()
    result = [list(row) for row in residence]
    for kind in network.closed:
        nobody = network.population[kind] == 0
        if operations.all(nobody == False):  # noqa: E712
            continue
        for station, row in enumerate(result):
            row[kind] = operations.where(nobody, alone(network, station, kind), row[kind])
    return result


def alone(network: Demands, station: int, kind: int) -> Value:
    """The residence of a customer of a class at a station without any other customer."""
    first = 1.0 if network.delay[station] else network.capacities(station)[0]
    return network.demand(station, kind) / first


def _below_capacity(network: Demands, throughput: list[Value]) -> list[Value]:
    """Throughputs that exceed the capacity of a station by a rounding, set just below it; those of arrivals are
    kept."""
    operations: Operations = FLOATS if network.size is None else arrays()
    result = list(throughput)
    for station in range(network.shape[0]):
        if network.delay[station] or not network.closed:
            continue
        busy = [result[kind] * network.demand(station, kind) for kind in range(network.shape[1])]
        peak, overall = network.peak(station), total(busy)
        over = overall > peak
        for kind in network.closed:
            demand = network.demand(station, kind)
            over = over | (result[kind] > peak / operations.where(demand > 0, demand, 1e-300))
        over = over & (overall <= peak * (1.0 + _ROUNDING))
        if not operations.all(over == False):  # noqa: E712
            shrink = operations.where(over, peak / operations.where(over, overall, 1.0) * (1.0 - 4e-16), 1.0)
            for kind in network.closed:
                visits = network.demand(station, kind) > 0
                result[kind] = result[kind] * operations.where(visits, shrink, 1.0)
    return result


def _not_above_one(row: list[Value], station: int, network: Demands) -> list[Value]:
    """Utilizations of a station whose sum is above 1 by a rounding are scaled to 1; by more, they are refused."""
    operations: Operations = FLOATS if network.size is None else arrays()
    overall = total(row)
    if operations.all(overall <= 1.0):
        return row
    if not operations.all(overall <= 1.0 + _ROUNDING):
        text = f"the utilization of {network.station_label(station)} comes out above 1"
        raise NotComputed(Problem("QN511", text, "a utilization of at most 1", help="try another method"))
    scale = operations.maximum([overall, 1.0 + 0.0 * overall])
    return [value / scale for value in row]


def _rows(values: list[list[Value]]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in values)


def _columns(values: list[Value], size: int) -> Any:
    return np.stack([np.broadcast_to(np.asarray(value, float), (size,)) for value in values], axis=1)


def _table(rows: list[list[Value]], size: int) -> Any:
    return np.stack([_columns(row, size) for row in rows], axis=1)
