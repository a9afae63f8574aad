"""Distributions of times of which only mean and variance are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from qnet.lazy import Array, np

_STAGES = 40
"""The most stages of a mixed Erlang time; what varies less is a constant and such a time."""


class Fitted:
    """Times with given means and variances, as arrays: (times, points).

    mean      seconds, >= 0.
    variance  square seconds, >= 0.
    Method    scv 1: exponential. Below: Erlang with k - 1 stages or with k, of one rate; below 1/40 a constant and such
              a time. Above: one of two exponentials, of which each has half of the mean. scv 0: a constant.
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
        """What of each time is constant."""
        self.wide = scv > 1
        if self.any_constant:
            self.wide &= ~self.constant
        self.any_wide = bool(self.wide.any())
        regular = np.minimum(scv, 1.0)
        if self.shifted:
            regular = np.where(few, 1 / _STAGES, regular)
        # Rounding must not ask for a stage more than an Erlang time has.
        self.stages = count = np.ceil(1 / regular - 1e-9)
        spread = np.maximum(count * (1 + regular) - count**2 * regular, 0.0)
        self.fewer = np.minimum(np.maximum((count * regular - np.sqrt(spread)) / (1 + regular), 0.0), 1.0)
        self.fewer = np.where(count > 1, self.fewer, 0.0)
        """The probability of a stage less."""
        self.rate = (count - self.fewer) / (np.where(self.constant, 1.0, rest) if self.any_constant else rest)
        longest = rest
        if self.any_wide:
            odd = np.maximum(scv, 1.0)
            self.fast = (1 + np.sqrt((odd - 1) / (odd + 1))) / 2
            """The probability of the faster exponential."""
            each = np.where(self.constant, 1.0, mean)
            self.rates = 2 * self.fast / each, 2 * (1 - self.fast) / each
            longest = np.where(self.wide, 1 / self.rates[1], rest)
        if self.any_constant:
            moving = ~self.constant
            none = ~moving.any(0)
            self.shortest = np.where(none, 1.0, np.where(moving, rest, np.inf).min(0))
            self.longest = np.where(none, 1.0, np.where(moving, longest, 0.0).max(0))
        else:
            self.shortest, self.longest = rest.min(0), longest.max(0)

    def passed(self, times: Array) -> Array:
        """The probability that each time has passed: of (points, moments) an array (times, points, moments)."""
        # Times since 0 are those of all branches.
        since = np.maximum(times - self.shift[..., None], 0.0) if self.shifted else times
        left = self._left(since)
        if self.any_wide:
            fast, slow = (np.exp(-rate[..., None] * since) for rate in self.rates)
            odd = self.fast[..., None] * fast + (1 - self.fast[..., None]) * slow
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
            for share, rate in zip((self.fast, 1 - self.fast), self.rates, strict=True):
                odd = odd + (share * rate)[..., None] * np.exp(-rate[..., None] * np.maximum(since, 0.0))
            density = np.where(self.wide[..., None], odd, density)
        return np.where(self.constant[..., None] | (since < 0), 0.0, density)

    def _left(self, since: Any) -> Any:
        """Of mixed Erlang times: the probability that they last longer."""
        return self._stages(since, lambda count, stages: self._and(count < stages, count == stages, 1 - self.fewer))

    def _ending(self, since: Any) -> Any:
        """Of mixed Erlang times: the density."""
        shares = self._stages(
            since, lambda count, stages: self._and(False, count == stages, 1 - self.fewer, count == stages - 1)
        )
        return self.rate[..., None] * shares

    def _and(self, sure: Any, last: Any, share: Any, before: Any = False) -> Any:
        return sure + last * share + before * self.fewer

    def _stages(self, since: Any, weight: Callable[[int, Any], Any]) -> Any:
        """The sum over stages of the probability to be in one, weighted."""
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
