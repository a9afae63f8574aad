"""`qnet formula`: metrics as closed-form expressions, in text and LaTeX, solved for a parameter where possible."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.asking import options_of
from qnet.cli.method_options import budget_options, limited
from qnet.cli.network_options import asked, network_options, opened
from qnet.cli.options import Renamed, assert_option, collect, completed, output_options
from qnet.questions.formula.metrics import METRICS

_SHOWN = {f"{name}({known.of})" if known.of else name: known.words for name, known in METRICS.items()} | {
    "max_PARAMETER": "largest value with a steady state",
    "OUTPUT or EXPRESSION": "an output; arithmetic over figures",
}
_LISTED = "\n".join(f"  {name:<26} {words}" for name, words in _SHOWN.items())
_EPILOG = f"\b\nMetrics:\n{_LISTED}\n\nName a station as in demand('cpu'); without a name, all are listed."
_option = options_of("formula")


@click.command("formula", epilog=_EPILOG)
@network_options
@_option("metric", "--metric", "--of", cls=Renamed, metavar="METRIC", shell_complete=completed("metric"),
         help="Metric: demand, response, max_rate, ... (see below; default: the main ones). "
         "May be repeated.")  # fmt: skip
@_option("solve_for", metavar="PARAMETER", shell_complete=completed("parameter"),
         help="Solve the formula for this parameter.")  # fmt: skip
@_option("value", "--equals", "--value", cls=Renamed, metavar="QUANTITY",
         help="With --solve-for: value of the metric, such as '10 ms' (default: its value in the model).")  # fmt: skip
@_option("expand", help="Substitute the definitions of parameters.")
@_option("keep", metavar="NAMES", multiple=False, default=None,
         help="Parameters to keep as symbols, such as write_fraction,block; all others become numbers.")  # fmt: skip
@click.option("--latex", is_flag=True, help="Print the formulas as LaTeX (align*, package amsmath).")
@budget_options
@assert_option
@output_options
def command(keep: str | None, latex: bool, asserted: tuple[str, ...], **options: Any) -> None:
    """Derive metrics as closed-form expressions; solve them for a parameter.

    Metrics are printed as formulas of the model's parameters, each with its value at the present parameters. They are
    derived by running the numerical code over symbols, so that a formula is what qnet solve computes. A formula with
    several pieces states which of them applies: the saturation throughput is the smallest of the capacities of
    stations. Parameters that are expressions of others remain symbols, with their definitions below; --expand
    substitutes them. Formulas take and give seconds and bytes.

    There is no formula where a waiting time is the solution of a fixed point, and for closed classes only demands, N*
    and bounds have one (Lazowska, Zahorjan, Graham, Sevcik, Quantitative System Performance, 1984, chapter 5); qnet
    states why. Equations are solved up to degree 2. --assert is evaluated at the model's numbers: on metrics with one
    formula or one that applies, by name, such as max_rate, and on parameters and metrics of qnet solve.

    \b
    Examples:
      qnet formula ibm-3990-6 --metric max_rate
      qnet formula ibm-3990-6 --metric max_rate --solve-for read_hit --equals 1500/s
      qnet formula ibm-3990-6 --metric max_rate --keep write_fraction,read_hit --md
      qnet formula one-queue --metric response --solve-for rate
      qnet formula one-queue --metric response --latex
      qnet formula ibm-3990-6 --metric max_rate --assert 'max_rate >= 1000/s'
    """
    from qnet.cli.output import ready, write
    from qnet.questions.formula.formula import ask_formula

    limited(options)
    system, output = asked(options), collect(options)
    ready(output.replace(format=output.format or "latex") if latex else output)
    kept = None if keep is None else [name.strip() for name in keep.split(",")]
    with opened(system) as model:
        report = ask_formula(model, **options, keep=kept, asserted=asserted)
    if latex:
        from qnet.cli.output import deliver
        from qnet.errors import AssertionFailed
        from qnet.reports.content import Style
        from qnet.reports.latex import render

        deliver(render(report, Style()).encode(), output)
        if report.broken:
            raise AssertionFailed(*report.broken)
        return
    write(report, output)
