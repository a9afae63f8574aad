"""The Python interface to models and studies: `load` and `loads`, `System` with its questions, `validate`, `study`."""

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
    """A checked model with a method for each question of the command line.

        system = qnet.load("ibm-3990-6").set(rate="900/s", write_fraction=0.2)
        system.metric("utilization('back_end')")
        system.envelope(limit="response <= 10 ms", over="write_fraction=0:0.5:0.1").records()

    The methods have the names of the commands, or of options such as --tornado, and return the `Report` of the command;
    only `metric` returns a number, `map` a table of the kind that it is given, `map_rows` rows, and `set` a system. The
    arguments have the names of the options; one that may be repeated on the command line takes a text or a sequence of
    texts. `method` is a name of `qnet methods`; `operations` is the limit in elementary operations, about 1e9 a second.

    A report prints as the table of the command line. `records()` returns its rows, `columns["response_s"]` a column as
    an array, `text("csv")` any output format; `notes` are the notes of the command, `warnings` those that limit the
    reliability of the answer. In a notebook, systems and reports are shown as tables.

    Every question raises `UsageError` for names that the model does not have and for values outside of their range,
    `NoAnswer` if no answer exists, as without a steady state, and `NotComputed` if none was computed, as beyond the
    budget.
    """

    __slots__ = ()

    def __new__(cls, *values: Any, **named: Any) -> Self:
        """A system with the fields of a model, as `qnet.load` creates it; raises `UsageError` for other arguments."""
        try:
            return super().__new__(cls, *values, **named)
        except TypeError as error:
            expected = "qnet.load(system), which returns one"
            raise UsageError(
                Problem("QN753", f"a system cannot be made of these arguments: {error}", expected)
            ) from None

    def __repr__(self) -> str:
        """The system in five lines: title, stations, classes, parameters, and stored questions."""
        return "\n".join(overview.lines(self))

    def _repr_html_(self) -> str:
        """The tables that notebooks show."""
        return overview.html(self)

    def set(self, values: Mapping[str, str | float] | None = None, **named: str | float) -> System:
        """A copy of the system with parameters set, as with the option -p of a command.

        A value is a number in base units (seconds, bytes, events per second), or a text with a unit or an expression.

        values   values by parameter, for names that are no Python identifiers, such as {"cu.pend": "1 ms"}.
        named    values by parameter.
        Raises   `UsageError` with all problems: unknown parameters, invalid expressions, values of a wrong dimension.
                 Ranges are checked when a question is answered.
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
        """The value of a metric at the parameters of the system, as `qnet solve --metric METRIC --value` prints it.

        text     a metric, output or parameter, or an expression over them, such as "utilization('cpu')".
        unit     the unit of the result, such as "ms"; default: base units.
        Raises   `UsageError` for a name that the model does not have or a unit of another dimension, `NoAnswer` without
                 a steady state, `NotComputed` if no method computes it.
        """
        from qnet.questions.solve.solve import metric_value

        return metric_value(self, text, unit=unit)


@checked
def load(system: Source) -> System:
    """Load and check a model from the catalog, an example, a file, or standard input.

    system   the name of a catalog system or an example, such as "ibm-3990-6"; the path of a file, which is a
             `pathlib.Path` or a text that contains / or ends in .toml; or "-" for standard input.
    Raises   `UsageError` for a name or file that does not exist, `InvalidInput` with all problems of the model.
    """
    from qnet.model.load import load as load_model

    name = str(system)
    if "\n" in name:
        help = "qnet.loads(text) reads the text of a model"
        raise UsageError(Problem("QN753", "system is a text of several lines", "a name or a path", help=help))
    return System(*load_model(name))


@checked
def loads(model: str | Mapping[str, Any], name: str = "") -> System:
    """Check a model given as TOML text, or as a dict with the same keys.

    model    the text or dict; values of a dict may be sequences, arrays, numbers of any type, and texts (expressions).
    name     the name of the model in messages and reports; default: "<text>" or "<dict>".
    Returns  a `System`; its `document.text` is TOML, that of a dict as well, and can be written to a file.
    Raises   `UsageError` QN753 for a dict with other values, `InvalidInput` with all problems of the model, by line of
             a text or by key of a dict.

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
    """Compare the published figures of a study of the catalog with its models, as `qnet validate`.

    study    the name of the study; empty for a summary of all studies.
    claims   without a study, list every claim of all studies instead of the summary.
    operations, memory   the limits in elementary operations, about 1e9 per second, and in bytes.
    Returns  the report. Missed claims raise no error: those without a reason are in its `broken`.
    Raises   `UsageError` for a study that does not exist, `InvalidInput` for an invalid one.
    """
    from qnet.questions.study.validate_report import validate_report

    limit(operations, memory)
    return validate_report(study, claims=claims)


@checked
@budget.asked
def study(name: str, operations: float = OPERATIONS, memory: float = MEMORY) -> Report:
    """Summarize a study of the catalog, as `qnet study`: question, answer, predictions with their nulls, picture,
    what-ifs, and limits.

    name                 the name of the study, such as "p390"; `qnet.validate` lists the studies.
    operations, memory   as for `validate`.
    Raises   `UsageError` for a study that does not exist or has no story, `InvalidInput` for an invalid one, `NoAnswer`
             or `NotComputed` if its picture or a what-if has no answer.
    """
    from qnet.questions.study.report import study_report

    limit(operations, memory)
    return study_report(name)
