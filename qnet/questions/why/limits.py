"""Findings on capacity: the stations that saturate first and second, and the changes that help most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qnet.questions.bottleneck.bottleneck import Bottleneck, Software
from qnet.questions.points.changes import Change
from qnet.questions.points.solution_figures import rising, same
from qnet.questions.why.findings import (
    ANSWER,
    BEST,
    FULL,
    HELP,
    LINE,
    LITTLE,
    Extended,
    Finding,
    Shortened,
    few,
    first_saturated,
    full_at,
    full_together,
    listed,
    percent,
    rate_of,
    time_of,
)  # fmt: skip
from qnet.units import format_number


def full(bottleneck: Bottleneck) -> Iterator[Finding]:
    """The stations that saturate first and second, the bottlenecks of the classes, and waits inside holds."""
    together = full_together(bottleneck)
    if not together:
        return
    first, several = together[0], len(together) > 1
    its = "Their" if several else "Its"
    used = ""
    if first.utilization is not None and all(
        same(first.utilization, resource.utilization or 0.0) for resource in together
    ):
        used = f" {its} utilization is now {format_number(first.utilization)}."
    text, rate = first_saturated(bottleneck), full_at(bottleneck, first)
    yield Extended(FULL, first.label, text=f"{text}{used}", quantity="full_at", value=rate, unit="/s", first=text)
    if first.full_population is not None and bottleneck.solution.classes[0].population is not None:
        now = format_number(float(bottleneck.solution.classes[0].population))
        text = f"The asymptotes of the response time meet at N* = {format_number(first.full_population)} customers; "
        text += f"there are {now} now. "
        loses = bottleneck.solution.offered is not None
        text += f"With many more than N*, each further customer adds only {'losses' if loses else 'response time'}."
        yield Finding(FULL, first.label, text, "full_population", first.full_population)
    second = next((resource for resource in bottleneck.ranked if resource not in together), None)
    if second and second.full_at and rate:
        ratio = second.full_at / rate
        text = f"{second.label} is next, at {rate_of(second.full_at)}: {format_number(ratio, 3)} times as much. "
        text += f"It limits the system once {'these no longer do' if several else f'{first.label} no longer does'}."
        yield Finding(FULL, second.label, text, "full_at", second.full_at, "/s")
    yield from _by_class(bottleneck)
    for resource in bottleneck.resources:
        if resource.waits_inside and resource.waits_inside >= LITTLE:
            waiting = percent(resource.waits_inside)
            text = f"{waiting} of the holding time of {resource.label} is waiting for stations inside; it shrinks as "
            text += "these get faster."
            yield Finding(FULL, resource.label, text, "waits_inside", resource.waits_inside)


def software(bottleneck: Bottleneck) -> Iterator[Finding]:
    """The software bottlenecks, each with the effect of one more server."""
    for item in bottleneck.software:
        yield Finding(FULL, item.label, software_words(bottleneck, item), "utilization", item.utilization)


def software_words(bottleneck: Bottleneck, item: Software) -> str:
    """A software bottleneck in words: the station held, the inner ones, and the effect of one more server.

    bottleneck  the answer with the changes that were tried.
    item        the software bottleneck.
    """
    text = f"{item.label} is a software bottleneck: {percent(item.utilization)} of its "
    text += f"{'servers are' if item.servers > 1 else 'server is'} held, and {percent(item.inside)} of that time is "
    text += f"spent at stations inside, most of it at {item.at}; but none of these is busier than "
    text += f"{percent(item.busiest_utilization)} ({item.busiest})."
    more = next(
        (change for change in bottleneck.changes if change.station == item.name and change.faster is None), None
    )
    before = bottleneck.before
    if more is None or more.response is None or not before.response or not before.throughput:
        return text
    text += f" With one server more the response would be {time_of(more.response)}, not {time_of(before.response)}"
    if more.maximum and before.maximum:
        text += f", and the saturation throughput {rate_of(more.maximum)}, not {rate_of(before.maximum)}"
    return f"{text}."


def _by_class(bottleneck: Bottleneck) -> Iterator[Finding]:
    """The bottleneck of each class alone, and the limit of the arrivals next to closed classes."""
    names: dict[str, str] = {}
    for item in bottleneck.solution.classes:
        visits = [visit for visit in bottleneck.visits if visit.class_name == item.name and visit.full_at is not None]
        if visits:
            least = min(visits, key=lambda visit: visit.full_at or 0.0)
            names[item.name] = least.part.label
    stations, listing = set(names.values()), [f"{station} for {name}" for name, station in names.items()]
    if len(stations) > 1:
        yield Finding(FULL, "", f"The bottleneck depends on the mix of classes; for one alone it is {listed(listing)}.")
    elif len(names) > 1:
        yield Finding(FULL, stations.pop(), f"The bottleneck is the same for every class alone: {listed(listing)}.")
    closed = [item for item in bottleneck.solution.classes if item.population is not None]
    arriving = [item for item in bottleneck.solution.classes if item.population is None]
    if closed and arriving and bottleneck.edge.factor < float("inf"):
        rate = float(sum(item.throughput for item in arriving) * bottleneck.edge.factor)
        text = f"If only arrivals grow, the steady state ends at {rate_of(rate)}, where {bottleneck.edge.cause} "
        text += "saturates; the throughput of the closed classes drops before that."
        yield Finding(FULL, str(bottleneck.edge.cause), text, "maximum_throughput", rate, "/s")


def best(bottleneck: Bottleneck) -> Iterator[Finding]:
    """The change that shortens the response most, of all that were tried."""
    before = bottleneck.before.response or 0.0
    first = next((item for item in ordered(bottleneck.changes) if item.response is not None), None)
    if first is not None and first.response is not None and 0 < first.response <= before * (1 - LITTLE):
        text = f"Of the changes tried, {first.words} helps most: the response would be {time_of(first.response)}, "
        yield Finding(ANSWER, first.station, f"{text}{_less(first.response / before)}.", BEST, first.response, "s")


def helps(bottleneck: Bottleneck) -> Iterator[Finding]:
    """The changes that shorten the response most, and those that raise the saturation throughput."""
    before = bottleneck.before.response or 0.0
    for words, faster in (("A faster station", True), ("One server more", False)):
        answered = [item for item in bottleneck.changes if item.response is not None]
        tried = [item for item in answered if (item.faster is not None) == faster]
        if not tried or before <= 0:
            continue
        best, brief = rising(tried, lambda item: item.response or 0.0)[0], ""
        response = best.response or 0.0
        identical = [item.station for item in tried if same(item.response or 0.0, response)]
        names = f"any one of {few(identical, 'or')}" if len(identical) > 1 else best.station
        if response > before * (1 - LITTLE):
            text = f"{words} shortens the response by less than {percent(LITTLE)}, at any station."
        elif faster:
            words = f"Making {names} {best.what}" if len(identical) > 1 else best.words
            text = f"{words} shortens the response most: to {time_of(response)}, {_less(response / before)}."
            if len(text) > LINE:
                brief = f"{words} helps most: response {time_of(response)}, {_less(response / before)}."
        else:
            text = f"{words} helps most at {names}: {time_of(response)}, {_less(response / before)}."
        yield Shortened(HELP, best.station, text=text, quantity="response", value=response, unit="s", brief=brief)
    yield from _further(bottleneck)


def _less(ratio: float) -> str:
    return f"{percent(1 - ratio)} less"


def _further(bottleneck: Bottleneck) -> Iterator[Finding]:
    """The changes that raise the saturation throughput."""
    if not bottleneck.maximum:
        return
    raised = [item for item in bottleneck.changes if (item.maximum or 0.0) > bottleneck.maximum * (1 + LITTLE)]
    if not raised:
        text = f"None of these changes raises the saturation throughput, {rate_of(bottleneck.maximum)}, by more than "
        text += f"{percent(LITTLE)}."
        yield Finding(HELP, "", text, "maximum_throughput", bottleneck.maximum, "/s")
        return
    ordered = rising(raised, lambda item: -(item.maximum or 0.0))
    sentence = listed([f"{item.words} to {rate_of(item.maximum or 0.0)}" for item in ordered[:3]])
    text = f"The saturation throughput, now {rate_of(bottleneck.maximum)}, is raised by {sentence}."
    yield Finding(HELP, ordered[0].station, text, "maximum_throughput", ordered[0].maximum, "/s")


def ordered(changes: Sequence[Change]) -> list[Change]:
    """Changes in order of their response times, those without an answer last."""
    answered = rising((item for item in changes if item.response is not None), lambda item: item.response or 0.0)
    return [*answered, *(item for item in changes if item.response is None)]
