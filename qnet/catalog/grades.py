"""The six grades of how well a value is known."""

from __future__ import annotations

from collections.abc import Iterable

GRADES = {
    "measured": "measured on the thing itself, by the source",
    "datasheet": "stated by its maker, or by a source that describes its configuration",
    "derived": "follows from other values of the same part, by the expression given",
    "textbook": "computed from a published formula, or taken from general literature",
    "fitted": "solved so that a model meets the claims named; belongs to that model",
    "assumed": "chosen; the note says why",
}
"""The grades from best to worst, with their meanings."""


def worst(grades: Iterable[str]) -> str | None:
    """The worst of some grades, which is the grade of a result of all these values; None without any."""
    order = list(GRADES)
    return max(grades, key=order.index, default=None)
