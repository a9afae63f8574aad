"""Fixed points: their iteration, acceleration, enclosure, proof and refusal.

There are two forms of one problem. `fixed_point` takes a few unknowns in plain floats, without loading numpy, and
cannot fail for one unknown: waits inside holds of open networks. `fixed_points` takes a batch of maps in arrays: core
solutions of approximate mean value analysis, rates of second-phase work; `falling_points` takes maps of one value that
fall. Their points are proven by the residual, by `fixed_point` itself or by the callers of the others, or refused by
`not_converged`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from qnet import budget
from qnet.errors import NotComputed, of_method
from qnet.expression import FLOATS, Value
from qnet.lazy import Array, Flags, Indices, np
from qnet.queues.arithmetic import ratio, total
from qnet.queues.roots import bracket
from qnet.record import Record

Image = Callable[[Sequence[float]], list[float]]
"""From n unknowns to their n images, followed by any other values to be read at the fixed point, in one list."""
BatchMap = Callable[[Array], tuple[Array, Array]]
"""From values (P, ...) to their images and the residuals (P,)."""
BatchMaps = Callable[[Indices], BatchMap]
"""From the indices of some points of a batch, which may repeat, to their map."""

TOLERANCE = 1e-12
"""Relative change of an unknown: some thousand units in the last place, and far below printed digits."""
_TIGHT = 1e-14
"""The tolerance of inner fixed points, where fixed points are nested."""
_TOGETHER = 10
"""Rounds for one unknown before it is enclosed; twice as many for several."""
_MAX_ROUNDS = 4000
"""Rounds until convergence is given up; any number above what converges works."""
_WIDTH = 4e-15
"""The width of an enclosure, relative to the value."""

_BATCH_ROUNDS, _ROUGH_ROUNDS = 3000, 300
"""Rounds of a batch until points are given up, and the same for rough solutions; any numbers above what converges
work."""
_ENOUGH = 1e-13
"""The residual at which rounds end."""
_CONVERGED = 1e-11
"""The residual above which a point is started again."""
_MEMORY = 5
"""Moves that are mixed; a usual choice for Anderson's method: earlier ones are nearly dependent."""
_DAMPED = 0.5
"""The share of a move that is made in rounds of a batch."""
_WORSE = 3.0
"""The multiple of the least residual above which the memory is dropped; a choice: a single mixed move may be worse."""
_FIRST = 4
"""Rounds before the first slopes are taken."""
_NEAR = 1e-3
"""Residuals below which slopes predict the next step."""
_FEW = 24
"""The most values of a point whose slopes are taken."""
_STEPS = 30
"""Newton steps until points are iterated again; any number above what converges works."""
_ASTRAY = 3
"""Steps in a row that may increase the residual."""
_LEAST = 0.2
"""The least share of a value that one step leaves: at values of 0 the image predicts nothing."""
_FLAT = 1e-7
"""The least relative slope, as a share of the largest, that differences can resolve."""
_NUDGE = 1e-7
"""Relative change of a value for a slope: near the root of the rounding of floats, where both errors are small."""
_STEEPEST = 1e100
"""Larger slopes are dropped, like those that are not finite."""
_FALSE_POSITIONS = 100
"""Rounds until convergence is given up; any number above what converges works."""
_PLAIN_ROUND = 20 * budget.STEP
"""Operations of a round over one plain number."""
_ROUND, _VALUE = 8 * budget.CALL, 4 * budget.STEP
"""Operations of a round over arrays, and of each of their values."""
_NUDGED_AT_ONCE = 20_000
"""Values of points, each with one value changed, that are mapped together."""


def not_converged(
    what: str, expected: str, help: str = "", point: int | None = None, code: str = "QN511", reason: str = ""
) -> NotComputed:
    """The refusal of a fixed point that is not proven.

    what      the method or the quantity, such as `priority-mva`.
    expected  the residual that would have proven it.
    help      what to try instead.
    point     the index of the first point of a batch that is not proven; None for a single point.
    code      of the refusal.
    reason    how the search ended; empty for none.
    """
    where = "" if point is None else f" at point {point + 1} of the batch"
    ended = f": {reason}" if reason else ""
    return NotComputed(of_method(code, what, f"did not converge{where}{ended}", expected, help))


