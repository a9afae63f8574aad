"""The kinds of bounds, as `qnet methods` lists them; `closed.bounds` and `product.bounds` compute them."""

from __future__ import annotations

from qnet.record import Record


class Kind(Record):
    """A kind of bounds, as `qnet methods` describes it."""

    classes: str
    applies: str
    cost: str
    error: str
    source: str


_ENCLOSES = "encloses the exact answer"

BOUNDS = {
    "asymptotic": Kind("open, closed", "any stations", "stations x classes", _ENCLOSES, "@lazowska1984, section 5.2"),
    "balanced": Kind("open, closed", "rates that do not decrease", "stations x classes", _ENCLOSES,
                     "@lazowska1984, section 5.4; several classes: @kerola1986; several servers: this tool"),
    "composite": Kind("closed", "several classes; rates that do not decrease", "stations x classes^2", _ENCLOSES,
                      "@kerola1986"),
    "proportional": Kind("closed", "one class; single servers", "stations", _ENCLOSES,
                         "@hsieh1987, not iterated"),
    "geometric": Kind("closed", "one class; single servers", "stations", _ENCLOSES,
                      "@casale2008"),
}  # fmt: skip
