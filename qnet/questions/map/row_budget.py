"""The operations of a stream of rows: one account for all of them, which grows with the rows that are read."""

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
"""Rows that share the operations of one command; of more rows each adds its part."""
_TOGETHER, _ALONE = 0.75, 0.95
"""What a chunk of rows, or a row that is a chunk, may spend of what is left: never all, so that cheap rows go on."""
_PIECE, _ROW = 0.25, 0.5
"""The same of a piece of a chunk that was too much, and of a row of it."""
_PIECES = 4
"""Parts of a chunk that was too much; a choice: fewer would cost more attempts, more would lose batches."""

_Some = TypeVar("_Some")


class RowBudget:
    """What the rows of a stream may spend together, and have spent.

    A stream of very many cheap rows goes on. A row that is too expensive is not solved, and the others are;
    few rows that are expensive together spend what one command may, and of the rest as many are solved as it allows.

    wanted   the operations of a command, which a row has for itself where its method is chosen; the memory of a chunk.
    """

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.rows = 0
        """Those that were to be solved."""
        self.unsolved = 0
        """Those that took too much."""
        self.spent = 0.0

    @property
    def most(self) -> float:
        """Operations of all rows so far."""
        return max(self.wanted.operations, budget.FLOOR) * max(1.0, self.rows / ROWS)

    def solve(self, size: int, solve: Callable[[range], _Some]) -> list[tuple[range, _Some | budget.OverBudget]]:
        """The answers of a chunk of rows: of all at once, or, where that is too much, of pieces of it.

        size      rows of the chunk, at least 1.
        solve     the answers of some rows, by their indices in the chunk.
        Returns   rows and their answers; or a row, and that it takes too much.
        """
        self.rows += size
        waiting = [range(size)]
        result: list[tuple[range, _Some | budget.OverBudget]] = []
        while waiting:
            some = waiting.pop()
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
                    waiting += [some[start : start + step] for start in range(0, len(some), step)][::-1]
            finally:
                self.spent += account.spent - account.refused
        return result

    def answers(self, model: Model, columns: Mapping[str, Any], size: int, table: Callable[..., Answers]) -> Answers:
        """The answers of a chunk of rows; one that takes too much says so in its status.

        columns   by parameter: one value per row, in base units.
        table     the answers of all rows at once, as `solve_table`.
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
        """That some rows were not solved because they take too much, and what to do about it; else None."""
        if not self.unsolved:
            return None
        text = f"{self.unsolved} of {self.rows} rows are not solved: they take more than is left of {self.most:.1e} "
        help = f"allow more with --operations {10 * self.wanted.operations:.0e}, or send those rows alone"
        return budget.OverBudget(Problem("QN515", text + "operations", help=help))
