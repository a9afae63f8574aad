"""Networks of demands as arrays, for the approximations of networks without product form.

Several servers are replaced by one fast server and a delay (@seidmann1987).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from qnet.lazy import Array, lazy
from qnet.networks.product.demands import Demands
from qnet.networks.product.open_classes import ordered_stations

if TYPE_CHECKING:
    from qnet.networks.closed import first_come, second_phase
else:
    first_come = lazy("qnet.networks.closed.first_come")
    second_phase = lazy("qnet.networks.closed.second_phase")


class NetworkArrays:
    """A network in arrays (B, K, R), with several servers as a fast server (`fast`) and a delay (`rest`)."""

    def __init__(self, network: Demands) -> None:
        size = 1 if network.size is None else network.size
        stations, classes = network.shape

        def table(cell: Any) -> Array:
            result = np.empty((size, stations, classes))
            for station in range(stations):
                for class_index in range(classes):
                    result[:, station, class_index] = cell(station, class_index)
            return result

        def column(values: Any) -> Array:
            return np.stack([np.broadcast_to(np.asarray(value, float), (size,)) for value in values], axis=1)

        self.network = network
        self.queues = [index for index, delay in enumerate(network.delay) if not delay]
        self.demands, self.visits = table(network.demand), table(network.visit_ratio)
        scv = table(network.variability)
        servers = np.array(network.servers, float)[None, :, None]
        self.fast = self.demands / servers
        self.rest = self.demands - self.fast
        line = np.zeros(stations, bool)
        line[ordered_stations(network)] = True
        ordered = line[None, :, None]
        each = np.where(self.visits > 0, self.fast / np.where(self.visits > 0, self.visits, 1.0), 0.0)
        self.each = each
        self.weight = np.where(ordered, each, 1.0)
        self.stretch: Array = np.where(ordered, self.visits, self.fast)
        self.excess = np.where(ordered, each * (scv - 1.0) / 2.0, 0.0)
        self.memory = np.where(ordered, each * np.where(scv > 1, 1.0 + scv, scv) / 2.0, 0.0)
        self.closed = np.array([class_index in network.closed for class_index in range(classes)])
        self.population = column([network.population[class_index] for class_index in network.closed])
        delay = np.array(network.delay)[None, :, None]
        outside: Array = np.where(delay, self.demands, self.rest).sum(1)
        closed = list(network.closed)
        self.given_think_time = column([network.think_time[class_index] for class_index in closed])
        self.think_time = self.given_think_time + outside[:, closed]
        opened = list(network.open)
        rates = column([network.arrival_rate[class_index] for class_index in opened]) if opened else np.zeros((size, 0))
        self.behind = np.zeros(self.demands.shape, bool)
        """Where an open class is second-phase work to which the customers of a closed one return."""
        for index, class_index in network.left.items():
            self.behind[:, :, index] = line & (self.demands[:, :, class_index] > 0) & (self.demands[:, :, index] > 0)
        self.load = np.where(self.behind, 0.0, self.fast)[:, :, opened] * rates[:, None, :]

    def lines(self, indices: list[int]) -> Any:
        """The queueing stations at some indices, with the closed classes and the load of open ones."""
        closed, opened = list(self.network.closed), list(self.network.open)

        def selected(values: Any) -> Any:
            return values[:, indices][:, :, closed]

        load = self.load[:, indices]
        return first_come.FirstComeBatch(
            demands=selected(self.fast),
            visits=selected(self.visits),
            weight=selected(self.weight),
            stretch=selected(self.stretch),
            excess=selected(self.excess),
            memory=selected(self.memory),
            open_load=load.sum(-1),
            open_rest=(load * (self.weight + self.excess)[:, indices][:, :, opened]).sum(-1),
            population=self.population,
            think_time=self.think_time,
            joins=None if self.network.joins is None else _Joins(self, indices),
            left=self.left(indices),
        )

    def left(self, indices: list[int]) -> Any:
        """The second-phase work for which customers of each closed class may wait on return; None without any."""
        if not self.network.left:
            return None

        closed = list(self.network.closed)
        rows = [np.zeros((len(self.demands), len(indices), len(closed))) for _ in range(3)]
        for column, class_index in self.network.left.items():
            behind = self.behind[:, indices, column]
            for row, values in zip(rows, (self.fast, self.each, self.excess), strict=True):
                row[..., closed.index(class_index)] = np.where(behind, values[:, indices, column], 0.0)
        absence = self.network.absence
        if absence is not None:
            passed = absence.passed[:, indices][:, :, indices]
            # At several servers a customer may return to a free one: the decay is not known there.
            several = (np.array(self.network.servers)[indices] > 1)[None, :, None]
            absence = absence.replace(
                mean=absence.mean[:, indices],
                variance=absence.variance[:, indices],
                decay=np.where(several, np.nan, absence.decay[:, indices]),
                passed=passed,
            )
        return second_phase.Left(rows[0], rows[1], rows[2], absence)


_KEPT = 3
"""How many results of parallel steps are kept: these take most of the time of a round."""
_FEW = 64
"""The most points of a batch that are looked up one by one."""


class _Joins:
    """The joins of a network, over its queueing stations and closed classes alone."""

    def __init__(self, table: NetworkArrays, indices: list[int]) -> None:
        self.joins = table.network.joins
        self.indices = indices
        self.closed = list(table.network.closed)
        self.shape = table.network.shape
        self.rest = table.rest[:, indices][:, :, self.closed]
        self.points = np.arange(len(self.rest))
        """The indices of the points in the batch of the network."""
        self.known: dict[tuple[bytes, bytes], Any] = {}
        """The latest results, by points and residences."""
        self.latest: list[tuple[dict[bytes, int], Any]] = []
        """The latest results for few points: the row of each point, and the rows."""

    def __getitem__(self, chosen: Any) -> _Joins:
        part = object.__new__(_Joins)
        part.__dict__.update(self.__dict__)
        part.joins, part.rest, part.points = self.joins[chosen], self.rest[chosen], self.points[chosen]
        return part

    def __call__(self, residence: Any) -> Any:
        key = self.points.tobytes(), residence.tobytes()
        if key not in self.known:
            while len(self.known) >= _KEPT:
                del self.known[next(iter(self.known))]
            self.known[key] = self._looked_up(residence)
        return self.known[key]

    def _looked_up(self, residence: Any) -> Any:
        """The results; for few points from the latest ones, where all points are among them."""
        if len(residence) > _FEW:
            return self._extra(residence)
        keys = [b"%d " % point + row.tobytes() for point, row in zip(self.points.tolist(), residence, strict=True)]
        for rows, answers in self.latest:
            positions = [rows.get(key, -1) for key in keys]
            if min(positions) >= 0:
                return answers[positions]
        answers = self._extra(residence)
        self.latest.append((dict(zip(keys, range(len(keys)), strict=True)), answers))
        del self.latest[:-_KEPT]
        return answers

    def _extra(self, residence: Any) -> Any:
        table = np.zeros((len(residence), *self.shape))
        rows, columns = np.array(self.indices, int)[:, None], np.array(self.closed, int)[None, :]
        table[:, rows, columns] = residence + self.rest
        return self.joins.extra(table)[:, self.closed]
