"""`qnet formula`: the answers as closed forms, as text and LaTeX, solved for a parameter where algebra can."""

from __future__ import annotations

from typing import Any

import click

from qnet.cli.network_options import asked, network_options, opened
from qnet.cli.options import assert_option, collect, output_options, said
from qnet.questions.formula.metrics import METRICS

_SHOWN = {f"{name}({known.of})" if known.of else name: known.words for name, known in METRICS.items()} | {
    "max_PARAMETER": "largest value with a steady state",
    "OUTPUT or EXPRESSION": "an output; arithmetic over figures",
}
_LISTED = "\n".join(f"  {name:<26} {words}" for name, words in _SHOWN.items())
_EPILOG = f"\b\nMetrics:\n{_LISTED}\n\nA station is named as in demand('cpu'); without it, all are told."


@click.command("formula", epilog=_EPILOG)
@network_options
@click.option(
    "--of",
    "metrics",
    multiple=True,
    metavar="METRIC",
    callback=said,
    help="demand, response, max_rate, ...: see below. May be repeated; without it, the main ones.",
)
@click.option("--solve-for", metavar="PARAMETER", callback=said, help="Tell this parameter as a formula of the metric.")
@click.option(
    "--value",
    metavar="QUANTITY",
    callback=said,
    help="With --solve-for: what the metric is to be, such as '10 ms'; else what it is in the model.",
)
@click.option("--expand", is_flag=True, help="Put the definitions of parameters into the formulas.")
@click.option(
    "--keep",
    "kept",
    metavar="NAMES",
    callback=said,
    help="Parameters that stay names, such as write_fraction,block; all others become numbers.",
)
@assert_option
@output_options
def command(metrics: tuple[str, ...], solve_for: str | None,
            value: str | None, expand: bool, kept: str | None,
            asserted: tuple[str, ...], **options: Any) -> None:  # fmt: skip
    """The closed form itself, also solved for a parameter.

    Metrics are told as formulas of the model's parameters. The code that computes numbers runs over symbols, so that a
    formula is what qnet solve computes; each is told with its value in the model. A formula that is one of several
    pieces says which of them binds there: the largest rate is the smallest of the capacities of stations. Parameters
    that are expressions of others stay names, with their definitions below; --expand puts them in. Formulas take and
    give seconds and bytes.

    There is none where a wait is found by a fixed point, and of closed classes only demands, N* and bounds (Lazowska,
    Zahorjan, Graham, Sevcik, Quantitative System Performance, 1984, chapter 5); qnet says why. Equations are solved up
    to degree 2. --assert is judged at the model's numbers: on a metric that has one formula or one that binds, by its
    name, such as max_rate, and on parameters and figures as qnet solve has them.

    \b
    Examples:
      qnet formula ibm-3990-6 --of max_rate
      qnet formula ibm-3990-6 --of max_rate --solve-for read_hit --value 1500/s
      qnet formula ibm-3990-6 --of max_rate --keep write_fraction,read_hit --md
      qnet formula examples/one-queue.toml --of response --solve-for rate
      qnet formula ibm-3990-6 --of max_rate --assert 'max_rate >= 1000/s'
    """
    from qnet.cli.output import ready, write
    from qnet.questions.formula.formula import formula, formula_report

    system, output = asked(options), collect(options)
    ready(output)
    keep = None if kept is None else [name.strip() for name in kept.split(",")]
    with opened(system) as model:
        report = formula_report(formula(model, metrics, solve_for or "", value or "", expand, keep), asserted)
    write(report, output)
