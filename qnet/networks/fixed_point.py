"""Where a map meets its own argument, proven by its residual or by an enclosure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Value
from qnet.queues.arithmetic import ratio, total
from qnet.queues.roots import bracket
from qnet.record import Record

Image = Callable[[Sequence[float]], list[float]]
"""From n unknowns to their n images, and whatever else is to be read at the fixed point, in one list."""

TOLERANCE = 1e-12
_TIGHT = 1e-14
"""The tolerance of unknowns that others are found for."""
_TOGETHER = 10
"""Rounds for one unknown before it is enclosed; twice as many for several."""
_MAX_ROUNDS = 4000
_WIDTH = 4e-15
"""Of an enclosure, relative to what it encloses."""


class Fixed(Record):
    """A fixed point."""

    values: list[float]
    images: list[float]
    """What the map answers there, all entries."""
    rounds: int
    """How often the map was asked."""


def fixed_point(
    image: Image, start: Sequence[float], constant_from: Sequence[float], tolerance: float = TOLERANCE
) -> Fixed:
    """The unknowns u >= 0 with H(u) = u.

    Applies     H >= 0, continuous and bounded: then H_k(u) - u_k changes sign over u_k, whatever the others.
    image       H; entries after the first n are answered, not iterated.
    start       n values, at least 0.
    constant_from  n values above which no image changes any more.
    tolerance   of the residual, relative to each unknown.
    Returns     the fixed point. Its residual is within the tolerance; where H is so steep that floats next to each
                other have images further apart than that, each unknown lies between two floats 4e-15 apart at which
                H(u) - u has opposite signs, and the images are interpolated between the two.
    Raises      `NotComputed` where neither is reached, or not within 4000 rounds.
    Method      All unknowns at once, with one step of memory (Anderson; a secant for one unknown). A single unknown
                never leaves its bracket, and is enclosed by `bracket` where it has not settled after 10 rounds: that
                cannot fail. Several that have not settled after 20 rounds are found one inside the other: for each
                value of the last, all others first.
    Source      Anderson, J. ACM 12 (1965) 547-560.
    """
    return _Search(image, constant_from, tolerance).find(list(start))


def mixed(
    after: Sequence[Value], moves: Sequence[Value], after_before: Sequence[Value], moves_before: Sequence[Value]
) -> list[Value]:
    """The mix of two rounds with the smallest residual, if the map were linear; each round by its images and moves."""
    change = [new - old for new, old in zip(moves, moves_before, strict=True)]
    overlap = total(item * new for item, new in zip(change, moves, strict=True))
    weight = ratio(overlap, total(item * item for item in change))
    return [new - weight * (new - old) for new, old in zip(after, after_before, strict=True)]


def unsettled(found: str) -> NotComputed:
    """The refusal of waits that are not proven."""
    expected = f"a residual of {TOLERANCE:.0e}"
    return NotComputed(Problem("QN511", f"the waits inside holds did not converge: {found}", expected, help=_HELP))


_HELP = "try a lower load, or report the model"


class _Search:
    def __init__(self, image: Image, constant_from: Sequence[float], tolerance: float) -> None:
        self.ask = image
        self.constant_from = list(constant_from)
        self.tolerance = tolerance
        self.rounds = 0
        self.low, self.high = 0.0, float("inf")
        """Of a single unknown: where its image was last seen above it, and below it."""

    def image(self, values: list[float]) -> list[float]:
        self.rounds += 1
        if self.rounds > _MAX_ROUNDS:
            raise unsettled(f"residual {self.residual(values, self.ask(values)):.1e} after {_MAX_ROUNDS} rounds")
        return self.ask(values)

    def find(self, values: list[float]) -> Fixed:
        """All at once; if that does not settle, one inside the other."""
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
        """What was chosen for a single unknown, or the middle between its ends where it is not between them."""
        self.low, self.high = (max(self.low, value), self.high) if move > 0 else (self.low, min(self.high, value))
        if self.low < chosen < self.high or self.high == float("inf"):
            return chosen
        return (self.low + self.high) / 2

    def enclosed(self) -> Fixed:
        """A single unknown between two floats as close as they go."""
        if self.high == float("inf"):
            self.high = 2 * max(self.image(self.constant_from)[0], *self.constant_from)

        def excess(value: float) -> float:
            return value - self.image([value])[0]

        below, above = excess(self.low), excess(self.high)
        if not below <= 0 <= above:
            raise unsettled(f"no change of sign from {self.low:.3g} to {self.high:.3g}")
        low, high = bracket(excess, self.low, self.high, min(below, -1e-300), above, FLOATS, _WIDTH / 2)
        at_low, at_high = self.image([low]), self.image([high])
        gap_low, gap_high = at_low[0] - low, high - at_high[0]
        share = ratio(gap_low, gap_low + gap_high)
        images = [first + share * (second - first) for first, second in zip(at_low, at_high, strict=True)]
        return Fixed([low + share * (high - low)], images, self.rounds)

    def nested(self, values: list[float]) -> Fixed:
        """The last unknown by itself; for each value of it, the others are found first."""
        rest = len(values) - 1

        def image(last: Sequence[float]) -> list[float]:
            def others(first: Sequence[float]) -> list[float]:
                return self.image([*first, *last])

            fixed = fixed_point(others, values[:rest], self.constant_from[:rest], _TIGHT)
            return [fixed.images[rest], *fixed.values, *fixed.images]

        fixed = fixed_point(image, values[rest:], self.constant_from[rest:], self.tolerance)
        return Fixed([*fixed.images[1 : rest + 1], *fixed.values], fixed.images[rest + 1 :], self.rounds)
