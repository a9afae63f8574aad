"""One interval of measurements, and the reading of names and figures in files of monitoring tools."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from typing import Any, cast

from qnet.errors import InvalidInput, Problem
from qnet.exchange.imported import unused_name
from qnet.record import Record

UNREADABLE, READ = "QN800", "QN801"
_NO_NAME = re.compile(r"[^A-Za-z0-9_.:/-]+")


class MeasuredInterval(Record):
    """The measurements of one interval."""

    end: float | None
    """Its end in seconds since 1970, UTC; None where the file states no times."""
    values: Mapping[str, float]
    """Column -> measurement."""


def column(*parts: str) -> str:
    """The name of a column: the parts joined by underscores, with other characters than letters, digits, `_.:/-`
    replaced by underscores."""
    return "_".join(_NO_NAME.sub("_", part).strip("_") for part in parts if part)[:100]


def unused(title: str, taken: Container[str], first: int = 2) -> str:
    """The name of a column that is not taken: the title, or else that with the first free number, from `first` on."""
    return unused_name(title, taken, "_", first)


def unreadable(name: str, found: str, expected: str = "", help: str = "", line: int = 0) -> InvalidInput:
    """The error for a file that cannot be read."""
    return InvalidInput(Problem(UNREADABLE, found, expected, help=help, file=name, line=line))


def figure(value: Any) -> float | None:
    """A number from 0 to 1e90, given as a number or a text; None for anything else."""
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
