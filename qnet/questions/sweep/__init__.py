"""qnet sweep: every metric along grids of parameters.

Begin at `sweep.sweep_report`.
"""
