"""Open networks in closed form: every station by its formula, holds by a fixed point over the waits inside them.

Applies   arrivals of any number of classes, Poisson by default; single and multi-server stations, first
          come first served with any service variability and priorities with and without preemption, processor sharing,
          last come first served preemptive resume; delays; nested holds; second-phase work.
Exact     for product-form networks (@baskett1975) and for one M/G/1 station alone. Otherwise an approximation: each
          station is independent of the others, with arrivals as `qna` computes them, or Poisson where that does not
          apply; `RoutedSolution.reasons` has the causes.
Fails     holds at processor-sharing or preemptive stations: waits inside count as work there, and the response includes
          the sharing of the second phase.
Cost      stations x routes per round; one round without holds, a handful with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import accumulate
from typing import TYPE_CHECKING

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import lazy, np
from qnet.networks.duration import Wait
from qnet.networks.exactness import not_followed, reasons_for, uneven_classes
from qnet.networks.figures import Steady, figures, responses
from qnet.networks.open.centres import BusyHolders, Centre, busy_holders, centres, ordered, request, undecided
from qnet.networks.routed import OpenClass, RoutedNetwork, at_point, at_points
from qnet.networks.solution import RoutedSolution
from qnet.networks.streams import Key, Stream, Streams, streams
from qnet.networks.wanted import Divided
from qnet.queues.arithmetic import SATURATED, ratio, total
from qnet.queues.waiting import Load, Queue, holder_wait, open_wait, preemptive_waits, queue, waits_with_holders

if TYPE_CHECKING:
    from qnet.networks import fixed_point as networks_fixed_point
    from qnet.networks.open import hold_warnings, holder_lines, qna
    from qnet.networks.open.holder_lines import LineAtCentre
    from qnet.networks.open.qna import Uneven
    from qnet.queues import changing_rates
else:
    changing_rates = lazy("qnet.queues.changing_rates")
    qna = lazy("qnet.networks.open.qna")
    hold_warnings = lazy("qnet.networks.open.hold_warnings")
    holder_lines = lazy("qnet.networks.open.holder_lines")
    networks_fixed_point = lazy("qnet.networks.fixed_point")

NAME = "open"
QNA = "qna"

_TOLERANCE = 1e-12
"""The relative change of a wait that counts as none: some thousand units in the last place, far below printed
digits."""
_ACCELERATED, _MORE = 10, 30
"""Rounds for all points, and for those that have not converged, before waits are enclosed, which is slow. A choice."""
_UNINTERRUPTED = 'discipline = "priority" serves the highest priority first without preemption'


def solve(
    network: RoutedNetwork, method: str = "auto", each: bool = False, warned: bool = True, brief: bool = False
) -> RoutedSolution:
    """The steady state of an open network, or of every point of a batch.

    Applies   every `RoutedNetwork` of open classes; the caller ensures that probabilities sum to one and that no number
              is negative.
    network   rates per second, times in seconds.
    method    "open": Poisson arrivals at every station; "qna": their variability is followed through the network;
              "auto": "qna" where it applies and "open" is not exact.
    each      whether every point of a batch is to get the method it would get alone.
    warned    whether the reasons include warnings about holds, second phases and arrivals taken as Poisson.
    brief     whether figures by station and by route are left out.
    Returns   figures by class, route and station. Points without a steady state are marked in `RoutedSolution.stable`,
              never raised; their figures mean nothing, other than the loads that are `certain`.
    Raises    `NotComputed` where the waits inside holds do not converge at a point that has a steady state; QN513
              where the method does not apply, QN548 for arrivals whose variability cannot be followed; `Divided`
              where points need different methods.
    Method    Rounds over the stations that are used inside holds, the innermost first, until no wait changes by more
              than 1e-12 of the time at its station; then the outer stations once.
    """
    solver = OpenSolver(network)
    solver.brief = brief
    if solver.followed(method):
        solver.uneven, beyond, even = qna.uneven(network, solver.compiled, solver.centres, solver.operations)
        if each and method == "auto" and not isinstance(even, bool) and even.any() and not even.all():
            raise Divided(even)
        solution = solver.solve()
        return solution.replace(reasons=(*solution.reasons, *beyond))
    solution = solver.solve()
    if warned and method == "open" and solver.followed("auto"):
        beyond = qna.ignored(network, solver.compiled, solver.centres, solver.operations)
        return solution.replace(reasons=(*solution.reasons, *beyond))
    if warned and (solver.in_holds or solver.compiled.deferred):
        beyond = hold_warnings.beyond(solver, solution.stable)
        if solver.compiled.deferred:
            beyond += qna.unmeasured_left(network, solver.compiled, solver.centres, solver.operations)
        return solution.replace(reasons=(*solution.reasons, *beyond))
    return solution


def loads_without_waits(network: RoutedNetwork, brief: bool = False) -> RoutedSolution:
    """The loads that are `certain`, as `solve` returns them; all other figures mean nothing.

    network  a point or a batch, of open classes.
    brief    whether figures by station and by route are left out.
    """
    solver = OpenSolver(network)
    solver.brief = brief
    return solver.summary(0)


def closed_form(network: RoutedNetwork, operations: Operations) -> RoutedSolution:
    """The steady state of an open network as formulas, where no fixed point is needed.

    Applies     as `solve`, without stations whose waits depend on how long their holders wait elsewhere.
    network     rates and times as traced numbers.
    operations  of these numbers.
    Returns     figures as `solve`, each a formula.
    Raises      `NotComputed` QN520 naming the stations whose waits are a fixed point or a finite-source chain, QN521
                where the variability of arrivals is followed, QN553 for parallel steps.
    """
    solver = OpenSolver(network, operations=operations)
    if solver.followed("auto"):
        reasons = reasons_for(network, solver.compiled, operations)
        text = f"the variability of arrivals is followed through the network, as {reasons[0]}"
        help = "demands and utilizations have formulas; qnet solve gives the response"
        raise NotComputed(Problem("QN521", text, "a network of product form, or a single queue", help=help))
    if any(fork.width > 1 for route in solver.compiled.routes for fork in route.forks):
        text = "the time of the slowest of parallel branches is an integral"
        raise NotComputed(Problem("QN553", text, "no parallel steps", help="qnet solve gives the number"))
    chained = [centre for centre in solver.centres if centre.holders and centre.holders != 1]
    implicit = undecided(solver.compiled, solver.regular_first) or chained
    if implicit:
        names = " and ".join(f'"{name}"' for name in dict.fromkeys(centre.station.name for centre in implicit))
        how = "a fixed point" if undecided(solver.compiled, solver.regular_first) else "a finite-source chain"
        text = f"the wait for {names} inside a hold is {how} over the waits of its holders"
        raise NotComputed(Problem("QN520", text, "waits in closed form"))
    return solver.solve()


class OpenSolver:
    """The waits of an open network: a fixed point over those inside holds, then the outer stations."""

    def __init__(
        self, network: RoutedNetwork, compiled: Streams | None = None, operations: Operations | None = None
    ) -> None:
        self.network = network
        self.operations: Operations = operations or (FLOATS if network.size is None else arrays())
        self.rates = [item.arrival_rate for item in network.classes if isinstance(item, OpenClass)]
        self.compiled: Streams = compiled or streams(network, self.operations, self.rates)
        self.all: tuple[Stream, ...] = self.compiled.streams
        self.waits: list[Wait] = [Wait(0.0, 0.0)] * len(self.all)
        held_waits = {index for stream in self.all for index in stream.holding.waits}
        self.in_holds = sorted(held_waits)
        """The streams whose waits are part of a holding time: the unknowns of the fixed point."""
        self.members = self.compiled.members()
        result = centres(network, self.compiled, self.members)
        inner = [centre for centre in result if not held_waits.isdisjoint(centre.indices)]
        self.inner = ordered(inner, self.all)
        """The stations that are used inside holds."""
        self.outer = [centre for centre in result if held_waits.isdisjoint(centre.indices)]
        self.centres = (*self.inner, *self.outer)
        self.queues: dict[Key, tuple[tuple[Load, ...], Queue]] = {}
        """Loads and queues of stations whose loads are known."""
        self.line_loads: dict[Key, tuple[Load, ...]] = {}
        """Loads of such stations that only holders with separate queues use."""
        self.lines: dict[Key, list[LineAtCentre]] = {}
        """The lines of holders at such stations."""
        self.computed: set[Key] = set()
        """The inner stations whose waits depend on no unknown ones, and have been computed."""
        self.known: set[int] = set()
        """Their streams."""
        self.afterwards = {centre.key: self.outside_holds(centre, held_waits) for centre in self.inner}
        """By inner station, the streams whose waits are computed after the fixed point."""
        self.busy: dict[Key, list[BusyHolders]] = {}
        """By station, the busy holders of each room."""
        self.uneven: dict[Key, Uneven] = {}
        """The effect of variable arrivals on waits; empty where all streams are modelled as Poisson."""
        self.brief = False
        """Whether figures by station and by route are left out."""
        self.exact = False
        """Whether theory is known to make the answer exact."""
        self.saturated = self.overloaded()
        """Where some station is saturated even without any waits, so that these need not be computed."""

    @property
    def regular_first(self) -> list[Centre]:
        """The inner stations, those without waits inside first: a round in this order depends on few numbers, though
        more rounds are needed."""
        return sorted(self.inner, key=lambda item: (not item.regular, self.compiled.order.index(item.key)))

    def followed(self, method: str) -> bool:
        """Whether the variability of arrivals is to be followed through the network, by a method or "auto"."""
        if method == "open" and not self.uneven_arrivals():
            return False
        if method == "auto" and self.in_holds and not self.uneven_arrivals():
            return False
        if method == "auto" and not reasons_for(self.network, self.compiled, self.operations):
            self.exact = True
            return False
        refused = qna.refusal(self.network, self.compiled)
        if method == "qna" and refused:
            raise NotComputed(Problem("QN513", f"qna does not apply: {refused}", "auto, or open"))
        if names := uneven_classes(self.network, self.operations):
            if refused:
                raise NotComputed(Problem("QN548", not_followed(names[0], refused), "arrival_scv = 1"))
            if method == "open":
                text = f'the method "open" assumes Poisson arrivals, and those of "{names[0]}" are not Poisson'
                help = "omit --method open: qna follows the variability of arrivals"
                raise NotComputed(Problem("QN548", text, "auto, or qna", help=help))
        return not refused

    def uneven_arrivals(self) -> bool:
        """Whether some class does not arrive in a Poisson stream."""
        return bool(uneven_classes(self.network, self.operations))

    def solve(self) -> RoutedSolution:
        """Iterate to the fixed point and collect the figures."""
        return self.summary(self.find_waits())

    def summary(self, rounds: int) -> RoutedSolution:
        """The figures with the present waits."""
        rho = {centre.key: self.rho(centre) for centre in self.centres}
        steady = Steady(
            self.network, self.rates, compiled=self.compiled, members=self.members, waits=self.waits, rho=rho,
            operations=self.operations, exact=self.exact,
        )  # fmt: skip
        return (responses if self.brief else figures)(steady, QNA if self.uneven else NAME, rounds)

    def find_waits(self) -> int:
        """Compute the waits of every stream, inside holds and outside; the number of rounds."""
        rounds = self.iterate()
        for centre in self.inner:
            if self.afterwards[centre.key]:
                self.visit_afterwards(centre)
        for centre in self.outer:
            self.visit(centre)
        return rounds

    def outside_holds(self, centre: Centre, held_waits: Set[int]) -> tuple[int, ...]:
        """The streams of a station whose waits are part of no holding time, if they follow from the other waits."""
        ordinary = centre.holders and centre.station.discipline in ("fcfs", "priority") and not centre.station.capacity
        if not ordinary or any(self.all[index].holders for index in centre.indices if index not in held_waits):
            return ()
        return tuple(index for index in centre.indices if index not in held_waits)

    def iterate(self) -> int:
        """Compute the waits inside holds; the number of rounds.

        Points where accelerated rounds do not converge are enclosed; those of a batch only after more rounds of these
        points alone.
        """
        rounds, converged = self.accelerate(_ACCELERATED)
        converged = converged | self.saturated
        if self.operations.all(converged):
            return rounds
        return rounds + (self.enclose() if self.network.size is None else self.continued(converged))

    def accelerate(self, most: int) -> tuple[int, Value]:
        """Make rounds until all waits converge; the number of rounds, and where they have converged.

        Rounds are accelerated by one step of memory (@anderson1965), each point of a batch by a separate weight.
        """
        self.compute_independent()
        memory: tuple[list[list[int]], list[Value], list[Value]] | None = None
        converged: Value = False
        for rounds in range(1, most + 1):
            before = [self.waits[index].mean for index in self.in_holds]
            converged = self.round(before) <= _TOLERANCE
            if self.operations.all(converged):
                return rounds, converged
            equal = self.equal()
            positions = [self.in_holds.index(indices[0]) for indices in equal]
            after = [self.waits[indices[0]].mean for indices in equal]
            residual = [new - before[position] for new, position in zip(after, positions, strict=True)]
            if memory is not None and memory[0] == equal:
                chosen = zip(equal, after, networks_fixed_point.mixed(after, residual, *memory[1:]), strict=True)
                # Points that have converged are kept.
                where, maximum = self.operations.where, self.operations.maximum
                for indices, old, new in chosen:
                    mean = where(converged, old, maximum([new, 0.0]))
                    for index in indices:
                        self.waits[index] = Wait(mean, self.waits[index].variance)
            memory = (equal, after, residual)
        return most, converged

    def compute_independent(self) -> None:
        """Compute the waits that depend on no unknown ones."""
        more = True
        while more:
            more = False
            for centre in self.inner:
                if centre.key in self.computed or not self.loads_known(centre):
                    continue
                rooms = self.busy_holders(centre)
                if any(room.terms for room in (rooms[:1] if centre.lines else rooms)):
                    continue
                self.visit(centre)
                self.computed.add(centre.key)
                self.known.update(centre.indices)
                more = True
        self.busy.clear()

    def loads_known(self, centre: Centre) -> bool:
        """Whether all waits inside the holding times of an inner station are known; of an outer one, if it has none."""
        if centre.regular or centre.key not in self.afterwards:
            return centre.regular
        return all(index in self.known for stream in centre.indices for index in self.all[stream].holding.waits)

    def equal(self) -> list[list[int]]:
        """The streams whose waits are the unknowns of a round, grouped by equal waits."""
        result: dict[int, list[int]] = {}
        for index in self.in_holds:
            if index not in self.known:
                result.setdefault(id(self.waits[index].mean), []).append(index)
        return list(result.values())

    def continued(self, converged: Value) -> int:
        """Compute the waits at the points of a batch that have not converged; the number of further rounds."""
        shape = (self.network.size or 0,)
        # Also the streams of inner stations whose waits are part of no holding time.
        inner = sorted({*self.in_holds, *(index for centre in self.inner for index in centre.indices)})
        waits = {index: [np.broadcast_to(part, shape).copy() for part in self.waits[index]] for index in inner}
        points = np.flatnonzero(~np.broadcast_to(converged, shape))
        remaining = at_points(self.network.replace(size=len(points)), points)
        part = OpenSolver(remaining, at_points(self.compiled, points))
        for index in inner:
            part.waits[index] = Wait(*(each[points] for each in waits[index]))
        rounds, converged = part.accelerate(_MORE)
        for index in inner:
            for each, new in zip(waits[index], part.waits[index], strict=True):
                each[points] = new
        most = 0
        for point in points[~np.broadcast_to(converged, points.shape)].tolist():
            single, more = self.iterate_point(point)
            most = max(most, more)
            for index in inner:
                for each, new in zip(waits[index], single[index], strict=True):
                    each[point] = new
        for index in inner:
            self.waits[index] = Wait(*waits[index])
        return rounds + most

    def iterate_point(self, point: int) -> tuple[tuple[Wait, ...], int]:
        """The waits of every stream at one point of a batch, and the number of rounds."""
        network = self.network.point(point)
        # The streams of a batch have the same indices at each of its points.
        single = OpenSolver(network, at_point(self.compiled, point))
        rounds = single.iterate()
        return tuple(single.waits), rounds

    def enclose(self) -> int:
        """Compute the waits inside holds where rounds have not converged; the number of further rounds.

        A round is a function of a few unknowns: for each station whose holders also wait at later stations of the
        round, the number of holders that are busy, other than waiting for it.
        """
        inner = self.regular_first
        unknown = undecided(self.compiled, inner)
        ends = list(accumulate(len(centre.rooms) for centre in unknown))
        indices = {
            (centre.key[0], centre.pools): (end - len(centre.rooms), end)
            for centre, end in zip(unknown, ends, strict=True)
        }
        rooms = [room for centre in unknown for room in self.busy_holders(centre)]

        def image(busy: Sequence[float]) -> list[float]:
            for centre in inner:
                if centre.key not in self.computed:
                    position = indices.get((centre.key[0], centre.pools))
                    self.visit(centre, None if position is None else busy[slice(*position)])
            waits = (part for index in self.in_holds for part in self.waits[index])
            return [*(max(room.number(self.waits), 0.0) for room in rooms), *waits]

        start = [max(room.number(self.waits), 0.0) for room in rooms]
        fixed = networks_fixed_point.fixed_point(image, start, [float(room.holders) for room in rooms])
        result = fixed.images[len(rooms) :]
        for index, mean, variance in zip(self.in_holds, result[::2], result[1::2], strict=True):
            self.waits[index] = Wait(mean, variance)
        return fixed.rounds

    def round(self, before: list[Value]) -> Value:
        """One pass over the inner stations; the largest relative change of a wait.

        before  the mean waits of `in_holds`.
        """
        for centre in self.inner:
            if centre.key not in self.computed:
                self.visit(centre)
        result: Value = 0.0
        for index in (indices[0] for indices in self.equal()):
            new, old = self.waits[index].mean, before[self.in_holds.index(index)]
            size = new + self.holding(index) + 1e-300
            result = self.operations.maximum([result, self.operations.absolute(new - old) / size])
        return result

    def holding(self, index: int) -> Value:
        """Mean holding time of a stream: both phases, waits inside included."""
        return self.all[index].holding.mean_with(self.waits)

    def rho(self, centre: Centre) -> Value:
        """Load per server, or over the last of the rates of a station that has them, with the present waits."""
        rates, busy = centre.station.rates, total(self.all[item].rate * self.holding(item) for item in centre.indices)
        return busy / (centre.station.servers if rates is None else rates[-1])

    def overloaded(self) -> Value:
        """Where some station is saturated with the present waits."""
        result: Value = False
        for centre in self.centres:
            result = result | (self.rho(centre) >= 1.0)
        return result

    def busy_holders(self, centre: Centre) -> list[BusyHolders]:
        """The busy holders of each room of a station, as functions of the unknown waits."""
        if centre.key not in self.busy:
            self.busy[centre.key] = [
                busy_holders(room, self.all, self.known, self.waits, self.operations) for room in centre.rooms
            ]
        return self.busy[centre.key]

    def visit(self, centre: Centre, busy: Sequence[Value] | None = None) -> None:
        """Compute the waits of the streams of one station group from the waits of the others.

        busy   by room, the number of holders that are busy, other than waiting for the station; None where it follows
               from the waits.
        """
        if centre.key in self.queues and not centre.holders:
            return
        if (rates := centre.station.rates) is not None:
            self.visit_with_rates(centre, rates)
            return
        loads, at_arrival = self.requests(centre)
        if not centre.holders:
            self.set_waits(centre, loads, at_arrival, {})
            return
        rooms = self.busy_holders(centre)
        if busy is None:
            busy = [room.number(self.waits) for room in (rooms[:1] if centre.lines else rooms)]
        maximum = self.operations.maximum
        used = [maximum([number / room.holders, 0.0]) for number, room in zip(busy, rooms, strict=False)]
        if centre.lines:
            of_holders = self.line_waits(centre, loads, at_arrival, used[0])
        else:
            assert at_arrival is not None
            spare = self.spare(at_arrival, rooms, used)
            in_line = centre.station.in_line
            priorities = {load.priority for load in loads if load.holders}
            held = {
                item: holder_wait(at_arrival, item, used[0], spare, self.operations, in_line) for item in priorities
            }
            each = zip(centre.indices, loads, strict=True)
            of_holders = {index: held[load.priority] for index, load in each if load.holders}
        self.set_waits(centre, loads, at_arrival, of_holders, self.afterwards.get(centre.key, ()))

    def visit_with_rates(self, centre: Centre, rates: Sequence[float]) -> None:
        """Compute the waits at a station whose rate depends on the number present, in proportion to the services."""
        rho = self.rho(centre)
        if not self.operations.all(rho <= SATURATED):
            rho = self.operations.minimum([rho, SATURATED + 0.0 * rho])
        longer = changing_rates.stretch(rho * rates[-1], rates) - 1.0
        for index, mean in ((index, self.holding(index)) for index in centre.indices):
            wait = Wait(mean * longer, mean**2 * longer * (longer + 2.0))
            self.waits[index] = self.uneven[centre.key].changed(wait) if self.uneven else wait

    def queue_at(self, centre: Centre) -> tuple[tuple[Load, ...], Queue]:
        """The loads of the streams of one station group, and the queue that their arrivals find."""
        if centre.key in self.queues:
            return self.queues[centre.key]
        loads = self.loads(centre)
        at_arrival = queue(centre.station.servers, loads, centre.holders, self.operations)
        if self.loads_known(centre):
            self.queues[centre.key] = (loads, at_arrival)
        return loads, at_arrival

    def requests(self, centre: Centre) -> tuple[tuple[Load, ...], Queue | None]:
        """As `queue_at`, without the queue if no wait depends on it: each line of holders finds a different one."""
        if not (centre.lines and centre.station.in_line and all(self.all[item].holders for item in centre.indices)):
            return self.queue_at(centre)
        if centre.key in self.line_loads:
            return self.line_loads[centre.key], None
        loads = self.loads(centre)
        if self.loads_known(centre):
            self.line_loads[centre.key] = loads
        return loads, None

    def visit_afterwards(self, centre: Centre) -> None:
        """Compute the waits of a station that are part of no holding time, given those of its holders."""
        loads, at_arrival = self.queue_at(centre)
        each = zip(centre.indices, loads, strict=True)
        held = {index: tuple(self.waits[index]) for index, load in each if load.holders}
        self.set_waits(centre, loads, at_arrival, held)

    def set_waits(
        self,
        centre: Centre,
        loads: Sequence[Load],
        at_arrival: Queue | None,
        of_holders: Mapping[int, tuple[Value, Value]],
        without: Sequence[int] = (),
    ) -> None:
        """Set the waits of the streams of one station group.

        of_holders  by stream, the mean and variance of the waits of holders.
        without     streams that are left out.
        """
        if centre.station.discipline == "preemptive":
            self.refuse_interrupted_holds(centre)
            for index, (mean, variance) in zip(
                centre.indices, preemptive_waits(centre.station.servers, loads), strict=True
            ):
                wait = Wait(mean, variance)
                self.waits[index] = self.uneven[centre.key].changed(wait) if self.uneven else wait
            return
        each = list(zip(centre.indices, loads, strict=True))
        opened: dict[int, tuple[Value, Value]] = {}
        if of_holders and any(index not in of_holders and index not in without for index in centre.indices):
            assert at_arrival is not None
            opened = self.open_waits(centre, each, at_arrival, of_holders)
        for index, load in each:
            if index in without:
                continue
            if index in of_holders:
                mean, variance = of_holders[index]
            else:
                if load.priority not in opened:
                    assert at_arrival is not None
                    opened[load.priority] = open_wait(at_arrival, load.priority)
                mean, variance = opened[load.priority]
            if not centre.station.in_line:
                assert at_arrival is not None
                # Where service is shared or preemptive, the wait is proportional to the service of the customer.
                stretch = ratio(
                    load.first + load.second, at_arrival.holder_residual if load.holders else at_arrival.residual
                )
                mean, variance = mean * stretch, variance * stretch**2
            wait = Wait(mean, variance)
            self.waits[index] = self.uneven[centre.key].changed(wait) if self.uneven else wait

    def open_waits(
        self, centre: Centre, each: Sequence[tuple[int, Load]], at_arrival: Queue,
        of_holders: Mapping[int, tuple[Value, Value]],
    ) -> dict[int, tuple[Value, Value]]:  # fmt: skip
        """By priority, mean and variance of the waits of open streams that share a station with holders."""
        share = 1.0 if centre.station.in_line else ratio(at_arrival.residual, at_arrival.holder_residual)
        held: dict[int, Value] = {}
        for priority in {load.priority for _, load in each if load.holders}:
            chosen = [(index, load.rate) for index, load in each if load.holders and load.priority == priority]
            waits = [of_holders[index][0] for index, _ in chosen]
            mean = waits[0]
            if any(wait is not mean for wait in waits):
                rate = total(rate for _, rate in chosen)
                mean = ratio(total(rate * of_holders[index][0] for index, rate in chosen), rate)
            held[priority] = mean * share
        return waits_with_holders(at_arrival, held)

    def refuse_interrupted_holds(self, centre: Centre) -> None:
        """Raise where a server would be preempted from a holder that waits or is served elsewhere meanwhile."""
        if centre.holders or any(self.all[index].holding.waits for index in centre.indices):
            text = f'"{centre.station.name}" is preemptive, and is held together with another station'
            raise NotComputed(Problem("QN547", text, "a station that is held alone", help=_UNINTERRUPTED))

    def loads(self, centre: Centre) -> tuple[Load, ...]:
        """The loads of a station group, scaled down to just below saturation where they reach it.

        There is no answer then. So outer loads grow without a jump, as root searches need.
        """
        loads = tuple(request(self.all[index], self.waits) for index in centre.indices)
        rho = total(load.rate * (load.first + load.second) for load in loads) / centre.station.servers
        if self.operations.all(rho <= SATURATED):
            return loads
        scale = SATURATED / self.operations.maximum([rho, SATURATED])
        return tuple(load.replace(rate=load.rate * scale) for load in loads)

    def spare(self, at_arrival: Queue, rooms: Sequence[BusyHolders], used: Sequence[Value]) -> Value:
        """The longest mean wait for a station that the idle time of the servers held meanwhile allows, in seconds.

        It is the idle time of these servers per request, times the utilization of the station: so below its saturation
        no outer station saturates because of it, and at its saturation its capacity is the limit.

        used  by room, the utilization of the holders apart from that wait.
        """
        maximum = self.operations.maximum
        rest = [
            room.holders * maximum([1.0 - busy, 0.0]) / (room.requested + 1e-300)
            for room, busy in zip(rooms, used, strict=True)
        ]
        return at_arrival.offered / at_arrival.servers * self.operations.minimum(rest)

    def line_waits(
        self, centre: Centre, loads: Sequence[Load], at_arrival: Queue | None, apart: Value
    ) -> dict[int, tuple[Value, Value]]:
        """By stream, mean and variance of the waits of holders with separate queues for a centre.

        apart   the utilization of the holders apart from that wait.
        """
        if centre.key not in self.lines:
            self.lines[centre.key] = holder_lines.lines_at(centre, loads, self.all, at_arrival, self.operations)
        lines = self.lines[centre.key] if self.loads_known(centre) else self.lines.pop(centre.key)
        result: dict[int, tuple[Value, Value]] = {}
        for line in lines:
            result |= dict.fromkeys(line.indices, line.holder.wait(apart * line.lighter, self.operations))
        return result
