"""Roots of many functions at once, if evaluating many points costs little more than one: solutions of model batches.

The fewer roots are left, the more points are tried for each of them in a round.
"""

from __future__ import annotations

from collections.abc import Callable

from qnet.errors import NotComputed, Problem
from qnet.lazy import Array, Indices, np
from qnet.queues.roots import NEARNESS, NEGLIGIBLE

Function = Callable[[Indices, Array], Array]
"""From indices of brackets, which may repeat, and a point for each, to the values of their functions."""

_TOGETHER = 400
"""Points evaluated together: as many as take about as long as the fixed part of a solution."""
_FEWEST, _MOST, _SMOOTH, _MOST_LATER = 2, 16, 4, 24
"""The fewest points for one root in a round; the most in the first rounds; the number of these, in which smooth
functions converge with 16 points as with 24, as counted for envelopes; and the most in later rounds."""
_CLOSER = 0.01
"""The factor of the estimated error at which a second, closer pair of points is tried."""
_SAFE = 4.0
"""The safety factor of the estimated error of interpolation."""
_UNKNOWN = 0.05
"""The error of interpolation through two points, as a share of the bracket."""
_MISSED = 0.1
"""The factor of the least absolute value of a function below which a round counts as nearly having hit the root."""
_ALONE = 2
"""Rounds in which each of many roots is evaluated at one point, if `foretold`."""
_MAX_ROUNDS = 200
"""Any number above what converges works: brackets shrink in every round."""


def crossings(
    function: Function, low: Array, high: Array, at_low: Array, at_high: Array,
    near: Function | None = None, foretold: bool = False,
) -> Array:  # fmt: skip
    """The points between `low` and `high` where functions that are negative at `low`, and not at `high`, change sign.

    function   from indices of brackets and as many points to the values of the functions of these brackets there.
    low, high  the ends of brackets, in either order.
    at_low, at_high  the values of the functions at these ends.
    near       from indices of brackets and points to the distance from a root that is near enough, if that is more than
               `NEARNESS` allows.
    foretold   whether an end of a bracket counts as the root where the function is so small that the root is near
               enough, judged by the least slope around. Then each of many roots is first evaluated where interpolation
               predicts it.
    Returns    the ends of the last brackets at which the functions are negative, which are as wide as those of
               `roots.root`, or as `near` allows; `high` where there is no change of sign. With `foretold` it may be
               either end.
    Raises     `NotComputed` QN512 where a bracket does not shrink that far.
    Method     Points are tried on both sides of two predictions, at the distance of their estimated errors: the root by
               inverse interpolation through up to four points, and that by the lines through the last two points on
               either side, which is exact for a kink. After a round that has neither halved a bracket nor come much
               nearer to zero, equidistant points are tried once.
    """
    return _search(function, (low, high, at_low, at_high), near, foretold)[0]


