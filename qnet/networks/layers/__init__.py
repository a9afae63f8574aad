"""Layers: simultaneous resource possession and second phases with closed classes.

Begin at `solve.solve`; `table` makes arrays of the holds and requests, `core` has the fixed point of the waiting times,
`round` evaluates their equations once. `together` solves similar networks as one batch,
`contention` removes stations at which no customer can ever wait.
May import what `networks` may, and of its folders `closed`, for approximate mean value analysis.
"""
