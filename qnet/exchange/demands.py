"""Networks as JMVA and tables of demands state them: stations with service times and visits of classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any

from qnet.exchange.imported import Converted, Items
from qnet.model.fields import TABLES
from qnet.model.from_data import document_from
from qnet.model.tidy import tidy
from qnet.record import Record


class Service(Record):
    """The service of one class at one station."""

    time: float | str
    """Service time of a visit, in the time unit of the file; a text is an expression of the model language."""
    visits: float
    """Visits per passage."""


class DemandCentre(Record):
    """A station, or one copy of a station."""

    name: str
    delay: bool = False
    servers: int = 1
    discipline: str = "fcfs"
    rates: tuple[float, ...] = ()
    """Relative capacity with 1, 2, ... present; empty: that of the servers."""
    services: tuple[Service, ...] = ()
    """By class."""


class DemandClass(Record):
    """A class: closed with a population, or open with an arrival rate. Texts are expressions of the model language."""

    name: str
    population: float | str | None = None
    arrival_rate: float | str | None = None
    think_time: float | str = 0.0
    priority: int = 0


class DemandNetwork(Record):
    """A network."""

    title: str
    centres: tuple[DemandCentre, ...]
    classes: tuple[DemandClass, ...]
    parameters: Mapping[str, Any] = {}
    """The table `[parameters]` for its expressions."""


def ranks(priorities: Iterable[int]) -> Mapping[int, int]:
    """Priorities of other formats, each with one of the model language, in the same order, from 0 on.

    priorities  from 0 on.
    """
    stated, highest = sorted({0, *priorities}), TABLES["class"]["priority"].high
    assert highest is not None
    return dict(zip(stated, count() if stated[-1] > highest else stated, strict=False))


def written(network: DemandNetwork, items: Items, time_unit: str, heading: str) -> Converted:
    """The network in the model language.

    A station of discipline `fcfs` whose service times differ by class becomes one of processor sharing, because the
    formats read here mean product-form stations.

    time_unit   the unit of its times; rates are per that unit.
    heading     lines of the comment at the beginning.
    """
    data: dict[str, Any] = {"qnet": 1, "title": network.title or "A queueing network"}
    if network.parameters:
        data["parameters"] = dict(network.parameters)
    data["stations"] = {centre.name: _station(centre, items) for centre in network.centres}
    data["classes"] = {item.name: _class(network, index, time_unit) for index, item in enumerate(network.classes)}
    document = document_from(data, "<converted>")
    text = tidy(document.text, "<converted>")
    return Converted("".join(f"# {line}\n" for line in heading.split("\n") if line) + text, items.all)


def _station(centre: DemandCentre, items: Items) -> dict[str, Any]:
    if centre.delay:
        return {"delay": True}
    times = {item.time for item in centre.services if item.visits and item.time != 0}
    discipline = centre.discipline
    if discipline == "fcfs" and len(times) > 1:
        discipline = "ps"
        items.kept(f"stations.{centre.name}", "service times differ by class, so that product form means processor "
                   'sharing: discipline = "ps"')  # fmt: skip
    table: dict[str, Any] = {} if discipline == "fcfs" else {"discipline": discipline}
    if centre.servers > 1:
        table["servers"] = centre.servers
    if centre.rates:
        table["rates"] = list(centre.rates)
    return table


def _class(network: DemandNetwork, index: int, time_unit: str) -> dict[str, Any]:
    item = network.classes[index]
    table: dict[str, Any] = {}
    if item.arrival_rate is not None:
        rate = item.arrival_rate
        table["arrival_rate"] = rate if isinstance(rate, str) else f"{shown(rate)}/{time_unit}"
    else:
        population = item.population or 0
        table["population"] = int(population) if isinstance(population, float) else population
        if item.think_time:
            table["think_time"] = quantity(item.think_time, time_unit)
    if any(centre.discipline in ("priority", "preemptive") for centre in network.centres):
        table["priority"] = ranks(each.priority for each in network.classes)[item.priority]
    table["steps"] = [
        {"station": centre.name, **_visits(service.visits), "time": quantity(service.time, time_unit)}
        for centre in network.centres
        for service in centre.services[index : index + 1]
        if service.visits and (service.time or isinstance(service.time, str))
    ]
    if not table["steps"]:
        table["steps"] = [{"delay": f"0 {time_unit}"}]
    return table


def _visits(visits: float) -> dict[str, Any]:
    return {} if visits == 1 else {"visits": int(visits) if visits == int(visits) else visits}


def quantity(value: float | str, unit: str) -> str:
    """A number with its unit; an expression unchanged."""
    return value if isinstance(value, str) else f"{shown(value)} {unit}"


def shown(value: float) -> str:
    """The shortest text that is read as the same number."""
    return str(int(value)) if value == int(value) and value < 1e15 else repr(value)
