"""Saturation: the factor on all arrival rates at which the steady state ends, its cause, and the largest throughput."""

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
    from qnet.questions.points import giving_way
    from qnet.queues import roots
else:
    giving_way = lazy("qnet.questions.points.giving_way")
    roots = lazy("qnet.queues.roots")

_NEAR = (1e-3, 1e-2, 1e-1)
"""The first distances below its upper end at which a search tries a load, as shares of it."""
_STEP, _STEPS = 1e-3, 110
"""The factor by which the search then lowers the load until there is a steady state, and the most loads it tries."""
_AHEAD, _FIRST, _CLOSE = 10, 0.5, 1e-9
"""The most extrapolations from below, the step of the first without a slope, and the excess that ends them."""
_FAST, _OVER = 0.2, 0.05
"""What a step may leave of an excess if extrapolation is accurate; the next is longer by so much, to pass the root."""
_BENT = 2.0
"""The least ratio of the slopes on both sides of a root at which it is approached from one side only."""
_LEAST = 0.01
"""The least ratio of the stated load to the upper end of a search at which the search begins from the stated load."""
_STEEP = 0.5
"""The excess at the upper end of a search above which the root is assumed to be far below it."""
_FAR = 1e9
"""The largest load tried, as a multiple of the smallest capacity: most of it may be lost on the way to it."""
_UPWARDS = (2.0, 8.0, 64.0, 4096.0, 1e6)
"""The multiples of the smallest capacity that are tried before that, ascending."""
JUST_BELOW = 1 - 1e-9
"""The share of the saturating load at which figures "at saturation" are read: there is still a steady state."""
_LOOSE = 1e-5
"""The relative tolerance of a search whose waits are approximate and expensive: far below their error."""
_SHARE, _QUICK, _EXTRA = 0.5, 0.2, 0.75
"""What a search may spend of all operations left; where an estimate is known; and of those for further figures."""
_NARROW = 0.1
"""The relative width of the bracket of a search up to which its lower end is used, if the budget ends the search."""
_NEAR_END = 1e-3
"""The relative distance from the load of infinite waits within which a search is replaced by that load."""
_SATURATED = 1e-6
"""The distance from a capacity, relative to it, up to which a station counts as saturated."""


class Saturation(Record):
    """The factor on all arrival rates at which the steady state ends, and its cause, at one point or a batch."""

    factor: Value
    """A number, or an array of one for each point; infinite where no capacity is ever reached."""
    cause: Any
    """The name of the station or limit that saturates, or an object array of names."""
    reached: bool = True
    """Whether there is known to be a steady state up to the factor; else only that there is none beyond it."""
    estimated: bool = False
    """Whether the factor is that of an approximation although the answer is exact."""
    cut: bool = False
    """Whether the budget ended the search for the factor: if `reached`, at the largest one with a steady state."""
    width: float = 0.0
    """The width of the bracket around the factor where the budget ended its search, relative to it."""
    approximate: bool = False
    """Whether the factor is approximate: the load that limits it contains waits, or the capacity is approximate."""

    @property
    def notes(self) -> list[Note]:
        """Notes on how the factor was computed: QN707, QN747 or QN675; none for an ordinary one."""
        if self.estimated:
            return [Note("QN707", "the largest load is that of an approximation, other than the answer", "note")]
        if self.cut and self.reached:
            far = f"{100 * self.width:.2g} % below the load at which there is none"
            text = f"the largest load is the largest one tried with a steady state, at most {far}: the search for it "
            return [Note("QN747", text + "takes more than --operations", "warning")]
        if self.reached:
            return []
        if self.cut:
            text = "the largest load is that of the capacities alone: the search for it takes more than --operations"
            return [Note("QN747", text, "warning")]
        text = "the largest load is that of the capacities alone: near it the method computed no steady state"
        return [Note("QN675", text, "warning")]


