"""`qnet sensitivity`: how a metric depends on each parameter and on the uncertainty of parameters."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.asking import options_of
from qnet.cli.method_options import method, method_options
from qnet.cli.network_options import asked, network_options, opened
from qnet.cli.options import Drawing, Renamed, assert_option, collect, completed, output_options, plot_options

_option = options_of("uncertainty")


@click.command("sensitivity", cls=Drawing)
@network_options
@_option("metric", "--metric", "--of", cls=Renamed, metavar="METRIC", shell_complete=completed("metric"),
         help="Metric, such as response. May be repeated.")  # fmt: skip
@_option("by", metavar="PARAMETER", shell_complete=completed("parameter"), help="Only this parameter; may be derived.")
@click.option("--tornado", is_flag=True, help="Move each parameter over its range, the others fixed.")
@click.option("--corners", is_flag=True, help="Minimum and maximum over all combinations of range ends.")
@_option("sample", type=click.IntRange(2, 1_000_000), default=None, metavar="COUNT", help="Number of random points.")
@_option("seed", type=click.IntRange(0, 2**63 - 1), metavar="NUMBER",
         help="With --sample: random seed (default: 1).")  # fmt: skip
@_option("shape", type=click.Choice(["uniform", "triangular"]), metavar="NAME",
         help="With --sample: uniform in a range (default), or triangular around the model's value.")  # fmt: skip
@_option("range", metavar="NAME=LOW:HIGH", help="Range of a parameter (default: that of the catalog).")
@_option("within", metavar="SHARE", help="Range of all parameters without one, such as 10%.")
@_option("spread", metavar="NAME=SHARE",
         help="With --sample: lognormal, with this coefficient of variation, such as seek=10%.")  # fmt: skip
@plot_options
@method_options
@assert_option
@output_options
def command(tornado: bool, corners: bool, asserted: tuple[str, ...], **options: Any) -> None:
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
    from qnet.questions.sensitivity.sensitivity import ask_sensitivity
    from qnet.questions.sensitivity.uncertainty_report import ask_corners, ask_tornado, ask_uncertainty

    wanted, output, network = method(options), collect(options), asked(options)
    metrics = {name: options.pop(name) for name in ("metric", "by")}
    ranges = {name: options.pop(name) for name in ("range", "within")}
    sampled = options["sample"] is not None
    if tornado + corners + sampled > 1:
        raise click.UsageError("--tornado, --corners and --sample exclude each other")
    if options["spread"] and not sampled:
        raise click.UsageError("--spread needs --sample")
    ready(output)
    with opened(network) as model, watched(wanted) as wanted:
        if sampled:
            report = ask_uncertainty(model, **metrics, **ranges, **options, wanted=wanted, asserted=asserted)
        elif corners:
            report = ask_corners(model, **metrics, **ranges, wanted=wanted, asserted=asserted)
        elif tornado or any(ranges.values()):
            report = ask_tornado(model, **metrics, **ranges, wanted=wanted, asserted=asserted)
        else:
            report = ask_sensitivity(model, **metrics, wanted=wanted, asserted=asserted)
    write(report, output)
