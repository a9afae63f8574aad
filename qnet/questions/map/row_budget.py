"""The operations of a stream of rows: one account for all of them, which grows with the rows that are read."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from qnet import budget
from qnet.errors import NotComputed, Problem
from qnet.networks.wanted import Wanted

ROWS = 100
"""Rows that share the operations of one command; of more rows each adds its part."""


class RowBudget:
    """What the rows of a stream may spend together, and have spent.

    A stream of very many cheap rows goes on; few rows that are expensive end it as soon as they have spent what one
    command may, and no later row is solved.

    wanted   the operations of a command, which a row has for itself where its method is chosen; the memory of a chunk.
    """

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.rows = 0
        """Those that were to be solved."""
        self.solved = 0
        self.spent = 0.0
        self.over: budget.OverBudget | None = None
        """Why no further row is solved."""

    @property
    def most(self) -> float:
        """Operations of all rows so far."""
        operations = max(self.wanted.operations, budget.FLOOR)
        return operations * max(1.0, self.rows / ROWS)

    @contextmanager
    def chunk(self, size: int) -> Generator[None]:
        """An account for some more rows; raises `OverBudget` from inside, and for all rows after that at once."""
        self.rows += size
        if self.over is not None:
            raise self.over
        account = budget.Account(self.wanted.operations * size, self.wanted.memory, self.wanted.announce)
        account.stop = self.most - self.spent
        try:
            with budget.opened(account):
                yield
            self.solved += size
        except budget.OverBudget as error:
            text = f"stopped after {self.most:.1e} operations for {self.rows} rows"
            help = "allow more with --operations, or send fewer rows"
            self.over = budget.OverBudget(Problem("QN515", text, f"at most {self.most:.1e} operations", help=help))
            raise self.over from error
        finally:
            self.spent += account.spent

    def refusal(self) -> NotComputed | None:
        """That the rows after the first ones were not solved, and how many operations all of them need; else None."""
        if self.over is None:
            return None
        each = self.spent / max(self.solved, 1)
        needed = 2 * each * self.rows / max(1.0, self.rows / ROWS)
        text = f"{self.over.problems[0].found}: the first {self.solved} of {self.rows} are solved"
        expected = self.over.problems[0].expected
        return budget.OverBudget(Problem("QN515", text, expected, help=f"allow more with --operations {needed:.0e}"))