def saturation(
    model: Model, solved: Solved, varied: Mapping[str, Value] | None = None, wanted: Wanted = AUTO, extra: bool = True
) -> Saturation:
    """The factor on all arrival rates at which the steady state of a solved model ends.

    No load grows slower than the arrivals, except where times fall with the load, customers are lost, or closed ones
    leave second-phase work: the factor is at most the reciprocal of the largest load. It is that reciprocal unless
    waits inside holds saturate an outer station earlier, or closed classes are served first. Then it is a root, by a
    search; if the waits of layers do not converge there, the capacities alone determine the factor.

    model    with the parameters that were set.
    solved   its solution at one point or at a batch.
    varied   as passed to `solve_points` for it.
    wanted   the method and the budget of the search.
    extra    whether the factor is a figure besides the answer, for which a search may spend less.
    Returns  a factor for each point; infinite where no class is open.
    Raises   `NotComputed` where the search has no solutions, or its budget ends and the stated point is not stable.
    """
    operations: Operations = FLOATS if solved.size is None else arrays()
    left = giving_way.leaves_work(model)
    uncertain = left or not _certain(solved)
    if not model.loses and uncertain and (limited := giving_way.limited(model, solved, varied, wanted)):
        return saturation(limited.model, limited, varied, wanted, extra)
    if not any(customers.arrival_rate for customers in model.customers):
        zero = 0.0 * solved.gather(lambda part: part.solution.throughput)
        return Saturation(zero + float("inf"), "")
    certain = solved.certain_load
    # Loads that contain waits do not grow in proportion to the arrivals; where times depend on waits, no load is
    # meaningful without a steady state.
    known = operations.where(certain > 0, certain, solved.load)
    load = operations.where(solved.stable, solved.load, 0.0 * certain + 1.0) if needs_solution(model) else known
    idle = load <= 0
    bound = operations.where(idle, 1.0, 1 / operations.where(idle, 1.0, load))
    # A search solves too many networks to solve a Markov chain for each.
    wanted = wanted.replace(chain=0, better=False, warned=False)
    by_capacities = Saturation(
        factor=operations.where(idle, float("inf"), bound),
        cause=solved.gather(lambda part: limiting(_of_capacities(part))),
        reached=False,
    )
    if model.loses or (left and _certain(solved) and not needs_solution(model)):
        try:
            return _above_capacities(solved, at_loads(solved, varied, wanted), bound, idle, operations)
        except NotComputed:
            return by_capacities
    if not needs_solution(model) and _certain(solved):
        # Loads without waits grow in proportion to the arrivals, and so keep their order.
        return _ended(operations.where(idle, float("inf"), bound), solved)
    return _searched(model, solved, varied, wanted, by_capacities, extra)


def _searched(
    model: Model,
    solved: Solved,
    varied: Mapping[str, Value] | None,
    wanted: Wanted,
    by_capacities: Saturation,
    extra: bool,
) -> Saturation:
    """The factor by a search from that of the capacities, where loads contain waits or times depend on the solution.

    by_capacities   the saturation of the capacities alone; its factor is infinite at points without load.
    """
    operations: Operations = FLOATS if solved.size is None else arrays()
    where, certain = operations.where, solved.certain_load
    idle = by_capacities.factor == float("inf")
    bound = where(idle, 1.0, by_capacities.factor)
    states = any(part.solution.method == STATES for part in solved.parts)
    # A Markov chain has a solution below saturation only, whose load approximations of open classes compute.
    solve_at = at_loads(solved, varied, wanted.replace(rough=True, method=AUTO.method if states else wanted.method))
    bracket = _Bracket(solved, operations)
    optional, served_first = extra and bool(operations.all(solved.stable)), giving_way.never(model, solved)
    if served_first:
        by_capacities = _ended(giving_way.estimated(solved, operations), solved).replace(reached=False)
    try:
        with budget.extra(_EXTRA) if optional else budget.share(_QUICK if served_first else _SHARE):
            if served_first:
                bound, edge = giving_way.approached(solved, solve_at, idle, operations)
            else:
                if states and not needs_solution(model) and _certain(other := solve_at(0.0 * bound + 1.0)):
                    bound = where(idle, 1.0, 1 / where(idle, 1.0, other.load))
                edge = solve_at(bound * JUST_BELOW)
            if not served_first and not operations.all(edge.stable):
                bound, edge = _below_capacities(solve_at, bound, edge, solved, operations, bracket)
            elif needs_solution(model) and not operations.all(edge.load >= 1 - _SATURATED):
                # Times fall with the load: loads grow slower than the arrivals.
                result = _above_capacities(solved, solve_at, bound, idle, operations)
                return _with_limit(full_load(model, solved, varied, wanted), result, operations)
    except budget.OverBudget:
        if not served_first and not operations.all(solved.stable):
            raise
        return bracket.saturation(idle) or by_capacities.replace(cut=True)
    except NotComputed as error:
        if states or served_first:
            # No approximation applies or converges, and a search by the chain would take too long.
            return by_capacities
        if any(item.code != "QN540" for item in error.problems) or not operations.all(solved.stable & (certain > 0)):
            raise
        cause = solved.gather(lambda part: limiting(_of_capacities(part)))
        return Saturation(factor=1 / certain, cause=cause, reached=False)
    if states and not operations.all(idle | (bound > 1)):
        # The approximation has no steady state where the chain has one: its factor is wrong.
        return by_capacities
    result = _ended(where(idle, float("inf"), bound), edge)
    result = result.replace(estimated=result.approximate and _exact(solved) and states)
    if not needs_solution(model):
        return result
    return _with_limit(full_load(model, solved, varied, wanted), result, operations)


