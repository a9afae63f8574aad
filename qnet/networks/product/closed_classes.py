"""The closed classes of a network: what the open ones leave to them, and the method that solves them."""

from __future__ import annotations

from math import ceil
from typing import Any

from qnet.errors import NoAnswer, NotComputed, Problem
from qnet.lazy import np
from qnet.networks.closed import exact
from qnet.networks.closed.problem import ClosedFigures, ClosedNetwork, closed_network
from qnet.networks.product.demands import Demands
from qnet.networks.product.methods import METHODS, OF_PRODUCT_FORM
from qnet.networks.product.open_classes import capacities_left
from qnet.networks.wanted import Divided, Wanted
from qnet.queues.arithmetic import total
from qnet.record import Record

_SLOW = 2e9
"""Operations, estimated from above, from which on an answer takes a second or so."""
FAMILIES = {"mva": "lattice-mva", "convolution": "lattice-convolution"}
"""The form that a method has for several classes."""
_FEW = 300


class Answer(Record):
    """The figures of the closed classes and where they come from."""

    figures: ClosedFigures
    method: str
    reasons: tuple[str, ...]
    why: str


def closed_part(network: Demands, loads: list[Any], left: bool = True) -> ClosedNetwork:
    """The closed classes alone, at what open load leaves of every station.

    network  a point, or a batch in which only single servers and delays have open load.
    loads    open load of every station, in erlangs at rate 1.
    left     whether stations of several servers or rates have the capacities that are left, as exact methods want
             them, or their own, as approximations do that are told the open load.
    Raises   `NoAnswer` QN403 for a class with customers that has no time to spend.
    """
    refuse_without_time(network)
    most = most_present(network)
    rates: list[tuple[float, ...] | None] = []
    rows: list[list[Any]] = []
    for station, load in enumerate(loads):
        row = [network.demand(station, kind) for kind in network.closed]
        single = network.rates[station] is None and network.servers[station] == 1
        if network.delay[station] or single:
            rates.append(None)
            free = 1.0 if network.delay[station] else 1.0 - load
            rows.append([value / free for value in row])
        else:
            taken = load if left and _any(load) else 0.0
            rates.append(capacities_left(taken, network.capacities(station), most))
            rows.append(row)
    population = [network.population[kind] for kind in network.closed]
    think_time = [network.think_time[kind] for kind in network.closed]
    if network.size is not None:
        rows, population, think_time = _stacked(rows, population, think_time, network.size)
    return closed_network(rows, population, think_time, network.delay, rates, fractional=True)


def most_present(network: Demands) -> int:
    """As many customers as a station's capacities must be known for: those of all closed classes, and a few."""
    people: Any = total(network.population[kind] for kind in network.closed)
    return max(_FEW, ceil(people if network.size is None else people.max()))


def _stacked(rows: Any, population: Any, think_time: Any, size: int) -> tuple[Any, Any, Any]:
    """Arrays with the batch axis first."""
    table = np.empty((size, len(rows), len(population)))
    for station, row in enumerate(rows):
        for kind, value in enumerate(row):
            table[:, station, kind] = value
    return table, np.stack(population, axis=1), np.stack(think_time, axis=1)


def _any(load: Any) -> bool:
    return bool(load.any()) if hasattr(load, "any") else load != 0


