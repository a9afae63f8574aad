r"""Open classes with closed ones at product-form stations: the capacity that open load leaves, and the residence of
open classes; and which stations have product form.

With the load :math:`\rho = \sum_r \lambda_r D_r` (erlangs at rate 1) and the capacities a(1), a(2), ... of a station,
closed customers observe a station whose capacity with n of them present is T(n - 1) / T(n), with
:math:`T(n) = \sum_m \binom{n + m}{m} \rho^m / (a(1) \cdots a(n + m))`: for one server that is 1 - rho.

Source    @baskett1975; mixed networks: @lavenberg1983, chapter 3; the sums in closed form: this tool
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import exp, inf, log, sqrt
from typing import Any

from qnet.errors import NoAnswer, NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import Array, Indices, np
from qnet.networks.product.demands import Demands
from qnet.networks.reasons import Inexact, Reason
from qnet.queues.arithmetic import total

_WORK = 5e7
"""The most terms that are added up for the capacities which open load leaves."""
_NOTHING, _LARGE = 1e-18, 1e200
"""The share of a sum below which terms change no digit, and the size at which it is scaled: any far below 1e308."""


def capacities_left(load: float, capacities: Sequence[float], most: int | None = None) -> tuple[float, ...]:
    """The capacity of a station that open customers leave to closed ones.

    load        erlangs at rate 1 of the open customers, 0 <= load < the last capacity.
    capacities  relative capacities with 1, 2, ... present; the last repeats.
    most        the largest number of closed customers; None: any number.
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
        # Terms of many servers decrease beyond their peak, where open customers are at most as many as load and closed.
        reach = min(length, int(load + wanted + 10.0 * sqrt(load + wanted)) + 100)
    if wanted * (reach if load else 1) > _WORK:
        left = "the capacity that open classes leave of " if load else ""
        result = f"too large: {left}a station with {length:g} servers or rates, and up to {wanted:g} closed customers"
        help = (
            "" if load or wanted > length else "with no more customers than servers there are no waits: make it a delay"
        )
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
        # Rising capacities leave rising ones; rounding must not hide that from the bounds.
        most_left = last - load
        for count in range(len(result) - 1, -1, -1):
            result[count] = most_left = min(result[count], most_left)
    return tuple(result)


def all_left(load: Any, capacities: Sequence[float], most: int | None = None) -> Any:
    """As `capacities_left`; for an array of loads (B,), an array with a row for each."""
    if not hasattr(load, "ndim"):
        return capacities_left(load, capacities, most)
    values, index = np.unique(load, return_inverse=True)
    rows = [capacities_left(value, capacities, most) for value in values.tolist()]
    longest = max((len(row) for row in rows), default=1)
    return np.array([(*row, *row[-1:] * (longest - len(row))) for row in rows]).reshape(-1, longest)[index]


