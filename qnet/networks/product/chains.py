"""Customers that change their class: classes are added up to chains, and the figures of chains shared out to classes.

A chain is a set of classes between which customers change; they never change to another chain (`traffic.chains` finds
them). Its customers are counted together, so that a network of chains without change of class is solved: the demand
of a chain at a station is that of all its classes together, per passage of the chain.

Exact for product form: of the customers of a chain at a station each is of a class with a probability that is the share
of the class in the demand of the chain there, whatever the others are. First-come-first-served stations must therefore
serve all classes with one mean time, as product form needs anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from qnet.errors import InvalidInput, Problem
from qnet.lazy import np
from qnet.queues.arithmetic import ratio


def aggregate(demands: Any, chain_of: Sequence[int], count: int) -> Any:
    """The demands of chains.

    Applies   any network; think times are one more row, in seconds per passage of the chain.
    demands   (K, R) or (B, K, R) seconds per passage of the chain, >= 0: visits of the class per visit to the reference
              of its chain, times its service time.
    chain_of  R chain numbers, 0 to C - 1.
    count     C, the number of chains.
    Returns   nested tuples (K, C), or an array (B, K, C) for an array.
    Method    Sums over the classes of each chain.
    Fails     `InvalidInput` QN230 for a chain number that does not exist and for other numbers of classes.
    Source    @baskett1975
    """
    _check(chain_of, count)

    def added(row: Sequence[Any]) -> list[Any]:
        _same(len(row), len(chain_of), "demands")
        return _sums(row, chain_of, count)

    return _by_row(added, demands)


def spread(figures: Any, demands: Any, chain_of: Sequence[int]) -> Any:
    """Figures of classes at stations, from those of their chains.

    Applies   product form; residence per passage of the chain, queue length, utilization and busy servers.
    figures   (K, C) or (B, K, C) of the chains.
    demands   (K, R) or (B, K, R) of the classes, as given to `aggregate`.
    chain_of  R chain numbers, 0 to C - 1.
    Returns   nested tuples (K, R), or an array (B, K, R) where either is an array. They add up to those of the chain; a
              class without demand at a station gets 0 there. Divide a residence by visits for the time of one visit.
    Method    figure of the chain x demand of the class / demand of the chain.
    Fails     `InvalidInput` QN230 for a chain number that does not exist and for other numbers of classes.
    Source    @baskett1975
    """

    def shared(values: Sequence[Any], row: Sequence[Any]) -> list[Any]:
        _check(chain_of, len(values))
        _same(len(row), len(chain_of), "demands")
        overall = _sums(row, chain_of, len(values))
        return [values[chain] * ratio(demand, overall[chain]) for demand, chain in zip(row, chain_of, strict=True)]

    return _by_row(shared, figures, demands)


def class_throughput(throughput: Any, passages: Any, chain_of: Sequence[int]) -> Any:
    """Throughputs of classes, from those of their chains.

    Applies     any network.
    throughput  (C,) or (B, C) passages of the chains per second.
    passages    (R,) or (B, R) visits of the class per visit to the reference of its chain: at the reference station for
                the throughput of the class there, at any other one for that at the other.
    chain_of    R chain numbers, 0 to C - 1.
    Returns     a tuple (R,), or an array (B, R) where either is an array, per second.
    Method      throughput of the chain x visits of the class (forced flow).
    Fails       `InvalidInput` QN230 for a chain number that does not exist and for other numbers of classes.
    Source      @denning1978
    """

    def passed(rates: Sequence[Any], visits: Sequence[Any]) -> list[Any]:
        _check(chain_of, len(rates))
        _same(len(visits), len(chain_of), "passages")
        return [rates[chain] * visit for visit, chain in zip(visits, chain_of, strict=True)]

    if hasattr(throughput, "ndim") or hasattr(passages, "ndim"):
        return _by_row(passed, throughput, passages)
    return tuple(passed(throughput, passages))


def _by_row(function: Callable[..., list[Any]], *tables: Any) -> Any:
    """The function of each row: of nested tuples, or of arrays along their last axis, all rows at once."""
    if not any(hasattr(table, "ndim") for table in tables):
        return tuple(tuple(function(*rows)) for rows in zip(*tables, strict=True))

    columns = [np.moveaxis(np.asarray(table, float), -1, 0) for table in tables]
    return np.stack(np.broadcast_arrays(*function(*columns)), axis=-1)


def _sums(values: Sequence[Any], chain_of: Sequence[int], count: int) -> list[Any]:
    sums: list[Any] = [0.0] * count
    for value, chain in zip(values, chain_of, strict=True):
        sums[chain] = sums[chain] + value
    return sums


def _check(chain_of: Sequence[int], count: int) -> None:
    wrong = [chain for chain in chain_of if not 0 <= chain < count]
    if wrong or not chain_of:
        text = f"a class is of chain {wrong[0]}" if wrong else "there are no classes"
        raise InvalidInput(Problem("QN230", text, f"chains from 0 to {count - 1}"))


def _same(result: int, classes: int, name: str) -> None:
    if result != classes:
        raise InvalidInput(Problem("QN230", f"{result} {name} in a row", f"{classes}, one for each class"))
