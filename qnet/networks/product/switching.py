"""Networks given by routing matrices, with customers that may change their class on the way.

Classes that customers change between form a chain. The visits of every class at every station follow from the routing,
the chains are solved as classes of a `Network`, and their figures are shared out to the classes again: exact for
product form (Baskett, Chandy, Muntz, Palacios, J. ACM 22 (1975) 248-260).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from qnet.errors import InvalidInput, Problem
from qnet.networks.chains import aggregate, spread
from qnet.networks.product.demands import Demands
from qnet.networks.product.solution import Solution
from qnet.networks.product.solve import solve
from qnet.networks.traffic import chains, closed_visits, open_visits
from qnet.networks.wanted import Wanted
from qnet.record import Record


class SwitchingSolution(Record):
    """The steady state of a network with routing: by chain for the system, by class at the stations."""

    throughput: tuple[float, ...]
    """(C,) passages per second: visits to the reference station, or arrivals."""
    response: tuple[float, ...]
    """(C,) seconds per passage."""
    residence: tuple[tuple[float, ...], ...]
    """(K, R) seconds per passage of the chain, spent at the station as that class."""
    queue_length: tuple[tuple[float, ...], ...]
    """(K, R)"""
    utilization: tuple[tuple[float, ...], ...]
    """(K, R)"""
    station_throughput: tuple[tuple[float, ...], ...]
    """(K, R) visits per second."""
    chains: Solution
    """The solution by chain, with its method and how far it can be trusted."""
    exact: bool
    reasons: tuple[str, ...]

    @property
    def method(self) -> str:
        """The name of the method, as in `qnet methods`."""
        return self.chains.method

    @property
    def why(self) -> str:
        """Why this method was taken."""
        return self.chains.why


class SwitchingNetwork(Record):
    """A network of K stations and R classes in C chains; made by `from_routing`."""

    network: Demands
    """The chains as classes."""
    chain_of: tuple[int, ...]
    """(R,) the chain of every class, from 0."""
    visits: tuple[tuple[float, ...], ...]
    """(K, R) visits per passage of the chain."""
    demands: tuple[tuple[float, ...], ...]
    """(K, R) seconds per passage of the chain."""
    reasons: tuple[str, ...]
    """Why there is no product form; empty where there is."""

    def solve(self, method: str = "auto", **options: Any) -> SwitchingSolution:
        """The steady state; options are those of `wanted.Wanted`, and what is raised is as `solve.solve`."""
        found = solve(self.network, Wanted(method, **options))
        figures = found.figures
        residence, queue, used = (
            spread(table, self.demands, self.chain_of)
            for table in (figures.residence, figures.queue_length, figures.utilization)
        )
        passed = tuple(
            tuple(figures.throughput[chain] * visits for visits, chain in zip(row, self.chain_of, strict=True))
            for row in self.visits
        )
        reasons = (*found.reasons, *self.reasons)
        return SwitchingSolution(
            throughput=figures.throughput,
            response=figures.response,
            residence=residence,
            queue_length=queue,
            utilization=used,
            station_throughput=passed,
            chains=found,
            exact=not reasons,
            reasons=reasons,
        )


def from_routing(
    service_times: Any,
    routing: Any,
    population: Sequence[float | None] | None = None,
    arrivals: Any = None,
    reference: int = 0,
    kinds: Sequence[str] | None = None,
    disciplines: Sequence[str] | None = None,
    servers: Sequence[int] | None = None,
    rates: Sequence[Sequence[float] | None] | None = None,
) -> SwitchingNetwork:
    """A network from service times per visit and routing probabilities.

    Applies        open and closed chains side by side; a think time is a delay station.
    service_times  (K, R) seconds per visit, > 0 where a class comes.
    routing        (K, K): one matrix for all classes; (R, K, K): one per class; (K, R, K, R): the probability to go on
                   from station k as class r to station j as class s. What is missing to one leaves the network.
    population     R entries: customers of a closed class at the start, None for an open one; those of a chain add up.
    arrivals       (K, R) arrivals per second from outside, for open classes.
    reference      the station whose visits are the passages of closed chains.
    kinds, disciplines, servers, rates
                   K entries, as of `Network`.
    Returns        `SwitchingNetwork`, with its chains, visits and demands; `solve()` it.
    Raises         `InvalidInput` QN230 for tables of other shapes or rows that do not sum to one, QN231 where customers
                   are stranded or a chain never comes to the reference.
    """
    times = _table("service_times", service_times)
    stations, classes = len(times), len(times[0])
    if not 0 <= reference < stations:
        raise _invalid(f"the reference is station {reference}", f"a number from 0 to {stations - 1}")
    matrix = _matrix(routing, stations, classes)
    labels = [f"station {place // classes} class {place % classes}" for place in range(stations * classes)]
    chain_of = chains(matrix, [place % classes for place in range(stations * classes)], labels)
    count = max(chain_of) + 1
    outside = [[0.0] * classes for _ in range(stations)] if arrivals is None else _table("arrivals", arrivals)
    if len(outside) != stations or len(outside[0]) != classes:
        raise _invalid("arrivals has another shape than service_times", f"({stations}, {classes})")
    customers = _customers(population, chain_of, count, classes)
    visits = [[0.0] * classes for _ in range(stations)]
    arrival_rate: list[float | None] = []
    for chain in range(count):
        own = [kind for kind in range(classes) if chain_of[kind] == chain]
        entrance = [value if kind in own else 0.0 for row in outside for kind, value in enumerate(row)]
        if customers[chain] is not None and any(entrance):
            raise _invalid(f"the classes {own} have a population and arrivals", "one of the two")
        if customers[chain] is None:
            arrival_rate.append(sum(entrance))
            found = open_visits(matrix, entrance, labels=labels) if any(entrance) else [0.0] * len(matrix)
        else:
            arrival_rate.append(None)
            found = _closed(matrix, own, reference, classes, labels)
        for place, value in enumerate(found):
            if value:
                visits[place // classes][place % classes] = value
    demands = tuple(
        tuple(time * visit for time, visit in zip(row, seen, strict=True))
        for row, seen in zip(times, visits, strict=True)
    )
    network = Demands(
        demands=aggregate(demands, chain_of, count),
        kinds=kinds,
        servers=servers,
        rates=rates,
        population=customers,
        arrival_rate=arrival_rate,
    )
    reasons = _reasons(network, disciplines, times, visits)
    return SwitchingNetwork(network, tuple(chain_of), tuple(map(tuple, visits)), demands, reasons)


def _closed(
    matrix: list[list[float]], own: list[int], reference: int, classes: int, labels: list[str]
) -> tuple[float, ...]:
    """Visits per visit to the reference station, in any class of the chain."""
    start = next((reference * classes + kind for kind in own if any(matrix[reference * classes + kind])), None)
    if start is None:
        found = f"the classes {own} never come to station {reference}"
        raise InvalidInput(Problem("QN231", found, "a reference station that every closed chain visits"))
    visits = closed_visits(matrix, start, labels)
    passages = sum(visits[reference * classes + kind] for kind in own)
    return tuple(value / passages for value in visits)


def _customers(
    population: Sequence[float | None] | None, chain_of: Sequence[int], count: int, classes: int
) -> list[float | None]:
    """The customers of every chain, None for open ones."""
    given = [None] * classes if population is None else list(population)
    if len(given) != classes:
        raise _invalid(f"population has {len(given)} entries", f"one per class: {classes}")
    customers: list[float | None] = []
    for chain in range(count):
        own = [value for value, place in zip(given, chain_of, strict=True) if place == chain]
        closed = [value for value in own if value is not None]
        if closed and len(closed) < len(own):
            raise _invalid("customers change between a closed and an open class", "a population for all of a chain")
        customers.append(sum(closed) if closed else None)
    return customers


def _reasons(
    network: Demands, disciplines: Sequence[str] | None, times: Sequence[Sequence[float]], visits: list[list[float]]
) -> tuple[str, ...]:
    """Why the stations have no product form."""
    named = Demands(network.demands, disciplines=disciplines, arrival_rate=[0.0] * network.shape[1]).disciplines
    found: list[str] = []
    for station, discipline in enumerate(named):
        met = {time for time, visit in zip(times[station], visits[station], strict=True) if visit > 0}
        if network.delay[station]:
            continue
        if discipline == "fcfs" and len(met) > 1:
            found.append(f"station {station}: first come first served, with service times that differ between classes")
        if discipline == "lcfs-pr" and network.servers[station] > 1 and len(met) > 1:
            found.append(f"station {station}: last come first served with several servers has no product form")
    return tuple(found)


def _matrix(routing: Any, stations: int, classes: int) -> list[list[float]]:
    """The routing between states, station by station and class by class."""
    value = _lists(routing)
    depth = _depth(value)
    size = stations * classes
    matrix = [[0.0] * size for _ in range(size)]
    try:
        for origin in range(stations):
            for kind in range(classes):
                for target in range(stations):
                    for other in range(classes):
                        if depth == 4:
                            cell = value[origin][kind][target][other]
                        elif kind != other:
                            continue
                        else:
                            cell = (value if depth == 2 else value[kind])[origin][target]
                        matrix[origin * classes + kind][target * classes + other] = float(cell)
        fits = _shape(value) in ((stations,) * 2, (classes, stations, stations), (stations, classes) * 2)
    except (IndexError, TypeError, ValueError):
        fits = False
    if not fits:
        shapes = f"({stations}, {stations}), ({classes}, {stations}, {stations}) or ({stations}, {classes}) twice"
        raise _invalid("routing is no table of probabilities between the stations", shapes)
    return matrix


def _table(name: str, value: Any) -> list[list[float]]:
    try:
        rows = [[float(cell) for cell in row] for row in _lists(value)]
    except (TypeError, ValueError):
        rows = []
    if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
        raise _invalid(f"{name} is no table of numbers", "one row per station, one number per class")
    if any(not 0 <= cell < float("inf") for row in rows for cell in row):
        raise _invalid(f"{name} has negative or infinite numbers", "numbers of 0 or more")
    return rows


def _lists(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def _depth(value: Any) -> int:
    depth = 0
    while isinstance(value, (list, tuple)) and value:
        value = cast("Sequence[Any]", value)[0]
        depth += 1
    return depth


def _shape(value: Any) -> tuple[int, ...]:
    sizes: list[int] = []
    while isinstance(value, (list, tuple)) and value:
        items = cast("Sequence[Any]", value)
        sizes.append(len(items))
        value = items[0]
    return tuple(sizes)


def _invalid(found: str, expected: str) -> InvalidInput:
    return InvalidInput(Problem("QN230", found, expected))
