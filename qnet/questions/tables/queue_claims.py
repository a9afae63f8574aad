"""The figures of a single station that metrics, limits and assertions name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from qnet.errors import NotComputed, Problem, UsageError
from qnet.queues.stations.answer import StationAnswer
from qnet.queues.stations.limits import (
    FigureExpression,
    ServiceLevel,
    figure_or_none,
    percentile_names,
    read_limit,
    read_metric,
    unit_of,
)
from qnet.queues.stations.table import PARAMETERS
from qnet.reports.content import Cell, Column, percent_of
from qnet.units import UnitError, base_unit, format_number, in_unit
from qnet.units import unit as unit_called

_MARGIN = (
    Column("bound", "limit", unit_in="unit"),
    Column("margin", "margin", unit_in="unit"),
    Column("margin_percent", "margin percent"),
    Column("holds", "holds"),
)


class QueueRequest:
    """The metrics, limits and assertions of a question about a station."""

    def __init__(
        self,
        limits: Sequence[str],
        claims: Sequence[str],
        metrics: Sequence[str],
        percentiles: Sequence[float],
        within: float | None,
        unit: str,
        only: bool,
    ) -> None:
        self.claims = [read_limit(text, within) for text in claims]
        named = [*(read_limit(text, within) for text in limits), *self.claims]
        self.percentiles = percentile_names(named)
        levels = [ServiceLevel("wait", within)] if within is not None else []
        levels += [level for item in named for level in item.levels.values()]
        self.levels = {level.key: level for level in reversed(levels)}
        self.unit = unit
        units = {key: row[0] for key, row in PARAMETERS.items() if key != "approximation"}
        texts = [*metrics, *(_response(item) for item in (percentiles if only else ()))]
        self.metrics = [read_metric(text, within, units) for text in (texts[:1] if only else texts)]
        if unit:
            for item in self.metrics:
                _check_unit(item, unit)

    def columns(self) -> Iterator[Column]:
        """The columns of the figures that limits name, and of margins."""
        for name in self.percentiles:
            yield Column(name, name.replace("_", " "), unit_of(name))
        for key in self.levels:
            yield Column(key, key.replace("_", " "))
        yield from _MARGIN if self.claims else ()

    def figures(self, result: StationAnswer) -> dict[str, Cell]:
        """The cells of the figures that limits name; None for one without a closed form."""
        cells: dict[str, Cell] = {name: figure_or_none(result, name) for name in self.percentiles}
        for key, level in self.levels.items():
            try:
                cells[key] = level.value(result)
            except NotComputed:
                cells[key] = None
        return cells

    def metric_rows(self, result: StationAnswer, known: Mapping[str, Any], lenient: bool) -> Iterator[dict[str, Cell]]:
        """A row for each metric, in the unit asked for; without a value, an empty cell if `lenient`."""
        numbers = {key: value for key, value in known.items() if isinstance(value, (int, float))}
        if result.utilization is not None:
            numbers.setdefault("servers", 1)
        for item in self.metrics:
            shown = self.unit or base_unit(item.dimension)
            value: float | None = None
            try:
                value = item.value(result, numbers)
            except NotComputed:
                if not lenient:
                    raise
            number = None if value is None else in_unit(value, shown)
            if isinstance(count := known.get(item.source), int) and not self.unit:
                number = count
            yield {"scope": "metric", "name": item.source, "value": number, "unit": shown or None}

    def margin_rows(self, result: StationAnswer) -> Iterator[dict[str, Cell]]:
        """A row for each assertion: its figure, its limit, and the distance, positive where it holds."""
        for item in self.claims:
            value, bound = item.sides(result)
            slack = item.slack(result)
            yield {
                "scope": "assertion", "name": item.source, "value": value, "unit": item.unit or None, "bound": bound,
                "margin": slack, "margin_percent": percent_of(slack, bound),
                "holds": item.holds(slack),
            }  # fmt: skip

    def broken(self, result: StationAnswer) -> Iterator[Problem]:
        """The assertions that are false, with the figures they name."""
        for item in self.claims:
            if not item.holds(item.slack(result)):
                yield Problem("QN608", f"asserted {item.source}, found {item.shown(result)}")


def _response(percentile: float) -> str:
    return f"response_p{format_number(percentile, 12).replace('.', '_')}"


def _check_unit(asked: FigureExpression, wanted: str) -> None:
    """Refuse a unit that is unknown or has another dimension than the metric."""
    try:
        given = unit_called(wanted).dimension
    except UnitError as error:
        raise UsageError(Problem("QN102", f'--unit "{wanted}": {error}', help=error.help)) from None
    if given != asked.dimension:
        text = f'the unit "{wanted}" is {given.describe()}, "{asked.source}" is {asked.dimension.describe()}'
        raise UsageError(Problem("QN120", text, "a unit of the metric"))
