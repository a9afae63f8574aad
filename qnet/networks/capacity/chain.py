"""The chain of the number of places that are taken or waited for, and means over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qnet.lazy import Array, np

if TYPE_CHECKING:
    from qnet.networks.capacity.closed_levels import Levels, Pool


class Chain:
    """The shares of time with 0, 1, ... places taken or waited for, arrays (points, numbers).

    Method   Births and deaths: p(m + 1) / p(m) is the rate at which places are asked for at m over the rate at which
             they are freed at m + 1.
    """

    def __init__(self, levels: Levels, pool: Pool, visits: Array) -> None:
        self.pool = pool
        self.visits = visits
        classes = range(levels.cycle.shape[2])
        self.occupied = np.minimum(pool.numbers, pool.places[:, None])
        self.inside = np.stack([pool.at_all(levels.population[:, :, place]) for place in classes], axis=2)
        """(points, numbers, closed classes) customers who do not wait."""
        cycle = np.stack([pool.at_all(levels.cycle[:, :, place]) for place in classes], axis=2)
        self.rates = self.inside / cycle
        """(points, numbers, closed classes) passages per second."""
        self.coming = (self.rates * visits[:, None, :]).sum(axis=2)
        """Places per second that are asked for."""
        turn = pool.at_all(levels.turn)
        self.freed = np.where(turn > 0, self.occupied / np.where(turn > 0, turn, 1.0), np.inf)
        """Places per second that are freed."""
        self.shares = self.found()
        self.passages = (self.shares[:, :, None] * self.rates).sum(axis=1)
        """(points, closed classes) per second."""
        self.taken = (self.shares * self.coming).sum(axis=1)
        """(points,) places per second that are asked for."""
        late = pool.numbers >= pool.places[:, None]
        self.late = self.shares * late
        found = (self.late * self.coming).sum(axis=1)
        self.full: Array = np.where(
            self.taken > 0, found / np.where(self.taken > 0, self.taken, 1.0), self.late.sum(axis=1)
        )
        """(points,) the share of those who ask for a place that find none."""
        waiting = self.shares[:, :, None] * (pool.population[:, None, :] - self.inside)
        asked = self.passages * visits
        waiting = waiting.sum(axis=1)
        self.delays = np.where(asked > 0, waiting / np.where(asked > 0, asked, 1.0), 0.0)
        """(points, closed classes) the mean wait for a place, over all who ask for one."""
        self.wait = np.where(self.taken > 0, waiting.sum(axis=1) / np.where(self.taken > 0, self.taken, 1.0), 0.0)
        """(points,) the same over all classes."""
        first = np.minimum(pool.places, pool.most)[:, None]
        rate = np.take_along_axis(self.freed, first, axis=1)[:, 0]
        self.next_place = np.where(np.isfinite(rate) & (rate > 0), 1 / np.where(rate > 0, rate, 1.0), 0.0)
        """(points,) the time until a place is free where all are taken."""

    def found(self) -> Array:
        """The shares of time."""
        beyond = self.pool.numbers > self.pool.last[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = np.log(self.coming[:, :-1]) - np.log(self.freed[:, 1:])
        logs = np.concatenate([np.zeros((len(steps), 1)), np.cumsum(steps, axis=1)], axis=1)
        logs = np.where(beyond | np.isnan(logs), -np.inf, logs)
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)

    def mean(self, values: Array, rates: Array | None = None) -> Array:
        """(points,) the mean of a figure of all numbers over time, or over what happens at some rates."""
        weights: Array = self.shares
        if rates is not None:
            often = self.shares * np.where(np.isfinite(rates), rates, 1.0)
            weights = np.where(often.sum(axis=1, keepdims=True) > 0, often, self.shares)
        return (weights * values).sum(axis=1) / weights.sum(axis=1)

    def waiting(self, before: Array) -> Array:
        """(points, closed classes) the shares of the classes among those who find no place."""
        flow = (self.late[:, :, None] * self.rates).sum(axis=1) * self.visits
        whole = flow.sum(axis=1, keepdims=True)
        return np.where(whole > 1e-300, flow / np.where(whole > 1e-300, whole, 1.0), before)
