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
"""By the name of a definition: where it comes from."""
OF_KIND: dict[bool, tuple[str, ...]] = {
    True: ("n_star", "service_level", "power", "curvature"),
    False: ("service_level", "power", "multiple", "saturation"),
}
"""What there is along a number of customers, and along a rate of arrivals."""


class Knee(Record):
    """One knee. Along an axis of closed classes it is a number of customers, along one of open classes a rate."""

    axis: GrowthAxis
    definition: str
    """A name of `DEFINITIONS`; `n_star_unloaded` for N* with the demands of the first customer."""
    about: str
    """The limit, or the multiple, that it is the knee of."""
    status: str
    """`ok`, or why there is no such knee."""
    real: float | None = None
    """Where it is along the axis."""
    value: float | None = None
    """Of closed classes the integer; else as `real`."""
    also: tuple[float, ...] = ()
    """Where else the curve crosses the limit."""

    @property
    def name(self) -> str:
        """What it is the knee of, such as `service_level (response <= 1 s) along users`."""
        about = f" ({self.about})" if self.about else ""
        return f"{self.definition}{about} along {self.axis.name}"


class Knees(Record):
    """The knees along one axis."""

    axis: GrowthAxis
    knees: tuple[Knee, ...]
    curve: Curve
    first: float
    """Where the curve begins along the axis: the first customer, or hardly any arrivals."""
    floor: float
    """The response of the first customer, in seconds."""
    dependent: bool
    """Whether demands change along the axis."""
    span: float
    """Over how many customers to each side curvature was measured; 0 where it was not."""
    saturating: str
    """What reaches its capacity first; empty where nothing does within the range."""