def solve_closed(network: Demands, loads: list[Any], wanted: Wanted, states_needed: bool = False) -> Answer:
    """The closed classes by the method asked for, or by the best that is affordable.

    network        a point, or a batch as `closed_part` wants it.
    loads          open load of every station, in erlangs at rate 1.
    states_needed  whether exact methods must give state probabilities, for open classes at several servers.
    Raises         `NotComputed` QN513 where a named method does not apply, QN515 where it is too large for the
                   budget, QN511 where it does not converge; `NoAnswer` for a class without any time to spend.
    """
    states = wanted.states or states_needed
    if wanted.each and wanted.method == "auto" and network.size is not None:
        _divide(_whole(network))
    if wanted.method in OF_PRODUCT_FORM:
        if wanted.states:
            raise _refused(wanted.method, "it gives no state probabilities", "an exact method")
        return _approximate(network, loads, wanted, "asked for", (wanted.method,))
    if wanted.method != "auto":
        closed = closed_part(network, loads)
        if _fractional(closed):
            raise _refused(wanted.method, "a population is fractional", "whole populations, or " + OF_PRODUCT_FORM[0])
        return _forced(closed, wanted, states)
    failure: NotComputed | None = None
    try:
        closed = closed_part(network, loads)
        if not _fractional(closed):
            return _affordable(closed, wanted, states)
        why = "a population is fractional, and exact methods need whole ones"
    except NotComputed as error:
        failure = error
        why = error.problems[0].found
    if wanted.states:
        raise NotComputed(Problem("QN515", f"state probabilities: {why}", "an exact method within the budget"))
    try:
        return _approximate(network, loads, wanted, why, OF_PRODUCT_FORM)
    except NotComputed as error:
        if failure is None or error.problems[0].code != "QN513":
            raise
        problem = failure.problems[0]
        help = "approximations take servers and no other rates; allow more with --operations and --memory"
        raise NotComputed(problem.replace(help=help)) from None


def _affordable(closed: ClosedNetwork, wanted: Wanted, states: bool) -> Answer:
    """The exact method that costs least, where the budget allows one."""
    if wanted.announce:
        _announce(closed, wanted, states)
    if closed.size is None:
        figures = exact.solve(closed, states, wanted.operations, wanted.memory)
    else:
        if closed.size:
            largest = closed.point(int(closed.population.sum(1).argmax()))
            found = exact.choices(largest, states)
            if wanted.each and not _fits(found, wanted):
                _divide(_fitting(closed, wanted, states))
            _afford(found, wanted, 1 if wanted.each else closed.size)
        figures = exact.solve(closed, states, wanted.operations, wanted.memory)
    why = "the cheapest of the methods that are exact for product form"
    return Answer(figures, figures.method or "mva", (), why)


def _fits(found: list[tuple[str, Any]], wanted: Wanted) -> bool:
    """Whether the cheapest method of a point is within the budget."""
    return found[0][1].operations <= wanted.operations and found[0][1].bytes <= wanted.memory


def _fitting(closed: ClosedNetwork, wanted: Wanted, states: bool) -> Any:
    """Which variants have an exact answer within the budget; those of one population are alike."""
    _, firsts, place = np.unique(closed.population, axis=0, return_index=True, return_inverse=True)
    fits = [_fits(exact.choices(closed.point(first), states), wanted) for first in firsts.tolist()]
    return np.array(fits)[place.reshape(-1)]


def _divide(first: Any) -> None:
    """Raise `Divided` where some variants need one kind of method and some another."""
    if first.any() and not first.all():
        raise Divided(first)


def _announce(closed: ClosedNetwork, wanted: Wanted, states: bool) -> None:
    """Tell that an exact answer takes a while, where it is affordable at all."""
    points, largest = closed.size or 1, closed
    allowed = wanted.operations * (points if wanted.each else 1)
    if closed.size:
        largest = closed.point(int(closed.population.sum(1).argmax()))
    found = exact.choices(largest, states)
    if found and wanted.announce and _SLOW <= found[0][1].operations * points <= allowed:
        seconds = max(1, round(found[0][1].operations * points / 2e9))
        wanted.announce(f"solving exactly by {found[0][0]}, about {seconds} s; --method linearizer answers at once")


def _afford(found: list[tuple[str, Any]], wanted: Wanted, times: int) -> None:
    """Refuse a batch of which even the cheapest method takes more than the budget."""
    name, need = found[0]
    operations = need.operations * times
    if operations > wanted.operations or need.bytes > wanted.memory:
        text = f"too large for an exact answer ({name}: {operations:.1e} operations, {need.bytes:.1e} bytes)"
        raise NotComputed(Problem("QN515", text, _budget(wanted)))


