"""Findings on capacity: what is full first and second, how far apart, and what would help most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qnet.questions.bottleneck.bottleneck import Bottleneck
from qnet.questions.bottleneck.software import Software
from qnet.questions.points.changes import Change
from qnet.questions.points.points import rising, same
from qnet.questions.why.findings import (
    FULL,
    HELP,
    LITTLE,
    Finding,
    few,
    full_at,
    full_together,
    listed,
    percent,
    rate_of,
    time_of,
    told_first,
)  # fmt: skip
from qnet.units import format_number


def full(found: Bottleneck) -> Iterator[Finding]:
    """What is full first, what second and how far apart, by class as well, and which holds wait inside."""
    together = full_together(found)
    if not together:
        return
    first, several = together[0], len(together) > 1
    its = "Their" if several else "Its"
    used = ""
    if first.utilization is not None and all(same(first.utilization, place.utilization or 0.0) for place in together):
        used = f" {its} utilization is now {format_number(first.utilization)}."
    yield Finding(FULL, first.label, f"{told_first(found)}{used}", "full_at", full_at(found, first), "/s")
    if first.full_population is not None and found.solution.classes[0].population is not None:
        now = format_number(float(found.solution.classes[0].population))
        text = f"{its} asymptotes meet at N* = {format_number(first.full_population)} customers; there are {now} now. "
        losing = found.solution.offered is not None
        text += f"With many more than N*, each further customer adds only {'losses' if losing else 'response'}."
        yield Finding(FULL, first.label, text, "full_population", first.full_population)
    second = next((place for place in found.ranked if place not in together), None)
    if second and second.full_at and full_at(found, first):
        ratio = second.full_at / (full_at(found, first) or 1.0)
        text = f"{second.label} is next, at {rate_of(second.full_at)}: {format_number(ratio, 3)} times as much. "
        text += f"It limits the system once {'these no longer do' if several else f'{first.label} no longer does'}."
        yield Finding(FULL, second.label, text, "full_at", second.full_at, "/s")
    yield from _by_class(found)
    for place in found.places:
        if place.waits_inside and place.waits_inside >= LITTLE:
            text = (
                f"{percent(place.waits_inside)} of the time that {place.label} is held is waiting for stations inside, "
            )
            text += "and shrinks as they get faster."
            yield Finding(FULL, place.label, text, "waits_inside", place.waits_inside)


def software(found: Bottleneck) -> Iterator[Finding]:
    """Which servers are nearly all held at stations inside that are not full, and what one more would bring."""
    for item in found.software:
        yield Finding(FULL, item.label, software_words(found, item), "utilization", item.utilization)


def software_words(found: Bottleneck, item: Software) -> str:
    """A software bottleneck in words: who is held, where, and what one server more would bring."""
    text = f"{item.label} is a software bottleneck: {percent(item.utilization)} of its "
    text += f"{'servers are' if item.servers > 1 else 'server is'} held, and {percent(item.inside)} of that time is "
    text += f"spent at stations inside, most of it at {item.at}; but none of these is busier than "
    text += f"{percent(item.busiest_utilization)} ({item.busiest})."
    more = next((change for change in found.changes if change.station == item.name and change.faster is None), None)
    before = found.before
    if more is None or more.response is None or not before.response or not before.throughput:
        return text
    text += f" One server more brings a response of {time_of(more.response)}, now {time_of(before.response)}"
    if more.maximum and before.maximum:
        text += f", and a largest throughput of {rate_of(more.maximum)}, now {rate_of(before.maximum)}"
    return f"{text}."


def _by_class(found: Bottleneck) -> Iterator[Finding]:
    """What each class alone would fill, and how far arrivals can grow beside closed classes."""
    names: list[str] = []
    for item in found.solution.classes:
        own = [visit for visit in found.visits if visit.class_name == item.name and visit.full_at is not None]
        if own:
            least = min(own, key=lambda visit: visit.full_at or 0.0)
            names.append(f"{least.part.label} for {item.name}")
    stations = {name.partition(" for ")[0] for name in names}
    if len(stations) > 1:
        yield Finding(FULL, "", f"The bottleneck depends on the mix: alone, it is {listed(names)}.")
    elif len(names) > 1:
        yield Finding(FULL, stations.pop(), f"The bottleneck is the same for every class alone: {listed(names)}.")
    closed = [item for item in found.solution.classes if item.population is not None]
    arriving = [item for item in found.solution.classes if item.population is None]
    if closed and arriving and found.edge.factor < float("inf"):
        rate = float(sum(item.throughput for item in arriving) * found.edge.factor)
        text = f"If only arrivals grow, there is no steady state from {rate_of(rate)} of them on, because "
        text += f"{found.edge.cause} is full; closed classes are squeezed out before that."
        yield Finding(FULL, str(found.edge.cause), text, "maximum_throughput", rate, "/s")


def helps(found: Bottleneck) -> Iterator[Finding]:
    """Which change shortens the response most, and which ones move the limit of the throughput."""
    before = found.before.response or 0.0
    for words, kind in (("A faster station", True), ("One server more", False)):
        tried = [item for item in found.changes if item.response is not None and (item.faster is not None) == kind]
        if not tried or before <= 0:
            continue
        best = rising(tried, lambda item: item.response or 0.0)[0]
        response = best.response or 0.0
        alike = [item.station for item in tried if same(item.response or 0.0, response)]
        names = f"any one of {few(alike, 'or')}" if len(alike) > 1 else best.station
        if response > before * (1 - LITTLE):
            text = f"{words} shortens the response by less than {percent(LITTLE)}, whichever it is."
        elif kind:
            words = f"Making {names} {best.what}" if len(alike) > 1 else best.words
            text = f"{words} shortens the response most: to {time_of(response)}, {_less(response / before)}."
        else:
            text = f"{words} helps most at {names}: {time_of(response)}, {_less(response / before)}."
        yield Finding(HELP, best.station, text, "response", response, "s")
    yield from _further(found)


def _less(ratio: float) -> str:
    return f"{percent(1 - ratio)} less"


def _further(found: Bottleneck) -> Iterator[Finding]:
    """Which changes move the limit of the throughput."""
    if not found.maximum:
        return
    raised = [item for item in found.changes if (item.maximum or 0.0) > found.maximum * (1 + LITTLE)]
    if not raised:
        text = f"None of these changes raises the largest throughput, {rate_of(found.maximum)}, by {percent(LITTLE)}."
        yield Finding(HELP, "", text, "maximum_throughput", found.maximum, "/s")
        return
    ordered = rising(raised, lambda item: -(item.maximum or 0.0))
    told = listed([f"{item.words} to {rate_of(item.maximum or 0.0)}" for item in ordered[:3]])
    text = f"The largest throughput, now {rate_of(found.maximum)}, is raised by {told}."
    yield Finding(HELP, ordered[0].station, text, "maximum_throughput", ordered[0].maximum, "/s")


def ordered(changes: Sequence[Change]) -> list[Change]:
    """Changes, those with the shortest response first."""
    answered = rising((item for item in changes if item.response is not None), lambda item: item.response or 0.0)
    return [*answered, *(item for item in changes if item.response is None)]