class Fixed(Record):
    """A fixed point."""

    values: list[float]
    images: list[float]
    """All entries of the image there."""
    rounds: int
    """How often the map was evaluated."""


def fixed_point(
    image: Image, start: Sequence[float], constant_from: Sequence[float], tolerance: float = TOLERANCE
) -> Fixed:
    """The unknowns u >= 0 with H(u) = u.

    Applies     H >= 0, continuous and bounded: then H_k(u) - u_k changes sign over u_k, for any values of the others.
    image       H; entries after the first n are returned, not iterated.
    start       n values, at least 0.
    constant_from  n values above which no image changes any more.
    tolerance   of the residual, relative to each unknown.
    Returns     the fixed point. Its residual is within the tolerance; where H is so steep that floats next to each
                other have images further apart than that, each unknown lies between two floats 4e-15 apart at which
                H(u) - u has opposite signs, and the images are interpolated between the two.
    Raises      `NotComputed` where neither is reached, or not within 4000 rounds.
    Method      All unknowns at once, with one step of memory (Anderson; a secant for one unknown). A single unknown
                never leaves its bracket, and is enclosed by `bracket` where it has not converged after 10 rounds:
                that cannot fail. Several that have not converged after 20 rounds are nested: for each value of the
                last, all others are solved first.
    Source      @anderson1965.
    """
    return _Search(image, constant_from, tolerance).find(list(start))


def mixed(
    after: Sequence[Value], moves: Sequence[Value], after_before: Sequence[Value], moves_before: Sequence[Value]
) -> list[Value]:
    """The mix of two rounds that would have the smallest residual if the map were linear.

    after, moves                the images of this round, and how far they are from its values.
    after_before, moves_before  the same for the round before.
    """
    change = [new - old for new, old in zip(moves, moves_before, strict=True)]
    overlap = total(item * new for item, new in zip(change, moves, strict=True))
    weight = ratio(overlap, total(item * item for item in change))
    return [new - weight * (new - old) for new, old in zip(after, after_before, strict=True)]


def _waits_not_converged(reason: str) -> NotComputed:
    """The refusal of waits inside holds."""
    expected, help = f"a residual of {TOLERANCE:.0e}", "try a lower load, or report the model"
    return not_converged("the waits inside holds", expected, help, reason=reason)


