"""Networks with stations that serve one class before another: closed, open and mixed ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qnet.errors import NoAnswer, NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import lazy, np
from qnet.networks.exactness import PRIORITY
from qnet.networks.near import Nearby
from qnet.networks.product.closed_classes import refuse_without_time
from qnet.networks.product.demands import Demands
from qnet.networks.product.figures import figures
from qnet.networks.product.open_classes import ordered_stations, ranked
from qnet.networks.product.solution import Solution
from qnet.networks.reasons import Reason, approximation
from qnet.networks.wanted import Wanted, Work
from qnet.queues.arithmetic import total

if TYPE_CHECKING:
    from qnet.networks.closed import priorities
    from qnet.networks.product import arrays as product_arrays
    from qnet.networks.solvers.protocol import SolvePart
    from qnet.queues import waiting
else:
    priorities = lazy("qnet.networks.closed.priorities")
    product_arrays = lazy("qnet.networks.product.arrays")
    waiting = lazy("qnet.queues.waiting")

METHOD = PRIORITY
CLASSES = "closed"
APPLIES = (
    "head-of-line and preemptive-resume priorities; single and several servers, delays; any populations, fractional "
    "ones too"
)
COST = "iterations x classes^3 x stations"
SOURCE = "@bryant1984; corrected here"
_CELLS = 1_000_000
"""The most numbers of one array in a part of a large batch."""
_LARGEST = 20_000_000
"""The most numbers of one array of a point."""
STARVED = 0.9
"""The utilization by closed classes above which the capacity left to others is a difference of nearly equal numbers."""


def applies(network: Demands, wanted: Wanted) -> Reason | None:
    """Why it does not apply; None where it does."""
    return None if ranked(network) else Reason("no priorities")


def work(network: Demands, wanted: Wanted) -> Work:
    """Some hundred iterations over the pairs of classes at every station."""
    stations, classes = network.shape
    cells = float(stations * classes**2 * (network.size or 1))
    return Work(1e3 * cells, 50.0 * cells)


def solve(network: Demands, wanted: Wanted, solve_part: SolvePart) -> Solution:
    """The steady state of a network with priorities, with closed classes.

    Applies   single and several servers, delays; order by priority with and without preemption, first come first
              served within; processor sharing, and first come first served elsewhere; open classes with closed ones.
    network   a point or a batch, with open loads below every capacity.
    wanted    the budget, and in `near` the fixed points of a nearby network.
    Returns   `Solution`, never exact. An open class to which closed ones of higher priority leave too little has a
              throughput of 0.
    Raises    `NotComputed` QN546 for rates or too many classes, QN513 for state probabilities, QN511 where a fixed
              point is not proven; `NoAnswer` QN403.
    Method    `closed.priorities`.
    """
    _refuse(network, wanted)
    refuse_without_time(network)
    indices = [index for index, delay in enumerate(network.delay) if not delay]
    overall, residence = _arrays(network, indices)
    size, classes = overall.population.shape
    throughput, crowded = np.zeros((size, classes)), np.zeros(size, bool)
    at_once = max(1, _CELLS // max(1, len(indices) * classes**2))
    near, ended = wanted.near, list[Nearby]()
    if near is not None and not (near.method == METHOD and near.like(network.size, network.shape)):
        near = None
    for first in range(0, size, at_once):
        points = slice(first, first + at_once)
        count = len(range(size)[points])
        starts = near and (near if count == size else near.rows(range(size)[points])).values
        part = priorities.solve(overall.part(points) if count < size else overall, starts)
        ended.append(Nearby(METHOD, count, network.shape, None, part.starts))
        throughput[points], crowded[points] = part.throughput, part.overloaded
        residence[points, indices] = part.residence
    closed = np.array([class_index in network.closed for class_index in range(classes)])
    residence *= (~closed | (overall.population > 0))[:, None]
    # Where open classes get too little capacity, there is no steady state; closed ones have their throughputs.
    residence[crowded] = 0.0
    throughput[crowded] *= closed
    single = network.size is None
    rates = [float(column[0]) if single else column for column in throughput.T]
    rows = [[float(cell[0]) if single else cell for cell in np.moveaxis(residence, 0, -1)[index]]
            for index in range(network.shape[0])]  # fmt: skip
    why = "it has the smallest measured error in such networks"
    return Solution(
        network,
        figures(network, rates, rows),
        method=METHOD,
        method_reasons=(approximation(METHOD),),
        why=why,
        starts=Nearby.joined(ended).values,
    )


def _arrays(network: Demands, indices: list[int]) -> tuple[priorities.Ranked, Any]:
    """The queueing stations at some indices in arrays, and the demands (B, K, R) at delays."""
    table, ordered = product_arrays.NetworkArrays(network), set(ordered_stations(network))
    size, classes = len(table.demands), range(network.shape[1])
    closed = set(network.closed)
    disciplines = [
        priorities.SHARING
        if index not in ordered
        else priorities.PREEMPTIVE
        if network.disciplines[index] == "preemptive"
        else priorities.IN_ORDER
        for index in indices
    ]

    def column(values: Any, other: float) -> Any:
        cells = [other if value is None else value for value in values]
        return np.stack([np.broadcast_to(np.asarray(cell, float), (size,)) for cell in cells], axis=1)

    delay = np.where(np.array(network.delay)[None, :, None], table.demands, 0.0)
    overall = priorities.Ranked(
        demands=table.fast[:, indices],
        visits=table.visits[:, indices],
        service=table.each[:, indices],
        excess=table.excess[:, indices],
        memory=table.memory[:, indices],
        discipline=np.array(disciplines, int),
        rank=np.array([network.ranks(index) for index in indices], int).reshape(len(indices), len(classes)),
        population=column([network.population[class_index] for class_index in classes], np.inf),
        think_time=column(
            [network.think_time[class_index] if class_index in closed else 0.0 for class_index in classes], 0.0
        )
        + delay.sum(1),
        arrival_rate=column(network.arrival_rate, 0.0),
        servers=np.array([network.servers[index] for index in indices]),
    )
    return overall, delay


def refuse_unserved(solution: Solution) -> None:
    """Raise `NoAnswer` QN401 where closed classes of higher priority leave too little capacity to an open class."""
    network = solution.network
    for class_index in network.open:
        offered, carried = network.arrival_rate[class_index], solution.figures.throughput
        lost: Any = (offered > 0) & ((carried[class_index] if network.size is None else carried[:, class_index]) == 0)
        if lost if network.size is None else lost.any():
            variant = "" if network.size is None else f" in variant {int(lost.argmax())}"
            who = network.class_label(class_index)
            text = f"no steady state: classes served before open {who} leave it too little{variant}"
            raise NoAnswer(Problem("QN401", text, "fewer customers of higher priority, or fewer arrivals"))


def starved(solution: Solution) -> tuple[int, int, Any] | None:
    """A station, a class with closed ones of higher priority there, and the utilization by the classes of higher
    priority (an array for a batch), above `STARVED` at some point; None where there is no such class.
    """
    network, figures = solution.network, solution.figures
    stations, classes = range(network.shape[0]), range(network.shape[1])
    for station in stations if solution.method == METHOD else ():
        ranks = network.ranks(station)
        used = [_used(solution, station, class_index) for class_index in classes]
        for class_index in classes:
            higher = [other for other in classes if ranks[other] > ranks[class_index] and used[other]]
            if not used[class_index] or not any(other in network.closed for other in higher):
                continue
            busy: Any = total(
                figures.utilization[station][other] if network.size is None else figures.utilization[:, station, other]
                for other in higher
            )
            most = float(busy if network.size is None else busy.max())
            if most > STARVED:
                return station, class_index, busy
    return None


def _used(solution: Solution, station: int, class_index: int) -> bool:
    """Whether customers of a class visit a station."""
    network = solution.network
    rate = solution.figures.throughput
    some: Any = network.visit_ratio(station, class_index) * (
        rate[class_index] if network.size is None else rate[:, class_index]
    )
    return bool(some > 0) if network.size is None else bool((some > 0).any())


def refuse_starved(solution: Solution, stations: Sequence[str] = (), classes: Sequence[str] = ()) -> None:
    """Raise `NotComputed` QN589 where classes of higher priority leave next to no capacity to another.

    solution            by the method of this module; others are never refused.
    stations, classes   their names in the message; empty: those of the network.
    """
    result = starved(solution)
    if result is None:
        return
    index, class_index, busy = result
    where = stations[index] if stations else solution.network.station_label(index)
    who = f'"{classes[class_index]}"' if classes else solution.network.class_label(class_index)
    most = busy if solution.network.size is None else busy.max()
    text = f"closed classes served before {who} keep {where} {100 * most:.3g} % busy, which leaves it next to nothing"
    help = f"give the others fewer customers or longer think times, or {where} more servers; or leave {who} out, "
    help += "which changes the others little where they preempt it or its times are short"
    expected = f"at most {100 * STARVED:.0f} % to estimate the capacity left"
    error = NotComputed(Problem("QN589", text, expected, help=help))
    error.at = None if solution.network.size is None else np.asarray(busy > STARVED)
    raise error


def open_row(network: Demands, station: int) -> list[Value]:
    """The residences at a station with priorities that only open classes use.

    Source  see `qnet.queues.waiting`.
    """
    operations: Operations = FLOATS if network.size is None else arrays()
    ranks, classes = network.ranks(station), range(network.shape[1])
    loads: list[waiting.Load] = []
    for class_index in classes:
        visits, demand = network.visit_ratio(station, class_index), network.demand(station, class_index)
        each = demand / operations.where(visits > 0, visits, 1.0)
        square = (1.0 + network.variability(station, class_index)) * each**2
        load = waiting.Load(
            rate=network.arrival_rate[class_index] * visits, first=each, second=0.0, square=square, second_square=0.0,
            priority=ranks[class_index], holders=0,
        )  # fmt: skip
        loads.append(load)
    servers = network.servers[station]
    if network.disciplines[station] == "preemptive":
        waits = [mean for mean, _ in waiting.preemptive_waits(servers, loads)]
    else:
        at_arrival = waiting.queue(servers, loads, 0, operations)
        waits = [waiting.open_wait(at_arrival, rank)[0] for rank in ranks]
    return [
        network.demand(station, class_index) + network.visit_ratio(station, class_index) * waits[class_index]
        for class_index in classes
    ]


def _refuse(network: Demands, wanted: Wanted) -> None:
    """Raise for networks and figures that the method does not support."""
    if wanted.states:
        raise NotComputed(Problem("QN513", f"{METHOD} gives no state probabilities", "a network without priorities"))
    if any(rates is not None for rates in network.rates):
        where = network.station_label(ranked(network)[0])
        text = f"{where} has priorities, and another station has load-dependent rates"
        raise NotComputed(Problem("QN546", text, "servers in place of rates, or no priorities"))
    if network.shape[0] * network.shape[1] ** 2 > _LARGEST:
        raise NotComputed(Problem("QN546", "there are too many stations and classes", f"at most {_LARGEST} pairs"))
