"""Corrections of residence times for several servers, and for open classes with closed ones.

Every correction has the form that the core of all approximations solves:

    residence = demand x (extra + slope x closed customers present on arrival)

Open classes obey the same formula; their queue is eliminated, which divides slope and extra by about one less the
share of the station that they use.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from qnet.lazy import Array
from qnet.queues.arithmetic import summed
from qnet.record import Record

_NEVER = 80.0
"""Minus the logarithm of a probability that is negligible in a number of idle servers."""
_FEW = 150
"""Up to this number of servers Erlang's recursion is used, above it an integral."""


class CorrectionSlopes(Record):
    """A correction at one iterate; `busy`, the logarithm of the probability that all servers are busy, is an
    unknown."""

    slope: Array
    """(P, K)"""
    extra: Array
    """(P, K, R)"""
    extra_change: Array
    """(P, K, R): derivative of extra by the load that a customer of the class observes on arrival, per erlang."""
    slope_bend: Array
    """(P, K): derivative of slope by `busy`."""
    extra_bend: Array
    """(P, K): derivative of extra by `busy`."""


def one_server(servers: Any, open_load: Any, total: Any, offered: Any, one_of_all: Any, busy: Any) -> CorrectionSlopes:
    """The form of stations with one server: residence = demand x (1 + closed customers present) / (1 - open load).

    Applies    stations with one server; several servers after `seidmann` has split them.
    servers    (K,) numbers of servers, all 1.
    open_load  (P, K) offered load of open classes, in erlangs, in [0, 1).
    total      (P,) closed customers of all classes; not used.
    offered    (P, K, R) offered load of closed classes, in erlangs, >= 0.
    one_of_all  (P, R) share that an arriving customer itself has in the load of its class, in [0, 1].
    busy       (P, K) logarithm of the probability that all servers are busy; not used.
    Returns    `CorrectionSlopes`.
    Method     the arrival theorem; exact for mixed networks, given the queue on arrival.
    Fails      never.
    Source     @reiser1980; for mixed networks @zahorjan1981.
    """
    nothing = np.zeros(offered.shape)
    slope = 1.0 / (1.0 - open_load)
    return CorrectionSlopes(slope, nothing + slope[..., None], nothing, nothing[..., 0], nothing[..., 0])


def rolia_sevcik(
    servers: Any, open_load: Any, total: Any, offered: Any, one_of_all: Any, busy: Any
) -> CorrectionSlopes:
    """Rolia and Sevcik: residence = demand x (1 + U^m x customers present / m), U the utilization of each server.

    Applies    stations with m >= 1 servers; those with one server are exact, as in `one_server`.
    servers    (K,) numbers of servers, >= 1.
    open_load  (P, K) offered load of open classes, in erlangs, in [0, m).
    total      (P,) closed customers of all classes; not used.
    offered    (P, K, R) offered load of closed classes, in erlangs, >= 0.
    one_of_all  (P, R) share that an arriving customer itself has in the load of its class; not used.
    busy       (P, K) logarithm of U^m, <= 0, as `saturated` gives it at the solution.
    Returns    `CorrectionSlopes`.
    Method     U^m replaces the probability p that all servers are busy, U being taken at the full population. With
               the open load a and u = a / m the open queue is (a + u p Q) / (1 - u p), Q that of closed classes, so
               that slope = p / (m (1 - u p)) and extra = 1 + a x slope.
    Fails      never.
    Source     @rolia1995; open classes: this tool.
    """
    several = servers > 1
    share = open_load / servers
    chance = np.where(several, np.exp(busy), 1.0)
    free = 1.0 - share * chance
    slope = chance / (servers * free)
    bend = np.where(several, slope / free, 0.0)
    nothing = np.zeros(offered.shape)
    return CorrectionSlopes(slope, nothing + (1.0 + open_load * slope)[..., None], nothing, bend, open_load * bend)


