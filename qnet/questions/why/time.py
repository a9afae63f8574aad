"""Findings on the response: question, answer, and the breakdown of response time by station, class and route."""

from __future__ import annotations

from collections.abc import Iterator

from qnet.questions.bottleneck.bottleneck import Bottleneck
from qnet.questions.points.solution_figures import lost, rising, same
from qnet.questions.why.findings import (
    ANSWER,
    LINE,
    MIX,
    QUESTION,
    ROUTES,
    TIME,
    Finding,
    Shortened,
    called,
    few,
    first_full,
    first_saturated,
    full_at,
    largest,
    listed,
    made_of,
    percent,
    rate_of,
    slowest,
    time_of,
    where,
)  # fmt: skip
from qnet.units import format_number

_MOST_PARTS, _ENOUGH = 4, 0.9
"""Most parts of the response that are described, and the share of it at which the description ends."""


def question(bottleneck: Bottleneck) -> Iterator[Finding]:
    """The question, with the model and the settings."""
    model = bottleneck.model
    settings = [f"{name} = {value}" for name, value in model.settings.items()]
    point = f" with {listed(settings)}" if settings else ""
    text = f'What makes up the response time of "{model.title}" ({model.name}, digest {model.digest}){point}?'
    yield Finding(QUESTION, "", text)


def answer(bottleneck: Bottleneck) -> Iterator[Finding]:
    """The response, its split into service and waiting, its largest part, and the bottleneck."""
    for item in slowest(bottleneck):
        response, rate, brief = float(item.response), rate_of(float(item.throughput)), ""
        if item.population is None:
            text = f"The mean response of {item.name} is {time_of(response)} at {rate}."
        else:
            thinking = f" with a think time of {time_of(float(item.think_time))}" if item.think_time else ""
            number = float(item.population)
            customers = f"{format_number(number)} customer{'' if number == 1 else 's'}"
            text = f"The mean response of {item.name} is {time_of(response)}: "
            text += f"{customers}{thinking} complete{'s' if number == 1 else ''} {rate}."
            brief = f"The mean response of {item.name} is {time_of(response)} at {rate}, with {customers}."
        yield Shortened(ANSWER, item.name, text=text, quantity="response", value=response, unit="s", brief=brief)
        if item.offered is not None and item.offered > item.throughput:
            share = float(lost(item.offered, item.throughput))
            text = f"{percent(share)} of {item.name}, offered at {rate_of(float(item.offered))}, are lost."
            yield Finding(ANSWER, item.name, text, "loss", share, "")
    yield from _split(bottleneck)
    parts = largest(bottleneck)
    if parts:
        part = parts[0]
        identical = [item.label for item in parts if item.label and same(item.residence, part.residence)]
        location = where(bottleneck, part) if len(identical) < 2 else f"equally at each of {few(identical)}"
        text = f"The largest part is spent {location}: {time_of(part.residence)}, {percent(part.share or 0)}."
        yield Finding(ANSWER, part.label, text, "residence", part.residence, "s")
    first = first_full(bottleneck)
    if first:
        text, full = first_saturated(bottleneck), full_at(bottleneck, first)
        brief = text.replace(MIX, "") if len(text) > LINE else ""
        yield Shortened(ANSWER, first.label, text=text, quantity="full_at", value=full, unit="/s", brief=brief)


def _split(bottleneck: Bottleneck) -> Iterator[Finding]:
    """The split of the response into service and waiting, where they can be separated."""
    parts = [resource.part for resource in bottleneck.resources if resource.part] + (
        [bottleneck.delays] if bottleneck.delays else []
    )
    response = float(bottleneck.solution.response)
    if response > 0 and all(part.wait is not None for part in parts):
        wait = sum(part.wait or 0.0 for part in parts)
        what = "service and delays" if bottleneck.delays and bottleneck.delays.service else "service"
        served = f"{time_of(response - wait)} of it ({percent(1 - wait / response)}) is {what}, "
        rest = f"{time_of(wait)} ({percent(wait / response)}) is waiting." if wait else "and there is no waiting."
        text, brief = served + rest, ""
        if len(bottleneck.solution.classes) > 1:
            text = f"The mean over all classes is {time_of(response)}: {text}"
            waiting = f", {percent(wait / response)} waiting" if wait else ""
            brief = f"Over all classes it is {time_of(response)}: {percent(1 - wait / response)} {what}{waiting}."
        yield Shortened(ANSWER, "", text=text, quantity="wait", value=wait, unit="s", brief=brief)


def time(bottleneck: Bottleneck) -> Iterator[Finding]:
    """The largest parts of the mean response over all classes, and the largest part of each of the slowest classes."""
    reported = 0.0
    for part in largest(bottleneck)[:_MOST_PARTS]:
        if reported >= _ENOUGH:
            break
        reported += part.share or 0.0
        text = f"{called(bottleneck, part)}: {time_of(part.residence)}, {percent(part.share or 0)} of the response; "
        text += f"{made_of(part)}."
        yield Finding(TIME, part.label, text, "residence", part.residence, "s")
    for item in slowest(bottleneck):
        parts = [visit.part for visit in bottleneck.visits if visit.class_name == item.name]
        parts += [bottleneck.outside[item.name]] if item.name in bottleneck.outside else []
        if parts:
            part = rising(parts, lambda part: -part.residence)[0]
            text = f"{item.name} spends most of its {time_of(float(item.response))} {where(bottleneck, part)}: "
            text += f"{time_of(part.residence)}, {percent(part.share or 0)}; {made_of(part)}."
            yield Finding(TIME, item.name, text, "residence", part.residence, "s")


def routes(bottleneck: Bottleneck) -> Iterator[Finding]:
    """The slowest route of every class that has several, and its largest part."""
    for customers in bottleneck.solution.classes:
        several = [item for item in bottleneck.solution.routes if item.class_name == customers.name]
        if len(several) < 2 or not customers.response:
            continue
        slow = max((item for item in several if item.probability > 0), key=lambda item: float(item.response))
        times, share = float(slow.response / customers.response), float(slow.probability)
        part = max(
            (item.part for item in bottleneck.routes if (item.class_name, item.route) == (customers.name, slow.name)),
            key=lambda part: part.residence,
        )
        text = f"{slow.name} is the slowest route of {customers.name}: {time_of(float(slow.response))}, "
        text += f"{format_number(times, 3)} times the mean. It is {percent(share)} of the passages and "
        text += f"{percent(share * times)} of their time. Most of its time is spent {where(bottleneck, part)}: "
        text += f"{time_of(part.residence)}; {made_of(part)}."
        yield Finding(ROUTES, slow.name, text, "response", float(slow.response), "s")
