"""The parameters of a single station as the command line states them: values with units, and grids of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from qnet.errors import Problem, UsageError, suggest
from qnet.lazy import lazy
from qnet.queues.stations.table import BY_CLASS, CONVERTED, PARAMETERS
from qnet.units import NUMBER, UnitError, quantity, unit

if TYPE_CHECKING:
    from qnet.model import grids
else:
    grids = lazy("qnet.model.grids")

_MOST_POINTS = 10_000
"""Of a grid; a choice that bounds time, as each is solved on its turn."""
_WRITTEN = {
    "": "a plain number, such as 0.5 or 2",
    "s": 'a number and a unit, such as "8.5 ms"',
    "/s": 'a number and a unit, such as "80/s"',
}
"""How values are written, by their base unit."""

Axis = Mapping[str, Sequence[float]]
"""The values of one parameter, or of several that vary together."""


def axes_of(station: str, texts: Mapping[str, str], over: Sequence[str]) -> list[Axis]:
    """The grids: parameters whose text is one, then those of `over`, such as `servers = 1:4 & arrival_rate = ...`.

    Raises `UsageError` for a grid that cannot be read, and a parameter that has its values from two places.
    """
    result: list[Axis] = []
    for key, text in texts.items():
        if (values := grid_values(station, key, text)) is not None:
            result.append({key: values})
    for text in over:
        result.append(_paired(text))
    given = [*(key for key in texts if not any(key in axis for axis in result[: len(result) - len(over)])),
             *(key for axis in result for key in axis)]  # fmt: skip
    for key in given:
        if given.count(key) > 1:
            raise UsageError(Problem("QN010", f"{key} is given twice", "one option with all its values"))
    return result


def _paired(text: str) -> Axis:
    """Grids that vary together, joined by `&`."""
    axis: dict[str, Sequence[float]] = {}
    for part in text.split("&"):
        name, separator, values = part.partition("=")
        key = name.strip().replace("-", "_")
        if not separator:
            raise UsageError(Problem("QN010", f'"{part.strip()}" is not a grid', "name=values, such as servers=1:20"))
        if key not in PARAMETERS | CONVERTED or key in ("approximation", "service"):
            near = suggest(key, [*PARAMETERS, *CONVERTED])
            raise UsageError(Problem("QN004", f'unknown parameter "{key}"', help=near))
        axis[key] = _grid(key, values)
    counts = {key: len(values) for key, values in axis.items()}
    if len(set(counts.values())) > 1:
        sentence = " and ".join(f"{key} has {count}" for key, count in counts.items())
        raise UsageError(Problem("QN014", f"the grids are paired: {sentence} values", "as many values each"))
    return axis


def grid_values(station: str, key: str, text: str) -> tuple[float, ...] | None:
    """The values of a grid such as `1:20` or `log(1, 100, 5)`; None for a single value, or one per class."""
    if key in ("approximation", "service") or not (":" in text or "," in text or text.strip().startswith("log")):
        return None
    if station in BY_CLASS and ":" not in text:
        return None
    return _grid(key, text)


def _grid(key: str, text: str) -> tuple[float, ...]:
    wanted = (PARAMETERS | CONVERTED)[key][0]
    dimension = unit(wanted).dimension if wanted else NUMBER
    result = grids.values(key, dimension, text)
    counted = not wanted and all(value == int(value) for value in result)
    return tuple(int(value) for value in result) if counted else result


def points(axes: Sequence[Axis]) -> Iterator[dict[str, float]]:
    """Every combination of the values of grids, the first slowest; one without values where there are none."""
    steps = [[dict(zip(axis, values, strict=True)) for values in zip(*axis.values(), strict=True)] for axis in axes]
    count = prod(len(values) for values in steps)
    if count > _MOST_POINTS:
        raise UsageError(Problem("QN010", f"the grid has {count} points", f"at most {_MOST_POINTS}"))
    return ({key: value for values in point for key, value in values.items()} for point in product(*steps))


def stated_value(station: str, key: str, text: str) -> Any:
    """A parameter from its text; several, separated by commas, where the station has classes."""
    if key in ("approximation", "service"):
        return text.strip()
    if station in BY_CLASS and "," in text:
        return [stated_quantity(key, part) for part in text.split(",")]
    return stated_quantity(key, text)


def stated_quantity(key: str, text: str, wanted: str | None = None) -> float | int:
    """A parameter from its text, an integer where it is one; raises `UsageError` for another unit than it has.

    wanted   the base unit of what is no parameter of a station.
    """
    wanted = (PARAMETERS | CONVERTED)[key][0] if wanted is None else wanted
    option = f"--{key.replace('_', '-')}"
    try:
        value, dimension = quantity(text, _WRITTEN[wanted])
    except UnitError as error:
        raise UsageError(Problem("QN102", f'{option} "{text}": {error}', help=error.help)) from None
    expected = unit(wanted).dimension if wanted else quantity("1")[1]
    if dimension != expected:
        sentence = f'{option} "{text}" is {dimension.describe()}'
        raise UsageError(Problem("QN120", sentence, expected.describe()))
    return int(value) if not wanted and value == int(value) and abs(value) < 2**53 else value
