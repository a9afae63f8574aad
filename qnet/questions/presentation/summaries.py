"""Question and answer in sentences, made from the rows of a report, for pages that are read without the command."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from qnet.reports.cells import is_number, title_of
from qnet.reports.content import Cell, Column, Content, Summary
from qnet.units import UnitError, format_number, format_quantity

_MOST = 6
"""Most sentences of one kind, and most metrics of one sentence; tables have the others."""
_OK = "ok"
_PERCENTILE = re.compile(r"response_p(?P<whole>\d+)(?:_(?P<rest>\d+))?(?:\('(?P<name>.+)'\))?")
_KNEES = {
    "n_star": "N*, where the asymptotic bounds cross, is",
    "n_star_unloaded": "N*, with the demands of the first customer, is",
    "power": "Throughput over response time is largest at",
    "curvature": "Response time bends most at",
    "saturation": "The steady state ends at",
}
"""The beginning of the sentence on a knee, by definition."""
_FRACTION = re.compile(r"\d+\.\d+")
_CONSTRAINTS = {"limit": "the limit"}
"""The words for a binding constraint in a sentence."""
_MAIN = ("response", "throughput")


class _Rows:
    """The rows of a report by the keys of its columns, and its cells with their units."""

    def __init__(self, report: Content) -> None:
        self.columns: dict[str, Column] = {column.key: column for column in report.columns}
        keys = list(self.columns)
        self.rows: list[dict[str, Cell]] = [dict(zip(keys, row, strict=True)) for row in report.rows]

    def shown(self, row: dict[str, Cell], key: str) -> str:
        """A cell as text for a sentence, with its unit."""
        return quantity(row.get(key), self.columns[key].unit)

    def named(self, row: dict[str, Cell], keys: Sequence[str]) -> str:
        """Cells with the titles of their columns: `rate = 900/s, users = 20`; those that are empty are left out."""
        known = [key for key in keys if row[key] is not None]
        return ", ".join(f"{title_of(self.columns[key])} = {self.shown(row, key)}" for key in known)


def quantity(cell: Cell, unit: str) -> str:
    """A cell with its unit, in a readable form."""
    if not is_number(cell):
        return "none" if cell is None else str(cell)
    try:
        return format_quantity(cell, unit)
    except UnitError:
        return f"{format_number(cell)} {unit}"


def of_solution(report: Content) -> Summary:
    """The summary of a report of `qnet solve`: response, throughput, busiest station and saturation throughput."""
    rows = _Rows(report)
    system = next(row for row in rows.rows if row["scope"] == "system")
    sentences = [f"The mean response time is {rows.shown(system, 'response')} at {rows.shown(system, 'throughput')}."]
    classes = [row for row in rows.rows if row["scope"] == "class"]
    if len(classes) > 1:
        listed = [f"{row['name']} {rows.shown(row, 'response')}" for row in classes[:_MOST]]
        sentences.append(f"By class: {_listed(listed, len(classes))}.")
    metrics = [row for row in rows.rows if row["scope"] == "metric" and is_number(row["value"])]
    sentences += _percentiles(metrics)
    used = [row for row in rows.rows if row["scope"] == "station" and is_number(row["utilization"])]
    busiest = max(used, key=lambda row: _number(row["utilization"]), default=None)
    if busiest is not None:
        percent = format_number(100 * _number(busiest["utilization"]))
        sentences.append(f"The busiest station is {busiest['name']}, with a utilization of {percent} %.")
    if is_number(system["maximum_throughput"]):
        limited = f", limited by {system['limited_by']}" if system["limited_by"] else ""
        sentences.append(f"The saturation throughput is {rows.shown(system, 'maximum_throughput')}{limited}.")
    more = ", its percentiles" if any(_PERCENTILE.fullmatch(str(row["name"])) for row in metrics) else ""
    question = f"What are response time{more}, throughput and utilization of {_subject(report)}?"
    return Summary(question, (*sentences, *_trust(report)))


def _percentiles(metrics: Sequence[dict[str, Cell]]) -> Iterator[str]:
    """A sentence on the percentiles of all passages, and one for each class."""
    by_class: dict[str, list[str]] = {}
    for row in metrics:
        if match := _PERCENTILE.fullmatch(str(row["name"])):
            share = f"{match['whole']}.{match['rest']}" if match["rest"] else match["whole"]
            text = f"{share} % within {quantity(row['value'], str(row['unit'] or ''))}"
            known = by_class.setdefault(match["name"] or "", [])
            known.append(text if known else text.replace(" within", " are within", 1))
    for name, texts in by_class.items():
        of = f" of {name}" if name else ""
        yield f"Of the responses{of}, {_and(texts)}."


def rounded(setting: str) -> str:
    """The text `setting`, such as `rate=441.216013/s`, with its fractions rounded for reading."""
    return _FRACTION.sub(lambda match: format_number(float(match[0])), setting)


def of_knees(report: Content) -> Summary:
    """The summary of a report of `qnet knee`: every knee, in the order of its rows."""
    rows = _Rows(report)
    names = list(dict.fromkeys(str(row["along"]) for row in rows.rows))
    sentences: list[str] = []
    for row in rows.rows:
        name, about, where = str(row["definition"]), row["about"], rounded(str(row["setting"] or ""))
        of = f" ({row['along']})" if len(names) > 1 else ""
        if row["status"] != _OK:
            sentences.append(f"{name}{f' ({about})' if about else ''}{of}: {row['status']}.")
            continue
        text = f"{about} holds up to {where}{of}" if about else f"{_KNEES.get(name, name)} {where}{of}"
        if name.startswith("n_star"):
            text = f"{_KNEES[name]} {rows.shown(row, 'population_real')}, next to {where}{of}"
        if row["response"] is not None:
            text += f", with a response time of {rows.shown(row, 'response')}"
            text += f" and a throughput of {rows.shown(row, 'throughput')}"
        sentences.append(f"{text}.")
    question = f"Where is the knee of the response time of {_subject(report)} as {_and(names)} grows?"
    return Summary(question, (*sentences, *_trust(report)))


def of_envelopes(report: Content, value: str, extreme: str, over: Sequence[str]) -> Summary:
    """The summary of `qnet envelope`: the value that meets the limits, or its range along the grid.

    report   the answer.
    value    the key of the column of the value.
    extreme  `largest` or `smallest`; empty where every interval is listed.
    over     the keys of the columns of the grid; none for one point.
    """
    rows = _Rows(report)
    limits = list(dict.fromkeys(str(row["limit"]) for row in rows.rows))
    names = list(dict.fromkeys(row["envelope"] for row in rows.rows))
    words = title_of(rows.columns[value]).removeprefix("to ")
    if words.endswith("s") and all(isinstance(row[value], int | None) for row in rows.rows):
        words = f"number of {words}"
    title = f"the {extreme} {words}"
    sentences: list[str] = []
    for name in names:
        block = [row for row in rows.rows if row["envelope"] == name]
        answered = [row for row in block if row["status"] == _OK and is_number(row[value])]
        about = f"{name}: " if name and len(names) > 1 else ""
        if not extreme:
            holds = (f"for {words} from {_interval(rows, row, value, over)}" for row in answered)
            sentences += [f"{_begun(about, 'the limit')} holds {text}." for text in holds]
        elif len(block) == 1 and answered:
            constraint = str(answered[0]["binds"] or "")
            binds = f" The binding constraint is {_CONSTRAINTS.get(constraint, constraint)}." if constraint else ""
            sentences.append(f"{_begun(about, title)} is {rows.shown(answered[0], value)}.{binds}")
        elif answered:
            least, most = (choose(answered, key=lambda row: _number(row[value])) for choose in (min, max))
            ends = [f"{rows.shown(row, value)}{_at_point(rows, row, over)}" for row in (least, most)]
            sentences.append(f"{_begun(about, title)} is between {_and(ends)}.")
        missing = len(block) - len(answered)
        if missing:
            why = next(str(row["status"]) for row in block if row not in answered)
            sentences.append(f"{about}{missing} of {len(block)} points have no answer: {why}.")
    asked = title if extreme else f"every {words}"
    question = f"What is {asked} of {_subject(report)} that meets {' or '.join(limits)}?"
    return Summary(question, (*sentences, *_trust(report)))


def _interval(rows: _Rows, row: dict[str, Cell], value: str, over: Sequence[str]) -> str:
    """The interval of a row and its point of the grid: `1/s to 242.3/s (connections = 2)`."""
    least = next(key for key in rows.columns if key.startswith("least_"))
    return f"{rows.shown(row, least)} to {rows.shown(row, value)}{_at_point(rows, row, over)}"


def _at_point(rows: _Rows, row: dict[str, Cell], over: Sequence[str]) -> str:
    """The point of the grid of a row, in parentheses; empty without a grid."""
    return f" ({rows.named(row, over)})" if over else ""


def _begun(about: str, words: str) -> str:
    """The beginning of a sentence: `words` after `about`, or capitalized."""
    return about + words if about else words[0].upper() + words[1:]


def of_sweep(report: Content, along: Sequence[str], drawn: Sequence[str]) -> Summary:
    """The summary of `qnet sweep`: the least and the largest value of each metric, and where.

    report   the answer.
    along    the keys of the columns of the grid.
    drawn    the keys of the columns of the metrics, the most important first.
    """
    rows = _Rows(report)
    metrics = [key for key in drawn if any(is_number(row[key]) for row in rows.rows)]
    sentences: list[str] = []
    for key in metrics[:_MOST]:
        answered = [row for row in rows.rows if is_number(row[key])]
        if answered:
            least, most = (choose(answered, key=lambda row: _number(row[key])) for choose in (min, max))
            ends = (f"{rows.shown(row, key)} at {rows.named(row, along)}" for row in (least, most))
            sentences.append(f"{title_of(rows.columns[key])}: from {' to '.join(ends)}.")
    missing = sum(row["status"] != _OK for row in rows.rows)
    if missing:
        sentences.append(f"{missing} of {len(rows.rows)} points have no answer.")
    metric_words = _and([title_of(rows.columns[key]) for key in metrics[:_MOST]]) or "the metrics"
    by = _and([title_of(rows.columns[key]) for key in along])
    verb = "do" if len(metrics) > 1 else "does"
    question = f"How {verb} {metric_words} of {_subject(report)} change with {by}?"
    return Summary(question, (*sentences, *_trust(report)))


def of_comparison(report: Content, baseline: str) -> Summary:
    """The summary of a report of `qnet compare`: the changes of the main metrics against the first side, `baseline`."""
    rows = _Rows(report)
    sides = list(dict.fromkeys(str(row["side"]) for row in rows.rows))
    sentences: list[str] = []
    for side in sides:
        block = [row for row in rows.rows if row["side"] == side]
        changed = [row for row in block if row["percent"] != 0]
        main = [row for row in changed if row["metric"] in _MAIN] or changed[:_MOST]
        sentences.append(f"{side}: {'; '.join(map(_change, main)) or 'no figure changes'}.")
    question = f"How do {_and([baseline, *sides])} differ?"
    return Summary(question, (*sentences, *_trust(report)))


def _change(row: dict[str, Cell]) -> str:
    unit = str(row["unit"] or "")
    before, after = (quantity(row[key], unit) for key in ("base", "value"))
    percent = row["percent"]
    change = f" ({percent:+.3g} %)" if is_number(percent) else ""
    return f"{row['metric']} from {before} to {after}{change}"


def _subject(report: Content) -> str:
    """The title of the model in quotation marks, and its settings."""
    meta = report.meta
    model: dict[str, Any] = meta.get("model") or {}
    settings: dict[str, str] = meta.get("parameters") or {}
    changed = f" with {', '.join(f'{name} = {value}' for name, value in settings.items())}" if settings else ""
    return f'"{model.get("title") or model.get("name") or report.title}"{changed}'


def _trust(report: Content) -> Iterator[str]:
    """Sentences on the method and exactness, and on false assertions."""
    method, exactness = report.meta.get("method"), report.meta.get("exactness")
    means = report.meta.get("means")
    if method and means:
        yield f"The means are {means}, by the method {method}; the percentiles are {exactness}."
    elif method and exactness:
        yield f"The answer is {exactness}, by the method {method}."
    for problem in report.broken:
        yield f"An assertion is false: {problem.found}."


def _listed(texts: Sequence[str], count: int) -> str:
    more = f", and {count - len(texts)} more" if count > len(texts) else ""
    return ", ".join(texts) + more


def _and(texts: Sequence[str]) -> str:
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def _number(cell: Cell) -> float:
    return float(cell) if is_number(cell) else 0.0
