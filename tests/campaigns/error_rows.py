"""Which rows of the table of measured errors stand for an answer: by its reasons, in one table.

An answer says why it is approximate, in the note QN601. Every reason has rows here, picked by what their names hold;
a row that is added later with such a name counts at once. A reason without any row is `unmeasured`: then nothing tells
how far the answer may be off, and it must warn. Rows of systems outside of any trusted region do not count, since what
is outside must warn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from qnet.networks.measured_errors import MEASURED, trusted_rows
from qnet.record import Record


class MeasuredError(Record):
    """What is told of how far an answer may be off."""

    rows: tuple[str, ...]
    worst: float
    """The worst error of the rows, of throughputs, responses and utilizations."""
    queues: float
    """The same of queue lengths, where rows tell that they are further off."""
    occupancy: float
    """The same of places taken."""
    offered: float
    """The same of passages begun, those included that are lost on the way."""
    unmeasured: tuple[str, ...]
    """The reasons that no row stands for."""


class _Rule(Record):
    """Rows for a reason."""

    name: str
    reason: str
    """A pattern of the note."""
    rows: str
    """A pattern of names of rows."""
    kinds: tuple[str, ...] = ("open", "closed", "mixed")
    methods: str = ".*"


_ORDER = "service times (differ|are not exponential)"
RULES = (
    _Rule("first come first served", _ORDER + r"[^;]*; waits are estimated",
          "^first come first served(?!.*(mixed|open|by product form))", ("closed",)),
    _Rule("first come first served", "^residual-service is an approximation$",
          "^first come first served(?!.*(mixed|open|by product form))", ("closed",)),
    _Rule("priorities", "^priority-mva is an approximation$", "^priorities: closed", ("closed",)),
    _Rule("first come first served, mixed", _ORDER + r"[^;]*; waits are estimated",
          "first come first served.*(mixed|open)|mixed.*first come first served", ("mixed",)),
    _Rule("order of arrival left out", "solved like processor sharing", "processor sharing|by product form"),
    _Rule("service times", _ORDER, "^service times (in open|and arrivals)", ("open",)),
    _Rule("arrivals", "are not Poisson", "^arrivals that are not Poisson"),
    _Rule("priorities, open", r"(^|; )priorities(;|$)", "^priorities: open", ("open",)),
    _Rule("priorities, closed", "some customers (preempt others|are served before others)", "^priorities: closed",
          ("closed",)),
    _Rule("priorities, mixed", "some customers (preempt others|are served before others)", "^priorities: mixed",
          ("mixed",)),
    _Rule("holds, layers", "a station is held while another", "^layers: ", methods="layers|flow-equivalent.*"),
    _Rule("holds, open", "a station is held while another", "^holds?.*|^open holds?|held", ("open",), "open|qna"),
    _Rule("holds left out", "a station is held while another", "^no row$", ("closed", "mixed"),
          "(?!layers|flow-equivalent).*"),
    _Rule("work left behind, closed", "second-phase work is treated", "^second-phase work|^layers: second phases",
          ("closed", "mixed")),
    _Rule("work left behind, open", "second-phase work is treated",
          "second phases?.*open|open.*second phase|holds.*second phase", ("open",)),
    _Rule("parallel, open", "parallel branches are joined", "^fork-join.*open", ("open",)),
    _Rule("parallel, closed", "parallel branches are joined", "^fork-join.*closed", ("closed", "mixed")),
    _Rule("lost later, states", "waits of passages that are lost later", "^capacity: passages that may be lost"),
    _Rule("memory", "the stations behind it are replaced by one", "^memory: (?!.*paging)"),
    _Rule("inside", "times that depend on the number inside", "^memory: "),
    _Rule("loss behind loss", "are taken as Poisson arrivals at the next station",
          "^capacity: (loss behind loss|a queue behind)$"),
    _Rule("capacity", "serves as if times were exponential", "^capacity: .*(?<!loss behind loss)$", ("open",)),
    _Rule("buffer, open", "the work that frees its places is taken as independent",
          "^buffer: (?!.*closed)", ("open",)),
    _Rule("full, closed", "the rest of the network is replaced by one flow-equivalent station",
          "^(buffer|capacity): .*closed", ("closed", "mixed")),
    _Rule("lcfs-pr, several servers", "last come first served with several servers", "last come first served"),
)  # fmt: skip
"""An answer may have several reasons, and all of their rows count: what is told of it is the worst of them."""


def measured_error(reasons: str, method: str, kind: str) -> MeasuredError:
    """What is told of an approximate answer.

    kind   `open`, `closed` or `mixed`, by the customers of the model.
    """
    rows: dict[str, None] = {}
    unmeasured: list[str] = []
    found = False
    by_method = [worst_of(name) for name in _APART.findall(reasons)]
    for rule in RULES:
        if kind not in rule.kinds or not re.search(rule.reason, reasons) or not re.fullmatch(rule.methods, method):
            continue
        found = True
        names = [name for name in _inside() if re.search(rule.rows, name)]
        rows |= dict.fromkeys(names)
        if not names:
            unmeasured.append(rule.name)
    if not found and not by_method:
        unmeasured.append("no rule")
    figures: dict[str, float] = {}
    for name in rows:
        row = MEASURED[name]
        kind = row.quantity if row.quantity in ("occupancy", "queue length", "offered rate") else ""
        figures[kind] = max(row.worst, figures.get(kind, 0.0))
    places = figures.get("occupancy", 0.0)
    other = max([figures.get("", 0.0), *by_method], default=0.0)
    queues, offered = (max(figures.get(kind, 0.0), other) for kind in ("queue length", "offered rate"))
    return MeasuredError(
        tuple(rows), other or places, queues or places, places or other, offered or places, tuple(unmeasured)
    )


_APART = re.compile(r"(linearizer|aql|bard-schweitzer)(?= is an approximation)")
"""Approximations of product form, for which the rows of their names count."""


def worst_of(method: str) -> float:
    """The largest worst error that the table of methods tells of one."""
    return max(row.worst for row in trusted_rows(method))


def _inside() -> Iterable[str]:
    return [name for name, row in MEASURED.items() if row.trusted and row.quantity != "percentile"]
