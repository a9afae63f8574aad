r"""Poisson arrivals at a station whose service rate depends on the number present, with product form.

With the load :math:`\rho` (erlangs at rate 1) and the capacities a(1), a(2), ..., customers present have
:math:`p(j) \propto \rho^j / (a(1) \cdots a(j))`, and one that is served for D seconds at rate 1 has the residence time

.. math:: R = D \sum_j \frac{j + 1}{a(j + 1)}\, p(j)

Source    @baskett1975
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qnet.expression import Value
from qnet.lazy import lazy

if TYPE_CHECKING:
    from qnet.queues import erlang
else:
    erlang = lazy("qnet.queues.erlang")


def stretch(load: Value, capacities: Sequence[float]) -> Value:
    """Residence over demand at a queueing station that only open customers use.

    load        erlangs at rate 1, 0 <= load < the last capacity: a float or an array.
    capacities  relative capacities with 1, 2, ... present; the last repeats.
    Returns     a factor >= least of (j + 1) / capacity(j + 1), of the shape of `load`.
    Method      c servers by Erlang's C; other rates by their distribution, scaled, with the geometric rest summed.
    Fails       a load at or above the last capacity has no steady state; the caller must have refused it.
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
