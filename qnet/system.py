"""`qnet.load` and `qnet.loads`: a model with its questions, one call each; `qnet.validate` and `qnet.study`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qnet import budget
from qnet.arguments import Numbers, Source, Texts, argument, checked, checked_methods
from qnet.budget import MEMORY, OPERATIONS
from qnet.errors import Problem, UsageError
from qnet.lazy import lazy
from qnet.model.model import Model

if TYPE_CHECKING:
    from typing import Self

    from qnet.model import overview
    from qnet.networks.wanted import Wanted
    from qnet.questions.map.tables import Rows
    from qnet.reports.report import Report
else:
    overview = lazy("qnet.model.overview")


def _require_models(systems: Iterable[Any]) -> None:
    """Raise `UsageError` for a system to compare with that is none."""
    for system in systems:
        if not isinstance(system, Model):
            raise UsageError(Problem("QN753", f"a system to compare with is {system!r}", "what qnet.load() returns"))


def _limit(operations: float, memory: float = MEMORY) -> None:
    """Limit what a question may take; raises `UsageError` for what is no limit."""
    for name, value in (("operations", operations), ("memory", memory)):
        if not value > 0:
            raise UsageError(Problem("QN514", f"{name} is {value}", "a number above 0"))
    budget.limit(operations, memory)


def _wanted(method: str, operations: float) -> Wanted:
    from qnet.networks.wanted import Wanted

    _limit(operations)
    return Wanted(method, operations=operations)


@checked_methods(budget.asked)
class System(Model):
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

        bounds      a kind of bounds that is wanted besides the answer.
        states      whether state probabilities are wanted.
        metric      report these metrics only, such as "response_p95".
        percentile  percentiles of response time, such as [50, 95, 99].
        unit        of the metrics and percentiles, such as "ms"; default: that of an output, else base units.
        """
        from qnet.networks.wanted import Wanted
        from qnet.questions.solve.solve import solve_report

        _limit(operations, memory)
        wanted = Wanted(
            method=method,
            states=states,
            operations=operations,
            memory=memory,
            correction=servers_correction,
            core_solutions=core_solutions,
            bounds=bounds,
        )
        percentiles = percentile if isinstance(percentile, Sequence) else (percentile,)
        return solve_report(self, wanted, (), metric, percentiles, unit)

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
        from qnet.questions.envelope.envelope import envelopes
        from qnet.questions.envelope.question import questions
        from qnet.questions.envelope.report import envelope_report

        wanted = _wanted(method, operations)
        asked = questions(self, names, vary, limit, over, route, find, wanted)
        if rows is not None:
            from qnet.questions.envelope.rows import envelope_of_rows, refuse_beside_rows
            from qnet.questions.map.tables import read_table

            refuse_beside_rows(over, crossings)
            return envelope_of_rows(self, asked, read_table(rows))
        return envelope_report(self, envelopes(asked), every=crossings)

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
        from qnet.questions.cost.cost import cost
        from qnet.questions.cost.report import cost_report

        asked = (names, of, per, class_name, route, unit, over, work)
        wanted = _wanted("auto", operations)
        _require_models([against] if against is not None else [])
        return cost_report(cost(self, *asked, wanted), cost(against, *asked, wanted) if against else None)

    def sensitivity(
        self, of: Texts = (), by: Texts = (), method: str = "auto", operations: float = OPERATIONS
    ) -> Report:
        """Derivatives and elasticities of metrics with respect to parameters, ranked, as `qnet sensitivity`.

        of   metrics such as "response"; default: the main ones.
        by   parameters; default: every stated number of the model.
        """
        from qnet.questions.sensitivity.sensitivity import sensitivity, sensitivity_report

        return sensitivity_report(sensitivity(self, of, by, _wanted(method, operations)))

    def tornado(
        self,
        of: Texts = (),
        by: Texts = (),
        range: Texts = (),
        within: str = "",
        method: str = "auto",
        operations: float = OPERATIONS,
    ) -> Report:
        """Metrics at both ends of the range of every parameter, as `qnet sensitivity --tornado`.

        of, by   as for `sensitivity`.
        range    ranges such as "seek=10ms:14ms", before those of the catalog and the model.
        within   a range for all parameters without one, such as "10%".
        """
        from qnet.questions.sensitivity.uncertainty import tornado
        from qnet.questions.sensitivity.uncertainty_report import tornado_report

        asked = (of, by, range, within, _wanted(method, operations))
        return tornado_report(tornado(self, *asked))

    def corners(
        self,
        of: Texts = (),
        by: Texts = (),
        range: Texts = (),
        within: str = "",
        method: str = "auto",
        operations: float = OPERATIONS,
    ) -> Report:
        """Least and most of metrics over all ends of all ranges, as `qnet sensitivity --corners`; as for `tornado`."""
        from qnet.questions.sensitivity.uncertainty import corners
        from qnet.questions.sensitivity.uncertainty_report import uncertainty_report

        asked = (of, by, range, within, _wanted(method, operations))
        return uncertainty_report(corners(self, *asked))

    def uncertainty(
        self,
        sample: int = 1000,
        seed: int = 1,
        of: Texts = (),
        by: Texts = (),
        range: Texts = (),
        within: str = "",
        spread: Texts = (),
        shape: str = "uniform",
        method: str = "auto",
        operations: float = OPERATIONS,
    ) -> Report:
        """Mean, standard deviation and percentiles of metrics over random parameters, as `qnet sensitivity --sample`.

        sample   how many points; the same `seed` gives the same ones.
        spread   lognormal parameters with their standard deviation over mean, such as "seek=10%".
        shape    how parameters with a range are distributed inside it: "uniform" or "triangular".
        """
        from qnet.questions.sensitivity.uncertainty import sampled
        from qnet.questions.sensitivity.uncertainty_report import uncertainty_report

        asked = (of, by, range, within, spread, shape, _wanted(method, operations))
        return uncertainty_report(sampled(self, sample, seed, *asked), seed=seed, shape=shape)

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
        from qnet.questions.calibrate.calibrate import calibrate
        from qnet.questions.calibrate.report import calibration_report
        from qnet.questions.calibrate.shape import read_shaped

        wanted = _wanted(method, operations)
        asked = (
            fit,
            metric,
            between,
            hold_out,
            absolute,
            starts,
            wanted,
            error,
            strict,
        )
        table = read_shaped(measured, column, melt, self)
        return calibration_report(calibrate(self, table, *asked))

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

        servers     servers of stations where the model is not to say them, such as "cpu=4".
        background  whether to fit also a utilization without any throughput.
        hold_out    how many rows at the end only test the regression.
        strict      as for `calibrate`; `column` and `melt` too.
        """
        from qnet.questions.calibrate.demands import demands_of
        from qnet.questions.calibrate.demands_report import demands_report
        from qnet.questions.calibrate.shape import read_shaped

        table = read_shaped(measured, column, melt, self)
        return demands_report(demands_of(table, self, servers, background, hold_out, strict))

    def sweep(self, *vary: str, metric: Texts = (), method: str = "auto", operations: float = OPERATIONS) -> Report:
        """Every metric along grids of parameters, as `qnet sweep`.

        vary     grids such as "users=1:300"; several make every combination, "a=1,2 & b=3,4" goes in step.
        metric   such as "response"; default: all of them.
        """
        from qnet.questions.sweep.sweep import sweep, sweep_report

        return sweep_report(sweep(self, vary, metric, _wanted(method, operations)), chosen=bool(metric))

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
        from qnet.questions.map.frames import map_table

        return map_table(self, table, metric, _wanted(method, operations), prefix)

    def map_rows(
        self,
        rows: Iterable[Mapping[str, Any]],
        metric: Texts = (),
        prefix: str = "",
        chunk: int = 1024,
        method: str = "auto",
        operations: float = OPERATIONS,
    ) -> Iterator[dict[str, Any]]:
        """Every row with its answer added, as rows arrive: what `qnet map` does to a file.

        rows     mappings with parameters by name, such as {"rate_per_s": 600}; other keys are passed through.
        metric   such as "response"; default: all of them.
        prefix   stands before the names of the answers.
        chunk    how many rows are solved at once, at most.
        """
        from qnet.questions.map.map import map_rows

        given = argument("rows", rows, "Rows")
        if isinstance(given, str):
            raise UsageError(Problem("QN753", "rows is a text or a path", "an iterable of mappings"))
        return map_rows(self, given, metric, _wanted(method, operations), prefix, chunk)

    def compare(
        self, *others: Model, metric: Texts = (), method: str = "auto", operations: float = OPERATIONS
    ) -> Report:
        """The metrics of this system next to those of others, with ratios, as `qnet compare`.

        others   systems, or this one with other parameters: `system.compare(system.set(users=250))`.
        metric   such as "response"; default: all of them.
        """
        from qnet.questions.compare.compare import compare, compare_report

        _require_models(others)
        return compare_report(compare((self, *others), metric, _wanted(method, operations)))

    def formula(
        self, *of: str, solve_for: str = "", value: str = "", expand: bool = False, keep: Texts | None = None
    ) -> Report:
        """The closed form itself, as `qnet formula`; `questions.formula.formula` has the sympy expressions.

        of          metrics such as "max_rate" or "demand('cpu')"; default: the main ones.
        solve_for   express this parameter as a formula of the metric, whose value is `value` or that of the model.
        expand      put the definitions of parameters into the formulas.
        keep        parameters that remain names, all others become numbers; default: all remain.
        """
        from qnet.questions.formula.formula import formula, formula_report

        kept = None if keep is None else keep
        return formula_report(formula(self, of, solve_for, value, expand, kept))

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

        vary         the parameter that brings the customers; default: all that do.
        limit        service levels, such as "response <= 1 s"; default: those that the model states under [knee].
        multiple     of open classes, how many times its floor the response may be.
        definition   only these, such as "n_star" or "service_level".
        """
        from qnet.questions.knee.report import knee_report

        return knee_report(self, vary, limit, multiple, definition, _wanted(method, operations))

    def bottleneck(self, faster: float = 2.0, method: str = "auto", operations: float = OPERATIONS) -> Report:
        """Breakdown of response time, the bottleneck, and what would help, as `qnet bottleneck`.

        faster   by what the speed of a station is multiplied in the changes that are tried, above 1.
        """
        from qnet.questions.bottleneck.report import bottleneck_report

        return bottleneck_report(self, faster, _wanted(method, operations))

    def why(
        self, faster: float = 2.0, method: str = "auto", operations: float = OPERATIONS, brief: bool = False
    ) -> Report:
        """Why the system responds as it does, in words, as `qnet why`; arguments as for `bottleneck`.

        Of a system whose arrivals saturate it: why it has no steady state, and the smallest changes that cure it.
        `brief` asks for six sentences.
        """
        from qnet.questions.why.why import why_report

        return why_report(self, faster, _wanted(method, operations), brief=brief)


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

    _limit(operations, memory)
    return validate_report(study, claims=claims)


@checked
@budget.asked
def study(name: str, operations: float = OPERATIONS, memory: float = MEMORY) -> Report:
    """A study of the catalog, as `qnet study`: question, answer, predictions next to their nulls, picture,
    what-ifs, and its limits.

    operations, memory   as for `validate`.
    Raises   `UsageError` for a study that does not exist or has no story, `InvalidInput` for what is wrong with one,
             `NoAnswer` or `NotComputed` where a question of the story has no answer.
    """
    from qnet.questions.study.report import study_report

    _limit(operations, memory)
    return study_report(name)
