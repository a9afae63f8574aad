"""`qnet calibrate`: parameters from measurements, and service demands from utilizations."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.method_options import method, method_options
from qnet.cli.options import (
    Output,
    assert_option,
    collect,
    complete_system,
    metric_option,
    output_options,
    parameter_option,
    said,
)


@click.command("calibrate")
@click.argument("given", metavar="SYSTEM... MEASURED.csv", nargs=-1, callback=said, shell_complete=complete_system)
@parameter_option
@click.option("--fit", multiple=True, metavar="NAMES", callback=said, help="Parameters to find, such as seek,read_hit.")
@metric_option
@click.option("--between", multiple=True, metavar="NAME=LOW:HIGH", callback=said,
              help="Where to look, else in the range that the model states.")  # fmt: skip
@click.option("--hold-out", metavar="ROWS", callback=said,
              help="Rows that only test the fit: so many at the end, or a condition: 'rate > 900/s'.")  # fmt: skip
@click.option("--error", "errors", multiple=True, metavar="ERROR", callback=said,
              help="Standard error of the measurements: 1%, '2 ms', or of one metric, 'response=2%'.")  # fmt: skip
@click.option("--absolute", is_flag=True, help="Errors are the same at every row, not proportional to the measurement.")
@click.option("--starts", type=click.IntRange(1, 1000), metavar="COUNT",
              help="Search from so many starts, spread over the ranges, else 4 or more.")  # fmt: skip
@click.option("--write", "written", metavar="FILE.toml", callback=said,
              help="Write the model with the fitted values there; - writes it instead of the answer.")  # fmt: skip
@click.option("--demands", is_flag=True, help="Service demands from utilizations and throughputs; no SYSTEM is needed.")
@click.option("--servers", multiple=True, metavar="NAME=NUMBER", callback=said,
              help="Beside --demands: servers of a station, else those of the SYSTEM, or 1.")  # fmt: skip
@click.option("--background", is_flag=True, help="Beside --demands: also the utilization without any throughput.")
@method_options
@assert_option
@output_options
def command(given: tuple[str, ...], settings: tuple[str, ...], fit: tuple[str, ...], metrics: tuple[str, ...],
            between: tuple[str, ...], hold_out: str | None, errors: tuple[str, ...], absolute: bool,
            starts: int | None, written: str | None, demands: bool, servers: tuple[str, ...], background: bool,
            asserted: tuple[str, ...], **options: Any) -> None:  # fmt: skip
    """Parameters from measurements, with their errors.

    MEASURED.csv has a row for each measurement. Columns named like parameters, with or without the unit at the end
    (users, rate_per_s), are the conditions of the row; columns named like figures or outputs, as qnet sweep writes
    them (response_s, throughput_per_s, utilization_cpu), are what was measured; a column weight, and a column hold_out
    for rows that only test the fit. Cells are numbers in the unit of the column, or quantities such as 12 ms.

    Least squares of ln(modelled / measured), which takes errors as proportional to the measurement, or with --absolute
    of modelled - measured: by Levenberg's and Marquardt's method inside the ranges of the parameters, positive ones in
    their logarithm. A minimum is proven (Bates and Watts 1981) or refused. --assert is judged with the fitted values,
    everything else as stated.

    The standard error of a measurement is stated by --error or in a column of the same name with _error behind it
    (response_s_error), a number, a quantity or a share such as 2 %. Without either it is one common share, as large as
    the residuals scatter (Paule and Mandel 1982), beside half of the last printed digit. Residuals that scatter more
    than stated errors are told. Intervals hold 95 %: by the covariance of the parameters and Student's t where the
    model is straight enough, else by profiles of the sum of squares (Bates and Watts 1988), which may be open to a
    side: these rows do not determine it. A row that is held out is told with its prediction interval.

    With several SYSTEMs, candidates: each is fitted with those of --fit that it has, and again without each row; they
    are ranked by their error at the rows left out (Stone 1974), because the best fit may predict worst.

    --write keeps standard errors and correlations as [calibration] in the model, by which qnet solve, sweep, envelope,
    map, compare, knee and cost tell intervals.

    With --demands: service demands per station and class by the utilization law, U = sum of X D over classes (Denning
    and Buzen 1978), as non-negative least squares over all rows (Bard and Shatzoff 1978; Rolia and Vetland 1995; Zhang,
    Cherkasova and Smirni 2007). Columns are utilization_STATION, and throughput or throughput_CLASS, per second.

    \b
    Examples:
      qnet calibrate ibm-3990-6 examples/measured-3990-6.csv --fit cu.miss_remainder,destages_per_write
      qnet calibrate ibm-3990-6 examples/measured-3990-6.csv --fit cu.miss_remainder --hold-out 'rate > 700/s'
      qnet calibrate ./web.toml runs.csv --fit cpu --error 2% --write - > fitted.toml
      qnet calibrate ./simple.toml ./detailed.toml runs.csv --fit cpu,disk --csv > ranked.csv
      qnet calibrate --demands examples/measured-intervals.csv --servers cpu=2 --background
    """
    from qnet.cli.output import ready, write
    from qnet.cli.progress import watched

    wanted, output = method(options), collect(options)
    if not given:
        raise click.UsageError("found no MEASURED.csv, expected a SYSTEM and measurements; or --demands")
    *systems, measured = given
    if demands:
        fitting = (fit, metrics, between, errors, absolute, starts, written, asserted, settings and not systems)
        _refuse_beside_demands(*fitting, len(systems) > 1)
        from qnet.questions.calibrate.demands import demands_of
        from qnet.questions.calibrate.demands_report import demands_report

        ready(output)
        model = _model(systems[0], settings, measured) if systems else None
        write(demands_report(demands_of(measured, model, servers, background, hold_out or "")), output)
        return
    if not systems:
        raise click.UsageError("found no MEASURED.csv, expected a SYSTEM and measurements; or --demands")
    if servers or background:
        raise click.UsageError("found --servers or --background without --demands, expected both")
    from qnet.questions.calibrate.calibrate import SEARCHES, calibrate, fitted_point, refuse_without_fit

    names = [name.strip() for text in fit for name in text.split(",") if name.strip()]
    asked = (names, metrics, between, hold_out or "", absolute, starts or SEARCHES)
    if len(systems) > 1:
        if written or asserted:
            raise click.UsageError("found --write or --assert beside several SYSTEMs, expected one of them alone")
        refuse_without_fit(names)
        ready(output)
        write(_ranked(systems, measured, settings, asked, wanted, errors), output)
        return
    from qnet.questions.calibrate.report import calibration_report, doubt_of, fitted_on
    from qnet.questions.presentation.assertions import conditions

    refuse_without_fit(names)
    ready(output)
    model = _model(systems[0], settings, measured)
    conditions(asserted, model)
    if written:
        from qnet.model.rewrite import refuse_elsewhere

        _ready_to_write(written, measured)
        refuse_elsewhere(model, tuple(name for name in names if name in model.parameters))
    with watched(wanted) as wanted:
        found = calibrate(model, measured, *asked, wanted, errors)
    report = calibration_report(found, asserted)
    if written:
        from qnet.model.rewrite import rewritten

        text = rewritten(model, fitted_point(found), fitted_on(found), doubt_of(found))
        _write_model(text, written, model.settings)
    if written == "-" and output.path == "-":
        _judge(report)
    else:
        write(report, output)


def _model(system: str, settings: tuple[str, ...], measured: str) -> Any:
    if system == measured == "-":
        raise click.UsageError("found - for the model and for the measurements, expected a FILE for one of them")
    from qnet.cli.system import open_system

    return open_system(system, settings)


def _ranked(
    systems: list[str], measured: str, settings: tuple[str, ...], asked: Any, wanted: Any, errors: tuple[str, ...]
) -> Any:
    """The report on several candidates; each gets those of the settings that it has."""
    from qnet.cli.progress import watched
    from qnet.cli.system import open_system
    from qnet.errors import Problem, UsageError
    from qnet.model.settings import parse_settings, with_settings
    from qnet.questions.calibrate.candidates import candidates, candidates_report

    if [*systems, measured].count("-") > 1:
        raise click.UsageError("found - twice, expected a FILE for all but one")
    stated = parse_settings(settings)
    models = [open_system(system, ()) for system in systems]
    unknown = [name for name in stated if not any(name in model.parameters for model in models)]
    if unknown:
        raise UsageError(*(Problem("QN004", f'no candidate has a parameter "{name}"') for name in unknown))
    own = [{name: text for name, text in stated.items() if name in model.parameters} for model in models]
    changed = [with_settings(model, texts) for model, texts in zip(models, own, strict=True)]
    with watched(wanted) as wanted:
        every: list[Any] = [*asked, wanted, errors]
        return candidates_report(candidates(changed, measured, *every))


def _refuse_beside_demands(*given: object) -> None:
    if any(given):
        raise click.UsageError("found --demands beside options of a fit, expected --servers, --background, --hold-out")


def _ready_to_write(path: str, measured: str) -> None:
    """Refuse to write over the measurements, and make sure that the file can be written."""
    import os
    from pathlib import Path

    from qnet.cli.output import ready
    from qnet.errors import Problem, UsageError

    both = "-" not in (path, measured) and os.path.exists(path) and os.path.exists(measured)
    if both and Path(path).samefile(measured):
        raise UsageError(Problem("QN005", "the model would be written over the measurements", "another file"))
    ready(Output("table", path, "never", True))


def _write_model(text: str, path: str, settings: dict[str, str]) -> None:
    """Write a model with fitted values; what was set for the run is not in it, and that is said."""
    from qnet.cli.failures import tell
    from qnet.cli.output import deliver

    deliver(text.encode(), Output("table", path, "never", True))
    if settings:
        told = " ".join(f"-p {name}={value}" for name, value in settings.items())
        tell(f"qnet: note: the model was written without {told}, which the fit was made with [QN637]")


def _judge(report: Any) -> None:
    """Notes and assertions of an answer that is not written, because the model is."""
    from qnet.cli.output import tell_notes
    from qnet.errors import AssertionFailed

    tell_notes(report.notes)
    if report.broken:
        raise AssertionFailed(*report.broken)
