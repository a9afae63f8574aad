"""Systems side by side: the figures of each, and how far they are from those of the first."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase

from qnet.errors import NoAnswer, NotComputed, Problem, UsageError
from qnet.model.metrics import Metric, every_metric, metric
from qnet.model.model import Model
from qnet.networks.wanted import AUTO, Wanted
from qnet.questions.points.points import Solved, solve_points
from qnet.record import Record

MAX_SIDES = len(ascii_uppercase)


class Side(Record):
    """One of the systems, and its answer."""

    letter: str
    label: str
    """What tells it from the others: the name of the system and what was set."""
    model: Model
    solved: Solved | None
    """None where there is no answer."""
    problem: Problem | None = None
    """Why there is no answer."""


class Figure(Record):
    """One metric on all sides."""

    metric: Metric
    values: tuple[float | None, ...]
    """By side, in base units; None where the side has no answer, or nothing of that name."""


class Comparison(Record):
    """Systems side by side."""

    sides: tuple[Side, ...]
    figures: tuple[Figure, ...]
    wanted: Wanted = AUTO


def compare(models: Sequence[Model], metrics: Sequence[str] = (), wanted: Wanted = AUTO) -> Comparison:
    """Solve several models as they stand, and match their metrics by name.

    models    two or more: different systems, or one with different settings; the first is what others are held against.
    metrics   texts such as `response` or `utilization('cpu')`; none: `every_metric` of any side.
    wanted    the method and its budget, where there is a choice.
    Returns   `Comparison`; a metric that a side does not have, or a side without an answer, leaves its values empty.
    Raises    `UsageError` for less than two or too many models, for a metric that no side has, and for one that is of
              different units on different sides; what the first side has against it where no side has an answer.
    """
    if not 2 <= len(models) <= MAX_SIDES:
        help = "name another SYSTEM, or change settings with --with NAME=VALUE"
        raise UsageError(Problem("QN015", f"found {len(models)} to compare", f"2 to {MAX_SIDES}", help=help))
    asked = _asked(models, metrics)
    told = _matched(asked)
    failures: list[NoAnswer | NotComputed] = []
    sides: list[Side] = []
    for letter, model in zip(ascii_uppercase, models, strict=False):
        try:
            sides.append(Side(letter, label(model), model, _solved(model, wanted)))
        except (NoAnswer, NotComputed) as error:
            failures.append(error)
            sides.append(Side(letter, label(model), model, None, error.problems[0]))
    if len(failures) == len(sides):
        raise next((error for error in failures if isinstance(error, NoAnswer)), failures[0])
    values = [
        tuple(_value(side, own.get(item.source)) for side, own in zip(sides, asked, strict=True)) for item in told
    ]
    return Comparison(tuple(sides), tuple(Figure(*pair) for pair in zip(told, values, strict=True)), wanted)


def label(model: Model) -> str:
    """The name of a system and what was set: `ibm-3990-6, rate=600/s`."""
    return ", ".join([model.name, *(f"{name}={value}" for name, value in model.settings.items())])


def _asked(models: Sequence[Model], metrics: Sequence[str]) -> list[dict[str, Metric]]:
    """The metrics of every model, by their text; raises `UsageError` for one that none has."""
    if not metrics:
        return [{item.source: item for item in every_metric(model)} for model in models]
    found: list[dict[str, Metric]] = [{} for _ in models]
    for text in metrics:
        failures: list[UsageError] = []
        for own, model in zip(found, models, strict=True):
            try:
                item = metric(text, model)
            except UsageError as error:
                failures.append(error)
            else:
                own[item.source] = item
        if len(failures) == len(models):
            raise failures[0]
    return found


def _matched(asked: Sequence[dict[str, Metric]]) -> list[Metric]:
    """The metrics of any side; those of the first come first, in their order."""
    told: dict[str, Metric] = {}
    for own in asked:
        for source, item in own.items():
            first = told.setdefault(source, item)
            if first.dimension != item.dimension:
                found = f'"{source}" is {first.dimension.describe()} on one side and {item.dimension.describe()}'
                raise UsageError(Problem("QN015", f"{found} on another", "the same unit on all sides"))
    return list(told.values())


def _solved(model: Model, wanted: Wanted) -> Solved:
    """The model at its point; raises `NoAnswer` where there is no steady state."""
    solved = solve_points(model, asked=wanted)
    if solved.parts[0].solution.stable:
        return solved
    from qnet.questions.points.saturation import limiting

    found = f'no steady state: "{limiting(solved.parts[0])}" is saturated'
    raise NoAnswer(Problem("QN401", found, "a load below every capacity", file=model.name))


def _value(side: Side, asked: Metric | None) -> float | None:
    if side.solved is None or asked is None:
        return None
    value = float(side.solved.metric(asked.expression))
    return value if abs(value) < float("inf") else None
