"""The table of questions, from which `qnet.System`, the commands and the JSON Schemas are made.

A row is a method without a body: its parameters with types, defaults and meanings, the function that answers it, and
the line of its command in `qnet --help`. A parameter and its command-line option have the same name, type and default
(`qnet.cli.question`), so that Python and the command line agree. The other texts of a command are in the module
`command` of the folder that answers. Reading the table imports no answering module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from importlib import import_module
from inspect import BoundArguments, Parameter, Signature, signature
from typing import TYPE_CHECKING, Any, TypeVar, cast

from qnet import budget
from qnet.budget import MEMORY, OPERATIONS
from qnet.errors import Problem, UsageError
from qnet.lazy import lazy
from qnet.question import Answer
from qnet.record import Record

if TYPE_CHECKING:
    from qnet import arguments
    from qnet.arguments import Numbers, Texts
    from qnet.model.model import Model
    from qnet.networks import wanted
    from qnet.networks.wanted import Wanted
    from qnet.question import Command
    from qnet.questions.map.tables import Rows
    from qnet.reports.report import Report
else:
    arguments = lazy("qnet.arguments")
    wanted = lazy("qnet.networks.wanted")

_Question = TypeVar("_Question", bound=Callable[..., Any])

METHOD_FIELDS = {
    "method": "method",
    "bounds": "bounds",
    "states": "states",
    "operations": "operations",
    "memory": "memory",
    "servers_correction": "correction",
    "core_solutions": "core_solutions",
}
"""Parameter that chooses a method or limits its budget -> field of `Wanted`."""


def limit(operations: float, memory: float = MEMORY) -> None:
    """Limit the budget of a question.

    operations  elementary operations, above 0, of which 1e9 take about a second.
    memory      bytes, above 0.
    Raises      `UsageError` QN514 for a number that is not above 0.
    """
    for name, value in (("operations", operations), ("memory", memory)):
        if not value > 0:
            raise UsageError(Problem("QN514", f"{name} is {value}", "a number above 0"))
    budget.limit(operations, memory)


class Row(Record):
    """A row of the table: a question, its signature and its command."""

    name: str
    answer: str
    """The function that answers it, as `folder.module:name` or `module:name` of `qnet.questions`."""
    help: str
    """The first line of the help of its command; empty if it has none of its name."""
    answers: tuple[Answer, ...]
    """The schemas of its answers."""
    stated: Callable[..., Any]
    """The method without a body."""

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters of the question by name, without `self`."""
        return {name: item for name, item in signature(self.stated).parameters.items() if name != "self"}

    def command(self) -> Command:
        """The `COMMAND` of its module `command`, or of the answering module if that is in no folder; imported now."""
        module = self.answer.partition(":")[0]
        folder, inside, _ = module.partition(".")
        return import_module(f"qnet.questions.{folder}{'.command' if inside else ''}").COMMAND

    def schemas(self) -> tuple[Answer, ...]:
        """The schemas of its answers, with the defaults of their words and modules filled in."""
        module, words = self.answer.partition(":")[0], f"results of qnet {self.name}"
        return tuple(item.replace(words=item.words or words, module=item.module or module) for item in self.answers)


def answering(answer: str) -> Callable[..., Any]:
    """The function that answers a question, named as in `Row.answer`; its module is imported now."""
    module, name = answer.split(":")
    return getattr(import_module(f"qnet.questions.{module}"), name)


def question(
    answer: str, help: str = "", answers: tuple[Answer, ...] | None = None
) -> Callable[[_Question], _Question]:
    """A decorator that makes a signature a row of the table, and a method that answers it.

    answer   the function that answers, imported when it is called: `folder.module:function` of `qnet.questions`, or
             `module:function` if it is not in a folder. It gets the system, and the arguments by name; if the signature
             has `operations`, those that choose a method are one argument `wanted`.
    help     the first line of the help of its command; empty: there is no command of its name.
    answers  the schemas of its answers; default: one of its name with the `COLUMNS` of the module that answers.
    """

    def decorated(stated: _Question) -> _Question:
        name = stated.__name__
        row = Row(name, answer, help, (Answer(name),) if answers is None else answers, stated)

        @wraps(stated)
        def asked(*given: Any, **named: Any) -> Any:
            # The checks are made here, because the table is read at every start of a command.
            return arguments.checked(budget.asked(_answerer(row)))(*given, **named)

        cast("Any", asked).row = row
        return cast("_Question", asked)

    return decorated


