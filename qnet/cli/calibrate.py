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
@click.option("--fit", multiple=True, metavar="NAMES", callback=said, help="Parameters to fit, such as seek,read_hit.")
@metric_option
@click.option("--between", multiple=True, metavar="NAME=LOW:HIGH", callback=said,
              help="Search range (default: the range in the model).")  # fmt: skip
@click.option("--hold-out", metavar="ROWS", callback=said,
              help="Rows used only for testing: a number of last rows, or a condition: 'rate > 900/s'.")  # fmt: skip
@click.option("--error", "errors", multiple=True, metavar="ERROR", callback=said,
              help="Standard error of the measurements: 1%, '2 ms', or of one metric, 'response=2%'.")  # fmt: skip
@click.option("--absolute", is_flag=True, help="Errors have the same size in every row instead of being proportional.")
@click.option("--starts", type=click.IntRange(1, 1000), metavar="COUNT",
              help="Starting points, spread over the ranges (default: 4 or more).")  # fmt: skip
@click.option("--write", "written", metavar="FILE.toml", callback=said,
              help="Write the fitted model to FILE.toml; - writes it instead of the report.")  # fmt: skip
@click.option("--demands", is_flag=True, help="Estimate service demands from utilizations; SYSTEM is optional.")
@click.option("--servers", multiple=True, metavar="NAME=NUMBER", callback=said,
              help="With --demands: servers of a station (default: as in SYSTEM, or 1).")  # fmt: skip
