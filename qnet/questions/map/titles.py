"""Units in the titles of columns: `response_ms`, `rate_per_min`, `response [ms]`, `utilization_cpu %`."""

from __future__ import annotations

import re
from functools import lru_cache

from qnet.units import Unit, UnitError, unit

UNIT_SIGNS = "_[(%"
"""The characters that a unit at the end of a title begins with."""
_LONGEST = 64
_BRACKETS = {"[": "]", "(": ")"}
_PERCENT = ("%", "percent", "pct")


def with_units(title: str) -> list[tuple[str, Unit]]:
    """The names that a title may consist of besides a unit at its end, and the unit; the longest name first."""
    result: list[tuple[str, Unit]] = []
    for index in range(len(title) - 1, max(0, len(title) - _LONGEST - 1), -1):
        if title[index] not in UNIT_SIGNS:
            continue
        head, found = title[:index].rstrip(" _"), unit_behind(title[index:])
        if head and found is not None and (head, found) not in result:
            result.append((head, found))
    return result


def unit_behind(suffix: str) -> Unit | None:
    """The unit at the end of a title, as `column_suffix` writes it or as people do; None for none.

    `_ms`, `_per_min`, `_MB_per_s`, `_percent`, ` [ms]`, ` (1/min)`, `%`.
    """
    return _unit_of(suffix) if len(suffix) <= _LONGEST else None


@lru_cache(maxsize=256)
def _unit_of(suffix: str) -> Unit | None:
    """As `unit_behind`."""
    text = suffix.strip()
    if text[:1] in _BRACKETS:
        if not text.endswith(_BRACKETS[text[0]]):
            return None
        text = text[1:-1].strip()
        text = text[1:].lstrip() if text.startswith("1") else text
    elif text.strip("_ ") in _PERCENT:
        text = "%"
    elif text.startswith("_"):
        text = text.replace("_per_", "/").removeprefix("_").replace("_", "*")
        text = re.sub(r"([A-Za-z])([0-9])", r"\1^\2", text)
    else:
        return None
    try:
        return unit("%" if text in _PERCENT else text) if text else None
    except UnitError:
        return None
