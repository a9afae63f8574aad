"""The command `qnet calibrate`: its help, and what `qnet.signatures` does not say of its options."""

from __future__ import annotations

from qnet.question import Command, Option

COMMAND = Command(
    operands="SYSTEM... MEASURED.csv",
    options=(
        Option("fit", "NAMES", "Parameters to fit, such as seek,read_hit.", completes="parameters"),
        Option("metric"),
        Option("between", "NAME=LOW:HIGH", "Search range (default: the range in the model)."),
        Option("column", "COLUMN=NAME",
               help="Read a column under another name, such as io_r=throughput or rt=response_ms."),
        Option("melt", "PATTERN",
               help="One row per condition in titles: 'rt_{rate}_ms=response_ms' or '{}@{rate}'."),
        Option("hold_out", "ROWS",
               help="Rows used only for testing: a number of last rows, or a condition with and, or, not."),
        Option("error", "ERROR",
               help="Standard error of the measurements: 1%, '2 ms', or of one metric, 'response=2%'."),
        Option("absolute", help="Errors are equal in all rows, not proportional."),
        Option("starts", "COUNT", range=(1, 1000), optional=True,
               help="Starting points, spread over the ranges (default: 4 or more)."),
        Option("strict", help="Exit with code 3 at the first unreadable row."),
        Option("written", "FILE.toml", words=("--write",),
               help="Write the fitted model, or a model of --demands; - writes it instead of the report."),
        Option("demands", help="Estimate service demands from utilizations; SYSTEM is optional.", flag=True),
        Option("servers", "NAME=NUMBER", "With --demands: servers (default: SYSTEM's, or 1)."),
        Option("background", help="With --demands: fit utilization without load too."),
    ),
    derived=("measured",),
    also=("demands",),
    text="""\
MEASURED.csv has one row per measurement. Columns named like parameters, with or without a unit suffix (users,
rate_per_s), are the operating point of the row; columns named like metrics or outputs, as qnet sweep writes them
(response_s, throughput_per_s, utilization_cpu), are measured values. Optional columns: weight, and hold_out for
rows used only to test the fit. Cells are numbers in the unit of the column, or quantities such as 12 ms.

The fit minimizes the squares of ln(modelled / measured), for errors proportional to the measurement, or with
--absolute of modelled - measured, by the Levenberg-Marquardt method within the ranges of the parameters; positive
parameters are fitted in their logarithm. A minimum is proven (Bates and Watts 1981) or the fit is refused. --assert
is evaluated at the fitted values. Where rows have an exact answer only by the Markov chain of all states, the
search is by approximations, and its minimum is then moved to the exact one if --operations allow that; the method
and exactness are those of the reported values. When --operations are spent, or at Ctrl-C, the best values so far
are reported as such, without errors, with exit code 5 or 130.

The standard error of a measurement is given by --error or by a column with the suffix _error (response_s_error), as
a number, a quantity or a percentage such as 2 %. Without either, one common relative error is estimated from the
scatter of the residuals (Paule and Mandel 1982), plus half of the last printed digit. A warning reports residuals
that scatter more than the stated errors. Confidence intervals are 95 %: from the covariance of the parameters and
Student's t where the model is nearly linear, otherwise from profiles of the sum of squares (Bates and Watts 1988).
A profile may be open on one side: the rows do not determine that bound. Each held-out row comes with its prediction
interval.

With several SYSTEMs, each candidate is fitted with those of the --fit parameters that it has, and again with each
row left out. Candidates are ranked by their error at the rows left out (Stone 1974), because the best fit is not
always the best predictor.

A row that cannot be read is left out of the fit; the report lists it with its text and the reason, and the last
line on standard error counts such rows. With --strict the exit code is 3 at the first.

--write stores standard errors and correlations as [calibration] in the model; qnet solve, sweep, envelope, map,
compare, knee and cost then report confidence intervals.

With --demands: service demands per station and class from the utilization law, U = sum of X D over classes (Denning
and Buzen 1978), as non-negative least squares over all rows (Bard and Shatzoff 1978; Rolia and Vetland 1995; Zhang,
Cherkasova and Smirni 2007). Columns are utilization_STATION, and throughput or throughput_CLASS, per second.

qnet help measurements describes tables with comments, semicolons, decimal commas, units in titles and wide rows.

\b
Examples:
  qnet example measured-3990-6 | qnet calibrate ibm-3990-6 - --fit cu.miss_remainder
  qnet example measured-intervals | qnet calibrate --demands - --servers cpu=2
  qnet example measured-intervals | qnet calibrate --demands - --servers cpu=2 --background --write - | qnet solve -
  printf 'io_r;response_ms\\n5;10,5\\n50;20\\n' | qnet calibrate one-queue - --fit service_time --column io_r=rate
  printf 'rt_5,rt_50\\n10.5,20\\n' | qnet calibrate one-queue - --fit service_time --melt 'rt_{rate}=response_ms'
  qnet example measured-3990-6 | qnet calibrate ibm-3990-6 - --fit cu.miss_remainder --hold-out 'rate > 700/s'
  qnet example measured-3990-6 | qnet calibrate ibm-3990-6 - --fit destages_per_write --error 2% --write - > m.toml
  qnet example measured-3990-6 | qnet calibrate ibm-3990-6 ibm-3990-6-burn-through - --fit cu.miss_remainder --csv
""",
)  # fmt: skip
