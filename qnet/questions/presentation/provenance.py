"""What an answer rests on: the model and its digest, what was set, and the source and grade of every number.

The command line that gives an answer again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qnet.lazy import lazy
from qnet.model.bind import expressions
from qnet.model.model import Model, Parameter
from qnet.networks.wanted import AUTO, Wanted

if TYPE_CHECKING:
    from qnet.catalog import grades
    from qnet.questions.presentation import labels
else:
    labels = lazy("qnet.questions.presentation.labels")
    grades = lazy("qnet.catalog.grades")


def command_line(
    name: str, model: Model, wanted: Wanted = AUTO, asserted: Sequence[str] = (), options: Sequence[str] = (),
    network: Sequence[str] = (),
) -> str:  # fmt: skip
    """`qnet NAME SYSTEM -p ...`, quoted for a shell: the system, what was set, the method and its budget.

    options   what else was asked, as words.
    network   the options of a network without a file, which stand for the system.
    """
    from shlex import join

    # The file after --, or a file whose name starts with a dash, would be taken for an option.
    system = f"./{model.name}" if model.name.startswith("-") and model.name != "-" else model.name
    words = ["qnet", name, *(network or (system,))]
    for key, value in model.settings.items():
        words += ["-p", f"{key}={value}"]
    words += [*options, *_method(wanted)]
    for text in asserted:
        words += ["--assert", text]
    told = join(words)
    return told if system != "-" else f"{told}  # the model of digest {model.document.digest} on standard input"


def _method(wanted: Wanted) -> list[str]:
    """The options of a command that chooses a method, as far as they differ from what is taken without them."""
    words: list[str] = []
    if wanted.method != AUTO.method:
        words += ["--method", wanted.method]
    if wanted.bounds:
        words += ["--bounds", wanted.bounds]
    if wanted.operations != AUTO.operations:
        words += ["--operations", repr(wanted.operations)]
    if wanted.memory != AUTO.memory:
        words += ["--memory", f"{wanted.memory!r} B"]
    if wanted.correction:
        words += ["--servers-correction", wanted.correction]
    if wanted.core_solutions != AUTO.core_solutions:
        words += ["--core-solutions", str(wanted.core_solutions or "converged")]
    return words


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
        meta["exactness"] = labels.label(exact)
    graded = inputs(model)
    if graded:
        meta["inputs"] = graded
        meta["worst_grade"] = grades.worst(item["grade"] for item in graded)
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
