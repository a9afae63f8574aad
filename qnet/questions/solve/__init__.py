"""qnet solve: throughput, response and utilization of a system.

Begin at `solve.solve_report`; `selected` has the metrics and percentiles that are asked for by name. The
model is solved by `points`; here is the report of one point.
May import what `questions` may, and of its folders `points` and `presentation`.
"""
