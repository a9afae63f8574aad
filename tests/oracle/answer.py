"""What the oracle answers."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Answer:
    """Figures of a model by name of class (or chain), label of station or name of buffer; SI base units.

    What has no meaning is left out: the response of a class without throughput, the utilization of a delay.
    """

    kind: str
    """`chain` or `simulation`."""
    states: int = 0
    """Of the chain; of a simulation the number of events."""
    throughput: dict[str, float] = field(default_factory=dict)
    """Completed passages per second."""
    response: dict[str, float] = field(default_factory=dict)
    """Mean time of completed passages, think time excluded."""
    offered: dict[str, float] = field(default_factory=dict)
    """Passages begun per second, those that are lost on the way included."""
    station_throughput: dict[str, float] = field(default_factory=dict)
    """Visits per second of all copies of a label."""
    utilization: dict[str, float] = field(default_factory=dict)
    """Share of the servers that are held; with `rates`, the mean of the rate over the largest."""
    queue_length: dict[str, float] = field(default_factory=dict)
    """Customers present at all copies, in service and waiting."""
    wait: dict[str, float] = field(default_factory=dict)
    """Time per visit beyond that in which a server is kept."""
    occupancy: dict[str, float] = field(default_factory=dict)
    """Indices of a buffer that are taken."""
    half_width: dict[tuple[str, str], float] = field(default_factory=dict)
    """Of 99 % intervals, by (figure, name); nothing (0) where a figure is exact."""

    unsettled: tuple[str, ...] = ()
    """Closed classes of which a simulation has seen too little: their throughput is hardly known, and so nothing is."""

    def width(self, figure: str, name: str) -> float:
        """The half width of a figure; 0 where it is exact."""
        return self.half_width.get((figure, name), 0.0)
