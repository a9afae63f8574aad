"""Calibration: parameters of a model from measurements of the system, by bounded least squares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from qnet import budget
from qnet.budget import OverBudget
from qnet.errors import NotComputed, Problem, UsageError
from qnet.lazy import np
from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.calibrate.errors import SHARE, UNKNOWN, Scatter, scatter_stated, scatter_unstated
from qnet.questions.calibrate.least_squares import Minimum, Spread, minimise, spread
from qnet.questions.calibrate.measured import Measurements, measured
from qnet.questions.calibrate.polish import Polished, polished
from qnet.questions.calibrate.predict import predictions
from qnet.questions.calibrate.profile import bent, profiles
from qnet.questions.calibrate.search import Target, no_minimum, search
from qnet.questions.calibrate.unknowns import Unknown, unknowns
from qnet.questions.map.tables import DataTable, Rows, read_table
from qnet.questions.points.answers import Answers
from qnet.record import Record

SHARE_OF_FIT = 0.9
"""The share of the remaining operations for the fit; the rest is for the rows of the report."""


__all__ = ["SEARCHES", "SHARE", "Calibration", "FittedParameter", "calibrate", "fitted_point", "refuse_without_fit"]
SEARCHES = 4
"""Default number of starts: enough to show that two stations may be interchanged."""
MAX_SEARCHES = 1000
"""Most starts of one fit; a choice that bounds time."""
LINEAR, PROFILE = "linear", "profile"
_POINTS = 40_000
"""Most rows that are solved for profiles."""
_FEWEST = 500
"""The points that profiles may use in any case, whatever the number of rows; a choice."""
_ROUNDS = 4
"""How often a profile may reach a better minimum."""
_FAR_OFF = 4.0
"""The ratio of the interval by profile to the linear one from which the standard error is not reported."""
_ROUNDED = 1e-9
"""The relative distance beyond an interval that counts as rounding."""
_WEIGHINGS = 3
"""Most fits with new weights; a choice: they end earlier where the common error hardly changes."""
_STEADY = 0.02
"""The relative change of the common error that is not worth another fit."""


class Stopped:
    """The reason why a calibration ended early, and whether it had reached the minimum."""

    def __init__(self, error: OverBudget | KeyboardInterrupt, proven: bool) -> None:
        self.error = error
        self.proven = proven
        """Whether the minimum was reached, so that only the errors of the values are missing."""

    @property
    def reason(self) -> str:
        """The words for the reason."""
        return "interrupted" if isinstance(self.error, KeyboardInterrupt) else "stopped at the end of its operations"

    @property
    def status(self) -> str:
        """The status of every value."""
        return "errors not computed" if self.proven else "best so far"


def kept(target: Target, best: Minimum | None) -> Minimum | None:
    """The minimum of a calibration that ends early, or else its best point so far; None before any."""
    if best is not None:
        return best
    if target.lowest is None:
        return None
    _, point, residuals = target.lowest
    return Minimum(
        point=point,
        residuals=residuals,
        jacobian=np.zeros((len(residuals), len(point))),
        side=np.zeros(len(point), dtype=int),
        offset=float("inf"),
        converged=False,
        reason="the search was stopped",
        rounds=0,
    )


def no_scatter(freedom: int) -> Scatter:
    """The record of unknown errors."""
    return Scatter(
        kind=UNKNOWN,
        variance=float("nan"),
        times=float("nan"),
        freedom=freedom,
        common=0.0,
        ratio=None,
        exceeds=False,
    )


class FittedParameter(Record):
    """A parameter that was fitted, in base units."""

    unknown: Unknown
    value: float
    error: float | None
    """Standard error; None where it cannot be computed."""
    low: float | None
    """The lower end of the interval; None where it is open, or not known."""
    high: float | None
    side: int
    """-1 at the lower end of its range, 1 at the upper one, 0 inside."""
    idle: bool
    """Whether steps around its value have no effect on the measured metrics."""
    interval: str = ""
    """`linear`, `profile`, or empty where there is no interval."""
    tied: bool = False
    """Whether it cannot be distinguished from others."""
    elsewhere: bool = False
    """Whether it is outside its interval at another minimum that agrees with the measurements as well."""

    @property
    def undetermined(self) -> bool:
        """Whether a profile has no end on either side."""
        return self.interval == PROFILE and self.low is None and self.high is None


class Calibration(Record):
    """The estimates of some parameters from measurements."""

    model: Model
    measured: Measurements
    parameters: tuple[FittedParameter, ...]
    answers: Answers
    """The model at every row, with the fitted values."""
    modelled: Any
    """(rows, metrics), in base units; NaN where there is no answer."""
    residuals: Any
    """(rows, metrics): with weights, not divided by errors; NaN where nothing was measured."""
    used: Any
    """(rows, metrics): whether a measurement was fitted."""
    absolute: bool
    minimum: Minimum
    spread: Spread
    others: tuple[tuple[float, ...], ...]
    """Fitted values at other minima, the best first; their residuals may be as small."""
    searched: int
    """The number of starts that were followed."""
    scatter: Scatter
    predicted: tuple[Any, Any]
    """Ends (rows, metrics) of the prediction intervals of held-out measurements, in base units."""
    target: Target
    left: str
    """The reason why the fit is by approximations although the method asked for is exact; empty where it is not."""
    stopped: Stopped | None
    """The reason for an early end; None where there was none."""

    @property
    def tested(self) -> bool:
        """Whether there are more measurements than parameters, so that they can contradict the model."""
        return self.target.count > len(self.parameters)


def calibrate(
    model: Model,
    source: Rows | DataTable,
    fit: Sequence[str],
    metric: Sequence[str] = (),
    between: Sequence[str] = (),
    hold_out: str = "",
    absolute: bool = False,
    starts: int = SEARCHES,
    wanted: Wanted = AUTO,
    error: Sequence[str] = (),
    strict: bool = False,
    keep: bool = False,
) -> Calibration:
    """The values of some parameters at which a model agrees best with measurements.

    source    a CSV file, or rows: columns named like parameters state the conditions of a row; columns named like
              figures or outputs (`response_s`, `utilization_cpu`) were measured, and those with the suffix `_error` are
              their standard errors; `weight` and `hold_out` are optional.
    fit       the parameters: stated numbers that no row states.
    metric    the metrics to fit; none: every measured column.
    between   `NAME=LOW:HIGH` texts, ranges of the search; default: the range that the model states, or else from a
              ten-thousandth of the stated value to ten thousand times it.
    hold_out  rows that only test the fit: a number of rows at the end, or a condition such as "rate > 900/s".
    absolute  whether residuals are modelled less measured, over the mean of the metric; else logarithms of the ratio.
    starts    the number of starts: the stated values, and the best of some that are spread over the ranges.
    wanted    the method of the solutions, and the budget of their operations.
    error     standard errors of the measurements, such as `1%` or `response=2 ms`. Without any, they are the scatter
              of the residuals, and at least half of the last printed digit where cells are texts.
    strict    whether to refuse the measurements at the first unreadable row; otherwise such rows are left out, and
              listed.
    keep      whether to end with the best values so far, and `stopped`, where the operations are spent, or at Ctrl-C.
    Raises    `UsageError`, `InvalidInput` for input that cannot be read; `NotComputed` where the search reaches no
              minimum, or the operations are spent.

    Method    `least_squares.minimise`, from the stated values and from others; more of them where the first search has
              no answer, or ends at an end of a range or at no minimum. All rows of all trial points are one table.
              Searches do not use the Markov chain of all states; where the method asked for does, the minimum is
              searched again with it (`polish.polished`).
    Errors    `least_squares.spread`; intervals are Student's t times the standard error, for a positive parameter in
              its logarithm, where the residuals at their ends are those of the tangent plane; otherwise by profiles
              (`profile.profiles`), which may be open to one side or both.
    Limits    The intervals contain no error of the model itself, beyond what the residuals show.
    """
    refuse_without_fit(fit)
    if not 1 <= starts <= MAX_SEARCHES:
        raise UsageError(Problem("QN028", f"starts is {starts:.6g}", f"an integer from 1 to {MAX_SEARCHES}"))
    wanted_parameters = unknowns(model, fit, between)
    table = source if isinstance(source, DataTable) else read_table(source)
    rows = measured(model, table, fit, metric, hold_out, error)
    if strict:
        rows.table.refuse_unread()
    target = Target(model, wanted_parameters, rows, absolute, wanted)
    made, stopped = _end_of_fit(target, starts, keep)
    best = made.best
    assert best is not None
    # After an early end, the rows of the report have a separate budget.
    with budget.opened(budget.Account(0.0, budget.memory())) if stopped else nullcontext():
        answers = made.answers()
    modelled = target.modelled(answers)
    return Calibration(
        model=model,
        measured=rows,
        parameters=made.parameters,
        answers=answers,
        modelled=modelled,
        residuals=target.plain(modelled) * rows.weights[:, None] ** 0.5,
        used=target.used,
        absolute=absolute,
        minimum=best,
        spread=made.known,
        others=made.others,
        searched=made.followed,
        scatter=made.scatter,
        predicted=predictions(target, best, made.scatter, modelled),
        target=target,
        left=made.polished.left if made.polished else "",
        stopped=stopped,
    )


def _end_of_fit(target: Target, starts: int, keep: bool) -> tuple[_Fit, Stopped | None]:
    """The fit, and the reason if it ended early, which it may with `keep`, as in `calibrate`."""
    made = _Fit(target)
    try:
        with budget.share(SHARE_OF_FIT):
            made.run(starts)
    except (OverBudget, KeyboardInterrupt) as end:
        if not keep or not made.keep():
            raise
        return made, Stopped(end, made.reached)
    return made, None


class _Fit:
    """A fit and its progress: the search, the exact minimum, and the uncertainty of the values."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.best: Minimum | None = None
        self.polished: Polished | None = None
        self.others: tuple[tuple[float, ...], ...] = ()
        self.followed = 0
        self.parameters: tuple[FittedParameter, ...] = ()
        self.reached = False
        """Whether the minimum is reached."""

    def run(self, searches: int) -> None:
        """Fit; raises `NotComputed` where there is no minimum."""
        target = self.target
        try:
            self._search(searches)
        except OverBudget:
            raise
        except NotComputed:
            if not target.seek_as_asked():
                raise
            self._search(searches)
        assert self.best is not None
        best, self.scatter, self.known, result = _known(target, self.best)
        self.best, self.parameters = best, _elsewhere(target, best, self.scatter, result, self.others)

    def _search(self, starts: int) -> None:
        target = self.target
        self.best, self.others, self.followed = search(target, starts)
        self.reached = True
        pairs = [zip(target.unknowns, values, strict=True) for values in self.others]
        rivals = [np.array([item.coordinate(value) for item, value in each]) for each in pairs]
        self.polished = polished(target, self.best, rivals)
        self.best = self.polished.best

    def keep(self) -> bool:
        """Use the progress at an early end as the result; False where there is none."""
        self.best = kept(self.target, self.best)
        if self.best is None:
            return False
        self.known = spread(self.best, self.target.least, math.nan)
        self.scatter = no_scatter(self.known.freedom)
        self.parameters = _fitted(self.target, self.best, self.scatter, self.known, {})
        return True

    def answers(self) -> Answers:
        """The model at every row, at the fitted values."""
        assert self.best is not None
        result = self.polished or Polished(self.target, self.best, np.zeros(0, dtype=int))
        return result.answers(self.best.point)


