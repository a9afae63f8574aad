"""qnet sensitivity: elasticities of a metric, tornado, corners and sampled uncertainty.

Begin at `sensitivity` for derivatives and at `uncertainty_report` for ranges.
"""
