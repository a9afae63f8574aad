"""qnet sensitivity: elasticities of a metric, tornado, corners and sampled uncertainty.

Begin at `report` and `uncertainty_report`; `differences` computes derivatives.
"""
