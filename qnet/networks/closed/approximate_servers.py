"""What several servers do to a residence time in an approximate closed solution: one correction per function.

Every correction has one form, which the core of all approximations solves:

    residence = demand x (extra + slope x queue seen on arrival)

with `slope` per station and `extra` per station and class, both functions of the offered load only. One server is
slope 1 and extra 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from qnet.record import Record

_FEW = 150
"""Up to so many servers Erlang's recursion is used, above an integral."""


class Slopes(Record):
    """The correction at one point: values and derivatives with respect to the offered load, in erlangs."""

    slope: Any
    """(P, K)"""
    slope_change: Any
    """(P, K): with respect to the load of all classes."""
    extra: Any
    """(P, K, R)"""
    extra_change: Any
    """(P, K, R): with respect to the load that a customer of the class finds on arrival."""


def one_server(servers: Any, offered: Any, own: Any) -> Slopes:
    """The form of stations with one server: residence = demand x (1 + queue seen on arrival).

    Applies   stations with one server; several servers after `seidmann` has split them.
    servers   (K,) numbers of servers, all 1.
    offered   (P, K, R) offered load by class, in erlangs, >= 0.
    own       (P, R) share of the own class in its load that an arriving customer does not find, in [0, 1].
    Returns   `Slopes`.
    Method    the arrival theorem.
    Fails     never.
    Source    Reiser and Lavenberg, J. ACM 27 (1980) 313-322.
    """
    import numpy

    np: Any = numpy

    ones = np.ones(offered.shape[:2])
    nothing = np.zeros(offered.shape)
    return Slopes(ones, ones * 0, nothing + 1, nothing)


def rolia_sevcik(servers: Any, offered: Any, own: Any) -> Slopes:
    """Rolia and Sevcik: residence = demand x (1 + U^m x queue seen / m), U the utilization of each of the m servers.

    Applies   stations with m >= 1 servers.
    servers   (K,) numbers of servers, >= 1.
    offered   (P, K, R) offered load by class, in erlangs, >= 0.
    own       (P, R) share of the own class that an arriving customer does not find; not used.
    Returns   `Slopes`.
    Method    U^m stands for the probability that all servers are busy; U is taken at the full population.
    Fails     with many servers near saturation the fixed point is stiff, and some networks do not converge.
    Source    Rolia and Sevcik, IEEE Trans. Software Engineering 21 (1995) 689-700; LQNS, `Rolia_PS_Multi_Server`.
    """
    import numpy

    np: Any = numpy

    load = np.minimum(offered.sum(-1) / servers, 1.0)
    slope = load**servers / servers
    change = np.where(load < 1.0, load ** (servers - 1.0) / servers, 0.0)
    nothing = np.zeros(offered.shape)
    return Slopes(slope, change, nothing + 1, nothing)


def conway(servers: Any, offered: Any, own: Any) -> Slopes:
    """Conway and de Souza e Silva-Muntz: residence = demand / m x (1 + queue seen + idle servers found beyond one).

    Applies   stations with m >= 1 servers.
    servers   (K,) numbers of servers, >= 1.
    offered   (P, K, R) offered load by class, in erlangs, >= 0.
    own       (P, R) share of the own class in its load that an arriving customer does not find, in [0, 1].
    Returns   `Slopes`.
    Method    The exact residence is demand / m x (1 + queue seen + sum over j < m - 1 of (m - 1 - j) p(j)), p(j) the
              probabilities found on arrival. Taken equal for all populations, the recursion of p(j) has the solution
              of M/M/m at the load a found on arrival, and the sum is m - 1 - a + C(m, a) with Erlang's C: no
              recursion, no loss of digits, exact for one customer and for open stations.
    Fails     never.
    Source    Conway, in Puigjaner and Potier (eds), Modeling Techniques and Tools for Computer Performance Evaluation,
              1989; de Souza e Silva and Muntz, IEEE Trans. Computers 39 (1990) 840-842; the closed form: this tool.
    """
    import numpy

    np: Any = numpy

    found = np.maximum(offered.sum(-1)[..., None] - own[:, None, :] * offered, 0.0)
    extra = np.ones(offered.shape)
    change = np.zeros(offered.shape)
    for station in [index for index, count in enumerate(servers.tolist()) if count > 1]:
        count = float(servers[station])
        wait, growth = _erlang_c(int(servers[station]), np.minimum(found[:, station], count))
        inside = found[:, station] < count
        idle = np.where(inside, count - 1.0 - found[:, station] + wait, 0.0)
        extra[:, station] = (1.0 + np.maximum(idle, 0.0)) / count
        change[:, station] = np.where(inside, growth - 1.0, 0.0) / count
    return Slopes(np.broadcast_to(1.0 / servers, offered.shape[:2]), np.zeros(offered.shape[:2]), extra, change)


def seidmann(demands: Any, servers: Any) -> tuple[Any, Any]:
    """Seidmann: m servers as one that is m times faster, followed by a delay of (m - 1) / m of the demand.

    Applies   stations with m >= 1 servers.
    demands   (P, K, R) demands at rate 1, in seconds.
    servers   (K,) numbers of servers, >= 1.
    Returns   the demands of the fast servers and the delays, both (P, K, R), in seconds.
    Method    exact for one customer and at saturation; overestimates the residence between.
    Fails     never.
    Source    Seidmann, Schweitzer and Shalev-Oren, Large Scale Systems 12 (1987) 91-107.
    """
    fast = demands / servers[:, None]
    return fast, demands - fast


def _erlang_c(servers: int, offered: Any) -> tuple[Any, Any]:
    """Erlang's C and its derivative for an array of loads in [0, servers]."""
    import numpy

    np: Any = numpy

    if servers <= _FEW:
        blocked: Any = np.ones(offered.shape)
        for busy in range(1, servers + 1):
            seen = offered * blocked
            blocked = seen / (busy + seen)
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
    import numpy

    np: Any = numpy

    nodes, weights = _nodes()
    top, width = servers / offered - 1.0, 14.0 * servers**0.5 / offered
    first = np.maximum(top - width, 0.0)
    half = 0.5 * (top + width - first)
    times = first[..., None] + half[..., None] * (1.0 + nodes)
    peak = servers * np.log1p(top) - offered * top
    bell = np.exp(servers * np.log1p(times) - offered[..., None] * times - peak[..., None])
    return np.exp(-peak) / (offered * half * (bell @ weights))


@cache
def _nodes() -> tuple[Any, Any]:
    import numpy

    np: Any = numpy

    return np.polynomial.legendre.leggauss(120)


def servers_of(rates: Sequence[Any]) -> tuple[int, ...] | None:
    """The numbers of servers of stations with the rates None or (1, 2, ..., m); None where there are other rates."""
    counts: list[int] = []
    for entry in rates:
        count = 1 if entry is None else len(entry)
        if entry is not None and any(float(rate) != place + 1 for place, rate in enumerate(entry)):
            return None
        counts.append(count)
    return tuple(counts)
