"""The finite-source chain of one point, in floats: small networks need no arrays, nor the import of numpy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from operator import add, mul

from qnet.errors import NotComputed, Problem
from qnet.record import Record

MOST_REQUESTS = 200
"""Requests at once, sources and servers together, beyond which arrays are faster."""

_TOLERANCE, _CLOSEST = 2e-14, 2e-15
"""Tolerances of the logarithm of the throughput, as in `finite_source`."""
_LARGEST_WEIGHT = 1e250
"""The largest sum of weights that are computed as products."""
_ROUNDING = 1e-13
"""The least share of the capacity that a throughput must leave to be more than a rounding error."""
_MAX_ROUNDS = 200
"""As in `finite_source`."""
_HIGHEST = 50.0
"""The largest logarithm of a rate that is searched: e^50 keeps servers busy to all digits."""
_MOST_WAITING = 0.45
"""The largest share of sources that waits in the first estimate; any share below one half works: it is only a start."""
_NEVER = -math.inf


def full_probabilities(
    sources: int, servers: int, offered: float, first_share: float, open_offered: float
) -> tuple[float, float, float]:
    """Probabilities of all servers busy on arrival of a holder's request and at any time, and the services ahead of it.

    Applies   as `finite_source.waiting_probability`, to one point, with at most `MOST_REQUESTS` sources and servers
              together; offered and open_offered in erlangs, their sum below `servers`.
    Raises    `NotComputed` where the request rate of an idle holder does not converge to 2e-14.
    Method    As `finite_source.full_probabilities`: the two agree to rounding.
    Source    As there: @baskett1975; @kleinrock1975, chapter 3.

    >>> full_probabilities(sources=1, servers=1, offered=0.5, first_share=1.0, open_offered=0.0)[0]
    0.0
    """
    chain = _chain(sources, servers, first_share, open_offered)
    spare = servers - open_offered
    least = math.log(offered / sources)
    low, high = least, _HIGHEST
    rate = min(_first_rate(sources, servers, offered, first_share, spare), _HIGHEST)
    count = range(len(chain.free))
    squares = [number * number for number in count]
    for _ in range(_MAX_ROUNDS):
        weights = _weights(chain, rate)
        asking = list(map(mul, weights, chain.free))
        mass, asked = sum(weights), sum(asking)
        excess = rate + math.log(asked / (mass * offered))
        # A bracket narrower than rounding cannot be improved: it counts as the root.
        size = max(1.0, abs(rate))
        if abs(excess) <= min(_CLOSEST * size, _TOLERANCE) or high - low <= 4e-15 * size:
            busy, observed = _dot(asking, chain.busy) / asked, _dot(weights, chain.busy) / mass
            return busy, observed, _dot(asking, chain.ahead) / asked
        low, high = (rate, high) if excess < 0 else (low, rate)
        asked_mean, mean = _dot(asking, count) / asked, _dot(weights, count) / mass
        asked_square, square = _dot(asking, squares) / asked, _dot(weights, squares) / mass
        slope = max(1 + asked_mean - mean, 1e-12)
        bend = (asked_square - asked_mean**2) - (square - mean**2)
        step = rate - _halley(excess, slope, bend, offered, spare)
        rate = step if low < step < high else (low + high) / 2
    problem = "the finite-source wait did not converge"
    raise NotComputed(Problem("QN510", problem, help="report the model: this should not happen"))


def _dot(weights: Sequence[float], values: Sequence[float]) -> float:
    return sum(map(mul, weights, values))


def _first_rate(sources: int, servers: int, offered: float, first_share: float, spare: float) -> float:
    """The logarithm of an initial rate, by the formula of Sakasegawa (1977)."""
    load = min(offered / spare, 1 - 1e-9)
    waiting = min(load ** (1 + math.sqrt(2 * (servers + 1))) / (1 - load), _MOST_WAITING * sources)
    free = max(sources - first_share * offered - waiting, 1e-3 * sources)
    return max(math.log(offered / free), math.log(offered / sources))


def _halley(excess: float, slope: float, bend: float, offered: float, spare: float) -> float:
    """The Halley step of the logarithm of the rate, as in `finite_source`."""
    ratio, missed = 0.0, excess
    if spare > offered and excess < 1.0:
        beyond = offered * math.expm1(excess) / (spare - offered)
        if (1 - beyond) * (spare - offered) > _ROUNDING * spare:
            ratio = offered * math.exp(excess) / ((spare - offered) * (1 - beyond))
            missed = excess - math.log1p(-beyond)
    newton = missed / (slope * (1 + ratio))
    return newton / min(max(1 - newton * (bend / slope + ratio * slope) / 2, 0.5), 2.0)


class _Chain(Record):
    """The parts of a chain that do not depend on the request rate, by the number of requests present."""

    free: list[float]
    """Holders that are free to make a request."""
    steps: list[float]
    """The ratio of a weight to the one before, without the rate and the factors of `heads`."""
    heads: list[float]
    """Further factors of the weights of 0 to `servers` requests."""
    busy: list[float]
    """The share of the weight with all servers busy."""
    ahead: list[float]
    """That share, times the mean number of requests beyond c - 1, those of the open stream included."""


def _chain(sources: int, servers: int, share: float, erlangs: float) -> _Chain:
    """The weights of the chain of 0 to `sources` + `servers` requests."""
    most, left = sources + servers, servers - erlangs
    free = [max(min(number, left) * (1.0 - share) + (sources - number), 0.0) for number in range(servers + 1)]
    rest = left * (1.0 - share)
    free += [max(rest + (sources - number), 0.0) for number in range(servers + 1, most + 1)]
    factorials = [math.lgamma(number + 1.0) for number in range(servers + 1)]
    hit, other = math.log(1 - erlangs / servers), _log(erlangs) - math.log(servers)
    chances = [
        math.exp(factorials[-1] - factorials[number] - factorials[-1 - number] + number * hit + rest * other)
        if erlangs > 0 or not rest
        else 0.0
        for number, rest in zip(range(servers + 1), range(servers, -1, -1), strict=True)
    ]
    sums = [min(chance, 1.0) for chance in accumulate(chances)]
    busy = [_log_or_never(chance) for chance in sums]
    terms = [0.0] + [number * _log(erlangs) - factorials[number] if erlangs > 0 else _NEVER
                     for number in range(1, servers)]  # fmt: skip
    idle = list(accumulate(terms, _together))
    both = [
        _together(
            (number - servers) * math.log(servers) + factorials[-1] - factorials[number]
            + idle[servers - 1 - number] + (number + 1) * hit,
            busy[number],
        )
        for number in range(servers)
    ] + [busy[servers]]  # fmt: skip
    steps = [item / left for item in free[:-1]]
    # From c requests on all servers are busy.
    shares = [math.exp(busy[number] - both[number]) for number in range(servers + 1)] + [1.0] * (most - servers)
    beside = erlangs / left
    ahead = [
        shares[number] * (number - servers + 1 + (number + 1) * beside * _following(sums, number))
        for number in range(servers + 1)
    ]
    ahead += [number - servers + 1 + (number + 1) * beside for number in range(servers + 1, most + 1)]
    return _Chain(free, steps, [math.exp(log) for log in both], shares, ahead)


def _weights(chain: _Chain, rate: float) -> list[float]:
    """The weights at a rate, up to a factor: as products, or by their logarithms where these would overflow."""
    each = math.exp(rate)
    weights = list(accumulate((step * each for step in chain.steps), mul, initial=1.0))
    weights[: len(chain.heads)] = map(mul, weights, chain.heads)
    if sum(weights) < _LARGEST_WEIGHT:
        return weights
    logs = list(accumulate((_log_or_never(step) + rate for step in chain.steps), initial=0.0))
    logs[: len(chain.heads)] = map(add, logs, map(_log_or_never, chain.heads))
    top = max(logs)
    return [math.exp(log - top) for log in logs]


def _following(chances: Sequence[float], number: int) -> float:
    """The ratio of the next probability to this one; 1 from the last one on."""
    if number + 1 >= len(chances):
        return 1.0
    return chances[number + 1] / chances[number] if chances[number] > 0 else 0.0


def _together(one: float, other: float) -> float:
    """The logarithm of the sum of two numbers, from their logarithms."""
    larger, smaller = max(one, other), min(one, other)
    return larger if smaller == _NEVER else larger + math.log1p(math.exp(smaller - larger))


def _log_or_never(value: float) -> float:
    return math.log(value) if value > 0 else _NEVER


def _log(erlangs: float) -> float:
    """The logarithm; 0 for 0."""
    return math.log(erlangs) if erlangs > 0 else 0.0
