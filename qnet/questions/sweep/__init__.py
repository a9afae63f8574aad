"""qnet sweep: every metric along grids of parameters.

Begin at `sweep.sweep`, which solves all points of the grids as arrays; `sweep.sweep_report` makes the table, and
`sweep.answer_notes` the notes of all points.
May import what `questions` may, and of its folders `points`, `presentation` and `solve`.
"""
