"""Findings, the sentences of an explanation, and the words they share."""

from __future__ import annotations

from qnet.networks.solution import ClassFigures
from qnet.questions.bottleneck.bottleneck import Bottleneck, Resource, ResponsePart
from qnet.questions.points.solution_figures import rising, same
from qnet.record import Record
from qnet.units import format_number, format_quantity

QUESTION, ANSWER, TIME, ROUTES, FULL, HELP, LAWS, TRUST, ASSUMED, SOURCES = SECTIONS = (
    "question", "answer", "breakdown of response time", "routes", "bottleneck", "what would help", "laws",
    "method and trust", "assumptions", "provenance",
)  # fmt: skip
LINE = 80
"""Characters of a line on a screen."""
MIX = " with the present mix of classes"
BEST = "best_change"
"""The quantity of the finding on the best change."""
_MOST_CLASSES = 3
"""Most classes whose response is broken down; a choice: the slowest matter most."""
_REACHED = 1e-4
"""The headroom that counts as none: less than printed digits show of a throughput."""
_MOST_TOGETHER = 4
"""Most names that one sentence lists; a choice of wording."""
LITTLE = 0.01
"""The relative change below which a sentence calls nothing better."""


class Finding(Record):
    """A sentence or two, with the number they are about."""

    section: str
    subject: str
    """The station, class or route it is about; empty for the system."""
    text: str
    quantity: str = ""
    """The name of the number, such as `residence`."""
    value: float | None = None
    unit: str = ""


class Shortened(Finding):
    """A finding whose text may be longer than a line."""

    brief: str = ""
    """A shorter text, at most 80 columns where names are short; empty where the text itself is short."""


class Extended(Finding):
    """A finding whose first sentence may also be a finding of another section."""

    first: str = ""


def percent(share: float) -> str:
    """A share in percent: `11.4 %`."""
    return f"{format_number(100 * share, 3)} %"


def time_of(value: float) -> str:
    """A time in a suitable unit: `9.464 ms`."""
    return format_quantity(value, "s")


def rate_of(value: float) -> str:
    """A rate: `900/s`."""
    return format_quantity(value, "/s")


def listed(names: list[str], word: str = "and") -> str:
    """Names as a list in a sentence: `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"


def few(names: list[str], word: str = "and") -> str:
    """As `listed`, but of many names only the first are shown: `a, b and 7 others`."""
    return (
        listed(names, word) if len(names) <= _MOST_TOGETHER else listed([*names[:2], f"{len(names) - 2} others"], word)
    )


def called(bottleneck: Bottleneck, part: ResponsePart) -> str:
    """The name of a part of the response: `cpu`, `delays outside the stations`, `waiting for a place in nvs`."""
    words = bottleneck.in_words(part)
    return words.replace("delays", "delays outside the stations", 1) if bottleneck.at_delays(part) else words


def where(bottleneck: Bottleneck, part: ResponsePart) -> str:
    """The location of a part of the response: `at cpu`, `in delays outside the stations`."""
    words = called(bottleneck, part)
    if part.label:
        return f"at {words}"
    return f"in {words}" if bottleneck.at_delays(part) else words


def made_of(part: ResponsePart) -> str:
    """The split of a part of the response into service and waiting, in words."""
    if part.wait is None or part.service is None:
        cause = "the rate depends on the number present"
        if part.contradicted:
            cause = "the approximation makes the time there shorter than the service"
        return f"service and waiting cannot be separated there, because {cause}"
    if not part.wait:
        return "none of it is waiting"
    if not part.service:
        return "all of it is waiting"
    return f"{time_of(part.service)} of it is service and {time_of(part.wait)} waiting"


def largest(bottleneck: Bottleneck) -> list[ResponsePart]:
    """The parts of the response that take time, the largest first."""
    order = [item.label for item in bottleneck.solution.stations]
    parts = [resource.part for resource in bottleneck.resources if resource.part]
    parts.sort(key=lambda part: order.index(part.label))
    parts += [bottleneck.delays] if bottleneck.delays else []
    return rising((part for part in parts if part.residence > 0), lambda part: -part.residence)


def first_saturated(bottleneck: Bottleneck) -> str:
    """The bottleneck, or all stations that saturate together, in words: `cpu saturates first, at 1002/s, ...`."""
    first, *others = full_together(bottleneck)
    if not others:
        return f"{first.label} saturates first, {distance(bottleneck, first)}."
    names = few([first.label, *(resource.label for resource in others)])
    return f"{names} saturate first, {distance(bottleneck, first)}."


def full_together(bottleneck: Bottleneck) -> list[Resource]:
    """The bottleneck, and what saturates at the same throughput; empty where nothing can saturate."""
    first = first_full(bottleneck)
    if first is None:
        return []
    rate = full_at(bottleneck, first) or 0.0
    return [
        first,
        *(resource for resource in bottleneck.ranked if resource != first and same(resource.full_at or 0.0, rate)),
    ]


def slowest(bottleneck: Bottleneck) -> list[ClassFigures]:
    """The classes with the longest responses, at most three, in the order of the model."""
    by_response = sorted(bottleneck.solution.classes, key=lambda item: -float(item.response))[:_MOST_CLASSES]
    return [item for item in bottleneck.solution.classes if item in by_response]


def first_full(bottleneck: Bottleneck) -> Resource | None:
    """The bottleneck: the resource that limits the throughput where that is known, otherwise the first by demands."""
    named = [resource for resource in bottleneck.ranked if resource.label == bottleneck.limited_by]
    return next(iter(named or bottleneck.ranked), None)


def full_at(bottleneck: Bottleneck, resource: Resource) -> float | None:
    """The throughput at which a resource saturates; the saturation throughput for the one that limits the system."""
    return (
        bottleneck.maximum
        if resource.label == bottleneck.limited_by and bottleneck.maximum is not None
        else resource.full_at
    )


def distance(bottleneck: Bottleneck, resource: Resource) -> str:
    """The throughput at which a resource saturates, in words: `at 1002/s, 11.4 % above the present 900/s`."""
    now, rate = float(bottleneck.solution.throughput), full_at(bottleneck, resource) or 0.0
    mix = MIX if len(bottleneck.solution.classes) > 1 else ""
    if now <= 0:
        return f"at {rate_of(rate)}{mix}"
    if rate / now - 1 < _REACHED:
        return f"at {rate_of(rate)}{mix}, which the present throughput has as good as reached"
    return f"at {rate_of(rate)}{mix}, {percent(rate / now - 1)} above the present {rate_of(now)}"
