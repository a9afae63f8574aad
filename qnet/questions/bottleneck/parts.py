"""The parts of a response, and the places that can be full: what the question `bottleneck` is answered with."""

from __future__ import annotations

from qnet.record import Record


class Part(Record):
    """A part of a response: at one group of copies of a station, or in the delays outside them (no label)."""

    label: str
    residence: float
    service: float | None
    """Without any wait; None where rates depend on the number present, which tells no wait from service."""
    wait: float | None
    share: float | None
    """Of the whole response; None where that is 0."""


class Place(Record):
    """A group of copies of a station, or a named limit: how much it can take, and its part of the mean response."""

    name: str
    label: str
    copies: int | None
    servers: int | None
    utilization: float | None
    demand: float | None
    """Seconds that servers of one copy are kept per passage of the mean customer; no waits for inner stations."""
    full_at: float | None
    """The throughput of the system at which its own work alone fills it, the mix of classes as it is."""
    headroom: float | None
    """How much the throughput is below that, as a share of the throughput."""
    full_population: float | None
    """The population at which the asymptote reaches that throughput; of a single closed class."""
    rank: int | None
    """1 for what is full first."""
    waits_inside: float | None
    """Of the time it is held, the share spent waiting for stations inside."""
    part: Part | None
    """None of a limit."""


class Visit(Record):
    """One class at one group of copies of a station."""

    class_name: str
    part: Part
    demand: float
    full_at: float | None
    """The throughput of this class at which it fills the station if it is alone."""


class RoutePart(Record):
    """One route at one group of copies of a station."""

    class_name: str
    route: str
    part: Part