class _Search:
    """A search for a fixed point, with what it knows so far."""

    def __init__(self, image: Image, constant_from: Sequence[float], tolerance: float) -> None:
        self.map = image
        self.constant_from = list(constant_from)
        self.tolerance = tolerance
        self.rounds = 0
        self.low, self.high = 0.0, float("inf")
        """The bracket of a single unknown: the last values with an image above and below them."""

    def image(self, values: list[float]) -> list[float]:
        self.rounds += 1
        budget.spend(_PLAIN_ROUND * len(values), "the waits inside holds")
        if self.rounds > _MAX_ROUNDS:
            residual = self.residual(values, self.map(values))
            raise _waits_not_converged(f"residual {residual:.1e} after {_MAX_ROUNDS} rounds")
        return self.map(values)

    def find(self, values: list[float]) -> Fixed:
        """The fixed point: all unknowns at once, and if that does not converge, enclosed or nested."""
        values, images = self.together(values)
        if self.residual(values, images) <= self.tolerance:
            return Fixed(values, images, self.rounds)
        return self.enclosed() if len(values) == 1 else self.nested(values)

    def residual(self, values: Sequence[float], images: Sequence[float]) -> float:
        """The largest difference between an unknown and its image, relative to the larger."""
        pairs = zip(values, images, strict=False)
        return max((abs(new - old) / (max(new, old) + 1e-300) for old, new in pairs), default=0.0)

    def together(self, values: list[float]) -> tuple[list[float], list[float]]:
        """Accelerated rounds for all unknowns."""
        images = self.image(values)
        memory: tuple[list[float], list[float]] | None = None
        for _ in range(_TOGETHER if len(values) == 1 else 2 * _TOGETHER):
            if self.residual(values, images) <= self.tolerance:
                break
            after = images[: len(values)]
            moves = [new - old for new, old in zip(after, values, strict=True)]
            chosen = mixed(after, moves, *memory) if memory else after
            memory = (after, moves)
            if len(values) == 1:
                chosen = [self.inside(values[0], moves[0], chosen[0])]
            values = [max(value, 0.0) for value in chosen]
            images = self.image(values)
        return values, images

    def inside(self, value: float, move: float, chosen: float) -> float:
        """The next value of a single unknown, or the middle of its bracket where it would leave that."""
        self.low, self.high = (max(self.low, value), self.high) if move > 0 else (self.low, min(self.high, value))
        if self.low < chosen < self.high or self.high == float("inf"):
            return chosen
        return (self.low + self.high) / 2

    def enclosed(self) -> Fixed:
        """A single unknown between two neighbouring floats."""
        if self.high == float("inf"):
            self.high = 2 * max(self.image(self.constant_from)[0], *self.constant_from)

        def excess(value: float) -> float:
            return value - self.image([value])[0]

        below, above = excess(self.low), excess(self.high)
        if not below <= 0 <= above:
            raise _waits_not_converged(f"no change of sign from {self.low:.3g} to {self.high:.3g}")
        low, high = bracket(excess, self.low, self.high, min(below, -1e-300), above, FLOATS, _WIDTH / 2)
        at_low, at_high = self.image([low]), self.image([high])
        from_low, to_high = at_low[0] - low, high - at_high[0]
        share = ratio(from_low, from_low + to_high)
        images = [first + share * (second - first) for first, second in zip(at_low, at_high, strict=True)]
        return Fixed([low + share * (high - low)], images, self.rounds)

    def nested(self, values: list[float]) -> Fixed:
        """The last unknown alone; for each of its values, the others are solved first."""
        rest = len(values) - 1

        def image(last: Sequence[float]) -> list[float]:
            def others(first: Sequence[float]) -> list[float]:
                return self.image([*first, *last])

            fixed = fixed_point(others, values[:rest], self.constant_from[:rest], _TIGHT)
            return [fixed.images[rest], *fixed.values, *fixed.images]

        fixed = fixed_point(image, values[rest:], self.constant_from[rest:], self.tolerance)
        return Fixed([*fixed.images[1 : rest + 1], *fixed.values], fixed.images[rest + 1 :], self.rounds)


def fixed_points(
    maps: BatchMaps, start: Array, patience: int | Array = 300, rough: bool = False, slopes: Array | None = None
) -> Array:
    """The values of a batch that equal their images, as closely as iteration brings them.

    maps      the map of the points of the batch at some indices.
    start     (P, ...) values >= 0.
    patience  after how many rounds without progress a point is given up; (P,) where points differ.
    rough     whether points may stop at a residual of 1e-3, and others after some hundred rounds.
    slopes    (P, n, n) the inverses of the slopes of the n values of a point, if they are few; not-a-number where they
              are not known. They are kept up to date.
    Returns   (P, ...) the values of the smallest residual; the caller proves them.
    Method    Half of each move, and the mix of the last five moves with the smallest residual (@anderson1965); the
              memory is dropped where that makes the residual worse. Points of few values change to Newton's method
              after a few rounds, with slopes taken once and then corrected by every step (@broyden1965). Points that
              have converged are left out of later rounds; those that have not start again, with rounds alone,
              and at last without memory.
    """
    with np.errstate(all="ignore"):  # Values that overflow are not finite, and never taken.
        waits = np.broadcast_to(np.asarray(patience), (len(start),))
        return _fixed_points(_counted(maps), np.asarray(start, dtype=float), waits, rough, slopes)


