"""Networks with closed classes, or with rates that depend on the number present: solved by their demands.

The routes are reduced to one demand per class and copy of a station, the product-form methods of `product` solve that,
and the waits they find give the figures by route and station.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qnet.errors import NoAnswer, NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks.duration import Wait
from qnet.networks.exactness import RESIDUAL, in_order
from qnet.networks.figures import Steady, figures
from qnet.networks.layers.calm import calm, layered
from qnet.networks.passage_times import Passages
from qnet.networks.product.demands import Demands
from qnet.networks.product.solution import Solution as Found
from qnet.networks.product.solve import solve as solve_demands
from qnet.networks.routed import ClosedClass, RoutedNetwork
from qnet.networks.solution import ClassFigures, RoutedSolution, StationFigures
from qnet.networks.streams import Key, Stream, Streams, streams
from qnet.networks.wanted import Divided, Wanted
from qnet.queues.arithmetic import ratio, total

if TYPE_CHECKING:
    from qnet.networks.product.bounds import Bounds

MAX_COPIES = 20_000


def solve(network: RoutedNetwork, wanted: Wanted) -> RoutedSolution:
    """The steady state of a network of open, closed or mixed classes, or of every point of a batch.

    Applies   no priorities; with rates that depend on the number present, no holds in holds and no work left after the
              response.
    network   rates per second, times in seconds, populations as numbers of customers.
    wanted    the method and its budget.
    Returns   figures by class, route and station. Points where open load reaches a capacity are marked in `stable`.
              A class without customers has the response of its demands alone.
    Raises    `NotComputed` QN501 for what is not covered, and as `product.solve`.
    """
    return _Reduction(network).solve(wanted)


def enclosed(network: RoutedNetwork, solution: RoutedSolution, kind: str) -> RoutedSolution:
    """The solution of an open network, with bounds of a kind at its classes.

    Raises   `NotComputed` QN501, QN513 where the network has no product form or the kind does not apply.
    """
    reduction = _Reduction(network, "bounds")
    demands, visits = reduction.table(weighted=True), reduction.table(weighted=False)
    reduced = reduction.reduced(demands, visits, solution.stable)
    return solution.replace(classes=reduction.classes(solution, reduction.bounds(reduced, kind, solution.reasons)))


class _Reduction:
    def __init__(self, network: RoutedNetwork, purpose: str = "") -> None:
        self.network = network
        self.purpose = purpose
        self.operations: Operations = FLOATS if network.size is None else arrays()
        ones = [1.0] * len(network.classes)
        self.unit: Streams = streams(network, self.operations, ones)
        self.prioritized = any(item.priority for item in self.unit.streams)
        self.refuse()
        self.members = self.unit.members()
        nested = any(item.around for item in self.unit.streams)
        self.calm = calm(network, self.unit, self.members, self.operations) if nested else {}
        """The station groups that nobody can wait for, where there are holds inside holds."""
        self.groups = [
            ((station.name, index), station, group.copies)
            for station in network.stations
            for index, group in enumerate(station.groups)
        ]
        self.ordered = in_order(network, self.unit, self.operations)
        """The stations first come first served that have no product form."""
        self.places: dict[Key, int] = {}
        """The row of the first copy of each group."""
        rows = 0
        for key, _, copies in self.groups:
            self.places[key] = rows
            rows += copies
        if rows > MAX_COPIES:
            found = f"the stations have {rows} copies together"
            raise NotComputed(Problem("QN515", found, f"at most {MAX_COPIES} beside closed classes"))

    def refuse(self) -> None:
        """Raise for what neither demands nor layers can say."""
        changing = any(station.rates is not None for station in self.network.stations)
        reasons = [
            reason
            for reason, here in (
                ("a station is held while another is waited for", any(item.around for item in self.unit.streams)),
                ("work is left after the response", self.unit.deferred),
                ("steps have priorities", any(item.priority for item in self.unit.streams)),
            )
            if here
            if self.purpose or changing or self.prioritized
        ]
        if reasons:
            if self.purpose:
                found = f"no {self.purpose} are known where {' and '.join(reasons)}"
                raise NotComputed(Problem("QN513", found, "a network with product form"))
            rates = "rates that depend on the number present" if changing else "closed classes"
            found = f"{rates}, and {' and '.join(reasons)}"
            raise NotComputed(Problem("QN501", found, "one without the other"))

    def solve(self, wanted: Wanted) -> RoutedSolution:
        """Reduce, solve, and tell the figures of the routes; by layers, where waits inside holds matter."""
        if self.by_layers(wanted):
            from qnet.networks.layers.solve import solve as solve_layers

            return solve_layers(self.network, self.unit, wanted)
        rho = self.open_loads()
        stable = self.stable(rho)
        demands, visits = self.table(weighted=True), self.table(weighted=False)
        self.refuse_idle(demands)
        reduced = self.reduced(demands, visits, stable)
        found = solve_demands(reduced, wanted)
        throughputs = [
            self.of_class(found.figures.throughput, kind) if isinstance(item, ClosedClass) else item.arrival_rate
            for kind, item in enumerate(self.network.classes)
        ]
        compiled = streams(self.network, self.operations, throughputs)
        waits = self.waits(found, demands, visits)
        steady = Steady(self.network, throughputs, compiled, self.members, waits, rho, self.operations)
        solution = figures(steady, found.method, 1)
        reasons = (*(reason for reason in found.reasons if not reason.startswith("station ")), *solution.reasons)
        enclosed = wanted.bounds or (wanted.enclosed and found.reasons)
        bounds = self.bounds(reduced, wanted.bounds, solution.reasons) if enclosed else None
        classes = self.classes(solution, bounds)
        return solution.replace(
            exact=not reasons,
            reasons=reasons,
            classes=classes,
            stations=tuple(self.rounded(item) for item in solution.stations),
            ceiling=self.ceiling(demands),
            states=self.states(found),
            passages=Passages(self.network, compiled, tuple(throughputs), tuple(waits), wanted.replace(announce=None)),
            log_constant=found.figures.log_constant if self.network.size is None else None,
            why=found.why,
        )

    def by_layers(self, wanted: Wanted) -> bool:
        """Whether servers are held during waits that may happen, so that what is left has no product form, or work is
        left after the response."""
        if not self.calm and not self.unit.deferred:
            return False
        needed = layered(self.unit, self.calm)
        for key, station, _ in self.groups:
            if station.name in self.ordered and self.members[key]:
                never = self.calm.get(key, False)
                needed = needed | (not never if isinstance(never, bool) else ~never)
        if isinstance(needed, bool):
            return needed
        if wanted.each and needed.any() and not needed.all():
            raise Divided(needed)
        if not needed.any():
            return False
        self.calm = dict.fromkeys(self.calm, False)
        return True

    def rounded(self, item: StationFigures) -> StationFigures:
        """Figures of a station, of which rounding alone may have put the utilization above 1."""
        if item.utilization is None or self.operations.all(item.utilization <= 1.0):
            return item
        return item.replace(utilization=self.operations.minimum([item.utilization, 1.0 + 0.0 * item.utilization]))

    def bounds(self, reduced: Demands, kind: str, reasons: Sequence[str]) -> Bounds | None:
        """Bounds of a kind, or the tightest; None where there are none of networks that have no product form."""
        from qnet.networks.product.bounds import bounds, tightest

        if not kind:
            return None if reasons else tightest(reduced)
        if reasons:
            found = f"bounds enclose product-form networks only: {reasons[0]}"
            raise NotComputed(Problem("QN513", found, "a network with product form"))
        return bounds(reduced, kind)

    def states(self, found: Found) -> dict[str, tuple[float, ...]] | None:
        """State probabilities of the first copy of every group, by its label."""
        rows = found.figures.states
        if rows is None or self.network.size is not None:
            return None
        return {station.groups[key[1]].label: tuple(rows[self.places[key]]) for key, station, _ in self.groups}

    def refuse_idle(self, demands: list[list[Value]]) -> None:
        """Raise for a closed class whose customers spend no time anywhere, by its name."""
        for kind, item in enumerate(self.network.classes):
            if isinstance(item, ClosedClass):
                idle = (item.population > 0) & (item.think_time + total(row[kind] for row in demands) <= 0)
                if not self.operations.all(idle == False):  # noqa: E712
                    found = f'class "{item.name}" has customers and neither demand nor think time'
                    raise NoAnswer(Problem("QN403", f"{found}: its throughput has no limit", "some time to spend"))

    def ceiling(self, demands: list[list[Value]]) -> tuple[Value, str] | None:
        """What the throughput of a single closed class tends to, and the station that limits it."""
        if self.network.size is not None or len(self.network.closed) != 1 or len(self.network.classes) != 1:
            return None
        if self.calm:
            from qnet.networks.layers.solve import ceiling

            return ceiling(self.network, self.unit)
        limits = [
            ((station.servers if station.rates is None else station.rates[-1]) / row[0], station.groups[key[1]].label)
            for (key, station, _), row in zip(self.groups, demands, strict=False)
            if row[0] > 0 and not station.delay
        ]
        return min(limits, default=None)

    def open_loads(self) -> dict[Key, Value]:
        """The load per capacity that open classes ask of every queueing station group."""
        loads: dict[Key, Value] = {}
        for key, station, _ in self.groups:
            if station.delay:
                continue
            own = [self.unit.streams[index] for index in self.members[key]]
            parts = [
                stream.rate * stream.holding.mean * item.arrival_rate
                for stream in own
                if not isinstance(item := self.network.classes[stream.class_index], ClosedClass)
            ]
            if parts:
                most = station.servers if station.rates is None else station.rates[-1]
                loads[key] = total(parts) / most
        return loads

    def stable(self, rho: dict[Key, Value]) -> Value:
        """Where open load is below every capacity."""
        full: Value = False
        for load in rho.values():
            full = full | (load >= 1.0)
        return not full if isinstance(full, bool) else ~full

    def table(self, weighted: bool) -> list[list[Value]]:
        """Demands, or visits, of every class at every station group, and at last in pure delays."""
        classes = range(len(self.network.classes))
        rows: list[list[Value]] = []
        queued: list[Value] = [0.0 for _ in classes]
        for key, station, copies in self.groups:
            row: list[Value] = [0.0 for _ in classes]
            waited = 1.0 - 1.0 * self.calm.get(key, False)
            for index in self.members[key]:
                stream = self.unit.streams[index]
                kind = stream.class_index
                if station.delay and self.calm:
                    continue
                row[kind] = row[kind] + waited * stream.rate * (stream.holding.mean if weighted else 1.0)
                queued[kind] = queued[kind] + waited * copies * stream.rate * stream.holding.mean
            rows.append(row)
        away: list[Value] = [0.0 for _ in classes]
        for route in self.unit.routes:
            for (name, _), duration in route.parts.items():
                if self.calm or not name:
                    away[route.class_index] = away[route.class_index] + route.probability * duration.mean
        if self.calm:
            # Where nobody waits is a delay, unless it is part of the time that another station is held.
            away = [self.operations.maximum([time - part, 0.0 * time]) for time, part in zip(away, queued, strict=True)]
        rows.append(away if weighted else [1.0 for _ in classes])
        return rows

    def variability(self) -> list[list[Value]]:
        """The squared coefficients of variation of the time per visit, of every class at every station group."""
        rows: list[list[Value]] = []
        for key, station, _ in self.groups:
            row: list[Value] = [1.0 for _ in self.network.classes]
            for kind in range(len(row)) if station.name in self.ordered else ():
                own = [item for item in (self.unit.streams[index] for index in self.members[key])
                       if item.class_index == kind]  # fmt: skip
                if own:
                    row[kind] = _mixed_scv(own, self.operations)
            rows.append(row)
        return [*rows, [1.0 for _ in self.network.classes]]

    def reduced(self, demands: list[list[Value]], visits: list[list[Value]], stable: Value) -> Demands:
        """The network of demands, every copy a station of its own, pure delays as one more."""
        copies = [*(count for _, _, count in self.groups), 1]
        stations = [*(station for _, station, _ in self.groups), None]
        population: list[Any] = []
        think_time: list[Any] = []
        arrival_rate: list[Any] = []
        for item in self.network.classes:
            closed = isinstance(item, ClosedClass)
            population.append(item.population if closed else None)
            think_time.append(item.think_time if closed else 0.0)
            arrival_rate.append(None if closed else item.arrival_rate * (stable * 1.0))
        return Demands(
            demands=self.spread(demands, copies),
            visits=self.spread(visits, copies),
            kinds=_repeated(["delay" if item is None or item.delay else "queue" for item in stations], copies),
            servers=_repeated([1 if item is None or item.delay else item.servers for item in stations], copies),
            rates=_repeated([None if item is None else item.rates for item in stations], copies),
            population=population,
            think_time=think_time,
            arrival_rate=arrival_rate,
            disciplines=_repeated(
                ["fcfs" if item and item.name in self.ordered else "ps" for item in stations], copies
            ),
            scv=self.spread(self.variability(), copies) if self.ordered else None,
        )

    def spread(self, rows: list[list[Value]], copies: Sequence[int]) -> Any:
        """One row per copy: tuples, or an array with the batch axis first."""
        if self.network.size is None:
            return _repeated([tuple(row) for row in rows], copies)
        import numpy

        np: Any = numpy
        size = self.network.size
        table = np.stack([np.stack([np.broadcast_to(cell, (size,)) for cell in row], axis=1) for row in rows], axis=1)
        return np.repeat(table, copies, axis=1)

    def of_class(self, values: Any, kind: int) -> Value:
        """One column of figures by class."""
        return values[kind] if self.network.size is None else values[:, kind]

    def waits(self, found: Found, demands: list[list[Value]], visits: list[list[Value]]) -> list[Wait]:
        """What every stream waits: its own part of how much the station stretches the demands of its class.

        Where the order of arrival was taken into account, all visits of a class wait alike.
        """
        residence = found.figures.residence
        place = {key: number for number, (key, _, _) in enumerate(self.groups)}
        changing = {station.name for station in self.network.stations if station.rates is not None}
        delays = {station.name for station in self.network.stations if station.delay}
        waits: list[Wait] = []
        for stream in self.unit.streams:
            if stream.station in delays:
                waits.append(Wait(0.0, 0.0))
                continue
            key, kind = (stream.station, stream.group), stream.class_index
            row = self.places[key]
            spent = residence[row][kind] if self.network.size is None else residence[:, row, kind]
            demand = demands[place[key]][kind]
            idle = (spent == 0) | (demand == 0)
            if found.method == RESIDUAL and stream.station in self.ordered:
                count = visits[place[key]][kind]
                wait = self.operations.maximum([spent - demand, 0.0 * spent]) / (count + (count == 0))
                waits.append(Wait(wait, 0.0))
                continue
            longer = spent / (demand + idle) - 1.0 + idle
            if stream.station not in changing:
                longer = self.operations.maximum([longer, 0.0 * longer])
            waits.append(Wait(stream.holding.mean * longer, 0.0))
        return waits

    def classes(self, solution: RoutedSolution, bounds: Bounds | None) -> tuple[ClassFigures, ...]:
        """The figures of the classes, with what was asked of the closed ones and with bounds."""
        classes: list[ClassFigures] = []
        for kind, (item, asked) in enumerate(zip(solution.classes, self.network.classes, strict=True)):
            enclosed = None
            if bounds is not None:
                lower, upper, quick, slow = (_column(row, kind, self.network.size) for row in bounds.rows)
                enclosed = (lower, upper, quick, slow)
            if isinstance(asked, ClosedClass):
                item = item.replace(population=asked.population, think_time=asked.think_time)
            classes.append(item.replace(enclosed=enclosed))
        return tuple(classes)


def _mixed_scv(streams: Sequence[Stream], operations: Operations) -> Value:
    """The squared coefficient of variation of a mixture of visits; 1 where there are none."""
    rate = total(item.rate for item in streams)
    mean = ratio(total(item.rate * item.holding.mean for item in streams), rate)
    square = ratio(total(item.rate * _square(item) for item in streams), rate)
    nothing = mean == 0
    found = square / (mean + nothing) ** 2 - 1.0 + nothing
    found = operations.where(operations.absolute(found - 1.0) <= 1e-12, 1.0, found)
    return operations.where(found < 1e-12, 0.0, found)


def _square(stream: Stream) -> Value:
    """The mean square of a service time."""
    mean = stream.holding.mean
    return mean**2 + (stream.holding.variance if stream.scv is None else stream.scv * mean**2)


def _column(row: Any, kind: int, size: int | None) -> Value:
    if size is None:
        return row[kind]
    import numpy

    np: Any = numpy
    return np.array([point[kind] for point in row])


def _repeated(values: Sequence[Any], copies: Sequence[int]) -> list[Any]:
    return [value for value, count in zip(values, copies, strict=True) for _ in range(count)]
