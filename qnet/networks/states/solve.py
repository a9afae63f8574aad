"""Small networks without product form, exactly: by the Markov chain of all their states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import comb, log
from typing import TYPE_CHECKING

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import lazy, np
from qnet.networks.capacity.flows import Losses, with_offered
from qnet.networks.duration import NOTHING, Wait
from qnet.networks.exactness import STATES, Beyond, ranked
from qnet.networks.figures import Steady, figures, not_above_one
from qnet.networks.routed import ClosedClass, Hold, OpenClass, RoutedNetwork
from qnet.networks.solution import ClassFigures, RoutedSolution, StationFigures
from qnet.networks.states.average import averaged
from qnet.networks.states.branches import spread, with_branches
from qnet.networks.states.chain import TooLarge, stationary, walk
from qnet.networks.states.compiler import program
from qnet.networks.states.figures import Found, Where, means
from qnet.networks.states.machine import Machine
from qnet.networks.states.program import NotCovered, Program
from qnet.networks.states.responses import responses
from qnet.networks.states.stores import buffers
from qnet.networks.streams import Key, Streams, streams
from qnet.networks.wanted import Divided, Wanted
from qnet.queues.arithmetic import ratio, total

if TYPE_CHECKING:
    from qnet.networks import closed_networks
else:
    closed_networks = lazy("qnet.networks.closed_networks")

NAME = STATES
MOST = 50_000
"""States of a chain that is asked for by name."""
_A_STATE = 1e5
"""Operations that finding a state and its transitions is worth, beside those of the elimination."""
_NEGLIGIBLE = 1e-12
"""The probability that customers from outside are as many as the chain knows, where more of them do not matter."""
LITTLE = 1e-3
"""The same, where more of them matter little: an approximation for networks that no other method solves."""
EVEN = 0.25
"""The scv that is taken for those that are too small for phases, of networks that no other method solves."""
_HOPEFUL = 6.0
"""How many times as many states as allowed may be expected where one more step is tried."""
_LOOKS = 3
"""How many times as many states as allowed are looked at in all, chain after chain."""
_FIRST = 6
"""Customers from outside that are tried first."""
_MOST_PASS = 0.9
"""The share of passages that are completed where the others hardly matter for the response."""
_FULLEST = 1.0 - 1e-15
"""A load of work after the response: there is a steady state where closed customers wait for it."""


def solve(network: RoutedNetwork, wanted: Wanted, most: int = MOST) -> RoutedSolution:
    """The steady state of a network, or of every point of a batch, by the Markov chain of all its states.

    Applies   closed, open and mixed classes; first come first served, by priority, interrupting or not, shared, and
              last come first served service; several servers, copies, rates; servers held around others, second
              phases, times that depend on the number inside a station; capacities, buffers, parallel steps, chains.
    network   rates per second, times in seconds, populations as whole numbers of customers.
    wanted    the budget: `operations`.
    most      states of a point.
    Returns   figures by class, route and station. Exact where all times are exponential; else those of the phase-type
              distributions that `program` tells. Of open classes, states with a probability of less than 1e-13 are
              left out.
    Raises    `NotComputed` QN513 where the network has what the chain does not know, QN515 where it is too large,
              QN517 where it has no single steady state.
    """
    if wanted.bounds:
        raise NotComputed(Problem("QN513", "bounds enclose product-form networks only", "no bounds"))
    if wanted.states:
        raise NotComputed(Problem("QN513", f"{NAME} gives no state probabilities of stations", "figures alone"))
    try:
        return _told(
            network, [_passing(point, solved(point, most, wanted.operations)) for point in _points(network)], wanted
        )
    except NotCovered as error:
        problem = Problem("QN513", f"{NAME} does not apply: {error}", "another method, or auto")
        raise NotComputed(problem) from None
    except TooLarge:
        text = f"the Markov chain of the network has more than {most} states, or takes too long to be solved"
        help = "fewer customers or stations; or another method, such as auto"
        raise NotComputed(Problem("QN515", text, "a smaller network", help=help)) from None
    except ArithmeticError as error:
        help = "another method, such as auto"
        raise NotComputed(Problem("QN517", f"the Markov chain: {error}", "one steady state", help=help)) from None


def tried(
    network: RoutedNetwork, wanted: Wanted, edge: float = _NEGLIGIBLE, even: float = 0.0
) -> RoutedSolution | None:
    """What `solve` tells, where it applies with the states that `auto` may look at; else None.

    edge     the probability of more customers from outside than the chain knows that may be left out.
    even     the scv that is taken for those that are too small for phases; 0 for none.
    Raises   `Divided` where it applies to some points of a batch.
    """
    found: list[Found | None] = []
    for point in _points(network):
        try:
            found.append(_passing(point, solved(point, wanted.chain, wanted.operations, edge, even)))
        except (NotCovered, TooLarge, ArithmeticError):
            found.append(None)
    answered = [item for item in found if item is not None]
    if len(answered) == len(found):
        return _told(network, answered, wanted)
    if answered:
        raise Divided(np.array([item is not None for item in found]))
    return None


def _passing(network: RoutedNetwork, found: Found) -> Found:
    """A solved chain; raises `ArithmeticError` where a closed class hardly ever passes: its waits have no digits."""
    most = max(found.often.values(), default=0.0)
    for kind, item in enumerate(network.classes):
        if isinstance(item, ClosedClass) and item.population > 0 and found.often.get(kind, 0.0) <= 1e-6 * most:
            raise ArithmeticError(f'"{item.name}" is hardly ever served with the others present')
    return found


def _points(network: RoutedNetwork) -> Iterator[RoutedNetwork]:
    """The network, or the points of a batch one by one."""
    if network.size is None:
        yield network
        return
    if any(not isinstance(step.exempt, float) for step in _holds(network)):
        raise NotCovered("the share that is exempt from a priority differs between points")
    for number in range(network.size):
        yield network.point(number)


def _holds(network: RoutedNetwork) -> Iterator[Hold]:
    """All holds of the routes."""
    waiting = [step for item in network.classes for route in item.routes for step in route.steps]
    while waiting:
        step = waiting.pop()
        if isinstance(step, Hold):
            yield step
            waiting += step.steps


def solved(network: RoutedNetwork, most: int, operations: float, edge: float = _NEGLIGIBLE, even: float = 0.0) -> Found:
    """The chain of a point of a network, solved; `edge` and `even` as of `tried`.

    Raises   `NotCovered`, `TooLarge`; `ArithmeticError` where it has no single steady state.
    """
    made = program(network, even)
    most = min(most, int(operations / _A_STATE))
    _refuse_many(network, most)
    if not made.unbounded:
        machine = Machine(made, 0)
        found = walk(machine.start(), machine.moves, most)
        return means(made, machine, found, stationary(found, operations))
    crowd, edges = _FIRST, dict[int, tuple[float, int]]()
    best: Found | None = None
    looked = 0
    while True:
        try:
            if looked > (_LOOKS * most if best is None else most):
                raise TooLarge
            machine = Machine(made, crowd)
            found = walk(machine.start(), machine.moves, most)
            looked += len(found.states)
            shares = stationary(found, operations)
            beyond = sum(
                share
                for share, state in zip(shares.tolist(), found.states, strict=True)
                if machine.outside(state) >= machine.edge
            )
            if beyond <= edge:
                best = means(made, machine, found, shares).replace(beyond=beyond)
            if beyond <= _NEGLIGIBLE:
                assert best is not None
                return best
            edges[crowd] = (beyond, len(found.states))
            before, crowd = crowd, _more(edges, most, _NEGLIGIBLE, edge)
            # The last number has states of its own, of arrivals that are not let in: the one before is typical.
            inner = sum(machine.outside(state) == machine.edge - 1 for state in found.states)
            more = _at_least(len(found.states), inner, crowd - before)
            # Where customers are lost, those who find no place have no state.
            if more > most and not network.limited:
                raise TooLarge
        except TooLarge:
            if best is None:
                raise
            return best


def _more(edges: Mapping[int, tuple[float, int]], most: int, *wanted: float) -> int:
    """How many customers from outside to look at next, given the probability of as many as were, and the states.

    wanted   the probabilities that are small enough, the best first; the first that will do is aimed at.
    Raises   `TooLarge` where there will be too many states for any.
    Method   Tails are geometric, and states grow like a power of the number.
    """
    (sooner, (_, fewer)), (later, (edge, states)) = ([(0, (1.0, 1)), *edges.items()])[-2:]
    before = edges.get(sooner, (1.0, 1))[0]
    if len(edges) == 1:
        return 2 * later
    falls = log(before / edge) / (later - sooner) if before > edge else 0.0
    if falls <= 0:
        raise TooLarge
    growth = log(states / fewer) / log(later / sooner)
    for aim in wanted:
        needed = later + max(int(1.1 * log(max(edge / aim, 1.0)) / falls) + 1, 2)
        guess = states * (needed / later) ** growth
        if guess <= 1.5 * most:
            return needed
        # Where something is bounded the states grow more slowly than at first.
        if guess <= _HOPEFUL * most and states * 2.0**growth <= most:
            return 2 * later
    raise TooLarge


def _at_least(states: int, inner: int, more: int) -> int:
    """How many states there are at least with `more` customers from outside.

    inner   those with one customer less than the most so far: each is also one with another customer, who waits behind
            all others, and so on.
    """
    return states + inner * more


def _refuse_many(network: RoutedNetwork, most: int) -> None:
    """Raise where a lower bound of the number of states is too large already, before any of them is looked at.

    The customers of a closed class are spread over think time and at least one place of its routes, all classes
    independently of each other.
    """
    count = 1
    for item in network.classes:
        if isinstance(item, ClosedClass):
            places = {getattr(step, "station", "") for route in item.routes for step in route.steps}
            places |= {"think"} if item.think_time > 0 else set()
            free = max(len(places) - 1, 0)
            count *= comb(int(item.population) + free, free)
        if count > most:
            raise TooLarge


def _told(network: RoutedNetwork, found: Sequence[Found], wanted: Wanted) -> RoutedSolution:
    """All figures of a network whose chains are solved, of each of its points."""
    operations: Operations = FLOATS if network.size is None else arrays()

    def column(values: Sequence[float]) -> Value:
        if network.size is None:
            return values[0]

        return np.array(values)

    def passing(mark: int) -> Value:
        return column([point.often.get(mark, 0.0) for point in found])

    made = found[0].program
    loses = bool(made.begun)
    throughputs = [
        item.arrival_rate if isinstance(item, OpenClass) and not loses else passing(kind)
        for kind, item in enumerate(network.classes)
    ]
    if network.profiles:
        network = averaged(network, made, passing, lambda nodes: column([point.served_at(nodes) for point in found]))
    names = {stream for point in found for stream in point.present}
    present = {stream: column([point.present.get(stream, 0.0) for point in found]) for stream in names}
    compiled = streams(network, operations, throughputs)
    if loses:
        compiled = _carried(network, compiled, {stream: passing(mark) for stream, mark in made.passing.items()})
    waits = _waits(network, compiled, present, operations)
    loads = _loads(network, compiled, operations)
    steady = Steady(network, throughputs, compiled, compiled.members(), waits, loads, operations)
    ended = {key: passing(mark) for key, mark in made.routes.items()}
    whole = {where for point in found for where in point.spent}
    spent: dict[Where, Value] = {
        where: column([point.spent.get(where, 0.0) for point in found]) for where in sorted(whole)
    }
    solution = figures(steady, NAME, 1)
    if made.forks:
        extra = spread(steady, found, throughputs, column)
        solution = with_branches(solution, steady, found, extra, column)
        for where, number in extra.spent.items():
            spent[where] = spent.get(where, 0.0) + number
    late = not made.early and any(point.often.get(mark, 0.0) for point in found for mark in _lost(network, made))
    waited = any(not buffer.loses for buffer in network.buffers)
    if late and waited:
        # Waits at stations are those of all visits; of waits for places only the states know.
        spent = {**_at_stations(network, solution, throughputs, ended), **{at: spent[at] for at in spent if not at[2]}}
    if waited or not late:
        solution = responses(solution, network, throughputs, ended, spent)
    if any(isinstance(step, Hold) for hold in _holds(network) for step in hold.steps):
        means = {key: column([point.rates[key] for point in found]) for key in found[0].rates}
        numbers = {key: total(present.get(index, 0.0) for index in own) + 0.0 for key, own in steady.members.items()}
        solution = _with_means(solution, network, means, numbers)
    if loses:
        kept = _kept(network, solution, {key: passing(mark) for key, mark in made.losing.items()})
        begun = [
            item.arrival_rate if isinstance(item, OpenClass) else passing(mark)
            for item, mark in zip(network.classes, made.begun, strict=True)
        ]
        solution = with_offered(solution, network, begun, Losses(kept, {}, {}))
    few = all(
        item.often.get(kind, 0.0) >= _MOST_PASS * item.often.get(mark, 0.0)
        for item in found
        for kind, mark in enumerate(made.begun)
    )
    phased = dict.fromkeys(name for point in found for name in point.program.phased)
    reasons = (
        *(f"{name} are taken as the phases of a mean and an scv" for name in phased),
        *_reasons(found, late, few),
    )
    classes: list[ClassFigures] = []
    for item, asked in zip(solution.classes, network.classes, strict=True):
        if isinstance(asked, ClosedClass):
            item = item.replace(population=asked.population, think_time=asked.think_time)
        classes.append(item)
    lacking = network.profiles or network.buffers or (loses and network.closed) or _held(network, compiled)
    lacking = lacking or (made.forks and network.closed)
    beside = None if lacking else solution.passages
    other = wanted.replace(announce=None, chain=0, method="auto", bounds="", states=False)
    size = max(len(point.states) for point in found)
    return solution.replace(
        exact=not reasons,
        reasons=reasons,
        classes=tuple(classes),
        stations=tuple(not_above_one(item, operations) for item in solution.stations),
        why=f"the Markov chain of all states of the network has {size} of them",
        ceiling=None if loses or network.profiles else _ceiling(network),
        network=network if network.profiles else None,
        buffers=buffers(network, compiled, waits, found, column, operations) if made.stores else (),
        passages=beside and beside.replace(wanted=other if network.closed else None),
    )


def _with_means(
    solution: RoutedSolution,
    network: RoutedNetwork,
    means: Mapping[Key, Value],
    numbers: Mapping[Key, Value],
) -> RoutedSolution:
    """The solution with the utilization of stations, and the numbers there, as the states have them.

    means    by station and group of copies: the mean rate of all copies together, of those who are elsewhere meanwhile
             as well. That of a class is in proportion to the time that its customers are served or held there.
    numbers  the mean number waiting and in service.
    """
    peaks = {station.name: station.peak for station in network.stations}
    places = dict.fromkeys(peaks, 0)
    stations: list[StationFigures] = []
    busier: dict[str, Value] = {}
    longer: dict[str, Value] = {}
    for item in solution.stations:
        key = (item.name, places[item.name])
        places[item.name] += 1
        if key in means and item.utilization is not None:
            longer[item.label] = ratio(numbers[key], item.queue_length)
            item = item.replace(queue_length=numbers[key])
            busy = means[key] / item.copies
            busier[item.label] = ratio(busy / peaks[item.name], item.utilization)
            item = item.replace(utilization=busy / peaks[item.name], busy_servers=means[key])
        stations.append(item)
    visits = tuple(
        item.replace(
            queue_length=item.queue_length * longer.get(item.label, 1.0),
            utilization=None if item.utilization is None else item.utilization * busier.get(item.label, 1.0),
        )
        for item in solution.visits
    )
    return solution.replace(stations=tuple(stations), visits=visits)


def _reasons(found: Sequence[Found], late: bool, few: bool) -> Iterator[str]:
    """Why the answer of chains is not exact, times apart; `late` where customers are lost who have spent time, `few`
    where most are not lost."""
    if late:
        text = "waits of passages that are lost later are counted as those of the others"
        yield text if few else Beyond(text, "QN657", f"{text}, and those are more than 10 %")
    beyond = max(point.beyond for point in found)
    if beyond > _NEGLIGIBLE:
        text = f"states with more customers from outside are left out, of a probability of {beyond:.1g}"
        yield Beyond("more customers from outside than the chain knows", "QN704", text)
    for name in dict.fromkeys(name for point in found for name in point.program.evened):
        text = f"{name} are taken as varying with an scv of {EVEN:g}, since no chain has times that are constant"
        yield Beyond("constant times as a few phases", "QN730", text)
    if any(point.program.at_once for point in found):
        text = "several things take no time at all: in which order they are done is a matter of definition"
        yield Beyond("services of no time are the limit of short ones", "QN703", text)


def _held(network: RoutedNetwork, compiled: Streams) -> bool:
    """Whether waits are of a kind of which no second moments are known: for held servers, and by priority."""
    behind = any(item.around or item.second is not NOTHING for item in compiled.streams)
    return behind or any(ranked(station, compiled.streams) for station in network.stations)


def _carried(network: RoutedNetwork, compiled: Streams, often: Mapping[int, Value]) -> Streams:
    """The streams at the rates of the visits that are made, where some passages end early."""
    copies = _copies(network)
    return compiled.replace(
        streams=tuple(
            stream.replace(rate=often[number] / copies[stream.station, stream.group]) if number in often else stream
            for number, stream in enumerate(compiled.streams)
        )
    )


def _lost(network: RoutedNetwork, made: Program) -> Iterator[int]:
    """The marks that count who is lost, at stations and at buffers."""
    yield from made.losing.values()
    for buffer, store in zip(network.buffers, made.stores, strict=True):
        if buffer.loses:
            yield from store.refused.values()


def _at_stations(
    network: RoutedNetwork,
    solution: RoutedSolution,
    throughputs: Sequence[Value],
    ended: Mapping[tuple[int, int], Value],
) -> dict[Where, Value]:
    """The mean number of customers before their response by class, route and station, as their visits wait there."""
    keys = [(station.name, place) for station in network.stations for place in range(len(station.groups))]
    labels = [group.label for station in network.stations for group in station.groups]
    places = [(kind, number) for kind, item in enumerate(network.classes) for number in range(len(item.routes))]
    return {
        (*place, *key): ended.get(place, throughputs[place[0]]) * item.spent.get(label, 0.0)
        for place, item in zip(places, solution.routes, strict=True)
        for key, label in zip(keys, labels, strict=True)
    }


def _kept(
    network: RoutedNetwork, solution: RoutedSolution, lost: Mapping[tuple[str, int], Value]
) -> dict[tuple[str, int], Value]:
    """The shares of the visits that find a place, by group of copies of a station with a capacity."""
    keys = [(station.name, place) for station in network.stations for place in range(len(station.groups))]
    kept: dict[tuple[str, int], Value] = {}
    for key, item in zip(keys, solution.stations, strict=True):
        if key in lost:
            asked = item.throughput + lost[key]
            kept[key] = ratio(item.throughput + (asked == 0), asked + (asked == 0))
    return kept


def _copies(network: RoutedNetwork) -> dict[tuple[str, int], int]:
    """The number of copies in every group."""
    return {
        (station.name, place): group.copies
        for station in network.stations
        for place, group in enumerate(station.groups)
    }


def _waits(
    network: RoutedNetwork, compiled: Streams, present: Mapping[int, Value], operations: Operations
) -> list[Wait]:
    """What every stream waits: the time that its requests are there, less that of their service (Little)."""
    copies = _copies(network)
    changing = {station.name for station in network.stations if station.rates is not None}
    waits: list[Wait] = []
    for number, stream in enumerate(compiled.streams):
        holding = stream.holding.mean_with(waits)
        rate = stream.rate * copies[stream.station, stream.group]
        idle = rate == 0
        wait = present[number] / (rate + idle) - holding if number in present else 0.0 * rate
        if stream.station not in changing:
            wait = operations.maximum([wait, 0.0 * wait])
        wait = operations.where(idle, 0.0 * wait, wait)
        waits.append(Wait(wait, wait * (wait + 2.0 * stream.holding.mean)))
    return waits


def _loads(network: RoutedNetwork, compiled: Streams, operations: Operations) -> dict[Key, Value]:
    """The load per server by open classes, and by work after the response."""
    opened = {kind for kind, item in enumerate(network.classes) if isinstance(item, OpenClass)}
    loads: dict[Key, Value] = {}
    for station in network.stations:
        for place in range(len(station.groups)):
            own = [
                item.rate * item.holding.mean
                for item in compiled.streams
                if (item.station, item.group) == (station.name, place) and (item.left or item.class_index in opened)
            ]
            if own and not station.delay and station.capacity is None:
                load = total(own) / station.peak
                loads[station.name, place] = operations.minimum([load, _FULLEST + 0.0 * load])
    return loads


def _ceiling(network: RoutedNetwork) -> tuple[Value, str] | None:
    """What the throughput of a single closed class tends to, where the methods by demands know it."""
    if len(network.classes) != 1 or network.size is not None or not network.closed:
        return None
    try:
        return closed_networks.ceiling(network)
    except NotComputed:
        return None
