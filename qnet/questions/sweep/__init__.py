"""qnet sweep: every metric along grids of parameters.

Begin at `report.sweep_report`.
"""
