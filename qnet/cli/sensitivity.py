"""`qnet sensitivity`: what every parameter does to a metric, and what doubt about parameters does to it."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.method_options import method, method_options
from qnet.cli.network_options import asked, network_options, opened
from qnet.cli.options import assert_option, collect, output_options, said


@click.command("sensitivity")
@network_options
@click.option("--of", multiple=True, metavar="METRIC", callback=said, help="Such as response, or utilization('cpu').")
@click.option("--by", multiple=True, metavar="PARAMETER", callback=said, help="Only this one; a derived one as well.")
@click.option("--tornado", is_flag=True, help="Each parameter from end to end of its range, the others as stated.")
@click.option("--corners", is_flag=True, help="Least and most over all combinations of ends.")
@click.option("--sample", type=click.IntRange(2, 1_000_000), metavar="COUNT", help="So many random points.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=1, help="Beside --sample: which ones, else 1.")
@click.option("--shape", type=click.Choice(["uniform", "triangular"]), default="uniform",
              help="Beside --sample: how values lie in ranges; triangular peaks at the stated one.")  # fmt: skip
@click.option("--range", "ranges", multiple=True, metavar="NAME=LOW:HIGH", callback=said,
              help="A range, else that of the catalog.")  # fmt: skip
@click.option("--within", metavar="SHARE", callback=said, help="A range for all parameters without one: 10%.")
@click.option("--spread", multiple=True, metavar="NAME=SHARE", callback=said,
              help="Beside --sample: lognormal, standard deviation over mean, such as seek=10%.")  # fmt: skip
@click.option("--plot", is_flag=True, help="Draw elasticities or the tornado as bars.")
@method_options
@assert_option
@output_options
def command(of: tuple[str, ...], by: tuple[str, ...], tornado: bool,
            corners: bool, sample: int | None, seed: int, shape: str, ranges: tuple[str, ...], within: str | None,
            spread: tuple[str, ...], asserted: tuple[str, ...], **options: Any) -> None:  # fmt: skip
    """What every parameter, and doubt about it, does to a metric.

    Without more: the elasticity of each metric with respect to each stated number of the model, (dM/dp) (p/M), which
    is per cent of the metric per per cent of the parameter, and the derivative in base units. Derivatives are central
    differences, extrapolated to no step (Richardson 1927) with the error that the extrapolations tell (Ridders 1982);
    where they disagree the steps are taken shorter, and a derivative that does not settle is refused. At the end of a
    range, and where the metric bends (max, min, where, interp), each side is told by itself. Of what counts, servers
    and users, it is the difference to the next whole number.

    With ranges, from the catalog's low and high, --range and --within: --tornado moves one parameter at a time from
    end to end; --corners combines all ends, which enclose a metric that is monotone in every parameter; --sample draws
    a Latin hypercube (McKay, Beckman and Conover 1979), the same points for the same seed, and tells mean, deviation
    and percentiles. Parameters are taken as independent.

    \b
    Examples:
      qnet sensitivity ibm-3990-6 --plot
      qnet sensitivity --station cpu=120ms --station disk=50ms --arrival-rate 3/s
      qnet sensitivity ibm-3990-6 --of response --of "utilization('back_end')" --by cu.miss_remainder --by block
      qnet sensitivity ibm-3990-6 --tornado --within 10% --plot
      qnet sensitivity ibm-3990-6 --sample 1000 --spread cu.miss_remainder=10% --range read_hit=0.6:0.8
    """
    from qnet.cli.output import ready, write
    from qnet.cli.progress import watched
    from qnet.questions.presentation.assertions import conditions
    from qnet.questions.sensitivity import uncertainty as doubt
    from qnet.questions.sensitivity.uncertainty_report import tornado_report, uncertainty_report

    wanted, output, network = method(options), collect(options), asked(options)
    if tornado + corners + (sample is not None) > 1:
        raise click.UsageError("found more than one of --tornado, --corners and --sample, expected one")
    if spread and sample is None:
        raise click.UsageError("found --spread without --sample, expected both")
    tornado = tornado or (bool(ranges or within) and not corners and sample is None)
    ready(output)
    with opened(network) as model, watched(wanted) as wanted:
        conditions(asserted, model)
        if tornado:
            found = doubt.tornado(model, of, by, ranges, within or "", wanted)
            report = tornado_report(found, asserted)
        elif corners:
            found = doubt.corners(model, of, by, ranges, within or "", wanted)
            report = uncertainty_report(found, asserted)
        elif sample is not None:
            found = doubt.sampled(model, sample, seed, of, by, ranges, within or "", spread, shape, wanted)
            report = uncertainty_report(found, asserted, seed=seed, shape=shape)
        else:
            from qnet.questions.sensitivity.sensitivity import sensitivity, sensitivity_report

            report = sensitivity_report(sensitivity(model, of, by, wanted), asserted)
    write(report, output)
