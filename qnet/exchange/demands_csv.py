"""Tables of service demands, `station,class,demand`, as users of PDQ (Gunther, Analyzing Computer System Performance
with Perl::PDQ, 2005) and spreadsheets keep them; further columns state loads and stations."""

from __future__ import annotations

import csv
import re
from typing import Any

from qnet.errors import InvalidInput, Problem, UsageError, printable, suggest
from qnet.exchange.demands import DemandCentre, DemandClass, DemandNetwork, Service, shown, written
from qnet.exchange.from_model import demands_of
from qnet.exchange.imported import MALFORMED, Converted, Items, Reading, integer, malformed, number, text_of
from qnet.model.model import Model
from qnet.units import UnitError, quantity

MAX_ROWS = 100_000
"""Any limit far above real tables works: it bounds time and memory."""
MAX_PAIRS = 200_000
"""Pairs of a station and a class."""
_OF_CLASSES = ("population", "think_time", "arrival_rate", "priority")
_COLUMNS = ("station", "class", "demand", "visits", "servers", "discipline", *_OF_CLASSES)
_TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0, "h": 3600.0}
_DISCIPLINES = ("delay", "fcfs", "ps", "lcfs-pr", "priority", "preemptive")
_PDQ = {"cen": "fcfs", "dly": "delay", "isrv": "fcfs", "pshr": "ps", "lcfs": "lcfs-pr", "queue": "fcfs"}
"""Names of disciplines and nodes in PDQ, with those of the model language."""


def read(raw: bytes, reading: Reading) -> Converted:
    """The model of a table of demands.

    Raises   `InvalidInput` QN760 for a file that is no such table, and for a class without a load; `UsageError` QN005
             for wrong loads among the options.
    """
    return _Reader(reading).converted(text_of(raw, reading.name))


def write(model: Model) -> Converted:
    """A model as a table of demands; `items` lists what the table cannot express."""
    items = Items()
    network = demands_of(model, items)
    rows: list[list[str]] = []
    for centre in network.centres:
        if centre.rates:
            items.lost(f"stations.{centre.name}.rates", "a table of demands has no load-dependent stations", True)
        for item, service in zip(network.classes, centre.services, strict=True):
            rows.append(_row(centre, item, service))
    lines = [",".join(_COLUMNS), *(",".join(map(_cell, row)) for row in rows)]
    return Converted("\n".join(lines) + "\n", items.all)


def _row(centre: DemandCentre, item: DemandClass, service: Service) -> list[str]:
    closed = item.population is not None
    discipline = "delay" if centre.delay else centre.discipline
    return [
        centre.name,
        item.name,
        shown(float(service.time) * service.visits),
        shown(service.visits),
        shown(float(centre.servers)),
        discipline,
        shown(float(item.population or 0)) if closed else "",
        shown(float(item.think_time)) if closed else "",
        "" if closed else shown(float(item.arrival_rate or 0)),
        shown(float(item.priority)),
    ]


def _cell(text: str) -> str:
    """A cell, in quotation marks where CSV needs them."""
    return '"' + text.replace('"', '""') + '"' if re.search(r'[",\n\r]|^#', text) else text