class _Bracket:
    """The loads that a search has tried, as factors on the arrival rates: the largest ones with a steady state, and
    the smallest ones without."""

    def __init__(self, stated: Solved, operations: Operations) -> None:
        self.operations = operations
        self.low = operations.where(stated.stable, 1.0, 0.0 * stated.load)
        self.high: Value = 0.0 * self.low + float("inf")
        self.last: Solved | None = None

    def add(self, factor: Value, solved: Solved) -> None:
        """A load that was tried, and its solution."""
        where, stable = self.operations.where, solved.stable
        self.low = where(stable & (factor > self.low), factor, self.low)
        self.high = where(stable | (factor > self.high), self.high, factor)
        self.last = solved

    def saturation(self, idle: Value) -> Saturation | None:
        """That of the lower ends; None where some bracket is too wide to use them.

        idle   whether a point has no load.
        """
        where, last = self.operations.where, self.last
        if last is None:
            return None
        width = where(idle, 0.0, self.high / where(self.low > 0, self.low, 1.0) - 1)
        if not self.operations.all((width <= _NARROW) & (idle | (self.low > 0))):
            return None
        widest = float(width if isinstance(width, float) else width.max())
        return _ended(where(idle, float("inf"), self.low), last).replace(cut=True, width=widest)


def _with_limit(load: Value, result: Saturation, operations: Operations) -> Saturation:
    """Saturation with the exact factor of infinite waits, at which times have a limit, instead of a close searched one.

    Fixed points just below that factor converge too slowly for a search to reach it.

    load    as returned by `full_load`; None or 0 where it is not known.
    """
    if load is None:
        return result
    known = load > 0
    end = 1 / operations.where(known, load, 1.0)
    near = known & (operations.absolute(result.factor / end - 1.0) <= _NEAR_END)
    return result.replace(factor=operations.where(near, end, result.factor))


def _ended(factor: Value, edge: Solved) -> Saturation:
    """A factor, with its cause in a solution near it."""
    cause = edge.gather(limiting)
    return Saturation(factor, cause, approximate=_approximate(edge, cause))


def _certain(solved: Solved) -> bool:
    """Whether no load of any point contains waits."""
    return all(item.certain for part in solved.parts for item in part.solution.loads)


def _approximate(solved: Solved, cause: Any) -> bool:
    """Whether the station or limit that saturates a single point has an approximate capacity, or a load with waits."""
    if not isinstance(cause, str):
        return False
    solution = solved.parts[0].solution
    saturated = (item for item in solution.loads if cause in (item.name, solution.saturated_by(item.name)))
    return any(item.estimated or not item.certain for item in saturated)


def _of_capacities(part: Part) -> Part:
    """A part with only the loads that contain no waits."""
    loads = tuple(item for item in part.solution.loads if item.certain)
    return part.replace(solution=part.solution.replace(loads=loads))


def _above_capacities(
    solved: Solved, solve_at: Callable[[Value], Solved], bound: Value, idle: Value, operations: Operations
) -> Saturation:
    """The factor at or above that of the capacities, where loads grow slower than the arrivals.

    That is the case where customers are lost or times fall with the load; loads may never reach a capacity then.

    solve_at  solves the model with the arrival rates multiplied by a factor.
    bound     the factor of the capacities.
    idle      whether a point has no load.
    """
    far = solve_at(bound * _FAR)
    never = idle | far.stable
    if operations.all(never):
        return Saturation(operations.where(never, float("inf"), bound), far.gather(limiting))
    root = _upwards(solve_at, bound, far, operations)
    result, edge = root or _below_capacities(solve_at, bound * _FAR, far, solved, operations)
    estimated = _exact(solved) and not _exact(edge)
    return Saturation(operations.where(never, float("inf"), result), edge.gather(limiting), estimated=estimated)


