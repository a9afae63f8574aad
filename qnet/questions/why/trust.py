"""Findings on the basis of an answer: laws, method, assumptions, and provenance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from qnet.catalog.grades import worst
from qnet.expression import FLOATS
from qnet.lazy import lazy
from qnet.model.bind import bind
from qnet.networks.exactness import uneven_classes
from qnet.networks.reasons import Inexact, Requested, measured
from qnet.networks.routed import OpenClass
from qnet.networks.solution import ClassFigures, RoutedSolution, StationFigures
from qnet.questions.bottleneck.bottleneck import Bottleneck
from qnet.questions.points.changes import remainders
from qnet.questions.points.points import needs_solution
from qnet.questions.presentation.provenance import inputs
from qnet.questions.why.findings import (
    ASSUMED,
    LAWS,
    SOURCES,
    TRUST,
    Finding,
    Shortened,
    first_full,
    listed,
    rate_of,
    slowest,
    time_of,
)  # fmt: skip
from qnet.units import format_number

if TYPE_CHECKING:
    from qnet.networks import measured_errors
    from qnet.networks.measured_errors import FeatureErrors
else:
    measured_errors = lazy("qnet.networks.measured_errors")

NO_SOURCE = "The model states no source for its numbers."

_DISCIPLINES = {
    "fcfs": "first come first served", "ps": "processor sharing", "lcfs-pr": "last come first served",
    "priority": "the highest priority first, without interruption",
    "preemptive": "the highest priority first, interrupting others, who resume later",
}  # fmt: skip


def laws(bottleneck: Bottleneck) -> Iterator[Finding]:
    """The laws used in the answer, with its numbers inserted."""
    solution, first = bottleneck.solution, first_full(bottleneck)
    station = next((item for item in solution.stations if first and item.label == first.label), None)
    if station and station.utilization is not None and station.servers:
        yield _utilization_law(station, float(station.utilization))
    if first and first.full_at and first.label in solution.full_at:
        text = f"Flow equivalence, X <= X(n), at {first.label}: alone, with the best number of customers inside, "
        text += f"its throughput is {rate_of(first.full_at)}."
        yield Finding(LAWS, first.label, text, "full_at", first.full_at, "/s")
    elif first and first.demand and first.full_at and station:
        capacity = format_number(first.full_at * first.demand)
        text = f"Capacity, X <= m / D, at {first.label}: {capacity} / {time_of(first.demand)} = "
        text += f"{rate_of(first.full_at)}, where D is the demand of one passage on a copy, without waits."
        yield Finding(LAWS, first.label, text, "full_at", first.full_at, "/s")
    for item in slowest(bottleneck):
        yield _littles_law(item)
    yield from _asymptotes(bottleneck, solution)


def _utilization_law(station: StationFigures, utilization: float) -> Finding:
    servers = format_number(float(station.servers or 1))
    each = servers if station.copies == 1 else f"({station.copies} x {servers})"
    text = f"Utilization law, U = X S / m, at {station.label}: {rate_of(float(station.throughput))} x "
    text += f"{time_of(float(station.holding))} / {each} = {format_number(utilization)}."
    return Finding(LAWS, station.label, text, "utilization", utilization)


def _littles_law(item: ClassFigures) -> Finding:
    rate, response = float(item.throughput), float(item.response)
    if item.population is None or item.think_time is None:
        text = f"Little's law, N = X R, for {item.name}: {rate_of(rate)} x {time_of(response)} = "
        text += f"{format_number(rate * response)} in the system."
        return Finding(LAWS, item.name, text, "queue_length", rate * response)
    think = float(item.think_time)
    if item.offered is not None:
        begun = float(item.offered)
        each = float(item.population) / begun - think if begun > 0 else 0.0
        text = f"Little's law, N = X (R + Z), for {item.name}, lost passages included: {rate_of(begun)} x "
        text += f"({time_of(each)} + {time_of(think)}) = {format_number(float(item.population))} customers."
        return Finding(LAWS, item.name, text, "population", float(item.population))
    text = f"Little's law, N = X (R + Z), for {item.name}: {rate_of(rate)} x ({time_of(response)} + {time_of(think)})"
    text += f" = {format_number(rate * (response + think))} customers."
    return Finding(LAWS, item.name, text, "population", rate * (response + think))


def _asymptotes(bottleneck: Bottleneck, solution: RoutedSolution) -> Iterator[Finding]:
    """The asymptote of the response time of a single closed class with many customers."""
    only = solution.classes[0]
    if len(solution.classes) > 1 or only.population is None or only.think_time is None or not bottleneck.maximum:
        return
    number, think = float(only.population), float(only.think_time)
    bound = number / bottleneck.maximum - think
    text = (
        f"Response law, R = N / X - Z, with the largest X: {format_number(number)} / ({rate_of(bottleneck.maximum)}) - "
    )
    if bound > 0:
        text += f"{time_of(think)}, so R is at least {time_of(bound)}."
    else:
        text += f"{time_of(think)} is below 0: with so few customers it does not bind."
    yield Finding(LAWS, only.name, text, "response_lower", max(bound, 0.0), "s")


def trust(bottleneck: Bottleneck) -> Iterator[Finding]:
    """The method, the reasons why the answer is not exact, and bounds on the exact one."""
    solution = bottleneck.solution
    chosen = f": {solution.why}" if solution.why and not isinstance(solution.why, Requested) else ""
    if not solution.reasons:
        exact = f"The answer is exact, by the method {solution.method}"
        yield Shortened(TRUST, "", text=f"{exact}{chosen}.", brief=f"{exact}.")
        return
    approximate = f"The answer is approximate, by the method {solution.method}"
    errors = measured(solution.reasons, [solution.method])
    yield Shortened(
        TRUST, "", text=f"{approximate}{chosen}.", brief=_with_errors(solution, errors) or f"{approximate}."
    )
    yield Finding(TRUST, "", f"It is not exact because {_reasons(bottleneck)}.")
    if errors:
        yield Finding(TRUST, "", f"Measured errors of response and throughput: {'; '.join(map(str, errors))}.")
    bounded = [item for item in solution.classes if item.enclosed]
    for item in bounded:
        lower, upper = (float(value) for value in (item.enclosed or ())[2:])
        text = f"The exact response of {item.name} lies between {time_of(lower)} and {time_of(upper)}."
        yield Finding(TRUST, item.name, text, "response_upper", upper, "s")
    if not bounded:
        yield Finding(TRUST, "", "Bounds: none known.")


def _with_errors(solution: RoutedSolution, errors: Sequence[FeatureErrors]) -> str:
    """The method with its measured errors, in a line of 80 columns; empty where there are none."""
    if not errors:
        return ""
    largest, median = (
        measured_errors.percent(max(sizes))
        for sizes in zip(*((item.worst, item.median) for item in errors), strict=True)
    )
    return f"Approximate, by {solution.method}: errors measured up to {largest}, half below {median}."


def _reasons(bottleneck: Bottleneck) -> str:
    """The reasons of an approximation; one that several stations share is given once, with their names."""
    labels = {station.name for station in bottleneck.model.stations}
    shared: dict[str, list[str]] = {}
    for text in bottleneck.solution.reasons:
        reason = text.reason if isinstance(text, Inexact) and text.reason.subject in labels else None
        shared.setdefault(reason.what if reason else text, []).extend([reason.subject] if reason else [])
    return "; ".join(f"{what} (at {listed(names)})" if names else what for what, names in shared.items())


def assumed(bottleneck: Bottleneck) -> Iterator[Finding]:
    """The assumptions on customers, stations and times."""
    model = bottleneck.model
    yield Finding(ASSUMED, "", "All figures are means of the steady state.")
    arriving = [item.name for item in bottleneck.solution.classes if item.population is None]
    closed = [item.name for item in bottleneck.solution.classes if item.population is not None]
    if arriving:
        yield from _arrivals(bottleneck, arriving)
    if closed:
        yield Finding(ASSUMED, "", f"Every customer of {listed(closed)} waits for the answer before the next request.")
    queues = [station for station in model.stations if not station.delay]
    for key in dict.fromkeys(station.discipline for station in queues):
        names = listed([station.name for station in queues if station.discipline == key])
        yield Finding(ASSUMED, "", f"The discipline is {_DISCIPLINES.get(key, key)} at {names}.")
    yield Finding(ASSUMED, "", "Times are exponential where the model states no other variation.")
    yield from _copies(bottleneck)
    yield Finding(
        ASSUMED, "", "A faster station has shorter service times; those of stations held inside do not change."
    )
    for station, what in remainders(model).items():
        text = f"{listed(what)} at {station} {'are residuals' if len(what) > 1 else 'is the residual'} of a fit, "
        yield Finding(ASSUMED, station, f"{text}which a faster {station} does not shorten.")
    if needs_solution(model):
        yield Finding(ASSUMED, "", "Some times depend on the solution and are computed together with it.")


def _arrivals(bottleneck: Bottleneck, names: list[str]) -> Iterator[Finding]:
    """The arrival processes of the open classes; classes with the same one together."""
    network = bottleneck.solution.network or bind(bottleneck.model, bottleneck.solved.parts[0].values)
    variable = uneven_classes(network, FLOATS)
    by_process: dict[str, list[str]] = {}
    for item in network.classes:
        if isinstance(item, OpenClass) and item.name in names:
            scv = format_number(float(item.arrival_scv))
            how = f"have an scv of {scv}" if item.name in variable else "are Poisson"
            by_process.setdefault(how, []).append(item.name)
    for how, each in by_process.items():
        yield Finding(ASSUMED, "", f"Arrivals of {listed(each)} {how} and do not react to delays.")


def _copies(bottleneck: Bottleneck) -> Iterator[Finding]:
    groups: dict[str, list[StationFigures]] = {}
    for item in bottleneck.solution.stations:
        groups.setdefault(item.name, []).append(item)
    for name, each in groups.items():
        copies = sum(item.copies for item in each)
        owners = [item.name for item in bottleneck.model.classes if item.per_copy_of == name]
        if owners:
            yield Finding(
                ASSUMED, name, f"Each of the {copies} copies of {name} has separate customers of {listed(owners)}."
            )
        elif copies > 1:
            how = "evenly" if len(each) == 1 else "by the shares that the model states"
            yield Finding(ASSUMED, name, f"The {copies} copies of {name} share its work {how}.")


def sources(bottleneck: Bottleneck) -> Iterator[Finding]:
    """The worst grade of the numbers that the answer rests on."""
    graded = inputs(bottleneck.model)
    if not graded:
        yield Finding(SOURCES, "", NO_SOURCE)
        return
    grade = worst(item["grade"] for item in graded)
    text = f"The answer depends on {len(graded)} numbers with a grade; the worst grade is {grade}. "
    text += "The other numbers describe the workload, as the model states them or as they were set."
    yield Finding(SOURCES, "", text, "inputs", float(len(graded)))
