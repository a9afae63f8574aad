"""Solve a model at every row of a table: in batches, and in smaller ones only where some rows have no answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from qnet import budget
from qnet.budget import OverBudget
from qnet.errors import InvalidInput, NoAnswer, NotComputed, Problem, QnetError, UsageError
from qnet.expression import Expression
from qnet.lazy import np
from qnet.model.metrics import Metric
from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.points.expression_values import expression_value
from qnet.questions.points.points import Part, Solved, solve_points
from qnet.questions.points.saturation import limiting

OK = "ok"
_METHOD = "QN514"
"""The problem code of an unknown method or option of a method."""
_CHUNK = 4096
"""Rows of a batch: enough for arrays to pay, few enough to report progress and to bound memory."""
_FIRST, _GROWS = 64, 8
"""Rows of the first chunk of an interruptible table, and the largest growth of a chunk over the one before."""
_LOST = 3e8
"""Operations that an interruption may discard, about: chunks are at most this expensive."""
_PRECEDENCE = (NoAnswer, NotComputed, UsageError, InvalidInput)
"""Types of errors, in the order in which `Answers.failure` prefers them."""


class Undefined(str):
    """The status of a row in which some metrics have no finite value; it lists their names."""


class SolvedRows:
    """Rows of a table that were solved as one batch, or that failed with the same problem.

    rows        their indices in the table, an integer array.
    solved      the solutions; None where the rows failed.
    problem     why they failed, where that is stated.
    error_type  the error with which they failed; of no meaning for solved rows.
    """

    def __init__(self, rows: Any, solved: Solved | None, problem: Problem | None, error_type: type[QnetError]) -> None:
        self.rows = rows
        self.solved = solved
        self.problem = problem
        self.error_type = error_type


class Answers:
    """The answers of a model at the `size` rows of a table. Figures are NaN at rows without an answer."""

    def __init__(self, model: Model, size: int, pieces: list[SolvedRows]) -> None:
        self.model = model
        self.size = size
        self.pieces = pieces
        self.status: list[str] = [OK] * size
        """For each row `ok`, or why it has no answer."""
        for piece in pieces:
            for index, text in zip(piece.rows, _statuses(piece), strict=True):
                self.status[index] = text
        self.answered: Any = np.array([text == OK for text in self.status], dtype=bool)
        """Which rows have an answer, a Boolean array."""

    def of(self, expression: Expression) -> Any:
        """The value of an expression over parameters, outputs and figures, per row, in base units.

        Returns   an array of floats; NaN at rows without an answer and where the expression is undefined.
        Raises    `NotComputed` where a method does not give a figure of the expression, such as a percentile.
        """
        return self._table(lambda solved: expression_value(solved, expression))

    def gather(self, of: Callable[[Part], Any], nothing: Any = float("nan")) -> Any:
        """The values of `of(part)`, which has one value per point of the part, as an array of one value per row.

        nothing   the value at rows without an answer.
        """
        return self._table(lambda solved: solved.gather(of), nothing)

    @property
    def method(self) -> list[str | None]:
        """The method per row; None at rows without an answer."""
        return self._texts(lambda part: part.solution.method)

    @property
    def methods(self) -> tuple[str, ...]:
        """The names of the methods that were used."""
        return tuple(dict.fromkeys(part.solution.method for part in self.parts))

    @property
    def exact(self) -> bool:
        """Whether every answer is exact."""
        return all(part.solution.exact for part in self.parts)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why some answers are not exact; empty where all are."""
        return tuple(dict.fromkeys(reason for part in self.parts for reason in part.solution.reasons))

    def _texts(self, of: Callable[[Part], str]) -> list[str | None]:
        """One text per row, the same for all rows of a part; None at rows without an answer."""

        def repeated(part: Part) -> Any:
            return np.full(part.values.size or 1, of(part), dtype=object)

        return self.gather(repeated, nothing=None).tolist()

    def giving(self, asked: Sequence[Expression]) -> Answers:
        """These answers, less the rows whose method does not give a figure of some expressions, such as a percentile.

        asked     the expressions.
        Returns   answers in which such rows have no answer, with the refusal of the method as their status.
        """
        pieces: list[SolvedRows] = []
        for piece in self.pieces:
            kept: list[Part] = []
            for part in piece.solved.parts if piece.solved else ():
                alone = Solved(self.model, None, (part,))
                try:
                    for item in asked:
                        expression_value(alone, item)
                except NotComputed as error:
                    pieces.append(SolvedRows(piece.rows[part.points], None, error.problems[0], NotComputed))
                else:
                    kept.append(part)
            if not piece.solved or len(kept) == len(piece.solved.parts):
                pieces.append(piece)
            elif kept:
                ends = np.cumsum([0, *(len(part.points) for part in kept)]).tolist()
                parts = [
                    part.replace(points=np.arange(*both))
                    for part, both in zip(kept, pairwise(ends), strict=True)
                ]  # fmt: skip
                rows = piece.rows[np.concatenate([part.points for part in kept])]
                pieces.append(SolvedRows(rows, Solved(self.model, len(rows), tuple(parts)), None, NoAnswer))
        return Answers(self.model, self.size, pieces)

    def refuse_all_failed(self) -> None:
        """Raise `failure` if the table has rows and none of them has an answer."""
        if self.size and not self.answered.any():
            failure = self.failure
            assert failure is not None
            raise failure

    @property
    def failure(self) -> QnetError | None:
        """The error of a row without an answer; None where every row has one.

        A row without a steady state (`NoAnswer`) comes before one that was not computed (`NotComputed`), and both come
        before rows whose parameters the model refuses (`UsageError`, `InvalidInput`).
        """
        failures = [failure for piece in self.pieces if (failure := self._failed(piece))]
        return next((item for error in _PRECEDENCE for item in failures if isinstance(item, error)), None)

    def _failed(self, piece: SolvedRows) -> QnetError | None:
        """The error of the first row of a piece without an answer; None where all have one."""
        if piece.solved is None:
            return piece.error_type(piece.problem or Problem("QN401", "no answer"))
        indices: list[int] = piece.rows[~self.answered[piece.rows]].tolist()
        if not indices:
            return None
        status = self.status[indices[0]]
        return NoAnswer(Problem("QN401", status, "a load below every capacity", file=self.model.name))

    @property
    def solved(self) -> list[Solved]:
        """The solutions, one for each batch that was solved."""
        return [piece.solved for piece in self.pieces if piece.solved is not None]

    def statuses(self, asked: Iterable[Metric]) -> list[str]:
        """`status` per row; where some metrics `asked` have no finite value, `undefined:` and their names."""
        result = list(self.status)
        missing: dict[int, list[str]] = {}
        for item in asked:
            for index in (self.answered & ~_finite(self.of(item.expression))).nonzero()[0].tolist():
                missing.setdefault(index, []).append(item.key)
        for index, names in missing.items():
            result[index] = Undefined("undefined: " + ", ".join(names))
        return result

    @property
    def parts(self) -> list[Part]:
        """The parts of all batches: rows that share a structure and a method. Rows that were not solved are in none."""
        return [part for piece in self.pieces if piece.solved is not None for part in piece.solved.parts]

    def _table(self, of: Callable[[Solved], Any], nothing: Any = float("nan")) -> Any:
        """The values of `of`, which has one value per row of a batch, per row of the table; see `gather`."""
        result: Any = None
        for piece in self.pieces:
            if piece.solved is None:
                continue
            value = np.asarray(of(piece.solved))
            if result is None:
                result = np.full(self.size, nothing, dtype=object if value.dtype == object else float)
            result[piece.rows] = value
        if result is None:
            return np.full(self.size, nothing, dtype=float if isinstance(nothing, float) else object)
        result[~self.answered] = nothing
        return result