def conway(servers: Any, open_load: Any, total: Any, offered: Any, one_of_all: Any, busy: Any) -> CorrectionSlopes:
    """Conway and de Souza e Silva-Muntz: residence = demand / m x (1 + customers present + idle servers beyond one).

    Applies    stations with m >= 1 servers.
    servers    (K,) numbers of servers, >= 1.
    open_load  (P, K) offered load of open classes, in erlangs, in [0, m).
    total      (P,) closed customers of all classes.
    offered    (P, K, R) offered load of closed classes, in erlangs, >= 0.
    one_of_all  (P, R) share that an arriving customer itself has in the load of its class, in [0, 1].
    busy       (P, K) logarithm of the probability that all servers are busy; not used.
    Returns    `CorrectionSlopes`.
    Method     The exact residence is demand / m x (1 + queue on arrival + sum over j < m - 1 of (m - 1 - j) p(j)), p(j)
               the probabilities found on arrival. Taken equal for all populations, the recursion of p(j) has the
               solution of M/M/m at the load a found on arrival, and the sum is m - 1 - a + W, W the probability that
               all servers are busy: Erlang's C without the states that closed customers are too few to reach. No
               recursion, no loss of digits; exact for one customer, for as many servers as customers, and for open
               stations. With u = open load / m the open queue is u (1 + idle + Q) / (1 - u), Q that of closed classes.
    Fails      never.
    Source     @conway1989; @desouza1990; the closed form: this tool.
    """
    slope = 1.0 / (servers - open_load)
    closed = np.maximum(summed(offered)[..., None] - one_of_all[:, None, :] * offered, 0.0)
    extra = np.zeros(offered.shape) + slope[..., None]
    change = np.zeros(offered.shape)
    for station in np.flatnonzero(servers > 1).tolist():
        count = float(servers[station])
        load = open_load[:, station, None] + closed[:, station]
        inside = load < count
        load = np.minimum(load, count)
        wait, growth = np.zeros(load.shape), np.zeros(load.shape)
        matters = inside & (_rarely(count, load) < _NEVER)
        if matters.any():
            others = np.broadcast_to(total[:, None], load.shape)[matters]
            chance = all_busy(int(servers[station]), load[matters], closed[:, station][matters], others)
            wait[matters], growth[matters] = chance
        idle = np.where(inside, np.maximum(count - 1.0 - load + wait, 0.0), 0.0)
        extra[:, station] *= 1.0 + idle
        change[:, station] = np.where(inside, growth - 1.0, 0.0) * slope[:, station, None]
    nothing = np.zeros(slope.shape)
    return CorrectionSlopes(slope, extra, change, nothing, nothing)


def _rarely(servers: float, load: Any) -> Any:
    """Minus the logarithm of Chernoff's bound of the probability that a Poisson number of mean `load` is at least
    `servers`."""
    return servers * np.log(servers / np.maximum(load, 1e-300)) - (servers - load)


def all_busy(servers: int, load: Array, closed: Array, total: Array) -> tuple[Any, Any]:
    """The probability that a customer finds all servers busy, and its derivative by the load.

    servers  m >= 1.
    load     erlangs that it observes, in [0, m].
    closed   the part of the load of closed classes.
    total    customers of all closed classes, itself included.

    Erlang's C has states with any number waiting; closed customers reach only those with less than `total` present,
    which leaves 1 - (load / m)^(total - m) of their weight.
    """
    chance, growth = erlang_c(servers, load)
    some = np.maximum(load, 1e-300)
    share = np.where(load > 0, np.minimum(closed / some, 1.0), 1.0)
    more = np.maximum(total - servers, 0.0)
    beyond = (load / servers) ** more
    left = 1.0 - share * beyond
    fall = -beyond / some * (1.0 - share + share * more)
    weight = left * chance
    overall = weight + 1.0 - chance
    ok = overall > 1e-12
    overall = np.where(ok, overall, 1.0)
    rise = fall * chance + left * growth
    return np.where(ok, weight / overall, left), np.where(
        ok, (rise * (1.0 - chance) + weight * growth) / overall**2, 0.0
    )


