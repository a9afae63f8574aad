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
    asked = _Asked(
        systems=given[:-1], measured=given[-1], wanted=wanted, output=output, servers=servers, background=background,
        **{name: options[name] for name in _OPTIONS},
    )  # fmt: skip
    if demands:
        _estimate_demands(asked)
        return
    if servers or background:
        raise click.UsageError("--servers and --background need --demands")
    if len(asked.systems) > 1:
        _rank(asked)
    else:
        _fit(asked)


_OPTIONS = ("settings", "fit", "metric", "between", "column", "melt", "hold_out", "error", "absolute", "starts",
            "strict", "written", "asserted")  # fmt: skip


class _Asked(Record):
    """What the command is to do."""

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

        asked = (self.names, self.metric, self.between, self.hold_out, self.absolute, self.starts or SEARCHES)
        return (*asked, wanted, self.error, self.strict)

    def table(self, model: Any) -> DataTable:
        """The measurements, with columns renamed and wide rows melted."""
        from qnet.questions.calibrate.shape import read_shaped

        return read_shaped(self.measured, self.column, self.melt, model)


def _estimate_demands(asked: _Asked) -> None:
    """Report service demands, and write them as a model if asked."""
    fitting = (asked.fit, asked.metric, asked.between, asked.error, asked.absolute, asked.starts, asked.asserted)
    if any(fitting) or (asked.settings and not asked.systems) or len(asked.systems) > 1:
        text = "--demands takes only --servers, --background, --column, --melt, --hold-out and --write"
        raise click.UsageError(f"{text}, no options of a fit")
    from qnet.cli.output import ready, write
    from qnet.questions.calibrate.demands import demands_of
    from qnet.questions.calibrate.demands_report import demands_report

    ready(asked.output)
    if asked.written:
        ready(OutputOptions(format="table", path=asked.written, color="never", ascii=True))
    model = _model(asked.systems[0], asked.settings, asked.measured) if asked.systems else None
    table = asked.table(model)
    result = demands_of(table, model, asked.servers, asked.background, asked.hold_out, asked.strict)
    notes: tuple[Note, ...] = ()
    if asked.written:
        from qnet.questions.calibrate.demands_model import demands_model

        text, notes = demands_model(result)
        _write_model(text, asked.written, {})
    report = demands_report(result, notes)
    with _counted(result.table):
        if asked.written == "-" and asked.output.path == "-":
            _judge(report)
        else:
            write(report, asked.output)


def _rank(asked: _Asked) -> None:
    """Report several candidates in their order."""
    if asked.written or asked.asserted:
        raise click.UsageError("--write and --assert need exactly one SYSTEM")
    from qnet.cli.output import ready, write
    from qnet.questions.calibrate.calibrate import refuse_without_fit
    from qnet.questions.calibrate.candidates import candidates_report

    refuse_without_fit(asked.names)
    ready(asked.output)
    ranked = _ranked(asked)
    fitted = next(item.fit for item in ranked if item.fit)
    with _counted(fitted.measured.table):
        write(candidates_report(ranked), asked.output)


def _fit(asked: _Asked) -> None:
    """Report the fit of one system, and write the fitted model if asked."""
    from qnet.cli.output import ready, write_incomplete
    from qnet.cli.progress import finishing, watched
    from qnet.questions.calibrate.calibrate import calibrate, refuse_without_fit
    from qnet.questions.calibrate.report import calibration_report
    from qnet.questions.presentation.assertions import conditions

    names, written = asked.names, asked.written
    refuse_without_fit(names)
    ready(asked.output)
    model = _model(asked.systems[0], asked.settings, asked.measured)
    conditions(asked.asserted, model)
    if written:
        from qnet.model.rewrite import refuse_elsewhere

        ready(OutputOptions(format="table", path=written, color="never", ascii=True))
        refuse_elsewhere(model, tuple(name for name in names if name in model.parameters))
    with watched(asked.wanted) as wanted:
        result = calibrate(model, asked.table(model), *asked.arguments(wanted), keep=True)
    with finishing():
        if result.stopped:
            to_output = written != "-" or asked.output.path != "-"
            with _counted(result.measured.table):
                write_incomplete(calibration_report(result), asked.output, to_output)
                raise result.stopped.error
        _report_fit(asked, model, result)


def _report_fit(asked: _Asked, model: Any, result: Calibration) -> None:
    """Write the report of a fit, and the fitted model if asked."""
    from qnet.cli.output import write
    from qnet.questions.calibrate.calibrate import fitted_point
    from qnet.questions.calibrate.report import calibration_report, doubt_of, fitted_on

    written = asked.written
    report = calibration_report(result, asked.asserted)
    if written:
        from qnet.model.rewrite import rewritten

        text = rewritten(model, fitted_point(result), fitted_on(result), doubt_of(result))
        _write_model(text, written, model.settings)
    with _counted(result.measured.table):
        if written == "-" and asked.output.path == "-":
            _judge(report)
        else:
            write(report, asked.output)


def _model(system: str, settings: tuple[str, ...], measured: str) -> Any:
    if system == measured == "-":
        raise click.UsageError("- is given for the model and the measurements; name a FILE for one of them")
    from qnet.cli.system import open_system

    return open_system(system, settings)


def _counted(table: DataTable) -> AbstractContextManager[None]:
    """Counts the rows as the last line on standard error, where some cannot be read."""
    from qnet.cli.failures import reporting_last

    return reporting_last(table.tally) if table.unread else nullcontext()


def _ranked(asked: _Asked) -> tuple[Candidate, ...]:
    """The candidates in their order; each takes those of the settings that it has."""
    from qnet.cli.progress import watched
    from qnet.cli.system import open_system
    from qnet.errors import Problem, UsageError
    from qnet.model.settings import parse_settings, with_settings
    from qnet.questions.calibrate.candidates import candidates

    if [*asked.systems, asked.measured].count("-") > 1:
        raise click.UsageError("- is given twice; name a FILE for all but one")
    stated = parse_settings(asked.settings)
    models = [open_system(system, ()) for system in asked.systems]
    unknown = [name for name in stated if not any(name in model.parameters for model in models)]
    if unknown:
        raise UsageError(*(Problem("QN004", f'no candidate has a parameter "{name}"') for name in unknown))
    known = [{name: text for name, text in stated.items() if name in model.parameters} for model in models]
    changed = [with_settings(model, texts) for model, texts in zip(models, known, strict=True)]
    with watched(asked.wanted) as wanted:
        return candidates(changed, asked.table(changed[0]), *asked.arguments(wanted))


def _write_model(text: str, path: str, settings: dict[str, str]) -> None:
    """Write a model with fitted values; a note lists the settings of the run, which are not in it."""
    from qnet.cli.failures import write_line
    from qnet.cli.output import deliver, on_screen

    output = OutputOptions(format="table", path=path, color="never", ascii=True)
    deliver((on_screen(text) if path == "-" else text).encode(), output)
    if settings:
        listed = " ".join(f"-p {name}={value}" for name, value in settings.items())
        write_line(f"qnet: note: the written model does not include {listed}, which the fit used [QN637]")


def _judge(report: Any) -> None:
    """Notes and assertions of a report that is not written, because the model is."""
    from qnet.cli.output import write_notes
    from qnet.errors import AssertionFailed

    write_notes(report.notes)
    if report.broken:
        raise AssertionFailed(*report.broken)