def _known(target: Target, best: Minimum) -> tuple[Minimum, Scatter, Spread, tuple[FittedParameter, ...]]:
    """The minimum, or a better one that a profile reached, with the uncertainty of its values."""
    for _ in range(_ROUNDS):
        best, scatter = _weighed(target, best)
        known = spread(best, target.least, scatter.variance)
        ends, better = _profiled(target, best, scatter, known)
        improved = None if better is None else minimise(target, better, target.low, target.high, target.least)
        if improved is None or improved.cost >= best.cost:
            return best, scatter, known, _fitted(target, best, scatter, known, ends)
        best = improved
    raise no_minimum(target, best.replace(reason="profiles find ever smaller residuals"))


def _weighed(target: Target, best: Minimum) -> tuple[Minimum, Scatter]:
    """The errors of the measurements, and the minimum with the weights that follow from them."""
    freedom = spread(best, target.least).freedom
    if target.stated:
        return best, scatter_stated(best.cost, freedom)
    used, enough = target.used, target.count > len(target.unknowns)
    weights = (target.rows.weights[:, None] * np.ones(used.shape))[used]
    before = -1.0
    for _ in range(_WEIGHINGS):
        plain = best.residuals / target.factors[used]
        scatter = scatter_unstated(plain, weights, target.digits[used], freedom, enough)
        if not scatter.digits or abs(scatter.common - before) <= _STEADY * before:
            break
        before = scatter.common
        target.weigh(scatter.common, digits=True)
        again = minimise(target, best.point, target.low, target.high, target.least)
        best = best if again is None else again
    return best, scatter  # pyright: ignore[reportPossiblyUnboundVariable]


