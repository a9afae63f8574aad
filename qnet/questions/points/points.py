"""Solve a model at one point or at a batch of points.

Where times depend on figures of the solution, a fixed point is computed: solve, feed the figures back, until they
converge; then search for a second one from a heavy load.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

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

_TOLERANCE = 1e-12
"""The relative residual of a converged fixed point: some thousand units in the last place, far below printed digits."""
_MAX_ROUNDS = 500
"""Rounds after which a fixed point counts as not converged; any number above what converging ones take works."""
_ACCELERATED = 250
"""Rounds that may be accelerated; later ones are plain."""
_SLOW, _SHORT = 32, 8
"""Rounds after which a slow drift of the figures is skipped, and the fewest rounds that are worth skipping."""
_LOADED = 100.0
"""The factor on the times and numbers of the least fixed point that makes the heavy load of the second search."""
_OF_SERVERS = ("utilization(", "busy_servers(")
"""Beginnings of the names of figures that are bounded by the servers."""
_UNBOUNDED = ("wait", "queue_length", "residence", "response")
"""Figures that grow without bound as stations saturate."""
_BISECTIONS, _NEARBY = 100, 1e-3
"""Rounds of the search from the largest of these figures down, and the relative change at which it ends."""
_LONGEST, _SHORTEST = 1e9, 1e-12
"""The largest and the smallest of these figures that are tried, in seconds or customers."""
_BOUND_IT = "bound the expression, such as max(0 s, ...) or min(1, ...), or change the load"
_APART = 1e-6
"""The relative difference of the responses above which two solutions are different."""


def solve_dependent(
    model: Model, varied: dict[str, Value], size: int | None, factor: Value, patient: bool, asked: Wanted
) -> tuple[Values, RoutedSolution]:
    """Solve a model whose times depend on figures of the solution: a fixed point, and the parameters there.

    varied    parameter -> value in base units, a number or an array of `size`.
    size      the number of points; None for one point, as plain numbers.
    factor    multiplies every arrival rate.
    patient   refuse points that do not converge, and search for a second solution; else points that do not converge
              count as points without a steady state.
    asked     the method and its budget.
    Returns   the least solution: that from no load or, where that has no steady state because times fall with the load,
              from busy servers, or from long waits and queues. If rounds from a heavy load converge to another one,
              a reason of the solution with the code QN647 states its response.
    Raises    `NotComputed`: QN511 for points that do not converge, of a patient caller; QN738 for a number that leaves
              its domain during the rounds.
    """
    # Of the many similar rounds none may take the time of a Markov chain.
    asked = asked.replace(chain=0)
    wanted = figures_used(model)
    values, result = _iterate(model, varied, size, factor, patient, asked, dict.fromkeys(wanted, 0.0))
    operations: Operations = FLOATS if size is None else arrays()
    unstable = result.stable == False  # noqa: E712
    if not operations.all(result.stable):
        # If times fall with the load, there may be a steady state that rounds from no load do not reach.
        start = _busy_start(result, wanted, operations)
        if any(name.startswith(_OF_SERVERS) for name in wanted):
            later, other = _iterate(model, varied, size, factor, False, asked, start)
            if not operations.all((unstable & other.stable) == False):  # noqa: E712
                values, result = later, other
        congested = None if operations.all(result.stable) else _congested(model, varied, size, factor, asked, start)
        if congested is not None:
            # Points that have a steady state already start from it.
            known = figures(result)
            start = {name: operations.where(result.stable, known[name], congested[name]) for name in wanted}
            later, other = _iterate(model, varied, size, factor, False, asked, start)
            if not operations.all((unstable & other.stable) == False):  # noqa: E712
                values, result = later, other
    # The ceiling is that of the present times, which change as the throughput rises towards it.
    result = result.replace(ceiling=None)
    if not patient:
        return values, result
    heavy = _heavy_start(wanted, figures(result), result)
    other = _iterate(model, varied, size, factor, False, asked, heavy)[1]
    apart = operations.absolute(other.response - result.response) > _APART * operations.absolute(result.response)
    several = result.stable & other.stable & apart
    if operations.all(several == False):  # noqa: E712
        return values, result
    where = f"a response of {other.response:.4g} s" if size is None else "another response at some points"
    warning = f"iterating from a heavy load converges to {where}: the system may switch between the two"
    reason = Beyond(Reason("several solutions"), "QN647", warning)
    return values, result.replace(exact=False, reasons=(*result.reasons, reason))


def _busy_start(solution: RoutedSolution, wanted: tuple[str, ...], operations: Operations) -> dict[str, Value]:
    """Figures to start from: servers busy and no waits at points without a steady state, else those of the solution."""
    known, busy = figures(solution), dict.fromkeys(wanted, 0.0)
    for item in solution.stations:
        if item.servers is not None:
            name = solution_name("busy_servers", item.name)
            busy[solution_name("utilization", item.name)] = 1.0
            busy[name] = busy.get(name, 0.0) + float(item.servers * item.copies)
    return {name: operations.where(solution.stable, known[name], busy[name]) for name in wanted}


def _congested(
    model: Model, varied: dict[str, Value], size: int | None, factor: Value, asked: Wanted, start: Mapping[str, Value]
) -> dict[str, Value] | None:
    """Figures near a fixed point with long waits and queues, enclosed from the longest ones down.

    start    figures with all servers busy; at points that have a steady state, those of it.
    Returns  None where there is no such point: no waits or queues are used, the longest ones give no steady state, as
             where times grow with them, or a number leaves its domain.
    Method   Times that fall as queues grow shorten these in turn, so that a figure is bisected, on a logarithmic scale,
             between the largest value known to be too small and the smallest known to be too large.
    """
    operations: Operations = FLOATS if size is None else arrays()
    where = operations.where
    wanted = [name for name in start if name.partition("(")[0] in _UNBOUNDED]
    if not wanted:
        return None
    known = dict(start)
    least = {name: 0.0 * start[name] + _SHORTEST for name in wanted}
    most = {name: 0.0 * start[name] + _LONGEST for name in wanted}
    steady: Value = True
    for turn in range(_BISECTIONS):
        if not turn:
            known |= {name: 0.0 * start[name] + _LONGEST for name in wanted}
        try:
            _, network = _network_at(model, varied, size, known)
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
                # The bracket of a figure moves as the others change: one that has closed is opened again.
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
    """The largest load, as a share of a capacity, with the times that a model tends to as it saturates.

    All servers are busy then, and waits and queues so long that times which depend on them are at their limits.

    solved   the model at one point, or at a batch of points of one structure.
    varied   as passed to `solve_points` for it.
    asked    the method and its budget.
    Returns  a number for each point; None for several structures, and where these times are not computed.
    """
    (part, *others) = solved.parts
    if others:
        return None
    known = _busy_start(part.solution.replace(stable=False), figures_used(model), part.values.operations)
    known |= {name: value + _LONGEST for name, value in known.items() if name.partition("(")[0] in _UNBOUNDED}
    try:
        _, network = _network_at(model, dict(varied or {}), solved.size, known)
        solution = solve(network, asked.replace(chain=0))
    except NotComputed:
        return None
    return Solved(model, solved.size, (part.replace(solution=solution),)).certain_load


def _heavy_start(wanted: tuple[str, ...], result: Mapping[str, Value], solution: RoutedSolution) -> dict[str, Value]:
    """Figures to start from, of a heavy load: all servers busy, long waits and queues, low throughputs."""
    start: dict[str, Value] = {}
    customers = sum(item.population for item in solution.classes if item.population is not None)
    for name in wanted:
        figure = name.partition("(")[0]
        if figure == "utilization":
            start[name] = 0.0 * result[name] + 1.0
        elif figure == "throughput":
            start[name] = result[name] / _LOADED
        elif figure == "queue_length":
            start[name] = result[name] * _LOADED + customers
        else:
            start[name] = result[name] * _LOADED
    return start


@fact
def figures_used(model: Model) -> tuple[str, ...]:
    """The names of the figures of the solution that parameters and numbers of the network use."""
    used = [parameter.expression for parameter in model.parameters.values()] + expressions(model)
    return tuple(dict.fromkeys(name for expression in used for name in expression.names if is_figure(name)))


def _network_at(
    model: Model, varied: dict[str, Value], size: int | None, known: Mapping[str, Value]
) -> tuple[Values, RoutedNetwork]:
    """The parameters and the network of a model whose solution has the figures `known`.

    Raises   `NotComputed` QN738 for a number outside its domain; the error itself where all figures are still 0.
    """
    operations: Operations = FLOATS if size is None else arrays()
    try:
        values = Values(model, varied, size, known)
        return values, bind(model, values)
    except (InvalidInput, UsageError) as error:
        if all(operations.all(value == 0) for value in known.values()):
            raise
        first = error.problems[0]
        text = f"a number that depends on the solution leaves its domain during the iteration: {first.found}"
        raise NotComputed(first.replace(code="QN738", found=text, help=_BOUND_IT)) from None


def _iterate(
    model: Model,
    varied: dict[str, Value],
    size: int | None,
    factor: Value,
    patient: bool,
    asked: Wanted,
    start: Mapping[str, Value],
) -> tuple[Values, RoutedSolution]:
    """Solve, and feed the figures back, until they converge; arguments as of `solve_dependent`.

    Points without a steady state do not count for convergence, because their figures are meaningless. The residual of a
    wait is relative to wait and holding time together, as in the solver.

    start     the figures to start from.
    Method    While rounds contract, they are accelerated with a memory of one step (@anderson1965), with a weight for
              each point of a batch; a point without a steady state after an accelerated step returns to the one
              before, and continues with plain rounds. Just beyond the load at which a fixed point vanishes, rounds
              drift past where it was, slowly and then faster; impatient callers skip such rounds, which count.
    """
    operations: Operations = FLOATS if size is None else arrays()
    where = operations.where
    wanted = figures_used(model)
    known: dict[str, Value] = dict(start)
    look = _MAX_ROUNDS if patient else _SLOW
    visited: set[tuple[Value, ...]] = set()
    """Figures of a single point of an impatient caller: where they recur exactly, rounds are no longer accelerated, and
    where they recur again, the rounds end."""

    def at(known: Mapping[str, Value]) -> tuple[Values, RoutedSolution]:
        values, network = _network_at(model, varied, size, known)
        return values, solve(network.loaded(factor), asked)

    plain, residual = dict(known), dict.fromkeys(wanted, 0.0)
    fast: Value = False
    trusted: Value = True
    rounds = 0
    while True:
        values, solution = at(known)
        result, scales = figures(solution), _wait_scales(solution)
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
            measure = abs(plain[name]) + abs(known[name]) + where(stable, scales.get(name, 0.0), 0.0) + 1e-300
            share, turn = residual[name] / measure, (residual[name] - residual_before[name]) / measure
            change = operations.maximum([change, abs(share)])
            overlap, square = overlap + turn * share, square + turn * turn
        settled = (change <= _TOLERANCE) & (astray == False)  # noqa: E712
        if operations.all(settled):
            return values, solution
        if rounds == _MAX_ROUNDS and patient:
            raise _not_converged(change)
        if look <= rounds < _MAX_ROUNDS:
            moves = {name: where(settled, 0.0, residual[name]) for name in wanted}
            skipped = _drifting_rounds(known, moves, settled, _MAX_ROUNDS - rounds, at, operations)
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


def _drifting_rounds(
    known: Mapping[str, Value],
    moves: Mapping[str, Value],
    settled: Value,
    most: int,
    at: Callable[[Mapping[str, Value]], tuple[Values, RoutedSolution]],
    operations: Operations,
) -> int:
    """The number of rounds that can be skipped, because no further point converges in any of them.

    known    the figures.
    moves    their changes in a round; 0 at points that have converged.
    settled  whether a point has converged, per point.
    most     the number of rounds that remain.
    at       the parameters and the solution for some figures.
    Returns  0 where figures are not known to drift.
    Method   The moves are computed at twice the distance that a number of rounds would cover at the present ones. If
             they are once to twice as large there, that number of rounds does not even cover this distance.
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
        result, drifting = figures(solution), solution.stable
        for name, move in moves.items():
            ratio = (result[name] - ahead[name]) / operations.where(move == 0.0, 1.0, move)
            drifting = drifting & ((move == 0.0) | (ratio >= 1.0) & (ratio <= 2.0))
        if operations.all(settled | drifting):
            return count
        count //= 4
    return 0


