"""Open networks with stations and buffers of limited capacity: losses and delays by a fixed point.

Applies   open classes; stations with a capacity outside of holds; buffers filled before the response, whose places are
          freed in a second phase.
Exact     stations with a capacity, alone or downstream of stations with product form: with one exponential service,
          without waiting room, with processor sharing, with one server, or with one exponential service for each
          priority (M/M/c/K, M/G/c/c, M/G/1/K); one buffer drained by a dedicated station of exponential service.
Fails     arrivals at a station downstream of one that loses customers are modelled as Poisson.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import lazy, np
from qnet.networks.capacity.buffers import BufferState, solve_buffer
from qnet.networks.capacity.flows import Flows, Losses, flows_with_losses, with_offered
from qnet.networks.capacity.open_exactness import reasons_for
from qnet.networks.capacity.stations import LEAST, OpenSolverWithLosses
from qnet.networks.duration import Wait
from qnet.networks.exactness import not_followed, uneven_classes
from qnet.networks.figures import Steady, figures
from qnet.networks.fixed_point import mixed
from qnet.networks.open.solve import NAME
from qnet.networks.reasons import Reason
from qnet.networks.routed import Fork, Hold, OpenClass, RoutedNetwork, Step, Time
from qnet.networks.solution import Limiting, RoutedSolution
from qnet.networks.streams import filled, streams
from qnet.networks.wanted import Wanted
from qnet.queues.arithmetic import total

if TYPE_CHECKING:
    from qnet.networks.open import hold_warnings
else:
    hold_warnings = lazy("qnet.networks.open.hold_warnings")

_TOLERANCE = 1e-13
"""The absolute change of a loss probability that counts as none: a few hundred times the rounding of floats near 1."""
_PLAIN, _MAX_ROUNDS = 30, 400
"""Rounds without acceleration, in which successive losses on a route converge, and rounds in all."""


def solve(network: RoutedNetwork, wanted: Wanted) -> RoutedSolution:
    """The steady state of an open network with limited capacities, or of every point of a batch.

    network   rates per second, times in seconds.
    wanted    the figures that are wanted; neither states nor bounds.
    Returns   figures of the passages that are completed, with the offered rates; points where a station without a
              capacity is saturated are marked in `stable`.
    Raises    `NotComputed` QN513 for states or bounds, QN548 for arrivals that are not Poisson, QN551 for what else is
              not covered, QN549 where the fixed point does not converge.
    Method    Loss probabilities start at 0; each round reduces the flows by them, solves the open network with these
              flows, and computes the losses again. More losses mean fewer arrivals elsewhere, so that the fixed point
              is between any two successive rounds; where they agree it is unique.
    Source    Reduced-load (Erlang fixed point) approximation: @kelly1986.
    """
    _refuse(network, wanted)
    if network.size is None:
        return _Solver(network).solve()

    # Figures of points without a steady state are meaningless, and are not reported.
    with np.errstate(all="ignore"):
        return _Solver(network).solve()


class _Solver:
    def __init__(self, network: RoutedNetwork) -> None:
        self.network = network
        self.operations: Operations = FLOATS if network.size is None else arrays()
        self.keys = [
            (station.name, index)
            for station in network.stations
            if station.capacity
            for index in range(len(station.groups))
        ]

    def solve(self) -> RoutedSolution:
        """Find the fixed point and the figures there."""
        nothing: Value = 0.0 * total(_rates(self.network))
        shares = len(self.keys) + len(self.network.buffers)
        unknown: list[Value] = [1.0 + nothing] * shares + [nothing] * (2 * len(self.network.buffers))
        bounded: dict[int, Wait] = {}
        memory: tuple[list[Value], list[Value]] | None = None
        rounds = 0
        while True:
            rounds += 1
            flows, solver, buffers = self.round(unknown, bounded)
            after = self.after(solver, buffers)
            waits = {index: wait for item in buffers for index, wait in item.waits.items()}
            moves = [new - old for new, old in zip(after, unknown, strict=True)]
            means = [wait.mean for wait in waits.values()]
            more = [wait.mean - bounded[index].mean if bounded else wait.mean for index, wait in waits.items()]
            bounded = waits
            if self.converged([*after, *means], [*moves, *more], solver):
                return self.solution(flows, solver, buffers, rounds)
            if rounds == _MAX_ROUNDS:
                text = f"the fixed point of losses and blocking did not converge in {rounds} rounds"
                raise NotComputed(Problem("QN549", text, f"a residual of {_TOLERANCE:.0e}", help="try a lower load"))
            unknown = self.accelerated(after, moves, memory) if memory is not None and rounds > _PLAIN else after
            memory = (after, moves)

    def accelerated(
        self, after: list[Value], moves: list[Value], memory: tuple[list[Value], list[Value]]
    ) -> list[Value]:
        """The unknowns of the next round, from this one and the one before; none below 0, no share above 1.

        after   the images of the unknowns in this round.
        moves   the differences between these and the unknowns.
        memory  both in the round before.
        """
        least, most = self.operations.minimum, self.operations.maximum
        unknown = [most([value, 0.0 * value]) for value in mixed(after, moves, *memory)]
        shares = len(self.keys) + len(self.network.buffers)
        # An acceleration reduces no share to less than a tenth of its image.
        unknown[:shares] = [
            most([least([value, 1.0 + 0.0 * value]), LEAST + 0.1 * plain])
            for value, plain in zip(unknown[:shares], after, strict=False)
        ]
        return unknown

    def losses(self, unknown: Sequence[Value]) -> Losses:
        """The unknowns as shares and delays of stations and buffers."""
        count, names = len(self.keys), [buffer.name for buffer in self.network.buffers]
        kept, delays = unknown[count : count + len(names)], unknown[count + len(names) :]
        return Losses(
            dict(zip(self.keys, unknown, strict=False)),
            dict(zip(names, kept, strict=True)),
            dict(zip(names, zip(delays[::2], delays[1::2], strict=True), strict=True)),
        )

    def round(
        self, unknown: Sequence[Value], bounded: dict[int, Wait]
    ) -> tuple[Flows, OpenSolverWithLosses, list[BufferState]]:
        """The flows, the waits at all stations, and the state of the buffers."""
        losses = self.losses(unknown)
        flows = flows_with_losses(self.network, losses, self.operations)
        compiled = streams(flows.admitted, self.operations)
        losing = [buffer.name for buffer in self.network.buffers if buffer.loses]
        full = frozenset((item.station, item.group) for item in compiled.streams if item.drains in losing)
        solver = OpenSolverWithLosses(
            flows.admitted, compiled, operations=self.operations, losses=losses, full=full, bounded=bounded,
            entries=flows.entries,
        )  # fmt: skip
        solver.find_waits()
        buffers = [
            solve_buffer(buffer, solver, flows, losses.buffers[buffer.name], self.operations)
            for buffer in self.network.buffers
        ]
        return flows, solver, buffers

    def after(self, solver: OpenSolverWithLosses, buffers: Sequence[BufferState]) -> list[Value]:
        """The unknowns as computed in a round."""
        kept = [solver.kept.get(key, 1.0) for key in self.keys]
        return [*kept, *(item.kept for item in buffers), *(part for item in buffers for part in item.delay)]

    def converged(self, after: Sequence[Value], moves: Sequence[Value], solver: OpenSolverWithLosses) -> bool:
        """Whether losses have converged everywhere, and delays wherever there is a steady state."""
        absolute = self.operations.absolute
        count = len(self.keys) + len(self.network.buffers)
        least = [0.0] * count + [1e-3] * (len(after) - count)
        sizes = [absolute(move) / (absolute(new) + near) for new, move, near in zip(after, moves, least, strict=True)]
        shares = sizes[:count]
        lost, largest = (self.operations.maximum([0.0 * sizes[0], *some]) for some in (shares, sizes))
        # Stations may be saturated only because losses upstream have not converged yet.
        return self.operations.all((lost <= _TOLERANCE) & ((largest <= _TOLERANCE) | solver.overloaded()))

    def solution(
        self, flows: Flows, solver: OpenSolverWithLosses, states: Sequence[BufferState], rounds: int
    ) -> RoutedSolution:
        """The figures of the passages that are completed, with the offered rates."""
        carried = flows.carried
        completing = streams(flows.completing, self.operations, carried)
        compiled = solver.compiled.replace(routes=completing.routes)
        rho = {centre.key: solver.rho(centre) for centre in solver.centres}
        inside = {index: wait for item in states for index, wait in item.inside.items()}
        waits = [inside.get(index, wait) for index, wait in enumerate(solver.waits)]
        steady = Steady(
            flows.completing, carried, compiled=compiled, members=solver.members, waits=waits, rho=rho,
            operations=self.operations,
        )  # fmt: skip
        solution = figures(steady, NAME, rounds)
        strained = [item.figures.name for item in states if item.strained]
        reasons = tuple(dict.fromkeys(reasons_for(self.network, compiled, solver.losses, strained, self.operations)))
        if solver.in_holds or compiled.deferred:
            reasons += hold_warnings.beyond(solver, solution.stable)
        solution = solution.replace(
            buffers=tuple(item.figures for item in states),
            reasons=reasons,
            exact=not reasons,
            loads=self.loads(solution, solver),
        )
        solution = self.with_drains(solution, states)
        return with_offered(solution, self.network, _rates(self.network), solver.losses) if self.loses else solution

    @property
    def loses(self) -> bool:
        """Whether any customers are lost."""
        return bool(self.keys) or any(buffer.loses for buffer in self.network.buffers)

    def loads(self, solution: RoutedSolution, solver: OpenSolverWithLosses) -> tuple[Limiting, ...]:
        """The loads of stations that may saturate, without the work that capacities limit."""
        labels = {
            (station.name, index): group.label
            for station in self.network.stations
            for index, group in enumerate(station.groups)
        }
        other = {labels[centre.key]: solver.other(centre) for centre in solver.centres if centre.key in solver.full}
        other |= {labels[key]: 0.0 for key in self.keys}
        loads = [item.replace(load=other.get(item.name, item.load)) for item in solution.loads]
        return tuple(item for item in loads if item.name not in other or not self.operations.all(item.load == 0))

    def with_drains(self, solution: RoutedSolution, states: Sequence[BufferState]) -> RoutedSolution:
        """The solution with the loads of buffers whose places copies free, which saturate before the copies do."""
        limiting = [Limiting(item.figures.name, item.load, certain=False) for item in states if item.load is not None]
        stable = solution.stable
        for item in limiting:
            stable = stable & (item.load < 1)
        if isinstance(stable, int):
            stable = bool(stable)
        return solution.replace(stable=stable, loads=(*solution.loads, *limiting)) if limiting else solution


def _rates(network: RoutedNetwork) -> list[Value]:
    """Passages per second of every class that begin."""
    return [item.arrival_rate for item in network.classes if isinstance(item, OpenClass)]


def _refuse(network: RoutedNetwork, wanted: Wanted) -> None:
    """Raise for what is not covered."""
    if network.closed:
        raise NotComputed(Problem("QN551", "capacity is limited, and there are closed classes", "open classes"))
    for station in network.stations:
        if station.rates is not None and station.capacity is None:
            text = f'"{station.name}" has rates that depend on the number present, and capacity elsewhere is limited'
            raise NotComputed(Problem("QN551", text, "servers instead of rates, or a capacity there too"))
    if wanted.states or wanted.bounds:
        text = "neither states nor bounds are known where capacity is limited"
        raise NotComputed(Problem("QN513", text, "figures alone"))
    uneven = uneven_classes(network, FLOATS if network.size is None else arrays())
    if uneven:
        raise NotComputed(Problem("QN548", not_followed(uneven[0], Reason("full")), "arrival_scv = 1"))
    if network.profiles:
        text = "capacity is limited, and times depend on the number inside"
        raise NotComputed(Problem("QN551", text, "one or the other"))
    limited = {station.name for station in network.stations if station.capacity}
    losing = {buffer.name for buffer in network.buffers if buffer.loses}
    for customers in network.classes:
        if customers.chain:
            raise NotComputed(Problem("QN551", "capacity is limited, and there are chains", "classes"))
        for step in (step for route in customers.routes for step in route.steps):
            if _forks(step):
                text = "capacity is limited, and branches run in parallel"
                raise NotComputed(Problem("QN551", text, "one or the other"))
            if isinstance(step, Hold) and step.station in limited and _inside(step):
                text = f'"{step.station}" has a capacity and is held during a wait for another station'
                help = "replace the other station by a delay, or give the class a population and the station servers"
                raise NotComputed(Problem("QN551", text, "a station that holds nothing else", help=help))
            for name in _inside(step) & limited:
                text = f'"{name}" has a capacity and is requested inside a hold'
                raise NotComputed(Problem("QN551", text, "a station that holds nothing else"))
            if isinstance(step, Hold) and losing & set(filled(step)):
                text = f'"{next(iter(losing & set(filled(step))))}" loses customers that hold a station'
                raise NotComputed(Problem("QN551", text, 'a fill outside of holds, or full = "wait"'))


def _inside(step: Step) -> set[str]:
    """The stations that are requested inside a step."""
    if isinstance(step, Time):
        return set()
    steps = step.inner if isinstance(step, Fork) else step.steps
    inner = {item.station for item in steps if isinstance(item, Hold)}
    return inner.union(*(_inside(item) for item in steps)) if steps else inner


def _forks(step: Step) -> bool:
    """Whether branches run in parallel in a step."""
    return isinstance(step, Fork) or (isinstance(step, Hold) and any(_forks(item) for item in step.steps))
