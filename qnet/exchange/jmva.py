"""JMVA: the XML of the exact solver of the Java Modelling Tools (Bertoli, Casale, Serazzi 2009), and of qnsolver.

Follows the files that JMT itself writes, which contain more than its schema `JMTmodel.xsd` allows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from qnet.errors import NotComputed, Problem, UsageError, printable
from qnet.exchange.demands import DemandCentre, DemandClass, DemandNetwork, Service, shown, written
from qnet.exchange.from_model import demands_of
from qnet.exchange.imported import REFUSED, Converted, Items, Reading, integer, malformed, number, unused_name
from qnet.exchange.what_if import Analysis, analysis
from qnet.exchange.xml_tree import Element, parse_xml
from qnet.model.model import Model

MAX_SERVICES = 200_000
"""Service times of a file: stations times classes."""
MAX_RATES = 100_000
"""Service times of a load-dependent station, one for each number of customers."""
_STATIONS = {
    "delaystation": "delay",
    "listation": "fcfs",
    "ldstation": "ld",
    "prsstation": "preemptive",
    "holstation": "priority",
}
_WRITTEN = {"priority": "holstation", "preemptive": "prsstation"}
_THINK = "think"
_SCHEMA = "http://www.w3.org/2001/XMLSchema-instance"
_METHODS = {
    "bard-schweitzer": "bard-schweitzer",
    "chow": "bard-schweitzer",
    "linearizer": "linearizer",
    "de souza-muntz linearizer": "linearizer",
    "aql": "aql",
    "mva": "mva",
    "recal": "convolution",
}
"""Algorithms of JMVA and the nearest method of qnet."""
_KNOWN = {
    "closedclass": {"name", "population", "priority", "thinktime"},
    "openclass": {"name", "rate", "priority"},
    **{name: {"name", "servers"} for name in _STATIONS},
}
_PLAIN = {
    "model", "description", "parameters", "classes", "stations", "servicetimes", "servicetime", "visits", "visit",
    "ReferenceStation", "Class", "algParams", "algType", "compareAlgs", "whatIfAlg", "whatIf", *_KNOWN,
}  # fmt: skip

_SPELLED = {name.lower(): name for name in _PLAIN}


def read(raw: bytes, reading: Reading) -> Converted:
    """The model of a JMVA file in the model language; raises `InvalidInput` QN760 for a file that is no JMVA,
    `NotComputed` QN767 for load-dependent stations that the language cannot express."""
    root = parse_xml(raw, reading.name)
    for element in root.walk():  # qnsolver does not distinguish capital letters.
        element.name = _SPELLED.get(element.name.lower(), element.name)
    items = Items()
    return _Reader(root, reading, items).converted()


def write(model: Model, over: Sequence[str] = ()) -> Converted:
    """A model as a JMVA file; `items` lists what the file cannot express.

    over     at most one grid `NAME=VALUES`, which becomes a what-if analysis.
    Raises   `UsageError` for several grids or an invalid one, `NotComputed` QN767 where JMVA has no such analysis.
    """
    items = Items()
    network = demands_of(model, items)
    analyses = [analysis(model, text, network) for text in over]
    if len(analyses) > 1:
        raise UsageError(Problem("QN005", "--over is given several times", "once: JMVA makes one analysis"))
    return Converted(_Writer(network, items, analyses).text(), items.all)


class _Reader:
    def __init__(self, root: Element, reading: Reading, items: Items) -> None:
        self.root, self.reading, self.items = root, reading, items
        self.name, self.unit = reading.name, reading.time_unit
        self.parameters: dict[str, Any] = {}
        self.heading: list[str] = ["Written by qnet convert from JMVA."]

    def converted(self) -> Converted:
        """The model."""
        if self.root.name != "model":
            raise malformed(self.name, 1, f"the root element is <{printable(self.root.name, 60)}>", "<model> of JMVA")
        elements = self.root.inside(*_STATIONS)
        classes = [self._customers(element) for element in self.root.inside("closedclass", "openclass")]
        if not classes or not elements:
            raise malformed(self.name, self.root.line, "there are no classes or no stations", "some of both")
        self._refuse_twice([(item.attributes.get("name", ""), item.line) for item in elements])
        self._refuse_twice([(item.name, self.root.line) for item in classes])
        if len(elements) * len(classes) > MAX_SERVICES:
            raise malformed(self.name, 0, "there are too many stations and classes", f"{MAX_SERVICES} service times")
        centres = [self._centre(element, classes) for element in elements]
        network = DemandNetwork(self._title(), tuple(centres), tuple(classes))
        network = self._what_if(self._thinking(network))
        self._list_left_out()
        network = network.replace(parameters=self.parameters)
        return written(network, self.items, self.unit, "\n".join(self.heading))

    def _where(self, element: Element) -> str:
        return f"{self.name}:{element.line}"

    def _refuse_twice(self, names: list[tuple[str, int]]) -> None:
        known: set[str] = set()
        for name, line in names:
            if name in known or not name.strip():
                found = f'the name "{printable(name, 60)}" is repeated' if name else "a name is missing"
                raise malformed(self.name, line, found, "a different name for every class and station")
            known.add(name)

    def _title(self) -> str:
        """The first line of the description."""
        element = self.root.first("description")
        text = element.text if element else ""
        first = text.split("\n")[0].strip()
        title = printable(first, 200)
        if text and element and title != text:
            self.items.lost(self._where(element), "of the description only the first line is kept, as the title")
        return title

    def _customers(self, element: Element) -> DemandClass:
        self._attributes(element)
        given, line = element.attributes, element.line
        name = given.get("name", "")
        priority = integer(given.get("priority", "0"), self.name, line, "the priority")
        if element.name == "openclass":
            rate = number(given.get("rate", ""), self.name, line, "the rate")
            return DemandClass(name, arrival_rate=rate, priority=priority)
        population = integer(given.get("population", ""), self.name, line, "the population")
        think = number(given.get("thinktime", "0"), self.name, line, "the think time")
        return DemandClass(name, population=float(population), think_time=think, priority=priority)

    def _attributes(self, element: Element) -> None:
        for key in element.attributes:
            if key not in _KNOWN[element.name]:
                self.items.lost(self._where(element), f'the attribute "{printable(key, 60)}" is not known')

    # Stations

    def _centre(self, element: Element, classes: list[DemandClass]) -> DemandCentre:
        """A station. Service times and visits are read in the order of the classes."""
        self._attributes(element)
        count, line = len(classes), element.line
        visits = [number(item.text, self.name, item.line, "the visits") for item in element.inside("visit")]
        if not element.first("visits"):
            visits = [1.0] * count
            self.items.kept(self._where(element), "there are no visits: one for every class")
        servers = self._servers(element)
        times = [item for item in element.inside("servicetime", "servicetimes") if not item.children]
        if len(times) != count or len(visits) != count:
            found = f"{len(times)} service times and {len(visits)} visits of {count} classes"
            raise malformed(self.name, line, found, "one of each class, in the order of the classes")
        self._refuse_other_order(element, classes)
        kind = _STATIONS[element.name]
        rates: tuple[float, ...] = ()
        if kind == "ld":
            lists = [self._list(item) for item in times]
            means, rates, servers = self._load_dependent(element, lists, servers, classes)
        else:
            means = [number(item.text, self.name, item.line, "the service time") for item in times]
        services = tuple(Service(time, visit) for time, visit in zip(means, visits, strict=True))
        name = element.attributes.get("name", "")
        discipline = "fcfs" if kind in ("ld", "delay") else kind
        return DemandCentre(name, kind == "delay", servers, discipline, rates, services)

    def _servers(self, element: Element) -> int:
        text = element.attributes.get("servers", "1")
        if element.name == "delaystation":
            return 1
        return integer(text, self.name, element.line, "the number of servers", 1)

    def _refuse_other_order(self, element: Element, classes: list[DemandClass]) -> None:
        """Refuse service times and visits in another order than that of the classes, because they are read by
        position."""
        for group in element.inside("servicetimes", "visits"):
            named = [child.attributes.get("customerclass") for child in group.children if not child.children]
            self._refuse_unknown(filter(None, named), classes, group)
            if named and [name or item.name for name, item in zip(named, classes, strict=False)] != [
                item.name for item in classes
            ]:
                raise malformed(self.name, group.line, "the classes are in another order than in <classes>",
                                "the same order", "JMVA reads service times and visits by position")  # fmt: skip

    def _refuse_unknown(self, named: Iterable[str], classes: Sequence[DemandClass], element: Element) -> None:
        known = {item.name for item in classes}
        for name in named:
            if name not in known:
                raise malformed(self.name, element.line, f'there is no class "{printable(name, 60)}"', "a class")

    def _list(self, element: Element) -> list[float]:
        parts = [part for part in element.text.split(";") if part.strip()]
        if len(parts) > MAX_RATES:
            raise malformed(self.name, element.line, f"{len(parts)} service times", f"at most {MAX_RATES}")
        return [number(part, self.name, element.line, "the service time") for part in parts]

    def _load_dependent(
        self, element: Element, lists: list[list[float]], servers: int, classes: list[DemandClass]
    ) -> tuple[list[float], tuple[float, ...], int]:
        """The service times by class of one customer alone, the relative capacities, and the number of servers."""
        line = element.line
        means = [values[0] if values else 0.0 for values in lists]
        if all(len(values) <= 1 for values in lists):
            if servers > 1:
                self.items.kept(self._where(element), f"a load-dependent station of {servers} servers, as qnsolver has")
            return means, (), servers
        if servers > 1:
            self.items.lost(self._where(element), "the number of servers of a load-dependent station is not used")
        total = sum(int(item.population or 0) for item in classes if isinstance(item.population, (int, float)))
        if any(item.arrival_rate for item in classes):
            raise malformed(self.name, line, "a load-dependent station has open classes", "closed classes only")
        curves = [values for values in lists if any(values)]
        if any(min(values) <= 0 or len(values) < total for values in curves):
            found = "a list of service times is too short, or has a 0"
            raise malformed(self.name, line, found, f"{total} times above 0, as many as customers")
        rates = [tuple(values[0] / value for value in values[:total]) for values in curves]
        for other in rates[1:]:
            if any(abs(one - two) > 1e-9 * one for one, two in zip(rates[0], other, strict=True)):
                found = f'the service times of "{element.attributes.get("name", "")}" grow differently by class'
                help = "the model language has one curve of capacity for all classes of a station"
                raise NotComputed(Problem(REFUSED, found, "one curve", help=help, file=self.name, line=line))
        return means, rates[0] if rates else (), 1

    # Loads

    def _thinking(self, network: DemandNetwork) -> DemandNetwork:
        """The network with the times at reference stations that are delays as think times of their closed classes."""
        references = self.root.first("ReferenceStation")
        by_class = {item.attributes.get("name", ""): item for item in references.children} if references else {}
        if references:
            self._refuse_unknown(by_class, network.classes, references)
        centres, classes = list(network.centres), list(network.classes)
        for index, item in enumerate(classes):
            element = by_class.get(item.name)
            if element is None or item.population is None:
                continue
            station = element.attributes.get("refStation", "")
            row = next((number for number, centre in enumerate(centres) if centre.name == station), None)
            if row is None:
                raise malformed(self.name, element.line, f'there is no station "{printable(station, 60)}"', "a station")
            centre = centres[row]
            visits = centre.services[index].visits
            if visits != 1:
                self.items.kept(self._where(element), f'passages are counted by visits of 1, of which "{station}" has '
                                f"{shown(visits)}")  # fmt: skip
            if not centre.delay:
                self.items.kept(self._where(element), f'the response time includes the reference station "{station}"')
                continue
            self.items.kept(self._where(element), f'the time at "{station}" is the think time of "{item.name}"')
            time = float(centre.services[index].time) * visits + float(item.think_time)
            classes[index] = item.replace(think_time=time)
            services = list(centre.services)
            services[index] = Service(0.0, 0.0)
            centres[row] = centre.replace(services=tuple(services))
        used = [c for c in centres if not c.delay or any(s.visits and s.time for s in c.services)]
        return network.replace(centres=tuple(used or centres), classes=tuple(classes))

    # What-if analyses

    def _what_if(self, network: DemandNetwork) -> DemandNetwork:
        """The network with a parameter for each analysis; the heading gets the commands that vary them."""
        for position, element in enumerate(self.root.inside("whatIf"), 1):
            suffix = "" if position == 1 else f"_{position}"
            network = self._varied(network, element, suffix)
        return network

    def _varied(self, network: DemandNetwork, element: Element, suffix: str) -> DemandNetwork:
        kind, given = element.attributes.get("type", ""), element.attributes
        values = [number(part, self.name, element.line, "a value") for part in given.get("values", "").split(";")
                  if part.strip()]  # fmt: skip
        name, station = given.get("className"), given.get("stationName")
        known = {item.name: index for index, item in enumerate(network.classes)}
        if not values or (name is not None and name not in known):
            raise malformed(self.name, element.line, "a what-if analysis has no values, or an unknown class",
                            "values, and the name of a class")  # fmt: skip
        index = None if name is None else known[name]
        change = {
            "Arrival Rates": self._vary_rates,
            "Number of Customers": self._vary_populations,
            "Customer Numbers": self._vary_populations,
            "Population Mix": self._vary_mix,
            "Service Demands": self._vary_demands,
            "Service Times": self._vary_demands,
        }.get(kind)
        result = change(network, index, station, suffix) if change else None
        if result is None:
            self.items.lost(self._where(element), f'the what-if analysis "{printable(kind, 60)}" is left out')
            return network
        changed, parameter, unit = result
        over = ",".join(f"{shown(value)}{unit}" for value in values)
        if len(over) > 4000:
            over = f"{shown(min(values))}{unit}:{shown(max(values))}{unit}"
        command = f"qnet sweep ./FILE --over {parameter}={over}"
        self.heading.append(f"What-if analysis: {command}")
        self.items.kept(self._where(element), f"the what-if analysis is: {command}")
        return changed

    def _vary_rates(self, network: DemandNetwork, index: int | None, station: str | None, suffix: str) -> Any:
        """Arrival rates: of one class, or all of them times a factor."""
        classes = list(network.classes)
        chosen = [index] if index is not None else [n for n, c in enumerate(classes) if c.arrival_rate is not None]
        if not chosen or any(classes[n].arrival_rate is None for n in chosen):
            return None
        unit = f"/{self.unit}"
        name = f"what_if_rate{suffix}" if index is not None else f"what_if_factor{suffix}"
        self.parameters[name] = (
            f"{shown(float(classes[chosen[0]].arrival_rate or 0))}{unit}" if index is not None else 1
        )
        for row in chosen:
            rate = f"{shown(float(classes[row].arrival_rate or 0))}{unit}"
            text = name if index is not None else f"{name} * {rate}"
            classes[row] = classes[row].replace(arrival_rate=text)
        return network.replace(classes=tuple(classes)), name, unit if index is not None else ""

    def _vary_populations(self, network: DemandNetwork, index: int | None, station: str | None, suffix: str) -> Any:
        """Populations: of one class, or all of them times a factor, rounded."""
        classes = list(network.classes)
        chosen = [index] if index is not None else [n for n, c in enumerate(classes) if c.population is not None]
        if not chosen or any(classes[n].population is None for n in chosen):
            return None
        if any(centre.rates for centre in network.centres):
            self.items.kept("", "beyond the stated population a load-dependent station keeps its last capacity")
        name = f"what_if_customers{suffix}" if index is not None else f"what_if_factor{suffix}"
        self.parameters[name] = int(float(classes[chosen[0]].population or 0)) if index is not None else 1
        for row in chosen:
            customers = int(float(classes[row].population or 0))
            text = name if index is not None else f"floor({name} * {customers} + 0.5)"
            classes[row] = classes[row].replace(population=text)
        return network.replace(classes=tuple(classes)), name, ""

    def _vary_mix(self, network: DemandNetwork, index: int | None, station: str | None, suffix: str) -> Any:
        """The share of one of two closed classes."""
        classes = list(network.classes)
        closed = [n for n, item in enumerate(classes) if item.population is not None]
        if index not in closed or len(closed) != 2:
            return None
        other = next(n for n in closed if n != index)
        varied = float(classes[index or 0].population or 0)
        total = int(varied + float(classes[other].population or 0))
        name = f"what_if_share{suffix}"
        self.parameters[name] = {"value": varied / total if total else 0, "range": [0, 1]}
        rounded = f"floor({name} * {total} + 0.5)"
        classes[index or 0] = classes[index or 0].replace(population=rounded)
        classes[other] = classes[other].replace(population=f"{total} - {rounded}")
        return network.replace(classes=tuple(classes)), name, ""

    def _vary_demands(self, network: DemandNetwork, index: int | None, station: str | None, suffix: str) -> Any:
        """The demand of one class at a station, or those of all classes there times a factor."""
        row = next((n for n, centre in enumerate(network.centres) if centre.name == station), None)
        name = f"what_if_demand{suffix}" if index is not None else f"what_if_factor{suffix}"
        if row is None:
            return self._vary_think(network, index, station, name)
        centre = network.centres[row]
        services = list(centre.services)
        if index is None:
            self.parameters[name] = 1
            services = [
                s.replace(time=f"{name} * {shown(float(s.time))} {self.unit}") if s.time else s for s in services
            ]
        else:
            service = services[index]
            visits = service.visits or 1.0
            self.parameters[name] = f"{shown(float(service.time) * visits)} {self.unit}"
            text = name if visits == 1 else f"{name} / {shown(visits)}"
            services[index] = Service(text, visits)
        centres = list(network.centres)
        centres[row] = centre.replace(services=tuple(services))
        unit = "" if index is None else self.unit
        return network.replace(centres=tuple(centres)), name, unit

    def _vary_think(self, network: DemandNetwork, index: int | None, station: str | None, name: str) -> Any:
        """The think time that was the delay of a reference station."""
        references = self.root.first("ReferenceStation")
        named = {item.attributes.get("name"): item.attributes.get("refStation")
                 for item in (references.children if references else [])}  # fmt: skip
        classes = list(network.classes)
        if index is None or named.get(classes[index].name) != station:
            return None
        self.parameters[name] = f"{shown(float(classes[index].think_time))} {self.unit}"
        classes[index] = classes[index].replace(think_time=name)
        return network.replace(classes=tuple(classes)), name, self.unit

    # The rest

    def _list_left_out(self) -> None:
        """List the elements that a model cannot express."""
        for element in self._unknown():
            changes = element.name.lower() == "coefficientsofvariation"
            self.items.lost(self._where(element), f"<{printable(element.name, 60)}> is left out", changes)
        algorithm = self.root.first("algType")
        if algorithm is not None and (name := algorithm.attributes.get("name", "")).lower() not in ("mva", ""):
            method = _METHODS.get(name.lower(), "")
            advice = f"; qnet solve --method {method} is the nearest" if method else ""
            self.items.lost(self._where(algorithm), f'the algorithm "{printable(name, 60)}" is left out{advice}')
        for element in self.root.inside("compareAlgs"):
            if element.attributes.get("value") == "true":
                self.items.lost(self._where(element), "the comparison of algorithms is left out: qnet compare does it")

    def _unknown(self) -> Iterator[Element]:
        """The outermost elements that are not read."""
        waiting = [self.root]
        while waiting:
            element = waiting.pop()
            if element.name not in _PLAIN:
                yield element
            else:
                waiting += reversed(element.children)


_REPLACED = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class _Writer:
    """Writes the elements in the order in which JMT does."""

    def __init__(self, network: DemandNetwork, items: Items, analyses: Sequence[Analysis]) -> None:
        self.network, self.items, self.analyses = network, items, analyses
        self.closed = [item for item in network.classes if item.population is not None]
        self.total = int(sum(float(item.population or 0) for item in self.closed))
        self.centres = list(network.centres)
        self.think = ""

    def text(self) -> str:
        """The file."""
        if self.closed:
            self._add_think()
        lines = [
            '<?xml version="1.0" encoding="UTF-8" standalone="no"?>',
            f'<model xmlns:xsi="{_SCHEMA}" xsi:noNamespaceSchemaLocation="JMTmodel.xsd">',
            f"  <description>{_escaped(self.network.title)}</description>",
            "  <parameters>",
            f'    <classes number="{len(self.network.classes)}">',
            *(f"      {self._class(item)}" for item in self.network.classes),
            "    </classes>",
            f'    <stations number="{len(self.centres)}">',
            *(f"      {line}" for centre in self.centres for line in self._centre(centre)),
            "    </stations>",
            f'    <ReferenceStation number="{len(self.network.classes)}">',
            *(f"      {self._reference(item)}" for item in self.network.classes),
            "    </ReferenceStation>",
            "  </parameters>",
            '  <algParams><algType maxSamples="10000" name="MVA" tolerance="1.0E-7"/>'
            '<compareAlgs value="false"/></algParams>',
            *(f"  {self._what_if(item)}" for item in self.analyses),
            "</model>",
        ]
        return "\n".join(lines) + "\n"

    def _add_think(self) -> None:
        """Add a delay station of the think times, the reference station of the closed classes."""
        self.think = unused_name(_THINK, {centre.name for centre in self.centres})
        services = tuple(
            Service(item.think_time, 1.0) if item.population is not None else Service(0.0, 0.0)
            for item in self.network.classes
        )
        self.centres.insert(0, DemandCentre(self.think, delay=True, services=services))

    def _what_if(self, item: Analysis) -> str:
        station = self.think if item.thinks else item.station
        parts = [f"className={_attribute(item.class_name)}"] if item.class_name else []
        parts += [f"stationName={_attribute(station)}"] if station else []
        parts += [f'type="{item.kind}"', f'values="{";".join(map(shown, item.values))}"']
        return f"<whatIf {' '.join(parts)}/>"

    def _class(self, item: DemandClass) -> str:
        name, priority = _attribute(item.name), f'priority="{item.priority}"'
        if item.population is None:
            return f"<openclass name={name} rate={_attribute(shown(float(item.arrival_rate or 0)))} {priority}/>"
        return f'<closedclass name={name} population="{int(float(item.population))}" {priority}/>'

    def _reference(self, item: DemandClass) -> str:
        station = "Arrival Process" if item.population is None else self.think
        return f"<Class name={_attribute(item.name)} refStation={_attribute(station)}/>"

    def _centre(self, centre: DemandCentre) -> Iterator[str]:
        where = f"stations.{centre.name}"
        element, servers = "listation", f' servers="{centre.servers}"'
        rates: tuple[float, ...] = ()
        if centre.delay:
            element, servers = "delaystation", ""
        elif centre.rates:
            if len(self.closed) < len(self.network.classes) or not self.total:
                self.items.lost(f"{where}.rates", "JMVA has load-dependent stations in closed networks only", True)
            elif self.total > MAX_RATES:
                self.items.lost(f"{where}.rates", f"JMVA has a value for each of {self.total} customers", True)
            else:
                element, servers = "ldstation", ' servers="1"'
                rates = tuple(centre.rates[min(number, len(centre.rates) - 1)] for number in range(self.total))
                if centre.discipline in _WRITTEN:
                    self.items.lost(where, "a load-dependent station has no priorities", True)
        elif centre.discipline in _WRITTEN:
            element = _WRITTEN[centre.discipline]
        yield f"<{element} name={_attribute(centre.name)}{servers}>"
        yield "  <servicetimes>"
        for item, service in zip(self.network.classes, centre.services, strict=True):
            time = float(service.time)
            inner, text = "servicetime", shown(time)
            if rates:
                inner, text = "servicetimes", ";".join(shown(time / rate) for rate in rates)
            yield f"    <{inner} customerclass={_attribute(item.name)}>{text}</{inner}>"
        yield "  </servicetimes>"
        yield "  <visits>"
        for item, service in zip(self.network.classes, centre.services, strict=True):
            yield f"    <visit customerclass={_attribute(item.name)}>{shown(service.visits)}</visit>"
        yield "  </visits>"
        yield f"</{element}>"


def _escaped(text: str) -> str:
    plain = _REPLACED.sub(" ", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return plain.replace("\r", "&#13;")


def _attribute(text: str) -> str:
    return '"' + _escaped(text).replace('"', "&quot;").replace("\n", "&#10;").replace("\t", "&#9;") + '"'
