"""Grids of a parameter as what-if analyses of JMVA; the analysis follows from the numbers of the network that vary."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.errors import NotComputed, Problem, UsageError
from qnet.exchange.demands import DemandNetwork
from qnet.exchange.from_model import demands_of
from qnet.exchange.imported import REFUSED, Items
from qnet.model.grids import grid
from qnet.model.model import Model
from qnet.record import Record

MAX_VALUES = 1000
"""Points of a what-if analysis; a choice: each of them is written into the file."""


class Analysis(Record):
    """A what-if analysis."""

    kind: str
    """The type of the analysis, as JMVA spells it."""
    values: tuple[float, ...]
    """The values of a class; without one, factors of the stated values."""
    class_name: str = ""
    station: str = ""
    thinks: bool = False
    """Whether the station is that of the think times."""


def analysis(model: Model, text: str, base: DemandNetwork) -> Analysis:
    """The analysis that corresponds to a grid `NAME=VALUES`.

    base     the network at the stated values of the parameters.
    Raises   `UsageError` for an invalid grid, `NotComputed` QN767 where JMVA has no such analysis: it varies the load
             of one class, those of all by a factor, the mix of two classes, or demands at one station.
    """
    varied = grid(text, model)
    if len(varied.values) > MAX_VALUES:
        raise UsageError(Problem("QN010", f"the grid has more than {MAX_VALUES} points", help="use fewer values"))
    points = [demands_of(model, Items(), {varied.name: value}) for value in varied.values]
    analysis = _shape(points, base) and (_of_loads(points, base) or _of_demands(points, base))
    if not analysis:
        sentence = f'JMVA has no what-if analysis of the numbers that "{varied.name}" varies'
        expected = "the load of one class or of all, the mix of two, a think time, or demands at one station"
        raise NotComputed(Problem(REFUSED, sentence, expected, help="qnet sweep varies any parameter"))
    return analysis


def _shape(points: Sequence[DemandNetwork], base: DemandNetwork) -> bool:
    """Whether all networks have the same stations, servers, rates and priorities, and visit the same stations."""

    def shape(network: DemandNetwork) -> object:
        centres = [(c.name, c.servers, c.rates, [s.visits > 0 for s in c.services]) for c in network.centres]
        return centres, [(item.name, item.priority) for item in network.classes]

    return all(shape(point) == shape(base) for point in points)


def _varies(columns: Sequence[tuple[float, ...]], base: Sequence[float]) -> list[int]:
    """The indices of the numbers that differ from those of `base` at any point."""
    return [
        index
        for index, stated in enumerate(base)
        if any(abs(column[index] - stated) > 1e-12 * abs(stated) for column in columns)
    ]


def _factors(columns: Sequence[tuple[float, ...]], base: Sequence[float]) -> tuple[float, ...] | None:
    """The factor common to all nonzero numbers, by point; None where their factors differ."""
    used = [index for index, stated in enumerate(base) if stated]
    factors = [[column[index] / base[index] for index in used] for column in columns]
    if not used or any(max(each) - min(each) > 1e-9 * max(each) for each in factors):
        return None
    return tuple(each[0] for each in factors)


def _loads(network: DemandNetwork, key: str) -> tuple[float, ...]:
    return tuple(float(getattr(item, key) or 0.0) for item in network.classes)


def _demands(network: DemandNetwork) -> tuple[float, ...]:
    return tuple(float(s.time) * s.visits for centre in network.centres for s in centre.services)


def _of_loads(points: Sequence[DemandNetwork], base: DemandNetwork) -> Analysis | None:
    """An analysis of populations, arrival rates or think times; None where something else varies."""
    if _varies([_demands(point) for point in points], _demands(base)):
        return None
    varied: dict[str, list[int]] = {}
    for key in ("population", "arrival_rate", "think_time"):
        if indices := _varies([_loads(point, key) for point in points], _loads(base, key)):
            varied[key] = indices
    if len(varied) != 1:
        return None
    ((key, indices),) = varied.items()
    columns, stated = [_loads(point, key) for point in points], _loads(base, key)
    names = [item.name for item in base.classes]
    if len(indices) == 1:
        values = tuple(column[indices[0]] for column in columns)
        kind = {"population": "Number of Customers", "arrival_rate": "Arrival Rates"}.get(key, "Service Demands")
        return Analysis(kind, values, names[indices[0]], thinks=key == "think_time")
    if key == "think_time":
        return None
    total = sum(stated)
    if key == "population" and len(indices) == 2 and [n for n, value in enumerate(stated) if value] == indices:
        shares = tuple(column[indices[0]] / total for column in columns)
        if all(abs(sum(column) - total) < 1e-9 for column in columns):
            return Analysis("Population Mix", shares, names[indices[0]])
    factors = _factors(columns, stated)
    kind = "Number of Customers" if key == "population" else "Arrival Rates"
    return Analysis(kind, factors) if factors else None


def _of_demands(points: Sequence[DemandNetwork], base: DemandNetwork) -> Analysis | None:
    """An analysis of demands at one station; None where something else varies."""
    if any(_varies([_loads(p, key) for p in points], _loads(base, key))
           for key in ("population", "arrival_rate", "think_time")):  # fmt: skip
        return None
    count = len(base.classes)
    columns, stated = [_demands(point) for point in points], _demands(base)
    indices = _varies(columns, stated)
    rows = {index // count for index in indices}
    if len(rows) != 1:
        return None
    (row,) = rows
    station = base.centres[row].name
    if len(indices) == 1:
        name = base.classes[indices[0] % count].name
        return Analysis("Service Demands", tuple(column[indices[0]] for column in columns), name, station)
    inside = slice(row * count, (row + 1) * count)
    factors = _factors([column[inside] for column in columns], stated[inside])
    return Analysis("Service Demands", factors, station=station) if factors else None
