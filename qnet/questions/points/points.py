"""Solving a model at one point or at a batch of points, and reading figures off the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from qnet.expression import Expression, Value, evaluate
from qnet.expression.functions import percentile_share
from qnet.lazy import np
from qnet.model.bind import bind, structures
from qnet.model.model import Model
from qnet.model.scope import about, depends_on_solution, uses_solution
from qnet.model.values import Values
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve
from qnet.networks.wanted import AUTO, Divided, Wanted
from qnet.questions.points.solution_figures import figures
from qnet.record import Record


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

    with np.errstate(all="ignore"):
        return evaluate(expression.root, names, operations, part.values.choices) + np.zeros(part.values.size)


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
            found = Solved(model, size, tuple(p.replace(solution=solve(n.loaded(f), asked)) for p, n, f in pairs))
        except Divided:
            return anew(factor)
        if asked.solved:
            asked.solved(size or 1)
        return found

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
        from qnet.questions.points.feedback import settled

        part = Part(index, *settled(model, varied, size, factor, patient, asked))
    if asked.solved:
        asked.solved(size or 1)
    return part


def needs_solution(model: Model) -> bool:
    """Whether any number of the network, not only an output, depends on the solution."""
    from qnet.model.bind import expressions

    dependent = depends_on_solution(model)
    return any(uses_solution(expression, dependent) for expression in expressions(model))
