"""A lognormal service time from two of its percentiles, or from one and its mean or scv."""

from __future__ import annotations

import re
from math import exp, log, sqrt
from statistics import NormalDist

from qnet.errors import Problem, UsageError
from qnet.units import NUMBER, TIME, UnitError, quantity

_TERM = re.compile(r"\s*(?:p(\d{1,2}(?:[._]\d+)?)|(mean)|(scv))\s*=\s*(.+?)\s*", re.DOTALL)


def lognormal(text: str) -> tuple[float, float, float]:
    """Mean (seconds), scv and skewness of the lognormal time that has the stated percentiles.

    text      such as `p50 = 12 ms, p99 = 80 ms`, `mean = 20 ms, p95 = 60 ms`, or `p50 = 12 ms, scv = 2`.
    Raises    `UsageError` (QN749) for anything else, and where no lognormal time has them.
    Method    A percentile q is exp(mu + z sigma), z the percentile of the standard normal distribution; the mean is
              exp(mu + sigma^2 / 2), the scv exp(sigma^2) - 1. If two sigmas fit a mean and a percentile, the smaller.
    """
    shares: list[tuple[float, float]] = []
    more: dict[str, float] = {}
    for part in text.split(","):
        match = _TERM.fullmatch(part)
        if match is None:
            raise _refused(text, f'"{part.strip()}" states no percentile')
        value = _value(text, match[4], scv=bool(match[3]))
        if match[1]:
            share = float(match[1].replace("_", ".")) / 100
            if not 0 < share < 1:
                raise _refused(text, f"p{match[1]} is not a percentile")
            shares.append((NormalDist().inv_cdf(share), value))
        else:
            more[match[2] or match[3]] = value
    if len(shares) + len(more) != 2 or not shares:
        raise _refused(text, f"it states {len(shares)} percentiles and {len(more)} other figures")
    sigma = _sigma(text, sorted(shares), more)
    normal, value = shares[0]
    mean = more.get("mean", value * exp(sigma * sigma / 2 - normal * sigma))
    scv = exp(sigma * sigma) - 1
    return mean, scv, (scv + 3) * sqrt(scv)


def _sigma(text: str, shares: list[tuple[float, float]], more: dict[str, float]) -> float:
    if "scv" in more:
        return sqrt(log(1 + more["scv"]))
    if "mean" in more:
        normal, value = shares[0]
        inner = normal * normal - 2 * log(value / more["mean"])
        # Below the mean both roots may fit: the smaller positive one is the time that varies less.
        roots = [normal - sqrt(inner), normal + sqrt(inner)] if inner >= 0 else []
        if not any(root >= 0 for root in roots):
            raise _refused(text, "no lognormal time has this mean and percentile")
        return min(root for root in roots if root >= 0)
    (low, first), (high, second) = shares
    if high == low or second < first:
        raise _refused(text, "the percentiles do not increase")
    return log(second / first) / (high - low)


def _value(text: str, stated: str, scv: bool) -> float:
    try:
        value, dimension = quantity(stated)
    except UnitError as error:
        raise _refused(text, str(error)) from None
    if dimension != (NUMBER if scv else TIME) or value < 0 or (value == 0 and not scv):
        raise _refused(text, f'"{stated}" is not {"a number" if scv else "a time above 0"}')
    return value


def _refused(text: str, found: str) -> UsageError:
    expected = "two percentiles, or one with mean or scv: p50 = 12 ms, p99 = 80 ms"
    return UsageError(Problem("QN749", f'service "{text}": {found}', expected))
