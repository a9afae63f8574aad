"""What is said of one code."""

from __future__ import annotations

from qnet.record import Record


class Explanation(Record):
    """One code: what it is about in a few words, what it means, and what to do."""

    title: str
    means: str
    action: str
