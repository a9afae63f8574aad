"""Open networks in closed form: every station by its own formula, holds by a fixed point over the waits inside them.

Applies   Poisson arrivals of any number of classes; single and multi-server stations, first come first served with any
          service variability and non-preemptive priorities, processor sharing, last come first served preemptive
          resume; delays; nested holds; work left after the response.
Exact     for product-form networks (Baskett, Chandy, Muntz, Palacios, J. ACM 22 (1975) 248-260) and for one M/G/1
          station alone. Otherwise each station is taken as independent of the others with Poisson arrivals, which is
          an approximation, and `Solution.reasons` says where it enters.
Fails     holds at processor-sharing or preemptive stations: what is waited for inside is taken as work, and the
          response contains the sharing of the second phase.
Cost      stations x routes per round; one round without holds, a handful with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks.duration import Wait
from qnet.networks.figures import Steady, figures
from qnet.networks.network import Network, OpenClass, Station
from qnet.networks.solution import Solution
from qnet.networks.streams import Key, Stream, Streams, follows, streams
from qnet.queues.arithmetic import ratio, total
from qnet.queues.waiting import Load, Queue, holder_wait, open_wait, queue
from qnet.record import Record

NAME = "open"

_TOLERANCE = 1e-12
_MAX_ROUNDS = 400
_ACCELERATED = 60
_PATIENCE = 60
_JUST_BELOW = 1 - 1e-9


def solve(network: Network) -> Solution:
    """The steady state of an open network, or of every point of a batch.

    Applies   every `Network` of open classes: probabilities that sum to one and no negative numbers, by the caller.
    network   rates per second, times in seconds.
    Returns   figures by class, route and station. Points without a steady state are marked in `Solution.stable`,
              never raised; their figures mean nothing, but for the loads that are `certain`.
    Raises    `NotComputed` where the waits inside holds do not converge at a point that has a steady state.
    Method    Rounds over the stations that others wait for, the innermost first, until no wait moves by more than
              1e-12 of the holding time it is part of; then the outer stations once.
    """
    return _Solver(network).solve()


class _Centre(Record):
    """One copy of a queueing station: who asks it."""

    key: Key
    station: Station
    indices: tuple[int, ...]
    """Its streams."""
    calm: bool
    """Whether no wait is part of its holding times, so that its loads are known from the start."""
    holders: int
    """How many holders can ask at once, over all kinds of them; 0 for none."""
    held: tuple[tuple[int, Value], ...]
    """The streams that the holders serve, with their rate over all those holders."""
    asked: tuple[tuple[int, Value], ...]
    """The streams of this station that the holders ask, at all copies, likewise."""


class _Solver:
    def __init__(self, network: Network) -> None:
        self.network = network
        self.operations: Operations = FLOATS if network.size is None else arrays()
        self.rates = [item.arrival_rate for item in network.classes if isinstance(item, OpenClass)]
        self.compiled: Streams = streams(network, self.operations, self.rates)
        self.all: tuple[Stream, ...] = self.compiled.streams
        self.waits: list[Wait] = [Wait(0.0, 0.0)] * len(self.all)
        waited_for = {index for stream in self.all for index in stream.holding.waits}
        self.felt = sorted(waited_for)
        """The streams whose waits are part of a holding time: the unknowns of the fixed point."""
        self.members = self.compiled.members()
        centres = _centres(network, self.compiled, self.members)
        self.inner = [centre for centre in centres if not waited_for.isdisjoint(centre.indices)]
        self.outer = [centre for centre in centres if waited_for.isdisjoint(centre.indices)]
        self.centres = (*self.inner, *self.outer)
        self.settled: dict[Key, tuple[tuple[Load, ...], Queue]] = {}

    def solve(self) -> Solution:
        """Iterate to the fixed point and collect the figures."""
        rounds = self.iterate()
        for centre in self.outer:
            self.visit(centre)
        rho = {centre.key: self.rho(centre) for centre in self.centres}
        steady = Steady(self.network, self.rates, self.compiled, self.members, self.waits, rho, self.operations)
        return figures(steady, NAME, rounds)

    def iterate(self) -> int:
        """Find what every stream waits; the number of rounds.

        Rounds are accelerated by one step of memory (Anderson, J. ACM 12 (1965) 547-560), each point of a batch by
        its own weight; where that does not settle, plain rounds are averaged with the ones before.
        """
        changes: Value = float("inf")
        memory: tuple[list[Value], list[Value]] | None = None
        for rounds in range(1, _MAX_ROUNDS + 1):
            before = [self.waits[index].mean for index in self.felt]
            changes = self.round(before)
            settled = changes <= _TOLERANCE
            if rounds > _PATIENCE:
                # A point that swings across saturation for so long has no steady state to be found.
                settled = settled | self.overloaded()
            if self.operations.all(settled):
                return rounds
            after = [self.waits[index].mean for index in self.felt]
            residual = [new - old for new, old in zip(after, before, strict=True)]
            if rounds > _ACCELERATED:
                self.set_means([(new + 3 * old) / 4 for new, old in zip(after, before, strict=True)])
            elif memory is not None:
                self.set_means(self.accelerated(after, residual, *memory))
            memory = (after, residual)
        largest = changes if isinstance(changes, (int, float)) else changes.max()
        found = f"the waits inside holds did not converge: residual {largest:.1e} after {_MAX_ROUNDS} rounds"
        raise NotComputed(
            Problem("QN511", found, f"a residual of {_TOLERANCE:.0e}", help="try a lower load, or report the model")
        )

    def set_means(self, means: list[Value]) -> None:
        """Replace the unknowns; variances follow in the next round."""
        for index, mean in zip(self.felt, means, strict=True):
            self.waits[index] = Wait(mean, self.waits[index].variance)

    def accelerated(
        self, after: list[Value], residual: list[Value], after_before: list[Value], residual_before: list[Value]
    ) -> list[Value]:
        """The mix of the last two rounds with the smallest residual, if both were linear."""
        change = [new - old for new, old in zip(residual, residual_before, strict=True)]
        overlap = total(item * new for item, new in zip(change, residual, strict=True))
        weight = ratio(overlap, total(item * item for item in change))
        weight = self.operations.minimum([self.operations.maximum([weight, -2.0]), 0.95])
        mixed = [new - weight * (new - old) for new, old in zip(after, after_before, strict=True)]
        return [self.operations.maximum([mean, 0.0]) for mean in mixed]

    def round(self, before: list[Value]) -> Value:
        """One pass over the stations that others wait for, the innermost first; the largest relative change."""
        for centre in self.inner:
            self.visit(centre)
        result: Value = 0.0
        for index, old in zip(self.felt, before, strict=True):
            new = self.waits[index].mean
            size = new + self.holding(index) + 1e-300
            result = self.operations.maximum([result, self.operations.absolute(new - old) / size])
        return result

    def holding(self, index: int) -> Value:
        """Mean holding time of a stream, both phases, waits inside it included."""
        return self.all[index].holding.mean_with(self.waits)

    def rho(self, centre: _Centre) -> Value:
        """Load per server, with the waits as they are."""
        return total(self.all[index].rate * self.holding(index) for index in centre.indices) / centre.station.servers

    def overloaded(self) -> Value:
        """Where some station has at least as much load as servers."""
        return self.operations.maximum([self.rho(centre) for centre in self.centres]) >= 1.0

    def visit(self, centre: _Centre) -> None:
        """Find what the streams of one station group wait, from the holding times as they are known."""
        if centre.key in self.settled:
            if not centre.holders:
                return
            loads, met = self.settled[centre.key]
        else:
            loads = self.loads(centre)
            met = queue(centre.station.servers, loads, centre.holders, self.operations)
            if centre.calm:
                self.settled[centre.key] = (loads, met)
        busy, longest = self.holders(centre, met) if centre.holders else (0.0, 0.0)
        found: dict[tuple[int, bool], tuple[Value, Value]] = {}
        for index, load in zip(centre.indices, loads, strict=True):
            case = (load.priority, bool(load.holders))
            if case not in found and load.holders:
                found[case] = holder_wait(met, load.priority, busy, longest, self.operations)
            elif case not in found:
                found[case] = open_wait(met, load.priority)
            mean, variance = found[case]
            if centre.station.discipline != "fcfs":
                # Sharing and preemptive disciplines: the wait is proportional to the own service.
                stretch = ratio(load.first + load.second, met.holder_residual if load.holders else met.residual)
                mean, variance = mean * stretch, variance * stretch**2
            self.waits[index] = Wait(mean, variance)

    def loads(self, centre: _Centre) -> tuple[Load, ...]:
        """The loads of a station group; where they reach its servers they are scaled down.

        Just below saturation instead of none at all: outer loads then grow without a jump, as root searches need.
        """
        loads = tuple(self.load(self.all[index]) for index in centre.indices)
        rho = total(load.rate * (load.first + load.second) for load in loads) / centre.station.servers
        if self.operations.all(rho <= _JUST_BELOW):
            return loads
        scale = _JUST_BELOW / self.operations.maximum([rho, _JUST_BELOW])
        return tuple(load.replace(rate=load.rate * scale) for load in loads)

    def load(self, stream: Stream) -> Load:
        """What a stream asks, given what it waits inside."""
        first, second = stream.first.mean_with(self.waits), stream.second.mean_with(self.waits)
        second_variance = stream.second.variance_with(self.waits)
        both = (first + second) ** 2
        if stream.scv is None:
            square = stream.first.variance_with(self.waits) + second_variance + both
        else:
            square = (stream.scv + 1) * both
        second_square = second_variance + second**2
        return Load(stream.rate, first, second, square, second_square, stream.priority, stream.holders)

    def holders(self, centre: _Centre, met: Queue) -> tuple[Value, Value]:
        """Of the holders that ask at a station: utilization apart from their wait for it, and the longest wait.

        They cannot wait for more than the rest of their time; of that they get the station's utilization, so that
        below its saturation they are never full because of it, and at its saturation its own capacity is the limit.
        """
        busy = total(rate * self.holding(index) for index, rate in centre.held)
        waiting = total(rate * self.waits[index].mean for index, rate in centre.asked)
        busy = self.operations.maximum([(busy - waiting) / centre.holders, 0.0])
        asked = total(rate for _, rate in centre.asked)
        rest = centre.holders * self.operations.maximum([1.0 - busy, 0.0])
        return busy, met.offered / met.servers * rest / (asked + 1e-300)


def _centres(network: Network, compiled: Streams, members: Mapping[Key, Sequence[int]]) -> list[_Centre]:
    """The queueing station groups that are asked at all, the innermost first."""
    stations = {station.name: station for station in network.stations}
    centres: list[_Centre] = []
    for key in compiled.order:
        station, indices = stations[key[0]], members[key]
        if station.delay or not indices:
            continue
        own = [compiled.streams[index] for index in indices]
        calm = not any(stream.holding.waits for stream in own)
        kinds = {stream.holder: stream.holders for stream in own if stream.holders}
        held: list[tuple[int, Value]] = []
        asked: list[tuple[int, Value]] = []
        for name in kinds:
            outer, together = stations[name], follows(station, stations[name])
            held += _rates(compiled, members, outer, key[1] if together else None)
            asked += [
                (index, rate)
                for index, rate in _rates(compiled, members, station, key[1] if together else None)
                if compiled.streams[index].holder == name
            ]
        centres.append(_Centre(key, station, tuple(indices), calm, sum(kinds.values()), tuple(held), tuple(asked)))
    return centres


def _rates(
    compiled: Streams, members: Mapping[Key, Sequence[int]], station: Station, group: int | None
) -> list[tuple[int, Value]]:
    """The streams of one copy in a group, or of all copies of a station, and their rate there."""
    groups = (
        [(group, 1)] if group is not None else [(number, item.copies) for number, item in enumerate(station.groups)]
    )
    streams = compiled.streams
    return [
        (index, copies * streams[index].rate) for number, copies in groups for index in members[station.name, number]
    ]
