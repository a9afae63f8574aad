"""Notes on an answer, each with a code that `qnet explain` explains."""

from __future__ import annotations

from qnet.record import Record


class Note(Record):
    """A note on an answer: severity `note` informs, `warning` limits its reliability."""

    code: str
    text: str
    severity: str = "note"
    next: str = ""
    """What to do about it."""
    brief: str = ""
    """The text in a few words; empty where it is short."""

    def __str__(self) -> str:
        """The note as tables show it."""
        return f"{self.severity} [{self.code}]: {self.text}" + (f"\n  next: {self.next}" if self.next else "")
