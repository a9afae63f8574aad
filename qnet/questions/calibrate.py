"""Calibration: parameters of a model from measurements of the system, by bounded least squares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from qnet.errors import InvalidInput, NotComputed, Problem, UsageError
from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.answers import Answers, solve_table
from qnet.questions.least_squares import Minimum, Spread, minimise, spread
from qnet.questions.measured import Measured, measured
from qnet.questions.student import half_width
from qnet.questions.tables import Rows, read_table
from qnet.questions.unknowns import Unknown, starts, unknowns
from qnet.record import Record

SHARE = 0.95
"""Of the intervals that are told."""
_EFFECT = 1e-7
"""The elasticity up to which a parameter is said to have no effect."""
_LOOKED_AT = 64
"""Starts that are looked at where the stated one leads nowhere, and how many of the best are followed."""
_FOLLOWED = 4
_POINTS = 50_000
_SAME = 1e-3
"""How near two minima are the same, in coordinates in which 1 is much."""

SEARCHES = 4
"""How many starts are followed where nobody says: enough to see that two stations may change places."""
_NEARLY_AS_GOOD = 4.0
"""How much larger the sum of squares at another minimum may be that is worth telling: residuals twice as large."""
_AS_GOOD = 1e-6
"""How much larger the least sum of squares may be, relative, where the search began at the stated values."""


class Found(Record):
    """A parameter that was fitted, in base units."""

    unknown: Unknown
    value: float
    error: float | None
    """Standard error; None where there is none to tell."""
    low: float | None
    """Ends of the interval."""
    high: float | None
    side: int
    """-1 at its lower end, 1 at its upper one, 0 between."""
    idle: bool
    """Whether it has no effect on what was measured."""


class Calibration(Record):
    """What measurements tell of some parameters."""

    model: Model
    measured: Measured
    parameters: tuple[Found, ...]
    answers: Answers
    """The model at every row, with the fitted values."""
    modelled: Any
    """(rows, metrics), in base units; not-a-number where there is no answer."""
    residuals: Any
    """(rows, metrics): as they were squared, weights included; not-a-number where nothing was measured."""
    used: Any
    """(rows, metrics): what was fitted on."""
    absolute: bool
    minimum: Minimum
    spread: Spread
    others: tuple[tuple[float, ...], ...]
    """Fitted values at other minima, the best first; their residuals may be as small."""
    searched: int
    """Starts that were followed."""


def calibrate(
    model: Model,
    source: Rows,
    fit: Sequence[str],
    metrics: Sequence[str] = (),
    between: Sequence[str] = (),
    hold_out: str = "",
    absolute: bool = False,
    searches: int = SEARCHES,
    wanted: Wanted = AUTO,
) -> Calibration:
    """The values of some parameters at which a model is nearest to what was measured.

    source    a CSV file, or rows: columns that are named like parameters state the conditions of a row, those that are
              named like figures or outputs (`response_s`, `utilization_cpu`) what was measured; `weight` and
              `hold_out` where they are there.
    fit       the parameters: stated numbers that no row states.
    metrics   what to fit on; none: every measured column.
    between   `NAME=LOW:HIGH` texts, ends for the search; else the range that the model states; without one,
              from a ten-thousandth of the stated value to ten thousand times it.
    hold_out  rows that only test the fit: a number of rows at the end, or a condition such as "rate > 900/s".
    absolute  squared is modelled less measured, over the mean of the metric; else the logarithm of their ratio.
    searches  how many starts to follow: the stated values, and the best of some that are spread over the ranges.
    Raises    `UsageError`, `InvalidInput` for what cannot be read; `NotComputed` where no minimum is found.

    Method    `least_squares.minimise`, from the stated values and from others; more of them where the first search has
              no answer, or leads to an end of a range or to no minimum. All rows of all trial points are one table.
    Errors    `least_squares.spread`; intervals are Student's t times the standard error, of a positive parameter in its
              logarithm.
    Limits    The intervals are linear, and know of no error of the model itself: they are honest where it is right.
    """
    wanted_parameters = unknowns(model, fit, between)
    rows = measured(model, read_table(source), fit, metrics, hold_out)
    target = _Target(model, wanted_parameters, rows, absolute, wanted)
    best, others, followed = _search(target, searches)
    least = _EFFECT * target.count**0.5
    known = spread(best, least)
    values = {item.name: float(item.values(best.point[place])) for place, item in enumerate(wanted_parameters)}
    columns = {**rows.conditions, **values}
    size = len(rows.table.rows)
    table = {name: _full(value, size) for name, value in columns.items()}
    answers = solve_table(model, table, size, wanted)
    modelled = target.modelled(answers)
    return Calibration(
        model,
        rows,
        _found(wanted_parameters, best, known),
        answers,
        modelled,
        target.scaled(modelled[None])[0],
        target.used,
        absolute,
        best,
        known,
        others,
        followed,
    )


def _full(value: Any, size: int) -> Any:
    import numpy as np

    return np.zeros(size) + value


class _Target:
    """The residuals of a model at trial values of the unknowns, for `minimise`."""

    def __init__(self, model: Model, found: Sequence[Unknown], rows: Measured, absolute: bool, wanted: Wanted) -> None:
        import numpy as np

        self.model = model
        self.unknowns = found
        self.rows = rows
        self.wanted = wanted
        self.absolute = absolute
        there = np.isfinite(rows.values)
        if not absolute and (rows.values[there] <= 0).any():
            row, place = (int(number) for number in np.argwhere(there & (rows.values <= 0))[0])
            words = f"{rows.metrics[place].source} is not above 0, and its relative error has no size"
            problem = rows.table.fault(row, rows.metrics[place].key, words)
            raise InvalidInput(problem.replace(code="QN253", help="--absolute, or leave the cell empty"))
        self.used = there & ~rows.held_out[:, None]
        self.count = int(self.used.sum())
        if self.count < len(found):
            words = f"{self.count} measurements to fit {len(found)} parameters on"
            raise InvalidInput(Problem("QN252", words, "as many as parameters at least", file=rows.table.name))
        self.places = np.flatnonzero(self.used.any(axis=1))
        scale = np.array([np.abs(column[there[:, place]]).mean() for place, column in enumerate(rows.values.T)])
        self.scale = np.where(scale > 0, scale, 1.0)
        self.low = np.array([item.coordinate(item.low) for item in found])
        self.high = np.array([item.coordinate(item.high) for item in found])

    def modelled(self, answers: Answers) -> Any:
        """The metrics of a solved table, (points, metrics)."""
        import numpy as np

        return np.array([answers.of(item.expression) for item in self.rows.metrics], dtype=float).T

    def scaled(self, modelled: Any, places: Any = slice(None)) -> Any:
        """The residuals of modelled figures (P, rows, metrics) as they are squared."""
        import numpy as np

        stated = self.rows.values[places]
        with np.errstate(all="ignore"):
            plain = (modelled - stated) / self.scale if self.absolute else np.log(modelled / stated)
        return plain * np.sqrt(self.rows.weights[places])[:, None]

    def __call__(self, points: Any) -> Any:
        """Residuals (P, m) at coordinates (P, n); all rows of all points are solved as one table."""
        import numpy as np

        count, size = len(points), len(self.places)
        table = {name: np.tile(values[self.places], count) for name, values in self.rows.conditions.items()}
        for place, item in enumerate(self.unknowns):
            table[item.name] = np.repeat(item.values(points[:, place]), size)
        answers = solve_table(self.model, table, count * size, self.wanted)
        figures = self.modelled(answers).reshape(count, size, -1)
        residuals = self.scaled(figures, self.places)[:, self.used[self.places]]
        return np.where(np.isfinite(residuals), residuals, np.nan)


def _search(target: _Target, searches: int) -> tuple[Minimum, tuple[tuple[float, ...], ...], int]:
    """The best minimum from the stated values, and from others where that is in doubt; the other minima; searches."""
    import numpy as np

    least = _EFFECT * target.count**0.5

    def follow(start: Any) -> Minimum | None:
        return minimise(target, start, target.low, target.high, least)

    first = follow(np.array([item.coordinate(item.start) for item in target.unknowns]))
    ends = [] if first is None else [first]
    followed = 1
    more = max(searches - 1, 0)
    # On a ridge, or at a saddle between two minima, some directions change nothing.
    doubtful = first is None or not first.converged or first.side.any() or len(spread(first, least).tied)
    if doubtful:
        more = max(more, _FOLLOWED)
    if more:
        count = max(8, more, min(_LOOKED_AT, _POINTS // max(len(target.places), 1)))
        points = starts(target.unknowns, count)
        costs = (target(points) ** 2).sum(axis=1)
        if first is None and not np.isfinite(costs).any():
            help = "give other values with -p, or a range with --between, at which every fitted row has an answer"
            found = f"some rows have no answer at any of {count + 1} starts"
            raise NotComputed(Problem("QN534", found, help=help))
        order = [place for place in np.argsort(costs, kind="stable").tolist() if np.isfinite(costs[place])][:more]
        ends += [end for place in order if (end := follow(points[place])) is not None]
        followed += len(order)
    proven = sorted((end for end in ends if end.converged), key=lambda end: end.cost)
    if not proven:
        reason = f"least squares found no minimum: {ends[0].reason}"
        raise NotComputed(Problem("QN533", reason, help="narrow the range with --between, or start elsewhere with -p"))
    best = proven[0]
    if first is not None and first.converged and first.cost <= best.cost * (1 + _AS_GOOD) + 1e-18:
        best = first
    if min(end.cost for end in ends) < best.cost * (1 - _AS_GOOD) - 1e-18:
        found = "the least residuals are at no proven minimum"
        raise NotComputed(Problem("QN533", found, help="narrow the range with --between"))
    others: list[Minimum] = []
    # Where some directions change nothing, every search ends elsewhere at the same minimum.
    for end in [] if len(spread(best, least).tied) else proven:
        near = end.cost <= _NEARLY_AS_GOOD * best.cost + 1e-18
        if near and all(np.abs(end.point - known.point).max() > _SAME for known in [best, *others]):
            others.append(end)
    told = tuple(
        tuple(float(item.values(end.point[place])) for place, item in enumerate(target.unknowns)) for end in others
    )
    return best, told, followed


def _found(wanted: Sequence[Unknown], best: Minimum, known: Spread) -> tuple[Found, ...]:
    """The fitted values with their errors and intervals, in base units."""
    times = half_width(SHARE, known.freedom) if known.freedom > 0 else math.nan
    result: list[Found] = []
    for place, item in enumerate(wanted):
        here = float(best.point[place])
        value = float(item.values(here))
        deviation = math.sqrt(float(known.covariance[place, place])) if known.freedom > 0 else math.nan
        error = low = high = None
        if math.isfinite(deviation):
            error = deviation * item.slope(value)
            low = max(float(item.values(here - times * deviation)), item.low)
            high = min(float(item.values(here + times * deviation)), item.high)
        result.append(Found(item, value, error, low, high, int(best.side[place]), bool(known.idle[place])))
    return tuple(result)


def fitted_point(found: Calibration) -> dict[str, float]:
    """The fitted values by name, in base units."""
    return {item.unknown.name: item.value for item in found.parameters}


def refuse_without_fit(fit: Sequence[str]) -> None:
    """Raise `UsageError` where no parameter is to be fitted."""
    if not fit:
        raise UsageError(Problem("QN027", "no parameter is to be fitted", "--fit NAME, or --demands"))
