"""The results of a sensitivity analysis at rows, each with one input changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.questions.points.points import Part
from qnet.record import Record


class Rows(Record):
    """The results at some rows: values and exactness, as a list by row for each metric; status and method by row."""

    values: list[list[float]]
    exact: list[list[bool]]
    status: list[str]
    method: list[str | None]
    parts: list[Part]

    def replaced(self, indices: Sequence[int], other: Rows) -> Rows:
        """The results with the rows at some indices replaced by those of `other`."""

        def merged(old: Sequence[Any], new: Sequence[Any]) -> list[Any]:
            result = list(old)
            for index, value in zip(indices, new, strict=True):
                result[index] = value
            return result

        values = [merged(*pair) for pair in zip(self.values, other.values, strict=True)]
        exact = [merged(*pair) for pair in zip(self.exact, other.exact, strict=True)]
        status, method = merged(self.status, other.status), merged(self.method, other.method)
        # Parts of a method that no row uses any more do not belong to the answer.
        kept = [part for part in self.parts if part.solution.method in method]
        return Rows(values, exact, status, method, [*kept, *other.parts])

    def followed(self, other: Rows) -> Rows:
        """The results with those at further rows."""
        return Rows(
            [[*one, *two] for one, two in zip(self.values, other.values, strict=True)],
            [[*one, *two] for one, two in zip(self.exact, other.exact, strict=True)],
            [*self.status, *other.status],
            [*self.method, *other.method],
            [*self.parts, *other.parts],
        )
