"""What customers find waiting where classes are closed: variances of waits, from state probabilities."""

from __future__ import annotations

from collections.abc import Sequence

from qnet.errors import NotComputed, Problem
from qnet.expression import Value
from qnet.networks.duration import Wait
from qnet.networks.routed import ClosedClass, RoutedNetwork, Station
from qnet.networks.streams import Streams
from qnet.networks.wanted import Wanted

_States = dict[str, tuple[float, ...]]


def with_variances(network: RoutedNetwork, compiled: Streams, waits: Sequence[Wait], wanted: Wanted) -> list[Wait]:
    """The waits of a network of demands, or of a batch, with their variances.

    waits     by stream, as the mean values give them.
    wanted    the method and its budget, which must give state probabilities.
    Returns   the same means. A customer of a closed class finds what an observer sees with one customer less, of an
              open class what an observer sees (Lavenberg and Reiser 1980; Sevcik and Mitrani 1981); the wait is then a
              sum of so many services. Service that is shared with open classes is slower in proportion.
    Raises    `NotComputed` QN516 where the method gives no state probabilities.
    """
    if network.size is None:
        return _point(network, compiled, waits, wanted)
    import numpy as np

    found: list[list[Wait]] = []
    for index in range(network.size):
        own = [Wait(_at(item.mean, index), 0.0) for item in waits]
        found.append(_point(network.point(index), compiled, own, wanted))
    return [Wait(wait.mean, np.array([point[stream].variance for point in found])) for stream, wait in enumerate(waits)]


def _at(value: Value, index: int) -> float:
    return float(value) if isinstance(value, (int, float)) or not value.ndim else float(value[index])


def _point(network: RoutedNetwork, compiled: Streams, waits: Sequence[Wait], wanted: Wanted) -> list[Wait]:
    stations = {station.name: station for station in network.stations}
    seen = [_found(network, number, wanted) for number in range(len(network.classes))]
    result: list[Wait] = []
    for stream, wait in zip(compiled.streams, waits, strict=True):
        station = stations[stream.station]
        if station.delay or wait.mean == 0:
            result.append(wait)
            continue
        states = seen[stream.class_index].get(station.groups[stream.group].label, (1.0,))
        result.append(Wait(wait.mean, _variance(station, states, wait.mean, stream.holding.mean)))
    return result


def _found(network: RoutedNetwork, number: int, wanted: Wanted) -> _States:
    """The probabilities that a customer of a class finds 0, 1, ... customers of closed classes, by label of a group."""
    from qnet.networks.solve import solve

    classes = list(network.classes)
    own = classes[number]
    if isinstance(own, ClosedClass):
        classes[number] = own.replace(population=max(own.population - 1.0, 0.0))
    if not any(isinstance(item, ClosedClass) and item.population > 0 for item in classes):
        return {}
    solution = solve(network.replace(classes=tuple(classes)), wanted.replace(states=True, bounds="", announce=None))
    if solution.states is None:
        found = f"percentiles of closed classes need state probabilities, which {solution.method} does not give"
        help = "ask for fewer customers, or more --operations and --memory"
        raise NotComputed(Problem("QN516", found, "an exact answer", help=help))
    return solution.states


def _variance(station: Station, states: Sequence[float], wait: float, service: float) -> float:
    """The variance of a wait, from what is found of closed classes and the mean wait.

    One found customer takes as long as makes the mean right: longer where open classes come in between.
    """
    mean, square = _moments(states)
    if station.rates is None and station.servers == 1:
        # All that are found and the customer's own service: a sum of equal exponential times, also between arrivals.
        one = (wait + service) / (mean + 1)
        return max(one**2 * (mean + 1 + square - mean**2) - service**2, 0.0)
    work, variance = _work(station, states)
    return wait**2 * (variance / work**2 if work > 0 else 1.0)


def _moments(states: Sequence[float]) -> tuple[float, float]:
    """Mean and mean square of the number found."""
    mean = sum(number * probability for number, probability in enumerate(states))
    return mean, sum(number**2 * probability for number, probability in enumerate(states))


def _work(station: Station, states: Sequence[float]) -> tuple[float, float]:
    """Mean and variance of the time until a server is free, in service times; of rates, of the time to clear all."""
    count = station.servers
    mean = square = within = 0.0
    done, spread = 0.0, 0.0
    for number, probability in enumerate(states):
        if station.rates is not None:
            rate = station.rates[min(number, len(station.rates) - 1)] or 1.0
            done, spread = done + 1 / rate, spread + 1 / rate**2
        elif number >= count:
            done, spread = done + 1 / count, spread + 1 / count**2
        mean += probability * done
        square += probability * done**2
        within += probability * spread
    return mean, max(square - mean**2, 0.0) + within
