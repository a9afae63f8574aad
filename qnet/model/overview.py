"""The overview of a model: five lines for a session, tables for a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from qnet.errors import printable
from qnet.expression.nodes import Number
from qnet.model.model import ChainModel, ClassModel, Model, Parameter, StationModel

WIDTH = 100
"""Characters of a line."""
_STYLE = "text-align:left; padding:0.1em 1em 0.1em 0; vertical-align:top"


def lines(model: Model) -> list[str]:
    """Five lines on `model`: name and title, stations, classes, parameters, outputs and questions.

    A list that does not fit on its line is cut, and the number of the other entries is shown.
    """
    stated = [item for item in model.parameters.values() if not item.part]
    parts = [f"{len(model.parameters) - len(stated)} of catalog parts"] if len(stated) < len(model.parameters) else []
    asked = [("outputs", model.outputs), ("costs", model.costs), ("envelopes", model.envelopes)]
    named = [f"{what} {', '.join(items)}" for what, items in asked if items]
    set_here = {name: text for name, text in model.settings.items() if name in model.parameters}
    stated.sort(key=lambda item: item.name not in set_here)
    return [
        _cut(f"System {model.name}: {printable(model.title)}"),
        _listed("stations", [_station(item) for item in model.stations]),
        _listed("classes", [_customers(item) for item in model.customers]),
        _listed("parameters", [f"{item.name} = {_value(item)}" for item in stated], parts),
        _cut(f"  defines     {'; '.join(named) or 'no outputs, costs or envelopes'}"),
    ]


def html(model: Model) -> str:
    """Tables of the stations, classes and parameters of `model` as an HTML fragment; all texts are escaped."""
    stated = [item for item in model.parameters.values() if not item.part]
    others = [item for item in model.parameters.values() if item.part]
    head = ("parameter", "value", "range", "note")
    stations = [(item.name, _kind(item), *_sizes(item)) for item in model.stations]
    classes = [(item.name, _load(item)) for item in model.customers]
    asked = [("output", model.outputs), ("cost", model.costs), ("envelope", model.envelopes)]
    rows = [(name, what) for what, items in asked for name in items]
    blocks = [
        f"<p><b>{_text(model.title)}</b><br><code>{_text(model.name)}</code>, digest {model.digest}</p>",
        _table(("station", "discipline", "servers", "copies"), stations),
        _table(("class", "load"), classes),
        _table(head, [_parameter(item) for item in stated]),
        _table(("defines", ""), rows),
    ]
    if others:
        table = _table(head, [_parameter(item) for item in others])
        blocks.append(f"<details><summary>{len(others)} parameters of catalog parts</summary>{table}</details>")
    return "\n".join(["<div>", *filter(None, blocks), "</div>"])


def _listed(what: str, items: Sequence[str], more: Sequence[str] = ()) -> str:
    """A line of as many items as fit, and the number of the others."""
    begin = f"  {what:<12}"
    if not items and not more:
        return begin + "none"
    for count in range(len(items), -1, -1):
        left = len(items) - count
        rest = ([f"{left} more" if count else f"{left} of them"] if left else []) + list(more)
        line = begin + ", ".join([*items[:count], *rest])
        if len(line) <= WIDTH:
            return line
    return _cut(begin + ", ".join([*items, *more]))


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else line[: WIDTH - 4] + " ..."


def _station(station: StationModel) -> str:
    servers, copies = _sizes(station)
    details = [
        "delay" if station.delay else "rates" if station.rates else "",
        f"servers = {servers}" if servers not in ("", "1") else "",
        f"copies = {copies}" if copies not in ("", "1") else "",
    ]
    text = ", ".join(filter(None, details))
    return f"{printable(station.name)} ({text})" if text else printable(station.name)


def _sizes(station: StationModel) -> tuple[str, str]:
    """The servers and the copies of a station, as stated; no servers for a delay and for rates."""
    servers = "" if station.delay or station.rates else printable(station.servers.source)
    return servers, printable(station.copies.source)


def _kind(station: StationModel) -> str:
    return "delay" if station.delay else station.discipline + (" with rates" if station.rates else "")


def _customers(item: ClassModel | ChainModel) -> str:
    return f"{printable(item.name)} ({_load(item)})"


def _load(item: ClassModel | ChainModel) -> str:
    """The load of a class, as stated."""
    if item.arrival_rate is not None:
        return f"open, {printable(item.arrival_rate.source)}{_each(item)}"
    population = printable(item.population.source) if item.population is not None else ""
    think = f", think time {printable(item.think_time.source)}" if item.think_time is not None else ""
    return f"closed, {population}{think}{_each(item)}"


def _each(item: ClassModel | ChainModel) -> str:
    """The words for a class per copy of a station; empty for others."""
    owner = item.per_copy_of if isinstance(item, ClassModel) else ""
    return f" per copy of {printable(owner)}" if owner else ""


def _value(parameter: Parameter) -> str:
    """The value as stated; the word of a choice."""
    root = parameter.expression.root
    if parameter.options and isinstance(root, Number):
        return parameter.options[int(root.value)]
    return printable(parameter.expression.source)


def _parameter(item: Parameter) -> tuple[str, str, str, str]:
    ends = [end.source for end in (item.low, item.high) if end is not None]
    span = " to ".join(ends) if ends else ", ".join(item.options)
    return item.name, _value(item), span, item.note


def _table(headings: Sequence[str], rows: Sequence[Iterable[str]]) -> str:
    """A table of HTML; empty without rows."""
    if not rows:
        return ""
    head = "".join(f'<th style="{_STYLE}">{_text(cell)}</th>' for cell in headings)
    body = "\n".join(
        f"<tr>{''.join(f'<td style={chr(34)}{_STYLE}{chr(34)}>{_text(cell)}</td>' for cell in row)}</tr>"
        for row in rows
    )
    return f'<table style="margin-bottom:0.8em">\n<tr>{head}</tr>\n{body}\n</table>'


def _text(text: str) -> str:
    return escape(printable(text))
