"""The effect of memory size: miss ratios of caches and lifetimes between page faults, extrapolated from a known point.

Each function passes through a measured point, so that its parameters are known quantities and an exponent that is
typical of the workload.
"""

from __future__ import annotations

import math

from qnet.expression.operations import Operations, Value


def cache_miss(values: list[Value], operations: Operations) -> Value:
    """The miss ratio of a cache of another size: m0 (s / s0)^(-theta / (1 - theta)), at most 1.

    values  the size s, the known size s0 with its miss ratio m0 in [0, 1], and theta in (0, 1), about 0.25.
    Method  The hierarchical reuse model: a request that comes t after the one before it to the same item is a hit in
            the long run with a probability that falls as a power of t, so that the miss ratio at a single-reference
            residency time tau falls as tau^-theta; the average residency in the cache is tau / (1 - theta), and by
            Little's law the size is misses x item x residency, which makes s proportional to tau^(1 - theta).
    Limits  One workload at one rate; sizes below those of interest, where the miss ratio reaches 1, and above the
            entire data, where it would fall further, are outside the model.
    Source  @mcnutt2000, chapter 1: the power law is 1.4, the residency 1.12, the guess of 0.25 1.6.
    """
    size, known, miss, theta = values
    exponent = -theta / (1 - theta)
    value = operations.minimum([miss * operations.power(size / known, exponent), operations.number(1.0)])
    return _where(((">", size, 0.0), (">", theta, 0.0), ("<", theta, 1.0)), value, operations)


def residency_miss(values: list[Value], operations: Operations) -> Value:
    """The miss ratio at another single-reference residency time: m0 (tau / tau0)^-theta, at most 1; as `cache_miss`."""
    residency, known, miss, theta = values
    value = operations.minimum([miss * operations.power(residency / known, -theta), operations.number(1.0)])
    return _where(((">", residency, 0.0), (">", theta, 0.0), ("<", theta, 1.0)), value, operations)


def lifetime(values: list[Value], operations: Operations) -> Value:
    """The mean time between the page faults of a program with other memory: e0 (m / m0)^k.

    values  the memory m, the known memory m0 with its lifetime e0, and k > 0: 1.5 to 2.5 below the point where the
            working set fits (Belady and Kuehner); 1 for a mix of programs with much memory (Saltzer; not for main
            memory by working sets: @denning1974).
    Limits  Grows without bound, while that of a program is bounded at its size: see `lifetime_s`.
    Source  @belady1969; @saltzer1974.
    """
    memory, known, time, exponent = values
    value = time * operations.power(memory / known, exponent)
    return _where(((">", memory, 0.0), (">", exponent, 0.0)), value, operations)


def lifetime_s(values: list[Value], operations: Operations) -> Value:
    """The mean time between page faults by an S-shaped curve that tends to twice a known one: 2 e0 / (1 + (m0 / m)^2).

    values  the memory m, and the memory m0 at which the lifetime is e0, half of its limit.
    Source  @chamberlin1973.
    """
    memory, known, time = values
    value = 2 * time / (1 + (known / memory) ** 2)
    return _where(((">", memory, 0.0),), value, operations)


def _where(conditions: tuple[tuple[str, Value, float], ...], value: Value, operations: Operations) -> Value:
    """The value where all conditions hold; else NaN in arrays, and `ValueError` for floats. Symbols are not checked."""
    for operator, item, bound in conditions:
        holds = operations.compare(operator, item, operations.number(bound))
        if operations.elementwise:
            value = operations.where(holds, value, math.nan)
        elif not getattr(holds, "free_symbols", ()) and not operations.all(holds):
            raise ValueError
    return value
