"""What a reader should know of an answer: a note with a code that `qnet explain` explains."""

from __future__ import annotations

from qnet.record import Record


class Note(Record):
    """Something the reader should know: `note` informs, `warning` limits the trust in the answer."""

    code: str
    text: str
    severity: str = "note"
    next: str = ""
    """What to do about it."""
    brief: str = ""
    """The text in a few words; empty where it is short."""

    def __str__(self) -> str:
        """As the command line prints it."""
        return f"{self.severity} [{self.code}]: {self.text}" + (f"\n  next: {self.next}" if self.next else "")
