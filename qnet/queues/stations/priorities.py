"""M/G/1 with priority classes, the first class served first."""

from __future__ import annotations

from typing import Any

from qnet.errors import Problem, UsageError
from qnet.expression import Value
from qnet.queues.arithmetic import total
from qnet.queues.stations.answer import ClassAnswer, StationAnswer
from qnet.queues.stations.numbers import is_symbol, require_stable

_SOURCE = "Kleinrock, Queueing Systems, Volume II: Computer Applications, 1976, chapter 3"


def non_preemptive(arrival_rate: Any, service_time: Any, scv_service: Any) -> StationAnswer:
    """Poisson classes, one server that always takes the highest class waiting and interrupts nobody (head of the line).

    Applies       floats, fractions, arrays as elements, and symbols; any number of classes.
    arrival_rate  per second, one for each class, the highest priority first; each at least 0.
    service_time  means in seconds, above 0, likewise; one value holds for all.
    scv_service   variance / mean^2, at least 0, likewise.
    Returns       figures of each class in `classes`, and of all customers together.
    Raises        NoAnswer (QN401) for a load of all classes of at least 1; UsageError for unequal numbers of values.
    Method        W_i = W0 / ((1 - s_(i-1)) (1 - s_i)), W0 = sum of rate E[S^2] / 2, s_i the load of classes 1 .. i.
    Source        Cobham, Priority Assignment in Waiting Line Problems, Operations Research 2 (1954) 70-76; Kleinrock,
                  Queueing Systems, Volume II: Computer Applications, 1976, chapter 3.
    """
    return _priorities("M/G/1-priority", arrival_rate, service_time, scv_service, False)


def preemptive_resume(arrival_rate: Any, service_time: Any, scv_service: Any) -> StationAnswer:
    """Poisson classes, one server that an arrival of a higher class takes at once; what was interrupted goes on later.

    As            `non_preemptive`. `wait` holds the interruptions; `number_waiting` those interrupted.
    Method        R_i = (S_i + W_i) / (1 - s_(i-1)), W_i = sum over classes 1 .. i of rate E[S^2] / 2(1 - s_i).
    Source        Kleinrock, Queueing Systems, Volume II: Computer Applications, 1976, chapter 3.
    """
    return _priorities("M/G/1-preemptive", arrival_rate, service_time, scv_service, True)


def _priorities(station: str, rates: Any, times: Any, scvs: Any, preemptive: bool) -> StationAnswer:
    rates, times, scvs = _by_class(rates, times, scvs)
    throughput = total(rates)
    loads = [rate * time for rate, time in zip(rates, times, strict=True)]
    load = total(loads)
    if is_symbol(throughput) or not isinstance(throughput, (int, float)) or throughput > 0:
        require_stable(station, throughput, load / throughput, 1)
    residuals = [rate * time**2 * (1 + scv) / 2 for rate, time, scv in zip(rates, times, scvs, strict=True)]
    classes: list[ClassAnswer] = []
    above: Value = 0
    met: Value = 0 if preemptive else total(residuals)
    for rate, time, own, residual in zip(rates, times, loads, residuals, strict=True):
        met = met + residual if preemptive else met
        idle = (1 - above) * (1 - above - own)
        wait = met / idle + (time * above / (1 - above) if preemptive else 0 * above)
        classes.append(ClassAnswer(rate, own, rate * (wait + time), rate * wait, wait + time, wait))
        above = above + own
    waiting = total(item.number_waiting for item in classes)
    present = total(item.queue_length for item in classes)
    empty = 1 if isinstance(throughput, (int, float)) and throughput == 0 else throughput
    # Nobody comes: the figures are those of the first class on its own.
    nobody = classes[0] if empty is not throughput else None
    return StationAnswer(
        station, "exact", _SOURCE, arrival_rate=throughput, throughput=throughput, offered=load, busy_servers=load,
        utilization=load, queue_length=present, number_waiting=waiting,
        response=nobody.response if nobody else present / empty, wait=nobody.wait if nobody else waiting / empty,
        probability_of_waiting=None if preemptive else load, classes=tuple(classes),
    )  # fmt: skip


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType]


def _by_class(*given: Any) -> list[list[Any]]:
    """One list per parameter, all of one length; a single value holds for all classes."""
    lists = [_listed(value) for value in given]
    length = max(map(len, lists))
    if any(len(values) not in (1, length) for values in lists):
        counts = ", ".join(str(len(values)) for values in lists)
        raise UsageError(
            Problem("QN050", f"the classes have {counts} values", "one value for each class, or one for all")
        )
    return [values * length if len(values) == 1 else values for values in lists]
