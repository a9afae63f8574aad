"""An input of the fuzzer: the door it goes through, the words of the command and a text, all of it readable as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(__file__).resolve().parent / "corpus"
SLOW = "slow"
"""The file of the corpus with inputs that took too long, and take seconds still."""

DOORS = ("expression", "python", "model", "command", "rows")


class Case(NamedTuple):
    """One input."""

    door: str
    """`model`, `command` and `rows` run a command; `expression` evaluates one; `python` is a call of the package."""
    command: tuple[str, ...]
    """Words after `qnet`; none for expressions and Python."""
    text: str
    """The expression, the call, or standard input: a model or rows, with surrogates for bytes that are no UTF-8."""

    def line(self, was: str = "") -> str:
        """The case as one line of JSON; `was` is what went wrong with it."""
        shown: dict[str, object] = {"was": was} if was else {}
        shown |= {"door": self.door, "command": list(self.command), "text": self.text}
        return json.dumps(shown)


def read(line: str) -> Case:
    """The case of a line."""
    item = json.loads(line)
    return Case(item["door"], tuple(item["command"]), item["text"])


def corpus(slow: bool) -> list[tuple[str, str]]:
    """A name and a line for every failure of the past; with those that take seconds only if `slow`."""
    return [
        (f"{path.stem}-{number}", line)
        for path in sorted(CORPUS.glob("*.jsonl"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if line.strip() and (slow or path.stem != SLOW)
    ]
