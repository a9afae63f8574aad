"""Solving a model at one point or at a batch of points, and reading figures off the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from qnet.errors import NotComputed, Problem
from qnet.expression import Expression, Value, evaluate, solution_name
from qnet.model.bind import bind, structures
from qnet.model.model import Model
from qnet.model.scope import depends_on_solution, is_figure, uses_solution
from qnet.model.values import Values
from qnet.networks.solution import Solution
from qnet.networks.solve import solve
from qnet.networks.wanted import AUTO, Wanted
from qnet.record import Record

_TOLERANCE = 1e-12
_MAX_ROUNDS = 300


class Part(Record):
    """The answer for the points that share one structure."""

    points: Any
    """Which points of the batch, as an index array; None for a single point."""
    values: Values
    solution: Solution


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
        names = {**part.values.known, **figures(part.solution)}
        for name, output in self.model.outputs.items():
            if name in expression.names:
                names[name] = _evaluate(output.expression, names, part)
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


def figures(solution: Solution) -> dict[str, Value]:
    """Every figure that expressions may use, by the name they use.

    Of a station with several copies: `wait` is the mean over visits, `utilization` that of the busiest copies,
    `queue_length` and `busy_servers` are totals.
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
    return result


def _maximum(values: list[Value]) -> Value:
    from qnet.expression import operations_for

    return operations_for(*values).maximum(values) if len(values) > 1 else values[0]


def solve_points(
    model: Model,
    varied: Mapping[str, Value] | None = None,
    size: int | None = None,
    load_factor: Value = 1.0,
    wanted: Wanted = AUTO,
) -> Solved:
    """Solve a model with some parameters replaced by numbers, or by arrays of `size` points.

    load_factor   multiplies every arrival rate.
    wanted        the method and its budget, where there is a choice.
    Raises        `InvalidInput` for numbers outside their domain, `NotComputed` where a fixed point does not converge.
    """
    given = dict(varied or {})
    values = Values(model, given, size)
    if size is None:
        return Solved(model, None, (_solve_part(model, None, given, None, load_factor, values, wanted),))
    import numpy as np

    given = {name: np.broadcast_to(np.asarray(value, dtype=float), (size,)) for name, value in given.items()}
    factor = np.broadcast_to(np.asarray(load_factor, dtype=float), (size,))
    batches = structures(model, values)
    if len(batches) == 1:
        return Solved(model, size, (_solve_part(model, batches[0], given, size, factor, values, wanted),))
    parts: list[Part] = []
    for index in batches:
        own = {name: value[index] for name, value in given.items()}
        part_values = Values(model, own, len(index))
        parts.append(_solve_part(model, index, own, len(index), factor[index], part_values, wanted))
    return Solved(model, size, tuple(parts))


def _solve_part(
    model: Model,
    index: Any,
    varied: dict[str, Value],
    size: int | None,
    factor: Value,
    values: Values,
    wanted: Wanted,
) -> Part:
    dependent = depends_on_solution(model)
    if not _needs_solution(model, dependent):
        return Part(index, values, solve(bind(model, values, factor), wanted))
    return _fixed_point(model, index, varied, size, factor, wanted)


def _needs_solution(model: Model, dependent: frozenset[str]) -> bool:
    """Whether any number of the network, not only an output, depends on the solution."""
    from qnet.model.bind import expressions

    return any(uses_solution(expression, dependent) for expression in expressions(model))


def _fixed_point(
    model: Model, index: Any, varied: dict[str, Value], size: int | None, factor: Value, wanted: Wanted
) -> Part:
    """Times that use figures of the solution: solve, feed the figures back, until nothing changes.

    The round is damped when changes do not halve; points without a steady state are left out of the test, because
    their figures mean nothing.
    """
    from qnet.model.scope import station_figures

    used = [name for name in station_figures(model) if is_figure(name)]
    known: dict[str, Value] = dict.fromkeys(used, 0.0)
    damping, before, change = 1.0, float("inf"), float("inf")
    for _ in range(_MAX_ROUNDS):
        values = Values(model, varied, size, known)
        part = Part(index, values, solve(bind(model, values, factor), wanted))
        found = figures(part.solution)
        change = 0.0
        for name in used:
            new, old = found[name], known[name]
            difference = abs(new - old) / (abs(new) + abs(old) + 1e-300) * _tenable(part, new)
            change = max(change, float(difference) if size is None else float(difference.max()))
            known[name] = old + damping * _tenable(part, new) * (new - old)
        if change <= _TOLERANCE:
            return part
        if change > 0.5 * before:
            damping = max(0.2, 0.7 * damping)
        before = change
    raise NotComputed(
        Problem(
            "QN511",
            f"times that depend on the solution did not converge: residual {change:.1e} after {_MAX_ROUNDS} rounds",
            f"a residual of {_TOLERANCE:.0e}",
            help="the model may have no steady state here, or several",
        )
    )


def _tenable(part: Part, value: Value) -> Value:
    """1 where a figure belongs to a steady state, else 0."""
    if part.values.size is None:
        return 1.0 if part.solution.stable else 0.0
    return part.solution.stable * 1.0
