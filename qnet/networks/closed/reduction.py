"""Reduced networks, which have the same solution at less work, and the figures of the full network from theirs.

Classes without customers and stations without demand are left out. Delays are added to the think time. A station with a
constant rate is a single server of that speed, one with at least as many servers as customers is a delay. Identical
stations are one group with a count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.errors import NoAnswer, NotComputed, Problem
from qnet.lazy import np
from qnet.networks.closed.problem import ClosedFigures, ClosedNetwork, Rates
from qnet.record import Record

MOST_APART = 10_000_000
"""The number of customers above which the probability of each number is not computed."""


class StationGroup(Record):
    """Identical queueing stations of a reduced network."""

    demands: tuple[float, ...]
    rates: Rates
    size: int
    """The number of stations."""


class Reduced(Record):
    """The reduced network. All populations are positive, and every class has a demand or a think time."""

    groups: tuple[StationGroup, ...]
    population: tuple[int, ...]
    think_time: tuple[float, ...]
    """Think times, delays included."""
    classes: tuple[int, ...]
    """The indices of the classes in the full network."""
    indices: tuple[int | None, ...]
    """By station of the full network: the index of its group; None for a delay, or without demand."""

    @property
    def total(self) -> int:
        """The number of all customers."""
        return sum(self.population)


def reduced(network: ClosedNetwork, apart: bool = False) -> Reduced:
    """The reduced network of a point, made once for each network.

    apart   whether to keep identical stations separate, and delays as stations with rates 1, 2, ..., for marginal
            probabilities
    Raises  `NoAnswer` for a class with customers that has no demand and no think time
    """
    if apart not in network.reductions:
        network.reductions[apart] = _reduced(network, apart)
    return network.reductions[apart]


def _reduced(network: ClosedNetwork, apart: bool) -> Reduced:
    """As `reduced`, without its cache."""
    classes = tuple(index for index, count in enumerate(network.population) if count > 0)
    population = tuple(network.population[index] for index in classes)
    think = [network.think_time[index] for index in classes]
    for number, index in enumerate(classes):
        if think[number] <= 0 and all(row[index] <= 0 for row in network.demands):
            text = f"class {index} has customers and neither demand nor think time: its throughput has no limit"
            raise NoAnswer(Problem("QN403", text))
    total = sum(population)
    if apart and total > MOST_APART:
        text = f"{total} customers are too many for their state probabilities"
        raise NotComputed(Problem("QN515", text, f"at most {MOST_APART}"))
    groups: dict[Any, list[Any]] = {}
    """By the properties of their stations: the index of the group, and its number of stations."""
    indices: list[int | None] = []
    known: dict[Any, list[Any]] = {}
    """The groups of identical stations of the full network."""
    for station, row in enumerate(network.demands):
        station_key = row, network.delay[station], network.rates[station]
        if station_key in known:
            known[station_key][1] += 1
            indices.append(known[station_key][0])
            continue
        demands = tuple(row[index] for index in classes)
        if not any(demands):
            indices.append(None)
            continue
        delay = network.delay[station]
        rates = None if delay else _effective(network.rates[station], total)
        if delay and apart:
            rates = _linear(total)
        elif rates is not None and len(rates) == 1:
            demands, rates = tuple(value / rates[0] for value in demands), None
        if not apart and (delay or _without_waits(rates, total)):
            think = [have + value for have, value in zip(think, demands, strict=True)]
            indices.append(None)
            continue
        key = (demands, rates, station if apart else None)
        group = groups.setdefault(key, [len(groups), 0])
        group[1] += 1
        indices.append(group[0])
        if not apart:
            known[station_key] = group
    kept = tuple(StationGroup(key[0], key[1], count) for key, (_, count) in groups.items())
    return Reduced(kept, population, tuple(think), classes, tuple(indices))


def _without_waits(rates: Rates, total: int) -> bool:
    """Whether a station has a server for every customer."""
    return rates is not None and len(rates) == total and all(rate == index for index, rate in enumerate(rates, 1))


def _linear(total: int) -> tuple[float, ...]:
    return tuple(float(count) for count in range(1, total + 1))


def _effective(rates: Rates, total: int) -> Rates:
    """The rates that a population can reach, without repetition of the last."""
    if rates is None:
        return (1.0,)
    rates = rates[:total]
    length = len(rates)
    while length > 1 and rates[length - 2] == rates[-1]:
        length -= 1
    return rates[:length]


def expanded(
    network: ClosedNetwork,
    core: Reduced,
    throughput: Sequence[float],
    residence: Sequence[Sequence[float]],
    log_constant: float,
    method: str,
    marginals: Sequence[Sequence[float]] | None = None,
) -> ClosedFigures:
    """The figures of the full network.

    throughput  of the classes of the reduced network
    residence   of one station of each group, by class
    marginals   of one station of each group, or None
    """
    rates = [0.0] * network.classes
    for index, value in zip(core.classes, throughput, strict=True):
        rates[index] = value
    present = dict(zip(core.classes, range(len(core.classes)), strict=True))
    columns = [present.get(class_index) for class_index in range(network.classes)]
    of_groups = [tuple(0.0 if column is None else row[column] for column in columns) for row in residence]
    times = [
        tuple(0.0 if column is None else value for column, value in zip(columns, network.demands[station], strict=True))
        if index is None
        else of_groups[index]
        for station, index in enumerate(core.indices)
    ]
    overall = None
    if marginals is not None:
        empty = (1.0, *(0.0,) * core.total)
        overall = tuple(empty if index is None else tuple(marginals[index]) for index in core.indices)
    return ClosedFigures(
        throughput=tuple(rates),
        residence=tuple(times),
        log_constant=log_constant,
        marginals=overall,
        method=method,
    )


def stacked(answers: Sequence[ClosedFigures], network: ClosedNetwork) -> ClosedFigures:
    """The figures of a batch from those of its points; marginals are padded with zeros to the largest population."""
    shapes = {"throughput": (0, network.classes)}
    columns: dict[str, Any] = {}
    for name in ("throughput", "residence", "log_constant"):
        shape = shapes.get(name, (0,) if name == "log_constant" else (0, network.stations, network.classes))
        rows = [np.asarray(getattr(answer, name), float).reshape(shape[1:]) for answer in answers]
        columns[name] = np.stack(rows) if rows else np.zeros(shape)
    marginals = None
    if answers and answers[0].marginals is not None:
        longest = max((len(row) for answer in answers for row in answer.marginals), default=1)
        marginals = np.zeros((len(answers), network.stations, longest))
        for index, answer in enumerate(answers):
            for station, row in enumerate(answer.marginals):
                marginals[index, station, : len(row)] = row
    methods = ", ".join(dict.fromkeys(answer.method for answer in answers))
    return ClosedFigures(**columns, marginals=marginals, method=methods)


def nothing(network: ClosedNetwork, method: str, marginals: bool) -> ClosedFigures:
    """The figures of a point without customers."""
    zeros = (0.0,) * network.classes
    certain = ((1.0,),) * network.stations if marginals else None
    return ClosedFigures(
        throughput=zeros,
        residence=(zeros,) * network.stations,
        log_constant=0.0,
        marginals=certain,
        method=method,
    )