def _answerer(row: Row) -> Callable[..., Any]:
    """The function that answers a question, with defaults for the arguments that are not given."""

    @wraps(row.stated)
    def answer(*given: Any, **named: Any) -> Any:
        bound = _bound(signature(row.stated), given, named)
        bound.apply_defaults()
        model, *_ = bound.args
        values = {key: value for key, value in bound.arguments.items() if key != "self"}
        if "operations" in values:
            values["wanted"] = _wanted(values)
        return answering(row.answer)(model, **values)

    return answer


def rows() -> dict[str, Row]:
    """The table: every question by its name, in the order of the commands."""
    return {name: item.row for name, item in vars(Questions).items() if hasattr(item, "row")}


_FORMER = {"of": "metric"}
"""Former name of an argument, still accepted -> present name."""


def _bound(stated: Signature, given: tuple[Any, ...], named: dict[str, Any]) -> BoundArguments:
    """The arguments of a question; those of `*names` may also be given by name, as a sequence of texts."""
    for former, present in _FORMER.items():
        if former in named and former not in stated.parameters and present in stated.parameters:
            named[present] = arguments.argument(former, named.pop(former), "Texts")
    for name, parameter in stated.parameters.items():
        if parameter.kind is Parameter.VAR_POSITIONAL and parameter.annotation == "str" and name in named:
            given = (*given, *named.pop(name))
    return stated.bind(*given, **named)


def _wanted(values: dict[str, Any]) -> Wanted:
    """The method and its budget, whose arguments are removed from those of a question; the budget becomes the limit."""
    fields = {field: values.pop(name) for name, field in METHOD_FIELDS.items() if name in values}
    limit(fields["operations"], fields.get("memory", MEMORY))
    return wanted.AUTO.replace(**fields)


