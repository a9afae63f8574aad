"""qnet compare: systems or settings side by side.

Begin at `compare.compare`: figures of every side, their differences, and what calibrations leave uncertain of them;
and settings with several values.
May import what `questions` may, and of its folders `points`, `presentation` and `solve`.
"""
