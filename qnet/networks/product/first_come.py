"""Networks with closed classes whose stations first come first served have no product form: corrected, not refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qnet.errors import NotComputed, Problem
from qnet.lazy import Array, lazy, np
from qnet.networks.exactness import RESIDUAL
from qnet.networks.product.closed_classes import refuse_without_time
from qnet.networks.product.demands import Demands
from qnet.networks.product.figures import figures
from qnet.networks.product.loads import product_form, ranked, reasons
from qnet.networks.product.solution import Solution
from qnet.networks.product.weighted import product_form_residence, shared, weighted, weights
from qnet.networks.wanted import Divided, Wanted
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.networks import measured_errors
    from qnet.networks.closed import first_come, second_phase
    from qnet.networks.measured_errors import Measured
    from qnet.networks.solvers.protocol import SolvePart
else:
    measured_errors = lazy("qnet.networks.measured_errors")
    first_come = lazy("qnet.networks.closed.first_come")
    second_phase = lazy("qnet.networks.closed.second_phase")

METHOD = RESIDUAL
_CELLS = 2_000_000
"""How many numbers of one array a part of a large batch may have."""
_LARGEST = 20_000_000
"""How many a point may have."""


def not_wanted(network: Demands, wanted: Wanted) -> str:
    """Why a network is not to be solved by the correction for residual service; empty where it is.

    wanted  `auto`, or the method by name.
    Raises  `NotComputed` QN552 for branches in parallel that it does not know, and QN513 where state probabilities are
            wanted that would be of other means; `Divided` where every point of a batch is to get the method it would
            get alone, and only some have product form.
    """
    refusal = _refusal(network)
    if wanted.states and (network.joins is not None or wanted.method == METHOD):
        if wanted.method == METHOD:
            return _NO_STATES
        raise NotComputed(Problem("QN513", _NO_STATES, f"auto, or {METHOD}"))
    if wanted.method == METHOD:
        return refusal
    if network.joins is not None:
        if refusal:
            raise NotComputed(Problem("QN552", f"branches in parallel, and {refusal}", "stations with servers"))
        return ""
    if refusal:
        return refusal
    if network.left and not wanted.states:
        return ""
    ours, theirs = measured(network)
    if theirs.median < ours.median:
        return "product form has the smaller measured error"
    needed: Any = False
    for station in lines(network):
        alike = product_form(network, station)
        needed = needed | ((not alike) if isinstance(alike, bool) else ~alike)
    if wanted.states and (needed if isinstance(needed, bool) else needed.any()):
        found = f"{METHOD} corrects the order of arrival, and {_NO_STATES}"
        help = "--method lattice-convolution takes such stations like processor sharing, means too"
        raise NotComputed(Problem("QN513", found, 'stations with product form, such as discipline "ps"', help=help))
    if wanted.each and network.size is not None and not isinstance(needed, bool) and needed.any() and not needed.all():
        raise Divided(needed)
    applies = needed if isinstance(needed, bool) else needed.any()
    return "" if applies else "the network has product form"


_NO_STATES = "it gives no state probabilities"


def measured(network: Demands) -> tuple[Measured, Measured]:
    """The measured errors of the correction, and of product form on the same systems, in the region of a network."""
    several = any(network.servers[station] > 1 for station in lines(network))
    name = "first come first served: several servers" if several else "first come first served"
    return measured_errors.MEASURED[name], measured_errors.MEASURED[f"{name}, by product form"]


def why_corrected(network: Demands) -> str:
    """Why the correction was taken and not product form, as the measured errors say."""
    ours, theirs = measured(network)
    return (
        "it has the smallest measured error there: "
        f"{100 * ours.median:.2g} % in the median, product form {100 * theirs.median:.2g} %"
    )


def lines(network: Demands) -> list[int]:
    """The queueing stations that serve first come first served."""
    return [
        station
        for station, discipline in enumerate(network.disciplines)
        if discipline in ("fcfs", "priority", "preemptive") and not network.delay[station]
    ]


def _refusal(network: Demands) -> str:
    """Why the correction does not apply; empty where it does."""
    if not network.closed:
        return "there are no closed classes"
    if ranked(network):
        return "a station serves one class before another"
    if any(rates is not None for rates in network.rates):
        return "a station has rates that depend on the number present"
    if network.shape[0] * len(network.closed) ** 2 > _LARGEST:
        return "there are too many stations and classes"
    return ""


def solve_first_come(network: Demands, wanted: Wanted, solve_part: SolvePart) -> Solution:
    """The steady state of a network with closed classes, with what customers wait first come first served corrected.

    Applies   single and several servers, delays; first come first served with times that differ between classes or
              are not exponential, and processor sharing; open classes beside the closed ones.
    network   a point or a batch, with open loads below every capacity.
    wanted    `near`: the solution of a network that is nearly the same, of as many points.
    solve_part   the chooser, for the same network with service shared at all stations.
    Returns   `Solution`, never exact.
    Raises    `NotComputed` QN511 where a fixed point is not proven; as `closed_classes.closed_part`.
    Method    `closed.first_come`; several servers as a fast one and a delay (Seidmann, Schweitzer, Shalev-Oren, Large
              Scale Systems 12 (1987) 91-107). Without parallel steps and work left behind, the waits are those of
              product form times the ratio of the corrected ones with and without the order of arrival (`weighted`):
              exact where times are equal and exponential.
    """
    refuse_without_time(network)
    table = Table(network)
    found = _corrected(table, wanted.near and wanted.near.starts)
    residence = found.residence
    if network.joins is None and not network.left:
        residence = _weighted(table, found, wanted, solve_part)
    return _solution(table, residence, found)


class _Corrected(Record):
    """What the correction gives."""

    residence: Any
    """(B, K, R) seconds."""
    throughput: Any
    """(B, C) of the closed classes."""
    starts: list[Any]


def _corrected(table: Table, starts: Any = None) -> _Corrected:
    """The network of a table, corrected for the order of arrival."""
    network = table.network
    own = list(network.closed)
    places = table.queues
    count = 1 if network.size is None else network.size
    at_once = max(1, _CELLS // max(1, len(places) * len(network.closed) ** 2))
    parts = [
        first_come.solve(table.lines(places).part(slice(first, first + at_once)), starts and starts[number])
        for number, first in enumerate(range(0, count, at_once))
    ]
    throughput, waits, met = (
        np.concatenate([part[place] for part in parts]) if parts else np.zeros((0, *shape))
        for place, shape in enumerate(((len(network.closed),), (len(places), len(network.closed)), (len(places),)))
    )
    residence: Array = np.where(np.array(network.delay)[None, :, None], table.demands, table.rest)
    opened = table.fast[:, places, :] + table.stretch[:, places, :] * met[..., None]
    residence[:, places, :] += np.where(table.closed, 0.0, opened)
    if network.left:
        after = np.concatenate([part.after for part in parts])
        for column, kind in network.left.items():
            behind = table.behind[:, places, column]
            # Beside the part that several servers do at once.
            found = table.fast[:, places, column] + table.visits[:, places, column] * after[..., own.index(kind)]
            found = found + table.rest[:, places, column]
            residence[:, places, column] = np.where(behind, found, residence[:, places, column])
    for place, kind in enumerate(own):
        # Rounding must not leave a wait where a class never comes.
        residence[:, places, kind] += np.where(table.visits[:, places, kind] > 0, waits[..., place], 0.0)
    return _Corrected(residence, throughput, [part.starts for part in parts])


def _weighted(table: Table, found: _Corrected, wanted: Wanted, solve_part: SolvePart) -> Any:
    """(B, K, R) the waits of product form, weighted by the correction for the order of arrival."""
    network = table.network
    alike = shared(network)
    known = product_form_residence(alike, wanted, solve_part)
    if known is None or not len(known):
        return found.residence
    like = Table(alike)
    weight = weights(like.demands, known, _corrected(like).residence)
    delay, servers = np.array(network.delay), np.array(network.servers, float)
    own, opened = list(network.closed), list(network.open)
    weight = np.where(delay[:, None], 1.0, weight)
    waits = np.where(delay[:, None], 0.0, np.maximum(found.residence - table.demands, 0.0))
    spare = np.where(delay, np.inf, servers * (1.0 - table.load.sum(-1)))
    outside = table.given_think_time
    residence = table.demands + waits * weight
    residence[:, :, own] = weighted(
        table.demands[:, :, own], waits[:, :, own], weight[:, :, own], spare, table.population, outside
    )
    if opened:
        cycle = outside + residence[:, :, own].sum(1)
        rate = np.where(table.population > 0, table.population / np.where(cycle > 0, cycle, 1.0), 0.0)[:, None]
        work = (table.weight * residence + table.excess * table.demands)[:, :, own]
        rest = (table.load * (table.weight + table.excess)[:, :, opened]).sum(-1)
        # What Poisson arrivals find at single servers follows from what the others wait.
        met = ((rate * work).sum(-1) + rest) / (1.0 - table.load.sum(-1))
        single = (~delay & (servers == 1))[:, None]
        residence[:, :, opened] = np.where(
            single, (table.demands + table.stretch * met[..., None])[:, :, opened], residence[:, :, opened]
        )
    return residence


def _solution(table: Table, residence: Any, found: _Corrected) -> Solution:
    """The answer, of (B, K, R) residences."""
    network = table.network
    own = list(network.closed)
    throughput = found.throughput
    if residence is not found.residence:
        cycle = table.given_think_time + residence[:, :, own].sum(1)
        throughput = np.where(table.population > 0, table.population / np.where(cycle > 0, cycle, 1.0), 0.0)
    for place, kind in enumerate(own):
        residence[:, :, kind] *= (table.population[:, place] > 0)[:, None]
    rates: list[Any] = list(network.arrival_rate)
    for place, kind in enumerate(own):
        rates[kind] = throughput[:, place] if network.size is not None else float(throughput[0, place])
    stations, classes = range(network.shape[0]), range(network.shape[1])
    rows = [
        [residence[:, station, kind] if network.size is not None else float(residence[0, station, kind])
         for kind in classes]
        for station in stations
    ]  # fmt: skip
    told = (f"{METHOD} is an approximation", *reasons(network))
    why = why_corrected(network)
    return Solution(network, figures(network, rates, rows), METHOD, told, why, found.starts)


class Table:
    """A network in arrays, (B, K, R), with several servers made a fast one and a rest."""

    def __init__(self, network: Demands) -> None:
        size = 1 if network.size is None else network.size
        stations, classes = network.shape

        def table(cell: Any) -> Array:
            found = np.empty((size, stations, classes))
            for station in range(stations):
                for kind in range(classes):
                    found[:, station, kind] = cell(station, kind)
            return found

        def column(values: Any) -> Array:
            return np.stack([np.broadcast_to(np.asarray(value, float), (size,)) for value in values], axis=1)

        self.network = network
        self.queues = [place for place, away in enumerate(network.delay) if not away]
        self.demands, self.visits = table(network.demand), table(network.visit_ratio)
        scv = table(network.variability)
        servers = np.array(network.servers, float)[None, :, None]
        self.fast = self.demands / servers
        self.rest = self.demands - self.fast
        line = np.zeros(stations, bool)
        line[lines(network)] = True
        ordered = line[None, :, None]
        each = np.where(self.visits > 0, self.fast / np.where(self.visits > 0, self.visits, 1.0), 0.0)
        self.each = each
        self.weight = np.where(ordered, each, 1.0)
        self.stretch: Array = np.where(ordered, self.visits, self.fast)
        self.excess = np.where(ordered, each * (scv - 1.0) / 2.0, 0.0)
        self.memory = np.where(ordered, each * np.where(scv > 1, 1.0 + scv, scv) / 2.0, 0.0)
        self.closed = np.array([kind in network.closed for kind in range(classes)])
        self.population = column([network.population[kind] for kind in network.closed])
        away = np.array(network.delay)[None, :, None]
        outside: Array = np.where(away, self.demands, self.rest).sum(1)
        own = list(network.closed)
        self.given_think_time = column([network.think_time[kind] for kind in own])
        self.think_time = self.given_think_time + outside[:, own]
        opened = list(network.open)
        rates = column([network.arrival_rate[kind] for kind in opened]) if opened else np.zeros((size, 0))
        self.behind = np.zeros(self.demands.shape, bool)
        """Where open classes are work that the customers who left it meet again."""
        for place, kind in network.left.items():
            self.behind[:, :, place] = line & (self.demands[:, :, kind] > 0) & (self.demands[:, :, place] > 0)
        self.load = np.where(self.behind, 0.0, self.fast)[:, :, opened] * rates[:, None, :]

    def lines(self, places: list[int]) -> Any:
        """The queueing stations and closed classes, with what open classes add to them."""
        own, opened = list(self.network.closed), list(self.network.open)

        def here(values: Any) -> Any:
            return values[:, places][:, :, own]

        load = self.load[:, places]
        return first_come.Lines(
            demands=here(self.fast),
            visits=here(self.visits),
            weight=here(self.weight),
            stretch=here(self.stretch),
            excess=here(self.excess),
            memory=here(self.memory),
            open_load=load.sum(-1),
            open_rest=(load * (self.weight + self.excess)[:, places][:, :, opened]).sum(-1),
            population=self.population,
            think_time=self.think_time,
            joins=None if self.network.joins is None else _Joins(self, places),
            left=self.left(places),
        )

    def left(self, places: list[int]) -> Any:
        """The work left behind that is met again, of every closed class."""
        if not self.network.left:
            return None

        own = list(self.network.closed)
        rows = [np.zeros((len(self.demands), len(places), len(own))) for _ in range(3)]
        for column, kind in self.network.left.items():
            here = self.behind[:, places, column]
            for row, values in zip(rows, (self.fast, self.each, self.excess), strict=True):
                row[..., own.index(kind)] = np.where(here, values[:, places, column], 0.0)
        absence = self.network.absence
        if absence is not None:
            passed = absence.passed[:, places][:, :, places]
            # Who comes while a server is free does not wait for his own work: little is known of the others.
            several = (np.array(self.network.servers)[places] > 1)[None, :, None]
            absence = absence.replace(
                mean=absence.mean[:, places],
                variance=absence.variance[:, places],
                decay=np.where(several, np.nan, absence.decay[:, places]),
                passed=passed,
            )
        return second_phase.Left(rows[0], rows[1], rows[2], absence)


class _Joins:
    """The joins of a network, over its queueing stations and closed classes alone."""

    def __init__(self, table: Table, places: list[int]) -> None:
        self.whole = table.network.joins
        self.places = places
        self.own = list(table.network.closed)
        self.shape = table.network.shape
        self.rest = table.rest[:, places][:, :, self.own]

    def __getitem__(self, chosen: Any) -> _Joins:
        part = object.__new__(_Joins)
        part.__dict__.update(self.__dict__)
        part.whole, part.rest = self.whole[chosen], self.rest[chosen]
        return part

    def __call__(self, residence: Any) -> Any:
        table = np.zeros((len(residence), *self.shape))
        rows, columns = np.array(self.places, int)[:, None], np.array(self.own, int)[None, :]
        table[:, rows, columns] = residence + self.rest
        return self.whole.extra(table)[:, self.own]