class Questions:
    """The questions of a model, one method each; `qnet.System` is a model with these methods."""

    __slots__ = ()

    @question(
        "solve.solve:solve_report",
        "Compute throughput, response time and utilization of a system.",
        (Answer("solution", optional="OPTIONAL"),),
    )
    def solve(
        self,
        method: str = "auto",
        bounds: str = "",
        states: bool = False,
        operations: float = OPERATIONS,
        memory: float = MEMORY,
        servers_correction: str = "",
        core_solutions: int | None = 3,
        metric: Texts = (),
        percentile: Numbers = (),
        unit: str = "",
    ) -> Report:
        """Throughput, response time and utilization, as `qnet solve`.

        memory      the most bytes that it may take.
        bounds      bounds to report with the answer: "asymptotic", "balanced", "composite", "proportional" or
                    "geometric"; default: the tightest ones, of approximate answers only.
        states      whether to compute state probabilities.
        servers_correction  how approximations treat several servers: "conway", "seidmann" or "rolia-sevcik"; default:
                    the one with the smallest measured error.
        core_solutions  the number of core solutions of Linearizer, at least 1; None: until it converges.
        metric      report these metrics only, such as "response_p95".
        percentile  percentiles of response time, such as [50, 95, 99].
        unit        the unit of the metrics and percentiles, such as "ms"; default: that of an output, else base units.
        """
        ...

    @question(
        "envelope.ask:ask_envelope",
        "Find the largest load (or the smallest capacity) that meets a limit.",
        (Answer("envelope", module="envelope.report", columns="KEYS", more_columns=True),),
    )
    def envelope(
        self,
        *names: str,
        vary: str = "",
        limit: Texts = (),
        over: Texts = (),
        route: str = "",
        find: str = "",
        crossings: bool = False,
        method: str = "auto",
        operations: float = OPERATIONS,
        rows: Rows | None = None,
    ) -> Report:
        """The largest or the smallest value of a parameter that meets limits, along a grid, as `qnet envelope`.

        names      envelopes that the model states; default: all of them, or a new one if a limit is given.
        vary       the parameter to vary; default: `rate`, or the one that sets the arrival rates or the populations.
        limit      conditions such as "response <= 10 ms"; all must hold.
        over       grids of other parameters, such as "write_fraction=0:0.5:0.1".
        route      limit the response time of this route instead of the mean.
        find       "largest" or "smallest"; default: "smallest" for a parameter that helps as it grows.
        crossings  whether to report every interval in which the limits hold.
        rows       instead of a grid, a CSV file or mappings, whose columns set parameters: one answer for each row.
        """
        ...

    @question(
        "cost.report:ask_cost",
        "Compute server time per unit of work, such as CPU time per page moved.",
        (Answer("cost", optional="OPTIONAL", more_columns=True),),
    )
    def cost(
        self,
        *names: str,
        of: Texts = (),
        per: str = "1",
        work: Texts = (),
        class_name: str = "",
        route: Texts = (),
        unit: str = "",
        over: Texts = (),
        against: Model | None = None,
        operations: float = OPERATIONS,
    ) -> Report:
        """Server time per unit of work, such as CPU time per page moved, as `qnet cost`.

        names       costs that the model states; default: all of them.
        of          instead of names, the stations of a new cost, or "all"; `per` to `unit` define it.
        per         units of work per passage, an expression such as "faults"; default: 1, the cost of a passage.
        work        the kinds of work that count; default: all.
        class_name  the class whose passages count; default: all.
        route       the routes whose passages count; default: all.
        unit        the unit of the result, such as "us".
        over        grids of parameters, such as "users=200,300".
        against     a system to compare with.
        """
        ...

    @question(
        "sweep.sweep:ask_sweep",
        "Compute metrics over a grid of parameter values.",
        (Answer("sweep", columns="KEYS", more_columns=True),),
    )
    def sweep(
        self,
        *over: str,
        metric: Texts = (),
        percentile: Numbers = (),
        method: str = "auto",
        operations: float = OPERATIONS,
    ) -> Report:
        """Metrics over a grid of parameter values, as `qnet sweep`.

        over        grids such as "users=1:300": several are combined, and "a=1,2 & b=3,4" changes both in step.
        metric      metrics such as "response"; default: all of them.
        percentile  further percentiles of response time, such as [50, 95].
        """
        ...

    @question("map.frames:map_table", "Solve the model for each row of a CSV or JSONL stream.", ())
    def map(
        self,
        table: Any,
        metric: Texts = (),
        prefix: str = "",
        method: str = "auto",
        operations: float = OPERATIONS,
    ) -> Any:
        """Solve the model for each row of a table, and add the answers as columns, as `qnet map` does for a file.

        table    a mapping of names to columns, or a data frame of pandas, polars or Arrow. Columns named like
                 parameters, with or without a unit, such as `rate_per_s`, set these.
        metric   metrics such as "response"; default: all of them.
        prefix   a prefix of the names of the answers.
        Returns  a table of the same type. Metrics are floats, NaN where a row has no answer; `method`, `exactness` and
                 `status` are texts.
        """
        ...

    @question("map.map:map_rows", answers=())
    def map_rows(
        self,
        rows: Iterable[Mapping[str, Any]],
        metric: Texts = (),
        prefix: str = "",
        chunk: int = 2048,
        method: str = "auto",
        operations: float = OPERATIONS,
    ) -> Iterator[dict[str, Any]]:
        """Solve the model for each row of a stream, and add the answer to the row, as `qnet map` does for a file.

        rows     mappings with parameters by name, such as {"rate_per_s": 600}; other keys are passed through.
        metric   metrics such as "response"; default: all of them.
        prefix   a prefix of the names of the answers.
        chunk    the most rows that are read and solved at once.
        Returns  an iterator over the rows, in the given order.
        """
        ...

    @question(
        "compare.compare:ask_compare",
        "Compare systems or settings side by side.",
        (Answer("comparison", optional="DOUBT"),),
    )
    def compare(
        self,
        *others: Model,
        metric: Texts = (),
        percentile: Numbers = (),
        method: str = "auto",
        operations: float = OPERATIONS,
    ) -> Report:
        """The metrics of this system next to those of others, with ratios, as `qnet compare`.

        others      systems, or this one with other parameters: `system.compare(system.set(users=250))`.
        metric      metrics such as "response"; default: all of them.
        percentile  further percentiles of response time, such as [50, 95].
        """
        ...

    @question(
        "knee.report:knee_report", "Find the knee of response time as load grows.", (Answer("knee", optional="DOUBT"),)
    )
    def knee(
        self,
        vary: str = "",
        limit: Texts = (),
        multiple: float | None = None,
        definition: Texts = (),
        method: str = "auto",
        operations: float = OPERATIONS,
    ) -> Report:
        """The knees of response time as load grows, by several definitions, as `qnet knee`.

        vary        the parameter that sets the load; default: that of [knee] in the model, or every one that does.
        limit       service levels, such as "response <= 1 s"; default: those of [knee] in the model.
        multiple    of open classes, the multiple of the response time without load that makes a knee, above 1;
                    default: 2.
        definition  report these definitions only, such as "n_star" or "service_level".
        """
        ...

    @question("formula.formula:ask_formula", "Derive metrics as closed-form expressions; solve them for a parameter.")
    def formula(
        self, *metric: str, solve_for: str = "", value: str = "", expand: bool = False, keep: Texts | None = None
    ) -> Report:
        """Metrics as closed-form expressions, as `qnet formula`; `questions.formula.formula` has them for sympy.

        metric      metrics such as "max_throughput" or "demand('cpu')"; default: the main ones.
        solve_for   solve the formula of the metric for this parameter.
        value       with `solve_for`, the value of the metric, such as "10 ms"; default: its value in the model.
        expand      whether to substitute the definitions of parameters.
        keep        parameters to keep as symbols, all others become numbers; default: all remain symbols.
        """
        ...

    @question("bottleneck.report:bottleneck_report", "Break down response time, find the bottleneck, rank upgrades.")
    def bottleneck(
        self, faster: float = 2.0, method: str = "auto", operations: float = OPERATIONS, bounds: str = ""
    ) -> Report:
        """Breakdown of response time, the bottleneck, and a ranking of upgrades, as `qnet bottleneck`.

        faster   the factor on the speed of a station in the upgrades that are tried, above 1.
        bounds   as for `solve`.
        """
        ...

    @question(
        "why.why:why_report",
        "Explain a system's response time in words fit for a ticket.",
        (Answer("why", optional="OPTIONAL"),),
    )
    def why(
        self,
        faster: float = 2.0,
        method: str = "auto",
        operations: float = OPERATIONS,
        brief: bool = False,
        bounds: str = "",
    ) -> Report:
        """The response time of the system explained in words, as `qnet why`.

        faster, bounds  as for `bottleneck`.
        brief           whether to report a summary of six sentences.

        For a system that its arrivals saturate: why it has no steady state, and the smallest changes that restore one.
        """
        ...

    @question(
        "sensitivity.sensitivity:ask_sensitivity",
        "Compute how a metric depends on each parameter and on its uncertainty.",
    )
    def sensitivity(
        self, metric: Texts = (), by: Texts = (), method: str = "auto", operations: float = OPERATIONS
    ) -> Report:
        """Derivatives and elasticities of metrics with respect to parameters, ranked, as `qnet sensitivity`.

        metric  metrics such as "response"; default: the main ones.
        by      parameters; default: every number that the model states and a metric depends on.
        """
        ...

    @question(
        "sensitivity.uncertainty:ask_tornado",
        answers=(Answer("tornado", "results of qnet sensitivity --tornado", columns="TORNADO"),),
    )
    def tornado(
        self,
        metric: Texts = (),
        by: Texts = (),
        range: Texts = (),
        within: str = "",
        method: str = "auto",
        operations: float = OPERATIONS,
    ) -> Report:
        """Metrics at both ends of the range of every parameter, as `qnet sensitivity --tornado`.

        metric, by  as for `sensitivity`.
        range       ranges such as "seek=10ms:14ms", instead of those of the catalog and the model.
        within      the range of all parameters without one, such as "10%".
        """
        ...

    @question("sensitivity.uncertainty:ask_corners", answers=())
    def corners(
        self,
        metric: Texts = (),
        by: Texts = (),
        range: Texts = (),
        within: str = "",
        method: str = "auto",
        operations: float = OPERATIONS,
    ) -> Report:
        """Minimum and maximum of metrics over all combinations of range ends, as `qnet sensitivity --corners`.

        metric, by     as for `sensitivity`.
        range, within  as for `tornado`.
        """
        ...

    @question(
        "sensitivity.uncertainty:ask_uncertainty",
        answers=(Answer("uncertainty", "results of qnet sensitivity --sample and --corners", columns="UNCERTAINTY"),),
    )
    def uncertainty(
        self,
        sample: int = 1000,
        seed: int = 1,
        metric: Texts = (),
        by: Texts = (),
        range: Texts = (),
        within: str = "",
        spread: Texts = (),
        shape: str = "uniform",
        method: str = "auto",
        operations: float = OPERATIONS,
    ) -> Report:
        """Mean, standard deviation and percentiles of metrics over random parameters, as `qnet sensitivity --sample`.

        sample      the number of random points.
        seed        the random seed: the same one gives the same points.
        metric, by  as for `sensitivity`; `range` and `within` as for `tornado`.
        spread      lognormal parameters with their coefficient of variation, such as "seek=10%".
        shape       the distribution of parameters with a range: "uniform", or "triangular" around the stated value.
        """
        ...

    @question(
        "calibrate.report:ask_calibrate",
        "Estimate parameters and their errors from measurements.",
        (
            Answer("calibration"),
            Answer("candidates", "results of qnet calibrate of several models", "calibrate.candidates"),
        ),
    )
    def calibrate(
        self,
        measured: Rows,
        fit: Texts,
        metric: Texts = (),
        between: Texts = (),
        hold_out: str = "",
        absolute: bool = False,
        starts: int = 4,
        method: str = "auto",
        operations: float = OPERATIONS,
        error: Texts = (),
        strict: bool = False,
        column: Texts = (),
        melt: Texts = (),
    ) -> Report:
        """Estimates of parameters from measurements, with their standard errors, as `qnet calibrate`.

        measured  a CSV file, or rows as mappings such as {"users": 50, "response_s": 0.31}.
        fit       the parameters to fit.
        metric    the metrics to fit, such as "response"; default: every measured one.
        between   search ranges, such as "cpu=1ms:20ms"; default: the range in the model.
        hold_out  rows used only for testing: a number of last rows, or a condition such as "users > 100".
        absolute  whether errors are equal in all rows, instead of proportional to the measurement.
        starts    the number of starting points of the search.
        error     standard errors of the measurements, such as "1%" or "response=2 ms".
        strict    whether to raise an error for the first unreadable row; else the report lists such rows.
        column    columns to read under another name, such as "io_r=throughput".
        melt      patterns of titles that contain conditions, such as "rt_{users}_ms=response_ms".
        """
        ...

    @question(
        "calibrate.demands_report:ask_demands", answers=(Answer("demands", "results of qnet calibrate --demands"),)
    )
    def demands(
        self,
        measured: Rows,
        servers: Texts = (),
        background: bool = False,
        hold_out: str = "",
        strict: bool = False,
        column: Texts = (),
        melt: Texts = (),
    ) -> Report:
        """Service demands from utilizations and throughputs, as `qnet calibrate SYSTEM MEASURED.csv --demands`.

        measured    a CSV file, or rows as mappings, with utilizations of stations and throughputs per second.
        servers     numbers of servers, such as "cpu=4"; default: those of the model.
        background  whether to fit a utilization without load too.
        hold_out    rows used only for testing: a number of last rows, or a condition over columns.
        strict, column, melt  as for `calibrate`.
        """
        ...
