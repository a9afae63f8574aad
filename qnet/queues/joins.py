"""The largest, or the k-th smallest, of several independent times: order statistics by mean and variance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import comb
from typing import Any

import numpy as np

from qnet.expression import Value, arrays
from qnet.lazy import Array
from qnet.queues import balanced_means
from qnet.record import Record

_GROWTH = 1.7
"""The largest factor by which the ends of the panels of a quadrature grow."""
_NODES = (0.18343464249564978, 0.525532409916329, 0.7966664774136267, 0.9602898564975362)
"""The positive ones of the eight Gauss-Legendre nodes of a panel from -1 to 1."""
_WEIGHTS = (0.36268378337836166, 0.3137066458778869, 0.22238103445337443, 0.10122853629037706)
"""Their weights."""
_SHORTEST, _LONGEST = 0.1, 40.0
"""The end of the first panel and of the last, in means of the shortest time and of the longest."""


_STAGES = 40
"""The most stages of a mixed Erlang time; a less variable time is a constant plus such a time."""


class BranchTimes(Record):
    """Independent times of one distribution."""

    mean: Value
    """Seconds."""
    variance: Value
    copies: int = 1


def joined(branches: Sequence[BranchTimes], needed: int) -> tuple[Value, Value]:
    """Mean and variance of the time until `needed` of all times have passed, elementwise over points.

    Applies   independent times >= 0 of any distribution; `needed` from 1 to the number of times.
    branches  means and variances, floats or arrays of points.
    Returns   seconds, and square seconds; 0 where a mean is not finite.
    needed    how many of the times must pass.
    Method    Each time is fitted by its two moments (see `Fitted`). The number of times that have passed at some moment
              is a sum of independent binomial numbers; the probability that it is too small is integrated over time by
              Gauss-Legendre quadrature.
    Exact     to about 1e-11 for exponential and constant times, and Erlang ones of up to 40 stages; otherwise as good
              as a fit of two moments.
    Source    @david2003, chapters 2 and 5.

    >>> [round(float(value), 9) for value in joined([BranchTimes(mean=1.0, variance=1.0, copies=2)], needed=2)]
    [1.5, 1.25]
    """
    first = second = 0.0
    order = _ordered(branches, needed)
    for times, weights in order.nodes():
        waiting = 1.0 - order.complete(order.fitted.passed(times))
        first = first + (weights * waiting).sum(-1)
        second = second + 2 * (weights * times * waiting).sum(-1)
    return order.as_given(first), order.as_given(second - first**2)


def mean_joined(branches: Sequence[BranchTimes], needed: int) -> Value:
    """The mean of `joined` alone.

    branches  means and variances, floats or arrays of points.
    needed    how many of their times must pass, from 1.
    Returns   seconds.
    """
    return _mean(_ordered(branches, needed))


def decisive(branches: Sequence[BranchTimes], needed: int) -> tuple[Value, ...]:
    """By branch: the probability that one of its times is the last that is needed; arguments as of `joined`.

    Constants that pass together share that probability equally.

    branches  their means and variances, seconds and seconds squared.
    needed    how many of their times are needed, from 1.

    >>> [round(float(share), 9) for share in decisive([BranchTimes(1.0, 1.0), BranchTimes(1.0, 1.0)], needed=2)]
    [0.5, 0.5]
    """
    order = _ordered(branches, needed)
    result: list[Any] = [0.0 for _ in branches]
    for times, weights in order.nodes():
        passed, density = order.fitted.passed(times), order.fitted.density(times)
        for index, item in enumerate(branches):
            result[index] += item.copies * (weights * density[index] * order.deciding(passed, index)).sum(-1)
    for index, item in enumerate(branches):
        constant, when = order.fitted.constant[index], order.fitted.mean[index]
        together = order.fitted.constant & (np.abs(order.fitted.mean - when) <= 1e-12 * when)
        after = order.fitted.passed(when[:, None])
        before = np.where(together[..., None], 0.0, after)
        jump = (order.complete(after) - order.complete(before))[:, 0]
        identical = (together * np.array([other.copies for other in branches])[:, None]).sum(0)
        result[index] += np.where(constant, jump * item.copies / np.where(identical > 0, identical, 1), 0.0)
    overall = sum(result)
    return tuple(order.as_given(value / np.where(overall > 0, overall, 1.0)) for value in result)


def mean_of(moments: Any, counts: Sequence[int], needed: int) -> Any:
    """The mean of `joined` alone, as an array of points.

    moments  (times, 2, points) means and variances, seconds and seconds squared.
    counts   how many copies each time has.
    needed   how many of the times must pass, from 1.
    """
    return _mean(_Order(moments, counts, needed, moments.shape[2:]))


def _mean(order: _Order) -> Value:
    first = 0.0
    for times, weights in order.nodes():
        first = first + (weights * (1.0 - order.complete(order.fitted.passed(times)))).sum(-1)
    return order.as_given(first)


def _ordered(branches: Sequence[BranchTimes], needed: int) -> _Order:
    """The times of branches, as an order statistic."""
    shape = np.broadcast_shapes(*(np.shape(value) for item in branches for value in item[:2]))
    size = int(np.prod(shape))
    moments = np.array(
        [[np.broadcast_to(value, shape).reshape(size) for value in item[:2]] for item in branches], dtype=float
    )
    return _Order(moments, [item.copies for item in branches], needed, shape)


class _Order:
    """An order statistic of fitted times.

    moments  (times, 2, points) means and variances.
    counts   how many copies each time has.
    needed   how many of the times must pass.
    shape    of the points, as they were given.
    """

    def __init__(self, moments: Any, counts: Sequence[int], needed: int, shape: tuple[int, ...]) -> None:
        self.shape = shape
        self.known = np.isfinite(moments).all((0, 1)) & (moments[:, 0].max(0) > 0)
        self.fitted = Fitted(*np.where(self.known, np.maximum(moments, 0.0), 1.0).swapaxes(0, 1))
        self.counts = counts
        self.needed = needed

    def as_given(self, value: Any) -> Value:
        """Values of points as they were given."""
        value = np.where(self.known, np.maximum(value, 0.0), 0.0)
        return value.reshape(self.shape) if self.shape else float(value[0])

    def nodes(self) -> Iterator[tuple[Any, Any]]:
        """Quadrature nodes and weights, (points, nodes), for each stretch between constants, where distributions have
        bends."""
        points = np.array([-node for node in reversed(_NODES)] + [*_NODES])
        shares = np.array([*reversed(_WEIGHTS), *_WEIGHTS])
        low, high = _SHORTEST * self.fitted.shortest, _LONGEST * self.fitted.longest
        panels = int(np.ceil(np.log((high / low).max()) / np.log(_GROWTH)))
        growth = (high / low)[:, None] ** (np.arange(panels + 1) / panels)
        ends = np.concatenate([np.zeros((len(low), 1)), low[:, None] * growth], axis=1)
        bends = np.zeros((1, len(low)))
        if self.fitted.shifted:
            later = np.sort(self.fitted.shift, axis=0)
            bends = np.concatenate([bends, later[(later > 0).any(1)]])
        for index, start in enumerate(bends):
            width = bends[index + 1] - start if index + 1 < len(bends) else np.inf
            width = np.broadcast_to(width, low.shape)[:, None]
            edges = np.minimum(ends, width) if index + 1 < len(bends) else ends
            if index + 1 < len(bends) and (edges[:, -1:] < width).any():
                # After all other times have ended, the integrand is constant until the next bend.
                edges = np.concatenate([edges, width], axis=1)
            half = (edges[:, 1:] - edges[:, :-1])[..., None] / 2
            times = edges[:, :-1, None] + half * (1 + points)
            count = times.shape[1] * times.shape[2]
            yield start[:, None] + times.reshape(-1, count), (half * shares).reshape(-1, count)

    def complete(self, passed: Any) -> Any:
        """The probability that enough have passed."""
        overall = sum(self.counts)
        if self.needed == overall:
            powers = zip(passed, self.counts, strict=True)
            return _product(share if count == 1 else share**count for share, count in powers)
        if self.needed == 1:
            return 1.0 - _product((1 - share) ** count for share, count in zip(passed, self.counts, strict=True))
        numbers = _numbers(passed, self.counts)
        return 1.0 - sum(numbers[: self.needed]) if 2 * self.needed < overall else sum(numbers[self.needed :])

    def deciding(self, passed: Any, index: int) -> Any:
        """The probability that one fewer than needed have passed, without one time of the branch `index`."""
        counts = [count - (index == number) for number, count in enumerate(self.counts)]
        if self.needed == sum(self.counts):
            return _product(share**count for share, count in zip(passed, counts, strict=True))
        if self.needed == 1:
            return _product((1 - share) ** count for share, count in zip(passed, counts, strict=True))
        return _numbers(passed, counts)[self.needed - 1]


def _product(values: Iterator[Any]) -> Any:
    result = next(values)
    for value in values:
        result = result * value
    return result


def _numbers(passed: Any, counts: Sequence[int]) -> list[Any]:
    """The probabilities that 0, 1, ... times have passed."""
    result: list[Any] = [1.0]
    for share, count in zip(passed, counts, strict=True):
        chances = [comb(count, number) * share**number * (1 - share) ** (count - number) for number in range(count + 1)]
        after: list[Any] = [0.0] * (len(result) + count)
        for first, one in enumerate(result):
            for second, other in enumerate(chances):
                after[first + second] = after[first + second] + one * other
        result = after
    return result


def ranked(values: Sequence[Value], counts: Sequence[int], rank: int) -> Value:
    """The value at a rank in ascending order, elementwise over points.

    values  numbers or arrays of one shape.
    counts  how often each occurs, at least 1.
    rank    from 1 to the sum of the counts.
    """
    result = at_rank(np.stack(np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in values))), counts, rank)
    return result if result.ndim else float(result)


def at_rank(table: Any, counts: Sequence[int], rank: int) -> Any:
    """As `ranked`, for a table of values.

    table    (values, points).
    counts   how often each value occurs.
    rank     from 1 to the sum of the counts.
    """
    order = np.argsort(table, axis=0)
    passed = np.cumsum(np.array(counts)[order], axis=0)
    first = (passed < rank).sum(0)
    return np.take_along_axis(np.take_along_axis(table, order, axis=0), first[None], axis=0)[0]


class Fitted:
    """Times with given means and variances, as arrays: (times, points).

    mean      seconds, >= 0.
    variance  square seconds, >= 0.
    Method    scv 1: exponential. Below: a mixture of Erlang distributions of k - 1 and k stages of one rate; below 1/40
              a constant plus such a time. Above: hyperexponential with balanced means. scv 0: a constant.
    Source    @tijms1994, appendix B
    """

    def __init__(self, mean: Array, variance: Array) -> None:
        self.mean = mean
        scv = variance / np.where(mean > 0, mean, 1.0) ** 2
        scv = np.where(np.abs(scv - 1) <= 1e-12, 1.0, np.where(scv <= 1e-24, 0.0, scv))
        self.constant = (scv == 0) | (mean == 0)
        self.any_constant = bool(self.constant.any())
        few = scv < 1 / _STAGES
        self.shifted = bool(few.any())
        rest = np.where(few, mean * np.sqrt(_STAGES * scv), mean) if self.shifted else mean
        self.shift = mean - rest
        """The constant part of each time."""
        self.wide = scv > 1
        if self.any_constant:
            self.wide &= ~self.constant
        self.any_wide = bool(self.wide.any())
        regular = np.minimum(scv, 1.0)
        if self.shifted:
            regular = np.where(few, 1 / _STAGES, regular)
        # Rounding must not add a stage to an Erlang time.
        self.stages = count = np.ceil(1 / regular - 1e-9)
        spread = np.maximum(count * (1 + regular) - count**2 * regular, 0.0)
        self.fewer = np.minimum(np.maximum((count * regular - np.sqrt(spread)) / (1 + regular), 0.0), 1.0)
        self.fewer = np.where(count > 1, self.fewer, 0.0)
        """The probability of one stage less."""
        self.rate = (count - self.fewer) / (np.where(self.constant, 1.0, rest) if self.any_constant else rest)
        longest = rest
        if self.any_wide:
            self.chances = balanced_means.shares(np.maximum(scv, 1.0), arrays())
            """The probabilities of the two exponentials, the faster one first."""
            each = np.where(self.constant, 1.0, mean)
            self.rates = 2 * self.chances[0] / each, 2 * self.chances[1] / each
            longest = np.where(self.wide, 1 / self.rates[1], rest)
        if self.any_constant:
            moving = ~self.constant
            none = ~moving.any(0)
            self.shortest = np.where(none, 1.0, np.where(moving, rest, np.inf).min(0))
            self.longest = np.where(none, 1.0, np.where(moving, longest, 0.0).max(0))
        else:
            self.shortest, self.longest = rest.min(0), longest.max(0)

    def passed(self, times: Array) -> Array:
        """(times, points, nodes) the probability that each time has passed at the nodes (points, nodes)."""
        since = np.maximum(times - self.shift[..., None], 0.0) if self.shifted else times
        left = self._left(since)
        if self.any_wide:
            fast, slow = (np.exp(-rate[..., None] * since) for rate in self.rates)
            odd: Array = self.chances[0][..., None] * fast + self.chances[1][..., None] * slow
            left = np.where(self.wide[..., None], odd, left)
        passed = 1.0 - left
        if not self.any_constant:
            return passed
        return np.where(self.constant[..., None], times >= self.shift[..., None], passed)

    def density(self, times: Array) -> Any:
        """The densities, of the same shape; 0 for constants."""
        since = times - self.shift[..., None]
        density = self._ending(np.maximum(since, 0.0))
        if self.any_wide:
            odd = 0.0
            for share, rate in zip(self.chances, self.rates, strict=True):
                odd = odd + (share * rate)[..., None] * np.exp(-rate[..., None] * np.maximum(since, 0.0))
            density = np.where(self.wide[..., None], odd, density)
        return np.where(self.constant[..., None] | (since < 0), 0.0, density)

    def _left(self, since: Any) -> Any:
        """The probability that mixed Erlang times last longer."""
        return self._stages(since, lambda count, stages: self._and(count < stages, count == stages, 1 - self.fewer))

    def _ending(self, since: Any) -> Any:
        """The density of mixed Erlang times."""
        shares = self._stages(
            since, lambda count, stages: self._and(False, count == stages, 1 - self.fewer, count == stages - 1)
        )
        return self.rate[..., None] * shares

    def _and(self, sure: Any, last: Any, share: Any, before: Any = False) -> Any:
        return sure + last * share + before * self.fewer

    def _stages(self, since: Any, weight: Callable[[int, Any], Any]) -> Any:
        """The weighted sum over stages of the probability of being in each."""
        done = self.rate[..., None] * since
        term = np.exp(-done)
        result = weight(1, self.stages)[..., None] * term
        weighted = np.empty(term.shape)
        for count in range(2, int(self.stages.max()) + 1):
            term *= done
            if count > 2:
                term /= count - 1
            np.multiply(weight(count, self.stages)[..., None], term, out=weighted)
            result += weighted
        return result
