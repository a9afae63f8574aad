"""What there is to say about a system, one finding after the other, and the words they share."""

from __future__ import annotations

from qnet.networks.solution import ClassFigures
from qnet.questions.bottleneck.bottleneck import Bottleneck, Resource, ResponsePart
from qnet.questions.points.points import rising, same
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
"""What the number of the finding is that names the best change."""
_MOST_CLASSES = 3
"""Classes whose response is broken down; a choice: the slowest matter most."""
_MOST_TOGETHER = 4
"""Names that one sentence lists; a choice of wording."""
LITTLE = 0.01
"""A share that is not worth a word."""


class Finding(Record):
    """One thing to say, and the number it is about."""

    section: str
    subject: str
    """The station, class or route it is about; empty for the system."""
    text: str
    quantity: str = ""
    """What the number is."""
    value: float | None = None
    unit: str = ""


class Shortened(Finding):
    """A thing to say whose text may be longer than a line."""

    brief: str = ""
    """The text in at most a line of 80 columns, where names are short; empty where it is the text."""


class Extended(Finding):
    """A thing to say whose first sentence another finding may have alone."""

    first: str = ""


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
    """As `listed`, but of many names only the first are shown: `a, b and 7 others`."""
    return (
        listed(names, word) if len(names) <= _MOST_TOGETHER else listed([*names[:2], f"{len(names) - 2} others"], word)
    )


def called(bottleneck: Bottleneck, part: ResponsePart) -> str:
    """What a part of the response is: `cpu`, `delays outside the stations`, `waiting for a place in nvs`."""
    reported = bottleneck.in_words(part)
    apart = bottleneck.at_delays(part)
    return reported.replace("delays", "delays outside the stations", 1) if apart else reported


def where(bottleneck: Bottleneck, part: ResponsePart) -> str:
    """Where a part of the response is spent: `at cpu`, `in delays outside the stations`."""
    reported = called(bottleneck, part)
    if part.label:
        return f"at {reported}"
    return f"in {reported}" if bottleneck.at_delays(part) else reported


def made_of(part: ResponsePart) -> str:
    """How a part of the response is split into service and waiting."""
    if part.wait is None or part.service is None:
        return "service and waiting cannot be distinguished there, because its rate depends on the number present"
    if not part.wait:
        return "nothing of it is waiting"
    if not part.service:
        return "all of it is waiting"
    return f"{time_of(part.service)} of it is service and {time_of(part.wait)} waiting"


def largest(bottleneck: Bottleneck) -> list[ResponsePart]:
    """The parts of the response that matter, the largest first."""
    order = [item.label for item in bottleneck.solution.stations]
    parts = [resource.part for resource in bottleneck.resources if resource.part]
    parts.sort(key=lambda part: order.index(part.label))
    parts += [bottleneck.delays] if bottleneck.delays else []
    return rising((part for part in parts if part.residence > 0), lambda part: -part.residence)


def first_saturated(bottleneck: Bottleneck) -> str:
    """The bottleneck, in words: `cpu saturates first, at 1002/s, ...`; all that saturate together."""
    first, *others = full_together(bottleneck)
    if not others:
        return f"{first.label} saturates first, {distance(bottleneck, first)}."
    names = few([first.label, *(resource.label for resource in others)])
    return f"{names} saturate first, {distance(bottleneck, first)}."


def full_together(bottleneck: Bottleneck) -> list[Resource]:
    """What saturates first, and what saturates at the same throughput; empty where nothing can saturate."""
    first = first_full(bottleneck)
    if first is None:
        return []
    full = full_at(bottleneck, first) or 0.0
    return [
        first,
        *(resource for resource in bottleneck.ranked if resource != first and same(resource.full_at or 0.0, full)),
    ]


def slowest(bottleneck: Bottleneck) -> list[ClassFigures]:
    """The classes that are described in words: all of a few, else those with the longest responses, in the model's
    order."""
    by_response = sorted(bottleneck.solution.classes, key=lambda item: -float(item.response))[:_MOST_CLASSES]
    return [item for item in bottleneck.solution.classes if item in by_response]


def first_full(bottleneck: Bottleneck) -> Resource | None:
    """The bottleneck: what ends the steady state where that is known, else the first by demands."""
    named = [resource for resource in bottleneck.ranked if resource.label == bottleneck.limited_by]
    return next(iter(named or bottleneck.ranked), None)


def full_at(bottleneck: Bottleneck, resource: Resource) -> float | None:
    """The throughput at which a resource saturates; with waits inside holds, that where the steady state ends."""
    return (
        bottleneck.maximum
        if resource.label == bottleneck.limited_by and bottleneck.maximum is not None
        else resource.full_at
    )


def distance(bottleneck: Bottleneck, resource: Resource) -> str:
    """`at 1002/s, 11.4 % above the present 900/s`."""
    now, full = float(bottleneck.solution.throughput), full_at(bottleneck, resource) or 0.0
    mix = MIX if len(bottleneck.solution.classes) > 1 else ""
    if now <= 0:
        return f"at {rate_of(full)}{mix}"
    return f"at {rate_of(full)}{mix}, {percent(full / now - 1)} above the present {rate_of(now)}"
