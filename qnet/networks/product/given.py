"""What a caller gives to `qnet.Network`, read and checked: everything that is wrong is told at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import Any, cast

from qnet.errors import InvalidInput, Problem, suggest


class Given:
    """What the caller gave, with everything that is wrong with it."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.shape = (0, 0)
        self.size: int | None = None

    def fail(self, found: str, expected: str = "", help: str = "") -> None:
        """Note a problem."""
        self.problems.append(Problem("QN230", found, expected, help=help))

    def finish(self) -> None:
        """Raise `InvalidInput` where anything is wrong."""
        if self.problems:
            raise InvalidInput(*self.problems)

    def grow(self, name: str, size: int) -> None:
        """Note the length of a batch axis."""
        if self.size in (None, 1):
            self.size = size
        elif size not in (1, self.size):
            self.fail(f"{name} has {size} variants, others have {self.size}", "the same number of variants, or one")

    def matrix(self, name: str, value: Any) -> Any:
        """(K, R) tuples or an array (B, K, R) of numbers of 0 or more; stops at once where there is no such shape."""
        if _depth(value) >= 3:
            table = _array(value)
            if table is None or table.ndim != 3:
                self.fail(f"{name} is no array of the axes variant, station and class")
                raise InvalidInput(*self.problems)
            wrong = int((~((table >= 0) & (table < inf))).sum())
            if wrong:
                self.fail(f"{name}: {wrong} of its numbers are negative or not finite", "numbers of 0 or more")
            self.agree(name, table.shape[1:])
            self.grow(name, int(table.shape[0]))
            return table
        try:
            rows = tuple(tuple(float(cell) for cell in row) for row in value)
        except (TypeError, ValueError):
            self.fail(f"{name} is no table of numbers", "one row per station, one number per class")
            self.finish()
            raise
        if any(len(row) != len(rows[0]) for row in rows):
            self.fail(f"the rows of {name} have different lengths", "one number per class in every row")
            self.finish()
        for station, row in enumerate(rows):
            for kind, cell in enumerate(row):
                if not 0 <= cell < inf:
                    self.fail(f"{name}[{station}][{kind}] is {cell}", "a number of 0 or more")
        self.agree(name, (len(rows), len(rows[0]) if rows else 0))
        return rows

    def agree(self, name: str, shape: tuple[int, ...]) -> None:
        """Note the shape of the first matrix; later ones must have it."""
        if name == "demands":
            self.shape = (int(shape[0]), int(shape[1]))
            if not all(self.shape):
                self.fail("demands is empty", "at least one station and one class")
        elif tuple(shape) != self.shape:
            self.fail(f"{name} has the shape {tuple(shape)}, demands {self.shape}", "the same shape")

    def words(self, name: str, values: Sequence[str] | None, count: int, options: tuple[str, ...]) -> tuple[str, ...]:
        """One word per station, the first option where none is given."""
        if values is None:
            return (options[0],) * count
        found = tuple(values)
        self.count(name, len(found), count, "station")
        for place, word in enumerate(found):
            if word not in options:
                self.fail(f"{name}[{place}] is {word!r}", " or ".join(options), suggest(str(word), list(options)))
        return found

    def count(self, name: str, found: int, wanted: int, what: str) -> None:
        """Note a list of another length."""
        if found != wanted:
            self.fail(f"{name} has {found} entries", f"one per {what}: {wanted}")

    def servers(self, values: Sequence[int] | None, stations: int) -> tuple[int, ...]:
        """A whole number per station."""
        if values is None:
            return (1,) * stations
        self.count("servers", len(values), stations, "station")
        found: list[int] = []
        for place, value in enumerate(values):
            whole = _number(value)
            if whole is None or not 1 <= whole <= 1e9 or whole != int(whole):
                self.fail(f"servers[{place}] is {value!r}", "a whole number of 1 or more")
                whole = 1
            found.append(int(whole))
        return tuple(found)

    def capacities(
        self, values: Sequence[Sequence[float] | None] | None, stations: int
    ) -> tuple[tuple[float, ...] | None, ...]:
        """None or positive numbers per station."""
        if values is None:
            return (None,) * stations
        self.count("rates", len(values), stations, "station")
        found: list[tuple[float, ...] | None] = []
        for place, row in enumerate(values):
            if row is None:
                found.append(None)
                continue
            numbers = [_number(cell) for cell in row]
            if not numbers or any(cell is None or not 0 < cell < inf for cell in numbers):
                self.fail(f"rates[{place}] is {row!r}", "positive numbers, or None")
                numbers = [1.0]
            found.append(tuple(cast("list[float]", numbers)))
        return tuple(found)

    def column(self, name: str, values: Sequence[Any] | None, classes: int, default: Any = None) -> tuple[Any, ...]:
        """One entry per class: None, a number of 0 or more, or an array of them with one per variant."""
        if values is None:
            return (default,) * classes
        entries = list(values)
        self.count(name, len(entries), classes, "class")
        return tuple(self.entry(f"{name}[{place}]", value, default) for place, value in enumerate(entries))

    def entry(self, name: str, value: Any, default: Any) -> Any:
        """None, a float, or an array (B,)."""
        if value is None:
            return default
        if _depth(value) == 0:
            number = _number(value)
            if number is None or not 0 <= number < inf:
                self.fail(f"{name} is {value!r}", "a number of 0 or more, or None")
                return 0.0
            return number
        array = _array(value)
        if array is None or array.ndim != 1 or not array.size or not ((array >= 0) & (array < inf)).all():
            self.fail(f"{name} is no list of numbers of 0 or more, one per variant")
            return 0.0
        self.grow(name, array.size)
        return array

    def classes(self, population: tuple[Any, ...], arrival_rate: tuple[Any, ...], think_time: tuple[Any, ...]) -> None:
        """Every class is open or closed."""
        for place, (count, rate) in enumerate(zip(population, arrival_rate, strict=False)):
            if count is None and rate is None:
                self.fail(f"class {place} has neither a population nor an arrival rate", "one of the two")
            elif count is not None and rate is not None:
                self.fail(f"class {place} has a population and an arrival rate", "one of the two")
        for place, (count, time) in enumerate(zip(population, think_time, strict=False)):
            if count is None and (_depth(time) or time != 0.0):
                self.fail(f"think_time[{place}] is given for an open class", "a population, or no think time")

    def stations(
        self, delay: tuple[bool, ...], servers: tuple[int, ...], rates: tuple[tuple[float, ...] | None, ...]
    ) -> None:
        """Capacities that do not go together."""
        for place, (away, count, row) in enumerate(zip(delay, servers, rates, strict=False)):
            if row is not None and count > 1:
                self.fail(f"station {place} has {count} servers and rates", "one of the two")
            if away and (row is not None or count > 1):
                self.fail(f"station {place} is a delay and has servers or rates", "neither: nobody waits there")


def _number(value: Any) -> float | None:
    """A float, where the value is a number."""
    if isinstance(value, (str, bytes, bool)):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def _depth(value: Any) -> int:
    """How many axes a nested sequence or an array has."""
    if hasattr(value, "ndim"):
        return int(value.ndim)
    if isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, Iterator)):
        return 0
    first = next(iter(cast("Sequence[Any]", value)), None)
    return 1 + _depth(first)


def _array(value: Any) -> Any:
    """An array of floats, or None."""
    import numpy

    np: Any = numpy
    try:
        return np.array(value, float)
    except (TypeError, ValueError):
        return None
