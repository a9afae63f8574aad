"""What an answer rests on: the model and its digest, what was set, and the source and grade of every number."""

from __future__ import annotations

from typing import Any

from qnet.model.bind import expressions
from qnet.model.model import Model, Parameter


def basis(model: Model, method: str = "", exact: bool | None = None) -> dict[str, Any]:
    """The `meta` of a report on a model: model, settings, method, exactness, graded inputs and their worst grade."""
    meta: dict[str, Any] = {"model": {"name": model.name, "title": model.title, "digest": model.digest}}
    if model.settings:
        meta["parameters"] = dict(model.settings)
    if method:
        meta["method"] = method
    if exact is not None:
        meta["exactness"] = "exact" if exact else "approximate"
    graded = inputs(model)
    if graded:
        from qnet.catalog.grades import worst

        meta["inputs"] = graded
        meta["worst_grade"] = worst(item["grade"] for item in graded)
    return meta


def inputs(model: Model) -> list[dict[str, Any]]:
    """Every graded value that the numbers of a model depend on, by name."""
    used = _closure(model)
    return [_input(parameter) for name, parameter in model.parameters.items() if name in used and parameter.grade]


def _input(parameter: Parameter) -> dict[str, Any]:
    item: dict[str, Any] = {"name": parameter.name, "value": parameter.expression.source, "grade": parameter.grade}
    if parameter.part:
        item["part"] = parameter.part
    item["sources"] = list(parameter.sources)
    if parameter.fitted_on:
        item["fitted_on"] = list(parameter.fitted_on)
    return item


def _closure(model: Model) -> set[str]:
    """The parameters that any number of the network depends on, directly or through others."""
    waiting = [name for expression in expressions(model) for name in expression.names]
    used: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in used or name not in model.parameters:
            continue
        used.add(name)
        waiting += model.parameters[name].expression.names
    return used
