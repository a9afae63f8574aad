"""What is around a buffer at every number of places that are taken or waited for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qnet.errors import NotComputed, Problem
from qnet.expression import Value, arrays
from qnet.lazy import Array, np
from qnet.networks.aggregation.levels import repeated
from qnet.networks.capacity.closed_parts import STATION, WAIT, Limited, Way, by_class, customers, places, used
from qnet.networks.capacity.closed_pool import Pool
from qnet.networks.duration import Wait
from qnet.networks.exactness import ranked
from qnet.networks.routed import Buffer, ClosedClass, RoutedNetwork, mapped
from qnet.networks.solution import RoutedSolution
from qnet.networks.streams import streams
from qnet.networks.wanted import Wanted
from qnet.queues.arithmetic import total
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart

_NOTHING = 1e-300


class Levels(Record):
    """Figures at the numbers that are solved, arrays (points, levels)."""

    customers: tuple[Any, ...]
    """By stream of the customers, its mean wait."""
    asked: tuple[Any, ...]
    """By stream of the customers, how often it is asked for per passage."""
    places: tuple[Any, ...]
    """By stream of the work that frees places, its mean wait."""
    cycle: Any
    """(points, levels, closed classes) think time and response, without waiting for a place."""
    population: Any
    """(points, levels, closed classes) customers who do not wait."""
    kept: Any
    """How long a place is kept before the work begins that frees it, as it was found."""
    turn: Any
    """Time from taking a place until it is free."""
    loads: Mapping[str, Any]
    """By label, of open classes."""
    reasons: tuple[str, ...]


class _Answer(Record):
    """The solution of a batch, its figures as arrays of points."""

    waits: tuple[Any, ...]
    """By stream."""
    responses: tuple[Any, ...]
    """By class."""
    loads: Mapping[str, Any]
    reasons: tuple[str, ...]
    room: Any
    """How many times as fast the last class might go round until a station is full."""

    def towards(self, other: _Answer, away: Any) -> _Answer:
        """Another answer for the last class, or as much of it as its stations have room for.

        away   the time between two of its passages.
        """
        mine, theirs = (away + item.responses[-1] for item in (self, other))
        least = mine / self.room
        apart = mine - theirs
        needed = np.where((theirs < least) & (apart > 0), (least - theirs) / np.where(apart > 0, apart, 1.0), 0.0)
        share = np.minimum(needed, 1.0)

        def mixed(first: Any, second: Any) -> Any:
            return second + share * (first - second)

        return other.replace(
            waits=tuple(mixed(one, two) for one, two in zip(self.waits, other.waits, strict=True)),
            responses=tuple(mixed(one, two) for one, two in zip(self.responses, other.responses, strict=True)),
        )


class Rest:
    """The network around a buffer."""

    def __init__(
        self,
        network: RoutedNetwork,
        full: Limited,
        found: list[Way],
        pool: Pool,
        wanted: Wanted,
        solve_part: SolvePart,
    ) -> None:
        self.pool = pool
        self.ways = found
        self.full = full
        self.name = full.name
        self.wanted = wanted
        self.solve_part = solve_part
        self.source = network
        self.network = customers(network, full)
        self.tokens = places(full.name, found)
        self.mine = used(self.tokens, network)
        """The stations that free places."""
        self.apart = not any(self.mine & used(item, network) for item in self.network.classes)
        """Whether they do nothing else."""
        self.closed = [kind for kind, item in enumerate(network.classes) if isinstance(item, ClosedClass)]
        self.visits = by_class(found, self.closed, [way.rate for way in found])
        """(points, closed classes) places taken per passage."""
        self.several = bool((pool.fills.sum(axis=1) > 1).any())
        self.known: _Answer | None = None
        """Of the customers by themselves, as found last."""

    def depends(self, levels: Levels) -> bool:
        """Whether the levels change with what was found of them."""
        return self.several or self.full.form != WAIT or (not self.apart and bool(levels.kept.any()))

    def solved(self, waiting: Array, mix: Array, kept: Array, lost: Array) -> Levels:
        """The figures at all levels.

        waiting   (points, closed classes) shares of the classes among those who wait.
        mix       (points, ways) shares of the ways among the places that are taken.
        kept      (points, levels) how long a place is kept before the work that frees it; used where that changes with
                  the places.
        lost      (points, 1) the share of those who ask for a place that are lost.
        """
        inside: Array = self.pool.population[:, None, :] - self.pool.spread(self.pool.waiting, waiting)
        # Rounding must not make a whole number of customers a fraction.
        inside = np.where(np.abs(inside - np.rint(inside)) < 1e-9, np.rint(inside), np.maximum(inside, 0.0))
        whole = repeated(self.source, self.pool.levels)
        losing = None if self.full.form == WAIT else np.repeat(lost, self.pool.levels)
        batch = self.populated(customers(whole, self.full, losing), inside)
        marked = customers(whole, self.full).replace(buffers=(Buffer(self.name, 1.0, False),))
        self.unit = streams(marked, arrays(), [1.0] * len(marked.classes))
        if self.apart:
            stations = tuple(item for item in batch.stations if item.name not in self.mine)
            found = self.levels(batch, self.alone(batch.replace(stations=stations)), inside)
            stations = tuple(item for item in batch.stations if item.name in self.mine)
            only = self.placed(mix, found.kept)
            second = self.ask(RoutedNetwork(stations, (only,), (), batch.size))
            return self.with_places(found, second.waits, found.kept, second)
        only = self.placed(mix, kept)
        whole = self.ask(batch.replace(classes=(*batch.classes, only)))
        found = self.levels(batch, whole, inside)
        met = whole
        if self.in_turn:
            others = self.populated(batch, self.without_one(inside, mix))
            met = whole.towards(self.ask(others.replace(classes=(*others.classes, only))), kept.reshape(-1))
        return self.with_places(found, met.waits[len(found.customers) :], kept, met)

    @property
    def in_turn(self) -> bool:
        """Whether what frees places waits for those only who came before it."""
        whole = self.network.replace(classes=(*self.network.classes, self.tokens))
        compiled = streams(whole, arrays(), [1.0] * len(whole.classes)).streams
        own = [item for item in self.network.stations if item.name in self.mine]
        return all(item.in_line and not ranked(item, compiled) for item in own)

    def without_one(self, inside: Any, mix: Any) -> Any:
        """The customers whom the work for a place meets: while nobody waits, not the one who has taken the place."""
        own = by_class(self.ways, self.closed, [mix[:, number] for number in range(len(self.ways))])
        few = np.maximum(1.0 - self.pool.waiting, 0.0)[:, :, None] * own[:, None, :]
        return np.maximum(inside - few, 0.0)

    def populated(self, batch: RoutedNetwork, inside: Any) -> RoutedNetwork:
        """The batch with the customers who do not wait."""
        classes = list(batch.classes)
        for place, kind in enumerate(self.closed):
            classes[kind] = classes[kind].replace(population=inside[:, :, place].reshape(-1))
        return batch.replace(classes=tuple(classes))

    def placed(self, mix: Any, kept: Any) -> ClosedClass:
        """The places that are taken, as a class of every level."""
        count = self.pool.levels
        routes = tuple(
            route.replace(
                probability=np.repeat(mix[:, number], count),
                steps=mapped(route.steps, lambda array: np.repeat(array, count) if array.ndim else array),
            )
            for number, route in enumerate(self.tokens.routes)
        )
        taken = self.pool.taken.reshape(-1).astype(float)
        only = self.tokens.replace(population=taken, think_time=kept.reshape(-1), routes=routes)
        stations = tuple(item for item in self.network.stations if item.name in self.mine)
        compiled = streams(RoutedNetwork(stations, (only,), (), len(taken)), arrays(), [1.0])
        spent = total(route.probability * part.mean for route in compiled.routes for part in route.parts.values())
        # Places that are free again at once are never taken.
        return only.replace(population=np.where(spent + only.think_time > 0, taken, 0.0))

    def alone(self, batch: RoutedNetwork) -> _Answer:
        """The solution of the customers by themselves: once, where it is the same in every round."""
        if self.known is None or self.several or self.full.form != WAIT:
            self.known = self.ask(batch)
        return self.known

    def ask(self, batch: RoutedNetwork) -> _Answer:
        """The solution of a batch: exact for one closed class; of several, points of a batch would be so one by one."""
        budget = float("inf") if len(batch.closed) == 1 else 1.0
        solution = self.solve_part(batch, Wanted(operations=budget, memory=self.wanted.memory, enclosed=False))
        if solution.passages is None:
            found = f'what is around "{self.name}" limits how many may be inside'
            raise NotComputed(Problem("QN555", found, "one or the other"))

        shape: Any = (batch.size,)

        def column(value: Value) -> Array:
            return np.broadcast_to(np.asarray(value, float), shape)

        return _Answer(
            tuple(column(wait.mean) for wait in solution.passages.waits),
            tuple(column(item.response) for item in solution.classes),
            {item.name: column(item.load) for item in solution.loads},
            solution.reasons,
            self.room(solution, column),
        )

    def room(self, solution: RoutedSolution, column: Callable[[Value], Any]) -> Any:
        """How many times as fast places might go round until a station is full; 1 where none are."""
        used = {item.label: column(item.utilization) for item in solution.stations if item.utilization is not None}
        found = [
            1.0 + np.maximum(1.0 - used[item.label], 0.0) / np.maximum(column(item.utilization), _NOTHING)
            for item in solution.visits
            if item.class_name == self.tokens.name and item.utilization is not None
        ]
        return np.minimum.reduce(found) if found else 1.0

    def table(self, value: Value) -> Any:
        """A figure of a batch by points and levels."""
        shape = self.pool.taken.shape
        return np.broadcast_to(np.asarray(value, float), (shape[0] * shape[1],)).reshape(shape)

    def levels(self, batch: RoutedNetwork, answer: _Answer, inside: Any) -> Levels:
        """The figures of the customers, by levels."""
        compiled = streams(batch, arrays(), [1.0] * len(batch.classes)).streams
        waits = answer.waits[: len(compiled)]
        cycle = np.stack(
            [
                self.table(item.think_time) + self.table(answer.responses[kind])
                for kind, item in enumerate(batch.classes)
                if isinstance(item, ClosedClass)
            ],
            axis=2,
        )
        kept = self.keeping(waits, inside / cycle)
        asked = tuple(self.table(stream.rate) for stream in compiled)
        loads = {name: self.table(load) for name, load in answer.loads.items()}
        waits = tuple(self.table(wait) for wait in waits)
        return Levels(
            customers=waits,
            asked=asked,
            places=(),
            cycle=cycle,
            population=inside,
            kept=kept,
            turn=kept,
            loads=loads,
            reasons=answer.reasons,
        )

    def with_places(self, found: Levels, waits: Sequence[Any], kept: Any, answer: _Answer) -> Levels:
        """Levels with the figures of the places."""
        loads = {name: self.table(load) for name, load in answer.loads.items()}
        return found.replace(
            places=tuple(self.table(wait) for wait in waits),
            turn=kept + self.table(answer.responses[-1]),
            loads={**found.loads, **loads},
            reasons=tuple(dict.fromkeys([*found.reasons, *answer.reasons])),
        )

    def keeping(self, waits: Sequence[Any], rates: Any) -> Any:
        """How long a place is kept before the response, over all that are taken at each level."""
        flow, spent = np.zeros(()), np.zeros(())
        flat = [Wait(wait, 0.0) for wait in waits]
        by_name = {(way.kind, way.route): way for way in self.ways}
        for route in self.unit.routes if self.full.form != STATION else ():
            way = by_name.get((route.class_index, route.route))
            if way is not None:
                often = way.rate[:, None] * rates[:, :, self.closed.index(way.kind)]
                flow = flow + often
                spent = spent + often * self.table(route.after[self.name].mean_with(flat))
        return np.broadcast_to(np.where(flow > 0, spent / np.where(flow > 0, flow, 1.0), 0.0), self.pool.taken.shape)
