"""What an answer rests on: the model and its digest, what was set, and the source and grade of every number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from qnet.model.bind import expressions
from qnet.model.model import Model, Parameter


class Basis(Mapping[str, Any]):
    """The `meta` of a report on a model: model, settings, method, exactness, graded inputs and their worst grade.

    Gathered when it is first looked at: forms of output that do not tell it do not pay for it.
    """

    def __init__(self, model: Model, method: str = "", exact: bool | None = None, **more: Any) -> None:
        self._asked = (model, method, exact, more)
        self._found: dict[str, Any] | None = None

    def _all(self) -> dict[str, Any]:
        if self._found is None:
            model, method, exact, more = self._asked
            self._found = {**_basis(model, method, exact), **more}
        return self._found

    def __getitem__(self, key: str) -> Any:
        return self._all()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


def _basis(model: Model, method: str, exact: bool | None) -> dict[str, Any]:
    meta: dict[str, Any] = {"model": {"name": model.name, "title": model.title, "digest": model.digest}}
    if model.settings:
        meta["parameters"] = dict(model.settings)
    if method:
        meta["method"] = method
    if exact is not None:
        from qnet.questions.presentation.labels import label

        meta["exactness"] = label(exact)
    graded = inputs(model)
    if graded:
        from qnet.catalog.grades import worst

        meta["inputs"] = graded
        meta["worst_grade"] = worst(item["grade"] for item in graded)
    return meta


def used(model: Model) -> list[Parameter]:
    """Every parameter that the numbers of a model depend on, directly or through others, in the order of the model."""
    names = _closure(model)
    return [parameter for name, parameter in model.parameters.items() if name in names]


def inputs(model: Model) -> list[dict[str, Any]]:
    """Every graded value that the numbers of a model depend on, by name."""
    return [_input(parameter) for parameter in used(model) if parameter.grade]


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
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in found or name not in model.parameters:
            continue
        found.add(name)
        waiting += model.parameters[name].expression.names
    return found
