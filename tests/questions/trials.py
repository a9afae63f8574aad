"""Many calibrations of one model side by side: what all of them ask in a round is solved as the rows of one table.

A trial takes some ten rounds of a few points, and a round takes as long for one trial as for hundreds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
import pytest

from qnet.networks.wanted import Wanted
from qnet.questions.calibrate.least_squares import together
from qnet.questions.calibrate.search import Target
from qnet.questions.points.answers import solve_table

_Result = TypeVar("_Result")


class _Trial(threading.Thread, Generic[_Result]):
    """A trial that is sent answers, as a generator is: it runs while whoever sends one waits, and never otherwise."""

    def __init__(self, run: Callable[[], _Result]) -> None:
        super().__init__(daemon=True)
        self.trial = run
        self.resumed, self.waiting = threading.Semaphore(0), threading.Semaphore(0)
        self.exchanged: Any = None
        """A question of the trial, or the answer to it."""
        self.ended: StopIteration | BaseException | None = None
        self.start()

    def run(self) -> None:
        self.resumed.acquire()
        try:
            self.ended = StopIteration(self.trial())
        except BaseException as error:
            self.ended = error
        self.waiting.release()

    def ask(self, question: Any) -> Any:
        """The answer to a question, for the trial itself."""
        self.exchanged = question
        self.waiting.release()
        self.resumed.acquire()
        return self.exchanged

    def send(self, answer: Any) -> Any:
        """The next question of the trial; raises `StopIteration` with its result, or its error."""
        self.exchanged = answer
        self.resumed.release()
        self.waiting.acquire()
        if self.ended:
            raise self.ended
        return self.exchanged


def side_by_side(patched: pytest.MonkeyPatch, trials: Sequence[Callable[[], _Result]]) -> list[_Result]:
    """The results of some trials, in each of which the same model is fitted to other measurements of the same kind."""
    asked: dict[str, Any] = {}
    plain = Target.plainly

    def plainly(self: Target, points: Any, indices: Any, wanted: Wanted) -> Any:
        trial = threading.current_thread()
        assert isinstance(trial, _Trial)
        if wanted != self.seeking:
            return plain(self, points, indices, wanted)
        columns = self.table(points, indices)
        kind = (self.model, self.rows.metrics, tuple(columns), wanted.replace(responses=self.responses))
        assert asked.setdefault("kind", kind) == kind
        figures = trial.ask(np.column_stack(list(columns.values())))
        return self.plain(figures.reshape(len(points), len(indices), -1), indices)

    def solved(rows: Any) -> Any:
        model, metrics, names, wanted = asked["kind"]
        with np.errstate(all="ignore"):
            answers = solve_table(model, dict(zip(names, rows.T, strict=True)), len(rows), wanted, each=False)
            return np.array([answers.of(item.expression) for item in metrics], dtype=float).T

    patched.setattr(Target, "plainly", plainly)
    return together(solved, [_Trial(run) for run in trials])
