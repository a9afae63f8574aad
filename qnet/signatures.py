"""The questions of a system: one table, from which `qnet.System`, the commands and the JSON Schemas are made.

A row is a method without a body: its parameters with types, defaults and meanings, the function that answers, and the
line of the command in `qnet --help`. A parameter and its option of the command share name, type and default
(`qnet.cli.question`), so that Python and the command line agree. Further texts of the command are in the file `command`
of the folder that answers. Reading the table imports nothing else.
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
"""The parameters that choose a method and limit it -> the fields of `Wanted`."""


def limit(operations: float, memory: float = MEMORY) -> None:
    """Limit what a question may take.

    operations  elementary ones, above 0.
    memory      bytes, above 0.
    Raises      `UsageError` QN514 for what is no limit.
    """
    for name, value in (("operations", operations), ("memory", memory)):
        if not value > 0:
            raise UsageError(Problem("QN514", f"{name} is {value}", "a number above 0"))
    budget.limit(operations, memory)


class Row(Record):
    """A question, besides the signature that its row states."""

    name: str
    answer: str
    """The function that answers, as `folder.module:name` or `module:name` of `qnet.questions`."""
    help: str
    """The first line of the help of its command; empty where it is asked by that of another question."""
    answers: tuple[Answer, ...]
    """The kinds of its answer."""
    stated: Callable[..., Any]
    """The method without a body."""

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Its parameters by name, without the system itself."""
        return {name: item for name, item in signature(self.stated).parameters.items() if name != "self"}

    def command(self) -> Command:
        """What its command says: `COMMAND` of the file `command` of its folder, or of its only file."""
        module = self.answer.partition(":")[0]
        folder, inside, _ = module.partition(".")
        return import_module(f"qnet.questions.{folder}{'.command' if inside else ''}").COMMAND

    def kinds(self) -> tuple[Answer, ...]:
        """The kinds of its answer, each with its words and its module."""
        module, words = self.answer.partition(":")[0], f"results of qnet {self.name}"
        return tuple(item.replace(words=item.words or words, module=item.module or module) for item in self.answers)


def answering(answer: str) -> Callable[..., Any]:
    """The function that answers a question, as `Row.answer` names it, imported now."""
    module, name = answer.split(":")
    return getattr(import_module(f"qnet.questions.{module}"), name)


def question(
    answer: str, help: str = "", answers: tuple[Answer, ...] | None = None
) -> Callable[[_Question], _Question]:
    """A decorator of a signature: a row of the table, whose answer is that of a function, imported when it is asked.

    answer   `folder.module:function` of `qnet.questions`, or `module:function` for one of a single file. It is called
             with the system and the arguments by name; those that choose a method are one argument `wanted`, where
             there are `operations` to limit.
    help     the first line of the help of its command; without one there is no command of its name.
    answers  the kinds of answer; default: one of its name with the `COLUMNS` of the module that answers.
    """

    def decorated(stated: _Question) -> _Question:
        name = stated.__name__
        row = Row(name, answer, help, (Answer(name),) if answers is None else answers, stated)

        @wraps(stated)
        def asked(*given: Any, **named: Any) -> Any:
            # Made when it is called: the table is read at every start of a command.
            return arguments.checked(budget.asked(_answerer(row)))(*given, **named)

        cast("Any", asked).row = row
        return cast("_Question", asked)

    return decorated


def _answerer(row: Row) -> Callable[..., Any]:
    """A question with all its arguments, as a function of those that are given."""

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
"""Names that arguments had before, and their present ones."""


def _bound(stated: Signature, given: tuple[Any, ...], named: dict[str, Any]) -> BoundArguments:
    """The arguments of a question: what may be listed without a name may be given by name as well."""
    for former, present in _FORMER.items():
        if former in named and former not in stated.parameters and present in stated.parameters:
            named[present] = arguments.argument(former, named.pop(former), "Texts")
    for name, parameter in stated.parameters.items():
        if parameter.kind is Parameter.VAR_POSITIONAL and parameter.annotation == "str" and name in named:
            given = (*given, *named.pop(name))
    return stated.bind(*given, **named)


def _wanted(values: dict[str, Any]) -> Wanted:
    """Take what chooses a method out of the arguments of a question."""
    fields = {field: values.pop(name) for name, field in METHOD_FIELDS.items() if name in values}
    limit(fields["operations"], fields.get("memory", MEMORY))
    return wanted.AUTO.replace(**fields)


