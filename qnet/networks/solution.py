"""Solutions of networks: figures by class, route and station, the method, and the reasons why they are approximate.

`Passages` keeps the routes through a network and the waits on them, for percentiles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qnet.expression import Value
from qnet.networks.duration import Wait
from qnet.networks.routed import RoutedNetwork
from qnet.networks.streams import Streams
from qnet.networks.wanted import Wanted
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.lazy import Flags
    from qnet.networks.near import Nearby


_NOTHING: Mapping[str, Value] = {}
_NO_STATION: Mapping[str, Mapping[str, Value]] = {}
_AS_SATURATED = 0.99
"""The utilization from which a station inside a full subnetwork counts as the cause of its saturation: a choice."""


class _Cache:
    """A part of a solution that changes no figure: all of one type are equal, so that solutions compare without it."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return 0


class Start(_Cache):
    """A solution of demands, from which the solution of a nearby network starts."""

    def __init__(self, demands: Any) -> None:
        self.demands = demands


class Variances(_Cache):
    """Waits with their variances, computed for the first percentile that needs them, and kept for the others."""

    def __init__(self) -> None:
        self.source: tuple[Any, ...] = ()
        """The parts of the passages of which these are the waits."""
        self.waits: Sequence[Wait] = ()

    def known(self, passages: Passages, compute: Callable[[], Sequence[Wait]]) -> Sequence[Wait]:
        """The waits of passages, computed anew unless they were for the same objects."""
        source = passages.compiled, passages.throughputs, passages.waits, passages.wanted
        if len(self.source) != len(source) or any(
            one is not other for one, other in zip(self.source, source, strict=True)
        ):
            self.waits = compute()
            self.source = source
        return self.waits


class Passages(Record):
    """A solved network as percentiles need it; nothing is computed to make it."""

    network: RoutedNetwork
    compiled: Streams
    throughputs: tuple[Value, ...]
    """Passages per second of every class."""
    waits: tuple[Wait, ...]
    """By stream."""
    identical: tuple[Value, ...] = ()
    """By stream of a parallel step: the share of the customers present on arrival that started together with it."""
    wanted: Wanted | None = None
    """Where the waits have no variances yet: the method and the budget to compute them."""
    demands: Any = None
    """Of a batch: the solution of its demands, from which that of a nearby network starts."""
    start: Start | None = None
    """Of a point: the same."""
    variances: Variances | None = None
    """Where the waits have no variances yet: those computed for percentiles."""
    copies: tuple[int, ...] = ()
    """By class: how many equal classes of the entire network it represents; empty: one each."""
    limited: tuple[Any, ...] = ()
    """The limited subnetworks that open classes enter, each a `memory.averages.Inside`."""
    part_of: tuple[tuple[int, int] | None, ...] = ()
    """By stream: the limited subnetwork where it waits, and its number among the streams inside, -1 for the wait for
    admission; None outside, and empty without limited subnetworks."""


class StationFigures(Record):
    """Figures of one group of copies of a station.

    Mean values: rates and numbers are totals of the group, utilization and wait are those of each copy.
    """

    name: str
    label: str
    copies: int
    servers: int | None
    """None where rates depend on the number present."""
    throughput: Value
    """Visits per second."""
    utilization: Value | None
    """Share of the servers that are busy, in [0, 1); None at a delay."""
    busy_servers: Value
    """Mean number of busy servers."""
    wait: Value | None
    """Mean wait per visit, over all streams; 0 at a delay; None where rates depend on the number present."""
    holding: Value
    """Mean time that a server is kept per visit, both phases, inner waits included; with rates, the entire time
    there."""
    residence: Value
    """The part of the mean response spent here, waits included; time in an inner hold counts at its station."""
    queue_length: Value
    """Mean number waiting and in service."""
    offered: Value | None = None
    """Visits per second, lost ones included; None where none are lost."""


class BufferFigures(Record):
    """Figures of a buffer, in places and seconds."""

    name: str
    places: Value
    offered: Value
    """Places requested per second."""
    throughput: Value
    """Places taken, and freed, per second."""
    occupancy: Value
    """Mean number of places taken."""
    found_full: Value
    """Blocking probability: all places are taken."""
    delay_when_full: Value
    """Mean wait for a place when all are taken; 0 where such arrivals are lost."""
    drain_rate: Value
    """The most places per second that can be freed; 0 where none are taken."""
    time_to_fill: Value
    """Time to fill from empty, where arrivals exceed the drain rate; infinite where they do not."""
    drained_by: str
    """The station that limits the drain."""


class ClassStationFigures(Record):
    """Figures of one class, or of one class of a chain, at one group of copies of a station, as in `StationFigures`."""

    class_name: str
    name: str
    label: str
    throughput: Value
    utilization: Value | None
    residence: Value
    """Seconds per passage; for a class of a chain, per passage of the chain."""
    queue_length: Value
    chain: str = ""
    """The chain of which it is a class; empty for a class of the network."""


