"""Open networks in closed form: every station by its own formula, holds by a fixed point over the waits inside them.

Applies   Poisson arrivals of any number of classes; single and multi-server stations, first come first served with any
          service variability and non-preemptive priorities, processor sharing, last come first served preemptive
          resume; delays; nested holds; work left after the response.
Exact     for product-form networks (Baskett, Chandy, Muntz, Palacios, J. ACM 22 (1975) 248-260) and for one M/G/1
          station alone. Otherwise each station is taken as independent of the others with Poisson arrivals, which is
          an approximation, and `Solution.reasons` says where it enters.
Cost      stations x routes per round; one round without holds, a handful with them.
"""

from __future__ import annotations

from typing import Any

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks.duration import Wait
from qnet.networks.network import Network, Station
from qnet.networks.figures import Steady, figures
from qnet.networks.solution import Solution
from qnet.networks.streams import Key, Stream, Streams, streams
from qnet.queues.waiting import Load, Queue, holder_wait, open_wait, queue

NAME = "open"

_TOLERANCE = 1e-12
_MAX_ROUNDS = 400


def solve(network: Network) -> Solution:
    """The steady state of an open network, or of every point of a batch.

    Points without a steady state are marked in `Solution.stable`, never raised.

    Raises `NotComputed` where the waits inside holds do not converge at a point that has a steady state.
    """
    return _Solver(network).solve()


