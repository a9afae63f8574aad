"""Random open networks of two stations, and their exact mean numbers, which take minutes and are kept in a file.

`python tests/errors/open_systems.py` writes the file again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import ceil, log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from open_chain import Open, mixed, numbers, phases

from qnet.networks.routed import Group, Hold, OpenClass, Route, RoutedNetwork, Station, Time

EXACT = Path(__file__).with_name("open_exact.json")


class Case(NamedTuple):
    """A small system, as both sides see it; one arrival per second."""

    network: RoutedNetwork
    chain: Open


def stations() -> tuple[Station, ...]:
    return tuple(Station(name, False, 1, "fcfs", (Group(name, 1, 1.0),)) for name in ("one", "two"))


def room(load: float, scv: float) -> int:
    """For about as many as ever come; a few sizes for all, as systems of one size are solved together.

    scv  the mean of those of gaps and services.
    """
    return 8 * ceil(log(1e-6) / log(load) * max(scv, 0.8) / 8)


def visited(first: float, onward: Any) -> Any:
    return np.linalg.solve(np.eye(2) - onward.T, [first, 1.0 - first])


def case(draw: np.random.Generator, first: float, onward: Any, gaps: float, kinds: Sequence[float]) -> Case:
    """A network of one class with random loads, of which the first station has the lower one."""
    visits = visited(first, onward)
    loads = np.array([draw.uniform(0.15, 0.6), draw.uniform(0.3, 0.95)])
    times, scv = loads / visits, (draw.choice(kinds[:3]), draw.choice(kinds))
    ways = [("", "one", first), ("", "two", 1.0 - first)]
    ways += [
        (a, b, visits[i] * onward[i, j]) for i, a in enumerate(("one", "two")) for j, b in enumerate(("one", "two"))
    ]
    steps = tuple(
        Hold(name, (Time(float(times[place]), float(scv[place])),), float(visits[place]))
        for place, name in enumerate(("one", "two"))
    )
    customers = OpenClass("all", 1.0, (Route("all", 1.0, steps),), True, gaps, tuple(item for item in ways if item[2]))
    services = tuple(phases(time, kind) for time, kind in zip(times, scv, strict=True))
    size = room(float(loads[0]), (float(scv[0]) + gaps) / 2)
    return Case(RoutedNetwork(stations(), (customers,)), Open(phases(1.0, gaps), services, first, onward, size))


def one_after_the_other(
    draw: np.random.Generator, gaps: float = 1.0, kinds: Sequence[float] = (0.5, 1.0, 2.0, 4.0)
) -> Case:
    """From the first station to the second, or the other way round, or some of both."""
    kind = draw.integers(3)
    if kind == 1:
        return case(draw, 0.0, np.array([[0.0, 0.0], [1.0, 0.0]]), gaps, kinds)
    first = 1.0 if kind == 0 else draw.uniform(0.2, 0.9)
    return case(draw, first, np.array([[0.0, 1.0 if kind == 0 else draw.uniform(0.3, 1.0)], [0.0, 0.0]]), gaps, kinds)


def with_returns(draw: np.random.Generator, gaps: float = 1.0, kinds: Sequence[float] = (0.5, 1.0, 2.0, 4.0)) -> Case:
    """Customers who come back to a station, at once and by way of the other."""
    one, two = draw.uniform(0.0, 0.5, 2)
    onward = np.array([[one, (1 - one) * draw.uniform(0.3, 1.0)], [(1 - two) * draw.uniform(0.2, 0.6), two]])
    return case(draw, draw.uniform(0.2, 1.0), onward, gaps, kinds)


def with_classes(draw: np.random.Generator) -> Case:
    """Two classes of exponential times share the first station; only one of them goes on to the second."""
    share, load = draw.uniform(0.2, 0.8), draw.uniform(0.15, 0.6)
    times = 10 ** draw.uniform(-0.5, 0.5, 2)
    times *= load / (share * times[0] + (1 - share) * times[1])
    second, kind = draw.uniform(0.3, 0.95) / share, draw.choice([0.5, 1.0, 2.0, 4.0])
    steps = (Hold("one", (Time(float(times[0])),)), Hold("two", (Time(float(second), float(kind)),)))
    network = RoutedNetwork(
        stations(),
        (
            OpenClass("both", share, (Route("both", 1.0, steps),)),
            OpenClass("first", 1 - share, (Route("first", 1.0, (Hold("one", (Time(float(times[1])),)),)),)),
        ),
    )
    services = (mixed([share, 1 - share], times.tolist()), phases(second, float(kind)))
    onward = np.array([[0.0, 1.0], [0.0, 0.0]])
    return Case(network, Open(phases(1.0, 1.0), services, 1.0, onward, room(load, 2.0), (0.0, 1.0)))


def alone(draw: np.random.Generator) -> Case:
    """One queue, with arrivals that are not Poisson; nobody comes to the other."""
    load, gaps = draw.uniform(0.3, 0.95), float(draw.choice([0.25, 0.5, 2.0, 4.0]))
    kind = float(draw.choice([0.25, 0.5, 1.0, 2.0, 4.0]))
    customers = OpenClass("all", 1.0, (Route("all", 1.0, (Hold("two", (Time(load, kind),)),)),), arrival_scv=gaps)
    services = (phases(1.0, 1.0), phases(load, kind))
    return Case(RoutedNetwork(stations(), (customers,)), Open(phases(1.0, gaps), services, 0.0, np.zeros((2, 2)), 1))


def services() -> list[Case]:
    """Poisson arrivals, services that are not exponential."""
    draw = np.random.default_rng(654)
    found = [one_after_the_other(draw) for _ in range(150)] + [with_returns(draw) for _ in range(150)]
    return found + [with_classes(draw) for _ in range(75)]


def arrivals() -> list[Case]:
    """Arrivals that are not Poisson, nobody returns."""
    draw = np.random.default_rng(655)
    found = [alone(draw) for _ in range(125)]
    return found + [one_after_the_other(draw, float(draw.choice([0.5, 2.0])), (0.5, 1.0, 1.0, 4.0)) for _ in range(250)]


def returns() -> list[Case]:
    """Arrivals that are not Poisson, customers return."""
    draw = np.random.default_rng(656)
    return [with_returns(draw, float(draw.choice([0.5, 2.0])), (1.0, 1.0, 1.0, 2.0)) for _ in range(200)]


ALL = {
    "service times in open networks": services,
    "arrivals that are not Poisson": arrivals,
    "arrivals that are not Poisson: feedback": returns,
}
"""By name of the row in the table of errors."""


def exact(cases: Sequence[Case]) -> Any:
    """(S,) mean numbers of customers."""
    found = np.zeros(len(cases))
    for sizes in {item.chain.sizes for item in cases}:
        identical = [place for place, item in enumerate(cases) if item.chain.sizes == sizes]
        found[identical] = numbers([cases[place].chain for place in identical]).sum(1)
    return found


if __name__ == "__main__":
    told = {name: [float(f"{value:.9g}") for value in exact(draw())] for name, draw in ALL.items()}
    EXACT.write_text(json.dumps(told, indent=0) + "\n")
