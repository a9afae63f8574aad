"""Product-form answers weighted by the correction for the order of arrival.

The correction alone is an approximation of two things: of the order of arrival, and of what product-form theory knows
exactly. So it is made twice, with and without the order of arrival, and what product form says a class waits is
multiplied by the ratio of the two. Where times become equal and exponential the ratio becomes 1 and the answer exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qnet.errors import NotComputed
from qnet.lazy import np
from qnet.networks.product.demands import Demands
from qnet.networks.wanted import Divided, Wanted

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart

OPERATIONS = 3e7
"""The most that the exact product-form answer of a point may take: some hundredths of a second."""
_LEAST = 1e-9
"""Of a demand: a wait beside which one is nothing, and the demand of a class of zero time."""
_HALVINGS = 40
_ROUNDING = 1e-11


def shared(network: Demands) -> Demands:
    """The network with service shared at all stations, which has product form: what it asks of stations is the same.

    A class that comes to a station and asks nothing of it gets next to nothing, so that its wait is known.
    """
    found: Demands = object.__new__(Demands)
    for name in Demands.__slots__:
        setattr(found, name, getattr(network, name))
    found.disciplines = ("ps",) * len(network.disciplines)
    found.scv = found.priority = None
    found.demands = _with_least(network)
    return found


def _with_least(network: Demands) -> Any:
    if network.visits is None:
        return network.demands
    if network.size is None:
        rows: list[tuple[float, ...]] = []
        for station, row in enumerate(network.demands):
            least = 0.0 if network.delay[station] else _LEAST * max(row)
            visited = [network.visits[station][kind] > 0 for kind in range(len(row))]
            rows.append(tuple(max(one, least) if here else one for one, here in zip(row, visited, strict=True)))
        return tuple(rows)

    least = np.where(np.array(network.delay)[:, None], 0.0, _LEAST * network.demands.max(-1, keepdims=True))
    return np.where(network.visits > 0, np.maximum(network.demands, least), network.demands)


def product_form_residence(network: Demands, wanted: Wanted, solve_part: SolvePart) -> Any:
    """(B, K, R) seconds at all stations where service is shared, of each point as it would be alone.

    Returns  None where no method finds them.
    """
    budget = Wanted(operations=min(wanted.operations, OPERATIONS), memory=wanted.memory, each=True)
    try:
        found = solve_part(network, budget).figures.residence
    except NotComputed:
        return None
    except Divided as divided:
        table = np.zeros(network.demands.shape)
        for part in (divided.first, ~divided.first):
            own = product_form_residence(_part(network, part), wanted, solve_part)
            if own is None:
                return None
            table[part] = own
        return table
    table = np.asarray(found, float)
    return table[None] if network.size is None else table


def _part(network: Demands, chosen: Any) -> Demands:
    """Some variants of a batch."""
    found: Demands = object.__new__(Demands)
    for name in Demands.__slots__:
        setattr(found, name, getattr(network, name))
    for name in ("demands", "visits"):
        value = getattr(network, name)
        setattr(found, name, None if value is None else value[chosen])
    for name in ("population", "think_time", "arrival_rate"):
        values = tuple(None if value is None else value[chosen] for value in getattr(network, name))
        setattr(found, name, values)
    found.size = int(chosen.sum())
    return found


def weights(demands: Any, known: Any, corrected: Any) -> Any:
    """(B, K, R) what waits are to be multiplied by: those of product form over the corrected ones, both shared.

    demands     (B, K, R) seconds of service, all positive where a class comes.
    known       (B, K, R) residences of product form.
    corrected   (B, K, R) residences by the method that corrects them.
    """
    least = _LEAST * demands
    ratio = np.maximum(known - demands + least, least) / np.maximum(corrected - demands + least, 1e-300)
    return np.where((demands > 0) & np.isfinite(ratio), ratio, 1.0)


def weighted(demands: Any, waits: Any, weight: Any, spare: Any, population: Any, think_time: Any) -> Any:
    """(B, K, C) residences of closed classes with their waits weighted, as far as no station does more than it can.

    demands      (B, K, C) seconds of service per passage.
    waits        (B, K, C) seconds of waiting per passage, with which no station does more than it can.
    weight       (B, K, C) factors of the waits.
    spare        (B, K) what open classes leave of the servers; infinite at delays.
    population   (B, C) customers; think_time  (B, C) seconds.
    """

    def residence(share: Any) -> Any:
        return demands + waits * weight ** share[:, None, None]

    def feasible(share: Any) -> Any:
        cycle = think_time + residence(share).sum(1)
        rate = np.where(population > 0, population / np.where(cycle > 0, cycle, 1.0), 0.0)
        return ((rate[:, None] * demands).sum(-1) <= spare * (1.0 + _ROUNDING)).all(-1)

    most = np.ones(len(demands))
    over = ~feasible(most)
    if over.any():
        low, high = np.zeros(len(demands)), most.copy()
        for _ in range(_HALVINGS):
            middle = (low + high) / 2.0
            fits = feasible(middle)
            low, high = np.where(fits, middle, low), np.where(fits, high, middle)
        most = np.where(over, low, most)
    return residence(most)
