"""Second phases of closed classes: their rate is that of the passages, which they slow down in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import lazy
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
"""Relative change of a rate: well below printed digits, and above the rounding of the networks inside."""
_HIGHEST = 1 - 1e-6
"""The largest load of a station by open classes and second phases at which the network is solved."""
_UNDAMPED = 12
"""Undamped rounds."""
_PATIENCE = 30
"""Damped rounds without progress after which the rates are given up: each solves a network."""
_LEAST = 1e-9
"""The smallest load by second phases."""
_CERTAIN = 1.0 - 1e-9
"""Keeps a quotient finite where a probability is 1: any number just below 1 works."""
_STEEP = 16
"""The power of the utilization by which the share of second phases that arrivals observe rises to 1 at saturation."""

Rates = Mapping[int, Value]
"""Passages per second, by class."""


def second_phase_rates(
    network: RoutedNetwork,
    classes: Iterable[int],
    loads: Callable[[Rates], Mapping[Any, Value]],
    passages: Callable[[Rates], Rates],
    start: Rates | None = None,
) -> Rates:
    """The rates of second phases, equal to those of the passages.

    network   its classes; the passages of open ones are their arrivals.
    classes   those with second phases.
    loads     the utilizations of the stations by open classes and by second phases, at given rates.
    passages  the passages per second of the classes, with second phases at given rates.
    start     the rates in a nearby network; None: unknown.
    Returns   passages per second, by class.
    Raises    as `_fixed_point`.
    """
    known = {index: item.arrival_rate for index in classes if isinstance(item := network.classes[index], OpenClass)}
    unknown = tuple(index for index in classes if index not in known)
    if not unknown:
        return known
    operations: Operations = FLOATS if network.size is None else arrays()

    opened = loads({**known, **dict.fromkeys(unknown, 0.0)})

    def room(rates: Rates, most: float) -> Value:
        shares: list[Value] = [1.0]
        for key, load in loads({**known, **rates}).items():
            besides = opened.get(key, 0.0)
            # Where open classes leave no room, there is no steady state whatever the share is.
            besides = operations.where(besides < most, besides, 0.0)
            behind = load - besides
            shares.append(
                operations.where(load > most, (most - besides) / operations.where(behind > 0, behind, 1.0), 1.0)
            )
        return operations.minimum(shares)

    return {**known, **_fixed_point(unknown, network.size, room, lambda rates: passages({**known, **rates}), start)}


def share_at_arrival(
    network: RoutedNetwork, compiled: Streams, class_index: int, station: str, rate: Value, busy: Value
) -> Value:
    """The share of the second phases of a class at a shared station that its customers observe on arrival.

    Of N customers each finds the second phases of the N - 1 others as an outside observer does, and the one that it
    started, of L seconds, if it is not done when it returns, with a probability P: the product of L / (L + A) over the
    times A that it spends elsewhere meanwhile, without waits. One customer alone with a service of S seconds shares the
    station with its second phase for S L / (S + L) seconds, and before that is done starts more, of which P (2 - P)
    remains at its return where P of one piece does: its response is longer by the factor 1 + x,
    x = P q / (1 - q r P (2 - P)), q = L / (S + L), with r as P for the times elsewhere until it leaves. Other
    customers, there at the share U of the time, reduce that. A station of utilization 1 does all second phases while
    customers are there: the difference of the share from 1 is taken times 1 - U^16, so that the utilization never
    exceeds 1.

    network   with the class among its classes.
    compiled  the streams for one passage per second of every class.
    class_index  the class with second phases.
    station   the station of the second phases.
    rate      passages per second of the class.
    busy      the utilization of the station.
    """
    item = network.classes[class_index]
    if not isinstance(item, ClosedClass):
        return 1.0
    operations: Operations = FLOATS if network.size is None else arrays()
    visiting = [
        stream for stream in compiled.streams if stream.class_index == class_index and stream.station == station
    ]
    copies = {
        (other.name, index): group.copies for other in network.stations for index, group in enumerate(other.groups)
    }

    def visits_of(second_phase: bool) -> tuple[Value, Value]:
        visits = [
            (item.rate * copies[item.station, item.group], item) for item in visiting if item.left == second_phase
        ]
        count = total(number for number, _ in visits)
        return count, ratio(total(number * item.holding.mean for number, item in visits), count)

    (visits, served), (pieces, work) = visits_of(False), visits_of(True)
    crowd = operations.maximum([item.population, 1.0 + 0.0 * item.population])
    until_return, every = _times_elsewhere(item, station, operations)
    there = _unfinished(until_return, work, operations)
    older = _unfinished(every, work, operations) / there
    others = (crowd - 1.0) / crowd
    per_visit = ratio(operations.minimum([pieces, visits + 0.0 * pieces]), visits)
    full = operations.minimum([busy, 1.0 + 0.0 * busy])
    unserved = ratio(work, served + work)
    more = there * unserved / (1.0 - unserved * older * there * (2.0 - there) * (1.0 - others) * _CERTAIN)
    longer = per_visit * more * (1.0 - full * others)
    load = operations.maximum([rate * pieces * work, _LEAST + 0.0 * rate])
    from_others = operations.minimum([load * others, 1.0 + 0.0 * load])
    share = others + (1.0 - from_others) * longer / (1.0 + longer) / load
    return 1.0 - (1.0 - share) * (1.0 - full**_STEEP)


_Times = list[tuple[Value, Value]]
"""Pairs of the number of times, and the length of each."""


def _unfinished(times: _Times, work: Value, operations: Operations) -> Value:
    """The probability that exponential work is not done after all of some times."""
    there: Value = 1.0
    for count, time in times:
        part = ratio(time, time + work)
        there = there * operations.maximum([1.0 - part, 1e-30 + 0.0 * part]) ** count
    return there


def _times_elsewhere(item: ClosedClass, station: str, operations: Operations) -> tuple[_Times, _Times]:
    """The times without waits that a class spends elsewhere: from a second phase until its return, and in a passage."""
    every: _Times = [(1.0, item.think_time)]
    for route in item.routes:
        for step in route.steps:
            if step.phase == 1 and not (isinstance(step, Hold) and step.station == station):
                every.append((route.probability * step.visits, _time(step)))
    absent = return_times.between(item, station, operations) if return_times.plain(item.routes) else None
    if absent is None:
        return [(1.0, item.think_time)], [(1.0, item.think_time)]
    return [
        *((count, mean) for count, mean, _ in absent.delays),
        *((count, _time(hold)) for hold, count in absent.visits),
    ], every


def _time(step: Step) -> Value:
    if isinstance(step, Time):
        return step.mean
    return total(_time(inner) * inner.visits for inner in step.steps) if isinstance(step, Hold) else 0.0


def _fixed_point(
    classes: tuple[int, ...],
    size: int | None,
    room: Callable[[Rates, float], Value],
    passages: Callable[[Rates], Rates],
    start: Rates | None,
) -> dict[int, Value]:
    """The rates of second phases that equal those of the passages.

    classes   those with second phases.
    size      points of the batch; None for a single point.
    room      the share of second phases at given rates, at most 1, for which open classes leave room at a utilization.
    passages  the passages per second of each class, with second phases at given rates, of a load below 1.
    Returns   passages per second. Where the load at them is 1 or more there is no steady state: second phases pile up,
              and the passages are those at a station that is saturated by them.
    Raises    `NotComputed` QN511 where the rates do not converge to 1e-10.
    Method    Rounds with one step of memory. More second phases mean fewer passages, so that of one class there is one
              such rate, which false position encloses (Illinois: @dowell1971); of several,
              damped rounds with the memory of several.
    """
    rounds = _Rounds(classes, size, room, passages)
    rates, done = fixed_point.early_point(rounds.image, rounds.first(start), _UNDAMPED, TOLERANCE)
    if done:
        return rounds.by_class(rates)
    if len(classes) == 1:
        nothing = np.zeros((size or 1, 1, 1))
        rates = fixed_point.falling_points(rounds.image, nothing, TOLERANCE, rounds.saturating)
        if rounds.image(rates)[1].max() <= TOLERANCE:
            return rounds.by_class(rates)
    rates = fixed_point.fixed_points(partial(rounds.of_points, rates), rates, _PATIENCE)
    residual = rounds.image(rates)[1].max()
    if not residual <= TOLERANCE:
        what, reason = "the rate of second phases of closed classes", f"residual {residual:.1e}"
        raise fixed_point.not_converged(what, f"a residual of {TOLERANCE:.0e}", "try fewer customers", reason=reason)
    return rounds.by_class(rates)


class _Rounds:
    """One round over rates of second phases, arrays (points, 1, classes); arguments as of `_fixed_point`."""

    def __init__(
        self,
        classes: tuple[int, ...],
        size: int | None,
        room: Callable[[Rates, float], Value],
        passages: Callable[[Rates], Rates],
    ) -> None:
        self.classes, self.size, self.room, self.passages = classes, size, room, passages

    def first(self, start: Rates | None) -> Any:
        """The rates to begin with: those given, else those of the passages without second phases."""
        if start is None:
            return self.image(np.zeros((self.size or 1, 1, len(self.classes))))[0]
        columns = [np.broadcast_to(np.asarray(start[index], float), (self.size or 1,)) for index in self.classes]
        return np.stack(columns, axis=1)[:, None, :]

    def by_class(self, values: Any) -> dict[int, Value]:
        """Rates as numbers, or as arrays of points, by class."""
        columns = {index: values[:, 0, number] for number, index in enumerate(self.classes)}
        return columns if self.size is not None else {index: float(column[0]) for index, column in columns.items()}

    def image(self, values: Any) -> tuple[Any, Any]:
        """The rates of the passages with second phases at some rates, and by point the largest relative change."""
        rates = self.by_class(values)
        share = self.room(rates, _HIGHEST)
        part = share if self.size is not None else float(share)
        answer = self.passages({index: rate * part for index, rate in rates.items()})
        columns = [np.broadcast_to(answer[index], (len(values),)) for index in self.classes]
        after = np.stack(columns, axis=1)[:, None, :]
        change = np.abs(after - values) / np.maximum(np.maximum(after, values), 1e-300)
        return after, change.max((1, 2))

    def saturating(self, rates: Any) -> Any:
        """Rates scaled down to those that just saturate a station, where they exceed its capacity."""
        return rates * np.reshape(self.room(self.by_class(rates), 1.0), (-1, 1, 1))

    def of_points(self, rates: Any, chosen: Any) -> fixed_point.BatchMap:
        """The map of `image` for some points, which may repeat, while all others have the rates given.

        The entire batch is solved as often as its most repeated point.
        """
        points, times = np.unique(chosen, return_counts=True)

        def part(values: Any) -> tuple[Any, Any]:
            after, residual = np.empty(values.shape), np.empty(len(values))
            for turn in range(int(times.max())):
                every = rates.copy()
                rows = slice(turn, None, int(times.max()))
                every[points] = values[rows]
                images, changes = self.image(every)
                after[rows], residual[rows] = images[points], changes[points]
            return after, residual

        return part
