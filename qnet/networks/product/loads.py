"""What open classes ask of stations, and whether the stations have product form."""

from __future__ import annotations

from typing import Any

from qnet.errors import NoAnswer, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import np
from qnet.networks.product.demands import Demands
from qnet.networks.product.open_classes import load_of
from qnet.networks.reasons import Inexact, Reason


def loads(network: Demands) -> list[Any]:
    """Open load of every station, in erlangs at rate 1: floats, or arrays (B,)."""
    rates = [network.arrival_rate[kind] for kind in network.open]
    return [
        load_of(rates, [network.demand(station, kind) for kind in network.open]) + _nothing(network)
        for station in range(network.shape[0])
    ]


def _nothing(network: Demands) -> Value:
    if network.size is None:
        return 0.0

    return np.zeros(network.size)


def shared(network: Demands) -> list[int]:
    """Stations with several servers or rates: what open load leaves of them differs from variant to variant."""
    return [
        station
        for station in range(network.shape[0])
        if not network.delay[station] and (network.servers[station] > 1 or network.rates[station] is not None)
    ]


def visited_open(network: Demands, station: int) -> bool:
    """Whether an open class has a demand at a station, arrivals or none."""
    demands = [network.demand(station, kind) for kind in network.open]
    return any(demand > 0 if network.size is None else (demand > 0).any() for demand in demands)


def refuse_overload(network: Demands) -> None:
    """Raise `NoAnswer` where the open classes ask a station for as much as it can do, or more.

    Named is the station with the largest load, in a batch that of the first variant without a steady state.
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
            identical, exponential = _identical_times(network, station), _exponential(network, station)
            if not everywhere(network, identical):
                code = "different times in order"
            elif not everywhere(network, exponential):
                code = "variable times in order"
        if code:
            result.append(Inexact(Reason(code, station=network.station_label(station))))
    return tuple(result)


def everywhere(network: Demands, condition: Any) -> bool:
    """Whether something is true, at every variant of a batch."""
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
    """Whether a station has product form that serves in order of arrival, or the last by several servers.

    It has with one exponential time for all visits: the class in service makes no difference then.

    network, station  of demands, and the index of the station.
    Returns  a truth value, or an array (B,) of them.
    """
    return _identical_times(network, station) & _exponential(network, station)


def _exponential(network: Demands, station: int) -> Any:
    """Whether all visits to a station have exponential times there."""
    result: Any = True
    for kind in range(network.shape[1] if network.scv is not None else 0):
        distance = abs(network.variability(station, kind) - 1.0)
        result = result & ((distance <= 1e-12) | (network.demand(station, kind) == 0) | network.nobody(kind))
    return result


def _identical_times(network: Demands, station: int) -> Any:
    """Whether all classes have the same time per visit at a station."""
    operations: Operations = FLOATS if network.size is None else arrays()
    result: Any = True
    first: Any = None
    for kind in range(network.shape[1]):
        demand, visits = network.demand(station, kind), network.visit_ratio(station, kind)
        # A visit without service waits in line all the same.
        used = (visits > 0) & (not network.nobody(kind))
        if not (used.any() if network.size is not None else used):
            continue
        if first is None:
            first = (demand, visits)
        result = result & (operations.absolute(demand * first[1] - first[0] * visits) <= 1e-12 * demand * first[1])
    return result
