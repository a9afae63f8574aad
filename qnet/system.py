"""`qnet.load` and `qnet.loads`: a model with its questions, one call each; `qnet.validate` and `qnet.study`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from qnet import budget
from qnet.arguments import Source, argument, checked, checked_methods
from qnet.budget import MEMORY, OPERATIONS
from qnet.errors import Problem, UsageError
from qnet.lazy import lazy
from qnet.model.model import Model
from qnet.signatures import Questions, limit

if TYPE_CHECKING:
    from typing import Self

    from qnet.model import overview
    from qnet.reports.report import Report
else:
    overview = lazy("qnet.model.overview")


@checked_methods(budget.asked)
class System(Questions, Model):
    """A checked model, and what can be asked of it. Every question gives a `Report`, as its command does.

        system = qnet.load("ibm-3990-6").set(rate="900/s", write_fraction=0.2)
        system.metric("utilization('back_end')")
        system.envelope(limit="response <= 10 ms", over="write_fraction=0:0.5:0.1").records()

    A system shows itself in five lines, and as tables in a notebook. A report prints as the table of the command line,
    shows as tables in a notebook, gives its rows by `records()`, a column as an array by `columns["response_s"]`, and
    any form of output by `text("csv")`; `notes` are what there is to know of it, and `warnings` those that limit the
    trust in it. Arguments have the names of the options of the command; one that may be repeated there takes one text
    or a sequence of them. Where there is a choice of methods, `method` names one of `qnet methods`, and `operations`
    is the elementary operations that a question may take, about 1e9 a second.

    Every question raises `UsageError` for what the model does not have, `NoAnswer` where there is none, as without a
    steady state, and `NotComputed` where it was not computed, as beyond the budget.
    """

    __slots__ = ()

    def __new__(cls, *values: Any, **named: Any) -> Self:
        """A system of the fields of a model, as `qnet.load` makes it; raises `UsageError` for anything else."""
        try:
            return super().__new__(cls, *values, **named)
        except TypeError as error:
            expected = "qnet.load(system), which makes one"
            raise UsageError(Problem("QN753", f"these are no parts of a system: {error}", expected)) from None

    def __repr__(self) -> str:
        """The system in five lines: stations, classes, parameters, and what it states."""
        return "\n".join(overview.lines(self))

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return overview.html(self)

    def set(self, values: Mapping[str, str | float] | None = None, **named: str | float) -> System:
        """The system with some parameters set, as by -p: a number in base units, or a text with a unit or expression.

        values   for names that are no Python names, such as {"cu.pend": "1 ms"}.
        named    parameters by name.
        Raises   `UsageError` for an unknown parameter or a value that does not fit, with all problems.
        """
        from qnet.model.settings import with_settings
        from qnet.units import base_unit

        if values is not None and not isinstance(values, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UsageError(Problem("QN753", f"values is {values!r}", "a mapping of names to values"))
        texts: dict[str, str] = {}
        for key, given in {**(values or {}), **named}.items():
            name, value = argument("a name in values", key, "str"), argument(key, given, "str | float")
            known = self.parameters.get(name)
            unit = base_unit(known.dimension) if known and not known.options else ""
            texts[name] = value if isinstance(value, str) else f"{value!r}{unit}"
        return System(*with_settings(self, texts))

    def metric(self, text: str, unit: str = "") -> float:
        """One figure, output, parameter or expression over them at the stated point, as `qnet solve --value`.

        text     such as "response_p95" or "utilization('cpu')".
        unit     such as "ms"; default: base units.
        Raises   `UsageError` for what the model does not have, `NoAnswer` without a steady state.
        """
        from qnet.questions.solve.solve import metric_value

        return metric_value(self, text, unit=unit)


@checked
def load(system: Source) -> System:
    """The system of a catalog name, an example, a file or `-` for standard input, checked.

    system   a name such as "ibm-3990-6", a text with / or ending in .toml, or a `pathlib.Path`, which is always a file.
    Raises   `UsageError` for what is not there, `InvalidInput` with everything that is wrong with the model.
    """
    from qnet.model.load import load as load_model

    name = str(system)
    if "\n" in name:
        help = "qnet.loads(text) reads the text of a model"
        raise UsageError(Problem("QN753", "system is a text of several lines", "a name or a path", help=help))
    return System(*load_model(name))


@checked
def loads(model: str | Mapping[str, Any], name: str = "") -> System:
    """The system of a model that is a text of TOML, or a dict of what such a text has, checked.

    model    in a dict, an array is any sequence or array, and a number any number; texts are expressions.
    name     what messages and reports call it; default: "<text>" or "<dict>".
    Returns  a `System`, whose `document.text` is the text of a dict as well, to be written to a file.
    Raises   `UsageError` QN753 for a dict with other values, `InvalidInput` with everything that is wrong with the
             model, by line of a text and by key of a dict.

        steps = [{"station": "cpu", "time": "0.1 s"}]
        classes = {"job": {"arrival_rate": "5/s", "steps": steps}}
        qnet.loads({"title": "one queue", "stations": {"cpu": {}}, "classes": classes}).metric("response")
    """
    from qnet.model.from_data import document_of
    from qnet.model.load import build

    document = document_of(model, name)
    return System(*build(document, document.name))


@checked
@budget.asked
def validate(study: str = "", claims: bool = False, operations: float = OPERATIONS, memory: float = MEMORY) -> Report:
    """The published figures of a study of the catalog compared with its models, as `qnet validate`.

    study    its name; empty for the account of all of the catalog.
    claims   every claim of all of them, and not the account.
    operations, memory   what it may take at most: elementary operations, about 1e9 a second, and bytes.
    Raises   `UsageError` for a study that is not there, `InvalidInput` for what is wrong with one. Claims that are
             missed raise nothing: those without a reason stand in `broken` of the report.
    """
    from qnet.questions.study.validate_report import validate_report

    limit(operations, memory)
    return validate_report(study, claims=claims)


@checked
@budget.asked
def study(name: str, operations: float = OPERATIONS, memory: float = MEMORY) -> Report:
    """A study of the catalog, as `qnet study`: question, answer, predictions next to their nulls, picture,
    what-ifs, and its limits.

    name                 such as "p390"; `qnet.validate` lists them.
    operations, memory   as for `validate`.
    Raises   `UsageError` for a study that does not exist or has no story, `InvalidInput` for what is wrong with one,
             `NoAnswer` or `NotComputed` where a question of the story has no answer.
    """
    from qnet.questions.study.report import study_report

    limit(operations, memory)
    return study_report(name)
