"""A model solved at every row of a table: as arrays, and row by row only where some rows have no answer."""

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
"""The code of an unknown method."""
_CHUNK = 4096
"""Rows that are solved at once: enough for arrays to pay, few enough to report progress and to keep memory small."""
_FIRST, _GROWS = 64, 8
"""Rows of the first chunk where an interruption is to keep what is finished, and how many times larger the next ones
may be."""
_LOST = 3e8
"""Operations of a chunk that an interruption may lose, about."""


_GRAVEST = (NoAnswer, NotComputed, UsageError, InvalidInput)


class Undefined(str):
    """The status of a row with metrics that have no finite value: it names them."""


class SolvedRows:
    """Some rows of a table that were solved at once, or did not answer."""

    def __init__(self, rows: Any, solved: Solved | None, problem: Problem | None, kind: type[QnetError]) -> None:
        self.rows = rows
        self.solved = solved
        self.problem = problem
        self.kind = kind


class Answers:
    """The answers of a model at every row of a table. Figures of rows without an answer are not-a-number."""

    def __init__(self, model: Model, size: int, pieces: list[SolvedRows]) -> None:
        self.model = model
        self.size = size
        self.pieces = pieces
        self.status: list[str] = [OK] * size
        """By row: `ok`, or why there is no answer."""
        for piece in pieces:
            for index, text in zip(piece.rows, _statuses(piece), strict=True):
                self.status[index] = text
        self.answered: Any = _array([text == OK for text in self.status])
        """Which rows have an answer, an array of truth values."""

    def of(self, expression: Expression) -> Any:
        """The value of an expression over parameters, outputs and figures, per row."""
        return self._table(lambda solved: expression_value(solved, expression))

    def gather(self, of: Callable[[Part], Any], nothing: Any = float("nan")) -> Any:
        """One value per row from a function of a part; `nothing` at rows without an answer."""
        return self._table(lambda solved: solved.gather(of), nothing)

    @property
    def method(self) -> list[str | None]:
        """The method by row; None at rows without an answer."""
        return self._words(lambda part: part.solution.method)

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

    def _words(self, of: Callable[[Part], str]) -> list[str | None]:
        """One word per row, the same for all rows of a part."""

        def words(part: Part) -> Any:
            return np.full(part.values.size or 1, of(part), dtype=object)

        return self.gather(words, nothing=None).tolist()

    def giving(self, asked: Sequence[Expression]) -> Answers:
        """The same, where rows whose method does not give some figures, such as percentiles, have no answer but that.

        asked   the expressions.
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
        """Raise what a row has against it where no row has an answer.

        Raises `NoAnswer` where any row has no steady state, else `NotComputed` or what the input is to be blamed for.
        """
        if self.size and not self.answered.any():
            failure = self.failure
            assert failure is not None
            raise failure

    @property
    def failure(self) -> QnetError | None:
        """The gravest reason why some row has no answer: that there is none comes before that it was not computed."""
        failures = [failure for piece in self.pieces if (failure := self._failed(piece))]
        return next((item for kind in _GRAVEST for item in failures if isinstance(item, kind)), None)

    def _failed(self, piece: SolvedRows) -> QnetError | None:
        if piece.solved is None:
            return piece.kind(piece.problem or Problem("QN401", "no answer"))
        indices: list[int] = piece.rows[~self.answered[piece.rows]].tolist()
        if not indices:
            return None
        status = self.status[indices[0]]
        return NoAnswer(Problem("QN401", status, "a load below every capacity", file=self.model.name))

    @property
    def solved(self) -> list[Solved]:
        """What was solved, in pieces."""
        return [piece.solved for piece in self.pieces if piece.solved is not None]

    def statuses(self, asked: Iterable[Metric]) -> list[str]:
        """`status`, in which a row where some metrics have no finite value names them, instead of `ok`."""
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
        """What was solved, by structure and method; rows without an answer are in none, or marked there."""
        return [part for piece in self.pieces if piece.solved is not None for part in piece.solved.parts]

    def _table(self, of: Callable[[Solved], Any], nothing: Any = float("nan")) -> Any:
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
    """Solve a model with some parameters replaced by columns of `size` values, in base units.

    asked     the method and its budget, which every row has for itself: rows get the methods they would get alone.
    progress  called after every chunk with the number of rows done.
    each      whether every row without an answer says why that is so there; else some rows share a reason.
    keep      end at `KeyboardInterrupt` with the rows that are finished until then.
    Returns   `Answers`, of fewer rows where it is interrupted; a row that the model refuses, that has no steady state
              or that cannot be computed says so in its status, and the others are answered all the same.
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
    """The answers of a model to `size` rows that were solved in parts.

    parts   the rows of each part, by index, and its answers.
    """
    pieces = [
        SolvedRows(rows[piece.rows], piece.solved, piece.problem, piece.kind)
        for rows, answers in parts
        for piece in answers.pieces
    ]
    return Answers(model, size, pieces)


def unanswered(model: Model, size: int, error: QnetError) -> Answers:
    """The answers of a model to `size` rows that failed all at once, with the first problem of `error`."""
    return Answers(model, size, [SolvedRows(np.arange(size), None, error.problems[0], type(error))])


def _solved(model: Model, table: Mapping[str, Any], rows: Any, asked: Wanted, each: bool) -> list[SolvedRows]:
    """The rows solved at once; where that fails, without the rows at fault, and where it is not known which those are,
    by halves."""
    waiting = [rows]
    pieces: list[SolvedRows] = []
    while waiting:
        some = waiting.pop()
        try:
            solved = solve_points(model, {name: values[some] for name, values in table.items()}, len(some), asked=asked)
        except OverBudget:
            raise  # Nothing is left for halves.
        except QnetError as error:
            at = error.at if len(some) > 1 else None
            if at is not None and at.any():
                waiting += [some[~at]] if not at.all() else []
                if each and error.alone:
                    numbers = np.flatnonzero(at).tolist()
                    pieces += [SolvedRows(some[[n]], None, error.alone(n), type(error)) for n in numbers]
                    continue
                if each and not _of_all(error):
                    waiting += [some[index : index + 1] for index in np.flatnonzero(at)[::-1].tolist()]
                    continue
                some = some[at]
            elif len(some) > 1 and not _of_all(error):
                middle = len(some) // 2
                waiting += [some[middle:], some[:middle]]
                continue
            problem = error.problems[0] if error.problems else None
            pieces.append(SolvedRows(some, None, problem, type(error)))
        else:
            pieces.append(SolvedRows(some, solved, None, NoAnswer))
    return pieces


def _of_all(error: QnetError) -> bool:
    """Whether rows would have the same error alone: one of their structure, or of the method that is asked for."""
    structural = isinstance(error, NotComputed) and error.structural
    return structural or any(item.code == _METHOD for item in error.problems)


def _statuses(piece: SolvedRows) -> list[str]:
    if piece.solved is None:
        return [_words(piece.problem) if piece.problem else "no answer"] * len(piece.rows)
    stable = piece.solved.stable
    if stable.all():
        return [OK] * len(piece.rows)
    causes = piece.solved.gather(limiting)
    return [OK if here else f"no steady state: {cause}" for here, cause in zip(stable, causes, strict=True)]


def _words(problem: Problem) -> str:
    return f"{problem.found}; expected {problem.expected}" if problem.expected else problem.found


def _finite(values: Any) -> Any:
    return np.isfinite(np.asarray(values, dtype=float))


def _array(values: list[bool]) -> Any:
    return np.array(values, dtype=bool)
