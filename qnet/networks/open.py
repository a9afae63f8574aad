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
_ACCELERATED = 60
_JUST_BELOW = 1 - 1e-9


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
        queues = [key for key in self.compiled.order if self.at[key] and not self.stations[key[0]].delay]
        waited_for = {index for stream in self.all for part in (stream.first, stream.second) for index in part.waits}
        self.felt = sorted(waited_for)
        """The streams whose waits are part of a holding time: the unknowns of the fixed point."""
        self.inner = [key for key in queues if waited_for & set(self.at[key])]
        self.outer = [key for key in queues if key not in self.inner]
        self.rho: dict[Key, Value] = {}
        self.full: dict[Key, Value] = {}
        self.settled: dict[Key, tuple[tuple[Load, ...], Queue]] = {}

    def solve(self) -> Solution:
        """Iterate to the fixed point and collect the figures."""
        rounds = self.iterate()
        for key in self.outer:
            self.visit(key)
        steady = Steady(self.network, self.compiled, self.waits, self.rho, self.unstable(), self.operations)
        return figures(steady, NAME, rounds)

    def iterate(self) -> int:
        """Find what every stream waits; the number of rounds.

        Rounds are accelerated by one step of memory (Anderson, J. ACM 12 (1965) 547-560), each point of a batch by
        its own weight; where that does not settle, plain rounds are averaged with the ones before.
        """
        changes: Value = float("inf")
        memory: tuple[list[Value], list[Value]] | None = None
        for rounds in range(1, _MAX_ROUNDS + 1):
            before = self.means()
            changes = self.round(before)
            settled = changes <= _TOLERANCE
            if rounds > _ACCELERATED:
                settled = settled | self.unstable()
            if self.operations.all(settled):
                return rounds
            after = self.means()
            residual = [new - old for new, old in zip(after, before, strict=True)]
            if rounds > _ACCELERATED:
                self.set_means([(new + 3 * old) / 4 for new, old in zip(after, before, strict=True)])
            elif memory is not None:
                self.set_means(self.accelerated(after, residual, *memory))
            memory = (after, residual)
        raise NotComputed(
            Problem("QN511", f"the waits inside holds did not converge: residual {_largest(changes):.1e} after {_MAX_ROUNDS} rounds",
                    f"a residual of {_TOLERANCE:.0e}", help="try a lower load, or report the model")
        )  # fmt: skip

    def means(self) -> list[Value]:
        """The unknowns: the mean waits that are part of a holding time."""
        return [self.waits[index].mean for index in self.felt]

    def set_means(self, means: list[Value]) -> None:
        """Replace the unknowns; variances follow in the next round."""
        for index, mean in zip(self.felt, means, strict=True):
            self.waits[index] = self.waits[index]._replace(mean=mean)

    def accelerated(self, after: list[Value], residual: list[Value], after_before: list[Value], residual_before: list[Value]) -> list[Value]:
        """The mix of the last two rounds with the smallest residual, if both were linear."""
        change = [new - old for new, old in zip(residual, residual_before, strict=True)]
        square = _sum(item * item for item in change)
        weight = _sum(item * new for item, new in zip(change, residual, strict=True)) / (square + (square == 0))
        weight = self.operations.minimum([self.operations.maximum([weight, -2.0 + 0 * weight]), 0.95 + 0 * weight])
        mixed = [new - weight * (new - old) for new, old in zip(after, after_before, strict=True)]
        return [self.operations.maximum([mean, 0.0 * mean]) for mean in mixed]

    def round(self, before: list[Value]) -> Value:
        """One pass over the stations that others wait for, the innermost first; the largest relative change."""
        for key in self.inner:
            self.visit(key)
        result: Value = 0.0
        for index, old in zip(self.felt, before, strict=True):
            new = self.waits[index].mean
            size = self.operations.absolute(new) + self.holding(index) + 1e-300
            result = self.operations.maximum([result + 0 * size, self.operations.absolute(new - old) / size])
        return result

    def unstable(self) -> Value:
        """Where some station has more load than servers."""
        result: Value = False
        for full in self.full.values():
            result = result | full
        return result

    def visit(self, key: Key) -> None:
        """Find what the streams of one station group wait, from the holding times as they are known."""
        station, indices = self.stations[key[0]], self.at[key]
        if key in self.settled:
            loads, met = self.settled[key]
        else:
            loads = self.calm_loads(key)
            met = queue(station.servers, loads, self.holder_count(indices), self.operations)
            if not any(self.all[index].first.waits or self.all[index].second.waits for index in indices):
                self.settled[key] = (loads, met)
        for index, wait in zip(indices, self.station_waits(station, indices, loads, met), strict=True):
            self.waits[index] = wait

    def calm_loads(self, key: Key) -> tuple[Load, ...]:
        """The loads of a station group; where they exceed its servers they are scaled down and the point is marked.

        Just below saturation instead of none at all: outer loads then grow without a jump, as root searches need.
        """
        operations, station = self.operations, self.stations[key[0]]
        loads = tuple(self.load(self.all[index]) for index in self.at[key])
        self.rho[key] = _sum(load.offered for load in loads) / station.servers
        self.full[key] = operations.compare(">=", self.rho[key], 1.0)
        scale = operations.where(self.full[key], _JUST_BELOW / operations.maximum([self.rho[key], 1.0 + 0 * self.rho[key]]), 1.0)
        return tuple(load._replace(rate=load.rate * scale) for load in loads)

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

    def station_waits(self, station: Station, indices: list[int], loads: tuple[Load, ...], met: Queue) -> list[Wait]:
        """What each stream of a station group waits, given what arrivals meet."""
        found: dict[tuple[int, bool], tuple[Value, Value]] = {}
        result: list[Wait] = []
        for load in loads:
            case = (load.priority, bool(load.holders))
            if case not in found:
                if load.holders:
                    busy = self.busy_holders(indices, met.holders)
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
