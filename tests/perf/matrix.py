"""Every question of every system and example: processor time beside the yardstick, and exit code."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path

from timing import QNET, ROOT, YARDSTICKS, Spent, spent

QUESTIONS = {
    "solve": ("N", 3.0, 6.0),
    "knee": ("N", 3.0, 6.0),
    "bottleneck": ("N", 3.0, 6.0),
    "why": ("N", 3.0, 6.0),
    "sensitivity": ("N", 3.0, 6.0),
    "cost": ("N", 3.0, 6.0),
    "formula": ("S", 2.0, 4.0),
}
"""By question: the yardstick, the ratio that it is to stay within, and the one that none may exceed."""
UNANSWERED = (2, 4, 5)
"""Exit codes where a system does not have the question: no cost is stated, nothing saturates, there is no formula."""
_RECENT = 3


def systems() -> list[str]:
    """Names of all systems and examples."""
    folders = (ROOT / "catalog" / "systems", ROOT / "examples")
    return sorted(path.stem for folder in folders for path in folder.glob("*.toml"))


def matrix(questions: Sequence[str] = (), only: Sequence[str] = ()) -> int:
    """Print every cell above its target and what is answered; the number of cells above what none may exceed.

    questions   all of `QUESTIONS` where empty.
    only        names of systems; all where empty.
    """
    above, beyond, cells = [], 0, 0
    recent: dict[str, list[float]] = {name: [] for name in YARDSTICKS}
    for system in only or systems():
        for question in questions or QUESTIONS:
            yardstick, target, most = QUESTIONS[question]
            recent[yardstick] = [*recent[yardstick], spent(YARDSTICKS[yardstick]).seconds][-_RECENT:]
            took = _asked(question, system)
            ratio = took.seconds / statistics.median(recent[yardstick])
            cells += 1
            strange = took.code not in (0, *UNANSWERED)
            if ratio > target or strange:
                above.append((ratio / target, question, system, ratio, yardstick, took))
                beyond += ratio > most or strange
    print(f"\n{'question':<12} {'system':<28} {'ratio':>8}   {'s':>6} {'MiB':>6} {'exit':>5}")
    for _, question, system, ratio, yardstick, took in sorted(above, reverse=True):
        took_text = f"{took.seconds:>6.2f} {took.mebibytes:>6.0f} {took.code:>5}"
        print(f"{question:<12} {system:<28} {ratio:>8.1f} {yardstick} {took_text}")
    print(f"{cells} cells, {cells - len(above)} within their target, {beyond} beyond what none may exceed")
    return beyond


def _asked(question: str, system: str) -> Spent:
    return spent([*QNET, question, system, "--csv"], Path("/"), limit=120.0)
