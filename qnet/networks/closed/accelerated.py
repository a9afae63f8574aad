"""Fixed points of a whole batch at once: damped rounds, mixed with the memory of earlier ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_ROUNDS = 3000
_ENOUGH = 1e-13
_SETTLED = 1e-11
_MEMORY = 5
_WORSE = 3.0
_LOST = 30
"""Rounds without progress after which a point goes on from its best values without memory."""

Image = Callable[[Any], tuple[Any, Any]]
"""From (P, K, R) values to their images and the (P,) residuals."""


def settled(images: Callable[[Any], Image], start: Any, patience: int = 300) -> Any:
    """Where the images of values are the values themselves, as near as rounds bring them.

    images  the map of the points of a batch at some places.
    start   (P, K, R) values >= 0.
    patience  after how many rounds that bring nothing a point is given up.
    Returns (P, K, R) the values with the smallest residual seen; the caller proves them.
    Method  Half of each move, and the mix of the last five that leaves least (Anderson, J. ACM 12 (1965) 547-560);
            where that makes the residual worse, memory is dropped. Points that have settled are left alone; those that
            do not settle start again, without memory.
    """
    import numpy

    np: Any = numpy
    best, least = _rounds(images, start, np.arange(len(start)), _MEMORY, patience)
    lost = np.flatnonzero(least > _SETTLED)
    if lost.size:
        again, residual = _rounds(images, start, lost, 0, patience)
        better = residual < least[lost]
        best[lost[better]] = again[better]
    return best


def _rounds(images: Callable[[Any], Image], start: Any, chosen: Any, memory: int, patience: int) -> tuple[Any, Any]:
    """Rounds of some points with so many earlier moves remembered: the best values, and their residuals."""
    import numpy

    np: Any = numpy
    start = start[chosen]
    best = np.array(start, dtype=float)
    least = np.full(len(best), np.inf)
    live = np.arange(len(best))
    values = best.copy()
    history: list[tuple[Any, Any]] = []
    stale = np.zeros(len(best), dtype=int)
    image = images(chosen)
    before: tuple[Any, Any] | None = None
    for _ in range(_ROUNDS):
        after, residual = image(values)
        better = residual < least[live]
        stale[live] = np.where(residual < 0.9 * least[live], 0, stale[live] + 1)
        best[live[better]], least[live[better]] = values[better], residual[better]
        going = (least[live] > _ENOUGH) & (stale[live] < np.where(least[live] > _SETTLED, patience, 8))
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
        values = np.maximum(values + 0.5 * moves - _mix(history, moves), 0.0)
    return best, least


def _mix(history: list[tuple[Any, Any]], moves: Any) -> Any:
    """What the memory of earlier rounds takes off a damped move."""
    import numpy

    np: Any = numpy
    if not history:
        return 0.0
    size = len(moves)
    steps = np.stack([one.reshape(size, -1) for one, _ in history], axis=-1)
    turns = np.stack([two.reshape(size, -1) for _, two in history], axis=-1)
    scale = np.sqrt((turns**2).sum(1, keepdims=True))
    scale = np.where(scale > 0, scale, 1.0)
    unit = turns / scale
    square = np.einsum("pnm,pnl->pml", unit, unit) + 1e-12 * np.eye(len(history))
    right = np.einsum("pnm,pn->pm", unit, moves.reshape(size, -1))
    weights = np.linalg.solve(square, right[..., None])[..., 0] / scale[:, 0]
    taken = np.einsum("pnm,pm->pn", steps + 0.5 * turns, weights).reshape(moves.shape)
    return np.where(np.isfinite(taken), taken, 0.0)
