"""qnet compare: systems or settings side by side.

All in `compare`: figures of every side, their differences, and what calibrations leave uncertain of them.
"""