def _not_converged(residual: Any) -> NotComputed:
    """The error of a fixed point that did not converge, with its relative residual, per point."""
    largest = residual if isinstance(residual, (int, float)) else residual.max()
    text = f"times that depend on the solution did not converge: residual {largest:.1e} after {_MAX_ROUNDS} rounds"
    expected, help = f"a residual of {_TOLERANCE:.0e}", "the model may have no steady state here, or several"
    return NotComputed(Problem("QN511", text, expected, help=help))


def _wait_scales(solution: RoutedSolution) -> dict[str, Value]:
    """The scale of the residual of each wait, besides the wait itself: the longest holding time of the station."""
    result: dict[str, Value] = {}
    for item in solution.stations:
        name = solution_name("wait", item.name)
        result[name] = largest_of([result[name], item.holding]) if name in result else item.holding
    return result


class Part(Record):
    """The solution at the points of a batch that share a structure and a method, or at a single point."""

    points: Any
    """Their indices in the batch, an integer array; None for a single point."""
    values: Values
    solution: RoutedSolution

    @cached_property
    def figures(self) -> dict[str, Value]:
        """Every figure that expressions may use, by name, computed at the first access."""
        return figures(self.solution)

    @cached_property
    def percentiles(self) -> dict[str, Value]:
        """The percentiles that were asked for so far, by name: to invert a transform takes longer than a solution."""
        return {}


