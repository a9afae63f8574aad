"""Units in the titles of columns: `response_ms`, `rate_per_min`, `response [ms]`, `utilization_cpu %`."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product

from qnet.units import Unit, UnitError, unit

UNIT_SIGNS = "_[(%"
"""The characters that a unit at the end of a title begins with."""
_LONGEST = 64
"""Characters of a unit at the end of a title; a choice that bounds the time of a search."""
_BRACKETS = {"[": "]", "(": ")"}
_PERCENT = ("%", "percent", "pct")


def with_units(title: str) -> list[tuple[str, Unit]]:
    """The names that a title may consist of besides a unit at its end, and the unit; the longest name first."""
    result: list[tuple[str, Unit]] = []
    for index in range(len(title) - 1, max(0, len(title) - _LONGEST - 1), -1):
        if title[index] not in UNIT_SIGNS:
            continue
        head, unit = title[:index].rstrip(" _"), unit_behind(title[index:])
        if head and unit is not None and (head, unit) not in result:
            result.append((head, unit))
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


def meant(suffix: str) -> list[str]:
    """The units that a suffix such as `_KB` or `_per_Min` is nearly, each as a suffix: `_kB` and `_KiB`, `_per_min`."""
    if not suffix.startswith("_") or len(suffix) > _LONGEST:
        return []
    choices: list[list[str]] = []
    for atom in suffix[1:].removeprefix("per_").split("_per_"):
        try:
            unit(atom)
        except UnitError as error:
            # A suffix names no fraction, nor a share.
            choices.append([name for name in error.meant if name.isascii() and name.isalpha()])
        else:
            choices.append([atom])
    first = "_per_" if suffix.startswith("_per_") else "_"
    return [first + "_per_".join(atoms) for atoms in product(*choices)]
