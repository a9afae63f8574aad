"""Findings on who waits for whom, where some are served before others."""

from __future__ import annotations

from collections.abc import Iterator

from qnet.networks.duration import Wait
from qnet.networks.exactness import ranked
from qnet.networks.streams import Stream
from qnet.questions.bottleneck.bottleneck import Bottleneck
from qnet.questions.why.findings import TIME, Finding, listed, percent


def order(found: Bottleneck) -> Iterator[Finding]:
    """At every station that serves some before others, who waits for whom, and what is left to the last."""
    passages = found.solution.passages
    if passages is None:
        return
    streams, waits = passages.compiled.streams, passages.waits
    for station in passages.network.stations:
        if not ranked(station, streams):
            continue
        own = [stream for stream in streams if stream.station == station.name]
        levels = sorted({stream.priority for stream in own}, reverse=True)
        names = [_names(found, [stream for stream in own if stream.priority == level]) for level in levels]
        if len(_all(names)) < sum(map(len, names)):
            continue  # Parts of one class go before others of it: its routes tell more.
        for place, name in enumerate(names[1:], 1):
            first = [stream for stream in own if stream.priority > levels[place]]
            busy = _busy(first, waits, station.copies * station.servers, station.name, found)
            how = "interrupt" if station.discipline == "preemptive" else "are served before"
            text = f"At {station.name} {listed(_all(names[:place]))} {how} {listed(name)}: "
            text += f"they keep it {percent(busy)} busy, which leaves {percent(1.0 - busy)}."
            yield Finding(TIME, station.name, text, "utilization", busy)
        if station.discipline != "preemptive":
            text = f"At {station.name} nobody is interrupted: {listed(names[0])} wait for the end of a service of "
            text += f"{listed(_all(names[1:]))}."
            yield Finding(TIME, station.name, text)


def _names(found: Bottleneck, streams: list[Stream]) -> list[str]:
    """The classes of streams."""
    classes = found.solution.classes
    return list(dict.fromkeys(classes[stream.class_index].name for stream in streams))


def _all(names: list[list[str]]) -> list[str]:
    """Each name of some lists once."""
    return list(dict.fromkeys(name for some in names for name in some))


def _busy(streams: list[Stream], waits: tuple[Wait, ...], servers: int, name: str, found: Bottleneck) -> float:
    """The share of a station's servers that streams keep busy."""
    copies = {item.label: item.copies for item in found.solution.stations if item.name == name}
    groups = list(copies.values())
    return sum(float(item.rate * item.holding.mean_with(waits)) * groups[item.group] for item in streams) / servers
