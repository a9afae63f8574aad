"""`qnet.queue`: a single station, or the value of a parameter at which limits hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qnet import budget
from qnet.arguments import Texts, checked
from qnet.errors import Problem, UsageError
from qnet.lazy import lazy
from qnet.queues.stations.conversions import converted
from qnet.queues.stations.front import evaluate_station, read_parameters, station_name

if TYPE_CHECKING:
    from qnet.queues.stations import inverse
else:
    inverse = lazy("qnet.queues.stations.inverse")


@checked
def queue(
    name: str, *, arrival_rate: Any = None, service_time: Any = None, servers: Any = None, capacity: Any = None,
    sources: Any = None, source_rate: Any = None, phases: Any = None, scv_arrival: Any = None, scv_service: Any = None,
    skewness_service: Any = None, vacation_time: Any = None, scv_vacation: Any = None, skewness_vacation: Any = None,
    batch_size: Any = None, scv_batch: Any = None, skewness_batch: Any = None, approximation: str | None = None,
    service_rate: Any = None, offered: Any = None, utilization: Any = None, service: str | None = None,
    solve_for: str = "", limit: Texts = (), within: float | None = None,
    **unknown: Any,
) -> Any:  # fmt: skip
    """The steady state of one station, such as `queue("M/M/c", arrival_rate=80, service_time=0.02, servers=2)`.

    name              one of `table.STATIONS`; case, blanks, - and _ do not matter.
    arrival_rate      per second, of customers, the total of all sources. One value per class for priorities.
    service_time      mean, in seconds, above 0. One value per class for priorities.
    servers           at least 1.
    capacity          the largest number in system, those in service included.
    sources           customers that exist (finite sources).
    source_rate       per second, of one idle source: 1 / think time (finite sources).
    phases            of Erlang service.
    scv_arrival       variance / mean^2 of the interarrival times.
    scv_service       variance / mean^2 of the service time.
    skewness_service  of the service time, for variances. One value per class for priorities.
    vacation_time     mean, in seconds.
    scv_vacation      variance / mean^2 of it.
    skewness_vacation of it, for variances.
    batch_size        mean number of customers of a batch.
    scv_batch         variance / mean^2 of it.
    skewness_batch    of it, for variances.
    approximation     of GI/G/1 and GI/G/c.
    service_rate      per second, of one busy server: instead of the service time.
    offered           erlangs, arrival rate x service time: instead of the arrival rate.
    utilization       of the servers, instead of the arrival rate, at stations without loss.
    service           instead of service_time and scv_service: "p50 = 12 ms, p99 = 80 ms", to which a lognormal time is
                      fitted; or one percentile with mean or scv.
    solve_for         a parameter to compute, such as "servers".
    limit             the limit that must then hold, such as "wait <= 0.4 s", or several; see `inverse.solve_for`.
    within            seconds t, for limits on `service_level`, which is P(wait <= t).
    Values            numbers, fractions, sequences and arrays (a batch of points, broadcast), sympy symbols where the
                      station has a closed form; counts are integers or arrays of integers.
    Returns           a `StationAnswer`; with `solve_for` an `Inverse`: `integer` and `real` value, what `binds`, and
                      the `answer` there; the value also by the name of the parameter, such as `servers`.
    Raises            UsageError (QN050) for an unknown name or parameter, a missing one, a value outside its domain;
                      NoAnswer (QN401) without a steady state; NotComputed (QN502) where numbers are too large.

    >>> queue("M/M/1", arrival_rate=5.0, service_time=0.1).response
    0.2
    """
    given = {
        "arrival_rate": arrival_rate, "service_time": service_time, "servers": servers, "capacity": capacity,
        "sources": sources, "source_rate": source_rate, "phases": phases, "scv_arrival": scv_arrival,
        "scv_service": scv_service, "skewness_service": skewness_service, "vacation_time": vacation_time,
        "scv_vacation": scv_vacation, "skewness_vacation": skewness_vacation, "batch_size": batch_size,
        "scv_batch": scv_batch, "skewness_batch": skewness_batch, "approximation": approximation,
        "service_rate": service_rate, "offered": offered, "utilization": utilization, "service": service,
    }  # fmt: skip
    station = station_name(name)
    stated = {key: value for key, value in given.items() if value is not None} | unknown
    if bool(solve_for) != bool(limit):
        present, lacking = ("limit", "solve_for") if limit else ("solve_for", "limit")
        raise UsageError(Problem("QN050", f"{present} is given without {lacking}", "both of them"))
    with budget.door():
        if solve_for:
            return inverse.solve_for(solve_for, limit, station, within, **stated)
        return evaluate_station(station, read_parameters(station, converted(station, stated)))
