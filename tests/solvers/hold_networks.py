"""Random networks of holds near the saturation of their inner stations, from a seed."""

from __future__ import annotations

from random import Random

from building import network, scaled, station, visit

from qnet.networks.open.solve import solve
from qnet.networks.routed import Hold, OpenClass, Route, RoutedNetwork, Station, Step, Time
from qnet.networks.solution import RoutedSolution


def hold_network(seed: int, low: float = 0.9, high: float = 0.999) -> RoutedNetwork | None:
    """Outer stations around one, two or three inner ones, in one or two layers; None where no rate suits.

    The arrival rate is such that the busiest station that others wait for has a load between `low` and `high`, or the
    outer stations are full before.
    """
    rng = Random(seed)
    copies = rng.choice([1, 2, 3, 4, 8, 16, 64, 300])
    stations = [station("outer", rng.choice([1, 1, 2, 5]), copies=copies)]
    inner = [_inner(rng, index, copies) for index in range(rng.choice([1, 1, 2, 3]))]
    stations += inner
    nested = rng.random() < 0.5
    routes: list[Route] = []
    shares = [rng.uniform(0.2, 1) for _ in range(rng.randint(1, 3))]
    for number, share in enumerate(shares):
        steps: list[Step] = [Time(_time(rng), rng.choice([0.0, 1.0]))]
        steps += _held(rng, inner, nested)
        if rng.random() < 0.3:
            steps.append(Time(_time(rng), phase=2))
        routes.append(Route(f"r{number}", share / sum(shares), (Hold("outer", tuple(steps)),)))
    classes = [OpenClass("held", 1.0, tuple(routes))]
    if rng.random() < 0.4:
        target = rng.choice(inner).name
        open_ = visit(target, _time(rng), priority=rng.choice([-1, 0, 1]))
        classes.append(OpenClass("open", rng.uniform(0.01, 0.3) * copies, (Route("r", 1.0, (open_,)),)))
    return _near(network(stations, *classes), [item.name for item in inner], rng.uniform(low, high))


def inner_load(solution: RoutedSolution, names: list[str]) -> float:
    """The load of the busiest inner station."""
    return max(item.load for item in solution.loads if item.name in names)


def _time(rng: Random) -> float:
    return 10 ** rng.uniform(-1.5, 0.7)


def _inner(rng: Random, index: int, copies: int) -> Station:
    if copies > 1 and rng.random() < 0.15:
        return station(f"inner{index}", 1, copies=copies, follows="outer")
    return station(f"inner{index}", rng.choice([1, 1, 2, 4, 8]), copies=rng.choice([1, 1, 1, 3]))


def _held(rng: Random, inner: list[Station], nested: bool) -> list[Step]:
    """Holds of inner stations, one after another or one inside another."""
    found: list[Step] = []
    for item in reversed(inner):
        steps: list[Step] = [Time(_time(rng), rng.choice([0.0, 1.0, 2.0]))]
        if nested:
            steps += found
            found = []
        if rng.random() < 0.4:
            steps.append(Time(_time(rng), phase=2, keeps=(item.name,)))
        found.insert(
            0, Hold(item.name, tuple(steps), visits=rng.choice([1.0, 1.0, 0.5, 2.0]), priority=rng.choice([0, 0, 1]))
        )
    return found


def _near(model: RoutedNetwork, names: list[str], wanted: float) -> RoutedNetwork | None:
    """The network at the rate where the busiest inner station has the wanted load; loads are almost linear in it."""
    factor = 1e-3
    for _ in range(12):
        load = inner_load(solve(scaled(model, factor), warned=False), names)
        if abs(load - wanted) <= 0.1 * (1 - wanted):
            return scaled(model, factor)
        factor *= wanted / load
    return None
