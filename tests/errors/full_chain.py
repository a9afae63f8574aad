"""One station with so many places by the Markov chain of all its lines: who is there, in which order and phase."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from chain import stationary

from qnet.record import Record


class Visitor(Record):
    """A class of customers in a Poisson stream."""

    rate: float
    mean: float
    scv: float = 1.0
    priority: int = 0
    visits: int = 1


class Stages(Record):
    """A service time as stages: the chance to begin in each, its rate, and whether it ends with it."""

    begin: tuple[float, ...]
    rates: tuple[float, ...]
    ends: tuple[bool, ...]


def stages(mean: float, scv: float) -> Stages:
    """Mixed Erlang up to an scv of 1, two exponentials with balanced means above."""
    if scv > 1:
        part = (1 + math.sqrt((scv - 1) / (scv + 1))) / 2
        return Stages((part, 1 - part), (2 * part / mean, 2 * (1 - part) / mean), (True, True))
    count = math.ceil(1 / scv - 1e-9)
    part = (count * scv - math.sqrt(max(count * (1 + scv) - count**2 * scv, 0.0))) / (1 + scv)
    part = max(part, 0.0) if count > 1 else 0.0
    rate = (count - part) / mean
    begin = (1 - part, part, *(0.0,) * (count - 2))[:count]
    return Stages(begin, (rate,) * count, (*(False,) * (count - 1), True))


Job = tuple[int, int, int]
"""A class, the visits that it has left with this one, and the stage of its service; -1 before it."""
Line = tuple[Job, ...]


class Figures(Record):
    """By class: the share that is lost, and the mean number present."""

    lost: float
    numbers: tuple[float, ...]


def figures(visitors: tuple[Visitor, ...], discipline: str, servers: int, places: int) -> Figures:
    """The exact figures of a station."""
    times = [stages(item.mean, item.scv) for item in visitors]

    def served(line: Line) -> list[int]:
        """Who is in service, of those who may be."""
        if discipline == "ps":
            return list(range(len(line)))
        if discipline == "lcfs-pr":
            return list(range(len(line)))[-servers:]
        ranked = sorted(range(len(line)), key=lambda place: -visitors[line[place][0]].priority)
        if discipline == "preemptive":
            return ranked[:servers]
        if discipline in ("fcfs", "priority"):
            begun = [place for place in range(len(line)) if line[place][2] >= 0]
            return (begun + [place for place in ranked if place not in begun])[:servers]
        raise ValueError(discipline)

    def begun(line: Line) -> Iterator[tuple[float, Line]]:
        """The line once all in service have a stage, each with its chance."""
        place = next((place for place in served(line) if line[place][2] < 0), None)
        if place is None:
            yield 1.0, line
            return
        kind, left, _ = line[place]
        for stage, chance in enumerate(times[kind].begin):
            if chance > 0:
                for more, after in begun((*line[:place], (kind, left, stage), *line[place + 1 :])):
                    yield chance * more, after

    def moves(line: Line) -> Iterable[tuple[float, Any]]:
        if len(line) < places:
            for kind, item in enumerate(visitors):
                yield from ((item.rate * chance, after) for chance, after in begun((*line, (kind, item.visits, -1))))
        own = served(line)
        speed = min(servers, len(line)) / len(own) if own else 0.0
        for place in own:
            kind, left, stage = line[place]
            rate = speed * times[kind].rates[stage]
            before, behind = line[:place], line[place + 1 :]
            if not times[kind].ends[stage]:
                yield rate, (*before, (kind, left, stage + 1), *behind)
                continue
            rest = (*before, *behind, *([(kind, left - 1, -1)] if left > 1 else []))
            yield from ((rate * chance, after) for chance, after in begun(rest))

    shares = stationary((), moves)
    lost = sum(share for line, share in shares.items() if len(line) == places)
    kinds = range(len(visitors))
    return Figures(
        lost,
        tuple(sum(share * sum(job[0] == kind for job in line) for line, share in shares.items()) for kind in kinds),
    )
