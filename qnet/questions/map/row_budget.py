"""The operations of a stream of rows: one budget for all of them, which grows with the number of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from qnet import budget
from qnet.errors import NotComputed, Problem
from qnet.lazy import np
from qnet.model.model import Model
from qnet.networks.wanted import Wanted
from qnet.questions.points.answers import Answers, joined, unanswered

ROWS = 100
"""Rows that share the operations of one command; every further row adds its share."""
_TOGETHER, _ALONE = 0.75, 0.95
"""The share of the remaining operations for a chunk of rows, and for a chunk of one row: never all, so that cheap rows
after it are still solved."""
_PIECE, _ROW = 0.25, 0.5
"""The shares for a piece of a chunk that was too expensive, and for a single row of it."""
_PIECES = 4
"""Pieces of a chunk that was too expensive; a choice: fewer cost more attempts, more lose batches."""

_Some = TypeVar("_Some")


class RowBudget:
    """The operations that the rows of a stream may spend together, and have spent.

    A long stream of cheap rows is not limited. A row that is too expensive is not solved, but the others are; of a few
    expensive rows, as many are solved as the operations of one command allow.

    wanted   the operations of a command, by which the method of each row is chosen; the memory of a chunk.
    """

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.rows = 0
        """Rows so far."""
        self.unsolved = 0
        """Rows that were too expensive."""
        self.spent = 0.0

    @property
    def most(self) -> float:
        """Operations of all rows so far."""
        return max(self.wanted.operations, budget.FLOOR) * max(1.0, self.rows / ROWS)

    def solve(self, size: int, solve: Callable[[range], _Some]) -> list[tuple[range, _Some | budget.OverBudget]]:
        """The answers of a chunk of rows: of all at once, or, where that is too expensive, of pieces of it.

        size      the number of rows of the chunk, at least 1.
        solve     solves some rows, given by their indices in the chunk.
        Returns   rows with their answers; a row that is too expensive with its error.
        """
        self.rows += size
        pending = [range(size)]
        result: list[tuple[range, _Some | budget.OverBudget]] = []
        while pending:
            some = pending.pop()
            many, one = (_TOGETHER, _ALONE) if len(some) == size else (_PIECE, _ROW)
            account = budget.Account(self.wanted.operations * len(some), self.wanted.memory, self.wanted.announce)
            account.stop = (one if len(some) == 1 else many) * (self.most - self.spent)
            try:
                with budget.opened(account):
                    result.append((some, solve(some)))
            except budget.OverBudget as error:
                if len(some) == 1:
                    self.unsolved += 1
                    result.append((some, error))
                else:
                    step = -(-len(some) // _PIECES)
                    pending += [some[start : start + step] for start in range(0, len(some), step)][::-1]
            finally:
                self.spent += account.spent - account.refused
        return result

    def answers(self, model: Model, columns: Mapping[str, Any], size: int, table: Callable[..., Answers]) -> Answers:
        """The answers of a chunk of rows; the status of a row that is too expensive gives that as the reason.

        columns   one value per row, in base units, by parameter.
        table     solves all rows at once, as `solve_table`.
        """

        def solved(rows: range) -> Answers:
            some = {name: values[rows.start : rows.stop] for name, values in columns.items()}
            return table(model, some, len(rows), self.wanted)

        parts = [
            (np.arange(rows.start, rows.stop), item if isinstance(item, Answers) else unanswered(model, 1, item))
            for rows, item in self.solve(size, solved)
        ]
        return parts[0][1] if len(parts) == 1 else joined(model, size, parts)

    def refusal(self) -> NotComputed | None:
        """The error for rows that were not solved because they are too expensive; None without any."""
        if not self.unsolved:
            return None
        text = f"{self.unsolved} of {self.rows} rows are not solved: they take more than is left of {self.most:.1e} "
        help = f"allow more with --operations {10 * self.wanted.operations:.0e}, or solve those rows separately"
        return budget.OverBudget(Problem("QN515", text + "operations", help=help))
