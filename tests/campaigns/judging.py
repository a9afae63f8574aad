"""What an answer is worth, beside that of the oracle: right, within what is told of it, warned, refused, or bad."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from asking import Outcome
from error_rows import MeasuredError, measured_error

from qnet.record import Record

GOOD = ("right", "within its told worst", "warned", "refused")
BAD = ("unwarned", "exact-wrong", "crash", "no answer in 10 s")
NEVER = ("exact-wrong", "crash", "no answer in 10 s")
"""Of which one is a failure of a campaign."""
FEW = 0.01
"""The share of models up to which unwarned ones are reported and no failure."""
OPEN_QUESTION = ("not judged", "invalid")
"""The oracle has no answer, or the model is refused by `qnet check`."""
CATEGORIES = (*GOOD, *BAD, *OPEN_QUESTION)

EXACT = 1e-8
"""Relative error of an exact answer beside a Markov chain."""
LEAST = {"utilization": 0.05, "queue_length": 0.1, "occupancy": 0.1}
"""Errors of these figures are relative to the exact value, or to this where that is less."""
FIGURES = ("throughput", "response", "offered", "station_throughput", "utilization", "queue_length", "occupancy")
WIDER = 1.5
"""Intervals of 99 % are taken as that much wider, since thousands of figures are held against them."""
_CERTAIN = 1e-5
"""A simulation is not more certain than this, relative: how it began counts as well."""
_SELDOM = 100.0
"""A simulation knows the share of time in which a server is seldom idle, or seldom busy, to within so many of the
services that it has seen. A queue that has emptied empties some ten times more before it is long again: so much idle
time comes in ten pieces, and of ten none is seen in 1 run of 20,000. The batches of a run that has seen
one piece or none are alike, and their interval is too narrow."""
_NOTHING = 1e-4
"""Where the exact value is below this share of the answer, the error is relative to the answer."""
_RARE = 1e-6
"""Throughputs below this share of the largest are compared with that: nobody may be on such a way."""


IMPOSSIBLE = (
    ("QN502", ""),
    ("QN403", "neither demand nor think time"),
    ("QN511", "comes out above 1"),
)
"""Refusals, by code and text, that blame numbers of the model for those that an approximation has come to: the
generator writes legal numbers, and gives every class some time to spend."""


class Difference(Record):
    """A figure beside that of the oracle."""

    figure: str
    name: str
    answered: float
    exact: float
    half_width: float
    """Of the interval of a simulation; 0 of a chain."""
    error: float
    """Relative, beyond the interval."""


class Verdict(Record):
    """What an answer is worth."""

    category: str
    worst: Difference | None = None
    """Where it is furthest off, beside what is told."""
    error: MeasuredError | None = None
    why: str = ""


def judge(outcome: Outcome, exact: Any, kind: str) -> Verdict:
    """The verdict on an answer.

    exact   the answer of the oracle, or None where it has none.
    kind    `open`, `closed` or `mixed`.
    """
    if outcome.status == "crash":
        return Verdict("crash", why=" ".join(outcome.problems[0]))
    if outcome.status in ("invalid", "other"):
        return Verdict("invalid", why=" ".join(outcome.problems[0]))
    if outcome.status == "slow":
        return Verdict("no answer in 10 s")
    if outcome.status in ("no answer", "not computed"):
        code, found, help = outcome.problems[0]
        if not help:
            return Verdict("crash", why=f"{code} without a way out: {found}")
        if any(code == impossible and text in found for impossible, text in IMPOSSIBLE):
            return Verdict("crash", why=f"{code} of legal numbers: {found}")
        return Verdict("refused", why=f"{code}: {found}")
    values = [value for figure in FIGURES for value in getattr(outcome, figure).values()]
    if not all(math.isfinite(value) for value in values):
        return Verdict("crash", why="a figure is not finite")
    if exact is None:
        return Verdict("not judged")
    found = differences(outcome, exact)
    if outcome.exact:
        worst = max(found, key=lambda item: item.error, default=None)
        wrong = worst is not None and worst.error > EXACT
        return Verdict("exact-wrong" if wrong else "right", worst)
    allowed = measured_error(outcome.reasons, outcome.method, kind)
    worst = max(found, key=lambda item: item.error / max(_allowed(item, allowed), 1e-3), default=None)
    largest = max((item.error for item in found), default=0.0)
    if worst is None or largest <= EXACT:
        return Verdict("right", worst, allowed)
    if all(item.error <= _allowed(item, allowed) for item in found) and not allowed.unmeasured:
        return Verdict("within its told worst", worst, allowed)
    if outcome.codes:
        return Verdict("warned", worst, allowed, " ".join(sorted(outcome.codes)))
    return Verdict("unwarned", worst, allowed, "no row: " + ", ".join(allowed.unmeasured) if allowed.unmeasured else "")


def _allowed(item: Difference, allowed: MeasuredError) -> float:
    by_figure = {"occupancy": allowed.occupancy, "queue_length": allowed.queues, "offered": allowed.offered}
    return by_figure.get(item.figure, allowed.worst)


def differences(outcome: Outcome, exact: Any) -> list[Difference]:
    """Every figure that both have."""
    found: list[Difference] = []
    for figure in FIGURES:
        ours: Mapping[str, float] = getattr(outcome, figure)
        theirs: Mapping[str, float] = getattr(exact, figure, None) or {}
        largest = max((abs(value) for value in theirs.values() if value is not None), default=0.0)
        for name, value in theirs.items():
            if name not in ours or value is None or not math.isfinite(value):
                continue
            if figure == "response" and exact.throughput.get(name, 0.0) <= 1e-12:
                continue
            least = LEAST.get(figure, 0.0 if figure == "response" else _RARE * largest)
            half = WIDER * exact.half_width.get((figure, name), 0.0)
            if exact.kind != "chain":
                half = max(half, _CERTAIN * abs(value), _unseen(exact, name, value) if figure == "utilization" else 0.0)
            if not math.isfinite(half):
                continue
            scale = max(abs(value), least)
            beyond = max(abs(ours[name] - value) - half, 0.0)
            if abs(ours[name]) * _NOTHING > scale:
                scale = abs(ours[name])  # An answer where there is nothing is off by all of it.
            error = beyond / scale if scale > 0 else 0.0
            found.append(Difference(figure, name, ours[name], value, half, error))
    return found


def _unseen(exact: Any, name: str, value: float) -> float:
    """What a simulation may miss of a utilization near 0 or 1; 0 where a station is often idle and often busy."""
    visits: Mapping[str, float] = getattr(exact, "station_throughput", None) or {}
    total = sum(visits.values())
    # Events are a few for each visit: this is somewhat less than what may be missed.
    services = exact.states * visits.get(name, 0.0) / total if total > 0 else 0.0
    share = _SELDOM / services if services > 0 else 0.0
    return share if min(value, 1.0 - value) < share else 0.0