def _upwards(
    solve_at: Callable[[Value], Solved], bound: Value, far: Solved, operations: Operations
) -> tuple[Value, Solved] | None:
    """The factor from `bound` up, where loads rise monotonically and slower than the arrivals, and a solution near it.

    far      the solution at `_FAR` times `bound`.
    Returns  None where there is no steady state at `bound`, or where times depend on the solution.
    """
    if needs_solution(far.model):
        return None
    where = operations.where
    last = far

    def excess(factor: Value) -> Value:
        nonlocal last
        last = solve_at(factor)
        return _excess(last, operations)

    done, enclosed, low, high, at_high = far.stable, far.stable, bound, bound * _FAR, _excess(far, operations)
    at_low = excess(low)
    if not operations.all(done | (at_low < 0)):
        return None
    for multiple in _UPWARDS:
        tried = where(enclosed, high, bound * multiple)
        value = where(enclosed, at_high, excess(tried))
        saturated = value >= 0
        low, at_low = where(saturated, low, tried), where(saturated, at_low, value)
        high, at_high = where(saturated, tried, high), where(saturated, value, at_high)
        enclosed = enclosed | saturated
        if operations.all(enclosed):
            break
    first = low + (high - low) * (at_low / where(at_low < at_high, at_low - at_high, -1.0))
    result = roots.bracket(excess, low, high, at_low, at_high, operations, first=first)[0]
    return where(done, bound * _FAR, result), last


def _exact(solved: Solved) -> bool:
    """Whether the solutions of all points are exact."""
    return all(part.solution.exact for part in solved.parts)


def _below_capacities(
    solve_at: Callable[[Value], Solved],
    bound: Value,
    edge: Solved,
    stated: Solved,
    operations: Operations,
    bracket: _Bracket | None = None,
) -> tuple[Value, Solved]:
    """The factor below `bound` at which an outer station saturates, and a solution near it.

    solve_at  solves the model with the arrival rates multiplied by a factor.
    bound     the upper end of the search.
    edge      the solution just below `bound`; where it has a steady state, the factor is `bound` itself.
    stated    the solution at a factor of 1; where it has a steady state, the search does not go below it.
    bracket   gets all loads that are tried.
    Method    The variable is the depth -log(1 - x) at the share x of `bound`: outer stations mostly saturate only when
              inner ones nearly do, and waits grow like the depth there. The search goes down from just below `bound`.
    """

    reached, where = edge.stable, operations.where
    last = edge

    def excess(share: Value) -> Value:
        nonlocal last
        last = solve_at(share * bound)
        if bracket is not None:
            bracket.add(share * bound, last)
        value = _excess(last, operations)
        return _bounded(value, operations) if operations.all(1 / where(bound > 0, bound, 1.0) > _LEAST) else value

    low = high = where(reached, JUST_BELOW, JUST_BELOW)
    at_low = at_high = _bounded(_excess(edge, operations), operations)
    known, at_known = 1 / where(bound > 0, bound, 1.0), where(stated.stable, _excess(stated, operations), 0.0)
    known = where((at_known < 0) & (known < JUST_BELOW), known, 0.0)
    """The stated load as a share of `bound`; 0 where it has no steady state or is not below the search."""
    for step in range(_STEPS):
        enclosed = reached | (at_low < 0)
        if operations.all(enclosed):
            break
        high, at_high = where(enclosed, high, low), where(enclosed, at_high, at_low)
        next_low = 1 - _NEAR[step] if step < len(_NEAR) else low * _STEP
        end = (known > _LEAST) & ((step > 0) | (at_high > _STEEP)) | (known >= next_low)
        tried = where(enclosed, low, where(end, known, next_low))
        at_tried = at_known if operations.all(enclosed | end) else where(end, at_known, excess(tried))
        low, at_low = tried, where(enclosed, at_low, at_tried)

    def excess_at_depth(depth: Value) -> Value:
        return excess(_share(depth))

    low, high, before = (_depth(end) for end in (low, high, known))
    ends = (low, at_low), (high, at_high), (before, where(known > 0, at_known, at_low))
    narrowed = where(reached, False, known > _LEAST)
    (low, at_low), (high, at_high), first = _extrapolated(excess_at_depth, *ends, narrowed, operations)
    share = _share(low)
    loose = any(part.solution.method == LAYERS for part in edge.parts)
    tolerance = (_LOOSE if loose else roots.NEARNESS) * share / ((1 - share) * where(low > 0, low, 1.0))
    depth = roots.bracket(excess_at_depth, low, high, at_low, at_high, operations, tolerance, first)[0]
    return where(reached, bound, _share(depth) * bound), last