def _budget(wanted: Wanted) -> str:
    return f"at most {wanted.operations:.1e} operations and {wanted.memory:.1e} bytes"


def _forced(closed: ClosedNetwork, wanted: Wanted, states: bool) -> Answer:
    """A named exact method, or why it does not apply."""
    points = [closed] if closed.size is None else [closed.point(index) for index in range(closed.size)]
    times = 1 if wanted.each else len(points)
    name = wanted.method
    several = sum(count > 0 for count in closed.population) if closed.size is None else closed.classes
    if name in FAMILIES and several > 1:
        name = FAMILIES[name]
    if METHODS[name].trust != "exact":
        raise _refused(name, "nothing here is what it is for", "auto, or an exact method")
    module = exact.module(name)
    for point in points:
        reason = module.refusal(point, states) or (module.refusal(closed, states) if closed.size else "")
        if reason:
            others = ", ".join(other for other, _ in exact.choices(point, states))
            raise _refused(name, reason, others or "an approximation")
        need = module.work(point, states) if name in exact.WITH_STATES else module.work(point)
        if need.operations * times > wanted.operations or need.bytes > wanted.memory:
            text = f"{name} takes {need.operations * times:.1e} operations and {need.bytes:.1e} bytes"
            help = "allow more with --operations and --memory, or leave the choice to auto"
            raise NotComputed(Problem("QN515", text, _budget(wanted), help=help))
    figures = module.solve(closed, states) if name in exact.WITH_STATES else module.solve(closed)
    return Answer(figures, name, (), "asked for")


def _approximate(network: Demands, loads: list[Any], wanted: Wanted, why: str, names: tuple[str, ...]) -> Answer:
    """The first of the approximations that converges within its own laws."""
    from qnet.networks.closed import approximate

    closed = closed_part(network, loads, left=False)
    open_load: Any = None
    if any(rates is not None and _any(load) for rates, load in zip(closed.rates, loads, strict=True)):
        open_load = tuple(0.0 if rates is None else load for rates, load in zip(closed.rates, loads, strict=True))
    failure: NotComputed | None = None
    for name in names:
        try:
            correction = wanted.correction or approximate.DEFAULT_CORRECTION
            figures = approximate.solve(closed, name, correction, wanted.core_solutions, open_load)
        except NotComputed as error:
            failure = failure or error
            continue
        told = why if failure is None else f"{why}; {names[0]}: {failure.problems[0].found}"
        return Answer(figures, name, (f"{name} is an approximation",), told)
    assert failure is not None
    raise failure


def _whole(network: Demands) -> Any:
    """Which variants have whole populations."""
    counts = np.stack([network.population[kind] for kind in network.closed], axis=1)
    return (counts == counts.round()).all(axis=1)


def _fractional(closed: ClosedNetwork) -> bool:
    if closed.size is None:
        return any(count != int(count) for count in closed.population)
    return bool((closed.population != closed.population.round()).any())


def _refused(name: str, reason: str, expected: str) -> NotComputed:
    return NotComputed(Problem("QN513", f"{name} does not apply: {reason}", expected))


def refuse_without_time(network: Demands) -> None:
    """Raise `NoAnswer` for a closed class that spends no time anywhere."""
    for kind in network.closed:
        time = network.think_time[kind] + total(network.demand(station, kind) for station in range(network.shape[0]))
        endless: Any = (network.population[kind] > 0) & (time <= 0)
        if not (endless if network.size is None else endless.any()):
            continue
        variant = "" if network.size is None else f" in variant {int(endless.argmax())}"
        found = f"class {kind} has customers and neither demand nor think time{variant}: its throughput has no limit"
        raise NoAnswer(Problem("QN403", found, "some time to spend in each passage"))
