"""Why a method does not apply, or an answer is approximate: as data, with the one table of their sentences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from qnet.record import Record

if TYPE_CHECKING:
    from typing import Self

SENTENCES = {
    "no closed classes": "there are no closed classes",
    "closed": "there are closed classes",
    "one closed class": "it is for several classes",
    "several closed classes": "it is for one class",
    "batches at once": "it takes the points of a batch one by one",
    "servers": "a station has several servers",
    "rates": "a station has rates that depend on the number present",
    "changing rates": "it is for stations of fixed rate",
    "holds": "a station is held while another is waited for",
    "second phase": "there is second-phase work",
    "memory": "service times depend on the number inside a station",
    "capacity": "a station or a buffer has a finite capacity",
    "buffers": "a station or a buffer has a finite capacity",
    "parallel": "branches run in parallel",
    "priorities": "a station has priorities",
    "order of arrival": "it ignores the order of arrival",
    "delayed by second phases": "second-phase work delays the customers that cause it",
    "fractional populations": "a population is fractional",
    "state probabilities": "it gives no state probabilities",
    "mixed batch": "open and closed classes share stations at every point",
}
"""By feature, in the order in which the first that is missing is reported."""

_OTHERS = {
    "no holds": "no station is held while another is waited for",
    "no second phase": "there is no second-phase work",
    "no memory": "no service times depend on the number inside a station",
    "no capacity": "no station or buffer has a finite capacity",
    "no buffers": "no station or buffer has a finite capacity",
    "no parallel": "no branches run in parallel",
    "no priorities": "no station has priorities",
    "limited": "something may be full, and there are no closed classes",
    "no region": "no station is held around stations that are not used outside",
    "region": '"{station}" is held while others are waited for',
    "nothing held": "no server is held during a possible wait, or kept after the response",
    "kept": "a server is kept after the response",
    "full": "something may be full",
    "layered": "it has simultaneous resource possession, or second phases",
    "limits inside": "a station limits how many may be inside",
    "no routes": "it needs the routes of classes, which demands do not determine",
    "ranked": "a station serves one class before another",
    "ranked steps": "steps have priorities",
    "too large": "there are too many stations and classes",
    "underflow": "its smallest probabilities, lost to underflow, might matter with this many customers",
    "combinations": "the numbers at the stations have too many combinations",
    "product form": "the network has product form",
    "measured error": "product form has the smaller measured error",
    "questions": "it is not used for searches, batches, bounds or state probabilities",
    "last": "it comes last, where no other method is exact",
    "no arrivals": "{class_name} has no arrivals, and its response is given as its service demand",
    "one class only": "it is known for one class only",
    "one server only": "it is known for stations with one server only",
    "falling rates": "it is known for rates that do not fall",
    "closed only": "it is known for closed classes only",
    "not Poisson": "arrivals of {class_name} are not Poisson",
    "independent second phases": "second-phase work is treated as an independent stream",
    "priority order": "priorities",
    "fractional": "results for a fractional population lie between those of the two nearest integers",
    "different times": "service times differ between its visits",
    "variable times": "service times are not exponential",
    "stack of servers": "last come first served with several servers",
    "before others": "some are served before others",
    "interrupting": "some interrupt others",
    "class interrupts": "one class interrupts another",
    "class before another": "one class is served before another",
    "stack without product form": "last come first served with several servers has no product form",
    "different times in order": "first come first served, with service times that differ between classes",
    "variable times in order": "first come first served, with service times that are not exponential",
    "joined branches": "parallel branches are joined as independent times, less what they wait in common",
}


class Reason(Record):
    """Why a method does not apply, or an answer is approximate; `str` words it.

    >>> str(Reason("region", station="cpu"))
    '"cpu" is held while others are waited for'
    """

    code: str
    """A feature that the method does not support, another key of the tables here, or a code of the method itself."""
    cause: str = ""
    """What follows from it; the entire sentence for a code that is in no table."""
    station: str = ""
    """What it is about; named first where the sentence does not name it."""
    class_name: str = ""
    numbers: tuple[float, ...] = ()

    def __str__(self) -> str:
        sentence = SENTENCES.get(self.code) or _OTHERS.get(self.code)
        if sentence is None:
            return self.cause or self.code
        text = sentence.format(station=self.station, class_name=self.class_name, numbers=self.numbers)
        prefix = f"{self.station}: " if self.station and "{station}" not in sentence else ""
        return f"{prefix}{text}; {self.cause}" if self.cause else prefix + text


def together(codes: Iterable[str]) -> Reason | None:
    """That all of some causes apply at once: one reason, worded as a list; None without a cause.

    codes  of causes, as the table of reasons has them.

    >>> str(together(["no holds", "no second phase"]))
    'no station is held while another is waited for and there is no second-phase work'
    """
    sentences = list(dict.fromkeys(str(Reason(code)) for code in codes))
    if not sentences:
        return None
    *most, last = sentences
    return Reason("several", f"{', '.join(most)} and {last}" if most else last)


class Inexact(str):
    """Why an answer is approximate: a text, and what it is made of."""

    reason: Reason

    def __new__(cls, reason: Reason) -> Self:
        self = super().__new__(cls, reason)
        self.reason = reason
        return self


class Beyond(Inexact):
    """A reason for an approximate answer that is used beyond the region in which its error was measured as small."""

    code: str
    """Of the warning."""
    warning: str
    """The text that the reader gets."""

    def __new__(cls, reason: str | Reason, code: str, warning: str) -> Self:
        self = super().__new__(cls, reason if isinstance(reason, Reason) else Reason("other", reason))
        self.code, self.warning = code, warning
        return self


class Requested(str):
    """Why a method was taken that was named."""


REQUESTED = Requested("asked for")


def approximation(method: str) -> Inexact:
    """The reason that a method brings which is never exact.

    >>> approximation("aql")
    'aql is an approximation'
    """
    return Inexact(Reason("approximation", f"{method} is an approximation"))
