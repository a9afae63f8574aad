"""Third moments of times and counts, and what variances follow from them."""

from __future__ import annotations

from qnet.errors import Problem, UsageError
from qnet.expression import Value
from qnet.queues.stations.numbers import is_array, is_symbol


def third_moment(mean: Value, scv: Value, skewness: Value, what: str) -> Value:
    """E[X^3] of a quantity of at least 0, from its mean, scv and skewness.

    skewness  the third standardized moment; None where it is unknown: then the third moment is that of a constant for
              an scv of 0, and otherwise None.
    what      the word for the quantity, for the message.
    Raises    `UsageError` (QN050) for a skewness that nothing of at least 0 with this scv has: E[X] E[X^3] >= E[X^2]^2.
    """
    if skewness is None:
        return mean**3 if not is_array(scv) and not is_symbol(scv) and scv == 0 else None
    # The cube of the standard deviation as a power: one spelling for floats, arrays and symbols.
    third = mean**3 * (skewness * scv**1.5 + 3 * scv + 1)
    if not is_symbol(third):
        short = third * mean < (mean**2 * (1 + scv)) ** 2 * (1 - 1e-12)
        if short.any() if is_array(short) else short:
            text = f"no {what} has the skewness {skewness} and the scv {scv}"
            raise UsageError(Problem("QN050", text, "a skewness of at least scv^(1/2) - scv^(-1/2)"))
    return third


def number_variance(rate: Value, response: Value, variance: Value) -> Value:
    """The variance of the number in the system, from the mean and the variance of the response.

    Applies  where customers (of a class) leave in the order in which they arrived, one at a time, at Poisson instants,
             and none delays those before it: the number present is then that of Poisson arrivals in a response.
    Source   The distributional form of Little's law: @keilson1988.

    >>> number_variance(0.5, 2.0, 4.0)
    2.0
    """
    return None if variance is None else rate * response + rate**2 * variance


def residual_variance(mean: Value, scv: Value, third: Value) -> Value:
    """The variance of the residual of a time observed at random: E[X^3] / 3E[X] - (E[X^2] / 2E[X])^2; or None.

    >>> residual_variance(mean=1.0, scv=1.0, third=6.0)
    1.0
    """
    return None if third is None else third / (3 * mean) - (mean * (1 + scv) / 2) ** 2
