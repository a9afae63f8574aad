"""The results of a knee search: one record for each knee, and one for all along an axis."""

from __future__ import annotations

from qnet.questions.knee.axes import GrowthAxis
from qnet.questions.knee.curve import Curve
from qnet.record import Record

DEFINITIONS: dict[str, str] = {
    "n_star": "Lazowska et al. 1984, chapter 5",
    "service_level": "stated limit",
    "power": "Kleinrock 1979",
    "curvature": "Satopaa et al. 2011",
    "multiple": "default",
    "saturation": "capacity",
}
"""The sources of the definitions, by name."""
OF_KIND: dict[bool, tuple[str, ...]] = {
    True: ("n_star", "service_level", "power", "curvature"),
    False: ("service_level", "power", "multiple", "saturation"),
}
"""The definitions along a number of customers (True), and along a rate of arrivals (False)."""


class Knee(Record):
    """One knee. Along an axis of closed classes it is a number of customers, along one of open classes a rate."""

    axis: GrowthAxis
    definition: str
    """A name of `DEFINITIONS`; `n_star_unloaded` for N* with the demands of the first customer."""
    about: str
    """The limit, or the multiple of the floor, that defines the knee; empty for other definitions."""
    status: str
    """`ok`, or why there is no such knee."""
    real: float | None = None
    """Its position along the axis."""
    value: float | None = None
    """For closed classes, an integer position; otherwise as `real`."""
    also: tuple[float, ...] = ()
    """Further positions at which the curve crosses the limit."""

    @property
    def name(self) -> str:
        """The name of the knee, such as `service_level (response <= 1 s) along users`."""
        about = f" ({self.about})" if self.about else ""
        return f"{self.definition}{about} along {self.axis.name}"


class Knees(Record):
    """The knees along one axis."""

    axis: GrowthAxis
    knees: tuple[Knee, ...]
    curve: Curve
    first: float
    """The first value along the axis: one customer, or next to no arrivals."""
    floor: float
    """The response of the first customer, in seconds."""
    dependent: bool
    """Whether demands change along the axis."""
    span: float
    """The number of customers to each side over which curvature was measured; 0 where it was not."""
    saturating: str
    """The station that saturates first; empty where none does within the range."""
