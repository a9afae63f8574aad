"""How far the answer for an open network rests on waits inside holds, which are the least certain part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qnet.expression import Value
from qnet.networks.duration import Wait
from qnet.networks.exactness import Beyond
from qnet.queues.arithmetic import total

if TYPE_CHECKING:
    from qnet.networks.open import OpenSolver

CODE = "QN716"
LARGEST = 0.2
"""The largest elasticity of a response in the waits inside holds at which errors were measured as small."""
_STEP = 0.1


def beyond(solver: OpenSolver, stable: Value) -> tuple[Beyond, ...]:
    """That responses rest on the waits inside holds more than errors were measured for; () where they do not.

    solver  one whose waits have been found.
    stable  where there is a steady state; nothing is said of other points.
    """
    if not solver.felt:
        return ()
    operations = solver.operations
    elastic = elasticity(solver)
    calm = operations.compare("<=", elastic, LARGEST)
    outside = operations.all(calm | _not(stable))
    if outside:
        return ()
    names = " and ".join(dict.fromkeys(f'"{solver.all[index].station}"' for index in solver.felt))
    text = f"the response rests on the wait for {names} inside holds"
    worst = operations.where(stable, elastic, 0.0 * elastic)
    percent = 10.0 * float(_largest(worst))
    return (Beyond(text, CODE, f"{text}: waits there 10 % longer make it {percent:.2g} % longer"),)


def elasticity(solver: OpenSolver) -> Value:
    """Relative growth of the response of the class where it is largest, over that of all waits inside holds.

    Method  All waits inside holds are made 10 % longer, and the stations outside solved again. The waits of the solver
            are left as they were.
    """
    kept = list(solver.waits)
    before = _responses(solver)
    for index in solver.felt:
        wait = kept[index]
        solver.waits[index] = Wait(wait.mean * (1 + _STEP), wait.variance * (1 + _STEP) ** 2)
    for centre in solver.outer:
        solver.visit(centre)
    after = _responses(solver)
    solver.waits[:] = kept
    growth = [
        solver.operations.absolute(new - old) / (_STEP * (old + (old == 0)))
        for old, new in zip(before, after, strict=True)
    ]
    return solver.operations.maximum(growth)


def _responses(solver: OpenSolver) -> list[Value]:
    """Mean response by class."""
    found: list[Value] = []
    for number in range(len(solver.network.classes)):
        own = [route for route in solver.compiled.routes if route.class_index == number]
        found.append(
            total(route.probability * part.mean_with(solver.waits) for route in own for part in route.parts.values())
        )
    return found


def _not(value: Value) -> Any:
    return value == False  # noqa: E712


def _largest(value: Value) -> Any:
    return value.max() if hasattr(value, "max") else value
