"""GI/G/1 and GI/G/c: any interarrival times, any service time; by two moments."""

from __future__ import annotations

from qnet.errors import Problem, UsageError, suggest
from qnet.expression import Value
from qnet.queues.stations.answer import StationAnswer, answer
from qnet.queues.stations.m_m_c import waiting_probability
from qnet.queues.stations.numbers import operations_of, require_stable

SOURCES = {
    "kingman": "@kingman1962",
    "kraemer-langenbach-belz": "@kraemer1976",
    "allen-cunneen": "@allen1990, section 5.3",
    "whitt": "@whitt1993",
}
"""Approximation -> where it is from."""


def gi_g_1(
    arrival_rate: Value, service_time: Value, scv_arrival: Value, scv_service: Value,
    approximation: str = "kraemer-langenbach-belz",
) -> StationAnswer:  # fmt: skip
    """GI/G/1: `gi_g_c` with one server; by Kraemer and Langenbach-Belz by default.

    >>> round(gi_g_1(5.0, 0.1, scv_arrival=1.0, scv_service=0.0).wait, 9)
    0.05
    """
    return _two_moments(
        "GI/G/1", arrival_rate, service_time, 1, scv_arrival, scv_service, approximation, tuple(SOURCES)
    )


def gi_g_c(
    arrival_rate: Value, service_time: Value, servers: Value, scv_arrival: Value, scv_service: Value,
    approximation: str = "whitt",
) -> StationAnswer:  # fmt: skip
    """Independent interarrival times, independent service times, identical servers, one queue in order of arrival.

    Applies        floats, arrays and symbols.
    arrival_rate   per second, above 0.
    service_time   mean, in seconds, above 0.
    servers        c >= 1.
    scv_arrival    variance / mean^2 of the interarrival times, at least 0.
    scv_service    variance / mean^2 of the service time, at least 0.
    approximation  allen-cunneen: W of M/M/c x (ca + cs) / 2. whitt: that with corrections for ca and cs other than 1.
                   For one server also: kraemer-langenbach-belz, with a correction for ca other than 1; kingman, an
                   upper bound that is sharp as the load approaches 1.
    Returns        means; exactness `approximate`, or `bound`.
    Raises         NoAnswer (QN401) for a load of at least 1; UsageError for an unknown approximation.
    Exact          all but kingman for Poisson arrivals and one server (M/G/1), and for M/M/c.
    Known error    two moments do not determine the wait: a few per cent for ca, cs <= 1 and loads above 1/2, more at
                   low loads, and without limit for ca much above 1.
    Source         as `SOURCES`.

    >>> round(gi_g_c(1.0, 1.0, 2, scv_arrival=1.0, scv_service=1.0).wait, 9)
    0.333333333
    """
    kinds = ("allen-cunneen", "whitt")
    return _two_moments("GI/G/c", arrival_rate, service_time, servers, scv_arrival, scv_service, approximation, kinds)


def _two_moments(
    station: str, rate: Value, time: Value, servers: Value, ca: Value, cs: Value, kind: str, kinds: tuple[str, ...]
) -> StationAnswer:
    if kind not in kinds:
        text = f'unknown approximation "{kind}" of {station}'
        raise UsageError(Problem("QN050", text, "one of " + ", ".join(kinds), help=suggest(kind, kinds)))
    require_stable(station, rate, time, servers)
    load = rate * time / servers
    markov = waiting_probability(servers, rate * time) * time / (servers * (1 - load))
    half = (ca + cs) / 2
    if kind == "kingman":
        wait = (ca / rate + cs * rate * time**2) / (2 * (1 - load))
    elif kind == "kraemer-langenbach-belz":
        wait = markov * half * _langenbach(load, ca, cs)
    elif kind == "whitt":
        wait = markov * half * _whitt(load, ca, cs, servers)
    else:
        wait = markov * half
    exactness = "bound" if kind == "kingman" else "approximate"
    return answer(
        station, SOURCES[kind], throughput=rate, service_time=time, servers=servers, wait=wait, exactness=exactness
    )


def _langenbach(load: Value, ca: Value, cs: Value) -> Value:
    """The factor of Kraemer and Langenbach-Belz: 1 for ca = 1."""
    operations = operations_of(load, ca, cs)
    smooth = operations.minimum([ca, 1 + 0 * ca])
    rough = operations.maximum([ca, 1 + 0 * ca])
    below = -2 * (1 - load) * (1 - smooth) ** 2 / (3 * load * _positive(smooth + cs))
    above = -(1 - load) * (rough - 1) / (rough + 4 * cs)
    return operations.exp(below + above)


def _whitt(load: Value, ca: Value, cs: Value, servers: Value) -> Value:
    """The factor phi of Whitt, equations (2.14) to (2.25): 1 for ca = cs = 1."""
    operations = operations_of(load, ca, cs, servers)
    one = 1 + 0 * load
    raised = (4 + 5 * servers) ** operations.number(0.5)
    gamma = operations.minimum(
        [one * operations.number(0.24), (1 - load) * (servers - 1) * (raised - 2) / (16 * servers * load)]
    )
    phi1 = 1 + gamma
    phi3 = (1 - 4 * gamma) * operations.exp(-2 * (1 - load) / (3 * load))
    phi4 = operations.minimum([one, (phi1 + phi3) / 2])
    half = (ca + cs) / 2
    psi = phi4 ** (2 * (1 - operations.minimum([half, 1 + 0 * half])))
    more, less = ca + 0 * load, cs + 0 * load
    by_arrivals = (4 * (more - less) * phi1 + less * psi) / _positive(4 * more - 3 * less)
    by_service = ((less - more) * phi3 + (less + 3 * more) * psi) / _positive(2 * more + 2 * less)
    return operations.where(operations.compare(">=", more, less), by_arrivals, by_service)


def _positive(value: Value) -> Value:
    """The value, or 1 where it is 0, as a divisor of 0."""
    if hasattr(value, "free_symbols"):
        return value
    return value + (value == 0)
