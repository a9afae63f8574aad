"""The intervals in which limits hold at one point of a grid, by single solutions from the stated value outwards.

For models that the methods of batches refuse, such as bursts into finite capacities, whose single points have an answer
by the Markov chain of all states.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from qnet import budget
from qnet.errors import QnetError
from qnet.expression import FLOATS
from qnet.lazy import np
from qnet.questions.points.trial import Trial
from qnet.questions.search.scan import ENDLESS, RANGE, Regions, Scan
from qnet.questions.search.search import of_neighbours
from qnet.queues.roots import bracket

_FACTORS = (1.1, 1.21, 1.33, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0, 20.0, 50.0, 100.0, 1000.0, 1e4)
"""The values tried, as multiples of the stated value and as divisors of it; a choice."""
_STEPS = 8
"""The integers next to the stated one that are all tried."""
_STARTS = (1.0, 0.5, 0.1, 2.0, 10.0)
"""The multiples of the stated value, of which the first with an answer is where the search begins."""
_SHARE, _LITTLE_WORK = 0.4, 3e8
"""The share of the operations left for chains after which no value is tried that is farther out; and the operations
after which none is in a direction in which an interval has already ended."""
_TOO_MANY = "the chain of all states takes too many operations; allow more with --operations"
_NEAR = 1e-9
"""Half the relative width of the bracket around an end."""
_CLOSER = 6
"""Bisections between the last value that was solved and the first that was refused."""


def outward(trial: Trial) -> Regions:
    """Find intervals in which there is a steady state and the limits hold, by the method of `solve` at every value.

    trial    the model, the parameter that is varied and the limits, at one point.
    Raises   the error of the stated value, or of a value between two that have an answer.
    Method   Upwards and downwards from the stated value at rising distances, until a value is refused, the range of the
             parameter ends, or chains have taken too many operations; then a root for every change.
    Limits   What happens only between two neighbouring values tried is missed, or farther out.
    """
    values = _Values(trial)
    values.go_outwards()
    values.enclose_ends()
    return values.regions()


class _Values:
    """The values that were tried at one point, and how far they may go."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.counts = trial.domain.integer()
        least, greatest = trial.domain.integer_range(0) if self.counts else (trial.least, trial.greatest)
        self.least, self.greatest = float(least), float(greatest)
        self.tried: dict[float, tuple[float, bool]] = {}
        """For each value the excess, and whether there is a steady state."""
        self.refused = ""
        """Why a value farther out has no answer."""
        self.before, self.most = budget.spent(), _SHARE * budget.trial_left()
        self.work = dict.fromkeys((True, False), 0.0)
        """The operations of values upwards (true) and downwards."""

    def look(self, value: float) -> float:
        """The excess at a value."""
        if value not in self.tried:
            solved = self.trial.alone(np.array([value]))
            self.tried[value] = float(self.trial.excess(solved)[0]), bool(np.all(solved.stable))
        return self.tried[value][0]

    def holds(self, value: float) -> bool:
        """Whether there is a steady state and the limits hold at a value that was tried."""
        excess, stable = self.tried[value]
        return stable and excess <= 0

    def go_outwards(self) -> None:
        """Try values in both directions.

        The next is where limits are exceeded less, until they hold somewhere; then in the direction that has taken
        fewer operations so far.
        """
        stated = self._begin()
        going = {upwards: self._direction(stated, upwards) for upwards in (True, False)}
        while going:
            held = any(map(self.holds, self.tried))
            ends = {True: max(self.tried), False: min(self.tried)}
            upwards = min(going, key=lambda way: (0.0 if held else self.look(ends[way]), self.work[way]))
            before = budget.spent()
            if not next(going[upwards], False):
                del going[upwards]
            self.work[upwards] += budget.spent() - before

    def _begin(self) -> float:
        """The stated value, or a multiple of it if that alone has an answer."""
        for factor in _STARTS:
            value = min(max(self.trial.stated * factor, self.least), self.greatest)
            value = float(math.floor(value)) if self.counts else value
            try:
                self.look(value)
            except QnetError:
                if factor == _STARTS[-1] or self._spent():
                    raise
            else:
                return value
        raise AssertionError

    def _direction(self, stated: float, upwards: bool) -> Iterator[bool]:
        """Try values in one direction, one at each step, and true for each."""
        last = stated
        for value in self._ahead(stated, upwards):
            # Beyond an interval, others are searched only where that costs little.
            beyond = not self.holds(last) and any(map(self.holds, self.tried))
            if beyond and self.work[upwards] > _LITTLE_WORK:
                return
            if not beyond and self._spent():
                self.refused = _TOO_MANY
                return
            try:
                self.look(value)
            except QnetError as error:
                if not beyond:
                    self.refused = error.problems[0].found
                    self._nearer(last, value)
                return
            last = value
            yield True

    def _spent(self) -> bool:
        """Whether no value may be tried that is farther out."""
        return budget.spent() - self.before > self.most

    def _ahead(self, stated: float, upwards: bool) -> list[float]:
        """The values to try in one direction, the nearest first; the end of the range instead of those beyond it."""
        values = [stated * factor if upwards else stated / factor for factor in _FACTORS]
        if self.counts:
            steps = range(1, _STEPS + 1) if upwards else range(-1, -_STEPS - 1, -1)
            values = [*(stated + step for step in steps), *(float(round(value)) for value in values)]
        values = sorted({min(max(value, self.least), self.greatest) for value in values}, reverse=not upwards)
        return [value for value in values if (value > stated if upwards else value < stated)]

    def _nearer(self, last: float, refused: float) -> None:
        """Try values closer to the first that was refused."""
        for _ in range(_CLOSER):
            middle = self._middle(last, refused)
            if middle in (last, refused) or self._spent():
                return
            try:
                self.look(middle)
            except QnetError:
                refused = middle
            else:
                last = middle

    def _middle(self, one: float, other: float) -> float:
        return float(math.floor((one + other) / 2)) if self.counts else (one + other) / 2

    def enclose_ends(self) -> None:
        """Try values around every change of the steady state and of the limits, down to neighbours."""
        for low, high in pairwise(sorted(self.tried)):
            if self.tried[low][1] != self.tried[high][1]:
                self._bisect(low, high)
        for low, high in pairwise(sorted(self.tried)):
            if self.holds(low) == self.holds(high) or self.tried[low][1] != self.tried[high][1]:
                continue
            if self.counts:
                self._bisect(low, high)
            else:
                inside, outside = (low, high) if self.holds(low) else (high, low)
                at_inside, at_outside = self.look(inside), self.look(outside)
                if at_inside < 0:
                    bracket(self.look, inside, outside, at_inside, at_outside, FLOATS, _NEAR)

    def _bisect(self, one: float, other: float) -> None:
        """Try values between two of which only one has a steady state, or meets the limits."""
        while abs(middle := self._middle(one, other)) and middle not in (one, other):
            if not self.counts and abs(one - other) <= _NEAR * abs(middle):
                return
            self.look(middle)
            of_one, of_middle = ((self.tried[value][1], self.holds(value)) for value in (one, middle))
            one, other = (one, middle) if of_one != of_middle else (middle, other)

    def regions(self) -> Regions:
        """The intervals between the values tried, which end at neighbours."""
        values = sorted(self.tried)
        excess, stable = ([self.tried[value][index] for value in values] for index in (0, 1))
        scan = Scan(self.trial)
        scan.keep(np.zeros(len(values), dtype=int), np.array(values), np.array(excess), np.array(stable, dtype=bool))
        ends = np.array([values[-1]]), np.array([values[-1] < self.greatest])
        result = of_neighbours(self.trial, scan, *ends)
        # What is below the least value tried is not known, if its range goes on there.
        open_below = (result.low.cause == RANGE) & (values[0] > self.least)
        return result.replace(
            refused=self.refused, low=result.low.replace(cause=np.where(open_below, ENDLESS, result.low.cause))
        )
