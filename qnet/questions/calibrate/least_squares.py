"""Bounded nonlinear least squares, with the covariance of the solution; arrays only.

Coordinates are scaled so that a change of 1 is large.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar

from qnet.lazy import np
from qnet.record import Record

STEP = 1e-4
"""The step of central differences."""
CONVERGED = 1e-6
"""The relative offset at which a minimum is proven."""
CLOSE = 1e-3
"""The relative offset that is enough where rounding prevents a smaller one (Bates and Watts)."""
STILL = 1e-9
"""The Gauss-Newton step at which a minimum with vanishing residuals is proven."""
RANK = 1e-6
"""The share of the largest singular value below which others are rounding of the differences."""
_ROUNDS = 200
"""Rounds after which a search is given up; any number above what converges works."""
_LADDER = (0.0, 1e-2, 1e-1, 1.0, 1e1, 1e2)
"""Dampings that are tried together, as shares of the present one."""
_SHARES = (1.0, 0.3)
"""Shares of the step with second derivatives that are tried."""
_LONGEST = 2.0
_SHRINKS = 6
"""Lengths of a difference that are tried where there is no answer; a choice."""
_SAME = 3e-2
"""The distance from a known minimum within which a search ends at that."""
_SLOW = 20
"""Rounds after which a slow search, as in a long and flat valley, is given up if another one reached a lower point."""
BEHIND = "another search reached smaller residuals sooner"
ENDLESS = f"no minimum after {_ROUNDS} rounds"
JUMP = "no step makes the residuals smaller: a jump or a kink"

_Result = TypeVar("_Result")
Residuals = Callable[[Any], Any]
"""A function from points (P, n) to residuals (P, m); a row with NaN is a point without an answer."""


class Minimum(Record):
    """The end of a search for the least sum of squares."""

    point: Any
    residuals: Any
    jacobian: Any
    """(m, n): derivatives of the residuals by the coordinates."""
    side: Any
    """(n,): -1 where pressed against the lower bound, 1 against the upper one, 0 where free."""
    offset: float
    """The distance from the minimum, relative to the uncertainty of the residuals."""
    converged: bool
    reason: str
    """The reason why it is not proven to be a minimum; empty where it is."""
    rounds: int

    @property
    def cost(self) -> float:
        """The sum of squares."""
        return float(self.residuals @ self.residuals)


def minimise(residuals: Residuals, start: Any, low: Any, high: Any, least: float = 0.0) -> Minimum | None:
    """The least sum of squares of residuals inside bounds, near a start.

    start, low, high   (n,) coordinates of comparable size: logarithms, or shares of a range; bounds may be infinite.
    least              the norm up to which a column of derivatives is rounding.
    Returns            `Minimum`; `converged` is False where it is not proven to be one. None where there is no answer
                       at the start.
    Method             Levenberg's damping with Marquardt's scaling by columns, several dampings at once, projected on
                       the bounds; a trial without an answer is a step too long. Where residuals are large the sum of
                       their second derivatives, by secants, counts too, in one more step that is tried. Derivatives are
                       central differences, one-sided at bounds and where one side has no answer. Converged by the
                       relative offset of residuals from the tangent plane, or by a Gauss-Newton step of nearly nothing.
    Source             @levenberg1944; @marquardt1963; @more1978; @dennis1981; the criterion of convergence: @bates1981.
    Limits             A local minimum: other starts may end at others. A residual that jumps has no derivative there.
    """
    return minimise_all(residuals, [start], low, high, least)[0]


def minimise_all(
    residuals: Residuals, starts: Sequence[Any], low: Any, high: Any, least: float = 0.0, known: Sequence[Minimum] = ()
) -> list[Minimum | None]:
    """`minimise` from several starts side by side: the points of all of them in a round are one batch.

    known   minima reached before: a search that comes near one of them, or near one that another search has reached by
            then, ends there; a search that takes more than twice as long and is not as low is given up.
    """
    reached = list(known)
    return together(residuals, [_minimum(start, low, high, least, reached) for start in starts])


Asking = Generator[Any, Any, _Result]
"""A search that yields points (P, n), is sent their residuals (P, m), and returns its result."""


def together(residuals: Residuals, searches: Sequence[Asking[_Result]]) -> list[_Result]:
    """The results of some `searches`, with the points of every round in one batch for `residuals`."""
    results: dict[int, _Result] = {}
    asked: dict[int, Any] = {}

    def go_on(number: int, values: Any) -> None:
        try:
            asked[number] = searches[number].send(values)
        except StopIteration as end:
            results[number] = end.value

    for number in range(len(searches)):
        go_on(number, None)
    while asked:
        numbers, points = list(asked), list(asked.values())
        asked.clear()
        values = residuals(np.concatenate(points))
        ends = np.cumsum([len(some) for some in points])[:-1]
        for number, some in zip(numbers, np.split(values, ends), strict=True):
            go_on(number, some)
    return [results[number] for number in range(len(searches))]


def _minimum(start: Any, low: Any, high: Any, least: float, known: list[Minimum]) -> Asking[Minimum | None]:
    """As `minimise`; a proven minimum is added to `known`."""
    point = np.clip(np.asarray(start, dtype=float), low, high)
    residual = (yield point[None])[0]
    if not np.isfinite(residual).all():
        return None
    damping, bend = 1e-2, _Bend(len(point))
    for count in range(1, _ROUNDS + 1):
        jacobian = yield from _differences(point, residual, low, high)
        if jacobian is None:
            flat = np.zeros((len(residual), len(point)))
            return Minimum(
                point=point,
                residuals=residual,
                jacobian=flat,
                side=0 * point,
                offset=float("inf"),
                converged=False,
                reason="no answer next to the point",
                rounds=count,
            )
        slope = jacobian.T @ residual
        side = np.where((point <= low) & (slope > 0), -1, np.where((point >= high) & (slope < 0), 1, 0))
        tangent = _Tangent(jacobian * (side == 0), least)
        offset = tangent.offset(residual)
        longest = np.abs(tangent.step(residual, 0.0)).max(initial=0.0)
        done = Minimum(
            point=point,
            residuals=residual,
            jacobian=jacobian,
            side=side,
            offset=offset,
            converged=True,
            reason="",
            rounds=count,
        )
        if offset <= CONVERGED or longest <= STILL:
            known.append(done)
            return done
        bend.update(point, residual, jacobian)
        moved, damping = yield from _descend(
            point, residual, tangent, bend.steps(tangent, residual), low, high, damping
        )
        if moved is None:
            if offset <= CLOSE or longest <= STILL**0.5 * 1e-1:
                known.append(done)
                return done
            return done.replace(converged=False, reason=JUMP)
        point, residual = moved
        for item in known:
            if residual @ residual < item.cost:
                continue
            if np.abs(point - item.point).max(initial=0.0) <= _SAME:
                return item
            if count >= max(_SLOW, 2 * item.rounds):
                return done.replace(converged=False, reason=BEHIND)
    return done.replace(converged=False, reason=ENDLESS)  # pyright: ignore[reportPossiblyUnboundVariable]


def _descend(
    point: Any, residual: Any, tangent: _Tangent, others: Any, low: Any, high: Any, damping: float
) -> Asking[tuple[tuple[Any, Any] | None, float]]:
    """The point and residuals after the best of some damped steps, and at first of `others`, with dampings that grow
    until one descends; and its damping."""
    cost = residual @ residual
    while damping < 1e16:
        steps = np.array([*(tangent.step(residual, damping * share) for share in _LADDER), *others])
        lengths = np.abs(steps).max(axis=1, initial=0.0, keepdims=True)
        steps *= np.minimum(1.0, _LONGEST / np.where(lengths > 0, lengths, 1.0))
        points = np.clip(point + steps, low, high)
        result = yield points
        costs = np.where(np.isfinite(result).all(axis=1), (np.nan_to_num(result) ** 2).sum(axis=1), np.inf)
        best = int(costs.argmin())
        if costs[best] < cost:
            share = _LADDER[best] if best < len(_LADDER) else 1.0
            return (points[best], result[best]), max(damping * share, 1e-12)
        damping *= 1e3
        others = ()
    return None, damping


class _Bend:
    """The sum of residuals times their second derivatives, by secants between the points of a search."""

    def __init__(self, count: int) -> None:
        self.matrix = np.zeros((count, count))
        self.before: tuple[Any, Any, Any] | None = None

    def update(self, point: Any, residual: Any, jacobian: Any) -> None:
        """Update by the next point of the search (Dennis, Gay and Welsch 1981, section 3)."""
        before, self.before = self.before, (point, residual, jacobian)
        if before is None:
            return
        step = point - before[0]
        rise = jacobian.T @ residual - before[2].T @ before[1]
        bent = jacobian.T @ residual - before[2].T @ residual
        along = float(rise @ step)
        if along <= 1e-8 * float(np.linalg.norm(rise) * np.linalg.norm(step)):
            return
        present = float(step @ self.matrix @ step)
        self.matrix *= min(abs(float(step @ bent)) / abs(present), 1.0) if present else 1.0
        missing = bent - self.matrix @ step
        mixed = np.outer(missing, rise) / along
        self.matrix += mixed + mixed.T - float(step @ missing) / along**2 * np.outer(rise, rise)

    def steps(self, tangent: _Tangent, residual: Any) -> Any:
        """Newton steps with the second derivatives so far, with uphill directions reversed."""
        counted = tangent.counted
        if not self.matrix.any() or not counted.any():
            return ()
        norms = tangent.norms[counted]
        bent = self.matrix[np.ix_(counted, counted)] / np.outer(norms, norms)
        sizes, ways = np.linalg.eigh(tangent.square[np.ix_(counted, counted)] + bent)
        sizes = np.maximum(np.abs(sizes), RANK * max(np.abs(sizes).max(initial=0.0), 1e-300))
        step = np.zeros(len(counted))
        step[counted] = -(ways @ ((ways.T @ tangent.slope(residual)[counted]) / sizes)) / norms
        return np.outer(_SHARES, step)


class _Columns:
    """The columns of derivatives, scaled to length 1; those of coordinates without effect are 0."""

    def __init__(self, jacobian: Any, least: float) -> None:
        norms = np.linalg.norm(jacobian, axis=0)
        self.counted = norms > max(least, RANK * 0.1 * norms.max(initial=0.0))
        self.norms = np.where(self.counted, norms, 1.0)
        self.scaled = np.where(self.counted, jacobian / self.norms, 0.0)


class _Tangent(_Columns):
    """Steps in the tangent plane of the residuals, in the directions that are determined."""

    def __init__(self, jacobian: Any, least: float) -> None:
        super().__init__(jacobian, least)
        self.left, self.singular, self.right = np.linalg.svd(self.scaled, full_matrices=False)
        self.kept = (self.singular > RANK * self.singular.max(initial=0.0)) & (self.singular > 0)

    @property
    def square(self) -> Any:
        """(n, n): products of the columns of derivatives, scaled to 1."""
        return self.scaled.T @ self.scaled

    def slope(self, residual: Any) -> Any:
        """(n,): derivatives of half the sum of squares, scaled."""
        return self.scaled.T @ residual

    def step(self, residual: Any, damping: float) -> Any:
        """The step that minimizes the residuals under a damping; 0 for Gauss-Newton."""
        squares = np.where(self.kept, self.singular**2 + damping, 1.0)
        shares = np.where(self.kept, self.singular / squares, 0.0) * (self.left.T @ residual)
        return -(self.right.T @ shares) / self.norms

    def offset(self, residual: Any) -> float:
        """The part of the residuals in the tangent plane over the part orthogonal to it, per dimension."""
        along = (self.left.T @ residual)[self.kept]
        inside = float(along @ along)
        rank, freedom = int(self.kept.sum()), len(residual) - int(self.kept.sum())
        if not rank:
            return 0.0
        across = float(residual @ residual) - inside
        if freedom <= 0 or across <= 1e-24 * float(residual @ residual):
            return float("inf")
        return (inside / rank) ** 0.5 / (across / freedom) ** 0.5


def differences(residuals: Residuals, points: Sequence[tuple[Any, Any]], low: Any, high: Any) -> list[Any]:
    """The derivatives (m, n) of residuals at some points by differences; None where a coordinate cannot be changed.

    points   pairs of a point and the residuals there.

    Differences are central where both sides are inside the bounds and have an answer, otherwise one-sided of second
    order; steps are shorter where neither side has an answer.
    """
    return together(residuals, [_differences(point, residual, low, high) for point, residual in points])


def _differences(point: Any, residual: Any, low: Any, high: Any) -> Asking[Any]:
    """As `differences`, at one point."""
    count = len(point)
    result = np.full((len(residual), count), np.nan)
    length = STEP
    for _ in range(_SHRINKS):
        remaining = [index for index in range(count) if not np.isfinite(result[:, index]).all()]
        if not remaining:
            return result
        moves = [(index, sign * length) for index in remaining for sign in (-1.0, 1.0)]
        values = yield from _moved(point, moves, low, high)
        answered = np.isfinite(values).all(axis=1)
        lone: list[tuple[int, float]] = []
        for number, index in enumerate(remaining):
            below, above = 2 * number, 2 * number + 1
            if answered[below] and answered[above]:
                result[:, index] = (values[above] - values[below]) / (2 * length)
            elif answered[below] or answered[above]:
                lone.append((index, length if answered[above] else -length))
        if lone:
            near = {move: values[number] for number, move in enumerate(moves)}
            far = yield from _moved(point, [(index, 2 * move) for index, move in lone], low, high)
            for (index, move), two in zip(lone, far, strict=True):
                result[:, index] = (-3 * residual + 4 * near[index, move] - two) / (2 * move)
        length /= 8
    return result if np.isfinite(result).all() else None


def _moved(point: Any, moves: Sequence[tuple[int, float]], low: Any, high: Any) -> Asking[Any]:
    """Residuals with one coordinate changed, for each move; NaN outside the bounds."""
    points = np.repeat(point[None], len(moves), axis=0)
    for number, (index, move) in enumerate(moves):
        points[number, index] += move
    # A point outside the bounds is replaced by the centre, and its values are not used.
    inside = ((points >= low) & (points <= high)).all(axis=1)
    values = yield np.where(inside[:, None], points, point)
    values[~inside] = np.nan
    return values


class Spread(Record):
    """The uncertainty of the coordinates of a minimum."""

    covariance: Any
    """(n, n): NaN for coordinates that are not determined."""
    correlation: Any
    freedom: int
    """Measurements less determined coordinates."""
    condition: float
    """Largest over smallest singular value of the derivatives, columns scaled to 1; infinite where some coordinates
    are not determined."""
    idle: Any
    """(n,): coordinates without any effect."""
    tied: Any
    """(k, n): directions without any effect."""
    inflation: Any
    """(n,): variance inflation, the ratio of the variance to that of the coordinate fitted alone."""


def spread(result: Minimum, least: float = 0.0, variance: float | None = None) -> Spread:
    """The covariance s^2 (J'J)^-1 of the free coordinates of a minimum, with s^2 of the residuals over their freedom.

    least      the norm up to which a column of derivatives is rounding.
    variance   s^2 if it is known; None: that of the residuals.
    Method   Singular values of the derivatives with columns of length 1 (D. A. Belsley, E. Kuh and R. E. Welsch,
             Regression Diagnostics, 1980, section 3.2); the linear approximation of D. M. Bates and D. G. Watts,
             Nonlinear Regression Analysis and Its Applications, 1988, section 2.3.
    Limits   Linear: where a residual is strongly curved within its error, true regions are not symmetric.
    """
    count = len(result.point)
    columns = _Columns(result.jacobian * (result.side == 0), least)
    idle = ~columns.counted & (result.side == 0)
    used = np.flatnonzero(columns.counted)
    left_out = np.ones(count, dtype=bool)
    covariance = np.full((count, count), np.nan)
    inflation = np.full(count, np.nan)
    freedom = len(result.residuals)
    tied = np.zeros((0, count))
    condition = 1.0
    if len(used):
        _, singular, right = np.linalg.svd(columns.scaled[:, used], full_matrices=True)
        singular = np.concatenate([singular, np.zeros(len(used) - len(singular))])
        kept = singular > RANK * singular[0]
        freedom -= int(kept.sum())
        condition = float(singular[0] / singular[-1]) if kept.all() else float("inf")
        tied = np.zeros((int((~kept).sum()), count))
        tied[:, used] = right[~kept]
        free = used[~(np.abs(tied[:, used]) > 1e-3).any(axis=0)]
        left_out[free] = False
        inverse = (right[kept].T / singular[kept] ** 2) @ right[kept]
        if variance is None:
            variance = result.cost / freedom if freedom > 0 else np.nan
        full = np.full((count, count), np.nan)
        full[np.ix_(used, used)] = inverse
        inflation[free] = np.diag(full)[free]
        covariance[np.ix_(free, free)] = (full / np.outer(columns.norms, columns.norms))[np.ix_(free, free)] * variance
        correlation = full / np.sqrt(np.outer(np.diag(full), np.diag(full)))
    else:
        correlation = np.full((count, count), np.nan)
    correlation[left_out] = np.nan
    correlation[:, left_out] = np.nan
    return Spread(
        covariance=covariance,
        correlation=correlation,
        freedom=freedom,
        condition=condition,
        idle=idle,
        tied=tied,
        inflation=inflation,
    )
