"""The closed classes of a network, on the capacity that open ones leave."""

from __future__ import annotations

from math import ceil
from typing import Any

from qnet.errors import NoAnswer, Problem
from qnet.lazy import np
from qnet.networks.closed.problem import ClosedNetwork, closed_network
from qnet.networks.product.demands import Demands
from qnet.networks.product.open_classes import all_left
from qnet.queues.arithmetic import total

_FEW = 300
"""How many rates of a station are computed at least; any number works: it only decides when longer lists are made."""
_CROWD = 10_000_000
"""The number of customers above which a station with a server for each is a delay: its rates would fill the memory."""


def closed_part(network: Demands, loads: list[Any], left: bool = True) -> ClosedNetwork:
    """The closed classes alone, on the capacity that open load leaves at every station.

    network  a point or a batch.
    loads    open load of every station, in erlangs at rate 1.
    left     whether stations of several servers or rates have the remaining capacities, as exact methods need them, or
             their full ones, for approximations that take the open load into account.
    Raises   `NoAnswer` QN403 for a class with customers that has no time to spend.
    """
    refuse_without_time(network)
    most = most_present(network)
    rates: list[Any] = []
    rows: list[list[Any]] = []
    delay = list(network.delay)
    for station, load in enumerate(loads):
        row = [network.demand(station, class_index) for class_index in network.closed]
        single = network.rates[station] is None and network.servers[station] == 1
        servers = 1 if network.rates[station] is not None else network.servers[station]
        delay[station] = delay[station] or (servers >= most > _CROWD and not _any(load))
        if delay[station] or single:
            rates.append(None)
            free = 1.0 if delay[station] else 1.0 - load
            rows.append([value / free for value in row])
        else:
            taken = load if left and _any(load) else 0.0
            rates.append(all_left(taken, network.capacities(station), most))
            rows.append(row)
    population = [network.population[class_index] for class_index in network.closed]
    think_time = [network.think_time[class_index] for class_index in network.closed]
    if network.size is not None:
        rows, population, think_time = _stacked(rows, population, think_time, network.size)
    return closed_network(rows, population, think_time, delay, rates, fractional=True)


def most_present(network: Demands) -> int:
    """The largest number of customers for which capacities are computed: that of all closed classes, at least 300."""
    people: Any = total(network.population[class_index] for class_index in network.closed)
    return max(_FEW, ceil(people if network.size is None else people.max()))


def _stacked(rows: Any, population: Any, think_time: Any, size: int) -> tuple[Any, Any, Any]:
    """Arrays with the batch axis first."""
    table = np.empty((size, len(rows), len(population)))
    for station, row in enumerate(rows):
        for class_index, value in enumerate(row):
            table[:, station, class_index] = value
    return table, np.stack(population, axis=1), np.stack(think_time, axis=1)


def _any(load: Any) -> bool:
    return bool(load.any()) if hasattr(load, "any") else load != 0


def refuse_without_time(network: Demands) -> None:
    """Raise `NoAnswer` for a closed class that spends no time anywhere."""
    for class_index in network.closed:
        time = network.think_time[class_index] + total(
            network.demand(station, class_index) for station in range(network.shape[0])
        )
        endless: Any = (network.population[class_index] > 0) & (time <= 0)
        if not (endless if network.size is None else endless.any()):
            continue
        variant = "" if network.size is None else f" in variant {int(endless.argmax())}"
        who = network.class_label(class_index)
        text = f"{who} has customers and neither demand nor think time{variant}: its throughput has no limit"
        raise NoAnswer(Problem("QN403", text, "a demand or a think time above 0"))
