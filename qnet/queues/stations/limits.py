"""The figures of a station by name: in limits such as `wait_p95 <= 1 s`, in assertions, and as metrics."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from qnet.errors import NotComputed, Problem, UsageError, suggest
from qnet.expression import Expression, ExpressionError, check, evaluate, parse
from qnet.expression.nodes import Comparison, Name, Node, Number
from qnet.queues.stations.answer import StationAnswer
from qnet.queues.stations.conversions import service_level
from qnet.record import Record
from qnet.units import NUMBER, TIME, Dimension, UnitError, base_unit, format_quantity, quantity

FIGURES = {
    "arrival_rate": "/s", "throughput": "/s", "offered": "", "busy_servers": "", "utilization": "", "queue_length": "",
    "number_waiting": "", "response": "s", "wait": "s", "probability_of_waiting": "", "blocking": "",
    "time_congestion": "", "standard_deviation_of_response": "s", "standard_deviation_of_wait": "s",
    "standard_deviation_of_queue_length": "",
}  # fmt: skip
"""Figures that a limit may name, with their units; also wait_p95, response_p99_9 (percentiles)."""

LEVEL = "service_level"

_PERCENTILE = re.compile(r"(wait|response)_p(\d{1,2})(?:_(\d+))?")
_PROBABILITY = re.compile(r"\bP\(\s*(wait|response)\s*<=?([^()<>=]+)\)")
_COLUMN = re.compile(r"\b((?:standard_deviation_of_)?(?:wait|response)(?:_p\d+(?:_\d+)?)?)_s\b|\b(\w+)_per_s\b")
_EARLIER = re.compile(r"\bdeviation_of_")
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)


class ServiceLevel(Record):
    """A service level: the probability that a time does not exceed a limit."""

    of: str
    """`wait` or `response`."""
    time: float

    @property
    def key(self) -> str:
        """Its name as a column."""
        return LEVEL if self.of == "wait" else "probability_of_response"

    def value(self, result: StationAnswer) -> float:
        """The probability; raises `NotComputed` where the station has no percentiles."""
        function = result.wait_percentile if self.of == "wait" else result.response_percentile
        if function is None:
            raise NotComputed(Problem("QN550", f"the {self.of} of {result.station} has no distribution in closed form"))
        return service_level(function, self.time)

    def __str__(self) -> str:
        return f"P({self.of} <= {format_quantity(self.time, 's', 12)})"


class FigureExpression(Record):
    """An expression over the figures of a station."""

    source: str
    names: tuple[str, ...]
    root: Node
    dimension: Dimension
    levels: Mapping[str, ServiceLevel]
    """The service levels among its names."""

    def value(self, result: StationAnswer, more: Mapping[str, float]) -> float:
        """Its value; raises `NotComputed` where the station does not have a figure.

        more   values of parameters, which an answer does not have.
        """
        return float(evaluate(self.root, named_values(self, result, more)))


class FigureLimit(Record):
    """`figure <= bound`, checked."""

    source: str
    names: tuple[str, ...]
    left: Node
    operator: str
    right: Node
    unit: str = ""
    """The base unit of both sides."""
    levels: Mapping[str, ServiceLevel] = {}
    """The service levels among its names."""

    def sides(self, result: StationAnswer) -> tuple[float, float]:
        """The values of both sides."""
        values = named_values(self, result)
        return float(evaluate(self.left, values)), float(evaluate(self.right, values))

    def slack(self, result: StationAnswer) -> float:
        """By how much the limit holds; negative where it does not."""
        left, right = self.sides(result)
        return right - left if self.upper else left - right

    def impossible(self) -> bool:
        """Whether it requires no waiting or no loss at all, which more servers approach but never reach."""
        positive = {"wait", "number_waiting", "probability_of_waiting", "blocking", "time_congestion"}
        if len(self.names) != 1 or isinstance(self.right, Name):
            return False
        if self.names[0] in self.levels:
            return not self.upper and float(evaluate(self.right, {})) >= 1
        return self.names[0] in positive and self.upper and float(evaluate(self.right, {})) <= 0

    def holds(self, slack: float) -> bool:
        """Whether the limit holds."""
        return slack > 0 or (slack == 0 and self.operator in ("<=", ">="))

    def shown(self, result: StationAnswer) -> str:
        """The figures that it names, with their values."""
        values = named_values(self, result)
        return ", ".join(f"{self._called(name)} {format_quantity(values[name], unit_of(name), 6)}" for name in values)

    def _called(self, name: str) -> str:
        return str(self.levels[name]) if name in self.levels else name

    @property
    def upper(self) -> bool:
        """Whether it bounds from above."""
        return self.operator in ("<", "<=")

    @property
    def load(self) -> bool:
        """Whether more load violates it: an upper bound of a figure, a lower bound of a service level."""
        return self.upper != any(name in self.levels for name in self.names)


def named_values(
    named: FigureExpression | FigureLimit, result: StationAnswer, more: Mapping[str, float] | None = None
) -> dict[str, float]:
    """The figures named in an expression or a limit, with their values.

    named   an expression or a limit.
    result  the answer of a station.
    more    values of parameters, which an answer does not have.
    Raises  `NotComputed` where the station does not have a figure.
    """
    values: dict[str, float] = {}
    for name in named.names:
        if name in named.levels:
            values[name] = named.levels[name].value(result)
        elif more and name in more and name not in FIGURES:
            values[name] = float(more[name])
        elif more is not None and name not in FIGURES and not _PERCENTILE.fullmatch(name):
            raise NotComputed(Problem("QN550", f"{result.station} has no {name}"))
        else:
            values[name] = figure(result, name)
    return values


def figure(result: StationAnswer, name: str) -> float:
    """A figure by its name in limits.

    result  the answer of a station.
    name    a key of `FIGURES`, or a percentile such as wait_p95.
    Raises  `NotComputed` where the station does not have it.
    """
    match = _PERCENTILE.fullmatch(name)
    if match:
        function = result.wait_percentile if match[1] == "wait" else result.response_percentile
        value = None if function is None else function(float(f"{match[2]}.{match[3] or 0}") / 100)
    elif name.startswith("standard_deviation"):
        square = getattr(result, name.replace("standard_deviation", "variance"))
        value = None if square is None else float(square) ** 0.5
    else:
        value = getattr(result, name)
    if value is None:
        raise NotComputed(Problem("QN550", f"{name} of {result.station} does not exist or is not known in closed form"))
    return float(value)


def figure_or_none(result: StationAnswer, name: str) -> float | None:
    """A figure by its name in limits; None where the station has none.

    result  the answer of a station.
    """
    try:
        return figure(result, name)
    except NotComputed:
        return None


def percentile_names(limits: Sequence[FigureLimit]) -> list[str]:
    """The percentiles named in limits, such as wait_p80, each once."""
    return list(dict.fromkeys(name for item in limits for name in item.names if _PERCENTILE.fullmatch(name)))


def unit_of(name: str) -> str:
    """The base unit of a figure that limits may name.

    >>> unit_of("wait")
    's'
    """
    return "s" if _PERCENTILE.fullmatch(name) else FIGURES.get(name, "")


def separate(texts: Sequence[str]) -> list[str]:
    """Single conditions, each once, split at `and`.

    texts  conditions, as they were given.

    >>> separate(["wait <= 1 s and blocking <= 1 %"])
    ['wait <= 1 s', 'blocking <= 1 %']
    """
    return list(dict.fromkeys(part.strip() for text in texts for part in _AND.split(text)))


def read_limit(text: str, within: float | None = None) -> FigureLimit:
    """A limit such as `wait <= 200 ms`, `response_p95 <= 1 s` or `P(wait <= 20 s) >= 80 %`.

    text     a figure, a relation and a quantity with its unit.
    within   the time t of `service_level`, which is P(wait <= t).
    Raises   `UsageError` for anything else.
    """
    try:
        parsed, levels = _parsed(text, within)
        root = parsed.root
        if not isinstance(root, Comparison) or root.operator in ("==", "!="):
            raise ExpressionError("this is not a limit", 0, "write a metric, <= or >=, and a bound: wait <= 200 ms")
        dimensions = _dimensions(parsed, levels)
        left, right = check(root.left, dimensions, {}), check(root.right, dimensions, {})
        if left is not None and right is not None and left != right:
            words = f"{left.describe()} is compared with {right.describe()}"
            raise ExpressionError(words, 0, "both sides need the same unit")
    except ExpressionError as error:
        raise UsageError(Problem(error.code, f'in the limit "{text}": {error}', help=error.help)) from None
    dimension = left or right
    unit = base_unit(dimension) if dimension is not None else ""
    return FigureLimit(
        source=text, names=tuple(parsed.names), left=root.left, operator=root.operator, right=root.right, unit=unit,
        levels=levels,
    )  # fmt: skip


def read_metric(text: str, within: float | None = None, more: Mapping[str, str] | None = None) -> FigureExpression:
    """A metric such as `wait_p95`, `1 - utilization` or `P(wait <= 20 s)`, also by the name of its column in CSV.

    text     a figure, or an expression over figures.
    within   the time t of `service_level` in seconds; None: none is given.
    more     other names, with their units.
    Raises   `UsageError` for anything else.
    """
    try:
        parsed, levels = _parsed(text, within)
        dimension = check(parsed.root, _dimensions(parsed, levels, more or {}), {})
    except ExpressionError as error:
        raise UsageError(Problem(error.code, f'in the metric "{text}": {error}', help=error.help)) from None
    return FigureExpression(text.strip(), tuple(parsed.names), parsed.root, dimension or NUMBER, levels)


def _parsed(text: str, within: float | None) -> tuple[Expression, dict[str, ServiceLevel]]:
    """An expression with names instead of its service levels, and these levels by name."""
    levels: dict[str, ServiceLevel] = {}

    def name(match: re.Match[str]) -> str:
        try:
            time, dimension = quantity(match[2])
        except UnitError as error:
            raise ExpressionError(str(error), match.start(2), error.help, "QN102") from None
        if dimension != TIME:
            raise ExpressionError(f'"{match[2].strip()}" is {dimension.describe()}', match.start(2), "a time, as 20 s")
        levels[f"level_{len(levels)}"] = ServiceLevel(match[1], time)
        return f"level_{len(levels) - 1}"

    plain = _PROBABILITY.sub(name, _EARLIER.sub("standard_deviation_of_", text))
    parsed = parse(_COLUMN.sub(lambda match: match[1] or match[2], plain))
    if LEVEL in parsed.names:
        if within is None:
            raise ExpressionError(f"{LEVEL} without a time", 0, "add --within TIME, or write P(wait <= 20 s)")
        levels[LEVEL] = ServiceLevel("wait", within)
    return parsed, levels


def _dimensions(
    parsed: Expression, levels: Mapping[str, ServiceLevel], more: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The dimensions of figures by name; raises `ExpressionError` for a name that is none."""
    units = {**FIGURES, **dict.fromkeys(levels, ""), **(more or {})}
    units |= {name: "s" for name in parsed.names if _PERCENTILE.fullmatch(name)}
    for name in parsed.names:
        if name not in units:
            near = suggest(name, [*FIGURES, *(more or {}), LEVEL, "wait_p95", "response_p95"])
            if _PERCENTILE.fullmatch(f"wait_{name}"):
                near = f'did you mean "response_{name}" or "wait_{name}"?'
            raise ExpressionError(f'a station has no figure "{name}"', 0, near)
    return {name: _dimension(unit) for name, unit in units.items()}


def _dimension(unit: str) -> Any:
    parsed: Expression = parse(f"1 {unit}")
    root = parsed.root
    return root.dimension if isinstance(root, Number) else None
