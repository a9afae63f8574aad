"""Bounded nonlinear least squares with the errors of what it finds; knows nothing of models, only of arrays."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar

from qnet.lazy import np
from qnet.record import Record

STEP = 1e-4
"""Of central differences, in coordinates in which 1 is much."""
SETTLED = 1e-6
"""The relative offset at which a minimum is proven."""
CLOSE = 1e-3
"""The relative offset that is enough where rounding keeps it from getting smaller (Bates and Watts)."""
STILL = 1e-9
"""The Gauss-Newton step at which residuals that vanish are proven to."""
RANK = 1e-6
"""Singular values below this share of the largest are those of rounding in the differences."""
_ROUNDS = 200
"""Until a search is given up; any number above what converges works."""
_LADDER = (0.0, 1e-2, 1e-1, 1.0, 1e1, 1e2)
"""Dampings that are tried at once, as shares of the present one."""
_SHARES = (1.0, 0.3)
"""Shares of the step with second derivatives that are tried."""
_LONGEST = 2.0
_SHRINKS = 6
"""Lengths of a difference that are tried where there is no answer; a choice."""
_BESIDE = 3e-2
"""How near to a minimum that is known a search ends there, in coordinates in which 1 is much."""
_SLOW = 20
"""Rounds from which a search is given up that is slow, as in a long and flat valley, and not as low as another one."""
BEHIND = "another search reached smaller residuals sooner"
ENDLESS = f"no minimum after {_ROUNDS} rounds"
JUMP = "no step makes the residuals smaller: a jump or a kink"

_Result = TypeVar("_Result")
Residuals = Callable[[Any], Any]
"""Points (P, n) -> residuals (P, m); a row with a not-a-number is a point without an answer."""


class Minimum(Record):
    """Where a search for the least sum of squares ended."""

    point: Any
    residuals: Any
    jacobian: Any
    """(m, n): derivatives of the residuals by the coordinates."""
    side: Any
    """(n,): -1 at its lower bound and pressed against it, 1 at the upper one, 0 free."""
    offset: float
    """How far the point is from the minimum, in units of the uncertainty of the residuals."""
    converged: bool
    reason: str
    """Why it is not a minimum; empty where it is."""
    rounds: int

    @property
    def cost(self) -> float:
        """The sum of squares."""
        return float(self.residuals @ self.residuals)


def minimise(residuals: Residuals, start: Any, low: Any, high: Any, least: float = 0.0) -> Minimum | None:
    """The least sum of squares of residuals inside bounds, near a start.

    start, low, high   (n,) coordinates of comparable size: logarithms, or shares of a range; bounds may be infinite.
    least              norm of a column of derivatives up to which it is rounding.
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
    """`minimise` from several starts side by side: what all of them ask in a round is one batch of points.

    known   minima reached before: a search that comes near one of them, or one that another search has reached by then,
            ends there, and one that takes more than twice as long and is not as low is given up.
    """
    reached = list(known)
    return together(residuals, [_minimum(start, low, high, least, reached) for start in starts])


Asking = Generator[Any, Any, _Result]
"""A search that yields points (P, n), is sent their residuals (P, m), and returns what it found."""


