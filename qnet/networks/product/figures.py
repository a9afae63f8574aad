"""The figures of a network, from throughputs and residence times by the operational laws."""

from __future__ import annotations

from typing import Any

from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import np
from qnet.networks.laws import ROUNDING, refuse_above_one, unsound
from qnet.networks.product.demands import Demands
from qnet.queues.arithmetic import total
from qnet.record import Record

_NEARLY = 1 - 1e-9
"""The utilization from which throughputs are checked station by station."""


class DemandFigures(Record):
    """The figures as computed: nested tuples for a point, arrays with the batch axis first for a batch."""

    throughput: Any
    """(R,) passages per second."""
    response: Any
    """(R,) seconds per passage, without think time; for a closed class without customers, without any wait."""
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
    """For each station the probabilities of 0, 1, ... customers of the closed classes together; None if not wanted."""


def figures(
    network: Demands,
    throughput: list[Value],
    residence: list[list[Value]],
    log_constant: Any = None,
    states: Any = None,
) -> DemandFigures:
    """All figures, from throughputs and residence times by the operational laws.

    Raises  `NotComputed` QN502 for a figure that is not finite or negative, or a utilization above 1 by more than
            rounding: a fault of a method that must never reach a caller.
    """
    throughput = _below_capacity(network, throughput)
    residence = _of_nobody(network, residence)
    make = _of_point if network.size is None else _of_batch
    return make(network, throughput, residence).replace(log_constant=log_constant, states=states)


def _of_point(network: Demands, throughput: list[float], residence: list[list[float]]) -> DemandFigures:
    """The figures of a point."""
    stations, classes = range(network.shape[0]), range(network.shape[1])
    response = [total(residence[station][class_index] for station in stations) for class_index in classes]
    queue = [
        [throughput[class_index] * residence[station][class_index] for class_index in classes] for station in stations
    ]
    busy = [
        [throughput[class_index] * network.demand(station, class_index) for class_index in classes]
        for station in stations
    ]
    used: list[list[float]] = []
    for station in stations:
        share = 0.0 if network.delay[station] else 1.0 / network.peak(station)
        row = [value * share for value in busy[station]]
        overall = total(row)
        if overall > 1.0:
            behind = _share_left(network, station, throughput)
            refuse_above_one(overall - behind * share <= 1.0 + ROUNDING, network.station_label(station))
            row = [value / overall for value in row]
        used.append(row)
    if not all(0 <= value < float("inf") for row in (*residence, *queue, throughput) for value in row):
        raise unsound()
    return DemandFigures(
        throughput=tuple(throughput),
        response=tuple(response),
        residence=_rows(residence),
        queue_length=_rows(queue),
        utilization=_rows(used),
        busy_servers=_rows(busy),
    )


def _of_batch(network: Demands, throughput: list[Value], residence: list[list[Value]]) -> DemandFigures:
    """The figures of a batch, of all stations at once."""
    size = network.size or 0
    rates: Any = np.empty((size, network.shape[1]))
    times: Any = np.empty((size, *network.shape))
    for class_index, value in enumerate(throughput):
        rates[:, class_index] = value
    for station, row in enumerate(residence):
        for class_index, value in enumerate(row):
            times[:, station, class_index] = value
    queue: Any = rates[:, None] * times
    busy: Any = rates[:, None] * network.demands
    peaks = [float("inf") if delay else network.peak(station) for station, delay in enumerate(network.delay)]
    used: Any = busy * (1.0 / np.array(peaks))[:, None]
    overall: Any = used.sum(2)
    over = ~(overall <= 1.0)
    if over.any():
        for station in np.flatnonzero(over.any(0)).tolist():
            behind = _share_left(network, station, throughput) / peaks[station]
            by_rounding = bool((overall[:, station] - behind <= 1.0 + ROUNDING).all())
            refuse_above_one(by_rounding, network.station_label(station))
        used = used / np.maximum(overall, 1.0)[..., None]
    if not all(bool(((table >= 0) & (table < float("inf"))).all()) for table in (rates, times, queue)):
        raise unsound()
    return DemandFigures(
        throughput=rates,
        response=times.sum(1),
        residence=times,
        queue_length=queue,
        utilization=used,
        busy_servers=busy,
    )


def _of_nobody(network: Demands, residence: list[list[Value]]) -> list[list[Value]]:
    """The residences, with those of closed classes without customers replaced by their demands without any wait."""
    operations: Operations = FLOATS if network.size is None else arrays()
    result = [list(row) for row in residence]
    for class_index in network.closed:
        nobody = network.population[class_index] == 0
        if operations.all(nobody == False):  # noqa: E712
            continue
        for station, row in enumerate(result):
            row[class_index] = operations.where(nobody, alone(network, station, class_index), row[class_index])
    return result


def alone(network: Demands, station: int, class_index: int) -> Value:
    """The residence of a customer of a class at a station without any other customer."""
    first = 1.0 if network.delay[station] else network.capacities(station)[0]
    return network.demand(station, class_index) / first


def _below_capacity(network: Demands, throughput: list[Value]) -> list[Value]:
    """The throughputs; those of closed classes that exceed the capacity of a station by rounding are set just below
    it."""
    operations: Operations = FLOATS if network.size is None else arrays()
    result = list(throughput)
    for station in _full(network, throughput):
        busy = [result[class_index] * network.demand(station, class_index) for class_index in range(network.shape[1])]
        peak, overall = network.peak(station), total(busy)
        over = overall > peak
        for class_index in network.closed:
            demand = network.demand(station, class_index)
            over = over | (result[class_index] > peak / operations.where(demand > 0, demand, 1e-300))
        over = over & (overall <= peak * (1.0 + ROUNDING))
        if not operations.all(over == False):  # noqa: E712
            shrink = operations.where(over, peak / operations.where(over, overall, 1.0) * (1.0 - 4e-16), 1.0)
            for class_index in network.closed:
                visits = network.demand(station, class_index) > 0
                result[class_index] = result[class_index] * operations.where(visits, shrink, 1.0)
    return result


def _full(network: Demands, throughput: list[Value]) -> list[int]:
    """The queueing stations of a network with closed classes at which some throughput reaches the capacity."""
    stations, classes = range(network.shape[0]), range(network.shape[1])
    queueing = [station for station in stations if not network.delay[station]] if network.closed else []
    if network.size is None:
        return queueing
    overall = total(
        np.asarray(throughput[class_index])[..., None] * network.demands[:, :, class_index] for class_index in classes
    )
    return [station for station in queueing if (overall[:, station] >= _NEARLY * network.peak(station)).any()]


def _share_left(network: Demands, station: int, throughput: list[Value]) -> Value:
    """The busy servers of a station due to second phases in excess of the passages.

    Second phases are open classes, whose rate equals that of the passages only as far as the fixed point converged.
    """
    return total(
        [0.0, *((throughput[left] - throughput[cause]) * network.demand(station, left)
                for left, cause in network.left.items())]
    )  # fmt: skip


def _rows(values: list[list[Value]]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in values)
