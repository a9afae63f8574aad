"""Networks given by routing matrices, with customers that may change their class on the way.

A chain is a set of classes between which customers change (`traffic.chains`). The visits of every class at every
station follow from the routing; the chains are solved as the classes of a `Network`, with the demands of all their
classes together per passage of the chain; and their figures are divided among the classes again.

That is exact for product form (@baskett1975): each customer of a chain at a station is of a class with a probability
that is the share of the class in the demand of the chain there, independently of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

from qnet.errors import InvalidInput, Problem
from qnet.lazy import Array, np
from qnet.networks.product.traffic import chains, closed_visits, open_visits
from qnet.networks.product.validation import Arguments
from qnet.queues.arithmetic import ratio
from qnet.record import Record

Rows = tuple[tuple[Any, ...], ...]
"""(K, R) numbers, or arrays (B,) instead of numbers."""


def aggregate(demands: Any, chain_of: Sequence[int], count: int) -> Any:
    """The demands of chains.

    Applies   any network; think times are one more row, in seconds per passage of the chain.
    demands   (K, R) or (B, K, R) seconds per passage of the chain, >= 0: visits of the class per visit to the reference
              of its chain, times its service time.
    chain_of  R chain numbers, 0 to C - 1.
    count     C, the number of chains.
    Returns   nested tuples (K, C), or an array (B, K, C) for an array.
    Method    Sums over the classes of each chain.
    Fails     `InvalidInput` QN230 for a chain number that does not exist and for other numbers of classes.
    Source    @baskett1975
    """
    _check(chain_of, count)

    def added(row: Sequence[Any]) -> list[Any]:
        _same(len(row), len(chain_of), "demands")
        return _sums(row, chain_of, count)

    return _by_row(added, demands)


def spread(figures: Any, demands: Any, chain_of: Sequence[int]) -> Any:
    """Figures of classes at stations, from those of their chains.

    Applies   product form; residence per passage of the chain, queue length, utilization and busy servers.
    figures   (K, C) or (B, K, C) of the chains.
    demands   (K, R) or (B, K, R) of the classes, as for `aggregate`.
    chain_of  R chain numbers, 0 to C - 1.
    Returns   nested tuples (K, R), or an array (B, K, R) where either is an array. They add up to those of the chain; a
              class without demand at a station gets 0 there. Divide a residence by visits for the time of one visit.
    Method    figure of the chain x demand of the class / demand of the chain.
    Fails     `InvalidInput` QN230 for a chain number that does not exist and for other numbers of classes.
    Source    @baskett1975
    """

    def shared(values: Sequence[Any], row: Sequence[Any]) -> list[Any]:
        _check(chain_of, len(values))
        _same(len(row), len(chain_of), "demands")
        overall = _sums(row, chain_of, len(values))
        return [values[chain] * ratio(demand, overall[chain]) for demand, chain in zip(row, chain_of, strict=True)]

    return _by_row(shared, figures, demands)


def class_throughput(throughput: Any, passages: Any, chain_of: Sequence[int]) -> Any:
    """Throughputs of classes, from those of their chains.

    Applies     any network.
    throughput  (C,) or (B, C) passages of the chains per second.
    passages    (R,) or (B, R) visits of the class to a station per visit to the reference of its chain.
    chain_of    R chain numbers, 0 to C - 1.
    Returns     a tuple (R,), or an array (B, R) where either is an array: visits per second to that station.
    Method      throughput of the chain x visits of the class (forced flow).
    Fails       `InvalidInput` QN230 for a chain number that does not exist and for other numbers of classes.
    Source      @denning1978
    """

    def passed(rates: Sequence[Any], visits: Sequence[Any]) -> list[Any]:
        _check(chain_of, len(rates))
        _same(len(visits), len(chain_of), "passages")
        return [rates[chain] * visit for visit, chain in zip(visits, chain_of, strict=True)]

    if hasattr(throughput, "ndim") or hasattr(passages, "ndim"):
        return _by_row(passed, throughput, passages)
    return tuple(passed(throughput, passages))


def _by_row(function: Callable[..., list[Any]], *tables: Any) -> Any:
    """A function applied to each row of nested tuples, or to arrays along their last axis, all rows at once."""
    if not any(hasattr(table, "ndim") for table in tables):
        return tuple(tuple(function(*rows)) for rows in zip(*tables, strict=True))

    columns = [np.moveaxis(np.asarray(table, float), -1, 0) for table in tables]
    return np.stack(np.broadcast_arrays(*function(*columns)), axis=-1)


def _sums(values: Sequence[Any], chain_of: Sequence[int], count: int) -> list[Any]:
    sums: list[Any] = [0.0] * count
    for value, chain in zip(values, chain_of, strict=True):
        sums[chain] = sums[chain] + value
    return sums


def _check(chain_of: Sequence[int], count: int) -> None:
    wrong = [chain for chain in chain_of if not 0 <= chain < count]
    if wrong or not chain_of:
        text = f"a class is of chain {wrong[0]}" if wrong else "there are no classes"
        raise InvalidInput(Problem("QN230", text, f"chains from 0 to {count - 1}"))


def _same(result: int, classes: int, name: str) -> None:
    if result != classes:
        raise InvalidInput(Problem("QN230", f"{result} {name} in a row", f"{classes}, one for each class"))


class Stations(Protocol):
    """The needed part of the network of chains, a `demands.Demands`."""

    size: int | None
    disciplines: tuple[str, ...]
    delay: tuple[bool, ...]
    rates: tuple[tuple[float, ...] | None, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Stations and chains."""
        ...


