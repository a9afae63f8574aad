"""Findings on the response: what is asked, what the answer is, where the time goes, by station, class and route."""

from __future__ import annotations

from collections.abc import Iterator

from qnet.questions.bottleneck.bottleneck import Bottleneck
from qnet.questions.points.points import rising, same
from qnet.questions.points.solution_figures import lost
from qnet.questions.why.findings import (
    ANSWER,
    QUESTION,
    ROUTES,
    TIME,
    Finding,
    called,
    few,
    first_full,
    full_at,
    largest,
    listed,
    made_of,
    percent,
    rate_of,
    slowest,
    time_of,
    told_first,
    where,
)  # fmt: skip
from qnet.units import format_number

_MOST_PARTS, _ENOUGH = 4, 0.9
"""How many parts of the response are told in words at most, and the share of it after which the rest is not."""


def question(found: Bottleneck) -> Iterator[Finding]:
    """What is asked, of which model, at which point."""
    model = found.model
    settings = [f"{name} = {value}" for name, value in model.settings.items()]
    point = f"with {listed(settings)}" if settings else "with its parameters as they are stated"
    text = f'Why does "{model.title}" ({model.name}, digest {model.digest}) respond as it does {point}?'
    yield Finding(QUESTION, "", text)


def answer(found: Bottleneck) -> Iterator[Finding]:
    """The response, its split into service and waiting, its largest part, and what is full first."""
    for item in slowest(found):
        response, rate = float(item.response), rate_of(float(item.throughput))
        if item.population is None:
            text = f"The mean response of {item.name} is {time_of(response)} at {rate}."
        else:
            thinking = f", who think {time_of(float(item.think_time))}," if item.think_time else ""
            number = format_number(float(item.population))
            text = f"The mean response of {item.name} is {time_of(response)}: "
            text += f"its {number} customers{thinking} get {rate}."
        yield Finding(ANSWER, item.name, text, "response", response, "s")
        if item.offered is not None and item.offered > item.throughput:
            share = float(lost(item.offered, item.throughput))
            text = (
                f"{percent(share)} of the {rate_of(float(item.offered))} of {item.name} that come are lost: they find "
            )
            yield Finding(ANSWER, item.name, text + "something full.", "loss", share, "")
    yield from _split(found)
    parts = largest(found)
    if parts:
        part = parts[0]
        alike = [item.label for item in parts if item.label and same(item.residence, part.residence)]
        place = where(found, part) if len(alike) < 2 else f"equally at each of {few(alike)}"
        text = f"The largest part is spent {place}: {time_of(part.residence)}, {percent(part.share or 0)}."
        yield Finding(ANSWER, part.label, text, "residence", part.residence, "s")
    first = first_full(found)
    if first:
        yield Finding(ANSWER, first.label, told_first(found), "full_at", full_at(found, first), "/s")


def _split(found: Bottleneck) -> Iterator[Finding]:
    """How much of the response is service and how much is waiting, where that can be told apart."""
    parts = [place.part for place in found.places if place.part] + ([found.delays] if found.delays else [])
    response = float(found.solution.response)
    if response > 0 and all(part.wait is not None for part in parts):
        wait = sum(part.wait or 0.0 for part in parts)
        what = "service and delays" if found.delays and found.delays.service else "service"
        of = "it" if len(found.solution.classes) == 1 else f"the {time_of(response)} of the mean customer"
        text = f"{time_of(response - wait)} of {of} ({percent(1 - wait / response)}) is {what}, "
        text += f"{time_of(wait)} ({percent(wait / response)}) is waiting." if wait else "and there is no waiting."
        yield Finding(ANSWER, "", text, "wait", wait, "s")


def time(found: Bottleneck) -> Iterator[Finding]:
    """The largest parts of the response, of the mean customer and of the slowest classes."""
    told = 0.0
    for part in largest(found)[:_MOST_PARTS]:
        if told >= _ENOUGH:
            break
        told += part.share or 0.0
        text = f"{called(found, part)}: {time_of(part.residence)}, {percent(part.share or 0)} of the response; "
        text += f"{made_of(part)}."
        yield Finding(TIME, part.label, text, "residence", part.residence, "s")
    for item in slowest(found):
        own = [visit.part for visit in found.visits if visit.class_name == item.name]
        own += [found.outside[item.name]] if item.name in found.outside else []
        if own:
            part = rising(own, lambda part: -part.residence)[0]
            text = f"{item.name} spends most of its {time_of(float(item.response))} {where(found, part)}: "
            text += f"{time_of(part.residence)}, {percent(part.share or 0)}; {made_of(part)}."
            yield Finding(TIME, item.name, text, "residence", part.residence, "s")


def routes(found: Bottleneck) -> Iterator[Finding]:
    """The slowest route of every class that has several, and where its time goes."""
    for customers in found.solution.classes:
        own = [item for item in found.solution.routes if item.class_name == customers.name]
        if len(own) < 2 or not customers.response:
            continue
        slow = max((item for item in own if item.probability > 0), key=lambda item: float(item.response))
        times, share = float(slow.response / customers.response), float(slow.probability)
        part = max(
            (item.part for item in found.routes if (item.class_name, item.route) == (customers.name, slow.name)),
            key=lambda part: part.residence,
        )
        text = f"{slow.name} is the slowest route of {customers.name}: {time_of(float(slow.response))}, "
        text += f"{format_number(times, 3)} times the mean. It is {percent(share)} of the passages and "
        text += f"{percent(share * times)} of their time. Most of its time is spent {where(found, part)}: "
        text += f"{time_of(part.residence)}; {made_of(part)}."
        yield Finding(ROUTES, slow.name, text, "response", float(slow.response), "s")
