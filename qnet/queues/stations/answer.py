"""The answer of a station, the same for every family."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from qnet.expression import Value
from qnet.lazy import lazy, np
from qnet.plain_tables import as_text, markdown_table, plain_table
from qnet.record import Record

if TYPE_CHECKING:
    from qnet import references
else:
    references = lazy("qnet.references")

Function = Callable[[Any], Value]


class ClassAnswer(Record):
    """The figures of one priority class, the highest first."""

    arrival_rate: Value
    utilization: Value
    queue_length: Value
    number_waiting: Value
    response: Value
    wait: Value
    variance_of_wait: Value = None
    variance_of_response: Value = None
    variance_of_queue_length: Value = None


class StationAnswer(Record):
    """The steady state of one station. A figure that does not exist or is not known is None.

    Seconds and events per second throughout. Means are over the customers that are admitted; those that are lost
    show in `blocking` alone. `wait` is the response less the service time, interruptions included.
    """

    station: str
    exactness: str
    """`exact`, `approximate` or `bound` (an upper bound of wait, response and numbers)."""
    cites: str
    """Source of the formula, with keys of `references`, such as `@kleinrock1975, section 3.2`."""
    arrival_rate: Value
    """Offered arrivals of all sources together, lost ones included."""
    throughput: Value
    """Arrivals that are admitted."""
    offered: Value
    """Erlangs: arrival_rate x service time."""
    busy_servers: Value
    """Mean number of busy servers: the carried erlangs."""
    utilization: Value
    """Share of the servers that are busy, in [0, 1]; None without a limit of servers."""
    queue_length: Value
    """Mean number in the system, those in service included."""
    number_waiting: Value
    response: Value
    wait: Value
    probability_of_waiting: Value = None
    """Probability that an admitted customer is not served at once."""
    blocking: Value = None
    """Call congestion: the share of arrivals that are lost."""
    time_congestion: Value = None
    """The share of time in which an arrival would be lost."""
    variance_of_wait: Value = None
    variance_of_response: Value = None
    variance_of_queue_length: Value = None
    """Variance of the number in the system at any time."""
    state_probability: Function | None = None
    """p(n): the probability that n are in the system."""
    wait_percentile: Function | None = None
    """q(p): the wait that a share p of customers does not exceed, 0 <= p < 1."""
    response_percentile: Function | None = None
    """The same for the response."""
    classes: tuple[ClassAnswer, ...] = ()
    notes: tuple[str, ...] = ()
    """Remarks for the reader of the figures."""

    @property
    def source(self) -> str:
        """The source of the formula in full."""
        return references.cited(self.cites)

    def named(self) -> Iterator[tuple[str, Any]]:
        """The fields with their names."""
        return zip(self._fields, self, strict=True)

    def _table(self) -> tuple[list[str], list[list[Any]]]:
        """Headings and rows: each figure with its unit, for all customers and for each priority class."""
        headings = ["figure", "value", *(f"class {index}" for index in range(len(self.classes))), "unit"]
        rows = [
            [name.replace("_", " "), value, *(getattr(item, name, None) for item in self.classes), _unit(name)]
            for name, value in self.named()
            if value is not None and not callable(value) and name not in _WORDS
        ]
        return headings, rows

    def __repr__(self) -> str:
        """The main figures in a line; `print` shows all of them."""
        shown = [f"{name}={as_text(value)}" for name, value in self.named() if name in _MAIN and value is not None]
        return f"StationAnswer({self.station!r}, {self.exactness}, {', '.join(shown)})"

    def __str__(self) -> str:
        notes = [f"note: {note}" for note in self.notes]
        table = plain_table(*self._table())
        return "\n".join([f"{self.station} ({self.exactness})", "", table, "", f"source: {self.source}", *notes])

    def _repr_markdown_(self) -> str:
        """The table that notebooks show."""
        notes = [f"Note: {note}" for note in self.notes]
        table = markdown_table(*self._table())
        return "\n\n".join([f"### {self.station} ({self.exactness})", table, f"Source: {self.source}", *notes])


_MAIN = ("throughput", "utilization", "queue_length", "response", "wait", "blocking")
"""Figures that are shown in one line."""
_WORDS = ("station", "exactness", "cites", "classes", "notes")
"""Fields that are no figures."""


def _unit(name: str) -> str:
    """The unit of a figure."""
    if name in ("arrival_rate", "throughput"):
        return "/s"
    times = name.rpartition("_")[2] in ("wait", "response")
    return ("s^2" if name.startswith("variance") else "s") if times else ""


def answer(
    station: str, cites: str, *, throughput: Value, service_time: Value, servers: Value, wait: Value,
    exactness: str = "exact", arrival_rate: Value = None, **more: Any,
) -> StationAnswer:  # fmt: skip
    """An answer completed by Little's law from throughput, service time and mean wait.

    servers       None for a station without a limit of servers.
    arrival_rate  None where nothing is lost.
    """
    rate = throughput if arrival_rate is None else arrival_rate
    busy = throughput * service_time
    waiting = throughput * wait
    return StationAnswer(
        station, exactness, cites=cites, arrival_rate=rate, throughput=throughput, offered=rate * service_time,
        busy_servers=busy, utilization=None if servers is None else busy / servers, queue_length=waiting + busy,
        number_waiting=waiting, response=wait + service_time, wait=wait, **more,
    )  # fmt: skip


def stacked(answers: Sequence[StationAnswer], shape: tuple[int, ...]) -> StationAnswer:
    """Answers of single points as one answer whose figures are arrays of the given shape."""

    def column(values: list[Any]) -> Any:
        if any(value is None for value in values):
            return None
        if callable(values[0]):

            def at(argument: Any) -> Any:
                return np.array([value(argument) for value in values]).reshape(shape)

            return at
        return np.array(values, dtype=float).reshape(shape)

    first = answers[0]
    changed: dict[str, Any] = {}
    for name, value in first.named():
        if name not in _WORDS:
            changed[name] = value if value is None else column([getattr(item, name) for item in answers])
    return first.replace(**changed)