class Switching(Record):
    """The R classes of a network whose C classes are chains of them."""

    chain_of: tuple[int, ...]
    """(R,) the chain of every class, from 0."""
    visits: Rows
    """(K, R) visits per passage of the chain."""
    demands: Rows
    """(K, R) seconds per passage of the chain."""
    names: tuple[str, ...] = ()
    """The names of the classes; empty: they are numbered from 0."""
    onward: tuple[Rows, ...] = ()
    """By chain: (K + 1, K) transitions per passage from a station to a station, the last row from outside; empty for
    closed chains."""
    routing: tuple[tuple[float, ...], ...] = ()
    """(K R, K R): the probability to go from a station as a class to a station as a class, the station being the outer
    index. The rest of a row to one leaves the network."""
    arrivals: Rows = ()
    """(K, R) arrivals per second from outside."""
    reference: int = 0
    """The station whose visits are the passages of closed chains."""
    scv: Rows = ()
    """(K, R) squared coefficients of variation of the time per visit."""

    def residence(self, network: Stations, of_chains: Any) -> Array:
        """(K, R) or (B, K, R) seconds per passage of the chain, from the residence of the chains.

        Where customers queue in order, all classes of a chain have the same wait per visit; elsewhere residence is in
        proportion to the demand.
        """
        demands, visits = _as_array(self.demands, network.size), _as_array(self.visits, network.size)
        by_demand: Array = spread(of_chains, demands, self.chain_of)
        chain_demands = aggregate(demands, self.chain_of, network.shape[1])
        waited = np.maximum(np.asarray(of_chains, float) - chain_demands, 0.0)
        by_visit: Array = demands + spread(waited, visits, self.chain_of)
        in_line = [
            word in ("fcfs", "priority", "preemptive") and not delay and rates is None
            for word, delay, rates in zip(network.disciplines, network.delay, network.rates, strict=True)
        ]
        return np.where(np.array(in_line)[:, None], by_visit, by_demand)

    def by_demand(self, network: Stations, of_chains: Any) -> Any:
        """(K, R) or (B, K, R) utilization or busy servers, from those of the chains."""
        return spread(np.asarray(of_chains, float), _as_array(self.demands, network.size), self.chain_of)

    def passed(self, network: Stations, throughput: Any) -> Any:
        """(K, R) or (B, K, R) visits per second, from the passages per second of the chains."""
        rates: Array = np.asarray(throughput, float)[..., list(self.chain_of)]
        return rates[..., None, :] * _as_array(self.visits, network.size)

    def class_label(self, class_index: int) -> str:
        """A class by its name, or its number."""
        return self.names[class_index] if self.names else str(class_index)

    @property
    def chain_names(self) -> tuple[str, ...]:
        """The names of the chains, which list those of their classes; empty where classes have none."""
        members = [
            [name for name, chain in zip(self.names, self.chain_of, strict=False) if chain == each]
            for each in range(max(self.chain_of) + 1)
        ]
        return tuple("+".join(each) for each in members) if self.names else ()

    def point(self, index: int) -> Switching:
        """One variant of a batch."""
        return self.replace(
            visits=_variant(self.visits, index),
            demands=_variant(self.demands, index),
            onward=tuple(_variant(rows, index) for rows in self.onward),
            arrivals=_variant(self.arrivals, index),
            scv=_variant(self.scv, index),
        )


