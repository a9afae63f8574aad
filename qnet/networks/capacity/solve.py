"""Open networks with stations and buffers that may be full: losses and delays by a fixed point.

Applies   open classes; stations with a capacity outside of holds; buffers filled on the way, of which the places are
          freed by work left behind.
Exact     stations with a capacity, alone or behind stations with product form: of one exponential time or without
          room to wait, with processor sharing, with one server, or with one exponential time for each priority
          (M/M/c/K, M/G/c/c, M/G/1/K); one buffer drained by a station of its own, of exponential service.
Fails     what comes to a station behind one that loses customers is taken as Poisson.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import lazy, np
from qnet.networks.capacity.buffers import Found, find
from qnet.networks.capacity.exactness import reasons_for
from qnet.networks.capacity.lines import LEAST, Lines
from qnet.networks.capacity.offered import with_offered
from qnet.networks.capacity.thinned import Losses, Thinned, thinned
from qnet.networks.duration import Wait
from qnet.networks.exactness import not_followed, uneven_classes
from qnet.networks.figures import Steady, figures
from qnet.networks.fixed_point import mixed
from qnet.networks.open import NAME
from qnet.networks.routed import Fork, Hold, OpenClass, RoutedNetwork, Step, Time
from qnet.networks.solution import Limiting, RoutedSolution
from qnet.networks.streams import filled, streams
from qnet.networks.wanted import Wanted
from qnet.queues.arithmetic import total

if TYPE_CHECKING:
    from qnet.networks import hold_trust
else:
    hold_trust = lazy("qnet.networks.hold_trust")

_TOLERANCE = 1e-13
_PLAIN, _MAX_ROUNDS = 30, 400
"""Rounds without memory: so many settle whatever is passed one after the other."""


def solve(network: RoutedNetwork, wanted: Wanted) -> RoutedSolution:
    """The steady state of an open network in which something may be full, or of every point of a batch.

    network   rates per second, times in seconds.
    wanted    the method and its budget: only `open` is known here.
    Returns   figures of the customers who complete their routes, with what was offered beside; points where a station
              without a limit of places has too much to do are marked in `stable`.
    Raises    `NotComputed` QN513, QN551 for what is not covered, QN549 where the fixed point does not settle.
    Method    Shares that are lost start at none; each round thins the routes by them, solves the open network that is
              left, and finds them anew. More losses mean fewer arrivals elsewhere, so that the fixed point is between
              any two rounds that follow each other; where they meet there is only one.
    Source    Reduced-load (Erlang fixed point) approximation: Kelly, Advances in Applied Probability 18 (1986) 473-505.
    """
    _refuse(network, wanted)
    if network.size is None:
        return _Solver(network).solve()

    # Points without a steady state have numbers without a meaning, which nobody is told.
    with np.errstate(all="ignore"):
        return _Solver(network).solve()


class _Solver:
    def __init__(self, network: RoutedNetwork) -> None:
        self.network = network
        self.operations: Operations = FLOATS if network.size is None else arrays()
        self.keys = [
            (station.name, place)
            for station in network.stations
            if station.capacity
            for place in range(len(station.groups))
        ]

    def solve(self) -> RoutedSolution:
        """Find the fixed point and tell the figures there."""
        nothing: Value = 0.0 * total(_rates(self.network))
        shares = len(self.keys) + len(self.network.buffers)
        unknown: list[Value] = [1.0 + nothing] * shares + [nothing] * (2 * len(self.network.buffers))
        bounded: dict[int, Wait] = {}
        memory: tuple[list[Value], list[Value]] | None = None
        rounds = 0
        while True:
            rounds += 1
            routes, solver, found = self.round(unknown, bounded)
            after = self.after(solver, found)
            waits = {index: wait for item in found for index, wait in item.waits.items()}
            moves = [new - old for new, old in zip(after, unknown, strict=True)]
            means = [wait.mean for wait in waits.values()]
            more = [wait.mean - bounded[index].mean if bounded else wait.mean for index, wait in waits.items()]
            bounded = waits
            if self.settled([*after, *means], [*moves, *more], solver):
                return self.told(routes, solver, found, rounds)
            if rounds == _MAX_ROUNDS:
                found = f"losses and delays of what is full did not converge in {rounds} rounds"
                raise NotComputed(Problem("QN549", found, f"a residual of {_TOLERANCE:.0e}", help="try a lower load"))
            if memory is not None and rounds > _PLAIN:
                chosen = mixed(after, moves, *memory)
                unknown = [self.operations.maximum([value, 0.0 * value]) for value in chosen]
                ends = self.operations.minimum, self.operations.maximum
                # An acceleration that would leave next to nothing of a share goes a part of the way alone.
                unknown[:shares] = [
                    ends[1]([ends[0]([value, 1.0 + 0.0 * value]), LEAST + 0.1 * plain])
                    for value, plain in zip(unknown[:shares], after, strict=False)
                ]
            else:
                unknown = after
            memory = (after, moves)

    def losses(self, unknown: Sequence[Value]) -> Losses:
        """The unknowns by what they are of."""
        count, names = len(self.keys), [buffer.name for buffer in self.network.buffers]
        kept, delays = unknown[count : count + len(names)], unknown[count + len(names) :]
        return Losses(
            dict(zip(self.keys, unknown, strict=False)),
            dict(zip(names, kept, strict=True)),
            dict(zip(names, zip(delays[::2], delays[1::2], strict=True), strict=True)),
        )

    def round(self, unknown: Sequence[Value], bounded: dict[int, Wait]) -> tuple[Thinned, Lines, list[Found]]:
        """What comes to every step, what it waits there, and how full buffers are."""
        losses = self.losses(unknown)
        routes = thinned(self.network, losses, self.operations)
        compiled = streams(routes.coming, self.operations)
        losing = [buffer.name for buffer in self.network.buffers if buffer.loses]
        full = frozenset((item.station, item.group) for item in compiled.streams if item.drains in losing)
        solver = Lines(routes.coming, compiled, self.operations, losses, full, bounded, routes.entries)
        solver.find_waits()
        found = [
            find(buffer, solver, routes, losses.buffers[buffer.name], self.operations)
            for buffer in self.network.buffers
        ]
        return routes, solver, found

    def after(self, solver: Lines, found: Sequence[Found]) -> list[Value]:
        """The unknowns as a round found them."""
        kept = [solver.kept.get(key, 1.0) for key in self.keys]
        return [*kept, *(item.kept for item in found), *(part for item in found for part in item.delay)]

    def settled(self, after: Sequence[Value], moves: Sequence[Value], solver: Lines) -> bool:
        """Whether nothing moves any more where there is a steady state."""
        absolute = self.operations.absolute
        count = len(self.keys) + len(self.network.buffers)
        least = [0.0] * count + [1e-3] * (len(after) - count)
        sizes = [absolute(move) / (absolute(new) + near) for new, move, near in zip(after, moves, least, strict=True)]
        shares = sizes[:count]
        lost, largest = (self.operations.maximum([0.0 * sizes[0], *some]) for some in (shares, sizes))
        # Without losses downstream stations may have too much to do that they have not with them.
        return self.operations.all((lost <= _TOLERANCE) & ((largest <= _TOLERANCE) | solver.overloaded()))

    def told(self, routes: Thinned, solver: Lines, found: Sequence[Found], rounds: int) -> RoutedSolution:
        """The figures of those who complete their routes, with what was offered."""
        carried = routes.carried
        completing = streams(routes.completing, self.operations, carried)
        compiled = solver.compiled.replace(routes=completing.routes)
        rho = {centre.key: solver.rho(centre) for centre in solver.centres}
        inside = {index: wait for item in found for index, wait in item.inside.items()}
        waits = [inside.get(index, wait) for index, wait in enumerate(solver.waits)]
        steady = Steady(routes.completing, carried, compiled, solver.members, waits, rho, self.operations)
        solution = figures(steady, NAME, rounds)
        buffers = tuple(item.figures for item in found)
        strained = [item.figures.name for item in found if item.strained]
        reasons = tuple(dict.fromkeys(reasons_for(self.network, compiled, solver.losses, strained, self.operations)))
        if solver.felt or compiled.deferred:
            reasons += hold_trust.beyond(solver, solution.stable)
        solution = solution.replace(
            buffers=buffers,
            reasons=reasons,
            exact=not reasons,
            loads=self.loads(solution, solver),
        )
        return with_offered(solution, self.network, _rates(self.network), solver.losses) if self.loses else solution

    @property
    def loses(self) -> bool:
        """Whether anybody is lost."""
        return bool(self.keys) or any(buffer.loses for buffer in self.network.buffers)

    def loads(self, solution: RoutedSolution, solver: Lines) -> tuple[Limiting, ...]:
        """The loads of what may have too much to do: of other work alone, where places of a buffer limit the rest."""
        labels = {
            (station.name, place): group.label
            for station in self.network.stations
            for place, group in enumerate(station.groups)
        }
        left = {labels[centre.key]: solver.other(centre) for centre in solver.centres if centre.key in solver.full}
        left |= {labels[key]: 0.0 for key in self.keys}
        found = [item.replace(load=left.get(item.name, item.load)) for item in solution.loads]
        return tuple(item for item in found if item.name not in left or not self.operations.all(item.load == 0))


def _rates(network: RoutedNetwork) -> list[Value]:
    """Passages per second of every class that begin."""
    return [item.arrival_rate for item in network.classes if isinstance(item, OpenClass)]


def _refuse(network: RoutedNetwork, wanted: Wanted) -> None:
    """Raise for what is not covered."""
    if network.closed or any(station.rates is not None for station in network.stations):
        found = "something may be full, and there are closed classes or rates that depend on the number present"
        raise NotComputed(Problem("QN551", found, "open classes and stations with servers"))
    if wanted.states or wanted.bounds:
        found = "neither states nor bounds are known where something may be full"
        raise NotComputed(Problem("QN513", found, "figures alone"))
    uneven = uneven_classes(network, FLOATS if network.size is None else arrays())
    if uneven:
        raise NotComputed(Problem("QN548", not_followed(uneven[0], "something may be full"), "arrival_scv = 1"))
    if network.profiles:
        found = "something may be full, and times depend on how many are inside"
        raise NotComputed(Problem("QN551", found, "one or the other"))
    limited = {station.name for station in network.stations if station.capacity}
    losing = {buffer.name for buffer in network.buffers if buffer.loses}
    for customers in network.classes:
        if customers.chain:
            raise NotComputed(Problem("QN551", "something may be full, and customers are of chains", "classes"))
        for step in (step for route in customers.routes for step in route.steps):
            if _forked(step):
                found = "something may be full, and branches run in parallel"
                raise NotComputed(Problem("QN551", found, "one or the other"))
            if isinstance(step, Hold) and step.station in limited and _inside(step):
                found = f'"{step.station}" has a capacity and is held while another station is waited for'
                help = "give what is inside no station (a delay), or the class a population and the station its servers"
                raise NotComputed(Problem("QN551", found, "a station that holds nothing else", help=help))
            for name in _inside(step) & limited:
                found = f'"{name}" has a capacity and is asked for inside a hold'
                raise NotComputed(Problem("QN551", found, "a station that holds nothing else"))
            if isinstance(step, Hold) and losing & set(filled(step)):
                found = f'"{next(iter(losing & set(filled(step))))}" loses those who hold a station'
                raise NotComputed(Problem("QN551", found, 'a fill outside of holds, or full = "wait"'))


def _inside(step: Step) -> set[str]:
    """The stations that are asked for inside a step."""
    if isinstance(step, Time):
        return set()
    steps = step.inner if isinstance(step, Fork) else step.steps
    inner = {item.station for item in steps if isinstance(item, Hold)}
    return inner.union(*(_inside(item) for item in steps)) if steps else inner


def _forked(step: Step) -> bool:
    """Whether branches run in parallel in a step."""
    return isinstance(step, Fork) or (isinstance(step, Hold) and any(_forked(item) for item in step.steps))
