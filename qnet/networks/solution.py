"""What a solver answers: figures by class, route and station, how they were computed, and how far they can be
trusted.

What responses are made of, the ways through a network and the waits on them, is kept for further questions.
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


class _Aside:
    """What a solution has that changes no answer: all of a kind are equal."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return 0


class Start(_Aside):
    """A solution of demands from which that of a network that is nearly the same begins."""

    def __init__(self, demands: Any) -> None:
        self.demands = demands


class Variances(_Aside):
    """Waits with their variances, computed for the first percentile that needs them, and kept for all others."""

    def __init__(self) -> None:
        self.of: tuple[Any, ...] = ()
        self.waits: Sequence[Wait] = ()

    def known(self, passages: Passages, compute: Callable[[], Sequence[Wait]]) -> Sequence[Wait]:
        """Those of passages, computed where they are not of these very waits."""
        of = passages.compiled, passages.throughputs, passages.waits, passages.wanted
        if len(self.of) != len(of) or any(one is not other for one, other in zip(self.of, of, strict=True)):
            self.waits = compute()
            self.of = of
        return self.waits


class Passages(Record):
    """A solved network as percentiles need it. Only they do: nothing is computed to make it."""

    network: RoutedNetwork
    compiled: Streams
    throughputs: tuple[Value, ...]
    """Passages per second of every class."""
    waits: tuple[Wait, ...]
    """By stream."""
    identical: tuple[Value, ...] = ()
    """By stream, of parallel steps: the share of customers there on arrival that started together with other
    branches."""
    wanted: Wanted | None = None
    """Where the waits have no variances yet: the method and the budget to find them with."""
    demands: Any = None
    """Of a batch, the solution of its demands, a start for those of a network that is nearly the same."""
    start: Start | None = None
    """The same of a point."""
    variances: Variances | None = None
    """Where the waits have none yet: those that are computed."""
    copies: tuple[int, ...] = ()
    """By class: how many classes like it there are in the network of which this is a part; empty: one of each."""


class StationFigures(Record):
    """Figures of one group of copies of a station.

    Mean values; rates and lengths are totals of the group, utilization and wait of each copy.
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
    """Mean time a server is kept per visit, both phases, inner waits included; with `rates`, the entire time there."""
    residence: Value
    """Part of the mean response spent here, waits included; time inside an inner hold counts there."""
    queue_length: Value
    """Mean number waiting and in service."""
    offered: Value | None = None
    """Visits per second, lost ones included; None where none are lost."""


class BufferFigures(Record):
    """Figures of a buffer. Indices; times in seconds."""

    name: str
    places: Value
    offered: Value
    """Indices requested per second."""
    throughput: Value
    """Indices taken, and freed, per second."""
    occupancy: Value
    """Mean number of places taken."""
    found_full: Value
    """Blocking probability: all places are taken."""
    delay_when_full: Value
    """Mean time until there is a place for one that waits for it; 0 where arrivals that find none are lost."""
    drain_rate: Value
    """Indices per second that can be freed at most; 0 where none are taken."""
    time_to_fill: Value
    """Time to fill from empty, while the arrivals exceed the drain; infinite where they do not."""
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
    """Per passage: of the chain, where it is a class of one."""
    queue_length: Value
    chain: str = ""
    """Of a class of a chain."""


class RouteFigures(Record):
    """Figures of one route."""

    class_name: str
    name: str
    probability: Value
    throughput: Value
    response: Value
    spent: dict[str, Value]
    """The part of the response spent at each group of copies, by label, as residence is; under "" that of delays."""
    served: dict[str, Value] | None = None
    """The part of it that is not waiting, where the route has parallel steps: there it differs from that without any
    wait."""
    offered: Value | None = None
    """Passages per second that begin; None where none are lost. Throughput and response are of those completed."""


class ClassFigures(Record):
    """Figures of one class."""

    name: str
    throughput: Value
    response: Value
    population: Value | None = None
    """Of a closed class."""
    think_time: Value | None = None
    enclosed: tuple[Value, Value, Value, Value] | None = None
    """Bounds of throughput and response, the lower first, where a method is approximate and theory has bounds."""
    offered: Value | None = None
    """As of `RouteFigures`."""


class BranchFigures(Record):
    """Figures of one kind of branch of a parallel step."""

    class_name: str
    route: str
    step: int
    """Which parallel step of its class it is, from 1."""
    name: str
    copies: int
    needed: int
    """How many branches of the step must finish, of `width`."""
    width: int
    count: Value
    """How often the step is made in a passage of the route."""
    time: Value
    """Mean time from the start of the step until the branch has finished."""
    total: Value
    """Mean time until enough branches have."""
    awaited: Value
    """The probability that the step waits for this branch, or one of its copies, as the last."""


class Limiting(Record):
    """What is closest to saturation: a group of copies of a station, or a named limit."""

    name: str
    load: Value
    """Share of its capacity in use; at 1 and above there is no steady state."""
    certain: bool = True
    """Whether the load contains no waits, and so is known even without a steady state."""
    estimated: bool = False
    """Whether the capacity is that of an approximation."""


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
    """Every capacity and how much of it is used, also without a steady state."""
    held_by: dict[str, dict[str, Value]]
    """For each station group held while others are waited for: the share of its holding time spent waiting for each."""
    method: str
    exact: bool
    reasons: tuple[str, ...]
    """Why the answer is not exact; empty where it is."""
    rounds: int
    """Rounds of the fixed point; 1 where there was nothing to iterate."""
    ceiling: tuple[Value, Any] | None = None
    """Of one closed class alone: the limit of its throughput for many customers, and the limiting station; where times
    depend on the number inside, the most that it can be. Of a batch arrays, where they are asked for."""
    states: dict[str, tuple[float, ...]] | None = None
    """Of every station the probabilities of 0, 1, ... customers of closed classes at a copy, where asked for."""
    log_constant: float | None = None
    """Logarithm of the normalising constant of the closed classes of a point, where the method has it."""
    why: str = ""
    """Why this method was taken, where there was a choice."""
    full_at: Mapping[str, Value] = _NOTHING
    """By label of a station that is held around a subnetwork: the passages per second that it lets through at most,
    where that is known."""
    network: RoutedNetwork | None = None
    """The network as it is on average, where its numbers depend on how many customers hold a station."""
    branches: tuple[BranchFigures, ...] = ()
    """Of parallel steps."""
    warned: Flags | None = None
    """(P,) of which points of a batch some reason is `Beyond`; None where that is not known of each."""
    near: Nearby | None = None
    """Of a batch: from where the fixed points of one that is nearly the same converge sooner; None where there are
    none."""
    passages: Passages | None = None
    """What responses are made of; None where the method has no second moments."""
    offered: Value | None = None
    """As of `RouteFigures`."""
    buffers: tuple[BufferFigures, ...] = ()
