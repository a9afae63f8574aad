r"""The open network that corresponds to a closed one, which is the open one given that N customers are present.

With arrival rate s the stations of an open product-form network are independent, and station k holds j customers with
probability :math:`w_k(j) = (D_k s)^j / (\prod_{i \le j} \alpha_k(i)\,W_k)`. Convolving these probabilities instead of
the bare factors gives the normalising constant as the probability that N customers are present, times known constants.
With s such that N customers are expected, that probability is of the order of one over the spread of the population:
nothing overflows, and terms that underflow are negligible. Where the probability is tiny nevertheless (stations that
slow down with their load), callers use logarithms.

Source    the scaling: @lam1982, taken to its limit; the open network: @jackson1957
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from math import exp, inf, log
from typing import Any, Protocol

from qnet.lazy import Array, Indices, np

TINY = 1e-250
"""The probability of N customers below which terms lost to underflow may matter."""

_STEPS = 48
"""Halvings until the interval is as narrow as rounding allows; a roughly right rate ends the search earlier."""


def open_rate(mean: Callable[[float], float], fastest: float, population: float) -> float:
    """The arrival rate below `fastest` at which about `population` customers are expected, by bisection."""
    low, high = 0.0, fastest
    for _ in range(_STEPS):
        rate = (low + high) / 2
        excess = mean(rate) - population
        if abs(excess) <= 0.05 * population**0.5:
            return rate
        if excess > 0:
            high = rate
        else:
            low = rate
    return (low + high) / 2


def products(ratios: Sequence[float]) -> tuple[list[float], float]:
    """The running products 1, r1, r1 r2, ... relative to the largest, and the logarithm of that one.

    They are multiplied outwards from the largest, which keeps full precision; products that fall below the range of
    floats and rise again (ratios that do not fall) are taken from the logarithms.
    """
    logs = list(accumulate((log(ratio) if ratio > 0 else -inf for ratio in ratios), initial=0.0))
    peak = max(logs)
    mode = logs.index(peak)
    values = [1.0] * len(logs)
    value = 1.0
    for index in range(mode, len(ratios)):
        value *= ratios[index]
        values[index + 1] = value if value > 1e-290 else exp(logs[index + 1] - peak)
    value = 1.0
    for index in range(mode - 1, -1, -1):
        value /= ratios[index]
        values[index] = value if value > 1e-290 else exp(logs[index] - peak)
    return values, peak


def station(load: float, rates: Sequence[float]) -> tuple[list[float], float, float]:
    """The number of customers at an open station: the probabilities of 0 .. m - 1, the ratio of the rest, and log W.

    load   demand times arrival rate, below the last rate
    rates  m relative capacities, the last repeats
    """
    values, peak = products([load / rate for rate in rates[:-1]])
    ratio = load / rates[-1]
    overall = sum(values) + values[-1] * ratio / (1 - ratio)
    return [value / overall for value in values], ratio, peak + log(overall)


def station_mean(load: float, rates: Sequence[float]) -> float:
    """The mean number of customers of an open station."""
    head, ratio, _ = station(load, rates)
    last = len(head) - 1
    rest = ratio / (1 - ratio)
    mean = sum(count * weight for count, weight in enumerate(head))
    return mean + head[-1] * rest * (last + 1 + rest)


def poisson(load: float, length: int) -> tuple[list[float], float]:
    """The probabilities of 0 .. `length` customers at a delay, relative to their sum, and the logarithm of W."""
    values, peak = products([load / count for count in range(1, length + 1)])
    overall = sum(values)
    return [value / overall for value in values], peak + log(overall)


class Joinable(Protocol):
    """A group of stations that can be convolved with constants of any kind."""

    size: int
    """The number of stations."""

    def joined(self, constants: Any, times: int) -> Any:
        """The constants with `times` more such stations."""


def each_left_out(constants: Any, indices: Sequence[int], stations: Sequence[Joinable]) -> Iterator[tuple[int, Any]]:
    """For each of the groups, the constants with all stations of the others and all but one of the group itself.

    Each half of the groups is convolved once for the other half: groups x log2(groups) convolutions, no division.
    """
    if not indices:
        return
    if len(indices) == 1:
        yield indices[0], stations[indices[0]].joined(constants, stations[indices[0]].size - 1)
        return
    half = len(indices) // 2
    for kept, added in ((indices[:half], indices[half:]), (indices[half:], indices[:half])):
        more = constants
        for index in added:
            more = stations[index].joined(more, stations[index].size)
        yield from each_left_out(more, kept, stations)


def batch_products(ratios: Array) -> tuple[Any, Any]:
    """`products` for the rows of an array (B, m)."""
    size: int
    length: int
    size, length = ratios.shape
    with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
        logs = np.zeros((size, length + 1))
        np.cumsum(np.log(ratios), axis=1, out=logs[:, 1:])
        mode = logs.argmax(axis=1)[:, None]
        peak = np.take_along_axis(logs, mode, 1)
        index: Indices = np.arange(length)
        up = np.cumprod(np.where(index >= mode, ratios, 1.0), axis=1)
        down = np.cumprod(np.where(index < mode, 1 / ratios, 1.0)[:, ::-1], axis=1)[:, ::-1]
        values = np.ones((size, length + 1))
        values[:, 1:] = up
        values[:, :-1] *= down
        values = np.where(values > 1e-290, values, np.exp(logs - peak))
    return values, peak[:, 0]


def batch_station(load: Any, rates: Any) -> tuple[Any, Any, Any]:
    """`station` for loads (B,), with rates (m,) or (B, m)."""
    values, peak = batch_products(load[:, None] / rates[..., :-1])
    ratio = load / rates[..., -1]
    overall = values.sum(axis=1) + values[:, -1] * ratio / (1 - ratio)
    return values / overall[:, None], ratio, peak + np.log(overall)


def batch_mean(load: Any, rates: Any) -> Any:
    """`station_mean` for loads (B,), with rates (m,) or (B, m)."""
    head, ratio, _ = batch_station(load, rates)
    rest = ratio / (1 - ratio)
    length = int(rates.shape[-1])
    present: Indices = np.arange(length)
    return head @ present + head[:, -1] * rest * (length + rest)


def batch_poisson(load: Any, length: int) -> tuple[Any, Any]:
    """`poisson` for loads (B,)."""
    values, peak = batch_products(load[:, None] / np.arange(1.0, length + 1))
    overall = values.sum(axis=1)
    return values / overall[:, None], peak + np.log(overall)
