"""Solving a model at one point or at a batch of points, and reading figures off the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Expression, Operations, Value, arrays, evaluate, solution_name
from qnet.expression.functions import percentile_share
from qnet.model.bind import bind, structures
from qnet.model.model import Model
from qnet.model.scope import about, depends_on_solution, is_figure, uses_solution
from qnet.model.values import Values
from qnet.networks.routed import RoutedNetwork
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve
from qnet.networks.wanted import AUTO, Divided, Wanted
from qnet.record import Record

_TOLERANCE = 1e-12
_MAX_ROUNDS = 500
_ACCELERATED = 250
"""Rounds that are accelerated; those after them are plain."""


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


class Solved(Record):
    """A model solved at one point (`size` None) or at `size` points."""

    model: Model
    size: int | None
    parts: tuple[Part, ...]

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
        import numpy as np

        result: Any = None
        for part in self.parts:
            value = np.asarray(of(part))
            if result is None:
                result = np.zeros(self.size, dtype=value.dtype)
            result[part.points] = value
        return result

    def metric(self, expression: Expression) -> Value:
        """The value of an expression over parameters, outputs and figures, per point; nan without a steady state."""
        return self.gather(lambda part: self._metric(part, expression))

    def _metric(self, part: Part, expression: Expression) -> Value:
        names = {**part.values.known, **part.figures}
        used = [output for name, output in self.model.outputs.items() if name in expression.names]
        for name in dict.fromkeys(name for item in [expression, *(o.expression for o in used)] for name in item.names):
            share = percentile_share(name)
            if share:
                from qnet.networks.percentiles import response_percentile

                names[name] = response_percentile(part.solution, share, about(name))
        for output in used:
            names[output.name] = _evaluate(output.expression, names, part)
        return _evaluate(expression, names, part)


def _evaluate(expression: Expression, names: Mapping[str, Value], part: Part) -> Value:
    operations = part.values.operations
    if part.values.size is None:
        return evaluate(expression.root, names, operations, part.values.choices)
    import numpy as np

    with np.errstate(all="ignore"):
        return evaluate(expression.root, names, operations, part.values.choices) + np.zeros(part.values.size)


def _largest(values: list[Value], part: Part) -> Value:
    if not values:
        return part.values.operations.where(part.solution.stable, 0.0, 0.0)
    return part.values.operations.maximum(values) if len(values) > 1 else values[0]


def figures(solution: RoutedSolution) -> dict[str, Value]:
    """Every figure that expressions may use, by the name they use.

    Of a station with several copies: `wait` is the mean over visits, `utilization` that of the busiest copies,
    `residence`, `queue_length` and `busy_servers` are totals.
    """
    result: dict[str, Value] = {"throughput": solution.throughput, "response": solution.response}
    stations: dict[str, list[Any]] = {}
    for item in solution.stations:
        stations.setdefault(item.name, []).append(item)
    for name, groups in stations.items():
        visits = sum(item.throughput for item in groups)
        waits = sum(item.wait * item.throughput for item in groups)
        used = [item.utilization for item in groups if item.utilization is not None]
        result[solution_name("wait", name)] = waits / (visits + (visits == 0))
        result[solution_name("residence", name)] = sum(item.residence for item in groups)
        result[solution_name("utilization", name)] = _maximum(used) if used else 0.0 * visits
        result[solution_name("queue_length", name)] = sum(item.queue_length for item in groups)
        result[solution_name("busy_servers", name)] = sum(item.busy_servers for item in groups)
    routes: dict[str, list[Any]] = {}
    for route in [*solution.routes, *solution.classes]:
        routes.setdefault(route.name, []).append(route)
    for name, found in routes.items():
        rate = sum(item.throughput for item in found)
        # A route that nobody takes still has a response.
        weighted = sum(item.throughput * item.response for item in found) + (rate == 0) * found[0].response
        result[solution_name("throughput", name)] = rate
        result[solution_name("response", name)] = weighted / (rate + (rate == 0))
    for item in solution.classes:
        result[solution_name("throughput", item.name)] = item.throughput
        result[solution_name("response", item.name)] = item.response
    if solution.offered is not None or solution.buffers:
        from qnet.questions.full import figures_of_full

        result |= figures_of_full(solution)
    return result


def _maximum(values: list[Value]) -> Value:
    from qnet.expression import operations_for

    return operations_for(*values).maximum(values) if len(values) > 1 else values[0]


def solve_points(
    model: Model,
    varied: Mapping[str, Value] | None = None,
    size: int | None = None,
    load_factor: Value = 1.0,
    patient: bool = True,
    asked: Wanted = AUTO,
) -> Solved:
    """Solve a model with some parameters replaced by numbers, or by arrays of `size` points.

    load_factor   multiplies every arrival rate.
    patient       refuse points whose times depend on the solution and do not settle; else they count as without a
                  steady state, which is what a search for the largest load needs: only what is proven holds.
    asked         the method and its budget, where there is a choice.
    Raises        `InvalidInput` for numbers outside their domain, `NotComputed` where a fixed point does not converge.
    """
    given = dict(varied or {})
    values = Values(model, given, size)
    if size is None:
        return Solved(model, None, (_solve_part(model, None, given, None, load_factor, values, patient, asked),))
    import numpy as np

    given = {name: np.broadcast_to(np.asarray(value, dtype=float), (size,)) for name, value in given.items()}
    factor = np.broadcast_to(np.asarray(load_factor, dtype=float), (size,))
    batches = structures(model, values)
    parts: list[Part] = []
    waiting = batches[::-1]
    while waiting:
        index = waiting.pop()
        own = {name: value[index] for name, value in given.items()}
        part_values = values if len(index) == size else Values(model, own, len(index))
        try:
            parts.append(_solve_part(model, index, own, len(index), factor[index], part_values, patient, asked))
        except Divided as divided:
            waiting += [index[~divided.first], index[divided.first]]
    return Solved(model, size, tuple(parts))


def at_loads(solved: Solved, varied: Mapping[str, Value] | None, asked: Wanted) -> Callable[[Value], Solved]:
    """How to solve the same points with all arrival rates multiplied by a factor, as searches do again and again.

    varied   what `solve_points` was given for them, and `asked` as well.
    Returns  what `solve_points` does for a `load_factor` without patience; numbers that no load changes are found once.
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
            return Solved(model, size, tuple(p.replace(solution=solve(n.loaded(f), asked)) for p, n, f in pairs))
        except Divided:
            return anew(factor)

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
        return Part(index, values, solve(bind(model, values).loaded(factor), asked))
    return _fixed_point(model, index, varied, size, factor, patient, asked)


