"""The command `qnet sensitivity`: its help, and what `qnet.signatures` does not say of its options."""

from __future__ import annotations

from qnet.question import Command, Option

COMMAND = Command(
    options=(
        Option("metric", "METRIC", words=("--metric", "--of"), completes="metric",
               help="Metric, such as response. May be repeated."),
        Option("by", "PARAMETER", "Only this parameter; may be derived.", completes="parameter"),
        Option("tornado", help="Move each parameter over its range, the others fixed.", flag=True),
        Option("corners", help="Minimum and maximum over all combinations of range ends.", flag=True),
        Option("sample", "COUNT", "Number of random points.", range=(2, 1_000_000), optional=True),
        Option("seed", "NUMBER", "With --sample: random seed (default: 1).", range=(0, 2**63 - 1)),
        Option("shape", "NAME", choices=("uniform", "triangular"),
               help="With --sample: uniform in a range (default), or triangular around the model's value."),
        Option("range", "NAME=LOW:HIGH", "Range of a parameter (default: that of the catalog)."),
        Option("within", "SHARE", "Range of all parameters without one, such as 10%."),
        Option("spread", "NAME=SHARE", needs="sample",
               help="With --sample: lognormal, with this coefficient of variation, such as seek=10%."),
    ),
    also=("uncertainty",),
    excluding=(("tornado", "corners", "sample"),),
    plot=True,
    answer="sensitivity.uncertainty:ask",
    text="""\
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
""",
)  # fmt: skip