class RouteFigures(Record):
    """Figures of one route."""

    class_name: str
    name: str
    probability: Value
    throughput: Value
    response: Value
    spent: dict[str, Value]
    """The residence time at each group of copies, by label; under "" that of delays."""
    served: dict[str, Value] | None = None
    """The part of `spent` that is not waiting, of routes with parallel steps, where it depends on the waits, and where
    customers may be lost, of the passages that are completed."""
    offered: Value | None = None
    """Passages per second that begin; None where none are lost. Throughput and response are of those completed."""


class ClassFigures(Record):
    """Figures of one class."""

    name: str
    throughput: Value
    response: Value
    population: Value | None = None
    """Customers of a closed class."""
    think_time: Value | None = None
    enclosed: tuple[Value, Value, Value, Value] | None = None
    """Lower and upper bounds of throughput, then of response, where the method is approximate and there are bounds."""
    offered: Value | None = None
    """As in `RouteFigures`."""


class BranchFigures(Record):
    """Figures of one kind of branch of a parallel step."""

    class_name: str
    route: str
    step: int
    """Which parallel step of its class it is, from 1."""
    name: str
    copies: int
    needed: int
    """How many of the `width` branches of the step must finish."""
    width: int
    count: Value
    """How often the step is made in a passage of the route."""
    time: Value
    """Mean time from the start of the step until the branch has finished."""
    total: Value
    """Mean time until enough branches have finished."""
    awaited: Value
    """The probability that the step waits for this branch, or one of its copies, as the last."""


class Limiting(Record):
    """A capacity and its use: a group of copies of a station, or a named limit."""

    name: str
    load: Value
    """Share of its capacity in use; at 1 and above there is no steady state."""
    certain: bool = True
    """Whether the load contains no waits, and so is known even without a steady state."""
    estimated: bool = False
    """Whether the capacity is approximate."""


class RoutedSolution(Record):
    """The steady state of a network; where `stable` is false the figures are meaningless."""

    stable: Value
    """A bool, or an array of one per point."""
    throughput: Value
    response: Value
    classes: tuple[ClassFigures, ...]
    routes: tuple[RouteFigures, ...]
    stations: tuple[StationFigures, ...]
    visits: tuple[ClassStationFigures, ...]
    loads: tuple[Limiting, ...]
    """Every capacity and its use, also without a steady state."""
    held_by: dict[str, dict[str, Value]]
    """For each station group held while others are waited for: the share of its holding time spent waiting for each."""
    method: str
    exact: bool
    reasons: tuple[str, ...]
    """Why the answer is not exact; empty where it is."""
    rounds: int
    """Rounds of the fixed point; 1 where there was nothing to iterate."""
    ceiling: tuple[Value, Any] | None = None
    """For a single closed class: the limit of its throughput with many customers, and the station that sets it; where
    times depend on the number inside, the largest throughput. Arrays for a batch, where wanted."""
    states: dict[str, tuple[float, ...]] | None = None
    """By label of a station group: the probabilities of 0, 1, ... customers of closed classes at a copy, where
    wanted."""
    log_constant: float | None = None
    """Logarithm of the normalising constant of the closed classes of a point, where the method has it."""
    why: str = ""
    """Why this method was taken, where there was a choice."""
    full_at: Mapping[str, Value] = _NOTHING
    """By label of a station that is held around a subnetwork: the passages per second that saturate it, where known."""
    used_when_full: Mapping[str, Mapping[str, Value]] = _NO_STATION
    """By label of such a station, the utilization of each station inside when all its servers are held."""
    network: RoutedNetwork | None = None
    """The network with mean values, where its values depend on the number of customers that hold a station."""
    branches: tuple[BranchFigures, ...] = ()
    """The branches of parallel steps."""
    warned: Flags | None = None
    """(P,) the points of a batch with a reason that is `Beyond`; None where that is not known by point."""
    warned_by: Mapping[str, Flags] | None = None
    """By such reason: (P,) the points that have it; None where that is not known by reason."""
    near: Nearby | None = None
    """Of a batch: its fixed points, from which those of a nearby batch converge sooner; None where there are none."""
    passages: Passages | None = None
    """The routes and waits for percentiles; None where the method has no second moments."""
    offered: Value | None = None
    """As in `RouteFigures`."""
    buffers: tuple[BufferFigures, ...] = ()

    def saturated_by(self, label: str, point: int | None = None) -> str:
        """The station that saturates a resource: itself, or one inside that is saturated when the resource is full.

        label  of a station group, or the name of a limit.
        point  of a batch; None for a single point.
        """
        while inside := self.used_when_full.get(label):
            used = {name: float(value if point is None else value[point]) for name, value in inside.items()}
            busiest = max(used, key=used.__getitem__)
            if used[busiest] < _AS_SATURATED:
                break
            label = busiest
        return label
