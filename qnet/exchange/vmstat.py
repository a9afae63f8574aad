"""The text of `vmstat INTERVAL`, with or without `-t`."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from qnet.exchange.intervals import READ, MeasuredInterval, figure, unreadable
from qnet.note import Note

_COLUMNS = {"r": "run_queue", "b": "blocked", "si": "swap_in_per_s", "so": "swap_out_per_s", "bi": "blocks_in_per_s",
            "bo": "blocks_out_per_s", "in": "interrupts_per_s", "cs": "context_switches_per_s"}  # fmt: skip
_TIME = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)")
_HEADER = re.compile(r"^\s*r\s+b\s.*\bid\b", re.MULTILINE)


def recognizes(data: Any, text: str) -> bool:
    """Whether a text has the header of vmstat."""
    return data is None and bool(_HEADER.search(text[:100_000]))


def rows(data: Any, text: str, name: str, first: bool) -> tuple[list[MeasuredInterval], list[Note]]:
    """The intervals of a text, in which the header is repeated on every page, with notes."""
    header: list[str] = []
    intervals: list[MeasuredInterval] = []
    for line, words in enumerate((row.split() for row in text.split("\n")), 1):
        if words[:2] == ["r", "b"] and "id" in words:
            header = words
        elif words and header and words[0].isdigit():
            if len(words) < header.index("id") + 1:
                raise unreadable(name, f"{len(words)} columns", f"{len(header)}, as in the header", line=line)
            intervals.append(_interval(header, words))
    notes: list[Note] = []
    if len(intervals) > 1 and not first:
        intervals = intervals[1:]
        text = f"{name}: the first line of vmstat, the mean since the system started, is left out (--first keeps it)"
        notes.append(Note(READ, text))
    return intervals, notes


def _interval(header: list[str], words: list[str]) -> MeasuredInterval:
    cells = {key: figure(word) for key, word in zip(header, words, strict=False)}
    values = {title: value for key, title in _COLUMNS.items() if (value := cells.get(key)) is not None}
    idle = cells.get("id")
    busy = {} if idle is None else {"utilization_cpu": max(0.0, 100.0 - idle - (cells.get("wa") or 0.0)) / 100}
    return MeasuredInterval(_end(" ".join(words)), {**busy, **values})


def _end(text: str) -> float | None:
    """The time in a line, as UTC; None without one."""
    match = _TIME.search(text)
    try:
        return datetime.fromisoformat(f"{match[1]}T{match[2]}").replace(tzinfo=UTC).timestamp() if match else None
    except ValueError:
        return None
