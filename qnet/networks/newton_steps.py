"""Newton's steps of the fixed points of a batch, from slopes by differences.

Slopes are taken in every round where points are few, so that values with each of them changed are mapped with them for
little more than the points alone; of many points they are taken once, and corrected by every step (Broyden, Mathematics
of Computation 19 (1965) 577-593). `fixed_point` says where steps begin, and what happens where they fail.
"""

from __future__ import annotations

from collections.abc import Callable

from qnet.lazy import Array, Flags, Indices, np

BatchMap = Callable[[Array], tuple[Array, Array]]
"""From values (P, ...) to their images and the residuals (P,)."""
BatchMaps = Callable[[Indices], BatchMap]
"""The map of the points of a batch at some indices, which may repeat."""

CONVERGED = 1e-11
"""The residual above which a point is started again."""
FEW = 24
"""The most values of a point whose slopes are taken."""
_NOT_ROUNDING = 0.1
"""What a step from new slopes leaves of a residual at most, unless rounding is left."""
_STEPS = 30
_ASTRAY = 3
"""Steps in a row that may increase the residual."""
_LEAST = 0.2
"""What one step leaves of a value at least: at values of 0 the image predicts nothing."""
_FLAT = 1e-7
"""The least slope, as a share of the largest and in shares of the values, that differences show."""
_NUDGE = 1e-7
_STEEPEST = 1e100
"""Larger slopes are dropped, like those that are not finite."""
_NUDGED_AT_ONCE = 20_000
"""Values of points, each with one value changed, that are mapped together."""


def unknown_slopes(values: Array) -> Array | None:
    """(P, n, n) slopes of points that are not known yet, as of `fixed_points`; None where these are not taken.

    values   (P, ...) those of the points.
    """
    size = values[0].size if len(values) else 0
    return np.full((len(values), size, size), np.nan) if size <= FEW else None


def looked_at(maps: BatchMaps, values: Array, slopes: Array | None, at_once: int) -> tuple[Array, Array, Array | None]:
    """The moves of a batch and their residuals, and the slopes, which are taken where points are few.

    maps, slopes, at_once  as of `near_points`.
    values   (P, ...) those of the points, of `FEW` each at most.
    """
    every: Indices = np.arange(len(values))
    size = values[0].size
    if len(values) * size**2 > at_once:
        after, residual = maps(every)(values)
        return after - values, residual, slopes
    flat = values.reshape(-1, size)
    moves, residual, inverse, _ = _with_slopes(maps(_with_each(every, size)), flat, values.shape[1:])
    if slopes is not None:
        slopes[:] = inverse
    return moves.reshape(values.shape), residual, inverse if slopes is None else slopes


