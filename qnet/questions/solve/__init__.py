"""qnet solve: throughput, response and utilization of a system.

Begin at `solve.solve_report`.
"""
