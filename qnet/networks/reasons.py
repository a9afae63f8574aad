"""Why a method does not apply, or an answer is approximate: as data, in one table of sentences, and as notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from qnet.note import Note
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
    "order unstated": "demands state no order of visits, and classes are taken to visit the stations in turn",
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
    "chains spent": "operations for Markov chains are spent",
    "waits inside holds": "the response rests on the wait for {station} inside holds",
    "held out of order": "{station} is held while others are waited for, and not first come first served",
    "kept out of order": "{station} is kept after the response, and not first come first served",
    "given scv": "the scv of the hold of {station} is given, and it is held around other stations",
    "kept by others": "times at {station} are not one exponential time, and others work on after the response",
    "holds in step": "customers come to {station} from {others[0]}, and others ask for {others[1]} while they hold "
    "{others[2]}",
    "back while kept": "customers come back at once to {station}, which is still kept after their visit before",
    "three holds": "{station} is held around {others[0]}, and that around {others[1]}",
    "variable holds": "times at {station}, in or around holds, vary more than exponential ones",
    "from other queues": "how evenly customers come to {station} from other queues matters for more than "
    "{numbers[0]:.0f} % of the time there",
    "scv of services": "the scv of services at {station} is above {numbers[0]:g}",
    "servers in a network": "{station} has several servers and is not the only station",
    "not Poisson out of order": "arrivals at {station}, which is not first come first served, are not Poisson",
    "not Poisson with rates": "arrivals at {station}, whose rates depend on the number present, are not Poisson",
    "back before others": "customers come back to {station}, where some are served before others",
    "back by plan": "customers come back to {station} by plan, and their times there are not one exponential time",
    "back and not Poisson": "customers return to a station, and arrivals from outside are not Poisson",
    "classes and not Poisson": "several classes, and arrivals are not Poisson",
    "scv of arrivals": "the scv of arrivals is above {numbers[0]:g}",
    "holds apart": "servers are held for times that differ by more than a factor of 3",
    "holds of large scv": "servers are held for times that vary with an scv above 4",
    "kept as work": "what it is kept for is taken as work",
    "nearly constant": "times are nearly constant",
    "inside and outside": "the same customers ask for {station} inside holds and from outside",
    "second phases in holds": "second-phase work at {station}, in or around holds",
    "open with holds": "open classes with closed ones that hold servers",
    "phases": "{station} are taken as the phases of a mean and an scv",
    "lost later": "waits of passages that are lost later are counted as those of the others",
    "states left out": "more customers from outside than the chain knows",
    "constant as phases": "constant times as a few phases",
    "no time": "services of no time are the limit of short ones",
    "losses return": "{station} loses more than {numbers[0]:.0f} % of what comes, which comes again the sooner",
    "around as one": "what is around it is taken as one with its throughput",
    "has capacity": "{station} has a capacity, and {cause}",
    "passed as Poisson": "what passes {station} is taken as Poisson where it comes next",
    "queue as Poisson": "{cause}, and what passes it is taken as Poisson",
    "independent drain": "the work that frees its places is taken as independent of what fills it",
    "constant inside": "what changes with the number inside is taken as if that number were constant",
    "behind as one": "the stations behind it are taken as one with their throughput",
    "two modes": "two numbers of customers are likely there",
    "two modes around": "two numbers of customers are likely there, around {numbers[0]} and {numbers[1]}",
    "back by chance": "{class_name} comes back to its stations by chance",
    "back to one by chance": "{class_name} comes back to {station} by chance",
    "several in a row": "customers visit {station} several times in a row",
    "nearly all at two": "two stations and more have nearly all customers of closed classes between them: what one has "
    "the other lacks",
    "mixed not exponential": "with open and closed classes {station} is not one server with one exponential time for "
    "all",
    "closed not exponential": "with closed classes the service times at {station} are not one exponential time for all",
    "scv at a station": "service times at {station} have an scv above {numbers[0]:g}",
    "times apart": "service times at {station} differ by more than a factor of {numbers[0]:g}, or in their scv",
    "parallel steps": "steps are parallel",
    "some first": "{station} serves some before others",
    "may be full": "{station} may be full",
    "rates of a station": "{station} has rates that depend on the number present",
    "last first": "{station} serves the last first",
    "shared servers": "{station} shares several servers",
    "second phases": "there are second phases at {station}",
    "held": "{station} is held while another station is waited for",
    "shared not exponential": "{station} is shared by times that are not exponential",
    "several solutions": "times depend on the solution, and there is more than one",
}


_LINE = 120
"""A note that is longer has a text in a few words."""
_MOST, _FIRST = 12, 5
"""Reasons that are listed all, and those that are listed of more."""


class Reason(Record):
    """Why a method does not apply, or an answer is approximate; `str` words it.

    >>> str(Reason("region", station="cpu"))
    '"cpu" is held while others are waited for'
    """

    code: str
    """A feature that the method does not support, another key of the tables here, or a code of the method itself."""
    cause: str = ""
    """What follows from it, or what the sentence has room for; the entire sentence for a code that is in no table."""
    station: str = ""
    """What it is about; named first where the sentence does not name it."""
    class_name: str = ""
    numbers: tuple[float, ...] = ()
    others: tuple[str, ...] = ()
    """Other stations that the sentence names."""

    def __str__(self) -> str:
        return f"{self.subject}: {self.what}" if self.subject else self.what

    @property
    def subject(self) -> str:
        """The station that stands before the sentence; empty where the sentence names it, or is about none."""
        template = self._template
        return self.station if template and "{station}" not in template else ""

    @property
    def what(self) -> str:
        """The sentence without its subject."""
        return f"{self._text}; {self.cause}" if self._followed else self._text

    @property
    def short(self) -> str:
        """The sentence without what follows from it."""
        return f"{self.subject}: {self._text}" if self.subject else self._text

    @property
    def _template(self) -> str:
        return SENTENCES.get(self.code) or _OTHERS.get(self.code, "")

    @property
    def _followed(self) -> bool:
        return bool(self._template and self.cause) and "{cause}" not in self._template

    @property
    def _text(self) -> str:
        return self._template.format(**self.as_dict()) if self._template else self.cause or self.code


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

    def __new__(cls, reason: Reason, code: str, warning: str = "", after: str = "") -> Self:
        """A reason with the warning (default: its sentence); `after` follows the sentence in the text."""
        self = str.__new__(cls, f"{reason}{after}")
        self.reason, self.code, self.warning = reason, code, warning or str(reason)
        return self

    def warned(self, warning: str) -> Self:
        """The reason with another warning."""
        other = str.__new__(type(self), self)
        other.reason, other.code, other.warning = self.reason, self.code, warning
        return other


class Requested(str):
    """Why a method was taken that was named."""


REQUESTED = Requested("asked for")


def approximation(method: str) -> Inexact:
    """The reason that a method brings which is never exact.

    >>> approximation("aql")
    'aql is an approximation'
    """
    return Inexact(Reason("approximation", f"{method} is an approximation"))


def approximate_notes(reasons: Iterable[str], what: str = "the answer is") -> list[Note]:
    """Why something is approximate, with warnings of what is beyond its measured region; nothing without a reason.

    reasons  those of a solution, each as its sentence.
    what     subject and verb of the note.
    """
    every = sorted(reasons, key=_of_method)
    result = list(dict.fromkeys(every))
    if not result:
        return []
    warned: dict[str, dict[str, None]] = {}
    for reason in every:
        if isinstance(reason, Beyond):
            warned.setdefault(reason.code, {})[reason.warning] = None
    warnings = [Note(code, _listed(list(texts)), "warning") for code, texts in warned.items()]
    text = f"{what} approximate: {_listed(result)}"
    brief = f"{what} approximate: {result[0]}; {len(result) - 1} more with --json"
    return [Note("QN601", text, brief=brief if len(text) > _LINE and len(result) > 1 else ""), *warnings]


def _of_method(reason: str) -> bool:
    """Whether a reason states no more than that the method is an approximation: what of the model makes it one stands
    before it."""
    return isinstance(reason, Inexact) and reason.reason.code == "approximation"


def _listed(texts: Sequence[str]) -> str:
    """Reasons in a row: the first of very many, and how many more there are."""
    if len(texts) <= _MOST:
        return "; ".join(texts)
    return f"{'; '.join(texts[:_FIRST])}; and {len(texts) - _FIRST} more like these"


def idle_notes(idle: Sequence[str]) -> list[Note]:
    """That closed classes have no customers; nothing without such a class.

    idle  the names of these classes.
    """
    if not idle:
        return []
    text = f"{', '.join(idle)}: without customers, the response is that of the demands alone, without any wait"
    return [Note("QN702", text)]


def method_notes(method: str, why: str, approximate: bool) -> list[Note]:
    """Why an approximation was taken that was not asked for.

    method       that `auto` took.
    why          the reason that no exact method did; empty for none.
    approximate  whether it is no exact one.
    """
    return [Note("QN607", f"method {method}: {why}")] if why and approximate and not isinstance(why, Requested) else []
