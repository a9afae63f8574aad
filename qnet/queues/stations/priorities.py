"""M/G/1 with priority classes, the first class having the highest priority."""

from __future__ import annotations

from typing import Any

from qnet.errors import Problem, UsageError
from qnet.expression import Value
from qnet.queues.arithmetic import total
from qnet.queues.stations.answer import ClassAnswer, StationAnswer
from qnet.queues.stations.m_g_1 import number_variance, third_moment
from qnet.queues.stations.numbers import is_symbol, require_stable

_SOURCE = "@kleinrock1976, chapter 3"


def non_preemptive(
    arrival_rate: Any, service_time: Any, scv_service: Any, skewness_service: Any = None
) -> StationAnswer:
    """Poisson classes, one server that always takes the highest class waiting, without interruption (head of the line).

    Applies       floats, fractions, arrays as elements, and symbols; any number of classes.
    arrival_rate  per second, one for each class, the highest priority first; each at least 0.
    service_time  means in seconds, above 0, likewise; one value holds for all.
    scv_service   variance / mean^2, at least 0, likewise.
    skewness_service
                  third standardized moments, likewise, or None: then the third moment is known only for constant times.
    Returns       figures of each class in `classes`, and of all customers together; variances where the third moments
                  are known, that of the number by class only.
    Raises        NoAnswer (QN401) for a load of all classes of at least 1; UsageError for unequal numbers of values.
    Method        W_i = W0 / ((1 - s_(i-1)) (1 - s_i)), W0 = sum of rate E[S^2] / 2, s_i the load of classes 1 .. i.
                  Variances: the work V before an arrival of class i is that of M/G/1 with the classes 1 .. i, plus an
                  independent residual service of a lower class, if one is in service. The wait is a delay cycle: V and
                  the busy periods of the higher classes h that arrive in it:
                      Var W_i = Var V / (1 - s_(i-1))^2 + E[V] sum over h of rate E[S^2] / (1 - s_(i-1))^3.
    Source        @cobham1954; @kleinrock1976, chapter 3. Second moments: @conway1967, chapter 8; @takagi1991.

    >>> [round(item.wait, 9) for item in non_preemptive([0.25, 0.25], [1.0, 1.0], [1.0, 1.0]).classes]
    [0.666666667, 1.333333333]
    """
    return _priorities("M/G/1-priority", arrival_rate, service_time, scv_service, skewness_service, False)


def preemptive_resume(
    arrival_rate: Any, service_time: Any, scv_service: Any, skewness_service: Any = None
) -> StationAnswer:
    """Poisson classes, one server that an arrival of a higher class preempts; interrupted service resumes later.

    As            `non_preemptive`. `wait` includes interruptions, `number_waiting` the interrupted customers.
    Method        R_i = (S_i + W_i) / (1 - s_(i-1)), W_i = sum over classes 1 .. i of rate E[S^2] / 2(1 - s_i).
                  Variances: lower classes do not count, and the delay cycle begins with V and the service of the
                  customer.
    Source        @kleinrock1976, chapter 3.

    >>> [round(item.response, 9) for item in preemptive_resume([0.25, 0.25], [1.0, 1.0], [1.0, 1.0]).classes]
    [1.333333333, 2.666666667]
    """
    return _priorities("M/G/1-preemptive", arrival_rate, service_time, scv_service, skewness_service, True)


