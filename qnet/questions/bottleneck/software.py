"""Software bottlenecks: stations whose servers are nearly all held, mostly at stations inside that are not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from qnet.networks.routed import Hold, RoutedNetwork, Step
from qnet.networks.solution import RoutedSolution, StationFigures
from qnet.networks.work import NetworkWork
from qnet.record import Record

_BUSY = 0.8
"""The utilization from which on servers are nearly all busy."""
_MOST = 0.5
"""The share of a hold spent at other stations from which on they may be its cause: a majority, a choice."""


class Software(Record):
    """A software bottleneck."""

    name: str
    label: str
    servers: int
    utilization: float
    inside: float
    """The share of the time its servers are held that is spent waiting for stations inside and being served there."""
    at: str
    """The station inside where most of that is spent."""
    busiest: str
    """The station inside with the largest utilization."""
    busiest_utilization: float


def software(network: RoutedNetwork, solution: RoutedSolution, asked: NetworkWork) -> tuple[Software, ...]:
    """The software bottlenecks of a solved point.

    network   with holds; its solution; and what is asked of its stations without waits.
    Returns   stations with at least 80 % of their servers held, for the most part at stations inside that are less than
              80 % busy. Work after the response at the station itself counts as inside.
    Source    @neilson1995
    """
    inside = _inside(network)
    particular: dict[str, float] = {}
    for item, route in zip(asked.routes, _throughputs(network, solution), strict=True):
        for label, time in item.service.items():
            particular[label] = particular.get(label, 0.0) + float(route * time)
    result: list[Software] = []
    for item in solution.stations:
        within = [other for other in solution.stations if other.name in inside.get(item.name, ())
                  and other.utilization is not None]  # fmt: skip
        busy = float(item.busy_servers)
        if not within or item.utilization is None or item.utilization < _BUSY or busy <= 0:
            continue
        share = 1.0 - min(particular.get(item.label, 0.0) / busy, 1.0)
        most = max(within, key=_used)
        if share >= _MOST and _used(most) < min(_BUSY, float(item.utilization)):
            at = max(within, key=lambda other: float(other.queue_length))
            result.append(
                Software(
                    name=item.name,
                    label=item.label,
                    servers=item.servers or 1,
                    utilization=float(item.utilization),
                    inside=share,
                    at=at.label,
                    busiest=most.label,
                    busiest_utilization=_used(most),
                )
            )
    return tuple(result)


def _used(item: StationFigures) -> float:
    return float(item.utilization or 0.0)


def _throughputs(network: RoutedNetwork, solution: RoutedSolution) -> Iterator[float]:
    """Passages per second of every route, in the order of the network."""
    for item, figures in zip(network.classes, solution.classes, strict=True):
        for route in item.routes:
            yield float(figures.throughput) * float(route.probability)


def _inside(network: RoutedNetwork) -> Mapping[str, set[str]]:
    """By station: all that are asked while it is held."""
    result: dict[str, set[str]] = {}

    def walk(steps: Sequence[Step], around: tuple[str, ...]) -> None:
        for step in steps:
            if isinstance(step, Hold):
                for name in around:
                    result.setdefault(name, set()).add(step.station)
                walk(step.steps, (*around, step.station))

    for item in network.classes:
        for route in item.routes:
            walk(route.steps, ())
    return result
