"""`qnet knee`: where the curve of response against load breaks."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.method_options import method, method_options
from qnet.cli.network_options import asked, network_options, opened
from qnet.cli.options import assert_option, collect, output_options, said


@click.command("knee")
@network_options
@click.option(
    "--vary",
    metavar="PARAMETER",
    callback=said,
    help="What brings the customers, where several do, else what the model states under [knee].",
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="CONDITION",
    callback=said,
    help="A service level, such as 'response <= 1 s' or 'response_p95 <= 2 s', else those that the model states under "
    "[knee]. May be repeated.",
)
@click.option(
    "--multiple",
    type=click.FloatRange(min=1, min_open=True),
    metavar="NUMBER",
    help="Open classes: how many times its floor the response may be, else 2.",
)
@click.option(
    "--definition",
    "definitions",
    multiple=True,
    metavar="NAME",
    callback=said,
    help="Only this one: n_star, service_level, power, curvature, multiple or saturation. May be repeated.",
)
@click.option("--plot", is_flag=True, help="Draw the curve and its knees as well.")
@method_options
@assert_option
@output_options
def command(vary: str | None, limits: tuple[str, ...], multiple: float | None,
            definitions: tuple[str, ...], plot: bool, asserted: tuple[str, ...], **options: Any) -> None:  # fmt: skip
    """Where the curve of response against load breaks.

    Along a number of customers: the parameter that the population of a closed class is; where there are several, all
    of them in the mix that is stated, and each alone beside the others as they stand. Along a mix the proportions are
    exact: rates and numbers of customers are interpolated between the solved whole populations around it (in the
    simplex of Kuhn 1960), times by Little's law. The setting is the nearest in whole customers.

    \b
    n_star         N* = (D + Z) / Dmax: where the asymptotes of light and of
                   heavy load meet (Lazowska, Zahorjan, Graham and Sevcik,
                   Quantitative System Performance, 1984, chapter 5). D is the
                   response of one customer alone, delays included, Z the
                   think time, Dmax the largest demand per server. Of a mix,
                   where a station would be full if nobody waited. Open classes
                   take their part of the stations beforehand. Where demands
                   depend on the number, the N of N = (D(N) + Z) / Dmax(N);
                   n_star_unloaded is beside it, with those of the first
                   customer.
    service_level  The largest number up to which --limit holds, of means as
                   of percentiles. The real number is interpolated between
                   whole ones.
    power          The number at which throughput / response is largest
                   (Kleinrock 1979).
    curvature      The number at which response / D over number / N* bends
                   most, by central differences; knees as points of largest
                   curvature are discussed by Satopaa et al. (2011). A curve
                   that bends most without load, as that of one station alone
                   does, has no such knee.

    Whole numbers of customers: n_star is rounded down, to the last number below the asymptotes' meeting; power and
    curvature are the whole number at which they are largest, the real number beside it the top of a parabola.

    Along a rate of arrivals: service_level and power, and

    \b
    multiple       The rate at which the response is --multiple times its
                   floor, the response without load.
    saturation     The rate at which the steady state ends.

    Each knee comes with what happens there and one step beyond, which is one customer more, or one per cent more
    rate. The slope is what that customer adds to the response; it tends to Dmax. A curve that crosses a limit several
    times has its knee at the first crossing, and the others are told. An --assert is judged at every knee that is
    told, with the parameter at its whole number, and those of a mix in their proportions.

    Limits and assertions mean the metrics of other commands: response is the mean over the customers of all classes,
    response('query') that of one class, and so are the columns throughput, response and slope. Where some classes
    stay as they are, the growing columns tell the same of those that grow, and n_star, power, curvature, multiple and
    the floor are knees of that curve.

    \b
    Examples:
      qnet knee examples/interactive-users.toml --limit 'response <= 1 s'
      qnet knee examples/paging-users.toml --limit 'response <= 1 s' --plot
      qnet knee examples/paging-users.toml --limit 'response <= 1 s' --definition service_level
      qnet knee examples/interactive-users.toml --limit 'response_p95 <= 2 s' --definition service_level
      qnet knee ibm-3990-6 --multiple 3
      qnet knee p390
      qnet knee --station cpu=120ms --station disk=50ms --population 20 --think-time 5s
    """
    from qnet.cli.output import ready, write
    from qnet.cli.progress import watched
    from qnet.questions.knee.report import knee_report

    wanted, found, output = method(options), asked(options), collect({**options, "plot": plot})
    ready(output)
    with opened(found) as model, watched(wanted) as wanted:
        report = knee_report(model, vary or "", limits, multiple, definitions, wanted, asserted, plot)
    write(report, output)
