"""Closed classes that fill a buffer or a station with a capacity: how many places are taken, by one birth-death chain.

Applies   one buffer that is filled outside of holds, or one station with a capacity; open classes may use the rest.
Exact     one class that spends all its time before the buffer thinking, or in one visit to one station, whose places
          are freed by one visit to a station that does nothing else; all times exponential.
Fails     the network around the buffer is represented by its throughput alone, which is not enough where a few long
          visits make the requests for places bursty.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from qnet.errors import NotComputed, Problem
from qnet.expression import Operations, Value
from qnet.lazy import Array, Flags
from qnet.networks.aggregation import Aggregation
from qnet.networks.capacity.closed_levels import PlaceChain, Pool, StationLevels, Surroundings
from qnet.networks.capacity.closed_network import (
    LOST,
    STATION,
    WAIT,
    Limited,
    around,
    as_open,
    by_class,
    limited,
    never_full,
    refuse,
    refuse_idle,
    takes,
    taking_routes,
    with_delays,
)
from qnet.networks.capacity.flows import Losses, drain_rate, flows_with_losses, with_offered
from qnet.networks.capacity.open_exactness import LOSSES
from qnet.networks.capacity.stations import LEAST, one_exponential
from qnet.networks.closed_networks import ceiling
from qnet.networks.duration import Wait
from qnet.networks.fixed_point import Memory, not_converged
from qnet.networks.reasons import Beyond, Inexact, Reason
from qnet.networks.routed import ClosedClass, Hold, OpenClass, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.solution import BufferFigures, RoutedSolution
from qnet.networks.streams import Stream, Streams, exponential, streams
from qnet.networks.wanted import Wanted
from qnet.queues.arithmetic import close, total

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart

_DELAYED = 0.1
"""The delay with a place, as a share of the time of the work that frees it, up to which throughputs of small systems
were off by no more than without: 6 %."""
_TOLERANCE = 1e-10
"""The residual of convergence: below the digits that are printed, above the rounding of the networks inside."""
_MAX_ROUNDS = 200
"""Rounds until convergence is given up; any number above what converges works."""
_MAX_LAYERED = 25
"""The limit of rounds where each of them solves layers, which takes much longer."""
_PLAIN = 3
"""Rounds without extrapolation: the first moves are no guide to the later ones."""
_STALLED, _LESS = 15, 0.5
"""Rounds in which the least residual must fall to this share. Estimates that jump where waits change little leave no
fixed point, and the rounds cycle indefinitely. Of 1,800 points that converge none took more than 12 rounds."""
_REMEMBERED = 5
"""Rounds that Anderson mixing combines."""
_LEAST_SHARE = 1e-12
"""Waits below this share of the time that a place is taken are rounding errors."""
_LEAST = 1e-300
"""Shares below this are zero."""
_MUCH = 1e-6
"""A utilization above 1 by more is not a rounding error."""
_STEEPEST = 1e6
"""The steepest downward slope that a secant assumes for the image of a share."""


def solve(network: RoutedNetwork, wanted: Wanted, solve_part: SolvePart) -> RoutedSolution:
    """The steady state of a network whose closed classes fill a buffer, or of every point of a batch.

    network     rates per second, times in seconds, populations as numbers of customers.
    wanted      the method and its budget: `auto` or `flow-equivalent`.
    solve_part  the chooser, which solves the network around the buffer.
    Returns   figures by class, route and station, and those of the buffer. The wait for a place is part of the
              response, and of no station.
    Raises    `NotComputed` QN513 for states or bounds, QN555 for what is not covered, QN556 where there are too many
              places and customers, QN557 where the fixed point does not converge, QN558 where the means contradict each
              other; and as the solvers of the network around the buffer.
    Method    The number m of places that are taken or waited for goes up at the rate at which places are requested, and
              down at the rate at which places are freed. Up to K all customers are around the buffer and m places are
              taken; above it m - K customers wait. Both rates are those of a closed network of the customers that do
              not wait and of the places that are taken, which alternate between the time to the response and the work
              that frees them. Of several classes the network around is solved for each set of customers that wait, if
              there are few sets: their probabilities are those of the product form. With more sets, as many wait as in
              the product form of customers with the rates at which one requests a place when all are taken; those
              rates, and how long places are taken before the response, are a fixed point.
    Source    @chandy1975, for one number instead of a network; places as a second class of customers: this tool.
    """
    refuse(network, wanted)
    if never_full(network):
        stations = tuple(item.replace(capacity=None) for item in network.stations)
        solution = solve_part(network.replace(stations=stations), wanted)
        nothing = Losses({(limited(network).name, 0): 1.0}, {}, {})
        return with_offered(solution, network, [item.throughput for item in solution.classes], nothing)
    return _Closed(network, wanted, solve_part).solve()


class _Rounds(Memory):
    """Anderson mixing whose first rounds, no guide to later ones, move by secants instead."""

    def __init__(self) -> None:
        super().__init__(_REMEMBERED)
        self.count = 0
        self.sizes: Any = None
        """(points, unknowns other than shares) their magnitudes, by which they are scaled."""
        self.slopes: Any = 0.0
        """By unknown: the slope of its image, from the last two rounds."""

    def start(self, sizes: Array) -> None:
        """Forget earlier rounds, and scale the unknowns other than shares by these sizes."""
        self.sizes = np.where(sizes > 0, sizes, 1.0)
        self.forget()

    def following(self, values: Array, moves: Array, worse: Flags | None = None) -> Array:
        """The values of the next round, from all remembered rounds."""
        self.count += 1
        if self.last is not None:
            moved, changed = values - self.last[0], moves - self.last[1]
            self.slopes = np.where(np.abs(moved) > 1e-14, 1.0 + changed / np.where(moved == 0, 1.0, moved), 0.0)
        return super().following(values, moves, worse)

    def secant(self, count: int) -> Array:
        """The first `count` values of the next round, each by its secant."""
        assert self.last is not None
        values, moves = (item[:, :count] for item in self.last)
        slopes = self.slopes[:, :count] if np.ndim(self.slopes) else self.slopes
        return values + moves / (1.0 - np.clip(slopes, -_STEEPEST, 0.0))


class _Closed(Aggregation):
    def __init__(self, network: RoutedNetwork, wanted: Wanted, solve_part: SolvePart) -> None:
        super().__init__(network, wanted, solve_part)
        self.full = limited(network)
        self.routes = taking_routes(network, self.full, self.column)
        self.closed = [index for index, item in enumerate(network.classes) if isinstance(item, ClosedClass)]
        """The indices of the closed classes among all."""
        self.pool = Pool(
            self.full.form,
            np.floor(self.column(self.full.places)).astype(int),
            np.stack([self.column(item.population) for item in network.closed], axis=1),
            by_class(self.routes, self.closed, [route.rate for route in self.routes]) > 0,
        )
        self.around = Surroundings(network, self.full, self.routes, self.pool, wanted, solve_part)
        refuse_idle(self.around.network, self.full.name, self.operations)
        if self.full.form != WAIT:
            refuse_idle(around(network, self.full, 1.0), self.full.name, self.operations)

    def solve(self) -> RoutedSolution:
        """Find the fixed point and the figures there."""
        count = len(self.closed)
        unknown = np.concatenate(
            [
                self.first_rates(),
                self.mix(np.ones((self.points, count))),
                np.zeros((self.points, 1 + self.pool.levels)),
            ],
            axis=1,
        )
        ends = count, count + len(self.routes), count + len(self.routes) + 1
        memory = _Rounds()
        residual = lowest = np.full(self.points, np.inf)
        since = np.zeros(self.points, dtype=int)
        done = np.zeros(self.points, dtype=bool)
        requests = streams(self.network, self.operations, [1.0] * len(self.network.classes)).streams
        most = _MAX_LAYERED if any(stream.around for stream in requests) else _MAX_ROUNDS
        for rounds in range(1, most + 1):
            waiting, mix, lost, kept = np.split(unknown, ends, axis=1)
            levels = self.around.solved(waiting, mix, kept, lost)
            chain = PlaceChain(levels, self.pool, self.around.visits)
            lost = chain.full[:, None] * (self.full.form != WAIT)
            after = np.concatenate([chain.request_rates(waiting), self.mix(chain.passages), lost, levels.kept], axis=1)
            moves = after - unknown
            sizes = np.maximum(np.abs(after), np.abs(unknown))
            sizes[:, : ends[2]] = 1.0
            residual = np.where(done, residual, (np.abs(moves) / np.maximum(sizes, 1e-300)).max(axis=1))
            done = residual <= _TOLERANCE
            if done.all() or not self.around.depends(levels):
                return self.solution(levels, chain, rounds)
            less = residual < _LESS * lowest
            lowest, since = np.where(less, residual, lowest), np.where(less, rounds, since)
            if (done | (rounds - since >= _STALLED)).all():
                break
            following = self.next(unknown, after, memory, ends[0])
            # Extrapolation may exceed a loss probability of 1, which would make visits negative.
            following[:, ends[1] : ends[2]] = np.minimum(following[:, ends[1] : ends[2]], 1.0)
            # Points that have converged do not move while others are still iterated.
            unknown = np.where(done[:, None], unknown, following)
        what, expected = f"the waits for a place of {self.full.name}", f"a residual of {_TOLERANCE:.0e}"
        reason = f"residual {residual.max():.1e}"
        error = not_converged(what, expected, "try fewer customers", code="QN557", reason=reason)
        error.at = None if self.network.size is None else ~done
        raise error

    def next(self, unknown: Array, after: Array, memory: _Rounds, count: int) -> Array:
        """The unknowns of the next round, from those of this one and their images.

        count    the number of shares of classes among the customers that wait, which come first.
        Method   Anderson mixing, with the shares as logarithms and the others by their size. In the first rounds, whose
                 moves are no guide to later ones, the others move to their images, and the shares by their secants:
                 where nearly all customers wait they overshoot by much, since the more wait, the fewer request a place.
        """
        if memory.count < _PLAIN:
            memory.start(np.maximum(np.abs(unknown), np.abs(after))[:, count:])
        here, there = (
            np.concatenate([np.log(np.maximum(values[:, :count], _LEAST)), values[:, count:] / memory.sizes], axis=1)
            for values in (unknown, after)
        )
        following = memory.following(here, there - here)
        if memory.count <= _PLAIN:
            following = np.concatenate([memory.secant(count), there[:, count:]], axis=1)
        shares = np.exp(following[:, :count]) * (after[:, :count] > _LEAST)
        total = shares.sum(axis=1, keepdims=True)
        shares = np.where(total > 0, shares / np.where(total > 0, total, 1.0), after[:, :count])
        return np.concatenate([shares, np.maximum(following[:, count:], 0.0) * memory.sizes], axis=1)

    def first_rates(self) -> Array:
        """(points, closed classes) initial relative rates at which customers of the classes request a place."""
        rates: Array = self.around.visits * self.pool.takes
        total = rates.sum(axis=1, keepdims=True)
        equal: Array = self.pool.takes / np.maximum(self.pool.takes.sum(axis=1, keepdims=True), 1)
        return np.where(total > 0, rates / np.where(total > 0, total, 1.0), equal)

    def mix(self, passages: Any) -> Any:
        """(points, taking routes) the shares of the routes among the places taken.

        passages  (points, closed classes) per second.
        """
        flow = np.stack(
            [route.rate * passages[:, self.closed.index(route.class_index)] for route in self.routes], axis=1
        )
        flow = np.where(flow.sum(axis=1, keepdims=True) > 0, flow, 1.0)
        return flow / flow.sum(axis=1, keepdims=True)

    def solution(self, levels: StationLevels, chain: PlaceChain, rounds: int) -> RoutedSolution:
        """The figures of the network, with the mean waits over all numbers of places."""
        passages = [self.value(chain.passages[:, number]) for number in range(len(self.closed))]
        rates = [
            item.arrival_rate if isinstance(item, OpenClass) else passages[self.closed.index(index)]
            for index, item in enumerate(self.network.classes)
        ]
        losing = self.full.form != WAIT
        losses = self.losses(chain)
        # The flows with losses are those of open classes that arrive at the rate at which passages begin.
        flows = flows_with_losses(as_open(self.network, rates), losses, self.operations) if losing else None
        network = flows.completing if flows else with_delays(self.network, self.delays(chain))
        carried = flows.carried if flows else rates
        compiled = streams(flows.admitted if flows else network, self.operations, rates)
        waits = self.waits(compiled, levels, chain)
        if flows:
            compiled = compiled.replace(routes=streams(network, self.operations, carried).routes)
        loads = {label: chain.mean(self.pool.grid.at_all(load)) for label, load in levels.loads.items()}
        solution = self.disaggregated(network, compiled, carried, waits, loads, rounds)
        reasons = tuple(dict.fromkeys([*levels.reasons, *reasons_for(self.network, self.around, self.operations)]))
        if reasons and losing and not self.operations.all(self.value(chain.full) <= LOSSES):
            reason = Reason("losses return", station=self.full.name, numbers=(100 * LOSSES,))
            reasons = (*reasons, Beyond(reason, "QN670"))
        single = self.network.size is None and len(rates) == 1 and not losing
        solution = solution.replace(
            exact=not reasons,
            reasons=reasons,
            buffers=() if self.full.form == STATION else (self.buffer(compiled, waits, chain),),
            passages=None,
            ceiling=ceiling(self.network) if single else None,
        )
        return with_offered(solution, self.network, rates, losses) if losing else solution

    def check(self, solution: RoutedSolution) -> None:
        """Raise where the estimates at different numbers of customers add up to a utilization above 1."""
        for item in solution.stations:
            if item.utilization is not None:
                over = self.column(item.utilization) > 1.0 + _MUCH
                if (over & self.column(solution.stable).astype(bool)).any():
                    text = f'"{item.label}" would be more than 100 % utilized with the places of "{self.full.name}"'
                    expected = "consistent estimates"
                    raise NotComputed(Problem("QN558", text, expected, help=f"give {item.name} one sort of work"))

    def delays(self, chain: PlaceChain) -> dict[int, Value]:
        """By closed class the mean wait for a place."""
        return {index: self.value(chain.delays[:, number]) for number, index in enumerate(self.closed)}

    def losses(self, chain: PlaceChain) -> Losses:
        """The shares that are admitted."""
        kept = self.value(np.maximum(1.0 - chain.full, LEAST))
        if self.full.form == STATION:
            return Losses({(self.full.name, 0): kept}, {}, {})
        return Losses({}, {self.full.name: kept}, {self.full.name: (0.0, 1.0)})

    def waits(self, compiled: Streams, levels: StationLevels, chain: PlaceChain) -> list[Wait]:
        """The mean wait over all visits, by stream."""
        at_all = self.pool.grid.at_all
        result: list[Wait] = []
        customers, places, requests = iter(levels.customers), iter(levels.places), iter(levels.requests)
        for stream in compiled.streams:
            if stream.drains == self.full.name or (self.full.form == STATION and stream.station == self.full.name):
                wait, rates = next(places), chain.freed
            else:
                wait, rates = next(customers), at_all(next(requests))
                if stream.class_index in self.closed:
                    rates = rates * chain.rates[:, :, self.closed.index(stream.class_index)]
            mean = chain.mean(at_all(wait), rates)
            # With never more customers than servers only rounding errors are left.
            result.append(Wait(self.value(np.where(mean > _LEAST_SHARE * levels.turn.max(1), mean, 0.0)), 0.0))
        return result

    def buffer(self, compiled: Streams, waits: Sequence[Wait], chain: PlaceChain) -> BufferFigures:
        """The figures of the buffer."""
        where = self.operations.where
        offered = self.value(chain.requested)
        carried = self.value(chain.requested * (1.0 - chain.full)) if self.full.form == LOST else offered
        (full,) = self.network.buffers
        rate, label = drain_rate(full, self.network, compiled, waits, carried, self.operations)
        requested = self.value(chain.requests[:, 0])
        growing = (requested > rate) & (rate > 0)
        fill = where(growing, self.value(self.pool.places * 1.0) / where(growing, requested - rate, 1.0), float("inf"))
        late = np.where(chain.full > 0, chain.wait / np.where(chain.full > 0, chain.full, 1.0), chain.until_free)
        late = late if self.full.form == WAIT else 0.0 * late
        return BufferFigures(
            name=self.full.name,
            places=self.full.places,
            offered=offered,
            throughput=carried,
            occupancy=self.value(chain.mean(chain.occupied)),
            found_full=self.value(chain.full),
            delay_when_full=self.value(late),
            drain_rate=rate,
            time_to_fill=fill,
            drained_by=label,
        )


def reasons_for(network: RoutedNetwork, around: Surroundings, operations: Operations) -> list[Inexact]:
    """Why figures of a buffer that closed classes fill are not exact; empty where they are.

    network      as stated.
    around       the network around the buffer.
    operations   those of the numbers of the network.
    """
    name = around.name
    reason = Reason("around as one", station=name)
    compiled = streams(network, operations, [1.0] * len(network.classes))
    freeing = [stream for stream in compiled.streams if _frees(stream, around)]
    beyond = "; ".join(_beyond(network, around, freeing, operations))
    if beyond:
        return [Beyond(reason, "QN670", f"{name} is used beyond where errors were measured as small: {beyond}")]
    plain = (
        around.apart
        and len(network.classes) == 1
        and len({(stream.station, stream.group) for stream in freeing}) == 1
        and one_exponential(freeing, operations)
        and all(_once(route.drain, network, operations) for route in around.routes)
    )
    if plain and _one_visit(network, around, operations):
        return []
    crowd = total(item.population for item in network.closed)
    if around.apart and not operations.all(operations.compare("<=", 2.0, crowd)):
        text = f"{name} is used beyond where errors were measured as small: one customer alone fills it"
        return [Beyond(reason, "QN670", text)]
    return [Inexact(reason)]


def _beyond(
    network: RoutedNetwork, around: Surroundings, freeing: Sequence[Stream], operations: Operations
) -> Iterator[str]:
    """The uses for which errors were not measured as small."""
    full = around.full
    for item in network.classes:
        for step in (step for route in item.routes for step in route.steps):
            if isinstance(step, Time) and step.fills and not operations.all(operations.compare("<=", step.visits, 1.0)):
                yield f"{item.name} takes several places at once"
    if full.form == LOST and not around.apart:
        yield "customers are lost when it is full, and the station that frees its places does other work"
    if around.several and around.apart and full.form == WAIT and not around.composed:
        yield "customers of its classes are too many for all sets of those that wait to be solved"
    crowd = total(item.population for item in network.closed)
    if not around.apart and not operations.all(operations.compare("<=", 2.0, crowd)):
        yield "one customer alone waits for the work that frees its places"
    if full.form != STATION and not operations.all(operations.compare("<=", crowd, full.places)):
        delays = {station.name for station in network.stations if station.delay}
        if any(_queues_between(route, full, delays) for item in network.classes for route in item.routes):
            yield "customers that have taken a place queue before it can be freed"
    if full.form != STATION:
        delays = {station.name for station in network.stations if station.delay}
        if any(_delayed_between(route, full, delays, operations) for item in network.classes for route in item.routes):
            yield "customers that have taken a place are delayed before it can be freed"
    stations = {stream.station for stream in freeing}
    if full.form != STATION:
        visiting = [
            route for item in network.classes for route in item.routes if _visits(route.steps, around, stations)
        ]
        if any(takes(step, full) for route in visiting for step in route.steps):
            yield f"customers that fill it visit {min(stations)} for other work as well"
    if not all(exponential(stream, operations) for stream in freeing):
        yield f"times at {min(stations)} that free places are not exponential"
    elif full.form != STATION and not all(
        one_exponential([stream for stream in freeing if stream.station == name], operations) for name in stations
    ):
        yield "times to free a place differ between customers"


def _queues_between(route: Route, full: Limited, delays: set[str]) -> bool:
    """Whether a route has a queue between taking a place and its response."""
    taken = False
    for step in route.steps:
        if taken and isinstance(step, Hold) and step.phase == 1 and step.station not in delays:
            return True
        taken = taken or takes(step, full)
    return False


def _delayed_between(route: Route, full: Limited, delays: set[str], operations: Operations) -> bool:
    """Whether a route has a long delay between taking a place and the work that frees it."""
    taken, late = False, 0.0
    for step in route.steps:
        if taken and isinstance(step, Hold) and step.drains == full.name:
            return not operations.all(operations.compare("<=", late, _DELAYED * _spent(step)))
        if taken and (
            isinstance(step, Time) or (isinstance(step, Hold) and step.phase == 1 and step.station in delays)
        ):
            late = late + _spent(step)
        taken = taken or takes(step, full)
    return False


def _spent(step: Time | Hold) -> Value:
    """The mean seconds of a step, without waits."""
    inner = (item for item in step.steps if isinstance(item, Time | Hold)) if isinstance(step, Hold) else ()
    return step.visits * (step.mean if isinstance(step, Time) else total(_spent(item) for item in inner))


def _visits(steps: Sequence[Step], around: Surroundings, stations: set[str]) -> bool:
    """Whether steps visit any of the stations that free places for other work."""
    return any(
        isinstance(step, Hold)
        and ((step.station in stations and step.drains != around.name) or _visits(step.steps, around, stations))
        for step in steps
    )


def _once(hold: Hold, network: RoutedNetwork, operations: Operations) -> bool:
    """Whether work is one visit to a station without copies."""
    station = next(item for item in network.stations if item.name == hold.station)
    return station.copies == 1 and close(hold.visits, 0.0 * hold.visits + 1.0, operations)


def _one_visit(network: RoutedNetwork, around: Surroundings, operations: Operations) -> bool:
    """Whether the only class spends all its time thinking, or in one visit to one station with exponential times."""
    item = network.classes[0]
    outside = [_outside(route, around.full, operations) for route in item.routes]
    if any(after for _, after in outside):
        return False
    steps = [steps for steps, _ in outside]
    thinks = getattr(item, "think_time", 0.0)
    if not any(steps):
        return True
    if not operations.all(thinks == 0.0) or not all(len(only) == 1 and isinstance(only[0], Hold) for only in steps):
        return False
    holds = [only[0] for only in steps]
    stations = {hold.station for hold in holds if isinstance(hold, Hold)}
    if len(stations) > 1 or not all(isinstance(hold, Hold) and _once(hold, network, operations) for hold in holds):
        return False
    station: Station = next(other for other in network.stations if other.name in stations)
    compiled = streams(network, operations, [1.0])
    visits = [stream for stream in compiled.streams if not _frees(stream, around)]
    probability = total(route.probability for route in item.routes)
    return one_exponential(visits, operations) and not station.delay and operations.all(probability > 0)


def _frees(stream: Stream, around: Surroundings) -> bool:
    """Whether a stream is work that frees places."""
    if around.full.form == STATION:
        return stream.station == around.name
    return stream.drains == around.name


def _outside(route: Route, full: Limited, operations: Operations) -> tuple[tuple[Hold | Time, ...], bool]:
    """The steps of a route outside the limited buffer or station that take time; whether any follows taking a place."""
    steps: list[Hold | Time] = []
    taken = after = False
    for step in route.steps:
        if takes(step, full):
            taken = True
        elif isinstance(step, Time) and operations.all(step.mean == 0):
            continue
        elif isinstance(step, (Time, Hold)) and not (isinstance(step, Hold) and step.drains == full.name):
            steps.append(step)
            after = after or taken
    return tuple(steps), after