def seidmann(demands: Any, servers: Any) -> tuple[Any, Any]:
    """Seidmann: m servers as one that is m times faster, followed by a delay of (m - 1) / m of the demand.

    Applies   stations with m >= 1 servers.
    demands   (P, K, R) demands at rate 1, in seconds.
    servers   (K,) numbers of servers, >= 1.
    Returns   the demands of the fast servers and the delays, both (P, K, R), in seconds.
    Method    exact for one customer and at saturation; overestimates the residence between.
    Fails     never.
    Source    @seidmann1987.
    """
    fast = demands / servers[:, None]
    return fast, demands - fast


def saturated(servers: Any, open_load: Any, offered: Any) -> tuple[Any, Any]:
    """The logarithm of U^m and its derivatives by the logarithms of the throughputs, divided by the offered loads.

    Applies    stations with m >= 1 servers; both are 0 for one server.
    servers    (K,) numbers of servers, >= 1.
    open_load  (P, K) offered load of open classes, in erlangs, >= 0.
    offered    (P, K, R) offered load of closed classes, in erlangs, >= 0.
    Returns    (P, K), the logarithm of U^m, and (P, K), m / load.
    Method     m log(load / m).
    Fails      never.
    Source     definition.
    """
    load = np.maximum(open_load + summed(offered), 1e-300)
    several = servers > 1
    return np.where(several, servers * np.log(load / servers), 0.0), np.where(several, servers / load, 0.0)


def erlang_c(servers: int, offered: Any) -> tuple[Any, Any]:
    """Erlang's C and its derivative for an array of loads, as `conway` needs it.

    Applies   M/M/m up to saturation.
    servers   m >= 1.
    offered   an array of loads in [0, m], in erlangs.
    Returns   the probabilities of waiting and their derivatives, per erlang.
    Method    the recursion of Erlang's B, above 150 servers an integral for it.
    Fails     never.
    Source    @cooper1981, sections 3.3 and 3.4.
    """
    if servers <= _FEW:
        blocked: Any = np.ones(offered.shape)
        for count in range(1, servers + 1):
            lost = offered * blocked
            blocked = lost / (count + lost)
    else:
        blocked = _erlang_b_of_many(servers, np.maximum(offered, 1e-300))
    idle = servers - offered * (1.0 - blocked)
    wait = servers * blocked / idle
    ratio = servers / np.maximum(offered, 1e-300) - 1.0
    growth = np.where(blocked > 0.0, blocked * (ratio + blocked), 1.0 if servers == 1 else 0.0)
    return wait, (servers * growth + wait * (1.0 - blocked - offered * growth)) / idle


def _erlang_b_of_many(servers: int, offered: Any) -> Any:
    """Erlang's B for hundreds of servers and loads up to their number: 1 / B = a x integral of e^(-a t) (1 + t)^m dt.

    The integrand is nearly a Gaussian bell around t = m / a - 1 of the width sqrt(m) / a: 120 nodes of Gauss and
    Legendre over 14 widths to each side give ten digits and more. B is 0 where it is below the smallest float.
    """
    nodes, weights = _nodes()
    top, width = servers / offered - 1.0, 14.0 * servers**0.5 / offered
    first = np.maximum(top - width, 0.0)
    half = 0.5 * (top + width - first)
    times = first[..., None] + half[..., None] * (1.0 + nodes)
    peak = servers * np.log1p(top) - offered * top
    bell = np.exp(servers * np.log1p(times) - offered[..., None] * times - peak[..., None])
    return np.exp(-peak) / (offered * half * (bell @ weights))


@lru_cache(maxsize=1)
def _nodes() -> tuple[Any, Any]:
    return np.polynomial.legendre.leggauss(120)


def servers_of(rates: Sequence[Any]) -> tuple[int, ...] | None:
    """The numbers of servers of stations with the rates None or (1, 2, ..., m); None where there are other rates."""
    counts: list[int] = []
    for entry in rates:
        count = 1 if entry is None else len(entry)
        if entry is not None and any(float(rate) != index + 1 for index, rate in enumerate(entry)):
            return None
        counts.append(count)
    return tuple(counts)