class Solved(Record):
    """A model solved at one point (`size` None) or at a batch of `size` points."""

    model: Model
    size: int | None
    parts: tuple[Part, ...]
    asked: Wanted = AUTO
    """The method and its budget."""
    rows: Any = None
    """For each requested point the index of its equal among the solved ones, an array; None where all were solved."""

    @property
    def stable(self) -> Value:
        """Whether there is a steady state, per point."""
        return self.gather(lambda part: part.solution.stable)

    @property
    def load(self) -> Value:
        """The largest load, as a share of its capacity, per point; at 1 and above there is no steady state."""
        return self.gather(lambda part: _largest([item.load for item in part.solution.loads], part))

    @property
    def certain_load(self) -> Value:
        """The largest load among those that contain no waits, per point; 0 without any."""
        return self.gather(lambda part: _largest([item.load for item in part.solution.loads if item.certain], part))

    @property
    def waiting_load(self) -> Value:
        """The largest load among those that contain waits, per point; 0 without any."""
        return self.gather(lambda part: _largest([item.load for item in part.solution.loads if not item.certain], part))

    @property
    def rising_load(self) -> Value:
        """The largest load among those that grow faster than the arrivals, per point; 0 without any.

        These are the loads that contain waits; all loads where times depend on the solution.
        """
        every = needs_solution(self.model)
        return self.gather(
            lambda part: _largest([item.load for item in part.solution.loads if every or not item.certain], part)
        )

    def gather(self, of: Callable[[Part], Any]) -> Value:
        """The values of `of(part)` as one value per requested point: an array, or a plain value for a single point.

        of   a function of a part, with a value, or an array of one value, for each point of the part.
        """
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
    """The largest value at each point of a part; 0 without values."""
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
    """Solve a model with some parameters replaced by numbers, or by arrays of `size` numbers.

    varied        parameter -> value in base units, or the index of an option; a number, or an array of `size`.
    size          the number of points; None for one point, as plain numbers.
    load_factor   multiplies every arrival rate.
    patient       refuse points whose times depend on the solution and do not converge; else they count as points
                  without a steady state, as a search for the largest load requires: it relies on proven points only.
    asked         the method and its budget.
    Returns       the solutions; a point without a steady state has one that is not `stable`.
    Raises        `InvalidInput` or `UsageError` for numbers outside their domain, `NotComputed` where no method applies
                  or suffices, or a fixed point does not converge.
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
    given = {name: _column(value, size) for name, value in given.items()}
    factor = np.broadcast_to(np.asarray(load_factor, dtype=float), (size,))
    batches = structures(model, values)
    parts: list[Part] = []
    waiting = batches[::-1]
    while waiting:
        index = waiting.pop()
        every = len(index) == size
        chosen = given if every else {name: value[index] for name, value in given.items()}
        part_values = values if every else Values(model, chosen, len(index))
        try:
            parts.append(_solve_part(model, index, chosen, len(index), factor[index], part_values, patient, asked))
        except Divided as divided:
            waiting += [index[~divided.first], index[divided.first]]
        except QnetError as error:
            error.solved = Solved(model, size, tuple(parts), asked) if parts else None
            if error.at is not None:
                error.at = np.isin(np.arange(size), index[error.at]) if len(error.at) == len(index) else None
                error.alone = error.alone if every else None
            raise
    return Solved(model, size, tuple(parts), asked)


def _column(value: Value, size: int) -> Any:
    """A number for each of some points, as an array, which is mostly what it is already."""
    column: Any = np.asarray(value, dtype=float)
    return column if column.shape == (size,) else np.broadcast_to(column, (size,))


def at_loads(solved: Solved, varied: Mapping[str, Value] | None, asked: Wanted) -> Callable[[Value], Solved]:
    """A function that solves points with all arrival rates multiplied by a factor, for repeated use by searches.

    solved   the model at these points.
    varied   as passed to `solve_points` for them.
    asked    the method and its budget.
    Returns  a function of the factor, a number or an array of one for each point, with the result of `solve_points`
             without patience. Numbers that do not depend on the load are computed once.
    """
    model, size = solved.model, solved.size

    def from_model(factor: Value) -> Solved:
        return solve_points(model, varied, size, factor, patient=False, asked=asked)

    if needs_solution(model):
        return from_model
    networks = [bind(model, part.values) for part in solved.parts]

    def from_networks(factor: Value) -> Solved:
        factors = [factor if size is None or factor.ndim == 0 else factor[part.points] for part in solved.parts]
        pairs = zip(solved.parts, networks, factors, strict=True)
        try:
            parts = tuple(p.replace(solution=solve(n.loaded(f), asked)) for p, n, f in pairs)
            result = Solved(model, size, parts, asked)
        except Divided:
            return from_model(factor)
        if asked.solved:
            asked.solved(size or 1)
        return result

    return from_networks


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
    """Solve the points `index` of a batch that share a structure, or a single point; arguments as of `solve_points`."""
    if not needs_solution(model):
        part = Part(index, values, solve(bind(model, values).loaded(factor), asked))
    else:
        part = Part(index, *solve_dependent(model, varied, size, factor, patient, asked))
    if asked.solved:
        asked.solved(size or 1)
    return part


@fact
def needs_solution(model: Model) -> bool:
    """Whether any number of the network of a model, not only an output, depends on figures of the solution."""
    dependent = depends_on_solution(model)
    return any(uses_solution(expression, dependent) for expression in expressions(model))
