"""The exact responses of one holder, which visits an inner server where others come from outside, however many.

Nothing of qnet is used. How many of them wait there is a phase, and what the holder does, from the beginning of one
hold to its end, is a service whose time and last phase depend on the first: a queue of the type M/SM/1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_POINTS = 256
"""Of the circle on which the generating functions of arrivals are inverted."""
_NEGLIGIBLE = 1e-13


class LoneHolder:
    """The queue of a holder, whose hold is an exponential time and then a visit to the inner server."""

    def __init__(self, rates: tuple[float, float], apart: float, times: tuple[float, float]) -> None:
        """`rates` and mean service `times`: of the holder's customers, and of those from outside."""
        (self.rate, outside), (own, self.other) = rates, times
        self.outside, self.apart, self.own = outside, 1 / apart, own
        decay = max(outside * self.other, outside * own / (1 + outside * own), 0.05)
        self.most = int(min(220, max(25, np.log(1e-9) / np.log(decay) + 10)))
        """Of those from outside who are there; no more ever come."""
        self.one = np.eye(self.most + 1)
        self.alone = np.diag(np.full(self.most, outside), 1) + np.diag(np.full(self.most, 1 / self.other), -1)
        """The generator of their number while the holder is elsewhere."""
        self.alone -= np.diag(self.alone.sum(1))

    def hold(self, rate: complex) -> Any:
        """By the number of others at first and at last: the transform of the time of a hold."""
        size = self.most + 1

        def come_during(mean: float) -> Any:
            every = 1 / mean + rate + self.outside
            return (1 / mean) / every * (self.outside / every) ** np.arange(size)

        times = [come_during(self.own)]
        each = come_during(self.other)
        for _ in range(self.most):
            times.append(np.convolve(times[-1], each)[:size])
        return self.apart * np.linalg.inv((self.apart + rate) * self.one - self.alone) @ np.array(times)

    def arrivals(self) -> Any:
        """By how many come to the outer line during a hold: the chances of the number of others at its end."""
        circle = np.exp(2j * np.pi * np.arange(_POINTS // 2 + 1) / _POINTS)
        half = [self.hold(self.rate * (1 - z)) for z in circle]
        each = np.real(np.fft.fft([*half, *(np.conj(item) for item in half[-2:0:-1])], axis=0)) / _POINTS
        left = np.cumsum(each.sum(2).max(1)[::-1])[::-1]
        each = each[: max(2, int(np.argmax(left < _NEGLIGIBLE)) or _POINTS)]
        each[0][:, -1] += 1 - each.sum((0, 2))
        return each

    def exact(self) -> list[float]:
        """Responses, of the holder's customers and of those from outside.

        Method  Neuts, Structured Stochastic Matrices of M/G/1 Type (1989); the levels by the recursion of Ramaswami.
        """
        each = self.arrivals()
        first = self.rate * np.linalg.inv(self.rate * self.one - self.alone)
        after_idle = [first @ item for item in each]
        down = np.zeros_like(self.one)
        change = 1.0
        while change > _NEGLIGIBLE:
            new = np.linalg.solve(self.one - _series(each[1:], down), each[0])
            change, down = float(abs(new - down).max()), new
        values, vectors = np.linalg.eig(_series(after_idle, down).T)
        empty = np.real(vectors[:, np.argmin(abs(values - 1))])
        empty /= empty.sum()
        here = [_series(each[number:], down) for number in range(len(each))]
        begun = [_series(after_idle[number:], down) for number in range(len(each))]
        inverse = np.linalg.inv(self.one - here[1])
        levels, number, mean = [empty], 0, 0.0
        while number < 5 or levels[-1].sum() * number > 1e-12 * mean:
            number += 1
            flow = empty @ begun[number] if number < len(begun) else np.zeros(self.most + 1)
            for level in range(max(1, number + 2 - len(each)), number):
                flow = flow + levels[level] @ here[number + 1 - level]
            levels.append(flow @ inverse)
            mean += number * levels[-1].sum()
        every = np.sum(levels, axis=0)
        mean, empty, every = mean / every.sum(), empty / every.sum(), every / every.sum()
        return [mean / self.rate, self.others(empty, empty @ first + every - empty) * self.rate / self.outside]

    def others(self, empty: Any, begun: Any) -> float:
        """The mean number of those from outside, times the mean time between two holds.

        empty  by their number, the chances at the end of a hold after which there is none.
        begun  those at the beginning of one.
        """
        count = np.arange(self.most + 1.0)
        elsewhere = np.linalg.inv(self.apart * self.one - self.alone)
        area = empty @ np.linalg.inv(self.rate * self.one - self.alone) @ count + begun @ elsewhere @ count
        mean, variance = count * self.other + self.own, count * self.other**2 + self.own**2
        waiting = count * (count + 1) / 2 * self.other + self.outside * (variance + mean**2) / 2
        return float(area + begun @ elsewhere @ waiting * self.apart)


def _series(items: Any, power: Any) -> Any:
    """items[0] + items[1] @ power + items[2] @ power @ power + ..."""
    result = items[-1]
    for item in items[-2::-1]:
        result = item + result @ power
    return result
