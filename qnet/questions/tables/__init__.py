"""Reports that need no system: the catalog, the methods, one station in closed form.

Begin at `methods_report`, the shortest of the `*_report` modules. `queue_claims` reads the metrics and conditions of a
station; `reference` makes the tables of `qnet help`.
May import what `questions` may, and of its folders `presentation`.
"""
