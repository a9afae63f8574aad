"""How far a value can be trusted, in six words."""

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
"""The grades from best to worst, each with what it means."""


def worst(grades: Iterable[str]) -> str | None:
    """The worst of some grades, which is what a result that rests on all of them deserves; None where there is none."""
    order = list(GRADES)
    return max(grades, key=order.index, default=None)
