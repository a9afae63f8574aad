"""`qnet.load`: a model with its questions one call away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from qnet.model.model import Model

if TYPE_CHECKING:
    from qnet.questions.tables import Rows
    from qnet.reports.report import Report


class System(Model):
    """A checked model, and what can be asked of it. Every question gives a `Report`, as its command does.

        system = qnet.load("ibm-3990-6").set(rate="900/s", write_fraction=0.2)
        system.metric("utilization('back_end')")
        system.envelope(limit="response <= 10 ms", over=["write_fraction=0:0.5:0.1"]).records()

    A report prints as the table of the command line, shows as tables in a notebook, gives its rows by `records()`, and
    any form of output by `text("csv")`.
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
        from qnet.questions.solve import metric_value

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
        from qnet.questions.solve import solve_report

        wanted = Wanted(method, states, operations, memory, servers_correction, core_solutions, bounds=bounds)
        return solve_report(self, wanted)

    def envelope(
        self,
        *names: str,
        vary: str = "",
        limit: str | Sequence[str] = (),
        over: Sequence[str] = (),
        route: str = "",
        find: str = "",
        crossings: bool = False,
    ) -> Report:
        """The largest or the smallest value of a parameter at which limits hold, along a grid, as `qnet envelope`.

        names      envelopes that the model states; none for all of them, or for one of its own where a limit is given.
        vary       the parameter; the one that drives the arrivals, or else the population, if left out.
        limit      what must hold, such as "response <= 10 ms", or several: all must.
        over       grids, such as "write_fraction=0:0.5:0.1".
        route      limit the response of this route instead of the mean.
        find       "largest" or "smallest"; if left out, the one that the limits stop.
        crossings  a row for every interval in which the limits hold.
        """
        from qnet.questions.envelope import envelope
        from qnet.questions.envelope_question import questions
        from qnet.questions.envelope_report import envelope_report

        asked = questions(self, names, vary, limit, over, route, find)
        return envelope_report(self, [envelope(question) for question in asked], every=crossings)

    def cost(
        self,
        *names: str,
        of: Sequence[str] = (),
        per: str = "1",
        work: Sequence[str] = (),
        class_name: str = "",
        routes: Sequence[str] = (),
        unit: str = "",
        over: Sequence[str] = (),
        against: Model | None = None,
    ) -> Report:
        """Server time per unit of something, as `qnet cost`.

        names     costs that the model states; none for all of them.
        of        instead of names: stations, or "all"; the arguments after it say more of such a cost.
        over      grids, such as "users=200,300".
        against   a system to compare with.
        """
        from qnet.questions.cost import cost
        from qnet.questions.cost_report import cost_report

        found = cost(self, names, of, per, class_name, routes, unit, over, work)
        other = cost(against, names, of, per, class_name, routes, unit, over, work) if against else None
        return cost_report(found, other)

    def sensitivity(self, of: Sequence[str] = (), by: Sequence[str] = ()) -> Report:
        """Derivatives and elasticities of metrics with respect to parameters, ranked, as `qnet sensitivity`."""
        from qnet.questions.sensitivity import sensitivity
        from qnet.questions.sensitivity_report import sensitivity_report

        return sensitivity_report(sensitivity(self, of, by))

    def tornado(
        self, of: Sequence[str] = (), by: Sequence[str] = (), ranges: Sequence[str] = (), within: str = ""
    ) -> Report:
        """Metrics at both ends of the range of every parameter, as `qnet sensitivity --tornado`."""
        from qnet.questions.uncertainty import tornado
        from qnet.questions.uncertainty_report import tornado_report

        return tornado_report(tornado(self, of, by, ranges, within))

    def uncertainty(
        self,
        sample: int = 1000,
        seed: int = 1,
        of: Sequence[str] = (),
        by: Sequence[str] = (),
        ranges: Sequence[str] = (),
        within: str = "",
        spread: Sequence[str] = (),
        shape: str = "uniform",
    ) -> Report:
        """Mean, deviation and percentiles of metrics over random parameters, as `qnet sensitivity --sample`."""
        from qnet.questions.uncertainty import sampled
        from qnet.questions.uncertainty_report import uncertainty_report

        return uncertainty_report(sampled(self, sample, seed, of, by, ranges, within, spread, shape))

    def calibrate(
        self,
        measured: Rows,
        fit: Sequence[str],
        metrics: Sequence[str] = (),
        between: Sequence[str] = (),
        hold_out: str = "",
        absolute: bool = False,
        starts: int = 4,
    ) -> Report:
        """Parameters from measurements with their errors, as `qnet calibrate`.

        measured  a CSV file, or rows as mappings such as {"users": 50, "response_s": 0.31}.
        fit       the parameters.
        metrics   what to fit on, such as "response"; every measured column if left out.
        between   ranges, such as "cpu=1ms:20ms".
        hold_out  rows that only test the fit: a number of them at the end, or a condition such as "users > 100".
        absolute  errors are the same at every row, not proportional to the measurement.
        starts    how many starts to search from.
        """
        from qnet.questions.calibrate import calibrate
        from qnet.questions.calibrate_report import calibration_report

        return calibration_report(calibrate(self, measured, fit, metrics, between, hold_out, absolute, starts))

    def demands(self, measured: Rows, servers: Sequence[str] = (), background: bool = False) -> Report:
        """Service demands from utilizations and throughputs, as `qnet calibrate SYSTEM MEASURED.csv --demands`.

        servers     servers of stations where the model is not to say them, such as "cpu=4".
        background  whether to find also what is busy without any throughput.
        """
        from qnet.questions.demands import demands_of
        from qnet.questions.demands_report import demands_report

        return demands_report(demands_of(measured, self, servers, background))

    def sweep(self, *vary: str, metrics: Sequence[str] = (), method: str = "auto") -> Report:
        """Every metric along grids of parameters, as `qnet sweep`.

        vary      grids such as "users=1:300"; several make every combination, "a=1,2 & b=3,4" goes in step.
        metrics   such as "response"; all of them if left out.
        """
        from qnet.networks.wanted import AUTO
        from qnet.questions.sweep import sweep
        from qnet.questions.sweep_report import sweep_report

        return sweep_report(sweep(self, vary, metrics, AUTO.replace(method=method)), chosen=bool(metrics))

    def compare(self, *others: Model, metrics: Sequence[str] = ()) -> Report:
        """The metrics of this system beside those of others, with ratios, as `qnet compare`.

        others   systems, or this one with other parameters: `system.compare(system.set(users=250))`.
        """
        from qnet.questions.compare import compare
        from qnet.questions.compare_report import compare_report

        return compare_report(compare((self, *others), metrics))

    def formula(self, *of: str, solve_for: str = "", value: str = "", expand: bool = False) -> Report:
        """The closed form itself, as `qnet formula`; `questions.formula.formula` has the sympy expressions.

        of          metrics such as "max_rate" or "demand('cpu')"; the main ones if left out.
        solve_for   tell this parameter as a formula of the metric, whose value is `value` or that of the model.
        expand      put the definitions of parameters into the formulas.
        """
        from qnet.questions.formula import formula
        from qnet.questions.formula_report import formula_report

        return formula_report(formula(self, of, solve_for, value, expand))

    def knee(
        self,
        vary: str = "",
        limits: Sequence[str] = (),
        multiple: float = 2.0,
        definitions: Sequence[str] = (),
        method: str = "auto",
        operations: float = 1e10,
    ) -> Report:
        """Where the curve of response against load breaks, by each definition, as `qnet knee`.

        vary         the parameter that brings the customers; all that do if left out.
        limits       service levels, such as "response <= 1 s".
        multiple     of open classes, how many times its floor the response may be.
        definitions  only these, such as "n_star" or "service_level".
        """
        from qnet.networks.wanted import Wanted
        from qnet.questions.knee_report import knee_report

        return knee_report(self, vary, limits, multiple, definitions, Wanted(method, operations=operations))

    def bottleneck(self, faster: float = 2.0, method: str = "auto") -> Report:
        """Where the time goes, what is full first, and what would help, as `qnet bottleneck`.

        faster   by what the speed of a station is multiplied in the changes that are tried, above 1.
        """
        from qnet.networks.wanted import AUTO
        from qnet.questions.bottleneck_report import bottleneck_report

        return bottleneck_report(self, faster, AUTO.replace(method=method))

    def why(self, faster: float = 2.0, method: str = "auto") -> Report:
        """Why the system responds as it does, in words, as `qnet why`; arguments as for `bottleneck`."""
        from qnet.networks.wanted import AUTO
        from qnet.questions.why_report import why_report

        return why_report(self, faster, AUTO.replace(method=method))


def load(system: str) -> System:
    """The system of a catalog name, a path or `-` for standard input, checked.

    Raises `UsageError` for what is not there, `InvalidInput` with everything that is wrong with the model.
    """
    from qnet.model.load import load as load_model

    return System(*load_model(system))
