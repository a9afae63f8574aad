"""Why a method does not apply, or an answer is approximate: reasons as data, their sentences, and their notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from qnet.lazy import lazy
from qnet.note import Note
from qnet.record import Record

if TYPE_CHECKING:
    from typing import Self

    from qnet.networks import measured_errors
    from qnet.networks.measured_errors import FeatureErrors
else:
    measured_errors = lazy("qnet.networks.measured_errors")


SENTENCES = {
    "no closed classes": "there are no closed classes",
    "closed": "there are closed classes",
    "one closed class": "it is for several classes",
    "several closed classes": "it is for one class",
    "batches at once": "it takes the points of a batch one by one",
    "servers": "a station has several servers",
    "rates": "a station has rates that depend on the number present",
    "changing rates": "it is for stations with fixed rates",
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
"""The sentence of each feature that a method may not support, in the order in which they are reported."""

_OTHERS = {
    "no holds": "no station is held while another is waited for",
    "no second phase": "there is no second-phase work",
    "no memory": "no service times depend on the number inside a station",
    "no capacity": "no station or buffer has a finite capacity",
    "no buffers": "no station or buffer has a finite capacity",
    "no parallel": "no branches run in parallel",
    "no priorities": "no station has priorities",
    "limited": "a capacity is finite, and there are no closed classes",
    "no region": "no station is held around stations that others use by visits of open classes at most",
    "region": '"{station}" is held while others are waited for',
    "nothing held": "no server is held during a possible wait, or kept after the response",
    "kept": "a server is kept after the response",
    "full": "a capacity is finite",
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
    "hardly any arrivals": "{class_name} has hardly any arrivals, and no method has an answer with them: its response "
    "is given as its service demand",
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
    "before others": "some customers are served before others",
    "interrupting": "some customers preempt others",
    "class interrupts": "one class preempts another",
    "class before another": "one class is served before another",
    "stack without product form": "last come first served with several servers has no product form",
    "different times in order": "first come first served, with service times that differ between classes",
    "variable times in order": "first come first served, with service times that are not exponential",
    "joined branches": "parallel branches are joined as independent times, less their common waits",
    "chains spent": "the operations for Markov chains are spent",
    "waits inside holds": "the response rests on the wait for {station} inside holds",
    "held out of order": "{station} is held while others are waited for, and not first come first served",
    "kept out of order": "{station} is kept after the response, and not first come first served",
    "given scv": "the scv of the hold of {station} is given, and it is held around other stations",
    "kept by others": "times at {station} are not one exponential time, and other stations are kept after the response",
    "holds in step": "customers come to {station} from {others[0]}, and others wait for {others[1]} while they hold "
    "{others[2]}",
    "back while kept": "customers return at once to {station}, which their previous visit still keeps",
    "three holds": "{station} is held around {others[0]}, and that around {others[1]}",
    "variable holds": "times at {station}, in or around holds, vary more than exponential ones",
    "as Poisson": "arrivals at {station} are taken as Poisson, where qna follows their variability",
    "from other queues": "the variability of arrivals at {station} from other queues decides more than "
    "{numbers[0]:.0f} % of the time there",
    "scv of services": "the scv of services at {station} is above {numbers[0]:g}",
    "servers in a network": "{station} has several servers and is not the only station",
    "not Poisson out of order": "arrivals at {station}, which is not first come first served, are not Poisson",
    "not Poisson with rates": "arrivals at {station}, whose rates depend on the number present, are not Poisson",
    "back before others": "customers return to {station}, where some are served before others",
    "on after others": "customers go on to another queue from {station}, where others before them use more than "
    "{numbers[0]:.0f} %",
    "back by plan": "customers return to {station} on a fixed route, and their times there are not one "
    "exponential time",
    "back and not Poisson": "customers return to a station, and arrivals from outside are not Poisson",
    "classes and not Poisson": "several classes, and arrivals are not Poisson",
    "scv of arrivals": "the scv of arrivals is above {numbers[0]:g}",
    "holds apart": "holding times of servers differ by more than a factor of 3",
    "holds of large scv": "holding times of servers have an scv above 4",
    "kept as work": "the time it is kept is taken as service",
    "nearly constant": "times are nearly constant",
    "inside and outside": "the same customers request {station} inside holds and from outside",
    "second phases in holds": "second-phase work at {station}, in or around holds",
    "soon back to a holder": "classes keep servers of {station} for different times, and one soon returns",
    "open with holds": "open classes with closed ones that hold servers",
    "phases": "{station} are replaced by phases of the same mean and scv",
    "lost later": "waits of passages that are lost later are counted like those of the others",
    "states left out": "states with more customers from outside are left out",
    "constant as phases": "constant times are replaced by a few exponential phases",
    "no time": "services of zero duration are taken as the limit of short ones",
    "losses return": "{station} loses more than {numbers[0]:.0f} % of its arrivals, which return the sooner",
    "around as one": "the rest of the network is replaced by one flow-equivalent station",
    "has capacity": "{station} has a capacity, and {cause}",
    "passed as Poisson": "departures from {station} are taken as Poisson arrivals at the next station",
    "queue as Poisson": "{cause}, and departures from it are taken as Poisson arrivals",
    "independent drain": "the work that frees its places is taken as independent of its arrivals",
    "constant inside": "times that depend on the number inside are taken as if that number were constant",
    "different inside": "classes visit different stations behind {station}",
    "behind as one": "the stations behind it are replaced by one flow-equivalent station",
    "two modes": "the number of customers has two likely values",
    "two modes around": "the number of customers has two likely values, around {numbers[0]} and {numbers[1]}",
    "far percentiles": "they are below the {numbers[0]:g}th or above the {numbers[1]:g}th",
    "back by chance": "{class_name} returns to its stations at random",
    "back to one by chance": "{class_name} returns to {station} at random",
    "passed by": "some passages leave {station} out, as its number of visits is no integer",
    "several in a row": "customers visit {station} several times in a row",
    "nearly all at two": "two or more stations have nearly all customers of closed classes between them: what one has "
    "the others lack",
    "mixed not exponential": "with open and closed classes {station} is not one server with one exponential time for "
    "all",
    "closed not exponential": "with closed classes the service times at {station} are not one exponential time for all",
    "scv at a station": "service times at {station} have an scv above {numbers[0]:g}",
    "times apart": "service times at {station} differ by more than a factor of {numbers[0]:g}, or in their scv",
    "parallel steps": "steps are parallel",
    "some first": "{station} serves some customers before others",
    "may be full": "{station} has a finite capacity",
    "rates of a station": "{station} has rates that depend on the number present",
    "last first": "{station} is last come first served",
    "shared servers": "{station} shares its several servers",
    "second phases": "there are second phases at {station}",
    "held": "{station} is held while another station is waited for",
    "shared not exponential": "{station} is processor sharing, with times that are not exponential",
    "several solutions": "times depend on the solution, and there are several solutions",
}


_LINE = 120
"""Characters above which a note with several reasons has a brief text as well."""
_MOST, _FIRST = 12, 5
"""How many reasons are all listed, and how many of a longer list are."""


class Reason(Record):
    """Why a method does not apply, or an answer is approximate; `str` words it.

    >>> str(Reason("region", station="cpu"))
    '"cpu" is held while others are waited for'
    """

    code: str
    """A feature that the method does not support, another key of the tables here, or a code of the method itself."""
    cause: str = ""
    """What follows from it, or what fills `{cause}` in the sentence; the entire sentence for a code in no table."""
    station: str = ""
    """The station it is about, which precedes a sentence that does not name it."""
    class_name: str = ""
    numbers: tuple[float, ...] = ()
    others: tuple[str, ...] = ()
    """Other stations that the sentence names."""

    def __str__(self) -> str:
        return f"{self.subject}: {self.what}" if self.subject else self.what

    @property
    def subject(self) -> str:
        """The station that precedes the sentence; empty where the sentence names it, or is about none."""
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
    """One reason that lists the sentences of several; None without any.

    codes  of reasons, keys of the tables.

    >>> str(together(["no holds", "no second phase"]))
    'no station is held while another is waited for and there is no second-phase work'
    """
    sentences = list(dict.fromkeys(str(Reason(code)) for code in codes))
    if not sentences:
        return None
    *most, last = sentences
    return Reason("several", f"{', '.join(most)} and {last}" if most else last)


class Inexact(str):
    """Why an answer is approximate: the sentence of a reason, with the reason."""

    reason: Reason

    def __new__(cls, reason: Reason) -> Self:
        self = super().__new__(cls, reason)
        self.reason = reason
        return self


class Beyond(Inexact):
    """Why an answer is approximate, used beyond the region in which its error was measured as small."""

    code: str
    """The code of the warning."""
    warning: str
    """The text of the warning."""
    by_states: bool = False
    """Whether the Markov chain of all states may have a better answer, of a single point."""

    def __new__(cls, reason: Reason, code: str, warning: str = "", after: str = "") -> Self:
        """A reason with the warning (default: its sentence); `after` follows the sentence in the text."""
        self = str.__new__(cls, f"{reason}{after}")
        self.reason, self.code, self.warning = reason, code, warning or str(reason)
        return self

    def warned(self, warning: str, by_states: bool = False) -> Self:
        """The reason with another warning, and perhaps with `by_states`."""
        other = str.__new__(type(self), self)
        other.reason, other.code, other.warning = self.reason, self.code, warning
        other.by_states = by_states or self.by_states
        return other


def named_chain(reasons: Iterable[str]) -> bool:
    """Whether a warning names the Markov chain of all states as the method of a single point.

    reasons  those of a solution.
    """
    return any(isinstance(reason, Beyond) and reason.by_states for reason in reasons)


class Requested(str):
    """Why a method was taken that the user named: because it was."""


REQUESTED = Requested("asked for")


def approximation(method: str, variant: str = "") -> Inexact:
    """The reason that a method which is never exact is approximate.

    variant  of the method, such as "aql, seidmann", where it is not the usual one.

    >>> approximation("aql")
    'aql is an approximation'
    """
    return Inexact(Reason("approximation", f"{method} is an approximation", others=(variant,) if variant else ()))


def approximate_notes(reasons: Iterable[str], methods: Iterable[str] = (), what: str = "the answer is") -> list[Note]:
    """Notes that something is approximate and why, with warnings beyond the measured region, or with the errors that
    were measured; none without a reason.

    reasons  those of a solution, each as its sentence.
    methods  the names of the methods of the solution; without any, errors are not stated.
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
    note = Note("QN601", text, brief=brief if len(text) > _LINE and len(result) > 1 else "")
    errors = "; ".join(map(str, measured(every, methods)))
    stated = [Note("QN741", f"measured errors of response and throughput: {errors}")] if errors else []
    return [note, *warnings, *stated]


