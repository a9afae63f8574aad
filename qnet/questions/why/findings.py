"""What there is to say about a system, one finding after the other, and the words they share."""

from __future__ import annotations

from qnet.networks.solution import ClassFigures
from qnet.questions.bottleneck.bottleneck import Bottleneck, Part, Place
from qnet.questions.points.points import rising, same
from qnet.record import Record
from qnet.units import format_number, format_quantity

QUESTION, ANSWER, TIME, ROUTES, FULL, HELP, LAWS, TRUST, ASSUMED, SOURCES = SECTIONS = (
    "question", "answer", "breakdown of response time", "routes", "bottleneck", "what would help", "laws",
    "method and trust", "assumptions", "provenance",
)  # fmt: skip
_MOST_CLASSES = 3
_MOST_ALIKE = 4
LITTLE = 0.01
"""A share that is not worth a word."""


class Finding(Record):
    """One thing to say, and the number it is about."""

    section: str
    subject: str
    """The station, class or route it is about; empty for the whole system."""
    text: str
    quantity: str = ""
    """What the number is."""
    value: float | None = None
    unit: str = ""


def percent(share: float) -> str:
    """A share as people say it: `11.4 %`."""
    return f"{format_number(100 * share, 3)} %"


def time_of(value: float) -> str:
    """A time in the unit that suits it: `9.464 ms`."""
    return format_quantity(value, "s")


def rate_of(value: float) -> str:
    """A rate: `900/s`."""
    return format_quantity(value, "/s")


def listed(names: list[str], word: str = "and") -> str:
    """Names as a list in a sentence: `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"


def few(names: list[str], word: str = "and") -> str:
    """The same of many names, of which only the first are told: `a, b and 7 others`."""
    return listed(names, word) if len(names) <= _MOST_ALIKE else listed([*names[:2], f"{len(names) - 2} others"], word)


def called(found: Bottleneck, part: Part) -> str:
    """What a part of the response is: `cpu`, `delays outside the stations`, `waiting for a place in nvs`."""
    told = found.told(part)
    apart = not part.label and told.startswith("delays")
    return told.replace("delays", "delays outside the stations", 1) if apart else told


def where(found: Bottleneck, part: Part) -> str:
    """Where a part of the response is spent: `at cpu`, `in delays outside the stations`."""
    told = called(found, part)
    if part.label:
        return f"at {told}"
    return f"in {told}" if told.startswith("delays") else told


def made_of(part: Part) -> str:
    """How a part of the response is split into service and waiting."""
    if part.wait is None or part.service is None:
        return "service and waiting cannot be distinguished there, because its rate depends on the number present"
    if not part.wait:
        return "nothing of it is waiting"
    if not part.service:
        return "all of it is waiting"
    return f"{time_of(part.service)} of it is service and {time_of(part.wait)} waiting"


def largest(found: Bottleneck) -> list[Part]:
    """The parts of the response that matter, the largest first."""
    order = [item.label for item in found.solution.stations]
    parts = [place.part for place in found.places if place.part]
    parts.sort(key=lambda part: order.index(part.label))
    parts += [found.delays] if found.delays else []
    return rising((part for part in parts if part.residence > 0), lambda part: -part.residence)


def told_first(found: Bottleneck) -> str:
    """What is full first, in words: `cpu is full first, at 1002/s, ...`; all that are so together."""
    first, *others = full_together(found)
    if not others:
        return f"{first.label} saturates first, {distance(found, first)}."
    names = few([first.label, *(place.label for place in others)])
    return f"{names} saturate first, together, {distance(found, first)}."


def full_together(found: Bottleneck) -> list[Place]:
    """What is full first, and what is so at the same throughput; empty where nothing can be full."""
    first = first_full(found)
    if first is None:
        return []
    full = full_at(found, first) or 0.0
    return [first, *(place for place in found.ranked if place != first and same(place.full_at or 0.0, full))]


def slowest(found: Bottleneck) -> list[ClassFigures]:
    """The classes that are told in words: all of a few, else those with the longest responses, in the model's order."""
    by_response = sorted(found.solution.classes, key=lambda item: -float(item.response))[:_MOST_CLASSES]
    return [item for item in found.solution.classes if item in by_response]


def first_full(found: Bottleneck) -> Place | None:
    """What is full first: what ends the steady state where that is known, else the first by demands."""
    named = [place for place in found.ranked if place.label == found.limited_by]
    return next(iter(named or found.ranked), None)


def full_at(found: Bottleneck, place: Place) -> float | None:
    """The throughput of the system at which a place is full; with waits inside holds where it ends the steady state."""
    return found.maximum if place.label == found.limited_by and found.maximum is not None else place.full_at


def distance(found: Bottleneck, place: Place) -> str:
    """`at 1002/s, 11.4 % above the present 900/s`."""
    now, full = float(found.solution.throughput), full_at(found, place) or 0.0
    mix = " with the present mix of classes" if len(found.solution.classes) > 1 else ""
    if now <= 0:
        return f"at {rate_of(full)}{mix}"
    return f"at {rate_of(full)}{mix}, {percent(full / now - 1)} above the present {rate_of(now)}"