_Evaluated = tuple[Value, Value]
"""A depth, and the excess there."""


def _extrapolated(
    excess: Callable[[Value], Value],
    lower: _Evaluated,
    upper: _Evaluated,
    earlier: _Evaluated,
    going: Value,
    operations: Operations,
) -> tuple[_Evaluated, _Evaluated, Value]:
    """Narrow a bracket around a root by extrapolation from below.

    excess   a function of the depth that rises through 0 between `lower` and `upper`.
    earlier  a depth below `lower`, or `lower` itself.
    going    whether the bracket is to be narrowed, per point.
    Returns  the lower and the upper end, and the depth to evaluate first between them.
    Method   The line through the last two depths with a steady state: loads above the root are no guide, because they
             hardly rise where inner stations are saturated, or far too much.
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
        # Where the slope is about the same on both sides of the root, bracketing from both is faster.
        rise = (at_low - at_before) / where(low > before, low - before, 1.0)
        across = (at_high - at_low) / where(high > low, high - low, 1.0)
        going = going & (steady | (across > _BENT * rise) | (rise > _BENT * across))
    near = crossed & (at_high < -at_low)
    first = where(near, low - at_low * (high - low) / where(near, at_high - at_low, 1.0), low)
    return (low, at_low), (high, at_high), first


def _bounded(excess: Value, operations: Operations) -> Value:
    """An excess e where it is negative, else e / (1 + e), below 1: the reciprocal of the load changes smoothly."""
    return operations.where(excess > 0, excess / (1 + operations.maximum([excess, 0.0 * excess])), excess)


def _depth(share: Value) -> Value:
    """The depth -log(1 - share), accurate for small shares too."""
    return -log1p(-share) if isinstance(share, float) else -np.log1p(-share)


def _share(depth: Value) -> Value:
    """The share at a depth, the inverse of `_depth`."""
    return -expm1(-depth) if isinstance(depth, float) else -np.expm1(-depth)


def _excess(solved: Solved, operations: Operations) -> Value:
    """The largest load less 1, per point: negative with a steady state, and positive without.

    Where loads contain waits, the magnitude is that of the largest of these, which rise faster than the arrivals; the
    other loads affect the sign alone.
    """
    rising = solved.rising_load
    rising = operations.where(rising > 0, rising, solved.load)
    below, beyond = operations.minimum([rising, 1 - 1e-16 + 0 * rising]), operations.maximum([rising - 1, 1e-16])
    return operations.where(solved.stable, below - 1, beyond)


def limiting(part: Part) -> Any:
    """The station or limit that saturates first: its name, or an object array of a name for each point of a part.

    It is the one with the largest load, but for outer stations that spend more than half of their holding time waiting
    for inner ones, or wait for a saturated one: then it is the inner station that they wait for most. Where no station
    is saturated, it is one whose times depend on the solution, if there are any: these grow too fast with the load.
    """
    solution, dependent = part.solution, _stations_with_dependent_times(part.values.model)
    if part.values.size is None:
        return _cause(solution, None, dependent)
    return np.array([_cause(solution, point, dependent) for point in range(part.values.size)], dtype=object)


@fact
def _stations_with_dependent_times(model: Model) -> frozenset[str]:
    """The names of the stations with times that depend on the solution; the empty name for such a delay."""
    dependent = depends_on_solution(model)
    result = {item.state[1] for chain in model.chains for item in chain.services if uses_solution(item.time, dependent)}
    waiting = [(step, "") for item in model.classes for route in item.routes for step in route.steps]
    while waiting:
        step, around = waiting.pop()
        if step.time is not None and uses_solution(step.time, dependent):
            result.add(step.station or around)
        waiting += [(inner, step.station or around) for inner in step.inner]
    return frozenset(result)


def _cause(solution: RoutedSolution, point: int | None, dependent: Set[str]) -> str:
    """`limiting` at one point; `dependent` are the stations with times that depend on the solution."""
    if not solution.loads:
        return ""
    loads = {item.name: _at(item.load, point) for item in solution.loads}
    if dependent and max(loads.values()) < 1 - _SATURATED:
        loads = {name: load for name, load in loads.items() if name.partition("[")[0] in dependent} or loads
    name = solution.saturated_by(label := max(loads, key=loads.__getitem__), point)
    # What a full subnetwork waits for is known; it may wait for something else at this load.
    while name in solution.held_by and label not in solution.used_when_full:
        shares = {label: _at(share, point) for label, share in solution.held_by[name].items()}
        saturated = [label for label, share in shares.items() if share > 0 and loads.get(label, 0.0) >= 1 - _SATURATED]
        if not saturated and sum(shares.values()) <= 0.5:
            break
        name = max(saturated or shares, key=shares.__getitem__)
    return name


def _at(value: Value, point: int | None) -> float:
    """The value at a point of a part; of a single point, or of all points, the value itself."""
    if isinstance(value, (int, float)):
        return float(value)
    return float(value[point]) if value.ndim else float(value)


def busiest(part: Part) -> Any:
    """The label of the queueing station with the largest utilization, per point of a part; empty if there is none."""
    return _of_busiest(part, lambda names, values: names[max(range(len(values)), key=values.__getitem__)], "")


def busiest_utilization(part: Part) -> Any:
    """The largest utilization of a queueing station, per point of a part; 0 where there is none."""
    return _of_busiest(part, lambda names, values: max(values), 0.0)


def _of_busiest(part: Part, pick: Callable[[list[str], list[float]], Any], nothing: Any) -> Any:
    """The result of `pick`, of labels and utilizations, per point of a part; `nothing` without queueing stations."""
    used = [(item.label, item.utilization) for item in part.solution.stations if item.utilization is not None]
    names = [name for name, _ in used]

    def one(point: int | None) -> Any:
        return pick(names, [_at(value, point) for _, value in used]) if used else nothing

    if part.values.size is None:
        return one(None)

    return np.array([one(point) for point in range(part.values.size)], dtype=object if nothing == "" else float)


def largest_throughput(solution: RoutedSolution, edge: Saturation) -> tuple[float | None, str | None]:
    """The saturation throughput in passages per second, and the name of the station or limit that causes it.

    Of open classes it is the throughput with all arrival rates at saturation, of a single closed class its limit as the
    population grows.

    solution  the solution of the model at one point.
    edge      its saturation.
    Returns   None for both where nothing limits the throughput, it is not known, or customers may be lost.
    """
    if solution.offered is not None:
        # The throughput does not grow in proportion to the arrivals.
        return None, None
    if all(item.population is None for item in solution.classes):
        return (solution.throughput * edge.factor, edge.cause) if edge.factor < float("inf") else (None, None)
    return solution.ceiling or (None, None)


def max_throughput(model: Model, part: Part, wanted: Wanted) -> Value:
    """The saturation throughput in passages per second at the points of a part; NaN where it is not known.

    model    the model of the part.
    wanted   the method and its budget with which the part was solved.
    Returns  a number, or an array of one for each point; infinite for open classes without a capacity.
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
        return solution.throughput * saturation(model, here, varied, wanted, extra=False).factor
    if depends_on_population(model) or len(solution.classes) > 1:
        return 0.0 * solution.throughput + math.nan
    if size is None:
        return solution.ceiling[0] if solution.ceiling else math.nan

    table = {name: np.broadcast_to(np.asarray(value, dtype=float), (size,)) for name, value in varied.items()}
    single = ({name: float(value[point]) for name, value in table.items()} for point in range(size))
    asked = wanted.replace(each=False, near=None)
    limits = (solve_points(model, at, asked=asked).parts[0].solution.ceiling for at in single)
    return np.array([ceiling[0] if ceiling else math.nan for ceiling in limits])
