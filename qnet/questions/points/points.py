"""Solving a model at one point or at a batch of points.

Times that use figures of the solution: solve, feed the figures back, until nothing changes; and look for others.

Figures that are the same but for rounding: which they are, and an order that does not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from qnet.errors import InvalidInput, NotComputed, Problem, QnetError, UsageError
from qnet.expression import FLOATS, Operations, Value, arrays, solution_name
from qnet.lazy import lazy, np
from qnet.model.bind import bind, expressions, structures
from qnet.model.model import Model, fact
from qnet.model.scope import depends_on_solution, is_figure, uses_solution
from qnet.model.values import Values
from qnet.networks.reasons import Beyond, Reason
from qnet.networks.routed import RoutedNetwork
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve
from qnet.networks.wanted import AUTO, Divided, Wanted
from qnet.questions.points.solution_figures import figures, largest_of
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.model import check
else:
    check = lazy("qnet.model.check")
    check = lazy("qnet.model.check")

_NEAR = 1e-9
"""A relative difference that counts as none; any small number above rounding works."""
_Item = TypeVar("_Item")


def same(one: float, other: float) -> bool:
    """Whether two figures, `one` and `other`, agree to 1e-9 of the larger."""
    return abs(one - other) <= _NEAR * max(abs(one), abs(other))


def rising(items: Iterable[_Item], size: Callable[[_Item], float]) -> list[_Item]:
    """The items by rising size, those of the same size but for rounding in the order in which they are given."""
    given = list(items)
    result: list[_Item] = []
    identical: list[int] = []
    for position in sorted(range(len(given)), key=lambda position: size(given[position])):
        if identical and not same(size(given[identical[0]]), size(given[position])):
            result += [given[index] for index in sorted(identical)]
            identical = []
        identical.append(position)
    return result + [given[index] for index in sorted(identical)]


_TOLERANCE = 1e-12
"""Relative change of a value: some thousand units in the last place, and far below printed digits."""
_MAX_ROUNDS = 500
"""Until convergence is given up; any number above what converges works."""
_ACCELERATED = 250
"""Rounds that are accelerated; those after them are plain."""
_SLOW, _SHORT = 32, 8
"""Rounds after which some are skipped where they go by slowly, and the fewest that are."""
_LOADED = 100.0
"""The factor on the times and numbers of the least solution from which another is searched for."""
_OF_SERVERS = ("utilization(", "busy_servers(")
"""Figures that have an end where servers are full."""
_WITHOUT_END = ("wait", "queue_length", "residence", "response")
"""Figures that grow without an end as servers fill."""
_CROWDED, _NEARBY = 100, 1e-3
"""Rounds from the longest of these, and the relative change from which on those of the fixed point go on."""
_LONGEST, _SHORTEST = 1e9, 1e-12
"""Seconds, or customers: the ends of what is tried."""
_BOUND_IT = "bound the expression, such as max(0 s, ...) or min(1, ...), or change the load"
_APART = 1e-6
"""By how much of themselves the responses of two solutions differ."""


def settled(
    model: Model, varied: dict[str, Value], size: int | None, factor: Value, patient: bool, asked: Wanted
) -> tuple[Values, RoutedSolution]:
    """The fixed point: the solution that follows from times that depend on it, with the parameters there.

    patient   refuse what does not converge, and search for a second solution; else points that do not converge count as
              without a steady state.
    Returns   the least solution: the one reached from no load or, where that has no steady state because times fall
              with the load, from busy servers, or from long waits and queues. Where rounds from a heavy load converge
              elsewhere, a reason of the solution states the other response, with the code QN647.
    Raises    `NotComputed` QN511 for a patient caller.
    """
    # There are many rounds that differ by little: only methods that need no states of the entire network.
    asked = asked.replace(chain=0)
    wanted = figures_used(model)
    values, result = _fixed_point(model, varied, size, factor, patient, asked, dict.fromkeys(wanted, 0.0))
    operations: Operations = FLOATS if size is None else arrays()
    beyond = result.stable == False  # noqa: E712
    if not operations.all(result.stable):
        # Times that fall with the load may have a steady state that no round reaches from times without any.
        start = _busy(result, wanted, operations)
        if any(name.startswith(_OF_SERVERS) for name in wanted):
            later, other = _fixed_point(model, varied, size, factor, False, asked, start)
            if not operations.all((beyond & other.stable) == False):  # noqa: E712
                values, result = later, other
        crowd = None if operations.all(result.stable) else _crowded(model, varied, size, factor, asked, start)
        if crowd is not None:
            # Points that have a steady state keep it.
            known = figures(result)
            start = {name: operations.where(result.stable, known[name], crowd[name]) for name in wanted}
            later, other = _fixed_point(model, varied, size, factor, False, asked, start)
            if not operations.all((beyond & other.stable) == False):  # noqa: E712
                values, result = later, other
    # What the throughput tends to is not known of times that change on the way there.
    result = result.replace(ceiling=None)
    if not patient:
        return values, result
    heavy = _heavy(wanted, figures(result), result)
    other = _fixed_point(model, varied, size, factor, False, asked, heavy)[1]
    apart = operations.absolute(other.response - result.response) > _APART * operations.absolute(result.response)
    several = result.stable & other.stable & apart
    if operations.all(several == False):  # noqa: E712
        return values, result
    where = f"a response of {other.response:.4g} s" if size is None else "another response at some points"
    warning = f"from a heavy load the rounds converge to {where}: the system may work either way, and change over"
    reason = Beyond(Reason("several solutions"), "QN647", warning)
    return values, result.replace(exact=False, reasons=(*result.reasons, reason))


def _busy(solution: RoutedSolution, wanted: tuple[str, ...], operations: Operations) -> dict[str, Value]:
    """Figures to start from: busy servers and no waits where there is no steady state, elsewhere those known."""
    known, full = figures(solution), dict.fromkeys(wanted, 0.0)
    for item in solution.stations:
        if item.servers is not None:
            name = solution_name("busy_servers", item.name)
            full[solution_name("utilization", item.name)] = 1.0
            full[name] = full.get(name, 0.0) + float(item.servers * item.copies)
    return {name: operations.where(solution.stable, known[name], full[name]) for name in wanted}


def _crowded(
    model: Model, varied: dict[str, Value], size: int | None, factor: Value, asked: Wanted, start: Mapping[str, Value]
) -> dict[str, Value] | None:
    """Figures near a fixed point, which is enclosed from the longest waits and queues down.

    start    the figures of busy servers, and of points that have a steady state.
    Returns  None where there is none: where times with the longest waits and queues have no steady state, as those
             that grow with them, or numbers leave their domain.
    Method   Times that fall as queues grow make these shorter in turn: each round goes half of the way, on a scale of
             logarithms, between what was too short so far and what was too long.
    """
    operations: Operations = FLOATS if size is None else arrays()
    where = operations.where
    wanted = [name for name in start if name.partition("(")[0] in _WITHOUT_END]
    if not wanted:
        return None
    known = dict(start)
    least = {name: 0.0 * start[name] + _SHORTEST for name in wanted}
    most = {name: 0.0 * start[name] + _LONGEST for name in wanted}
    steady: Value = True
    for turn in range(_CROWDED):
        if not turn:
            known |= {name: 0.0 * start[name] + _LONGEST for name in wanted}
        try:
            _, network = _there(model, varied, size, known)
            solution = solve(network.loaded(factor), asked)
        except NotComputed:
            return None
        result, change = figures(solution), 0.0 * known[wanted[0]]
        if not turn:
            steady = solution.stable
            if operations.all(steady == False):  # noqa: E712
                return None
        for name in start:
            old, new = known[name], result[name]
            if name in wanted:
                longer = solution.stable & (new <= old)
                low = where(longer, least[name], old)
                high = where(longer, old, most[name])
                # Brackets of several figures move with the others.
                closed = high < low * (1 + 0.1 * _NEARBY)
                least[name], most[name] = where(closed, low / 2, low), where(closed, high * 2, high)
                ahead = operations.exp(0.5 * (operations.log(least[name]) + operations.log(most[name])))
                known[name] = where(solution.stable & (operations.absolute(new / old - 1.0) <= _NEARBY), old, ahead)
                change = operations.maximum([change, operations.absolute(known[name] / old - 1.0)])
            else:
                known[name] = where(solution.stable, new, old)
        if operations.all((change <= _NEARBY) | (steady == False)):  # noqa: E712
            break
    return known


def full_load(model: Model, solved: Solved, varied: Mapping[str, Value] | None, asked: Wanted) -> Value:
    """The largest share of a capacity in use with the times that a model has as its servers fill; None where unknown.

    Servers are busy then, and waits and queues so long that times which depend on them are at their limits.

    solved   the model at one point, or at a batch of one structure, without which it is not known.
    varied   what `solve_points` was given for it.
    """
    (part, *others) = solved.parts
    if others:
        return None
    known = _busy(part.solution.replace(stable=False), figures_used(model), part.values.operations)
    known |= {name: value + _LONGEST for name, value in known.items() if name.partition("(")[0] in _WITHOUT_END}
    try:
        _, network = _there(model, dict(varied or {}), solved.size, known)
        solution = solve(network, asked.replace(chain=0))
    except NotComputed:
        return None
    return Solved(model, solved.size, (part.replace(solution=solution),)).certain_load


def _heavy(wanted: tuple[str, ...], result: Mapping[str, Value], solution: RoutedSolution) -> dict[str, Value]:
    """Figures of a heavy load, to start from: busy servers, long waits and queues, little throughput."""
    start: dict[str, Value] = {}
    customers = sum(item.population for item in solution.classes if item.population is not None)
    for name in wanted:
        kind = name.partition("(")[0]
        if kind == "utilization":
            start[name] = 0.0 * result[name] + 1.0
        elif kind == "throughput":
            start[name] = result[name] / _LOADED
        elif kind == "queue_length":
            start[name] = result[name] * _LOADED + customers
        else:
            start[name] = result[name] * _LOADED
    return start


@fact
def figures_used(model: Model) -> tuple[str, ...]:
    """The figures that numbers of the network need, directly or through parameters."""
    used = [parameter.expression for parameter in model.parameters.values()] + expressions(model)
    return tuple(dict.fromkeys(name for expression in used for name in expression.names if is_figure(name)))


def _there(
    model: Model, varied: dict[str, Value], size: int | None, known: Mapping[str, Value]
) -> tuple[Values, RoutedNetwork]:
    """The network where the solution has some figures.

    Raises   `NotComputed` QN738 where a number is outside its domain there, and not because of the model without load.
    """
    operations: Operations = FLOATS if size is None else arrays()
    try:
        values = Values(model, varied, size, known)
        return values, bind(model, values)
    except (InvalidInput, UsageError) as error:
        if all(operations.all(value == 0) for value in known.values()):
            raise
        first = error.problems[0]
        text = f"a number that depends on the solution leaves its domain on the way there: {first.found}"
        raise NotComputed(first.replace(code="QN738", found=text, help=_BOUND_IT)) from None


def _fixed_point(
    model: Model,
    varied: dict[str, Value],
    size: int | None,
    factor: Value,
    patient: bool,
    asked: Wanted,
    start: Mapping[str, Value],
) -> tuple[Values, RoutedSolution]:
    """Solve, and feed the figures back, until nothing changes.

    Points without a steady state are left out of the test, because their figures mean nothing. A wait is measured
    against wait and holding time together, as in the solver.

    start     the figures to begin with.
    Method    Rounds are accelerated by one step of memory (@anderson1965), each point of a batch
              by a separate weight, while they contract; a point that an accelerated step took out of its steady state
              goes on from before it, one round at a time. Just beyond the end of a solution rounds go by where it was,
              by little and then by more; these are skipped without patience, and counted.
    """
    operations: Operations = FLOATS if size is None else arrays()
    where = operations.where
    wanted = figures_used(model)
    known: dict[str, Value] = dict(start)
    look = _MAX_ROUNDS if patient else _SLOW
    visited: set[tuple[Value, ...]] = set()
    """Figures of a single point without patience: where they return exactly, rounds are not accelerated any more, and
    then in vain."""

    def at(known: Mapping[str, Value]) -> tuple[Values, RoutedSolution]:
        values, network = _there(model, varied, size, known)
        return values, solve(network.loaded(factor), asked)

    plain, residual = dict(known), dict.fromkeys(wanted, 0.0)
    fast: Value = False
    trusted: Value = True
    rounds = 0
    while True:
        values, solution = at(known)
        result, sizes = figures(solution), _sizes(solution)
        stable = solution.stable
        astray = fast & (stable == False)  # noqa: E712
        trusted = trusted & (astray == False)  # noqa: E712
        change: Value = 0.0
        overlap: Value = 0.0
        square: Value = 0.0
        before, residual_before = plain, residual
        plain: dict[str, Value] = {}
        residual: dict[str, Value] = {}
        for name in wanted:
            plain[name] = where(stable, result[name], where(astray, before[name], known[name]))
            residual[name] = where(stable, result[name] - known[name], 0.0)
            measure = abs(plain[name]) + abs(known[name]) + where(stable, sizes.get(name, 0.0), 0.0) + 1e-300
            share, turn = residual[name] / measure, (residual[name] - residual_before[name]) / measure
            change = operations.maximum([change, abs(share)])
            overlap, square = overlap + turn * share, square + turn * turn
        settled = (change <= _TOLERANCE) & (astray == False)  # noqa: E712
        if operations.all(settled):
            return values, solution
        if rounds == _MAX_ROUNDS and patient:
            raise _unsettled(change)
        if look <= rounds < _MAX_ROUNDS:
            moves = {name: where(settled, 0.0, residual[name]) for name in wanted}
            skipped = _going_by(known, moves, settled, _MAX_ROUNDS - rounds, at, operations)
            rounds += skipped
            if skipped and rounds < _MAX_ROUNDS:
                known = {name: known[name] + 2.0 * skipped * moves[name] for name in wanted}
                continue
            look = 2 * rounds
        if rounds == _MAX_ROUNDS:
            return values, solution.replace(stable=stable & settled)
        weight = overlap / where(square > 0, square, 1.0)
        fast = trusted & stable & (weight < 1) & (square > 0) & (rounds > 0) & (rounds < _ACCELERATED)
        weight = where(fast, operations.maximum([operations.minimum([weight, 0.95]), -1000.0]), 0.0)
        for name in wanted:
            mixed = operations.maximum([plain[name] - weight * (plain[name] - before[name]), 0.0])
            known[name] = operations.minimum([mixed, 1.0]) if name.startswith("utilization(") else mixed
        rounds += 1
        if size is None and not patient:
            figure = tuple(known.values())
            if figure in visited and not trusted:
                rounds = look = _MAX_ROUNDS
            elif figure in visited:
                trusted = False
                visited.clear()
            visited.add(figure)


def _going_by(
    known: Mapping[str, Value],
    moves: Mapping[str, Value],
    settled: Value,
    most: int,
    at: Callable[[Mapping[str, Value]], tuple[Values, RoutedSolution]],
    operations: Operations,
) -> int:
    """How many rounds may be skipped, since no point that has not converged does in any of them.

    known, moves  the figures, and how a round changes them.
    most          the rounds that are left.
    at            the solution with some figures.
    Returns       0 where rounds are not known to go by.
    Method        The moves at twice the distance that a number of rounds would go with the present ones: where they are
                  as large at least, and twice as large at most, that number of rounds does not even come there.
    """
    count = most
    while count >= _SHORT:
        ahead = {name: known[name] + 2.0 * count * move for name, move in moves.items()}
        if not operations.all(operations.minimum([*ahead.values()]) >= 0.0):
            return 0
        try:
            solution = at(ahead)[1]
        except NotComputed:
            return 0
        result, going = figures(solution), solution.stable
        for name, move in moves.items():
            ratio = (result[name] - ahead[name]) / operations.where(move == 0.0, 1.0, move)
            going = going & ((move == 0.0) | (ratio >= 1.0) & (ratio <= 2.0))
        if operations.all(settled | going):
            return count
        count //= 4
    return 0


def _unsettled(change: Any) -> NotComputed:
    """The refusal of a fixed point that did not converge; `change` is the residual, per point."""
    largest = change if isinstance(change, (int, float)) else change.max()
    text = f"times that depend on the solution did not converge: residual {largest:.1e} after {_MAX_ROUNDS} rounds"
    help = "the model may have no steady state here, or several"
    return NotComputed(Problem("QN511", text, f"a residual of {_TOLERANCE:.0e}", help=help))


def _sizes(solution: RoutedSolution) -> dict[str, Value]:
    """What waits are computed relative to, besides themselves: the longest holding time of a station."""
    result: dict[str, Value] = {}
    for item in solution.stations:
        name = solution_name("wait", item.name)
        result[name] = largest_of([result[name], item.holding]) if name in result else item.holding
    return result


class Part(Record):
    """The answer for the points that share one structure."""

    points: Any
    """Which points of the batch, as an index array; None for a single point."""
    values: Values
    solution: RoutedSolution

    @cached_property
    def figures(self) -> dict[str, Value]:
        """Every figure that expressions may use, by name; gathered once, however many metrics are asked for."""
        return figures(self.solution)

    @cached_property
    def percentiles(self) -> dict[str, Value]:
        """The percentiles that were asked for so far, by name: to invert a transform takes longer than a solution."""
        return {}


class Solved(Record):
    """A model solved at one point (`size` None) or at `size` points."""

    model: Model
    size: int | None
    parts: tuple[Part, ...]
    asked: Wanted = AUTO
    """The method and its budget."""
    rows: Any = None
    """Which of the points that were solved each one is that was asked for, where some of these are the same."""

    @property
    def stable(self) -> Value:
        """Whether there is a steady state, per point."""
        return self.gather(lambda part: part.solution.stable)

    @property
    def load(self) -> Value:
        """The largest share of a capacity in use, per point; at 1 and above there is no steady state."""
        return self.gather(lambda part: _largest([item.load for item in part.solution.loads], part))

    @property
    def certain_load(self) -> Value:
        """The largest load among those that hold no waits."""
        return self.gather(lambda part: _largest([item.load for item in part.solution.loads if item.certain], part))

    @property
    def waiting_load(self) -> Value:
        """The largest load among those that hold waits."""
        return self.gather(lambda part: _largest([item.load for item in part.solution.loads if not item.certain], part))

    @property
    def rising_load(self) -> Value:
        """The largest load among those that hold waits and rise faster than the arrivals; of all where times do."""
        every = needs_solution(self.model)
        return self.gather(
            lambda part: _largest([item.load for item in part.solution.loads if every or not item.certain], part)
        )

    def gather(self, of: Callable[[Part], Any]) -> Value:
        """One value per point from a function of a part."""
        if self.size is None:
            return of(self.parts[0])

        result: Any = None
        for part in self.parts:
            value = np.asarray(of(part))
            if result is None:
                result = np.zeros(self.size, dtype=value.dtype)
            result[part.points] = value
        return result if self.rows is None else result[self.rows]


def _largest(values: list[Value], part: Part) -> Value:
    if not values:
        return part.values.operations.where(part.solution.stable, 0.0, 0.0)
    return part.values.operations.maximum(values) if len(values) > 1 else values[0]


def solve_points(
    model: Model,
    varied: Mapping[str, Value] | None = None,
    size: int | None = None,
    load_factor: Value = 1.0,
    patient: bool = True,
    asked: Wanted = AUTO,
) -> Solved:
    """Solve a model with some parameters replaced by numbers, or by arrays of `size` points.

    varied        numbers in base units by parameter, each for all points or an array of `size`; of choices the index.
    size          the number of points; None for one point, as plain numbers.
    load_factor   multiplies every arrival rate.
    patient       refuse points whose times depend on the solution and do not converge; else they count as without a
                  steady state, which is what a search for the largest load needs: only what is proven holds.
    asked         the method and its budget, where there is a choice.
    Raises        `InvalidInput` for numbers outside their domain, `NotComputed` where a fixed point does not converge.
    """
    given = dict(varied or {})
    if size is None:
        try:
            values = Values(model, given, None)
            part = _solve_part(model, None, given, None, load_factor, values, patient, asked)
        except (InvalidInput, UsageError) as error:
            raise (error if given else check.together(check.stated(model), error)) from None
        return Solved(model, None, (part,), asked)

    values = Values(model, given, size)
    given = {name: np.broadcast_to(np.asarray(value, dtype=float), (size,)) for name, value in given.items()}
    factor = np.broadcast_to(np.asarray(load_factor, dtype=float), (size,))
    batches = structures(model, values)
    parts: list[Part] = []
    waiting = batches[::-1]
    while waiting:
        index = waiting.pop()
        particular = {name: value[index] for name, value in given.items()}
        part_values = values if len(index) == size else Values(model, particular, len(index))
        try:
            parts.append(_solve_part(model, index, particular, len(index), factor[index], part_values, patient, asked))
        except Divided as divided:
            waiting += [index[~divided.first], index[divided.first]]
        except QnetError as error:
            if error.at is not None:
                error.at = np.isin(np.arange(size), index[error.at]) if len(error.at) == len(index) else None
                error.alone = error.alone if len(index) == size else None
            raise
    return Solved(model, size, tuple(parts), asked)


def at_loads(solved: Solved, varied: Mapping[str, Value] | None, asked: Wanted) -> Callable[[Value], Solved]:
    """How to solve the same points with all arrival rates multiplied by a factor, as searches do again and again.

    varied   what `solve_points` was given for them, and `asked` as well.
    Returns  what `solve_points` does for a `load_factor` without patience; numbers that no load changes are computed
             once.
    """
    model, size = solved.model, solved.size

    def anew(factor: Value) -> Solved:
        return solve_points(model, varied, size, factor, patient=False, asked=asked)

    if needs_solution(model):
        return anew
    networks = [bind(model, part.values) for part in solved.parts]

    def again(factor: Value) -> Solved:
        factors = [factor if size is None or factor.ndim == 0 else factor[part.points] for part in solved.parts]
        pairs = zip(solved.parts, networks, factors, strict=True)
        try:
            parts = tuple(p.replace(solution=solve(n.loaded(f), asked)) for p, n, f in pairs)
            result = Solved(model, size, parts, asked)
        except Divided:
            return anew(factor)
        if asked.solved:
            asked.solved(size or 1)
        return result

    return again


def _solve_part(
    model: Model,
    index: Any,
    varied: dict[str, Value],
    size: int | None,
    factor: Value,
    values: Values,
    patient: bool,
    asked: Wanted,
) -> Part:
    if not needs_solution(model):
        part = Part(index, values, solve(bind(model, values).loaded(factor), asked))
    else:
        part = Part(index, *settled(model, varied, size, factor, patient, asked))
    if asked.solved:
        asked.solved(size or 1)
    return part


@fact
def needs_solution(model: Model) -> bool:
    """Whether any number of the network of a model, not only an output, depends on the solution."""

    dependent = depends_on_solution(model)
    return any(uses_solution(expression, dependent) for expression in expressions(model))