def together(residuals: Residuals, searches: Sequence[Asking[_Result]]) -> list[_Result]:
    """What some searches find, which are asked one after the other and answered together."""
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
    """As `minimise`; a minimum that is proven joins those that are known."""
    point = np.clip(np.asarray(start, dtype=float), low, high)
    here = (yield point[None])[0]
    if not np.isfinite(here).all():
        return None
    damping, bend = 1e-2, _Bend(len(point))
    for count in range(1, _ROUNDS + 1):
        jacobian = yield from _differences(point, here, low, high)
        if jacobian is None:
            flat = np.zeros((len(here), len(point)))
            return Minimum(
                point=point,
                residuals=here,
                jacobian=flat,
                side=0 * point,
                offset=float("inf"),
                converged=False,
                reason="no answer next to the point",
                rounds=count,
            )
        slope = jacobian.T @ here
        side = np.where((point <= low) & (slope > 0), -1, np.where((point >= high) & (slope < 0), 1, 0))
        tangent = _Tangent(jacobian * (side == 0), least)
        offset = tangent.offset(here)
        longest = np.abs(tangent.step(here, 0.0)).max(initial=0.0)
        done = Minimum(
            point=point,
            residuals=here,
            jacobian=jacobian,
            side=side,
            offset=offset,
            converged=True,
            reason="",
            rounds=count,
        )
        if offset <= SETTLED or longest <= STILL:
            known.append(done)
            return done
        bend.update(point, here, jacobian)
        moved, damping = yield from _descend(point, here, tangent, bend.steps(tangent, here), low, high, damping)
        if moved is None:
            if offset <= CLOSE or longest <= STILL**0.5 * 1e-1:
                known.append(done)
                return done
            return done.replace(converged=False, reason=JUMP)
        point, here = moved
        for item in known:
            if here @ here < item.cost:
                continue
            if np.abs(point - item.point).max(initial=0.0) <= _BESIDE:
                return item
            if count >= max(_SLOW, 2 * item.rounds):
                return done.replace(converged=False, reason=BEHIND)
    return done.replace(converged=False, reason=ENDLESS)  # pyright: ignore[reportPossiblyUnboundVariable]


def _descend(
    point: Any, here: Any, tangent: _Tangent, others: Any, low: Any, high: Any, damping: float
) -> Asking[tuple[tuple[Any, Any] | None, float]]:
    """The best of some damped steps, and of others at first, dampings growing until one descends; and the damping of
    it."""
    cost = here @ here
    while damping < 1e16:
        steps = np.array([*(tangent.step(here, damping * share) for share in _LADDER), *others])
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

    def update(self, point: Any, here: Any, jacobian: Any) -> None:
        """Learn from the next point of the search (Dennis, Gay and Welsch 1981, section 3)."""
        before, self.before = self.before, (point, here, jacobian)
        if before is None:
            return
        step = point - before[0]
        rise = jacobian.T @ here - before[2].T @ before[1]
        bent = jacobian.T @ here - before[2].T @ here
        along = float(rise @ step)
        if along <= 1e-8 * float(np.linalg.norm(rise) * np.linalg.norm(step)):
            return
        present = float(step @ self.matrix @ step)
        self.matrix *= min(abs(float(step @ bent)) / abs(present), 1.0) if present else 1.0
        missing = bent - self.matrix @ step
        mixed = np.outer(missing, rise) / along
        self.matrix += mixed + mixed.T - float(step @ missing) / along**2 * np.outer(rise, rise)

    def steps(self, tangent: _Tangent, here: Any) -> Any:
        """Steps by Newton's method with the second derivatives as far as they are known, uphill directions reversed."""
        counted = tangent.counted
        if not self.matrix.any() or not counted.any():
            return ()
        norms = tangent.norms[counted]
        bent = self.matrix[np.ix_(counted, counted)] / np.outer(norms, norms)
        sizes, ways = np.linalg.eigh(tangent.square[np.ix_(counted, counted)] + bent)
        sizes = np.maximum(np.abs(sizes), RANK * max(np.abs(sizes).max(initial=0.0), 1e-300))
        step = np.zeros(len(counted))
        step[counted] = -(ways @ ((ways.T @ tangent.slope(here)[counted]) / sizes)) / norms
        return np.outer(_SHARES, step)


class _Columns:
    """Derivatives by the coordinates that change anything, scaled to length 1; those of the others are 0."""

    def __init__(self, jacobian: Any, least: float) -> None:
        norms = np.linalg.norm(jacobian, axis=0)
        self.counted = norms > max(least, RANK * 0.1 * norms.max(initial=0.0))
        self.norms = np.where(self.counted, norms, 1.0)
        self.scaled = np.where(self.counted, jacobian / self.norms, 0.0)