_Ends = dict[tuple[int, int], float | None]
"""By (parameter, side), the coordinate at which its profile ends; None for an open end."""


def _profiled(target: Target, best: Minimum, scatter: Scatter, known: Spread) -> tuple[_Ends, Any]:
    """The ends of profiles, where linear intervals are not valid, and a better point, if any was reached."""
    if not scatter.known:
        if not best.converged:
            raise no_minimum(target, best)
        return {}, None
    doubtful = bent(target, best, known.covariance, scatter.times, target.low, target.high)
    doubtful |= ~np.isfinite(np.diag(known.covariance)) | (not best.converged)
    sides = [(index, sign) for index in np.flatnonzero(doubtful).tolist() for sign in (-1, 1)]
    sides = [(index, sign) for index, sign in sides if best.side[index] != sign]
    if not sides:
        return {}, None
    threshold = max(scatter.times**2 * scatter.variance, target.least**2)
    most = max(_FEWEST, _POINTS // len(target.used_rows))
    deviations = scatter.times * np.sqrt(np.diag(known.covariance))
    result = profiles(target, best, sides, deviations, target.low, target.high, threshold, most)
    ends = {side: end.coordinate if end.closed else None for side, end in zip(sides, result.ends, strict=True)}
    return {**ends, **{(index, int(sign)): None for index, sign in enumerate(best.side) if sign}}, result.better


def _fitted(target: Target, best: Minimum, scatter: Scatter, known: Spread, ends: _Ends) -> tuple[FittedParameter, ...]:
    """The fitted values with their errors and intervals, in base units."""
    tied = (np.abs(known.tied) > 1e-3).any(axis=0)
    result: list[FittedParameter] = []
    for index, item in enumerate(target.unknowns):
        coordinate = float(best.point[index])
        value = float(item.values(coordinate))
        deviation = math.sqrt(float(known.covariance[index, index]))
        error = low = high = None
        interval = ""
        if math.isfinite(deviation):
            error = deviation * item.slope(value)
            low = max(float(item.values(coordinate - scatter.times * deviation)), item.low)
            high = min(float(item.values(coordinate + scatter.times * deviation)), item.high)
            interval = LINEAR
        if (index, -1) in ends or (index, 1) in ends:
            low, high = (
                None if (end := ends.get((index, sign))) is None else float(item.values(end)) for sign in (-1, 1)
            )
            interval = PROFILE
            error = None if deviation != deviation or _misleads(item, low, high, error, scatter) else error
        side = int(best.side[index])
        idle = bool(known.idle[index])
        result.append(
            FittedParameter(
                unknown=item,
                value=value,
                error=error,
                low=low,
                high=high,
                side=side,
                idle=idle,
                interval=interval,
                tied=bool(tied[index]),
            )
        )
    return tuple(result)


def _elsewhere(
    target: Target,
    best: Minimum,
    scatter: Scatter,
    result: tuple[FittedParameter, ...],
    others: tuple[tuple[float, ...], ...],
) -> tuple[FittedParameter, ...]:
    """The parameters, marked where another minimum that fits as well has values outside their interval."""
    if not others or not scatter.known:
        return result
    points = np.array(
        [[item.unknown.coordinate(value) for item, value in zip(result, row, strict=True)] for row in others]
    )
    costs = (target(points) ** 2).sum(axis=1)
    allowed = best.cost + max(scatter.times**2 * scatter.variance, target.least**2)
    rivals = [row for row, cost in zip(others, costs.tolist(), strict=True) if cost <= allowed]
    return tuple(
        item.replace(elsewhere=item.interval != "" and any(_outside(item, row[index]) for row in rivals))
        for index, item in enumerate(result)
    )


def _outside(item: FittedParameter, value: float) -> bool:
    below = item.low is not None and value < item.low * (1 - _ROUNDED)
    above = item.high is not None and value > item.high * (1 + _ROUNDED)
    return below or above


def _misleads(item: Unknown, low: float | None, high: float | None, error: float | None, scatter: Scatter) -> bool:
    """Whether a standard error is far below that of the profile, as at a step of the metric."""
    if error is None:
        return False
    reach = (item.high if high is None else high) - (item.low if low is None else low)
    return reach > _FAR_OFF * 2 * scatter.times * error


def fitted_point(calibration: Calibration) -> dict[str, float]:
    """The fitted values of a calibration by the name of the parameter, in base units."""
    return {item.unknown.name: item.value for item in calibration.parameters}


def refuse_without_fit(fit: Sequence[str]) -> None:
    """Raise `UsageError` QN027 where `fit`, the names of the parameters to be fitted, is empty."""
    if not fit:
        help = "qnet sensitivity SYSTEM lists the parameters, and how much each matters"
        raise UsageError(Problem("QN027", "no parameter is to be fitted", "--fit NAME, or --demands", help=help))
