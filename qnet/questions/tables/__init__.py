"""Reports that need no system: the catalog, the methods, one station in closed form.

Begin at `methods_report`, the shortest; each other `*_report` module is one more. `queue_claims` reads what is
asked of a station; `reference` makes the tables of `qnet help`.
May import what `questions` may, and of its folders `presentation`.
"""
