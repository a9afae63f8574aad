"""Work that closed customers leave behind: it comes at the rate of their passages, which it slows down."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.networks.routed import ClosedClass, OpenClass, RoutedNetwork
from qnet.networks.streams import Streams
from qnet.queues.arithmetic import ratio, total

TOLERANCE = 1e-10
_FULLEST = 1 - 1e-6
"""The largest load of a station with which the rest of a network is solved."""

_QUICK = 12
"""Rounds that are not damped."""

_STEEP = 16
"""How steeply the share of work left that is met rises to all of it where a station gets full."""

Rates = Mapping[int, Value]
"""Passages per second, by class."""


def left_rates(
    network: RoutedNetwork,
    classes: Iterable[int],
    loads: Callable[[Rates], Mapping[Any, Value]],
    passages: Callable[[Rates], Rates],
) -> Rates:
    """How often a second classes leave work behind: at the rate of their passages.

    network   its classes; those that are open pass at the rate of their arrivals.
    classes   those that leave work behind.
    loads     the shares of the stations in use by open classes and by the work left at some rates.
    passages  the passages per second of the classes, where work is left at some rates.
    Raises    as `settled_rates`.
    """
    known = {kind: item.arrival_rate for kind in classes if isinstance(item := network.classes[kind], OpenClass)}
    unknown = tuple(kind for kind in classes if kind not in known)
    if not unknown:
        return known
    operations: Operations = FLOATS if network.size is None else arrays()

    def load(rates: Rates) -> Value:
        return operations.maximum([0.0, *loads({**known, **rates}).values()])

    return {**known, **settled_rates(unknown, network.size, load, lambda rates: passages({**known, **rates}))}


def met_share(network: RoutedNetwork, compiled: Streams, kind: int, busy: Value) -> Value:
    """How much of what a class leaves at a station its customers meet there, of what outside observers see.

    Customers leave nothing behind while they are served, and what they left before is partly done when they come back:
    1 - Z / (2 N (Z + L)), of N customers who think Z and leave work of L seconds. Between the two extremes that they
    meet all of their own and nothing of it lie the chains of small systems. A station that is always busy does all of
    it in their time: what is missing of 1 is taken times 1 - U^16 at a utilization U, which is then never above 1.

    compiled  the streams for one passage per second of every class.
    busy      the utilization of the station by all that is asked of it.
    """
    item = network.classes[kind]
    if not isinstance(item, ClosedClass):
        return 1.0
    copies = {
        (station.name, place): group.copies
        for station in network.stations
        for place, group in enumerate(station.groups)
    }
    work = total(
        stream.rate * copies[stream.station, stream.group] * stream.holding.mean
        for stream in compiled.streams
        if stream.left and stream.class_index == kind
    )
    operations: Operations = FLOATS if network.size is None else arrays()
    crowd = operations.maximum([item.population, 1.0 + 0.0 * item.population])
    missing = ratio(item.think_time, item.think_time + work) / (2.0 * crowd)
    return 1.0 - missing * (1.0 - operations.minimum([busy, 1.0 + 0.0 * busy]) ** _STEEP)


def settled_rates(
    classes: tuple[int, ...], size: int | None, load: Callable[[Rates], Value], passages: Callable[[Rates], Rates]
) -> dict[int, Value]:
    """The rates at which classes leave work behind and pass alike.

    classes   those that leave work behind.
    size      points of the batch; None for one.
    load      the largest share of a station in use by open classes and by the work left at some rates.
    passages  the passages per second of each class, where work is left at some rates, with a load below 1.
    Returns   passages per second. Where the load at them is 1 or more there is no steady state: what is left behind
              piles up, and the passages are those beside a station that is full of it.
    Raises    `NotComputed` QN511 where no rates are found whose passages are the same within 1e-10.
    Method    Rounds with the memory of the last one, then damped ones with the memory of several. More work left means
              fewer passages, so that of one class there is one such rate.
    """
    import numpy

    from qnet.networks.closed.accelerated import Image, settled

    np: Any = numpy

    def spread(values: Any) -> dict[int, Value]:
        columns = {kind: values[:, 0, place] for place, kind in enumerate(classes)}
        return columns if size is not None else {kind: float(column[0]) for kind, column in columns.items()}

    def image(values: Any) -> tuple[Any, Any]:
        rates = spread(values)
        calm = np.minimum(1.0, _FULLEST / np.maximum(load(rates), _FULLEST))
        found = passages({kind: rate * (calm if size is not None else float(calm)) for kind, rate in rates.items()})
        after = np.stack([np.broadcast_to(found[kind], (len(values),)) for kind in classes], axis=1)[:, None, :]
        change = np.abs(after - values) / np.maximum(np.maximum(after, values), 1e-300)
        return after, change.max((1, 2))

    found = image(np.zeros((size or 1, 1, len(classes))))[0]
    memory: tuple[Any, Any] | None = None
    for _ in range(_QUICK):
        after, residual = image(found)
        if residual.max() <= TOLERANCE:
            return spread(found)
        moves = after - found
        step = after
        if memory is not None:
            change = moves - memory[1]
            weight = (change * moves).sum((1, 2)) / np.maximum((change * change).sum((1, 2)), 1e-300)
            weight = np.clip(weight, -1.0, 0.9)[:, None, None]
            step = after - weight * (after - memory[0])
        memory = (after, moves)
        found = np.maximum(step, 0.0)

    def images(chosen: Any) -> Image:
        places, times = np.unique(chosen, return_counts=True)

        def part(values: Any) -> tuple[Any, Any]:
            # A network is solved for all points of its batch, or for none; as often as points are asked for.
            after, residual = np.empty(values.shape), np.empty(len(values))
            for turn in range(int(times.max())):
                whole = found.copy()
                own = slice(turn, None, int(times.max()))
                whole[places] = values[own]
                images, changes = image(whole)
                after[own], residual[own] = images[places], changes[places]
            return after, residual

        return part

    found = settled(images, found)
    residual = image(found)[1].max()
    if not residual <= TOLERANCE:
        text = f"the rate at which closed classes leave work behind did not converge: residual {residual:.1e}"
        raise NotComputed(Problem("QN511", text, f"a residual of {TOLERANCE:.0e}", help="try fewer customers"))
    return spread(found)
