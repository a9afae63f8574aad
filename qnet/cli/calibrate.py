"""`qnet calibrate`: parameters from measurements, and service demands from utilizations."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from qnet.cli.options import (
    OutputOptions,
    collect,
)
from qnet.cli.shared_options import method
from qnet.record import Record

if TYPE_CHECKING:
    from qnet.questions.calibrate.calibrate import Calibration
    from qnet.questions.calibrate.candidates import Candidate
    from qnet.questions.map.tables import DataTable
    from qnet.reports.content import Note


def run(given: tuple[str, ...], servers: tuple[str, ...], demands: bool, background: bool, **options: Any) -> None:
    """Fit one system, rank several, or estimate demands."""
    wanted, output = method(options), collect(options)
    if len(given) < 1 + (not demands):
        raise click.UsageError("MEASURED.csv is missing, expected a SYSTEM and measurements, or --demands")
    request = _Request(
        systems=given[:-1], measured=given[-1], wanted=wanted, output=output, servers=servers, background=background,
        **{name: options[name] for name in _OPTIONS},
    )  # fmt: skip
    if demands:
        _estimate_demands(request)
        return
    if servers or background:
        raise click.UsageError("--servers and --background need --demands")
    if len(request.systems) > 1:
        _rank(request)
    else:
        _fit(request)


_OPTIONS = ("settings", "fit", "metric", "between", "column", "melt", "hold_out", "error", "absolute", "starts",
            "strict", "written", "asserted")  # fmt: skip


class _Request(Record):
    """The arguments of the command."""

    systems: tuple[str, ...]
    measured: str
    wanted: Any
    output: OutputOptions
    servers: tuple[str, ...]
    background: bool
    settings: tuple[str, ...]
    fit: tuple[str, ...]
    metric: tuple[str, ...]
    between: tuple[str, ...]
    column: tuple[str, ...]
    melt: tuple[str, ...]
    hold_out: str
    error: tuple[str, ...]
    absolute: bool
    starts: int | None
    strict: bool
    written: str | None
    asserted: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """The parameters to be fitted."""
        return [name.strip() for text in self.fit for name in text.split(",") if name.strip()]

    def arguments(self, wanted: Any) -> Any:
        """The arguments of a fit after the model and the measurements."""
        from qnet.questions.calibrate.calibrate import SEARCHES

        search = (self.names, self.metric, self.between, self.hold_out, self.absolute, self.starts or SEARCHES)
        return (*search, wanted, self.error, self.strict)

    def table(self, model: Any) -> DataTable:
        """The measurements, with columns renamed and wide rows melted."""
        from qnet.questions.calibrate.shape import read_shaped

        return read_shaped(self.measured, self.column, self.melt, model)


def _estimate_demands(request: _Request) -> None:
    """Report service demands, and write them as a model if requested."""
    fitting = [
        getattr(request, name) for name in ("fit", "metric", "between", "error", "absolute", "starts", "asserted")
    ]
    if any(fitting) or (request.settings and not request.systems) or len(request.systems) > 1:
        text = "--demands takes only --servers, --background, --column, --melt, --hold-out and --write"
        raise click.UsageError(f"{text}, no options of a fit")
    from qnet.cli.output import ready, write
    from qnet.questions.calibrate.demands import demands_of
    from qnet.questions.calibrate.demands_report import demands_report

    ready(request.output)
    if request.written:
        ready(OutputOptions(format="table", path=request.written, color="never", ascii=True))
    model = _model(request.systems[0], request.settings, request.measured) if request.systems else None
    table = request.table(model)
    result = demands_of(table, model, request.servers, request.background, request.hold_out, request.strict)
    notes: tuple[Note, ...] = ()
    if request.written:
        from qnet.questions.calibrate.demands_model import demands_model

        text, notes = demands_model(result)
        _write_model(text, request.written, {})
    report = demands_report(result, notes)
    with _counted(result.table):
        if request.written == "-" and request.output.path == "-":
            _judge(report)
        else:
            write(report, request.output)


def _rank(request: _Request) -> None:
    """Report several candidates, the best first."""
    if request.written or request.asserted:
        raise click.UsageError("--write and --assert need exactly one SYSTEM")
    from qnet.cli.output import ready, write
    from qnet.questions.calibrate.calibrate import refuse_without_fit
    from qnet.questions.calibrate.candidates import candidates_report

    refuse_without_fit(request.names)
    ready(request.output)
    ranked = _ranked(request)
    fitted = next(item.fit for item in ranked if item.fit)
    with _counted(fitted.measured.table):
        write(candidates_report(ranked), request.output)


def _fit(request: _Request) -> None:
    """Report the fit of one system, and write the fitted model if requested."""
    from qnet.cli.output import ready, write_incomplete
    from qnet.cli.progress import finishing, watched
    from qnet.questions.calibrate.calibrate import calibrate, refuse_without_fit
    from qnet.questions.calibrate.report import calibration_report
    from qnet.questions.presentation.assertions import conditions

    names, written = request.names, request.written
    refuse_without_fit(names)
    ready(request.output)
    model = _model(request.systems[0], request.settings, request.measured)
    conditions(request.asserted, model)
    if written:
        from qnet.model.rewrite import refuse_elsewhere

        ready(OutputOptions(format="table", path=written, color="never", ascii=True))
        refuse_elsewhere(model, tuple(name for name in names if name in model.parameters))
    with watched(request.wanted) as wanted:
        result = calibrate(model, request.table(model), *request.arguments(wanted), keep=True)
    with finishing():
        if result.stopped:
            to_output = written != "-" or request.output.path != "-"
            with _counted(result.measured.table):
                write_incomplete(calibration_report(result), request.output, to_output)
                raise result.stopped.error
        _report_fit(request, model, result)


def _report_fit(request: _Request, model: Any, result: Calibration) -> None:
    """Write the report of a fit, and the fitted model if requested."""
    from qnet.cli.output import write
    from qnet.questions.calibrate.calibrate import fitted_point
    from qnet.questions.calibrate.report import calibration_report, doubt_of, fitted_on

    written = request.written
    report = calibration_report(result, request.asserted)
    if written:
        from qnet.model.rewrite import rewritten

        text = rewritten(model, fitted_point(result), fitted_on(result), doubt_of(result))
        _write_model(text, written, model.settings)
    with _counted(result.measured.table):
        if written == "-" and request.output.path == "-":
            _judge(report)
        else:
            write(report, request.output)


def _model(system: str, settings: tuple[str, ...], measured: str) -> Any:
    if system == measured == "-":
        raise click.UsageError("- is given for the model and the measurements; name a FILE for one of them")
    from qnet.cli.system import open_system

    return open_system(system, settings)


def _counted(table: DataTable) -> AbstractContextManager[None]:
    """Report the number of rows in the last line on standard error, where some cannot be read."""
    from qnet.cli.failures import reporting_last

    return reporting_last(table.tally) if table.unread else nullcontext()


def _ranked(request: _Request) -> tuple[Candidate, ...]:
    """The candidates, the best first; each gets the settings of those parameters that it has."""
    from qnet.cli.progress import watched
    from qnet.cli.system import open_system
    from qnet.errors import Problem, UsageError
    from qnet.model.settings import parse_settings, with_settings
    from qnet.questions.calibrate.candidates import candidates

    if [*request.systems, request.measured].count("-") > 1:
        raise click.UsageError("- is given twice; name a FILE for all but one")
    stated = parse_settings(request.settings)
    models = [open_system(system, ()) for system in request.systems]
    unknown = [name for name in stated if not any(name in model.parameters for model in models)]
    if unknown:
        raise UsageError(*(Problem("QN004", f'no candidate has a parameter "{name}"') for name in unknown))
    known = [{name: text for name, text in stated.items() if name in model.parameters} for model in models]
    changed = [with_settings(model, texts) for model, texts in zip(models, known, strict=True)]
    with watched(request.wanted) as wanted:
        return candidates(changed, request.table(changed[0]), *request.arguments(wanted))


def _write_model(text: str, path: str, settings: dict[str, str]) -> None:
    """Write a model with fitted values; a note lists the settings of the run, which the model does not contain."""
    from qnet.cli.failures import write_line
    from qnet.cli.output import deliver, on_screen

    output = OutputOptions(format="table", path=path, color="never", ascii=True)
    deliver((on_screen(text) if path == "-" else text).encode(), output)
    if settings:
        listed = " ".join(f"-p {name}={value}" for name, value in settings.items())
        write_line(f"qnet: note: the written model does not include {listed}, which the fit used [QN637]")


def _judge(report: Any) -> None:
    """Print the notes and judge the assertions of a report that is not written, because the model takes its place."""
    from qnet.cli.output import write_notes
    from qnet.errors import AssertionFailed

    write_notes(report.notes)
    if report.broken:
        raise AssertionFailed(*report.broken)
