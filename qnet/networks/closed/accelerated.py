"""Fixed points of a whole batch at once: damped rounds with the memory of earlier ones, and steps along slopes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qnet.lazy import Array, Places, np

_ROUNDS, _SOME = 3000, 300
_ENOUGH = 1e-13
_SETTLED = 1e-11
_MEMORY = 5
_WORSE = 3.0
_FIRST = 4
"""Rounds that lead to where slopes tell something."""
_NEAR = 1e-3
"""Residuals at which they do."""
_FEW = 24
"""The most values of a point whose slopes are taken."""
_STEPS = 30
_LEAST = 0.2
"""What is left of a value at least, by one step: of values that vanish the image tells nothing."""
_NUDGE = 1e-7
_STEEPEST = 1e100
"""Slopes beyond tell nothing, as those that are not finite."""
_TOGETHER = 20_000
"""Values of points, each with one value changed, that are looked at together."""

Image = Callable[[Any], tuple[Any, Any]]
"""From (P, K, R) values to their images and the (P,) residuals."""


def settled(images: Callable[[Any], Image], start: Any, patience: int = 300, rough: bool = False) -> Any:
    """Where the images of values are the values themselves, as near as rounds bring them.

    images  the map of the points of a batch at some places.
    start   (P, K, R) values >= 0.
    patience  after how many rounds that bring nothing a point is given up.
    rough   whether points are left that come near, and others after some hundred rounds.
    Returns (P, K, R) the values with the smallest residual seen; the caller proves them.
    Method  Half of each move, and the mix of the last five that leaves least (Anderson, J. ACM 12 (1965) 547-560);
            where that makes the residual worse, memory is dropped. After a few of these rounds Newton's steps, the
            slopes taken once and then corrected by what each step shows (Broyden, Mathematics of Computation 19 (1965)
            577-593). Points that have settled are left alone; those that do not settle start again, with rounds alone,
            and at last without memory.
    """
    with np.errstate(all="ignore"):  # What overflows is not finite, and never taken.
        return _settled(images, np.asarray(start, dtype=float), patience, rough)


def _settled(images: Callable[[Any], Image], start: Any, patience: int, rough: bool) -> Any:
    """As `settled`."""
    every = np.arange(len(start))
    few = start[0].size <= _FEW if len(start) else False
    ends = (_FIRST, _NEAR) if few else (_ROUNDS, _ENOUGH)
    best, moves, least = _rounds(images, start, every, _MEMORY, patience, *ends)
    if few:
        at_once = max(1, _TOGETHER // start[0].size ** 2)
        for first in range(0, len(start), at_once):
            _steps(images, best, moves, least, every[first : first + at_once])
    again = (_SOME, _NEAR) if rough else (_ROUNDS, _ENOUGH)
    for memory in (_MEMORY, 0) if few else (0,):
        lost = np.flatnonzero(least > (_NEAR if rough else _SETTLED))
        if lost.size:
            found, _, residual = _rounds(images, start, lost, memory, patience, *again)
            better = residual < least[lost]
            best[lost[better]], least[lost[better]] = found[better], residual[better]
    return best


def _steps(images: Callable[[Any], Image], best: Array, moved: Array, least: Array, chosen: Places) -> None:
    """Newton's steps of some points, with the slopes of the images, as long as residuals become smaller."""
    shape, size = best.shape[1:], best[0].size
    live = chosen[least[chosen] > _ENOUGH]
    if not live.size:
        return
    values: Array = best[live].reshape(-1, size)
    moves: Array = moved[live].reshape(-1, size)
    inverse = np.zeros((len(live), size, size))
    stale = np.ones(len(live), bool)
    """Whether slopes are to be taken anew."""
    fresh = ~stale
    image = images(live)
    for _ in range(_STEPS):
        if stale.any():
            inverse[stale] = _slopes(images, live[stale], values[stale], moves[stale], shape)
            fresh = stale
        step = (inverse @ moves[..., None])[..., 0]
        step = np.maximum(step, (_LEAST - 1.0) * values + _LEAST * np.minimum(moves, 0.0))
        after, residual = image((values + step).reshape(-1, *shape))
        change = moves - (after.reshape(-1, size) - values - step)
        felt = (inverse @ change[..., None])[..., 0]
        along = (step[:, None] @ inverse)[:, 0]
        whole = (step * felt).sum(-1)
        turned = np.where(whole != 0, 1.0 / np.where(whole != 0, whole, 1.0), 0.0)
        inverse = inverse + (turned[:, None] * (step - felt))[..., None] * along[:, None]
        better = residual < least[live]
        values, moves = (
            np.where(better[:, None], values + step, values),
            np.where(better[:, None], moves - change, moves),
        )
        stale = ~(residual < 0.5 * least[live]) & ~fresh
        best[live[better]], least[live[better]] = values[better].reshape(-1, *shape), residual[better]
        going = (least[live] > _ENOUGH) & (better | stale)
        if not going.any():
            return
        if not going.all():
            live, values, moves, inverse, stale = live[going], values[going], moves[going], inverse[going], stale[going]
            image = images(live)
        fresh = np.zeros(len(live), bool)


