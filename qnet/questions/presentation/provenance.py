"""The provenance of an answer: the model and its digest, the settings, the source and grade of every number, and the
command line that reproduces it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from qnet.documents import GivenText
from qnet.lazy import lazy
from qnet.model.bind import expressions
from qnet.model.model import Model, Parameter
from qnet.model.scope import rests_on
from qnet.networks.wanted import AUTO, Wanted
from qnet.reports.content import Grounds, Statement

if TYPE_CHECKING:
    import shlex

    from qnet.catalog import grades
    from qnet.questions.presentation import labels
else:
    shlex = lazy("shlex")
    labels = lazy("qnet.questions.presentation.labels")
    grades = lazy("qnet.catalog.grades")


def command_line(
    name: str, model: Model, wanted: Wanted = AUTO, asserted: Sequence[str] = (), options: Sequence[str] = (),
    network: Sequence[str] = (),
) -> str:  # fmt: skip
    """`qnet NAME SYSTEM -p ...`, quoted for a shell: the system, its settings, the method and its budget.

    name      the name of the command.
    model     the model with its settings.
    wanted    the method and its budget; defaults are left out.
    asserted  conditions, for `--assert`.
    options   other options, as words.
    network   the options of a network without a file, in place of the system.
    """
    # A file whose name starts with a dash would be taken for an option.
    system = f"./{model.name}" if model.name.startswith("-") and model.name != "-" else model.name
    system = "-" if isinstance(model.document, GivenText) else system
    words = ["qnet", name, *(network or (system,))]
    for key, value in model.settings.items():
        words += ["-p", f"{key}={value}"]
    words += [*options, *_method(wanted)]
    for text in asserted:
        words += ["--assert", text]
    command = shlex.join(words)
    return command if system != "-" else f"{command}  # the model of digest {model.document.digest} on standard input"


def _method(wanted: Wanted) -> list[str]:
    """The options that choose a method and its budget, without those that have their default."""
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


class Basis(Grounds):
    """The `meta` of a report on a model: model, settings, method, exactness, graded inputs and their worst grade.

    Where means are exact and percentiles are not, `means` is the label of the means.
    It is computed on first use, because some output formats do not show it.
    """

    def __init__(
        self, model: Model, method: str = "", exact: bool | None = None, others: Sequence[Model] = (),
        means: bool = False, **more: Any,
    ) -> None:  # fmt: skip
        self._asked = (model, method, exact, means, more)
        self._models = (model, *others)
        self._meta: dict[str, Any] | None = None

    def _all(self) -> dict[str, Any]:
        if self._meta is None:
            model, method, exact, means, more = self._asked
            self._meta = {**_basis(model, method, exact, means), **more}
        return self._meta

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The model, and the models with which the report compares it."""
        return tuple(
            Statement(item.name, item.title, item.digest, item.document.text, item.settings) for item in self._models
        )

    def __getitem__(self, key: str) -> Any:
        return self._all()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


def _basis(model: Model, method: str, exact: bool | None, means: bool) -> dict[str, Any]:
    meta: dict[str, Any] = {"model": {"name": model.name, "title": model.title, "digest": model.digest}}
    if model.settings:
        meta["parameters"] = dict(model.settings)
    if method:
        meta["method"] = method
    if exact is not None:
        meta["exactness"] = labels.label(exact)
    if means:
        meta["means"] = labels.label(True)
    graded = inputs(model)
    if graded:
        meta["inputs"] = graded
        meta["worst_grade"] = grades.worst(item["grade"] for item in graded)
    return meta


def used(model: Model) -> list[Parameter]:
    """Every parameter that the numbers of a model depend on, directly or through others, in the order of the model."""
    names = rests_on(model, expressions(model))
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