def near_points(
    maps: BatchMaps, start: Array, slopes: Array | None = None, enough: float = _ENOUGH
) -> tuple[Array, Flags]:
    """The values of a batch that equal their images, where they are near the start.

    maps, start, slopes  as for `fixed_points`.
    enough   the residual at which steps end.
    Returns  (P, ...) the values of the smallest residual, and (P,) whether they have converged: the others are left to
             `fixed_points`. So are points of many values, and those with several fixed points, among which the rounds
             choose.
    Method   Newton's, as in `fixed_points`, without rounds before it.
    """
    with np.errstate(all="ignore"):
        counted, best = _counted(maps), np.array(start, dtype=float)
        every: Indices = np.arange(len(best))
        if not len(best) or best[0].size > _FEW:
            return best, every < 0
        after, least = counted(every)(best)
        several = _newton(counted, best, after - best, least, slopes, enough)
        return best, (least <= max(enough, _CONVERGED)) & ~several


def _counted(maps: BatchMaps) -> BatchMaps:
    """The same maps, charged to the account of the command."""

    def counted(chosen: Indices) -> BatchMap:
        image = maps(chosen)

        def round_of(values: Array) -> tuple[Array, Array]:
            budget.spend(_ROUND + _VALUE * values.size, "the rounds of a fixed point")
            return image(values)

        return round_of

    return counted


def _fixed_points(maps: BatchMaps, start: Array, patience: Array, rough: bool, slopes: Array | None) -> Array:
    """As `fixed_points`, in arrays of floats."""
    every: Indices = np.arange(len(start))
    few = start[0].size <= _FEW if len(start) else False
    rounds, enough = (_FIRST, _NEAR) if few else (_BATCH_ROUNDS, _ENOUGH)
    best, moves, least = _rounds(maps, start, every, _MEMORY, patience, rounds, enough)
    if few:
        _newton(maps, best, moves, least, slopes)
    rounds, enough = (_ROUGH_ROUNDS, _NEAR) if rough else (_BATCH_ROUNDS, _ENOUGH)
    for memory in (_MEMORY, 0) if few else (0,):
        failed: Indices = np.flatnonzero(least > (_NEAR if rough else _CONVERGED))
        if failed.size:
            values, _, residual = _rounds(maps, start, failed, memory, patience, rounds, enough)
            better = residual < least[failed]
            best[failed[better]], least[failed[better]] = values[better], residual[better]
    return best


