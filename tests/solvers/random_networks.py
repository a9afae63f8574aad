"""Random open networks with everything the language can say, from a seed, single or as a batch."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
from building import scaled

from qnet.networks.open.solve import solve
from qnet.networks.routed import Group, Hold, OpenClass, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.solution import RoutedSolution

HIGHEST = 0.97
"""The largest load that a random network is scaled to."""
CLOSE = 0.01
"""How far the load of a random network is from the one wanted, unless six rounds bring it no closer."""


class Maker:
    """Draws one network; numbers are floats, or arrays of `size` points for some of them."""

    def __init__(self, seed: int, size: int | None = None) -> None:
        self.rng = Random(seed)
        self.size = size
        self.stations: list[Station] = []

    def number(self, low: float, high: float) -> Any:
        """A number on a logarithmic scale; in a batch half of them vary from point to point."""
        draw = self.rng.uniform
        logs = np.log([low, high])
        if self.size is None or self.rng.random() < 0.5:
            return float(np.exp(draw(*logs)))
        return np.exp([draw(*logs) for _ in range(self.size)])

    def share(self) -> Any:
        """A number between 0 and 1."""
        if self.size is None or self.rng.random() < 0.5:
            return self.rng.random()
        return np.array([self.rng.random() for _ in range(self.size)])

    def network(self) -> RoutedNetwork:
        """One network, not scaled yet."""
        rng = self.rng
        for index in range(rng.randint(2, 6)):
            self.stations.append(self.station(index))
        classes = tuple(self.customers(index) for index in range(rng.randint(1, 3)))
        return RoutedNetwork(tuple(self.stations), classes, (), self.size)

    def station(self, index: int) -> Station:
        rng, name = self.rng, f"s{index}"
        leaders = [item for item in self.stations if not item.follows and item.copies > 1]
        if leaders and rng.random() < 0.4:
            leader = rng.choice(leaders)
            groups = tuple(group.replace(label=f"{name}{group.label[2:]}") for group in leader.groups)
            return Station(name, False, rng.randint(1, 2), "fcfs", groups, leader.name)
        discipline = rng.choice(["fcfs", "fcfs", "fcfs", "fcfs", "ps", "lcfs-pr"])
        servers = rng.choice([1, 1, 1, 2, 3, 8])
        return Station(name, rng.random() < 0.15, servers, discipline, self.groups(name))

    def groups(self, name: str) -> tuple[Group, ...]:
        rng = self.rng
        copies = rng.choice([1, 1, 1, 2, 4, 16])
        if copies == 1 or rng.random() < 0.4:
            return (Group(name, copies, 1 / copies),)
        hot, share = rng.randint(1, copies - 1), self.share()
        cold = copies - hot
        return (Group(f"{name}[hot]", hot, share / hot), Group(f"{name}[cold]", cold, (1 - share) / cold))

    def customers(self, index: int) -> OpenClass:
        rng = self.rng
        weights = [self.number(0.1, 1) for _ in range(rng.randint(1, 3))]
        whole = sum(weights)
        routes = tuple(Route(f"r{number}", weight / whole, self.steps(0, ())) for number, weight in enumerate(weights))
        return OpenClass(f"c{index}", self.number(0.2, 1), routes)

    def steps(self, first: int, held: tuple[str, ...]) -> tuple[Step, ...]:
        """Some steps at stations from number `first` on, inside some holds."""
        rng = self.rng
        found: list[Step] = [self.step(first, held) for _ in range(rng.randint(1, 3))]
        return tuple(found) if held else (*found, self.hold(first, held))

    def step(self, first: int, held: tuple[str, ...]) -> Step:
        if first >= len(self.stations) or self.rng.random() < (0.5 if held else 0.2):
            return Time(self.number(0.05, 1), self.scv(), self.visits(), *self.phase(held))
        return self.hold(first, held)

    def hold(self, first: int, held: tuple[str, ...]) -> Hold:
        rng = self.rng
        index = rng.randint(first, len(self.stations) - 1)
        station = self.stations[index]
        ordered = station.discipline == "fcfs" and not station.delay
        deep = len(held) < 2 and index + 1 < len(self.stations) and ordered and rng.random() < 0.6
        phase, keeps = self.phase(held)
        still = held if keeps is None else keeps
        inside = self.steps(index + 1, (*still, station.name)) if deep else ()
        return Hold(
            station.name,
            (Time(self.number(0.05, 1), self.scv()), *inside),
            self.visits(),
            phase,
            keeps,
            priority=rng.choice([0, 0, 0, 1, 2, -1]) if ordered else 0,
            exempt=rng.choice([0.0, self.share()]) if ordered else 0.0,
            scv=self.scv() if rng.random() < 0.3 else None,
        )

    def scv(self) -> Any:
        return self.rng.choice([0.0, 1.0, 1.0, self.number(0.2, 3)])

    def visits(self) -> Any:
        return self.rng.choice([1.0, 1.0, 1.0, 0.5, 2.0, self.number(0.3, 3)])

    def phase(self, held: tuple[str, ...]) -> tuple[int, tuple[str, ...] | None]:
        rng = self.rng
        if rng.random() < 0.8:
            return 1, None
        return 2, rng.choice([None, tuple(name for name in held if rng.random() < 0.5)])


def random_network(seed: int, size: int | None = None) -> RoutedNetwork:
    """A network scaled so that its busiest station has a load below `HIGHEST`, at every point."""
    network = Maker(seed, size).network()
    draw = Random(-seed - 1)
    wanted: Any = draw.uniform(0.05, HIGHEST)
    if size is not None:
        wanted = np.array([draw.uniform(0.05, HIGHEST) for _ in range(size)])
    factor = 1e-6 + 0.0 * wanted
    for _ in range(6):
        load = largest_load(network, factor)
        if np.all((np.abs(load - wanted) <= CLOSE) & (load <= HIGHEST)):
            break
        factor = factor * np.where(load < 1, wanted / np.maximum(load, 1e-9), 0.5)
    else:
        while not np.all(fits := largest_load(network, factor) <= HIGHEST):
            factor = factor * np.where(fits, 1.0, 0.8)
    return scaled(network, factor if size is not None else float(factor))


def largest_load(network: RoutedNetwork, factor: Any) -> Any:
    """The load of the busiest station, per point, with every arrival rate multiplied by a factor."""
    loads = [item.load for item in solve(scaled(network, factor), warned=False).loads]
    return np.max(np.broadcast_arrays(*loads), axis=0) if loads else 0.0


def at(value: Any, point: int) -> Any:
    """One point of a batch: every array replaced by its element, at any depth."""
    if isinstance(value, np.ndarray):
        return float(value[point])
    if isinstance(value, tuple):
        items = [at(item, point) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


def single(network: RoutedNetwork, point: int) -> RoutedNetwork:
    """The network of one point of a batch."""
    return at(network, point).replace(size=None)


def permuted(value: Any, order: Sequence[int]) -> Any:
    """A batch with its points in another order."""
    if isinstance(value, np.ndarray):
        return value[list(order)]
    if isinstance(value, tuple):
        items = [permuted(item, order) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


def numbers(solution: RoutedSolution) -> dict[str, Any]:
    """Every number of a solution by a name of its own, for comparisons."""
    found: dict[str, Any] = {"throughput": solution.throughput, "response": solution.response}
    records = [*solution.classes, *solution.routes, *solution.stations, *solution.visits, *solution.loads]
    for index, record in enumerate(records):
        for field, value in record.as_dict().items():
            if isinstance(value, (float, np.ndarray)):
                found[f"{index} {type(record).__name__}.{field} {record[0]}"] = value
    for outer, shares in solution.held_by.items():
        for inner, value in shares.items():
            found[f"held_by {outer} {inner}"] = value
    return found
