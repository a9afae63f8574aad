"""Delta debugging: the smallest input that still fails in the same way (Zeller and Hildebrandt 2002)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from fuzz_case import Case
from fuzz_failure import Failure
from fuzz_text import TOKEN
from fuzz_workers import outcome_of


def smallest(pieces: Sequence[str], fails: Callable[[Sequence[str]], bool]) -> list[str]:
    """Pieces of which none can be left out: the others fail no more.

    >>> smallest("abcdef", lambda pieces: "b" in pieces and "e" in pieces)
    ['b', 'e']
    """
    kept = list(pieces)
    size = max(len(kept) // 2, 1)
    while kept:
        at, shorter = 0, False
        while at < len(kept):
            without = kept[:at] + kept[at + size :]
            if fails(without):
                kept, shorter = without, True
            else:
                at += size
        if size == 1 and not shorter:
            break
        size = size if shorter and size == 1 else max(size // 2, 1)
    return kept


def minimised(case: Case, failure: Failure, seconds: float = 120.0) -> Case:
    """The case without the words, lines and tokens that its failure does not need; gives up after so many seconds."""
    end = time.monotonic() + seconds

    def fails(tried: Case) -> bool:
        if time.monotonic() > end:
            return False
        found = outcome_of(tried).failure
        return found is not None and found.key == failure.key

    def with_text(pieces: Sequence[str], joint: str) -> Case:
        return case._replace(text=joint.join(pieces))

    if case.command:
        words = smallest(case.command[1:], lambda some: fails(case._replace(command=(case.command[0], *some))))
        case = case._replace(command=(case.command[0], *words))
    lines = smallest(case.text.split("\n"), lambda some: fails(with_text(some, "\n")))
    case = with_text(lines, "\n")
    tokens = smallest(TOKEN.findall(case.text), lambda some: fails(with_text(some, "")))
    return with_text(tokens, "")