def _newton(
    maps: BatchMaps, best: Array, moves: Array, least: Array, slopes: Array | None, enough: float = _ENOUGH
) -> Flags:
    """Newton's steps, in place, as long as they reduce the residuals and these exceed `enough`; `slopes` as for
    `fixed_points`. Returns (P,) whether a point may have several fixed points."""
    size, several = best[0].size, np.zeros(len(best), bool)
    slopes = np.full((len(best), size, size), np.nan) if slopes is None else slopes
    at_once = max(1, _NUDGED_AT_ONCE // size**2)
    for first in range(0, len(best), at_once):
        chosen: Indices = np.arange(first, min(first + at_once, len(best)))
        several[chosen] = _stepped(maps, best, moves, least, slopes, chosen, enough)
    return several


def _stepped(
    maps: BatchMaps, best: Array, best_moves: Array, least: Array, slopes: Array, chosen: Indices, enough: float
) -> Flags:
    """As `_newton`, for some points.

    A step from new slopes that does not reduce the residual is made all the same, a few times: it brings the values of
    most classes nearer, and overshoots only that of a class that others leave next to nothing; the next step returns.
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
    """Whether slopes must be taken again."""
    fresh, astray = ~stale, np.zeros(len(live), int)
    """Whether they have just been taken; and the steps since the residual was last reduced."""
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
        stale = ~(residual < 0.5 * least[live]) & (~fresh | taken & ~better)
        best[live[better]], least[live[better]] = values[better].reshape(-1, *shape), residual[better]
        slopes[live] = np.where(several[live, None, None], np.nan, inverse)
        going = (least[live] > enough) & (better | stale)
        if not going.any():
            break
        if not going.all():
            live, values, moves, inverse, stale = live[going], values[going], moves[going], inverse[going], stale[going]
            astray = astray[going]
            image = maps(live)
        fresh = np.zeros(len(live), bool)
    return several[chosen]


def _inverse_slopes(
    maps: BatchMaps, chosen: Indices, values: Array, moves: Array, shape: tuple[int, ...]
) -> tuple[Array, Flags]:
    """(p, n, n) the inverse of the slopes at which moves decrease with values, by differences; (p,) where some slopes
    are 0, so that it is a pseudoinverse."""
    size: int = values.shape[1]
    index: Indices = np.arange(size)
    nudge = _NUDGE * np.maximum(values, 1e-3 * values.max(1, keepdims=True) + 1e-300)
    nudged = np.repeat(values[:, None], size, axis=1)
    nudged[:, index, index] += nudge
    after = maps(np.repeat(chosen, size))(nudged.reshape(-1, *shape))[0].reshape(-1, size, size)
    slopes = (after - (values + moves)[:, None]) / (nudged[:, index, index] - values)[..., None]
    table: Array = np.eye(size) - slopes.swapaxes(1, 2)
    table[~(np.abs(table) <= _STEEPEST).all((1, 2))] = np.eye(size)
    try:
        result: Array = np.asarray(np.linalg.inv(table), np.float64)
    except np.linalg.LinAlgError:
        result = np.asarray(np.linalg.pinv(table), np.float64)
    relative = np.maximum(values, 1e-3 * values.max(1, keepdims=True) + 1e-300)
    shares = relative[:, None] / relative[..., None]
    flat = ~((np.abs(result) * shares).max((1, 2)) * (np.abs(table) * shares).max((1, 2)) < 1.0 / _FLAT)
    # Values that are not finite have no shares, and no step starts from them.
    flat &= np.isfinite(shares).all((1, 2))
    if flat.any():
        # Where fixed points form a continuum, as for classes at a saturated station, steps go to the nearest one.
        result[flat] = np.linalg.pinv(table[flat] * shares[flat], _FLAT) / shares[flat]
    return result, flat


def _rounds(
    maps: BatchMaps, start: Array, chosen: Indices, memory: int, patience: Array, most: int, enough: float
) -> tuple[Array, Array, Array]:
    """Damped rounds of the `chosen` points: the best values, their moves and their residuals.

    memory   how many earlier moves are mixed.
    most     the most rounds.
    enough   the residual at which a point has converged.
    """
    start, patience = start[chosen], patience[chosen]
    best = np.array(start, dtype=float)
    best_moves, least = np.zeros(best.shape), np.full(len(best), np.inf)
    live: Indices = np.arange(len(best))
    values = best.copy()
    remembered = Memory(memory, _DAMPED)
    idle = np.zeros(len(best), dtype=int)
    """Rounds without progress."""
    image = maps(chosen)
    for _ in range(most):
        after, residual = image(values)
        better = residual < least[live]
        idle[live] = np.where(residual < 0.9 * least[live], 0, idle[live] + 1)
        best[live[better]], least[live[better]] = values[better], residual[better]
        best_moves[live[better]] = (after - values)[better]
        going = (least[live] > enough) & (idle[live] < np.where(least[live] > _CONVERGED, patience[live], 8))
        if not going.any():
            break
        if not going.all():
            live, values, after, residual = live[going], values[going], after[going], residual[going]
            remembered.keep(going)
            image = maps(chosen[live])
        following = remembered.following(values, after - values, residual > _WORSE * least[live])
        values = np.maximum(following, 0.2 * np.minimum(values, after))
    return best, best_moves, least


class Memory:
    """The last rounds of a batch of maps, from which the next one is extrapolated (Anderson mixing).

    size    how many earlier rounds are mixed; 0 for none.
    damped  the share of a move that is made, above 0, at most 1.
    least, most   the weights that earlier rounds may have.
    Source  @anderson1965.
    """

    def __init__(self, size: int, damped: float = 1.0, least: float = -inf, most: float = inf) -> None:
        self.size, self.damped, self.least, self.most = size, damped, least, most
        self.last: tuple[Array, Array] | None = None
        """The values of the last round, and their moves."""
        self.changes: list[tuple[Array, Array]] = []
        """How values and moves changed from round to round, each (P, ...)."""

    def forget(self) -> None:
        """Drop the changes of all rounds but the last."""
        self.changes = []

    def keep(self, going: Flags) -> None:
        """Drop the points of the batch that are done; `going` (P,) is true for the others."""
        self.changes = [(one[going], two[going]) for one, two in self.changes]
        self.last = self.last and (self.last[0][going], self.last[1][going])

    def following(self, values: Array, moves: Array, worse: Flags | None = None) -> Array:
        """The values of the next round, which would have the smallest residual if the maps were linear.

        values  (P, ...) those of this round.
        moves   (P, ...) from them to their images.
        worse   (P,) whether memory has led a point astray, so that it is dropped; None for no point.
        """
        if self.last is not None and self.size:
            self.changes = [*self.changes, (values - self.last[0], moves - self.last[1])][-self.size :]
        if worse is not None:
            for one, two in self.changes:
                one[worse] = two[worse] = 0.0
        self.last = values, moves
        return values + self.damped * moves - self._taken(moves)

    def _taken(self, moves: Array) -> Array | float:
        """The correction of a move by earlier rounds, at every point."""
        if not self.changes:
            return 0.0
        size = len(moves)
        steps = np.stack([one.reshape(size, -1) for one, _ in self.changes], axis=-1)
        turns = np.stack([two.reshape(size, -1) for _, two in self.changes], axis=-1)
        scale = np.sqrt((turns**2).sum(1, keepdims=True))
        scale = np.where(scale > 0, scale, 1.0)
        unit = turns / scale
        square: Array = np.einsum("pnm,pnl->pml", unit, unit) + 1e-12 * np.eye(len(self.changes))
        right: Array = np.einsum("pnm,pn->pm", unit, moves.reshape(size, -1))
        weights: Array = np.linalg.solve(square, right[..., None])[..., 0] / scale[:, 0]
        weights = np.clip(weights, self.least, self.most)
        taken = np.einsum("pnm,pm->pn", steps + self.damped * turns, weights).reshape(moves.shape)
        return np.where(np.isfinite(taken), taken, 0.0)


def early_point(image: BatchMap, start: Array, rounds: int, tolerance: float) -> tuple[Array, bool]:
    """The values of a batch after a few rounds, which suffice where maps are nearly flat.

    image      the map of all points.
    start      (P, ...) values >= 0.
    tolerance  of the residual at every point.
    Returns    the values, and whether they are within the tolerance.
    Method     Moves without damping, with one step of memory, whose weight is between -1 and 0.9.
    """
    memory, values = Memory(1, least=-1.0, most=0.9), start
    for _ in range(rounds):
        after, residual = image(values)
        if residual.max() <= tolerance:
            return values, True
        values = np.maximum(memory.following(values, after - values), 0.0)
    return values, False


def falling_points(
    image: BatchMap, low: Array, tolerance: float, nearer: Callable[[Array], Array] | None = None
) -> Array:
    """The values (P, 1, 1), one for each point of a batch, that equal their images, where images fall as values rise.

    low      values below their images.
    nearer   from these images, which no fixed point exceeds, to smaller values that are tried as upper limits.
    Returns  the values within the tolerance of the residual, or the last ones after 100 rounds.
    Method   False position (Illinois: @dowell1971), and every eighth round a halving.
    """
    high = highest = image(low)[0]
    above = high - low
    if nearer is not None:
        high = nearer(highest)
    below = image(high)[0] - high
    if nearer is not None and (below > 0).any():
        high = np.where(below > 0, highest, high)
        below = image(high)[0] - high
    values = high
    side: Array = np.zeros(low.shape)
    for number in range(_FALSE_POSITIONS):
        share = above / np.where(above - below > 0, above - below, 1.0)
        share = np.where(number % 8 == 7, 0.5, np.clip(share, 0.0, 1.0))
        values = low + share * (high - low)
        budget.spend(_ROUND + _VALUE * values.size, "the rounds of a fixed point")
        after, residual = image(values)
        if residual.max() <= tolerance:
            break
        move = after - values
        rising = move > 0
        below = np.where(rising & (side > 0), below / 2, below)
        above = np.where(~rising & (side < 0), above / 2, above)
        low, above = np.where(rising, values, low), np.where(rising, move, above)
        high, below = np.where(rising, high, values), np.where(rising, below, move)
        side = np.where(rising, 1.0, -1.0)
    return values
