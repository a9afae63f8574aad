"""How far the load can rise before there is no steady state, which station or limit is the cause, and the saturation
throughput."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Set
from math import expm1, log1p
from typing import TYPE_CHECKING, Any

from qnet import budget
from qnet.errors import NotComputed
from qnet.expression import FLOATS, Operations, Value, arrays
from qnet.lazy import lazy, np
from qnet.model.bind import depends_on_population
from qnet.model.model import Model, fact
from qnet.model.scope import depends_on_solution, uses_solution
from qnet.networks.exactness import LAYERS, STATES
from qnet.networks.solution import RoutedSolution
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.points.points import Part, Solved, at_loads, full_load, needs_solution, solve_points
from qnet.record import Record
from qnet.reports.content import Note

if TYPE_CHECKING:
    from qnet.queues import roots
else:
    roots = lazy("qnet.queues.roots")


_NEAR = (1e-3, 1e-2, 1e-1)
"""How far below its upper end a search looks first."""
_STEP, _STEPS = 1e-3, 110
"""How far it goes down at once after that to where there is a steady state, and how often."""
_AHEAD, _FIRST, _CLOSE = 10, 0.5, 1e-9
"""How often a search looks ahead from below, how far it looks ahead first, and the excess from which on it does not."""
_FAST, _OVER = 0.2, 0.05
"""What a step leaves of an excess at most where steps are nearly right, and by how much more the next one goes then, so
that it ends just beyond."""
_BENT = 2.0
"""By how much slopes on both sides of a root differ at least where it is sought from one side alone."""
_LEAST = 0.01
"""The share from which on what is stated is near enough to begin from."""
_STEEP = 0.5
"""The excess just below the capacities from which on the root is taken to be far below."""
_FAR = 1e9
"""The largest load tried, as a multiple of the smallest capacity: most of it may be lost before it arrives there."""
_UPWARDS = (2.0, 8.0, 64.0, 4096.0, 1e6)
"""The multiples of the smallest capacity tried before that, where a capacity is reached as loads rise."""
JUST_BELOW = 1 - 1e-9
"""Where figures "at saturation" are read: there is still a steady state here."""

_LOOSE = 1e-5
"""How near to a factor its search goes where waits are estimated, and cost much: far nearer than they are right."""
_SHARE = 0.5
"""What its search may take of the budget that is left: answers can do without it."""
_NEAR_END = 1e-3
"""How near a search comes to where waits are endless."""
_AS_FULL = 1e-6
"""How far below its capacity a station that others wait for fills at the same time as they do."""


class Saturation(Record):
    """The factor on all arrival rates at which the steady state ends, and the cause, per point."""

    factor: Value
    """Infinite where no load at all is asked."""
    cause: Any
    """A name, or an object array of names."""
    reached: bool = True
    """Whether a steady state is known up to there; else no more than that there is none beyond."""
    estimated: bool = False
    """Whether it is that of an approximation, where the answer itself is exact."""
    cut: bool = False
    """Whether the search for it was stopped by the budget."""
    approximate: bool = False
    """Whether a steady state may end elsewhere: what limits it contains waits, or is itself an approximation."""

    @property
    def notes(self) -> list[Note]:
        """What a reader should know of it."""
        if self.estimated:
            return [Note("QN707", "the largest load is that of an approximation, other than the answer", "note")]
        if self.reached:
            return []
        if self.cut:
            text = "the largest load is that of the capacities alone: the search for it takes more than --operations"
            return [Note("QN747", text, "warning")]
        text = "the largest load is that of the capacities alone: near it the method computed no steady state"
        return [Note("QN675", text, "warning")]


def saturation(
    model: Model, solved: Solved, varied: Mapping[str, Value] | None = None, wanted: Wanted = AUTO
) -> Saturation:
    """The factor on all arrival rates at which the steady state of a solved model ends.

    It is at most the reciprocal of the largest load in use, because no load grows slower than the arrivals but where
    times fall with the load; and it is that reciprocal unless waits inside holds saturate an outer station earlier.
    Both are then computed by a root search. Where waits of layers do not converge in that search, the capacities alone
    determine it.

    solved   the model at one point or a batch, of which `varied` are the parameters that differ from those stated.
    wanted   the method and its budget, of the search.
    Returns  infinity where no class is open; arrays of one number for each point of a batch.
    """
    operations: Operations = FLOATS if solved.size is None else arrays()
    if not any(customers.arrival_rate for customers in model.customers):
        nothing = 0.0 * solved.gather(lambda part: part.solution.throughput)
        return Saturation(nothing + float("inf"), "")
    certain = solved.certain_load
    # Loads that contain waits do not grow as the arrivals do, and none are to be trusted beyond saturation where times
    # depend on waits.
    known = operations.where(certain > 0, certain, solved.load)
    load = operations.where(solved.stable, solved.load, 0.0 * certain + 1.0) if needs_solution(model) else known
    idle = load <= 0
    bound = operations.where(idle, 1.0, 1 / operations.where(idle, 1.0, load))
    # A search looks at too many networks for the states of each.
    wanted = wanted.replace(chain=0, better=False, warned=False)
    by_capacities = Saturation(
        operations.where(idle, float("inf"), bound), solved.gather(lambda part: limiting(_of_capacities(part))), False
    )
    if model.loses:
        try:
            return _beyond(solved, at_loads(solved, varied, wanted), bound, idle, operations)
        except NotComputed:
            return by_capacities
    if not needs_solution(model) and _certain(solved):
        # Loads without waits in them grow as the arrivals do, and are in the same order at every load.
        factor = operations.where(idle, float("inf"), bound)
        cause = solved.gather(limiting)
        return Saturation(factor, cause, approximate=_approximate(solved, cause))
    return _searched(model, solved, varied, wanted, by_capacities)


def _searched(
    model: Model, solved: Solved, varied: Mapping[str, Value] | None, wanted: Wanted, by_capacities: Saturation
) -> Saturation:
    """The factor by a search below that of the capacities, where loads contain waits or times depend on the solution.

    by_capacities   what is known without the search: infinite for points without load.
    """
    operations: Operations = FLOATS if solved.size is None else arrays()
    certain = solved.certain_load
    idle = by_capacities.factor == float("inf")
    bound = operations.where(idle, 1.0, by_capacities.factor)
    states = any(part.solution.method == STATES for part in solved.parts)
    if states and any(customers.population is not None for customers in model.customers):
        return by_capacities
    # A chain has an end only below the largest load, which approximations of open classes know.
    again = at_loads(solved, varied, wanted.replace(rough=True, method=AUTO.method if states else wanted.method))
    try:
        with budget.share(_SHARE):
            if states and not needs_solution(model):
                other = again(0.0 * bound + 1.0)
                if _certain(other):
                    bound = operations.where(idle, 1.0, 1 / operations.where(idle, 1.0, other.load))
            edge = again(bound * JUST_BELOW)
            if not operations.all(edge.stable):
                bound, edge = _search(again, bound, edge, solved, operations)
            elif needs_solution(model) and not operations.all(edge.load >= 1 - _AS_FULL):
                # Times fall with the load, which grows slower than the arrivals.
                result = _beyond(solved, again, bound, idle, operations)
                return _with_limit(full_load(model, solved, varied, wanted), result, operations)
    except budget.OverBudget:
        if not operations.all(solved.stable):
            raise
        return by_capacities.replace(cut=True)
    except NotComputed as error:
        if states:
            # No other method has an answer: the chain knows this load, and a search is too long for it.
            return by_capacities
        if any(item.code != "QN540" for item in error.problems) or not operations.all(solved.stable & (certain > 0)):
            raise
        return Saturation(1 / certain, solved.gather(lambda part: limiting(_of_capacities(part))), False)
    if states and not operations.all(idle | (bound > 1)):
        # An approximation that has no steady state where the chain has one knows no largest load.
        return by_capacities
    factor = operations.where(idle, float("inf"), bound)
    cause = edge.gather(limiting)
    approximate = _approximate(edge, cause)
    estimated = approximate and _exact(solved) and states
    result = Saturation(factor, cause, estimated=estimated, approximate=approximate)
    return (
        _with_limit(full_load(model, solved, varied, wanted), result, operations) if needs_solution(model) else result
    )


def _with_limit(load: Value, result: Saturation, operations: Operations) -> Saturation:
    """A factor at which waits grow without an end, where times have a limit: solutions near it converge too slowly.

    load    as of `full_load`; 0 and None where it is not known.
    """
    if load is None:
        return result
    known = load > 0
    end = 1 / operations.where(known, load, 1.0)
    near = known & (operations.absolute(result.factor / end - 1.0) <= _NEAR_END)
    return result.replace(factor=operations.where(near, end, result.factor))


def _certain(solved: Solved) -> bool:
    """Whether no load contains waits."""
    return all(item.certain for part in solved.parts for item in part.solution.loads)


def _approximate(solved: Solved, cause: Any) -> bool:
    """Whether what limits is the capacity of an approximation, or a load that contains waits, at a single point."""
    loads = [item for part in solved.parts for item in part.solution.loads]
    return isinstance(cause, str) and any(item.name == cause and (item.estimated or not item.certain) for item in loads)


def _of_capacities(part: Part) -> Part:
    """A part with the loads alone that hold no waits."""
    loads = tuple(item for item in part.solution.loads if item.certain)
    return part.replace(solution=part.solution.replace(loads=loads))


def _beyond(
    solved: Solved, again: Callable[[Value], Solved], bound: Value, idle: Value, operations: Operations
) -> Saturation:
    """Where customers are lost, or times fall: loads grow slower than the arrivals, and may never reach a capacity."""
    far = again(bound * _FAR)
    never = idle | far.stable
    if operations.all(never):
        return Saturation(operations.where(never, float("inf"), bound), far.gather(limiting))
    result, edge = _upwards(again, bound, far, operations) or _search(again, bound * _FAR, far, solved, operations)
    estimated = _exact(solved) and not _exact(edge)
    return Saturation(operations.where(never, float("inf"), result), edge.gather(limiting), estimated=estimated)


def _upwards(
    again: Callable[[Value], Solved], bound: Value, far: Solved, operations: Operations
) -> tuple[Value, Solved] | None:
    """As `_search` below `bound` times `_FAR`, where loads rise steadily, and slower than the arrivals: from `bound`
    up. None where there is no steady state at `bound` already, or where times may fall with the load."""
    if needs_solution(far.model):
        return None
    where = operations.where
    last = far

    def excess(factor: Value) -> Value:
        nonlocal last
        last = again(factor)
        return _excess(last, operations)

    done, low, high, at_high = far.stable, bound, bound * _FAR, _excess(far, operations)
    at_low = excess(low)
    if not operations.all(done | (at_low < 0)):
        return None
    enclosed = done
    for multiple in _UPWARDS:
        tried = where(enclosed, high, bound * multiple)
        value = where(enclosed, at_high, excess(tried))
        full = value >= 0
        low, at_low = where(full, low, tried), where(full, at_low, value)
        high, at_high = where(full, tried, high), where(full, value, at_high)
        enclosed = enclosed | full
        if operations.all(enclosed):
            break
    result = roots.bracket(excess, low, high, at_low, at_high, operations)[0]
    return where(done, bound * _FAR, result), last


def _exact(solved: Solved) -> bool:
    return all(part.solution.exact for part in solved.parts)


def _search(
    again: Callable[[Value], Solved], bound: Value, edge: Solved, stated: Solved, operations: Operations
) -> tuple[Value, Solved]:
    """The factor below `bound` where an outer station saturates, and the solution there.

    It is `bound` itself where the `edge` just below it is reached. The search is over the logarithm of what is left up
    to `bound`, as a share of it: outer stations mostly fill only when those inside are nearly full, and waits grow like
    that logarithm there. So it begins just below `bound`; and where there is a steady state as stated, not below that.
    """

    reached, where = edge.stable, operations.where
    last = edge

    def excess(share: Value) -> Value:
        nonlocal last
        last = again(share * bound)
        value = _excess(last, operations)
        return _bounded(value, operations) if operations.all(1 / where(bound > 0, bound, 1.0) > _LEAST) else value

    low = high = where(reached, JUST_BELOW, JUST_BELOW)
    at_low = at_high = _bounded(_excess(edge, operations), operations)
    known, at_known = 1 / where(bound > 0, bound, 1.0), where(stated.stable, _excess(stated, operations), 0.0)
    known = where((at_known < 0) & (known < JUST_BELOW), known, 0.0)
    """The share that is stated, where there is a steady state; else 0."""
    for step in range(_STEPS):
        here = reached | (at_low < 0)
        if operations.all(here):
            break
        high, at_high = where(here, high, low), where(here, at_high, at_low)
        next_low = 1 - _NEAR[step] if step < len(_NEAR) else low * _STEP
        end = (known > _LEAST) & ((step > 0) | (at_high > _STEEP)) | (known >= next_low)
        tried = where(here, low, where(end, known, next_low))
        at_tried = at_known if operations.all(here | end) else where(end, at_known, excess(tried))
        low, at_low = tried, where(here, at_low, at_tried)

    def deep(depth: Value) -> Value:
        return excess(_share(depth))

    low, high, before = (_depth(end) for end in (low, high, known))
    ends = (low, at_low), (high, at_high), (before, where(known > 0, at_known, at_low))
    going = where(reached, False, known > _LEAST)
    (low, at_low), (high, at_high), first = _from_below(deep, *ends, going, operations)
    share = _share(low)
    loose = any(part.solution.method == LAYERS for part in edge.parts)
    nearness = (_LOOSE if loose else roots.NEARNESS) * share / ((1 - share) * where(low > 0, low, 1.0))
    depth = roots.bracket(deep, low, high, at_low, at_high, operations, nearness, first)[0]
    return where(reached, bound, _share(depth) * bound), last


_End = tuple[Value, Value]
"""A place, and the excess there."""


def _from_below(
    excess: Callable[[Value], Value], lower: _End, upper: _End, earlier: _End, going: Value, operations: Operations
) -> tuple[_End, _End, Value]:
    """A narrower bracket around a root, and where to look first inside it.

    excess   what rises through 0 between `lower` and `upper`.
    earlier  a place below `lower`, or `lower` itself.
    going    where the bracket is to be made narrower.
    Method   By the line through the last two places with a steady state: beyond the root loads hardly rise, as what is
             inside is full, or too much.
    """
    where = operations.where
    (low, at_low), (high, at_high), (before, at_before) = lower, upper, earlier
    crossed = going != going
    for _ in range(_AHEAD):
        two = (before < low) & (at_before < at_low)
        line = low - at_low * (low - before) / where(two, at_low - at_before, 1.0)
        fast = two & (at_low > _FAST * at_before)
        line = where(fast, line + where(crossed, 0.0, _OVER) * (line - low), line)
        tried = where(two, line, low + _FIRST)
        going = going & (tried > low) & (tried < high) & (at_low < -_CLOSE)
        if operations.all(where(going, False, True)):
            break
        tried = where(going, tried, low)
        value = where(going, excess(tried), at_low)
        steady = value < 0
        before, at_before = where(going & steady, low, before), where(going & steady, at_low, at_before)
        high, at_high = where(steady, high, tried), where(steady, at_high, value)
        low, at_low = where(steady, tried, low), where(steady, value, at_low)
        crossed = crossed | going & where(steady, False, True)
        # Where loads rise as before beyond the root, the search goes on from both sides.
        rise = (at_low - at_before) / where(low > before, low - before, 1.0)
        across = (at_high - at_low) / where(high > low, high - low, 1.0)
        going = going & (steady | (across > _BENT * rise) | (rise > _BENT * across))
    near = crossed & (at_high < -at_low)
    first = where(near, low - at_low * (high - low) / where(near, at_high - at_low, 1.0), low)
    return (low, at_low), (high, at_high), first


def _bounded(excess: Value, operations: Operations) -> Value:
    """An excess, and beyond a capacity that of which loads without an end are 1: their reciprocals grow evenly."""
    return operations.where(excess > 0, excess / (1 + operations.maximum([excess, 0.0 * excess])), excess)


def _depth(share: Value) -> Value:
    """The logarithm of what is left of 1, with its sign changed, to the last digits of small shares."""
    return -log1p(-share) if isinstance(share, float) else -np.log1p(-share)


def _share(depth: Value) -> Value:
    """The share with such a logarithm."""
    return -expm1(-depth) if isinstance(depth, float) else -np.expm1(-depth)


def _excess(solved: Solved, operations: Operations) -> Value:
    """How far the most loaded centre is beyond its capacity; negative where there is a steady state.

    Of centres that hold no waits only whether they are full, where there are others: they grow as the arrivals do, and
    would hide how much steeper the others rise.
    """
    rising = solved.rising_load
    rising = operations.where(rising > 0, rising, solved.load)
    below, beyond = operations.minimum([rising, 1 - 1e-16 + 0 * rising]), operations.maximum([rising - 1, 1e-16])
    return operations.where(solved.stable, below - 1, beyond)


def limiting(part: Part) -> Any:
    """The name of what is nearest to its capacity, per point of a part.

    An outer station that is full because more than half of its holding time is spent waiting for inner ones is not
    the cause: the inner station it waits for most is. Nor is one that waits for a station that is as full itself. Where
    nothing is full, a station is whose times rest on the solution: they grow too fast with the load.
    """
    solution, growing = part.solution, _with_times_of_the_solution(part.values.model)
    if part.values.size is None:
        return _cause(solution, None, growing)

    return np.array([_cause(solution, point, growing) for point in range(part.values.size)], dtype=object)


@fact
def _with_times_of_the_solution(model: Model) -> frozenset[str]:
    """The stations with times that rest on the solution."""
    dependent = depends_on_solution(model)
    result = {item.state[1] for chain in model.chains for item in chain.services if uses_solution(item.time, dependent)}
    waiting = [(step, "") for item in model.classes for route in item.routes for step in route.steps]
    while waiting:
        step, around = waiting.pop()
        if step.time is not None and uses_solution(step.time, dependent):
            result.add(step.station or around)
        waiting += [(inner, step.station or around) for inner in step.inner]
    return frozenset(result)


def _cause(solution: RoutedSolution, point: int | None, growing: Set[str]) -> str:
    if not solution.loads:
        return ""
    loads = {item.name: _at(item.load, point) for item in solution.loads}
    if growing and max(loads.values()) < 1 - _AS_FULL:
        loads = {name: load for name, load in loads.items() if name.partition("[")[0] in growing} or loads
    name = max(loads, key=loads.__getitem__)
    while name in solution.held_by:
        shares = {label: _at(share, point) for label, share in solution.held_by[name].items()}
        full = [label for label, share in shares.items() if share > 0 and loads.get(label, 0.0) >= 1 - _AS_FULL]
        if not full and sum(shares.values()) <= 0.5:
            break
        name = max(full or shares, key=shares.__getitem__)
    return name


def _at(value: Value, point: int | None) -> float:
    if isinstance(value, (int, float)):
        return float(value)
    return float(value[point]) if value.ndim else float(value)


def busiest(part: Part) -> Any:
    """The label of the most used queueing station, per point of a part; empty where there is none."""
    return _of_busiest(part, lambda names, values: names[max(range(len(values)), key=values.__getitem__)], "")


def busiest_utilization(part: Part) -> Any:
    """The utilization of the most used queueing station, per point of a part; 0 where there is none."""
    return _of_busiest(part, lambda names, values: max(values), 0.0)


def _of_busiest(part: Part, pick: Callable[[list[str], list[float]], Any], nothing: Any) -> Any:
    used = [(item.label, item.utilization) for item in part.solution.stations if item.utilization is not None]
    names = [name for name, _ in used]

    def one(point: int | None) -> Any:
        return pick(names, [_at(value, point) for _, value in used]) if used else nothing

    if part.values.size is None:
        return one(None)

    return np.array([one(point) for point in range(part.values.size)], dtype=object if nothing == "" else float)


def largest_throughput(solution: RoutedSolution, edge: Saturation) -> tuple[float | None, str | None]:
    """The saturation throughput in passages per second, and the name of the station or limit that causes it.

    Closed classes saturate a station with ever more customers of one class, open classes with more arrivals.

    solution  of the model at one point.
    edge      the factor on its arrival rates at which the steady state ends.
    Returns   None for both where nothing limits the throughput, or customers may be lost.
    """
    if solution.offered is not None:
        # More that is offered is not more that is carried.
        return None, None
    if all(item.population is None for item in solution.classes):
        return (solution.throughput * edge.factor, edge.cause) if edge.factor < float("inf") else (None, None)
    return solution.ceiling or (None, None)


def max_throughput(model: Model, part: Part, wanted: Wanted) -> Value:
    """The saturation throughput at the points of a part; not a number where there is none.

    wanted  the method and its budget that the part was solved with.
    """
    dependent = depends_on_solution(model)
    varied = {name: value for name, value in part.values.known.items()
              if name in model.parameters and name not in dependent}  # fmt: skip
    size = part.values.size
    solution = part.solution
    if solution.offered is not None:
        return 0.0 * solution.throughput + math.nan
    if all(item.population is None for item in solution.classes):
        here = Solved(model, size, (part.replace(points=None if size is None else np.arange(size)),))
        return solution.throughput * saturation(model, here, varied, wanted).factor
    if depends_on_population(model) or len(solution.classes) > 1:
        return 0.0 * solution.throughput + math.nan
    if size is None:
        return solution.ceiling[0] if solution.ceiling else math.nan

    table = {name: np.broadcast_to(np.asarray(value, dtype=float), (size,)) for name, value in varied.items()}
    single = ({name: float(value[point]) for name, value in table.items()} for point in range(size))
    asked = wanted.replace(each=False, near=None)
    limits = (solve_points(model, at, asked=asked).parts[0].solution.ceiling for at in single)
    return np.array([ceiling[0] if ceiling else math.nan for ceiling in limits])
