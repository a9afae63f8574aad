"""The arguments of `qnet.Network`, read and checked: all errors are reported at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from qnet.errors import InvalidInput, Problem, printable, short, suggest
from qnet.lazy import np
from qnet.real import is_masked, real

LEAST, MOST = 1e-100, 1e100
"""The range of times and rates: others are a mistake of units, and would overflow."""
_MOST_CUSTOMERS = 1e15
"""A round number below the largest integer to which floats are exact."""
MOST_PRIORITY = 99
"""The largest absolute priority; a choice: two digits are enough for any order."""
_MOST_LETTERS = 80
"""The longest name."""
_NUMBER = f"a number of 0, or from {LEAST:g} to {MOST:g}"


class Arguments:
    """A reader of arguments, which collects everything that is wrong with them."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.shape = (0, 0)
        self.size: int | None = None

    def fail(self, result: str, expected: str = "", help: str = "") -> None:
        """Note a problem."""
        self.problems.append(Problem("QN230", result, expected, help=help))

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
        """(K, R) tuples or an array (B, K, R) of numbers of 0 or more; raises at once for another number of axes."""
        if _depth(value) >= 3:
            table = _array(value)
            if table is None or table.ndim != 3:
                self.fail(f"{name} is no array of the axes variant, station and class")
                raise InvalidInput(*self.problems)
            if not len(table):
                self.fail(f"{name} has no variants", "one or more")
            wrong = int((~_sound(table)).sum())
            if wrong:
                self.fail(f"{name}: {wrong} of its numbers are negative, not finite or too extreme", _NUMBER)
            self.agree(name, table.shape[1:])
            self.grow(name, int(table.shape[0]))
            return table
        rows = _table(value)
        if rows is None:
            self.fail(f"{name} is no table of numbers", "one row per station, one number per class")
            raise InvalidInput(*self.problems)
        if any(len(row) != len(rows[0]) for row in rows):
            self.fail(f"the rows of {name} have different lengths", "one number per class in every row")
            self.finish()
        for station, row in enumerate(rows):
            for class_index, cell in enumerate(row):
                if not _sound(cell):
                    self.fail(f"{name}[{station}][{class_index}] is {cell}", _NUMBER)
        self.agree(name, (len(rows), len(rows[0]) if rows else 0))
        return rows

    def agree(self, name: str, shape: tuple[int, ...]) -> None:
        """Note the shape of the first matrix; later ones must have it."""
        if name == "demands":
            self.shape = (int(shape[0]), int(shape[1]))
            if not all(self.shape):
                self.fail("demands is empty", "at least one station and one class")
                self.finish()
        elif tuple(shape) != self.shape:
            self.fail(f"{name} has the shape {tuple(shape)}, demands {self.shape}", "the same shape")

    def visits(self, demands: Any, visits: Any) -> None:
        """Note a demand without visits."""
        if self.problems:
            return
        if self.size is None:
            missing = [
                (station, class_index)
                for station, (row, counts) in enumerate(zip(demands, visits, strict=True))
                for class_index, (demand, count) in enumerate(zip(row, counts, strict=True))
                if demand and not count
            ]
        else:
            wrong = (_array(demands) > 0) & (_array(visits) == 0)
            missing = [index[-2:] for index in zip(*wrong.nonzero(), strict=True)]
        for station, class_index in missing[:1]:
            self.fail(f"visits[{station}][{class_index}] is 0, and there is a demand", "visits above 0, or no demand")

    def words(
        self, name: str, values: Sequence[str] | str | None, count: int, options: tuple[str, ...]
    ) -> tuple[str, ...]:
        """One word per station, or one for all of them; the first option where none is given."""
        single = isinstance(values, str)
        if values is None or single:
            values = (options[0] if values is None else str(values),) * count
        result = tuple(self.entries(name, values, count, "station"))
        for index, word in enumerate(result[:1] if single else result):
            if not isinstance(word, str) or word not in options:
                named = name if single else f"{name}[{index}]"
                self.fail(f"{named} is {word!r}", " or ".join(options), suggest(str(word), list(options)))
        # Invalid entries are replaced, so that all problems are listed.
        return tuple(word if isinstance(word, str) else options[0] for word in result)

    def priorities(self, values: Any, disciplines: tuple[str, ...]) -> tuple[tuple[int, ...], ...] | None:
        """Integers by station and class; None where no station uses them."""
        stations, classes = self.shape
        if values is None:
            return None
        rows = _table(values if _depth(values) > 1 else [values])
        if rows is None or len(rows) not in (1, stations) or (len(rows) == 1 and _depth(values) > 1 and stations > 1):
            self.fail(f"priority is {values!r}", f"one integer per class: {classes}, or a row of them per station")
            return None
        if any(len(row) != classes for row in rows):
            self.fail(f"priority has {len(rows[0])} entries", f"one entry per class: {classes}")
            return None
        if any(not abs(cell) <= MOST_PRIORITY or cell != int(cell) for row in rows for cell in row):
            self.fail(f"priority is {values!r}", f"integers from {-MOST_PRIORITY} to {MOST_PRIORITY}")
            return None
        result = tuple(tuple(int(cell) for cell in row) for row in rows)
        if not any(word in ("priority", "preemptive") for word in disciplines):
            self.fail("priority is given, and no station has priorities", 'a discipline "priority" or "preemptive"')
        return result if len(result) == stations else result * stations

    def entries(self, name: str, values: Any, wanted: int, what: str) -> list[Any]:
        """The entries of a list; a problem where it has another length, or is no list."""
        expected = f"one entry per {what}: {wanted}"
        try:
            result = None if isinstance(values, (str, bytes)) else list(values)
        except TypeError:
            result = None
        if result is None:
            self.fail(f"{name} is {values!r}", expected)
            return []
        if len(result) != wanted:
            self.fail(f"{name} has {len(result)} entries", expected)
        return result

    def names(self, name: str, values: Sequence[str] | None, count: int, what: str) -> tuple[str, ...]:
        """Distinct texts of one line, one per station or class; none where none are given."""
        if values is None:
            return ()
        result = self.entries(name, values, count, what)
        for index, text in enumerate(result):
            if not isinstance(text, str) or not text.strip() or printable(text, _MOST_LETTERS) != text:
                shown = short(repr(text))
                self.fail(f"{name}[{index}] is {shown}", f"a text of one line, at most {_MOST_LETTERS} characters")
            elif text in result[:index]:
                self.fail(f'{name}[{index}] is "{text}", as is an entry before it', "distinct names")
        # Invalid entries are replaced, so that all problems are listed.
        return tuple(map(str, result)) if not self.problems else ()

    def servers(self, values: Sequence[int] | None, stations: int) -> tuple[int, ...]:
        """An integer per station."""
        if values is None:
            return (1,) * stations
        result: list[int] = []
        for index, value in enumerate(self.entries("servers", values, stations, "station")):
            integer = real(value)
            if integer is None or not 1 <= integer <= 1e9 or integer != int(integer):
                self.fail(f"servers[{index}] is {value!r}", "an integer of 1 or more")
                integer = 1
            result.append(int(integer))
        return tuple(result)

    def capacities(
        self, values: Sequence[Sequence[float] | None] | None, stations: int
    ) -> tuple[tuple[float, ...] | None, ...]:
        """None or positive numbers per station."""
        if values is None:
            return (None,) * stations
        result: list[tuple[float, ...] | None] = []
        for index, row in enumerate(self.entries("rates", values, stations, "station")):
            numbers = None if row is None else _table([row])
            if row is not None and (
                not numbers or not numbers[0] or not all(cell and _sound(cell) for cell in numbers[0])
            ):
                self.fail(f"rates[{index}] is {row!r}", "positive numbers, or None")
                numbers = ((1.0,),)
            result.append(numbers[0] if numbers else None)
        return tuple(result)

    def column(self, name: str, values: Sequence[Any] | None, classes: int, default: Any = None) -> tuple[Any, ...]:
        """One entry per class: None, a number of 0 or more, or an array of them with one per variant."""
        if values is None:
            return (default,) * classes
        entries = self.entries(name, values, classes, "class")
        return tuple(self.entry(f"{name}[{index}]", value, default) for index, value in enumerate(entries))

    def entry(self, name: str, value: Any, default: Any) -> Any:
        """None, a float, or an array (B,)."""
        if value is None:
            return default
        people = name.startswith("population")
        sound, expected = (_countable, f"a number from 0 to {_MOST_CUSTOMERS:g}") if people else (_sound, _NUMBER)
        if _depth(value) == 0:
            number = real(value)
            if number is None or not sound(number):
                self.fail(f"{name} is {value!r}", f"{expected}, or None")
                return 0.0
            return number
        array = _array(value)
        if array is None or array.ndim != 1 or not array.size or not sound(array).all():
            self.fail(f"{name} is no list of numbers, one per variant", expected)
            return 0.0
        self.grow(name, array.size)
        return array

    def classes(self, population: tuple[Any, ...], arrival_rate: tuple[Any, ...], think_time: tuple[Any, ...]) -> None:
        """Note classes that are neither open nor closed, or both."""
        for index, (count, rate) in enumerate(zip(population, arrival_rate, strict=False)):
            if count is None and rate is None:
                self.fail(f"class {index} has neither a population nor an arrival rate", "one of the two")
            elif count is not None and rate is not None:
                self.fail(f"class {index} has a population and an arrival rate", "one of the two")
        for index, (count, time) in enumerate(zip(population, think_time, strict=False)):
            if count is None and (_depth(time) or time != 0.0):
                self.fail(f"think_time[{index}] is given for an open class", "a population, or no think time")

    def stations(
        self, delay: tuple[bool, ...], servers: tuple[int, ...], rates: tuple[tuple[float, ...] | None, ...]
    ) -> None:
        """Note capacities that exclude each other."""
        for index, (elsewhere, count, row) in enumerate(zip(delay, servers, rates, strict=False)):
            if row is not None and count > 1:
                self.fail(f"station {index} has {count} servers and rates", "one of the two")
            if elsewhere and (row is not None or count > 1):
                self.fail(f"station {index} is a delay and has servers or rates", "neither: a delay has no queue")


def _sound(value: Any) -> Any:
    """Whether a number, or each of an array, is 0 or in the range of times and rates."""
    return (value == 0) | ((value >= LEAST) & (value <= MOST))


def _countable(value: Any) -> Any:
    """Whether a number, or each of an array, is a possible population."""
    return (value >= 0) & (value <= _MOST_CUSTOMERS)


def _table(value: Any) -> tuple[tuple[float, ...], ...] | None:
    """Rows of numbers; None where the value is something else."""
    try:
        rows = [[real(cell) for cell in row] for row in value]
    except TypeError:
        return None
    if any(cell is None for row in rows for cell in row):
        return None
    return tuple(tuple(cast("list[float]", row)) for row in rows)


def _depth(value: Any) -> int:
    """The number of axes of a nested sequence or an array."""
    if hasattr(value, "ndim"):
        return int(value.ndim)
    if isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, Iterator)):
        return 0
    first = next(iter(cast("Sequence[Any]", value)), None)
    return 1 + _depth(first)


def _array(value: Any) -> Any:
    """An array of floats; None where the value is something else."""
    try:
        return None if is_masked(value) or np.asarray(value).dtype.kind in "bSUcMm" else np.array(value, float)
    except (TypeError, ValueError, OverflowError):
        return None