class Questions:
    """What can be asked of a model: a row for each question; `qnet.System` is a model with these methods."""

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
        """Throughput, response and utilization, as `qnet solve`; the arguments are those of `qnet.Network.solve`.

        servers_correction  how approximations treat several servers: "conway", "seidmann" or "rolia-sevcik"; default:
                    the one with the smallest measured error.
        core_solutions  of Linearizer, at least 1; None until it converges.
        memory      bytes that it may take at most.
        bounds      a kind of bounds that is wanted besides the answer.
        states      whether state probabilities are wanted.
        metric      report these metrics only, such as "response_p95".
        percentile  percentiles of response time, such as [50, 95, 99].
        unit        of the metrics and percentiles, such as "ms"; default: that of an output, else base units.
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
        """The largest or the smallest value of a parameter at which limits hold, along a grid, as `qnet envelope`.

        names      envelopes that the model states; none for all of them, or for a new one where a limit is given.
        vary       the parameter; default: the one that drives the arrivals, or else the population.
        limit      what must hold, such as "response <= 10 ms"; of several all must.
        over       grids, such as "write_fraction=0:0.5:0.1".
        route      limit the response of this route instead of the mean.
        find       "largest" or "smallest"; default: the one that the limits stop.
        crossings  a row for every interval in which the limits hold.
        rows       instead of a grid: a CSV file, or mappings, whose columns set parameters; one answer for each row.
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
        """Server time per unit of something, as `qnet cost`.

        names       costs that the model states; none for all of them.
        of          instead of names: stations, or "all"; `per` to `unit` say more of such a cost.
        per         units per passage, an expression such as "faults"; default: passages.
        work        kinds of work that count; default: all.
        class_name  the class whose passages count, and `route` the routes; default: all.
        unit        what it is reported in, such as "us".
        over        grids, such as "users=200,300".
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
        """Every metric along grids of parameters, as `qnet sweep`.

        over     grids such as "users=1:300"; several make every combination, "a=1,2 & b=3,4" goes in step.
        metric   such as "response"; default: all of them.
        percentile  of response time, such as [50, 95], next to the metrics.
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
        """A table with its answers as further columns: what `qnet map` does to a file, at the speed of the solver.

        table    a mapping of names to columns, or a data frame of pandas, polars or Arrow; columns as for `map_rows`.
        metric   such as "response"; default: all of them.
        prefix   stands before the names of the answers.
        Returns  a table of the same kind. Metrics are floats, not-a-number where a row has none; `method`,
                 `exactness` and `status` are texts.
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
        """Every row with its answer added, as rows arrive: what `qnet map` does to a file.

        rows     mappings with parameters by name, such as {"rate_per_s": 600}; other keys are passed through.
        metric   such as "response"; default: all of them.
        prefix   stands before the names of the answers.
        chunk    how many rows are solved at once, at most.
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

        others   systems, or this one with other parameters: `system.compare(system.set(users=250))`.
        metric   such as "response"; default: all of them.
        percentile  of response time, such as [50, 95], next to the metrics.
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
        """Where the curve of response against load breaks, by each definition, as `qnet knee`.

        vary         the parameter that sets the load; default: every one that does.
        limit        service levels, such as "response <= 1 s"; default: those that the model states under [knee].
        multiple     for open classes, the response as a multiple of the response without load, above 1.
        definition   only these, such as "n_star" or "service_level".
        """
        ...

    @question("formula.formula:ask_formula", "Derive metrics as closed-form expressions; solve them for a parameter.")
    def formula(
        self, *metric: str, solve_for: str = "", value: str = "", expand: bool = False, keep: Texts | None = None
    ) -> Report:
        """The closed form itself, as `qnet formula`; `questions.formula.formula` has the sympy expressions.

        metric      such as "max_throughput" or "demand('cpu')"; default: the main ones.
        solve_for   express this parameter as a formula of the metric, whose value is `value` or that of the model.
        expand      put the definitions of parameters into the formulas.
        keep        parameters that remain names, all others become numbers; default: all remain.
        """
        ...

    @question("bottleneck.report:bottleneck_report", "Break down response time, find the bottleneck, rank upgrades.")
    def bottleneck(
        self, faster: float = 2.0, method: str = "auto", operations: float = OPERATIONS, bounds: str = ""
    ) -> Report:
        """Breakdown of response time, the bottleneck, and what would help, as `qnet bottleneck`.

        faster   by what the speed of a station is multiplied in the changes that are tried, above 1.
        bounds   a kind of bounds that is wanted besides the answer.
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
        """The response time of the system explained in words, as `qnet why`; arguments as for `bottleneck`.

        faster, bounds  as for `bottleneck`.

        Of a system whose arrivals saturate it: why it has no steady state, and the smallest changes that cure it.
        `brief` asks for six sentences.
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

        metric  such as "response"; default: the main ones.
        by      parameters; default: every stated number of the model.
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
        range       ranges such as "seek=10ms:14ms", before those of the catalog and the model.
        within      a range for all parameters without one, such as "10%".
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
        """Least and most of metrics over all ends of all ranges, as `qnet sensitivity --corners`; as for `tornado`.

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

        metric, by  as for `sensitivity`; `range` and `within` as for `tornado`.
        sample      how many points; the same `seed` gives the same ones.
        spread      lognormal parameters with their standard deviation over mean, such as "seek=10%".
        shape       how parameters with a range are distributed inside it: "uniform" or "triangular".
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
        """Parameters from measurements with their errors, as `qnet calibrate`.

        measured  a CSV file, or rows as mappings such as {"users": 50, "response_s": 0.31}.
        fit       the parameters.
        metric    what to fit on, such as "response"; default: every measured column.
        between   ranges, such as "cpu=1ms:20ms".
        hold_out  rows that only test the fit: a number of them at the end, or a condition such as "users > 100".
        absolute  errors are the same at every row, not proportional to the measurement.
        starts    how many starts to search from.
        error     standard errors of the measurements, such as "1%" or "response=2 ms".
        strict    refuse the rows for the first that cannot be read; else the report lists such rows.
        column    other names of columns, such as "io_r=throughput".
        melt      patterns of titles that state conditions, such as "rt_{users}_ms=response_ms".
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
        servers     servers of stations where the model is not to say them, such as "cpu=4".
        background  whether to fit also a utilization without any throughput.
        hold_out    how many rows at the end only test the regression.
        strict      as for `calibrate`; `column` and `melt` too.
        """
        ...