@click.option("--background", is_flag=True, help="With --demands: also fit the utilization at zero throughput.")
@method_options
@assert_option
@output_options
def command(given: tuple[str, ...], settings: tuple[str, ...], fit: tuple[str, ...], metrics: tuple[str, ...],
            between: tuple[str, ...], hold_out: str | None, errors: tuple[str, ...], absolute: bool,
            starts: int | None, written: str | None, demands: bool, servers: tuple[str, ...], background: bool,
            asserted: tuple[str, ...], **options: Any) -> None:  # fmt: skip
    """Estimate parameters and their errors from measurements.

    MEASURED.csv has one row per measurement. Columns named like parameters, with or without a unit suffix (users,
    rate_per_s), are the operating point of the row; columns named like metrics or outputs, as qnet sweep writes them
    (response_s, throughput_per_s, utilization_cpu), are measured values. Optional columns: weight, and hold_out for
    rows used only to test the fit. Cells are numbers in the unit of the column, or quantities such as 12 ms.

    The fit minimizes the squares of ln(modelled / measured), for errors proportional to the measurement, or with
    --absolute of modelled - measured, by the Levenberg-Marquardt method within the ranges of the parameters; positive
    parameters are fitted in their logarithm. A minimum is proven (Bates and Watts 1981) or the fit is refused. --assert
    is evaluated at the fitted values.

    The standard error of a measurement is given by --error or by a column with the suffix _error (response_s_error), as
    a number, a quantity or a percentage such as 2 %. Without either, one common relative error is estimated from the
    scatter of the residuals (Paule and Mandel 1982), plus half of the last printed digit. A warning reports residuals
    that scatter more than the stated errors. Confidence intervals are 95 %: from the covariance of the parameters and
    Student's t where the model is nearly linear, otherwise from profiles of the sum of squares (Bates and Watts 1988).
    A profile may be open on one side: the rows do not determine that bound. Each held-out row comes with its prediction
    interval.

    With several SYSTEMs, each candidate is fitted with those of the --fit parameters that it has, and again with each
    row left out. Candidates are ranked by their error at the rows left out (Stone 1974), because the best fit is not
    always the best predictor.

    --write stores standard errors and correlations as [calibration] in the model; qnet solve, sweep, envelope, map,
    compare, knee and cost then report confidence intervals.

    With --demands: service demands per station and class from the utilization law, U = sum of X D over classes (Denning
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
        raise click.UsageError("MEASURED.csv is missing, expected a SYSTEM and measurements, or --demands")
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
        raise click.UsageError("MEASURED.csv is missing, expected a SYSTEM and measurements, or --demands")
    if servers or background:
        raise click.UsageError("--servers and --background need --demands")
    from qnet.questions.calibrate.calibrate import SEARCHES, calibrate, fitted_point, refuse_without_fit

    names = [name.strip() for text in fit for name in text.split(",") if name.strip()]
    asked = (names, metrics, between, hold_out or "", absolute, starts or SEARCHES)
    if len(systems) > 1:
        if written or asserted:
            raise click.UsageError("--write and --assert need exactly one SYSTEM")
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
        result = calibrate(model, measured, *asked, wanted, errors)
    report = calibration_report(result, asserted)
    if written:
        from qnet.model.rewrite import rewritten

        text = rewritten(model, fitted_point(result), fitted_on(result), doubt_of(result))
        _write_model(text, written, model.settings)
    if written == "-" and output.path == "-":
        _judge(report)
    else:
        write(report, output)


def _model(system: str, settings: tuple[str, ...], measured: str) -> Any:
    if system == measured == "-":
        raise click.UsageError("- is given for the model and the measurements; name a FILE for one of them")
    from qnet.cli.system import open_system

    return open_system(system, settings)


def _ranked(
    systems: list[str], measured: str, settings: tuple[str, ...], asked: Any, wanted: Any, errors: tuple[str, ...]
) -> Any:
    """The report on several candidates; each takes those of the settings that it has."""
    from qnet.cli.progress import watched
    from qnet.cli.system import open_system
    from qnet.errors import Problem, UsageError
    from qnet.model.settings import parse_settings, with_settings
    from qnet.questions.calibrate.candidates import candidates, candidates_report

    if [*systems, measured].count("-") > 1:
        raise click.UsageError("- is given twice; name a FILE for all but one")
    stated = parse_settings(settings)
    models = [open_system(system, ()) for system in systems]
    unknown = [name for name in stated if not any(name in model.parameters for model in models)]
    if unknown:
        raise UsageError(*(Problem("QN004", f'no candidate has a parameter "{name}"') for name in unknown))
    known = [{name: text for name, text in stated.items() if name in model.parameters} for model in models]
    changed = [with_settings(model, texts) for model, texts in zip(models, known, strict=True)]
    with watched(wanted) as wanted:
        every: list[Any] = [*asked, wanted, errors]
        return candidates_report(candidates(changed, measured, *every))


def _refuse_beside_demands(*given: object) -> None:
    if any(given):
        raise click.UsageError("--demands takes only --servers, --background and --hold-out, no options of a fit")


def _ready_to_write(path: str, measured: str) -> None:
    """Refuse to write over the measurements, and make sure that the file can be written."""
    import os
    from pathlib import Path

    from qnet.cli.output import ready
    from qnet.errors import Problem, UsageError

    both = "-" not in (path, measured) and os.path.exists(path) and os.path.exists(measured)
    if both and Path(path).samefile(measured):
        raise UsageError(Problem("QN005", "the model would overwrite the measurements", "another file"))
    ready(Output("table", path, "never", True))


def _write_model(text: str, path: str, settings: dict[str, str]) -> None:
    """Write a model with fitted values; a note lists the settings of the run, which are not in it."""
    from qnet.cli.failures import tell
    from qnet.cli.output import deliver

    deliver(text.encode(), Output("table", path, "never", True))
    if settings:
        listed = " ".join(f"-p {name}={value}" for name, value in settings.items())
        tell(f"qnet: note: the written model does not include {listed}, which the fit used [QN637]")


def _judge(report: Any) -> None:
    """Notes and assertions of a report that is not written, because the model is."""
    from qnet.cli.output import tell_notes
    from qnet.errors import AssertionFailed

    tell_notes(report.notes)
    if report.broken:
        raise AssertionFailed(*report.broken)