class _Solver:
    def __init__(self, network: Network) -> None:
        self.network = network
        self.operations: Operations = FLOATS if network.size is None else arrays()
        self.compiled: Streams = streams(network, self.operations)
        self.all: tuple[Stream, ...] = self.compiled.streams
        self.stations: dict[str, Station] = {station.name: station for station in network.stations}
        self.at: dict[Key, list[int]] = {key: [] for key in self.compiled.order}
        for index, stream in enumerate(self.all):
            self.at[stream.station, stream.group].append(index)
        self.waits: list[Wait] = [Wait(0.0, 0.0)] * len(self.all)
        self.unstable: Value = False if network.size is None else self._full(False)
        self.rho: dict[Key, Value] = {}
        self.busy_chance: dict[Key, tuple[Any, Any]] = {}

    def _full(self, value: Any) -> Any:
        import numpy as np

        return np.full(self.network.size or 1, value)

    def solve(self) -> Solution:
        """Iterate to the fixed point and collect the figures."""
        rounds = self.iterate()
        steady = Steady(self.network, self.compiled, self.waits, self.rho, self.unstable, self.operations)
        return figures(steady, NAME, rounds)

    def iterate(self) -> int:
        """Find what every stream waits; the number of rounds."""
        damping, before = 1.0, float("inf")
        for rounds in range(1, _MAX_ROUNDS + 1):
            change = self.round(damping)
            if change <= _TOLERANCE:
                return rounds
            if rounds > 6 and change > 0.5 * before:
                damping = max(0.25, damping * 0.7)
            before = change
        raise NotComputed(
            Problem("QN511", f"the waits inside holds did not converge: residual {change:.1e} after {_MAX_ROUNDS} rounds",
                    f"a residual of {_TOLERANCE:.0e}", help="try a lower load, or report the model")
        )  # fmt: skip

    def round(self, damping: float) -> float:
        """One pass over the stations, the innermost first; the largest relative change of a wait."""
        operations = self.operations
        change = 0.0
        unstable = False
        for key in self.compiled.order:
            station, indices = self.stations[key[0]], self.at[key]
            if not indices or station.delay:
                continue
            loads = tuple(self.load(self.all[index]) for index in indices)
            offered = _sum(load.offered for load in loads)
            self.rho[key] = offered / station.servers
            full = operations.compare(">=", self.rho[key], 1.0)
            unstable = unstable | full
            scale = operations.where(full, 0.0, 1.0)
            calm = tuple(load._replace(rate=load.rate * scale) for load in loads)
            for index, wait in zip(indices, self.station_waits(station, key, indices, calm), strict=True):
                old = self.waits[index]
                new = Wait(old.mean + damping * (wait.mean - old.mean), old.variance + damping * (wait.variance - old.variance))
                self.waits[index] = new
                size = operations.absolute(wait.mean) + self.holding(index) + 1e-300
                change = max(change, float(_largest(operations.absolute(wait.mean - old.mean) / size)))
        self.unstable = unstable
        return change

    def load(self, stream: Stream) -> Load:
        first, second = stream.first.mean_with(self.waits), stream.second.mean_with(self.waits)
        second_variance = stream.second.variance_with(self.waits)
        if stream.scv is None:
            variance = stream.first.variance_with(self.waits) + second_variance
        else:
            variance = stream.scv * (first + second) ** 2
        return Load(
            stream.rate, first, second, variance + (first + second) ** 2, second_variance + second**2,
            stream.priority, stream.holders,
        )  # fmt: skip

    def holding(self, index: int) -> Value:
        stream = self.all[index]
        return stream.first.mean_with(self.waits) + stream.second.mean_with(self.waits)

    def station_waits(self, station: Station, key: Key, indices: list[int], loads: tuple[Load, ...]) -> list[Wait]:
        """What each stream of a station group waits, given the current holding times."""
        holders = self.holder_count(indices)
        met = self.queue(station, key, loads, holders)
        found: dict[tuple[int, bool], tuple[Value, Value]] = {}
        result: list[Wait] = []
        for load in loads:
            case = (load.priority, bool(load.holders))
            if case not in found:
                if load.holders:
                    busy = self.busy_holders(indices, holders)
                    found[case] = holder_wait(met, station.servers, loads, load.priority, busy, self.operations)
                else:
                    found[case] = open_wait(met, station.servers, loads, load.priority)
            mean, variance = found[case]
            if station.discipline != "fcfs":
                # Sharing and preemptive disciplines: the wait is proportional to the own service.
                residual = met.holder_residual if load.holders else met.residual
                stretch = (load.first + load.second) / (residual + (residual == 0))
                mean, variance = mean * stretch, variance * stretch**2
            result.append(Wait(mean, variance))
        return result

    def queue(self, station: Station, key: Key, loads: tuple[Load, ...], holders: int) -> Queue:
        """What arrivals meet; the all-busy probability of holders is kept while the loads do not change."""
        if not holders:
            return queue(station.servers, loads, 0, self.operations)
        signature = [value for load in loads for value in (load.rate, load.first, load.second)]
        loads_before, chance = self.busy_chance.get(key, ([], None))
        known = len(loads_before) == len(signature) and all(
            float(_largest(self.operations.absolute(new - old))) == 0.0 for new, old in zip(signature, loads_before, strict=True)
        )
        met = queue(station.servers, loads, holders, self.operations, chance if known else None)
        self.busy_chance[key] = (signature, met.holder_busy)
        return met

    def holder_count(self, indices: list[int]) -> int:
        """How many holders can ask at once, over all kinds of them."""
        return sum({self.all[index].holder: self.all[index].holders for index in indices if self.all[index].holders}.values())

    def busy_holders(self, indices: list[int], holders: int) -> Value:
        """Utilization of the holders that ask here, apart from their wait for this station."""
        here = self.all[indices[0]]
        total: Value = 0.0
        for name in {self.all[index].holder for index in indices if self.all[index].holders}:
            outer = self.stations[name]
            groups = [here.group] if self.follows(self.stations[here.station], outer) else range(len(outer.groups))
            for group in groups:
                copies = 1 if self.follows(self.stations[here.station], outer) else outer.groups[group].copies
                total = total + copies * _sum(self.all[index].rate * self.holding(index) for index in self.at[name, group])
        waiting = _sum(
            self.all[index].rate * self.waits[index].mean * self.per_holder(index) for index in indices if self.all[index].holders
        )
        return self.operations.maximum([(total - waiting) / holders, 0.0])

    def per_holder(self, index: int) -> int:
        """Copies of this station that one set of holders asks."""
        stream = self.all[index]
        station = self.stations[stream.station]
        return 1 if self.follows(station, self.stations[stream.holder]) else station.groups[stream.group].copies

    def follows(self, inner: Station, outer: Station) -> bool:
        return bool(inner.follows) and inner.follows in (outer.name, outer.follows)


def _largest(value: Value) -> Value:
    return value if isinstance(value, (int, float)) else value.max()


def _sum(values: Any) -> Value:
    return sum(values, 0.0)
