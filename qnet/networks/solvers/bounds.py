"""The kinds of bounds, as `qnet methods` tells them; how they are found is in `closed.bounds` and `product.bounds`."""

from __future__ import annotations

from qnet.record import Record


class Kind(Record):
    """A kind of bounds, as people need to know it."""

    classes: str
    applies: str
    cost: str
    error: str
    source: str


_LAZOWSKA = "Lazowska, Zahorjan, Graham, Sevcik, Quantitative System Performance, 1984, chapter 5"
_ENCLOSES = "encloses the exact answer"

BOUNDS = {
    "asymptotic": Kind("open, closed", "any stations", "stations x classes", _ENCLOSES, _LAZOWSKA),
    "balanced": Kind("open, closed", "rates that do not fall", "stations x classes", _ENCLOSES, _LAZOWSKA),
    "composite": Kind("closed", "several classes; rates that do not fall", "stations x classes^2", _ENCLOSES,
                      "Kerola, Performance Evaluation 6 (1986), issue 1"),
    "proportional": Kind("closed", "one class; single servers", "stations", _ENCLOSES,
                         "Hsieh, Lam, Performance Evaluation 7 (1987) 3-30"),
    "geometric": Kind("closed", "one class; single servers", "stations", _ENCLOSES,
                      "Casale, Muntz, Serazzi, IEEE Trans. Computers 57 (2008) 780-794"),
}  # fmt: skip
