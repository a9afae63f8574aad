r"""Open classes at product-form stations: how much a station stretches a demand, and what open load leaves to others.

With the load :math:`\rho = \sum_r \lambda_r D_r` (erlangs at rate 1) and the capacities a(1), a(2), ... of a station,
open customers present have :math:`p(j) \propto \rho^j / (a(1) \cdots a(j))`, and the residence of a class is

.. math:: R_r = D_r \sum_j \frac{j + 1}{a(j + 1)}\, p(j)

Closed customers observe a station whose capacity with n of them present is T(n - 1) / T(n), with
:math:`T(n) = \sum_m \binom{n + m}{m} \rho^m / (a(1) \cdots a(n + m))`: for one server that is 1 - rho.

Source    @baskett1975; mixed networks: @lavenberg1983, chapter 3; the sums in closed form: this tool
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import exp, inf, log, sqrt
from typing import TYPE_CHECKING, Any

from qnet.errors import NotComputed, Problem
from qnet.expression import Value
from qnet.lazy import Array, Indices, lazy, np
from qnet.queues.arithmetic import total

if TYPE_CHECKING:
    from qnet.queues import erlang
else:
    erlang = lazy("qnet.queues.erlang")

_WORK = 5e7
"""The most terms that are added up for the capacities which open load leaves."""
_NOTHING, _LARGE = 1e-18, 1e200
"""The share of a sum below which terms change no digit, and the size at which it is scaled: any far below 1e308."""


def stretch(load: Value, capacities: Sequence[float]) -> Value:
    """Residence over demand at a queueing station that only open customers use.

    load        erlangs at rate 1, 0 <= load < the last capacity: a float or an array.
    capacities  relative capacities with 1, 2, ... present; the last repeats.
    Returns     a factor >= least of (j + 1) / capacity(j + 1), of the shape of `load`.
    Method      c servers by Erlang's C; other rates by their distribution, scaled, with the geometric rest summed.
    Fails       load at or above the last capacity has no steady state; the caller must have refused it.
    """
    if isinstance(capacities, range) or all(value == index + 1 for index, value in enumerate(capacities)):
        servers = len(capacities)
        return 1 / (1 - load) if servers == 1 else 1 + erlang.erlang_c(servers, load) / (servers - load)
    return _by_states(load, capacities)


def _by_states(load: Value, capacities: Sequence[float]) -> Value:
    """The stretch of any capacities: sums over j below the last capacity, then over the geometric rest.

    The weights are kept as shares of their sum so far, which neither over- nor underflows.
    """
    last = capacities[-1]
    ratio = load / last
    # sum of p(j) and of (j + 1) / a(j + 1) p(j), both divided by the newest weight
    weights: Value = 1.0 + load * 0
    stretched: Value = weights / capacities[0]
    share: Value = weights
    for count, capacity in enumerate(capacities, start=1):
        share = share * load / capacity
        if count == len(capacities):
            break
        weights = weights + share
        stretched = stretched + share * ((count + 1) / capacities[count])
        scale = weights
        weights, stretched, share = weights / scale, stretched / scale, share / scale
    # From m = len(capacities) on: sum of ratio^i and of (m + i + 1) / last x ratio^i
    rest = 1 / (1 - ratio)
    weights = weights + share * rest
    stretched = stretched + share * (((len(capacities) + 1) * rest + ratio * rest * rest) / last)
    return stretched / weights


def capacities_left(load: float, capacities: Sequence[float], most: int | None = None) -> tuple[float, ...]:
    """What is left to closed customers of a station that open customers use as well.

    load        erlangs at rate 1 of the open customers, 0 <= load < the last capacity.
    capacities  relative capacities with 1, 2, ... present; the last repeats.
    most        the most closed customers that there can be; None: any number.
    Returns     len(capacities) + 1 relative capacities, or `most` if that is less, with 1, 2, ... closed customers
                present; the last repeats.
    Method      U(n) = T(n) a(1) ... a(n), so that n customers have a(n) U(n - 1) / U(n): a finite sum, term by term,
                and a geometric rest that obeys a recursion of two positive terms. Nothing cancels or overflows.
    Fails       as `stretch`; `NotComputed` QN515 where more than 5e7 terms would have to be added up.
    """
    length, last = len(capacities), capacities[-1]
    wanted = length + 1 if most is None else max(1, min(length + 1, most))
    reach = length
    if isinstance(capacities, range):
        # Terms of many servers fall off beyond their peak, at most where as many are open as the load and as closed.
        reach = min(length, int(load + wanted + 10.0 * sqrt(load + wanted)) + 100)
    if wanted * (reach if load else 1) > _WORK:
        left = "what open classes leave of " if load else ""
        result = f"too large: {left}a station with {length:g} servers or rates, and up to {wanted:g} closed customers"
        help = "" if load or wanted > length else "with no more customers than servers no one waits: make it a delay"
        raise NotComputed(Problem("QN515", result, "fewer servers or customers", help=help))
    if load == 0:
        return tuple(float(value) for value in capacities[:wanted])
    left = log(last / (last - load))
    sums: list[float] = []
    rest = -inf
    for closed in range(min(wanted, length) + 1):
        head, final = _terms(load, capacities, closed)
        earlier = rest + log(capacities[closed - 1] / last) if closed else -inf
        rest = left + _log_sum([final, earlier])
        sums.append(_log_sum([head, rest]))
    result = [capacities[count] * exp(below - above) for count, (below, above) in enumerate(pairwise(sums))]
    result += [last - load] * (wanted > length)
    if isinstance(capacities, range) or all(value <= later for value, later in pairwise(capacities)):
        # Capacities that rise leave ones that rise to the last; rounding must not hide that from the bounds.
        most_left = last - load
        for count in range(len(result) - 1, -1, -1):
            result[count] = most_left = min(result[count], most_left)
    return tuple(result)


def all_left(load: Any, capacities: Sequence[float], most: int | None = None) -> Any:
    """As `capacities_left`; of an array of loads (B,) an array with one row each."""
    if not hasattr(load, "ndim"):
        return capacities_left(load, capacities, most)
    values, index = np.unique(load, return_inverse=True)
    rows = [capacities_left(value, capacities, most) for value in values.tolist()]
    longest = max((len(row) for row in rows), default=1)
    return np.array([(*row, *row[-1:] * (longest - len(row))) for row in rows]).reshape(-1, longest)[index]


def _terms(load: float, capacities: Sequence[float], closed: int) -> tuple[float, float]:
    """Logarithms of the sum of the terms with fewer present than there are capacities, and of the next term.

    A term has `closed` customers of closed classes, and those that make up the number present of open ones; the first,
    without open ones, is 1. Beyond the peak of servers what no longer counts is left out.
    """
    length = len(capacities)
    enough = _NOTHING * (1.0 - load / capacities[-1]) if isinstance(capacities, range) else 0.0
    overall, term, shift = 0.0, 1.0, 0.0
    for present in range(closed, length):
        overall += term
        term *= (present + 1) / (present + 1 - closed) * load / capacities[present]
        if overall > _LARGE:
            overall, term, shift = overall / _LARGE, term / _LARGE, shift + log(_LARGE)
        if term <= enough * overall:
            return log(overall) + shift, -inf
    return (log(overall) + shift if overall else -inf), log(term) + shift


def _log_sum(logs: Sequence[float]) -> float:
    top = max(logs)
    return top if top == -inf else top + log(sum(exp(value - top) for value in logs))


def residence_beside(demand: float, left: Any, states: Any) -> Any:
    """Residence of an open class at a station where closed customers are present with known probabilities.

    demand  seconds at rate 1.
    left    what `all_left` gives.
    states  probabilities of 0, 1, ... closed customers; with a batch axis first where `left` has one.
    Returns seconds. An arriving open customer sees the closed ones as they are (Poisson arrivals), and is stretched
            like one more of them.
    """
    if hasattr(left, "ndim"):
        present: Indices = np.arange(int(states.shape[1]))
        factors: Array = (present + 1) / left[:, np.minimum(present, left.shape[1] - 1)]
        return demand * (factors * states).sum(axis=1)
    longest = len(left)
    return demand * total((count + 1) / left[min(count, longest - 1)] * share for count, share in enumerate(states))


def load_of(rates: Sequence[Any], demands: Sequence[Any]) -> Any:
    """Offered load in erlangs: the sum of arrival rate x demand over the open classes."""
    return total(rate * demand for rate, demand in zip(rates, demands, strict=True))
