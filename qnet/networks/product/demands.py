"""Networks given by the demands of classes at stations, checked: the input of all product-form methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from qnet.lazy import np
from qnet.networks.product.validation import Arguments

if TYPE_CHECKING:
    from qnet.networks.product.switching import Switching

KINDS = ("queue", "delay")
DISCIPLINES = ("fcfs", "ps", "lcfs-pr", "priority", "preemptive")
"""The disciplines of stations; the first is the default, as in the model language."""
BY_RANK = ("priority", "preemptive")
"""The disciplines that serve one class before another."""


class Demands:
    """A network of K stations and R classes, open, closed or mixed; or a batch of B variants of one.

    Any input with a batch axis makes the network a batch; sizes are broadcast from 1 only. A point is held in plain
    tuples, so that small networks are solved without loading numpy.
    """

    __slots__ = (
        "absence", "arrival_rate", "class_names", "delay", "demands", "disciplines", "joins", "left", "names",
        "population", "priority", "rates", "scv", "servers", "size", "switching", "think_time", "visits",
    )  # fmt: skip

    demands: Any
    """(K, R) tuples, or an array (B, K, R)."""
    visits: Any
    scv: Any
    """Squared coefficients of variation of the service times, of the same shape; None: all are exponential."""
    delay: tuple[bool, ...]
    disciplines: tuple[str, ...]
    priority: tuple[tuple[int, ...], ...] | None
    """(K, R): the highest is served first; None where no station has priorities."""
    servers: tuple[int, ...]
    rates: tuple[tuple[float, ...] | None, ...]
    population: tuple[Any, ...]
    """R entries: None, a number, or an array (B,)."""
    think_time: tuple[Any, ...]
    arrival_rate: tuple[Any, ...]
    size: int | None
    """B, or None for a point."""
    joins: Any
    """The parallel steps of closed classes, as `joins` of `closed.first_come.FirstComeBatch`, over all stations; None
    without any."""
    left: Mapping[int, int]
    """By open class that is second-phase work of a closed one to which its customers return first come first served:
    the closed class, whose throughput is its arrival rate."""
    absence: Any
    """Times from leaving this work to the return, as in `closed.second_phase.Left`, over all stations and the closed
    classes."""
    switching: Switching | None
    """The classes of which the classes here, as chains, consist; None where no customer changes its class."""
    names: tuple[str, ...]
    """The names of the stations in tables and messages; empty: they are numbered from 0."""
    class_names: tuple[str, ...]
    """The names of the classes, likewise."""

    def __init__(
        self,
        demands: Any,
        visits: Any = None,
        kinds: Sequence[str] | None = None,
        disciplines: Sequence[str] | str | None = None,
        servers: Sequence[int] | None = None,
        rates: Sequence[Sequence[float] | None] | None = None,
        population: Sequence[Any] | None = None,
        think_time: Sequence[Any] | None = None,
        arrival_rate: Sequence[Any] | None = None,
        scv: Any = None,
        priority: Any = None,
        joins: Any = None,
        left: Mapping[int, int] | None = None,
        absence: Any = None,
        switching: Switching | None = None,
        names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
    ) -> None:
        """A checked network.

        joins, left, absence, switching
                      parallel steps, second-phase work and chains, as the attributes; not checked.
        others        as for `qnet.Network`.
        Raises        `InvalidInput` QN230 with everything that is wrong.
        """
        given = Arguments()
        self.demands = given.matrix("demands", demands)
        stations, classes = given.shape
        self.visits = None if visits is None else given.matrix("visits", visits)
        self.scv = None if scv is None else given.matrix("scv", scv)
        self.delay = tuple(word == "delay" for word in given.words("kinds", kinds, stations, KINDS))
        self.disciplines = given.words("disciplines", disciplines, stations, DISCIPLINES)
        self.priority = given.priorities(priority, self.disciplines)
        self.rates = given.capacities(rates, stations)
        self.servers = given.servers(servers, stations)
        self.population = given.column("population", population, classes)
        self.think_time = given.column("think_time", think_time, classes, 0.0)
        self.arrival_rate = given.column("arrival_rate", arrival_rate, classes)
        self.names = given.names("names", names, stations, "station")
        self.class_names = given.names("class_names", class_names, classes, "class")
        given.classes(self.population, self.arrival_rate, self.think_time)
        given.stations(self.delay, self.servers, self.rates)
        if self.visits is not None:
            given.visits(self.demands, self.visits)
        self.size = given.size
        self.joins = joins
        self.left = left or {}
        self.absence = absence
        self.switching = switching
        given.finish()
        if self.size is not None:
            self._spread(self.size)

    def _spread(self, size: int) -> None:
        """Give every number its batch axis."""
        table = np.asarray(self.demands, float)
        shape = (size, *table.shape[-2:])
        self.demands = np.broadcast_to(table, shape)
        if self.visits is not None:
            self.visits = np.broadcast_to(np.asarray(self.visits, float), shape)

        if self.scv is not None:
            self.scv = np.broadcast_to(np.asarray(self.scv, float), shape)

        def column(values: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(
                None if value is None else np.broadcast_to(np.asarray(value, float).reshape(-1), (size,))
                for value in values
            )

        self.population = column(self.population)
        self.think_time = column(self.think_time)
        self.arrival_rate = column(self.arrival_rate)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of stations and of classes."""
        return len(self.delay), len(self.population)

    @property
    def open(self) -> tuple[int, ...]:
        """The indices of the open classes."""
        return tuple(index for index, rate in enumerate(self.arrival_rate) if rate is not None)

    @property
    def closed(self) -> tuple[int, ...]:
        """The indices of the closed classes."""
        return tuple(index for index, count in enumerate(self.population) if count is not None)

    def demand(self, station: int, class_index: int) -> Any:
        """One demand: a float, or an array (B,)."""
        return self.demands[station][class_index] if self.size is None else self.demands[:, station, class_index]

    def visit_ratio(self, station: int, class_index: int) -> Any:
        """Visits per passage: a float, or an array (B,)."""
        if self.visits is None:
            return (self.demand(station, class_index) > 0) * 1.0
        return self.visits[station][class_index] if self.size is None else self.visits[:, station, class_index]

    def variability(self, station: int, class_index: int) -> Any:
        """The squared coefficient of variation of the time per visit: a float, or an array (B,)."""
        if self.scv is None:
            return 1.0
        return self.scv[station][class_index] if self.size is None else self.scv[:, station, class_index]

    @property
    def chain_of(self) -> tuple[int, ...]:
        """(R,) the chain of every class, from 0; each class is a separate chain where no customer changes its class."""
        return tuple(range(self.shape[1])) if self.switching is None else self.switching.chain_of

    def station_label(self, station: int) -> str:
        """A station in a sentence: its name, or `station 0`."""
        return self.names[station] if self.names else f"station {station}"

    def class_label(self, class_index: int) -> str:
        """A class in a sentence: `class page`, or `class 0`."""
        return f"class {self.class_names[class_index] if self.class_names else class_index}"

    def nobody(self, class_index: int) -> bool:
        """Whether a class is closed and has no customers in any variant."""
        count = self.population[class_index]
        return count is not None and (bool(count == 0) if self.size is None else bool((count == 0).all()))

    def ranks(self, station: int) -> tuple[int, ...]:
        """The priorities of a station by class, the highest is served first; all 0 where it has no priorities.

        Classes that never visit it have the lowest priority of those that do.
        """
        classes = range(self.shape[1])
        if self.priority is None or self.delay[station] or self.disciplines[station] not in BY_RANK:
            return (0,) * len(classes)
        visits = [self.visit_ratio(station, class_index) for class_index in classes]
        used = [bool(value > 0) if self.size is None else bool((value > 0).any()) for value in visits]
        used = [visits and not self.nobody(class_index) for class_index, visits in enumerate(used)]
        present = [self.priority[station][class_index] for class_index in classes if used[class_index]]
        if len(set(present)) < 2:
            return (0,) * len(classes)
        return tuple(
            self.priority[station][class_index] if used[class_index] else min(present) for class_index in classes
        )

    def capacities(self, station: int) -> Sequence[float]:
        """Relative capacities of a queueing station with 1, 2, ... customers present; the last repeats."""
        given = self.rates[station]
        return given if given is not None else range(1, self.servers[station] + 1)

    def peak(self, station: int) -> float:
        """The largest relative capacity of a queueing station."""
        rates = self.rates[station]
        return float(self.servers[station]) if rates is None else max(rates)

    def point(self, index: int) -> Self:
        """One variant of a batch, in tuples."""
        if self.size is None:
            return self
        result = object.__new__(type(self))
        for name in ("delay", "disciplines", "servers", "rates", "priority", "names", "class_names"):
            setattr(result, name, getattr(self, name))
        result.demands = _rows(self.demands[index])
        result.visits = None if self.visits is None else _rows(self.visits[index])
        result.scv = None if self.scv is None else _rows(self.scv[index])
        for name in ("population", "think_time", "arrival_rate"):
            values = tuple(None if value is None else float(value[index]) for value in getattr(self, name))
            setattr(result, name, values)
        result.size = None
        result.joins = None if self.joins is None else self.joins[[index]]
        result.left = self.left
        result.absence = None if self.absence is None else self.absence.part([index])
        result.switching = None if self.switching is None else self.switching.point(index)
        return result

    def __repr__(self) -> str:
        stations, classes = self.shape
        shape = f"{stations} station{'s' * (stations != 1)}, {classes} class{'es' * (classes != 1)}"
        kinds = f"{len(self.open)} open, {len(self.closed)} closed"
        size = "" if self.size is None else f", {self.size} variants"
        return f"{type(self).__name__}({shape}: {kinds}{size})"


def _rows(table: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in table.tolist())