def enclosures(
    function: Function, low: Array, high: Array, at_low: Array, at_high: Array, near: Function
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """As `crossings`: both ends of the last brackets, and the values of the functions there.

    function, low, high, at_low, at_high, near   as `crossings` takes them.
    """
    ends = _search(function, (low, high, at_low, at_high), near, False)[1]
    return ends[0], ends[1], ends[2], ends[3]


def _search(
    function: Function, ends: tuple[Array, Array, Array, Array], near: Function | None, foretold: bool
) -> tuple[Array, Array]:
    """The roots of `crossings`, and (4, n) the ends of the last brackets, with the functions there."""
    low, high, at_low, at_high = ends
    result, last = np.array(high), np.array(ends)
    live: Indices = np.flatnonzero(~(at_low * at_high > 0))
    nowhere = np.full(len(live), np.nan)
    x = np.stack([nowhere, low[live], high[live], nowhere], axis=1)
    f = np.stack([nowhere, at_low[live], at_high[live], nowhere], axis=1)
    least = NEGLIGIBLE * np.abs(high[live]) + 1e-300
    slow = np.zeros(len(live), dtype=bool)
    for turn in range(_MAX_ROUNDS):
        width = np.maximum(NEARNESS * np.abs(x[:, 1:3]).max(axis=1), least)
        if near:
            width = np.maximum(width, near(live, x[:, 1:3].min(axis=1)))
        apart = np.abs(x[:, 2] - x[:, 1])
        done = apart <= 2 * width
        result[live[done]] = x[done, 1]
        last[:, live[done]] = x[done, 1], x[done, 2], f[done, 1], f[done, 2]
        if foretold and len(live):
            distance = _distances(x, f)
            nearest = distance.argmin(axis=1)
            sure = ~done & (distance.min(axis=1) <= width)
            result[live[sure]] = x[sure, 1 + nearest[sure]]
            done = done | sure
        if done.any():
            going = ~done
            live, x, f, least, slow = live[going], x[going], f[going], least[going], slow[going]
            width, apart = width[going], apart[going]
        if not len(live):
            return result, last
        fewest = 1 if foretold and turn < _ALONE else _FEWEST
        most = _MOST if turn < _SMOOTH else _MOST_LATER
        number = int(np.clip(_TOGETHER // len(live), fewest, most))
        shares = _shares(x, f, np.minimum(width / apart, 0.5), slow, number)
        tried = x[:, 1:2] + shares * (x[:, 2:3] - x[:, 1:2])
        image = function(np.repeat(live, number), tried.reshape(-1)).reshape(tried.shape)
        before = np.abs(f[:, 1:3]).min(axis=1)
        x, f = _closer(np.hstack([x[:, :2], tried, x[:, 2:]]), np.hstack([f[:, :2], image, f[:, 2:]]))
        # A root that was just missed leaves a wide bracket with a tiny value at one end.
        missed = np.abs(f[:, 1:3]).min(axis=1) < _MISSED * before
        slow = ~slow & ~missed & (np.abs(x[:, 2] - x[:, 1]) > apart / 2)
    raise NotComputed(
        Problem("QN512", f"no root converged in {_MAX_ROUNDS} rounds", help="report the model: this should not happen")
    )


def _closer(x: Array, f: Array) -> tuple[Array, Array]:
    """The bracket around the first change of sign in rows of points, and the points next to it on either side."""
    first = 2 + (f[:, 2:-1] >= 0).argmax(axis=1)
    index = first[:, None] + np.arange(-2, 2)
    return np.take_along_axis(x, index, axis=1), np.take_along_axis(f, index, axis=1)


def _shares(x: Array, f: Array, least: Array, even: Array, number: int) -> Array:
    """The points to try next, as ascending shares of the brackets: rows of `number` points.

    x, f   the bracket in the middle columns, between the points next to it or nan.
    least  the least share, near the ends.
    even   the brackets for which equidistant points are tried.
    """
    equal = np.arange(1, number + 1) / (number + 1)
    scaled = _scaled(x)
    with np.errstate(all="ignore"):
        root, error = _interpolated(scaled, f)
        kink, difference = _on_lines(scaled, f)
    if number == 1:
        return np.clip(root[:, None], least[:, None], 1 - least[:, None])
    pairs = [(root, error), (kink, difference), (root, _CLOSER * error), (kink, _CLOSER * difference)]
    shares = np.empty((len(x), number))
    used = min(len(pairs), number // 2)
    for index, (middle, reach) in enumerate(pairs[:used]):
        distance = np.fmax(reach, 0.9 * least)
        shares[:, 2 * index], shares[:, 2 * index + 1] = middle - distance, middle + distance
    rest = number - 2 * used
    shares[:, 2 * used :] = np.arange(1, rest + 1) / (rest + 1)
    shares = np.where(even[:, None], equal, shares)
    shares.sort(axis=1)
    return np.clip(shares, least[:, None], 1 - least[:, None])


def _distances(x: Array, f: Array) -> Array:
    """(n, 2) upper bounds of the distances of the ends of brackets from the roots, if no slope is less than those
    around."""
    with np.errstate(all="ignore"):
        slopes = np.abs(np.diff(f, axis=1) / np.diff(x, axis=1))
        least = np.fmin(np.fmin(slopes[:, 0], slopes[:, 2]), slopes[:, 1])
        return np.nan_to_num(np.abs(f[:, 1:3]) / least[:, None], nan=np.inf)


def _scaled(x: Array) -> Array:
    """The points as shares of the bracket."""
    return (x - x[:, 1:2]) / (x[:, 2:3] - x[:, 1:2])


def _interpolated(x: Array, f: Array) -> tuple[Array, Array]:
    """The root of inverse interpolation through the points that are known, and an estimate of its error."""
    order = (1, 2, 0, 3)
    points = [x[:, index] for index in order]
    best, error = points[0], np.full(len(x), _UNKNOWN)
    column, before = points, np.ones(len(x))
    for degree in range(1, 4):
        column = [
            (f[:, order[row + degree]] * column[row] - f[:, order[row]] * column[row + 1])
            / (f[:, order[row + degree]] - f[:, order[row]])
            for row in range(len(column) - 1)
        ]
        inside = (column[0] > 0) & (column[0] <= 1)
        moved = np.abs(column[0] - best)
        if degree > 1:
            error = np.where(inside, moved * np.minimum(_SAFE * moved / before, 1.0), error)
        before = np.where(inside, moved, before)
        best = np.where(inside, column[0], best)
    inside = (best > 0) & (best <= 1)
    return np.where(inside, best, 0.5), error


def _on_lines(x: Array, f: Array) -> tuple[Array, Array]:
    """The mean of the zeros of the lines through the two points on either side, and their distance."""
    from_low = -f[:, 1] * x[:, 0] / (f[:, 0] - f[:, 1])
    from_high = 1 - f[:, 2] * (x[:, 3] - 1) / (f[:, 3] - f[:, 2])
    low, high = (np.where((end > 0) & (end < 1), end, np.nan) for end in (from_low, from_high))
    low, high = np.where(np.isnan(low), high, low), np.where(np.isnan(high), low, high)
    middle = (low + high) / 2
    return np.where(np.isnan(middle), 0.5, middle), np.where(np.isnan(middle), 0.25, np.abs(high - low))
