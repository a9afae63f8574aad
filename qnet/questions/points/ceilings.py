"""The saturation throughput: by more arrivals, or by ever more customers of one closed class."""

from __future__ import annotations

import math

from qnet.expression import Value
from qnet.lazy import np
from qnet.model.bind import depends_on_population
from qnet.model.model import Model
from qnet.model.scope import depends_on_solution
from qnet.networks.solution import RoutedSolution
from qnet.networks.wanted import Wanted
from qnet.questions.points.points import Part, Solved, solve_points
from qnet.questions.points.saturation import Saturation, saturation


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
