"""Errors of measurements: as stated, by the last printed digit, and by the residuals.

Intervals of fitted parameters are by Student's t distribution (`half_width`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from qnet.errors import InvalidInput, Problem, UsageError, short
from qnet.expression import FLOATS
from qnet.lazy import np
from qnet.model.metrics import Metric, metric
from qnet.model.model import Model
from qnet.questions.map.parameter_cells import Fault
from qnet.queues.roots import root
from qnet.record import Record
from qnet.units import NUMBER, UnitError, quantity

SHARE = 0.95
"""The confidence level of intervals."""
NORMAL = 1.959963984540054
"""The half width of an interval of this level in standard errors, for a normal distribution."""
STATED, PRINTED, SCATTER, UNKNOWN = "stated", "printed digits", "residuals", "unknown"
_SMALL = 0.1
"""The share of the scatter up to which printed digits are ignored."""
_ROUNDING = 1e-9
"""Relative errors below this are rounding."""
_NUMBER = re.compile(r"\s*([+-]?)(\d[\d_]*)?(?:\.(\d[\d_]*)?)?(?:[eE]([+-]?\d+))?")
_EXPECTED = "--error 1%, --error '2 ms', or --error 'response=2%'"


def half_digit(cell: object) -> str:
    """Half of the last printed digit of a cell, as a text with its unit; empty where the cell is no printed number."""
    if not isinstance(cell, str):
        return ""
    match = _NUMBER.match(cell)
    if match is None or not (match[2] or match[3]):
        return ""
    decimals = len((match[3] or "").replace("_", ""))
    try:
        half = 0.5 * 10.0 ** (int(match[4] or 0) - decimals)
    except (OverflowError, ValueError):
        return ""
    return f"{half:.17g}{cell[match.end() :]}" if 0 < half < math.inf else ""


def relative(text: object) -> float | None:
    """The share in a text with a percent sign; None for any other text. Raises `Fault` where it has no number."""
    if not isinstance(text, str) or not text.strip().endswith("%"):
        return None
    try:
        return float(text.strip()[:-1]) / 100
    except ValueError:
        raise Fault(f'"{short(text)}" is not a share') from None


def stated_errors(model: Model, texts: Sequence[str], metrics: Sequence[Metric], values: Any) -> Any:
    """Standard errors (rows, metrics) by texts such as `1%`, `2 ms` or `response=2%`; NaN where none is stated.

    Later texts take precedence, and so do those of one metric. Raises `UsageError` QN029 with all problems.
    """
    result: Any = np.full(values.shape, np.nan)
    problems: list[Problem] = []
    for text in sorted(texts, key=lambda item: "=" in item):
        name, _, stated = text.rpartition("=")
        try:
            indices = _indices(model, name.strip(), metrics, text)
            share = relative(stated)
            if share is None:
                size, dimension = quantity(stated.strip())
                indices = [index for index in indices if metrics[index].dimension == dimension]
                if not indices:
                    kind = "no unit" if dimension == NUMBER else f"the unit of {dimension.describe()}"
                    words = f'"{short(text)}" has {kind}, and nothing measured has that'
                    raise UsageError(Problem("QN029", words, _EXPECTED))
                errors = np.full(values.shape, size)
            else:
                size, errors = share, np.abs(values) * share
            if not 0 < size < math.inf:
                raise UsageError(Problem("QN029", f'"{short(text)}" is not an error', "an error above 0"))
            for index in indices:
                result[:, index] = errors[:, index]
        except (UnitError, Fault) as error:
            problems.append(Problem("QN029", f'"{short(text)}" is not an error: {short(str(error))}', _EXPECTED))
        except UsageError as error:
            problems += error.problems
    if problems:
        raise UsageError(*problems)
    return result


def _indices(model: Model, name: str, metrics: Sequence[Metric], text: str) -> list[int]:
    if not name:
        return list(range(len(metrics)))
    key = metric(name, model).key
    indices = [index for index, item in enumerate(metrics) if item.key == key]
    if not indices:
        words = f'"{short(text)}" names a metric that no column measures'
        help = f"measured are {', '.join(item.source for item in metrics)}"
        raise UsageError(Problem("QN029", words, "a metric that is measured", help=help))
    return indices


class Scatter(Record):
    """The errors of the fitted measurements."""

    kind: str
    """Their origin: `stated`, `printed digits`, `residuals`, or `unknown`."""
    variance: float
    """The variance of the residuals as they are squared; NaN where it cannot be estimated."""
    times: float
    """The half width of an interval in standard errors."""
    freedom: int
    """Degrees of freedom."""
    common: float
    """For `residuals` and `printed digits`, the error of measurements in addition to the rounding of their digits."""
    ratio: float | None
    """The scatter of the residuals over the errors that are stated, or that are the rounding of digits; None without
    either."""
    exceeds: bool
    """Whether the residuals scatter more than stated errors explain in 99 of 100 cases."""
    digits: bool = False
    """Whether errors consist of a common one and the rounding of printed digits, so that rows have other weights."""

    @property
    def known(self) -> bool:
        """Whether the size of errors is known."""
        return self.variance == self.variance


def scatter_stated(squares: float, freedom: int) -> Scatter:
    """The scatter with stated errors; `squares` is the sum of squared residuals over errors.

    Where they scatter more than chance explains, intervals are those of the scatter (R. T. Birge, Phys. Rev. 40 (1932)
    207-227).
    """
    if freedom <= 0:
        return Scatter(kind=STATED, variance=1.0, times=NORMAL, freedom=freedom, common=0.0, ratio=None, exceeds=False)
    ratio = squares / freedom
    exceeds = squares > chi_square(freedom)
    times = half_width(SHARE, freedom) if exceeds else NORMAL
    return Scatter(
        kind=STATED,
        variance=ratio if exceeds else 1.0,
        times=times,
        freedom=freedom,
        common=0.0,
        ratio=ratio**0.5,
        exceeds=exceeds,
    )


def scatter_unstated(plain: Any, weights: Any, digits: Any, freedom: int, enough: bool) -> Scatter:
    """The scatter without stated errors: that of the residuals, and at least the rounding of printed digits.

    plain     (m,) residuals without weights.
    weights   (m,) their weights.
    digits    (m,) half of the last printed digit on the same scale, 0 where nothing is printed.
    freedom   degrees of freedom.
    enough    whether there are more measurements than parameters, so that the scatter can be estimated.
    Method    One common variance u^2 in addition to that of the digits, so that sum r^2 / (u^2 / w + d^2) equals the
              degrees of freedom (R. C. Paule and J. Mandel, J. Res. Natl. Bur. Stand. 87 (1982) 377-385).
    """
    printed = bool((digits > 0).all())
    if (freedom <= 0 or not enough) and not printed:
        return Scatter(
            kind=UNKNOWN, variance=math.nan, times=math.nan, freedom=freedom, common=0.0, ratio=None, exceeds=False
        )
    if freedom <= 0:
        return _of_digits(freedom, None)
    scatter = float((weights * plain**2).sum()) / freedom
    ratio = (float((plain**2 / digits**2).sum()) / freedom) ** 0.5 if printed else None
    times = half_width(SHARE, freedom)
    if float((weights * digits**2).max()) <= _SMALL**2 * scatter or not digits.any():
        return Scatter(
            kind=SCATTER,
            variance=scatter,
            times=times,
            freedom=freedom,
            common=scatter**0.5,
            ratio=ratio,
            exceeds=False,
        )
    common = _common_error(plain, weights, digits, freedom, max(scatter**0.5, 1e-12) * 10)
    if common is None:
        return _of_digits(freedom, ratio)
    return Scatter(
        kind=SCATTER,
        variance=1.0,
        times=times,
        freedom=freedom,
        common=common,
        ratio=ratio,
        exceeds=False,
        digits=True,
    )


def _of_digits(freedom: int, ratio: float | None) -> Scatter:
    """The scatter where the rounding of the printed digits alone accounts for the residuals."""
    return Scatter(
        kind=PRINTED,
        variance=1.0,
        times=NORMAL,
        freedom=freedom,
        common=0.0,
        ratio=ratio,
        exceeds=False,
        digits=True,
    )


def _common_error(plain: Any, weights: Any, digits: Any, freedom: int, high: float) -> float | None:
    """The u of Paule and Mandel, at most `high`; None where the digits alone are sufficient."""

    def squares(common: float) -> float:
        return float((plain**2 / (common**2 / weights + digits**2 + 1e-300)).sum())

    low = _ROUNDING * 1e-3
    if squares(low) <= freedom:
        return None
    for _ in range(100):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if squares(middle) > freedom else (low, middle)
    return float(np.sqrt(low * high))


def chi_square(freedom: int) -> float:
    """The 99th percentile of chi-square with `freedom` degrees of freedom.

    Source   @wilson1931; within 2 % from 1 on.
    """
    spread = 2 / (9 * freedom)
    return freedom * (1 - spread + 2.3263478740408408 * spread**0.5) ** 3


def refuse_unknown(table: Any, missing: Sequence[tuple[int, str]]) -> None:
    """Raise `InvalidInput` for cells without an error where others have one."""
    if missing:
        row, column = missing[0]
        problem = table.fault(row, column, "no error is stated, and the cell has no printed digits")
        raise InvalidInput(problem.replace(help="--error for the column, or an error in every row"))


_NEARLY_NORMAL = 100_000
"""Degrees of freedom above which the difference to the normal distribution is negligible."""


def within(angle: float, freedom: int) -> float:
    """The probability that |T| < sqrt(freedom) tan(angle), for an integer number of degrees of freedom.

    Source   @abramowitz1964, 26.7.3 and 26.7.4.
    """
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for step in range(3 if odd else 2, freedom - 1, 2):
        term *= cosine * cosine * (step - 1) / step
        total += term
    return 2 / math.pi * (angle + sine * total) if odd else sine * total


def half_width(share: float, freedom: int) -> float:
    """The half width of the central interval with a `share` of Student's t, with `freedom` degrees of freedom.

    half_width(0.95, 10) is 2.228.
    """
    freedom = min(freedom, _NEARLY_NORMAL)
    right = math.pi / 2
    angle = root(lambda x: within(float(x), freedom) - share, 0.0, right, -share, 1.0 - share, FLOATS)
    return math.sqrt(freedom) * math.tan(float(angle))
