"""Small networks without product form, exactly: by the Markov chain of all their states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from qnet import budget
from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import lazy, np
from qnet.networks.capacity.flows import Losses, with_offered
from qnet.networks.duration import NOTHING, Wait
from qnet.networks.exactness import STATES, Beyond, ranked
from qnet.networks.figures import Steady, figures
from qnet.networks.passage_times import Passages
from qnet.networks.routed import ClosedClass, Hold, OpenClass, RoutedNetwork
from qnet.networks.solution import BufferFigures, ClassFigures, Limiting, RoutedSolution, StationFigures
from qnet.networks.states.average import averaged
from qnet.networks.states.branches import spread, with_branches
from qnet.networks.states.chain import TooLarge, Walk, stationary
from qnet.networks.states.compiler import program
from qnet.networks.states.crowds import customers_needed, least_beyond, outside, states_expected
from qnet.networks.states.figures import SolvedChain, Where, means
from qnet.networks.states.kept import keep_chains, kept_chain
from qnet.networks.states.machine import Machine
from qnet.networks.states.program import NotCovered, Program
from qnet.networks.states.responses import responses
from qnet.networks.states.shared import Walks
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
"""Operations that generating a state and its transitions counts as, besides those of the elimination."""
_NEGLIGIBLE = 1e-12
"""The probability that customers from outside are as many as the chain knows, where more of them do not matter."""
LITTLE = 1e-3
"""The same, where more of them matter little: an approximation for networks that no other method solves."""
EVEN = 0.25
"""The scv that is taken for those that are too small for phases, of networks that no other method solves."""
_LOOKS = 3
"""The total number of states generated, chain after chain, as a multiple of the number allowed."""
_FIRST = 6
"""Customers from outside that are tried first."""
_MOST_PASS = 0.9
"""The share of passages that are completed where the others hardly matter for the response."""
STARVED = "QN589"
"""The code of a refusal where a closed class is never served."""
_FULLEST = 1.0 - 1e-15
"""A load of work after the response: there is a steady state where closed customers wait for it."""


def solve(network: RoutedNetwork, wanted: Wanted, most: int = MOST) -> RoutedSolution:
    """The steady state of a network, or of every point of a batch, by the Markov chain of all its states.

    Applies   closed, open and mixed classes; first come first served, head-of-line and preemptive-resume priority,
              shared, and last come first served service; several servers, copies, rates; servers held around others,
              second phases, times that depend on the number inside a station; capacities, buffers, parallel steps,
              chains.
    network   rates per second, times in seconds, populations as integers.
    wanted    the budget: `operations`.
    most      states of a point.
    Returns   figures by class, route and station. Exact where all times are exponential; else those of the phase-type
              distributions described in `program`. Of open classes, states with a probability of less than 1e-13 are
              left out.
    Raises    `NotComputed` QN513 where the network has what the chain does not know, QN515 where it is too large,
              QN517 where it has no single steady state.
    """
    if wanted.bounds:
        raise NotComputed(Problem("QN513", "bounds enclose product-form networks only", "no bounds"))
    if wanted.states:
        raise NotComputed(Problem("QN513", f"{NAME} gives no state probabilities of stations", "figures alone"))
    try:
        return _solution(network, [_answer(item) for item in _solved_points(network, most, wanted.operations)], wanted)
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
    network: RoutedNetwork,
    wanted: Wanted,
    edge: float = _NEGLIGIBLE,
    even: float = 0.0,
    operations: float = float("inf"),
) -> RoutedSolution | None:
    """The answer of `solve`, where it applies with the number of states that `auto` may generate; else None.

    network  any network, a point or a batch.
    wanted   the method, and how many states `auto` may generate.
    edge     the probability of more customers from outside than the chain knows that may be left out.
    even     the scv that is taken for those that are too small for phases; 0 for none.
    operations  of a point, beyond which it is given up.
    Raises   `Divided` where it applies to some points of a batch; `NotComputed` QN589 where a closed class is never
             served: approximations know nothing of that.
    """
    try:
        result = _solved_points(network, wanted.chain, wanted.operations, edge, even, trial=operations)
    except NotCovered:
        return None
    starved = next((item for item in result if isinstance(item, _Starved)), None)
    if starved is not None:
        expected = "throughput of all closed classes"
        help = "leave that class out, which never uses a server; or give the others a think time or fewer customers"
        raise NotComputed(Problem(STARVED, str(starved), expected, help=help))
    answered = [item for item in result if isinstance(item, SolvedChain)]
    if len(answered) == len(result):
        return _solution(network, answered, wanted)
    if answered:
        keep_chains(answered, wanted.chain, edge)
        raise Divided(np.array([isinstance(item, SolvedChain) for item in result]))
    return None


def within(network: RoutedNetwork, wanted: Wanted, operations: float) -> RoutedSolution | None:
    """The answer of `solve` for one point, within some operations; None where it does not apply.

    network  one point.
    wanted   as of `solve`.
    Raises   `OverBudget` where they are spent before it is known that the chain has too many states.
    """
    with budget.trial(operations):
        (item,) = _solved_points(network, MOST, wanted.operations)
    return _solution(network, [item], wanted) if isinstance(item, SolvedChain) else None


def covers(network: RoutedNetwork) -> bool:
    """Whether the chain knows all that a network, or the first point of a batch, has: its size apart."""
    try:
        program(next(_points(network)))
    except (NotCovered, ArithmeticError):
        return False
    return True


_Refusal = NotCovered | TooLarge | ArithmeticError


def _answer(item: SolvedChain | _Refusal) -> SolvedChain:
    if isinstance(item, SolvedChain):
        return item
    raise item


def _solved_points(
    network: RoutedNetwork,
    most: int,
    operations: float,
    edge: float = _NEGLIGIBLE,
    even: float = 0.0,
    trial: float = 0.0,
) -> list[SolvedChain | _Refusal]:
    """The chains of the network, or of the points of a batch, or why there is none; `edge` and `even` as of `tried`.

    trial    the operations of a point beyond which its chain is given up, as where it takes what is left for trials;
             0 where it is not.
    """
    if trial and not budget.trial_left():
        return [TooLarge() for _ in range(network.size or 1)]
    points, made, result = list(_points(network)), dict[int, Program](), dict[int, SolvedChain | _Refusal]()
    for number, point in enumerate(points):
        try:
            made[number] = program(point, even)
        except (NotCovered, ArithmeticError) as error:
            result[number] = error
    walks = Walks(list(made.values()))
    numbers = list(made)
    for position in (position for group in walks.groups for position in group):
        point = points[numbers[position]]
        try:
            if trial and not budget.trial_left():
                raise TooLarge
            with budget.trial(trial) if trial else nullcontext():
                result[numbers[position]] = _passing(point, _solved(point, walks, position, most, operations, edge))
        except (NotCovered, TooLarge, ArithmeticError) as error:
            result[numbers[position]] = error
        except budget.OverBudget:
            if not trial:
                raise
            result[numbers[position]] = TooLarge()
    return [result[number] for number in range(len(points))]


class _Starved(ArithmeticError):
    """A closed class never passes."""


def _passing(network: RoutedNetwork, result: SolvedChain) -> SolvedChain:
    """A solved chain; raises `_Starved` where a closed class never passes, and `ArithmeticError` where it hardly ever
    does: its waits have no digits."""
    most = max(result.often.values(), default=0.0)
    for kind, item in enumerate(network.classes):
        if not isinstance(item, ClosedClass) or not item.population > 0:
            continue
        if not result.often.get(kind, 0.0) > 0:
            raise _Starved(f'"{item.name}" is never served with the others present')
        if result.often[kind] <= 1e-6 * most:
            raise ArithmeticError(f'"{item.name}" is hardly ever served with the others present')
    return result


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


def solved(
    network: RoutedNetwork, most: int, operations: float, edge: float = _NEGLIGIBLE, even: float = 0.0
) -> SolvedChain:
    """The chain of a network of one point, solved; `edge` and `even` as of `tried`.

    Raises   `NotCovered`, `TooLarge`; `ArithmeticError` where it has no single steady state.
    """
    return _solved(network, Walks([program(network, even)]), 0, most, operations, edge)


def _solved(
    network: RoutedNetwork, walks: Walks, number: int, most: int, operations: float, edge: float
) -> SolvedChain:
    """As `solved`, of one of several programs."""
    made = walks.programs[number]
    if known := kept_chain(made, most, edge):
        return known
    most = min(most, int(operations / _A_STATE))
    if walks.least(number, network) > most or sum(count for count, _ in made.homes) > most:
        raise TooLarge
    if not made.unbounded:
        machine, result = walks.of(number, 0, most)
        return means(made, machine, result, stationary(result, operations))
    crowd = enough = _FIRST
    edges = dict[int, tuple[float, int]]()
    best: SolvedChain | None = None
    ahead: tuple[int, tuple[Machine, Walk]] | None = None
    looked = 0
    while True:
        try:
            if looked > (_LOOKS * most if best is None else most):
                raise TooLarge
            machine, result = ahead[1] if ahead else walks.of(number, crowd, most)
            ahead = None
            looked += len(result.states)
            if not edges and least_beyond(machine, result) > max(edge, _NEGLIGIBLE):
                # More are needed, whatever the probabilities are: they are of no use where there are too many states.
                ahead = _twice(network, walks, number, crowd, most, (machine, result))
            shares = stationary(result, operations)
            beyond = float(sum(shares[outside(machine, result) >= machine.edge].tolist()))
            if beyond <= edge:
                best = means(made, machine, result, shares).replace(beyond=beyond)
            if beyond <= _NEGLIGIBLE:
                assert best is not None
                return best
            edges[crowd] = (beyond, len(result.states))
            if ahead:
                crowd, enough = ahead[0], 2 * crowd
                continue
            before, enough = crowd, customers_needed(edges, most, _NEGLIGIBLE, edge)
            crowd = walks.near(number, enough)
            if not network.limited and states_expected(machine, result, crowd - before) > most:
                raise TooLarge
        except TooLarge:
            if crowd > enough:
                crowd = enough
            elif best is None:
                raise
            else:
                return best


def _twice(
    network: RoutedNetwork, walks: Walks, number: int, crowd: int, most: int, walked: tuple[Machine, Walk]
) -> tuple[int, tuple[Machine, Walk]]:
    """The walk with twice as many customers from outside as one that is done, and how many they are; raises
    `TooLarge`."""
    enough = 2 * crowd
    near = walks.near(number, enough)
    try:
        if not network.limited and states_expected(*walked, near - crowd) > most:
            raise TooLarge
        return near, walks.of(number, near, most)
    except TooLarge:
        if near == enough:
            raise
    return enough, walks.of(number, enough, most)


def _solution(network: RoutedNetwork, result: Sequence[SolvedChain], wanted: Wanted) -> RoutedSolution:
    """All figures of a network whose chains are solved, of each of its points."""
    operations: Operations = FLOATS if network.size is None else arrays()

    def column(values: Sequence[float]) -> Value:
        if network.size is None:
            return values[0]

        return np.array(values)

    def passing(mark: int) -> Value:
        return column([point.often.get(mark, 0.0) for point in result])

    made = result[0].program
    loses = bool(made.begun)
    throughputs = [
        item.arrival_rate if isinstance(item, OpenClass) and not loses else passing(kind)
        for kind, item in enumerate(network.classes)
    ]
    if network.profiles:
        network = averaged(network, made, passing, lambda nodes: column([point.served_at(nodes) for point in result]))
    names = {stream for point in result for stream in point.present}
    present = {stream: column([point.present.get(stream, 0.0) for point in result]) for stream in names}
    compiled = streams(network, operations, throughputs)
    if loses:
        compiled = _carried(network, compiled, {stream: passing(mark) for stream, mark in made.passing.items()})
    waits = _waits(network, compiled, present, operations)
    loads = _loads(network, compiled, operations)
    steady = Steady(network, throughputs, compiled, compiled.members(), waits, loads, operations)
    ended = {key: passing(mark) for key, mark in made.routes.items()}
    overall = {where for point in result for where in point.spent}
    spent: dict[Where, Value] = {
        where: column([point.spent.get(where, 0.0) for point in result]) for where in sorted(overall)
    }
    solution = figures(steady, NAME, 1)
    if made.forks:
        extra = spread(steady, result, throughputs, column)
        solution = with_branches(solution, steady, result, extra, column)
        for where, number in extra.spent.items():
            spent[where] = spent.get(where, 0.0) + number
    late = not made.early and any(point.often.get(mark, 0.0) for point in result for mark in _lost(network, made))
    waited = any(not buffer.loses for buffer in network.buffers)
    if late and waited:
        # Waits at stations are those of all visits; of waits for places only the states know.
        chained = {kind for kind, item in enumerate(network.classes) if item.chain}
        known = {at: spent[at] for at in spent if not at[2] or at[0] in chained}
        spent = {**_at_stations(network, solution, throughputs, ended), **known}
    if waited or not late:
        solution = responses(solution, network, throughputs, ended, spent)
    if any(isinstance(step, Hold) for hold in _holds(network) for step in hold.steps):
        means = {key: column([point.rates[key] for point in result]) for key in result[0].rates}
        numbers = {key: total(present.get(index, 0.0) for index in each) + 0.0 for key, each in steady.members.items()}
        solution = _with_means(solution, network, means, numbers)
    if loses:
        kept = _kept(network, solution, {key: passing(mark) for key, mark in made.losing.items()})
        begun = [
            item.arrival_rate if isinstance(item, OpenClass) else passing(mark)
            for item, mark in zip(network.classes, made.begun, strict=True)
        ]
        solution = with_offered(solution, network, begun, Losses(kept, {}, {}))
    reasons = tuple(_reasons(result, late))
    size = max(len(point.states) for point in result)
    full = buffers(network, compiled, waits, result, column, operations) if made.stores else ()
    return solution.replace(
        exact=not reasons,
        reasons=reasons,
        classes=tuple(_with_population(*pair) for pair in zip(solution.classes, network.classes, strict=True)),
        why=f"the Markov chain of all states of the network has {size} of them",
        ceiling=None if loses or network.profiles or not wanted.asks_ceiling(network.size) else ceiling(network),
        network=network if network.profiles else None,
        buffers=full,
        loads=(*solution.loads, *_of_drains(network, full)),
        passages=_passages(solution, network, compiled, made, wanted),
    )


def _of_drains(network: RoutedNetwork, full: Sequence[BufferFigures]) -> Iterator[Limiting]:
    """The loads of buffers that open customers wait for, and that several copies drain: some of these may be idle."""
    copied = {station.name for station in network.stations if station.copies > 1}
    labels = {group.label for item in network.stations if item.name in copied for group in item.groups}
    for buffer, item in zip(network.buffers, full, strict=True):
        if item.drained_by in labels and not buffer.loses and not network.closed:
            yield Limiting(item.name, ratio(item.offered, item.drain_rate), certain=False)


def _with_population(figures: ClassFigures, asked: OpenClass | ClosedClass) -> ClassFigures:
    """The figures of a class, of a closed one with its population and think time."""
    if isinstance(asked, ClosedClass):
        return figures.replace(population=asked.population, think_time=asked.think_time)
    return figures


def _passages(
    solution: RoutedSolution, network: RoutedNetwork, compiled: Streams, made: Program, wanted: Wanted
) -> Passages | None:
    """What percentiles of response are computed from; None where the second moments of waits are not known."""
    lacking = network.profiles or network.buffers or (made.begun and network.closed) or _held(network, compiled)
    if lacking or (made.forks and network.closed) or solution.passages is None:
        return None
    other = wanted.replace(announce=None, chain=0, method="auto", bounds="", states=False)
    return solution.passages.replace(wanted=other if network.closed else None)


def _with_means(
    solution: RoutedSolution,
    network: RoutedNetwork,
    means: Mapping[Key, Value],
    numbers: Mapping[Key, Value],
) -> RoutedSolution:
    """The solution with the utilization of stations, and the numbers there, as the states have them.

    means    by station and group of copies: the mean rate of all copies together, of customers that are elsewhere
             meanwhile as well. That of a class is in proportion to the time that its customers are served or held
             there.
    numbers  the mean number waiting and in service.
    """
    peaks = {station.name: station.peak for station in network.stations}
    groups = dict.fromkeys(peaks, 0)
    stations: list[StationFigures] = []
    busier: dict[str, Value] = {}
    longer: dict[str, Value] = {}
    for item in solution.stations:
        key = (item.name, groups[item.name])
        groups[item.name] += 1
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


def _reasons(result: Sequence[SolvedChain], late: bool) -> Iterator[str]:
    """Why the answer of chains is not exact; `late` where customers are lost that have spent time."""
    for name in dict.fromkeys(name for point in result for name in point.program.phased):
        yield f"{name} are taken as the phases of a mean and an scv"
    if late:
        text = "waits of passages that are lost later are counted as those of the others"
        few = all(
            point.often.get(kind, 0.0) >= _MOST_PASS * point.often.get(mark, 0.0)
            for point in result
            for kind, mark in enumerate(result[0].program.begun)
        )
        yield text if few else Beyond(text, "QN657", f"{text}, and those are more than 10 %")
    beyond = max(point.beyond for point in result)
    if beyond > _NEGLIGIBLE:
        text = f"states with more customers from outside are left out, of a probability of {beyond:.1g}"
        yield Beyond("more customers from outside than the chain knows", "QN704", text)
    for name in dict.fromkeys(name for point in result for name in point.program.evened):
        text = f"{name} are taken as varying with an scv of {EVEN:g}, since no chain has times that are constant"
        yield Beyond("constant times as a few phases", "QN730", text)
    if any(point.program.at_once for point in result):
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
    """The marks that count lost customers, at stations and at buffers."""
    yield from made.losing.values()
    losing = {buffer.name for buffer in network.buffers if buffer.loses}
    for store in made.stores:
        if store.name in losing:
            yield from store.refused.values()


def _at_stations(
    network: RoutedNetwork,
    solution: RoutedSolution,
    throughputs: Sequence[Value],
    ended: Mapping[tuple[int, int], Value],
) -> dict[Where, Value]:
    """The mean number of customers before their response by class without a chain, route and station, as their visits
    wait there."""
    keys = [(station.name, index) for station in network.stations for index in range(len(station.groups))]
    labels = [group.label for station in network.stations for group in station.groups]
    chosen = [(kind, item) for kind, item in enumerate(network.classes) if not item.chain]
    indices = [(kind, number) for kind, item in chosen for number in range(len(item.routes))]
    return {
        (*index, *key): ended.get(index, throughputs[index[0]]) * item.spent.get(label, 0.0)
        for index, item in zip(indices, solution.routes, strict=True)
        for key, label in zip(keys, labels, strict=True)
    }


def _kept(
    network: RoutedNetwork, solution: RoutedSolution, lost: Mapping[tuple[str, int], Value]
) -> dict[tuple[str, int], Value]:
    """The shares of the visits that find a place, by group of copies of a station with a capacity."""
    keys = [(station.name, index) for station in network.stations for index in range(len(station.groups))]
    kept: dict[tuple[str, int], Value] = {}
    for key, item in zip(keys, solution.stations, strict=True):
        if key in lost:
            asked = item.throughput + lost[key]
            kept[key] = ratio(item.throughput + (asked == 0), asked + (asked == 0))
    return kept


def _copies(network: RoutedNetwork) -> dict[tuple[str, int], int]:
    """The number of copies in every group."""
    return {
        (station.name, index): group.copies
        for station in network.stations
        for index, group in enumerate(station.groups)
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
        for index in range(len(station.groups)):
            selected = [
                item.rate * item.holding.mean
                for item in compiled.streams
                if (item.station, item.group) == (station.name, index) and (item.left or item.class_index in opened)
            ]
            if selected and not station.delay and station.capacity is None:
                load = total(selected) / station.peak
                loads[station.name, index] = operations.minimum([load, _FULLEST + 0.0 * load])
    return loads


def ceiling(network: RoutedNetwork) -> tuple[Value, str] | None:
    """What the throughput of a single closed class tends to, and the station that limits it, where the methods by
    demands know it; None where they do not.

    network   any.
    """
    if len(network.classes) != 1 or network.size is not None or not network.closed:
        return None
    try:
        return closed_networks.ceiling(network)
    except NotComputed:
        return None