def _terms(load: float, capacities: Sequence[float], closed: int) -> tuple[float, float]:
    """Logarithms of the sum of the terms with fewer customers than capacities, and of the next term.

    A term is for a number present, `closed` of them in closed classes and the others in open ones; the first, without
    open ones, is 1. Negligible terms beyond the peak of many servers are left out.
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
    left    the result of `all_left`.
    states  probabilities of 0, 1, ... closed customers; with a batch axis first where `left` has one.
    Returns seconds. An arriving open customer observes the closed ones as they are over time (Poisson arrivals), and is
            served like one more of them.
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


def loads(network: Demands) -> list[Any]:
    """Open load of every station, in erlangs at rate 1: floats, or arrays (B,)."""
    rates = [network.arrival_rate[class_index] for class_index in network.open]
    return [
        load_of(rates, [network.demand(station, class_index) for class_index in network.open]) + _nothing(network)
        for station in range(network.shape[0])
    ]


def _nothing(network: Demands) -> Value:
    if network.size is None:
        return 0.0

    return np.zeros(network.size)


def shared(network: Demands) -> list[int]:
    """Stations with several servers or rates, of which open load leaves other capacities at every variant."""
    return [
        station
        for station in range(network.shape[0])
        if not network.delay[station] and (network.servers[station] > 1 or network.rates[station] is not None)
    ]


def visited_open(network: Demands, station: int) -> bool:
    """Whether an open class has a demand at a station, even without arrivals."""
    demands = [network.demand(station, class_index) for class_index in network.open]
    return any(demand > 0 if network.size is None else (demand > 0).any() for demand in demands)


def refuse_overload(network: Demands) -> None:
    """Raise `NoAnswer` QN401 where the load of open classes reaches the capacity of a station.

    The message names the station with the largest load, in a batch for the first variant without a steady state.
    """
    used = {
        station: load / network.capacities(station)[-1]
        for station, load in enumerate(loads(network) if network.open else [])
        if not network.delay[station]
    }
    variant, first = "", None
    if network.size is not None and used:
        over: Any = sum(share >= 1 for share in used.values())
        first = int((over > 0).argmax())
        variant = f" in variant {first}"
    shares = {station: float(share if first is None else share[first]) for station, share in used.items()}
    worst = max(shares, key=shares.__getitem__, default=None)
    if worst is None or shares[worst] < 1:
        return
    where = network.station_label(worst)
    text = f"no steady state: {where} would be {100 * shares[worst]:.4g} % utilized{variant}"
    help = (
        f"multiply the arrival rates by less than {1 / shares[worst]:.6g} for a steady state{' there' * bool(variant)}"
    )
    raise NoAnswer(Problem("QN401", text, "a load below every capacity", help=help))


def reasons(network: Demands) -> tuple[Inexact, ...]:
    """Why a network has no product form, so that its answer is approximate; empty where it has."""
    result: list[Inexact] = []
    for station, discipline in enumerate(network.disciplines):
        if network.delay[station] or discipline == "ps":
            continue
        code = ""
        if len(set(network.ranks(station))) > 1:
            code = "class interrupts" if discipline == "preemptive" else "class before another"
        elif discipline == "lcfs-pr":
            if network.servers[station] > 1 and not everywhere(network, product_form(network, station)):
                code = "stack without product form"
        else:
            equal, exponential = _identical_times(network, station), _exponential(network, station)
            if not everywhere(network, equal):
                code = "different times in order"
            elif not everywhere(network, exponential):
                code = "variable times in order"
        if code:
            result.append(Inexact(Reason(code, station=network.station_label(station))))
    return tuple(result)


def everywhere(network: Demands, condition: Any) -> bool:
    """Whether a condition is true, at every variant of a batch."""
    return bool(condition) if network.size is None or isinstance(condition, bool) else bool(condition.all())


def ranked(network: Demands) -> list[int]:
    """The stations that serve one class before another.

    network  of demands, or a batch.
    """
    return [station for station in range(network.shape[0]) if len(set(network.ranks(station))) > 1]


def ordered_stations(network: Demands) -> list[int]:
    """The queueing stations that serve first come first served.

    network  of demands, or a batch.
    """
    return [
        station
        for station, discipline in enumerate(network.disciplines)
        if discipline in ("fcfs", "priority", "preemptive") and not network.delay[station]
    ]


def product_form(network: Demands, station: int) -> Any:
    """Whether a station that serves in order of arrival, or last come first served with several servers, has product
    form.

    It does with one exponential time for all visits, since the class in service then makes no difference.

    network, station  of demands, and the index of the station.
    Returns  a bool, or an array (B,).
    """
    return _identical_times(network, station) & _exponential(network, station)


def _customers(network: Demands, station: int) -> Iterator[tuple[int, Value, Value, Value]]:
    """For every class at a station, those of chains separately: its number or that of its chain, demand, visits and
    scv."""
    size, changing = network.size, network.switching
    if changing is None:
        for class_index in range(network.shape[1]):
            numbers = network.demand(station, class_index), network.visit_ratio(station, class_index)
            yield class_index, *numbers, network.variability(station, class_index)
        return
    for class_index, chain in enumerate(changing.chain_of):
        cells = [table[station][class_index] for table in (changing.demands, changing.visits, changing.scv)]
        demand, visits, scv = cells if size is None else [np.broadcast_to(cell, (size,)) for cell in cells]
        yield chain, demand, visits, scv


def _exponential(network: Demands, station: int) -> Any:
    """Whether all visits to a station have exponential times there."""
    result: Any = True
    for class_index, demand, _, scv in _customers(network, station):
        result = result & ((abs(scv - 1.0) <= 1e-12) | (demand == 0) | network.nobody(class_index))
    return result


def _identical_times(network: Demands, station: int) -> Any:
    """Whether all classes have the same time per visit at a station."""
    operations: Operations = FLOATS if network.size is None else arrays()
    result: Any = True
    first: Any = None
    for class_index, demand, visits, _ in _customers(network, station):
        # A visit without service waits like any other.
        used = (visits > 0) & (not network.nobody(class_index))
        if not (used.any() if network.size is not None else used):
            continue
        if first is None:
            first = (demand, visits)
            continue
        equal = operations.absolute(demand * first[1] - first[0] * visits) <= 1e-12 * demand * first[1]
        result = result & (equal | (used == False))  # noqa: E712
        if network.size is not None:
            # The first class with visits may differ between variants.
            none = first[1] == 0
            first = (np.where(none, demand, first[0]), np.where(none, visits, first[1]))
    return result
