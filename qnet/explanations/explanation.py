"""The explanation of one code."""

from __future__ import annotations

from qnet.record import Record


class Explanation(Record):
    """One code: a title of a few words, what it means, and what to do (empty where nothing needs to be done)."""

    title: str
    means: str
    action: str = ""
