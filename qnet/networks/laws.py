"""The laws that the figures of every solution obey, checked once before it is returned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from qnet.errors import NoAnswer, NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks.solution import ClassFigures, ClassStationFigures, RoutedSolution, StationFigures

ROUNDING = 1e-11
"""How far rounding may put a utilization above 1 that throughputs of a product-form method give."""
_CONVERGED = 1e-9
"""The same for a utilization that is summed over the streams of a fixed point: ten times its largest residual."""
_LITTLE = 1e-6
"""Relative error of a population: above the residual of every fixed point, below errors in three digits. A choice."""
_INFINITE = float("inf")
_AtStation = TypeVar("_AtStation", StationFigures, ClassStationFigures)


def checked(solution: RoutedSolution, batch: bool, rough: bool = False) -> RoutedSolution:
    """A solution that obeys the laws; figures that violate them by rounding alone are set to 0 or 1.

    solution  of a point or a batch; points without a steady state are not checked.
    batch     whether its figures may be arrays with an element per point.
    rough     whether its fixed point need not have converged, so that Little's law does not hold yet.
    Returns   the solution, or one whose waits are at least 0 and whose utilizations are at most 1.
    Raises    `NotComputed` QN502 where a figure is not finite or negative by more than rounding, QN511 where a
              utilization is above 1 by more, or customers are more or fewer than there are: faults of a method that
              must never reach a caller; `NoAnswer` QN403 for customers who spend no time anywhere.
    """
    operations: Operations = arrays() if batch else FLOATS
    stable = solution.stable
    if not _sound(solution, operations):
        solution = _without_rounding(solution, operations)
        if not _sound(solution, operations):
            raise unsound()
    # Responses are those of completed passages; lost ones take other times.
    if not rough and not solution.buffers and all(item.offered is None for item in solution.stations):
        for item in solution.classes:
            if item.population is not None and item.think_time is not None:
                _check_population(item, item.population, item.think_time, stable, operations)
    above = [item for item in solution.stations if _above_one(item.utilization, operations)]
    if not above:
        return solution
    at_most_one = {item.label: _at_most_one(item, stable, operations) for item in above}
    return solution.replace(stations=tuple(at_most_one.get(item.label, item) for item in solution.stations))


def _check_population(
    item: ClassFigures, customers: Value, think: Value, stable: Value, operations: Operations
) -> None:
    """Refuse a closed class that violates Little's law: throughput times response and think time is not its
    population."""
    passage = item.response + think
    idle = (customers > 0) & (passage <= 0.0) & (stable != False)  # noqa: E712
    if not operations.all(idle == False):  # noqa: E712
        raise without_time(item.name)
    rest = operations.absolute(item.throughput * passage - customers)
    if not operations.all((rest <= _LITTLE * customers) | (stable == False)):  # noqa: E712
        text = f'throughput and times of class "{item.name}" do not agree with its population'
        raise NotComputed(Problem("QN511", text, "Little's law", help="try another method"))


def without_time(name: str) -> NoAnswer:
    """The refusal of a closed class whose customers spend no time anywhere: QN403."""
    text = f'class "{name}" has customers and neither demand nor think time: its throughput has no limit'
    return NoAnswer(Problem("QN403", text, "a demand or a think time above 0"))


def _sound(solution: RoutedSolution, operations: Operations) -> bool:
    """Whether all figures of all points with a steady state are finite and not negative."""
    sound: Value = True
    for value in _figures(solution):
        sound = sound & (value >= 0.0) & (value < _INFINITE)
    return sound is True or operations.all(sound | (solution.stable == False))  # noqa: E712


def _without_rounding(solution: RoutedSolution, operations: Operations) -> RoutedSolution:
    """The solution with 0 for times and numbers of customers at stations that are negative by rounding alone."""
    least = {
        "wait": _CONVERGED * solution.response,
        "queue_length": _CONVERGED,
        "residence": _CONVERGED * solution.response,
    }

    def rounded(item: _AtStation) -> _AtStation:
        known = ((name, getattr(item, name, None)) for name in least)
        zeros = {
            name: operations.where((value < 0) & (value >= -least[name]), 0.0 * value, value)
            for name, value in known
            if value is not None
        }
        return item.replace(**zeros)

    return solution.replace(
        stations=tuple(rounded(item) for item in solution.stations),
        visits=tuple(rounded(item) for item in solution.visits),
    )


def _figures(solution: RoutedSolution) -> Iterator[Value]:
    """All rates, times and numbers of customers of a solution."""
    yield from (solution.throughput, solution.response)
    for item in solution.classes:
        yield from (item.throughput, item.response)
    for route in solution.routes:
        yield from (route.throughput, route.response)
    for station in solution.stations:
        yield from (station.throughput, station.busy_servers, station.holding, station.residence, station.queue_length)
        if station.utilization is not None:
            yield station.utilization
        if station.wait is not None:
            yield station.wait
    for visit in solution.visits:
        yield from (visit.throughput, visit.residence, visit.queue_length)


def _above_one(used: Value | None, operations: Operations) -> bool:
    """Whether a utilization is above 1 at any point."""
    return used is not None and not operations.all(used <= 1.0)


def _at_most_one(item: StationFigures, stable: Value, operations: Operations) -> StationFigures:
    """The figures of a station, with its utilization set to 1 where it is above 1 by rounding."""
    used: Value = item.utilization
    refuse_above_one(operations.all((used <= 1.0 + _CONVERGED) | (stable == False)), item.label)  # noqa: E712
    return item.replace(utilization=operations.minimum([used, 1.0 + 0.0 * used]))


def refuse_above_one(by_rounding: bool, station: str) -> None:
    """Refuse a utilization above 1.

    by_rounding  whether it is at most 1 but for rounding: then nothing is raised.
    station      the label of the station.
    Raises       `NotComputed` QN511.
    """
    if not by_rounding:
        text = f"the utilization of {station} comes out above 1"
        raise NotComputed(Problem("QN511", text, "a utilization of at most 1", help="try another method"))


def unsound() -> NotComputed:
    """The refusal of figures that are negative or not finite: QN502."""
    return NotComputed(Problem("QN502", "a figure of the answer is negative or not finite", "smaller numbers"))
