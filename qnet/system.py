"""`qnet.load`: a model with its questions one call away; `qnet.validate` and `qnet.study`: the measured studies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from qnet.model.model import Model

if TYPE_CHECKING:
    from qnet.networks.wanted import Wanted
    from qnet.questions.map.tables import Rows
    from qnet.reports.report import Report

Texts = str | Sequence[str]
"""One text or several; none is an empty one."""


def _texts(given: Texts) -> tuple[str, ...]:
    """Several texts, whether one or several were given: a text is no sequence of letters here."""
    if isinstance(given, str):
        return (given,) if given.strip() else ()
    return tuple(given)


def _wanted(method: str, operations: float) -> Wanted:
    from qnet.networks.wanted import Wanted

    return Wanted(method, operations=operations)


class System(Model):
    """A checked model, and what can be asked of it. Every question gives a `Report`, as its command does.

        system = qnet.load("ibm-3990-6").set(rate="900/s", write_fraction=0.2)
        system.metric("utilization('back_end')")
        system.envelope(limit="response <= 10 ms", over="write_fraction=0:0.5:0.1").records()

    A report prints as the table of the command line, shows as tables in a notebook, gives its rows by `records()`, and
    any form of output by `text("csv")`; `notes` are what there is to know of it, and `warnings` those that limit the
    trust in it. Arguments have the names of the options of the command; one that may be repeated there takes one text
    or a sequence of them. Where there is a choice of methods, `method` names one of `qnet methods`, and `operations`
    is the elementary operations that an exact answer may take, about 1e9 a second.

    Every question raises `UsageError` for what the model does not have, `NoAnswer` where there is none, as without a
    steady state, and `NotComputed` where it was not found, as beyond the budget.
    """

    __slots__ = ()

    def set(self, values: Mapping[str, str | float] | None = None, **named: str | float) -> System:
        """The system with some parameters set, as by -p: a number in base units, or a text with a unit or expression.

        values   for names that are no Python names, such as {"cu.pend": "1 ms"}.
        Raises   `UsageError` for an unknown parameter or a value that does not fit, with all problems.
        """
        from qnet.model.settings import with_settings
        from qnet.units import base_unit

        texts: dict[str, str] = {}
        for name, value in {**(values or {}), **named}.items():
            known = self.parameters.get(name)
            unit = base_unit(known.dimension) if known and not known.options else ""
            texts[name] = value if isinstance(value, str) else f"{value!r}{unit}"
        return System(*with_settings(self, texts))

    def metric(self, text: str) -> float:
        """One figure, output, parameter or expression over them at the stated point, in base units.

        Raises   `UsageError` for what the model does not have, `NoAnswer` without a steady state.
        """
        from qnet.questions.solve.solve import metric_value

        return metric_value(self, text)

    def solve(
        self,
        method: str = "auto",
        bounds: str = "",
        states: bool = False,
        operations: float = 1e10,
        memory: float = 2e9,
        servers_correction: str = "",
        core_solutions: int | None = 3,
    ) -> Report:
        """Throughput, response and utilization, as `qnet solve`; the arguments are those of `qnet.Network.solve`.

        bounds   a kind of bounds that is wanted beside the answer.
        states   whether state probabilities are wanted.
        """
        from qnet.networks.wanted import Wanted
        from qnet.questions.solve.solve import solve_report

        wanted = Wanted(
            method=method,
            states=states,
            operations=operations,
            memory=memory,
            correction=servers_correction,
            core_solutions=core_solutions,
            bounds=bounds,
        )
        return solve_report(self, wanted)

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
        operations: float = 1e10,
    ) -> Report:
        """The largest or the smallest value of a parameter at which limits hold, along a grid, as `qnet envelope`.

        names      envelopes that the model states; none for all of them, or for one of its own where a limit is given.
        vary       the parameter; the one that drives the arrivals, or else the population, if left out.
        limit      what must hold, such as "response <= 10 ms"; of several all must.
        over       grids, such as "write_fraction=0:0.5:0.1".
        route      limit the response of this route instead of the mean.
        find       "largest" or "smallest"; if left out, the one that the limits stop.
        crossings  a row for every interval in which the limits hold.
        """
        from qnet.questions.envelope.envelope import envelope
        from qnet.questions.envelope.question import questions
        from qnet.questions.envelope.report import envelope_report

        wanted = _wanted(method, operations)
        asked = questions(self, names, vary, _texts(limit), _texts(over), route, find, wanted)
        return envelope_report(self, [envelope(question) for question in asked], every=crossings)

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
    ) -> Report:
        """Server time per unit of something, as `qnet cost`.

        names       costs that the model states; none for all of them.
        of          instead of names: stations, or "all"; `per` to `unit` say more of such a cost.
        per         units per passage, an expression such as "faults"; passages if left out.
        work        kinds of work that count; all if left out.
        class_name  the class whose passages count, and `route` the routes; all if left out.
        unit        what it is told in, such as "us".
        over        grids, such as "users=200,300".
        against     a system to compare with.
        """
        from qnet.questions.cost.cost import cost
        from qnet.questions.cost.report import cost_report

        asked = (names, _texts(of), per, class_name, _texts(route), unit, _texts(over), _texts(work))
        return cost_report(cost(self, *asked), cost(against, *asked) if against else None)

    def sensitivity(self, of: Texts = (), by: Texts = (), method: str = "auto", operations: float = 1e10) -> Report:
        """Derivatives and elasticities of metrics with respect to parameters, ranked, as `qnet sensitivity`.

        of   metrics such as "response"; the main ones if left out.
        by   parameters; every stated number of the model if left out.
        """
        from qnet.questions.sensitivity.sensitivity import sensitivity, sensitivity_report

        return sensitivity_report(sensitivity(self, _texts(of), _texts(by), _wanted(method, operations)))

    def tornado(
        self,
        of: Texts = (),
        by: Texts = (),
        range: Texts = (),
        within: str = "",
        method: str = "auto",
        operations: float = 1e10,
    ) -> Report:
        """Metrics at both ends of the range of every parameter, as `qnet sensitivity --tornado`.

        of, by   as for `sensitivity`.
        range    ranges such as "seek=10ms:14ms", before those of the catalog and the model.
        within   a range for all parameters without one, such as "10%".
        """
        from qnet.questions.sensitivity.uncertainty import tornado
        from qnet.questions.sensitivity.uncertainty_report import tornado_report

        asked = (_texts(of), _texts(by), _texts(range), within, _wanted(method, operations))
        return tornado_report(tornado(self, *asked))

    def corners(
        self,
        of: Texts = (),
        by: Texts = (),
        range: Texts = (),
        within: str = "",
        method: str = "auto",
        operations: float = 1e10,
    ) -> Report:
        """Least and most of metrics over all ends of all ranges, as `qnet sensitivity --corners`; as for `tornado`."""
        from qnet.questions.sensitivity.uncertainty import corners
        from qnet.questions.sensitivity.uncertainty_report import uncertainty_report

        asked = (_texts(of), _texts(by), _texts(range), within, _wanted(method, operations))
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
        operations: float = 1e10,
    ) -> Report:
        """Mean, deviation and percentiles of metrics over random parameters, as `qnet sensitivity --sample`.

        sample   how many points; the same `seed` gives the same ones.
        spread   lognormal parameters with their deviation over mean, such as "seek=10%".
        shape    how parameters with a range are distributed inside it: "uniform" or "triangular".
        """
        from qnet.questions.sensitivity.uncertainty import sampled
        from qnet.questions.sensitivity.uncertainty_report import uncertainty_report

        asked = (_texts(of), _texts(by), _texts(range), within, _texts(spread), shape, _wanted(method, operations))
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
        operations: float = 1e10,
        error: Texts = (),
    ) -> Report:
        """Parameters from measurements with their errors, as `qnet calibrate`.

        measured  a CSV file, or rows as mappings such as {"users": 50, "response_s": 0.31}.
        fit       the parameters.
        metric    what to fit on, such as "response"; every measured column if left out.
        between   ranges, such as "cpu=1ms:20ms".
        hold_out  rows that only test the fit: a number of them at the end, or a condition such as "users > 100".
        absolute  errors are the same at every row, not proportional to the measurement.
        starts    how many starts to search from.
        error     standard errors of the measurements, such as "1%" or "response=2 ms".
        """
        from qnet.questions.calibrate.calibrate import calibrate
        from qnet.questions.calibrate.report import calibration_report

        wanted = _wanted(method, operations)
        asked = (_texts(fit), _texts(metric), _texts(between), hold_out, absolute, starts, wanted, _texts(error))
        return calibration_report(calibrate(self, measured, *asked))

    def demands(self, measured: Rows, servers: Texts = (), background: bool = False, hold_out: str = "") -> Report:
        """Service demands from utilizations and throughputs, as `qnet calibrate SYSTEM MEASURED.csv --demands`.

        servers     servers of stations where the model is not to say them, such as "cpu=4".
        background  whether to find also what is busy without any throughput.
        hold_out    how many rows at the end only test the regression.
        """
        from qnet.questions.calibrate.demands import demands_of
        from qnet.questions.calibrate.demands_report import demands_report

        return demands_report(demands_of(measured, self, _texts(servers), background, hold_out))

    def sweep(self, *vary: str, metric: Texts = (), method: str = "auto", operations: float = 1e10) -> Report:
        """Every metric along grids of parameters, as `qnet sweep`.

        vary     grids such as "users=1:300"; several make every combination, "a=1,2 & b=3,4" goes in step.
        metric   such as "response"; all of them if left out.
        """
        from qnet.questions.sweep.sweep import sweep, sweep_report

        return sweep_report(sweep(self, vary, _texts(metric), _wanted(method, operations)), chosen=bool(metric))

    def map_rows(
        self,
        rows: Iterable[Mapping[str, Any]],
        metric: Texts = (),
        prefix: str = "",
        chunk: int = 1024,
        method: str = "auto",
        operations: float = 1e10,
    ) -> Iterator[dict[str, Any]]:
        """Every row with its answer beside it, as rows come: what `qnet map` does to a file.

        rows     mappings with parameters by name, such as {"rate_per_s": 600}; other keys are passed through.
        metric   such as "response"; all of them if left out.
        prefix   stands before the names of the answers.
        chunk    how many rows are solved at once, at most.
        """
        from qnet.questions.map.map import map_rows

        return map_rows(self, rows, _texts(metric), _wanted(method, operations), prefix, chunk)

    def compare(self, *others: Model, metric: Texts = (), method: str = "auto", operations: float = 1e10) -> Report:
        """The metrics of this system beside those of others, with ratios, as `qnet compare`.

        others   systems, or this one with other parameters: `system.compare(system.set(users=250))`.
        metric   such as "response"; all of them if left out.
        """
        from qnet.questions.compare.compare import compare, compare_report

        return compare_report(compare((self, *others), _texts(metric), _wanted(method, operations)))

    def formula(
        self, *of: str, solve_for: str = "", value: str = "", expand: bool = False, keep: Texts | None = None
    ) -> Report:
        """The closed form itself, as `qnet formula`; `questions.formula.formula` has the sympy expressions.

        of          metrics such as "max_rate" or "demand('cpu')"; the main ones if left out.
        solve_for   tell this parameter as a formula of the metric, whose value is `value` or that of the model.
        expand      put the definitions of parameters into the formulas.
        keep        parameters that stay names, all others become numbers; all stay if left out.
        """
        from qnet.questions.formula.formula import formula, formula_report

        kept = None if keep is None else _texts(keep)
        return formula_report(formula(self, of, solve_for, value, expand, kept))

    def knee(
        self,
        vary: str = "",
        limit: Texts = (),
        multiple: float | None = None,
        definition: Texts = (),
        method: str = "auto",
        operations: float = 1e10,
    ) -> Report:
        """Where the curve of response against load breaks, by each definition, as `qnet knee`.

        vary         the parameter that brings the customers; all that do if left out.
        limit        service levels, such as "response <= 1 s"; those that the model states under [knee] if left out.
        multiple     of open classes, how many times its floor the response may be.
        definition   only these, such as "n_star" or "service_level".
        """
        from qnet.questions.knee.report import knee_report

        return knee_report(self, vary, _texts(limit), multiple, _texts(definition), _wanted(method, operations))

    def bottleneck(self, faster: float = 2.0, method: str = "auto", operations: float = 1e10) -> Report:
        """Where the time goes, what is full first, and what would help, as `qnet bottleneck`.

        faster   by what the speed of a station is multiplied in the changes that are tried, above 1.
        """
        from qnet.questions.bottleneck.report import bottleneck_report

        return bottleneck_report(self, faster, _wanted(method, operations))

    def why(self, faster: float = 2.0, method: str = "auto", operations: float = 1e10) -> Report:
        """Why the system responds as it does, in words, as `qnet why`; arguments as for `bottleneck`."""
        from qnet.questions.why.why import why_report

        return why_report(self, faster, _wanted(method, operations))


def load(system: str) -> System:
    """The system of a catalog name, a path or `-` for standard input, checked.

    Raises `UsageError` for what is not there, `InvalidInput` with everything that is wrong with the model.
    """
    from qnet.model.load import load as load_model

    return System(*load_model(system))


def validate(study: str = "", claims: bool = False) -> Report:
    """The published figures of a study of the catalog held against its models, as `qnet validate`.

    study    its name; empty for the account of all of the catalog.
    claims   every claim of all of them, and not the account.
    Raises   `UsageError` for a study that is not there, `InvalidInput` for what is wrong with one. Claims that are
             missed raise nothing: those without a reason stand in `broken` of the report.
    """
    from qnet.questions.study.validate_report import validate_report

    return validate_report(study, claims=claims)


def study(name: str) -> Report:
    """A study of the catalog as a story, as `qnet study`: question, answer, predictions beside their nulls, picture,
    what-ifs, and what it cannot tell.

    Raises   `UsageError` for a study that is not there or tells no story, `InvalidInput` for what is wrong with one,
             `NoAnswer` or `NotComputed` where a question of the story has no answer.
    """
    from qnet.questions.study.report import study_report

    return study_report(name)
