"""The command `qnet knee`: its help, and what `qnet.signatures` does not say of its options."""

from __future__ import annotations

from qnet.question import Command, Option

COMMAND = Command(
    options=(
        Option("vary", "PARAMETER", completes="parameter",
               help="Parameter of the load, if several are possible (default: from [knee] in the model)."),
        Option("limit", "CONDITION", completes="metric",
               help="Service level, such as 'response <= 1 s' or 'response_p95 <= 2 s' (default: those of [knee] in "
               "the model). May be repeated."),
        Option("multiple", "NUMBER", range=(1, None), above=True,
               help="Open classes: multiple of the response time without load (default: 2)."),
        Option("definition", "NAME",
               help="Only this definition: n_star, service_level, power, curvature, multiple or saturation. "
               "May be repeated."),
    ),
    plot=True,
    given=("curve",),
    text="""\
With a number of customers: the parameter that sets the population of a closed class. Of several, all of them in
their stated mix, and each alone with the others fixed. Along a mix the proportions are exact: rates and numbers of
customers are interpolated between the solved integer populations around it (in the simplex of Kuhn 1960), times by
Little's law. The setting is the nearest one in integer customers.

\b
n_star         N* = (D + Z) / Dmax: the intersection of the light-load and
               heavy-load asymptotes (Lazowska, Zahorjan, Graham and Sevcik,
               Quantitative System Performance, 1984, chapter 5). D is the
               response time of one customer alone, delays included, Z the
               think time, Dmax the largest demand per server. For a mix,
               where a station would saturate without queueing. Open classes
               take their share of the stations beforehand. Where demands
               depend on the number, the N of N = (D(N) + Z) / Dmax(N);
               n_star_unloaded uses the demands of the first customer.
service_level  The largest number up to which --limit holds, for means and
               for percentiles. The real number is interpolated between
               integers.
power          The number that maximizes throughput / response (Kleinrock
               1979).
curvature      The number at which response / D over number / N* has its
               largest curvature, by central differences (on knees as points
               of largest curvature: Satopaa et al. 2011). A curve that bends
               most without load, as that of a single station does, has no
               such knee.

In integer customers, n_star is rounded down, to the last number below the intersection; power and curvature are the
integer that maximizes them, with the vertex of a parabola as the real number.

With an arrival rate: service_level and power, and

\b
multiple       The rate at which the response time is --multiple times the
               response time without load.
saturation     The rate at which the steady state ends.

Each knee comes with the metrics at the knee and one step beyond: one more customer, or one per cent more rate. The
slope is what that customer adds to the response time; it tends to Dmax. A curve that crosses a limit several times
has its knee at the first crossing; a note lists the others. --assert is evaluated at every knee listed, with the
parameter at its integer value, and for a mix in its proportions.

Limits and assertions use the metrics of the other commands: response is the mean over the customers of all classes,
response('query') that of one class; so are the columns throughput, response and slope. If some classes are fixed,
the growing columns give the same for those that grow, and n_star, power, curvature and multiple are knees of that
curve.

\b
Examples:
  qnet knee interactive-users --limit 'response <= 1 s'
  qnet knee paging-users --limit 'response <= 1 s' --plot
  qnet knee paging-users --limit 'response <= 1 s' --html
  qnet knee paging-users --limit 'response <= 1 s' --definition service_level
  qnet knee interactive-users --limit 'response_p95 <= 2 s' --definition service_level
  qnet knee ibm-3990-6 --multiple 3
  qnet knee p390
  qnet knee --station cpu=120ms --station disk=50ms --population 20 --think-time 5s
""",
)  # fmt: skip