def newton(
    maps: BatchMaps, best: Array, moves: Array, least: Array, slopes: Array | None, enough: float, at_once: int
) -> Flags:
    """Newton's steps, in place, as long as they reduce the residuals, which are `enough` for no more; `slopes` and
    `at_once` are those of `near_points`. Returns (P,) whether several values of a point may be fixed points."""
    size, several = best[0].size, np.zeros(len(best), bool)
    slopes = np.full((len(best), size, size), np.nan) if slopes is None else slopes
    part = max(1, _NUDGED_AT_ONCE // size**2)
    for first in range(0, len(best), part):
        chosen: Indices = np.arange(first, min(first + part, len(best)))
        if len(best) * size**2 <= at_once:
            several[chosen] = _sloped(maps, best, moves, least, slopes, chosen, enough)
        else:
            several[chosen] = _stepped(maps, best, moves, least, slopes, chosen, enough, at_once)
    return several


def _sloped(
    maps: BatchMaps, best: Array, best_moves: Array, least: Array, slopes: Array, chosen: Indices, enough: float
) -> Flags:
    """As `_newton`, of points so few that values with each of them changed are mapped with them in every round.

    A step that does not reduce the residual is made all the same, a few times: it brings the values of most classes
    nearer, and that of one that others leave next to nothing too far, from where the next one returns.
    """
    shape, size = best.shape[1:], best[0].size
    several = np.zeros(len(best), bool)
    live = chosen[least[chosen] > enough]
    if not live.size:
        return several[chosen]
    values: Array = best[live].reshape(-1, size)
    moves: Array = best_moves[live].reshape(-1, size)
    inverse, astray = slopes[live], np.zeros(len(live), int)
    stale = ~np.isfinite(inverse).all((1, 2))
    if stale.any():
        inverse[stale], several[live[stale]] = _inverse_slopes(maps, live[stale], values[stale], moves[stale], shape)
    image = maps(_with_each(live, size))
    for _ in range(_STEPS):
        step = (inverse @ moves[..., None])[..., 0]
        values = values + np.maximum(step, (_LEAST - 1.0) * values + _LEAST * np.minimum(moves, 0.0))
        moves, residual, inverse, flat = _with_slopes(image, values, shape)
        before = least[live]
        better = residual < before
        astray = np.where(better, 0, astray + 1)
        best[live[better]], least[live[better]] = values[better].reshape(-1, *shape), residual[better]
        several[live[better]] = flat[better]
        slopes[live[better]] = np.where(flat[better, None, None], np.nan, inverse[better])
        # Of residuals that rounding leaves nothing reduces more.
        nearer = residual < _NOT_ROUNDING * before
        going = (least[live] > enough) & (nearer | (least[live] > CONVERGED) & (astray <= _ASTRAY))
        going &= np.isfinite(residual)
        if not going.any():
            break
        if not going.all():
            live, values, moves, inverse, astray = (
                live[going],
                values[going],
                moves[going],
                inverse[going],
                astray[going],
            )
            image = maps(_with_each(live, size))
    return several[chosen]


def _with_each(chosen: Indices, size: int) -> Indices:
    """Points, and after them each as often as it has values."""
    return np.concatenate([chosen, np.repeat(chosen, size)])


def _with_slopes(image: BatchMap, values: Array, shape: tuple[int, ...]) -> tuple[Array, Array, Array, Flags]:
    """The moves of some points (p, n) and their residuals, and what `_inverse_slopes` returns.

    image   that of `_with_each`.
    """
    count, size = values.shape
    nudged = _nudged(values)
    every = np.concatenate([values, nudged.reshape(-1, size)])
    after, residual = image(every.reshape(-1, *shape))
    after = after.reshape(-1, size)
    inverse, flat = _inverse(values, nudged, after[:count], after[count:].reshape(-1, size, size))
    return after[:count] - values, residual[:count], inverse, flat


def _stepped(
    maps: BatchMaps, best: Array, best_moves: Array, least: Array, slopes: Array, chosen: Indices, enough: float,
    at_once: int,
) -> Flags:  # fmt: skip
    """As `_newton`, of some points; those that are left go on by `_sloped` when they are few.

    A step from new slopes that does not is made all the same, a few times: it brings the values of most classes nearer,
    and that of one that others leave next to nothing too far, from where the next one returns.
    """
    shape, size = best.shape[1:], best[0].size
    several = np.zeros(len(best), bool)
    live = chosen[least[chosen] > enough]
    if not live.size:
        return several[chosen]
    values: Array = best[live].reshape(-1, size)
    moves: Array = best_moves[live].reshape(-1, size)
    inverse = slopes[live]
    stale = ~np.isfinite(inverse).all((1, 2))
    """Whether slopes are to be taken anew."""
    fresh, astray = ~stale, np.zeros(len(live), int)
    settled: Flags = np.zeros(len(live), bool)
    """Whether they have just been; the steps since the residual was last reduced; and whether they have been near the
    end."""
    # Where slopes are never taken in every round, each residual is made as small as it can be.
    rounding = CONVERGED if at_once else 0.0
    image = maps(live)
    for _ in range(_STEPS):
        if stale.any():
            inverse[stale], flat = _inverse_slopes(maps, live[stale], values[stale], moves[stale], shape)
            several[live[stale]] |= flat
            fresh = stale
        step = (inverse @ moves[..., None])[..., 0]
        step = np.maximum(step, (_LEAST - 1.0) * values + _LEAST * np.minimum(moves, 0.0))
        after, residual = image((values + step).reshape(-1, *shape))
        change = moves - (after.reshape(-1, size) - values - step)
        # Broyden's correction of the inverse.
        predicted = (inverse @ change[..., None])[..., 0]
        along = (step[:, None] @ inverse)[:, 0]
        product = (step * predicted).sum(-1)
        factor = np.where(product != 0, 1.0 / np.where(product != 0, product, 1.0), 0.0)
        inverse = inverse + (factor[:, None] * (step - predicted))[..., None] * along[:, None]
        better = residual < least[live]
        astray = np.where(better, 0, astray + fresh)
        taken = better | fresh & np.isfinite(residual) & (astray <= _ASTRAY)
        values, moves = (
            np.where(taken[:, None], values + step, values),
            np.where(taken[:, None], moves - change, moves),
        )
        # Of residuals that rounding leaves new slopes reduce nothing, once they have been taken there.
        stale = ~(residual < 0.5 * least[live]) & (~fresh | taken & ~better) & ~(settled & (least[live] <= rounding))
        np.logical_or(settled, fresh & (least[live] <= rounding), out=settled)
        best[live[better]], least[live[better]] = values[better].reshape(-1, *shape), residual[better]
        best_moves[live[better]] = moves[better].reshape(-1, *shape)
        slopes[live] = np.where(several[live, None, None], np.nan, inverse)
        going = (least[live] > enough) & (better | stale)
        if not going.any():
            break
        if going.sum() * size**2 <= at_once:
            several[live[going]] |= _sloped(maps, best, best_moves, least, slopes, live[going], enough)
            break
        if not going.all():
            live, values, moves, inverse, stale = live[going], values[going], moves[going], inverse[going], stale[going]
            astray, settled = astray[going], settled[going]
            image = maps(live)
        fresh = np.zeros(len(live), bool)
    return several[chosen]


def _inverse_slopes(
    maps: BatchMaps, chosen: Indices, values: Array, moves: Array, shape: tuple[int, ...]
) -> tuple[Array, Flags]:
    """(p, n, n) the inverse of the slopes at which moves decrease with values, by differences; (p,) where some are 0,
    so that it is that of the others."""
    size: int = values.shape[1]
    nudged = _nudged(values)
    after = maps(np.repeat(chosen, size))(nudged.reshape(-1, *shape))[0].reshape(-1, size, size)
    return _inverse(values, nudged, values + moves, after)


def _nudged(values: Array) -> Array:
    """(p, n, n) values of points, with each of them changed."""
    size: int = values.shape[1]
    index: Indices = np.arange(size)
    nudged = np.repeat(values[:, None], size, axis=1)
    nudged[:, index, index] += _NUDGE * _sizes(values)
    return nudged


def _sizes(values: Array) -> Array:
    """(p, n) how large values are, for what is to be small next to them: at least a part of the largest of a point."""
    return np.maximum(values, 1e-3 * values.max(1, keepdims=True) + 1e-300)


def _inverse(values: Array, nudged: Array, after: Array, nudged_after: Array) -> tuple[Array, Flags]:
    """As `_inverse_slopes`, from values and from those of `_nudged`, and their images."""
    size: int = values.shape[1]
    index: Indices = np.arange(size)
    slopes = (nudged_after - after[:, None]) / (nudged[:, index, index] - values)[..., None]
    table: Array = np.eye(size) - slopes.swapaxes(1, 2)
    steep = ~(np.abs(table).reshape(-1, size * size).max(1) <= _STEEPEST)
    if steep.any():
        table[steep] = np.eye(size)
    try:
        result: Array = np.asarray(np.linalg.inv(table), np.float64)
    except np.linalg.LinAlgError:
        result = np.asarray(np.linalg.pinv(table), np.float64)
    relative = _sizes(values)
    shares = relative[:, None] / relative[..., None]
    # However steep one image is over all values, it alone makes none of them flat.
    steepest = (np.abs(table) * shares).max(2)
    flat = ~((np.abs(result) * shares * steepest[:, None]).reshape(-1, size * size).max(1) < 1.0 / _FLAT)
    if flat.any():
        # Where many values are fixed points, as of classes at a station that is full, steps go to the nearest.
        result[flat] = np.linalg.pinv(table[flat] * shares[flat], _FLAT) / shares[flat]
    return result, flat
