"""Figures of a simulation with 99 % intervals, from what was counted in batches of equal length."""

from __future__ import annotations

from itertools import pairwise
from math import sqrt

from .answer import Answer
from .program import DELAY, Program

BATCHES = 20
QUANTILES = {20: 2.861, 10: 3.250, 5: 4.604}
"""Of Student's distribution with one degree of freedom less than batches, for 99 %; the widest interval counts, as
what happens in short batches may still depend on those before."""

VAGUE = 0.1
"""The largest half width of the throughput of a closed class, relative, where it has been seen often enough. Whoever is
served last may wait for most of a run, in which what the others do is not what they do in the long run either."""


def figures(program: Program, events: int, totals: list[list[float]]) -> Answer:
    """Ratios of what was counted in the batches, with half widths."""
    rows = [[b - a for a, b in zip(one, two, strict=True)] for one, two in pairwise(totals)]
    answer = Answer("simulation", events)

    def ratio(scope: str, name: str, upper: list[float], lower: list[float], factor: float = 1.0) -> None:
        total = sum(lower)
        if not total:
            if scope in ("response", "wait"):
                return
            lower, total = [1.0] * len(lower), float(len(lower))
        mean = sum(upper) / total
        left = [one - mean * two for one, two in zip(upper, lower, strict=True)]
        widest = 0.0
        for batches, quantile in QUANTILES.items():
            joined = BATCHES // batches
            parts = [sum(left[at : at + joined]) for at in range(0, BATCHES, joined)]
            spread = sum(part * part for part in parts) / (batches - 1)
            widest = max(widest, quantile * sqrt(spread * batches) / total)
        getattr(answer, scope)[name] = mean * factor
        answer.half_width[scope, name] = factor * widest

    def column(at: int) -> list[float]:
        return [row[at] for row in rows]

    def together(numbers: list[int], part: int) -> list[float]:
        return [sum(row[1 + 3 * number + part] for number in numbers) for row in rows]

    time = column(0)
    for label in dict.fromkeys(place.label for place in program.places):
        numbers = [number for number, place in enumerate(program.places) if place.label == label]
        place = program.places[numbers[0]]
        visits, area, busy = (together(numbers, part) for part in range(3))
        ratio("station_throughput", label, visits, time)
        ratio("queue_length", label, area, time)
        if place.kind != DELAY:
            ratio("utilization", label, busy, time, 1 / (place.peak * len(numbers)))
        if not place.rates:
            ratio("wait", label, [max(a - b, 0.0) for a, b in zip(area, busy, strict=True)], visits)
    base = 1 + 3 * len(program.places)
    for number, store in enumerate(program.stores):
        ratio("occupancy", store.name, column(base + number), time)
    base += len(program.stores)
    count = len(program.customers)
    for number, customers in enumerate(program.customers):
        finished = column(base + number)
        ratio("throughput", customers.name, finished, time)
        times, lost = column(base + count + number), column(base + 2 * count + number)
        if not customers.open and not any(lost):
            # By Little's law, which also counts those whom nobody ever lets finish.
            thought = column(base + 3 * count + number)
            times = [customers.population * one - two for one, two in zip(time, thought, strict=True)]
        ratio("response", customers.name, times, finished)
        begun = [a + b for a, b in zip(finished, column(base + 2 * count + number), strict=True)]
        ratio("offered", customers.name, begun, time)
        if customers.open:
            answer.offered[customers.name] = customers.rate
            answer.half_width["offered", customers.name] = 0.0
    closed = [customers for customers in program.customers if not customers.open and customers.population]
    # Who never came round in the whole run has a throughput of 0 without any spread.
    answer.unsettled = tuple(
        item.name
        for item in closed
        if not answer.throughput[item.name] > 0
        or answer.width("throughput", item.name) > VAGUE * answer.throughput[item.name]
    )
    return answer