def _priorities(station: str, rates: Any, times: Any, scvs: Any, skewnesses: Any, preemptive: bool) -> StationAnswer:
    rates, times, scvs, skewnesses = _by_class(rates, times, scvs, skewnesses)
    throughput = total(rates)
    loads = [rate * time for rate, time in zip(rates, times, strict=True)]
    load = total(loads)
    idle: Any = 0 if is_symbol(throughput) else throughput == 0
    per_arrival = throughput + idle
    require_stable(station, throughput, load / per_arrival, 1)
    residuals = [rate * time**2 * (1 + scv) / 2 for rate, time, scv in zip(rates, times, scvs, strict=True)]
    thirds = [
        third_moment(time, scv, skewness, "service time above 0")
        for time, scv, skewness in zip(times, scvs, skewnesses, strict=True)
    ]
    cubes = [None if third is None else rate * third / 3 for rate, third in zip(rates, thirds, strict=True)]
    classes: list[ClassAnswer] = []
    above: Value = 0
    residual: Value = 0 if preemptive else total(residuals)
    for index, (rate, time, scv, offered) in enumerate(zip(rates, times, scvs, loads, strict=True)):
        residual = residual + residuals[index] if preemptive else residual
        free = (1 - above) * (1 - above - offered)
        wait = residual / free + (time * above / (1 - above) if preemptive else 0 * above)
        # The delay cycle of the work found on arrival, with all work of higher classes that arrives meanwhile.
        observed = _variance_of_work(residuals, cubes, index, 1 - above - offered, preemptive)
        spread = of_response = None
        if observed is not None:
            held = residual / (1 - above - offered) + (time if preemptive else 0)
            cycle = observed / (1 - above) ** 2 + held * 2 * sum(residuals[:index]) / (1 - above) ** 3
            service = scv * time**2
            spread = cycle + (service * (above / (1 - above)) ** 2 if preemptive else 0)
            of_response = cycle + (service / (1 - above) ** 2 if preemptive else service)
        classes.append(
            ClassAnswer(
                arrival_rate=rate,
                utilization=offered,
                queue_length=rate * (wait + time),
                number_waiting=rate * wait,
                response=wait + time,
                wait=wait,
                variance_of_wait=spread,
                variance_of_response=of_response,
                variance_of_queue_length=number_variance(rate, wait + time, of_response),
            )
        )
        above = above + offered
    waiting = total(item.number_waiting for item in classes)
    present = total(item.queue_length for item in classes)
    # Without arrivals the figures are those of the first class alone.
    response = present / per_arrival + idle * classes[0].response
    wait = waiting / per_arrival + idle * classes[0].wait
    shares = [rate / per_arrival + (0 if index else idle) for index, rate in enumerate(rates)]
    waits = [(item.wait, item.variance_of_wait) for item in classes]
    responses = [(item.response, item.variance_of_response) for item in classes]
    return StationAnswer(
        station, "exact", cites=_SOURCE, arrival_rate=throughput, throughput=throughput, offered=load,
        busy_servers=load, utilization=load, queue_length=present, number_waiting=waiting, response=response, wait=wait,
        probability_of_waiting=None if preemptive else load, variance_of_wait=_mixed(shares, waits, wait),
        variance_of_response=_mixed(shares, responses, response), classes=tuple(classes),
    )  # fmt: skip


def _variance_of_work(residuals: list[Any], cubes: list[Any], index: int, idle: Value, preemptive: bool) -> Value:
    """The variance of the work that an arrival of a class finds before it; None where a third moment is missing.

    residuals  rate E[S^2] / 2 of each class.
    cubes      rate E[S^3] / 3 of each class, or None.
    idle       1 minus the load of this class and those above.
    """
    lower = len(cubes) if not preemptive else index + 1
    if any(cube is None for cube in cubes[:lower]):
        return None
    upper = index + 1
    variance = (sum(residuals[:upper]) / idle) ** 2 + sum(cubes[:upper]) / idle
    return variance + sum(cubes[upper:lower]) / idle - (sum(residuals[upper:lower]) / idle) ** 2


def _mixed(shares: list[Any], times: list[tuple[Value, Value]], mean: Value) -> Value:
    """The variance over all customers, from means and variances of their classes."""
    if any(variance is None for _, variance in times):
        return None
    return sum(share * (variance + (each - mean) ** 2) for share, (each, variance) in zip(shares, times, strict=True))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType]


def _by_class(*given: Any) -> list[list[Any]]:
    """One list per parameter, all of one length; a single value holds for all classes."""
    lists = [_listed(value) for value in given]
    length = max(map(len, lists))
    if any(len(values) not in (1, length) for values in lists):
        counts = ", ".join(str(len(values)) for values in lists if values != [None])
        raise UsageError(
            Problem("QN050", f"the classes have {counts} values", "one value for each class, or one for all")
        )
    return [values * length if len(values) == 1 else values for values in lists]