class _Tangent(_Columns):
    """Steps in the plane that touches the residuals, in the directions that are determined."""

    def __init__(self, jacobian: Any, least: float) -> None:
        super().__init__(jacobian, least)
        self.left, self.singular, self.right = np.linalg.svd(self.scaled, full_matrices=False)
        self.kept = (self.singular > RANK * self.singular.max(initial=0.0)) & (self.singular > 0)

    @property
    def square(self) -> Any:
        """(n, n): products of the columns of derivatives, scaled to 1."""
        return self.scaled.T @ self.scaled

    def slope(self, here: Any) -> Any:
        """(n,): derivatives of half the sum of squares, scaled."""
        return self.scaled.T @ here

    def step(self, here: Any, damping: float) -> Any:
        """The step that is best for residuals under a damping; 0 for Gauss-Newton."""
        squares = np.where(self.kept, self.singular**2 + damping, 1.0)
        shares = np.where(self.kept, self.singular / squares, 0.0) * (self.left.T @ here)
        return -(self.right.T @ shares) / self.norms

    def offset(self, here: Any) -> float:
        """The part of the residuals in the tangent plane over the part orthogonal to it, per dimension."""
        along = (self.left.T @ here)[self.kept]
        inside = float(along @ along)
        rank, freedom = int(self.kept.sum()), len(here) - int(self.kept.sum())
        if not rank:
            return 0.0
        across = float(here @ here) - inside
        if freedom <= 0 or across <= 1e-24 * float(here @ here):
            return float("inf")
        return (inside / rank) ** 0.5 / (across / freedom) ** 0.5


def differences(residuals: Residuals, points: Sequence[tuple[Any, Any]], low: Any, high: Any) -> list[Any]:
    """The derivatives (m, n) of residuals at some points by differences; None where a coordinate cannot be moved.

    points   pairs of a point and the residuals there.

    Central where both sides are inside the bounds and have an answer, else of the second order from one side; shorter
    steps where neither side has one.
    """
    return together(residuals, [_differences(point, here, low, high) for point, here in points])


def _differences(point: Any, here: Any, low: Any, high: Any) -> Asking[Any]:
    """As `differences`, at one point."""
    count = len(point)
    result = np.full((len(here), count), np.nan)
    length = STEP
    for _ in range(_SHRINKS):
        waiting = [index for index in range(count) if not np.isfinite(result[:, index]).all()]
        if not waiting:
            return result
        moves = [(index, sign * length) for index in waiting for sign in (-1.0, 1.0)]
        values = yield from _moved(point, moves, low, high)
        there = np.isfinite(values).all(axis=1)
        lone: list[tuple[int, float]] = []
        for number, index in enumerate(waiting):
            below, above = 2 * number, 2 * number + 1
            if there[below] and there[above]:
                result[:, index] = (values[above] - values[below]) / (2 * length)
            elif there[below] or there[above]:
                lone.append((index, length if there[above] else -length))
        if lone:
            near = {move: values[number] for number, move in enumerate(moves)}
            far = yield from _moved(point, [(index, 2 * move) for index, move in lone], low, high)
            for (index, move), two in zip(lone, far, strict=True):
                result[:, index] = (-3 * here + 4 * near[index, move] - two) / (2 * move)
        length /= 8
    return result if np.isfinite(result).all() else None


def _moved(point: Any, moves: Sequence[tuple[int, float]], low: Any, high: Any) -> Asking[Any]:
    """Residuals where one coordinate is moved, for each move; not-a-number outside the bounds."""
    points = np.repeat(point[None], len(moves), axis=0)
    for number, (index, move) in enumerate(moves):
        points[number, index] += move
    # A point outside the bounds is replaced by the centre, and its values are not used.
    inside = ((points >= low) & (points <= high)).all(axis=1)
    values = yield np.where(inside[:, None], points, point)
    values[~inside] = np.nan
    return values


class Spread(Record):
    """How well the coordinates of a minimum are known."""

    covariance: Any
    """(n, n): not-a-number for coordinates that are not determined."""
    correlation: Any
    freedom: int
    """Measurements less determined coordinates."""
    condition: float
    """Largest over smallest singular value of the derivatives, columns scaled to 1; infinite where some coordinates
    are not determined."""
    idle: Any
    """(n,): coordinates without any effect."""
    tied: Any
    """(k, n): directions along which nothing changes, where there are any."""
    inflation: Any
    """(n,): how many times larger the variance is than if the coordinate were fitted alone."""


def spread(result: Minimum, least: float = 0.0, variance: float | None = None) -> Spread:
    """The covariance s^2 (J'J)^-1 of the free coordinates of a minimum, with s^2 of the residuals over their freedom.

    least      norm of a column of derivatives up to which it is rounding.
    variance   s^2 where it is known otherwise.
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
