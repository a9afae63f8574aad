"""Short words for networks in tests: stations, routes, classes, and figures by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.networks.routed import Group, Hold, OpenClass, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.solution import RoutedSolution, StationFigures


def station(name: str, servers: int = 1, discipline: str = "fcfs", copies: int = 1, follows: str = "") -> Station:
    """A queueing station whose copies share the work evenly."""
    return Station(name, False, servers, discipline, (Group(name, copies, 1 / copies),), follows)


def split(name: str, groups: Sequence[tuple[int, float]], servers: int = 1, follows: str = "") -> Station:
    """A station of groups of copies, each given by its number of copies and the share of all visits it gets."""
    parts = (Group(f"{name}{number}", copies, share / copies) for number, (copies, share) in enumerate(groups))
    return Station(name, False, servers, "fcfs", tuple(parts), follows)


def delay(name: str) -> Station:
    """A station with a server for everyone."""
    return Station(name, True, 1, "fcfs", (Group(name, 1, 1.0),))


def visit(name: str, time: Any, scv: Any = 1.0, **options: Any) -> Hold:
    """Wait at a station, be served, leave."""
    return Hold(name, (Time(time, scv),), **options)


def customers(rate: Any, *steps: Step, name: str = "c") -> OpenClass:
    """A class with one route."""
    return OpenClass(name, rate, (Route("r", 1.0, steps),))


def network(stations: Sequence[Station], *classes: OpenClass, size: int | None = None) -> RoutedNetwork:
    """A network without further limits."""
    return RoutedNetwork(tuple(stations), classes, (), size)


def scaled(model: RoutedNetwork, factor: Any) -> RoutedNetwork:
    """The network with every arrival rate multiplied by a factor, everything else as it is."""
    return model.replace(classes=tuple(item.replace(arrival_rate=item.arrival_rate * factor) for item in model.classes))


def at_station(solution: RoutedSolution, label: str) -> StationFigures:
    """The figures of a station group."""
    return next(item for item in solution.stations if item.label == label)


def close(found: Any, wanted: Any, tolerance: float = 1e-12) -> bool:
    """Whether two numbers agree, relative to the larger one."""
    return bool(abs(found - wanted) <= tolerance * max(abs(found), abs(wanted)))
