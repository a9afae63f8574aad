"""Which classes the customers that wait for a place are of, given how many wait."""

from __future__ import annotations

from typing import Any

import numpy as np

_COUNTED = 200
"""The most customers for which sums over all compositions are computed; their means differ from the limit of many
customers by less than one in this number."""
_LEAST = 1e-300
"""The least relative rate: a class with less waits only where all others do."""
_ROUNDS, _CLOSE = 200, 1e-13
"""Rounds of the bisection for many customers, and the width of the logarithm that ends it."""


def waiting_classes(waiting: Any, population: Any, rates: Any) -> Any:
    """(points, levels, classes) the mean number of waiting customers of each class.

    waiting     (points, levels) integers: the customers that wait, of all classes together.
    population  (points, classes) those that may wait.
    rates       (points, classes) requests per second of a customer that does not wait, in any unit.
    Exact   where customers spend all other time thinking, and wait in order of arrival for exponential times of one
            mean: there w waiting customers have the probability of the product form, in proportion to the product of
            C(N, w) a^w over the classes, with a the rate of a customer.
    Method  Sums over all compositions, class by class; beyond a number of customers their limit, in which each
            customer of a class waits with probability t a / (1 + t a), for one t.
    Source  @baskett1975
    """
    if not population.shape[1]:
        return np.zeros((*waiting.shape, 0))
    rates = np.maximum(rates, _LEAST)
    largest = rates.max(axis=1, keepdims=True)
    logs: Any = np.log(rates) - np.log(largest)
    several = population.sum(axis=1).max() > _COUNTED
    means: Any = _of_many(waiting, population, logs) if several else _counted(waiting, population, logs)
    return np.minimum(means, population[:, None, :])


def _counted(waiting: Any, population: Any, logs: Any) -> Any:
    """The means by sums over all compositions."""
    classes = population.shape[1]
    terms = [_terms(population[:, index], logs[:, index]) for index in range(classes)]
    before: list[Any] = [np.zeros((len(population), 1))]
    for term in terms[:-1]:
        before.append(_convolved(before[-1], term))
    after: Any = np.zeros((len(population), 1))
    means: Any = np.zeros((*waiting.shape, classes))
    for index in reversed(range(classes)):
        others = _convolved(before[index], after)
        means[:, :, index] = _mean(waiting, population[:, None, index], terms[index], others)
        after = _convolved(after, terms[index])
    return means


def _mean(waiting: Any, population: Any, term: Any, others: Any) -> Any:
    """(points, levels) the mean number of one class, from the logarithms for it and for all others together."""
    points, numbers = np.arange(len(population))[:, None, None], np.arange(int(term.shape[1]))
    weights = term[:, None, :] + _at(points, np.rint(waiting).astype(int)[:, :, None] - numbers, others)
    largest = weights.max(axis=2, keepdims=True)
    possible = np.isfinite(largest)
    shares = np.exp(weights - np.where(possible, largest, 0.0))
    overall = shares.sum(axis=2)
    mean = np.einsum("ijk,k->ij", shares, numbers * 1.0) / np.where(overall > 0, overall, 1.0)
    # More customers than there are: all wait.
    np.copyto(mean, population, where=~possible[:, :, 0])
    return mean


def _at(points: Any, numbers: Any, others: Any) -> Any:
    """The logarithms at given numbers; of numbers that cannot be, that of 0."""
    known = (numbers >= 0) & (numbers < others.shape[1])
    return np.where(known, others[points, np.where(known, numbers, 0)], -np.inf)


def _terms(population: Any, logs: Any) -> Any:
    """(points, numbers) the logarithms of C(N, w) a^w, for N that need not be integers."""
    numbers = np.arange(int(np.ceil(population.max())) + 1)
    remaining = population[:, None] - numbers[:-1]
    factors: Any = np.where(
        remaining > 0, np.log(np.where(remaining > 0, remaining, 1.0) / (numbers[:-1] + 1.0)), -np.inf
    )
    ways: Any = np.concatenate([np.zeros((len(population), 1)), np.cumsum(factors, axis=1)], axis=1)
    return ways + logs[:, None] * numbers


def _convolved(first: Any, second: Any) -> Any:
    """The convolution of numbers given by their logarithms."""
    if first.shape[1] < second.shape[1]:
        first, second = second, first
    count = first.shape[1]
    result: Any = np.full((len(first), count + second.shape[1] - 1), -np.inf)
    for number in range(second.shape[1]):
        here = slice(number, number + count)
        result[:, here] = np.logaddexp(result[:, here], first + second[:, number, None])
    return result


def _of_many(waiting: Any, population: Any, logs: Any) -> Any:
    """The means in the limit of many customers."""
    crowd = population.sum(axis=1)[:, None]
    wanted: Any = np.clip(waiting, 0.0, crowd)
    low, high = np.full(waiting.shape, -60.0), np.full(waiting.shape, 60.0)
    high += -logs.min(axis=1, initial=0.0)[:, None]

    def means(shift: Any) -> Any:
        return population[:, None, :] / (1.0 + np.exp(-np.clip(logs[:, None, :] + shift[:, :, None], -700.0, 700.0)))

    for _ in range(_ROUNDS):
        middle: Any = 0.5 * (low + high)
        less: Any = means(middle).sum(axis=2) < wanted
        low[less] = middle[less]
        high[~less] = middle[~less]
        if (high - low).max() <= _CLOSE * np.abs(high).max():
            break
    return means(0.5 * (low + high))