def arguments(
    service_times: Any,
    routing: Any,
    population: Sequence[Any] | None,
    think_time: Sequence[Any] | None,
    arrivals: Any,
    scv: Any,
    priority: Any,
    reference: int,
    names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
) -> dict[str, Any]:
    """The arguments of `Demands` for a network with routing: its chains as classes, and `switching`.

    The arguments are those of `Network.from_routing`.
    """
    times = _table("service_times", service_times)
    stations, classes = len(times), len(times[0])
    if not 0 <= reference < stations:
        raise _invalid(f"the reference is station {reference}", f"a number from 0 to {stations - 1}")
    given = Arguments()
    stated = given.names("names", names, stations, "station")
    stated_classes = given.names("class_names", class_names, classes, "class")
    given.finish()
    matrix = _matrix(routing, stations, classes)
    labels = [
        f"{station} class {label}"
        for station in stated or [f"station {index}" for index in range(stations)]
        for label in stated_classes or range(classes)
    ]
    chain_of = chains(matrix, [index % classes for index in range(stations * classes)], labels)
    count = max(chain_of) + 1
    outside = _like_times("arrivals", arrivals, stations, classes, 0.0)
    customers = _customers(population, chain_of, count, classes)
    visits, arrival_rate = _visits(matrix, chain_of, customers, outside, reference, labels)
    demands = tuple(
        tuple(time * visit for time, visit in zip(row, rows, strict=True))
        for row, rows in zip(times, visits, strict=True)
    )
    rows, variable = tuple(map(tuple, visits)), _like_times("scv", scv, stations, classes, 1.0)
    chosen: dict[str, Any] = {
        "demands": _stacked(aggregate(demands, chain_of, count)),
        "visits": _stacked(aggregate(rows, chain_of, count)),
        "population": customers,
        "think_time": _think_times(think_time, chain_of, count, classes),
        "arrival_rate": arrival_rate,
        "names": stated or None,
        "switching": Switching(
            chain_of=tuple(chain_of),
            visits=rows,
            demands=demands,
            names=stated_classes,
            onward=_onward(matrix, rows, chain_of, customers, outside),
            routing=tuple(map(tuple, matrix)),
            arrivals=outside,
            reference=reference,
            scv=variable,
        ),
    }
    variability = _variability(times, rows, variable, chain_of, count)
    if any(abs(cell - 1.0) > 1e-12 if isinstance(cell, float) else True for row in variability for cell in row):
        chosen["scv"] = _stacked(variability)
    if priority is not None:
        chosen["priority"] = _priorities(priority, rows, chain_of, count)
    return chosen


