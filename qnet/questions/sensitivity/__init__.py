"""qnet sensitivity: elasticities of a metric, tornado, corners and sampled uncertainty.

Begin at `sensitivity.sensitivity` for derivatives and at `uncertainty_report` for ranges. `ranges` knows how
far parameters may be from their values, `uncertainty` evaluates the ends and samples.
May import what `questions` may, and of its folders `points` and `presentation`.
"""
