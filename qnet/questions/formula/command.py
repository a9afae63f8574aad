"""The command `qnet formula`: its help, and what `qnet.signatures` does not say of its options."""

from __future__ import annotations

from qnet.question import Command, Option
from qnet.questions.formula.metrics import METRICS

_SHOWN = {f"{name}({known.of})" if known.of else name: known.words for name, known in METRICS.items()} | {
    "max_PARAMETER": "largest value with a steady state",
    "OUTPUT or EXPRESSION": "an output; arithmetic over figures",
}
_LISTED = "\n".join(f"  {name:<26} {words}" for name, words in _SHOWN.items())
_EPILOG = f"\b\nMetrics:\n{_LISTED}\n\nName a station as in demand('cpu'); without a name, all are listed."

COMMAND = Command(
    options=(
        Option("metric", "METRIC", words=("--metric", "--of"), completes="metric",
               help="Metric: demand, response, max_rate, ... (see below; default: the main ones). May be repeated."),
        Option("solve_for", "PARAMETER", "Solve the formula for this parameter.", completes="parameter"),
        Option("value", "QUANTITY", words=("--equals", "--value"),
               help="With --solve-for: value of the metric, such as '10 ms' (default: its value in the model)."),
        Option("expand", help="Substitute the definitions of parameters."),
        Option("keep", "NAMES", optional=True,
               help="Parameters to keep as symbols, such as skew,block; others become numbers. May be repeated."),
        Option("latex", help="Print the formulas as LaTeX (align*, package amsmath).", flag=True),
    ),
    epilog=_EPILOG,
    text="""\
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
""",
)  # fmt: skip
