"""The input and output of every method for closed networks: `ClosedNetwork` and `ClosedFigures`.

A point holds nested tuples of floats, so that small networks need no numpy. A batch holds arrays with one leading axis,
one element per variant; delays and rates are common to the variants.
"""

from __future__ import annotations

from math import inf
from typing import Any, cast

from qnet.errors import InvalidInput, Problem
from qnet.lazy import np
from qnet.record import Record

Matrix = tuple[tuple[float, ...], ...]
Rates = tuple[float, ...] | None


class ClosedNetwork(Record):
    """A closed network of K stations and R classes, or a batch of B variants of one. Made by `closed_network`."""

    demands: Any
    """K rows of R seconds per passage, at rate 1; an array (B, K, R) in a batch."""
    delay: tuple[bool, ...]
    """K entries: whether no customer ever waits there."""
    rates: tuple[Any, ...]
    """K entries: None for one server of fixed rate, or relative capacities with 1, 2, ... present; the last repeats.
    In a batch also arrays (B, m), for rates that differ between the variants."""
    population: Any
    """R integers; an array (B, R) in a batch."""
    think_time: Any
    """R times in seconds; an array (B, R) in a batch."""
    size: int | None = None
    """B, or None for a point held in tuples."""

    @property
    def reductions(self) -> dict[bool, Any]:
        """A cache of the results of `reduction.reduced`, by its argument `apart`."""
        return self.__dict__.setdefault("_reductions", {})

    @property
    def stations(self) -> int:
        """The number of stations."""
        return len(self.delay)

    @property
    def classes(self) -> int:
        """The number of classes."""
        return len(self.population) if self.size is None else int(self.population.shape[1])

    def point(self, index: int) -> ClosedNetwork:
        """One variant of a batch, in tuples."""
        if self.size is None:
            return self
        demands = tuple(tuple(row) for row in self.demands[index].tolist())
        population, think_time = tuple(self.population[index].tolist()), tuple(self.think_time[index].tolist())
        rates = tuple(tuple(row[index].tolist()) if varying(row) else row for row in self.rates)
        return ClosedNetwork(demands, self.delay, rates, population, think_time)

    def peak(self, station: int) -> Any:
        """The largest relative capacity of a queueing station; an array (B,) where it differs between variants."""
        rates = self.rates[station]
        if varying(rates):
            return rates.max(axis=1)
        return 1.0 if rates is None else max(rates)


class ClosedFigures(Record):
    """What a method computes; nested tuples for a point, arrays with the batch axis first for a batch.

    All other figures follow by the operational laws, as `product.figures.figures`.
    """

    throughput: Any
    """(R,): passages per second."""
    residence: Any
    """(K, R): seconds spent at the station per passage, all visits; 0 for a class without customers."""
    log_constant: Any = None
    """Logarithm of the normalising constant G(N), of the products of D^n (n! over the capacities) and Z^n / n!."""
    marginals: Any = None
    """For each station the probabilities of 0, 1, ... customers of all classes together, where wanted."""
    method: str = ""
    """The method that gave the figures."""
    reasons: tuple[str, ...] = ()
    """Why the method is not exact; empty where it is."""
    why: str = ""
    """Why this method was taken."""


def varying(rates: Any) -> bool:
    """Whether the rates of a station differ between the variants of a batch.

    rates  an entry of `ClosedNetwork.rates`.
    """
    return hasattr(rates, "ndim")


def closed_network(
    demands: Any,
    population: Any,
    think_time: Any = None,
    delay: Any = None,
    rates: Any = None,
    fractional: bool = False,
) -> ClosedNetwork:
    """A checked `ClosedNetwork` from sequences or arrays.

    demands     (K, R) or (B, K, R) seconds per passage, >= 0
    population  (R,) or (B, R) integers >= 0
    think_time  (R,) or (B, R) seconds, >= 0; None: 0
    delay       K bools; None: no delays
    rates       K entries, each None or positive relative capacities, in a batch also arrays (B, m); None: single
                servers
    fractional  whether populations may have fractions, which only approximations accept
    Returns     tuples, or arrays where any of the inputs has a batch axis; a batch of 1 is repeated
    Raises      `InvalidInput` for numbers that are negative, not finite or not integers, and for shapes that differ
    """
    batched = _depth(demands) > 2 or _depth(population) > 1 or _depth(think_time) > 1
    return (_batch if batched else _point)(demands, population, think_time, delay, rates, fractional)


