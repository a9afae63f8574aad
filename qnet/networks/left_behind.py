"""Work that closed customers leave behind: it comes at the rate of their passages, which it slows down."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import lazy, np
from qnet.networks.routed import ClosedClass, Hold, OpenClass, RoutedNetwork, Step, Time
from qnet.networks.streams import Streams
from qnet.queues.arithmetic import ratio, total

if TYPE_CHECKING:
    from qnet.networks import fixed_point
    from qnet.networks.closed import return_times
else:
    return_times = lazy("qnet.networks.closed.return_times")
    fixed_point = lazy("qnet.networks.fixed_point")

TOLERANCE = 1e-10
_FULLEST = 1 - 1e-6
"""The largest load of a station with which the rest of a network is solved."""

_QUICK = 12
"""Rounds that are not damped."""

_LEAST = 1e-9
"""The least load by work that is left."""
_CERTAIN = 1.0 - 1e-9
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


def met_share(network: RoutedNetwork, compiled: Streams, kind: int, station: str, rate: Value, busy: Value) -> Value:
    """How much of what a class leaves at a shared station its customers meet there, of what outside observers see.

    Of N customers each meets what the N - 1 others have left as an observer does, and his own work of L seconds if it
    is not done when he comes back, with a probability P: the product of L / (L + A) over the times A that he spends
    elsewhere meanwhile, without waits. One customer alone who is served S seconds shares the station with his own work
    for S L / (S + L) seconds, and before it is done leaves more, of which P (2 - P) is left next time where P of one
    piece is: his response is longer by the factor 1 + x, x = P q / (1 - q r P (2 - P)), q = L / (S + L), with r as P
    for the times elsewhere until he leaves it. Others who are there at the share U of the time make that less. A
    station that is always busy does all that is left in its customers' time: what is missing of 1 is taken times
    1 - U^16, so that the utilization is never above 1.

    compiled  the streams for one passage per second of every class.
    station   where the work is left.
    rate      passages per second of the class.
    busy      the utilization of the station by all that is asked of it.
    """
    item = network.classes[kind]
    if not isinstance(item, ClosedClass):
        return 1.0
    operations: Operations = FLOATS if network.size is None else arrays()
    here = [stream for stream in compiled.streams if stream.class_index == kind and stream.station == station]
    copies = {
        (other.name, place): group.copies for other in network.stations for place, group in enumerate(other.groups)
    }

    def asked(left: bool) -> tuple[Value, Value]:
        own = [(item.rate * copies[item.station, item.group], item) for item in here if item.left == left]
        often = total(number for number, _ in own)
        return often, ratio(total(number * item.holding.mean for number, item in own), often)

    (visits, served), (pieces, work) = asked(False), asked(True)
    crowd = operations.maximum([item.population, 1.0 + 0.0 * item.population])
    between_, every = _apart(item, station, operations)
    there = _undone(between_, work, operations)
    older = _undone(every, work, operations) / there
    others = (crowd - 1.0) / crowd
    often = ratio(operations.minimum([pieces, visits + 0.0 * pieces]), visits)
    full = operations.minimum([busy, 1.0 + 0.0 * busy])
    unserved = ratio(work, served + work)
    more = there * unserved / (1.0 - unserved * older * there * (2.0 - there) * (1.0 - others) * _CERTAIN)
    longer = often * more * (1.0 - full * others)
    load = operations.maximum([rate * pieces * work, _LEAST + 0.0 * rate])
    from_others = operations.minimum([load * others, 1.0 + 0.0 * load])
    share = others + (1.0 - from_others) * longer / (1.0 + longer) / load
    return 1.0 - (1.0 - share) * (1.0 - full**_STEEP)


_Times = list[tuple[Value, Value]]
"""How often, and how long."""


def _undone(times: _Times, work: Value, operations: Operations) -> Value:
    """The probability that an exponential piece of work is not done after some times."""
    there: Value = 1.0
    for often, time in times:
        part = ratio(time, time + work)
        there = there * operations.maximum([1.0 - part, 1e-30 + 0.0 * part]) ** often
    return there


def _apart(item: ClosedClass, station: str, operations: Operations) -> tuple[_Times, _Times]:
    """The times without waits that a class spends elsewhere, from leaving work until it comes again, and in all."""
    every: _Times = [(1.0, item.think_time)]
    for route in item.routes:
        for step in route.steps:
            if step.phase == 1 and not (isinstance(step, Hold) and step.station == station):
                every.append((route.probability * step.visits, _time(step)))
    found = return_times.between(item, station, operations) if return_times.plain(item.routes) else None
    if found is None:
        return [(1.0, item.think_time)], [(1.0, item.think_time)]
    return [
        *((often, mean) for often, mean, _ in found.delays),
        *((often, _time(hold)) for hold, often in found.visits),
    ], every


def _time(step: Step) -> Value:
    if isinstance(step, Time):
        return step.mean
    return total(_time(inner) * inner.visits for inner in step.steps) if isinstance(step, Hold) else 0.0


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
    Method    Rounds with the memory of the last one. More work left means fewer passages, so that of one class there is
              one such rate, which false position encloses; of several, damped rounds with the memory of several.
    """

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

    if len(classes) == 1:
        found = fixed_point.falling_points(image, np.zeros((size or 1, 1, 1)), TOLERANCE)
        if image(found)[1].max() <= TOLERANCE:
            return spread(found)

    def images(chosen: Any) -> fixed_point.BatchMap:
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

    found = fixed_point.fixed_points(images, found)
    residual = image(found)[1].max()
    if not residual <= TOLERANCE:
        what = f"the rate at which closed classes leave work behind: residual {residual:.1e}"
        raise fixed_point.not_converged(what, f"a residual of {TOLERANCE:.0e}", "try fewer customers")
    return spread(found)
