"""A sweep: every metric of a model along grids of its parameters, all points solved as arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from qnet.errors import Problem, UsageError, short
from qnet.lazy import np
from qnet.model.grids import Grid, grid, refuse_twice
from qnet.model.metrics import Metric, every_metric
from qnet.model.metrics import metrics as parse_metrics
from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.points.answers import Answers, solve_table
from qnet.record import Record

MAX_POINTS = 200_000
PAIR = "&"
"""Between grids that go in step."""


class Sweep(Record):
    """A model solved at every point of a grid."""

    model: Model
    axes: tuple[tuple[Grid, ...], ...]
    """The slowest first; the grids of one axis go in step."""
    columns: Mapping[str, Any]
    """Parameter -> its value at every point, in base units; options of a choice as indices."""
    metrics: tuple[Metric, ...]
    answers: Answers
    wanted: Wanted = AUTO


def sweep(
    model: Model,
    vary: Sequence[str],
    metrics: Sequence[str] = (),
    wanted: Wanted = AUTO,
    progress: Callable[[int, int], None] | None = None,
) -> Sweep:
    """Solve a model at every point of some grids.

    vary      texts such as `users=1:300`. Several make the product, the first varies slowest; grids of the same
              length joined by `&`, such as `users=100,200 & memory=64 MiB,128 MiB`, go in step.
    metrics   texts such as `response` or `utilization('cpu')`; none: `every_metric`.
    wanted    the method and its budget, where there is a choice.
    progress  is told from time to time how many points are done, and of how many.
    Returns   `Sweep`; points without an answer say why in the status of its `answers`.
    Raises    `UsageError` for a grid or metric that the model does not have, and for more than `MAX_POINTS` points.
    """
    asked = parse_metrics(metrics, model) if metrics else every_metric(model)
    axes = tuple(_axis(text, model) for text in vary)
    grids = [item for axis in axes for item in axis]
    refuse_twice(model, grids, "--vary")
    size = 1
    for axis in axes:
        size *= len(axis[0].values)
    if size > MAX_POINTS:
        help = "use fewer values, or give the points to qnet map as rows"
        raise UsageError(Problem("QN010", f"the grid has {size} points", f"at most {MAX_POINTS}", help=help))
    origins = {item.name: f"--vary {short(text)}" for text, axis in zip(vary, axes, strict=True) for item in axis}
    changed = model.replace(origins={**model.origins, **origins})
    columns = _product(axes, size)

    def told(done: int) -> None:
        if progress:
            progress(done, size)

    return Sweep(changed, axes, columns, asked, solve_table(changed, columns, size, wanted, told), wanted)


def _axis(text: str, model: Model) -> tuple[Grid, ...]:
    """Grids that go in step; raises `UsageError` where they are not of one length."""
    grids = tuple(grid(part, model) for part in text.split(PAIR))
    counts = [len(item.values) for item in grids]
    if len(set(counts)) > 1:
        found = " and ".join(f'"{item.name}" has {count}' for item, count in zip(grids, counts, strict=True))
        help = f"every combination is asked for with one --vary for each; {PAIR} pairs the first with the first"
        raise UsageError(Problem("QN014", f"the grids go in step: {found}", "as many values each", help=help))
    return grids


def _product(axes: Sequence[Sequence[Grid]], size: int) -> dict[str, Any]:
    """The values of every parameter at every point, the first axis slowest."""

    columns: dict[str, Any] = {}
    repeats = size
    for axis in axes:
        repeats //= len(axis[0].values)
        for item in axis:
            once = np.repeat(np.array(item.values, dtype=float), repeats)
            columns[item.name] = np.tile(once, size // len(once))
    return columns