class _Reader:
    def __init__(self, reading: Reading) -> None:
        self.reading, self.name, self.items = reading, reading.name, Items()
        self.classes: dict[str, dict[str, tuple[str, int]]] = {}
        """Class -> column -> cell and line."""
        self.stations: dict[str, tuple[int, str]] = {}
        """Station -> servers and discipline."""
        self.services: dict[tuple[str, str], Service] = {}
        self.factor = 1.0

    def converted(self, text: str) -> Converted:
        """The model."""
        try:
            lines = ["" if line.startswith("#") else line for line in text.split("\n")]
            first = next((line for line in lines if line.strip()), "")
            sniffed = "," if "," in first else next((mark for mark in ";\t" if mark in first), ",")
            rows = list(csv.reader(lines, delimiter=sniffed, strict=True))
        except csv.Error as error:
            raise malformed(self.name, 0, f"not valid CSV: {error}", "a table of demands") from None
        kept = [(line, row) for line, row in enumerate(rows, 1) if any(row)]
        if len(kept) > MAX_ROWS:
            raise malformed(self.name, 0, "the table is too long", f"at most {MAX_ROWS} rows")
        if len(kept) < 2:
            raise malformed(self.name, 1, "there is no row of demands", "a header and rows: station,class,demand")
        columns = self._header(*kept[0])
        for line, row in kept[1:]:
            if len(row) != len(columns):
                raise malformed(self.name, line, f"{len(row)} cells", f"{len(columns)}, as in the header")
            self._row({column: cell.strip() for column, cell in zip(columns, row, strict=True)}, line)
        return self._written()

    def _header(self, line: int, row: list[str]) -> list[str]:
        columns: list[str] = []
        for cell in row:
            title = cell.strip().lower().replace(" ", "_")
            base, _, unit = title.rpartition("_")
            if base == "demand" and unit in _TIMES:
                title, self.factor = base, _TIMES[unit]
            columns.append(title)
            if title not in _COLUMNS:
                self.items.lost(f"{self.name}:{line}", f'the column "{printable(cell, 60)}" is left out; '
                                + (suggest(title, _COLUMNS) or f"known are {', '.join(_COLUMNS)}"))  # fmt: skip
        missing = [name for name in ("station", "demand") if name not in columns]
        if missing or len(set(columns)) < len(columns):
            found = f"there is no column {missing[0]}" if missing else "a column is repeated"
            raise malformed(self.name, line, found, "station,class,demand, each once")
        return columns

    def _row(self, cells: dict[str, str], line: int) -> None:
        station, customers = cells["station"], cells.get("class", "") or "requests"
        if not station:
            raise malformed(self.name, line, "the station has no name", "a name")
        demand = number(cells["demand"] or "0", self.name, line, "the demand") * self.factor
        visits = number(cells.get("visits") or "1", self.name, line, "the visits")
        if demand and not visits:
            raise malformed(self.name, line, "there is a demand without visits", "visits above 0")
        servers = integer(cells.get("servers") or "1", self.name, line, "the number of servers", 1)
        discipline = (cells.get("discipline") or "fcfs").lower()
        discipline = _PDQ.get(discipline, discipline)
        if discipline not in _DISCIPLINES:
            text = f'the discipline is "{printable(discipline, 60)}"'
            raise malformed(self.name, line, text, f"one of {', '.join(_DISCIPLINES)}")
        if self.stations.setdefault(station, (servers, discipline)) != (servers, discipline):
            text = f'the servers or the discipline of "{printable(station, 60)}" differ from an earlier row'
            raise malformed(self.name, line, text, "the same in all rows")
        if (station, customers) in self.services:
            raise malformed(self.name, line, "the pair of station and class is repeated", "one row for each pair")
        self.services[station, customers] = Service(demand / visits if visits else 0.0, visits if demand else 0.0)
        stated = self.classes.setdefault(customers, {})
        for column in _OF_CLASSES:
            cell = cells.get(column, "")
            if cell and stated.setdefault(column, (cell, line))[0] != cell:
                found = f'the {column} of "{printable(customers, 60)}" differs from an earlier row'
                raise malformed(self.name, line, found, "the same in all rows")

    def _written(self) -> Converted:
        given = self.reading
        for option, values in (("--population", given.populations), ("--arrival-rate", given.arrival_rates),
                               ("--think-time", given.think_times)):  # fmt: skip
            for name in values:
                if name and name not in self.classes:
                    help = suggest(name, list(self.classes))
                    raise UsageError(
                        Problem("QN005", f'{option}: there is no class "{printable(name, 60)}"', help=help)
                    )
        if len(self.classes) * len(self.stations) > MAX_PAIRS:
            raise malformed(self.name, 0, "there are too many stations and classes", f"{MAX_PAIRS} pairs of them")
        classes = [self._customers(name, stated) for name, stated in self.classes.items()]
        centres = [
            DemandCentre(
                name=name,
                delay=discipline == "delay",
                servers=servers,
                discipline="fcfs" if discipline == "delay" else discipline,
                services=tuple(self.services.get((name, item.name), Service(0.0, 0.0)) for item in classes),
            )
            for name, (servers, discipline) in self.stations.items()
        ]
        network = DemandNetwork(f"Service demands from {printable(self.name.rpartition('/')[2], 100)}",
                          tuple(centres), tuple(classes))  # fmt: skip
        return written(network, self.items, "s", "Written by qnet convert from a table of demands.")

    def _customers(self, name: str, stated: dict[str, tuple[str, int]]) -> DemandClass:
        """A class with the load that the table or the options state."""
        given = self.reading
        cell, line = stated.get("priority", ("0", 0))
        priority = integer(cell, self.name, line, "the priority")
        rate: Any = given.arrival_rates.get(name)
        population: Any = given.populations.get(name)
        if rate is None and population is None and "arrival_rate" not in stated and "population" not in stated:
            rate, population = given.arrival_rates.get(""), given.populations.get("")
        if rate is not None and population is not None:
            text = f'class "{printable(name, 60)}" has a population and an arrival rate'
            raise UsageError(Problem("QN005", text, "one of them"))
        think: Any = given.think_times.get(name)
        if think is None and "think_time" not in stated:
            think = given.think_times.get("")
        if think is None and "think_time" in stated and population is None and "population" not in stated:
            where = f"{self.name}:{stated['think_time'][1]}"
            self.items.lost(where, f'the think time of "{printable(name, 60)}" is left out, which is an open class')
        if rate is not None:
            return DemandClass(name, arrival_rate=_checked(rate, "/s", "--arrival-rate"), priority=priority)
        closed = population is not None or ("population" in stated and bool(stated["population"][0]))
        if not closed and "arrival_rate" in stated:
            cell, line = stated["arrival_rate"]
            value = number(cell, self.name, line, "the arrival rate")
            return DemandClass(name, arrival_rate=value, priority=priority)
        if not closed:
            found = f'class "{printable(name, 60)}" has no load'
            help = f"--population {name}=NUMBER or --arrival-rate {name}=RATE states one"
            raise InvalidInput(Problem(MALFORMED, found, "a population or an arrival rate", help=help, file=self.name))
        if "population" in stated and "arrival_rate" in stated and population is None:
            found = f'class "{printable(name, 60)}" has a population and an arrival rate'
            raise malformed(self.name, stated["population"][1], found, "one of them")
        cell, line = (population, 0) if population is not None else stated["population"]
        customers = float(integer(cell, self.name, line, "the population"))
        time: float | str = 0.0
        if think is not None:
            time = _checked(think, "s", "--think-time")
        elif "think_time" in stated:
            cell, line = stated["think_time"]
            time = number(cell, self.name, line, "the think time")
        return DemandClass(name, population=customers, think_time=time, priority=priority)


def _checked(text: str, unit: str, option: str) -> float | str:
    """The value of an option in base units, in which a plain number is taken to be; raises `UsageError` QN005."""
    try:
        value, dimension = quantity(text)
        wanted = quantity(f"1{unit}")[1]
        plain = quantity("1")[1]
    except UnitError as error:
        raise UsageError(Problem("QN005", f'{option} "{printable(text, 60)}": {error}', f"such as 2{unit}")) from None
    if dimension not in (wanted, plain) or not value >= 0:
        raise UsageError(Problem("QN005", f'{option} "{printable(text, 60)}" has another unit', f"such as 2{unit}"))
    return float(value)
