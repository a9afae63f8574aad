"""A network of routes as demands, one per class and copy of a station: the input of the product-form methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import lazy, np
from qnet.networks.duration import NOTHING
from qnet.networks.exactness import LAYERS, in_order, ranked, work_left_at_arrival
from qnet.networks.product.demands import Demands
from qnet.networks.reasons import Reason
from qnet.networks.routed import ClosedClass, Group, OpenClass, RoutedNetwork, Station
from qnet.networks.streams import Key, Stream, Streams, streams
from qnet.networks.wanted import Divided, Wanted
from qnet.queues.arithmetic import ratio, total

if TYPE_CHECKING:
    from qnet.networks import second_phase
    from qnet.networks.closed import return_times
    from qnet.networks.layers import contention
    from qnet.networks.parallel import closed as parallel
    from qnet.networks.second_phase import Rates
else:
    contention = lazy("qnet.networks.layers.contention")
    parallel = lazy("qnet.networks.parallel.closed")
    second_phase = lazy("qnet.networks.second_phase")
    return_times = lazy("qnet.networks.closed.return_times")

MAX_COPIES = 20_000
"""The most copies of stations with closed classes; a choice that bounds time and memory."""


class Reduction:
    """The demands of a network, and the structure that methods need besides them.

    network   rates per second, times in seconds, populations as numbers of customers.
    purpose   what is computed instead of the solution, such as "bounds", quoted in refusals; empty for the solution.
    Raises    `NotComputed` QN501, QN513 for what demands cannot express, QN515 for too many copies.
    """

    def __init__(self, network: RoutedNetwork, purpose: str = "") -> None:
        self.network = network
        self.purpose = purpose
        self.operations: Operations = FLOATS if network.size is None else arrays()
        ones = [1.0] * len(network.classes)
        self.unit: Streams = streams(network, self.operations, ones)
        self.ranked = frozenset(item.name for item in network.stations if ranked(item, self.unit.streams))
        """The stations with priorities."""
        self.kept = any(item.second is not NOTHING for item in self.unit.streams)
        """Whether any server is kept after the response."""
        nested = any(item.around for item in self.unit.streams)
        self.refuse(nested)
        self.members = self.unit.members()
        self.regular = contention.without_waiting(network, self.unit, self.members, self.operations) if nested else {}
        """The station groups without waiting, where there are holds inside holds."""
        self.columns = _columns(self.unit, len(network.classes))
        """The columns of demands: by class, and whether it is the second-phase work of the class."""
        self.left = {class_index: column for (class_index, left), column in self.columns.items() if left}
        """By class with second-phase work: the column of this work."""
        self.groups = [
            ((station.name, index), station, group.copies)
            for station in network.stations
            for index, group in enumerate(station.groups)
        ]
        self.ordered = in_order(network, self.unit, self.operations)
        """The first-come-first-served stations without product form."""
        self.again = frozenset(
            class_index
            for class_index in self.left
            if work_left_at_arrival(network, self.unit.streams, class_index) & self.ordered
        )
        """The closed classes whose customers return to their second-phase work at such stations."""
        self.absent: Any = None
        """For these classes, the time from starting second-phase work to the next arrival at its station."""
        self.first_rows: dict[Key, int] = {}
        """The row of the first copy of each group."""
        forked = any(route.forks for route in self.unit.routes)
        self.steps = parallel.ParallelSteps(network, self.unit, self.operations) if forked else None
        rows = 0
        for key, _, copies in self.groups:
            self.first_rows[key] = rows
            rows += copies
        if rows > MAX_COPIES:
            text = f"the stations have {rows} copies together"
            error = NotComputed(Problem("QN515", text, f"at most {MAX_COPIES} with closed classes"))
            error.at, error.structural = None if network.size is None else np.ones(network.size, bool), True
            raise error

    def refuse(self, nested: bool) -> None:
        """Raise for what neither demands nor layers can express."""
        changing = any(station.rates is not None for station in self.network.stations)
        forked = any(route.forks for route in self.unit.routes)
        only = self.purpose or changing or forked or self.ranked
        layers = nested or self.kept
        reasons = [
            str(Reason(code))
            for code, applies in (
                ("holds", only and nested),
                ("kept", only and self.kept and not self.purpose),
                ("second phase", self.purpose and self.unit.deferred),
                ("parallel", forked and (self.purpose or layers)),
                ("ranked steps", self.ranked and (self.purpose or layers)),
            )
            if applies
        ]
        if reasons:
            if self.purpose:
                text = f"there are no {self.purpose} where {' and '.join(reasons)}"
                raise NotComputed(Problem("QN513", text, "a network with product form"))
            rates = "rates that depend on the number present" if changing else "closed classes"
            text = f"{rates}, and {' and '.join(reasons)}"
            help = "leave one or the other out, or give the classes an arrival_rate in place of a population"
            if changing:
                help = (
                    "give the station servers in place of rates, or end each hold before other stations are waited for"
                )
            raise NotComputed(Problem("QN501", text, "one without the other", help=help))

    def by_layers(self, wanted: Wanted) -> bool:
        """Whether the method of layers is needed or named: servers are held during possible waits, or kept after the
        response.

        Raises  `Divided` where every point is to get the method that it would get alone, and only some need layers.
        """
        if not self.regular and not self.kept:
            return False
        if wanted.method == LAYERS:
            return True
        needed: Value = contention.layered(self.unit, self.regular)
        for key, station, _ in self.groups:
            if station.name in self.ordered and self.members[key]:
                never: Value = self.regular.get(key, False)
                needed = needed | (not never if isinstance(never, bool) else ~never)
        if isinstance(needed, bool):
            return needed
        if wanted.each and needed.any() and not needed.all():
            raise Divided(needed)
        if not needed.any():
            return False
        self.regular = dict.fromkeys(self.regular, False)
        return True

    def ranks(self) -> list[list[int]]:
        """The priority of every class at every station group, followed by pure delays.

        Raises  `NotComputed` QN546 for a class with several priorities at one station, and for priorities with parallel
                steps, second-phase work or rates.
        """
        rows: list[list[int]] = []
        for key, station, _ in self.groups:
            row = [0] * len(self.network.classes)
            for class_index, item in enumerate(self.network.classes):
                priorities = {stream.priority for index in self.members[key]
                              if (stream := self.unit.streams[index]).class_index == class_index}  # fmt: skip
                if len(priorities) > 1 and station.name in self.ranked:
                    text = f'class "{item.name}" has several priorities at {station.name}, with closed classes'
                    help = "make a separate class of each part with another priority"
                    raise NotComputed(Problem("QN546", text, "one priority of a class at each station", help=help))
                row[class_index] = max(priorities, default=0)
            rows.append(row)
        rated = [station.name for station in self.network.stations if station.rates is not None]
        if self.ranked and (self.left or any(route.forks for route in self.unit.routes)):
            text = f"{min(self.ranked)} has priorities, with parallel steps or second-phase work"
            raise NotComputed(Problem("QN546", text, "one without the other, with closed classes"))
        if self.ranked and rated:
            text = f"{min(self.ranked)} has priorities, and {rated[0]} has load-dependent rates"
            raise NotComputed(Problem("QN546", text, "servers in place of rates, or no priorities"))
        return [*rows, [0] * len(self.network.classes)]

    def open_loads(self, rates: Rates) -> dict[Key, Value]:
        """The utilization of every queueing station group by open classes and by second-phase work at given rates."""
        loads: dict[Key, Value] = {}
        classes = enumerate(self.network.classes)
        opened: Rates = {class_index: item.arrival_rate for class_index, item in classes if isinstance(item, OpenClass)}
        for key, station, _ in self.groups:
            if station.delay:
                continue
            selected = [self.unit.streams[index] for index in self.members[key]]
            parts: list[Value] = [
                stream.rate * stream.holding.mean * (rates if stream.left else opened)[stream.class_index]
                for stream in selected
                if stream.left or stream.class_index in opened
            ]
            if parts:
                most = station.servers if station.rates is None else station.rates[-1]
                loads[key] = total(parts) / most
        return loads

    def stable(self, rho: dict[Key, Value]) -> Value:
        """Whether the open load is below every capacity: a bool, or an array of the batch."""
        full: Value = False
        for load in rho.values():
            full = full | (load >= 1.0)
        return not full if isinstance(full, bool) else ~full

    def table(self, weighted: bool) -> list[list[Value]]:
        """Demands, or visits, of every class at every station group, followed by pure delays."""
        rows: list[list[Value]] = []
        queued: list[Value] = [0.0 for _ in self.columns]
        for key, station, copies in self.groups:
            row: list[Value] = [0.0 for _ in self.columns]
            waited = 1.0 - 1.0 * self.regular.get(key, False)
            for index in self.members[key]:
                stream = self.unit.streams[index]
                if station.delay and (self.regular or (stream.started is not None and not stream.left)):
                    continue  # It is part of the time of its hold or its parallel step.
                column = self.column(stream)
                row[column] = row[column] + waited * stream.rate * (stream.holding.mean if weighted else 1.0)
                queued[column] = queued[column] + waited * copies * stream.rate * stream.holding.mean
            rows.append(row)
        delay: list[Value] = [0.0 for _ in self.columns]
        for class_index, time in self.steps.lasting.items() if self.steps else ():
            delay[class_index] = time
        for route in self.unit.routes:
            for (name, _), duration in route.parts.items():
                if self.regular or not name:
                    delay[route.class_index] = delay[route.class_index] + route.probability * duration.mean
        if self.regular:
            # A station without waiting is a delay, unless another station is held meanwhile.
            delay = [
                self.operations.maximum([time - part, 0.0 * time]) for time, part in zip(delay, queued, strict=True)
            ]
        rows.append(delay if weighted else [1.0 for _ in self.columns])
        return rows

    def shared(self, demands: list[list[Value]], rates: Rates) -> list[list[Value]]:
        """The demands, those of second-phase work times the share that arriving customers observe where service is
        shared.

        rates   passages per second, by class.
        """
        if not self.left:
            return demands
        rows = [list(row) for row in demands]
        loads = self.open_loads(rates)
        closed = [class_index for class_index, item in enumerate(self.network.classes) if isinstance(item, ClosedClass)]
        for (key, station, _), row in zip(self.groups, rows, strict=False):
            if station.delay or station.name in self.ordered:
                continue
            busy = (
                loads.get(key, 0.0)
                + total(rates[class_index] * row[class_index] for class_index in closed) / station.peak
            )
            for class_index, column in self.left.items():
                if not self.operations.all(row[class_index] == 0):
                    row[column] = row[column] * second_phase.share_at_arrival(
                        self.network, self.unit, class_index, station.name, rates[class_index], busy
                    )
        return rows

    def variability(self) -> list[list[Value]]:
        """The squared coefficients of variation of the time per visit, of every class at every station group."""
        rows: list[list[Value]] = []
        for key, station, _ in self.groups:
            row: list[Value] = [1.0 for _ in self.columns]
            for class_index in range(len(row)) if station.name in self.ordered or station.name in self.ranked else ():
                selected = [item for item in (self.unit.streams[index] for index in self.members[key])
                       if self.column(item) == class_index]  # fmt: skip
                if selected:
                    row[class_index] = _mixed_scv(selected, self.operations)
            rows.append(row)
        return [*rows, [1.0 for _ in self.columns]]

    def column(self, stream: Stream) -> int:
        """The column of a stream in the table of demands."""
        return self.columns[stream.class_index, stream.left]

    def reduced(
        self, demands: list[list[Value]], visits: list[list[Value]], stable: Value, rates: Rates | None = None
    ) -> Demands:
        """The network of demands: every copy is a separate station, and pure delays are one more."""
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
        for class_index in self.left:
            population.append(None)
            think_time.append(0.0)
            arrival_rate.append(0.0 if rates is None else rates[class_index] * (stable * 1.0))
        return Demands(
            demands=self.spread(demands, copies),
            visits=self.spread(visits, copies),
            kinds=_repeated(["delay" if item is None or item.delay else "queue" for item in stations], copies),
            servers=_repeated([1 if item is None or item.delay else item.servers for item in stations], copies),
            rates=_repeated([None if item is None else item.rates for item in stations], copies),
            population=population,
            think_time=think_time,
            arrival_rate=arrival_rate,
            disciplines=_repeated([self.discipline(item) for item in stations], copies),
            scv=self.spread(self.variability(), copies) if self.ordered or self.ranked else None,
            priority=_repeated([tuple(row) for row in self.ranks()], copies) if self.ranked else None,
            left={self.left[class_index]: class_index for class_index in sorted(self.again)},
            absence=self.absence(demands, visits),
            joins=self.steps.joins(self.first_rows, self.ordered, demands, visits) if self.steps else None,
        )

    def absence(self, demands: list[list[Value]], visits: list[list[Value]]) -> Any:
        """The time from starting second-phase work to the next arrival, by closed class and copy of a station; None
        where no class returns to its work."""
        if not self.again or self.absent is not None:
            return self.absent

        rows = [(station, key[1]) for key, station, copies in self.groups for _ in range(copies)]
        size = self.network.size or 1
        counts = [copies for _, _, copies in self.groups]

        def column(table: list[list[Value]], index: int) -> Any:
            values = [np.broadcast_to(np.asarray(row[index], float), (size,)) for row in table[: len(counts)]]
            return np.repeat(np.stack(values, axis=1), counts, axis=1)

        left: list[tuple[int, Any]] = []
        for class_index, item in enumerate(self.network.classes):
            if isinstance(item, ClosedClass):
                pieces = np.zeros((size, len(rows)))
                if class_index in self.again:
                    work, often = column(demands, self.left[class_index]), column(visits, self.left[class_index])
                    pieces = np.where(often > 0, work / np.where(often > 0, often, 1.0), 0.0)
                left.append((class_index, pieces))
        # Pure delays are one more station.
        nowhere = Station(name="", delay=True, servers=1, discipline="ps", groups=(Group("", 1, 0.0),))
        self.absent = return_times.absences(
            self.network, [*rows, (nowhere, 0)], [(class_index, _with_one(pieces)) for class_index, pieces in left]
        )
        return self.absent

    def discipline(self, station: Station | None) -> str:
        """The discipline of a station for the methods of `product`; `station` is None for pure delays."""
        if station and station.name in self.ranked:
            return "preemptive" if station.discipline == "preemptive" else "priority"
        return "fcfs" if station and station.name in self.ordered else "ps"

    def spread(self, rows: list[list[Value]], copies: Sequence[int]) -> Any:
        """One row per copy: tuples, or an array with the batch axis first."""
        if self.network.size is None:
            return _repeated([tuple(row) for row in rows], copies)

        table = np.empty((self.network.size, len(rows), len(rows[0])))
        for index, row in enumerate(rows):
            # With very many classes of copies, nearly all cells are plain floats.
            if all(isinstance(cell, float) for cell in row):
                table[:, index] = row
            else:
                for class_index, cell in enumerate(row):
                    table[:, index, class_index] = cell
        return np.repeat(table, copies, axis=1)

    def of_class(self, values: Any, class_index: int) -> Value:
        """One column of figures by class."""
        return values[class_index] if self.network.size is None else values[:, class_index]


def _with_one(pieces: Any) -> Any:
    """A table with one more station, without second-phase work."""
    return np.concatenate([pieces, np.zeros((len(pieces), 1))], axis=1)


def _mixed_scv(streams: Sequence[Stream], operations: Operations) -> Value:
    """The squared coefficient of variation of a mixture of visits; 1 where there are none."""
    rate = total(item.rate for item in streams)
    mean = ratio(total(item.rate * item.holding.mean for item in streams), rate)
    square = ratio(total(item.rate * _square(item) for item in streams), rate)
    nothing = mean == 0
    result = square / (mean + nothing) ** 2 - 1.0 + nothing
    result = operations.where(operations.absolute(result - 1.0) <= 1e-12, 1.0, result)
    return operations.where(result < 1e-12, 0.0, result)


def _square(stream: Stream) -> Value:
    """The mean square of a service time."""
    mean = stream.holding.mean
    return mean**2 + (stream.holding.variance if stream.scv is None else stream.scv * mean**2)


def _repeated(values: Sequence[Any], copies: Sequence[int]) -> list[Any]:
    return [value for value, count in zip(values, copies, strict=True) for _ in range(count)]


def _columns(compiled: Streams, classes: int) -> dict[tuple[int, bool], int]:
    """The columns of demands: of every class, and of its second-phase work."""
    result = {(class_index, False): class_index for class_index in range(classes)}
    for stream in compiled.streams:
        if stream.left:
            result.setdefault((stream.class_index, True), len(result))
    return result
