"""The search of a calibration: the residuals of a model at trial values, and the least of them from several starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qnet.errors import InvalidInput, NotComputed, Problem
from qnet.lazy import Array, np
from qnet.model.model import Model
from qnet.networks.wanted import Wanted
from qnet.questions.calibrate.errors import NORMAL, refuse_unknown
from qnet.questions.calibrate.least_squares import ENDLESS, JUMP, Minimum, minimise_all, spread
from qnet.questions.calibrate.measured import Measurements, described
from qnet.questions.calibrate.profile import Lane, refit
from qnet.questions.calibrate.unknowns import Unknown, starts
from qnet.questions.points.answers import OK, Answers, solve_table
from qnet.questions.points.trial import rests_on_responses
from qnet.record import Record

_EFFECT = 1e-7
"""The elasticity up to which a parameter counts as without effect."""
_EVALUATED = 64
"""Most starts that are evaluated to rank them."""
_FOLLOWED = 4
"""The best starts that are followed; a choice between time and other minima."""
_POINTS = 50_000
"""Most rows that are solved to rank starts; a choice that bounds time."""
_SAME = 1e-3
"""The distance of coordinates up to which two minima are the same."""
_NEARLY_AS_GOOD = 4.0
"""The ratio of sums of squares up to which another minimum is reported: residuals twice as large."""
_AS_GOOD = 1e-6
"""The relative difference of sums of squares up to which the minimum reached from the stated values is preferred."""
_ABSURD = 1e100
"""The bound on residuals, whose squares would overflow."""
_STUCK = (JUMP, ENDLESS)
"""Reasons of searches that may have ended at a minimum that no derivative proves; profiles must not improve on it."""
_SCANS = 4
"""Passes over the coordinates; a choice that bounds time."""
_SCANNED = 120
"""The values at which a coordinate without effect, or with jumps, is scanned over its range."""


_RECENT = 64
"""Points whose residuals are cached: a search begins where the one before ended, and needs the same ones again."""
_REACH = 0.5
"""The distance from its point up to which the derivatives of a correction apply, in coordinates."""


class Correction(Record):
    """A correction of residuals, so that near a point they are those of another method."""

    point: Any
    shift: Any
    """(rows, metrics): the difference of plain residuals at the point."""
    slope: Any
    """(rows, metrics, n): its derivatives there."""

    def at(self, points: Any, indices: Any) -> Any:
        """(P, rows, metrics) at some coordinates (P, n) and rows."""
        moves = np.clip(points - self.point, -_REACH, _REACH)
        return self.shift[indices] + np.einsum("rmn,pn->prm", self.slope[indices], moves)


class Target:
    """The residuals of a model at trial values of the unknowns, for `minimise`."""

    def __init__(
        self, model: Model, result: Sequence[Unknown], rows: Measurements, absolute: bool, wanted: Wanted
    ) -> None:
        self.model = model
        self.unknowns = result
        self.rows = rows
        self.wanted = wanted
        self.seeking = _seeking(wanted)
        """The method of the search, which solves many networks."""
        self.responses = rests_on_responses(model, [item.expression for item in rows.metrics])
        """Whether residuals depend on throughputs and responses alone."""
        self.correction: Correction | None = None
        self.lowest: tuple[float, Any, Any] | None = None
        """The least sum of squares that was computed, with its coordinates and residuals."""
        self.recent: dict[bytes, Any] = {}
        """Plain residuals of the used rows by the method of the search, by the coordinates of the latest points."""
        self.absolute = absolute
        there = np.isfinite(rows.values)
        if not absolute and (rows.values[there] <= 0).any():
            row, index = (int(number) for number in np.argwhere(there & (rows.values <= 0))[0])
            words = f"{rows.metrics[index].source} is not above 0, and its relative error has no size"
            problem = rows.table.fault(row, rows.metrics[index].key, words)
            raise InvalidInput(problem.replace(code="QN253", help="--absolute, or leave the cell empty"))
        self.used = there & ~rows.held_out[:, None]
        self.count = int(self.used.sum())
        if self.count < len(result):
            words = (
                f"{self.count} {'measurement' if self.count == 1 else 'measurements'} to fit {len(result)} parameters"
            )
            problem = Problem("QN252", words, "at least one for each parameter", file=rows.table.name)
            raise InvalidInput(problem, *rows.table.reasons())
        self.used_rows = np.flatnonzero(self.used.any(axis=1))
        scale = np.array([np.abs(column[there[:, index]]).mean() for index, column in enumerate(rows.values.T)])
        self.scale = np.where(scale > 0, scale, 1.0)
        self.low = np.array([item.coordinate(item.low) for item in result])
        self.high = np.array([item.coordinate(item.high) for item in result])
        self.size = np.ones(rows.values.shape) * (self.scale if absolute else np.abs(rows.values))
        """The size of a residual of 1, in base units."""
        self.digits: Array = np.nan_to_num(rows.printed / self.size)
        """Half of the last printed digit, as a residual; 0 where nothing is printed."""
        self.stated = bool(np.isfinite(rows.errors[self.used]).any())
        """Whether errors are stated."""
        roots = np.sqrt(rows.weights)[:, None] * np.ones(rows.values.shape)
        if self.stated:
            errors: Array = np.where(np.isfinite(rows.errors), rows.errors / self.size, self.digits)
            missing = np.argwhere(self.used & ~(errors > 0))
            cells = [(int(row), rows.metrics[int(index)].key) for row, index in missing]
            refuse_unknown(rows.table, cells)
            self.errors = errors
            roots = roots / np.where(errors > 0, errors, 1.0)
        self.factors: Array = roots
        """(rows, metrics): the factors on plain residuals before they are squared."""

    def weigh(self, common: float, digits: bool) -> None:
        """Set the factors for a common error, with the rounding of printed digits if `digits`."""
        weights = self.rows.weights[:, None]
        variance = common**2 / weights + (self.digits**2 if digits else 0.0)
        self.factors = np.where(variance > 0, 1 / np.sqrt(np.where(variance > 0, variance, 1.0)), 0.0)
        self.lowest = None

    @property
    def least(self) -> float:
        """The norm up to which a column of derivatives is rounding."""
        return _EFFECT * float((self.factors[self.used] ** 2).sum()) ** 0.5

    @property
    def negligible(self) -> float:
        """The growth of a sum of squares inside the 95 % intervals of the stated or printed errors."""
        used = self.used
        variance = 1.0 if self.stated else float(((self.digits * self.factors)[used] ** 2).mean())
        return NORMAL**2 * variance + 1e-18

    def table(self, points: Any, indices: Any) -> dict[str, Any]:
        """The columns of some rows at coordinates (P, n), row after row of each point."""
        count, size = len(points), len(indices)
        table = {name: np.tile(values[indices], count) for name, values in self.rows.conditions.items()}
        for index, item in enumerate(self.unknowns):
            table[item.name] = np.repeat(item.values(points[:, index]), size)
        return table

    def seek_as_asked(self) -> bool:
        """Search by the method asked for from now on; returns whether that is another one."""
        changed, self.seeking = self.seeking != self.wanted, self.wanted
        self.recent.clear()
        return changed

    def correct(self, correction: Correction | None) -> None:
        """Set the correction that is added to all residuals."""
        self.correction, self.lowest = correction, None

    def answers(self, points: Any, indices: Any, wanted: Wanted, each: bool = False) -> Answers:
        """The model at some rows, at coordinates (P, n), which may be absurd.

        each   whether every row without an answer has a separate reason.
        """
        with np.errstate(all="ignore"):
            return solve_table(self.model, self.table(points, indices), len(points) * len(indices), wanted, each=each)

    def solved(self, point: Any, indices: Any, wanted: Wanted) -> Answers:
        """The model at some rows at one point, for a report."""
        return self.answers(point[None], indices, wanted, each=True)

    def modelled(self, answers: Answers) -> Any:
        """The metrics of a solved table, (points, metrics)."""
        with np.errstate(all="ignore"):
            return np.array([answers.of(item.expression) for item in self.rows.metrics], dtype=float).T

    def plain(self, modelled: Any, indices: Any = slice(None)) -> Any:
        """Plain residuals of modelled figures (..., rows, metrics): logarithms of ratios, or scaled differences."""
        stated = self.rows.values[indices]
        with np.errstate(all="ignore"):
            return (modelled - stated) / self.scale if self.absolute else np.log(modelled / stated)

    def every(self, points: Any, indices: Any) -> Any:
        """Plain residuals (P, rows, metrics) at coordinates (P, n), also those that are not fitted."""
        plain = self.plainly(points, indices, self.seeking)
        return plain if self.correction is None else plain + self.correction.at(points, indices)

    def _remembered(self, points: Any) -> Any:
        """As `every`, for the used rows, from the cache where it has all points."""
        keys = [point.tobytes() for point in points]
        if all(key in self.recent for key in keys):
            plain = np.array([self.recent[key] for key in keys])
        else:
            plain = self.plainly(points, self.used_rows, self.seeking)
            self.recent.update(zip(keys[-_RECENT:], plain[-_RECENT:], strict=True))
            for key in list(self.recent)[:-_RECENT]:
                del self.recent[key]
        return plain if self.correction is None else plain + self.correction.at(points, self.used_rows)

    def plainly(self, points: Any, indices: Any, wanted: Wanted) -> Any:
        """As `every`, by a given method and without the correction."""
        figures = self.modelled(self.answers(points, indices, wanted.replace(responses=self.responses)))
        return self.plain(figures.reshape(len(points), len(indices), -1), indices)

    def __call__(self, points: Any) -> Any:
        """Residuals (P, m) at coordinates (P, n); all rows of all points are solved as one table."""
        with np.errstate(all="ignore"):
            scaled = self._remembered(points) * self.factors[self.used_rows]
            residuals = scaled[:, self.used[self.used_rows]]
            residuals = np.where(np.abs(residuals) < _ABSURD, residuals, np.nan)
            costs = np.nan_to_num((residuals**2).sum(axis=1), nan=np.inf)
        best = int(costs.argmin())
        if costs[best] < (self.lowest[0] if self.lowest else np.inf):
            self.lowest = (float(costs[best]), points[best].copy(), residuals[best].copy())
        return residuals


def _seeking(wanted: Wanted) -> Wanted:
    """The method of a search: no Markov chain of all states, and no bounds."""
    if wanted.method == "states":
        return wanted.replace(method="auto", chain=0, enclosed=False)
    return wanted.replace(chain=0, enclosed=False)


def search(target: Target, searches: int) -> tuple[Minimum, tuple[tuple[float, ...], ...], int]:
    """The best minimum from the stated values and other starts, the values at the other minima, and the number of
    searches.

    The best one may be unproven where the residuals jump; its `reason` is then not empty.
    """
    known: list[Minimum] = []

    def follow(some: Sequence[Any]) -> list[Minimum | None]:
        """Where the searches from some starts end, side by side; None where there is no answer."""
        ends = minimise_all(target, some, target.low, target.high, target.least, known)
        known.extend(end for end in ends if end and end.converged and all(end is not item for item in known))
        return ends

    stated = np.array([item.coordinate(item.start) for item in target.unknowns])
    target(stated[None])  # An interruption from here on has at least this point.
    others = _Starts(target, stated, searches)
    # A few more searches side by side cost little, and an uncertain first minimum needs them.
    first, *rest = follow([stated, *others.next(max(searches - 1, _FOLLOWED) if searches > 1 else 0)])
    # On a ridge, or at a saddle between two minima, some directions change nothing.
    doubtful = first is None or not first.converged or first.side.any() or len(spread(first, target.least).tied)
    if doubtful:
        rest += follow(others.next(max(searches - 1, _FOLLOWED) - others.taken))
    ends = [end for end in (first, *rest) if end is not None]
    lowest = min(ends, key=lambda end: end.cost)
    if _flat(target, lowest):
        ends.append(_scanned(target, lowest, follow))
    allowed = [end for end in ends if end.converged or end.reason in _STUCK]
    if not allowed:
        raise no_minimum(target, min(ends, key=lambda end: end.cost))
    best = min(allowed, key=lambda end: end.cost)
    if (
        first is not None
        and any(end is ends[0] for end in allowed)
        and ends[0].cost <= best.cost * (1 + _AS_GOOD) + 1e-18
    ):
        best = ends[0]
    lowest = min(ends, key=lambda end: end.cost)
    if lowest.cost < best.cost * (1 - _AS_GOOD) - 1e-18:
        raise no_minimum(target, lowest)
    return best, _others(target, best, [end for end in ends if end.converged]), 1 + others.taken


class _Starts:
    """Starts besides the stated one: some that are spread over the ranges, the best first."""

    def __init__(self, target: Target, stated: Any, searches: int) -> None:
        self.target, self.stated, self.searches = target, stated, searches
        self.taken = 0
        self.ordered: list[Any] | None = None

    def next(self, count: int) -> list[Any]:
        """Some more of them. Raises `NotComputed` where neither they nor the stated one have an answer."""
        if count <= 0:
            return []
        if self.ordered is None:
            self.ordered = self._ranked()
        result = self.ordered[self.taken : self.taken + count]
        self.taken += len(result)
        return result

    def _ranked(self) -> list[Any]:
        target = self.target
        count = max(8, self.searches - 1, min(_EVALUATED, _POINTS // max(len(target.used_rows), 1)))
        points = np.concatenate([self.stated[None], starts(target.unknowns, count)])
        costs = (target(points) ** 2).sum(axis=1)
        if not np.isfinite(costs).any():
            raise _nowhere(target, points)
        return [points[index] for index in np.argsort(costs, kind="stable").tolist() if index and costs[index] < np.inf]


def _others(target: Target, best: Minimum, proven: Sequence[Minimum]) -> tuple[tuple[float, ...], ...]:
    """The values at other minima that are nearly as good, the best first."""
    reported = spread(best, target.least)
    others: list[Minimum] = []
    counts = ~reported.idle
    allowed = max(_NEARLY_AS_GOOD * best.cost, best.cost + target.negligible)
    # Where some directions change nothing, every search ends at another point of the same minimum.
    for end in [] if len(reported.tied) else sorted(proven, key=lambda end: end.cost):
        near = end.cost <= allowed
        apart = all(np.abs((end.point - item.point)[counts]).max(initial=0.0) > _SAME for item in [best, *others])
        if near and apart:
            others.append(end)
    return tuple(
        tuple(float(item.values(end.point[index])) for index, item in enumerate(target.unknowns)) for end in others
    )


def _flat(target: Target, end: Minimum) -> bool:
    """Whether some coordinate has no effect, or a jump, at the end of a search, so that a scan may improve it."""
    return end.reason in _STUCK or bool(spread(end, target.least).idle.any())


def _scanned(target: Target, end: Minimum, follow: Any) -> Minimum:
    """A better end, if a scan of one coordinate, with the others refitted, reaches smaller residuals."""
    for _ in range(_SCANS):
        idle = spread(end, target.least).idle
        indices = np.flatnonzero(idle) if idle.any() and end.reason not in _STUCK else np.arange(len(end.point))
        lanes: list[Lane] = []
        for index in indices.tolist():
            low, high = float(target.low[index]), float(target.high[index])
            lanes += _ladder(target, end, index, np.linspace(low, high, _rungs(target)))
            width = (high - low) / _rungs(target)
            nearest = [lane.point[index] for lane in sorted(lanes, key=lambda lane: lane.cost)[:_FOLLOWED]]
            lanes += _ladder(target, end, index, np.add.outer(nearest, width * np.linspace(-0.95, 0.95, 20)).ravel())
        better = min(lanes, key=lambda lane: lane.cost, default=None)
        if better is None or not better.cost < end.cost * (1 - _AS_GOOD) - 1e-18:
            return end
        result = follow([better.point])[0]
        if result is None or result.cost >= end.cost:
            return end
        end = result
    return end


def _rungs(target: Target) -> int:
    """Values of a coordinate that are scanned."""
    return max(16, min(_SCANNED, _POINTS // (8 * max(len(target.used_rows), 1))))


def _ladder(target: Target, end: Minimum, index: int, values: Any) -> list[Lane]:
    """Fits of all other coordinates where one has some values, those that have an answer."""
    points = np.repeat(end.point[None], len(values), axis=0)
    points[:, index] = np.clip(values, target.low[index], target.high[index])
    free = np.arange(len(end.point)) != index
    pairs = zip(points, target(points), strict=True)
    lanes = [Lane(point, result, end.jacobian, free) for point, result in pairs if np.isfinite(result).all()]
    refit(target, lanes, target.low, target.high, _AS_GOOD * end.cost)
    return lanes


def no_minimum(target: Target, end: Minimum) -> NotComputed:
    """Why no minimum is proven, with the row where the model is farthest from what was measured."""
    result: Any = np.argwhere(target.used)[int(np.abs(end.residuals).argmax())]
    row, index = int(result[0]), int(result[1])
    metric = target.rows.metrics[index].source
    reason = f"least squares found no minimum: {end.reason}; the largest residual is that of {metric}"
    where = _row(target, row)
    help = "narrow the range with --between, or start elsewhere with -p"
    return NotComputed(where.replace(code="QN533", found=f"{reason} in {where.found}", help=help))


def _nowhere(target: Target, points: Any) -> NotComputed:
    """Which row has no answer, and why, at the start at which most rows have one."""
    answers = target.answers(points, target.used_rows, target.seeking, each=True)
    answered = answers.answered.reshape(len(points), -1)
    start = int(answered.sum(axis=1).argmax())
    missing: list[int] = np.flatnonzero(~answered[start]).tolist()
    if missing:
        row = int(target.used_rows[missing[0]])
        reason = answers.status[start * int(answered.shape[1]) + missing[0]]
    else:
        table = target.every(points[start : start + 1], target.used_rows)[0]
        bad: Any = np.argwhere(~np.isfinite(table) & target.used[target.used_rows])
        row, index = (int(target.used_rows[bad[0][0]]), int(bad[0][1])) if len(bad) else (int(target.used_rows[0]), 0)
        reason = f"{target.rows.metrics[index].source} has no value"
    reason = "no answer" if reason == OK else reason
    where = _row(target, row)
    more = len(missing) - 1
    others = f", nor {'has one more row' if more == 1 else f'have {more} more rows'}" if more > 0 else ""
    text = f"{where.found} has no answer{others}: {reason}; at none of {len(points)} starts have all rows one"
    help = "give other values with -p, or a range with --between, at which every fitted row has an answer"
    return NotComputed(where.replace(code="QN534", found=text, help=help))


def _row(target: Target, row: int) -> Problem:
    """The problem of a row of the measurements, to be completed with its text."""
    table = target.rows.table
    at = described(target.model, target.rows, row)
    where: dict[str, Any] = {"file": table.name, "line": table.lines[row]} if table.digest else {}
    return Problem("QN533", f"row {table.numbers[row]}" + (f" ({at})" if at else ""), **where)