def measured(reasons: Iterable[str], methods: Iterable[str]) -> tuple[FeatureErrors, ...]:
    """The measured errors behind an answer, by feature; none beyond the measured region, or for reasons that were not
    measured.

    reasons, methods   those of a solution.
    """
    each = list(reasons)
    known = [reason.reason for reason in each if isinstance(reason, Inexact)]
    names = list(dict.fromkeys(name for method in methods for name in method.split(", ")))
    if not names or not known or any(isinstance(reason, Beyond) for reason in each):
        return ()
    variants = [name for item in known if item.code == "approximation" for name in item.others]
    return measured_errors.errors_by_feature(names, [item.code for item in known], variants)


def _of_method(reason: str) -> bool:
    """Whether a reason states no more than that the method is an approximation: it is listed after those of the
    model."""
    return isinstance(reason, Inexact) and reason.reason.code == "approximation"


def _listed(texts: Sequence[str]) -> str:
    """Reasons in one text: all of a few, or the first of many and the number of the others."""
    if len(texts) <= _MOST:
        return "; ".join(texts)
    return f"{'; '.join(texts[:_FIRST])}; and {len(texts) - _FIRST} more like these"


def idle_notes(idle: Sequence[str]) -> list[Note]:
    """The note that closed classes have no customers; none without such a class.

    idle  the names of these classes.
    """
    if not idle:
        return []
    text = f"{', '.join(idle)}: without customers, the response is that of the demands alone, without any wait"
    return [Note("QN702", text)]


def method_notes(method: str, why: str, approximate: bool) -> list[Note]:
    """The note why `auto` took an approximation; none where the method was named.

    method       that `auto` took.
    why          the reason that it took no exact method; empty for none.
    approximate  whether the method is approximate.
    """
    return [Note("QN607", f"method {method}: {why}")] if why and approximate and not isinstance(why, Requested) else []
