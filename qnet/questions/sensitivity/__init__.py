"""qnet sensitivity: elasticities of a metric, tornado, corners and sampled uncertainty.

Begin at `sensitivity.sensitivity` for derivatives and at `uncertainty.tornado` for ranges: their ends and samples.
`ranges` knows how far parameters may be from their values.
May import what `questions` may, and of its folders `points` and `presentation`.
"""
