"""A network with a limited buffer at each number of places that are taken or waited for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from qnet.errors import NotComputed, Problem
from qnet.expression import Value, arrays
from qnet.lazy import Array
from qnet.networks.aggregation import (
    MOST,
    LevelGrid,
    PartFigures,
    interpolated,
    log_weights,
    mean,
    passage_time,
    probabilities,
    repeated,
    solve_levels,
    spaced,
    table,
)
from qnet.networks.capacity.closed_network import (
    LOST,
    STATION,
    WAIT,
    Limited,
    TakingRoute,
    around,
    by_class,
    places_as_class,
    stations_of_class,
)
from qnet.networks.capacity.waiting_classes import waiting_classes
from qnet.networks.duration import Wait
from qnet.networks.exactness import ranked
from qnet.networks.routed import Buffer, ClosedClass, RoutedNetwork, mapped
from qnet.networks.streams import streams
from qnet.networks.wanted import Divided, Wanted
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart

_NOTHING = 1e-300
"""Keeps a quotient of zeros finite: any number near the smallest float works."""
_DENSE = 24
"""If more customers than twice this may wait, not every number of waiting customers is solved."""


_COMPOSITIONS = 3000
"""The most sets of waiting customers, by class, each of which is solved; with more, sums over classes are taken that
neglect how customers of one delay those of another. A choice: half a second for the largest."""

_MOST_SETS = 200_000
"""Of all points of a batch together: some seconds."""


class Pool:
    """The places and the customers that take them: the numbers at which figures are kept, and which customers wait.

    form        `WAIT`, `LOST` or `STATION`.
    places      (points,) integers.
    population  (points, closed classes).
    takes       (points, closed classes) which classes take places.
    """

    def __init__(self, form: str, places: Any, population: Any, takes: Any) -> None:
        self.form = form
        self.places = places
        self.population = population
        self.takes = takes
        crowd = np.ceil((population * takes).sum(axis=1)).astype(int)
        last = {WAIT: places + crowd, LOST: places, STATION: np.minimum(places, crowd)}
        self.last = last[form]
        """(points,) the largest number of places that are taken or waited for."""
        self.most = int(self.last.max())
        if len(places) * (self.most + 1) > MOST:
            text = f"{len(places)} points with up to {self.most} places and customers are too many to be solved"
            raise NotComputed(Problem("QN556", text, "fewer points, places or customers"))
        self.numbers = np.arange(self.most + 1)
        self.taken, self.waiting = self.levels_of()
        """(points, levels) places taken, and customers that are waiting or at the limited station, at each level."""
        self.grid: LevelGrid = interpolated(self.taken + (self.waiting if form == WAIT else 0), self.most)

    @property
    def levels(self) -> int:
        """The number of levels that are solved at each point."""
        return self.taken.shape[1]

    def levels_of(self) -> tuple[Any, Any]:
        """`taken` and `waiting` at the numbers that are solved: not all where there are many."""
        last = self.last[:, None]
        if self.form == WAIT:
            before, crowd = spaced(int(self.places.max())), last - self.places[:, None]
            most = int(crowd.max())
            waiting = np.minimum(np.arange(1, most + 1), crowd)
            if most > 2 * _DENSE:
                # Figures change most where few customers wait, and where nearly all do.
                after = spaced(most)
                waiting = np.sort(np.concatenate([np.minimum(after, crowd), crowd - np.minimum(after, crowd)], axis=1))
            all_taken = np.repeat(self.places[:, None], waiting.shape[1], axis=1)
            taken = np.concatenate([np.minimum(before, self.places[:, None]), all_taken], axis=1)
            return taken, np.concatenate([np.zeros((len(last), len(before))), waiting], axis=1)
        taken = np.minimum(spaced(self.most), last)
        return taken, taken * 1.0 if self.form == STATION else np.zeros(taken.shape)

    def waiting_by_class(self, waiting: Any, rates: Any) -> Any:
        """(points, any, closed classes) the mean numbers of waiting customers of each class.

        waiting  (points, any) customers that wait.
        rates    (points, closed classes) requests per second of a customer that does not wait, in any unit.
        """
        result = np.zeros((*waiting.shape, rates.shape[1]))
        some = self.takes.any(axis=0)
        population = np.maximum(self.population * self.takes, 0.0)[:, some]
        result[:, :, some] = waiting_classes(waiting, population, rates[:, some])
        return result


class StationLevels(Record):
    """Figures at the numbers that are solved, arrays (points, levels)."""

    customers: tuple[Any, ...]
    """Mean wait of each stream of the customers."""
    requests: tuple[Any, ...]
    """Visits per passage of each stream of the customers."""
    places: tuple[Any, ...]
    """Mean wait of each stream of the work that frees places."""
    cycle: Any
    """(points, levels, closed classes) think time and response, without waiting for a place."""
    population: Any
    """(points, levels, closed classes) customers that do not wait."""
    kept: Any
    """Time from taking a place to the beginning of the work that frees it."""
    turn: Any
    """Time from taking a place until it is free."""
    loads: Mapping[str, Any]
    """Loads of stations by open classes, by label."""
    reasons: tuple[str, ...]


def _towards(figures: PartFigures, other: PartFigures, headroom: Array, between_passages: Array) -> PartFigures:
    """The figures `other`, moved towards `figures` where the last class would saturate a station with them.

    headroom          how many times as fast the last class may cycle before a station saturates.
    between_passages  seconds between two of its passages.
    """
    cycle, other_cycle = (between_passages + item.responses[-1] for item in (figures, other))
    least = cycle / headroom
    difference = cycle - other_cycle
    needed = np.where(
        (other_cycle < least) & (difference > 0), (least - other_cycle) / np.where(difference > 0, difference, 1.0), 0.0
    )
    share = np.minimum(needed, 1.0)

    def mixed(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(two + share * (one - two) for one, two in zip(first, second, strict=True))

    return other.replace(waits=mixed(figures.waits, other.waits), responses=mixed(figures.responses, other.responses))


class Surroundings:
    """The network around a buffer: its customers, and the work that frees places."""

    def __init__(
        self,
        network: RoutedNetwork,
        full: Limited,
        routes: list[TakingRoute],
        pool: Pool,
        wanted: Wanted,
        solve_part: SolvePart,
    ) -> None:
        self.pool = pool
        self.routes = routes
        self.full = full
        self.name = full.name
        self.wanted = wanted
        self.solve_part = solve_part
        self.source = network
        self.network = around(network, full)
        self.tokens = places_as_class(full.name, routes)
        self.freeing = stations_of_class(self.tokens, network)
        """The stations that free places."""
        self.apart = not any(self.freeing & stations_of_class(item, network) for item in self.network.classes)
        """Whether they do nothing else."""
        self.closed = [index for index, item in enumerate(network.classes) if isinstance(item, ClosedClass)]
        self.visits = by_class(routes, self.closed, [route.rate for route in routes])
        """(points, closed classes) places taken per passage."""
        self.several = bool((pool.takes.sum(axis=1) > 1).any())
        self.near: dict[str, Any] = {}
        """By part, the solution of the round before, from which the next one starts."""
        self.composed: tuple[Array, PartFigures] | None = None
        """What `by_sets` returns, once it is computed."""
        self.isolated: PartFigures | None = None
        """The figures of the customers without the work that frees places, as last solved."""

    def depends(self, levels: StationLevels) -> bool:
        """Whether the levels depend on the results of the chain, so that rounds are needed."""
        return self.several or self.full.form != WAIT or (not self.apart and bool(levels.kept.any()))

    def solved(self, waiting: Array, mix: Array, kept: Array, lost: Array) -> StationLevels:
        """The figures at all levels.

        waiting   (points, closed classes) the relative rates at which customers of the classes request a place.
        mix       (points, taking routes) shares of the routes among the places that are taken.
        kept      (points, levels) seconds from taking a place to the work that frees it, as assumed; used where the
                  stations that free places do other work.
        lost      (points, 1) the share of requests for a place that are lost.
        """
        known = self.by_sets()
        outside = known[0] if known else self.pool.waiting_by_class(self.pool.waiting, waiting)
        inside: Array = self.pool.population[:, None, :] - outside
        # Rounding must not make an integer number of customers a fraction.
        inside = np.where(np.abs(inside - np.rint(inside)) < 1e-9, np.rint(inside), np.maximum(inside, 0.0))
        network = repeated(self.source, self.pool.levels)
        losing = None if self.full.form == WAIT else np.repeat(lost, self.pool.levels)
        batch = self.populated(around(network, self.full, losing), inside)
        marked = around(network, self.full).replace(buffers=(Buffer(self.name, 1.0, False),))
        self.unit = streams(marked, arrays(), [1.0] * len(marked.classes))
        if self.apart:
            stations = tuple(item for item in batch.stations if item.name not in self.freeing)
            figures = known[1] if known else self.solve_isolated(batch.replace(stations=stations))
            levels = self.levels(batch, figures, inside)
            stations = tuple(item for item in batch.stations if item.name in self.freeing)
            places = self.solve(RoutedNetwork(stations, (self.taken(mix, levels.kept),), (), batch.size), "places")
            return self.with_places(levels, places.waits, levels.kept, places)
        both = batch.replace(classes=(*batch.classes, self.taken(mix, kept)))
        if not self.in_turn:
            figures = at_arrival = self.solve(both, "both")
        else:
            figures, fewer = self.solve_both_ways(both, inside, self.without_one(inside, mix))
            at_arrival = _towards(figures, fewer, self.headroom(figures), kept)
        levels = self.levels(batch, figures, inside)
        return self.with_places(levels, at_arrival.waits[len(levels.customers) :], kept, at_arrival)

    def by_sets(self) -> tuple[Array, PartFigures] | None:
        """The mean numbers of waiting customers of each class (points, levels, closed classes), and the figures of the
        others, as means over all sets of waiting customers; None where there are too many sets, or one class, or
        fractional populations.

        Limits  A customer that takes a free place returns at once, without waiting, which the product form neglects.
        Method  A set is reached from those with one customer fewer, at the throughput of its class there: the product
                form of customers that are served in order of arrival, by @baskett1975.
        Raises  `Divided` where only some points have few sets, and each is to be solved as it would be alone.
        """
        if self.composed or not self.several or self.full.form != WAIT or not self.apart:
            return self.composed
        pool = self.pool
        population = np.where(pool.takes.any(axis=0), pool.population * pool.takes, 0.0)
        shape = tuple(int(most) + 1 for most in np.ceil(population.max(axis=0)))
        sets = int(np.prod(shape))
        few = ((population + 1.0).prod(axis=1) <= _COMPOSITIONS) & (population == np.rint(population)).all(axis=1)
        if self.wanted.each and few.any() and not few.all():
            raise Divided(few)
        if not few.all() or sets * len(population) > _MOST_SETS:
            return None
        waiting = np.stack(np.unravel_index(np.arange(sets), shape), axis=1)
        rest = np.maximum(pool.population[:, None, :] - waiting[None, :, :], 0.0)
        batch = self.populated(around(repeated(self.source, sets), self.full), rest)
        stations = tuple(item for item in batch.stations if item.name not in self.freeing)
        wanted = Wanted(operations=1.0, memory=self.wanted.memory, enclosed=False)
        solved = solve_levels(batch.replace(stations=stations), len(population), wanted, self.solve_part, self.name)
        shares = self._shares(waiting, shape, solved)
        crowds = np.zeros((sets, int(waiting.sum(axis=1).max()) + 1))
        crowds[np.arange(sets), waiting.sum(axis=1)] = 1.0
        levels = np.rint(pool.waiting).astype(int)

        def at_levels(values: Array) -> Array:
            return np.take_along_axis(values @ crowds, levels, axis=1)

        def per_event(values: Array, flow: Array) -> Array:
            flows, plain = at_levels(shares * flow), at_levels(shares * values)
            return np.where(flows > 0, at_levels(shares * flow * values) / np.where(flows > 0, flows, 1.0), plain)

        compiled = streams(batch, arrays(), [1.0] * len(batch.classes)).streams
        rates = solved.throughputs
        figures = PartFigures(
            rates=tuple(at_levels(shares * value) for value in solved.rates),
            waits=tuple(
                per_event(value, rates[stream.class_index])
                for value, stream in zip(solved.waits, compiled, strict=True)
            ),
            throughputs=tuple(at_levels(shares * value) for value in rates),
            responses=tuple(per_event(value, rate) for value, rate in zip(solved.responses, rates, strict=True)),
            loads={label: at_levels(shares * load) for label, load in solved.loads.items()},
            solution=solved.solution,
        )
        outside = np.stack([at_levels(shares * waiting[:, number]) for number in range(len(shape))], axis=2)
        self.composed = outside, figures
        return self.composed

    def _shares(self, waiting: Any, shape: tuple[int, ...], solved: PartFigures) -> Array:
        """(points, sets) the probability of each set of waiting customers among those of equal number.

        waiting  (sets, closed classes) numbers of customers, in the order of their index.
        shape    the numbers of each class.
        solved   the figures of the others.
        """
        flows = [solved.throughputs[index] * self.visits[:, [number]] for number, index in enumerate(self.closed)]
        weights = np.zeros((len(self.visits), len(waiting)))
        weights[:, 0] = 1.0
        steps = [int(np.prod(shape[number + 1 :])) for number in range(len(shape))]
        size = waiting.sum(axis=1)
        for crowd in range(1, int(size.max()) + 1):
            here = np.flatnonzero(size == crowd)
            for number, step in enumerate(steps):
                reached = here[waiting[here, number] > 0]
                weights[:, reached] += weights[:, reached - step] * flows[number][:, reached - step]
            overall = weights[:, here].sum(axis=1, keepdims=True)
            weights[:, here] /= np.where(overall > 0, overall, 1.0)
        return weights

    @property
    def in_turn(self) -> bool:
        """Whether the work that frees places waits only for earlier arrivals."""
        network = self.network.replace(classes=(*self.network.classes, self.tokens))
        compiled = streams(network, arrays(), [1.0] * len(network.classes)).streams
        stations = [item for item in self.network.stations if item.name in self.freeing]
        return all(item.in_line and not ranked(item, compiled) for item in stations)

    def without_one(self, inside: Any, mix: Any) -> Any:
        """The customers that the work for a place finds on arrival: without the one that took it, while none wait."""
        shares = by_class(self.routes, self.closed, [mix[:, number] for number in range(len(self.routes))])
        few = np.maximum(1.0 - self.pool.waiting, 0.0)[:, :, None] * shares[:, None, :]
        return np.maximum(inside - few, 0.0)

    def populated(self, batch: RoutedNetwork, inside: Any) -> RoutedNetwork:
        """The batch with `inside` as the populations of its closed classes."""
        classes = list(batch.classes)
        for number, index in enumerate(self.closed):
            classes[index] = classes[index].replace(population=inside[:, :, number].reshape(-1))
        return batch.replace(classes=tuple(classes))

    def taken(self, mix: Any, kept: Any) -> ClosedClass:
        """The places that are taken, as a class of every level."""
        count = self.pool.levels
        routes = tuple(
            route.replace(
                probability=np.repeat(mix[:, number], count),
                steps=mapped(route.steps, lambda array: np.repeat(array, count) if array.ndim else array),
            )
            for number, route in enumerate(self.tokens.routes)
        )
        number = self.pool.taken.reshape(-1).astype(float)
        only = self.tokens.replace(population=number, think_time=kept.reshape(-1), routes=routes)
        stations = tuple(item for item in self.network.stations if item.name in self.freeing)
        compiled = streams(RoutedNetwork(stations, (only,), (), len(number)), arrays(), [1.0])
        # Places whose work takes no time are free again at once.
        return only.replace(population=np.where(passage_time(compiled, only, 0) > 0, number, 0.0))

    def solve_isolated(self, batch: RoutedNetwork) -> PartFigures:
        """The figures of the customers without the work for places; computed once if they are always the same."""
        if self.isolated is None or self.several or self.full.form != WAIT:
            self.isolated = self.solve(batch, "customers")
        return self.isolated

    def solve(self, batch: RoutedNetwork, part: str) -> PartFigures:
        """The figures of a batch: exact for one closed class, approximate for several.

        part   the part of the network, so that it starts from its solution of the round before.
        """
        budget = float("inf") if len(batch.closed) == 1 else 1.0
        near = self.near.get(part)
        wanted = Wanted(operations=budget, memory=self.wanted.memory, enclosed=False, near=near)
        figures = solve_levels(batch, len(self.pool.places), wanted, self.solve_part, self.name)
        self.near[part] = figures.solution.near
        return figures

    def solve_both_ways(self, batch: RoutedNetwork, inside: Array, fewer: Array) -> tuple[PartFigures, PartFigures]:
        """The figures of a batch with each of two populations (points, levels, closed classes), solved together."""
        populations = np.stack([inside, fewer], axis=2).reshape(len(inside), -1, inside.shape[2])
        figures = self.solve(self.populated(repeated(batch, 2), populations), "both")

        def every_other(first: int) -> PartFigures:
            tables = {
                name: tuple(value[:, first::2] for value in getattr(figures, name))
                for name in ("rates", "waits", "throughputs", "responses")
            }
            loads = {label: load[:, first::2] for label, load in figures.loads.items()}
            return PartFigures(**tables, loads=loads, solution=figures.solution)

        return every_other(0), every_other(1)

    def headroom(self, figures: PartFigures) -> Any:
        """How many times as fast places might be freed before a station saturates; 1 where none are taken.

        figures   the first of `solve_both_ways`.
        """
        solution = figures.solution
        points, levels = self.pool.taken.shape

        def first(utilization: Value) -> Array:
            return table(utilization, points, 2 * levels)[:, ::2]

        used = {item.label: first(item.utilization) for item in solution.stations if item.utilization is not None}
        limits = [
            1.0 + np.maximum(1.0 - used[item.label], 0.0) / np.maximum(first(item.utilization), _NOTHING)
            for item in solution.visits
            if item.class_name == self.tokens.name and item.utilization is not None
        ]
        return np.minimum.reduce(limits) if limits else 1.0

    def table(self, value: Value) -> Any:
        """A figure of a batch as an array (points, levels)."""
        return table(value, *self.pool.taken.shape)

    def levels(self, batch: RoutedNetwork, figures: PartFigures, inside: Any) -> StationLevels:
        """The figures of the customers at all levels."""
        compiled = streams(batch, arrays(), [1.0] * len(batch.classes)).streams
        waits = figures.waits[: len(compiled)]
        cycle = np.stack(
            [
                self.table(item.think_time) + figures.responses[index]
                for index, item in enumerate(batch.classes)
                if isinstance(item, ClosedClass)
            ],
            axis=2,
        )
        kept = self.keeping(waits, inside / cycle)
        return StationLevels(
            customers=waits,
            requests=tuple(self.table(stream.rate) for stream in compiled),
            places=(),
            cycle=cycle,
            population=inside,
            kept=kept,
            turn=kept,
            loads=figures.loads,
            reasons=figures.solution.reasons,
        )

    def with_places(
        self, levels: StationLevels, waits: Sequence[Any], kept: Any, figures: PartFigures
    ) -> StationLevels:
        """Levels with the figures of the places."""
        return levels.replace(
            places=tuple(waits),
            turn=kept + figures.responses[-1],
            loads={**levels.loads, **figures.loads},
            reasons=tuple(dict.fromkeys([*levels.reasons, *figures.solution.reasons])),
        )

    def keeping(self, waits: Sequence[Any], rates: Any) -> Any:
        """(points, levels) mean seconds from taking a place to the work that frees it.

        waits  (points, levels) by stream of the customers.
        rates  (points, levels, closed classes) passages per second.
        """
        flow, spent = np.zeros(()), np.zeros(())
        flat = [Wait(wait.reshape(-1), 0.0) for wait in waits]
        by_name = {(route.class_index, route.route): route for route in self.routes}
        for route in self.unit.routes if self.full.form != STATION else ():
            taking = by_name.get((route.class_index, route.route))
            if taking is not None:
                taken = taking.rate[:, None] * rates[:, :, self.closed.index(route.class_index)]
                flow = flow + taken
                spent = spent + taken * self.table(route.after[self.name].mean_with(flat))
        return np.broadcast_to(np.where(flow > 0, spent / np.where(flow > 0, flow, 1.0), 0.0), self.pool.taken.shape)


class PlaceChain:
    """The birth-death chain of the number of places that are taken or waited for, and means over it.

    levels  the figures at the solved numbers.
    visits  (points, closed classes) places taken per passage.
    """

    def __init__(self, levels: StationLevels, pool: Pool, visits: Array) -> None:
        self.pool = pool
        self.visits = visits
        at_all = pool.grid.at_all
        classes = range(levels.cycle.shape[2])
        self.occupied = np.minimum(pool.numbers, pool.places[:, None])
        self.inside = np.stack([at_all(levels.population[:, :, index]) for index in classes], axis=2)
        """(points, numbers, closed classes) customers that do not wait."""
        cycle = np.stack([at_all(levels.cycle[:, :, index]) for index in classes], axis=2)
        self.rates = self.inside / cycle
        """(points, numbers, closed classes) passages per second."""
        self.requests = (self.rates * visits[:, None, :]).sum(axis=2)
        """(points, numbers) requests for a place per second: births."""
        turn = at_all(levels.turn)
        self.freed = np.where(turn > 0, self.occupied / np.where(turn > 0, turn, 1.0), np.inf)
        """(points, numbers) places freed per second: deaths."""
        logs = log_weights(self.requests, self.freed)
        beyond = pool.numbers > pool.last[:, None]
        self.shares = probabilities(np.where(beyond | np.isnan(logs), -np.inf, logs))
        """(points, numbers) probabilities of the numbers."""
        self.passages = (self.shares[:, :, None] * self.rates).sum(axis=1)
        """(points, closed classes) per second."""
        self.requested = (self.shares * self.requests).sum(axis=1)
        """(points,) requests for a place per second."""
        self.late = self.shares * (pool.numbers >= pool.places[:, None])
        refused = (self.late * self.requests).sum(axis=1)
        some = self.requested > 0
        requested = np.where(some, self.requested, 1.0)
        self.full: Array = np.where(some, refused / requested, self.late.sum(axis=1))
        """(points,) the share of requests for a place that arrive when all are taken."""
        waiting = (self.shares[:, :, None] * (pool.population[:, None, :] - self.inside)).sum(axis=1)
        by_classes = self.passages * visits
        self.delays = np.where(by_classes > 0, waiting / np.where(by_classes > 0, by_classes, 1.0), 0.0)
        """(points, closed classes) the mean wait for a place, over all requests of the class."""
        self.wait = np.where(some, waiting.sum(axis=1) / requested, 0.0)
        """(points,) the mean wait for a place, over the requests of all classes."""
        first = np.minimum(pool.places, pool.most)[:, None]
        rate = np.take_along_axis(self.freed, first, axis=1)[:, 0]
        self.until_free = np.where(np.isfinite(rate) & (rate > 0), 1 / np.where(rate > 0, rate, 1.0), 0.0)
        """(points,) the time until a place is free when all are taken."""

    def mean(self, values: Array, rates: Array | None = None) -> Array:
        """(points,) the mean of a figure by number, over time or over events with given rates."""
        return mean(self.shares, values, rates)

    def request_rates(self, before: Array) -> Array:
        """(points, closed classes) the relative rates at which a customer that does not wait requests a place.

        before   those assumed, which remain where no customer is left to request one.
        Over all numbers at which customers wait or, at a station, are present.
        """
        here = self.shares if self.pool.form == STATION else self.late
        flow = (here[:, :, None] * self.rates).sum(axis=1) * self.visits
        crowd = (here[:, :, None] * self.inside).sum(axis=1)
        some = crowd > _NOTHING
        rates = np.where(some, flow / np.where(some, crowd, 1.0), 0.0)
        total = rates.sum(axis=1, keepdims=True)
        return np.where(total > _NOTHING, rates / np.where(total > _NOTHING, total, 1.0), before)
