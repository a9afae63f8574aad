"""`qnet sensitivity`: how a metric depends on each parameter and on the uncertainty of parameters."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.complete import complete_metric, complete_parameter
from qnet.cli.method_options import method, method_options
from qnet.cli.network_options import asked, network_options, opened
from qnet.cli.options import Drawing, Renamed, assert_option, collect, output_options, plot_options, stated


@click.command("sensitivity", cls=Drawing)
@network_options
@click.option(
    "--metric",
    "--of",
    "of",
    cls=Renamed,
    multiple=True,
    metavar="METRIC",
    callback=stated,
    shell_complete=complete_metric,
    help="Metric, such as response. May be repeated.",
)
@click.option("--by", multiple=True, metavar="PARAMETER", callback=stated, shell_complete=complete_parameter,
              help="Only this parameter; may be derived.")  # fmt: skip
@click.option("--tornado", is_flag=True, help="Move each parameter over its range, the others fixed.")
@click.option("--corners", is_flag=True, help="Minimum and maximum over all combinations of range ends.")
@click.option("--sample", type=click.IntRange(2, 1_000_000), metavar="COUNT", help="Number of random points.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=1, metavar="NUMBER",
              help="With --sample: random seed (default: 1).")  # fmt: skip
@click.option("--shape", type=click.Choice(["uniform", "triangular"]), default="uniform", metavar="NAME",
              help="With --sample: uniform in a range (default), or triangular around the model's value.")  # fmt: skip
@click.option("--range", "ranges", multiple=True, metavar="NAME=LOW:HIGH", callback=stated,
              help="Range of a parameter (default: that of the catalog).")  # fmt: skip
@click.option("--within", metavar="SHARE", callback=stated, help="Range of all parameters without one, such as 10%.")
@click.option("--spread", multiple=True, metavar="NAME=SHARE", callback=stated,
              help="With --sample: lognormal, with this coefficient of variation, such as seek=10%.")  # fmt: skip
@plot_options
@method_options
@assert_option
@output_options
def command(of: tuple[str, ...], by: tuple[str, ...], tornado: bool,
            corners: bool, sample: int | None, seed: int, shape: str, ranges: tuple[str, ...], within: str | None,
            spread: tuple[str, ...], asserted: tuple[str, ...], **options: Any) -> None:  # fmt: skip
    """Compute how a metric depends on each parameter and on its uncertainty.

    By default: the elasticity of each metric with respect to each number of the model, (dM/dp) (p/M), in per cent of
    the metric per per cent of the parameter, and the derivative in base units. Derivatives are central differences with
    Richardson extrapolation (Richardson 1927) and its error estimate (Ridders 1982); where estimates disagree the steps
    are shortened, and a derivative that does not converge is refused. At the end of a range, and at kinks of the metric
    (max, min, where, interp), each one-sided derivative is listed. For integers, such as servers and users, the
    derivative is the difference to the next integer.

    With ranges, from low and high of the catalog, --range and --within: --tornado moves one parameter at a time from
    end to end; --corners combines all ends, which enclose a metric that is monotone in every parameter; --sample draws
    a Latin hypercube (McKay, Beckman and Conover 1979), reproducible by its seed, and reports mean, standard deviation
    and percentiles. Parameters are independent.

    \b
    Examples:
      qnet sensitivity ibm-3990-6 --plot
      qnet sensitivity --station cpu=120ms --station disk=50ms --arrival-rate 3/s
      qnet sensitivity ibm-3990-6 --metric response --metric "utilization('back_end')" --by cu.miss_remainder --by block
      qnet sensitivity ibm-3990-6 --tornado --within 10% --plot
      qnet sensitivity ibm-3990-6 --sample 1000 --spread cu.miss_remainder=10% --range read_hit=0.6:0.8
    """
    from qnet.cli.output import ready, write
    from qnet.cli.progress import watched
    from qnet.questions.presentation.assertions import conditions
    from qnet.questions.sensitivity import uncertainty
    from qnet.questions.sensitivity.uncertainty_report import tornado_report, uncertainty_report

    wanted, output, network = method(options), collect(options), asked(options)
    if tornado + corners + (sample is not None) > 1:
        raise click.UsageError("--tornado, --corners and --sample exclude each other")
    if spread and sample is None:
        raise click.UsageError("--spread needs --sample")
    tornado = tornado or (bool(ranges or within) and not corners and sample is None)
    ready(output)
    with opened(network) as model, watched(wanted) as wanted:
        conditions(asserted, model)
        if tornado:
            result = uncertainty.tornado(model, of, by, ranges, within or "", wanted)
            report = tornado_report(result, asserted)
        elif corners:
            result = uncertainty.corners(model, of, by, ranges, within or "", wanted)
            report = uncertainty_report(result, asserted)
        elif sample is not None:
            result = uncertainty.sampled(model, sample, seed, of, by, ranges, within or "", spread, shape, wanted)
            report = uncertainty_report(result, asserted, seed=seed, shape=shape)
        else:
            from qnet.questions.sensitivity.sensitivity import sensitivity, sensitivity_report

            report = sensitivity_report(sensitivity(model, of, by, wanted), asserted)
    write(report, output)