def _slopes(
    images: Callable[[Any], Image], chosen: Places, values: Array, moves: Array, shape: tuple[int, ...]
) -> Array:
    """(p, n, n) the inverse of how moves fall with values."""
    size: int = values.shape[1]
    place: Places = np.arange(size)
    nudge = _NUDGE * np.maximum(values, 1e-3 * values.max(1, keepdims=True) + 1e-300)
    nudged = np.repeat(values[:, None], size, axis=1)
    nudged[:, place, place] += nudge
    after = images(np.repeat(chosen, size))(nudged.reshape(-1, *shape))[0].reshape(-1, size, size)
    slopes = (after - (values + moves)[:, None]) / (nudged[:, place, place] - values)[..., None]
    table: Array = np.eye(size) - slopes.swapaxes(1, 2)
    table[~(np.abs(table) <= _STEEPEST).all((1, 2))] = np.eye(size)
    try:
        return np.asarray(np.linalg.inv(table), np.float64)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.pinv(table), np.float64)


def _rounds(
    images: Callable[[Any], Image], start: Any, chosen: Any, memory: int, patience: int, most: int, enough: float
) -> tuple[Any, Any, Any]:
    """So many rounds of some points, with so many earlier moves remembered: the best values, their moves and residuals.

    enough   the residual with which a point has settled.
    """
    start = start[chosen]
    best = np.array(start, dtype=float)
    moved, least = np.zeros(best.shape), np.full(len(best), np.inf)
    live = np.arange(len(best))
    values = best.copy()
    history: list[tuple[Array, Array]] = []
    stale = np.zeros(len(best), dtype=int)
    image = images(chosen)
    before: tuple[Any, Any] | None = None
    for _ in range(most):
        after, residual = image(values)
        better = residual < least[live]
        stale[live] = np.where(residual < 0.9 * least[live], 0, stale[live] + 1)
        best[live[better]], least[live[better]] = values[better], residual[better]
        moved[live[better]] = (after - values)[better]
        going = (least[live] > enough) & (stale[live] < np.where(least[live] > _SETTLED, patience, 8))
        if not going.any():
            break
        if not going.all():
            live, values, after, residual = live[going], values[going], after[going], residual[going]
            history = [(one[going], two[going]) for one, two in history]
            before = before and (before[0][going], before[1][going])
            image = images(chosen[live])
        moves = after - values
        if before is not None and memory:
            history = [*history, (values - before[0], moves - before[1])][-memory:]
        lost = residual > _WORSE * least[live]
        for one, two in history:
            one[lost] = two[lost] = 0.0
        before = (values, moves)
        values = np.maximum(values + 0.5 * moves - _mix(history, moves), 0.2 * np.minimum(values, after))
    return best, moved, least


def _mix(history: list[tuple[Array, Array]], moves: Array) -> Array | float:
    """What the memory of earlier rounds takes off a damped move."""
    if not history:
        return 0.0
    size = len(moves)
    steps = np.stack([one.reshape(size, -1) for one, _ in history], axis=-1)
    turns = np.stack([two.reshape(size, -1) for _, two in history], axis=-1)
    scale = np.sqrt((turns**2).sum(1, keepdims=True))
    scale = np.where(scale > 0, scale, 1.0)
    unit = turns / scale
    square: Array = np.einsum("pnm,pnl->pml", unit, unit) + 1e-12 * np.eye(len(history))
    right: Array = np.einsum("pnm,pn->pm", unit, moves.reshape(size, -1))
    weights: Array = np.linalg.solve(square, right[..., None])[..., 0] / scale[:, 0]
    taken = np.einsum("pnm,pm->pn", steps + 0.5 * turns, weights).reshape(moves.shape)
    return np.where(np.isfinite(taken), taken, 0.0)
