"""The steady state of a network with closed classes whose stations are held while others are waited for.

Applies   closed classes, also with open ones; holds in holds to any depth, second phases; single and
          several servers, first come first served, processor sharing, last come first served preemptive resume.
Method    `core`; every answer is proven by its residual.
Fails     as `core`, and at holds of processor-sharing stations, where waits inside are taken as service.
Cost      rounds x tags x streams^2, some hundred rounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import Array, Flags
from qnet.networks.closed.approximate_mva import TOLERANCE
from qnet.networks.duration import Wait
from qnet.networks.exactness import LAYERS as METHOD
from qnet.networks.exactness import TimesWithoutWaits, between_integers
from qnet.networks.figures import Steady, figures
from qnet.networks.fixed_point import not_converged
from qnet.networks.layers.core import CAPPED, LOST, PATIENCE, LayerWaits
from qnet.networks.layers.table import Numbers, Shape, tables
from qnet.networks.layers.together import LayerProblem, solved
from qnet.networks.near import Nearby
from qnet.networks.reasons import Beyond, Reason
from qnet.networks.routed import ClosedClass, Fork, Hold, OpenClass, RoutedNetwork, Step
from qnet.networks.solution import RoutedSolution, StationFigures
from qnet.networks.streams import Key, Stream, Streams, streams
from qnet.networks.wanted import Wanted
from qnet.queues.arithmetic import total

_CELLS = 400_000
"""Streams^2 x tags x points that are solved at once, for the memory."""
_LARGEST = 2_000_000
"""Streams^2 x tags above which a point is too large."""
_FACTOR, _MOST = 3.0, 4.0
"""How far holding times at a station may differ, and how large their scv may be, where answers are trusted."""
_LEAST = 0.5
"""The least scv of a service time with which errors were measured."""
SOON_BACK = "soon back to a holder"
"""The reason where such a class is not trusted."""
_SIMILAR = 1.5
"""How far the times may differ for which classes keep servers, where one that soon returns is trusted as well."""
_ROUNDING = 1e-8
"""How far a utilization may exceed 1 by rounding; well above the residual of convergence."""
_ENDLESS = 1e-3
"""The residual below which an open load beyond a capacity by more than this is certain."""
_BEYOND = 0.05
"""The excess of an open load that is not known; any number well above 0, such that a search between it and known ones
goes to their middle."""
_BRIEFLY = 40
"""Rounds without progress after which the limit of the throughput is given up: with 80 no more of them converge."""
_CROWD = 1e5
"""The number of customers that counts as unlimited."""


def solve(network: RoutedNetwork, compiled: Streams, wanted: Wanted) -> RoutedSolution:
    """The steady state of a network of layers, or of every point of a batch.

    network   with closed classes; without priorities and rates that depend on the number present (not checked).
    compiled  its streams at one passage per second of every class.
    wanted    the method and its budget; state probabilities are refused.
    Returns   figures by class, route and station, never exact. Points where open load reaches a capacity are marked.
    Raises    `NotComputed` QN513 where state probabilities are wanted, QN541 for too many holds, QN540 where the waits
              are not proven.
    """
    if wanted.states:
        raise NotComputed(Problem("QN513", f"{METHOD} gives no state probabilities", "a network without holds"))
    return _Layers(network, compiled).solve(wanted)


def ceiling(network: RoutedNetwork, compiled: Streams) -> tuple[Value, str] | None:
    """The limit of the throughput of a single closed class with many customers, and the station that sets it.

    network   one closed class.
    compiled  its streams at one passage per second.
    Returns   passages per second and the label of the station; None where the estimate has not converged.
    """
    problem = ceiling_problem(network, compiled)
    numbers = problem.numbers.part([0])
    return _Layers(network, compiled).ceiling(problem.shape, numbers, solved(problem)[1])


def ceiling_problem(network: RoutedNetwork, compiled: Streams) -> LayerProblem:
    """The problem that `ceiling` solves; arguments as for `ceiling`."""
    shape, numbers = tables(network, compiled)
    return LayerProblem(shape, _Layers(network, compiled).crowded(numbers), False, np.full(2, _BRIEFLY))


def point_problems(network: RoutedNetwork, compiled: Streams) -> list[LayerProblem]:
    """The problems that `solve` or `ceiling` solve at a point; arguments as for these."""
    layers = _Layers(network, compiled)
    problems = [layers.problem(Wanted())]
    return [*problems, ceiling_problem(network, compiled)] if layers.alone(Wanted()) else problems


def untrusted(shape: Shape, numbers: Numbers, state: LayerWaits) -> tuple[Flags, Flags]:
    """(P, K) where waits are estimated beyond what was measured: for times that differ, and for times of large scv."""
    apart = np.zeros((len(state.waits), len(shape.keys)), bool)
    wild = apart.copy()
    for index in range(len(shape.keys)):
        members = np.flatnonzero((shape.centre == index) & (shape.present.diagonal() > 0) & ~shape.shared)
        if members.size:
            times, visited = state.holding[:, members], numbers.visits[:, members] > 0
            shortest = np.where(visited & (times > 0), times, np.inf).min(1)
            apart[:, index] = np.where(visited, times, 0.0).max(1) > _FACTOR * shortest
            wild[:, index] = (visited & (state.scv[:, members] > _MOST)).any(1)
    return apart, wild


def _structure(shape: Shape) -> tuple[int, int]:
    """The numbers of streams and tags, which determine the number and size of the core solutions."""
    return len(shape.class_of), len(shape.tags)


def _kept(stream: Stream) -> bool:
    """Whether a server is kept after the response."""
    later = stream.second
    return bool(later.waits) or not (arrays() if hasattr(later.mean, "shape") else FLOATS).all(later.mean == 0)


class _Layers:
    def __init__(self, network: RoutedNetwork, compiled: Streams) -> None:
        self.network, self.unit = network, compiled
        self.operations: Operations = FLOATS if network.size is None else arrays()
        self.members = compiled.members()
        self.open = any(isinstance(item, OpenClass) for item in network.classes)

    def alone(self, wanted: Wanted) -> bool:
        """Whether the limit of the throughput is wanted, of a single closed class."""
        single = len(self.network.classes) == len(self.network.closed) == 1
        return single and wanted.asks_ceiling(self.network.size)

    def problem(self, wanted: Wanted) -> LayerProblem:
        """The problem to solve: all points, and where the limit of the throughput is wanted the same with many
        customers."""
        shape, numbers = tables(self.without_arrivals(self.overloaded()), self.unit)
        size, alone = len(numbers.population), self.alone(wanted)
        if alone:
            return LayerProblem(shape, self.crowded(numbers), wanted.rough, np.repeat([PATIENCE, _BRIEFLY], size))
        near = wanted.near
        known = near is not None and near.method == METHOD and near.like(self.network.size, _structure(shape))
        begin = near.values[0] if near is not None and near.values and known else None
        return LayerProblem(shape, numbers, wanted.rough, np.full(size, PATIENCE), begin)

    def solve(self, wanted: Wanted) -> RoutedSolution:
        full, alone = self.overloaded(), self.alone(wanted)
        problem = self.problem(wanted)
        shape, size = problem.shape, len(problem.patience) // (1 + alone)
        numbers = problem.numbers.part(slice(size))
        waits, overall = self.converged(problem)
        waits, state = waits[:size], overall.part(slice(size))
        throughputs: list[Value] = [
            self.value(state.throughput[:, number]) if isinstance(item, ClosedClass) else item.arrival_rate
            for number, item in enumerate(self.network.classes)
        ]
        compiled = streams(self.network, self.operations, throughputs)
        every = [
            Wait(self.value(waits[:, number]), self.value(state.variance[:, number]))
            for number in range(len(compiled.streams))
        ]
        rho, lost = self.known_loads(compiled, every, state)
        full = full | (lost if self.network.size is not None else bool(lost[0]))
        self.prove(overall.residual[: len(waits)], full, rho, _ENDLESS if wanted.rough else TOLERANCE)
        steady = Steady(
            self.network, throughputs, compiled=compiled, members=self.members, waits=every, rho=rho,
            operations=self.operations,
        )  # fmt: skip
        solution = figures(steady, METHOD, 1)
        stable: Value = False if wanted.rough else solution.stable
        apart, wild = untrusted(shape, numbers, state)
        figured = (*solution.reasons, *between_integers(self.network, self.operations))
        unmeasured, far, soon = self.unmeasured(), self.beyond(shape, apart, wild), self.soon_back()
        reasons = tuple(dict.fromkeys((*figured, *far, *unmeasured, *soon)))
        everywhere = any(isinstance(reason, Beyond) for reason in (*figured, *unmeasured))
        return solution.replace(
            exact=False,
            reasons=reasons,
            classes=tuple(
                item.replace(population=customers.population, think_time=customers.think_time)
                if isinstance(customers, ClosedClass) else item
                for item, customers in zip(solution.classes, self.network.classes, strict=True)
            ),
            stations=tuple(self.within(item, stable) for item in solution.stations),
            ceiling=self.ceilings(shape, numbers, overall) if alone else None,
            warned=None if everywhere else np.logical_or.reduce([(apart | wild).any(1), *soon.values()]),
            warned_by=None if everywhere else far | soon,
            near=self.near(shape, state),
            why="it is the only method for simultaneous resource possession",
        )  # fmt: skip

    def known_loads(self, compiled: Streams, waits: list[Wait], state: LayerWaits) -> tuple[dict[Key, Value], Flags]:
        """The open loads, above 1 where the waits inside holds are not known though loads seem to be below 1; and (P,)
        whether that is so.

        These waits then let open classes saturate the servers of an outer station, all of them or those that are left
        to the others: the search ends at the cap of its loads, or nowhere.
        """
        result = self.open_loads(compiled, waits)
        every: Flags = np.zeros(len(state.before), bool)
        for key, load in result.items() if self.open else ():
            if any(compiled.streams[index].holding.waits for index in self.members[key]):
                lost: Any = (state.before > LOST) | (np.asarray(load) > 1.0 - CAPPED)
                unknown: Any = lost & (np.asarray(load) < 1.0)
                beyond: Any = np.where(unknown, 1.0 + _BEYOND, load)
                result[key] = float(beyond[0]) if self.network.size is None else beyond
                every = every | lost
        return result, every

    def near(self, shape: Shape, state: LayerWaits) -> Nearby | None:
        """The fixed points of a batch; None for a point."""
        size = self.network.size
        return None if size is None else Nearby(METHOD, size, _structure(shape), None, (state.ended,))

    def within(self, item: StationFigures, stable: Value) -> StationFigures:
        """Figures of a station, with a utilization that exceeds 1 by rounding set to 1."""
        if item.utilization is None or self.operations.all(item.utilization <= 1.0):
            return item
        if not self.operations.all((item.utilization <= 1.0 + _ROUNDING) | (stable == False)):  # noqa: E712
            text = f"the waits of the layers did not converge: the utilization of {item.label} would be above 1"
            raise NotComputed(Problem("QN540", text, "a utilization of at most 1"))
        return item.replace(utilization=self.operations.minimum([item.utilization, 1.0 + 0.0 * item.utilization]))

    def column(self, value: Value) -> Array:
        """A value of the network as an array of points."""
        return np.broadcast_to(np.asarray(value, float), (self.network.size or 1,))

    def value(self, column: Any) -> Value:
        """A column of figures: an array, or the float of a single point."""
        return float(column[0]) if self.network.size is None else column

    def overloaded(self) -> Value:
        """Whether open classes alone, without any wait, saturate a station: a bool, or an array of the batch."""
        full: Value = False
        for load in self.open_loads(self.unit, None).values():
            full = full | (load >= 1.0)
        return full

    def open_loads(self, compiled: Streams, waits: list[Wait] | None) -> dict[Key, Value]:
        """The utilization of every queueing station group by open classes, with the waits if known."""
        loads: dict[Key, Value] = {}
        for station in self.network.stations:
            for index in range(len(station.groups)):
                key = (station.name, index)
                parts: list[Value] = []
                for item in () if station.delay else self.members[key]:
                    stream = compiled.streams[item]
                    customers = self.network.classes[stream.class_index]
                    if not isinstance(customers, OpenClass) and (waits is None or not stream.behind or stream.around):
                        continue
                    rate = stream.rate * (
                        customers.arrival_rate if isinstance(customers, OpenClass) and waits is None else 1.0
                    )
                    parts.append(rate * (stream.holding.mean if waits is None else stream.holding.mean_with(waits)))
                if parts:
                    loads[key] = total(parts) / station.servers
        return loads

    def without_arrivals(self, full: Value) -> RoutedNetwork:
        """The network without arrivals at points where `full`, since open classes alone saturate a station."""
        off = 1.0 - full * 1.0
        classes = tuple(
            item.replace(arrival_rate=item.arrival_rate * off) if isinstance(item, OpenClass) else item
            for item in self.network.classes
        )
        return self.network.replace(classes=classes)

    def converged(self, problem: LayerProblem) -> tuple[Any, LayerWaits]:
        """The waits and all that they imply, solved a part of the batch at a time."""
        shape, numbers, rough, patience, near = problem
        cells = len(shape.class_of) ** 2 * len(shape.tags)
        if cells > _LARGEST:
            text = f"{len(shape.class_of)} requests for stations, with holds around them"
            raise NotComputed(Problem("QN541", text, "fewer routes or holds"))
        count = len(numbers.population)
        at_once = max(1, _CELLS // max(1, cells))
        parts: list[tuple[Any, LayerWaits]] = []
        for first in range(0, count, at_once):
            chosen = slice(first, first + at_once)
            begin = None if near is None else near[chosen]
            parts.append(solved(LayerProblem(shape, numbers.part(chosen), rough, patience[chosen], begin)))
        waits = np.concatenate([part[0] for part in parts])
        return waits, LayerWaits.joined([state for _, state in parts])

    def prove(self, residual: Any, full: Value, loads: Mapping[Key, Value], tolerance: float) -> None:
        """Raise `NotComputed` QN540 unless the waits of all points with a steady state are a fixed point.

        residual   (P,)
        full       where open classes have no steady state even without waits.
        loads      of open classes, with the waits, which grow without limit where a load exceeds its capacity.
        tolerance  the largest residual.
        """
        settled = (residual <= tolerance) | np.broadcast_to(full, residual.shape)
        for load in loads.values():
            settled = settled | ((residual <= _ENDLESS) & (np.asarray(load) > 1.0 + _ENDLESS))
        if not settled.all():
            reason = f"a residual of {float(residual[~settled].max()):.0e}"
            point = int(settled.argmin()) if len(residual) > 1 else None
            help = (
                "keep open classes out of stations that closed ones hold, or try a lower load"
                if self.open
                else "change the load"
            )
            expected = f"a residual of {tolerance:.0e}"
            raise not_converged("the waits of the layers", expected, help, point, "QN540", reason)

    def beyond(self, shape: Shape, apart: Flags, wild: Flags) -> dict[str, Flags]:
        """The reasons that waits are estimated beyond what was measured, and (P,) where that is so; arguments as
        `untrusted` returns them."""
        result: dict[str, Flags] = {}
        labels = {(item.name, index): group.label for item in self.network.stations
                  for index, group in enumerate(item.groups)}  # fmt: skip
        for index, key in enumerate(shape.keys):
            here: Flags = apart[:, index] | wild[:, index]
            if here.any():
                far = apart[:, index].any()
                what = "differ by more than a factor of 3" if far else "have an scv above 4"
                text = f"the wait for {labels[key]} is estimated beyond where errors were measured: times {what}"
                reason = Reason("holds apart" if far else "holds of large scv", station=labels[key])
                beyond = Beyond(reason, "QN640", text)
                result[beyond] = here | result.get(beyond, here)
        return result

    def unmeasured(self) -> list[str]:
        """The reasons that a network is outside of those whose errors were measured."""
        result: list[str] = []
        held = {key for stream in self.unit.streams for key in stream.around}
        late = {(stream.station, stream.group) for stream in self.unit.streams if not stream.left and _kept(stream)}
        for station in self.network.stations:
            for index, group in enumerate(station.groups):
                key = (station.name, index)
                if station.delay or station.in_line or key not in held | late:
                    continue
                text = f"{group.label} is shared, and kept while others are waited for or after the response, "
                reason = Reason("kept as work", station=group.label)
                result.append(Beyond(reason, "QN640", text + "which is taken as service there"))
        for name in self.regular():
            text = f"times at {name} have an scv below {_LEAST:g}, with which errors were not measured: customers then "
            reason = Reason("nearly constant", station=name)
            result.append(Beyond(reason, "QN640", text + "come in step, and wait less"))
        result += [Beyond(reason, "QN729") for reason in self.in_step()]
        if self.open and held | late:
            when = "while others are waited for" if held else "after the response"
            text = f"open classes share the network with closed ones whose servers are held {when}: errors were "
            result.append(Beyond(Reason("open with holds"), "QN640", text + "measured for closed classes alone"))
        return result

    def soon_back(self) -> dict[str, Flags]:
        """The reason for each station whose servers classes share, and keep for different times or after the response,
        while one of them soon returns; and (P,) where that is so."""
        held = {name for stream in self.unit.streams for name, _ in stream.around}
        late = {stream.station for stream in self.unit.streams if not stream.left and _kept(stream)}
        result: dict[str, Flags] = {}
        for station in self.network.stations:
            here = [item for item in self.unit.streams if item.station == station.name and not item.left]
            classes = {stream.class_index for stream in here}
            if len(classes) < 2 or station.name not in held | late:
                continue
            kept = np.array([self.column(stream.first.mean + stream.second.mean) for stream in here])
            longest = kept.max(axis=0)
            after = station.name in late
            differ: Flags = after | (longest > _SIMILAR * kept.min(axis=0))
            if not differ.any():
                continue
            closed = {number for number in classes if isinstance(self.network.classes[number], ClosedClass)}
            times = TimesWithoutWaits(self.network, closed, self.operations)
            back = times.soon_back(station, 0.0 if after else self.value(longest))
            soon: Flags = differ & (self.column(back) > 0)
            if soon.any():
                text = f"classes share {station.name}, and one of them returns there soon after it has left: errors "
                reason = Reason(SOON_BACK, station=station.name)
                result[Beyond(reason, "QN640", text + "were not small")] = soon
        return result

    def regular(self) -> list[str]:
        """Stations in order of arrival or priority whose servers are kept for nearly constant times."""
        in_line = {station.name for station in self.network.stations if station.in_line}
        result: dict[str, None] = {}

        def collect(steps: Sequence[Step], holder: str) -> None:
            for step in steps:
                if isinstance(step, Hold):
                    collect(step.steps, step.station)
                elif isinstance(step, Fork):
                    for branch in step.branches:
                        collect(branch.steps, holder)
                elif holder in in_line and bool(np.any((np.asarray(step.scv) < _LEAST) & (np.asarray(step.mean) > 0))):
                    result[holder] = None

        for customers in self.network.classes:
            for route in customers.routes:
                collect(route.steps, "")
        return list(result)

    def in_step(self) -> list[Reason]:
        """Stations at which arrivals are synchronized with holds, so that mean waits misjudge them."""
        queues = [station.name for station in self.network.stations if not station.delay]
        holds = {key[0] for stream in self.unit.streams for key in stream.around}
        inner = {stream.station for stream in self.unit.streams if stream.around}
        requested: dict[tuple[int, str], set[bool]] = {}
        left: dict[str, None] = {}
        for stream in self.unit.streams:
            if stream.left and stream.station in holds | inner:
                left[stream.station] = None
            elif not stream.left and isinstance(self.network.classes[stream.class_index], ClosedClass):
                requested.setdefault((stream.class_index, stream.station), set()).add(bool(stream.around))
        both = {name for (_, name), result in requested.items() if len(result) > 1}
        return [
            *(Reason("inside and outside", station=name) for name in queues if name in both),
            *(Reason("second phases in holds", station=name) for name in queues if name in left),
        ]

    def crowded(self, numbers: Numbers) -> Numbers:
        """All points, and after them the same with a very large population."""
        both = [np.concatenate([value, value]) for value in numbers]
        crowd = np.full(numbers.population.shape, _CROWD)
        return Numbers(*both).replace(population=np.concatenate([numbers.population, crowd]))

    def ceilings(self, shape: Shape, numbers: Numbers, overall: LayerWaits) -> tuple[Value, Any] | None:
        """The limit of the throughput and the station that sets it; arrays for a batch, not-a-number for unknown.

        overall  the solution of `crowded`.
        """
        if self.network.size is None:
            return self.ceiling(shape, numbers, overall)

        size = self.network.size
        result = [
            self.ceiling(shape, numbers.part([point]), overall.part([point, size + point])) or (float("nan"), "")
            for point in range(size)
        ]
        return np.array([rate for rate, _ in result]), np.array([label for _, label in result], dtype=object)

    def ceiling(self, shape: Shape, numbers: Numbers, overall: LayerWaits) -> tuple[Value, str] | None:
        """The limit of the throughput of a single closed class, and the station that sets it; None where unknown.

        overall  the solutions of a point and of the same with a very large population.
        """
        if overall.residual[1] > TOLERANCE or overall.before[1] > _ENDLESS:
            return None
        state = overall.part([1])
        busy = (state.throughput[:, shape.class_of] * numbers.visits * state.holding)[0]
        best: tuple[float, str] | None = None
        for position, (name, index) in enumerate(shape.keys):
            selected = (shape.centre == position) & (shape.present.diagonal() > 0)
            if selected.any():
                load = float(busy[selected].sum() / numbers.servers[0, position])
                label = next(item for item in self.network.stations if item.name == name).groups[index].label
                if best is None or load > best[0] + 1e-6:
                    best = (load, label)
        # Both throughputs are estimates of the limit from below: the larger is nearer.
        return (float(overall.throughput[:, 0].max()), best[1]) if best else None
