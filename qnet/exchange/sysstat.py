"""JSON of sysstat: `sadf -j` of what sar collected, `iostat -x -o JSON`, `mpstat -o JSON`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from qnet.exchange.intervals import READ, MeasuredInterval, column, figure, items, table, unreadable, unused
from qnet.note import Note

_FORMATS = (
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S%z",
    "%m/%d/%Y %I:%M:%S %p",
    "%m/%d/%y %H:%M:%S",
    "%d/%m/%y %H:%M:%S",
)
_DISK = {
    "tps": ("tps", "per_s"),
    "r/s": ("reads", "per_s"),
    "w/s": ("writes", "per_s"),
    "await": ("await", "ms"),
    "r_await": ("read_await", "ms"),
    "w_await": ("write_await", "ms"),
    "aqu-sz": ("queue_length", ""),
    "avgqu-sz": ("queue_length", ""),
}
"""Key of a disk -> beginning and unit suffix of its column."""


def recognizes(data: Any, text: str) -> bool:
    """Whether a file is JSON of sysstat."""
    return isinstance(data, dict) and "sysstat" in data


def rows(data: Any, text: str, name: str, first: bool) -> tuple[list[MeasuredInterval], list[Note]]:
    """The intervals of a file of one host, with notes."""
    hosts = [table(host) for host in items(table(data["sysstat"]).get("hosts"))]
    if len(hosts) != 1:
        raise unreadable(name, f"there are {len(hosts)} hosts", "one host in a file")
    reports = [table(item) for item in items(hosts[0].get("statistics"))]
    notes: list[Note] = []
    since_start = any("avg-cpu" in item for item in reports) and len(reports) > 1 and not first
    if since_start:
        reports = reports[1:]
        text = f"{name}: the first report of iostat, the mean since the system started, is left out (--first keeps it)"
        notes.append(Note(READ, text))
    if processors := figure(hosts[0].get("number-of-cpus")):
        text = f"utilization_cpu is the mean of {processors:.0f} processors: --servers cpu={processors:.0f}"
        notes.append(Note(READ, text))
    ends = _ends(reports)
    intervals = [MeasuredInterval(end, _columns(item)) for end, item in zip(ends, reports, strict=True)]
    return [item for item in intervals if item.values], notes


def _columns(report: dict[str, Any]) -> dict[str, float]:
    """The figures of a report by distinct names: those of devices may differ in characters that no column has."""
    result: dict[str, float] = {}
    for title, value in _figures(report):
        result[unused(title, result)] = value
    return result


def _figures(report: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """The columns of a report."""
    loads = [table(item) for item in items(report.get("cpu-load")) or items(report.get("cpu-load-all"))]
    loads = loads or [table(report.get("avg-cpu"))]
    for load in loads:
        idle = figure(load.get("idle"))
        if idle is not None:
            waiting = figure(load.get("iowait")) or 0.0
            cpu = str(load.get("cpu", "all"))
            busy = max(0.0, 100.0 - idle - waiting) / 100
            yield ("utilization_cpu" if cpu in ("all", "-1") else column("utilization_cpu", cpu)), busy
    for item in map(table, items(report.get("disk"))):
        device = str(item.get("disk-device") or item.get("disk_device") or "")
        if not device:
            continue
        for key in ("util-percent", "util", "%util"):
            busy = figure(item.get(key))
            if busy is not None:
                yield column("utilization", device), min(busy, 100.0) / 100
        for key, (what, unit) in _DISK.items():
            value = figure(item.get(key))
            if value is not None:
                yield column(what, device, unit), value
    queue = table(report.get("queue"))
    for key, what in (("runq-sz", "run_queue"), ("blocked", "blocked")):
        value = figure(queue.get(key))
        if value is not None:
            yield what, value


def _ends(reports: Sequence[dict[str, Any]]) -> list[float | None]:
    """The times of all reports, by the first form that all of them have; times without a zone count as UTC."""
    stamps = [_stamp(item) for item in reports]
    by_form = [[_time(stamp, form) for stamp in stamps] for form in _FORMATS]
    return max(by_form, key=lambda times: sum(time is not None for time in times))


def _stamp(report: dict[str, Any]) -> str:
    stamp = report.get("timestamp")
    if isinstance(stamp, dict):
        parts = cast("dict[str, Any]", stamp)
        return f"{parts.get('date', '')} {parts.get('time', '')}".strip()
    return stamp.strip() if isinstance(stamp, str) else ""


def _time(stamp: str, form: str) -> float | None:
    try:
        time = datetime.strptime(stamp, form)
    except ValueError:
        return None
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
