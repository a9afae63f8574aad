"""Times that use figures of the solution: solve, feed the figures back, until nothing changes; and look for others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qnet.errors import NotComputed, Problem
from qnet.expression import FLOATS, Operations, Value, arrays, solution_name
from qnet.model.bind import bind, expressions
from qnet.model.model import Model
from qnet.model.scope import is_figure
from qnet.model.values import Values
from qnet.networks.exactness import Beyond
from qnet.networks.solution import RoutedSolution
from qnet.networks.solve import solve
from qnet.networks.wanted import Wanted
from qnet.questions.points.solution_figures import figures, largest_of

_TOLERANCE = 1e-12
_MAX_ROUNDS = 500
_ACCELERATED = 250
"""Rounds that are accelerated; those after them are plain."""
_LOADED = 100.0
"""How many times the times and numbers of the least solution are, where another is looked for."""
_APART = 1e-6
"""By how much of themselves the responses of two solutions differ."""


def settled(
    model: Model, varied: dict[str, Value], size: int | None, factor: Value, patient: bool, asked: Wanted
) -> tuple[Values, RoutedSolution]:
    """The solution that its own times lead to, with the values of the parameters there.

    patient   refuse what does not settle, and look for a second solution; else points that do not settle count as
              without a steady state.
    Returns   the least solution: the one found from no load. Where rounds from a heavy load settle elsewhere, a reason
              of the solution tells the other response, with the code QN647.
    Raises    `NotComputed` QN511 for a patient caller.
    """
    # Rounds that are many, and differ by little: the methods that need no states of the whole network.
    asked = asked.replace(chain=0)
    wanted = figures_used(model)
    values, found = _fixed_point(model, varied, size, factor, patient, asked, dict.fromkeys(wanted, 0.0))
    # What the throughput tends to is not known of times that change on the way there.
    found = found.replace(ceiling=None)
    if not patient:
        return values, found
    heavy = _heavy(wanted, figures(found), found)
    other = _fixed_point(model, varied, size, factor, False, asked, heavy)[1]
    operations: Operations = FLOATS if size is None else arrays()
    apart = operations.absolute(other.response - found.response) > _APART * operations.absolute(found.response)
    several = found.stable & other.stable & apart
    if operations.all(several == False):  # noqa: E712
        return values, found
    reason = "times depend on the solution, and there is more than one"
    where = f"a response of {other.response:.4g} s" if size is None else "another response at some points"
    warning = f"from a heavy load the rounds settle at {where}: the system may work either way, and change over"
    return values, found.replace(exact=False, reasons=(*found.reasons, Beyond(reason, "QN647", warning)))


def _heavy(wanted: tuple[str, ...], found: Mapping[str, Value], solution: RoutedSolution) -> dict[str, Value]:
    """Figures of a heavy load, to start from: busy servers, long waits and queues, little throughput."""
    start: dict[str, Value] = {}
    customers = sum(item.population for item in solution.classes if item.population is not None)
    for name in wanted:
        kind = name.partition("(")[0]
        if kind == "utilization":
            start[name] = 0.0 * found[name] + 1.0
        elif kind == "throughput":
            start[name] = found[name] / _LOADED
        elif kind == "queue_length":
            start[name] = found[name] * _LOADED + customers
        else:
            start[name] = found[name] * _LOADED
    return start


def figures_used(model: Model) -> tuple[str, ...]:
    """The figures that numbers of the network need, directly or through parameters."""
    used = [parameter.expression for parameter in model.parameters.values()] + expressions(model)
    return tuple(dict.fromkeys(name for expression in used for name in expression.names if is_figure(name)))


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
    against wait and holding time together, as the solver finds it.

    start     the figures to begin with.
    Method    Rounds are accelerated by one step of memory (Anderson, J. ACM 12 (1965) 547-560), each point of a batch
              by its own weight, while they contract; a point that an accelerated step took out of its steady state
              goes on from before it, one round at a time.
    """
    operations: Operations = FLOATS if size is None else arrays()
    where = operations.where
    wanted = figures_used(model)
    known = dict(start)
    plain, residual = dict(known), dict.fromkeys(wanted, 0.0)
    fast: Value = False
    trusted: Value = True
    rounds = 0
    while True:
        values = Values(model, varied, size, known)
        solution = solve(bind(model, values).loaded(factor), asked)
        found, sizes = figures(solution), _sizes(solution)
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
            plain[name] = where(stable, found[name], where(astray, before[name], known[name]))
            residual[name] = where(stable, found[name] - known[name], 0.0)
            measure = abs(plain[name]) + abs(known[name]) + where(stable, sizes.get(name, 0.0), 0.0) + 1e-300
            share, turn = residual[name] / measure, (residual[name] - residual_before[name]) / measure
            change = operations.maximum([change, abs(share)])
            overlap, square = overlap + turn * share, square + turn * turn
        settled = (change <= _TOLERANCE) & (astray == False)  # noqa: E712
        if operations.all(settled):
            return values, solution
        if rounds == _MAX_ROUNDS and patient:
            raise _unsettled(change)
        if rounds == _MAX_ROUNDS:
            return values, solution.replace(stable=stable & settled)
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
        found[name] = largest_of([found[name], item.holding]) if name in found else item.holding
    return found