def _visits(
    matrix: list[list[float]],
    chain_of: Sequence[int],
    customers: Sequence[Any],
    outside: Sequence[Sequence[Any]],
    reference: int,
    labels: list[str],
) -> tuple[list[list[Any]], list[Any]]:
    """Visits per passage of a chain, (stations, classes), and the arrival rates of the chains, None of closed ones.

    customers  by chain: its population, None where it is open.
    outside    (stations, classes): arrivals from outside.
    Raises     `InvalidInput` for a chain with a population and arrivals.
    """
    stations, classes = len(outside), len(outside[0])
    visits: list[list[Any]] = [[0.0] * classes for _ in range(stations)]
    arrival_rate: list[Any] = []
    for chain, population in enumerate(customers):
        members = [class_index for class_index in range(classes) if chain_of[class_index] == chain]
        entrance = [
            value if class_index in members else 0.0 for row in outside for class_index, value in enumerate(row)
        ]
        if population is not None and any(_positive(value) for value in entrance):
            raise _invalid(f"the classes {members} have a population and arrivals", "one of the two")
        if population is None:
            arrival_rate.append(sum(entrance))
            result = _open(matrix, entrance, labels)
        else:
            arrival_rate.append(None)
            result = _closed(matrix, members, reference, classes, labels)
        for index, value in enumerate(result):
            if _positive(value):
                visits[index // classes][index % classes] = value
    return visits, arrival_rate


def _onward(
    matrix: list[list[float]], visits: Rows, chain_of: Sequence[int], customers: Sequence[Any], outside: Rows
) -> tuple[Rows, ...]:
    """`Switching.onward`, from the visits per passage and the arrivals from outside, (stations, classes)."""
    stations, classes = len(visits), len(visits[0])
    result: list[Rows] = []
    for chain, population in enumerate(customers):
        if population is not None:
            result.append(())
            continue
        members = [class_index for class_index in range(classes) if chain_of[class_index] == chain]
        rows: list[list[Any]] = [[0.0] * stations for _ in range(stations + 1)]
        rate = sum(outside[station][class_index] for station in range(stations) for class_index in members)
        for target in range(stations):
            entering = sum(outside[target][class_index] for class_index in members)
            if _positive(entering):
                rows[stations][target] = ratio(entering, rate)
            for origin in range(stations):
                rows[origin][target] = sum(
                    visits[origin][class_index] * matrix[origin * classes + class_index][target * classes + other]
                    for class_index in members
                    for other in members
                )
        result.append(tuple(map(tuple, rows)))
    return tuple(result)


def _open(matrix: list[list[float]], entrance: list[Any], labels: list[str]) -> list[Any]:
    """Visits per arrival; for a batch the weighted sums of those per arrival at each station."""
    if not any(_positive(value) for value in entrance):
        return [0.0] * len(matrix)
    if all(isinstance(value, float) for value in entrance):
        return list(open_visits(matrix, entrance, labels=labels))
    rate = sum(entrance)
    result: list[Any] = [0.0] * len(matrix)
    for index, value in enumerate(entrance):
        if not _positive(value):
            continue
        alone = open_visits(matrix, [float(other == index) for other in range(len(matrix))], labels=labels)
        share = np.divide(value, rate, out=np.zeros(np.shape(rate)), where=np.asarray(rate) > 0)
        result = [before + share * visit for before, visit in zip(result, alone, strict=True)]
    return result


def _closed(
    matrix: list[list[float]], members: list[int], reference: int, classes: int, labels: list[str]
) -> tuple[float, ...]:
    """Visits per visit to the reference station, in any class of the chain."""
    start = next(
        (
            reference * classes + class_index
            for class_index in members
            if any(matrix[reference * classes + class_index])
        ),
        None,
    )
    if start is None:
        text = f"the classes {members} never visit station {reference}"
        raise InvalidInput(Problem("QN231", text, "a reference station that every closed chain visits"))
    visits = closed_visits(matrix, start, labels)
    passages = sum(visits[reference * classes + class_index] for class_index in members)
    return tuple(value / passages for value in visits)


def _customers(population: Sequence[Any] | None, chain_of: Sequence[int], count: int, classes: int) -> list[Any]:
    """The customers of every chain, None for open ones."""
    given = _column("population", population, classes)
    customers: list[Any] = []
    for chain in range(count):
        members = [value for value, member in zip(given, chain_of, strict=True) if member == chain]
        closed = [value for value in members if value is not None]
        if closed and len(closed) < len(members):
            raise _invalid("customers change between a closed and an open class", "a population for all of a chain")
        customers.append(sum(closed[1:], start=closed[0]) if closed else None)
    return customers


def _think_times(
    think_time: Sequence[Any] | None, chain_of: Sequence[int], count: int, classes: int
) -> list[Any] | None:
    """The think time of every chain, which must be equal in all its classes."""
    if think_time is None:
        return None
    given = _column("think_time", think_time, classes)
    result: list[Any] = []
    for chain in range(count):
        members = [value for value, member in zip(given, chain_of, strict=True) if member == chain]
        if any(not np.array_equal(value, members[0]) for value in members[1:]):
            expected = "the same think time for all classes of a chain, once per passage"
            raise _invalid(f"the classes of chain {chain} have different think times", expected)
        result.append(0.0 if members[0] is None else members[0])
    return result


def _column(name: str, values: Sequence[Any] | None, classes: int) -> list[Any]:
    """R entries: None, a number, or an array (B,)."""
    if values is None:
        return [None] * classes
    given = Arguments()
    column = given.column(name, values, classes)
    given.finish()
    return list(column)


def _variability(times: Rows, visits: Rows, scv: Rows, chain_of: Sequence[int], count: int) -> Rows:
    """(K, C) squared coefficients of variation of the time per visit of a chain, over all its classes."""
    pairs = [list(zip(*rows, strict=True)) for rows in zip(times, visits, scv, strict=True)]
    arrivals = aggregate(visits, chain_of, count)
    first = aggregate([[visit * time for time, visit, _ in row] for row in pairs], chain_of, count)
    second = aggregate([[visit * (1.0 + c) * time * time for time, visit, c in row] for row in pairs], chain_of, count)

    def scv_of(number: Any, mean: Any, square: Any) -> Any:
        above = ratio(square * number, mean * mean) - 1.0
        if isinstance(above, float):
            return max(above, 0.0) if mean > 0 else 1.0
        return np.where(mean > 0, np.maximum(above, 0.0), 1.0)

    return tuple(
        tuple(scv_of(*cells) for cells in zip(*rows, strict=True)) for rows in zip(arrivals, first, second, strict=True)
    )


def _priorities(priority: Any, visits: Rows, chain_of: Sequence[int], count: int) -> list[list[Any]]:
    """(K, C) priorities of the chains, which must be equal for all their classes that visit a station."""
    given = _lists(priority)
    stations, classes = len(visits), len(chain_of)
    rows: Any = given if _depth(given) == 2 else [given] * stations
    if _shape(rows) != (stations, classes) or not _numeric(rows):
        raise _invalid(f"priority is {priority!r}", f"one integer per class: {classes}, or a row of them per station")
    result: list[list[Any]] = []
    for station, (row, counts) in enumerate(zip(rows, visits, strict=True)):
        result.append([])
        for chain in range(count):
            visiting = [
                class_index
                for class_index, member in enumerate(chain_of)
                if member == chain and _positive(counts[class_index])
            ]
            if len({row[class_index] for class_index in visiting}) > 1:
                text = f"the classes {visiting} of one chain have different priorities at station {station}"
                raise _invalid(text, "one priority for all classes of a chain that visit a station")
            result[-1].append(row[visiting[0]] if visiting else 0)
    return result


def _numeric(rows: Any) -> bool:
    """Whether all cells of a table are numbers."""
    return all(isinstance(cell, (int, float)) for row in rows for cell in row)


def _matrix(routing: Any, stations: int, classes: int) -> list[list[float]]:
    """The routing between states, station by station and class by class."""
    value = _lists(routing)
    depth = _depth(value)
    size = stations * classes
    matrix = [[0.0] * size for _ in range(size)]
    try:
        for origin in range(stations):
            for class_index in range(classes):
                for target in range(stations):
                    for other in range(classes):
                        if depth == 4:
                            cell = value[origin][class_index][target][other]
                        elif class_index != other:
                            continue
                        else:
                            cell = (value if depth == 2 else value[class_index])[origin][target]
                        matrix[origin * classes + class_index][target * classes + other] = float(cell)
        fits = _shape(value) in ((stations,) * 2, (classes, stations, stations), (stations, classes) * 2)
    except (KeyError, IndexError, TypeError, ValueError, OverflowError):
        fits = False
    if not fits:
        shapes = f"({stations}, {stations}), ({classes}, {stations}, {stations}) or ({stations}, {classes}) twice"
        raise _invalid("routing is no table of probabilities between the stations", shapes)
    return matrix


def _table(name: str, value: Any) -> Rows:
    """(K, R) numbers of 0 or more, or arrays of them with one per variant."""
    given = _lists(value)
    try:
        if _depth(given) == 3:
            batch = np.asarray(given, float)
            rows = tuple(
                tuple(batch[:, station, class_index] for class_index in range(batch.shape[2]))
                for station in range(batch.shape[1])
            )
        else:
            rows = tuple(tuple(float(cell) for cell in row) for row in given)
    except (TypeError, ValueError, OverflowError):
        rows = ()
    if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
        raise _invalid(f"{name} is no table of numbers", "one row per station, one number per class")
    if not all(bool(np.all((cell >= 0) & (cell < float("inf")))) for row in rows for cell in row):
        raise _invalid(f"{name} has negative or infinite numbers", "numbers of 0 or more")
    return rows


def _like_times(name: str, value: Any, stations: int, classes: int, default: float) -> Rows:
    """As `_table`, of the shape of the service times; `default` in all cells for None."""
    if value is None:
        return ((default,) * classes,) * stations
    rows = _table(name, value)
    if len(rows) != stations or len(rows[0]) != classes:
        raise _invalid(f"{name} has another shape than service_times", f"({stations}, {classes})")
    return rows


def _positive(value: Any) -> bool:
    """Whether a number is above 0, at any variant."""
    return bool(value > 0) if isinstance(value, (int, float)) else bool(np.any(value > 0))


def _stacked(rows: Rows) -> Any:
    """The rows unchanged, or an array (B, K, C) where any cell is an array."""
    if all(isinstance(cell, (int, float)) for row in rows for cell in row):
        return rows
    return np.stack([np.stack(np.broadcast_arrays(*cells), axis=-1) for cells in _broadcast(rows)], axis=-2)


def _broadcast(rows: Rows) -> list[list[Any]]:
    flat = np.broadcast_arrays(*(cell for row in rows for cell in row))
    width = len(rows[0])
    return [list(flat[start : start + width]) for start in range(0, len(flat), width)]


def _as_array(rows: Rows, size: int | None) -> Any:
    """(K, R), or (B, K, R) of a batch."""
    table = np.asarray(_stacked(rows), float)
    return table if size is None or table.ndim == 3 else np.broadcast_to(table, (size, *table.shape))


def _variant(rows: Rows, index: int) -> Rows:
    return tuple(
        tuple(cell if isinstance(cell, (int, float)) else float(cell[index % len(cell)]) for cell in row)
        for row in rows
    )


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


def _invalid(result: str, expected: str) -> InvalidInput:
    return InvalidInput(Problem("QN230", result, expected))