def _point(demands: Any, population: Any, think_time: Any, delay: Any, rates: Any, fractional: bool) -> ClosedNetwork:
    rows: Matrix = tuple(tuple(float(value) for value in row) for row in demands)
    counts = tuple(_count(value, fractional) for value in population)
    think = tuple(0.0 for _ in counts) if think_time is None else tuple(float(value) for value in think_time)
    if any(len(row) != len(counts) for row in rows) or len(think) != len(counts):
        raise _invalid("the demands, populations and think times have different numbers of classes")
    if not all(0 <= value < inf for row in (*rows, think) for value in row):
        raise _invalid("a demand or think time is negative or not finite")
    kinds, capacities = _structure(len(rows), delay, rates)
    return ClosedNetwork(rows, kinds, capacities, counts, think)


def _batch(demands: Any, population: Any, think_time: Any, delay: Any, rates: Any, fractional: bool) -> ClosedNetwork:
    table, counts = np.asarray(demands, float), np.asarray(population, float)
    counts = counts[None] if counts.ndim == 1 else counts
    table = table.reshape(1, 0, counts.shape[-1]) if table.ndim == 1 and not table.size else table
    table = table[None] if table.ndim == 2 else table
    think = np.zeros((1, counts.shape[1])) if think_time is None else np.asarray(think_time, float)
    think = think[None] if think.ndim == 1 else think
    if (table.ndim, counts.ndim, think.ndim) != (3, 2, 2):
        raise _invalid("the demands, populations and think times do not have the axes variant, station, class")
    size = max(len(table), len(counts), len(think))
    if {len(table), len(counts), len(think)} - {1, size} or len({table.shape[2], counts.shape[1], think.shape[1]}) > 1:
        raise _invalid("the demands, populations and think times have different numbers of classes or variants")
    if not (np.isfinite(table).all() and np.isfinite(think).all() and (table >= 0).all() and (think >= 0).all()):
        raise _invalid("a demand or think time is negative or not finite")
    integers = bool((counts == np.floor(counts)).all())
    if not ((counts >= 0) & (counts < 2**53)).all() or not (integers or fractional):
        raise _invalid("a population is not an integer of 0 or more")
    kinds, capacities = _structure(table.shape[1], delay, rates)
    return ClosedNetwork(
        np.broadcast_to(table, (size, *table.shape[1:])),
        kinds,
        capacities,
        np.broadcast_to(counts.astype(np.int64) if integers else counts, (size, counts.shape[1])),
        np.broadcast_to(think, (size, think.shape[1])),
        size,
    )


def _structure(stations: int, delay: Any, rates: Any) -> tuple[tuple[bool, ...], tuple[Any, ...]]:
    kinds = (False,) * stations if delay is None else tuple(bool(value) for value in delay)
    given: list[Any] = [None] * stations if rates is None else list(rates)
    if len(kinds) != stations or len(given) != stations:
        raise _invalid("the delays or rates have another number of stations than the demands")
    capacities: list[Any] = [
        row if row is None or varying(row) else tuple(float(value) for value in row) for row in given
    ]
    for kind, row in zip(kinds, capacities, strict=True):
        if row is not None and not _positive(row):
            raise _invalid("the rates of a station are not positive numbers")
        if row is not None and kind:
            raise _invalid("a delay has rates")
    return kinds, tuple(capacities)


def _positive(rates: Any) -> bool:
    if varying(rates):
        return bool(rates.size and ((rates > 0) & (rates < inf)).all())
    return bool(rates) and all(0 < value < inf for value in rates)


def _count(value: Any, fractional: bool) -> int | float:
    if not 0 <= value < inf or not (fractional or int(value) == value):
        raise _invalid(f"a population is {value!r}", "an integer of 0 or more")
    return int(value) if int(value) == value else float(value)


def _depth(value: Any) -> int:
    if hasattr(value, "ndim"):
        return int(value.ndim)
    depth = 0
    item: Any = value
    while isinstance(item, (list, tuple)):
        item = next(iter(cast("tuple[Any, ...]", item)), 0)
        depth += 1 + int(getattr(item, "ndim", 0))
    return depth


def _invalid(result: str, expected: str = "") -> InvalidInput:
    return InvalidInput(Problem("QN230", result, expected))
