"""What files of monitoring tools are read into, one interval at a time, and how names and figures in them are read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from qnet.errors import InvalidInput, Problem
from qnet.record import Record

UNREADABLE, READ = "QN800", "QN801"
_NO_NAME = re.compile(r"[^A-Za-z0-9_.:/-]+")


class MeasuredInterval(Record):
    """What was measured in one interval."""

    end: float | None
    """Seconds since 1970 at its end, UTC; None where the file states no times."""
    values: Mapping[str, float]
    """By column."""


def column(*parts: str) -> str:
    """A name of a column from names of others: letters, digits and underscores."""
    return "_".join(_NO_NAME.sub("_", part).strip("_") for part in parts if part)[:100]


def unreadable(name: str, found: str, expected: str = "", help: str = "", line: int = 0) -> InvalidInput:
    """The error for a file that cannot be read."""
    return InvalidInput(Problem(UNREADABLE, found, expected, help=help, file=name, line=line))


def figure(value: Any) -> float | None:
    """A finite number of at least 0, from a number or a text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value.replace(",", ".") if isinstance(value, str) else value)
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number <= 1e90 else None


def table(value: Any) -> dict[str, Any]:
    """An object of JSON; empty for anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """An array of JSON; empty for anything else."""
    return cast("list[Any]", value) if isinstance(value, list) else []
