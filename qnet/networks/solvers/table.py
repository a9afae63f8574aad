"""The table of methods, in the order in which `auto` prefers them. All else is in their modules, which `loader` loads.

To add a method: a module with the names of `protocol.Solver`, and a row here.
"""

from __future__ import annotations

from qnet.record import Record


class MethodRow(Record):
    """What the chooser knows of a method before its module is loaded."""

    name: str
    module: str
    trust: str
    """`exact`, or `approximate`."""
    takes: str
    """`routes`: a `RoutedNetwork`; `demands`: a `Demands`; `closed`: a `ClosedNetwork`, the closed classes on the
    capacity that open ones leave, for which the cheapest method that applies is taken."""
    supports: frozenset[str]
    """The features (keys of `reasons.SENTENCES`) that it supports; `applies` of the module may still refuse."""
    of: frozenset[str] = frozenset()
    """Features of which a network must have at least one; empty for a method for any network."""
    family: str = ""
    """The method that its name selects for several classes."""
    part: str = ""
    """The object in the module that is the method; empty for the module itself."""
    patient: bool = False
    """Whether it is tried again at the end, where no other method has an answer, or none that is exact."""


_SOLVERS, _CLOSED, _PRODUCT = "qnet.networks.solvers.", "qnet.networks.closed.", "qnet.networks.product."
_OPEN = frozenset({"no closed classes", "servers", "priorities"})
_INSIDE = frozenset({"holds", "second phase", "parallel"})
_SINGLE = frozenset({"closed", "servers", "rates", "delayed by second phases"})
_STATES = frozenset({"state probabilities"})
_EVERYTHING = _OPEN | _INSIDE | _SINGLE | {"memory", "capacity", "buffers"}
_ANY_POPULATION = frozenset({"fractional populations"})
_BATCH = frozenset({"mixed batch"})
_APPROXIMATED = _SINGLE | _ANY_POPULATION | {"priorities"}

TABLE: tuple[MethodRow, ...] = (
    MethodRow(
        name="open",
        module=_SOLVERS + "open_routes",
        trust="exact",
        takes="routes",
        supports=_OPEN | _INSIDE | _STATES | {"capacity", "buffers", "memory", "rates"},
    ),
    MethodRow(
        name="qna",
        module=_SOLVERS + "qna",
        trust="approximate",
        takes="routes",
        supports=_OPEN | _INSIDE | _STATES | {"rates"},
    ),
    MethodRow(
        name="states",
        module=_SOLVERS + "states",
        trust="exact",
        takes="routes",
        supports=_EVERYTHING | _STATES | _ANY_POPULATION,
        patient=True,
    ),
    MethodRow(
        name="flow-equivalent",
        module=_SOLVERS + "flow_equivalent",
        trust="approximate",
        takes="routes",
        supports=_EVERYTHING | _STATES | _ANY_POPULATION,
        of=frozenset({"holds", "memory", "capacity", "buffers"}),
    ),
    MethodRow(
        name="layers",
        module=_SOLVERS + "layers",
        trust="approximate",
        takes="routes",
        supports=_INSIDE | _STATES | _ANY_POPULATION | {"closed", "servers", "rates"},
        of=frozenset({"holds", "second phase"}),
    ),
    MethodRow(
        name="open",
        module=_SOLVERS + "open_demands",
        trust="exact",
        takes="demands",
        supports=_OPEN | _STATES | {"rates"},
    ),
    MethodRow(
        name="priority-mva",
        module=_PRODUCT + "priorities",
        trust="approximate",
        takes="demands",
        supports=_APPROXIMATED | _BATCH | _STATES | {"order of arrival"},
        of=frozenset({"priorities"}),
    ),
    MethodRow(
        name="residual-service",
        module=_SOLVERS + "residual_service",
        trust="approximate",
        takes="demands",
        supports=_APPROXIMATED - {"priorities"} | _BATCH | _STATES | {"parallel", "order of arrival"},
    ),
    MethodRow(
        name="mva",
        module=_CLOSED + "mva",
        trust="exact",
        takes="closed",
        supports=_SINGLE | {"one closed class"},
        family="lattice-mva",
    ),
    MethodRow(
        name="convolution",
        module=_CLOSED + "convolution",
        trust="exact",
        takes="closed",
        supports=_SINGLE | _STATES | {"one closed class", "changing rates"},
        family="lattice-convolution",
    ),
    MethodRow(
        name="lattice-mva",
        module=_CLOSED + "lattice_mva",
        trust="exact",
        takes="closed",
        supports=_SINGLE | {"several closed classes", "batches at once"},
    ),
    MethodRow(
        name="lattice-convolution",
        module=_CLOSED + "lattice_convolution",
        trust="exact",
        takes="closed",
        supports=_SINGLE | _STATES | {"several closed classes", "changing rates"},
    ),
    MethodRow(
        name="station-states",
        module=_CLOSED + "station_states",
        trust="exact",
        takes="closed",
        supports=_SINGLE | _STATES | {"several closed classes", "changing rates"},
    ),
    MethodRow(
        name="linearizer",
        module=_PRODUCT + "approximations",
        part="LINEARIZER",
        trust="approximate",
        takes="demands",
        supports=_APPROXIMATED - {"priorities"},
    ),
    MethodRow(
        name="aql",
        module=_PRODUCT + "approximations",
        part="AQL",
        trust="approximate",
        takes="demands",
        supports=_APPROXIMATED - {"priorities"},
    ),
    MethodRow(
        name="bard-schweitzer",
        module=_PRODUCT + "approximations",
        part="BARD_SCHWEITZER",
        trust="approximate",
        takes="demands",
        supports=_APPROXIMATED - {"priorities"},
    ),
)


def rows(takes: str) -> list[MethodRow]:
    """The rows of the methods for networks in one form, the preferred first.

    takes  "closed", "demands" or "routes": the form of the network.

    >>> [row.name for row in rows("closed")][:2]
    ['mva', 'convolution']
    """
    return [row for row in TABLE if row.takes == takes]


def row_of(name: str, takes: str) -> MethodRow | None:
    """The row of a method by `name` that `takes` networks in one form; None where there is none.

    >>> row_of("linearizer", "demands").trust
    'approximate'
    """
    return next((row for row in TABLE if row.name == name and row.takes == takes), None)


def names() -> tuple[str, ...]:
    """The names of all methods, which `--method` takes besides `auto`.

    >>> names()[:2]
    ('open', 'qna')
    """
    return tuple(dict.fromkeys(row.name for row in TABLE))


def knows_no_order(name: str) -> bool:
    """Whether a method for demands of closed classes ignores the order of arrival.

    name  of a method of the table; false for any other name, and for "auto".

    >>> knows_no_order("convolution")
    True
    """
    supported = [row.supports for row in TABLE if row.name == name and row.takes != "routes"]
    return any("closed" in supports and "order of arrival" not in supports for supports in supported)


def approximates_closed(name: str) -> bool:
    """Whether a method is an approximation for closed classes only.

    name  of a method of the table, or "auto".

    >>> approximates_closed("qna")
    False
    """
    return any(
        row.name == name and row.trust == "approximate" and "no closed classes" not in row.supports for row in TABLE
    )
