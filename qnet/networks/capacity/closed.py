"""Closed classes that fill a buffer: how many places are taken, as a chain of one number.

Applies   one buffer that closed classes alone fill, outside of holds, and where all wait; open classes beside them.
Exact     one class that spends all its time before the buffer thinking, or in one visit to one station, whose places
          are freed by one visit to a station that does nothing else; all times exponential.
Fails     what is around the buffer is told by its throughput alone, which is less than is true where a few long
          visits make what comes to the buffer uneven.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import Array, np
from qnet.networks.capacity.chain import Chain
from qnet.networks.capacity.closed_exactness import reasons_for
from qnet.networks.capacity.closed_levels import Levels, Rest
from qnet.networks.capacity.closed_parts import (
    LOST,
    STATION,
    WAIT,
    by_class,
    customers,
    delayed,
    limited,
    never_full,
    opened,
    ways,
)
from qnet.networks.capacity.closed_pool import Pool
from qnet.networks.capacity.closed_refused import METHOD, refuse, refuse_idle
from qnet.networks.capacity.drained import drain_rate
from qnet.networks.capacity.exactness import LOSSES
from qnet.networks.capacity.lines import LEAST
from qnet.networks.capacity.offered import with_offered
from qnet.networks.capacity.thinned import Losses, thinned
from qnet.networks.closed_networks import ceiling
from qnet.networks.duration import Wait
from qnet.networks.exactness import Beyond
from qnet.networks.figures import Steady, figures, not_above_one
from qnet.networks.routed import ClosedClass, OpenClass, RoutedNetwork
from qnet.networks.solution import BufferFigures, RoutedSolution
from qnet.networks.streams import Key, Streams, streams
from qnet.networks.wanted import Wanted

if TYPE_CHECKING:
    from qnet.networks.solvers.protocol import SolvePart

_TOLERANCE = 1e-10
_MAX_ROUNDS = 200
_MAX_LAYERED = 25
"""The same where every round solves layers, which takes much longer."""
_PLAIN = 20
"""Rounds without extrapolation, in which most settle."""
_FURTHEST = 20.0
"""How many times a move of a round may be extrapolated."""
_LEAST_SHARE = 1e-12
"""Waits below this share of a stay are none."""
_LEAST = 1e-300
"""Shares below this are none."""
_MUCH = 1e-6
"""A utilization above 1 by more is not from rounding."""
_STEEPEST = 1e6
"""How much a share may fall with itself."""


def solve(network: RoutedNetwork, wanted: Wanted, solve_part: SolvePart) -> RoutedSolution:
    """The steady state of a network whose closed classes fill a buffer, or of every point of a batch.

    network   rates per second, times in seconds, populations as numbers of customers.
    wanted    the method and its budget: `auto` or `flow-equivalent`.
    Returns   figures by class, route and station, and those of the buffer. The wait for a place is part of the
              response, and of no station.
    Raises    `NotComputed` QN513 for a method, states or bounds that there are not, QN555 for what is not covered,
              QN556 where there are too many places and customers, QN557 where the fixed point does not settle; as the
              solvers of what is around the buffer.
    Method    The number m of places that are taken or waited for goes up at the rate at which customers come to the
              buffer, and down at the rate at which places are freed. Up to K all customers are around the buffer and
              m places are taken; above it m - K customers wait. Both rates are those of a closed network of the
              customers who do not wait and of the places that are taken, which go from the time to the response to
              the work that frees them and back. Of several classes those wait in the proportion in which they find
              the buffer full; those shares, and how long places are kept before the response, are a fixed point.
    Source    Chandy, Herzog, Woo, IBM J. Res. Dev. 19 (1975) 36-42, for one number in the place of a network; places
              as a second class of customers: this tool.
    """
    refuse(network, wanted)
    if never_full(network):
        stations = tuple(item.replace(capacity=None) for item in network.stations)
        found = solve_part(network.replace(stations=stations), wanted)
        nothing = Losses({(limited(network).name, 0): 1.0}, {}, {})
        return with_offered(found, network, [item.throughput for item in found.classes], nothing)
    return _Closed(network, wanted, solve_part).solve()


class _Closed:
    def __init__(self, network: RoutedNetwork, wanted: Wanted, solve_part: SolvePart) -> None:
        self.network = network
        self.operations: Operations = FLOATS if network.size is None else arrays()
        self.points = 1 if network.size is None else network.size
        self.full = limited(network)
        self.ways = ways(network, self.full, self.column)
        self.pool = Pool(
            self.full.form,
            np.floor(self.column(self.full.places)).astype(int),
            np.stack([self.column(item.population) for item in network.closed], axis=1),
            by_class(self.ways, self.closed, [way.rate for way in self.ways]) > 0,
        )
        self.rest = Rest(network, self.full, self.ways, self.pool, wanted, solve_part)
        refuse_idle(self.rest.network, self.full.name, self.operations)
        if self.full.form != WAIT:
            refuse_idle(customers(network, self.full, 1.0), self.full.name, self.operations)

    @property
    def closed(self) -> list[int]:
        """The places of the closed classes among all."""
        return [kind for kind, item in enumerate(self.network.classes) if isinstance(item, ClosedClass)]

    def column(self, value: Value) -> Any:
        """A value as an array of points."""
        return np.broadcast_to(np.asarray(value, float), (self.points,))

    def value(self, column: Any) -> Value:
        """An array of points as a value of the network."""
        return float(column[0]) if self.network.size is None else column

    def solve(self) -> RoutedSolution:
        """Find the fixed point and tell the figures there."""
        rest = self.rest
        count = len(self.closed)
        unknown = np.concatenate(
            [
                self.first_shares(),
                self.mix(np.ones((self.points, count))),
                np.zeros((self.points, 1 + rest.pool.levels)),
            ],
            axis=1,
        )
        ends = count, count + len(self.ways), count + len(self.ways) + 1
        memory: tuple[Any, ...] | None = None
        residual = np.inf
        asked = streams(self.network, self.operations, [1.0] * len(self.network.classes)).streams
        most = _MAX_LAYERED if any(stream.around for stream in asked) else _MAX_ROUNDS
        for rounds in range(1, most + 1):
            waiting, mix, lost, kept = np.split(unknown, ends, axis=1)
            levels = rest.solved(waiting, mix, kept, lost)
            chain = Chain(levels, self.pool, rest.visits)
            lost = chain.full[:, None] * (self.full.form != WAIT)
            after = np.concatenate([chain.waiting(waiting), self.mix(chain.passages), lost, levels.kept], axis=1)
            moves = after - unknown
            sizes = np.maximum(np.abs(after), np.abs(unknown))
            sizes[:, : ends[2]] = 1.0
            residual = float((np.abs(moves) / np.maximum(sizes, 1e-300)).max())
            if residual <= _TOLERANCE or not rest.depends(levels):
                return self.told(levels, chain, rounds)
            unknown, memory = self.next(unknown, after, memory, ends[0], rounds > _PLAIN)
        text = f"who waits for a place of {self.full.name} did not converge: residual {residual:.1e}"
        raise NotComputed(Problem("QN557", text, f"a residual of {_TOLERANCE:.0e}", help="try fewer customers"))

    def next(
        self, unknown: Array, after: Array, memory: tuple[Any, ...] | None, count: int, extrapolate: bool
    ) -> tuple[Any, tuple[Any, ...]]:
        """The unknowns of the next round, and what it is to remember.

        count        how many of them are shares of classes among those who wait.
        extrapolate  whether the others move further than to their images, by what the round before did.
        Method       The shares alone may overshoot, by much where nearly everybody waits: more who wait leave fewer who
                     come. Each moves by its own secant, in logarithms; the others to their images, or by one step of
                     Anderson mixing.
        """
        here, there = (np.log(np.maximum(values[:, :count], _LEAST)) for values in (unknown, after))
        step = there - here
        if memory is not None:
            moved = here - memory[0]
            slope = np.where(np.abs(moved) > 1e-14, (there - memory[1]) / np.where(moved == 0, 1.0, moved), 0.0)
            step = step / (1.0 - np.clip(slope, -_STEEPEST, 0.0))
        shares = np.exp(here + step) * (after[:, :count] > _LEAST)
        whole = shares.sum(axis=1, keepdims=True)
        shares = np.where(whole > 0, shares / np.where(whole > 0, whole, 1.0), after[:, :count])
        others, moves = after[:, count:], after[:, count:] - unknown[:, count:]
        following = others
        if memory is not None and extrapolate:
            sizes = np.maximum(np.maximum(np.abs(others), np.abs(unknown[:, count:])), 1e-300)
            change = (moves - memory[3]) / sizes
            weight = (change * moves / sizes).sum(axis=1) / np.maximum((change * change).sum(axis=1), 1e-300)
            weight = np.clip(weight, -_FURTHEST, 0.9)[:, None]
            following = np.maximum(others - weight * (others - memory[2]), 0.0)
        return np.concatenate([shares, following], axis=1), (here, there, others, moves)

    def first_shares(self) -> Array:
        """(points, closed classes) the shares of the classes among those who wait, to begin with."""
        shares: Array = self.pool.population * self.rest.visits
        whole = shares.sum(axis=1, keepdims=True)
        plain: Array = self.pool.fills / np.maximum(self.pool.fills.sum(axis=1, keepdims=True), 1)
        return np.where(whole > 0, shares / np.where(whole > 0, whole, 1.0), plain)

    def mix(self, passages: Any) -> Any:
        """(points, ways) the shares of the ways among the places that are taken, by the passages of the classes."""
        flow = np.stack([way.rate * passages[:, self.closed.index(way.kind)] for way in self.ways], axis=1)
        flow = np.where(flow.sum(axis=1, keepdims=True) > 0, flow, 1.0)
        return flow / flow.sum(axis=1, keepdims=True)

    def told(self, levels: Levels, chain: Chain, rounds: int) -> RoutedSolution:
        """The figures of the network, with the mean waits of all numbers of places."""
        passing = [self.value(chain.passages[:, place]) for place in range(len(self.closed))]
        rates = [
            item.arrival_rate if isinstance(item, OpenClass) else passing[self.closed.index(kind)]
            for kind, item in enumerate(self.network.classes)
        ]
        losing = self.full.form != WAIT
        losses = self.losses(chain)
        # Who is lost is thinned out as of classes that arrive at the rate at which passages begin.
        routes = thinned(opened(self.network, rates), losses, self.operations) if losing else None
        network = routes.completing if routes else delayed(self.network, self.delays(chain))
        carried = routes.carried if routes else rates
        compiled = streams(routes.coming if routes else network, self.operations, rates)
        waits = self.waits(compiled, levels, chain)
        if routes:
            compiled = compiled.replace(routes=streams(network, self.operations, carried).routes)
        keys: dict[str, Key] = {
            group.label: (station.name, index)
            for station in network.stations
            for index, group in enumerate(station.groups)
        }
        loads = {keys[label]: load for label, load in levels.loads.items() if label in keys}
        rho = {key: self.value(chain.mean(self.pool.at_all(load))) for key, load in loads.items()}
        steady = Steady(network, carried, compiled, compiled.members(), waits, rho, self.operations)
        solution = figures(steady, METHOD, rounds)
        reasons = tuple(dict.fromkeys([*levels.reasons, *reasons_for(self.network, self.rest, self.operations)]))
        if reasons and losing and not self.operations.all(self.value(chain.full) <= LOSSES):
            text = f"{self.full.name} loses more than {100 * LOSSES:.0f} % of what comes, which comes again the sooner"
            reasons = (*reasons, Beyond(text, "QN670", text))
        self.prove(solution)
        classes = list(solution.classes)
        for kind, item in enumerate(self.network.classes):
            if isinstance(item, ClosedClass):
                classes[kind] = classes[kind].replace(population=item.population, think_time=item.think_time)
        alone = self.network.size is None and len(classes) == 1 and not losing
        solution = solution.replace(
            classes=tuple(classes),
            exact=not reasons,
            reasons=reasons,
            stations=tuple(not_above_one(item, self.operations) for item in solution.stations),
            buffers=() if self.full.form == STATION else (self.figures(compiled, waits, chain),),
            passages=None,
            ceiling=ceiling(self.network) if alone else None,
        )
        return with_offered(solution, self.network, rates, losses) if losing else solution

    def prove(self, solution: RoutedSolution) -> None:
        """Raise where the estimates of different numbers of customers ask more of a station than it can do."""
        for item in solution.stations:
            if item.utilization is not None:
                over = self.column(item.utilization) > 1.0 + _MUCH
                if (over & self.column(solution.stable).astype(bool)).any():
                    found = f'what comes to "{item.label}" beside places of "{self.full.name}" is more than it can do'
                    expected = "estimates that agree"
                    raise NotComputed(Problem("QN558", found, expected, help=f"give {item.name} one sort of work"))

    def delays(self, chain: Chain) -> dict[int, Value]:
        """By closed class the mean wait for a place."""
        return {kind: self.value(chain.delays[:, place]) for place, kind in enumerate(self.closed)}

    def losses(self, chain: Chain) -> Losses:
        """What is lost where."""
        kept = self.value(np.maximum(1.0 - chain.full, LEAST))
        if self.full.form == STATION:
            return Losses({(self.full.name, 0): kept}, {}, {})
        return Losses({}, {self.full.name: kept}, {self.full.name: (0.0, 1.0)})

    def waits(self, compiled: Streams, levels: Levels, chain: Chain) -> list[Wait]:
        """By stream: what its own wait is on average, over how often it is asked for."""
        found: list[Wait] = []
        others, places, asked = iter(levels.customers), iter(levels.places), iter(levels.asked)
        for stream in compiled.streams:
            if stream.drains == self.full.name or (self.full.form == STATION and stream.station == self.full.name):
                own, weights = next(places), chain.freed
            else:
                own, weights = next(others), self.pool.at_all(next(asked))
                if stream.class_index in self.closed:
                    weights = weights * chain.rates[:, :, self.closed.index(stream.class_index)]
            mean = chain.mean(self.pool.at_all(own), weights)
            # Rounding leaves something where no more come than there are servers.
            found.append(Wait(self.value(np.where(mean > _LEAST_SHARE * levels.turn.max(1), mean, 0.0)), 0.0))
        return found

    def figures(self, compiled: Streams, waits: Sequence[Wait], chain: Chain) -> BufferFigures:
        """The figures of the buffer."""
        where = self.operations.where
        offered = self.value(chain.taken)
        carried = self.value(chain.taken * (1.0 - chain.full)) if self.full.form == LOST else offered
        rate, label = drain_rate(self.full.name, self.network, compiled, waits, carried, self.operations)
        coming = self.value(chain.coming[:, 0])
        growing = (coming > rate) & (rate > 0)
        fill = where(growing, self.value(self.pool.places * 1.0) / where(growing, coming - rate, 1.0), float("inf"))
        late = np.where(chain.full > 0, chain.wait / np.where(chain.full > 0, chain.full, 1.0), chain.next_place)
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
