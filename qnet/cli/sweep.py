"""`qnet sweep`: metrics of a system over grids of its parameters."""

from __future__ import annotations

from typing import Any

from qnet.cli.options import collect
from qnet.cli.shared_options import asked, method, opened


def run(
    over: tuple[str, ...],
    metric: tuple[str, ...],
    percentile: tuple[float, ...],
    asserted: tuple[str, ...],
    **options: Any,
) -> None:
    """Solve the points of a grid, and after an interrupt write those that are finished."""
    from qnet.cli.output import ready, write, write_incomplete
    from qnet.cli.progress import finishing, progress
    from qnet.questions.presentation.assertions import conditions
    from qnet.questions.solve.selected import with_percentiles
    from qnet.questions.sweep.sweep import sweep, sweep_report

    wanted, output, network = method(options), collect(options), asked(options)
    ready(output)
    with opened(network) as model, progress("points") as report_progress:
        conditions(asserted, model)
        metrics = with_percentiles([model], metric, percentile)
        result = sweep(model, over, metrics, wanted, report_progress, keep=True)
    with finishing():
        report = sweep_report(result, asserted, chosen=bool(metrics))
        if result.interrupted:
            write_incomplete(report, output)
            raise KeyboardInterrupt
        write(report, output)
