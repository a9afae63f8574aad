"""Networks with closed classes, or with rates that depend on the number present: solved by their demands.

The routes are reduced to one demand per class and copy of a station, the methods of `product` solve that network, and
the waits that they compute give the figures by route and station.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qnet.errors import NotComputed, Problem
from qnet.expression import Value
from qnet.lazy import lazy, np
from qnet.networks import laws
from qnet.networks.duration import Wait
from qnet.networks.exactness import PRIORITY, RESIDUAL, between_integers, without_product_form
from qnet.networks.figures import Steady, figures
from qnet.networks.product.demands import Demands
from qnet.networks.product.solution import Solution as ProductSolution
from qnet.networks.reasons import Reason
from qnet.networks.reduction import Reduction
from qnet.networks.routed import ClosedClass, OpenClass, RoutedNetwork
from qnet.networks.solution import ClassFigures, Passages, RoutedSolution, Start, Variances
from qnet.networks.solvers.features import does_not_apply
from qnet.networks.streams import Key, Streams, stream_wait, streams
from qnet.networks.wanted import Wanted
from qnet.queues.arithmetic import total

if TYPE_CHECKING:
    from qnet.networks import capacity_left, second_phase
    from qnet.networks.closed.bounds import Bounds
    from qnet.networks.layers import solve as layers
    from qnet.networks.parallel import closed as parallel
    from qnet.networks.product import bounds as product_bounds
    from qnet.networks.product import priorities
    from qnet.networks.second_phase import Rates
    from qnet.networks.solvers.protocol import SolvePart
else:
    capacity_left = lazy("qnet.networks.capacity_left")
    layers = lazy("qnet.networks.layers.solve")
    product_bounds = lazy("qnet.networks.product.bounds")
    parallel = lazy("qnet.networks.parallel.closed")
    priorities = lazy("qnet.networks.product.priorities")
    second_phase = lazy("qnet.networks.second_phase")


def solve(network: RoutedNetwork, wanted: Wanted, solve_part: SolvePart) -> RoutedSolution:
    """The steady state of a network of open, closed or mixed classes, or of every point of a batch.

    Applies   to networks without simultaneous resource possession, and without servers that are kept after the
              response, wherever these matter (see `Reduction`).
    network   rates per second, times in seconds, populations as numbers of customers.
    wanted    the method and its budget.
    solve_part   the chooser, for the network of demands.
    Returns   figures by class, route and station. Points where open load reaches a capacity are marked in `stable`.
              A class without customers has the response of its demands alone.
    Raises    `NotComputed` QN501, QN546 for what is not covered, and as `solve_part`.
    """
    return _Answer(network).solve(wanted, solve_part)


def enclosed(network: RoutedNetwork, solution: RoutedSolution, kind: str) -> RoutedSolution:
    """The solution of an open network, with bounds of one kind for its classes.

    Raises   `NotComputed` QN501, QN513 where the network has no product form or the kind does not apply.
    """
    reduction = _Answer(network, "bounds")
    demands, visits = reduction.table(weighted=True), reduction.table(weighted=False)
    reduced = reduction.reduced(demands, visits, solution.stable)
    reasons = solution.reasons or without_product_form(network, reduction.operations)
    return solution.replace(classes=reduction.classes(solution, reduction.bounds(reduced, kind, reasons)))


def ceiling(network: RoutedNetwork) -> tuple[Value, str] | None:
    """The limit of the throughput of a single closed class, and the station that sets it; None where unknown.

    network  one closed class alone; None for any other.
    """
    reduction = _Answer(network)
    return reduction.ceiling(reduction.table(weighted=True))


def _shape(rows: Sequence[Sequence[Value]]) -> tuple[int, int]:
    """The numbers of stations and classes of a table of demands."""
    return len(rows), len(rows[0]) if rows else 0


class _Answer(Reduction):
    """The solution of a reduced network, by its routes."""

    def unserved(self, result: ProductSolution, rho: dict[Key, Value]) -> dict[Key, Value]:
        """The open loads, set to 1 where customers of higher priority leave too little to an open class."""
        for class_index, item in enumerate(self.network.classes):
            if isinstance(item, ClosedClass):
                continue
            lost = (item.arrival_rate > 0) & (self.of_class(result.figures.throughput, class_index) == 0)
            for key in rho:
                if key[0] in self.ranked:
                    rho[key] = self.operations.where(lost, self.operations.maximum([rho[key], 1.0]), rho[key])
        return rho

    def piling_up(self, compiled: Streams, rho: dict[Key, Value]) -> dict[Key, Value]:
        """The open loads, and the loads of all classes where branches that no parallel step waits for may
        accumulate."""
        running = parallel.left_running(self.network, compiled) if self.steps else None
        if not running:
            return rho
        peaks = {station.name: station.peak for station in self.network.stations if not station.delay}
        for key in sorted(key for key in running if key[0] in peaks):
            selected = [item for item in compiled.streams if (item.station, item.group) == key]
            rho[key] = total(item.rate * item.holding.mean for item in selected) / peaks[key[0]]
        return rho

    def solve(self, wanted: Wanted, solve_part: SolvePart) -> RoutedSolution:
        """Reduce, solve, and return the figures of the routes."""
        if self.by_layers(wanted):
            raise does_not_apply(wanted.method, Reason("layered"), "auto, or layers")
        demands, visits = self.table(weighted=True), self.table(weighted=False)
        self.refuse_idle(demands)
        answered, reduced, scaled = self.fixed(demands, visits, wanted, solve_part)
        rates = answered.figures.throughput
        throughputs = [self.throughput(rates, class_index) for class_index in range(len(self.network.classes))]
        compiled = streams(self.network, self.operations, throughputs)
        rho = self.open_loads(dict(enumerate(throughputs)))
        crowded_out: dict[Key, capacity_left.Crowded] = {}
        if answered.method == PRIORITY:
            # Searches, and methods that solve a part by this one, pass through such loads and are warned instead.
            if wanted.enclosed and (self.network.size is None or wanted.each):
                labels = [station.groups[key[1]].label for key, station, copies in self.groups for _ in range(copies)]
                priorities.refuse_starved(answered, labels, [item.name for item in self.network.classes])
            crowded_out = capacity_left.beside(self.network, compiled, self.ranked, self.operations)
            rho = self.unserved(answered, rho | {key: item.load for key, item in crowded_out.items()})
        rho = self.piling_up(compiled, rho)
        waits = self.waits(answered, scaled, visits)
        identical = self.steps.identical if self.steps else ()
        steady = Steady(
            self.network, throughputs, compiled=compiled, members=self.members, waits=waits, rho=rho,
            operations=self.operations, identical=identical,
        )  # fmt: skip
        solution = figures(steady, answered.method, 1)
        reasons = (*answered.method_reasons, *solution.reasons)
        if answered.method in (RESIDUAL, PRIORITY):
            reasons = (*reasons, *between_integers(self.network, self.operations))
        enclosed = wanted.bounds or (wanted.enclosed and answered.reasons)
        bounds = self.bounds(reduced, wanted.bounds, solution.reasons) if enclosed else None
        classes = self.classes(solution, bounds)
        return solution.replace(
            exact=not reasons,
            reasons=reasons,
            classes=classes,
            loads=capacity_left.marked(solution.loads, steady.labels, crowded_out, False)
            if crowded_out
            else solution.loads,
            ceiling=self.ceiling(demands) if wanted.asks_ceiling(self.network.size) else None,
            states=self.states(answered),
            near=answered.near if self.network.size is not None else None,
            passages=Passages(
                network=self.network,
                compiled=compiled,
                throughputs=tuple(throughputs),
                waits=tuple(waits),
                wanted=wanted.replace(announce=None, near=None),
                demands=answered if self.network.size is not None else None,
                start=Start(answered) if self.network.size is None else None,
                variances=Variances(),
            ),
            log_constant=answered.figures.log_constant if self.network.size is None else None,
            why=answered.why,
        )

    def fixed(
        self, demands: list[list[Value]], visits: list[list[Value]], wanted: Wanted, solve_part: SolvePart
    ) -> tuple[ProductSolution, Demands, list[list[Value]]]:
        """The answer with second phases at the rates of their passages, the reduced network, and its demands.

        demands  seconds per passage, and `visits`, as `table` returns them.
        Raises   `NotComputed` QN511 where the rates do not converge.
        """
        last = wanted.near
        if last is not None and (last.rates is None or not last.like(self.network.size, _shape(demands))):
            last = None

        latest: tuple[Rates, tuple[ProductSolution, Demands, list[list[Value]]]] | None = None

        def answer(rates: Rates) -> tuple[ProductSolution, Demands, list[list[Value]]]:
            nonlocal last, latest
            # The result is usually at the last rates that were tried.
            if latest is not None and all(
                self.operations.all(latest[0][class_index] == rates[class_index]) for class_index in rates
            ):
                return latest[1]
            scaled = self.shared(demands, rates)
            reduced = self.reduced(scaled, visits, self.stable(self.open_loads(rates)), rates)
            answered: ProductSolution = solve_part(reduced, wanted.replace(near=last))
            last, latest = answered.near, (rates, (answered, reduced, scaled))
            return latest[1]

        def passages(rates: Rates) -> Rates:
            answered = answer(rates)[0]
            return {class_index: self.throughput(answered.figures.throughput, class_index) for class_index in rates}

        every = range(len(self.network.classes)) if self.left else ()
        start = (
            {class_index: self.throughput(last.rates, class_index) for class_index in every}
            if last is not None
            else None
        )
        if start is None and self.left:
            start = {class_index: self.light(demands, class_index) for class_index in every}
        try:
            if not self.left:
                return answer({})
            return answer(second_phase.second_phase_rates(self.network, every, self.open_loads, passages, start))
        except NotComputed as error:
            running = sorted({name for name, _ in parallel.left_running(self.network, self.unit)}) if self.steps else []
            if not running or error.problems[0].code != "QN511":
                raise
            text = f"branches that their join does not wait for nearly saturate {' or '.join(running)}"
            help = "wait for more of the branches (join), or state fewer customers"
            raise NotComputed(Problem("QN511", text, "fewer of them", help=help)) from None

    def light(self, demands: list[list[Value]], class_index: int) -> Value:
        """Passages per second of a class without any waits, at most what its stations can serve."""
        given = self.network.classes[class_index]
        if isinstance(given, OpenClass):
            return given.arrival_rate
        copies = [*(copies for _, _, copies in self.groups), 1]
        time = given.think_time + total(count * row[class_index] for count, row in zip(copies, demands, strict=True))
        limits = [
            station.peak / (row[class_index] + 1e-300)
            for (_, station, _), row in zip(self.groups, demands, strict=False)
            if not station.delay
        ]
        return self.operations.minimum([given.population / (time + 1e-300), *(limit + 0.0 * time for limit in limits)])

    def throughput(self, rates: Any, class_index: int) -> Value:
        """Passages per second of a class, from the `rates` of all classes where it is closed."""
        given = self.network.classes[class_index]
        return given.arrival_rate if isinstance(given, OpenClass) else self.of_class(rates, class_index)

    def bounds(self, reduced: Demands, kind: str, reasons: Sequence[str]) -> Bounds | None:
        """Bounds of a kind, or the tightest for an empty one: then None for a network without product form."""
        if not kind:
            return None if reasons else product_bounds.tightest(reduced)
        if reasons:
            text = f"bounds enclose product-form networks only: {reasons[0]}"
            raise NotComputed(Problem("QN513", text, "a network with product form"))
        return product_bounds.bounds(reduced, kind)

    def states(self, result: ProductSolution) -> dict[str, tuple[float, ...]] | None:
        """State probabilities of the first copy of every group, by its label."""
        rows = result.figures.states
        if rows is None or self.network.size is not None:
            return None
        return {station.groups[key[1]].label: tuple(rows[self.first_rows[key]]) for key, station, _ in self.groups}

    def refuse_idle(self, demands: list[list[Value]]) -> None:
        """Raise `NoAnswer` QN403 for a closed class whose customers spend no time anywhere."""
        for class_index, item in enumerate(self.network.classes):
            if isinstance(item, ClosedClass):
                idle = (item.population > 0) & (item.think_time + total(row[class_index] for row in demands) <= 0)
                if not self.operations.all(idle == False):  # noqa: E712
                    raise laws.without_time(item.name)

    def ceiling(self, demands: list[list[Value]]) -> tuple[Value, str] | None:
        """The limit of the throughput of a single closed class, and the station that sets it; None for other
        networks."""
        if self.network.size is not None or len(self.network.closed) != 1 or len(self.network.classes) != 1:
            return None
        if self.regular:
            return self.around_delays() if self.only_delays_held() else layers.ceiling(self.network, self.unit)
        left = self.open_loads({0: 1.0})
        limits = [
            (1 / (row[0] / most + left.get(key, 0.0)), station.groups[key[1]].label)
            for (key, station, _), row in zip(self.groups, demands, strict=False)
            for most in [station.servers if station.rates is None else station.rates[-1]]
            if row[0] + left.get(key, 0.0) > 0 and not station.delay
        ]
        return min(limits, default=None)

    def only_delays_held(self) -> bool:
        """Whether only delays are held while other stations are waited for."""
        delays = {station.name for station in self.network.stations if station.delay}
        held = {name for stream in self.unit.streams for name, _ in stream.around}
        return held <= delays and not self.unit.deferred

    def around_delays(self) -> tuple[Value, str] | None:
        """As `ceiling`, where only delays are held: every station saturates by its work alone."""
        loads = [
            (total(self.unit.streams[index].rate * self.unit.streams[index].holding.mean for index in self.members[key])
             / station.servers, station.groups[key[1]].label)
            for key, station, _ in self.groups
            if not station.delay and self.members[key]
        ]  # fmt: skip
        most = max(loads, default=(0.0, ""), key=lambda item: item[0])
        return (1 / most[0], most[1]) if most[0] > 0 else None

    def waits(self, result: ProductSolution, demands: list[list[Value]], visits: list[list[Value]]) -> list[Wait]:
        """The waits of every stream: its share of the residence time of its class beyond the demand.

        Where the order of arrival was taken into account, all visits of a class have the same wait.
        """
        residence = result.figures.residence
        index = {key: number for number, (key, _, _) in enumerate(self.groups)}
        changing = {station.name for station in self.network.stations if station.rates is not None}
        delays = {station.name for station in self.network.stations if station.delay}
        waits: list[Wait] = []
        for stream in self.unit.streams:
            if stream.station in delays:
                waits.append(Wait(0.0, 0.0))
                continue
            key, column = (stream.station, stream.group), self.column(stream)
            row = self.first_rows[key]
            spent = residence[row][column] if self.network.size is None else residence[:, row, column]
            number = index[key]
            ordered = result.method in (RESIDUAL, PRIORITY) and stream.station in self.ordered | self.ranked
            faster = stream.station in changing
            waits.append(
                stream_wait(
                    stream, spent, demands[number][column], visits[number][column], ordered, faster, self.operations
                )
            )
        return waits

    def classes(self, solution: RoutedSolution, bounds: Bounds | None) -> tuple[ClassFigures, ...]:
        """The figures of the classes, with population and think time of the closed ones, and with bounds."""
        classes: list[ClassFigures] = []
        for class_index, (item, customers) in enumerate(zip(solution.classes, self.network.classes, strict=True)):
            enclosed = None
            if bounds is not None:
                lower, upper, quick, slow = (_column(row, class_index, self.network.size) for row in bounds.rows)
                enclosed = (lower, upper, quick, slow)
            if isinstance(customers, ClosedClass):
                item = item.replace(population=customers.population, think_time=customers.think_time)
            classes.append(item.replace(enclosed=enclosed))
        return tuple(classes)


def _column(row: Any, class_index: int, size: int | None) -> Value:
    if size is None:
        return row[class_index]

    return np.array([point[class_index] for point in row])