def solve_table(
    model: Model,
    columns: Mapping[str, Any],
    size: int,
    asked: Wanted = AUTO,
    progress: Callable[[int], None] | None = None,
    keep: bool = False,
    each: bool = True,
) -> Answers:
    """Solve a model at every row of a table of parameter values.

    columns   parameter -> `size` values in base units, or indices of options.
    size      the number of rows.
    asked     the method and its budget, which every row has for itself: rows get the methods they would get alone.
    progress  called after every chunk with the number of rows done.
    keep      at `KeyboardInterrupt`, return the rows finished so far instead of raising it, if there are any.
    each      whether the status of a row without an answer is its separate reason; else rows that fail together share
              the reason of one of them.
    Returns   `Answers`; of fewer rows where `keep` ended it. A row that the model refuses, that has no steady state or
              that cannot be computed has the reason as its status, and does not affect the other rows.
    Raises    `OverBudget` where the operations of the question are used up.
    """
    table = {name: np.asarray(values, dtype=float) for name, values in columns.items()}
    asked = asked.replace(each=True)
    pieces: list[SolvedRows] = []
    done = 0
    chunk = _FIRST if keep else _CHUNK
    account = budget.current()
    try:
        while done < size:
            rows = np.arange(done, min(done + chunk, size))
            before = account.spent if account else 0.0
            more = _solved(model, table, rows, asked, each)
            pieces, done = pieces + more, int(rows[-1]) + 1
            cost = ((account.spent if account else 0.0) - before) / len(rows)
            chunk = max(1, min(_CHUNK, _GROWS * chunk, int(_LOST / max(cost, 1.0)))) if keep else _CHUNK
            if progress:
                progress(done)
    except KeyboardInterrupt:
        if not (keep and done):
            raise
        size = done
    return Answers(model, size, pieces)


