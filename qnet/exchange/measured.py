"""Files of monitoring tools as tables of measurements for `qnet calibrate`: one row for each interval."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from qnet.errors import Problem, UsageError
from qnet.exchange.imported import MAX_BYTES
from qnet.exchange.intervals import MeasuredInterval, unreadable, unused
from qnet.lazy import lazy
from qnet.note import Note
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.exchange import prometheus, sysstat, vmstat
else:
    sysstat = lazy("qnet.exchange.sysstat")
    prometheus = lazy("qnet.exchange.prometheus")
    vmstat = lazy("qnet.exchange.vmstat")

MAX_CELLS = 5_000_000
"""Any limit far above real measurements works: it bounds memory."""
_TOOLS = (sysstat, prometheus, vmstat)
"""Each has `recognizes(data, text)` and `rows(data, text, name, first)`; `data` is None where the file is not JSON."""


class MeasurementTable(Record):
    """A table of measurements."""

    columns: tuple[str, ...]
    rows: tuple[MeasuredInterval, ...]
    notes: tuple[Note, ...] = ()

    def csv(self) -> str:
        """The table as CSV; a cell without a measurement is empty."""
        timed = any(row.end is not None for row in self.rows)
        lines = [",".join((["time"] if timed else []) + list(self.columns))]
        for row in self.rows:
            cells = [_shown(row.end)] if timed else []
            lines.append(",".join(cells + [_shown(row.values.get(column)) for column in self.columns]))
        return "\n".join(lines) + "\n"


def measured(sources: Sequence[tuple[str, bytes]], first: bool = False) -> MeasurementTable:
    """The intervals of one file, or those of several joined.

    sources   names and bytes of files. The intervals are those of the first; measurements of the others within each
              are averaged, or without times joined by position.
    first     whether to keep the first report of iostat and vmstat, which is the mean since the system started.
    Raises    `InvalidInput` QN800 for a file of no known tool, and for files that cannot be joined.
    """
    tables = [_read(name, raw, first) for name, raw in sources]
    result = tables[0]
    for (name, _), other in zip(sources[1:], tables[1:], strict=True):
        result = _joined(result, other, name)
    return result


def _read(name: str, raw: bytes, first: bool) -> MeasurementTable:
    """The intervals of one file."""
    if len(raw) > MAX_BYTES:
        raise unreadable(name, f"the file is larger than {MAX_BYTES >> 20} MiB", "a shorter period")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise unreadable(name, "this is not UTF-8 text", "JSON or text of a monitoring tool") from None
    data = _json(name, text) if text.lstrip()[:1] in ("{", "[") else None
    for tool in _TOOLS:
        if tool.recognizes(data, text):
            intervals, notes = tool.rows(data, text, name, first)
            return _table(name, intervals, notes)
    help = "sadf -j FILE -- -u -d, iostat -x -o JSON 60, vmstat -t 60 and Prometheus query_range make such files"
    raise unreadable(
        name, "not a file of a known monitoring tool", "JSON of sysstat or Prometheus, or text of vmstat", help
    )


def _json(name: str, text: str) -> Any:
    try:
        return json.loads(text, parse_int=float)
    except json.JSONDecodeError as error:
        found = f"not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        help = "a tool that was stopped leaves its JSON without an end: let it finish by a count"
        raise unreadable(name, found, "JSON", help, error.lineno) from None
    except (RecursionError, ValueError):
        raise unreadable(name, "the JSON nests too deeply, or has too long a number", "JSON of a tool") from None


def _table(name: str, intervals: Sequence[MeasuredInterval], notes: Sequence[Note]) -> MeasurementTable:
    columns: dict[str, None] = {}
    for row in intervals:
        columns.update(dict.fromkeys(row.values))
        if len(columns) * len(intervals) > MAX_CELLS:
            raise unreadable(name, "there are too many measurements", f"at most {MAX_CELLS} cells")
    if not columns:
        raise unreadable(name, "there are no measurements in this file", "at least one interval")
    return MeasurementTable(tuple(columns), tuple(intervals), tuple(notes))


def _joined(first: MeasurementTable, other: MeasurementTable, name: str) -> MeasurementTable:
    """The intervals of a table with the columns of another."""
    taken, names = set(first.columns), dict[str, str]()
    for each in other.columns:
        names[each] = unused(each, taken)
        taken.add(names[each])
    if any(row.end is None for row in (*first.rows, *other.rows)):
        if len(first.rows) != len(other.rows):
            found = f"{len(other.rows)} intervals without times, and {len(first.rows)} of the first file"
            raise unreadable(name, found, "the same number, or times in both", "vmstat -t and iostat -t write times")
        parts: list[Mapping[str, float]] = [row.values for row in other.rows]
    else:
        parts = _within(first.rows, other.rows)
        if not any(parts):
            raise unreadable(name, "no measurement is within an interval of the first file", "files of the same period")
    rows = tuple(
        row.replace(values={**row.values, **{names[key]: value for key, value in part.items()}})
        for row, part in zip(first.rows, parts, strict=True)
    )
    return MeasurementTable((*first.columns, *names.values()), rows, (*first.notes, *other.notes))


def _within(rows: Sequence[MeasuredInterval], other: Sequence[MeasuredInterval]) -> list[Mapping[str, float]]:
    """The means of the measurements of another file, by interval; all intervals have the median length, or 60 s."""
    ends = [row.end or 0.0 for row in rows]
    lengths = sorted(later - earlier for earlier, later in pairwise(ends) if later > earlier)
    length = lengths[len(lengths) // 2] if lengths else 60.0
    samples = sorted(((row.end or 0.0), index) for index, row in enumerate(other))
    result: list[Mapping[str, float]] = []
    for end in ends:
        inside = _between(samples, end - length, end)
        sums: dict[str, list[float]] = {}
        for index in inside:
            for key, value in other[index].values.items():
                sums.setdefault(key, []).append(value)
        result.append({key: sum(values) / len(values) for key, values in sums.items()})
    return result


def _between(samples: Sequence[tuple[float, int]], after: float, until: float) -> list[int]:
    """The indices of the samples after a time, up to and including another one."""
    return [index for _, index in samples[_first_after(samples, after) : _first_after(samples, until)]]


def _first_after(samples: Sequence[tuple[float, int]], time: float) -> int:
    low, high = 0, len(samples)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if samples[middle][0] <= time else (low, middle)
    return low


def _shown(value: float | None) -> str:
    if value is None:
        return ""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{value:.12g}"


def refuse_repeated_input(names: Sequence[str]) -> None:
    """Raise `UsageError` QN005 where standard input, `-`, occurs more than once among the names of files."""
    if list(names).count("-") > 1:
        raise UsageError(Problem("QN005", "standard input is named twice", "at most one -"))
