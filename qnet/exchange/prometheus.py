"""JSON of Prometheus: answers of `/api/v1/query_range`, and of `/api/v1/query` for a vector or a range."""

from __future__ import annotations

from typing import Any, cast

from qnet.exchange.intervals import MeasuredInterval, column, figure, items, table, unreadable
from qnet.note import Note


def recognizes(data: Any, text: str) -> bool:
    """Whether a file is an answer of Prometheus."""
    return isinstance(data, dict) and "status" in data and ("data" in data or "error" in data)


def rows(data: Any, text: str, name: str, first: bool) -> tuple[list[MeasuredInterval], list[Note]]:
    """An interval for each time, with a column for each series, named by its metric and the labels that differ."""
    answer = cast("dict[str, Any]", data)
    if answer.get("status") != "success":
        raise unreadable(name, f"Prometheus answers with an error: {answer.get('error', '')}", "a successful query")
    series = [item for item in map(table, items(table(answer.get("data")).get("result"))) if item]
    by_time: dict[float, dict[str, float]] = {}
    for item, title in zip(series, _titles(series), strict=True):
        for point in items(item.get("values")) or [item.get("value")]:
            pair = items(point)
            if len(pair) != 2:
                raise unreadable(name, "a value of a series is no pair of time and number", "the result of query_range")
            time, value = figure(pair[0]), figure(pair[1])
            if time is not None and value is not None:
                by_time.setdefault(time, {})[title] = value
    return [MeasuredInterval(time, by_time[time]) for time in sorted(by_time)], []


def _titles(series: list[dict[str, Any]]) -> list[str]:
    """Distinct names of columns: the metric, with the labels in which the series differ."""
    labels = [{key: str(value) for key, value in table(item.get("metric")).items()} for item in series]
    keys = sorted({key for each in labels for key in each} - {"__name__"})
    differing = [key for key in keys if len({each.get(key, "") for each in labels}) > 1]
    result: list[str] = []
    counts: dict[str, int] = {}
    for each in labels:
        title = column(each.get("__name__", ""), *(each.get(key, "") for key in differing)) or "value"
        counts[title] = counts.get(title, 0) + 1
        result.append(title if counts[title] == 1 else f"{title}_{counts[title]}")
    return result