def joined(model: Model, size: int, parts: Sequence[tuple[Any, Answers]]) -> Answers:
    """The answers of a model at `size` rows that were solved in several calls.

    parts   for each call the row indices, an integer array, and the answers at them.
    """
    pieces = [
        SolvedRows(rows[piece.rows], piece.solved, piece.problem, piece.error_type)
        for rows, answers in parts
        for piece in answers.pieces
    ]
    return Answers(model, size, pieces)


def unanswered(model: Model, size: int, error: QnetError) -> Answers:
    """The answers of a model at `size` rows that all failed with `error`, whose first problem is their status."""
    return Answers(model, size, [SolvedRows(np.arange(size), None, error.problems[0], type(error))])


def _solved(model: Model, table: Mapping[str, Any], rows: Any, asked: Wanted, each: bool) -> list[SolvedRows]:
    """Solve rows as one batch; where it fails, apart from the rows at fault, or in halves where these are unknown."""
    waiting = [rows]
    pieces: list[SolvedRows] = []
    while waiting:
        batch = waiting.pop()
        try:
            varied = {name: values[batch] for name, values in table.items()}
            solved = solve_points(model, varied, len(batch), asked=asked)
        except OverBudget:
            raise  # No operations are left for halves.
        except QnetError as error:
            at = error.at if len(batch) > 1 else None
            if error.solved is not None:
                # Their chains of states may have taken operations that are not left for a second time.
                done, piece = _before_failure(batch, error.solved)
                pieces.append(piece)
                batch, at = batch[~done], None if at is None else at[~done]
            if at is not None and at.any():
                waiting += [batch[~at]] if not at.all() else []
                if each and error.alone:
                    indices = np.flatnonzero(at).tolist()
                    pieces += [SolvedRows(batch[[i]], None, error.alone(i), type(error)) for i in indices]
                    continue
                if each and not _same_for_all(error):
                    waiting += [batch[index : index + 1] for index in np.flatnonzero(at)[::-1].tolist()]
                    continue
                batch = batch[at]
            elif len(batch) > 1 and not _same_for_all(error):
                middle = len(batch) // 2
                waiting += [batch[middle:], batch[:middle]]
                continue
            problem = error.problems[0] if error.problems else None
            pieces.append(SolvedRows(batch, None, problem, type(error)))
        else:
            pieces.append(SolvedRows(batch, solved, None, NoAnswer))
    return pieces


def _before_failure(batch: Any, solved: Solved) -> tuple[Any, SolvedRows]:
    """The points of a batch that were solved before others failed: which they are, and their rows.

    batch   the rows of the batch.
    solved  the solutions at some of its points.
    """
    points = np.concatenate([part.points for part in solved.parts])
    ends = np.cumsum([len(part.points) for part in solved.parts]).tolist()
    parts = tuple(
        part.replace(points=np.arange(end - len(part.points), end))
        for part, end in zip(solved.parts, ends, strict=True)
    )
    piece = SolvedRows(batch[points], solved.replace(size=len(points), parts=parts), None, NoAnswer)
    return np.isin(np.arange(len(batch)), points), piece


def _same_for_all(error: QnetError) -> bool:
    """Whether each row of a batch would fail with this error alone: it is due to the structure, or to the method."""
    structural = isinstance(error, NotComputed) and error.structural
    return structural or any(item.code == _METHOD for item in error.problems)


def _statuses(piece: SolvedRows) -> list[str]:
    """The status of each row of a piece."""
    if piece.solved is None:
        return [_sentence(piece.problem) if piece.problem else "no answer"] * len(piece.rows)
    stable = piece.solved.stable
    if stable.all():
        return [OK] * len(piece.rows)
    causes = piece.solved.gather(limiting)
    return [OK if steady else f"no steady state: {cause}" for steady, cause in zip(stable, causes, strict=True)]


def _sentence(problem: Problem) -> str:
    return f"{problem.found}; expected {problem.expected}" if problem.expected else problem.found


def _finite(values: Any) -> Any:
    return np.isfinite(np.asarray(values, dtype=float))
