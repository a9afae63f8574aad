"""`qnet compare`: systems or settings side by side."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.method_options import method, method_options
from qnet.cli.network_options import asked, inline_options, opened
from qnet.cli.options import (
    assert_option,
    collect,
    complete_system,
    completed,
    metric_option,
    output_options,
    parameter_option,
    percentile_option,
    stated,
)


@click.command("compare")
@click.argument("systems", metavar="[SYSTEM]...", nargs=-1, callback=stated, shell_complete=complete_system)
@parameter_option
@inline_options
@click.option(
    "--with",
    "changes",
    multiple=True,
    metavar="SETTINGS",
    callback=stated,
    shell_complete=completed("settings"),
    help="Add a side: SYSTEM with these settings, such as 'users=250 & memory=128 MiB'; lists of values add "
    "a side for each. May be repeated.",
)
@metric_option
@percentile_option
@method_options
@assert_option
@output_options
def command(systems: tuple[str, ...], settings: tuple[str, ...], changes: tuple[str, ...], metric: tuple[str, ...],
            percentile: tuple[float, ...], asserted: tuple[str, ...], **options: Any) -> None:  # fmt: skip
    """Compare systems or settings side by side.

    One table: metric, A, B, C, ... and the change from A, the baseline. CSV and JSON have a row per metric and side:
    difference is B - A, ratio B / A, percent 100 (B - A) / A. Sides are the SYSTEMs given, or one system unchanged and
    once for every --with; the same for a network without a file, given by --station and --arrival-rate or --population.
    -p sets a parameter on all sides, --with on one. Metrics are matched by name, including those of stations, classes
    and outputs; a metric that one side lacks is left empty there. Every side must satisfy --assert. 'a=1,2 & b=3,4'
    adds two sides, which pair the values. Metrics are those of qnet solve (Little 1961; Denning and Buzen 1978); on
    what-if questions by two models: Lazowska, Zahorjan, Graham and Sevcik, Quantitative System Performance, 1984.

    \b
    Examples:
      qnet compare interactive-users paging-users central-server
      qnet compare paging-users --with 'memory=128 MiB' --with 'memory=128 MiB & users=250'
      qnet compare ibm-3990-6 -p rate=600/s --with write_fraction=0.3 --metric response
      qnet compare interactive-users paging-users -p users=100
      qnet compare --station cpu=120ms --station disk=50ms --population 20 --think-time 5s --with demand_cpu=60ms
    """
    from qnet.cli.output import ready, write
    from qnet.cli.system import open_system
    from qnet.model.settings import parse_settings, with_settings
    from qnet.questions.compare.compare import ask_compare
    from qnet.questions.compare.variants import variants
    from qnet.questions.solve.selected import with_percentiles

    if changes and len(systems) > 1:
        raise click.UsageError("--with needs exactly one SYSTEM, which it changes")
    if systems.count("-") > 1:
        raise click.UsageError("- is given twice, expected at most one model from standard input")
    wanted, output = method(options), collect(options)
    first = asked({**options, "system": systems[0] if systems else None, "settings": settings})
    ready(output)
    with opened(first) as model:
        models = [model, *(open_system(system, settings) for system in systems[1:])]
        sides = [side for text in changes for side in variants(text, model)]
        models += [with_settings(model, parse_settings(side)) for side in sides]
        metrics = with_percentiles(models, metric, percentile)
        report = ask_compare(model, models[1:], metrics, wanted, asserted)
    write(report, output)