def unloaded(model: Model) -> RoutedNetwork:
    """The network of a model at its own numbers; times that depend on the solution are those where nobody comes."""
    return bind(model, Values(model, {}, None, dict.fromkeys(_figures_used(model), 0.0)))


def needs_solution(model: Model) -> bool:
    """Whether any number of the network, not only an output, depends on the solution."""
    from qnet.model.bind import expressions

    dependent = depends_on_solution(model)
    return any(uses_solution(expression, dependent) for expression in expressions(model))


def _figures_used(model: Model) -> tuple[str, ...]:
    """The figures that numbers of the network need, directly or through parameters."""
    from qnet.model.bind import expressions

    used = [parameter.expression for parameter in model.parameters.values()] + expressions(model)
    return tuple(dict.fromkeys(name for expression in used for name in expression.names if is_figure(name)))


def _fixed_point(
    model: Model,
    index: Any,
    varied: dict[str, Value],
    size: int | None,
    factor: Value,
    patient: bool,
    asked: Wanted,
) -> Part:
    """Times that use figures of the solution: solve, feed the figures back, until nothing changes.

    Points without a steady state are left out of the test, because their figures mean nothing. A wait is measured
    against wait and holding time together, as the solver finds it.

    patient   refuse what does not settle; else such points count as without a steady state.
    Method    From no load, so that the least fixed point is found. Rounds are accelerated by one step of memory
              (Anderson, J. ACM 12 (1965) 547-560), each point of a batch by its own weight, while they contract; a
              point that an accelerated step took out of its steady state goes on from before it, one round at a time.
    """
    operations: Operations = FLOATS if size is None else arrays()
    where = operations.where
    wanted = _figures_used(model)
    known: dict[str, Value] = dict.fromkeys(wanted, 0.0)
    plain, residual = dict(known), dict(known)
    fast: Value = False
    trusted: Value = True
    rounds = 0
    while True:
        values = Values(model, varied, size, known)
        part = Part(index, values, solve(bind(model, values).loaded(factor), asked))
        found, sizes = figures(part.solution), _sizes(part.solution)
        stable = part.solution.stable
        astray = fast & (stable == False)  # noqa: E712
        trusted = trusted & (astray == False)  # noqa: E712
        change: Value = 0.0
        overlap: Value = 0.0
        square: Value = 0.0
        before, residual_before = plain, residual
        plain: dict[str, Value] = {}
        residual: dict[str, Value] = {}
        for name in wanted:
            plain[name] = where(stable, found[name], where(astray, before[name], known[name]))
            residual[name] = where(stable, found[name] - known[name], 0.0)
            measure = abs(plain[name]) + abs(known[name]) + where(stable, sizes.get(name, 0.0), 0.0) + 1e-300
            share, turn = residual[name] / measure, (residual[name] - residual_before[name]) / measure
            change = operations.maximum([change, abs(share)])
            overlap, square = overlap + turn * share, square + turn * turn
        settled = (change <= _TOLERANCE) & (astray == False)  # noqa: E712
        if operations.all(settled):
            return part
        if rounds == _MAX_ROUNDS and patient:
            raise _unsettled(change)
        if rounds == _MAX_ROUNDS:
            return part.replace(solution=part.solution.replace(stable=part.solution.stable & settled))
        weight = overlap / where(square > 0, square, 1.0)
        fast = trusted & stable & (weight < 1) & (square > 0) & (rounds > 0) & (rounds < _ACCELERATED)
        weight = where(fast, operations.maximum([operations.minimum([weight, 0.95]), -1000.0]), 0.0)
        for name in wanted:
            mixed = operations.maximum([plain[name] - weight * (plain[name] - before[name]), 0.0])
            known[name] = operations.minimum([mixed, 1.0]) if name.startswith("utilization(") else mixed
        rounds += 1


def _unsettled(change: Any) -> NotComputed:
    """That a fixed point was not found; `change` is the residual, per point."""
    largest = change if isinstance(change, (int, float)) else change.max()
    found = f"times that depend on the solution did not converge: residual {largest:.1e} after {_MAX_ROUNDS} rounds"
    help = "the model may have no steady state here, or several"
    return NotComputed(Problem("QN511", found, f"a residual of {_TOLERANCE:.0e}", help=help))


def _sizes(solution: RoutedSolution) -> dict[str, Value]:
    """What waits are found relative to, beside themselves: the longest holding time of a station."""
    found: dict[str, Value] = {}
    for item in solution.stations:
        name = solution_name("wait", item.name)
        found[name] = _maximum([found[name], item.holding]) if name in found else item.holding
    return found
