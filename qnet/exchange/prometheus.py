"""JSON of Prometheus: answers of `/api/v1/query_range`, and of `/api/v1/query` for a vector or a range."""

from __future__ import annotations

from collections import Counter
from typing import Any, cast

from qnet.exchange.intervals import READ, MeasuredInterval, column, figure, items, table, unreadable, unused
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
    left_out = 0
    for item, title in zip(series, _titles(series), strict=True):
        if "histograms" in item or "histogram" in item:
            help = (
                "query a quantile of it, such as histogram_quantile(0.95, ...), or its histogram_sum or histogram_count"
            )
            raise unreadable(name, f'the series "{title}" is a native histogram', "series of numbers", help)
        for point in items(item.get("values")) or [item.get("value")]:
            pair = items(point)
            if len(pair) != 2:
                raise unreadable(name, "a value of a series is no pair of time and number", "the result of query_range")
            time, value = figure(pair[0]), figure(pair[1])
            if time is not None and value is not None:
                by_time.setdefault(time, {})[title] = value
            else:
                left_out += 1
    text = f"{name}: {left_out} values are left out, which are no numbers from 0 to 1e90, such as NaN or below 0"
    notes = [Note(READ, text)] if left_out else []
    return [MeasuredInterval(time, by_time[time]) for time in sorted(by_time)], notes


def _titles(series: list[dict[str, Any]]) -> list[str]:
    """Distinct names of columns: the metric, with the labels in which the series differ."""
    labels = [{key: str(value) for key, value in table(item.get("metric")).items()} for item in series]
    keys = sorted({key for each in labels for key in each} - {"__name__"})
    differing = [key for key in keys if len({each.get(key, "") for each in labels}) > 1]
    result: dict[str, None] = {}
    # How often a title occurred: it has taken as many names, so that the search for the next one starts behind them.
    occurred = Counter[str]()
    for each in labels:
        title = column(each.get("__name__", ""), *(each.get(key, "") for key in differing)) or "value"
        result[unused(title, result, max(occurred[title] + 1, 2))] = None
        occurred[title] += 1
    return list(result)
